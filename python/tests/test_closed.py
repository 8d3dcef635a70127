"""Plans in closed loop."""
import os
import pickle
from pathlib import Path

import numpy as np
import pytest

import sonde

MODELS = Path(os.environ["SONDE_ROOT"]) / "tests" / "data" / "closed" / "models"


def test_a_plan_in_closed_loop_has_its_bounds():
    exact = sonde.plan(MODELS / "t-maze-95.json", loop="closed", backup="average", horizon=3,
                       search="full")
    wide = sonde.plan(MODELS / "t-maze-95.json", loop="closed", backup="average", horizon=3,
                      search="bounded", budget=8)
    assert wide.efe_bounds.shape == (4, 2) and wide.p_bounds.shape == (4, 2)
    middle = exact.efe_bounds.mean(axis=1)
    assert np.all(wide.efe_bounds[:, 0] <= middle) and np.all(middle <= wide.efe_bounds[:, 1])
    assert np.all(wide.p_bounds[:, 0] <= exact.p) and np.all(exact.p <= wide.p_bounds[:, 1])
    assert exact.search == "full" and wide.search == "bounded"
    assert exact.certificate["stopped"] == "complete" and wide.certificate["stopped"] == "budget"
    assert wide.value[0] <= np.mean(exact.value) <= wide.value[1]
    assert exact.plan[0]["depth"] == 0 and len(exact.plan) > 1
    assert "first go" in str(exact.explain()) and "beliefs" in repr(exact)
    copy = pickle.loads(pickle.dumps(exact))
    assert copy.value == exact.value and str(copy.explain()) == str(exact.explain())


def test_open_loop_has_no_such_bounds():
    with pytest.raises(sonde.BadInput, match="closed"):
        sonde.plan(MODELS / "t-maze-95.json", horizon=2).efe_bounds


def test_what_cannot_be_is_told():
    with pytest.raises(sonde.BadInput, match="auto, full or bounded"):
        sonde.plan(MODELS / "t-maze-95.json", loop="closed", search="beam")
    with pytest.raises(sonde.BadInput, match="closed"):
        sonde.plan(MODELS / "rocksample-2-1.json")


def test_an_agent_plans_step_by_step():
    agent = sonde.Agent(MODELS / "t-maze-95.json", loop="closed", horizon=3)
    agent.observe([0, 0])
    first = agent.decide()
    assert first.loop == "closed"
    agent.act()
    agent.observe([0, 0])
    assert agent.decide().certificate["stopped"] == "complete"
