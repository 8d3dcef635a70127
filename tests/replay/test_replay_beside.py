"""The document beside a table that sonde simulate wrote: it is read strictly, and says what no
replay can follow."""
import json
import pathlib

import pytest

from tables import document, sonde


@pytest.fixture
def lived(tmp_path):
    """Simulates with some options, and returns model, table and the document beside it."""
    examples = pathlib.Path(__file__).parents[2] / "examples"

    def simulate(*options):
        model = examples / ("learning" if "--learn" in options else "models") / "tmaze.json"
        table = tmp_path / "c.csv"
        run = sonde("simulate", model, "--gamma", 1, "--steps", 3, "--data", table, *options)
        assert run.returncode == 0, run.stderr
        return model, table, tmp_path / "c.csv.json"
    return simulate


UNLIKE = [["--loop", "closed"], ["--search", "cluster"], ["--search", "beam"],
          ["--search", "bounded", "--budget", 100], ["--search", "bounded", "--epsilon", .5],
          ["--epsilon", .5], ["--replan-every", 2]]


@pytest.mark.parametrize("options", UNLIKE, ids=lambda words: " ".join(map(str, words)))
@pytest.mark.parametrize("like", [[], ["--like", "pymdp"]], ids=["", "like"])
def test_the_table_of_an_agent_that_no_replay_follows_is_refused(options, like, lived):
    model, table, _ = lived(*options)
    run = sonde("replay", model, table, *like)
    assert run.returncode == 3 and run.stdout == ""
    assert "whose actions have other probabilities" in run.stderr
    assert options[-2][2:].replace("-", "_") in run.stderr, run.stderr
    run = sonde("fit", model, table, "--free", "gamma", "--starts", 1, *like)
    assert run.returncode == 3 and "whose actions have other probabilities" in run.stderr


def test_the_table_of_an_agent_with_exact_probabilities_is_replayed(lived):
    for options in ([], ["--search", "full"], ["--search", "bounded", "--epsilon", 0]):
        model, table, beside = lived(*options)
        assert "unlike" not in json.loads(beside.read_text())
        assert document("replay", model, table, "--json")["n"] == 3


def test_a_table_does_not_begin_in_the_middle_of_an_episode(lived, tmp_path):
    lived("--save", tmp_path / "a.json")
    table = tmp_path / "r.csv"
    run = sonde("simulate", lived()[0], "--resume", tmp_path / "a.json", "--data", table)
    assert run.returncode == 2 and "--data: a table begins with an episode" in run.stderr
    assert not table.exists()


WRONG = [("format", "sonde-tabel", "format: expected"), ("version", 7, "version: expected 1"),
         ("versoin", 1, "versoin"), ("horizon", 2.5, "horizon: expected a whole number"),
         ("horizon", "2", "horizon: expected a whole number"), ("lambda", "1", "lambda: expected"),
         ("timing", "during", "timing: expected"), ("settings", {"gama": "2"}, "did you mean"),
         ("settings", {"gamma": 2}, "settings.gamma: expected"), ("learn", True, "learn: expected"),
         ("learn", {"zzz": 1}, "zzz"), ("modalities", 3, "modalities: expected")]


@pytest.mark.parametrize("key,value,sentence", WRONG, ids=str)
def test_what_stands_beside_a_table_is_read_strictly(key, value, sentence, lived):
    model, table, beside = lived()
    beside.write_text(json.dumps({**json.loads(beside.read_text()), key: value}))
    run = sonde("replay", model, table)
    assert run.returncode == 3 and run.stdout == "", run.stdout
    assert "c.csv.json: " in run.stderr and sentence in run.stderr, run.stderr
    assert "delete the file" in run.stderr and len(run.stderr.splitlines()) == 1


@pytest.mark.parametrize("key,value", [("until", 1e99), ("until", "x"), ("eta_A", None),
                                       ("omega", 2), ("when", "never"), ("gamma", "guessed")])
def test_how_an_agent_learned_is_read_strictly(key, value, lived):
    model, table, beside = lived("--learn")
    found = json.loads(beside.read_text())
    found["learn"][key] = value
    beside.write_text(json.dumps(found))
    run = sonde("replay", model, table)
    assert run.returncode == 3 and f"learn.{key}: expected" in run.stderr, run.stderr
