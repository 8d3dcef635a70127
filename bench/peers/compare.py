#!/usr/bin/env python3
"""compare.py: Sonde beside its peers on the same models, in one run.

    python3 -m venv /tmp/peers/venv
    /tmp/peers/venv/bin/pip install -r bench/peers/requirements.txt
    bench/peers/compare.py --python /tmp/peers/venv/bin/python

    compare.py [--sonde FILE] [--python FILE] [--folder FOLDER] [--peers NAME,...] [--rounds N]
               [--reading] [MODEL...]

MODEL is a name of make_models.py (all but `large` unless given; made if they are not there) or a
file. In each round every contestant runs once, one after the other, so that a busy minute hits all
of them; the table has the least of all rounds. Sonde's seconds are those of the decision, as
`sonde plan --search full --json` gives them, of one cold call; the peers' are the fastest of
several calls after the one that compiles. Memory is the whole process (Sonde's no less than this
script's own, some 15 MB). The column with an x is how many times Sonde's seconds a peer needs.

All results have to agree: probabilities of first actions within 1e-5, G of the best policy
within 1e-4 of 1 + |G|, for JAX computes in single precision. Status 1 if they do not.

--reading reads the model `large` instead: 100 MB as .npz and the same numbers as JSON.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODELS = ["ten-5", "ten-6", "hundred-5", "factors-6"]
JAX = ["jax", "jax-chunked", "jax-tree", "numpy", "numpy-tree"]
PYMDP = ["pymdp", "pymdp-agent"]
TOLERANCE = 1e-5


# ------------------------------------------------------------------------------ running others --

def run(words):
    """What a command printed, its seconds by the clock, and the most memory it held."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.perf_counter()
        child = subprocess.Popen([str(word) for word in words], stdout=out, stderr=err)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        text, complaint = out.read().decode(), err.read().decode().strip()
    if child.returncode != 0:
        last = complaint.splitlines()[-1] if complaint else "no message"
        raise RuntimeError(f"exit {child.returncode}: {last}")
    return text, seconds, 1024 * usage.ru_maxrss


def run_sonde(settings, threads, path):
    """One decision of Sonde's, as a document like the peers'."""
    words = [settings.sonde, "plan", path, "--search", "full", "--json", "--quiet"]
    text, _, peak = run(words + (["--threads", threads] if threads else []))
    document = json.loads(text)
    return {"policies": int(float(document["policy_space"])), "seconds": document["seconds"],
            "peak_bytes": peak, "best": {"efe": document["best"]["efe"]},
            "action_probabilities": document["action_probabilities"]}


def run_peer(settings, method, path):
    """One process of a peer."""
    script = HERE / ("policies_jax.py" if method in JAX else "policies_pymdp.py")
    words = [settings.python, script, path, "--method", method, "--json"]
    return json.loads(run(words + ["--rounds", settings.calls])[0])


def contestants(settings):
    """Who takes part, Sonde first: {name: function of a model's path}."""
    def sonde(threads):
        return lambda path: run_sonde(settings, threads, path)

    def peer(method):
        return lambda path: run_peer(settings, method, path)

    all_of_them = {"sonde": sonde(None), "sonde-1-thread": sonde(1)}
    all_of_them.update({method: peer(method) for method in settings.peers.split(",") if method})
    return all_of_them


# ---------------------------------------------------------------------------------- comparing --

def difference(one, other):
    """The largest between two results: of a first action's probability, and of the best G."""
    def first(document):
        return {tuple(entry["actions"]): entry["p"] for entry in document["action_probabilities"]}
    p, q = first(one), first(other)
    of_p = max(abs(p.get(action, 0) - q.get(action, 0)) for action in p.keys() | q.keys())
    g, h = one["best"]["efe"], other["best"]["efe"]
    return of_p, abs(g - h) / (1 + abs(h))


def merged(results):
    """The least of several rounds; results are the same in all of them."""
    best = dict(min(results, key=lambda result: result["seconds"]))
    best["peak_bytes"] = max(result["peak_bytes"] for result in results)
    return best


def compare(settings, path):
    """One model, all contestants in turn: prints its rows, and says whether all agree."""
    results, missing = {}, {}
    for _ in range(settings.rounds):
        for name, function in contestants(settings).items():
            if name in missing:
                continue
            try:
                results.setdefault(name, []).append(function(path))
            except (RuntimeError, OSError, ValueError, KeyError) as error:
                missing[name] = f"{type(error).__name__}: {error}"
    results = {name: merged(found) for name, found in results.items() if name not in missing}

    sonde = results.get("sonde")
    reference = sonde or results.get("numpy") or next(iter(results.values()), None)
    agree = True
    for name, result in results.items():
        seconds, n_policy = result["seconds"], result["policies"]
        ratio = f"{seconds / sonde['seconds']:8.1f}" if sonde else "       -"
        of_p, of_g = difference(result, reference)
        agree = agree and of_p <= TOLERANCE and of_g <= 10 * TOLERANCE
        print(f"{path.stem:<10} {name:<15} {n_policy:>8} {seconds:>10.6f} s "
              f"{1e6 * seconds / n_policy:>9.4f} us/policy {result['peak_bytes'] / 1e6:>6.0f} MB "
              f"{ratio} x   differs by {of_p:.0e} (p) {of_g:.0e} (G)", flush=True)
    for name, reason in missing.items():
        print(f"{path.stem:<10} {name:<15} did not run: {reason}", flush=True)
    return agree


def compare_reading(settings, folder):
    """Seconds and memory of whole processes that read 100 MB of B and do nothing else."""
    load = "import sys, numpy; [a for a in numpy.load(sys.argv[1]).values()]"
    parse = "import sys, json; json.load(open(sys.argv[1]))"
    npz, document = folder / "large.npz", folder / "large.json"
    for name, words in {
            "sonde .npz": [settings.sonde, "model", npz, "--horizon", 1, "--json"],
            "numpy .npz": [settings.python, "-c", load, npz],
            "sonde .json": [settings.sonde, "model", document, "--json"],
            "python .json": [settings.python, "-c", parse, document]}.items():
        try:
            done = [run(words) for _ in range(settings.rounds)]
        except (RuntimeError, OSError) as error:
            print(f"reading {name:<14} did not run: {error}", flush=True)
            continue
        print(f"reading {name:<14} {min(seconds for _, seconds, _ in done):>8.3f} s "
              f"{max(peak for _, _, peak in done) / 1e6:>7.0f} MB", flush=True)


def main():
    parser = argparse.ArgumentParser(description="Sonde beside its peers on the same models")
    parser.add_argument("models", nargs="*", metavar="MODEL", default=MODELS)
    parser.add_argument("--sonde", default="build/sonde", metavar="FILE")
    parser.add_argument("--python", default=sys.executable, metavar="FILE",
                        help="of an environment with jax and inferactively-pymdp")
    parser.add_argument("--folder", type=Path, default=Path("build/peers"),
                        help="where the models are, or are made")
    parser.add_argument("--peers", default="jax,pymdp,numpy", metavar="NAME,...",
                        help=f"some of {', '.join(JAX + PYMDP)}")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--calls", type=int, default=3, help="of a peer in each of its processes")
    parser.add_argument("--reading", action="store_true", help="time reading instead of planning")
    settings = parser.parse_args()
    for method in filter(None, settings.peers.split(",")):
        if method not in JAX + PYMDP:
            parser.error(f"no peer {method} among {', '.join(JAX + PYMDP)}")

    # make what is not there
    names = ["large"] if settings.reading else [name for name in settings.models if name in MODELS]
    lacking = [name for name in names if not (settings.folder / f"{name}.json").exists()]
    if lacking:
        run([settings.python, HERE / "make_models.py", "-o", settings.folder, *lacking])

    if settings.reading:
        compare_reading(settings, settings.folder)
        return 0
    agree = True
    for name in settings.models:
        path = settings.folder / f"{name}.json" if name in MODELS else Path(name)
        agree = compare(settings, path) and agree
    if not agree:
        print("results differ by more than they may", file=sys.stderr)
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
