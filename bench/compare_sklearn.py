#!/usr/bin/python3
"""Sonde's clustering beside scikit-learn's: the same data, one thread each, in turn.

    bench/compare_sklearn.py build/sonde [ROUNDS [CASE...]]

Every case is timed ROUNDS times (3), Sonde and scikit-learn in turn, in processor time, to which
other work on the machine adds less. Every round has another seed, of both, because some starts are
near the end already; so the least times are those of each one's luckiest start, and the ratio of
medians stands beside that of the least. Small cases are fitted twenty times a round; Sonde, which
is another process every time, fits twice more than that.
Sonde's time is from end to end: walks, embedding, distinct rows, ten restarts, labels and
representatives. scikit-learn's is KMeans.fit alone, on rows (float64) that are there already. The
edit-distance matrix of 5 nodes is fitted with one restart there, and its time taken ten times;
random floats are fitted with one restart by both.
Prints a Markdown table.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

# read when numpy and scikit-learn are imported
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np  # noqa: E402
import sklearn  # noqa: E402
import threadpoolctl  # noqa: E402
from sklearn.cluster import KMeans  # noqa: E402

# worlds of about the median number of policies: nodes, seed
SEED = {4: 5, 5: 1, 6: 141, 7: 131, 8: 132}
# name: nodes (0: random floats), scope, embedding, k, goal
CASES = {
    "boe5": (5, "global", "boe", 12, 30),
    "boe6": (6, "global", "boe", 12, 45),
    "set6": (6, "global", "boe-set", 12, 50),
    "boe7": (7, "global", "boe", 12, 50),
    "set6k100": (6, "global", "boe-set", 100, 45),
    "edm5": (5, "global", "edm", 12, 1000),
    "local5": (5, "local", "boe", 12, 30),
    "local6": (6, "local", "boe", 12, 30),
    "dense12": (0, "", "floats", 12, 4),
    "dense100": (0, "", "floats", 100, 2.5),
}
DENSE = (1_000_000, 32)


def world(sonde, nodes):
    command = [sonde, "graph", "--nodes", str(nodes), "--seed", str(SEED[nodes]), "--json"]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return json.loads(out)["world"]


def walks(graph, scope):
    """All walks of T + 1 edges, as edge numbers, and the edges' heads."""
    n = graph["nodes"]
    edges = {(a, b) for a, b, _ in graph["edges"]} | {(v, v) for v in range(n)}
    tail, head = np.array(sorted(edges)).T
    out = [np.flatnonzero(tail == v) for v in range(n)]
    if scope == "global":
        path = np.arange(len(tail))[:, None]
    else:
        a, b = graph["start"]
        path = np.flatnonzero((tail == a) & (head == b))[:, None]
    for _ in range(graph["horizon"]):
        last = head[path[:, -1]]
        count = np.array([len(o) for o in out])[last]
        path = np.repeat(path, count, axis=0)
        path = np.column_stack([path, np.concatenate([out[v] for v in last])])
    return path, tail, head, n


def embed(graph, scope, embedding):
    path, tail, head, n = walks(graph, scope)
    x = np.zeros((len(path), len(tail)))
    for t in range(path.shape[1]):
        x[np.arange(len(path)), path[:, t]] += 1
    if embedding == "boe":
        return x
    x = (x > 0).astype(float)
    if embedding == "boe-set":
        return x
    nodes = np.zeros((len(path), n))
    nodes[np.arange(len(path)), tail[path[:, 0]]] = 1
    for t in range(path.shape[1]):
        nodes[np.arange(len(path)), head[path[:, t]]] = 1
    z = np.column_stack([nodes, x])
    c = z.sum(axis=1)
    return c[:, None] + c[None, :] - 2 * z @ z.T


def theirs(x, k, n_init, seed, n_repeat):
    """The least time of some fits that are the same."""
    seconds = []
    for _ in range(n_repeat):
        began = time.process_time()
        fitted = KMeans(n_clusters=k, n_init=n_init, tol=1e-4, random_state=seed).fit(x)
        seconds.append(time.process_time() - began)
    return min(seconds), fitted.inertia_


def ours(sonde, options, n_repeat):
    command = [sonde, "bench", "cluster", *options, "--threads", "1", "--json",
               "--repeats", str(n_repeat)]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    answer = json.loads(out)
    return answer["processor_seconds"], answer["inertia"], answer


def measure(sonde, name, n_round, folder):
    nodes, scope, embedding, k, goal = CASES[name]
    if nodes == 0:
        x = np.random.default_rng(1).random(DENSE)
        path = pathlib.Path(folder) / "floats"
        if not path.exists():
            x.tofile(path)
        options = ["--rows", str(path), "--columns", str(DENSE[1]), "--k", str(k)]
    else:
        graph = world(sonde, nodes)
        x = embed(graph, scope, embedding)
        path = pathlib.Path(folder) / f"{nodes}.json"
        path.write_text(json.dumps(graph))
        options = ["--world", str(path), "--scope", scope, "--embedding", embedding, "--k", str(k)]
    # the plain matrix, and floats, are fitted with fewer restarts
    n_init = 1 if embedding in ("edm", "floats") else 10
    options += ["--restarts", "1" if embedding == "floats" else "10"]
    scale = 10 if embedding == "edm" else 1
    mine, other = [], []
    n_repeat = 20 if len(x) < 20_000 and embedding == "boe" else 1
    for seed in range(1, n_round + 1):
        mine.append(ours(sonde, [*options, "--seed", str(seed)], n_repeat + 2))
        other.append(theirs(x, k, n_init, seed, n_repeat))
    here = [m[0] for m in mine]
    there = [scale * o[0] for o in other]
    median = statistics.median(there) / statistics.median(here)
    inertia = min(m[1] for m in mine) / min(o[1] for o in other)
    print(f"| {name} | {len(x):,} × {x.shape[1]:,} | {mine[0][2]['rows']:,} | {k} "
          f"| {min(there):.4g} s | {min(here):.4g} s | {min(there) / min(here):.1f} | {median:.1f} "
          f"| {goal} | {inertia:.5f} |", flush=True)


def main():
    sonde = str(pathlib.Path(sys.argv[1]).resolve())
    n_round = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    names = sys.argv[3:] or list(CASES)
    blas = [lib for lib in threadpoolctl.threadpool_info() if lib["user_api"] == "blas"]
    print(f"scikit-learn {sklearn.__version__}, numpy {np.__version__}, "
          + ", ".join(f"{b['internal_api']} {b['version']} ({b['architecture']})" for b in blas))
    print("| case | data | distinct rows | k | scikit-learn, least | Sonde, least | times "
          "| medians | goal | inertia, ours/theirs |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            measure(sonde, name, n_round, folder)


if __name__ == "__main__":
    main()
