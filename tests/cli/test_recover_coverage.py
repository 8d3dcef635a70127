"""Intervals of fits hold the truth as often as they say: seeds 1 to 5 with 40 subjects each."""
# long
import gzip
import json
import os
import pathlib
import subprocess

import numpy as np

DATA = pathlib.Path(os.environ["SONDE_TEST_DATA"]) / "learning"
COMMAND = os.environ["SONDE_COMMAND"]
FIXTURE = json.loads(gzip.decompress((DATA / "fit-bandit.json.gz").read_bytes()))


def test_90_percent_intervals_cover_what_they_should(tmp_path):
    process = {key: value for key, value in FIXTURE["model"].items() if key != "counts"}
    process["A"] = [[[.2, .7], [.8, .3]]]
    process["schedule"] = [{"from": {"step": 100}, "A": [[[.7, .2], [.3, .8]]]}]
    (tmp_path / "model.json").write_text(json.dumps(FIXTURE["model"]))
    (tmp_path / "process.json").write_text(json.dumps(process))
    (tmp_path / "free.json").write_text(json.dumps(FIXTURE["free"]))
    covered = []
    for seed in range(1, 6):
        done = subprocess.run(
            [COMMAND, "recover", "model.json", "--parameters", "free.json", "--process",
             "process.json", "--subjects", "40", "--steps", "200", "--timing", "after", "--learn",
             "--novelty", "joint", "--seed", str(seed), "--json"], cwd=tmp_path,
            capture_output=True, text=True, check=True)
        found = json.loads(done.stdout)["models"][0]
        covered.append([one["coverage"] for one in found["parameters"]])
        # what the independent implementation found on its own forty: .75, .76, .42
        r = [one["r"] for one in found["parameters"]]
        assert min(r[:2]) > .4 and r[2] > .1
    each = np.mean(covered, axis=0)
    print(covered, each)
    assert .86 <= each.mean() <= .97
    assert (each >= .82).all() and (each <= .985).all()
