"""Graph worlds, the task of the paper."""
from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from . import _sonde
from ._arrays import doubles, frozen, integers, view, whole
from ._sonde import BadInput
from ._types import Belief, Document, Edge, Floats, Ints, Memory, Node, Path, Policies, Progress

if TYPE_CHECKING:
    from networkx import DiGraph
    from networkx import Graph as Network

    from ._model import Efe, Model
    from ._sonde import GraphFields


class GraphSettings(TypedDict, total=False):
    """What else Graph takes."""

    horizon: int | None
    lambda_: float | None
    idle: float | None
    seed: int


def _settings(start: Edge | None, destination: Node | None, horizon: int | None,
              lambda_: float | None, idle: float | None) -> Document:
    if start is not None and not isinstance(start, str):
        start = ",".join(str(node) for node in start)
    return {"start": start, "destination": None if destination is None else str(destination),
            "horizon": horizon, "lambda": lambda_, "idle": idle}


class Graph:
    """A weighted directed graph, where an agent starts, and where it wants to be.

    Others come from Graph.random, Graph.from_file, Graph.from_dict and Graph.from_networkx. A graph
    can be used wherever a model is expected.

    Every node has a self-edge: missing ones are added, with weight `idle` (100), or 0 on the
    destination. A world starts on an edge (previous, current); start and destination are drawn from
    the seed where they are not given. Arrays of a graph are read-only.

    Parameters
    ----------
    edges : array (n, 3)
        Rows (tail, head, weight).
    nodes : int, optional
        How many; as many as the edges have unless given.
    names : list of str, optional
        Of the nodes.
    start : pair of nodes or str, optional
        The edge on which the agent starts, (previous, current).
    destination : int or str, optional
        The node where it wants to be.
    horizon : int, optional
        Steps in a policy.
    lambda_ : float, optional
        What a unit of weight costs, in nats.
    idle : float, optional
        The weight of self-edges that are added.
    seed : int
        Of start and destination, where they are drawn.
    """

    _handle: _sonde.Handle

    def __init__(self, edges: npt.ArrayLike, *, nodes: int | None = None,
                 names: Sequence[str] | None = None, start: Edge | None = None,
                 destination: Node | None = None, horizon: int | None = None,
                 lambda_: float | None = None, idle: float | None = None, seed: int = 1):
        rows = doubles(edges, "edges")
        if rows.size and (rows.ndim != 2 or rows.shape[1] != 3):
            raise BadInput("edges: expected rows of three numbers, (from, to, weight), found the "
                           f"shape {rows.shape}")
        rows = rows if rows.size else np.zeros((0, 3))
        tail, head = (integers(rows[:, i], "edges") for i in (0, 1))
        if nodes is None:
            nodes = len(names) if names is not None else int(rows[:, :2].max(initial=-1)) + 1
        self._handle = _sonde.graph_from_edges(
            whole(nodes, "nodes"), tail, head, np.ascontiguousarray(rows[:, 2]),
            None if names is None else [str(name) for name in names],
            _settings(start, destination, horizon, lambda_, idle), seed)

    @classmethod
    def _of(cls, handle: _sonde.Handle) -> Graph:
        graph = object.__new__(cls)
        graph._handle = handle
        return graph

    @classmethod
    def random(cls, nodes: int, seed: int = 1, *, connect: str = "symmetric",
               edge_probability: float | None = None, weights: npt.ArrayLike | None = None,
               start: Edge | None = None, destination: Node | None = None,
               horizon: int | None = None, lambda_: float | None = None,
               idle: float | None = None) -> Graph:
        """Draws a world, as `sonde graph --nodes N --seed N` does.

        Parameters
        ----------
        nodes : int
            How many.
        seed : int
            Of all that is drawn.
        connect : str
            "symmetric" (both directions of every edge) or "directed" (strongly connected).
        edge_probability : float, optional
            Of each possible edge.
        weights : array, optional
            What edges draw from; the paper's 5, 5, 10, 20 unless given.
        start, destination, horizon, lambda_, idle : optional
            As in Graph.

        Returns
        -------
        Graph
            The world.
        """
        settings = _settings(start, destination, horizon, lambda_, idle)
        settings |= {"nodes": nodes, "connect": connect, "edge_probability": edge_probability}
        drawn_from = None if weights is None else doubles(weights, "weights").reshape(-1)
        return cls._of(_sonde.graph_random(settings, drawn_from, seed))

    @classmethod
    def from_file(cls, path: Path, seed: int = 1, *, start: Edge | None = None,
                  destination: Node | None = None, horizon: int | None = None,
                  lambda_: float | None = None, idle: float | None = None) -> Graph:
        """Reads a sonde-graph document, plain or gzip-compressed.

        Parameters
        ----------
        path : path
            The file.
        seed : int
            Of start and destination, where they are drawn.
        start, destination, horizon, lambda_, idle : optional
            As in Graph; what is given overrides the file.

        Returns
        -------
        Graph
            The world.
        """
        settings = _settings(start, destination, horizon, lambda_, idle)
        return cls._of(_sonde.graph_read(path, settings, seed))

    @classmethod
    def from_dict(cls, document: Document, seed: int = 1) -> Graph:
        """Reads a sonde-graph document that is in memory already.

        Parameters
        ----------
        document : dict
            The document.
        seed : int
            Of start and destination, where they are drawn.

        Returns
        -------
        Graph
            The world.
        """
        document = {"format": "sonde-graph", "version": 1} | document
        return cls._of(_sonde.graph_parse(json.dumps(document), "graph", {}, seed))

    def replace(self, *, start: Edge | None = None, destination: Node | None = None,
                horizon: int | None = None, lambda_: float | None = None, **other: Any) -> Graph:
        """Makes a world that differs in what is given.

        Parameters
        ----------
        start, destination, horizon, lambda_ : optional
            As in Graph.
        **other
            Refused: preferences and information, for one, belong to general models.

        Returns
        -------
        Graph
            The other one.
        """
        if other:
            raise BadInput(f"{next(iter(other))}: concerns general models, and this is a graph "
                           f"world; leave it out")
        return Graph._of(_sonde.graph_parse(
            self.to_json(), "graph", _settings(start, destination, horizon, lambda_, None), 1))

    @classmethod
    def from_networkx(cls, graph: Network, *, weight: str = "weight", start: Edge | None = None,
                      destination: Node | None = None, **settings: Unpack[GraphSettings]) -> Graph:
        """Takes a networkx graph.

        Nodes keep networkx's order, and their names where these are not the numbers 0, 1, 2, ...
        Both directions of an undirected edge have its weight.

        Parameters
        ----------
        graph : networkx.Graph or networkx.DiGraph
            The graph.
        weight : str
            The attribute with the weights; edges without it weigh 1.
        start, destination : optional
            As in Graph, by the names of networkx's nodes.
        **settings
            horizon, lambda_, idle and seed, as in Graph.

        Returns
        -------
        Graph
            The world.
        """
        if not hasattr(graph, "is_directed"):
            raise TypeError(f"graph: expected a networkx graph, found {type(graph).__name__}")
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

    def to_networkx(self) -> DiGraph:
        """Makes a networkx graph of it.

        Returns
        -------
        networkx.DiGraph
            The same nodes and edges, with weights.
        """
        import networkx

        made = networkx.DiGraph()
        made.add_nodes_from(self.names or range(self.n_node))
        label = list(made.nodes)
        made.add_weighted_edges_from((label[a], label[b], float(w))
                                     for a, b, w in zip(self.tail, self.head, self.weight))
        return made

    # ----------------------------------------------------------------------------- attributes --

    @cached_property
    def _fields(self) -> GraphFields:
        return _sonde.graph_fields(self._handle)

    @property
    def n_node(self) -> int:
        """How many nodes there are."""
        return self._fields["n_node"]

    @property
    def n_edge(self) -> int:
        """How many edges there are, self-edges included."""
        return self._fields["n_edge"]

    @property
    def horizon(self) -> int:
        """Steps in a policy."""
        return self._fields["horizon"]

    @property
    def lambda_(self) -> float:
        """What a unit of weight costs, in nats."""
        return self._fields["lambda"]

    @property
    def idle(self) -> float:
        """The weight of self-edges that were added."""
        return self._fields["idle"]

    @property
    def destination(self) -> int:
        """The node where the agent wants to be."""
        return self._fields["destination"]

    @property
    def names(self) -> list[str] | None:
        """Names of the nodes, or None."""
        return self._fields["names"]

    @property
    def n_redraw(self) -> int:
        """Draws that were thrown away because they were not connected."""
        return self._fields["n_redraw"]

    @property
    def n_joined(self) -> int:
        """Random edges that were added to connect the graph."""
        return self._fields["n_joined"]

    @cached_property
    def tail(self) -> Ints:
        """(n_edge) the node each edge leaves; edges are grouped by it."""
        return view(self._fields["tail"])

    @cached_property
    def head(self) -> Ints:
        """(n_edge) the node each edge enters."""
        return view(self._fields["head"])

    @cached_property
    def weight(self) -> Floats:
        """(n_edge) weights."""
        return view(self._fields["weight"])

    @cached_property
    def first(self) -> Ints:
        """(n_node + 1) where the edges of each node begin."""
        return view(self._fields["first"])

    @cached_property
    def self_edge(self) -> Ints:
        """(n_node) the self-edge of each node."""
        return view(self._fields["self"])

    @property
    def start(self) -> tuple[int, int]:
        """The edge on which the agent starts: (previous, current)."""
        edge = self._fields["start"]
        return int(self.tail[edge]), int(self.head[edge])

    @cached_property
    def model(self) -> Model:
        """The agent's model of this world."""
        from ._model import Model

        return Model._of(_sonde.model_from_graph(self._handle), self)

    # ---------------------------------------------------------------------------------- verbs --

    def edge(self, tail: Node, head: Node) -> int:
        """Finds an edge; KeyError if there is none.

        Parameters
        ----------
        tail, head : int or str
            The nodes it leaves and enters, by number or name.

        Returns
        -------
        int
            Its number.
        """
        number = _sonde.graph_edge(self._handle, self.node(tail), self.node(head))
        if number < 0:
            raise KeyError(f"there is no edge from {tail} to {head}")
        return number

    def node(self, name: Node) -> int:
        """Finds a node; KeyError if there is none.

        Parameters
        ----------
        name : int or str
            Its number or name.

        Returns
        -------
        int
            Its number.
        """
        number = _sonde.graph_node(self._handle, str(name))
        if number < 0:
            raise KeyError(f"there is no node {name}")
        return number

    def layout(self) -> Floats:
        """Places the nodes as every picture of the world has them, the command's and the page's.

        Returns
        -------
        array (n_node, 2)
            x and y of each node, about 1 between joined ones; y goes down.
        """
        out = np.empty((self.n_node, 2))
        _sonde.graph_layout(self._handle, out)
        return frozen(out)

    def distances(self, node: Node | None = None) -> Floats:
        """Measures how far every node is.

        Parameters
        ----------
        node : int or str, optional
            From where; where the agent starts unless given.

        Returns
        -------
        array (n_node)
            Lengths of the shortest paths.
        """
        out = np.empty(self.n_node)
        number = self.start[1] if node is None else self.node(node)
        _sonde.graph_distances(self._handle, number, out)
        return frozen(out)

    def efe(self, policies: Policies | None = None, *, belief: Belief | None = None,
            scope: str = "local", threads: int | None = None, memory: Memory = None,
            progress: Progress | None = None) -> Efe:
        """Scores policies; see Model.efe.

        Parameters
        ----------
        policies, belief, scope, threads, memory, progress : optional
            As in Model.efe.

        Returns
        -------
        Efe
            Their expected free energies.
        """
        return self.model.efe(policies, belief=belief, scope=scope, threads=threads,
                              memory=memory, progress=progress)

    def to_json(self) -> str:
        """Writes the world as a document.

        Returns
        -------
        str
            A sonde-graph document, which reads back to the same world.
        """
        return _sonde.graph_write(self._handle)

    def to_dict(self) -> Document:
        """Gives the document as a dict.

        Returns
        -------
        dict
            What Graph.from_dict takes.
        """
        return json.loads(self.to_json())

    def save(self, path: Path) -> None:
        """Writes the document to a file.

        Parameters
        ----------
        path : path
            The file.
        """
        _sonde.write(path, self.to_json())

    def report(self) -> Document:
        """Describes the world: distances, policies, and the world itself.

        Returns
        -------
        dict
            What `sonde graph --json` says.
        """
        return json.loads(_sonde.graph_report(self._handle, self.distances(),
                                              self.model._policies, None))

    def svg(self, path: npt.ArrayLike | None = None) -> str:
        """Draws the world.

        Parameters
        ----------
        path : array of int, optional
            Nodes that an agent walked through.

        Returns
        -------
        str
            The picture.
        """
        nodes = None if path is None else integers(path, "path")
        return _sonde.graph_svg(self._handle, nodes)

    def _repr_svg_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        a, b = self.start
        return (f"<sonde.Graph: {self.n_node} nodes, {self.n_edge} edges; from {a}→{b} to "
                f"{self.destination}; horizon {self.horizon}, lambda {self.lambda_:g}>")

    def __reduce__(self) -> tuple[Callable[[Document], Graph], tuple[dict[str, Any]]]:
        return Graph.from_dict, (self.to_dict(),)
