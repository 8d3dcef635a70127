"""pymdp's agents and SPM's structures become models; what needs packages from PyPI is skipped
without them."""
import pickle
import types

import numpy as np
import pytest
from conftest import POMDPS, arrays, model_of, pomdp, random_arrays

import sonde


@pytest.fixture(params=POMDPS, ids=lambda path: path.stem)
def fixture(request):
    return pomdp(request.param)


CHOOSES = {"alpha": 16.0, "action_selection": "deterministic", "sampling_mode": "marginal",
           "use_utility": True, "use_states_info_gain": True}


def legacy(fixture, **more):
    """What a legacy agent of pymdp looks like from outside."""
    n = len(fixture["B"])
    return types.SimpleNamespace(
        A=fixture["A"], B=fixture["B"], C=fixture["C"], D=fixture["qs"], gamma=16.0, **CHOOSES,
        policies=[np.array(policy) for policy in fixture["policies"]],
        E=np.full(len(fixture["policies"]), 1 / len(fixture["policies"])),
        A_factor_list=[list(range(n))] * len(fixture["A"]),
        B_factor_list=[[f] for f in range(n)], **more)


def test_a_legacy_agent_becomes_a_model(fixture):
    model = sonde.from_pymdp(legacy(fixture))
    assert model.gamma == 16 and model.n_policy == len(fixture["policies"])
    assert model.E is None and "policy" in model._fields and model._fields["policies"] == "all"
    expected = model_of(fixture, information=sonde.like("pymdp-legacy")["information"])
    assert np.array_equal(model.efe().efe, expected.efe().efe)


def test_a_list_of_policies_stays_a_list(fixture):
    agent = legacy(fixture)
    agent.policies = agent.policies[3:9]
    agent.E = np.arange(1.0, 7.0)
    model = sonde.from_pymdp(agent)
    assert np.array_equal(model.policies(), np.stack(agent.policies))
    assert np.allclose(model.E, agent.E / agent.E.sum())


def test_a_new_agent_becomes_a_model(fixture):
    batched = {key: [np.stack([x, x]).astype(np.float32) for x in fixture[name]]
               for key, name in (("A", "A"), ("B", "B"), ("C", "C"), ("D", "qs"))}
    old = legacy(fixture)
    agent = types.SimpleNamespace(
        **batched, A_dependencies=old.A_factor_list, B_dependencies=old.B_factor_list,
        policies=types.SimpleNamespace(policy_arr=np.stack(old.policies)), E=None,
        gamma=np.array([1.0, 4.0]), **CHOOSES)
    model = sonde.from_pymdp(agent, batch=1)
    assert model.gamma == 4 and model.preferences == sonde.like("pymdp")["preferences"]
    assert np.allclose(-model.efe().efe, fixture["neg_efe_per_modality_linear_C"], atol=1e-4)


@pytest.mark.parametrize("name", ["use_param_info_gain", "use_inductive", "sophisticated"])
def test_what_sonde_does_not_score_is_refused(fixture, name):
    with pytest.raises(NotImplementedError, match=name):
        sonde.from_pymdp(legacy(fixture, **{name: True}))


def test_what_an_agent_chooses_by_comes_with_its_model(fixture):
    """alpha, action_selection and sampling_mode, in plan, simulate and both Agents."""
    ways = {("stochastic", "marginal"): {"action": "marginal", "per_factor": True, "alpha": 2.0},
            ("deterministic", "marginal"): {"action": "deterministic", "per_factor": True},
            ("deterministic", "full"): {"action": "best", "per_factor": False},
            ("stochastic", "full"): {"action": "full", "search": "full"}}
    for (selection, mode), expected in ways.items():
        agent = legacy(fixture)
        agent.alpha, agent.action_selection, agent.sampling_mode = 2.0, selection, mode
        if expected["action"] == "full":
            with pytest.raises(NotImplementedError, match="alpha=2.0 with sampling_mode full"):
                sonde.from_pymdp(agent)
            agent.alpha = 1.0
        model = sonde.from_pymdp(agent)
        assert expected.items() <= model.settings.items()
        for settled in (sonde.plan(model)["settings"], sonde.Agent(model).settings,
                        sonde.simulate(model, 1)["settings"], sonde.plan(
                            pickle.loads(pickle.dumps(model)))["settings"]):
            assert {key: settled[key] for key in expected} == expected
        ours = sonde.pymdp.Agent(model=model)
        assert (ours.action_selection, ours.sampling_mode) == (selection, mode)
        assert "alpha" not in expected or ours.alpha == 2
        assert sonde.plan(model, action="deterministic",
                          alpha=None)["settings"]["action"] == "deterministic"


@pytest.mark.parametrize("given", [
    {"learn_A": True}, {"learn_B": True}, {"learn_C": True}, {"learn_D": True}, {"learn_E": True},
    {"inference_algo": "mmp"}, {"inference_algo": "vmp"}, {"num_iter": 3}, {"use_inductive": True},
    {"use_param_info_gain": True}, {"preprocess_fn": len}, {"action_maps": [{}]}], ids=str)
def test_new_agents_that_do_what_sonde_does_not_are_refused_by_name(fixture, given):
    old = legacy(fixture)
    parts = {key: [np.asarray(x)[None] for x in getattr(old, key)] for key in "ABCD"}
    agent = types.SimpleNamespace(
        **parts, A_dependencies=old.A_factor_list, B_dependencies=old.B_factor_list,
        policies=np.stack(old.policies), E=None, gamma=np.array([1.0]), pA=None, I=[0], H=None,
        batch_size=1, num_iter=16, **CHOOSES)
    agent.inference_algo = "fpi"
    assert sonde.from_pymdp(agent).n_policy == len(old.policies)
    vars(agent).update(given)
    name = {"action_maps": "B_action_dependencies"}.get(next(iter(given)), next(iter(given)))
    with pytest.raises(NotImplementedError, match=name):
        sonde.from_pymdp(agent)


@pytest.mark.parametrize("name", ["pA", "pB", "pD"])
def test_legacy_agents_that_learn_are_refused_by_name(fixture, name):
    with pytest.raises(NotImplementedError, match=f"{name}=.*make sonde.pymdp.Agent"):
        sonde.from_pymdp(legacy(fixture, **{name: fixture["A"]}))


def test_pymdps_own_agents_agree():
    pytest.importorskip("jax")
    agents = pytest.importorskip("pymdp.agent")
    parts = random_arrays(np.random.default_rng(3))
    agent = agents.Agent(**parts, policy_len=2, gamma=4.0)
    qs = [x[:, None] for x in agent.D]
    theirs, neg_efe = agent.infer_policies(qs)
    ours, info = sonde.policy_search(agent, qs, None)
    assert np.allclose(ours, theirs, atol=1e-4) and np.allclose(info["neg_efe"], neg_efe, atol=1e-4)
    jitted, _ = pytest.importorskip("equinox").filter_jit(sonde.policy_search)(agent, qs, None)
    assert np.allclose(jitted, ours, atol=1e-6)


# ------------------------------------------------------------------------------------------ SPM --

def structure(fixture, **more):
    """An MDP structure with cells, 1-based policies, and the types that MATLAB likes."""
    def cells(listed):
        made = np.empty((1, len(listed)), dtype=object)
        for i, one in enumerate(listed):
            made[0, i] = one
        return made

    policies = np.array(fixture["policies"]).transpose(1, 0, 2) + 1
    return {"A": cells(fixture["A"]), "B": cells(fixture["B"]),
            "C": cells([c[:, None] for c in fixture["C"]]),
            "D": cells([q[:, None] for q in fixture["qs"]]), "V": policies.astype(np.uint8),
            "T": float(policies.shape[0] + 1), **more}


def saved(tmp_path, mdp, name="MDP"):
    scipy_io = pytest.importorskip("scipy.io")
    scipy_io.savemat(tmp_path / "MDP.mat", {name: mdp})
    return tmp_path / "MDP.mat"


def test_a_structure_of_spm_becomes_a_model(fixture, tmp_path):
    model = sonde.from_spm(saved(tmp_path, structure(fixture)))
    assert np.array_equal(model.policies(), fixture["policies"])
    information = sonde.like("spm")["information"]
    expected = model_of(fixture, information=information)
    assert np.allclose(model.efe().efe, expected.efe().efe, atol=1e-9)


def test_logical_and_sparse_arrays_of_spm(tmp_path):
    scipy_sparse = pytest.importorskip("scipy.sparse")
    B = np.stack([np.eye(3), np.roll(np.eye(3), 1, axis=0)], axis=-1)
    mdp = {"A": scipy_sparse.csc_matrix(np.eye(3)), "B": B.astype(bool),
           "C": np.array([[0, 0, 0], [0, 1, 2], [0, 0, 3.0]]), "D": np.array([[1], [0], [0]]),
           "U": np.array([[1, 2]]), "T": 3.0}
    model = sonde.from_spm(saved(tmp_path, mdp, "mdp"))
    assert model.horizon == 2 and model.n_policy == 4
    assert np.array_equal(model.B[0], B)
    assert np.array_equal(model.C[0], [[0, 1, 0], [0, 2, 3]])


def test_counts_of_spm_are_normalised(tmp_path):
    mdp = {"a": np.eye(2) * 128, "B": np.eye(2)[:, :, None].repeat(2, axis=2) * 2,
           "d": np.array([[3.0], [1.0]]), "V": np.array([[1, 2], [2, 1]], dtype=np.uint8)}
    model = sonde.from_spm(saved(tmp_path, mdp))
    assert model.D[0].tolist() == [0.75, 0.25] and model.horizon == 2
    assert np.array_equal(model.A[0], np.eye(2))


def test_what_is_the_agents_is_taken_where_spm_has_the_worlds_besides(tmp_path):
    B = np.eye(2)[:, :, None].repeat(2, axis=2)
    mdp = {"A": np.eye(2), "a": np.array([[3.0, 1.0], [1.0, 1.0]]), "B": B,
           "b": B + 0.25, "D": np.array([[1.0], [0.0]]), "d": np.array([[1.0], [3.0]]),
           "V": np.array([[1, 2]]), "E": np.array([[1.0], [1.0]]), "e": np.array([[3.0], [1.0]])}
    model = sonde.from_spm(saved(tmp_path, mdp))
    assert np.allclose(model.A[0], [[0.75, 0.5], [0.25, 0.5]])
    assert np.allclose(model.B[0][:, :, 0], [[1.25 / 1.5, 0.25 / 1.5], [0.25 / 1.5, 1.25 / 1.5]])
    assert model.D[0].tolist() == [0.25, 0.75] and model.E.tolist() == [0.75, 0.25]
    world = sonde.from_spm(saved(tmp_path, mdp), process=True)
    assert np.array_equal(world.A[0], np.eye(2)) and world.D[0].tolist() == [1.0, 0.0]


def test_counts_of_spm_are_learned(tmp_path):
    B = np.stack([np.eye(2), np.eye(2)[::-1]], axis=-1)
    mdp = {"a": np.array([[3.0, 1.0], [1.0, 1.0]]), "b": B + 0.25, "c": np.array([[2.0], [1.0]]),
           "d": np.array([[1.0], [3.0]]), "V": np.array([[1, 2]]), "e": np.array([[3.0], [1.0]])}
    agent = sonde.Agent(sonde.from_spm(saved(tmp_path, mdp)), learn={"when": "episode", "steps": 4})
    np.testing.assert_array_equal(agent.counts["A"][0], mdp["a"])
    np.testing.assert_array_equal(agent.counts["E"][0], [3, 1])
    for outcome in (0, 1, 1):
        agent.step([outcome])
    agent.end()
    added = {letter: learned[0]["added"] for letter, learned in agent.learned.items()}
    assert added == pytest.approx({"A": 3, "B": 2, "C": 3, "D": 1, "E": 1})


def test_beta_and_alpha_of_spm_count(tmp_path):
    mdp = {"A": np.eye(2), "B": np.stack([np.eye(2), np.eye(2)[::-1]], axis=-1),
           "C": np.array([[0.0], [1.0]]), "D": np.array([[0.6], [0.4]])}
    usual = sonde.from_spm(saved(tmp_path, mdp))
    assert usual.gamma == 1 and usual.settings == {"action": "marginal", "alpha": 512.0}
    model = sonde.from_spm(saved(tmp_path, mdp | {"beta": 0.25, "alpha": 2.0}))
    assert model.gamma == 4 and model.settings["alpha"] == 2
    plan = sonde.plan(model)
    p = plan.probabilities
    drawn = np.array(plan._fields["probability"])
    assert np.allclose(drawn, p**2 / (p**2).sum())
    assert np.allclose(p, sonde.plan(model, gamma=4.0).probabilities)
    assert np.allclose(sonde.plan(model, alpha=1.0)._fields["probability"], p)


def test_how_deep_spm_looks_is_the_horizon(tmp_path):
    mdp = {"A": np.eye(2), "B": np.stack([np.eye(2), np.eye(2)[::-1]], axis=-1), "T": 6.0}
    for N, horizon in ((0, 1), (2, 3), (4, 5), (9, 5)):
        assert sonde.from_spm(saved(tmp_path, mdp | {"N": float(N)})).horizon == horizon
    assert sonde.from_spm(saved(tmp_path, mdp | {"N": 2.0}), horizon=2).horizon == 2
    listed = sonde.from_spm(saved(tmp_path, mdp | {"N": 0.0, "V": np.array([[1, 2], [1, 1]])}))
    assert listed.horizon == 2


def test_actions_of_spm_may_have_two_axes(tmp_path):
    two = np.empty((1, 2), object)
    two[0, 0] = two[0, 1] = np.stack([np.eye(2), np.eye(2)[::-1]], axis=-1)
    mdp = {"A": np.eye(2).reshape(2, 2, 1).repeat(2, axis=2), "B": two, "T": 2.0}
    three = np.array([[1, 1], [2, 1], [2, 2]])
    for U in (three, three[None]):
        model = sonde.from_spm(saved(tmp_path, mdp | {"U": U}))
        assert np.array_equal(model.policies()[:, 0], three - 1)


def test_numbers_that_sondes_own_agents_do_not_have_are_named(tmp_path):
    mdp = {"A": np.eye(2), "B": np.eye(2)[:, :, None].repeat(2, axis=2)}
    with pytest.warns(UserWarning, match="do not use zeta, eta, chi of SPM's"):
        sonde.from_spm(saved(tmp_path, mdp | {"eta": 0.5, "zeta": 3.0, "chi": 0.1, "alpha": 4.0}))


def test_what_sonde_does_not_take_from_spm_is_named(tmp_path):
    mdp = {"A": np.eye(2), "B": np.eye(2)[:, :, None].repeat(2, axis=2)}
    with pytest.raises(sonde.BadInput, match="c: expected counts that are the same at every time"):
        sonde.from_spm(saved(tmp_path, mdp | {"c": np.array([[1.0, 2.0], [1.0, 1.0]])}))
    with pytest.raises(NotImplementedError, match="E, a prior of policies"):
        sonde.from_spm(saved(tmp_path, mdp | {"E": np.array([[1.0], [2.0]])}))


def test_a_file_without_a_structure(tmp_path):
    with pytest.raises(ValueError, match="MDP"):
        sonde.from_spm(saved(tmp_path, np.eye(2), "X"))
    with pytest.raises(ValueError, match="no B"):
        sonde.from_spm(saved(tmp_path, {"A": np.eye(2)}))
    with pytest.raises(FileNotFoundError):
        sonde.from_spm(tmp_path / "none.mat")


def test_object_arrays_are_what_pymdp_has():
    assert arrays([[1, 2], [3]]).dtype == object
