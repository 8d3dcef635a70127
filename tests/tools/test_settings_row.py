"""A new setting is one row of src/base/settings.c, and a changed one a changed row.

One file is patched and compiled, and the command linked again from the objects that are there:
that nothing else had to be compiled shows that nothing else had to be written. Help, option, key of
plans, column of results, label, JSON and the refusals beside other searches then have it;
test_settings_row_python.py has Python's part.
"""
import json
import os
import pathlib
import shlex
import sqlite3
import subprocess

import pytest

import settings_row

WORLD = pathlib.Path(os.environ["SONDE_TEST_DATA"]).resolve() / "worlds" / "two.json"


@pytest.fixture(scope="module")
def with_row(tmp_path_factory):
    return settings_row.with_row(tmp_path_factory.mktemp("row"))


@pytest.fixture(scope="module")
def with_other_range(tmp_path_factory):
    return settings_row.with_other_range(tmp_path_factory.mktemp("range"))


def run(command, *words):
    return subprocess.run([command, *words], capture_output=True, text=True, timeout=60)


def plan(command, *words):
    return run(command, "plan", str(WORLD), *words)


def study(command, folder, *conditions, db=None):
    path = folder / "plan.json"
    path.write_text(json.dumps({"format": "sonde-plan", "version": 1, "steps": 1, "worlds":
                                {"sizes": [2], "graphs": 1}, "conditions": list(conditions)}))
    ending = ["--db", str(db), "--quiet"] if db else ["--dry-run"]
    return run(command, "study", str(path), *ending)


def both_refuse(command, folder, settings, key, sentence):
    """The command and a plan refuse the setting with the same sentence."""
    words = [word for name, value in settings.items() for word in (f"--{name}", str(value))]
    done = plan(command, *words)
    assert (done.returncode, done.stderr) == (2, f"sonde plan: --{key}: {sentence}\n")
    done = study(command, folder, settings)
    assert done.returncode == 3
    assert done.stderr.endswith(f"plan.json: conditions[0].{key}: {sentence}\n")


def test_without_the_row_nobody_knows_the_setting(tmp_path):
    command = os.environ["SONDE_COMMAND"]
    assert "example" not in run(command, "plan", "--help").stdout
    assert plan(command, "--example", "0.5").returncode == 2
    assert study(command, tmp_path, {"example": 0.5}).returncode == 3


def test_help_has_the_row(with_row):
    for verb in "plan", "simulate":
        page = run(with_row, verb, "--help").stdout
        limits = page[page.index("How far a search goes"):].split("\n\n")[0]
        assert "--example SHARE" in limits
        assert "a setting that is here to be tested (default: 0.5)" in " ".join(limits.split())


def test_the_option_reaches_the_search_and_the_document(with_row):
    done = plan(with_row, "--search", "beam", "--example", "0.3", "--json")
    document = json.loads(done.stdout)
    assert document["settings"]["example"] == 0.3
    assert " --example 0.3 " in document["command"]
    again = run(with_row, *shlex.split(document["command"])[1:])
    assert json.loads(again.stdout)["settings"] == document["settings"]
    default = json.loads(plan(with_row, "--search", "beam", "--json").stdout)
    assert default["settings"]["example"] == 0.5


def test_the_option_means_the_search_that_uses_it(with_row):
    assert "beam search" in plan(with_row, "--example", "0.3").stdout
    done = plan(with_row, "--search", "full", "--fallback", "beam", "--example", "0.3")
    assert done.returncode == 0, done.stderr


def test_values_outside_the_range_are_refused_alike(with_row, tmp_path):
    for value in 0.2, 0.8, 1, -1:
        both_refuse(with_row, tmp_path, {"search": "beam", "example": value}, "example",
                    f'expected a number from 0.25 to 0.75, found "{value}"')
    both_refuse(with_row, tmp_path, {"search": "beam", "example": "0.3x"}, "example",
                'expected a number from 0.25 to 0.75, found "0.3x"')


def test_other_searches_refuse_the_setting_alike(with_row, tmp_path):
    for search in "full", "cluster", "bounded", "random", "surrogate", "tree":
        both_refuse(with_row, tmp_path, {"search": search, "example": 0.3}, "example",
                    f"goes with search beam only, and the search is {search}; choose that, or "
                    "leave it out")


def test_plans_have_the_key_and_results_the_column(with_row, tmp_path):
    results = tmp_path / "results.sqlite"
    done = study(with_row, tmp_path, {"search": "full"}, {"search": "beam"},
                 {"search": "beam", "example": [0.3, 0.75]}, {"example": 0.4}, db=results)
    assert done.returncode == 0, done.stderr
    rows = sqlite3.connect(results).execute(
        "SELECT search, example, label FROM condition ORDER BY condition").fetchall()
    assert [row[:2] for row in rows] == [("full", None), ("beam", 0.5), ("beam", 0.3),
                                         ("beam", 0.75), ("beam", 0.4)]
    assert ["example 0." in row[2] for row in rows] == [False, False, True, True, True]
    assert rows[2][2].endswith(" example 0.3")


def test_a_changed_range_changes_what_command_and_plan_refuse(with_other_range, tmp_path):
    for value in 2, 201:
        both_refuse(with_other_range, tmp_path, {"search": "beam", "beam": value}, "beam",
                    f'expected a whole number from 3 to 200, found "{value}"')
    for value in 3, 200:
        assert plan(with_other_range, "--search", "beam", "--beam", str(value)).returncode == 0
        assert study(with_other_range, tmp_path, {"search": "beam", "beam": value}).returncode == 0


def test_changed_searches_change_what_command_and_plan_refuse(with_other_range, tmp_path):
    both_refuse(with_other_range, tmp_path, {"search": "full", "beam": 5}, "beam",
                "goes with search random or beam only, and the search is full; choose that, or "
                "leave it out")
    assert plan(with_other_range, "--search", "random", "--beam", "5").returncode == 0
    assert study(with_other_range, tmp_path, {"search": "random", "beam": 5}).returncode == 0
    before = os.environ["SONDE_COMMAND"]
    assert plan(before, "--search", "random", "--beam", "5").returncode == 2
    assert study(before, tmp_path, {"search": "random", "beam": 5}).returncode == 3
