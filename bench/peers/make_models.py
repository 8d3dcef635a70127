#!/usr/bin/env python3
"""make_models.py: the models on which Sonde and its peers are timed.

    make_models.py [-o FOLDER] [NAME...]    all but `large` unless named; FOLDER is build/peers

Each is written twice, as a sonde-model document NAME.json and as pymdp's arrays NAME.npz, with
the same doubles in both. All arrays are dense and drawn from a fixed seed, so that no peer is
helped or hurt by zeros. Preferences are utilities, which is what pymdp 1.0 takes C for.

    ten-5, ten-6  10 states, 10 outcomes, 10 actions; 5 and 6 steps: 100,000 and 1,000,000 policies
    hundred-5     100 states, 100 outcomes, 10 actions, 5 steps: 100,000 policies
    factors-6     2 factors of 5 and 4 states with 5 and 2 actions, 2 modalities of 6 and 4 outcomes
                  that depend on both factors, 6 steps: 1,000,000 policies
    large         500 states, 50 actions, 1 step: 100 MB of B, for reading; 270 MB as JSON
"""
import argparse
from pathlib import Path

import numpy as np

# name: states and actions of each factor, outcomes of each modality, steps
SHAPES = {
    "ten-5": ([10], [10], [10], 5),
    "ten-6": ([10], [10], [10], 6),
    "hundred-5": ([100], [10], [100], 5),
    "factors-6": ([5, 4], [5, 2], [6, 4], 6),
    "large": ([500], [50], [10], 1),
}
SEED = 4


def columns(rng, shape):
    """Distributions over the first axis, some entries large and many small, none zero."""
    weight = rng.standard_gamma(0.5, size=shape) + 1e-6
    return weight / weight.sum(axis=0)


def draw(states, actions, outcomes):
    """The arrays of a model under pymdp's names."""
    rng = np.random.default_rng(SEED)
    arrays = {}
    for m, n in enumerate(outcomes):
        arrays[f"A_{m}"] = columns(rng, (n, *states))
    for f, (n, u) in enumerate(zip(states, actions)):
        arrays[f"B_{f}"] = columns(rng, (n, n, u))
    for m, n in enumerate(outcomes):
        arrays[f"C_{m}"] = 3 * rng.standard_normal(n)
    for f, n in enumerate(states):
        arrays[f"D_{f}"] = columns(rng, (n,))
    return arrays


def write_array(file, array):
    """An array as nested lists, a row of numbers at a time."""
    if array.ndim == 1:
        file.write("[" + ",".join(map(repr, array.tolist())) + "]")
        return
    for i, part in enumerate(array):
        file.write("[" if i == 0 else ",\n")
        write_array(file, part)
    file.write("]")


def write_document(path, name, shape, arrays):
    """The sonde-model document."""
    states, actions, outcomes, horizon = shape
    factors = [f'{{"name": "factor {f}", "states": {n}, "actions": {u}}}'
               for f, (n, u) in enumerate(zip(states, actions))]
    modalities = [f'{{"name": "modality {m}", "outcomes": {n}}}' for m, n in enumerate(outcomes)]
    with open(path, "w", encoding="ascii") as file:
        file.write(f'{{"format": "sonde-model", "version": 1, "name": "{name}",\n'
                   f' "factors": [{", ".join(factors)}],\n'
                   f' "modalities": [{", ".join(modalities)}],\n'
                   f' "horizon": {horizon}, "gamma": 1, "preferences": "utility",\n'
                   f' "information": "per-modality", "policies": "all"')
        for letter in "ABCD":
            for i, key in enumerate(key for key in arrays if key[0] == letter):
                file.write(f',\n "{letter}": [' if i == 0 else ",\n")
                write_array(file, arrays[key])
            file.write("]")
        file.write("}\n")


def main():
    parser = argparse.ArgumentParser(description="the models on which Sonde's peers are timed")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(SHAPES))
    parser.add_argument("-o", "--output", type=Path, default=Path("build/peers"), metavar="FOLDER")
    settings = parser.parse_args()
    for name in settings.names:
        if name not in SHAPES:
            parser.error(f"no model {name} among {', '.join(SHAPES)}")

    settings.output.mkdir(parents=True, exist_ok=True)
    for name in settings.names or [name for name in SHAPES if name != "large"]:
        arrays = draw(*SHAPES[name][:3])
        np.savez(settings.output / f"{name}.npz", **arrays)
        write_document(settings.output / f"{name}.json", name, SHAPES[name], arrays)


if __name__ == "__main__":
    main()
