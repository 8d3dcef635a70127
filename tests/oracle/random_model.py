"""Random model documents of every kind: small, and none like another.

    python3 tests/oracle/random_model.py NUMBER        prints the model of that number
"""
import json
import sys

import numpy as np

import pomdp

MOST_POLICIES = 2000
MOST_JOINT = 128
ODD = ["left", "go home", "Küche", "a/b", "[0]", "x,y", "\"quoted\"", "λ", "-x", "_"]


def chance(rng, p):
    return bool(rng.random() < p)


def small_sizes(rng, count, most, largest):
    """Some sizes, mostly above 1, their product at most as said."""
    while True:
        sizes = [1 if chance(rng, 0.12) else int(rng.integers(2, largest + 1))
                 for _ in range(count)]
        if np.prod(sizes) <= most:
            return sizes


def some(rng, count, at_least=1):
    """Some of the numbers below count, in any order."""
    n = int(rng.integers(at_least, count + 1))
    return [int(i) for i in rng.permutation(count)[:n]]


def named(rng, stem, count):
    """A count, or a list of names."""
    if chance(rng, 0.7):
        return count
    if count <= len(ODD) and chance(rng, 0.2):
        return [ODD[i] for i in rng.permutation(len(ODD))[:count]]
    return [f"{stem} {i}" for i in range(count)]


def mention(rng, number, names):
    """A number, or its name where it has one."""
    return names[number] if isinstance(names, list) and chance(rng, 0.7) else number


# ---------------------------------------------------------------------------------------- arrays --


def column(rng, count, kind):
    """One probability distribution."""
    if kind == "deterministic":
        return np.eye(count)[rng.integers(count)]
    p = rng.gamma(0.7, size=count) + 1e-9
    if kind == "zeros":
        keep = rng.random(count) < 0.6
        keep[rng.integers(count)] = True
        p = p * keep
    if kind == "sharp":
        p = p ** 8 + 1e-30
    return p / p.sum()


def columns(rng, shape, kind):
    """Distributions along the first axis; some do not quite sum to 1."""
    n_column = int(np.prod(shape[1:]))
    table = np.array([column(rng, shape[0], kind) for _ in range(n_column)]).T
    if chance(rng, 0.1):
        table = table * (1 + rng.uniform(-9e-7, 9e-7, size=n_column))
    return table.reshape(shape)


def column_kind(rng):
    return str(rng.choice(["dense", "zeros", "deterministic", "sharp"], p=[0.4, 0.3, 0.2, 0.1]))


def encoded(rng, table):
    """A table as it stands in a file: nested lists, or what is not 0."""
    table = np.asarray(table, dtype=float)
    if not chance(rng, 0.25):
        whole = np.all(table == np.round(table)) and chance(rng, 0.5)
        return (table.astype(int) if whole else table).tolist()
    entries = []
    for index in np.ndindex(*table.shape):
        if table[index] != 0 or chance(rng, 0.05):
            entries.append([*index, float(table[index])])
    order = rng.permutation(len(entries))
    return {"shape": list(table.shape), "entries": [entries[i] for i in order]}


def preference(rng, n_outcome, kind):
    """A row of C."""
    if kind == "probability":
        return column(rng, n_outcome, "zeros") * rng.choice([1, 1, 7.5, 1e-3])
    if kind == "utility":
        return rng.normal(scale=rng.choice([1, 4, 60]), size=n_outcome)
    return rng.normal(scale=rng.choice([0, 1, 4, 60]), size=n_outcome)


def preferences(rng, n_outcome, kind, horizon):
    """C of one modality, for all steps or for each."""
    if chance(rng, 0.7):
        return preference(rng, n_outcome, kind)
    return np.array([preference(rng, n_outcome, kind) for _ in range(horizon)])


# -------------------------------------------------------------------------------------- policies --


def horizon_of(rng, n_tuple, is_listed):
    """As many steps as keep all policies within a drawn limit; any where they are listed."""
    if n_tuple == 1 or is_listed:
        return int(rng.integers(1, 7))
    limit = max(n_tuple, MOST_POLICIES ** rng.uniform(0.4, 1))
    return min(6, int(np.log(limit + 0.5) / np.log(n_tuple)))


def listed(rng, factors, horizon):
    """Policies in any order, some of them twice."""
    n_action = [pomdp.size(factor["actions"]) for factor in factors]
    found = []
    for _ in range(int(rng.integers(1, 61))):
        if found and chance(rng, 0.1):
            found.append(found[rng.integers(len(found))])
            continue
        found.append([[mention(rng, int(rng.integers(n)), factor["actions"])
                       for n, factor in zip(n_action, factors)] for _ in range(horizon)])
    return found


def allowed_pairs(rng, factors, restricted):
    """Pairs of state and action for each restricted factor; some states may have none."""
    lists = []
    for factor, is_restricted in zip(factors, restricted):
        if not is_restricted:
            lists.append(None)
            continue
        pairs = [[mention(rng, state, factor["states"]), mention(rng, action, factor["actions"])]
                 for state in range(pomdp.size(factor["states"]))
                 for action in range(pomdp.size(factor["actions"])) if chance(rng, 0.7)]
        lists.append([pairs[i] for i in rng.permutation(len(pairs))])
    return lists


def add_policies(rng, document, restricted, is_listed):
    """Which policies there are, and how much each is liked beforehand."""
    factors = document["factors"]
    if any(restricted):
        document["policies"] = "allowed"
        while True:
            document["allowed"] = allowed_pairs(rng, factors, restricted)
            model = pomdp.Model(document)
            if pomdp.policies_of(model, model.D):
                return
    if is_listed:
        document["policies"] = listed(rng, factors, document["horizon"])
        if chance(rng, 0.6):
            E = rng.gamma(1.0, size=len(document["policies"]))
            E[rng.random(len(E)) < 0.2] = 0
            E[rng.integers(len(E))] = 1
            document["E"] = encoded(rng, E)
    elif chance(rng, 0.6):
        document["policies"] = "all"


# ---------------------------------------------------------------------------------- the document --


def random_factors(rng):
    """Factors that depend on each other at times, and which of them are restricted."""
    n_factor = int(rng.choice([1, 2, 3, 4], p=[0.35, 0.3, 0.2, 0.15]))
    n_state = small_sizes(rng, n_factor, MOST_JOINT, 6)
    n_action = small_sizes(rng, n_factor, 32, 6 if n_factor == 1 else 4)
    with_names = chance(rng, 0.4)
    is_coupled = n_factor > 1 and chance(rng, 0.4)
    restricted = [False] * n_factor
    if chance(rng, 0.3):
        restricted = [chance(rng, 0.6) for _ in range(n_factor)]
        restricted[rng.integers(n_factor)] = True

    names = [f"factor {f}" for f in range(n_factor)] if with_names else None
    factors, depends = [], []
    for f in range(n_factor):
        factor = {"states": named(rng, "state", n_state[f]),
                  "actions": named(rng, "action", n_action[f])}
        if with_names:
            factor["name"] = names[f]
        looks_at = [f]
        if is_coupled and not restricted[f] and chance(rng, 0.7):
            looks_at = some(rng, n_factor)
        if looks_at != [f] or chance(rng, 0.2):
            factor["depends"] = [mention(rng, g, names) for g in looks_at]
        factors.append(factor)
        depends.append(looks_at)
    return factors, depends, restricted


def random_modalities(rng, factors):
    """Modalities that see some factors or all, and which."""
    names = [factor.get("name") for factor in factors]
    names = names if names[0] else None
    n_outcome = small_sizes(rng, int(rng.choice([1, 2, 3, 4], p=[0.35, 0.3, 0.2, 0.15])),
                            MOST_JOINT, 6)
    modalities, seen = [], []
    with_names = chance(rng, 0.4)
    for m, n in enumerate(n_outcome):
        modality = {"outcomes": named(rng, "outcome", n)}
        if with_names:
            modality["name"] = f"modality {m}"
        looks_at = list(range(len(factors)))
        if chance(rng, 0.6):
            looks_at = some(rng, len(factors))
            modality["factors"] = [mention(rng, f, names) for f in looks_at]
        modalities.append(modality)
        seen.append(looks_at)
    return modalities, seen


def random_model(rng):
    """A sonde-model document."""
    factors, depends, restricted = random_factors(rng)
    modalities, seen = random_modalities(rng, factors)
    n_state = [pomdp.size(factor["states"]) for factor in factors]
    n_action = [pomdp.size(factor["actions"]) for factor in factors]
    n_outcome = [pomdp.size(modality["outcomes"]) for modality in modalities]
    is_listed = not any(restricted) and chance(rng, 0.4)
    horizon = horizon_of(rng, int(np.prod(n_action)), is_listed)
    document = {"format": "sonde-model", "version": 1, "factors": factors,
                "modalities": modalities, "horizon": horizon}
    if chance(rng, 0.3):
        document["name"] = "a random model"

    document["A"] = [
        encoded(rng, columns(rng, [n_outcome[m], *(n_state[f] for f in seen[m])],
                             column_kind(rng))) for m in range(len(modalities))]
    document["B"] = [
        encoded(rng, columns(rng, [n_state[f], *(n_state[g] for g in depends[f]), n_action[f]],
                             "deterministic" if restricted[f] else column_kind(rng)))
        for f in range(len(factors))]
    document["D"] = [
        encoded(rng, np.ones(n) / n if chance(rng, 0.1) else columns(rng, [n], column_kind(rng)))
        for n in n_state]

    kind = str(rng.choice(["log", "probability", "utility"]))
    document["C"] = [encoded(rng, preferences(rng, n, kind, horizon)) for n in n_outcome]
    if kind != "log" or chance(rng, 0.5):
        document["preferences"] = kind
    information = str(rng.choice(["per-modality", "joint"]))
    if information == "joint" or chance(rng, 0.5):
        document["information"] = information
    if chance(rng, 0.5):
        low = -3 if chance(rng, 0.2) else 0
        document["cost"] = [encoded(rng, rng.uniform(low, 3, size=n)) for n in n_outcome]
    if chance(rng, 0.5):
        document["lambda"] = float(rng.choice([0, 0.5, 5]))
    gamma = int(rng.choice([1, 4, 16]))
    if gamma != 1 or chance(rng, 0.5):
        document["gamma"] = gamma
    add_policies(rng, document, restricted, is_listed)

    # the order of keys says nothing
    keys = list(document)
    return {keys[i]: document[keys[i]] for i in rng.permutation(len(keys))}


def model_of(number):
    """The random model of a number, and the generator that made it, for what else is drawn."""
    rng = np.random.default_rng([20240, number])
    return random_model(rng), rng


def weights_of(number):
    """How much utility, information and cost are to count on the model of a number."""
    rng = np.random.default_rng([20244, number])
    return tuple(float(w) for w in rng.choice([0, 1, 0.5, 3, 1e-6, 1000], size=3,
                                              p=[0.35, 0.25, 0.15, 0.15, 0.05, 0.05]))


def weight_options(weights, is_graph=False):
    """The same as options; in a graph world there is no information to weigh."""
    names = ["utility", "information", "cost"]
    return [word for name, weight in zip(names, weights) if not (is_graph and name == names[1])
            for word in (f"--weight-{name}", repr(weight))]


if __name__ == "__main__":
    print(json.dumps(model_of(int(sys.argv[1]))[0]))
