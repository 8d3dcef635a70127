"""Models in which actions show or cost something, and models that everybody knows."""
import itertools
import os
from pathlib import Path

import numpy as np
import pytest

import sonde

DATA = Path(os.environ["SONDE_ROOT"]) / "tests" / "data" / "closed" / "models"


def tiger(**more):
    """Two doors; listening tells with .85."""
    B = np.full((2, 2, 3), 0.5)
    B[:, :, 0] = np.eye(2)
    A = np.full((2, 2, 3), 0.5)
    A[:, :, 0] = [[0.85, 0.15], [0.15, 0.85]]
    cost = np.array([[1, 100, -10], [1, -10, 100]])
    return sonde.Model([A], [B], [np.zeros(2)], [np.full(2, 0.5)], preferences="utility",
                       information="off", action_cost=cost, **more)


def test_tiger_has_the_values_that_are_known():
    known = [-1, -1.95, 2.3098, 1.795544, 2.763096, 4.428531]
    for T, value in enumerate(known, start=1):
        for model in tiger(horizon=T, discount=0.95), sonde.make("tiger", horizon=T):
            found = sonde.plan(model, loop="closed", backup="min")
            assert abs(-np.mean(found.value) - value) < 1e-6


def test_what_was_given_is_found_again(tmp_path):
    model = tiger(horizon=3, discount=0.9, action_prior=[2, 1, 1])
    assert model.discount == 0.9 and model.information == "off"
    assert model.action_prior.tolist() == [0.5, 0.25, 0.25]
    assert model.A[0].shape == (2, 2, 3) and model.A[0][0, 0].tolist() == [0.85, 0.5, 0.5]
    assert model.action_cost.tolist() == [[1, 100, -10], [1, -10, 100]]
    model.save(tmp_path / "m.json")
    for again in (sonde.Model.from_dict(model.to_dict()), model.replace(horizon=3),
                  sonde.Model.from_file(tmp_path / "m.json"), model.replace(discount=0.9)):
        assert np.array_equal(again.action_cost, model.action_cost)
        assert np.array_equal(again.A[0], model.A[0])
        assert np.array_equal(again.action_prior, model.action_prior)
        assert again.discount == 0.9
    plain = sonde.make("t-maze")
    assert plain.action_cost is None and plain.action_prior is None and plain.discount == 1


@pytest.mark.parametrize("order", ["C", "F"])
def test_npz_files_have_them(tmp_path, order):
    model = tiger(horizon=3, discount=0.9, action_prior=[2, 1, 1])
    arrays = {"A_0": model.A[0], "B_0": model.B[0], "C_0": np.zeros(2), "D_0": np.full(2, 0.5),
              "action_cost": model.action_cost, "action_prior": [2.0, 1, 1], "discount": 0.9}
    np.savez(tmp_path / "m.npz", **{key: np.asarray(a, order=order) for key, a in arrays.items()})
    read = sonde.Model.from_file(tmp_path / "m.npz", horizon=3, preferences="utility",
                                 information="off")
    assert np.array_equal(read.A[0], model.A[0]) and read.discount == 0.9
    assert np.array_equal(read.action_cost, model.action_cost)
    assert np.array_equal(read.action_prior, model.action_prior)
    two = {"A_0": np.full((2, 2, 3, 4), 0.5), "B_0": np.full((2, 2, 2), 0.5),
           "B_1": np.full((3, 3, 2), 1 / 3),
           "action_cost": np.arange(24.0).reshape(2, 3, 4)}
    np.savez(tmp_path / "two.npz", **{key: np.asarray(a, order=order) for key, a in two.items()})
    found = sonde.Model.from_file(tmp_path / "two.npz")
    assert np.array_equal(found.action_cost, two["action_cost"])
    for key, bad, said in (("action_prior", np.ones(2), "for each action tuple"),
                           ("discount", np.ones(2), "one number"),
                           ("action_cost", np.ones(3), "action_cost")):
        np.savez(tmp_path / "bad.npz", **(arrays | {key: bad}))
        with pytest.raises(sonde.BadInput, match=said):
            sonde.Model.from_file(tmp_path / "bad.npz")


def test_npz_files_have_habits(tmp_path):
    model = sonde.make("t-maze")
    arrays = {f"{letter}_{i}": a for letter in "ABCD" for i, a in enumerate(getattr(model, letter))}
    np.savez(tmp_path / "m.npz", pE=[3.0, 1, 1, 5], **arrays)
    read = sonde.Model.from_file(tmp_path / "m.npz")
    assert read.habit == pytest.approx([0.3, 0.1, 0.1, 0.5])


def test_open_loop_scores_what_actions_show_and_cost():
    model = tiger(horizon=2)
    scored = model.efe()
    for G, policy in zip(scored.efe, itertools.product(range(3), repeat=2)):
        q, sum_ = np.full(2, 0.5), 0.0
        for u in policy:
            sum_ += q @ model.action_cost[:, u]
            q = model.B[0][:, :, u] @ q
        assert abs(G - sum_) < 1e-12
    with pytest.raises(sonde.BadInput, match="discount"):
        sonde.plan(tiger(discount=0.9))


def test_what_is_wrong_is_told():
    for more, said in (({"action_prior": [1, 1]}, "3 numbers"), ({"discount": 2.0}, "discount"),
                       ({"discount": 0.9, "action_prior": [0, 0, 0]}, "action_prior")):
        with pytest.raises(sonde.BadInput, match=said):
            tiger(**more)
    with pytest.raises(sonde.BadInput, match="tiger"):
        sonde.make("lion")
    with pytest.raises((sonde.BadInput, TypeError), match="colour"):
        sonde.make("tiger", colour=1)


def test_known_models_are_those_of_the_command():
    maze = sonde.make("t-maze", valid=0.95, horizon=8)
    read = sonde.Model.from_file(DATA / "t-maze-95.json")
    assert all(np.allclose(a, b) for a, b in zip(maze.A, read.A))
    assert sonde.make("grid", size=4).num_states == [16]
    assert sonde.make("frozenlake", size=8, form="efe").num_states == [64]
    assert len(sonde.make("rocksample", size=4, rocks=4).num_states) == 5
