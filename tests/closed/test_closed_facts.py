"""What must hold of closed loop, whatever the model."""

import json
import math
import os
import random
import re
import signal
import subprocess
import time
import xml.etree.ElementTree
from pathlib import Path

import pytest

COMMAND = os.environ["SONDE_COMMAND"]
DATA = Path(os.environ["SONDE_TEST_DATA"]) / "closed"
MODELS = DATA / "models"
WORLDS = Path(os.environ["SONDE_TEST_DATA"]) / "worlds"


def run(*words):
    return subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True, check=False)


def document(*words):
    done = run(*words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def plan(path, *options):
    return document("plan", path, "--loop", "closed", *options)


def columns(rng, n_row, n_column, certain=False):
    """A table of probabilities, [row][column]."""
    table = []
    for _ in range(n_column):
        if certain:
            column = [0.0] * n_row
            column[rng.randrange(n_row)] = 1.0
        else:
            weight = [rng.random() + 0.01 for _ in range(n_row)]
            column = [w / sum(weight) for w in weight]
        table.append(column)
    return [[table[c][r] for c in range(n_column)] for r in range(n_row)]


def random_model(path, seed, seen=False, **keys):
    """One factor, one modality; where it is seen, steps are certain and so is the start."""
    rng = random.Random(seed)
    n, u, horizon = rng.randint(2, 4), rng.randint(2, 3), rng.randint(1, 4)
    B = [[[0.0] * u for _ in range(n)] for _ in range(n)]
    for a in range(u):
        table = columns(rng, n, n, seen)
        for to in range(n):
            for s in range(n):
                B[to][s][a] = table[to][s]
    A = [[float(i == j) for j in range(n)] for i in range(n)] if seen else columns(rng, n, n)
    D = [1.0] + [0.0] * (n - 1) if seen else [row[0] for row in columns(rng, n, 1)]
    made = {
        "format": "sonde-model", "version": 1,
        "factors": [{"states": n, "actions": u}], "modalities": [{"outcomes": n}],
        "A": [A], "B": [B], "C": [[rng.uniform(-2, 2) for _ in range(n)]], "D": [D],
        "horizon": horizon, "policies": "all", **keys,
    }
    path.write_text(json.dumps(made))
    return made


def value_of(path, backup, *options):
    """The exact value, in the middle of its interval."""
    return sum(plan(path, "--backup", backup, "--search", "full", *options)["value"]) / 2


def middles(answer):
    return [sum(a["efe"]) / 2 for a in answer["first_actions"]]


def test_one_step_is_one_step_of_open_loop(tmp_path):
    for seed in range(20):
        random_model(tmp_path / "m.json", seed)
        scored = document("efe", tmp_path / "m.json", "--horizon", 1)["policies"]
        for backup in "min", "average", "free-energy":
            answer = plan(tmp_path / "m.json", "--horizon", 1, "--backup", backup)
            for found, policy in zip(answer["first_actions"], scored):
                assert math.isclose(sum(found["efe"]) / 2, policy["efe"], abs_tol=1e-12)
                for term in "risk", "ambiguity", "cost":
                    assert math.isclose(found["step"][term], policy[term], abs_tol=1e-12)


def test_where_the_state_is_seen_and_steps_are_certain_both_loops_agree(tmp_path):
    for seed in range(50):
        random_model(tmp_path / "m.json", seed, seen=True)
        scored = document("efe", tmp_path / "m.json")["policies"]
        least = {}
        for policy in scored:
            first = policy["actions"][0][0]
            least[first] = min(least.get(first, math.inf), policy["efe"])
        answer = plan(tmp_path / "m.json", "--backup", "min", "--search", "full")
        for found in answer["first_actions"]:
            assert abs(sum(found["efe"]) / 2 - least[found["action"]["actions"][0]]) < 1e-9
        open_loop = document("plan", tmp_path / "m.json", "--search", "full")
        soft = plan(tmp_path / "m.json", "--search", "full")
        for found, expected in zip(soft["first_actions"], open_loop["first_actions"]):
            assert abs(found["p"] - expected["posterior"]) < 1e-9
        # and bounds are exact there: the root alone, at most, is looked at
        sure = plan(tmp_path / "m.json", "--backup", "min", "--search", "bounded")
        assert sure["evaluations"]["beliefs"] <= 1


def test_the_backups_are_in_order_and_agree_at_high_precision(tmp_path):
    for seed in range(20):
        made = random_model(tmp_path / "m.json", 100 + seed)
        u = made["factors"][0]["actions"]
        value = {}
        for backup in "min", "average", "free-energy":
            value[backup] = value_of(tmp_path / "m.json", backup)
        assert value["min"] <= value["average"] + 1e-9
        assert value["average"] <= value["free-energy"] + 1e-9
        assert value["free-energy"] <= value["min"] + made["horizon"] * math.log(u) + 1e-9
        sharp = [value_of(tmp_path / "m.json", b, "--gamma", 1e6)
                 for b in ("min", "average", "free-energy")]
        assert max(sharp) - min(sharp) < 1e-4


def test_the_t_maze_goes_to_the_cue_once(tmp_path):
    f = json.loads((DATA / "pymdp-si-t-maze.json").read_text())
    made = {
        "format": "sonde-model", "version": 1, "horizon": 3, "preferences": "utility",
        "factors": [{"states": 4, "actions": 4}, {"states": 2, "actions": 1}],
        "modalities": [{"outcomes": len(a)} for a in f["A"]],
        **{key: f[key] for key in "ABCD"},
    }
    (tmp_path / "m.json").write_text(json.dumps(made))
    best = document("plan", tmp_path / "m.json", "--search", "full")["best"]
    assert [step[0] for step in best["actions"]] == [3, 3, 3]
    assert abs(best["efe"] + 0.8839) < 1e-4
    expected = {"min": (-2.7451, -4.8621, -4.8621, -5.1621),
                "average": (-2.1136, -4.1816, -4.1816, -4.4816),
                "free-energy": (-1.1291, -2.4668, -2.4668, -2.7668)}
    for backup, efe in expected.items():
        for search in ["full"], ["bounded", "--epsilon", 1e-6]:
            answer = plan(tmp_path / "m.json", "--backup", backup, "--search", *search)
            assert max(abs(a - b) for a, b in zip(middles(answer), efe)) < 1e-4
            first = answer["plan"][0]
            assert first["action"]["actions"][0] == 3
            after = {answer["plan"][c["id"]]["action"]["actions"][0]
                     for c in first["children"] if c["id"] is not None}
            assert after <= {1, 2}


def strip(text):
    return re.sub(r'"(setup_)?seconds": [^,}\n]*|"command": "[^"]*"', "", text)


def test_threads_change_no_byte_and_merging_no_value():
    path = MODELS / "grid3-two-starts.json"
    words = ["plan", path, "--loop", "closed", "--search", "bounded", "--horizon", 4,
             "--epsilon", 0.01]
    one, three = (run(*words, "--json", "--threads", n).stdout for n in (1, 3))
    assert strip(one) == strip(three)
    again = document(*words, "--no-merge")
    for a, b in zip(json.loads(one)["first_actions"], again["first_actions"]):
        assert max(a["efe"][0], b["efe"][0]) <= min(a["efe"][1], b["efe"][1])
    assert again["evaluations"]["merged"] == 0
    assert again["settings"]["loop"] == "closed" and again["settings"]["no_merge"] is True
    assert "loop" not in document("plan", path)["settings"]


def test_a_budget_of_one_step_gives_a_wide_certificate():
    for backup in "min", "average", "free-energy":
        exact = plan(MODELS / "t-maze-95.json", "--search", "full", "--backup", backup)
        for search in "bounded", "auto":
            answer = plan(MODELS / "t-maze-95.json", "--search", search, "--budget", 1,
                          "--backup", backup)
            assert answer["evaluations"]["beliefs"] == 0
            assert answer["certificate"]["stopped"] == "budget"
            assert answer["plan"] == [] and answer["first_actions"][0]["step"] is None
            for wide, narrow in zip(answer["first_actions"], exact["first_actions"]):
                assert wide["efe"][0] <= narrow["efe"][0] and wide["efe"][1] >= narrow["efe"][1]


def test_it_stops_for_gap_deadline_and_memory():
    path = MODELS / "grid3-slip-noise.json"
    gap = plan(path, "--search", "bounded", "--gap", 0.5)
    assert gap["certificate"]["stopped"] == "gap" and gap["value"][1] - gap["value"][0] <= 0.5
    late = plan(path, "--search", "bounded", "--epsilon", 0, "--deadline", "1ms", "--horizon", 6)
    assert late["certificate"]["stopped"] == "deadline"
    small = plan(path, "--search", "bounded", "--epsilon", 1e-9, "--memory", "2M", "--horizon", 6)
    assert small["certificate"]["stopped"] == "memory"
    for answer in gap, late, small:
        assert 0 <= answer["certificate"]["tv"] <= 1


def test_an_interrupted_search_says_what_it_knows():
    child = subprocess.Popen(
        [COMMAND, "plan", str(MODELS / "grid3-slip-noise.json"), "--loop", "closed",
         "--search", "bounded", "--epsilon", "0", "--horizon", "7", "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(1.0)
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=60)
    assert json.loads(out)["certificate"]["stopped"] == "interrupted"


@pytest.mark.parametrize("options, sentence", [
    (["--search", "cluster"], "choose auto, full, bounded, pruned, dpefe"),
    (["--search", "random"], "choose auto, full, bounded, pruned, dpefe"),
    (["--search", "beam"], "choose auto, full, bounded, pruned, dpefe"),
    (["--search", "surrogate"], "choose auto, full, bounded, pruned, dpefe"),
    (["--search", "tree"], "choose auto, full, bounded, pruned, dpefe"),
    (["--fallback", "full"], "fallback"),
    (["--inference", "exact"], "inference"),
    (["--keep", "3"], "keep"),
    (["--k", "3"], "goes with loop open only"),
    (["--embedding", "boa"], "--embedding: goes with loop open only"),
    (["--max-beliefs", "11"], "--max-beliefs: expected at least 12, for the present belief and"),
    (["--action-prior", "prior.txt"], "found something else after 2 of them"),
])
def test_what_does_not_go_with_closed_loop_is_refused(tmp_path, options, sentence):
    (tmp_path / "prior.txt").write_text("1 2 three 4")
    done = subprocess.run(
        [COMMAND, "plan", str(MODELS / "t-maze-95.json"), "--loop", "closed", *options],
        capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == (3 if "--action-prior" in options else 2)
    assert sentence in done.stderr


def test_outcomes_that_can_say_nothing_are_noted_or_refused(tmp_path):
    path = MODELS / "t-maze-95.json"
    seen = run("plan", path, "--loop", "closed", "--observe", "centre,none")
    assert seen.returncode == 0 and seen.stderr == ""
    never = run("plan", path, "--loop", "closed", "--observe", "left,none")
    assert never.returncode == 0 and "holds these outcomes for impossible" in never.stderr
    tiger = tmp_path / "tiger.json"
    assert run("model", "--make", "tiger", "-o", tiger).returncode == 0
    early = run("plan", tiger, "--loop", "closed", "--observe", "hear-left")
    assert early.returncode == 2
    assert "modality 0 depend on the action before them, and there was none" in early.stderr
    nothing = run("plan", tiger, "--loop", "closed", "--observe", "-")
    assert nothing.returncode == 0 and nothing.stderr == ""
    # what does not depend on the action is taken in beside what does
    both = json.loads(tiger.read_text())
    both["modalities"].append({"outcomes": 2})
    both["A"].append([[0.8, 0.2], [0.2, 0.8]])
    both["C"].append([0, 0])
    both["cost"].append([0, 0])
    tiger.write_text(json.dumps(both))
    half = plan(tiger, "--observe", "-,0")
    assert half["belief"][0] == pytest.approx([0.8, 0.2])
    done = run("plan", WORLDS / "five.json", "--observe", "0")
    assert done.returncode == 2


def test_models_that_closed_loop_has_no_place_for_are_refused(tmp_path):
    made = random_model(tmp_path / "m.json", 1, horizon=1, policies=[[[0]], [[1]]], E=[0.5, 0.5])
    done = run("plan", tmp_path / "m.json", "--loop", "closed")
    assert done.returncode == 2 and "with E" in done.stderr
    done = run("plan", WORLDS / "five.json", "--loop", "closed")
    assert done.returncode == 2 and "general models" in done.stderr
    assert made["horizon"] == 1


def test_open_loop_refuses_a_discount_and_takes_no_notice_of_the_prior(tmp_path):
    made = random_model(tmp_path / "m.json", 3)
    n, u = made["factors"][0]["states"], made["factors"][0]["actions"]
    keys = {"horizon": 2, "action_cost": [[0.5] * u for _ in range(n)],
            "action_prior": [2.0] + [1.0] * (u - 1)}
    for discount in 0.9, 1.0:
        (tmp_path / "m.json").write_text(json.dumps(made | keys | {"discount": discount}))
        for verb in "plan", "efe", "simulate":
            done = run(verb, tmp_path / "m.json", *(["--steps", 2] if verb == "simulate" else []))
            if discount < 1:
                assert done.returncode == 2 and "a discount" in done.stderr
            else:
                assert done.returncode == 0 and "action_prior" in done.stderr
        done = run("plan", tmp_path / "m.json", "--loop", "closed")
        assert done.returncode == 0 and "action_prior" not in done.stderr
        written = run("model", tmp_path / "m.json", "-o", tmp_path / "again.json")
        assert written.returncode == 0
        one, two = (plan(tmp_path / name) for name in ("m.json", "again.json"))
        assert one["first_actions"] == two["first_actions"]


def test_information_off_is_the_cross_entropy(tmp_path):
    made = random_model(tmp_path / "m.json", 5, information="off")
    (tmp_path / "m.json").write_text(json.dumps(made | {"horizon": 2}))
    scored = document("efe", tmp_path / "m.json", "--steps")["policies"]
    for policy in scored:
        assert policy["ambiguity"] == 0
        assert math.isclose(policy["efe"], policy["risk"] + policy["cost"], abs_tol=1e-12)
    best = min(p["efe"] for p in scored)
    answer = plan(tmp_path / "m.json", "--backup", "min", "--search", "full")
    assert answer["value"][0] <= best + 1e-9


def test_an_agent_lives_in_closed_loop():
    for model in "t-maze-95.json", "rocksample-2-1.json":
        lived = document("simulate", MODELS / model, "--loop", "closed", "--steps", 3,
                         "--horizon", 3)
        assert len(lived["steps"]) == 3
        for step in lived["steps"]:
            for factor in step["belief"]:
                assert abs(sum(factor) - 1) < 1e-9
    # after the cue, what is believed is what the cue said
    lived = document("simulate", MODELS / "t-maze-certain.json", "--loop", "closed",
                     "--steps", 3, "--horizon", 3, "--backup", "min", "--action", "deterministic")
    assert max(lived["steps"][-1]["belief"][1]) > 0.99


def test_a_plan_is_drawn(tmp_path):
    svg, dot = tmp_path / "p.svg", tmp_path / "p.dot"
    for model, horizon in ("t-maze-95.json", 3), ("grid3-slip-noise.json", 5):
        answer = plan(MODELS / model, "--horizon", horizon, "--svg", svg, "--dot", dot)
        words = " ".join(xml.etree.ElementTree.parse(svg).getroot().itertext())
        names = json.loads((MODELS / model).read_text())["factors"][0]["actions"]
        first = answer["plan"][0]
        assert names[first["action"]["actions"][0]] in words
        assert ("most probable are shown" in words) == (len(answer["plan"]) > 32)
        text = dot.read_text()
        assert text.count(" -> ") == sum(len(node["children"]) for node in answer["plan"])
        assert text.count("\n  b") >= len(answer["plan"]) and text.endswith("}\n")
    # a search that has no plan says so, and open loop has none to draw for Graphviz
    assert run("plan", MODELS / "t-maze-95.json", "--loop", "closed", "--search", "qmdp",
               "--svg", svg).returncode == 0
    done = run("plan", MODELS / "t-maze-95.json", "--horizon", 2, "--dot", dot)
    assert done.returncode == 2 and "--loop closed" in done.stderr


def test_names_of_anybody_are_drawn_as_they_are(tmp_path):
    made = json.loads((MODELS / "t-maze-95.json").read_text())
    made["factors"][0]["actions"] = ["a<b>", "\"q\"", "back\\slash", "\u00fcber &"]
    (tmp_path / "m.json").write_text(json.dumps(made))
    plan(tmp_path / "m.json", "--horizon", 2, "--svg", tmp_path / "p.svg",
         "--dot", tmp_path / "p.dot")
    assert xml.etree.ElementTree.parse(tmp_path / "p.svg") is not None
    for line in (tmp_path / "p.dot").read_text().splitlines():
        assert len(re.findall(r'(?<!\\)(?:\\\\)*"', line)) % 2 == 0


def test_nothing_is_seen_before_the_first_action_where_a_depends_on_it(tmp_path):
    made = run("model", "--make", "tiger", "-o", tmp_path / "m.json")
    assert made.returncode == 0, made.stderr
    lived = run("simulate", tmp_path / "m.json", "--loop", "closed", "--steps", 2)
    assert lived.returncode == 0 and "\u2013" in lived.stdout and "null" not in lived.stdout
    endless = run("simulate", tmp_path / "m.json", "--loop", "closed", "--horizon", "inf",
                  "--backup", "min", "--gap", 0.5, "--steps", 1, "--follow", 5)
    assert endless.returncode == 2 and "has no end" in endless.stderr


def test_a_plan_that_is_lived_comes_to_its_value():
    for backup in "min", "average", "free-energy":
        lived = document("simulate", MODELS / "t-maze-95.json", "--loop", "closed", "--horizon", 4,
                         "--steps", 2, "--backup", backup, "--follow", 2000)["followed"]
        assert lived["episodes"] == 2000 and lived["left"] == 0
        assert lived["value"][0] - 4 * lived["error"] <= lived["mean"]
        assert lived["mean"] <= lived["value"][1] + 4 * lived["error"]
    for options, sentence in ((["--search", "qmdp"], "no plan"), (["--loop", "open"], "loop")):
        done = run("simulate", MODELS / "t-maze-95.json", "--loop", "closed", "--horizon", 2,
                   "--steps", 1, "--follow", 5, *options)
        assert done.returncode == 2 and sentence in done.stderr


def test_a_plan_is_told_in_sentences():
    text = run("plan", MODELS / "t-maze-95.json", "--loop", "closed", "--horizon", 3,
               "--explain").stdout
    assert "first go" in text and "see " in text and "not comparable" in text
    told = text[text.index("first go"):text.index("not comparable")]
    assert max(map(len, told.splitlines())) <= 100
