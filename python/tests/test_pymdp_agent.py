"""Agents with pymdp's signature, verbs and defaults, with every search."""
from xml.etree import ElementTree

import numpy as np
import pytest
from conftest import POMDPS, ROOT, arrays, pomdp, random_arrays

import sonde
from sonde.pymdp import Agent


@pytest.fixture
def parts():
    return random_arrays(np.random.default_rng(7))


@pytest.fixture(params=POMDPS, ids=lambda path: path.stem)
def fixture(request):
    return pomdp(request.param)


@pytest.mark.parametrize("search", sonde.searches())
def test_every_search_goes_through_the_verbs(parts, search):
    agent = Agent(**parts, policy_len=3, search=search)
    rng = np.random.default_rng(1)
    for t in range(5):
        qs = agent.infer_states([rng.integers(0, n) for n in agent.num_obs])
        q_pi, G = agent.infer_policies()
        action = agent.sample_action()
        assert [len(q) for q in qs] == agent.num_states
        assert all(q.sum() == pytest.approx(1) for q in qs)
        assert q_pi.shape == G.shape == (len(agent.policies),) == (6**3,)
        assert q_pi.sum() == pytest.approx(1)
        assert action.shape == (2,)
        assert agent.curr_timestep == t + 1 and len(agent.prev_actions) == t + 1
        assert agent.plan.action["actions"] == action.tolist()
    assert "step 5" in repr(agent)


def test_the_posterior_of_clusters_is_that_of_their_members(parts):
    full = Agent(**parts, policy_len=3)
    part = Agent(**parts, policy_len=3, search="cluster", k=4, gamma=1.0)
    q_pi, G = part.infer_policies()
    scored = np.isfinite(G)
    assert 0 < scored.sum() < len(G) and (q_pi[~scored] == 0).all()
    assert np.allclose(G[scored], full.infer_policies()[1][scored])
    marginal = np.bincount(part.model.policies()[:, 0, 0], q_pi)
    assert np.allclose(marginal, part.plan.marginals[0])


def test_too_many_policies_leave_the_best_one(parts):
    agent = Agent(**parts, policy_len=8, search="cluster", policy_sample=500)
    q_pi, G = agent.infer_policies()
    assert len(q_pi) == len(G) == len(agent.policies) == 1
    assert agent.policies[0].shape == (8, 2) and 0 < q_pi[0] <= 1
    assert agent.sample_action().shape == (2,)


def test_the_agent_predicts_by_itself_and_by_hand(parts):
    by_itself, by_hand = Agent(**parts), Agent(**parts)
    prior = by_hand.D
    for observation in ([0, 1], [3, 0], [2, 1]):
        qs = by_itself.infer_states(observation)
        other = by_hand.infer_states(observation, prior)
        for q, p in zip(qs, other):
            assert np.allclose(q, p, atol=1e-12)
        by_itself.infer_policies()
        by_hand.infer_policies(other)
        action = by_itself.sample_action()
        assert np.array_equal(action, by_hand.sample_action())
        prior = by_hand.update_empirical_prior(action, other)


def test_observations_may_be_numbers_or_vectors(parts):
    one, other = Agent(**parts), Agent(**parts)
    a = one.infer_states((3, 1))
    b = other.infer_states([np.eye(4)[3], np.eye(2)[1]])
    assert all(np.array_equal(p, q) for p, q in zip(a, b))
    with pytest.raises(ValueError):
        one.infer_states([3])
    with pytest.raises(ValueError):
        one.infer_states([3, 2])
    with pytest.raises(ValueError):
        one.infer_states([np.ones(3), 1])
    # legacy pymdp's distributions
    spread = one.infer_states([np.array([0.1, 0.2, 0.3, 0.4]), 1], distr_obs=True)
    weighed = one.model.observe(None, [[0.1, 0.2, 0.3, 0.4], 1], inference="pymdp-legacy")
    assert np.array_equal(np.concatenate(spread), weighed)
    single = Agent(A=np.eye(3), B=np.eye(3)[:, :, None].repeat(2, axis=2))
    assert np.allclose(single.infer_states(2)[0], [0, 0, 1])
    assert np.allclose(single.infer_states([0])[0], [1, 0, 0])


def test_step_does_it_all(parts):
    slow, fast = Agent(**parts, policy_len=2), Agent(**parts, policy_len=2)
    for observation in ([0, 0], [1, 1], [2, 0]):
        slow.infer_states(observation)
        slow.infer_policies()
        assert np.array_equal(slow.sample_action(), fast.step(observation))


def test_the_defaults_are_pymdps(parts):
    agent = Agent(**parts)
    assert (agent.gamma, agent.alpha, agent.policy_len) == (16, 16, 1)
    assert agent.model.information == "joint" and agent.setup["search"] == "full"
    own = Agent(model=sonde.Model(**parts, gamma=3.0))
    assert own.gamma == 3 and own.model.information == "per-modality"
    with pytest.raises(TypeError, match="information"):
        Agent(model=own.model, information="joint")
    bare = Agent(A=arrays(parts["A"]), B=arrays(parts["B"]))
    assert bare.model.D[0].tolist() == [1 / 3] * 3


@pytest.mark.parametrize("selection", ["deterministic", "stochastic"])
@pytest.mark.parametrize("mode", ["marginal", "full"])
def test_ways_to_choose_an_action(parts, selection, mode):
    settings = {"action_selection": selection, "sampling_mode": mode, "policy_len": 2}
    if selection == "stochastic" and mode == "full":
        with pytest.raises(NotImplementedError, match="alpha"):
            Agent(**parts, **settings)
        settings["alpha"] = 1.0
    agent = Agent(**parts, **settings, seed=4)
    q_pi, _ = agent.infer_policies()
    action = agent.sample_action()
    if (selection, mode) == ("deterministic", "full"):
        assert np.array_equal(action, agent.policies[np.argmax(q_pi)][0])
    again = Agent(**parts, **settings, seed=4)
    again.infer_policies()
    assert np.array_equal(action, again.sample_action())


def test_listed_policies_and_habits(parts):
    policies = [np.array([[0, 1], [1, 0]]), np.array([[1, 2], [0, 0]]), np.array([[1, 1], [1, 1]])]
    E = np.array([0.5, 0.25, 0.25])
    agent = Agent(**parts, policies=policies, policy_len=2, E=E, gamma=1.0)
    q_pi, G = agent.infer_policies()
    expected = E * np.exp(G)
    assert np.allclose(q_pi, expected / expected.sum())
    assert np.array_equal(np.stack(agent.policies), np.stack(policies))


def test_the_posterior_has_the_habits_of_a_model():
    B = np.stack([np.eye(2), np.eye(2)[::-1]], -1)
    for horizon in (2, 21):  # of the latter are more policies than are listed
        model = sonde.Model([[[.9, .2], [.1, .8]]], [B], [[1., 0.]], [[.5, .5]], horizon=horizon,
                            counts={"E": [9., 1.]})
        agent = Agent(model=model, seed=1)
        agent.infer_states([0])
        q_pi, G = agent.infer_policies()
        wanted = model.efe(belief=agent._belief())
        q = wanted.posterior(agent.gamma)
        if horizon == 2:
            assert np.allclose(q_pi, q, rtol=1e-12) and np.allclose(G, -wanted.efe)
            assert q_pi[:2].sum() == pytest.approx(agent.plan.probabilities[0], rel=1e-12)
        else:
            best = model.policy_index(agent.plan.best_policy)
            assert q_pi == pytest.approx(q[best], rel=1e-9)
            assert G == pytest.approx(-wanted.efe[best])


def test_a_prior_of_all_policies_needs_no_list_of_them(parts):
    E = np.arange(1.0, 37.0)
    agent = Agent(**parts, policy_len=2, E=E, gamma=1.0)
    q_pi, G = agent.infer_policies()
    expected = E * np.exp(G)
    assert np.allclose(q_pi, expected / expected.sum())
    assert np.array_equal(np.stack(agent.policies), Agent(**parts, policy_len=2).policies)
    with pytest.raises(sonde.TooLarge, match="E: a prior of"):
        Agent(**parts, policy_len=9, E=E)


@pytest.mark.parametrize("given, words", [
    ({"E": [.25] * 4}, "E: expected a number for each of the 6 policies, found 4"),
    ({"E": [0.0] * 6}, "E: expected numbers from 0 on with a positive sum, found 0 everywhere"),
    ({"E": [-1.0] * 6, "like": "pymdp"}, "E: expected numbers from 0 on .* found -1 everywhere"),
    ({"E": "x"}, "E: expected an array of numbers, found 'x'"),
    ({"gamma": [1.0, 2.0]}, r"gamma: expected a number, found \[1.0, 2.0\]"),
    ({"alpha": "x"}, "alpha: expected a number, found 'x'"),
    ({"policies": []}, "policies: expected one or more of the same length"),
    ({"policies": [[[0, 0], [1, 0]], [[0, 0]]]}, "policies: expected one or more of the same"),
    ({"policies": 3}, r"policies: .* found 3"),
])
def test_what_is_wrong_with_arguments_is_a_sentence(parts, given, words):
    with pytest.raises(sonde.BadInput, match=words):
        Agent(**parts, **given)


def test_a_precision_may_be_an_array_of_one(parts):
    agent = Agent(**parts, gamma=np.array([3.]), alpha=np.array([2.]), seed=1)
    assert (agent.gamma, agent.alpha) == (3., 2.) and "gamma 3," in repr(agent)
    assert np.array_equal(agent.infer_policies()[0], Agent(**parts, gamma=3.).infer_policies()[0])
    with pytest.raises(NotImplementedError, match='like\\("pymdp-legacy", loop="closed"\\)'):
        Agent(**parts, sophisticated=True)
    even = Agent(**parts, E=[0.0] * 6, like="pymdp")
    assert even.model.E is None and len(even.infer_policies()[0]) == 6


def test_preferences_that_change_with_time(parts):
    C = [np.stack([c, 2 * c], axis=1) for c in parts["C"]]
    agent = Agent(parts["A"], parts["B"], C, parts["D"], policy_len=2)
    model = sonde.Model(**parts | {"C": [c.T for c in C]}, horizon=2, information="joint")
    assert np.allclose(agent.infer_policies()[1], -model.efe().efe)


def test_a_graph_world_has_an_agent_too(world):
    agent = Agent(model=world, search="cluster", gamma=1.0)
    qs = agent.infer_states(world.start)
    assert qs[0].argmax() == world.edge(*world.start)
    q_pi, _ = agent.infer_policies()
    assert len(q_pi) == len(world.efe())
    edges = agent.sample_action().astype(int)
    assert world.head[edges[0]] == world.tail[edges[1]]


def test_each_trial_of_an_agent_draws_from_streams_of_its_own(parts):
    agent = Agent(**parts, action_selection="stochastic", gamma=0.1, alpha=1.0, seed=3)
    trials = [[agent.step([0, 0]).tolist() for _ in range(8)]]
    for _ in range(3):
        agent.reset()
        trials.append([agent.step([0, 0]).tolist() for _ in range(8)])
    assert len({str(trial) for trial in trials}) == 4
    for number in (0, 2):
        agent.reset(trial=number)
        assert [agent.step([0, 0]).tolist() for _ in range(8)] == trials[number]
    agent.reset()  # goes on from there
    assert [agent.step([0, 0]).tolist() for _ in range(8)] == trials[3]
    own = sonde.Agent(agent.model, gamma=0.1, seed=3)
    first = [own.step([0, 0]) for _ in range(8)]
    own.reset()
    assert [own.step([0, 0]) for _ in range(8)] != first
    own.reset(trial=0)
    assert [own.step([0, 0]) for _ in range(8)] == first
    with pytest.raises(sonde.BadInput, match="trial: expected a whole number from 0 to"):
        own.reset(trial=-1)
    assert np.allclose(agent.reset([np.array([1, 0, 0]), np.array([0, 1])])[0], [1, 0, 0])


def test_an_agent_without_a_seed_takes_one_from_numpys_global_state(parts):
    def walk():
        agent = Agent(**parts, action_selection="stochastic", gamma=0.1, alpha=1.0)
        return [agent.step([0, 0]).tolist() for _ in range(8)]

    np.random.seed(11)
    several = [walk() for _ in range(4)]
    assert len({str(one) for one in several}) == 4
    np.random.seed(11)
    assert [walk() for _ in range(4)] == several


def test_an_action_that_was_forced_is_the_one_the_agent_expects_from(parts):
    free, forced = Agent(**parts, policy_len=2), Agent(**parts, policy_len=2)
    prior, rng = free.D, np.random.default_rng(2)
    for observation in ([0, 1], [3, 0], [2, 1], [1, 1]):
        expected = free.infer_states(observation, prior)
        qs = forced.infer_states(observation)
        assert all(np.allclose(p, q, atol=1e-12) for p, q in zip(qs, expected))
        forced.infer_policies()
        forced.sample_action()
        u = np.array([rng.integers(0, n) for n in forced.num_controls])
        forced.action = u
        assert forced.action.tolist() == u.tolist()
        prior = free.update_empirical_prior(u, expected)
    forced.action = None
    qs = forced.infer_states([0, 0])
    assert all(np.allclose(p, q, atol=1e-12) for p, q in zip(qs, free.infer_states([0, 0], free.D)))
    with pytest.raises(ValueError, match="no action"):
        forced.action = [9, 9]


def test_a_belief_that_was_put_in_place_is_the_one_the_agent_goes_on_from(parts):
    told, other = Agent(**parts), Agent(**parts)
    believed = [np.array([0.1, 0.2, 0.7]), np.array([0.6, 0.4])]
    told.qs = believed
    assert np.allclose(told.infer_policies()[1], other.infer_policies(believed)[1])
    action = told.sample_action()
    told.qs = believed[::-1][::-1]
    expected = other.infer_states([0, 0], other.update_empirical_prior(action, believed))
    assert all(np.allclose(p, q) for p, q in zip(told.infer_states([0, 0]), expected))


def test_what_is_settled_cannot_be_changed_without_a_word(parts):
    agent = Agent(**parts)
    for name in ("gamma", "alpha", "policy_len", "action_selection", "sampling_mode", "model"):
        with pytest.raises(AttributeError, match=f"{name} is settled"):
            setattr(agent, name, 3)
    for name in ("A", "B", "C", "D", "policies", "q_pi", "G"):
        with pytest.raises(AttributeError):
            setattr(agent, name, 3)


def test_arguments_after_the_arrays_are_by_keyword(parts):
    with pytest.raises(TypeError, match="positional"):
        Agent(parts["A"], parts["B"], parts["C"], parts["D"], None, None)


def test_histories_are_kept_if_asked_for(parts):
    agent = Agent(**parts, save_belief_hist=True)
    for _ in range(3):
        agent.infer_states([0, 0])
        agent.infer_policies()
        agent.sample_action()
    assert len(agent.qs_hist) == len(agent.q_pi_hist) == 3


@pytest.mark.parametrize("search", sonde.searches())
def test_every_search_is_explained(parts, search):
    agent = Agent(**parts, policy_len=3, search=search)
    with pytest.raises(ValueError, match="has not searched yet"):
        agent.explain()
    agent.infer_states([0] * len(agent.num_obs))
    agent.infer_policies()
    why = agent.explain()
    p = sum(one["posterior"] for one in why["alternatives"])
    assert p == pytest.approx(1)
    best = agent.plan.best
    found = [one for one in why["alternatives"] if one["policy"]]
    assert min(one["efe"] for one in found) == pytest.approx(best["efe"])
    for one in found:
        assert len(one["steps"]) == 3
        for term in ("efe", "risk", "ambiguity", "cost"):
            assert sum(step[term] for step in one["steps"]) == pytest.approx(one[term])
    assert repr(why).startswith("why: the best policy of each first action")
    assert ElementTree.fromstring(why.svg()).tag.endswith("svg")
    assert why._repr_html_() == why.svg()
    assert why.to_dict()["grounds"] == why["grounds"] and set(why) == set(why.keys())
    agent.infer_states([0] * len(agent.num_obs))
    with pytest.raises(ValueError, match="search first"):
        agent.explain()


def test_an_agent_speaks_pymdps_verbs(fixture):
    agent = Agent(A=fixture["A"], B=fixture["B"], C=fixture["C"], D=fixture["qs"],
                  policy_len=fixture["policy_len"])
    q_pi, G = agent.infer_policies()
    assert np.allclose(q_pi, fixture["q_pi_joint"], atol=1e-6)
    assert np.allclose(G, fixture["neg_efe_joint"], atol=2e-5)
    action = agent.sample_action()
    assert action.shape == (len(fixture["B"]),) and action.dtype == float
    assert action.tolist() == [np.argmax(p) for p in fixture["first_action_marginals"]]
    assert np.array_equal(np.stack(agent.policies), fixture["policies"])


def test_an_agent_filters_as_pymdp_does(fixture):
    update = fixture["belief_update"]
    agent = Agent(fixture["A"], fixture["B"], fixture["C"], arrays(update["prior"]))
    qs = agent.infer_states(update["obs"])
    assert qs.dtype == object and len(qs) == len(update["posterior"])
    for found, expected in zip(qs, update["posterior"]):
        assert np.allclose(found, expected, atol=1e-9)
    given = agent.infer_states(update["obs"], empirical_prior=update["prior"])
    assert np.allclose(np.concatenate(given), np.concatenate(qs), atol=1e-12)


def test_what_pymdp_has_and_sonde_does_not():
    parts = random_arrays(np.random.default_rng(1))
    for name, value in {"H": 1, "sophisticated": True, "inference_algo": "MMP",
                        "inference_horizon": 3, "policy_sep_prior": True,
                        "inference_params": {"num_iter": 3}}.items():
        with pytest.raises(NotImplementedError, match=name):
            Agent(**parts, **{name: value})
    agent = Agent(**parts)
    with pytest.raises(ValueError, match="update_A: the agent has no counts"):
        agent.update_A([0, 0])
    with pytest.raises(NotImplementedError, match="infer_parameters"):
        agent.infer_parameters()
    with pytest.raises(ValueError, match="has not searched"):
        agent.sample_action()


@pytest.mark.parametrize("settings, search", [
    (dict(), "full"), (dict(k=2), "cluster"), (dict(embedding="boa"), "cluster"),
    (dict(epsilon=0.01), "bounded"), (dict(beam=5), "beam"), (dict(budget=20), "bounded")])
def test_settings_mean_a_search_of_an_agents_too(settings, search):
    agent = Agent(model=ROOT / "examples/models/tmaze.json", **settings)
    agent.infer_states([0, 0, 0])
    assert f"search {search}" in repr(agent)
    assert "none yet" in repr(agent.decide())
    agent.sample_action()
    assert agent.plan.search == search and "none yet" not in repr(agent.plan)
