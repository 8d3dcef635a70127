"""sonde replay and sonde fit on recorded runs of an agent that shares nothing with them.

Random models (factors that depend on each other, or are not controlled; listed policies; counts of
every letter) are lived by `learner.Agent` in worlds of their own, with rates by outcome,
forgetting, decay, novelty, lapses, gaps, sessions and rows that do not count. The tables that come
of it are replayed within 1e-8 nats, and fitted within 1e-3 sd of SciPy's estimates."""
# long
# once
import csv
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import optimize, special

sys.path.insert(0, str(Path(__file__).resolve().parent))
import learner  # noqa: E402

COMMAND = os.environ["SONDE_COMMAND"]
# states and actions of factors, what they depend on; outcomes of modalities, what they see; horizon
SHAPES = {"one": ([3], [3], [[0]], [3, 2], [[0], [0]], 2),
          "two": ([3, 2], [2, 3], [[0], [1]], [3, 2], [[0, 1], [1]], 2),
          "coupled": ([2, 3], [3, 2], [[0, 1], [1]], [2, 3], [[0], [0, 1]], 2),
          "context": ([4, 2], [4, 1], [[0], [1]], [3, 4], [[1, 0], [0]], 2),
          "listed": ([3, 2], [2, 2], [[0], [1]], [3], [[0, 1]], 3)}


def columns(chance, shape, zeros=0.0):
    """Random columns of probabilities, some of them 0."""
    x = chance.gamma(1.0, size=shape) + 0.05
    hole = chance.random(shape) < zeros
    hole[chance.integers(shape[0])] = False
    x[hole] = 0.0
    return x / x.sum(axis=0)


def world(chance, kind, zeros=0.0):
    """Random A, B, D of a shape."""
    states, actions, depends, outcomes, sees, _ = SHAPES[kind]
    return {"A": [columns(chance, [n, *(states[f] for f in of)]) for n, of in zip(outcomes, sees)],
            "B": [columns(chance, [n, *(states[d] for d in of), u], zeros)
                  for n, of, u in zip(states, depends, actions)],
            "D": [columns(chance, [n]) for n in states]}


def random_model(chance, kind):
    states, actions, depends, outcomes, sees, horizon = SHAPES[kind]
    arrays = world(chance, kind, 0.3 * (chance.random() < 0.4))
    model = {"format": "sonde-model", "version": 1, "horizon": horizon,
             "factors": [{"name": f"f{i}", "states": n, "actions": u,
                          "depends": [f"f{d}" for d in of]}
                         for i, (n, u, of) in enumerate(zip(states, actions, depends))],
             "modalities": [{"name": f"m{i}", "outcomes": n, "factors": [f"f{f}" for f in of]}
                            for i, (n, of) in enumerate(zip(outcomes, sees))],
             "preferences": str(chance.choice(["log", "utility"])),
             "gamma": chance.uniform(0.5, 3.0), "counts": {},
             "C": [chance.normal(size=n).tolist() for n in outcomes]}
    for letter, known in arrays.items():
        learned = chance.random(len(known)) < 0.65
        model[letter] = [None if own else x.tolist() for x, own in zip(known, learned)]
        model["counts"][letter] = [(x * chance.uniform(1, 6)).tolist() if own else None
                                   for x, own in zip(known, learned)]
    if model["preferences"] == "log" and chance.random() < 0.3:
        model["C"][0] = None
        model["counts"]["C"] = [(chance.random(n) + 0.2).tolist() if m == 0 else None
                                for m, n in enumerate(outcomes)]
    if chance.random() < 0.3:
        model["cost"] = [chance.random(n).tolist() for n in outcomes]
        model["lambda"] = chance.random()
    habits = math.prod(actions)
    if kind == "listed":
        steps = chance.integers(actions, size=(9, horizon, len(actions)))
        model["policies"] = steps.tolist()
        model["E"] = (chance.random(9) + 0.1).tolist()
        habits = 9
    if chance.random() < 0.4:
        model.pop("E", None)
        model["counts"]["E"] = (chance.random(habits) + 0.3).tolist()
    return model


def random_settings(chance, model):
    """Settings of the agent, and the options that say the same."""
    learned = {letter: [i for i, x in enumerate(model["counts"].get(letter, [])) if x is not None]
               for letter in "ABCDE"}
    mine = {"timing": str(chance.choice(["before", "after"])), "alpha": chance.uniform(0.5, 3.0),
            "when": str(chance.choice(["step-after", "step-before", "episode"])),
            "eta": {letter: chance.uniform(0.1, 1.0) for letter in "ABCDE" if learned[letter]}}
    words = ["--learn", "--timing", mine["timing"], "--when", mine["when"], "--alpha",
             repr(mine["alpha"])]
    for letter, eta in mine["eta"].items():
        words += [f"--eta-{letter}", repr(eta)]

    def maybe(share, settings, *more):
        if chance.random() < share:
            mine.update(settings)
            words.extend(more)
    maybe(0.5, {"lapse": 0.07}, "--lapse", 0.07)
    maybe(0.5, {"omega": 0.15}, "--omega", 0.15)
    maybe(0.3, {"decay": 0.3}, "--decay", 0.3)
    maybe(0.2, {"toward": "zero"}, "--toward", "zero")
    maybe(0.5, {"novelty": True, "nu_A": 1.7, "nu_B": 0.4}, "--novelty", "joint", "--nu-A", 1.7,
          "--nu-B", 0.4)
    maybe(0.2, {"joint": True}, "--information", "joint")
    maybe(0.2, {"until": 2}, "--until", 2)
    maybe(0.2, {"expected": (1.5, 0.8)}, "--precision", "expected", "--alpha-g", 1.5, "--beta-g",
          0.8)
    if chance.random() < 0.5:
        maybe(0.5, {"per_factor": True}, "--per-factor")
    else:
        maybe(0.4, {"softmax": True}, "--action", "softmax")
    if mine["timing"] == "before":
        how = str(chance.choice(["filtered", "last"]))
        maybe(0.4, {"beliefs_D": how}, "--beliefs-D", how)
    if learned["A"]:
        m = learned["A"][0]
        maybe(0.5, {"eta_outcome": {(m, 0): 0.9, (m, 1): 0.15}}, "--eta-outcome",
              f"m{m}.0=0.9,m{m}.1=0.15")
        if mine["when"] != "episode":
            maybe(0.4, {"omega_outcome": {(m, 1): 0.4}}, "--omega-outcome", f"m{m}.1=0.4")
    return mine, words


def live(chance, model, settings, kind, n_episode, n_step, missing):
    """Sessions of one subject, [session][episode][row], in a world that is not the model."""
    states, actions, depends, outcomes, sees, _ = SHAPES[kind]
    true = world(chance, kind)
    some_actions = missing if settings["when"] != "episode" else 0.0
    sessions = []
    for _ in range(2):
        agent, episodes = learner.Agent(model, **settings), []
        for _ in range(n_episode):
            now, seen, done = [chance.integers(n) for n in states], [], []

            def look(u):
                if u is not None:
                    u = [chance.integers(n) if x is None else x for x, n in zip(u, actions)]
                    now[:] = [chance.choice(n, p=B[(slice(None), *(now[d] for d in of), x)])
                              for n, B, of, x in zip(states, true["B"], depends, u)]
                seen.append([None if chance.random() < missing else
                             int(chance.choice(n, p=A[(slice(None), *(now[f] for f in of))]))
                             for n, A, of in zip(outcomes, true["A"], sees)])
                return seen[-1]

            def choose(log_p):
                p = np.exp(list(log_p.values()))
                u = list(log_p)[chance.choice(len(p), p=p / p.sum())]
                if chance.random() < some_actions:
                    u = tuple(0 if n == 1 else None for n in actions)
                done.append(u)
                return u
            counts = chance.random(chance.integers(1, n_step + 1)) < 0.9
            agent.run([(look, None, bool(c)) for c in counts], choose)
            episodes.append(list(zip(seen, done, map(bool, counts))))
        sessions.append(episodes)
    return sessions


def write(folder, model, people):
    (folder / "model.json").write_text(json.dumps(model))
    controlled = [f for f, factor in enumerate(model["factors"]) if factor["actions"] > 1]
    with open(folder / "data.csv", "w") as file:
        table = csv.writer(file)
        table.writerow(["subject", "session", "episode", "step",
                        *(m["name"] for m in model["modalities"]),
                        *(f"f{f}" for f in controlled), "score"])
        for subject, sessions in people.items():
            for s, episodes in enumerate(sessions):
                for e, rows in enumerate(episodes):
                    for t, (seen, done, counts) in enumerate(rows):
                        cells = [*seen, *(done[f] for f in controlled)]
                        table.writerow([subject, s, e, t, *("" if c is None else c for c in cells),
                                        int(counts)])


def sonde(folder, verb, *words):
    done = subprocess.run([COMMAND, verb, "model.json", "data.csv", *map(str, words), "--json",
                           "--quiet"], cwd=folder, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def recorded(seed, folder, n_person, n_episode, n_step, kind=None):
    chance = np.random.default_rng(seed)
    kind = kind or list(SHAPES)[seed % len(SHAPES)]
    model = random_model(chance, kind)
    settings, words = random_settings(chance, model)
    missing = 0.1 * (seed % 3 > 0)
    people = {f"p{i}": live(chance, model, settings, kind, n_episode, n_step, missing)
              for i in range(n_person)}
    write(folder, model, people)
    return model, settings, [*words, "--missing", "predict"], people


@pytest.mark.parametrize("seed", range(30))
def test_recorded_runs_have_the_log_likelihood_of_the_agent_that_lived_them(seed, tmp_path):
    model, settings, words, people = recorded(seed, tmp_path, 2, 4, 6)
    found = sonde(tmp_path, "replay", *words)["subjects"]
    wanted = [learner.log_likelihood(model, settings, sessions) for sessions in people.values()]
    assert min(wanted) < -5
    assert [one["log_likelihood"] for one in found] == pytest.approx(wanted, abs=1e-8)


def eta_and_lapse(settings, model, values):
    return dict(settings, lapse=values[0], eta=dict(settings["eta"], A=values[1]),
                omega=values[2]), model


def scales(settings, model, values):
    return dict(settings, gamma=values[0], scale_C={0: values[1]},
                scale_counts={("A", 0): values[2]}), model


def precision(settings, model, values):
    return dict(settings, expected=(values[0], values[1]), eta=dict(settings["eta"], E=values[2])
                ), model


def vectors(settings, model, values):
    C = [list(c) for c in model["C"]]
    C[0] = [c + values[0] * x for c, x in zip(C[0], [1, -1] + [0] * len(C[0]))]
    return dict(settings, nu_A=values[1], eta_outcome={(0, 1): values[2]}), dict(model, C=C)


def free(name, target, transform, mean, sd, **more):
    return {"name": name, "target": target, "transform": transform, "prior": [mean, sd], **more}


FITS = {"rates": (eta_and_lapse, [free("lapse", "lapse", "logit", -3, 1),
                                  free("eta", "eta_A", "logit", 0, 1.5),
                                  free("omega", "omega", "logit", -1, 1)], {}),
        "scales": (scales, [free("gamma", "gamma", "log", 0.7, 0.5),
                            free("likes", "scale of C[m0]", "log", 0, 0.5),
                            free("knows", "scale of counts.A[m0]", "log", 0, 0.5)],
                   {"preferences": "utility"}),
        "precision": (precision, [free("a", "alpha_g", "log", 0, 1),
                                  free("b", "beta_g", "log", 0, 1),
                                  free("habit", "eta_E", "logit", 0, 1.5)], {}),
        "vectors": (vectors, [free("likes", "C[m0]", "identity", 0, 2, add=None),
                              free("novelty", "nu_A", "log", 0, 0.5),
                              free("second", "eta_A[m0][1]", "logit", 0, 1.5)], {})}
BACK = {"log": np.exp, "logit": special.expit, "identity": lambda x: x}


@pytest.mark.parametrize("name", FITS)
def test_estimates_are_those_of_scipy(name, tmp_path):
    put, parameters, more = FITS[name]
    chance = np.random.default_rng(7)
    kind = "two" if name != "precision" else "context"
    model = random_model(chance, kind)
    model.update(more)
    model["C"] = [chance.normal(size=n).tolist() for n in SHAPES[kind][3]]
    model["counts"] = {"A": [(4 * columns(chance, np.shape(A))).tolist()
                             for A in world(chance, kind)["A"]],
                       "E": (chance.random(math.prod(SHAPES[kind][1])) + 0.3).tolist()}
    model.update({key: [x.tolist() for x in world(chance, kind)[key]] for key in "BD"})
    model["A"] = [None] * len(SHAPES[kind][3])
    settings = {"timing": "after", "when": "step-after", "alpha": 1.3, "eta": {"A": 0.5, "E": 0.4},
                "novelty": name == "vectors",
                "expected": (1.0, 1.0) if name == "precision" else None}
    words = ["--learn", "--timing", "after", "--alpha", 1.3, "--eta-A", 0.5, "--eta-E", 0.4,
             *(["--novelty", "joint"] if name == "vectors" else []),
             *(["--precision", "expected"] if name == "precision" else [])]
    if name == "vectors":
        parameters[0]["add"] = [1, -1] + [0] * (SHAPES[kind][3][0] - 2)
    people = {"p": live(chance, model, settings, kind, 6, 8, 0.05)}
    write(tmp_path, model, people)
    (tmp_path / "free.json").write_text(json.dumps(parameters))
    one, = sonde(tmp_path, "fit", *words, "--missing", "predict", "--parameters", "free.json")[
        "subjects"]
    mean, sd = np.array([p["prior"] for p in parameters]).T

    def likelihood(theta):
        values = [BACK[p["transform"]](x) for p, x in zip(parameters, theta)]
        with_values, with_model = put(settings, model, values)
        return learner.log_likelihood(with_model, with_values, people["p"])

    def loss(theta):
        return 0.5 * (((theta - mean) / sd)**2).sum() - likelihood(theta)
    estimate = np.array([one["map"][p["name"]] for p in parameters])
    assert one["converged"]
    assert one["log_likelihood"] == pytest.approx(likelihood(estimate), abs=1e-8)
    own = optimize.minimize(loss, mean, method="BFGS", options={"gtol": 1e-5, "eps": 1e-5})
    assert loss(estimate) <= own.fun + 1e-6
    assert np.abs((estimate - own.x) / sd).max() < 1e-3
