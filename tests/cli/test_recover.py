"""sonde recover: what is simulated, what comes back, and how it is told."""
# long
import gzip
import json
import os
import pathlib
import subprocess
from xml.etree import ElementTree

import numpy as np
import pytest

DATA = pathlib.Path(os.environ["SONDE_TEST_DATA"]) / "learning"
COMMAND = os.environ["SONDE_COMMAND"]
FIXTURE = json.loads(gzip.decompress((DATA / "fit-bandit.json.gz").read_bytes()))
AGENT = ["--timing", "after", "--learn", "--novelty", "joint"]


@pytest.fixture
def folder(tmp_path):
    model = FIXTURE["model"]
    process = {key: value for key, value in model.items() if key != "counts"}
    process["A"] = [[[.2, .7], [.8, .3]]]
    process["schedule"] = [{"from": {"step": 50}, "A": [[[.7, .2], [.3, .8]]]}]
    for name, document in (("model", model), ("process", process), ("free", FIXTURE["free"]),
                           ("gamma", FIXTURE["free"][:1]), ("eta", FIXTURE["free"][2:])):
        (tmp_path / f"{name}.json").write_text(json.dumps(document))
    return tmp_path


def run(folder, *words, status=0):
    done = subprocess.run([COMMAND, "recover", "model.json", *map(str, words)], cwd=folder,
                          capture_output=True, text=True, timeout=280)
    assert done.returncode == status, done.stderr
    return done.stdout if status == 0 else done.stderr


def recover(folder, *words):
    return json.loads(run(folder, "--json", *AGENT, *words))


SMALL = ["--parameters", "free.json", "--subjects", 12, "--steps", 100, "--starts", 1,
         "--process", "process.json"]


def test_numbers_are_plain_sums_over_subjects(folder):
    found = recover(folder, *SMALL)["models"][0]
    true = np.array([s["true"] for s in found["subjects"]])
    estimate = np.array([s["map"] for s in found["subjects"]])
    covariance = np.array([s["covariance"] for s in found["subjects"]])
    variance = np.diagonal(covariance, axis1=1, axis2=2)
    off = estimate - true
    for p, one in enumerate(found["parameters"]):
        assert one["r"] == pytest.approx(np.corrcoef(true[:, p], estimate[:, p])[0, 1], abs=1e-12)
        assert one["bias"] == pytest.approx(off[:, p].mean(), abs=1e-12)
        assert one["rmse"] == pytest.approx(np.sqrt((off[:, p]**2).mean()), abs=1e-12)
        held = np.abs(off[:, p]) <= 1.6448536269514722 * np.sqrt(variance[:, p])
        assert one["coverage"] == pytest.approx(held.mean())
        assert one["shrinkage"] == pytest.approx(1 - variance[:, p].mean() / one["prior"][1]**2)
    sd = np.sqrt(variance)
    mean = (covariance / (sd[:, :, None] * sd[:, None, :])).mean(axis=0)
    assert np.array(found["posterior_correlation"]) == pytest.approx(mean, abs=1e-12)
    assert np.array(found["estimate_correlation"]) == pytest.approx(np.corrcoef(estimate.T))


def test_the_same_on_any_number_of_threads_and_another_for_another_seed(folder):
    one, three, other = (recover(folder, *SMALL, *more)["models"]
                         for more in (["--threads", 1], ["--threads", 3], ["--seed", 2]))
    assert one == three and one != other


def test_agents_learn_with_the_rates_of_single_outcomes(folder):
    words = ["--parameters", "gamma.json", "--subjects", 4, "--steps", 60, "--starts", 1]
    plain = recover(folder, *words)["models"][0]["subjects"]
    same = recover(folder, *words, "--eta-outcome", "reward=1")["models"][0]["subjects"]
    apart = recover(folder, *words, "--eta-outcome", "reward.win=0.1")["models"][0]["subjects"]
    assert same == plain
    assert all(a["true"] == b["true"] and a["map"] != b["map"] for a, b in zip(plain, apart))
    assert "there is no" in run(folder, *AGENT, *words, "--factors", "leg", status=2)


def test_parameters_are_draws_of_the_prior(folder):
    found = recover(folder, "--parameters", "free.json", "--subjects", 400, "--steps", 1,
                    "--starts", 1, "--optimiser", "newton")
    true = np.array([s["true"] for s in found["models"][0]["subjects"]])
    for p, free in enumerate(FIXTURE["free"]):
        z = (true[:, p] - free["prior"][0]) / free["prior"][1]
        assert abs(z.mean()) < .2 and .9 < z.std() < 1.1
        assert len(set(z)) == 400
    assert abs(np.corrcoef(true.T)[0, 1]) < .2


def test_a_grid_has_the_quantiles_of_the_prior(folder):
    found = recover(folder, "--parameters", "free.json", "--subjects", 30, "--steps", 2, "--grid",
                    "--starts", 1)
    assert found["subjects"] == 27
    true = np.array([s["true"] for s in found["models"][0]["subjects"]])
    assert len({tuple(t) for t in true.tolist()}) == 27
    for p, free in enumerate(FIXTURE["free"]):
        z = sorted(set(np.round((true[:, p] - free["prior"][0]) / free["prior"][1], 9)))
        # points of 1/6, 1/2 and 5/6
        assert z == pytest.approx([-.967421566, 0, .967421566], abs=1e-8)


def test_models_on_a_grid_have_as_many_subjects_as_the_smaller_grid(folder):
    (folder / "two.json").write_text(json.dumps(FIXTURE["free"][:2]))
    for names in (("free", "two"), ("two", "free")):
        words = [word for name in names for word in ("--parameters", f"{name}.json")]
        found = recover(folder, *words, "--subjects", 30, "--steps", 2, "--grid", "--starts", 1)
        assert found["subjects"] == 25  # five by five, beside three by three by three
        for model, name in zip(found["models"], names):
            true = {tuple(s["true"]) for s in model["subjects"]}
            assert len(true) == 25 and {len(t) for t in true} == {3 if name == "free" else 2}


def test_models_are_told_apart(folder):
    found = recover(folder, "--parameters", "free.json", "--parameters", "eta.json", "--subjects",
                    10, "--steps", 100, "--process", "process.json", "--starts", 1)
    share, pxp, back = (np.array(found["confusion"][key], dtype=float)
                        for key in ("share", "pxp", "true_given_found"))
    assert share.sum(axis=1) == pytest.approx([1, 1])
    assert pxp.sum(axis=1) == pytest.approx([1, 1])
    for k, model in enumerate(found["models"]):
        best = np.argmax([s["evidence"] for s in model["subjects"]], axis=1)
        assert share[k] == pytest.approx(np.bincount(best, minlength=2) / 10)
    assert share[0, 0] > .5 and share[1, 1] > .5
    assert back == pytest.approx(share / share.sum(axis=0))


def test_outcomes_of_a_table_take_the_place_of_a_world(folder):
    lines = ["step,arm,reward"]
    lines += [f"{t},{a},{['loss', 'win'][(t + a) % 2]}" for t in range(40) for a in range(2)]
    (folder / "t.csv").write_text("\n".join(lines))
    words = ["--parameters", "gamma.json", "--subjects", 4, "--steps", 40, "--starts", 1]
    first = recover(folder, *words, "--outcomes", "t.csv")
    # whoever yoked gets the same whatever is done needs no actions
    (folder / "y.csv").write_text("\n".join(["step,reward"] + [f"{t},1" for t in range(40)]))
    assert recover(folder, *words, "--outcomes", "y.csv") != first
    (folder / "s.csv").write_text("\n".join(lines[:-2]))
    assert "in step 39 of episode 0, found nothing" in run(
        folder, *AGENT, *words, "--outcomes", "s.csv", status=2)
    (folder / "b.csv").write_text("step,arm,reward\n0,0,won\n")
    assert 'row 1, column reward: expected a name or a number from 0 to 1, found "won"' in run(
        folder, *AGENT, *words, "--outcomes", "b.csv", status=3)
    (folder / "n.csv").write_text("step,arm\n0,0\n")
    assert "expected a column o0 or reward, the outcome of modality 0" in run(
        folder, *AGENT, *words, "--outcomes", "n.csv", status=3)


def test_more_subjects_see_more(folder):
    words = ["--parameters", "gamma.json", "--steps", 60, "--process", "process.json", "--starts",
             1, "--groups", "gamma=0.8", "--subjects", "8,40", "--repeats", 25]
    found = json.loads(run(folder, "--json", *AGENT, *words))
    few, many = found["sizes"]
    assert (few["subjects"], many["subjects"]) == (8, 40)
    assert many["found"] > few["found"] and many["found"] > .8
    assert many["found_without"] < .25 and abs(many["beta"] - .8) < .15
    assert many["found_interval"][0] < many["found"] < many["found_interval"][1] or (
        many["found"] == 1)
    assert "mean beta" in run(folder, *AGENT, *words[:-1], 2)


def test_where_groups_do_not_differ_an_interval_holds_that_or_finds_a_difference(folder):
    shares = set()
    for seed in (2, 3, 41, 62):  # in each one of two intervals is above or below 0
        found = recover(folder, "--parameters", "gamma.json", "--steps", 12, "--starts", 1,
                        "--groups", "gamma=0", "--subjects", "4,6", "--repeats", 2, "--seed", seed,
                        "--optimiser", "newton")
        for size in found["sizes"]:
            assert size["coverage"] == 1 - size["found"]
            shares.add(size["found"])
    assert shares == {0, 0.5}


def test_a_table_has_a_row_for_each_subject_and_parameter(folder):
    run(folder, *AGENT, *SMALL, "--csv", "out.csv", "-o", "out.json", "--svg", "out.svg")
    picture = ElementTree.parse(folder / "out.svg").getroot()
    assert len(picture.findall(".//{http://www.w3.org/2000/svg}circle")) == 12 * 3
    document = json.loads((folder / "out.json").read_text())
    lines = (folder / "out.csv").read_text().splitlines()
    assert len(lines) == 1 + 12 * 3
    assert lines[0] == "model,subject,parameter,true,map,sd,evidence"
    assert float(lines[2].split(",")[4]) == document["models"][0]["subjects"][0]["map"][1]


@pytest.mark.parametrize("words, status, sentence", [
    ([], 2, "--free: expected the names of parameters"),
    (["--free", "gamma", "--parameters", "free.json"], 2, "and not both"),
    (["--free", "gama"], 3, "gama"),
    (["--free", "gamma", "--subjects", "1"], 2, "--subjects"),
    (["--free", "gamma", "--subjects", "3.5"], 2, "expected whole numbers"),
    (["--free", "gamma", "--subjects", "4,8"], 2, "several go with --groups only"),
    (["--free", "gamma", "--groups", "alpha=1"], 2, 'expected a parameter that is free, found "al'),
    (["--free", "gamma", "--groups", "gamma"], 2, "expected a parameter and a number such as"),
    (["--free", "gamma", "--groups", "gamma=1", "--subjects", "5"], 2, "expected an even number"),
    (["--free", "gamma", "--groups", "gamma=1", "--subjects", "6,9"], 2,
     "two groups of the same size, found 9"),
    (["--free", "gamma", "--repeats", "5"], 2, "--repeats"),
    (["--free", "gamma", "--process", "none.json"], 3, "none.json"),
    (["--free", "gamma", "--process", "bad.json"], 3, "schedule[0].from: expected"),
    (["--free", "gamma", "--process", "free.json"], 3, "free.json"),
    (["--free", "gamma", "--process", "process.json", "--outcomes", "x.csv"], 2, "leave --process"),
])
def test_what_is_wrong_is_a_sentence(words, status, sentence, folder):
    bad = json.loads((folder / "process.json").read_text())
    bad["schedule"][0]["from"] = {"trial": 3}
    (folder / "bad.json").write_text(json.dumps(bad))
    error = run(folder, *words, "-o", "out.json", status=status)
    assert sentence in error and error.count("\n") == 1
    assert not (folder / "out.json").exists()


def test_pictures_have_what_they_need(folder):
    document = recover(folder, *SMALL)
    assert document["optimiser"] in ("BOBYQA", "newton") and document["seed"] == 1
    assert (document["sessions"], document["episodes"], document["steps"]) == (1, 1, 100)
    assert document["command"].startswith("sonde recover model.json ")
    assert json.loads(run(folder, *document["command"].split()[3:])) == document
    found = document["models"][0]
    for s in found["subjects"]:
        sd = np.sqrt(np.diag(s["covariance"]))
        assert s["sd"] == pytest.approx(sd)
        for p, one in enumerate(found["parameters"]):
            out = np.exp if one["transform"] == "log" else lambda x: 1 / (1 + np.exp(-x))
            assert s["value"][p] == pytest.approx(out(s["map"][p]))
            assert s["true_value"][p] == pytest.approx(out(s["true"][p]))
            ends = [out(s["map"][p] + z * sd[p]) for z in (-1.6448536269514722, 1.6448536269514722)]
            assert s["interval_90"][p] == pytest.approx(ends)


def test_a_value_for_each_session(folder):
    gamma, _, eta = FIXTURE["free"]
    (folder / "per.json").write_text(json.dumps([dict(gamma, per="session"), eta]))
    words = ["--parameters", "per.json", "--subjects", 40, "--steps", 100, "--starts", 1,
             "--process", "process.json", "--sessions", 2]
    document = recover(folder, *words)
    found = document["models"][0]
    assert [one["name"] for one in found["parameters"]] == ["gamma[1]", "gamma[2]", "eta"]
    true = np.array([s["true"] for s in found["subjects"]])
    assert true.shape == (40, 3) and abs(np.corrcoef(true.T)[0, 1]) < .4
    # each session's own value comes back, and not the other's
    estimate = np.array([s["map"] for s in found["subjects"]])
    for i in range(2):
        own = np.corrcoef(true[:, i], estimate[:, i])[0, 1]
        assert own > .4 and own > np.corrcoef(true[:, i], estimate[:, 1 - i])[0, 1] + .2
    # rows of two sessions say more of what is the same in both than those of one
    one = recover(folder, *words[:-2])["models"][0]
    assert [p["name"] for p in one["parameters"]] == ["gamma[1]", "eta"]
    assert found["parameters"][2]["shrinkage"] > one["parameters"][1]["shrinkage"]
    (folder / "other.json").write_text(json.dumps([dict(gamma, per="block")]))
    assert 'expected per session' in run(folder, *AGENT, "--parameters", "other.json", status=2)


def test_what_all_share(folder):
    gamma, _, eta = FIXTURE["free"]
    (folder / "shared.json").write_text(json.dumps([gamma, dict(eta, shared=True)]))
    words = ["--parameters", "shared.json", "--subjects", 10, "--steps", 100, "--starts", 1,
             "--process", "process.json"]
    document = recover(folder, *words)
    found = document["models"][0]
    own, common = found["parameters"]
    assert common["shared"] and common["r"] is None and own["r"] is not None
    true = {s["true"][1] for s in found["subjects"]}
    estimate = {s["map"][1] for s in found["subjects"]}
    assert len(true) == len(estimate) == 1 and len({s["true"][0] for s in found["subjects"]}) == 10
    off = estimate.pop() - true.pop()
    assert common["bias"] == pytest.approx(off) and common["rmse"] == pytest.approx(abs(off))
    sd = found["subjects"][0]["sd"][1]
    assert common["coverage"] == (abs(off) <= 1.6448536269514722 * sd)
    # ten subjects together say more than one
    (folder / "both.json").write_text(json.dumps([gamma, eta]))
    alone = recover(folder, "--parameters", "both.json", *words[2:])["models"][0]
    assert sd < np.mean([s["sd"][1] for s in alone["subjects"]])
    assert "shared by all" in run(folder, *AGENT, *words, "--svg", "out.svg")
    ElementTree.parse(folder / "out.svg")
    (folder / "first.json").write_text(json.dumps([dict(eta, shared=True), gamma]))
    found = recover(folder, "--parameters", "first.json", *words[2:])["models"][0]
    assert len({s["true"][0] for s in found["subjects"]}) == 1
    assert len({s["true"][1] for s in found["subjects"]}) == 10
    message = run(folder, *AGENT, *words, "--groups", "gamma=1", status=2)
    assert "parameter eta: expected one value for each subject, found shared" in message
