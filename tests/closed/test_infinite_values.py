"""Without a horizon: values of known problems, and of random ones as SARSOP gives them."""

import json
import os
import random
import subprocess
from pathlib import Path

import pytest

COMMAND = os.environ["SONDE_COMMAND"]
CORPUS = Path(os.environ["SONDE_TEST_DATA"]) / "../../fuzz/corpus"

#: [lower, upper] of SARSOP (AdaCompNUS/sarsop, commit d914110), --precision 1e-3 or 5 seconds, of
#: the models that `write_random` makes from these seeds
SARSOP = {
    0: (29.5514, 29.5862), 1: (48.1473, 48.1783), 2: (97.488, 97.4881), 3: (39.5811, 39.5811),
    4: (47.6551, 47.6559), 5: (24.0016, 24.0549), 6: (9.84044, 10.1119), 7: (5.71724, 5.71772),
    8: (14.6646, 14.6653), 9: (3.2875, 3.62447), 10: (138.738, 139.532), 11: (93.4822, 99.2013),
    13: (4.68562, 4.69028), 14: (35.5742, 35.5742), 15: (-3.17657, -3.17654),
    17: (36.3505, 36.3839), 18: (129.208, 129.208), 19: (24.4346, 24.4355),
    20: (14.6692, 14.6701), 22: (46.3552, 46.3562), 24: (27.8677, 27.8687),
    25: (-27.0978, -27.0968), 27: (0.369336, 0.466507), 28: (29.6746, 29.6747),
    30: (12.4071, 12.4081), 31: (82.4572, 82.4574), 32: (42.5549, 42.555), 33: (18.4934, 18.5633),
    34: (5.16847, 5.16949), 35: (28.394, 28.3954), 36: (-16.7671, -16.7619),
    37: (6.06914, 6.07014), 38: (3.02259, 3.02357), 39: (6.15497, 6.15596), 41: (15.939, 15.94),
    42: (41.2871, 41.2881), 43: (34.6378, 34.6378), 46: (4.08442, 4.08497),
    48: (34.9625, 34.9634), 49: (0.391193, 0.392143), 51: (26.7216, 26.7225),
    54: (60.4674, 60.4693), 55: (20.5988, 20.5995), 57: (21.2919, 21.292), 58: (20.1015, 20.1025),
    59: (88.8135, 88.8145), 62: (6.10657, 6.10757), 66: (21.8969, 21.8979), 67: (162.03, 162.03),
    69: (-10.8007, -10.8007),
}


def write_random(path, seed):
    """A reward problem of 2 to 6 states, 2 to 4 actions and 2 to 4 outcomes, with zeros."""
    rng = random.Random(seed)
    states, actions, outcomes = rng.randint(2, 6), rng.randint(2, 4), rng.randint(2, 4)

    def row(n):
        weights = [rng.random() * (rng.random() < .7) for _ in range(n)]
        weights[rng.randrange(n)] += .1
        return " ".join(f"{x / sum(weights):.12f}" for x in weights)

    lines = [f"discount: {rng.choice([.6, .8, .9, .95])}", "values: reward", f"states: {states}",
             f"actions: {actions}", f"observations: {outcomes}", "start: uniform"]
    for action in range(actions):
        for state in range(states):
            lines.append(f"T: {action} : {state}\n{row(states)}")
            lines.append(f"O: {action} : {state}\n{row(outcomes)}")
            lines.append(f"R: {action} : {state} : * : * {rng.uniform(-10, 10):.3f}")
    path.write_text("\n".join(lines) + "\n")


def run(path, *options, verb="plan"):
    done = subprocess.run([COMMAND, verb, str(path), "--loop", "closed", *map(str, options)],
                          capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def plan(path, *options, backup="min"):
    return json.loads(run(path, "--backup", backup, "--json", *options))


def endless(path, *options, gap=1e-3, backup="min"):
    return plan(path, "--horizon", "inf", "--gap", gap, *options, backup=backup)


def make(folder, *words):
    path = folder / "model.json"
    subprocess.run([COMMAND, "model", "--make", *map(str, words), "-o", str(path)],
                   capture_output=True, check=True)
    return path


@pytest.mark.parametrize("kind", ["made", "model_pomdp/tiger.POMDP", "model_pomdpx/tiger.pomdpx"])
def test_tiger_is_worth_what_sarsop_says(tmp_path, kind):
    path = make(tmp_path, "tiger") if kind == "made" else CORPUS / kind
    found = endless(path)
    low, high = found["value"]
    assert high - low <= 1e-3 and found["certificate"]["stopped"] == "gap"
    assert low <= -19.3713 and -19.3714 <= high
    assert found["horizon"] == "inf" and found["first_actions"][0]["p"] > .999


def test_rocksample_is_worth_what_sarsop_says(tmp_path):
    low, high = endless(make(tmp_path, "rocksample"))["value"]
    assert high - low <= 1e-3 and low <= -17.9244 and -17.9246 <= high


@pytest.mark.parametrize("size, known", [(4, .542026), (8, .414640)])
def test_frozenlake_is_worth_what_value_iteration_says(tmp_path, size, known):
    path = make(tmp_path, "frozenlake", "--size", size)
    low, high = endless(path, "--discount", .99, gap=1e-5)["value"]
    assert high - low <= 1e-5 and low - 1e-6 <= -known <= high + 1e-6


@pytest.mark.parametrize("seed", SARSOP)
def test_random_problems_are_worth_what_sarsop_says(tmp_path, seed):
    path = tmp_path / "model.POMDP"
    write_random(path, seed)
    low, high = endless(path, "--budget", 10000)["value"]
    known_low, known_high = SARSOP[seed]
    digits = 1e-5 * abs(known_low)  # it prints six of them
    assert low <= -known_low + digits and -known_high - digits <= high
    assert high - low <= max(.02 * (1 + abs(low)), 4 * (known_high - known_low))


@pytest.mark.parametrize("information", ["off", "joint", "per-modality"])
@pytest.mark.parametrize("backup", ["min", "free-energy"])
@pytest.mark.parametrize("discount, horizon, most", [(.5, 24, 50), (.7, 40, 50)])
def test_a_long_horizon_comes_to_the_same(tmp_path, information, backup, discount, horizon, most):
    path = make(tmp_path, "t-maze")
    options = "--information", information, "--discount", discount
    low, high = endless(path, *options, backup=backup)["value"]
    exact = plan(path, "--search", "full", "--horizon", horizon, *options, backup=backup)["value"]
    rest = discount ** horizon * most / (1 - discount)
    assert high - low <= 1e-3
    assert low <= exact[1] + rest and exact[0] - rest <= high


def refuse(path, *options):
    done = subprocess.run([COMMAND, "plan", str(path), *map(str, options)],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stdout == ""
    return done.stderr


def test_what_does_not_go_with_it_is_said(tmp_path):
    path = make(tmp_path, "tiger")
    closed = "--loop", "closed", "--horizon", "inf"
    assert "need not converge with the horizon" in refuse(path, *closed, "--backup", "average")
    assert "discount below 1" in refuse(path, *closed, "--discount", 1)
    assert "bounded" in refuse(path, *closed, "--search", "full")
    assert "loop closed" in refuse(path, "--horizon", "inf")
    assert "every belief is one" in refuse(path, *closed, "--no-merge")


@pytest.mark.parametrize("reason, options", [
    ("budget", ["--budget", 1]), ("budget", ["--budget", 500]), ("memory", ["--memory", "3M"]),
    ("deadline", ["--deadline", "1ms"])])
def test_it_says_what_it_knows_whenever_it_ends(tmp_path, reason, options):
    found = endless(make(tmp_path, "rocksample"), *options, gap=1e-9)
    low, high = found["value"]
    assert found["certificate"]["stopped"] == reason
    assert low <= -17.9244 and -17.9246 <= high and high - low > 1e-9


def test_threads_change_nothing(tmp_path):
    path = make(tmp_path, "rocksample")
    options = "--horizon", "inf", "--gap", 1, "--backup", "min", "--steps", 6, "--json"
    one, two = (json.loads(run(path, *options, "--threads", n, verb="simulate")) for n in (1, 2))
    for found in (one, two):
        del found["command"]
        for step in found["steps"]:
            step.pop("seconds", None), step.pop("setup_seconds", None)
    assert {key: one[key] for key in one if "second" not in key} \
        == {key: two[key] for key in two if "second" not in key}
