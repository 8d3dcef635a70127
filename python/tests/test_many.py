"""Many agents at once: each of them is the one that sonde.simulate gives."""
import os
import signal
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest
from conftest import ROOT, random_arrays, timeless

import sonde

ARRAYS = ("states", "outcomes", "actions", "beliefs", "p", "surprise", "n_policy", "equivalent")


@pytest.fixture
def model():
    return sonde.Model(**random_arrays(np.random.default_rng(4)), horizon=3)


def same(one, other):
    for name in ARRAYS:
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert timeless(one.to_json()) == timeless(other.to_json())


def test_each_run_is_that_of_simulate(model):
    graph = sonde.Graph.random(5, seed=1)
    runs = sonde.simulate_many([model, graph], 3, 4, search=["bounded", "cluster"], gamma=[1, 3])
    assert len(runs) == 2 * 2 * 2 * 3
    for run, trial in zip(runs, runs.trials):
        world = model if trial.name == 0 else graph
        same(run, sonde.simulate(world, 4, seed=trial.seed, **trial.varied))


def test_runs_are_in_the_order_of_models_settings_and_seeds(model):
    runs = sonde.simulate_many({"a": model, "b": model}, [5, 3], 2, search=["full", "beam"],
                               horizon=[2, 3])
    assert [(t.name, *t.varied.values(), t.seed) for t in runs.trials] == [
        (name, search, horizon, seed) for name in "ab" for search in ("full", "beam")
        for horizon in (2, 3) for seed in (5, 3)]
    assert list(runs.trials[0].varied) == ["search", "horizon"]
    assert runs[2].model.horizon == 3 and repr(runs.trials[2]) == (
        "model 'a', search 'full', horizon 3, seed 5")
    assert [len(run) for run in runs[1:3]] == [2, 2] and len(runs[-1]) == 2


def test_settings_that_go_together_are_a_list(model):
    runs = sonde.simulate_many(model, 2, 2, settings=[{"search": "full"},
                                                      {"search": "cluster", "k": 3}], gamma=[1, 2])
    assert [tuple(t.varied.values()) for t in runs.trials[::2]] == [
        ("full", 1, None), ("full", 2, None), ("cluster", 1, 3), ("cluster", 2, 3)]
    one = sonde.simulate_many(model, 1, 2, settings={"search": "full"})
    assert one.trials[0].varied == {} and one.trials[0].settings["search"] == "full"


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_the_number_of_threads_changes_no_byte(model, threads):
    alone = sonde.simulate_many(model, 9, 5, search="cluster", k=4, threads=3)
    for one, other in zip(alone, sonde.simulate_many(model, 9, 5, search="cluster", k=4,
                                                     threads=threads)):
        same(one, other)


def test_a_file_is_completed_by_each_seed(tmp_path):
    (tmp_path / "w.json").write_text('{"format": "sonde-graph", "version": 1, "nodes": 4, "edges": '
                                     '[[0, 1, 5], [1, 2, 5], [2, 3, 5], [3, 0, 5]]}')
    runs = sonde.simulate_many(tmp_path / "w.json", 5, 3)
    assert runs.trials[0].name.endswith("w.json")
    for run, trial in zip(runs, runs.trials):
        same(run, sonde.simulate(tmp_path / "w.json", 3, seed=trial.seed))
    assert len({tuple(run.path.tolist()) for run in runs}) > 1


def test_the_habits_of_a_model_and_another_world_come_along(model):
    other = model.replace(D=[[0, 0, 1], [0, 1]])
    habits = {key: value for key, value in sonde.like("pymdp").items()}
    runs = sonde.simulate_many(model, 3, 4, process=other, **habits)
    for run, trial in zip(runs, runs.trials):
        same(run, sonde.simulate(model, 4, process=other, seed=trial.seed, **habits))
        assert run.states[0].tolist() == [2, 1]


def test_a_run_that_fails_is_named_and_leaves_the_others_alone(model):
    with pytest.warns(RuntimeWarning, match=r"3 of 6 runs failed; the first, run 3 \(model 0, "
                                            r"horizon 60, seed 1\): full search: there are"):
        runs = sonde.simulate_many(model, 3, 2, search="full", horizon=[2, 60])
    assert sorted(runs.errors) == [3, 4, 5] and isinstance(runs.errors[3], sonde.TooLarge)
    same(runs[0], sonde.simulate(model, 2, search="full", horizon=2, seed=1))
    with pytest.raises(sonde.TooLarge, match="there are"):
        runs[4]
    columns = runs.columns()
    assert columns["error"][:3] == [None] * 3 and "there are" in columns["error"][5]
    assert columns["log_evidence"][4] is None and "3 failed" in repr(runs)


def test_what_is_no_setting_is_refused_before_anything_runs(model):
    for wrong, error, words in [({"seed": 3}, sonde.BadInput, "seed: there are several"),
                                ({"keep": 3}, sonde.BadInput, "keep: goes with plan"),
                                ({"fancy": 1}, TypeError, "no setting 'fancy'"),
                                ({"search": ["full", "fast"]}, sonde.BadInput, "found \"fast\""),
                                ({"gamma": [1, -1]}, sonde.BadInput, "gamma: .* found .-1"),
                                ({"search": []}, sonde.BadInput, "expected models and settings"),
                                ({"seeds": []}, sonde.BadInput, "seeds: expected how many")]:
        with pytest.raises(error, match=words):
            sonde.simulate_many(model, **({"seeds": 2} | wrong))


def test_progress_counts_runs(model):
    told = []
    sonde.simulate_many(model, 5, 2, threads=2, progress=lambda *what: told.append(what))
    assert told[-1] == ("simulating", 5, 5)
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)

    def raises(*what):
        raise KeyError("mine")

    with pytest.raises(KeyError):
        sonde.simulate_many(model, 50, 2, progress=raises)


@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="of signals")
def test_ctrl_c_ends_all_runs():
    code = """
import signal
import sonde
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell may have us ignore
model = sonde.Model.from_file("examples/models/tmaze.json", horizon=10)
print("ready", flush=True)
try:
    sonde.simulate_many(model, 100000, 1000, search="full")
except KeyboardInterrupt:
    print("stopped")
"""
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE,
                          text=True) as process:
        assert process.stdout.readline() == "ready\n"
        threading.Event().wait(0.5)
        os.kill(process.pid, signal.SIGINT)
        assert process.communicate(timeout=60)[0] == "stopped\n"


def test_parts_of_ones_own_and_environments_run_too(model):
    def everything(space):
        yield np.arange(len(space))

    told = []
    runs = sonde.simulate_many(model, 2, 3, search=[everything, "full"],
                               progress=lambda *what: told.append(what))
    for own, full in zip(runs[:2], runs[2:]):
        for name in ARRAYS[:6]:
            assert np.array_equal(getattr(own, name), getattr(full, name))
    assert told[-1] == ("simulating", 4, 4)
    lived = sonde.simulate_many(model, 2, 3, process=sonde.env.Env(model))
    assert np.array_equal(lived[1].states, sonde.simulate(model, 3, seed=2).states)
    assert lived.columns()["reward"][0] == lived[0].rewards.sum()

    def broken(space):
        raise KeyError("mine")
        yield

    with pytest.warns(RuntimeWarning, match="1 of 2 runs failed"):
        runs = sonde.simulate_many(model, 1, 3, search=[broken, "full"])
    assert isinstance(runs.errors[0], KeyError)


def test_columns_are_a_table_without_any_package(model):
    graph = sonde.Graph.random(4, seed=1)
    columns = sonde.simulate_many({"m": model, "g": graph}, 2, 3, gamma=[1, 2]).columns()
    assert list(columns)[:3] == ["model", "gamma", "seed"] and list(columns)[-1] == "error"
    assert {len(column) for column in columns.values()} == {8}
    assert columns["model"] == ["m"] * 4 + ["g"] * 4 and columns["optimal"][:4] == [None] * 4
    assert columns["optimal"][4] in (True, False)
    lived = sonde.simulate(model, 3, seed=1, gamma=1)
    assert columns["log_evidence"][0] == pytest.approx(lived["log_evidence"], abs=1e-12)


@pytest.mark.parametrize("method, module", [("frame", "pandas"), ("to_xarray", "xarray")])
def test_a_package_that_is_not_there_is_named(model, monkeypatch, method, module):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=f"{method} needs {module}, which is not installed"):
        getattr(sonde.simulate_many(model, 1, 2), method)()


def test_a_frame_has_a_row_for_each_run_or_for_each_step(model):
    pytest.importorskip("pandas")
    runs = sonde.simulate_many(model, 4, 3, search=["full", "cluster"])
    frame = runs.frame()
    assert len(frame) == 8 and frame.index.name == "run"
    assert frame["search"].tolist() == ["full"] * 4 + ["cluster"] * 4
    steps = runs.frame(steps=True)
    assert len(steps) == 24 and steps["step"].tolist() == [0, 1, 2] * 8
    for name, array in [("outcome", runs[5].outcomes), ("action", runs[5].actions)]:
        chosen = steps[steps["run"] == 5][[f"{name}_0", f"{name}_1"]]
        assert np.array_equal(chosen.to_numpy(), array)
    assert np.array_equal(steps[steps["run"] == 2]["surprise"], runs[2].surprise)


def test_a_dataset_has_arrays_over_runs_and_steps(model):
    pytest.importorskip("xarray")
    runs = sonde.simulate_many(model, 4, 3, gamma=[1.0, 2.0])
    data = runs.to_xarray()
    assert dict(data.sizes) == {"run": 8, "step": 3, "modality": 2, "factor": 2, "number": 5}
    assert np.array_equal(data["belief"].sel(run=6), runs[6].beliefs)
    assert np.array_equal(data["outcome"][3], runs[3].outcomes)
    assert data["gamma"].values.tolist() == [1.0] * 4 + [2.0] * 4
    with pytest.raises(sonde.BadInput, match="expected models of one size"):
        sonde.simulate_many([model, sonde.Graph.random(4, seed=1)], 1, 2).to_xarray()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        failed = sonde.simulate_many(model, 1, 2, search="full", horizon=60)
    with pytest.raises(sonde.BadInput, match="every run failed"):
        failed.to_xarray()
