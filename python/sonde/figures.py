"""Figures for papers, on matplotlib: of a report, from FOLDER/summary.json, and of fits.

    import sonde
    import sonde.figures as figures

    sonde.report("paper.sqlite", "report")
    summary = figures.read("report/summary.json")
    figures.optimality(summary, k=12, n=1).savefig("optimality.pdf")

Every function returns a matplotlib figure, whose savefig writes PDF, SVG or PNG. All take `inches`
(width and height), `font` (a family or a list of them), `font_size` and `palette` (a list of
colours, in the place of Sonde's, which colour-blind readers can tell apart). Every interval is the
summary's own.
"""
from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np

from ._arrays import document_of
from ._palette import COLOURS, NAMES, SERIES
from ._sonde import BadInput
from ._types import Array, Floats, Path

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ._data import Data
    from ._fit import Fit, Power, Recovery
    from ._model import Model
    from ._replay import Replay

__all__ = [
    "Summary", "choices", "closed", "comparison", "confusion", "construction_time",
    "decision_steps", "decision_time", "differences", "failed_clusters", "failed_path",
    "failed_space", "failures", "learning", "optimality", "posteriors", "power", "quality",
    "quality_optimal", "read", "recovery", "scaling", "sweep_k", "sweep_n", "tradeoff",
    "trajectory", "valid", "world_clusters", "world_paths", "world_spaces",
]

FEW = 10  # worlds below which there is no line and no band: they say too little
FLOOR = 1e-6  # errors below it are drawn here
SCOPES = ["local", "global"]
TITLES = {"none": "None", "boe": "BOE", "edm": "EDM", "aboe": "aBOE"}
MARKERS = "os^Dvp+|"
PLACE = {name: i for i, name in enumerate(
    ["n", "mean", "low", "high", "median", "median_low", "median_high", "least", "most"])}
ENDINGS = ["never left its start", "moved, never arrived", "arrived by a detour",
           "arrived, left again"]

Cell = dict[str, Any]


class Look(TypedDict, total=False):
    """How a figure looks."""

    inches: tuple[float, float]
    font: str | list[str]
    font_size: float
    palette: Sequence[str]


Point = tuple[float, float, float, float, int]  # x, y, low, high, worlds


class Summary:
    """What a study adds up to, as summary.json has it.

    Parameters
    ----------
    document : dict
        The JSON document.
    """

    def __init__(self, document: dict[str, Any]):
        if document.get("format") != "sonde-summary" or document.get("version") != 1:
            raise BadInput("expected a summary that sonde report wrote (format sonde-summary, "
                           f"version 1), found {document.get('format')!r}, version "
                           f"{document.get('version')!r}")
        self.document = document
        self.conditions: list[dict[str, Any]] = document["conditions"]
        self.cells: list[Cell] = document["cells"]
        self._at = {(cell["condition"], cell["size"]): cell for cell in self.cells}

    def cell(self, condition: int, size: int) -> Cell | None:
        """Looks up one condition on the worlds of one size.

        Parameters
        ----------
        condition : int
            The number of the condition.
        size : int
            Nodes; -1 - m for the model m.

        Returns
        -------
        dict or None
            The cell, or None where it has no runs.
        """
        return self._at.get((condition, size))

    def where(self, **wanted: Any) -> list[int]:
        """Finds conditions.

        Parameters
        ----------
        **wanted
            Keys of conditions and their values, such as group="table", scope="local".

        Returns
        -------
        list of int
            Their numbers.
        """
        return [i for i, condition in enumerate(self.conditions)
                if all(condition[key] == value for key, value in wanted.items())]

    def _find(self, size: int, **wanted: Any) -> Cell | None:
        wanted = {"connect": "symmetric", "action": "marginal", "horizon": 0, **wanted}
        for c in self.where(**wanted):
            if (c, size) in self._at:
                return self._at[c, size]
        if wanted.get("embedding") == "none" and "semantics" in wanted:
            del wanted["semantics"]  # which do not touch full search
            return self._find(size, **wanted)
        return None

    def _sizes(self, group: str) -> list[int]:
        return sorted({cell["size"] for cell in self.cells if cell["size"] > 0
                       and self.conditions[cell["condition"]]["group"] == group})

    def _embeddings(self, group: str) -> list[str]:
        found = list(dict.fromkeys(c["embedding"] for c in self.conditions
                                   if c["group"] == group and c["search"] == "cluster"))
        paper = [name for name in ("edm", "boe", "aboe") if name in found]
        return paper + [name for name in found if name not in paper]

    def _semantics(self, group: str) -> str:
        found = [c["semantics"] for c in self.conditions
                 if c["group"] == group and c["search"] == "cluster"]
        return "text" if "text" in found or not found else found[0]

    def _paper(self, scope: str, embedding: str, k: int, n: int, size: int) -> float:
        for cell in self.document["table1"]["cells"]:
            if (cell["scope"], cell["embedding"], cell["size"]) == (scope, embedding, size) and (
                    embedding == "none" or (cell["k"], cell["n"]) == (k, n)) and cell["paper"]:
                return cell["paper"]["percent"][0]
        return math.nan


def read(path: Path) -> Any:
    """Reads FOLDER/summary.json, which sonde.report and `sonde report` write, or a document that
    `sonde simulate --learn`, fit, recover or compare wrote.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    Summary, Fit, Recovery, Power, Comparison or dict
        What the figures are drawn from; a dict of a run of an agent that learns.
    """
    from ._fit import Comparison, Fit, Power, Recovery

    document = document_of(path)
    if document.get("verb") == "simulate":
        return document
    if document.get("format") == "sonde-power":
        shares = ("found", "found_without", "coverage")
        return Power([{**one, **{key: [one[key], *one[f"{key}_interval"]] for key in shares}}
                      for one in document["sizes"]])
    kinds = {"sonde-fit": Fit, "sonde-recovery": Recovery, "sonde-comparison": Comparison}
    return kinds.get(document.get("format"), Summary)(document)


# ------------------------------------------------------------------------------------- drawing

class _Chart:
    """Panels side by side, with one legend below them."""

    def __init__(self, n: int, columns: int, height: float, look: Look):
        import matplotlib
        from matplotlib.figure import Figure

        known = set(Look.__annotations__)
        if unknown := set(look) - known:
            raise TypeError(f"expected {', '.join(sorted(known))}, found {sorted(unknown)[0]}")
        if n == 0:
            raise BadInput("this study has no runs for the figure")
        rows = -(-n // columns)
        self.palette: Sequence[str] = look.get("palette") or SERIES
        self.rc: dict[str, Any] = {"font.size": look.get("font_size", 9)}
        if look.get("font"):
            self.rc["font.family"] = look["font"]
        with matplotlib.rc_context(self.rc):
            self.figure = Figure(figsize=look.get("inches") or (3.4 * columns, height * rows + 0.8),
                                 layout="constrained")
            self.axes: list[Axes] = list(
                self.figure.subplots(rows, columns, squeeze=False).flat)
            for ax in self.axes[n:]:
                ax.set_axis_off()
            for ax in self.axes[:n]:
                ax.spines[["top", "right"]].set_visible(False)
        self.axes = self.axes[:n]

    def colour(self, i: int) -> str:
        return self.palette[i % len(self.palette)]

    def name(self, ax: Axes, title: str, x: str, y: str) -> None:
        ax.set_title(title)
        ax.set_xlabel(x)
        ax.set_ylabel(y)

    def line(self, ax: Axes, label: str, style: int, points: Iterable[Point], *,
             hollow: bool = False, band: bool = False, joined: bool = True) -> None:
        """Points with whiskers or a band; those of few worlds are open and not joined."""
        points = sorted(points)
        firm = [p for p in points if p[4] >= FEW or not band]
        faint = [p for p in points if p not in firm]
        colour = self.colour(style)
        look = {"color": colour, "marker": MARKERS[(style + style // 8) % 8], "markersize": 4,
                "linewidth": 1.2}
        if firm:
            x, y, low, high, _ = np.array(firm, dtype=float).T
            ax.plot(x, y, label=label, linestyle="-" if joined else "none",
                    markerfacecolor="white" if hollow else colour, **look)
            if band:
                ax.fill_between(x, low, high, color=colour, alpha=0.13, linewidth=0)
            elif np.isfinite(low).any():
                ax.errorbar(x, y, yerr=[y - low, high - y], fmt="none", ecolor=colour,
                            elinewidth=0.9, capsize=2)
        if faint:
            x, y, *_ = np.array(faint, dtype=float).T
            ax.plot(x, y, linestyle="none", markerfacecolor="white",
                    label=None if firm else label, **look)

    def bars(self, ax: Axes, names: Sequence[str],
             series: Sequence[tuple[str, int, bool, Sequence[Sequence[float]]]]) -> None:
        """Bars side by side; of each (label, style, hollow, rows of y, low, high, reference)."""
        width = 0.84 / max(len(series), 1)
        for i, (label, style, hollow, rows) in enumerate(series):
            x = np.arange(len(names)) + (i - (len(series) - 1) / 2) * width
            y, low, high, reference = np.array(rows, dtype=float).T
            ax.bar(x, y, 0.92 * width, label=label, edgecolor=self.colour(style), linewidth=0.6,
                   color="white" if hollow else self.colour(style),
                   hatch="////" if hollow else None)
            if np.isfinite(low).any():
                ax.errorbar(x, y, yerr=[y - low, high - y], fmt="none", ecolor="black",
                            elinewidth=0.8, capsize=1.5)
            ax.plot(x, reference, "D", color="white", markeredgecolor="black", markersize=4)
        ax.set_xticks(range(len(names)), names)

    def finish(self) -> Figure:
        import matplotlib

        seen: dict[str, Any] = {}
        for ax in self.axes:
            for handle, label in zip(*ax.get_legend_handles_labels()):
                seen.setdefault(label, handle)
        with matplotlib.rc_context(self.rc):
            if len(seen) > 1:
                columns = max(1, min(len(seen), int(self.figure.get_figwidth() / 1.7)))
                inches = 0.022 * self.rc["font.size"] * -(-len(seen) // columns) + 0.1
                share = inches / self.figure.get_figheight()
                self.figure.get_layout_engine().set(rect=(0, share, 1, 1 - share))
                self.figure.legend(list(seen.values()), list(seen), loc="lower center",
                                   ncols=columns, frameon=False)
        return self.figure


def _value(cell: Cell | None, measure: str, what: str = "mean") -> float:
    found = cell.get(measure) if cell else None
    number = found[PLACE[what]] if found else None
    return math.nan if number is None else number


def _measured(cell: Cell | None, x: float, measure: str, of: str) -> list[Point]:
    if not _value(cell, measure, "n") > 0:
        return []
    ends = ("low", "high") if of == "mean" else ("median_low", "median_high")
    return [(x, _value(cell, measure, of), _value(cell, measure, ends[0]),
             _value(cell, measure, ends[1]), int(_value(cell, measure, "n")))]


def _optimal(cell: Cell | None, x: float) -> list[Point]:
    if not cell or "optimal" not in cell:
        return []
    percent, low, high = cell["optimal"]
    return [(x, percent, low, high, cell["runs"])]


def _titled(name: str) -> str:
    return TITLES.get(name, name)


def _style(name: str) -> int:
    return NAMES.get(name, 7)


def _largest(summary: Summary, key: str) -> int:
    return max((c[key] for c in summary.conditions if c["group"] == "table"), default=0)


# -------------------------------------------------------------------------------- the main table

def optimality(summary: Summary, k: int | None = None, n: int = 1, **look: Unpack[Look]) -> Figure:
    """Percent of runs that were optimal, by size, with Wilson's intervals; hatched is the
    notebook, diamonds are the paper's Table 1.

    Parameters
    ----------
    summary : Summary
        The study.
    k : int, optional
        Clusters; None: the most that the table has.
    n : int
        Policies scored for each cluster.
    **look
        inches, font, font_size, palette.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.
    """
    k = k or _largest(summary, "k")
    sizes = summary._sizes("table")
    chart = _Chart(2 if sizes else 0, 2, 2.6, look)
    for ax, scope in zip(chart.axes, SCOPES):
        series = []

        def add(label: str, style: int, hollow: bool, found: list[Cell | None],
                paper: list[float]) -> None:
            if any(found):
                series.append((label, style, hollow, [
                    [*(cell["optimal"] if cell else [math.nan] * 3), value]
                    for cell, value in zip(found, paper)]))

        add("full search", _style("full"), False,
            [summary._find(size, group="table", scope=scope, embedding="none", semantics="text")
             for size in sizes], [summary._paper(scope, "none", 0, 0, size) for size in sizes])
        add("bounded search, certified", _style("bounded"), False,
            [summary._find(size, group="certified", scope=scope) for size in sizes],
            [math.nan] * len(sizes))
        for embedding in summary._embeddings("table"):
            for semantics in ("text", "notebook"):
                add(f"{_titled(embedding)}, {semantics}", _style(embedding),
                    semantics == "notebook",
                    [summary._find(size, group="table", scope=scope, embedding=embedding, k=k, n=n,
                                   semantics=semantics) for size in sizes],
                    [summary._paper(scope, embedding, k, n, size) for size in sizes])
        chart.bars(ax, [str(size) for size in sizes], series)
        ax.set_ylim(0, 103)
        chart.name(ax, scope, "nodes", "optimal runs, %")
    return chart.finish()


def _decisions(summary: Summary, k: int | None, n: int, semantics: str | None, measure: str,
               of: str, y: str, look: Look) -> Figure:
    k = k or _largest(summary, "k")
    semantics = semantics or summary._semantics("table")
    sizes = summary._sizes("table")
    chart = _Chart(2 if sizes else 0, 2, 2.4, look)
    for ax, scope in zip(chart.axes, SCOPES):
        lines: list[tuple[str, int, dict[str, Any]]] = [
            ("full search", _style("full"), {"group": "table", "embedding": "none",
                                             "semantics": semantics}),
            ("bounded search, certified", _style("bounded"), {"group": "certified"})]
        lines += [(_titled(name), _style(name), {"group": "table", "embedding": name, "k": k,
                                                 "n": n, "semantics": semantics})
                  for name in summary._embeddings("table")]
        for label, style, wanted in lines:
            chart.line(ax, label, style, [
                point for size in sizes
                for point in _measured(summary._find(size, scope=scope, **wanted), size, measure,
                                       of)])
        ax.set_yscale("log")
        ax.set_xticks(sizes)
        chart.name(ax, scope, "nodes", y)
    return chart.finish()


def decision_time(summary: Summary, k: int | None = None, n: int = 1,
                  semantics: str | None = None, **look: Unpack[Look]) -> Figure:
    """Time of a decision, by size: medians over worlds with their intervals.

    Parameters
    ----------
    summary : Summary
        The study.
    k : int, optional
        Clusters; None: the most that the table has.
    n : int
        Policies scored for each cluster.
    semantics : str, optional
        "text" or "notebook"; None: the text, where the study has it.
    **look
        inches, font, font_size, palette.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.
    """
    return _decisions(summary, k, n, semantics, "seconds", "median", "seconds per decision", look)


def decision_steps(summary: Summary, k: int | None = None, n: int = 1,
                   semantics: str | None = None, **look: Unpack[Look]) -> Figure:
    """Steps scored for a decision, by size: means over worlds.

    Parameters
    ----------
    summary : Summary
        The study.
    k : int, optional
        Clusters; None: the most that the table has.
    n : int
        Policies scored for each cluster.
    semantics : str, optional
        "text" or "notebook"; None: the text, where the study has it.
    **look
        inches, font, font_size, palette.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.
    """
    return _decisions(summary, k, n, semantics, "steps", "mean", "steps scored per decision", look)


def construction_time(summary: Summary, semantics: str | None = None,
                      **look: Unpack[Look]) -> Figure:
    """Time of embedding and clustering a run's policies, by size: medians over worlds.

    Parameters
    ----------
    summary : Summary
        The study.
    semantics : str, optional
        "text" or "notebook"; None: the text, where the study has it.
    **look
        inches, font, font_size, palette.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.
    """
    semantics = semantics or summary._semantics("table")
    sizes = summary._sizes("table")
    chart = _Chart(2 if sizes else 0, 2, 2.4, look)
    for ax, scope in zip(chart.axes, SCOPES):
        for embedding in summary._embeddings("table"):
            makers = summary.where(group="table", scope=scope, embedding=embedding,
                                   semantics=semantics, connect="symmetric",
                                   k_used=_largest(summary, "k"))
            points = []
            for size in sizes:
                made = [summary.cell(c, size) for c in makers]
                found = [cell for cell in made if _value(cell, "construction", "n") > 0]
                points += _measured(found[0] if found else None, size, "construction", "median")
            chart.line(ax, _titled(embedding), _style(embedding), points)
        ax.set_yscale("log")
        ax.set_xticks(sizes)
        chart.name(ax, scope, "nodes", "seconds per run")
    return chart.finish()


def valid(summary: Summary, **look: Unpack[Look]) -> Figure:
    """Percent of the representatives in global scope that the agent could carry out.

    Parameters
    ----------
    summary : Summary
        The study.
    **look
        inches, font, font_size, palette.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.
    """
    sizes = summary._sizes("table")
    embeddings = summary._embeddings("table") if sizes else []
    ks = sorted({c["k_used"] for c in summary.conditions
                 if c["group"] == "table" and c["k_used"] > 0})
    chart = _Chart(len(embeddings), max(1, len(embeddings)), 2.4, look)
    for ax, embedding in zip(chart.axes, embeddings):
        series = []
        for k in ks:
            for semantics in ("text", "notebook"):
                rows = []
                for size in sizes:
                    made = [summary.cell(c, size) for c in summary.where(
                        group="table", scope="global", embedding=embedding, semantics=semantics,
                        connect="symmetric", k_used=k)]
                    found = next((cell for cell in made if _value(cell, "valid", "n") > 0), None)
                    rows.append([_value(found, "valid", what) for what in ("mean", "low", "high")]
                                + [math.nan])
                if np.isfinite(np.array(rows)[:, 0]).any():
                    series.append((f"k {k}, {semantics}", 6 if k <= 6 else 1 if k <= 12 else 5,
                                   semantics == "notebook", rows))
        chart.bars(ax, [str(size) for size in sizes], series)
        chart.name(ax, _titled(embedding), "nodes", "valid representatives, %")
    return chart.finish()


def tradeoff(summary: Summary, size: int | None = None, **look: Unpack[Look]) -> Figure:
    """Percent optimal against policies scored: every condition of the table at one size.

    Parameters
    ----------
    summary : Summary
        The study.
    size : int, optional
        Nodes; None: the most that the table has.
    **look
        inches, font, font_size, palette.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.
    """
    nodes = max(summary._sizes("table"), default=0) if size is None else size
    chart = _Chart(2 if nodes else 0, 2, 2.8, look)
    for ax, scope in zip(chart.axes, SCOPES):
        for name in [*summary._embeddings("table"), "none", "bounded"]:
            plain = name in ("none", "bounded")
            for semantics in ("text",) if plain else ("text", "notebook"):
                wanted = {"group": "certified" if name == "bounded" else "table", "scope": scope,
                          "embedding": name, "connect": "symmetric", "action": "marginal"}
                if not plain:
                    wanted["semantics"] = semantics
                found = [summary.cell(c, nodes) for c in summary.where(**wanted)]
                chart.line(ax, {"none": "full search", "bounded": "bounded search, certified"}.get(
                    name, f"{_titled(name)}, {semantics}"), _style(name),
                    [(_value(cell, "equivalent"), cell["optimal"][0], math.nan, math.nan, FEW)
                     for cell in found if cell], hollow=semantics == "notebook", joined=False)
        ax.set_xscale("log")
        ax.set_ylim(-4, 104)
        chart.name(ax, f"{scope}, {nodes} nodes", "policies scored per decision", "optimal runs, %")
    return chart.finish()


def failures(summary: Summary, **look: Unpack[Look]) -> Figure:
    """What happened in the runs that were not optimal, all sizes, k and n together.

    Parameters
    ----------
    summary : Summary
        The study.
    **look
        inches, font, font_size, palette.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.
    """
    panels = []
    for scope in SCOPES:
        for semantics in ("text", "notebook"):
            bars = []
            for name in ["none", *summary._embeddings("table")]:
                wanted = {"group": "table", "scope": scope, "embedding": name}
                own = summary.where(semantics=semantics, **wanted) or (
                    summary.where(**wanted) if name == "none" else [])
                counts = [cell["failures"] for cell in summary.cells
                          if cell["condition"] in own and "failures" in cell]
                if counts:
                    sums = np.sum(counts, axis=0)
                    bars.append(("full" if name == "none" else _titled(name),
                                 100.0 * sums[1:] / sums.sum()))
            if len(bars) > (0 if semantics == "text" else 1):
                panels.append((f"{scope}, {semantics}", bars))
    chart = _Chart(len(panels), min(4, max(1, len(panels))), 2.6, look)
    for ax, (title, bars) in zip(chart.axes, panels):
        base = np.zeros(len(bars))
        for i, (ending, style) in enumerate(zip(ENDINGS, (4, 2, 1, 5))):
            height = np.array([share[i] for _, share in bars])
            ax.bar(range(len(bars)), height, bottom=base, label=ending, linewidth=0.6,
                   edgecolor=chart.colour(style), color="white" if i >= 2 else chart.colour(style),
                   hatch="////" if i >= 2 else None)
            base += height
        ax.set_xticks(range(len(bars)), [name for name, _ in bars])
        chart.name(ax, title, "search or embedding", "runs that were not optimal, %")
    return chart.finish()


def differences(summary: Summary, size: int | None = None, **look: Unpack[Look]) -> Figure:
    """What each difference between paper and notebook does alone, at one size; bold is clear.

    Parameters
    ----------
    summary : Summary
        The study.
    size : int, optional
        Nodes; None: the most there are.
    **look
        inches, font, font_size, palette.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.
    """
    found = summary.document["differences"]
    size = size or max((one["size"] for one in found), default=0)
    here = [one for one in found if one["size"] == size]
    columns = list(dict.fromkeys(one["difference"] for one in here))
    rows = list(dict.fromkeys((one["scope"], one["embedding"], one["k"], one["n"])
                              for one in here))
    look.setdefault("inches", (1.6 + 0.62 * len(columns), 0.6 + 0.21 * len(rows)))
    chart = _Chart(1 if here else 0, 1, 4, look)
    ax = chart.axes[0]
    most = 10 * math.ceil(max(20, *(abs(one["change"]) for one in here)) / 10 - 1e-9)
    from matplotlib.colors import LinearSegmentedColormap

    colours = LinearSegmentedColormap.from_list(
        "change", [COLOURS["worse"], "#ffffff", COLOURS["better"]])
    grid = np.full((len(rows), len(columns)), np.nan)
    for one in here:
        at = (rows.index((one["scope"], one["embedding"], one["k"], one["n"])),
              columns.index(one["difference"]))
        grid[at] = one["change"]
        ax.text(at[1], at[0], f"{one['change']:+.1f}".replace("+0.0", "0.0"), ha="center",
                va="center", fontsize=0.75 * chart.rc["font.size"],
                fontweight="bold" if one["clear"] else "normal",
                color="white" if one["change"] > 0.7 * most else "black")
    image = ax.imshow(grid, cmap=colours, vmin=-most, vmax=most, aspect="auto")
    ax.set_xticks(range(len(columns)), columns)
    ax.set_yticks(range(len(rows)), [f"{scope} {_titled(name)}" + (f" k {k} n {n}" if k else "")
                                     for scope, name, k, n in rows])
    ax.xaxis.tick_top()
    ax.set_xlabel(f"{size} nodes: change in percent optimal against the text")
    chart.figure.colorbar(image, ax=ax, shrink=0.5, label="points")
    return chart.figure


# ------------------------------------------------------------------------------ sweeps and costs

def _sweep(summary: Summary, by: str, look: Look) -> Figure:
    group = f"sweep-{by}"
    sizes = summary._sizes(group)
    semantics = summary._semantics(group)
    families = [(scope, name) for scope in SCOPES for name in summary._embeddings(group)
                if summary.where(group=group, scope=scope, embedding=name, semantics=semantics)]
    chart = _Chart(2 * len(families), 2, 2.2, look)
    colours = [6, 3, 4, 0, 5, 1, 2, 7]
    for i, (scope, name) in enumerate(families):
        found = summary.where(group=group, scope=scope, embedding=name, semantics=semantics)
        first = summary.conditions[found[0]]
        other = "n" if by == "k" else "k"
        found = [c for c in found if summary.conditions[c][other] == first[other]
                 and summary.conditions[c]["settings"]["probe"] == first["settings"]["probe"]]
        for cost in (False, True):
            ax = chart.axes[2 * i + cost]
            for j, size in enumerate(sizes):
                chart.line(ax, f"{size} nodes", colours[j % 8], [
                    point for c in found for point in (
                        _measured(summary.cell(c, size), summary.conditions[c][by], "equivalent",
                                  "mean") if cost
                        else _optimal(summary.cell(c, size), summary.conditions[c][by]))],
                    band=True)
                full = _value(summary._find(size, group="table", scope=scope, embedding="none",
                                            semantics=semantics), "equivalent")
                if cost and math.isfinite(full):
                    ax.axhline(full, color=chart.colour(colours[j % 8]), linewidth=1,
                               linestyle=":")
            if by == "k":
                ax.set_xscale("log")
            if cost:
                ax.set_yscale("log")
            else:
                ax.set_ylim(-2, 102)
            chart.name(ax, f"{scope}, {_titled(name)}",
                       "k, clusters" if by == "k" else "n, samples from a cluster",
                       "policies scored per decision" if cost else "optimal runs, %")
    return chart.finish()


def sweep_k(summary: Summary, **look: Unpack[Look]) -> Figure:
    """Optimal runs and cost against the number of clusters; dotted is full search.

    Parameters
    ----------
    summary : Summary
        The study.
    **look
        inches, font, font_size, palette.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.
    """
    return _sweep(summary, "k", look)


def sweep_n(summary: Summary, **look: Unpack[Look]) -> Figure:
    """Optimal runs and cost against the number of samples from a cluster.

    Parameters
    ----------
    summary : Summary
        The study.
    **look
        inches, font, font_size, palette.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.
    """
    return _sweep(summary, "n", look)


MEASURES = {  # what conditions of one's own are compared by: label, mean or median, logarithmic
    "optimal": ("optimal runs, %", "mean", False),
    "preference": ("ln C of outcomes, nats", "mean", False),
    "efe": ("G, nats", "mean", False),
    "surprise": ("−ln P(outcomes), nats", "mean", False),
    "equivalent": ("policies scored", "mean", True),
    "seconds": ("seconds", "median", True),
    "certificate": ("total variation", "mean", True),
    "tv": ("total variation", "mean", True),
    "regret": ("G, nats", "mean", False),
    "best": ("decisions, %", "mean", False),
}


def comparison(summary: Summary, measure: str = "efe", **look: Unpack[Look]) -> Figure:
    """Conditions of a study of one's own by one measure, a panel for each model, or each size of
    graph worlds, with 95 % intervals.

    Parameters
    ----------
    summary : Summary
        The study.
    measure : str
        "preference", "efe", "surprise", "equivalent" (policies scored per decision), "seconds",
        "certificate"; of judged decisions "tv", "regret", "best"; in graph worlds "optimal".
    **look
        inches, font, font_size, palette.

    Returns
    -------
    matplotlib.figure.Figure
        To be saved or shown.
    """
    if measure not in MEASURES:
        raise ValueError(f"measure: expected one of {', '.join(MEASURES)}, found {measure!r}")
    label, of, log = MEASURES[measure]
    own = [cell for cell in summary.cells if cell.get("own")]
    numbers = sorted({cell["condition"] for cell in own})
    points: dict[tuple[int, int], list[Point]] = {}
    for cell in own:
        x = numbers.index(cell["condition"]) + 1
        points[cell["size"], cell["condition"]] = (
            _optimal(cell, x) if measure == "optimal" else _measured(cell, x, measure, of))
    sizes = sorted({size for (size, _), found in points.items() if found},
                   key=lambda size: (size < 0, abs(size)))
    chart = _Chart(len(sizes), min(4, max(len(sizes), 1)), 2.2, look)
    for ax, size in zip(chart.axes, sizes):
        for i, c in enumerate(numbers):
            if points.get((size, c)):
                chart.line(ax, f"{i + 1} {summary.conditions[c]['short']}", i + 1,
                           points[size, c], hollow=i % 14 >= 7, joined=False)
        chart.name(ax, next(cell["place"] for cell in own if cell["size"] == size), "condition",
                   label)
        ax.set_xlim(0.5, len(numbers) + 0.5)
        if log:
            ax.set_yscale("log")
    return chart.finish()


def _line_style(condition: dict[str, Any], lines: list[str]) -> int:
    if condition["search"] in ("full", "bounded"):
        return _style(condition["search"])
    i = [name for name in lines if name not in ("full", "bounded")].index(condition["line"])
    return [6, 3, 1, 5, 2, 7][i % 6] + 8 * (i // 6)


def _quality(summary: Summary, error: bool, look: Look) -> Figure:
    judged = [cell for cell in summary.cells if _value(cell, "tv", "n") > 0
              and summary.conditions[cell["condition"]]["group"] == "quality"]
    places = sorted({cell["size"] for cell in judged if cell["size"] > 0}) + sorted(
        {cell["size"] for cell in judged if cell["size"] < 0}, reverse=True)
    lines = list(dict.fromkeys(c["line"] for c in summary.conditions if c["group"] == "quality"))
    chart = _Chart(len(places), min(5, max(1, len(places))), 2.0, look)
    for ax, place in zip(chart.axes, places):
        here = [cell for cell in judged if cell["size"] == place]
        for name in lines:
            own = [cell for cell in here if summary.conditions[cell["condition"]]["line"] == name]
            for setup in (False, True) if any(_value(c, "setup_steps") > 0 for c in own) else (
                    False,):
                cost = "judged_with_setup" if setup else "judged_equivalent"
                best, points = (math.inf if error else -math.inf), []
                for cell in sorted(own, key=lambda cell: _value(cell, cost)):
                    good = max(_value(cell, "tv"), FLOOR) if error else (
                        cell["optimal"][0] if "optimal" in cell else _value(cell, "best"))
                    if good < best if error else good > best:
                        best = good
                        points.append((_value(cell, cost), good, math.nan, math.nan, FEW))
                if own:
                    chart.line(ax, f"{name}, with set-up" if setup else name,
                               _line_style(summary.conditions[own[0]["condition"]], lines), points,
                               hollow=setup)
        ax.set_xscale("log")
        if error:
            ax.set_yscale("log")
            ax.set_ylim(0.6 * FLOOR, 1.6)
        else:
            ax.set_ylim(-4, 104)
        chart.name(ax, here[0]["place"], "policies scored", "total variation" if error else
                   "optimal runs, %" if place > 0 else "best policy found, %")
    return chart.finish()


def quality(summary: Summary, **look: Unpack[Look]) -> Figure:
    """Error of the posterior against policies scored, in every world and model.

    Parameters
    ----------
    summary : Summary
        The study.
    **look
        inches, font, font_size, palette.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.
    """
    return _quality(summary, True, look)


def quality_optimal(summary: Summary, **look: Unpack[Look]) -> Figure:
    """Whether the best is found, against policies scored.

    Parameters
    ----------
    summary : Summary
        The study.
    **look
        inches, font, font_size, palette.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.
    """
    return _quality(summary, False, look)


def closed(summary: Summary, **look: Unpack[Look]) -> Figure:
    """Regret, preference of outcomes and time of plans that wait for what they see, against what
    was scored.

    Parameters
    ----------
    summary : Summary
        The study.
    **look
        inches, font, font_size, palette.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.
    """
    rows = [("regret of the action, nats", "regret", True, "mean"),
            ("preference of outcomes", "preference", False, "mean"),
            ("seconds", "seconds", True, "median")]
    judged = [cell for cell in summary.cells if _value(cell, "tv", "n") > 0 and cell["size"] < 0
              and summary.conditions[cell["condition"]]["group"] == "quality"]
    places = sorted({cell["size"] for cell in judged}, reverse=True)
    lines = list(dict.fromkeys(c["line"] for c in summary.conditions if c["group"] == "quality"))
    there = any(name.startswith("closed: ") for name in lines)
    chart = _Chart(len(rows) * len(places) if there else 0, max(1, len(places)), 2.0, look)
    for i, (y, measure, log, of) in enumerate(rows if there else []):
        for j, place in enumerate(places):
            ax = chart.axes[i * len(places) + j]
            here = [cell for cell in judged if cell["size"] == place]
            for name in lines:
                own = sorted((cell for cell in here
                              if summary.conditions[cell["condition"]]["line"] == name),
                             key=lambda cell: _value(cell, "judged_equivalent"))
                points = [(max(_value(cell, "judged_equivalent"), 0.1),
                           max(_value(cell, measure, of), FLOOR) if log
                           else _value(cell, measure, of), math.nan, math.nan, FEW)
                          for cell in own]
                if own:
                    chart.line(ax, name, _line_style(
                        summary.conditions[own[0]["condition"]], lines), points)
            ax.set_xscale("log")
            if log:
                ax.set_yscale("log")
            chart.name(ax, here[0]["place"], "policies scored", y)
    return chart.finish()


def scaling(summary: Summary, **look: Unpack[Look]) -> Figure:
    """Time and policies scored for a decision as worlds grow and plans get longer.

    Parameters
    ----------
    summary : Summary
        The study.
    **look
        inches, font, font_size, palette.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.
    """
    rows = [("first decision", "seconds", "first_seconds"),
            ("later decisions", "seconds", "seconds"),
            ("first decision", "policies scored", "first_equivalent")]
    columns = [("scaling-nodes", "by nodes", "nodes"),
               ("scaling-horizon", "by horizon", "steps in a policy")]
    there = any(c["group"].startswith("scaling-") for c in summary.conditions)
    chart = _Chart(6 if there else 0, 2, 2.0, look)
    for i, (title, y, measure) in enumerate(rows):
        for j, (group, by, x) in enumerate(columns):
            ax = chart.axes[2 * i + j]
            lines = list(dict.fromkeys(c["line"] for c in summary.conditions
                                       if c["group"] == group))
            series: dict[str, tuple[int, list[Point]]] = {}
            for cell in summary.cells:
                condition = summary.conditions[cell["condition"]]
                if condition["group"] == group and cell["size"] > 0:
                    horizon = condition["horizon"] or cell["size"]
                    nodes = group == "scaling-nodes"
                    label = (f"{condition['line']}, T = {horizon}" if nodes
                             else f"{condition['line']}, {cell['size']} nodes")
                    series.setdefault(label, (_line_style(condition, lines), []))[1].append(
                        (cell["size"] if nodes else horizon, _value(cell, measure, "median"),
                         _value(cell, measure, "least"), _value(cell, measure, "most"), FEW))
            for label, (style, points) in series.items():
                chart.line(ax, label, style, points)
            ax.set_xscale("log")
            ax.set_yscale("log")
            chart.name(ax, f"{title}, {by}", x, y)
    return chart.finish()


# -------------------------------------------------------------------------------- chosen worlds

def _draw_path(ax: Axes, summary: Summary, world: int, run: int, title: str) -> None:
    from ._graph import Graph
    from ._plot import plot_graph

    document = json.loads(summary.document["worlds"][world]["document"])
    path = [int(node) for node in summary.document["runs"]["path"][run].split("-")]
    plot_graph(Graph.from_dict(document), ax, path)
    ax.set_title(title)


def _draw_space(ax: Axes, space: dict[str, Any], title: str) -> None:
    rank = np.argsort(np.argsort(space["efe"]))
    ax.scatter(space["x"], space["y"], c=rank, s=4, cmap="cividis", linewidths=0)
    ax.scatter(*np.array(space["centers"]).T, s=18, color=COLOURS["path"], edgecolors="black",
               linewidths=0.5)
    ax.set_title(f"{title}: {space['policies']:,} policies")
    ax.set_xticks([])
    ax.set_yticks([])
    ax.set_xlabel(f"component 1 ({space['share'][0]:.0%})")
    ax.set_ylabel(f"component 2 ({space['share'][1]:.0%})")


def world_paths(summary: Summary, world: int = 0, **look: Unpack[Look]) -> Figure:
    """A chosen world with the paths of full and of clustered search.

    Parameters
    ----------
    summary : Summary
        The study.
    world : int
        Which of the chosen ones.
    **look
        inches, font, font_size, palette.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.
    """
    chosen = summary.document["chosen"][world]
    ways = [(name, chosen[name]) for name in ("full", "clustered") if chosen[name] is not None]
    chart = _Chart(len(ways), max(1, len(ways)), 2.6, look)
    for ax, (name, run) in zip(chart.axes, ways):
        _draw_path(ax, summary, chosen["world"], run, f"{name} search")
    return chart.figure


def world_clusters(summary: Summary, world: int = 0, **look: Unpack[Look]) -> Figure:
    """G of representatives beside the mean of their clusters, the best mean first.

    Parameters
    ----------
    summary : Summary
        The study.
    world : int
        Which of the chosen ones.
    **look
        inches, font, font_size, palette.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.
    """
    space = next(one for one in summary.document["chosen"][world]["spaces"]
                 if (one["scope"], one["embedding"]) == ("local", "boe"))
    chart = _Chart(2, 2, 2.4, look)
    for ax, k in zip(chart.axes, (12, 100)):
        contrast = space[f"k{k}"]
        order = sorted((g, c) for c, g in enumerate(contrast["mean"]) if g is not None)
        nothing = [math.nan] * 3
        chart.bars(ax, [str(c) if len(order) <= 20 else "" for _, c in order], [
            ("its representative", 1, False,
             [[contrast["representative"][c], *nothing] for _, c in order]),
            ("mean of its policies", 2, True, [[g, *nothing] for g, _ in order])])
        r = contrast["r"]
        chart.name(ax, f"k = {len(order)}, r = {'–' if r is None else f'{r:.2f}'}",
                   "cluster, the best mean first", "G, nats")
    return chart.finish()


def world_spaces(summary: Summary, world: int = 0, **look: Unpack[Look]) -> Figure:
    """The policy spaces of a chosen world under each embedding; dark is a small G.

    Parameters
    ----------
    summary : Summary
        The study.
    world : int
        Which of the chosen ones.
    **look
        inches, font, font_size, palette.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.
    """
    spaces = summary.document["chosen"][world]["spaces"]
    chart = _Chart(len(spaces), 3, 2.2, look)
    for ax, space in zip(chart.axes, spaces):
        _draw_space(ax, space, f"{_titled(space['embedding'])}, {space['scope']}")
    return chart.figure


def _failed(summary: Summary, decision: bool) -> dict[str, Any]:
    failed = summary.document["failed"]
    if failed is None or (decision and "probe" not in failed):
        raise BadInput("this study has no runs for the figure")
    return failed


def failed_path(summary: Summary, **look: Unpack[Look]) -> Figure:
    """One run that failed: its world and its path.

    Parameters
    ----------
    summary : Summary
        The study.
    **look
        inches, font, font_size, palette.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.
    """
    failed = _failed(summary, False)
    chart = _Chart(1, 1, 2.8, look)
    _draw_path(chart.axes[0], summary, failed["world"], failed["run"], "a run that failed")
    return chart.figure


def failed_clusters(summary: Summary, **look: Unpack[Look]) -> Figure:
    """One run that failed: what the search saw of each cluster, and what there was.

    Parameters
    ----------
    summary : Summary
        The study.
    **look
        inches, font, font_size, palette.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.
    """
    failed = _failed(summary, True)
    look.setdefault("inches", (6.4, 3.2))
    chart = _Chart(1, 1, 2.6, look)
    order = sorted(range(len(failed["probe"])),
                   key=lambda c: math.inf if failed["probe"][c] is None else failed["probe"][c])
    nothing = [math.nan] * 3
    chart.bars(chart.axes[0], [
        f"{c}\nchosen" if c == failed["chosen"] else f"{c}\nbest" if c == failed["home"] else str(c)
        for c in order], [
        (label, style, hollow, [[math.nan if failed[key][c] is None else failed[key][c], *nothing]
                                for c in order])
        for label, style, hollow, key in [("what the search scored", 1, False, "probe"),
                                          ("mean of its policies", 2, True, "mean"),
                                          ("best of its policies", 3, False, "best")]])
    chart.name(chart.axes[0], f"the decision at step {failed['step'] + 1}",
               "cluster, the best score first", "G, nats")
    return chart.finish()


def failed_space(summary: Summary, **look: Unpack[Look]) -> Figure:
    """One run that failed: its policy space; the diamond is the best policy of all.

    Parameters
    ----------
    summary : Summary
        The study.
    **look
        inches, font, font_size, palette.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.
    """
    failed = _failed(summary, True)
    look.setdefault("inches", (5, 4))
    chart = _Chart(1, 1, 3.2, look)
    _draw_space(chart.axes[0], failed["space"], "where the search looked")
    chosen = np.array(failed["space"]["cluster"]) == failed["chosen"]
    chart.axes[0].scatter(np.array(failed["space"]["x"])[chosen],
                          np.array(failed["space"]["y"])[chosen], s=26, facecolors="none",
                          edgecolors=COLOURS["worse"], label="the chosen cluster")
    chart.axes[0].scatter(*failed["space"]["best_place"], marker="D", s=44,
                          color=COLOURS["start"], edgecolors="black", label="best policy of all")
    return chart.finish()


FIGURES: dict[str, Callable[..., Figure]] = {
    name: globals()[name] for name in __all__ if name in globals() and name not in (
        "Summary", "read")}  # (those of fits come below)


# ------------------------------------------------------------------------------------------ fits


def recovery(found: Recovery, **look: Unpack[Look]) -> Figure:
    """Parameters that were true against their estimates, with 90 % intervals, on the scale of the
    fit.

    Parameters
    ----------
    found : Recovery
        What sonde.recover returns.
    **look : Look
        How it looks.

    Returns
    -------
    matplotlib.figure.Figure
    """
    if not hasattr(found, "truth"):
        raise BadInput(f"found: expected what sonde.recover gives, found a {type(found).__name__}")
    n = len(found.names)
    chart = _Chart(n, min(n, 3), 2.8, look)
    for p, ax in enumerate(chart.axes):
        truth, estimate, half = found.truth[:, p], found.estimate[:, p], 1.6449 * found.sd[:, p]
        both = np.concatenate([truth, estimate - half, estimate + half])
        ends = [both.min(), both.max()]
        ax.plot(ends, ends, color="0.6", linewidth=0.8)
        held = np.abs(estimate - truth) <= half
        for inside in (True, False):
            here = held == inside
            if here.any():
                ax.errorbar(truth[here], estimate[here], yerr=half[here], fmt="o", markersize=3.5,
                            color=chart.colour(0 if inside else 1), elinewidth=0.7,
                            label="interval holds it" if inside else "interval misses it")
        chart.name(ax, f"{found.names[p]}: r = {found.r[p]:.2f}", "true", "estimated")
    return chart.finish()


def confusion(found: Recovery, measure: str = "share", **look: Unpack[Look]) -> Figure:
    """Which model is found where which is true.

    Parameters
    ----------
    found : Recovery
        Of several models.
    measure : {"share", "pxp", "true_given_found"}
        Share of subjects, protected exceedance probability, or P(true | found).
    **look : Look
        How it looks.

    Returns
    -------
    matplotlib.figure.Figure
    """
    if found.confusion is None:
        raise BadInput("expected a recovery of several models, found one of one")
    matrix = found.confusion[measure]
    chart = _Chart(1, 1, 2.8, look)
    ax = chart.axes[0]
    ax.imshow(np.nan_to_num(matrix), cmap="Greys", vmin=0, vmax=1)
    for (i, k), number in np.ndenumerate(matrix):
        ax.text(k, i, "–" if np.isnan(number) else f"{number:.2f}", ha="center", va="center",
                color="white" if number > 0.5 else "black")
    places = range(len(found.models))
    ax.set_xticks(places, found.models)
    ax.set_yticks(places, found.models)
    chart.name(ax, "", "found", "true")
    return chart.finish()


def power(found: Power, **look: Unpack[Look]) -> Figure:
    """How often a difference between groups is seen, by the number of subjects.

    Parameters
    ----------
    found : Power
        What sonde.recover returns for groups.
    **look : Look
        How it looks.

    Returns
    -------
    matplotlib.figure.Figure
    """
    chart = _Chart(1, 1, 2.8, look)
    ax = chart.axes[0]
    rows = zip(found.subjects, found.found, found.found_low, found.found_high)
    chart.line(ax, "with the difference", 0, [(x, y, low, high, FEW) for x, y, low, high in rows])
    chart.line(ax, "without", 1, [(x, y, np.nan, np.nan, FEW)
                                  for x, y in zip(found.subjects, found.found_without)])
    ax.axhline(0.8, color="0.6", linewidth=0.8, linestyle=":")
    ax.set_ylim(0, 1)
    chart.name(ax, "", "subjects", "share of repeats that see it")
    return chart.finish()


def posteriors(fitted: Fit, name: str | None = None, **look: Unpack[Look]) -> Figure:
    """Estimates of every subject with 90 % intervals, on the parameters' own scale, in order.

    Parameters
    ----------
    fitted : Fit
        What sonde.fit returns.
    name : str, optional
        One parameter; all of them otherwise.
    **look : Look
        How it looks.

    Returns
    -------
    matplotlib.figure.Figure
    """
    from matplotlib.ticker import LogLocator, NullFormatter

    names = fitted.names if name is None else [name]
    chart = _Chart(len(names), min(len(names), 3), 0.8 + 0.09 * len(fitted.subjects), look)
    for one, ax in zip(names, chart.axes):
        if one not in fitted.names:
            raise BadInput(f"there is no parameter {one!r} among {fitted.names}")
        p = fitted.names.index(one)
        order = np.argsort(fitted.value[:, p])
        value, low, high = (a[order, p] for a in (fitted.value, fitted.low, fitted.high))
        y = np.arange(len(order))
        ax.errorbar(value, y, xerr=[np.nan_to_num(value - low), np.nan_to_num(high - value)],
                    fmt="o", markersize=3, color=chart.colour(0), elinewidth=0.8)
        if fitted.transform(one) == "log":
            ax.set_xscale("log")
            ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            ax.xaxis.set_major_formatter("{x:g}")
            ax.xaxis.set_minor_formatter(NullFormatter())
        labels = [fitted.subjects[i] for i in order] if len(order) <= 40 else []
        ax.set_yticks(y if labels else [], labels, fontsize=0.6 * chart.rc["font.size"])
        chart.name(ax, one, "", "")
    return chart.finish()


def _running(array: Array, window: int) -> Floats:
    """Means over `window` steps about each, along the last axis; fewer at the ends."""
    n = array.shape[-1]
    kernel = np.ones(min(window, n))
    weight = np.convolve(np.ones(n), kernel, "same")
    return np.apply_along_axis(lambda row: np.convolve(row, kernel, "same"), -1, array) / weight


def _called(model: Model, action: int) -> str:
    """An action as its factors call it, or by its number."""
    several = [(f["actions"], u) for f, u in zip(model.factors, model.action_tuple(action))
               if f["actions"] != 1]
    return (f"action {action}" if any(isinstance(names, int) for names, _ in several) else
            ", ".join(names[u] for names, u in several if len(names) > 1) or f"action {action}")


def choices(model: Model, recorded: Data, simulated: Sequence[Data], action: int = 0,
            window: int = 10, **look: Unpack[Look]) -> Figure:
    """How often an action was chosen, step by step: recorded, and simulated with 95 % intervals.

    Parameters
    ----------
    model : Model
        That the data are read for.
    recorded : Data
        What people did.
    simulated : list of Data
        What agents with their parameters did (sonde.draw), one for each repeat.
    action : int
        The action's number.
    window : int
        Steps that each point is a mean over.
    **look : Look
        How it looks.

    Returns
    -------
    matplotlib.figure.Figure
    """
    if not simulated:
        raise BadInput("simulated: expected a repeat at least, found none")

    def share(data: Data) -> Floats:
        rows = data.rows(model)
        parts = [rows.action[a:b] for a, b in zip(rows.first[:-1], rows.first[1:])]
        n = max(map(len, parts))
        table = np.full((len(parts), n), np.nan)
        for i, part in enumerate(parts):
            table[i, :len(part)] = np.where(part < 0, np.nan, part == action)
        return _running(np.nanmean(table, axis=0), window)
    chart = _Chart(1, 1, 2.8, look)
    ax = chart.axes[0]
    band = np.array([share(data) for data in simulated])
    low, middle, high = np.quantile(band, [0.025, 0.5, 0.975], axis=0)
    x = np.arange(len(middle))
    ax.fill_between(x, low, high, color=chart.colour(1), alpha=0.25, linewidth=0)
    ax.plot(x, middle, color=chart.colour(1), linewidth=1.2, label="simulated")
    found = share(recorded)
    ax.plot(np.arange(len(found)), found, color=chart.colour(0), linewidth=1.4, label="recorded")
    ax.set_ylim(0, 1)
    chart.name(ax, "", "step", f"share of {_called(model, action)}")
    return chart.finish()


def trajectory(found: Replay, subject: int | str = 0, factor: int = 0,
               **look: Unpack[Look]) -> Figure:
    """What one subject's agent believed, and how probable the actions taken were.

    Parameters
    ----------
    found : Replay
        What sonde.replay returns.
    subject : int or str
        Whose.
    factor : int
        Of which the belief is drawn.
    **look : Look
        How it looks.

    Returns
    -------
    matplotlib.figure.Figure
    """
    i = found.subjects.index(subject) if isinstance(subject, str) else subject
    here = slice(found.rows.first[i], found.rows.first[i + 1])
    about = found.rows.model.factors
    sizes = [len(f["states"]) if isinstance(f["states"], list) else f["states"] for f in about]
    first = sum(sizes[:factor])
    names = about[factor]["states"]
    chart = _Chart(2, 1, 1.9, look)
    x = np.arange(here.stop - here.start)
    for s in range(sizes[factor]):
        chart.axes[0].plot(x, found.belief[here, first + s], color=chart.colour(s), linewidth=1,
                           label=str(names[s]) if isinstance(names, list) else f"state {s}")
    for s, action in enumerate(sorted(set(found.rows.action[here].tolist()) - {-1})):
        taken = found.rows.action[here] == action
        chart.axes[1].plot(x[taken], found.p[here][taken], linestyle="none", markersize=3,
                           marker=MARKERS[s % 8], color=chart.colour(s),
                           label=_called(found.rows.model, action))
    chart.axes[1].set_ylim(0, 1)
    title = about[factor].get("name") or f"factor {factor}"
    chart.name(chart.axes[0], found.subjects[i], "", f"belief of {title}")
    chart.name(chart.axes[1], "", "row", "probability of the action")
    return chart.finish()


# ------------------------------------------------------------------------------------- learning


def _whole(found: dict[str, Any]) -> Floats:
    """Counts of an array: moments, rows, columns. Of a large one those that changed are told."""
    counts = np.array(found["counts"], dtype=float)
    if "entries" in found:
        told, counts = counts, np.tile(np.array(found["first"], dtype=float), (len(counts), 1))
        counts[:, found["entries"]] = told
    return counts.reshape(len(counts), len(found["rows"]), -1)


def _counts(chart: _Chart, axes: Sequence[Axes], history: dict[str, Any], found: dict[str, Any],
            columns: Sequence[int]) -> None:
    """Counts of some columns of an array, a panel each, a line for each row."""
    counts = _whole(found)
    moved = np.abs(counts[-1] - counts[0])[:, list(columns)].max(axis=1)
    rows = sorted(np.argsort(-moved, kind="stable")[:8])
    for c, ax in zip(columns, axes):
        for i, r in enumerate(rows):
            ax.plot(counts[:, r, c], color=chart.colour(i + 1), linewidth=1.2,
                    label=found["rows"][r])
        ax.set_ylim(bottom=0)
        chart.name(ax, found["columns"][c] or found["array"], history["by"], "counts")


def _course(chart: _Chart, axes: Sequence[Axes], history: dict[str, Any]) -> None:
    """What was chosen, and how well it went: of episodes, or of the steps of the only one."""
    episodes = history["episodes"]
    one = len(episodes) == 1
    actions = [[u] for u in episodes[0]["action"]] if one else [e["action"] for e in episodes]
    returns = np.array(episodes[0]["preference"] if one
                       else [sum(e["preference"]) for e in episodes], dtype=float)
    window = 2 * (len(actions) // 24) + 1
    known, often = np.unique(np.concatenate(actions), return_counts=True)
    x = np.arange(len(actions)) + 1
    for i, u in enumerate(sorted(known[np.argsort(-often, kind="stable")[:8]])):
        share = np.array([np.mean(np.array(list_) == u) for list_ in actions])
        axes[0].plot(x, _running(share, window), color=chart.colour(i + 1), linewidth=1.2,
                     label=history["actions"][u])
    axes[0].set_ylim(0, 1)
    by = "step" if one else "episode"
    chart.name(axes[0], "what was chosen", by, "share of choices")
    axes[1].plot(x, returns, ".", color=chart.colour(7), markersize=3)
    axes[1].plot(x, _running(returns, window), color=chart.colour(1), linewidth=1.2)
    chart.name(axes[1], "how well it went", by, "preference, nats")


def learning(run: dict[str, Any] | Path, array: str | None = None, **look: Unpack[Look]) -> Figure:
    """A run of an agent that learns: counts over time, how far arrays came from where they began,
    what was chosen and how well it went.

    Parameters
    ----------
    run : dict or path
        The document of `sonde simulate --learn --json`, or the file that it is in.
    array : str, optional
        An array such as "A[2]": its columns, those that changed most. "kl": how far arrays came;
        "course": what was chosen and how it went. None: the column that changed most of each array,
        and these.
    **look : Look
        How it looks.

    Returns
    -------
    matplotlib.figure.Figure
    """
    document = run if isinstance(run, dict) else read(run)
    history = document.get("history") if isinstance(document, dict) else None
    if history is None:
        raise BadInput("expected the document of an agent that learns (sonde simulate --learn), "
                       "found another")
    counted = {one["array"]: one for one in history["arrays"] if "counts" in one}
    if array not in (None, "kl", "course", *counted):
        raise BadInput(f"array: expected one of {', '.join([*counted, 'kl'])} or course, "
                       f"found {array!r}")
    panels: list[tuple[dict[str, Any], int]] = []
    for one in [counted[array]] if array in counted else counted.values() if not array else []:
        ends = _whole(one)[[0, -1]]
        moved = np.abs(np.diff(ends / ends.sum(axis=1, keepdims=True), axis=0)[0]).max(axis=0)
        most = np.argsort(-moved, kind="stable")[:9 if array else 1]
        panels += [(one, c) for c in sorted(most) if moved[c] > 0 or len(moved) == 1]
    course = "episodes" in history and array in (None, "course")
    n = len(panels) + (array in (None, "kl")) + 2 * course
    chart = _Chart(n, min(n, 3), 2.2, look)
    rest = list(chart.axes[len(panels):])
    for (one, c), ax in zip(panels, chart.axes):
        _counts(chart, [ax], history, one, [c])
        if not array and one["columns"][c]:
            ax.set_title(f"{one['array']}: {one['columns'][c]}")
    if array in (None, "kl"):
        ax = rest.pop(0)
        for i, one in enumerate(history["arrays"]):
            ax.plot(np.array(one["kl"], dtype=float), color=chart.colour(i + 1), linewidth=1.2,
                    label=one["array"])
        ax.set_ylim(bottom=0)
        chart.name(ax, "how far it came", history["by"], "nats")
    if course:
        _course(chart, rest, history)
    if array:
        return chart.finish()
    for ax in chart.axes:  # panels have lines of their own
        if len(ax.get_legend_handles_labels()[1]) > 1:
            ax.legend(frameon=False, fontsize=0.8 * chart.rc["font.size"])
    return chart.figure
