"""Builds everything once such that one file can be another: a mutant costs one compilation.

The library and the laboratory are one shared library, libbase.so, in which any function may be
taken from elsewhere; a second one, libmutant.so, comes first and is empty. A mutant is one file,
compiled alone, in the place of the empty one: its functions are taken by everybody, and neither
tests nor the command are linked again. Limits are seconds of the processor, so that other programs
do not make a mutant look as if it never ended.
"""
import concurrent.futures
import json
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys

import rows

sys.path.insert(0, str(rows.ROOT / "tools"))
import golden  # noqa: E402

ALLOCATION = "-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free,--wrap=aligned_alloc"
# golden commands that take more seconds of the processor are left out
QUICK = 0.0
# seconds of those that are not measured
SLOW = 40.0
SLOW_ENDS = (-signal.SIGXCPU, -signal.SIGKILL)
# with which sanitizers end a program
FOUND = 99
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
LIBRARIES = ["jansson", "zlib", "sqlite3", "cmocka"]


def call(words, place, seconds=600):
    """Runs a command, which must succeed."""
    done = subprocess.run(words, cwd=place, capture_output=True, text=True, timeout=seconds,
                          check=False, start_new_session=True)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(map(str, words))}\n{done.stdout[-2000:]}{done.stderr[-3000:]}")
    return done.stdout


def newer(made, depends):
    """Whether a file is there, and nothing that it was made of has changed since."""
    if not made.exists() or not depends.exists():
        return False
    names = depends.read_text().replace("\\\n", " ").split(":", 1)[1].split()
    when = made.stat().st_mtime
    return all(os.path.exists(name) and os.stat(name).st_mtime <= when for name in names)


def watching(words):
    """The same with the sanitizers of `make test`."""
    return [*(word for word in words if "FORTIFY" not in word), *SANITIZERS]


class Check:
    """Something that passes on the program as it is: a command line, or golden answers."""

    def __init__(self, name, words, python=False):
        self.name = name
        self.words = words
        self.python = python
        self.seconds = 0.0


class Bench:
    """The folder in which mutants are made and checked."""

    def __init__(self, folder, area):
        self.folder = pathlib.Path(folder)
        self.area = area
        self.cmake = self.folder / "cmake"
        self.objects = self.folder / "objects"
        self.watched = self.folder / "watched"
        self.library = self.folder / "lib"
        self.golden = self.folder / "golden"
        self.base = {}
        self.known = {}
        self.checks = {}
        self.refusing = {}
        for place in (self.objects, self.watched, self.library, self.folder / "tests"):
            place.mkdir(parents=True, exist_ok=True)
        words = call(["pkg-config", "--libs", *LIBRARIES], rows.ROOT).split()
        self.libraries = [*words, "-pthread", "-ldl", "-lm"]
        self.takes = [f"-L{self.library}", f"-Wl,-rpath,{self.library}", "-Wl,--no-as-needed",
                      "-lmutant", "-lbase", *self.libraries]
        self.sanitizer = call(["gcc", "-print-file-name=libasan.so"], self.folder).strip()

    # ------------------------------------------------------------------------------- building --

    def configure(self):
        """Lists how files are compiled, unless that list is newer than all that it depends on."""
        made = self.cmake / "compile_commands.json"
        depends = [rows.ROOT / "CMakeLists.txt", *rows.ROOT.glob("cmake/*"), rows.ROOT / "cli",
                   *(path for part in ("src", "lab", "tests") for path in
                     rows.ROOT.glob(f"{part}/*") if path.is_dir())]
        if made.exists() and all(path.stat().st_mtime < made.stat().st_mtime for path in depends):
            return
        call(["cmake", "-S", str(rows.ROOT), "-B", str(self.cmake), "-DCMAKE_C_COMPILER=gcc",
              "-DSONDE_TESTS=ON", "-DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON"], rows.ROOT)
        call(["cmake", f"-DROOT={rows.ROOT}", "-DOUT=lab_texts.c", "-P",
              str(rows.ROOT / "cmake/texts.cmake")], self.cmake)

    def words(self, entry, source, made):
        """How a file is compiled here: quickly, and so that its functions can be replaced."""
        words = [word for word in shlex.split(entry["command"]) if not word.startswith("-O")
                 and word not in ("-Werror", "-fvisibility=hidden")]
        words[words.index("-o") + 1] = str(made)
        words[words.index(entry["file"])] = str(source)
        return [*words, "-w", "-O1", "-fPIC", f"-iquote{pathlib.Path(entry['file']).parent}"]

    def compile(self, entry, watched=False):
        """The object of an entry of CMake's list, made if it is not there."""
        made = (self.watched if watched else self.objects) / shlex.split(entry["command"])[
            shlex.split(entry["command"]).index("-o") + 1].replace("/", "+")
        depends = made.with_suffix(".d")
        if not newer(made, depends):
            words = self.words(entry, entry["file"], made)
            call([*(watching(words) if watched else words), "-MD", "-MF", str(depends)],
                 entry["directory"])
        return made

    def build(self, jobs=1):
        """Makes everything that is not as the sources are."""
        self.configure()
        entries = json.loads((self.cmake / "compile_commands.json").read_text())
        by_target = {}
        for entry in entries:
            target = entry["command"].split("CMakeFiles/", 1)[1].split(".dir/")[0]
            name = os.path.relpath(entry["file"], rows.ROOT)
            if self.wanted(target):
                by_target.setdefault(target, []).append(entry)
            if target in ("sonde_objects", "sonde_lab"):
                self.base[name] = entry
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            made = {target: list(pool.map(self.compile, mine))
                    for target, mine in by_target.items()}
            self.link_libraries(made.pop("sonde_objects") + made.pop("sonde_lab"))
            list(pool.map(self.link, made, made.values()))
        self.list_checks(made)

    def wanted(self, target):
        area = self.area
        return target in ("sonde_objects", "sonde_lab", "sonde", *area.refusing, *area.plain,
                          *(program for program, _ in area.programs.values())) or (
                              target.split(".")[0] in area.in_c and not target.endswith(".plain")
                              and target not in area.left_out)

    def link_libraries(self, objects):
        self.every = objects
        base = self.library / "libbase.so"
        if not base.exists() or any(one.stat().st_mtime > base.stat().st_mtime for one in objects):
            call(["gcc", "-shared", "-o", str(base), *map(str, objects), *self.libraries],
                 self.folder)
        empty = self.library / "libmutant.so"
        if not empty.exists():
            call(["gcc", "-shared", "-o", str(empty), "-xc", "/dev/null"], self.folder)

    def program(self, target):
        return self.cmake / "sonde" if target == "sonde" else self.folder / "tests" / target

    def link(self, target, objects):
        made = self.program(target)
        if target in self.area.refusing:
            self.refusing[target] = objects
        elif not made.exists() or any(one.stat().st_mtime > made.stat().st_mtime
                                      for one in objects):
            call(["gcc", "-o", str(made), *map(str, objects), *self.takes], self.folder)

    # -------------------------------------------------------------------------------- the checks --

    def list_checks(self, made):
        """Every check, with the seconds of the processor that it takes on the program as it is."""
        add = self.checks.setdefault
        for target in sorted(made):
            if target.split(".")[0] in self.area.in_c:
                add(target, Check(target, [str(self.program(target))]))
        for name, (target, words) in self.area.programs.items():
            add(name, Check(name, [str(self.program(target)), *words]))
        for path in self.in_python():
            name = f"{path.parent.name}.{path.name}"
            add(name, Check(name, ["/usr/bin/python3", "-m", "pytest", "-qx", "-p",
                                   "no:cacheprovider", str(path)], True))
        for target in self.area.refusing:
            add(target, Check(target, []))
        self.prepare_golden()
        self.measure()

    def in_python(self):
        tests = rows.ROOT / "tests"
        return sorted(path for place in self.area.in_python
                      for path in ([tests / place] if place.endswith(".py") else
                                   (tests / place).glob("test_*.py"))
                      if path.name not in self.area.left_out)

    def prepare_golden(self):
        shutil.rmtree(self.golden, ignore_errors=True)
        self.golden.mkdir()
        golden.prepare(self.golden)
        sonde = self.cmake / "sonde"
        for name, words in golden.DRAWN.items():
            golden.run(sonde, f"{words} -o {name}", self.golden)
        self.area.prepare(self.golden, lambda words: golden.run(sonde, words, self.golden))

    def measure(self):
        """How long each check takes; those that fail on the program as it is are left out."""
        kept = self.folder / "seconds.json"
        known = json.loads(kept.read_text()) if kept.exists() else {}
        for name, check in list(self.checks.items()):
            check.seconds = SLOW
            if name in self.area.refusing or check.python and not self.area.measured:
                continue
            stamp = os.stat(check.words[-1 if check.python else 0]).st_mtime
            found = known.get(name)
            if found is None or found[0] != stamp:
                known[name] = found = [stamp, *self.seconds(check)]
                kept.write_text(json.dumps(known, indent=1))
            check.seconds = found[1]
            if not found[2]:
                print(f"{name} fails on the program as it is, and is left out", file=sys.stderr)
                del self.checks[name]

    def seconds(self, check):
        """The seconds of the processor that a check takes, and whether it passes."""
        began = os.times()
        passed = Seat(self, 0).passes(check, 400)
        ended = os.times()
        return [round(ended.children_user + ended.children_system - began.children_user
                      - began.children_system, 3), passed]


class Seat:
    """Where one mutant at a time takes the place of a file; several can be used at once."""

    def __init__(self, bench, number):
        self.bench = bench
        self.folder = bench.folder / f"seat-{number}"
        self.library = self.folder / "lib"
        self.work = self.folder / "work"
        self.mutant = (None, None)
        for place in (self.library, self.work):
            place.mkdir(parents=True, exist_ok=True)
        self.environment = dict(
            os.environ, LC_ALL="C", COLUMNS="80", PYTHONDONTWRITEBYTECODE="1",
            LD_LIBRARY_PATH=str(self.library), SONDE_TEST_DATA=str(rows.ROOT / "tests/data"),
            SONDE_COMMAND=str(bench.program("sonde")))
        self.watching = {
            "LD_PRELOAD": bench.sanitizer, "UBSAN_OPTIONS": f"exitcode={FOUND}",
            "ASAN_OPTIONS": f"exitcode={FOUND}:detect_leaks=0:detect_odr_violation=0:"
                            "quarantine_size_mb=1:malloc_context_size=0"}
        self.put_back()

    def put_back(self):
        """The program as it is: nothing is taken from elsewhere."""
        self.put(self.bench.library / "libmutant.so")

    def put(self, library):
        draft = self.library / "draft.so"
        shutil.copy(library, draft)
        os.replace(draft, self.library / "libmutant.so")

    def assemble(self, name, source, made):
        """The assembler's text of a file; None if it does not compile."""
        entry = self.bench.base[name]
        words = ["-S" if word == "-c" else word for word in self.bench.words(entry, source, made)]
        done = subprocess.run(words, cwd=entry["directory"], capture_output=True, check=False,
                              start_new_session=True)
        return made.read_text() if done.returncode == 0 else None

    def make(self, name, text):
        """Puts another text of a file in its place: 'made', 'same' code, or 'broken'."""
        work = self.work
        original = work / (name.replace("/", "+") + ".s")
        source = rows.ROOT / name
        if not original.exists() or original.stat().st_mtime < source.stat().st_mtime:
            self.assemble(name, source, original)
        mutant = work / source.name
        mutant.write_text(text)
        made = work / "mutant.s"
        code = self.assemble(name, mutant, made)
        if code is None:
            return "broken"
        if code == original.read_text():
            return "same"
        self.mutant = (name, work / "mutant.o")
        call(["gcc", "-c", "-o", str(self.mutant[1]), str(made)], work)
        call(["gcc", "-shared", "-o", str(work / "mutant.so"), str(self.mutant[1])], work)
        self.put(work / "mutant.so")
        return "made"

    def watch(self, mutated=True):
        """Puts the mutant in its place anew, or nothing, with the sanitizers of `make test`, which
        watch what lies between the arrays of a block, too."""
        objects = [self.bench.compile(self.bench.base["src/base/memory.c"], True)]
        if mutated:
            name = self.mutant[0]
            objects.append(self.work / "watched.o")
            source = self.work / pathlib.Path(name).name
            entry = self.bench.base[name]
            call(watching(self.bench.words(entry, source, objects[1])), entry["directory"])
        call(["gcc", "-shared", "-o", str(self.work / "watched.so"), *map(str, objects),
              *SANITIZERS], self.work)
        self.put(self.work / "watched.so")

    @staticmethod
    def limited(words, seconds, watched=False):
        """A command that ends after so many seconds of the processor, or with so much memory."""
        return ["prlimit", f"--cpu={int(seconds) + 1}", "--core=0",
                *([] if watched else ["--as=6000000000"]), "--", *words]

    def passes(self, check, seconds=None, watched=False):
        """Whether a check passes with the mutant that is in its place."""
        limit = seconds or (8 if watched else 2 + 6 * check.seconds)
        place = self.folder / "tmp" / check.name
        place.mkdir(parents=True, exist_ok=True)
        environment = dict(self.environment, SONDE_TEST_TMP=str(place))
        if watched:
            environment |= self.watching
        refusing = check.name in self.bench.area.refusing
        words = [str(self.refusing(check.name))] if refusing else check.words
        done = self.end(self.limited(words, limit, watched), place, environment, limit)
        # sanitizers that take long have seen nothing so far
        return done is not None and (done[0] == 0 or watched and done[0] in SLOW_ENDS)

    @staticmethod
    def end(words, place, environment, limit):
        """The status and the text of a command with a session of its own; None if it hangs."""
        with subprocess.Popen(words, cwd=place, stdin=subprocess.DEVNULL, env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              errors="replace", start_new_session=True) as child:
            try:
                text = child.communicate(timeout=120 + 30 * limit)[0]
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                return None
        return child.returncode, text

    def refusing(self, target):
        """A test that refuses memory has everything inside of it, and is linked anew."""
        objects = list(map(str, self.bench.every + self.bench.refusing[target]))
        name, mutant = self.mutant
        if name is not None:
            objects[objects.index(str(self.bench.compile(self.bench.base[name])))] = str(mutant)
        made = self.work / target
        call(["gcc", "-o", str(made), *objects, ALLOCATION, *self.bench.libraries], self.work)
        return made

    def answer(self, words, seconds):
        done = self.end(self.limited([str(self.bench.program("sonde")), *shlex.split(words)],
                                     seconds), self.bench.golden, self.environment, seconds)
        return done and (done[0], golden.mask(done[1]))

    def is_found(self, words):
        """Whether sanitizers, which are in its place, see something in a command."""
        limit = 3 + 20 * QUICK
        done = self.end(self.limited([str(self.bench.program("sonde")), *shlex.split(words)], limit,
                                     True), self.bench.golden, self.environment | self.watching,
                        limit)
        return done is not None and done[0] == FOUND

    def without(self, do):
        """Does something on the program as it is, and puts the mutant in its place again."""
        mutant, self.mutant = self.mutant, (None, None)
        self.put_back()
        found = do()
        self.put(self.work / "mutant.so")
        self.mutant = mutant
        return found

    def other_answer(self, commands):
        """The first command that has another answer now, or None."""
        for words in commands:
            if words not in self.bench.known:
                found = self.without(lambda words=words: self.answer(words, QUICK))
                # those that take longer are not for here
                self.bench.known[words] = found if found is not None and found[0] >= 0 else None
            expected = self.bench.known[words]
            if expected is not None and self.answer(words, 3 + 6 * QUICK) != expected:
                return words
        return None
