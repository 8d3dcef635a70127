"""Worlds between Sonde and gymnasium.

`from_gymnasium` makes an environment a world for `sonde.simulate`; `Env` makes a model an
environment. gymnasium is used where it is installed; without it, `Env` has spaces of its own with
the same attributes, and anything with gymnasium's `reset` and `step` is an environment.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _sonde
from ._arrays import frozen, integers, whole
from ._graph import Graph
from ._model import Model, as_model
from ._simulate import Turn
from ._sonde import BadInput
from ._types import (Array, Document, EnvAction, Environment, EnvSpace, Ints, Observation, Outcomes,
                     Path)

__all__ = ["Discrete", "Env", "MultiDiscrete", "World", "from_gymnasium"]

#: from observations to outcomes, and from the actions of factors to what step takes
Observe = Callable[[Observation], Outcomes]
Act = Callable[[tuple[int, ...]], EnvAction]

try:
    import gymnasium
except ImportError:
    gymnasium = None

if TYPE_CHECKING or gymnasium is None:
    _Base: Any = object
else:
    _Base = gymnasium.Env


class Discrete:
    """Whole numbers from `start` on, as gymnasium's space of that name has them.

    Parameters
    ----------
    n : int
        How many.
    start : int
        The first.
    """

    def __init__(self, n: int, start: int = 0):
        self.n, self.start = n, start
        self.shape: tuple[int, ...] = ()
        self.dtype = np.dtype(np.int64)

    def contains(self, x: Observation) -> bool:
        """Says whether a number is one of them.

        Parameters
        ----------
        x : int
            The number.

        Returns
        -------
        bool
            Whether it is.
        """
        given = np.asarray(x)
        return (given.ndim == 0 and given.dtype.kind in "biu"
                and self.start <= int(given) < self.start + self.n)

    def __repr__(self) -> str:
        return f"Discrete({self.n})"


class MultiDiscrete:
    """Arrays of whole numbers, as gymnasium's space of that name has them.

    Parameters
    ----------
    nvec : list of int
        How many there are at each place.
    """

    def __init__(self, nvec: list[int]):
        self.nvec = np.array(nvec, np.int64)
        self.start = np.zeros_like(self.nvec)
        self.shape = self.nvec.shape
        self.dtype = self.nvec.dtype

    def contains(self, x: Observation) -> bool:
        """Says whether an array is one of them.

        Parameters
        ----------
        x : array
            The array.

        Returns
        -------
        bool
            Whether it is.
        """
        given = np.asarray(x)
        return (given.shape == self.shape and given.dtype.kind in "biu"
                and bool(((given >= 0) & (given < self.nvec)).all()))

    def __repr__(self) -> str:
        return f"MultiDiscrete({self.nvec.tolist()})"


def _space(sizes: list[int]) -> EnvSpace:
    """Of one number, or of several."""
    module: Any = gymnasium.spaces if gymnasium else None
    if len(sizes) == 1:
        return (module.Discrete if module else Discrete)(sizes[0])
    return (module.MultiDiscrete if module else MultiDiscrete)(sizes)


# ----------------------------------------------------------------------- a model as environment --

class Env(_Base):
    """A model as a gymnasium environment: somebody else acts in its world.

    The same seed gives the same states and outcomes as `sonde.simulate` with that seed, as long as
    the actions are the same. A step's reward is ln C of what is seen after it, less lambda times
    its cost, summed over modalities; of a C that changes, the first row.

        observation_space    Discrete, or MultiDiscrete with a place for each modality
        action_space         Discrete, or MultiDiscrete with a place for each factor that somebody
                             controls; in a graph world the numbers of pairs of edges
        state                (n_factor) where the world is; nobody sees it but you

    Nothing ends it, unless `steps` does.

    Parameters
    ----------
    model : Model, Graph or path
        The world.
    steps : int, optional
        After how many an episode is truncated; never unless given.
    """

    metadata: Document = {"render_modes": []}
    render_mode = None
    spec = None

    def __init__(self, model: Model | Graph | Path, *, steps: int | None = None):
        self.model = as_model(model)
        self._world = _sonde.world_new(self.model._handle)
        self._steps, self._n_step = None if steps is None else whole(steps, "steps"), -1
        self._free = [f for f, n in enumerate(self.model.num_controls) if n > 1] or [0]
        self.observation_space = _space(self.model.num_obs)
        self.action_space = _space([self.model.num_controls[f] for f in self._free])
        self._reward = self.model._kind.rewards()
        self._seeds: np.random.Generator | None = None

    def reset(self, *, seed: int | None = None,
              options: Document | None = None) -> tuple[Observation, Document]:
        """Begins an episode.

        Parameters
        ----------
        seed : int, optional
            Of everything that is drawn; another one each time unless given, drawn after the last
            that was.
        options : dict, optional
            There are none.

        Returns
        -------
        (observation, info)
            What is seen first, and {"state": ...}.
        """
        seed = None if seed is None else whole(seed, "seed", 0, 2**64 - 1)
        if options:
            raise BadInput(f"options: there are none, found {sorted(options)}")
        if gymnasium:
            super().reset(seed=seed)
        if seed is not None or self._seeds is None:
            self._seeds = np.random.default_rng(seed)
        _sonde.world_start(self._world, int(self._seeds.integers(2**63)) if seed is None else seed)
        self._n_step = 0
        seen, state = self._now()
        return self._shown(seen), {"state": state}

    def step(self, action: EnvAction) -> tuple[Observation, float, bool, bool, Document]:
        """Takes an action.

        Parameters
        ----------
        action : int or array
            One of action_space; or, in a graph world, a pair of edges.

        Returns
        -------
        (observation, reward, terminated, truncated, info)
            As gymnasium has them; info is {"state": ...}.
        """
        if self._n_step < 0:
            raise BadInput("step: call reset first")
        _sonde.world_move(self._world, self._number(action))
        self._n_step += 1
        seen, state = self._now()
        reward = sum(float(table[o]) for table, o in zip(self._reward, seen))
        over = self._steps is not None and self._n_step >= self._steps
        return self._shown(seen), reward, False, over, {"state": state}

    def render(self) -> None:
        """Shows nothing; an Episode has pictures."""

    def close(self) -> None:
        """Lets go of the world."""
        self._world.close()

    @property
    def state(self) -> Ints:
        """(n_factor) the state of each factor; in a graph world the edge."""
        return self._now()[1]

    def _now(self) -> tuple[Ints, Ints]:
        """What is seen, and where the world is."""
        seen = np.empty(self.model.n_modality, np.int32)
        state = np.empty(self.model.n_factor, np.int32)
        _sonde.world_now(self._world, state, seen)
        return seen, frozen(state)

    def _shown(self, seen: Ints) -> Observation:
        """Outcomes as an observation."""
        return int(seen[0]) if len(seen) == 1 else seen.astype(np.int64)

    def _number(self, action: EnvAction) -> int:
        """The number of an action."""
        given = np.atleast_1d(integers(action, "action"))
        named = self.model._kind.named_action(given)
        if named is not None:
            return named
        space = self.action_space
        if not space.contains(int(given.item()) if given.size == 1 else given.astype(np.int64)):
            raise BadInput(f"action: expected one of {space}, found {action!r}")
        actions = np.zeros(len(self.model.num_controls), np.int64)
        actions[self._free] = given
        return int(np.ravel_multi_index(tuple(actions), self.model.num_controls))


# ---------------------------------------------------------------------- an environment as world --

class World:
    """An environment as sonde.simulate takes it; from_gymnasium makes one.

    Parameters
    ----------
    env : object
        Anything with gymnasium's reset and step.
    observe : callable, optional
        From observations to outcomes.
    act : callable, optional
        From actions to what the environment takes.
    """

    def __init__(self, env: Environment, observe: Observe | None = None, act: Act | None = None):
        self.env = env  #: the environment
        self._observe, self._act = observe, act

    def check(self, model: Model) -> None:
        """Raises BadInput where an agent with this model cannot live here.

        Parameters
        ----------
        model : Model
            The agent's.
        """
        if self._observe is None:
            sizes = list(_sizes(self.env.observation_space, "observation_space"))
            if sizes != model.num_obs:
                raise BadInput(f"observation_space: expected {model.num_obs} outcomes as in the "
                               f"agent's model, found {sizes}; give observe=")
        if self._act is None:
            sizes = list(_sizes(self.env.action_space, "action_space"))
            free = [n for n in model.num_controls if n > 1]
            if sizes != (free or [1]):
                raise BadInput(f"action_space: expected {free} actions as in the agent's model, "
                               f"found {sizes}; give act=")

    def reset(self, seed: int) -> Turn:
        """Begins.

        Parameters
        ----------
        seed : int
            For the environment.

        Returns
        -------
        Turn
            What is seen first.
        """
        seen, _ = self.env.reset(seed=seed)
        return Turn(self._seen(seen), state=self._state())

    def step(self, model: Model, number: int) -> Turn:
        """Takes an action.

        Parameters
        ----------
        model : Model
            The agent's.
        number : int
            Of the action.

        Returns
        -------
        Turn
            What comes of it.
        """
        action = model.action_tuple(number)
        seen, reward, terminated, truncated, _ = self.env.step(self._taken(model, number, action))
        return Turn(self._seen(seen), float(reward), bool(terminated), bool(truncated),
                    self._state())

    def _state(self) -> Ints | None:
        world = getattr(self.env, "unwrapped", self.env)
        return world.state if isinstance(world, Env) else None

    def _seen(self, observation: Observation) -> Outcomes:
        if self._observe is not None:
            return self._observe(observation)
        return list(_flat(self.env.observation_space, observation))

    def _taken(self, model: Model, number: int, action: tuple[int, ...]) -> EnvAction:
        if self._act is not None:
            return self._act(action)
        each = np.unravel_index(number, model.num_controls)
        free = [int(u) for u, n in zip(each, model.num_controls) if n > 1] or [0]
        return _built(self.env.action_space, iter(free))


def from_gymnasium(env: Environment, observe: Observe | None = None,
                   act: Act | None = None) -> World:
    """Makes an environment a world that an agent can live in, as `process` of sonde.simulate.

    Spaces of Discrete, MultiDiscrete, and Tuple and Dict of them are taken apart in order: a
    number for each modality, and one for each factor that the agent controls.

    Parameters
    ----------
    env : object
        Anything with gymnasium's reset(seed=...) and step(action).
    observe : callable, optional
        From an observation to what Agent.observe takes: an outcome of each modality by number or
        name, None for what is not seen, weights for what is uncertain. For other spaces.
    act : callable, optional
        From the agent's action, a tuple with the action of each factor, to what step takes.

    Returns
    -------
    World
        The world.
    """
    return World(env, observe, act)


def _parts(space: EnvSpace) -> list[tuple[str | int, EnvSpace]] | None:
    """(key, space) of what a Tuple or a Dict is made of; None for others."""
    spaces = getattr(space, "spaces", None)
    if isinstance(spaces, dict):
        return list(spaces.items())
    return None if spaces is None else list(enumerate(spaces))


def _sizes(space: EnvSpace, what: str) -> Iterator[int]:
    """How many numbers there are at each place."""
    parts = _parts(space)
    if parts is not None:
        for key, part in parts:
            yield from _sizes(part, f"{what}[{key!r}]")
    elif hasattr(space, "nvec"):
        yield from (int(n) for n in np.ravel(space.nvec))
    elif hasattr(space, "n") and type(space).__name__ == "Discrete":
        yield int(space.n)
    else:
        raise BadInput(f"{what}: expected Discrete, MultiDiscrete, or Tuple or Dict of them, found "
                       f"{type(space).__name__}; give {'observe' if 'obs' in what else 'act'}=")


def _starts(space: EnvSpace) -> Array:
    """The first number at each place of a space that is not made of others."""
    shape = np.shape(space.nvec) if hasattr(space, "nvec") else ()
    return np.ravel(np.broadcast_to(getattr(space, "start", 0), shape)).astype(np.int64)


def _flat(space: EnvSpace, value: Observation) -> Iterator[int]:
    """An observation, number by number, from 0 on."""
    parts = _parts(space)
    if parts is not None:
        for key, part in parts:
            yield from _flat(part, value[key])
    else:
        yield from (int(n) for n in np.ravel(value) - _starts(space))


def _built(space: EnvSpace, numbers: Iterator[int]) -> EnvAction:
    """An action of as many numbers as the space has places."""
    parts = _parts(space)
    if parts is not None:
        made = {key: _built(part, numbers) for key, part in parts}
        return made if isinstance(space.spaces, dict) else tuple(made.values())
    start = _starts(space)
    taken = np.array([next(numbers) for _ in start], np.int64) + start
    return taken.reshape(np.shape(space.nvec)) if hasattr(space, "nvec") else int(taken[0])
