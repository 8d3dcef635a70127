"""Policies of planning without a horizon: saved, read back, and SARSOP's."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

COMMAND = os.environ["SONDE_COMMAND"]
CORPUS = Path(os.environ["SONDE_TEST_DATA"]) / "../../fuzz/corpus/policy"

#: what SARSOP (AdaCompNUS/sarsop, commit d914110) writes for its own Tiger
SARSOP = """<?xml version="1.0" encoding="ISO-8859-1"?>
<Policy version="0.1" type="value" model="Tiger.pomdpx">
<AlphaVector vectorLength="2" numObsValue="1" numVectors="5">
<Vector action="1" obsValue="0">-81.5975 28.4025 </Vector>
<Vector action="0" obsValue="0">3.01448 24.6954 </Vector>
<Vector action="0" obsValue="0">24.6954 3.01452 </Vector>
<Vector action="2" obsValue="0">28.4025 -81.5975 </Vector>
<SparseVector action="0" obsValue="0"><Entry>0 19.3711</Entry>
<Entry>1 19.3711</Entry></SparseVector>
</AlphaVector> </Policy>
"""


def run(*words, verb="plan", fails=False):
    done = subprocess.run([COMMAND, verb, *map(str, words), "--loop", "closed", "--horizon", "inf"],
                          capture_output=True, text=True, check=False, timeout=100)
    if not fails:
        assert done.returncode == 0, done.stderr
        return done.stdout
    assert done.returncode in (2, 3) and done.stdout == "" and done.stderr.count("\n") == 1
    return done.stderr


def plan(*words, backup="min"):
    return json.loads(run(*words, "--backup", backup, "--json"))


def make(folder, *words):
    path = folder / "model.json"
    subprocess.run([COMMAND, "model", "--make", *map(str, words), "-o", str(path)],
                   capture_output=True, check=True)
    return path


@pytest.mark.parametrize("model, known", [(["tiger"], -19.3713), (["rocksample"], -17.9245)])
def test_what_was_found_is_known_after_one_step(tmp_path, model, known):
    path, policy = make(tmp_path, *model), tmp_path / "found.json"
    found = plan(path, "--gap", 1e-3, "--save-policy", policy)
    document = json.loads(policy.read_text())
    assert document["format"] == "sonde-policy" and document["horizon"] == "inf"
    assert len(document["upper"]["rows"]) == len(document["upper"]["alpha"]) > 2
    again = plan(path, "--gap", 1e-6, "--budget", 1, "--use-policy", policy)
    fresh = plan(path, "--gap", 1e-6, "--budget", 1)
    low, high = again["value"]
    assert low - 1e-4 <= known <= high + 1e-3 and again["evaluations"]["beliefs"] == 1
    assert high - low < .1 < fresh["value"][1] - fresh["value"][0]
    assert [one["p"] > .01 for one in again["first_actions"]] \
        == [one["p"] > .01 for one in found["first_actions"]]


@pytest.mark.parametrize("information", ["joint", "per-modality"])
@pytest.mark.parametrize("backup", ["min", "free-energy"])
def test_policies_of_expected_free_energy_are_read_back(tmp_path, information, backup):
    path, policy = make(tmp_path, "t-maze"), tmp_path / "found.json"
    options = "--information", information, "--discount", .8
    found = plan(path, "--gap", 1e-3, "--save-policy", policy, *options, backup=backup)["value"]
    again = plan(path, "--gap", 1e-6, "--budget", 1, "--use-policy", policy, *options,
                 backup=backup)["value"]
    fresh = plan(path, "--gap", 1e-6, "--budget", 1, *options, backup=backup)["value"]
    assert again[0] <= found[1] and found[0] <= again[1]
    assert again[1] - again[0] < fresh[1] - fresh[0]
    other = ["free-energy", "min"][backup == "free-energy"]
    assert "choose the same" in run(path, "--use-policy", policy, *options, "--backup", other,
                                    fails=True)


def test_sarsops_policies_are_read_and_written(tmp_path):
    path, policy, own = make(tmp_path, "tiger"), tmp_path / "its.policy", tmp_path / "own.policy"
    policy.write_text(SARSOP)
    high = plan(path, "--gap", 1e-6, "--budget", 1, "--use-policy", policy)["value"][1]
    assert high == pytest.approx(-19.3709, abs=2e-3)
    plan(path, "--gap", 1e-3, "--save-policy", own)
    assert own.read_text().startswith("<?xml") and "<AlphaVector vectorLength=\"2\"" \
        in own.read_text()
    assert plan(path, "--gap", 1e-6, "--budget", 1, "--use-policy", own)["value"][1] < -19.3
    assert "rewards" in run(path, "--use-policy", policy, "--information", "joint", "--backup",
                            "min", fails=True)
    assert "rewards alone" in run(path, "--save-policy", own, "--information", "joint", "--backup",
                                  "min", "--gap", 1, fails=True)


def turned(folder):
    """What is seen is the last factor, so that no stretch of states is a block; and in some states
    something is not allowed."""
    path = folder / "turned.json"
    path.write_text(json.dumps({
        "format": "sonde-model", "version": 1, "horizon": 3, "discount": .9,
        "factors": [{"states": 3, "actions": 2}, {"states": 2, "actions": 2}],
        "policies": "allowed", "allowed": [[[0, 0], [0, 1], [1, 0], [1, 1], [2, 0]], None],
        "modalities": [{"outcomes": 2, "factors": [1]}, {"outcomes": 2}],
        "A": [[[1, 0], [0, 1]], [[[.5, .9], [.5, .2], [.5, 1]], [[.5, .1], [.5, .8], [.5, 0]]]],
        "B": [[[[1, 1], [0, 0], [0, 0]], [[0, 0], [1, 1], [0, 0]], [[0, 0], [0, 0], [1, 1]]],
              [[[1, 0], [.9, .1]], [[0, 1], [.1, .9]]]],
        "C": [[0, -1], [0, 2]], "D": [[.2, .5, .3], [1, 0]],
        "action_cost": [[[.5, .5, 0, 0]] * 2] * 3,
        "preferences": "utility"}))
    return path


@pytest.mark.parametrize("model", ["rocksample", "turned"])
def test_sarsop_reads_the_vectors_that_were_found(tmp_path, model):
    path = turned(tmp_path) if model == "turned" else make(tmp_path, model)
    found, own = tmp_path / "found.json", tmp_path / "own.policy"
    words = path, "--gap", .5, "--budget", 40, "--information", "off"
    plan(*words, "--save-policy", found)
    plan(*words, "--save-policy", own)
    document, text = json.loads(found.read_text()), own.read_text()
    rows, alpha = document["upper"]["rows"], document["upper"]["alpha"]
    blocks = document["blocks"]
    head = {name: int(value) for name, value in re.findall(r"(\w+)=\"(\d+)\"", text)}
    vectors = re.findall(r"<Vector action=\"(\d+)\" obsValue=\"(\d+)\">([^<]*)<", text)
    assert head["numVectors"] == len(vectors) == len(rows) > len(blocks) > 1
    size = head["vectorLength"], head["numObsValue"]
    assert size == ((6, 1) if model == "turned" else (16, 21))
    most = alpha[0][0]  # what anything costs at most; SARSOP has no word for what is not allowed
    for (block, action, _), values, (its_action, its_block, its) in zip(rows, alpha, vectors):
        assert int(its_action) == max(action, 0)
        rewards = [float(one) for one in its.split()]
        if model != "turned":
            assert int(its_block) == blocks[block][0] // 16
            assert rewards == pytest.approx([-one for one in values])
        else:
            assert [rewards[at] for at in blocks[block]] \
                == pytest.approx([-min(one, most) for one in values])
            assert max(rewards[at] for at in range(6) if at not in blocks[block]) \
                <= min(rewards[at] for at in blocks[block])


def test_what_was_lent_is_saved_again(tmp_path):
    path, first, second = make(tmp_path, "rocksample"), tmp_path / "1.json", tmp_path / "2.json"
    plan(path, "--gap", 1, "--save-policy", first)
    plan(path, "--gap", 1e-6, "--budget", 1, "--use-policy", first, "--save-policy", second)
    before, after = json.loads(first.read_text()), json.loads(second.read_text())
    for side, rows, numbers in (("upper", "rows", "alpha"), ("lower", "rows", "points")):
        kept = [{(row[0], *values) for row, values in zip(one[side][rows], one[side][numbers])}
                for one in (before, after)]
        assert len(kept[0]) > 20 and kept[0] <= kept[1]
    # and each point with what is known of it
    lower = after["lower"]
    known = {(row[0], *p): row[1] for row, p in zip(lower["rows"], lower["points"])}
    for row, p in zip(before["lower"]["rows"], before["lower"]["points"]):
        assert known[(row[0], *p)] >= row[1] - 1e-9


def test_an_agent_acts_by_a_policy(tmp_path):
    path, policy = make(tmp_path, "rocksample"), tmp_path / "found.json"
    plan(path, "--gap", 1e-3, "--save-policy", policy)
    words = path, "--use-policy", policy, "--backup", "min", "--gap", 1e-3, "--steps", 12
    lived = json.loads(run(*words, "--action", "best", "--json", verb="simulate"))
    assert len(lived["steps"]) == 12


@pytest.mark.parametrize("name, options", [
    ("tiger.json", ["--backup", "min"]), ("sarsop.policy", ["--backup", "min"]),
    ("seen.policy", ["--backup", "min"]),
    ("tiger_joint.json", ["--information", "joint", "--backup", "free-energy"])])
def test_what_fuzzing_begins_with_is_right(tmp_path, name, options):
    done = json.loads(run(make(tmp_path, "tiger"), "--use-policy", CORPUS / name, *options,
                          "--budget", 1, "--json"))
    assert done["evaluations"]["beliefs"] == 1


def test_a_policy_of_another_model_is_refused(tmp_path):
    (tmp_path / "a").mkdir()
    tiger, rocks, policy = make(tmp_path / "a", "tiger"), make(tmp_path, "rocksample"), \
        tmp_path / "found.json"
    plan(tiger, "--gap", 1, "--save-policy", policy)
    assert "another model" in run(rocks, "--use-policy", policy, "--backup", "min", fails=True)
    assert "choose the same" in run(tiger, "--use-policy", policy, "--backup", "min",
                                    "--discount", .9, fails=True)


HOSTILE = [
    ("", "expected"), ("{", "line"), ("[]", "object"),
    ("{\"format\": \"sonde-policy\"}", "version"),
    ("<Policy/>", "AlphaVector"), ("<Policy><AlphaVector/></Policy>", "vectorLength"),
    (SARSOP.replace("28.4025 <", "<", 1), "2 numbers"), (SARSOP.replace("28.4025", "nan", 1), "2"),
    (SARSOP.replace("<Entry>1 ", "<Entry>9 "), "2 numbers"),
    (SARSOP.replace("action=\"1\"", "action=\"-1\""), "action"),
    (SARSOP.replace("action=\"1\"", "action=\"7\""), "3 actions"),
    (SARSOP.replace("numObsValue=\"1\"", "numObsValue=\"3\""), "2 joint states"),
    (SARSOP.replace("</AlphaVector> </Policy>", ""), "no end"),
    (SARSOP.replace("numVectors=\"5\"", "numVectors=\"6\""), "numVectors says 6, found 5"),
    (SARSOP.replace("numVectors=\"5\"", "numVectors=\"\""), "numVectors")]


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_hostile_files_get_a_sentence(tmp_path, number):
    text, words = HOSTILE[number]
    path, policy = make(tmp_path, "tiger"), tmp_path / "hostile.policy"
    policy.write_text(text)
    said = run(path, "--use-policy", policy, "--backup", "min", fails=True)
    assert words in said


@pytest.mark.parametrize("change", [
    {"model": "xyz"}, {"backup": "average"}, {"horizon": 3}, {"discount": "much"},
    {"blocks": [[1, 0]]}, {"blocks": [[0.5, 1]]}, {"blocks": [[]]}, {"blocks": 3},
    {"upper": {"rows": [[5, 0, 0]], "alpha": [[1, 2]]}},
    {"upper": {"rows": [[0, 0.5, 0]], "alpha": [[1, 2]]}},
    {"upper": {"rows": [[0, 0]], "alpha": [[1, 2]]}},
    {"upper": {"rows": [], "alpha": [[1, 2]]}},
    {"upper": {"rows": [[0, 0, 0]], "alpha": [[1, 2, 3]]}},
    {"lower": {"rows": [[0, 1]], "points": [[.5, .6]]}},
    {"lower": {"rows": [[0, 1]], "points": [[1.5, -.5]]}}, {"more": 1},
    {"information": "some"}, {"information": None}, {"blocks": None}, {"blocks": [[0, 1], 3]},
    {"upper": None}, {"upper": []}, {"upper": {"rows": [[0, 0, 0]]}},
    {"upper": {"rows": [[0, 0, 0], [0, 1, 0]], "alpha": [[1, 2]]}},
    {"upper": {"rows": [[0, 0, 0]], "alpha": [-5]}},
    {"upper": {"rows": [[0, 0, 0]], "alpha": [[1, 2], "x"]}},
    {"upper": {"rows": [], "alpha": [], "more": []}},
    {"lower": "x"}, {"lower": {"rows": [], "points": 1}},
    {"lower": {"rows": [[0, 1], [0, 1]], "points": [[1, 0]]}}])
def test_documents_that_are_not_right_are_refused(tmp_path, change):
    path, policy = make(tmp_path, "tiger"), tmp_path / "found.json"
    plan(path, "--gap", 1, "--save-policy", policy)
    document = json.loads(policy.read_text()) | change
    policy.write_text(json.dumps(document))
    assert "found.json" in run(path, "--use-policy", policy, "--backup", "min", fails=True)


@pytest.mark.parametrize("backup", ["min", "free-energy"])
def test_a_policy_that_contradicts_itself_is_refused_at_once(tmp_path, backup):
    path, policy = make(tmp_path, "tiger"), tmp_path / "found.json"
    plan(path, "--gap", 1, "--save-policy", policy, backup=backup)
    document = json.loads(policy.read_text())
    # of some beliefs it knows that they cost more than any plan does
    document["lower"]["rows"] = [[block, 1e17] for block, _ in document["lower"]["rows"]]
    policy.write_text(json.dumps(document))
    said = run(path, "--use-policy", policy, "--backup", backup, fails=True)
    assert "policy: says of a belief that it costs at least more than it costs at most" in said


@pytest.mark.parametrize("row", [1, -1])
def test_actions_that_the_model_has_not_are_refused(tmp_path, row):
    path, policy = make(tmp_path, "tiger"), tmp_path / "found.json"
    plan(path, "--gap", 1, "--save-policy", policy)
    document = json.loads(policy.read_text())
    document["upper"]["rows"][row][1] = 7
    policy.write_text(json.dumps(document))
    assert "has action 7, and the model has 3 actions" in run(path, "--use-policy", policy,
                                                              "--backup", "min", fails=True)
