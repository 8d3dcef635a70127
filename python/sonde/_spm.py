"""Models of SPM's MDP structures, and SPM's own scheme."""
from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, overload

import numpy as np
import numpy.typing as npt

from . import _sonde
from ._arrays import document_of, run_of
from ._data import Data
from ._model import Model
from ._names import like
from ._sonde import BadInput, NoFile
from ._types import Array, Floats, Ints, Memory, Path


def _dense(array: object) -> Floats:
    """Logical, sparse and whole-number arrays as doubles."""
    if hasattr(array, "toarray"):
        array = array.toarray()
    return np.asarray(array, dtype=np.float64)


def _cells(value: object) -> list[Floats]:
    """A cell array, or one array, as a list."""
    if isinstance(value, np.ndarray) and value.dtype == object:
        return [_dense(cell) for cell in value.reshape(-1, order="F")]
    return [_dense(value)]


def _columns(array: Floats, n_axis: int) -> Floats:
    """An array with n_axis axes (MATLAB drops last ones of length 1), its columns summing to 1."""
    made = array.reshape(array.shape + (1,) * (n_axis - array.ndim))
    total = made.sum(axis=0, keepdims=True)
    return made / np.where(total > 0, total, 1.0) + (total <= 0) / made.shape[0]


def _structures(path: Path, name: str | None) -> list[Any]:
    """A structure, or an array of them, one for each trial."""
    from scipy.io import loadmat

    try:
        with open(path, "rb") as file:
            found = loadmat(file, struct_as_record=False, squeeze_me=False)
    except OSError as error:
        raise NoFile(f"{path}: cannot be opened: {error.strerror or error}") from None
    except Exception as error:  # SciPy raises many kinds for what is no such file
        raise BadInput(f"{path}: expected a MAT file of version 4 to 7, found something else "
                       f"({error}); write it with save(..., '-v7')") from None
    names = [key for key in found if not key.startswith("__")]
    for key in [name] if name else [*(k for k in names if k.lower() == "mdp"), *names]:
        value = found.get(key)
        if isinstance(value, np.ndarray) and value.dtype == object and value.size and hasattr(
                value.flat[0], "_fieldnames"):
            return list(value.reshape(-1, order="F"))
    raise BadInput(f"{path}: expected a structure {name or 'MDP'}, found "
                   f"{', '.join(names) or 'nothing'}")


@overload
def from_spm(path: Path, name: str | None = ..., *, horizon: int | None = ...,
             scheme: None = ..., process: bool = ...) -> Model: ...


@overload
def from_spm(path: Path, name: str | None = ..., *, horizon: None = ...,
             scheme: Literal["spm"]) -> Spm: ...


def from_spm(path: Path, name: str | None = None, *, horizon: int | None = None,
             scheme: str | None = None, process: bool = False) -> Model | Spm:
    """Reads an MDP structure of SPM's DEM toolbox from a .mat file (through SciPy).

    What is the agent's is read: a, b, d, e (counts) where they are there, and else A, B, D, E,
    which are then the world's as well; columns are divided by their sums, as SPM does. Policies: V
    (steps, policies, factors), 1-based, as a list; or U (1, actions, factors), of which every
    sequence is meant. C has a column for each time: columns 2 and later are what is still to come.
    gamma is 1 / beta, from where SPM goes on to update it; alpha (512 unless given) is in
    Model.settings, which plan, simulate and Agent use where they are told nothing else. Counts (a,
    b, c, d, e) are the model's counts, which its agents can learn (sonde.Agent(learn=...)); c has
    to be the same at every time. N, how deep spm_MDP_VB_XX looks, is the horizon with U: N + 1
    steps, T - 1 at most. Of numbers that Sonde's own agents do not have (zeta, eta, tau, erp, chi,
    omega) a warning tells the names.

    Parameters
    ----------
    path : path
        The file.
    name : str, optional
        Of the structure; one called MDP, or else the first, unless given.
    horizon : int, optional
        Steps in a policy, with U; unless given, N + 1 or T - 1, whichever is less.
    scheme : str, optional
        "spm": an agent that believes, decides and learns as spm_MDP_VB_X does, c included, and
        whose recorded trials are those of MDP(1), MDP(2), ... What that does not look at is not
        looked at here: N (of spm_MDP_VB_XX), chi without factor, lambda without n, O beside o.
    process : bool
        The world, A, B and D, and not what the agent has counted.

    Returns
    -------
    Model or Spm
        The model, with SPM's conventions; the agent, with scheme="spm".
    """
    if scheme is not None:
        if scheme != "spm":
            raise BadInput(f'scheme: expected "spm", found {scheme!r}')
        if horizon is not None:
            raise BadInput("horizon: policies of SPM's scheme are those of V, as long as they are")
        return _agent(_structures(path, name), os.fspath(path))
    mdp = _structures(path, name)[0]
    fields = mdp._fieldnames

    def get(*keys: str) -> Array | None:
        for key in keys:
            if key in fields and np.size(getattr(mdp, key)):
                return getattr(mdp, key)
        return None

    def need(*keys: str) -> Array:
        value = get(*keys)
        if value is None:
            raise BadInput(f"{path}: the structure has no {keys[-1]}; it has {', '.join(fields)}")
        return value

    def own(small: str, large: str) -> tuple[str, ...]:
        return (large,) if process else (small, large)

    B = [_columns(b, 3) for b in _cells(need(*own("b", "B")))]
    n_factor = len(B)
    A = [_columns(a, 1 + n_factor) for a in _cells(need(*own("a", "A")))]
    D_given = get(*own("d", "D"))
    D = (None if D_given is None
         else [_columns(d.reshape(-1), 1) for d in _cells(D_given)])
    policies, steps = _policies(get("V"), get("U"), _depth(get("T"), get("N")), horizon,
                                [b.shape[-1] for b in B], path)
    C_given = get("C")
    C = None if C_given is None else [_preferences(c, a.shape[0], steps)
                                      for c, a in zip(_cells(C_given), A)]
    if C is not None and any(c.ndim == 2 for c in C):
        C = [c if c.ndim == 2 else np.tile(c, (steps, 1)) for c in C]
    E_given = get(*own("e", "E"))
    E = None if E_given is None else _dense(E_given).reshape(-1)
    if E is not None and isinstance(policies, str):
        if np.ptp(E) > 0:
            raise NotImplementedError(f"{path}: E, a prior of policies, is not supported without "
                                      f"V, the policies that it belongs to")
        E = None
    counts = None if process else _counts(get, A, B, D, E, policies, path)
    habits = like("spm")
    model = Model(A, B, C, D, horizon=steps, policies=policies, E=E, counts=counts,
                  preferences=habits["preferences"], information=habits["information"],
                  gamma=1.0 / _number(get("beta"), 1.0), name=os.path.basename(os.fspath(path)))
    model._settings = {"action": habits["action"],
                       "alpha": _number(get("alpha"), habits["alpha"])}
    unused = [key for key in _OTHERS if get(key) is not None]
    if unused:
        warnings.warn(f"{path}: Sonde's own agents do not use {', '.join(unused)} of SPM's; "
                      f'scheme="spm" is SPM\'s own, and docs/from-spm.md has what is there instead',
                      stacklevel=2)
    return model


def _counts(get: Callable[..., Array | None], A: list[Any], B: list[Any], D: list[Any] | None,
            E: Floats | None, policies: Array | str, path: Path) -> dict[str, Any] | None:
    """SPM's a, b, c, d and e as counts of a model."""
    counts: dict[str, Any] = {}
    for small, arrays in (("a", A), ("b", B), ("d", D)):
        given = get(small)
        if given is not None:
            counts[small.upper()] = [np.asarray(_dense(one), float).reshape(np.shape(mean))
                                     for one, mean in zip(_cells(given), arrays or [])]
    given = get("c")
    if given is not None:
        cells = [np.asarray(_dense(one), float).reshape(np.shape(a)[0], -1)
                 for one, a in zip(_cells(given), A)]
        if any(np.ptp(one, axis=1).max() > 0 for one in cells):
            raise BadInput(f'{path}: c: expected counts that are the same at every time, which '
                           f'preferences here are learned from; take scheme="spm"')
        counts["C"] = [one[:, 0] for one in cells]
    if get("e") is not None and E is not None and not isinstance(policies, str):
        counts["E"] = E
    return counts or None


def _number(value: Array | None, usual: float) -> float:
    return usual if value is None else float(np.asarray(value).reshape(-1)[0])


def _depth(T: Array | None, N: Array | None) -> int:
    """How many steps SPM looks ahead with U: to the last time, or N more than one."""
    steps = [int(_number(T, 0.0)) - 1] if T is not None else []
    if N is not None:
        steps.append(int(_number(N, 0.0)) + 1)
    return max(1, min(steps)) if steps else 1


def _policies(V: Array | None, U: Array | None, depth: int, horizon: int | None,
              controls: list[int], path: Path) -> tuple[Array | str, int]:
    if V is not None:
        listed = _dense(V).astype(np.int64) - 1
        listed = listed.reshape(listed.shape + (1,) * (3 - listed.ndim))
        if horizon is not None and horizon != listed.shape[0]:
            raise BadInput(f"{path}: V has {listed.shape[0]} steps, not {horizon}")
        return np.ascontiguousarray(listed.transpose(1, 0, 2)), listed.shape[0]
    steps = horizon or depth
    if U is None:
        return "all", steps
    # (1, actions, factors), or (actions, factors) as SPM itself puts it
    actions = (_dense(U).astype(np.int64) - 1).reshape(-1, len(controls))
    if len(np.unique(actions, axis=0)) == np.prod(controls):
        return "all", steps
    index = np.indices((len(actions),) * steps).reshape(steps, -1).T
    return actions[index], steps


def _preferences(array: Floats, n_outcome: int, steps: int) -> Floats:
    array = array.reshape(n_outcome, -1)
    if array.shape[1] == 1:
        return array[:, 0]
    later = array if array.shape[1] == steps else array[:, 1:steps + 1]
    if later.shape[1] < steps:
        raise BadInput(f"C: expected 1, {steps} or {steps + 1} columns, found {array.shape[1]}")
    return np.ascontiguousarray(later.T)


# --------------------------------------------------------------------------------- SPM's scheme --

#: fields that are handed on, and others that mean nothing to one agent on one level: names, true
#: states, and what SPM itself has put there
_TAKEN = ("A", "B", "C", "D", "E", "a", "b", "c", "d", "e")
_NUMBERS = ("T", "alpha", "beta", "zeta", "eta", "tau", "erp")
_IDLE = frozenset("""label Aname Bname Sname Oname tag s o u S F Fa Fb Fc Fd Fe G H L P Q R X Y rt
                     un vn xn wn dn w v t a0 b0 c0 d0 e0 plot name""".split())
#: numbers that spm_MDP_VB_X reads beside fields alone that are refused here, or not at all
_UNREAD = frozenset(["chi", "lambda", "N"])
#: numbers of SPM's that Sonde's own agents do not have
_OTHERS = ("zeta", "eta", "tau", "erp", "chi", "omega")


def _nested(value: object) -> object:
    """Arrays as lists, and what is not there as None."""
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, Mapping):
        return {key: _nested(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_nested(one) for one in value]
    return np.asarray(value).tolist()


class SpmTrial:
    """What a trial of SPM's scheme comes to, with SPM's names, axes and sign: G is larger where a
    policy is better.

    Attributes
    ----------
    X : list of arrays (states, times)
        What states are believed to be, averaged over policies.
    F, G, R : arrays (policies, times)
        Evidence of a policy, what it is expected to bring, its probability; 0 once it is dropped.
    w, H : arrays (times)
        Precision; evidence.
    P : array (actions of factor 1, actions of factor 2, ..., times - 1)
        Probability of moves.
    a, b, c, d : lists of arrays, or None
        Counts after the trial, with the axes that they have in the structure.
    e : array (policies), or None
        Counts of policies.
    log_likelihood : float
        Of the actions that were taken.

    Parameters
    ----------
    document : str
        What the library says of it, as JSON.
    """

    X: list[Floats]
    F: Floats
    G: Floats
    R: Floats
    w: Floats
    H: Floats
    P: Floats
    a: list[Floats | None] | None
    b: list[Floats | None] | None
    c: list[Floats | None] | None
    d: list[Floats | None] | None
    e: Floats | None
    log_likelihood: float

    def __init__(self, document: str):
        found = json.loads(document)
        for key in "FGRwHP":
            setattr(self, key, np.array(found[key], float))
        for key in "Xabcd":
            value = found.get(key)
            setattr(self, key, None if value is None else [
                None if one is None else np.array(one, float) for one in value])
        self.e = np.array(found["e"], float) if "e" in found else None
        value = found["log_likelihood"]
        self.log_likelihood = -np.inf if value is None else value

    def __repr__(self) -> str:
        return (f"SpmTrial({self.R.shape[0]} policies, {self.R.shape[1]} times, "
                f"log-likelihood {self.log_likelihood:.6g})")


class Spm:
    """An agent that believes, decides and learns as SPM's spm_MDP_VB_X does, for listed policies V,
    one agent and one level. Everything about it is SPM's: the names of the fields, their axes, and
    numbers that begin at 1.

    Parameters
    ----------
    model : mapping
        The fields: V; A, B, C, D, E and a, b, c, d, e, of which those that are there are
        learned; T, alpha, beta, zeta, eta, tau and erp. What else SPM knows is refused by its name.
    trials : list of mappings, optional
        {"o": (modalities, T), "u": (factors, T - 1)}, recorded ones; `replay` goes through them.
    threads, memory : optional
        As in Model.
    origin : str
        What stands for the structure in errors.
    """

    #: recorded trials
    trials: list[tuple[Ints, Ints | None]]

    def __init__(self, model: Mapping[str, Any],
                 trials: Sequence[Mapping[str, npt.ArrayLike | None]] = (), *,
                 threads: int | None = None, memory: Memory = None, origin: str = "model"):
        self._model, self._origin = _nested(model), origin
        document = json.dumps({"format": "sonde-spm", "version": 1, "model": self._model})
        self._handle = _sonde.spm_read(document.encode(), origin, run_of(threads, memory, None))
        self._shape = _sonde.spm_shape(self._handle)
        self.trials = [self._numbers(trial.get("o"), trial.get("u"), f"trials[{i}].")
                       for i, trial in enumerate(trials)]

    def _rows(self, value: npt.ArrayLike, size: Array, n_time: int, what: str) -> Ints:
        """Numbers (modalities or factors, times) from 1 on, as (times, ...) from 0 on."""
        found = np.asarray(value)
        if found.ndim == 1 and len(size) == 1:
            found = found[None, :]
        if found.shape != (len(size), n_time):
            raise BadInput(f"{what}: expected an array ({len(size)}, {n_time}), found "
                           f"{found.shape}")
        limit = np.asarray(size)[:, None]
        if not (np.all(found == np.floor(found)) and np.all(found >= 1) and np.all(found <= limit)):
            at = np.argwhere(~((found == np.floor(found)) & (found >= 1) & (found <= limit)))[0]
            raise BadInput(f"{what}[{at[0]}][{at[1]}]: expected a whole number from 1, as SPM "
                           f"counts, to {size[at[0]]}, found {found[tuple(at)]}")
        return np.ascontiguousarray(found.T.astype(np.int32) - 1)

    def _numbers(self, o: npt.ArrayLike | None, u: npt.ArrayLike | None,
                 what: str = "") -> tuple[Ints, Ints | None]:
        n_time = self._shape["n_time"]
        if o is None:
            raise BadInput(f"{what}o: expected outcomes, found None")
        return (self._rows(o, np.asarray(self._shape["n_outcome"]), n_time, f"{what}o"),
                None if u is None else
                self._rows(u, np.asarray(self._shape["n_action"]), n_time - 1, f"{what}u"))

    def trial(self, o: npt.ArrayLike, u: npt.ArrayLike | None = None) -> SpmTrial:
        """One trial, after which counts have grown.

        Parameters
        ----------
        o : array (modalities, T)
            Outcomes.
        u : array (factors, T - 1), optional
            Actions, which say how probable they were; beliefs do not depend on them.

        Returns
        -------
        SpmTrial
            What it comes to.
        """
        return SpmTrial(_sonde.spm_run(self._handle, *self._numbers(o, u)))

    def replay(self) -> list[SpmTrial]:
        """All recorded trials, from the counts that the structure has.

        Returns
        -------
        list of SpmTrial
            What each comes to.
        """
        self.forget()
        return [SpmTrial(_sonde.spm_run(self._handle, o, u)) for o, u in self.trials]

    def _recorded(self, trials: list[tuple[Ints, Ints | None]]) -> _sonde.Handle:
        """An agent of the same structure whose document has these trials."""
        document = {"format": "sonde-spm", "version": 1, "model": self._model, "trials": [
            {"o": (o.T + 1).tolist(), **({} if u is None else {"u": (u.T + 1).tolist()})}
            for o, u in trials]}
        return _sonde.spm_read(json.dumps(document).encode(), self._origin, None)

    def forget(self) -> None:
        """Puts counts back to those of the structure."""
        _sonde.spm_forget(self._handle)

    def __repr__(self) -> str:
        return (f"Spm({self._shape['n_policy']} policies, {self._shape['n_time']} times, "
                f"{len(self.trials)} recorded trials)")


def _agent(structures: list[Any], origin: str) -> Spm:
    """An agent of the first structure, and the trials of all of them."""
    first = structures[0]
    given = {key: getattr(first, key) for key in first._fieldnames
             if np.size(getattr(first, key)) and key not in _IDLE | _UNREAD}
    # what spm_MDP_VB_X leaves behind, and does not look at when it comes back
    if np.shape(given.get("V", ()))[1:2] > (1,) and np.size(getattr(first, "o", ())):
        given.pop("O", None)
    if not np.any(_dense(given.get("n", 0.0))):
        given.pop("n", None)
    model: dict[str, Any] = {}
    for key, value in given.items():
        if key in ("e", "E"):
            model[key] = _dense(value).reshape(-1)
        elif key in _TAKEN:
            model[key] = [one.reshape(-1) if key in "dD" else one for one in _cells(value)]
        elif key in _NUMBERS:
            model[key] = _number(value, 0.0)
        elif key == "V":
            V = _dense(value)
            model[key] = V.reshape(V.shape + (1,) * (3 - V.ndim))
        else:
            model[key] = True  # refused by its name
    if "T" in model:
        model["T"] = int(model["T"])
    n_time = np.shape(model["V"])[0] + 1 if "V" in model else 0
    trials = []
    for one in structures:
        o = _dense(one.o) if "o" in one._fieldnames and np.size(one.o) else None
        u = _dense(one.u) if "u" in one._fieldnames and np.size(one.u) else None
        if o is not None:
            trials.append({"o": o[:, :n_time], "u": None if u is None else u[:, :n_time - 1]})
    return Spm(model, trials, origin=origin)


def as_spm(given: object) -> Spm:
    """An agent of SPM's scheme, from one, a .mat file, or a sonde-spm document."""
    if isinstance(given, Spm):
        return given
    if not isinstance(given, (str, os.PathLike)):
        raise TypeError(f"model: expected Spm or a file, found {type(given).__name__}")
    if os.fspath(given).endswith(".mat"):
        return from_spm(given, scheme="spm")
    found = document_of(given)
    if not isinstance(found, dict) or "model" not in found:
        raise BadInput(f"{os.fspath(given)}: expected a .mat file or a sonde-spm document")
    return Spm(found["model"], found.get("trials", ()), origin=os.fspath(given))


def trials_of(agent: Spm, data: Data) -> dict[str, list[tuple[Ints, Ints | None]]]:
    """The trials of each subject of a table: an episode a trial, a row a time."""
    shape = agent._shape
    n_state, n_action, n_outcome = map(np.asarray, (shape["n_state"], shape["n_action"],
                                                    shape["n_outcome"]))
    model = Model([np.full((n, *n_state), 1 / n) for n in n_outcome],
                  [np.full((n, n, k), 1 / n) for n, k in zip(n_state, n_action)],
                  [np.zeros(n) for n in n_outcome], horizon=1)
    rows, n_time = data.rows(model), shape["n_time"]
    made: dict[str, list[tuple[Ints, Ints | None]]] = {}
    for i, subject in enumerate(rows.subjects):
        here = slice(rows.first[i], rows.first[i + 1])
        begins = np.flatnonzero(rows.step[here] == 0) + rows.first[i]
        made[subject] = []
        for begin, end in zip(begins, [*begins[1:], rows.first[i + 1]]):
            where = f"{data.origin}: row {rows.row[begin]}"
            if end - begin != n_time:
                raise BadInput(f"{where}: expected {n_time} rows of an episode, as a trial has "
                               f"times, found {end - begin}")
            o, done = rows.outcome[begin:end], rows.action[begin:end - 1]
            if rows.session[begin] > 0 or not rows.score[begin:end].all():
                raise BadInput(f"{where}: expected one session and score 1, since counts go on and "
                               f"all actions count in SPM's scheme")
            if (o < 0).any() or (done < 0).any():
                raise BadInput(f"{where}: expected outcomes and actions, since SPM's scheme knows "
                               f"no missing ones")
            u = np.stack(np.unravel_index(done, tuple(n_action)), axis=-1).astype(np.int32)
            made[subject].append((np.ascontiguousarray(o), np.ascontiguousarray(u)))
    return made


# ----------------------------------------------------------------------------- model reduction --

def reduce(posterior: npt.ArrayLike, prior: npt.ArrayLike,
           reduced: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Compares priors by what was learned (Bayesian model reduction, spm_MDP_log_evidence): how
    much more do the data speak for the counts that learning began with than for others?

    Parameters
    ----------
    posterior : array
        Counts after learning; columns are along the first axis.
    prior : array
        Counts before.
    reduced : array
        Counts that it might have begun with; a 0 asks whether an entry is needed.

    Returns
    -------
    evidence : array
        Of each column, in nats; below 0 the reduced prior is the better one.
    after : array
        The counts that learning would have come to.
    """
    q, p, r = (np.ascontiguousarray(np.asarray(one, np.float64))
               for one in (posterior, prior, reduced))
    if q.ndim < 1 or q.size == 0 or q.shape != p.shape or q.shape != r.shape:
        raise BadInput(f"expected three arrays of one shape, found {q.shape}, {p.shape} and "
                       f"{r.shape}")
    evidence, after = np.empty(q.shape[1:]), np.empty(q.shape)
    _sonde.reduce(q.shape[0], q.size // q.shape[0], q, p, r, evidence.reshape(-1), after)
    return evidence, after
