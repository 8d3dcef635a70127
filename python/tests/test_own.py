"""Searches and embeddings of one's own: the library's numbers, for whatever they choose."""
import copy
import functools
import json
import pickle

import numpy as np
import pytest
from conftest import random_arrays, timeless

import sonde

GRAPH = sonde.Graph.random(5, seed=3)


@pytest.fixture
def model():
    return sonde.Model(**random_arrays(np.random.default_rng(4)), horizon=4)


@pytest.fixture
def graph():
    return GRAPH.model


def boa(policies, sizes=(2, 3)):
    """The library's boa of random_arrays' models."""
    numbers = np.ravel_multi_index(tuple(np.moveaxis(policies, -1, 0)), sizes)
    return np.stack([(numbers == u).sum(axis=1) for u in range(np.prod(sizes))], axis=1)


def boe(nodes):
    """The library's boe of a graph world."""
    edges = np.array([[GRAPH.edge(a, b) for a, b in zip(row, row[1:])] for row in nodes.tolist()])
    return np.stack([(edges == e).sum(axis=1) for e in range(GRAPH.n_edge)], axis=1)


def everything(space):
    """Asks for all policies, some of them twice."""
    n = len(space)
    efe = yield np.arange(n)[::-1]
    assert efe.shape == (n,) and not efe.flags.writeable
    assert (yield 0) == efe[-1]


def a_few(space):
    yield [3, 1, 7]
    yield 5
    yield []


def same(one, other):
    """The same decision, whatever it has cost."""
    assert one.action == other.action and one.best == other.best
    for name in ("probabilities", "q", "best_policy", "actions"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert one.best_efe == other.best_efe and one["log_evidence"] == other["log_evidence"]
    assert one["action_probabilities"] == other["action_probabilities"]


def same_life(one, other):
    for name in ("states", "outcomes", "actions", "beliefs", "p", "surprise", "n_policy"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name


# ----------------------------------------------------------------------------------- embeddings --

@pytest.mark.parametrize("search", ["cluster", "tree", "surrogate"])
@pytest.mark.parametrize("kind", ["model", "graph", "global"])
def test_rows_of_ones_own_are_searched_like_the_librarys(model, graph, search, kind):
    world, function, name = (model, boa, "boa") if kind == "model" else (graph, boe, "boe")
    more = {"scope": "global"} if kind == "global" else {}
    for seed in (1, 2):
        own, named = (sonde.plan(world, search=search, embedding=one, seed=seed, k=5, **more)
                      for one in (function, name))
        same(own, named)
        assert own["settings"]["embedding"] == "own" and own["search"] == search
        assert own.evaluations == named.evaluations
        same_life(*(sonde.simulate(world, 6, search=search, embedding=one, seed=seed, k=5, **more)
                    for one in (function, name)))


def test_an_agent_embeds_a_place_when_it_comes_there_and_once(graph):
    places = []

    def noted(nodes):
        places.append(tuple(nodes[0, :2]))
        return boe(nodes)

    agent = sonde.Agent(graph, embedding=noted, k=4)
    assert len(places) == 1 and agent.settings["search"] == "cluster"
    state = graph.graph.edge(*graph.graph.start)
    for _ in range(8):
        agent.observe(state)
        agent.decide()
        state = agent.act()[1]
    assert len(places) == len(set(places)) > 1


def test_a_sample_is_embedded_by_ones_own_function_too(model):
    seen = []

    def noted(policies):
        seen.append(len(policies))
        return boa(policies)

    own, named = (sonde.plan(model, embedding=one, k=4, policy_sample=50, seed=3)
                  for one in (noted, "boa"))
    same(own, named)
    assert seen == [50]


def test_embed_and_cluster_take_a_function(model):
    own, named = (sonde.embed(model, one) for one in (boa, "boa"))
    assert np.array_equal(own.matrix, named.matrix) and own.embedding == "own"
    assert np.array_equal(own.row(model.policies()[17]), named.row(model.policies()[17]))
    assert np.array_equal(own.plane, named.plane)
    clusters = [sonde.cluster(model, 5, embedding=one) for one in (boa, "boa")]
    assert np.array_equal(clusters[0].label, clusters[1].label)
    assert json.loads(own.to_json())["embedding"] == "own" and "c0" in own.to_csv().splitlines()[0]


@pytest.mark.parametrize("wrong, words", [
    (lambda p: boa(p)[:, 0], r"expected an array \(1296 policies, columns\), found \(1296,\)"),
    (lambda p: boa(p)[1:], r"expected an array \(1296 policies, columns\), found \(1295, 6\)"),
    (lambda p: boa(p)[:, :0], "columns"),
    (lambda p: np.where(boa(p) > 3, np.nan, boa(p)), "expected finite numbers, found nan in row 0"),
    (lambda p: "rows", "expected an array of numbers"),
])
def test_rows_that_are_none_are_refused_with_the_reason(model, wrong, words):
    with pytest.raises(sonde.BadInput, match=words):
        sonde.plan(model, embedding=wrong)


def test_too_many_policies_for_a_function_are_refused_with_the_way_out(model):
    with pytest.raises(sonde.TooLarge, match="given 1,000,000 at most.*policy_sample="):
        sonde.plan(model.replace(horizon=9), embedding=boa)
    plan = sonde.plan(model.replace(horizon=9), embedding=boa, policy_sample=200)
    assert plan.policy_space == 6**9


def test_rows_cannot_be_told_of_members_or_of_other_embeddings(model):
    with pytest.raises(sonde.BadInput, match="members: .*sample alone"):
        sonde.plan(model, embedding=boa, policy_sample=50, members=3)
    with pytest.raises(sonde.BadInput, match="ngram"):
        sonde.plan(model, embedding=boa, ngram=2)
    with pytest.raises(sonde.BadInput, match="ngram: goes with an embedding by name"):
        sonde.embed(model, boa, ngram=2)
    with pytest.raises(sonde.BadInput, match="goes with search cluster, surrogate or tree only"):
        sonde.plan(model, search="full", embedding=boa)


def test_what_a_function_raises_comes_through(model):
    with pytest.raises(ZeroDivisionError):
        sonde.plan(model, embedding=lambda policies: 1 / 0)


# ------------------------------------------------------------------------------------- searches --

@pytest.mark.parametrize("action", ["marginal", "deterministic", "full", "softmax", "best"])
def test_a_search_that_asks_for_everything_is_full_search_to_the_byte(model, graph, action):
    for world in (model, graph):
        for seed in range(4):
            own, full = (sonde.plan(world, search=one, action=action, seed=seed, keep=3)
                         for one in (everything, "full"))
            same(own, full)
            assert own["kept"] == full["kept"]
            assert own.certificate["tv"] < 1e-9 and own["search"] == "own"
            same_life(*(sonde.simulate(world, 5, search=one, action=action, seed=seed)
                        for one in (everything, "full")))


def test_a_decision_is_made_of_what_was_scored_and_nothing_else(model):
    plan = sonde.plan(model, search=a_few, gamma=2, keep=10)
    efe = model.efe().efe[[1, 3, 5, 7]]
    q = np.exp(-2 * (efe - efe.min()))
    assert [kept["index"] for kept in plan["kept"]] == [
        [1, 3, 5, 7][i] for i in np.argsort(efe)]
    np.testing.assert_allclose([kept["posterior"] for kept in plan["kept"]],
                               np.sort(q / q.sum())[::-1], rtol=1e-12)
    assert plan.evaluations["policies"] == 4 and plan.certificate is None
    assert plan["best"]["index"] == [1, 3, 5, 7][np.argmin(efe)]
    assert "a part of the policies was scored" in repr(plan.explain())


def test_a_search_is_told_what_the_agent_believes_and_may_choose(graph):
    told = []

    def look(space):
        told.append((len(space), space.belief.argmax(), space.policies([0, 1])))
        assert space.model is graph and space.horizon == graph.horizon
        yield 0

    agent = sonde.Agent(graph, search=look)
    state = graph.graph.start
    agent.observe(state)
    agent.decide()
    n, believed, policies = told[0]
    assert n == sonde.plan(graph).policy_space and believed == graph.graph.edge(*state)
    assert np.array_equal(policies, graph.policies(0, 2))


def test_an_agent_asks_its_search_at_every_decision_and_not_while_it_follows(model):
    asked = []

    def noted(space):
        asked.append(space.belief)
        yield np.arange(len(space))

    agent, plain = (sonde.Agent(model, search=one, replan_every=2, action="deterministic")
                    for one in (noted, "full"))
    for outcome in ([0, 1], [3, 0], [1, 1], [2, 0]):
        assert agent.step(outcome) == plain.step(outcome)
    assert len(asked) == 2
    agent = sonde.Agent(model, search=noted, replan_every=2, replan_surprise=0.0)
    agent.step([0, 1])
    agent.step([1, 1])
    assert len(asked) == 4


def test_a_search_that_failed_leaves_nothing_behind(model):
    broken = iter([True, False])

    def often(space):
        yield [0, 1, 2]
        if next(broken):
            raise KeyError("mine")

    agent = sonde.Agent(model, search=often)
    with pytest.raises(KeyError):
        agent.decide()
    assert agent.decide().evaluations["policies"] == 3
    agent.act()


@pytest.mark.parametrize("wrong, words", [
    (lambda space: iter(()), "expected a generator function.*list_iterator|tuple_iterator"),
    (lambda space: (yield from ()), "without asking for a policy"),
    (lambda space: (yield -1), "expected policies from 0 to 1295, found -1"),
    (lambda space: (yield [0, 1296]), "expected policies from 0 to 1295, found 1296"),
    (lambda space: (yield [0.5]), "expected numbers of policies"),
    (lambda space: (yield [[1, 2]]), "expected numbers of policies"),
])
def test_a_search_that_is_none_is_refused_with_the_reason(model, wrong, words):
    with pytest.raises(sonde.BadInput, match=words):
        sonde.plan(model, search=wrong)


def test_settings_of_other_searches_do_not_go_with_ones_own(model):
    with pytest.raises(sonde.BadInput, match="epsilon: goes with search bounded only"):
        sonde.plan(model, search=everything, epsilon=0.1)
    plan = sonde.plan(model, search=a_few, fallback="full")
    assert plan["fell_back"] in (True, False)
    assert plan.best_efe == sonde.plan(model, search="full").best_efe


def test_own_is_no_name_and_says_why(model, tmp_path):
    for key in ("search", "embedding"):
        with pytest.raises(sonde.BadInput, match=f"{key}: own is what a program brings itself"):
            sonde.plan(model, **{key: "own"})
    plan = {"format": "sonde-plan", "version": 1, "name": "own", "seed": 1, "steps": 3,
            "worlds": {"sizes": [4], "graphs": 1},
            "conditions": [{"group": "g", "search": "cluster", "embedding": "own"}]}
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    with pytest.raises(sonde.BadInput, match="own is what a program brings itself"):
        sonde.study(tmp_path / "plan.json", tmp_path / "db.sqlite")


def test_plans_episodes_and_agents_with_parts_of_ones_own_are_copied(model):
    for settings in ({"search": everything}, {"embedding": functools.partial(boa), "k": 4}):
        plan = sonde.plan(model, **settings)
        assert timeless(copy.copy(plan).to_json()) == timeless(plan.to_json())
        agent = sonde.Agent(model, **settings)
        agent.step([0, 1])
        again = pickle.loads(pickle.dumps(agent))
        assert [agent.step([1, 0]) for _ in range(3)] == [again.step([1, 0]) for _ in range(3)]


def test_the_agent_with_pymdps_verbs_takes_parts_of_ones_own():
    arrays = random_arrays(np.random.default_rng(4))
    agents = [sonde.pymdp.Agent(**arrays, policy_len=3, search=one)
              for one in (everything, "full")]
    for agent in agents:
        agent.infer_states([1, 0])
    assert all(map(np.array_equal, *(agent.infer_policies() for agent in agents)))
    assert np.array_equal(*(agent.sample_action() for agent in agents))


# ------------------------------------------------------------------------------- what was left --

def test_a_plan_keeps_the_belief_that_it_was_made_from(model):
    agent = sonde.Agent(model)
    agent.observe([0, 1])
    believed = agent.belief
    plan = agent.decide()
    agent.act()
    agent.observe([3, 0])
    assert not np.array_equal(agent.belief, believed)
    assert np.array_equal(plan.q, believed)
    assert np.allclose(np.concatenate(plan["belief"]), believed, rtol=0, atol=1e-15)


@pytest.mark.parametrize("weights", [{"weight_utility": 0}, {"weight_information": 0.5},
                                     {"weight_utility": 2, "weight_information": 0}])
def test_G_of_policies_has_the_weights_of_plan(model, weights):
    all_of_them, plan = model.efe(**weights), sonde.plan(model, search="full", **weights)
    assert plan["best"]["index"] == all_of_them.best
    assert plan.best_efe == pytest.approx(all_of_them.efe.min(), abs=1e-12)
    some = model.efe(model.policies()[5:9], **weights)
    np.testing.assert_allclose(some.efe, all_of_them.efe[5:9], rtol=0, atol=1e-12)
    np.testing.assert_allclose(all_of_them.risk, model.efe().risk, rtol=0, atol=1e-12)
    np.testing.assert_allclose(some.steps[:, :, 0].sum(axis=1), some.efe, rtol=0, atol=1e-12)
    with pytest.raises(sonde.BadInput, match="weight"):
        model.efe(weight_utility=-1)
