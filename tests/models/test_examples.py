"""The models of examples/models/ are what make.py writes, and behave as their pages say."""
# once
# long
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

COMMAND = os.environ.get("SONDE_COMMAND", "sonde")
MODELS = pathlib.Path(__file__).resolve().parents[2] / "examples/models"

# what the pages say of the number of policies
POLICIES = {"tmaze.json": 16, "bandit.json": 64, "weights.json": 1277, "grid5.json": 15625,
            "chaining.json": 65536, "grid.json": 390625, "deep8.json": 7 ** 8}


def sonde(verb, name, *words):
    """What a verb says of a model in JSON."""
    line = [COMMAND, verb, MODELS / name, *words, "--json"]
    done = subprocess.run([*map(str, line)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"sonde {verb} {name}: status {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def run_of(name, n_step, seed=1, process=None):
    """An agent that scores every policy and takes the most probable action."""
    words = ["--steps", n_step, "--seed", seed, "--search", "full", "--action", "deterministic"]
    if process:
        words += ["--process", MODELS / process]
    return sonde("simulate", name, *words)


def states_of(name):
    """Names of the states of each factor, by the factor's name."""
    factors = json.loads((MODELS / name).read_text(encoding="utf-8"))["factors"]
    return {factor["name"]: factor["states"] for factor in factors}


def walk(name, run):
    """Names of the states of the first factor along a run, which is the one that acts."""
    names = next(iter(states_of(name).values()))
    return [names[state[0]] for state in run["path"]]


class Documents(unittest.TestCase):
    def test_make_writes_the_documents_byte_by_byte(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, MODELS / "make.py", folder], check=True)
            made = {path.name: path.read_bytes() for path in pathlib.Path(folder).iterdir()}
        kept = {path.name: path.read_bytes() for path in MODELS.glob("*.json")}
        self.assertEqual(sorted(made), sorted(kept))
        for name, text in made.items():
            self.assertTrue(text == kept[name], f"{name} is not what make.py writes")

    def test_every_document_stands_on_a_page(self):
        pages = "".join(page.read_text(encoding="utf-8") for page in MODELS.glob("*.md"))
        for path in MODELS.glob("*.json"):
            self.assertIn(f"`{path.name}`", pages)

    def test_every_model_has_as_many_policies_as_its_page_says(self):
        for name, count in POLICIES.items():
            with self.subTest(name):
                plan = sonde("plan", name, "--search", "full", "--action", "deterministic")
                self.assertEqual(plan["policy_space"], count)
                self.assertIn(f"{count:,}", self.page(name))

    def page(self, name):
        stem = name.removesuffix(".json").rstrip("58")
        return (MODELS / f"{stem}.md").read_text(encoding="utf-8")


class TMaze(unittest.TestCase):
    def test_the_rat_reads_the_cue_and_then_goes_where_the_cheese_is(self):
        seen = set()
        for seed in range(12):
            run = run_of("tmaze.json", 3, seed)
            context = run["path"][0][1]
            arm = ("left arm", "right arm")[context]
            self.assertEqual(walk("tmaze.json", run), ["centre", "cue", arm, arm])
            self.assertGreater(run["steps"][-1]["belief"][1][context], 0.99)
            seen.add(context)
        self.assertEqual(seen, {0, 1})

    def test_the_rat_goes_right_where_the_process_has_the_cheese_on_the_right(self):
        for seed in range(3):
            run = run_of("tmaze.json", 3, seed, "tmaze-right.json")
            self.assertEqual(walk("tmaze.json", run), ["centre", "cue", "right arm", "right arm"])

    def test_a_cue_is_better_than_an_arm_by_the_ambiguity_of_the_arm(self):
        scored = sonde("efe", "tmaze.json")["policies"]
        efe = {tuple(step[0] for step in policy["actions"]): policy["efe"] for policy in scored}
        ambiguity = -0.9 * math.log(0.9) - 0.1 * math.log(0.1)
        left, cue = 1, 3
        self.assertAlmostEqual(efe[left, left] - efe[cue, left], ambiguity, 9)
        self.assertAlmostEqual(efe[cue, left] - efe[cue, cue], ambiguity, 9)


class Grid(unittest.TestCase):
    def arrives_and_stays(self, name, n_step, seed, corner):
        places = walk(name, run_of(name, n_step, seed))
        self.assertEqual(places[0], "r0c0")
        self.assertIn(corner, places)
        self.assertEqual(set(places[places.index(corner):]), {corner})

    def test_the_agent_arrives_in_the_far_corner_of_the_small_grid_and_stays(self):
        for seed in range(6):
            with self.subTest(seed):
                self.arrives_and_stays("grid5.json", 16, seed, "r4c4")

    def test_the_agent_arrives_in_a_corner_that_lies_beyond_its_horizon(self):
        self.arrives_and_stays("grid.json", 20, 1, "r6c6")


class Deep(unittest.TestCase):
    def test_bounded_search_takes_the_path_every_time_and_proves_it(self):
        for seed in range(10):
            run = sonde("simulate", "deep.json", "--steps", 32, "--seed", seed, "--action",
                        "deterministic")
            places = [states_of("deep.json")["place"][state] for state, in run["path"]]
            wanted = ["start", *(f"path {i}" for i in range(1, 30)), "goal", "goal", "goal"]
            self.assertEqual(places, wanted)
        plan = sonde("plan", "deep.json")
        self.assertTrue(plan["certificate"]["best_is_optimal"])
        self.assertTrue(plan["certificate"]["action_is_exact"])
        self.assertLessEqual(plan["certificate"]["tv"], 1e-3)
        self.assertLessEqual(plan["evaluations"]["steps"], 500)

    def test_it_is_what_scoring_every_policy_says(self):
        full = sonde("plan", "deep8.json", "--search", "full")
        bounded = sonde("plan", "deep8.json")
        self.assertEqual(full["best"]["actions"], bounded["best"]["actions"])
        self.assertAlmostEqual(full["best"]["efe"], bounded["best"]["efe"], delta=1e-9)

    def test_a_beam_finds_the_path_and_random_draws_do_not(self):
        best = sonde("plan", "deep.json")["best"]["actions"]
        self.assertEqual(sonde("plan", "deep.json", "--search", "beam")["best"]["actions"], best)
        drawn = sonde("plan", "deep.json", "--search", "random")
        self.assertNotEqual(drawn["best"]["actions"], best)
        self.assertIsNone(drawn["certificate"])


class Chaining(unittest.TestCase):
    CUE_1 = "r2c0"
    CUE_2 = ("r0c2", "r1c3", "r3c3", "r4c2")
    CHEESE = ("r1c5", "r3c5")

    def chain(self, n_step, seed=1, process=None):
        """A run and when it first came to cue 1, to cue 2 and to the cheese."""
        run = run_of("chaining.json", n_step, seed, process)
        _, cue_2, cheese = run["path"][0]
        places = walk("chaining.json", run)
        self.assertNotIn(self.CHEESE[1 - cheese], places, "it was shocked")
        stations = self.CUE_1, self.CUE_2[cue_2], self.CHEESE[cheese]
        self.assertLessEqual(set(stations), set(places), "it did not go everywhere")
        self.assertGreater(run["steps"][-1]["belief"][1][cue_2], 0.99)
        self.assertGreater(run["steps"][-1]["belief"][2][cheese], 0.99)
        return run, [places.index(station) for station in stations]

    def test_the_rat_follows_the_cues_without_a_detour_to_a_near_cheese(self):
        run, times = self.chain(8, process="chaining-L3-bottom.json")
        self.assertEqual(run["path"][0], [0, 2, 1])
        self.assertEqual(times, [2, 6, 8])

    def test_the_rat_follows_the_cues_without_a_detour_to_a_far_cheese(self):
        run, times = self.chain(12, process="chaining-L4-top.json")
        self.assertEqual(run["path"][0], [0, 3, 0])
        self.assertEqual(times, [2, 6, 12])

    def test_the_rat_follows_the_cues_wherever_they_are(self):
        run, times = self.chain(12, seed=2)
        distance = {(0, 0): 4, (0, 1): 6, (1, 0): 2, (1, 1): 4,
                    (2, 0): 4, (2, 1): 2, (3, 0): 6, (3, 1): 4}
        self.assertEqual(times, [2, 6, 6 + distance[tuple(run["path"][0][1:])]])


class Weights(unittest.TestCase):
    WORLD = "weights-graph.json"

    def test_the_agent_takes_the_light_way_and_stays(self):
        places = walk("weights.json", run_of("weights.json", 5))
        self.assertEqual(places, ["lake>home", "home>shop", "shop>office", *["office>office"] * 3])

    def test_it_is_the_way_of_the_graph_world(self):
        nodes = ["home", "shop", "park", "lake", "office"]
        places = walk("weights.json", run_of("weights.json", 5))
        path = run_of(self.WORLD, 5)["path"]
        self.assertEqual([place.split(">")[1] for place in places], [nodes[i] for i in path])

    def test_an_observed_weight_costs_what_a_weight_costs(self):
        model = sonde("efe", "weights.json")["policies"]
        world = sonde("efe", self.WORLD)["policies"]
        self.assertEqual(len(model), len(world))
        for as_model, as_graph in zip(model, world):
            self.assertAlmostEqual(as_model["efe"], as_graph["efe"], 9)
            self.assertAlmostEqual(as_model["risk"], as_graph["risk"] + as_graph["cost"], 9)
            self.assertEqual(as_model["cost"], 0)


class Bandit(unittest.TestCase):
    LIAR = "bandit-liar.json"

    def test_the_agent_asks_and_then_pulls_the_arm_it_was_told(self):
        for seed in range(6):
            run = run_of("bandit.json", 2, seed)
            left, right = run["steps"][1]["belief"][1]
            self.assertAlmostEqual(max(left, right), 0.9, 6)
            arm = "left arm" if left > right else "right arm"
            self.assertEqual(walk("bandit.json", run), ["start", "ask", arm])

    def test_the_agent_believes_a_liar_until_it_has_lost_twice(self):
        run = run_of("bandit.json", 6, process=self.LIAR)
        wanted = ["start", "ask", "left arm", "left arm", *["right arm"] * 3]
        self.assertEqual(walk("bandit.json", run), wanted)

    def test_a_bold_agent_pulls_at_once_and_leaves_an_arm_that_loses(self):
        choices = walk("bandit.json", run_of("bandit-bold.json", 4, process=self.LIAR))
        self.assertIn(choices[1], ("left arm", "right arm"))
        self.assertEqual(choices[2:], ["right arm"] * 3)


if __name__ == "__main__":
    unittest.main()
