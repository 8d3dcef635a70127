"""Kills commands at random moments and lets them go on; what they end with is as undisturbed.

A job is a command that works for some tenths of a second. It is killed (kill -9) at a moment drawn
from the time that it takes, and started again, until it has come to its end; then what it made is
compared, byte for byte or row for row (seconds apart), with what it makes undisturbed, and it
begins anew. In between, files are whole, or not there.
"""
import json
import os
import pathlib
import random
import shlex
import shutil
import signal
import subprocess
import tempfile
import time

import refused
import rows

STUDY = {"format": "sonde-plan", "version": 1, "name": "killed", "seed": 1, "steps": 4, "judge": 1,
         "record_steps": True,
         "worlds": {"sizes": [3, 4], "graphs": 12, "models": ["tmaze"]},
         "conditions": [{"group": "table", "search": "full", "sizes": [3, 4]},
                        {"group": "table", "search": "cluster", "k": [2, 4], "sizes": [3, 4]},
                        {"group": "quality", "models": ["tmaze"], "graphs": 4,
                         "search": "bounded"}]}
# words; databases, files and folders that they write
JOBS = {
    "study": "study study.json --db made.sqlite --quiet",
    "fit": "fit bandit.json table.csv --free gamma,eta_A,lapse --starts 3 --quiet "
           "--db made.sqlite -o made.json --csv made.csv",
    "report": "report whole.sqlite -o made",
    "view": "view whole.sqlite -o made.html --no-open",
    "recover": "recover bandit.json --free gamma,eta_A --learn --process bandit-world.json "
               "--subjects 6 --steps 30 --starts 1 --threads 1 -o made.json --csv made.csv",
}
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n"]


def prepare(command, folder):
    refused.prepare(command, folder)
    (folder / "study.json").write_text(json.dumps(STUDY))
    learn = "simulate bandit.json --process bandit-world.json --learn --episodes 4 --steps 30"
    for words in (f"{learn} --data table.csv", "study study.json --db whole.sqlite --quiet"):
        (folder / "whole.sqlite").unlink(missing_ok=True)
        status, _, err = refused.plain_run(command, words, folder)
        if status != 0:
            raise RuntimeError(f"sonde {words}: {err.decode()}")
    header, *lines = (folder / "table.csv").read_text().splitlines()
    (folder / "table.csv").write_text("\n".join(
        [header, *(f"{subject}{line[1:]}" for subject in range(1, 9) for line in lines)]) + "\n")


def made(folder):
    """What a job has made: rows of databases, and the bytes of files without seconds."""
    there = {}
    for path in sorted(folder.glob("made*")):
        if path.suffix == ".sqlite":
            there[path.name] = refused.rows_of(path)
        elif path.is_dir():
            for file in sorted(path.rglob("*")):
                if file.is_file():
                    there[str(file.relative_to(folder))] = refused.timeless(file.read_bytes())
        elif not path.name.endswith("-journal") and ".sqlite.rank" not in path.name:
            there[path.name] = refused.timeless(path.read_bytes())
    return there


def clear(folder):
    for path in folder.glob("made*"):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def drafts(there):
    return [name for name in there if ".sonde-draft-" in name]


def children(pid):
    """The states of the processes that one has started; Z: it has ended."""
    return subprocess.run(["ps", "-o", "stat=", "--ppid", str(pid)], capture_output=True,
                          text=True, check=False).stdout.split()


class Job:
    """One of the jobs in a folder of its own."""
    # seconds in which ranks end after one was killed, and mpirun after all of them
    ranks_end, mpirun_ends = 120, 15

    def __init__(self, command, name, folder, ranks):
        self.command, self.name, self.folder, self.ranks = command, name, folder, ranks
        self.words = [command, *shlex.split(JOBS[name])]
        clear(folder)
        began = time.monotonic()
        self.start().wait()
        self.seconds = time.monotonic() - began
        self.whole = self.made()
        self.wrong = []
        self.stuck = 0  # how often mpirun did not end though all ranks had
        clear(folder)

    def start(self, ranks=0):
        prefix = [*MPIRUN, str(ranks)] if ranks else []
        return subprocess.Popen([*prefix, *self.words], cwd=self.folder,
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, env=refused.environment(self.folder))

    def made(self):
        """What there is; ranks share the subjects of a fit, each with a database of its own."""
        there = made(self.folder)
        if self.ranks and self.name == "fit":
            there.pop("made.sqlite", None)
        return there

    def look(self, ended):
        """Between kills files are whole or not there; at the end everything is as undisturbed."""
        there = self.made()
        for name, data in there.items():
            if name.endswith(".sqlite"):
                if data == "broken":
                    self.wrong.append(f"{self.name}: {name} is broken after a kill")
            elif name not in drafts(there) and data != self.whole.get(name):
                self.wrong.append(f"{self.name}: {name} is not whole after a kill")
        if ended:
            left = drafts(there)
            for name in left:
                there.pop(name)
            if there != self.whole:
                names = [name for name in {**there, **self.whole}
                         if there.get(name) != self.whole.get(name)]
                self.wrong.append(f"{self.name}: {', '.join(names)} is not as undisturbed")

    def kill_once(self, chance):
        """Runs the job for a while; 1 if it was killed, 0 if it came to its end."""
        process = self.start()
        try:
            process.wait(timeout=chance.uniform(0, 1.1 * self.seconds))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            self.look(False)
            return 1
        if process.returncode != 0:
            self.wrong.append(f"{self.name}: exit status {process.returncode} after kills")
        self.look(True)
        clear(self.folder)
        return 0

    def kill_rank(self, chance):
        """Kills one rank of several; 1 if it was there to be killed."""
        process = self.start(chance.choice([2, 3, 4]))
        time.sleep(chance.uniform(0.2, 0.6 + 1.5 * self.seconds))
        ranks = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True,
                               check=False).stdout.split()
        n = 0
        if ranks and process.poll() is None:
            try:
                os.kill(int(chance.choice(ranks)), signal.SIGKILL)
                n = 1
            except ProcessLookupError:
                pass  # it was done already
        self.wait_for_ranks(process)
        if process.returncode == 0:
            self.look(True)
            clear(self.folder)
        return n

    def wait_for_ranks(self, process):
        """Until mpirun ends; once all ranks have, it is given some seconds.

        Open MPI 4.1 itself stays now and then in PMIx_server_finalize, waiting for a lock, after a
        rank was killed and the others ended: that is no fault of theirs, and counted apart.
        """
        end, gone = time.monotonic() + self.ranks_end, None
        while process.poll() is None:
            if any(not state.startswith("Z") for state in children(process.pid)):
                gone = None
            else:
                gone = gone or time.monotonic() + self.mpirun_ends
            if time.monotonic() > (gone or end):
                self.stuck += gone is not None
                if gone is None:
                    self.wrong.append(f"{self.name}: the other ranks hang after one was killed")
                process.kill()
                process.wait()
            time.sleep(0.05)

    def finish(self, ranks=0):
        """Lets the job come to its end."""
        status = self.start(ranks).wait()
        if status != 0:
            self.wrong.append(f"{self.name}: exit status {status} after kills")
        self.look(True)
        clear(self.folder)


def take(command, start, seconds, ranks):
    """A step of the campaign: kills for about so many seconds, of one job after the other."""
    command = str(pathlib.Path(command).resolve())
    end = time.monotonic() + seconds
    tallies, wrong, stuck = {}, [], 0
    names = ["study", "fit"] if ranks else list(JOBS)
    chance = random.Random(start)
    work = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=work, prefix="killed-") as place:
        folder = pathlib.Path(place)
        prepare(command, folder)
        while True:
            name = names[start % len(names)]
            job = Job(command, name, folder, ranks)
            n = 0
            until = min(end, time.monotonic() + max(2.0, seconds / 4))
            while time.monotonic() < until:
                n += job.kill_rank(chance) if ranks else job.kill_once(chance)
            job.finish(chance.choice([1, 2, 3]) if ranks else 0)
            tallies[name] = tallies.get(name, 0) + n
            stuck += job.stuck
            wrong += job.wrong
            start += 1
            if time.monotonic() >= end:
                count = sum(tallies.values())
                if stuck > 0:
                    tallies["of these, mpirun did not end after all ranks had"] = stuck
                return rows.Step(count, start, wrong, tallies)
