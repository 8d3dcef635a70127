"""Graph worlds of any size against dynamic programming, written from the formulas alone.

    SONDE_COMMAND=build/sonde /usr/bin/python3 -m pytest tests/oracle/test_graph_dynamic.py

A walk's G is a sum over its edges, so that the mass and the best of all walks that go on from an
edge follow from those of the edges after it, from the horizon back. In global scope a walk that
does not begin where the agent is leaves it standing; there the state is the pair (walk's edge,
agent's edge).
"""
# once
# long
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np

COMMAND = os.environ.get("SONDE_COMMAND")
FLOOR = 1e-16
TMP = os.environ.get("SONDE_TEST_TMP")


def run(*arguments):
    done = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        raise AssertionError(f"status {done.returncode}: {done.stderr.strip()}")
    return done.stdout


class World:
    """A sonde-graph document: every edge with what a step onto it costs."""

    def __init__(self, document):
        n = document["nodes"]
        self.horizon = document.get("horizon", n)
        edges = [[] for _ in range(n)]
        for tail, head, weight in document["edges"]:
            edges[tail].append((head, weight))
        goal = document["destination"]
        for node in range(n):
            if node not in [head for head, _ in edges[node]]:
                edges[node].append((node, 0 if node == goal else document.get("idle", 100)))
        self.tail = np.array([node for node in range(n) for _ in edges[node]])
        self.head = np.array([head for node in range(n) for head, _ in edges[node]])
        weight = np.array([w for node in range(n) for _, w in edges[node]], float)
        self.out = [np.flatnonzero(self.tail == node) for node in range(n)]
        preference = (self.head == goal) / np.sum(self.head == goal)
        self.cost = -np.log(np.maximum(preference, FLOOR)) + document.get("lambda", 5) * weight
        start = document["start"]
        self.start = next(e for e in self.out[start[0]] if self.head[e] == start[1])
        self.stay = np.array([next(e for e in self.out[node] if self.head[e] == node)
                              for node in range(n)])


def log_sum(values):
    most = np.max(values)
    return most + np.log(np.sum(np.exp(values - most)))


def local(world, gamma):
    """Mass of each node reached first, in logs, and the least G."""
    n = len(world.out)
    mass, best = np.zeros(n), np.zeros(n)
    for _ in range(world.horizon - 1):
        onward_mass = mass[world.head] - gamma * world.cost
        onward_best = best[world.head] + world.cost
        mass = np.array([log_sum(onward_mass[out]) for out in world.out])
        best = np.array([np.min(onward_best[out]) for out in world.out])
    first = world.out[world.head[world.start]]
    masses = {int(world.head[e]): mass[world.head[e]] - gamma * world.cost[e] for e in first}
    return masses, min(best[world.head[e]] + world.cost[e] for e in first)


def everywhere(world, gamma):
    """The same for walks from every edge; the agent stays where a walk's action is not valid."""
    n_edge = len(world.head)
    memory = {}

    def moved(walk, agent, edge):
        return edge if walk == agent else int(world.stay[world.head[agent]])

    def onward(walk, agent, left):
        if left == 0:
            return 0.0, 0.0
        if (walk, agent, left) not in memory:
            masses, bests = [], []
            for edge in world.out[world.head[walk]]:
                after = moved(walk, agent, int(edge))
                mass, best = onward(int(edge), after, left - 1)
                masses.append(mass - gamma * world.cost[after])
                bests.append(best + world.cost[after])
            memory[walk, agent, left] = log_sum(np.array(masses)), min(bests)
        return memory[walk, agent, left]

    by_node, least = {}, np.inf
    for walk in range(n_edge):
        for edge in world.out[world.head[walk]]:
            after = moved(walk, int(world.start), int(edge))
            mass, best = onward(int(edge), after, world.horizon - 1)
            by_node.setdefault(int(world.head[after]), []).append(mass - gamma * world.cost[after])
            least = min(least, best + world.cost[after])
    return {node: log_sum(np.array(masses)) for node, masses in by_node.items()}, least


@unittest.skipUnless(COMMAND, "SONDE_COMMAND says which command")
class Dynamic(unittest.TestCase):
    def compare(self, nodes, horizon, seed, scope="local", gamma=1.0, connect="symmetric"):
        with tempfile.TemporaryDirectory(dir=TMP) as folder:
            path = pathlib.Path(folder) / "world.json"
            run("graph", "--nodes", nodes, "--horizon", horizon, "--seed", seed, "--connect",
                connect, "-o", path, "--quiet")
            document = json.loads(path.read_text())
            found = json.loads(run("plan", path, "--scope", scope, "--gamma", gamma, "--json"))
        world = World(document)
        masses, least = (local if scope == "local" else everywhere)(world, gamma)
        total = log_sum(np.array(list(masses.values())))
        exact = {node: np.exp(mass - total) for node, mass in masses.items()}
        for entry in found["action_probabilities"]:
            self.assertAlmostEqual(entry["p"], exact.pop(entry["to"]), delta=1e-9)
        self.assertFalse(exact)
        self.assertAlmostEqual(found["best"]["efe"], least, delta=1e-12 * (1 + abs(least)) * 10)
        self.assertLess(found["certificate"]["tv"], 1e-8)
        self.assertTrue(found["certificate"]["best_is_optimal"])
        self.assertEqual(len(found["best"]["nodes"]), horizon + 2)

    def test_a_thousand_nodes(self):
        self.compare(1000, 30, 1)
        self.compare(1000, 30, 2, gamma=0.01)
        self.compare(1000, 30, 3, gamma=16, connect="directed")

    def test_ten_thousand_nodes(self):
        self.compare(10000, 50, 1, gamma=0.1)

    def test_small_worlds_of_both_scopes(self):
        for seed in range(60):
            gamma = [1, 0.05, 4][seed % 3]
            connect = ["symmetric", "directed"][seed // 2 % 2]
            self.compare(4 + seed % 9, 3 + seed % 11, seed, "local", gamma, connect)
            self.compare(3 + seed % 6, 3 + seed % 5, seed, "global", gamma, connect)


if __name__ == "__main__":
    unittest.main()
