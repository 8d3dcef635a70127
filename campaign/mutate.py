#!/usr/bin/env python3
"""Changes files one place at a time, and says which changes nobody notices.

    campaign/mutate.py [learning] list        how many places there are, by file
    campaign/mutate.py run FIRST N            tries N of them, from the number FIRST on
    campaign/mutate.py try FILE LINE COLUMN   tries those there
    campaign/mutate.py again [quick]          tries the survivors that nobody has caught yet
    campaign/mutate.py explain FILE LINE COLUMN SENTENCE
                                              says why nobody can notice a survivor

A mutant is a file with one operator, constant or index changed: of the core, or where the first
word is `learning` of what learns, replays and fits (areas.py). It is compiled alone and takes the
place of the file in everything that was built before (mutants.py). The quick check is the tests
of the file and its stage that take less than a second or so, the core's random models against
brute force (certificates.c), and answers to commands (tools/golden.py); the first
that fails has caught it, and is tried first for the next mutant of that file. Whatever survives
has longer tests against it at once: all answers, all tests of the stage, those in Python that know
most about the file, and the sanitizers. With `try` and `again` it has all other tests as well, and
those that refuse memory. A mutant that never ends is caught. One that does not compile, or whose
machine code is the same, counts for nothing. Places are drawn in an order that does not depend on
other lines, so that runs add up.

Survivors are kept with their line in a file of their area, to be read: each gets "caught", by the
test that catches it now, or "explained", a sentence that somebody writes, and is not tried again
then.
"""
import collections
import concurrent.futures
import hashlib
import itertools
import json
import os
import queue
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import areas  # noqa: E402
import mutants  # noqa: E402
import rows  # noqa: E402

# what stands there, and what stands there instead
CHANGES = [(r" \+ ", " - "), (r" - ", " + "), (r" \* ", " / "), (r" / ", " * "), (r" < ", " <= "),
           (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "), (r" == ", " != "),
           (r" != ", " == "), (r" && ", " || "), (r" \|\| ", " && "), (r"\b0\.0\b", "1.0"),
           (r"\b1\.0\b", "0.0"), (r"\b0\.5\b", "0.25"), (r"\b2\.0\b", "3.0"), (r" \+= ", " -= "),
           (r" -= ", " += "), (r"\[([a-z]\w*)\]", r"[\1 > 0 ? \1 - 1 : \1]"), (r" = 0;", " = 1;"),
           (r" = 1;", " = 2;"), (r" \+ 1\b", " + 2"), (r" - 1\b", " - 2"), (r"\btrue\b", "false"),
           (r"\bfalse\b", "true"), (r"\bINFINITY\b", "0.0"), (r"\+\+", "--")]

# memory that is refused is noticed where somebody looks whether it was
ASKS = re.compile(r"NULL|status|free|alloc|grow|room|return (true|false)")
# so many golden commands are watched by sanitizers
WATCHED = 60
# what becomes of a mutant, and its name on the page
KINDS = {"caught": "caught at once", "later": "caught by longer tests",
         "explained": "that are explained, and were not tried", "survived": "that survived",
         "broken": "that do not compile", "same": "with the same machine code"}


def code_lines(text):
    """The lines that are code within functions: (number, line without a comment at its end)."""
    comment = False
    for number, line in enumerate(text.splitlines()):
        stripped = line.strip()
        comment = comment or stripped.startswith("/*")
        if (not comment and line.startswith(" ") and "(void)" not in line
                and not stripped.startswith(("#", "*", "//"))):
            yield number, line.split("/*")[0]
        comment = comment and "*/" not in stripped


def of_equals(code, match):
    """Whether it is a < of the smaller of two, or the like: of equals either may be taken."""
    if match.group().strip() not in ("<", "<=", ">", ">="):
        return False
    left = re.search(r"([^\s=(]+)$", code[:match.start()])
    right = re.match(r"(\S+) \? (\S+) : ([^\s;,]+)", code[match.end():])
    if left is None or right is None:
        return False
    first, second = left.group(1), right.group(1)
    return {right.group(2), right.group(3).removesuffix(")")} == {first, second}


def places_of(name):
    """Every change of a file: (file, line, column, what, instead)."""
    for number, code in code_lines((rows.ROOT / name).read_text()):
        for pattern, instead in CHANGES:
            for match in re.finditer(pattern, code):
                if code[:match.start()].count('"') % 2 == 0 and not of_equals(code, match):
                    yield name, number, match.start(), match.group(), match.expand(instead)


def places(area):
    """Every change that could be made, in an order that other lines have no part in."""
    found = []
    for name in area.files():
        lines = (rows.ROOT / name).read_text().splitlines()
        times = collections.Counter()
        for place in places_of(name):
            key = f"{name} {lines[place[1]]} {place[2:]}"
            times[key] += 1
            found.append((hashlib.sha256(f"{key} {times[key]}".encode()).hexdigest(), place))
    return [place for _, place in sorted(found)]


def changed(place):
    """The text of the file with the change."""
    name, number, column, what, instead = place
    lines = (rows.ROOT / name).read_text().splitlines(keepends=True)
    line = lines[number]
    lines[number] = line[:column] + instead + line[column + len(what):]
    return "".join(lines)


def said(place):
    """A survivor as it is kept: without numbers of lines, which change."""
    name, number, column, what, instead = place
    lines = (rows.ROOT / name).read_text().splitlines()
    line = lines[number].strip()
    same = [at for at, other in enumerate(lines) if other.strip() == line].index(number)
    return {"file": name, "line": line, "again": same,
            "column": column - (len(lines[number]) - len(lines[number].lstrip())),
            "what": what, "instead": instead}


def found_again(survivor):
    """The place of a survivor that is kept, or None where that line is gone."""
    wanted = {key: survivor[key] for key in ("file", "line", "again", "column", "what", "instead")}
    return next((place for place in places_of(survivor["file"])
                 if place[3:] == (survivor["what"], survivor["instead"]) and said(place) == wanted),
                None)


class Mutants:
    """Mutants, tried at one seat or several, and what has caught those before."""

    def __init__(self, area, folder=None, seats=1, thorough="stage"):
        self.area = area
        self.thorough = thorough
        self.bench = mutants.Bench(folder or rows.WORK / area.folder, area)
        self.bench.build(seats)
        self.seats = [mutants.Seat(self.bench, number) for number in range(seats)]
        self.caught_before = collections.defaultdict(collections.Counter)
        self.passing = {}

    def order(self, name):
        """The checks of a file in the order in which they are made: quick ones, and longer ones."""
        checks, before = self.bench.checks, self.caught_before[name]
        first = sorted((check for check in checks.values() if check.name in before),
                       key=lambda check: check.seconds / before[check.name])
        return self.area.order(name, checks, first, self.thorough)

    def caught(self, seat, place, checks):
        """The check that has failed, or None."""
        name, number = place[:2]
        line = (rows.ROOT / name).read_text().splitlines()[number]
        for check in checks:
            if check in ("golden", "all golden"):
                words = seat.other_answer(self.area.commands(name, check != "golden"))
                if words is not None:
                    return f"sonde {words}"
            elif check == "watched":
                by = self.watched(seat, name)
                if by is not None:
                    return f"{by}, with sanitizers"
            elif check.name in self.area.refusing and not ASKS.search(line):
                continue
            elif not seat.passes(check) and self.sure(seat, check):
                self.caught_before[name][check.name] += 1
                return check.name
        return None

    def watched(self, seat, name):
        """The check of the file's stage in which the sanitizers see something, or None."""
        stage = name.split("/")[1]
        checks = [check for check in self.bench.checks.values()
                  if check.name.startswith(f"{stage}.") and not check.python
                  and check.seconds < 0.5 and ".plain" not in check.name]
        seat.watch()
        failed = next((check.name for check in sorted(checks, key=lambda check: check.seconds)
                       if not seat.passes(check, watched=True) and self.sure(seat, check, True)),
                      None)
        commands = self.area.commands(name)[:WATCHED]
        failed = failed or next((f"sonde {words}" for words in commands if seat.is_found(words)),
                                None)
        seat.put(seat.work / "mutant.so")
        return failed

    def sure(self, seat, check, watched=False):
        """Whether a check that has failed passes on the program as it is, looked at once."""
        key = check.name, watched
        if key not in self.passing:
            if watched:
                seat.watch(False)
                self.passing[key] = seat.passes(check, watched=True)
                seat.watch()
            else:
                self.passing[key] = seat.without(lambda: seat.passes(check))
            if not self.passing[key]:
                print(f"{check.name} fails on the program as it is", file=sys.stderr)
        return self.passing[key]

    def try_one(self, place, seat=None):
        """'broken', 'same', ('caught', by what), ('later', by what) or 'survived'."""
        seat = seat or self.seats[0]
        made = seat.make(place[0], changed(place))
        if made != "made":
            return made
        soon, slow = self.order(place[0])
        by = self.caught(seat, place, soon)
        found = ("caught", by) if by else None
        if found is None:
            by = self.caught(seat, place, slow)
            found = ("later", by) if by else "survived"
        seat.put_back()
        return found

    def try_all(self, some):
        """Tries places at all seats: (number, place, what was found), as they come."""
        free = queue.SimpleQueue()
        for seat in self.seats:
            free.put(seat)

        def at_a_seat(numbered):
            seat = free.get()
            try:
                return (*numbered, self.try_one(numbered[1], seat))
            finally:
                free.put(seat)

        with concurrent.futures.ThreadPoolExecutor(len(self.seats)) as pool:
            waiting = set()
            for numbered in some:
                waiting.add(pool.submit(at_a_seat, numbered))
                if len(waiting) == len(self.seats):
                    done, waiting = concurrent.futures.wait(
                        waiting, return_when=concurrent.futures.FIRST_COMPLETED)
                    yield from (one.result() for one in done)
            yield from (one.result() for one in waiting)


def in_words(place):
    name, number, column, what, instead = place
    return f'{name}:{number + 1}:{column + 1}: "{what.strip()}" became "{instead.strip()}"'


def read_kept(area):
    return json.loads(area.kept.read_text()) if area.kept.exists() else []


def write_kept(area, kept):
    draft = area.kept.with_suffix(".draft")
    draft.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
    os.replace(draft, area.kept)


def keep(area, found):
    """Keeps what was found of mutants: (place as it is kept, kind, by what)."""
    kept = read_kept(area)
    for place, kind, by in found:
        old = next((one for one in kept if place.items() <= one.items()), None)
        if old is None and kind in ("later", "survived"):
            kept.append(old := dict(place))
        if old is not None:
            old.pop("caught", None)
            old |= {"caught": by} if by else {}
    write_kept(area, kept)


def explain(area, place, sentence):
    keep(area, [(said(place), "survived", None)])
    kept = read_kept(area)
    next(one for one in kept if said(place).items() <= one.items())["explained"] = sentence
    write_kept(area, kept)


def percent(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "none"


def page_lines(area, entry):
    """What the page says of the mutants of one commit, and of those that nobody notices."""
    count = {kind: entry["tallies"].get(f"mutants {name}", 0) for kind, name in KINDS.items()}
    caught, of = count["caught"] + count["later"], entry["count"]
    kept = read_kept(area)
    explained = [one for one in kept if "caught" not in one and "explained" in one]
    left = [one for one in kept if "caught" not in one and "explained" not in one]
    later = [one for one in kept if "caught" in one]
    lines = [f"Of {of:,} mutants at `{entry['commit']}` {count['caught']:,} were caught at once "
             f"and {count['later']:,} by longer tests: {percent(caught, of)} of all. "
             f"{count['explained']:,} had been explained: they change no answer, or none that is "
             "promised; of the others "
             f"{percent(caught, of - count['explained'])} are caught. "
             f"{count['survived']:,} survived there; tests that came later are told below.", "",
             f"Of all that survived a quick check at any commit {len(later):,} are caught now, "
             f"{len(explained):,} are explained and {len(left):,} are not read yet.", ""]
    for title, some in (("Explained:", explained),
                        ("Not read yet:", left),
                        ("Survived once, and are caught now:", later)):
        if some:
            lines += [title, "", *(f"- `{one['file']}`, `{one['line']}`: `{one['what'].strip()}` "
                                   f"became `{one['instead'].strip()}`."
                                   f"{' ' + one.get('explained', '') if some is explained else ''}"
                                   f"{' Caught by ' + one['caught'] + '.' if some is later else ''}"
                                   .replace("  ", " ") for one in some), ""]
    return lines


def in_order(tried, first):
    """Tries every place from the number `first` on: (place, what was found), in their order."""
    every = places(tried.area)
    done, at = {}, first
    known = {json.dumps(place): one for one in read_kept(tried.area) for place in [found_again(one)]
             if place is not None and "explained" in one}
    some = ((number, every[number]) for number in range(first, len(every))
            if json.dumps(every[number]) not in known)
    while at < len(every) and json.dumps(every[at]) in known:
        yield every[at], "explained"
        at += 1
    for number, place, found in tried.try_all(some):
        print(f"{number} {in_words(place)}: {found}", flush=True)
        done[number] = found
        while at in done or (at < len(every) and json.dumps(every[at]) in known):
            yield every[at], done.pop(at, "explained")
            at += 1


class Tally:
    """How many were caught, survived and so on, and which."""

    def __init__(self):
        self.counts = collections.Counter(dict.fromkeys(KINDS, 0))
        self.found = []

    def add(self, place, found):
        kind, by = (found, None) if isinstance(found, str) else found
        self.counts[kind] += 1
        if kind in ("caught", "later", "survived"):
            self.found.append((said(place), kind, by))


def again(tried):
    """Tries the survivors that are neither caught nor explained; how many still survive."""
    kept, left = read_kept(tried.area), 0
    numbered = [(number, found_again(survivor)) for number, survivor in enumerate(kept)
                if "caught" not in survivor and "explained" not in survivor]
    for number, place, found in tried.try_all(one for one in numbered if one[1] is not None):
        print(f"{in_words(place)}: {found}", flush=True)
        if isinstance(found, tuple):
            kept[number]["caught"] = found[1]
            write_kept(tried.area, kept)
        left += found == "survived"
    return left


def main():
    given = sys.argv[1:]
    area = areas.AREAS[given.pop(0)] if given and given[0] in areas.AREAS else areas.CORE
    verb = given[0] if given else "list"
    if verb == "list":
        by_file = collections.Counter(place[0] for place in places(area))
        print("\n".join(f"{n:6} {name}" for name, n in sorted(by_file.items())))
        print(f"{sum(by_file.values())} places in {len(by_file)} files")
        return 0
    if verb in ("try", "explain"):
        name, line, column = given[1], int(given[2]) - 1, int(given[3]) - 1
        there = [place for place in places_of(name) if place[1:3] == (line, column)]
    if verb == "explain":
        explain(area, there[0], given[4])
        return 0
    thorough = "" if "quick" in given else "all" if verb in ("try", "again") else "stage"
    tried = Mutants(area, os.environ.get("SONDE_MUTANTS"),
                    int(os.environ.get("SEATS", os.cpu_count() or 1)), thorough)
    if verb == "again":
        return 1 if again(tried) else 0
    if verb == "try":
        for place in there:
            print(f"{in_words(place)}: {tried.try_one(place)}", flush=True)
        return 0
    first, n = map(int, given[1:3])
    tally = Tally()
    for place, found in itertools.islice(in_order(tried, first), n):
        tally.add(place, found)
    print(json.dumps(tally.counts))
    print("\n".join(json.dumps(place, ensure_ascii=False) for place, kind, _ in tally.found
                    if kind == "survived"), flush=True)
    # what is under way besides is of no use
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
