"""From what people did to parameters, groups and models, and back to what agents do."""
from __future__ import annotations

import csv
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import numpy.typing as npt

from . import _sonde
from ._arrays import doubles, integers, run_of, whole
from ._data import Data, cell_of
from ._graph import Graph
from ._model import Model, as_model
from ._replay import (Free, Parameters, as_data, follow_of, free_words, note_beside, numbers_of,
                      transformed)
from ._settings import SearchSettings
from ._sonde import BadInput
from ._spm import Spm, as_spm, trials_of
from ._types import Document, Floats, Memory, Path, Progress
from ._versions import need

if TYPE_CHECKING:
    import arviz
    import pandas


@contextmanager
def _files(texts: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Texts as files in a folder that is gone afterwards; their paths by name."""
    with tempfile.TemporaryDirectory(prefix="sonde-") as folder:
        paths = {}
        for i, (name, text) in enumerate(texts.items()):
            paths[name] = os.path.join(folder, f"{i}.txt")
            with open(paths[name], "w", encoding="utf-8") as file:
                file.write(text)
        try:
            yield paths
        except BadInput as error:  # which knows the files, and not what they stand for
            sentence = str(error)
            for name, path in paths.items():
                sentence = sentence.replace(path, name)
            raise BadInput(sentence) from None


def _seed(settings: Mapping[str, Any]) -> int:
    """The seed among settings; 1 unless given."""
    seed = settings.get("seed")
    return 1 if seed is None else int(seed)


def _csv(rows: Sequence[Sequence[object]]) -> str:
    import io

    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


# ------------------------------------------------------------------------------------------- fit --


class Fit:
    """Parameters that make what people did most probable, with what is left open about them.

        subjects, names          of subjects, and of their numbers: parameters, or gamma[drug]
        map, sd                  (n_subject, n) on the transformed scale
        covariance               (n_subject, n, n)
        value, low, high         (n_subject, n) on the parameters' own scale, with 90 % intervals
        log_likelihood, evidence, AIC, BIC, converged      (n_subject)
        weak                     of each subject, directions that the data say nothing about
        group                    with group="eb": parameters, columns, beta, se, z, low, high, sd,
                                 evidence, effects; else None
        held_out                 (n_subject) log-likelihood of the rows of `test`

    NaN stands where a subject does not have a number.

    Parameters
    ----------
    document : dict
        A sonde-fit document, as `sonde fit --json` writes it.
    """

    def __init__(self, document: Document):
        self.document = document
        found = document["subjects"]
        self.subjects: list[str] = [one["subject"] for one in found]
        self.names: list[str] = list(dict.fromkeys(key for one in found for key in one["map"]))
        self.map, self.sd, self.value = (self._table(key) for key in ("map", "sd", "value"))
        ends = self._table("interval_90", 2)
        self.low, self.high = ends[..., 0], ends[..., 1]
        self.covariance: Floats = np.full((len(found), len(self.names), len(self.names)), np.nan)
        for i, one in enumerate(found):
            place = [self.names.index(key) for key in one["map"]]
            self.covariance[i][np.ix_(place, place)] = np.array(one["covariance"], dtype=float)
        self.log_likelihood, self.evidence, self.AIC, self.BIC = (
            self._numbers(key) for key in ("log_likelihood", "evidence", "AIC", "BIC"))
        self.held_out = self._numbers("held_out")
        self.converged = np.array([one["converged"] for one in found])
        self.weak: list[list[Document]] = [one["weak"] for one in found]
        self.group: Document | None = document["group"]
        self.optimiser: str = document["optimiser"]

    def _numbers(self, key: str) -> Floats:
        return np.array([one.get(key) for one in self.document["subjects"]], dtype=float)

    def _table(self, key: str, *more: int) -> Floats:
        found = self.document["subjects"]
        made = np.full((len(found), len(self.names), *more), np.nan)
        for i, one in enumerate(found):
            for name, number in one[key].items():
                made[i, self.names.index(name)] = np.nan if number is None else number
        return made

    def transform(self, name: str) -> str:
        """How a number is transformed: identity, log or logit.

        Parameters
        ----------
        name : str
            One of `names`.

        Returns
        -------
        str
        """
        for one in self.document["parameters"]:
            if name == one["name"] or name.startswith(one["name"] + "["):
                return str(one["transform"])
        raise BadInput(f"there is no parameter {name!r} among {self.names}")

    def posterior(self, draws: int = 1000, seed: int = 1) -> Floats:
        """Draws from the Laplace approximation, on the transformed scale.

        Parameters
        ----------
        draws : int
            How many.
        seed : int
            Of NumPy's generator.

        Returns
        -------
        array (n_subject, draws, n)
        """
        chance = np.random.default_rng(seed)
        draws = whole(draws, "draws")
        made = np.full((len(self.subjects), draws, len(self.names)), np.nan)
        for i in range(len(self.subjects)):
            here = np.flatnonzero(~np.isnan(self.sd[i]))
            root = np.linalg.cholesky(self.covariance[i][np.ix_(here, here)])
            z = chance.standard_normal((draws, len(here)))
            made[i][:, here] = self.map[i, here] + z @ root.T
        return made

    def frame(self) -> pandas.DataFrame:
        """Makes a pandas.DataFrame with a row for each subject.

        Returns
        -------
        DataFrame
            subject, n, and of each parameter its value, low and high on its own scale, and map and
            sd on the transformed one; log_likelihood, evidence, AIC, BIC, converged.
        """
        pandas = need("pandas", "frame")

        columns: dict[str, Any] = {"subject": self.subjects, "n": self._numbers("n").astype(int)}
        for p, name in enumerate(self.names):
            columns |= {name: self.value[:, p], f"{name}_low": self.low[:, p],
                        f"{name}_high": self.high[:, p], f"{name}_map": self.map[:, p],
                        f"{name}_sd": self.sd[:, p]}
        columns |= {"log_likelihood": self.log_likelihood, "evidence": self.evidence,
                    "AIC": self.AIC, "BIC": self.BIC, "converged": self.converged}
        if not np.isnan(self.held_out).all():
            columns["held_out"] = self.held_out
        return pandas.DataFrame(columns)

    def group_frame(self) -> pandas.DataFrame:
        """Makes a pandas.DataFrame of the group: a row for each parameter and column.

        Returns
        -------
        DataFrame
        """
        pandas = need("pandas", "group_frame")

        if self.group is None:
            raise BadInput('group: there is none; fit with group="eb"')
        g = self.group
        spread = np.ravel(g["sd"])
        return pandas.DataFrame([
            {"parameter": name, "column": column, "beta": g["beta"][p][c], "se": g["se"][p][c],
             "z": g["z"][p][c], "low": g["low"][p][c], "high": g["high"][p][c], "sd": spread[p]}
            for p, name in enumerate(g["parameters"]) for c, column in enumerate(g["columns"])])

    def to_arviz(self, draws: int = 1000, seed: int = 1) -> arviz.InferenceData:
        """Makes an arviz.InferenceData of draws from the Laplace approximation, with the dimension
        subject, on the parameters' own scale.

        Parameters
        ----------
        draws : int
            How many.
        seed : int
            Of NumPy's generator.

        Returns
        -------
        InferenceData
        """
        arviz = need("arviz", "to_arviz")

        theta = self.posterior(draws, seed)
        values = {name: transformed(self.transform(name), theta[:, :, p]).T[None]
                  for p, name in enumerate(self.names)}
        return arviz.from_dict(posterior=values, coords={"subject": self.subjects},
                               dims={name: ["subject"] for name in self.names})

    def write(self, path: Path) -> None:
        """Writes the document, for `sonde compare` and `sonde report`.

        Parameters
        ----------
        path : path
            Where to.
        """
        _sonde.write(path, json.dumps(self.document))

    def __repr__(self) -> str:
        return (f"<Fit of {len(self.subjects)} subjects in {', '.join(self.names)}, evidence "
                f"{self.evidence.sum():.6g}>")


def _which(data: Data, model: Model, chosen: Mapping[str, object] | None, what: str
           ) -> npt.NDArray[np.bool_] | None:
    """Rows whose columns have one of the values."""
    if chosen is None:
        return None
    if not isinstance(chosen, Mapping):
        raise BadInput(f"{what}: expected columns and their values, such as "
                       f'{{"session": [1, 2]}}, found {chosen!r}')
    handle = data._for(model)
    rows = data.rows(model)
    made = np.ones(len(rows), bool)
    for name, values in chosen.items():
        cells = _sonde.data_column(handle, name)
        if cells is None:
            raise BadInput(f"{what}: there is no column {name!r}")
        listed = isinstance(values, Iterable) and not isinstance(values, (str, np.generic))
        several: Any = values if listed else [values]
        wanted = {cell for value in several for cell in (str(value), cell_of(value))}
        made &= np.array([cell in wanted for cell in cells])
    if not (made & rows.score).any():
        raise BadInput(f"{what}: expected rows, found none")
    return made & rows.score


def _divide(data: Data, model: Model, train: Mapping[str, object] | None,
            test: Mapping[str, object] | None
            ) -> tuple[npt.NDArray[np.bool_] | None, npt.NDArray[np.bool_] | None]:
    """Rows that are fitted and rows that are held out; of others where one is said, all others."""
    fitted, held = _which(data, model, train, "train"), _which(data, model, test, "test")
    if held is None:
        return fitted, held
    rows = data.rows(model)
    if fitted is None:
        fitted = rows.score & ~held
        if not fitted.any():
            raise BadInput("test: expected rows to be left to fit, found none")
    elif (fitted & held).any():
        raise BadInput(f"{data.origin}: row {rows.row[np.argmax(fitted & held)]}: is to be fitted "
                       f"and held out; let train and test name different rows")
    return fitted, held


def _covariates(given: object) -> str | None:
    """Covariates as a table: of a frame, or of columns by name."""
    if hasattr(given, "to_csv"):
        return str(given.to_csv(index=False))
    if isinstance(given, Mapping):
        several = {name: list(values) for name, values in given.items()}
        for name, values in several.items():
            if len(values) != len(next(iter(several.values()))):
                raise BadInput(f"covariates: expected columns of one length, found "
                               f"{len(next(iter(several.values())))} of {next(iter(several))} and "
                               f"{len(values)} of {name}")
        return _csv([list(several), *zip(*several.values())])
    return None


def _people(model: object, data: object, timing: str | None
            ) -> tuple[Spm, list[str], list[_sonde.Handle]]:
    """Subjects of SPM's scheme: one structure and a table, or a structure with trials of each."""
    if data is not None:
        if isinstance(data, (str, os.PathLike)):
            data = Data.from_csv(data, timing=timing or "before", missing="predict")
        agent = as_spm(model)
        trials = trials_of(agent, as_data(data, timing))
        return agent, list(trials), [agent._recorded(one) for one in trials.values()]
    if isinstance(model, Mapping):
        several: dict[str, object] = {str(name): one for name, one in model.items()}
    else:
        listed = list(model) if isinstance(model, (list, tuple)) else [model]
        several = {os.fspath(one) if isinstance(one, (str, os.PathLike)) else f"s{i + 1}": one
                   for i, one in enumerate(listed)}
    if not several:
        raise BadInput("model: expected agents of SPM's scheme with trials, found none")
    agents = {name: as_spm(one) for name, one in several.items()}
    first = next(iter(agents.values()))
    for name, agent in agents.items():
        if not agent.trials:
            raise BadInput(f"{name}: expected trials with o, outcomes, and u, actions, found none")
        if agent._shape["n_time"] != first._shape["n_time"] or list(
                np.asarray(agent._shape["n_outcome"])) != list(
                np.asarray(first._shape["n_outcome"])):
            raise BadInput(f"{name}: has another number of times or outcomes than the first")
    return first, list(agents), [one._recorded(one.trials) for one in agents.values()]


def _fit_spm(model: object, data: object, free: Free, timing: str | None,
             asked: Document, run: Any) -> Fit:
    """Fits SPM's scheme."""
    agent, names, agents = _people(model, data, timing)
    parameters = _sonde.spm_parameters_read(agent._handle, *free_words(free))
    return Fit(json.loads(_sonde.fit_spm(agents, names, parameters, asked, run)))


def fit(model: Model | Graph | Path | Spm | Sequence[Spm | Path] | Mapping[str, Spm | Path],
        data: Data | Path | pandas.DataFrame | None, free: Free, *, scheme: str | None = None,
        learn: Mapping[str, Any] | bool | None = None, lapse: float = 0.0, starts: int = 4,
        group: str | None = None,
        covariates: Path | Mapping[str, Sequence[object]] | pandas.DataFrame | None = None,
        train: Mapping[str, object] | None = None, test: Mapping[str, object] | None = None,
        optimiser: str = "bobyqa", store: Path | None = None, timing: str | None = None,
        threads: int | None = None, memory: Memory = None, progress: Progress | None = None,
        **settings: Unpack[SearchSettings]) -> Fit:
    """Finds the parameters that make what people did most probable, as `sonde fit` does: MAP and
    the Laplace approximation of every subject.

    Parameters
    ----------
    model : Model or path
        What the agent knows; with scheme="spm" an Spm or a .mat file, or a list or dict of them,
        one of each subject, whose trials are fitted.
    data : Data, path or DataFrame
        What people saw and did; None where the agents of SPM's scheme have trials.
    free : str, path, list or dict
        What is free, as in Parameters; in SPM's scheme alpha, beta, eta, zeta, tau, erp, and
        vectors that are added to C (docs/fitting.md).
    scheme : {"spm"}, optional
        Agents believe, decide and learn as those of spm_MDP_VB_X. Priors are those of the
        tutorial; the evidence is not F of spm_nlsi_Newton.
    learn, lapse, timing : optional
        As in replay.
    starts : int
        Places that a search begins at: the parameters' own, then draws of the prior.
    group : {"eb"}, optional
        Take subjects as draws of a group, by empirical Bayes.
    covariates : path, DataFrame or dict of columns, optional
        What is known of subjects: a column subject, and one for each covariate.
    train, test : dict, optional
        Rows that are fitted, and rows that are held out: {"session": [1, 2]}. Without train, all
        that are not held out are fitted.
    optimiser : {"bobyqa", "newton"}
        NLopt's BOBYQA where it is installed, or the damped Newton's method alone.
    store : path, optional
        An SQLite file that keeps what is done; the same call goes on from there.
    threads, memory, progress : optional
        As in simulate.
    **settings : SearchSettings
        The settings of sonde.plan; the seed draws places to begin at.

    Returns
    -------
    Fit
    """
    if group not in (None, "none", "eb"):
        raise BadInput(f"group: expected eb or None, found {group!r}")
    if covariates is not None and group != "eb":
        raise BadInput('covariates: go with group="eb"')
    if optimiser not in ("bobyqa", "newton"):
        raise BadInput(f"optimiser: expected bobyqa or newton, found {optimiser!r}")
    text = _covariates(covariates)
    if scheme is not None:
        if scheme != "spm":
            raise BadInput(f'scheme: expected "spm" or None, found {scheme!r}')
        given = {"learn": learn is not None, "lapse": lapse != 0.0, "train": train is not None,
                 "test": test is not None, "timing": timing is not None,
                 **{name: name != "seed" for name in settings}}
        idle = [name for name, is_given in given.items() if is_given]
        if idle:
            raise BadInput(f"{idle[0]}: does not go with SPM's scheme, which does not use it; "
                           f"leave it out")
        with _files({} if text is None else {"covariates": text}) as paths:
            path = paths.get("covariates", None if covariates is None else str(covariates))
            return _fit_spm(model, data, free, timing, {
                "starts": starts, "seed": _seed(settings), "group": group == "eb",
                "covariates": path, "newton": optimiser == "newton",
                "store": None if store is None else str(store)}, run_of(threads, memory, progress))
    known, table = as_model(model), as_data(data, timing)
    note_beside(known, table, learn, settings)
    follow = follow_of(known, table, learn, lapse, settings)
    parameters = Parameters(known, free)
    fitted, held = _divide(table, known, train, test)
    with _files({} if text is None else {"covariates": text}) as paths:
        path = paths.get("covariates", None if covariates is None else str(covariates))
        asked = {"starts": starts, "seed": _seed(settings), "group": group == "eb",
                 "covariates": path, "newton": optimiser == "newton",
                 "store": None if store is None else str(store)}
        document = _sonde.fit(follow, table._for(known), parameters._handle, asked, fitted,
                              held, run_of(threads, memory, progress))
    return Fit(json.loads(document))


# --------------------------------------------------------------------------------------- compare --


class Comparison:
    """Which of several models people use.

        models, subjects             names
        alpha, r, xp, pxp            (n_model) of the Dirichlet; how frequent each model is; how
                                     probable it is the most frequent; the same, protected
        bor                          how probable it is that all are as frequent
        g                            (n_subject, n_model) how probable each is in a subject
        evidence, fixed              (n_model) sums of log evidences, and their softmax
        AIC, BIC                     (n_model)
        families                     list of dicts, or None
        average, average_sd          of each parameter, (n_subject)

    Parameters
    ----------
    document : dict
        A sonde-comparison document.
    """

    def __init__(self, document: Document):
        self.document = document
        self.models: list[str] = [one["model"] for one in document["models"]]
        self.subjects: list[str] = [one["subject"] for one in document["subjects"]]
        self.alpha, self.r, self.xp, self.pxp, self.evidence, self.fixed, self.AIC, self.BIC = (
            np.array([one[key] for one in document["models"]], dtype=float)
            for key in ("alpha", "r", "xp", "pxp", "evidence", "fixed", "AIC", "BIC"))
        self.bor: float | None = document["bor"]
        self.g: Floats = np.array([one["g"] for one in document["subjects"]])
        self.families: list[Document] | None = document["families"]
        names = list(document["subjects"][0].get("average", {}))
        self.average: dict[str, Floats] = {
            name: np.array([one["average"][name] for one in document["subjects"]])
            for name in names}
        self.average_sd: dict[str, Floats] = {
            name: np.array([one["sd"][name] for one in document["subjects"]], dtype=float)
            for name in names}

    def frame(self) -> pandas.DataFrame:
        """Makes a pandas.DataFrame with a row for each model.

        Returns
        -------
        DataFrame
        """
        pandas = need("pandas", "frame")

        return pandas.DataFrame({"model": self.models, "alpha": self.alpha, "r": self.r,
                                 "xp": self.xp, "pxp": self.pxp, "evidence": self.evidence,
                                 "fixed": self.fixed, "AIC": self.AIC, "BIC": self.BIC})

    def __repr__(self) -> str:
        best = int(np.argmax(self.r))
        return (f"<Comparison of {len(self.models)} models in {len(self.subjects)} subjects: "
                f"{self.models[best]} has frequency {self.r[best]:.3g}>")


def compare(*fits: Fit | Path, evidence: npt.ArrayLike | None = None,
            names: Sequence[str] | None = None,
            families: Mapping[str, Sequence[str]] | None = None, **named: Fit | Path) -> Comparison:
    """Says which of several models people use, as `sonde compare` does: random-effects model
    selection with exact exceedance probabilities, families, fixed effects, averages.

        sonde.compare(learning=fit_a, fixed=fit_b)
        sonde.compare(evidence=log_evidences, names=["learning", "fixed"])

    Parameters
    ----------
    *fits : Fit or path
        Fits of the same subjects, or one table of log evidences.
    evidence : array (n_subject, n_model), optional
        Log evidences, instead of fits.
    names : list of str, optional
        Of the models.
    families : dict, optional
        Names of models by the name of their family.
    **named : Fit or path
        Fits by name.

    Returns
    -------
    Comparison
    """
    listed = [f"{family}={','.join(members)}" for family, members in (families or {}).items()]
    if evidence is not None:
        if fits or named:
            raise BadInput("evidence: takes the place of fits; give one or the other")
        table = doubles(evidence, "evidence")
        if table.ndim != 2:
            raise BadInput(f"evidence: expected subjects by models, found the shape {table.shape}")
        heads = [f"m{k + 1}" for k in range(table.shape[1])] if names is None else list(names)
        if len(heads) != table.shape[1]:
            raise BadInput(f"names: expected {table.shape[1]}, found {len(heads)}")
        text = _csv([heads, *([repr(float(x)) for x in row] for row in table)])
        with _files({"table": text}) as paths:
            return Comparison(json.loads(_sonde.compare([paths["table"]], listed)))
    if names is not None and len(names) != len(fits):
        raise BadInput(f"names: expected {len(fits)}, found {len(names)}")
    given = [*named.items(), *zip(
        names if names is not None else
        [f"m{i + 1}" if isinstance(one, Fit) else str(one) for i, one in enumerate(fits)], fits)]
    called = [name for name, _ in given]
    for name in called:
        if called.count(name) > 1:
            raise BadInput(f"expected different fits, found {name!r} twice; give each a name of "
                           f"its own")
    texts = {name: json.dumps({**one.document, "name": name})
             for name, one in given if isinstance(one, Fit)}
    with _files(texts) as paths:
        files = [paths.get(name, str(one)) for name, one in given]
        return Comparison(json.loads(_sonde.compare(files, listed)))


# --------------------------------------------------------------------------------------- recover --


class Recovery:
    """How well parameters that are known come back, on the scale of the fit.

        names                        parameters
        truth, estimate, sd          (n_subject, n)
        r, bias, rmse, coverage, shrinkage      (n)
        posterior_correlation        (n, n) in posteriors, averaged
        estimate_correlation         (n, n) of estimates, over subjects
        models, confusion            of several models: their names, and share, pxp and
                                     true_given_found, each (true, found)

    Arrays are those of the first model; `model(i)` has those of another.

    Parameters
    ----------
    document : dict
        A sonde-recovery document.
    which : int
        The model that arrays are of.
    """

    def __init__(self, document: Document, which: int = 0):
        self.document = document
        self.models: list[str] = [one["model"] for one in document["models"]]
        found = document["models"][which]
        self.parameters: list[Document] = found["parameters"]
        self.names: list[str] = [one["name"] for one in self.parameters]
        self.truth: Floats = np.array([one["true"] for one in found["subjects"]])
        self.estimate: Floats = np.array([one["map"] for one in found["subjects"]])
        self.covariance: Floats = np.array([one["covariance"] for one in found["subjects"]])
        self.sd: Floats = np.sqrt(np.diagonal(self.covariance, axis1=1, axis2=2))
        self.evidence: Floats = np.array([one["evidence"] for one in found["subjects"]])
        self.r, self.bias, self.rmse, self.coverage, self.shrinkage = (
            np.array([one[key] for one in self.parameters], dtype=float)
            for key in ("r", "bias", "rmse", "coverage", "shrinkage"))
        self.posterior_correlation: Floats = np.array(found["posterior_correlation"])
        self.estimate_correlation: Floats = np.array(found["estimate_correlation"], dtype=float)
        self.confusion: dict[str, Floats] | None = document["confusion"] and {
            key: np.array(value, dtype=float) for key, value in document["confusion"].items()}

    def model(self, which: int | str) -> Recovery:
        """The same of another model.

        Parameters
        ----------
        which : int or str
            Its number or name.

        Returns
        -------
        Recovery
        """
        place = self.models.index(which) if isinstance(which, str) else which
        return Recovery(self.document, place)

    def frame(self) -> pandas.DataFrame:
        """Makes a pandas.DataFrame with a row for each parameter.

        Returns
        -------
        DataFrame
        """
        pandas = need("pandas", "frame")

        return pandas.DataFrame({"parameter": self.names, "r": self.r, "bias": self.bias,
                                 "rmse": self.rmse, "coverage": self.coverage,
                                 "shrinkage": self.shrinkage})

    def __repr__(self) -> str:
        told = ", ".join(f"{name} r = {r:.2f}" for name, r in zip(self.names, self.r))
        return f"<Recovery of {len(self.truth)} subjects: {told}>"


class Power:
    """How many subjects it takes to see a difference between two groups.

        subjects                        (n) numbers of subjects, of both groups together
        found, found_low, found_high    (n) share of repeats in which it is seen, and its interval
        found_without                   (n) the same where there is no difference
        beta, sd                        (n) mean and spread of what is found

    Parameters
    ----------
    document : list of dict
        What was found for each number of subjects.
    """

    def __init__(self, document: list[Document]):
        self.document = document
        self.subjects = np.array([one["subjects"] for one in document])
        self.found, self.found_low, self.found_high = np.array(
            [one["found"] for one in document]).T
        self.found_without: Floats = np.array([one["found_without"][0] for one in document])
        self.coverage: Floats = np.array([one["coverage"][0] for one in document])
        self.beta: Floats = np.array([one["beta"] for one in document])
        self.sd: Floats = np.array([one["sd"] for one in document])

    def __repr__(self) -> str:
        told = ", ".join(f"{n}: {p:.2f}" for n, p in zip(self.subjects, self.found))
        return f"<Power by subjects: {told}>"


def _process(model: Model, process: object, outcomes: Path | None, steps: tuple[int, int],
             timing: str) -> _sonde.Handle | None:
    """A world as a process: a model, or a file, which may have a schedule; or a table."""
    if outcomes is not None:
        if process is not None:
            raise BadInput("outcomes: take the place of a world; leave process out")
        return _sonde.process_outcomes(model._handle, str(outcomes), *steps, timing == "after")
    if process is None:
        return None
    if isinstance(process, Model):
        with _files({"process": process.to_json()}) as paths:
            return _sonde.process_read(paths["process"], None)
    return _sonde.process_read(str(process), None)


def recover(model: Model | Graph | Path,
            free: Free | Mapping[str, Free], *, subjects: int | Sequence[int] = 40,
            sessions: int = 1, episodes: int = 1, steps: int = 10,
            process: Model | Path | None = None, outcomes: Path | None = None, grid: bool = False,
            groups: Mapping[str, float] | None = None, repeats: int = 200, starts: int = 4,
            optimiser: str = "bobyqa", store: Path | None = None,
            learn: Mapping[str, Any] | bool | None = None, lapse: float = 0.0,
            timing: str = "before", threads: int | None = None, memory: Memory = None,
            progress: Progress | None = None, **settings: Unpack[SearchSettings]
            ) -> Recovery | Power:
    """Draws parameters, simulates, fits, and says how well they come back, as `sonde recover` does.

    Parameters
    ----------
    model : Model or path
        What the agent knows.
    free : str, path, list or dict
        What is free, as in Parameters; or {"models": {name: what is free}}: models that are told
        apart.
    subjects : int or list of int
        How many; several with groups.
    sessions, episodes, steps : int
        Sessions of each subject, with which counts start anew and parameters that are "per"
        session take other values; episodes of each session, and steps of each episode.
    process : Model or path, optional
        The world, where it differs from the model; a file may have a schedule.
    outcomes : path, optional
        A table of what comes of each action, instead of a world.
    grid : bool
        Parameters lie on a grid of the prior's quantiles.
    groups : dict, optional
        {"gamma": 0.5}: two groups that differ by so much on the scale of the fit; how often is it
        seen?
    repeats : int
        How often groups are drawn.
    starts, optimiser, store, learn, lapse : optional
        As in fit.
    timing : {"before", "after"}
        Whether outcomes are seen before an action, or come of it.
    threads, memory, progress : optional
        As in simulate.
    **settings : SearchSettings
        The settings of sonde.plan; the seed draws everything.

    Returns
    -------
    Recovery, or Power with groups
    """
    known, run = as_model(model), run_of(threads, memory, progress)
    several: dict[str, Any] = {"model": free}
    if isinstance(free, Mapping) and list(free) == ["models"]:
        several = dict(free["models"])  # type: ignore[arg-type]
    follow = follow_of(known, Data("", timing=timing), learn, lapse, settings)
    parameters = [Parameters(known, one) for one in several.values()]
    sizes = integers(np.atleast_1d(np.asarray(subjects)), "subjects")
    if groups is None and len(sizes) > 1:
        raise BadInput("subjects: several go with groups")
    asked = (follow, [one._handle for one in parameters], list(several),
             _process(known, process, outcomes, (episodes, steps), timing),
             (episodes, steps, int(sizes[0]), grid, sessions),
             {"starts": starts, "seed": _seed(settings), "newton": optimiser == "newton",
              "store": None if store is None else str(store)})
    if groups is None:
        return Recovery(json.loads(_sonde.recover(asked, run)))
    if len(groups) != 1:
        raise BadInput(f"groups: expected one parameter and its difference, found {dict(groups)}")
    (name, difference), = groups.items()
    return Power(_sonde.power(asked, name, float(difference), sizes, repeats, run))


def draw(model: Model | Graph | Path, steps: int, *, episodes: int = 1, free: Free | None = None,
         theta: npt.ArrayLike | None = None, subjects: int | None = None,
         process: Model | Path | None = None, outcomes: npt.ArrayLike | None = None,
         learn: Mapping[str, Any] | bool | None = None, lapse: float = 0.0,
         timing: str = "before", **settings: Unpack[SearchSettings]) -> Data:
    """Lets agents act, and writes down what a table of them would have.

    Parameters
    ----------
    model : Model or path
        What the agents know.
    steps, episodes : int
        Steps of each episode, and episodes of each subject.
    free : optional
        Parameters as in Parameters.
    theta : array (n_subject, n_parameter), optional
        Their values, on the transformed scale.
    subjects : int, optional
        How many, where theta does not say.
    process : Model or path, optional
        The world, where it differs from the model.
    outcomes : array (episodes, steps, n_action, n_modality), optional
        What comes of each action, instead of a world.
    learn, lapse, timing : optional
        As in replay.
    **settings : SearchSettings
        The settings of sonde.plan; the seed draws everything, for every subject anew.

    Returns
    -------
    Data
    """
    known, world = as_model(model), None if process is None else as_model(process)
    steps, episodes = whole(steps, "steps", 1), whole(episodes, "episodes", 1)
    data = Data("", timing=timing)
    follow = follow_of(known, data, learn, lapse, settings)
    parameters = None if free is None else Parameters(known, free)
    values = None if theta is None else np.atleast_2d(numbers_of(theta))
    if (parameters is None) != (values is None):
        raise BadInput("theta: goes with free, and free with theta")
    if parameters is not None and values is not None and values.shape[1] != len(parameters):
        raise BadInput(f"theta: expected {len(parameters)} numbers of each subject, found "
                       f"{values.shape[1]}")
    n = (1 if subjects is None else whole(subjects, "subjects", 1)) if values is None \
        else len(values)
    table = None
    if outcomes is not None:
        shape = (episodes, steps, known.n_action, known.n_modality)
        table = integers(outcomes, "outcomes").reshape(-1)
        if table.size != np.prod(shape):
            raise BadInput(f"outcomes: expected the shape {shape}, found {np.shape(outcomes)}")
    seen = np.empty((n, episodes * steps, known.n_modality), np.int32)
    done = np.empty((n, episodes * steps), np.int32)
    changes = [] if world is None else [(0, False, world._handle)]
    for i in range(n):
        _sonde.draw(follow, None if parameters is None else parameters._handle,
                    None if values is None else np.ascontiguousarray(values[i]),
                    (_seed(settings), i, episodes, steps), changes, table, seen[i], done[i])
    tuples = np.stack(np.unravel_index(done, known.num_controls), axis=-1)
    return Data.from_arrays(seen, tuples, episodes=steps, timing=timing)
