"""Core files that are changed one place at a time: does any check notice?"""
import os
import time

import mutate
import rows


class Mutation(rows.Row):
    name = "mutation"
    what = "Mutation of the searches, bounds, beliefs and scores"
    how = ("`campaign/mutate.py` changes an operator, a constant or an index of a core file "
           "(`src/search`, `efe`, `closed`, `belief`, `policy`), compiles it, and makes a "
           "quick check: the tests in C of that stage, random models against brute force, golden "
           "answers. Mutants that do not compile, or whose machine code is the same, do not count. "
           "Survivors are no violations: each is to be read, tried again with longer tests, and "
           "caught by one of them or by a new one, or explained.")
    unit = "mutants"
    goal = 200
    unreached = ["Fewer than 95 % are caught, and most survivors are not read yet: they are listed "
                 "below. They have met the quick check alone, and some of them a few longer tests."]
    at = None

    def prepare(self):
        seats = int(os.environ.get("SEATS", os.cpu_count() or 1))
        self.tried = mutate.Mutants(self.build or rows.WORK / "mutants", seats)

    def step(self, start, seconds):
        end = time.monotonic() + seconds
        if self.at != start:
            self.at, self.stream = start, mutate.in_order(self.tried, start)
        tally = mutate.Tally()
        for place, found in self.stream:
            tally.add(place, found)
            if time.monotonic() > end:
                break
        mutate.keep(tally.survivors)
        counts = tally.counts
        self.at += counts.total()
        tallies = {f"mutants {mutate.KINDS[kind]}": n for kind, n in counts.items()}
        return rows.Step(counts["caught"] + counts["survived"], self.at, [], tallies)

    @classmethod
    def told(cls, entries):
        """What became of the survivors, for the page."""
        tried = sum(entry["count"] for entry in entries)
        return mutate.page_lines(tried) if tried else []
