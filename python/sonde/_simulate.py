"""An agent in a world, step by step."""
from __future__ import annotations

import json
from functools import cached_property
from typing import Any, Unpack

import numpy as np

from . import _sonde
from ._arrays import Progress, run_of, view
from ._model import Model, as_model
from ._plan import SearchSettings, settled


def simulate(model: Any, steps: int = 10, *, process: Any = None, threads: int | None = None,
             memory: int | str | None = None, progress: Progress | None = None,
             **settings: Unpack[SearchSettings]) -> Episode:
    """Lets an agent act in the world of its own model, or of another (process), as `sonde simulate`
    does: observe, search, act, and the world answers.

    The result has the keys of `sonde simulate --json` as attributes and items; see Episode.
    """
    model = as_model(model, settings.get("seed"))
    run = run_of(threads, memory, progress)
    agent = _sonde.agent_new(model._policies, settled(dict(settings), graph=bool(model.graph)), run)
    world = None if process is None else as_model(process)
    episode = _sonde.simulate(agent, steps, None if world is None else world._handle, progress)
    return Episode(model, agent, episode)


class Episode:
    """What happened: the keys of `sonde simulate --json` as attributes and items, and as read-only
    arrays, one row for each of n steps:

        path         (n + 1) nodes, or (n + 1, n_factor) states
        states       (n + 1, n_factor) states, edges in a graph world
        outcomes     (n, n_modality) seen before each action
        actions      (n, n_factor) actions, or pairs of edges
        beliefs      (n, n_belief) before each action
        surprise, p, n_policy, equivalent    (n)
    """

    def __init__(self, model: Model, agent: Any, episode: Any):
        self.model = model
        self._agent = agent
        self._episode = episode

    @cached_property
    def _fields(self) -> dict[str, Any]:
        return _sonde.episode_fields(self._episode)

    @cached_property
    def _document(self) -> dict[str, Any]:
        return json.loads(self.to_json())

    def to_json(self, command: str | None = None) -> str:
        """What `sonde simulate --json` says."""
        return _sonde.episode_report(self._agent, self._episode, command)

    def to_dict(self) -> dict[str, Any]:
        """The same as a dict."""
        return dict(self._document)

    def __getattr__(self, key: str) -> Any:
        if not key.startswith("_") and key in self._document:
            return self._document[key]
        raise AttributeError(key)

    def __getitem__(self, key: str) -> Any:
        return self._document[key]

    def keys(self) -> Any:
        """The keys of the document."""
        return self._document.keys()

    def __iter__(self) -> Any:
        return iter(self._document)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._document})

    def __len__(self) -> int:
        return self._fields["n_step"]

    @property
    def path(self) -> np.ndarray:
        """(n + 1) nodes, or (n + 1, n_factor) states."""
        states = self.states
        return self.model.graph.head[states[:, 0]] if self.model.graph else states

    states = property(lambda self: view(self._fields["state"]))
    outcomes = property(lambda self: view(self._fields["outcome"]))
    beliefs = property(lambda self: view(self._fields["belief"]))
    surprise = property(lambda self: view(self._fields["surprise"]))
    p = property(lambda self: view(self._fields["p"]))
    n_policy = property(lambda self: view(self._fields["n_policy"]))
    equivalent = property(lambda self: view(self._fields["equivalent"]))

    @property
    def actions(self) -> np.ndarray:
        """(n, n_factor) actions, or (n, 2) pairs of edges."""
        return np.array([self.model.action_tuple(int(number))
                         for number in view(self._fields["action"])], np.int32)

    def __repr__(self) -> str:
        if self.model.graph:
            verdict = "optimal" if self._fields["optimal"] else f"not optimal ({self['failure']})"
            return (f"<sonde.Episode: {len(self)} steps, {verdict}; path "
                    f"{' '.join(map(str, self.path))}>")
        return (f"<sonde.Episode: {len(self)} steps from {self.states[0].tolist()} to "
                f"{self.states[-1].tolist()}>")

    def _repr_html_(self) -> str:
        from ._show import table

        if self.model.graph:
            return self.model.graph.svg(self.path) + f"<p>{repr(self)[1:-1]}</p>"
        rows = [[t, s.tolist(), o.tolist(), a.tolist(), f"{p:.4f}"] for t, (s, o, a, p)
                in enumerate(zip(self.states, self.outcomes, self.actions, self.p))]
        return table(repr(self)[1:-1], ["step", "state", "outcomes", "action", "p"], rows)
