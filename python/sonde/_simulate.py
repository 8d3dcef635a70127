"""An agent in a world, step by step."""
from __future__ import annotations

import json
from collections.abc import Iterator, KeysView
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from . import _sonde
from ._arrays import kept, run_of, view
from ._graph import Graph
from ._model import Model, as_model
from ._settings import SearchSettings
from ._sonde import BadInput
from ._types import Counts, Document, Floats, Ints, Memory, Path, Progress

if TYPE_CHECKING:
    from ._sonde import EpisodeFields


def simulate(model: Model | Graph | Path, steps: int = 10, *,
             process: Model | Graph | Path | None = None, horizon: int | None = None,
             lambda_: float | None = None, preferences: str | None = None,
             information: str | None = None, threads: int | None = None,
             memory: Memory = None, progress: Progress | None = None,
             **settings: Unpack[SearchSettings]) -> Episode:
    """Lets an agent act in the world of its own model, or of another, as `sonde simulate` does:
    observe, decide, act, and the world answers.

    Parameters
    ----------
    model : Model, Graph or path
        What the agent knows of its world.
    steps : int
        How many.
    process : Model, Graph or path, optional
        The world, if it is not as the model has it.
    horizon, lambda_, preferences, information : optional
        As in Model, in place of the model's own; like("pymdp") and its kin have some of them.
    threads : int, optional
        How many; None: one for each core. Changes no number.
    memory : int or str, optional
        The most to ask for at once: bytes, or a text such as "500M".
    progress : callable, optional
        A function f(stage, done, total) that is called now and then.
    **settings : SearchSettings
        The settings of sonde.plan, with the same defaults.

    Returns
    -------
    Episode
        What happened.
    """
    if settings.get("keep"):
        raise BadInput("keep: goes with plan and Agent only; leave it out")
    known = as_model(model, settings.get("seed"), horizon=horizon, lambda_=lambda_,
                     preferences=preferences, information=information)
    run = run_of(threads, memory, progress)
    agent = _sonde.agent_new(known._policies, known._settings | settings, run)
    world = None if process is None else as_model(process)
    episode = _sonde.simulate(agent, steps, None if world is None else world._handle, progress)
    return Episode(known, agent, episode)


class Episode:
    """What happened: the keys of `sonde simulate --json` as attributes and items, and as read-only
    arrays, one row for each of n steps:

        path         (n + 1) nodes, or (n + 1, n_factor) states
        states       (n + 1, n_factor) states, edges in a graph world
        outcomes     (n, n_modality) seen before each action
        actions      (n, n_factor) actions, or pairs of edges
        beliefs      (n, n_belief) before each action
        surprise     (n) -ln P(outcomes), of all modalities jointly
        free_energy, complexity, accuracy    (n) complexity - accuracy, and these
        p, n_policy, equivalent              (n)

    It can be pickled and copied.

    Parameters
    ----------
    model : Model
        The agent's.
    agent : Handle
        The agent.
    episode : Handle
        What happened to it.
    """

    _text: str  #: of a copy: its document

    def __init__(self, model: Model, agent: _sonde.Handle, episode: _sonde.Handle):
        self.model = model
        self._agent: _sonde.Handle | None = agent
        self._episode: _sonde.Handle | None = episode

    @cached_property
    def _fields(self) -> EpisodeFields:
        assert self._episode is not None  # copies have their fields
        return _sonde.episode_fields(self._episode)

    @cached_property
    def _document(self) -> Document:
        return json.loads(self.to_json())

    def to_json(self, command: str | None = None) -> str:
        """Writes the episode as a document.

        Parameters
        ----------
        command : str, optional
            The command line that the document names.

        Returns
        -------
        str
            What `sonde simulate --json` says.
        """
        if self._agent is None or self._episode is None:
            return self._text if command is None else json.dumps(
                json.loads(self._text) | {"command": command})
        return _sonde.episode_report(self._agent, self._episode, command)

    def __getstate__(self) -> Document:
        """All that there is to say of it, without the agent."""
        return {"model": self.model, "_fields": kept(self._fields), "_text": self.to_json()}

    def __setstate__(self, state: Document) -> None:
        self._agent = self._episode = None
        self.__dict__.update(state)

    def to_dict(self) -> Document:
        """Gives the document as a dict.

        Returns
        -------
        dict
            What `sonde simulate --json` says.
        """
        return dict(self._document)

    def __getattr__(self, key: str) -> Any:
        if not key.startswith("_") and key in self._document:
            return self._document[key]
        raise AttributeError(key)

    def __getitem__(self, key: str) -> Any:
        return self._document[key]

    def keys(self) -> KeysView[str]:
        """Lists what there is.

        Returns
        -------
        view of str
            The keys of the document.
        """
        return self._document.keys()

    def __iter__(self) -> Iterator[str]:
        return iter(self._document)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._document})

    def __len__(self) -> int:
        return self._fields["n_step"]

    @property
    def path(self) -> Ints:
        """(n + 1) nodes, or (n + 1, n_factor) states."""
        return self.model._kind.path(self.states)

    @property
    def states(self) -> Ints:
        """(n + 1, n_factor) states, edges in a graph world."""
        return view(self._fields["state"])

    @property
    def outcomes(self) -> Ints:
        """(n, n_modality) seen before each action."""
        return view(self._fields["outcome"])

    @property
    def beliefs(self) -> Floats:
        """(n, n_belief) before each action."""
        return view(self._fields["belief"])

    @property
    def surprise(self) -> Floats:
        """(n) how unexpected the outcomes were: -ln P of all modalities jointly, in nats."""
        return view(self._fields["surprise"])

    @property
    def free_energy(self) -> Floats:
        """(n) complexity - accuracy; the surprise itself, where inference is exact."""
        return view(self._fields["free_energy"])

    @property
    def complexity(self) -> Floats:
        """(n) how far each belief went from what was expected, in nats."""
        return view(self._fields["complexity"])

    @property
    def accuracy(self) -> Floats:
        """(n) expected ln P(outcomes | states)."""
        return view(self._fields["accuracy"])

    @property
    def p(self) -> Floats:
        """(n) how probable each action was."""
        return view(self._fields["p"])

    @property
    def n_policy(self) -> Counts:
        """(n) policies scored."""
        return view(self._fields["n_policy"])

    @property
    def equivalent(self) -> Floats:
        """(n) what that cost, in policies."""
        return view(self._fields["equivalent"])

    @property
    def actions(self) -> Ints:
        """(n, n_factor) actions, or (n, 2) pairs of edges."""
        return np.array([self.model.action_tuple(int(number))
                         for number in view(self._fields["action"])], np.int32)

    def __repr__(self) -> str:
        return self.model._kind.about_episode(self)

    def _repr_html_(self) -> str:
        return self.model._kind.episode_html(self)
