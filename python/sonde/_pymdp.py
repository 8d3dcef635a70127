"""From pymdp and into it: an agent's arrays as a model, and a search as its plug-in."""
from __future__ import annotations

from typing import Any

import numpy as np

from ._agent import Agent
from ._model import Model
from ._names import like


def _normal(array: Any) -> np.ndarray:
    """Single precision sums to 1 less closely than the library wants, so its columns are divided by
    their sums here; what is further off than that is left for the library to find."""
    given = np.asarray(array)
    made = np.asarray(given, dtype=np.float64)
    if given.dtype == np.float64:
        return made
    total = made.sum(axis=0, keepdims=True)
    return made / total if np.all(np.abs(total - 1.0) < 1e-4) else made


def _is_product(policies: np.ndarray, controls: list[int]) -> bool:
    """Whether policies (n, T, n_factor) are all sequences of actions, the last fastest."""
    n, length, _ = policies.shape
    if float(np.prod(controls, dtype=float)) ** length != n:
        return False
    every = np.indices((*controls,) * length).reshape(length * len(controls), -1).T
    return np.array_equal(every.reshape(policies.shape), policies)


def _model(A: Any, B: Any, C: Any, D: Any, E: Any, policies: np.ndarray, A_depends: Any,
           B_depends: Any, gamma: float, package: str, listed: bool = False) -> Model:
    """A model with the conventions of a package."""
    habits = like(package)
    B = [_normal(b) for b in B]
    controls = [b.shape[-1] for b in B]
    even = E is None or np.ptp(E) <= 1e-6 * np.max(E)
    whole = even and not listed and _is_product(policies, controls)
    C = [np.asarray(c, dtype=np.float64) for c in C]
    if any(c.ndim == 2 for c in C):
        C = [c if c.ndim == 2 else np.tile(c, (policies.shape[1], 1)) for c in C]
    return Model([_normal(a) for a in A], B, C, [_normal(d) for d in D],
                 horizon=policies.shape[1], policies="all" if whole else policies,
                 E=None if even else np.asarray(E, dtype=np.float64),
                 factors=[{"depends": [int(i) for i in one]} for one in B_depends],
                 modalities=[{"factors": [int(i) for i in one]} for one in A_depends],
                 preferences=habits["preferences"], information=habits["information"], gamma=gamma)


def from_pymdp(agent: Any, batch: int = 0) -> Model:
    """The arrays of a pymdp agent, legacy or 1.0, as a model with that package's conventions.

    Policies become "all" where they are the full product of actions (so that every search applies),
    otherwise a list; gamma and E come along. Of a batch of agents (1.0), one is taken. Agents that
    learn, or that have terms Sonde does not score (inductive inference, parameter information
    gain), are refused.
    """
    for name in ("use_param_info_gain", "use_inductive", "sophisticated"):
        if getattr(agent, name, False):
            raise NotImplementedError(f"{name} is not supported by Sonde")
    for name in ("use_utility", "use_states_info_gain"):
        if not getattr(agent, name, True):
            raise NotImplementedError(f"{name}=False is not supported by Sonde")
    if hasattr(agent, "A_dependencies"):
        one = [[np.asarray(array)[batch] for array in arrays]
               for arrays in (agent.A, agent.B, agent.C, agent.D)]
        policies = np.asarray(getattr(agent.policies, "policy_arr", agent.policies))
        E = None if agent.E is None else np.asarray(agent.E)[batch]
        gamma = float(np.broadcast_to(np.asarray(agent.gamma), (batch + 1,))[batch])
        return _model(*one, E, policies, agent.A_dependencies, agent.B_dependencies, gamma, "pymdp")
    policies = np.stack([np.asarray(policy) for policy in agent.policies])
    C = [np.asarray(c).T for c in agent.C]
    return _model(list(agent.A), list(agent.B), C, list(agent.D),
                  None if agent.E is None else np.asarray(agent.E), policies, agent.A_factor_list,
                  agent.B_factor_list, float(agent.gamma), "pymdp-legacy")


_last: tuple[Any, Any] = ([], None)  # what the last model for the plug-in was made of, and it


def _remembered(arrays: list[np.ndarray], policies: np.ndarray, agent: Any) -> Model:
    """The model of one batch element, made again only if an array has changed."""
    n_A, n_B = len(agent.A), len(agent.B)
    global _last
    given = [policies, *arrays]
    before, model = _last
    if len(before) == len(given) and all(map(np.array_equal, before, given)):
        return model
    *parts, E, gamma = arrays
    A, B, C, D = (parts[:n_A], parts[n_A:n_A + n_B], parts[n_A + n_B:2 * n_A + n_B],
                  parts[2 * n_A + n_B:])
    model = _model(A, B, C, D, E, policies, agent.A_dependencies, agent.B_dependencies,
                   float(gamma), "pymdp", listed=True)
    _last = [array.copy() for array in given], model
    return model


def policy_search(agent: Any, qs: Any, key: Any = None, *, search: str | None = None,
                  **settings: Any) -> tuple[Any, dict[str, Any]]:
    """A search of Sonde as pymdp 1.0's policy_search: (agent, qs, key) -> (q_pi, info).

        >>> rollout(agent, env, num_timesteps, key, policy_search=sonde.policy_search)
        >>> partial(sonde.policy_search, search="cluster", k=12)       # with another search

    q_pi is (batch, policies) over agent.policies, info has neg_efe of the same shape. It works
    inside jit and scan (through jax.pure_callback). key is not used: searches draw from seed=.
    """
    import jax
    import jax.numpy as jnp

    policies = getattr(agent.policies, "policy_arr", agent.policies)
    n_batch, n_policy = qs[0].shape[0], policies.shape[0]
    shape = jax.ShapeDtypeStruct((n_batch, n_policy), jnp.result_type(float))
    E = agent.E if agent.E is not None else jnp.ones((n_batch, n_policy)) / n_policy
    gamma = jnp.broadcast_to(jnp.asarray(agent.gamma), (n_batch,))

    def decide(listed: Any, arrays: Any, beliefs: Any) -> tuple[np.ndarray, np.ndarray]:
        listed = np.asarray(listed)
        arrays = [np.asarray(array) for array in arrays]
        beliefs = [np.asarray(belief) for belief in beliefs]
        q_pi, neg_efe = (np.empty(shape.shape, shape.dtype) for _ in range(2))
        for b in range(n_batch):
            model = _remembered([array[b] for array in arrays], listed, agent)
            searcher = Agent(model=model, search=search, gamma=model.gamma, threads=1, **settings)
            q_pi[b], neg_efe[b] = searcher.infer_policies([_normal(q[b]) for q in beliefs])
        return q_pi, neg_efe

    arrays = [*agent.A, *agent.B, *agent.C, *agent.D, E, gamma]
    q_pi, neg_efe = jax.pure_callback(decide, (shape, shape), policies, arrays,
                                      [q[:, -1] for q in qs])
    return q_pi, {"neg_efe": neg_efe}
