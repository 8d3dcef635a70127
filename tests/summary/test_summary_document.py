"""sonde report on documents: tables are the document's numbers, with the page or without it, and
what is no such document is refused with a sentence."""
import csv
import json
import os
import pathlib
import subprocess

import pytest

SONDE = str(pathlib.Path(os.environ["SONDE_COMMAND"]).resolve())
LEARNING = pathlib.Path(__file__).resolve().parents[2] / "examples/learning"


def sonde(*words, cwd, status=0, page="nowhere.html"):
    done = subprocess.run([SONDE, *map(str, words)], cwd=cwd, capture_output=True, text=True,
                          timeout=200, env={**os.environ, "SONDE_PAGE": page})
    assert done.returncode == status, done.stderr
    return done.stderr if status else done.stdout


def table(folder, name):
    with open(folder / "tables" / f"{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="session")
def learned(tmp_path_factory):
    made = tmp_path_factory.mktemp("learned")
    for name, more in (("tmaze", ["--episodes", 30, "--steps", 3]), ("grid", ["--steps", 100]),
                       ("habit", ["--steps", 60])):
        sonde("simulate", LEARNING / f"{name}.json", "--learn", "--process",
              LEARNING / f"{name}-world.json", *more, "-o", f"{name}.json", cwd=made)
    return made


def test_tables_of_a_run_are_the_counts_of_its_document(learned):
    said = sonde("report", "tmaze.json", "-o", "tmaze", cwd=learned)
    document = json.loads((learned / "tmaze.json").read_text())
    assert "A[2]" in said and "tables alone" in said
    found = document["history"]["arrays"][0]
    rows = table(learned / "tmaze", "counts")
    assert len(rows) == 24 * 91
    for i, row in enumerate(rows):
        k, moment = divmod(i, 91)
        assert (row["array"], row["row"]) == ("A[2]", found["rows"][k // 8])
        assert row["column"] == found["columns"][k % 8] and int(row["step"]) == moment
        assert float(row["count"]) == found["counts"][moment][k]
    kl = [float(row["kl"]) for row in table(learned / "tmaze", "kl")]
    assert kl == found["kl"] and kl[-1] == document["learned"]["A"][2]["kl"]
    curve = table(learned / "tmaze", "curve")
    assert [int(row["episode"]) for row in curve] == [e for e in range(30) for _ in range(3)]
    surprise = sum(float(row["surprise"]) for row in curve[-3:])
    assert surprise == pytest.approx(-document["log_evidence"], abs=1e-12)
    plain = (learned / "tmaze/index.html").read_text()
    assert "<h2>learned</h2>" in plain and plain.endswith("</html>\n")
    summary = json.loads((learned / "tmaze/summary.json").read_text())
    assert [one["name"] for one in summary.pop("tables")] == ["learned", "curve", "counts", "kl"]
    assert summary == document
    for name in ("learned", "curve", "counts", "kl"):
        tex = (learned / f"tmaze/tables/{name}.tex").read_text()
        assert tex.startswith("\\begin{tabular}") and tex.endswith("\\end{tabular}\n")


def test_of_a_large_array_the_counts_that_changed_are_told(learned):
    sonde("report", "grid.json", "-o", "grid", cwd=learned)
    found = json.loads((learned / "grid.json").read_text())["history"]["arrays"][0]
    assert len(found["first"]) == len(found["rows"]) * len(found["columns"]) == 3125
    assert 10 < len(found["entries"]) < 200
    last = list(found["first"])
    for k, count in zip(found["entries"], found["counts"][-1]):
        last[k] = count
    nested = json.loads((learned / "grid.json").read_text())["learned"]["B"][0]["counts"]
    flat = [number for a in nested for b in a for number in b]
    assert last == pytest.approx(flat, abs=1e-9)
    rows = table(learned / "grid", "counts")
    assert len(rows) == len(found["entries"]) * 101


@pytest.fixture(scope="session")
def fits(tmp_path_factory):
    """Fits of two models to four subjects, what compares them, a recovery and its power."""
    made = tmp_path_factory.mktemp("fits")
    bandit, world = LEARNING / "bandit.json", LEARNING / "bandit-world.json"
    (made / "two.json").write_text('[{"name": "gamma", "target": "gamma"}, '
                                   '{"name": "eta", "target": "eta_A"}]')
    (made / "one.json").write_text('[{"name": "gamma", "target": "gamma"}]')
    rows = []
    for subject in "abcd":
        sonde("simulate", bandit, "--learn", "--process", world, "--steps", 30, "--seed",
              ord(subject), "--subject", subject, "--data", "data.csv", cwd=made)
        head, *more = (made / "data.csv").read_text().splitlines()
        rows += more
    (made / "data.csv").write_text("\n".join([head, *rows]) + "\n")
    (made / "about.csv").write_text("subject,age\na,20\nb,30\nc,25\nd,41\n")
    usual = ["--starts", 1, "--optimiser", "newton"]
    for name, more in (("two", ["--group", "eb", "--covariates", "about.csv"]), ("one", [])):
        sonde("fit", bandit, "data.csv", "--parameters", f"{name}.json", *usual, *more, "-o",
              f"fit-{name}.json", cwd=made)
    sonde("compare", "fit-two.json", "fit-one.json", "--family", "large=fit-two.json", "--family",
          "small=fit-one.json", "-o", "comparison.json", cwd=made)
    task = [bandit, "--learn", "--process", world, "--steps", 20, *usual]
    sonde("recover", *task, "--parameters", "two.json", "--parameters", "one.json", "--subjects", 6,
          "-o", "recovery.json", cwd=made)
    sonde("recover", *task, "--parameters", "two.json", "--subjects", "4,8", "--groups",
          "gamma=1", "--repeats", 3, "-o", "power.json", cwd=made)
    sonde("replay", bandit, "data.csv", "-o", "replay.json", cwd=made)
    for name in ("fit-two", "fit-one", "comparison", "recovery", "power", "replay"):
        sonde("report", f"{name}.json", "-o", name, cwd=made)
    return made


def test_tables_of_a_fit_are_its_numbers(fits):
    document = json.loads((fits / "fit-two.json").read_text())
    rows = table(fits / "fit-two", "subjects")
    assert [row["subject"] for row in rows] == list("abcd")
    for row, subject in zip(rows, document["subjects"]):
        for name in ("gamma", "eta"):
            assert float(row[name]) == subject["value"][name]
            assert float(row[f"{name}_sd"]) == subject["sd"][name]
            pair = [float(row[f"{name}_low"]), float(row[f"{name}_high"])]
            assert pair == subject["interval_90"][name]
        assert float(row["evidence"]) == subject["evidence"]
        assert int(row["weak"]) == len(subject["weak"])
    group = document["group"]
    rows = table(fits / "fit-two", "group")
    assert [(row["parameter"], row["column"]) for row in rows] \
        == [(name, column) for name in ("gamma", "eta") for column in group["columns"]]
    shown = [float(row["beta"]) for row in rows]
    assert shown == [number for row in group["beta"] for number in row]
    weak = [subject["subject"] for subject in document["subjects"] for _ in subject["weak"]]
    if weak:
        assert [row["subject"] for row in table(fits / "fit-two", "weak")] == weak
    assert table(fits / "fit-two", "parameters")[1]["target"] == "eta_A"
    assert not (fits / "fit-one/tables/group.csv").exists()
    assert "<h2>subjects</h2>" in (fits / "fit-one/index.html").read_text()


def test_tables_of_a_replay_are_its_numbers(fits):
    document = json.loads((fits / "replay.json").read_text())
    rows = table(fits / "replay", "subjects")
    assert [(row["subject"], float(row["log_likelihood"]), float(row["hits"])) for row in rows] \
        == [(one["subject"], one["log_likelihood"], one["hits"]) for one in document["subjects"]]
    rows = table(fits / "replay", "rows")
    steps = [step for one in document["subjects"] for step in one["steps"]]
    names = document["names"]["factors"][0]["actions"]
    assert [(int(row["row"]), row["action"], float(row["p"])) for row in rows] \
        == [(step["row"], names[step["action"][0]], step["p"]) for step in steps]
    with open(fits / "data.csv", newline="") as file:
        assert [row["action"] for row in rows] == [row["choice"] for row in csv.DictReader(file)]


def test_tables_of_recoveries_power_and_comparisons_are_their_numbers(fits):
    recovery = json.loads((fits / "recovery.json").read_text())
    rows = table(fits / "recovery", "recovery")
    wanted = [(one["model"], p["name"], p["r"], p["bias"], p["rmse"], p["coverage"])
              for one in recovery["models"] for p in one["parameters"]]
    assert [(row["model"], row["parameter"], *(float(row[key]) for key in
             ("r", "bias", "rmse", "coverage"))) for row in rows] == wanted and len(rows) == 3
    rows = table(fits / "recovery", "recovered")
    assert len(rows) == 6 * 3
    assert float(rows[3]["true"]) == recovery["models"][0]["subjects"][1]["true"][1]
    assert float(rows[3]["sd"]) ** 2 == pytest.approx(
        recovery["models"][0]["subjects"][1]["covariance"][1][1])
    rows = table(fits / "recovery", "confusion")
    assert [float(row["share"]) for row in rows] == sum(recovery["confusion"]["share"], [])
    power = json.loads((fits / "power.json").read_text())
    rows = table(fits / "power", "power")
    assert [[float(row["subjects"]), float(row["found_low"]), float(row["beta"])] for row in rows] \
        == [[one["subjects"], one["found_interval"][0], one["beta"]] for one in power["sizes"]]
    comparison = json.loads((fits / "comparison.json").read_text())
    rows = table(fits / "comparison", "models")
    assert [(row["model"], float(row["xp"])) for row in rows] \
        == [(one["model"], one["xp"]) for one in comparison["models"]]
    assert len(table(fits / "comparison", "families")) == 2
    rows = table(fits / "comparison", "members")
    assert [float(row[one["model"]]) for row in rows for one in comparison["models"]] \
        == sum((one["g"] for one in comparison["subjects"]), [])


def test_a_report_is_made_again_from_its_summary(learned):
    sonde("report", "habit.json", "-o", "habit", cwd=learned)
    before = (learned / "habit/summary.json").read_bytes()
    sonde("report", "habit/summary.json", "-o", "again", cwd=learned)
    assert (learned / "again/summary.json").read_bytes() == before


@pytest.mark.parametrize("text, expected", [
    ("{}", "expected the results of a study, or a document"),
    ('{"verb": "plan"}', "expected the results of a study, or a document"),
    ('{"verb": "simulate"}', "expected a run of an agent that learns"),
    ('{"verb": "simulate", "history": {"arrays": 3}}', "expected a run of an agent that learns"),
    ('{"verb": "simulate"', "line 1"),
    ('{"verb": "replay", "subjects": [{"subject": "a"}]}', "subjects: expected those of a replay"),
    ('{"format": "sonde-fit", "version": 1}', "parameters: expected those of a fit"),
    ('{"format": "sonde-fit", "version": 1, "parameters": [], "subjects": [3]}',
     "subjects: expected those of a fit, found 3"),
    ('{"format": "sonde-fit", "version": 9, "parameters": [], "subjects": [3]}', "version"),
    ('{"format": "sonde-recovery", "version": 1, "models": []}', "models: expected a list"),
    ('{"format": "sonde-power", "version": 1, "sizes": [1]}', "sizes: expected objects, found 1"),
    ('{"format": "sonde-comparison", "version": 1, "models": [{}]}', "subjects: expected a list"),
    ('{"verb": "simulate", "a": [1, 2', "']' expected near end of file"),
    ("", "other.json: expected the results of a study (an SQLite file), or a document of sonde "
     "simulate --learn, replay, fit, recover or compare, found something else"),
    ("subject,trial,choice\n1,1,0\n", "fit, recover or compare, found something else"),
    ("[1, 2]", "fit, recover or compare, found something else"),
])
def test_other_documents_are_refused_with_a_sentence(tmp_path, text, expected):
    (tmp_path / "other.json").write_text(text)
    said = sonde("report", "other.json", "-o", "report", cwd=tmp_path, status=3)
    assert expected in said and said.count("\n") == 1
    assert not (tmp_path / "report").exists()


@pytest.mark.parametrize("history", [
    {"by": 3, "arrays": [{"array": 1, "kl": {}}]},
    {"by": "step", "arrays": [{}, None, 7], "episodes": [{}, None, {"action": "x"}]},
    {"by": "step", "arrays": [{"array": "A", "kl": [0, None], "rows": ["a"], "columns": [None],
                               "first": [1], "entries": [-1, 99, "x"], "counts": [[], 5]}],
     "actions": [None], "episodes": [{"action": [5, -1, "u"], "preference": [1]}]},
])
def test_what_a_stranger_wrote_makes_a_report_or_a_sentence(tmp_path, history):
    (tmp_path / "other.json").write_text(json.dumps({"verb": "simulate", "history": history}))
    sonde("report", "other.json", "-o", "report", cwd=tmp_path)
    json.loads((tmp_path / "report/summary.json").read_text())


@pytest.mark.parametrize("document", [
    {"format": "sonde-fit", "parameters": [7, {}, {"name": "a", "prior": "x"}], "group": 3,
     "subjects": [{"value": {"a": "x", "b": 1}, "weak": [{}, 2, {"weights": {"a": None}}]}]},
    {"format": "sonde-fit", "parameters": [], "subjects": [{"value": {"a": 1}}],
     "group": {"parameters": [1], "columns": [None, "c"], "beta": [[1]], "low": 7}},
    {"format": "sonde-recovery", "confusion": {"share": [1]}, "models": [
        {"model": 3, "parameters": [{}, 1], "subjects": [{}, 5, {"true": [1], "map": {}}]}, {}]},
    {"verb": "replay", "names": {"factors": [3]}, "subjects": [
        {"subject": 3, "steps": [1, {}, {"action": [5, "x"], "p": "y"}]}, {"steps": []}]},
    {"format": "sonde-power", "sizes": [{}, {"subjects": "x", "found": 1}]},
    {"format": "sonde-comparison", "models": [{}, {"model": None}], "families": [{}, 2],
     "subjects": [{"g": 3}, {}]},
])
def test_strangers_fits_make_a_report_or_a_sentence(tmp_path, document):
    (tmp_path / "other.json").write_text(json.dumps({"version": 1, **document}))
    sonde("report", "other.json", "-o", "report", cwd=tmp_path)
    json.loads((tmp_path / "report/summary.json").read_text())
