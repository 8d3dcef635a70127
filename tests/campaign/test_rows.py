"""Short pieces of the campaign's rows, on the programs of this build."""
# once
# long
import importlib.util
import os
import pathlib
import shlex
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "campaign"))
import lived  # noqa: E402

spec = importlib.util.spec_from_file_location("campaign", ROOT / "campaign" / "campaign.py")
campaign = importlib.util.module_from_spec(spec)
spec.loader.exec_module(campaign)
BUILD = pathlib.Path(os.environ.get("SONDE_COMMAND", "build/sonde")).parent

# how long, and how many there are at least in that time; rows that are not here have tests of their
# own, or are too slow for a piece of them to be worth anything
PIECES = {"certificates": (5, 200), "numbers": (2, 3200), "hostile": (0, 60), "load": (4, 20)}


@pytest.mark.parametrize("name", PIECES)
def test_nothing_is_found_by(name):
    seconds, least = PIECES[name]
    row = campaign.load(ROOT / "campaign")[name](build=BUILD)
    row.prepare()
    step = row.step(0, seconds)
    assert step.violations == []
    assert step.count >= least


def test_every_command_that_mutants_of_learning_must_not_change_has_an_answer(tmp_path):
    def sonde(command):
        done = subprocess.run([BUILD / "sonde", *shlex.split(command)], cwd=tmp_path,
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{command}: {done.stderr}"
        return done.stdout

    lived.prepare(tmp_path, sonde)
    answers = {command: sonde(command) for command in lived.commands()}
    assert len(answers) > 250 and all(answers.values())
