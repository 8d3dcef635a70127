"""Each rule of the bounds is needed: without it, certificates say what is not so.

One file of src/closed is compiled with a rule left out, and the searches of
test_closed_certificates.c, the same ones each time, are held to the exact recursion again.
"""
# once
# slow
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

BUILD = Path(os.environ["SONDE_COMMAND"]).resolve().parent
ROOT = Path(__file__).resolve().parents[2]
FLAGS = ["-std=c11", "-O2", "-ffp-contract=off", "-D_XOPEN_SOURCE=700",
         *(f"-I{ROOT / folder}" for folder in ("include", "src", "tests", "lab")),
         '-DSONDE_TEST_DATA="."', '-DSONDE_TEST_TMP="."', '-DSONDE_COMMAND="."']
LIBRARIES = ["-ljansson", "-lz", "-lm", "-lpthread", "-lcmocka"]

# G of the best sequence of actions from a belief
OPEN_LOOP = """
static double open_loop(sonde__bounds *b, int32_t depth, sonde__support belief, int32_t u) {
    int32_t state[64];
    double p[64];
    sonde__prospect_predict(b->world, belief, u, sonde__joint_row(b->world, depth), &b->outlook);
    const double step = b->outlook.efe;
    const int32_t n = b->outlook.n;
    memcpy(state, b->outlook.state, (size_t)n * sizeof *state);
    memcpy(p, b->outlook.p, (size_t)n * sizeof *p);
    double least = depth + 1 < b->world->horizon ? (double)INFINITY : 0.0;
    for (int32_t v = 0; depth + 1 < b->world->horizon && v < b->world->n_action; v++) {
        if (b->world->prior[v] > 0.0) {
            const sonde__support next = {.n = n, .state = state, .p = p};
            const double rest = open_loop(b, depth + 1, next, v);
            least = rest < least ? rest : least;
        }
    }
    return step + b->discount * least;
}

/* What G of u is at most. */
"""

MUTATIONS = {
    "open-loop G as an upper bound": {"closed_bounds.c": [
        ("/* What G of u is at most. */\n", OPEN_LOOP),
        ("    const sonde__layer *layer = &b->layer[depth];\n    if (b->n_most > 0) {",
         "    const sonde__layer *layer = &b->layer[depth];\n"
         "    if (b->n_most > 0) {\n        return open_loop(b, depth, belief, u);")]},
    "kappa 1 with several modalities": {"closed_joint.c": [
        ("world->informs * (double)n_counted", "world->informs * (n_counted > 0 ? 1.0 : 0.0)")]},
    "the average as if it rose with every G": {"closed_backup.c": [
        ("    if (backup->kind == SONDE_BACKUP_AVERAGE) {\n        average_range",
         "    if (backup->kind == SONDE_BACKUP_AVERAGE && backup->gamma < 0.0) {\n"
         "        average_range")]},
    "no widening": {
        "closed_bounds.c": [("#define WIDENING 1e-12", "#define WIDENING 0.0")],
        "closed_web.c": [("#define WIDENING 1e-13", "#define WIDENING 0.0")],
        "closed_certificate.c": [
            ("    return !closed->web.merges ? 0.0", "    return true ? 0.0")]},
}
EXPONENTS = {"closed_backup.c": [
    ("        least = x < least ? x : least;\n        if (u < KEPT)",
     "        const double low = b->prior[u] > 0.0 ? b->lower[u] : (double)INFINITY;\n"
     "        least = low < least ? low : least;\n        if (u < KEPT)")]}


def compiled(folder, changes, test):
    """The program of a test, with changes to some files."""
    sources = []
    for name, pairs in changes.items():
        text = (ROOT / "src" / "closed" / name).read_text()
        for before, after in pairs:
            assert text.count(before) == 1, (name, before)
            text = text.replace(before, after)
        (folder / name).write_text(text)
        sources.append(folder / name)
    program = folder / "program"
    subprocess.run([shutil.which("cc"), *FLAGS, *sources, ROOT / "tests" / "closed" / test,
                    BUILD / "libsonde.a", *LIBRARIES, "-o", program], check=True)
    return program


def violations(program, which=""):
    """Of the searches of all models, or of those that are "wide" or "near"."""
    done = subprocess.run([program], capture_output=True, text=True, check=False,
                          env={**os.environ, "SONDE_CAMPAIGN": "1" if which else "400"})
    return int(re.search(rf"\d {which}searches, (\d+) violations", done.stdout + done.stderr)[1])


def test_with_all_rules_there_is_no_violation(tmp_path):
    program = compiled(tmp_path, {}, "test_closed_certificates.c")
    assert [violations(program, which) for which in ("", "wide ", "near ")] == [0, 0, 0]


@pytest.mark.parametrize("name", MUTATIONS)
def test_without_one_rule_certificates_fail(tmp_path, name):
    assert violations(compiled(tmp_path, MUTATIONS[name], "test_closed_certificates.c")) >= 20


def test_exponents_relative_to_the_least_bound_lose_searches(tmp_path):
    program = compiled(tmp_path, EXPONENTS, "test_closed_certificates.c")
    assert violations(program, "near ") >= 20


def test_exponents_relative_to_the_least_bound_lose_the_sign(tmp_path):
    program = compiled(tmp_path, EXPONENTS, "test_closed_backup.c")
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    found = re.search(r"boxes, (\d+) of them", done.stdout + done.stderr)
    assert done.returncode != 0 and found and int(found[1]) >= 20
