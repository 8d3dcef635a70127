"""Arrays in and out: any shape, stride and type gives the right answer or a clear exception."""
import gc
import weakref

import numpy as np
import pytest
from conftest import random_arrays
from hypothesis import given, settings
from hypothesis import strategies as st

import sonde

fast = settings(max_examples=40, deadline=None)
seeds = st.integers(0, 2**32 - 1)


def disguised(array, how):
    """The same numbers in another form."""
    if how == "fortran":
        return np.asfortranarray(array)
    if how == "strided":
        wide = np.zeros(tuple(2 * n for n in array.shape))
        wide[tuple(slice(None, None, 2) for _ in array.shape)] = array
        return wide[tuple(slice(None, None, 2) for _ in array.shape)]
    if how == "reversed":
        return array[::-1].copy()[::-1]
    if how == "swapped":
        return array.astype(array.dtype.newbyteorder())
    if how == "readonly":
        array = array.copy()
        array.flags.writeable = False
        return array
    if how == "list":
        return array.tolist()
    if how == "objects":
        return array.astype(object)
    return array


forms = st.sampled_from(["plain", "fortran", "strided", "reversed", "swapped", "readonly", "list",
                         "objects"])


@fast
@given(seeds, forms, forms, st.lists(st.integers(1, 4), min_size=1, max_size=3), st.data())
def test_any_layout_gives_the_same_model(seed, form_a, form_b, states, data):
    n = len(states)
    actions = data.draw(st.lists(st.integers(1, 3), min_size=n, max_size=n))
    outcomes = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    parts = random_arrays(np.random.default_rng(seed), states, outcomes, actions)
    plain = sonde.Model(**parts, horizon=2)
    other = sonde.Model(A=[disguised(a, form_a) for a in parts["A"]],
                        B=[disguised(b, form_b) for b in parts["B"]],
                        C=[disguised(c, form_a) for c in parts["C"]],
                        D=[disguised(d, form_b) for d in parts["D"]], horizon=2)
    assert np.array_equal(plain.efe().efe, other.efe().efe)
    for kept, given_ in zip(other.A + other.B, parts["A"] + parts["B"]):
        assert kept.shape == given_.shape
        assert np.allclose(kept, given_, atol=1e-12)
        assert not kept.flags.writeable


@fast
@given(seeds, st.sampled_from(["f4", "f2", "i8", "u1", "?", "f8", ">f8", "longdouble"]))
def test_any_type_of_number_is_taken(seed, dtype):
    rng = np.random.default_rng(seed)
    B = np.eye(3)[:, rng.integers(0, 3, (3, 2))].astype(dtype)
    model = sonde.Model(A=np.eye(3).astype(dtype), B=B, C=[0, 1, 2], horizon=2)
    assert np.array_equal(model.B[0], B.astype(float))


@fast
@given(st.data())
def test_wrong_shapes_and_numbers_raise(data):
    parts = random_arrays(np.random.default_rng(data.draw(seeds)))
    key = data.draw(st.sampled_from("ABCD"))
    which = data.draw(st.integers(0, 1))
    array = parts[key][which]
    how = data.draw(st.sampled_from(["nan", "inf", "negative", "axis", "longer", "text", "none",
                                     "complex", "missing", "empty"]))
    place = tuple(0 for _ in array.shape)
    if how in ("nan", "inf", "negative"):
        if key == "C" and how == "negative":
            return
        array = array.copy()
        array[place] = {"nan": np.nan, "inf": np.inf, "negative": -0.5}[how]
    elif how == "axis":
        array = array[..., None]
    elif how == "longer":
        array = np.concatenate([array, array], axis=0)
    elif how == "empty":
        array = array[:0]
    else:
        array = {"text": "abc", "none": [None], "complex": array + 1j, "missing": None}[how]
    parts[key] = [array if i == which else other for i, other in enumerate(parts[key])]
    if how == "missing":
        del parts[key][which]
    with pytest.raises((ValueError, TypeError)):
        sonde.Model(**parts, horizon=2)


@fast
@given(seeds, forms, st.sampled_from(["i8", "i4", "u1", "f8"]))
def test_policies_of_any_form_are_scored_alike(seed, form, dtype):
    rng = np.random.default_rng(seed)
    model = sonde.Model(**random_arrays(rng), horizon=3)
    policies = model.policies()[rng.integers(0, model.n_policy, 7)].astype(dtype)
    index = [model.policy_index(policy) for policy in policies]
    assert np.array_equal(model.efe(disguised(policies, form)).efe, model.efe().efe[index])


@fast
@given(seeds, forms)
def test_beliefs_of_any_form_are_taken(seed, form):
    rng = np.random.default_rng(seed)
    model = sonde.Model(**random_arrays(rng), horizon=2)
    belief = [rng.dirichlet(np.ones(n)) for n in model.num_states]
    expected = model.efe(belief=belief).efe
    assert np.array_equal(model.efe(belief=[disguised(b, form) for b in belief]).efe, expected)
    flat = model.belief(belief)
    assert np.allclose(model.efe(belief=disguised(flat, form)).efe, expected)


@fast
@given(seeds, st.integers(1, 20), st.integers(1, 5), st.integers(1, 6))
def test_rows_of_ones_own_are_clustered(seed, n, m, k):
    rows = np.random.default_rng(seed).normal(size=(n, m))
    clusters = sonde.cluster(rows, k=k)
    assert clusters.k == min(k, n) and clusters.label.shape == (n,)
    assert clusters.size.sum() == n
    assert np.allclose(clusters.embedding.matrix, rows)


def test_sparse_and_named_arrays_are_the_same_model():
    scipy_sparse = pytest.importorskip("scipy.sparse")
    names = {"factors": {"place": {"states": ["left", "right"], "actions": ["stay", "go"]}},
             "modalities": {"sight": ["dark", "light"]}}
    B = np.stack([np.eye(2), np.eye(2)[::-1]], axis=-1)
    plain = sonde.Model(A=np.eye(2), B=B, C=[0.0, 2.0], D=[1.0, 0.0], horizon=2)
    named = sonde.Model(A={"sight": scipy_sparse.csr_matrix(np.eye(2))},
                        B={"place": {"shape": [2, 2, 2], "entries": [
                            [0, 0, 0, 1.0], [1, 1, 0, 1.0], [0, 1, 1, 1.0], [1, 0, 1, 1.0]]}},
                        C={"sight": {"light": 2.0}}, D={"place": "left"}, horizon=2, **names)
    assert np.array_equal(plain.efe().efe, named.efe().efe)
    assert named.factors[0]["states"] == ["left", "right"]
    assert np.array_equal(named.observe(None, ["light"]), named.observe(None, [1]))
    with pytest.raises(ValueError, match="loud"):
        named.observe(None, ["loud"])
    with pytest.raises(ValueError, match="names"):
        sonde.Model(A={"sound": np.eye(2)}, B={"place": B}, **names)


def test_arrays_of_objects_are_views_that_keep_their_owner():
    world = sonde.Graph.random(6, seed=30)
    tail = world.tail
    handle = weakref.ref(world)
    copied = tail.copy()
    assert not tail.flags.writeable and not tail.flags.owndata
    del world
    gc.collect()
    assert handle() is None
    [sonde.Graph.random(8, seed=i) for i in range(50)]
    assert np.array_equal(tail, copied)
    with pytest.raises(ValueError):
        tail[0] = 1
    with pytest.raises(ValueError):
        tail.flags.writeable = True


def test_views_outlive_everything(tmaze):
    plan = sonde.plan(tmaze, search="cluster")
    kept = [plan.q, plan.probabilities, sonde.simulate(tmaze, 3).beliefs, tmaze.A[0], tmaze.B[0],
            sonde.cluster(tmaze, k=3).label, sonde.embed(tmaze).row_of]
    copies = [array.copy() for array in kept]
    assert all(not array.flags.writeable for array in kept)
    del plan, tmaze
    gc.collect()
    for _ in range(20):
        sonde.simulate(sonde.Graph.random(5), 3, search="full")
    for array, copy in zip(kept, copies):
        assert np.array_equal(array, copy)
