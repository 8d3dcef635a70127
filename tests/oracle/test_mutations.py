"""A test of the test: leave out any condition of bounded search, and test_bounded.py notices.

    SONDE_COMMAND=build/sonde /usr/bin/python3 -m pytest tests/oracle/test_mutations.py

The sources are copied, one condition is taken out of the copy, and the comparison with exact
posteriors must fail on the command that is built from it. What is left out is a piece of text that
must be there as often as said, so that a change of the sources does not go unnoticed.
"""
# slow
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BOUND, FRONTIER = "src/efe/efe_bound.c", "src/search/search_frontier.c"
MODEL, FULL = "src/search/search_bounded_model.c", "src/search/search_full.c"

# what is left out: (file, text, how often it is there, what stands there instead)
MUTATIONS = {
    "the floor of preferences": [
        (BOUND, "beta * preference[o]", 2,
         "beta * (preference[o] < -36.8 ? -700.0 : preference[o])")],
    "prefixes that come late to a belief": [
        (FRONTIER, "#include <math.h>", 1,
         "#include <math.h>\n#include <stdint.h>\n"
         "static uint64_t closed[1 << 20];\nstatic int32_t n_closed;"),
        (FRONTIER, "    f->reserve = reserve;", 1, "    f->reserve = reserve;\n    n_closed = 0;"),
        (FRONTIER, "    uint64_t slot = node->hash & mask;", 1,
         "    for (int32_t i = 0; i < n_closed; i++) {\n"
         "        if (closed[i] == node->hash) {\n"
         "            f->spare[f->n_spare++] = fresh;\n            return;\n        }\n    }\n"
         "    uint64_t slot = node->hash & mask;"),
        (FRONTIER, "    const int32_t id = pop(f);", 1,
         "    const int32_t id = pop(f);\n    closed[n_closed++] = f->node[id].hash;")],
    "that factors depend on each other": [(BOUND, "!model->coupled && ", 1, "")],
    "the prior of policies": [
        (FULL, "E != NULL ? E + block.first : NULL", 1, "E != NULL ? NULL : NULL")],
    "that terms may be negative": [
        (BOUND, "double best = bound->least[t];", 1,
         "double best = bound->least[t] > 0.0 ? bound->least[t] : 0.0;")],
    "the constant of the linear bound": [
        (BOUND, "modality->ambiguity[s] - constant", 1,
         "modality->ambiguity[s] - 0.0 * constant")],
    "what outcomes tell of uncertain states": [
        (BOUND, "most_told(model, bound, t, largest) : 0.0", 1,
         "0.0 * most_told(model, bound, t, largest) : 0.0")],
    "the masses of merged prefixes": [
        (FRONTIER, "    y->extra = extra;", 1, "    y->extra = 0.0;")],
    "how many policies a prefix has": [
        (MODEL, "sonde__score_log_count(score, node->depth, spot) + node->extra", 1,
         "0.0 * sonde__score_log_count(score, node->depth, spot) + node->extra")],
}


def call(*arguments, **settings):
    return subprocess.run([str(argument) for argument in arguments], capture_output=True,
                          text=True, check=False, **settings)


@unittest.skipUnless(os.environ.get("SONDE_COMMAND"), "SONDE_COMMAND says that there is a build")
class Mutations(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(dir=os.environ.get("SONDE_TEST_TMP"))
        cls.copy = pathlib.Path(cls.folder.name) / "sonde"
        shutil.copytree(ROOT, cls.copy, ignore=shutil.ignore_patterns(
            "build", ".git", "docs", "tests", "python", "examples", "bench", "fuzz"))
        done = call("cmake", "-S", cls.copy, "-B", cls.copy / "build",
                    "-DCMAKE_C_FLAGS_RELEASE=-O1")
        if done.returncode != 0:
            raise AssertionError(done.stderr)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def passes(self):
        """Builds the copy, and says whether the comparison passes, and what it says."""
        built = call("cmake", "--build", self.copy / "build", "-j", "2", "--target", "sonde")
        self.assertEqual(built.returncode, 0, built.stdout[-2000:] + built.stderr[-2000:])
        environment = {**os.environ, "SONDE_COMMAND": str(self.copy / "build/sonde"),
                       "SONDE_TEST_MODELS": os.environ.get("SONDE_TEST_MODELS", "400")}
        done = call(sys.executable, ROOT / "tests/oracle/test_bounded.py", env=environment)
        return done.returncode == 0, done.stderr

    def test_every_condition_is_missed_when_it_is_left_out(self):
        good, text = self.passes()
        self.assertTrue(good, text)
        for name, changes in MUTATIONS.items():
            kept = {file: (self.copy / file).read_text() for file, *_ in changes}
            for file, text, times, instead in changes:
                source = (self.copy / file).read_text()
                self.assertEqual(source.count(text), times, f"{name}: {file}: {text}")
                (self.copy / file).write_text(source.replace(text, instead))
            good, text = self.passes()
            with self.subTest(name):
                self.assertFalse(good, "nobody noticed")
                self.assertIn("AssertionError", text)
            for file, source in kept.items():
                (self.copy / file).write_text(source)


if __name__ == "__main__":
    unittest.main()
