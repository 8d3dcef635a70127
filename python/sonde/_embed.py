"""Policies as rows of numbers, and clusters of them."""
from __future__ import annotations

import json
from collections.abc import Callable
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from . import _sonde
from ._arrays import doubles, frozen, run_of, view
from ._graph import Graph
from ._model import Model, as_model
from ._own import OwnRows, Rows
from ._sonde import BadInput
from ._types import Array, Belief, Counts, Document, Floats, Ints, Memory, Path, Progress, Run

if TYPE_CHECKING:
    from ._sonde import ClustersFields, EmbeddingFields


class EmbedSettings(TypedDict, total=False):
    """What else may be said of an embedding; see embed."""

    embedding: str | Rows | None
    belief: Belief | None
    scope: str
    onehot_weight: float | None
    ngram: int | None
    ends: int | None
    dimension: int | None
    policy_sample: int | None


def embed(model: Model | Graph | Path, embedding: str | Rows | None = None, *,
          belief: Belief | None = None, scope: str = "local", onehot_weight: float | None = None,
          ngram: int | None = None, ends: int | None = None, dimension: int | None = None,
          policy_sample: int | None = None, seed: int = 1, threads: int | None = None,
          memory: Memory = None, progress: Progress | None = None) -> Embedding:
    """Embeds the policies of a model or graph, as `sonde embed` does: a row for each of them.

    Parameters
    ----------
    model : Model, Graph or path
        Whose policies.
    embedding : str or callable, optional
        One of sonde.embeddings(); boe in graph worlds and boa in general models unless given. A
        function of your own is given policies as Model.policies lists them, an array
        (n, T, n_factor) of actions or (n, T + 2) of nodes, and returns an array (n, columns).
    belief : array or list of arrays, optional
        From where policies are carried out; the initial belief unless given.
    scope : str
        Of a graph world: "local" (from where the agent is) or "global".
    onehot_weight : float, optional
        Goes with aboe-onehot.
    ngram : int, optional
        Goes with ngram: how many actions in a row.
    ends : int, optional
        Goes with ends: how many actions at each end.
    dimension : int, optional
        Goes with walk2vec: numbers in a vector.
    policy_sample : int, optional
        Embeds so many policies, drawn uniformly, where there are more.
    seed : int
        Of everything that is drawn.
    threads : int, optional
        How many; None: one for each core. Changes no number.
    memory : int or str, optional
        The most to ask for at once: bytes, or a text such as "500M".
    progress : callable, optional
        A function f(stage, done, total) that is called now and then.

    Returns
    -------
    Embedding
        The rows.
    """
    known = as_model(model)
    settled, origin = known._now(belief, scope)
    return _embedded(known, (settled, origin), {
        "embedding": embedding, "onehot_weight": onehot_weight, "ngram": ngram, "ends": ends,
        "dimension": dimension, "policy_sample": policy_sample, "seed": seed},
        run_of(threads, memory, progress))


def _embedded(model: Model, now: tuple[Floats, int], settings: Document,
              run: Run | None = None) -> Embedding:
    """embed, once everything is what it should be."""
    belief, origin = frozen(now[0]), now[1]
    own = _own_rows(model, settings, run)
    if own is not None:
        own.give(origin)
    embedder = own.handle if own else _sonde.embedder_new(model._policies, settings, belief, run)
    return Embedding(model, (belief, origin), embedder,
                     _sonde.embedding_new(embedder, origin, run), own, settings)


def _own_rows(model: Model, settings: Document, run: Run | None) -> OwnRows | None:
    """Those of a function, which goes with no setting of another embedding; None for a name."""
    function = settings["embedding"]
    if not callable(function):
        return None
    for key in ("onehot_weight", "ngram", "ends", "dimension"):
        if settings[key] is not None:
            raise BadInput(f"{key}: goes with an embedding by name; leave it out")
    return OwnRows(model, function, settings["policy_sample"], settings["seed"], run)


class Embedding:
    """Rows of numbers for policies, from sonde.embed. Equal rows are kept once.

        rows        (n_row, n_column) the distinct ones
        row_of      (n_policy) which row a policy has
        weight      (n_row) how many policies have it
        first       (n_row) the lowest of them
        matrix      (n_policy, n_column) every policy's row
        plane       (n_policy, 2) its place in the two directions that vary most; plane_share
                    says how much of the variance that is
        policies    (n_policy, ...) as in Model.policies; index (n_policy) their places in the order

    It can be pickled and copied: a copy is made anew from the model and the settings.

    Parameters
    ----------
    model : Model or None
        Whose policies they are; None for rows of your own.
    now : (array, int) or None
        The belief and the origin from which they are carried out.
    embedder : Handle or None
        What makes rows.
    handle : Handle
        The rows.
    own : OwnRows, optional
        The function that made them.
    settings : dict, optional
        How they were made.
    """

    def __init__(self, model: Model | None, now: tuple[Floats, int] | None,
                 embedder: _sonde.Handle | None, handle: _sonde.Handle,
                 own: OwnRows | None = None, settings: Document | None = None):
        self.model = model
        self._settings = settings
        self._own = own
        self._now = now
        self._embedder = embedder
        self._handle = handle

    @classmethod
    def from_rows(cls, rows: npt.ArrayLike, *, threads: int | None = None,
                  memory: Memory = None) -> Embedding:
        """Takes rows of your own.

        Parameters
        ----------
        rows : array (n_policy, n_column)
            The rows.
        threads, memory : optional
            As in embed.

        Returns
        -------
        Embedding
            The same, equal rows kept once.
        """
        array = doubles(rows, "rows")
        return cls(None, None, None,
                   _sonde.embedding_from_rows(array, run_of(threads, memory, None)))

    def _source(self) -> tuple[Model, tuple[Floats, int], _sonde.Handle]:
        """Where the rows come from, which those of your own cannot say."""
        if self.model is None or self._now is None or self._embedder is None:
            raise BadInput("rows of your own have no model, no policies and no report")
        return self.model, self._now, self._embedder

    @cached_property
    def _fields(self) -> EmbeddingFields:
        return _sonde.embedding_fields(self._handle)

    @property
    def n_policy(self) -> int:
        """How many policies there are."""
        return self._fields["n_policy"]

    @property
    def n_row(self) -> int:
        """How many distinct rows there are."""
        return self._fields["n_row"]

    @property
    def n_column(self) -> int:
        """Numbers in a row."""
        return self._fields["n_column"]

    @property
    def row_of(self) -> Ints:
        """(n_policy) which row a policy has."""
        return view(self._fields["row_of"])

    @property
    def weight(self) -> Ints:
        """(n_row) how many policies have it."""
        return view(self._fields["weight"])

    @property
    def first(self) -> Ints:
        """(n_row) the lowest policy that has it."""
        return view(self._fields["first"])

    @property
    def embedding(self) -> str | None:
        """What the rows record."""
        return self._fields["embedding"] if self.model else None

    @property
    def index(self) -> Counts:
        """(n_policy) places of the policies in the order."""
        sample = view(self._fields["policy"])
        return np.arange(self.n_policy, dtype=np.uint64) if sample is None else sample

    @property
    def policies(self) -> Ints:
        """(n_policy, ...) the policies, as in Model.policies."""
        model, now, _ = self._source()
        return frozen(model._kind.shown(model._walks(now[1], self.index)))

    @cached_property
    def rows(self) -> Floats:
        """(n_row, n_column) the distinct rows."""
        out = np.empty((self.n_row, self.n_column))
        _sonde.embedding_rows(self._handle, out)
        return frozen(out)

    @property
    def matrix(self) -> Floats:
        """(n_policy, n_column) every policy's row."""
        return frozen(self.rows[self.row_of])

    def at(self, row: int, column: int) -> float:
        """Looks up one number.

        Parameters
        ----------
        row, column : int
            Of a distinct row.

        Returns
        -------
        float
            The number.
        """
        return _sonde.embedding_at(self._handle, row, column)

    def row(self, policy: npt.ArrayLike) -> Floats:
        """Embeds any policy.

        Parameters
        ----------
        policy : array
            As Model.policies lists them.

        Returns
        -------
        array (n_column)
            Its row.
        """
        model, _, embedder = self._source()
        if self._own is not None:
            return self._own.rows(model._kind.shown(model._kind.taken([policy])))[0]
        out = np.empty(self.n_column)
        _sonde.embedder_row(model._policies, embedder, model._kind.taken([policy])[0], out)
        return out

    @property
    def about(self) -> EmbeddingFields:
        """What the embedding is made of: codes, and the matrix that makes rows of them."""
        self._source()
        return self._fields

    @cached_property
    def _pca(self) -> _sonde.Handle:
        return _sonde.pca_fit(self._handle)

    @property
    def plane_share(self) -> Floats:
        """(2) share of the variance along the two directions."""
        return view(_sonde.pca_fields(self._pca)["share"])

    @property
    def plane_axes(self) -> Floats:
        """(2, n_column) the two directions."""
        return view(_sonde.pca_fields(self._pca)["axis"])

    @cached_property
    def plane(self) -> Floats:
        """(n_policy, 2) places in the two directions that vary most."""
        xy = np.empty((self.n_row, 2))
        _sonde.pca_places(self._pca, self._handle, xy)
        return frozen(xy[self.row_of])

    def project(self, rows: npt.ArrayLike) -> Floats:
        """Finds places in the plane in which the rows vary most.

        Parameters
        ----------
        rows : array (n, n_column)
            Rows of any kind.

        Returns
        -------
        array (n, 2)
            Their places.
        """
        array = np.atleast_2d(doubles(rows, "rows"))
        out = np.empty((len(array), 2))
        _sonde.pca_project(self._pca, array, out)
        return out

    def to_json(self) -> str:
        """Writes the embedding as a document.

        Returns
        -------
        str
            What `sonde embed --json` says.
        """
        return self._report("json")

    def to_csv(self) -> str:
        """Writes the embedding as a table.

        Returns
        -------
        str
            What `sonde embed --csv` says.
        """
        return self._report("csv")

    def _report(self, form: str, clusters: _sonde.Handle | None = None,
                settings: Document | None = None, stream: int = 0) -> str:
        model, (belief, origin), _ = self._source()
        return _sonde.map_report(model._policies, origin, belief, self._handle, self._pca, clusters,
                                 settings, stream, form, None)

    def __reduce__(self) -> tuple[Callable[..., Embedding], tuple[Any, ...]]:
        if self.model is None:
            return Embedding.from_rows, (self.matrix,)
        return _embedded, (self.model, self._now, self._settings)

    def __repr__(self) -> str:
        return (f"<sonde.Embedding {self.embedding or 'of rows'}: {self.n_policy:,} policies, "
                f"{self.n_row:,} distinct rows, {self.n_column} columns>")


def cluster(what: Embedding | Model | Graph | Path | npt.ArrayLike, /, k: int | str = 12, *,
            method: str | None = None, restarts: int | None = None, rounds: int | None = None,
            tolerance: float | None = None, keep_empty: bool = False, nearest_of_all: bool = False,
            seed_order: bool = False, seed: int = 1, stream: int | None = None,
            threads: int | None = None, memory: Memory = None, progress: Progress | None = None,
            **embed_settings: Unpack[EmbedSettings]) -> Clusters:
    """Clusters embedded policies, as `sonde cluster` does.

    Parameters
    ----------
    what : Embedding, array (n, m), Model, Graph or path
        Rows; those of a model or graph are embedded first.
    k : int or str
        How many clusters; "auto" balances what it costs to probe clusters and to search one.
    method : str, optional
        "kmeans", unless given, or "ward".
    restarts, rounds : int, optional
        Of k-means: how often it begins anew, and the most rounds each time.
    tolerance : float, optional
        Of k-means: the movement of centres at which it ends.
    keep_empty, nearest_of_all, seed_order : bool
        What the paper's notebook does otherwise.
    seed : int
        Of everything that is drawn.
    stream : int, optional
        Of the seed; the one that an agent would use unless given.
    threads : int, optional
        How many; None: one for each core. Changes no number.
    memory : int or str, optional
        The most to ask for at once: bytes, or a text such as "500M".
    progress : callable, optional
        A function f(stage, done, total) that is called now and then.
    **embed_settings
        The arguments of sonde.embed, where a model or graph is embedded.

    Returns
    -------
    Clusters
        The clusters.
    """
    if isinstance(what, Embedding):
        embedding = what
    elif isinstance(what, (Model, Graph, str, PathLike)):
        embedding = embed(what, seed=seed, threads=threads, memory=memory, progress=progress,
                          **embed_settings)
        embed_settings = {}
    else:
        embedding = Embedding.from_rows(what)
    if embed_settings:
        raise TypeError(f"cluster has no argument {next(iter(embed_settings))!r}")
    if stream is None:
        stream = 0 if embedding._now is None else embedding._now[1] + 1
    return _clustered(embedding, {
        "method": method, "k": k, "restarts": restarts, "rounds": rounds, "tolerance": tolerance,
        "keep_empty": keep_empty, "nearest_of_all": nearest_of_all, "seed_order": seed_order,
        "seed": seed}, stream, run_of(threads, memory, progress))


def _clustered(embedding: Embedding, settings: Document, stream: int,
               run: Run | None = None) -> Clusters:
    """cluster, once everything is what it should be."""
    return Clusters(embedding, _sonde.clusters_fit(embedding._handle, settings, stream, run),
                    settings, stream)


class Clusters:
    """Clusters of policies, from sonde.cluster, numbered by their lowest member.

        label             (n_policy) the cluster of each policy
        center            (k, n_column)
        representative    (k) the policy nearest the centre; -1 in a cluster without members
        size              (k) members
        k, k_asked        fewer than asked for where there are fewer distinct rows
        inertia           summed squared distances to the centres

    They can be pickled and copied: a copy is made anew, in the same time and to the same bytes.

    Parameters
    ----------
    embedding : Embedding
        What was clustered.
    handle : Handle
        The clusters.
    settings : dict
        How.
    stream : int
        Of the seed.
    """

    def __init__(self, embedding: Embedding, handle: _sonde.Handle, settings: Document,
                 stream: int):
        self.embedding = embedding
        self._handle = handle
        self._settings = settings
        self._stream = stream

    @cached_property
    def _fields(self) -> ClustersFields:
        return _sonde.clusters_fields(self._handle)

    @property
    def k(self) -> int:
        """How many clusters there are."""
        return self._fields["k"]

    @property
    def k_asked(self) -> int:
        """How many were asked for."""
        return self._fields["k_asked"]

    @property
    def inertia(self) -> float:
        """Summed squared distances to the centres."""
        return self._fields["inertia"]

    @property
    def n_round(self) -> int:
        """Rounds that k-means took."""
        return self._fields["n_round"]

    @property
    def label(self) -> Ints:
        """(n_policy) the cluster of each policy."""
        return view(self._fields["label"])

    @property
    def center(self) -> Floats:
        """(k, n_column) the centres."""
        return view(self._fields["center"])

    @property
    def representative(self) -> Ints:
        """(k) the policy nearest the centre; -1 in a cluster without members."""
        return view(self._fields["representative"])

    @property
    def size(self) -> Array:
        """(k) members."""
        return np.diff(view(self._fields["offset"]))

    def members(self, c: int) -> Ints:
        """Lists the policies of a cluster.

        Parameters
        ----------
        c : int
            The cluster.

        Returns
        -------
        array of int
            Its policies, ascending, as a view.
        """
        offset = view(self._fields["offset"])
        return view(self._fields["member"])[offset[c]:offset[c + 1]]

    def policy(self, i: int) -> int:
        """Finds a policy that was clustered.

        Parameters
        ----------
        i : int
            Its number among those that were.

        Returns
        -------
        int
            Its place in the order of all policies.
        """
        return _sonde.clusters_policy(self._handle, i)

    def mean_efe(self) -> Floats:
        """Scores all members.

        Returns
        -------
        array (k)
            Mean G of each cluster.
        """
        out = np.empty(self.k)
        model, (belief, origin), _ = self.embedding._source()
        _sonde.clusters_mean_efe(self._handle, model._policies, origin, belief, out)
        return frozen(out)

    def to_json(self) -> str:
        """Writes the clusters as a document.

        Returns
        -------
        str
            What `sonde cluster --json` says.
        """
        return self.embedding._report("json", self._handle, self._settings, self._stream)

    def to_csv(self) -> str:
        """Writes the clusters as a table.

        Returns
        -------
        str
            What `sonde cluster --csv` says.
        """
        return self.embedding._report("csv", self._handle, self._settings, self._stream)

    def to_dict(self) -> Document:
        """Gives the document as a dict.

        Returns
        -------
        dict
            What `sonde cluster --json` says.
        """
        return json.loads(self.to_json())

    def __len__(self) -> int:
        return self.k

    def __reduce__(self) -> tuple[Callable[..., Clusters], tuple[Any, ...]]:
        return _clustered, (self.embedding, self._settings, self._stream)

    def __repr__(self) -> str:
        return (f"<sonde.Clusters: {self.k} of {self._fields['n_policy']:,} policies, sizes "
                f"{self.size.tolist()}, inertia {self.inertia:.6g}>")
