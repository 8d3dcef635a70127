"""Studies: many agents on many worlds, and their reports."""
from __future__ import annotations

import json
import os
import sys
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _sonde
from ._arrays import run_of
from ._types import Memory, Path, Progress
from ._versions import need

if TYPE_CHECKING:
    from pandas import DataFrame

    from ._sonde import StudyFields


def study(plan: Path, db: Path, *, record_steps: bool = False, threads: int | None = None,
          memory: Memory = None, progress: Progress | None = None) -> Study:
    """Runs a study, or what is left of it, as `sonde study PLAN --db FILE` does. Interrupted with
    Ctrl-C, the same call goes on where it was.

    Parameters
    ----------
    plan : str or path
        The name of a built-in plan ("paper", "quality", "scaling", "closed"), or a file.
    db : path
        The SQLite file with the results.
    record_steps : bool
        Keep a row for each step of each run, too, as `--record-steps` does: see Study.steps.
    threads : int, optional
        How many; None: one for each core. Changes no number.
    memory : int or str, optional
        The most to ask for at once: bytes, or a text such as "500M".
    progress : callable, optional
        A function f(stage, done, total) that is called now and then.

    Returns
    -------
    Study
        The results.
    """
    made = Study(plan, db, record_steps=record_steps)
    made.run(threads=threads, memory=memory, progress=progress)
    return made


def _page() -> str | None:
    """The page that `make` builds: where SONDE_PAGE says, or inside the package, or installed
    beside this Python."""
    homes = [os.path.join(home, "share", "sonde", "page.html")
             for home in (os.path.dirname(__file__), sys.prefix)]
    places = [os.environ["SONDE_PAGE"]] if "SONDE_PAGE" in os.environ else homes
    return next((place for place in places if os.path.isfile(place)), None)


def report(db: Study | Path, folder: Path, *, page: Path | None = None,
           threads: int | None = None, memory: Memory = None,
           progress: Progress | None = None) -> str:
    """Writes the report of a study, or of a document that `sonde simulate --learn` or `sonde fit`
    wrote: FOLDER/summary.json with every number, which sonde.figures draws, FOLDER/tables, and
    FOLDER/index.html.

    Parameters
    ----------
    db : Study or path
        The results, or a document; a Study is closed first.
    folder : path
        Where the report goes.
    page : path, optional
        The page that index.html is made from, build/page.html where Sonde was built. None: what
        SONDE_PAGE says, or the page that was installed; where there is none, index.html has the
        tables alone.
    threads : int, optional
        How many; None: one for each core. Changes no number.
    memory : int or str, optional
        The most to ask for at once: bytes, or a text such as "500M".
    progress : callable, optional
        A function f(stage, done, total) that is called now and then.

    Returns
    -------
    str
        The main table as text.
    """
    path = db.db if isinstance(db, Study) else db
    if isinstance(db, Study):
        db.close()
    return _sonde.report(path, folder, page or _page(), run_of(threads, memory, progress))


class Rows(dict[str, np.ndarray]):
    """Rows of a study, a NumPy array for each column; NaN where a number is missing, None where
    anything else is."""

    def frame(self) -> DataFrame:
        """Makes a table of them.

        Returns
        -------
        pandas.DataFrame
            A row each, which needs pandas.
        """
        pandas = need("pandas", "frame")
        return pandas.DataFrame(dict(self))


def _column(values: list[Any]) -> np.ndarray:
    """Numbers as an array of numbers, anything else as objects."""
    if any(isinstance(value, str) for value in values):
        return _objects(values)
    if all(isinstance(value, int) for value in values):
        return np.array(values, dtype=np.int64)
    return np.array([np.nan if value is None else value for value in values], dtype=float)


def _objects(values: list[Any]) -> np.ndarray:
    column = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):  # NumPy would make a matrix of lists of one length
        column[i] = value
    return column


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split("/"))


def _belief(text: str | None) -> list[np.ndarray] | None:
    return None if text is None else [np.array(factor, dtype=float) for factor in json.loads(text)]


class Study:
    """The results of a plan in an SQLite file, which is this object's alone until it is closed.

    n_task tasks, each one world with all its conditions; n_run rows in all; done says how many
    tasks are there. Use it in a with statement, or call close().

    Parameters
    ----------
    plan : str or path
        The name of a built-in plan, or a file.
    db : path
        The SQLite file, which is made if it is not there.
    record_steps : bool
        Keep a row for each step of each run, too; the plan may say so itself.
    """

    def __init__(self, plan: Path, db: Path, *, record_steps: bool = False):
        self.db = os.fspath(db)
        self._plan = _sonde.plan_read(plan, record_steps)
        self._handle = _sonde.study_open(db, self._plan)

    @cached_property
    def _fields(self) -> StudyFields:
        return _sonde.plan_fields(self._plan)

    @property
    def name(self) -> str:
        """The plan's name."""
        return self._fields["name"]

    @property
    def n_task(self) -> int:
        """Tasks in all, each one world with all its conditions."""
        return self._fields["n_task"]

    @property
    def n_run(self) -> int:
        """Rows in all."""
        return self._fields["n_run"]

    @property
    def plan_text(self) -> str:
        """The plan's document."""
        return self._fields["text"]

    @property
    def n_judge(self) -> int:
        """Decisions of each run that are compared with exact ones."""
        return self._fields["n_judge"]

    @property
    def models(self) -> list[str]:
        """Names of the models it runs on."""
        return self._fields["models"]

    @property
    def conditions(self) -> list[tuple[str, str]]:
        """(group, label) of each condition."""
        return self._fields["conditions"]

    @property
    def done(self) -> int:
        """Tasks whose rows are all there."""
        return _sonde.study_done(self._handle)

    def task(self, number: int) -> tuple[int, int]:
        """Says what a task is.

        Parameters
        ----------
        number : int
            Of the task.

        Returns
        -------
        (int, int)
            The size of its world, and its number among those of that size; of the i-th of
            `models`, size -1 - i and the number of the episode.
        """
        return _sonde.plan_task(self._plan, number)

    def next_task(self) -> int | None:
        """Gives away the next task that nobody has been given yet.

        Returns
        -------
        int or None
            Its number; None if there is none left.
        """
        task = _sonde.study_next(self._handle)
        return None if task < 0 else task

    def work(self, task: int, *, memory: Memory = None) -> str:
        """Does one task, here or elsewhere.

        Parameters
        ----------
        task : int
            Its number.
        memory : int or str, optional
            The most to ask for at once.

        Returns
        -------
        str
            Its rows, which `take` takes in.
        """
        return _sonde.plan_work(self._plan, task, run_of(None, memory, None))

    def take(self, rows: str) -> None:
        """Takes in the rows of a task: all of them or none.

        Parameters
        ----------
        rows : str
            What `work` returned.
        """
        _sonde.study_take(self._handle, rows)

    def run(self, *, threads: int | None = None, memory: Memory = None,
            progress: Progress | None = None) -> None:
        """Does all tasks that are left.

        Parameters
        ----------
        threads, memory, progress : optional
            As in sonde.study.
        """
        _sonde.study_run(self._handle, run_of(threads, memory, progress))

    def runs(self) -> Rows:
        """Reads what was found, run by run.

        Returns
        -------
        Rows
            An array for each column of the table `run` (docs/formats.md), with the label of its
            condition under "label"; `.frame()` is a pandas table.
        """
        return self._labelled(json.loads(_sonde.study_rows(self._handle, "run")))

    def steps(self) -> Rows:
        """Reads every step of every run, where they are recorded (`record_steps`).

        Returns
        -------
        Rows
            An array for each column of the table `step` (docs/formats.md), with "model" and "label"
            of its run. "state", "outcome" and "action" hold tuples, a number for each factor or
            modality, so that np.stack(rows["outcome"]) is a matrix; "belief" holds lists of an
            array for each factor, None in graph worlds. `.frame()` is a pandas table.
        """
        if not self._fields["record_steps"]:
            raise ValueError("steps: expected a study that records them, found one that does not; "
                             "run it with record_steps=True into another file")
        columns = json.loads(_sonde.study_rows(self._handle, "step"))
        models = self.models
        columns["model"] = [models[-1 - size] if size < 0 else None for size in columns["size"]]
        made = self._labelled(columns)
        for name in ("state", "outcome", "action"):
            made[name] = _objects([_numbers(text) for text in columns[name]])
        made["belief"] = _objects([_belief(text) for text in columns["belief"]])
        return made

    def _labelled(self, columns: dict[str, list[Any]]) -> Rows:
        labels = [label for _, label in self.conditions]
        columns["label"] = [labels[condition] for condition in columns["condition"]]
        return Rows({name: _column(values) for name, values in columns.items()})

    def close(self) -> None:
        """Lets go of the file."""
        self._handle.close()

    def __enter__(self) -> Study:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<sonde.Study {self.name!r}: {self.n_task:,} tasks, {self.n_run:,} runs; {self.db}>"
