"""An agent that speaks pymdp's verbs."""
from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from . import _sonde
from ._arrays import Progress, frozen, integers, is_single, objects, run_of, several, view
from ._model import LISTED_MOST, Model, as_model, object_beliefs
from ._plan import Explanation, Plan, settled


def _one_hot(value: Any, n: int) -> int:
    """The outcome that a vector with a single 1 stands for."""
    array = np.asarray(value, dtype=np.float64).reshape(-1)
    if len(array) != n or np.count_nonzero(array) != 1 or array.max() != 1.0:
        raise ValueError(f"observation: expected an outcome from 0 to {n - 1}, or a vector with "
                         f"one 1 among {n}, found {value!r}; distributions are not supported")
    return int(np.argmax(array))


class Agent:
    """An active inference agent, with the verbs, arguments and defaults of pymdp's legacy Agent.

        >>> agent = sonde.Agent(A=A, B=B, C=C, D=D, policy_len=4, search="full")
        >>> qs = agent.infer_states([3, 0])            # array of objects, one belief per factor
        >>> q_pi, neg_efe = agent.infer_policies()     # (policies,) each; neg_efe = -G
        >>> action = agent.sample_action()             # (n_factor,)

    Arguments, as in pymdp: A, B, C, D, E, policy_len, policies, num_controls, control_fac_idx,
    A_factor_list, B_factor_list, gamma = 16, alpha = 16, action_selection = "deterministic" or
    "stochastic", sampling_mode = "marginal" or "full", save_belief_hist. C is (outcomes) or
    (outcomes, policy_len) per modality. What pymdp has and Sonde does not (learning with pA, pB,
    pD, parameter information gain, inductive or sophisticated inference, MMP) raises
    NotImplementedError.

    Of Sonde: search and the other settings of SearchSettings (where none of them means another
    search, it is "full" here), information ("joint", or
    "per-modality" as in pymdp 1.0), model= instead of arrays (with the model's gamma, information
    and policies), threads, memory, seed. Ties go to the lowest action, where pymdp draws one.
    """

    def __init__(self, A: Any = None, B: Any = None, C: Any = None, D: Any = None, E: Any = None,
                 H: Any = None, pA: Any = None, pB: Any = None, pD: Any = None,
                 num_controls: Any = None, policy_len: int | None = None,
                 inference_horizon: int = 1,
                 control_fac_idx: Any = None, policies: Any = None, gamma: float | None = None,
                 alpha: float = 16.0, use_utility: bool = True, use_states_info_gain: bool = True,
                 use_param_info_gain: bool = False, action_selection: str = "deterministic",
                 sampling_mode: str = "marginal", inference_algo: str | None = "VANILLA",
                 inference_params: Any = None, modalities_to_learn: Any = "all", lr_pA: float = 1.0,
                 factors_to_learn: Any = "all", lr_pB: float = 1.0, lr_pD: float = 1.0,
                 use_BMA: bool = True, policy_sep_prior: bool = False,
                 save_belief_hist: bool = False, A_factor_list: Any = None,
                 B_factor_list: Any = None, sophisticated: bool = False, si_horizon: int = 3,
                 si_policy_prune_threshold: float = 1 / 16,
                 si_state_prune_threshold: float = 1 / 16,
                 si_prune_penalty: float = 512, ii_depth: int = 10, ii_threshold: float = 1 / 16, *,
                 model: Any = None, search: str | None = None, information: str | None = None,
                 threads: int | None = None, memory: int | str | None = None, **settings: Any):
        given = dict(locals())
        self._refuse(given)
        if model is None:
            model = self._model(given)
        else:
            self._only_model(given)
            model = as_model(model)
            gamma = model.gamma if gamma is None else gamma
        gamma = 16.0 if gamma is None else gamma
        self.model: Model = model
        self.policy_len = model.horizon
        self.gamma, self.alpha = gamma, alpha
        self.action_selection, self.sampling_mode = action_selection, sampling_mode
        rule = self._rule(action_selection, sampling_mode, alpha)
        for key in ("action", "per_factor"):
            if key in settings:
                raise TypeError(f"Agent: {key} is settled by action_selection and sampling_mode")
        if model.graph:
            rule.pop("per_factor")
        self._n_search = 0
        self._settings = settled({"search": search, "gamma": gamma, **rule, **settings}, "full",
                                 bool(model.graph))
        self._handle = _sonde.agent_new(model._policies, self._settings,
                                        run_of(threads, memory, None))
        self._threads = threads
        if save_belief_hist:
            self.qs_hist: list[Any] = []
            self.q_pi_hist: list[Any] = []
        self.reset()

    # ------------------------------------------------------------------------------ arguments --

    @classmethod
    def _refuse(cls, given: dict[str, Any]) -> None:
        """Raises for whatever pymdp would do and Sonde does not."""
        unsupported = ("H", "pA", "pB", "pD", "inference_horizon", "use_utility",
                       "use_states_info_gain", "use_param_info_gain", "modalities_to_learn",
                       "lr_pA",
                       "factors_to_learn", "lr_pB", "lr_pD", "use_BMA", "policy_sep_prior",
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
    def _only_model(given: dict[str, Any]) -> None:
        for name in ("A", "B", "C", "D", "E", "policy_len", "policies", "num_controls",
                     "control_fac_idx", "A_factor_list", "B_factor_list", "information"):
            if given[name] is not None:
                raise TypeError(f"Agent: give model, or {name}, not both")

    @staticmethod
    def _model(given: dict[str, Any]) -> Model:
        A, B = given["A"], given["B"]
        if A is None or B is None:
            raise TypeError("Agent: A and B are needed, or a model")
        B = several(B)
        n_factor = len(B)
        policies = given["policies"]
        length = given["policy_len"]
        if policies is not None:
            policies = np.stack([np.asarray(policy) for policy in policies])
            if policies.ndim == 2:
                policies = policies[:, None, :]
            length = policies.shape[1] if length is None else length
        length = 1 if length is None else length
        controls = [np.shape(b)[-1] for b in B]
        if given["num_controls"] is not None and list(given["num_controls"]) != controls:
            raise ValueError(f"num_controls: expected {controls}, as in B, found "
                             f"{list(given['num_controls'])}")
        fixed = given["control_fac_idx"]
        if fixed is not None:
            if any(f < 0 or f >= n_factor or controls[f] < 2 for f in fixed):
                raise ValueError(f"control_fac_idx: expected factors with several actions, found "
                                 f"{list(fixed)}")
            # what nobody controls keeps its first action
            if policies is None:
                B = [b if f in fixed else np.asarray(b)[..., :1] for f, b in enumerate(B)]
        preferences = given["C"]
        if preferences is not None:
            preferences = [np.asarray(c) for c in several(preferences)]
            preferences = [c.T if c.ndim == 2 else c for c in preferences]
            if len({c.ndim for c in preferences}) > 1:
                preferences = [c if c.ndim == 2 else np.tile(c, (length, 1)) for c in preferences]
        lists = {"factors": None, "modalities": None}
        if given["B_factor_list"] is not None:
            lists["factors"] = [{"depends": list(one)} for one in given["B_factor_list"]]
        if given["A_factor_list"] is not None:
            lists["modalities"] = [{"factors": list(one)} for one in given["A_factor_list"]]
        return Model(A, B, preferences, given["D"], horizon=length,
                     policies="all" if policies is None else policies,
                     E=given["E"] if policies is not None else Agent._habit(given["E"]),
                     information=given["information"] or "joint",
                     gamma=16.0 if given["gamma"] is None else given["gamma"],
                     memory=given["memory"], **lists)

    @staticmethod
    def _habit(E: Any) -> None:
        if E is not None and np.ptp(np.asarray(E, dtype=float)) > 0:
            raise NotImplementedError("E without policies is not supported by Sonde; give the "
                                      "policies that E belongs to")

    @staticmethod
    def _rule(action_selection: str, sampling_mode: str, alpha: float) -> dict[str, Any]:
        if sampling_mode not in ("marginal", "full"):
            raise ValueError(f"sampling_mode: expected marginal or full, found {sampling_mode!r}")
        if action_selection not in ("deterministic", "stochastic"):
            raise ValueError(f"action_selection: expected deterministic or stochastic, found "
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

    A = property(lambda self: objects(self.model.A))
    B = property(lambda self: objects(self.model.B))
    C = property(lambda self: objects(self.model.C))
    D = property(lambda self: objects(self.model.D))
    num_states = property(lambda self: self.model.num_states)
    num_obs = property(lambda self: self.model.num_obs)
    num_controls = property(lambda self: self.model.num_controls)
    num_factors = property(lambda self: self.model.n_factor)
    num_modalities = property(lambda self: self.model.n_modality)

    @property
    def policies(self) -> list[np.ndarray]:
        """The policies that q_pi is about, each (policy_len, n_factor): all of them, or the best
        one found where there are more than a million."""
        if self.model._size(self.model._now(self._belief())[2]) > LISTED_MOST:
            return [self.plan.best_policy]
        return list(self.model.policies(belief=self._belief()))

    @property
    def plan(self) -> Plan:
        """The last decision, as sonde.plan gives it; it holds until the agent searches again."""
        if not self._searched:
            raise ValueError("the agent has not searched yet")
        return self._plan()

    def explain(self) -> Explanation:
        """Why the last decision is what it is; see Plan.explain."""
        return self.plan.explain()

    def _plan(self) -> Plan:
        count = self._n_search
        return Plan(self.model, self._handle, self._number, lambda: self._n_search == count)

    @property
    def surprise(self) -> float:
        """How unexpected the last outcomes were, in nats."""
        return _sonde.agent_belief(self._handle, np.empty(self.model.n_belief))

    @property
    def setup(self) -> dict[str, Any]:
        """What its clusters have cost so far."""
        return _sonde.agent_setup(self._handle)

    def _belief(self) -> np.ndarray:
        out = np.empty(self.model.n_belief)
        _sonde.agent_belief(self._handle, out)
        return out

    # ---------------------------------------------------------------------------------- verbs --

    def reset(self, init_qs: Any = None) -> np.ndarray:
        """Back to the initial belief, or to another, and to the beginning of time."""
        _sonde.agent_reset(self._handle)
        if init_qs is not None:
            _sonde.agent_believe(self._handle, self.model.belief(init_qs))
        self.curr_timestep = 0
        self.action: np.ndarray | None = None
        self.prev_actions: list[Any] | None = None
        self.q_pi: np.ndarray | None = None
        self.G: np.ndarray | None = None
        self._number = -1
        self._n_search += 1
        self._searched = False
        self.qs = object_beliefs(self.model, self._belief())
        return self.qs

    def infer_states(self, observation: Any, empirical_prior: Any = None,
                     distr_obs: bool = False) -> np.ndarray:
        """Takes in an outcome of each modality, and returns what is believed now: an array of
        objects, (states) for each factor.

        The prior is D at first and the prediction of the last action later, or empirical_prior
        where it is given. Outcomes may be numbers, names, or vectors with a single 1.
        """
        if isinstance(empirical_prior, (bool, np.bool_)):
            empirical_prior, distr_obs = None, bool(empirical_prior)
        if distr_obs:
            raise NotImplementedError("distr_obs=True is not supported by Sonde")
        outcome = self._outcome(observation)
        if empirical_prior is not None:
            _sonde.agent_believe(self._handle, self.model.belief(empirical_prior))
        _sonde.agent_observe(self._handle, outcome)
        self.qs = object_beliefs(self.model, self._belief())
        if hasattr(self, "qs_hist"):
            self.qs_hist.append(self.qs)
        return self.qs

    def _outcome(self, observation: Any) -> np.ndarray:
        if self.model.graph:
            return self.model.outcomes(observation)
        if self.model.n_modality == 1 and np.size(observation) == self.model.num_obs[0] > 1:
            observation = [observation]
        if is_single(observation):
            observation = [observation]
        listed = [one if isinstance(one, str) or np.size(one) == 1 else _one_hot(one, n)
                  for one, n in zip(observation, self.model.num_obs)]
        if len(listed) != len(observation):
            raise ValueError(f"observation: expected {self.model.n_modality} outcomes, found "
                             f"{len(observation)}")
        return self.model.outcomes([one if isinstance(one, str) else np.asarray(one).reshape(-1)[0]
                                    for one in listed])

    def decide(self, progress: Progress | None = None) -> Plan:
        """Searches from what is believed now, without listing what every policy is worth."""
        _sonde.agent_search(self._handle, progress)
        self._searched = True
        self._n_search += 1
        self._number = -1
        return self._plan()

    def infer_policies(self, qs: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Searches, and returns (q_pi, neg_efe), each (policies): the posterior, and -G.

        Where the search scored a part of the policies, the others have 0 and -inf. Where there
        are more than a million policies, there is one entry: the best policy found, and its share
        of the posterior over those scored; self.policies is that one. See decide() for the search
        alone.
        qs, as in pymdp 1.0, may be what infer_states returned.
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

    def _posterior(self) -> tuple[np.ndarray, np.ndarray]:
        fields = _sonde.decision_fields(self._handle)
        best, evidence = fields["best_efe"][0], fields["log_evidence"]
        gamma = self.setup["gamma"]
        origin = fields["origin"]
        n = self.model._size(origin)
        if n > LISTED_MOST:
            return np.array([np.exp(-gamma * best - evidence)]), np.array([-best])
        belief = self._belief()
        state = fields["state"] if self.model.graph else -1
        G = np.full(n, -np.inf)
        if "chosen" in fields:
            index = np.flatnonzero(view(fields["chosen"])[view(fields["label"])]).astype(np.uint64)
            if fields["cluster_policy"] is not None:
                index = np.sort(view(fields["cluster_policy"])[index])
            out = np.empty((len(index), 4))
            _sonde.efe_walks(self.model._handle, state, belief, self.model._walks(origin, index),
                             out, None, None)
            G[index] = -out[:, 0]
        else:
            out = np.empty(n)
            _sonde.efe_range(self.model._policies, state, belief, origin, 0, out,
                             run_of(self._threads, None, None))
            G = -out
        log_q = gamma * G
        if self.model.E is not None:
            with np.errstate(divide="ignore"):
                log_q = log_q + np.log(self.model.E)
        q = np.exp(log_q - log_q.max())
        return q / q.sum(), G

    def sample_action(self, q_pi: Any = None, rng_key: Any = None) -> np.ndarray:
        """Chooses an action and returns it, (n_factor) as floats, as pymdp does; in a graph
        world the two edges. q_pi may be what infer_policies returned; rng_key is not supported
        (see seed)."""
        if rng_key is not None:
            raise NotImplementedError("rng_key is not supported by Sonde; give the Agent a seed")
        if q_pi is not None and (self.q_pi is None or not np.array_equal(q_pi, self.q_pi)):
            raise NotImplementedError("sample_action takes what infer_policies returned, no other "
                                      "q_pi")
        number = _sonde.agent_act(self._handle) if self._searched else -1
        if number < 0:
            raise ValueError("the agent has not searched yet: call infer_policies first")
        self._number = number
        self.action = np.array(self.model.action_tuple(number), dtype=np.float64)
        self.step_time()
        return self.action

    def step_time(self) -> int:
        """Counts a step; sample_action does that."""
        self.prev_actions = [*(self.prev_actions or []), self.action]
        self.curr_timestep += 1
        return self.curr_timestep

    def update_empirical_prior(self, action: Any, qs: Any = None) -> np.ndarray:
        """What is expected after an action: an array of objects, (states) for each factor. Hand
        it to
        infer_states as empirical_prior, as in pymdp 1.0; the agent does so by itself otherwise."""
        belief = self._belief() if qs is None else self.model.belief(qs)
        number = self.model.action_number(integers(action, "action").reshape(-1))
        return object_beliefs(self.model, self.model.predict(belief, number))

    def step(self, observation: Any) -> np.ndarray:
        """Observes, searches and acts; returns the action. Lists nothing about policies."""
        self.infer_states(observation)
        self.decide()
        return self.sample_action()

    def _no_learning(self, *_: Any, **__: Any) -> None:
        """Not supported: Sonde does not learn."""
        raise NotImplementedError("learning is not supported by Sonde")

    update_A = update_B = update_D = infer_parameters = _no_learning

    def __repr__(self) -> str:
        return (f"<sonde.Agent: search {self._settings['search']}, gamma {self.gamma:g}, "
                f"{self.action_selection}, {self.sampling_mode}; step {self.curr_timestep} in "
                f"{self.model!r}>")
