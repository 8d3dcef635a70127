"""A study of quality, small: rows that make sense, the same on any threads, and their report."""
# long
import contextlib
import csv
import json
import os
import pathlib
import sqlite3
import subprocess

import pytest

SONDE = os.environ["SONDE_COMMAND"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
PLAN = {
    "format": "sonde-plan", "version": 1, "name": "small quality", "seed": 5, "steps": 3,
    "judge": 2,
    "worlds": {"sizes": [3, 4], "graphs": 3, "models": [
        {"model": "tmaze", "steps": 2},
        {"model": "mine.json", "name": "mine"},
        {"model": "grid", "name": "broad", "horizon": 4, "gamma": 0.02, "steps": 1}]},
    "conditions": [
        {"group": "quality", "search": "full"},
        {"group": "quality", "search": "bounded", "epsilon": [0.5, 0.01, 1e-6]},
        {"group": "quality", "sizes": [3, 4], "search": "cluster", "embedding": ["boe", "edm"],
         "k": [2, 6], "top": [1, 2]},
        {"group": "quality", "models": ["tmaze", "mine", "broad"], "search": "cluster",
         "embedding": ["boa", "timed"], "k": [2, 6]},
        {"group": "scaling-nodes", "sizes": [5, 20], "search": "bounded", "horizon": [4, 30]},
        {"group": "scaling-horizon", "sizes": [5], "search": "full", "horizon": [2, 4]},
    ],
}


def sonde(folder, *words):
    return subprocess.run([SONDE, *map(str, words)], cwd=folder, capture_output=True, text=True,
                          timeout=300)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Far from the sources: examples are built in, other models are files."""
    place = tmp_path_factory.mktemp("quality")
    model = (ROOT / "examples/models/grid5.json").read_text()
    (place / "mine.json").write_text(model.replace('"horizon": 6', '"horizon": 5'))
    (place / "plan.json").write_text(json.dumps(PLAN))
    for threads in (1, 2):
        done = sonde(place, "study", "plan.json", "--db", f"{threads}.sqlite", "--quiet",
                     "--threads", threads)
        assert done.returncode == 0, done.stderr
    return place


def ask(folder, sql, db="1.sqlite"):
    with contextlib.closing(sqlite3.connect(folder / db)) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(sql)]


RUNS = "SELECT * FROM run JOIN condition USING (condition) ORDER BY condition, size, graph"


def test_threads_change_no_number(folder):
    def plain(db):
        return [{key: value for key, value in row.items() if not key.endswith("_seconds")}
                for sql in (RUNS, "SELECT * FROM world") for row in ask(folder, sql, db)]
    assert plain("1.sqlite") == plain("2.sqlite")


def test_every_condition_ran_everywhere_it_should(folder):
    rows = ask(folder, RUNS)
    assert len(rows) == 4 * 15 + 8 * 6 + 4 * 9 + 2 * 2 * 3 + 2 * 3
    worlds = ask(folder, "SELECT * FROM world")
    assert {w["model"] for w in worlds} == {None, "tmaze", "mine", "broad"}
    assert {(w["size"], w["horizon"]) for w in worlds} == {
        (-1, 2), (-2, 5), (-3, 4), (3, 3), (4, 4), (5, 4), (5, 30), (5, 2), (20, 4), (20, 30)}
    for world in worlds:
        document = json.loads(world["document"])
        assert document["format"] == ("sonde-model" if world["model"] else "sonde-graph")
        assert document["horizon"] == world["horizon"]
    # the same graph whatever the horizon
    edges = {(w["size"], w["graph"]): set() for w in worlds if w["size"] > 0}
    for world in worlds:
        if world["size"] > 0:
            edges[world["size"], world["graph"]].add(
                json.dumps(json.loads(world["document"])["edges"]))
    assert all(len(found) == 1 for found in edges.values())


def test_errors_are_errors(folder):
    for row in ask(folder, RUNS):
        assert (row["optimal"] is None) == (row["size"] < 0)
        assert row["judged"] == 2
        assert 0 <= row["tv"] <= 1 and 0 <= row["action_tv"] <= row["tv"] + 1e-9
        assert row["regret"] >= 0 and 0 <= row["judged_best"] <= 2
        assert (row["judged_best"] == 2) == (row["regret"] < 1e-6)
        assert (row["bound"] is None) == (row["search"] != "bounded")
        if row["search"] == "full":
            assert row["tv"] == row["action_tv"] == row["regret"] == 0 and row["exact"] == "full"
        if row["search"] == "bounded":
            assert row["tv"] <= row["bound"] + 1e-9 and row["bound"] <= row["epsilon"]
    assert any(0.001 < row["tv"] < 0.999 for row in ask(folder, RUNS))


def test_a_broad_posterior_costs_its_size(folder):
    rows = {(row["size"], row["search"], row["epsilon"]): row["judged_equivalent"]
            for row in ask(folder, RUNS) if row["size"] < -1 and row["graph"] == 0}
    merged = rows[-3, "bounded", 1e-6]
    assert rows[-3, "bounded", 0.01] > 0.9 * merged
    assert rows[-2, "bounded", 0.01] < 0.5 * rows[-2, "full", None]


@pytest.fixture(scope="module")
def report(folder):
    done = sonde(folder, "report", "1.sqlite", "-o", "report")
    assert done.returncode == 0, done.stderr
    assert "total variation of 0.01" in done.stdout and "bounded" in done.stdout
    return folder / "report"


def test_the_summary_has_what_the_figures_show(report):
    summary = json.loads((report / "summary.json").read_text())
    groups = {condition["group"] for condition in summary["conditions"]}
    assert {"quality", "scaling-nodes", "scaling-horizon"} <= groups
    places = {cell["place"] for cell in summary["cells"] if "tv" in cell}
    assert {"3 nodes", "4 nodes", "tmaze", "mine", "broad"} <= places
    assert "clusters: edm" in {condition["line"] for condition in summary["conditions"]}
    assert [table["name"] for table in summary["tables"]] == [
        "quality", "scaling", "conditions", "correlation"]
    assert summary["study"]["models"] == ["tmaze", "mine", "broad"]


def test_w2_the_best_of_a_quality_study_has_the_mark_that_is_explained(folder, report):
    text = sonde(folder, "report", "1.sqlite", "-o", "report").stdout
    table, explained = text.split("\n▸ the fewest of its column\n")
    assert table.count("▸") >= 5  # one of each place at least
    assert ">" not in table and "▸" not in explained and "the fewest" not in explained


def test_the_list_has_the_means(folder, report):
    listed = list(csv.DictReader((report / "tables/quality.csv").open()))
    means = ask(folder, """SELECT label, size, count(*) AS n, avg(tv) AS tv, avg(regret) AS regret,
                           avg(judged_equivalent) AS equivalent, avg(bound) AS bound FROM run
                           JOIN condition USING (condition) WHERE grp = 'quality'
                           GROUP BY condition, size""")
    names = {3: "3 nodes", 4: "4 nodes", -1: "tmaze", -2: "mine", -3: "broad"}
    assert len(listed) == len(means)
    by_name = {(row["world"], row["settings"]): row for row in listed}
    for mean in means:
        row = by_name[names[mean["size"]], mean["label"]]
        assert int(row["n"]) == mean["n"] and row["exact"] == "full"
        for key in ("tv", "regret", "equivalent"):
            assert float(row[key]) == pytest.approx(mean[key], rel=1e-9, abs=1e-12)
        assert (row["bound"] == "") == (mean["bound"] is None)


def test_a_model_that_is_missing_is_told(folder):
    plan = dict(PLAN, worlds={"graphs": 1, "models": ["nowhere.json"]},
                conditions=[{"search": "full"}])
    (folder / "missing.json").write_text(json.dumps(plan))
    done = sonde(folder, "study", "missing.json", "--db", "missing.sqlite", "--quiet")
    assert done.returncode == 3 and "nowhere.json" in done.stderr


@pytest.mark.parametrize("line", (ROOT / "lab/TEXTS").read_text().splitlines())
def test_what_is_built_in_is_what_its_file_says(folder, line):
    kind, name, path = line.split()
    document = (ROOT / path).read_text()
    if kind == "plan":
        assert sonde(folder, "study", name, "--show").stdout == document
        return
    # a model is known to plans by its name: the results are those of the file
    rows = []
    for model in (name, str(ROOT / path)):
        plan = dict(PLAN, worlds={"graphs": 1, "models": [{"model": model, "name": "m",
                                                           "horizon": 1, "steps": 1}]},
                    conditions=[{"search": "full"}])
        (folder / "built_in.json").write_text(json.dumps(plan))
        (folder / "built_in.sqlite").unlink(missing_ok=True)
        done = sonde(folder, "study", "built_in.json", "--db", "built_in.sqlite", "--quiet")
        assert done.returncode == 0, done.stderr
        with sqlite3.connect(folder / "built_in.sqlite") as database:
            rows.append(database.execute("SELECT document FROM world").fetchall())
    assert rows[0] == rows[1]
