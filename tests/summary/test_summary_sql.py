"""What summary.json says of a study is what SQL, NumPy and SciPy make of its rows, to the digit."""
# once
# long
import json
import math
import os
import sqlite3
import subprocess

import numpy as np
import pytest
from scipy import special, stats

SONDE = os.environ["SONDE_COMMAND"]
CLUSTERS = {"search": "cluster", "scope": ["local", "global"], "embedding": ["edm", "boe", "aboe"],
            "k": [6, 12], "probe": ["center", "sample"], "samples": 3, "k_before": 12}
PLAN = {
    "format": "sonde-plan", "version": 1, "name": "sum", "seed": 5, "judge": 2,
    "worlds": {"sizes": [3, 4], "graphs": 11, "models": ["tmaze"]},
    "conditions": [
        {"group": "table", "sizes": [3, 4], "semantics": ["text", "notebook"], "search": "full",
         "scope": ["local", "global"]},
        {"group": "table", "sizes": [3, 4], "semantics": ["text", "notebook"], **CLUSTERS},
        {"group": "difference", "sizes": [3, 4], "differences": ["lookup", "lag"], **CLUSTERS},
        {"group": "difference", "sizes": [3, 4], "connect": "directed",
         **{key: value for key, value in CLUSTERS.items() if key != "k_before"}},
        {"group": "quality", "search": ["full", "bounded", "random"]},
        {"group": "certified", "sizes": [3, 4], "search": "bounded", "scope": ["local", "global"]},
    ],
}
EXACT = {"rel": 1e-12, "abs": 1e-12}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    place = tmp_path_factory.mktemp("sum")
    (place / "plan.json").write_text(json.dumps(PLAN))
    for words in (["study", "plan.json", "--db", "sum.sqlite", "--quiet"],
                  ["report", "sum.sqlite", "-o", "report"]):
        done = subprocess.run([SONDE, *words], cwd=place, capture_output=True, text=True,
                              timeout=280)
        assert done.returncode == 0, done.stderr
    database = sqlite3.connect(place / "sum.sqlite")
    database.row_factory = sqlite3.Row
    return json.loads((place / "report" / "summary.json").read_text()), database


def rows_of(database, cell):
    return database.execute("SELECT * FROM run WHERE condition = ? AND size = ? ORDER BY graph",
                            (cell["condition"], cell["size"])).fetchall()


def wilson(count, n):
    z = stats.norm.ppf(0.975)
    share = count / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return (0.0 if count == 0 else 100 * (middle - half),
            100.0 if count == n else 100 * (middle + half))


def student(freedom):
    """The 97.5 % point; scipy.stats.t.ppf has nine digits of it, the incomplete beta all."""
    return math.sqrt(freedom * (1 / special.betaincinv(freedom / 2, 0.5, 0.05) - 1))


def per(row, value):
    return row[value] / row["decisions"]


JUDGED = {"tv", "action_tv", "bound", "regret", "best", "judged_equivalent", "judged_with_setup"}
SHARES = {"valid": 100, "best": 100, "certificate": 1}
ANY = {"efe", "surprise", "free_energy", "preference"}  # of either sign
MEASURES = {
    "steps": lambda r: per(r, "steps"),
    "equivalent": lambda r: per(r, "equivalent"),
    "seconds": lambda r: per(r, "decide_seconds"),
    "construction": lambda r: (r["embed_seconds"] + r["cluster_seconds"]
                               if r["clusterings"] > 0 and r["reused"] == 0 else None),
    "valid": lambda r: 100 * r["valid"] / r["k"] if r["k"] else None,
    "setup_seconds": lambda r: r["setup_seconds"] + r["embed_seconds"] + r["cluster_seconds"],
    "setup_steps": lambda r: r["setup_steps"],
    "first_seconds": lambda r: (r["setup_seconds"] + r["embed_seconds"] + r["cluster_seconds"]
                                + per(r, "decide_seconds")),
    "first_equivalent": lambda r: per(r, "equivalent") * (1 + r["setup_steps"] / per(r, "steps")),
    "judged_equivalent": lambda r: r["judged_equivalent"],
    "judged_with_setup": lambda r: (r["judged_equivalent"]
                                    + r["equivalent"] / r["steps"] * r["setup_steps"]),
    "tv": lambda r: r["tv"],
    "action_tv": lambda r: r["action_tv"],
    "bound": lambda r: r["bound"],
    "regret": lambda r: r["regret"],
    "best": lambda r: 100 * r["judged_best"] / r["judged"],
    "efe": lambda r: r["efe"],
    "certificate": lambda r: r["certificate"],
    "surprise": lambda r: r["surprise"] if r["model"] else None,
    "free_energy": lambda r: r["free_energy"] if r["model"] else None,
    "preference": lambda r: r["preference"],
}


def estimate(values, name):
    """n, mean, low, high, median, median_low, median_high, least, most."""
    values = np.sort(np.array(values, dtype=float))
    n, mean = len(values), values.mean()
    low = high = None
    if n > 1:
        half = student(n - 1) * stats.sem(values)
        low, high = mean - half, mean + half
        if name not in JUDGED | SHARES.keys() | ANY or name.startswith("judged_"):
            if mean > 0:
                low, high = mean * math.exp(-half / mean), mean * math.exp(half / mean)
        if name in SHARES:
            low, high = max(low, 0), min(high, SHARES[name])
    rank = int(stats.binom.ppf(0.025, n, 0.5))
    rank -= stats.binom.cdf(rank, n, 0.5) > 0.025
    ends = [values[rank], values[n - 1 - rank]] if rank >= 0 else [None, None]
    return [n, mean, low, high, np.median(values), *ends, values[0], values[-1]]


def test_every_run_is_in_one_cell(made):
    summary, database = made
    total = database.execute("SELECT count(*) FROM run").fetchone()[0]
    assert sum(cell["runs"] for cell in summary["cells"]) == summary["study"]["runs"] == total
    for cell in summary["cells"]:
        rows = rows_of(database, cell)
        assert len(rows) == cell["runs"]
        here = slice(cell["first"], cell["first"] + cell["runs"])
        columns = summary["runs"]
        assert columns["graph"][here] == [row["graph"] for row in rows]
        assert columns["path"][here] == [row["path"] for row in rows]
        assert columns["steps"][here] == [row["steps"] for row in rows]
        assert columns["decisions"][here] == [row["decisions"] for row in rows]
        if cell["size"] > 0:
            assert columns["walked"][here] == [row["walked"] for row in rows]
            assert columns["reached"][here] == [row["reached"] for row in rows]
            assert [summary["failures"][i] for i in columns["failure"][here]] == [
                row["failure"] for row in rows]


def test_shares_have_wilsons_interval(made):
    summary, database = made
    seen = 0
    for cell in summary["cells"]:
        rows = rows_of(database, cell)
        if cell["size"] < 0:
            assert "optimal" not in cell
            continue
        count = sum(row["optimal"] for row in rows)
        assert cell["optimal"] == pytest.approx(
            [100 * count / len(rows), *wilson(count, len(rows))], **EXACT)
        assert cell["failures"] == [sum(row["failure"] == name for row in rows)
                                    for name in summary["failures"]]
        seen += 1
    assert seen > 200


def test_every_measure_has_students_interval_and_an_interval_of_its_median(made):
    summary, database = made
    seen = set()
    for cell in summary["cells"]:
        rows = rows_of(database, cell)
        for name, measure in MEASURES.items():
            values = [measure(row) for row in rows
                      if name not in JUDGED or row["judged"] is not None]
            values = [value for value in values if value is not None]
            if not values:
                assert name not in cell
                continue
            seen.add(name)
            wanted = estimate(values, name)
            assert len(cell[name]) == len(wanted) == len(summary["estimate"])
            for found, number, what in zip(cell[name], wanted, summary["estimate"]):
                if number is None:
                    assert found is None, (name, what)
                else:
                    assert found == pytest.approx(number, rel=1e-11, abs=1e-13), (name, what)
    assert seen == set(MEASURES)


def test_table_1_is_counted_from_the_rows(made):
    summary, database = made
    sql = """SELECT sum(optimal), count(*) FROM run JOIN condition USING (condition)
             WHERE grp = 'table' AND semantics = ? AND scope = ? AND size = ? AND {}"""
    for cell in summary["table1"]["cells"]:
        for semantics in ("notebook", "text"):
            if cell["embedding"] == "none":
                which, more = "search = 'full'", ()
            else:
                which = "embedding = ? AND condition.k = ? AND probe = ?"
                more = (cell["embedding"], cell["k"], "center" if cell["n"] == 1 else "sample")
            row = (semantics, cell["scope"], cell["size"], *more)
            optimal, n = database.execute(sql.format(f"search != '' AND {which}"), row).fetchone()
            assert (cell[semantics]["optimal"], cell[semantics]["graphs"]) == (optimal, n)
            assert cell[semantics]["percent"] == pytest.approx(
                [100 * optimal / n, *wilson(optimal, n)], **EXACT)
        paper, share = cell["paper"], cell["notebook"]["percent"][0] / 100
        tails = (stats.binom.cdf(paper["optimal"], paper["graphs"], share),
                 stats.binom.sf(paper["optimal"] - 1, paper["graphs"], share))
        assert cell["outside"] == (min(tails) < 0.025)
    inside = [not cell["outside"] for cell in summary["table1"]["cells"]]
    assert summary["table1"]["inside"] == sum(inside)
    assert summary["table1"]["compared"] == len(inside) == 52


def test_differences_have_the_sign_test_or_newcombes_interval(made):
    summary, database = made
    assert {one["difference"] for one in summary["differences"]} == {
        "lookup", "lag", "directed", "notebook"}
    for one in summary["differences"]:
        before, after = (
            {row["graph"]: row["optimal"] for row in rows_of(database, {
                "condition": one[side], "size": one["size"]})} for side in ("before", "after"))
        p1, p2 = np.mean(list(before.values())), np.mean(list(after.values()))
        assert one["change"] == pytest.approx(100 * (p2 - p1), **EXACT)
        l1, u1 = (share / 100 for share in wilson(sum(before.values()), len(before)))
        l2, u2 = (share / 100 for share in wilson(sum(after.values()), len(after)))
        low = 100 * (p2 - p1 - math.hypot(p2 - l2, u1 - p1))
        high = 100 * (p2 - p1 + math.hypot(u2 - p2, p1 - l1))
        assert (one["low"], one["high"]) == pytest.approx((low, high), **EXACT)
        if one["difference"] == "directed":
            assert one["p"] is None and one["clear"] == (low > 0 or high < 0)
            continue
        better = sum(after[graph] > before[graph] for graph in before)
        worse = sum(after[graph] < before[graph] for graph in before)
        p = stats.binomtest(better, better + worse).pvalue if better + worse else 1.0
        assert one["p"] == pytest.approx(p, rel=1e-9)
        assert one["clear"] == (p < 0.05)


def test_what_a_decision_costs_is_a_median_of_rows(made):
    summary, database = made
    sql = """SELECT decide_seconds / decisions AS seconds, 1.0 * steps / decisions AS steps
             FROM run JOIN condition USING (condition)
             WHERE grp = 'table' AND scope = ? AND size = ? AND {}"""
    sides = {"full": "search = 'full'", "text": "search = 'cluster' AND semantics = 'text'",
             "notebook": "search = 'cluster' AND semantics = 'notebook'"}
    assert len(summary["speed"]) == 4
    for row in summary["speed"]:
        for side, which in sides.items():
            found = database.execute(sql.format(which), (row["scope"], row["size"])).fetchall()
            assert row[side]["n"] == len(found)
            assert row[side]["seconds"] == pytest.approx(np.median([r[0] for r in found]), **EXACT)
            assert row[side]["steps"] == pytest.approx(np.mean([r[1] for r in found]), rel=1e-12)


def test_a_correlation_is_pearsons(made):
    summary, _ = made
    seen = 0
    for chosen in summary["chosen"]:
        for space in chosen["spaces"]:
            for k in ("k12", "k100"):
                pairs = [(a, b) for a, b in zip(space[k]["representative"], space[k]["mean"])
                         if a is not None and b is not None]
                if space[k]["r"] is not None:
                    assert space[k]["r"] == pytest.approx(np.corrcoef(*zip(*pairs))[0, 1], rel=1e-9)
                    seen += 1
            assert len(space["x"]) == len(space["y"]) == len(space["efe"]) == len(space["cluster"])
    assert seen >= 6


def test_the_certified_group_is_a_row_of_its_own(made):
    summary, _ = made
    groups = {summary["conditions"][cell["condition"]]["group"] for cell in summary["cells"]
              if summary["conditions"][cell["condition"]]["search"] == "bounded"}
    assert groups == {"certified", "quality"}
    assert all(cell["embedding"] != "bounded" for cell in summary["table1"]["cells"])
