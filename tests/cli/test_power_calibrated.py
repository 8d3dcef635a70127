"""Where groups do not differ, a difference is found in 5 % of repeats, as its intervals say."""
# slow
import gzip
import json
import os
import pathlib
import subprocess

import pytest

DATA = pathlib.Path(os.environ["SONDE_TEST_DATA"]) / "learning"
COMMAND = os.environ["SONDE_COMMAND"]
FIXTURE = json.loads(gzip.decompress((DATA / "fit-bandit.json.gz").read_bytes()))


@pytest.mark.parametrize("free, least", [(["gamma"], .5), (["gamma", "eta"], .35)])
def test_groups_that_do_not_differ(free, least, tmp_path):
    """With gamma alone, and with eta, which can hardly be seen, besides."""
    process = {key: value for key, value in FIXTURE["model"].items() if key != "counts"}
    process["A"] = [[[.2, .7], [.8, .3]]]
    process["schedule"] = [{"from": {"step": 50}, "A": [[[.7, .2], [.3, .8]]]}]
    for name, document in (("model", FIXTURE["model"]), ("process", process),
                           ("free", [one for one in FIXTURE["free"] if one["name"] in free])):
        (tmp_path / f"{name}.json").write_text(json.dumps(document))
    done = subprocess.run(
        [COMMAND, "recover", "model.json", "--parameters", "free.json", "--process",
         "process.json", "--steps", "100", "--timing", "after", "--learn", "--novelty", "joint",
         "--starts", "1", "--optimiser", "newton", "--groups", "gamma=0.4", "--subjects", "20,40",
         "--repeats", "200", "--json"], cwd=tmp_path, capture_output=True, text=True, check=True)
    few, many = json.loads(done.stdout)["sizes"]
    print(few, many)
    for size in (few, many):
        assert .02 <= size["found_without"] <= .09
        assert .91 <= size["coverage"] <= .985
    assert few["found"] < many["found"] and many["found"] > least
    assert abs(many["beta"] - .4) < .05
