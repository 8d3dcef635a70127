"""Arrays on their way in (checked, as C-contiguous doubles) and out (read-only, not copied)."""
from __future__ import annotations

from typing import Any, Callable, Iterable

import numpy as np

Progress = Callable[[str, int, int], Any]


def view(array: Any) -> np.ndarray | None:
    """An array of the library as NumPy's, which keeps its owner alive; None stays None."""
    return None if array is None else np.asarray(array)


def frozen(array: np.ndarray) -> np.ndarray:
    """The same array, read-only from now on."""
    array.flags.writeable = False
    return array


def doubles(value: Any, what: str) -> np.ndarray:
    """Numbers of any type and layout as C-contiguous doubles; not copied if they are that."""
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "biuf":
            if array.dtype.kind != "O":
                raise ValueError
            array = array.astype(np.float64)
        return np.asarray(array, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise ValueError(f"{what}: expected an array of numbers, found {_short(value)}") from None


def integers(value: Any, what: str) -> np.ndarray:
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
        raise ValueError(f"{what}: expected whole numbers, found {_short(value)}") from None


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def several(value: Any) -> list[Any]:
    """A list of arrays from a list, pymdp's array of objects, one array, or one list of numbers."""
    if isinstance(value, np.ndarray) and value.dtype == object:
        return list(value)
    if isinstance(value, (list, tuple)):
        flat = len(value) > 0 and all(isinstance(one, (int, float, np.number)) for one in value)
        return [value] if flat else list(value)
    return [value]


def is_single(value: Any) -> bool:
    """Whether something is one thing, such as a number or a name, rather than several."""
    return isinstance(value, str) or (not isinstance(value, (list, tuple)) and np.ndim(value) == 0)


def objects(arrays: Iterable[np.ndarray]) -> np.ndarray:
    """pymdp's way to keep arrays of different sizes together: an array of objects."""
    listed = list(arrays)
    made = np.empty(len(listed), dtype=object)
    for i, array in enumerate(listed):
        made[i] = array
    return made


def run_of(threads: int | None, memory: int | str | None, progress: Progress | None) -> Any:
    """How to run, as the extension takes it."""
    if threads is None and memory is None and progress is None:
        return None
    if isinstance(memory, str):
        number, unit = memory.rstrip("KMGTB"), memory.lstrip("0123456789.")
        powers = {"": 0, "B": 0, "K": 10, "M": 20, "G": 30, "T": 40}
        try:
            memory = int(float(number) * 2 ** powers[unit.removesuffix("B") or "B"])
        except (KeyError, ValueError):
            raise ValueError(f'memory: expected bytes, or a text such as "500M", found {memory!r}'
                             ) from None
    return threads, memory, progress
