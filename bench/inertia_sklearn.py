#!/usr/bin/python3
"""How good Sonde's clusters are beside scikit-learn's, and scikit-learn's beside its own.

    bench/inertia_sklearn.py build/sonde [NODES [N_WORLD]]

Worlds of NODES nodes (3,4,5,6), drawn with seeds 0, 1, ... (N_WORLD, 50, of each), all their
policies, three embeddings, k = 6, 12 and 100. Of every case there is the inertia of Sonde's best of
10 and best of 100 restarts and of scikit-learn's best of 10 with another seed, each over
scikit-learn's best of 10. Prints a Markdown table: the mean of the ratios, how many are at most
1.005, and the largest. Cases with no more rows than k are left out.
"""
import json
import os
import subprocess
import sys

# read when scikit-learn is imported
os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np  # noqa: E402
from sklearn.cluster import KMeans  # noqa: E402

COLUMNS = ("Sonde, 10", "Sonde, 100", "scikit-learn, 10, other seed")


def ours(sonde, world, embedding, k, restarts):
    """The clusters, and the rows of all policies, one by one."""
    command = [sonde, "cluster", "-", "--json", "--scope", "global", "--embedding", embedding,
               "--k", str(k), "--restarts", str(restarts)]
    out = subprocess.run(command, input=world, check=True, capture_output=True, text=True).stdout
    answer = json.loads(out)
    return answer["clusters"], np.array(answer["rows"])[answer["row_of"]]


def theirs(rows, k, seed):
    return KMeans(n_clusters=k, n_init=10, tol=1e-4, random_state=seed).fit(rows).inertia_


def compare(sonde, nodes, seed, embedding, k):
    """The three ratios of a case, or None."""
    command = [sonde, "graph", "--nodes", str(nodes), "--seed", str(seed), "-o", "-"]
    world = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found, rows = ours(sonde, world, embedding, k, 10)
    if found["k"] < k or not found["inertia"] > 0:
        return None
    more, _ = ours(sonde, world, embedding, k, 100)
    there = theirs(rows, k, 1)
    return found["inertia"] / there, more["inertia"] / there, theirs(rows, k, 2) / there


def main():
    sonde = os.path.abspath(sys.argv[1])
    sizes = [int(n) for n in (sys.argv[2] if len(sys.argv) > 2 else "3,4,5,6").split(",")]
    n_world = int(sys.argv[3]) if len(sys.argv) > 3 else 50
    print("| nodes, k | worlds × embeddings | " + " | ".join(COLUMNS) + " |", flush=True)
    print("|---|---|" + "---|" * len(COLUMNS))
    for nodes in sizes:
        for k in (6, 12, 100):
            cases = [compare(sonde, nodes, seed, embedding, k)
                     for seed in range(n_world) for embedding in ("boe", "boe-set", "aboe")]
            ratios = np.array([case for case in cases if case is not None])
            if len(ratios) > 0:
                cells = [f"{r.mean():.4f}, {100 * np.mean(r <= 1.005):.0f} %, {r.max():.4f}"
                         for r in ratios.T]
                print(f"| {nodes}, {k} | {len(ratios)} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
