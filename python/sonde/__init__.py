"""Policy search for discrete active inference.

An agent scores its policies by their expected free energy G (smaller is better; pymdp and SPM
report -G) and acts on the best. There are soon too many to score them all; Sonde searches them.

    >>> import sonde
    >>> model = sonde.Model(A=A, B=B, C=C, D=D, horizon=6)     # pymdp's arrays and axes
    >>> model.efe().efe                                        # G of every policy
    >>> sonde.plan(model)                                      # one decision, and how exact it is
    >>> sonde.simulate(model, steps=10).path                   # an agent in the model's own world

    >>> agent = sonde.Agent(A=A, B=B, C=C, D=D, policy_len=6)  # or pymdp's verbs
    >>> qs = agent.infer_states([3, 0])
    >>> q_pi, neg_efe = agent.infer_policies()
    >>> action = agent.sample_action()

The stages, in the order in which data walks through them:

    Graph -> Model -> efe -> embed -> cluster -> plan -> Agent -> simulate -> study -> report

Arrays that belong to an object come back as read-only NumPy arrays without a copy, and keep their
object alive. Failures are exceptions: ValueError, FileNotFoundError, MemoryError, TooLarge (more
memory than allowed, see `memory=`), NoPolicy, EmptyCluster; Ctrl-C stops long work.

Words that several functions take:

    threads    how many; None: one for each core. Changes no number.
    memory     the most to ask for at once: bytes, or a text such as "500M" or "2G".
    progress   a function f(stage, done, total) that is called now and then.
    seed       of everything that is drawn; the same seed gives the same result, as on the command
               line.
"""
from . import _sonde
from ._agent import Agent
from ._embed import Clusters, Embedding, cluster, embed
from ._graph import Graph
from ._model import Efe, Model
from ._names import actions, embeddings, like, searches
from ._plan import Explanation, Plan, SearchSettings, plan
from ._plot import plot_clusters, plot_embedding, plot_graph, plot_path, plot_tradeoff
from ._pymdp import from_pymdp, policy_search
from ._simulate import Episode, simulate
from ._sonde import EmptyCluster, NoPolicy, TooLarge
from ._spm import from_spm
from ._study import Study, report, study

__version__ = _sonde.version()

__all__ = [
    "Agent", "Clusters", "Efe", "Embedding", "EmptyCluster", "Episode", "Explanation", "Graph",
    "Model", "NoPolicy", "Plan", "SearchSettings", "Study", "TooLarge", "actions", "cluster",
    "embed", "embeddings", "from_pymdp", "from_spm", "like", "plan", "plot_clusters",
    "plot_embedding", "plot_graph", "plot_path", "plot_tradeoff", "policy_search", "report",
    "searches", "simulate", "study",
]
