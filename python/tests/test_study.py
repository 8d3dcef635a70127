"""Rows of a study as arrays: what the SQLite file has, column by column."""
import contextlib
import json
import sqlite3
import sys
import types

import numpy as np
import pytest

import sonde

PLAN = {"format": "sonde-plan", "version": 1, "name": "own", "seed": 4, "steps": 3,
        "worlds": {"sizes": [3], "models": ["tmaze", "bandit"], "graphs": 2},
        "conditions": [{"search": ["full", "bounded"]}]}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    (folder / "plan.json").write_text(json.dumps(PLAN))
    sonde.study(folder / "plan.json", folder / "a.sqlite", record_steps=True).close()
    return folder


def rows(place, sql):
    with contextlib.closing(sqlite3.connect(place / "a.sqlite")) as database:
        return database.execute(sql).fetchall()


def test_steps_are_read_back_as_arrays_while_the_file_is_held(place):
    with sonde.Study(place / "plan.json", place / "a.sqlite", record_steps=True) as study:
        steps = study.steps()
    kept = rows(place, "SELECT model, s.step, s.state, s.outcome, s.action, s.belief, s.p, s.efe, "
                "s.tv, s.surprise FROM step s JOIN run USING (condition, size, graph) "
                "ORDER BY condition, size, graph, step")
    assert len(kept) == len(steps["p"]) == 2 * 2 * 3 * 3
    for i, (model, step, state, outcome, action, belief, p, efe, tv, surprise) in enumerate(kept):
        assert (steps["model"][i], steps["step"][i]) == (model, step)
        for name, text in (("state", state), ("outcome", outcome), ("action", action)):
            assert steps[name][i] == tuple(map(int, text.split("/")))
        assert [steps[name][i] for name in ("p", "efe", "surprise")] == [p, efe, surprise]
        assert np.isnan(steps["tv"][i]) if tv is None else steps["tv"][i] == tv
        if belief is None:
            assert steps["belief"][i] is None
        else:
            assert [list(factor) for factor in steps["belief"][i]] == json.loads(belief)
    here = (steps["model"] == "tmaze") & (steps["label"] == steps["label"][0])
    assert np.stack(steps["outcome"][here]).shape == (6, 3)
    assert steps["cost"].dtype == float and steps["step"].dtype == np.int64


def test_runs_have_the_names_of_their_models_and_conditions(place):
    with sonde.Study(place / "plan.json", place / "a.sqlite", record_steps=True) as study:
        runs = study.runs()
        labels = [label for _, label in study.conditions]
    kept = rows(place, "SELECT model, condition, efe, preference FROM run "
                "ORDER BY condition, size, graph")
    assert list(runs["model"]) == [model for model, *_ in kept]
    assert list(runs["label"]) == [labels[condition] for _, condition, *_ in kept]
    assert list(runs["efe"]) == [efe for *_, efe, _ in kept]
    assert [None if np.isnan(value) else value for value in runs["preference"]] \
        == [preference for *_, preference in kept]


def test_a_frame_is_pandas_and_pandas_is_asked_for_then_alone(place, monkeypatch):
    stand_in = types.ModuleType("pandas")
    stand_in.DataFrame = dict
    monkeypatch.setitem(sys.modules, "pandas", stand_in)
    with sonde.Study(place / "plan.json", place / "a.sqlite", record_steps=True) as study:
        steps = study.steps()
    assert list(steps.frame()) == list(steps)


def test_a_real_frame_groups_by_outcomes(place):
    pytest.importorskip("pandas")
    with sonde.Study(place / "plan.json", place / "a.sqlite", record_steps=True) as study:
        frame = study.steps().frame()
    assert frame.groupby(["model", "outcome"]).efe.mean().notna().all()


def test_steps_that_were_not_recorded_are_refused_by_name(place, tmp_path):
    with sonde.Study(place / "plan.json", tmp_path / "b.sqlite") as study:
        with pytest.raises(ValueError, match="record_steps=True"):
            study.steps()
    with pytest.raises(sonde.BadInput, match="was begun with steps recorded"):
        sonde.Study(place / "plan.json", place / "a.sqlite")
