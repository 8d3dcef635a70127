"""Values of known problems, as published or as other solvers give them."""

import itertools
import json
import math
import os
import subprocess
from pathlib import Path

import pytest

COMMAND = os.environ["SONDE_COMMAND"]
CORPUS = Path(os.environ["SONDE_TEST_DATA"]) / "../../fuzz/corpus"

#: the best that Tiger gives in T = 1 ... 6 steps, at a discount of .95
TIGER = [-1, -1.95, 2.3098, 1.795544, 2.763096, 4.428531]
#: the same with what listening tells counted, at weight 1
TIGER_INFORMED = [-0.729562, -1.541762, 2.780276, 2.33711, 3.462166, 5.261918]


def make(folder, *words):
    path = folder / "model.json"
    done = subprocess.run([COMMAND, "model", "--make", *map(str, words), "-o", str(path)],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return path


def value(path, *options, search="full", slack=1e-7):
    done = subprocess.run([COMMAND, "plan", str(path), "--loop", "closed", "--backup", "min",
                           "--search", search, "--json", *map(str, options)],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    low, high = json.loads(done.stdout)["value"]
    assert high - low < slack
    return -(low + high) / 2


@pytest.mark.parametrize("kind", ["made", "model_pomdp/tiger.POMDP", "model_pomdpx/tiger.pomdpx"])
@pytest.mark.parametrize("horizon", range(1, 7))
def test_tiger_is_worth_what_it_is_known_to_be_worth(tmp_path, kind, horizon):
    path = make(tmp_path, "tiger") if kind == "made" else CORPUS / kind
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


# ----------------------------------------------------------------- RockSample(4, 4), from files --

ROCKS = [(3, 1), (2, 1), (1, 3), (1, 0)]
WAYS = {"amn": (0, 1), "ame": (1, 0), "ams": (0, -1), "amw": (-1, 0)}
ACTIONS = [*WAYS, *(f"ac{i}" for i in range(4)), "as"]
CELLS = [(x, y) for x in range(4) for y in range(4)]


def act(cell, rocks, action):
    """(cell, rocks, reward); the cell is None at the end."""
    if cell is None:
        return None, rocks, 0
    if action in WAYS:
        x, y = cell[0] + WAYS[action][0], cell[1] + WAYS[action][1]
        if x == 4:
            return None, rocks, 10
        return ((x, y), rocks, 0) if (x, y) in CELLS else (None, rocks, -100)
    if action == "as":
        if cell not in ROCKS:
            return None, rocks, -100
        i = ROCKS.index(cell)
        return cell, rocks[:i] + (False,) + rocks[i + 1:], 10 if rocks[i] else -10
    return cell, rocks, 0


def hears_good(cell, rocks, action):
    if cell is None or not action.startswith("ac"):
        return 1.0
    i = int(action[2:])
    right = (1 + math.exp(-math.dist(cell, ROCKS[i]))) / 2
    return right if rocks[i] else 1 - right


def cell_name(cell):
    return "st" if cell is None else f"s{cell[0]}{cell[1]}"


def state_name(cell, rocks):
    return "st" if cell is None else cell_name(cell) + "".join("gb"[not good] for good in rocks)


def write_pomdp(path):
    """As the generator of zmdp has it: one list of states, the end among them."""
    qualities = list(itertools.product([True, False], repeat=4))
    states = [(cell, rocks) for cell in CELLS for rocks in qualities] + [(None, qualities[0])]
    names = [state_name(*state) for state in states]
    lines = ["# RockSample(4, 4)", "discount: 0.95", "values: reward", "states: " + " ".join(names),
             "actions: " + " ".join(ACTIONS), "observations: ogood obad",
             "start include: " + " ".join(state_name((0, 2), rocks) for rocks in qualities),
             "R: * : * : * : * 0", "O: * : * : ogood 1"]
    for (cell, rocks), action in itertools.product(states, ACTIONS):
        to, left, reward = act(cell, rocks, action)
        lines.append(f"T: {action} : {state_name(cell, rocks)} : {state_name(to, left)} 1.0")
        if reward:
            lines.append(f"R: {action} : {state_name(cell, rocks)} : * : * {reward}")
        if action.startswith("ac") and cell is not None:
            good = hears_good(cell, rocks, action)
            lines.append(f"O: {action} : {state_name(cell, rocks)}\n{good!r} {1 - good!r}")
    path.write_text("\n".join(lines) + "\n")


def entry(words, table, numbers):
    return (f"<Entry><Instance>{' '.join(words)}</Instance>"
            f"<{table}>{' '.join(map(str, numbers))}</{table}></Entry>")


def function(tag, variable, parents, entries):
    return (f"<{tag}><Var>{variable}</Var><Parent>{parents}</Parent>"
            f"<Parameter type=\"TBL\">{''.join(entries)}</Parameter></{tag}>")


def write_pomdpx(path):
    """As SARSOP's file has it: a rover that is seen, and a variable for each rock."""
    places = [*CELLS, None]
    rovers = " ".join(map(cell_name, places))
    variables = [f'<StateVar vnamePrev="rover_0" vnameCurr="rover_1" fullyObs="true">'
                 f'<ValueEnum>{rovers}</ValueEnum></StateVar>']
    variables += [f'<StateVar vnamePrev="rock{i}_0" vnameCurr="rock{i}_1" fullyObs="false">'
                  '<ValueEnum>bad good</ValueEnum></StateVar>' for i in range(4)]
    begin = [function("CondProb", "rover_0", "null",
                      [entry(["-"], "ProbTable", [int(place == (0, 2)) for place in places])])]
    begin += [function("CondProb", f"rock{i}_0", "null", [entry(["-"], "ProbTable", ["uniform"])])
              for i in range(4)]
    rows = [entry([action, cell_name(cell), cell_name(act(cell, (True,) * 4, action)[0])],
                  "ProbTable", ["1.0"]) for cell in places for action in ACTIONS]
    moves = [function("CondProb", "rover_1", "action rover_0", rows)]
    moves += [function("CondProb", f"rock{i}_1", f"action rover_0 rock{i}_0",
                       [entry(["*", "*", "-", "-"], "ProbTable", ["identity"]),
                        entry(["as", cell_name(ROCKS[i]), "*", "-"], "ProbTable", [1, 0])])
              for i in range(4)]
    seen = [entry(["*", "*", "*", "*", "*", "*", "-"], "ProbTable", [1, 0])]
    for i, cell in itertools.product(range(4), CELLS):
        words = [f"ac{i}", cell_name(cell), "*", "*", "*", "*", "-"]
        for good in (False, True):
            words[2 + i] = "good" if good else "bad"
            p = hears_good(cell, tuple(good for _ in range(4)), f"ac{i}")
            seen.append(entry(words, "ProbTable", [repr(p), repr(1 - p)]))
    brought = []
    for cell, action in itertools.product(CELLS, ACTIONS):
        words = [action, cell_name(cell), "*", "*", "*", "*"]
        rock = ROCKS.index(cell) if cell in ROCKS and action == "as" else None
        for good in (False, True) if rock is not None else (True,):
            if rock is not None:
                words[2 + rock] = "good" if good else "bad"
            reward = act(cell, (good,) * 4, action)[2]
            brought.append(entry(words, "ValueTable", [reward]))
    rocks = [f"rock{i}" for i in range(4)]
    after = " ".join(f"{rock}_1" for rock in rocks)
    before = " ".join(f"{rock}_0" for rock in rocks)
    path.write_text(
        "<?xml version='1.0' encoding='ISO-8859-1'?>\n<!-- RockSample(4, 4) -->\n"
        f"<pomdpx version='1.0'>\n<Discount>0.95</Discount>\n<Variable>{''.join(variables)}"
        "<ObsVar vname='sensor'><ValueEnum>ogood obad</ValueEnum></ObsVar>"
        f"<ActionVar vname='action'><ValueEnum>{' '.join(ACTIONS)}</ValueEnum></ActionVar>"
        "<RewardVar vname='reward'/></Variable>\n"
        f"<InitialStateBelief>{''.join(begin)}</InitialStateBelief>\n"
        f"<StateTransitionFunction>{''.join(moves)}</StateTransitionFunction>\n<ObsFunction>"
        + function("CondProb", "sensor", f"action rover_1 {after}", seen) +
        "</ObsFunction>\n<RewardFunction>"
        + function("Func", "reward", f"action rover_0 {before}", brought) +
        "</RewardFunction>\n</pomdpx>\n")


@pytest.mark.parametrize("horizon", [1, 4, 8, 12])
def test_rocksample_is_worth_the_same_made_and_through_both_readers(tmp_path, horizon):
    made = make(tmp_path, "rocksample")
    write_pomdp(tmp_path / "rocks.POMDP")
    write_pomdpx(tmp_path / "rocks.pomdpx")
    options = ["--horizon", horizon, "--gap", 1e-4]
    expected = value(made, *options, search="bounded", slack=1.01e-4)
    for name in ("rocks.POMDP", "rocks.pomdpx"):
        found = value(tmp_path / name, *options, search="bounded", slack=1.01e-4)
        assert found == pytest.approx(expected, abs=1e-4)
