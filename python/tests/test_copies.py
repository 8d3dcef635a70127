"""Plans, episodes and agents are pickled and copied, as joblib and multiprocessing do."""
import copy
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
from conftest import ROOT, random_arrays, timeless

import sonde

WAYS = [lambda one: pickle.loads(pickle.dumps(one)), copy.copy, copy.deepcopy]
ways = pytest.mark.parametrize("way", WAYS, ids=["pickle", "copy", "deepcopy"])


def said(plan):
    """What a plan says, but for times and for what was worked out once by one of the agents."""
    document = timeless(plan.to_json())
    document["evaluations"].pop("setup_steps")
    return document


@pytest.fixture
def parts():
    return random_arrays(np.random.default_rng(7))


@ways
@pytest.mark.parametrize("search", sonde.searches())
def test_a_copied_plan_says_what_the_plan_says(tmaze, search, way):
    plan = sonde.plan(tmaze, search=search)
    again = way(plan)
    assert again.to_json() == plan.to_json() and repr(again) == repr(plan)
    assert timeless(again.to_json("sonde plan")) == timeless(plan.to_json())
    assert '"sonde plan"' in again.to_json("sonde plan")
    assert again.action == plan.action and again.best_efe == plan.best_efe
    for name in ("actions", "probabilities", "q", "best_policy"):
        assert np.array_equal(getattr(again, name), getattr(plan, name))
    assert all(map(np.array_equal, again.marginals, plan.marginals))
    assert repr(again.explain()) == repr(plan.explain())
    assert way(again).explain().svg() == plan.explain().svg()


def test_a_copied_plan_holds_when_its_agent_decides_again(tmaze):
    agent = sonde.Agent(tmaze)
    plan = agent.decide()
    kept, belief = copy.copy(plan), plan.q.copy()
    agent.step([1, 0, 1])
    agent.decide()
    assert np.array_equal(kept.q, belief) and kept.search == "bounded"
    with pytest.raises(sonde.BadInput, match="has searched again"):
        plan.explain()
    agent.observe([0, 0, 0])
    with pytest.raises(sonde.BadInput, match="nothing has been decided"):
        pickle.loads(pickle.dumps(agent.plan)).explain()


@ways
@pytest.mark.parametrize("which", ["tmaze", "world"])
def test_a_copied_episode_says_what_the_episode_says(which, way, request):
    episode = sonde.simulate(request.getfixturevalue(which), 4, seed=2)
    again = way(episode)
    assert again.to_json() == episode.to_json() and repr(again) == repr(episode)
    assert '"sonde"' in again.to_json("sonde") and len(again) == 4
    for name in ("path", "states", "outcomes", "actions", "beliefs", "surprise", "p", "n_policy",
                 "equivalent"):
        assert np.array_equal(getattr(again, name), getattr(episode, name))


@ways
@pytest.mark.parametrize("settings", [
    {}, {"search": "cluster", "k": 3}, {"search": "random", "budget": 20}], ids=str)
def test_a_copied_agent_goes_on_as_the_agent_does(tmaze, settings, way):
    agent = sonde.Agent(tmaze, gamma=0.2, seed=4, horizon=3, **settings)
    rng = np.random.default_rng(1)

    def see():
        return [int(rng.integers(0, n)) for n in tmaze.num_obs]

    for stop in ("start", "observed", "decided", "acted", "observed", "decided", "acted"):
        if stop == "observed":
            agent.observe(see())
        elif stop == "decided":
            agent.decide()
        elif stop == "acted":
            agent.act()
        again = way(agent)
        assert np.array_equal(again.belief, agent.belief) and again.surprise == agent.surprise
        assert again.n_step == agent.n_step and again.settings == agent.settings
        if stop in ("decided", "acted"):
            assert said(again.plan) == said(agent.plan)
    if way is copy.copy:  # neither moves the other
        again.step(see())
        assert again.n_step == agent.n_step + 1
        again = way(agent)
    for _ in range(4):
        seen = see()
        assert again.step(seen) == agent.step(seen)
        assert np.array_equal(again.belief, agent.belief)
    agent.reset()
    again.reset()
    assert agent.step(seen) == again.step(seen)


def test_an_agent_that_follows_a_plan_says_that_it_cannot_be_copied(tmaze):
    agent = sonde.Agent(tmaze, replan_every=2)
    agent.step([0, 0, 0])
    with pytest.raises(sonde.BadInput, match="follows a plan, which cannot be copied"):
        pickle.dumps(agent)
    agent.step([0, 0, 0])
    again = copy.copy(agent)
    assert again.step([0, 0, 0]) == agent.step([0, 0, 0])


@ways
def test_a_copied_agent_of_pymdps_kind_goes_on_as_the_agent_does(parts, way):
    agent = sonde.pymdp.Agent(**parts, policy_len=2, action_selection="stochastic", gamma=0.1,
                              alpha=1.0, save_belief_hist=True)
    for stop in range(6):
        if stop % 3 == 0:
            agent.infer_states([stop % 2, 1])
        elif stop % 3 == 1:
            agent.infer_policies()
        else:
            agent.sample_action()
        again = way(agent)
        assert np.array_equal(np.concatenate(again.qs), np.concatenate(agent.qs))
        assert again.curr_timestep == agent.curr_timestep
        if stop % 3 == 1:
            assert np.array_equal(again.sample_action(), way(agent).sample_action())
        if stop % 3 == 2:
            assert again.plan.to_json() == agent.plan.to_json()
    again = way(agent)
    again.action = agent.action = [0, 0]
    for _ in range(5):
        assert np.array_equal(again.step([2, 0]), agent.step([2, 0]))
        assert np.array_equal(np.concatenate(again.qs), np.concatenate(agent.qs))
    assert len(again.qs_hist) >= 7


def decide(work):
    agent, seed = work
    return agent.decide(), sonde.simulate(agent.model, 3, seed=seed), agent


def test_agents_and_what_they_decide_cross_over_to_other_processes(tmaze):
    agent = sonde.Agent(tmaze)
    expected = agent.decide()
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        for seed, (plan, episode, back) in enumerate(
                pool.map(decide, [(agent, seed) for seed in range(3)])):
            assert said(plan) == said(expected)
            assert np.array_equal(episode.states, sonde.simulate(tmaze, 3, seed=seed).states)
            assert back.act() == plan.model.action_tuple(plan._action)


def test_joblib_takes_plans_and_agents(tmaze):
    joblib = pytest.importorskip("joblib")
    plans = joblib.Parallel(n_jobs=2)(
        joblib.delayed(sonde.plan)(ROOT / "examples/models/tmaze.json", seed=s) for s in range(3))
    assert [plan.search for plan in plans] == ["bounded"] * 3


@ways
def test_copied_energies_are_those_that_were_copied(tmaze, world, way):
    for efe in (tmaze.efe(), tmaze.efe(weight_utility=0.0), world.efe(),
                tmaze.efe(tmaze.policies()[[3, 7]])):
        again = way(efe)
        assert repr(again) == repr(efe) and len(again) == len(efe)
        for name in ("efe", "risk", "ambiguity", "cost", "policies", "steps"):
            assert np.array_equal(getattr(again, name), getattr(efe, name))


def count_zeros(policies):
    """An embedding of one's own."""
    return (policies == 0).sum(axis=tuple(range(2, policies.ndim)))


@ways
@pytest.mark.parametrize("how", [{}, {"embedding": "edm", "policy_sample": 20}, {"scope": "global"},
                                 {"embedding": count_zeros}], ids=repr)
def test_copied_rows_and_clusters_are_the_same(world, how, way):
    embedding = sonde.embed(world, seed=3, **how)
    clusters = sonde.cluster(embedding, k=4, restarts=2, seed=5)
    for again, groups in (way(embedding), way(clusters)), (None, way(clusters)):
        again = groups.embedding if again is None else again
        for name in ("rows", "row_of", "weight", "first", "index", "plane", "policies"):
            assert np.array_equal(getattr(again, name), getattr(embedding, name)), name
        assert repr(again) == repr(embedding)
        assert np.array_equal(groups.label, clusters.label)
        assert np.array_equal(groups.center, clusters.center)
        if how.get("embedding") is not count_zeros:
            assert again.to_json() == embedding.to_json()
            assert timeless(groups.to_json()) == timeless(clusters.to_json())
    assert np.array_equal(way(embedding).row(embedding.policies[0]), embedding.matrix[0])


@ways
def test_copied_rows_of_ones_own_are_the_same(way):
    rows = np.random.default_rng(1).integers(0, 3, (30, 2)).astype(float)
    clusters = sonde.cluster(rows, k=3)
    again = way(clusters)
    assert np.array_equal(again.embedding.matrix, rows)
    assert np.array_equal(again.embedding.row_of, clusters.embedding.row_of)
    assert np.array_equal(again.label, clusters.label) and again.inertia == clusters.inertia


@ways
def test_copied_runs_have_every_episode_and_error(tmaze, way):
    with pytest.warns(RuntimeWarning, match="2 of 4 runs failed"):
        runs = sonde.simulate_many(tmaze, 2, 3, settings=[
            {"search": "full", "horizon": 60}, {"search": "full", "horizon": 2}])
    again = way(runs)
    assert len(again) == len(runs) and repr(again) == repr(runs)
    assert list(again.errors) == list(runs.errors) == [0, 1]
    assert type(again.errors[1]) is sonde.TooLarge
    assert again.columns() == runs.columns()
    assert timeless(again[3].to_json()) == timeless(runs[3].to_json())
    with pytest.raises(sonde.TooLarge):
        again[1]


@ways
def test_a_copied_replay_tells_the_same(tmaze, way):
    data = sonde.Data("subject,o0,o1,o2,u0\n" + "s1,0,0,0,3\ns1,3,0,0,1\ns2,0,0,0,1\n")
    found = sonde.replay(tmaze, data, efe=True)
    again = way(found)
    assert repr(again) == repr(found) and again.subjects == found.subjects
    for name in ("p", "log_p", "belief", "efe", "log_likelihood", "hits", "bic"):
        assert np.array_equal(getattr(again, name), getattr(found, name)), name
    assert np.array_equal(again.rows.subject(), found.rows.subject())


@ways
def test_copied_likelihoods_are_the_same_functions(tmaze, way):
    table = "subject,o0,o1,o2,u0\n" + "".join(
        f"s{s},{o},0,0,{u}\n" for s in (1, 2) for o, u in ((0, 3), (3, 0), (0, 1)))
    data = sonde.Data(table)
    ll = sonde.loglik(tmaze, data, "gamma,lapse", threads=1)
    theta = np.array([[0.1, -2.0], [1.0, -3.0]])
    for again in (way(ll), sonde.loglik(tmaze, way(data), "gamma,lapse")):
        assert repr(again) == repr(ll) and again.subjects == ["s1", "s2"]
        assert np.array_equal(again(theta), ll(theta))
    assert way(ll.parameters).names == ["gamma", "lapse"]
    one = ll.subject("s2", prior=True)
    assert np.array_equal(way(one)(theta), one(theta))
    with pytest.raises(sonde.BadInput, match="subject: expected one of 2, by name or by number"):
        ll.subject("s3")


def test_likelihoods_go_to_other_processes(tmaze):
    data = sonde.Data("subject,o0,o1,o2,u0\n" + "s1,0,0,0,3\ns1,3,0,0,1\n")
    one = sonde.loglik(tmaze, data, "gamma").subject(0)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(one, [0.3]).result(timeout=120) == one([0.3])
