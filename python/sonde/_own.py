"""Parts of your own: a search that is a generator, an embedding that is a function.

Nothing in C calls Python. An embedding is asked for the rows of the policies that begin where the
agent is, before the agent decides; a search is asked which policies to score, and is sent their G,
until it returns. What follows from rows and scores is the library's.
"""
from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _sonde
from ._arrays import doubles, frozen, view
from ._sonde import BadInput, TooLarge
from ._types import Counts, Document, Floats, Ints, Progress, Run

if TYPE_CHECKING:
    from ._model import Model

#: the most policies that a function is given
LISTED_MOST = 1_000_000

#: what a search of your own yields, and is sent
Numbers = int | npt.ArrayLike
Search = Callable[["Space"], Generator[Numbers, Any, Any]]
#: policies, as Model.policies lists them, to rows
Rows = Callable[[Ints], npt.ArrayLike]


class Space:
    """What a search of your own is told: the policies that the agent chooses from now.

    Parameters
    ----------
    model : Model
        What the agent knows of its world.
    belief : array (n_belief)
        What it believes.
    origin : int
        In whose order policies are numbered.
    """

    def __init__(self, model: Model, belief: Floats, origin: int):
        self.model = model  #: what the agent knows of its world
        self.belief = belief  #: (n_belief) what it believes now; Model.split takes it apart
        self._origin = origin

    @property
    def horizon(self) -> int:
        """Steps in a policy."""
        return self.model.horizon

    def __len__(self) -> int:
        return int(self.model._size(self._origin))

    def policies(self, numbers: npt.ArrayLike) -> Ints:
        """Shows some of the policies.

        Parameters
        ----------
        numbers : array (n)
            Which, from 0 on.

        Returns
        -------
        array (n, T, n_factor)
            Actions; in a graph world (n, T + 2), nodes.
        """
        index = _numbers(numbers, len(self))
        return frozen(self.model._kind.shown(self.model._walks(self._origin, index)))

    def __repr__(self) -> str:
        return f"<sonde.Space: {len(self):,} policies of {self.model!r}>"


def _numbers(asked: object, n_policy: int) -> Counts:
    """Numbers of policies as the extension takes them."""
    given = np.atleast_1d(np.asarray(asked))
    if given.size == 0:
        return np.zeros(0, np.uint64)
    if given.ndim != 1 or given.dtype.kind not in "iu":
        raise BadInput(f"search: expected numbers of policies, found an array {given.shape} of "
                       f"{given.dtype}")
    if given.min() < 0 or given.max() >= n_policy:
        worst = given.min() if given.min() < 0 else given.max()
        raise BadInput(f"search: expected policies from 0 to {n_policy - 1}, found {worst}")
    return np.ascontiguousarray(given, np.uint64)


class OwnRows:
    """The rows of an embedding of your own, for the policies of one model.

    Parameters
    ----------
    model : Model
        Whose policies.
    function : callable
        From policies to rows.
    sample : int or None
        How many policies are embedded, where there are more.
    seed : int
        Of that draw.
    run : tuple or None
        How to run.
    """

    def __init__(self, model: Model, function: Rows, sample: int | None, seed: int,
                 run: Run | None):
        self._model, self._function = model, function
        self._given: set[int] = set()
        self.handle = _sonde.embedder_own(model._policies, sample or 0, seed, run)

    def rows(self, policies: Ints) -> Floats:
        """What the function makes of policies, checked."""
        made = np.array(doubles(self._function(frozen(policies)), "embedding"), order="C")
        if made.ndim != 2 or len(made) != len(policies) or made.shape[1] == 0:
            raise BadInput(f"embedding: expected an array ({len(policies)} policies, columns), "
                           f"found {made.shape}")
        if not np.isfinite(made).all():
            raise BadInput(f"embedding: expected finite numbers, found "
                           f"{made[~np.isfinite(made)][0]} in row "
                           f"{int(np.argwhere(~np.isfinite(made))[0, 0])}")
        return made

    def give(self, origin: int) -> None:
        """Lets the function embed the policies of an origin, once."""
        if origin in self._given:
            return
        n = _sonde.embedder_size(self.handle, origin)
        if n > LISTED_MOST:
            raise TooLarge(f"embedding: there are {n:,} policies, and a function of your own is "
                           f"given {LISTED_MOST:,} at most; choose a shorter horizon, or a sample "
                           f"with policy_sample=")
        index = np.empty(n, np.uint64)
        _sonde.embedder_list(self.handle, origin, index)
        policies = self._model._kind.shown(self._model._walks(origin, index))
        _sonde.embedder_give(self.handle, origin, self.rows(policies))
        self._given.add(origin)


def has_own(settings: Document) -> bool:
    """Whether a search or an embedding among the settings is a function."""
    return callable(settings.get("search")) or callable(settings.get("embedding"))


class Parts:
    """What an agent has of its own, and has to be asked before it decides.

    Parameters
    ----------
    model : Model
        What the agent knows.
    settings : dict
        The settings of its search.
    run : tuple or None
        How to run.
    belief : array (n_belief), optional
        From where it will decide first; the initial belief unless given.
    """

    def __init__(self, model: Model, settings: Document, run: Run | None,
                 belief: Floats | None = None):
        self._model = model
        self._search: Search | None = (
            settings["search"] if callable(settings.get("search")) else None)
        self._rows: OwnRows | None = None
        self._everywhere = settings.get("scope") == "global"
        self._surprise = settings.get("replan_surprise")
        self.settings = settings  #: as the extension takes them
        if callable(settings.get("embedding")):
            seed = settings.get("seed")
            self._rows = OwnRows(model, settings["embedding"], settings.get("policy_sample"),
                                 1 if seed is None else seed, run)
            self._rows.give(self._origin(model.initial() if belief is None else belief))
            self.settings = settings | {"embedding": self._rows.handle}

    def _origin(self, belief: Floats) -> int:
        return -1 if self._everywhere else _sonde.policies_origin(self._model._policies, belief)

    def ask(self, agent: _sonde.Handle, progress: Progress | None) -> None:
        """Gives an agent that is about to decide what it needs."""
        if self._search is None and self._rows is None:
            return
        memory = _sonde.agent_memory(agent)
        calm = self._surprise is None or memory["energy"][0] <= self._surprise
        if memory["n_followed"] > 0 and calm:
            return  # it follows a plan
        belief = frozen(np.array(view(memory["belief"])))
        origin = self._origin(belief)
        if self._rows is not None:
            self._rows.give(origin)
        if self._search is not None:
            _search(agent, self._search, Space(self._model, belief, origin), progress)


def _search(agent: _sonde.Handle, function: Search, space: Space,
            progress: Progress | None) -> None:
    """Scores what a generator asks for, until it returns."""
    nothing = np.zeros(0, np.uint64)
    _sonde.agent_score(agent, nothing, np.empty(0), None)  # what an earlier one asked for
    generator = function(space)
    if not hasattr(generator, "send"):
        raise BadInput(f"search: expected a generator function, one that yields numbers of "
                       f"policies, found one that returns {type(generator).__name__}")
    n_asked = 0
    answer: float | Floats | None = None
    while True:
        try:
            asked = generator.send(answer)
        except StopIteration:
            break
        index = _numbers(asked, len(space))
        efe = np.empty(len(index))
        if len(index) > 0:
            _sonde.agent_score(agent, index, efe, progress)
        n_asked += len(index)
        answer = float(efe[0]) if np.ndim(asked) == 0 else frozen(efe)
    if n_asked == 0:
        raise BadInput("search: the generator returned without asking for a policy; yield the "
                       "number of one, at least")
