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


def test_many_states_are_not_all_named():
    many = sonde.plot_path(sonde.simulate(sonde.make("grid", size=7), 3))
    labels = [label.get_text() for label in many.get_yticklabels()]
    assert 20 < len(labels) <= 30


def test_words_below_an_axis_are_within_the_picture(tmaze, world):
    """Two lines of ticks, and a title below them."""
    for ax in (sonde.plot_path(sonde.simulate(tmaze, 3)),
               sonde.plot_clusters(sonde.cluster(world, k=4))):
        ax.figure.canvas.draw()
        assert ax.xaxis.label.get_window_extent().y0 >= 0


def test_an_embedding_and_its_clusters(world):
    clusters = sonde.cluster(world, k=4)
    assert "policies" in sonde.plot_embedding(clusters).get_title()
    assert sonde.plot_embedding(world, embedding="edm").collections
    assert sonde.plot_clusters(clusters).get_ylabel() == "G, nats"


def test_what_searches_cost(world):
    plans = {name: sonde.plan(world, search=name) for name in sonde.searches()}
    assert len(sonde.plot_tradeoff(plans).lines) == len(plans)
    assert sonde.plot_tradeoff(list(plans.values())).get_legend()
