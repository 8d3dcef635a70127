"""Bounded search on random models: never further from the exact posterior than it says.

    SONDE_COMMAND=build/sonde /usr/bin/python3 -m pytest tests/oracle/test_bounded.py

Each model of random_model.py is planned on with several gammas, epsilons and budgets, and the
exact posterior comes from the oracle, which lists every policy.
"""
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
N_MODEL = int(os.environ.get("SONDE_TEST_MODELS", "1000"))
N_PROCESS = 2


def run(path, *options):
    done = subprocess.run([COMMAND, "plan", str(path), "--search", "bounded", "--json", *options],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ValueError(f"status {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def wrong_with(found, wanted):
    """Sentences on what the certificate claims and is not true."""
    certificate = found["certificate"]
    exact = dict(wanted["probabilities"])
    for entry in found["action_probabilities"]:
        exact[tuple(entry["actions"])] = (exact.get(tuple(entry["actions"]), 0.0) - entry["p"])
    distance = 0.5 * sum(abs(difference) for difference in exact.values())
    if distance > certificate["tv"] + 1e-9:
        yield f"the actions are {distance} away, and the certificate says {certificate['tv']}"
    best = min(wanted["efe"])
    slack = 1e-10 * (1.0 + abs(best))
    if certificate["best_is_optimal"] and found["best"]["efe"] > best + slack:
        yield f"the best has {found['best']['efe']}, there is {best}"
    if found["best"]["efe"] - certificate["gap"] > best + slack:
        yield f"the gap {certificate['gap']} is too small: {found['best']['efe']}, {best}"
    if certificate["action_is_exact"]:
        top = max(found["action_probabilities"], key=lambda entry: entry["p"])["actions"]
        most = max(wanted["probabilities"].values())
        if wanted["probabilities"][tuple(top)] < most - 1e-9:
            yield f"{top} is not the most probable action"


def meeting(number):
    """A model whose prefixes meet: every transition is certain, and there are few states."""
    rng = np.random.default_rng([20241, number])
    n_state, n_action = int(rng.integers(2, 6)), int(rng.integers(2, 5))
    next_state = rng.integers(n_state, size=(n_state, n_action))
    B = np.zeros((n_state, n_state, n_action))
    for state, action in np.ndindex(n_state, n_action):
        B[next_state[state, action], state, action] = 1
    A = random_model.columns(rng, [4, n_state], random_model.column_kind(rng))
    return {"format": "sonde-model", "version": 1, "factors": [{"states": n_state,
                                                                "actions": n_action}],
            "modalities": [{"outcomes": 4}], "A": [(A / A.sum(axis=0)).tolist()], "B": [B.tolist()],
            "C": [rng.normal(scale=rng.choice([0.3, 1, 4]), size=4).tolist()],
            "D": [rng.dirichlet(np.ones(n_state)).tolist() if number % 3 else
                  np.eye(n_state)[0].tolist()],
            "horizon": 5, "gamma": float(rng.choice([0.3, 1, 4]))}


def compare(number, folder, is_meeting=False, weights=(1, 1, 1)):
    document = meeting(number) if is_meeting else random_model.model_of(number)[0]
    path = pathlib.Path(folder) / f"bounded-{number}-{is_meeting}-{hash(weights)}.json"
    counted = random_model.weight_options(weights) if weights != (1, 1, 1) else []
    path.write_text(json.dumps(document))
    sentences = []
    try:
        model = pomdp.Model(document)
        model.weights = weights
        wanted = pomdp.plan(model)
        for options in ([], ["--epsilon", "0.3"], ["--epsilon", "0", "--budget", "40"]):
            found = run(path, *options, *counted)
            sentences += [f"{' '.join(options)}: {wrong}" for wrong in wrong_with(found, wanted)]
    except (ValueError, KeyError, TypeError) as error:
        sentences.append(f"{type(error).__name__} {error}")
    path.unlink()
    return [f"model {number}, {' '.join(counted)}: {sentence}" for sentence in sentences]


class Certificates(unittest.TestCase):
    @unittest.skipUnless(COMMAND, "SONDE_COMMAND says which command")
    def test_certificates_are_true_on_random_models(self):
        self.compare_all(N_MODEL, False)

    @unittest.skipUnless(COMMAND, "SONDE_COMMAND says which command")
    def test_certificates_are_true_where_prefixes_meet(self):
        self.compare_all(N_MODEL // 10, True)

    @unittest.skipUnless(COMMAND, "SONDE_COMMAND says which command")
    def test_certificates_are_true_whatever_counts_in_G(self):
        for weights in [(0, 1, 1), (1, 0, 1), (1, 1, 0), (0, 0, 1), (0.3, 2, 1), (2, 0.3, 0.5)]:
            self.compare_all(3 * N_MODEL // 10, False, weights)
            self.compare_all(N_MODEL // 100, True, weights)

    def compare_all(self, n, is_meeting, weights=(1, 1, 1)):
        with tempfile.TemporaryDirectory(dir=os.environ.get("SONDE_TEST_TMP")) as folder, \
                concurrent.futures.ProcessPoolExecutor(N_PROCESS) as pool:
            found = list(pool.map(compare, range(n), [folder] * n, [is_meeting] * n,
                                  [weights] * n, chunksize=10))
        wrong = [sentences for sentences in found if sentences]
        self.assertFalse(wrong, "\n".join(sentences[0] for sentences in wrong[:20]))


if __name__ == "__main__":
    unittest.main()
