"""The examples of fitting run, and find what they say they do."""
import runpy
import sys

import pytest
from conftest import ROOT

FOLDER = ROOT / "examples/fitting"


@pytest.mark.skipif(not FOLDER.is_dir(), reason="the examples are not here")
@pytest.mark.parametrize("name, needs", [("scipy_map", "scipy"), ("emcee_posterior", "emcee")])
def test_the_example_runs(name, needs, monkeypatch, capsys):
    pytest.importorskip(needs)
    monkeypatch.setattr(sys, "argv", [name, "300"])
    runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
    assert len(capsys.readouterr().out.splitlines()) >= 2
