"""What a decision costs in the notebook that the paper was made with: its own cells, as they are.

    python3 bench/peers/notebook.py graphpolicies_kmeans.ipynb [POLICIES]

The notebook is exilefaker/policy-embeddings on GitHub, which has no licence, so that nothing of it
is here. It takes NumPy, SciPy, networkx and scikit-learn; what the timed cells do not use (pandas,
matplotlib, tqdm, pymdp) is left out. A world of five nodes with about so many policies is drawn as
the notebook draws them; times are processor seconds of one decision of its agent.
"""
import contextlib
import io
import json
import random
import sys
import time
import types

import networkx
import numpy as np
import scipy
import sklearn


def stand_in(name):
    """A module that has whatever is asked of it, and does nothing."""
    module = types.ModuleType(name)
    module.__path__ = []
    module.__getattr__ = lambda _: lambda things=None, **__: things
    sys.modules[name] = module


def read(path):
    """The cells up to the agent, run."""
    for name in ("pandas", "tqdm", "matplotlib", "matplotlib.pyplot", "pymdp", "pymdp.control",
                 "pymdp.maths", "pymdp.utils"):
        stand_in(name)
    with open(path, encoding="utf-8") as file:
        cells = [cell for cell in json.load(file)["cells"] if cell["cell_type"] == "code"]
    sources = ["".join(cell["source"]) for cell in cells]
    last = next(i for i, source in enumerate(sources) if "class GraphAgent" in source)
    space = {}
    for source in sources[:last + 1]:
        lines = [line for line in source.split("\n") if not line.lstrip().startswith(("%", "!"))]
        exec("\n".join(lines), space)
    return space


def agent_of(space, wanted):
    """An agent in the world, of fifty, whose number of policies is nearest."""
    best = None
    for seed in range(50):
        random.seed(seed)
        np.random.seed(seed)
        graph = space["generate_graph"](n=5)
        walks = networkx.to_numpy_array(graph, weight=None)
        n = int(np.linalg.matrix_power(walks, 6).sum())
        if best is None or abs(n - wanted) < abs(best[0] - wanted):
            best = n, graph
    return space["GraphAgent"](best[1], embeddings=["BOE"], local_policies=False)


def decide(agent):
    began = time.process_time()
    agent.act()
    return time.process_time() - began


def main():
    space = read(sys.argv[1])
    with contextlib.redirect_stdout(io.StringIO()):
        agent = agent_of(space, int(sys.argv[2]) if len(sys.argv) > 2 else 11553)
    print(f"numpy {np.__version__}, scipy {scipy.__version__}, scikit-learn {sklearn.__version__}")
    print(f"{len(agent.all_policies):,} policies: full {decide(agent):.2f} s", flush=True)
    began = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):
        agent.set_policy_select_mode("BOE")
    print(f"k-means, 12 clusters of BOE: {time.process_time() - began:.2f} s")
    print(f"clustered: {min(decide(agent) for _ in range(3)):.2f} s")


if __name__ == "__main__":
    main()
