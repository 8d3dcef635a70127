"""Data, replay and loglik against the recorded numbers of an independent implementation."""
import gzip
import json
import threading
import warnings

import numpy as np
import pytest
from conftest import ROOT, command

import sonde

RECORDED = json.loads(gzip.decompress(
    (ROOT / "tests/data/learning/fit-bandit.json.gz").read_bytes()))
SUBJECTS = RECORDED["subjects"]
RULES = {"learn": True, "novelty": "joint"}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "bandit.json"
    path.write_text(json.dumps(RECORDED["model"]))
    return sonde.Model.from_file(path)


def arrays(n=40):
    obs = np.array([s["reward"] for s in SUBJECTS[:n]])
    act = np.array([s["arm"] for s in SUBJECTS[:n]])
    return obs[..., None], act[..., None]


def text(n=40, sep=","):
    lines = [sep.join(["subject", "arm", "reward"])]
    for s in SUBJECTS[:n]:
        lines += [sep.join([s["subject"], str(u), ["loss", "win"][o]])
                  for u, o in zip(s["arm"], s["reward"])]
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def data():
    return sonde.Data.from_arrays(*arrays(), timing="after")


def test_likelihoods_are_those_of_the_fixture(model, data):
    ll = sonde.loglik(model, data, RECORDED["free"], **RULES)
    theta = np.array([s["map"] for s in SUBJECTS])
    found = np.array([ll(theta[i])[i] for i in range(40)])
    assert found == pytest.approx([s["log_likelihood"] for s in SUBJECTS], abs=1e-8)
    at_truth = [ll.subject(i)(SUBJECTS[i]["true"]) for i in range(40)]
    assert at_truth == pytest.approx([s["log_likelihood_at_true"] for s in SUBJECTS], abs=1e-8)


def test_many_sets_are_the_same_bytes_as_each_alone_on_any_threads(model, data):
    theta = sonde.Parameters(model, RECORDED["free"]).draw(7, seed=3)
    one = sonde.loglik(model, data, RECORDED["free"], threads=1, **RULES)
    two = sonde.loglik(model, data, RECORDED["free"], threads=2, **RULES)
    together = one(theta)
    assert together.shape == (7, 40)
    assert (two(theta) == together).all()
    for i in range(7):
        assert (one(theta[i]) == together[i]).all()
    assert (one.subject(5)(theta) == together[:, 5]).all()


def test_the_posterior_has_the_prior_in_it(model, data):
    ll = sonde.loglik(model, data, RECORDED["free"], **RULES)
    theta = ll.parameters.draw(4)
    mean, sd = ll.parameters.mean, ll.parameters.sd
    prior = (-.5 * ((theta - mean) / sd)**2 - np.log(sd * np.sqrt(2 * np.pi))).sum(axis=1)
    assert ll.parameters.log_prior(theta) == pytest.approx(prior, abs=1e-12)
    assert ll.log_posterior(theta) == pytest.approx(ll(theta) + prior[:, None], abs=1e-12)
    assert ll.subject("s4", prior=True)(theta) == pytest.approx(ll.log_posterior(theta)[:, 3],
                                                                abs=1e-9)


def test_scipy_finds_the_recorded_estimates(model, data):
    optimize = pytest.importorskip("scipy.optimize")
    ll = sonde.loglik(model, data, RECORDED["free"], **RULES)
    for i in (0, 7, 23):
        found = optimize.minimize(lambda theta, f=ll.subject(i, prior=True): -f(theta),
                                  ll.parameters.start)
        assert found.x == pytest.approx(SUBJECTS[i]["map"], abs=1e-4)


def test_other_threads_run_while_the_library_works(model, data):
    ll = sonde.loglik(model, data, RECORDED["free"], threads=1, **RULES)
    theta = ll.parameters.draw(8)
    alone, count, done = ll(theta), [0], threading.Event()

    def work():
        assert (ll(theta) == alone).all()
        done.set()
    worker = threading.Thread(target=work)
    worker.start()
    while not done.is_set():
        count[0] += 1
    worker.join()
    assert count[0] > 1000


def test_a_replay_says_what_the_likelihood_adds_up(model, data):
    theta = np.array([s["map"] for s in SUBJECTS])
    found = sonde.replay(model, data, free=RECORDED["free"], theta=theta, efe=True, counts=True,
                         **RULES)
    ll = sonde.loglik(model, data, RECORDED["free"], **RULES)
    alone = [ll.subject(i)(theta[i]) for i in range(40)]
    assert found.log_likelihood == pytest.approx(alone, abs=1e-10)
    assert found.log_p.reshape(40, 200).sum(axis=1) == pytest.approx(found.log_likelihood)
    assert found.p == pytest.approx(np.exp(found.log_p))
    assert found.belief.shape == (8000, 2) and found.efe.shape == (8000, 2)
    # each row adds eta to the counts of A, from 4 on
    eta = 1 / (1 + np.exp(-theta[:, 2]))
    assert found.counts[199::200].sum(axis=1) == pytest.approx(4 + 200 * eta)
    hits = (found.likeliest == found.rows.action).reshape(40, 200).mean(axis=1)
    assert found.hits == pytest.approx(hits)
    assert found.mean_p == pytest.approx(np.exp(found.log_likelihood / 200))
    assert found.bic == pytest.approx(3 * np.log(200) - 2 * found.log_likelihood)


def test_tables_frames_and_arrays_are_the_same_data(model, data, tmp_path):
    pandas = pytest.importorskip("pandas")
    whole = sonde.replay(model, data, **RULES).log_p
    (tmp_path / "t.csv").write_text(text())
    (tmp_path / "t.tsv.gz").write_bytes(gzip.compress(text(sep="\t").encode()))
    frame = pandas.DataFrame({"who": np.repeat([s["subject"] for s in SUBJECTS], 200),
                              "choice": arrays()[1].reshape(-1) + 1,
                              "outcome": np.where(arrays()[0].reshape(-1), 1, -1)})
    for other in (sonde.Data(text(), timing="after"),
                  sonde.Data.from_csv(tmp_path / "t.csv", timing="after"),
                  sonde.Data.from_csv(tmp_path / "t.tsv.gz", timing="after"),
                  sonde.Data.from_arrays(arrays()[0].reshape(-1), arrays()[1].reshape(-1),
                                         [200] * 40, timing="after"),
                  sonde.Data.from_frame(frame, subject="who", outcomes={"reward": "outcome"},
                                        actions={"arm": "choice"}, timing="after", base=1,
                                        map={"reward.loss": -1, "reward.win": 1})):
        assert (sonde.replay(model, other, **RULES).log_p == whole).all()
    listed = sonde.Data.from_frame(
        pandas.DataFrame({"who": frame["who"], "c": frame["choice"] - 1,
                          "o": (frame["outcome"] > 0).astype(int)}),
        subject="who", outcomes=["o"], actions=["c"], timing="after")
    assert (sonde.replay(model, listed, **RULES).log_p == whole).all()


def test_missing_outcomes_and_actions_are_marked(model):
    obs, act = (a[0].astype(float) for a in arrays(1))
    obs[5] = np.nan
    seen = sonde.Data.from_arrays(obs, act, timing="after")
    assert seen.rows(model).outcome[5, 0] == -1
    act[7] = -1
    with pytest.raises(sonde.BadInput, match="row 8"):
        sonde.replay(model, sonde.Data.from_arrays(obs, act, timing="after"), **RULES)
    gone = sonde.Data.from_arrays(obs, act, timing="after", missing="predict")
    found = sonde.replay(model, gone, **RULES)
    assert found.n[0] == 199 and np.isnan(found.log_p[7])


def test_episodes_and_other_columns_of_arrays(model):
    obs, act = arrays(2)
    data = sonde.Data.from_arrays(obs, act, episodes=50, timing="after",
                                  score=np.tile([0] + [1] * 49, 8))
    rows = data.rows(model)
    assert rows.episode[:200].tolist() == np.repeat(range(4), 50).tolist()
    assert rows.score.sum() == 2 * 196 and len(rows) == 400
    uneven = sonde.Data.from_arrays(obs, act, episodes=[150, 50], timing="after")
    assert uneven.rows(model).step[149:151].tolist() == [149, 0]


def test_people_are_not_taken_for_one(model):
    class Frame(dict):  # as much of a DataFrame as is looked at
        columns = property(list)

    obs, act = np.array([0, 1, 1, 0]), np.array([0, 1, 0, 1])
    one = Frame(subjID=np.array(list("abab")), o0=obs, u0=act)
    both = Frame(one, subject=np.array(list("xxxx")))
    with pytest.raises(sonde.BadInput, match="one column for subject, found subjID and subject; "):
        sonde.Data.from_frame(both, subject="subjID")
    assert sonde.Data.from_frame(one, subject="subjID").rows(model).subjects == ["a", "b"]
    with pytest.raises(sonde.BadInput, match="subjects: expected different names, found 'a' twice"):
        sonde.Data.from_arrays(obs, act, [2, 2], subjects=["a", "a"])
    sessions = sonde.Data.from_arrays(obs, act, [2, 2], subjects=["a", "a"], session=[1, 1, 2, 2])
    assert sessions.rows(model).session.tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("make, words", [
    (lambda: sonde.Data.from_arrays([[0, 1]], [[0]], timing="never"), "timing: expected before"),
    (lambda: sonde.Data.from_arrays([0, 1], [0]), "act: expected as many rows"),
    (lambda: sonde.Data.from_arrays([0, .5], [0, 1]), "obs: expected whole numbers, found 0.5"),
    (lambda: sonde.Data.from_arrays([0, 1], [0, 1], [3]), "lengths: expected rows of each"),
    (lambda: sonde.Data.from_arrays([0, 1], [0, 1], episodes=[1]), "episodes: expected 2 steps"),
    (lambda: sonde.Data.from_arrays([0, 1], [0, 1], episodes=0), "episodes: .* 1 or more, found 0"),
    (lambda: sonde.Data.from_arrays([0, 1], [0, 1], episodes=[-1, 3]), "1 or more, found -1"),
    (lambda: sonde.Data.from_arrays([0, 1], [0, 1], episodes=1.5), "episodes: expected whole"),
    (lambda: sonde.Data.from_arrays([0, 1], [0, 1], [1.7, 1.3]), "lengths: expected whole numbers"),
    (lambda: sonde.Data.from_arrays([0, 1], [0, 1], drug=[1]), "drug: expected 2 values"),
    (lambda: sonde.Data("subject", missing="x"), "missing: expected error or predict"),
])
def test_what_is_wrong_with_arrays_is_a_sentence(make, words):
    with pytest.raises(sonde.BadInput, match=words):
        make()


def test_what_is_wrong_with_cells_and_parameters_is_a_sentence(model, data):
    with pytest.raises(sonde.BadInput, match='row 2, column reward: .*did you mean "win"'):
        sonde.replay(model, sonde.Data("subject,arm,reward\na,0,win\na,1,Win\n"))
    with pytest.raises(sonde.BadInput, match="gama"):
        sonde.loglik(model, data, "gama", **RULES)
    with pytest.raises(sonde.BadInput, match="theta: expected 3 numbers"):
        sonde.loglik(model, data, RECORDED["free"], **RULES)([1.0])
    with pytest.raises(sonde.BadInput, match="theta: goes with free"):
        sonde.replay(model, data, theta=[1.0])
    with pytest.raises(sonde.NoFile):
        sonde.replay(model, "nowhere.csv")
    with pytest.raises(TypeError, match="data: expected Data, a file or a frame"):
        sonde.replay(model, 3)


def test_free_parameters_are_named_in_many_ways(model, tmp_path):
    (tmp_path / "free.json").write_text(json.dumps(RECORDED["free"]))
    for free in (RECORDED["free"], tmp_path / "free.json", str(tmp_path / "free.json")):
        found = sonde.Parameters(model, free)
        assert found.names == ["gamma", "scale", "eta"] and found.mean.tolist() == [.7, .5, 0]
    short = sonde.Parameters(model, ["gamma", {"name": "rate", "target": "eta_A"}])
    assert short.transforms == ["log", "logit"]
    assert short.out([np.log(2), 0]) == pytest.approx([2, .5])
    assert sonde.Parameters(model, {"gamma": {"prior": [0, 2]}}).sd.tolist() == [2]
    assert len(sonde.Parameters(model, "gamma,eta_A")) == 2


def test_another_agent_than_the_one_beside_a_table_is_warned_of(tmp_path):
    file, table = ROOT / "examples/learning/bandit.json", tmp_path / "b.csv"
    simulated = ["simulate", file, "--learn", "--eta-A", .5, "--alpha", 2, "--data", table]
    command(*simulated)
    with pytest.warns(RuntimeWarning, match=r"b.csv.json, is another \(alpha 2, learns\); give"):
        sonde.replay(file, table)
    with pytest.warns(RuntimeWarning, match=r"\(gamma 4, learns\)"):
        sonde.loglik(file, table, "gamma", gamma=1, alpha=2)
    with pytest.warns(RuntimeWarning, match=r"\(learns\)"):
        sonde.fit(file, sonde.Data.from_csv(table), "gamma", alpha=2.0, starts=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sonde.replay(file, table, learn=False, alpha=2)
        found = sonde.replay(file, table, learn={"eta_A": .5}, alpha=np.float32(2))
        (tmp_path / "b.csv.json").write_text("{")
        sonde.replay(file, table)
    command(*simulated)
    told = json.loads(command("replay", file, table, "--json"))
    assert told["subjects"][0]["log_likelihood"] == found.log_likelihood[0]


def test_rows_become_a_frame_of_regressors(model, data):
    pytest.importorskip("pandas")
    found = sonde.replay(model, data, efe=True, **RULES)
    frame = found.frame(rows=True)
    assert found.rows.frame().shape == (8000, 7)
    assert {"q_arm_0", "update_arm", "error_reward", "G_1", "surprise"} <= set(frame.columns)
    assert len(frame) == 8000 and len(found.frame()) == 40
