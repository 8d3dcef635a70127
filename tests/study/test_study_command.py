"""Studies from the shell: killed, resumed, spread over threads and ranks, the rows are the same."""
# long
import contextlib
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import time

import pytest

SONDE = os.environ["SONDE_COMMAND"]
BUILT_WITH_MPI = b"libmpi" in subprocess.run(["ldd", SONDE], capture_output=True).stdout
MPIRUN = shutil.which("mpirun") if BUILT_WITH_MPI else None
PLAN = {
    "format": "sonde-plan", "version": 1, "name": "small", "seed": 3, "record_steps": True,
    "worlds": {"sizes": [3, 4], "models": ["tmaze"], "graphs": 6},
    "conditions": [
        {"group": "table", "sizes": [3, 4], "search": "full", "scope": ["local", "global"]},
        {"group": "model", "models": ["tmaze"], "search": ["full", "bounded"]},
        {"group": "table", "sizes": [3, 4], "semantics": ["text", "notebook"],
         "scope": ["local", "global"],
         "embedding": ["edm", "boe", "aboe"], "k": [6, 12], "probe": ["center", "sample"]},
    ],
}
N_TASK = 18


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    path = tmp_path_factory.mktemp("plan") / "plan.json"
    path.write_text(json.dumps(PLAN))
    return str(path)


def study(plan, db, *more, prefix=()):
    return subprocess.run([*prefix, SONDE, "study", plan, "--db", str(db), "--quiet", *more],
                          capture_output=True, text=True, timeout=300)


def rows(db):
    """Everything that a study found, times aside."""
    with contextlib.closing(sqlite3.connect(db)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        tables = {}
        for table in ("task", "condition", "world", "run", "step"):
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")
                       if not row[1].endswith("_seconds")]
            tables[table] = connection.execute(
                f"SELECT {', '.join(columns)} FROM {table} ORDER BY 1, 2, 3, 4").fetchall() \
                if len(columns) > 2 else connection.execute(
                    f"SELECT {', '.join(columns)} FROM {table} ORDER BY 1").fetchall()
    return tables


@pytest.fixture(scope="module")
def whole(plan, tmp_path_factory):
    db = tmp_path_factory.mktemp("whole") / "whole.sqlite"
    done = study(plan, db, "--threads", "1")
    assert done.returncode == 0, done.stderr
    found = rows(db)
    assert len(found["task"]) == N_TASK
    assert len(found["run"]) == 12 * 50 + 6 * 2
    assert len(found["step"]) == 10 * len(found["run"])
    return found


@pytest.mark.parametrize("threads", ["2", "4"])
def test_threads_change_no_row(plan, whole, tmp_path, threads):
    assert study(plan, tmp_path / "a.sqlite", "--threads", threads).returncode == 0
    assert rows(tmp_path / "a.sqlite") == whole


@pytest.mark.skipif(MPIRUN is None, reason="no MPI in this build")
@pytest.mark.parametrize("ranks", ["1", "2", "4"])
def test_ranks_change_no_row(plan, whole, tmp_path, ranks):
    done = study(plan, tmp_path / "a.sqlite",
                 prefix=[MPIRUN, "--allow-run-as-root", "--oversubscribe", "-n", ranks])
    assert done.returncode == 0, done.stderr
    assert rows(tmp_path / "a.sqlite") == whole


def test_killed_at_random_moments_it_goes_on_and_loses_nothing(plan, whole, tmp_path):
    db = tmp_path / "killed.sqlite"
    moments = random.Random(5)
    n_killed = 0
    while n_killed < 20:
        process = subprocess.Popen([SONDE, "study", plan, "--db", str(db), "--quiet"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            process.wait(timeout=moments.uniform(0.0, 0.25))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            n_killed += 1
            continue
        assert process.returncode == 0, process.stderr.read()
        assert rows(db) == whole
        db.unlink()
    assert study(plan, db).returncode == 0
    assert rows(db) == whole


@pytest.mark.skipif(MPIRUN is None, reason="no MPI in this build")
def test_a_killed_rank_loses_nothing(plan, whole, tmp_path):
    db = tmp_path / "rank.sqlite"
    for pause in (0.6, 0.9, 1.2):
        process = subprocess.Popen([MPIRUN, "--allow-run-as-root", "--oversubscribe", "-n", "3",
                                    SONDE, "study", plan, "--db", str(db), "--quiet"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(pause)
        ranks = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True)
        for rank in ranks.stdout.split()[-1:]:
            try:
                os.kill(int(rank), signal.SIGKILL)
            except ProcessLookupError:
                pass  # it was done already
        process.wait(timeout=120)
    assert study(plan, db).returncode == 0
    assert rows(db) == whole


def test_an_interrupt_says_how_to_go_on(plan, tmp_path):
    db = tmp_path / "interrupted.sqlite"
    process = subprocess.Popen([SONDE, "study", "paper-all", "--db", str(db), "--quiet"],
                               stderr=subprocess.PIPE, text=True)
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "interrupted" in errors or "goes on" in errors
    assert rows(db)["world"] is not None


def test_the_second_of_two_processes_is_refused(plan, tmp_path):
    db = tmp_path / "shared.sqlite"
    first = subprocess.Popen([SONDE, "study", "paper-all", "--db", str(db), "--quiet"],
                             stderr=subprocess.DEVNULL)
    try:
        for _ in range(200):
            if db.exists() and db.stat().st_size > 0:
                break
            time.sleep(0.05)
        time.sleep(0.3)
        second = study("paper-all", db)
        assert second.returncode == 1
        assert "another process" in second.stderr
    finally:
        first.send_signal(signal.SIGTERM)
        first.wait(timeout=60)
    assert rows(db)["task"] is not None


@pytest.mark.parametrize("make, code, sentence", [
    (lambda p: p.write_text("not a database at all, not at all, not at all, not at all, no"), 3,
     "SQLite"),
    (lambda p: p.mkdir(), 3, "cannot be opened"),
])
def test_a_file_that_is_no_study_is_refused_and_left_alone(plan, tmp_path, make, code, sentence):
    db = tmp_path / "other"
    make(db)
    before = db.read_text() if db.is_file() else None
    done = study(plan, db)
    assert done.returncode == code
    assert sentence in done.stderr
    if before is not None:
        assert db.read_text() == before


def test_another_plan_on_the_same_file_is_refused(plan, tmp_path):
    other = tmp_path / "other.json"
    other.write_text(json.dumps({**PLAN, "seed": 4}))
    db = tmp_path / "a.sqlite"
    assert study(plan, db).returncode == 0
    before = rows(db)
    done = study(str(other), db)
    assert done.returncode == 3
    assert "another plan" in done.stderr
    assert rows(db) == before


def report(db, folder):
    return subprocess.run([SONDE, "report", str(db), "-o", str(folder), "--quiet"],
                          capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("change, sentence", [
    ("UPDATE run SET path = '9-9-9-9-9-9' WHERE optimal = 0", "path: expected 11 nodes from 0 to"),
    ("UPDATE run SET condition = condition + 1000000", "expected a run of the plan"),
    ("UPDATE world SET size = size + 1000000 WHERE size > 0", "expected a world of the plan"),
    ("DELETE FROM run WHERE condition = 7 AND graph = 3", "runs of the 18 tasks that are done"),
    ("CREATE VIEW more AS SELECT random()", "the tables of a study and nothing else"),
])
def test_a_damaged_study_is_noticed_by_study_and_report_alike(plan, tmp_path, change, sentence):
    db = tmp_path / "a.sqlite"
    assert study(plan, db).returncode == 0
    assert "are there already" not in study(plan, db).stderr
    with contextlib.closing(sqlite3.connect(db)) as connection:
        connection.execute(change)
        connection.commit()
    for done in (study(plan, db), report(db, tmp_path / "page")):
        assert done.returncode == 3, done.stderr
        assert sentence in done.stderr


def test_a_page_that_was_overwritten_is_noticed_by_study_and_report_alike(plan, tmp_path):
    db = tmp_path / "a.sqlite"
    assert study(plan, db).returncode == 0
    with open(db, "r+b") as file:
        file.seek(db.stat().st_size // 2 // 4096 * 4096)
        file.write(b"\xaa" * 4096)
    for done in (study(plan, db), report(db, tmp_path / "page")):
        assert done.returncode == 3, done.stderr
        assert "damaged" in done.stderr


def cut_off_within_a_commit(db, copy):
    """A file as kill -9 leaves it: half written, with a journal to take that back."""
    with contextlib.closing(sqlite3.connect(db, isolation_level=None)) as connection:
        connection.execute("PRAGMA cache_size = 5")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("UPDATE run SET decide_seconds = decide_seconds + 1")
        connection.execute("UPDATE world SET list_seconds = list_seconds + 1")
        shutil.copy(db, copy)
        shutil.copy(f"{db}-journal", f"{copy}-journal")
        connection.execute("ROLLBACK")


def test_a_study_killed_within_a_commit_is_reported_as_it_was_before(plan, whole, tmp_path):
    db, copy = tmp_path / "a.sqlite", tmp_path / "copy.sqlite"
    assert study(plan, db).returncode == 0
    cut_off_within_a_commit(db, copy)
    assert copy.read_bytes() != db.read_bytes()
    done = report(copy, tmp_path / "page")
    assert done.returncode == 0, done.stderr
    assert copy.read_bytes() == db.read_bytes()
    assert rows(copy) == whole


def test_where_a_killed_study_cannot_be_put_in_order_the_report_says_what_to_do(plan, tmp_path):
    db, fixed = tmp_path / "a.sqlite", tmp_path / "fixed"
    fixed.mkdir()
    assert study(plan, db).returncode == 0
    mounted = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(fixed)], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("a file system cannot be mounted here")
    try:
        cut_off_within_a_commit(db, fixed / "copy.sqlite")
        shutil.copy(db, fixed / "whole.sqlite")
        subprocess.run(["mount", "-o", "remount,ro", str(fixed)], check=True)
        done = report(fixed / "copy.sqlite", tmp_path / "page")
        assert done.returncode == 1
        assert "writable" in done.stderr and "copy.sqlite-journal" in done.stderr
        # a file that needs nothing is read where nothing can be written
        done = report(fixed / "whole.sqlite", tmp_path / "page")
        assert done.returncode == 0, done.stderr
    finally:
        subprocess.run(["umount", str(fixed)], check=True)


@pytest.mark.parametrize("name", [":memory:", "file:x?mode=memory", "file:x", "-"])
def test_what_is_no_file_is_not_taken_for_one(plan, tmp_path, name):
    done = subprocess.run([SONDE, "study", plan, "--db", name, "--quiet"], capture_output=True,
                          text=True, cwd=tmp_path)
    assert done.returncode == 2
    assert "expected a file" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_file_may_be_called_as_sqlite_calls_what_is_none(plan, whole, tmp_path):
    for name in ("file:x", ":memory:"):
        done = subprocess.run([SONDE, "study", plan, "--db", f"./{name}", "--quiet"],
                              capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert rows(tmp_path / name) == whole


@pytest.mark.skipif("SONDE_TEST_MODELS" in os.environ, reason="takes long where much is watched")
def test_the_time_that_is_left_is_judged_by_what_worlds_cost(tmp_path):
    """Worlds of 3 nodes are done in no time and come first; those of 5 are the work."""
    own = tmp_path / "own.json"
    own.write_text(json.dumps({
        "format": "sonde-plan", "version": 1, "worlds": {"sizes": [3, 5], "graphs": 150},
        "conditions": [{"sizes": [3], "search": "full"},
                       {"graphs": 80, "sizes": [5], "scope": "global",
                        "embedding": ["edm", "boe"], "k": [12, 36]}]}))
    began = time.monotonic()
    process = subprocess.Popen([SONDE, "study", str(own), "--db", str(tmp_path / "a.sqlite"),
                                "--threads", "1"], stderr=subprocess.PIPE, text=True)
    said = []
    for line in process.stderr:
        if " left" in line:
            number, unit = line.rsplit(", ", 1)[1].split()[:2]
            said.append((time.monotonic() - began, float(number) * (60 if unit == "min" else 1)))
    assert process.wait() == 0
    took = time.monotonic() - began
    assert said, "too fast to say anything"
    when, left = said[0]
    # by the number of worlds it would be a tenth of that; the machine may be busier now than later
    assert left > 0.25 * (took - when)


def test_a_file_of_another_version_is_refused(plan, tmp_path):
    db = tmp_path / "a.sqlite"
    assert study(plan, db).returncode == 0
    with sqlite3.connect(db) as connection:
        connection.execute("UPDATE meta SET value = '0.0.1' WHERE key = 'version'")
    done = study(plan, db)
    assert done.returncode == 3
    assert "another version" in done.stderr


def test_a_full_disk_gets_a_sentence_and_keeps_what_was_there(plan, tmp_path):
    small = tmp_path / "small"
    small.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=120k", "tmpfs", str(small)],
                             capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("a small file system cannot be mounted here")
    try:
        done = study(plan, small / "a.sqlite")
        assert done.returncode == 1
        assert "full" in done.stderr
        kept = len(rows(small / "a.sqlite")["task"])
        shutil.copy(small / "a.sqlite", tmp_path / "copy.sqlite")
    finally:
        subprocess.run(["umount", str(small)], check=True)
    assert 0 < kept < N_TASK
    assert study(plan, tmp_path / "copy.sqlite").returncode == 0
    assert len(rows(tmp_path / "copy.sqlite")["task"]) == N_TASK


def test_a_study_goes_on_with_the_models_that_it_began_with(tmp_path):
    """A model whose file has changed since is another, whatever the plan calls it."""
    first = {"format": "sonde-model", "version": 1, "horizon": 2,
             "factors": [{"states": 2, "actions": 2}], "modalities": [{"outcomes": 2}],
             "A": [[[0.9, 0.2], [0.1, 0.8]]], "B": [[[[1, 0], [1, 0]], [[0, 1], [0, 1]]]],
             "C": [[0, 1]], "D": [[0.5, 0.5]]}
    path, db, model = tmp_path / "plan.json", tmp_path / "a.sqlite", tmp_path / "mine.json"
    plan = {"format": "sonde-plan", "version": 1, "steps": 2,
            "worlds": {"models": [str(model)], "graphs": 4}, "conditions": [{"search": "full"}]}
    path.write_text(json.dumps(plan))
    model.write_text(json.dumps(first))
    assert study(str(path), db).returncode == 0
    before = db.read_bytes()
    for key, value in (("C", [[0, 2]]), ("gamma", 3), ("horizon", 3)):
        model.write_text(json.dumps(first | {key: value}))
        done = study(str(path), db)
        assert done.returncode == 3 and "it has changed since" in done.stderr, key
    assert db.read_bytes() == before
    model.write_text(json.dumps(first))
    assert study(str(path), db).returncode == 0
    # and one whose episodes were lived in two models is no study
    with contextlib.closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("UPDATE world SET document = replace(document, '0.9', '0.91') "
                           "WHERE graph = 2")
    for done in (study(str(path), db), subprocess.run(
            [SONDE, "report", str(db), "-o", str(tmp_path / "r")], capture_output=True, text=True)):
        assert done.returncode == 3 and "the same model in all its episodes" in done.stderr


def test_a_dry_run_says_how_much_it_is_and_writes_nothing(plan, tmp_path):
    done = subprocess.run([SONDE, "study", plan, "--dry-run", "--db", str(tmp_path / "a.sqlite")],
                          capture_output=True, text=True)
    assert done.returncode == 0
    assert "612 runs" in done.stdout
    assert "MB" in done.stdout
    assert not (tmp_path / "a.sqlite").exists()


def test_the_plan_that_is_shown_is_the_plan(tmp_path):
    shown = subprocess.run([SONDE, "study", "table", "--show"], capture_output=True, text=True)
    assert json.loads(shown.stdout)["name"] == "table"


@pytest.mark.parametrize("arguments, sentence", [
    (["study"], "expected a plan"),
    (["study", "papper", "--db", "x"], "\"paper\""),
    (["study", "table"], "--db"),
    (["report", "missing.sqlite", "-o", "x"], "missing.sqlite"),
    (["report"], "expected a results file"),
])
def test_wrong_use_gets_a_sentence(arguments, sentence, tmp_path):
    done = subprocess.run([SONDE, *arguments], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode in (2, 3)
    assert sentence in done.stderr
