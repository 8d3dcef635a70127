"""What others plan with, beside the exact recursion."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from test_closed_facts import COMMAND, MODELS, middles, plan, random_model  # noqa: E402


def shown(path, seed):
    """A random model whose state is seen, and with a known start."""
    made = random_model(path, seed)
    n = made["factors"][0]["states"]
    made["A"] = [[[float(i == j) for j in range(n)] for i in range(n)]]
    made["D"] = [[1.0] + [0.0] * (n - 1)]
    made["horizon"] = 4
    path.write_text(json.dumps(made))
    return made


def test_where_the_state_is_seen_the_average_is_dpefe(tmp_path):
    for seed in range(25):
        shown(tmp_path / "m.json", seed)
        options = ["--gamma", 2.5, "--discount", 0.9]
        exact = plan(tmp_path / "m.json", "--backup", "average", "--search", "full", *options)
        found = plan(tmp_path / "m.json", "--search", "dpefe", *options)
        assert found["search"] == "dpefe" and found["backup"] == "average"
        assert found["certificate"] is None and found["stopped"] == "complete"
        assert max(abs(a - b) for a, b in zip(middles(exact), middles(found))) < 1e-9
        assert abs(sum(exact["value"]) - sum(found["value"])) < 1e-9
        for a, b in zip(exact["first_actions"], found["first_actions"]):
            assert abs(a["p"] - b["p"]) < 1e-9


def test_where_the_state_is_seen_and_information_counts_nothing_qmdp_is_exact(tmp_path):
    for seed in range(25):
        made = shown(tmp_path / "m.json", 50 + seed)
        made["information"] = "off"
        (tmp_path / "m.json").write_text(json.dumps(made))
        exact = plan(tmp_path / "m.json", "--backup", "min", "--search", "full")
        found = plan(tmp_path / "m.json", "--search", "qmdp")
        assert max(abs(a - b) for a, b in zip(middles(exact), middles(found))) < 1e-9


def plain_qmdp(made, discount):
    """G of the first actions, from the formula."""
    rng = range(made["factors"][0]["states"])
    A, B, C, D = made["A"][0], made["B"][0], made["C"][0], made["D"][0]
    actions = range(made["factors"][0]["actions"])
    ce = [-sum(A[o][s] * C[o] for o in range(len(C))) for s in rng]
    v = [0.0 for _ in rng]
    for _ in range(made["horizon"] - 1):
        v = [min(sum(B[t][s][u] * (ce[t] + discount * v[t]) for t in rng) for u in actions)
             for s in rng]
    found = []
    for u in actions:
        b = [sum(B[t][s][u] * D[s] for s in rng) for t in rng]
        found.append(sum(b[t] * (ce[t] + discount * v[t]) for t in rng))
    return found


def test_qmdp_is_its_formula_beside_one_step_of_what_is(tmp_path):
    for seed in range(10):
        made = random_model(tmp_path / "m.json", seed, preferences="utility", information="off")
        found = plan(tmp_path / "m.json", "--search", "qmdp", "--discount", 0.8)
        assert max(abs(a - b) for a, b in
                   zip(middles(found), plain_qmdp(made, 0.8))) < 1e-9


def test_qmdp_sees_no_use_in_looking_twice_and_dpefe_in_looking_at_all():
    """On the T-maze the cue is worth something to the exact plan alone, where states are known."""
    path = MODELS / "t-maze-95-broad.json"
    words = ["--horizon", 3]
    dpefe = middles(plan(path, "--search", "dpefe", *words))
    assert max(dpefe) - min(dpefe) < 1e-9
    exact = middles(plan(path, "--search", "full", "--backup", "average", *words))
    assert max(exact) - min(exact) > 1e-2


def test_simulations_come_to_the_exact_answer_and_depend_on_the_seed_alone():
    path = MODELS / "t-maze-certain.json"
    words = [path, "--search", "uct", "--horizon", 2, "--exploration", 8]
    exact = plan(path, "--search", "full", "--backup", "min", "--horizon", 2)
    few, again, other = (plan(*words, "--budget", 2000, "--seed", seed) for seed in (1, 1, 2))
    assert middles(few) == middles(again) != middles(other)
    many = plan(*words, "--budget", 400000)
    assert few["stopped"] == "budget" and few["certificate"] is None
    least = min(middles(exact))
    assert abs(min(middles(many)) - least) < 0.1
    assert abs(min(middles(many)) - least) < abs(min(middles(few)) - least)
    assert few["evaluations"]["steps"] <= 2000


def test_rollouts_are_worth_what_random_actions_bring():
    path = MODELS / "t-maze-95.json"
    words = ["--search", "uct", "--horizon", 3, "--budget", 300]
    without, with_ = plan(path, *words), plan(path, *words, "--rollout")
    assert with_["evaluations"]["steps"] > without["evaluations"]["steps"]
    assert middles(with_) != middles(without)


@pytest.mark.parametrize("words, sentence", [
    (["--search", "dpefe", "--backup", "min"], "backup: goes with"),
    (["--search", "qmdp", "--epsilon", "0.1"], "epsilon: goes with"),
    (["--search", "uct", "--belief", "factorised"], "belief: goes with"),
    (["--search", "full", "--rollout"], "rollout: goes with search uct"),
    (["--search", "qmdp", "--replan", "shrinking"], "goes with search full, bounded or auto only"),
    (["--discount", "0"], "discount: expected a number from 1e-06 to 1, found \"0\""),
    (["--gap", "0"], "gap: expected a number of nats from 1e-12, found \"0\""),
    (["--search", "dpefe", "--loop", "open"], "dpefe is for closed loop"),
])
def test_what_baselines_do_not_have_is_refused(words, sentence):
    loop = [] if "--loop" in words else ["--loop", "closed"]
    done = subprocess.run([COMMAND, "plan", MODELS / "t-maze-95.json", *loop, *words],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert sentence in done.stderr


def test_agents_live_by_each_of_them():
    for search in "dpefe", "qmdp", "uct", "pruned":
        done = subprocess.run(
            [COMMAND, "simulate", MODELS / "t-maze-95.json", "--loop", "closed", "--search", search,
             "--horizon", "3", "--steps", "4", "--json"], capture_output=True, text=True,
            check=False)
        assert done.returncode == 0, done.stderr
        assert len(json.loads(done.stdout)["steps"]) >= 4
