"""Short pieces of the campaign's rows, on the programs of this build."""
# once
# long
import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "campaign"))
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


@pytest.mark.parametrize("number", [431727, 454445])
def test_models_whose_certificates_were_wrong_are_right(number):
    done = subprocess.run([BUILD / "campaign" / "certificates", str(number), "1", "100"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.endswith("wrong 0\n"), done.stdout
