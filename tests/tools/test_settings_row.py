"""A new setting is one row of src/base/settings.c, and a changed one a changed row.

One file is patched and compiled, and the command linked again from the objects that are there:
that nothing else had to be compiled shows that nothing else had to be written. Help, option, key of
plans, column of results, label, JSON and the refusals beside other searches then have it.
"""
import json
import os
import pathlib
import shlex
import sqlite3
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["SONDE_COMMAND"]).resolve().parent
WORLD = pathlib.Path(os.environ["SONDE_TEST_DATA"]).resolve() / "worlds" / "two.json"

NEW_ROW = """    {.key = "example",
     .part = SONDE_PART_LIMITS,
     .type = SONDE_REAL,
     .at = AT(reserved[0]),
     .usual = 0.5,
     .minimum = 0.25,
     .maximum = 0.75,
     .searches = BIT(BEAM),
     .label = "example ",
     .value = "SHARE",
     .help = "a setting that is here to be tested"},
"""
LAST_ROW = '    {.key = "seed",\n'
BEAM = """    {.key = "beam",
     .part = SONDE_PART_LIMITS,
     .type = SONDE_WHOLE,
     .at = AT(n_beam),
     .usual = 100,
     .minimum = 1,
     .searches = BIT(BEAM),
"""


def flags():
    """How the library is compiled here."""
    text = (BUILD / "CMakeFiles/sonde_objects.dir/flags.make").read_text()
    pairs = dict(line.split(" = ", 1) for line in text.splitlines() if line.startswith("C_"))
    return shlex.split(" ".join(pairs.get(f"C_{name}", "") for name in
                                ("DEFINES", "INCLUDES", "FLAGS")))


def link(target, old, new, output):
    """Links a target as the build does, an object in place of an old one or before the archives."""
    words = shlex.split((BUILD / f"CMakeFiles/{target}.dir/link.txt").read_text())
    words[words.index("-o") + 1] = str(output)
    if old in words:
        words[words.index(old)] = str(new)
    else:
        words.insert(words.index("-o"), str(new))
    subprocess.run(words, cwd=BUILD, check=True)


def build(folder, *replacements):
    """The command, and the shared library beside it, from a patched src/base/settings.c."""
    text = (ROOT / "src/base/settings.c").read_text()
    for old, new in replacements:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    source = folder / "settings.c"
    source.write_text(text)
    compiler = shlex.split((BUILD / "CMakeFiles/sonde.dir/link.txt").read_text())[0]
    subprocess.run([compiler, *flags(), "-c", str(source), "-o", str(folder / "settings.o")],
                   cwd=BUILD, check=True)
    usual = "CMakeFiles/sonde_objects.dir/src/base/settings.c.o"
    link("sonde", usual, folder / "settings.o", folder / "sonde")
    link("sonde_shared", usual, folder / "settings.o", folder / "libsonde.so")
    return str(folder / "sonde")


@pytest.fixture(scope="module")
def with_row(tmp_path_factory):
    return build(tmp_path_factory.mktemp("row"), (LAST_ROW, NEW_ROW + LAST_ROW))


@pytest.fixture(scope="module")
def with_other_range(tmp_path_factory):
    changed = BEAM.replace(".minimum = 1,", ".minimum = 3,\n     .maximum = 200,")
    changed = changed.replace("BIT(BEAM)", "BIT(BEAM) | BIT(RANDOM)")
    return build(tmp_path_factory.mktemp("range"), (BEAM, changed))


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


# Python's part of the new row (argument, error, docstring) belongs here: `with_row` has put a
# libsonde.so beside the command.


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
