"""sonde fit against an agent, a simulation and a fit that share nothing with it (bandit.py)."""
# long
# once
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
import bandit  # noqa: E402

COMMAND = os.environ["SONDE_COMMAND"]
MODEL = {"format": "sonde-model", "version": 1, "name": "two arms", "horizon": 1,
         "factors": [{"name": "arm", "states": 2, "actions": 2}],
         "modalities": [{"name": "reward", "outcomes": ["loss", "win"]}],
         "B": [[[[1, 0], [1, 0]], [[0, 1], [0, 1]]]], "C": [[-1, 1]], "D": [[.5, .5]],
         "preferences": "utility", "counts": {"A": [[[1, 1], [1, 1]]]}}
FREE = [{"name": "gamma", "target": "gamma", "transform": "log", "prior": [.7, .5]},
        {"name": "scale", "target": "scale of C[reward]", "transform": "log", "prior": [.5, .5]},
        {"name": "eta", "target": "eta_A", "transform": "logit", "prior": [0, 1]}]


@pytest.mark.parametrize("seed", [1])
def test_forty_subjects_come_back_as_the_script_has_them(seed, tmp_path):
    chance = np.random.default_rng(seed)
    truth = bandit.MEAN + bandit.SD * chance.standard_normal((40, 3))
    arms, rewards = bandit.simulate(truth, 120, chance, 60)
    lines = ["subject,arm,reward"]
    lines += [f"s{i},{a},{['loss', 'win'][r]}" for i in range(40)
              for a, r in zip(arms[i], rewards[i])]
    (tmp_path / "data.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "model.json").write_text(json.dumps(MODEL))
    (tmp_path / "free.json").write_text(json.dumps(FREE))
    done = subprocess.run(
        [COMMAND, "fit", "model.json", "data.csv", "--parameters", "free.json", "--timing", "after",
         "--learn", "--novelty", "joint", "--json"], cwd=tmp_path, capture_output=True, text=True,
        timeout=280)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["subjects"]
    estimate = np.array([[one["map"][key] for key in ("gamma", "scale", "eta")] for one in found])
    own = np.array([bandit.estimate(arms[i], rewards[i]) for i in range(40)])
    likelihood = [bandit.log_likelihood(estimate[i:i + 1], arms[i], rewards[i])[0]
                  for i in range(40)]
    assert [one["log_likelihood"] for one in found] == pytest.approx(likelihood, abs=1e-8)
    # the script may stop at a lesser top; Sonde begins at four places
    better = [bandit.log_posterior(np.stack([estimate[i], own[i]]), arms[i], rewards[i])
              for i in range(40)]
    assert all(ours >= theirs - 1e-6 for ours, theirs in better)
    apart = np.abs((estimate - own) / bandit.SD).max(axis=1)
    same = np.array([abs(ours - theirs) < 1e-6 for ours, theirs in better])
    assert same.sum() >= 39
    assert apart[same].max() < 1e-3
    for p in range(3):
        r = [np.corrcoef(truth[:, p], e[:, p])[0, 1] for e in (estimate, own)]
        assert abs(r[0] - r[1]) < .01
