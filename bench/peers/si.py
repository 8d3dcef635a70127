"""One decision of pymdp's tree search (sophisticated inference), jitted and warm, beside Sonde's.

    PYTHON bench/peers/si.py MODEL.json HORIZON [NODES]

with a PYTHON that has inferactively-pymdp 1.0.4, sonde, or both: each prints what it has. pymdp's
tree has no thresholds and so many nodes (exact), or its defaults; float32, batch 1, on the CPU.
"""
import json
import sys
import time

import numpy as np


def least(call, seconds=2.0):
    """The shortest of some calls, warm."""
    call()
    found, began = [], time.perf_counter()
    while len(found) < 2 or time.perf_counter() - began < seconds:
        before = time.perf_counter()
        call()
        found.append(time.perf_counter() - before)
    return min(found)


def dense(array):
    """An array of a model file, whether it is listed in full or not."""
    if isinstance(array, dict):
        made = np.zeros(array["shape"])
        for *index, value in array["entries"]:
            made[tuple(index)] = value
        return made
    return np.array(array, dtype=float)


def log_softmax(c):
    return c - np.log(np.sum(np.exp(c - c.max()))) - c.max()


def pymdp_times(path, horizon, nodes):
    import jax
    import jax.numpy as jnp
    from pymdp.agent import Agent
    from pymdp.planning.si import si_policy_search
    made = json.load(open(path, encoding="utf-8"))
    A, B, D = ([dense(a) for a in made[key]] for key in "ABD")
    C = [dense(c) for c in made["C"]]
    if made.get("preferences", "log") == "log":
        C = [log_softmax(c) for c in C]
    agent = Agent(A=[jnp.array(a) for a in A], B=[jnp.array(b) for b in B],
                  C=[jnp.array(c) for c in C], D=[jnp.array(d) for d in D],
                  policy_len=1, batch_size=1)
    qs = [jnp.array(d)[None, None] for d in D]
    n_policy = int(np.prod([b.shape[-1] for b in B]))
    n_outcome = int(np.prod([a.shape[0] for a in A]))
    key = jax.random.PRNGKey(0)
    for name, options in (
            ("defaults", {"horizon": horizon, "max_branching": max(10, n_policy)}),
            ("exact", {"horizon": horizon, "max_nodes": nodes,
                       "max_branching": max(n_policy, n_outcome), "policy_prune_threshold": 0.0,
                       "observation_prune_threshold": 0.0, "entropy_stop_threshold": -1.0})):
        search = si_policy_search(**options)

        def call():
            q_pi, _ = search(agent, qs, key)
            return np.asarray(jax.block_until_ready(q_pi))
        began = time.perf_counter()
        q = call()
        compiled = time.perf_counter() - began
        print(f"pymdp {name}: {1e3 * least(call):.3f} ms, the first {compiled:.1f} s, "
              f"q {np.round(np.ravel(q), 5).tolist()}", flush=True)


def sonde_times(path, horizon):
    import sonde
    for backup in "average", "free-energy", "min":
        model = sonde.Model.from_file(path, horizon=horizon)

        def call():
            return sonde.plan(model, loop="closed", backup=backup, search="full", gamma=1.0)
        found = call()
        print(f"sonde {backup}: {1e3 * least(call):.3f} ms from nothing, {found.search}, "
              f"tv {found.certificate['tv']:.1e}, q {np.round(found.p, 5).tolist()}", flush=True)


if __name__ == "__main__":
    file, steps = sys.argv[1], int(sys.argv[2])
    try:
        pymdp_times(file, steps, int(sys.argv[3]) if len(sys.argv) > 3 else 20000)
    except ModuleNotFoundError as missing:
        print(f"pymdp: {missing}")
    try:
        sonde_times(file, steps)
    except ModuleNotFoundError as missing:
        print(f"sonde: {missing}")
