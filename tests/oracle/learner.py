"""An agent that learns, in NumPy, written from the formulas alone (docs/learning.md, fitting.md).

Policies are scored one step at a time, beliefs are tables over all states, and nothing is shared
with Sonde but the model, the settings and the table. `Agent(model, **settings).run(episode)` gives
ln of the probability of each recorded action, None where it does not count; with `choose` it lives
on its own.
"""
import itertools
import math

import numpy as np
from scipy import special

FLOOR = 1e-16
DEFAULTS = {"alpha": 1.0, "lapse": 0.0, "when": "step-after", "timing": "before", "eta": {},
            "eta_outcome": {}, "omega": 0.0, "omega_outcome": {}, "decay": 0.0, "toward": "init",
            "beliefs_D": "smoothed", "novelty": False, "nu_A": 1.0, "nu_B": 1.0, "joint": False,
            "per_factor": False, "softmax": False, "expected": None, "until": math.inf,
            "scale_C": {}, "scale_counts": {}}


def ln(x):
    return np.log(np.maximum(x, FLOOR))


def contract(array, beliefs):
    """The last axes of an array, one for each belief, averaged over them."""
    for q in reversed(beliefs):
        array = array @ q
    return array


def outer(beliefs):
    product = np.ones(())
    for q in beliefs:
        product = np.multiply.outer(product, q)
    return product


def gain(a):
    """What one more draw is expected to tell, of every column of counts."""
    whole = a.sum(axis=0, keepdims=True)
    with np.errstate(divide="ignore"):
        W = np.log(whole) - np.log(a) + special.psi(a + 1) - special.psi(whole + 1)
    return (a / whole * np.where(a > 0, W, 0.0)).sum(axis=0)


class Counts:
    """One array that is learned."""

    def __init__(self, counts):
        self.first, self.now, self.n = counts, counts.copy(), 0

    def update(self, agent, additions, omega=None):
        """One event: something is forgotten, then (index, rate, amount) are added."""
        self.n += 1
        omega = agent.omega if omega is None else omega
        if omega > 0 and agent.toward == "zero":
            self.now = np.where(self.now > 0, np.maximum((1 - omega) * self.now, FLOOR), 0)
        elif omega > 0:
            self.now = self.first + (1 - omega) * (self.now - self.first)
        for index, rate, amount in additions:
            part = self.now[index]
            self.now[index] = part + rate / (1 + agent.decay * (self.n - 1)) * amount * (part > 0)


class Agent:
    def __init__(self, model, **settings):
        self.__dict__.update({**DEFAULTS, "gamma": model.get("gamma", 1.0),
                              "lam": model.get("lambda", 0.0), **settings})
        self.model, self.episode = model, -1
        name = [f["name"] for f in model["factors"]]
        self.size = [f["states"] for f in model["factors"]]
        self.n_action = [f["actions"] for f in model["factors"]]
        self.depends = [[name.index(d) for d in f["depends"]] for f in model["factors"]]
        self.sees = [[name.index(f) for f in m["factors"]] for m in model["modalities"]]
        self.n_outcome = [m["outcomes"] for m in model["modalities"]]
        self.tuples = list(itertools.product(*map(range, self.n_action)))
        self.listed = "policies" in model
        self.policies = ([[tuple(step) for step in policy] for policy in model["policies"]]
                         if self.listed else
                         list(itertools.product(self.tuples, repeat=model["horizon"])))
        self.firsts = sorted({policy[0] for policy in self.policies})
        counts = model.get("counts", {})
        for letter, n in zip("ABCD", [len(self.sees), len(name)] * 2):
            given = counts.get(letter) or [None] * n
            setattr(self, letter.lower(), [
                Counts(np.array(c, float) * self.scale_counts.get((letter, i), 1.0))
                if c is not None else None for i, c in enumerate(given)])
        self.e = Counts(np.array(counts["E"], float)) if "E" in counts else None
        self.refresh()

    def array(self, letter, i):
        counts = getattr(self, letter.lower())[i]
        array = (counts.now if counts is not None
                 else np.array(self.model[letter][i], float))
        return array / array.sum(axis=0)

    def log_preferences(self, m):
        if self.c[m] is not None:
            C = special.psi(self.c[m].now) - special.psi(self.c[m].now.sum())
        else:
            C = np.array(self.model["C"][m], float) * self.scale_C.get(m, 1.0)
        return C if self.model["preferences"] == "utility" else ln(special.softmax(C))

    def refresh(self):
        factors, modalities = range(len(self.size)), range(len(self.sees))
        self.A = [self.array("A", m) for m in modalities]
        self.B = [self.array("B", f) for f in factors]
        self.D = [self.array("D", f) for f in factors]
        self.lnC = [self.log_preferences(m) for m in modalities]
        self.gain_A = [gain(c.now) if self.novelty and c is not None else None for c in self.a]
        self.gain_B = [gain(c.now) if self.novelty and c is not None else None for c in self.b]
        if self.listed:
            weight = np.array(self.e.now if self.e is not None else self.model["E"])
        elif self.e is not None:
            weight = np.array([self.e.now[self.tuples.index(p[0])] for p in self.policies])
        else:
            weight = np.ones(len(self.policies))
        self.lnE = np.log(weight / weight.sum())

    # -------------------------------------------------------------------------------- beliefs

    def chances(self, f, u):
        """B of one factor, averaged over what is thought of an action that nobody knows."""
        if u[f] is None:
            return self.B[f] @ self.own[f]
        return self.B[f][..., u[f]]

    def predict(self, q, u):
        return [contract(self.chances(f, u), [q[d] for d in self.depends[f]])
                for f in range(len(q))]

    def backward(self, q, u):
        """P(state before, state after) by factor, over that of the state after; None: it does not
        depend on itself."""
        found = []
        for f, depends in enumerate(self.depends):
            if f not in depends:
                found.append(None)
                continue
            B = np.moveaxis(self.chances(f, u), 1 + depends.index(f), 1)
            pair = (contract(B, [q[d] for d in depends if d != f]) * q[f]).T
            found.append(pair / np.maximum(pair.sum(axis=0), 1e-300))
        return found

    def over_all(self, m, part):
        """A table over the states that a modality sees as one over all of them."""
        order = np.argsort(self.sees[m])
        shape = [n if f in self.sees[m] else 1 for f, n in enumerate(self.size)]
        return np.transpose(part, order).reshape(shape)

    def observe(self, prior, seen):
        likelihood = np.ones(self.size)
        for m, o in enumerate(seen):
            if o is not None:
                likelihood = likelihood * self.over_all(m, self.A[m][o])
        joint = outer(prior) * np.maximum(likelihood, FLOOR)
        joint /= joint.sum()
        axes = range(len(self.size))
        return [joint.sum(axis=tuple(g for g in axes if g != f)) for f in axes]

    # ------------------------------------------------------------------------------ decisions

    def score(self, q):
        """G of one step to come."""
        G = 0.0
        for m, sees in enumerate(self.sees):
            states = [q[f] for f in sees]
            expected = contract(self.A[m], states)
            G -= expected @ self.lnC[m]
            G += contract(-(self.A[m] * ln(self.A[m])).sum(axis=0), states)
            G += 0.0 if self.joint else expected @ ln(expected)
            if self.gain_A[m] is not None:
                G -= self.nu_A * contract(self.gain_A[m], states)
            if "cost" in self.model:
                G += self.lam * (expected @ np.array(self.model["cost"][m]))
        for seen in itertools.product(*map(range, self.n_outcome)) if self.joint else ():
            p = outer(q)
            for m, o in enumerate(seen):
                p = p * self.over_all(m, self.A[m][o])
            G += p.sum() * ln(p.sum())
        return G

    def score_policy(self, q, policy, known):
        G, done = 0.0, ()
        for u in policy:
            done += (u,)
            if done not in known:
                for f, gained in enumerate(self.gain_B):
                    if gained is not None:
                        G -= self.nu_B * contract(gained[..., u[f]],
                                                  [q[d] for d in self.depends[f]])
                q = self.predict(q, u)
                known[done] = (G + self.score(q), q)
            G, q = known[done]
        return G

    def rule(self, log_mass):
        z = self.alpha * (np.exp(log_mass) if self.softmax else log_mass)
        log_p = z - special.logsumexp(z)
        if self.lapse == 0:
            return log_p
        n = np.isfinite(log_mass).sum()
        return np.logaddexp(np.log1p(-self.lapse) + log_p, np.log(self.lapse / n))

    def decide(self, q):
        """ln of the probability of every first action."""
        known = {}
        G = np.array([self.score_policy(q, policy, known) for policy in self.policies])
        if self.expected:
            for _ in range(16):
                Q = special.softmax(self.lnE - self.g * G)
                self.g = self.expected[0] / (self.expected[1] + Q @ (G - G.min()))
        log_Q = special.log_softmax(self.lnE - (self.g if self.expected else self.gamma) * G)
        self.Q = np.exp(log_Q)

        def mass(of):
            among = [x for policy, x in zip(self.policies, log_Q) if of(policy[0])]
            return special.logsumexp(among) if among else -np.inf
        factors = range(len(self.size))
        if self.per_factor:
            own = [self.rule(np.array([mass(lambda u: u[f] == k) for k in range(n)]))
                   for f, n in enumerate(self.n_action)]
            self.own = [np.exp(log_p) for log_p in own]
            return {u: sum(own[f][u[f]] for f in factors) for u in self.tuples}
        log_p = self.rule(np.array([mass(lambda u: u == first) for first in self.firsts]))
        found = dict(zip(self.firsts, log_p))
        self.own = [np.array([sum(np.exp(x) for u, x in found.items() if u[f] == k)
                              for k in range(n)]) for f, n in enumerate(self.n_action)]
        return found

    # ------------------------------------------------------------------------------- learning

    def rate(self, letter):
        return self.eta.get(letter, 1.0)

    def rate_A(self, m, o):
        return self.eta_outcome.get((m, o), self.rate("A"))

    def learn_outcomes(self, seen, q):
        for m, o in enumerate(seen):
            if o is not None and self.a[m] is not None:
                added = outer([q[f] for f in self.sees[m]])
                self.a[m].update(self, [(o, self.rate_A(m, o), added)],
                                 self.omega_outcome.get((m, o)))
            if o is not None and self.c[m] is not None:
                self.c[m].update(self, [(o, self.rate("C"), 1.0)])

    def learn_transition(self, q, before, u):
        for f, counts in enumerate(self.b):
            if counts is not None and None not in u:
                added = np.multiply.outer(q[f], outer([before[d] for d in self.depends[f]]))
                counts.update(self, [((..., u[f]), self.rate("B"), added)])

    def learn_step(self, seen, q, before, u):
        self.learn_outcomes(seen, q)
        if u is not None:
            self.learn_transition(q, before, u)

    def learn_choice(self, u):
        """Of one step: the posterior over listed policies, or the habit of an action."""
        if self.e is not None and self.listed:
            self.e.update(self, [(slice(None), self.rate("E"), self.Q)])
        elif self.e is not None and None not in u:
            self.e.update(self, [(self.tuples.index(u), self.rate("E"), 1.0)])

    def pair(self, f, R, later, r):
        """What is believed of a factor's next state and all that it depends on."""
        if R is None:
            return np.multiply.outer(later[f], outer([r[d] for d in self.depends[f]]))
        others = [d for d in self.depends[f] if d != f]
        pair = np.multiply.outer((R * later[f]).T, outer([r[d] for d in others]))
        return np.moveaxis(pair, 1, 1 + self.depends[f].index(f))

    def learn_episode(self, steps, moves, r):
        """steps: (outcomes, belief); moves: (backward, action); r: smoothed beliefs."""
        for m in range(len(self.sees)):
            seen = [(s[0][m], q) for s, q in zip(steps, r) if s[0][m] is not None]
            if seen and self.a[m] is not None:
                self.a[m].update(self, [(o, self.rate_A(m, o), outer([q[f] for f in self.sees[m]]))
                                        for o, q in seen])
            if seen and self.c[m] is not None:
                self.c[m].update(self, [(o, self.rate("C"), 1.0) for o, _ in seen])
        for f, counts in enumerate(self.b):
            if moves and counts is not None:
                counts.update(self, [((..., u[f]), self.rate("B"),
                                      self.pair(f, R[f], r[t + 1], r[t]))
                                     for t, (R, u) in enumerate(moves)])

    def finish(self, steps, moves, choices):
        r = [q for _, q in steps]
        for t in reversed(range(len(moves))):
            r[t] = [R @ r[t + 1][f] if R is not None else r[t][f]
                    for f, R in enumerate(moves[t][0])]
        if self.when == "episode":
            self.learn_episode(steps, moves, r)
            known = [u for u in choices if None not in u]
            if self.e is not None and self.listed:
                self.learn_choice(choices[-1])
            elif self.e is not None and known:
                self.e.update(self, [(self.tuples.index(u), self.rate("E"), 1.0) for u in known])
        first = {"smoothed": r[0], "filtered": steps[0][1], "last": steps[-1][1]}[self.beliefs_D]
        for f, counts in enumerate(self.d):
            if counts is not None:
                counts.update(self, [(slice(None), self.rate("D"), first[f])])
        self.refresh()

    # ------------------------------------------------------------------------------- episodes

    def run(self, rows, choose=None):
        """rows: (outcomes, action, whether it counts); outcomes may be a function of the action
        that led to them, and actions are asked of `choose`. Unknown ones are None."""
        self.episode += 1
        learning = self.episode < self.until
        by_step = learning and self.when != "episode"
        after = self.timing == "after"
        if self.expected:
            self.g = self.expected[0] / self.expected[1]
        nothing = [None] * len(self.sees)
        steps, moves, choices, found = [], [], [], []
        q, u = [D.copy() for D in self.D], None
        if after:
            steps.append((nothing, q))

        def look(seen):
            nonlocal q
            prior = q
            if u is not None:
                moves.append((self.backward(q, u), u))
                prior = self.predict(q, u)
            seen = seen(u) if callable(seen) else seen
            before, q = q, self.observe(prior, seen)
            steps.append((seen, q))
            return seen, q, before, u
        for seen, done, counts in rows:
            if not after:
                event = look(seen)
                if by_step and self.when == "step-before":
                    self.learn_step(*event)
                    self.refresh()
            log_p = self.decide(q)
            u = choose(log_p) if choose else done
            choices.append(u)
            found.append(log_p[u] if counts and None not in u else None)
            if by_step:
                if not after and self.when == "step-after":
                    self.learn_step(*event)
                self.learn_choice(u)
                self.refresh()
            if after:
                event = look(seen)
                if by_step:
                    self.learn_step(*event)
                    self.refresh()
        if learning:
            self.finish(steps, moves, choices)
        return found


def log_likelihood(model, settings, sessions):
    """Of one subject, whose sessions are lists of episodes."""
    total = 0.0
    for episodes in sessions:
        agent = Agent(model, **settings)
        total += sum(x for episode in episodes for x in agent.run(episode) if x is not None)
    return total
