"""The same bytes, whatever the threads, the locale and the processor: a short piece of that row."""
# once
# long
import json
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "campaign"))
import row_same  # noqa: E402
import rows  # noqa: E402

COMMAND = os.environ["SONDE_COMMAND"]


def test_answers_are_the_same_bytes_for_all_threads_locales_and_processors(tmp_path):
    variants = list(row_same.simple_variants(COMMAND, tmp_path))
    processors = len(row_same.PROCESSORS) if os.uname().machine == "x86_64" else 0
    assert len(variants) == len(row_same.THREADS) + 1 + processors
    step = rows.Step(0, 0)
    for number in (1, 4):
        row_same.ask_all(number, row_same.Command(COMMAND), variants, tmp_path, step)
    assert step.violations == []
    asked = len(row_same.COMMANDS)
    assert step.count == 2 * asked * len(variants)
    assert step.tallies[row_same.GOOD] == 2 * asked


def test_an_answer_in_other_bytes_is_told_by_its_field_and_how_far_it_is_off(tmp_path):
    """A command that gives another last digit for two threads, and words for three."""
    fake = tmp_path / "fake"
    fake.write_text("#!/bin/sh\ncase \"$*\" in\n"
                    "*'--threads 2') echo '{\"a\": [{\"efe\": 2.0}], \"seconds\": 3}' ;;\n"
                    "*'--threads 3') echo failed >&2; exit 4 ;;\n"
                    "*) echo '{\"a\": [{\"efe\": 2.5}], \"seconds\": 7}' ;;\nesac\n")
    fake.chmod(0o755)
    first, *others = (row_same.Command(fake, threads=n).ask("plan x", tmp_path)
                      for n in (1, 8, 2, 3))
    assert others[0] == first and others[1] != first
    assert row_same.difference(first, others[1]) == "a[].efe: up to 0.2 of the value"
    assert row_same.difference(first, others[2]) == "exit status 4 in place of 0"


def test_models_of_a_number_are_taken_by_all_commands():
    """C for one step, whether it is a list or what is not 0."""
    assert row_same.of_one_step([[1, 2], [3, 4]]) == [1, 2]
    sparse = {"shape": [2, 3], "entries": [[1, 2, 9.0], [0, 1, 7.0]]}
    assert row_same.of_one_step(sparse) == {"shape": [3], "entries": [[1, 7.0]]}
    assert json.dumps(row_same.scaled({"shape": [2], "entries": [[0, 0.5]]}, 2)) == json.dumps(
        {"shape": [2], "entries": [[0, 1.0]]})
