"""What a type checker sees is what there is. mypy reads this file as well: what it should refuse
is marked, and a mark that is not needed is an error."""
from typing import assert_type

import numpy as np
import numpy.typing as npt
import pytest

import sonde

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


def two_states() -> sonde.Model:
    return sonde.Model(A=np.eye(2), B=np.stack([np.eye(2), np.eye(2)[::-1]], axis=2),
                       C=[[0.0, 1.0]], D={"place": {"here": 1.0}}, horizon=2,
                       factors={"place": ["here", "there"]})


def test_plans_and_agents_have_types() -> None:
    model = two_states()
    plan = assert_type(sonde.plan(model, search="cluster", k=2), sonde.Plan)
    agent = sonde.Agent(model, search="cluster", k=2)
    assert isinstance(assert_type(agent.observe(0), Floats), np.ndarray)
    assert isinstance(assert_type(agent.decide(), sonde.Plan), sonde.Plan)
    assert isinstance(assert_type(agent.act(), tuple[int, ...]), tuple)
    assert isinstance(assert_type(agent.step([0]), tuple[int, ...])[0], int)
    assert isinstance(assert_type(plan.best_policy, Ints), np.ndarray)
    assert isinstance(assert_type(plan.best_efe, float), float)
    assert isinstance(assert_type(plan.explain(), sonde.Explanation), sonde.Explanation)
    assert isinstance(assert_type(agent.surprise, float), float)


def test_models_worlds_and_results_have_types() -> None:
    model, world = two_states(), sonde.Graph.random(4, seed=1)
    assert isinstance(assert_type(model.horizon, int), int)
    assert isinstance(assert_type(model.A, list[Floats]), list)
    assert isinstance(assert_type(world.model, sonde.Model), sonde.Model)
    assert isinstance(assert_type(world.start, tuple[int, int]), tuple)
    assert isinstance(assert_type(model.efe().efe, Floats), np.ndarray)
    assert isinstance(assert_type(sonde.simulate(world, 2).path, Ints), np.ndarray)
    clusters = assert_type(sonde.cluster(world, k=3), sonde.Clusters)
    assert isinstance(assert_type(clusters.embedding.rows, Floats), np.ndarray)


def test_pymdps_agent_has_pymdps_types() -> None:
    agent = sonde.pymdp.Agent(model=two_states())
    q_pi, neg_efe = assert_type(agent.infer_policies(), tuple[Floats, Floats])
    assert q_pi.shape == neg_efe.shape
    assert isinstance(assert_type(agent.sample_action(), Floats), np.ndarray)


def test_a_checker_refuses_what_sonde_refuses() -> None:
    model = two_states()
    with pytest.raises(TypeError):
        sonde.plan(model, kk=3)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        sonde.Agent(model, policy_len=3)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        sonde.plan(3)  # type: ignore[arg-type]
    with pytest.raises(sonde.BadInput):
        sonde.plan(model, gamma="high")  # type: ignore[arg-type]
    with pytest.raises(AttributeError):
        sonde.Agent(model).infer_states([0])  # type: ignore[attr-defined]
