"""Open loop on models in which an action shows or costs something, beside a plain version."""
import itertools
import json
import math
import os
import subprocess

import numpy as np
import pytest

COMMAND = os.environ["SONDE_COMMAND"]
FLOOR = 1e-16


def run(*words):
    return subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True, check=False)


def document(*words):
    done = run(*words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def columns(rng, *shape):
    table = rng.random(shape) * (rng.random(shape) < 0.8) + 1e-3
    return table / table.sum(axis=0)


def random_model(path, seed, **keys):
    rng = np.random.default_rng(seed)
    states = [int(rng.integers(2, 4)) for _ in range(int(rng.integers(1, 3)))]
    actions = [int(rng.integers(2, 4)) if f == 0 else 1 + int(rng.integers(0, 2))
               for f in range(len(states))]
    n_action = math.prod(actions)
    A = []
    for m in range(int(rng.integers(1, 3))):
        by = [n_action] if m == 0 or rng.random() < 0.5 else []
        A.append(columns(rng, int(rng.integers(2, 4)), *states, *by))
    made = {
        "format": "sonde-model", "version": 1, "horizon": 3, "policies": "all",
        "factors": [{"states": n, "actions": u} for n, u in zip(states, actions)],
        "modalities": [{"outcomes": len(a)} for a in A],
        "A": [a.tolist() for a in A],
        "B": [columns(rng, n, n, u).tolist() for n, u in zip(states, actions)],
        "C": [rng.uniform(-2, 2, len(a)).tolist() for a in A],
        "cost": [rng.uniform(0, 1, len(a)).tolist() for a in A], "lambda": 0.5,
        "D": [columns(rng, n).tolist() for n in states],
        "action_cost": rng.uniform(-1, 1, (*states, n_action)).tolist(),
        "preferences": "utility" if rng.random() < 0.5 else "log",
        "information": ["per-modality", "joint", "off"][seed % 3],
        **keys,
    }
    path.write_text(json.dumps(made))
    return made


def product(beliefs):
    return np.array([math.prod(p) for p in itertools.product(*beliefs)])


def neg(q):
    return float(np.sum(np.where(q > 0, q * np.log(np.maximum(q, FLOOR)), 0)))


def score(made, sequence):
    """(risk, ambiguity, cost) of a sequence of tuples of actions, numbered."""
    B = [np.array(b) for b in made["B"]]
    A = [np.array(a) for a in made["A"]]
    actions = [f["actions"] for f in made["factors"]]
    n_state = math.prod(f["states"] for f in made["factors"])
    charge = np.array(made["action_cost"]).reshape(n_state, -1)
    beliefs = [np.array(d) for d in made["D"]]
    risk = ambiguity = cost = 0.0
    off, joint = made["information"] == "off", made["information"] == "joint"
    for u in sequence:
        cost += product(beliefs) @ charge[:, u]
        tuple_ = np.unravel_index(u, actions)
        beliefs = [b[:, :, a] @ q for b, a, q in zip(B, tuple_, beliefs)]
        q = product(beliefs)
        together = np.ones((n_state, 1))
        for a, c, price in zip(A, made["C"], made["cost"]):
            shown = a[..., u] if a.ndim > len(beliefs) + 1 else a
            shown = shown.reshape(len(a), n_state)
            c = np.array(c)
            if made["preferences"] == "log":
                c = np.log(np.maximum(np.exp(c - c.max()) / np.exp(c - c.max()).sum(), FLOOR))
            seen = shown @ q
            risk -= seen @ c
            cost += 0.5 * (seen @ np.array(price))
            if not off:
                ambiguity -= sum(p * neg(shown[:, s]) for s, p in enumerate(q))
                risk += 0 if joint else neg(seen)
            together = (together[:, :, None] * shown.T[:, None, :]).reshape(n_state, -1)
        risk += neg(q @ together) if joint else 0
    return risk, ambiguity, cost


@pytest.mark.parametrize("seed", range(12))
def test_every_policy_scores_as_the_plain_version_has_it(tmp_path, seed):
    made = random_model(tmp_path / "m.json", seed)
    actions = [f["actions"] for f in made["factors"]]
    found = document("efe", tmp_path / "m.json")["policies"]
    best = math.inf
    assert len(found) == math.prod(actions) ** 3
    for policy in found:
        sequence = [int(np.ravel_multi_index(step, actions)) for step in policy["actions"]]
        terms = score(made, sequence)
        for name, value in zip(("risk", "ambiguity", "cost"), terms):
            assert math.isclose(policy[name], value, abs_tol=1e-12), name
        assert math.isclose(policy["efe"], sum(terms), abs_tol=1e-12)
        best = min(best, sum(terms))
    full = document("plan", tmp_path / "m.json", "--search", "full")
    sure = document("plan", tmp_path / "m.json", "--search", "bounded", "--epsilon", "1e-9")
    assert math.isclose(full["best"]["efe"], best, abs_tol=1e-12)
    assert math.isclose(sure["best"]["efe"], best, abs_tol=1e-12)
    assert sure["certificate"]["tv"] <= 1e-9
    for a, b in zip(full["first_actions"], sure["first_actions"]):
        assert abs(a["posterior"] - b["posterior"]) <= sure["certificate"]["tv"] + 1e-12
    for search in "beam", "random", "cluster", "surrogate", "tree":
        some = document("plan", tmp_path / "m.json", "--search", search)["best"]["efe"]
        assert some >= best - 1e-12
    rough = document("plan", tmp_path / "m.json", "--search", "bounded", "--epsilon", "0.05")
    apart = sum(abs(a["posterior"] - b["posterior"])
                for a, b in zip(full["first_actions"], rough["first_actions"])) / 2
    assert apart <= rough["certificate"]["tv"] + 1e-12


def test_one_step_is_one_step_of_closed_loop(tmp_path):
    for seed in range(8):
        random_model(tmp_path / "m.json", seed, horizon=1)
        scored = document("efe", tmp_path / "m.json")["policies"]
        closed = document("plan", tmp_path / "m.json", "--loop", "closed")
        for found, policy in zip(closed["first_actions"], scored):
            assert math.isclose(sum(found["efe"]) / 2, policy["efe"], abs_tol=1e-9)


def test_an_agent_takes_in_what_its_action_showed(tmp_path):
    for seed in range(6):
        made = random_model(tmp_path / "m.json", seed)
        if len(made["factors"]) > 1:
            continue
        lived = document("simulate", tmp_path / "m.json", "--steps", 4)
        belief = np.array(made["D"][0])
        for t, step in enumerate(lived["steps"]):
            if t > 0:
                u = lived["steps"][t - 1]["action"]["actions"][0]
                belief = np.array(made["B"][0])[:, :, u] @ belief
            for a, o in zip(map(np.array, made["A"]), lived["outcomes"][t]):
                if a.ndim == 2:
                    belief = belief * a[o]
                elif t > 0:
                    belief = belief * a[o][:, u]
            belief = belief / belief.sum()
            assert np.allclose(step["belief"][0], belief, atol=1e-12)


def test_what_is_not_defined_is_refused(tmp_path):
    random_model(tmp_path / "m.json", 1, discount=0.9)
    for words in ["plan"], ["efe"], ["simulate", "--steps", "2"]:
        done = run(words[0], tmp_path / "m.json", *words[1:])
        assert done.returncode == 2 and "a discount" in done.stderr
