"""Sonde's own agent: each of its decisions is one of sonde.plan."""
import copy
import inspect
import json

import numpy as np
import pytest
from conftest import GRAPHS, MODELS, POMDPS, ROOT, model_of, pomdp, random_arrays, timeless

import sonde

#: what makes a search small enough for every fixture, and as wide as it can be
SETTINGS = {"cluster": {"k": 4, "restarts": 2}, "tree": {"k": 3, "depth": 2, "restarts": 2},
            "surrogate": {"k": 3, "budget": 60, "restarts": 2}, "random": {"budget": 200},
            "beam": {"beam": 3}, "bounded": {"budget": 5000}, "full": {}}
FIXTURES = [*POMDPS, *GRAPHS, *MODELS]


def fixture_of(path):
    """The model or world of a fixture, with a horizon that every search can cope with."""
    if path in POMDPS:
        return model_of(pomdp(path))
    if path in GRAPHS:
        document = json.loads(path.read_text())
        return sonde.Graph(document["edges"], nodes=document["nodes"],
                           start=document["start_edge"], destination=document["destination"],
                           lambda_=document["lambda"], horizon=min(document["policy_length"], 4))
    return sonde.Model.from_file(path, horizon=2)


@pytest.mark.parametrize("search", sonde.searches())
@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_an_agent_and_plan_give_the_same_bytes(path, search):
    model = fixture_of(path)
    settings = {"search": search, **SETTINGS[search], "seed": 3, "action": "softmax"}
    plan = sonde.plan(model, **settings)
    agent = sonde.Agent(model, **settings)
    assert timeless(agent.decide().to_json()) == timeless(plan.to_json())
    decided = agent.plan
    for name in ("q", "probabilities", "actions", "best_policy"):
        assert getattr(decided, name).tobytes() == getattr(plan, name).tobytes()
    assert timeless(agent.explain().to_dict()) == timeless(plan.explain().to_dict())
    chosen = plan._action
    assert agent.act() == plan.model.action_tuple(chosen)


@pytest.mark.parametrize("search", sonde.searches())
def test_the_same_bytes_follow_from_a_belief_and_from_an_outcome(tmaze, search):
    settings = {"search": search, **SETTINGS[search]}
    agent = sonde.Agent(tmaze, **settings)
    belief = [[0.5, 0.5, 0, 0], [0.25, 0.75]]
    agent.reset(belief)
    plan = sonde.plan(tmaze, belief, **settings)
    assert timeless(agent.decide().to_json()) == timeless(plan.to_json())
    agent = sonde.Agent(tmaze, **settings)
    agent.observe([0, 1, 0])
    plan = sonde.plan(tmaze, observation=[0, 1, 0], **settings)
    assert timeless(agent.decide().to_json()) == timeless(plan.to_json())


def test_without_settings_an_agent_and_plan_give_the_same_bytes():
    model = sonde.Model(**random_arrays(np.random.default_rng(7)), horizon=3)
    agent = sonde.Agent(model)
    assert timeless(agent.decide().to_json()) == timeless(sonde.plan(model).to_json())
    assert agent.settings["search"] == "bounded" and agent.setup["gamma"] == model.gamma == 1


@pytest.mark.parametrize("search", sonde.searches())
@pytest.mark.parametrize("which", ["tmaze", "world"])
def test_an_agent_acts_as_one_in_a_simulation_does(which, search, request):
    settings = {"search": search, **SETTINGS[search], "action": "softmax", "seed": 5}
    model = request.getfixturevalue(which)
    if which == "world":
        model = sonde.Graph.from_dict(model.to_dict() | {"horizon": 4})
    episode = sonde.simulate(model, 6, **settings)
    agent = sonde.Agent(model, **settings)
    for outcome, action, belief, surprise in zip(episode.outcomes, episode.actions,
                                                 episode.beliefs, episode.surprise):
        assert agent.step(outcome) == tuple(action)
        assert np.array_equal(agent.belief, belief) and agent.surprise == surprise
    agent.reset(trial=0)
    assert agent.step(episode.outcomes[0]) == tuple(episode.actions[0])


def test_outcomes_have_numbers_and_names(tmaze):
    numbers, names = sonde.Agent(tmaze), sonde.Agent(tmaze)
    listed = [m["outcomes"] for m in tmaze.modalities]
    assert any(not isinstance(outcomes, int) for outcomes in listed)
    said = [0 if isinstance(outcomes, int) else outcomes[0] for outcomes in listed]
    assert np.array_equal(numbers.observe([0, 0, 0]), names.observe(said))
    with pytest.raises(sonde.BadInput, match="there is no outcome 'nowhere'"):
        names.observe(["nowhere", *said[1:]])


def test_in_a_graph_world_an_agent_sees_edges(world):
    agent = sonde.Agent(world)
    assert agent.observe(world.start)[world.edge(*world.start)] == 1
    edge, following = agent.step(world.start)
    assert edge == world.edge(*world.start) and world.head[edge] == world.tail[following]
    agent.observe(following)
    assert agent.decide().q[following] == 1


def test_looking_at_a_decision_takes_nothing(tmaze):
    settings = {"action": "softmax", "gamma": 0.1, "seed": 8}
    quick, slow = sonde.Agent(tmaze, **settings), sonde.Agent(tmaze, **settings)
    for _ in range(5):
        action = quick.step([0, 0, 0])
        slow.observe([0, 0, 0])
        slow.decide()
        before = slow.belief
        assert slow.decide().action["actions"] == list(action) == slow.plan.action["actions"]
        assert np.array_equal(slow.belief, before)
        assert slow.act() == action
    assert quick.n_step == slow.n_step == 5 and "step 5" in repr(slow)


def test_an_agent_acts_once_on_each_decision(tmaze):
    agent = sonde.Agent(tmaze)
    for wrong in (agent.act, lambda: agent.plan, agent.explain):
        with pytest.raises(sonde.BadInput, match="not decided"):
            wrong()
    agent.step([0, 0, 0])
    with pytest.raises(sonde.BadInput, match="not decided since"):
        agent.act()
    agent.decide()
    agent.observe([0, 0, 0])
    with pytest.raises(sonde.BadInput, match="not decided since"):
        agent.act()


def test_pymdps_arrays_are_for_the_other_agent(tmaze):
    parts = random_arrays(np.random.default_rng(7))
    for wrong in (lambda: sonde.Agent(A=parts["A"]), lambda: sonde.Agent(**parts, policy_len=2),
                  lambda: sonde.Agent(parts["A"]), lambda: sonde.Agent(),
                  lambda: sonde.Agent(tmaze, policy_len=2),
                  lambda: sonde.Agent(tmaze, sampling_mode="full")):
        with pytest.raises(TypeError, match=r"sonde\.pymdp\.Agent"):
            wrong()
    for theirs, ours in (("infer_states", "observe"), ("infer_policies", "decide"),
                         ("sample_action", "act")):
        with pytest.raises(AttributeError, match=f"sonde.pymdp.Agent; here it is {ours}"):
            getattr(sonde.Agent(tmaze), theirs)
    with pytest.raises(AttributeError, match="no 'colour'"):
        sonde.Agent(tmaze).colour


def test_an_agent_takes_what_plan_takes():
    taken, also = (inspect.signature(thing).parameters for thing in (sonde.plan, sonde.Agent))
    assert set(taken) - set(also) == {"belief", "observation"} \
        and set(also) - set(taken) == {"learn"}
    path = ROOT / "examples/models/tmaze.json"
    assert sonde.Agent(path, k=2).settings["search"] == "cluster"
    with pytest.raises(sonde.BadInput, match="goes with search "):
        sonde.Agent(path, search="full", k=2)
    with pytest.raises(sonde.BadInput, match="knows the edge"):
        world = sonde.Graph.random(4, seed=1)
        sonde.Agent(world).reset(np.full(world.n_edge, 1 / world.n_edge))


def test_progress_of_an_agent_is_told(world):
    told = []
    agent = sonde.Agent(world, search="cluster", k=4, progress=lambda *args: told.append(args))
    agent.decide()
    assert told and all(done <= total for _, done, total in told)


def test_a_graph_is_explained_edge_by_edge(world):
    why = sonde.plan(world, search="bounded").explain()
    assert why["grounds"] == "sums"
    for one in why["alternatives"]:
        assert one["proven"] and one["steps"][0]["edge"][1] == one["action"]["to"]


def assert_beginning(one, chosen, mass, apart):
    """Against G and posterior of all policies that begin so."""
    assert one["policies"] == len(chosen)
    assert one["least"] <= chosen.min() + 1e-9 and one["best"] >= chosen.min() - 1e-9
    assert one["mass"][0] - 1e-9 <= mass <= one["mass"][1] + 1e-9
    assert one["mass"][1] - one["mass"][0] < apart


@pytest.mark.parametrize("settings, apart", [({"search": "bounded", "epsilon": 1e-9}, 1e-6),
                                             ({"search": "full"}, 1e-2)])
def test_policies_that_begin_alike_are_those_of_the_list(settings, apart):
    model = sonde.Model.from_file(ROOT / "examples/models/tmaze.json")
    agent = sonde.Agent(model, gamma=2.0, **settings)
    with pytest.raises(sonde.BadInput):
        agent.prefix()
    plan = agent.decide()
    policies, efe = model.policies(), model.efe().efe
    mass = np.exp(-2.0 * (efe - efe.min()))
    mass /= mass.sum()
    assert len(policies) == len(efe)
    whole = agent.prefix()
    assert_beginning(whole, efe, 1.0, apart)
    for one in whole["next"]:
        step = one["action"]["actions"]
        begins = np.array([list(policy[0]) == step for policy in policies])
        assert_beginning(one, efe[begins], mass[begins].sum(), apart)
        again = plan.prefix(tuple(step))
        assert {key: again[key] for key in ("policies", "least", "efe")} == pytest.approx(
            {key: one[key] for key in ("policies", "least", "efe")})
        for last in again["next"]:
            assert plan.prefix(step, last["action"]["actions"])["next"] == []
    with pytest.raises(sonde.BadInput, match="step 1: expected an action of each factor"):
        plan.prefix("nowhere/0")
    with pytest.raises(sonde.BadInput, match="a copy of a plan has no agent"):
        copy.deepcopy(plan).prefix()


def test_walks_that_begin_alike_are_told_by_nodes(world):
    plan = sonde.plan(world, search="full")
    first = plan.prefix()["next"][0]
    assert plan.prefix(first["action"]["to"])["mass"] == pytest.approx(first["mass"])
    assert plan.prefix(str(first["action"]["to"]))["policies"] == first["policies"]
    assert sum(one["policies"] for one in plan.prefix()["next"]) == plan.policy_space


def test_w7_a_plan_without_whole_policies_says_what_it_scored_in_steps():
    plan = sonde.plan(sonde.Graph.random(6, seed=30), search="bounded")
    assert json.loads(plan.to_json())["evaluations"]["policies"] == 0
    assert "  scored: 3 steps (as much as 0.5 of 3,655 policies) by search bounded" in repr(plan)
    assert "0 policies" not in repr(plan) and "equivalent" not in repr(plan)
    one = sonde.plan(sonde.Graph([], nodes=1, start=(0, 0), destination=0), search="bounded")
    assert "  scored: 1 step (as much as 1 of 1 policies)" in repr(one)
