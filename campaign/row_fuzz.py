"""Readers of everything that comes from outside, fed by libFuzzer."""
import collections
import concurrent.futures
import os
import re
import subprocess
import tempfile

import rows

FUZZ = rows.ROOT / "fuzz"
READERS = sorted(path.stem.removeprefix("fuzz_") for path in FUZZ.glob("fuzz_*.c"))
# the longest input, where seeds ask for more or less than a thousand bytes
LENGTH = {"documents": 4096, "model_pomdpx": 4096, "results": 4096,
          "behaviour": 512, "command": 256, "bridge": 512, "parameters": 256, "policies": 256}
# executions that each should have
EACH = 10_000_000


class Fuzz(rows.Row):
    name = "fuzz"
    what = "Every reader"
    how = ("libFuzzer with the address and undefined-behaviour sanitizers, dictionaries and kept "
           "seeds (`fuzz/`): worlds, models in every format, databases, plans, lists of policies, "
           "tables of behaviour, parameters of fits, agents that were saved, policies, sequences, "
           "worlds that change, trials of SPM's, fits to compare, rows and documents of results, "
           "command lines, and the page's bridge, built for this machine. Whatever the bytes are, "
           "the answer is a thing or a sentence; what is written is read back. "
           "Since af1af60 comparisons are not traced, which took up to 1.6 times as long. "
           f"{EACH:,} executions of each are the goal; below they are told by reader.")
    unit = "executions"
    each = dict.fromkeys(READERS, EACH)
    # what was found is read and run anew at the beginning of each
    step_seconds = 90.0
    unreached = ["The page's bridge as WebAssembly: what is fuzzed is the same C, built by clang."]

    def prepare(self):
        self.build = self.build or rows.build(
            "fuzz", "fuzz", compiler="clang",
            # dictionaries have the words; to trace comparisons takes 1.3 to 1.6 times as long
            options=["-DCMAKE_BUILD_TYPE=Debug", "-DSONDE_SANITIZE=fuzzer",
                     "-DCMAKE_C_FLAGS=-fno-sanitize-coverage=trace-cmp"])

    def readers(self, start, n):
        """Whose turn it is: readers in their order, but for those that have all they should."""
        left = [name for name in READERS if self.so_far.get(name, 0) < EACH] or READERS
        return [left[(start + i) % len(left)] for i in range(n)]

    def fuzz(self, name, seed, seconds):
        """One reader for so long: how often it was run, and what was wrong."""
        found = rows.WORK / "found" / f"fuzz_{name}"
        found.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [str(self.build / "fuzz" / f"fuzz_{name}"),
                 f"-max_total_time={max(1, int(seconds))}",
                 f"-max_len={LENGTH.get(name, 1024)}", "-reload=0",
                 "-timeout=120", "-rss_limit_mb=2048", "-print_final_stats=1",
                 f"-artifact_prefix={found}-", f"-dict={FUZZ / name}.dict", "-close_fd_mask=3",
                 f"-seed={seed}", str(found), str(FUZZ / "corpus" / name)],
                cwd=folder, capture_output=True, text=True, check=False, errors="replace",
                # who asked for a block is not written down: that takes longer than all the rest
                env=dict(os.environ, ASAN_OPTIONS="allocator_may_return_null=1:exitcode=99:"
                                                  "malloc_context_size=0:quarantine_size_mb=16"))
        count = re.search(r"number_of_executed_units: +([0-9]+)", done.stderr)
        wrong = []
        # somebody who ends the campaign, or a fuzzer alone, has found nothing
        if done.returncode != 0 and "run interrupted; exiting" not in done.stderr:
            lines = [line for line in done.stderr.splitlines()
                     if "SUMMARY" in line or "ERROR" in line]
            wrong.append(f"{name}: {' '.join(lines[:2]) or done.stderr[-200:]}")
        return name, int(count.group(1)) if count else 0, wrong

    def step(self, start, seconds):
        n = len(os.sched_getaffinity(0))  # readers side by side
        with concurrent.futures.ThreadPoolExecutor(n) as pool:
            ended = list(pool.map(self.fuzz, self.readers(start, n),
                                  range(start + 1, start + 1 + n), [seconds] * n))
        tallies = collections.Counter()
        for name, count, _ in ended:
            tallies[name] += count
        return rows.Step(sum(tallies.values()), start + n,
                         [sentence for _, _, wrong in ended for sentence in wrong], dict(tallies))
