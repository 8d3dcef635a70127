"""Likelihoods that are worked out without agents are those of agents."""
import itertools
import json
import random

import pytest

from tables import bench, document, write_model, write_table

OPTIONS = [[], ["--learn"], ["--learn", "--when", "step-before"], ["--alpha", 2.5],
           ["--lapse", 0.1], ["--per-factor", "--alpha", 1.5], ["--learn", "--novelty", "joint"],
           ["--learn", "--novelty", "joint", "--nu-A", 3, "--omega", 0.2],
           ["--learn", "--omega", 0.2, "--toward", "zero", "--decay", 0.3],
           ["--learn", "--support", "grow"], ["--learn", "--until", 2], ["--horizon", 1],
           ["--horizon", 3], ["--action", "softmax"], ["--learn", "--beliefs-D", "last"],
           ["--preferences", "log"], ["--weight-information", 0.3, "--weight-utility", 2]]


def compare(model, table, options):
    sets = [[0.7, 0.4], [3.0, 0.9]]
    names = ["gamma", "C[1][1]"]
    if "--learn" in options:
        names.append("eta_A")
        sets = [s + [x] for s, x in zip(sets, (0.3, 1.0))]
    file = write_table(table.parent, ",".join(names), sets, "sets.csv")
    found = document("replay", model, table, *options, "--sets", file, "--json")
    assert found["batched"] == len(found["subjects"])
    for one, values in zip(found["sets"], sets):
        agent = document("replay", model, table, *options, "--set",
                         ",".join(f"{n}={v}" for n, v in zip(names, values)), "--json")
        for mine, theirs in zip(one["log_likelihoods"], agent["subjects"]):
            assert mine == pytest.approx(theirs["log_likelihood"], abs=1e-9)


@pytest.mark.parametrize("options", OPTIONS, ids=[" ".join(map(str, o)) for o in OPTIONS])
def test_maze(options, tmp_path):
    model, table, _ = bench(tmp_path, "bench-tmaze")
    head, *rows = table.read_text().splitlines()
    table.write_text("\n".join([head] + rows[:36]) + "\n")
    compare(model, table, options)


def column(rng, n, certain=False):
    x = [rng.random() + 0.05 for _ in range(n)]
    if certain:
        x = [1.0 if i == rng.randrange(n) else 0.0 for i in range(n)]
        x = x if sum(x) == 1 else [1.0] + [0.0] * (n - 1)
    return [v / sum(x) for v in x]


def stack(columns):
    """Columns, one for each combination of other axes, as [row][...]."""
    return [[c[i] for c in columns] for i in range(len(columns[0]))]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("timing", ["before", "after"])
def test_random_models(seed, timing, tmp_path):
    """Two controlled factors whose actions do anything, modalities of one factor or both."""
    rng = random.Random(seed)
    states, actions = [2, 3], [2, 2]

    def transitions(f):
        n = states[f]
        made = [[[0.0] * actions[f] for _ in range(n)] for _ in range(n)]
        for u, s in itertools.product(range(actions[f]), range(n)):
            for i, p in enumerate(column(rng, n, seed % 2 == 1)):
                made[i][s][u] = p
        return made
    A = [stack([column(rng, 3) for _ in range(2)]),
         [[row[3 * s:3 * s + 3] for s in range(2)]
          for row in stack([column(rng, 2) for _ in range(6)])]]
    model = {"format": "sonde-model", "version": 1, "horizon": 2,
             "factors": [{"states": n, "actions": u} for n, u in zip(states, actions)],
             "modalities": [{"outcomes": 3, "factors": [0]}, {"outcomes": 2, "factors": [0, 1]}],
             "A": A, "B": [transitions(0), transitions(1)], "D": [column(rng, 2), column(rng, 3)],
             "C": [[0.5, 0.0, -0.5], [0.0, 1.0]], "cost": [[0, 0.2, 0.1], [0.3, 0]], "lambda": 1.5,
             "counts": {"A": [[[3 * x for x in row] for row in A[0]], None]}}
    rows = [[s, e // 3, e, t, rng.choice([0, 1, 2, "NA"]), rng.randrange(2), rng.randrange(2),
             rng.randrange(2)] for s in "ab" for e in range(6) for t in range(3)]
    path = write_model(tmp_path, model)
    table = write_table(tmp_path, "subject,session,episode,step,o0,o1,u0,u1", rows)
    for options in ([], ["--learn", "--novelty", "joint"]):
        compare(path, table, ["--timing", timing, *options])
    assert json.loads(path.read_text())["horizon"] == 2
