"""Arrays on their way in (checked, as C-contiguous doubles) and out (read-only, not copied)."""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np
import numpy.typing as npt

from ._sonde import BadInput
from ._types import Array, Floats, Ints, Memory, Objects, Progress, Run

if TYPE_CHECKING:
    from ._sonde import View

Number = TypeVar("Number", bound=np.generic)


@overload
def view(array: None) -> None: ...


@overload
def view(array: View) -> Array: ...


@overload
def view(array: View | None) -> Array | None: ...


def view(array: View | None) -> Array | None:
    """An array of the library as NumPy's, which keeps its owner alive; None stays None."""
    return None if array is None else np.asarray(array)


def frozen(array: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """The same array, read-only from now on."""
    array.flags.writeable = False
    return array


def doubles(value: object, what: str) -> Floats:
    """Numbers of any type and layout as C-contiguous doubles; not copied if they are that."""
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "biuf":
            if array.dtype.kind != "O":
                raise ValueError
            array = array.astype(np.float64)
        return np.asarray(array, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise BadInput(f"{what}: expected an array of numbers, found {_short(value)}") from None


def integers(value: object, what: str) -> Ints:
    """Whole numbers of any type as C-contiguous 32-bit ones."""
    try:
        array = np.asarray(value)
        if array.size == 0:
            return np.zeros(array.shape, np.int32)
        if array.dtype.kind not in "iu":
            whole = array.astype(np.float64)
            if not np.array_equal(whole, np.floor(whole)) or array.dtype.kind not in "fOb":
                raise ValueError
            array = whole
        if array.min() < -2**31 or array.max() >= 2**31:
            raise ValueError
        return np.asarray(array, dtype=np.int32, order="C")
    except (TypeError, ValueError, OverflowError):
        raise BadInput(f"{what}: expected whole numbers, found {_short(value)}") from None


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def several(value: object) -> list[Any]:
    """A list of arrays from a list, pymdp's array of objects, one array, or one list of numbers."""
    if isinstance(value, np.ndarray) and value.dtype == object:
        return list(value)
    if isinstance(value, (list, tuple)):
        flat = len(value) > 0 and all(isinstance(one, (int, float, np.number)) for one in value)
        return [value] if flat else list(value)
    return [value]


def is_single(value: object) -> bool:
    """Whether something is one thing, such as a number or a name, rather than several."""
    if isinstance(value, str):
        return True
    return not isinstance(value, (list, tuple)) and np.asarray(value).ndim == 0


def objects(arrays: Iterable[Array]) -> Objects:
    """pymdp's way to keep arrays of different sizes together: an array of objects."""
    listed = list(arrays)
    made = np.empty(len(listed), dtype=object)
    for i, array in enumerate(listed):
        made[i] = array
    return made


def _bytes(memory: str) -> int:
    """What a text such as "500M" stands for."""
    number, unit = memory.rstrip("KMGTB"), memory.lstrip("0123456789.")
    powers = {"": 0, "B": 0, "K": 10, "M": 20, "G": 30, "T": 40}
    try:
        return int(float(number) * 2 ** powers[unit.removesuffix("B") or "B"])
    except (KeyError, ValueError):
        raise BadInput(f'memory: expected bytes, or a text such as "500M", found {memory!r}'
                       ) from None


def run_of(threads: int | None, memory: Memory, progress: Progress | None) -> Run | None:
    """How to run, as the extension takes it."""
    if threads is None and memory is None and progress is None:
        return None
    return threads, _bytes(memory) if isinstance(memory, str) else memory, progress
