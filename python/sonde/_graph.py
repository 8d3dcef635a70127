"""Graph worlds, the task of the paper."""
from __future__ import annotations

import json
import os
from functools import cached_property
from typing import Any, Sequence

import numpy as np

from . import _sonde
from ._arrays import doubles, frozen, integers, view


def _node(value: Any) -> str | None:
    return None if value is None else str(value)


def _settings(start: Any, destination: Any, horizon: int | None, lambda_: float | None,
              idle: float | None) -> dict[str, Any]:
    if start is not None and not isinstance(start, str):
        start = ",".join(str(node) for node in start)
    return {"start": start, "destination": _node(destination), "horizon": horizon,
            "lambda": lambda_, "idle": idle}


class Graph:
    """A weighted directed graph, where an agent starts, and where it wants to be.

    Graph(edges) takes rows (tail, head, weight). Others come from Graph.random, Graph.from_file,
    Graph.from_dict and Graph.from_networkx. A graph can be used wherever a model is expected.

    Every node has a self-edge: missing ones are added, with weight `idle` (100), or 0 on the
    destination. A world starts on an edge (previous, current); start and destination are drawn from
    the seed where they are not given.

    Attributes (arrays are read-only):

        n_node, n_edge        self-edges included
        tail, head, weight    (n_edge) edges, grouped by the node they leave
        first                 (n_node + 1) edges of node v are first[v] .. first[v + 1] - 1
        start                 (previous, current)
        destination           a node
        horizon, lambda_, idle, names
    """

    def __init__(self, edges: Any, *, nodes: int | None = None, names: Sequence[str] | None = None,
                 start: Any = None, destination: Any = None, horizon: int | None = None,
                 lambda_: float | None = None, idle: float | None = None, seed: int = 1):
        rows = doubles(edges, "edges").reshape(-1, 3) if len(edges) else np.zeros((0, 3))
        tail, head = (integers(rows[:, i], "edges") for i in (0, 1))
        if nodes is None:
            nodes = len(names) if names is not None else int(max(tail.max(), head.max())) + 1
        self._handle = _sonde.graph_from_edges(
            nodes, tail, head, np.ascontiguousarray(rows[:, 2]),
            None if names is None else [str(name) for name in names],
            _settings(start, destination, horizon, lambda_, idle), seed)

    @classmethod
    def _of(cls, handle: Any) -> Graph:
        graph = object.__new__(cls)
        graph._handle = handle
        return graph

    @classmethod
    def random(cls, nodes: int, seed: int = 1, *, connect: str = "symmetric",
               edge_probability: float | None = None, weights: Any = None, start: Any = None,
               destination: Any = None, horizon: int | None = None, lambda_: float | None = None,
               idle: float | None = None) -> Graph:
        """Draws a world, as `sonde graph --nodes N --seed N` does.

        connect is "symmetric" (both directions of every edge) or "directed" (strongly connected);
        weights is what edges draw from, the paper's 5, 5, 10, 20 unless given.
        """
        settings = _settings(start, destination, horizon, lambda_, idle)
        settings |= {"nodes": nodes, "connect": connect, "edge_probability": edge_probability}
        drawn_from = None if weights is None else doubles(weights, "weights").reshape(-1)
        return cls._of(_sonde.graph_random(settings, drawn_from, seed))

    @classmethod
    def from_file(cls, path: str | os.PathLike, seed: int = 1, *, start: Any = None,
                  destination: Any = None, horizon: int | None = None,
                  lambda_: float | None = None, idle: float | None = None) -> Graph:
        """Reads a sonde-graph document, plain or gzip-compressed."""
        settings = _settings(start, destination, horizon, lambda_, idle)
        return cls._of(_sonde.graph_read(path, settings, seed))

    @classmethod
    def from_dict(cls, document: dict[str, Any], seed: int = 1) -> Graph:
        """Reads a sonde-graph document that is in memory already."""
        document = {"format": "sonde-graph", "version": 1} | document
        return cls._of(_sonde.graph_parse(json.dumps(document), "graph", {}, seed))

    @classmethod
    def from_networkx(cls, graph: Any, *, weight: str = "weight", start: Any = None,
                      destination: Any = None, **settings: Any) -> Graph:
        """Takes a networkx graph; edges without the attribute `weight` weigh 1.

        Nodes keep networkx's order, and their names where these are not the numbers 0, 1, 2, ...
        Both directions of an undirected edge have its weight.
        """
        nodes = list(graph.nodes)
        number = {node: i for i, node in enumerate(nodes)}
        directed = graph if graph.is_directed() else graph.to_directed()
        edges = [(number[a], number[b], float(data.get(weight, 1.0)))
                 for a, b, data in directed.edges(data=True)]
        names = None if nodes == list(range(len(nodes))) else [str(node) for node in nodes]
        if start is not None:
            start = [number.get(node, node) for node in start]
        if destination is not None:
            destination = number.get(destination, destination)
        return cls(edges, nodes=len(nodes), names=names, start=start, destination=destination,
                   **settings)

    def to_networkx(self) -> Any:
        """The same as a networkx.DiGraph with weights."""
        import networkx

        made = networkx.DiGraph()
        made.add_nodes_from(self.names or range(self.n_node))
        label = list(made.nodes)
        made.add_weighted_edges_from((label[a], label[b], float(w))
                                     for a, b, w in zip(self.tail, self.head, self.weight))
        return made

    @cached_property
    def _fields(self) -> dict[str, Any]:
        return _sonde.graph_fields(self._handle)

    n_node = property(lambda self: self._fields["n_node"])
    n_edge = property(lambda self: self._fields["n_edge"])
    horizon = property(lambda self: self._fields["horizon"])
    lambda_ = property(lambda self: self._fields["lambda"])
    idle = property(lambda self: self._fields["idle"])
    destination = property(lambda self: self._fields["destination"])
    names = property(lambda self: self._fields["names"])
    n_redraw = property(lambda self: self._fields["n_redraw"])
    n_joined = property(lambda self: self._fields["n_joined"])

    @cached_property
    def tail(self) -> np.ndarray:
        """(n_edge) the node each edge leaves."""
        return view(self._fields["tail"])

    @cached_property
    def head(self) -> np.ndarray:
        """(n_edge) the node each edge enters."""
        return view(self._fields["head"])

    @cached_property
    def weight(self) -> np.ndarray:
        """(n_edge) weights."""
        return view(self._fields["weight"])

    @cached_property
    def first(self) -> np.ndarray:
        """(n_node + 1) where the edges of each node begin."""
        return view(self._fields["first"])

    @cached_property
    def self_edge(self) -> np.ndarray:
        """(n_node) the self-edge of each node."""
        return view(self._fields["self"])

    @property
    def start(self) -> tuple[int, int]:
        """The edge on which the agent starts: (previous, current)."""
        edge = self._fields["start"]
        return int(self.tail[edge]), int(self.head[edge])

    @cached_property
    def model(self) -> Any:
        """The agent's model of this world."""
        from ._model import Model

        return Model._of(_sonde.model_from_graph(self._handle), self)

    def edge(self, tail: Any, head: Any) -> int:
        """The number of the edge between two nodes (numbers or names), or KeyError."""
        number = _sonde.graph_edge(self._handle, self.node(tail), self.node(head))
        if number < 0:
            raise KeyError(f"there is no edge from {tail} to {head}")
        return number

    def node(self, name: Any) -> int:
        """The number of a node, by number or name. KeyError if there is none."""
        number = _sonde.graph_node(self._handle, str(name))
        if number < 0:
            raise KeyError(f"there is no node {name}")
        return number

    def distances(self, node: Any = None) -> np.ndarray:
        """(n_node) lengths of the shortest paths from a node (default: where the agent starts)."""
        out = np.empty(self.n_node)
        number = self.start[1] if node is None else self.node(node)
        _sonde.graph_distances(self._handle, number, out)
        return frozen(out)

    def efe(self, *args: Any, **settings: Any) -> Any:
        """G of policies; see Model.efe."""
        return self.model.efe(*args, **settings)

    def to_json(self) -> str:
        """The world as a sonde-graph document, which reads back to the same world."""
        return _sonde.graph_write(self._handle)

    def to_dict(self) -> dict[str, Any]:
        """The same as a dict."""
        return json.loads(self.to_json())

    def save(self, path: str | os.PathLike) -> None:
        """Writes the document to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.to_json())

    def report(self) -> dict[str, Any]:
        """What `sonde graph --json` says: distances, policies, and the world itself."""
        return json.loads(_sonde.graph_report(self._handle, self.distances(),
                                              self.model._policies, None))

    def svg(self, path: Any = None) -> str:
        """The world as a picture; with a path (nodes), how an agent walked."""
        nodes = None if path is None else integers(path, "path")
        return _sonde.graph_svg(self._handle, nodes)

    def _repr_svg_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        a, b = self.start
        return (f"<sonde.Graph: {self.n_node} nodes, {self.n_edge} edges; from {a}→{b} to "
                f"{self.destination}; horizon {self.horizon}, lambda {self.lambda_:g}>")

    def __reduce__(self) -> Any:
        return Graph.from_dict, (self.to_dict(),)
