"""Records what agents of pymdp believe, plan and learn, in the formats of this folder.

    python record.py [--seed N] [--out FOLDER] [NAME ...]

Run with inferactively-pymdp 0.0.7.1 (and numpy 1.26) or 1.0.4 in the environment: the version says
which recordings are made. Every model is drawn from the seed and the recording's name; `model`,
`settings`, observations and actions of a recording are what a program is given, all else is for
comparison. In both packages methods of the Agent are called step by step, in the order of the demo
(prior, states, policies, learning, action), because `rollout` of 1.0.4 has no rates and fails under
jax_enable_x64; numbers are float64."""
import argparse
import copy
import gzip
import itertools
import json
import pathlib
import platform
import sys
import zlib
from importlib.metadata import version

import numpy as np

VERSION = version("inferactively-pymdp")
LEGACY = VERSION.startswith("0.")

#: what is drawn: states and actions of each factor, outcomes of each modality, what these depend
#: on (None: pymdp's defaults), which counts there are, the share of zeros, and settings
LEGACY_RUNS = {
    "three-AB": {"states": [2, 3, 2], "actions": [2, 1, 3], "outcomes": [3, 4], "learn": "AB",
                 "zeros": .3, "lr": [.3, .8, 1.], "gamma": 1.3, "alpha": 2., "policy_len": 2,
                 "novelty": True, "episodes": 2, "length": 8},
    "two-ABD": {"states": [3, 2], "actions": [3, 2], "outcomes": [2, 3, 2], "learn": "ABD",
                "zeros": 0., "lr": [1., .4, .6], "gamma": 4., "alpha": 1., "policy_len": 2,
                "novelty": True, "episodes": 4, "length": 5, "factors_to_learn": [1]},
    "one-E": {"states": [4], "actions": [3], "outcomes": [4], "learn": "AB", "zeros": .4,
              "lr": [2., .25, 1.], "gamma": 8., "alpha": .7, "policy_len": 3, "novelty": False,
              "episodes": 3, "length": 6, "E": True},
    "kept-B": {"states": [2, 4], "actions": [2, 2], "outcomes": [3], "learn": "A", "counts": "AB",
               "zeros": .2, "lr": [.5, 1., 1.], "gamma": 2., "alpha": 1., "policy_len": 2,
               "novelty": True, "episodes": 1, "length": 15, "modalities_to_learn": [0]},
    # preferences far apart, counts next to 0, policies that E is 0 of
    "strong-AB": {"states": [2, 3], "actions": [2, 2], "outcomes": [3, 2], "learn": "AB",
                  "zeros": .3, "powers": (-6, -1), "lr": [.3, .8, 1.], "gamma": 9., "alpha": .5,
                  "sd_C": 20., "policy_len": 1, "novelty": True, "episodes": 2, "length": 5,
                  "E": "some", "order": "learn-then-plan"},
    "late-D": {"states": [3, 2], "actions": [2, 2], "outcomes": [3], "learn": "D", "zeros": .3,
               "lr": [1., 1., 2.], "gamma": 5., "alpha": .5, "sd_C": 6., "policy_len": 2,
               "novelty": True, "episodes": 4, "length": 3, "D_from": "last"},
}
RUNS = {
    "coupled-AB": {"states": [3, 2, 2], "actions": [2, 1, 3], "outcomes": [4, 3, 2], "learn": "AB",
                   "A_dependencies": [[0, 1], [2], [0, 1, 2]],
                   "B_dependencies": [[0, 1], [1], [0, 2]], "zeros": .25, "lr": [.6, 1.5, 1.],
                   "gamma": 1.7, "alpha": .8, "policy_len": 2, "novelty": True, "episodes": 2,
                   "length": 8, "E": True},
    "three-AB": {"states": [2, 3, 2], "actions": [2, 1, 3], "outcomes": [3, 4], "learn": "AB",
                 "zeros": .3, "lr": [.3, .8, 1.], "gamma": 1.3, "alpha": 2., "policy_len": 2,
                 "novelty": True, "episodes": 2, "length": 8},
    "one-A": {"states": [5], "actions": [3], "outcomes": [3, 2], "learn": "A", "zeros": .5,
              "lr": [2.5, 1., 1.], "gamma": 6., "alpha": 4., "policy_len": 3, "novelty": True,
              "episodes": 3, "length": 6},
    "two-B": {"states": [3, 3], "actions": [3, 2], "outcomes": [5], "learn": "B", "counts": "AB",
              "zeros": 0., "lr": [1., .1, 1.], "gamma": 3., "alpha": 1., "policy_len": 2,
              "novelty": False, "episodes": 1, "length": 14},
    "kept-A": {"states": [3, 2], "actions": [1, 4], "outcomes": [3, 3], "learn": "B",
               "counts": "AB", "zeros": .3, "lr": [1., .9, 1.], "gamma": 2., "alpha": 1.,
               "policy_len": 2, "novelty": True, "episodes": 2, "length": 6},
    "strong-AB": {"states": [2, 3], "actions": [2, 2], "outcomes": [3, 2], "learn": "AB",
                  "zeros": .3, "powers": (-6, -1), "lr": [.3, .8, 1.], "gamma": 9., "alpha": .5,
                  "sd_C": 20., "policy_len": 1, "novelty": True, "episodes": 2, "length": 5},
}
WINDOWS = {
    "one": {"states": [4], "actions": [3], "outcomes": [3, 2], "zeros": .4, "lr": [.7, 1.3, 1.],
            "length": 9, "how": ["exact", "ovf", "mmp", "vmp"]},
    "three": {"states": [2, 3, 2], "actions": [2, 1, 3], "outcomes": [3, 4], "zeros": .2,
              "A_dependencies": [[0, 1], [1, 2]], "lr": [2., .5, 1.], "length": 12,
              "how": ["ovf", "mmp", "vmp"]},
    "coupled": {"states": [3, 2, 2], "actions": [2, 1, 3], "outcomes": [4, 3], "zeros": 0.,
                "A_dependencies": [[0, 1], [2]], "B_dependencies": [[0, 1], [1], [0, 2]],
                "lr": [1., 1., 1.], "length": 8, "how": ["mmp"]},
    "short": {"states": [3, 2], "actions": [2, 2], "outcomes": [3], "zeros": 0.,
              "lr": [1., .5, 1.], "length": 2, "how": ["ovf", "mmp", "vmp"]},
    "single": {"states": [3, 2], "actions": [2, 2], "outcomes": [3], "zeros": 0.,
               "lr": [1., .5, 1.], "length": 1, "how": ["mmp", "vmp"]},
}


def draw_counts(rng, shape, zeros, powers=(-1, 1)):
    """Counts between two powers of 10; some are 0, at least one of a column is not."""
    counts = 10 ** rng.uniform(*powers, shape)
    columns = counts.reshape(shape[0], -1)
    for c in range(columns.shape[1]):
        gone = rng.random(shape[0]) < zeros
        gone[rng.integers(shape[0])] = False
        columns[gone, c] = 0
    return counts


def means(counts):
    return [a / a.sum(axis=0) for a in counts]


def draw_model(rng, s):
    """Arrays of a model, and those of a world in which it lives."""
    n_factor = len(s["states"])
    A_on = s.get("A_dependencies") or [list(range(n_factor))] * len(s["outcomes"])
    B_on = s.get("B_dependencies") or [[f] for f in range(n_factor)]
    powers = s.get("powers", (-1, 1))
    pA = [draw_counts(rng, [o, *(s["states"][f] for f in on)], s["zeros"], powers)
          for o, on in zip(s["outcomes"], A_on)]
    pB = [draw_counts(rng, [n, *(s["states"][f] for f in on), u], s["zeros"], powers)
          for n, on, u in zip(s["states"], B_on, s["actions"])]
    pD = [draw_counts(rng, [n], 0) for n in s["states"]]
    # the world has the zeros of the model, so that nothing happens that cannot
    world = [[np.where(a > 0, 10 ** rng.uniform(-1, 1, a.shape), 0) for a in p] for p in (pA, pB)]
    C = [rng.normal(0, s.get("sd_C", 1.5), o) for o in s["outcomes"]]
    n_policy = int(np.prod(s["actions"])) ** s.get("policy_len", 1)
    E = rng.dirichlet(np.ones(n_policy)) if s.get("E") else None
    if s.get("E") == "some":  # the others are 0
        E = draw_counts(rng, [n_policy], .4)
        E /= E.sum()
    return {"A": means(pA), "B": means(pB), "C": C, "D": means(pD), "E": E, "pA": pA, "pB": pB,
            "pD": pD, "A_dependencies": A_on, "B_dependencies": B_on}, means(world[0]), means(
                world[1])


class World:
    def __init__(self, rng, model, A, B):
        self.rng, self.model, self.A, self.B = rng, model, A, B
        self.state = None

    def pick(self, p):
        return int(self.rng.choice(len(p), p=p / p.sum()))

    def begin(self):
        self.state = [self.pick(d) for d in self.model["D"]]

    def see(self):
        return [self.pick(a[(slice(None), *(self.state[f] for f in on))])
                for a, on in zip(self.A, self.model["A_dependencies"])]

    def move(self, action):
        self.state = [self.pick(b[(slice(None), *(self.state[d] for d in on), u)])
                      for b, on, u in zip(self.B, self.model["B_dependencies"], action)]


def plain(value):
    """As lists and numbers."""
    if value is None or isinstance(value, (bool, str, int, float)):
        return value
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, np.ndarray) and value.dtype == object:
        return [plain(v) for v in value]
    return np.asarray(value).tolist()


def p_of(marginals, alpha, log):
    """Probabilities of each factor's actions."""
    found = []
    for m in marginals:
        z = alpha * log(np.asarray(m, float))
        p = np.exp(z - z.max())
        found.append(p / p.sum())
    return found


def first_actions(q_pi, actions, policy_len):
    """How probable each factor's first action is."""
    tuples = list(itertools.product(*map(range, list(actions) * policy_len)))
    found = [np.zeros(n) for n in actions]
    for p, policy in zip(np.asarray(q_pi).ravel(), tuples):
        for f in range(len(actions)):
            found[f][policy[f]] += p
    return [m / m.sum() for m in found]


# ---------------------------------------------------------------------------------- legacy ---

if LEGACY:
    from pymdp import control, utils
    from pymdp.agent import Agent

    def objects(arrays):
        made = utils.obj_array(len(arrays))
        for i, a in enumerate(arrays):
            made[i] = np.array(a, float)
        return made

    class Legacy:
        def __init__(self, s, m):
            given = s.get("counts", s["learn"])
            self.s, self.before = s, None
            self.agent = Agent(
                A=objects(m["A"]), B=objects(m["B"]), C=objects(m["C"]), D=objects(m["D"]),
                E=m["E"], pA=objects(m["pA"]) if "A" in given else None,
                pB=objects(m["pB"]) if "B" in given else None,
                pD=objects(m["pD"]) if "D" in given else None, policy_len=s["policy_len"],
                gamma=s["gamma"], alpha=s["alpha"], use_param_info_gain=s["novelty"],
                action_selection="stochastic", sampling_mode="marginal", lr_pA=s["lr"][0],
                lr_pB=s["lr"][1], lr_pD=s["lr"][2],
                modalities_to_learn=s.get("modalities_to_learn", "all"),
                factors_to_learn=s.get("factors_to_learn", "all"))
            self.first = None

        def begin(self):
            self.agent.action = None  # which reset() keeps
            self.agent.reset()
            self.first = self.before = None

        def prior(self):
            a = self.agent
            return a.D if a.action is None else control.get_expected_states(
                a.qs, a.B, a.action.reshape(1, -1))[0]

        def novelty(self, qs):
            a, found = self.agent, []
            for policy in a.policies:
                ahead = control.get_expected_states(qs, a.B, policy)
                gain = [0., 0.]
                if a.use_param_info_gain and a.pA is not None:
                    gain[0] = float(np.squeeze(control.calc_pA_info_gain(
                        a.pA, control.get_expected_obs(ahead, a.A), ahead)))
                if a.use_param_info_gain and a.pB is not None:
                    gain[1] = float(np.squeeze(control.calc_pB_info_gain(
                        a.pB, ahead, qs, policy)))
                found.append(gain)
            return found

        def learn(self, seen):
            if "A" in self.s["learn"]:
                self.agent.update_A(seen)
            if "B" in self.s["learn"] and self.before is not None:
                self.agent.update_B(self.before)

        def step(self, seen):
            a, s = self.agent, self.s
            step = {"prior": plain(self.prior())}
            qs = a.infer_states(seen)
            step["qs"] = plain(qs)
            if self.first is None or s.get("D_from") == "last":
                self.first = qs
            if s.get("order") == "learn-then-plan":
                self.learn(seen)
            step["novelty_A_B"] = self.novelty(qs)
            q_pi, neg_efe = a.infer_policies()
            if s.get("order") != "learn-then-plan":
                self.learn(seen)
            self.before = qs
            step["neg_efe"], step["q_pi"] = plain(neg_efe), plain(q_pi)
            step["p_action"] = plain(p_of(first_actions(q_pi, s["actions"], s["policy_len"]),
                                          s["alpha"], lambda x: np.log(x + 1e-16)))
            step["pA"] = plain(a.pA)
            step["pB"] = plain(a.pB)
            return step

        def act(self, action):
            self.agent.action = np.array(action, float)
            self.agent.step_time()

        def end(self):
            return plain(self.agent.update_D(self.first)) if "D" in self.s["learn"] else None

# ------------------------------------------------------------------------------------- 1.0 ---

else:
    import jax
    jax.config.update("jax_enable_x64", True)
    import equinox
    import jax.numpy as jnp
    from pymdp.agent import Agent

    infer_states = equinox.filter_jit(lambda agent, *given: agent.infer_states(*given))
    infer_policies = equinox.filter_jit(lambda agent, qs: agent.infer_policies(qs))
    infer_parameters = equinox.filter_jit(
        lambda agent, *given, **more: agent.infer_parameters(*given, **more))

    def agent_of(s, m, **more):
        given = s.get("counts", s.get("learn", "AB"))
        return Agent(
            A=[jnp.array(a) for a in m["A"]], B=[jnp.array(b) for b in m["B"]],
            C=[jnp.array(c) for c in m["C"]], D=[jnp.array(d) for d in m["D"]],
            E=None if m["E"] is None else jnp.array(m["E"]),
            pA=[jnp.array(a) for a in m["pA"]] if "A" in given else None,
            pB=[jnp.array(b) for b in m["pB"]] if "B" in given else None,
            A_dependencies=m["A_dependencies"], B_dependencies=m["B_dependencies"],
            policy_len=s.get("policy_len", 1), gamma=s.get("gamma", 1.), alpha=s.get("alpha", 1.),
            use_param_info_gain=s.get("novelty", False), action_selection="stochastic",
            sampling_mode="marginal", num_iter=16, **more)

    def alone(arrays):
        return None if arrays is None else [np.asarray(a)[0] for a in arrays]

    class Modern:
        def __init__(self, s, m):
            self.s, self.m = s, m
            self.agent = agent_of(s, m, learn_A="A" in s["learn"], learn_B="B" in s["learn"])
            self.before = self.action = None

        def begin(self):
            self.before = self.action = None

        def novelty(self, qs):
            """[A, B] of every policy, as the difference that they make to neg_efe."""
            if not self.s["novelty"]:
                return [[0., 0.]] * self.agent.policies.num_policies
            got = []
            for keep in ("", "A", "AB"):
                a = agent_with(self.agent, self.agent.pA if "A" in keep else None,
                               self.agent.pB if "B" in keep else None)
                got.append(np.asarray(infer_policies(a, qs)[1])[0])
            return np.stack([got[1] - got[0], got[2] - got[1]], axis=1).tolist()

        def step(self, seen):
            s, a = self.s, self.agent
            prior = a.D if self.action is None else a.update_empirical_prior(self.action,
                                                                             self.before)
            obs = [jnp.array([[o]]) for o in seen]
            qs = infer_states(a, obs, prior)
            q_pi, neg_efe = infer_policies(a, qs)
            step = {"prior": plain(alone(prior)), "qs": [q[0] for q in plain(alone(qs))],
                    "novelty_A_B": self.novelty(qs), "neg_efe": plain(neg_efe[0]),
                    "q_pi": plain(q_pi[0])}
            step["p_action"] = plain(p_of(first_actions(q_pi[0], s["actions"], s["policy_len"]),
                                          s["alpha"],
                                          lambda x: np.log(np.maximum(x, 2.220446049250313e-16))))
            moved = self.action is not None
            before = self.before if moved else qs
            action = self.action if moved else -jnp.ones((1, len(s["actions"])), dtype=int)
            learn_B = "B" in s["learn"]
            self.agent = infer_parameters(
                a, qs, obs, jnp.expand_dims(action, 1) if learn_B else action,
                beliefs_B=[jnp.concatenate(pair, axis=1) for pair in zip(before, qs)]
                if learn_B else None, lr_pA=s["lr"][0], lr_pB=s["lr"][1])
            self.before = qs
            step["pA"], step["pB"] = plain(alone(self.agent.pA)), plain(alone(self.agent.pB))
            return step

        def act(self, action):
            self.action = jnp.array([action])

        def end(self):
            return None

    def agent_with(agent, pA, pB):
        """The same agent with other counts, for what these add."""
        made = copy.copy(agent)
        object.__setattr__(made, "pA", pA)
        object.__setattr__(made, "pB", pB)
        object.__setattr__(made, "use_param_info_gain", pA is not None or pB is not None)
        return made


# ------------------------------------------------------------------------------ recordings ---

def made_with():
    found = {"package": "inferactively-pymdp", "version": VERSION, "numpy": np.__version__,
             "python": platform.python_version(), "dtype": "float64"}
    if not LEGACY:
        found["jax"] = version("jax")
    return found


def counts_given(s, m):
    given = s.get("counts", s.get("learn", "AB"))
    return {f"p{x}": m[f"p{x}"] if x in given else None for x in "ABD"}


def stream(seed, name):
    return np.random.default_rng([seed, zlib.crc32(name.encode())])


def record_run(name, s, seed):
    rng = stream(seed, name)
    m, A, B = draw_model(rng, s)
    world = World(rng, m, A, B)
    agent = Legacy(s, m) if LEGACY else Modern(s, m)
    steps, ll = [], 0.
    for episode in range(s["episodes"]):
        agent.begin()
        world.begin()
        for t in range(s["length"]):
            seen = world.see()
            step = {"episode": episode, "t": t, "observation": seen}
            told = agent.step(seen)
            action = [world.pick(np.array(p)) for p in told["p_action"]]
            ll += sum(float(np.log(p[u])) for p, u in zip(told["p_action"], action))
            agent.act(action)
            world.move(action)
            steps.append(step | {"action": action} | told)
        last = agent.end()
        if last is not None:
            steps[-1]["pD_after_episode"] = last
    rules = "pymdp-legacy" if LEGACY else "pymdp"
    settings = {
        "rules": rules, "order": s.get("order", "plan-then-learn"),
        "inference_algo": "VANILLA (num_iter 10, dF_tol 0.001)" if LEGACY
        else "fpi (num_iter 16)", "sampling_mode": "marginal", "action_selection": "stochastic",
        "use_param_info_gain": s["novelty"], "lr_pA": s["lr"][0], "lr_pB": s["lr"][1],
        "lr_pD": s["lr"][2], "gamma": s["gamma"], "alpha": s["alpha"],
        "policy_len": s["policy_len"], "learn_A": "A" in s["learn"], "learn_B": "B" in s["learn"],
        "learn_D": "D" in s["learn"], "modalities_to_learn": s.get("modalities_to_learn", "all"),
        "factors_to_learn": s.get("factors_to_learn", "all"),
        "D_from": f"{s.get('D_from', 'first')} belief of the episode", "episodes": s["episodes"],
        "length": s["length"]}
    model = {k: m[k] for k in ("A", "B", "C", "D", "E", "A_dependencies", "B_dependencies")}
    return {"format": "sonde-learning-fixture", "version": 1, "name": name,
            "made_with": made_with(), "settings": settings,
            "model": plain(model | counts_given(s, m)), "process": plain({"A": A, "B": B}),
            "steps": steps, "log_likelihood": ll}


def record_window(name, s, how, seed):
    """Beliefs of a whole sequence, and counts after one update from them."""
    rng = stream(seed, name)
    m, A, B = draw_model(rng, s)
    world = World(rng, m, A, B)
    world.begin()
    seen, done = [], []
    for _ in range(s["length"]):
        seen.append(world.see())
        done.append([int(rng.integers(u)) for u in s["actions"]])
        world.move(done[-1])
    agent = agent_of(s, m, inference_algo=how, learning_mode="offline", learn_A=True, learn_B=True)
    actions = jnp.array(done)[None]
    obs = [jnp.array([[step[g] for step in seen]]) for g in range(len(s["outcomes"]))]
    if how in ("mmp", "vmp"):
        # (without actions, be they none, vmp leaves D out)
        qs = agent.infer_states(obs, agent.D, past_actions=actions[:, :-1])
    else:
        qs, prior = None, agent.D
        for t in range(s["length"]):
            q = agent.infer_states([o[:, t:t + 1] for o in obs], prior)
            qs = q if qs is None else [jnp.concatenate(x, axis=1) for x in zip(qs, q)]
            prior = agent.update_empirical_prior(actions[:, t], q)
    learned = agent.infer_parameters(qs, obs, actions, beliefs_B=qs, lr_pA=s["lr"][0],
                                     lr_pB=s["lr"][1])
    settings = {"rules": "pymdp", "inference_algo": how, "num_iter": 16, "tau": 1.0,
                "learning": "offline, after the whole sequence", "lr_pA": s["lr"][0],
                "lr_pB": s["lr"][1]}
    model = {k: m[k] for k in ("A", "B", "C", "D", "pA", "pB", "A_dependencies", "B_dependencies")}
    return {"format": "sonde-smoothing-fixture", "version": 1, "name": f"{name}.{how}",
            "made_with": made_with(), "settings": settings, "model": plain(model),
            "observations": seen, "actions": done, "qs": plain(alone(qs)),
            "pA": plain(alone(learned.pA)), "pB": plain(alone(learned.pB))}


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("names", nargs="*")
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent)
    words = words.parse_args()
    made = {f"{name}.pymdp-{VERSION}": lambda n=name, s=s: record_run(n, s, words.seed)
            for name, s in (LEGACY_RUNS if LEGACY else RUNS).items()}
    if not LEGACY:
        made |= {f"{name}-window-{how}.pymdp-{VERSION}":
                 lambda n=name, s=s, h=how: record_window(n, s, h, words.seed)
                 for name, s in WINDOWS.items() for how in s["how"]}
    for name, make in made.items():
        if not words.names or name in words.names:
            data = json.dumps(make()).encode()
            (words.out / f"{name}.json.gz").write_bytes(gzip.compress(data, 9, mtime=0))
            print(name, len(data), file=sys.stderr)


if __name__ == "__main__":
    main()
