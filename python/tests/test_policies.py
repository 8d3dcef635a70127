"""Policies of planning without a horizon: saved, read back and used, as the command does it."""
import copy
import gzip
import json
import math
import pickle

import numpy as np
import pytest
from conftest import command, timeless

import sonde

#: what SARSOP writes for its own Tiger
SARSOP = """<?xml version="1.0" encoding="ISO-8859-1"?>
<Policy version="0.1" type="value" model="Tiger.pomdpx">
<AlphaVector vectorLength="2" numObsValue="1" numVectors="5">
<Vector action="1" obsValue="0">-81.5975 28.4025 </Vector>
<Vector action="0" obsValue="0">3.01448 24.6954 </Vector>
<Vector action="0" obsValue="0">24.6954 3.01452 </Vector>
<Vector action="2" obsValue="0">28.4025 -81.5975 </Vector>
<Vector action="0" obsValue="0">19.3711 19.3711 </Vector>
</AlphaVector> </Policy>
"""
ENDLESS = {"loop": "closed", "horizon": "inf", "backup": "min"}
OPTIONS = "--loop", "closed", "--horizon", "inf", "--backup", "min"


@pytest.fixture
def tiger(tmp_path):
    path = tmp_path / "tiger.json"
    command("model", "--make", "tiger", "-o", path)
    return path


@pytest.mark.parametrize("name", ["found.json", "found.policy"])
def test_policies_are_the_bytes_of_the_command(tiger, tmp_path, name):
    (tmp_path / "theirs").mkdir()
    theirs, ours = tmp_path / "theirs" / name, tmp_path / name
    command("plan", tiger, *OPTIONS, "--gap", "1e-3", "--save-policy", theirs)
    plan = sonde.plan(tiger, gap=1e-3, **ENDLESS)
    plan.save_policy(ours)
    assert ours.read_bytes() == theirs.read_bytes()
    agent = sonde.Agent(tiger, gap=1e-3, **ENDLESS)
    agent.decide()
    agent.save_policy(ours)
    assert ours.read_bytes() == theirs.read_bytes()
    format = "sarsop" if name.endswith(".policy") else "sonde-policy"
    assert plan.policy(format) == agent.policy(format) == sonde.Policy.from_file(theirs)


def test_a_policy_is_used_as_the_command_uses_it(tiger, tmp_path):
    path = tmp_path / "found.json"
    sonde.plan(tiger, gap=1e-3, **ENDLESS).save_policy(path)
    for verb, words in ("plan", ()), ("simulate", ("--steps", "6")):
        theirs = command(verb, tiger, *OPTIONS, *words, "--use-policy", path, "--budget", "1",
                         "--json")
        for policy in path, str(path), sonde.Policy.from_file(path):
            ours = (sonde.plan(tiger, policy=policy, budget=1, **ENDLESS) if verb == "plan" else
                    sonde.simulate(tiger, 6, policy=policy, budget=1, **ENDLESS))
            assert timeless(ours.to_json()) == timeless(theirs)
    agent = sonde.Agent(tiger, policy=path, budget=1, **ENDLESS)
    assert timeless(agent.decide().to_json())["value"] == timeless(
        sonde.plan(tiger, policy=path, budget=1, **ENDLESS).to_json())["value"]


def test_with_a_policy_one_step_is_enough(tiger):
    found = sonde.plan(tiger, gap=1e-3, **ENDLESS)
    known = sonde.plan(tiger, policy=found.policy(), budget=1, gap=1e-6, **ENDLESS)
    fresh = sonde.plan(tiger, budget=1, gap=1e-6, **ENDLESS)
    assert np.diff(known.value) < 0.1 < np.diff(fresh.value)
    assert known.value[0] - 1e-4 <= -19.3713 <= known.value[1] + 1e-3
    assert known.evaluations["beliefs"] == 1


def test_sarsops_are_read_and_written(tiger, tmp_path):
    path = tmp_path / "its.policy"
    path.write_text(SARSOP)
    policy = sonde.Policy.from_file(path)
    assert policy.format == "sarsop" and policy.n_vectors == 5 and policy.n_points == 0
    assert policy.backup == "min" and math.isnan(policy.discount) and math.isnan(policy.gamma)
    assert policy.document == SARSOP and "sarsop" in repr(policy)
    high = sonde.plan(tiger, policy=path, budget=1, gap=1e-6, **ENDLESS).value[1]
    assert high == pytest.approx(-19.3709, abs=2e-3)
    own = sonde.plan(tiger, gap=1e-3, **ENDLESS).policy("sarsop")
    assert own.format == "sarsop" and own.n_vectors >= 5 and "<AlphaVector" in own.document
    with pytest.raises(sonde.BadInput, match="rewards alone"):
        sonde.plan(tiger, gap=1, information="joint", **ENDLESS).policy("sarsop")
    with pytest.raises(sonde.BadInput, match="information off"):
        sonde.plan(tiger, policy=path, information="joint", **ENDLESS)


def test_a_policy_says_what_it_is_and_is_copied(tiger, tmp_path):
    policy = sonde.plan(tiger, gap=1e-3, **ENDLESS).policy()
    said = json.loads(policy.document)
    assert policy.format == said["format"] == "sonde-policy"
    assert policy.backup == "min" and policy.discount == 0.95 and policy.gamma == said["gamma"]
    assert policy.n_vectors == len(said["upper"]["rows"]) > 0
    assert policy.n_points == len(said["lower"]["rows"]) > 0
    assert f"{policy.n_vectors:,} vectors" in repr(policy) and "discount 0.95" in repr(policy)
    for other in pickle.loads(pickle.dumps(policy)), copy.deepcopy(policy), sonde.Policy(
            policy.document):
        assert other == policy and hash(other) == hash(policy)
    assert policy != sonde.Policy(SARSOP)
    packed = tmp_path / "found.json.gz"
    packed.write_bytes(gzip.compress(policy.document.encode()))
    assert sonde.Policy.from_file(packed) == policy


def test_an_agent_with_a_policy_is_pickled_with_it(tiger):
    policy = sonde.plan(tiger, gap=1e-3, **ENDLESS).policy()
    agent = sonde.Agent(tiger, policy=policy, budget=1, **ENDLESS)
    agent.step([0])
    other = pickle.loads(pickle.dumps(agent))
    for seen in [0], [0], [1], [0]:
        agent.observe(seen), other.observe(seen)
        assert timeless(agent.decide().to_json()) == timeless(other.decide().to_json())
        assert agent.act() == other.act()


def test_many_are_simulated_with_policies(tiger, tmp_path):
    path = tmp_path / "found.json"
    sonde.plan(tiger, gap=1e-3, **ENDLESS).save_policy(path)
    runs = sonde.simulate_many(tiger, 2, 3, policy=[None, str(path)], budget=1, **ENDLESS)
    assert len(runs) == 4 and not runs.errors
    assert runs.columns()["policy"] == [None, None, str(path), str(path)]
    for i, policy in enumerate((None, path)):
        for seed in 1, 2:
            one = sonde.simulate(tiger, 3, policy=policy, budget=1, seed=seed, **ENDLESS)
            assert timeless(runs[2 * i + seed - 1].to_json()) == timeless(one.to_json())


def test_what_is_no_policy_is_told(tiger, tmp_path):
    policy = sonde.plan(tiger, gap=1, **ENDLESS).policy()
    with pytest.raises(sonde.NoFile, match="nowhere"):
        sonde.plan(tiger, policy=tmp_path / "nowhere", **ENDLESS)
    with pytest.raises(TypeError, match="sonde.Policy"):
        sonde.plan(tiger, policy=3, **ENDLESS)
    with pytest.raises(sonde.BadInput, match="line"):
        sonde.Policy("{")
    with pytest.raises(sonde.BadInput, match="AlphaVector"):
        sonde.Policy("<Policy/>")
    with pytest.raises(sonde.NotWritten, match="nowhere"):
        policy.save(tmp_path / "nowhere" / "found.json")
    with pytest.raises(sonde.BadInput, match="sonde-policy or sarsop"):
        sonde.plan(tiger, gap=1, **ENDLESS).policy("xml")
    with pytest.raises(sonde.BadInput, match="horizon inf"):
        sonde.plan(tiger, policy=policy, loop="closed", horizon=3)
    with pytest.raises(sonde.BadInput, match="loop closed and horizon inf"):
        sonde.plan(sonde.make("t-maze"), policy=policy)
    with pytest.raises(sonde.BadInput, match="another model"):
        sonde.plan(sonde.make("frozenlake"), policy=policy, discount=0.95, **ENDLESS)
    with pytest.raises(sonde.BadInput, match="choose the same"):
        sonde.plan(tiger, policy=policy, discount=0.9, **ENDLESS)
    with pytest.raises(sonde.BadInput, match="without a horizon"):
        sonde.plan(tiger, loop="closed", horizon=3).policy()
    with pytest.raises(sonde.BadInput, match="closed loop"):
        sonde.plan(sonde.make("t-maze")).policy()
    with pytest.raises(sonde.BadInput, match="ask the plan itself"):
        pickle.loads(pickle.dumps(sonde.plan(tiger, gap=1, **ENDLESS))).policy()
    with pytest.raises(sonde.BadInput, match="after a decision"):
        sonde.Agent(tiger, **ENDLESS).policy()


# ---------------------------------------------------------------------------------- action_prior --

def test_a_prior_of_actions_is_as_if_the_model_had_it(tmp_path):
    maze, prior, path = sonde.make("t-maze"), [1, 3, 0, 4], tmp_path / "prior.txt"
    document = tmp_path / "maze.json"
    maze.save(document)
    np.savetxt(path, prior)
    for more in {}, {"backup": "average"}, {"search": "pruned", "pruning": "spm"}, {
            "search": "full", "belief_kind": "factorised"}, {"horizon": "inf", "discount": .8}:
        told = sonde.plan(maze, loop="closed", action_prior=prior, **more)
        own = sonde.plan(maze.replace(action_prior=prior), loop="closed", **more)
        plain = sonde.plan(maze, loop="closed", **more)
        assert timeless(told.to_json()) == timeless(own.to_json())
        assert told.p.tolist() != plain.p.tolist()
    theirs = command("plan", document, "--loop", "closed", "--action-prior", path, "--json")
    ours = sonde.plan(document, loop="closed", action_prior=prior)
    assert timeless(theirs) == timeless(ours.to_json())
    agent = sonde.Agent(maze, loop="closed", action_prior=np.array(prior, np.float32))
    assert agent.decide().p.tolist() == ours.p.tolist()
    assert pickle.loads(pickle.dumps(agent)).decide().p.tolist() == ours.p.tolist()
    runs = sonde.simulate_many(maze, 2, 3, loop="closed", action_prior=prior)
    one = sonde.simulate(maze, 3, loop="closed", action_prior=prior, seed=2)
    assert timeless(runs[1].to_json()) == timeless(one.to_json())


@pytest.mark.parametrize("prior, said", [
    ([1, 2], "expected 4 numbers"), ([1, 2, -3, 4], "action_prior.2.: expected a number"),
    ([0, 0, 0, 0], "more than 0"), (["a"], "array of numbers"), ([1, 2, np.nan, 4], "found")])
def test_what_is_no_prior_is_told(prior, said):
    with pytest.raises(sonde.BadInput, match=said):
        sonde.plan(sonde.make("t-maze"), loop="closed", action_prior=prior)


def test_open_loop_has_no_prior_of_actions():
    maze = sonde.make("t-maze")
    with pytest.raises(sonde.BadInput, match="action_prior: is of closed loop"):
        sonde.plan(maze, action_prior=[1, 1, 1, 1])
    with pytest.warns(UserWarning, match="takes no notice of the model's action_prior"):
        sonde.plan(maze.replace(action_prior=[1, 3, 0, 4]))
    for verb in sonde.Agent, sonde.simulate:
        with pytest.warns(UserWarning, match="takes no notice"):
            verb(maze.replace(action_prior=[1, 3, 0, 4]))
