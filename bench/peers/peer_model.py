"""peer_model.py: a model as the peers take it, and what they print about it.

Reads a sonde-model document (.json, .json.gz) or arrays under pymdp's names (.npz: A_0, A_1, ...,
B_0, ..., C_0, ..., D_0, ...), with numpy and nothing else. Preferences become what pymdp 1.0 adds
up, a number for each outcome, so that its neg_efe is minus the G that Sonde prints for the file.
"""
import dataclasses
import gzip
import json
import re
import time
from pathlib import Path

import numpy as np

FLOOR = 1e-16   # of a logarithm, as in Sonde


@dataclasses.dataclass
class Model:
    name: str
    A: list         # per modality: [outcome, state of each factor in A_factors[m]...]
    B: list         # per factor:   [next, previous state of each in B_factors[f]..., action]
    C: list         # per modality: [outcome] or [step, outcome], added up as it is
    D: list         # per factor:   [state]
    A_factors: list
    B_factors: list
    horizon: int
    gamma: float = 1.0
    policies: np.ndarray = None   # [policy, step, factor], or None for the full product

    @property
    def n_action(self):
        """Actions of each factor."""
        return [b.shape[-1] for b in self.B]

    @property
    def n_policy(self):
        if self.policies is not None:
            return len(self.policies)
        return int(np.prod(self.n_action, dtype=object)) ** self.horizon

    def every_policy(self):
        """All of them as [policy, step, factor], the last step and the last factor fastest."""
        if self.policies is not None:
            return self.policies
        sizes = self.n_action * self.horizon
        digits = np.unravel_index(np.arange(self.n_policy), sizes)
        table = np.stack([digit.astype(np.int32) for digit in digits], axis=1)
        return table.reshape(-1, self.horizon, len(self.B))

    def first_actions(self, posterior):
        """The posterior summed over policies with the same first action: {tuple: probability}."""
        posterior = np.asarray(posterior, np.float64)
        if self.policies is None:
            first = posterior.reshape(int(np.prod(self.n_action)), -1).sum(axis=1)
        else:
            index = np.ravel_multi_index(self.policies[:, 0].T, self.n_action)
            first = np.bincount(index, posterior, int(np.prod(self.n_action)))
        tuples = np.ndindex(*self.n_action)
        return {tuple(map(int, actions)): float(p) for actions, p in zip(tuples, first)}


# ------------------------------------------------------------------------------------ reading --

def dense(array):
    """An array of the document, which may be sparse."""
    if not isinstance(array, dict):
        return np.asarray(array, np.float64)
    result = np.zeros(array["shape"])
    for *index, value in array["entries"]:
        result[tuple(index)] = value
    return result


def utilities(C, preferences):
    """What an outcome adds to neg_efe."""
    if preferences == "utility":
        return C
    if preferences == "log":
        weight = np.exp(C - C.max(axis=-1, keepdims=True))
    else:
        weight = C
    return np.log(np.maximum(weight / weight.sum(axis=-1, keepdims=True), FLOOR))


def from_document(document, name):
    """The model of a sonde-model document."""
    if document.get("format") != "sonde-model":
        raise SystemExit(f"{name}: no sonde-model")
    if document.get("information", "per-modality") != "per-modality":
        raise SystemExit(f"{name}: pymdp 1.0 has per-modality information only")
    names = [factor.get("name") for factor in document["factors"]]

    def numbers(factors):
        return [f if isinstance(f, int) else names.index(f) for f in factors]

    B_factors = [numbers(factor.get("depends", [f]))
                 for f, factor in enumerate(document["factors"])]
    A_factors = [numbers(modality.get("factors", range(len(names))))
                 for modality in document["modalities"]]

    preferences = document.get("preferences", "log")
    C = [utilities(dense(c), preferences) for c in document["C"]]
    if "cost" in document:
        C = [c - document.get("lambda", 0) * dense(k) for c, k in zip(C, document["cost"])]

    policies = document.get("policies", "all")
    if policies == "allowed" or "E" in document:
        raise SystemExit(f"{name}: allowed policies and E are not for the peers")
    policies = None if policies == "all" else np.asarray(policies, np.int32)
    return Model(name, [dense(a) for a in document["A"]],
                 [dense(b) for b in document["B"]], C, [dense(d) for d in document["D"]],
                 A_factors, B_factors, document["horizon"], document.get("gamma", 1.0), policies)


def from_arrays(arrays, name, horizon):
    """The model of pymdp's arrays: outcomes depend on all factors, factors on themselves."""
    def family(letter):
        found = {int(key[2:]): arrays[key] for key in arrays
                 if re.fullmatch(letter + r"_\d+", key)}
        return [found[i] for i in range(len(found))]

    A, B, C, D = map(family, "ABCD")
    every = list(range(len(B)))
    return Model(name, A, B, C, D, [every] * len(A), [[f] for f in every], horizon)


def read(path, horizon=None):
    """The model of a file; a horizon that is given counts before the file's."""
    path = Path(path)
    if path.suffix == ".npz":
        if horizon is None:
            raise SystemExit(f"{path}: arrays have no horizon, give --horizon")
        with np.load(path, allow_pickle=False) as arrays:
            return from_arrays(arrays, path.stem, horizon)
    opened = gzip.open(path, "rt") if path.suffix == ".gz" else open(path, encoding="utf-8")
    with opened as file:
        model = from_document(json.load(file), path.name.split(".")[0])
    if horizon is not None:
        model.horizon = horizon
    return model


# --------------------------------------------------------------------------------- measuring --

def least(function, rounds):
    """Fewest seconds by the clock and of all processors together that a call took. The caller has
    called it once, so that it is compiled."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter(), time.process_time()
        function()
        times.append((time.perf_counter() - start[0], time.process_time() - start[1]))
    return tuple(map(min, zip(*times)))


def peak_bytes():
    """The most memory that this process has held, the interpreter included."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return 1024 * int(re.search(r"VmHWM:\s+(\d+)", status).group(1))


def report(model, method, times, neg_efe, posterior, as_json, **more):
    """One row for people, or one document for compare.py."""
    seconds, spent = times
    neg_efe = np.asarray(neg_efe, np.float64)
    best = int(neg_efe.argmax())
    if as_json:
        first = model.first_actions(posterior)
        print(json.dumps({
            "model": model.name, "method": method, "policies": len(neg_efe), "seconds": seconds,
            "processor_seconds": spent, "peak_bytes": peak_bytes(),
            "best": {"index": best, "efe": -float(neg_efe[best])},
            "action_probabilities": [{"actions": a, "p": p} for a, p in first.items()], **more}))
    else:
        name = f"{model.name}.{method}"
        print(f"{name:<24} {len(neg_efe):>8} policies {seconds:>9.5f} s {spent:>9.5f} s processor "
              f"{1e6 * seconds / len(neg_efe):>9.4f} us/policy {peak_bytes() / 1e6:>6.0f} MB")
