"""Discrete active inference, slowly and by the book: what Sonde must answer on model files.

Everything is spelled out over the joint states of all factors: a modality's likelihood and a
factor's transition become plain matrices with one column per joint state, the belief over joint
states is the product of the factors' beliefs, and what remains are sums. Nothing here is shared
with Sonde but the format of the file.

    python3 tests/oracle/pomdp.py MODEL.json [OUTCOME,OUTCOME,...]     prints what plan should say
"""
import itertools
import json
import sys

import numpy as np

FLOOR = 1e-16
# what numbers of a file become; whoever wants more digits than a double has sets np.longdouble
REAL = float
TIE = 1e-12


def log(x):
    """Natural logarithm, with the floor."""
    return np.log(np.maximum(x, FLOOR))


def softmax(x):
    """Probabilities in proportion to exp(x)."""
    weight = np.exp(np.asarray(x) - np.max(x))
    return weight / weight.sum()


def lowest_of_the_largest(values):
    """Index of the largest value; of values within the tie, the lowest."""
    values = list(values)
    for index, value in enumerate(values):
        if value >= max(values) - TIE:
            return index


# -------------------------------------------------------------------------------------- the file --


def array(value):
    """An array of the file, dense or sparse."""
    if not isinstance(value, dict):
        return np.array(value, dtype=REAL)
    dense = np.zeros(value["shape"], dtype=REAL)
    for *index, number in value["entries"]:
        dense[tuple(index)] = number
    return dense


def size(named):
    """How many states, actions or outcomes: the file has a number, or their names."""
    return named if isinstance(named, int) else len(named)


def number(which, named):
    """The number of a state, action or factor given by number or by name."""
    return which if isinstance(which, int) else named.index(which)


class Model:
    """A model file, its defaults filled in and its arrays spread over the joint states."""

    def __init__(self, document):
        factors, modalities = document["factors"], document["modalities"]
        self.n_factor, self.n_modality = len(factors), len(modalities)
        self.n_state = [size(factor["states"]) for factor in factors]
        self.n_action = [size(factor["actions"]) for factor in factors]
        self.n_outcome = [size(modality["outcomes"]) for modality in modalities]
        self.horizon = document["horizon"]
        self.gamma = document.get("gamma", 1)
        self.weight = document.get("lambda", 0)
        self.information = document.get("information", "per-modality")
        # how much utility, information and cost count; no file says so
        self.weights = (1, 1, 1)

        # which factors each modality and each transition looks at, in the order of the axes
        names = [factor.get("name") for factor in factors]
        self.seen = [[number(which, names) for which in modality.get("factors", range(len(names)))]
                     for modality in modalities]
        self.depends = [[number(which, names) for which in factor.get("depends", [f])]
                        for f, factor in enumerate(factors)]

        # columns are divided by their sums
        self.A = [array(a) / array(a).sum(axis=0) for a in document["A"]]
        self.B = [array(b) / array(b).sum(axis=0) for b in document["B"]]
        self.D = [array(d) / array(d).sum() for d in document["D"]]
        assert [a.shape for a in self.A] == [
            (self.n_outcome[m], *(self.n_state[f] for f in self.seen[m]))
            for m in range(self.n_modality)]
        assert [b.shape for b in self.B] == [
            (self.n_state[f], *(self.n_state[g] for g in self.depends[f]), self.n_action[f])
            for f in range(self.n_factor)]

        cost = document.get("cost", [np.zeros(n) for n in self.n_outcome])
        self.cost = [array(c) for c in cost]
        self.value = [[self._value_of(row, document.get("preferences", "log"))
                       for row in self._row_per_step(array(c))] for c in document["C"]]

        self.states = list(itertools.product(*map(range, self.n_state)))
        self.likelihood = [self._likelihood(m) for m in range(self.n_modality)]
        self.transition = [[self._transition(f, u) for u in range(self.n_action[f])]
                           for f in range(self.n_factor)]
        self.outcomes = list(itertools.product(*map(range, self.n_outcome)))
        if self.information == "joint":
            self.joint_likelihood = self._joint_likelihood()
            self.joint_value = [self._joint_value(step) for step in range(self.horizon)]

        self._read_policies(document, factors)

    def _row_per_step(self, c):
        """Preferences of one modality, a row for each step."""
        if c.ndim == 1:
            return [c] * self.horizon
        assert len(c) == self.horizon
        return list(c)

    @staticmethod
    def _value_of(c, preferences):
        """ln P(o), or what stands in its place."""
        if preferences == "utility":
            return c
        if preferences == "probability":
            return log(c / c.sum())
        assert preferences == "log"
        return log(softmax(c))

    def _likelihood(self, m):
        """(outcome, joint state): A of modality m."""
        columns = []
        for state in self.states:
            columns.append(self.A[m][(slice(None), *(state[f] for f in self.seen[m]))])
        return np.array(columns).T

    def _transition(self, f, action):
        """(next state, joint state): B of factor f under an action."""
        columns = []
        for state in self.states:
            before = [state[g] for g in self.depends[f]]
            columns.append(self.B[f][(slice(None), *before, action)])
        return np.array(columns).T

    def _joint_likelihood(self):
        """(joint outcome, joint state): in a given state the modalities are independent."""
        rows = []
        for outcome in self.outcomes:
            row = np.ones(len(self.states))
            for m in range(self.n_modality):
                row = row * self.likelihood[m][outcome[m]]
            rows.append(row)
        return np.array(rows)

    def _joint_value(self, step):
        """(joint outcome): ln of the product of the modalities' preferences, each floored."""
        return np.array([sum(self.value[m][step][outcome[m]] for m in range(self.n_modality))
                         for outcome in self.outcomes])

    def _read_policies(self, document, factors):
        """Listed policies and allowed pairs in numbers; the prior normalised."""
        self.policies = document.get("policies", "all")
        if not isinstance(self.policies, str):
            self.policies = [tuple(tuple(number(action, factor["actions"])
                                         for action, factor in zip(step, factors))
                                   for step in policy) for policy in self.policies]
        self.allowed = [None] * self.n_factor
        if self.policies == "allowed":
            for f, (pairs, factor) in enumerate(zip(document["allowed"], factors)):
                if pairs is not None:
                    self.allowed[f] = [(number(state, factor["states"]),
                                        number(action, factor["actions"]))
                                       for state, action in pairs]
        self.E = array(document["E"]) / array(document["E"]).sum() if "E" in document else None


# ---------------------------------------------------------------------------------- the policies --


def action_tuples(model):
    """All actions of all factors, the last factor fastest."""
    return list(itertools.product(*map(range, model.n_action)))


def place_after(model, f, place, action):
    """Where a factor with deterministic transitions goes."""
    assert model.depends[f] == [f], "a restricted factor depends on itself only"
    column = model.B[f][:, place, action]
    assert sorted(column)[-1] == 1 and sum(column) == 1, "a restricted factor is deterministic"
    return int(np.argmax(column))


def allowed_from(model, places, n_step):
    """The allowed policies of some steps from given places (None: unrestricted), in order."""
    if n_step == 0:
        return [()]
    found = []
    for actions in action_tuples(model):
        after = list(places)
        forbidden = False
        for f, place in enumerate(places):
            if place is None:
                continue
            if (place, actions[f]) in model.allowed[f]:
                after[f] = place_after(model, f, place, actions[f])
            else:
                forbidden = True
        if not forbidden:
            found += [(actions, *rest) for rest in allowed_from(model, after, n_step - 1)]
    return found


def policies_of(model, belief):
    """Policies in order, each a tuple of steps, each a tuple of one action per factor."""
    if model.policies == "all":
        return list(itertools.product(action_tuples(model), repeat=model.horizon))
    if model.policies == "allowed":
        places = [None if model.allowed[f] is None else lowest_of_the_largest(belief[f])
                  for f in range(model.n_factor)]
        return allowed_from(model, places, model.horizon)
    return model.policies


# ------------------------------------------------------------------------- belief and its future --


def joint(model, belief):
    """(joint state): the product of the factors' beliefs."""
    q = np.ones(1)
    for f in range(model.n_factor):
        q = np.outer(q, belief[f]).ravel()
    return q


def predict(model, belief, actions):
    """The beliefs after one action per factor."""
    q = joint(model, belief)
    return [model.transition[f][actions[f]] @ q for f in range(model.n_factor)]


def likelihood_of(model, outcomes):
    """(joint state): how probable one outcome per modality is."""
    likelihood = np.ones(len(model.states))
    for m in range(model.n_modality):
        likelihood = likelihood * model.likelihood[m][outcomes[m]]
    return likelihood


def observe(model, prior, outcomes):
    """The beliefs after one outcome per modality: exact sums over the joint states; outcomes that
    the prior excludes are taken in with floors."""
    likelihood = likelihood_of(model, outcomes)
    if model.n_factor == 1:
        return [softmax(log(likelihood) + log(prior[0]))]
    weight = likelihood * joint(model, prior)
    if weight.sum() <= FLOOR ** model.n_modality:
        weight = np.maximum(likelihood, FLOOR) * joint(model, [np.maximum(p, FLOOR) for p in prior])
    shaped = weight.reshape(model.n_state) / weight.sum()
    return [shaped.sum(axis=tuple(g for g in range(model.n_factor) if g != f))
            for f in range(model.n_factor)]


def observe_legacy(model, prior, outcomes):
    """The same by legacy pymdp's iteration."""
    L = log(likelihood_of(model, outcomes))
    if model.n_factor == 1:
        return [softmax(L + log(prior[0]))]

    def divergence(belief):
        return sum(q @ (log(q) - log(p)) for q, p in zip(belief, prior))

    belief = [np.ones(n) / n for n in model.n_state]
    F_before = divergence(belief)
    for _ in range(10):
        belief = [softmax(expected_by_state(model, belief, f, L) + log(prior[f]))
                  for f in range(model.n_factor)]
        F = divergence(belief) - joint(model, belief) @ L
        if abs(F - F_before) < 1e-3:
            break
        F_before = F
    return belief


def expected_by_state(model, belief, f, L):
    """(state of factor f): the mean of L over the beliefs in all other factors."""
    mean = np.zeros(model.n_state[f])
    for state, value in zip(model.states, L):
        weight = 1.0
        for g in range(model.n_factor):
            if g != f:
                weight *= belief[g][state[g]]
        mean[state[f]] += weight * value
    return mean


def terms(model, belief, step):
    """Risk, ambiguity, cost and G of predicted beliefs; step 0 is the first one ahead."""
    q = joint(model, belief)
    risk = ambiguity = cost = utility = entropies = 0.0
    for m in range(model.n_modality):
        q_o = model.likelihood[m] @ q
        entropy = -(model.likelihood[m] * log(model.likelihood[m])).sum(axis=0)
        risk += q_o @ (log(q_o) - model.value[m][step])
        utility -= q_o @ model.value[m][step]
        entropies -= q_o @ log(q_o)
        ambiguity += q @ entropy
        cost += model.weight * (model.cost[m] @ q_o)
    if model.information == "joint":
        q_o = model.joint_likelihood @ q
        risk = q_o @ (log(q_o) - model.joint_value[step])
        entropies = -(q_o @ log(q_o))
    parts = np.array([utility, ambiguity - entropies, cost])
    return np.array([risk, ambiguity, cost, np.array(model.weights, dtype=REAL) @ parts])


def efe(model, belief, policies):
    """(policy, 4): risk, ambiguity, cost and G of each."""
    # what a prefix leads to is worked out when it is first met
    known = {(): (belief, np.zeros(4))}
    rows = []
    for policy in policies:
        for step in range(model.horizon):
            if policy[:step + 1] not in known:
                before, summed = known[policy[:step]]
                after = predict(model, before, policy[step])
                known[policy[:step + 1]] = (after, summed + terms(model, after, step))
        rows.append(known[policy][1])
    return np.array(rows)


# -------------------------------------------------------------------------- posterior and action --


def posterior(model, G):
    """Q(policy), in proportion to E exp(-gamma G); where E is 0 it is 0."""
    E = np.ones(len(G)) if model.E is None else model.E
    possible = E > 0
    q = np.zeros(len(G))
    q[possible] = softmax(np.log(E[possible]) - model.gamma * np.asarray(G)[possible])
    return q


def first_actions(policies, q):
    """{actions: probability} of the first actions, ascending."""
    total = {}
    for policy, p in zip(policies, q):
        total[policy[0]] = total.get(policy[0], 0.0) + p
    return dict(sorted(total.items()))


def first_actions_by_factor(model, policies, q):
    """[factor][action]: probability, each factor on its own."""
    total = [np.zeros(n) for n in model.n_action]
    for policy, p in zip(policies, q):
        for f in range(model.n_factor):
            total[f][policy[0][f]] += p
    return total


def choose(probabilities):
    """The most probable of {actions: probability}."""
    return list(probabilities)[lowest_of_the_largest(probabilities.values())]


def choose_by_factor(by_factor):
    """The most probable action of each factor on its own."""
    return tuple(lowest_of_the_largest(p) for p in by_factor)


def plan(model, outcomes=None):
    """One decision from D, or from D after one outcome per modality; everything on the way."""
    belief = model.D if outcomes is None else observe(model, model.D, outcomes)
    policies = policies_of(model, belief)
    rows = efe(model, belief, policies)
    G = rows[:, 3]
    q = posterior(model, G)
    probabilities = first_actions(policies, q)
    by_factor = first_actions_by_factor(model, policies, q)
    best = lowest_of_the_largest(-G)
    return {
        "belief": belief, "policies": policies, "terms": rows[:, :3], "efe": G, "posterior": q,
        "probabilities": probabilities, "by_factor": by_factor, "best": best,
        "action": choose(probabilities), "action_by_factor": choose_by_factor(by_factor),
    }


def main(path, outcomes=None):
    with open(path, encoding="utf-8") as file:
        model = Model(json.load(file))
    answer = plan(model, outcomes and [int(o) for o in outcomes.split(",")])
    for actions, (risk, ambiguity, cost), G, q in zip(
            answer["policies"], answer["terms"], answer["efe"], answer["posterior"]):
        print(json.dumps({"actions": actions, "efe": G, "risk": risk, "ambiguity": ambiguity,
                          "cost": cost, "q": q}))
    print(json.dumps({
        "belief": [list(q) for q in answer["belief"]],
        "action": answer["action"],
        "action_probabilities": [{"actions": actions, "p": p}
                                 for actions, p in answer["probabilities"].items()],
        "best": {"actions": answer["policies"][answer["best"]],
                 "efe": answer["efe"][answer["best"]]},
    }))


if __name__ == "__main__":
    main(*sys.argv[1:])
