"""Closed loop against numbers that other programs made (tests/data/closed)."""

import json
import math
import os
import subprocess
from pathlib import Path

import pytest

COMMAND = os.environ["SONDE_COMMAND"]
DATA = Path(os.environ["SONDE_TEST_DATA"]) / "closed"
BACKUPS = ("min", "average", "free-energy")


def read(name):
    return json.loads((DATA / name).read_text())


def plan(path, *options):
    done = subprocess.run(
        [COMMAND, "plan", str(path), "--loop", "closed", "--json", *map(str, options)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def number_of(document, action):
    """The number of a tuple of actions, the last factor fastest."""
    number = 0
    for factor, own in zip(document["factors"], action["actions"]):
        n = factor["actions"]
        number = number * (n if isinstance(n, int) else len(n)) + own
    return number


def shape(array):
    return (len(array), *shape(array[0])) if isinstance(array, list) else ()


def document_of(model):
    """A fixture with pymdp's arrays as a sonde-model document."""
    f = read(model)
    factors = [
        {"states": len(b), "actions": shape(b)[-1], "depends": depends}
        for b, depends in zip(f["B"], f["B_dependencies"])
    ]
    modalities = [
        {"outcomes": len(a), "factors": depends} for a, depends in zip(f["A"], f["A_dependencies"])
    ]
    return {
        "format": "sonde-model", "version": 1, "factors": factors, "modalities": modalities,
        "A": f["A"], "B": f["B"], "C": f["C"], "D": f["D"], "policies": "all", "horizon": 1,
    }


def assert_answers(document, answer, expected, tolerance=1e-9):
    """G inside its interval and at its middle, V inside its own, the posterior as expected."""
    seen = {number_of(document, a["action"]): a for a in answer["first_actions"]}
    for u, g in enumerate(expected["G"]):
        if g is None:
            assert u not in seen
            continue
        low, high = seen[u]["efe"]
        assert low <= g <= high
        assert abs((low + high) / 2 - g) <= tolerance * max(1, abs(g))
        if "q" in expected:
            assert abs(seen[u]["p"] - expected["q"][u]) <= tolerance
            assert seen[u]["p_range"][0] <= expected["q"][u] <= seen[u]["p_range"][1]
    low, high = answer["value"]
    assert low <= expected["V"] <= high


EXACT = read("closed-exact.json")


@pytest.mark.parametrize("search", ("full", "auto"))
@pytest.mark.parametrize("case", EXACT["on_fixture_models"],
                         ids=lambda c: f"{c['model']}-{c['horizon']}")
def test_the_exact_recursion_on_models_of_others(tmp_path, case, search):
    document = document_of(case["model"].removesuffix(".json") + ".json")
    document["horizon"] = case["horizon"]
    for key in ("preferences", "information", "gamma"):
        document[key] = case[key]
    (tmp_path / "model.json").write_text(json.dumps(document))
    for backup in BACKUPS:
        answer = plan(tmp_path / "model.json", "--backup", backup, "--search", search)
        assert answer["search"] == "full"
        assert_answers(document, answer, case[backup])


@pytest.mark.parametrize("case", EXACT["own_models"],
                         ids=lambda c: c["document"]["name"].replace(" ", "-"))
def test_the_exact_recursion_on_models_with_every_key(tmp_path, case):
    document = case["document"]
    if document.get("lambda", 0) < 0:  # which files do not have: the cost has the other sign
        document["lambda"] *= -1
        document["cost"] = [[-x for x in cost] for cost in document["cost"]]
    (tmp_path / "model.json").write_text(json.dumps(document))
    for backup in BACKUPS:
        answer = plan(tmp_path / "model.json", "--backup", backup, "--search", "full")
        assert_answers(case["document"], answer, case[backup])
        wide = plan(tmp_path / "model.json", "--backup", backup, "--search", "bounded",
                    "--epsilon", 0.1)
        assert_answers(case["document"], wide, case[backup], math.inf)


EXPECTED = read("models/expected.json")["runs"]


@pytest.mark.parametrize("run", EXPECTED, ids=lambda r: (
    f"{r['model']}-{r['horizon']}-{r['backup']}-{r['epsilon']}"))
def test_certificates_hold_and_take_no_more_beliefs_than_expected(run):
    path = DATA / "models" / run["model"]
    document = json.loads(path.read_text())
    options = ["--backup", run["backup"], "--search", "bounded", "--epsilon", run["epsilon"],
               "--horizon", run["horizon"]]
    if run["expanded"] is None:
        n_action = math.prod(n if isinstance(n, int) else len(n)
                             for n in (f["actions"] for f in document["factors"]))
        options += ["--budget", run["budget_beliefs"] * n_action]
    answer = plan(path, *options)
    assert_answers(document, answer, {"G": run["G"], "V": run["V"]}, math.inf)
    if run["expanded"] is None:
        assert answer["certificate"]["tv"] <= 1.1 * run["tv_at_budget"]
    else:
        assert answer["certificate"]["stopped"] == "epsilon"
        assert answer["certificate"]["tv"] <= run["epsilon"]
        assert answer["evaluations"]["beliefs"] <= math.ceil(1.1 * run["expanded"])


def test_the_whole_graph_is_as_large_as_expected():
    for run in EXPECTED:
        if run["beliefs"] is not None and run["beliefs"] <= 2000 and run["backup"] == "min":
            path = DATA / "models" / run["model"]
            answer = plan(path, "--search", "full", "--horizon", run["horizon"], "--backup", "min")
            assert answer["evaluations"]["beliefs"] == run["beliefs"]
            assert answer["evaluations"]["tree"] == run["tree"]
