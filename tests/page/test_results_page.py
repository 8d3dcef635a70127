"""The page of documents in a real browser: runs of agents that learn, fits, recoveries, power and
comparisons; opened from disk, by mouse and by keyboard, at three widths, light and dark; what is
shown is what the document says."""
# page
import csv
import json
import os
import pathlib
import subprocess

import pytest

pytest.importorskip("selenium.webdriver")
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import Select  # noqa: E402

from browsing import CONTRAST, Browser  # noqa: E402

SONDE = str(pathlib.Path(os.environ["SONDE_COMMAND"]).resolve())
ROOT = pathlib.Path(__file__).resolve().parents[2]
MARKUP = "<img src=x onerror=alert(1)>\"'&</script>"
LOOKS = [(1280, "light"), (1280, "dark"), (900, "light"), (400, "light"), (400, "dark")]
NAMELESS = """
    return [...document.querySelectorAll("button, select, input, a, summary, [tabindex='0']")]
        .filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim()
            || e.closest("label")?.textContent.trim())).map((e) => e.outerHTML.slice(0, 80))"""


def sonde(*words, cwd, status=0):
    done = subprocess.run([SONDE, *map(str, words)], cwd=cwd, capture_output=True, text=True,
                          timeout=200)
    assert done.returncode == status, done.stderr
    return done.stderr if status else done.stdout


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    made = Browser(tmp_path_factory.mktemp("downloads"))
    yield made
    made.driver.quit()


@pytest.fixture(scope="session")
def runs(tmp_path_factory):
    """Runs of agents that learn, and pages of them: episodes, one long episode, and no counts."""
    made = tmp_path_factory.mktemp("learning")
    for name in ("tmaze", "habit"):
        for file in (f"{name}.json", f"{name}-world.json"):
            (made / file).write_bytes((ROOT / "examples/learning" / file).read_bytes())
    model = json.loads((made / "tmaze.json").read_text())
    model["name"] = MARKUP
    model["modalities"][2]["outcomes"][1] = MARKUP
    (made / "tmaze.json").write_text(json.dumps(model))
    world = json.loads((made / "tmaze-world.json").read_text())
    world["modalities"][2]["outcomes"][1] = MARKUP
    (made / "tmaze-world.json").write_text(json.dumps(world))
    sonde("simulate", "tmaze.json", "--learn", "--process", "tmaze-world.json", "--episodes", 20,
          "--steps", 3, "--novelty", "joint", "-o", "tmaze-run.json", cwd=made)
    sonde("simulate", "habit.json", "--learn", "--process", "habit-world.json", "--steps", 120,
          "--omega", 0.05, "-o", "habit-run.json", cwd=made)
    bare = json.loads((made / "habit-run.json").read_text())
    bare["history"] = {"by": "step", "arrays": [{"array": a["array"], "kl": a["kl"]}
                                                for a in bare["history"]["arrays"]]}
    (made / "bare-run.json").write_text(json.dumps(bare))
    for name in ("tmaze", "habit", "bare"):
        sonde("report", f"{name}-run.json", "-o", name, cwd=made)
    return made


def looks_right(browser, width):
    assert browser.run("return document.documentElement.scrollWidth") <= width
    assert browser.run(CONTRAST) == []
    assert browser.run(NAMELESS) == []
    assert browser.all("img") == [] and browser.all("#app b b") == []
    browser.assert_quiet()


def numbers(browser, name):
    """The rows below a figure, by their heads."""
    details = browser.one(f"#figure-{name} details")
    if not details.get_attribute("open"):
        details.find_element(By.CSS_SELECTOR, "summary").click()
    browser.until("return document.querySelector(arguments[0])", f"#figure-{name} details table")
    heads, *rows = browser.run("""
        return [...document.querySelectorAll(arguments[0] + ' tr')]
            .map((row) => [...row.children].map((cell) => cell.textContent))""",
                               f"#figure-{name} details table")
    return [dict(zip(heads, row)) for row in rows]


def number(words):
    return float(words.replace("−", "-").replace(",", ""))


# --------------------------------------------------------------------------------------- learning

@pytest.mark.parametrize("width, scheme", LOOKS)
def test_a_run_that_learned_opens_from_disk_and_names_are_text(browser, runs, width, scheme):
    browser.open(runs / "tmaze", width, scheme)
    assert MARKUP in browser.one("h1").text
    for name in ("counts", "kl", "choices", "returns"):
        assert browser.all(f"#figure-{name} svg path[data-line]"), name
        label = browser.one(f"#figure-{name} svg").get_attribute("aria-label")
        assert len(label) > 60, label
    for name in ("learned", "counts", "curve", "kl"):
        assert browser.all(f"#table-{name} tbody tr"), name
    assert MARKUP in [key.get_attribute("data-series") for key in browser.all(".legend button")]
    looks_right(browser, width)


def test_counts_are_those_of_the_document_at_every_moment(browser, runs):
    document = json.loads((runs / "tmaze-run.json").read_text())
    found = document["history"]["arrays"][0]
    assert found["array"] == "A[2]" and found["columns"][6] == "cue, reward left"
    browser.open(runs / "tmaze")
    rows = numbers(browser, "counts")
    assert len(rows) == 8 * 3 * 61
    for column, row in ((6, 1), (7, 2), (0, 0)):
        shown = [number(one["y"]) for one in rows if one["panel"] == found["columns"][column]
                 and one["series"] == found["rows"][row]]
        wanted = [now[8 * row + column] for now in found["counts"]]
        assert shown == pytest.approx(wanted, rel=6e-3, abs=6e-4)
    Select(browser.one("#figure-counts label:nth-of-type(2) select")).select_by_value("share")
    browser.settle()
    assert "unit=share" in browser.run("return location.hash")
    rows = numbers(browser, "counts")
    for panel in found["columns"]:
        last = [number(one["y"]) for one in rows if one["panel"] == panel and one["x"] == "60.0"]
        assert sum(last) == pytest.approx(1, abs=2e-3) and len(last) == 3
    kl = numbers(browser, "kl")
    assert [number(one["y"]) for one in kl] == pytest.approx(found["kl"], rel=6e-3, abs=6e-4)
    browser.assert_quiet()


def test_choices_and_returns_are_those_of_the_episodes(browser, runs):
    history = json.loads((runs / "tmaze-run.json").read_text())["history"]
    browser.open(runs / "tmaze", hash="#step=0")
    rows = numbers(browser, "choices")
    for label in {one["series"] for one in rows}:
        action = history["actions"].index(label)
        wanted = [float(episode["action"][0] == action) for episode in history["episodes"]]
        shown = [number(one["y"]) for one in rows if one["series"] == label]
        assert shown == wanted
    rows = [one for one in numbers(browser, "returns") if one["series"] == "episode"]
    shown = [number(one["y"]) for one in rows if one["panel"] == "How well it went"]
    wanted = [sum(episode["preference"]) for episode in history["episodes"]]
    assert shown == pytest.approx(wanted, rel=6e-3)
    browser.one("body").send_keys("d")
    browser.settle()
    assert browser.run("return document.activeElement.textContent") == "What it did"
    browser.one("body").send_keys("?")
    assert "to the counts" in browser.one("dialog").text
    browser.press(Keys.ESCAPE)
    browser.assert_quiet()


def test_one_long_episode_is_shown_step_by_step_and_the_array_is_chosen_by_keyboard(browser, runs):
    browser.open(runs / "habit")
    assert "step" in browser.one("#figure-choices figcaption").text
    select = browser.one("#figure-counts select")
    select.send_keys("E")
    browser.until("return location.hash.includes('array=E')")
    browser.settle()
    assert browser.one("#figure-counts figcaption b").text == "Figure 1. Counts of E."
    button = browser.one("[aria-label='Save counts_E as CSV']")
    button.click()
    saved = browser.saved("counts_E.csv").read_text().splitlines()
    assert len(saved) == 1 + 2 * 121
    browser.open(runs / "bare")
    assert "no counts" in browser.one("#counts .note").text and browser.all("#figure-kl svg")
    assert browser.all("#course") == []
    browser.assert_quiet()


def test_it_is_viewed_as_it_is_reported_without_the_library(browser, runs, tmp_path):
    sonde("view", runs / "tmaze-run.json", "--no-open", "-o", tmp_path / "run.html", cwd=tmp_path)
    browser.open(tmp_path / "run.html")
    assert MARKUP in browser.one("h1").text and browser.all("#figure-counts svg")
    browser.assert_quiet()


# ------------------------------------------------------------------------------------------- fits

@pytest.fixture(scope="session")
def fits(tmp_path_factory):
    """A fit of five subjects with a group, a recovery of two models, its power, a comparison; the
    names of what is in them have markup."""
    made = tmp_path_factory.mktemp("fits")
    bandit, world = (ROOT / "examples/learning" / name for name in ("bandit.json",
                                                                    "bandit-world.json"))
    (made / "two.json").write_text('[{"name": "gamma", "target": "gamma"}, '
                                   '{"name": "eta", "target": "eta_A"}]')
    (made / "one.json").write_text('[{"name": "gamma", "target": "gamma"}]')
    rows = []
    for i in range(5):
        sonde("simulate", bandit, "--learn", "--process", world, "--steps", 30, "--seed", i,
              "--subject", f"s{i}", "--data", "data.csv", cwd=made)
        head, *more = (made / "data.csv").read_text().splitlines()
        rows += more
    (made / "data.csv").write_text("\n".join([head, *rows]) + "\n")
    (made / "about.csv").write_text("subject,age\ns0,20\ns1,30\ns2,25\ns3,41\ns4,33\n")
    usual = ["--starts", 1, "--optimiser", "newton"]
    for name, more in (("two", ["--group", "eb", "--covariates", "about.csv"]), ("one", [])):
        sonde("fit", bandit, "data.csv", "--parameters", f"{name}.json", *usual, *more, "-o",
              f"fit-{name}.json", cwd=made)
    sonde("compare", "fit-two.json", "fit-one.json", "-o", "comparison.json", cwd=made)
    task = [bandit, "--learn", "--process", world, "--steps", 30, *usual]
    sonde("recover", *task, "--parameters", "two.json", "--parameters", "one.json", "--subjects", 9,
          "-o", "recovery.json", cwd=made)
    sonde("recover", *task, "--parameters", "two.json", "--subjects", "4,8,12", "--groups",
          "gamma=2", "--repeats", 6, "-o", "power.json", cwd=made)
    sonde("replay", bandit, "data.csv", "-o", "replay.json", cwd=made)
    for name, old in (("fit-two", "s4"), ("replay", "s4"), ("comparison", "fit-one.json"),
                      ("recovery", "one.json"), ("power", "gamma")):
        text = (made / f"{name}.json").read_text()
        (made / f"{name}.json").write_text(text.replace(f'"{old}"', json.dumps(MARKUP)))
        sonde("report", f"{name}.json", "-o", name, cwd=made)
    return made


@pytest.mark.parametrize("name, figures, tables", [
    ("fit-two", ["estimates", "posteriors", "group"], ["parameters", "group"]),
    ("recovery", ["recovery", "confusion"], ["recovery", "confusion", "recovered"]),
    ("replay", ["trajectory", "everybody"], ["subjects", "rows"]),
    ("power", ["power"], ["power"]), ("comparison", ["frequencies", "members"],
                                      ["models", "members"])])
@pytest.mark.parametrize("width, scheme", [(1280, "light"), (900, "dark"), (400, "light")])
def test_fits_and_their_kin_open_from_disk_and_names_are_text(
        browser, fits, name, figures, tables, width, scheme):
    browser.open(fits / name, width, scheme)
    for one in figures:
        assert browser.all(f"#figure-{one} svg, #figure-{one} table"), one
    for one in tables:
        assert browser.all(f"#table-{one} tbody tr"), one
    assert MARKUP in browser.run("return document.querySelector('main').textContent")
    looks_right(browser, width)


def test_a_page_without_a_folder_offers_what_is_in_it_and_no_file_beside_it(browser, fits):
    document = json.loads((fits / "fit-two.json").read_text())
    browser.open(fits / "fit-two")
    assert browser.all("a[href='tables/subjects.csv']") and browser.all("a[href$='.tex']")
    assert len(browser.all("[aria-label^='Python for']")) == 1  # of the posteriors, which it draws
    for name in ("fit-two", "comparison", "replay"):
        sonde("view", f"{name}.json", "--no-open", "-o", f"{name}.html", cwd=fits)
    browser.open(fits / "fit-two.html")
    assert browser.all("a[href*='tables/'], [aria-label^='Python for']") == []
    browser.one("[aria-label='Save table subjects as CSV']").click()
    with browser.saved("subjects.csv").open() as file:
        rows = list(csv.DictReader(file))
    for row, one in zip(rows, document["subjects"], strict=True):
        assert row["subject"] == one["subject"]
        assert float(row["eta"]) == one["value"]["eta"]
        assert float(row["log evidence"]) == one["evidence"]
    browser.one("[aria-label='Save table group as CSV']").click()
    shown = browser.run("""return [...document.querySelectorAll('#table-group tr')].map((row) =>
        [...row.children].map((one) => one.textContent))""")
    with browser.saved("group.csv").open() as file:
        saved = list(csv.reader(file))
    assert [len(row) for row in saved] == [len(row) for row in shown] and len(saved) > 2
    assert float(saved[1][-1]) == number(shown[1][-1])
    browser.open(fits / "replay.html")
    assert "tables/" not in browser.run("return document.querySelector('main').textContent")
    # there is no command in a comparison that could be run again
    browser.open(fits / "comparison.html")
    assert browser.one("header details summary").text == "Cite it"
    browser.assert_quiet()


def test_long_names_widen_no_page_of_results(browser, fits):
    for name, old in (("fit-two", "s1"), ("comparison", "fit-two.json")):
        text = (fits / f"{name}.json").read_text().replace(f'"{old}"', json.dumps("x" * 300))
        (fits / f"long-{name}.json").write_text(text)
        sonde("view", f"long-{name}.json", "--no-open", "-o", f"long-{name}.html", cwd=fits)
        browser.open(fits / f"long-{name}.html", 400)
        assert "x" * 300 in browser.run("return document.querySelector('main').textContent")
        assert browser.run("return document.documentElement.scrollWidth") <= 400
    browser.assert_quiet()


def test_numbers_of_estimates_say_whose_they_are(browser, fits):
    document = json.loads((fits / "fit-two.json").read_text())
    value = {one["subject"]: one["value"] for one in document["subjects"]}
    browser.open(fits / "fit-two")
    assert {row["of"] for row in numbers(browser, "estimates")} == set(value)
    browser.one("[aria-label='Save estimates as CSV']").click()
    with browser.saved("estimates.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * len(value)
    assert all(float(row["y"]) == value[row["of"]][row["panel"]] for row in rows)
    browser.assert_quiet()


def test_subjects_are_sorted_and_chosen_by_mouse_and_by_keyboard(browser, fits):
    document = json.loads((fits / "fit-two.json").read_text())
    value = {one["subject"]: one["value"]["eta"] for one in document["subjects"]}
    browser.open(fits / "fit-two")

    def shown():
        return browser.run("""return [...document.querySelectorAll('#subjects-table tbody th')]
            .map((cell) => cell.querySelector('button').textContent)""")
    assert shown() == list(value)
    head = browser.one("[data-sort='=eta']")
    head.click()
    browser.settle()
    assert shown() == sorted(value, key=value.get)
    browser.press(Keys.ENTER)  # the head has kept the focus
    assert shown() == sorted(value, key=value.get, reverse=True)
    assert browser.one("th[aria-sort]").get_attribute("aria-sort") == "descending"
    cells = browser.run("""return [...document.querySelector('#subjects-table tbody tr').children]
        .map((cell) => cell.textContent)""")
    low, high = next(one["interval_90"]["eta"] for one in document["subjects"]
                     if one["subject"] == shown()[0])
    words = cells[-1].split()
    assert [number(words[0]), number(words[1]), number(words[3])] == pytest.approx(
        [value[shown()[0]], low, high], rel=6e-3, abs=1e-4)
    browser.one("button[aria-label='subject s2']").click()
    browser.settle()
    assert browser.run("return document.activeElement.textContent") == "One subject"
    rows = browser.run("""return [...document.querySelectorAll('#subject tbody tr')]
        .map((row) => row.children[1].textContent)""")
    wanted = next(one for one in document["subjects"] if one["subject"] == "s2")["value"]
    assert [number(words) for words in rows] == pytest.approx(list(wanted.values()), rel=6e-3,
                                                              abs=1e-4)
    browser.assert_quiet()


def test_estimates_posteriors_and_the_group_are_the_documents(browser, fits):
    document = json.loads((fits / "fit-two.json").read_text())
    browser.open(fits / "fit-two", hash="#subject=s1")
    rows = [one for one in numbers(browser, "estimates") if one["panel"] == "gamma"]
    found = sorted((one["value"]["gamma"], *one["interval_90"]["gamma"])
                   for one in document["subjects"])
    shown = sorted(tuple(number(one[key]) for key in ("y", "low", "high")) for one in rows)
    assert sum(shown, ()) == pytest.approx(sum(found, ()), rel=6e-3)
    rows = [one for one in numbers(browser, "posteriors") if one["panel"] == "eta"
            and one["series"] == "s1"]
    one = next(one for one in document["subjects"] if one["subject"] == "s1")
    best = max(rows, key=lambda row: number(row["y"]))
    step = number(rows[1]["x"]) - number(rows[0]["x"])
    assert step < one["sd"]["eta"] / 4  # however wide the prior beside it is
    assert number(best["x"]) == pytest.approx(one["map"]["eta"], abs=step)
    assert {row["series"] for row in numbers(browser, "posteriors")} \
        == {"subjects", "prior", "group", "s1"}
    rows = numbers(browser, "group")
    shown = [number(one["y"]) for one in rows]
    assert shown == pytest.approx(sum(document["group"]["beta"], []), rel=6e-3, abs=1e-4)
    browser.one("body").send_keys("g")
    browser.settle()
    assert browser.run("return document.activeElement.textContent") == "The group"
    browser.assert_quiet()


def test_recovery_is_shown_model_by_model_with_truth_beside_estimate(browser, fits):
    document = json.loads((fits / "recovery.json").read_text())
    browser.open(fits / "recovery")
    rows = [one for one in numbers(browser, "recovery") if one["series"] != "the same"]
    model = document["models"][0]
    titles = [f"{one['name']}: r = {one['r']:.2f}".replace("-", "−") for one in model["parameters"]]
    for p, title in enumerate(titles):
        shown = sorted((number(one["x"]), number(one["y"])) for one in rows
                       if one["panel"] == title)
        wanted = sorted((one["true"][p], one["map"][p]) for one in model["subjects"])
        assert sum(shown, ()) == pytest.approx(sum(wanted, ()), rel=6e-3, abs=1e-3)
    Select(browser.one("#figure-recovery select")).select_by_value("1")
    browser.settle()
    assert len(browser.all("#figure-recovery svg > text")) == 1
    Select(browser.one("#confusion select")).select_by_value("pxp")
    browser.settle()
    shown = browser.run("""return [...document.querySelectorAll('#figure-confusion td')]
        .map((cell) => cell.textContent)""")
    assert [number(words) for words in shown] == pytest.approx(
        sum(document["confusion"]["pxp"], []), abs=6e-3)
    browser.open(fits / "power")
    rows = [one for one in numbers(browser, "power") if one["series"] == "with the difference"]
    power = json.loads((fits / "power.json").read_text())
    assert [number(one["y"]) for one in rows] == pytest.approx(
        [one["found"] for one in power["sizes"]], abs=1e-3)
    browser.assert_quiet()


def test_one_subjects_trajectory_is_that_of_the_replay(browser, fits):
    document = json.loads((fits / "replay.json").read_text())
    browser.open(fits / "replay", hash="#subject=s2")
    rows = numbers(browser, "trajectory")
    steps = document["subjects"][2]["steps"]
    names = document["names"]["factors"][0]
    for u, action in enumerate(names["actions"]):
        shown = [(int(number(one["x"])), number(one["y"])) for one in rows
                 if one["series"] == action and one["panel"] == "The action that was taken"]
        wanted = [(i + 1, step["p"]) for i, step in enumerate(steps) if step["action"] == [u]]
        assert sum(shown, ()) == pytest.approx(sum(wanted, ()), rel=6e-3, abs=1e-4)
    shown = [number(one["y"]) for one in rows if one["series"] == names["states"][1]
             and one["panel"] == "Belief: choice"]
    assert shown == pytest.approx([step["belief"][0][1] for step in steps], abs=1e-3)
    Select(browser.one("#figure-trajectory select")).select_by_value("s0")
    browser.settle()
    assert "What the agent made of s0" in browser.one("#figure-trajectory figcaption").text
    browser.assert_quiet()
