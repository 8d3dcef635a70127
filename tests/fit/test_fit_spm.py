"""sonde fit --scheme spm: the likelihood is that of spm_MDP_VB_X, the rest is ours."""
import json
import math
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "replay"))

from tables import document, recorded, sonde  # noqa: E402


def trials(folder, name="tmaze-ade.spm", n=4, **numbers):
    fixture = recorded(name)
    model = dict(fixture["model"], **numbers)
    path = folder / f"{name}.json"
    path.write_text(json.dumps({"format": "sonde-spm", "version": 1, "model": model, "trials": [
        {"o": t["o"], "u": t["u"]} for t in fixture["trials"][:n]]}))
    return path


def fit(path, *options):
    return document("fit", path, "--scheme", "spm", "--quiet", "--optimiser", "newton",
                    "--starts", 1, *options, "--json")


def likelihood(path):
    return document("replay", path, "--scheme", "spm", "--json")["log_likelihood"]


def test_the_estimate_is_the_top_of_likelihood_and_prior(tmp_path):
    found = fit(trials(tmp_path), "--free", "alpha,eta")
    one = found["subjects"][0]
    assert found["scheme"] == "spm" and one["converged"]
    assert one["n"] == 8  # four trials of two moves

    def value(alpha, eta):
        path = trials(tmp_path, alpha=math.exp(alpha), eta=1 / (1 + math.exp(-eta)))
        return likelihood(path), (likelihood(path) - 2 * (alpha - math.log(16)) ** 2
                                  - 2 * eta ** 2)
    alpha, eta = one["map"]["alpha"], one["map"]["eta"]
    ll, best = value(alpha, eta)
    assert one["log_likelihood"] == pytest.approx(ll, abs=1e-9)
    for step in (0.05, -0.05):
        assert value(alpha + step, eta)[1] < best and value(alpha, eta + step)[1] < best


def test_vectors_are_added_to_C(tmp_path):
    fixture = recorded("tmaze-ade.spm")
    C = fixture["model"]["C"]
    wins = [max(row) if isinstance(row, list) else row for row in C[1]]
    at = wins.index(max(wins))
    free = tmp_path / "free.json"
    add = [1 if i == at else 0 for i in range(len(C[1]))]
    free.write_text(json.dumps([{"name": "rs", "target": "C[1]", "add": add}]))
    path = trials(tmp_path)
    found = fit(path, "--parameters", free)
    assert found["parameters"][0]["prior"] == [math.log(5), 0.5]
    kept = [fit(path, "--parameters", free, "--db", tmp_path / "fit.sqlite") for _ in range(2)]
    assert [one["subjects"] for one in kept] == [found["subjects"]] * 2
    by = found["subjects"][0]["value"]["rs"]
    more = [[[x + by * add[i] for x in row] if isinstance(row, list) else row + by * add[i]
             for i, row in enumerate(C[1])] if m == 1 else array for m, array in enumerate(C)]
    assert found["subjects"][0]["log_likelihood"] == \
        pytest.approx(likelihood(trials(tmp_path, C=more)), abs=1e-9)


def test_several_subjects(tmp_path):
    a = trials(tmp_path)
    b = tmp_path / "b.json"
    b.write_text(trials(tmp_path, n=3).read_text())
    trials(tmp_path)
    found = fit(a, b, "--free", "alpha")
    assert [s["subject"] for s in found["subjects"]] == [str(a), str(b)]
    run = sonde("fit", a, "--scheme", "spm", "--free", "alfa", "--quiet")
    assert run.returncode == 3 and "did you mean alpha" in run.stderr


def table_of(folder, subjects, base=0, **spoil):
    """Trials of subjects as a table; `spoil` has cells by (row, column)."""
    fixture = recorded("tmaze-ade.spm")
    n_action = [len(b[0][0]) if isinstance(b[0][0], list) else 1 for b in fixture["model"]["B"]]
    controlled = [f for f, n in enumerate(n_action) if n > 1]
    head = ["subject", "episode", "step"] + [f"o{m}" for m in range(len(fixture["model"]["A"]))]
    rows = [head + [f"u{f}" for f in controlled]]
    for subject, n in subjects:
        for e, trial in enumerate(fixture["trials"][:n]):
            for t in range(len(trial["o"][0])):
                done = [row[t] - 1 + base if t < len(row) else "" for row in trial["u"]]
                rows.append([subject, e, t, *(row[t] - 1 + base for row in trial["o"]),
                             *(done[f] for f in controlled)])
    for (row, column), cell in spoil.get("spoil", {}).items():
        rows[row][head.index(column) if column in head else -1] = cell
    path = folder / f"table{base}.csv"
    path.write_text("\n".join(",".join(map(str, row)) for row in rows) + "\n")
    return path


def test_tables_are_fitted_as_documents_are(tmp_path):
    one, two = trials(tmp_path, n=4), tmp_path / "two.json"
    fixture = recorded("tmaze-ade.spm")
    two.write_text(json.dumps(dict(json.loads(one.read_text()), trials=[
        {"o": t["o"], "u": t["u"]} for t in fixture["trials"][:3]])))
    wanted = document("fit", one, two, "--scheme", "spm", "--quiet", "--optimiser", "newton",
                      "--starts", 1, "--free", "alpha,eta", "--json")["subjects"]
    for base in (0, 1):
        found = fit(one, table_of(tmp_path, [("ann", 4), ("bob", 3)], base), "--base", base,
                    "--free", "alpha,eta")["subjects"]
        assert [s["subject"] for s in found] == ["ann", "bob"]
        for mine, theirs in zip(found, wanted):
            assert dict(mine, subject="") == dict(theirs, subject="")


WRONG = [({(3, "o1"): "9"}, "row 3, column o1: expected"),
         ({(2, "o0"): ""}, "row 2, column o0: expected an outcome"),
         ({(1, "u"): ""}, "row 1: expected an action"),
         ({(3, "step"): "5"}, "row 3, column step"),
         ({(6, "episode"): "9", (6, "step"): "0"}, "row 4: expected 3 rows of an episode")]


@pytest.mark.parametrize("spoil,sentence", WRONG, ids=[w[1] for w in WRONG])
def test_tables_that_are_no_trials(spoil, sentence, tmp_path):
    path, out = trials(tmp_path), tmp_path / "out.json"
    table = table_of(tmp_path, [("ann", 2)], spoil=spoil)
    run = sonde("fit", path, table, "--scheme", "spm", "--free", "alpha", "--quiet", "-o", out,
                "--db", tmp_path / "db")
    assert run.returncode == 3 and sentence in run.stderr, run.stderr
    assert len(run.stderr.splitlines()) == 1 and not out.exists()
    assert not (tmp_path / "db").exists()


def test_what_is_kept_is_of_the_same_model(tmp_path):
    store = tmp_path / "fit.sqlite"
    assert fit(trials(tmp_path), "--free", "alpha", "--db", store)["subjects"]
    run = sonde("fit", trials(tmp_path, eta=0.1), "--scheme", "spm", "--quiet", "--optimiser",
                "newton", "--starts", 1, "--free", "alpha", "--db", store)
    assert run.returncode == 3 and "has another fit" in run.stderr
