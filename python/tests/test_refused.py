"""Memory that is refused to the extension and its libraries, and to Python's objects."""
import os
import subprocess
import sys

import pytest

from conftest import ROOT

pytestmark = [
    pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""),
                       reason="memory is watched already"),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it preloads a library")]


def refused(*words):
    """What the campaign's script says."""
    done = subprocess.run([sys.executable, ROOT / "campaign/refused_python.py", *words],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_whatever_memory_is_refused_there_is_the_same_result_or_an_error():
    assert '"cases": 15' in refused("--most", "12")


def test_a_recovery_whose_list_of_models_has_no_memory_raises_memory_error():
    """The 23rd request of the extension is this list; each of the first thirty is refused."""
    assert '"cases": 1' in refused("--case", "recover", "--most", "60")
