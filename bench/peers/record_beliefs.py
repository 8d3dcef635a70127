#!/usr/bin/env python3
"""record_beliefs.py: what pymdp believes, step by step, for tests/data/beliefs.json.

    record_beliefs.py FILE

The models, outcomes and actions are drawn from seeds with NumPy. Each package is run in an
environment of its own and adds its numbers to FILE:

    inferactively-pymdp 1.0.4      "pymdp": beliefs and free energies, in single precision
    inferactively-pymdp 0.0.7.1    "pymdp-legacy": beliefs, in double precision

Every agent goes on from its own beliefs: nothing is handed over. "soft" cases have a distribution
over outcomes in place of each outcome.
"""
import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np

STEPS = 30
# states, outcomes and actions of each factor or modality, the factors of each modality, and how
# often a number is 0
SHAPES = [("one", (5,), (4, 3), (3,), [[0], [0]], 0.0),
          ("one-zeros", (4,), (4,), (2,), [[0]], 0.4),
          ("3x3", (3, 3), (3, 3), (2, 2), [[0, 1], [0, 1]], 0.0),
          ("3x3-zeros", (3, 3), (3, 3), (2, 2), [[0, 1], [0, 1]], 0.4),
          ("2x3x4", (2, 3, 4), (3, 4, 2), (1, 2, 2), [[0, 1, 2], [1, 2], [0, 2]], 0.0),
          ("4x2-many", (4, 2), (2, 3, 2, 4), (2, 1), [[0, 1], [0], [1], [0, 1]], 0.2)]


def columns(rng, zeros, *shape):
    """Random probabilities down the first axis, some of which are 0."""
    made = rng.random(shape) ** 2 + 1e-3
    made[rng.random(shape) < zeros] = 0.0
    made[0] += made.sum(axis=0) == 0.0
    return made / made.sum(axis=0)


def draw(seed, name, states, outcomes, actions, factors, zeros, soft):
    """A model, and what happens in its own world."""
    rng = np.random.default_rng(seed)
    A = [columns(rng, zeros, n, *(states[f] for f in on)) for n, on in zip(outcomes, factors)]
    B = [columns(rng, 0.0, n, n, u) for n, u in zip(states, actions)]
    D = [columns(rng, 0.0, n) for n in states]
    state = [int(rng.choice(n, p=d)) for n, d in zip(states, D)]
    steps = []
    for _ in range(STEPS):
        seen = [int(rng.choice(len(a), p=a[(slice(None), *(state[f] for f in on))]))
                for a, on in zip(A, factors)]
        action = [int(rng.integers(u)) for u in actions]
        state = [int(rng.choice(len(b), p=b[:, s, u])) for b, s, u in zip(B, state, action)]
        step = {"outcome": seen, "action": action}
        if soft:
            step["soft"] = [(0.8 * np.eye(n)[o] + 0.2 * columns(rng, 0.0, n)).tolist()
                            for n, o in zip(outcomes, seen)]
        steps.append(step)
    model = {"format": "sonde-model", "version": 1, "name": name, "horizon": 1,
             "factors": [{"states": n, "actions": u} for n, u in zip(states, actions)],
             "modalities": [{"outcomes": n, "factors": on} for n, on in zip(outcomes, factors)],
             "A": [a.tolist() for a in A], "B": [b.tolist() for b in B],
             "C": [[0.0] * n for n in outcomes], "D": [d.tolist() for d in D]}
    return {"model": model, "steps": steps}


def cases():
    plain = [draw(seed, *shape, False) for seed, shape in enumerate(SHAPES)]
    soft = [draw(100 + seed, shape[0] + "-soft", *shape[1:], True)
            for seed, shape in enumerate(SHAPES)]
    return plain + soft


def arrays(case, key, kind=np.float64):
    return [np.array(x, kind) for x in case["model"][key]]


def run_new(case):
    """pymdp 1.0: the beliefs of every step, and their free energies."""
    import jax.numpy as jnp
    from pymdp.agent import Agent

    soft = "soft" in case["steps"][0]
    agent = Agent(**{key: [jnp.asarray(x, jnp.float32) for x in arrays(case, key)]
                     for key in "ABCD"},
                  A_dependencies=[m["factors"] for m in case["model"]["modalities"]],
                  categorical_obs=soft)
    prior, found, energy = agent.D, [], []
    for step in case["steps"]:
        seen = [jnp.asarray([x]) for x in step["soft" if soft else "outcome"]]
        qs, info = agent.infer_states(seen, prior, return_info=True)
        found.append([np.asarray(q[0, -1], float).tolist() for q in qs])
        energy.append(float(np.asarray(info["vfe"]).reshape(-1)[0]))
        prior = agent.update_empirical_prior(jnp.asarray([step["action"]]), qs)
    return {"belief": found, "free_energy": energy}


def run_legacy(case):
    """pymdp 0.0.7: the beliefs of every step."""
    from pymdp.agent import Agent

    def objects(listed):
        made = np.empty(len(listed), dtype=object)
        made[:] = listed
        return made

    states = [f["states"] for f in case["model"]["factors"]]
    # every modality depends on every factor there
    A = []
    for a, modality in zip(arrays(case, "A"), case["model"]["modalities"]):
        on = modality["factors"]
        shape = [len(a)] + [n if f in on else 1 for f, n in enumerate(states)]
        A.append(np.broadcast_to(a.reshape(shape), [len(a), *states]).copy())
    agent = Agent(A=objects(A), **{key: objects(arrays(case, key)) for key in "BCD"})
    found = []
    for step in case["steps"]:
        soft = "soft" in step
        seen = objects([np.array(w) for w in step["soft"]]) if soft else step["outcome"]
        qs = agent.infer_states(seen, distr_obs=soft) if soft else agent.infer_states(seen)
        found.append([np.asarray(q, float).tolist() for q in qs])
        agent.action = np.array(step["action"], dtype=float)
    return {"belief": found}


def main():
    path = Path(sys.argv[1])
    recorded = json.loads(path.read_text()) if path.exists() else {"cases": cases()}
    found = version("inferactively-pymdp")
    who, run = ("pymdp-legacy", run_legacy) if found.startswith("0.") else ("pymdp", run_new)
    for case in recorded["cases"]:
        case[who] = run(case)
    recorded[who] = found
    path.write_text(json.dumps(recorded) + "\n")


if __name__ == "__main__":
    main()
