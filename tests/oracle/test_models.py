"""Models against an oracle that was written apart: every policy's terms, and one decision."""
# long
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

# threads that wait for each other take longer than one; read when numpy is imported
os.environ["OMP_NUM_THREADS"] = "1"
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import numpy as np  # noqa: E402

import pomdp  # noqa: E402
import random_model  # noqa: E402

COMMAND = os.environ.get("SONDE_COMMAND")
DATA = pathlib.Path(os.environ.get("SONDE_TEST_DATA", pathlib.Path(__file__).parents[1] / "data"))
N_MODEL = int(os.environ.get("SONDE_TEST_MODELS", 1000))
N_PROCESS = 2
TERMS = ("risk", "ambiguity", "cost", "efe")


# -------------------------------------------------------------------------------- by the command --


def sonde(*arguments):
    """What the command answers in JSON; the sentence on standard error if it does not."""
    done = subprocess.run([COMMAND, *map(str, arguments), "--json"], capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        raise ValueError(f"sonde {arguments[0]}: status {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def far(found, wanted, tolerance):
    """Whether two numbers or lists of numbers differ by more than a part of 1 + their size."""
    found, wanted = np.asarray(found, dtype=float), np.asarray(wanted, dtype=float)
    if found.shape != wanted.shape:
        return True
    return not np.all(np.abs(found - wanted) <= tolerance * (1 + np.abs(wanted)))


def tuples(policy):
    return tuple(tuple(step) for step in policy)


def differences_in_efe(path, wanted, counted):
    """What `sonde efe` says otherwise than the oracle, in sentences."""
    answer = sonde("efe", path, *counted)
    found = answer["policies"]
    if answer["count"] != len(wanted["policies"]) or answer["sign"] != "G":
        yield f"efe: {answer['count']} policies of {answer['sign']}, not {len(wanted['policies'])}"
    if [tuples(policy["actions"]) for policy in found] != wanted["policies"]:
        yield "efe: other policies, or in another order"
        return
    table = np.column_stack([wanted["terms"], wanted["efe"]])
    for column, term in enumerate(TERMS):
        values = [policy[term] for policy in found]
        if far(values, table[:, column], 1e-10):
            worst = int(np.argmax(np.abs(values - table[:, column])))
            yield f"efe: {term} of policy {worst} is {values[worst]}, not {table[worst, column]}"


def differences_in_plan(path, wanted, outcomes, counted):
    """What `sonde plan` says otherwise than the oracle, in sentences."""
    observing = ["--observe", ",".join(map(str, outcomes))] if outcomes else []
    answer = sonde("plan", path, "--search", "full", "--action", "deterministic", *observing,
                   *counted)
    if len(answer["belief"]) != len(wanted["belief"]) or any(
            far(found, q, 1e-9) for found, q in zip(answer["belief"], wanted["belief"])):
        yield f"plan: belief {answer['belief']}, not {[q.tolist() for q in wanted['belief']]}"

    # an action that is not in the list is one of probability 0
    listed = [(tuple(row["actions"]), row["p"]) for row in answer["action_probabilities"]]
    found = dict(listed)
    if len(found) != len(listed):
        yield "plan: an action is listed twice"
    for actions in sorted(set(found) | set(wanted["probabilities"])):
        p = wanted["probabilities"].get(actions, 0)
        if not abs(found.get(actions, 0) - p) <= 1e-9:
            yield f"plan: {list(actions)} has probability {found.get(actions, 0)}, not {p}"
    if tuple(answer["action"]["actions"]) not in choices(wanted["probabilities"]):
        yield f"plan: action {answer['action']['actions']}, not {list(wanted['action'])}"

    G = dict(zip(wanted["policies"], wanted["efe"]))
    best = tuples(answer["best"]["actions"])
    if best not in G or far(G[best], min(wanted["efe"]), 1e-10):
        yield f"plan: best policy {best} has G {G.get(best)}, not {min(wanted['efe'])}"
    if far(answer["best"]["efe"], min(wanted["efe"]), 1e-10):
        yield f"plan: smallest G {answer['best']['efe']}, not {min(wanted['efe'])}"


def choices(probabilities):
    """The actions that may be the most probable; several only where rounding decides."""
    top = max(probabilities.values())
    near = {actions: p for actions, p in probabilities.items() if p >= top - 1e-9}
    are_equal = all(p >= top - 1e-14 for p in near.values())
    return [pomdp.choose(probabilities)] if are_equal else list(near)


def random_outcomes(rng, model):
    """Outcomes to observe: mostly some that can happen, at times any."""
    if rng.random() < 0.2:
        return [int(rng.integers(n)) for n in model.n_outcome]
    state = int(rng.choice(len(model.states), p=pomdp.joint(model, model.D)))
    outcomes = []
    for likelihood in model.likelihood:
        outcomes.append(int(rng.choice(len(likelihood), p=likelihood[:, state])))
    return outcomes


def says_where_it_is(model, belief):
    """Whether restricted factors have a most probable state, and policies that start there."""
    for f in range(model.n_factor):
        if model.allowed[f] is not None and model.n_state[f] > 1:
            second, first = sorted(belief[f])[-2:]
            if first - second < 1e-9:
                return False
    return len(pomdp.policies_of(model, belief)) > 0


def compare(number, folder):
    """What the command says otherwise than the oracle on one random model."""
    document, rng = random_model.model_of(number)
    path = pathlib.Path(folder) / f"{number}.json"
    path.write_text(json.dumps(document, ensure_ascii=number % 2 == 0), encoding="utf-8")
    model = pomdp.Model(document)
    counted = []
    if number % 3 == 0:
        model.weights = random_model.weights_of(number)
        counted = random_model.weight_options(model.weights)
    wanted = pomdp.plan(model)
    outcomes = random_outcomes(rng, model) if number % 2 else None
    if outcomes and not says_where_it_is(model, pomdp.observe(model, model.D, outcomes)):
        outcomes = None
    sentences = []
    try:
        sentences += differences_in_efe(path, wanted, counted)
        if outcomes:
            wanted = pomdp.plan(model, outcomes)
        sentences += differences_in_plan(path, wanted, outcomes, counted)
    except (ValueError, KeyError, TypeError) as error:
        sentences.append(f"{type(error).__name__} {error}")
    path.unlink()
    return [f"model {number}, observing {outcomes}: {sentence}" for sentence in sentences]


class TheCommand(unittest.TestCase):
    @unittest.skipUnless(COMMAND, "SONDE_COMMAND says which command")
    def test_random_models_give_what_the_oracle_gives(self):
        with tempfile.TemporaryDirectory(dir=os.environ.get("SONDE_TEST_TMP")) as folder, \
                concurrent.futures.ProcessPoolExecutor(N_PROCESS) as pool:
            found = list(pool.map(compare, range(N_MODEL), [folder] * N_MODEL, chunksize=10))
        wrong = [sentences for sentences in found if sentences]
        shown = "\n".join(sentences[0] for sentences in wrong[:20])
        if wrong:
            self.fail(f"{len(wrong)} of {N_MODEL} models differ; `python3 "
                      f"tests/oracle/random_model.py NUMBER` prints one:\n{shown}")


# ----------------------------------------------------------------------------- the oracle itself --


def fixture_document(fixture, **more):
    """A fixture's model as a model file has it."""
    return {
        "format": "sonde-model", "version": 1, "horizon": fixture["policy_len"],
        "factors": [{"states": n, "actions": u}
                    for n, u in zip(fixture["num_states"], fixture["num_controls"])],
        "modalities": [{"outcomes": n} for n in fixture["num_obs"]],
        "A": fixture["A"], "B": fixture["B"], "C": fixture["C"], "D": fixture["qs"],
        "gamma": fixture["gamma"], **more,
    }


class TheOracle(unittest.TestCase):
    def near(self, found, wanted, tolerance):
        np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance)

    def test_it_reproduces_the_numbers_of_pymdp(self):
        paths = sorted((DATA / "pomdp").glob("*.json"))
        self.assertEqual(len(paths), 5)
        for path in paths:
            with self.subTest(path.name):
                self.check_fixture(json.loads(path.read_text()))

    def check_fixture(self, fixture):
        plan = pomdp.plan(pomdp.Model(fixture_document(fixture)))
        self.assertEqual([[list(step) for step in policy] for policy in plan["policies"]],
                         fixture["policies"])
        self.near(-plan["efe"], fixture["neg_efe_per_modality_exact"], 1e-9)
        self.near(-plan["efe"], fixture["neg_efe_factorised"], 2e-5)

        linear = pomdp.plan(pomdp.Model(fixture_document(fixture, preferences="utility")))
        self.near(-linear["efe"], fixture["neg_efe_per_modality_linear_C"], 1e-9)

        joint = pomdp.Model(fixture_document(fixture, information="joint"))
        plan = pomdp.plan(joint)
        self.near(-plan["efe"], fixture["neg_efe_joint"], 2e-5)
        self.near(plan["posterior"], fixture["q_pi_joint"], 1e-6)
        for found, wanted in zip(plan["by_factor"], fixture["first_action_marginals"]):
            self.near(found, wanted, 1e-6)

        update = fixture["belief_update"]
        prior = pomdp.predict(joint, joint.D, update["act"])
        posterior = pomdp.observe_legacy(joint, prior, update["obs"])
        for f in range(joint.n_factor):
            self.near(prior[f], update["prior"][f], 1e-9)
            self.near(posterior[f], update["posterior"][f], 1e-9)

    def test_coupled_factors_and_terms_are_those_worked_out_by_hand(self):
        """A lamp that a switch lights; it is seen, wrongly one time in ten; light is liked."""
        model = pomdp.Model({
            "format": "sonde-model", "version": 1, "horizon": 2,
            "factors": [
                {"name": "switch", "states": ["off", "on"], "actions": ["leave", "flip"]},
                {"name": "lamp", "states": 2, "actions": 1, "depends": ["switch"]}],
            "modalities": [{"outcomes": 2, "factors": ["lamp"]}],
            "A": [[[0.9, 0.1], [0.1, 0.9]]],
            "B": [[[[1, 0], [0, 1]], [[0, 1], [1, 0]]], [[[1], [0]], [[0], [1]]]],
            "C": [[[0.5, 0.5], [3, 9]]], "preferences": "probability",
            "D": [{"shape": [2], "entries": [[0, 0.75], [1, 0.25]]}, [1, 0]],
            "cost": [[2, 0]], "lambda": 3,
        })
        plan = pomdp.plan(model)
        entropy = -0.9 * np.log(0.9) - 0.1 * np.log(0.1)
        dark = [0.9 * 0.75 + 0.1 * 0.25, 0.9 * 0.75 + 0.1 * 0.25]
        flipped = [dark[0], 0.9 * 0.25 + 0.1 * 0.75]
        for first, rows in ((dark, plan["terms"][:2]), (flipped, plan["terms"][2:])):
            risk = 0
            for p, liked in zip(first, ((0.5, 0.5), (0.25, 0.75))):
                risk += p * np.log(p / liked[0]) + (1 - p) * np.log((1 - p) / liked[1])
            # what is done last changes nothing any more, the lamp being one step behind
            for row in rows:
                self.near(row, [risk, 2 * entropy, 3 * 2 * sum(first)], 1e-14)

    def test_allowed_policies_stop_at_dead_ends(self):
        """Three places in a row: go right or stay; from the last nothing but staying."""
        model = pomdp.Model({
            "format": "sonde-model", "version": 1, "horizon": 3,
            "factors": [{"states": ["a", "b", "c"], "actions": ["stay", "right"]},
                        {"states": 1, "actions": 2}],
            "modalities": [{"outcomes": 3, "factors": [0]}],
            "A": [np.eye(3)], "C": [[0, 0, 0]], "D": [[0.5, 0.5, 0], [1]],
            "B": [np.stack([np.eye(3), np.eye(3)[:, [1, 2, 2]]], axis=2), [[[1, 1]]]],
            "policies": "allowed",
            "allowed": [[["a", 1], ["b", "stay"], [1, 1], [2, "stay"]], None],
        })
        policies = pomdp.policies_of(model, model.D)
        walks = [[step[0] for step in policy] for policy in policies]
        wanted = [[1, 0, 0], [1, 0, 1], [1, 1, 0]]
        self.assertEqual(sorted(map(tuple, walks)), sorted(8 * list(map(tuple, wanted))))
        self.assertEqual(policies, sorted(policies))

    def test_habits_of_nothing_are_never_followed(self):
        model = pomdp.Model({
            "format": "sonde-model", "version": 1, "horizon": 1,
            "factors": [{"states": 1, "actions": 3}], "modalities": [{"outcomes": 1}],
            "A": [[[1]]], "B": [[[[1, 1, 1]]]], "C": [[0]], "D": [[1]],
            "policies": [[[2]], [[1]], [[0]], [[1]]], "E": [0, 1, 2, 1],
        })
        plan = pomdp.plan(model)
        self.near(plan["posterior"], [0, 0.25, 0.5, 0.25], 1e-15)
        self.near(list(plan["probabilities"].values()), [0.5, 0.5, 0], 1e-15)
        self.assertEqual(plan["action"], (0,))

    def test_random_models_are_of_every_kind(self):
        kinds = set()
        for number in range(0, 1000, 5):
            document = random_model.model_of(number)[0]
            policies = document.get("policies", "all")
            kinds.add(policies if isinstance(policies, str) else "listed")
            kinds.add(document.get("preferences", "log"))
            kinds.add(document.get("information", "per-modality"))
            kinds.add(f"gamma {document.get('gamma', 1)}")
            kinds.update({"E", "cost", "lambda"} & set(document))
            for factor in document["factors"]:
                kinds.add("depends" if len(factor.get("depends", [])) > 1 else "alone")
            for table in document["A"] + document["B"] + document["C"] + document["D"]:
                kinds.add("sparse" if isinstance(table, dict) else "dense")
        self.assertLessEqual({
            "all", "allowed", "listed", "log", "probability", "utility", "per-modality", "joint",
            "gamma 1", "gamma 4", "gamma 16", "E", "cost", "lambda", "depends", "alone", "sparse",
            "dense"}, kinds)


if __name__ == "__main__":
    unittest.main()
