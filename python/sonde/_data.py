"""What people saw and did, as tables, frames and arrays."""
from __future__ import annotations

import csv
import gzip
import io
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _sonde
from ._arrays import document_of, frozen, integers, view
from ._model import Model
from ._sonde import BadInput, NoFile
from ._types import Array, Document, Ints, Path
from ._versions import need

if TYPE_CHECKING:
    import pandas


def cell_of(value: object) -> str:
    """A value as a cell; nothing where it is missing."""
    if value is None or value is np.ma.masked:
        return "NA"
    if isinstance(value, (float, np.floating)):
        if np.isnan(value):
            return "NA"
        return str(int(value)) if float(value).is_integer() else repr(float(value))
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    text = str(value)
    return "NA" if text in ("<NA>", "nan", "NaT") else text


def _table(columns: Mapping[str, Sequence[object]]) -> bytes:
    """Columns as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([[cell_of(value) for value in row] for row in zip(*columns.values())])
    return text.getvalue().encode()


def _whole(value: object, n_axis: int, what: str) -> Array:
    """Numbers of outcomes or actions, negative or not a number where they are missing."""
    array = np.ma.filled(np.ma.asarray(value).astype(np.float64), np.nan)
    if array.ndim not in (n_axis - 1, n_axis):
        raise BadInput(f"{what}: expected {n_axis - 1} axes or {n_axis}, the last one of "
                       f"modalities or factors, found {array.ndim}")
    array = array if array.ndim == n_axis else array[..., None]
    good = np.isnan(array) | (array == np.floor(array))
    if not good.all():
        raise BadInput(f"{what}: expected whole numbers, found {array[~good].flat[0]}")
    return np.where(array < 0, np.nan, array)


def _beside(path: str) -> Document | None:
    """The document beside a table that `sonde simulate --data` has written."""
    try:
        found = document_of(path)
    except (NoFile, BadInput):
        return None
    ours = isinstance(found, dict) and found.get("format") == "sonde-table"
    return found if ours and isinstance(found.get("settings"), dict) else None


class Data:
    """What people saw and did: a table, which is checked against the model that it is used with.

    A row is a step: the columns `subject`, and, where there are any, `session` (counts begin anew),
    `episode` (the belief begins anew), `step`, `score` (0: the action does not count) and `model`;
    one for each modality and one for each factor with actions, by their names or o0, o1, ..., u0,
    u1, ...; and others, which are kept. Cells are names, or numbers from `base` on; empty ones and
    NA are missing. docs/fitting.md has the rest.

    Parameters
    ----------
    table : str or bytes
        The table, comma- or tab-separated, with a header.
    timing : {"before", "after"}
        Whether a row's outcomes were seen before its action, or came of it.
    map : dict or str, optional
        What the table calls things: {"subject": "subjID", "action.arm": "choice", "reward.win": 1}.
    base : {0, 1}
        What its numbers count from.
    missing : {"error", "predict"}
        What is done where an action is missing.
    origin : str
        What stands for the table in errors.
    """

    _beside: Document | None = None  # what `sonde simulate --data` says of the table's agent

    def __init__(self, table: str | bytes, *, timing: str = "before",
                 map: Mapping[str, object] | str | None = None, base: int = 0,
                 missing: str = "error", origin: str = "data"):
        if timing not in ("before", "after"):
            raise BadInput(f"timing: expected before or after, found {timing!r}")
        if missing not in ("error", "predict"):
            raise BadInput(f"missing: expected error or predict, found {missing!r}")
        self.timing, self.origin = timing, origin
        self._table = table.encode() if isinstance(table, str) else table
        self._map = (",".join(f"{ours}={theirs}" for ours, theirs in map.items())
                     if isinstance(map, Mapping) else map)
        self._base, self._missing = base, missing
        self._arrays: tuple[Array, Array, dict[str, list[object]]] | None = None
        self._read: tuple[object, _sonde.Handle] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """The table, which is read again where it is needed."""
        return self.__dict__ | {"_read": None}

    @classmethod
    def from_csv(cls, path: Path, *, timing: str = "before",
                 map: Mapping[str, object] | str | None = None, base: int = 0,
                 missing: str = "error") -> Data:
        """Reads a CSV or TSV file, gzip-compressed or not. What `sonde simulate --data` has written
        beside it is not taken over; where replay, fit and loglik have another agent, they warn.

        Parameters
        ----------
        path : path
            The file.
        timing, map, base, missing : optional
            As in Data.

        Returns
        -------
        Data
        """
        try:
            with open(path, "rb") as file:
                table = file.read()
        except OSError as error:
            raise NoFile(f"{path}: cannot be opened: {error.strerror}") from None
        made = cls(gzip.decompress(table) if table[:2] == b"\x1f\x8b" else table, timing=timing,
                   map=map, base=base, missing=missing, origin=str(path))
        made._beside = _beside(f"{os.fspath(path)}.json")
        return made

    @classmethod
    def from_frame(cls, frame: pandas.DataFrame, *, subject: str = "subject",
                   outcomes: Mapping[str, str] | Sequence[str] | None = None,
                   actions: Mapping[str, str] | Sequence[str] | None = None,
                   timing: str = "before", map: Mapping[str, object] | str | None = None,
                   base: int = 0, missing: str = "error") -> Data:
        """Takes a pandas.DataFrame.

        Parameters
        ----------
        frame : DataFrame
            A row a step.
        subject : str
            The column that says who.
        outcomes, actions : list or dict, optional
            Columns of modalities and of factors with actions, in the order of the model's, or by
            their names: {"reward": "outcome"}. None: columns have the model's names.
        timing, map, base, missing : optional
            As in Data.

        Returns
        -------
        Data
        """
        if not hasattr(frame, "columns"):
            raise TypeError(f"frame: expected a pandas.DataFrame, found {type(frame).__name__}")
        renamed = {subject: "subject"}
        for given, letter, kind in ((outcomes, "o", "outcome"), (actions, "u", "action")):
            if isinstance(given, Mapping):
                renamed |= {theirs: f"{kind}.{ours}" for ours, theirs in given.items()}
            elif given is not None:
                renamed |= {theirs: f"{letter}{i}" for i, theirs in enumerate(given)}
        for name in renamed:
            if name not in frame.columns:
                raise BadInput(f"frame: there is no column {name!r} among {list(frame.columns)}")
        names = [str(renamed.get(name, name)) for name in frame.columns]
        for name in names:
            if names.count(name) > 1:
                both = [str(one) for one, new in zip(frame.columns, names) if new == name]
                raise BadInput(f"frame: expected one column for {name}, found "
                               f"{' and '.join(both)}; leave one out, or rename it")
        columns = {new: frame[name].tolist() for new, name in zip(names, frame.columns)}
        return cls(_table(columns), timing=timing, map=map, base=base, missing=missing,
                   origin="frame")

    @classmethod
    def from_arrays(cls, obs: npt.ArrayLike, act: npt.ArrayLike,
                    lengths: Sequence[int] | None = None, *,
                    episodes: Sequence[int] | int | None = None,
                    subjects: Sequence[str] | None = None, timing: str = "before",
                    missing: str = "error", **columns: npt.ArrayLike) -> Data:
        """Takes arrays of numbers, negative or NaN where nothing was seen or done.

        Parameters
        ----------
        obs : array (rows, modalities), or (subjects, steps, modalities)
            Outcomes; the last axis may be left out where there is one modality.
        act : array (rows, factors), or (subjects, steps, factors)
            Actions; the last axis may be left out where there is one factor. Factors without
            actions may be left out, too.
        lengths : list of int, optional
            Rows of each subject, one after the other, as hmmlearn has them; None: all are one's, or
            arrays have an axis of subjects.
        episodes : int or list of int, optional
            Steps of each episode of every subject; None: all of a subject's rows are one.
        subjects : list of str, optional
            Names, each once unless there is a column session; s1, s2, ... otherwise.
        timing, missing : optional
            As in Data.
        **columns : array (rows)
            Other columns: session=, score=, drug=, ...

        Returns
        -------
        Data
        """
        stacked = lengths is None and np.ndim(obs) == 3
        n_axis = 3 if stacked else 2
        seen, done = _whole(obs, n_axis, "obs"), _whole(act, n_axis, "act")
        if seen.shape[:-1] != done.shape[:-1]:
            raise BadInput(f"act: expected as many rows as obs, {seen.shape[:-1]}, found "
                           f"{done.shape[:-1]}")
        if stacked:
            lengths = [seen.shape[1]] * seen.shape[0]
            seen, done = (array.reshape(-1, array.shape[-1]) for array in (seen, done))
        sizes = ([len(seen)] if lengths is None
                 else integers(np.atleast_1d(np.asarray(lengths)), "lengths").tolist())
        if sum(sizes) != len(seen) or min(sizes, default=0) < 1:
            raise BadInput(f"lengths: expected rows of each subject, {len(seen)} in all, found "
                           f"{sizes}")
        names = [f"s{i + 1}" for i in range(len(sizes))] if subjects is None else list(subjects)
        if len(names) != len(sizes):
            raise BadInput(f"subjects: expected {len(sizes)} names, found {len(names)}")
        for name in names:
            if names.count(name) > 1 and "session" not in columns:
                raise BadInput(f"subjects: expected different names, found {name!r} twice; where "
                               f"they are sessions of one, give session=")
        made: dict[str, list[object]] = {"subject": list(np.repeat(names, sizes))}
        if episodes is not None:
            made["episode"] = [e for n in sizes for e in _episodes(n, episodes)]
        for name, value in columns.items():
            made[name] = list(np.ma.asanyarray(value).reshape(-1))
            if len(made[name]) != len(seen):
                raise BadInput(f"{name}: expected {len(seen)} values, found {len(made[name])}")
        data = cls(b"", timing=timing, missing=missing, origin="arrays")
        data._arrays = seen, done, made
        return data

    def _text(self, model: Model) -> bytes:
        """The table; that of arrays leaves out what has no actions."""
        if self._arrays is None:
            return self._table
        seen, done, made = self._arrays
        controlled = [f for f, n in enumerate(model.num_controls) if n > 1]
        if done.shape[1] == len(model.num_controls):
            done = done[:, controlled]
        if seen.shape[1] != model.n_modality or done.shape[1] != len(controlled):
            raise BadInput(f"arrays: expected {model.n_modality} modalities and {len(controlled)} "
                           f"factors with actions, found {seen.shape[1]} and {done.shape[1]}")
        columns = dict(made)
        columns |= {f"o{m}": list(seen[:, m]) for m in range(seen.shape[1])}
        columns |= {f"u{f}": list(done[:, i]) for i, f in enumerate(controlled)}
        return _table(columns)

    def _for(self, model: Model) -> _sonde.Handle:
        """The table, read for a model."""
        if self._read is None or self._read[0] is not model._handle:
            self._read = model._handle, _sonde.data_read(
                model._handle, self._text(model), self.origin, self._map, self._base,
                self._missing == "predict")
        return self._read[1]

    def rows(self, model: Model) -> Rows:
        """What the table has, in numbers, rows of a subject together.

        Parameters
        ----------
        model : Model
            The model that it is read for.

        Returns
        -------
        Rows
        """
        return Rows(model, self._for(model))

    def __repr__(self) -> str:
        return f"<Data {self.origin}, timing {self.timing}>"


def _episodes(n: int, episodes: Sequence[int] | int) -> list[int]:
    """The episode of each of n rows."""
    lengths = integers(episodes, "episodes")
    if lengths.min(initial=1) < 1:
        raise BadInput(f"episodes: expected steps of each, 1 or more, found {lengths.min()}")
    if lengths.ndim == 0:
        return [i // int(lengths) for i in range(n)]
    if lengths.sum() != n:
        raise BadInput(f"episodes: expected {n} steps in all, found {lengths.sum()}")
    return [e for e, length in enumerate(lengths.reshape(-1)) for _ in range(length)]


class Rows:
    """A table in numbers: rows of a subject stand together, in the order of the file.

        subjects, columns                    names
        first                                (n_subject + 1) where each subject's rows begin
        session, episode, step, score, row   (n_row)
        outcome                              (n_row, n_modality), -1 where it is missing
        action                               (n_row) number of the action, -1 where it is missing

    Parameters
    ----------
    model : Model
        Whose outcomes and actions they are.
    handle : Handle
        The data.
    """

    def __init__(self, model: Model, handle: _sonde.Handle):
        found = _sonde.data_fields(handle)
        self.model = model
        self.subjects: list[str] = found["subjects"]
        self.columns: list[str] = found["columns"] or []
        self.first: Ints = view(found["first"])
        self.row: Ints = view(found["row"])
        self.session: Ints = view(found["session"])
        self.episode: Ints = view(found["episode"])
        self.step: Ints = view(found["step"])
        self.outcome: Ints = frozen(np.maximum(view(found["outcome"]), -1))
        self.action: Ints = view(found["action"])
        self.score: npt.NDArray[np.bool_] = view(found["score"])

    def __len__(self) -> int:
        return len(self.step)

    def subject(self) -> npt.NDArray[np.str_]:
        """Who, row by row.

        Returns
        -------
        array (n_row)
        """
        return np.repeat(np.array(self.subjects), np.diff(self.first))

    def frame(self) -> pandas.DataFrame:
        """Makes a pandas.DataFrame, a row a row.

        Returns
        -------
        DataFrame
        """
        pandas = need("pandas", "frame")

        columns: dict[str, Any] = {"subject": self.subject(), "session": self.session,
                                   "episode": self.episode, "step": self.step,
                                   "score": self.score, "action": self.action}
        for m, modality in enumerate(self.model.modalities):
            columns[modality.get("name") or f"o{m}"] = self.outcome[:, m]
        return pandas.DataFrame(columns)
