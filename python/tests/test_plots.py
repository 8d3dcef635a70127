"""Pictures are drawn, on matplotlib's own canvas."""
import pytest

import sonde

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def closing():
    yield
    matplotlib.pyplot.close("all")


def test_a_world_and_a_path(world):
    import matplotlib.pyplot as plt

    ax = plt.subplots()[1]
    assert sonde.plot_graph(world, ax) is ax
    assert len(ax.texts) >= world.n_node
    assert "optimal" in sonde.plot_path(sonde.simulate(world, search="full")).get_title()


def test_states_over_time(tmaze):
    ax = sonde.plot_path(sonde.simulate(tmaze, 3, search="full"))
    assert len(ax.lines) == 3 and ax.images  # two factors, and a line between them


def test_an_embedding_and_its_clusters(world):
    clusters = sonde.cluster(world, k=4)
    assert "policies" in sonde.plot_embedding(clusters).get_title()
    assert sonde.plot_embedding(world, embedding="edm").collections
    assert sonde.plot_clusters(clusters).get_ylabel() == "G, nats"


def test_what_searches_cost(world):
    plans = {name: sonde.plan(world, search=name) for name in sonde.searches()}
    assert len(sonde.plot_tradeoff(plans).lines) == len(plans)
    assert sonde.plot_tradeoff(list(plans.values())).get_legend()
