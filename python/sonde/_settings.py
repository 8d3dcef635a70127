"""The settings of a search: what the library's table says of them.

Written by tools/settings.py; a test says whether it is current.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from ._own import Rows, Search


class SearchSettings(TypedDict, total=False):
    """What plan, simulate and Agent may be told about a search; all of it optional.

    Parameters
    ----------
    search : {"full", "cluster", "bounded", "random", "beam", "surrogate", "tree", "auto", "pruned",
        "dpefe", "qmdp", "uct"} or callable, default "bounded"
        Every policy, the best of clusters, as few as it takes to be certain, some at random, those
        that begin best, those that a model of G learned from others thinks best, or the best of
        clusters of clusters; in closed loop auto, full, bounded, pruned, dpefe, qmdp or uct; a
        setting that goes with some of them alone means one of these, clusters if it may; or a
        generator function of your own (sonde.Space).
    loop : {"open", "closed"}, default "open"
        Choose among sequences of actions, or among plans that wait for what they will see.
    backup : {"free-energy", "min", "average"}, default "free-energy"
        What G of the actions in a belief make its value (search full, bounded; general models).
    belief_kind : {"joint", "factorised"}, default "joint"
        Believe joint states, or each factor's on its own (search full, bounded; general models).
    branches : {"joint", "marginal"}, default "joint"
        Outcomes of several modalities together, or as if they were independent (search full;
        general models).
    pruning : {"pymdp", "pymdp-legacy", "spm"}, default "pymdp"
        Whose rules pruned search has (general models).
    prune_action : float, default 0.0625
        Actions that are less probable after one step are not looked at; spm: times the most
        probable (general models).
    prune_outcome : float, default 0.0625
        Outcomes that are less probable are not looked at; spm: states, times the most probable
        (general models).
    prune_penalty : float, default 512
        G of an action that is not looked at; pymdp-legacy: what is added to it, in nats (general
        models).
    stop_entropy : float, default -1
        Stop when the posterior of first actions has no more entropy; -1: never, in nats (general
        models).
    stop_value : float
        Stop when -V is at least X, in nats (general models).
    max_branching : int
        Outcomes of an action that are looked at, at most; spm: states (general models).
    max_beliefs : int
        Actions and outcomes of all beliefs, at most; the last depth that has fewer counts (general
        models).
    exploration : float
        Uct: what an action that is rarely tried has in its favour (default: the horizon times how
        far apart G of steps are), in nats (general models).
    rollout : bool, default False
        Uct: what is new is worth what random actions bring, and not 0 (general models).
    discount : float
        How much less each later step counts (default: the model's) (general models).
    gap : float
        Stop when the value is known this closely, and, without epsilon, not before, in nats (search
        bounded; general models).
    replan : {"receding", "shrinking"}, default "receding"
        Look as far ahead after every step, or only to where the first plan ended (search full,
        bounded; general models).
    endless : bool, default False
        Plan without a horizon, with a discount below 1; the same as a horizon of inf (search
        bounded; general models).
    no_merge : bool, default False
        A belief that is reached in two ways counts as two (search full, bounded; general models).
    fallback : {"full", "cluster", "bounded", "random", "beam", "surrogate", "tree"}
        Let another search decide, too, from half the budget, and take the better decision.
    scope : {"local", "global"}, default "local"
        Policies from the agent's edge, or from every edge (graph worlds).
    embedding : {"boe", "boe-set", "aboe", "aboe-onehot", "aboe-edges", "edm", "boa", "boa-set",
        "timed", "occupancy", "ends", "value", "walk2vec", "ngram"} or callable
        What a policy's row of numbers records (default: boe, or boa of a model); or a function of
        your own from policies to rows (sonde.embed) (search cluster, surrogate, tree).
    onehot_weight : float, default 0
        Of aboe-onehot's last columns; 0 is the horizon (search cluster, surrogate, tree; graph
        worlds).
    k : int or "auto", default 12
        Clusters; auto balances the costs of probing them and of searching one (search cluster,
        surrogate, tree).
    probe : {"center", "sample", "adaptive"}, default "center"
        Value a cluster by its representative, by some members, or by more of them the more it may
        be the best (search cluster, tree).
    samples : int, default 3
        Members that probe sample scores; adaptive as many on average, at most (search cluster,
        tree).
    delta : float, default 0.05
        Probe adaptive: probability that the best cluster is given up (search cluster, tree).
    top : int, default 1
        How many of the best clusters are searched (search cluster, tree).
    branch : int
        Clusters that tree search divides each into (default: k) (search tree).
    depth : int, default 2
        Tree search: levels of clusters; 1 is search cluster (search tree).
    action : {"marginal", "deterministic", "full", "softmax", "best"}, default "marginal"
        How the action is chosen.
    alpha : float, default 1
        Precision of action softmax and marginal.
    gamma : float
        Precision of the posterior, Q proportional to exp(-gamma G) (default: the model's).
    weight_utility : float, default 1
        How much -Q(o) . ln C counts in G; 0 is pymdp's use_utility=False.
    weight_information : float, default 1
        How much ambiguity less the entropy of outcomes counts in G; 0 is pymdp's
        use_states_info_gain=False (general models).
    weight_cost : float, default 1
        How much lambda cost counts in G.
    nu_A : float, default 1
        How much novelty of A counts (general models).
    nu_B : float, default 1
        How much novelty of B counts (general models).
    novelty : {"none", "joint", "product", "half", "inverse"}, default "none"
        What is expected to be learned of A and B, by their counts, is subtracted from G (general
        models).
    method : {"kmeans", "ward"}, default "kmeans"
        How clusters are made (search cluster, surrogate, tree).
    restarts : int, default 10
        The best of this many runs of k-means (search cluster, surrogate, tree).
    ngram : int
        Actions in a sequence that ngram counts (default: 2) (search cluster, surrogate, tree).
    ends : int
        Steps of each end that ends looks at (default: 2) (search cluster, surrogate, tree).
    dimension : int
        Numbers in a node's vector of walk2vec (default: 8) (search cluster, surrogate, tree; graph
        worlds).
    policy_sample : int
        Embed N policies, drawn uniformly, where there are more (search cluster, surrogate, tree).
    members : int
        With a sample of the policies: draw up to N more members of the chosen clusters (search
        cluster).
    epsilon : float, default 0.001
        Bounded search stops this close to the exact posterior (search bounded).
    budget : int
        The most steps that are scored: bounded search stops there; random (default: those of 1,000
        policies), surrogate (40 policies), tree (top clusters) and uct (1,000 simulations) score as
        many (search bounded, random, surrogate, tree).
    beam : int, default 100
        Prefixes that beam search keeps at every step (search beam).
    deadline : float, default 0
        Bounded search stops after so long, too, in seconds (search bounded; general models).
    per_factor : bool, default False
        Choose each factor's action from its own marginal (general models).
    inference : {"exact", "pymdp", "pymdp-legacy"}
        How outcomes are taken in by beliefs of several factors (default: exact, or pymdp-legacy
        past 4,096 combined states) (general models).
    replan_every : int, default 1
        Follow a plan for N steps before policies are scored again.
    replan_surprise : float
        Unless an outcome is less expected than X nats, in nats.
    rounds : int, default 300
        The most rounds that a run of k-means takes (search cluster, surrogate, tree).
    tolerance : float, default 0.0001
        Times the mean column variance: the shift of centres at which k-means stops (search cluster,
        surrogate, tree).
    keep_empty : bool, default False
        K clusters, some of them empty, where there are fewer distinct rows than k (search cluster,
        surrogate, tree).
    nearest_of_all : bool, default False
        A cluster is represented by the nearest of all policies, member or not (search cluster,
        surrogate, tree).
    seed_order : bool, default False
        Clusters are numbered, and ties broken, in the order of their seeds (search cluster,
        surrogate, tree).
    probe_everywhere : bool, default False
        Look the number of a local representative up in the list of global policies (search cluster,
        tree; graph worlds).
    seed : int, default 1
        Of everything that is drawn.
    keep : int
        Tell the N best policies that were scored, with their posterior; bounded search has those
        that it completed, or the best of each first action in a graph world.
    semantics : {"text", "notebook"}, default "text"
        The paper's text, or the authors' notebook (search cluster, surrogate, tree; graph worlds).
    differences : list of {"boe", "aboe", "lookup", "lag", "nearest", "empty", "order"}
        Do only these things as the notebook does (search cluster, surrogate, tree; graph worlds).
    k_before : int
        K of the run before, for the difference lag (search cluster, surrogate, tree; graph worlds).
    """

    search: str | Search | None
    loop: str | None
    backup: str | None
    belief_kind: str | None
    branches: str | None
    pruning: str | None
    prune_action: float | None
    prune_outcome: float | None
    prune_penalty: float | None
    stop_entropy: float | None
    stop_value: float | None
    max_branching: int | None
    max_beliefs: int | None
    exploration: float | None
    rollout: bool | None
    discount: float | None
    gap: float | None
    replan: str | None
    endless: bool | None
    no_merge: bool | None
    fallback: str | None
    scope: str | None
    embedding: str | Rows | None
    onehot_weight: float | None
    k: int | str | None
    probe: str | None
    samples: int | None
    delta: float | None
    top: int | None
    branch: int | None
    depth: int | None
    action: str | None
    alpha: float | None
    gamma: float | None
    weight_utility: float | None
    weight_information: float | None
    weight_cost: float | None
    nu_A: float | None
    nu_B: float | None
    novelty: str | None
    method: str | None
    restarts: int | None
    ngram: int | None
    ends: int | None
    dimension: int | None
    policy_sample: int | None
    members: int | None
    epsilon: float | None
    budget: int | None
    beam: int | None
    deadline: float | None
    per_factor: bool | None
    inference: str | None
    replan_every: int | None
    replan_surprise: float | None
    rounds: int | None
    tolerance: float | None
    keep_empty: bool | None
    nearest_of_all: bool | None
    seed_order: bool | None
    probe_everywhere: bool | None
    seed: int | None
    keep: int | None
    semantics: str | None
    differences: Sequence[str] | None
    k_before: int | None
