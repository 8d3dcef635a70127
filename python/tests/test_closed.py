"""Plans in closed loop."""
import json
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
    with pytest.raises(sonde.BadInput, match="auto, full, bounded"):
        sonde.plan(MODELS / "t-maze-95.json", loop="closed", search="beam")
    with pytest.raises(sonde.BadInput, match="closed"):
        sonde.plan(sonde.make("tiger"))
    with pytest.raises(sonde.BadInput, match="the model has a discount"):
        sonde.make("tiger").efe()


def t_maze():
    """The T-maze of the fixtures, three steps, utilities."""
    f = json.loads((MODELS.parent / "pymdp-si-t-maze.json").read_text())
    return sonde.Model(f["A"], f["B"], f["C"], f["D"], horizon=3, preferences="utility")


def test_the_horizon_recedes_or_shrinks():
    found = {}
    for replan in "receding", "shrinking":
        agent = sonde.Agent(t_maze(), loop="closed", backup="min", replan=replan)
        agent.observe([0, 0])
        agent.decide()
        agent.take([3, 0])
        agent.observe([3, 0])
        found[replan] = np.mean(agent.decide().value)
    assert abs(found["shrinking"] + 4.867) < 1e-3 and abs(found["receding"] + 7.489) < 1e-3


def test_a_plan_is_followed_without_a_search():
    agent = sonde.Agent(MODELS / "t-maze-95.json", loop="closed", horizon=4, replan_every=3)
    episode = sonde.simulate(MODELS / "t-maze-95.json", loop="closed", horizon=4, replan_every=3,
                             steps=6)
    assert [step["followed"] for step in episode.to_dict()["steps"]] == [0, 1, 2, 0, 1, 2]
    agent.observe([0, 0])
    first = agent.decide()
    lived = first.follow(4000)
    assert lived["left"] == 0 and lived["value"] == tuple(first.value)
    assert abs(lived["mean"] - first.value[0]) < 4 * lived["error"] < 0.5
    with pytest.raises(sonde.BadInput, match="copy"):
        pickle.loads(pickle.dumps(first)).follow()
    with pytest.raises(sonde.BadInput, match="loop closed"):
        sonde.plan(MODELS / "t-maze-95.json", horizon=2).follow()


def test_baselines_have_no_certificate():
    assert "no certificate" in repr(sonde.plan(MODELS / "t-maze-95.json", loop="closed",
                                               search="qmdp"))


def test_an_agent_plans_step_by_step():
    agent = sonde.Agent(MODELS / "t-maze-95.json", loop="closed", horizon=3)
    agent.observe([0, 0])
    first = agent.decide()
    assert first.loop == "closed"
    agent.act()
    agent.observe([0, 0])
    assert agent.decide().certificate["stopped"] == "complete"
