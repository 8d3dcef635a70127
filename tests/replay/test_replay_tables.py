"""sonde replay MODEL TABLE: recorded runs, tables of every kind, and what is wrong with some."""
import csv
import json
import math

import pytest

from tables import (BANDIT, DATA, bandit, bench, document, pymdp, recorded, sonde, write_model,
                    write_table)

PYMDP = sorted(path.name[:-8] for path in DATA.glob("*.pymdp-*.json.gz")
               if "window" not in path.name)


@pytest.mark.parametrize("name", ["bench-tmaze", "bench-bandit"])
def test_bench_log_likelihoods(name, tmp_path):
    model, table, fixture = bench(tmp_path, name)
    learning = document("replay", model, table, "--learn", "--eta-A", 0.5, "--counts", "--json")
    fixed = document("replay", model, table, "--json")
    assert abs(learning["log_likelihood"] - fixture["log_likelihood"]["learning"]) < 1e-8
    assert abs(fixed["log_likelihood"] - fixture["log_likelihood"]["fixed"]) < 1e-8
    after = [x for array in fixture["counts_after"]["A"] if array is not None
             for x in flat(array)]
    assert learning["subjects"][0]["steps"][-1]["counts"] == pytest.approx(after, abs=1e-9)


def flat(value):
    return [x for part in value for x in flat(part)] if isinstance(value, list) else [value]


@pytest.mark.parametrize("name", PYMDP)
def test_log_likelihoods_of_pymdp(name, tmp_path):
    model, table, options, fixture = pymdp(tmp_path, name)
    found = document("replay", model, table, *options, "--json")
    assert abs(found["log_likelihood"] - fixture["log_likelihood"]) < 1e-8
    for mine, theirs in zip(found["subjects"][0]["steps"], fixture["steps"]):
        p = math.prod(theirs["p_action"][f][u] for f, u in enumerate(theirs["action"]))
        assert abs(mine["p"] - p) < 1e-9


@pytest.mark.parametrize("options", [[], ["--learn", "--eta-A", 0.5, "--novelty", "joint"],
                                     ["--learn", "--when", "step-before", "--gamma", 3],
                                     ["--learn", "--when", "episode", "--omega", 0.1]])
def test_a_simulated_run_is_replayed_bit_for_bit(options, tmp_path):
    model, _, _ = bench(tmp_path, "bench-tmaze")
    table = tmp_path / "run.csv"
    run = document("simulate", model, *options, "--episodes", 4, "--steps", 3, "--seed", 7,
                   "--data", table, "--json")
    found = document("replay", model, table, "--json")["subjects"][0]["steps"]
    assert len(found) == 12
    assert [s["p"] for s in found[-3:]] == [s["p"] for s in run["steps"]]
    assert [s["surprise"] for s in found[-3:]] == [s["surprise"] for s in run["steps"]]
    # the columns of the format alone, with the settings given again
    (tmp_path / "run.csv.json").unlink()
    again = document("replay", model, table, *options, "--json")["subjects"][0]["steps"]
    assert [s["p"] for s in again] == [s["p"] for s in found]


def test_sets_are_those_of_each_alone_on_any_number_of_threads(tmp_path):
    model, table, _, fixture = bandit(tmp_path)
    maps = [[math.exp(s["map"][0]), math.exp(s["map"][1]), 1 / (1 + math.exp(-s["map"][2]))]
            for s in fixture["subjects"]]
    header = "gamma,scale of C[reward],eta_A"
    sets = write_table(tmp_path, header, [[repr(x) for x in row] for row in maps], "sets.csv")
    found = document("replay", model, table, *BANDIT, "--sets", sets, "--json")
    for i, subject in enumerate(fixture["subjects"]):
        assert abs(found["sets"][i]["log_likelihoods"][i] - subject["log_likelihood"]) < 1e-8
    for threads in (1, 2, 8):
        same = document("replay", model, table, *BANDIT, "--sets", sets, "--json", "--threads",
                        threads)
        assert same["sets"] == found["sets"]
    for i in (0, 17):
        alone = write_table(tmp_path, header, [[repr(x) for x in maps[i]]], "one.csv")
        one = document("replay", model, table, *BANDIT, "--sets", alone, "--json")
        assert one["sets"][0] == found["sets"][i]
        listed = ",".join(f"{k}={v!r}" for k, v in zip(header.split(","), maps[i]))
        slow = document("replay", model, table, *BANDIT, "--set", listed, "--json")
        assert abs(slow["subjects"][i]["log_likelihood"]
                   - found["sets"][i]["log_likelihoods"][i]) < 1e-9


MODEL = {"format": "sonde-model", "version": 1, "horizon": 1,
         "factors": [{"name": "arm", "states": 2, "actions": ["left", "right"]}],
         "modalities": [{"name": "reward", "outcomes": ["win", "loss", "none"]}],
         "A": [[[0.7, 0.2], [0.2, 0.7], [0.1, 0.1]]],
         "B": [[[[1.0, 0.0], [1.0, 0.0]], [[0.0, 1.0], [0.0, 1.0]]]],
         "C": [[1.0, -1.0, 0.0]], "D": [[0.5, 0.5]], "counts": {"A": [[[7, 2], [2, 7], [1, 1]]]}}
HEADER = "subject,session,episode,step,reward,arm,score"
ROWS = [["a", 1, 0, 0, "win", "left", 1], ["a", 1, 0, 1, "loss", "right", 1],
        ["b", 1, 0, 0, "none", "left", 1], ["a", 2, 0, 0, "NA", "left", 0],
        ["b", 1, 1, 0, 0, 1, 1], ["a", 2, 0, 1, "loss", "right", 1]]


def log_likelihood(folder, rows, *options, header=HEADER):
    model = write_model(folder, MODEL)
    table = write_table(folder, header, rows)
    return document("replay", model, table, *options, "--json")


def test_what_a_table_may_be(tmp_path):
    found = log_likelihood(tmp_path, ROWS, "--learn")
    assert [s["subject"] for s in found["subjects"]] == ["a", "b"]
    assert [s["n"] for s in found["subjects"]] == [3, 2]
    a = found["subjects"][0]
    assert a["log_likelihood"] == sum(s["log_p"] for s in a["steps"] if s["score"])
    assert a["mean_p"] == pytest.approx(math.exp(a["log_likelihood"] / 3))
    # counts start anew in session 2: its first row is that of a session alone
    alone = log_likelihood(tmp_path, [r for r in ROWS if r[:2] == ["a", 2]], "--learn")
    assert [s["p"] for s in alone["subjects"][0]["steps"]] == [s["p"] for s in a["steps"][2:]]
    # TSV, CRLF, quotes, numbers with .0, another base
    model = tmp_path / "model.json"
    other = tmp_path / "other.tsv"
    words = {"win": "1", "loss": "2.0", "none": "3", "left": '"1"', "right": "2", 0: "1", 1: "2"}
    lines = [HEADER.replace(",", "\t").replace("reward", "outcome").replace("arm", "choice")]
    for row in ROWS:
        cells = list(map(str, row[:4])) + [words.get(x, x) for x in row[4:6]] + [str(row[6])]
        lines.append("\t".join(cells))
    other.write_bytes("\r\n".join(lines).encode())
    same = document("replay", model, other, "--learn", "--base", 1, "--map",
                    "outcome.reward=outcome,action.arm=choice", "--json")
    assert same["subjects"] == found["subjects"]
    # values that are called something else
    renamed = [[*r[:4], {"win": "+", "loss": "-"}.get(r[4], r[4]), *r[5:]] for r in ROWS]
    table = write_table(tmp_path, HEADER, renamed)
    called = document("replay", model, table, "--learn", "--map", "reward.win=+,reward.loss=-",
                      "--json")
    assert called["subjects"] == found["subjects"]


def test_a_missing_outcome_changes_no_count(tmp_path):
    found = log_likelihood(tmp_path, ROWS, "--learn", "--counts")
    steps = found["subjects"][0]["steps"]
    assert steps[2]["counts"] == [7, 2, 2, 7, 1, 1]
    assert steps[3]["counts"] != [7, 2, 2, 7, 1, 1]


def test_missing_actions(tmp_path):
    rows = [r[:] for r in ROWS]
    rows[0][5] = ""
    model = write_model(tmp_path, MODEL)
    table = write_table(tmp_path, HEADER, rows)
    run = sonde("replay", model, table)
    assert run.returncode == 3 and "row 1, column arm: expected an action" in run.stderr
    found = document("replay", model, table, "--missing", "predict", "--json")
    steps = found["subjects"][0]["steps"]
    assert steps[0]["p"] is None and found["subjects"][0]["n"] == 2
    # the arm is a mixture then, by the probabilities that the agent has for both
    left = log_likelihood(tmp_path, ROWS)["subjects"][0]["steps"][0]["p"]
    prior = [left, 1 - left]
    seen = [prior[s] * MODEL["A"][0][1][s] for s in range(2)]
    assert steps[1]["belief"][0] == pytest.approx([x / sum(seen) for x in seen])


def test_the_last_action_of_an_episode_is_not_needed_to_smooth_it(tmp_path):
    rows = [["a", 1, 0, 0, "win", "left", 1], ["a", 1, 0, 1, "loss", "right", 1],
            ["a", 1, 1, 0, "win", "left", 1]]
    words = ["--learn", "--when", "episode", "--missing", "predict"]
    whole = log_likelihood(tmp_path, rows, *words)["subjects"][0]["steps"]
    rows[1][5] = "NA"
    ended = log_likelihood(tmp_path, rows, *words)["subjects"][0]["steps"]
    assert ended[1]["p"] is None and ended[2] == whole[2]
    rows[0][5], rows[1][5] = "NA", "right"
    run = sonde("replay", tmp_path / "model.json",
                write_table(tmp_path, HEADER, rows), *words, "-o", tmp_path / "out.json")
    assert run.returncode == 3 and "row 1: expected an action" in run.stderr
    assert not (tmp_path / "out.json").exists()


def test_lapse_and_alpha(tmp_path):
    plain = log_likelihood(tmp_path, ROWS)["subjects"][0]["steps"]
    lapsed = log_likelihood(tmp_path, ROWS, "--lapse", 0.1)["subjects"][0]["steps"]
    sharp = log_likelihood(tmp_path, ROWS, "--alpha", 2)["subjects"][0]["steps"]
    for a, b, c in zip(plain, lapsed, sharp):
        p = a["p"]
        assert b["p"] == pytest.approx(0.9 * p + 0.05)
        assert c["p"] == pytest.approx(p * p / (p * p + (1 - p) ** 2))


def test_log_p_does_not_underflow(tmp_path):
    found = log_likelihood(tmp_path, ROWS, "--gamma", 5000)["subjects"][0]["steps"]
    assert all(math.isfinite(s["log_p"]) for s in found)
    assert min(s["log_p"] for s in found) < -800
    twice = log_likelihood(tmp_path, ROWS, "--gamma", 10000)["subjects"][0]["steps"]
    for a, b in zip(found, twice):
        if a["log_p"] < -800:
            assert b["log_p"] == pytest.approx(2 * a["log_p"])


def test_regressors(tmp_path):
    model = write_model(tmp_path, MODEL)
    table = write_table(tmp_path, HEADER, ROWS)
    out = tmp_path / "regressors.csv"
    assert sonde("replay", model, table, "--learn", "--csv", out, "--counts").returncode == 0
    rows = list(csv.DictReader(out.open()))
    found = document("replay", model, table, "--learn", "--json")
    steps = [s for subject in found["subjects"] for s in subject["steps"]]
    assert len(rows) == len(ROWS)
    for row, step in zip(rows, steps):
        assert float(row["p"]) == step["p"]
        assert [float(row["q_arm_0"]), float(row["q_arm_1"])] == step["belief"][0]
        assert float(row["G_left"]) == step["efe"][0]["G"]
        assert float(row["gamma"]) == 1 and "counts_A_reward_5" in row
    first = rows[0]
    assert float(first["error_reward"]) == pytest.approx(1 - 0.45)
    assert float(first["surprise"]) == pytest.approx(-math.log(0.45))
    q = [0.35 / 0.45, 0.1 / 0.45]
    assert float(first["update_arm"]) == pytest.approx(sum(x * math.log(2 * x) for x in q))


def errors(folder, model, header, rows, *options):
    out = folder / "errors.csv"
    run = sonde("replay", write_model(folder, model), write_table(folder, header, rows), *options,
                "--csv", out)
    assert run.returncode == 0, run.stderr
    return [row["error_reward"] if row["error_reward"] == "NA" else float(row["error_reward"])
            for row in csv.DictReader(out.open())]


def test_outcomes_are_as_expected_where_arrays_are_kept_without_their_zeros(tmp_path):
    rewards = [[0.0, 0.0] for _ in range(12)]  # a quarter of the numbers at most is not 0
    rewards[2][0], rewards[5][0], rewards[9][0] = 0.5, 0.2, 0.3
    rewards[5][1], rewards[7][1], rewards[11][1] = 0.6, 0.3, 0.1
    model = dict(MODEL, A=[rewards], C=[[0.0] * 12], modalities=[{"name": "reward",
                                                                 "outcomes": 12}])
    del model["counts"]
    for outcome in (2, 5, 7, 9, 11):
        found = errors(tmp_path, model, "subject,reward,arm", [["a", outcome, "left"]])
        assert found == [pytest.approx(1 - sum(rewards[outcome]) / 2)]


def test_an_outcome_that_depends_on_the_action_is_expected_of_the_one_before(tmp_path):
    given = [[0.9, 0.4, 0.3], [0.1, 0.6, 0.7]]  # by outcome and action, in every state
    model = dict(MODEL, modalities=[{"name": "reward", "outcomes": 2}], C=[[0.0, 0.0]],
                 factors=[{"name": "arm", "states": 2, "actions": 3}],
                 A=[[[row, row] for row in given]], B=[[[[1, 0, 1], [1, 0, 0]],
                                                        [[0, 1, 0], [0, 1, 1]]]])
    del model["counts"]
    rows = [["a", t, reward, arm] for t, (reward, arm) in enumerate([(0, 1), (1, 2), (0, 0),
                                                                     (1, 1)])]
    header = "subject,step,reward,arm"
    after = errors(tmp_path, model, header, rows, "--timing", "after")
    assert after == pytest.approx([1 - given[row[2]][row[3]] for row in rows])
    before = errors(tmp_path, model, header, rows)
    assert before[0] == "NA"  # nothing led to it
    assert before[1:] == pytest.approx([1 - given[row[2]][last[3]]
                                        for last, row in zip(rows, rows[1:])])


def test_rows_that_do_not_count_teach_an_expected_precision_as_well(tmp_path):
    rows = [["a", t, ["win", "loss", "none"][t * t % 3], ["left", "right"][t % 2], 1]
            for t in range(8)]
    words = ["--learn", "--precision", "expected"]
    header = "subject,step,reward,arm,score"
    whole = log_likelihood(tmp_path, rows, *words, header=header)["subjects"][0]["steps"]
    for row in rows[:6]:
        row[4] = 0
    some = log_likelihood(tmp_path, rows, *words, header=header)["subjects"][0]
    assert some["n"] == 2
    assert some["log_likelihood"] == sum(step["log_p"] for step in whole[6:])
    sets = write_table(tmp_path, "lapse", [[0]], "sets.csv")
    again = log_likelihood(tmp_path, rows, *words, "--sets", sets, header=header)
    assert again["sets"][0]["log_likelihoods"] == pytest.approx([some["log_likelihood"]])


def test_an_action_that_nobody_could_take_is_told_of_any_subject_and_set(tmp_path):
    model = write_model(tmp_path, dict(MODEL, policies=[[[0]]]))
    sets = write_table(tmp_path, "gamma", [[1], [2]], "sets.csv")
    for at in range(3):
        rows = [[name, "win", "right" if at == i else "left"] for i, name in enumerate("abc")]
        run = sonde("replay", model, write_table(tmp_path, "subject,reward,arm", rows), "--sets",
                    sets, "--json")
        assert run.returncode == 3 and run.stdout == ""
        assert f'row {at + 1}, column arm: the action "right" has the probability 0' in run.stderr


PAIR = {"format": "sonde-model", "version": 1, "horizon": 1, "gamma": 2,
        "factors": [{"name": "hue", "states": 2, "actions": 2},
                    {"name": "site", "states": 3, "actions": 3}],
        "modalities": [{"name": "light", "outcomes": 2, "factors": [0]},
                       {"name": "sound", "outcomes": 3, "factors": [1]}],
        "A": [[[0.8, 0.3], [0.2, 0.7]], [[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.1, 0.2, 0.7]]],
        "B": [[[[0.9, 0.5], [0.3, 0.2]], [[0.1, 0.5], [0.7, 0.8]]],
              [[[0.8, 0.1, 0.3], [0.1, 0.2, 0.3], [0.2, 0.2, 0.5]],
               [[0.1, 0.8, 0.3], [0.8, 0.1, 0.3], [0.1, 0.7, 0.2]],
               [[0.1, 0.1, 0.4], [0.1, 0.7, 0.4], [0.7, 0.1, 0.3]]]],
        "C": [[1.0, 0.0], [0.0, 0.5, 1.5]], "counts": {"D": [[2, 1], [1, 2, 1]]}}
SEEN = [(0, 2), (1, 0), (0, 1), (1, 1), (0, 0)]


def test_of_factors_apart_each_learns_its_own_beginning_where_actions_are_missing(tmp_path):
    def learned(model, kept):
        light, sound = (0 in kept, 1 in kept)
        header = ",".join(["subject,episode,step", *["o0"] * light, *[f"o{len(kept) - 1}"] * sound,
                           *(f"u{i}" for i in range(len(kept)))])
        rows = [["a", 0, t, *(seen[f] for f in kept), *[""] * len(kept)]
                for t, seen in enumerate(SEEN)]
        rows.append(["a", 1, 0, *(SEEN[0][f] for f in kept), *[0] * len(kept)])
        done = document("replay", write_model(tmp_path, model), write_table(tmp_path, header, rows),
                        "--learn", "--missing", "predict", "--counts", "--json")
        return done["subjects"][0]["steps"][-1]["counts"]

    both = learned(PAIR, (0, 1))
    for f, some in ((0, both[:2]), (1, both[2:])):
        alone = {key: [PAIR[key][f]] for key in ("factors", "A", "B", "C")}
        alone["modalities"] = [dict(PAIR["modalities"][f], factors=[0])]
        found = learned({**PAIR, **alone, "counts": {"D": [PAIR["counts"]["D"][f]]}}, (f, ))
        assert some == pytest.approx(found, abs=1e-12)
        assert sum(found) == pytest.approx(sum(PAIR["counts"]["D"][f]) + 2)


def test_a_state_that_is_set_leaves_the_others_their_shares(tmp_path):
    model = {key: value for key, value in PAIR.items() if key != "counts"}
    model["D"] = [[0.4, 0.6], [0.2, 0.3, 0.5]]
    table = write_table(tmp_path, "subject,episode,step,o0,o1,u0,u1",
                        [["a", 0, t, *seen, t % 2, t % 3] for t, seen in enumerate(SEEN)])
    path = write_model(tmp_path, model)
    for state in range(3):
        found = document("replay", path, table, "--set", f"D[site][{state}]=0.6", "--json")
        rest = 1 - model["D"][1][state]
        D = [0.6 if s == state else 0.4 * d / rest for s, d in enumerate(model["D"][1])]
        other = write_model(tmp_path, dict(model, D=[model["D"][0], D]), "other.json")
        wanted = document("replay", other, table, "--json")
        assert found["log_likelihood"] == pytest.approx(wanted["log_likelihood"], abs=1e-12)


def test_conditions_have_models_of_their_own(tmp_path):
    other = json.loads(json.dumps(MODEL))
    other["C"] = [[3.0, -3.0, 0.0]]
    write_model(tmp_path, other, "other.json")
    rows = [[*r, "other.json" if r[0] == "b" and r[2] == 1 else ""] for r in ROWS]
    mixed = log_likelihood(tmp_path, rows, "--learn", header=HEADER + ",model")
    plain = log_likelihood(tmp_path, ROWS, "--learn")
    assert mixed["subjects"][0] == plain["subjects"][0]
    b, c = mixed["subjects"][1]["steps"], plain["subjects"][1]["steps"]
    assert b[0]["p"] == c[0]["p"] and b[1]["p"] != c[1]["p"]
    assert b[1]["belief"] == c[1]["belief"]


WRONG = [
    ("row 2, column reward: expected win, loss or none, found \"Los\"; did you mean \"loss\"?",
     lambda rows: rows[1].__setitem__(4, "Los")),
    ("row 2, column arm: expected left or right, found \"2\"",
     lambda rows: rows[1].__setitem__(5, 2)),
    ("row 2, column step: expected 1", lambda rows: rows[1].__setitem__(3, 2)),
    ("row 4, column score: expected 0 or 1, found \"x\"", lambda rows: rows[3].__setitem__(6, "x")),
    ("row 3: expected 7 cells, as the header has, found 6", lambda rows: rows[2].pop()),
    ("row 6, column session: session 1 of subject a began in row 1 and was left",
     lambda rows: rows[5].__setitem__(1, 1)),
    ("row 3, column subject: expected a subject", lambda rows: rows[2].__setitem__(0, "")),
]


@pytest.mark.parametrize("sentence,spoil", WRONG, ids=[w[0][:40] for w in WRONG])
def test_one_bad_cell(sentence, spoil, tmp_path):
    rows = [list(map(str, row)) for row in ROWS]
    spoil(rows)
    model = write_model(tmp_path, MODEL)
    table = write_table(tmp_path, HEADER, rows)
    out = tmp_path / "out.csv"
    run = sonde("replay", model, table, "--csv", out)
    assert run.returncode == 3, run.stdout + run.stderr
    assert "table.csv: " + sentence in run.stderr
    assert len(run.stderr.splitlines()) == 1 and not out.exists()


def test_columns_that_are_not_there(tmp_path):
    model = write_model(tmp_path, MODEL)
    rows = [["a", "win", "left"]]
    run = sonde("replay", model, write_table(tmp_path, "subject,rewards,arm", rows))
    assert run.returncode == 3
    assert "expected a column reward or o0 for the outcomes of modality 0, found none; did you " \
           "mean \"rewards\"?" in run.stderr
    run = sonde("replay", model, write_table(tmp_path, "subject,o0,reward,arm",
                                             [["a", 0, 0, 0]]))
    assert run.returncode == 3 and "columns o0 and reward mean the same" in run.stderr
    run = sonde("replay", model, write_table(tmp_path, "subject,reward,arm", []))
    assert run.returncode == 3 and "expected rows below the header, found none" in run.stderr


def test_what_cannot_have_happened(tmp_path):
    never = json.loads(json.dumps(MODEL))
    never["A"] = [[[0.7, 0.2], [0.3, 0.8], [0.0, 0.0]]]
    del never["counts"]
    table = write_table(tmp_path, HEADER, ROWS)
    run = sonde("replay", write_model(tmp_path, never), table)
    assert run.returncode == 3
    assert "row 3, column reward: the model has probability 0 for \"none\" in every state" \
        in run.stderr
    listed = dict(MODEL, policies=[[[0]]])
    run = sonde("replay", write_model(tmp_path, listed), table)
    assert run.returncode == 3
    assert "row 2, column arm: the action \"right\" has the probability 0" in run.stderr


def test_agents_without_a_likelihood(tmp_path):
    model = write_model(tmp_path, MODEL)
    table = write_table(tmp_path, HEADER, ROWS)
    run = sonde("replay", model, table, "--action", "deterministic")
    assert run.returncode == 2 and "expected marginal or softmax" in run.stderr
    run = sonde("replay", model, table, "--set", "gama=2")
    assert run.returncode == 3 and "did you mean \"gamma\"?" in run.stderr
    run = sonde("replay", model, table, "--set", "eta_A[reward][wins]=2")
    assert run.returncode == 3 and "no outcome \"wins\"; did you mean \"win\"?" in run.stderr


def test_timing_after(tmp_path):
    """The bandit's first choices, worked out by hand: gamma (C . A + novelty) of each arm."""
    fixture = recorded("fit-bandit")
    model, table, _, _ = bandit(tmp_path)
    found = document("replay", model, table, *BANDIT, "--json")["subjects"][0]["steps"]
    counts = [[1.0, 1.0], [1.0, 1.0]]
    for step, arm, reward in zip(found[:20], fixture["subjects"][0]["arm"],
                                 fixture["subjects"][0]["reward"]):
        value = [utility(c) for c in counts]
        p = 1 / (1 + math.exp(value[1 - arm] - value[arm]))
        assert step["p"] == pytest.approx(p, abs=1e-9)
        counts[arm][reward] += 1


def digamma(x):
    sum_ = 0.0
    while x < 10:
        sum_ -= 1 / x
        x += 1
    f = 1 / (x * x)
    return sum_ + math.log(x) - 0.5 / x - f * (1 / 12 - f * (1 / 120 - f * (1 / 252 - f / 240)))


def utility(counts):
    total = sum(counts)
    p = [c / total for c in counts]
    novelty = sum(p[o] * (math.log(total) - math.log(c) + digamma(c + 1) - digamma(total + 1))
                  for o, c in enumerate(counts))
    return -p[0] + p[1] + novelty
