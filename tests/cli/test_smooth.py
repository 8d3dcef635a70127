"""sonde smooth against beliefs that pymdp 1.0.4 recorded, and counts that follow from them."""
import gzip
import itertools
import json
import os
import pathlib
import subprocess

import pytest

DATA = pathlib.Path(os.environ["SONDE_TEST_DATA"]) / "learning"
COMMAND = os.environ["SONDE_COMMAND"]
RECORDED = sorted(path.name for path in DATA.glob("*-window-*.json.gz"))


def recorded(name):
    return json.loads(gzip.decompress((DATA / name).read_bytes()))


def model_of(fixture):
    m = fixture["model"]

    def last(array):
        while isinstance(array[0], list):
            array = array[0]
        return len(array)
    return {"format": "sonde-model", "version": 1, "horizon": 1,
            "A": m["A"], "B": m["B"], "C": m["C"], "D": m["D"],
            "factors": [{"states": len(b), "actions": last(b), "depends": d}
                        for b, d in zip(m["B"], m["B_dependencies"])],
            "modalities": [{"outcomes": len(a), "factors": d}
                           for a, d in zip(m["A"], m["A_dependencies"])]}


def sequence_of(fixture):
    return {"format": "sonde-sequence", "version": 1, "outcomes": fixture["observations"],
            "actions": fixture["actions"]}


@pytest.fixture
def smooth(tmp_path):
    def run(model, sequence, *options, status=0):
        (tmp_path / "model.json").write_text(json.dumps(model))
        (tmp_path / "data.json").write_text(json.dumps(sequence))
        done = subprocess.run([COMMAND, "smooth", "model.json", "--data", "data.json", *options],
                              capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == status, done.stderr
        return json.loads(done.stdout)["qs"] if "--json" in options and not status else done
    return run


def apart(a, b):
    if isinstance(a, list):
        assert len(a) == len(b)
        return max(apart(x, y) for x, y in zip(a, b))
    return abs(a - b)


@pytest.mark.parametrize("name", RECORDED)
def test_beliefs_are_those_of_pymdp(name, smooth):
    fixture = recorded(name)
    algorithm = fixture["settings"]["inference_algo"]
    how = algorithm if algorithm in ("mmp", "vmp") else "filtered"
    found = smooth(model_of(fixture), sequence_of(fixture), "--how", how, "--inference", "pymdp",
                   "--json") if how == "filtered" else smooth(
                       model_of(fixture), sequence_of(fixture), "--how", how, "--json")
    assert apart(found, fixture["qs"]) < 1e-12


@pytest.mark.parametrize("name", RECORDED)
def test_counts_of_A_follow_from_them(name, smooth):
    """One update after the sequence: smoothed beliefs where pymdp filters, its own otherwise."""
    fixture = recorded(name)
    algorithm = fixture["settings"]["inference_algo"]
    how = algorithm if algorithm in ("mmp", "vmp") else "smoothed"
    options = ("--inference", "pymdp") if how == "smoothed" else ()
    found = smooth(model_of(fixture), sequence_of(fixture), "--how", how, *options, "--json")
    m = fixture["model"]
    for g, depends in enumerate(m["A_dependencies"]):
        counts = json.loads(json.dumps(m["pA"][g]))
        for t, seen in enumerate(fixture["observations"]):
            for states in itertools.product(*(range(len(found[f][0])) for f in depends)):
                gain = fixture["settings"]["lr_pA"]
                for f, s in zip(depends, states):
                    gain *= found[f][t][s]
                at = counts[seen[g]]
                for s in states[:-1]:
                    at = at[s]
                at[states[-1]] += gain
        assert apart(counts, fixture["pA"][g]) < 1e-11


def noisy():
    return {"format": "sonde-model", "version": 1, "horizon": 1, "A": [[[0.8, 0.3], [0.2, 0.7]]],
            "B": [[[[0.9, 0.5], [0.2, 0.5]], [[0.1, 0.5], [0.8, 0.5]]]], "C": [[0, 0]],
            "D": [[0.6, 0.4]], "factors": [{"states": 2, "actions": ["stay", "mix"]}],
            "modalities": [{"outcomes": ["low", "high"]}]}


def test_smoothed_beliefs_are_those_of_all_paths_added_up(smooth):
    model = noisy()
    outcomes, actions = [0, 1, 1, 0], [0, 0, 1]
    A, B, D = model["A"][0], model["B"][0], model["D"][0]
    sums = [[0.0, 0.0] for _ in outcomes]
    for path in itertools.product(range(2), repeat=4):
        p = D[path[0]]
        for t, s in enumerate(path):
            p *= A[outcomes[t]][s] * (B[s][path[t - 1]][actions[t - 1]] if t else 1.0)
        for t, s in enumerate(path):
            sums[t][s] += p
    truth = [[p / sum(row) for p in row] for row in sums]
    given = {"format": "sonde-sequence", "version": 1, "outcomes": ["low", "high", 1, [0]],
             "actions": ["stay", [0], "mix"]}
    assert apart(smooth(model, given, "--json")[0], truth) < 1e-12
    assert "0.726225" in smooth(model, given).stdout


def test_a_missing_outcome_is_left_to_its_neighbours(smooth):
    given = {"format": "sonde-sequence", "version": 1, "outcomes": [[0], [None], [0]],
             "actions": [0, 0]}
    for how in ("filtered", "smoothed", "mmp", "vmp"):
        qs = smooth(noisy(), given, "--how", how, "--json")[0]
        assert all(abs(sum(q) - 1) < 1e-12 for q in qs) and qs[1][0] > 0.5


@pytest.mark.parametrize("change, sentence", [
    ({"outcomes": []}, "outcomes: expected a list of one step at least"),
    ({"outcomes": [[0], [2]]}, "outcomes[1][0]: expected"),
    ({"outcomes": [[0], ["medium"]]}, "outcomes[1][0]: expected the name"),
    ({"actions": []}, "actions: expected one after each of 2 steps"),
    ({"actions": [[5]]}, "actions[0][0]: expected"),
    ({"format": "sonde-model"}, "sonde-sequence"),
    ({"observations": []}, "observations"),
])
def test_what_is_wrong_with_a_sequence_is_said_in_a_sentence(change, sentence, smooth):
    given = {"format": "sonde-sequence", "version": 1, "outcomes": [[0], [1]], "actions": [[0]]}
    assert sentence in smooth(noisy(), given | change, status=3).stderr


def test_inference_is_refused_beside_message_passing(smooth):
    given = {"format": "sonde-sequence", "version": 1, "outcomes": [[0]], "actions": []}
    done = smooth(noisy(), given, "--how", "mmp", "--inference", "exact", status=2)
    assert "--inference" in done.stderr


def test_vmp_is_refused_where_factors_depend_on_others(smooth):
    model = noisy()
    model["factors"] = [{"states": 2, "actions": 1, "depends": [0, 1]}, {"states": 2, "actions": 1}]
    model["B"] = [[[[[0.9], [0.5]], [[0.2], [0.1]]], [[[0.1], [0.5]], [[0.8], [0.9]]]],
                  [[[0.9], [0.2]], [[0.1], [0.8]]]]
    model["D"] = [[0.6, 0.4], [0.5, 0.5]]
    model["modalities"] = [{"outcomes": 2, "factors": [0]}]
    given = {"format": "sonde-sequence", "version": 1, "outcomes": [[0], [1], [0]],
             "actions": [[0, 0], [0, 0]]}
    done = smooth(model, given, "--how", "vmp", status=2)
    assert "vmp is not defined where a factor depends on others" in done.stderr
    for how in ("filtered", "smoothed", "mmp"):
        for q in itertools.chain.from_iterable(smooth(model, given, "--how", how, "--json")):
            assert abs(sum(q) - 1) < 1e-12


def test_the_document_goes_to_a_file(smooth, tmp_path):
    fixture = recorded(RECORDED[0])
    model, sequence = model_of(fixture), sequence_of(fixture)
    printed = smooth(model, sequence, "--json")
    told = smooth(model, sequence, "-o", str(tmp_path / "out.json"))
    assert json.loads((tmp_path / "out.json").read_text())["qs"] == printed
    assert told.stdout and not told.stdout.startswith("{")
