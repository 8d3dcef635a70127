"""Models: of graph worlds, or general ones with factors and modalities; and G of their policies."""
from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _sonde
from ._arrays import doubles, frozen, integers, is_single, objects, run_of, several, view
from ._graph import Graph
from ._sonde import BadInput
from ._types import (Action, Array, Belief, Counts, Described, Document, Edge, Floats, Ints, Memory,
                     Node, Objects, Outcomes, Path, Policies, Progress, Seen, SparseMatrix, Tensors,
                     Vectors)

if TYPE_CHECKING:
    from ._sonde import ModelFields, PoliciesFields, TableFields

#: the most policies that are listed one by one without being asked for
LISTED_MOST = 1_000_000

#: what stands for an outcome that was not seen, and for one that weights tell of
MISSING, SOFT = -1, -2


# --------------------------------------------------------------------------------- handing over --

#: an array as the extension takes it: doubles, or (shape, indices, entries) if it is sparse
Given = Floats | tuple[Array, Array, Floats]


def _array(value: object, what: str) -> Given:
    """An array as the extension takes it: doubles, or (shape, indices, entries) if it is sparse."""
    if isinstance(value, dict):
        if set(value) != {"shape", "entries"}:
            raise BadInput(f"{what}: a sparse array has the keys shape and entries, found "
                           f"{sorted(value)}")
        shape = integers(value["shape"], f"{what}.shape").astype(np.int64)
        entries = doubles(value["entries"], f"{what}.entries").reshape(-1, len(shape) + 1)
        index = integers(entries[:, :-1], f"{what}.entries").astype(np.int64)
        return shape, index, np.ascontiguousarray(entries[:, -1])
    if hasattr(value, "tocoo"):
        return _coordinates(value, what)
    return doubles(value, what)


def _coordinates(matrix: SparseMatrix, what: str) -> Given:
    """One of SciPy's sparse matrices."""
    found = matrix.tocoo()
    index = np.stack([found.row, found.col], axis=1).astype(np.int64)
    return np.array(found.shape, np.int64), index, doubles(found.data, what)


def _shape(array: Given) -> tuple[int, ...]:
    return tuple(int(n) for n in array[0]) if isinstance(array, tuple) else array.shape


def _by_name(value: object, names: list[str | None], what: str) -> list[Any]:
    """Arrays in the order of their factors or modalities, whether listed or under their names."""
    if isinstance(value, dict) and "entries" not in value:
        unknown = [key for key in value if key not in names]
        missing = [name for name in names if name not in value]
        if unknown or missing:
            raise BadInput(f"{what}: expected the names {names}, found {list(value)}")
        return [value[name] for name in names]
    return several(value)


def _entries(value: object, n: int, names: list[str] | None, what: str) -> object:
    """Numbers of named states or outcomes: a name for a certain one, or {name: number}."""
    if isinstance(value, str):
        value = {value: 1.0}
    if not isinstance(value, dict) or "entries" in value:
        return value
    made = np.zeros(n)
    for key, number in value.items():
        if names is None or key not in names:
            raise BadInput(f"{what}: there is no {key!r} among {names}")
        made[names.index(key)] = number
    return made


def _described(given: Described | None, words: tuple[str, ...],
               what: str) -> list[Mapping[str, Any]]:
    """What is said of the factors or modalities: a list of dicts, or a dict of them by name."""
    if given is None:
        return []
    if isinstance(given, Mapping):
        given = [{"name": name} | (value if isinstance(value, dict) else {words[0]: value})
                 for name, value in given.items()]
    for i, one in enumerate(given):
        unknown = set(one) - {"name", *words}
        if unknown:
            raise BadInput(f"{what}[{i}]: unknown key {sorted(unknown)[0]!r}; expected "
                           f"{', '.join(('name', *words))}")
    return list(given)


def _counted(value: int | Sequence[object] | None, n: int) -> tuple[int, list[str] | None]:
    """A number of states, or their names, against what the arrays say."""
    if value is None:
        return n, None
    if isinstance(value, (int, np.integer)):
        return int(value), None
    names = [str(name) for name in value]
    return len(names), names


def _numbers(value: Node | Sequence[Node] | None, names: list[str | None],
             what: str) -> Ints | None:
    """Factors by name or number, as an array; None stays."""
    if value is None:
        return None
    found: list[int] = []
    for one in ([value] if isinstance(value, (str, int)) else value):
        if isinstance(one, str):
            if one not in names:
                raise BadInput(f"{what}: there is no factor {one!r} among {names}")
            one = names.index(one)
        found.append(one)
    return integers(found, what)


def _policies(value: object, horizon: int, n_factor: int) -> Ints:
    """Listed policies as an array (n, horizon, n_factor)."""
    array = integers(np.stack([np.asarray(policy) for policy in value])
                     if isinstance(value, (list, tuple)) and len(value) else value, "policies")
    if array.ndim == 2 and n_factor == 1:
        array = array[:, :, None]
    if array.ndim != 3 or array.shape[1:] != (horizon, n_factor) or len(array) == 0:
        raise BadInput(f"policies: expected an array (policies, {horizon} steps, {n_factor} "
                       f"factors), found {array.shape}")
    return np.ascontiguousarray(array)


class _Sizes(NamedTuple):
    """What is known of a factor before its arrays are taken."""

    n_state: int
    n_action: int
    states: list[str] | None
    actions: list[str] | None


def _factor_sizes(f: int, B: Given, about: Mapping[str, Any]) -> _Sizes:
    shape = _shape(B)
    if len(shape) < 3:
        raise BadInput(f"B[{f}]: expected axes (next, previous, action), found "
                       f"{len(shape)} axes")
    n_state, states = _counted(about.get("states"), shape[0])
    n_action, actions = _counted(about.get("actions"), shape[-1])
    return _Sizes(n_state, n_action, states, actions)


def _one_each(what: str, found: Sequence[object], n: int) -> None:
    if len(found) != n:
        raise BadInput(f"{what}: expected {n} arrays, found {len(found)}")


class Model:
    """What an agent knows: likelihoods A, transitions B, preferences C, initial beliefs D.

    The arrays have pymdp's axes, and the arguments are the keys of the model file. Each of A, B, C
    and D is a list of arrays, pymdp's array of objects, one array where there is one factor or
    modality, or a dict by name. Any array may be sparse: {"shape": [...], "entries": [[i, j, k,
    value], ...]} or one of SciPy's. Columns of A, B and D must sum to 1 within 1e-6 and are divided
    by their sum. The model keeps its own copy, the only one where arrays are C-contiguous doubles.

    Other ways in: Model.from_file (.json, .json.gz, .npz), Model.from_dict, Graph(...).model,
    sonde.from_pymdp, sonde.from_spm.

    A belief, wherever one is taken, is a list of arrays (states), one for each factor, or one array
    with all of them side by side; in a graph world it may be an edge (previous, current).

    Parameters
    ----------
    A : arrays
        Per modality (outcomes, states of factor 1, states of factor 2, ...).
    B : arrays
        Per factor (next states, previous states, actions); with depends, one axis of previous
        states for each factor it depends on.
    C : arrays, optional
        Per modality (outcomes) or (horizon, outcomes); no preferences unless given.
    D : arrays, optional
        Per factor (states); even unless given.
    horizon : int
        Steps in a policy.
    factors : list of dict, or dict, optional
        [{"name": "place", "states": ["c", "l"], "actions": 2, "depends": ["place"]}, ...] or
        {"place": ["c", "l"], ...}; needed for names and dependencies only.
    modalities : list of dict, or dict, optional
        [{"name": "sight", "outcomes": 3, "factors": ["place"]}, ...] or {"sight": 3, ...}.
    preferences : str
        "log": C becomes softmax(C); "probability": C / sum(C); "utility": C as it is.
    information : str
        "per-modality" (pymdp 1.0) or "joint".
    cost : arrays, optional
        Per modality (outcomes), times lambda_.
    lambda_ : float, optional
        What a unit of cost is worth, in nats; "lambda" in a dict means the same.
    gamma : float, optional
        Precision of the posterior over policies.
    policies : str or array (policies, horizon, factors)
        "all", "allowed", or a list.
    allowed : arrays, optional
        Per factor, rows (state, action).
    E : array (policies), optional
        Prior of listed policies.
    name : str, optional
        Of the model.
    threads : int, optional
        How many; None: one for each core. Changes no number.
    memory : int or str, optional
        The most to ask for at once: bytes, or a text such as "500M".
    """

    graph: Graph | None
    _handle: _sonde.Handle

    def __init__(self, A: Tensors, B: Tensors, C: Vectors | None = None, D: Vectors | None = None,
                 *, horizon: int = 1, factors: Described | None = None,
                 modalities: Described | None = None, preferences: str = "log",
                 information: str = "per-modality", cost: Vectors | None = None,
                 lambda_: float | None = None, gamma: float | None = None,
                 policies: str | Policies = "all", allowed: Tensors | None = None,
                 E: npt.ArrayLike | None = None, name: str | None = None,
                 threads: int | None = None, memory: Memory = None, **more: Any):
        if "lambda" in more and lambda_ is None:
            lambda_ = more.pop("lambda")
        if more:
            raise TypeError(f"Model has no argument {next(iter(more))!r}")
        about_factors = _described(factors, ("states", "actions", "depends"), "factors")
        about_modalities = _described(modalities, ("outcomes", "factors"), "modalities")
        factor_names = [one.get("name") for one in about_factors]
        modality_names = [one.get("name") for one in about_modalities]
        Bs = [_array(b, f"B[{f}]") for f, b in enumerate(_by_name(B, factor_names, "B"))]
        As = [_array(a, f"A[{m}]") for m, a in enumerate(_by_name(A, modality_names, "A"))]
        about_factors = about_factors or [{}] * len(Bs)
        about_modalities = about_modalities or [{}] * len(As)
        _one_each("B", Bs, len(about_factors))
        _one_each("A", As, len(about_modalities))
        factor_parts = self._factor_parts(Bs, D, allowed, about_factors, factor_names)
        modality_parts = self._modality_parts(As, C, cost, about_modalities, modality_names,
                                              factor_names)
        settings = {"preferences": preferences, "information": information, "lambda": lambda_,
                    "gamma": gamma, "horizon": horizon, "name": name}
        listed = None
        if isinstance(policies, str):
            settings["policies"] = policies
        else:
            listed = _policies(policies, horizon, len(Bs))
        self.graph = None
        self._handle = _sonde.model_new(
            factor_parts, modality_parts, settings, listed,
            None if E is None else doubles(E, "E").reshape(-1), name or "model",
            run_of(threads, memory, None))

    @staticmethod
    def _factor_parts(B: list[Given], D: Vectors | None, allowed: Tensors | None,
                      about: list[Mapping[str, Any]],
                      names: list[str | None]) -> list[tuple[Any, ...]]:
        """The factors as the extension takes them."""
        sizes = [_factor_sizes(f, b, about[f]) for f, b in enumerate(B)]
        Ds = ([np.full(n.n_state, 1.0 / n.n_state) for n in sizes] if D is None
              else _by_name(D, names, "D"))
        rows = [None] * len(B) if allowed is None else _by_name(allowed, names, "allowed")
        _one_each("D", Ds, len(B))
        _one_each("allowed", rows, len(B))
        return [
            (one.get("name"), *n,
             _numbers(one.get("depends"), names, f"factors[{f}].depends"), b,
             _array(_entries(d, n.n_state, n.states, f"D[{f}]"), f"D[{f}]"),
             None if row is None else integers(row, f"allowed[{f}]").reshape(-1, 2))
            for f, (one, n, b, d, row) in enumerate(zip(about, sizes, B, Ds, rows))]

    @staticmethod
    def _modality_parts(A: list[Given], C: Vectors | None, cost: Vectors | None,
                        about: list[Mapping[str, Any]], names: list[str | None],
                        factor_names: list[str | None]) -> list[tuple[Any, ...]]:
        """The modalities as the extension takes them."""
        outcomes = [_counted(one.get("outcomes"), _shape(a)[0] if _shape(a) else 0)
                    for one, a in zip(about, A)]
        Cs = [np.zeros(n) for n, _ in outcomes] if C is None else _by_name(C, names, "C")
        costs = [None] * len(A) if cost is None else _by_name(cost, names, "cost")
        _one_each("C", Cs, len(A))
        _one_each("cost", costs, len(A))
        return [
            (one.get("name"), n, named,
             _numbers(one.get("factors"), factor_names, f"modalities[{m}].factors"), a,
             _array(_entries(c, n, named, f"C[{m}]"), f"C[{m}]"),
             None if price is None else _array(_entries(price, n, named, f"cost[{m}]"),
                                               f"cost[{m}]"))
            for m, (one, (n, named), a, c, price)
            in enumerate(zip(about, outcomes, A, Cs, costs))]

    @classmethod
    def _of(cls, handle: _sonde.Handle, graph: Graph | None = None) -> Model:
        model = object.__new__(cls)
        model._handle = handle
        model.graph = graph
        return model

    @classmethod
    def from_file(cls, path: Path, *, horizon: int | None = None, lambda_: float | None = None,
                  gamma: float | None = None, preferences: str | None = None,
                  information: str | None = None, start: Edge | None = None,
                  destination: Node | None = None, idle: float | None = None, seed: int = 1,
                  threads: int | None = None, memory: Memory = None) -> Model:
        """Reads whatever a file has: a sonde-model or sonde-graph document (plain or
        gzip-compressed), or an .npz with pymdp's arrays.

        Parameters
        ----------
        path : path
            The file.
        horizon, lambda_, gamma, preferences, information : optional
            As in Model; what is given overrides the file.
        start, destination, idle : optional
            As in Graph, for a graph world.
        seed : int
            Of start and destination, where they are drawn.
        threads, memory : optional
            As in Model.

        Returns
        -------
        Model
            The model, whose `graph` is set if the file has a graph world.
        """
        if start is not None and not isinstance(start, str):
            start = ",".join(str(node) for node in start)
        shared: Document = {"horizon": horizon, "lambda": lambda_}
        graph, model = _sonde.input_read(
            path, shared | {"start": start, "idle": idle,
                            "destination": None if destination is None else str(destination)},
            shared | {"gamma": gamma, "preferences": preferences, "information": information},
            seed, run_of(threads, memory, None))
        return cls._of(model, None if graph is None else Graph._of(graph))

    @classmethod
    def from_dict(cls, document: Document, **more: Any) -> Model:
        """Makes a model of a dict with the keys of the model file, whose arrays may be NumPy's.

        Parameters
        ----------
        document : dict
            The document.
        **more
            Other arguments of Model.

        Returns
        -------
        Model
            The model.
        """
        return cls(**{key: value for key, value in document.items()
                      if key not in ("format", "version")}, **more)

    @classmethod
    def from_bytes(cls, data: bytes | str, *, origin: str = "bytes", **settings: Any) -> Model:
        """Reads a sonde-model document or an .npz file that is in memory already.

        Parameters
        ----------
        data : bytes or str
            The document.
        origin : str
            What errors call it.
        **settings
            horizon, lambda_, gamma, preferences and information, which override the document.

        Returns
        -------
        Model
            The model.
        """
        if "lambda_" in settings:
            settings["lambda"] = settings.pop("lambda_")
        return cls._of(_sonde.model_parse(data, origin, settings, None))

    # ------------------------------------------------------------------------------- attributes --

    @cached_property
    def _fields(self) -> ModelFields:
        return _sonde.model_fields(self._handle)

    @cached_property
    def _policies(self) -> _sonde.Handle:
        return _sonde.policies_count(self._handle, None)

    @cached_property
    def _space(self) -> PoliciesFields:
        return _sonde.policies_fields(self._policies)

    @property
    def horizon(self) -> int:
        """Steps in a policy."""
        return self._fields["horizon"]

    @property
    def gamma(self) -> float:
        """Precision of the posterior over policies."""
        return self._fields["gamma"]

    @property
    def n_action(self) -> int:
        """Actions: tuples of the factors' own, or pairs of edges."""
        return self._fields["n_action"]

    @property
    def n_belief(self) -> int:
        """Numbers in a belief."""
        return self._fields["n_belief"]

    @property
    def n_modality(self) -> int:
        """How many modalities there are."""
        return self._fields["n_modality"]

    @property
    def n_factor(self) -> int:
        """How many factors there are."""
        return self._fields.get("n_factor", 1)

    @property
    def name(self) -> str | None:
        """The name of the model, or None."""
        return self._fields.get("name")

    @property
    def preferences(self) -> str:
        """What C means: "log", "probability" or "utility"."""
        return self._fields.get("preferences", "probability")

    @property
    def information(self) -> str:
        """How information is counted: "per-modality" or "joint"."""
        return self._fields.get("information", "per-modality")

    @property
    def lambda_(self) -> float:
        """What a unit of cost is worth, in nats."""
        return self.graph.lambda_ if self.graph else self._fields["lambda"]

    @property
    def coupled(self) -> bool:
        """Whether some transition depends on another factor."""
        return self._fields.get("coupled", False)

    @property
    def bytes(self) -> int | None:
        """What the arrays take; None in a graph world."""
        return self._fields.get("bytes")

    @property
    def n_policy(self) -> int | float:
        """How many policies there are from the initial belief; a float past 2**64."""
        return self._size(self._space["initial"])

    def _size(self, origin: int) -> int | float:
        n, real = _sonde.policies_size(self._policies, origin)
        return n if n < 2**64 - 1 else real

    @cached_property
    def num_states(self) -> list[int]:
        """States of each factor."""
        if self.graph:
            return [self.n_belief]
        return [f["n_state"] for f in self._fields["factors"]]

    @cached_property
    def num_controls(self) -> list[int]:
        """Actions of each factor."""
        if self.graph:
            return [self.n_action]
        return [f["n_action"] for f in self._fields["factors"]]

    @cached_property
    def num_obs(self) -> list[int]:
        """Outcomes of each modality."""
        return ([m["n_outcome"] for m in self._fields["modalities"]] if not self.graph
                else [self.n_belief])

    @property
    def factors(self) -> list[Document]:
        """Names, numbers and dependencies of the factors."""
        self._general("factors")
        return [{"name": f["name"], "states": f["states"] or f["n_state"],
                 "actions": f["actions"] or f["n_action"], "depends": view(f["depends"]).tolist()}
                for f in self._fields["factors"]]

    @property
    def modalities(self) -> list[Document]:
        """Names, numbers and factors of the modalities."""
        self._general("modalities")
        return [{"name": m["name"], "outcomes": m["outcomes"] or m["n_outcome"],
                 "factors": view(m["factors"]).tolist()} for m in self._fields["modalities"]]

    def _general(self, what: str) -> None:
        if self.graph:
            raise AttributeError(f"{what} belongs to general models, and this is a graph world")

    @cached_property
    def A(self) -> list[Floats]:
        """Likelihoods, (outcomes, states of each factor ...); views where they are stored dense."""
        self._general("A")
        made = []
        for m in self._fields["modalities"]:
            states = [self.num_states[f] for f in view(m["factors"])]
            dense = view(m["A"])
            if dense is None:
                dense = np.zeros((len(view(m["offset"])) - 1, m["n_outcome"]))
                rows = np.repeat(np.arange(len(dense)), np.diff(view(m["offset"])))
                dense[rows, view(m["outcome"])] = view(m["p"])
                frozen(dense)
            made.append(np.moveaxis(dense.reshape(*states, m["n_outcome"]), -1, 0))
        return made

    @cached_property
    def B(self) -> list[Floats]:
        """Transitions, (next, previous ..., action); views where they are stored dense."""
        self._general("B")
        made = []
        for f in self._fields["factors"]:
            states = [self.num_states[other] for other in view(f["depends"])]
            dense = view(f["B"])
            if dense is None:
                n_column = len(view(f["offset"])) - 1
                dense = np.zeros((n_column, f["n_state"]))
                rows = np.repeat(np.arange(n_column), np.diff(view(f["offset"])))
                dense[rows, view(f["next"])] = view(f["p"])
                dense = dense.reshape(-1, f["n_action"], f["n_state"]).swapaxes(1, 2)
            shaped = dense.reshape(*states, f["n_state"], f["n_action"])
            shaped.flags.writeable = False
            made.append(np.moveaxis(shaped, -2, 0))
        return made

    @cached_property
    def C(self) -> list[Floats]:
        """Preferences as they were given, (outcomes) or (horizon, outcomes)."""
        self._general("C")
        found = [view(m["C"]) for m in self._fields["modalities"]]
        return [c[0] if self._fields["n_step_C"] == 1 else c for c in found]

    @cached_property
    def D(self) -> list[Floats]:
        """Initial beliefs, (states) of each factor."""
        if self.graph:
            return [self.initial()]
        return [view(f["D"]) for f in self._fields["factors"]]

    @cached_property
    def cost(self) -> list[Floats]:
        """Costs without lambda, (outcomes) of each modality."""
        if self.graph:
            return [view(self._fields["cost"])]
        return [view(m["cost"]) for m in self._fields["modalities"]]

    @property
    def E(self) -> Floats | None:
        """Prior of listed policies, or None."""
        return view(self._fields.get("E"))

    # ---------------------------------------------------------------------------------- beliefs --

    def _flat(self, value: Belief) -> Floats:
        """A belief side by side, which the extension checks; the quick way for what is usual."""
        if isinstance(value, np.ndarray) and value.ndim == 1:
            if value.dtype == np.float64 and len(value) == self.n_belief:
                return value if value.flags.c_contiguous else value.copy()
            if value.dtype == object and list(map(len, value)) == self.num_states:
                parts = list(value)
                if all(getattr(part, "dtype", None) == np.float64 for part in parts):
                    return np.concatenate(parts)
        return self.belief(value)

    def belief(self, value: Belief | None = None) -> Floats:
        """Brings a belief into the form in which the library has it: factors side by side.

        Raises BadInput for anything that is not one distribution for each factor.

        Parameters
        ----------
        value : array or list of arrays, optional
            Whatever this class's documentation says a belief may be; the initial one unless given.

        Returns
        -------
        array (n_belief)
            The belief.
        """
        if value is None:
            return self.initial()
        if self.graph and not isinstance(value, np.ndarray) and np.asarray(value).size == 2:
            made = np.zeros(self.n_belief)
            previous, current = np.asarray(value).tolist()
            made[self.graph.edge(previous, current)] = 1.0
            return made
        sizes = self.num_states
        listed = list(value) if isinstance(value, (list, tuple)) or (
            isinstance(value, np.ndarray) and value.dtype == object) else []
        if listed and not is_single(listed[0]):
            parts = [doubles(part, f"belief[{f}]").reshape(-1) for f, part in enumerate(listed)]
        else:
            flat = doubles(value, "belief").reshape(-1)
            if len(flat) != self.n_belief:
                raise BadInput(f"belief: expected {self.n_belief} numbers, found {len(flat)}")
            parts = np.split(flat, np.cumsum(sizes)[:-1])
        if [len(part) for part in parts] != sizes:
            raise BadInput(f"belief: expected {sizes} numbers, found "
                           f"{[len(part) for part in parts]}")
        for f, part in enumerate(parts):
            total = part.sum()
            if not (part >= 0).all() or not abs(total - 1.0) <= 1e-6:
                raise BadInput(f"belief[{f}]: expected probabilities that sum to 1, found a sum "
                               f"of {total:.9g}")
        return np.concatenate([part / part.sum() for part in parts])

    def split(self, belief: Floats) -> list[Floats]:
        """Takes a belief apart.

        Parameters
        ----------
        belief : array (n_belief)
            Factors side by side.

        Returns
        -------
        list of arrays
            The factors' parts, (states) each, as views.
        """
        ends = np.cumsum(self.num_states).tolist()
        return [belief[end - n:end] for end, n in zip(ends, self.num_states)]

    def initial(self) -> Floats:
        """Gives the initial belief.

        Returns
        -------
        array (n_belief)
            D, factors side by side.
        """
        out = np.empty(self.n_belief)
        _sonde.belief_initial(self._handle, out)
        return out

    def predict(self, belief: Belief, action: Action) -> Floats:
        """Works out what is believed after an action: B belief, factor by factor.

        Parameters
        ----------
        belief : array or list of arrays
            What is believed before.
        action : int or list of int
            The number of an action, or the actions of the factors.

        Returns
        -------
        array (n_belief)
            What is believed after.
        """
        out = np.empty(self.n_belief)
        _sonde.belief_predict(self._handle, self.action_number(action), self.belief(belief), out)
        return out

    def observe(self, belief: Belief, outcomes: Outcomes, inference: str | None = None) -> Floats:
        """Works out what is believed after an outcome of each modality.

        Parameters
        ----------
        belief : array or list of arrays
            The prior.
        outcomes : int, str or list of them
            An outcome of each modality; see `outcomes`.
        inference : str, optional
            "exact", "pymdp" or "pymdp-legacy"; as plan has it unless given.

        Returns
        -------
        array (n_belief)
            What is believed after.
        """
        out = np.empty(self.n_belief)
        _sonde.belief_observe(self._handle, self._seen(outcomes), self.belief(belief), out,
                              inference)
        return out

    def outcomes(self, value: Outcomes) -> Ints:
        """Brings outcomes into the form in which the library has them.

        Parameters
        ----------
        value : int, str or list of them
            An outcome of each modality, by number or name; None where nothing was seen; a list of
            weights, one for each outcome, where it is uncertain what was: from 0 on, how well
            each agrees with it. In a graph world the edge, by number or as (previous, current).

        Returns
        -------
        array (n_modality)
            Numbers of outcomes; -1 of what was not seen, -2 of what has weights.
        """
        return self._seen(value)[0]

    def _seen(self, value: Outcomes) -> Seen:
        """Numbers of outcomes, and weights of all of them, side by side, where some have any."""
        if self.graph:
            return self._edge_seen(value)
        listed: list[Any]
        if value is None:
            listed = [None] * self.n_modality
        else:
            listed = [value] if is_single(value) else list(value)  # type: ignore
        if len(listed) != self.n_modality:
            raise BadInput(f"outcomes: expected one for each modality ({self.n_modality}), found "
                           f"{len(listed)}")
        made = np.empty(self.n_modality, np.int32)
        weights = [np.zeros(n) for n in self.num_obs]
        for m, one in enumerate(listed):
            if one is None:
                made[m] = MISSING
            elif is_single(one) or np.size(one) == 1:
                made[m] = self._outcome(m, one)
            else:
                made[m] = SOFT
                weights[m] = self._weights(m, one)
        return made, np.concatenate(weights) if (made == SOFT).any() else None

    def _edge_seen(self, value: Any) -> Seen:
        """The same in a graph world."""
        assert self.graph is not None
        if value is None:
            return np.array([MISSING], np.int32), None
        given = np.asarray(value)
        edge = self.graph.edge(*given.tolist()) if given.size == 2 else int(given.item())
        if not 0 <= edge < self.n_belief:
            raise BadInput(f"modality 0: expected an outcome from 0 to {self.n_belief - 1}, found "
                           f"{edge}")
        return np.array([edge], np.int32), None

    def _weights(self, m: int, value: Any) -> Floats:
        """One for each outcome of a modality; the library checks what they are."""
        made = doubles(value, f"outcomes[{m}]").reshape(-1)
        if len(made) != self.num_obs[m]:
            raise BadInput(f"outcomes[{m}]: expected {self.num_obs[m]} weights, one for each "
                           f"outcome, found {len(made)}")
        return made

    def _outcome(self, m: int, outcome: Any) -> int:
        """The number of an outcome of a modality, of which it may be the name."""
        if isinstance(outcome, str):
            names = self._fields["modalities"][m]["outcomes"]
            if names is None or outcome not in names:
                raise BadInput(f"modality {m}: there is no outcome {outcome!r} among {names}")
            return names.index(outcome)
        number = int(integers(outcome, "outcomes").reshape(-1)[0])
        if not 0 <= number < self.num_obs[m]:
            raise BadInput(f"modality {m}: expected an outcome from 0 to {self.num_obs[m] - 1}, "
                           f"found {number}")
        return number

    # ---------------------------------------------------------------------------------- actions --

    def action_number(self, action: Action) -> int:
        """Finds the number of an action; BadInput if there is none such.

        Parameters
        ----------
        action : list of int
            The action of each factor, or two edges of a graph world. A number stays.

        Returns
        -------
        int
            Its number.
        """
        given = np.asarray(action)
        if given.ndim == 0:
            return int(given)
        number = _sonde.model_from_tuple(self._handle, integers(given, "action").reshape(-1))
        if number < 0:
            raise BadInput(f"there is no action {tuple(given.tolist())}")
        return number

    def action_tuple(self, number: int) -> tuple[int, ...]:
        """Takes the number of an action apart.

        Parameters
        ----------
        number : int
            Of the action.

        Returns
        -------
        tuple of int
            The actions of the factors, or the two edges.
        """
        return _sonde.model_tuple(self._handle, number)

    def next_state(self, state: int, action: int) -> int:
        """Follows an action in a graph world.

        Parameters
        ----------
        state : int
            An edge.
        action : int
            The number of an action.

        Returns
        -------
        int
            The edge that it leads to.
        """
        return _sonde.model_next(self._handle, state, action)

    def table(self, which: str, number: int = 0) -> TableFields:
        """Says what there is to say of an array.

        Parameters
        ----------
        which : str
            "A" or "B".
        number : int
            Of the modality or factor.

        Returns
        -------
        dict
            Storage, zeros, entropies.
        """
        return _sonde.model_about(self._handle, which, number)

    # --------------------------------------------------------------------------------- policies --

    def _now(self, belief: Belief | None) -> tuple[int, Floats, int]:
        """(edge or -1, belief, origin): from where policies are carried out."""
        settled = self.belief(belief)
        origin = _sonde.policies_origin(self._policies, settled)
        return (origin if self.graph else -1), settled, origin

    def _walks(self, origin: int, index: Counts) -> Ints:
        walks = np.empty((len(index), self.horizon + 1), np.int32)
        _sonde.policies_get(self._policies, origin, index, walks)
        return walks

    def _shown(self, walks: Ints) -> Ints:
        """Policies as people write them: nodes (n, T + 2), or actions (n, T, n_factor)."""
        if self.graph:
            nodes = np.empty((len(walks), self.horizon + 2), np.int32)
            nodes[:, 0] = self.graph.tail[walks[:, 0]]
            nodes[:, 1:] = self.graph.head[walks]
            return nodes
        return np.stack(np.unravel_index(walks[:, 1:], self.num_controls), axis=-1).astype(np.int32)

    def _taken(self, policies: object) -> Ints:
        """Walks (n, T + 1) from policies as people write them."""
        if self.graph:
            nodes = integers(policies, "policies")
            if nodes.ndim != 2 or nodes.shape[1] != self.horizon + 2:
                raise BadInput(f"policies: expected lists of {self.horizon + 2} nodes (previous, "
                               f"current, then one per step), found {nodes.shape}")
            try:
                return np.array([[self.graph.edge(a, b) for a, b in zip(row, row[1:])]
                                 for row in nodes], np.int32).reshape(len(nodes), -1)
            except KeyError as error:
                raise BadInput(f"policies: {error.args[0]}") from None
        actions = _policies(policies, self.horizon, self.n_factor)
        for f, n in enumerate(self.num_controls):
            if actions[..., f].min() < 0 or actions[..., f].max() >= n:
                raise BadInput(f"policies: expected actions of factor {f} from 0 to {n - 1}")
        walks = np.zeros((len(actions), self.horizon + 1), np.int32)
        walks[:, 1:] = np.ravel_multi_index(tuple(np.moveaxis(actions, -1, 0)), self.num_controls)
        return walks

    def policies(self, first: int = 0, n: int | None = None,
                 belief: Belief | None = None) -> Ints:
        """Lists policies, in their order.

        Parameters
        ----------
        first : int
            The place in the order of the first.
        n : int, optional
            How many; all, of up to a million, unless given.
        belief : array or list of arrays, optional
            From where they are carried out; the initial belief unless given.

        Returns
        -------
        array (n, T, n_factor)
            Actions; in a graph world (n, T + 2), nodes.
        """
        origin = self._now(belief)[2]
        if n is None:
            size = self._size(origin) - first
            if size > LISTED_MOST:
                raise _sonde.TooLarge(f"policies: there are {size:,.0f}; say how many to list with "
                                      f"n=")
            n = int(size)
        index = np.arange(first, first + n, dtype=np.uint64)
        return frozen(self._shown(self._walks(origin, index)))

    def action_numbers(self, policies: Policies) -> Ints:
        """Gives the numbers of the actions that policies take; see action_tuple.

        Parameters
        ----------
        policies : array
            As `policies` lists them.

        Returns
        -------
        array (n, T)
            Numbers of actions.
        """
        walks = self._taken(policies)
        out = np.empty((len(walks), self.horizon), np.int32)
        _sonde.policies_actions(self._policies, walks, out)
        return out

    def policy_index(self, policy: npt.ArrayLike, belief: Belief | None = None) -> int | None:
        """Finds a policy.

        Parameters
        ----------
        policy : array
            As `policies` lists them.
        belief : array or list of arrays, optional
            From where it is carried out; the initial belief unless given.

        Returns
        -------
        int or None
            Its place in the order.
        """
        return _sonde.policies_find(self._policies, self._now(belief)[2], self._taken([policy])[0])

    def edit_distance(self, policy: npt.ArrayLike, other: npt.ArrayLike) -> int:
        """Compares two policies.

        Parameters
        ----------
        policy, other : array
            As `policies` lists them.

        Returns
        -------
        int
            Nodes and edges (or actions) that occur in one and not in the other.
        """
        i, j = self._taken([policy, other])
        return _sonde.policies_edit_distance(self._policies, i, j)

    def read_policies(self, path: Path) -> Ints:
        """Reads a JSON list of policies, as `sonde efe --policies FILE` does.

        Parameters
        ----------
        path : path
            The file.

        Returns
        -------
        array
            As `policies` lists them.
        """
        return frozen(self._shown(view(_sonde.walks_read(path, self._handle)["walks"])))

    def efe(self, policies: Policies | None = None, *, belief: Belief | None = None,
            scope: str = "local", threads: int | None = None, memory: Memory = None,
            progress: Progress | None = None) -> Efe:
        """Scores policies: their expected free energy.

        Parameters
        ----------
        policies : array, optional
            As `policies` lists them; all of them unless given.
        belief : array or list of arrays, optional
            From where they are carried out; the initial belief unless given.
        scope : str
            Of all policies of a graph world: "local" (from where the agent is) or "global".
        threads : int, optional
            How many; None: one for each core. Changes no number.
        memory : int or str, optional
            The most to ask for at once: bytes, or a text such as "500M".
        progress : callable, optional
            A function f(stage, done, total) that is called now and then.

        Returns
        -------
        Efe
            Their expected free energies.
        """
        state, settled, origin = self._now(belief)
        if scope not in ("local", "global") or (scope == "global" and not self.graph):
            raise BadInput(f"scope: expected local, or global in a graph world, found {scope!r}")
        origin = -1 if scope == "global" else origin
        run = run_of(threads, memory, progress)
        if policies is not None:
            return Efe(self, state, settled, origin, walks=self._taken(policies))
        n = self._size(origin)
        most = 2**32 if run is None or run[1] is None else run[1]
        if n * 8 > most:
            raise _sonde.TooLarge(
                f"efe: {n:,.0f} policies need {n * 8:.3g} bytes, {most:,} are allowed; choose a "
                f"shorter horizon, give policies, allow more memory, or plan with a search")
        out = np.empty(int(n))
        _sonde.efe_range(self._policies, state, settled, origin, 0, out, run)
        return Efe(self, state, settled, origin, efe=out)

    # --------------------------------------------------------------------------------- documents --

    def to_json(self) -> str:
        """Writes the model as a document.

        Returns
        -------
        str
            A sonde-model document, which reads back to the same model.
        """
        return _sonde.model_write(self._handle)

    def to_dict(self) -> Document:
        """Gives the document as a dict.

        Returns
        -------
        dict
            What Model.from_dict takes.
        """
        return json.loads(self.to_json())

    def save(self, path: Path) -> None:
        """Writes the document to a file.

        Parameters
        ----------
        path : path
            The file.
        """
        text = self.graph.to_json() if self.graph else self.to_json()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def report(self) -> Document:
        """Describes the model: sizes, tables, policies.

        Returns
        -------
        dict
            What `sonde model --json` says.
        """
        return json.loads(_sonde.model_report(self._handle, self._policies, None))

    def __reduce__(self) -> tuple[Callable[..., Model], tuple[Graph | str]]:
        if self.graph:
            return _model_of_graph, (self.graph,)
        return Model.from_bytes, (self.to_json(),)

    def __repr__(self) -> str:
        if self.graph:
            return f"<sonde.Model of {self.graph!r}>"
        name = f" {self.name}:" if self.name else ":"
        return (f"<sonde.Model{name} states {self.num_states}, actions {self.num_controls}, "
                f"outcomes "
                f"{self.num_obs}; horizon {self.horizon}, {self.n_policy:,.0f} policies>")

    def _repr_html_(self) -> str:
        from ._show import table

        if self.graph:
            return self.graph.svg()
        rows = [["factor", f["name"] or i, f["states"] if isinstance(f["states"], int)
                 else ", ".join(f["states"]), f["actions"] if isinstance(f["actions"], int)
                 else ", ".join(f["actions"])] for i, f in enumerate(self.factors)]
        rows += [["modality", m["name"] or i, m["outcomes"] if isinstance(m["outcomes"], int)
                  else ", ".join(m["outcomes"]), ""] for i, m in enumerate(self.modalities)]
        return table(repr(self)[1:-1], ["", "name", "states or outcomes", "actions"], rows)


def _model_of_graph(graph: Graph) -> Model:
    return graph.model


def as_model(world: object, seed: int | None = None) -> Model:
    """A model, from a model, a graph, or the path of a file, which the seed completes."""
    if isinstance(world, Model):
        return world
    if isinstance(world, Graph):
        return world.model
    if isinstance(world, (str, PathLike)):
        return Model.from_file(world, seed=1 if seed is None else seed)
    raise TypeError(f"expected a Model or a Graph, found {type(world).__name__}")


class Efe:
    """Expected free energies, in nats, smaller is better; efe = risk + ambiguity + cost.

        efe, risk, ambiguity, cost    (n)
        policies                      (n, T, n_factor) actions, or (n, T + 2) nodes in a graph world
        steps                         (n, T, 4) the four numbers at each step
        reached                       (n, T) edges reached, in a graph world

    All but efe are worked out when they are first looked at. Model.efe makes them.

    Parameters
    ----------
    model : Model
        Whose policies they are.
    state : int
        In a graph world the edge from which they are carried out; -1 otherwise.
    belief : array (n_belief)
        From where they are carried out.
    origin : int
        The origin in whose order they are.
    efe : array (n), optional
        G of all of them; or else
    walks : array (n, T + 1), optional
        Policies that are not all of them, as the library has them.
    """

    def __init__(self, model: Model, state: int, belief: Floats, origin: int, *,
                 efe: Floats | None = None, walks: Ints | None = None):
        self.model = model
        self.belief = belief
        self._state = state
        self._origin = origin
        self._efe = None if efe is None else frozen(efe)
        self._listed = walks
        self._n = len(walks) if walks is not None else 0 if efe is None else len(efe)

    def __len__(self) -> int:
        return self._n

    @cached_property
    def _index(self) -> Counts:
        return np.arange(self._n, dtype=np.uint64)

    @cached_property
    def _walks(self) -> Ints:
        return self._listed if self._listed is not None else self.model._walks(self._origin,
                                                                               self._index)

    @cached_property
    def _scores(self) -> Floats:
        out = np.empty((self._n, 1 + len(_sonde.TERMS)))
        _sonde.efe_walks(self.model._handle, self._state, self.belief, self._walks, out, None, None)
        return frozen(out)

    def _term(self, name: str) -> Floats:
        return self._scores[:, 1 + _sonde.TERMS.index(name)]

    @cached_property
    def steps(self) -> Floats:
        """(n, T, 4) efe, risk, ambiguity and cost of each step."""
        out = np.empty((self._n, 1 + len(_sonde.TERMS)))
        steps = np.empty((self._n, self.model.horizon, 1 + len(_sonde.TERMS)))
        _sonde.efe_walks(self.model._handle, self._state, self.belief, self._walks, out, steps,
                         None)
        return frozen(steps)

    @cached_property
    def reached(self) -> Ints:
        """(n, T) the edges reached, in a graph world."""
        if not self.model.graph:
            raise AttributeError("reached belongs to graph worlds, and this is a general model")
        out = np.empty((self._n, 1 + len(_sonde.TERMS)))
        reached = np.empty((self._n, self.model.horizon), np.int32)
        _sonde.efe_walks(self.model._handle, self._state, self.belief, self._walks, out, None,
                         reached)
        return frozen(reached)

    @property
    def efe(self) -> Floats:
        """(n) expected free energy G."""
        return self._scores[:, 0] if self._efe is None else self._efe

    @property
    def risk(self) -> Floats:
        """(n) KL of outcomes from preferences."""
        return self._term("risk")

    @property
    def ambiguity(self) -> Floats:
        """(n) expected entropy of outcomes."""
        return self._term("ambiguity")

    @property
    def cost(self) -> Floats:
        """(n) lambda times the expected cost."""
        return self._term("cost")

    @cached_property
    def policies(self) -> Ints:
        """(n, T, n_factor) actions, or (n, T + 2) nodes in a graph world."""
        return frozen(self.model._shown(self._walks))

    @property
    def best(self) -> int:
        """The policy with the smallest G."""
        return int(np.argmin(self.efe))

    def posterior(self, gamma: float | None = None) -> Floats:
        """Works out Q(policy), proportional to E(policy) exp(-gamma G).

        Parameters
        ----------
        gamma : float, optional
            The precision; the model's unless given.

        Returns
        -------
        array (n)
            Probabilities.
        """
        gamma = self.model.gamma if gamma is None else gamma
        with np.errstate(divide="ignore"):
            log_q = -gamma * self.efe
            if self.model.E is not None and self._listed is None:
                log_q = log_q + np.log(self.model.E)
        q = np.exp(log_q - log_q.max())
        return frozen(q / q.sum())

    def to_json(self) -> str:
        """Writes them as a document.

        Returns
        -------
        str
            What `sonde efe --json` says.
        """
        index = self._index if self._listed is None else None
        return _sonde.efe_report(self.model._policies, self._origin, self._state, self.belief,
                                 index, self._walks, self._scores, None, None)

    def to_dict(self) -> Document:
        """Gives the document as a dict.

        Returns
        -------
        dict
            What `sonde efe --json` says.
        """
        return json.loads(self.to_json())

    def __repr__(self) -> str:
        return (f"<sonde.Efe: {self._n:,} policies, G from {self.efe.min():.6g} to "
                f"{self.efe.max():.6g}; the best is number {self.best}>")

    def _repr_html_(self) -> str:
        from ._show import table

        best = np.argsort(self.efe, kind="stable")[:10]
        chosen = Efe(self.model, self._state, self.belief, self._origin, walks=self._walks[best])
        rows = [[int(i), *(f"{x:.4f}" for x in scores), policy.tolist()]
                for i, scores, policy in zip(best, chosen._scores, chosen.policies)]
        head = ["policy", "G", *_sonde.TERMS, "actions"]
        return table(repr(self)[1:-1], head, rows)


def object_beliefs(model: Model, belief: Floats) -> Objects:
    """A belief as pymdp has it: an array of objects, one for each factor."""
    return objects(part.copy() for part in model.split(belief))
