"""Worlds between Sonde and gymnasium, which need not be installed."""
import copy
import importlib.util
import pickle
import subprocess
import sys
import types

import numpy as np
import pytest
from conftest import random_arrays

import sonde

GYMNASIUM = pytest.param(True, marks=pytest.mark.skipif(
    not sonde.env.gymnasium, reason="gymnasium is not installed"))


@pytest.fixture
def model():
    return sonde.Model(**random_arrays(np.random.default_rng(4)), horizon=3)


def discrete(n, start=0):
    return types.SimpleNamespace(n=n, start=start)


def space(name, **fields):
    """A space as gymnasium has it, by its name."""
    return type(name, (types.SimpleNamespace,), {})(**fields)


class Standing:
    """An environment that shows what it is told to, and notes what it is given."""

    def __init__(self, model, observation_space, action_space, shown, ends=99):
        self.observation_space, self.action_space = observation_space, action_space
        self.shown, self.ends, self.taken, self.seed = shown, ends, [], None

    def reset(self, *, seed=None, options=None):
        self.seed = seed
        return self.shown, {}

    def step(self, action):
        self.taken.append(action)
        return self.shown, 0.5 * len(self.taken), len(self.taken) >= self.ends, False, {}


def spaces(real):
    """gymnasium's spaces, or what stands in for them."""
    if real:
        return sonde.env.gymnasium.spaces
    return types.SimpleNamespace(
        Discrete=lambda n, start=0: space("Discrete", n=n, start=start),
        MultiDiscrete=lambda nvec: space("MultiDiscrete", nvec=np.array(nvec)),
        Tuple=lambda parts: space("Tuple", spaces=tuple(parts)),
        Dict=lambda parts: space("Dict", spaces=dict(parts)),
        Box=lambda low, high: space("Box", low=low, high=high))


# ----------------------------------------------------------------------- a model as environment --

@pytest.mark.parametrize("world", ["model", "graph"])
def test_the_same_seed_is_the_world_of_simulate_bit_for_bit(model, world):
    known = model if world == "model" else sonde.Graph.random(5, seed=2).model
    for seed in range(5):
        lived = sonde.simulate(known, 8, seed=seed)
        env = sonde.env.Env(known)
        seen, info = env.reset(seed=seed)
        for t in range(8):
            assert np.array_equal(np.atleast_1d(seen), lived.outcomes[t])
            assert np.array_equal(info["state"], lived.states[t])
            number = known.action_number(lived.actions[t])
            seen, reward, terminated, truncated, info = env.step(
                number if known.graph else lived.actions[t])
            assert not terminated and not truncated and np.isfinite(reward)
        assert np.array_equal(env.state, lived.states[8])
        again = sonde.simulate(known, 8, seed=seed, process=sonde.env.Env(known))
        for name in ("states", "outcomes", "actions", "beliefs", "p"):
            assert np.array_equal(getattr(again, name), getattr(lived, name)), name


def test_a_reward_is_the_log_preference_of_what_is_seen_less_its_cost():
    model = sonde.Model(A=np.eye(3), B=np.stack([np.roll(np.eye(3), i, axis=0) for i in range(3)],
                                                axis=-1),
                        C=[0.0, 1.0, 3.0], D=[1, 0, 0], cost=[0, 1, 2], lambda_=0.25)
    env = sonde.env.Env(model, steps=2)
    assert env.observation_space.n == 3 and env.action_space.n == 3
    assert env.reset(seed=1)[0] == 0
    log_C = np.array([0, 1, 3]) - np.log(np.exp([0, 1, 3]).sum())
    seen, reward, _, truncated, _ = env.step(2)
    assert seen == 2 and reward == pytest.approx(log_C[2] - 0.5) and not truncated
    seen, reward, _, truncated, _ = env.step(2)
    assert seen == 1 and reward == pytest.approx(log_C[1] - 0.25) and truncated


def test_factors_that_nobody_controls_are_no_part_of_an_action():
    arrays = random_arrays(np.random.default_rng(1), actions=(1, 3))
    env = sonde.env.Env(sonde.Model(**arrays))
    assert env.action_space.n == 3
    env.reset(seed=1)
    env.step(2)
    with pytest.raises(sonde.BadInput, match=r"action: expected one of Discrete\(3\), found 3"):
        env.step(3)


def test_episodes_without_a_seed_differ_and_are_repeated_by_the_first(model):
    def lives():
        env = sonde.env.Env(model)
        env.reset(seed=5)
        return [[env.reset()[1]["state"].tolist(), *(env.step([1, 2])[0].tolist()
                                                     for _ in range(4))] for _ in range(4)]

    once, again = lives(), lives()
    assert once == again and len({str(life) for life in once}) > 1


def test_an_environment_says_what_is_wrong(model):
    env = sonde.env.Env(model)
    with pytest.raises(sonde.BadInput, match="call reset first"):
        env.step([0, 0])
    with pytest.raises(sonde.BadInput, match="options: there are none"):
        env.reset(options={"x": 1})
    env.reset(seed=1)
    for action in ([0, 7], 1, [], [0, 1, 0]):
        with pytest.raises(sonde.BadInput, match="action: expected one of MultiDiscrete"):
            env.step(action)
    for action in ("a00", float("nan"), [0.7, 0], None, {}, [[0], [0, 1]]):
        with pytest.raises(sonde.BadInput, match="action: expected whole numbers, found"):
            env.step(action)
    for seed in (2**64, -1, 1.5):
        with pytest.raises(sonde.BadInput, match="seed: expected a whole number"):
            env.reset(seed=seed)
    with pytest.raises(sonde.BadInput, match="steps: expected a whole number, found 'x'"):
        sonde.env.Env(model, steps="x")
    assert not sonde.env.Discrete(2).contains(0.7) and not sonde.env.Discrete(2).contains("a")
    assert not sonde.env.MultiDiscrete([2, 2]).contains([0.5, 1])


@pytest.mark.skipif(not sonde.env.gymnasium, reason="gymnasium is not installed")
def test_gymnasium_finds_nothing_wrong_with_a_model_as_environment(model):
    from gymnasium.utils.env_checker import check_env

    for known in (model, sonde.Graph.random(5, seed=2).model):
        env = sonde.env.Env(known)
        assert isinstance(env, sonde.env.gymnasium.Env)
        check_env(env, skip_render_check=True)
    wrapped = sonde.env.gymnasium.wrappers.TimeLimit(sonde.env.Env(model), 3)
    episode = sonde.simulate(model, 10, process=wrapped)
    assert len(episode) == 3 and episode.truncated and not episode.terminated


def test_without_gymnasium_there_are_spaces_with_the_same_attributes():
    code = """
import sys
sys.modules["gymnasium"] = None
import sonde
assert "sonde.env" not in sys.modules
env = sonde.env.Env(sonde.Graph.random(4, seed=1).model)
assert sonde.env.gymnasium is None and repr(env.action_space).startswith("Discrete(")
assert env.action_space.contains(0) and not env.action_space.contains(-1)
two = sonde.env.MultiDiscrete([2, 3])
assert two.contains([1, 2]) and not two.contains([1, 3]) and two.shape == (2,)
assert len(sonde.simulate(env.model, 4, process=env).rewards) == 4
env.render(), env.close()
"""
    subprocess.run([sys.executable, "-c", code], check=True)


# ----------------------------------------------------------------------- an environment as world --

@pytest.mark.parametrize("real", [False, GYMNASIUM])
@pytest.mark.parametrize("kind", ["multi", "tuple", "dict", "nested"])
def test_spaces_are_taken_apart_in_order(model, real, kind):
    made = spaces(real)
    observed, shown = {
        "multi": (made.MultiDiscrete([4, 2]), np.array([3, 1])),
        "tuple": (made.Tuple([made.Discrete(4), made.Discrete(2, start=5)]), (3, 6)),
        "dict": (made.Dict({"a": made.Discrete(4), "b": made.Discrete(2)}), {"a": 3, "b": 1}),
        "nested": (made.Tuple([made.Dict({"x": made.Discrete(4)}), made.MultiDiscrete([2])]),
                   ({"x": 3}, np.array([1])))}[kind]
    acted = {"multi": made.MultiDiscrete([2, 3]),
             "tuple": made.Tuple([made.Discrete(2), made.Discrete(3, start=1)]),
             "dict": made.Dict({"u": made.Discrete(2), "v": made.Discrete(3)}),
             "nested": made.Tuple([made.MultiDiscrete([2]), made.Dict({"v": made.Discrete(3)})])}
    env = Standing(model, observed, acted[kind], shown)
    episode = sonde.simulate(model, 4, process=sonde.env.from_gymnasium(env), seed=7)
    assert env.seed == 7 and episode.outcomes.tolist() == [[3, 1]] * 4
    assert episode.rewards.tolist() == [0.5, 1.0, 1.5, 2.0]
    for action, taken in zip(episode.actions.tolist(), env.taken):
        u, v = {"multi": lambda: taken.tolist(), "tuple": lambda: (taken[0], taken[1] - 1),
                "dict": lambda: (taken["u"], taken["v"]),
                "nested": lambda: (taken[0][0], taken[1]["v"])}[kind]()
        assert [u, v] == action
        if real:
            assert acted[kind].contains(taken)


def test_what_is_seen_may_be_missing_uncertain_or_named(model):
    def observe(shown):
        return [[0.1, 0.2, 0.3, 0.4], None]

    env = Standing(model, None, None, "cloudy")
    world = sonde.env.from_gymnasium(env, observe=observe, act=lambda action: action)
    episode = sonde.simulate(model, 3, process=world)
    assert episode.outcomes.tolist() == [[-2, -1]] * 3
    assert env.taken == [tuple(action) for action in episode.actions.tolist()]
    agent = sonde.Agent(model)
    assert np.array_equal(agent.observe(observe("")), episode.beliefs[0])


def test_an_agent_in_an_environment_is_the_agent_on_its_own(model):
    env = Standing(model, None, None, [2, 0])
    world = sonde.env.from_gymnasium(env, observe=list, act=list)
    episode = sonde.simulate(model, 5, process=world, search="full", seed=3)
    agent = sonde.Agent(model, search="full", seed=3)
    assert [agent.step([2, 0]) for _ in range(5)] == [tuple(u) for u in episode.actions.tolist()]


def test_an_episode_ends_where_the_environment_does(model):
    made = spaces(False)
    env = Standing(model, made.MultiDiscrete([4, 2]), made.MultiDiscrete([2, 3]), [0, 0], ends=3)
    episode = sonde.simulate(model, 10, process=env)
    assert len(episode) == 3 == len(episode.rewards)
    assert episode.terminated and not episode.truncated
    assert not episode.knows_states and "an environment" in repr(episode)
    with pytest.raises(sonde.BadInput, match="does not tell them"):
        episode.states
    assert "path" not in episode.to_dict() and len(episode["steps"]) == 3
    assert "<table" in episode._repr_html_()
    if importlib.util.find_spec("matplotlib"):
        assert len(sonde.plot_path(episode).lines) == 1  # beliefs, and no places
    for again in (pickle.loads(pickle.dumps(episode)), copy.copy(episode)):
        assert np.array_equal(again.rewards, episode.rewards) and again.terminated
        assert not again.knows_states and np.array_equal(again.beliefs, episode.beliefs)


def test_a_graph_world_knows_its_states_from_what_is_seen():
    graph = sonde.Graph.random(5, seed=2)
    inner = sonde.env.Env(graph.model)

    class Hidden:
        observation_space, action_space = inner.observation_space, inner.action_space
        reset, step = inner.reset, inner.step

    lived = sonde.simulate(graph, 8, seed=4)
    episode = sonde.simulate(graph, 8, seed=4, process=Hidden())
    assert np.array_equal(episode.path, lived.path) and episode["optimal"] == lived["optimal"]


def test_what_does_not_fit_the_model_is_refused_with_the_way_out(model):
    made = spaces(False)
    good = made.MultiDiscrete([4, 2]), made.MultiDiscrete([2, 3])
    for observed, acted, words in [
            (made.Discrete(4), good[1], r"observation_space: expected \[4, 2\].*give observe="),
            (good[0], made.Discrete(2), r"action_space: expected \[2, 3\].*give act="),
            (made.Box(0, 1), good[1], "observation_space: expected Discrete.*found Box"),
            (good[0], made.Tuple([made.Box(0, 1)]), r"action_space\[0\]: .*found Box; give act=")]:
        with pytest.raises(sonde.BadInput, match=words):
            sonde.simulate(model, 3, process=Standing(model, observed, acted, [0, 0]))


def test_parts_of_ones_own_live_in_environments_and_other_worlds(model):
    def everything(space):
        yield np.arange(len(space))

    other = model.replace(D=[[0, 0, 1], [0, 1]])
    lives = [sonde.simulate(model, 6, seed=2, search=search, process=process)
             for search in (everything, "full") for process in (other, sonde.env.Env(other))]
    for life in lives[1:]:
        assert np.array_equal(life.states, lives[0].states)
        assert np.array_equal(life.actions, lives[0].actions)
    with pytest.raises(sonde.BadInput, match="process: expected"):
        sonde.simulate(model, 6, search=everything,
                       process=sonde.Model(**random_arrays(np.random.default_rng(1),
                                                           outcomes=(3, 2))))
