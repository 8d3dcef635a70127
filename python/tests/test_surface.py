"""Every public C function is reachable, or listed here with the reason why not."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

import sonde
from sonde import _sonde

#: what is deliberately not bound
LEFT_OUT = {
    "sonde_rng_stream": "NumPy has generators; streams are named by seed= instead",
    "sonde_rng_next": "as sonde_rng_stream",
    "sonde_rng_below": "as sonde_rng_stream",
    "sonde_rng_uniform": "as sonde_rng_stream",
    "sonde_text_add_number": "for writers of documents in C; the documents themselves are bound",
    "sonde_text_add_quoted": "as sonde_text_add_number",
    "sonde_text_open": "Python writes files",
    "sonde_text_close": "as sonde_text_open",
    "sonde_explanation_action": "for pictures in C; a Model names its actions itself",
    "sonde_study_cost": "what the command's line of progress says",
    "sonde_shelf_new": "one thread's alone; a Model keeps its policies, an Agent its clusters",
    "sonde_shelf_free": "as sonde_shelf_new",
}

sources = ROOT / "python/src"


def declared():
    text = "".join(path.read_text() for path in sorted((ROOT / "include").glob("*.h")))
    header = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return set(re.findall(r"SONDE_API[^;]*?\b(sonde_\w+)\s*\(", header))


@pytest.mark.skipif(not sources.is_dir(), reason="the sources are not here")
def test_every_public_function_is_bound_or_left_out_on_purpose():
    text = "".join(path.read_text() for path in sources.glob("*.c"))
    # the kinds of handles name their functions by their nouns
    used = set(re.findall(r"\bsonde_\w+", text)) | {
        f"sonde_{noun}_free" for noun in re.findall(r"^KIND\((\w+)\)", text, flags=re.M)}
    functions = declared()
    assert len(functions) > 100
    assert functions - used - set(LEFT_OUT) == set()
    assert set(LEFT_OUT) & used == set()
    assert set(LEFT_OUT) - functions == set()


@pytest.mark.skipif(not sources.is_dir(), reason="the sources are not here")
def test_every_bound_function_is_used_by_the_package():
    text = "".join(path.read_text() for path in Path(sonde.__file__).parent.glob("*.py"))
    unused = [name for name in dir(_sonde) if not name.startswith("_") and name not in text]
    # input_read reads whatever there is; the other three are for tests
    assert unused == ["Handle", "model_read", "search_settings", "status_names"]


def test_the_extension_gives_away_its_entry_alone():
    if shutil.which("nm") is None or "SONDE_SANITIZE" in os.environ:
        pytest.skip("there is no nm here, or the sanitizers have names of their own")
    names = subprocess.run(["nm", "-D", "--defined-only", _sonde.__file__], capture_output=True,
                           text=True, check=True)
    assert [line.split()[-1] for line in names.stdout.splitlines()] == ["PyInit__sonde"]


def test_everything_public_is_documented():
    for name in sonde.__all__:
        thing = getattr(sonde, name)
        assert thing.__doc__, name
        if isinstance(thing, type):
            for key, value in vars(thing).items():
                if callable(value) and not key.startswith("_"):
                    assert value.__doc__, f"{name}.{key}"


def test_settings_are_those_of_the_library():
    names = set(_sonde.search_settings()) | {"semantics"}
    assert names == set(sonde.SearchSettings.__annotations__)


def test_lists_come_from_the_library():
    assert {"full", "cluster"} <= set(sonde.searches())
    assert "boa" in sonde.embeddings() and sonde.embeddings()["boe"]
    assert set(_sonde.status_names()) >= {"ok", "too large"}
    assert sonde.like("pymdp-legacy")["gamma"] == 16


def test_matplotlib_scipy_jax_and_networkx_are_imported_when_used_only():
    code = ("import sys, sonde; sonde.plan(sonde.Graph.random(4), search='full'); "
            "print([m for m in ('matplotlib', 'scipy', 'jax', 'networkx') if m in sys.modules])")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
