#!/usr/bin/env python3
"""The campaign: tries to break Sonde, adds up what it survived, and writes the page.

    campaign/campaign.py                              all rows, until each has what it should
    campaign/campaign.py --row numbers --seconds 600  one row, or several (a,b), for so long
    campaign/campaign.py --list                       the rows, and how far they are
    campaign/campaign.py --page                       writes docs/reliability.md from the counts
    campaign/campaign.py --page --check               fails where that page is not as the counts say

Rows are files row_NAME.py beside this one (see rows.py). What each has tried is added up in
counts/NAME.json, by the commit of what was tried; whoever has run a campaign commits these files
and the page. It can be interrupted at any moment, and goes on where it was; several may run at
once, on different rows. It fails if something was not as it must be.
"""
import argparse
import fcntl
import importlib.util
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import rows  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
PAGE = rows.ROOT / "docs" / "reliability.md"
# what a count is about: a change elsewhere leaves it true
TRIED = ["CMakeLists.txt", "cmake", "include", "src", "lab", "cli", "python/src", "python/sonde",
         "web"]
# sentences that are kept of what was wrong at one commit
MOST_KEPT = 20


# ------------------------------------------------------------------------------------ the counts --


def commit():
    """The last commit that changed what is tried, with a + where there are changes besides."""
    def git(*words):
        return subprocess.run(["git", "-C", str(rows.ROOT), *words], capture_output=True, text=True,
                              check=False).stdout.strip()
    name = git("log", "-1", "--format=%h", "--abbrev=10", "--", *TRIED) or "unknown"
    return name + ("+" if git("status", "--porcelain", "--", *TRIED) else "")


class Counts:
    """What a row has tried so far, in a file that is always whole."""

    def __init__(self, folder, name):
        self.path = pathlib.Path(folder) / f"{name}.json"
        if self.path.exists():
            self.data = json.loads(self.path.read_text())
        else:
            self.data = {"row": name, "next": 0, "commits": []}

    def of(self, name):
        """The entry of a commit, which need not be in the list yet."""
        for entry in self.data["commits"]:
            if entry["commit"] == name:
                return entry
        return {"commit": name, "count": 0, "violations": 0, "seconds": 0, "date": "",
                "tallies": {}, "figures": {}, "wrong": []}

    def add(self, name, step, seconds, anew=False):
        """Adds a step, or puts it in the place of those before, and writes the file."""
        if anew:
            self.data["commits"] = [e for e in self.data["commits"] if e["commit"] != name]
        entry = self.of(name)
        if entry not in self.data["commits"]:
            self.data["commits"].append(entry)
        entry["count"] += step.count
        entry["violations"] += len(step.violations)
        entry["seconds"] = round(entry["seconds"] + seconds, 1)
        entry["date"] = time.strftime("%Y-%m-%d")
        entry["wrong"] = (entry["wrong"] + step.violations)[:MOST_KEPT]
        for key, value in step.tallies.items():
            entry["tallies"][key] = value + entry["tallies"].get(key, 0)
        for key, value in step.figures.items():
            entry["figures"][key] = max(value, entry["figures"].get(key, value))
        if step.parts:
            entry["parts"] = {**entry.get("parts", {}), **step.parts}
        self.data["next"] = step.next
        self.path.parent.mkdir(parents=True, exist_ok=True)
        draft = self.path.with_suffix(f".{os.getpid()}")
        draft.write_text(json.dumps(self.data, indent=1) + "\n")
        os.replace(draft, self.path)

    def total(self, row, key="count"):
        """Of all commits, or of the last where each is tried from the beginning."""
        entries = self.data["commits"][-1:] if row.once else self.data["commits"]
        return sum(entry[key] for entry in entries)

    def parts(self, row):
        """Of the parts of a row that were tried to their end: the last commit, how many it had."""
        done = {}
        for entry in self.data["commits"]:
            for name, count in entry.get("parts", {}).items():
                done[name] = (entry["commit"], count)
        return {name: done[name] for name in row.parts if name in done}


# -------------------------------------------------------------------------------------- the rows --


def load(folder):
    """The rows of a folder, by name: one class in each row_NAME.py."""
    found = {}
    for path in sorted(pathlib.Path(folder).glob("row_*.py")):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        classes = [thing for thing in vars(module).values()
                   if isinstance(thing, type) and issubclass(thing, rows.Row)
                   and thing.__module__ == path.stem and thing.name is not None]
        for kind in classes:
            if kind.parts:
                kind.goal = len(kind.parts)
            if kind.each:
                kind.goal = sum(kind.each.values())
            missing = [key for key in ("what", "how", "unit", "goal") if getattr(kind, key) is None]
            if missing or kind.name in found:
                sys.exit(f"{path}: the row {kind.name} has no {', '.join(missing) or 'own name'}")
            found[kind.name] = kind
    return found


def share(row, counts, name):
    """How much of what it should try a row has tried, 1 or more where that is all."""
    if row.parts:
        return len(counts.parts(row)) / row.goal
    if row.each:
        done = tallied(row, counts.data["commits"])
        return min(done.get(key, 0) / least for key, least in row.each.items())
    return (counts.of(name)["count"] if row.once else counts.total(row)) / row.goal


def take_step(row, counts, name, seconds):
    """One step of a row, counted; how many things were wrong."""
    began = time.monotonic()
    row.so_far = tallied(row, counts.data["commits"])
    step = row.step(0 if row.once else counts.data["next"], seconds)
    took = time.monotonic() - began
    counts.add(name, step, took, anew=row.once)
    said = "".join(f", {key} {rows.figure(value)}" for key, value in step.figures.items())
    print(f"{row.name}: {counts.total(row):,} {row.unit}, {counts.total(row, 'violations')} "
          f"violations ({step.count:,} in {took:.0f} s{said})", flush=True)
    for sentence in step.violations[:MOST_KEPT]:
        print(f"    {sentence}", flush=True)
    return len(step.violations)


def take(names, kinds, folder, build):
    """The rows that no other campaign is at, by name; each with its counts and a lock."""
    made = {}
    for name in names:
        place = zlib.crc32(str(pathlib.Path(folder).resolve()).encode())
        lock = open(rows.WORK / f"{name}-{place:08x}.lock", "w", encoding="ascii")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            made[name] = (kinds[name](build), Counts(folder, name), lock)
        except BlockingIOError:
            print(f"{name}: another campaign is at it", flush=True)
            lock.close()
    return made


def run(made, seconds, named):
    """Rows in turn, the one that is least far first; True if all was as it must be.

    Rows that were named and given time go on past what they should try; checks that were named are
    made again.
    """
    at, ready, ended, wrong = commit(), set(), set(), 0
    end = time.monotonic() + seconds if seconds > 0 else float("inf")
    while time.monotonic() < end:
        waiting = [(share(row, counts, at), name) for name, (row, counts, _) in made.items()
                   if name not in ended and (share(row, counts, at) < 1 or
                                             named and (row.once or seconds > 0))]
        if not waiting:
            break
        name = min(waiting)[1]
        row, counts, _ = made[name]
        try:
            if name not in ready:
                row.prepare()
                ready.add(name)
            left = max(1.0, end - time.monotonic())
            wrong += take_step(row, counts, at, min(row.step_seconds, left))
        except Exception:  # one row's own failure leaves the others alone
            traceback.print_exc()
            wrong += 1
            ended.add(name)
        if row.once:
            ended.add(name)
    return wrong == 0


# -------------------------------------------------------------------------------------- the page --

HEAD = """# What Sonde survived

This page is written by `make campaign` (`campaign/campaign.py`) from the counts in
`campaign/counts/`, which add up over runs. Each row is one way of trying to break Sonde. A count
says from which commit it is: the last one that had changed the program when it was tried (a + says
that it had changes besides). Commits that are not in the history were folded into f58f9b7fb1.
What was found wrong is told with its row, and was mended; the last column is about the last commit
that a row has tried.
"""


def tallied(kind, entries):
    """Tallies of all commits, or of the last."""
    sums = {}
    for entry in entries[-1:] if kind.once else entries:
        for key, value in entry["tallies"].items():
            sums[key] = sums.get(key, 0) + value
    return sums


def part_text(kind, counts):
    """Which parts of a row were tried to their end."""
    done = counts.parts(kind)
    return [f"- {name}: all {done[name][1]:,} (`{done[name][0]}`)" if name in done else
            f"- {name}: not all" for name in kind.parts]


def row_text(kind, counts):
    """What the page says about one row."""
    entries = [entry for entry in counts.data["commits"] if entry["count"] > 0]
    text = [f"## {kind.name.capitalize()}", "", f"{kind.what}: {kind.how}", ""]
    if entries:
        text += [f"| commit | day | {kind.unit} | violations | seconds |", "|---|---|---|---|---|"]
        text += [f"| `{entry['commit']}` | {entry['date']} | {entry['count']:,} | "
                 f"{entry['violations']:,} | {entry['seconds']:,.0f} |" for entry in entries]
        said = {**tallied(kind, entries), **entries[-1]["figures"]}
        text += [""] * bool(said)
        text += [f"- {key}: {rows.figure(value)}" for key, value in sorted(said.items())]
        if kind.parts:
            text += ["", f"All {kind.unit} that there can be, and at which commit they were tried:",
                     "", *part_text(kind, counts)]
        wrong = [f"- `{entry['commit']}`: {sentence}" for entry in entries
                 for sentence in entry["wrong"]]
        if wrong:
            text += ["", "What was wrong then:", "", *wrong]
        more = kind.told(entries)
        text += ["", *more] if more else []
    return text + [""]


def last_text(counts):
    """How much was tried at the last commit, and how much of it was wrong."""
    entries = [entry for entry in counts.data["commits"] if entry["count"] > 0]
    if not entries:
        return ""
    last = entries[-1]
    return f"`{last['commit']}`: {last['count']:,}, {last['violations']:,} wrong"


def page_text(kinds, folder):
    """The page, as the counts have it."""
    counted = {name: Counts(folder, name) for name in kinds}
    text = [HEAD, "| row | tried | at least | violations | at the last commit |",
            "|---|---|---|---|---|"]
    for name, kind in kinds.items():
        counts = counted[name]
        least = f"all of {kind.goal} {kind.parts_are}" if kind.parts else f"{kind.goal:,}"
        text.append(f"| [{name}](#{name.replace(' ', '-')}) | {counts.total(kind):,} {kind.unit} | "
                    f"{least} | {counts.total(kind, 'violations'):,} | {last_text(counts)} |")
    text += ["", "## Not reached", ""]
    for name, kind in kinds.items():
        least = counted[name].total(kind)
        if kind.parts:
            left = [part for part in kind.parts if part not in counted[name].parts(kind)]
            text += [f"- {name}: all {kind.unit} of {', '.join(left)}."] * bool(left)
        elif kind.each:
            done = tallied(kind, counted[name].data["commits"])
            text += [f"- {name}: {done.get(key, 0):,} of {most:,} {kind.unit} of {key}."
                     for key, most in kind.each.items() if done.get(key, 0) < most]
        elif least < kind.goal:
            text.append(f"- {name}: {least:,} of {kind.goal:,} {kind.unit}.")
        text += [f"- {name}: {sentence}" for sentence in kind.unreached]
    text += ["- Nothing."] * (text[-1] == "") + [""]
    for name, kind in kinds.items():
        text += row_text(kind, counted[name])
    return wrapped("\n".join(text))


def wrapped(text):
    """The text as tools/wrap.py lays it out."""
    with tempfile.TemporaryDirectory() as folder:
        draft = pathlib.Path(folder) / "page.md"
        draft.write_text(text)
        subprocess.run([sys.executable, str(rows.ROOT / "tools" / "wrap.py"), str(draft)],
                       check=True)
        return draft.read_text()


def write_page(kinds, folder, path, check):
    text = page_text(kinds, folder)
    if check:
        if not path.exists() or path.read_text() != text:
            sys.exit(f"{path} is not as the counts say: campaign/campaign.py --page writes it")
    elif not path.exists() or path.read_text() != text:
        path.write_text(text)


# -------------------------------------------------------------------------------------- the loop --


def interrupted(number, _frame):
    raise KeyboardInterrupt(number)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--row", default="", help="the rows, with commas between; all of them")
    parser.add_argument("--seconds", type=float, default=0, help="how long; until all is tried")
    parser.add_argument("--list", action="store_true", help="the rows, and how far they are")
    parser.add_argument("--page", action="store_true", help="write the page, and nothing else")
    parser.add_argument("--check", action="store_true", help="fail where it is another")
    parser.add_argument("--build", help="a folder with what the rows need, built already")
    parser.add_argument("--rows", default=HERE, help="the folder of the rows")
    parser.add_argument("--counts", default=HERE / "counts", help="the folder of their counts")
    parser.add_argument("--to", type=pathlib.Path, default=PAGE, help="where the page is written")
    given = parser.parse_args()
    rows.WORK.mkdir(parents=True, exist_ok=True)
    kinds = load(given.rows)
    names = [name for name in given.row.split(",") if name] or list(kinds)
    unknown = [name for name in names if name not in kinds]
    if unknown:
        sys.exit(f"there is no row {unknown[0]}: {', '.join(kinds)} expected")
    if given.list:
        for name in names:
            counts = Counts(given.counts, name)
            kind = kinds[name]
            done = len(counts.parts(kind)) if kind.parts else counts.total(kind)
            print(f"{name:16} {done:>12,} of {kind.goal:,} {'parts' if kind.parts else kind.unit}, "
                  f"{counts.total(kind, 'violations')} violations")
        return 0
    if given.page:
        write_page(kinds, given.counts, given.to, given.check)
        return 0
    signal.signal(signal.SIGTERM, interrupted)
    try:
        good = run(take(names, kinds, given.counts, given.build), given.seconds,
                   bool(given.row))
    except KeyboardInterrupt:
        print("interrupted: what was counted is kept, and the next run goes on there", flush=True)
        write_page(kinds, given.counts, given.to, False)
        return 130
    write_page(kinds, given.counts, given.to, False)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
