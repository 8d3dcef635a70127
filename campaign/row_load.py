"""The library under load: agents from eight threads, for seconds and for an hour, and studies."""
import contextlib
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import tempfile

import rows

THREADS = 8
# memory that a run may hold more of at its end than after its first fifth, in percent
MOST_GROWTH = 1.0
# by how much the pace of the last two fifths of a long run may differ from that before, in percent
MOST_APART = 5.0
# how much of one core rows that go on for an hour may take; all there is unless it is said
SHARE = os.environ.get("SONDE_CAMPAIGN_SHARE", "0")


def agents(build, seconds, first, share="0"):
    """Agents for so many seconds: what campaign/load.c prints, or a sentence."""
    done = subprocess.run([str(build / "campaign" / "load"), str(THREADS), str(seconds),
                           str(first), share], capture_output=True, text=True, check=False)
    words = done.stdout.split()
    if len(words) != 14:
        return f"ended with {done.returncode}: {done.stderr[-200:]}"
    return dict(zip(words[::2], map(float, words[1::2])))


def faults(found, seconds):
    """Sentences on agents that failed, and on memory."""
    wrong = []
    if found["wrong"] > 0:
        wrong.append(f"{found['wrong']:.0f} agents failed, or decided otherwise than others")
    # in less time than this not every thread has done everything once before it is measured
    if found["growth"] > MOST_GROWTH and seconds >= 15:
        wrong.append(f"memory grew by {found['growth']} % to {found['held']:.0f} kB")
    return wrong


class Load(rows.Row):
    name = "load"
    what = "Agents by the hundred thousand, made, used and freed by eight threads"
    how = ("six kinds of search (`campaign/load.c`) in a graph world and a grid; memory at the end "
           f"of each piece is at most {MOST_GROWTH:.0f} % above that after its first fifth, and "
           "every agent of a kind decides the same to the last bit.")
    unit = "agents"
    goal = 100_000
    unreached = ["The pace of pieces of some seconds is told and not judged; that of long ones is "
                 "(hour, runs)."]

    def prepare(self):
        self.build = self.build or rows.build("gcc", "sonde", "campaign_load")

    def step(self, start, seconds):
        found = agents(self.build, seconds, start)
        if isinstance(found, str):
            return rows.Step(0, start + 1, [found])
        return rows.Step(int(found["agents"]), start + 1, faults(found, seconds),
                         {"decisions": int(found["steps"])},
                         {"growth of memory, percent, most": found["growth"],
                          "pace of the second half, percent, most": found["pace"]})


class Hour(Load):
    name = "hour"
    what = "The library used from eight threads for an hour"
    how = ("the same agents in one process, in pieces of at most twenty minutes: memory at the end "
           f"of a piece is at most {MOST_GROWTH:.0f} % above that after its first fifth, and the "
           "pace of its last two fifths, in agents by second of the processor, is within "
           f"{MOST_APART:.0f} % of that of the two before. Seconds of the processor are told by a "
           "yardstick that the threads work off between agents, so that what else the machine does "
           "counts little. With SONDE_CAMPAIGN_SHARE=0.3 the threads rest in between, so that they "
           "take a third of a core.")
    unit = "seconds"
    goal = 3_600
    step_seconds = 1_200.0
    unreached = []

    def step(self, start, seconds):
        found = agents(self.build, seconds, start, SHARE)
        if isinstance(found, str):
            return rows.Step(0, start + 1, [found])
        wrong = faults(found, seconds)
        if abs(found["pace"]) > MOST_APART and seconds >= 300:
            wrong.append(f"the pace changed by {found['pace']} %")
        return rows.Step(int(seconds), start + 1, wrong,
                         {"agents": int(found["agents"]), "decisions": int(found["steps"]),
                          "seconds of the processor": int(found["used"])},
                         {"growth of memory, percent, most": found["growth"],
                          "pace of the second half, apart in percent, most": abs(found["pace"]),
                          "kilobytes held, most": found["held"]})


class Watched:
    """A process whose progress, memory and time are written down as it goes."""

    TICKS = os.sysconf("SC_CLK_TCK")

    def __init__(self, words):
        self.seen = []  # (how much is done, kilobytes, seconds of the processor)
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True) as process:
            self.rest = []
            for line in process.stderr:
                found = re.match(r"study: (\d+) of \d+", line)
                if found:
                    self.seen.append((int(found[1]), *self.look(process.pid)))
                else:
                    self.rest.append(line)
        self.status = process.returncode

    def look(self, pid):
        words = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        used = (int(words[11]) + int(words[12])) / self.TICKS
        return int(words[21]) * os.sysconf("SC_PAGESIZE") // 1024, used

    def growth(self):
        """By how many percent memory grew between a fifth of the time and the end."""
        before, after = self.seen[len(self.seen) // 5][1], self.seen[-1][1]
        return 100.0 * (after - before) / before

    def pace(self):
        """By how many percent the pace of the last two fifths differs from that of two before."""
        at = [self.seen[len(self.seen) * i // 5 - (i == 5)] for i in (1, 3, 5)]
        before, after = ((b[0] - a[0]) / (b[2] - a[2]) for a, b in zip(at, at[1:]))
        return 100.0 * (after - before) / before


class Runs(rows.Row):
    name = "runs"
    what = "A study of a million runs"
    how = ("ten conditions in a hundred thousand worlds of two nodes, one step each, in one "
           f"process: memory at the end is at most {MOST_GROWTH:.0f} % above that after the first "
           "fifth, the pace of the last two fifths, in worlds by second of the processor, is at "
           f"most {MOST_APART:.0f} % below that of the two before, and every row is there.")
    unit = "runs"
    goal = 1_000_000
    worlds = 100_000

    def prepare(self):
        self.build = self.build or rows.build("gcc", "sonde")

    def step(self, start, seconds):
        work = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        with tempfile.TemporaryDirectory(dir=work, prefix="runs-") as place:
            folder = pathlib.Path(place)
            (folder / "plan.json").write_text(json.dumps({
                "format": "sonde-plan", "version": 1, "name": "runs", "steps": 1,
                "seed": start + 1, "worlds": {"sizes": [2], "graphs": self.worlds},
                "conditions": [{"search": "bounded", "gamma": list(range(1, 11))}]}))
            watched = Watched([str(self.build / "sonde"), "study", str(folder / "plan.json"),
                               "--db", str(folder / "runs.sqlite"), "--threads", "2",
                               "--progress"])
            if watched.status != 0:
                return rows.Step(0, start + 1, [f"a study failed: {''.join(watched.rest)[-200:]}"])
            with contextlib.closing(sqlite3.connect(folder / "runs.sqlite")) as database:
                [(n,)] = database.execute("SELECT count(*) FROM run")
            megabytes = (folder / "runs.sqlite").stat().st_size / 2 ** 20
        if len(watched.seen) < 10:
            return rows.Step(0, start + 1, ["it was over before it could be watched"])
        wrong = [f"{n} rows"] if n != 10 * self.worlds else []
        if watched.growth() > MOST_GROWTH:
            wrong.append(f"memory grew by {watched.growth():.2f} %")
        if watched.pace() < -MOST_APART:
            wrong.append(f"the pace fell by {-watched.pace():.2f} %")
        return rows.Step(n, start + 1, wrong, figures={
            "megabytes of the file": megabytes,
            "growth of memory, percent, most": watched.growth(),
            "slower in the second half, percent, most": -watched.pace(),
            "kilobytes held, most": max(kilobytes for _, kilobytes, _ in watched.seen),
            "runs by second of the processor, most": n / watched.seen[-1][2]})
