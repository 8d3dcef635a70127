"""Many agents at once, in one result."""
from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from . import _sonde
from ._arrays import run_of, view, whole
from ._graph import Graph
from ._model import Model, as_model, without_end
from ._own import has_own
from ._policy import lent
from ._settings import SearchSettings
from ._simulate import Episode, World, simulate_one, world_of
from ._sonde import BadInput
from ._types import Array, Document, Environment, Memory, Path, Progress, Run
from ._versions import need

if TYPE_CHECKING:
    import pandas
    import xarray

#: what may be said of a model besides the settings of a search
OF_MODEL = ("horizon", "lambda_", "preferences", "information")
#: the most seeds that are counted up rather than listed
SEEDS_MOST = 10_000_000
#: and what is known beforehand
LENT = ("policy", "action_prior")

Models = Model | Graph | Path | Sequence[Model | Graph | Path] | Mapping[str, Model | Graph | Path]


class Trial:
    """One of many runs: its model, its settings and its seed.

    Parameters
    ----------
    name : str or int
        Of the model.
    model : Model
        What the agent knows.
    varied : dict
        The settings in which runs differ.
    settings : dict
        All of them, the seed included.
    """

    def __init__(self, name: str | int, model: Model, varied: Document, settings: Document):
        self.name, self.model, self.varied, self.settings = name, model, varied, settings

    @property
    def seed(self) -> int:
        """The seed."""
        return self.settings["seed"]

    def __repr__(self) -> str:
        said = [f"model {self.name!r}", *(f"{key} {value!r}" for key, value in self.varied.items())]
        return f"{', '.join(said)}, seed {self.seed}"


def simulate_many(models: Models, seeds: int | Iterable[int] = 10, steps: int = 10, *,
                  process: Model | Path | Environment = None,
                  settings: Iterable[Document] | Document | None = None,
                  threads: int | None = None, memory: Memory = None,
                  progress: Progress | None = None, **swept: object) -> Runs:
    """Simulates many agents on all cores: every model with all settings and every seed. Each run
    is the same bytes as sonde.simulate with that model, these settings and that seed, whatever
    the number of threads.

    Runs are in the order of the models, then of the settings, then of the seeds. A run that fails
    leaves the others alone: there is a warning, Runs.errors names it, and asking for it raises what
    it raised. A setting that does not exist, or has a value that no run could have (gamma=-1), is
    refused before anything runs. Ctrl-C ends all of them, and there is no result then; studies can
    go on.

    Parameters
    ----------
    models : Model, Graph or path, list or dict of them
        What agents know of their world; in a dict, by name.
    seeds : int or iterable of int
        How many, from 1 on; or which.
    steps : int
        How many in each run.
    process : Model, path or environment, optional
        The world, as in sonde.simulate.
    settings : dict or list of dict, optional
        Settings of sonde.simulate that go together.
    threads : int, optional
        How many; None: one for each core. Changes no number.
    memory : int or str, optional
        The most that one run may ask for at once: bytes, or a text such as "500M".
    progress : callable, optional
        A function f(stage, done, total) that is called now and then, with runs done.
    **swept
        Settings of sonde.simulate, horizon and its kin included; a list has each of its values,
        and lists have every combination, the last of them fastest.

    Returns
    -------
    Runs
        The runs, with `frame` for pandas and `to_xarray` for xarray.

    Notes
    -----
    Searches and embeddings of your own, and environments, are Python, and run one after the other.

    Examples
    --------
    >>> runs = sonde.simulate_many(model, seeds=100, search=["bounded", "cluster"], gamma=[1, 4])
    >>> runs.frame().groupby(["search", "gamma"])["log_evidence"].mean()
    """
    steps = whole(steps, "steps", 1)
    trials = _trials(models, seeds, settings, swept)
    world = world_of(process)
    run = run_of(threads, memory, progress)
    plain = world is None or isinstance(world, Model)
    if plain and not any(has_own(trial.settings) for trial in trials):
        found = _sonde.simulate_many(
            [(trial.model._policies, trial.settings,
              world._handle if isinstance(world, Model) else None, steps) for trial in trials], run)
    else:
        found = _one_by_one(trials, steps, world, run)
    return Runs(trials, steps, found)


def _one_by_one(trials: list[Trial], steps: int, world: Model | World | None,
                run: Run | None) -> list[Any]:
    """Episodes, or what was raised instead."""
    found: list[Any] = []
    for i, trial in enumerate(trials):
        try:
            found.append(simulate_one(trial.model, steps, world, trial.settings,
                                      None if run is None else (run[0], run[1], None)))
        except Exception as error:  # whatever a function of the user's raises is that run's
            found.append(error)
        if run is not None and run[2] is not None:
            run[2]("simulating", i + 1, len(trials))
    return found


def _trials(models: Models, seeds: int | Iterable[int], settings: Iterable[Document] | Document
            | None, swept: Document) -> list[Trial]:
    """Every run there is to be."""
    named = _named(models)
    listed = _seeds(seeds)
    each = [{}] if settings is None else [dict(settings)] if isinstance(
        settings, Mapping) else [dict(one) for one in settings]
    combined = [one | more for one in each for more in _product(swept)]
    if not named or not combined:
        raise BadInput(f"simulate_many: expected models and settings, found {len(named)} and "
                       f"{len(combined)}; give one of each at least")
    for one in combined:
        _check(one)
    varied = [key for key in dict.fromkeys(key for one in combined for key in one)
              if any(not _same(one.get(key), combined[0].get(key)) for one in combined)]
    return [Trial(name, model, {key: one.get(key) for key in varied},
                  model._settings | _searched(one) | {"seed": seed})
            for name, world in named for one in combined
            for seed, model in _seeded(world, one, listed)]


def _seeds(seeds: int | Iterable[int]) -> list[int]:
    """Which seeds there are: the first so many, or those of a list."""
    if isinstance(seeds, (int, np.integer)):
        if not 1 <= seeds <= SEEDS_MOST:
            raise BadInput(f"seeds: expected how many, from 1 to {SEEDS_MOST:,}, or a list of "
                           f"them, found {seeds}")
        return list(range(1, int(seeds) + 1))
    if isinstance(seeds, str) or not isinstance(seeds, Iterable):
        raise BadInput(f"seeds: expected how many, or a list of them, found {seeds!r}")
    listed = [whole(seed, "seeds", 0, 2**64 - 1) for seed in seeds]
    if not listed:
        raise BadInput("seeds: expected how many, or a list of them, found an empty one")
    return listed


def _same(one: object, other: object) -> bool:
    """Whether two values of a setting are one; some are arrays."""
    return one is other or bool(np.array_equal(np.asarray(one), np.asarray(other)))


def _seeded(world: object, settings: Document, seeds: list[int]) -> Iterator[tuple[int, Model]]:
    """A model for each seed: the same, but for files, which the seed completes."""
    changes = {key: settings.get(key) for key in OF_MODEL}
    changes["horizon"] = without_end(changes["horizon"], {})
    known = as_model(world, None, **changes) if isinstance(world, (Model, Graph)) else None
    for seed in seeds:
        yield seed, known or as_model(world, seed, **changes)


def _named(models: Models) -> list[tuple[str | int, Any]]:
    """Models by name, or by number where they have none."""
    if isinstance(models, Mapping):
        return list(models.items())
    several = list(models) if isinstance(models, (list, tuple)) else [models]
    names = [_name(one, i) for i, one in enumerate(several)]
    return list(zip(names if len(set(names)) == len(names) else range(len(names)), several))


def _name(world: object, number: int) -> str | int:
    if isinstance(world, Graph):
        return number
    return (world.name or number) if isinstance(world, Model) else str(world)


def _product(swept: Document) -> Iterator[Document]:
    """Every combination of the values of lists; `differences` and `action_prior` are lists
    themselves."""
    values = [value if isinstance(value, (list, tuple, np.ndarray)) and not (
        len(value) > 0 and (key == "differences" and isinstance(value[0], str)
                            or key == "action_prior" and isinstance(value[0], (int, float))))
        else [value] for key, value in swept.items()]
    for chosen in itertools.product(*values):
        yield dict(zip(swept, chosen))


def _searched(settings: Document) -> Document:
    made = {key: value for key, value in settings.items() if key not in (*OF_MODEL, *LENT)}
    without_end(settings.get("horizon"), made)
    return made | lent(settings.get("policy"), settings.get("action_prior"))


def _check(settings: Document) -> None:
    """Raises for what simulate does not take."""
    for key in settings:
        if key == "seed":
            raise BadInput("seed: there are several; give seeds=")
        if key == "keep":
            raise BadInput("keep: goes with plan and Agent only; leave it out")
        if key not in (*OF_MODEL, *LENT, *SearchSettings.__annotations__):
            raise TypeError(f"simulate_many has no setting {key!r}; see sonde.SearchSettings")


class Runs(Sequence[Episode]):
    """What became of many runs, from sonde.simulate_many: a sequence of episodes.

        trials    model, settings and seed of each
        errors    {number of a run: the exception it ended with}
        frame     a row for each run, or for each step, as pandas has them
        to_xarray arrays over runs and steps

    They can be pickled and copied, with all episodes.

    Parameters
    ----------
    trials : list of Trial
        What was asked for.
    steps : int
        How many steps.
    found : list
        Of each an episode, its handle, or an exception.
    """

    def __init__(self, trials: list[Trial], steps: int, found: list[Any]):
        self.trials = trials  #: model, varied settings and seed of each run
        self.steps = steps  #: in each run
        self.errors: dict[int, BaseException] = {
            i: one for i, one in enumerate(found) if isinstance(one, BaseException)}
        self._found = found
        if self.errors:
            first = min(self.errors)
            warnings.warn(f"{len(self.errors)} of {len(found)} runs failed; the first, run {first} "
                          f"({trials[first]!r}): {self.errors[first]}; see Runs.errors",
                          RuntimeWarning, stacklevel=3)

    def __len__(self) -> int:
        return len(self._found)

    @overload
    def __getitem__(self, i: int) -> Episode: ...

    @overload
    def __getitem__(self, i: slice) -> list[Episode]: ...

    def __getitem__(self, i: int | slice) -> Episode | list[Episode]:
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(len(self)))]
        number = range(len(self))[i]
        found = self._found[number]
        if isinstance(found, BaseException):
            raise found
        if not isinstance(found, Episode):
            trial = self.trials[number]
            found = self._found[number] = Episode(trial.model, _like(trial), found)
        return found

    def __getstate__(self) -> Document:
        """Episodes in place of what the library has of them."""
        return {"trials": self.trials, "steps": self.steps, "errors": self.errors,
                "_found": [self.errors[i] if i in self.errors else self[i]
                           for i in range(len(self))]}

    @cached_property
    def _good(self) -> list[int]:
        return [i for i in range(len(self)) if i not in self.errors]

    def __iter__(self) -> Iterator[Episode]:
        return (self[i] for i in range(len(self)))

    def columns(self) -> dict[str, list[Any]]:
        """Lists what there is to say of each run, without pandas.

        Returns
        -------
        dict of lists
            model, the settings that vary, seed; n_step, log_evidence, mean surprise, the policies
            scored and what that cost; in graph worlds how well it went; and error, a text or None.
        """
        made: dict[str, list[Any]] = {}
        for i, trial in enumerate(self.trials):
            row: Document = {"model": trial.name, **trial.varied, "seed": trial.seed}
            row |= _summary(self[i]) if i not in self.errors else {}
            row["error"] = str(self.errors[i]) if i in self.errors else None
            for key in row:
                made.setdefault(key, [None] * i)
            for key, column in made.items():
                column.append(row.get(key))
        made["error"] = made.pop("error")
        return made

    def frame(self, *, steps: bool = False) -> pandas.DataFrame:
        """Makes a pandas.DataFrame.

        Parameters
        ----------
        steps : bool
            A row for each step of each run that did not fail, rather than for each run.

        Returns
        -------
        DataFrame
            The columns of `columns`; or run, model, settings, seed, step, and what happened there.
        """
        pandas = need("pandas", "frame")
        if not steps:
            return pandas.DataFrame(self.columns()).rename_axis("run")
        rows: list[Document] = []
        for i in self._good:
            trial = self.trials[i]
            about = {"run": i, "model": trial.name, **trial.varied, "seed": trial.seed}
            parts = {key: array for key, array in _arrays(self[i]).items() if key != "belief"}
            for t in range(len(self[i])):
                row = dict(about) | {"step": t}
                for key, array in parts.items():
                    row |= {f"{key}_{j}": n for j, n in enumerate(array[t].tolist())} if (
                        array.ndim > 1) else {key: array[t].item()}
                rows.append(row)
        return pandas.DataFrame(rows)

    def to_xarray(self) -> xarray.Dataset:
        """Makes an xarray.Dataset of all runs that did not fail; their models have to be of one
        size.

        Returns
        -------
        Dataset
            outcome (run, step, modality), action (run, step, factor), state (run, step, factor),
            belief (run, step, number), and p, surprise, free_energy, complexity, accuracy,
            n_policy, equivalent and reward (run, step); model, settings and seed as coordinates of
            run. Steps that an environment left out are missing: NaN, or -1 of whole numbers.
        """
        xarray = need("xarray", "to_xarray")
        found = [_arrays(self[i]) for i in self._good]
        if not found:
            raise BadInput("to_xarray: every run failed; see errors")
        shapes = {tuple((key, array.shape[1:]) for key, array in one.items()) for one in found}
        if len(shapes) > 1:
            raise BadInput("to_xarray: expected models of one size, found "
                           f"{len(shapes)}; choose some of the runs, or use frame(steps=True)")
        axes = {"outcome": "modality", "action": "factor", "state": "factor", "belief": "number"}
        data = {key: (("run", "step", *([axes[key]] if found[0][key].ndim > 1 else [])),
                      np.stack([_padded(one[key], self.steps) for one in found]))
                for key in found[0]}
        chosen = [self.trials[i] for i in self._good]
        about: dict[str, Any] = {"run": self._good, "step": np.arange(self.steps),
                                 "model": ("run", [str(one.name) for one in chosen]),
                                 "seed": ("run", [one.seed for one in chosen])}
        for key in chosen[0].varied:
            about[key] = ("run", [_told(one.varied[key]) for one in chosen])
        return xarray.Dataset(data, coords=about)

    def __repr__(self) -> str:
        failed = f", {len(self.errors)} failed" if self.errors else ""
        varied = ", ".join(self.trials[0].varied)
        return (f"<sonde.Runs: {len(self):,} of {self.steps} steps{failed}"
                f"{'; varied: ' + varied if varied else ''}>")


def _like(trial: Trial) -> Callable[[], _sonde.Handle]:
    """Gives an agent like the one that lived the run, for whoever wants its document."""
    return lambda: _sonde.agent_new(trial.model._policies, trial.settings, None)


def _told(value: object) -> object:
    """A setting as a coordinate: functions by their names."""
    return getattr(value, "__name__", str(value)) if callable(value) else value


def _summary(episode: Episode) -> Document:
    """What a run amounts to."""
    fields = episode._fields
    row: Document = {
        "n_step": len(episode), "log_evidence": -float(episode.surprise.sum()),
        "surprise": float(episode.surprise.mean()), "n_policy": int(episode.n_policy.sum()),
        "equivalent": float(episode.equivalent.sum()), "seconds": fields["seconds"]}
    if episode.rewards is not None:
        row["reward"] = float(episode.rewards.sum())
    if episode.knows_states:
        row |= {key: fields[key] for key in episode.model._kind.judged}  # type: ignore
    return row


def _arrays(episode: Episode) -> dict[str, Array]:
    """What there is of each step."""
    made: dict[str, Array] = {"outcome": episode.outcomes, "action": episode.actions}
    if episode.knows_states:
        made["state"] = episode.states[:-1]
    made |= {"belief": episode.beliefs, "p": episode.p}
    made |= {key: view(episode._fields[key])  # type: ignore
             for key in ("surprise", "free_energy", "complexity", "accuracy", "equivalent")}
    made["n_policy"] = episode.n_policy.astype(np.int64)
    if episode.rewards is not None:
        made["reward"] = episode.rewards
    return made


def _padded(array: Array, steps: int) -> Array:
    """As many steps as there might have been."""
    missing = np.nan if array.dtype.kind == "f" else -1
    more = np.full((steps - len(array), *array.shape[1:]), missing, array.dtype)
    return np.concatenate([array, more])
