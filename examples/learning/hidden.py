#!/usr/bin/env python3
"""How far learned transitions are from the true ones, where states are seen and where they are not.

    python3 examples/learning/hidden.py
"""
import numpy as np
import sonde

N_STATE, N_ACTION, LENGTH = 3, 2, 100
CHECKS = (200, 2000, 20000)
rng = np.random.default_rng(5)
B = np.stack([rng.dirichlet(np.ones(N_STATE), size=N_STATE).T * 0.9 + 0.1 / N_STATE
              for _ in range(N_ACTION)], axis=-1)
BLURRED = np.full((N_STATE, N_STATE), 0.15) + 0.55 * np.eye(N_STATE)


def divergence(counts):
    """KL of the true columns from the learned ones, on average."""
    learned = counts / counts.sum(axis=0)
    return float((B * np.log(B / learned)).sum(axis=0).mean())


def live(A, learn, seed):
    """Acts at random, and learns; the divergence after some numbers of steps."""
    draw = np.random.default_rng(seed)
    model = sonde.Model([A], [B], [np.zeros(N_STATE)], [np.eye(N_STATE)[0]],
                        counts={"B": [np.ones((N_STATE, N_STATE, N_ACTION))]})
    agent = sonde.Agent(model, learn=learn, search="full")
    found, state = [], 0
    for step in range(1, CHECKS[-1] + 1):
        agent.observe([int(draw.choice(N_STATE, p=A[:, state]))])
        action = int(draw.integers(N_ACTION))
        agent.take([action])
        state = draw.choice(N_STATE, p=B[:, state, action])
        if step % LENGTH == 0:
            agent.end()
            state = 0
        if step in CHECKS:
            found.append(divergence(np.array(agent.counts["B"][0])))
    return np.array(found)


for title, likelihood, how in (("states seen", np.eye(N_STATE), {}),
                               ("hidden, filtered", BLURRED, {}),
                               ("hidden, smoothed", BLURRED,
                                {"when": "episode", "steps": LENGTH})):
    print(f"{title:18}", np.mean([live(likelihood, how, seed) for seed in range(4)], axis=0))
