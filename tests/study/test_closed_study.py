"""Studies of plans that wait for what they see: rows that make sense, and how they are judged."""
import csv
import json
import os
import sqlite3
import subprocess

import pytest

COMMAND = os.environ["SONDE_COMMAND"]
PLAN = {
    "format": "sonde-plan", "version": 1, "name": "small closed", "seed": 5, "judge": 2,
    "judge_loop": "closed",
    "worlds": {"graphs": 3, "models": [{"model": "tmaze95", "horizon": 3, "steps": 3},
                                       {"model": "tiger", "horizon": 3, "steps": 3}]},
    "conditions": [
        {"group": "quality", "search": "full"},
        {"group": "quality", "loop": "closed", "search": "full",
         "backup": ["min", "free-energy", "average"]},
        {"group": "quality", "loop": "closed", "search": "bounded", "backup": "min",
         "epsilon": [0.3, 0.001], "replan": "shrinking"},
        {"group": "quality", "loop": "closed", "search": "full", "replan_every": 3},
        {"group": "quality", "loop": "closed", "search": "pruned", "backup": "average"},
        {"group": "quality", "loop": "closed", "search": ["dpefe", "qmdp"]},
        {"group": "quality", "loop": "closed", "search": "uct", "budget": 300, "rollout": True},
        {"group": "quality", "loop": "closed", "search": "full", "discount": 0.5},
        {"group": "quality", "loop": "closed", "search": "full", "belief_kind": "factorised"},
    ],
}


def run(*words, cwd=None):
    return subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True, check=False,
                          cwd=cwd)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("closed")
    (place / "plan.json").write_text(json.dumps(PLAN))
    for threads in 1, 2:
        done = run("study", "plan.json", "--db", f"{threads}.sqlite", "--threads", threads,
                   "--quiet", cwd=place)
        assert done.returncode == 0, done.stderr
    return place


def rows(path, columns="*", more=""):
    with sqlite3.connect(path) as db:
        db.row_factory = sqlite3.Row
        return [dict(row) for row in db.execute(
            f"SELECT {columns} FROM run JOIN condition USING (condition) {more}")]


def test_threads_change_no_number(folder):
    columns = "condition, size, graph, path, steps, efe, certificate, tv, action_tv, regret, bound"
    assert rows(folder / "1.sqlite", columns) == rows(folder / "2.sqlite", columns)


def test_exact_searches_have_no_error_and_no_regret(folder):
    found = rows(folder / "1.sqlite")
    assert len(found) == 13 * 2 * 3
    exact = [r for r in found if r["search"] == "full" and r["loop"] == "closed"
             and r["belief_kind"] == "joint" and r["replan_every"] == 1 and r["discount"] != 0.5]
    assert len(exact) == 3 * 6
    for row in exact:
        assert row["tv"] < 1e-7 and row["action_tv"] < 1e-7 and row["bound"] < 1e-6
        if row["backup"] == "min":
            assert row["regret"] < 1e-7 and row["judged_best"] == 2
    for row in found:
        assert row["regret"] >= 0 and 0 <= row["tv"] <= 1 and row["exact"] in ("full", "bounded")
        if row["loop"] == "closed":
            assert row["tv"] == row["action_tv"] and row["efe"] is not None
        if row["bound"] is not None and row["discount"] != 0.5 and row["belief_kind"] == "joint":
            assert row["tv"] <= row["bound"] + 1e-9
    blind = [r["regret"] for r in found if r["search"] == "dpefe"]
    assert max(blind) > 0.01  # who believes to know the state does not look


def test_open_loop_is_judged_by_the_loop_that_the_plan_says(folder, tmp_path):
    here = [r for r in rows(folder / "1.sqlite") if r["loop"] == "open"]
    assert here and max(r["tv"] for r in here) > 1e-3
    plan = PLAN | {"conditions": PLAN["conditions"][:1], "judge_loop": "open"}
    (tmp_path / "open.json").write_text(json.dumps(plan))
    assert run("study", tmp_path / "open.json", "--db", tmp_path / "o.sqlite",
               "--quiet").returncode == 0
    assert max(r["tv"] for r in rows(tmp_path / "o.sqlite")) < 1e-9


def test_the_report_has_a_line_for_each_search_and_backup(folder):
    done = run("report", "1.sqlite", "-o", "report", "--quiet", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "closed: bounded, min" in done.stdout and "closed: uct" in done.stdout
    listed = list(csv.DictReader((folder / "report/tables/quality.csv").open()))
    assert {"closed: full, average", "closed: dpefe", "full"} <= {row["search"] for row in listed}
    assert all(float(row["regret"]) >= 0 for row in listed)


@pytest.mark.parametrize("change, sentence", [
    ({"judge_loop": "half"}, "judge_loop"),
    ({"judge": None, "judge_loop": "closed"}, "goes with judge"),
    ({"conditions": [{"search": "qmdp"}]}, "closed loop"),
    ({"conditions": [{"loop": "closed", "search": "beam"}]}, "search"),
    ({"worlds": {"graphs": 1, "sizes": [3]}, "conditions": [{"loop": "closed"}]},
     "general models"),
    ({"conditions": [{"loop": "closed", "search": "uct", "backup": "min"}]}, "backup"),
])
def test_what_does_not_go_together_is_told(tmp_path, change, sentence):
    plan = {key: value for key, value in (PLAN | change).items() if value is not None}
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    done = run("study", tmp_path / "plan.json", "--dry-run", "--quiet")
    assert done.returncode != 0 and sentence in done.stderr


def test_steps_are_kept_where_nothing_is_seen_before_the_first_action(tmp_path):
    plan = PLAN | {"conditions": PLAN["conditions"][1:2], "record_steps": True}
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    done = run("study", tmp_path / "plan.json", "--db", tmp_path / "s.sqlite", "--quiet")
    assert done.returncode == 0, done.stderr
    with sqlite3.connect(tmp_path / "s.sqlite") as db:
        seen = {row[0] for row in db.execute("SELECT outcome FROM step WHERE size = -2")}
    assert seen == {"-1", "0", "1"}
    done = run("report", tmp_path / "s.sqlite", "-o", tmp_path / "report", "--quiet")
    assert done.returncode == 0, done.stderr


def test_the_built_in_study_is_valid():
    done = run("study", "closed", "--dry-run", "--quiet")
    assert done.returncode == 0, done.stderr
