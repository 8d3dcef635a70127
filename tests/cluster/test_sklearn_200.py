"""k-means against scikit-learn's on 200 worlds, three embeddings and three k: hours."""
# slow
import os
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
os.environ["OMP_NUM_THREADS"] = "1"

import test_sklearn  # noqa: E402

WORLDS = [(3 + seed % 4, seed) for seed in range(200)]


@pytest.mark.parametrize("embedding", ["boe", "boe-set", "aboe"])
@pytest.mark.parametrize("k", [6, 12, 100])
def test_the_best_of_ten_is_not_worse_than_theirs_on_average(embedding, k):
    found = test_sklearn.ratios(WORLDS, embedding, k)
    assert np.mean(found) < 1.003, found


@pytest.mark.parametrize("embedding", ["boe", "boe-set", "aboe"])
@pytest.mark.parametrize("k", [6, 12, 100])
def test_the_best_of_a_hundred_is_better_on_average_and_hardly_ever_worse(embedding, k):
    """Of two seeds of theirs, one is worse by half a percent on up to half of the worlds."""
    found = np.array(test_sklearn.ratios(WORLDS, embedding, k, "--restarts", "100"))
    assert np.mean(found) < 1.0, found
    assert np.mean(found < 1.005) > 0.9, found
