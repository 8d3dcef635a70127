"""Sonde's own agent: what sonde.plan does, step after step."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, Unpack

import numpy as np
import numpy.typing as npt

from . import _sonde
from ._arrays import frozen, is_single, real, run_of, text_of, view, whole
from ._graph import Graph
from ._model import Model, as_model, without_end
from ._own import Parts, has_own
from ._plan import Explanation, Plan, certain_belief
from ._policy import Policy, format_of, found_by, lent, note_prior
from ._settings import SearchSettings
from ._simulate import Episode, world_of
from ._sonde import BadInput
from ._types import (Action, Belief, Document, Energy, Floats, Memory, Outcomes, Path,
                     Progress)

if TYPE_CHECKING:
    from ._sonde import SetupFields

# what pymdp's agents do, and what does it here
VERBS = {"infer_states": "observe", "infer_policies": "decide", "sample_action": "act"}


def stream_of(trial: int) -> int:
    """The number of a trial's first decision, which chooses its streams."""
    return whole(trial, "trial") << 32


def memory_of(handle: _sonde.Handle) -> tuple[Floats, Floats, str | None, Energy, float, int,
                                              Floats | None, Floats | None, int, int]:
    """What an agent carries from step to step, as agent_recall takes it."""
    m = _sonde.agent_memory(handle)
    if m["n_followed"] > 0:
        raise BadInput("the agent follows a plan, which cannot be copied; copy it when the plan "
                       "has ended, see replan_every")
    return (np.array(view(m["belief"])), np.array(view(m["prior"])), m["origin"], m["energy"],
            m["evidence"], m["number"],
            None if m["learned"] is None else np.array(view(m["learned"])),
            None if m["joint"] is None else np.array(view(m["joint"])), m["last"], m["taken"])


def _by_outcome(model: Model, given: object, what: str) -> tuple[float | None, Floats | None]:
    """A rate of A, and those of single outcomes: a number, or {modality: number or {outcome:
    number}}."""
    if given is None:
        return None, None
    if not isinstance(given, Mapping):
        if isinstance(given, str) or np.ndim(given) > 0:  # type: ignore[arg-type]
            raise BadInput(f"{what}: expected a number, or numbers by modality, found {given!r}")
        return real(given, what), None
    names = [m["name"] for m in model._fields["modalities"]]
    first = np.concatenate([[0], np.cumsum(model.num_obs)])
    made = np.full(int(first[-1]), np.nan)
    for title, rate in given.items():
        if title not in names:
            raise BadInput(f"learn: there is no modality {title!r} among {names}")
        m = names.index(title)
        if not isinstance(rate, Mapping):
            made[first[m]:first[m + 1]] = _rate(rate, f"{what}[{title!r}]")
            continue
        outcomes = model._fields["modalities"][m]["outcomes"] or []
        for name, number in rate.items():
            if name not in outcomes:
                raise BadInput(f"learn: modality {title!r} has no outcome {name!r}, but {outcomes}")
            made[first[m] + outcomes.index(name)] = _rate(number, f"{what}[{title!r}][{name!r}]")
    return None, made


def _rate(value: object, what: str) -> float:
    """A number of one outcome; NaN stands where the library is told none."""
    number = real(value, what)
    if np.isnan(number):
        raise BadInput(f"{what}: expected a number, found nan; leave the outcome out")
    return number


def _some(model: Model, given: object, what: str) -> npt.NDArray[np.bool_] | None:
    """Which modalities or factors a list of names and numbers means."""
    if given is None:
        return None
    names = [one["name"] for one in model._fields[what]]  # type: ignore[literal-required]
    made = np.zeros(len(names), bool)
    for one in [given] if is_single(given) else given:  # type: ignore[attr-defined]
        if isinstance(one, str):
            if one not in names:
                raise BadInput(f"{what}: there is no {one!r} among {names}")
            one = names.index(one)
        elif isinstance(one, (bool, np.bool_)):
            raise BadInput(f"{what}: expected names or numbers, found {one}")
        made[whole(one, what, 0, len(made) - 1)] = True
    return made


def learning_of(model: Model, learn: Mapping[str, Any]
                ) -> tuple[Document, tuple[Floats | None, Floats | None,
                                           npt.NDArray[np.bool_] | None,
                                           npt.NDArray[np.bool_] | None]]:
    """Settings of learning as the extension takes them, and what they say by outcome, modality and
    factor."""
    if model.graph is not None:  # which the library refuses
        return {}, (None, None, None, None)
    rules = dict(learn)
    eta, etas = _by_outcome(model, rules.pop("eta_A", None), "eta_A")
    omega, omegas = _by_outcome(model, rules.pop("omega", None), "omega")
    some = _some(model, rules.pop("modalities", None), "modalities")
    others = _some(model, rules.pop("factors", None), "factors")
    if rules.get("when") == "episode":
        rules.setdefault("beliefs", "smoothed")
    return {**rules, "eta_A": eta, "omega": omega}, (etas, omegas, some, others)


def _only_ours(model: object, settings: SearchSettings) -> None:
    """Raises for arrays and arguments that are for an agent with pymdp's signature."""
    foreign = [key for key in settings if key not in SearchSettings.__annotations__]
    if foreign:
        raise TypeError(f"Agent has no setting {foreign[0]!r}: it takes a model and the settings "
                        f"of sonde.plan; sonde.pymdp.Agent has pymdp's arguments")
    if not isinstance(model, (Model, Graph, str)) and not hasattr(model, "__fspath__"):
        raise TypeError(f"Agent: expected a Model or a Graph, found {type(model).__name__}; "
                        f"sonde.pymdp.Agent takes pymdp's arrays")


class Agent:
    """An agent that observes, decides and acts; each of its decisions is one of sonde.plan.

    Parameters
    ----------
    model : Model, Graph or path
        What the agent knows of its world.
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
        A function f(stage, done, total) that is called now and then while the agent decides.
    learn : dict or True, optional
        Lets the agent learn what the model has counts of: "when" ("step-after", "step-before",
        "episode"), "beliefs" and "beliefs_D" ("filtered", "smoothed", for D also "last"),
        "support" ("keep", "grow"), "eta_A", "eta_B", "eta_C", "eta_D", "eta_E", "decay", "omega",
        "toward" ("init", "zero"), "until", "steps", "modalities", "factors" (names or numbers of
        those that learn), "gamma" ("fixed", "expected"), "alpha_g", "beta_g"; eta_A and omega also
        as {modality: {outcome: number}}.
        True: with the defaults. See docs/learning.md.
    **settings : SearchSettings
        The settings of sonde.plan, with the same defaults.

    See Also
    --------
    sonde.plan : One decision.
    sonde.simulate : An agent in a world of its own.
    sonde.pymdp.Agent : pymdp's arguments, verbs and defaults.

    Notes
    -----
    The first decision of an agent and that of ``sonde.plan(model, **settings)`` are the same bytes.
    An agent can be pickled and copied, and the copy goes on as the agent would have; but for what
    k="auto" and probe="adaptive" have learned of clusters, which begins anew as after `reset`.

    Examples
    --------
    >>> agent = sonde.Agent(model, search="cluster", k=12)
    >>> belief = agent.observe([3, 0])       # an outcome of each modality, by number or name
    >>> plan = agent.decide()                # as sonde.plan gives it
    >>> action = agent.act()                 # takes what plan.action says
    >>> action = agent.step([2, 1])          # all three
    >>> belief = agent.observe([None, [0.2, 0.8]])       # nothing seen, and hardly made out
    """

    def __init__(self, model: Model | Graph | Path | None = None, *,
                 horizon: float | str | None = None, lambda_: float | None = None,
                 preferences: str | None = None,
                 information: str | None = None, action_prior: npt.ArrayLike | None = None,
                 policy: Policy | Path | None = None, threads: int | None = None,
                 memory: Memory = None, progress: Progress | None = None,
                 learn: Document | bool | None = None, **settings: Unpack[SearchSettings]):
        _only_ours(model, settings)
        steps_ahead = without_end(horizon, settings)
        known = as_model(model, settings.get("seed"), horizon=steps_ahead, lambda_=lambda_,
                         preferences=preferences, information=information)
        note_prior(known, settings)
        self._make(known, known._settings | settings | lent(policy, action_prior),
                   (threads, memory), progress,
                   {} if learn is True else None if learn is False else learn)
        self.reset()

    def _make(self, model: Model, settings: Document, run: tuple[int | None, Memory],
              progress: Progress | None, learn: Document | None = None) -> None:
        self._model, self._given = model, (model, settings, run, progress, learn)
        self._progress = progress
        self._parts = Parts(model, settings, run_of(*run, None))
        self._handle = _sonde.agent_new(model._policies, self._parts.settings,
                                        run_of(*run, None))
        if learn is not None:
            self._learn(learn)
        self._n_search = 0
        self._plan: Plan | None = None
        self._ready = False  # there is a decision that has not been acted on
        self._trial = -1  # of reset; each has streams of its own
        self._episode = 0  # the next of simulate
        self.n_step = 0  #: actions taken so far

    def _learn(self, given: Document) -> None:
        if not isinstance(given, Mapping):
            raise BadInput(f"learn: expected True, or a dict of settings, found {given!r}")
        _sonde.agent_learn(self._handle, *learning_of(self._model, given))

    # ----------------------------------------------------------------------------- attributes --

    @property
    def model(self) -> Model:
        """What the agent knows of its world."""
        return self._model

    @property
    def settings(self) -> dict[str, object]:
        """How it searches and acts: every setting that is set, by its key."""
        return _sonde.agent_settings(self._handle)

    @property
    def belief(self) -> Floats:
        """(n_belief) what it believes now; Model.split gives the factors' parts."""
        out = np.empty(self._model.n_belief)
        _sonde.agent_belief(self._handle, out)
        return frozen(out)

    def _energy(self) -> Energy:
        return _sonde.agent_belief(self._handle, np.empty(self._model.n_belief))

    @property
    def surprise(self) -> float:
        """How unexpected the last outcomes were: -ln P of all modalities jointly, in nats."""
        return self._energy()[0]

    @property
    def free_energy(self) -> float:
        """complexity - accuracy; the surprise itself, where inference is exact."""
        return self._energy()[1]

    @property
    def complexity(self) -> float:
        """How far the belief went from what was expected: their divergence, in nats."""
        return self._energy()[2]

    @property
    def accuracy(self) -> float:
        """The expected ln P(outcomes | states) of the last outcomes."""
        return self._energy()[3]

    @property
    def log_evidence(self) -> float:
        """ln P of all outcomes since the beginning, given the actions."""
        return self._energy()[4]

    @property
    def setup(self) -> SetupFields:
        """What its clusters have cost so far."""
        return _sonde.agent_setup(self._handle)

    @property
    def plan(self) -> Plan:
        """The last decision; it holds until the agent decides again."""
        if self._plan is None:
            raise BadInput("the agent has not decided yet: call decide first")
        return self._plan

    @property
    def counts(self) -> dict[str, list[Floats | None]]:
        """What it has learned, {"A": [...], "B": ..., "C": ..., "D": ..., "E": [...]}; None for an
        array that does not learn."""
        return {letter: [self._counts(place, i, shape) for i, shape in enumerate(shapes)]
                for place, (letter, shapes) in enumerate(self._shapes().items())}

    @property
    def learned(self) -> dict[str, list[dict[str, float] | None]]:
        """What became of the counts, by letter: updates, added, masked (what structural zeros did
        not take in), kl (of the Dirichlet from the first one, summed over columns) and grown."""
        names = ("updates", "added", "masked", "kl", "grown")
        return {letter: [dict(zip(names, _sonde.agent_learned(self._handle, place, i)))
                         if _sonde.agent_counts(self._handle, place, i, None) else None
                         for i in range(len(shapes))]
                for place, (letter, shapes) in enumerate(self._shapes().items())}

    @property
    def learned_model(self) -> Model:
        """The model as it has been learned, with its counts."""
        return Model.from_bytes(_sonde.agent_model(self._handle))

    def _shapes(self) -> dict[str, list[tuple[int, ...]]]:
        model = self._model
        return {"A": [np.shape(a) for a in model.A], "B": [np.shape(b) for b in model.B],
                "C": [(n,) for n in model.num_obs], "D": [(n,) for n in model.num_states],
                "E": [(-1,)]}

    def _counts(self, place: int, i: int, shape: tuple[int, ...]) -> Floats | None:
        n = _sonde.agent_counts(self._handle, place, i, None)
        if n == 0:
            return None
        out = np.empty(n)
        _sonde.agent_counts(self._handle, place, i, out)
        return frozen(out.reshape(shape))

    # ---------------------------------------------------------------------------------- verbs --

    def end(self) -> None:
        """Ends an episode: what is still due is learned, and the agent believes again what it does
        at the beginning. Unlike `reset`, it goes on with its streams."""
        _sonde.agent_end(self._handle)
        self._n_search += 1
        self._plan, self._ready = None, False

    def save(self, path: Path) -> None:
        """Writes everything that it carries from step to step into a file, in the middle of an
        episode too: counts, belief, streams.

        Parameters
        ----------
        path : path
            The file, a sonde-agent document.
        """
        _sonde.write(path, _sonde.agent_save(self._handle))

    def load(self, path: Path) -> None:
        """Goes on in the place of an agent of the same model and settings that was saved.

        Parameters
        ----------
        path : path
            What `save`, or the command's --save, has written.
        """
        _sonde.agent_load(self._handle, text_of(path), str(path))
        self._n_search += 1
        self._plan, self._ready = None, False

    def policy(self, format: str = "sonde-policy") -> Policy:
        """Gives what an agent without a horizon has found since its episode began, and what it was
        lent.

        Parameters
        ----------
        format : {"sonde-policy", "sarsop"}, default "sonde-policy"
            "sarsop" is SARSOP's XML, of models with information "off" and backup "min".

        Returns
        -------
        Policy
            For agents to come.
        """
        return found_by(self._handle, format)

    def save_policy(self, path: Path) -> None:
        """Writes that into a file.

        Parameters
        ----------
        path : path
            The file; it is in SARSOP's format where its name ends in .policy.
        """
        self.policy(format_of(path)).save(path)

    def forget(self) -> None:
        """Puts counts back to where they began, which `reset` does not."""
        _sonde.agent_forget(self._handle)

    def take(self, action: Action) -> None:
        """Takes an action that was chosen elsewhere, in the place of `act`.

        Parameters
        ----------
        action : int or sequence of int
            The action of each factor, or its number.
        """
        number = self._model.action_number(action)
        _sonde.agent_take(self._handle, number)
        self._n_search += 1
        self._plan, self._ready = None, False
        self.n_step += 1

    def reset(self, belief: Belief | None = None, *, trial: int | None = None) -> None:
        """Goes back to the beginning of time, and to the initial belief or to another, and on to
        the next trial, which draws from streams of its own.

        Parameters
        ----------
        belief : array or list of arrays, optional
            What is believed now; see Model.
        trial : int, optional
            Which trial, from 0 on; 0 is that of a new agent. The next one unless given.
        """
        believed = None if belief is None else certain_belief(self._model, belief)
        self._trial = self._trial + 1 if trial is None else trial
        _sonde.agent_reset(self._handle, stream_of(self._trial))
        if believed is not None:
            _sonde.agent_believe(self._handle, believed)
        elif (seen := view(self._model._fields["seen"])) is not None:  # as plan has it
            _sonde.agent_observe(self._handle, (seen, None))
        self._n_search += 1
        self._plan = None
        self._ready = False
        self.n_step = 0

    def simulate(self, steps: int = 10, *, process: Model | Path | None = None,
                 episode: int | None = None) -> Episode:
        """Lives an episode in the world of its own model, or of another, and learns from it as it
        was told to: those of `sonde simulate --episodes`, one after the other.

        Parameters
        ----------
        steps : int
            How many.
        process : Model or path, optional
            The world, if it is not as the agent's model has it: another general model's.
        episode : int, optional
            Which, from 0 on, each with chance of its own; 0 puts the agent back to its beginning,
            but for what it has learned. The next one unless given.

        Returns
        -------
        Episode
            What happened. `counts`, `learned` and `learned_model` say what was learned.
        """
        world = world_of(process)
        if has_own(self._given[1]) or not (world is None or isinstance(world, Model)):
            raise BadInput("simulate: expected an agent without a search or an embedding of its "
                           "own, and a model as its world; step through others with `step`")
        number = whole(self._episode if episode is None else episode, "episode")
        self._n_search += 1
        self._plan, self._ready = None, False
        model, settings = self._given[:2]
        lived = _sonde.simulate(self._handle, number, whole(steps, "steps", 1),
                                None if world is None else world._handle, self._progress)
        self._episode = number + 1
        self.n_step = steps + (self.n_step if number > 0 else 0)
        return Episode(model, lambda: _sonde.agent_new(model._policies, settings, None), lived)

    def observe(self, outcome: Outcomes) -> Floats:
        """Takes in what is seen. The prior is the initial belief at first, and later what the last
        action was expected to bring.

        Parameters
        ----------
        outcome : int, str or list of them
            An outcome of each modality, by number or name; None where nothing was seen, weights
            where it is uncertain what was; see Model.outcomes. In a graph world the edge, by
            number or as (previous, current).

        Returns
        -------
        array (n_belief)
            What is believed now.
        """
        _sonde.agent_observe(self._handle, self._model._seen(outcome))
        self._ready = False
        return self.belief

    def decide(self) -> Plan:
        """Searches from what is believed now.

        Returns
        -------
        Plan
            The decision, with the action that `act` will take. It holds until the agent decides
            again; to_dict and to_json give copies.
        """
        # what fails leaves no decision, and an earlier one does not hold any more
        self._ready, self._plan = False, None
        self._n_search += 1
        count = self._n_search
        self._parts.ask(self._handle, self._progress)
        _sonde.agent_search(self._handle, self._progress)
        self._plan = Plan(self._model, self._handle, _sonde.agent_choice(self._handle),
                          lambda: self._n_search == count)
        self._ready = True
        return self._plan

    def act(self) -> tuple[int, ...]:
        """Takes the action that was decided on, and predicts what it will bring.

        Returns
        -------
        tuple of int
            The action of each factor; in a graph world the edge and the one that follows it.
        """
        if not self._ready:
            raise BadInput("the agent has not decided since it last observed or acted: call decide "
                           "first")
        self._ready = False
        self.n_step += 1
        return self._model.action_tuple(_sonde.agent_act(self._handle))

    def step(self, outcome: Outcomes) -> tuple[int, ...]:
        """Observes, decides and acts.

        Parameters
        ----------
        outcome : int, str or list of them
            As `observe` takes it.

        Returns
        -------
        tuple of int
            The action, as `act` gives it.
        """
        self.observe(outcome)
        self.decide()
        return self.act()

    def explain(self) -> Explanation:
        """Says why the last decision is what it is.

        Returns
        -------
        Explanation
            As Plan.explain gives it.
        """
        return self.plan.explain()

    def prefix(self, *steps: str | int | Sequence[str | int]) -> Document:
        """Says what is known of all policies that begin alike, as the last decision sees them.

        Parameters
        ----------
        *steps : str, int or sequence of them
            As Plan.prefix takes them.

        Returns
        -------
        dict
            As Plan.prefix gives it.
        """
        return self.plan.prefix(*steps)

    def __getstate__(self) -> Document:
        return {"given": self._given, "memory": memory_of(self._handle),
                "plan": None if self._ready else self._plan, "ready": self._ready,
                "trial": self._trial, "episode": self._episode, "n_step": self.n_step}

    def __setstate__(self, state: Document) -> None:
        self._make(*state["given"])
        _sonde.agent_recall(self._handle, *state["memory"])
        self._plan, self._trial, self.n_step = state["plan"], state["trial"], state["n_step"]
        self._episode = state["episode"]
        if state["ready"]:  # it decides the same again
            self.decide()

    if not TYPE_CHECKING:
        def __getattr__(self, name: str) -> NoReturn:
            if name in VERBS:
                raise AttributeError(f"{name} is a verb of sonde.pymdp.Agent; here it is "
                                     f"{VERBS[name]}")
            raise AttributeError(f"an agent has no {name!r}")

    def __repr__(self) -> str:
        search = _sonde.agent_setup(self._handle)["search"]
        return f"<sonde.Agent: search {search}; step {self.n_step} in {self._model!r}>"
