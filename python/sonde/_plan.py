"""One decision."""
from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import numpy.typing as npt

from . import _sonde
from ._arrays import kept, run_of, view
from ._document import Attributes, Keys
from ._graph import Graph
from ._model import Model, as_model, without_end
from ._own import Parts, has_own
from ._policy import Policy, format_of, found_by, lent, note_prior
from ._settings import SearchSettings
from ._sonde import BadInput
from ._types import (Array, Belief, Document, Floats, Ints, Memory, Outcomes, Path, Progress, Run,
                     Seen)

if TYPE_CHECKING:
    from ._sonde import DecisionFields


def certain_belief(model: Model, belief: Belief) -> Floats:
    """A belief (n_belief) to decide from; in a graph world it is about one edge."""
    flat = model._flat(belief)
    model._kind.check_certain(flat)
    return flat


def plan(model: Model | Graph | Path, belief: Belief | None = None, *,
         observation: Outcomes | None = None, horizon: float | str | None = None,
         lambda_: float | None = None, preferences: str | None = None,
         information: str | None = None, action_prior: npt.ArrayLike | None = None,
         policy: Policy | Path | None = None, threads: int | None = None, memory: Memory = None,
         progress: Progress | None = None, **settings: Unpack[SearchSettings]) -> Plan:
    """Makes one decision, as `sonde plan` does.

    Parameters
    ----------
    model : Model, Graph or path
        What is known of the world.
    belief : array or list of arrays, optional
        What is believed now; the model's initial belief unless given. In a graph world it has to
        be certain.
    observation : int, str or list of them, optional
        An outcome of each modality, which is taken in first; see Model.outcomes.
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
        How to search and to choose; what is not given is the library's default.

    Returns
    -------
    Plan
        The decision, with the keys of `sonde plan --json` as attributes and as items.

    See Also
    --------
    sonde.Agent : Decision after decision.
    """
    for key in ("replan_every", "replan_surprise"):
        if settings.get(key) is not None:
            raise BadInput(f"{key}: goes with simulate and Agent only; leave it out")
    steps_ahead = without_end(horizon, settings)
    known = as_model(model, settings.get("seed"), horizon=steps_ahead, lambda_=lambda_,
                     preferences=preferences, information=information)
    believed = None if belief is None else certain_belief(known, belief)
    seen = None if observation is None else known._seen(observation)
    note_prior(known, settings)
    given: Document = known._settings | settings | lent(policy, action_prior)
    run = run_of(threads, memory, progress)
    agent, action = (_plan_own if has_own(given) else _plan)(known, believed, seen, given, run)
    return Plan(known, agent, action)


def _plan(model: Model, belief: Floats | None, seen: Seen | None, settings: Document,
          run: Run | None) -> tuple[_sonde.Handle, int]:
    """One decision, and the agent that made it."""
    return _sonde.plan(model._policies, belief, seen, settings, run)


def _plan_own(model: Model, belief: Floats | None, seen: Seen | None, settings: Document,
              run: Run | None) -> tuple[_sonde.Handle, int]:
    """The same with parts that have to be asked in between."""
    parts = Parts(model, settings, run, belief)
    progress = None if run is None else run[2]
    agent = _sonde.agent_new(model._policies, parts.settings, run)
    start = view(model._fields["seen"])
    if belief is not None:
        _sonde.agent_believe(agent, belief)
    elif seen is None and start is not None:
        seen = start, None
    if seen is not None:
        _sonde.agent_observe(agent, seen)
    parts.ask(agent, progress)
    _sonde.agent_search(agent, progress)
    return agent, _sonde.agent_act(agent)


class Explanation(Keys):
    """Why a decision is what it is; see Plan.explain. Printed, it is text; in a notebook, a
    picture.

    The keys of "explain" in `sonde plan --explain --json` are items, among them

        alternatives    every first action, the most probable first: its best policy and the terms
                        of each step, or the prefix at which the search could stop, and a bound
        grounds         what the decision rests on: "every", "sums", "bounds", "clusters", "part"
        trace           with "bounds": how the mass that may be open shrank
        evidence        with "clusters": which were cut, on what probe

    Parameters
    ----------
    document : dict
        All of it.
    text : str
        The same as text.
    svg : str
        The same as a picture.
    """

    _document: Document

    def __init__(self, document: Document, text: str, svg: str):
        self._document, self._text, self._svg = document, text, svg

    def to_dict(self) -> Document:
        """Gives all of it as a dict.

        Returns
        -------
        dict
            A copy.
        """
        return dict(self._document)

    def svg(self) -> str:
        """Draws it.

        Returns
        -------
        str
            The picture that `sonde plan --svg` draws.
        """
        return self._svg

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return self._svg


class Plan(Attributes):
    """One decision, from sonde.plan or Agent.decide: the keys of `sonde plan --json` as attributes
    and items, among them

        action                  what was chosen: {"actions": [per factor]} or {"to": node, ...}
        action_probabilities    of every first action
        best                    the best policy found, with its efe, risk, ambiguity and cost
        evaluations             what the search cost
        certificate             how far from exact it can be, or None
        policy_space            how many policies there are

    Besides, as read-only arrays:

        actions          (n, n_factor) the first actions that policies were scored for
        probabilities    (n) their summed posterior
        marginals        per factor (actions) posterior of its own actions, general models
        q                (n_belief) the belief
        best_policy      (T, n_factor) actions, or (T + 2) nodes

    It can be pickled and copied; the copy holds however often the agent searches again.

    Parameters
    ----------
    model : Model
        Whose decision it is.
    agent : Handle
        The agent that made it.
    action : int
        The number of the action that was chosen; -1 if none was yet.
    is_last : callable, optional
        Of an agent that may decide again: whether it has not.
    """

    _called = "a plan"
    _text: str  #: of a copy: its document
    _explained: tuple[str, str, str] | str  #: of a copy: its explanation, or why there is none

    def __init__(self, model: Model, agent: _sonde.Handle, action: int,
                 is_last: Callable[[], bool] | None = None):
        self.model = model
        self._agent: _sonde.Handle | None = agent
        self._action = action
        self._is_last = is_last

    def _check(self) -> None:
        if self._is_last is not None and not self._is_last():
            raise BadInput("the agent has searched again since; look at a plan before that")

    @cached_property
    def _fields(self) -> DecisionFields:
        self._check()
        assert self._agent is not None  # copies have their fields
        fields = _sonde.decision_fields(self._agent)
        return fields if self._is_last is None else kept(fields)

    @cached_property
    def _document(self) -> Document:
        _ = self._sentence  # is kept with it, for the agent may search again
        made = json.loads(self.to_json())
        # past 2**53 the document has the number as text, and JSON does not tell 0 from 0.0
        if made["policy_space"] is not None:
            made["policy_space"] = int(float(made["policy_space"]))
        for key in ("tv", "gap"):
            if made["certificate"] and made["certificate"][key] is not None:
                made["certificate"][key] = float(made["certificate"][key])
        return made

    @cached_property
    def _sentence(self) -> str | None:
        """What the certificate says, in the words of the command."""
        self._check()
        assert self._agent is not None  # copies have their sentence
        return _sonde.certificate_sentence(self._agent)

    def to_json(self, command: str | None = None) -> str:
        """Writes the decision as a document.

        Parameters
        ----------
        command : str, optional
            The command line that the document names.

        Returns
        -------
        str
            What `sonde plan --json` says.
        """
        self._check()
        if self._agent is None:
            return self._text if command is None else json.dumps(
                json.loads(self._text) | {"command": command})
        return _sonde.decision_report(self._agent, self._action, command)

    def to_dict(self) -> Document:
        """Gives the document as a dict.

        Returns
        -------
        dict
            What `sonde plan --json` says.
        """
        return dict(self._document)

    def explain(self) -> Explanation:
        """Says why this action: the best policy of each first action, step by step, and what the
        decision rests on.

        Returns
        -------
        Explanation
            What `sonde plan --explain` says.
        """
        self._check()
        document, text, svg = self._why() if self._agent is None else _sonde.explain(self._agent)
        made = json.loads(document)
        return Explanation(made.get("explain") or {"plan": made["plan"]}, text, svg)

    def prefix(self, *steps: str | int | Sequence[str | int]) -> Document:
        """Says what is known of all policies that begin alike: a branch of the tree of policies,
        and what grows from it.

        Parameters
        ----------
        *steps : str, int or sequence of them
            What the policies begin with, step by step: an action by name or number, one of each
            factor where there are several; in a graph world, a node. None: all policies.

        Returns
        -------
        dict
            What `sonde plan --prefix` says: how many "policies" there are, G of the steps so far
            ("efe" and its terms), the "least" G that any of them can have, the "best" that was
            found (None: none was looked at), their "mass" in the posterior of all policies, at
            least and at most; and "next", the same of what they do next, the most probable first.

        Examples
        --------
        >>> plan.prefix("left", "left")["mass"]
        """
        self._check()
        if self._agent is None:
            raise BadInput("prefix: a copy of a plan has no agent to ask; ask the plan itself")
        words = ("/".join(map(str, step)) if isinstance(step, (list, tuple, np.ndarray))
                 else str(step) for step in steps)
        made: Document = json.loads(_sonde.prefix(self._agent, ",".join(words)))
        for one in (made, *made["next"]):
            one["policies"] = int(float(one["policies"]))
        return made

    def follow(self, n: int = 1000) -> dict[str, Any]:
        """Lives a plan in closed loop n times in its model, from belief to belief.

        Parameters
        ----------
        n : int, default 1000
            Episodes, 2 at least.

        Returns
        -------
        dict
            "mean" of the summed, discounted G of their steps and its standard "error", beside the
            "value" of the decision, between two bounds; and the share of episodes that "left" the
            beliefs which the search had looked at.
        """
        self._check()
        if self._agent is None:
            raise BadInput("follow: a copy of a plan cannot be followed; follow the plan itself")
        mean, error, lower, upper, left = _sonde.agent_follow(self._agent, n)
        return {"episodes": n, "mean": mean, "error": error, "value": (lower, upper), "left": left}

    def policy(self, format: str = "sonde-policy") -> Policy:
        """Gives what a search without a horizon has found, for later ones.

        Parameters
        ----------
        format : {"sonde-policy", "sarsop"}, default "sonde-policy"
            "sarsop" is SARSOP's XML, of models with information "off" and backup "min".

        Returns
        -------
        Policy
            What `sonde plan --save-policy` writes.
        """
        self._check()
        if self._agent is None:
            raise BadInput("policy: a copy of a plan has none; ask the plan itself")
        return found_by(self._agent, format)

    def save_policy(self, path: Path) -> None:
        """Writes what a search without a horizon has found into a file.

        Parameters
        ----------
        path : path
            The file; it is in SARSOP's format where its name ends in .policy.
        """
        self.policy(format_of(path)).save(path)

    def _why(self) -> tuple[str, str, str]:
        """What a copy was told of the explanation, or why there was none."""
        if isinstance(self._explained, str):
            raise BadInput(self._explained)
        return self._explained

    def __getstate__(self) -> Document:
        """All that there is to say of the decision, without the agent that made it."""
        state = {"model": self.model, "_action": self._action, "_sentence": self._sentence,
                 "_fields": kept(self._fields), "_text": self.to_json()}
        try:
            state["_explained"] = self._why() if self._agent is None else _sonde.explain(
                self._agent)
        except BadInput as error:
            state["_explained"] = str(error)
        return state

    def __setstate__(self, state: Document) -> None:
        self._agent = self._is_last = None
        self.__dict__.update(state)

    @property
    def action(self) -> Document | None:
        """What was chosen: {"actions": [per factor]}, or {"to": node, "edges": ...}."""
        return self._document["action"] if self._action < 0 else self.model._kind.choice(self)

    @property
    def actions(self) -> Ints:
        """(n, n_factor) the first actions; in a graph world (n, 2), pairs of edges."""
        numbers = view(self._fields["action"])
        return np.array([self.model.action_tuple(int(number)) for number in numbers], np.int32)

    @property
    def probabilities(self) -> Floats:
        """(n) summed posterior of the first actions."""
        return view(self._fields["posterior"])

    @property
    def efe_bounds(self) -> Floats:
        """(n, 2) closed loop: between what G of each first action lies."""
        return self._bounds("efe")

    @property
    def p_bounds(self) -> Floats:
        """(n, 2) closed loop: between what the posterior of each first action lies."""
        return self._bounds("p")

    def _bounds(self, what: str) -> Floats:
        lower, upper = ((self._fields["efe_lower"], self._fields["efe_upper"]) if what == "efe"
                        else (self._fields["p_lower"], self._fields["p_upper"]))
        if lower is None or upper is None:
            raise BadInput(f"{what}_bounds: a plan has them with loop=\"closed\" only")
        return np.stack([view(lower), view(upper)], axis=1)

    @property
    def p(self) -> Floats:
        """(n) summed posterior of the first actions; the same as probabilities."""
        return self.probabilities

    @property
    def gamma(self) -> float:
        """Precision of the posterior: that of the settings, unless the agent expects it."""
        return self._fields["gamma"]

    @property
    def marginals(self) -> list[Array]:
        """Per factor (actions): summed posterior of its own actions; general models."""
        return np.split(view(self._fields["marginal"]), np.cumsum(self.model.num_controls)[:-1])

    @property
    def q(self) -> Floats:
        """(n_belief) what the decision was made from."""
        return view(self._fields["belief"])

    @property
    def best_policy(self) -> Ints:
        """(T, n_factor) actions of the best policy found, or (T + 2) nodes in a graph world."""
        if self._fields["best_walk"] is None:
            raise BadInput("best_policy: a plan in closed loop has none, since it waits for what "
                           "is seen; see actions, probabilities and follow")
        return self.model._kind.shown(view(self._fields["best_walk"])[None])[0]

    @property
    def best_efe(self) -> float:
        """G of the best policy found."""
        return self._fields["best_efe"]

    def __repr__(self) -> str:
        d = self._document
        space = d["policy_space"]
        chance = None
        if d["action"] is None:
            action = "none yet"
        elif "to" in d["action"]:
            action = f"to {d['action']['to']}"
            chance = next((a["p"] for a in d["action_probabilities"]
                           if a["to"] == d["action"]["to"]), None)
        else:
            action = str(d["action"]["actions"])
            chance = next((a["p"] for a in d["action_probabilities"]
                           if a["actions"] == d["action"]["actions"]), None)
        surely = "" if chance is None else f", p {chance:.4f}"
        if d.get("loop") == "closed":
            return "\n".join([
                f"<sonde.Plan: action {action}{surely}",
                f"  value:  {d['value'][0]:.6g} to {d['value'][1]:.6g}, backup {d['backup']}",
                f"  scored: {d['evaluations']['beliefs']:,} beliefs in "
                f"{d['evaluations']['steps']:,} steps by search {d['search']}, "
                f"{d['seconds']:.3g} s",
                "  sure:   nothing is; this search gives no certificate>"
                if d["certificate"] is None else
                f"  sure:   within {d['certificate']['tv']:.3g} of the exact posterior "
                f"({d['certificate']['stopped']})>"])
        steps = d["evaluations"]["steps"]
        lines = [f"<sonde.Plan: action {action}{surely}",
                 f"  best:   {self.best_policy.tolist()}, G {d['best']['efe']:.6g}",
                 f"  scored: {steps:,} step{'' if steps == 1 else 's'} (as much as "
                 f"{d['evaluations']['equivalent']:.4g} of {space:,} policies) by search "
                 f"{d['search']}, {d['seconds']:.3g} s"]
        if self._sentence:
            lines.append(f"  sure:   {self._sentence}")
        return "\n".join(lines) + ">"

    def _repr_html_(self) -> str:
        from html import escape

        from ._show import table

        d = self._document
        rows = [[a.get("to", a.get("actions")), f"{a['p']:.4f}"]
                for a in sorted(d["action_probabilities"], key=lambda a: -a["p"])[:12]]
        return (f"<pre>{escape(repr(self)[1:-1])}</pre>"
                + table("first actions", ["to" if "to" in d["action"] else "actions", "p"], rows))
