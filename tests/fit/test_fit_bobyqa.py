"""NLopt is used where it is installed, and the result says so.

First NLopt itself (Debian's libnlopt0), whose estimates are those of Newton's steps alone. Then a
library with NLopt's functions that stands in for it and searches along the axes: what is checked is
how it is called, and that what it finds is polished. Last a library that is none."""
import ctypes
import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "replay"))

from tables import BANDIT, COMMAND, bandit, write_table  # noqa: E402

SOURCE = r"""
#include <stdlib.h>
#include <string.h>
typedef double (*function)(unsigned, const double *, double *, void *);
struct nlopt_opt_s {
    unsigned n; function f; void *data; double low, high, xtol, step; int most, stop;
};
typedef struct nlopt_opt_s *opt;
int nlopt_algorithm_from_string(const char *name) { return strcmp(name, "LN_BOBYQA") ? -1 : 34; }
opt nlopt_create(int algorithm, unsigned n) {
    opt o = calloc(1, sizeof *o);
    o->n = n;
    return algorithm == 34 ? o : NULL;
}
int nlopt_set_max_objective(opt o, function f, void *data) { o->f = f; o->data = data; return 1; }
int nlopt_set_lower_bounds1(opt o, double x) { o->low = x; return 1; }
int nlopt_set_upper_bounds1(opt o, double x) { o->high = x; return 1; }
int nlopt_set_xtol_abs1(opt o, double x) { o->xtol = x; return 1; }
int nlopt_set_initial_step1(opt o, double x) { o->step = x; return 1; }
int nlopt_set_maxeval(opt o, int n) { o->most = n; return 1; }
int nlopt_set_force_stop(opt o, int x) { o->stop = x; return 1; }
void nlopt_destroy(opt o) { free(o); }
int nlopt_optimize(opt o, double *x, double *value) {
    *value = o->f(o->n, x, NULL, o->data);
    for (double step = o->step; step > 0.05 && !o->stop; ) {
        int moved = 0;
        for (unsigned i = 0; i < 2 * o->n; i++) {
            const double old = x[i / 2];
            x[i / 2] += i % 2 ? step : -step;
            const double now = o->f(o->n, x, NULL, o->data);
            if (now > *value && x[i / 2] >= o->low && x[i / 2] <= o->high) {
                *value = now;
                moved = 1;
            } else {
                x[i / 2] = old;
            }
        }
        step = moved ? step : step / 2;
    }
    return 4;
}
"""


def nlopt():
    """Whether NLopt is installed."""
    try:
        return ctypes.CDLL("libnlopt.so.0").nlopt_create is not None
    except (OSError, AttributeError):
        return False


def few(folder, n):
    """The words that fit the first subjects of fit-bandit, and the fixture."""
    model, _, free, fixture = bandit(folder)
    rows = [[s["subject"], a, r] for s in fixture["subjects"][:n]
            for a, r in zip(s["arm"], s["reward"])]
    table = write_table(folder, "subject,arm,reward", rows)
    return [COMMAND, "fit", model, table, *BANDIT, "--parameters", free, "--quiet"], fixture


def told(words, *more, path=None):
    """What a fit prints, with libraries of a folder before all others."""
    environment = dict(os.environ, **({"LD_LIBRARY_PATH": str(path)} if path else {}))
    return subprocess.run([*words, *more], capture_output=True, text=True, env=environment,
                          check=True).stdout


@pytest.mark.skipif(not nlopt(), reason="needs libnlopt0")
def test_nlopt_itself(tmp_path):
    words, fixture = few(tmp_path, 10)
    found = json.loads(told(words, "--json", "--threads", "1"))
    newton = json.loads(told(words, "--json", "--optimiser", "newton"))
    assert found["optimiser"] == "BOBYQA" and newton["optimiser"] == "newton"
    assert json.loads(told(words, "--json", "--threads", "3"))["subjects"] == found["subjects"]
    assert "NLopt's BOBYQA" in told(words)
    assert "damped Newton" in told(words, "--optimiser", "newton")
    for mine, theirs, known in zip(found["subjects"], newton["subjects"], fixture["subjects"]):
        assert mine["converged"] and theirs["converged"]
        assert mine["evaluations"] != theirs["evaluations"]
        assert mine["evidence"] == pytest.approx(theirs["evidence"], abs=1e-6)
        for name, wanted, one in zip(mine["map"], known["map"], fixture["free"]):
            sd = one["prior"][1]
            assert abs(mine["map"][name] - theirs["map"][name]) < 1e-5 * sd
            assert abs(mine["map"][name] - wanted) < 1e-4 * sd
            assert mine["sd"][name] == pytest.approx(theirs["sd"][name], rel=1e-4)


def test_a_library_that_is_none(tmp_path):
    words, fixture = few(tmp_path, 1)
    for name in ("libnlopt.so.0", "libnlopt.so.1", "libnlopt.so"):
        (tmp_path / name).write_text("nothing")
    found = json.loads(told(words, "--json", path=tmp_path))
    assert found["optimiser"] == "newton"
    for value, wanted in zip(found["subjects"][0]["map"].values(), fixture["subjects"][0]["map"]):
        assert abs(value - wanted) < 1e-4


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_bobyqa(tmp_path):
    source = tmp_path / "nlopt.c"
    source.write_text(SOURCE)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", tmp_path / "libnlopt.so.0", source], check=True)
    words, fixture = few(tmp_path, 2)
    found = json.loads(told(words, "--json", path=tmp_path))
    assert found["optimiser"] == "BOBYQA"
    for mine, theirs in zip(found["subjects"], fixture["subjects"]):
        for value, wanted, one in zip(mine["map"].values(), theirs["map"], fixture["free"]):
            assert abs(value - wanted) < 1e-4 * one["prior"][1]


def stand_in(folder, result):
    """A library in NLopt's place whose search ends like this."""
    source = folder / "nlopt.c"
    source.write_text(SOURCE.replace("return 4;", f"return {result};"))
    subprocess.run(["cc", "-shared", "-fPIC", "-o", folder / "libnlopt.so.0", source], check=True)


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
@pytest.mark.parametrize("result, code, wanted", [(-1, 2, "BOBYQA failed (its result is -1)"),
                                                  (-3, 4, "the system refused NLopt memory")])
def test_a_search_that_fails_is_an_error(result, code, wanted, tmp_path):
    """And not the work of another optimiser under its name."""
    words, _ = few(tmp_path, 1)
    stand_in(tmp_path, result)
    out = tmp_path / "out.json"
    run = subprocess.run([*words, "-o", out], capture_output=True, text=True,
                         env=dict(os.environ, LD_LIBRARY_PATH=str(tmp_path)))
    assert run.returncode == code and wanted in run.stderr and run.stderr.count("\n") == 1
    assert not out.exists()


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_a_fit_is_not_gone_on_with_by_another_optimiser(tmp_path):
    words, _ = few(tmp_path, 2)
    words += ["--db", tmp_path / "store.sqlite"]
    stand_in(tmp_path, 4)
    assert json.loads(told(words, "--json", path=tmp_path))["optimiser"] == "BOBYQA"
    run = subprocess.run([*words, "--optimiser", "newton"], capture_output=True, text=True)
    assert run.returncode == 3 and "another optimiser" in run.stderr
