"""The tree searches of other packages, against numbers that they made (tests/data/closed)."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from test_closed_fixtures import document_of, number_of, plan, read  # noqa: E402

COMMAND = os.environ["SONDE_COMMAND"]
PYMDP = ("one-factor", "t-maze", "two-factor")


def decide(tmp_path, model, horizon, *options):
    """The answer, and what it says of G and the posterior of each action."""
    document = document_of(model + ".json")
    document["horizon"] = horizon
    (tmp_path / "model.json").write_text(json.dumps(document))
    answer = plan(tmp_path / "model.json", *options)
    found = sorted(answer["first_actions"], key=lambda a: number_of(document, a["action"]))
    assert answer["search"] == "pruned" and answer["certificate"] is None
    assert all(a["efe"][0] == a["efe"][1] for a in found)
    return answer, [a["efe"][0] for a in found], [a["p"] for a in found]


def apart(a, b):
    return max(abs(x - y) for x, y in zip(a, b, strict=True) if x is not None and y is not None)


RUNS = [(name, run) for name in PYMDP for run in read(f"pymdp-si-{name}.json")["runs"]]


@pytest.mark.parametrize("name, run", RUNS, ids=lambda x: x if isinstance(x, str) else
                         x["settings"]["name"])
def test_pymdp_s_tree_is_found_number_for_number(tmp_path, name, run):
    s = run["settings"]
    _, efe, p = decide(
        tmp_path, f"pymdp-si-{name}", s["horizon"], "--like", "pymdp", "--gamma", s["gamma"],
        "--prune-action", s["policy_prune_threshold"],
        "--prune-outcome", s["observation_prune_threshold"],
        "--stop-entropy", s["entropy_stop_threshold"], "--max-branching", s["max_branching"],
        "--max-beliefs", s["max_nodes"])
    double = run["double_precision"]
    assert apart(p, double["q_pi"]) < 1e-9
    assert apart([-g for g in efe], double["neg_efe_recursive"]) < 1e-9
    assert apart(p, run["q_pi"]) < 1e-5
    assert apart([-g for g in efe], run["neg_efe_recursive"]) < 1e-5


@pytest.mark.parametrize("run", read("pymdp-legacy-si.json")["runs"],
                         ids=lambda r: f"{r['model']}-{r['horizon']}-{r['gamma']}")
def test_legacy_pymdp_s_tree_is_found_number_for_number(tmp_path, run):
    _, efe, p = decide(
        tmp_path, run["model"], run["horizon"], "--like", "pymdp-legacy", "--gamma", run["gamma"],
        "--prune-action", run["policy_prune_threshold"],
        "--prune-outcome", run["state_prune_threshold"], "--prune-penalty", run["prune_penalty"])
    assert apart(p, run["q_pi"]) < 1e-9
    assert apart([-g for g in efe], run["neg_G"]) < 1e-9


@pytest.mark.parametrize("run", [r for r in read("spm-xx.json")["runs"] if r["T"] > r["N"]],
                         ids=lambda r: f"{r['model']}-{r['N']}")
def test_spm_s_tree_is_found_number_for_number(tmp_path, run):
    answer, efe, p = decide(tmp_path, run["model"], run["N"], "--like", "spm")
    assert apart(p, run["u"]) < 1e-9
    assert apart([-g for g in efe], run["neg_G"]) < 1e-9
    assert answer["evaluations"]["beliefs"] == run["calls"]


def noisy(n_outcome, n_action=2):
    """One state; the first action shows any of the outcomes, the others the first of them."""
    A = [[[(1.0 / n_outcome if u == 0 else float(o == 0)) for u in range(n_action)]]
         for o in range(n_outcome)]
    return {
        "format": "sonde-model", "version": 1, "horizon": 1, "preferences": "utility",
        "factors": [{"states": 1, "actions": n_action}], "modalities": [{"outcomes": n_outcome}],
        "A": [A], "B": [[[[1.0] * n_action]]], "C": [[0.0] * n_outcome], "D": [[1.0]],
    }


def test_where_pymdp_s_own_sum_to_a_fifth_probabilities_sum_to_one(tmp_path):
    document = noisy(20, 2)
    document["A"] = [[[1.0 / 20] for _ in range(20)]]
    (tmp_path / "m.json").write_text(json.dumps(document))
    answer = plan(tmp_path / "m.json", "--like", "pymdp", "--stop-entropy", -1)
    assert [a["p"] for a in answer["first_actions"]] == [0.5, 0.5]
    # none of the outcomes is likely enough, so both actions have the penalty
    assert [a["efe"] for a in answer["first_actions"]] == [[512, 512]] * 2


def test_more_actions_than_branches_is_no_error_but_a_note(tmp_path):
    document = noisy(3, 12)
    (tmp_path / "m.json").write_text(json.dumps(document))
    done = subprocess.run([COMMAND, "plan", tmp_path / "m.json", "--loop", "closed", "--like",
                           "pymdp"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "max-branching became 12" in done.stderr


def test_no_more_beliefs_than_allowed_gives_the_depth_before(tmp_path):
    exact = ["--like", "pymdp", "--prune-action", 0, "--prune-outcome", 0, "--stop-entropy", -1,
             "--max-branching", 100]
    two, efe_two, _ = decide(tmp_path, "pymdp-si-t-maze", 2, *exact, "--max-beliefs", 10000)
    three, efe, _ = decide(tmp_path, "pymdp-si-t-maze", 3, *exact, "--max-beliefs", 100)
    assert two["stopped"] == "complete" and three["stopped"] == "beliefs"
    assert efe == efe_two


def test_thresholds_of_nothing_are_the_exact_recursion(tmp_path):
    """Joint beliefs, whatever is backed up."""
    document = document_of("pymdp-si-two-factor.json") | {"horizon": 2}
    (tmp_path / "m.json").write_text(json.dumps(document))
    for backup in "min", "average", "free-energy":
        options = ["--backup", backup]
        full = plan(tmp_path / "m.json", *options, "--search", "full")
        loose = plan(tmp_path / "m.json", *options, "--prune-action", 0, "--prune-outcome", 0)
        assert loose["search"] == "pruned"
        middle = [sum(a["efe"]) / 2 for a in full["first_actions"]]
        assert apart([a["efe"][0] for a in loose["first_actions"]], middle) < 1e-9


def first_outcomes(p, most):
    """The tuples of a die that shows two modalities, s // 3 and s % 3, in the order of both, each
    from its most probable outcome on."""
    each = [[sum(p[s] for s in range(6) if s // 3 == o) for o in range(2)],
            [sum(p[s] for s in range(6) if s % 3 == o) for o in range(3)]]
    place = [{o: i for i, o in enumerate(sorted(range(len(q)), key=lambda o, q=q: -q[o]))}
             for q in each]
    order = sorted((s for s in range(6) if p[s] > 0),
                   key=lambda s: (place[0][s // 3], place[1][s % 3]))
    return order[:most]


@pytest.mark.parametrize("most", [2, 3, 4])
@pytest.mark.parametrize("weights", [(2, 2, 2, 2, 4, 4), (1, 2, 1, 5, 4, 3), (0, 5, 1, 3, 2, 5),
                                     (3, 1, 2, 0, 4, 6), (1, 1, 2, 2, 0, 2)])
def test_only_the_first_outcomes_in_pymdp_s_order_are_gone_on_from(tmp_path, weights, most):
    D = [w / sum(weights) for w in weights]
    C = [[0, 1.5], [0, -2, .7]]
    cost = [-(C[0][s // 3] + C[1][s % 3]) for s in range(6)]
    document = {
        "format": "sonde-model", "version": 1, "horizon": 2, "preferences": "utility",
        "factors": [{"states": 6, "actions": 2}],
        "modalities": [{"outcomes": 2}, {"outcomes": 3}],
        "A": [[[float(s // 3 == o) for s in range(6)] for o in range(2)],
              [[float(s % 3 == o) for s in range(6)] for o in range(3)]],
        "B": [[[[float(s == t), float(s == (t + 1) % 6)] for t in range(6)] for s in range(6)]],
        "C": C, "D": [D]}
    (tmp_path / "m.json").write_text(json.dumps(document))
    answer = plan(tmp_path / "m.json", "--information", "off", "--backup", "min", "--search",
                  "pruned", "--prune-action", 0, "--prune-outcome", 0, "--max-branching", most)
    found = {number_of(document, a["action"]): a["efe"][0] for a in answer["first_actions"]}
    for turn, efe in sorted(found.items()):
        p = [D[(s - turn) % 6] for s in range(6)]
        wanted = sum(p[s] * cost[s] for s in range(6)) + sum(
            p[s] * min(cost[s], cost[(s + 1) % 6]) for s in first_outcomes(p, most))
        assert efe == pytest.approx(wanted, abs=1e-9)


def test_spm_looks_at_no_more_states_than_max_branching(tmp_path):
    document = {
        "format": "sonde-model", "version": 1, "horizon": 2,
        "factors": [{"states": 5, "actions": 1}], "modalities": [{"outcomes": 5}],
        "A": [[[float(s == o) for s in range(5)] for o in range(5)]],
        "B": [[[[float(s == t)] for t in range(5)] for s in range(5)]],
        "C": [[0, 1, 2, 3, 4]], "D": [[.4, .25, .15, .15, .05]]}
    (tmp_path / "m.json").write_text(json.dumps(document))
    beliefs = [plan(tmp_path / "m.json", "--search", "pruned", "--pruning", "spm",
                    "--prune-outcome", 0, "--max-branching", most)["evaluations"]["beliefs"]
               for most in range(1, 6)]
    assert [b - beliefs[0] for b in beliefs] == [0, 1, 2, 3, 4]


def test_thresholds_can_be_far_from_the_exact_posterior(tmp_path):
    document = document_of("pymdp-si-one-factor.json") | {"horizon": 3, "gamma": 4}
    (tmp_path / "m.json").write_text(json.dumps(document))
    full = plan(tmp_path / "m.json", "--backup", "average", "--search", "full")
    cut = plan(tmp_path / "m.json", "--backup", "average", "--search", "pruned")
    assert apart([a["p"] for a in full["first_actions"]],
                 [a["p"] for a in cut["first_actions"]]) > 1e-4


@pytest.mark.parametrize("words, sentence", [
    (["--like", "VB_XXX"], "spm_MDP_VB_XXX is not imitated"),
    (["--like", "spm_MDP_VB_XXX"], "spm_MDP_VB_XXX is not imitated"),
    (["--like", "pymdp", "--preferences", "probability"], "probability is not like it"),
    (["--pruning", "spm", "--belief", "factorised"], "pruning spm looks at joint states"),
    (["--pruning", "pymdp-legacy"], "believes each factor on its own"),
    (["--search", "full", "--prune-action", "0.1"], "goes with search pruned only"),
    (["--search", "pruned", "--no-merge"], "no-merge: goes with"),
    (["--pruning", "spm", "--stop-entropy", "0.1"], "pruning spm has none"),
])
def test_what_does_not_go_together_is_refused_by_name(tmp_path, words, sentence):
    (tmp_path / "m.json").write_text(json.dumps(document_of("pymdp-si-t-maze.json")))
    done = subprocess.run([COMMAND, "plan", tmp_path / "m.json", "--loop", "closed", *words],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert sentence in done.stderr
