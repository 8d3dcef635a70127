"""fit, compare, recover and draw, and their figures."""
import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT

import sonde

RECORDED = json.loads(gzip.decompress(
    (ROOT / "tests/data/learning/fit-bandit.json.gz").read_bytes()))
SUBJECTS = RECORDED["subjects"]
FREE = RECORDED["free"]
SD = np.array([one["prior"][1] for one in FREE])
RULES = {"learn": True, "novelty": "joint"}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "bandit.json"
    path.write_text(json.dumps(RECORDED["model"]))
    return sonde.Model.from_file(path)


@pytest.fixture(scope="module")
def world(model):
    document = {key: value for key, value in model.to_dict().items() if key != "counts"}
    return sonde.Model.from_dict(document | {"A": [[[.2, .7], [.8, .3]]]})


def data(n=40):
    return sonde.Data.from_arrays(np.array([s["reward"] for s in SUBJECTS[:n]])[..., None],
                                  np.array([s["arm"] for s in SUBJECTS[:n]])[..., None],
                                  timing="after")


@pytest.fixture(scope="module")
def fitted(model):
    return sonde.fit(model, data(8), FREE, starts=1, **RULES)


def test_estimates_are_those_of_the_fixture(fitted):
    found = SUBJECTS[:8]
    assert np.abs((fitted.map - [s["map"] for s in found]) / SD).max() < 1e-4
    assert fitted.sd == pytest.approx(np.array([s["sd"] for s in found]), rel=1e-3)
    assert fitted.evidence == pytest.approx([s["evidence"] for s in found], abs=1e-4)
    assert fitted.covariance == pytest.approx(np.array([s["covariance"] for s in found]), abs=1e-4)
    assert fitted.converged.all() and fitted.names == ["gamma", "scale", "eta"]
    assert fitted.value[:, 2] == pytest.approx(1 / (1 + np.exp(-fitted.map[:, 2])))
    assert (fitted.low < fitted.value).all() and (fitted.value < fitted.high).all()
    assert fitted.group is None and np.isnan(fitted.held_out).all()


def test_draws_of_the_posterior_have_its_mean_and_covariance(fitted):
    drawn = fitted.posterior(20000, seed=2)
    assert drawn.mean(axis=1) == pytest.approx(fitted.map, abs=.05)
    assert np.cov(drawn[3].T) == pytest.approx(fitted.covariance[3], abs=.03)
    assert fitted.transform("eta") == "logit"
    with pytest.raises(sonde.BadInput, match="there is no parameter"):
        fitted.transform("x")


def test_frames_and_arviz(fitted):
    pytest.importorskip("pandas")
    frame = fitted.frame()
    assert len(frame) == 8 and {"gamma", "gamma_low", "eta_sd", "evidence"} <= set(frame.columns)
    with pytest.raises(sonde.BadInput, match="group"):
        fitted.group_frame()


def test_arviz(fitted):
    pytest.importorskip("arviz")
    posterior = fitted.to_arviz(50).posterior
    assert posterior["gamma"].shape == (1, 50, 8) and (posterior["eta"] < 1).all()


def test_a_group_with_covariates(model):
    columns = {"subject": [f"s{i + 1}" for i in range(12)], "group": ["a", "b"] * 6,
               "age": list(range(12))}
    found = sonde.fit(model, data(12), FREE[:1], starts=1, group="eb", covariates=columns, **RULES)
    assert found.group["columns"] == ["intercept", "group[b]", "age"]
    beta, se = np.array(found.group["beta"]), np.array(found.group["se"])
    assert np.array(found.group["z"]) == pytest.approx(beta / se)
    assert set(found.group["effects"]) == {"group", "age"}
    with pytest.raises(sonde.BadInput, match='go with group="eb"'):
        sonde.fit(model, data(2), "gamma", covariates=columns)
    with pytest.raises(sonde.BadInput, match="found none for \"s13\""):
        sonde.fit(model, data(13), FREE[:1], starts=1, group="eb", covariates=columns, **RULES)


def test_rows_are_held_out(model):
    obs, act = np.array(SUBJECTS[0]["reward"]), np.array(SUBJECTS[0]["arm"])
    block = np.repeat([1, 2], 100)
    table = sonde.Data.from_arrays(obs, act, timing="after", block=block)
    found = sonde.fit(model, table, FREE[:1], starts=1, train={"block": 1}, test={"block": [2]},
                      **RULES)
    replayed = sonde.replay(model, table, free=FREE[:1], theta=found.map[0], **RULES)
    assert found.held_out[0] == pytest.approx(replayed.log_p[100:].sum(), abs=1e-9)
    assert found.log_likelihood[0] == pytest.approx(replayed.log_p[:100].sum(), abs=1e-9)
    rest = sonde.fit(model, table, FREE[:1], starts=1, test={"block": np.int64(2)}, **RULES)
    assert rest.document["subjects"][0]["n"] == 100
    assert rest.held_out == found.held_out and rest.log_likelihood == found.log_likelihood
    with pytest.raises(sonde.BadInput, match="row 101: is to be fitted and held out; let train"):
        sonde.fit(model, table, FREE[:1], train={"block": [1, 2]}, test={"block": 2}, **RULES)
    with pytest.raises(sonde.BadInput, match="test: expected rows to be left to fit, found none"):
        sonde.fit(model, table, FREE[:1], test={"block": [1, 2]}, **RULES)
    with pytest.raises(sonde.BadInput, match="train: expected columns and their values.*'block=1'"):
        sonde.fit(model, table, FREE[:1], train="block=1", **RULES)
    with pytest.raises(sonde.BadInput, match="train: there is no column 'x'"):
        sonde.fit(model, table, FREE[:1], train={"x": 1}, **RULES)
    with pytest.raises(sonde.BadInput, match="test: expected rows, found none"):
        sonde.fit(model, table, FREE[:1], test={"block": 3}, **RULES)


def test_models_are_compared(model, fitted, tmp_path):
    less = sonde.fit(model, data(8), FREE[:1], starts=1, **RULES)
    found = sonde.compare(full=fitted, gamma=less)
    assert found.models == ["full", "gamma"]
    evidence = np.stack([fitted.evidence, less.evidence], axis=1)
    again = sonde.compare(evidence=evidence, names=["full", "gamma"])
    for key in ("alpha", "r", "xp", "pxp", "g"):
        assert getattr(found, key) == pytest.approx(getattr(again, key), abs=1e-12)
    g = found.g
    assert found.average["gamma"] == pytest.approx(
        g[:, 0] * fitted.map[:, 0] + g[:, 1] * less.map[:, 0])
    assert found.AIC == pytest.approx([fitted.AIC.sum(), less.AIC.sum()])
    fitted.write(tmp_path / "a.json")
    less.write(tmp_path / "b.json")
    files = sonde.compare(tmp_path / "a.json", tmp_path / "b.json")
    assert files.alpha == pytest.approx(found.alpha)
    three = sonde.compare(evidence=np.c_[evidence, evidence[:, :1]], names=list("abc"),
                          families={"x": ["a", "c"], "y": ["b"]})
    assert [one["family"] for one in three.families] == ["x", "y"] and three.bor is None


def test_no_fit_is_compared_under_the_name_of_another(fitted, tmp_path):
    with pytest.raises(sonde.BadInput, match="expected different fits, found 'a' twice"):
        sonde.compare(fitted, fitted, fitted, names=["a", "a", "b"])
    with pytest.raises(sonde.BadInput, match="found 'm1' twice; give each a name of its own"):
        sonde.compare(fitted, fitted, m1=fitted)
    fitted.write(tmp_path / "a.json")
    with pytest.raises(sonde.BadInput, match="a.json' twice"):
        sonde.compare(tmp_path / "a.json", tmp_path / "a.json")
    assert sonde.compare(fitted, fitted, fitted).models == ["m1", "m2", "m3"]


def test_recorded_numbers_of_spm():
    lme = json.loads(gzip.decompress(
        (ROOT / "tests/data/learning/bms-bmr.spm.json.gz").read_bytes()))
    found = sonde.compare(evidence=lme["lme"])
    assert found.alpha == pytest.approx(lme["alpha"], abs=1e-9)
    assert found.bor == pytest.approx(lme["bor"][0], abs=1e-9)
    assert found.xp == pytest.approx([.922586, .063804, .013610], abs=1e-6)


def test_what_is_drawn_is_recovered(model, world):
    free, truth = FREE[:1], np.linspace(-.3, 1.7, 12)[:, None]
    table = sonde.draw(model, 200, free=free, theta=truth, process=world, timing="after", **RULES)
    found = sonde.fit(model, table, free, starts=1, **RULES)
    assert np.corrcoef(truth[:, 0], found.map[:, 0])[0, 1] > .9
    again = sonde.draw(model, 200, free=free, theta=truth, process=world, timing="after", **RULES)
    other = sonde.draw(model, 200, free=free, theta=truth, process=world, timing="after", seed=2,
                       **RULES)
    assert (again.rows(model).action == table.rows(model).action).all()
    assert (other.rows(model).action != table.rows(model).action).any()
    known = np.zeros((1, 5, 2, 1), int)
    known[0, :, 1] = 1
    fixed = sonde.draw(model, 5, subjects=3, outcomes=known, timing="after").rows(model)
    assert (fixed.outcome[:, 0] == fixed.action).all() and len(fixed.subjects) == 3


def test_recover_says_what_the_command_says(model, world):
    found = sonde.recover(model, FREE, subjects=6, steps=60, process=world, timing="after",
                          starts=1, **RULES)
    assert found.truth.shape == found.estimate.shape == (6, 3)
    assert found.r[0] == pytest.approx(np.corrcoef(found.truth[:, 0], found.estimate[:, 0])[0, 1])
    two = sonde.recover(model, {"models": {"all": FREE, "gamma": FREE[:1]}}, subjects=4, steps=30,
                        process=world, timing="after", starts=1, **RULES)
    assert two.models == ["all", "gamma"] and two.confusion["share"].sum() == pytest.approx(2)
    assert two.model("gamma").names == ["gamma"]
    power = sonde.recover(model, FREE[:1], subjects=[4, 8], steps=30, process=world, repeats=3,
                          timing="after", starts=1, groups={"gamma": 1.0}, **RULES)
    assert power.subjects.tolist() == [4, 8] and (power.found <= 1).all()
    for wrong, words in (({"subjects": [4, 8]}, "several go with groups"),
                         ({"groups": {"x": 1}}, "expected a parameter that is free"),
                         ({"groups": {}}, "expected one parameter"),
                         ({"process": world, "outcomes": "x.csv"}, "leave process out")):
        with pytest.raises(sonde.BadInput, match=words):
            sonde.recover(model, FREE[:1], steps=5, **wrong)


def test_figures_are_drawn(model, world, fitted, tmp_path):
    pytest.importorskip("matplotlib")
    figures = sonde.figures if hasattr(sonde, "figures") else __import__(
        "sonde.figures", fromlist=["figures"])
    two = sonde.recover(model, {"models": {"all": FREE, "gamma": FREE[:1]}}, subjects=4, steps=30,
                        process=world, timing="after", starts=1, **RULES)
    assert len(figures.recovery(two).axes) == 3
    assert len(figures.confusion(two).axes) == 1
    assert len(figures.posteriors(fitted).axes) == 3
    assert len(figures.posteriors(fitted, "eta").axes) == 1
    fitted.write(tmp_path / "fit.json")
    again = figures.read(tmp_path / "fit.json")
    assert again.names == fitted.names and len(figures.posteriors(again).axes) == 3
    (tmp_path / "two.json").write_text(json.dumps(two.document))
    assert len(figures.recovery(figures.read(tmp_path / "two.json")).axes) == 3
    power = {"subjects": 4, "found": 0.5, "found_interval": [0.2, 0.8], "found_without": 0,
             "found_without_interval": [0, 0.3], "coverage": 1, "coverage_interval": [0.7, 1],
             "beta": 1, "sd": 0.5}
    (tmp_path / "power.json").write_text(json.dumps({"format": "sonde-power", "sizes": [power]}))
    assert figures.read(tmp_path / "power.json").found_high.tolist() == [0.8]
    assert "subject" in sonde.report(tmp_path / "fit.json", tmp_path / "report")
    assert (tmp_path / "report/tables/subjects.csv").exists()
    replayed = sonde.replay(model, data(2), free=FREE, theta=fitted.map[:2], **RULES)
    assert len(figures.trajectory(replayed, "s2").axes) == 2
    drawn = [sonde.draw(model, 200, free=FREE, theta=fitted.map, process=world, timing="after",
                        seed=seed, **RULES) for seed in range(1, 4)]
    assert figures.choices(model, data(8), drawn).axes[0].get_ylim() == (0, 1)
    power = sonde.Power([{"subjects": n, "found": (.5, .4, .6), "found_without": (.05, 0, .1),
                          "coverage": (.9, .8, 1), "beta": 1, "sd": .1} for n in (10, 20)])
    assert len(figures.power(power).axes) == 1
    with pytest.raises(sonde.BadInput, match="several models"):
        figures.confusion(sonde.recover(model, FREE[:1], subjects=2, steps=5, starts=1))


def spm_fixture():
    return json.loads(gzip.decompress(
        (ROOT / "tests/data/learning/tmaze-ade.spm.json.gz").read_bytes()))


def spm_agents():
    fixture = spm_fixture()
    trials = [{"o": t["o"], "u": t["u"]} for t in fixture["trials"]]
    return {"ann": sonde.Spm(fixture["model"], trials[:4]),
            "bob": sonde.Spm(fixture["model"], trials[2:5])}


def test_spm_scheme(tmp_path):
    """Agents with trials, documents and tables are fitted alike, and as the command does."""
    agents = spm_agents()
    options = {"scheme": "spm", "starts": 1, "optimiser": "newton"}
    found = sonde.fit(agents, None, "alpha,eta", **options)
    assert found.subjects == ["ann", "bob"] and found.names == ["alpha", "eta"]
    assert found.document["scheme"] == "spm" and found.converged.all()
    # at the estimate the likelihood is that of SPM's scheme
    fixture = spm_fixture()
    for i, agent in enumerate(agents.values()):
        alpha, eta = found.value[i]
        moved = sonde.Spm(dict(fixture["model"], alpha=alpha, eta=eta),
                          [{"o": o.T + 1, "u": u.T + 1} for o, u in agent.trials])
        ll = sum(trial.log_likelihood for trial in moved.replay())
        assert abs(found.log_likelihood[i] - ll) < 1e-8
    files = []
    for name, agent in agents.items():
        files.append(str(tmp_path / f"{name}.json"))
        Path(files[-1]).write_text(json.dumps({
            "format": "sonde-spm", "version": 1, "model": fixture["model"],
            "trials": [{"o": (o.T + 1).tolist(), "u": (u.T + 1).tolist()}
                       for o, u in agent.trials]}))
    assert np.array_equal(sonde.fit(files, None, "alpha,eta", **options).map, found.map)
    head = "subject,episode," + ",".join(f"o{m}" for m in range(len(fixture["model"]["A"])))
    lines, controlled = [], [f for f, b in enumerate(fixture["model"]["B"])
                             if np.ndim(b) == 3 and np.shape(b)[2] > 1]
    for name, agent in agents.items():
        for e, (o, u) in enumerate(agent.trials):
            lines += [",".join(map(str, [name, e, *o[t], *(u[t, f] if t < len(u) else "NA"
                                                           for f in controlled)]))
                      for t in range(len(o))]
    table = tmp_path / "table.csv"
    table.write_text("\n".join([head + "".join(f",u{f}" for f in controlled), *lines]) + "\n")
    assert np.array_equal(
        sonde.fit(agents["ann"], table, "alpha,eta", **options).map, found.map)
    with pytest.raises(sonde.BadInput, match="expected 3 rows of an episode"):
        table.write_text("\n".join([head + "".join(f",u{f}" for f in controlled), *lines[:-1]]))
        sonde.fit(agents["ann"], table, "alpha,eta", **options)
    with pytest.raises(sonde.BadInput, match="scheme: expected"):
        sonde.fit(agents, None, "alpha", scheme="spn")
    for name, value in {"learn": True, "lapse": .1, "timing": "before", "alpha": 3.0,
                        "per_factor": False}.items():
        with pytest.raises(sonde.BadInput, match=f"{name}: does not go with SPM's scheme"):
            sonde.fit(agents, None, "beta", scheme="spm", **{name: value})
    with pytest.raises(sonde.BadInput, match="no parameter"):
        sonde.fit(agents, None, "alfa", scheme="spm")


def test_sessions_and_a_store(model, tmp_path):
    gamma, _, eta = FREE
    words = {"subjects": 4, "sessions": 2, "steps": 30, "starts": 1, "learn": True,
             "timing": "after", "novelty": "joint"}
    free = [dict(gamma, per="session"), dict(eta, shared=True)]
    found = sonde.recover(model, free, **words)
    assert found.names == ["gamma[1]", "gamma[2]", "eta"] and found.truth.shape == (4, 3)
    assert np.isnan(found.r[2]) and len(set(found.truth[:, 2])) == 1
    for _ in range(2):
        again = sonde.recover(model, free, store=tmp_path / "store", **words)
        assert again.document == found.document
