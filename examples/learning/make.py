#!/usr/bin/env python3
"""Writes the five models of agents that learn, and draws their figures with the command.

    examples/learning/make.py [path of sonde]
"""
import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def model(name, **parts):
    return {"format": "sonde-model", "version": 1, "name": name, **parts}


def same(n, value=1.0):
    return [[value if i == j else 0.0 for j in range(n)] for i in range(n)]


def moves(n, to):
    """B[next][previous][action] of moves that are certain: to(previous, action)."""
    n_action = len(to(0))
    return [[[1.0 if to(s)[u] == t else 0.0 for u in range(n_action)] for s in range(n)]
            for t in range(n)]


# ------------------------------------------------------------------------------------- T-maze --

def tmaze():
    """Centre, left, right and cue; reward is left or right, and nobody knows what the cue says."""
    places = ["centre", "left", "right", "cue"]
    factors = [{"name": "place", "states": places, "actions": ["stay", "left", "right", "cue"]},
               {"name": "context", "states": ["reward left", "reward right"], "actions": 1}]
    modalities = [{"name": "place", "outcomes": places},
                  {"name": "reward", "outcomes": ["none", "win", "loss"]},
                  {"name": "cue", "outcomes": ["none", "red", "green"]}]
    # arms are left no more
    B = [moves(4, lambda s: [s] * 4 if s in (1, 2) else [0, 1, 2, 3]),
         [[[1.0], [0.0]], [[0.0], [1.0]]]]
    seen = [[[1.0 if o == s else 0.0] * 2 for s in range(4)] for o in range(4)]
    reward = [[[1, 1], [0, 0], [0, 0], [1, 1]],
              [[0, 0], [0.98, 0.02], [0.02, 0.98], [0, 0]],
              [[0, 0], [0.02, 0.98], [0.98, 0.02], [0, 0]]]
    cue = [[[1, 1], [1, 1], [1, 1], [0, 0]],
           [[0, 0], [0, 0], [0, 0], [0.95, 0.05]],
           [[0, 0], [0, 0], [0, 0], [0.05, 0.95]]]
    common = {"factors": factors, "modalities": modalities, "B": B,
              "C": [[0] * 4, [0, 3, -4], [0] * 3], "D": [[1, 0, 0, 0], [0.5, 0.5]], "horizon": 2,
              "gamma": 16}
    counts = [[[100 * p for p in row] for row in outcome] for outcome in cue]
    for outcome in (1, 2):
        counts[outcome][3] = [0.25, 0.25]  # red and green mean nothing yet
    agent = model("T-maze whose cue has to be learned", A=[seen, reward, None], **common,
                  counts={"A": [None, None, counts]})
    return {"tmaze": agent, "tmaze-world": model("T-maze", A=[seen, reward, cue], **common)}


# --------------------------------------------------------------------------------------- grid --

SIDE = 5
WALLS = {(1, 1), (1, 2), (1, 3), (3, 1), (3, 3), (3, 4)}


def grid():
    """A grid with walls that the agent does not know of: where does each move lead?"""
    def step(cell, u, walls):
        y, x = divmod(cell, SIDE)
        dy, dx = ((0, 0), (-1, 0), (1, 0), (0, -1), (0, 1))[u]
        if not (0 <= y + dy < SIDE and 0 <= x + dx < SIDE) or (y + dy, x + dx) in walls:
            return cell
        return (y + dy) * SIDE + x + dx

    n = SIDE * SIDE
    factors = [{"name": "cell", "states": n, "actions": ["stay", "up", "down", "left", "right"]}]
    modalities = [{"name": "seen", "outcomes": n}]
    counts = [[[0.0] * 5 for _ in range(n)] for _ in range(n)]
    for s in range(n):
        for u in range(5):
            for v in range(5):
                counts[step(s, v, ())][s][u] += 0.1  # it may lead to any cell beside
            counts[step(s, u, ())][s][u] += 0.5  # most likely where the arrow points
    common = {"factors": factors, "modalities": modalities, "A": [same(n)],
              "C": [[0.0] * (n - 1) + [2.0]], "D": [[1.0] + [0.0] * (n - 1)], "horizon": 4,
              "gamma": 4}
    world = model("grid", B=[moves(n, lambda s: [step(s, u, WALLS) for u in range(5)])], **common)
    return {"grid": model("grid whose map has to be learned", counts={"B": [counts]}, **common),
            "grid-world": world}


# -------------------------------------------------------------------------------------- arms --

def arms(name, n, chances, counts, schedule=None, like=2.0, **more):
    names = [f"arm {i + 1}" for i in range(n)]
    factors = [{"name": "choice", "states": names, "actions": names}]
    modalities = [{"name": "reward", "outcomes": ["win", "loss"]},
                  {"name": "seen", "outcomes": names}]
    common = {"factors": factors, "modalities": modalities,
              "B": [moves(n, lambda s: list(range(n)))], "C": [[like, 0], [0] * n],
              "D": [[1 / n] * n], "horizon": 1, "gamma": 4}
    agent = model(name, A=[None, same(n)], counts={"A": [counts, None], **more}, **common)
    world = model(name, A=[[chances, [1 - p for p in chances]], same(n)], **common)
    if schedule:
        world["schedule"] = [{"from": {"step": step}, "A": [[p, [1 - q for q in p]], None]}
                             for step, p in schedule]
    return agent, world


def bandit():
    agent, world = arms("three-armed bandit", 3, [0.3, 0.5, 0.8], [[0.25] * 3] * 2)
    return {"bandit": agent, "bandit-world": world}


def reversal():
    agent, world = arms("reversal", 2, [0.85, 0.15], [[0.5] * 2] * 2,
                        schedule=[(60, [0.15, 0.85])])
    return {"reversal": agent, "reversal-world": world}


def habit():
    agent, world = arms("a habit that forms and breaks", 2, [0.95, 0.3], [[0.5] * 2] * 2,
                        schedule=[(100, [0.05, 0.6])], E=[1, 1])
    plain = {**agent, "name": "the same without habits", "counts": {"A": agent["counts"]["A"]}}
    return {"habit": agent, "habit-none": plain, "habit-world": world}


#: how each figure is drawn
FIGURES = {
    "tmaze": ["--when", "episode", "--novelty", "joint", "--steps", "3", "--episodes", "60",
              "--eta-A", "1", "--seed", "2"],
    "grid": ["--novelty", "joint", "--steps", "150", "--seed", "1"],
    "bandit": ["--novelty", "joint", "--steps", "100", "--seed", "4"],
    "reversal": ["--novelty", "joint", "--omega", "0.1", "--steps", "120", "--seed", "1"],
    "habit": ["--steps", "200", "--omega-outcome", "reward=0.05", "--seed", "1"],
}


def main():
    command = sys.argv[1] if len(sys.argv) > 1 else "sonde"
    for make in (tmaze, grid, bandit, reversal, habit):
        for name, document in make().items():
            (HERE / f"{name}.json").write_text(json.dumps(document) + "\n")
    for name, words in FIGURES.items():
        subprocess.run([command, "simulate", f"{name}.json", "--learn", "--process",
                        f"{name}-world.json", *words, "--history-svg", f"{name}.svg", "--quiet"],
                       cwd=HERE, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
