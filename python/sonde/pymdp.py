"""For those who come from pymdp: an agent with its signature, verbs and defaults; its agents as
models; and a search of Sonde as its plug-in.

    >>> from sonde.pymdp import Agent            # instead of pymdp's
    >>> agent = Agent(A=A, B=B, C=C, D=D, policy_len=4)
    >>> qs = agent.infer_states([3, 0])
    >>> q_pi, neg_efe = agent.infer_policies()
    >>> action = agent.sample_action()
"""
from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, Unpack, cast

import numpy as np
import numpy.typing as npt

from . import _sonde
from ._arrays import frozen, integers, objects, run_of, several, view
from ._graph import Graph
from ._model import LISTED_MOST, Model, as_model, object_beliefs
from ._names import like
from ._plan import Explanation, Plan
from ._settings import SearchSettings
from ._sonde import BadInput
from ._types import (Action, Array, Belief, Document, Floats, Memory, Objects, Outcomes, Path,
                     Progress, Seen, Tensors, Vectors)

if TYPE_CHECKING:
    from jax import Array as JaxArray

    from ._sonde import SetupFields

__all__ = ["Agent", "from_pymdp", "policy_search"]


class Agent:
    """An active inference agent, with the verbs, arguments and defaults of pymdp's legacy Agent.

    What pymdp has and Sonde does not (learning, parameter information gain, inductive or
    sophisticated inference, MMP) raises NotImplementedError. Ties go to the lowest action, where
    pymdp draws one.

    Parameters
    ----------
    A, B, C, D : arrays
        The model. C is (outcomes) or (outcomes, policy_len) per modality.
    E : array (policies), optional
        Prior of the policies, which have to be given with it.
    H, pA, pB, pD : None
        Not supported.
    num_controls : list of int, optional
        Actions of each factor, as in B.
    policy_len : int, optional
        Steps in a policy; 1, or that of the policies, unless given.
    inference_horizon : int
        Not supported; 1.
    control_fac_idx : list of int, optional
        The factors that are controlled; the others keep their first action.
    policies : list of arrays (policy_len, n_factor), optional
        All there are; every sequence unless given.
    gamma : float, optional
        Precision of the posterior over policies; 16, or the model's, unless given.
    alpha : float
        Precision of the choice of an action from marginals.
    use_utility, use_states_info_gain : bool
        Not supported; True.
    use_param_info_gain : bool
        Not supported; False.
    action_selection : str
        "deterministic" or "stochastic".
    sampling_mode : str
        "marginal" or "full".
    inference_algo : str or None
        "VANILLA".
    inference_params : dict, optional
        Not supported, beyond pymdp's defaults.
    modalities_to_learn, lr_pA, factors_to_learn, lr_pB, lr_pD : optional
        Not supported: Sonde does not learn.
    use_BMA, policy_sep_prior : bool
        Not supported: of MMP.
    save_belief_hist : bool
        Whether qs_hist and q_pi_hist are kept.
    A_factor_list, B_factor_list : list of lists of int, optional
        The factors that each modality, and each transition, depends on.
    sophisticated, si_horizon, si_policy_prune_threshold, si_state_prune_threshold, \
si_prune_penalty, ii_depth, ii_threshold : optional
        Not supported.
    model : Model, Graph or path, optional
        Instead of arrays; with the model's gamma, information and policies.
    search : str, optional
        One of sonde.searches(); "full" where no setting means another.
    information : str, optional
        "joint" unless given, or "per-modality" as in pymdp 1.0.
    threads : int, optional
        How many; None: one for each core. Changes no number.
    memory : int or str, optional
        The most to ask for at once: bytes, or a text such as "500M".
    **settings : SearchSettings
        Other settings of sonde.plan, but for action and per_factor.

    See Also
    --------
    sonde.Agent : Sonde's own verbs and defaults.

    Examples
    --------
    >>> agent = sonde.pymdp.Agent(A=A, B=B, C=C, D=D, policy_len=4)
    >>> qs = agent.infer_states([3, 0])            # array of objects, one belief per factor
    >>> q_pi, neg_efe = agent.infer_policies()     # (policies,) each; neg_efe = -G
    >>> action = agent.sample_action()             # (n_factor,)
    """

    def __init__(self, A: Tensors | None = None, B: Tensors | None = None,
                 C: Vectors | None = None, D: Vectors | None = None,
                 E: npt.ArrayLike | None = None, H: object = None, pA: object = None,
                 pB: object = None, pD: object = None, num_controls: Sequence[int] | None = None,
                 policy_len: int | None = None, inference_horizon: int = 1,
                 control_fac_idx: Sequence[int] | None = None,
                 policies: Sequence[npt.ArrayLike] | None = None, gamma: float | None = None,
                 alpha: float = 16.0, use_utility: bool = True, use_states_info_gain: bool = True,
                 use_param_info_gain: bool = False, action_selection: str = "deterministic",
                 sampling_mode: str = "marginal", inference_algo: str | None = "VANILLA",
                 inference_params: Document | None = None,
                 modalities_to_learn: object = "all", lr_pA: float = 1.0,
                 factors_to_learn: object = "all", lr_pB: float = 1.0, lr_pD: float = 1.0,
                 use_BMA: bool = True, policy_sep_prior: bool = False,
                 save_belief_hist: bool = False,
                 A_factor_list: Sequence[Sequence[int]] | None = None,
                 B_factor_list: Sequence[Sequence[int]] | None = None,
                 sophisticated: bool = False, si_horizon: int = 3,
                 si_policy_prune_threshold: float = 1 / 16,
                 si_state_prune_threshold: float = 1 / 16,
                 si_prune_penalty: float = 512, ii_depth: int = 10, ii_threshold: float = 1 / 16, *,
                 model: Model | Graph | Path | None = None, search: str | None = None,
                 information: str | None = None, threads: int | None = None,
                 memory: Memory = None, **settings: Any):
        given = dict(locals())
        self._refuse(given)
        if model is None:
            self.model = self._model(given)
        else:
            self._only_model(given)
            self.model = as_model(model)
            gamma = self.model.gamma if gamma is None else gamma
        gamma = 16.0 if gamma is None else gamma
        self.policy_len = self.model.horizon
        self.gamma, self.alpha = gamma, alpha
        self.action_selection, self.sampling_mode = action_selection, sampling_mode
        rule = self._rule(action_selection, sampling_mode, alpha)
        for key in ("action", "per_factor"):
            if key in settings:
                raise TypeError(f"Agent: {key} is settled by action_selection and sampling_mode")
        if self.model.graph:
            rule.pop("per_factor")
        else:  # what from_pymdp makes of agents of 1.0 counts C linearly
            new = model is not None and self.model.preferences == "utility"
            rule["inference"] = "pymdp" if new else "pymdp-legacy"
        self._n_search = 0
        self._handle = _sonde.agent_new(self.model._policies,
                                        {"search": search, "gamma": gamma, **rule, **settings},
                                        run_of(threads, memory, None), "full")
        self._threads = threads
        if save_belief_hist:
            self.qs_hist: list[Objects] = []
            self.q_pi_hist: list[Floats] = []
        self.reset()

    # ------------------------------------------------------------------------------ arguments --

    @classmethod
    def _refuse(cls, given: Document) -> None:
        """Raises for whatever pymdp would do and Sonde does not."""
        unsupported = ("H", "pA", "pB", "pD", "inference_horizon", "use_utility",
                       "use_states_info_gain", "use_param_info_gain", "modalities_to_learn",
                       "lr_pA", "factors_to_learn", "lr_pB", "lr_pD", "use_BMA", "policy_sep_prior",
                       "sophisticated", "si_horizon", "si_policy_prune_threshold",
                       "si_state_prune_threshold", "si_prune_penalty", "ii_depth", "ii_threshold")
        usual = inspect.signature(cls.__init__).parameters
        for name in unsupported:
            value, default = given[name], usual[name].default
            if value is not default and (default is None or value != default):
                raise NotImplementedError(f"{name}={value!r} is not supported by Sonde")
        if given["inference_algo"] not in (None, "VANILLA"):
            raise NotImplementedError(f"inference_algo={given['inference_algo']!r} is not "
                                      f"supported by Sonde; VANILLA is")
        params = given["inference_params"]
        if params is not None and params != {"num_iter": 10, "dF": 1.0, "dF_tol": 0.001}:
            raise NotImplementedError(f"inference_params={params!r} is not supported by Sonde; it "
                                      f"has pymdp's defaults")

    @staticmethod
    def _only_model(given: Document) -> None:
        for name in ("A", "B", "C", "D", "E", "policy_len", "policies", "num_controls",
                     "control_fac_idx", "A_factor_list", "B_factor_list", "information"):
            if given[name] is not None:
                raise TypeError(f"Agent: give model, or {name}, not both")

    @staticmethod
    def _model(given: Document) -> Model:
        """The model that pymdp's arguments describe."""
        if given["A"] is None or given["B"] is None:
            raise TypeError("Agent: A and B are needed, or a model")
        policies, length = Agent._listed(given["policies"], given["policy_len"])
        E = given["E"]
        if policies is None:
            Agent._no_habit(E)
            E = None
        B_list, A_list = given["B_factor_list"], given["A_factor_list"]
        factors = None if B_list is None else [{"depends": list(one)} for one in B_list]
        modalities = None if A_list is None else [{"factors": list(one)} for one in A_list]
        return Model(given["A"], Agent._controlled(given, policies is None),
                     Agent._preferences(given["C"], length), given["D"], horizon=length,
                     policies="all" if policies is None else policies, E=E,
                     information=given["information"] or "joint",
                     gamma=16.0 if given["gamma"] is None else given["gamma"],
                     factors=factors, modalities=modalities, memory=given["memory"])

    @staticmethod
    def _listed(policies: Sequence[npt.ArrayLike] | None,
                length: int | None) -> tuple[Array | None, int]:
        """Policies (n, steps, n_factor), where they are listed, and their steps."""
        if policies is None:
            return None, 1 if length is None else length
        listed = np.stack([np.asarray(policy) for policy in policies])
        if listed.ndim == 2:
            listed = listed[:, None, :]
        return listed, listed.shape[1] if length is None else length

    @staticmethod
    def _controlled(given: Document, every: bool) -> list[Any]:
        """B, in which factors that nobody controls have one action, if every sequence is meant."""
        B = several(given["B"])
        controls = [np.shape(b)[-1] for b in B]
        if given["num_controls"] is not None and list(given["num_controls"]) != controls:
            raise BadInput(f"num_controls: expected {controls}, as in B, found "
                           f"{list(given['num_controls'])}")
        fixed = given["control_fac_idx"]
        if fixed is None:
            return B
        if any(f < 0 or f >= len(B) or controls[f] < 2 for f in fixed):
            raise BadInput(f"control_fac_idx: expected factors with several actions, found "
                           f"{list(fixed)}")
        return [b if f in fixed or not every else np.asarray(b)[..., :1] for f, b in enumerate(B)]

    @staticmethod
    def _preferences(C: Vectors | None, length: int) -> list[Array] | None:
        """C with pymdp's axes (outcomes, steps) as (steps, outcomes), for all or for none."""
        if C is None:
            return None
        made = [np.asarray(c).T for c in several(C)]
        if len({c.ndim for c in made}) > 1:
            made = [c if c.ndim == 2 else np.tile(c, (length, 1)) for c in made]
        return made

    @staticmethod
    def _no_habit(E: npt.ArrayLike | None) -> None:
        if E is not None and np.ptp(np.asarray(E, dtype=float)) > 0:
            raise NotImplementedError("E without policies is not supported by Sonde; give the "
                                      "policies that E belongs to")

    @staticmethod
    def _rule(action_selection: str, sampling_mode: str, alpha: float) -> Document:
        if sampling_mode not in ("marginal", "full"):
            raise BadInput(f"sampling_mode: expected marginal or full, found {sampling_mode!r}")
        if action_selection not in ("deterministic", "stochastic"):
            raise BadInput(f"action_selection: expected deterministic or stochastic, found "
                           f"{action_selection!r}")
        # alpha is of the rule that draws from marginals
        if sampling_mode == "marginal" and action_selection == "stochastic":
            return {"action": "marginal", "alpha": alpha, "per_factor": True}
        if action_selection == "deterministic":
            by_factor = sampling_mode == "marginal"
            return {"action": "deterministic" if by_factor else "best", "per_factor": by_factor}
        if alpha != 1.0:
            raise NotImplementedError(f"alpha={alpha} with sampling_mode full is not supported by "
                                      f"Sonde; alpha=1 is")
        return {"action": "full", "per_factor": False}

    # ----------------------------------------------------------------------------- attributes --

    @property
    def A(self) -> Objects:
        """Likelihoods, an array of objects."""
        return objects(self.model.A)

    @property
    def B(self) -> Objects:
        """Transitions, an array of objects."""
        return objects(self.model.B)

    @property
    def C(self) -> Objects:
        """Preferences, an array of objects."""
        return objects(self.model.C)

    @property
    def D(self) -> Objects:
        """Initial beliefs, an array of objects."""
        return objects(self.model.D)

    @property
    def num_states(self) -> list[int]:
        """States of each factor."""
        return self.model.num_states

    @property
    def num_obs(self) -> list[int]:
        """Outcomes of each modality."""
        return self.model.num_obs

    @property
    def num_controls(self) -> list[int]:
        """Actions of each factor."""
        return self.model.num_controls

    @property
    def num_factors(self) -> int:
        """How many factors there are."""
        return self.model.n_factor

    @property
    def num_modalities(self) -> int:
        """How many modalities there are."""
        return self.model.n_modality

    @property
    def policies(self) -> list[Array]:
        """The policies that q_pi is about, each (policy_len, n_factor): all of them, or the best
        one found where there are more than a million."""
        if self.model._size(self.model._now(self._belief())[2]) > LISTED_MOST:
            return [self.plan.best_policy]
        return list(self.model.policies(belief=self._belief()))

    @property
    def plan(self) -> Plan:
        """The last decision, as sonde.plan gives it; it holds until the agent searches again."""
        if not self._searched:
            raise BadInput("the agent has not searched yet")
        return self._plan()

    def explain(self) -> Explanation:
        """Says why the last decision is what it is.

        Returns
        -------
        Explanation
            As Plan.explain gives it.
        """
        return self.plan.explain()

    def _plan(self) -> Plan:
        count = self._n_search
        return Plan(self.model, self._handle, self._number, lambda: self._n_search == count)

    @property
    def surprise(self) -> float:
        """How unexpected the last outcomes were, in nats."""
        return _sonde.agent_belief(self._handle, np.empty(self.model.n_belief))[0]

    @property
    def setup(self) -> SetupFields:
        """What its clusters have cost so far."""
        return _sonde.agent_setup(self._handle)

    def _belief(self) -> Floats:
        out = np.empty(self.model.n_belief)
        _sonde.agent_belief(self._handle, out)
        return out

    # ---------------------------------------------------------------------------------- verbs --

    def reset(self, init_qs: Belief | None = None) -> Objects:
        """Goes back to the initial belief, or to another, and to the beginning of time.

        Parameters
        ----------
        init_qs : array or list of arrays, optional
            What is believed now.

        Returns
        -------
        array of objects
            The belief, (states) for each factor.
        """
        _sonde.agent_reset(self._handle)
        if init_qs is not None:
            _sonde.agent_believe(self._handle, self.model.belief(init_qs))
        self.curr_timestep = 0
        self.action: Floats | None = None
        self.prev_actions: list[Floats | None] | None = None
        self.q_pi: Floats | None = None
        self.G: Floats | None = None
        self._number = -1
        self._n_search += 1
        self._searched = False
        self.qs = object_beliefs(self.model, self._belief())
        return self.qs

    def infer_states(self, observation: Outcomes | Sequence[npt.ArrayLike],
                     empirical_prior: Belief | bool | None = None,
                     distr_obs: bool = False) -> Objects:
        """Takes in an outcome of each modality.

        Parameters
        ----------
        observation : list of int, str or vectors
            An outcome of each modality: a number, a name, None where nothing was seen, or a
            distribution over the outcomes.
        empirical_prior : array or list of arrays, optional
            The prior; D at first and the prediction of the last action later unless given.
        distr_obs : bool
            Whether outcomes are distributions, which is seen without it.

        Returns
        -------
        array of objects
            What is believed now, (states) for each factor.
        """
        if isinstance(empirical_prior, (bool, np.bool_)):  # legacy has distr_obs in its place
            empirical_prior = None
        outcome = self._outcome(observation)
        if empirical_prior is not None:
            _sonde.agent_believe(self._handle, self.model.belief(empirical_prior))
        _sonde.agent_observe(self._handle, outcome)
        self.qs = object_beliefs(self.model, self._belief())
        if hasattr(self, "qs_hist"):
            self.qs_hist.append(self.qs)
        return self.qs

    def _outcome(self, observation: Any) -> Seen:
        if self.model.n_modality == 1 and not self.model.graph \
                and np.size(observation) == self.model.num_obs[0] > 1:
            observation = [observation]
        return self.model._seen(observation)

    def decide(self, progress: Progress | None = None) -> Plan:
        """Searches from what is believed now, without listing what every policy is worth.

        Parameters
        ----------
        progress : callable, optional
            A function f(stage, done, total) that is called now and then.

        Returns
        -------
        Plan
            The decision, whose action is not chosen yet; it holds until the agent searches again.
        """
        # what fails leaves no decision, and an earlier one does not hold any more
        self._searched = False
        self._n_search += 1
        _sonde.agent_search(self._handle, progress)
        self._searched = True
        self._number = -1
        return self._plan()

    def infer_policies(self, qs: Belief | None = None) -> tuple[Floats, Floats]:
        """Searches, and lists what policies are worth.

        Where clusters were searched, the policies of the others have 0 and -inf. Every other search
        is followed by scoring the whole space, whatever part of it the search has scored. Where
        there are more than a million policies, there is one entry: the best policy found, and its
        share of the posterior over those scored; self.policies is that one. See decide() for the
        search alone.

        Parameters
        ----------
        qs : array or list of arrays, optional
            As in pymdp 1.0, what infer_states returned.

        Returns
        -------
        q_pi : array (policies)
            The posterior.
        neg_efe : array (policies)
            -G.
        """
        if qs is not None:
            belief = self.model.belief(qs)
            if not np.allclose(belief, self._belief(), rtol=0, atol=1e-12):
                _sonde.agent_believe(self._handle, belief)
        self.decide()
        q_pi, G = self._posterior()
        self.q_pi, self.G = frozen(q_pi), frozen(G)
        if hasattr(self, "q_pi_hist"):
            self.q_pi_hist.append(self.q_pi)
        return self.q_pi, self.G

    def _posterior(self) -> tuple[Floats, Floats]:
        fields = _sonde.decision_fields(self._handle)
        best, evidence = fields["best_efe"], fields["log_evidence"]
        gamma = self.setup["gamma"]
        origin = fields["origin"]
        n = self.model._size(origin)
        if n > LISTED_MOST:
            return np.array([np.exp(-gamma * best - evidence)]), np.array([-best])
        belief = self._belief()
        state = fields["state"] if self.model.graph else -1
        G = np.full(int(n), -np.inf)
        if "chosen" in fields:
            index = np.flatnonzero(view(fields["chosen"])[view(fields["label"])]).astype(np.uint64)
            if fields["cluster_policy"] is not None:
                index = np.sort(view(fields["cluster_policy"])[index])
            out = np.empty((len(index), 4))
            _sonde.efe_walks(self.model._handle, state, belief, self.model._walks(origin, index),
                             out, None, None)
            G[index] = -out[:, 0]
        else:
            # the library does not keep what a search has scored, so everything is scored again
            out = np.empty(int(n))
            _sonde.efe_range(self.model._policies, state, belief, origin, 0, out,
                             run_of(self._threads, None, None))
            G = -out
        log_q = gamma * G
        if self.model.E is not None:
            with np.errstate(divide="ignore"):
                log_q = log_q + np.log(self.model.E)
        q = np.exp(log_q - log_q.max())
        return q / q.sum(), G

    def sample_action(self, q_pi: npt.ArrayLike | None = None,
                      rng_key: object = None) -> Floats:
        """Chooses an action.

        Parameters
        ----------
        q_pi : array, optional
            What infer_policies returned, and nothing else.
        rng_key : None
            Not supported; see seed.

        Returns
        -------
        array (n_factor)
            The action as floats, as pymdp has it; in a graph world the two edges.
        """
        if rng_key is not None:
            raise NotImplementedError("rng_key is not supported by Sonde; give the Agent a seed")
        if q_pi is not None and (self.q_pi is None or not np.array_equal(q_pi, self.q_pi)):
            raise NotImplementedError("sample_action takes what infer_policies returned, no other "
                                      "q_pi")
        number = _sonde.agent_act(self._handle) if self._searched else -1
        if number < 0:
            raise BadInput("the agent has not searched yet: call infer_policies first")
        self._number = number
        self.action = np.array(self.model.action_tuple(number), dtype=np.float64)
        self.step_time()
        return self.action

    def step_time(self) -> int:
        """Counts a step; sample_action does that.

        Returns
        -------
        int
            Steps so far.
        """
        self.prev_actions = [*(self.prev_actions or []), self.action]
        self.curr_timestep += 1
        return self.curr_timestep

    def update_empirical_prior(self, action: Action, qs: Belief | None = None) -> Objects:
        """Predicts what an action will bring. Hand it to infer_states as empirical_prior, as in
        pymdp 1.0; the agent does so by itself otherwise.

        Parameters
        ----------
        action : array (n_factor)
            What sample_action returned.
        qs : array or list of arrays, optional
            What is believed before; what the agent believes unless given.

        Returns
        -------
        array of objects
            What is expected, (states) for each factor.
        """
        belief = self._belief() if qs is None else self.model.belief(qs)
        number = self.model.action_number(integers(action, "action").reshape(-1))
        return object_beliefs(self.model, self.model.predict(belief, number))

    def step(self, observation: Outcomes | Sequence[npt.ArrayLike]) -> Floats:
        """Observes, searches and acts, and lists nothing about policies.

        Parameters
        ----------
        observation : list of int, str or vectors
            As infer_states takes it.

        Returns
        -------
        array (n_factor)
            The action, as sample_action gives it.
        """
        self.infer_states(observation)
        self.decide()
        return self.sample_action()

    def _no_learning(self, *_: object, **__: object) -> None:
        """Not supported: Sonde does not learn."""
        raise NotImplementedError("learning is not supported by Sonde")

    update_A = update_B = update_D = infer_parameters = _no_learning

    def __repr__(self) -> str:
        search = _sonde.agent_setup(self._handle)["search"]
        return (f"<sonde.pymdp.Agent: search {search}, gamma {self.gamma:g}, "
                f"{self.action_selection}, {self.sampling_mode}; step {self.curr_timestep} in "
                f"{self.model!r}>")


# ------------------------------------------------------------------------------- pymdp's agents --

class LegacyAgent(Protocol):
    """What pymdp's legacy agents have."""

    A: Sequence[Array]
    B: Sequence[Array]
    C: Sequence[Array]
    D: Sequence[Array]
    E: Array | None
    gamma: float
    policies: Sequence[Array]
    A_factor_list: Sequence[Sequence[int]]
    B_factor_list: Sequence[Sequence[int]]


class NewAgent(Protocol):
    """What pymdp 1.0's agents have: arrays of JAX, with an axis for a batch of agents."""

    A: Sequence[Array]
    B: Sequence[Array]
    C: Sequence[Array]
    D: Sequence[Array]
    E: Array | None
    gamma: Array
    policies: Any
    A_dependencies: Sequence[Sequence[int]]
    B_dependencies: Sequence[Sequence[int]]


def _normal(array: npt.ArrayLike) -> Floats:
    """Single precision sums to 1 less closely than the library wants, so its columns are divided by
    their sums here; what is further off than that is left for the library to find."""
    given = np.asarray(array)
    made = np.asarray(given, dtype=np.float64)
    if given.dtype == np.float64:
        return made
    total = made.sum(axis=0, keepdims=True)
    return made / total if np.all(np.abs(total - 1.0) < 1e-4) else made


def _is_product(policies: Array, controls: list[int]) -> bool:
    """Whether policies (n, T, n_factor) are all sequences of actions, the last fastest."""
    n, length, _ = policies.shape
    if float(np.prod(controls, dtype=float)) ** length != n:
        return False
    every = np.indices((*controls,) * length).reshape(length * len(controls), -1).T
    return np.array_equal(every.reshape(policies.shape), policies)


def _model_like(package: str, A: Sequence[Array], B: Sequence[Array], C: Sequence[Array],
                D: Sequence[Array], E: Array | None, policies: Array,
                A_depends: Sequence[Sequence[int]], B_depends: Sequence[Sequence[int]],
                gamma: float, listed: bool = False) -> Model:
    """A model with the conventions of a package."""
    habits = like(package)
    Bs = [_normal(b) for b in B]
    even = E is None or np.ptp(E) <= 1e-6 * np.max(E)
    whole = even and not listed and _is_product(policies, [b.shape[-1] for b in Bs])
    Cs = [np.asarray(c, dtype=np.float64) for c in C]
    if any(c.ndim == 2 for c in Cs):
        Cs = [c if c.ndim == 2 else np.tile(c, (policies.shape[1], 1)) for c in Cs]
    return Model([_normal(a) for a in A], Bs, Cs, [_normal(d) for d in D],
                 horizon=policies.shape[1], policies="all" if whole else policies,
                 E=None if even else np.asarray(E, dtype=np.float64),
                 factors=[{"depends": [int(i) for i in one]} for one in B_depends],
                 modalities=[{"factors": [int(i) for i in one]} for one in A_depends],
                 preferences=habits["preferences"], information=habits["information"], gamma=gamma)


def from_pymdp(agent: LegacyAgent | NewAgent, batch: int = 0) -> Model:
    """Makes a model of a pymdp agent, legacy or 1.0, with that package's conventions.

    Policies become "all" where they are the full product of actions (so that every search applies),
    otherwise a list; gamma and E come along. Agents that learn, or that have terms Sonde does not
    score (inductive inference, parameter information gain), are refused.

    Parameters
    ----------
    agent : pymdp's Agent
        The agent.
    batch : int
        Which of a batch of agents (1.0).

    Returns
    -------
    Model
        The model.
    """
    for name in ("use_param_info_gain", "use_inductive", "sophisticated"):
        if getattr(agent, name, False):
            raise NotImplementedError(f"{name} is not supported by Sonde")
    for name in ("use_utility", "use_states_info_gain"):
        if not getattr(agent, name, True):
            raise NotImplementedError(f"{name}=False is not supported by Sonde")
    if hasattr(agent, "A_dependencies"):
        return _from_new(cast(NewAgent, agent), batch)
    return _from_legacy(agent)


def _from_new(agent: NewAgent, batch: int) -> Model:
    A, B, C, D = ([np.asarray(array)[batch] for array in arrays]
                  for arrays in (agent.A, agent.B, agent.C, agent.D))
    policies = np.asarray(getattr(agent.policies, "policy_arr", agent.policies))
    E = None if agent.E is None else np.asarray(agent.E)[batch]
    gamma = float(np.broadcast_to(np.asarray(agent.gamma), (batch + 1,))[batch])
    return _model_like("pymdp", A, B, C, D, E, policies, agent.A_dependencies,
                       agent.B_dependencies, gamma)


def _from_legacy(agent: LegacyAgent) -> Model:
    policies = np.stack([np.asarray(policy) for policy in agent.policies])
    C = [np.asarray(c).T for c in agent.C]
    return _model_like("pymdp-legacy", list(agent.A), list(agent.B), C, list(agent.D),
                       None if agent.E is None else np.asarray(agent.E), policies,
                       agent.A_factor_list, agent.B_factor_list, float(agent.gamma))


# what the last model for the plug-in was made of, and it
_last: tuple[list[Array], list[list[list[int]]], Model] | None = None


def _remembered(arrays: list[Array], policies: Array, agent: NewAgent) -> Model:
    """The model of one batch element, made again only if an array has changed."""
    n_A, n_B = len(agent.A), len(agent.B)
    global _last
    given = [policies, *arrays]
    depends = [[list(map(int, one)) for one in lists]
               for lists in (agent.A_dependencies, agent.B_dependencies)]
    if _last is not None:
        before, related, model = _last
        if related == depends and len(before) == len(given) \
                and all(map(np.array_equal, before, given)):
            return model
    *parts, E, gamma = arrays
    A, B, C, D = (parts[:n_A], parts[n_A:n_A + n_B], parts[n_A + n_B:2 * n_A + n_B],
                  parts[2 * n_A + n_B:])
    model = _model_like("pymdp", A, B, C, D, E, policies, agent.A_dependencies,
                        agent.B_dependencies, float(gamma), listed=True)
    _last = [array.copy() for array in given], depends, model
    return model


def policy_search(agent: NewAgent, qs: Sequence[JaxArray], key: object = None,
                  **settings: Unpack[SearchSettings]) -> tuple[JaxArray, dict[str, JaxArray]]:
    """Searches for pymdp 1.0, as its policy_search: (agent, qs, key) -> (q_pi, info). It works
    inside jit and scan (through jax.pure_callback).

    Parameters
    ----------
    agent : pymdp's Agent
        An agent of pymdp 1.0.
    qs : list of arrays (batch, time, states)
        What is believed, of each factor.
    key : optional
        Not used: searches draw from seed=.
    **settings : SearchSettings
        The settings of sonde.plan; the search is "full" where none of them means another.

    Returns
    -------
    q_pi : array (batch, policies)
        The posterior over agent.policies.
    info : dict
        neg_efe, of the same shape.

    Examples
    --------
    >>> rollout(agent, env, num_timesteps, key, policy_search=sonde.policy_search)
    >>> partial(sonde.policy_search, search="cluster", k=12)       # with another search
    """
    import jax
    import jax.numpy as jnp

    policies = getattr(agent.policies, "policy_arr", agent.policies)
    n_batch, n_policy = qs[0].shape[0], policies.shape[0]
    shape = jax.ShapeDtypeStruct((n_batch, n_policy), jnp.result_type(float))
    E = agent.E if agent.E is not None else jnp.ones((n_batch, n_policy)) / n_policy
    gamma = jnp.broadcast_to(jnp.asarray(agent.gamma), (n_batch,))
    searching: Document = dict(settings)

    def decide(listed: npt.ArrayLike, arrays: Sequence[npt.ArrayLike],
               beliefs: Sequence[npt.ArrayLike]) -> tuple[Array, Array]:
        given = [np.asarray(array) for array in arrays]
        believed = [np.asarray(belief) for belief in beliefs]
        q_pi, neg_efe = (np.empty(shape.shape, shape.dtype) for _ in range(2))
        for b in range(n_batch):
            model = _remembered([array[b] for array in given], np.asarray(listed), agent)
            searcher = Agent(model=model, threads=1, **searching)
            q_pi[b], neg_efe[b] = searcher.infer_policies([_normal(q[b]) for q in believed])
        return q_pi, neg_efe

    arrays = [*agent.A, *agent.B, *agent.C, *agent.D, E, gamma]
    q_pi, neg_efe = jax.pure_callback(decide, (shape, shape), policies, arrays,
                                      [q[:, -1] for q in qs])
    return q_pi, {"neg_efe": neg_efe}
