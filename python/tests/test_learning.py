"""Agents that learn: Sonde's own, and pymdp's verbs on recorded runs of pymdp's agents."""
import gzip
import json
import os
import pickle
from pathlib import Path

import numpy as np
import pytest
from conftest import command

import sonde
from sonde import pymdp

ROOT = Path(os.environ.get("SONDE_ROOT", Path(__file__).resolve().parents[2]))
RECORDED = ROOT / "tests" / "data" / "learning"
B = [np.array([[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]]])]


def counted(**more):
    return sonde.Model([np.array([[0.75, 2 / 3], [0.25, 1 / 3]])], B, [[0.0, 1.0]], [[0.5, 0.5]],
                       counts={"A": [[[3.0, 1.0], [1.0, 0.5]]]},
                       modalities=[{"name": "reward", "outcomes": ["win", "loss"]}], **more)


@pytest.mark.parametrize("left_out", [None, [None]])
def test_arrays_with_counts_may_be_left_out(left_out):
    counts = {"A": [[[3.0, 1.0], [1.0, 0.5]]], "B": [4.0 * B[0] + 1.0], "D": [[1.0, 3.0]]}
    given = [np.array([[0.75, 2 / 3], [0.25, 1 / 3]])], [(4.0 * B[0] + 1.0) / 6.0], [[0.25, 0.75]]
    means = sonde.Model(given[0], given[1], D=given[2], counts=counts)
    made = sonde.Model(left_out, left_out, D=left_out, counts=counts)
    assert made.to_dict() == means.to_dict()


def test_what_has_no_counts_is_not_left_out():
    with pytest.raises(sonde.BadInput, match=r"A\[0\]: expected an array, found None"):
        sonde.Model([None], B, counts={"A": [None]})
    with pytest.raises(sonde.BadInput, match=r"counts.A.|counts\['A'\]"):
        sonde.Model(None, B, counts={"A": [[[0.0, 1.0], [0.0, 1.0]]]})


def recorded(name):
    with gzip.open(RECORDED / f"{name}.json.gz") as file:
        return json.load(file)


def arrays(model, key):
    return None if model[key] is None else [np.array(one, float) for one in model[key]]


def agent_of(run):
    model, settings = run["model"], run["settings"]
    legacy = settings["rules"] == "pymdp-legacy"
    more = {"A": arrays(model, "A"), "B": arrays(model, "B"), "C": arrays(model, "C"),
            "D": arrays(model, "D"), "E": model["E"], "gamma": settings["gamma"],
            "alpha": settings["alpha"],
            "pA": arrays(model, "pA"), "pB": arrays(model, "pB"),
            "use_param_info_gain": settings["use_param_info_gain"],
            "policy_len": settings["policy_len"], "action_selection": "stochastic",
            "sampling_mode": "marginal", "seed": 1}
    if not legacy:
        return pymdp.Agent(like="pymdp", A_dependencies=model["A_dependencies"],
                           B_dependencies=model["B_dependencies"], **more)
    return pymdp.Agent(information="pymdp-legacy", lr_pA=settings["lr_pA"],
                       lr_pB=settings["lr_pB"], lr_pD=settings["lr_pD"],
                       pD=arrays(model, "pD") if settings["learn_D"] else None,
                       modalities_to_learn=settings["modalities_to_learn"],
                       factors_to_learn=settings["factors_to_learn"], **more)


def compare(found, wanted, within):
    for one, other in zip(found, wanted):
        np.testing.assert_allclose(one, np.array(other), rtol=0, atol=within)


# (D of 1.0's agents does not learn, whatever they are told)
LIVED = [name for name in sorted(path.name[:-8] for path in RECORDED.glob("*.pymdp-*.json.gz"))
         if "-window-" not in name and name != "bandit-D.pymdp-1.0.4"]


def learn(agent, settings, step, before):
    if settings["learn_A"]:
        compare(agent.update_A(step["observation"], settings["lr_pA"]), step["pA"], 1e-12)
    if settings["learn_B"] and before is not None:
        compare(agent.update_B(before, settings["lr_pB"]), step["pB"], 1e-12)


@pytest.mark.parametrize("name", LIVED)
def test_agents_of_pymdp_that_learn_are_lived_again(name):
    run = recorded(name)
    settings = run["settings"]
    agent = agent_of(run)
    episode, before = 0, None
    learns_first = settings.get("order") == "learn-then-plan"
    from_last = settings.get("D_from", "").startswith("last")
    for step in run["steps"]:
        if step["episode"] != episode:
            if agent.pD is not None:
                agent.update_D(before if from_last else None)
            episode, before = step["episode"], None
            agent.reset()
        qs = agent.infer_states(step["observation"])
        compare(qs, step["qs"], 1e-12)
        if learns_first:
            learn(agent, settings, step, before)
        q_pi, neg_efe = agent.infer_policies()
        compare([q_pi, neg_efe], [step["q_pi"], step["neg_efe"]], 1e-9)
        if not learns_first:
            learn(agent, settings, step, before)
        agent.sample_action()
        agent.action = np.array(step["action"])
        before = qs


@pytest.mark.parametrize("rules", [{"like": "pymdp", "gamma": 1.0}, {
    "information": "pymdp-legacy", "gamma": 1.0}])
def test_what_e_is_0_of_is_not_forbidden_but_improbable(rules):
    agent = pymdp.Agent(A=[np.eye(2)], B=B, C=[np.array([0.0, 40.0])], D=[np.array([1.0, 0.0])],
                        E=np.array([1.0, 0.0]), policy_len=1, seed=1, **rules)
    agent.infer_states([0])
    q_pi, neg_efe = agent.infer_policies()
    least = 2.0 ** -52 if "like" in rules else 1e-16
    wanted = np.exp(neg_efe - neg_efe.max()) * np.array([1.0, least])
    np.testing.assert_allclose(q_pi, wanted / wanted.sum(), rtol=0, atol=1e-9)
    assert min(q_pi) > 1e-6


def test_a_reset_begins_at_d_unless_pymdps_is_asked_for():
    made = {"A": [np.eye(2) * 0.9 + 0.05], "B": [np.array([[[0.9], [0.2]], [[0.1], [0.8]]])],
            "C": [np.zeros(2)], "D": [np.array([1.0, 0.0])], "seed": 1}
    for kept in (False, True):
        agent = pymdp.Agent(pymdp_reset=kept, **made)
        agent.infer_states([1])
        agent.infer_policies()
        agent.sample_action()
        agent.reset()
        prior = np.array([0.55, 0.45]) if kept else np.array([1.0, 0.0])
        wanted = prior * made["A"][0][0]
        found = agent.infer_states([0])[0]
        np.testing.assert_allclose(found, wanted / wanted.sum(), atol=1e-12)


def test_an_agent_learns_what_its_model_has_counts_of():
    agent = sonde.Agent(counted(), learn=True, search="full")
    belief = agent.observe(["win"])
    agent.decide()
    agent.act()
    np.testing.assert_allclose(agent.counts["A"][0],
                               [[3 + belief[0], 1 + belief[1]], [1, 0.5]], rtol=1e-14)
    assert agent.counts["B"] == [None]
    assert agent.learned["A"][0]["added"] == pytest.approx(1.0)
    np.testing.assert_allclose(agent.learned_model.A[0],
                               agent.counts["A"][0] / agent.counts["A"][0].sum(axis=0))
    agent.forget()
    np.testing.assert_array_equal(agent.counts["A"][0], [[3, 1], [1, 0.5]])


def test_rates_are_told_by_outcome():
    agent = sonde.Agent(counted(), learn={"eta_A": {"reward": {"win": 0.25}}}, search="full")
    for outcome in ("win", "loss"):
        agent.step([outcome])
    assert agent.learned["A"][0]["added"] == pytest.approx(1.25)


def test_an_agent_that_learns_is_copied_with_what_it_has_learned():
    agent = sonde.Agent(counted(horizon=2), learn={"when": "step-before"}, novelty="joint")
    agent.step([0])
    other = pickle.loads(pickle.dumps(agent))
    for outcome in (1, 0, 1):
        assert agent.step([outcome]) == other.step([outcome])
    np.testing.assert_array_equal(agent.counts["A"][0], other.counts["A"][0])


def test_habits_are_counted_by_first_action():
    model = sonde.Model([np.eye(2)], B, [[0.0, 1.0]], [[0.5, 0.5]], horizon=2,
                        counts={"E": [1.0, 3.0]})
    np.testing.assert_allclose(model.habit, [0.25, 0.75])
    agent = sonde.Agent(model, learn={"eta_E": 2}, search="full")
    agent.observe([0])
    plan = agent.decide()
    q = model.efe(belief=agent.belief).posterior()
    np.testing.assert_allclose(q.reshape(2, 2).sum(axis=1), list(plan.probabilities), rtol=1e-12)
    u = agent.act()
    wanted = np.array([1.0, 3.0])
    wanted[int(np.ravel(u)[0])] += 2
    np.testing.assert_array_equal(agent.counts["E"][0], wanted)
    assert agent.learned["E"][0]["added"] == 2
    other = pickle.loads(pickle.dumps(agent))
    assert agent.step([1]) == other.step([1])
    np.testing.assert_array_equal(agent.counts["E"][0], other.counts["E"][0])


def test_gamma_may_be_expected():
    model = sonde.Model([np.eye(2)], B, [[0.0, 1.0]], [[0.5, 0.5]], horizon=2)
    agent = sonde.Agent(model, learn={"gamma": "expected", "alpha_g": 2, "beta_g": 1},
                        search="full")
    agent.observe([0])
    plan = agent.decide()
    G = model.efe(belief=agent.belief).efe
    g = 2.0
    for _ in range(16):
        q = np.exp(-g * (G - G.min()))
        g = 2 / (1 + (q / q.sum()) @ (G - G.min()))
    assert plan.gamma == pytest.approx(g, rel=1e-12)
    with pytest.raises(sonde.BadInput, match="takes G of every policy"):
        sonde.Agent(model, learn={"gamma": "expected"}, search="bounded")


@pytest.mark.parametrize("loop", ["open", "closed"])
def test_an_agent_is_saved_and_read_back_in_the_middle_of_an_episode(tmp_path, loop):
    made = {"loop": loop, "learn": {"beliefs_D": "smoothed", "decay": 0.1}, "seed": 4}
    agent, other = (sonde.Agent(counted(horizon=2), **made) for _ in range(2))
    for outcome in (0, 1, 1):
        agent.step([outcome])
    agent.save(tmp_path / "agent.json")
    other.load(tmp_path / "agent.json")
    copied = pickle.loads(pickle.dumps(agent))
    for outcome in (1, 0, 0, 1):
        action = agent.step([outcome])
        assert action == other.step([outcome]) == copied.step([outcome])
        np.testing.assert_array_equal(agent.belief, other.belief)
    for one in (other, copied):
        np.testing.assert_array_equal(agent.counts["A"][0], one.counts["A"][0])
    with pytest.raises(sonde.BadInput, match="learn with the same settings"):
        sonde.Agent(counted(horizon=2), loop=loop).load(tmp_path / "agent.json")


def test_novelty_is_a_part_of_every_score():
    model = counted(horizon=2)
    plain, with_novelty = model.efe(), model.efe(novelty="joint", nu_A=3)
    assert with_novelty.novelty.min() > 0
    np.testing.assert_allclose(with_novelty.efe, plain.efe - 3 * with_novelty.novelty, rtol=1e-12)
    best = sonde.plan(model, novelty="joint", nu_A=3, search="full").best_efe
    assert best == pytest.approx(with_novelty.efe.min(), rel=1e-12)


def test_novelty_is_a_part_of_what_is_planned():
    plan = sonde.plan(counted(), novelty="joint")
    assert "novelty" in json.loads(plan.to_json())["best"]
    best = json.loads(plan.to_json())["best"]
    assert best["efe"] == pytest.approx(best["risk"] + best["ambiguity"] + best["cost"]
                                        - best["novelty"])


@pytest.mark.parametrize("learn, sentence", [
    ({"omega": 2.0}, "omega: expected a number from 0 to 1"),
    ({"beliefs": "smoothed"}, "once an episode has ended"),
    ({"eta_A": {"sight": 1.0}}, "no modality 'sight'"),
    ({"eta_A": {"reward": {"none": 1.0}}}, "no outcome 'none'"),
    ({"modalities": [3]}, "modalities: expected a whole number from 0 to 0, found 3"),
    ({"modalities": [0.5]}, "modalities: expected a whole number, found 0.5"),
    ({"modalities": [True, False]}, "modalities: expected names or numbers, found True"),
    ({"modalities": ["sight"]}, r"modalities: there is no 'sight' among \['reward'\]"),
    ({"eta_A": {"reward": {"win": float("nan")}}}, r"eta_A\['reward'\]\['win'\]: .* found nan"),
    ({"omega": {"reward": "x"}}, r"omega\['reward'\]: expected a number, found 'x'"),
    ({"eta_A": "x"}, "eta_A: expected a number, or numbers by modality, found 'x'"),
])
def test_what_cannot_be_learned_is_told(learn, sentence):
    with pytest.raises(ValueError, match=sentence):
        sonde.Agent(counted(), learn=learn)


@pytest.mark.parametrize("learn, same", [
    ({"eta_A": np.float32(0.5)}, {"eta_A": 0.5}), ({"eta_A": np.int64(2)}, {"eta_A": 2}),
    ({"eta_A": {"reward": np.float32(0.5)}}, {"eta_A": 0.5}),
    ({"modalities": ["reward"]}, {"modalities": [0]}),
    ({"modalities": "reward"}, {"modalities": np.array([0])}),
])
def test_what_is_learned_is_told_in_many_ways(learn, same):
    counts = []
    for rules in (learn, same):
        agent = sonde.Agent(counted(), learn=rules)
        agent.step(["win"])
        counts.append(agent.counts["A"][0])
    assert np.array_equal(*counts) and not np.array_equal(counts[0], [[3.0, 1.0], [1.0, 0.5]])


def test_a_model_without_counts_does_not_learn():
    plain = sonde.Model([np.eye(2)], B, [[0.0, 1.0]], [[0.5, 0.5]])
    with pytest.raises(ValueError, match="no counts"):
        sonde.Agent(plain, learn=True)
    with pytest.raises(ValueError, match="no counts"):
        sonde.plan(plain, novelty="joint")


def test_arrays_of_a_model_are_not_changed_by_assignment():
    model = counted()
    for name in "ABC":
        with pytest.raises(AttributeError):
            setattr(model, name, None)


def test_gamma_below_0_is_refused_whatever_the_default_is():
    with pytest.raises(sonde.BadInput, match="gamma: expected a number from 0"):
        sonde.plan(counted(), gamma=-1)


def test_the_likelihood_at_nan_is_nan():
    data = sonde.Data("subject,u0,reward\n1,0,win\n1,1,loss\n1,0,win\n1,1,loss\n")
    loglik = sonde.loglik(counted(), data, "gamma", learn=True)
    found = loglik([[0.1], [np.nan], [0.3]])
    assert np.isnan(found[1, 0])
    assert found[[0, 2]].tolist() == loglik([[0.1], [0.3]]).tolist()
    assert np.isnan(loglik([np.nan])).all()


def test_figures_are_there_when_sonde_is():
    assert callable(sonde.figures.recovery)


@pytest.mark.parametrize("name, when", [("tmaze", "episode"), ("bandit", "step-after")])
def test_episodes_of_an_agent_are_those_of_the_command(name, when):
    paths = [ROOT / "examples" / "learning" / f"{name}{end}.json" for end in ("", "-world")]
    said = json.loads(command(
        "simulate", paths[0], "--learn", "--when", when, "--process", paths[1], "--novelty",
        "joint", "--steps", 3, "--episodes", 4, "--seed", 2, "--json", "--history"))
    agent = sonde.Agent(paths[0], learn={"when": when, "steps": 3}, novelty="joint", seed=2)
    lived = []
    for n in range(4):
        lived.append(agent.simulate(3, process=paths[1]))
        if n == 1:
            agent = pickle.loads(pickle.dumps(agent))
    for episode, expected in zip(lived, said["history"]["episodes"]):
        numbers = [agent.model.action_number(one) for one in episode.actions]
        assert numbers == expected["action"]
        assert episode.surprise.tolist() == pytest.approx(expected["surprise"], abs=1e-15)
    assert lived[-1].outcomes.tolist() == said["outcomes"]
    for mine, expected in zip(agent.learned["A"], said["learned"]["A"]):
        assert (mine is None) == (expected is None)
        assert mine is None or mine["kl"] == expected["kl"]
    assert agent.n_step == 12
    # from the beginning, but for what was learned
    first = agent.simulate(3, process=paths[1], episode=0)
    assert first.outcomes[0].tolist() == lived[0].outcomes[0].tolist() and agent.n_step == 3
    agent.forget()
    assert agent.simulate(3, process=paths[1], episode=0).actions.tolist() \
        == lived[0].actions.tolist()


def test_one_episode_is_that_of_simulate():
    model = counted(horizon=2)
    one = sonde.Agent(model, seed=4).simulate(6)
    other = sonde.simulate(model, 6, seed=4)
    assert one.actions.tolist() == other.actions.tolist()
    assert one.surprise.tolist() == other.surprise.tolist()
    with pytest.raises(sonde.BadInput, match="without a search or an embedding of its own"):
        sonde.Agent(model).simulate(3, process=sonde.env.Env(model))
    with pytest.raises(sonde.BadInput, match="steps: expected a whole number from 1"):
        sonde.Agent(model).simulate(0)
    with pytest.raises(sonde.BadInput, match="episode: expected a whole number from 0"):
        sonde.Agent(model).simulate(3, episode=-1)
