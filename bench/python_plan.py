#!/usr/bin/env python3
"""python_plan.py: what Python adds to a decision, and to handing over a large model.

    python_plan.py [MODEL]      a document, examples/models/tmaze.json unless given

Prints rows as the programs of bench/ do. plan.python.full minus plan.c.full of bench_plan is what
the binding costs; document is what looking at the result's keys costs besides.
"""
import sys
import time
from pathlib import Path

import numpy as np

import sonde

EXAMPLES = Path(__file__).resolve().parents[1] / "examples/models"


def least(work, times=20000):
    """The least processor time of many, in microseconds; each of them several calls."""
    best = float("inf")
    for _ in range(times // 100):
        began = time.process_time()
        for _ in range(100):
            work()
        best = min(best, time.process_time() - began)
    return best * 1e4


def main():
    model = sonde.Model.from_file(sys.argv[1] if len(sys.argv) > 1 else EXAMPLES / "tmaze.json")
    belief = model.initial()
    print(f"plan.python.full {least(lambda: sonde.plan(model, search='full')):.2f} us")
    print("plan.python.full.belief "
          f"{least(lambda: sonde.plan(model, belief, search='full')):.2f} us")
    plan = sonde.plan(model, search="full")

    def look():
        plan.__dict__.pop("_document", None)
        return plan.evaluations

    print(f"plan.python.document {least(look, 4000):.2f} us")
    agent = sonde.Agent(model, search="full")
    outcome = [0] * model.n_modality
    print(f"agent.python.step {least(lambda: agent.step(outcome), 4000):.2f} us")

    n = 1800
    A, B = np.eye(n), np.full((n, n, 4), 1.0 / n)
    began = time.perf_counter()
    big = sonde.Model(A=A, B=B)
    seconds = time.perf_counter() - began
    print(f"model.python.large {seconds:.3f} s")
    print(f"model.python.large.given {(A.nbytes + B.nbytes) / 2**20:.0f} MiB")
    print(f"model.python.large.kept {big.bytes / 2**20:.0f} MiB")


if __name__ == "__main__":
    main()
