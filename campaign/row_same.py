"""The same bytes from every build, processor, number of threads and ranks, and in every locale."""
import base64
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import refused
import rows

sys.path[:0] = [str(rows.ROOT / "tests" / folder) for folder in ("oracle", "page")]
import random_model  # noqa: E402

# of each number there is a model with anything in it, the same as closed loop takes it (whatever
# actions, one row of C for all steps), the same with counts, and a graph world
OPEN = ["full", "cluster --k 3", "bounded", "random", "beam --beam 3", "surrogate",
        "tree --depth 2 --k 3"]
CLOSED = ["full", "bounded --epsilon 0.01", "pruned", "dpefe", "qmdp", "uct", "auto"]
COMMANDS = [
    *(f"plan model.json --search {search}" for search in OPEN),
    *(f"plan world.json --search {search}" for search in OPEN),
    *(f"plan closed.json --loop closed --horizon 2 --search {search}" for search in CLOSED),
    "plan closed.json --loop closed --horizon inf --discount 0.5 --gap 1 --budget 20",
    "simulate counts.json --learn --novelty joint --steps 3 --episodes 2",
    "simulate counts.json --learn --novelty product --search full --when episode --steps 3 "
    "--episodes 2",
    "simulate counted.json --learn --loop closed --horizon 2 --steps 2 --episodes 2",
    "fit bandit.json table.csv --free gamma,lapse --starts 1 --optimiser newton"]
# verbs that are not in the page
NOT_IN_PAGE = ("fit",)
# the compiler, and what it is told besides; -march compiles one version of every loop, and all of
# the library for that processor
BUILDS = {
    "gcc -O0": ("gcc", ["-DCMAKE_C_FLAGS_RELEASE=-O0"]),
    "gcc for AVX2": ("gcc", ["-DCMAKE_C_FLAGS=-DSONDE__ONE_VERSION -march=x86-64-v3"]),
    "clang": ("clang", []),
    "clang -O0": ("clang", ["-DCMAKE_C_FLAGS_RELEASE=-O0"]),
}
# processors that qemu plays, on which the loader chooses other versions of the same file, and libm
# others of its functions; and the best of the generations that each must be
PROCESSORS = {"a processor without AVX": ("qemu64", "x86-64"),
              "a processor with AVX2": ("max", "x86-64-v3")}
PROBE = """#include <stdio.h>
int main(void) {
    __builtin_cpu_init();
    puts(__builtin_cpu_supports("x86-64-v4") ? "x86-64-v4" :
         __builtin_cpu_supports("x86-64-v3") ? "x86-64-v3" : "x86-64");
    return 0;
}
"""
# those that are tried, with commas between; all of them unless it is said
CHOSEN = os.environ.get("SONDE_SAME", "")
THREADS = (2, 3, 8)
RANKS = (1, 2, 4)
MODELS = 50
# among the tallies: commands that were answered, and not refused with a sentence
GOOD = "commands that ended with 0"
LOCALE = ('comment_char %\nescape_char /\nLC_NUMERIC\ndecimal_point ","\nthousands_sep ""\n'
          'grouping -1\nEND LC_NUMERIC\n')
STUDY = {"format": "sonde-plan", "version": 1, "name": "same", "seed": 1, "steps": 3, "judge": 1,
         "worlds": {"sizes": [3, 4], "graphs": MODELS // 2},
         "conditions": [{"search": ["full", "bounded", "random", "beam"]},
                        {"search": ["cluster", "surrogate", "tree"], "k": 3}]}


# ------------------------------------------------------------------------------------ the models --


def scaled(table, by):
    """A table of a document, times a number."""
    if isinstance(table, dict):
        return {**table, "entries": [[*place, value * by] for *place, value in table["entries"]]}
    return [scaled(part, by) for part in table] if isinstance(table, list) else table * by


def of_one_step(row):
    """A row of C that holds at every step: the first, where there is one for each step."""
    if isinstance(row, dict):
        if len(row["shape"]) == 1:
            return row
        return {"shape": row["shape"][1:],
                "entries": [entry[1:] for entry in row["entries"] if entry[0] == 0]}
    return row[0] if isinstance(row[0], list) else row


def with_counts(document):
    """A model that learns everything that it can."""
    return {**document, **{key: [None] * len(document[key]) for key in "ABD"},
            "counts": {key: [scaled(table, 3.5) for table in document[key]] for key in "ABD"}}


def write_models(number, command, folder):
    """What the commands read, of one number."""
    model = random_model.model_of(number)[0]
    closed = {key: value for key, value in model.items() if key not in ("E", "policies", "allowed")}
    closed["C"] = [of_one_step(row) for row in model["C"]]
    for name, document in (("model", model), ("closed", closed), ("counts", with_counts(model)),
                           ("counted", with_counts(closed))):
        (folder / f"{name}.json").write_text(json.dumps(document))
    for name in ("bandit", "bandit-world"):
        shutil.copy(rows.ROOT / "examples" / "learning" / f"{name}.json", folder)
    for words in (f"graph --nodes {3 + number % 2} --seed {number + 1} -o world.json",
                  "simulate bandit.json --process bandit-world.json --learn --episodes 2 "
                  f"--steps 9 --seed {number} --data table.csv"):
        subprocess.run([str(command), *words.split()], cwd=folder, check=True, capture_output=True)


# ----------------------------------------------------------------------------------- the answers --


def normal(status, out, err):
    """An answer without seconds, and without the number of threads in the words that it repeats."""
    return status, re.sub(rb" --threads \d", b"", refused.timeless(out)), err


class Command:
    """Asks a file that this machine runs, or an emulator; more words and environment."""
    without = ()

    def __init__(self, command, threads=1, before=(), **environment):
        self.words = [*before, str(command)]
        self.threads = ["--threads", str(threads)]
        self.environment = environment

    def ask(self, words, folder):
        done = subprocess.run([*self.words, *words.split(), *self.threads], cwd=folder,
                              capture_output=True, check=False, timeout=600,
                              env={**os.environ, "LC_ALL": "C", **self.environment})
        return normal(done.returncode, done.stdout, done.stderr)


class Page:
    """Asks the page's engine, in node."""

    without = NOT_IN_PAGE

    def __init__(self, build):
        import engine  # of tests/page
        self.place = tempfile.TemporaryDirectory()
        self.engine = engine.Engine(pathlib.Path(self.place.name), build)

    def ask(self, words, folder):
        name = words.split()[1]
        packed = {name: base64.b64encode((folder / name).read_bytes()).decode()}
        status, out, err = self.engine.run(f"{words} --threads 1", packed=packed)
        return normal(status, out.encode(), err.encode())


def make_locale(folder):
    """A locale with a comma in numbers; its environment."""
    (folder / "comma.source").write_text(LOCALE)
    subprocess.run(["localedef", "-c", "--no-archive", "-i", str(folder / "comma.source"), "-f",
                    "UTF-8", str(folder / "comma")], capture_output=True, check=False)
    if not (folder / "comma").exists():
        raise RuntimeError("localedef makes no locale")
    return {"LOCPATH": str(folder), "LC_ALL": "comma", "LC_NUMERIC": "comma"}


def fields(document, place=""):
    """Every number and text of a document, by its place."""
    if isinstance(document, dict):
        for key, value in document.items():
            yield from fields(value, f"{place}.{key}" if place else key)
    elif isinstance(document, list):
        for i, value in enumerate(document):
            yield from fields(value, f"{place}[{i}]")
    else:
        yield place, document


def difference(first, other):
    """What differs between two answers, in words."""
    if first[0] != other[0]:
        return f"exit status {other[0]} in place of {first[0]}"
    try:
        old, new = (dict(fields(json.loads(answer[1].replace(b": *", b": 0"))))
                    for answer in (first, other))
    except ValueError:
        return "another text"
    names, most = {}, 0.0
    for place in {**old, **new}:
        a, b = old.get(place), new.get(place)
        if a != b:
            names[re.sub(r"\[\d+\]", "[]", place)] = True
            if isinstance(a, float) and isinstance(b, float):
                most = max(most, abs(a - b) / max(abs(a), abs(b)))
    if not names:
        return "the same values in other bytes"
    return f"{', '.join(sorted(names)[:5])}: up to {most:.2g} of the value"


# --------------------------------------------------------------------------------------- the row --


def on_processors(command, folder):
    """The file itself on other processors, where there is an emulator of them."""
    if os.uname().machine != "x86_64" or shutil.which("qemu-x86_64") is None:
        return
    (folder / "probe.c").write_text(PROBE)
    subprocess.run(["gcc", "-o", "probe", "probe.c"], cwd=folder, check=True)
    for name, (model, generation) in PROCESSORS.items():
        before = ["qemu-x86_64", "-cpu", model]
        found = subprocess.run([*before, str(folder / "probe")], capture_output=True, text=True,
                               check=True).stdout.strip()
        if found != generation:
            raise RuntimeError(f"qemu plays {found} in the place of {generation}")
        yield name, Command(command, before=before)


def chosen(name):
    return not CHOSEN or name in CHOSEN.split(",")


def simple_variants(command, folder):
    """Threads, a locale and processors: what one file is asked in several ways."""
    for n in THREADS:
        yield f"{n} threads", Command(command, threads=n)
    yield "a locale", Command(command, **make_locale(folder))
    yield from on_processors(command, folder)


def ask_all(number, first, variants, folder, step):
    """All commands on the models of one number, of every variant; several at a time."""
    write_models(number, first.words[-1], folder)

    over = threading.Event()

    def answers(variant):
        return {command: variant.ask(f"{command} --json --seed 3", folder) for command in COMMANDS
                if command.split()[0] not in variant.without and not over.is_set()}

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        try:
            expected, *found = pool.map(answers, [first, *(variant for _, variant in variants)])
        finally:
            over.set()  # whoever is interrupted waits for one command of each thread, not for all
    good = [command for command, answer in expected.items() if answer[0] == 0]
    step.tallies[GOOD] = step.tallies.get(GOOD, 0) + len(good)
    for (name, _), each in zip(variants, found):
        step.count += len(each)
        step.tallies[name] = step.tallies.get(name, 0) + len(each)
        step.violations += [
            f"{number}, {command}: {name}: {difference(expected[command], answer)}"
            for command, answer in each.items() if answer != expected[command]]


class Same(rows.Row):
    name = "same"
    what = "The same bytes"
    how = (f"{MODELS} numbers, of each a random model, the same with counts, and a graph world; "
           f"{len(COMMANDS)} commands on each: every search, open loop, closed loop (with and "
           "without a horizon), learning and a fit. 2, 3 and 8 threads; gcc and clang, -O0 and as "
           "released (-O3 where it counts); every path that the loader chooses among (the file "
           "itself on processors without AVX and with AVX2, which qemu plays, beside AVX-512 of "
           "the machine), and all compiled for AVX2; a locale with a comma in numbers; WebAssembly "
           "(the page's engine in node; fits are not in it); aarch64 (Debian's cross compiler and "
           f"libraries, and qemu). And a study of {MODELS} worlds on 1, 2 and 4 ranks. Every "
           "answer is compared byte for byte with that of gcc's release on one thread, seconds "
           "apart, and error messages, too.")
    unit = "answers"
    goal = MODELS * (len(COMMANDS) * (len(THREADS) + 1 + len(PROCESSORS) + len(BUILDS) + 2) -
                     len(NOT_IN_PAGE)) + len(RANKS)

    def prepare(self):
        self.place = tempfile.TemporaryDirectory()
        folder = pathlib.Path(self.place.name)
        command = rows.build("gcc", "sonde") / "sonde"
        self.first = Command(command)
        self.variants = [(name, one) for name, one in simple_variants(command, folder)
                         if chosen(name)]
        for i, (name, (compiler, options)) in enumerate(BUILDS.items()):
            if chosen(name):
                made = rows.build(f"same-{i}", "sonde", compiler=compiler, options=options)
                self.variants.append((name, Command(made / "sonde")))
        self.variants += self.elsewhere()

    def elsewhere(self):
        """What is built with other tools: WebAssembly and aarch64, where there are these."""
        if chosen("WebAssembly") and all(map(shutil.which, ("emcc", "node", "esbuild"))):
            yield "WebAssembly", Page(rows.build("same-page", "page",
                                                 options=["-DSONDE_ENGINE=ON"]))
        if chosen("aarch64") and all(map(shutil.which, ("aarch64-linux-gnu-gcc", "qemu-aarch64"))):
            libraries = rows.WORK / "aarch64-root"
            subprocess.run([str(rows.ROOT / "campaign" / "aarch64.sh"), str(libraries)], check=True,
                           stdout=subprocess.DEVNULL)
            made = rows.build("same-aarch64", "sonde", compiler="aarch64-linux-gnu-gcc",
                              options=[f"-DCMAKE_TOOLCHAIN_FILE={libraries / 'toolchain.cmake'}"])
            paths = ":".join(str(libraries / "root" / path / "aarch64-linux-gnu")
                             for path in ("lib", "usr/lib"))
            yield "aarch64", Command(made / "sonde", before=[
                "qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", "-E", f"LD_LIBRARY_PATH={paths}"])

    def ranks(self, folder, step):
        """A study on several ranks has the rows of one without."""
        if shutil.which("mpirun") is None:
            return
        (folder / "study.json").write_text(json.dumps(STUDY))
        first = None
        for n in (0, *RANKS):
            database = folder / f"study-{n}.sqlite"
            prefix = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(n)] * (n > 0)
            subprocess.run([*prefix, *self.first.words, "study", "study.json", "--db",
                            str(database), "--quiet"], cwd=folder, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300)
            found = refused.rows_of(database)
            first = first or found
            step.count += n > 0
            step.tallies["ranks"] = step.tallies.get("ranks", 0) + (n > 0)
            if found != first:
                step.violations.append(f"a study on {n} ranks has other rows")

    def step(self, start, seconds):
        end = time.monotonic() + seconds
        step = rows.Step(0, start)
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            if start == 0:
                self.ranks(folder, step)
            while True:
                ask_all(step.next, self.first, self.variants, folder, step)
                step.next += 1
                if time.monotonic() > end:
                    return step
