"""Every setting beside every search and every fallback: Python takes it or refuses it as the
command does, with the same sentence.

The table is read from the library, so a new row is in the product without a word here. What Python
takes is put into one plan of a study, which has to take all of it; what it refuses is given to the
command one by one.
"""
import concurrent.futures
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import sonde
from sonde import _sonde

from conftest import ROOT

sys.path.insert(0, str(ROOT / "tests/cli"))
settings_table = pytest.importorskip("settings_table", reason="the project's tests are not here")

SONDE = Path(sonde.__file__).with_name("bin") / "sonde"
GRAPH, GENERAL = settings_table.GRAPH, settings_table.GENERAL
FILES = {GRAPH: ROOT / "tests/data/worlds/two.json", GENERAL: ROOT / "examples/models/tmaze.json"}
PLACES = {GRAPH: {"sizes": [2]}, GENERAL: {"models": ["tmaze"]}}
# what a decision shows besides is for plan and Agent alone: simulations do not have it
TABLE = [row for row in settings_table.of_python(_sonde.settings_table()) if row.key != "keep"]
ROW = {row.key: row for row in TABLE}


def by_python(model, settings):
    """None if it was taken; otherwise what is said of it."""
    try:
        sonde.simulate(model, 1, threads=1, **settings)
    except sonde.BadInput as refusal:
        return str(refusal)
    return None


def option(key, value):
    """A setting as words of a command line."""
    name = "--" + ("belief" if key == "belief_kind" else key.replace("_", "-"))
    if ROW[key].type == "flag":
        return [name]
    return [name, f"{value}s" if ROW[key].unit == "seconds" else str(value)]


def by_command(kind, settings):
    """The same of the command, options written as keys."""
    words = [word for key, value in settings.items() for word in option(key, value)]
    done = subprocess.run([SONDE, "simulate", FILES[kind], "--steps", "1", "--quiet", *words],
                          capture_output=True, text=True, timeout=60)
    text = re.sub(r"--belief\b", "belief_kind", done.stderr)
    text = re.sub(r"--([a-z-]+)", lambda found: found[1].replace("-", "_"), text)
    return None if done.returncode == 0 else text.removeprefix("sonde simulate: ").rstrip("\n")


def check_taken(kind, taken, path):
    """The command takes all of them, as conditions of one study."""
    path.write_text(json.dumps({"format": "sonde-plan", "version": 1, "steps": 1,
                                "worlds": {"graphs": 1, **PLACES[kind]}, "conditions": taken}))
    done = subprocess.run([SONDE, "study", path, "--dry-run", "--quiet"], capture_output=True,
                          text=True, timeout=60)
    number = re.search(r"conditions\[(\d+)\]", done.stderr)
    assert done.returncode == 0, (done.stderr, number and taken[int(number[1])])


def check_all(kind, cases, path):
    """Fails where Python and the command differ; returns what Python says."""
    assert cases
    model = sonde.Model.from_file(FILES[kind])
    said = [by_python(model, case) for case in cases]
    taken = [case for case, one in zip(cases, said) if one is None]
    closed = [case for case in taken if case.get("loop") == "closed"]  # which no study has
    if taken != closed:
        check_taken(kind, [case for case in taken if case not in closed], path / "plan.json")
    assert [by_command(kind, case) for case in closed] == [None] * len(closed)
    refused = [(case, one) for case, one in zip(cases, said) if one is not None]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        theirs = pool.map(lambda pair: by_command(kind, pair[0]), refused)
        unlike = [f"{case}:\n  Python  {one}\n  command {other}"
                  for (case, one), other in zip(refused, theirs) if one != other]
    assert not unlike, "\n".join(unlike)
    return said


@pytest.mark.parametrize("kind", [GRAPH, GENERAL])
def test_every_setting_beside_every_search_and_fallback(kind, tmp_path):
    said = check_all(kind, list(settings_table.beside_searches(TABLE, kind)), tmp_path)
    # most of what general models have besides goes with closed loop, which has few searches
    least = 5 if kind == GRAPH else 50
    assert len(said) / least < sum(one is None for one in said) < len(said) * 4 / 5


@pytest.mark.parametrize("kind", [GRAPH, GENERAL])
def test_every_setting_on_a_kind_of_model_that_has_it_not(kind, tmp_path):
    for said in check_all(kind, list(settings_table.of_another_kind(TABLE, kind)), tmp_path):
        assert ": concerns " in said


def test_every_setting_without_what_it_goes_with(tmp_path):
    said = check_all(GRAPH, list(settings_table.out_of_place(TABLE)), tmp_path)
    assert {one is None for one in said} == {True, False}


def test_every_value_outside_its_range(tmp_path):
    cases = list(settings_table.out_of_range(TABLE))
    assert len(cases) > len(TABLE)
    for case, said in zip(cases, check_all(GRAPH, cases, tmp_path)):
        assert said.startswith(f"{list(case)[-1]}: expected ")


def test_a_number_in_quotes_is_no_number():
    with pytest.raises(ValueError, match="""k: expected auto or .* found "'3'"$"""):
        sonde.plan(FILES[GRAPH], k="3")


def test_every_setting_is_described():
    described = re.findall(r"^    ([a-zA-Z_]+) : ", sonde.SearchSettings.__doc__, re.M)
    assert described[:len(TABLE)] == [row.key for row in TABLE]


@pytest.mark.parametrize("settings", [{"per_factor": "false"}, {"per_factor": b"x"},
                                      {"per_factor": 2}, {"per_factor": []},
                                      {"k": 3, "keep_empty": "no"}, {"k": True},
                                      {"search": "full\0x"}, {"k": 3, "embedding": "boa\0z"}])
def test_what_is_neither_true_nor_a_name_is_refused(settings):
    model = sonde.Model.from_file(FILES[GENERAL])
    with pytest.raises(sonde.BadInput, match="expected"):
        sonde.plan(model, **settings)


def test_numpys_truth_is_truth():
    import numpy as np
    model = sonde.Model.from_file(FILES[GENERAL])
    assert sonde.plan(model, per_factor=np.bool_(True)).settings["per_factor"] is True
    assert sonde.plan(model, per_factor=False).settings["per_factor"] is False


def test_what_follows_a_plan_is_not_for_one_decision():
    model = sonde.Model.from_file(FILES[GENERAL])
    with pytest.raises(sonde.BadInput, match="replan_every: goes with simulate and Agent only"):
        sonde.plan(model, replan_every=2)
