"""The vector functions compile for the processor at hand, and for one generation alone."""
import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLAGS = ["-std=c11", "-D_XOPEN_SOURCE=700", "-O2", "-ffp-contract=off", f"-I{ROOT}/src",
         f"-I{ROOT}/include", "-c", "-o", os.devnull]


@pytest.mark.skipif(shutil.which("gcc") is None or os.uname().machine != "x86_64",
                    reason="compiles for x86-64")
@pytest.mark.parametrize("processor", ["native", "x86-64-v4"])
def test_gcc_compiles_the_search_for_candidates_for_one_processor(processor):
    done = subprocess.run(["gcc", f"-march={processor}", *FLAGS,
                           ROOT / "src/cluster/cluster_candidates.c"], capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
