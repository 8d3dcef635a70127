"""The page of a study in a real browser: opened from disk, by mouse and by keyboard, at three
widths, light and dark; what it shows is what summary.json and the rows say.

Reports had seven faults once, and each has a test that fails where it comes back (pytest -k w1):

    w1  daggers of Table 1 stood beside other numbers when the table had been scrolled   (here)
    w2  the best of a quality study had one mark, and another was explained
        (here, and tests/study/test_quality.py)
    w3  start and destination had other colours in Python, and nodes other places
        (here, and python/tests/test_figures.py)
    w4  two worlds had a line, and a band that covered everything                        (here)
    w5  times were means, which one hiccup moved                                         (here)
    w6  embeddings were compared at different k and n                                    (here)
    w7  a decision had scored "0 policies"
        (tests/page/test_view_page.py, tests/cli/test_behaviour.py, python/tests/test_agent.py)
"""
# page
import json
import os
import pathlib
import random
import re
import shutil
import sqlite3
import subprocess
import xml.etree.ElementTree as xml

import pytest

pytest.importorskip("selenium.webdriver")
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import Select  # noqa: E402

from browsing import CONTRAST, Browser  # noqa: E402

SONDE = str(pathlib.Path(os.environ["SONDE_COMMAND"]).resolve())
ROOT = pathlib.Path(__file__).resolve().parents[2]
CLUSTERS = {"search": "cluster", "scope": ["local", "global"], "embedding": ["edm", "boe", "aboe"],
            "k": [6, 12], "probe": ["center", "sample"], "samples": 3, "k_before": 12}
PLAN = {
    "format": "sonde-plan", "version": 1, "name": "page", "seed": 2,
    "worlds": {"sizes": [3, 4], "graphs": 10},
    "conditions": [
        {"group": "table", "semantics": ["text", "notebook"], "search": "full",
         "scope": ["local", "global"]},
        {"group": "table", "semantics": ["text", "notebook"], **CLUSTERS},
        {"group": "difference", "differences": ["lookup", "lag"], **CLUSTERS},
        {"group": "difference", "connect": "directed", "search": "cluster", "scope": "local",
         "embedding": "boe", "k": 12},
        {"group": "sweep-k", "sizes": [3], "graphs": 10, "search": "cluster", "embedding": "boe",
         "k": [2, 6, 24]},
        {"group": "sweep-k", "sizes": [4], "graphs": 2, "search": "cluster", "embedding": "boe",
         "k": [2, 6, 24]},
        {"group": "sweep-n", "search": "cluster", "embedding": "boe", "k": 12, "probe": "sample",
         "samples": [1, 3, 6]},
        {"group": "certified", "search": "bounded", "scope": ["local", "global"]},
    ],
}
OTHER = {
    "format": "sonde-plan", "version": 1, "name": "<img src=x onerror=alert(1)>", "seed": 3,
    "judge": 2, "worlds": {"sizes": [3], "graphs": 3, "models": [
        {"name": "</script><b>\"&", "model": "tmaze", "steps": 3}]},
    "conditions": [
        {"group": "quality", "search": ["full", "bounded"]},
        {"group": "quality", "sizes": [3], "search": "cluster", "embedding": ["boe", "edm"],
         "k": [2, 4]},
        {"group": "scaling-nodes", "sizes": [3], "search": "bounded", "horizon": 4},
        {"group": "scaling-horizon", "sizes": [3], "search": "bounded", "horizon": [2, 5]},
    ],
}
OWN = {
    "format": "sonde-plan", "version": 1, "name": "mine", "seed": 5, "steps": 4,
    "record_steps": True,
    "worlds": {"graphs": 6, "models": ["tmaze", {"model": "bandit", "name": "my bandit's arms"}]},
    "conditions": [
        {"group": "exact", "search": ["full", "bounded"]},
        {"group": "few", "search": "random", "budget": [4, 400]},
        {"group": "few", "search": "bounded", "weight_information": 0},
    ],
}
FIGURES = ["optimality", "decision_time", "decision_steps", "construction_time", "valid", "sweep_k",
           "sweep_n", "tradeoff", "world_4_full", "world_4_clustered", "world_clusters_4",
           "world_4_spaces", "failures", "failed_path", "differences"]
TABLES = ["table1", "decision_cost", "correlation", "failures", "differences", "conditions"]
SOURCES = ["paper", "notebook", "text"]


def sonde(*words, cwd):
    done = subprocess.run([SONDE, *words], cwd=cwd, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    return done.stdout


def report(place, plan):
    (place / "plan.json").write_text(json.dumps(plan))
    sonde("study", "plan.json", "--db", "runs.sqlite", "--quiet", cwd=place)
    sonde("report", "runs.sqlite", "-o", "report", cwd=place)
    return place / "report"


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return report(tmp_path_factory.mktemp("page"), PLAN)


@pytest.fixture(scope="session")
def other(tmp_path_factory):
    return report(tmp_path_factory.mktemp("other"), OTHER)


@pytest.fixture(scope="session")
def own(tmp_path_factory):
    return report(tmp_path_factory.mktemp("own"), OWN)


@pytest.fixture(scope="session")
def summary(folder):
    return json.loads((folder / "summary.json").read_text())


@pytest.fixture(scope="session")
def rows(folder):
    return sqlite3.connect(folder.parent / "runs.sqlite")


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    made = Browser(tmp_path_factory.mktemp("downloads"))
    yield made
    made.driver.quit()


# ---------------------------------------------------------------------------------- the whole page

@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 900, 400])
def test_it_opens_from_disk_without_a_message_a_request_or_a_void_beside_it(
        browser, folder, width, scheme):
    browser.open(folder, width, scheme)
    assert browser.run("return document.documentElement.scrollWidth") <= width
    for name in FIGURES:
        assert browser.all(f"#figure-{name} svg, #figure-{name} table"), name
    for name in TABLES:
        assert browser.all(f"#table-{name} tbody tr"), name
    assert len(browser.all("section")) == 8
    browser.assert_quiet()


@pytest.mark.parametrize("width", [1280, 400])
def test_any_plan_is_worth_opening_and_names_are_text(browser, other, width):
    browser.open(other, width)
    assert "<img src=x onerror=alert(1)>" in browser.one("h1").text
    assert browser.all("img") == [] and browser.all("#app b b") == []
    titles = browser.run("""return [...document.querySelectorAll("#figure-quality svg > text")]
        .map((words) => words.textContent)""")
    assert '</script><b>"&' in titles
    for name in ("quality", "quality_optimal", "scaling"):
        assert browser.all(f"#figure-{name} svg .opens"), name
    assert browser.run("return document.documentElement.scrollWidth") <= width
    browser.assert_quiet()


OWN_MEASURES = ["preference", "efe", "surprise", "equivalent", "seconds", "certificate"]


@pytest.mark.parametrize("width, scheme", [(1280, "light"), (400, "light"), (1280, "dark")])
def test_a_study_of_own_models_says_what_was_compared_and_nothing_of_the_paper(
        browser, own, width, scheme):
    browser.open(own, width, scheme)
    assert [section.get_attribute("id") for section in browser.all("section")] \
        == ["compare", "explore", "notes"]
    assert browser.one("h1").text == "Study: mine"
    words = browser.run("return document.querySelector('#app').textContent")
    for other in ("the paper", "notebook", "Dijkstra", "k-means", "shortest path", "drawn again"):
        assert other not in words.split("The list of conditions")[0], other
    for name in OWN_MEASURES:
        assert browser.all(f"#figure-comparison_{name} svg .opens"), name
    assert browser.run("return document.documentElement.scrollWidth") <= width
    assert browser.run(CONTRAST) == []
    browser.assert_quiet()


def test_own_models_and_conditions_have_their_names(browser, own):
    browser.open(own)
    models = [[cell.text for cell in row.find_elements(By.CSS_SELECTOR, "th, td")]
              for row in browser.all("#table-models tbody tr")]
    assert models[0][:4] == ["tmaze", "place (4), context (2)", "place (4)",
                             "place (4), reward (3), cue (3)"]
    assert models[0][4:] == ["2", "16", "4", "6"] and models[1][0] == "my bandit's arms"
    assert [name.text for name in browser.all("#compared tbody th")] \
        == ["full", "bounded", "random, budget 4", "random, budget 400",
            "bounded, weight information 0"]
    titles = browser.run("""
        return [...document.querySelectorAll("#figure-comparison_efe svg > text")]
            .map((words) => words.textContent)""")
    assert titles == ["tmaze", "my bandit's arms"]


def test_the_comparison_shows_what_sql_says_measure_by_measure_and_is_sorted(browser, own):
    database = sqlite3.connect(own.parent / "runs.sqlite")
    for measure, better in (("preference", 1), ("efe", -1), ("surprise", -1)):
        means = dict(database.execute(f"SELECT condition, avg({measure}) FROM run WHERE "
                                      "model = 'tmaze' GROUP BY condition"))
        browser.open(own, hash=f"#measure={measure}&c-sort=-1")
        shown = [(int(row.find_elements(By.CSS_SELECTOR, "td")[0].text) - 1,
                  row.find_elements(By.CSS_SELECTOR, "td")[1].text.split()[0].replace("−", "-"))
                 for row in browser.all("#compared tbody tr")]
        for condition, words in shown:
            assert float(words) == pytest.approx(means[condition], rel=6e-3), (measure, condition)
        values = [better * means[condition] for condition, _ in shown]
        assert values == sorted(values, reverse=True)
    Select(browser.one("#table-compared select")).select_by_value("equivalent")
    browser.settle()
    assert "measure=equivalent" in browser.driver.current_url
    assert browser.one("#compared-measure").text.startswith("Policies scored: ")


def test_a_number_opens_its_episodes_and_an_episode_its_steps_in_the_models_own_words(
        browser, own, tmp_path):
    database = sqlite3.connect(own.parent / "runs.sqlite")
    browser.open(own)
    browser.one("#compared tbody tr button.cell").click()
    browser.settle()
    assert len(browser.all("dialog .dots button")) == 6
    browser.all("dialog .dots button")[1].click()
    browser.settle()
    kept = database.execute("SELECT state, outcome, action, p, belief FROM step WHERE "
                            "condition = 0 AND size = -1 AND graph = 1 ORDER BY step").fetchall()
    model = json.loads((ROOT / "examples/models/tmaze.json").read_text())
    states = [factor["states"] for factor in model["factors"]]
    outcomes = [modality["outcomes"] for modality in model["modalities"]]
    shown = [[cell.text for cell in row.find_elements(By.CSS_SELECTOR, "td")]
             for row in browser.all("dialog table.steps tbody tr")]
    assert len(shown) == len(kept) == 4
    for t, (row, (state, outcome, action, p, belief)) in enumerate(zip(shown, kept)):
        assert row[0] == str(t)
        assert row[1] == ", ".join(names[int(i)] for names, i in zip(states, state.split("/")))
        assert row[2] == ", ".join(names[int(i)] for names, i in zip(outcomes, outcome.split("/")))
        for names, factor in zip(states, json.loads(belief)):
            for name, share in zip(names, factor):
                assert (f"{name} {share:.2f}" in row[3].split("\n")) == (share >= 0.005)
        assert row[4] == model["factors"][0]["actions"][int(action.split("/")[0])]
        assert float(row[5]) == pytest.approx(p, abs=5e-4)
    # the command beside it lives the same life
    browser.one("dialog [aria-label='save tmaze.json']").click()
    command = browser.one("dialog .run pre").text.split()
    shutil.copy(browser.saved("tmaze.json"), tmp_path)
    lived = json.loads(sonde(*command[1:], "--json", cwd=tmp_path))
    assert ["/".join(map(str, state)) for state in lived["path"][:-1]] == [row[0] for row in kept]
    browser.assert_quiet()


def test_later_episodes_say_where_their_steps_are(browser, own):
    browser.open(own, hash="#cell=0.-1.5")
    assert "the SQLite file has those of all" in browser.one("dialog .run").text
    assert len(browser.all("dialog table.steps tbody tr")) == 5


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_words_have_a_contrast_of_four_and_a_half(browser, folder, scheme):
    browser.open(folder, 1280, scheme)
    assert browser.run(CONTRAST) == []


def test_every_control_is_reachable_and_named(browser, folder):
    browser.open(folder)
    nameless = browser.run("""
        return [...document.querySelectorAll("button, select, input, a, summary, [tabindex='0']")]
            .filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim()
                || e.closest("label")?.textContent.trim()))
            .map((e) => e.outerHTML.slice(0, 80))""")
    assert nameless == []
    assert browser.run("""return [...document.querySelectorAll("[tabindex]")]
        .every((e) => e.tabIndex <= 0)""")
    pictures = browser.run("""return [...document.querySelectorAll("svg[role='img']")]
        .map((e) => e.getAttribute("aria-label").length)""")
    assert len(pictures) >= 12 and min(pictures) > 20
    browser.one("body").send_keys("?")
    assert "to Table 1" in browser.one("dialog").text
    browser.press(Keys.ESCAPE)
    browser.press("e")
    assert browser.run("return document.activeElement.textContent") == "Every condition"
    browser.assert_quiet()


# ------------------------------------------------------------------------------------------ table 1

def shown_table(browser):
    return browser.run("""return [...document.querySelectorAll("#main-table tbody tr")].map((row) =>
        [...row.children].map((cell) => cell.innerText.trim()))""")


def wanted_table(summary):
    """The rows as they should be shown: words, and values with their intervals."""
    def value(source, paper, outside):
        if source is None:
            return "–"
        low, high = (f"{x:.0f}" for x in source["percent"][1:])
        mark = "†" if outside else ""
        return f"{source['percent'][0]:.1f}" + (mark if paper else f" {low}–{high}")

    titles = {"none": "None", "boe": "BOE", "edm": "EDM", "aboe": "aBOE"}
    rows = {}
    for cell in summary["table1"]["cells"]:
        key = (cell["scope"], titles[cell["embedding"]], str(cell["k"] or ""), str(cell["n"] or ""))
        rows.setdefault(key, []).extend(value(cell[name], name == "paper", cell["outside"])
                                        for name in SOURCES)
    return [[*key, *values] for key, values in rows.items()]


def test_table_1_shows_what_the_summary_says(browser, folder, summary):
    browser.open(folder)
    shown = [row for row in shown_table(browser) if "certified" not in row[1]]
    assert shown == wanted_table(summary)
    best = browser.run("return document.querySelectorAll('#main-table tbody b').length")
    assert best == sum(bool(cell[name] and cell[name]["best"])
                       for cell in summary["table1"]["cells"] for name in SOURCES)


def test_a_certified_row_stands_beside_the_papers(browser, folder, summary):
    browser.open(folder)
    shown = [row for row in shown_table(browser) if row[1] == "bounded, certified"]
    assert [row[0] for row in shown] == ["global", "local"]
    for row in shown:
        for place, size in enumerate((3, 4)):
            cell = next(cell for cell in summary["cells"] if cell["size"] == size and
                        summary["conditions"][cell["condition"]]["group"] == "certified" and
                        summary["conditions"][cell["condition"]]["scope"] == row[0])
            assert row[4 + 3 * place + 2].startswith(f"{cell['optimal'][0]:.1f} ")


def test_table_1_is_chosen_and_sorted_and_the_address_holds_it(browser, folder):
    browser.open(folder)
    figure = browser.one("#table-table1")
    for label, words in (("scope", "local"), ("k", "12"), ("semantics", "text")):
        select = next(one for one in figure.find_elements(By.CSS_SELECTOR, "label")
                      if one.text.startswith(label)).find_element(By.TAG_NAME, "select")
        Select(select).select_by_visible_text(words)
    browser.settle()
    shown = shown_table(browser)
    assert len(shown) == 1 + 3 * 2 + 1 and all(row[0] == "local" for row in shown)
    assert len(shown[0]) == 4 + 2 * 2
    head = browser.one("[data-sort='4.text']")
    head.send_keys(Keys.ENTER)  # by keyboard, which keeps its place
    browser.settle()
    values = [float(row[7].split()[0]) for row in shown_table(browser) if row[7] != "–"]
    assert values == sorted(values, reverse=True)
    assert browser.run("return document.activeElement.dataset.sort") == "4.text"
    address = browser.run("return location.hash")
    again = shown_table(browser)
    browser.open(folder, hash=address)
    assert shown_table(browser) == again
    browser.assert_quiet()


def test_w2_the_best_of_a_quality_study_has_the_mark_that_is_explained(browser, other):
    """No table has a mark that its caption leaves out, nor the other way round."""
    browser.open(other)
    rows = [[(cell.text, bool(cell.find_elements(By.CSS_SELECTOR, "b")))
             for cell in row.find_elements(By.CSS_SELECTOR, "td")]
            for row in browser.all("#table-quality tbody tr")]
    places = list(zip(*rows))[1:]
    assert len(places) == 2  # worlds of three nodes, and a model
    several = False
    for place in places:
        values = [float(words.replace(",", "")) for words, _ in place if words not in ("", "–")]
        marked = [float(words.replace(",", "")) for words, bold in place if bold]
        assert marked == [value for value in values if value == min(values)]
        several |= len(set(values)) > 1
    assert several  # in some place not all are the best
    caption = browser.one("#table-quality figcaption").text
    assert "Bold: the fewest of its column." in caption
    shown = " ".join(words for row in rows for words, _ in row)
    for mark in "▸>*†":
        assert mark not in shown + caption


@pytest.mark.parametrize("width", [400, 1024])
def test_w1_daggers_stay_beside_their_numbers_when_the_table_scrolls(browser, folder, width):
    browser.open(folder, width)
    for left in (0, 150, 400):
        apart = browser.run("""
            const scroll = document.querySelector("#table-table1 .scroll");
            scroll.scrollLeft = arguments[0];
            return [...scroll.querySelectorAll("sup")].map((mark) => {
                const a = mark.getBoundingClientRect();
                const b = mark.closest("td").getBoundingClientRect();
                return a.left >= b.left && a.right <= b.right && a.top >= b.top - 2
                    && a.bottom <= b.bottom;
            })""", left)
        assert apart and all(apart)
        assert browser.run("return document.documentElement.scrollWidth") <= width


# ------------------------------------------------------------------------------------------ figures

def numbers(browser, name):
    """The numbers of a figure, as its CSV has them."""
    (browser.downloads / f"{name}.csv").unlink(missing_ok=True)
    figure = name if browser.all(f"#figure-{name}") else re.sub(r"_\d+$", "", name)
    browser.run("arguments[0].click()", browser.one(
        f"#figure-{figure} [aria-label='Save {name} as CSV']"))
    text = browser.saved(f"{name}.csv").read_text().splitlines()
    import csv
    return list(csv.DictReader(text))


def cell_of(summary, size, **wanted):
    for cell in summary["cells"]:
        condition = summary["conditions"][cell["condition"]]
        if cell["size"] == size and all(condition[key] == value for key, value in wanted.items()):
            return cell
    return None


def test_w6_embeddings_are_compared_at_the_same_k_and_n_which_the_reader_chooses(
        browser, folder, summary):
    browser.open(folder)
    Select(browser.one("#figure-optimality select")).select_by_visible_text("6")
    browser.settle()
    titles = {"EDM": "edm", "BOE": "boe", "aBOE": "aboe"}
    labels = {}
    for row in numbers(browser, "optimality"):
        labels.setdefault(row["panel"], []).append(row["series"])
        if row["series"] in ("full search", "bounded search, certified"):
            continue
        title, semantics = row["series"].split(", ")
        cell = cell_of(summary, int(row["x"]), group="table", scope=row["panel"], k=6, n=1,
                       embedding=titles[title], semantics=semantics)
        assert [float(row[key]) for key in ("y", "low", "high")] == cell["optimal"]
    assert labels["local"] == labels["global"] and len(set(labels["local"])) == 8
    assert "k = 6 clusters and n = 1" in browser.one("#figure-optimality figcaption").text
    assert "k=6" in browser.run("return location.hash")


def test_w5_time_is_a_median_that_one_hiccup_does_not_move(browser, folder, summary):
    browser.open(folder)
    rows = numbers(browser, "decision_time")
    assert len(rows) == 2 * 5 * 2
    for row in rows:
        if row["series"] == "full search":
            cell = cell_of(summary, int(row["x"]), group="table", scope=row["panel"], search="full")
            assert [float(row[key]) for key in ("y", "low", "high")] == cell["seconds"][4:7]


def test_w4_few_worlds_have_points_and_neither_line_nor_band(browser, folder):
    browser.open(folder)
    figure = "#figure-sweep_k"
    for kind in ("line", "band"):
        shown = browser.run(f"""return [...new Set([...document.querySelectorAll(
            "{figure} [data-{kind}]")].map((e) => e.dataset.{kind}))]""")
        assert "3 nodes" in shown and "4 nodes" not in shown
    assert any(row["series"] == "4 nodes" for row in numbers(browser, "sweep_k"))
    assert "fewer than 10 worlds" in browser.one(f"{figure} figcaption").text


def test_an_axis_with_one_place_on_it_says_which(browser, other):
    browser.open(other)
    labels = browser.run("""return [...document.querySelectorAll('#figure-scaling svg text')]
        .filter((one) => one.getAttribute('font-size') === null).map((one) => one.textContent)""")
    assert "3" in labels  # the only number of nodes
    assert not any("different ways" in one.text for one in browser.all("#which-worlds"))


def test_chosen_worlds_are_said_to_differ_only_where_they_do(browser, folder, summary):
    path = summary["runs"]["path"]
    same = [summary["worlds"][one["world"]]["size"] for one in summary["chosen"]
            if path[one["full"]] == path[one["clustered"]]]
    browser.open(folder)
    said = browser.one("#which-worlds").text
    assert ("in none of these" in said) == bool(same)
    assert all(f"f {size} nodes the first" in said for size in same[:1])


def test_series_are_switched_off_and_on_and_the_keyboard_keeps_its_place(browser, folder):
    browser.open(folder)
    before = len(browser.all("#figure-tradeoff .opens"))
    key = browser.one("#figure-tradeoff [data-series='BOE, text']")
    assert key.get_attribute("aria-pressed") == "true"
    key.send_keys(Keys.SPACE)
    browser.settle()
    assert len(browser.all("#figure-tradeoff .opens")) == before - 8
    assert browser.run("return document.activeElement.dataset.series") == "BOE, text"
    browser.press(Keys.SPACE)
    assert len(browser.all("#figure-tradeoff .opens")) == before


def test_pictures_are_saved_as_svg_and_png(browser, folder):
    browser.open(folder, scheme="dark")
    for name in ("optimality", "world_4_spaces", "failed_path"):
        for kind in ("SVG", "PNG"):
            browser.run("arguments[0].click()", browser.one(
                f"#figure-{name} [aria-label='Save {name} as {kind}']"))
        root = xml.parse(browser.saved(f"{name}.svg")).getroot()
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert root.attrib["color"] == "#1f2328"  # ink, whatever the page's colours were
        data = browser.saved(f"{name}.png").read_bytes()
        assert data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) > 2000
    browser.assert_quiet()


def test_policies_are_coloured_by_g_or_by_cluster_and_say_what_they_are(browser, folder):
    browser.open(folder)

    def colours():
        return browser.run("""return [...document.querySelectorAll(
            "#figure-world_4_spaces [data-points]")].map((e) => e.getAttribute("stroke"))""")

    by_g = colours()
    Select(browser.one("#figure-world_4_spaces select")).select_by_value("cluster")
    browser.settle()
    assert len(set(by_g)) >= 5 and set(colours()) != set(by_g)
    said = browser.run("""
        const path = document.querySelector("#figure-world_4_spaces [data-points]");
        const [, x, y] = path.getAttribute("d").match(/M([\\d.]+) ([\\d.]+)/).map(Number);
        const at = new DOMPoint(x, y).matrixTransform(path.ownerSVGElement.getScreenCTM());
        path.dispatchEvent(new PointerEvent("pointermove",
            {clientX: at.x, clientY: at.y, bubbles: true}));
        return path.parentElement.lastElementChild.textContent""")
    assert re.fullmatch(r"G [\d.,]+, cluster \d+", said)


def test_w3_green_is_the_start_and_pink_the_destination(browser, folder):
    palette = json.loads((ROOT / "web/palette.json").read_text())
    browser.open(folder)
    for role in ("start", "destination"):
        fills = browser.run(f"""return [...document.querySelectorAll(
            "[data-role='{role}']")].map((e) => e.getAttribute("fill"))""")
        assert fills and set(fills) == {palette[role]}


def test_differences_show_the_summarys_changes_and_what_is_clear(browser, folder, summary):
    browser.open(folder)
    Select(browser.one("#figure-differences select")).select_by_visible_text("3")
    browser.settle()
    shown = browser.run("""return [...document.querySelectorAll("#figure-differences td.heat")]
        .map((cell) => [cell.innerText.trim(), cell.dataset.clear])""")

    def words(change):
        return ("+" if change > 0 else "") + f"{change:.1f}".replace("-", "−")

    wanted = [[words(one["change"]), str(one["clear"]).lower()]
              for one in summary["differences"] if one["size"] == 3]
    assert sorted(shown) == sorted(wanted) and len(shown) > 70


# ------------------------------------------------------------------------------- worlds and facets

def test_facets_count_what_sql_counts(browser, folder, rows):
    browser.open(folder)
    box = browser.one("[data-facet='scope local']")
    box.send_keys(Keys.SPACE)
    browser.settle()
    assert browser.run("return document.activeElement.dataset.facet") == "scope local"
    browser.one("[data-facet='embedding boe']").click()
    browser.one("[data-facet='place 3 nodes']").click()
    browser.settle()
    sql = """FROM run JOIN condition USING (condition)
             WHERE scope = 'local' AND embedding = 'boe' AND size = 3"""
    n, optimal = rows.execute(f"SELECT count(*), sum(optimal) {sql}").fetchone()
    cells = rows.execute(f"SELECT count(DISTINCT condition) {sql}").fetchone()[0]
    words = browser.one("#explored").text
    share = f"{100 * optimal / n:.1f} %"
    assert words.startswith(f"{cells} cells, {n:,} runs, {optimal:,} optimal: {share}")
    counts = browser.run("""
        return Object.fromEntries([...document.querySelectorAll("[data-facet^='group ']")].map(
            (box) => [box.dataset.facet.slice(6),
                      box.parentElement.querySelector("small").textContent]))""")
    for group, count in counts.items():
        found = rows.execute(f"SELECT count(*) {sql} AND grp = ?", (group,)).fetchone()[0]
        assert int(count.replace(",", "")) == found
    browser.assert_quiet()


def test_a_cell_opens_its_worlds_and_a_world_its_run_by_keyboard_alone(browser, folder, rows):
    browser.open(folder)
    browser.run("document.querySelector('#main-table button.cell').focus()")
    browser.press(Keys.ENTER)
    dots = browser.all("dialog .dots button")
    assert len(dots) == 10
    condition, size = browser.run("return location.hash").split("cell=")[1].split(".")
    browser.run("arguments[0].focus()", dots[4])
    browser.press(Keys.ENTER)
    path = rows.execute("SELECT path FROM run WHERE condition = ? AND size = ? AND graph = 4",
                        (condition, size)).fetchone()[0]
    assert path in browser.one("dialog .run").text
    last = len(path.split("-")) - 1
    assert f"step {last} of {last}" in browser.one("dialog output").text
    browser.press(Keys.ARROW_LEFT)
    node = path.split("-")[last - 1]
    assert f"step {last - 1} of {last}, on node {node}" in browser.one("dialog output").text
    address = browser.run("return location.hash")
    browser.press(Keys.ESCAPE)
    assert browser.all("dialog") == [] and "cell=" not in browser.run("return location.hash")
    browser.open(folder, 400, hash=address)
    assert path in browser.one("dialog .run").text
    assert browser.run("return document.documentElement.scrollWidth") <= 400
    browser.assert_quiet()


def test_the_command_beside_a_run_takes_the_recorded_path(browser, folder, summary, tmp_path):
    """The world's document and the command, as the page gives them, and nothing else."""
    cells = [cell for cell in summary["cells"] if cell["size"] > 0]
    for cell in random.Random(7).sample(cells, 8):
        graph = summary["runs"]["graph"][cell["first"] + cell["runs"] - 1]
        browser.open(folder, hash=f"#cell={cell['condition']}.{cell['size']}.{graph}")
        save = browser.one("dialog [aria-label^='save world-']")
        name = save.text
        (browser.downloads / name).unlink(missing_ok=True)
        save.click()
        shutil.copy(browser.saved(name), tmp_path)
        command = browser.one("dialog .taken code").text.split()
        assert command[0] == "sonde"
        document = json.loads(sonde(*command[1:], "--json", cwd=tmp_path))
        path = summary["runs"]["path"][cell["first"] + cell["runs"] - 1]
        assert "-".join(map(str, document["path"])) == path, command


@pytest.fixture(scope="session")
def paper(tmp_path_factory):
    """Rows of paper.sqlite: all conditions of the paper's experiment, in its first worlds."""
    place = tmp_path_factory.mktemp("paper")
    plan = json.loads(sonde("study", "paper", "--show", cwd=place))
    plan["worlds"]["graphs"] = 2
    plan["conditions"] = [{**one, **({"graphs": 2} if "graphs" in one else {})}
                          for one in plan["conditions"] if one.get("sizes") != [6]]
    return report(place, plan)


def test_a_hundred_runs_of_the_paper_walk_again_in_the_page_on_the_recorded_path(browser, paper):
    runs = sqlite3.connect(paper.parent / "runs.sqlite").execute(
        "SELECT condition, size, graph FROM run").fetchall()
    browser.open(paper)
    assert browser.run("return document.getElementById('engine').textContent"), "make page"
    for condition, size, graph in random.Random(11).sample(runs, 100):
        browser.run("location.hash = arguments[0]", f"#cell={condition}.{size}.{graph}")
        said = browser.until("""
            const run = document.querySelector('dialog.cell-dialog');
            const place = run?.dataset.cell === arguments[0] && run.querySelector('.again');
            if (place && !place.dataset.asked) {
                place.dataset.asked = 'yes';
                place.querySelector('button').click();
            }
            return place && place.querySelector('[role=status]').textContent""",
                             f"{condition}.{size}.{graph}")
        assert said == "same path as recorded ✓", (condition, size, graph, said)
    browser.assert_quiet()


def test_a_run_is_opened_in_the_other_screens(browser, paper, own):
    for study, place in ((paper, "size = 4 AND optimal = 0 AND grp = 'difference'"),
                         (own, "condition = 2")):
        database = sqlite3.connect(study.parent / "runs.sqlite")
        condition, size, graph, path = database.execute(
            f"SELECT condition, size, graph, path FROM run JOIN condition USING (condition) "
            f"WHERE {place} ORDER BY condition, graph LIMIT 1").fetchone()
        browser.open(study, hash=f"#cell={condition}.{size}.{graph}")
        command = browser.one("dialog .taken code").text
        browser.all("dialog .again button")[1].click()
        browser.until("""return document.querySelector('main').dataset.screen === 'world' &&
            document.querySelector('main').textContent.includes('Same path as recorded ✓')""")
        assert browser.all("dialog") == []
        address = browser.run("return location.hash")
        browser.one("nav.screens a[href='#screen=decision']").click()
        browser.until("return document.querySelector('#terms')")
        decided = browser.one(".taken code").text
        for name, value in re.findall(r"--(search|k|seed|lambda|gamma|differences) (\S+)", command):
            assert f"--{name} {value}" in decided
        if size > 0:  # the address has all of it
            browser.open(study, hash=address)
            browser.until("""return document.querySelector('main').textContent
                .includes('Same path as recorded ✓')""")
        browser.assert_quiet()


# ---------------------------------------------------------------------------------------- the file

def test_the_page_is_the_same_bytes_when_it_is_built_again(folder, tmp_path):
    for name in ("one.html", "two.html"):
        subprocess.run([ROOT / "web/build.sh", tmp_path / name], check=True)
    made = (tmp_path / "one.html").read_bytes()
    assert made == (tmp_path / "two.html").read_bytes()
    assert len(made) < 300_000  # without the engine; test_engine.py has the other


def test_the_page_allows_itself_nothing_and_carries_the_notice_of_d3(folder):
    text = (folder / "index.html").read_text()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    assert "default-src 'none'" in policy and "connect-src 'none'" in policy
    assert "unsafe" not in policy.replace("'wasm-unsafe-eval'", "") and "http" not in policy
    assert "Copyright 2010-2017 Mike Bostock" in text
    assert "THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS" in text


def test_without_the_page_there_are_plain_tables_and_a_sentence(folder, browser, tmp_path):
    done = subprocess.run([SONDE, "report", folder.parent / "runs.sqlite", "-o",
                           tmp_path / "plain"], capture_output=True, text=True, timeout=100,
                          env={**os.environ, "SONDE_PAGE": str(tmp_path / "nowhere.html")})
    assert done.returncode == 0 and "index.html has the tables alone" in done.stdout
    assert ((tmp_path / "plain/summary.json").read_text() == (folder / "summary.json").read_text())
    browser.open(tmp_path / "plain")
    assert len(browser.all("table")) == 6
    browser.assert_quiet()
