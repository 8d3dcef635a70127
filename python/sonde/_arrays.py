"""Arrays on their way in (checked, as C-contiguous doubles) and out (read-only, not copied)."""
from __future__ import annotations

import json
import operator
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np
import numpy.typing as npt

from ._sonde import BadInput, NoFile
from ._types import Array, Floats, Ints, Memory, Objects, Path, Progress, Run

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


def kept(fields: Any) -> Any:
    """What the library says of an object, with copies of its arrays, which outlive the object."""
    return {key: frozen(np.array(view(value))) if type(value).__name__ == "View" else value
            for key, value in fields.items()}


def unmasked(value: object, what: str) -> None:
    """Raises for masked numbers, whose masks nobody would look at."""
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise BadInput(f"{what}: expected numbers, found masked ones; fill them in")


def doubles(value: object, what: str) -> Floats:
    """Numbers of any type and layout as C-contiguous doubles; not copied if they are that."""
    unmasked(value, what)
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "biuf":
            if array.dtype.kind != "O":
                raise ValueError
            array = array.astype(np.float64)
        return np.asarray(array, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise BadInput(f"{what}: expected an array of numbers, found {_short(value)}") from None


def columns(value: Any) -> Any:
    """Probabilities in single precision sum to 1 less closely than the library wants: where they do
    so within 1e-5, their columns are divided by their sums. Everything else stays as it is."""
    if not hasattr(value, "dtype") or hasattr(value, "tocoo") or np.ma.is_masked(value):
        return value
    given = np.asarray(value)
    if given.dtype.kind != "f" or given.dtype.itemsize >= 8 or given.ndim == 0:
        return value
    made = given.astype(np.float64)
    total = made.sum(axis=0, keepdims=True)
    return made / total if np.all(np.abs(total - 1.0) <= 1e-5) else made


def integers(value: object, what: str) -> Ints:
    """Whole numbers of any type as C-contiguous 32-bit ones."""
    unmasked(value, what)
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
    if isinstance(value, np.ndarray) and value.ndim > 0:
        return f"an array of {value.dtype.name} with the shape {value.shape}"
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else text[:77] + "..."


def stacked(policies: Iterable[npt.ArrayLike]) -> Array:
    """Listed policies as an array."""
    try:
        return np.stack([np.asarray(policy) for policy in policies])
    except (TypeError, ValueError):
        raise BadInput(f"policies: expected one or more of the same length, (steps, factors) each, "
                       f"found {_short(policies)}") from None


def whole(value: Any, what: str, least: int = 0, most: int = 2**31 - 1) -> int:
    """A whole number within bounds."""
    try:
        number = operator.index(value)
    except TypeError:
        raise BadInput(f"{what}: expected a whole number, found {_short(value)}") from None
    if not least <= number <= most:
        raise BadInput(f"{what}: expected a whole number from {least} to {most}, found {number}")
    return number


def real(value: object, what: str) -> float:
    """A number; also one of NumPy's, or an array of a single one."""
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "biufO" or array.size != 1:
            raise TypeError
        return float(array.item())
    except (TypeError, ValueError):
        raise BadInput(f"{what}: expected a number, found {_short(value)}") from None


def plain(value: object) -> object:
    """What JSON has in the place of NumPy's numbers and arrays."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    raise BadInput(f"expected numbers, texts, lists and dicts of them, found {_short(value)}")


def text_of(path: Path) -> str:
    """What is in a file, or NoFile and BadInput in the library's words."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            return file.read()
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: expected text in UTF-8, found the byte "
                       f"0x{error.object[error.start]:02x}") from None
    except OSError as error:
        raise NoFile(f"{path}: cannot be opened: {error.strerror}") from None


def document_of(path: Path) -> Any:
    """What a file of JSON says."""
    try:
        return json.loads(text_of(path))
    except json.JSONDecodeError as error:
        raise BadInput(f"{path}: line {error.lineno}, column {error.colno}: expected a JSON "
                       f"document: {error.msg}") from None


def _n_axis(value: object) -> float:
    """How many axes nested lists of numbers look like; no number if there is something else in
    them, such as an array."""
    if isinstance(value, (list, tuple)):
        return 1 + (_n_axis(value[0]) if len(value) > 0 else np.inf)
    return 0 if isinstance(value, (int, float, np.number)) else np.inf


def several(value: object, n_axis: int = 1) -> list[Any]:
    """A list of arrays from a list, pymdp's array of objects, one array, or nested lists of numbers
    that look like one array of n_axis axes."""
    if isinstance(value, np.ndarray) and value.dtype == object:
        return list(value)
    if isinstance(value, (list, tuple)):
        return [value] if _n_axis(value) <= n_axis else list(value)
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
