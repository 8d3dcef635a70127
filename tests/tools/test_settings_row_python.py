"""Python's part of a new row in the table of settings, and of a changed one: argument, document,
error and docstring have it.

The extension is linked with a library whose table is patched (see settings_row.py), and
tools/settings.py writes the module of settings into a copy of the package: no other file of it
differs.
"""
# once
import filecmp
import json
import os
import pathlib
import shutil
import subprocess

import pytest

import settings_row
from settings_row import ROOT

pytestmark = pytest.mark.skipif(
    any("-fsanitize" in flag or flag == "--coverage" for flag in settings_row.flags()),
    reason="a library for sanitizers needs a program made for them")

PYTHON = "/usr/bin/python3"
WORLD = pathlib.Path(os.environ["SONDE_TEST_DATA"]).resolve() / "worlds" / "two.json"


def build(folder, objects):
    """The package with the library in `folder`; returns the folder it is in."""
    settings_row.archives(folder)
    tree = folder / "tree"
    shutil.copytree(ROOT / "python/sonde", tree / "python/sonde",
                    ignore=shutil.ignore_patterns("__pycache__", "*.so", "bin"))
    shutil.copytree(ROOT / "tools", tree / "tools")
    subprocess.run([PYTHON, "setup.py", "-q", "build_ext", "--build-lib", tree / "python",
                    "--build-temp", objects], cwd=ROOT / "python", check=True,
                   env={**os.environ, "SONDE_LIBRARY": str(folder)})
    write = [PYTHON, tree / "tools/settings.py"]
    subprocess.run(write, check=True, env={**os.environ, "PYTHONPATH": str(tree / "python")})
    return tree / "python"


@pytest.fixture(scope="module")
def objects(tmp_path_factory):
    """The compiled sources of the extension, which are the same for every table."""
    return tmp_path_factory.mktemp("objects")


@pytest.fixture(scope="module")
def with_row(tmp_path_factory, objects):
    folder = tmp_path_factory.mktemp("row")
    return settings_row.with_row(folder), build(folder, objects)


@pytest.fixture(scope="module")
def with_other_range(tmp_path_factory, objects):
    folder = tmp_path_factory.mktemp("range")
    return settings_row.with_other_range(folder), build(folder, objects)


PROGRAM = """
import json, sonde
world = %r
def refusal(call, settings):
    try:
        return str(call(world, **settings))
    except (sonde.Error, TypeError) as error:
        return f"{type(error).__name__}: {error}"
print(json.dumps(%s))
"""


def python(package, expression):
    """The value of an expression where `sonde` is that package and `world` a file."""
    done = subprocess.run([PYTHON, "-c", PROGRAM % (str(WORLD), expression)], capture_output=True,
                          text=True, timeout=60, env={**os.environ, "PYTHONPATH": str(package)})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def both_refuse(made, settings, key, sentence):
    """Python and the command refuse the setting with the same sentence."""
    command, package = made
    words = [word for name, value in settings.items() for word in (f"--{name}", str(value))]
    done = subprocess.run([command, "plan", WORLD, *words], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (2, f"sonde plan: --{key}: {sentence}\n")
    calls = "sonde.plan, sonde.Agent, sonde.simulate"
    said = python(package, f"[refusal(call, {settings!r}) for call in ({calls})]")
    assert said == 3 * [f"BadInput: {key}: {sentence}"]


def test_no_other_file_of_the_package_differs(with_row):
    ours, theirs = ROOT / "python/sonde", with_row[1] / "sonde"
    names = [path.name for path in ours.iterdir() if path.is_file() and path.suffix != ".so"]
    same, different, missing = filecmp.cmpfiles(ours, theirs, names, shallow=False)
    assert (different, missing) == (["_settings.py"], []) and len(same) > 10


def test_the_docstring_and_the_types_have_the_row(with_row):
    text = python(with_row[1], "sonde.SearchSettings.__doc__")
    assert "example : float, default 0.5\n" in text
    assert "A setting that is here to be tested (search beam)." in text
    assert python(with_row[1], "'example' in sonde.SearchSettings.__annotations__")


def test_the_argument_reaches_the_search_and_the_document(with_row):
    package = with_row[1]
    calls = "sonde.plan, sonde.Agent, sonde.simulate"
    assert python(package, "[call(world, search='beam', example=0.3).settings['example'] "
                  f"for call in ({calls})]") == [0.3, 0.3, 0.3]
    assert python(package, "sonde.plan(world, search='beam').settings['example']") == 0.5
    assert python(package, "sonde.plan(world, example=0.3).search") == "beam"


def test_values_outside_the_range_are_refused_as_the_command_does(with_row):
    for value in 0.2, 0.8, "0.3x":
        both_refuse(with_row, {"search": "beam", "example": value}, "example",
                    f'expected a number from 0.25 to 0.75, found "{value}"')


def test_other_searches_refuse_the_setting_as_the_command_does(with_row):
    for search in "full", "cluster", "tree":
        both_refuse(with_row, {"search": search, "example": 0.3}, "example",
                    f"goes with search beam only, and the search is {search}; choose that, or "
                    "leave it out")


def test_without_the_row_python_does_not_know_the_setting(with_other_range):
    said = python(with_other_range[1], "refusal(sonde.plan, {'example': 0.3})")
    assert said.startswith("TypeError: there is no setting 'example'")


def test_a_changed_range_changes_what_python_refuses(with_other_range):
    for value in 2, 201:
        both_refuse(with_other_range, {"search": "beam", "beam": value}, "beam",
                    f'expected a whole number from 3 to 200, found "{value}"')
    for value in 3, 200:
        assert python(with_other_range[1], f"sonde.plan(world, search='beam', beam={value}).search")


def test_changed_searches_change_what_python_refuses(with_other_range):
    both_refuse(with_other_range, {"search": "full", "beam": 5}, "beam",
                "goes with search random or beam only, and the search is full; choose that, or "
                "leave it out")
    package = with_other_range[1]
    assert python(package, "sonde.plan(world, search='random', beam=5).search") == "random"
    assert "(search random, beam)" in python(package, "sonde.SearchSettings.__doc__")
