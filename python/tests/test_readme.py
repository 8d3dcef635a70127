"""What the package's README shows runs as it stands, from top to bottom."""
import re

import numpy as np
import pytest
from conftest import ROOT, random_arrays

import sonde

README = ROOT / "python/README.md"
BLOCKS = re.findall(r"```python\n(.*?)```", README.read_text(), re.S) if README.exists() else []


def test_parts_of_your_own_run_as_they_stand(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    blocks = [block for block in BLOCKS if "switches" in block or "climb" in block
              or "Coin" in block]
    assert len(blocks) == 3 and all(len(block.splitlines()) <= 14 for block in blocks)
    names = {}
    for block in blocks:
        exec(block, names)
    assert "the best is number" in capsys.readouterr().out
    assert names["plan"].certificate is None
    coin = sonde.simulate(names["coin"], steps=5, process=names["world"], action="deterministic")
    assert coin.rewards.tolist() == [1.0] * 5


def test_many_at_once_runs_as_it_stands():
    pytest.importorskip("pandas")
    pytest.importorskip("xarray")
    block, = [block for block in BLOCKS if "simulate_many" in block]
    arrays = random_arrays(np.random.default_rng(1))
    names = {"sonde": sonde, "model": sonde.Model(**arrays, horizon=3),
             "coin": sonde.Model(**arrays, horizon=2)}
    exec(block, names)
    assert len(names["table"]) == 2 * 2 * 20


def test_plans_that_wait_run_as_they_stand(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    block, = [block for block in BLOCKS if "save_policy" in block]
    names = {"sonde": sonde}
    exec(block, names)
    known = names["agent"].decide()
    assert abs(known.value[1] - names["plan"].value[1]) < 0.1


def test_the_first_block_runs_as_it_stands():
    names = random_arrays(np.random.default_rng(1))
    exec(BLOCKS[0], names)
    assert names["agent"].n_step == 2
