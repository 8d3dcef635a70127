"""What a command does besides printing text: documents, pipes, signals, files, running again."""
# long
# uses threads
import gzip
import json
import os
import pathlib
import resource
import shlex
import shutil
import signal
import stat
import subprocess
import time

import pytest

COMMAND = str(pathlib.Path(os.environ["SONDE_COMMAND"]).resolve())
WORLDS = pathlib.Path(os.environ["SONDE_TEST_DATA"]).resolve() / "worlds"

VERBS = {
    "graph": [],
    "efe": ["--steps", "--sort"],
    "embed": ["--embedding", "aboe"],
    "cluster": ["--k", "4", "--scope", "global"],
    "plan": ["--probe", "sample", "--k", "4"],
    "simulate": ["--steps", "3", "--k", "4", "--differences", "boe,nearest"],
}
MODEL = pathlib.Path(__file__).resolve().parents[2] / "examples/models/bandit.json"
DRAWN = ["graph", "--nodes", "6", "--seed", "11", "--connect", "directed", "--weights", "0.1,2.5"]


@pytest.fixture
def folder(tmp_path):
    shutil.copytree(WORLDS, tmp_path, dirs_exist_ok=True)
    return tmp_path


def sonde(folder, *words, **more):
    options = dict(cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
    return subprocess.run([COMMAND, *words], **{**options, **more})


def document(folder, *words, **more):
    done = sonde(folder, *words, **more)
    assert (done.returncode, done.stderr) == (0, b"")
    return json.loads(done.stdout)


def without_seconds(value):
    if isinstance(value, dict):
        return {k: without_seconds(v) for k, v in value.items() if not k.endswith("seconds")}
    if isinstance(value, list):
        return [without_seconds(v) for v in value]
    return value


# ------------------------------------------------------------------------------------ documents

@pytest.mark.parametrize("verb", VERBS)
def test_json_says_what_it_is_and_how_it_was_made(folder, verb):
    made = document(folder, verb, "five.json", *VERBS[verb], "--json")
    assert made["verb"] == verb and made["sign"] == "G" and made["sonde"]
    assert shlex.split(made["command"])[:3] == ["sonde", verb, "five.json"]
    assert "--seed" in shlex.split(made["command"])


@pytest.mark.parametrize("words", [[v, "five.json", *o] for v, o in VERBS.items()] + [DRAWN],
                         ids=[*VERBS, "drawn"])
def test_the_command_makes_the_document_again(folder, words):
    made = document(folder, *words, "--seed" if words is not DRAWN else "--json",
                    *(["3", "--json"] if words is not DRAWN else []))
    command = shlex.split(made["command"])
    again = document(folder, *command[1:])
    assert without_seconds(again) == without_seconds(made)
    # every setting is explicit, so that the command is its own command
    assert again["command"] == made["command"]


@pytest.mark.parametrize("verb", VERBS)
def test_the_last_line_of_the_text_makes_the_text_again(folder, verb):
    def lines(*words):
        out = sonde(folder, *words).stdout.decode().splitlines()
        return [line for line in out if not line.startswith("time:")]
    text = lines(verb, "house.json", *VERBS[verb])
    assert text[-1].startswith("again: sonde ")
    assert lines(*shlex.split(text[-1])[2:]) == text


def test_efe_has_the_keys_that_programs_rely_on(folder):
    made = document(folder, "efe", "three.json", "--json")
    assert made["count"] == len(made["policies"]) == 17
    for policy in made["policies"]:
        assert len(policy["actions"]) == 3 and len(policy["nodes"]) == 5
        terms = policy["risk"] + policy["ambiguity"] + policy["cost"]
        assert policy["efe"] == pytest.approx(terms, abs=1e-9)
        walk = list(zip(policy["nodes"], policy["nodes"][1:]))
        assert policy["actions"] == [[list(a), list(b)] for a, b in zip(walk, walk[1:])]


@pytest.mark.parametrize("search", ["full", "cluster"])
def test_plan_has_the_keys_that_programs_rely_on(folder, search):
    clusters = ["--k", "3"] if search == "cluster" else []
    made = document(folder, "plan", "three.json", "--search", search, *clusters, "--json")
    assert made["search"] == search and made["policy_space"] == 17
    assert made["action"]["to"] in [entry["to"] for entry in made["action_probabilities"]]
    assert sum(entry["p"] for entry in made["action_probabilities"]) == pytest.approx(1)
    assert {"actions", "nodes", "efe"} <= made["best"].keys()
    assert {"policies", "steps", "equivalent", "setup_steps"} <= made["evaluations"].keys()
    assert made["evaluations"]["equivalent"] == pytest.approx(made["evaluations"]["steps"] / 3)
    assert made["certificate"] is None and made["seconds"] >= 0


def test_simulate_has_the_keys_that_programs_rely_on(folder):
    made = document(folder, "simulate", "three.json", "--search", "full", "--json")
    assert len(made["path"]) == 11 and len(made["steps"]) == 10
    assert made["optimal"] is True and made["reached"] == 1
    for step in made["steps"]:
        assert {"belief", "action", "evaluations"} <= step.keys()


def test_one_cluster_decides_like_full_search(folder):
    full = document(folder, "plan", "five.json", "--search", "full", "--json")
    one = document(folder, "plan", "five.json", "--k", "1", "--json")
    assert one["action_probabilities"] == full["action_probabilities"]
    assert one["best"] == full["best"]


def test_cluster_shows_the_clusters_of_plan(folder):
    for scope in ("local", "global"):
        words = ["five.json", "--scope", scope, "--k", "5", "--json"]
        clusters = document(folder, "cluster", *words)["clusters"]
        plan = document(folder, "plan", *words)["clusters"]
        assert clusters["representatives"] == [c["representative"] for c in plan]
        assert clusters["sizes"] == [c["size"] for c in plan]


def test_output_is_the_document_that_json_prints(folder):
    done = sonde(folder, "plan", "three.json", "-o", "plan.json")
    assert done.stdout.startswith(b"3 nodes")
    made = json.loads((folder / "plan.json").read_text())
    printed = document(folder, "plan", "three.json", "--json", "--quiet")
    made.pop("command"), printed.pop("command")
    assert without_seconds(made) == without_seconds(printed)


def test_sorted_lists_are_sorted(folder):
    listed = document(folder, "efe", "five.json", "--scope", "global", "--json")["policies"]
    ranked = document(folder, "efe", "five.json", "--scope", "global", "--sort", "--json")
    assert ranked["policies"] == sorted(listed, key=lambda p: (p["efe"], p["index"]))
    first = document(folder, "efe", "five.json", "--scope", "global", "--sort", "--first", "100",
                     "--json")
    assert first["policies"] == ranked["policies"][:100]


# -------------------------------------------------------------------------------- input, output

@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_a_world_may_come_from_a_pipe(folder, pack):
    world = pack((folder / "three.json").read_bytes())
    piped = sonde(folder, "efe", "-", "--json", stdin=None, input=world)
    named = document(folder, "efe", "three.json", "--json")
    assert json.loads(piped.stdout)["policies"] == named["policies"]


@pytest.fixture
def full():
    """A standard output that takes nothing. The device is only ever opened, never handed to the
    command by name, which as root might replace it."""
    if not os.path.exists("/dev/full") or not stat.S_ISCHR(os.stat("/dev/full").st_mode):
        pytest.skip("/dev/full is no device here")
    descriptor = os.open("/dev/full", os.O_WRONLY)
    yield dict(stdout=descriptor, stderr=subprocess.PIPE, capture_output=False)
    os.close(descriptor)


@pytest.mark.parametrize("verb", VERBS)
def test_a_full_disk_is_a_failure(folder, full, verb):
    done = sonde(folder, verb, "three.json", *VERBS[verb], **full)
    assert done.returncode == 1
    assert done.stderr.decode().splitlines()[-1] == (
        f"sonde {verb}: standard output: No space left on device")


def test_help_on_a_full_disk_is_a_failure(folder, full):
    assert sonde(folder, "help", **full).returncode == 1


@pytest.mark.parametrize("verb", ["efe", "embed", "cluster"])
def test_a_file_that_cannot_grow_is_a_failure_and_is_not_left(folder, verb):
    before = sorted(os.listdir(folder))
    # Python gives the signal back its usual meaning, which is to end the command without a word
    done = sonde(folder, verb, "five.json", "-o", "big.json",
                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000)))
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode().startswith(f"sonde {verb}: ")
    assert "big.json: cannot be written: File too large" in done.stderr.decode()
    assert sorted(os.listdir(folder)) == before


@pytest.mark.parametrize("words", [["efe", "five.json", "--horizon", "12", "--scope", "global"],
                                   ["efe", "five.json", "--horizon", "12", "--json"],
                                   ["embed", "five.json", "--scope", "global", "--csv", "-"]])
def test_a_reader_who_has_read_enough_is_no_failure(folder, words):
    running = subprocess.Popen([COMMAND, *words], cwd=folder, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    assert running.stdout.read(10)
    running.stdout.close()
    assert running.stderr.read() == b""
    assert running.wait(120) == 0


def test_a_closed_standard_output_is_a_failure(folder):
    done = sonde(folder, "graph", "three.json", stdout=None, stderr=subprocess.PIPE,
                 capture_output=False, preexec_fn=lambda: os.close(1))
    assert done.returncode == 1


def test_an_old_file_stays_when_the_new_one_fails(folder):
    (folder / "keep.json").write_text("old")
    assert sonde(folder, "plan", "five.json", "--memory", "1K", "-o",
                 "keep.json").returncode == 4
    assert (folder / "keep.json").read_text() == "old"


# sanitizers reserve far more than any program
WATCHED = any(mark in pathlib.Path(COMMAND).read_bytes()
              for mark in (b"__asan_init", b"__tsan_init"))


def with_address_space(folder, megabytes, *words):
    size = megabytes << 20
    return sonde(folder, *words,
                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size)))


@pytest.mark.skipif(WATCHED, reason="a sanitizer reserves more")
def test_a_small_space_is_planned_in_little_memory(folder):
    done = with_address_space(folder, 200, "plan", str(MODEL), "--horizon", "2", "--threads", "1")
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(WATCHED, reason="a sanitizer reserves more")
def test_a_large_space_in_little_memory_is_too_large(folder):
    words = ["plan", str(MODEL.with_name("grid.json")), "--horizon", "20", "--threads", "1"]
    done = with_address_space(folder, 200, *words)
    assert (done.returncode, done.stdout) == (4, b"")
    assert b"bounded search: the system refused" in done.stderr and b"--memory" in done.stderr
    # which says what helps
    assert with_address_space(folder, 200, *words, "--memory", "64M").returncode == 0


# ------------------------------------------------------------------------- signals and progress

def start(folder, *words, **more):
    # a shell's background job may have left SIGINT ignored
    return subprocess.Popen([COMMAND, *words], cwd=folder, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, **more,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))


LONG = {
    "efe": ["--scope", "global", "--horizon", "14", "--sort", "--first", "9", "-o", "half.json"],
    "cluster": ["--scope", "global", "--horizon", "7", "--k", "400", "--restarts", "5000",
                "--csv", "half.csv", "-o", "half.json"],
    "embed": ["--embedding", "edm", "--horizon", "14", "-o", "half.json"],
    "plan": ["--search", "full", "--scope", "global", "--horizon", "14", "-o", "half.json"],
    "simulate": ["--embedding", "edm", "--horizon", "14", "--svg", "half.svg"],
}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("verb", LONG)
def test_a_signal_ends_long_work_and_leaves_no_file(folder, verb, number):
    before = sorted(os.listdir(folder))
    running = start(folder, verb, "five.json", *LONG[verb], "--memory", "64G", "--progress")
    assert running.stderr.readline()  # it is at work
    running.send_signal(number)
    out, err = running.communicate(timeout=120)
    assert (running.returncode, out) == (1, b"")
    assert err.decode().splitlines()[-1] == f"sonde {verb}: interrupted before it was done"
    assert sorted(os.listdir(folder)) == before


def seconds(process):
    """Of processor time that a process has used."""
    words = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="there is no /proc")
def test_a_signal_ends_the_fit_of_one_subject(folder):
    # which would otherwise go on for minutes
    rows = "".join(f"one,{i % 2},{i // 2 % 3},{i // 3 % 3}\n" for i in range(4000))
    (folder / "one.csv").write_text(f"subject,reward,seen,choice\n{rows}")
    bandit = MODEL.parents[1] / "learning" / "bandit.json"
    running = start(folder, "fit", str(bandit), "one.csv", "--free", "gamma,eta_A", "--learn",
                    "--starts", "10000", "-o", "half.json")
    while seconds(running) < 0.3:
        assert running.poll() is None
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert (running.returncode, out) == (1, b"")
    assert err.decode().splitlines()[-1] == "sonde fit: interrupted before it was done"
    assert not (folder / "half.json").exists()


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="there is no /proc")
@pytest.mark.parametrize("world", ["five.json", str(MODEL)])
def test_a_signal_ends_many_short_episodes(folder, world):
    running = start(folder, "simulate", world, "--steps", "2", "--episodes", "100000000", "-o",
                    "half.json")
    while seconds(running) < 0.2:
        assert running.poll() is None
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=20)
    assert (running.returncode, out) == (1, b"")
    assert err.decode().splitlines()[-1] == "sonde simulate: interrupted before it was done"
    assert not (folder / "half.json").exists()


def writes(process, folder):
    """Whether a process has a file of that folder open that is not there yet."""
    for descriptor in pathlib.Path(f"/proc/{process.pid}/fd").iterdir():
        try:
            if os.readlink(descriptor).startswith(f"{folder}/"):
                return True
        except OSError:
            pass
    return False


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="there is no /proc")
def test_a_command_that_is_killed_leaves_no_draft_for_long(folder):
    before = sorted(os.listdir(folder))
    words = ["efe", "five.json", "--scope", "global", "-o", "half.json"]
    running = start(folder, *words, "--horizon", "14")
    while not writes(running, folder):
        assert running.poll() is None
    running.kill()
    running.communicate(timeout=120)
    # where files without names are not to be had, the next who writes the file tidies up
    assert sonde(folder, *words, "--horizon", "2").returncode == 0
    assert sorted(os.listdir(folder)) == sorted([*before, "half.json"])


def test_a_signal_ends_waiting_for_a_world(folder):
    running = start(folder, "graph", "-", stdin=subprocess.PIPE)
    with pytest.raises(subprocess.TimeoutExpired):
        running.wait(0.5)
    running.send_signal(signal.SIGINT)
    assert running.wait(60) == 1
    assert b"interrupted" in running.stderr.read()
    running.stdin.close()


def test_a_signal_while_a_list_flows_is_a_failure(folder):
    running = start(folder, "efe", "five.json", "--horizon", "14", "--scope", "global")
    assert running.stdout.readline()
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=120)
    assert running.returncode == 1
    assert err == b"sonde efe: interrupted before it was done\n"


def test_progress_is_for_terminals_unless_asked_for(folder):
    words = ["cluster", "five.json", "--scope", "global"]
    assert sonde(folder, *words).stderr == b""
    assert b" of " in sonde(folder, *words, "--progress").stderr
    assert sonde(folder, *words, "--progress", "--quiet").stderr == b""


def test_progress_never_touches_the_document(folder):
    done = sonde(folder, "cluster", "five.json", "--scope", "global", "--json", "--progress")
    json.loads(done.stdout)


def test_a_locale_changes_nothing(folder):
    environment = dict(os.environ, LC_ALL="de_DE.UTF-8", LANG="de_DE.UTF-8")
    words = ["efe", "three.json", "--lambda", "1.5", "--json"]
    assert document(folder, *words, env=environment) == document(folder, *words)


# ---------------------------------------------------------------------------- nothing is lost

@pytest.mark.parametrize("words", [["plan", "-o"], ["simulate", "--svg"], ["embed", "--csv"],
                                   ["graph", "--svg"]])
def test_the_file_that_is_read_is_not_written_over(folder, words):
    before = (folder / "five.json").read_bytes()
    (folder / "link.json").symlink_to("five.json")
    for name in ("five.json", "./five.json", "link.json"):
        done = sonde(folder, words[0], "five.json", words[1], name)
        assert done.returncode == 2 and b"is read, and would be lost" in done.stderr
    assert (folder / "five.json").read_bytes() == before
    # but a world may take its own place
    assert sonde(folder, "graph", "five.json", "-o", "five.json").returncode == 0


LEARNING = pathlib.Path(__file__).resolve().parents[2] / "examples/learning"


@pytest.mark.parametrize("words, output", [
    (["fit", "b.json", "raw.csv", "--free", "gamma", "--csv"], "raw.csv"),
    (["fit", "b.json", "raw.csv", "--free", "gamma", "-o"], "raw.csv.json"),
    (["fit", "b.json", "raw.csv", "--free", "gamma", "--covariates", "c.csv", "--group", "eb",
      "--csv"], "c.csv"),
    (["replay", "b.json", "raw.csv", "-o"], "raw.csv"),
    (["replay", "b.json", "--data", "raw.csv", "--csv"], "./raw.csv"),
    (["compare", "1.json", "2.json", "-o"], "2.json"),
    (["simulate", "b.json", "--process", "w.json", "--learn", "--learned"], "w.json"),
    (["simulate", "b.json", "--process", "w.json", "--save"], "w.json"),
    (["recover", "b.json", "--process", "w.json", "--free", "gamma", "-o"], "w.json"),
    (["smooth", "b.json", "--data", "s.json", "-o"], "s.json"),
], ids=lambda one: one if isinstance(one, str) else one[0])
def test_no_file_that_is_read_is_written_over(folder, words, output):
    for name in ("raw.csv", "raw.csv.json", "c.csv", "1.json", "2.json", "s.json"):
        (folder / name).write_text("{}")
    for name, source in (("b.json", "bandit.json"), ("w.json", "bandit-world.json")):
        (folder / name).write_bytes((LEARNING / source).read_bytes())
    before = (folder / output).read_bytes()
    done = sonde(folder, *words, output)
    assert done.returncode == 2 and b"is read, and would be lost" in done.stderr
    assert (folder / output).read_bytes() == before


def test_an_agent_is_saved_where_it_was(folder):
    (folder / "b.json").write_bytes((LEARNING / "bandit.json").read_bytes())
    assert sonde(folder, "simulate", "b.json", "--steps", "2", "--save", "a").returncode == 0
    assert sonde(folder, "simulate", "b.json", "--steps", "2", "--resume", "a", "--save",
                 "a").returncode == 0


def test_a_file_takes_one_document(folder):
    (folder / "in").mkdir()
    (folder / "there").symlink_to("in")
    for first, second in (("one", "one"), ("one", "./one"), ("in/one", "there/one"),
                          ("in/one", "in/../in/one")):
        done = sonde(folder, "plan", "five.json", "-o", first, "--svg", second)
        assert done.returncode == 2 and b"takes one document" in done.stderr
        assert not (folder / first).exists()
    (folder / "old").write_text("kept")
    (folder / "new").symlink_to("old")
    done = sonde(folder, "plan", "five.json", "-o", "old", "--svg", "new")
    assert b"takes one document" in done.stderr and (folder / "old").read_text() == "kept"
    assert sonde(folder, "plan", "five.json", "-o", "one", "--svg", "in/one").returncode == 0


@pytest.mark.parametrize("whose", ["pymdp", "pymdp-legacy", "spm"])
def test_the_command_makes_the_conventions_of_others_again(folder, whose):
    made = document(folder, "plan", str(MODEL), "--like", whose,
                    "--quiet", "--json")
    assert without_seconds(document(folder, *shlex.split(made["command"])[1:])) == (
        without_seconds(made))


def test_w7_a_decision_without_whole_policies_says_what_it_scored_in_steps(folder):
    drawn = sonde(folder, "graph", "--nodes", "6", "--seed", "30", "-o", "world.json")
    assert drawn.returncode == 0
    text = sonde(folder, "plan", "world.json", "--search", "bounded").stdout.decode()
    assert "\nscored: 3 steps (as much as 0.5 policies); 144 steps once before\n" in text
    assert "0 policies" not in text and "equivalents" not in text
    one = '{"format": "sonde-graph", "version": 1, "nodes": 1, "edges": []}'
    (folder / "one.json").write_text(one)
    text = sonde(folder, "plan", "one.json", "--search", "bounded").stdout.decode()
    assert "\nscored: 1 step (as much as 1 policy); 1 step once before\n" in text
