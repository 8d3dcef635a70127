"""Fits and recoveries that are killed, go on, and are spread over ranks: always the same bytes."""
# long
# once
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import time

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "replay"))

from tables import BANDIT, COMMAND, bandit, sonde, write_table  # noqa: E402

needs_mpirun = pytest.mark.skipif(shutil.which("mpirun") is None, reason="needs mpirun")
MPI = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
           PRTE_ALLOW_RUN_AS_ROOT="1", OMPI_MCA_mpi_yield_when_idle="1")


@pytest.fixture
def some(tmp_path):
    """Words of a fit of twelve subjects, as a group with a covariate."""
    model, _, free, fixture = bandit(tmp_path)
    free.write_text(json.dumps(fixture["free"][:1]))
    subjects = fixture["subjects"][:12]
    table = write_table(tmp_path, "subject,arm,reward",
                        [[s["subject"], a, r] for s in subjects
                         for a, r in zip(s["arm"][:100], s["reward"])])
    ages = write_table(tmp_path, "subject,age", [[s["subject"], 20 + i * i % 11]
                                                 for i, s in enumerate(subjects)], "ages.csv")
    return ["fit", model, table, *BANDIT, "--parameters", free, "--quiet", "--group", "eb",
            "--covariates", ages, "--threads", 1]


def recovery(folder):
    """Words of a recovery of two models with two sessions."""
    model, _, _, fixture = bandit(folder)
    gamma, scale, eta = fixture["free"]
    for name, free in (("a", [dict(gamma, per="session"), eta]),
                       ("b", [gamma, dict(scale, shared=True)])):
        (folder / f"{name}.json").write_text(json.dumps(free))
    return ["recover", model, *BANDIT, "--parameters", folder / "a.json", "--parameters",
            folder / "b.json", "--subjects", 6, "--sessions", 2, "--steps", 40, "--starts", 1,
            "--quiet", "--threads", 1]


def result(file):
    """What a document has besides the command that made it, whose files have other names, in
    bytes."""
    lines = pathlib.Path(file).read_text().splitlines()
    said = json.loads("\n".join(lines))["command"]
    whole = "\n".join(lines).replace(json.dumps(said, ensure_ascii=False), '"..."')
    assert '"..."' in whole and len(whole) > 1000
    return whole


def rows(file):
    """Names and numbers in a store; none where it is not there yet."""
    try:
        with sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=20) as db:
            return dict(db.execute("SELECT name, numbers FROM fit"))
    except sqlite3.OperationalError:
        return {}


def kill_often(words, folder, often):
    """Starts a command again and again, and kills it until so many kills have landed. Whenever it
    got so far that it wrote its result, that is compared, and it begins anew."""
    calm, out, store = folder / "calm.json", folder / "out.json", folder / "store.sqlite"
    began = time.monotonic()
    assert sonde(*words, "-o", calm).returncode == 0
    whole = time.monotonic() - began
    line = [COMMAND, *map(str, words), "--db", str(store), "-o", str(out)]
    landed, ended, seen = 0, 0, set()
    while landed < often:
        process = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(whole * (0.02 + 0.013 * (landed * 7 % 10)))
        process.kill()
        killed = process.wait() == -signal.SIGKILL
        if killed:
            landed += 1
            seen.add(len(rows(store)))
        if not killed or out.exists():
            assert process.returncode in (0, -signal.SIGKILL) and result(out) == result(calm)
            ended += 1
            out.unlink()
            store.unlink()
    subprocess.run(line, check=True, stdout=subprocess.DEVNULL)
    assert result(out) == result(calm)
    # it was killed at many places, and went on from there
    assert len(seen) > 5, (seen, ended)
    return line


def test_killed_fifty_times(some, tmp_path):
    line = kill_often(some, tmp_path, 50)
    # the file is of this fit alone
    run = subprocess.run(line + ["--starts", "2"], capture_output=True, text=True)
    assert run.returncode == 3 and "has another fit" in run.stderr


def test_a_recovery_is_killed_and_goes_on(tmp_path):
    words = recovery(tmp_path)
    kill_often(words, tmp_path, 20)
    # what is kept serves others that ask for more, or for something else
    store = tmp_path / "store.sqlite"
    before = rows(store)
    assert sonde(*words, "--db", store, "--seed", 2).returncode == 0
    assert set(before) < set(rows(store))
    # and is not that of a fit
    model, table, free, _ = bandit(tmp_path)
    run = sonde("fit", model, table, *BANDIT, "--parameters", free, "--db", store, "--quiet")
    assert run.returncode == 3 and "has another fit" in run.stderr


@pytest.mark.parametrize("more", [["--horizon", 2], ["--lambda", 3], ["--information", "joint"]])
def test_what_is_kept_is_of_the_same_model(some, tmp_path, more):
    """What a model has besides its arrays counts, too."""
    store = tmp_path / "store.sqlite"
    assert sonde(*some, "--db", store).returncode == 0
    run = sonde(*some, *more, "--db", store)
    assert run.returncode == 3 and "has another fit" in run.stderr


def test_what_a_recovery_keeps_is_of_the_same_model(tmp_path):
    words, store = recovery(tmp_path), tmp_path / "store.sqlite"
    more = ["--information", "off"]
    assert sonde(*words, "--db", store).returncode == 0
    again = json.loads(sonde(*words, *more, "--db", store, "--json").stdout)
    fresh = json.loads(sonde(*words, *more, "--json").stdout)
    first = json.loads(sonde(*words, "--json").stdout)
    assert again["models"] == fresh["models"] != first["models"]


def test_what_is_kept_is_of_the_same_numbers(some, tmp_path):
    """A column that is read otherwise, or another table of covariates, is fitted anew."""
    store = tmp_path / "store.sqlite"
    first = json.loads(sonde(*some, "--db", store, "--json").stdout)
    ages = pathlib.Path(some[some.index("--covariates") + 1])
    lines = ages.read_text().splitlines()
    ages.write_text("\n".join([lines[0], *(line + "7" for line in lines[1:3]), *lines[3:]]) + "\n")
    again = json.loads(sonde(*some, "--db", store, "--json").stdout)
    assert again["group"] == json.loads(sonde(*some, "--json").stdout)["group"]
    assert again["group"] != first["group"]
    run = sonde(*some, "--db", store, "--map", "reward.win=0,reward.loss=1")
    assert run.returncode == 3 and "has another fit" in run.stderr


def test_nothing_is_kept_of_a_fit_that_cannot_be(some, tmp_path):
    ages = pathlib.Path(some[some.index("--covariates") + 1])
    ages.write_text(ages.read_text().replace(",20\n", ",\n", 1))
    run = sonde(*some, "--db", tmp_path / "store.sqlite", "-o", tmp_path / "out.json")
    assert run.returncode == 3 and "column age" in run.stderr
    assert not (tmp_path / "store.sqlite").exists() and not (tmp_path / "out.json").exists()


def test_nothing_is_kept_where_an_action_cannot_be(some, tmp_path):
    model = json.loads(pathlib.Path(some[1]).read_text())
    pathlib.Path(some[1]).write_text(json.dumps(dict(model, policies=[[[0]]])))
    run = sonde(*some, "--db", tmp_path / "store.sqlite", "-o", tmp_path / "out.json")
    assert run.returncode == 3 and "no policy begins with it" in run.stderr
    assert not (tmp_path / "store.sqlite").exists() and not (tmp_path / "out.json").exists()


def on_ranks(n, words):
    return ["mpirun", "--oversubscribe", "-n", str(n), COMMAND, *map(str, words)]


def rank_of(mpirun, rank):
    """The process of a rank that an mpirun started; None: it is not there yet."""
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parent = (folder / "stat").read_text().rsplit(")", 1)[1].split()[1]
            given = (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if int(parent) == mpirun and f"OMPI_COMM_WORLD_RANK={rank}".encode() in given:
            return int(folder.name)
    return None


@needs_mpirun
@pytest.mark.parametrize("verb", ["fit", "recover"])
def test_ranks_change_no_byte(verb, some, tmp_path):
    words = some if verb == "fit" else recovery(tmp_path)
    alone = tmp_path / "alone.json"
    assert sonde(*words, "-o", alone).returncode == 0
    for n in (1, 2, 4):
        out, store = tmp_path / f"{n}.json", tmp_path / f"{n}.sqlite"
        for more in ([], ["--db", store], ["--db", store])[n != 2:]:  # the last finds all of it
            subprocess.run(on_ranks(n, [*words, *more, "-o", out]), check=True, env=MPI,
                           stdout=subprocess.DEVNULL)
            assert result(out) == result(alone)
            out.unlink()
        parts = [rows(store)] + [rows(f"{store}.rank{i}") for i in range(1, n)]
        assert all(parts)


@needs_mpirun
def test_a_rank_is_killed(some, tmp_path):
    alone = tmp_path / "alone.json"
    assert sonde(*some, "-o", alone).returncode == 0
    for n in (4, 1, 2):  # ranks that go on from what two left
        store, out = tmp_path / f"{n}.sqlite", tmp_path / f"{n}.json"
        process = subprocess.Popen(on_ranks(2, [*some, "--db", store, "-o", out]), env=MPI,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and len(rows(f"{store}.rank1")) < 3:
            time.sleep(0.002)
        victim = rank_of(process.pid, 1)
        assert victim is not None, "it was too fast to be killed"
        os.kill(victim, signal.SIGKILL)
        assert process.wait() != 0 and not out.exists()
        left = {**rows(store), **rows(f"{store}.rank1")}
        subprocess.run(on_ranks(n, [*some, "--db", store, "-o", out]), check=True, env=MPI,
                       stdout=subprocess.DEVNULL)
        assert result(out) == result(alone)
        assert left.items() <= rows(store).items()


def test_what_other_ranks_left_is_not_done_again(some, tmp_path):
    """A number that is changed in the file of another rank is found in the result."""
    store, out = tmp_path / "store.sqlite", tmp_path / "out.json"
    words = some[:some.index("--group")] + ["--threads", 1]
    assert sonde(*words, "--db", store, "-o", out).returncode == 0
    store.rename(f"{store}.rank1")
    with sqlite3.connect(f"{store}.rank1") as db:
        (name, numbers), = db.execute("SELECT * FROM fit WHERE name LIKE 'subjects 0 5 %'")
        changed = struct.pack(">d", -1234.5).hex() + numbers[16:]
        db.execute("UPDATE fit SET numbers = ? WHERE name = ?", (changed, name))
    assert sonde(*words, "--db", store, "-o", out).returncode == 0
    assert json.loads(out.read_text())["subjects"][5]["log_likelihood"] == -1234.5
