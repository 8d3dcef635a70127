#!/usr/bin/env python3
"""agents.py: the same agent on the same model in pymdp and in Sonde, step by step.

    agents.py [--steps N] [MODEL ...]

MODEL is a sonde-model document; without any, the models of examples/models that pymdp can list,
and two random ones. Needs the packages of requirements.txt and the Python package of Sonde (make
wheel) in one environment. In every round both agents see the same outcomes, infer states and
policies and choose deterministically; the world, drawn from a seed, does what Sonde's agent chose.
No belief is handed over: each agent infers its own from its own beliefs of the step before.
A row for each model and each of

    legacy    pymdp.legacy.agent.Agent: NumPy, gamma = alpha = 16. In pymdp 1.0 it adds up
              information modality by modality (0.0.x took it over all of them together), so
              Sonde's agent has information="per-modality"; C goes through softmax;
              inference="pymdp-legacy"
    1.0       pymdp.agent.Agent: JAX, double precision, 16 rounds of inference; sonde.from_pymdp
              makes the model; inference="pymdp"
    plug-in   pymdp.agent.Agent with sonde.policy_search in place of its infer_policies, jitted

is printed: the largest difference between beliefs, between posteriors over policies and between
neg_efe, and how many actions were the same. Where pymdp draws one of several best actions (within
1e-8), Sonde takes the lowest, and such a step counts as the same if both are among them.
The exit status is 1 if an action differs, or beliefs by more than 1e-5.
"""
import argparse
import sys
from pathlib import Path

import numpy as np

import sonde

EXAMPLES = Path(__file__).resolve().parents[2] / "examples/models"


def random_model(seed, states, outcomes, actions, horizon):
    rng = np.random.default_rng(seed)

    def columns(*shape):
        made = rng.random(shape) ** 3 + 1e-3
        return made / made.sum(axis=0)

    return sonde.Model(A=[columns(n, *states) for n in outcomes],
                       B=[columns(n, n, u) for n, u in zip(states, actions)],
                       C=[2 * rng.normal(size=n) for n in outcomes],
                       D=[columns(n) for n in states], horizon=horizon, name=f"random {seed}")


def objects(arrays):
    made = np.empty(len(arrays), dtype=object)
    for i, array in enumerate(arrays):
        made[i] = np.array(array)
    return made


class World:
    """The generative process, which is the model itself."""

    def __init__(self, model, seed):
        self.model = model
        self.rng = np.random.default_rng(seed)
        self.state = [self.rng.choice(len(d), p=d) for d in model.D]

    def outcome(self):
        made = []
        for a, about in zip(self.model.A, self.model.modalities):
            p = a[(slice(None), *(self.state[f] for f in about["factors"]))]
            made.append(int(self.rng.choice(len(p), p=p / p.sum())))
        return made

    def act(self, action):
        moved = []
        for b, about, u in zip(self.model.B, self.model.factors, action):
            p = b[(slice(None), *(self.state[f] for f in about["depends"]), int(u))]
            moved.append(int(self.rng.choice(len(p), p=p / p.sum())))
        self.state = moved


class Row:
    """What has been found on one model."""

    def __init__(self):
        self.belief = self.q_pi = self.efe = 0.0
        self.n = self.same = self.drawn = 0

    def see(self, what, ours, theirs):
        apart = float(np.max(np.abs(np.concatenate([np.ravel(x) for x in ours])
                                    - np.concatenate([np.ravel(x) for x in theirs]))))
        setattr(self, what, max(getattr(self, what), apart))

    def choose(self, ours, theirs, marginals):
        ties = [np.flatnonzero(p > p.max() - 1e-8) for p in marginals]
        same = all(int(a) == int(b) or {int(a), int(b)} <= set(tie.tolist())
                   for a, b, tie in zip(ours, theirs, ties))
        self.n += 1
        self.same += same
        self.drawn += any(len(tie) > 1 for tie in ties)

    def text(self, who, model):
        return (f"{who:8} {model.name or 'model':16} beliefs {self.belief:.1e}  "
                f"q_pi {self.q_pi:.1e}  neg_efe {self.efe:.1e}  actions {self.same}/{self.n}"
                + (f" ({self.drawn} with ties)" if self.drawn else ""))

    def good(self):
        return self.same == self.n and self.belief <= 1e-5


def marginals(q_pi, policies, controls):
    return [np.bincount(policies[:, 0, f], q_pi, n) for f, n in enumerate(controls)]


def with_legacy(model, steps):
    from pymdp.legacy.agent import Agent

    lists = {"A_factor_list": [m["factors"] for m in model.modalities],
             "B_factor_list": [f["depends"] for f in model.factors]}
    parts = {key: objects(getattr(model, key)) for key in "ABCD"}
    theirs = Agent(**parts, **lists, policy_len=model.horizon)
    ours = sonde.pymdp.Agent(**parts, **lists, policy_len=model.horizon, information="per-modality")
    world, row = World(model, 1), Row()
    for _ in range(steps):
        outcome = world.outcome()
        row.see("belief", ours.infer_states(outcome), theirs.infer_states(outcome))
        q_pi, neg_efe = ours.infer_policies()
        q, g = theirs.infer_policies()
        row.see("q_pi", [q_pi], [q])
        row.see("efe", [neg_efe], [g])
        action = ours.sample_action()
        row.choose(action, theirs.sample_action(),
                   marginals(q, np.stack(theirs.policies), model.num_controls))
        theirs.action = action
        world.act(action)
    return row


def pymdp_agent(model):
    import jax.numpy as jnp
    from pymdp.agent import Agent

    return Agent(**{key: [jnp.asarray(np.array(x)) for x in getattr(model, key)] for key in "ABCD"},
                 A_dependencies=[m["factors"] for m in model.modalities],
                 B_dependencies=[f["depends"] for f in model.factors],
                 policy_len=model.horizon, gamma=16.0, sampling_mode="marginal")


def with_new(model, steps):
    import jax.numpy as jnp

    theirs = pymdp_agent(model)
    ours = sonde.pymdp.Agent(model=sonde.from_pymdp(theirs), gamma=16.0)  # inference="pymdp"
    world, row = World(model, 1), Row()
    prior = theirs.D
    for _ in range(steps):
        outcome = world.outcome()
        qs = theirs.infer_states([jnp.array([o]) for o in outcome], prior)
        row.see("belief", ours.infer_states(outcome), [np.asarray(q[0, -1], float) for q in qs])
        q_pi, neg_efe = ours.infer_policies()
        q, g = theirs.infer_policies(qs)
        row.see("q_pi", [q_pi], [np.asarray(q[0])])
        row.see("efe", [neg_efe], [np.asarray(g[0])])
        action = ours.sample_action()
        row.choose(action, np.asarray(theirs.sample_action(q)[0]),
                   marginals(np.asarray(q[0]), np.asarray(theirs.policies.policy_arr),
                             model.num_controls))
        prior = theirs.update_empirical_prior(jnp.asarray(action[None], dtype=int), qs)
        world.act(action)
    return row


def with_plug_in(model, steps):
    import equinox
    import jax.numpy as jnp

    agent = pymdp_agent(model)
    search = equinox.filter_jit(sonde.policy_search)
    world, row = World(model, 1), Row()
    prior = agent.D
    for _ in range(steps):
        qs = agent.infer_states([jnp.array([o]) for o in world.outcome()], prior)
        q_pi, info = search(agent, qs, None)
        q, g = agent.infer_policies(qs)
        row.see("q_pi", [np.asarray(q_pi)], [np.asarray(q)])
        row.see("efe", [np.asarray(info["neg_efe"])], [np.asarray(g)])
        action = np.asarray(agent.sample_action(q_pi))
        row.choose(action[0], np.asarray(agent.sample_action(q)[0]),
                   marginals(np.asarray(q[0]), np.asarray(agent.policies.policy_arr),
                             model.num_controls))
        prior = agent.update_empirical_prior(jnp.asarray(action), qs)
        world.act(action[0])
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", nargs="*", metavar="MODEL")
    parser.add_argument("--steps", type=int, default=50)
    options = parser.parse_args()

    import jax

    jax.config.update("jax_enable_x64", True)
    paths = options.models or [EXAMPLES / f"{name}.json" for name in ("tmaze", "bandit")]
    models = [sonde.Model.from_file(path) for path in paths]
    if not options.models:
        models += [random_model(1, (5,), (4,), (3,), 3),
                   random_model(2, (3, 4), (4, 3), (2, 3), 2)]
    bad = 0
    for model in models:
        if model.n_policy > 3000 or model.preferences != "log":
            print(f"{model!r}: left out")
            continue
        for who, run in (("legacy", with_legacy), ("1.0", with_new), ("plug-in", with_plug_in)):
            row = run(model, options.steps)
            print(row.text(who, model), flush=True)
            bad += not row.good()
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
