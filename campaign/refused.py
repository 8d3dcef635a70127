#!/usr/bin/env python3
"""Refuses memory, input and output to every verb of the command, one request after the other.

    campaign/refused.py SONDE memory|io [--case NAME,...] [--most N] [--work FOLDER]

A verb runs in a folder that has what it reads, and an old version of what it writes. The k-th
request is refused, once and from then on, for every k until there is none to refuse. Whatever is
refused, the command ends by itself with a status of its own; every file that it writes is the old
one or the new one, no other file is left, and the status is 0 only if all are new and standard
output is whole. Where memory is refused, what was asked for was given back. A database may stop
anywhere: the same command goes on from it, and ends with the rows of one that was not disturbed.

The last line counts: {"cases": 20, "refusals": 1234, "violations": 0}.
"""
import argparse
import contextlib
import errno
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

import rows

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
OLD = b"what was there before\n"
IO = {
    "open": [(errno.EIO, 0), (errno.ENOSPC, 1), (errno.EINTR, 0), (errno.EMFILE, 0)],
    "read": [(errno.EIO, 0), (errno.EIO, 1), (errno.EINTR, 0), ("short", 0), ("short", 1)],
    "write": [(errno.EIO, 0), (errno.ENOSPC, 1), (errno.EINTR, 0), ("short", 0), ("short", 1)],
    "sync": [(errno.EIO, 0), (errno.ENOSPC, 1), (errno.EINTR, 0)],
    "rename": [(errno.EIO, 0), (errno.ENOSPC, 1)],
    "remove": [(errno.EIO, 0), (errno.EIO, 1)],
    "cut": [(errno.EIO, 0), (errno.ENOSPC, 1)],
    "close": [(errno.EIO, 0), (errno.EIO, 1), (errno.EINTR, 0)],
}
# what is measured, and not the same twice: seconds, and the memory that a bench saw
SECONDS = re.compile(rb'("(?:(?:\w+_)?seconds(?:_\w+)?|bytes_per_policy)": )[-+.e0-9]+')
PLAN = {"format": "sonde-plan", "version": 1, "name": "small", "seed": 1, "steps": 2, "judge": 1,
        "worlds": {"sizes": [2, 3], "graphs": 1, "models": ["tmaze"]},
        "conditions": [{"group": "table", "search": "full", "sizes": [2, 3]},
                       {"group": "table", "search": "cluster", "k": 2, "sizes": [2, 3]},
                       {"group": "quality", "models": ["tmaze"], "search": "bounded"}]}
SEQUENCE = {"format": "sonde-sequence", "version": 1, "outcomes": [[0, 0], [1, 2], [0, 1]],
            "actions": [[0], [1]]}
# Where NLopt cannot be loaded, Newton's method is taken, and the result says so: other bytes that
# are no violation. The cases name it, therefore.
FIT = "fit bandit.json table.csv --free gamma --starts 1 --optimiser newton"

# name: the words, what they write; a database is told by its name
CASES = {
    "graph": ("graph --nodes 4 --seed 3 -o out.json --svg out.svg", "out.json out.svg"),
    "graph to text": ("graph world.json --json", ""),
    "model made": ("model --make rocksample --size 2 -o out.json", "out.json"),
    "model of .POMDP": ("model tiger.POMDP -o out.json", "out.json"),
    "model of POMDPX": ("model tiger.pomdpx -o out.json", "out.json"),
    "model of .npz": ("model small.npz -o out.json", "out.json"),
    "model of a world": ("model world.json -o out.json", "out.json"),
    "model reduced": ("model learned.json --reduce bandit.json --json", ""),
    "efe": ("efe world.json --steps -o out.json", "out.json"),
    "embed": ("embed world.json --csv out.csv -o out.json", "out.csv out.json"),
    "cluster": ("cluster world.json --k 2 --csv out.csv -o out.json", "out.csv out.json"),
    "plan": ("plan tmaze.json --explain -o out.json --svg out.svg", "out.json out.svg"),
    "plan closed loop": (
        "plan closed.json --loop closed -o out.json --svg out.svg --dot out.dot",
        "out.json out.svg out.dot"),
    "plan endless": (
        "plan tiger.json --loop closed --horizon inf --discount 0.5 --gap 1 --save-policy "
        "pol.json -o out.json",
        "pol.json out.json"),
    "plan with a policy": (
        "plan tiger.json --loop closed --horizon inf --discount 0.5 --use-policy endless.json "
        "-o out.json",
        "out.json"),
    "simulate": (
        "simulate bandit.json --process bandit-world.json --learn --episodes 2 --steps 2 -o "
        "out.json --learned learnt.json --data out.csv --save agent.json --history-svg "
        "out.svg",
        "out.json learnt.json out.csv out.csv.json agent.json out.svg"),
    "simulate resumed": (
        "simulate bandit.json --process bandit-world.json --learn --steps 4 --resume "
        "saved.json -o out.json",
        "out.json"),
    "simulate a world": (
        "simulate world.json --steps 2 --svg out.svg -o out.json",
        "out.svg out.json"),
    "replay": (
        "replay bandit.json table.csv --counts -o out.json --csv out.csv",
        "out.json out.csv"),
    "replay as SPM": ("replay trials.json --scheme spm -o out.json", "out.json"),
    "fit": (
        f"{FIT} -o out.json --csv out.csv",
        "out.json out.csv"),
    "fit kept": (
        f"{FIT} -o out.json --db kept.sqlite",
        "out.json kept.sqlite"),
    "fit of a group": (
        f"{FIT} --group eb -o out.json",
        "out.json"),
    "smooth": ("smooth bandit.json --data sequence.json -o out.json", "out.json"),
    "recover": (
        "recover bandit.json --free gamma --process bandit-world.json --subjects 2 --steps 3 "
        "--starts 1 --optimiser newton -o out.json --csv out.csv --svg out.svg",
        "out.json out.csv out.svg"),
    "compare": ("compare fit-a.json fit-b.json -o out.json", "out.json"),
    "study": ("study plan.json --db new.sqlite --quiet", "new.sqlite"),
    "study gone on": ("study plan.json --db begun.sqlite --quiet", "begun.sqlite"),
    "report": ("report whole.sqlite -o page", "page/"),
    "report of a fit": ("report fit-a.json -o page", "page/"),
    "view": ("view world.json -o out.html --no-open", "out.html"),
    "view a study": ("view whole.sqlite -o out.html --no-open", "out.html"),
    "bench": ("bench cluster --world world.json --k 2 --repeats 1 -o bench.json", "bench.json"),
    "help": ("help --json", ""),
    "fit with draws": (f"{FIT} --posterior 3 --posterior-csv out.csv -o out.json",
                       "out.csv out.json"),
    "recover kept": (
        "recover bandit.json --free gamma --process bandit-world.json --subjects 2 --steps 3 "
        "--starts 1 --optimiser newton --db kept.sqlite -o out.json",
        "out.json kept.sqlite"),
}


def environment(folder):
    return dict(os.environ, LC_ALL="C", COLUMNS="80", SONDE_PAGE=str(folder / "empty-page.html"),
                HOME=str(folder))


def plain_run(command, words, folder):
    done = subprocess.run([command, *shlex.split(words)], cwd=folder, capture_output=True,
                          env=environment(folder), check=False, timeout=120)
    return done.returncode, done.stdout, done.stderr


def prepare(command, folder):
    """Puts what the cases read into a folder."""
    learning = ROOT / "examples/learning"
    for source, name in [(learning / "bandit.json", "bandit.json"),
                         (learning / "bandit-world.json", "bandit-world.json"),
                         (ROOT / "examples/models/tmaze.json", "tmaze.json"),
                         (ROOT / "tests/data/closed/models/t-maze-certain.json", "closed.json"),
                         (ROOT / "tests/data/models/small.npz", "small.npz"),
                         (ROOT / "tests/data/learning/tmaze-ade.trials.json", "trials.json"),
                         (ROOT / "fuzz/corpus/model_pomdp/tiger.POMDP", "tiger.POMDP"),
                         (ROOT / "fuzz/corpus/model_pomdpx/tiger.pomdpx", "tiger.pomdpx")]:
        shutil.copy(source, folder / name)
    (folder / "plan.json").write_text(json.dumps(PLAN))
    (folder / "sequence.json").write_text(json.dumps(SEQUENCE))
    page = re.sub("@[A-Z]+@", "nothing", (ROOT / "web/page.html").read_text())
    (folder / "empty-page.html").write_text(page)
    learn = "simulate bandit.json --process bandit-world.json --learn --episodes 2 --steps 3"
    for words in ("graph --nodes 3 --seed 1 -o world.json",
                  "model tiger.POMDP -o tiger.json",
                  f"{learn} --learned learned.json --data table.csv --save saved.json",
                  "plan tiger.json --loop closed --horizon inf --discount 0.5 --gap 1 "
                  "--save-policy endless.json",
                  "fit bandit.json table.csv --free gamma --starts 1 --name a -o fit-a.json",
                  "fit bandit.json table.csv --free lapse --starts 1 --name b -o fit-b.json",
                  "study plan.json --db whole.sqlite --quiet",
                  "study plan.json --db begun.sqlite --quiet"):
        status, _, err = plain_run(command, words, folder)
        if status != 0:
            raise RuntimeError(f"sonde {words}: {err.decode()}")
        if "--data" in words:
            add_subject(folder / "table.csv")
    with contextlib.closing(sqlite3.connect(folder / "begun.sqlite")) as begun, begun:
        for table in ("task", "run", "world"):
            begun.execute(f"DELETE FROM {table}")


def add_subject(table):
    """A second subject, who does what the first did."""
    header, *rows = table.read_text().splitlines()
    assert all(row.startswith("1,") for row in rows)
    table.write_text("\n".join([header, *rows, *("2" + row[1:] for row in rows)]) + "\n")


def rows_of(database):
    """All rows of a database without seconds, or None if there is no such file."""
    if not database.exists():
        return None
    with contextlib.closing(sqlite3.connect(database)) as connection:
        if connection.execute("PRAGMA integrity_check").fetchone() != ("ok",):
            return "broken"
        tables = [row[0] for row in connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
        rows = {}
        for table in tables:
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")
                       if "seconds" not in row[1]]
            rows[table] = sorted(map(repr, connection.execute(
                f"SELECT {', '.join(columns)} FROM {table}").fetchall()))
        return rows


def timeless(data):
    return SECONDS.sub(rb"\1*", data)


class Case:
    """A verb at work in a folder of its own, again and again."""

    def __init__(self, command, name, given, folder, shim):
        self.command, self.name = command, name
        self.words, written = CASES[name]
        self.given, self.folder = given, folder
        self.written = written.split()
        self.files = [one for one in self.written if not one.endswith((".sqlite", "/"))]
        self.databases = [one for one in self.written if one.endswith(".sqlite")]
        self.folders = [one[:-1] for one in self.written if one.endswith("/")]
        self.violations = []
        self.begin()
        status, self.out, err = plain_run(command, self.words, folder)
        if status != 0:
            raise RuntimeError(f"sonde {self.words}: {err.decode()}")
        self.new = self.look()
        self.rows = {one: rows_of(folder / one) for one in self.databases}
        self.serve(shim)
        self.begin()
        self.ask("none 0 0 0")

    def begin(self):
        """What is read as it is given, and the old version of what is written."""
        for path in list(self.folder.iterdir()):
            if path.is_dir():
                shutil.rmtree(path)
            elif path.name not in ("stdout", "stderr") and not (
                    path.name in self.given and path.name not in self.databases):
                path.unlink()
        for name, data in self.given.items():
            if not (self.folder / name).exists():
                (self.folder / name).write_bytes(data)
        for name in self.files:
            (self.folder / name).write_bytes(OLD)

    def look(self):
        """Everything that is there, but for what was given and databases."""
        there = {}
        for path in self.folder.rglob("*"):
            name = str(path.relative_to(self.folder))
            if path.is_file() and name not in ("stdout", "stderr") and (
                    name not in self.given) and not name.startswith(tuple(self.databases) or "\0"):
                there[name] = timeless(path.read_bytes())
        return there

    def serve(self, shim):
        to_read, to_write = os.pipe()
        back_read, back_write = os.pipe()
        self.stdout, self.stderr = self.folder / "stdout", self.folder / "stderr"
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        out, err = os.open(self.stdout, flags), os.open(self.stderr, flags)
        self.server = subprocess.Popen(
            [self.command, *shlex.split(self.words)], cwd=self.folder, stdin=subprocess.DEVNULL,
            stdout=out, stderr=err, pass_fds=(to_read, back_write),
            env=dict(environment(self.folder), LD_PRELOAD=str(shim), SONDE_SHIM_IN=str(to_read),
                     SONDE_SHIM_OUT=str(back_write)))
        for descriptor in (to_read, back_write, out, err):
            os.close(descriptor)
        self.asking = os.fdopen(to_write, "w", buffering=1)
        self.answers = os.fdopen(back_read)

    def ask(self, line):
        for path in (self.stdout, self.stderr):
            os.truncate(path, 0)
        self.asking.write(line + "\n")
        answer = self.answers.readline().split()
        if len(answer) < 4:
            raise RuntimeError(f"{self.name}: the command does not listen; {line}")
        status, count, refused, live = map(int, answer[:4])
        return status, count, refused != 0, live, answer[4:]

    def close(self):
        self.asking.close()
        self.answers.close()
        self.server.wait()

    def blame(self, line, sentence):
        self.violations.append(f"{self.name}: {line}: {sentence}")
        print(self.violations[-1], file=sys.stderr, flush=True)

    def check(self, line):
        """One refusal and all that must be true after it; whether anything was refused."""
        self.begin()
        status, _, refused, live, callers = self.ask(line)
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            said = self.stderr.read_text(errors="replace").strip()[-300:]
            self.blame(line, f"ended by {signal.Signals(number).name} {said}")
            return refused
        code = os.WEXITSTATUS(status)
        if code not in (0, 1, 2, 3, 4):
            self.blame(line, f"exit status {code}")
        if live:
            self.blame(line, f"{live} blocks leaked, asked for by {callers}")
        if not refused and code != 0:
            self.blame(line, f"exit status {code}, though nothing was refused")
        if code != 0 and not self.stderr.read_bytes().strip() and not line.startswith("memory"):
            self.blame(line, f"exit status {code}, and not a word")
        self.check_files(line, code)
        self.check_rows(line, code)
        return refused

    def check_files(self, line, code):
        there = self.look()
        for name, data in there.items():
            if name not in self.new:
                self.blame(line, f"{name} is left")
            elif data not in (self.new[name], OLD):
                self.blame(line, f"{name} is neither old nor new")
            elif code == 0 and data != self.new[name]:
                self.blame(line, f"{name} is old, and the exit status 0")
        if code == 0 and set(there) != set(self.new):
            self.blame(line, f"{set(self.new) - set(there)} is not there, and the exit status 0")
        gone = set(self.files) - set(there)
        if gone:
            self.blame(line, f"{gone} is gone")
        if code == 0 and "bench" not in self.name and self.words != "help --json":
            if normal(self.stdout.read_bytes()) != normal(self.out):
                self.blame(line, "standard output is not whole, and the exit status 0")

    def check_rows(self, line, code):
        for name in self.databases:
            path = self.folder / name
            if code == 0 and rows_of(path) != self.rows[name]:
                self.blame(line, f"{name} is not whole, and the exit status 0")
            if code != 0:
                again, _, err = plain_run(self.command, self.words, self.folder)
                if again != 0:
                    self.blame(line, f"cannot be gone on from: {err.decode().strip()}")
                elif rows_of(path) != self.rows[name]:
                    self.blame(line, f"{name} has other rows than undisturbed")


def normal(out):
    """Text without times, nor the room that they take."""
    out = re.sub(rb"(?m)^time: .*", b"", out)
    return re.sub(rb"[ -]+", b" ", re.sub(rb"[\d.]+ (\xc2\xb5s|ms|s|min)\b", b"", timeless(out)))


def refuse(case, what, most):
    """Refuses every request; how many were."""
    plans = ([("memory", errno.ENOMEM, 0), ("memory", errno.ENOMEM, 1)] if what == "memory" else
             [(kind, how, on) for kind, ways in IO.items() for how, on in ways])
    n = 0
    for kind, how, on in plans:
        k = 1
        while case.check(f"{kind} {k} {how} {on}"):
            n += 1
            # with a limit, the first requests one by one and the others in strides
            k += 1 if most == 0 or k <= most // 2 else 1 + k // max(1, most // 4)
            if len(case.violations) > 200:
                break
    return n


def build_shim(folder):
    shim = folder / "shim.so"
    source = HERE / "shim" / "refuse.c"
    subprocess.run(["cc", "-O1", "-g", "-fPIC", "-shared", "-o", shim, source, "-ldl"], check=True)
    return shim


def take(command, what, start, seconds):
    """A step of the campaign: cases from the number `start` on, for about so many seconds."""
    end = time.monotonic() + seconds
    names, done, count, violations = list(CASES), {}, 0, []
    while True:
        name = names[start % len(names)]
        counts, wrong = run(command, what, [name])
        done[name] = counts["refusals"]
        count += counts["refusals"]
        violations += wrong
        start += 1
        if time.monotonic() > end:
            return rows.Step(count, start, violations, parts=done)


def run(command, what, names, most=0, work=None):
    """Counts of one round over the cases."""
    command = str(pathlib.Path(command).resolve())
    refusals, violations = {}, []
    work = work or ("/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    with tempfile.TemporaryDirectory(dir=work, prefix="refused-") as place:
        place = pathlib.Path(place)
        given = place / "given"
        given.mkdir()
        prepare(command, given)
        given = {path.name: path.read_bytes() for path in given.iterdir() if path.is_file()}
        shim = build_shim(place)
        for name in names:
            folder = place / "case"
            folder.mkdir()
            case = Case(command, name, given, folder, shim)
            refusals[name] = refuse(case, what, most)
            violations += case.violations
            case.close()
            shutil.rmtree(folder)
            print(f"{name}: {refusals[name]} refusals, {len(case.violations)} violations",
                  flush=True)
    return {"cases": len(names), "refusals": sum(refusals.values()),
            "violations": len(violations)}, violations


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command")
    parser.add_argument("what", choices=["memory", "io"])
    parser.add_argument("--case", default=",".join(CASES))
    parser.add_argument("--most", type=int, default=0)
    parser.add_argument("--work")
    args = parser.parse_args()
    names = [name for name in CASES if name in args.case.split(",")]
    counts, violations = run(args.command, args.what, names, args.most, args.work)
    print(json.dumps(counts))
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
