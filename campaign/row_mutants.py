"""Files that are changed one place at a time: does any check notice? Those of the core."""
import os
import time

import areas
import mutate
import rows


class Mutation(rows.Row):
    name = "mutation"
    what = "Mutation of the searches, bounds, beliefs and scores"
    how = ("`campaign/mutate.py` changes an operator, a constant or an index of a core file "
           "(`src/search`, `efe`, `closed`, `belief`, `policy`), compiles it, and makes a "
           "quick check: the tests in C of that stage, random models against brute force, golden "
           "answers. What survives it has longer tests against it: all golden answers, all tests "
           "of the stage, sanitizers, tests in Python against other implementations. Mutants that "
           "do not compile, or whose machine code is the same, do not count. Survivors are no "
           "violations: each is read, and caught by a new test or explained; those that are "
           "explained are not tried again.")
    unit = "mutants"
    goal = 200
    unreached = ["Survivors were read, and tests written for them, of the mutants up to the number "
                 "484 alone: of others fewer may be caught. At the last commit not all of those "
                 "have been tried again; what was written for the others was seen to catch them, "
                 "one by one."]
    area = areas.CORE
    at = None

    def prepare(self):
        seats = int(os.environ.get("SEATS", os.cpu_count() or 1))
        self.tried = mutate.Mutants(self.area, self.build, seats)

    def step(self, start, seconds):
        end = time.monotonic() + seconds
        if self.at != start:
            self.at, self.stream = start, mutate.in_order(self.tried, start)
        tally = mutate.Tally()
        for place, found in self.stream:
            tally.add(place, found)
            if time.monotonic() > end:
                break
        mutate.keep(self.area, tally.found)
        counts = tally.counts
        self.at += counts.total()
        tallies = {f"mutants {mutate.KINDS[kind]}": n for kind, n in counts.items()}
        n = counts.total() - counts["broken"] - counts["same"]
        return rows.Step(n, self.at, [], tallies)

    @classmethod
    def told(cls, entries):
        """What became of the mutants of the last commit, for the page."""
        return mutate.page_lines(cls.area, entries[-1]) if entries else []
