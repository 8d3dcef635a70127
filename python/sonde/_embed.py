"""Policies as rows of numbers, and clusters of them."""
from __future__ import annotations

import json
from functools import cached_property
from typing import Any

import numpy as np

from . import _sonde
from ._arrays import Progress, doubles, frozen, run_of, view
from ._model import Model, as_model
from ._plan import check_company, clusters_wanted


def embed(model: Any, embedding: str | None = None, *, belief: Any = None, scope: str = "local",
          onehot_weight: float | None = None, ngram: int | None = None, ends: int | None = None,
          dimension: int | None = None, policy_sample: int | None = None, seed: int = 1,
          threads: int | None = None, memory: int | str | None = None,
          progress: Progress | None = None) -> Embedding:
    """Embeds the policies of a model or graph, as `sonde embed` does: a row for each of them.

    embedding is one of sonde.embeddings() (default: boe in graph worlds, boa in general models);
    ngram, ends, dimension and onehot_weight go with some of them.
    policy_sample embeds so many policies, drawn uniformly, where there are more.
    """
    model = as_model(model)
    state, settled, origin = model._now(belief)
    if scope not in ("local", "global") or (scope == "global" and not model.graph):
        raise ValueError(f"scope: expected local, or global in a graph world, found {scope!r}")
    origin = -1 if scope == "global" else origin
    run = run_of(threads, memory, progress)
    settings = {"embedding": embedding, "onehot_weight": onehot_weight, "ngram": ngram,
                "ends": ends, "dimension": dimension, "policy_sample": policy_sample,
                "seed": seed}
    check_company(settings)
    frozen(settled)
    embedder = _sonde.embedder_new(model._policies, settings, state,
                                   None if model.graph else settled, run)
    return Embedding(model, (state, settled, origin), embedder,
                     _sonde.embedding_new(embedder, origin, run))


class Embedding:
    """Rows of numbers for policies. Equal rows are kept once.

        rows        (n_row, n_column) the distinct ones
        row_of      (n_policy) which row a policy has
        weight      (n_row) how many policies have it
        first       (n_row) the lowest of them
        matrix      (n_policy, n_column) every policy's row
        plane       (n_policy, 2) its place in the two directions that vary most; plane_share
                    says how much of the variance that is
        policies    (n_policy, ...) as in Model.policies; index (n_policy) their places in the order
    """

    def __init__(self, model: Model | None, now: Any, embedder: Any, handle: Any):
        self.model = model
        self._now = now
        self._embedder = embedder
        self._handle = handle

    @classmethod
    def from_rows(cls, rows: Any, *, threads: int | None = None,
                  memory: int | str | None = None) -> Embedding:
        """Takes rows (n_policy, n_column) of your own."""
        array = doubles(rows, "rows")
        return cls(None, None, None,
                   _sonde.embedding_from_rows(array, run_of(threads, memory, None)))

    @cached_property
    def _fields(self) -> dict[str, Any]:
        return _sonde.embedding_fields(self._handle)

    n_policy = property(lambda self: self._fields["n_policy"])
    n_row = property(lambda self: self._fields["n_row"])
    n_column = property(lambda self: self._fields["n_column"])
    row_of = property(lambda self: view(self._fields["row_of"]))
    weight = property(lambda self: view(self._fields["weight"]))
    first = property(lambda self: view(self._fields["first"]))

    @property
    def embedding(self) -> str | None:
        """What the rows record."""
        return self._fields["embedding"] if self.model else None

    @property
    def index(self) -> np.ndarray:
        """(n_policy) places of the policies in the order."""
        sample = view(self._fields["policy"])
        return np.arange(self.n_policy, dtype=np.uint64) if sample is None else sample

    @property
    def policies(self) -> np.ndarray:
        """(n_policy, ...) the policies, as in Model.policies."""
        return frozen(self.model._shown(self.model._walks(self._now[2], self.index)))

    @cached_property
    def rows(self) -> np.ndarray:
        """(n_row, n_column) the distinct rows."""
        out = np.empty((self.n_row, self.n_column))
        _sonde.embedding_rows(self._handle, out)
        return frozen(out)

    @property
    def matrix(self) -> np.ndarray:
        """(n_policy, n_column) every policy's row."""
        return frozen(self.rows[self.row_of])

    def at(self, row: int, column: int) -> float:
        """One number of a distinct row."""
        return _sonde.embedding_at(self._handle, row, column)

    def row(self, policy: Any) -> np.ndarray:
        """(n_column) the row of any policy, as Model.efe takes them."""
        out = np.empty(self.n_column)
        _sonde.embedder_row(self._embedder, self.model._taken([policy])[0], out)
        return out

    @property
    def about(self) -> dict[str, Any]:
        """What the embedding needed to know of the model."""
        return _sonde.embedder_fields(self._embedder)

    @cached_property
    def _pca(self) -> Any:
        return _sonde.pca_fit(self._handle)

    @property
    def plane_share(self) -> np.ndarray:
        """(2) share of the variance along the two directions."""
        return view(_sonde.pca_fields(self._pca)["share"])

    @property
    def plane_axes(self) -> np.ndarray:
        """(2, n_column) the two directions."""
        return view(_sonde.pca_fields(self._pca)["axis"])

    @cached_property
    def plane(self) -> np.ndarray:
        """(n_policy, 2) places in the two directions that vary most."""
        xy = np.empty((self.n_row, 2))
        _sonde.pca_places(self._pca, self._handle, xy)
        return frozen(xy[self.row_of])

    def project(self, rows: Any) -> np.ndarray:
        """(n, 2) where rows (n, n_column) of any kind lie in that plane."""
        array = np.atleast_2d(doubles(rows, "rows"))
        out = np.empty((len(array), 2))
        _sonde.pca_project(self._pca, array, out)
        return out

    def to_json(self) -> str:
        """What `sonde embed --json` says."""
        return self._report("json", None, {})

    def to_csv(self) -> str:
        """What `sonde embed --csv` says."""
        return self._report("csv", None, {})

    def _report(self, form: str, clusters: Any, settings: dict[str, Any]) -> str:
        if self.model is None:
            raise ValueError("rows of your own have no report")
        state, belief, origin = self._now
        return _sonde.map_report(self.model._policies, origin, state, belief, self._embedder,
                                 self._handle, self._pca, clusters, settings, form, None)

    def __repr__(self) -> str:
        return (f"<sonde.Embedding {self.embedding or 'of rows'}: {self.n_policy:,} policies, "
                f"{self.n_row:,} distinct rows, {self.n_column} columns>")


def cluster(what: Any, /, k: int | str = 12, *, method: str | None = None,
            restarts: int | None = None, rounds: int | None = None,
            tolerance: float | None = None, keep_empty: bool = False,
            nearest_of_all: bool = False, seed_order: bool = False, seed: int = 1,
            stream: int | None = None, threads: int | None = None, memory: int | str | None = None,
            progress: Progress | None = None, **embed_settings: Any) -> Clusters:
    """Clusters of embedded policies, as `sonde cluster` does: k-means, or method "ward". k may be
    "auto", which balances what it costs to probe clusters and to search one.

    what is an Embedding, rows (n, m) of your own, or a model or graph, which is embedded first
    (with the arguments of sonde.embed). The stream of the seed is the one that an agent would use.
    """
    if isinstance(what, Embedding):
        embedding = what
    elif isinstance(what, (np.ndarray, list, tuple)):
        embedding = Embedding.from_rows(what)
    else:
        embedding = embed(what, seed=seed, threads=threads, memory=memory, progress=progress,
                          **embed_settings)
        embed_settings = {}
    if embed_settings:
        raise TypeError(f"cluster has no argument {next(iter(embed_settings))!r}")
    if stream is None:
        stream = embedding._now[2] + 1 if embedding.model else 0
    settings = {"method": method, "k": k, "restarts": restarts, "rounds": rounds,
                "tolerance": tolerance, "keep_empty": keep_empty, "nearest_of_all": nearest_of_all,
                "seed_order": seed_order, "seed": seed, "stream": stream}
    check_company(settings)
    settings["k"] = clusters_wanted(k)
    handle = _sonde.clusters_fit(embedding._handle, settings, run_of(threads, memory, progress))
    return Clusters(embedding, handle, settings)


class Clusters:
    """Clusters of policies, numbered by their lowest member.

        label             (n_policy) the cluster of each policy
        center            (k, n_column)
        representative    (k) the policy nearest the centre; -1 in a cluster without members
        size              (k) members
        k, k_asked        fewer than asked for where there are fewer distinct rows
        inertia           summed squared distances to the centres
    """

    def __init__(self, embedding: Embedding, handle: Any, settings: dict[str, Any]):
        self.embedding = embedding
        self._handle = handle
        self._settings = settings

    @cached_property
    def _fields(self) -> dict[str, Any]:
        return _sonde.clusters_fields(self._handle)

    k = property(lambda self: self._fields["k"])
    k_asked = property(lambda self: self._fields["k_asked"])
    inertia = property(lambda self: self._fields["inertia"])
    n_round = property(lambda self: self._fields["n_round"])
    label = property(lambda self: view(self._fields["label"]))
    center = property(lambda self: view(self._fields["center"]))
    representative = property(lambda self: view(self._fields["representative"]))
    size = property(lambda self: np.diff(view(self._fields["offset"])))

    def members(self, c: int) -> np.ndarray:
        """The policies of a cluster, ascending, as a view."""
        offset = view(self._fields["offset"])
        return view(self._fields["member"])[offset[c]:offset[c + 1]]

    def policy(self, i: int) -> int:
        """The place in the order of the i-th policy that was clustered."""
        return _sonde.clusters_policy(self._handle, i)

    def mean_efe(self) -> np.ndarray:
        """(k) mean G of each cluster's members."""
        out = np.empty(self.k)
        state, belief, origin = self.embedding._now
        model = self.embedding.model
        _sonde.clusters_mean_efe(self._handle, model._policies, origin, state,
                                 None if model.graph else belief, out)
        return frozen(out)

    def to_json(self) -> str:
        """What `sonde cluster --json` says."""
        return self.embedding._report("json", self._handle, self._settings)

    def to_csv(self) -> str:
        """What `sonde cluster --csv` says."""
        return self.embedding._report("csv", self._handle, self._settings)

    def to_dict(self) -> dict[str, Any]:
        """The JSON document as a dict."""
        return json.loads(self.to_json())

    def __len__(self) -> int:
        return self.k

    def __repr__(self) -> str:
        return (f"<sonde.Clusters: {self.k} of {self._fields['n_policy']:,} policies, sizes "
                f"{self.size.tolist()}, inertia {self.inertia:.6g}>")
