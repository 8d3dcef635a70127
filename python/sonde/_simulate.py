"""An agent in a world, step by step."""
from __future__ import annotations

import json
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol, Unpack

import numpy as np
import numpy.typing as npt

from . import _sonde
from ._arrays import frozen, kept, run_of, view, whole
from ._document import Attributes
from ._graph import Graph
from ._model import Model, as_model, without_end
from ._own import Parts, has_own
from ._policy import Policy, lent, note_prior
from ._settings import SearchSettings
from ._sonde import BadInput
from ._types import (Counts, Document, Environment, Floats, Ints, Memory, Outcomes, Path, Progress,
                     Run)

if TYPE_CHECKING:
    from ._sonde import EpisodeFields


class Turn(NamedTuple):
    """What a world answers: what is seen, what it is worth, and whether it is over."""

    seen: Outcomes
    reward: float = np.nan
    terminated: bool = False
    truncated: bool = False
    state: Ints | None = None


class World(Protocol):
    """Where an agent lives that is simulated step by step."""

    def check(self, model: Model) -> None:
        """Raises BadInput where an agent with this model cannot live here."""

    def reset(self, seed: int) -> Turn:
        """Begins."""

    def step(self, model: Model, number: int) -> Turn:
        """Takes an action."""


class OfModel:
    """The world of a model, as simulate draws it.

    Parameters
    ----------
    process : Model
        What is true.
    """

    def __init__(self, process: Model):
        self._process = process
        self._world = _sonde.world_new(process._handle)

    def check(self, model: Model) -> None:
        """Raises BadInput where the agent has other actions or outcomes."""
        found = self._process.num_controls, self._process.num_obs
        if (found != (model.num_controls, model.num_obs)
                or model._kind.scopes != self._process._kind.scopes):
            raise BadInput(f"process: expected {model.num_controls} actions and {model.num_obs} "
                           f"outcomes as in the agent's model, found {found[0]} and {found[1]}")

    def reset(self, seed: int) -> Turn:
        """Begins."""
        _sonde.world_start(self._world, seed)
        return self._now()

    def step(self, model: Model, number: int) -> Turn:
        """Takes an action."""
        _sonde.world_move(self._world, number)
        return self._now()

    def _now(self) -> Turn:
        seen = np.empty(self._process.n_modality, np.int32)
        state = np.empty(self._process.n_factor, np.int32)
        _sonde.world_now(self._world, state, seen)
        return Turn(seen, state=state)


def world_of(process: Environment) -> Model | World | None:
    """A model, or an environment as a world; None stays."""
    if not (hasattr(process, "reset") and hasattr(process, "step")):
        return None if process is None else as_model(process)
    from .env import World as Outside  # which may import gymnasium

    return process if isinstance(process, Outside) else Outside(process)


def simulate(model: Model | Graph | Path, steps: int = 10, *,
             process: Model | Path | Environment = None,
             horizon: float | str | None = None, lambda_: float | None = None,
             preferences: str | None = None,
             information: str | None = None, action_prior: npt.ArrayLike | None = None,
             policy: Policy | Path | None = None, threads: int | None = None,
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
    process : Model, path or environment, optional
        The world, if it is not as the model has it: another general model's (a graph world is
        written as one first: `sonde model WORLD -o MODEL`), or an environment with gymnasium's
        verbs, which may end the episode early; see sonde.env.from_gymnasium.
    horizon, lambda_, preferences, information : optional
        As in Model, in place of the model's own; like("pymdp") and its kin have some of them.
        A horizon of "inf" (or math.inf) is none: in closed loop, with a discount.
    action_prior : array (actions), optional
        How probable actions are beforehand in closed loop, in place of the model's.
    policy : Policy or path, optional
        What an earlier search without a horizon has found, or SARSOP: where this one begins.
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
    steps_ahead = without_end(horizon, settings)
    known = as_model(model, settings.get("seed"), horizon=steps_ahead, lambda_=lambda_,
                     preferences=preferences, information=information)
    note_prior(known, settings)
    return simulate_one(known, whole(steps, "steps", 1), world_of(process),
                        known._settings | settings | lent(policy, action_prior),
                        run_of(threads, memory, progress))


def simulate_one(model: Model, steps: int, world: Model | World | None, settings: Document,
                 run: Run | None) -> Episode:
    """simulate, once everything is what it should be."""
    if has_own(settings) or not (world is None or isinstance(world, Model)):
        return _live(model, steps, world, settings, run)
    agent = _sonde.agent_new(model._policies, settings, run)
    episode = _sonde.simulate(agent, 0, steps, None if world is None else world._handle,
                              None if run is None else run[2])
    return Episode(model, lambda: agent, episode)


def _live(model: Model, steps: int, world: Model | World | None, settings: Document,
          run: Run | None) -> Episode:
    """The same step by step, with parts of one's own, or in a world that is elsewhere."""
    place: World = (OfModel(world or model) if world is None or isinstance(world, Model)
                    else world)
    place.check(model)
    parts = Parts(model, settings, run)
    progress = None if run is None else run[2]
    agent = _sonde.agent_new(model._policies, parts.settings, run)
    diary = _sonde.diary_new(agent, steps)
    seed = settings.get("seed")
    turn = place.reset(1 if seed is None else seed)
    rewards: list[float] = []
    while len(rewards) < steps and not (turn.terminated or turn.truncated):
        _sonde.diary_see(diary, model._seen(turn.seen), turn.state)
        parts.ask(agent, progress)
        turn = place.step(model, _sonde.diary_act(diary, progress))
        rewards.append(turn.reward)
    last = model._kind.last(turn.seen) if turn.state is None else turn.state
    episode = Episode(model, lambda: agent, _sonde.diary_end(diary, last))
    if not isinstance(place, OfModel):
        episode._reward(rewards, turn)
    return episode


class Episode(Attributes):
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
        rewards                              (n) of an environment; None elsewhere

    Where an environment keeps its states to itself, `knows_states` is False, and there is neither
    `states` nor `path`. `terminated` and `truncated` say whether it ended the episode. It can be
    pickled and copied.

    Parameters
    ----------
    model : Model
        The agent's.
    agent : callable
        Gives the agent, or one like it.
    episode : Handle
        What happened to it.
    """

    _called = "an episode"
    _text: str  #: of a copy: its document

    def __init__(self, model: Model, agent: Callable[[], _sonde.Handle], episode: _sonde.Handle):
        self.model = model
        self._agent: Callable[[], _sonde.Handle] | None = agent
        self._episode: _sonde.Handle | None = episode
        self.rewards: Floats | None = None  #: (n) what an environment gave
        self.terminated = False  #: whether the environment came to its end
        self.truncated = False  #: whether the environment was stopped

    def _reward(self, rewards: list[float], turn: Turn) -> None:
        self.rewards = frozen(np.array(rewards))
        self.terminated, self.truncated = turn.terminated, turn.truncated

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
        return _sonde.episode_report(self._agent(), self._episode, command)

    def __getstate__(self) -> Document:
        """All that there is to say of it, without the agent."""
        return {"model": self.model, "_fields": kept(self._fields), "_text": self.to_json(),
                "rewards": self.rewards, "terminated": self.terminated,
                "truncated": self.truncated}

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

    def __len__(self) -> int:
        return self._fields["n_step"]

    @property
    def path(self) -> Ints:
        """(n + 1) nodes, or (n + 1, n_factor) states."""
        return self.model._kind.path(self.states)

    @property
    def knows_states(self) -> bool:
        """Whether there are states: an environment may keep its own to itself."""
        return self._fields["state"] is not None

    @property
    def states(self) -> Ints:
        """(n + 1, n_factor) states, edges in a graph world."""
        found = view(self._fields["state"])
        if found is None:
            raise BadInput("states: the environment does not tell them; see outcomes and beliefs")
        return found

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
