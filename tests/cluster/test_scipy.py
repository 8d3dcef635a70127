"""Ward's method against SciPy's, through the command line.

Where distances tie, as they do all over a graph world, the order of joins is anybody's choice. So
clusters are compared where nothing ties, on models whose numbers are drawn; in graph worlds the
inertia.
"""
# once
# long
import json
import os
import subprocess

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage

SONDE = os.environ["SONDE_COMMAND"]
WORLDS = [(3, seed) for seed in range(8)] + [(4, seed) for seed in range(8)] + [(5, 1)]


def sonde(*arguments, **more):
    done = subprocess.run([SONDE, *arguments], capture_output=True, text=True, check=True, **more)
    return done.stdout


def cluster(document, *options):
    """The clusters of a document's policies, and the rows of all policies, one by one."""
    answer = json.loads(sonde("cluster", "-", "--json", "--method", "ward", *options,
                              input=document))
    return answer["clusters"], np.array(answer["rows"])[answer["row_of"]]


def model(seed):
    """4 states, 3 actions, and no two alike."""
    draw = np.random.default_rng(seed)
    b = draw.dirichlet(np.ones(4), size=(4, 3))  # [previous][action][next]
    return json.dumps({
        "format": "sonde-model", "version": 1, "horizon": 4,
        "factors": [{"states": 4, "actions": 3}], "modalities": [{"outcomes": 4}],
        "A": [np.eye(4).tolist()], "B": [b.transpose(2, 0, 1).tolist()], "C": [[0, 0, 0, 1]],
        "D": [[0.25] * 4]})


def exact_inertia(rows, labels):
    labels = np.array(labels)
    return sum(
        ((rows[labels == c] - rows[labels == c].mean(axis=0)) ** 2).sum() for c in set(labels)
    )


def by_lowest_member(labels):
    names = {}
    return [names.setdefault(label, len(names)) for label in labels]


@pytest.mark.parametrize("seed", range(10))
def test_clusters_are_theirs_where_nothing_ties(seed):
    for k in [2, 3, 6, 12, 40]:
        ours, rows = cluster(model(seed), "--embedding", "occupancy", "--k", str(k))
        theirs = fcluster(linkage(rows, "ward"), k, "maxclust")
        assert ours["labels"] == by_lowest_member(theirs)
        assert ours["inertia"] == pytest.approx(exact_inertia(rows, theirs), rel=1e-9)


@pytest.mark.parametrize("embedding", ["boe", "aboe", "edm"])
def test_the_inertia_is_no_larger_than_theirs_on_average(embedding):
    found = []
    for nodes, seed in WORLDS:
        world = sonde("graph", "--nodes", str(nodes), "--seed", str(seed), "-o", "-")
        ours, rows = cluster(world, "--embedding", embedding, "--k", "6")
        theirs = fcluster(linkage(rows, "ward"), 6, "maxclust")
        assert ours["inertia"] == pytest.approx(exact_inertia(rows, ours["labels"]), rel=1e-9)
        if ours["k"] == 6 and ours["inertia"] > 0:
            found.append(ours["inertia"] / exact_inertia(rows, theirs))
    assert len(found) > 10
    assert np.log(found).mean() < 0.01
