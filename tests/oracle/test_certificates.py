"""Every field of every certificate, against brute force with more digits than Sonde has.

    SONDE_COMMAND=build/sonde /usr/bin/python3 -m pytest tests/oracle/test_certificates.py

Models come from random_model.py and are driven to the ends of what is allowed: actions that tie,
gamma from 1e-3 to 1e6 and beyond, costs and preferences up to 1e100, one action, one step; a fifth
are graph worlds in both scopes; on half of all, utility, information and cost count from 0 to 1000
times. All policies are listed and scored in 80-bit numbers, whose own
rounding is a two-thousandth of a double's.
"""
# once
# long
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import pomdp  # noqa: E402
import random_model  # noqa: E402

COMMAND = os.environ.get("SONDE_COMMAND")
N_MODEL = int(os.environ.get("SONDE_TEST_MODELS", "3000"))
N_PROCESS = 2
MOST_POLICIES = 100
REAL = np.longdouble
# what the oracle's own sums can be off by, relative to the sizes of their terms
OWN = REAL(2.0) ** -57


def tie(x):
    return 1e-12 * (1 + abs(x))


# ------------------------------------------------------------------------------------ the models --


def stretched(rng, document):
    """The document with ties, and with numbers as large as they may be."""
    most = 10.0 ** rng.choice([0, 2, 6, 12, 17, 30, 98], p=[0.55, 0.1, 0.1, 0.1, 0.05, 0.05, 0.05])
    if random_model.chance(rng, 0.5):
        document["gamma"] = float(10.0 ** rng.uniform(-3, 6))
    if random_model.chance(rng, 0.02):
        document["gamma"] = float(10.0 ** rng.uniform(6, 100))
    which = str(rng.choice(["lambda", "C", "cost", "constant"]))
    if which == "lambda":
        document["lambda"] = float(document.get("lambda", 0) * most)
    elif which == "constant":
        # the same cost everywhere says nothing about policies, and takes their digits
        document["cost"] = [[1.0] * pomdp.size(m["outcomes"]) for m in document["modalities"]]
        document["lambda"] = float(most)
    else:
        for i, table in enumerate(document.get(which, [])):
            if which == "C" and document.get("preferences", "log") == "probability":
                break
            document[which][i] = np.clip(
                np.array(pomdp.array(table), float) * most, -1e100, 1e100).tolist()
    if random_model.chance(rng, 0.3):
        for f, table in enumerate(document["B"]):
            table = np.array(pomdp.array(table), float)
            if table.shape[-1] > 1 and document.get("policies") != "allowed":
                table[..., -1] = table[..., 0]
                document["B"][f] = table.tolist()
    return document


def model_of(number):
    """A document and how to plan on it."""
    document, rng = random_model.model_of(number)
    document = stretched(rng, document)
    if document.get("policies", "all") != "all" or np.ndim(pomdp.array(document["C"][0])) != 1:
        return document, rng
    if all(np.ndim(pomdp.array(c)) == 1 for c in document["C"]):
        n_tuple = np.prod([pomdp.size(factor["actions"]) for factor in document["factors"]])
        while document["horizon"] > 1 and n_tuple ** document["horizon"] > MOST_POLICIES:
            document["horizon"] -= 1
    return document, rng


def options_of(rng, is_graph):
    """Options of `plan`, and the epsilon they ask for."""
    epsilon = float(rng.choice([0, 1e-3, 0.3, 1, 1e-12], p=[0.35, 0.3, 0.15, 0.1, 0.1]))
    options = ["--epsilon", repr(epsilon)]
    how = str(rng.choice(["bounded", "budget", "beam", "random"], p=[0.6, 0.25, 0.08, 0.07]))
    if how == "budget":
        options += ["--search", "bounded", "--budget", str(int(rng.integers(1, 80)))]
    elif how == "beam":
        options, epsilon = ["--search", "beam", "--beam", "100000"], 1e-3
    elif how == "random":
        options, epsilon = ["--search", "random", "--budget", "1000000"], 1e-3
    if is_graph:
        options += ["--scope", str(rng.choice(["local", "global"]))]
    return options, epsilon


# ------------------------------------------------------------------------------------- the truth --


def sized(weights, utility, cost, rest):
    """How large the terms of a step are, at most, as they count; or as they are told."""
    return max(weights[0] * utility + weights[2] * cost + max(weights) * rest,
               utility + cost + rest)


def truth_of_model(document, weights=(1, 1, 1)):
    """What brute force says: first actions as tuples."""
    pomdp.REAL = REAL
    model = pomdp.Model(document)
    model.weights = weights
    wanted = pomdp.plan(model)
    pomdp.REAL = float
    largest = max(float(np.max(np.abs(row))) for rows in model.value for row in rows)
    cost = max(float(np.max(np.abs(c))) for c in model.cost) * model.weight
    return {"exact": wanted["probabilities"], "efe": wanted["efe"], "terms": wanted["terms"],
            "policies": [tuple(map(tuple, policy)) for policy in wanted["policies"]],
            "gamma": model.gamma,
            "size": model.horizon * model.n_modality * sized(weights, largest, cost, 80)}


def named_in_model(found):
    return tuple(map(tuple, found["best"]["actions"]))


def graph_of(rng):
    """A small graph document."""
    n = int(rng.integers(2, 5))
    weights = [5, 5, 10, 20] if random_model.chance(rng, 0.6) else [0, 1e-3, 1, 1 + 1e-13, 3e4]
    edges = [[i, j, float(rng.choice(weights))] for i in range(n) for j in range(n)
             if i != j and (j == (i + 1) % n or random_model.chance(rng, 0.5))]
    start = edges[rng.integers(len(edges))][:2]
    return {"format": "sonde-graph", "version": 1, "nodes": n, "edges": edges, "start": start,
            "destination": int(rng.integers(n)), "horizon": int(rng.integers(1, 5 if n < 4 else 4)),
            "lambda": float(rng.choice([0, 5, 0.1, 1e6, 1e17, 1e98], p=[.2, .5, .1, .1, .05, .05])),
            "idle": float(rng.choice([100, 5]))}


def truth_of_graph(document, scope, gamma, weights=(1, 1, 1)):
    """The same for a graph world: first actions as the nodes they lead to."""
    n, goal = document["nodes"], document["destination"]
    out = [[] for _ in range(n)]
    for tail, head, weight in document["edges"]:
        out[tail].append((head, weight))
    for node in range(n):
        if node not in [head for head, _ in out[node]]:
            out[node].append((node, 0.0 if node == goal else document["idle"]))
    n_into = sum(head == goal for node in range(n) for head, _ in out[node])
    risk = {(a, b): np.log(REAL(n_into)) if b == goal else -np.log(REAL(1e-16))
            for a in range(n) for b, _ in out[a]}
    cost = {(a, b): REAL(document["lambda"]) * REAL(w) for a in range(n) for b, w in out[a]}
    start = tuple(document["start"])
    walks = [(a, b) for a in range(n) for b, _ in out[a]] if scope == "global" else [start]
    for _ in range(document["horizon"]):
        walks = [(*walk, c) for walk in walks for c, _ in out[walk[-1]]]
    terms, first = [], []
    for walk in walks:
        at, total = start, np.zeros(3, dtype=REAL)
        for t in range(document["horizon"]):
            at = walk[t + 1:t + 3] if walk[t:t + 2] == at else (at[1], at[1])
            total = total + np.array([risk[at], 0, cost[at]])
            if t == 0:
                first.append(at[1])
        terms.append(total)
    G = np.array(terms) @ np.array(weights, dtype=REAL)
    q = pomdp.softmax(-REAL(gamma) * G)
    exact = {}
    for node, p in zip(first, q):
        exact[node] = exact.get(node, REAL(0)) + p
    size = document["horizon"] * sized(weights, 40, float(max(cost.values())), 0)
    return {"exact": exact, "efe": G, "terms": np.array(terms), "policies": walks, "gamma": gamma,
            "size": size}


# -------------------------------------------------------------------------------- the comparison --


def wrong_with_masses(certificate, found, truth):
    slack = min(1.0, 4 * float(truth["gamma"]) * float(OWN) * truth["size"]) + 1e-17
    exact = truth["exact"]
    distance = 0.5 * sum(abs(exact.get(key, 0) - found.get(key, 0)) for key in {*exact, *found})
    tv = certificate["tv"]
    if distance > tv + slack:
        yield f"the actions are {distance} away, and tv is {tv}"
    ranked = sorted(exact.values(), reverse=True) + [REAL(0)]
    top = max(found, key=found.get)
    others = max([p for key, p in exact.items() if key != top], default=REAL(0))
    if certificate["action_is_exact"]:
        if exact.get(top, 0) <= others - slack:
            yield f"{top} is not the most probable action"
        if len(exact) > 1 and ranked[0] - ranked[1] < 1e-12 - slack:
            yield f"a tie is said to be certain: {ranked[0]} and {ranked[1]}"
    elif tv < 0.5 and found[top] - max([p for key, p in found.items() if key != top],
                                       default=0.0) > 2 * tv / (1 - tv) + 1e-11:
        yield f"{top} leads, and is not said to: tv {tv}, {found}"


def wrong_with_best(certificate, found, named, truth):
    G, size = truth["efe"], truth["size"]
    slack = 4 * OWN * REAL(size)
    least, index = G.min(), truth["policies"].index(named)
    gap = certificate["gap"]
    if G[index] - gap > least + tie(least) + slack:
        yield f"a policy is better by {G[index] - least}, and the gap is {gap}"
    if certificate["best_is_optimal"]:
        if G[index] > least + tie(least) + slack:
            yield f"the best has {G[index]}, there is {least}"
        lower = [j for j in range(index) if G[j] <= least + 0.5 * tie(least) - slack]
        # a budget may end before all that ties with the best was looked at
        if gap == 0 and lower and certificate["stopped"] != "budget":
            yield f"policy {index} is named, and policy {lower[0]} is as good"
    elif gap == 0:
        yield "the best is not said to be optimal, and the gap is 0"
    for name, value in zip(["risk", "ambiguity", "cost"], truth["terms"][index]):
        if abs(found[name] - value) > 1e-13 * size:
            yield f"{name} of the best is {found[name]}, and should be {value}"


def wrong_with(found, named, masses, truth, epsilon):
    """Sentences on what the certificate claims and is not true."""
    certificate = found["certificate"]
    if certificate is None:
        yield "there is no certificate"
        return
    yield from wrong_with_masses(certificate, masses, truth)
    yield from wrong_with_best(certificate, found["best"], named, truth)
    unproven = certificate["stopped"] == "budget" and not certificate["best_is_optimal"]
    if (certificate["tv"] > epsilon) != (certificate["stopped"] is not None) and not unproven:
        yield f"stopped by {certificate['stopped']}, tv {certificate['tv']}, epsilon {epsilon}"
    # what is ordinary is known well
    if certificate["stopped"] != "budget" and float(truth["gamma"]) * truth["size"] < 1e4 and \
            certificate["tv"] > max(epsilon, 1e-9):
        yield f"tv is {certificate['tv']} where nothing is large"


def run(path, options):
    done = subprocess.run([COMMAND, "plan", str(path), "--json", *options], capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        raise ValueError(f"status {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def compare(number, folder):
    """Sentences on one model or world."""
    is_graph = number % 5 == 4
    if is_graph:
        rng = np.random.default_rng([20243, number])
        document, gamma = graph_of(rng), float(10.0 ** rng.uniform(-3, 6))
    else:
        document, rng = model_of(number)
    options, epsilon = options_of(rng, is_graph)
    # on every other model, the parts of G count more or less
    weights = random_model.weights_of(number) if number % 2 else (1, 1, 1)
    options += random_model.weight_options(weights, is_graph) if number % 2 else []
    path = pathlib.Path(folder) / f"certificate-{number}.json"
    path.write_text(json.dumps(document))
    try:
        if is_graph:
            options += ["--gamma", repr(gamma)]
            found = run(path, options)
            scope = options[options.index("--scope") + 1]
            truth = truth_of_graph(document, scope, gamma, weights)
            masses = {entry["to"]: entry["p"] for entry in found["action_probabilities"]}
            named = tuple(found["best"]["nodes"])
        else:
            found = run(path, options)
            truth = truth_of_model(document, weights)
            masses = {tuple(e["actions"]): e["p"] for e in found["action_probabilities"]}
            named = named_in_model(found)
        sentences = list(wrong_with(found, named, masses, truth, epsilon))
    except (ValueError, KeyError, TypeError) as error:
        sentences = [f"{type(error).__name__} {error}"]
    path.unlink()
    return [f"number {number}, {' '.join(options)}: {sentence}" for sentence in sentences]


@unittest.skipUnless(COMMAND, "SONDE_COMMAND says which command")
class Certificates(unittest.TestCase):
    def test_no_field_of_any_certificate_is_wrong(self):
        with tempfile.TemporaryDirectory(dir=os.environ.get("SONDE_TEST_TMP")) as folder, \
                concurrent.futures.ProcessPoolExecutor(N_PROCESS) as pool:
            found = list(pool.map(compare, range(N_MODEL), [folder] * N_MODEL, chunksize=10))
        wrong = [sentences for sentences in found if sentences]
        if wrong:
            self.fail(f"{len(wrong)} of {N_MODEL}\n" +
                      "\n".join(sentences[0] for sentences in wrong[:30]))


if __name__ == "__main__":
    unittest.main()
