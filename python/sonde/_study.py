"""Studies: many agents on many worlds, and their reports."""
from __future__ import annotations

import os
from functools import cached_property
from typing import Any

from . import _sonde
from ._arrays import Progress, run_of


def study(plan: str | os.PathLike, db: str | os.PathLike, *, threads: int | None = None,
          memory: int | str | None = None, progress: Progress | None = None) -> Study:
    """Runs a study, or what is left of it, as `sonde study PLAN --db FILE` does.

    plan is the name of a built-in one ("paper", "quality", "scaling") or a file. Interrupted with
    Ctrl-C, the same call goes on where it was.
    """
    made = Study(plan, db)
    made.run(threads=threads, memory=memory, progress=progress)
    return made


def report(db: str | os.PathLike, folder: str | os.PathLike, *, threads: int | None = None,
           memory: int | str | None = None, progress: Progress | None = None) -> str:
    """Writes the page of a study, FOLDER/index.html, and returns its main table as text."""
    path = db.db if isinstance(db, Study) else db
    if isinstance(db, Study):
        db.close()
    return _sonde.report_study(path, folder, run_of(threads, memory, progress))


class Study:
    """The results of a plan in an SQLite file, which is this object's alone until it is closed.

    n_task tasks, each one world with all its conditions; n_run rows in all; done says how many
    tasks are there. Use it in a with statement, or call close().
    """

    def __init__(self, plan: str | os.PathLike, db: str | os.PathLike):
        self.db = os.fspath(db)
        self._plan = _sonde.plan_read(plan)
        self._handle = _sonde.study_open(db, self._plan)

    @cached_property
    def _fields(self) -> dict[str, Any]:
        return _sonde.plan_fields(self._plan)

    name = property(lambda self: self._fields["name"])
    n_task = property(lambda self: self._fields["n_task"])
    n_run = property(lambda self: self._fields["n_run"])
    plan_text = property(lambda self: self._fields["text"], doc="the plan's document")
    n_judge = property(lambda self: self._fields["n_judge"],
                       doc="decisions of each run that are compared with exact ones")
    models = property(lambda self: self._fields["models"], doc="names of the models it runs on")
    conditions = property(lambda self: self._fields["conditions"], doc="(group, label) of each")

    @property
    def done(self) -> int:
        """Tasks whose rows are all there."""
        return _sonde.study_done(self._handle)

    def task(self, number: int) -> tuple[int, int]:
        """The world size of a task, and its number among those of that size; of the i-th of
        `models`, size -1 - i and the number of the episode."""
        return _sonde.plan_task(self._plan, number)

    def next_task(self) -> int | None:
        """The next task that nobody has been given yet, or None."""
        task = _sonde.study_next(self._handle)
        return None if task < 0 else task

    def work(self, task: int, *, memory: int | str | None = None) -> str:
        """Does one task and returns its rows, which `take` takes in, here or elsewhere."""
        return _sonde.plan_work(self._plan, task, run_of(None, memory, None))

    def take(self, rows: str) -> None:
        """Takes in the rows of a task: all of them or none."""
        _sonde.study_take(self._handle, rows)

    def run(self, *, threads: int | None = None, memory: int | str | None = None,
            progress: Progress | None = None) -> None:
        """Does all tasks that are left."""
        _sonde.study_run(self._handle, run_of(threads, memory, progress))

    def close(self) -> None:
        """Lets go of the file."""
        self._handle.close()

    def __enter__(self) -> Study:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<sonde.Study {self.name!r}: {self.n_task:,} tasks, {self.n_run:,} runs; {self.db}>"
