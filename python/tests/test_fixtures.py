"""The numbers of the C tests' fixtures, through Python."""
import json

import numpy as np
import pytest
from conftest import GRAPHS, POMDPS, model_of, pomdp

import sonde


@pytest.fixture(params=POMDPS, ids=lambda path: path.stem)
def fixture(request):
    return pomdp(request.param)


def test_policies_are_in_pymdps_order(fixture):
    assert np.array_equal(model_of(fixture).policies(), fixture["policies"])


def test_efe_is_that_of_pymdp(fixture):
    efe = model_of(fixture).efe()
    assert np.allclose(-efe.efe, fixture["neg_efe_per_modality_exact"], rtol=0, atol=1e-9)
    assert np.allclose(efe.risk + efe.ambiguity + efe.cost, efe.efe, rtol=0, atol=1e-12)
    assert np.allclose(-efe.efe, fixture["neg_efe_factorised"], rtol=0, atol=2e-5)


def test_linear_preferences_are_those_of_pymdp_1(fixture):
    efe = model_of(fixture, preferences="utility").efe()
    assert np.allclose(-efe.efe, fixture["neg_efe_per_modality_linear_C"], rtol=0, atol=1e-9)


def test_joint_information_is_that_of_legacy_pymdp(fixture):
    efe = model_of(fixture, information="joint").efe()
    assert np.allclose(-efe.efe, fixture["neg_efe_joint"], rtol=0, atol=2e-5)
    assert np.allclose(efe.posterior(fixture["gamma"]), fixture["q_pi_joint"], atol=1e-6)


def test_an_efe_of_listed_policies_is_the_same(fixture):
    model = model_of(fixture)
    chosen = np.array(fixture["policies"])[::-3]
    assert np.array_equal(model.efe(chosen).efe, model.efe().efe[::-3])
    assert np.allclose(model.efe(chosen).steps.sum(axis=1)[:, 0], model.efe().efe[::-3])


def test_the_first_actions_of_a_plan_are_those_of_pymdp(fixture):
    plan = sonde.plan(model_of(fixture, information="joint"), search="full", gamma=16)
    for found, expected in zip(plan.marginals, fixture["first_action_marginals"]):
        assert np.allclose(found, expected, atol=1e-6)
    assert sum(a["p"] for a in plan.action_probabilities) == pytest.approx(1)


def test_beliefs_are_updated_as_in_pymdp(fixture):
    update = fixture["belief_update"]
    model = model_of(fixture)
    prior = model.predict(fixture["qs"], update["act"])
    assert np.allclose(prior, np.concatenate(update["prior"]), atol=1e-9)
    posterior = model.observe(update["prior"], update["obs"], inference="pymdp-legacy")
    assert np.allclose(posterior, np.concatenate(update["posterior"]), atol=1e-9)


@pytest.mark.parametrize("path", GRAPHS, ids=lambda path: path.stem)
def test_graph_worlds_have_the_numbers_of_the_authors(path):
    fixture = json.loads(path.read_text())
    graph = sonde.Graph(fixture["edges"], nodes=fixture["nodes"], start=fixture["start_edge"],
                        destination=fixture["destination"], lambda_=fixture["lambda"],
                        horizon=fixture["policy_length"])
    assert len(graph.efe(scope="global")) == fixture["policy_count_all"]
    assert len(graph.efe()) == fixture["policy_count_from_start"]
    assert graph.distances()[graph.destination] == fixture["shortest_distance"]
    nodes = np.array([policy["nodes"] for policy in fixture["policies"]])
    efe = graph.efe(nodes)
    assert np.allclose(efe.efe, [policy["efe"] for policy in fixture["policies"]], atol=1e-5)
    assert np.array_equal(efe.policies, nodes)
    for i, j, distance in fixture["edit_distance"]:
        assert graph.model.edit_distance(nodes[i], nodes[j]) == distance
