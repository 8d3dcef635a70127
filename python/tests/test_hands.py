"""What lies well in the hand: arrays as they come, numbers as numbers, settings where they are
needed, the command and pictures."""
import json
import subprocess
import sys

import numpy as np
import pytest
from conftest import ROOT, command, random_arrays

import sonde


@pytest.fixture
def parts():
    return random_arrays(np.random.default_rng(7))


def test_single_precision_is_normalised_within_1e_5(parts):
    rng = np.random.default_rng(1)
    single = {key: [x.astype(np.float32) for x in listed] for key, listed in parts.items()}
    # as much as sums of single precision are off, and more than the 1e-6 of doubles
    single["A"] = [a * np.float32(1 + 4e-6) for a in single["A"]]
    model = sonde.Model(**single)
    assert all(np.allclose(a.sum(axis=0), 1, atol=1e-12) for a in model.A)
    assert all(np.allclose(a, b, atol=1e-6) for a, b in zip(model.A, parts["A"]))
    sonde.Model(**{key: sonde.pymdp.objects(listed) for key, listed in single.items()})
    with pytest.raises(sonde.BadInput, match="A"):
        sonde.Model(**single | {"A": [a * np.float32(1 + 1e-4) for a in single["A"]]})
    with pytest.raises(sonde.BadInput, match="A"):  # doubles have to be closer
        sonde.Model(**single | {"A": [a * (1 + 4e-6) for a in parts["A"]]})
    belief = [rng.dirichlet(np.ones(n)).astype(np.float32) * np.float32(1 + 4e-6)
              for n in model.num_states]
    for given in (belief, np.concatenate(belief)):
        assert all(np.isclose(q.sum(), 1, atol=1e-12) for q in model.split(model.belief(given)))
    with pytest.raises(sonde.BadInput, match="sum"):
        model.belief([q.astype(float) for q in belief])


def test_nested_lists_mean_what_they_look_like():
    A, B = [[0.9, 0.2], [0.1, 0.8]], [[[1, 0], [0, 1]], [[0, 1], [1, 0]]]
    C, D = [0, 1], [0.5, 0.5]
    one = sonde.Model(A, B, C, D)
    same = sonde.Model([np.array(A)], [np.array(B, dtype=float)], [np.array(C)], [np.array(D)])
    assert (one.n_factor, one.n_modality) == (1, 1) and one.to_json() == same.to_json()
    assert sonde.Model([A], [B], [C], [D]).to_json() == same.to_json()
    assert sonde.pymdp.Agent(A, B, C, D).model.n_modality == 1
    # two modalities, or steps of one
    assert sonde.Model([A, A], B, [C, C], D).n_modality == 2
    steps = sonde.Model(A, B, [[0, 1], [2, 3]], D, horizon=2)
    assert steps.n_modality == 1 and steps.C[0].tolist() == [[0, 1], [2, 3]]
    # two factors
    both = sonde.Model([[[0.9, 0.2], [0.3, 0.5]], [[0.1, 0.8], [0.7, 0.5]]], [B, B])
    assert (both.n_factor, both.n_modality, both.A[0].shape) == (2, 1, (2, 2, 2))
    some = sonde.Model(A, [B, B], modalities=[{"factors": [1]}])
    assert (some.n_factor, some.n_modality) == (2, 1)


def test_cost_without_lambda_is_refused(parts):
    cost = [np.ones(4), np.ones(2)]
    with pytest.raises(sonde.BadInput, match="cost: counts nothing without lambda_"):
        sonde.Model(**parts, cost=cost)
    assert sonde.Model(**parts, cost=cost, lambda_=0).lambda_ == 0
    priced = sonde.Model(**parts, cost=cost, lambda_=2.0)
    assert priced.efe().cost.min() > 3
    document = priced.to_dict()
    assert sonde.Model.from_dict(document).lambda_ == 2
    del document["lambda"]  # as in a file, it is 0 then
    assert sonde.Model.from_dict(document).lambda_ == 0


def test_a_model_that_differs_in_what_is_given(tmaze, world):
    longer = tmaze.replace(horizon=5)
    assert longer.horizon == 5 and tmaze.horizon == 2 and longer.n_policy == 4**5
    assert all(map(np.array_equal, longer.A, tmaze.A)) and longer.name == tmaze.name
    other = tmaze.replace(gamma=3.0, preferences="utility", information="joint", lambda_=2.0)
    assert (other.gamma, other.preferences, other.information, other.lambda_) == (
        3, "utility", "joint", 2)
    assert tmaze.replace(D=[[1, 0, 0, 0], [0.3, 0.7]]).D[1].tolist() == [0.3, 0.7]
    assert tmaze.replace(name="maze", lambda_=3.0).lambda_ == 3
    model = world.model.replace(horizon=3, lambda_=1.0)
    assert model.horizon == 3 and model.lambda_ == 1 and model.graph.start == world.start
    assert world.replace(destination=0).destination == 0
    with pytest.raises(sonde.BadInput, match="preferences: concerns general models"):
        world.model.replace(preferences="log")


def test_the_horizon_is_given_where_the_command_takes_it(tmaze, world):
    path = ROOT / "examples/models/tmaze.json"
    plan = sonde.plan(tmaze, horizon=4)
    assert plan.best_policy.shape == (4, 2) and plan.policy_space == 256
    assert plan.best["efe"] == sonde.plan(path, horizon=4).best["efe"]
    assert f'"efe": {plan.best["efe"]}' in command("plan", path, "--horizon", 4, "--json")
    assert len(sonde.simulate(tmaze, 3, horizon=3)) == 3
    assert sonde.simulate(path, 2, horizon=3).model.horizon == 3
    assert sonde.Agent(tmaze, horizon=3).decide().best_policy.shape == (3, 2)
    assert sonde.plan(world, horizon=3, lambda_=1.0).model.lambda_ == 1
    assert sonde.plan(tmaze, horizon=2).model is tmaze


@pytest.mark.parametrize("package", ["pymdp", "pymdp-legacy", "spm"])
def test_what_like_returns_goes_to_plan_simulate_and_agent(tmaze, package):
    habits = sonde.like(package)
    plan, agent = sonde.plan(tmaze, **habits), sonde.Agent(tmaze, **habits)
    assert plan.model.preferences == habits["preferences"] == agent.model.preferences
    assert plan.model.information == habits["information"]
    assert plan["settings"]["action"] == habits["action"] == agent.settings["action"]
    assert plan["settings"]["gamma"] == habits["gamma"]
    assert sonde.simulate(tmaze, 2, **habits).model.preferences == habits["preferences"]
    text = command("plan", ROOT / "examples/models/tmaze.json", "--like", package, "--json")
    assert f'"efe": {plan.best["efe"]}' in text


@pytest.mark.parametrize("package", ["pymdp", "pymdp-legacy", "spm"])
def test_what_like_returns_of_closed_loop_is_what_the_command_sets(tmaze, package):
    habits = sonde.like(package, loop="closed")
    plan = sonde.plan(tmaze, **habits)
    assert plan.search == "pruned" and plan.certificate is None and habits["loop"] == "closed"
    said = json.loads(command("plan", ROOT / "examples/models/tmaze.json", "--loop", "closed",
                              "--like", package, "--json"))
    assert said["settings"] == plan["settings"]
    assert [a["p"] for a in said["first_actions"]] == list(plan.p)
    with pytest.raises(sonde.BadInput, match="loop: expected open or closed, found 'shut'"):
        sonde.like(package, loop="shut")


def test_a_graph_world_says_that_it_has_conventions_of_its_own(world):
    with pytest.raises(sonde.BadInput, match="preferences: concerns general models"):
        sonde.plan(world, **sonde.like("pymdp"))


def test_the_number_of_policies_is_an_int(tmaze, world):
    for model, n in ((tmaze, 16), (world, world.model.n_policy)):
        plan = sonde.plan(model)
        assert type(plan.policy_space) is int and plan.policy_space == plan["policy_space"] == n
    many = sonde.plan(tmaze, horizon=40)
    assert many.policy_space == 4**40 and type(many.to_dict()["policy_space"]) is int
    assert '"policy_space": "1.2089258196146292e+24"' in many.to_json()


def test_tv_and_gap_are_floats(tmaze, world):
    for model in (tmaze, world, sonde.Graph([(0, 1, 5.0), (1, 0, 5.0)], start=(1, 0))):
        for settings in ({}, {"budget": 4}):
            certificate = sonde.plan(model, **settings).certificate
            assert type(certificate["tv"]) is float
            assert certificate["gap"] is None or type(certificate["gap"]) is float


def test_the_package_is_the_command_too():
    ran = subprocess.run([sys.executable, "-m", "sonde", "--version"], capture_output=True,
                         text=True, check=True)
    assert ran.stdout == command("--version")
    assert subprocess.run([sys.executable, "-m", "sonde", "nothing"],
                          capture_output=True).returncode == 2


def test_a_path_is_drawn_with_names_beliefs_and_choices(tmaze):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    episode = sonde.simulate(tmaze, 4, search="full")
    ax = sonde.plot_path(episode)
    rows = [label.get_text() for label in ax.get_yticklabels()]
    assert rows == [name for f in tmaze.factors for name in f["states"]]
    assert np.array_equal(ax.images[0].get_array(), episode.beliefs.T)
    names = tmaze.factors[0]["actions"]
    for t, label in enumerate(ax.get_xticklabels()):
        assert label.get_text() == f"{t}\n{names[episode.actions[t, 0]]}"
    places = [line.get_ydata() for line in ax.lines if len(line.get_ydata()) == 5]
    assert np.array_equal(places[0], episode.states[:, 0])
    assert np.array_equal(places[1], episode.states[:, 1] + 4)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        f["name"] for f in tmaze.factors]
    matplotlib.pyplot.close("all")


def test_a_tie_is_never_certain_even_where_the_last_digit_differs():
    rng = np.random.default_rng(5)
    for _ in range(60):
        # two actions that do the same, but for rounding
        B = rng.random((3, 3, 1))
        B = np.concatenate([B / B.sum(axis=0), (B * 3) / (B * 3).sum(axis=0)], axis=2)
        A = rng.random((4, 3))
        model = sonde.Model(A / A.sum(axis=0), B, rng.normal(size=4), horizon=3)
        for search in ("bounded", "beam"):
            plan = sonde.plan(model, search=search, gamma=4.0)
            assert plan.certificate is None or plan.certificate["action_is_exact"] is False
            assert "the most probable action is certain" not in repr(plan)


def test_a_plan_does_not_call_a_drawn_action_certain(tmaze):
    for seed in range(1, 200):
        plan = sonde.plan(tmaze, gamma=0.05, epsilon=1e-9, seed=seed)
        chosen = plan.probabilities[plan.actions.tolist().index(plan.action["actions"])]
        if plan.certificate["action_is_exact"] and chosen < plan.probabilities.max():
            break
    else:
        pytest.fail("no seed drew another action than the most probable one")
    assert f"p {chosen:.4f}" in repr(plan)
    assert "the most probable action is certain" in repr(plan)
    assert "action is exact" not in repr(plan)


def test_a_certificate_is_the_same_sentence_in_python_and_in_the_command(tmaze):
    path = ROOT / "examples/models/grid.json"
    for options in ({}, {"budget": 40}, {"budget": 5}, {"epsilon": 0.5}):
        said = [line.removeprefix("  sure:   ").removesuffix(">")
                for line in repr(sonde.plan(path, **options)).splitlines()
                if line.startswith("  sure:")]
        words = [str(word) for key, value in options.items() for word in (f"--{key}", value)]
        assert f"sure:   {said[0]}\n" in command("plan", path, *words)
        assert ("stopped by its budget" in said[0]) == ("budget" in options)
        assert "within 1 of" not in said[0]
