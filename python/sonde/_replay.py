"""Agents that follow what people did, and how probable that was."""
from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import numpy.typing as npt

from . import _sonde
from ._agent import learning_of
from ._arrays import doubles, plain, real, run_of, text_of, view, whole
from ._data import Data, Rows
from ._graph import Graph
from ._model import Model, as_model
from ._settings import SearchSettings
from ._sonde import BadInput
from ._types import Document, Floats, Ints, Memory, Path, Progress, Run
from ._versions import need

if TYPE_CHECKING:
    import pandas

#: what is free: targets with commas between, a list of targets or of {"name", "target",
#: "transform", "prior", ...}, such objects by name, or a file with a list of them
Free = str | Path | Sequence[str | Mapping[str, Any]] | Mapping[str, Mapping[str, Any]]


def as_data(data: object, timing: str | None = None) -> Data:
    """Data, from data, a file, or a frame."""
    if isinstance(data, Data):
        if timing is not None and timing != data.timing:
            raise BadInput(f"timing: the data have {data.timing}, found {timing}")
        return data
    if isinstance(data, (str, PathLike)):
        return Data.from_csv(data, timing=timing or "before")
    if hasattr(data, "columns"):
        return Data.from_frame(data, timing=timing or "before")
    raise TypeError(f"data: expected Data, a file or a frame, found {type(data).__name__}")


def free_words(free: Free) -> tuple[str | None, str | None]:
    """What is free as a list with commas, or as a document."""
    if isinstance(free, PathLike) or isinstance(free, str) and free.endswith(".json"):
        return None, text_of(free)
    if isinstance(free, str):
        return free, None
    if not isinstance(free, Iterable):
        raise BadInput(f'free: expected targets ("gamma,eta_A"), a list of them, or objects with '
                       f'"target", "prior" and so on, found {free!r}')
    several = list(free.values() if isinstance(free, Mapping) else free)
    for one in several:
        if not isinstance(one, Mapping) and (isinstance(free, Mapping) or not isinstance(one, str)):
            raise BadInput('free: expected targets ("gamma,eta_A"), a list of them, or objects '
                           f'with "target", "prior" and so on, found {one!r}')
    if isinstance(free, Mapping):
        listed = [{"name": name, "target": name, **about} for name, about in free.items()]
    elif all(isinstance(one, str) for one in several):
        return ",".join(map(str, several)), None
    else:
        listed = [{"name": one, "target": one} if isinstance(one, str) else dict(one)
                  for one in several]
    return None, json.dumps(listed, default=plain)


class Parameters:
    """What is free, with transforms and priors.

        names, targets, transforms    (n)
        mean, sd                      (n) of the normal priors, on the transformed scale
        start                         (n) where a search begins

    Parameters
    ----------
    model : Model
        Whose they are.
    free : str, path, list or dict
        Targets with commas between ("gamma,eta_A"); a list of targets, or of objects with "name",
        "target", "transform", "prior" ([mean, sd]), "start", "per", "shared", "add"; such objects
        by name; or a .json file with a list of them. docs/fitting.md lists the targets.
    """

    def __init__(self, model: Model, free: Free):
        self._read(model, free_words(free))

    def _read(self, model: Model, words: tuple[str | None, str | None]) -> None:
        self.model, self._words = model, words
        self._handle = _sonde.parameters_read(model._handle, *words)
        self.document: list[Document] = _sonde.parameters_fields(self._handle)
        self.names = [one["name"] for one in self.document]
        self.targets = [one["target"] for one in self.document]
        self.transforms = [one["transform"] for one in self.document]
        self.mean: Floats = np.array([one["prior"][0] for one in self.document])
        self.sd: Floats = np.array([one["prior"][1] for one in self.document])
        self.start: Floats = np.array([one["start"] for one in self.document])

    def __getstate__(self) -> tuple[Model, tuple[str | None, str | None]]:
        return self.model, self._words

    def __setstate__(self, state: tuple[Model, tuple[str | None, str | None]]) -> None:
        self._read(*state)

    def __len__(self) -> int:
        return len(self.names)

    def out(self, theta: npt.ArrayLike) -> Floats:
        """From the transformed scale to the parameters' own.

        Parameters
        ----------
        theta : array (..., n)

        Returns
        -------
        array (..., n)
        """
        made = np.array(theta, dtype=np.float64)
        for i, transform in enumerate(self.transforms):
            made[..., i] = transformed(transform, made[..., i])
        return made

    def log_prior(self, theta: npt.ArrayLike) -> Floats:
        """ln of the prior density.

        Parameters
        ----------
        theta : array (..., n)

        Returns
        -------
        array (...)
        """
        given = doubles(theta, "theta")
        flat = np.ascontiguousarray(given.reshape(-1, len(self)))
        value = np.empty(len(flat))
        _sonde.log_prior(self._handle, flat, value)
        return value.reshape(given.shape[:-1])

    def draw(self, n: int, seed: int = 1) -> Floats:
        """Draws from the prior, with NumPy's generator.

        Parameters
        ----------
        n : int
            How many sets.
        seed : int
            Of the generator.

        Returns
        -------
        array (n, n_parameter)
        """
        chance = np.random.default_rng(seed)
        return self.mean + self.sd * chance.standard_normal((whole(n, "n"), len(self)))

    def __repr__(self) -> str:
        return f"<Parameters {', '.join(self.names)}>"


def numbers_of(theta: npt.ArrayLike) -> Floats:
    """Numbers on the transformed scale, none of them NaN."""
    given = doubles(theta, "theta")
    if np.isnan(given).any():
        raise BadInput("theta: expected numbers, found nan")
    return given


def transformed(transform: str, theta: npt.ArrayLike) -> Floats:
    """A number of the transformed scale on its own."""
    given = np.asarray(theta, dtype=np.float64)
    if transform == "log":
        return np.exp(given)
    return 1 / (1 + np.exp(-given)) if transform == "logit" else given


def follow_of(model: Model, data: Data, learn: Mapping[str, Any] | bool | None, lapse: float,
              settings: Mapping[str, Any]) -> _sonde.Handle:
    """Settings of an agent that follows somebody."""
    given = model._settings | dict(settings)
    if not (learn is None or isinstance(learn, (bool, Mapping))):
        raise BadInput(f"learn: expected True, or a dict of settings, found {learn!r}")
    if learn is None or learn is False:
        return _sonde.follow_new(model._handle, given, None, (None,) * 4, data.timing,
                                 real(lapse, "lapse"))
    return _sonde.follow_new(model._handle, given,
                             *learning_of(model, {} if learn is True else learn), data.timing,
                             real(lapse, "lapse"))


def note_beside(model: Model, data: Data, learn: object, settings: Mapping[str, Any]) -> None:
    """Warns where the agent of a table that was simulated is not the one that follows it."""
    beside = data._beside or {}
    given = {row["key"]: row["default"] for row in _sonde.settings_table()} | {
        "gamma": model.gamma, "horizon": model.horizon, "lambda": model.lambda_,
        "preferences": model.preferences, "information": model.information}
    if model.graph is None and np.prod(model.num_states, dtype=float) <= 2**12:
        given["inference"] = "exact"
    given |= {key: value for key, value in (model._settings | dict(settings)).items()
              if value is not None}
    its = {key: beside[key] for key in ("horizon", "lambda", "preferences", "information")
           if key in beside} | beside.get("settings", {})
    unlike = [f"{key} {value}" for key, value in its.items()
              if given.get(key) is not None and not _is_same(given[key], value)]
    if learn is None and beside.get("learn"):
        unlike.append("learns")
    if unlike:
        warnings.warn(f"{data.origin}: the agent that it was simulated with, in {data.origin}.json,"
                      f" is another ({', '.join(unlike)}); give learn= (False: nothing is learned) "
                      f"and settings, which are not taken from there", RuntimeWarning, stacklevel=3)


def _is_same(given: object, said: object) -> bool:
    """Whether a setting is what a document says, which may say it as a text."""
    word = str(given).lower() if isinstance(given, (bool, np.bool_)) else str(given)
    try:
        return word == str(said) or float(word) == float(str(said))
    except ValueError:
        return False


class Replay:
    """What an agent thought of what people did. Arrays have a row for each row of `rows`:

        p, log_p         probability of the action taken, and its logarithm
        surprise         of the outcomes
        belief, prior    (n_row, n_belief) after and before the outcomes
        update           (n_row, n_factor) divergence of the two
        error            (n_row, n_modality) 1 less the probability that was expected
        likeliest        the most probable action
        efe              (n_row, n_action) G of the best policy of each first action, on request
        counts           (n_row, n_count) on request

    and for each subject log_likelihood, n (rows that count), mean_p, hits.

    Parameters
    ----------
    rows : Rows
        The table in numbers.
    parts : list of dict
        What the library says of each subject.
    n_free : int
        How many parameters were given, for AIC and BIC.
    """

    def __init__(self, rows: Rows, parts: list[Any], n_free: int):
        self.rows, self.subjects = rows, rows.subjects

        def whole(key: str) -> Any:
            found = [view(part[key]) for part in parts]
            return None if found[0] is None else np.concatenate(found)
        self.p: Floats = whole("p")
        self.log_p: Floats = whole("log_p")
        self.surprise: Floats = whole("surprise")
        self.likeliest: Ints = whole("likeliest")
        self.belief: Floats = whole("belief")
        self.prior: Floats = whole("prior")
        self.update: Floats = whole("update")
        self.error: Floats = whole("error")
        self.efe: Floats | None = whole("efe")
        self.counts: Floats | None = whole("counts")
        self.log_likelihood: Floats = np.array([part["log_likelihood"] for part in parts])
        self.n: Ints = np.array([part["n"] for part in parts], np.int32)
        with np.errstate(invalid="ignore", divide="ignore"):
            self.mean_p: Floats = np.exp(self.log_likelihood / self.n)
            self.hits: Floats = np.array([part["n_hit"] for part in parts]) / self.n
            self.aic: Floats = 2 * n_free - 2 * self.log_likelihood
            self.bic: Floats = n_free * np.log(self.n) - 2 * self.log_likelihood

    def frame(self, *, rows: bool = False) -> pandas.DataFrame:
        """Makes a pandas.DataFrame.

        Parameters
        ----------
        rows : bool
            A row for each row of the table, as regressors, rather than for each subject.

        Returns
        -------
        DataFrame
        """
        pandas = need("pandas", "frame")

        if not rows:
            return pandas.DataFrame({
                "subject": self.subjects, "log_likelihood": self.log_likelihood, "n": self.n,
                "mean_p": self.mean_p, "hits": self.hits, "AIC": self.aic, "BIC": self.bic})
        frame = self.rows.frame()
        model, first = self.rows.model, 0
        for key in ("p", "log_p", "surprise"):
            frame[key] = getattr(self, key)
        for f, factor in enumerate(model.factors):
            name, states = factor.get("name") or f"f{f}", factor["states"]
            labels = states if isinstance(states, list) else range(states)
            for s, label in enumerate(labels):
                frame[f"q_{name}_{label}"] = self.belief[:, first + s]
            first += len(labels)
            frame[f"update_{name}"] = self.update[:, f]
        for m, modality in enumerate(model.modalities):
            frame[f"error_{modality.get('name') or f'o{m}'}"] = self.error[:, m]
        if self.efe is not None:
            for a in range(self.efe.shape[1]):
                frame[f"G_{a}"] = self.efe[:, a]
        return frame

    def __repr__(self) -> str:
        return (f"<Replay of {len(self.subjects)} subjects, log-likelihood "
                f"{self.log_likelihood.sum():.6g}>")


def replay(model: Model | Graph | Path, data: Data | Path | pandas.DataFrame, *,
           learn: Mapping[str, Any] | bool | None = None, lapse: float = 0.0,
           free: Free | None = None, theta: npt.ArrayLike | None = None, efe: bool = False,
           counts: bool = False, timing: str | None = None, threads: int | None = None,
           memory: Memory = None, progress: Progress | None = None,
           **settings: Unpack[SearchSettings]) -> Replay:
    """Lets an agent follow what people saw and did, as `sonde replay` does.

    Parameters
    ----------
    model : Model or path
        What the agent knows.
    data : Data, path or DataFrame
        What people saw and did.
    learn : dict or True, optional
        How the agent learns, as in Agent; None: nothing is learned.
    lapse : float
        Probability of an action that nobody chose.
    free : optional
        Parameters as in Parameters, whose values are `theta`.
    theta : array (n_parameter) or (n_subject, n_parameter), optional
        On the transformed scale; the same for all, or each subject's own.
    efe, counts : bool
        Tell G of first actions, and counts, row by row.
    timing : {"before", "after"}, optional
        As in Data, for files and frames.
    threads, memory, progress : optional
        As in simulate.
    **settings : SearchSettings
        The settings of sonde.plan; every policy is scored, unless search is "bounded".

    Returns
    -------
    Replay
    """
    known, table = as_model(model), as_data(data, timing)
    note_beside(known, table, learn, settings)
    follow = follow_of(known, table, learn, lapse, settings)
    rows = table.rows(known)
    parameters = None if free is None else Parameters(known, free)
    n = len(rows.subjects)
    values: Any = [None] * n
    if parameters is not None:
        given = parameters.start if theta is None else numbers_of(theta)
        if given.shape not in ((len(parameters),), (n, len(parameters))):
            raise BadInput(f"theta: expected the shape ({len(parameters)},) or ({n}, "
                           f"{len(parameters)}), found {given.shape}")
        values = np.ascontiguousarray(np.broadcast_to(given, (n, len(parameters))))
    elif theta is not None:
        raise BadInput("theta: goes with free, which says what its numbers are")
    run, wanted = run_of(threads, memory, progress), efe * 1 + counts * 2
    made = [_sonde.replay(follow, table._for(known), i,
                          None if parameters is None else parameters._handle, values[i], wanted,
                          run) for i in range(n)]
    return Replay(rows, [_sonde.replayed_fields(one) for one in made],
                  0 if parameters is None else len(parameters))


class Loglik:
    """The log-likelihood of data as a function of parameters, for any optimiser or sampler.

        loglik(theta)           (n_parameter) -> (n_subject), or (n, n_parameter) -> (n, n_subject)
        loglik.log_posterior    the same and ln of the prior
        loglik.subject(i)       the function of one subject: (n_parameter) -> float, (n,
                                n_parameter) -> (n)

    Numbers are on the transformed scale. Many sets at once are worked out on all cores, and other
    threads of Python run meanwhile; the numbers of a set do not depend on the others.

    Parameters
    ----------
    model : Model
        What the agent knows.
    data : Data
        What people saw and did.
    free : optional
        As in Parameters.
    learn, lapse, settings : optional
        Of the agent, as in loglik.
    run : tuple, optional
        How to run.
    """

    def __init__(self, model: Model, data: Data, free: Free,
                 learn: Mapping[str, Any] | bool | None, lapse: float,
                 settings: Mapping[str, Any], run: Run | None):
        self.model, self.data = model, data
        self.parameters = Parameters(model, free)
        self._given = learn, lapse, dict(settings)
        self._run = run
        self._begin()

    def _begin(self) -> None:
        follow = follow_of(self.model, self.data, *self._given)
        self.rows = self.data.rows(self.model)
        self.subjects = self.rows.subjects
        self._handle = _sonde.likelihood_new(follow, self.data._for(self.model),
                                             self.parameters._handle)

    def __getstate__(self) -> tuple[Any, ...]:
        """What it is made of; threads and memory come along, a function that is told of progress
        does not."""
        run = None if self._run is None else (*self._run[:2], None)
        return self.data, self.parameters, self._given, run

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.data, self.parameters, self._given, self._run = state
        self.model = self.parameters.model
        self._begin()

    def __call__(self, theta: npt.ArrayLike) -> Floats:
        given = doubles(theta, "theta")
        if given.ndim not in (1, 2) or given.shape[-1] != len(self.parameters):
            raise BadInput(f"theta: expected {len(self.parameters)} numbers, or rows of them, "
                           f"found the shape {given.shape}")
        flat = np.ascontiguousarray(np.atleast_2d(given))
        value = np.empty((len(flat), len(self.subjects)))
        _sonde.likelihood_all(self._handle, flat, value, len(flat), self._run)
        return value[0] if given.ndim == 1 else value

    def log_posterior(self, theta: npt.ArrayLike) -> Floats:
        """Log-likelihoods of subjects and ln of the prior density, up to the evidence.

        Parameters
        ----------
        theta : array (n_parameter) or (n, n_parameter)

        Returns
        -------
        array (n_subject) or (n, n_subject)
        """
        return self(theta) + self.parameters.log_prior(theta)[..., None]

    def slots(self, i: int) -> list[tuple[str, str | None]]:
        """The numbers of a subject: parameters, each with the level of the column that it has one
        value for.

        Parameters
        ----------
        i : int
            Which subject.

        Returns
        -------
        list
        """
        found, _ = _sonde.likelihood_layout(self._handle, i)
        return [(self.parameters.names[p], level) for p, level in found]

    def subject(self, i: int | str, *, prior: bool = False
                ) -> Callable[[npt.ArrayLike], Any]:
        """The function of one subject: one set gives a number, rows of them an array.

        Parameters
        ----------
        i : int or str
            Which.
        prior : bool
            Add ln of the prior density.

        Returns
        -------
        callable
        """
        if i not in (self.subjects if isinstance(i, str) else
                     range(-len(self.subjects), len(self.subjects))):
            raise BadInput(f"subject: expected one of {len(self.subjects)}, by name or by number "
                           f"from 0, found {i!r}")
        which = self.subjects.index(i) if isinstance(i, str) else range(len(self.subjects))[i]
        return _OfSubject(self, which, prior)

    def __repr__(self) -> str:
        return f"<Loglik of {len(self.subjects)} subjects in {', '.join(self.parameters.names)}>"


class _OfSubject:
    """The function of one subject, which can be handed to other processes."""

    def __init__(self, of: Loglik, which: int, prior: bool):
        self._of, self._which, self._prior = of, which, prior
        place = [p for p, _ in _sonde.likelihood_layout(of._handle, which)[0]]
        self._mean, self._sd = of.parameters.mean[place], of.parameters.sd[place]

    def __call__(self, theta: npt.ArrayLike) -> Any:
        given = doubles(theta, "theta")
        if given.ndim not in (1, 2) or given.shape[-1] != len(self._mean):
            raise BadInput(f"theta: expected {len(self._mean)} numbers, or rows of them, found the "
                           f"shape {given.shape}")
        flat = np.ascontiguousarray(np.atleast_2d(given))
        found = np.empty(len(flat))
        _sonde.likelihood_at(self._of._handle, self._which, flat, found)
        if self._prior:
            z, sd = (flat - self._mean) / self._sd, self._sd
            found += -0.5 * (z * z + np.log(2 * np.pi * sd * sd)).sum(axis=1)
        return float(found[0]) if given.ndim == 1 else found


def loglik(model: Model | Graph | Path, data: Data | Path | pandas.DataFrame, free: Free, *,
           learn: Mapping[str, Any] | bool | None = None, lapse: float = 0.0,
           timing: str | None = None, threads: int | None = None, memory: Memory = None,
           progress: Progress | None = None, **settings: Unpack[SearchSettings]) -> Loglik:
    """Makes the log-likelihood of data a function of parameters.

        ll = sonde.loglik(model, data, "gamma,eta_A", learn=True)
        scipy.optimize.minimize(lambda theta: -ll.log_posterior(theta)[0], ll.parameters.start)

    Parameters
    ----------
    model : Model or path
        What the agent knows.
    data : Data, path or DataFrame
        What people saw and did.
    free : str, path, list or dict
        What is free, as in Parameters.
    learn, lapse, timing, threads, memory, progress : optional
        As in replay.
    **settings : SearchSettings
        The settings of sonde.plan.

    Returns
    -------
    Loglik
    """
    known, table = as_model(model), as_data(data, timing)
    note_beside(known, table, learn, settings)
    return Loglik(known, table, free, learn, lapse, settings, run_of(threads, memory, progress))
