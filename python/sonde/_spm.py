"""Models of SPM's MDP structures."""
from __future__ import annotations

import os
from typing import Any

import numpy as np

from ._model import Model
from ._names import like
from ._sonde import BadInput
from ._types import Array, Floats, Path


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


def _structure(path: Path, name: str | None) -> Any:
    from scipy.io import loadmat

    with open(path, "rb") as file:
        found = loadmat(file, struct_as_record=False, squeeze_me=False)
    names = [key for key in found if not key.startswith("__")]
    for key in [name] if name else [*(k for k in names if k.lower() == "mdp"), *names]:
        value = found.get(key)
        if isinstance(value, np.ndarray) and value.dtype == object and value.size and hasattr(
                value.flat[0], "_fieldnames"):
            return value.flat[0]
    raise BadInput(f"{path}: expected a structure MDP, found {', '.join(names) or 'nothing'}")


def from_spm(path: Path, name: str | None = None, *, horizon: int | None = None) -> Model:
    """Reads an MDP structure of SPM's DEM toolbox from a .mat file (through SciPy).

    What is the agent's is read: a, b, d, e (counts) where they are there, and else A, B, D, E,
    which are then the world's as well; columns are divided by their sums, as SPM does. Policies: V
    (steps, policies, factors), 1-based, as a list; or U (1, actions, factors), of which every
    sequence is meant. C has a column for each time: columns 2 and later are what is still to come.
    gamma is 1 / beta, from where SPM goes on to update it; alpha (512 unless given) is in
    Model.settings, which plan, simulate and Agent use where they are told nothing else. What else
    changes SPM's numbers (c, which it learns C with) is refused.

    Parameters
    ----------
    path : path
        The file.
    name : str, optional
        Of the structure; one called MDP, or else the first, unless given.
    horizon : int, optional
        Steps in a policy, with U; T - 1 unless given.

    Returns
    -------
    Model
        The model, with SPM's conventions.
    """
    mdp = _structure(path, name)
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

    if get("c") is not None:
        raise NotImplementedError(f"{path}: c, counts of preferences, is not supported: Sonde does "
                                  f"not learn; give C alone")
    B = [_columns(b, 3) for b in _cells(need("b", "B"))]
    n_factor = len(B)
    A = [_columns(a, 1 + n_factor) for a in _cells(need("a", "A"))]
    D_given = get("d", "D")
    D = (None if D_given is None
         else [_columns(d.reshape(-1), 1) for d in _cells(D_given)])
    policies, steps = _policies(get("V"), get("U"), get("T"), horizon,
                                [b.shape[-1] for b in B], path)
    C_given = get("C")
    C = None if C_given is None else [_preferences(c, a.shape[0], steps)
                                      for c, a in zip(_cells(C_given), A)]
    if C is not None and any(c.ndim == 2 for c in C):
        C = [c if c.ndim == 2 else np.tile(c, (steps, 1)) for c in C]
    E_given = get("e", "E")
    E = None if E_given is None else _dense(E_given).reshape(-1)
    if E is not None and isinstance(policies, str):
        if np.ptp(E) > 0:
            raise NotImplementedError(f"{path}: E, a prior of policies, is not supported without "
                                      f"V, the policies that it belongs to")
        E = None
    habits = like("spm")
    model = Model(A, B, C, D, horizon=steps, policies=policies, E=E,
                  preferences=habits["preferences"], information=habits["information"],
                  gamma=1.0 / _number(get("beta"), 1.0), name=os.path.basename(os.fspath(path)))
    model._settings = {"action": habits["action"],
                       "alpha": _number(get("alpha"), habits["alpha"])}
    return model


def _number(value: Array | None, usual: float) -> float:
    return usual if value is None else float(np.asarray(value).reshape(-1)[0])


def _policies(V: Array | None, U: Array | None, T: Array | None, horizon: int | None,
              controls: list[int], path: Path) -> tuple[Array | str, int]:
    if V is not None:
        listed = _dense(V).astype(np.int64) - 1
        listed = listed.reshape(listed.shape + (1,) * (3 - listed.ndim))
        if horizon is not None and horizon != listed.shape[0]:
            raise BadInput(f"{path}: V has {listed.shape[0]} steps, not {horizon}")
        return np.ascontiguousarray(listed.transpose(1, 0, 2)), listed.shape[0]
    steps = horizon or (max(1, int(np.asarray(T).item()) - 1) if T is not None else 1)
    if U is None:
        return "all", steps
    actions = _dense(U).astype(np.int64) - 1
    actions = actions.reshape(actions.shape + (1,) * (3 - actions.ndim))[0]
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
