"""sonde model --reduce against spm_MDP_log_evidence."""
import gzip
import json
import math
import os
import pathlib
import subprocess

import pytest

DATA = pathlib.Path(os.environ["SONDE_TEST_DATA"]) / "learning"
COMMAND = os.environ["SONDE_COMMAND"]
FIXTURE = json.loads(gzip.decompress((DATA / "bms-bmr.spm.json.gz").read_bytes()))


def model(a, **more):
    n = len(a[0])
    same = [[[float(i == j)] for j in range(n)] for i in range(n)]
    return {"format": "sonde-model", "version": 1, "horizon": 1, "C": [[0] * len(a)],
            "B": [same], "D": [[1 / n] * n], "counts": {"A": [a]},
            "factors": [{"states": n, "actions": 1}],
            "modalities": [{"outcomes": len(a)}]} | more


@pytest.fixture
def run(tmp_path):
    def go(*words, status=0, **models):
        for name, document in models.items():
            (tmp_path / f"{name}.json").write_text(json.dumps(document))
        done = subprocess.run([COMMAND, "model", *words], capture_output=True, text=True,
                              cwd=tmp_path)
        assert done.returncode == status, done.stderr
        return json.loads(done.stdout) if "--json" in words and not status else done
    return go


def models():
    return {key: model(FIXTURE[f"bmr_{key}"]) for key in "qpr"}


def test_the_evidence_of_a_reduced_prior_is_that_of_spm(run):
    found = run("q.json", "--reduce", "p.json", "--reduced", "r.json", "--json", **models())
    assert [a["array"] for a in found["arrays"]] == ["A[0]"]
    for mine, theirs in zip(found["arrays"][0]["columns"], FIXTURE["bmr_F"], strict=True):
        assert abs(mine - theirs) < 1e-9
    assert abs(found["evidence"] - sum(FIXTURE["bmr_F"])) < 1e-9
    said = run("q.json", "--reduce", "p.json", "--reduced", "r.json").stdout
    assert "the prior is better" in said


def log_beta(z):
    return sum(math.lgamma(x) for x in z) - math.lgamma(sum(z))


def test_every_entry_is_asked_for_in_turn(run):
    given = models()
    given["q"] = model([[9, 1], [1, 3], [1, 1]])
    found = run("q.json", "--reduce", "p.json", "--json", **given)["arrays"][0]["entries"]
    assert len(found) == 6
    for row, column, F in found:
        q = [r[column] + 1 / 32 for r in [[9, 1], [1, 3], [1, 1]]]
        p = [1 + 1 / 32] * 3
        r = [1 / 32 if i == row else 1 + 1 / 32 for i in range(3)]
        s = [a + b - c for a, b, c in zip(q, r, p)]
        assert abs(F - (log_beta(q) + log_beta(r) - log_beta(p) - log_beta(s))) < 1e-9
    needed = {(row, column) for row, column, F in found if F > 0}
    assert (0, 0) in needed and (1, 0) not in needed and (2, 0) not in needed
    lines = run("q.json", "--reduce", "p.json").stdout.splitlines()
    assert lines[2].split()[:2] == ["A[0]", str(len(needed))]
    said = [float(line.split()[-1]) for line in lines[3:] if " | " in line]
    idle = [-F for _, _, F in found if F < 0]
    assert said == pytest.approx(idle + [F for _, _, F in found if F > 0], abs=1e-6)
    assert "    not asked for, by so many nats" in lines


def test_what_nothing_is_known_of_is_not_asked_for(run):
    given = models()
    found = run("p.json", "--reduce", "p.json", **given).stdout
    assert "0 entries are asked for, 0 are not, of 6 the counts say nothing" in found
    found = run("p.json", "--reduce", "p.json", "--reduced", "p.json").stdout
    assert "they are as good" in found and "better" not in found


def test_counts_of_B_and_D_are_reduced_too_sparse_or_not(run):
    B = [[[2, 0], [1, 1]], [[3, 4], [0, 5]]]
    prior = [[[1, 0], [1, 1]], [[1, 1], [0, 1]]]
    given = {name: model([[1, 1], [1, 1]], B=None, factors=[{"states": 2, "actions": 2}],
                         counts={"B": [b], "D": [d]}, A=[[[1, 0], [0, 1]]])
             for name, b, d in (("q", B, [3, 1]), ("p", prior, [1, 1]))}
    for one in given.values():
        del one["B"], one["D"]
    found = run("q.json", "--reduce", "p.json", "--reduced", "p.json", "--json", **given)
    assert [a["array"] for a in found["arrays"]] == ["B[0]", "D[0]"]
    assert len(found["arrays"][0]["columns"]) == 4
    assert abs(found["evidence"]) < 1e-12
    asked = run("q.json", "--reduce", "p.json", "--json")["arrays"][0]["entries"]
    assert [(row, column) for row, column, _ in asked] == [(0, 0), (0, 2), (0, 3), (1, 0), (1, 1),
                                                           (1, 3)]


def test_what_cannot_be_reduced_is_said_in_a_sentence(run):
    given = models()
    done = run("p.json", "--reduce", "q.json", "--reduced", "r.json", status=2, **given)
    assert "fewer counts after learning than the prior has" in done.stderr
    given["r"] = model([[1, 1], [1, 1]])
    done = run("q.json", "--reduce", "p.json", "--reduced", "r.json", status=2, **given)
    assert "expected the same shape in all models" in done.stderr
    plain = model([[1, 1], [1, 1]], A=[[[1, 0], [0, 1]]])
    del plain["counts"]
    done = run("plain.json", "--reduce", "plain.json", status=2, plain=plain)
    assert "the model has no counts" in done.stderr
    run("q.json", "--reduced", "p.json", status=2)
    run("q.json", "--reduce", "nowhere.json", status=3)
