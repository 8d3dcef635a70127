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
from ._arrays import (columns, doubles, frozen, integers, is_single, objects, run_of, several,
                      stacked, view, whole)
from ._graph import Graph
from ._kinds import OfFactors, OfGraph
from ._sonde import BadInput
from ._types import (Action, Array, Belief, Counts, Described, Document, Edge, Floats, Ints, Memory,
                     Node, Objects, Outcomes, Path, Policies, Progress, Seen, SparseMatrix, Tensors,
                     Vectors)

if TYPE_CHECKING:
    from ._sonde import ModelFields, PoliciesFields, TableFields

#: the most policies that are listed one by one without being asked for
LISTED_MOST = 1_000_000


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


def _by_name(value: object, names: list[str | None], what: str, n_axis: int = 1) -> list[Any]:
    """Arrays in the order of their factors or modalities, whether listed or under their names; one
    of them has n_axis axes."""
    if isinstance(value, dict) and "entries" not in value:
        unknown = [key for key in value if key not in names]
        missing = [name for name in names if name not in value]
        if unknown or missing:
            if not any(names):
                raise BadInput(f"{what}: expected a list of arrays, since factors and modalities "
                               f"have no names, found a dict of {list(value)}")
            raise BadInput(f"{what}: expected the names {names}, found {list(value)}")
        return [value[name] for name in names]
    return several(value, n_axis)


def _counts(counts: Mapping[str, Any] | None, n_modality: int,
            n_factor: int) -> dict[str, list[Any]]:
    """Counts of each letter as the extension takes them, None where there are none."""
    if counts is not None and not isinstance(counts, Mapping):
        raise BadInput(f"counts: expected a dict of A, B, C, D and E, found {counts!r}")
    given = dict(counts or {})
    made: dict[str, list[Any]] = {}
    for letter, n in (("A", n_modality), ("B", n_factor), ("C", n_modality), ("D", n_factor)):
        some = given.pop(letter, None)
        listed = [None] * n if some is None else list(some)
        if len(listed) != n:
            raise BadInput(f"counts[{letter!r}]: expected a list of {n}, found one of "
                           f"{len(listed)}")
        made[letter] = [None if one is None else _array(one, f"counts[{letter!r}][{i}]")
                        for i, one in enumerate(listed)]
    habits = given.pop("E", None)
    of_policies: list[Any] = [None]
    if habits is not None:
        of_policies = [_array(np.ravel(np.asarray(habits, float)), "counts['E']")]
    made["E"] = of_policies
    if given:
        raise BadInput(f"counts: expected A, B, C, D and E, found {next(iter(given))!r}")
    return made


def _or_means(value: Any, counts: Mapping[str, Any] | None, letter: str) -> Any:
    """Arrays, or the means of the counts of those that are left out, which is what they will be."""
    given = counts.get(letter) if isinstance(counts, Mapping) else None
    listed = [None] * len(given) if value is None and given is not None else value
    if given is None or not isinstance(listed, (list, tuple)) or len(listed) != len(given):
        return value
    means = [np.asarray(one, float) if array is None and one is not None else None
             for array, one in zip(listed, given)]
    return [array if mean is None else mean / np.maximum(mean.sum(axis=0), np.finfo(float).tiny)
            for array, mean in zip(listed, means)]


def _tables(value: object, names: list[str | None], what: str, n_axis: int) -> list[Given]:
    """The arrays of A or B as the extension takes them."""
    listed = [None] if value is None else _by_name(value, names, what, n_axis)
    for i, one in enumerate(listed):
        if one is None:
            raise BadInput(f"{what}[{i}]: expected an array, found None; only one with counts may "
                           "be left out")
    return [_array(columns(one), f"{what}[{i}]") for i, one in enumerate(listed)]


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
    array = integers(stacked(value) if isinstance(value, (list, tuple)) and len(value) else value,
                     "policies")
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
    and D is a list of arrays, pymdp's array of objects, one array (or nested lists that look like
    one) where there is one factor or modality, or a dict by name. Any array may be sparse:
    {"shape": [...], "entries": [[i, j, k, value], ...]} or one of SciPy's. Columns of A, B and D
    must sum to 1 within 1e-6, within 1e-5 in single precision, and are divided by their sum. The
    model keeps its own copy, the only one where arrays are C-contiguous doubles.

    Other ways in: sonde.make, Model.from_file (.json, .json.gz, .npz, .POMDP), Model.from_dict,
    Graph(...).model, sonde.from_pymdp, sonde.from_spm.

    A belief, wherever one is taken, is a list of arrays (states), one for each factor, or one array
    with all of them side by side; in a graph world it may be an edge (previous, current).

    Parameters
    ----------
    A : arrays
        Per modality (outcomes, states of factor 1, states of factor 2, ...), and in a list also
        with a last axis of actions (tuples, the last factor's fastest): that which led to the
        state.
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
        "per-modality" (pymdp 1.0), "joint", "off" (a reward problem) or "pymdp-legacy".
    cost : arrays, optional
        Per modality (outcomes), times lambda_, which has to be given with it.
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
    action_cost : array (states of each factor ..., actions), optional
        What an action costs in the state before it, in nats, whatever lambda_ is.
    action_prior : array (actions), optional
        How probable actions are beforehand in closed loop.
    discount : float, optional
        What each later step counts in closed loop, 1 unless given.
    name : str, optional
        Of the model.
    counts : dict, optional
        {"A": [array or None, ...], "B": ..., "C": ..., "D": ...}, shaped as these are: what agents
        learn; "E" has one number for each listed policy, or, as habits, for each first action
        where policies are not listed. Where an array has counts their mean takes its place; in A, B
        and D it may be None, or all of them.
    keep_given : bool
        A, B and D that are given beside their counts hold until something is learned.
    threads : int, optional
        How many; None: one for each core. Changes no number.
    memory : int or str, optional
        The most to ask for at once: bytes, or a text such as "500M".
    """

    graph: Graph | None
    _handle: _sonde.Handle
    _settings: Document

    def __init__(self, A: Tensors | None, B: Tensors | None, C: Vectors | None = None,
                 D: Vectors | None = None, *, horizon: int = 1, factors: Described | None = None,
                 modalities: Described | None = None, preferences: str = "log",
                 information: str = "per-modality", cost: Vectors | None = None,
                 lambda_: float | None = None, gamma: float | None = None,
                 policies: str | Policies = "all", allowed: Tensors | None = None,
                 E: npt.ArrayLike | None = None, action_cost: object = None,
                 action_prior: npt.ArrayLike | None = None, discount: float | None = None,
                 name: str | None = None, counts: Mapping[str, Any] | None = None,
                 keep_given: bool = False, threads: int | None = None, memory: Memory = None,
                 **more: Any):
        if "lambda" in more and lambda_ is None:
            lambda_ = more.pop("lambda")
        if more:
            raise TypeError(f"Model has no argument {next(iter(more))!r}")
        if cost is not None and lambda_ is None:
            raise BadInput("cost: counts nothing without lambda_, what a unit of it is worth in "
                           "nats; give lambda_, or 0 where nothing is meant")
        about_factors = _described(factors, ("states", "actions", "depends"), "factors")
        about_modalities = _described(modalities, ("outcomes", "factors"), "modalities")
        factor_names = [one.get("name") for one in about_factors]
        modality_names = [one.get("name") for one in about_modalities]
        A, B, D = (_or_means(value, counts, letter)
                   for value, letter in ((A, "A"), (B, "B"), (D, "D")))
        Bs = _tables(B, factor_names, "B", 3)
        some = about_modalities[0].get("factors") if about_modalities else None
        n_axis = 1 + (len(Bs) if some is None else len(np.atleast_1d(np.asarray(some))))
        As = _tables(A, modality_names, "A", n_axis)
        about_factors = about_factors or [{}] * len(Bs)
        about_modalities = about_modalities or [{}] * len(As)
        _one_each("B", Bs, len(about_factors))
        _one_each("A", As, len(about_modalities))
        of = _counts(counts, len(As), len(Bs))
        factor_parts = [(*part, b, d) for part, b, d in zip(
            self._factor_parts(Bs, D, allowed, about_factors, factor_names), of["B"], of["D"])]
        modality_parts = [(*part, a, c) for part, a, c in zip(
            self._modality_parts(As, C, cost, about_modalities, modality_names, factor_names),
            of["A"], of["C"])]
        settings = {"preferences": preferences, "information": information, "lambda": lambda_,
                    "gamma": gamma, "horizon": horizon, "name": name, "keep_given": keep_given,
                    "discount": discount}
        listed = None
        if isinstance(policies, str):
            settings["policies"] = policies
        else:
            listed = _policies(policies, horizon, len(Bs))
        self.graph = None
        self._settings = {}
        self._handle = _sonde.model_new(
            factor_parts, modality_parts, settings, listed,
            (None if E is None else doubles(E, "E").reshape(-1), of["E"][0]),
            (None if action_cost is None else _array(action_cost, "action_cost"),
             None if action_prior is None else doubles(action_prior, "action_prior").reshape(-1)),
            name or "model",
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
             _array(columns(_entries(d, n.n_state, n.states, f"D[{f}]")), f"D[{f}]"),
             None if row is None else integers(row, f"allowed[{f}]").reshape(-1, 2))
            for f, (one, n, b, d, row) in enumerate(zip(about, sizes, B, Ds, rows))]

    @staticmethod
    def _modality_parts(A: list[Given], C: Vectors | None, cost: Vectors | None,
                        about: list[Mapping[str, Any]], names: list[str | None],
                        factor_names: list[str | None]) -> list[tuple[Any, ...]]:
        """The modalities as the extension takes them."""
        outcomes = [_counted(one.get("outcomes"), _shape(a)[0] if _shape(a) else 0)
                    for one, a in zip(about, A)]
        by_step = 2 if len(A) == 1 and isinstance(C, (list, tuple)) and len(C) > 1 else 1
        Cs = ([np.zeros(n) for n, _ in outcomes] if C is None
              else _by_name(C, names, "C", by_step))
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
    def _of(cls, handle: _sonde.Handle, graph: Graph | None = None,
            settings: Document | None = None) -> Model:
        model = object.__new__(cls)
        model._handle = handle
        model.graph = graph
        model._settings = settings or {}
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
            The document; as in the file, lambda is 0 unless given.
        **more
            Other arguments of Model.

        Returns
        -------
        Model
            The model.
        """
        if not isinstance(document, Mapping):
            raise TypeError(f"document: expected a dict, found {type(document).__name__}")
        about = {"format": "sonde-model", "version": 1}
        for key, value in about.items():
            if document.get(key, value) != value:
                raise BadInput(f"{key}: expected {value!r}, found {document[key]!r}")
        given = {key: value for key, value in document.items() if key not in about} | more
        counts = given.get("counts")
        for key in ("A", "B"):
            if key not in given and isinstance(counts, Mapping) and counts.get(key) is not None:
                given[key] = None
            if key not in given:
                raise BadInput(f"{key}: expected arrays, found nothing")
        if "lambda" not in given and given.get("lambda_") is None:
            given["lambda_"] = 0.0
        return cls(**given)

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

    def replace(self, **changes: Any) -> Model:
        """Makes a model that differs in what is given.

        Parameters
        ----------
        **changes
            Arguments of Model, such as horizon; of a graph world horizon, lambda_, start and
            destination.

        Returns
        -------
        Model
            The other one.
        """
        return self._kind.replaced(changes)

    def _replaced(self, changes: Document) -> Model:
        """The same of a general model."""
        if set(changes) <= {"horizon", "lambda_", "gamma", "preferences", "information"}:
            made = Model.from_bytes(self.to_json(), origin=self.name or "model", **changes)
        else:
            if "lambda_" in changes:
                changes["lambda"] = changes.pop("lambda_")
            made = Model.from_dict(self.to_dict() | changes)
        made._settings = self._settings
        return made

    # ------------------------------------------------------------------------------- attributes --

    @cached_property
    def _fields(self) -> ModelFields:
        return _sonde.model_fields(self._handle)

    @cached_property
    def _kind(self) -> OfFactors:
        return OfGraph(self, self.graph) if self.graph else OfFactors(self)

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
    def settings(self) -> Document:
        """How the agent infers and acts that from_pymdp or from_spm made the model of, as settings
        that plan, simulate and Agent take where none is given; {} otherwise. Files do not keep
        them."""
        return dict(self._settings)

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
        return len(self.num_states)

    @property
    def name(self) -> str | None:
        """The name of the model, or None."""
        return self._fields["name"]

    @property
    def preferences(self) -> str:
        """What C means: "log", "probability" or "utility"."""
        return self._fields["preferences"]

    @property
    def information(self) -> str:
        """How information is counted: "per-modality", "joint", "off" or "pymdp-legacy"."""
        return self._fields["information"]

    @property
    def lambda_(self) -> float:
        """What a unit of cost is worth, in nats."""
        return self._fields["lambda"]

    @property
    def coupled(self) -> bool:
        """Whether some transition depends on another factor."""
        return self._fields["coupled"]

    @property
    def bytes(self) -> int:
        """What the arrays take."""
        return self._fields["bytes"]

    @property
    def n_policy(self) -> int | float:
        """How many policies there are from the initial belief; a float past 2**64."""
        return self._size(self._space["initial"])

    def _size(self, origin: int) -> int | float:
        n, real = _sonde.policies_size(self._policies, origin)
        return n if n < 2**64 - 1 else real

    @property
    def num_states(self) -> list[int]:
        """States of each factor."""
        return self._kind.num_states

    @property
    def num_controls(self) -> list[int]:
        """Actions of each factor."""
        return self._kind.num_controls

    @property
    def num_obs(self) -> list[int]:
        """Outcomes of each modality."""
        return self._kind.num_obs

    @property
    def factors(self) -> list[Document]:
        """Names, numbers and dependencies of the factors."""
        self._kind.check_general("factors")
        return [{"name": f["name"], "states": f["states"] or f["n_state"],
                 "actions": f["actions"] or f["n_action"], "depends": view(f["depends"]).tolist()}
                for f in self._fields["factors"]]

    @property
    def modalities(self) -> list[Document]:
        """Names, numbers and factors of the modalities."""
        self._kind.check_general("modalities")
        return [{"name": m["name"], "outcomes": m["outcomes"] or m["n_outcome"],
                 "factors": view(m["factors"]).tolist()} for m in self._fields["modalities"]]

    @property
    def A(self) -> list[Floats]:
        """Likelihoods, (outcomes, states of each factor ..., actions where they count); views where
        they are stored dense."""
        self._kind.check_general("A")
        made = []
        for m in self._fields["modalities"]:
            states = [self.num_states[f] for f in view(m["factors"])]
            dense = view(m["A"])
            if dense is None:
                dense = np.zeros((len(view(m["offset"])) - 1, m["n_outcome"]))
                rows = np.repeat(np.arange(len(dense)), np.diff(view(m["offset"])))
                dense[rows, view(m["outcome"])] = view(m["p"])
                frozen(dense)
            by = [m["n_action"]] if m["n_action"] > 1 else []
            made.append(np.moveaxis(dense.reshape(*states, *by, m["n_outcome"]), -1, 0))
        return made

    @property
    def B(self) -> list[Floats]:
        """Transitions, (next, previous ..., action); views where they are stored dense."""
        self._kind.check_general("B")
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

    @property
    def C(self) -> list[Floats]:
        """Preferences as they were given, (outcomes) or (horizon, outcomes)."""
        self._kind.check_general("C")
        found = [view(m["C"]) for m in self._fields["modalities"]]
        return [c[0] if self._fields["n_step_C"] == 1 else c for c in found]

    @property
    def D(self) -> list[Floats]:
        """Initial beliefs, (states) of each factor."""
        return self._kind.D

    @property
    def cost(self) -> list[Floats]:
        """Costs without lambda, (outcomes) of each modality."""
        return self._kind.cost

    @property
    def habit(self) -> Floats | None:
        """(n_action) how likely each first action is beforehand, where the model has habits."""
        return view(self._fields["habit"])

    @property
    def E(self) -> Floats | None:
        """Prior of listed policies, or None."""
        return view(self._fields["E"])

    @property
    def discount(self) -> float:
        """What each later step counts, in closed loop."""
        return self._fields["discount"]

    @property
    def action_prior(self) -> Floats | None:
        """Prior of actions in closed loop, (actions), or None: all are the same."""
        return view(self._fields["action_prior"])

    @property
    def action_cost(self) -> Floats | None:
        """What actions cost, (states of each factor ..., actions), or None."""
        found = view(self._fields["action_cost"])
        return None if found is None else found.reshape(*self.num_states, self.n_action)

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
        named = self._kind.named(value)
        if named is not None:
            return named
        sizes = self.num_states
        listed = list(value) if isinstance(value, (list, tuple)) or (
            isinstance(value, np.ndarray) and value.dtype == object) else []
        if listed and not is_single(listed[0]):
            parts = [doubles(columns(part), f"belief[{f}]").reshape(-1)
                     for f, part in enumerate(listed)]
        else:
            if not hasattr(value, "dtype"):
                value = doubles(value, "belief")
            flat = np.asarray(value).reshape(-1)
            if len(flat) != self.n_belief:
                raise BadInput(f"belief: expected {self.n_belief} numbers, found {len(flat)}")
            parts = [doubles(columns(part), "belief")
                     for part in np.split(flat, np.cumsum(sizes)[:-1])]
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

    def smooth(self, outcomes: Sequence[Outcomes], actions: Sequence[Action],
               how: str = "smoothed", inference: str | None = None) -> list[Floats]:
        """Works out what is believed of every step of a sequence, given all of it.

        Parameters
        ----------
        outcomes : list
            Outcomes of each step, as in observe, without weights.
        actions : list
            The action after each step; one after the last is not looked at.
        how : str
            "filtered": each step given those before it; "smoothed": given all, exactly with one
            factor, else factor by factor; "mmp" and "vmp": as pymdp 1.0 does.
        inference : str, optional
            Of filtered and smoothed beliefs; as in observe.

        Returns
        -------
        list of arrays (steps, states)
            One for each factor.
        """
        if inference is not None and how in ("mmp", "vmp"):
            raise BadInput(f"inference: changes nothing with how={how!r}, which takes in all "
                           f"outcomes at once")
        seen = [self.outcomes(one) for one in outcomes]
        if not seen:
            raise BadInput("outcomes: expected one step at least, found none")
        if len(actions) not in (len(seen), len(seen) - 1):
            raise BadInput(f"actions: expected one after each of {len(seen)} steps, the last of "
                           f"which may be left out, found {len(actions)}")
        done = [*(self.action_number(one) for one in actions[:len(seen) - 1]), 0]
        out = np.empty((len(seen), self.n_belief))
        _sonde.belief_smooth(self._handle, np.array(seen, np.int32).reshape(len(seen), -1),
                             np.array(done, np.int32), how, out, inference)
        ends = np.cumsum([len(one) for one in self.D])
        return np.split(out, ends[:-1], axis=1)

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
        return self._kind.seen(value)

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
        given = integers(action, "action")
        if given.ndim == 0:
            return int(given)
        n = 2 if self.graph is not None else self.n_factor
        if given.size != n:
            raise BadInput(f"action: expected its number, or {n} number{'s' * (n > 1)}, found "
                           f"{given.size}")
        number = _sonde.model_from_tuple(self._handle, given.reshape(-1))
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

    def _now(self, belief: Belief | None, scope: str = "local") -> tuple[Floats, int]:
        """(belief, origin): from where policies are carried out, and where those of a scope begin;
        the origin is -1 where they begin everywhere."""
        if scope not in self._kind.scopes:
            raise BadInput(f"scope: expected local, or global in a graph world, found {scope!r}")
        settled = self.belief(belief)
        everywhere = scope == "global"
        return settled, -1 if everywhere else _sonde.policies_origin(self._policies, settled)

    def _walks(self, origin: int, index: Counts) -> Ints:
        walks = np.empty((len(index), self.horizon + 1), np.int32)
        _sonde.policies_get(self._policies, origin, index, walks)
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
        origin = self._now(belief)[1]
        first = whole(first, "first", 0, 2**63 - 1)
        if n is None:
            size = self._size(origin) - first
            if size > LISTED_MOST:
                raise _sonde.TooLarge(f"policies: there are {size:,.0f}; say how many to list with "
                                      f"n=")
            n = int(max(size, 0))
        n = whole(n, "n", 0, 2**63 - 1)
        index = np.arange(first, first + n, dtype=np.uint64)
        return frozen(self._kind.shown(self._walks(origin, index)))

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
        walks = self._kind.taken(policies)
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
        return _sonde.policies_find(self._policies, self._now(belief)[1],
                                    self._kind.taken([policy])[0])

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
        i, j = self._kind.taken([policy, other])
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
        return frozen(self._kind.shown(view(_sonde.walks_read(path, self._policies)["walks"])))

    def efe(self, policies: Policies | None = None, *, belief: Belief | None = None,
            scope: str = "local", weight_utility: float = 1.0, weight_information: float = 1.0,
            weight_cost: float = 1.0, novelty: str = "none", nu_A: float = 1.0,
            nu_B: float = 1.0, threads: int | None = None, memory: Memory = None,
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
        weight_utility, weight_information, weight_cost : float
            How much these parts count in G, as in sonde.plan. The terms stay as they are.
        novelty : str
            What is expected to be learned of A and B, by their counts, is subtracted: "none",
            "joint", "product", "half" or "inverse".
        nu_A, nu_B : float
            How much novelty of A and of B counts.
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
        settled, origin = self._now(belief, scope)
        run = run_of(threads, memory, progress)
        weights = float(weight_utility), float(weight_information), float(weight_cost)
        plain = weights == (1.0, 1.0, 1.0) and novelty == "none"
        weighed = None if plain else (*weights, novelty, float(nu_A), float(nu_B))
        counted = _weigh(self, weighed)
        if policies is not None:
            return Efe(self, settled, origin, walks=self._kind.taken(policies), weighed=weighed)
        n = self._size(origin)
        most = 2**32 if run is None or run[1] is None else run[1]
        if n * 8 > most:
            raise _sonde.TooLarge(
                f"efe: {n:,.0f} policies need {n * 8:.3g} bytes, {most:,} are allowed; choose a "
                f"shorter horizon, give policies, allow more memory, or plan with a search")
        out = np.empty(int(n))
        _sonde.efe_range(counted, settled, origin, 0, out, run)
        return Efe(self, settled, origin, efe=out, weighed=weighed)

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
        """Writes the sonde-model document to a file, whatever its name ends in.

        Parameters
        ----------
        path : path
            The file.
        """
        _sonde.write(path, self._kind.document())

    def report(self) -> Document:
        """Describes the model: sizes, tables, policies.

        Returns
        -------
        dict
            What `sonde model --json` says.
        """
        return json.loads(_sonde.model_report(self._handle, self._policies, None))

    def __reduce__(self) -> tuple[Callable[..., Model], tuple[Graph | str, Document]]:
        return _model_again, (self.graph or self.to_json(), self._settings)

    def __repr__(self) -> str:
        return self._kind.about()

    def _repr_html_(self) -> str:
        return self._kind.html()


def _model_again(world: Graph | str, settings: Document) -> Model:
    """The model that was pickled as its document."""
    model = world.model if isinstance(world, Graph) else Model.from_bytes(world)
    model._settings = settings
    return model


def without_end(horizon: float | str | None, settings: Any) -> Any:
    """A horizon as models have it; none, and a setting that says so, where it is infinite."""
    if horizon == "inf" or horizon == float("inf"):
        settings["endless"] = True
        return None
    return horizon


def as_model(world: object, seed: int | None = None, **changes: Any) -> Model:
    """A model, from a model, a graph, or the path of a file, which the seed completes; with what is
    not None of horizon, lambda_, preferences and information."""
    given = {key: value for key, value in changes.items() if value is not None}
    if isinstance(world, (str, PathLike)):
        return Model.from_file(world, seed=1 if seed is None else seed, **given)
    if not isinstance(world, (Model, Graph)):
        raise TypeError(f"expected a Model or a Graph, found {type(world).__name__}")
    model = world if isinstance(world, Model) else world.model
    other = {key: value for key, value in given.items() if value != getattr(model, key)}
    return model.replace(**other) if other else model


_MAKING = ("size", "rocks", "illegal", "form", "valid", "slip", "noise", "seed")


def make(name: str, *, threads: int | None = None, memory: Memory = None, **options: Any) -> Model:
    """Makes a model that everybody knows.

    Parameters
    ----------
    name : str
        "tiger", "t-maze" (valid=0.95), "grid" (size=3, slip=0.1, noise=0.1), "frozenlake" (size=4
        or 8, form="reward" or "efe") or "rocksample" (size=4, rocks, illegal="end" or "stay",
        seed, which draws the places of rocks that papers do not have).
    threads, memory : optional
        As in Model.
    **options
        Those of the model, and horizon, lambda_, gamma, preferences and information as in
        Model.from_file.

    Returns
    -------
    Model
        What `sonde model --make` makes.
    """
    how = {key: value for key, value in options.items() if key in _MAKING}
    settings = {"lambda" if key == "lambda_" else key: value for key, value in options.items()
                if key not in _MAKING}
    return Model._of(_sonde.make({"make": name} | how, settings, run_of(threads, memory, None)))


#: how much utility, information and cost count, the form of novelty, and how much it counts
Weighed = tuple[float, float, float, str, float, float]


def _weigh(model: Model, weighed: Weighed | None) -> _sonde.Handle:
    """Policies as the parts of their G count."""
    return model._policies if weighed is None else _sonde.policies_weigh(model._policies, *weighed)


class Efe:
    """Expected free energies, in nats, smaller is better; efe = risk + ambiguity + cost - novelty
    where every part counts once.

        efe, risk, ambiguity, cost, novelty    (n)
        policies    (n, T, n_factor) actions, or (n, T + 2) nodes in a graph world
        steps       (n, T, 5) the five numbers at each step
        reached     (n, T) edges reached, in a graph world

    All but efe are worked out when they are first looked at. Model.efe makes them.

    Parameters
    ----------
    model : Model
        Whose policies they are.
    belief : array (n_belief)
        From where they are carried out.
    origin : int
        The origin in whose order they are.
    efe : array (n), optional
        G of all of them; or else
    walks : array (n, T + 1), optional
        Policies that are not all of them, as the library has them.
    weighed : tuple, optional
        How much each part of G counts, as the arguments of Model.efe say; each once unless given.
    """

    def __init__(self, model: Model, belief: Floats, origin: int, *,
                 efe: Floats | None = None, walks: Ints | None = None,
                 weighed: Weighed | None = None):
        self.model = model
        self._weighed = weighed
        self.belief = belief
        self._origin = origin
        self._efe = None if efe is None else frozen(efe)
        self._listed = walks
        self._n = len(walks) if walks is not None else 0 if efe is None else len(efe)

    def __len__(self) -> int:
        return self._n

    def __getstate__(self) -> Document:
        return {key: value for key, value in self.__dict__.items() if key != "_counted"}

    @cached_property
    def _counted(self) -> _sonde.Handle:
        return _weigh(self.model, self._weighed)

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
        _sonde.efe_walks(self._counted, self.belief, self._walks, out, None, None)
        return frozen(out)

    def _term(self, name: str) -> Floats:
        return self._scores[:, 1 + _sonde.TERMS.index(name)]

    @cached_property
    def steps(self) -> Floats:
        """(n, T, 5) efe, risk, ambiguity, cost and novelty of each step."""
        out = np.empty((self._n, 1 + len(_sonde.TERMS)))
        steps = np.empty((self._n, self.model.horizon, 1 + len(_sonde.TERMS)))
        _sonde.efe_walks(self._counted, self.belief, self._walks, out, steps, None)
        return frozen(steps)

    @cached_property
    def reached(self) -> Ints:
        """(n, T) the edges reached, in a graph world."""
        self.model._kind.check_graph("reached")
        out = np.empty((self._n, 1 + len(_sonde.TERMS)))
        reached = np.empty((self._n, self.model.horizon), np.int32)
        _sonde.efe_walks(self._counted, self.belief, self._walks, out, None, reached)
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

    @property
    def novelty(self) -> Floats:
        """(n) what is expected to be learned, which is subtracted; 0 unless it is asked for."""
        return self._term("novelty")

    @cached_property
    def policies(self) -> Ints:
        """(n, T, n_factor) actions, or (n, T + 2) nodes in a graph world."""
        return frozen(self.model._kind.shown(self._walks))

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
            if self.model.habit is not None:
                log_q = log_q + np.log(self.model.habit[self._walks[:, 1]])
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
        return _sonde.efe_report(self._counted, self._origin, self.belief,
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
        chosen = Efe(self.model, self.belief, self._origin, walks=self._walks[best],
                     weighed=self._weighed)
        rows = [[int(i), *(f"{x:.4f}" for x in scores), policy.tolist()]
                for i, scores, policy in zip(best, chosen._scores, chosen.policies)]
        head = ["policy", "G", *_sonde.TERMS, "actions"]
        return table(repr(self)[1:-1], head, rows)


def object_beliefs(model: Model, belief: Floats) -> Objects:
    """A belief as pymdp has it: an array of objects, one for each factor."""
    return objects(part.copy() for part in model.split(belief))
