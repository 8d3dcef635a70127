"""pymdp's agents on pymdp's environments, step by step, and with every argument that Sonde takes.

    peers.py worlds OUT          (with pymdp 1.0) writes the environments' arrays
    peers.py record WORLDS OUT   writes what the installed pymdp answers: 1.0, or legacy 0.0.x

tests/data/pymdp has what 1.0.4 and 0.0.7.1 answered; test_crossing.py compares Sonde with that, and
with pymdp itself where it can be imported.
"""
import inspect
import json
import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

N_STEP = 30


def installed():
    """The version of pymdp that can be imported, or None."""
    try:
        return version("inferactively-pymdp")
    except PackageNotFoundError:
        return None


# ---------------------------------------------------------------------------------------- worlds --

def environments():
    """pymdp 1.0's environments and the bandit of its tutorial: arrays, preferences, policy_len."""
    from pymdp.envs.cue_chaining import CueChainingEnv
    from pymdp.envs.grid_world import GridWorld
    from pymdp.envs.tmaze import TMaze

    def taken(env, C, policy_len):
        return {"A": env.A, "B": env.B, "D": env.D, "C": C, "policy_len": policy_len,
                "A_dependencies": env.A_dependencies, "B_dependencies": env.B_dependencies}

    grid = GridWorld(shape=(4, 4), walls=[(1, 1), (2, 1), (1, 2)], initial_position=(0, 0),
                     success_prob=0.85)
    return {
        "tmaze": taken(TMaze(reward_probability=0.9, punishment_probability=0.9),
                       [[0] * 5, [0, 3, -2], [0, 0, 0]], 3),
        "grid": taken(grid, [[0.1 * (r + c) for r in range(4) for c in range(4)]], 3),
        "chaining": taken(CueChainingEnv(grid_shape=(3, 4), cue1_location=(1, 0),
                                         cue2_locations=((0, 1), (1, 1), (2, 1), (2, 2)),
                                         reward_locations=((0, 3), (2, 3))),
                          [[0] * 12, [0] * 5, [0] * 3, [0, 2, -2]], 2),
        "bandit": bandit(),
    }


def bandit():
    """The bandit with a hint of pymdp's tutorial: which arm is better, and where the agent is."""
    hint, better = 0.9, 0.8
    A = [np.zeros((3, 2, 4)), np.zeros((3, 2, 4)), np.zeros((4, 2, 4))]
    for context in range(2):
        A[0][:, context, :] = np.eye(3)[:, [0]]
        A[0][:, context, 1] = [0, hint, 1 - hint] if context == 0 else [0, 1 - hint, hint]
        A[1][:, context, :] = np.eye(3)[:, [0]]
        for arm in range(2):
            won = better if arm == context else 1 - better
            A[1][:, context, 2 + arm] = [0, 1 - won, won]
        A[2][:, context, :] = np.eye(4)
    move = np.zeros((4, 4, 4))
    for u in range(4):
        move[u, :, u] = 1
    return {"A": A, "B": [np.eye(2)[:, :, None], move], "C": [[0, 0, 0], [0, -4, 2], [0] * 4],
            "D": [[0.5, 0.5], [1, 0, 0, 0]], "policy_len": 2,
            "A_dependencies": [[0, 1]] * 3, "B_dependencies": [[0], [1]]}


def listed(value):
    """Arrays as lists of numbers that JSON keeps short."""
    if isinstance(value, dict):
        return {key: listed(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [listed(one) for one in value]
    if hasattr(value, "dtype"):
        return listed(np.asarray(value).tolist())
    return float(f"{value:.9g}") if isinstance(value, float) else value


def normal(array):
    """Columns that sum to 1 in double precision."""
    made = np.asarray(array, dtype=np.float64)
    return made / made.sum(axis=0, keepdims=True)


def arrays(world):
    """The arrays of a recorded world."""
    return {"A": [normal(a) for a in world["A"]], "B": [normal(b) for b in world["B"]],
            "C": [np.array(c, dtype=float) for c in world["C"]],
            "D": [normal(d) for d in world["D"]]}


def whole(world):
    """The same with all factors in every modality, as pymdp 0.0.x has it."""
    parts = arrays(world)
    sizes = [len(d) for d in parts["D"]]
    for m, depends in enumerate(world["A_dependencies"]):
        shape = [n if f in depends else 1 for f, n in enumerate(sizes)]
        a = parts["A"][m]
        parts["A"][m] = np.array(np.broadcast_to(a.reshape(len(a), *shape), (len(a), *sizes)))
    return parts


def random_world(seed=5):
    """A small model without zeros, for the arguments."""
    rng = np.random.default_rng(seed)
    sizes, actions = (3, 2), (2, 3)
    return {"A": [rng.random((n, *sizes)) + 0.05 for n in (4, 3)],
            "B": [rng.random((n, n, u)) + 0.05 for n, u in zip(sizes, actions)],
            "C": [rng.normal(size=4), rng.normal(size=3)],
            "D": [rng.random(n) + 0.1 for n in sizes], "policy_len": 1,
            "A_dependencies": [[0, 1]] * 2, "B_dependencies": [[0], [1]]}


def partial_world(seed=6):
    """One whose modalities and transitions depend on some factors alone."""
    rng = np.random.default_rng(seed)
    return {"A": [rng.random((4, 3)) + 0.05, rng.random((3, 2)) + 0.05],
            "B": [rng.random((3, 3, 2, 2)) + 0.05, rng.random((2, 2, 3)) + 0.05],
            "C": [rng.normal(size=4), rng.normal(size=3)],
            "D": [rng.random(n) + 0.1 for n in (3, 2)], "policy_len": 2,
            "A_dependencies": [[0], [1]], "B_dependencies": [[0, 1], [1]]}


class World:
    """Draws outcomes from the arrays, and moves on."""

    def __init__(self, world, seed):
        self.parts, self.depends = whole(world), world["B_dependencies"]
        self.rng = np.random.default_rng(seed)
        self.state = [self.draw(d) for d in self.parts["D"]]

    def draw(self, p):
        return int(self.rng.choice(len(p), p=p / p.sum()))

    def look(self):
        return [self.draw(a[(slice(None), *self.state)]) for a in self.parts["A"]]

    def move(self, action):
        self.state = [self.draw(b[(slice(None), *(self.state[f] for f in on), int(u))])
                      for b, on, u in zip(self.parts["B"], self.depends, action)]


# ---------------------------------------------------------------------------------------- agents --

class New:
    """An agent of pymdp 1.0, as it is installed, in single precision."""

    name = "pymdp"

    def __init__(self, world, **more):
        import jax.numpy as jnp
        from equinox import filter_jit
        from pymdp.agent import Agent

        self.jnp = jnp
        parts = {key: [jnp.asarray(x, dtype=jnp.float32) for x in listed]
                 for key, listed in arrays(world).items()}
        for key in ("E", "policies"):
            if key in more:
                more[key] = jnp.asarray(more[key])
        given = {"policy_len": world["policy_len"], "A_dependencies": world["A_dependencies"],
                 "B_dependencies": world["B_dependencies"]} | more
        self.agent = Agent(**parts, **given)
        self.prior = self.agent.D
        # what takes many steps is worth compiling
        self.think = filter_jit(self.inferred)

    @staticmethod
    def inferred(agent, seen, prior):
        qs = agent.infer_states(seen, prior)
        return qs, agent.infer_policies(qs)

    def step(self, outcome):
        seen = [self.jnp.asarray(o)[None] for o in outcome]
        self.qs, (q_pi, neg_efe) = self.think(self.agent, seen, self.prior)
        return [np.asarray(q)[0, -1] for q in self.qs], np.asarray(q_pi)[0], np.asarray(neg_efe)[0]

    def act(self, q_pi):
        if self.agent.action_selection == "stochastic":
            return [0] * len(self.agent.B)
        return np.asarray(self.agent.sample_action(self.jnp.asarray(q_pi)[None]))[0].tolist()

    def took(self, action):
        self.prior = self.agent.update_empirical_prior(self.jnp.asarray([action]), self.qs)


class Legacy:
    """An agent of pymdp 0.0.x."""

    name = "pymdp-legacy"

    def __init__(self, world, inside=False, **more):
        Agent = import_module("pymdp.legacy.agent" if inside else "pymdp.agent").Agent

        def objects(listed):
            made = np.empty(len(listed), dtype=object)
            made[:] = [np.asarray(one) for one in listed]
            return made

        if "policies" in more:
            more["policies"] = [np.array(policy) for policy in more["policies"]]
        if "E" in more:
            more["E"] = np.array(more["E"])
        made = arrays(world) if inside else whole(world)
        parts = {key: objects(listed) for key, listed in made.items()}
        self.agent = Agent(**parts, **{"policy_len": world["policy_len"]} | more)

    def step(self, outcome):
        qs = self.agent.infer_states(outcome)
        q_pi, neg_efe = self.agent.infer_policies()
        return [np.asarray(q) for q in qs], np.asarray(q_pi), np.asarray(neg_efe)

    def act(self, _):
        np.random.seed(0)
        return [int(u) for u in self.agent.sample_action()]

    def took(self, action):
        self.agent.action = np.array(action, dtype=float)


def peer():
    """The class of the agents of the pymdp that is installed."""
    return Legacy if installed().startswith("0.") else New


# ----------------------------------------------------------------------------------------- trial --

def live(agent, world, n_step, seed, outcomes=None):
    """What an agent sees, believes, thinks of its policies and does, at each step."""
    place, steps = World(world, seed), []
    for t in range(n_step):
        outcome = place.look() if outcomes is None else outcomes[t]
        qs, q_pi, neg_efe = agent.step(outcome)
        action = agent.act(q_pi)
        steps.append({"outcome": outcome, "qs": qs, "q_pi": q_pi, "neg_efe": neg_efe,
                      "action": action})
        agent.took(action)
        place.move(action)
    return steps


SOFT = [[[0.7, 0.1, 0.1, 0.1], [0.2, 0.5, 0.3]], [[0, 0, 1, 0], [0.25, 0.5, 0.25]],
        [[0.25] * 4, [1, 0, 0]]]
LISTED = [[[0, 1], [1, 0]], [[1, 2], [0, 0]], [[1, 1], [1, 1]], [[0, 0], [0, 2]]]
EVERY = [[[u, v]] for u in range(2) for v in range(3)]

#: arguments that Sonde takes, with values that change something: of both packages, of one of them
TAKEN = {
    "C": {}, "E": {"E": [0.3, 0.1, 0.1, 0.2, 0.2, 0.1]}, "num_controls": {"num_controls": [2, 3]},
    "control_fac_idx": {"control_fac_idx": [1]}, "policy_len": {"policy_len": 2},
    "policies": {"policies": LISTED, "policy_len": 2}, "gamma": {"gamma": 3.0},
    "alpha": {"alpha": 2.5}, "use_utility": {"use_utility": False},
    "use_states_info_gain": {"use_states_info_gain": False},
    "action_selection": {"action_selection": "stochastic", "sampling_mode": "marginal"},
}
TAKEN_NEW = {"sampling_mode": {"sampling_mode": "marginal"}, "inference_algo":
             {"inference_algo": "fpi"}, "categorical_obs": {"categorical_obs": True}}
TAKEN_LEGACY = {"sampling_mode": {"sampling_mode": "full"}, "inference_algo":
                {"inference_algo": "VANILLA"}, "save_belief_hist": {"save_belief_hist": True}}


def taken(package):
    return TAKEN | (TAKEN_NEW if package == "pymdp" else TAKEN_LEGACY)


def record(worlds):
    """All that the installed pymdp answers."""
    kind = peer()
    made = {"version": installed(), "package": kind.name, "arguments": signature("pymdp.agent"),
            "trial": {}, "taken": {}}
    for seed, (name, world) in enumerate(worlds.items()):
        print(name, file=sys.stderr, flush=True)
        made["trial"][name] = live(kind(world), world, N_STEP, seed)
    for name, given in taken(kind.name).items():
        print(name, file=sys.stderr, flush=True)
        soft = SOFT if name == "categorical_obs" else None
        made["taken"][name] = live(kind(random_world(), **given), random_world(), 3, 1, soft)
    if kind is New:
        for name in ("A_dependencies", "B_dependencies"):
            made["taken"][name] = live(kind(partial_world()), partial_world(), 3, 2)
        made["inside"] = inside()
    return listed(made)


def factor_lists():
    world = partial_world()
    return {"A_factor_list": world["A_dependencies"], "B_factor_list": world["B_dependencies"]}


def inside():
    """The legacy Agent that pymdp 1.0 has besides."""
    agent = Legacy(partial_world(), inside=True, **factor_lists())
    return {"arguments": signature("pymdp.legacy.agent"),
            "steps": live(agent, partial_world(), 3, 2)}


def signature(module):
    """Names of an Agent's arguments."""
    return [name for name in inspect.signature(import_module(module).Agent.__init__).parameters
            if name != "self"]


def main():
    out = Path(sys.argv[-1])
    made = (listed(environments()) if sys.argv[1] == "worlds"
            else record(json.loads(Path(sys.argv[2]).read_text())))
    out.write_text(json.dumps(made, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
