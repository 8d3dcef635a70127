#!/usr/bin/env python3
"""policies_jax.py: the posterior over all policies of a model, in JAX and in NumPy.

    policies_jax.py MODEL [--method M] [--horizon T] [--rounds N] [--x64] [--json]

MODEL is a sonde-model document or an .npz with pymdp's arrays. Prints one row: name, policies,
seconds of the fastest of N calls (the compiling one not counted) by the clock and of all processors
together, microseconds a policy by the clock, peak memory of the process with the interpreter and
everything. A process measures one method, since memory counts.

    jax          what pymdp 1.0's update_posterior_policies computes, jitted: every policy on its
                 own, mapped over policies, scanned over steps; per-modality information
    jax-chunked  the same with a few thousand policies at a time, which keeps it in the cache
    jax-tree     each distinct prefix scored once, level by level: not pymdp's way, but Sonde's
    numpy        every policy on its own, vectorised over policies, double precision
    numpy-tree   each distinct prefix once, double precision

JAX computes in single precision, as pymdp does, unless --x64.
"""
import argparse
import dataclasses
import functools

import numpy as np

import peer_model

CHUNK = 4096                        # policies at a time, where they are not all done at once
LEAST = np.finfo(np.float64).eps    # below it pymdp takes no logarithm


# ------------------------------------------------------------- every policy on its own, in JAX --

def jax_policies(model, chunked):
    """A jitted function of nothing that gives neg_efe and posterior of every policy."""
    import jax
    import jax.numpy as jnp

    A, B, C, D = ([jnp.asarray(x) for x in xs] for xs in (model.A, model.B, model.C, model.D))
    policies = jnp.asarray(model.every_policy())
    gamma = model.gamma

    def xlogx(x):
        return x * jnp.log(jnp.clip(x, LEAST))

    def dot(array, beliefs):
        """The array with its last axes summed over, one belief for each: the product of the
        beliefs first, and on the left, which is the order that XLA is fastest with."""
        joint = functools.reduce(lambda p, q: jnp.outer(p, q).ravel(), beliefs)
        kept = array.shape[:array.ndim - len(beliefs)]
        return jnp.tensordot(joint, array.reshape(*kept, joint.size), axes=(0, len(kept)))

    @jax.jit
    def score(A, B, C, D, policies):
        ambiguity = [-xlogx(a).sum(axis=0) for a in A]
        moves = [jnp.moveaxis(b, -1, 0) for b in B]   # an action's matrix in one piece

        def neg_efe_of(policy):
            def step(carry, t):
                q, total = carry
                q = [dot(move[policy[t, f]], [q[i] for i in model.B_factors[f]])
                     for f, move in enumerate(moves)]
                for m, a in enumerate(A):
                    of = [q[i] for i in model.A_factors[m]]
                    qo = dot(a, of)
                    gain = -xlogx(qo).sum() - dot(ambiguity[m], of)
                    total += gain + (qo * (C[m][t] if C[m].ndim > 1 else C[m])).sum()
                return (q, total), None
            start = (D, jnp.zeros((), D[0].dtype))
            return jax.lax.scan(step, start, jnp.arange(model.horizon))[0][1]

        if chunked:
            neg_efe = jax.lax.map(neg_efe_of, policies, batch_size=CHUNK)
        else:
            neg_efe = jax.vmap(neg_efe_of)(policies)
        return neg_efe, jax.nn.softmax(gamma * neg_efe)

    return lambda: jax.block_until_ready(score(A, B, C, D, policies))


# ----------------------------------------------------------- every policy on its own, in NumPy --

def softmax(x):
    x = np.exp(x - x.max())
    return x / x.sum()


def ambiguities(xp, model):
    """Entropy of the outcomes in each state: per modality [state...]."""
    return [-(a * xp.log(xp.maximum(a, LEAST))).sum(axis=0) for a in model.A]


def joint_of(beliefs):
    """Products of rows of beliefs: [row, combination of states]."""
    joint = beliefs[0]
    for q in beliefs[1:]:
        joint = (joint[:, :, None] * q[:, None, :]).reshape(len(joint), -1)
    return joint


def step_neg_efe(xp, model, ambiguity, q, t):
    """What one step adds, for rows of beliefs: [row]."""
    total = 0.0
    for m, a in enumerate(model.A):
        joint = joint_of([q[i] for i in model.A_factors[m]])
        qo = joint @ a.reshape(len(a), -1).T
        utility = model.C[m][t] if model.C[m].ndim > 1 else model.C[m]
        total += qo @ utility - (qo * xp.log(xp.maximum(qo, LEAST))).sum(axis=1)
        total -= joint @ ambiguity[m].ravel()
    return total


def numpy_policies(model):
    """The same as jax_policies, for rows of policies and one action of a factor at a time."""
    policies = model.every_policy()
    ambiguity = ambiguities(np, model)
    # [action][combination of previous states, next]: what a row of beliefs is multiplied by
    moves = [[b[..., u].reshape(len(b), -1).T.copy() for u in range(b.shape[-1])] for b in model.B]

    def moved(q, f, actions):
        joint = joint_of([q[i] for i in model.B_factors[f]])
        result = np.empty((len(actions), len(model.B[f])))
        for u, move in enumerate(moves[f]):
            rows = np.flatnonzero(actions == u)
            result[rows] = joint[rows] @ move
        return result

    def score():
        neg_efe = np.zeros(len(policies))
        for start in range(0, len(policies), CHUNK):
            chunk = policies[start:start + CHUNK]
            q = [np.broadcast_to(d, (len(chunk), len(d))) for d in model.D]
            for t in range(model.horizon):
                q = [moved(q, f, chunk[:, t, f]) for f in range(len(moves))]
                neg_efe[start:start + CHUNK] += step_neg_efe(np, model, ambiguity, q, t)
        return neg_efe, softmax(model.gamma * neg_efe)

    return score


# -------------------------------------------------------------------------- every prefix once --

def tree(xp, model):
    """neg_efe of every policy, by prefixes: all of one length before any that is longer."""
    ambiguity = ambiguities(xp, model)
    q = [d[None] for d in model.D]
    total = xp.zeros(1)
    for t in range(model.horizon):
        n_row = len(total)
        children = []
        for f, b in enumerate(model.B):
            # every action of this factor ...
            joint = joint_of([q[i] for i in model.B_factors[f]])
            move = xp.moveaxis(b, (-1, 0), (-2, -1)).reshape(joint.shape[1], -1)
            after = (joint @ move).reshape(n_row, b.shape[-1], len(b))
            # ... as often as there are actions of the others
            place = [n if i == f else 1 for i, n in enumerate(model.n_action)]
            after = after.reshape(n_row, *place, len(b))
            after = xp.broadcast_to(after, (n_row, *model.n_action, len(b)))
            children.append(after.reshape(-1, len(b)))
        q = children
        total = xp.repeat(total, len(q[0]) // n_row) + step_neg_efe(xp, model, ambiguity, q, t)
    return total


def numpy_tree(model):
    def score():
        neg_efe = tree(np, model)
        return neg_efe, softmax(model.gamma * neg_efe)
    return score


def jax_tree(model):
    import jax
    import jax.numpy as jnp

    arrays = {key: [jnp.asarray(x) for x in getattr(model, key)] for key in "ABCD"}

    @jax.jit
    def score(arrays):
        neg_efe = tree(jnp, dataclasses.replace(model, **arrays))
        return neg_efe, jax.nn.softmax(model.gamma * neg_efe)

    return lambda: jax.block_until_ready(score(arrays))


METHODS = {
    "jax": lambda model: jax_policies(model, False),
    "jax-chunked": lambda model: jax_policies(model, True),
    "jax-tree": jax_tree,
    "numpy": numpy_policies,
    "numpy-tree": numpy_tree,
}


def main():
    parser = argparse.ArgumentParser(description="the posterior over all policies of a model")
    parser.add_argument("model")
    parser.add_argument("--method", choices=METHODS, default="jax")
    parser.add_argument("--horizon", type=int, help="steps in a policy, instead of the file's")
    parser.add_argument("--rounds", type=int, default=5, help="the fastest of this many calls")
    parser.add_argument("--x64", action="store_true", help="double precision in JAX")
    parser.add_argument("--json", action="store_true", help="a document with the result")
    settings = parser.parse_args()

    if settings.x64 and settings.method.startswith("jax"):
        import jax
        jax.config.update("jax_enable_x64", True)
    model = peer_model.read(settings.model, settings.horizon)
    if settings.method.endswith("tree") and model.policies is not None:
        parser.error("a tree is for all policies, and this model lists its own")

    score = METHODS[settings.method](model)
    neg_efe, posterior = score()
    times = peer_model.least(score, settings.rounds)
    peer_model.report(model, settings.method, times, neg_efe, posterior, settings.json)


if __name__ == "__main__":
    main()
