"""NLopt is used where it is installed, and the result says so.

A library with NLopt's functions stands in for it here, which searches along the axes: what is
checked is how it is called, and that what it finds is polished to the same estimates."""
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


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_bobyqa(tmp_path):
    source = tmp_path / "nlopt.c"
    source.write_text(SOURCE)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", tmp_path / "libnlopt.so.0", source], check=True)
    model, _, free, fixture = bandit(tmp_path)
    rows = [[s["subject"], a, r] for s in fixture["subjects"][:2]
            for a, r in zip(s["arm"], s["reward"])]
    table = write_table(tmp_path, "subject,arm,reward", rows)
    environment = dict(os.environ, LD_LIBRARY_PATH=str(tmp_path))
    run = subprocess.run([COMMAND, "fit", model, table, *BANDIT, "--parameters", free, "--json",
                          "--quiet"], capture_output=True, text=True, env=environment, check=True)
    found = json.loads(run.stdout)
    assert found["optimiser"] == "BOBYQA"
    for mine, theirs in zip(found["subjects"], fixture["subjects"]):
        for value, wanted, one in zip(mine["map"].values(), theirs["map"], fixture["free"]):
            assert abs(value - wanted) < 1e-4 * one["prior"][1]
    run = subprocess.run([COMMAND, "fit", model, table, *BANDIT, "--parameters", free, "--json",
                          "--quiet", "--optimiser", "newton"], capture_output=True, text=True,
                         env=environment, check=True)
    assert json.loads(run.stdout)["optimiser"] == "newton"
