#!/usr/bin/env python3
"""policies_pymdp.py: the posterior over all policies of a model, by pymdp itself.

    policies_pymdp.py MODEL [--method M] [--horizon T] [--rounds N] [--x64] [--json]
    policies_pymdp.py MODEL --print-g      neg_efe of every policy, one in a line, policy order

MODEL is a sonde-model document or an .npz with pymdp's arrays. The row is as in policies_jax.py.

    pymdp          pymdp.control.update_posterior_policies, jitted, on the arrays of a
                   pymdp.agent.Agent; the policies are ours, since some releases of 1.0 need
                   more than a minute to list 10,000
    pymdp-agent    Agent.infer_policies as in its quick start, not jitted, on an Agent that
                   listed the policies itself; what listing took is reported beside it
    legacy         pymdp.legacy's Agent.infer_policies: NumPy, a loop over policies; information
                   per modality, softmax(C), but gamma is the model's; some hundred policies at most
    legacy-joint   pymdp.legacy.control.update_posterior_policies: information over all
                   modalities together, as the Agent of pymdp 0.0.x had it

pymdp adds C up as it is. Where the model says "log" or "probability" the logarithms are taken
first, so that -neg_efe is Sonde's G; the legacy methods then take a softmax of them, which
changes nothing.
"""
import argparse
import functools
import time

import numpy as np

import peer_model


def new_agent(model, policies):
    """pymdp's Agent of the model; policies None means that it lists them itself."""
    import jax.numpy as jnp
    from pymdp.agent import Agent

    arrays = {key: [jnp.asarray(x) for x in getattr(model, key)] for key in "ABCD"}
    return Agent(**arrays, A_dependencies=model.A_factors, B_dependencies=model.B_factors,
                 policy_len=model.horizon, policies=policies, gamma=model.gamma)


def jitted(model):
    """update_posterior_policies on the arrays of an Agent that knows the first policy only."""
    import jax
    import jax.numpy as jnp
    from pymdp import control

    policies = model.every_policy()
    agent = new_agent(model, jnp.asarray(policies[:1]))
    A, B, C, D = ([x[0] for x in xs] for xs in (agent.A, agent.B, agent.C, agent.D))
    E = jnp.full(len(policies), 1 / len(policies))
    update = jax.jit(functools.partial(
        control.update_posterior_policies, pA=None, pB=None, A_dependencies=model.A_factors,
        B_dependencies=model.B_factors, gamma=model.gamma))
    policies = jnp.asarray(policies)
    return lambda: jax.block_until_ready(update(policies, D, A, B, C, E))[::-1], {}


def by_agent(model):
    """infer_policies of an Agent that listed the policies."""
    import jax

    start = time.perf_counter()
    agent = new_agent(model, None)
    seconds = time.perf_counter() - start
    qs = [d[:, None] for d in agent.D]

    def score():
        q_pi, neg_efe = jax.block_until_ready(agent.infer_policies(qs))
        return neg_efe[0], q_pi[0]

    return score, {"listing_seconds": seconds}


def objects(arrays):
    """Arrays in an array, as legacy code has them."""
    result = np.empty(len(arrays), dtype=object)
    for i, array in enumerate(arrays):
        result[i] = array
    return result


def legacy(model, joint):
    """The NumPy code, one policy after the other; its C has a column for each step."""
    from pymdp.legacy import control
    from pymdp.legacy.agent import Agent

    A, B, D = objects(model.A), objects(model.B), objects(model.D)
    C = objects([c.T for c in model.C])
    policies = list(model.every_policy())
    if joint:
        if any(len(factors) < len(B) for factors in model.A_factors):
            raise SystemExit("legacy-joint: outcomes have to depend on all factors")
        update = functools.partial(control.update_posterior_policies, D, A, B, C, policies,
                                   gamma=model.gamma)
        return lambda: update()[::-1], {}
    agent = Agent(A, B, C=C, D=D, policies=policies, policy_len=model.horizon, gamma=model.gamma,
                  A_factor_list=model.A_factors, B_factor_list=model.B_factors)
    agent.qs = D
    return lambda: agent.infer_policies()[::-1], {}


METHODS = {
    "pymdp": jitted,
    "pymdp-agent": by_agent,
    "legacy": lambda model: legacy(model, False),
    "legacy-joint": lambda model: legacy(model, True),
}


def main():
    parser = argparse.ArgumentParser(description="the posterior over all policies, by pymdp")
    parser.add_argument("model")
    parser.add_argument("--method", choices=METHODS, default="pymdp")
    parser.add_argument("--horizon", type=int, help="steps in a policy, instead of the file's")
    parser.add_argument("--rounds", type=int, default=5, help="the fastest of this many calls")
    parser.add_argument("--x64", action="store_true", help="double precision in JAX")
    parser.add_argument("--json", action="store_true", help="a document with the result")
    parser.add_argument("--print-g", action="store_true", help="neg_efe of every policy")
    settings = parser.parse_args()

    if settings.x64:
        import jax
        jax.config.update("jax_enable_x64", True)
    model = peer_model.read(settings.model, settings.horizon)
    score, more = METHODS[settings.method](model)
    neg_efe, posterior = score()
    if settings.print_g:
        print("\n".join(map(repr, np.asarray(neg_efe, np.float64).tolist())))
        return
    times = peer_model.least(score, settings.rounds)
    peer_model.report(model, settings.method, times, neg_efe, posterior, settings.json, **more)


if __name__ == "__main__":
    main()
