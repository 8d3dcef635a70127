"""What a study keeps of every step is what a simulation of the same seed lives through."""
import contextlib
import json
import math
import os
import pathlib
import sqlite3
import subprocess

import pytest

SONDE = str(pathlib.Path(os.environ["SONDE_COMMAND"]).resolve())
MODELS = pathlib.Path(__file__).resolve().parents[2] / "examples" / "models"
PLAN = {
    "format": "sonde-plan", "version": 1, "name": "steps", "seed": 3, "steps": 5,
    "record_steps": True,
    "worlds": {"sizes": [4], "graphs": 2,
               "models": ["tmaze", {"model": "chaining", "name": "my grid", "steps": 4}]},
    "conditions": [{"search": ["full", "bounded"], "sizes": [4], "models": ["tmaze"]},
                   {"search": "bounded", "replan_every": 2, "models": ["tmaze", "my grid"]}],
}
COLUMNS = ("state, outcome, action, belief, p, surprise, free_energy, complexity, accuracy, "
           "followed, policies, steps, equivalent, efe, risk, ambiguity, cost, tv")


def sonde(*words, cwd, code=0):
    done = subprocess.run([SONDE, *words], cwd=cwd, capture_output=True, text=True, timeout=100)
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


def query(path, sql, *values):
    with contextlib.closing(sqlite3.connect(path)) as database:
        return database.execute(sql, values).fetchall()


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    place = tmp_path_factory.mktemp("steps")
    (place / "plan.json").write_text(json.dumps(PLAN))
    sonde("study", "plan.json", "--db", "a.sqlite", "--quiet", cwd=place)
    return place


def joined(numbers):
    return "/".join(str(number) for number in numbers)


@pytest.mark.parametrize("condition, model, file, more", [
    (0, -1, "tmaze.json", ["--search", "full", "--steps", "5"]),
    (1, -1, "tmaze.json", ["--steps", "5"]),
    (2, -1, "tmaze.json", ["--replan-every", "2", "--steps", "5"]),
    (2, -2, "chaining.json", ["--replan-every", "2", "--steps", "4"]),
])
@pytest.mark.parametrize("graph", [0, 1])
def test_steps_of_a_model_are_those_of_a_simulation_with_its_seed(made, condition, model, file,
                                                                  more, graph):
    (seed,), = query(made / "a.sqlite", "SELECT seed FROM world WHERE size = ? AND graph = ?",
                     model, graph)
    lived = json.loads(sonde("simulate", str(MODELS / file), *more, "--seed", str(seed), "--json",
                             cwd=made))
    kept = query(made / "a.sqlite", f"SELECT {COLUMNS} FROM step WHERE condition = ? AND size = ? "
                 "AND graph = ? ORDER BY step", condition, model, graph)
    assert len(kept) == len(lived["steps"])
    for t, (row, step) in enumerate(zip(kept, lived["steps"])):
        assert row[0] == joined(lived["path"][t])
        assert row[1] == joined(lived["outcomes"][t])
        assert row[2] == joined(step["action"]["actions"])
        assert json.loads(row[3]) == step["belief"]
        assert list(row[4:9]) == [step[key] for key in ("p", "surprise", "free_energy",
                                                        "complexity", "accuracy")]
        assert row[9] == step["followed"]
        assert row[10:13] == tuple(step["evaluations"][key] for key in ("policies", "steps",
                                                                        "equivalent"))
        # nothing is scored while a plan is followed
        assert (row[13] is None) == (step["followed"] > 0)
        if row[13] is not None:
            assert row[13] == pytest.approx(sum(row[14:17]), rel=1e-12)
        assert (row[17] is None) == (condition == 0 or step["followed"] > 0)


def test_the_first_decision_of_a_run_has_the_G_and_the_certificate_that_plan_gives(made):
    for condition, search in ((0, "full"), (1, "bounded")):
        planned = json.loads(sonde("plan", str(MODELS / "tmaze.json"), "--search", search, "--json",
                                   "--observe", "0,0,0", cwd=made))
        (efe, tv), = query(made / "a.sqlite", "SELECT efe, tv FROM step WHERE condition = ? AND "
                           "size = -1 AND graph = 0 AND step = 0", condition)
        assert efe == planned["best"]["efe"]
        assert tv == (planned["certificate"] or {"tv": None})["tv"]


def test_steps_in_a_graph_world_walk_along_its_edges(made):
    for graph in (0, 1):
        (document,), = query(made / "a.sqlite", "SELECT document FROM world WHERE size = 4 AND "
                             "graph = ?", graph)
        (path,), = query(made / "a.sqlite", "SELECT path FROM run WHERE condition = 0 AND size = 4 "
                         "AND graph = ?", graph)
        n_node = json.loads(document)["nodes"]
        kept = query(made / "a.sqlite", "SELECT state, outcome, action, belief FROM step WHERE "
                     "condition = 0 AND size = 4 AND graph = ? ORDER BY step", graph)
        assert len(path.split("-")) == len(kept) + 1 and n_node == 4
        for t, (state, outcome, action, belief) in enumerate(kept):
            assert state == outcome and belief is None
            assert t == 0 or state == kept[t - 1][2]  # where the last action led


def test_a_run_has_the_name_of_its_model_and_the_means_of_its_steps(made):
    means = query(made / "a.sqlite", "SELECT r.model, r.efe, avg(s.efe), r.certificate, avg(s.tv), "
                  "r.surprise, avg(s.surprise), r.free_energy, avg(s.free_energy), r.size, "
                  "r.preference FROM run r JOIN step s USING (condition, size, graph) "
                  "GROUP BY condition, size, graph")
    assert len(means) == 2 * 2 * 2 + 2 * 2
    for model, *pairs, size, preference in means:
        assert model == {4: None, -1: "tmaze", -2: "my grid"}[size]
        for run, steps in zip(pairs[::2], pairs[1::2]):
            assert run == (None if steps is None else pytest.approx(steps, rel=1e-12, abs=1e-15))
        assert (preference is None) == (size > 0)


def test_preference_is_the_mean_log_of_C_of_what_was_seen(made):
    document = json.loads((MODELS / "tmaze.json").read_text())
    logs = [[c - math.log(sum(math.exp(x) for x in row)) for c in row] for row in document["C"]]
    for graph in (0, 1):
        seen = query(made / "a.sqlite", "SELECT outcome FROM step WHERE condition = 0 AND "
                     "size = -1 AND graph = ?", graph)
        wanted = [sum(logs[m][int(o)] for m, o in enumerate(row.split("/"))) for row, in seen]
        (found,), = query(made / "a.sqlite", "SELECT preference FROM run WHERE condition = 0 AND "
                          "size = -1 AND graph = ?", graph)
        assert found == pytest.approx(sum(wanted) / len(wanted), rel=1e-12)


def test_the_option_records_what_the_key_records_and_nothing_is_recorded_without(made, tmp_path):
    plain = {key: value for key, value in PLAN.items() if key != "record_steps"}
    (tmp_path / "plan.json").write_text(json.dumps(plain))
    sonde("study", "plan.json", "--db", "with.sqlite", "--record-steps", "--quiet", cwd=tmp_path)
    sonde("study", "plan.json", "--db", "without.sqlite", "--quiet", cwd=tmp_path)
    everything = "SELECT * FROM step ORDER BY 1, 2, 3, 4"
    assert query(tmp_path / "with.sqlite", everything) == query(made / "a.sqlite", everything)
    assert query(tmp_path / "without.sqlite", everything) == []
    # a study goes on as it was begun
    for file, more in (("with.sqlite", []), ("without.sqlite", ["--record-steps"])):
        said = sonde("study", "plan.json", "--db", file, "--quiet", *more, cwd=tmp_path, code=3)
        assert "was begun with" in said and "choose another file" in said


def test_results_of_schema_4_are_refused_with_what_to_do(tmp_path):
    with contextlib.closing(sqlite3.connect(tmp_path / "old.sqlite")) as database:
        database.executescript(
            "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
            "INSERT INTO meta VALUES ('format', 'sonde-study'), ('schema', '4');"
            "PRAGMA user_version = 4;")
    said = sonde("report", "old.sqlite", "-o", "report", cwd=tmp_path, code=3)
    assert "expected results of schema 6, found 4; another version of sonde made it: read it " \
        "with that version, or run its plan again into another file" in said
