"""What counts in G: against NumPy that knows nothing of Sonde, and pymdp's own numbers."""
import json

import numpy as np
import pytest
from conftest import POMDPS, ROOT, model_of, pomdp

import sonde

RECORDED = json.loads((ROOT / "tests/data/weights.json").read_text())["neg_efe"]
WEIGHTS = [{"weight_utility": 0}, {"weight_information": 0}, {"weight_cost": 0},
           {"weight_utility": 0, "weight_cost": 3},
           {"weight_utility": 0.5, "weight_information": 2}]


def scored(model, **settings):
    """G of every policy, in policy order."""
    plan = sonde.plan(model, search="full", keep=100_000, **settings)
    kept = sorted(plan.kept, key=lambda policy: policy["index"])
    assert [policy["index"] for policy in kept] == list(range(len(kept)))
    return np.array([policy["efe"] for policy in kept])


def parts(model):
    """(n, 3) utility, information and cost of every policy of a model of one factor and modality,
    from its arrays alone."""
    A, B, D, cost = model.A[0], model.B[0], model.D[0], model.cost[0]
    C = np.exp(model.C[0] - model.C[0].max())
    log_C = np.log(np.maximum(C / C.sum(), 1e-16))
    entropy = -(A * np.log(np.maximum(A, 1e-16))).sum(axis=0)
    rows = []
    for policy in model.policies():
        q, row = D, np.zeros(3)
        for action in policy[:, 0]:
            q = B[:, :, action] @ q
            o = A @ q
            row += [-o @ log_C, entropy @ q + o @ np.log(np.maximum(o, 1e-16)),
                    model.lambda_ * cost @ o]
        rows.append(row)
    return np.array(rows)


@pytest.mark.parametrize("weights", WEIGHTS, ids=str)
def test_G_is_its_parts_as_they_count(weights):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        n_state, n_action, n_outcome = 4, 3, 5
        model = sonde.Model(
            A=[rng.dirichlet(np.ones(n_outcome), n_state).T],
            B=[rng.dirichlet(np.ones(n_state), (n_action, n_state)).transpose(2, 1, 0)],
            C=[rng.normal(size=n_outcome)], D=[rng.dirichlet(np.ones(n_state))], horizon=3,
            cost=[rng.uniform(size=n_outcome)], lambda_=2.0)
        w = [weights.get(f"weight_{name}", 1) for name in ("utility", "information", "cost")]
        wanted = parts(model) @ w
        np.testing.assert_allclose(scored(model, **weights), wanted, rtol=0, atol=1e-10)
        plan = sonde.plan(model, **weights)
        assert plan.best_efe == pytest.approx(wanted.min(), abs=1e-10)
        assert plan.certificate["best_is_optimal"]
        # the terms are told as they are
        best = plan["best"]
        index = int(np.argmin(wanted))
        assert best["cost"] == pytest.approx(parts(model)[index, 2], abs=1e-10)
        assert best["risk"] == pytest.approx(model.efe().risk[index], abs=1e-10)


@pytest.mark.parametrize("path", POMDPS, ids=lambda path: path.stem)
@pytest.mark.parametrize("off", ["utility", "information"])
def test_without_utility_or_information_G_is_pymdps(path, off):
    model = model_of(pomdp(path), preferences="utility")
    found = scored(model, **{f"weight_{off}": 0})
    np.testing.assert_allclose(-found, RECORDED[path.stem][f"{off}_off"], rtol=0, atol=1e-5)


def test_agents_and_simulations_take_what_counts():
    model = model_of(pomdp(POMDPS[0]))
    assert sonde.simulate(model, steps=2, weight_utility=0).settings["weight_utility"] == 0
    assert sonde.Agent(model, weight_information=0).settings["weight_information"] == 0


@pytest.mark.parametrize("value", [-1, 1001, float("nan")])
def test_a_weight_outside_its_range_is_refused(value):
    with pytest.raises(ValueError, match="weight_cost: expected a number from 0 to 1000"):
        sonde.plan(model_of(pomdp(POMDPS[0])), weight_cost=value)
