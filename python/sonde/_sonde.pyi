"""The extension, function by function; see python/src."""
from typing import Any, NotRequired, TypedDict

from ._types import Array, Document, Energy, Path, Progress, Run, Seen

# ------------------------------------------------------------------------------------- failures --

class Error(Exception): ...
class BadInput(Error, ValueError): ...
class NoFile(Error, FileNotFoundError): ...
class NotWritten(Error, OSError): ...
class TooLarge(Error, MemoryError): ...
class EmptyCluster(Error, RuntimeError): ...
class NoPolicy(Error, ValueError): ...

# -------------------------------------------------------------------------------------- objects --

class Handle:
    def close(self) -> None: ...

class View: ...

TERMS: tuple[str, ...]

# ----------------------------------------------------------------------------------------- base --

def version() -> str: ...
def versions() -> str: ...
def names(which: str, /) -> dict[str, str]: ...

class Conventions(TypedDict):
    preferences: str
    information: str
    gamma: float
    alpha: NotRequired[float]
    action: str
    per_factor: bool
    inference: str | None

def like(package: str, /) -> Conventions: ...

# ---------------------------------------------------------------------------------------- graph --

GraphFields = TypedDict("GraphFields", {
    "n_node": int, "n_edge": int, "start": int, "destination": int, "horizon": int,
    "lambda": float, "idle": float, "first": View, "tail": View, "head": View, "self": View,
    "weight": View, "names": list[str] | None, "n_redraw": int, "n_joined": int})

def graph_random(settings: Document, weights: Array | None, seed: int, /) -> Handle: ...
def graph_read(path: Path, settings: Document, seed: int, /) -> Handle: ...
def graph_parse(text: str, origin: str, settings: Document, seed: int, /) -> Handle: ...
def graph_from_edges(n_node: int, tail: Array, head: Array, weight: Array,
                     names: list[str] | None, settings: Document, seed: int, /) -> Handle: ...
def graph_fields(graph: Handle, /) -> GraphFields: ...
def graph_write(graph: Handle, /) -> str: ...
def graph_edge(graph: Handle, tail: int, head: int, /) -> int: ...
def graph_node(graph: Handle, text: str, /) -> int: ...
def graph_distances(graph: Handle, node: int, out: Array, /) -> None: ...
def graph_layout(graph: Handle, out: Array, /) -> None: ...
def graph_svg(graph: Handle, path: Array | None, /) -> str: ...
def graph_report(graph: Handle, distance: Array | None, policies: Handle | None,
                 command: str | None, /) -> str: ...

# ---------------------------------------------------------------------------------------- model --

class FactorFields(TypedDict):
    name: str | None
    n_state: int
    n_action: int
    first: int
    depends: View
    states: list[str] | None
    actions: list[str] | None
    D: View
    B: View | None
    offset: View
    next: View
    p: View
    deterministic: bool
    allowed: View | None

class ModalityFields(TypedDict):
    name: str | None
    n_outcome: int
    n_action: int
    factors: View
    outcomes: list[str] | None
    A: View | None
    offset: View
    outcome: View
    p: View
    preference: View
    cost: View
    ambiguity: View
    C: View

ModelFields = TypedDict("ModelFields", {
    "graph": bool, "n_belief": int, "n_action": int, "horizon": int, "gamma": float,
    "n_modality": int, "seen": View | None,
    "n_state": int, "action": View, "preference": View, "risk": View, "cost": View, "step": View,
    "factors": list[FactorFields], "modalities": list[ModalityFields], "name": str | None,
    "n_factor": int, "preferences": str, "information": str, "policies": str, "lambda": float,
    "n_step_C": int, "coupled": bool, "n_joint": float, "policy": View | None, "E": View | None,
    "bytes": int})

class TableFields(TypedDict):
    storage: str
    n_number: float
    n_nonzero: float
    certain: bool
    mean_entropy: float
    most_entropy: float

def model_new(factors: list[tuple[Any, ...]], modalities: list[tuple[Any, ...]],
              settings: Document, policies: Array | None, E: Array | None, origin: str,
              run: Run | None, /) -> Handle: ...
def input_read(path: Path, graph: Document, model: Document, seed: int, run: Run | None,
               /) -> tuple[Handle | None, Handle]: ...
def model_read(path: Path, settings: Document, run: Run | None, /) -> Handle: ...
def model_parse(data: bytes | str, origin: str, settings: Document, run: Run | None,
                /) -> Handle: ...
def model_from_graph(graph: Handle, /) -> Handle: ...
def model_write(model: Handle, /) -> str: ...
def model_fields(model: Handle, /) -> ModelFields: ...
def model_about(model: Handle, which: str, number: int, /) -> TableFields: ...
def model_report(model: Handle, policies: Handle | None, command: str | None, /) -> str: ...
def model_tuple(model: Handle, action: int, /) -> tuple[int, ...]: ...
def model_from_tuple(model: Handle, actions: Array, /) -> int: ...
def model_next(model: Handle, state: int, action: int, /) -> int: ...
def belief_initial(model: Handle, out: Array, /) -> None: ...
def belief_predict(model: Handle, action: int, belief: Array, out: Array, /) -> None: ...
def belief_observe(model: Handle, seen: Seen, prior: Array, out: Array, inference: str | None,
                   /) -> Energy: ...

# ------------------------------------------------------------------------------ policies and G --

class PoliciesFields(TypedDict):
    horizon: int
    n_origin: int
    initial: int
    n_policy: int
    size: float

class WalksFields(TypedDict):
    walks: View

def policies_count(model: Handle, run: Run | None, /) -> Handle: ...
def policies_weigh(policies: Handle, utility: float, information: float, cost: float,
                   /) -> Handle: ...
def policies_fields(policies: Handle, /) -> PoliciesFields: ...
def policies_origin(policies: Handle, belief: Array, /) -> int: ...
def policies_size(policies: Handle, origin: int, /) -> tuple[int, float]: ...
def policies_get(policies: Handle, origin: int, index: Array, out: Array, /) -> None: ...
def policies_find(policies: Handle, origin: int, walk: Array, /) -> int | None: ...
def policies_actions(policies: Handle, walks: Array, out: Array, /) -> None: ...
def policies_edit_distance(policies: Handle, walk: Array, other: Array, /) -> int: ...
def walks_read(path: Path, policies: Handle, /) -> WalksFields: ...
def efe_walks(policies: Handle, belief: Array, walks: Array, total: Array,
              steps: Array | None, reached: Array | None, /) -> None: ...
def efe_range(policies: Handle, belief: Array, origin: int, first: int, out: Array,
              run: Run | None, /) -> None: ...
def efe_report(policies: Handle, origin: int, belief: Array, index: Array | None,
               walks: Array, total: Array, steps: Array | None, command: str | None,
               /) -> str: ...

# ------------------------------------------------------------------------------ embed, cluster --

class EmbeddingFields(TypedDict):
    embedding: str
    origin: int
    n_policy: int
    n_row: int
    n_column: int
    n_column_nominal: float
    n_code: int
    row_of: View
    weight: View
    first: View
    policy: View | None
    small: View | None
    code: View | None
    basis: View | None
    gram: View | None
    bytes: int

class PcaFields(TypedDict):
    share: View
    mean: View
    axis: View

class ClustersFields(TypedDict):
    k: int
    k_asked: int
    n_policy: int
    n_column: int
    n_round: int
    inertia: float
    policy: View | None
    center: View
    representative: View
    label: View
    offset: View
    member: View
    bytes: int

def embedder_new(policies: Handle, settings: Document, belief: Array,
                 run: Run | None, /) -> Handle: ...
def embedder_row(policies: Handle, embedder: Handle, walk: Array, out: Array, /) -> None: ...
def embedding_new(embedder: Handle, origin: int, run: Run | None, /) -> Handle: ...
def embedding_from_rows(rows: Array, run: Run | None, /) -> Handle: ...
def embedding_fields(embedding: Handle, /) -> EmbeddingFields: ...
def embedding_rows(embedding: Handle, out: Array, /) -> None: ...
def embedding_at(embedding: Handle, row: int, column: int, /) -> float: ...
def pca_fit(embedding: Handle, /) -> Handle: ...
def pca_fields(pca: Handle, /) -> PcaFields: ...
def pca_project(pca: Handle, rows: Array, out: Array, /) -> None: ...
def pca_places(pca: Handle, embedding: Handle, out: Array, /) -> None: ...
def clusters_fit(embedding: Handle, settings: Document, stream: int, run: Run | None,
                 /) -> Handle: ...
def clusters_fields(clusters: Handle, /) -> ClustersFields: ...
def clusters_policy(clusters: Handle, i: int, /) -> int: ...
def clusters_mean_efe(clusters: Handle, policies: Handle, origin: int,
                      belief: Array, out: Array, /) -> None: ...
def map_report(policies: Handle, origin: int, belief: Array, embedding: Handle, pca: Handle,
               clusters: Handle | None, settings: Document | None, stream: int, form: str,
               command: str | None, /) -> str: ...

# ---------------------------------------------------------------------------------------- agent --

class SetupFields(TypedDict):
    embed_seconds: float
    cluster_seconds: float
    n_clustering: int
    n_reused: int
    search: str
    gamma: float
    horizon: int

class MemoryFields(TypedDict):
    belief: View
    prior: View
    origin: str | None
    energy: Energy
    evidence: float
    number: int
    n_followed: int

class DecisionFields(TypedDict, total=False):
    state: int
    belief: View
    origin: int
    action: View
    posterior: View
    probability: View
    marginal: View
    to: View
    to_posterior: View
    best: int
    best_walk: View
    best_efe: float
    n_followed: int
    fell_back: bool
    log_evidence: float
    n_policy: int
    n_step: int
    n_setup_step: int
    equivalent: float
    seconds: float
    setup_seconds: float
    efe_lower: View | None
    efe_upper: View | None
    p_lower: View | None
    p_upper: View | None
    cluster_efe: View
    chosen: View
    cluster_policy: View | None
    representative: View
    label: View

class EpisodeFields(TypedDict):
    n_step: int
    seconds: float
    embed_seconds: float
    cluster_seconds: float
    n_clustering: int
    n_reused: int
    optimal: bool
    failure: str
    reached: int
    walked: float
    shortest: float
    k: int
    n_valid: int
    state: View
    outcome: View
    action: View
    belief: View
    surprise: View
    free_energy: View
    complexity: View
    accuracy: View
    n_followed: View
    p: View
    n_policy: View
    n_scored: View
    equivalent: View

def settings_table() -> list[Document]: ...
def certificate_sentence(agent: Handle, /) -> str | None: ...
def agent_settings(agent: Handle, /) -> Document: ...
def agent_new(policies: Handle, settings: Document, run: Run | None, usual: str = ...,
              /) -> Handle: ...
def agent_reset(agent: Handle, number: int, /) -> None: ...
def agent_memory(agent: Handle, /) -> MemoryFields: ...
def agent_recall(agent: Handle, belief: Array, prior: Array, origin: str | None,
                 energy: Energy, evidence: float, number: int, /) -> None: ...
def agent_observe(agent: Handle, seen: Seen, /) -> None: ...
def agent_believe(agent: Handle, belief: Array, /) -> None: ...
def agent_search(agent: Handle, progress: Progress | None, /) -> None: ...
def agent_choice(agent: Handle, /) -> int: ...
def agent_act(agent: Handle, /) -> int: ...
def agent_belief(agent: Handle, out: Array, /) -> Energy: ...
def agent_setup(agent: Handle, /) -> SetupFields: ...
def plan(policies: Handle, belief: Array | None, seen: Seen | None, settings: Document,
         run: Run | None, /) -> tuple[Handle, int]: ...
def decision_fields(agent: Handle, /) -> DecisionFields: ...
def decision_report(agent: Handle, action: int, command: str | None, /) -> str: ...
def explain(agent: Handle, /) -> tuple[str, str, str]: ...
def simulate(agent: Handle, steps: int, process: Handle | None, progress: Progress | None,
             /) -> Handle: ...
def episode_fields(episode: Handle, /) -> EpisodeFields: ...
def episode_report(agent: Handle, episode: Handle, command: str | None, /) -> str: ...

# ---------------------------------------------------------------------------------------- study --

class StudyFields(TypedDict):
    name: str
    text: str
    seed: int
    n_step: int
    n_condition: int
    n_task: int
    n_run: int
    n_judge: int
    models: list[str]
    conditions: list[tuple[str, str]]

def plan_read(plan: Path, /) -> Handle: ...
def plan_fields(plan: Handle, /) -> StudyFields: ...
def plan_task(plan: Handle, task: int, /) -> tuple[int, int]: ...
def plan_work(plan: Handle, task: int, run: Run | None, /) -> str: ...
def study_open(path: Path, plan: Handle, /) -> Handle: ...
def study_done(study: Handle, /) -> int: ...
def study_next(study: Handle, /) -> int: ...
def study_take(study: Handle, rows: str, /) -> None: ...
def study_run(study: Handle, run: Run | None, /) -> None: ...
def report_study(path: Path, folder: Path, page: Path | None, run: Run | None, /) -> str: ...
