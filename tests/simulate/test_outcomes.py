"""Outcomes that are looked up: the table is read as tables of behaviour are, and told of."""
import json
import os
import subprocess

import pytest

COMMAND = os.environ["SONDE_COMMAND"]
MARK = "\ufeff"
MODEL = {"format": "sonde-model", "version": 1, "horizon": 1,
         "factors": [{"name": "arm", "states": 2, "actions": ["left", "right"]}],
         "modalities": [{"name": "reward", "outcomes": ["loss", "win"]}],
         "A": [[[.5, .5], [.5, .5]]], "B": [[[[1, 0], [1, 0]], [[0, 1], [0, 1]]]],
         "C": [[0, 1]], "D": [[.5, .5]]}
TABLE = "step,reward\n0,loss\n1,win\n2,nan\n"


def sonde(*words, **more):
    return subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True, **more)


@pytest.fixture
def model(tmp_path):
    (tmp_path / "m.json").write_text(json.dumps(MODEL))
    return tmp_path / "m.json"


def looked_up(model, table, *words):
    path = model.parent / "t.csv"
    path.write_text(table)
    return sonde("simulate", model, "--steps", 3, "--outcomes", path, *words)


@pytest.mark.parametrize("table", [TABLE, MARK + TABLE, TABLE.replace(",", ";"),
                                   TABLE.replace(",", "\t"), TABLE.replace("\n", "\r\n")])
def test_outcomes_are_told_and_read_from_every_kind_of_table(table, model):
    run = looked_up(model, table, "--json")
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["outcomes"] == [[0], [1], [-1]]


WRONG = [("step,reward,reward\n0,loss,win\n", "two columns are called reward"),
         ("step,reward\n0,loss\n1,win\0\n", "found a zero byte"),
         ("step,reward\n0,7\n", "row 1, column reward: expected a name or a number from 0 to 1"),
         ("step,reward\nx,win\n", "row 1, column step: expected a number from 0 to"),
         ("step,reward\n0\n", "row 1: expected 2 cells")]


@pytest.mark.parametrize("table,sentence", WRONG, ids=lambda words: words.strip()[-12:])
def test_a_table_of_outcomes_is_read_strictly(table, sentence, model):
    run = looked_up(model, table)
    assert run.returncode == 3 and sentence in run.stderr, run.stderr


def test_a_mark_at_the_beginning_is_passed_over_in_everything_that_is_read(model, tmp_path):
    text = ("discount: 0.95\nvalues: reward\nstates: 2\nactions: 1\nobservations: 2\n"
            "T: * identity\nO: * uniform\nR: * : * : * : * 1\n")
    plain, marked = tmp_path / "a.POMDP", tmp_path / "b.POMDP"
    plain.write_text(text)
    marked.write_text(MARK + text)
    first, second = (sonde("model", path, "-o", "-").stdout for path in (plain, marked))
    assert first and first == second
    (tmp_path / "p.json").write_text(MARK + "[0.5, 0.5]")
    run = sonde("plan", model, "--loop", "closed", "--action-prior", tmp_path / "p.json")
    assert run.returncode == 0, run.stderr


def test_a_policy_of_sarsops_may_begin_with_a_mark(tmp_path):
    tiger = tmp_path / "tiger.json"
    assert sonde("model", "--make", "tiger", "-o", tiger).returncode == 0
    policy = tmp_path / "tiger.policy"
    words = ["plan", tiger, "--loop", "closed", "--endless", "--information", "off", "--backup",
             "min"]
    assert sonde(*words, "--save-policy", policy).returncode == 0
    policy.write_text(MARK + policy.read_text())
    run = sonde(*words, "--use-policy", policy)
    assert run.returncode == 0, run.stderr


def test_a_horizon_that_is_too_long_is_told_how_long_it_may_be(model):
    run = sonde("plan", model, "--horizon", 2147483647)
    assert run.returncode == 2
    assert "expected a whole number from 1 to 2147483646, found 2147483647" in run.stderr
