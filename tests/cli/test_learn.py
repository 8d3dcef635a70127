"""sonde simulate --learn: what it learns, from what, and what it says."""
import json
import os
import pathlib
import shlex
import subprocess

import numpy as np
import pytest

COMMAND = os.environ["SONDE_COMMAND"]
ARMS = {
    "format": "sonde-model", "version": 1, "name": "two arms", "horizon": 1, "gamma": 4,
    "factors": [{"name": "arm", "states": ["left", "right"], "actions": ["left", "right"]}],
    "modalities": [{"name": "reward", "outcomes": ["win", "loss"]},
                   {"name": "place", "outcomes": ["left", "right"]}],
    "B": [[[[1, 0], [1, 0]], [[0, 1], [0, 1]]]], "C": [[2, 0], [0, 0]], "D": [[0.5, 0.5]]}
PLACE = [[1, 0], [0, 1]]


def write(folder, name, **more):
    path = pathlib.Path(folder) / name
    path.write_text(json.dumps(ARMS | more))
    return str(path)


@pytest.fixture(name="folder")
def folder_of(tmp_path):
    write(tmp_path, "agent.json", A=[None, PLACE],
          counts={"A": [[[1, 1], [1, 1]], None], "E": [1, 1]})
    write(tmp_path, "world.json", A=[[[0.9, 0.1], [0.1, 0.9]], PLACE],
          schedule=[{"from": {"step": 30}, "A": [[[0.1, 0.9], [0.9, 0.1]], None]}])
    return tmp_path


def run(folder, *words, code=0):
    done = subprocess.run([COMMAND, *words], cwd=folder, capture_output=True, text=True,
                          check=False)
    assert done.returncode == code, done.stderr
    return done


def simulate(folder, *words):
    return json.loads(run(folder, "simulate", "agent.json", "--learn", *words, "--json").stdout)


def test_it_follows_a_world_that_changes(folder):
    done = simulate(folder, "--process", "world.json", "--steps", "80", "--omega", "0.1",
                    "--novelty", "joint", "--seed", "3")
    arms = [step["action"]["actions"][0] for step in done["steps"]]
    assert sum(arms[20:30]) <= 2 and sum(arms[-10:]) >= 8
    assert done["learned"]["A"][0]["updates"] == 80
    assert done["learned"]["A"][1] is None
    assert done["learned"]["A"][0]["kl"] > 0


def test_rates_differ_by_outcome(folder):
    done = simulate(folder, "--process", "world.json", "--steps", "50", "--eta-outcome",
                    "reward.win=0.6,reward.loss=0.2")
    seen = json.loads(run(folder, "simulate", "agent.json", "--learn", "--process", "world.json",
                          "--steps", "50", "--episodes", "2", "--eta-outcome",
                          "reward.win=0.6,reward.loss=0.2", "--json").stdout)["episodes"][0]
    wins = sum(outcome[0] == 0 for outcome in seen["outcomes"])
    assert done["learned"]["A"][0]["added"] == pytest.approx(0.6 * wins + 0.2 * (50 - wins))


def test_what_learns_can_be_named(folder):
    done = simulate(folder, "--process", "world.json", "--steps", "5", "--modalities", "place")
    assert done["learned"]["A"] == [None, None]
    assert done["learned"]["E"][0]["updates"] == 5
    done = simulate(folder, "--process", "world.json", "--steps", "5", "--modalities", "0")
    assert done["learned"]["A"][0]["updates"] == 5


def test_a_test_phase_learns_nothing(folder):
    whole = simulate(folder, "--process", "world.json", "--steps", "4", "--episodes", "5",
                     "--until", "2")
    assert whole["learned"]["A"][0]["updates"] == 8
    assert [len(a["kl"]) for a in whole["history"]["arrays"]] == [21, 21]
    kl = whole["history"]["arrays"][0]["kl"]
    assert kl[8] > 0 and len(set(kl[8:])) == 1


def test_a_saved_agent_goes_on_as_if_nothing_had_happened(folder):
    common = ["--process", "world.json", "--seed", "5"]
    run(folder, "simulate", "agent.json", "--learn", *common, "--steps", "17", "--save", "a.json",
        "--quiet")
    later = simulate(folder, *common, "--steps", "23", "--resume", "a.json")
    whole = simulate(folder, *common, "--steps", "40")
    assert later["learned"] == whole["learned"]
    assert [s["p"] for s in later["steps"]] == [s["p"] for s in whole["steps"][17:]]


def test_smoothed_episodes_are_saved_with_their_room(folder):
    common = ["--process", "world.json", "--when", "episode", "--smooth-steps", "40"]
    run(folder, "simulate", "agent.json", "--learn", *common, "--steps", "17", "--save", "a.json",
        "--quiet")
    later = simulate(folder, *common, "--steps", "23", "--resume", "a.json")
    whole = simulate(folder, *common, "--steps", "40")
    assert later["learned"] == whole["learned"]
    done = run(folder, "simulate", "agent.json", "--learn", "--process", "world.json", "--when",
               "episode", "--steps", "5", "--resume", "a.json", code=3)
    assert "saved with room for 40 steps" in done.stderr


def test_outcomes_are_looked_up(folder):
    rows = ["step,u0,reward,place"]
    for step in range(10):
        rows += [f"{step},left,loss,left", f"{step},right,win,right"]
    (folder / "outcomes.csv").write_text("\n".join(rows) + "\n")
    done = simulate(folder, "--outcomes", "outcomes.csv", "--steps", "11", "--novelty", "joint")
    assert done["steps"][-1]["p"] > 0.8
    assert done["steps"][-1]["action"]["actions"] == [1]
    text = run(folder, "simulate", "agent.json", "--learn", "--outcomes", "outcomes.csv",
               "--steps", "3").stdout
    assert "–, –" in text  # nothing is seen before the first action
    done = run(folder, "simulate", "agent.json", "--learn", "--outcomes", "outcomes.csv",
               "--steps", "15", code=3)
    assert "expected what follows episode 0, step 10, action right, found" in done.stderr


def test_the_learned_model_is_a_model(folder):
    run(folder, "simulate", "agent.json", "--learn", "--process", "world.json", "--steps", "20",
        "--learned", "learned.json", "--quiet")
    learned = json.loads((folder / "learned.json").read_text())
    assert sum(sum(row) for row in learned["counts"]["A"][0]) == pytest.approx(24)
    assert sum(learned["counts"]["E"]) == pytest.approx(22)
    done = run(folder, "model", "learned.json")
    assert "learns: A[0] (4 counts), E (2 counts)" in done.stdout


def test_counts_over_time_are_drawn(folder):
    run(folder, "simulate", "agent.json", "--learn", "--process", "world.json", "--steps", "20",
        "--history-svg", "h.svg", "--quiet")
    svg = (folder / "h.svg").read_text()
    assert svg.startswith("<?xml") or svg.startswith("<svg")
    assert "counts of A[0]" in svg and "win | left" in svg and "nats from where it began" in svg
    done = simulate(folder, "--process", "world.json", "--steps", "20", "--history")
    counts = done["history"]["arrays"][0]["counts"]
    assert len(counts) == 21 and counts[0] == [1, 1, 1, 1]
    assert counts[-1] == sum(done["learned"]["A"][0]["counts"], [])


def test_threads_change_no_byte(folder):
    words = ["--process", "world.json", "--steps", "30", "--novelty", "joint", "--horizon", "4",
             "--search", "full"]
    one, two, eight = (simulate(folder, *words, "--threads", n) for n in ("1", "2", "8"))
    for other in (two, eight):
        assert other["learned"] == one["learned"]
        assert [s["p"] for s in other["steps"]] == [s["p"] for s in one["steps"]]


@pytest.mark.parametrize("words, sentence", [
    (["--eta-A", "-1"], "--eta-A"),
    (["--eta-A", "inf"], "--eta-A"),
    (["--eta-A", "nan"], "--eta-A"),
    (["--omega", "2"], "--omega"),
    (["--decay", "-1"], "--decay"),
    (["--steps", "0"], "--steps"),
    (["--eta-outcome", "reward.won=1"], "expected MODALITY.OUTCOME=X of this model"),
    (["--eta-outcome", "reward.win=-1"], "expected a number of 0 or more"),
    (["--omega-outcome", "reward.win=2"], "omega: expected a number from 0 to 1, found 2"),
    (["--modalities", "rewards"], 'there is no modality "rewards"'),
    (["--factors", "1"], 'there is no factor "1"'),
    (["--precision", "expected"], "gamma expected: it takes G of every policy"),
    (["--loop", "closed"], "counts.E: habits are of sequences of actions"),
    (["--beliefs", "smoothed"], "smoothed ones are there once an episode has ended"),
    (["--process", "world.json", "--outcomes", "x.csv"], "give one or the other"),
    (["--resume", "nothing.json"], "nothing.json"),
])
def test_bad_words_are_refused_by_one_sentence(folder, words, sentence):
    done = subprocess.run([COMMAND, "simulate", "agent.json", "--learn", *words], cwd=folder,
                          capture_output=True, text=True, check=False)
    assert done.returncode in (2, 3)
    assert sentence in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr


@pytest.mark.parametrize("counts, sentence", [
    ({"A": [[[-1, 1], [1, 1]], None]}, "counts.A[0]"),
    ({"A": [[[1e13, 1], [1, 1]], None]}, "counts.A[0]"),
    ({"A": [[[0, 1], [0, 1]], None]}, "expected counts with a sum of more than 0"),
    ({"A": [[[1, 1]], None]}, "A[0]"),
    ({"E": [1, 0]}, "counts.E[1]: expected a count above 0"),
    ({"E": [1]}, "counts.E: expected 2 numbers, one for each first action, found 1"),
    ({"F": [1]}, 'unknown key "F"'),
])
def test_bad_counts_are_refused_by_one_sentence(folder, counts, sentence):
    given = {"A": [[[1, 1], [1, 1]], None]} | counts
    write(folder, "bad.json", A=[None, PLACE], counts=given)
    done = run(folder, "model", "bad.json", code=3)
    assert sentence in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr


def test_counts_that_are_no_numbers_are_refused(folder):
    text = (folder / "agent.json").read_text()
    for word in ("NaN", "Infinity", "1e999", '"x"'):
        (folder / "bad.json").write_text(text.replace("[[[1, 1], [1, 1]]",
                                                      f"[[[{word}, 1], [1, 1]]"))
        done = run(folder, "model", "bad.json", code=3)
        assert len(done.stderr.splitlines()) == 1, done.stderr


def test_an_array_that_is_not_the_mean_of_its_counts_is_noted(folder):
    write(folder, "apart.json", A=[[[0.9, 0.5], [0.1, 0.5]], PLACE],
          counts={"A": [[[1, 1], [1, 1]], None]})
    done = run(folder, "model", "apart.json")
    assert "A[0]" in done.stderr and "0.4" in done.stderr


def test_graph_worlds_say_why_they_do_not_learn(folder):
    run(folder, "graph", "--nodes", "5", "-o", "graph.json")
    done = run(folder, "simulate", "graph.json", "--learn", code=2)
    assert "the transitions of a graph world are not stored" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_world_that_changes_is_not_a_model(folder):
    done = run(folder, "model", "world.json", code=3)
    assert "world.json: schedule: is what a world has that changes" in done.stderr
    assert "--process" in done.stderr


def test_what_was_saved_of_another_agent_is_told_by_its_file(folder):
    run(folder, "simulate", "agent.json", "--learn", "--steps", "3", "--save", "a.json", "--quiet")
    done = run(folder, "simulate", "agent.json", "--steps", "3", "--resume", "a.json", code=2)
    assert "a.json: memory: expected one of an agent that learns as this does" in done.stderr


def test_an_episode_longer_than_its_room_is_refused(folder):
    done = run(folder, "simulate", "agent.json", "--learn", "--when", "episode", "--smooth-steps",
               "3", "--steps", "5", code=2)
    assert "the episode has more than the 3 that can be smoothed" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("words", [
    ["--novelty", "joint", "--omega", "0.1"], ["--search", "full", "--precision", "expected"],
    ["--eta-outcome", "reward.win=0.6,reward.loss=0.1", "--modalities", "reward"],
    ["--when", "episode"], ["--when", "step-before", "--decay", "0.1"],
    ["--when", "episode", "--beliefs", "filtered"]])
def test_what_was_lived_is_replayed_bit_for_bit(folder, words):
    lived = simulate(folder, "--process", "world.json", "--steps", "40", "--data", "d.csv", *words)
    done = json.loads(run(folder, "replay", "agent.json", "d.csv", "--json", "--counts",
                          "--quiet").stdout)["subjects"][0]
    assert [step["p"] for step in done["steps"]] == [step["p"] for step in lived["steps"]]
    if "episode" not in words:  # which is learned from when it has ended
        learned = lived["learned"]
        counts = sum(learned["A"][0]["counts"], []) + np.ravel(learned["E"][0]["counts"]).tolist()
        assert done["steps"][-1]["counts"] == counts
        run(folder, "replay", "agent.json", "d.csv", "--counts", "--csv", "rows.csv", "--quiet")
        head, *rows = [line.split(",") for line in (folder / "rows.csv").read_text().splitlines()]
        assert head[-2:] == ["counts_E_0", "counts_E_1"]
        assert [float(cell) for cell in rows[-1][-len(counts):]] == counts


@pytest.mark.parametrize("words", [
    ["--when", "episode"], ["--when", "episode", "--beliefs", "filtered"], ["--like", "pymdp"],
    ["--like", "spm"], ["--until", "3", "--omega", "0.2", "--toward", "zero"],
    ["--search", "full", "--precision", "expected", "--beta-g", "0.5"],
    ["--eta-outcome", "reward.loss=0.2", "--modalities", "0", "--factors", "none"]])
def test_the_command_that_is_told_makes_the_same_again(folder, words):
    lived = simulate(folder, "--process", "world.json", "--steps", "6", "--episodes", "5", *words)
    told = shlex.split(lived["command"])
    assert told[:2] == ["sonde", "simulate"]
    again = json.loads(run(folder, *told[1:]).stdout)
    assert again["learned"] == lived["learned"]
    assert again["episodes"] == lived["episodes"]


def test_what_columns_without_their_zeros_cannot_take_in_is_masked(tmp_path):
    """Arrays of more than 65,536 numbers: of A what one outcome says of combined states that do not
    show it, of B pairs of states that do not follow each other."""
    entries = [[o, s, r, 1] for s in range(2) for r in range(2) for o in (s ^ r, 2 + 2 * s + r)]
    model = {"format": "sonde-model", "version": 1, "horizon": 1,
             "factors": [{"states": 2, "actions": 2}, {"states": 2, "actions": 1}],
             "modalities": [{"outcomes": 17000, "factors": [0, 1]}],
             "C": [{"shape": [17000], "entries": [[0, 1]]}],
             "B": [[[[1, 1], [0, 0]], [[0, 0], [1, 1]]], [[[1], [0]], [[0], [1]]]],
             "D": [[0.5, 0.5], [0.5, 0.5]],
             "counts": {"A": [{"shape": [17000, 2, 2], "entries": entries}]}}
    world = dict(model, A=[{"shape": [17000, 2, 2], "entries": [
        [0, s, r, 1] for s in range(2) for r in range(2)]}])
    del world["counts"]
    (tmp_path / "agent.json").write_text(json.dumps(model))
    (tmp_path / "world.json").write_text(json.dumps(world))
    done = simulate(tmp_path, "--process", "world.json", "--steps", "3", "--eta-A", "0.5")
    found = done["learned"]["A"][0]
    # after it was seen that the states are equal, each of both is believed by a half
    assert found["masked"] == pytest.approx(0.75) and found["added"] == pytest.approx(0.75)

    n = 300
    model = {"format": "sonde-model", "version": 1, "horizon": 1,
             "factors": [{"states": n, "actions": 1}], "modalities": [{"outcomes": 2}],
             "C": [[0, 0]], "D": [[1 / n] * n],
             "A": [[[1.0 - s % 2 * 0.9 for s in range(n)], [s % 2 * 0.9 for s in range(n)]]],
             "counts": {"B": [{"shape": [n, n, 1], "entries": [
                 [(s + k) % n, s, 0, 1 + k] for s in range(n) for k in range(2)]}]}}
    (tmp_path / "agent.json").write_text(json.dumps(model))
    done = simulate(tmp_path, "--steps", "4", "--eta-B", "0.5")
    found = done["learned"]["B"][0]
    assert found["masked"] > 1 and found["added"] > 0
    assert found["masked"] + found["added"] == pytest.approx(1.5)


def test_preferences_of_one_modality_are_learned_from_whole_episodes(folder):
    write(folder, "agent.json", A=[[[0.8, 0.3], [0.2, 0.7]], PLACE], C=[None, [0, 0]],
          counts={"C": [[1, 2], None]})
    done = simulate(folder, "--when", "episode", "--episodes", "3", "--steps", "2")
    assert done["learned"]["C"][0]["added"] == 6 and done["learned"]["C"][1] is None
    write(folder, "agent.json", A=[[[0.8, 0.3], [0.2, 0.7]], PLACE], C=[[2, 0], None],
          counts={"C": [None, [1, 2]]})
    done = simulate(folder, "--when", "episode", "--episodes", "3", "--steps", "2")
    assert done["learned"]["C"][1]["added"] == 6 and done["learned"]["C"][0] is None


def test_a_policy_beside_one_that_is_never_taken_is_learned(folder):
    write(folder, "agent.json", A=[[[0.8, 0.3], [0.2, 0.7]], PLACE],
          policies=[[[0]], [[1]], [[0]]], counts={"E": [0, 1, 1]})
    [found] = simulate(folder, "--steps", "5")["learned"]["E"]
    assert found["added"] == pytest.approx(5) and found["counts"][0] == 0
