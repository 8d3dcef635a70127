"""Values of known problems, as published or as other solvers give them."""

import json
import os
import subprocess

import pytest

COMMAND = os.environ["SONDE_COMMAND"]

#: the best that Tiger gives in T = 1 ... 6 steps, at its discount, undiscounted is another model
TIGER = [-1, -1.95, 2.3098, 1.795544, 2.763096, 4.428531]
#: the same with what listening tells counted, at weight 1
TIGER_INFORMED = [-0.729562, -1.541762, 2.780276, 2.33711, 3.462166, 5.261918]


def make(folder, *words):
    path = folder / "model.json"
    done = subprocess.run([COMMAND, "model", "--make", *map(str, words), "-o", str(path)],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return path


def value(path, *options):
    done = subprocess.run([COMMAND, "plan", str(path), "--loop", "closed", "--backup", "min",
                           "--search", "full", "--json", *map(str, options)],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    low, high = json.loads(done.stdout)["value"]
    assert high - low < 1e-7
    return -(low + high) / 2


@pytest.mark.parametrize("horizon", range(1, 7))
def test_tiger_is_worth_what_it_is_known_to_be_worth(tmp_path, horizon):
    path = make(tmp_path, "tiger")
    assert value(path, "--horizon", horizon) == pytest.approx(TIGER[horizon - 1], abs=1e-6)
    informed = value(path, "--horizon", horizon, "--information", "joint")
    assert informed == pytest.approx(TIGER_INFORMED[horizon - 1], abs=1e-6)


@pytest.mark.parametrize("size, horizon, known",
                         [(4, 8, 0.018900), (4, 100, 0.744190), (8, 200, 0.913220)])
def test_frozenlake_is_crossed_as_often_as_it_can_be(tmp_path, size, horizon, known):
    path = make(tmp_path, "frozenlake", "--size", size)
    assert value(path, "--horizon", horizon) == pytest.approx(known, abs=1e-6)


def test_the_rover_of_a_small_rocksample_leaves_with_what_it_can_take(tmp_path):
    # four steps east at least before it can leave: 10 after the fourth
    path = make(tmp_path, "rocksample")
    assert value(path, "--horizon", 3) == pytest.approx(0, abs=1e-6)
    assert value(path, "--horizon", 4) == pytest.approx(10 * 0.95 ** 3, abs=1e-6)
