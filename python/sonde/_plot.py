"""Pictures, on matplotlib, which is imported when one is drawn."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from ._embed import Clusters, Embedding, EmbedSettings, embed
from ._graph import Graph
from ._model import Model
from ._palette import COLOURS
from ._plan import Plan
from ._simulate import Episode
from ._types import Ints, Path

if TYPE_CHECKING:
    from matplotlib.axes import Axes


#: the most states that are named at an axis of that height
LABELS_MOST = 30


def _axes(ax: Axes | None) -> Axes:
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.subplots(figsize=(5, 4), layout="constrained")[1]
    return ax


def plot_graph(graph: Graph | Model, ax: Axes | None = None,
               path: Sequence[int] | None = None) -> Axes:
    """Draws a world where the command and the page draw it: weights, the start (green), the
    destination (pink), the path (orange).

    Parameters
    ----------
    graph : Graph or Model
        The world.
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    path : list of int, optional
        Nodes that an agent walked through.

    Returns
    -------
    matplotlib.axes.Axes
        Where it was drawn.
    """
    if isinstance(graph, Model):
        return plot_graph(graph._kind.drawn("plot_graph"), ax, path)
    ax = _axes(ax)
    xy = graph.layout() * (1, -1)
    walked = set() if path is None else set(zip(path, path[1:]))
    for a, b, w in zip(graph.tail, graph.head, graph.weight):
        if a == b:
            continue
        taken = (int(a), int(b)) in walked
        ax.annotate("", xy[b], xy[a], arrowprops={
            "arrowstyle": "-|>", "shrinkA": 11, "shrinkB": 11, "lw": 2.2 if taken else 0.9,
            "color": COLOURS["path" if taken else "grey"],
            "connectionstyle": "arc3,rad=0.08"})
        side = np.array([-(xy[b] - xy[a])[1], (xy[b] - xy[a])[0]]) * -0.06
        ax.text(*((xy[a] + xy[b]) / 2 + side), f"{w:g}", fontsize=7, ha="center", va="center",
                color=COLOURS["soft"])
    colour = [COLOURS["destination"] if v == graph.destination else COLOURS["start"]
              if v == graph.start[1] else "#f3f4f6" for v in range(graph.n_node)]
    ax.scatter(*xy.T, s=360, c=colour, edgecolors=COLOURS["ink"], zorder=3)
    for v in range(graph.n_node):
        ax.text(*xy[v], graph.names[v] if graph.names else str(v), ha="center", va="center",
                fontsize=9, zorder=4)
    ax.set_axis_off()
    ax.margins(0.12)
    return ax


def plot_path(episode: Episode, ax: Axes | None = None) -> Axes:
    """Draws how an agent went: on its graph; or, of each factor over time, what was believed of its
    states (the darker, the more probable), where it was (dots), and what was chosen (below).

    Parameters
    ----------
    episode : Episode
        What happened.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
        Where it was drawn.
    """
    world = episode.model.graph
    if world:
        ax = plot_graph(world, ax, [int(v) for v in episode.path])
        ax.set_title("optimal" if episode.optimal else f"not optimal: {episode['failure']}")
        return ax
    ax = _axes(ax)
    ends = np.cumsum(episode.model.num_states)
    shown = ax.imshow(episode.beliefs.T, cmap="Blues", vmin=0, vmax=1, aspect="auto",
                      interpolation="none")
    ax.figure.colorbar(shown, ax=ax, label="belief")
    for f, end in enumerate(ends):
        if episode.knows_states:
            states = episode.states[:, f]
            ax.plot(range(len(states)), states + end - episode.model.num_states[f], "o-",
                    color=f"C{f + 1}", label=_name(episode.model.factors[f], f))
        if end < ends[-1]:
            ax.axhline(end - 0.5, color="black", lw=0.8)
    factors = episode.model.factors
    labels = [label for f, one in enumerate(factors) for label in _labels(one, "states", f)]
    every = -(-len(labels) // LABELS_MOST)
    ax.set_yticks(range(0, len(labels), every), labels[::every], fontsize=7)
    ax.set_xticks(range(len(episode)), [f"{t}\n{_chosen(factors, action)}"
                                        for t, action in enumerate(episode.actions)], fontsize=7)
    ax.set_xlabel("step, and what was chosen")
    if episode.knows_states:
        ax.legend()
    return ax


def _name(factor: Mapping[str, Any], f: int) -> str:
    return factor["name"] or f"factor {f}"


def _labels(factor: Mapping[str, Any], what: str, f: int) -> list[str]:
    """Names of a factor's states or actions, or numbers where they have none."""
    named = factor[what]
    return list(named) if not isinstance(named, int) else [
        f"{_name(factor, f)} {i}" for i in range(named)]


def _chosen(factors: Sequence[Mapping[str, Any]], action: Ints) -> str:
    """The actions of the factors that have several."""
    return "\n".join(_labels(one, "actions", f)[u]
                     for f, (one, u) in enumerate(zip(factors, action))
                     if one["actions"] != 1 and len(_labels(one, "actions", f)) > 1)


def plot_embedding(what: Embedding | Clusters | Model | Graph | Path,
                   clusters: Clusters | None = None, ax: Axes | None = None,
                   **settings: Unpack[EmbedSettings]) -> Axes:
    """Draws policies in the plane in which their rows vary most, coloured by cluster.

    Parameters
    ----------
    what : Embedding, Clusters, Model, Graph or path
        The rows; those of a model or graph are embedded first.
    clusters : Clusters, optional
        What colours them.
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    **settings
        The arguments of sonde.embed, where a model or graph is embedded.

    Returns
    -------
    matplotlib.axes.Axes
        Where it was drawn.
    """
    if isinstance(what, Clusters):
        clusters, what = what, what.embedding
    embedding = what if isinstance(what, Embedding) else embed(what, **settings)
    ax = _axes(ax)
    colours = {} if clusters is None else {"c": clusters.label, "cmap": "tab20"}
    ax.scatter(*embedding.plane.T, s=9, alpha=0.7, linewidths=0, **colours)
    if clusters is not None:
        there = clusters.representative >= 0
        ax.scatter(*embedding.plane[clusters.representative[there]].T, marker="x", c="black", s=36,
                   label="representatives")
        ax.legend()
    share = embedding.plane_share
    ax.set_xlabel(f"first direction ({share[0]:.0%} of the variance)")
    ax.set_ylabel(f"second direction ({share[1]:.0%})")
    ax.set_title(f"{embedding.embedding or 'rows'}: {embedding.n_policy:,} policies")
    return ax


def plot_clusters(clusters: Clusters, ax: Axes | None = None) -> Axes:
    """Draws how G is spread within each cluster; crosses are the representatives.

    Parameters
    ----------
    clusters : Clusters
        The clusters.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
        Where it was drawn.
    """
    ax = _axes(ax)
    embedding = clusters.embedding
    model, now, _ = embedding._source()
    scores = model.efe(embedding.policies, belief=now[0])
    ax.boxplot([scores.efe[clusters.members(c)] for c in range(clusters.k)],
               positions=range(clusters.k), flierprops={"markersize": 2})
    there = np.flatnonzero(clusters.representative >= 0)
    ax.plot(there, scores.efe[clusters.representative[there]], "kx")
    ax.set_xticks(range(clusters.k), [f"{c}\n{n}" for c, n in enumerate(clusters.size)], fontsize=7)
    ax.set_xlabel("cluster, and its size")
    ax.set_ylabel("G, nats")
    return ax


def plot_tradeoff(plans: Sequence[Plan] | Mapping[str, Plan], ax: Axes | None = None) -> Axes:
    """Draws what searches cost against how good their best policies are.

    Parameters
    ----------
    plans : list or dict of Plan
        Decisions, the names of a dict beside them.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
        Where it was drawn.
    """
    named: Mapping[str, Plan] = plans if isinstance(plans, Mapping) else {
        f"{i}: {plan.search}": plan for i, plan in enumerate(plans)}
    ax = _axes(ax)
    best = min(plan.best_efe for plan in named.values())
    for name, plan in named.items():
        ax.plot(max(plan.evaluations["equivalent"], 1e-3), plan.best_efe - best, "o", label=name)
    ax.set_xscale("log")
    ax.set_xlabel("policies scored")
    ax.set_ylabel("G above the best found, nats")
    ax.legend()
    return ax
