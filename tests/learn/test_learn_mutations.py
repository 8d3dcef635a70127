"""Each rule of the bounds with novelty is needed: without it, certified search is wrong.

One file is compiled with a rule changed, and the models of test_learn_bounds.c, the same ones each
time, are held to G worked out the long way again.
"""
# once
# slow
import os
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

MUTATIONS = {
    "nothing is to come at least, whatever is learned": ("efe/efe_bound.c", [
        ("double best = bound->least[t];",
         "double best = bound->least[t] > 0.0 ? bound->least[t] : 0.0;")]),
    "what is learned of B is left out of V": ("efe/efe_bound.c", [
        ("bound->before[s] - bound->after[s] + charge;", "bound->before[s] + charge;")]),
    "half of what is learned": ("model/model_novelty.c", [
        ("gain *= form == SONDE_NOVELTY_HALF ? 0.5 : 1.0;", "gain *= 0.5;")]),
    "V where factors depend on each other": ("efe/efe_bound.c", [
        ("return model->graph == NULL && !model->coupled && ", "return model->graph == NULL && ")]),
}


def compiled(folder, source, changes):
    """The program of the test, with changes to one file."""
    text = (ROOT / "src" / source).read_text()
    for before, after in changes:
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    changed = folder / Path(source).name
    changed.write_text(text)
    program = folder / "program"
    subprocess.run([shutil.which("cc"), *FLAGS, changed,
                    ROOT / "tests" / "learn" / "test_learn_bounds.c", BUILD / "libsonde.a",
                    *LIBRARIES, "-o", program], check=True)
    return program


def test_with_all_rules_nothing_is_violated(tmp_path):
    program = compiled(tmp_path, "efe/efe_bound.c", [])
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", MUTATIONS)
def test_without_one_rule_it_is_noticed(tmp_path, name):
    program = compiled(tmp_path, *MUTATIONS[name])
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert done.returncode != 0
