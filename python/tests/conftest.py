"""What the tests share: where the project lies, fixtures of it, and the command."""
import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import sonde

ROOT = Path(os.environ.get("SONDE_ROOT", Path(__file__).resolve().parents[2]))
POMDPS = sorted((ROOT / "tests/data/pomdp").glob("*.json"))
GRAPHS = sorted((ROOT / "tests/data/graph").glob("*.json"))
MODELS = sorted((ROOT / "examples/models").glob("*.json"))


def command(*arguments):
    """What the command that comes with the package prints."""
    binary = Path(sonde.__file__).with_name("bin") / "sonde"
    return subprocess.run([binary, *map(str, arguments)], check=True, capture_output=True,
                          text=True).stdout


def timeless(document):
    """A document without what differs from run to run: times, and the command that made it."""
    if isinstance(document, str) and document.startswith("{"):
        document = json.loads(document)
    if isinstance(document, dict):
        return {key: timeless(value) for key, value in document.items()
                if "seconds" not in key and key != "command"}
    if isinstance(document, list):
        return [timeless(value) for value in document]
    return document


def arrays(listed):
    """pymdp's array of objects."""
    made = np.empty(len(listed), dtype=object)
    for i, one in enumerate(listed):
        made[i] = np.array(one, dtype=float)
    return made


def pomdp(path):
    """A fixture, with its arrays as pymdp has them."""
    fixture = json.loads(path.read_text())
    for key in ("A", "B", "C", "qs"):
        fixture[key] = arrays(fixture[key])
    return fixture


def model_of(fixture, **more):
    """The model of a fixture."""
    return sonde.Model(A=fixture["A"], B=fixture["B"], C=fixture["C"], D=fixture["qs"],
                       horizon=fixture["policy_len"], **more)


def random_arrays(rng, states=(3, 2), outcomes=(4, 2), actions=(2, 3)):
    """A, B, C, D of a random model."""
    def columns(*shape):
        made = rng.random(shape) + 0.01
        return made / made.sum(axis=0)

    return {"A": [columns(n, *states) for n in outcomes],
            "B": [columns(n, n, u) for n, u in zip(states, actions)],
            "C": [rng.normal(size=n) for n in outcomes],
            "D": [columns(n) for n in states]}


@pytest.fixture
def tmaze():
    return sonde.Model.from_file(ROOT / "examples/models/tmaze.json")


@pytest.fixture
def world():
    return sonde.Graph.random(6, seed=30)
