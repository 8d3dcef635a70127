"""For those who come from pymdp: an agent with its arguments, verbs and defaults; its agents as
models; and a search of Sonde as its plug-in.

    >>> from sonde.pymdp import Agent            # instead of legacy pymdp's; 1.0's: like="pymdp"
    >>> agent = Agent(A=A, B=B, C=C, D=D, policy_len=4)
    >>> qs = agent.infer_states([3, 0])
    >>> q_pi, neg_efe = agent.infer_policies()
    >>> action = agent.sample_action()
"""
from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, Unpack, cast

import numpy as np
import numpy.typing as npt

from . import _sonde
from ._agent import memory_of, stream_of
from ._arrays import (columns, doubles, frozen, integers, objects, real, run_of, several, stacked,
                      view)
from ._graph import Graph
from ._model import LISTED_MOST, Model, as_model, object_beliefs
from ._own import Parts
from ._plan import Explanation, Plan
from ._settings import SearchSettings
from ._sonde import BadInput
from ._types import (Action, Array, Belief, Document, Floats, Ints, Memory, Objects, Outcomes,
                     Path, Progress, Seen, Tensors, Vectors)

if TYPE_CHECKING:
    from jax import Array as JaxArray

    from ._sonde import SetupFields

__all__ = ["Agent", "from_pymdp", "policy_search"]


# ------------------------------------------------------------------------------------ arguments --

_LEARNING = "call update_A and update_B where this agent is to learn, or let sonde.Agent learn"
_COUNTED = "make sonde.pymdp.Agent of its arrays and counts"
_INDUCTION = "Sonde does not plan backwards from goals"
_TREES = ("pymdp's tree search is a plan in closed loop here: sonde.plan(model, "
          "**sonde.like(\"pymdp-legacy\", loop=\"closed\"))")
_WINDOW = "Sonde infers the present state, not a window of past ones"

#: what agents of pymdp take and Sonde does not do: which package has the argument, the values that
#: ask for nothing, and why others are refused
REFUSED: dict[str, tuple[str, tuple[Any, ...], str]] = {
    **{name: ("1.0", (False,), _LEARNING)
       for name in ("learn_A", "learn_B", "learn_C", "learn_D", "learn_E")},
    "learning_mode": ("1.0", ("online",), _LEARNING),
    "H": ("both", (None,), _INDUCTION), "I": ("1.0", (None,), _INDUCTION),
    "use_inductive": ("1.0", (False,), _INDUCTION), "inductive_depth": ("1.0", (1,), _INDUCTION),
    "inductive_threshold": ("1.0", (0.1,), _INDUCTION),
    "inductive_epsilon": ("1.0", (1e-3,), _INDUCTION),
    "ii_depth": ("legacy", (10,), _INDUCTION), "ii_threshold": ("legacy", (1 / 16,), _INDUCTION),
    "sophisticated": ("legacy", (False,), _TREES), "si_horizon": ("legacy", (3,), _TREES),
    "si_policy_prune_threshold": ("legacy", (1 / 16,), _TREES),
    "si_state_prune_threshold": ("legacy", (1 / 16,), _TREES),
    "si_prune_penalty": ("legacy", (512,), _TREES),
    "inference_horizon": ("both", (None, 1), _WINDOW), "use_BMA": ("legacy", (True,), _WINDOW),
    "policy_sep_prior": ("legacy", (False,), _WINDOW),
    "inference_params": ("legacy", (None, {"num_iter": 10, "dF": 1.0, "dF_tol": 0.001}),
                         "Sonde infers with pymdp's defaults"),
    "num_iter": ("1.0", (16,), "Sonde infers with pymdp's 16 rounds"),
    "batch_size": ("1.0", (1,), "an agent is one agent; make several"),
    "preprocess_fn": ("1.0", (None,), "hand infer_states what the function returns"),
    "B_action_dependencies": ("1.0", (None,), "an action belongs to one factor; list policies in "
                              "which the factors' actions go together"),
}
#: what agents of pymdp learn from, and a model alone does not have
COUNTED: dict[str, tuple[str, tuple[Any, ...], str]] = {
    "pA": ("both", (None,), _COUNTED), "pB": ("both", (None,), _COUNTED),
    "pD": ("legacy", (None,), _COUNTED),
    "use_param_info_gain": ("both", (False,), _COUNTED),
}
#: what one of the packages alone takes, besides
_ONLY = {"A_dependencies": "1.0", "B_dependencies": "1.0", "categorical_obs": "1.0",
         "A_factor_list": "legacy", "B_factor_list": "legacy", "save_belief_hist": "legacy",
         "pA": "both", "pB": "both", "pD": "legacy", "use_param_info_gain": "both",
         "modalities_to_learn": "legacy", "factors_to_learn": "legacy", "lr_pA": "legacy",
         "lr_pB": "legacy", "lr_pD": "legacy"}

#: pymdp's words for the rules by which an action is chosen: action_selection, sampling_mode
_RULES = {"marginal": ("stochastic", "marginal"), "deterministic": ("deterministic", "marginal"),
          "best": ("deterministic", "full"), "full": ("stochastic", "full")}


def _is_one_of(value: Any, usual: tuple[Any, ...]) -> bool:
    plain = isinstance(value, (bool, int, float, str, dict, np.generic))
    return any(value is one or (plain and value == one) for one in usual)


def _refuse(given: Document, package: str) -> None:
    """Raises for arguments that the package does not have, or that Sonde does not do."""
    other = {"pymdp": "pymdp-legacy", "pymdp-legacy": "pymdp"}[package]
    version = {"pymdp": "1.0", "pymdp-legacy": "legacy"}
    for name, value in given.items():
        if name in REFUSED:
            whose, usual, reason = REFUSED[name]
            if not _is_one_of(value, usual):
                raise NotImplementedError(f"{name}={_brief(value)} is not supported: {reason}")
        else:
            whose = _ONLY.get(name, "both")
        if whose not in ("both", version[package]):
            raise TypeError(f"Agent: {name} is an argument of pymdp's {version[other]} Agent; this "
                            f"one is like {package!r}: give like={other!r}, or leave it out")


def _brief(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 and "\n" not in text else type(value).__name__


def _rule(action_selection: str, sampling_mode: str, alpha: float) -> Document:
    """Sonde's settings for pymdp's rule."""
    if sampling_mode not in ("marginal", "full"):
        raise BadInput(f"sampling_mode: expected marginal or full, found {sampling_mode!r}")
    if action_selection not in ("deterministic", "stochastic"):
        raise BadInput(f"action_selection: expected deterministic or stochastic, found "
                       f"{action_selection!r}")
    action = next(key for key, words in _RULES.items()
                  if words == (action_selection, sampling_mode))
    rule: Document = {"action": action, "per_factor": sampling_mode == "marginal"}
    # alpha is of the rules that draw
    if action == "marginal":
        rule["alpha"] = float(alpha)
    elif action == "full" and alpha != 1.0:
        raise NotImplementedError(f"alpha={alpha} with sampling_mode full is not supported: pymdp "
                                  f"draws policies as Q(policy)**alpha, Sonde as probable as they "
                                  f"are; give alpha=1")
    return rule


def _weights(use_utility: bool, use_states_info_gain: bool) -> Document:
    """Sonde's settings for terms of G that are left out."""
    return {**({} if use_utility else {"weight_utility": 0.0}),
            **({} if use_states_info_gain else {"weight_information": 0.0})}


def _unbatched(arrays: Any, n_axis: Sequence[int] | None = None) -> list[Any]:
    """Arrays without the axis that pymdp 1.0 has for a batch, of one agent."""
    made: list[Array] = [np.asarray(array) for array in arrays]
    return [array[0] if array.ndim > n and len(array) == 1 else array
            for array, n in zip(made, n_axis or [1] * len(made))]


#: what an agent does not change any more
_SETTLED = {"like", "policy_len", "gamma", "alpha", "action_selection", "sampling_mode", "model"}


class Agent:
    """An active inference agent, with the verbs, arguments and defaults of pymdp's Agents: the
    legacy one, or with like="pymdp" that of pymdp 1.0.

    With counts (pA, pB, pD) it learns when it is told to: update_A, update_B and update_D, by the
    rules of legacy pymdp, or with like="pymdp" those of 1.0, in which counts of 0 grow.

    An argument of theirs that is not below (inductive and sophisticated inference, MMP,
    ...) may be given with the value that asks for nothing; any other value raises
    NotImplementedError, which names it and says why. Ties go to the lowest action, where legacy
    pymdp draws one.

    Parameters
    ----------
    A, B, C, D : arrays
        The model. C is (outcomes) per modality, or (outcomes, policy_len), in pymdp 1.0
        (policy_len, outcomes). A batch axis of one agent, as pymdp 1.0 has it, is dropped.
    E : array (policies), optional
        Prior of the policies.
    like : str
        Whose arguments, defaults and conventions: "pymdp-legacy" (0.0.x) or "pymdp" (1.0).
    num_controls : list of int, optional
        Actions of each factor, as in B.
    policy_len : int, optional
        Steps in a policy; 1, or that of the policies, unless given.
    control_fac_idx : list of int, optional
        The factors that are controlled. It restricts nothing, as in pymdp.
    policies : list of arrays (policy_len, n_factor), optional
        All there are; every sequence unless given.
    gamma : float, optional
        Precision of the posterior over policies; 16, 1 in pymdp 1.0, or the model's.
    alpha : float, optional
        Precision of the choice of an action from marginals; 16, or 1 in pymdp 1.0.
    use_utility, use_states_info_gain : bool
        Whether preferences, and whether information, count.
    action_selection : str, optional
        "deterministic", unless "stochastic" is given.
    sampling_mode : str, optional
        "marginal" or "full"; the former is usual in legacy pymdp, the latter in 1.0.
    inference_algo : str, optional
        "VANILLA", or "fpi" in pymdp 1.0.
    model : Model, Graph or path, optional
        Instead of arrays; with the model's gamma, information and policies, and with the choice of
        actions of the agent that from_pymdp made it of.
    search : str, optional
        One of sonde.searches(); "full" where no setting means another.
    information : str, optional
        "joint" in legacy pymdp and "per-modality" in 1.0 unless given; the legacy Agent inside
        pymdp 1.0 has "per-modality", too.
    seed : int, optional
        Of what is drawn; unless given one that NumPy's global generator draws.
    pymdp_reset : bool
        Whether `reset` keeps the last action, as pymdp's does: the next prior is then B of that
        action times an even belief, and not D.
    threads : int, optional
        How many; None: one for each core. Changes no number.
    memory : int or str, optional
        The most to ask for at once: bytes, or a text such as "500M".
    **more
        pA, pB, pD (counts), use_param_info_gain, lr_pA, lr_pB, lr_pD, modalities_to_learn and
        factors_to_learn, A_factor_list, B_factor_list and save_belief_hist (legacy),
        A_dependencies, B_dependencies
        and categorical_obs (1.0), pymdp's other arguments, and other settings of sonde.plan but
        for action and per_factor.

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
                 E: npt.ArrayLike | None = None, *, like: str = "pymdp-legacy",
                 num_controls: Sequence[int] | None = None, policy_len: int | None = None,
                 control_fac_idx: Sequence[int] | None = None,
                 policies: Sequence[npt.ArrayLike] | None = None, gamma: float | None = None,
                 alpha: float | None = None, use_utility: bool = True,
                 use_states_info_gain: bool = True, action_selection: str | None = None,
                 sampling_mode: str | None = None, inference_algo: str | None = None,
                 model: Model | Graph | Path | None = None, search: str | None = None,
                 information: str | None = None, seed: int | None = None,
                 pymdp_reset: bool = False, threads: int | None = None, memory: Memory = None,
                 **more: Any):
        self._pymdp_reset = pymdp_reset
        if like not in ("pymdp", "pymdp-legacy"):
            raise BadInput(f"like: expected pymdp or pymdp-legacy, found {like!r}")
        gamma = None if gamma is None else real(gamma, "gamma")
        foreign = {key: more.pop(key) for key in [*more] if key in REFUSED or key in _ONLY}
        _refuse(foreign, like)
        self._check_algorithm(inference_algo, like)
        given = {**dict.fromkeys(_ONLY), **foreign, "A": A, "B": B, "C": C, "D": D, "E": E,
                 "num_controls": num_controls, "policy_len": policy_len, "policies": policies,
                 "control_fac_idx": control_fac_idx, "gamma": gamma, "information": information,
                 "memory": memory, "like": like}
        if model is None:
            known = self._model(given)
        else:
            self._only_model(given)
            known = as_model(model)
        for key in ("action", "per_factor"):
            if key in more:
                raise TypeError(f"Agent: {key} is settled by action_selection and sampling_mode")
        usual = self._usual(like, known._settings)
        self.like, self.policy_len = like, known.horizon
        self.gamma = (known.gamma if model is not None else usual["gamma"]) if gamma is None \
            else gamma
        self.alpha = usual["alpha"] if alpha is None else real(alpha, "alpha")
        self.action_selection = action_selection or usual["action_selection"]
        self.sampling_mode = sampling_mode or usual["sampling_mode"]
        self._arrays: Document = given
        novelty = ("inverse" if like == "pymdp-legacy" else "product") \
            if foreign.get("use_param_info_gain") else None
        counted = model is not None or any(foreign.get(p) is not None for p in ("pA", "pB"))
        if like == "pymdp-legacy" and not counted:
            novelty = None  # 0.0.7 gains nothing then; 1.0 refuses it, and so does Sonde
        settings = {"inference": like, **self._kept(known), "search": search, "gamma": self.gamma,
                    "seed": int(np.random.randint(2**31)) if seed is None else seed,
                    **({} if novelty is None else {"novelty": novelty}),
                    **_weights(use_utility, use_states_info_gain), **more,
                    **_rule(self.action_selection, self.sampling_mode, self.alpha)}
        if known.graph:
            settings = {key: value for key, value in settings.items()
                        if key not in ("per_factor", "inference")}
        self._make(known, settings, (threads, memory))
        if foreign.get("save_belief_hist"):
            self.qs_hist: list[Objects] = []
            self.q_pi_hist: list[Floats] = []
        self.reset()

    def _make(self, model: Model, settings: Document, run: tuple[int | None, Memory]) -> None:
        self.__dict__.pop("model", None)  # what was learned makes another
        self.model, self._given = model, (model, settings, run)
        self._threads = run[0]
        self._n_search = 0
        self._trial = -1  # of reset; each has streams of its own
        self._parts = Parts(model, settings, run_of(*run, None))
        self._handle = _sonde.agent_new(model._policies, self._parts.settings, run_of(*run, None),
                                        "full")
        utility, information, cost, nu_A, nu_B = (
            1.0 if settings.get(key) is None else float(settings[key])
            for key in ("weight_utility", "weight_information", "weight_cost", "nu_A", "nu_B"))
        self._policies = _sonde.policies_weigh(model._policies, utility, information, cost,
                                               settings.get("novelty") or "none", nu_A, nu_B)

    @staticmethod
    def _usual(package: str, settings: Document) -> Document:
        """What is chosen where nothing is given: the package's conventions, or what a model knows
        of the agent that it was made of."""
        found: Document = dict(_sonde.like(package, False))
        if "per_factor" in settings:
            found |= ({"alpha": 1.0} if settings["action"] == "full" else {}) | settings
        found["action_selection"], found["sampling_mode"] = _RULES[found["action"]]
        return found

    @staticmethod
    def _kept(model: Model) -> Document:
        """What a model knows of inference and weights."""
        return {key: value for key, value in model._settings.items()
                if key not in ("action", "alpha", "per_factor")}

    @staticmethod
    def _check_algorithm(algorithm: str | None, package: str) -> None:
        usual = {"pymdp": "fpi", "pymdp-legacy": "VANILLA"}[package]
        if algorithm not in (None, usual):
            raise NotImplementedError(f"inference_algo={algorithm!r} is not supported: {_WINDOW}; "
                                      f"{usual} is")

    @staticmethod
    def _only_model(given: Document) -> None:
        for name in ("A", "B", "C", "D", "E", "policy_len", "policies", "num_controls",
                     "control_fac_idx", "A_factor_list", "B_factor_list", "A_dependencies",
                     "B_dependencies", "information"):
            if given[name] is not None:
                raise TypeError(f"Agent: give model, or {name}, not both")

    @staticmethod
    def _model(given: Document) -> Model:
        """The model that pymdp's arguments describe."""
        if given["A"] is None or given["B"] is None:
            raise TypeError("Agent: A and B are needed, or a model")
        new = given["like"] == "pymdp"
        habits = _sonde.like(given["like"], False)
        A_list = given["A_dependencies" if new else "A_factor_list"]
        B_list = given["B_dependencies" if new else "B_factor_list"]
        B = several(given["B"], 3)
        n_axis = [3] * len(B) if B_list is None else [2 + len(one) for one in B_list]
        if new:
            B = _unbatched(B, n_axis)
        A = several(given["A"], 1 + len(B))
        if new:
            A = _unbatched(A, [1 + len(B)] * len(A) if A_list is None
                           else [1 + len(one) for one in A_list])
        policies, length = Agent._listed(given, B)
        counts = {letter: None if given[f"p{letter}"] is None
                  else [None if one is None else np.asarray(one, dtype=np.float64)
                        for one in _unbatched(several(given[f"p{letter}"], np.ndim(arrays[0])),
                                              [np.ndim(one) for one in arrays])]
                  for letter, arrays in (("A", A), ("B", B),
                                         ("D", [np.empty(1)] * len(B)))}
        return Model(A, B, Agent._preferences(given["C"], A, length, new), Agent._initial(given),
                     horizon=length, policies="all" if policies is None else policies,
                     E=None if policies is None or given["E"] is None
                     else Agent._habits(given["E"], new),
                     information=given["information"] or habits["information"],
                     preferences=habits["preferences"],
                     gamma=habits["gamma"] if given["gamma"] is None else given["gamma"],
                     factors=None if B_list is None else [{"depends": list(one)} for one in B_list],
                     modalities=None if A_list is None else [{"factors": list(one)}
                                                             for one in A_list],
                     counts=counts, keep_given=True, memory=given["memory"])

    @staticmethod
    def _habits(given: npt.ArrayLike, new: bool) -> Array:
        """E of the policies; 1.0's logarithm takes 2^-52 for less, so that 0 forbids nothing."""
        E = np.asarray(given, dtype=np.float64).reshape(-1)
        return np.where((E >= 0) & (E < 2.0 ** -52) & new, 2.0 ** -52, E)

    @staticmethod
    def _initial(given: Document) -> Any:
        if given["D"] is None or given["like"] != "pymdp":
            return given["D"]
        return _unbatched(several(given["D"]))

    @staticmethod
    def _listed(given: Document, B: list[Any]) -> tuple[Array | None, int]:
        """Policies (n, steps, n_factor), where they are listed or have a prior, and their steps."""
        controls = [int(np.shape(b)[-1]) for b in B]
        Agent._check_controls(given, controls)
        policies: Any = given["policies"]
        length = given["policy_len"]
        if policies is not None:
            listed = stacked(getattr(policies, "policy_arr", policies))
            listed = listed[:, None, :] if listed.ndim == 2 else listed
            return listed, listed.shape[1] if length is None else length
        length = 1 if length is None else length
        if given["E"] is None:
            return None, length
        E = doubles(given["E"], "E")
        if E.size > 0 and np.ptp(E) != 0:
            return _product(controls, length), length
        # even habits are none
        n = float(np.prod(controls, dtype=float)) ** length
        if E.size != n:
            raise BadInput(f"E: expected a number for each of the {n:,.0f} policies, found "
                           f"{E.size:,}")
        if not (E.flat[0] > 0 or (E.flat[0] == 0 and given["like"] == "pymdp")):
            raise BadInput(f"E: expected numbers from 0 on with a positive sum, found "
                           f"{E.flat[0]:g} everywhere")
        return None, length

    @staticmethod
    def _check_controls(given: Document, controls: list[int]) -> None:
        if given["num_controls"] is not None and list(given["num_controls"]) != controls:
            raise BadInput(f"num_controls: expected {controls}, as in B, found "
                           f"{list(given['num_controls'])}")
        fixed = given["control_fac_idx"]
        if fixed is not None and any(f < 0 or f >= len(controls) or controls[f] < 2 for f in fixed):
            raise BadInput(f"control_fac_idx: expected factors with several actions, found "
                           f"{list(fixed)}")

    @staticmethod
    def _preferences(C: Vectors | None, A: list[Any], length: int, new: bool) -> list[Array]:
        """C as Sonde has it, (outcomes) or (steps, outcomes), for all modalities or for none."""
        if C is None:  # even preferences count in pymdp 1.0, a constant
            return [np.full(np.shape(a)[0], 1.0 / np.shape(a)[0] if new else 0.0) for a in A]
        made = [np.asarray(c, dtype=np.float64) for c in several(C)]
        # with a batch axis C has as many axes as steps would give it: it is one of 1
        made = [c[0] if c.ndim > 1 and len(c) == 1 else c for c in made] if new else [
            c.T for c in made]
        if len({c.ndim for c in made}) > 1:
            made = [c if c.ndim == 2 else np.tile(c, (length, 1)) for c in made]
        return made

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
        if self.model._size(self.model._now(self._belief())[1]) > LISTED_MOST:
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
        if self._copy is not None:
            return self._copy
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

    def reset(self, init_qs: Belief | None = None, *, trial: int | None = None) -> Objects:
        """Goes back to the initial belief, or to another, and to the beginning of time, and on to
        the next trial, which draws from streams of its own.

        Parameters
        ----------
        init_qs : array or list of arrays, optional
            What is believed now.
        trial : int, optional
            Which trial, from 0 on; 0 is that of a new agent. The next one unless given.

        Returns
        -------
        array of objects
            The belief, (states) for each factor.
        """
        kept = getattr(self, "_action", None) if self._pymdp_reset and init_qs is None else None
        self._trial = self._trial + 1 if trial is None else trial
        self._renew()
        _sonde.agent_reset(self._handle, stream_of(self._trial))
        self._first: Objects | None = None  # what was believed after the first outcomes
        if init_qs is not None:
            _sonde.agent_believe(self._handle, self.model.belief(init_qs))
        self.curr_timestep = 0
        self.prev_actions: list[Floats | None] | None = None
        self._action: Floats | None = None
        self._q_pi: Floats | None = None
        self._G: Floats | None = None
        self._number = -1
        self._n_search += 1
        self._searched = False
        self._copy: Plan | None = None  # the decision of the agent that this one is a copy of
        self._told = False  # an action or a belief was put in place of the agent's own
        self._qs = object_beliefs(self.model, self._belief())
        if kept is not None:
            self.qs = objects([np.full(n, 1.0 / n) for n in self.model.num_states])
            self.action = kept
        return self._qs

    @property
    def action(self) -> Floats | None:
        """The last action. Another may be put in its place: the agent then expects what that one
        brings, and with None begins again from D."""
        return self._action

    @action.setter
    def action(self, action: Action | None) -> None:
        if action is not None:
            given = integers(action, "action").reshape(-1)
            self.model.action_number(given)
            action = given.astype(np.float64)
        self._action, self._told = action, True

    @property
    def qs(self) -> Objects:
        """What is believed, (states) for each factor. Another belief may be put in its place."""
        return self._qs

    @qs.setter
    def qs(self, qs: Belief) -> None:
        _sonde.agent_believe(self._handle, self.model.belief(qs))
        self._qs, self._told = object_beliefs(self.model, self._belief()), True

    @property
    def q_pi(self) -> Floats | None:
        """The posterior that infer_policies returned, or None."""
        return self._q_pi

    @property
    def G(self) -> Floats | None:
        """-G of the policies, as infer_policies returned it, or None."""
        return self._G

    def __setattr__(self, name: str, value: object) -> None:
        if name in _SETTLED and name in self.__dict__:
            raise AttributeError(f"{name} is settled when an agent is made; make another agent")
        object.__setattr__(self, name, value)

    def __getstate__(self) -> Document:
        return self.__dict__ | {"_handle": memory_of(self._handle), "_policies": None,
                                "_copy": self._plan() if self._number >= 0 else None}

    def __setstate__(self, state: Document) -> None:
        self._make(*state["_given"])
        _sonde.agent_recall(self._handle, *state["_handle"])
        self.__dict__.update({key: value for key, value in state.items()
                              if key not in ("_handle", "_policies")})
        if self._searched and self._number < 0:  # it decides the same again
            self.decide()

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
        self._renew()
        if empirical_prior is None and self._told:
            empirical_prior = (self.D if self._action is None
                               else self.update_empirical_prior(self._action))
        if empirical_prior is not None:
            _sonde.agent_believe(self._handle, self.model.belief(empirical_prior))
        _sonde.agent_observe(self._handle, outcome)
        self._told = False
        self._qs = object_beliefs(self.model, self._belief())
        self._first = self._qs if self._first is None else self._first
        if hasattr(self, "qs_hist"):
            self.qs_hist.append(self._qs)
        return self._qs

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
        self._searched, self._copy = False, None
        self._renew()
        self._n_search += 1
        self._parts.ask(self._handle, progress)
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
        self._q_pi, self._G = frozen(q_pi), frozen(G)
        if hasattr(self, "q_pi_hist"):
            self.q_pi_hist.append(self._q_pi)
        return self._q_pi, self._G

    def _posterior(self) -> tuple[Floats, Floats]:
        fields = _sonde.decision_fields(self._handle)
        best, evidence = fields["best_efe"], fields["log_evidence"]
        gamma = self.setup["gamma"]
        origin = fields["origin"]
        n = self.model._size(origin)
        if n > LISTED_MOST:
            return np.array([self._habit(self.model._kind.taken([self.plan.best_policy]))[0]
                             * np.exp(-gamma * best - evidence)]), np.array([-best])
        belief = self._belief()
        G = np.full(int(n), -np.inf)
        if "chosen" in fields:
            index = np.flatnonzero(view(fields["chosen"])[view(fields["label"])]).astype(np.uint64)
            if fields["cluster_policy"] is not None:
                index = np.sort(view(fields["cluster_policy"])[index])
            out = np.empty((len(index), 1 + len(_sonde.TERMS)))
            _sonde.efe_walks(self._policies, belief, self.model._walks(origin, index),
                             out, None, None)
            G[index] = -out[:, 0]
        else:
            # the library does not keep what a search has scored, so everything is scored again
            out = np.empty(int(n))
            _sonde.efe_range(self._policies, belief, origin, 0, out,
                             run_of(self._threads, None, None))
            G = -out
        with np.errstate(divide="ignore"):
            log_q = gamma * G
            if self.model.E is not None:
                log_q = log_q + np.log(self.model.E)
            if self.model.habit is not None:
                log_q = log_q + np.log(self._habit(
                    self.model._walks(origin, np.arange(int(n), dtype=np.uint64))))
        q = np.exp(log_q - log_q.max())
        return q / q.sum(), G

    def _habit(self, walks: Ints) -> Floats:
        """How likely the first actions of policies are beforehand, as the library has these."""
        habit = self.model.habit
        return np.ones(len(walks)) if habit is None else habit[walks[:, 1]]

    def sample_action(self, q_pi: npt.ArrayLike | None = None,
                      rng_key: object = None) -> Floats:
        """Chooses an action.

        Parameters
        ----------
        q_pi : array, optional
            What infer_policies returned, and nothing else.
        rng_key : optional
            Not supported where an action is drawn, see seed; without effect where none is.

        Returns
        -------
        array (n_factor)
            The action as floats, as pymdp has it; in a graph world the two edges.
        """
        if rng_key is not None and self.action_selection == "stochastic":
            raise NotImplementedError("rng_key is not supported by Sonde; give the Agent a seed")
        if q_pi is not None and (self._q_pi is None or not np.array_equal(q_pi, self._q_pi)):
            raise NotImplementedError("sample_action takes what infer_policies returned, no other "
                                      "q_pi")
        number = _sonde.agent_act(self._handle) if self._searched else -1
        if number < 0:
            raise BadInput("the agent has not searched yet: call infer_policies first")
        self._number = number
        self._action = np.array(self.model.action_tuple(number), dtype=np.float64)
        self._told = False
        self._searched = self._searched and not self._stale
        self._renew()
        self.step_time()
        return self._action

    def step_time(self) -> int:
        """Counts a step; sample_action does that.

        Returns
        -------
        int
            Steps so far.
        """
        self.prev_actions = [*(self.prev_actions or []), self._action]
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

    # ------------------------------------------------------------------------------- learning --

    _stale = False  # arrays have been learned that the agent does not search with yet

    def _renew(self) -> None:
        """Takes over what was learned, once no decision is open that was made without it."""
        if self._stale and not (self._searched and self._number < 0):
            memory = memory_of(self._handle)
            self._make(self._model(self._arrays), *self._given[1:])
            _sonde.agent_recall(self._handle, *memory)
            self._stale = False
            self._told = self._told or self._action is not None  # the next prior has the new B

    def _learned(self, letter: str, counts: list[Any]) -> Objects:
        least = float(np.finfo(np.float64).eps) if self.like == "pymdp" else 0.0
        means = [c if p is None else np.maximum(p, least) / np.maximum(p, least).sum(axis=0)
                 for p, c in zip(counts, getattr(self, letter))]
        self._arrays = self._arrays | {letter: objects(means), f"p{letter}": objects(counts)}
        self._stale = True
        self._renew()
        return objects(counts)

    def _counts(self, letter: str) -> list[Any]:
        given = self._arrays[f"p{letter}"]
        if given is None:
            raise BadInput(f"update_{letter}: the agent has no counts; give it p{letter}")
        return [None if one is None else np.asarray(one, dtype=np.float64)
                for one in _unbatched(several(given, np.ndim(getattr(self, letter)[0])),
                                      [np.ndim(one) for one in getattr(self, letter)])]

    def _some(self, name: str, n: int) -> Sequence[int]:
        chosen = self._arrays[name]
        return range(n) if chosen is None or isinstance(chosen, str) else list(chosen)

    def _rate(self, name: str, given: float | None) -> float:
        given = self._arrays[name] if given is None else given
        return 1.0 if given is None else float(given)

    def _mask(self, array: Array) -> Array | float:
        return (array > 0).astype(np.float64) if self.like == "pymdp-legacy" else 1.0

    @property
    def pA(self) -> Objects | None:
        """Counts of A, an array of objects, or None."""
        return None if self._arrays["pA"] is None else objects(self._counts("A"))

    @property
    def pB(self) -> Objects | None:
        """Counts of B, an array of objects, or None."""
        return None if self._arrays["pB"] is None else objects(self._counts("B"))

    @property
    def pD(self) -> Objects | None:
        """Counts of D, an array of objects, or None."""
        return None if self._arrays["pD"] is None else objects(self._counts("D"))

    def update_A(self, obs: Outcomes | Sequence[npt.ArrayLike],
                 lr_pA: float | None = None) -> Objects:
        """Learns A of each modality from its outcome, in the states that are believed in.

        Parameters
        ----------
        obs : list of int, str or None
            What infer_states took in; None adds nothing.
        lr_pA : float, optional
            What an outcome counts; that of the agent unless given.

        Returns
        -------
        array of objects
            The counts, pA.
        """
        counts = self._counts("A")
        outcomes = np.asarray(self._outcome(obs)[0])
        for m in self._some("modalities_to_learn", self.model.n_modality):
            of = view(self.model._fields["modalities"][m]["factors"])
            joint = functools.reduce(np.multiply.outer, [self._qs[f] for f in of])
            if counts[m] is not None and outcomes[m] >= 0:
                seen = np.zeros(self.num_obs[m])
                seen[outcomes[m]] = 1.0
                counts[m] = counts[m] + self._rate("lr_pA", lr_pA) * np.multiply.outer(
                    seen, joint) * self._mask(self.A[m])
        return self._learned("A", counts)

    def update_B(self, qs_prev: Belief, lr_pB: float | None = None) -> Objects:
        """Learns B of each factor from what was believed before the last action and is now; after
        infer_states, and before sample_action.

        Parameters
        ----------
        qs_prev : list of arrays
            What was believed before the action.
        lr_pB : float, optional
            What a transition counts; that of the agent unless given.

        Returns
        -------
        array of objects
            The counts, pB.
        """
        counts = self._counts("B")
        before = object_beliefs(self.model, self.model.belief(qs_prev))
        if self._action is None:
            raise BadInput("update_B: no action has been taken that could have led here")
        for f in self._some("factors_to_learn", self.model.n_factor):
            depends = view(self.model._fields["factors"][f]["depends"])
            joint = functools.reduce(np.multiply.outer,
                                     [self._qs[f], *(before[d] for d in depends)])
            if counts[f] is not None:
                u = int(self._action[f])
                counts[f] = counts[f].copy()
                mask = self._mask(self.B[f][..., u])
                counts[f][..., u] += self._rate("lr_pB", lr_pB) * joint * mask
        return self._learned("B", counts)

    def update_D(self, qs_t0: Belief | None = None, lr_pD: float | None = None) -> Objects:
        """Learns D from a belief at the beginning.

        Parameters
        ----------
        qs_t0 : list of arrays, optional
            That belief; the first that infer_states gave since the agent was reset.
        lr_pD : float, optional
            What a beginning counts; that of the agent unless given.

        Returns
        -------
        array of objects
            The counts, pD.
        """
        counts = self._counts("D")
        if qs_t0 is None and self._first is None:
            raise BadInput("update_D: nothing has been observed since the agent was reset")
        first: Any = self._first if qs_t0 is None else object_beliefs(
            self.model, self.model.belief(qs_t0))
        for f in self._some("factors_to_learn", self.model.n_factor):
            if counts[f] is not None:
                counts[f] = counts[f] + self._rate("lr_pD", lr_pD) * first[f] * (counts[f] > 0)
        return self._learned("D", counts)

    def infer_parameters(self, *_: object, **__: object) -> None:
        """Not supported: see update_A and update_B."""
        raise NotImplementedError(f"infer_parameters is not supported: {_LEARNING}")

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
    alpha: float
    use_utility: bool
    use_states_info_gain: bool
    action_selection: str
    sampling_mode: str
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
    alpha: Array
    use_utility: bool
    use_states_info_gain: bool
    action_selection: str
    sampling_mode: str
    policies: Any
    A_dependencies: Sequence[Sequence[int]]
    B_dependencies: Sequence[Sequence[int]]


def _product(controls: list[int], length: int) -> Array:
    """All sequences of actions (n, length, n_factor), the last fastest, as pymdp lists them."""
    n = float(np.prod(controls, dtype=float)) ** length
    if n > LISTED_MOST:
        raise _sonde.TooLarge(f"E: a prior of {n:,.0f} policies has to list them; choose a shorter "
                              f"policy_len, or leave E out")
    every = np.indices((*controls,) * length).reshape(length * len(controls), -1).T
    return every.reshape(-1, length, len(controls))


def _is_product(policies: Array, controls: list[int]) -> bool:
    """Whether policies (n, T, n_factor) are all sequences of actions, the last fastest."""
    n, length, _ = policies.shape
    return (float(np.prod(controls, dtype=float)) ** length == n <= LISTED_MOST
            and np.array_equal(_product(controls, length), policies))


def _model_like(package: str, A: Sequence[Array], B: Sequence[Array], C: Sequence[Array],
                D: Sequence[Array], E: Array | None, policies: Array,
                A_depends: Sequence[Sequence[int]], B_depends: Sequence[Sequence[int]],
                gamma: float, listed: bool = False) -> Model:
    """A model with the conventions of a package."""
    habits = _sonde.like(package, False)
    Bs = [columns(b) for b in B]
    even = E is None or np.ptp(E) <= 1e-6 * np.max(E)
    whole = even and not listed and _is_product(policies, [b.shape[-1] for b in Bs])
    Cs = [np.asarray(c, dtype=np.float64) for c in C]
    if any(c.ndim == 2 for c in Cs):
        Cs = [c if c.ndim == 2 else np.tile(c, (policies.shape[1], 1)) for c in Cs]
    return Model(A, Bs, Cs, D,
                 horizon=policies.shape[1], policies="all" if whole else policies,
                 E=None if even else np.asarray(E, dtype=np.float64),
                 factors=[{"depends": [int(i) for i in one]} for one in B_depends],
                 modalities=[{"factors": [int(i) for i in one]} for one in A_depends],
                 preferences=habits["preferences"], information=habits["information"], gamma=gamma)


def from_pymdp(agent: LegacyAgent | NewAgent, batch: int = 0) -> Model:
    """Makes a model of a pymdp agent, legacy or 1.0, with that package's conventions.

    Policies become "all" where they are the full product of actions (so that every search applies),
    otherwise a list; gamma and E come along. How the agent infers and acts (inference, alpha,
    action_selection, sampling_mode, use_utility, use_states_info_gain) is in Model.settings, which
    plan, simulate and both Agents use where they are told nothing else. Agents that learn, or do
    what Sonde does not (inductive inference, parameter information gain, MMP), are refused.

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
    if not all(hasattr(agent, key) for key in ("A", "B", "policies")):
        raise TypeError(f"from_pymdp: expected an Agent of pymdp, found {type(agent).__name__}")
    new = hasattr(agent, "A_dependencies")
    _check_agent(agent, new)
    model = _from_new(cast(NewAgent, agent), batch) if new else _from_legacy(cast(Any, agent))
    alpha = np.broadcast_to(np.asarray(agent.alpha), (batch + 1,))[batch]
    rule = _rule(agent.action_selection, agent.sampling_mode, float(alpha))
    if rule["action"] == "full":  # draws one policy of all, which bounded search does not look at
        rule["search"] = "full"
    model._settings = {"inference": "pymdp" if new else "pymdp-legacy"} | _terms(agent) | rule
    return model


def _terms(agent: LegacyAgent | NewAgent) -> Document:
    """Settings for the terms of G that an agent leaves out."""
    return _weights(bool(agent.use_utility), bool(agent.use_states_info_gain))


def _check_agent(agent: object, new: bool) -> None:
    """Raises for what an agent does that Sonde does not."""
    # in 1.0 counts mean nothing without learn_A and its kin, and goals without use_inductive
    inert = {"batch_size", *({"pA", "pB", "H", "I", "inductive_threshold", "inductive_epsilon",
                              "inductive_depth"} if new else {"inference_params"})}
    for name, (_, usual, reason) in {**REFUSED, **COUNTED}.items():
        found = getattr(agent, name, usual[0])
        if name == "B_action_dependencies":
            found = getattr(agent, "action_maps", None)
        if name not in inert and not _is_one_of(found, usual):
            raise NotImplementedError(f"{name}={_brief(found)} is not supported: {reason}")
    Agent._check_algorithm(getattr(agent, "inference_algo", None),
                           "pymdp" if new else "pymdp-legacy")


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
    inside jit and scan (through jax.pure_callback). Terms of G that the agent leaves out
    (use_utility, use_states_info_gain) are left out; an agent that does what Sonde does not is
    refused, as by from_pymdp.

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
    _check_agent(agent, True)
    import jax
    import jax.numpy as jnp

    policies = getattr(agent.policies, "policy_arr", agent.policies)
    n_batch, n_policy = qs[0].shape[0], policies.shape[0]
    shape = jax.ShapeDtypeStruct((n_batch, n_policy), jnp.result_type(float))
    E = agent.E if agent.E is not None else jnp.ones((n_batch, n_policy)) / n_policy
    gamma = jnp.broadcast_to(jnp.asarray(agent.gamma), (n_batch,))
    searching: Document = {"seed": 1} | _terms(agent) | settings

    def decide(listed: npt.ArrayLike, arrays: Sequence[npt.ArrayLike],
               beliefs: Sequence[npt.ArrayLike]) -> tuple[Array, Array]:
        given = [np.asarray(array) for array in arrays]
        believed = [np.asarray(belief) for belief in beliefs]
        q_pi, neg_efe = (np.empty(shape.shape, shape.dtype) for _ in range(2))
        for b in range(n_batch):
            model = _remembered([array[b] for array in given], np.asarray(listed), agent)
            searcher = Agent(model=model, threads=1, **searching)
            q_pi[b], neg_efe[b] = searcher.infer_policies([q[b] for q in believed])
        return q_pi, neg_efe

    arrays = [*agent.A, *agent.B, *agent.C, *agent.D, E, gamma]
    q_pi, neg_efe = jax.pure_callback(decide, (shape, shape), policies, arrays,
                                      [q[:, -1] for q in qs])
    return q_pi, {"neg_efe": neg_efe}
