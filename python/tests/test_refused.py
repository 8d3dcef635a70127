"""Memory that is refused to the extension and its libraries, and to Python's objects."""
import os
import subprocess
import sys

import pytest

from conftest import ROOT


@pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="memory is watched already")
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it preloads a library")
def test_whatever_memory_is_refused_there_is_the_same_result_or_an_error():
    done = subprocess.run(
        [sys.executable, ROOT / "campaign/refused_python.py", "--most", "12"],
        capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert '"cases": 15' in done.stdout
