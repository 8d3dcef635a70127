#!/usr/bin/env python3
"""Which search takes shortest paths most often, at the cost of the paper's two algorithms.

    bench/compare_searches.py COMMAND FOLDER [--worlds N] [--sizes 4,5,6] [--scopes local,global]

Runs the paper's Algorithm 1 (--probe center) and 2 (--probe sample, 3 members), k 12, bag of
edges, on N worlds of each size and scope. What a decision of Algorithm 1 costs on average is then
the budget of the others, and what one of Algorithm 2 costs that of adaptive probing (which has it
by construction). All run on the same worlds with the same seeds. Writes a table of Markdown:
optimal runs in percent with Wilson's 95 % interval; policy equivalents a decision; and the
difference from Algorithm 1 and from Algorithm 2 in points, with the 95 % interval of paired
differences.
"""
import argparse
import json
import math
import pathlib
import sqlite3
import subprocess

CLUSTER = {"search": "cluster", "embedding": "boe", "k": 12}
ONE = {"group": "one", **CLUSTER, "probe": "center"}
TWO = {"group": "two", **CLUSTER, "probe": "sample", "samples": 3}


def run(command, folder, name, worlds, size, conditions):
    """The runs of a plan: by group, (optimal, policy equivalents a decision) of each world."""
    plan = {"format": "sonde-plan", "version": 1, "name": name, "seed": 7, "steps": 10,
            "worlds": {"sizes": [size], "graphs": worlds}, "conditions": conditions}
    path = folder / f"{name}.json"
    database = folder / f"{name}.sqlite"
    path.write_text(json.dumps(plan))
    subprocess.run([command, "study", path, "--db", database, "--threads", "1", "--quiet"],
                   check=True, stdout=subprocess.DEVNULL)
    rows = {}
    for group, optimal, cost in sqlite3.connect(database).execute(
            "SELECT grp, optimal, equivalent * 1.0 / decisions FROM run JOIN condition USING "
            "(condition) ORDER BY condition, graph"):
        rows.setdefault(group, []).append((optimal, cost))
    return rows


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def wilson(n_good, n):
    z = 1.959964
    p = n_good / n
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return 100 * (middle - half), 100 * (middle + half)


def difference(a, b):
    """a - b in points, world by world, with its interval."""
    d = [100 * (x[0] - y[0]) for x, y in zip(a, b)]
    m = mean(d)
    spread = math.sqrt(sum((x - m) ** 2 for x in d) / (len(d) - 1) / len(d))
    return f"{m:+.0f} ± {1.96 * spread:.0f}"


def others(size, scope, policies):
    """Conditions that cost about as much as `policies` a decision."""
    steps = max(1, round(policies * size))
    some = max(2, min(12, round(policies / 3)))
    return [
        {"group": "full", "search": "full"},
        {"group": "bounded", "search": "bounded"},
        {"group": "random", "search": "random", "budget": steps},
        {"group": "beam", "search": "beam", "beam": max(1, round(policies / 3.4))},
        {"group": "cluster, adaptive", **CLUSTER, "probe": "adaptive", "samples": 3},
        {"group": "cluster, k auto", **CLUSTER, "k": "auto", "probe": "center"},
        {"group": "tree, 4 × 4 × 4", "search": "tree", "embedding": "boe", "branch": 4, "depth": 3,
         "budget": max(steps, 5 * size)},
        {"group": "surrogate", "search": "surrogate", "embedding": "boe", "k": some,
         "budget": steps},
        {"group": "surrogate, fallback beam", "search": "surrogate", "embedding": "boe",
         "k": max(2, some // 2), "budget": steps, "fallback": "beam",
         "beam": max(1, round(policies / 6.8))},
    ]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--worlds", type=int, default=100)
    parser.add_argument("--sizes", default="4,5,6")
    parser.add_argument("--scopes", default="local,global")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    for scope in args.scopes.split(","):
        for size in map(int, args.sizes.split(",")):
            here = {"scope": scope, "sizes": [size]}
            name = f"{scope}-{size}-{args.worlds}"
            rows = run(args.command, args.folder, name + "-paper", args.worlds, size,
                       [{**ONE, **here}, {**TWO, **here}])
            budget = mean(cost for _, cost in rows["one"])
            rows |= run(args.command, args.folder, name + "-others", args.worlds, size,
                        [{**condition, **here} for condition in others(size, scope, budget)])
            print(f"\n{scope} scope, {size} nodes, {args.worlds} worlds\n")
            print("| search | optimal % (95 %) | equivalents | against 1 | against 2 |")
            print("|---|---|---|---|---|")
            for group, values in rows.items():
                n_good = sum(optimal for optimal, _ in values)
                low, high = wilson(n_good, len(values))
                label = {"one": "Algorithm 1 (center)",
                         "two": "Algorithm 2 (sample)"}.get(group, group)
                against = [("" if group == other else difference(values, rows[other]))
                           for other in ("one", "two")]
                print(f"| {label} | {100 * n_good / len(values):.0f} ({low:.0f}–{high:.0f}) | "
                      f"{mean(cost for _, cost in values):.1f} | {against[0]} | {against[1]} |",
                      flush=True)


if __name__ == "__main__":
    main()
