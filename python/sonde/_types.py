"""The types of what is taken and given, by name."""
from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypedDict

import numpy as np
import numpy.typing as npt

#: arrays as they come back
Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Counts = npt.NDArray[np.uint64]
Objects = npt.NDArray[np.object_]

#: how to run
Path = str | os.PathLike[str]
Memory = int | str | None
Progress = Callable[[str, int, int], object]
Run = tuple[int | None, int | None, Progress | None]

#: outcomes as the library has them, and weights of all of them; surprise, free energy, complexity,
#: accuracy and log evidence
Seen = tuple[Ints, Floats | None]
Energy = tuple[float, float, float, float, float]

#: a JSON document, or a part of it
Document = dict[str, Any]


class Sparse(TypedDict):
    """A sparse array: its shape, and rows (index of each axis, number)."""

    shape: Sequence[int]
    entries: npt.ArrayLike


class Coordinates(Protocol):
    """What SciPy's coordinate matrices have."""

    row: Array
    col: Array
    data: Array
    shape: tuple[int, ...]


class SparseMatrix(Protocol):
    """Any of SciPy's sparse matrices."""

    def tocoo(self) -> Coordinates:
        """The same by coordinates."""


#: one array of a model, and one for each factor or modality
Tensor = npt.ArrayLike | Sparse | SparseMatrix
Tensors = Tensor | Sequence[Tensor] | Mapping[str, Tensor]

#: numbers of states or outcomes, which may have names: a name is a certain one
Vector = Tensor | Mapping[str, float]
Vectors = Vector | Sequence[Vector] | Mapping[str, Vector]

#: factors or modalities by number or name
Described = Sequence[Mapping[str, Any]] | Mapping[str, Any]

#: a belief, the outcomes of all modalities, an action, policies: see Model
Belief = npt.ArrayLike | Sequence[npt.ArrayLike]
Outcomes = int | str | None | Sequence[int | str | None | npt.ArrayLike] | npt.ArrayLike
Action = int | Sequence[int] | npt.ArrayLike
Policies = npt.ArrayLike | Sequence[npt.ArrayLike]

#: what gymnasium has, of which each environment makes what it likes
Environment = Any
Observation = Any
EnvAction = Any
EnvSpace = Any

#: a node of a graph, and an edge (previous, current)
Node = int | str
Edge = str | Sequence[Node]
