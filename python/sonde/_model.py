"""Models: of graph worlds, or general ones with factors and modalities; and G of their policies."""
from __future__ import annotations

import json
import os
from functools import cached_property
from typing import Any

import numpy as np

from . import _sonde
from ._arrays import (Progress, doubles, frozen, integers, is_single, objects, run_of, several,
                      view)
from ._graph import Graph

#: the most policies that are listed one by one without being asked for
LISTED_MOST = 1_000_000


# --------------------------------------------------------------------------------- handing over --

def _array(value: Any, what: str) -> Any:
    """An array as the extension takes it: doubles, or (shape, indices, entries) if it is sparse."""
    if isinstance(value, dict):
        if set(value) != {"shape", "entries"}:
            raise ValueError(f"{what}: a sparse array has the keys shape and entries, found "
                             f"{sorted(value)}")
        shape = integers(value["shape"], f"{what}.shape").astype(np.int64)
        entries = doubles(value["entries"], f"{what}.entries").reshape(-1, len(shape) + 1)
        index = integers(entries[:, :-1], f"{what}.entries").astype(np.int64)
        return shape, index, np.ascontiguousarray(entries[:, -1])
    if hasattr(value, "tocoo"):
        value = value.tocoo()
        index = np.stack([value.row, value.col], axis=1).astype(np.int64)
        return np.array(value.shape, np.int64), index, doubles(value.data, what)
    return doubles(value, what)


def _shape(array: Any) -> tuple[int, ...]:
    return tuple(int(n) for n in array[0]) if isinstance(array, tuple) else array.shape


def _by_name(value: Any, names: list[str | None], what: str) -> list[Any]:
    """Arrays in the order of their factors or modalities, whether listed or under their names."""
    if isinstance(value, dict) and "entries" not in value:
        unknown = [key for key in value if key not in names]
        missing = [name for name in names if name not in value]
        if unknown or missing:
            raise ValueError(f"{what}: expected the names {names}, found {list(value)}")
        return [value[name] for name in names]
    return several(value)


def _entries(value: Any, n: int, names: list[str] | None, what: str) -> Any:
    """Numbers of named states or outcomes: a name for a certain one, or {name: number}."""
    if isinstance(value, str):
        value = {value: 1.0}
    if not isinstance(value, dict) or "entries" in value:
        return value
    made = np.zeros(n)
    for key, number in value.items():
        if names is None or key not in names:
            raise ValueError(f"{what}: there is no {key!r} among {names}")
        made[names.index(key)] = number
    return made


def _described(given: Any, words: tuple[str, ...], what: str) -> list[dict[str, Any]]:
    """What is said of the factors or modalities: a list of dicts, or a dict of them by name."""
    if given is None:
        return []
    if isinstance(given, dict):
        given = [{"name": name} | (value if isinstance(value, dict) else {words[0]: value})
                 for name, value in given.items()]
    for i, one in enumerate(given):
        unknown = set(one) - {"name", *words}
        if unknown:
            raise ValueError(f"{what}[{i}]: unknown key {sorted(unknown)[0]!r}; expected "
                             f"{', '.join(('name', *words))}")
    return list(given)


def _counted(value: Any, n: int, what: str) -> tuple[int, list[str] | None]:
    """A number of states, or their names, against what the arrays say."""
    if value is None:
        return n, None
    if isinstance(value, (int, np.integer)):
        return int(value), None
    names = [str(name) for name in value]
    return len(names), names


def _numbers(value: Any, names: list[str | None], what: str) -> Any:
    """Factors by name or number, as an array; None stays."""
    if value is None:
        return None
    found = []
    for one in ([value] if isinstance(value, (str, int)) else value):
        if isinstance(one, str):
            if one not in names:
                raise ValueError(f"{what}: there is no factor {one!r} among {names}")
            one = names.index(one)
        found.append(one)
    return integers(found, what)


def _policies(value: Any, horizon: int, n_factor: int) -> np.ndarray:
    """Listed policies as an array (n, horizon, n_factor)."""
    array = integers(np.stack([np.asarray(policy) for policy in value])
                     if isinstance(value, (list, tuple)) and len(value) else value, "policies")
    if array.ndim == 2 and n_factor == 1:
        array = array[:, :, None]
    if array.ndim != 3 or array.shape[1:] != (horizon, n_factor) or len(array) == 0:
        raise ValueError(f"policies: expected an array (policies, {horizon} steps, {n_factor} "
                         f"factors), found {array.shape}")
    return np.ascontiguousarray(array)


class Model:
    """What an agent knows: likelihoods A, transitions B, preferences C, initial beliefs D.

    The arrays have pymdp's axes, and the arguments are the keys of the model file:

        A    per modality  (outcomes, states of factor 1, states of factor 2, ...)
        B    per factor    (next states, previous states, actions); with depends, one axis of
                           previous states for each factor it depends on
        C    per modality  (outcomes) or (horizon, outcomes); default: no preferences
        D    per factor    (states); default: even

    Each is a list of arrays, pymdp's array of objects, one array where there is one factor or
    modality, or a dict by name. Any array may be sparse: {"shape": [...], "entries": [[i, j, k,
    value], ...]} or one of SciPy's. Columns of A, B and D must sum to 1 within 1e-6 and are divided
    by their sum. The model keeps its own copy, the only one where arrays are C-contiguous doubles.

        horizon       steps in a policy
        factors       names: [{"name": "place", "states": ["c", "l"], "actions": 2,
                      "depends": ["place"]}, ...]
                      or {"place": ["c", "l"], ...}; needed for names and dependencies only
        modalities    [{"name": "sight", "outcomes": 3, "factors": ["place"]}, ...]
                      or {"sight": 3, ...}
        preferences   "log": C becomes softmax(C); "probability": C / sum(C); "utility": C as it is
        information   "per-modality" (pymdp 1.0) or "joint"
        cost          per modality (outcomes), times lambda_
        gamma         precision of the posterior over policies
        policies      "all", "allowed", or an array (policies, horizon, factors)
        allowed       per factor, rows (state, action)
        E             (policies) prior of listed policies

    Other ways in: Model.from_file (.json, .json.gz, .npz), Model.from_dict, Graph(...).model,
    sonde.from_pymdp, sonde.from_spm.

    A belief, wherever one is taken, is a list of arrays (states), one for each factor, or one array
    with all of them side by side; in a graph world it may be an edge (previous, current).
    """

    graph: Graph | None

    def __init__(self, A: Any, B: Any, C: Any = None, D: Any = None, *, horizon: int = 1,
                 factors: Any = None, modalities: Any = None, preferences: str = "log",
                 information: str = "per-modality", cost: Any = None, lambda_: float | None = None,
                 gamma: float | None = None, policies: Any = "all", allowed: Any = None,
                 E: Any = None, name: str | None = None, threads: int | None = None,
                 memory: int | str | None = None, **more: Any):
        if "lambda" in more and lambda_ is None:
            lambda_ = more.pop("lambda")
        if more:
            raise TypeError(f"Model has no argument {next(iter(more))!r}")
        about_factors = _described(factors, ("states", "actions", "depends"), "factors")
        about_modalities = _described(modalities, ("outcomes", "factors"), "modalities")
        factor_names = [one.get("name") for one in about_factors]
        modality_names = [one.get("name") for one in about_modalities]
        B = [_array(b, f"B[{f}]") for f, b in enumerate(_by_name(B, factor_names, "B"))]
        A = [_array(a, f"A[{m}]") for m, a in enumerate(_by_name(A, modality_names, "A"))]
        about_factors = about_factors or [{}] * len(B)
        about_modalities = about_modalities or [{}] * len(A)
        for what, found, about in (("B", B, about_factors), ("A", A, about_modalities)):
            if len(found) != len(about):
                raise ValueError(f"{what}: expected {len(about)} arrays, found {len(found)}")
        sizes = [self._factor_sizes(f, b, about_factors[f]) for f, b in enumerate(B)]
        D = ([np.full(n[0], 1.0 / n[0]) for n in sizes] if D is None
             else _by_name(D, factor_names, "D"))
        outcomes = [_counted(about.get("outcomes"), _shape(a)[0] if _shape(a) else 0, "outcomes")
                    for about, a in zip(about_modalities, A)]
        C = [np.zeros(n) for n, _ in outcomes] if C is None else _by_name(C, modality_names, "C")
        cost = [None] * len(A) if cost is None else _by_name(cost, modality_names, "cost")
        allowed = [None] * len(B) if allowed is None else _by_name(allowed, factor_names, "allowed")
        for what, found, n in (("D", D, len(B)), ("C", C, len(A)), ("cost", cost, len(A)),
                               ("allowed", allowed, len(B))):
            if len(found) != n:
                raise ValueError(f"{what}: expected {n} arrays, found {len(found)}")
        factor_parts = [
            (about.get("name"), n[0], n[1], n[2], n[3],
             _numbers(about.get("depends"), factor_names, f"factors[{f}].depends"), b,
             _array(_entries(d, n[0], n[2], f"D[{f}]"), f"D[{f}]"),
             None if rows is None else integers(rows, f"allowed[{f}]").reshape(-1, 2))
            for f, (about, n, b, d, rows) in enumerate(zip(about_factors, sizes, B, D, allowed))]
        modality_parts = [
            (about.get("name"), n, names,
             _numbers(about.get("factors"), factor_names, f"modalities[{m}].factors"), a,
             _array(_entries(c, n, names, f"C[{m}]"), f"C[{m}]"),
             None if price is None else _array(_entries(price, n, names, f"cost[{m}]"),
                                               f"cost[{m}]"))
            for m, (about, (n, names), a, c, price)
            in enumerate(zip(about_modalities, outcomes, A, C, cost))]
        settings = {"preferences": preferences, "information": information, "lambda": lambda_,
                    "gamma": gamma, "horizon": horizon, "name": name}
        listed = None
        if isinstance(policies, str):
            settings["policies"] = policies
        else:
            listed = _policies(policies, horizon, len(B))
        self.graph = None
        self._handle = _sonde.model_new(
            factor_parts, modality_parts, settings, listed,
            None if E is None else doubles(E, "E").reshape(-1), name or "model",
            run_of(threads, memory, None))

    @staticmethod
    def _factor_sizes(f: int, B: Any, about: dict[str, Any]) -> tuple[int, int, Any, Any]:
        shape = _shape(B)
        if len(shape) < 3:
            raise ValueError(f"B[{f}]: expected axes (next, previous, action), found "
                             f"{len(shape)} axes")
        n_state, states = _counted(about.get("states"), shape[0], "states")
        n_action, actions = _counted(about.get("actions"), shape[-1], "actions")
        return n_state, n_action, states, actions

    @classmethod
    def _of(cls, handle: Any, graph: Graph | None = None) -> Model:
        model = object.__new__(cls)
        model._handle = handle
        model.graph = graph
        return model

    @classmethod
    def from_file(cls, path: str | os.PathLike, *, horizon: int | None = None,
                  lambda_: float | None = None, gamma: float | None = None,
                  preferences: str | None = None, information: str | None = None,
                  start: Any = None, destination: Any = None, idle: float | None = None,
                  seed: int = 1, threads: int | None = None,
                  memory: int | str | None = None) -> Model:
        """Reads whatever a file has: a sonde-model or sonde-graph document (plain or
        gzip-compressed), or an .npz with pymdp's arrays. What is given overrides the file."""
        if start is not None and not isinstance(start, str):
            start = ",".join(str(node) for node in start)
        shared = {"horizon": horizon, "lambda": lambda_}
        graph, model = _sonde.input_read(
            path, shared | {"start": start, "idle": idle,
                            "destination": None if destination is None else str(destination)},
            shared | {"gamma": gamma, "preferences": preferences, "information": information},
            seed, run_of(threads, memory, None))
        return cls._of(model, None if graph is None else Graph._of(graph))

    @classmethod
    def from_dict(cls, document: dict[str, Any], **more: Any) -> Model:
        """Makes a model of a dict with the keys of the model file, whose arrays may be NumPy's."""
        return cls(**{key: value for key, value in document.items()
                      if key not in ("format", "version")}, **more)

    @classmethod
    def from_bytes(cls, data: bytes | str, *, origin: str = "bytes", **settings: Any) -> Model:
        """Reads a sonde-model document or an .npz file that is in memory already."""
        if "lambda_" in settings:
            settings["lambda"] = settings.pop("lambda_")
        return cls._of(_sonde.model_parse(data, origin, settings, None))

    # ------------------------------------------------------------------------------- attributes --

    @cached_property
    def _fields(self) -> dict[str, Any]:
        return _sonde.model_fields(self._handle)

    @cached_property
    def _policies(self) -> Any:
        return _sonde.policies_count(self._handle, None)

    @cached_property
    def _space(self) -> dict[str, Any]:
        return _sonde.policies_fields(self._policies)

    horizon = property(lambda self: self._fields["horizon"], doc="steps in a policy")
    gamma = property(lambda self: self._fields["gamma"])
    n_action = property(lambda self: self._fields["n_action"],
                        doc="actions: tuples of the factors' own, or pairs of edges")
    n_belief = property(lambda self: self._fields["n_belief"], doc="numbers in a belief")
    n_modality = property(lambda self: self._fields["n_modality"])
    n_factor = property(lambda self: self._fields.get("n_factor", 1))
    name = property(lambda self: self._fields.get("name"))
    preferences = property(lambda self: self._fields.get("preferences", "probability"))
    information = property(lambda self: self._fields.get("information", "per-modality"))
    lambda_ = property(lambda self: self.graph.lambda_ if self.graph else self._fields["lambda"])
    coupled = property(lambda self: self._fields.get("coupled", False),
                       doc="some transition depends on another factor")
    bytes = property(lambda self: self._fields.get("bytes"))

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
    def factors(self) -> list[dict[str, Any]]:
        """Names, numbers and dependencies of the factors."""
        self._general("factors")
        return [{"name": f["name"], "states": f["states"] or f["n_state"],
                 "actions": f["actions"] or f["n_action"], "depends": view(f["depends"]).tolist()}
                for f in self._fields["factors"]]

    @property
    def modalities(self) -> list[dict[str, Any]]:
        """Names, numbers and factors of the modalities."""
        self._general("modalities")
        return [{"name": m["name"], "outcomes": m["outcomes"] or m["n_outcome"],
                 "factors": view(m["factors"]).tolist()} for m in self._fields["modalities"]]

    def _general(self, what: str) -> None:
        if self.graph:
            raise AttributeError(f"{what} belongs to general models, and this is a graph world")

    @cached_property
    def A(self) -> list[np.ndarray]:
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
    def B(self) -> list[np.ndarray]:
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
    def C(self) -> list[np.ndarray]:
        """Preferences as they were given, (outcomes) or (horizon, outcomes)."""
        self._general("C")
        found = [view(m["C"]) for m in self._fields["modalities"]]
        return [c[0] if self._fields["n_step_C"] == 1 else c for c in found]

    @cached_property
    def D(self) -> list[np.ndarray]:
        """Initial beliefs, (states) of each factor."""
        if self.graph:
            return [self.initial()]
        return [view(f["D"]) for f in self._fields["factors"]]

    @cached_property
    def cost(self) -> list[np.ndarray]:
        """Costs without lambda, (outcomes) of each modality."""
        if self.graph:
            return [view(self._fields["cost"])]
        return [view(m["cost"]) for m in self._fields["modalities"]]

    @property
    def E(self) -> np.ndarray | None:
        """Prior of listed policies, or None."""
        return view(self._fields.get("E"))

    # ---------------------------------------------------------------------------------- beliefs --

    def _flat(self, value: Any) -> np.ndarray:
        """A belief side by side, which the extension checks; the quick way for what is usual."""
        if value.__class__ is np.ndarray and value.ndim == 1:
            if value.dtype == np.float64 and len(value) == self.n_belief:
                return value if value.flags.c_contiguous else value.copy()
            if value.dtype == object and list(map(len, value)) == self.num_states:
                parts = list(value)
                if all(getattr(part, "dtype", None) == np.float64 for part in parts):
                    return np.concatenate(parts)
        return self.belief(value)

    def belief(self, value: Any = None) -> np.ndarray:
        """A belief in the form in which the library has it: (n_belief), factors side by side.

        Takes whatever this class's documentation says a belief may be; None is the initial one.
        Raises ValueError for anything that is not one distribution for each factor.
        """
        if value is None:
            return self.initial()
        if self.graph and not isinstance(value, np.ndarray) and np.size(value) == 2:
            made = np.zeros(self.n_belief)
            made[self.graph.edge(*value)] = 1.0
            return made
        sizes = self.num_states
        several_given = isinstance(value, (list, tuple)) or (
            isinstance(value, np.ndarray) and value.dtype == object)
        if several_given and len(value) > 0 and not is_single(value[0]):
            parts = [doubles(part, f"belief[{f}]").reshape(-1) for f, part in enumerate(value)]
        else:
            flat = doubles(value, "belief").reshape(-1)
            if len(flat) != self.n_belief:
                raise ValueError(f"belief: expected {self.n_belief} numbers, found {len(flat)}")
            parts = np.split(flat, np.cumsum(sizes)[:-1])
        if [len(part) for part in parts] != sizes:
            raise ValueError(f"belief: expected {sizes} numbers, found "
                             f"{[len(part) for part in parts]}")
        for f, part in enumerate(parts):
            total = part.sum()
            if not (part >= 0).all() or not abs(total - 1.0) <= 1e-6:
                raise ValueError(f"belief[{f}]: expected probabilities that sum to 1, found a sum "
                                 f"of {total:.9g}")
        return np.concatenate([part / part.sum() for part in parts])

    def split(self, belief: np.ndarray) -> list[np.ndarray]:
        """The factors' parts of a belief (n_belief), as views."""
        ends = np.cumsum(self.num_states).tolist()
        return [belief[end - n:end] for end, n in zip(ends, self.num_states)]

    def initial(self) -> np.ndarray:
        """The initial belief (n_belief)."""
        out = np.empty(self.n_belief)
        _sonde.belief_initial(self._handle, out)
        return out

    def predict(self, belief: Any, action: Any) -> np.ndarray:
        """(n_belief) what is believed after an action: B belief, factor by factor."""
        out = np.empty(self.n_belief)
        _sonde.belief_predict(self._handle, self.action_number(action), self.belief(belief), out)
        return out

    def observe(self, belief: Any, outcomes: Any) -> np.ndarray:
        """(n_belief) what is believed after an outcome of each modality, with `belief` as prior."""
        out = np.empty(self.n_belief)
        _sonde.belief_observe(self._handle, self.outcomes(outcomes), self.belief(belief), out)
        return out

    def outcomes(self, value: Any) -> np.ndarray:
        """An outcome of each modality, by number or name, as an array (n_modality)."""
        if self.graph:
            edge = self.graph.edge(*value) if np.size(value) == 2 else int(np.asarray(value).item())
            made = np.array([edge], np.int32)
        else:
            listed = [value] if is_single(value) else list(value)
            made = []
            for m, one in enumerate(listed):
                names = self._fields["modalities"][m]["outcomes"] if m < self.n_modality else None
                if isinstance(one, str):
                    if names is None or one not in names:
                        raise ValueError(f"modality {m}: there is no outcome {one!r} among {names}")
                    one = names.index(one)
                made.append(one)
            made = integers(made, "outcomes").reshape(-1)
        if len(made) != self.n_modality:
            raise ValueError(f"outcomes: expected one for each modality ({self.n_modality}), found "
                             f"{len(made)}")
        for m, (o, n) in enumerate(zip(made, self.num_obs)):
            if not 0 <= o < n:
                raise ValueError(f"modality {m}: expected an outcome from 0 to {n - 1}, found {o}")
        return made

    # ---------------------------------------------------------------------------------- actions --

    def action_number(self, action: Any) -> int:
        """The number of an action: (one for each factor), or two edges of a graph world."""
        if np.ndim(action) == 0:
            return int(action)
        number = _sonde.model_from_tuple(self._handle, integers(action, "action").reshape(-1))
        if number < 0:
            raise ValueError(f"there is no action {tuple(action)}")
        return number

    def action_tuple(self, number: int) -> tuple[int, ...]:
        """The actions of the factors, or the two edges, that a number stands for."""
        return _sonde.model_tuple(self._handle, number)

    def next_state(self, state: int, action: int) -> int:
        """Graph worlds: the edge that an action leads to."""
        return _sonde.model_next(self._handle, state, action)

    def table(self, which: str, number: int = 0) -> dict[str, Any]:
        """What there is to say of A[number] or B[number]: storage, zeros, entropies."""
        return _sonde.model_about(self._handle, which, number)

    # --------------------------------------------------------------------------------- policies --

    def _now(self, belief: Any) -> tuple[int, np.ndarray, int]:
        """(edge or -1, belief, origin): from where policies are carried out."""
        settled = self.belief(belief)
        origin = _sonde.policies_origin(self._policies, settled)
        return (origin if self.graph else -1), settled, origin

    def _walks(self, origin: int, index: np.ndarray) -> np.ndarray:
        walks = np.empty((len(index), self.horizon + 1), np.int32)
        _sonde.policies_get(self._policies, origin, index, walks)
        return walks

    def _shown(self, walks: np.ndarray) -> np.ndarray:
        """Policies as people write them: nodes (n, T + 2), or actions (n, T, n_factor)."""
        if self.graph:
            nodes = np.empty((len(walks), self.horizon + 2), np.int32)
            nodes[:, 0] = self.graph.tail[walks[:, 0]]
            nodes[:, 1:] = self.graph.head[walks]
            return nodes
        return np.stack(np.unravel_index(walks[:, 1:], self.num_controls), axis=-1).astype(np.int32)

    def _taken(self, policies: Any) -> np.ndarray:
        """Walks (n, T + 1) from policies as people write them."""
        if self.graph:
            nodes = integers(policies, "policies")
            if nodes.ndim != 2 or nodes.shape[1] != self.horizon + 2:
                raise ValueError(f"policies: expected lists of {self.horizon + 2} nodes (previous, "
                                 f"current, then one per step), found {nodes.shape}")
            try:
                return np.array([[self.graph.edge(a, b) for a, b in zip(row, row[1:])]
                                 for row in nodes], np.int32).reshape(len(nodes), -1)
            except KeyError as error:
                raise ValueError(f"policies: {error.args[0]}") from None
        actions = _policies(policies, self.horizon, self.n_factor)
        for f, n in enumerate(self.num_controls):
            if actions[..., f].min() < 0 or actions[..., f].max() >= n:
                raise ValueError(f"policies: expected actions of factor {f} from 0 to {n - 1}")
        walks = np.zeros((len(actions), self.horizon + 1), np.int32)
        walks[:, 1:] = np.ravel_multi_index(tuple(np.moveaxis(actions, -1, 0)), self.num_controls)
        return walks

    def policies(self, first: int = 0, n: int | None = None, belief: Any = None) -> np.ndarray:
        """Policies of the order, n of them from the first (default: all, of up to a million):
        actions (n, T, n_factor), or nodes (n, T + 2) in a graph world."""
        origin = self._now(belief)[2]
        if n is None:
            n = self._size(origin) - first
            if n > LISTED_MOST:
                raise _sonde.TooLarge(f"policies: there are {n:,.0f}; say how many to list with n=")
        index = np.arange(first, first + n, dtype=np.uint64)
        return frozen(self._shown(self._walks(origin, index)))

    def action_numbers(self, policies: Any) -> np.ndarray:
        """(n, T) the numbers of the actions that policies take; see action_tuple."""
        walks = self._taken(policies)
        out = np.empty((len(walks), self.horizon), np.int32)
        _sonde.policies_actions(self._policies, walks, out)
        return out

    def policy_index(self, policy: Any, belief: Any = None) -> int | None:
        """The place of a policy in the order, or None."""
        return _sonde.policies_find(self._policies, self._now(belief)[2], self._taken([policy])[0])

    def edit_distance(self, policy: Any, other: Any) -> int:
        """Nodes and edges (or actions) that occur in one policy and not in the other."""
        i, j = self._taken([policy, other])
        return _sonde.policies_edit_distance(self._policies, i, j)

    def read_policies(self, path: str | os.PathLike) -> np.ndarray:
        """Reads a JSON list of policies, as `sonde efe --policies FILE` does."""
        return frozen(self._shown(view(_sonde.walks_read(path, self._handle)["walks"])))

    def efe(self, policies: Any = None, *, belief: Any = None, scope: str = "local",
            threads: int | None = None, memory: int | str | None = None,
            progress: Progress | None = None) -> Efe:
        """The expected free energy of policies, carried out from a belief (default: initial).

        policies: None for all of them (in a graph world those of the scope, "local" or "global"),
        otherwise an array (n, T, n_factor), or nodes (n, T + 2) in a graph world.
        """
        state, settled, origin = self._now(belief)
        if scope not in ("local", "global") or (scope == "global" and not self.graph):
            raise ValueError(f"scope: expected local, or global in a graph world, found {scope!r}")
        origin = -1 if scope == "global" else origin
        run = run_of(threads, memory, progress)
        if policies is not None:
            return Efe(self, state, settled, origin, None, self._taken(policies), None)
        n = self._size(origin)
        most = 2**32 if run is None or run[1] is None else run[1]
        if n * 8 > most:
            raise _sonde.TooLarge(
                f"efe: {n:,.0f} policies need {n * 8:.3g} bytes, {most:,} are allowed; choose a "
                f"shorter horizon, give policies, allow more memory, or plan with a search")
        out = np.empty(n)
        _sonde.efe_range(self._policies, state, settled, origin, 0, out, run)
        return Efe(self, state, settled, origin, out, None, n)

    # --------------------------------------------------------------------------------- documents --

    def to_json(self) -> str:
        """The model as a sonde-model document, which reads back to the same model."""
        return _sonde.model_write(self._handle)

    def to_dict(self) -> dict[str, Any]:
        """The same as a dict."""
        return json.loads(self.to_json())

    def save(self, path: str | os.PathLike) -> None:
        """Writes the document to a file."""
        text = self.graph.to_json() if self.graph else self.to_json()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def report(self) -> dict[str, Any]:
        """What `sonde model --json` says: sizes, tables, policies."""
        return json.loads(_sonde.model_report(self._handle, self._policies, None))

    def __reduce__(self) -> Any:
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


def as_model(world: Any, seed: int | None = None) -> Model:
    """A model, from a model, a graph, or the path of a file, which the seed completes."""
    if isinstance(world, Model):
        return world
    if isinstance(world, Graph):
        return world.model
    if isinstance(world, (str, os.PathLike)):
        return Model.from_file(world, seed=1 if seed is None else seed)
    raise TypeError(f"expected a Model or a Graph, found {type(world).__name__}")


class Efe:
    """Expected free energies, in nats, smaller is better; efe = risk + ambiguity + cost.

        efe, risk, ambiguity, cost    (n)
        policies                      (n, T, n_factor) actions, or (n, T + 2) nodes in a graph world
        steps                         (n, T, 4) the four numbers at each step
        reached                       (n, T) edges reached, in a graph world

    All but efe are worked out when they are first looked at.
    """

    def __init__(self, model: Model, state: int, belief: np.ndarray, origin: int,
                 efe: np.ndarray | None, walks: np.ndarray | None, n: int | None):
        self.model = model
        self.belief = belief
        self._state = state
        self._origin = origin
        self._efe = None if efe is None else frozen(efe)
        self._listed = walks
        self._n = len(walks) if n is None else n

    def __len__(self) -> int:
        return self._n

    @cached_property
    def _index(self) -> np.ndarray:
        return np.arange(self._n, dtype=np.uint64)

    @cached_property
    def _walks(self) -> np.ndarray:
        return self._listed if self._listed is not None else self.model._walks(self._origin,
                                                                               self._index)

    @cached_property
    def _scores(self) -> np.ndarray:
        out = np.empty((self._n, 4))
        _sonde.efe_walks(self.model._handle, self._state, self.belief, self._walks, out, None, None)
        return frozen(out)

    @cached_property
    def steps(self) -> np.ndarray:
        """(n, T, 4) efe, risk, ambiguity and cost of each step."""
        out = np.empty((self._n, 4))
        steps = np.empty((self._n, self.model.horizon, 4))
        _sonde.efe_walks(self.model._handle, self._state, self.belief, self._walks, out, steps,
                         None)
        return frozen(steps)

    @cached_property
    def reached(self) -> np.ndarray:
        """(n, T) the edges reached, in a graph world."""
        self.model.graph or self._no_graph()
        out = np.empty((self._n, 4))
        reached = np.empty((self._n, self.model.horizon), np.int32)
        _sonde.efe_walks(self.model._handle, self._state, self.belief, self._walks, out, None,
                         reached)
        return frozen(reached)

    def _no_graph(self) -> None:
        raise AttributeError("reached belongs to graph worlds, and this is a general model")

    @property
    def efe(self) -> np.ndarray:
        """(n) expected free energy G."""
        return self._scores[:, 0] if self._efe is None else self._efe

    risk = property(lambda self: self._scores[:, 1], doc="(n) KL of outcomes from preferences")
    ambiguity = property(lambda self: self._scores[:, 2], doc="(n) expected entropy of outcomes")
    cost = property(lambda self: self._scores[:, 3], doc="(n) lambda times the expected cost")

    @cached_property
    def policies(self) -> np.ndarray:
        """(n, T, n_factor) actions, or (n, T + 2) nodes in a graph world."""
        return frozen(self.model._shown(self._walks))

    @property
    def best(self) -> int:
        """The policy with the smallest G."""
        return int(np.argmin(self.efe))

    def posterior(self, gamma: float | None = None) -> np.ndarray:
        """(n) Q(policy), proportional to E(policy) exp(-gamma G)."""
        gamma = self.model.gamma if gamma is None else gamma
        with np.errstate(divide="ignore"):
            log_q = -gamma * self.efe
            if self.model.E is not None and self._listed is None:
                log_q = log_q + np.log(self.model.E)
        q = np.exp(log_q - log_q.max())
        return frozen(q / q.sum())

    def to_json(self) -> str:
        """What `sonde efe --json` says."""
        index = self._index if self._listed is None else None
        return _sonde.efe_report(self.model._policies, self._origin, self._state, self.belief,
                                 index, self._walks, self._scores, None, None)

    def to_dict(self) -> dict[str, Any]:
        """The same as a dict."""
        return json.loads(self.to_json())

    def __repr__(self) -> str:
        return (f"<sonde.Efe: {self._n:,} policies, G from {self.efe.min():.6g} to "
                f"{self.efe.max():.6g}; the best is number {self.best}>")

    def _repr_html_(self) -> str:
        from ._show import table

        best = np.argsort(self.efe, kind="stable")[:10]
        chosen = Efe(self.model, self._state, self.belief, self._origin, None, self._walks[best],
                     None)
        rows = [[int(i), f"{g[0]:.4f}", f"{g[1]:.4f}", f"{g[2]:.4f}", f"{g[3]:.4f}",
                 policy.tolist()]
                for i, g, policy in zip(best, chosen._scores, chosen.policies)]
        head = ["policy", "G", "risk", "ambiguity", "cost", "actions"]
        return table(repr(self)[1:-1], head, rows)


def object_beliefs(model: Model, belief: np.ndarray) -> np.ndarray:
    """A belief as pymdp has it: an array of objects, one for each factor."""
    return objects(part.copy() for part in model.split(belief))
