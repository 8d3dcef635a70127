"""sonde compare against spm_BMS's recorded numbers, SciPy's integrals, and plain sums."""
import gzip
import json
import os
import pathlib
import subprocess

import numpy as np
import pytest
from scipy import integrate, special, stats

DATA = pathlib.Path(os.environ["SONDE_TEST_DATA"]) / "learning"
COMMAND = os.environ["SONDE_COMMAND"]
RECORDED = json.loads(gzip.decompress((DATA / "bms-bmr.spm.json.gz").read_bytes()))


def run(folder, *words, status=0):
    done = subprocess.run([COMMAND, "compare", *map(str, words)], cwd=folder, capture_output=True,
                          text=True, timeout=60)
    assert done.returncode == status, done.stderr
    return done


def table(folder, evidence, names=None, name="table.csv"):
    evidence = np.asarray(evidence)
    names = names or [f"m{k}" for k in range(evidence.shape[1])]
    lines = [",".join(["subject", *names])]
    lines += [",".join([f"s{n}", *map(repr, map(float, row))]) for n, row in enumerate(evidence)]
    (folder / name).write_text("\n".join(lines) + "\n")
    return folder / name


def compare(folder, evidence, *options):
    document = json.loads(run(folder, table(folder, evidence), "--json", *options).stdout)
    found = {key: np.array([m[key] for m in document["models"]], dtype=float)
             for key in ("alpha", "r", "xp", "pxp", "evidence", "fixed")}
    return document, found


def exceedance(alpha):
    """The same integral, by SciPy."""
    alpha = np.asarray(alpha)

    def density(x, k):
        others = np.delete(alpha, k)
        return stats.gamma.pdf(x, alpha[k]) * np.prod(special.gammainc(others, x))
    top = alpha.max() + 20 * np.sqrt(alpha.max()) + 50
    return [integrate.quad(density, 0, top, args=(k,), epsabs=1e-13, epsrel=1e-12, limit=2000,
                           points=sorted(set(alpha)))[0] for k in range(len(alpha))]


def plain(evidence, alpha0):
    """The rounds of variational Bayes, in as few lines as they take."""
    alpha, moved = np.array(alpha0, dtype=float), 1
    while moved > 1e-3:
        g = special.softmax(evidence + special.psi(alpha) - special.psi(alpha.sum()), axis=1)
        new = alpha0 + g.sum(axis=0)
        moved, alpha = np.linalg.norm(new - alpha), new
    return alpha, g


def test_three_models_are_as_spm_has_them(tmp_path):
    document, found = compare(tmp_path, RECORDED["lme"])
    assert found["alpha"] == pytest.approx(RECORDED["alpha"], abs=1e-9)
    assert found["r"] == pytest.approx(RECORDED["exp_r"], abs=1e-9)
    assert document["bor"] == pytest.approx(RECORDED["bor"][0], abs=1e-9)
    # spm samples; these are exact
    assert found["xp"] == pytest.approx([.922586, .063804, .013610], abs=1e-6)
    assert found["xp"] == pytest.approx(RECORDED["xp_sampled_1e5"], abs=3e-3)
    bor = document["bor"]
    assert found["pxp"] == pytest.approx((1 - bor) * found["xp"] + bor / 3, abs=1e-15)


def test_two_models_are_as_spm_has_them(tmp_path):
    document, found = compare(tmp_path, np.array(RECORDED["lme"])[:, :2])
    assert found["alpha"] == pytest.approx(RECORDED["alpha_first_two"], abs=1e-9)
    assert found["xp"] == pytest.approx(RECORDED["xp_first_two"], abs=1e-9)
    assert found["pxp"] == pytest.approx(RECORDED["pxp_first_two"], abs=1e-9)
    assert document["bor"] == pytest.approx(RECORDED["bor_first_two"][0], abs=1e-9)


@pytest.mark.parametrize("n, k, spread", [(2, 3, 1), (30, 2, 3), (30, 5, 3), (400, 4, .3),
                                          (12, 20, 8), (5000, 3, 2)])
def test_numbers_are_those_of_scipy(n, k, spread, tmp_path):
    draw = np.random.default_rng([n, k])
    evidence = -100 + spread * draw.standard_normal((n, k)) + draw.standard_normal(k)
    document, found = compare(tmp_path, evidence)
    alpha, g = plain(evidence, np.ones(k))
    assert found["alpha"] == pytest.approx(alpha, rel=1e-10)
    assert np.array([s["g"] for s in document["subjects"]]) == pytest.approx(g, abs=1e-11)
    assert found["xp"].sum() == pytest.approx(1, abs=1e-11)
    if k > 2:
        assert found["xp"] == pytest.approx(exceedance(found["alpha"]), abs=1e-9)
    else:
        assert found["xp"][0] == pytest.approx(special.betainc(alpha[1], alpha[0], .5), abs=1e-12)
    assert found["evidence"] == pytest.approx(evidence.sum(axis=0), rel=1e-12)
    assert found["fixed"] == pytest.approx(special.softmax(evidence.sum(axis=0)), abs=1e-9)


def test_bor_is_that_of_the_two_free_energies(tmp_path):
    draw = np.random.default_rng(5)
    evidence = draw.standard_normal((20, 4)) * 2
    document, found = compare(tmp_path, evidence)
    alpha, g = plain(evidence, np.ones(4))
    e, eps = special.psi(alpha) - special.psi(alpha.sum()), np.finfo(float).eps
    f1 = (special.gammaln(4) + (g * (e + evidence)).sum() + special.gammaln(alpha).sum()
          - special.gammaln(alpha.sum()) - ((alpha - 1) * e).sum() - (g * np.log(g + eps)).sum())
    h = special.softmax(evidence, axis=1)
    f0 = (h * (evidence - np.log(4) - np.log(h + eps))).sum()
    assert document["bor"] == pytest.approx(1 / (1 + np.exp(f1 - f0)), abs=1e-10)


def test_families_have_the_same_chance_whatever_their_size(tmp_path):
    """Evidences that say nothing leave a family of one and a family of three as frequent."""
    table(tmp_path, np.zeros((10, 4)), ["a", "b", "c", "d"])
    options = ["--family", "small=a", "--family", "large=b,c,d", "--json"]
    document = json.loads(run(tmp_path, "table.csv", *options).stdout)
    assert [f["family"] for f in document["families"]] == ["small", "large"]
    averaged = [f["averaged"] for f in document["families"]]
    for key in ("r", "xp", "pxp"):
        assert [f[key] for f in averaged] == pytest.approx([.5, .5], abs=1e-9)
    # which cannot be said of the sums that SPM has
    assert document["families"][0]["r"] > .8
    assert document["bor"] is None and document["models"][0]["pxp"] is None
    assert [m["family"] for m in document["models"]] == ["small"] + 3 * ["large"]


def test_families_add_up_their_members(tmp_path):
    draw = np.random.default_rng(6)
    evidence = draw.standard_normal((15, 5)) * 3
    table(tmp_path, evidence, list("abcde"))
    document = json.loads(run(tmp_path, "table.csv", "--json", "--family", "x=a,e", "--family",
                              "y=b", "--family", "z=c,d").stdout)
    alpha, _ = plain(evidence, np.array([.5, 1, .5, .5, .5]))
    sums = [alpha[0] + alpha[4], alpha[1], alpha[2] + alpha[3]]
    assert [m["alpha"] for m in document["models"]] == pytest.approx(alpha, rel=1e-10)
    assert [f["alpha"] for f in document["families"]] == pytest.approx(sums, rel=1e-10)
    assert [f["xp"] for f in document["families"]] == pytest.approx(exceedance(sums), abs=1e-9)
    mean = [special.logsumexp(evidence[:, m], axis=1) - np.log(len(m))
            for m in ([0, 4], [1], [2, 3])]
    averaged, found = compare(tmp_path, np.transpose(mean))
    for key in ("alpha", "r", "xp", "pxp"):
        assert [f["averaged"][key] for f in document["families"]] == pytest.approx(found[key])
    assert document["averaged_bor"] == pytest.approx(averaged["bor"])


def fit(folder, name, seed, parameters, **more):
    """A result of sonde fit, as far as comparing goes."""
    draw = np.random.default_rng(seed)
    subjects = [{"subject": f"s{n}", "map": {p: draw.normal() for p in parameters},
                 "sd": {p: draw.uniform(.1, 1) for p in parameters},
                 "log_likelihood": -50 + draw.normal(), "evidence": -60 + 2 * draw.normal(),
                 "n": 100 + n} for n in range(6)]
    document = {"format": "sonde-fit", "version": 1,
                "parameters": [{"name": p, "transform": "log", "prior": [0, 1]}
                               for p in parameters], "subjects": subjects, "group": None, **more}
    (folder / name).write_text(json.dumps(document))
    return document


def test_fits_are_compared_by_subject_whatever_their_order(tmp_path):
    a, b = fit(tmp_path, "a.json", 1, ["gamma", "eta"]), fit(tmp_path, "b.json", 2, ["gamma"])
    turned = dict(b, subjects=b["subjects"][::-1])
    (tmp_path / "b.json").write_text(json.dumps(turned))
    document = json.loads(run(tmp_path, "a.json", "b.json", "--json").stdout)
    assert [m["model"] for m in document["models"]] == ["a", "b"]
    for n, subject in enumerate(document["subjects"]):
        assert subject["evidence"] == [a["subjects"][n]["evidence"], b["subjects"][n]["evidence"]]


def test_averages_and_criteria_are_plain_sums(tmp_path):
    fits = [fit(tmp_path, "a.json", 1, ["gamma", "eta"]), fit(tmp_path, "b.json", 2, ["gamma"]),
            fit(tmp_path, "c.json", 3, ["eta", "gamma"])]
    document = json.loads(run(tmp_path, "a.json", "b.json", "c.json", "--json").stdout)
    for n, subject in enumerate(document["subjects"]):
        for name in ("gamma", "eta"):
            have = [k for k in range(3) if name in fits[k]["subjects"][n]["map"]]
            g = np.array(subject["g"])[have]
            g /= g.sum()
            mean = np.array([fits[k]["subjects"][n]["map"][name] for k in have])
            sd = np.array([fits[k]["subjects"][n]["sd"][name] for k in have])
            assert subject["average"][name] == pytest.approx(g @ mean, abs=1e-12)
            spread = g @ (sd**2 + mean**2) - (g @ mean)**2
            assert subject["sd"][name] == pytest.approx(np.sqrt(spread), abs=1e-12)
    choices = sum(s["n"] for s in fits[0]["subjects"])
    for one, model, free in zip(fits, document["models"], (2, 1, 2)):
        likelihood = sum(s["log_likelihood"] for s in one["subjects"])
        assert model["AIC"] == pytest.approx(2 * 6 * free - 2 * likelihood, abs=1e-9)
        assert model["BIC"] == pytest.approx(6 * free * np.log(choices) - 2 * likelihood, abs=1e-9)
    first = fits[0]["subjects"][0]
    assert document["subjects"][0]["AIC"][0] == pytest.approx(4 - 2 * first["log_likelihood"])


def test_a_parameter_on_two_scales_is_not_averaged(tmp_path):
    fit(tmp_path, "a.json", 1, ["gamma", "eta"])
    b = fit(tmp_path, "b.json", 2, ["gamma", "eta"])
    b["parameters"][1]["transform"] = "logit"
    (tmp_path / "b.json").write_text(json.dumps(b))
    document = json.loads(run(tmp_path, "a.json", "b.json", "--json").stdout)
    assert set(document["subjects"][0]["average"]) == {"gamma"}


def test_text_has_the_same_numbers(tmp_path):
    table(tmp_path, RECORDED["lme"], ["one", "two", "three"])
    text = run(tmp_path, "table.csv").stdout
    assert "3 models, 8 subjects" in text and "bor): 0.5298" in text
    assert "0.9226" in text and "6.9797" in text


def test_a_table_without_subjects_and_with_tabs_is_read(tmp_path):
    (tmp_path / "t.tsv").write_text("a\tb\n-1\t-2\n-3\t-1.5\n")
    document = json.loads(run(tmp_path, "t.tsv", "--json").stdout)
    assert [s["subject"] for s in document["subjects"]] == ["1", "2"]
    assert [s["evidence"] for s in document["subjects"]] == [[-1, -2], [-3, -1.5]]


@pytest.mark.parametrize("text, status, words", [
    ("subject,a,b\ns1,-1,x\ns2,-1,-2\n", 3, 'row 1, column b: expected a log evidence, found "x"'),
    ("subject,a,b\ns1,-1,\ns2,-1,-2\n", 3, "row 1, column b: expected a log evidence, found none"),
    ("subject,a,b\ns1,-1,-2\n", 3, "expected two subjects or more, found 1"),
    ("subject,a\ns1,-1\ns2,-1\n", 2, "expected two models or more to compare, found 1"),
    ("subject,a,b\ns1,-1\ns2,-1,-2\n", 3, "row 1: expected 3 cells, as in the head, found 2"),
    ("subject,a,b\ns1,-1,-2\ns1,-1,-2\n", 3, 'found a second one of "s1"'),
    ("subject,a,a\ns1,-1,-2\n", 3, 'expected different names, found "a" twice'),
    ("", 3, "expected a table, found nothing"),
    ('{"format": "sonde-fit", "version": 1, "subjects": []}', 3,
     "parameters: expected a list, as in a result of sonde fit"),
    ('{"subjects": []}', 3, 'format: expected "sonde-fit", found nothing'),
])
def test_what_is_wrong_with_a_table_is_a_sentence(text, status, words, tmp_path):
    (tmp_path / "t.csv").write_text(text)
    done = run(tmp_path, "t.csv", "-o", "out.json", status=status)
    assert words in done.stderr and done.stderr.count("\n") == 1
    assert not (tmp_path / "out.json").exists()


def test_what_is_wrong_with_fits_is_a_sentence(tmp_path):
    a, b = fit(tmp_path, "a.json", 1, ["gamma"]), fit(tmp_path, "b.json", 2, ["gamma"])

    def fails(document, words, status=3):
        (tmp_path / "b.json").write_text(json.dumps(document))
        assert words in run(tmp_path, "a.json", "b.json", status=status).stderr
    fails(dict(b, version=7), "b.json: version: expected 1, found 7")
    fails(dict(b, format="sonde-recovery"), 'b.json: format: expected "sonde-fit", found')
    fails(dict(b, subjects=b["subjects"][1:]), "expected the 6 subjects of a.json, found 5")
    fails(dict(b, subjects=b["subjects"][1:] + [dict(b["subjects"][0], subject="other")]),
          'b.json: expected the subjects of a.json, found no "s0"')
    fails(dict(b, subjects=[dict(b["subjects"][0], evidence=None)] + b["subjects"][1:]),
          "subjects[0].evidence: expected a number, found null")
    fails(dict(b, subjects=[dict(b["subjects"][0], n=7)] + b["subjects"][1:]),
          "evidences of different data cannot be compared")
    assert "expected two models" in run(tmp_path, "a.json", status=2).stderr
    (tmp_path / "b.json").write_text(json.dumps(b))
    for family, words in [("x=a,c", 'expected a model, found "c"'), ("x", "expected NAME=MODEL"),
                          ("x=a", 'found none for "b"'), ("x=a,a", 'found "a" in two'),
                          ("x=a,b", "expected two families or more, found 1")]:
        assert words in run(tmp_path, "a.json", "b.json", "--family", family, status=2).stderr
    assert a["subjects"][0]["n"] == b["subjects"][0]["n"]
