"""Policy search for discrete active inference.

An agent scores its policies by their expected free energy G (smaller is better; pymdp and SPM
report -G) and acts on the best. There are soon too many to score them all; Sonde searches them.

    >>> import sonde
    >>> model = sonde.Model(A=A, B=B, C=C, D=D, horizon=6)     # pymdp's arrays and axes
    >>> model.efe().efe                                        # G of every policy
    >>> sonde.plan(model)                                      # one decision, and how exact it is
    >>> sonde.simulate(model, steps=10).path                   # an agent in the model's own world

    >>> agent = sonde.Agent(model)                             # or in yours
    >>> agent.observe([3, 0])
    >>> agent.decide()                                         # the same as sonde.plan
    >>> action = agent.act()

pymdp's signature, verbs and defaults are those of `sonde.pymdp.Agent`.

The stages, in the order in which data walks through them:

    Graph -> Model -> efe -> embed -> cluster -> plan -> Agent -> simulate -> study -> report

Arrays that belong to an object come back as read-only NumPy arrays without a copy, and keep their
object alive. Ctrl-C stops long work. Failures are exceptions below sonde.Error, each of which is
one of Python's own, too:

    BadInput        ValueError           a value, a setting or a document is not what it should be
    NoFile          FileNotFoundError    a file could not be opened or read
    NotWritten      OSError              a file could not be written
    TooLarge        MemoryError          it needs more memory than it is allowed, see `memory=`
    NoPolicy        ValueError           no policy is allowed from where the agent believes it is
    EmptyCluster    RuntimeError         the chosen cluster has no members

Words that several functions take:

    threads    how many; None: one for each core. Changes no number.
    memory     the most to ask for at once: bytes, or a text such as "500M" or "2G".
    progress   a function f(stage, done, total) that is called now and then.
    seed       of everything that is drawn; the same seed gives the same result, as on the command
               line.
"""
from importlib import import_module
from types import ModuleType

from . import _sonde, pymdp
from ._agent import Agent
from ._data import Data, Rows
from ._embed import Clusters, Embedding, cluster, embed
from ._fit import Comparison, Fit, Power, Recovery, compare, draw, fit, recover
from ._graph import Graph
from ._model import Efe, Model, make
from ._names import actions, embeddings, like, searches
from ._plan import Explanation, Plan, plan
from ._policy import Policy
from ._settings import SearchSettings
from ._plot import plot_clusters, plot_embedding, plot_graph, plot_path, plot_tradeoff
from ._many import Runs, simulate_many
from ._own import Space
from ._replay import Loglik, Parameters, Replay, loglik, replay
from ._simulate import Episode, simulate
from ._sonde import BadInput, EmptyCluster, Error, NoFile, NoPolicy, NotWritten, TooLarge
from ._spm import Spm, SpmTrial, from_spm, reduce
from ._study import Study, report, study
from ._versions import show_versions
from ._view import View, view
from .pymdp import from_pymdp, policy_search

__version__ = _sonde.version()


def __getattr__(name: str) -> ModuleType:
    if name in ("env", "figures"):  # which import gymnasium and matplotlib, where these are
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module 'sonde' has no attribute {name!r}")


__all__ = [
    "Agent", "BadInput", "Clusters", "Comparison", "Data", "Efe", "Embedding", "EmptyCluster",
    "Episode", "Error", "Explanation", "Fit", "Graph", "Loglik", "Model", "NoFile", "NoPolicy",
    "NotWritten", "Parameters", "Plan", "Policy", "Power", "Recovery", "Replay", "Rows", "Runs",
    "SearchSettings", "Space", "Spm", "SpmTrial", "Study", "TooLarge", "View", "actions", "cluster",
    "compare", "draw", "embed", "embeddings", "fit", "from_pymdp", "from_spm", "like", "loglik",
    "make", "plan", "plot_clusters", "plot_embedding", "plot_graph", "plot_path", "plot_tradeoff",
    "policy_search", "pymdp", "recover", "reduce", "replay", "report", "searches", "show_versions",
    "simulate", "simulate_many", "study", "view",
]
