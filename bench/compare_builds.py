#!/usr/bin/env python3
"""How much slower or faster one build is than another, row by row of the benches.

    bench/compare_builds.py OLD NEW [--pairs 15] [--bench bounded,plan,search,efe] [--limit 1.05]

OLD and NEW are build folders in which `bench` was built. Every program runs in both, one after
the other and each first in turn, so that whatever else the machine does falls on both alike. What
counts for a row is the median, over the pairs, of new time divided by old: one disturbed pair does
not move it. Programs report processor time, each row the least of many repeats; they run before
everything else (`chrt -f 5`) where that is allowed. Work on all cores is timed by the clock on the
wall, says nothing on a machine that is shared, and is left out. Rows that are counts have to be the
same. Ends with status 1 if a row is above the limit or a count differs.

A program may be given its argument: `setup:5` is `bench_setup 5`.
"""
import argparse
import collections
import pathlib
import statistics
import subprocess
import sys

TIMES = {"s", "ms", "us", "ns", "ns/policy"}
SIZES = {"bytes/policy"}


def find_front():
    """What a command begins with that is to run before other programs."""
    front = ["chrt", "-f", "5"]
    try:
        allowed = subprocess.run([*front, "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        allowed = False
    return front if allowed else []


def run(front, build, bench):
    """The rows of one run: {(name, unit): value}."""
    name, _, argument = bench.partition(":")
    command = [*front, str(build / "bench" / f"bench_{name}"), *([argument] if argument else [])]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    rows = {}
    for line in done.stdout.splitlines():
        row, value, unit = line.split()
        rows[row, unit] = float(value)
    return rows


def measure(front, builds, bench, pairs):
    """(old, new) of every pair: {(name, unit): [(old, new), ...]}."""
    found = collections.defaultdict(list)
    for pair in range(pairs):
        order = (0, 1) if pair % 2 == 0 else (1, 0)
        rows = [None, None]
        for which in order:
            rows[which] = run(front, builds[which], bench)
        for key in rows[0].keys() & rows[1].keys():
            found[key].append((rows[0][key], rows[1][key]))
        print(f"bench_{bench}: pair {pair + 1} of {pairs}", file=sys.stderr, flush=True)
    return found


def report(found, limit):
    """Prints the rows; returns those above the limit and the counts that differ."""
    above, differ = [], []
    for (name, unit), pairs in sorted(found.items()):
        if unit in TIMES | SIZES and not name.endswith(".threads"):
            ratio = statistics.median(new / old for old, new in pairs)
            old, new = (statistics.median(side) for side in zip(*pairs))
            print(f"{name:40} {old:12.4g} {new:12.4g} {unit:12} {ratio:6.3f}")
            if ratio > limit:
                above.append(f"{name} {ratio:.3f}")
        elif unit not in TIMES | SIZES | {"tv"} and any(old != new for old, new in pairs):
            differ.append(f"{name}: {pairs[0][0]:g} {unit}, now {pairs[0][1]:g}")
    return above, differ


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--bench", default="plan,search,efe,bounded")
    parser.add_argument("--limit", type=float, default=1.05)
    args = parser.parse_args()
    front = find_front()
    above, differ = [], []
    print(f"{'row':40} {'old':>12} {'new':>12} {'unit':12} {'ratio':>6}")
    for bench in args.bench.split(","):
        found = measure(front, (args.old, args.new), bench, args.pairs)
        slower, other = report(found, args.limit)
        above += slower
        differ += other
    print(f"\nabove {args.limit}: " + ("; ".join(above) or "none"))
    print("counts that differ: " + ("; ".join(differ) or "none"))
    sys.exit(1 if above or differ else 0)


if __name__ == "__main__":
    main()
