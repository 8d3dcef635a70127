"""The package answers as it did when tools/golden.py recorded it."""
import sys

import pytest

from conftest import ROOT

recorded = ROOT / "tests/golden/golden.txt"


@pytest.mark.skipif(not recorded.is_file(), reason="the project is not here")
def test_every_answer_is_the_recorded_one():
    sys.path.insert(0, str(ROOT / "tools"))
    import golden
    answers = {("python", name): golden.json.loads(golden.json.dumps(value))
               for name, value in golden.python_answers().items()}
    assert len(answers) > 80
    assert golden.check(recorded, answers, ["python"]) == []
