"""The campaign itself: what it has tried adds up, whatever happens to it on its way."""
# once
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = ROOT / "campaign" / "campaign.py"

ROW = """
import os
import time
import rows


class Sheep(rows.Row):
    name, what, how, unit, goal = "sheep", "Sheep", "one after the other", "sheep", 50
    unreached = ["There are no goats."]

    def step(self, start, seconds):
        time.sleep(float(os.environ.get("SHEEP_TAKE", "0")))
        black = ["sheep 13 is black"] if start <= 13 < start + 10 and "BLACK" in os.environ else []
        return rows.Step(10, start + 10, black, {"lambs": 3}, {"heaviest": start})


class Gate(rows.Row):
    name, what, how, unit, goal, once = "gate", "The gate", "shut", "gates", 1, True

    def step(self, start, seconds):
        return rows.Step(1, 0)
"""

FENCE = """
import os
import time
import rows


class Fence(rows.Row):
    name, what, how, unit = "fence", "The fence", "pulled at", "planks"
    parts = ["north", "south", "east"]

    def step(self, start, seconds):
        name = self.parts[start % 3]
        time.sleep(float(os.environ.get("FENCE_TAKES", "0")))
        return rows.Step(7, start + 1, parts={name: 7})
"""

POND = """
import rows


class Pond(rows.Row):
    name, what, how, unit = "pond", "The pond", "fed", "birds"
    each = {"ducks": 10, "swans": 10}

    def step(self, start, seconds):
        bird = "swans" if self.so_far.get("ducks", 0) >= 30 else "ducks"
        return rows.Step(5, start + 5, tallies={bird: 5})
"""

FAILING = """
import rows


class Wolf(rows.Row):
    name, what, how, unit, goal = "wolf", "Wolves", "seen", "wolves", 5

    def step(self, start, seconds):
        raise ValueError("a wolf")
"""


def farm(folder, row=ROW):
    (folder / "rows").mkdir()
    (folder / "rows" / "row_sheep.py").write_text(row)
    return folder


def words(folder, *options):
    return [sys.executable, str(COMMAND), "--rows", str(folder / "rows"), "--counts",
            str(folder / "counts"), "--to", str(folder / "page.md"), *options]


def run(folder, *options, **environment):
    return subprocess.run(words(folder, *options), capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})


def counted(folder, name="sheep"):
    path = folder / "counts" / f"{name}.json"
    return json.loads(path.read_text()) if path.exists() else {"next": 0, "commits": []}


def test_rows_run_until_each_has_what_it_should(tmp_path):
    done = run(farm(tmp_path))
    assert done.returncode == 0, done.stderr
    [entry] = counted(tmp_path)["commits"]
    assert (entry["count"], entry["violations"], counted(tmp_path)["next"]) == (50, 0, 50)
    assert entry["tallies"] == {"lambs": 15} and entry["figures"] == {"heaviest": 40}
    assert counted(tmp_path, "gate")["commits"][0]["count"] == 1
    run(tmp_path)
    assert counted(tmp_path)["next"] == 50


def test_a_row_that_is_given_time_goes_on_past_it(tmp_path):
    run(farm(tmp_path))
    run(tmp_path, "--row", "sheep", "--seconds", "0.3", SHEEP_TAKE="0.05")
    assert counted(tmp_path)["next"] > 50
    assert counted(tmp_path)["commits"][0]["count"] == counted(tmp_path)["next"]


def test_counts_of_another_commit_are_kept_apart_and_add_up(tmp_path):
    run(farm(tmp_path))
    path = tmp_path / "counts" / "sheep.json"
    path.write_text(path.read_text().replace(counted(tmp_path)["commits"][0]["commit"], "older"))
    run(tmp_path, "--row", "sheep", "--seconds", "0.2", SHEEP_TAKE="0.05")
    older, newer = counted(tmp_path)["commits"]
    assert older["commit"] == "older" and older["count"] == 50
    assert newer["count"] == counted(tmp_path)["next"] - 50
    page = (tmp_path / "page.md").read_text()
    assert f"{counted(tmp_path)['next']} sheep | 50 | 0 |" in page
    assert "`older`" in page and "lambs" in page and "There are no goats." in page


def test_what_is_checked_as_a_whole_is_checked_anew_and_not_added_up(tmp_path):
    run(farm(tmp_path), "--row", "gate")
    run(tmp_path, "--row", "gate")
    [entry] = counted(tmp_path, "gate")["commits"]
    assert entry["count"] == 1


def test_a_row_that_has_parts_goes_on_until_each_was_tried_to_its_end(tmp_path):
    farm(tmp_path, FENCE)
    run(tmp_path, "--row", "fence", "--seconds", "0.3", FENCE_TAKES="0.4")
    page = (tmp_path / "page.md").read_text()
    assert "- fence: all planks of south, east." in page
    assert "- north: all 7 (`" in page and "- south: not all" in page
    done = run(tmp_path)
    assert done.returncode == 0, done.stderr
    [entry] = counted(tmp_path, "fence")["commits"]
    assert (entry["count"], entry["parts"]) == (21, {"north": 7, "south": 7, "east": 7})
    page = (tmp_path / "page.md").read_text()
    assert "21 planks | all of 3 commands | 0 |" in page and "not all" not in page
    run(tmp_path)
    assert counted(tmp_path, "fence")["next"] == 3


def test_many_of_one_kind_do_not_stand_for_few_of_another(tmp_path):
    farm(tmp_path, POND)
    assert run(tmp_path).returncode == 0
    [entry] = counted(tmp_path, "pond")["commits"]
    assert entry["tallies"] == {"ducks": 30, "swans": 10}
    page = (tmp_path / "page.md").read_text()
    assert "- pond" not in page
    entry["tallies"]["swans"] = 9
    (tmp_path / "counts" / "pond.json").write_text(json.dumps(
        {"row": "pond", "next": 40, "commits": [entry]}))
    run(tmp_path, "--page")
    assert "- pond: 9 of 10 birds of swans." in (tmp_path / "page.md").read_text()


def end_in_the_middle(folder, number):
    """How many were counted when it was ended by a signal, while at the third step or so."""
    with subprocess.Popen(words(folder), env={**os.environ, "SHEEP_TAKE": "0.4"},
                          stdout=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 30
        while counted(folder)["next"] < 20 and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(number)
        status = process.wait(timeout=30)
    assert status != 0
    return counted(folder)["next"]


def test_killed_it_goes_on_where_it_was(tmp_path):
    kept = end_in_the_middle(farm(tmp_path), signal.SIGKILL)
    assert 20 <= kept < 50 and counted(tmp_path)["commits"][0]["count"] == kept
    run(tmp_path)
    assert counted(tmp_path)["commits"][0]["count"] == counted(tmp_path)["next"] == 50


def test_interrupted_it_keeps_its_counts_and_writes_the_page(tmp_path):
    for number in (signal.SIGINT, signal.SIGTERM):
        folder = tmp_path / str(int(number))
        folder.mkdir()
        kept = end_in_the_middle(farm(folder), number)
        assert f"sheep: {kept} of 50 sheep." in (folder / "page.md").read_text()


def test_what_is_wrong_fails_the_campaign_and_stays_in_the_page(tmp_path):
    done = run(farm(tmp_path), BLACK="1")
    assert done.returncode == 1 and "sheep 13 is black" in done.stdout
    [entry] = counted(tmp_path)["commits"]
    assert entry["violations"] == 1 and entry["count"] == 50
    assert "sheep 13 is black" in (tmp_path / "page.md").read_text()


def test_a_row_that_fails_itself_leaves_the_others_alone(tmp_path):
    farm(tmp_path)
    (tmp_path / "rows" / "row_wolf.py").write_text(FAILING)
    done = run(tmp_path)
    assert done.returncode == 1 and "a wolf" in done.stderr
    assert counted(tmp_path)["next"] == 50 and counted(tmp_path, "wolf")["next"] == 0


def test_two_campaigns_are_never_at_the_same_row(tmp_path):
    farm(tmp_path)
    with subprocess.Popen(words(tmp_path, "--row", "sheep"), stdout=subprocess.DEVNULL,
                          env={**os.environ, "SHEEP_TAKE": "0.3"}):
        while counted(tmp_path)["next"] < 10:
            time.sleep(0.02)
        assert "another campaign is at it" in run(tmp_path, "--row", "sheep").stdout
    assert counted(tmp_path)["commits"][0]["count"] == counted(tmp_path)["next"] == 50


def test_the_page_is_as_the_counts_say(tmp_path):
    run(farm(tmp_path))
    assert run(tmp_path, "--page", "--check").returncode == 0
    (tmp_path / "page.md").write_text("all is well\n")
    assert run(tmp_path, "--page", "--check").returncode != 0


def test_the_page_in_docs_is_as_the_counts_say():
    done = subprocess.run([sys.executable, str(COMMAND), "--page", "--check"], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_an_unknown_row_is_named(tmp_path):
    done = run(farm(tmp_path), "--row", "goats")
    assert done.returncode == 1 and "no row goats: sheep, gate expected" in done.stderr


def test_campaigns_on_different_rows_build_one_after_the_other(tmp_path, monkeypatch):
    sys.path.insert(0, str(ROOT / "campaign"))
    import rows
    at_work, most = [], []

    def build(*_):
        at_work.append(1)
        most.append(len(at_work))
        time.sleep(0.1)
        at_work.pop()

    monkeypatch.setattr(rows, "WORK", tmp_path)
    monkeypatch.setattr(rows, "configure_and_build", build)
    threads = [threading.Thread(target=rows.build, args=("gcc", "sonde")) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1, 1, 1]
