"""sonde fit: the recorded fit of forty bandit players, and what else a fit can be told."""
# long
import csv
import json
import math
import pathlib
import random
import shlex
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "replay"))

from tables import (BANDIT, bandit, document, recorded, sonde, write_model,  # noqa: E402
                    write_table)

NAMES = ["gamma", "scale", "eta"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The fit of all subjects."""
    folder = tmp_path_factory.mktemp("whole")
    model, table, free, fixture = bandit(folder)
    out = folder / "fit.json"
    run = sonde("fit", model, table, *BANDIT, "--parameters", free, "-o", out, "--quiet",
                "--optimiser", "newton")
    assert run.returncode == 0, run.stderr
    return json.loads(out.read_text()), fixture


def some(folder, n=4, rows=80):
    """A few subjects, a few rows of each."""
    model, _, free, fixture = bandit(folder)
    lines = [[s["subject"], i // (rows // 2) + 1, arm, reward] for s in fixture["subjects"][:n]
             for i, (arm, reward) in enumerate(zip(s["arm"][:rows], s["reward"]))]
    return model, write_table(folder, "subject,session,arm,reward", lines), free


def fit(model, table, *options):
    return document("fit", model, table, *BANDIT, "--quiet", "--optimiser", "newton", *options,
                    "--json")


def test_estimates_are_those_recorded(whole):
    found, fixture = whole
    sd = [f["prior"][1] for f in fixture["free"]]
    for mine, theirs in zip(found["subjects"], fixture["subjects"]):
        for i, name in enumerate(NAMES):
            assert abs(mine["map"][name] - theirs["map"][i]) < 1e-4 * sd[i]
            assert mine["sd"][name] == pytest.approx(theirs["sd"][i], rel=1e-3)
            assert mine["covariance"][i] == pytest.approx(theirs["covariance"][i], abs=1e-4)
        assert abs(mine["log_likelihood"] - theirs["log_likelihood"]) < 1e-4
        assert abs(mine["evidence"] - theirs["evidence"]) < 1e-4
        if "evidence_quadrature" in theirs:
            assert abs(mine["evidence"] - theirs["evidence_quadrature"]) < 0.1
        assert mine["converged"] and mine["gradient"] < 1e-3
        assert mine["n"] == 200 and mine["AIC"] == pytest.approx(6 - 2 * mine["log_likelihood"])
        assert mine["BIC"] == pytest.approx(3 * math.log(200) - 2 * mine["log_likelihood"])
    assert abs(found["evidence"] - fixture["evidence"]) < 1e-3


def test_directions_without_data_are_named(whole):
    found, fixture = whole
    for mine, theirs in zip(found["subjects"], fixture["subjects"]):
        weak = [value for value in sorted(theirs["eigenvalues"]) if value < 1.05]
        assert [w["curvature"] for w in mine["weak"]] == pytest.approx(weak, abs=1e-4)
        assert all(abs(x) > 0.1 for w in mine["weak"] for x in w["weights"].values())


def test_intervals_go_through_the_transform(whole):
    one = whole[0]["subjects"][0]
    z = 1.6448536269514722
    low, high = one["interval_90"]["gamma"]
    assert low == pytest.approx(math.exp(one["map"]["gamma"] - z * one["sd"]["gamma"]))
    assert one["value"]["eta"] == pytest.approx(1 / (1 + math.exp(-one["map"]["eta"])))
    assert high > one["value"]["gamma"] > low


def test_threads_change_no_byte(tmp_path):
    model, table, free = some(tmp_path)
    texts = [sonde("fit", model, table, *BANDIT, "--parameters", free, "--quiet", "--json",
                   "--threads", n).stdout for n in (1, 2, 8)]
    again = [text.replace("--threads 1", "").replace("--threads 2", "").replace("--threads 8", "")
             for text in texts]
    assert again[0] == again[1] == again[2] and len(again[0]) > 1000


def test_one_value_for_each_session_or_for_all(tmp_path):
    model, table, _ = some(tmp_path, 3)
    free = tmp_path / "per.json"
    free.write_text(json.dumps([{"name": "gamma", "target": "gamma", "per": "session"},
                                {"name": "eta", "target": "eta_A", "prior": [0, 1]}]))
    found = fit(model, table, "--parameters", free)
    assert list(found["subjects"][0]["map"]) == ["gamma[1]", "gamma[2]", "eta"]
    assert found["free"] == 9
    free.write_text(json.dumps([{"name": "gamma", "target": "gamma"},
                                {"name": "eta", "target": "eta_A", "prior": [0, 1],
                                 "shared": True}]))
    shared = fit(model, table, "--parameters", free)
    assert shared["free"] == 4
    best = shared["shared"]["eta"]["map"]
    assert all(s["map"]["eta"] == best and s["sd"]["eta"] is None for s in shared["subjects"])

    def total(eta):
        """The evidence with a value of eta that is given."""
        free.write_text(json.dumps([{"name": "gamma", "target": "gamma"}]))
        value = 1 / (1 + math.exp(-eta))
        return fit(model, table, "--parameters", free, "--eta-A", repr(value))["evidence"] \
            - 0.5 * eta * eta
    assert total(best) >= max(total(best - 0.1), total(best + 0.1))
    assert shared["evidence"] == pytest.approx(total(best) + 0.5 * best * best, abs=1e-5)


def test_held_out_sessions(tmp_path):
    model, table, free = some(tmp_path, 2)
    found = fit(model, table, "--parameters", free, "--train", "session=1", "--test", "session=2")
    first = [row for row in csv.DictReader(table.open()) if row["session"] == "1"]
    alone = write_table(tmp_path, "subject,session,arm,reward", [r.values() for r in first],
                        "first.csv")
    same = fit(model, alone, "--parameters", free)
    for mine, theirs in zip(found["subjects"], same["subjects"]):
        assert mine["map"] == pytest.approx(theirs["map"], abs=1e-9)
        assert mine["n"] == 40 and mine["n_test"] == 40
        assert mine["held_out"] < 0
    rest = fit(model, table, "--parameters", free, "--test", "session=2")
    assert rest["subjects"] == found["subjects"]


def test_groups_and_covariates(tmp_path):
    model, table, free = some(tmp_path, 6, 60)
    free.write_text(json.dumps([{"name": "gamma", "target": "gamma", "prior": [0.7, 0.5]}]))
    found = fit(model, table, "--parameters", free, "--group", "eb", "--starts", 1)
    group = found["group"]
    assert group["columns"] == ["intercept"] and group["subjects"] == 6
    maps = [s["map"]["gamma"] for s in found["subjects"]]
    assert group["beta"][0][0] == pytest.approx(sum(maps) / 6, abs=2e-3)
    covariates = write_table(tmp_path, "subject,who,age",
                             [[s["subject"], "ab"[i % 2], 20 + i * i]
                              for i, s in enumerate(found["subjects"])], "covariates.csv")
    more = fit(model, table, "--parameters", free, "--group", "eb", "--starts", 1,
               "--covariates", covariates)["group"]
    assert more["columns"] == ["intercept", "who[b]", "age"]
    assert set(more["effects"]) == {"who", "age"}
    text = covariates.read_text().replace(",20\n", ",\n", 1)
    covariates.write_text(text)
    out = tmp_path / "none.json"
    run = sonde("fit", model, table, *BANDIT, "--parameters", free, "--group", "eb",
                "--covariates", covariates, "-o", out)
    assert run.returncode == 3 and "column age" in run.stderr and not out.exists()
    covariates.write_text(text.replace(",\n", ",2O\n", 1))
    run = sonde("fit", model, table, *BANDIT, "--parameters", free, "--group", "eb",
                "--covariates", covariates, "-o", out)
    assert run.returncode == 3 and not out.exists()
    assert "column age: expected a number, as most others have, found \"2O\"" in run.stderr


def test_a_group_has_a_mean_for_each_session(tmp_path):
    model, table, _ = some(tmp_path, 4, 40)
    free = tmp_path / "per.json"
    free.write_text(json.dumps([{"name": "gamma", "target": "gamma", "per": "session"}]))
    found = fit(model, table, "--parameters", free, "--group", "eb", "--starts", 1)
    group = found["group"]
    assert group["parameters"] == list(found["subjects"][0]["map"]) == ["gamma[1]", "gamma[2]"]
    for name, beta in zip(group["parameters"], group["beta"]):
        maps = [s["map"][name] for s in found["subjects"]]
        assert beta[0] == pytest.approx(sum(maps) / 4, abs=0.01)


def test_a_table_is_text_in_utf_8(tmp_path):
    model, table, _ = some(tmp_path, 2, 10)
    table.write_bytes(table.read_bytes().replace(b"\n", b"\nm\xfcller", 1))
    run = sonde("fit", model, table, *BANDIT, "--free", "gamma", "--quiet")
    assert run.returncode == 3 and "found the byte 0xfc; save the table as UTF-8" in run.stderr


def test_confounds_are_weak(tmp_path):
    """Horizon 1, one factor: only alpha gamma counts; certain A, no novelty: only gamma scale."""
    model, table, _ = some(tmp_path, 1)
    found = document("fit", model, table, "--timing", "after", "--learn", "--quiet", "--free",
                     "gamma,alpha", "--optimiser", "newton", "--json")["subjects"][0]
    flat = found["weak"][0]
    assert flat["curvature"] == pytest.approx(1, abs=1e-4)
    assert flat["weights"]["gamma"] == pytest.approx(-flat["weights"]["alpha"], abs=1e-3)
    # along the flat direction the estimate is the prior's
    assert found["map"]["gamma"] == pytest.approx(found["map"]["alpha"], abs=1e-4)
    certain = {"format": "sonde-model", "version": 1, "horizon": 1, "preferences": "utility",
               "factors": [{"name": "arm", "states": 2, "actions": 2}],
               "modalities": [{"name": "reward", "outcomes": ["loss", "win"]}],
               "A": [[[1.0, 0.0], [0.0, 1.0]]],
               "B": [[[[1.0, 0.0], [1.0, 0.0]], [[0.0, 1.0], [0.0, 1.0]]]],
               "C": [[-0.3, 0.3]], "D": [[0.5, 0.5]]}
    other = write_model(tmp_path, certain, "certain.json")
    rows = [["s", i % 3 != 0 and 1 or 0] for i in range(30)]
    choices = write_table(tmp_path, "subject,arm,reward", [[s, a, a] for s, a in rows],
                          "choices.csv")
    found = document("fit", other, choices, "--timing", "after", "--quiet", "--free",
                     "gamma,scale of C[reward]", "--optimiser", "newton", "--json")["subjects"][0]
    flat = found["weak"][0]
    # in units of the priors, whose sd are 1 and 0.5, ln gamma + ln scale is what counts
    assert flat["curvature"] == pytest.approx(1, abs=1e-4)
    assert flat["weights"]["gamma"] / flat["weights"]["scale of C[reward]"] == \
        pytest.approx(-0.5, abs=1e-3)


def test_draws_from_the_posterior(tmp_path):
    """Their means and covariances are those of the Laplace approximation; what is shared is drawn
    together."""
    model, table, free = some(tmp_path, 2, 60)
    out = tmp_path / "draws.csv"
    found = fit(model, table, "--parameters", free, "--starts", 1, "--posterior", 4000,
                "--posterior-csv", out)
    rows = list(csv.DictReader(out.open()))
    assert len(rows) == 2 * 4000 * 3
    for i, (subject, drawn) in enumerate(zip(found["subjects"], found["posterior"])):
        assert drawn["subject"] == subject["subject"]
        own = [math.log, math.log, lambda p: math.log(p / (1 - p))]
        theta = [[out(x) for x in drawn["values"][name]] for out, name in zip(own, NAMES)]
        mean = [sum(t) / 4000 for t in theta]
        for p, name in enumerate(NAMES):
            sd = subject["sd"][name]
            assert abs(mean[p] - subject["map"][name]) < 0.08 * sd
            for q, other in enumerate(NAMES):
                both = sum((a - mean[p]) * (b - mean[q]) for a, b in zip(theta[p], theta[q])) / 4000
                assert abs(both - subject["covariance"][p][q]) < 0.1 * sd * subject["sd"][other]
        told = [float(r["value"]) for r in rows
                if r["subject"] == subject["subject"] and r["parameter"] == "gamma"]
        assert told == drawn["values"]["gamma"] and len(set(told)) == 4000
    free.write_text(json.dumps([{"target": "gamma"}, {"target": "eta_A", "shared": True}]))
    first, second = fit(model, table, "--parameters", free, "--posterior", 5)["posterior"]
    assert first["values"]["eta_A"] == second["values"]["eta_A"]
    assert first["values"]["gamma"] != second["values"]["gamma"]


WRONG = [
    (["--free", "gamma,et_A"], "there is no parameter \"et_A\"; did you mean \"eta_A\"?"),
    (["--free", "gamma,C[reward][won]"], "no outcome \"won\"; did you mean \"win\"?"),
    (["--parameters", [{"target": "gamma", "prior": [0, -1]}]], "a standard deviation above 0"),
    (["--parameters", [{"target": "gamma", "prior": [0]}]], "[0].prior: expected [mean, standard"),
    (["--parameters", [{"target": "gamma", "transform": "identity"}]], "let it be negative"),
    (["--parameters", [{"target": "gamma", "per": "block"}]], "there is no column \"block\""),
    (["--parameters", [{"target": "gamma"}, {"target": "gamma"}]], "two parameters are called"),
    (["--free", "gamma", "--train", "session=9"], "no row that counts has session=9"),
    (["--free", "lambda"], "parameter lambda: nothing costs anything in this model"),
    (["--free", "gamma", "--group", "eb", "--covariates", "nowhere.csv"], "nowhere.csv"),
]


@pytest.mark.parametrize("options,sentence", WRONG, ids=[w[1][:30] for w in WRONG])
def test_what_is_wrong(options, sentence, tmp_path):
    model, table, _ = some(tmp_path, 2, 10)
    if isinstance(options[1], list):
        path = tmp_path / "free.json"
        path.write_text(json.dumps(options[1]))
        options = [options[0], path]
    out = tmp_path / "fit.json"
    run = sonde("fit", model, table, *BANDIT, *options, "-o", out, "--quiet")
    assert run.returncode == 3, run.stderr
    assert sentence in run.stderr and len(run.stderr.splitlines()) == 1 and not out.exists()


def test_nothing_is_learned_without_learning(tmp_path):
    model, table, _ = some(tmp_path, 2, 10)
    run = sonde("fit", model, table, "--timing", "after", "--free", "eta_A", "--quiet")
    assert run.returncode == 3 and "the agent does not learn" in run.stderr


def test_rates_by_outcome_and_expected_precision_are_options_of_fits(tmp_path):
    model, table, _ = some(tmp_path, 2, 60)
    apart = ["--eta-outcome", "reward.win=0.9,reward.loss=0.1"]
    expected = ["--precision", "expected", "--alpha-g", "2", "--beta-g", "0.5"]
    seen = set()
    for words, name in ((["--eta-A", "0.5"], "gamma"), (apart, "gamma"), (expected, "beta_g")):
        words = [model, table, *BANDIT, *words]
        fit = document("fit", *words, "--free", name, "--json", "--quiet")
        for one in fit["subjects"]:
            value = math.exp(one["map"][name])
            again = document("replay", *words, "--set", f"{name}={value!r}", "--json", "--quiet")
            same, = [s for s in again["subjects"] if s["subject"] == one["subject"]]
            assert one["log_likelihood"] == pytest.approx(same["log_likelihood"], abs=1e-9)
            seen.add(round(one["log_likelihood"], 6))
    assert len(seen) == 6
    # what is kept of one is not taken for another
    store = ["--free", "gamma", "--db", tmp_path / "store.sqlite", "--quiet", "--json"]
    assert sonde("fit", model, table, *BANDIT, *apart, *store).returncode == 0
    run = sonde("fit", model, table, *BANDIT, "--eta-outcome", "reward.win=0.8", *store)
    assert run.returncode == 3 and "has another fit" in run.stderr


def test_the_example_of_the_page_is_fitted_as_it_was_exported(tmp_path):
    page = (pathlib.Path(__file__).resolve().parents[2] / "docs/fitting.md").read_text()
    (tmp_path / "arms.json").write_text(page.split("```json")[1].split("```")[0])
    chance = random.Random(1)
    lines = ["Participant;Trial;Choice;Feedback;RT"]
    for one in range(8):
        for trial in range(40):
            side = chance.random() < 0.5
            cells = ["Left", "Right"][side], ["lose", "win"][chance.random() < 0.3 + 0.4 * side]
            lines.append(f"{101 + one};{trial};" + (";;" if trial % 13 == 5 else ";".join(cells)
                                                    + ";1,237"))
    (tmp_path / "people.csv").write_bytes(("\ufeff" + "\r\n".join(lines) + "\r\n").encode())
    who = ["Participant;Group;Age"] + [f"{101 + i};{'ab'[i % 2]};{20 + i * i % 5},5"
                                       for i in range(8)]
    (tmp_path / "who.csv").write_text("\n".join(who) + "\n")
    shown, = (block for block in page.split("\n\n") if block.startswith("    sonde fit arms.json"))
    words = shlex.split(shown.replace("\\\n", " "))
    words = words[2:words.index("fit.json") + 1]
    run = sonde("fit", *words, "--quiet", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "320 rows of 8 subjects, outcomes after actions; the agent learns" in run.stdout
    assert "say nothing about some direction" in run.stdout and "is the group's" in run.stdout
    group = json.loads((tmp_path / "fit.json").read_text())["group"]
    assert group["columns"] == ["intercept", "Group[b]", "Age"]
    # the same between commas, with a point, and a column that is called subject last
    (tmp_path / "who.csv").write_text("\n".join(
        ",".join([*line.replace(",", ".").split(";")[1:], line.split(";")[0]])
        for line in who).replace("Participant", "subject") + "\n")
    assert sonde("fit", *words, "--quiet", cwd=tmp_path).returncode == 0
    assert json.loads((tmp_path / "fit.json").read_text())["group"] == group
    (tmp_path / "who.csv").write_text("\n".join(who[:-1]) + "\n")
    run = sonde("fit", *words, "--quiet", cwd=tmp_path)
    assert run.returncode == 3 and "a first column that has every subject" in run.stderr
    run = sonde("fit", "arms.json", "people.csv", "--learn", "--free", "gamma", cwd=tmp_path)
    assert run.returncode == 3 and run.stderr.endswith(
        "header: expected a column subject, found Participant, Trial, Choice, Feedback, RT; say "
        "with map which it is, as in subject=COLUMN\n")


def test_every_target_is_smooth(tmp_path):
    """A step of 1e-6 along any target changes the log-likelihood by less than 1e-4."""
    fixture = recorded("bench-tmaze")
    model = dict(fixture["model"], cost=[[0, 0, 0, 0], [0, 0.3, -0.2], [0, 0, 0]])
    model["counts"]["A"][1][1][1][0] *= 1.5
    model["A"] = [model["A"][0], None, model["A"][2]]
    path = write_model(tmp_path, model)
    rows = [[0, e, t, *o, u[0]] for e, (seen, done) in
            enumerate(zip(fixture["outcomes"][:30], fixture["actions"]))
            for t, (o, u) in enumerate(zip(seen, done))]
    table = write_table(tmp_path, "subject,episode,step,o0,o1,o2,u0", rows)
    targets = ["gamma", "alpha", "lapse", "lambda", "nu_A", "eta_A", "omega", "eta_A[reward][1]",
               "omega[reward][2]", "C[reward][1]", "D[context]", "scale of C[reward]",
               "scale of counts.A[reward]", "precision of A[reward]"]
    usual = [0.3 if t in ("lapse", "omega", "D[context]") or "[reward][" in t else 1.2
             for t in targets]
    sets = [usual] + [[x * (1 + (1e-6 if i == k else 0)) for i, x in enumerate(usual)]
                      for k in range(len(targets))]
    file = write_table(tmp_path, ",".join(targets), [[repr(x) for x in s] for s in sets],
                       "sets.csv")
    found = document("replay", path, table, "--learn", "--novelty", "joint", "--sets", file,
                     "--json")["sets"]
    ll = [s["log_likelihood"] for s in found]
    for k, target in enumerate(targets):
        assert 0 < abs(ll[k + 1] - ll[0]) < 1e-4, target


def test_report(whole, tmp_path):
    found, _ = whole
    file = tmp_path / "fit.json"
    file.write_text(json.dumps(found))
    run = sonde("report", file, "-o", tmp_path / "report")
    assert run.returncode == 0, run.stderr
    page = (tmp_path / "report" / "index.html").read_text()
    assert "s40" in page and page.endswith("</html>\n")
    rows = list(csv.DictReader((tmp_path / "report" / "tables" / "subjects.csv").open()))
    assert len(rows) == 40
    for row, subject in zip(rows, found["subjects"]):
        assert float(row["gamma"]) == subject["value"]["gamma"]
        assert float(row["eta_sd"]) == subject["sd"]["eta"]
    for name in ("tables/subjects.tex", "tables/parameters.csv", "summary.json"):
        assert (tmp_path / "report" / name).stat().st_size > 100
    file.write_text("{}")
    assert sonde("report", file, "-o", tmp_path / "other").returncode == 3
