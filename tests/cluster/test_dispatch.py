"""Every version of the vector functions gives the same bytes: the library, compiled for one
generation of processors at a time, and as it is."""
# slow
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SONDE = os.environ["SONDE_COMMAND"]
GENERATIONS = {"x86-64": "", "x86-64-v3": "avx2", "x86-64-v4": "avx512vl"}


def clusters(command):
    """What it finds on a world of 5 nodes, without the version's own words."""
    world = subprocess.run([SONDE, "graph", "--nodes", "5", "--seed", "1", "-o", "-"], check=True,
                           capture_output=True).stdout
    found = []
    for embedding in ("boe", "boe-set", "aboe", "edm"):
        for k in ("12", "100"):
            found.append(subprocess.run(
                [command, "cluster", "-", "--scope", "global", "--embedding", embedding, "--k", k,
                 "--restarts", "10", "--json"],
                input=world, check=True, capture_output=True).stdout)
    return found


def plans(command):
    """What it decides on the example models, scoring every policy where there are not too many."""
    decisions = []
    for model in sorted((ROOT / "examples" / "models").glob("*.json")):
        done = subprocess.run([command, "plan", model, "--search", "full", "--json"],
                              capture_output=True)
        if done.returncode != 0:
            assert b"policies" in done.stderr, done.stderr
            continue
        decision = json.loads(done.stdout)
        del decision["seconds"], decision["setup_seconds"]
        decisions.append(decision)
    assert len(decisions) > 5
    return decisions


def flags():
    """The processor's, or none where there is no such list."""
    info = Path("/proc/cpuinfo")
    return info.read_text().split() if info.exists() else []


@pytest.mark.skipif(shutil.which("gcc") is None or os.uname().machine != "x86_64",
                    reason="compares versions for x86-64")
@pytest.mark.parametrize("generation", GENERATIONS)
def test_versions_agree(generation, tmp_path):
    needed = GENERATIONS[generation]
    if needed and needed not in flags():
        pytest.skip(f"this processor has no {needed}")
    subprocess.run(["cmake", "-S", ROOT, "-B", tmp_path, "-DCMAKE_C_COMPILER=gcc",
                    f"-DCMAKE_C_FLAGS=-march={generation} -DSONDE__ONE_VERSION"],
                   check=True, capture_output=True)
    subprocess.run(["cmake", "--build", tmp_path, "--target", "sonde", "-j", "2"], check=True,
                   capture_output=True)
    assert clusters(tmp_path / "sonde") == clusters(SONDE)
    assert plans(tmp_path / "sonde") == plans(SONDE)
