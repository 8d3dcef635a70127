"""Memory refused: the k-th request, once and from then on, of every verb, function and package."""
import os
import re
import subprocess
import time

import refused
import refused_python
import rows

FUNCTIONS = "memory.test_every_function"
# parts that are no verb of the command
PUBLIC = "functions of the headers"
PYTHON = "Python: "


class Memory(rows.Row):
    name = "memory"
    what = "Memory refused"
    how = ("the k-th request for memory is refused, once and from then on, for every k. To every "
           "verb (`campaign/refused.py`), wherever in the program and its libraries it is made, by "
           "a library that is preloaded (`campaign/shim/refuse.c`): no crash, nothing that is not "
           "given back, every file old or new, no exit status 0 without the whole result. To every "
           "function of the headers (`tests/memory/test_every_function.c`, which knows that none "
           "is missing): none crashes, leaves a block behind or keeps quiet about it. To Python's "
           "package (`campaign/refused_python.py`): requests of the extension and its libraries, "
           "and, once each, what the extension asks of Python: the same result, or MemoryError or "
           "sonde.Error.")
    unit = "refusals"
    kind = "memory"
    parts = [*refused.CASES, PUBLIC, *(PYTHON + name for name in refused_python.NAMES)]
    parts_are = "commands, functions and uses of the package"
    unreached = ["Memory refused to ranks of mpirun, and to MPI itself.",
                 "Memory that Python asks for on its own: that would try Python."]

    def prepare(self):
        self.build = self.build or rows.build("gcc", "sonde", FUNCTIONS, "sonde_lab",
                                              options=["-DSONDE_TESTS=ON"])
        self.python = environment(self.build)

    def step(self, start, seconds):
        end = time.monotonic() + seconds
        parts, violations = {}, []
        while True:
            name = self.parts[start % len(self.parts)]
            parts[name], wrong = self.refuse(name)
            violations += wrong
            start += 1
            if time.monotonic() > end:
                return rows.Step(sum(parts.values()), start, violations, parts=parts)

    def refuse(self, name):
        """Every request of a part: how many were refused, and what was wrong."""
        if name == PUBLIC:
            return functions(self.build)
        if name.startswith(PYTHON):
            counts = refused_python.run(self.python, [name.removeprefix(PYTHON)])
            return counts["refusals"], [f"Python: {one}" for one in counts["wrong"]]
        counts, wrong = refused.run(self.build / "sonde", self.kind, [name])
        return counts["refusals"], wrong


def environment(build):
    """A Python that has the package, with the libraries that were built."""
    home = rows.WORK / "python"
    if not (home / "bin" / "pip").exists():
        subprocess.run(["/usr/bin/python3", "-m", "venv", "--system-site-packages", str(home)],
                       check=True)
    subprocess.run([str(home / "bin" / "pip"), "install", "-q", "--no-index", "--no-deps",
                    "--no-build-isolation", "--force-reinstall", "--disable-pip-version-check",
                    str(rows.ROOT / "python")],
                   check=True, env=dict(os.environ, SONDE_LIBRARY=str(build)))
    return str(home / "bin" / "python")


def functions(build):
    """Every request of every function: how many were refused, and what was wrong."""
    folder = build / "tmp" / FUNCTIONS
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([str(build / "tests" / FUNCTIONS)], cwd=folder, capture_output=True,
                          text=True, check=False, errors="replace",
                          env=dict(os.environ, SONDE_REFUSE="all"))
    found = re.search(r"^refusals: ([0-9]+)", done.stdout, re.M)
    wrong = [line for line in done.stderr.splitlines() if line.startswith("sonde_")]
    if done.returncode != 0 and not wrong:
        wrong = [f"{FUNCTIONS}: exit status {done.returncode}: {done.stderr[-300:]}"]
    return int(found.group(1)) if found else 0, wrong
