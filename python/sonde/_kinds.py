"""What differs between models of graph worlds and general ones: one class each, one interface."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays import doubles, integers, is_single, view
from ._sonde import BadInput

if TYPE_CHECKING:
    from ._graph import Graph
    from ._model import Model
    from ._plan import Plan
    from ._simulate import Episode
    from ._types import Belief, Document, Floats, Ints, Outcomes, Seen

#: what stands for an outcome that was not seen, and for one that weights tell of
MISSING, SOFT = -1, -2


class OfFactors:
    """General models: states of factors, outcomes of modalities, actions as tuples.

    Parameters
    ----------
    model : Model
        Whose they are.
    """

    scopes: tuple[str, ...] = ("local",)
    #: keys of what an episode is judged by
    judged: tuple[str, ...] = ()

    def __init__(self, model: Model):
        self._model = model
        fields = model._fields
        self.num_states = [f["n_state"] for f in fields["factors"]]
        self.num_controls = [f["n_action"] for f in fields["factors"]]
        self.num_obs = [m["n_outcome"] for m in fields["modalities"]]
        self.D = [view(f["D"]) for f in fields["factors"]]
        self.cost = [view(m["cost"]) for m in fields["modalities"]]

    def check_general(self, what: str) -> None:
        """Nothing is wrong with asking for what general models have."""

    def check_graph(self, what: str) -> None:
        """What belongs to graph worlds is no attribute here."""
        raise AttributeError(f"{what} belongs to graph worlds, and this is a general model")

    def drawn(self, what: str) -> Graph:
        """The world that can be drawn."""
        raise BadInput(f"{what}: expected a graph world, found a general model")

    def replaced(self, changes: Document) -> Model:
        """A model that differs in what is given."""
        return self._model._replaced(changes)

    def rewards(self) -> list[Floats]:
        """(outcomes) of each modality: what seeing them is worth."""
        return [view(m["preference"])[0] - self._model.lambda_ * view(m["cost"])
                for m in self._model._fields["modalities"]]

    def last(self, seen: Outcomes) -> Ints | None:
        """The state in which something was seen, where that says it."""
        return None

    def named_action(self, action: Ints) -> int | None:
        """The number of an action that is named otherwise than by its factors' numbers."""
        return None

    def named(self, value: Belief) -> Floats | None:
        """A belief that is named otherwise than by its numbers."""
        return None

    def check_certain(self, belief: Floats) -> None:
        """Any belief will do to decide from."""

    def seen(self, value: Outcomes) -> Seen:
        """Numbers of outcomes, and weights of all of them, side by side, where some have any."""
        n_modality = self._model.n_modality
        listed: list[Any]
        if value is None:
            listed = [None] * n_modality
        else:
            listed = [value] if is_single(value) else list(value)  # type: ignore
        if len(listed) != n_modality:
            raise BadInput(f"outcomes: expected one for each modality ({n_modality}), found "
                           f"{len(listed)}")
        made = np.empty(n_modality, np.int32)
        weights = [np.zeros(n) for n in self.num_obs]
        for m, one in enumerate(listed):
            if one is None:
                made[m] = MISSING
            elif is_single(one) or np.size(one) == 1:
                made[m] = self._outcome(m, one)
            else:
                made[m] = SOFT
                weights[m] = self._weights(m, one)
        return made, np.concatenate(weights) if (made == SOFT).any() else None

    def _weights(self, m: int, value: Any) -> Floats:
        """One for each outcome of a modality; the library checks what they are."""
        made = doubles(value, f"outcomes[{m}]").reshape(-1)
        if len(made) != self.num_obs[m]:
            raise BadInput(f"outcomes[{m}]: expected {self.num_obs[m]} weights, one for each "
                           f"outcome, found {len(made)}")
        return made

    def _outcome(self, m: int, outcome: Any) -> int:
        """The number of an outcome of a modality, of which it may be the name."""
        if isinstance(outcome, str):
            names = self._model._fields["modalities"][m]["outcomes"]
            if names is None:
                raise BadInput(f"modality {m}: expected a number from 0 to {self.num_obs[m] - 1}, "
                               f"since its outcomes have no names, found {outcome!r}")
            if outcome not in names:
                raise BadInput(f"modality {m}: there is no outcome {outcome!r} among {names}")
            return names.index(outcome)
        number = int(integers(outcome, "outcomes").reshape(-1)[0])
        if not 0 <= number < self.num_obs[m]:
            raise BadInput(f"modality {m}: expected an outcome from 0 to {self.num_obs[m] - 1}, "
                           f"found {number}")
        return number

    def shown(self, walks: Ints) -> Ints:
        """Policies as people write them: actions (n, T, n_factor)."""
        return np.stack(np.unravel_index(walks[:, 1:], self.num_controls), axis=-1).astype(np.int32)

    def taken(self, policies: object) -> Ints:
        """Walks (n, T + 1) from policies as people write them."""
        from ._model import _policies

        actions = _policies(policies, self._model.horizon, len(self.num_controls))
        for f, n in enumerate(self.num_controls):
            if actions[..., f].min() < 0 or actions[..., f].max() >= n:
                raise BadInput(f"policies: expected actions of factor {f} from 0 to {n - 1}")
        walks = np.zeros((len(actions), self._model.horizon + 1), np.int32)
        walks[:, 1:] = np.ravel_multi_index(tuple(np.moveaxis(actions, -1, 0)), self.num_controls)
        return walks

    def choice(self, plan: Plan) -> Document:
        """What a plan chose, without its document."""
        return {"actions": list(self._model.action_tuple(plan._action))}

    def document(self) -> str:
        """What a file has."""
        return self._model.to_json()

    def about(self) -> str:
        """The model in a line."""
        model = self._model
        name = f" {model.name}:" if model.name else ":"
        return (f"<sonde.Model{name} states {self.num_states}, actions {self.num_controls}, "
                f"outcomes "
                f"{self.num_obs}; horizon {model.horizon}, {model.n_policy:,.0f} policies>")

    def html(self) -> str:
        """The model as a table."""
        from ._show import table

        rows = [["factor", f["name"] or i, f["states"] if isinstance(f["states"], int)
                 else ", ".join(f["states"]), f["actions"] if isinstance(f["actions"], int)
                 else ", ".join(f["actions"])] for i, f in enumerate(self._model.factors)]
        rows += [["modality", m["name"] or i, m["outcomes"] if isinstance(m["outcomes"], int)
                  else ", ".join(m["outcomes"]), ""] for i, m in enumerate(self._model.modalities)]
        return table(self.about()[1:-1], ["", "name", "states or outcomes", "actions"], rows)

    def path(self, states: Ints) -> Ints:
        """The states of an episode as people write them."""
        return states

    def about_episode(self, episode: Episode) -> str:
        """An episode in a line."""
        if not episode.knows_states:
            return f"<sonde.Episode: {len(episode)} steps in an environment>"
        return (f"<sonde.Episode: {len(episode)} steps from {episode.states[0].tolist()} to "
                f"{episode.states[-1].tolist()}>")

    def episode_html(self, episode: Episode) -> str:
        """An episode as a table."""
        from ._show import table

        states = episode.states.tolist() if episode.knows_states else [""] * len(episode)
        rows = [[t, s, o.tolist(), a.tolist(), f"{p:.4f}"] for t, (s, o, a, p)
                in enumerate(zip(states, episode.outcomes, episode.actions, episode.p))]
        return table(repr(episode)[1:-1], ["step", "state", "outcomes", "action", "p"], rows)


class OfGraph(OfFactors):
    """Graph worlds: states and outcomes are edges, policies are walks.

    Parameters
    ----------
    model : Model
        Whose they are.
    graph : Graph
        The world.
    """

    scopes = ("local", "global")
    judged = ("optimal", "failure", "reached", "walked", "shortest")

    def __init__(self, model: Model, graph: Graph):
        self._model = model
        self._graph = graph
        self.num_states = self.num_obs = [model.n_belief]
        self.num_controls = [model.n_action]
        self.D = [model.initial()]
        self.cost = [view(model._fields["cost"])]

    def check_general(self, what: str) -> None:
        raise AttributeError(f"{what} belongs to general models, and this is a graph world")

    def check_graph(self, what: str) -> None:
        pass

    def drawn(self, what: str) -> Graph:
        return self._graph

    def replaced(self, changes: Document) -> Model:
        return self._graph.replace(**changes).model

    def rewards(self) -> list[Floats]:
        return [-view(self._model._fields["step"])]  # risk, where ln C has its floor, and cost

    def last(self, seen: Outcomes) -> Ints | None:
        edge, _ = self.seen(seen)
        return None if edge[0] < 0 else edge

    def named_action(self, action: Ints) -> int | None:
        return self._model.action_number(action) if action.size == 2 else None

    def named(self, value: Belief) -> Floats | None:
        if isinstance(value, np.ndarray) or np.asarray(value).size != 2:
            return None
        made = np.zeros(self._model.n_belief)
        previous, current = np.asarray(value).tolist()
        made[self._graph.edge(previous, current)] = 1.0
        return made

    def check_certain(self, belief: Floats) -> None:
        if np.max(belief) < 1 - 1e-9 * np.sum(belief):
            raise BadInput(f"belief: in a graph world the agent knows the edge it is on; "
                           f"expected one with all the probability, found {np.max(belief):g}")

    def seen(self, value: Outcomes) -> Seen:
        if value is None:
            return np.array([MISSING], np.int32), None
        given = np.asarray(value)
        edge = self._graph.edge(*given.tolist()) if given.size == 2 else int(given.item())
        if not 0 <= edge < self._model.n_belief:
            raise BadInput(f"modality 0: expected an outcome from 0 to {self._model.n_belief - 1}, "
                           f"found {edge}")
        return np.array([edge], np.int32), None

    def shown(self, walks: Ints) -> Ints:
        nodes = np.empty((len(walks), self._model.horizon + 2), np.int32)
        nodes[:, 0] = self._graph.tail[walks[:, 0]]
        nodes[:, 1:] = self._graph.head[walks]
        return nodes

    def taken(self, policies: object) -> Ints:
        nodes = integers(policies, "policies")
        n = self._model.horizon + 2
        if nodes.ndim != 2 or nodes.shape[1] != n:
            raise BadInput(f"policies: expected lists of {n} nodes (previous, current, then one "
                           f"per step), found {nodes.shape}")
        try:
            return np.array([[self._graph.edge(a, b) for a, b in zip(row, row[1:])]
                             for row in nodes], np.int32).reshape(len(nodes), -1)
        except KeyError as error:
            raise BadInput(f"policies: {error.args[0]}") from None

    def choice(self, plan: Plan) -> Document:
        return plan._document["action"]

    def document(self) -> str:
        return self._graph.to_json()

    def about(self) -> str:
        return f"<sonde.Model of {self._graph!r}>"

    def html(self) -> str:
        return self._graph.svg()

    def path(self, states: Ints) -> Ints:
        return self._graph.head[states[:, 0]]

    def about_episode(self, episode: Episode) -> str:
        if not episode.knows_states:
            return super().about_episode(episode)
        verdict = "optimal" if episode._fields["optimal"] else f"not optimal ({episode['failure']})"
        return (f"<sonde.Episode: {len(episode)} steps, {verdict}; path "
                f"{' '.join(map(str, episode.path))}>")

    def episode_html(self, episode: Episode) -> str:
        drawn = self._graph.svg(episode.path) if episode.knows_states else self.html()
        return drawn + f"<p>{repr(episode)[1:-1]}</p>"
