"""E of actions from a file, in place of the model's."""

import json
import os
import subprocess

import pytest

COMMAND = os.environ["SONDE_COMMAND"]
PRIOR = [1, 3, 0, 4]


def run(*words, code=0):
    done = subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True, check=False,
                          timeout=100)
    assert done.returncode == code, done.stderr
    return done


@pytest.fixture
def maze(tmp_path):
    path = tmp_path / "maze.json"
    run("model", "--make", "t-maze", "-o", path)
    return path


def told(*words):
    document = json.loads(run(*words, "--loop", "closed", "--json").stdout)
    return {key: value for key, value in document.items()
            if "seconds" not in key and key not in ("command", "steps")}


@pytest.mark.parametrize("text", ["[1, 3, 0, 4]", "1 3 0 4", "1\n3\n0\n4\n", "1,3,0e0,4.0"])
def test_it_is_as_if_the_model_had_it(maze, tmp_path, text):
    own, prior = tmp_path / "own.json", tmp_path / "prior.txt"
    prior.write_text(text)
    own.write_text(json.dumps(json.loads(maze.read_text()) | {"action_prior": PRIOR}))
    even = told("plan", maze)
    for backup in "min", "average", "free-energy":
        mine = told("plan", maze, "--action-prior", prior, "--backup", backup)
        assert mine == told("plan", own, "--backup", backup)
        assert mine["first_actions"] != even["first_actions"]
        assert [a["action"]["actions"] for a in mine["first_actions"]] == [[0, 0], [1, 0], [3, 0]]
    assert told("simulate", maze, "--action-prior", prior) == told("simulate", own)
    again = json.loads(run("plan", maze, "--loop", "closed", "--action-prior", prior,
                           "--json").stdout)["command"].split()
    assert again[again.index("--action-prior") + 1] == str(prior)


@pytest.mark.parametrize("text, said", [
    ("1 2 3", "expected 4 numbers, one for each action"),
    ("1 2 3 4 5", "expected 4 numbers"), ("1 2 x 4", "expected 4 numbers"), ("", "expected 4"),
    ("1 2 3x 4", "expected 4 numbers"), ("1 " * 5000, "expected 4 numbers"),
    ("1 2 3 4\0", "expected 4 numbers"), ("{\"a\": 1}", "expected 4 numbers")])
def test_files_that_are_none_get_a_sentence(maze, tmp_path, text, said):
    prior = tmp_path / "prior.txt"
    prior.write_text(text)
    done = run("plan", maze, "--loop", "closed", "--action-prior", prior, code=3)
    assert said in done.stderr and done.stderr.count("\n") == 1 and "prior.txt" in done.stderr


@pytest.mark.parametrize("text, said", [
    ("1 2 -3 4", "action_prior[2]: expected a number of 0 or more, at most 1e+100, found -3"),
    ("0 0 0 0", "--action-prior: expected an action with more than 0"),
    ("1 2 nan 4", "expected a number"), ("1 2 inf 4", "expected a number")])
def test_numbers_that_are_none_get_a_sentence(maze, tmp_path, text, said):
    prior = tmp_path / "prior.txt"
    prior.write_text(text)
    done = run("plan", maze, "--loop", "closed", "--action-prior", prior, code=2)
    assert said in done.stderr and done.stderr.count("\n") == 1


def test_open_loop_has_none(maze, tmp_path):
    prior = tmp_path / "prior.txt"
    prior.write_text("1 3 0 4")
    done = run("plan", maze, "--action-prior", prior, code=2)
    assert "--action-prior: goes with --loop closed only" in done.stderr
    done = run("plan", maze, "--loop", "closed", "--action-prior", tmp_path / "nowhere", code=3)
    assert "nowhere" in done.stderr and done.stderr.count("\n") == 1
    own = tmp_path / "own.json"
    own.write_text(json.dumps(json.loads(maze.read_text()) | {"action_prior": PRIOR}))
    for verb in "plan", "simulate", "efe":
        assert "takes no notice of the model's action_prior" in run(verb, own).stderr
        assert "action_prior" not in run(verb, maze).stderr


def test_a_policy_goes_with_its_prior(maze, tmp_path):
    prior, policy = tmp_path / "prior.txt", tmp_path / "found.json"
    prior.write_text("1 3 0 4")
    words = "plan", maze, "--loop", "closed", "--horizon", "inf", "--discount", .8, "--gap", .1
    run(*words, "--action-prior", prior, "--save-policy", policy)
    run(*words, "--action-prior", prior, "--use-policy", policy)
    assert "another model" in run(*words, "--use-policy", policy, code=2).stderr
    assert "goes with --loop closed only" in run("plan", maze, "--use-policy", policy,
                                                 code=2).stderr
