"""sonde replay --scheme spm against recorded runs of spm_MDP_VB_X (tests/data/learning)."""
import gzip
import json
import os
import pathlib
import subprocess

import pytest

DATA = pathlib.Path(os.environ["SONDE_TEST_DATA"]) / "learning"
COMMAND = os.environ["SONDE_COMMAND"]
RECORDED = sorted(path.name for path in DATA.glob("*.spm.json.gz")
                  if not path.name.startswith("bms"))


def sonde(*words, **more):
    return subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True, **more)


def recorded(name):
    return json.loads(gzip.decompress((DATA / name).read_bytes()))


def document(fixture):
    """What is given: model, settings, outcomes and actions."""
    return {"format": "sonde-spm", "version": 1, "model": fixture["model"],
            "trials": [{"o": t["o"], "u": t["u"]} for t in fixture["trials"]]}


def apart(a, b):
    """The largest difference of two nested lists, infinite where their shapes differ."""
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            return float("inf")
        return max((apart(x, y) for x, y in zip(a, b)), default=0.0)
    return float("inf") if isinstance(a, list) or isinstance(b, list) else abs(a - b)


@pytest.fixture
def trials(tmp_path):
    def write(fixture):
        path = tmp_path / "trials.json"
        path.write_text(json.dumps(fixture))
        return path
    return write


@pytest.mark.parametrize("name", RECORDED)
def test_trials_are_those_of_spm(name, trials):
    fixture = recorded(name)
    run = sonde("replay", trials(document(fixture)), "--scheme", "spm", "--json")
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert abs(found["log_likelihood"] - fixture["log_likelihood"]) < 1e-8
    assert len(found["trials"]) == len(fixture["trials"])
    for mine, theirs in zip(found["trials"], fixture["trials"]):
        for key in set(theirs) - {"o", "u"}:
            assert apart(mine[key], theirs[key]) < 1e-9, key


def tmaze():
    return document(recorded("tmaze-ade.spm.json.gz"))


def changed(where, value):
    made = tmaze()
    at = made
    for key in where[:-1]:
        at = at[key]
    at[where[-1]] = value
    return made


@pytest.mark.parametrize("where, value, sentence", [
    (("model", "U"), [[1]], "model.U: is no part of the scheme here: policies that move"),
    (("model", "MDP"), {}, "model.MDP: is no part of the scheme here: a level below"),
    (("model", "omega"), 1, "model.omega: is no part"),
    (("model", "T"), 4, "model.T: expected 3"),
    (("model", "beta"), 0, "model.beta: expected a number above 0"),
    (("model", "eta"), -1, "model.eta: expected"),
    (("model", "e"), [1, 2], "model.e: expected a number for each of 6 policies"),
    (("model", "a", 1, 1, 1, 0), -1, "model.a[1]: expected numbers from 0"),
    (("model", "V", 0, 0), [5, 1], "model.V[0][0]: expected a whole number from 1 to 4"),
    (("model", "d"), [[1, 1], [1, 1]], "model.d[0]: expected an array of 4 states"),
    (("trials", 0, "o", 0, 0), 0, "trials[0].o[0][0]: expected a whole number from 1 to 4"),
    (("trials", 2, "u"), [[1]], "trials[2].u: expected 2 lists of 2 numbers"),
    (("trials",), [], "expected trials with o"),
    (("trials", 0, "x"), 1, "trials[0]"),
    (("format",), "sonde-model", "sonde-spm"),
])
def test_what_is_wrong_with_a_file_is_said_in_a_sentence(where, value, sentence, trials):
    run = sonde("replay", trials(changed(where, value)), "--scheme", "spm")
    assert run.returncode == 3, run.stderr
    assert sentence in run.stderr
    assert run.stdout == ""


def test_a_scheme_has_to_be_named(trials):
    run = sonde("replay", trials(tmaze()))
    assert run.returncode == 2
    assert "--scheme spm" in run.stderr


def test_a_trial_without_actions_has_no_likelihood_and_the_same_beliefs(trials):
    whole, bare = tmaze(), tmaze()
    for trial in bare["trials"]:
        del trial["u"]
    first, second = (json.loads(sonde("replay", trials(one), "--scheme", "spm", "--json").stdout)
                     for one in (whole, bare))
    assert second["log_likelihood"] == 0
    assert [t["X"] for t in first["trials"]] == [t["X"] for t in second["trials"]]


def test_an_array_of_zeros_is_uniform_and_one_column_of_preferences_stands_for_all(trials):
    plain, said = tmaze(), tmaze()
    del plain["model"]["d"], plain["model"]["D"]
    del said["model"]["d"]
    said["model"]["D"] = [[0.25] * 4, [0.5] * 2]
    for made in (plain, said):
        made["model"]["C"] = [[[row[0]] * 3 for row in c] for c in made["model"]["C"]]
    plain["model"]["C"] = [[row[0] for row in c] for c in plain["model"]["C"]]
    first, second = (sonde("replay", trials(one), "--scheme", "spm", "--json").stdout
                     for one in (plain, said))
    assert first == second and first


def test_one_policy_is_certain_and_nothing_is_expected_of_it(trials):
    made = tmaze()
    made["model"]["V"] = [[[4, 1]], [[2, 1]]]
    made["model"]["e"] = [1]
    made["trials"] = made["trials"][:1]
    found = json.loads(sonde("replay", trials(made), "--scheme", "spm", "--json").stdout)
    trial = found["trials"][0]
    assert trial["R"] == [[1, 1, 1]] and trial["G"] == [[0, 0, 0]] and trial["w"] == [1, 1, 1]
    assert trial["H"] == trial["F"][0]
    assert found["log_likelihood"] == 0


IDLE = [["--gamma", 2], ["--alpha", 3], ["--set", "alpha=3"], ["--sets", "x.csv"], ["--lapse", .1],
        ["--learn"], ["--fixed"], ["--horizon", 2], ["--preferences", "log"], ["--counts"],
        ["--timing", "after"], ["--map", "subject=who"], ["--seed", 1], ["--like", "pymdp"]]


@pytest.mark.parametrize("words", IDLE, ids=lambda words: words[0])
@pytest.mark.parametrize("verb", ["replay", "fit"])
def test_an_option_that_the_scheme_does_not_use_is_refused(verb, words, trials):
    if verb == "fit" and words[0] in ("--set", "--sets", "--counts", "--seed"):
        return
    free = ["--free", "beta"] if verb == "fit" else []
    run = sonde(verb, trials(tmaze()), "--scheme", "spm", *free, *words)
    assert run.returncode == 2 and run.stdout == ""
    assert words[0] in run.stderr and "leave it out" in run.stderr, run.stderr


def test_a_second_file_of_trials_is_refused(trials):
    run = sonde("replay", trials(tmaze()), "nowhere.csv", "--scheme", "spm")
    assert run.returncode == 2 and run.stdout == ""
    assert 'expected one file with a model and its trials' in run.stderr


def test_trials_have_a_table_with_a_row_for_each(trials, tmp_path):
    path = trials(tmaze())
    assert sonde("replay", path, "--scheme", "spm", "--csv", tmp_path / "rows.csv").returncode == 0
    head, *rows = (tmp_path / "rows.csv").read_text().splitlines()
    assert head == "trial,policy,probability,precision,evidence,log_likelihood"
    found = json.loads(sonde("replay", path, "--scheme", "spm", "--json").stdout)
    assert len(rows) == len(found["trials"])
    total = sum(float(row.split(",")[-1]) for row in rows)
    assert total == pytest.approx(found["log_likelihood"], abs=1e-12)


def test_the_command_of_a_fit_names_what_the_scheme_uses(trials):
    run = sonde("fit", trials(tmaze()), "--scheme", "spm", "--free", "beta", "--starts", 1)
    again = run.stdout.split("again: ")[1]
    assert "--scheme spm" in again and "--seed" in again
    assert "--alpha" not in again and "--preferences" not in again and "--timing" not in again
