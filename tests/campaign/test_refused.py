"""Memory, input and output refused to the command, and commands killed: a short piece of each."""
# long
# once
import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "campaign"))
import killed  # noqa: E402
import refused  # noqa: E402

COMMAND = os.environ["SONDE_COMMAND"]
WATCHED = any(mark in pathlib.Path(COMMAND).read_bytes()
              for mark in (b"__asan_init", b"__tsan_init"))
pytestmark = pytest.mark.skipif(WATCHED, reason="a sanitizer has an allocator of its own")


@pytest.mark.parametrize("what, cases", [
    ("memory", ["graph", "plan", "replay", "simulate", "fit kept"]),
    ("io", ["graph", "model of .npz", "simulate", "fit kept", "report of a fit"])])
def test_whatever_is_refused_files_are_old_or_new_and_nothing_is_lost(what, cases):
    counts, violations = refused.run(COMMAND, what, cases, most=16)
    assert violations == []
    assert counts["refusals"] > 200


def test_a_report_has_every_parameter_and_a_view_all_of_its_study_or_there_is_an_error():
    """Columns of a table were left out, and pages ended in the middle, where memory was refused."""
    assert refused.run(COMMAND, "memory", ["report of a fit"])[1] == []
    assert refused.run(COMMAND, "memory", ["view a study"], most=200)[1] == []


def test_a_library_that_loses_a_refusal_is_noticed(tmp_path):
    """A command that says 0 whatever happens to its file."""
    source = tmp_path / "careless.c"
    source.write_text('#include <stdio.h>\nint main(void) { FILE *f = fopen("out.json", "w");\n'
                      '    if (f) { fputs("new", f); fclose(f); } return 0; }\n')
    careless = tmp_path / "careless"
    subprocess.run(["cc", "-o", careless, source], check=True)
    folder = tmp_path / "case"
    folder.mkdir()
    case = refused.Case(str(careless), "graph to text", {}, folder, refused.build_shim(tmp_path))
    case.files = ["out.json"]
    assert refused.refuse(case, "io", 0) > 0
    case.close()
    assert any("out.json is neither old nor new" in sentence for sentence in case.violations)
    assert any("the exit status 0" in sentence for sentence in case.violations)


def test_a_document_beside_a_table_that_cannot_be_read_is_a_failure(tmp_path):
    """Without it the agent would learn otherwise, and other numbers come out."""
    refused.prepare(COMMAND, tmp_path)
    (tmp_path / "table.csv.json").write_text('{"format": "sonde-table", "vers')
    status, out, err = refused.plain_run(COMMAND, "replay bandit.json table.csv", tmp_path)
    assert (status, out) == (3, b"")
    assert b"table.csv.json: line 1, column" in err


@pytest.mark.parametrize("rank, stuck, hangs", [("true", 1, 0), ("sleep 60", 0, 1)])
def test_ranks_hang_where_one_runs_on_and_not_where_mpirun_alone_does(rank, stuck, hangs):
    job = killed.Job.__new__(killed.Job)
    job.name, job.wrong, job.stuck = "fit", [], 0
    job.ranks_end, job.mpirun_ends = 2, 1
    mpirun = subprocess.Popen(
        [sys.executable, "-c", "import subprocess, time\n"
         f"child = subprocess.Popen({rank.split()})\ntime.sleep(60)"], start_new_session=True)
    while not killed.children(mpirun.pid):
        time.sleep(0.01)
    job.wait_for_ranks(mpirun)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(mpirun.pid, signal.SIGKILL)
    assert mpirun.returncode == -signal.SIGKILL
    assert (job.stuck, len(job.wrong)) == (stuck, hangs)


def test_killed_at_random_moments_everything_is_as_undisturbed():
    step = killed.take(COMMAND, 0, 4, False)
    assert step.violations == []
    assert step.count > 0
