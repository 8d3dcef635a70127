"""One decision."""
from __future__ import annotations

import json
from functools import cached_property
from typing import Any, Sequence, TypedDict, Unpack

import numpy as np

from . import _sonde
from ._arrays import Progress, run_of, view
from ._model import Model, as_model


class SearchSettings(TypedDict, total=False):
    """What plan, simulate and Agent may be told about a search; all of it optional.

        search            one of sonde.searches(); default: bounded, or cluster where any setting of
                          clusters is given (embedding to members below, and semantics), or tree
                          where branch or depth is, or beam where that is
        fallback          another search, which decides, too, from half the budget; the better
                          decision is taken
        scope             "local" or "global", graph worlds only
        embedding         one of sonde.embeddings(); ngram, onehot_weight, ends, dimension and
                          policy_sample go with it
        k, restarts       of k-means; k may be "auto", which balances costs
        method            "kmeans" or "ward"
        probe             "center", "sample" or "adaptive"; samples members of each cluster; delta
        top               how many of the best clusters are searched
        members           with policy_sample: how many more members of these are drawn
        branch, depth     of tree search: clusters that each is divided into (0: k), and levels
        gamma             precision of the posterior over policies; default: the model's
        action, alpha     one of sonde.actions(), and its precision
        per_factor        each factor's action from its own marginal
        replan_every      steps for which a plan is followed; replan_surprise (nats) ends it earlier
        epsilon           how close to the exact posterior bounded search stops; budget (steps) and
                          deadline (seconds) end it earlier
        budget            steps that random (default: those of 1,000 policies), surrogate (40)
                          and tree search (top clusters) score, too
        beam              prefixes that beam search keeps at every step
        semantics         "text" or "notebook"; or differences, a list of single ones; k_before
        seed              of everything that is drawn
    """

    search: str | None
    fallback: str | None
    scope: str | None
    embedding: str | None
    onehot_weight: float | None
    ngram: int | None
    ends: int | None
    dimension: int | None
    policy_sample: int | None
    method: str | None
    k: int | str | None
    restarts: int | None
    rounds: int | None
    tolerance: float | None
    probe: str | None
    samples: int | None
    delta: float | None
    top: int | None
    members: int | None
    branch: int | None
    depth: int | None
    gamma: float | None
    alpha: float | None
    action: str | None
    per_factor: bool | None
    replan_every: int | None
    replan_surprise: float | None
    epsilon: float | None
    budget: int | None
    deadline: float | None
    beam: int | None
    semantics: str | None
    differences: Sequence[str] | None
    k_before: int | None
    seed: int | None


# the searches that a setting concerns, where those are not all
CONCERNS = {
    **dict.fromkeys(("embedding", "onehot_weight", "ngram", "ends", "dimension", "policy_sample",
                     "method", "k", "restarts", "rounds", "tolerance", "semantics", "differences",
                     "k_before"), ("cluster", "surrogate", "tree")),
    **dict.fromkeys(("probe", "samples", "delta", "top"), ("cluster", "tree")),
    **dict.fromkeys(("branch", "depth"), ("tree",)),
    **dict.fromkeys(("epsilon", "deadline"), ("bounded",)),
    "members": ("cluster",),
    "beam": ("beam",),
    "budget": ("bounded", "random", "surrogate", "tree"),
}
# settings that go with another one: which, and what it may be (None: whatever is given)
GOES_WITH = {
    "onehot_weight": ("embedding", ("aboe-onehot",)),
    "ngram": ("embedding", ("ngram",)),
    "ends": ("embedding", ("ends",)),
    "dimension": ("embedding", ("walk2vec",)),
    "restarts": ("method", (None, "kmeans")),
    "rounds": ("method", (None, "kmeans")),
    "tolerance": ("method", (None, "kmeans")),
    "samples": ("probe", ("sample", "adaptive")),
    "delta": ("probe", ("adaptive",)),
    "members": ("policy_sample", None),
    "alpha": ("action", (None, "softmax", "marginal")),
    "replan_surprise": ("replan_every", None),
}
# settings of trees that take the place of another one, which these searches have still
INSTEAD_OF = {"branch": ("k", ("cluster", "surrogate")), "budget": ("top", ("cluster",))}
# of these, 0 and an empty list say as much as nothing does
NEUTRAL = ("budget", "deadline", "branch", "members", "policy_sample", "differences")
SEARCHES = tuple(_sonde.names("search"))


def _given(settings: dict[str, Any]) -> list[str]:
    return [key for key, value in settings.items()
            if value is not None and (value or key not in NEUTRAL)]


def _concerned(key: str, settings: dict[str, Any]) -> bool:
    names = CONCERNS.get(key)
    return names is None or settings["search"] in names or settings.get("fallback") in names


def _choose_search(settings: dict[str, Any], usual: str) -> None:
    """A setting that concerns one search alone means that one, trees before clusters before
    others; one that concerns several, clustered search."""
    settings["search"] = usual
    idle = [CONCERNS[key] for key in _given(settings) if not _concerned(key, settings)]
    alone = {names[0] for names in idle if len(names) == 1}
    several = {name for names in idle for name in names}
    for name in ("tree", "cluster", *SEARCHES):
        if name in alone or (not alone and name in several and name != "tree"):
            settings["search"] = name
            break


def clusters_wanted(k: Any) -> Any:
    """k as the extension takes it: "auto" is 0."""
    if isinstance(k, str) and k != "auto" or k is not None and not isinstance(k, str) and k == 0:
        raise ValueError(f'k: expected a whole number from 1 on, or "auto", found {k!r}')
    return 0 if isinstance(k, str) else k


def check_company(settings: dict[str, Any]) -> None:
    """Refuses settings that go with another one, which is not there."""
    for key in _given(settings):
        other, values = GOES_WITH.get(key, (None, None))
        if other is None:
            continue
        found = settings.get(other)
        if not (found in values if values else found):
            choice = " or ".join(repr(value) for value in values or () if value)
            raise ValueError(f"{key}: goes with {other}{'=' if choice else ''}{choice} only; "
                             f"choose that, or leave out {key}")


def _check_effects(settings: dict[str, Any]) -> None:
    """Refuses what would be taken and change nothing."""
    for key in _given(settings):
        if not _concerned(key, settings):
            names = " or ".join(map(repr, CONCERNS[key]))
            raise ValueError(f"{key}: goes with search={names} only, and the search is "
                             f"{settings['search']}; choose that, or leave out {key}")
    given = _given(settings)
    present = {settings["search"], settings.get("fallback")}
    for key, (other, users) in INSTEAD_OF.items():
        if "tree" in present and key in given and other in given and not present & set(users):
            raise ValueError(f"{other}: goes with a search without {key} only; choose that, or "
                             f"leave out {other}")
    check_company(settings)


def settled(settings: dict[str, Any], usual: str = "bounded",
            graph: bool = False) -> dict[str, Any]:
    """Settings as the extension takes them: `semantics` stands for a list of differences."""
    if settings.get("search") is None:
        _choose_search(settings, usual)
    if len(settings) > 1 and settings["search"] in SEARCHES:  # another is refused elsewhere
        _check_effects(settings)
    if graph and settings.get("deadline"):
        raise ValueError("deadline: concerns general models, and this is a graph world; leave it "
                         "out")
    if "k" in settings:
        settings["k"] = clusters_wanted(settings["k"])
    if "semantics" in settings:
        semantics = settings.pop("semantics")
        if semantics not in (None, "text", "notebook"):
            raise ValueError(f"semantics: expected text or notebook, found {semantics!r}")
        if semantics == "notebook":
            if settings.get("differences"):
                raise ValueError("differences: semantics notebook has all of them; give one or the "
                                 "other")
            settings["differences"] = list(_sonde.names("difference"))
    return settings


def plan(model: Any, belief: Any = None, *, observation: Any = None, threads: int | None = None,
         memory: int | str | None = None, progress: Progress | None = None,
         **settings: Unpack[SearchSettings]) -> Plan:
    """Makes one decision, as `sonde plan` does.

    model is a Model, a Graph, or the path of a file; belief is what is believed now (default: the
    model's initial belief; in a graph world one that is certain), and observation an outcome of
    each modality that is taken in first. The settings are those of SearchSettings; what is not
    given is the library's default.

    The result has the keys of `sonde plan --json` as attributes and as items, among them

        action                  what was chosen: {"actions": [per factor]} or {"to": node, ...}
        action_probabilities    of every first action
        best                    the best policy found, with its efe, risk, ambiguity and cost
        evaluations             what the search cost
        certificate             how far from exact it can be, or None
        policy_space            how many policies there are
    """
    if model.__class__ is not Model:
        model = as_model(model, settings.get("seed"))
    if belief is not None:
        belief = model._flat(belief)
        if model.graph and np.max(belief) < 1 - 1e-9 * np.sum(belief):
            raise ValueError(f"belief: in a graph world the agent knows the edge it is on; "
                             f"expected one with all the probability, found {np.max(belief):g}")
    if observation is not None:
        observation = model.outcomes(observation)
    agent, action = _sonde.plan(model._policies, belief, observation,
                                settled(settings, graph=bool(model.graph)),
                                run_of(threads, memory, progress))
    return Plan(model, agent, action)


class Explanation:
    """Why a decision is what it is; see Plan.explain. Printed, it is text; in a notebook, a
    picture.

    The keys of "explain" in `sonde plan --explain --json` are items, among them

        alternatives    every first action, the most probable first: its best policy and the terms
                        of each step, or the prefix at which the search could stop, and a bound
        grounds         what the decision rests on: "every", "sums", "bounds", "clusters", "part"
        trace           with "bounds": how the mass that may be open shrank
        evidence        with "clusters": which were cut, on what probe
    """

    def __init__(self, document: dict[str, Any], text: str, svg: str):
        self._document, self._text, self._svg = document, text, svg

    def to_dict(self) -> dict[str, Any]:
        """All of it as a dict."""
        return dict(self._document)

    def svg(self) -> str:
        """The picture that `sonde plan --svg` draws."""
        return self._svg

    def keys(self) -> Any:
        """The keys of the document."""
        return self._document.keys()

    def __getitem__(self, key: str) -> Any:
        return self._document[key]

    def __iter__(self) -> Any:
        return iter(self._document)

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return self._svg


class Plan:
    """One decision: the keys of `sonde plan --json` as attributes and items; see sonde.plan.

    Besides, as read-only arrays:

        actions          (n, n_factor) the first actions that policies were scored for
        probabilities    (n) their summed posterior
        marginals        per factor (actions) posterior of its own actions, general models
        q                (n_belief) the belief
        best_policy      (T, n_factor) actions, or (T + 2) nodes
    """

    def __init__(self, model: Model, agent: Any, action: int, is_last: Any = None):
        self.model = model
        self._agent = agent
        self._action = action
        self._is_last = is_last  # of an agent that may search again: whether it has not

    def _check(self) -> None:
        if self._is_last is not None and not self._is_last():
            raise ValueError("the agent has searched again since; look at a plan before that")

    @cached_property
    def _fields(self) -> dict[str, Any]:
        self._check()
        fields = _sonde.decision_fields(self._agent)
        if self._is_last is not None:
            fields = {key: np.array(value) if isinstance(value, _sonde.View) else value
                      for key, value in fields.items()}
        return fields

    @cached_property
    def _document(self) -> dict[str, Any]:
        document = json.loads(self.to_json())
        _ = self._sentence  # kept with it, for the agent may search again
        return document

    @cached_property
    def _sentence(self) -> str | None:
        """What the certificate says, in the words of the command."""
        self._check()
        return _sonde.certificate_sentence(self._agent)

    def to_json(self, command: str | None = None) -> str:
        """What `sonde plan --json` says."""
        self._check()
        return _sonde.decision_report(self._agent, self._action, command)

    def to_dict(self) -> dict[str, Any]:
        """The same as a dict."""
        return dict(self._document)

    def explain(self) -> Explanation:
        """Why this action: the best policy of each first action, step by step, and what the
        decision rests on, as `sonde plan --explain` says it."""
        self._check()
        document, text, svg = _sonde.explain(self._agent)
        return Explanation(json.loads(document)["explain"], text, svg)

    def __getattr__(self, key: str) -> Any:
        if not key.startswith("_") and key in self._document:
            return self._document[key]
        raise AttributeError(f"a plan has no {key!r}; it has {', '.join(self._document)}"
                             if not key.startswith("_") else key)

    def __getitem__(self, key: str) -> Any:
        return self._document[key]

    def keys(self) -> Any:
        """The keys of the document."""
        return self._document.keys()

    def __iter__(self) -> Any:
        return iter(self._document)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._document})

    @property
    def action(self) -> dict[str, Any]:
        """What was chosen: {"actions": [per factor]}, or {"to": node, "edges": ...}."""
        if self.model.graph or self._action < 0:
            return self._document["action"]
        return {"actions": list(self.model.action_tuple(self._action))}

    @property
    def actions(self) -> np.ndarray:
        """(n, n_factor) the first actions; in a graph world (n, 2), pairs of edges."""
        numbers = view(self._fields["action"])
        return np.array([self.model.action_tuple(int(number)) for number in numbers], np.int32)

    @property
    def probabilities(self) -> np.ndarray:
        """(n) summed posterior of the first actions."""
        return view(self._fields["posterior"])

    @property
    def marginals(self) -> list[np.ndarray]:
        """Per factor (actions): summed posterior of its own actions; general models."""
        return np.split(view(self._fields["marginal"]), np.cumsum(self.model.num_controls)[:-1])

    @property
    def q(self) -> np.ndarray:
        """(n_belief) what the decision was made from."""
        return view(self._fields["belief"])

    @property
    def best_policy(self) -> np.ndarray:
        """(T, n_factor) actions of the best policy found, or (T + 2) nodes in a graph world."""
        return self.model._shown(view(self._fields["best_walk"])[None])[0]

    @property
    def best_efe(self) -> float:
        """G of the best policy found."""
        return self._fields["best_efe"][0]

    def __repr__(self) -> str:
        d = self._document
        space = float(d["policy_space"])
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
        lines = [f"<sonde.Plan: action {action}{surely}",
                 f"  best:   {self.best_policy.tolist()}, G {d['best']['efe']:.6g}",
                 f"  scored: {d['evaluations']['policies']:,} of {space:,.0f} policies by search "
                 f"{d['search']}, {d['evaluations']['equivalent']:.4g} policy equivalents, "
                 f"{d['seconds']:.3g} s"]
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
