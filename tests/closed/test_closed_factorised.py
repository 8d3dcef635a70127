"""Closed loop with each factor believed on its own."""

import json
import math
import random
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from test_closed_facts import COMMAND, columns, document, plan  # noqa: E402
from test_closed_fixtures import document_of, read  # noqa: E402


def two_factors(path, seed, coupled, horizon=1, **keys):
    """Two factors, two modalities; where they are coupled each transition depends on both."""
    rng = random.Random(seed)
    n, u = (2, 3), (2, 1)
    B, depends = [], []
    for f in range(2):
        before = n[0] * n[1] if coupled else n[f]
        table = columns(rng, n[f], before * u[f])
        shape = (*n, u[f]) if coupled else (n[f], u[f])
        B.append([fold(row, shape) for row in table])
        depends.append([0, 1] if coupled else [f])
    A = [[fold(row, n) for row in columns(rng, 2, 6)], columns(rng, 3, 3)]
    made = {
        "format": "sonde-model", "version": 1, "horizon": horizon, "policies": "all",
        "factors": [{"states": n[f], "actions": u[f], "depends": depends[f]} for f in range(2)],
        "modalities": [{"outcomes": 2}, {"outcomes": 3, "factors": [1]}],
        "A": A, "B": B, "C": [[rng.uniform(-2, 2) for _ in range(k)] for k in (2, 3)],
        "D": [[row[0] for row in columns(rng, k, 1)] for k in n], **keys,
    }
    path.write_text(json.dumps(made))
    return made


def fold(row, shape):
    """Nested lists of a shape, the last axis fastest."""
    if len(shape) == 1:
        return list(row)
    size = len(row) // shape[0]
    return [fold(row[i * size:(i + 1) * size], shape[1:]) for i in range(shape[0])]


def factorised(path, *options):
    return plan(path, "--belief", "factorised", *options)


@pytest.mark.parametrize("information", ("per-modality", "joint"))
@pytest.mark.parametrize("coupled", (False, True))
def test_one_step_is_one_step_of_open_loop_coupled_or_not(tmp_path, coupled, information):
    far = 0.0
    for seed in range(20):
        two_factors(tmp_path / "m.json", seed, coupled, information=information)
        scored = document("efe", tmp_path / "m.json")["policies"]
        answer = factorised(tmp_path / "m.json")
        assert answer["search"] == "full" and answer["belief_kind"] == "factorised"
        joint = plan(tmp_path / "m.json")
        for found, other, policy in zip(answer["first_actions"], joint["first_actions"], scored):
            assert math.isclose(sum(found["efe"]) / 2, policy["efe"], abs_tol=1e-12)
            for term in "risk", "ambiguity", "cost":
                assert math.isclose(found["step"][term], policy[term], abs_tol=1e-12)
            far = max(far, abs(sum(other["efe"]) / 2 - policy["efe"]))
    # joint beliefs are exact, and the mean field of coupled factors is not
    assert far > 1e-3 if coupled else far < 1e-12


def test_joint_beliefs_are_pymdp_s_exact_tree_but_for_the_mean_field(tmp_path):
    for name, close in ("one-factor", True), ("t-maze", True), ("two-factor", False):
        run = read(f"pymdp-si-{name}.json")["runs"][0]
        assert run["settings"]["name"] == "exact"
        made = document_of(f"pymdp-si-{name}.json")
        made |= {"horizon": run["settings"]["horizon"], "preferences": "utility"}
        (tmp_path / "m.json").write_text(json.dumps(made))
        answer = plan(tmp_path / "m.json", "--backup", "average", "--search", "full")
        far = max(abs(-sum(a["efe"]) / 2 - g) for a, g in
                  zip(answer["first_actions"], run["neg_efe_recursive"]))
        far_p = max(abs(a["p"] - q) for a, q in zip(answer["first_actions"], run["q_pi"]))
        assert far < 2e-6 if close else 1e-2 < far < 3e-2
        assert far_p < 1e-6 if close else 1e-3 < far_p < 1e-2
        # and beliefs of factors that branch as pymdp does are its own
        own = factorised(tmp_path / "m.json", "--backup", "average", "--branches", "marginal",
                         "--inference", "pymdp")
        for a, g in zip(own["first_actions"], run["double_precision"]["neg_efe_recursive"]):
            assert abs(-sum(a["efe"]) / 2 - g) < 1e-9


def test_one_factor_is_believed_as_jointly_as_can_be(tmp_path):
    made = document_of("pymdp-si-one-factor.json") | {"horizon": 3}
    (tmp_path / "m.json").write_text(json.dumps(made))
    for backup in "min", "average", "free-energy":
        a = plan(tmp_path / "m.json", "--backup", backup, "--search", "full")
        b = factorised(tmp_path / "m.json", "--backup", backup)
        assert max(abs(sum(x["efe"]) - sum(y["efe"])) for x, y in
                   zip(a["first_actions"], b["first_actions"])) < 1e-9


def test_merging_finds_the_same_values_in_fewer_beliefs(tmp_path):
    made = document_of("pymdp-si-t-maze.json") | {"horizon": 4}
    (tmp_path / "m.json").write_text(json.dumps(made))
    merged, apart = (factorised(tmp_path / "m.json", *words) for words in ([], ["--no-merge"]))
    assert merged["evaluations"]["beliefs"] < apart["evaluations"]["beliefs"]
    for x, y in zip(merged["first_actions"], apart["first_actions"]):
        assert abs(sum(x["efe"]) - sum(y["efe"])) < 1e-9


def test_an_agent_with_factorised_beliefs_believes_as_open_loop_does(tmp_path):
    """Actions are not what is compared: both take whatever the same world shows."""
    two_factors(tmp_path / "m.json", 3, True, horizon=2)
    words = ["--observe", "1,2"]
    closed = factorised(tmp_path / "m.json", *words)
    opened = document("plan", tmp_path / "m.json", *words)
    assert closed["belief"] == opened["belief"]
    assert plan(tmp_path / "m.json", *words)["belief"] != []
    lived = document("simulate", tmp_path / "m.json", "--loop", "closed", "--belief",
                     "factorised", "--steps", 5)
    assert len(lived["steps"]) >= 5


@pytest.mark.parametrize("words, sentence", [
    (["--belief", "factorised", "--search", "bounded"], "no bound that is known holds"),
    (["--belief", "factorised", "--search", "auto"], "no bound that is known holds"),
    (["--branches", "marginal"], "joint beliefs branch on outcomes together"),
    (["--inference", "pymdp", "--observe", "0,0"], "choose --belief factorised"),
])
def test_what_beliefs_of_factors_do_not_go_with_is_refused(tmp_path, words, sentence):
    (tmp_path / "m.json").write_text(json.dumps(document_of("pymdp-si-t-maze.json")))
    done = subprocess.run([COMMAND, "plan", tmp_path / "m.json", "--loop", "closed", *words],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert sentence in done.stderr
