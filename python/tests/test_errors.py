"""Failures are exceptions with the library's sentences."""
import contextlib
import sqlite3
import subprocess

import numpy as np
import pytest
from conftest import ROOT, command, random_arrays

import sonde


def sentence(*arguments):
    """What the command says went wrong."""
    with pytest.raises(subprocess.CalledProcessError) as failure:
        command(*arguments)
    return failure.value.stderr


def test_a_file_that_is_not_there():
    with pytest.raises(FileNotFoundError) as failure:
        sonde.Model.from_file("nowhere.json")
    assert str(failure.value) in sentence("plan", "nowhere.json")


def test_a_file_that_says_something_else(tmp_path):
    path = tmp_path / "bad.json"
    path.write_text('{"format": "sonde-model", "version": 1}')
    with pytest.raises(ValueError) as failure:
        sonde.Model.from_file(path)
    assert str(failure.value) in sentence("plan", path)
    with pytest.raises(ValueError, match="bad.json"):
        sonde.Graph.from_file(path)


def test_more_than_is_allowed(world, tmp_path):
    world.save(tmp_path / "w.json")
    with pytest.raises(sonde.TooLarge) as failure:
        sonde.plan(world, search="cluster", memory=1000)
    assert isinstance(failure.value, MemoryError)
    said = sentence("plan", tmp_path / "w.json", "--search", "cluster", "--memory", "1000")
    assert str(failure.value) in said


def test_a_column_that_does_not_sum_to_one():
    parts = random_arrays(np.random.default_rng(1))
    parts["B"][1][:, 1, 2] *= 1.5
    with pytest.raises(ValueError, match=r"B\[1\]\[:,1,2\]"):
        sonde.Model(**parts, horizon=2)


def test_numbers_that_are_none():
    parts = random_arrays(np.random.default_rng(1))
    parts["A"][0][1, 0, 0] = np.nan
    with pytest.raises(ValueError, match=r"A\[0\]"):
        sonde.Model(**parts, horizon=2)


def test_arguments_that_do_not_exist(tmaze):
    with pytest.raises(TypeError, match="kk"):
        sonde.plan(tmaze, kk=3)
    with pytest.raises(ValueError, match="did you mean cluster"):
        sonde.plan(tmaze, search="clusters")
    with pytest.raises(ValueError, match="k: expected a whole number from 1"):
        sonde.plan(tmaze, search="cluster", k=0)
    with pytest.raises(ValueError, match="gamma"):
        sonde.plan(tmaze, gamma=float("nan"))
    with pytest.raises(TypeError, match="colour"):
        sonde.Model(**random_arrays(np.random.default_rng(1)), colour=1)
    with pytest.raises(TypeError, match="expected a Model or a Graph"):
        sonde.plan(3)
    with pytest.raises(ValueError, match="memory"):
        sonde.plan(tmaze, memory="2 apples")


def test_beliefs_that_are_none(tmaze):
    for bad in ([0.5, 0.5], np.full(6, 0.3), [np.ones(4), np.ones(2) / 2], "here",
                [np.array([2.0, -1.0, 0, 0]), np.array([1.0, 0])], np.full(6, np.nan)):
        with pytest.raises(ValueError, match="belief"):
            sonde.plan(tmaze, bad)


def test_policies_that_do_not_exist(tmaze, world):
    with pytest.raises(ValueError, match="policies"):
        tmaze.efe([[[0, 0]]])
    with pytest.raises(ValueError, match="factor 0"):
        tmaze.efe([[[9, 0], [0, 0]]])
    with pytest.raises(ValueError, match="no edge"):
        world.efe([[0, 0, 5, 5, 5, 5, 5, 5]])
    with pytest.raises(ValueError, match="nodes"):
        world.efe([[0, 0]])


def test_efe_of_too_many_policies():
    model = sonde.Model(**random_arrays(np.random.default_rng(1)), horizon=30)
    assert model.n_policy == 6.0**30
    with pytest.raises(sonde.TooLarge, match="policies"):
        model.efe()
    with pytest.raises(sonde.TooLarge, match="how many"):
        model.policies()
    assert model.policies(n=2).shape == (2, 30, 2)
    model.efe(np.zeros((1, 30, 2), int))


def test_no_policy_is_allowed():
    eye = np.eye(2)[:, :, None].repeat(2, axis=2)
    with pytest.raises(sonde.NoPolicy):
        sonde.plan(sonde.Model(A=np.eye(2), B=eye, D=[1.0, 0.0], horizon=2, policies="allowed",
                               allowed=[[[1, 0]]]))


def test_what_pymdp_has_and_sonde_does_not():
    parts = random_arrays(np.random.default_rng(1))
    for name, value in {"pA": parts["A"], "pB": parts["B"], "pD": parts["D"], "H": 1,
                        "use_param_info_gain": True, "use_utility": False,
                        "use_states_info_gain": False, "sophisticated": True,
                        "inference_algo": "MMP", "inference_horizon": 3, "lr_pA": 0.5,
                        "policy_sep_prior": True, "inference_params": {"num_iter": 3},
                        "modalities_to_learn": [0]}.items():
        with pytest.raises(NotImplementedError, match=name):
            sonde.Agent(**parts, **{name: value})
    agent = sonde.Agent(**parts)
    with pytest.raises(NotImplementedError):
        agent.update_A([0, 0])
    with pytest.raises(NotImplementedError, match="distr_obs"):
        agent.infer_states([0, 0], distr_obs=True)
    with pytest.raises(ValueError, match="has not searched"):
        agent.sample_action()


def test_a_progress_function_that_raises(world):
    def fail(stage, done, total):
        raise ZeroDivisionError(stage)

    with pytest.raises(ZeroDivisionError):
        sonde.cluster(sonde.embed(world, scope="global"), k=12, progress=fail)


def test_studies_say_what_is_wrong(tmp_path):
    with pytest.raises(FileNotFoundError):
        sonde.study("no-such-plan", tmp_path / "a.sqlite")
    with pytest.raises(FileNotFoundError):
        sonde.report(tmp_path / "none.sqlite", tmp_path / "page")
    (tmp_path / "b.sqlite").write_text("this is no database, but long enough to look at" * 100)
    with pytest.raises(ValueError):
        sonde.report(tmp_path / "b.sqlite", tmp_path / "page")


def test_a_damaged_study_and_damaged_rows_are_refused(tmp_path):
    (tmp_path / "plan.json").write_text(
        '{"format": "sonde-plan", "version": 1, "worlds": {"sizes": [3], "graphs": 2},'
        ' "conditions": [{"group": "table", "k": 2}]}')
    with sonde.Study(tmp_path / "plan.json", tmp_path / "a.sqlite") as study:
        rows = study.work(study.next_task())
        with pytest.raises(ValueError, match="expected the work of version"):
            study.take(rows.replace('"version": "', '"version": "9'))
        with pytest.raises(ValueError, match="expected 1 runs, found 0"):
            study.take('{"task": 0, "version": "%s", "seconds": 0}' % sonde.__version__)
        assert study.done == 0
        study.take(rows)
    with contextlib.closing(sqlite3.connect(tmp_path / "a.sqlite")) as connection:
        connection.execute("UPDATE run SET path = '9-9-9-9-9-9'")
        connection.commit()
    with pytest.raises(ValueError, match="path: expected 11 nodes from 0 to 2"):
        sonde.report(tmp_path / "a.sqlite", tmp_path / "page")
    with pytest.raises(ValueError, match="path: expected 11 nodes from 0 to 2"):
        sonde.Study(tmp_path / "plan.json", tmp_path / "a.sqlite")
    with pytest.raises(ValueError, match="expected a file for the results"):
        sonde.Study(tmp_path / "plan.json", ":memory:")


def test_a_closed_study_is_not_used(tmp_path):
    plan = ROOT / "tests/data/study-small.json"
    study = sonde.Study("paper", tmp_path / "c.sqlite")
    assert not plan.exists() or study.n_task
    study.close()
    with pytest.raises(ValueError, match="closed"):
        study.done


IDLE = [
    dict(search="full", beam=2), dict(search="bounded", k=2), dict(k=2, budget=20),
    dict(probe="center", samples=2), dict(k=2, ngram=3), dict(k=2, members=3),
    dict(search="cluster", branch=2), dict(beam=2, depth=2), dict(method="ward", restarts=3),
    dict(action="deterministic", alpha=3.0), dict(policy_sample=4, members=2, beam=3),
    dict(search="tree", branch=2, k=3), dict(search="tree", budget=40, top=2),
]


@pytest.mark.parametrize("settings", IDLE)
def test_a_setting_without_effect_is_refused_like_the_command_does(settings):
    """The last one that was given is the idle one; both name it."""
    path = ROOT / "examples/models/tmaze.json"
    with pytest.raises(ValueError, match="goes with") as failure:
        sonde.plan(sonde.Model.from_file(path), **settings)
    words = [w for key, value in settings.items()
             for w in (f"--{key.replace('_', '-')}", str(value))]
    said = sentence("plan", path, *words)
    assert "goes with" in said
    name = str(failure.value).split(":")[0]
    assert f"--{name.replace('_', '-')}:" in said


def test_what_a_fallback_uses_is_not_without_effect():
    world = sonde.Graph.random(4, seed=1)
    plan = sonde.plan(world, search="tree", branch=3, fallback="cluster", k=5)
    assert plan.search == "tree"
    with pytest.raises(ValueError, match="k: goes with"):
        sonde.plan(world, search="full", fallback="tree", branch=3, k=5)


def test_settings_of_embeddings_and_clusters_keep_company_too():
    world = sonde.Graph.random(4, seed=1)
    for wrong in (dict(ngram=3), dict(ends=3), dict(embedding="boe", dimension=3)):
        with pytest.raises(ValueError, match="goes with embedding="):
            sonde.embed(world, **wrong)
    with pytest.raises(ValueError, match="goes with method='kmeans'"):
        sonde.cluster(world, 3, method="ward", restarts=3)
    assert sonde.cluster(world, "auto").k > 1


def test_a_setting_of_one_search_means_it():
    model = sonde.Model.from_file(ROOT / "examples/models/tmaze.json")
    assert sonde.plan(model, beam=2).search == "beam"
    assert sonde.plan(model, k=2, depth=2).search == "tree"
    assert sonde.plan(model, fallback="beam", beam=2).search == "bounded"
    assert sonde.plan(model, budget=20).search == "bounded"
    assert sonde.plan(model, search="full", budget=0, members=0, differences=[]).search == "full"
    assert sonde.plan(model, policy_sample=0).search == "bounded"


@pytest.mark.parametrize("settings, search", [
    (dict(), "full"), (dict(k=2), "cluster"), (dict(embedding="boa"), "cluster"),
    (dict(epsilon=0.01), "bounded"), (dict(beam=5), "beam"), (dict(budget=20), "bounded")])
def test_settings_mean_a_search_of_an_agents_too(settings, search):
    agent = sonde.Agent(model=ROOT / "examples/models/tmaze.json", **settings)
    agent.infer_states([0, 0, 0])
    assert f"search {search}" in repr(agent)
    assert "none yet" in repr(agent.decide())
    agent.sample_action()
    assert agent.plan.search == search and "none yet" not in repr(agent.plan)


def test_a_graph_world_wants_a_belief_that_is_certain_and_no_deadline():
    world = sonde.Graph.random(4, seed=1)
    belief = np.zeros(world.model.n_belief if hasattr(world, "model") else world.n_edge)
    belief[0] = 1.0
    assert sonde.plan(world, belief).certificate["tv"] == 0
    belief[:2] = 0.5
    with pytest.raises(ValueError, match="knows the edge"):
        sonde.plan(world, belief)
    with pytest.raises(ValueError, match="concerns general models"):
        sonde.plan(world, deadline=1.0)
