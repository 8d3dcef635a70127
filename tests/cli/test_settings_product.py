"""Every setting beside every search and every fallback: the command and a plan of a study take it
or refuse it alike, with the same sentence after its name.

The table is read from the library, so a new row is in the product without a word here.
"""
# uses threads
# long
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess

import pytest

import settings_table
from settings_table import GENERAL, GRAPH

SONDE = os.environ["SONDE_COMMAND"]
DATA = pathlib.Path(os.environ["SONDE_TEST_DATA"]).resolve()
# where the command runs, and what a plan calls it, by kind of model
FILES = {GRAPH: DATA / "worlds" / "two.json",
         GENERAL: DATA.parents[1] / "examples" / "models" / "tmaze.json"}
PLACES = {GRAPH: {"sizes": [2]}, GENERAL: {"models": ["tmaze"]}}

try:
    ALL = settings_table.read(SONDE)
except OSError:
    ALL = []
# what a decision shows besides is for plan alone: simulations and plans of studies do not have it
# closed loop is tried apart (tests/closed, tests/study/test_closed_study.py)
TABLE = [row for row in ALL if row.key not in ("keep", "loop") and row.with_ != "loop"]
for row in TABLE:
    row.choices = [name for name in row.choices if name != "auto"]
pytestmark = pytest.mark.skipif(not TABLE, reason="a library for sanitizers does not load here")
ROW = {row.key: row for row in TABLE}


def option(key, value):
    """A setting as words of a command line."""
    name = "--" + key.replace("_", "-")
    if ROW[key].type == "flag":
        return [name]
    return [name, f"{value}s" if ROW[key].unit == "seconds" and value != "nonesuch" else str(value)]


def sentence(done, pattern):
    """None if it was taken; otherwise the key and what is said of it, options written as keys."""
    if done.returncode == 0:
        return None
    text = re.sub(r"--([a-zA-Z-]+)", lambda found: found[1].replace("-", "_"), done.stderr)
    found = re.fullmatch(pattern + r"([a-zA-Z_]+): (.*)\n", text, re.S)
    return found.groups() if found else ("", text)


def by_command(settings, kind):
    words = [word for key, value in settings.items() for word in option(key, value)]
    done = subprocess.run([SONDE, "simulate", str(FILES[kind]), "--steps", "1", "--quiet", *words],
                          capture_output=True, text=True, timeout=60)
    return sentence(done, "sonde simulate: ")


def study(conditions, kind, path):
    path.write_text(json.dumps({"format": "sonde-plan", "version": 1, "steps": 1,
                                "worlds": {"graphs": 1, **PLACES[kind]}, "conditions": conditions}))
    return subprocess.run([SONDE, "study", str(path), "--dry-run", "--quiet"],
                          capture_output=True, text=True, timeout=60)


def by_plan(settings, kind, path):
    # what an agent of its own refuses is said of the condition
    return sentence(study([settings], kind, path), r"sonde study: (?:.*?: conditions\[0\]\.|"
                    r'condition "[^"]*"(?: of model "[^"]*")?: )?')


def check_all(cases, kind, folder):
    """Fails where command and plan differ; returns what the command says. One plan has all that the
    command takes, and each that it refuses has a plan of its own."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        commands = list(pool.map(lambda case: by_command(case, kind), cases))
        refused = [i for i, said in enumerate(commands) if said is not None]
        plans = list(pool.map(lambda i: by_plan(cases[i], kind, folder / f"{i}.json"), refused))
    unlike = [f"{cases[i]}:\n  command {commands[i]}\n  plan    {said}"
              for i, said in zip(refused, plans) if said != commands[i]]
    assert not unlike, "\n".join(unlike)
    taken = [case for case, said in zip(cases, commands) if said is None]
    if taken:
        done = study(taken, kind, folder / "taken.json")
        number = re.search(r"conditions\[(\d+)\]", done.stderr)
        assert done.returncode == 0, (done.stderr, number and taken[int(number[1])])
    return commands


@pytest.mark.parametrize("kind", [GRAPH, GENERAL])
def test_every_setting_beside_every_search_and_fallback(kind, tmp_path):
    said = check_all(list(settings_table.beside_searches(TABLE, kind)), kind, tmp_path)
    assert len(said) / 6 < sum(one is None for one in said) < len(said) * 4 / 5


@pytest.mark.parametrize("kind", [GRAPH, GENERAL])
def test_every_setting_on_a_kind_of_model_that_has_it_not(kind, tmp_path):
    cases = list(settings_table.of_another_kind(TABLE, kind))
    assert cases
    for said in check_all(cases, kind, tmp_path):
        assert said is not None and said[1].startswith("concerns ")


def test_every_setting_without_what_it_goes_with(tmp_path):
    said = check_all(list(settings_table.out_of_place(TABLE)), GRAPH, tmp_path)
    assert {one is None for one in said} == {True, False}


def test_every_value_outside_its_range(tmp_path):
    cases = list(settings_table.out_of_range(TABLE))
    assert len(cases) > len(TABLE)
    for case, said in zip(cases, check_all(cases, GRAPH, tmp_path)):
        assert said is not None and said[0] == list(case)[-1] and said[1].startswith("expected ")


def test_the_document_has_every_setting_in_order():
    text = (DATA.parents[1] / "docs" / "formats.md").read_text()
    section = re.search(r"^## Settings\n(.*?)^## ", text, re.S | re.M)[1]
    assert re.findall(r"^\| `([a-zA-Z_]+)` \|", section, re.M) == [row.key for row in ALL]
