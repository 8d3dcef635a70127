"""The paper's Table 1 within chance: 1,000 graphs a size under the notebook's semantics."""
# slow
import json
import os
import re
import subprocess

SONDE = os.environ["SONDE_COMMAND"]


def test_seventy_of_the_papers_78_values_are_within_chance(tmp_path):
    shown = subprocess.run([SONDE, "study", "table", "--show"], capture_output=True, text=True)
    plan = json.loads(shown.stdout)
    plan["worlds"]["graphs"] = 1000
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(plan))
    subprocess.run([SONDE, "study", path, "--db", tmp_path / "a.sqlite", "--quiet"], check=True)
    report = subprocess.run([SONDE, "report", tmp_path / "a.sqlite", "-o", tmp_path / "report"],
                            capture_output=True, text=True, check=True)
    print(report.stdout)
    inside = int(re.search(r"(\d+) of 78 values are inside", report.stdout).group(1))
    assert inside >= 70
