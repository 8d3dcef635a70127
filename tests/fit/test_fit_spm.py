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
