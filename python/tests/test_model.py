"""Graphs, models, embeddings, clusters, studies: what the objects say of themselves."""
import json

import numpy as np
import pytest
from conftest import ROOT

import sonde


def test_a_graph_goes_to_networkx_and_back(world):
    networkx = pytest.importorskip("networkx")
    other = sonde.Graph.from_networkx(world.to_networkx(), start=world.start,
                                      destination=world.destination)
    assert other.to_dict()["edges"] == world.to_dict()["edges"]
    named = networkx.Graph()
    named.add_weighted_edges_from([("home", "shop", 2.0), ("shop", "work", 3.0)])
    graph = sonde.Graph.from_networkx(named, start=("home", "home"), destination="work")
    assert graph.names == ["home", "shop", "work"] and graph.distances()[2] == 5
    assert graph.node("shop") == 1 and graph.edge("home", "shop") >= 0
    assert sonde.simulate(graph, search="full").optimal
    with pytest.raises(KeyError):
        graph.edge("home", "work")


def test_a_graph_from_edges_is_the_one_drawn(world):
    edges = np.stack([world.tail, world.head, world.weight], axis=1)
    other = sonde.Graph(edges, start=world.start, destination=world.destination)
    assert other.to_json() == world.to_json()
    assert sonde.Graph.from_dict(world.to_dict()).to_json() == world.to_json()


def test_objects_show_themselves(world, tmaze):
    episode = sonde.simulate(world, search="full")
    assert world._repr_svg_().startswith("<svg")
    assert "<svg" in episode._repr_html_() and "optimal" in repr(episode)
    for thing in (tmaze, tmaze.efe(), sonde.plan(tmaze), sonde.simulate(tmaze, 2)):
        assert "<table" in thing._repr_html_() and repr(thing).startswith("<sonde.")
    assert "policies" in repr(sonde.embed(world)) and "sizes" in repr(sonde.cluster(world, k=3))


def test_a_plan_has_the_keys_of_the_document(tmaze, world):
    plan = sonde.plan(tmaze, search="full")
    for key in ("search", "policy_space", "action", "action_probabilities", "best", "evaluations",
                "certificate", "seconds"):
        assert key in plan.keys() and key in dir(plan)
        assert getattr(plan, key) == plan[key]
    assert plan.search == "full" and plan.policy_space == 16
    assert plan.best_policy.tolist() == plan.best["actions"]
    assert plan.best_efe == plan.best["efe"] == tmaze.efe().efe.min()
    assert plan.actions.shape == (4, 2) and plan.probabilities.sum() == pytest.approx(1)
    with pytest.raises(AttributeError, match="no 'colour'"):
        plan.colour
    assert "to" in sonde.plan(world, search="full").action


def test_the_default_search_is_the_librarys(tmaze):
    assert sonde.plan(tmaze).search == sonde.plan(tmaze, search=None).search
    assert sonde.plan(tmaze).search == "bounded"
    assert sonde.plan(tmaze, gamma=2.0, epsilon=0.1).search == "bounded"


@pytest.mark.parametrize("settings", [{"k": 3}, {"embedding": "boa"}, {"probe": "sample"},
                                      {"top": 2},
                                      {"samples": 2, "probe": "sample"}, {"restarts": 2},
                                      {"policy_sample": 9}])
def test_settings_of_clusters_mean_clusters(tmaze, settings):
    assert sonde.plan(tmaze, **settings).search == "cluster"
    assert sonde.simulate(tmaze, 2, **settings).settings["search"] == "cluster"
    with pytest.raises(ValueError, match="goes with search "):
        sonde.plan(tmaze, search="full", **settings)


def test_a_belief_is_where_a_plan_begins(tmaze, world):
    left = sonde.plan(tmaze, [[0, 1, 0, 0], [1, 0]], search="full")
    assert left.q.tolist() == [0, 1, 0, 0, 1, 0]
    assert sonde.plan(tmaze, left.q, search="full").best == left.best
    other = next((int(a), int(b)) for a, b in zip(world.tail, world.head) if (a, b) != world.start)
    plan = sonde.plan(world, other, search="full")
    assert tuple(plan.state) == other
    moved = sonde.Graph.from_dict(world.to_dict() | {"start": list(other)})
    assert sonde.plan(moved, search="full").best == plan.best


def test_semantics_and_differences(world):
    settings = {"search": "cluster", "k": 6}
    notebook = sonde.plan(world, semantics="notebook", **settings)
    assert notebook.settings["semantics"] == "notebook"
    assert sonde.plan(world, differences=["boe"], **settings).settings["differences"] == ["boe"]
    with pytest.raises(ValueError, match="semantics"):
        sonde.plan(world, semantics="both")


def test_embeddings_and_planes(world):
    embedding = sonde.embed(world, "boe")
    assert embedding.matrix.shape == (embedding.n_policy, embedding.n_column)
    assert embedding.weight.sum() == embedding.n_policy
    assert np.array_equal(embedding.row(embedding.policies[17]), embedding.matrix[17])
    assert embedding.at(3, 2) == embedding.rows[3, 2]
    assert np.allclose(embedding.project(embedding.matrix), embedding.plane)
    assert embedding.plane_share.sum() <= 1 + 1e-12 and embedding.plane_axes.shape[0] == 2
    assert embedding.about["embedding"] == "boe"
    assert embedding.to_csv().count("\n") >= embedding.n_policy
    sample = sonde.embed(world, policy_sample=100)
    assert sample.n_policy == 100 and len(sample.index) == 100


def test_clusters_and_their_members(world):
    clusters = sonde.cluster(world, k=5)
    efe = world.efe().efe
    means = [efe[clusters.members(c)].mean() for c in range(clusters.k)]
    assert np.allclose(clusters.mean_efe(), means)
    assert len(clusters) == 5 and clusters.policy(3) == 3
    assert all(clusters.label[r] == c for c, r in enumerate(clusters.representative))
    assert clusters.to_csv() and clusters.to_dict()


def test_embeddings_with_settings_of_their_own(world):
    ends = sonde.embed(world, "ends", ends=1)
    assert ends.n_column == 2 * world.model.n_action
    vectors = sonde.embed(world, "walk2vec", dimension=3)
    again = sonde.embed(world, "walk2vec", dimension=3)
    assert vectors.n_column == 3 and np.array_equal(vectors.rows, again.rows)
    assert not np.array_equal(vectors.rows, sonde.embed(world, "walk2vec", dimension=3,
                                                        seed=2).rows)
    values = sonde.embed(world, "value").matrix
    assert np.allclose(-values.sum(axis=1), world.model.efe().efe)


def test_wards_clusters_are_scipys():
    hierarchy = pytest.importorskip("scipy.cluster.hierarchy")
    rows = np.random.default_rng(1).normal(size=(80, 4))
    theirs = hierarchy.fcluster(hierarchy.linkage(rows, "ward"), 6, "maxclust")
    names = {}
    ours = sonde.cluster(rows, k=6, method="ward")
    assert ours.label.tolist() == [names.setdefault(label, len(names)) for label in theirs]
    with pytest.raises(ValueError, match="kmeans or ward"):
        sonde.cluster(rows, k=6, method="single")


def test_a_plan_says_of_its_certificate_what_the_command_says():
    corridor = dict(A=[np.eye(2)], B=[np.array([[[1, 0], [1, 0]], [[0, 1], [0, 1]]], float)],
                    C=[np.array([0.0, 2.0])], D=[np.array([0.5, 0.5])], horizon=8)
    plan = sonde.plan(sonde.Model(**corridor), search="bounded", budget=3, epsilon=0, gamma=1e-3)
    assert plan.certificate["stopped"] == "budget"
    assert "stopped by its budget" in repr(plan) and "sure:" in repr(plan)
    tied = sonde.plan(sonde.Model(**{**corridor, "C": [np.zeros(2)]}), search="bounded")
    assert "the most probable action is not certain" in repr(tied)
    # a drawn action that is the less probable one is not called exact
    for seed in range(20):
        plan = sonde.plan(sonde.Model(**{**corridor, "horizon": 1}), seed=seed)
        assert "the most probable action is certain" in repr(plan)
        assert "the action is exact" not in repr(plan)


def test_members_of_a_samples_clusters_are_drawn():
    world = sonde.Graph.random(12, seed=2, horizon=20)
    plan = sonde.plan(world, policy_sample=500, members=50)
    assert plan.search == "cluster" and plan.certificate is None
    assert plan.sample["policies"] == 500 and plan.sample["generated"] == 50
    assert plan.best["efe"] <= sonde.plan(world, policy_sample=500).best["efe"]
    with pytest.raises(ValueError, match="policy_sample"):
        sonde.plan(world, members=50)


def test_models_say_what_they_are(tmaze, world):
    assert tmaze.num_states == [4, 2] and tmaze.num_obs == [4, 3, 3]
    assert tmaze.table("B")["storage"] in ("dense", "sparse")
    assert tmaze.action_tuple(tmaze.action_number([3, 0])) == (3, 0)
    assert tmaze.policy_index(tmaze.policies()[5]) == 5
    assert tmaze.action_numbers(tmaze.policies())[5].tolist() == [1, 1]
    model = world.model
    state = world.edge(*world.start)
    assert model.next_state(state, model.action_number([state, world.first[world.start[1]]]))
    with pytest.raises(AttributeError, match="general models"):
        model.A
    npz = sonde.Model.from_file(ROOT / "tests/data/models/small.npz", horizon=2)
    assert npz.horizon == 2
    data = (ROOT / "tests/data/models/small.npz").read_bytes()
    assert np.array_equal(sonde.Model.from_bytes(data, horizon=2).efe().efe, npz.efe().efe)
    document = tmaze.to_dict()
    assert np.array_equal(sonde.Model.from_dict(document).efe().efe, tmaze.efe().efe)


def test_policies_are_read_from_a_file(tmaze, tmp_path):
    (tmp_path / "p.json").write_text("[[[0, 0], [3, 0]], [[1, 0], [1, 0]]]")
    policies = tmaze.read_policies(tmp_path / "p.json")
    assert policies.tolist() == [[[0, 0], [3, 0]], [[1, 0], [1, 0]]]
    assert tmaze.efe(policies).efe.shape == (2,)


def test_another_world_than_the_model(tmaze):
    process = sonde.Model.from_file(ROOT / "examples/models/tmaze-right.json")
    episode = sonde.simulate(tmaze, 3, process=process, search="full")
    assert episode.states.shape == (4, 2) and episode.outcomes.shape == (3, 3)
    assert episode.actions.shape == (3, 2) and len(episode.n_policy) == 3


def test_a_study_runs_and_is_reported(tmp_path):
    plan = sonde.Study("paper", tmp_path / "a.sqlite").plan_text
    document = json.loads(plan)
    document["worlds"] = {"sizes": [3], "graphs": 2}
    document["conditions"] = document["conditions"][:1]
    (tmp_path / "plan.json").write_text(json.dumps(document))
    study = sonde.study(tmp_path / "plan.json", tmp_path / "b.sqlite")
    assert study.done == study.n_task
    table = sonde.report(study, tmp_path / "page")
    assert table and (tmp_path / "page/index.html").exists()
    with sonde.Study(tmp_path / "plan.json", tmp_path / "c.sqlite") as other:
        task = other.next_task()
        assert other.task(task)[0] == 3
        other.take(other.work(task))
        assert other.done == 1 and other.conditions


def test_a_study_judges_searches_on_models(tmp_path):
    plan = {"format": "sonde-plan", "version": 1, "steps": 2, "judge": 2,
            "worlds": {"models": ["tmaze", {"model": "grid5", "name": "grid", "horizon": 3}],
                       "graphs": 2},
            "conditions": [{"group": "quality", "search": ["full", "bounded"]},
                           {"group": "quality", "search": "cluster", "k": 3}]}
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    with sonde.study(tmp_path / "plan.json", tmp_path / "a.sqlite") as study:
        assert study.models == ["tmaze", "grid"] and study.n_judge == 2
        assert study.done == study.n_task == 4
        assert {study.task(i) for i in range(4)} == {(-2, 0), (-2, 1), (-1, 0), (-1, 1)}
        table = sonde.report(study, tmp_path / "page")
    assert "bounded" in table and (tmp_path / "page/summary.json").exists()
