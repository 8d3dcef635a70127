#!/usr/bin/env python3
"""Refuses memory to the Python package, one request after the other.

    campaign/refused_python.py [--case NAME,...] [--most N]

It runs under a Python that has the package, and starts itself again with a library preloaded
(shim/refuse_python.c). Every case is one thing that people do with the package. It is done in a
process of its own for every request: the k-th of those that the extension and its libraries make is
refused, once and from then on, and the k-th of those that the extension makes of Python, once.
Whatever is refused, there is the same result, or MemoryError or sonde.Error; no other exception, no
crash, and no block of the libraries that is not given back.

The last line counts: {"cases": 10, "refusals": 1234, "violations": 0}.
"""
import argparse
import contextlib
import ctypes
import gc
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
# by the address of who asks, once and from then on; what the extension asks of Python, once
WAYS = [("library", 0, 0), ("library", 0, 1), ("python", 1, 0)]
PLAN = {"format": "sonde-plan", "version": 1, "name": "small", "seed": 1, "steps": 2,
        "worlds": {"sizes": [2], "graphs": 1},
        "conditions": [{"group": "table", "search": "full", "sizes": [2]},
                       {"group": "table", "search": "cluster", "k": 2, "sizes": [2]}]}
TABLE = ("subject,episode,step,seen,choice\n1,0,0,0,0\n1,0,1,1,1\n1,0,2,0,1\n"
         "2,0,0,0,1\n2,0,1,1,0\n2,0,2,1,1\n")
NAMES = ("Model", "Model.from_file", "efe", "plan", "plan closed loop", "explain", "Agent",
         "simulate", "embed", "cluster", "replay", "fit", "recover", "compare", "study")
A = [[[0.8, 0.3], [0.2, 0.7]]]
B = [[[[1.0, 0.0], [1.0, 0.0]], [[0.0, 1.0], [0.0, 1.0]]]]
# what Python itself says of a path where it finds no memory to ask it for its text
HIDDEN = "expected str, bytes or os.PathLike object, not PosixPath"
AGENT = {"threads": 1, "search": "full"}


def cases(folder):
    """What is done, and what is told of the result, by name."""
    import sonde  # where there is the package

    def model():
        return sonde.Model(A=A, B=B, C=[[0.0, 1.0]], D=[[0.5, 0.5]], horizon=2,
                           factors=[{"name": "choice"}], modalities=[{"name": "seen"}])

    def live():
        agent = sonde.Agent(made, **AGENT)
        done = []
        for seen in ([0], [1]):
            agent.observe(seen)
            done.append(agent.act())
        return repr([agent.belief, done])

    def run_study():
        path = folder / f"study-{os.getpid()}.sqlite"
        try:
            return sonde.study(folder / "plan.json", path, threads=1)
        finally:
            for one in folder.glob(f"{path.name}*"):
                one.unlink()

    made = model()
    data = sonde.Data(TABLE)
    how = {"starts": 1, "optimiser": "newton", "threads": 1}
    fits = [sonde.fit(made, data, free, **how) for free in ("gamma", "lapse")]
    return {
        "Model": (model, lambda m: m.to_json()),
        "Model.from_file": (lambda: sonde.Model.from_file(folder / "model.json"),
                            lambda m: m.to_json()),
        "efe": (lambda: made.efe(), lambda e: repr(e.efe)),
        "plan": (lambda: sonde.plan(made, **AGENT), lambda p: repr(p.action)),
        "plan closed loop": (lambda: sonde.plan(made, loop="closed", threads=1),
                             lambda p: repr(p.action)),
        "explain": (lambda: sonde.plan(made, **AGENT).explain(), str),
        "Agent": (live, str),
        "simulate": (lambda: sonde.simulate(made, steps=3, **AGENT), lambda e: repr(e.actions)),
        "embed": (lambda: sonde.embed(made, threads=1), lambda e: repr(e.rows)),
        "cluster": (lambda: sonde.cluster(made, k=2, threads=1), lambda c: repr(c.label)),
        "replay": (lambda: sonde.replay(made, data, efe=True, threads=1),
                   lambda r: repr(r.log_likelihood)),
        "fit": (lambda: sonde.fit(made, data, "gamma", **how), lambda f: repr(f.document)),
        "recover": (lambda: sonde.recover(made, "gamma", subjects=4, steps=3, **how),
                    lambda r: repr(r.document)),
        "compare": (lambda: sonde.compare(a=fits[0], b=fits[1]), lambda c: repr(c.document)),
        "study": (run_study, lambda s: repr(s)[:20]),
    }


# --------------------------------------------------------------------------------- one process --


def timeless(text):
    """Without seconds."""
    return re.sub(r"('(?:\w+_)?seconds(?:_\w+)?': )[-+.e0-9]+", r"\1*", text)


class Shim:
    """The library that was preloaded."""

    def __init__(self):
        self.library = ctypes.CDLL(None)
        self.library.refuse_arm.argtypes = [ctypes.c_int, ctypes.c_longlong, ctypes.c_int]
        self.library.refuse_live.restype = ctypes.c_longlong
        self.answer = (ctypes.c_longlong * 2)()

    def arm(self, kind, k, onward):
        self.library.refuse_arm(kind, k, onward)

    def disarm(self):
        while True:  # the call itself may be what is refused
            try:
                self.library.refuse_disarm(self.answer)
                return tuple(self.answer)
            except (MemoryError, ctypes.ArgumentError):
                pass


def attempt(shim, case, way, k):
    """Does a case with one request refused: what became of it, as a dict."""
    import sonde
    _, kind, onward = way
    do, tell = case
    told, wrong, result = None, None, None
    gc.collect()
    try:
        shim.arm(kind, k, onward)
        result = do()
        n, refused = shim.disarm()
        told = timeless(tell(result))
    except (MemoryError, sonde.Error) as error:
        n, refused = shim.disarm()
        told = f"{type(error).__name__}: {error}"
        error.__traceback__ = None
        told = None if refused else told
    except BaseException as error:  # no other is an answer
        n, refused = shim.disarm()
        wrong = None if str(error) == HIDDEN else f"{type(error).__name__}: {error}"
        error.__traceback__ = None
    del result
    gc.collect()
    return {"n": n, "refused": bool(refused), "live": shim.library.refuse_live(), "told": told,
            "wrong": wrong}


def in_child(shim, case, way, k):
    """The same in a process of its own, which may crash."""
    to_read, to_write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(to_read)
        signal.alarm(60)
        with os.fdopen(to_write, "w") as back:
            json.dump(attempt(shim, case, way, k), back)
        os._exit(0)
    os.close(to_write)
    with os.fdopen(to_read) as back:
        said = back.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return {"n": 0, "refused": True, "live": 0, "told": None,
                "wrong": f"ended by {signal.Signals(os.WTERMSIG(status)).name}"}
    return json.loads(said) if said else {"n": 0, "refused": True, "live": 0, "told": None,
                                          "wrong": f"exit status {status}"}


def refuse(shim, name, case, most):
    """Every request of a case: how many were refused, and what was wrong."""
    n_refused, violations = 0, []
    for way in WAYS:
        usual = in_child(shim, case, way, 0)
        if usual["wrong"] or usual["told"] is None:
            violations.append(f"{name}: {way[0]}: fails, though nothing is refused: {usual}")
            continue
        k = 1
        while k <= usual["n"]:
            got = in_child(shim, case, way, k)
            said = None
            if got["wrong"]:
                said = got["wrong"]
            elif got["told"] not in (None, usual["told"]):
                said = f"another result: {got['told'][:200]}"
            elif got["live"] > usual["live"]:
                said = f"{got['live'] - usual['live']} blocks left behind"
            if said:
                violations.append(f"{name}: {way[0]} {k}{' on' * way[2]}: {said}")
                print(violations[-1], file=sys.stderr, flush=True)
            n_refused += got["refused"]
            k += 1 if most == 0 or k <= most // 2 else 1 + k // max(1, most // 8)
    return n_refused, violations


def served(names, most, seconds):
    """All cases, one after the other, in the process that has the library preloaded."""
    shim = Shim()
    end = time.monotonic() + seconds if seconds else float("inf")
    counts, violations = {}, []
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        (folder / "plan.json").write_text(json.dumps(PLAN))
        (folder / "model.json").write_bytes(
            (ROOT / "examples/models/tmaze.json").read_bytes())
        every = cases(folder)
        assert tuple(every) == NAMES
        for name in names or NAMES:
            counts[name], wrong = refuse(shim, name, every[name], most)
            violations += wrong
            print(f"{name}: {counts[name]} refusals, {len(wrong)} violations", flush=True)
            if time.monotonic() > end:
                break
    print(json.dumps({"cases": len(counts), "refusals": sum(counts.values()),
                      "violations": len(violations), "by case": counts, "wrong": violations}))
    return 1 if violations else 0


# ------------------------------------------------------------------------------------- from outside


def run(python, names=(), most=0, seconds=0):
    """What the cases come to under a Python that has the package, as a dict."""
    with tempfile.TemporaryDirectory() as folder:
        shim = pathlib.Path(folder) / "refuse_python.so"
        subprocess.run(["cc", "-O1", "-fPIC", "-shared", "-o", shim,
                        HERE / "shim" / "refuse_python.c", "-ldl"], check=True)
        done = subprocess.run(
            [python, __file__, "--serve", "--case", ",".join(names), "--most", str(most),
             "--seconds", str(seconds)],
            env=dict(os.environ, LD_PRELOAD=str(shim), PYTHONDONTWRITEBYTECODE="1",
                     OPENBLAS_NUM_THREADS="1"),
            capture_output=True, text=True, check=False)
    with contextlib.suppress(ValueError, IndexError):
        return json.loads(done.stdout.splitlines()[-1])
    raise RuntimeError(f"{done.stdout[-2000:]}{done.stderr[-2000:]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--case", default="")
    parser.add_argument("--most", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    names = [name for name in args.case.split(",") if name]
    if args.serve:
        return served(names, args.most, args.seconds)
    counts = run(sys.executable, names, args.most, args.seconds)
    for sentence in counts.pop("wrong"):
        print(sentence)
    print(json.dumps(counts))
    return 1 if counts["violations"] else 0


if __name__ == "__main__":
    sys.exit(main())
