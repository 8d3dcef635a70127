"""Beliefs of several factors: each inference as NumPy finds it, and as pymdp did."""
import json

import numpy as np
import pytest

import sonde
from conftest import ROOT

RECORDED = json.loads((ROOT / "tests/data/beliefs.json").read_text())["cases"]


def columns(rng, zeros, *shape):
    made = rng.random(shape) ** 2 + 1e-3
    made[rng.random(shape) < zeros] = 0.0
    made[0] += made.sum(axis=0) == 0.0
    return made / made.sum(axis=0)


def random_model(seed, zeros, states=(3, 3), outcomes=(3, 3)):
    rng = np.random.default_rng(seed)
    return sonde.Model(A=[columns(rng, zeros, n, *states) for n in outcomes],
                       B=[columns(rng, 0.0, n, n, 2) for n in states],
                       C=[np.zeros(n) for n in outcomes], D=[columns(rng, 0.0, n) for n in states],
                       horizon=1), rng


def over(*priors):
    """The product of the factors' beliefs."""
    made = np.ones(())
    for p in priors:
        made = np.multiply.outer(made, p)
    return made


def marginals(joint):
    return [joint.sum(axis=tuple(g for g in range(joint.ndim) if g != f))
            for f in range(joint.ndim)]


def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()


def exact(model, priors, outcome):
    joint = over(*priors) * np.prod([a[o] for a, o in zip(model.A, outcome)], axis=0)
    return marginals(joint / joint.sum())


def iterated(L, priors, rounds, tolerance, floor):
    """pymdp's iterations; None where rounding decides when they end."""
    def log(x):
        return np.log(np.maximum(x, floor))

    q = [np.full(len(p), 1 / len(p)) for p in priors]
    before = sum(a @ (log(a) - log(p)) for a, p in zip(q, priors))
    for _ in range(rounds):
        others = [over(*(np.ones(len(b)) if g == f else b for g, b in enumerate(q)))
                  for f in range(len(q))]
        given = [marginals(L * others[f])[f] for f in range(len(q))]
        q = [softmax(e + log(p)) for e, p in zip(given, priors)]
        F = sum(a @ (log(a) - log(p)) for a, p in zip(q, priors)) - (L * over(*q)).sum()
        if abs(abs(F - before) - tolerance) < 1e-9 and tolerance:
            return None
        if abs(F - before) < tolerance:
            break
        before = F
    return q


def by_formula(model, priors, outcome, inference):
    seen = [a[o] for a, o in zip(model.A, outcome)]
    if inference == "exact":
        return exact(model, priors, outcome)
    if inference == "pymdp":
        eps = np.finfo(float).eps
        return iterated(sum(np.log(np.maximum(a, eps)) for a in seen), priors, 16, 0.0, eps)
    return iterated(np.log(np.maximum(np.prod(seen, axis=0), 1e-16)), priors, 10, 1e-3, 1e-16)


@pytest.mark.parametrize("inference", ["exact", "pymdp", "pymdp-legacy"])
@pytest.mark.parametrize("zeros", [0.0, 0.4])
def test_beliefs_of_40_random_models_are_the_formula_for_30_steps(inference, zeros):
    for seed in range(40):
        model, rng = random_model(seed, zeros)
        agent = sonde.Agent(model, inference=inference, search="full", action="deterministic")
        prior, evidence = model.split(model.initial()), 0.0
        state = [rng.choice(3, p=d) for d in model.D]
        for _ in range(30):
            outcome = [int(rng.choice(3, p=a[(slice(None), *state)])) for a in model.A]
            found = model.split(agent.observe(outcome))
            wanted = by_formula(model, prior, outcome, inference)
            p = (over(*prior) * np.prod([a[o] for a, o in zip(model.A, outcome)], axis=0)).sum()
            evidence += np.log(p)
            if wanted is not None:
                np.testing.assert_allclose(np.concatenate(found), np.concatenate(wanted), 0, 1e-9)
            assert agent.surprise == pytest.approx(-np.log(p), abs=1e-9)
            assert agent.log_evidence == pytest.approx(evidence, abs=1e-7)
            assert agent.free_energy == pytest.approx(agent.complexity - agent.accuracy, abs=1e-9)
            if inference == "exact":
                assert agent.free_energy == pytest.approx(agent.surprise, abs=1e-9)
            agent.decide()
            action = agent.act()
            prior = model.split(model.predict(agent.belief, action))
            state = [rng.choice(3, p=b[:, s, u]) for b, s, u in zip(model.B, state, action)]


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: case["model"]["name"])
@pytest.mark.parametrize("inference, tolerance", [("pymdp", 1e-5), ("pymdp-legacy", 1e-9)])
def test_beliefs_are_those_that_pymdp_recorded(case, inference, tolerance):
    model = sonde.Model.from_dict(case["model"])
    prior = model.initial()
    for step, recorded in zip(case["steps"], case[inference]["belief"]):
        seen = step.get("soft", step["outcome"])
        belief = model.observe(prior, seen, inference=inference)
        np.testing.assert_allclose(belief, np.concatenate(recorded), 0, tolerance)
        prior = model.predict(belief, step["action"])


def test_the_default_is_exact_and_pymdps_agent_has_pymdps():
    case = next(case for case in RECORDED if case["model"]["name"] == "3x3-zeros")
    model = sonde.Model.from_dict(case["model"])
    agent = sonde.Agent(model)
    theirs = sonde.pymdp.Agent(A=model.A, B=model.B, C=model.C, D=model.D)
    outcome = case["steps"][0]["outcome"]
    found = np.concatenate(theirs.infer_states(outcome))
    np.testing.assert_allclose(found, np.concatenate(case["pymdp-legacy"]["belief"][0]), 0, 1e-9)
    assert np.abs(agent.observe(outcome) - found).max() > 1e-4
    assert agent.decide()["settings"]["inference"] == "exact"
    assert sonde.like("pymdp")["inference"] == "pymdp"
    assert sonde.like("pymdp-legacy")["inference"] == "pymdp-legacy"


def exclusive_or():
    """Two factors that one modality tells of together, and one modality of the first alone."""
    still = np.eye(2)[:, :, None]
    return sonde.Model(A=[np.array([[[1, 0], [0, 1]], [[0, 1], [1, 0.0]]]),
                          np.array([[0.9, 0.2], [0.1, 0.8]])],
                       B=[still, still], C=[np.zeros(2)] * 2, D=[[0.75, 0.25], [0.6, 0.4]],
                       modalities=[{"factors": [0, 1]}, {"factors": [0]}], horizon=1)


def test_missing_and_soft_outcomes_give_the_numbers_worked_out_by_hand():
    agent = sonde.Agent(exclusive_or())
    np.testing.assert_allclose(agent.observe([1, None]), [2 / 3, 1 / 3, 1 / 3, 2 / 3], atol=1e-15)
    assert agent.surprise == pytest.approx(-np.log(0.45), abs=1e-15)
    # the same step seen otherwise: what was seen before is not counted
    belief = agent.observe([None, [0.2, 0.8]])
    np.testing.assert_allclose(belief, [0.195 / 0.365, 0.17 / 0.365, 0.6, 0.4], atol=1e-15)
    assert agent.log_evidence == pytest.approx(np.log(0.365), abs=1e-14)
    np.testing.assert_array_equal(agent.observe(None), agent.model.initial())
    assert (agent.surprise, agent.free_energy) == (0, 0)
    np.testing.assert_allclose(agent.observe([[0, 1], [1, 1]]), agent.observe([1, None]),
                               atol=1e-15)


def test_what_is_no_observation_says_why():
    agent = sonde.Agent(exclusive_or())
    for seen, words in (([1], "expected one for each modality"), ([1, [1, 2, 3]], "2 weights"),
                        ([1, [0, 0]], "at least one of them positive"), ([1, -1], "from 0 to 1"),
                        ([1, [1, -1]], "weights from 0 on"), ([-2, 1], "from 0 to 1")):
        with pytest.raises(sonde.BadInput, match=words):
            agent.observe(seen)


def test_an_edge_may_go_unseen():
    agent = sonde.Agent(sonde.Graph.random(4, seed=3))
    agent.decide()
    agent.act()
    assert agent.observe(None).max() == 1 and agent.surprise == 0


def test_an_episode_has_its_energies():
    model = exclusive_or()
    episode = sonde.simulate(model, 5)
    assert episode.log_evidence == pytest.approx(-episode.surprise.sum(), abs=1e-12)
    np.testing.assert_allclose(episode.free_energy, episode.complexity - episode.accuracy,
                               atol=1e-12)
    for key in ("surprise", "free_energy", "complexity", "accuracy"):
        assert [step[key] for step in episode["steps"]] == getattr(episode, key).tolist()


def test_a_certificate_says_which_belief_it_is_given():
    agent = sonde.Agent(exclusive_or())
    assert agent.decide().certificate["belief"] == "initial"
    agent.observe([1, 0])
    assert agent.decide().certificate["belief"] == "exact"
    assert "from the belief of exact inference" in repr(agent.plan)
    agent.reset(belief=[[0.5, 0.5], [0.5, 0.5]])
    assert agent.decide().certificate["belief"] == "given"
    legacy = sonde.plan(exclusive_or(), observation=[1, 0], inference="pymdp-legacy")
    assert legacy.certificate["belief"] == "pymdp-legacy"
    assert sonde.plan(sonde.Graph.random(4, seed=3)).certificate.get("belief") is None


@pytest.mark.parametrize("states", [(2,), (2, 2)])
@pytest.mark.parametrize("n, p", [(30, (0.4, 0.3)), (50, (0.4, 0.3)), (60, (0.6, 0.5)),
                                  (50, (1e-3, 1e-4)), (8, (1e-4, 1e-5))])
def test_many_modalities_that_are_improbable_in_every_state_are_taken_in_exactly(states, n, p):
    one = np.array([p, 1 - np.array(p)])
    A = np.stack([one] * 2, axis=-1) if len(states) > 1 else one
    model = sonde.Model(A=[A] * n, B=[np.eye(2)[:, :, None]] * len(states), C=[np.zeros(2)] * n,
                        D=[np.array([0.5, 0.5])] * len(states), horizon=1)
    exact = 1 / (1 + (p[1] / p[0]) ** n)
    for inference in ("exact", "pymdp"):  # which floors each modality alone
        assert sonde.Agent(model, inference=inference).observe([0] * n)[0] \
            == pytest.approx(exact, abs=1e-10)
    # the product of all modalities is floored there
    flat = sonde.Agent(model, inference="pymdp-legacy").observe([0] * n)[0]
    floored = [max(np.prod([q] * n), 1e-16) for q in p]
    assert flat == pytest.approx(floored[0] / sum(floored), abs=1e-9)
