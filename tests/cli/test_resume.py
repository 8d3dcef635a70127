"""sonde plan --resume decides where an agent stands that sonde simulate has saved."""
import json
import os
import pathlib
import subprocess

import pytest

COMMAND = str(pathlib.Path(os.environ["SONDE_COMMAND"]).resolve())
MODELS = pathlib.Path(__file__).resolve().parents[2] / "examples" / "models"


def sonde(*words, cwd):
    done = subprocess.run([COMMAND, *map(str, words)], cwd=cwd, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def saved(folder, model, n_step, *options):
    """The agent after so many steps, and what it sees next."""
    status, _, err = sonde("simulate", model, "--steps", n_step, "--save", "agent.json", *options,
                           cwd=folder)
    assert status == 0, err
    world = json.loads((folder / "agent.json").read_text())["world"]
    return ",".join("-" if one < 0 else str(one) for one in world["outcome"])


@pytest.mark.parametrize("options", [
    ["--search", "full"], ["--search", "bounded", "--action", "best"],
    ["--loop", "closed", "--horizon", 3],
    ["--loop", "closed", "--horizon", 3, "--replan", "shrinking", "--search", "bounded"]], ids=str)
@pytest.mark.parametrize("model", ["tmaze", "bandit", "chaining-L3-bottom"])
def test_a_decision_of_a_later_step_is_the_one_that_the_run_makes(tmp_path, model, options):
    model, options = MODELS / f"{model}.json", [*options, "--seed", 4]
    if "chaining" in model.name and "closed" in options:
        options += ["--budget", 200]
    run = json.loads(sonde("simulate", model, "--steps", 3, "--json", *options, cwd=tmp_path)[1])
    for step in (1, 2):
        seen = saved(tmp_path, model, step, *options)
        status, out, err = sonde("plan", model, "--resume", "agent.json", "--observe", seen,
                                 "--json", *options, cwd=tmp_path)
        assert status == 0, err
        found, lived = json.loads(out), run["steps"][step]
        assert found["action"] == lived["action"]
        assert found["belief"] == lived["belief"]


def test_without_outcomes_it_is_what_the_last_action_leads_to(tmp_path):
    saved(tmp_path, MODELS / "tmaze.json", 1, "--seed", 4)
    status, out, err = sonde("plan", MODELS / "tmaze.json", "--resume", "agent.json", "--json",
                             cwd=tmp_path)
    assert status == 0, err
    # it went to the cue, and has not read it
    assert json.loads(out)["belief"] == [[0, 0, 0, 1], [0.5, 0.5]]


def test_what_is_no_agent_of_this_model_is_told(tmp_path):
    assert sonde("plan", MODELS / "tmaze.json", "--resume", "none.json", cwd=tmp_path) == (
        3, "", "sonde plan: none.json: cannot be opened: No such file or directory\n")
    saved(tmp_path, MODELS / "tmaze.json", 1)
    status, out, err = sonde("plan", MODELS / "grid.json", "--resume", "agent.json",
                             cwd=tmp_path)
    assert (status, out) == (3, "") and "agent.json" in err
    sonde("graph", "--nodes", 4, "-o", "world.json", cwd=tmp_path)
    status, out, err = sonde("plan", "world.json", "--resume", "agent.json", cwd=tmp_path)
    assert (status, out) == (2, "") and "--resume" in err
