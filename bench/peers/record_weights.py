"""What pymdp makes of G without utility, and without information: tests/data/weights.json.

    PYTHON bench/peers/record_weights.py

PYTHON is one with the packages of requirements.txt. The models are those of tests/data/pomdp, with
C as it is given; numbers are -G of every policy in pymdp's order, in single precision.
"""
import importlib.metadata
import json
import pathlib

import jax.numpy as jnp
from pymdp import control

DATA = pathlib.Path(__file__).resolve().parents[2] / "tests" / "data"


def negative_efe(model, use_utility, use_states_info_gain):
    """-G of the policies of a fixture."""
    arrays = {key: [jnp.array(table) for table in model[key]] for key in ("A", "B", "C", "qs")}
    policies = jnp.array(model["policies"])
    n_factor = len(arrays["B"])
    _, found = control.update_posterior_policies(
        policies, arrays["qs"], arrays["A"], arrays["B"], arrays["C"],
        jnp.ones(len(policies)) / len(policies), None, None,
        [list(range(n_factor)) for _ in arrays["A"]], [[f] for f in range(n_factor)],
        use_utility=use_utility, use_states_info_gain=use_states_info_gain)
    return [float(x) for x in found]


def main():
    recorded = {}
    for path in sorted((DATA / "pomdp").glob("*.json")):
        model = json.loads(path.read_text())
        recorded[path.stem] = {"utility_off": negative_efe(model, False, True),
                               "information_off": negative_efe(model, True, False)}
    version = importlib.metadata.version("inferactively-pymdp")
    (DATA / "weights.json").write_text(json.dumps({
        "about": f"-G of pymdp {version}, single precision, with use_utility=False and with "
                 "use_states_info_gain=False; the models are those of pomdp/, C as it is given",
        "neg_efe": recorded}) + "\n")


main()
