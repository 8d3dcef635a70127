"""Tables that the command writes are CSV that spreadsheets take for words and numbers."""
import csv
import json
import os
import subprocess

import pytest

COMMAND = os.environ["SONDE_COMMAND"]
MODEL = {"format": "sonde-model", "version": 1, "horizon": 1,
         "factors": [{"name": "arm", "states": 2, "actions": ["left", "right"]}],
         "modalities": [{"name": "reward", "outcomes": ["loss", "win"]}],
         "A": [[[.9, .2], [.1, .8]]], "B": [[[[1, 0], [1, 0]], [[0, 1], [0, 1]]]],
         "C": [[0, 1]], "D": [[.5, .5]]}


def sonde(folder, *words):
    return subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True, cwd=folder)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "m.json").write_text(json.dumps(MODEL))
    (tmp_path / "t.csv").write_text('subject,reward,arm\n=1+2,win,left\n"q""x",win,right\n')
    (tmp_path / "sets.csv").write_text("gamma\n1\n2\n")
    return tmp_path


def rows(path):
    with open(path, newline="") as file:
        return list(csv.reader(file))


def test_subjects_that_spreadsheets_would_calculate_have_an_apostrophe(folder):
    assert sonde(folder, "replay", "m.json", "t.csv", "--csv", "r.csv").returncode == 0
    assert [row[0] for row in rows(folder / "r.csv")[1:]] == ["'=1+2", 'q"x']
    assert sonde(folder, "fit", "m.json", "t.csv", "--free", "gamma", "--starts", 1,
                 "--posterior", 1, "--posterior-csv", "p.csv").returncode == 0
    assert [row[0] for row in rows(folder / "p.csv")[1:]] == ["'=1+2", 'q"x']
    assert sonde(folder, "simulate", "m.json", "--data", "d.csv", "--subject", "=1+2", "--steps",
                 1).returncode == 0
    assert rows(folder / "d.csv")[1][0] == "'=1+2"


def test_heads_of_sets_are_whole_cells(folder):
    assert sonde(folder, "replay", "m.json", "t.csv", "--sets", "sets.csv", "--csv",
                 "l.csv").returncode == 0
    head, *found = rows(folder / "l.csv")
    assert head == ["gamma", "log_likelihood", "log_likelihood of =1+2", 'log_likelihood of q"x']
    assert all(len(row) == 4 for row in found)


def test_counts_that_nobody_is_told_of_are_refused(folder):
    for words in ([], ["--sets", "sets.csv", "--json"]):
        run = sonde(folder, "replay", "m.json", "t.csv", "--counts", *words)
        assert run.returncode == 2 and "--counts: goes with --json" in run.stderr
