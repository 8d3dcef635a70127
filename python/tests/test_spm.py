"""SPM's scheme against recorded runs of spm_MDP_VB_X."""
import gzip
import json
import os
from pathlib import Path

import numpy as np
import pytest

import sonde

ROOT = Path(os.environ.get("SONDE_ROOT", Path(__file__).resolve().parents[2]))
RECORDED = sorted(path for path in (ROOT / "tests" / "data" / "learning").glob("*.spm.json.gz")
                  if not path.name.startswith("bms"))
TMAZE = ROOT / "tests" / "data" / "learning" / "tmaze-abcde.spm.json.gz"
if not RECORDED:
    pytest.skip("recorded runs are not here", allow_module_level=True)


def recorded(path):
    with gzip.open(path) as file:
        return json.load(file)


def same(mine, theirs):
    if isinstance(mine, list):
        assert len(mine) == len(theirs)
        for a, b in zip(mine, theirs):
            same(a, b)
    else:
        np.testing.assert_allclose(mine, np.array(theirs, float), rtol=0, atol=1e-9)


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.name)
def test_trials_are_those_of_spm(path):
    fixture = recorded(path)
    agent = sonde.Spm(fixture["model"], [{"o": t["o"], "u": t["u"]} for t in fixture["trials"]])
    for again in range(2):  # counts begin anew
        found = agent.replay()
        assert abs(sum(t.log_likelihood for t in found) - fixture["log_likelihood"]) < 1e-8
        for mine, theirs in zip(found, fixture["trials"], strict=True):
            for key in set(theirs) - {"o", "u"}:
                same(getattr(mine, key), theirs[key])


def cells(arrays):
    made = np.empty((1, len(arrays)), object)
    for i, array in enumerate(arrays):
        made[0, i] = np.array(array, float)
    return made


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.name)
def test_a_mat_file_becomes_the_same_trials(path, tmp_path):
    savemat = pytest.importorskip("scipy.io").savemat
    fixture = recorded(path)
    fields = {key: cells([np.array(v, float)[:, None] if np.ndim(v) == 1 else v for v in value])
              if key in "ABCDabcd" else np.array(value, float)
              for key, value in fixture["model"].items()}
    for key in fields.keys() & {"e", "E"}:
        fields[key] = fields[key][:, None]
    fields["label"] = "a T-maze"
    structure = np.empty((1, len(fixture["trials"])), object)
    for i, trial in enumerate(fixture["trials"]):
        seen, done = np.array(trial["o"], float), np.array(trial["u"], float)
        structure[0, i] = fields | {"o": seen, "u": done}
    names = list(structure[0, 0])
    records = np.zeros(structure.shape, [(name, object) for name in names])
    for i in range(structure.shape[1]):
        for name in names:
            records[name][0, i] = structure[0, i][name]
    savemat(tmp_path / "MDP.mat", {"MDP": records})
    found = sonde.from_spm(tmp_path / "MDP.mat", scheme="spm").replay()
    assert abs(sum(t.log_likelihood for t in found) - fixture["log_likelihood"]) < 1e-8
    same([t.F for t in found], [t["F"] for t in fixture["trials"]])


def saved(tmp_path, fields, trials):
    """A structure array of MATLAB's, one structure for each trial."""
    savemat = pytest.importorskip("scipy.io").savemat
    records = np.zeros((1, len(trials)), [(name, object) for name in [*fields, *trials[0]]])
    for i, trial in enumerate(trials):
        for name, value in (fields | trial).items():
            records[name][0, i] = value
    savemat(tmp_path / "MDP.mat", {"MDP": records})
    return tmp_path / "MDP.mat"


def structure(fixture, **more):
    return {key: cells([np.array(v, float)[:, None] if np.ndim(v) == 1 else v for v in value])
            if key in "ABCDabcd" else np.array(value, float)
            for key, value in fixture["model"].items()} | more


def test_a_mat_file_is_fitted(tmp_path):
    """As the same trials are, one file for each subject."""
    fixture = recorded(next(path for path in RECORDED if "tmaze-ade" in path.name))
    trials = [{key: np.array(t[key], float) for key in "ou"} for t in fixture["trials"]]
    options = {"scheme": "spm", "starts": 1, "optimiser": "newton"}
    path = saved(tmp_path, structure(fixture), trials)
    first, second = path.rename(tmp_path / "ann.mat"), tmp_path / "bob.mat"
    saved(tmp_path, structure(fixture), trials[:3]).rename(second)
    found = sonde.fit([first, second], None, "alpha,eta", **options)
    wanted = sonde.fit({"ann": sonde.Spm(fixture["model"], fixture["trials"]),
                        "bob": sonde.Spm(fixture["model"], fixture["trials"][:3])},
                       None, "alpha,eta", **options)
    assert found.names == ["alpha", "eta"] and found.converged.all()
    assert np.allclose(found.map, wanted.map, rtol=0, atol=1e-12)
    assert np.allclose(found.evidence, wanted.evidence, rtol=0, atol=1e-10)
    assert not np.allclose(found.map[0], found.map[1])
    alone = sonde.fit(first, None, "alpha,eta", **options)
    assert np.array_equal(alone.map[0], found.map[0])


def test_what_spm_does_not_look_at_changes_nothing_and_the_rest_is_refused(tmp_path):
    """As spm_MDP_VB_X leaves structures behind: with O, and an n of zeros."""
    fixture = recorded(TMAZE)
    trials = [{"o": np.array(t["o"], float), "u": np.array(t["u"], float)}
              for t in fixture["trials"]]
    n_modality, n_time = trials[0]["o"].shape
    more = {"chi": 0.5, "N": 2.0, "lambda": 3.0, "n": np.zeros((n_modality, n_time)),
            "O": cells([[1.0]] * n_modality * n_time), "s": np.ones((2, n_time)), "rt": 0.1}
    found = sonde.from_spm(saved(tmp_path, structure(fixture, **more), trials), scheme="spm")
    same([t.F for t in found.replay()], [t["F"] for t in fixture["trials"]])
    for key, value in {"n": np.ones((n_modality, n_time)), "factor": 1.0, "omega": 0.5}.items():
        with pytest.raises(sonde.BadInput, match=rf"model\.{key}: is no part of the scheme"):
            sonde.from_spm(saved(tmp_path, structure(fixture, **{key: value}), trials),
                           scheme="spm")
    bare = [{"u": t["u"]} for t in trials]
    with pytest.raises(sonde.BadInput, match=r"model\.O: is no part of the scheme"):
        sonde.from_spm(saved(tmp_path, structure(fixture, O=more["O"]), bare), scheme="spm")


def test_a_trial_can_be_told_as_it_happens_and_counts_grow():
    fixture = recorded(TMAZE)
    agent = sonde.Spm(fixture["model"])
    trial = agent.trial(fixture["trials"][0]["o"])
    assert trial.log_likelihood == 0
    same(trial.d, fixture["trials"][0]["d"])
    assert agent.trial(fixture["trials"][1]["o"]).d[0].sum() > trial.d[0].sum()
    assert "6 policies" in repr(agent) and "6 policies" in repr(trial)


@pytest.mark.parametrize("key, value, sentence", [
    ("U", [[1]], "model.U: is no part"), ("link", [[1]], "model.link: is no part"),
    ("zeta", -1, "model.zeta"), ("V", [[[9, 1]] * 6] * 2, "model.V"), ("volume", 1, "volume")])
def test_what_is_no_part_of_the_scheme_is_refused_by_its_name(key, value, sentence):
    with pytest.raises(sonde.BadInput, match=sentence.replace(".", r"\.")):
        sonde.Spm(recorded(TMAZE)["model"] | {key: value})


@pytest.mark.parametrize("o, sentence", [
    ([[1, 2, 3]], r"o: expected an array \(3, 3\)"),
    ([[0, 1, 1], [1, 1, 1], [1, 1, 1]], r"o\[0\]\[0\]: expected a whole number from 1"),
    ([[5, 1, 1], [1, 1, 1], [1, 1, 1]], "to 4, found 5")])
def test_numbers_begin_at_1(o, sentence):
    with pytest.raises(sonde.BadInput, match=sentence):
        sonde.Spm(recorded(TMAZE)["model"]).trial(o)


def test_another_scheme_is_not_known(tmp_path):
    with pytest.raises(sonde.BadInput, match="scheme"):
        sonde.from_spm(tmp_path / "MDP.mat", scheme="bethe")


# ------------------------------------------------------------------------------------- smoothing --

WINDOWS = sorted((ROOT / "tests" / "data" / "learning").glob("*-window-*.json.gz"))


def windowed(fixture):
    m = fixture["model"]
    return sonde.Model([np.array(a) for a in m["A"]], [np.array(b) for b in m["B"]],
                       [np.array(c) for c in m["C"]], [np.array(d) for d in m["D"]],
                       factors=[{"depends": d} for d in m["B_dependencies"]],
                       modalities=[{"factors": d} for d in m["A_dependencies"]])


@pytest.mark.parametrize("path", WINDOWS, ids=lambda path: path.name)
def test_beliefs_of_a_sequence_are_those_of_pymdp(path):
    fixture = recorded(path)
    algorithm = fixture["settings"]["inference_algo"]
    how, inference = ((algorithm, None) if algorithm in ("mmp", "vmp") else ("filtered", "pymdp"))
    found = windowed(fixture).smooth(fixture["observations"], fixture["actions"], how, inference)
    for mine, theirs in zip(found, fixture["qs"], strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-12)


def test_a_sequence_that_cannot_be_smoothed_is_refused():
    fixture = recorded(TMAZE.with_name("grid-B-window-exact.pymdp-1.0.4.json.gz"))
    model = windowed(fixture)
    for outcomes, actions, more, sentence in [
            ([[0]], [[0]] * 3, {}, "actions"), ([], [], {}, "one step"),
            ([[0]], [[0]], {"how": "bethe"}, "how"),
            ([[0]], [[0]], {"how": "mmp", "inference": "exact"}, "inference")]:
        with pytest.raises(sonde.BadInput, match=sentence):
            model.smooth(outcomes, actions, **more)


# ----------------------------------------------------------------------------------- reduction --

def test_a_reduced_prior_has_the_evidence_that_spm_gives_it():
    fixture = recorded(ROOT / "tests" / "data" / "learning" / "bms-bmr.spm.json.gz")
    evidence, after = sonde.reduce(fixture["bmr_q"], fixture["bmr_p"], fixture["bmr_r"])
    np.testing.assert_allclose(evidence, fixture["bmr_F"], rtol=0, atol=1e-9)
    np.testing.assert_allclose(after, fixture["bmr_s"], rtol=0, atol=1e-12)
    with pytest.raises(sonde.BadInput, match="fewer counts after learning"):
        sonde.reduce(fixture["bmr_p"], fixture["bmr_q"], fixture["bmr_r"])
    with pytest.raises(sonde.BadInput, match="one shape"):
        sonde.reduce([1, 2], [1], [1])
