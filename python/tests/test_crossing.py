"""What crosses over from pymdp: agents in lockstep on its own environments, and every argument of
its Agents, which works with equal numbers or is refused by name. The numbers are those of pymdp
1.0.4 and 0.0.7.1 (peers.py recorded them), and of the pymdp that can be imported, if one can."""
import importlib.util
import inspect
import json
import sys
import types
from pathlib import Path

import numpy as np
import peers
import pytest

import sonde
from sonde.pymdp import REFUSED, Agent

DATA = Path(__file__).parent / "data/pymdp"
WORLDS = json.loads((DATA / "worlds.json").read_text())
RECORDS = {path.stem: json.loads(path.read_text()) for path in sorted(DATA.glob("[01].*.json"))}
EACH = [(name, world) for name in RECORDS for world in WORLDS]

#: values that ask pymdp's Agents for what Sonde does not do
ASKED = {
    "H": [np.ones(2)], "I": [np.ones(2)], "B_action_dependencies": [[0, 1], [1]],
    "inference_params": {"num_iter": 3},
    "inference_horizon": 3, "num_iter": 4, "batch_size": 2, "preprocess_fn": len,
    "learning_mode": "offline", "use_BMA": False, "inductive_depth": 2,
    "inductive_threshold": 0.2, "inductive_epsilon": 0.1, "ii_depth": 3, "ii_threshold": 0.5,
    "si_horizon": 2, "si_policy_prune_threshold": 0.5, "si_state_prune_threshold": 0.5,
    "si_prune_penalty": 1, **{f"learn_{letter}": True for letter in "ABCDE"},
    "use_inductive": True, "sophisticated": True,
    "policy_sep_prior": True,
}
#: what agents learn from, which test_learning.py tries on recorded runs
LEARNED = {"pA", "pB", "pD", "lr_pA", "lr_pB", "lr_pD", "modalities_to_learn", "factors_to_learn",
           "use_param_info_gain"}


def ours(package, world, **given):
    """Sonde's agent with pymdp's arguments."""
    if package == "pymdp":
        parts = peers.arrays(world)
        given = {key: world[key] for key in ("A_dependencies", "B_dependencies")} | given
    else:
        parts = peers.whole(world)
    return Agent(**parts, like=package, **{"policy_len": world["policy_len"]} | given)


def in_lockstep(agent, steps, package):
    """Sonde's agent sees what pymdp's saw, goes on from its own beliefs, and does what it did."""
    near = 1e-5 if package == "pymdp" else 1e-6
    for step in steps:
        qs = agent.infer_states(step["outcome"])
        for found, expected in zip(qs, step["qs"], strict=True):
            assert np.abs(found - expected).max() < near
        q_pi, neg_efe = agent.infer_policies()
        expected, size = np.array(step["neg_efe"]), 1 + np.abs(step["neg_efe"])
        assert len(neg_efe) == len(expected)
        assert (np.abs(neg_efe - expected) / size).max() < 2e-5
        assert np.abs(q_pi - step["q_pi"]).max() < (1e-5 if package == "pymdp" else 1e-4)
        action = agent.sample_action().tolist()
        if agent.action_selection == "deterministic" and sure(agent, q_pi, action, step["action"]):
            assert action == step["action"]
        agent.action = step["action"]


def sure(agent, q_pi, action, other):
    """Whether two actions are not as good as each other, to what single precision knows."""
    listed = np.stack(agent.policies)[:, 0]
    if agent.sampling_mode == "full":
        best = [q_pi[(listed == u).all(axis=1)].max() for u in (action, other)]
        return abs(best[0] - best[1]) > 1e-5
    return all(abs(q_pi[listed[:, f] == u].sum() - q_pi[listed[:, f] == v].sum()) > 1e-5
               for f, (u, v) in enumerate(zip(action, other)) if u != v)


@pytest.mark.parametrize("release, world", EACH)
def test_an_agent_lives_thirty_steps_in_lockstep_with_pymdps(release, world):
    record = RECORDS[release]
    assert len(record["trial"][world]) == peers.N_STEP
    in_lockstep(ours(record["package"], WORLDS[world]), record["trial"][world], record["package"])


@pytest.mark.parametrize("release", RECORDS)
def test_every_argument_of_pymdps_agents_works_or_is_refused_by_name(release):
    walk(RECORDS[release]["arguments"], RECORDS[release])


def walk(arguments, record):
    """Every argument is taken with equal numbers, or refused with a sentence that names it."""
    package, world = record["package"], peers.random_world()
    for name in arguments:
        if name in ("A", "B", "D") or name in LEARNED:  # are in each of them, or elsewhere
            continue
        if name in ("A_dependencies", "B_dependencies"):
            in_lockstep(ours(package, peers.partial_world()), record["taken"][name], package)
        elif name in peers.taken(package):
            given = peers.taken(package)[name]
            assert name in given or name == "C"
            in_lockstep(ours(package, world, **given), record["taken"][name], package)
        else:
            assert not _is_usual(REFUSED[name][1], ASKED[name])
            with pytest.raises(NotImplementedError, match=f"^{name}=.* is not supported: ."):
                ours(package, world, **{name: ASKED[name]})
            ours(package, world, **{name: usual(name, package)})


def _is_usual(values, value):
    return any(value is one or type(value) is type(one) and value == one for one in values)


def usual(name, package):
    """pymdp's default, which asks for nothing."""
    values = REFUSED[name][1]
    return values[1] if name == "inference_horizon" and package == "pymdp-legacy" else values[0]


def test_every_argument_of_the_legacy_agent_inside_pymdp_1_works_or_is_refused_by_name():
    inside, record = RECORDS["1.0.4"]["inside"], RECORDS["0.0.7.1"]
    lists = ["A_factor_list", "B_factor_list"]
    walk([name for name in inside["arguments"] if name not in lists], record)
    assert set(lists) < set(inside["arguments"]) and set(record["arguments"]) < set(
        inside["arguments"])
    agent = Agent(**peers.arrays(peers.partial_world()), policy_len=2, **peers.factor_lists(),
                  information="per-modality")
    in_lockstep(agent, inside["steps"], "pymdp-legacy")


@pytest.mark.parametrize("name", ["inference_algo"])
def test_other_ways_to_infer_are_refused_by_name(name):
    for package, value in (("pymdp", "mmp"), ("pymdp", "vmp"), ("pymdp", "ovf"),
                           ("pymdp", "exact"), ("pymdp-legacy", "MMP"), ("pymdp-legacy", "fpi")):
        with pytest.raises(NotImplementedError, match=f"inference_algo='{value}'"):
            ours(package, peers.random_world(), inference_algo=value)


def test_arguments_of_the_other_package_are_refused_by_name():
    world = peers.random_world()
    of = {key: set(RECORDS[release]["arguments"])
          for key, release in (("pymdp", "1.0.4"), ("pymdp-legacy", "0.0.7.1"))}
    of["pymdp-legacy"] |= set(RECORDS["1.0.4"]["inside"]["arguments"])
    for package, other in (("pymdp", "pymdp-legacy"), ("pymdp-legacy", "pymdp")):
        assert len(of[other] - of[package]) > 10
        for name in of[other] - of[package]:
            value = usual(name, other) if name in REFUSED else None
            with pytest.raises(TypeError, match=f"{name} is an argument of .* like='{other}'"):
                ours(package, world, **{name: value})
    with pytest.raises(sonde.BadInput, match="like: expected pymdp or pymdp-legacy"):
        ours("spm", world)


def test_the_table_of_refusals_is_of_arguments_that_there_are():
    named = {name for record in (*RECORDS.values(), RECORDS["1.0.4"]["inside"])
             for name in record["arguments"]}
    assert set(REFUSED) == set(ASKED) and set(REFUSED) <= named
    assert not set(REFUSED) & set(inspect.signature(Agent.__init__).parameters)


def test_a_batch_axis_of_one_agent_is_dropped():
    world = peers.random_world()
    parts = peers.arrays(world)
    batched = {key: [one[None] for one in listed] for key, listed in parts.items()}
    one, other = (Agent(**arrays, like="pymdp", policy_len=2) for arrays in (parts, batched))
    assert np.array_equal(one.infer_policies()[1], other.infer_policies()[1])
    two = {key: [np.stack([one, one]) for one in listed] for key, listed in parts.items()}
    with pytest.raises(sonde.BadInput, match="A|B"):
        Agent(**two, like="pymdp")


def test_without_preferences_all_outcomes_are_as_good():
    world = peers.random_world()
    parts = peers.arrays(world) | {"C": None}
    new, legacy = (Agent(**parts, like=like) for like in ("pymdp", "pymdp-legacy"))
    assert np.allclose(new.C[0], 0.25) and np.allclose(legacy.C[0], 0)


def new_agent(world, **more):
    """What an agent of pymdp 1.0 looks like to the plug-in."""
    parts = {key: [one[None] for one in listed] for key, listed in peers.arrays(world).items()}
    given = {"use_utility": True, "use_states_info_gain": True, "alpha": np.ones(1), "H": None,
             "gamma": np.ones(1), "E": None, "action_selection": "deterministic", "pA": None,
             "sampling_mode": "full", "inference_algo": "fpi", "num_iter": 16, "I": [np.zeros(1)],
             "inductive_threshold": np.array([0.1]), "policies": np.array(peers.EVERY)}
    return types.SimpleNamespace(**parts, A_dependencies=world["A_dependencies"],
                                 B_dependencies=world["B_dependencies"], **given | more)


@pytest.fixture
def jax(monkeypatch):
    """What the plug-in needs of JAX, where it is not installed."""
    if importlib.util.find_spec("jax") is None:
        made = types.ModuleType("jax")
        made.numpy, made.pure_callback = np, lambda function, _, *given: function(*given)
        made.ShapeDtypeStruct = lambda shape, dtype: types.SimpleNamespace(shape=shape, dtype=dtype)
        monkeypatch.setitem(sys.modules, "jax", made)
        monkeypatch.setitem(sys.modules, "jax.numpy", np)


@pytest.mark.parametrize("name", ["C", "use_utility", "use_states_info_gain", "gamma", "E"])
def test_the_plug_in_leaves_out_what_the_agent_leaves_out(jax, name):
    world, given = peers.random_world(), dict(peers.TAKEN[name])
    if name in ("gamma", "E"):
        given[name] = np.array([given[name]])
    for step in RECORDS["1.0.4"]["taken"][name]:
        q_pi, info = sonde.policy_search(
            new_agent(world, **given), [np.array(q, np.float32)[None, None] for q in step["qs"]])
        assert np.abs(np.asarray(q_pi)[0] - step["q_pi"]).max() < 1e-5
        assert np.abs(np.asarray(info["neg_efe"])[0] - step["neg_efe"]).max() < 1e-4


@pytest.mark.parametrize("name", ["use_param_info_gain", "use_inductive", "learn_A", "learn_B"])
def test_the_plug_in_refuses_by_name_what_sonde_does_not_score(name):
    agent = new_agent(peers.random_world(), **{name: True})
    with pytest.raises(NotImplementedError, match=f"{name}=True is not supported: ."):
        sonde.policy_search(agent, [np.array(d)[None] for d in agent.D])


live = pytest.mark.skipif(peers.installed() is None, reason="pymdp is not installed")


@live
@pytest.mark.parametrize("world", WORLDS)
def test_an_agent_lives_in_lockstep_with_the_pymdp_that_is_installed(world):
    kind = peers.peer()
    steps = peers.live(kind(WORLDS[world]), WORLDS[world], 8, 3)
    in_lockstep(ours(kind.name, WORLDS[world]), steps, kind.name)


@live
def test_every_argument_of_the_pymdp_that_is_installed_works_or_is_refused():
    from pymdp.agent import Agent as Theirs

    record = next(one for one in RECORDS.values() if one["package"] == peers.peer().name)
    walk([name for name in inspect.signature(Theirs.__init__).parameters if name != "self"], record)
