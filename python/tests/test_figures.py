"""The figures of a study, from its summary: each is drawn, in the colours of all pictures, and
shows the summary's own numbers."""
import json
import os
import pathlib
import re

import numpy as np
import pytest

import sonde

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

import sonde.figures as figures  # noqa: E402

ROOT = pathlib.Path(os.environ.get("SONDE_ROOT", pathlib.Path(__file__).resolve().parents[2]))
CLUSTERS = {"search": "cluster", "scope": ["local", "global"], "embedding": ["edm", "boe", "aboe"],
            "k": [6, 12], "probe": ["center", "sample"], "samples": 3, "k_before": 12}
PLAN = {
    "format": "sonde-plan", "version": 1, "name": "figures", "seed": 2, "judge": 1,
    "worlds": {"sizes": [3, 4], "graphs": 4, "models": ["tmaze"]},
    "conditions": [
        {"group": "table", "sizes": [3, 4], "semantics": ["text", "notebook"], "search": "full",
         "scope": ["local", "global"]},
        {"group": "table", "sizes": [3, 4], "semantics": ["text", "notebook"], **CLUSTERS},
        {"group": "difference", "sizes": [3, 4], "differences": "lag", **CLUSTERS},
        {"group": "sweep-k", "sizes": [3], "graphs": 12, "search": "cluster", "embedding": "boe",
         "k": [2, 6]},
        {"group": "sweep-k", "sizes": [4], "graphs": 3, "search": "cluster", "embedding": "boe",
         "k": [2, 6]},
        {"group": "sweep-n", "sizes": [3], "search": "cluster", "embedding": "boe", "k": 6,
         "probe": "sample", "samples": [1, 3]},
        {"group": "certified", "sizes": [3, 4], "search": "bounded", "scope": ["local", "global"]},
        {"group": "mine", "models": ["tmaze"], "search": ["full", "bounded"]},
        {"group": "quality", "search": ["full", "bounded"]},
        {"group": "quality", "search": "random", "budget": [6, 30, 300]},
        {"group": "quality", "models": ["tmaze"], "loop": "closed", "search": ["full", "qmdp"]},
        {"group": "scaling-nodes", "sizes": [3, 4], "search": "bounded", "horizon": 4},
        {"group": "scaling-horizon", "sizes": [3], "search": "bounded", "horizon": [2, 5]},
    ],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("figures")
    (place / "plan.json").write_text(json.dumps(PLAN))
    study = sonde.study(place / "plan.json", place / "runs.sqlite")
    assert "Percent of runs" in sonde.report(study, place / "report")
    return place / "report"


@pytest.fixture(scope="module")
def summary(folder):
    return figures.read(folder / "summary.json")


def cell(summary, size, **wanted):
    return next(summary.cell(c, size) for c in summary.where(**wanted) if summary.cell(c, size))


@pytest.mark.parametrize("name", sorted(figures.FIGURES))
def test_every_figure_is_one_call(summary, tmp_path, name):
    made = figures.FIGURES[name](summary)
    for kind in ("pdf", "svg"):
        made.savefig(tmp_path / f"a.{kind}")
        assert (tmp_path / f"a.{kind}").stat().st_size > 3000


def test_size_fonts_and_palette_are_arguments(summary, tmp_path):
    made = figures.optimality(summary, k=6, n=3, inches=(5, 2), font="DejaVu Serif", font_size=7,
                              palette=["#111111", "#222222"])
    assert tuple(made.get_size_inches()) == (5, 2)
    made.savefig(tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text()
    assert "#111111" in text and "#0072b2" not in text
    assert made.axes[0].title.get_fontfamily() == ["DejaVu Serif"]
    assert made.axes[0].xaxis.label.get_size() == 7
    with pytest.raises(TypeError, match="inches"):
        figures.valid(summary, colour="red")


def test_bars_are_the_summarys_shares(summary):
    made = figures.optimality(summary, k=6, n=1)
    heights = [bar.get_height() for bar in made.axes[0].patches]
    found = [cell(summary, size, group="table", scope="local", embedding=embedding, k=6, n=1,
                  semantics=semantics)["optimal"][0]
             for embedding in ("edm", "boe", "aboe") for semantics in ("text", "notebook")
             for size in (3, 4)]
    assert heights[-len(found):] == found
    certified = [cell(summary, size, group="certified", scope="local")["optimal"][0]
                 for size in (3, 4)]
    assert heights[2:4] == certified


def test_times_are_medians(summary):
    line = figures.decision_time(summary).axes[0].lines[0]
    assert list(line.get_ydata()) == [
        cell(summary, size, group="table", scope="local", search="full")["seconds"][4]
        for size in (3, 4)]


def test_few_worlds_have_points_and_neither_line_nor_band(summary):
    ax = figures.sweep_k(summary).axes[0]
    joined = {line.get_label(): line.get_linestyle() for line in ax.lines}
    assert joined == {"3 nodes": "-", "4 nodes": "None"}
    assert len(ax.collections) == 1  # one band


def test_a_line_of_quality_only_falls(summary):
    seen = 0
    for ax in figures.quality(summary).axes:
        for line in ax.lines:
            assert (np.diff(line.get_ydata()) < 0).all() and (np.diff(line.get_xdata()) > 0).all()
            seen += len(line.get_ydata()) - 1
    assert seen > 0


def test_changes_that_are_clear_are_bold(summary):
    ax = figures.differences(summary, 3).axes[0]
    here = [one for one in summary.document["differences"] if one["size"] == 3]
    assert [text.get_weight() == "bold" for text in ax.texts] == [one["clear"] for one in here]


def test_conditions_of_ones_own_are_compared_by_the_summarys_means(summary):
    axes, = figures.comparison(summary, measure="preference").axes
    numbers = summary.where(group="mine")
    drawn = [float(line.get_ydata()[0]) for line in axes.get_lines()
             if line.get_label()[0].isdigit()]
    assert drawn == [summary.cell(c, -1)["preference"][1] for c in numbers]
    with pytest.raises(ValueError, match="measure: expected one of optimal, preference, efe"):
        figures.comparison(summary, measure="reward")


def test_a_document_that_is_no_summary_is_told(tmp_path):
    (tmp_path / "a.json").write_text('{"format": "sonde-graph", "version": 1}')
    with pytest.raises(sonde.BadInput, match="sonde-summary"):
        figures.read(tmp_path / "a.json")


def test_a_study_without_such_runs_is_told(summary):
    bare = figures.Summary({**summary.document, "conditions": [], "cells": []})
    for name in ("optimality", "sweep_n", "quality", "scaling", "valid"):
        with pytest.raises(sonde.BadInput, match="no runs"):
            figures.FIGURES[name](bare)


def test_w3_one_palette_and_one_layout_in_c_python_and_page(summary):
    """Green is the start and pink the destination, and nodes lie where C puts them."""
    palette = json.loads((ROOT / "web/palette.json").read_text())
    world = next(world for world in summary.document["worlds"] if world["size"] == 4)
    graph = sonde.Graph.from_dict(json.loads(world["document"]))
    assert np.allclose(np.ravel(graph.layout()), world["place"], rtol=1e-3, atol=1e-3)
    svg = graph.svg()
    fills = re.findall(r'class="node" fill="(#\w+)"', svg)
    assert palette["start"] in fills
    ax = sonde.plot_graph(graph)
    dots = ax.collections[0]
    for node, role in ((graph.start[1], "start"), (graph.destination, "destination")):
        if graph.start[1] != graph.destination:
            colour = matplotlib.colors.to_hex(dots.get_facecolors()[node])
            assert colour == palette[role]
    assert np.allclose(dots.get_offsets(), graph.layout() * (1, -1))
    matplotlib.pyplot.close("all")


# ------------------------------------------------------------------------------------- learning

def run_that_learned(episodes):
    """A document by hand: an array of 2 rows and 2 columns, and a large one in few entries."""
    small = [[1, 1, 1, 1], [2, 1, 1, 1], [2, 1, 3, 1], [2, 1, 3, 1.25]]
    arrays = [{"array": "A[0]", "kl": [0, 0.1, 0.2, 0.3], "rows": ["win", "loss"],
               "columns": ["left", "right"], "counts": small},
              {"array": "B[0]", "kl": [0, 0, 0.5, 0.6], "rows": ["0", "1"],
               "columns": ["0", "1", "2"], "first": [1, 1, 1, 1, 1, 1], "entries": [4],
               "counts": [[1], [1], [5], [6]]}]
    return {"verb": "simulate", "history": {
        "by": "step", "arrays": arrays, "actions": ["go", "stay"], "episodes": episodes}}


@pytest.mark.parametrize("episodes, x", [
    ([{"action": [0, 1, 1], "preference": [-1, -2, -3]}], "step"),
    ([{"action": [0], "preference": [-1]}, {"action": [1], "preference": [-2]}], "episode")])
def test_a_run_that_learned_is_drawn_in_one_call(tmp_path, episodes, x):
    document = run_that_learned(episodes)
    (tmp_path / "run.json").write_text(json.dumps(document))
    axes = figures.learning(tmp_path / "run.json").axes[:5]  # the sixth place is empty
    titles = [ax.get_title() for ax in axes]
    assert titles == ["A[0]: left", "B[0]: 1", "how far it came", "what was chosen",
                      "how well it went"]
    assert [list(line.get_ydata()) for line in axes[0].get_lines()] == [[1, 2, 2, 2], [1, 1, 3, 3]]
    assert [list(line.get_ydata()) for line in axes[1].get_lines()] == [[1, 1, 1, 1], [1, 1, 5, 6]]
    assert axes[3].get_xlabel() == x
    lived = sum((one["preference"] for one in episodes), [])
    assert list(axes[4].get_lines()[0].get_ydata()) == lived
    assert len(figures.learning(document, "A[0]").axes) == 2
    assert len(figures.learning(document, "kl").axes) == 1
    with pytest.raises(sonde.BadInput, match=r"expected one of A\[0\], B\[0\], kl or course"):
        figures.learning(document, "C[0]")
    with pytest.raises(sonde.BadInput, match="an agent that learns"):
        figures.learning({"verb": "simulate"})
