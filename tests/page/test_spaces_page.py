"""The policies and the race in a real browser, by mouse and by keyboard, at three widths, light and
dark; what is shown is what the command says."""
# page
import csv
import json
import math
import os
import pathlib
import re
import statistics
import subprocess

import pytest

pytest.importorskip("selenium.webdriver")
from selenium.webdriver.common.action_chains import ActionChains  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import Select  # noqa: E402

from browsing import CONTRAST, Browser  # noqa: E402

SONDE = str(pathlib.Path(os.environ["SONDE_COMMAND"]).resolve())
ROOT = pathlib.Path(__file__).resolve().parents[2]
PALETTE = json.loads((ROOT / "web/palette.json").read_text())
MARKUP = "<img src=x onerror=alert(1)>\"'&</script>"
MAPPED = "return document.querySelector('main').dataset.chosen !== undefined"
RACED = "return document.querySelector('main').dataset.done"
NAMELESS = """
return [...document.querySelectorAll("button, select, input, a, summary, [tabindex='0']")]
    .filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim()
        || e.closest("label")?.textContent.trim()))
    .map((e) => e.outerHTML.slice(0, 80))"""
ROWS = """return [...document.querySelectorAll(arguments[0] + ' tbody tr')]
    .map((row) => [...row.children].map((cell) => cell.textContent))"""


def sonde(*words, cwd):
    done = subprocess.run([SONDE, *map(str, words)], cwd=cwd, capture_output=True, text=True,
                          timeout=200)
    assert done.returncode == 0, done.stderr
    return done.stdout


def document(folder, *words):
    return json.loads(sonde(*words, "--json", cwd=folder))


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("spaces")
    sonde("graph", "--nodes", 6, "--seed", 30, "-o", "six.json", cwd=made)
    sonde("graph", "--nodes", 4, "--seed", 5, "-o", "four.json", cwd=made)
    world = json.loads((made / "four.json").read_text())
    (made / "named.json").write_text(json.dumps({**world, "names": [MARKUP, "b", "c", "d"]}))
    for name in ("tmaze", "grid5"):
        (made / f"{name}.json").write_bytes((ROOT / f"examples/models/{name}.json").read_bytes())
    for name in ("six", "four", "named", "tmaze", "grid5"):
        sonde("view", f"{name}.json", "--no-open", "-o", f"{name}.html", cwd=made)
    return made


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    made = Browser(tmp_path_factory.mktemp("downloads"))
    yield made
    made.driver.quit()


def brief(number):
    """As web/words.js writes it."""
    return repr(float(f"{number:.5g}")).removesuffix(".0").replace("-", "−")


def number(words):
    return float(re.sub(r"[, ✓]", "", words).replace("−", "-"))


def policies(browser, folder, page, address=""):
    browser.open(folder / f"{page}.html", hash=f"#screen=policies{address}")
    browser.until(MAPPED)


def hovered(browser):
    said = browser.run("return document.querySelector('#hovered p')?.textContent ?? ''")
    found = re.match(r"policy (\d+): G (\S+), cluster (\d+)", said)
    return found and (int(found[1]), found[2], int(found[3]))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 900, 400])
@pytest.mark.parametrize("page", ["four", "tmaze"])
@pytest.mark.parametrize("screen, ready", [("policies&policy=3&brush=-9_9_-9_9", MAPPED),
                                           ("race", RACED)])
def test_spaces_open_without_a_message_a_request_or_a_void(browser, folder, screen, ready, page,
                                                           width, scheme):
    browser.open(folder / f"{page}.html", width, scheme, f"#screen={screen}")
    browser.until(ready)
    if screen == "race":
        browser.run("""[...document.querySelectorAll('button')]
            .find((one) => one.textContent === 'walk an episode each').click()""")
        browser.until("return document.querySelector('#episode svg')")
    else:
        browser.until("return document.querySelector('#nearest')")
    browser.settle()
    assert browser.run("return document.documentElement.scrollWidth") <= width
    assert browser.run(CONTRAST) == []
    assert browser.run(NAMELESS) == []
    assert browser.run("return [...document.querySelectorAll('svg[role=img], .cloud')]"
                       ".every((one) => one.getAttribute('aria-label'))")
    browser.assert_quiet()


# ------------------------------------------------------------------------------------ policies

@pytest.mark.parametrize("page, options", [
    ("six", {}), ("six", {"embedding": "aboe", "k": 5, "seed": 4}), ("four", {"scope": "global"}),
    ("four", {"embedding": "edm", "method": "ward"}), ("tmaze", {}),
    ("grid5", {"horizon": 4, "embedding": "timed", "k": 20})])
def test_clusters_are_those_of_the_command(browser, folder, page, options):
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    mapped = document(folder, "cluster", f"{page}.json", *words)
    planned = document(folder, "plan", f"{page}.json", "--search", "cluster", *words)
    policies(browser, folder, page, "".join(f"&o-{k}={v}" for k, v in options.items()))
    shown = browser.run(ROWS, "#clusters")
    wanted = [[str(c), f"{one['size']:,}", str(one["representative"]), brief(one["efe"]),
               "✓" if one["chosen"] else ""] for c, one in enumerate(planned["clusters"])]
    assert shown == wanted
    said = browser.one("#mapped").text
    count, rows = mapped["count"], len(mapped["rows"])
    assert said.startswith(f"{count:,} policies, {rows:,} distinct")
    # the paper's premise: component 1 beside G, over all policies
    efe = document(folder, "efe", f"{page}.json", *[w for name, value in options.items()
                   if name in ("scope", "horizon") for w in (f"--{name}", value)])["policies"]
    one = [mapped["xy"][row][0] for row in mapped["row_of"]]
    r = statistics.correlation(one, [policy["efe"] for policy in efe])
    premise = browser.one("#premise").text.replace("−", "-").replace("-0.000", "0.000")
    assert f"r = {r:.3f}:" in premise
    browser.assert_quiet()


def place_of(browser, mapped, row):
    """Where a row is drawn, from the middle of the plane: all of it, with some air around."""
    ends = [(min(v), max(v)) for v in zip(*mapped["xy"])]
    (a, b), (c, d) = [(low - air * (high - low), high + air * (high - low))
                      for (low, high), air in zip(ends, (0.05, 0.07))]
    x, y = mapped["xy"][row]
    wide, high = browser.run("""const box = document.querySelector('.cloud');
        box.scrollIntoView({block: 'center'}); return [box.clientWidth, box.clientHeight]""")
    return ((x - a) / (b - a) - 0.5) * wide, ((d - y) / (d - c) - 0.5) * high


def test_hovering_shows_the_path_of_the_policy_that_is_there(browser, folder):
    mapped = document(folder, "cluster", "six.json")
    efe = document(folder, "efe", "six.json")["policies"]
    policies(browser, folder, "six")
    cloud = browser.one(".cloud.wide")
    for row in (0, 400, 2000):
        dx, dy = place_of(browser, mapped, row)
        ActionChains(browser.driver).move_to_element_with_offset(
            cloud, round(dx), round(dy)).perform()
        browser.until("""return document.querySelector('.cloud.wide').matches(':hover')
            && document.querySelector('#hovered').dataset.took""")
        browser.settle()
        index, g, label = hovered(browser)
        policy = efe[index]
        assert g == brief(policy["efe"]) and label == mapped["clusters"]["labels"][index]
        near = mapped["xy"][mapped["row_of"][index]]
        assert math.dist(near, mapped["xy"][row]) < 0.3
        path = " → ".join(map(str, policy["nodes"][1:]))
        label = browser.one("#hovered svg").get_attribute("aria-label")
        assert label == f"Policy {index}: {path}"
    browser.assert_quiet()


def test_what_is_clicked_has_its_terms_and_its_nearest(browser, folder):
    for page, verb in (("six", []), ("grid5", ["--horizon", 4])):
        mapped = document(folder, "cluster", f"{page}.json", *verb)
        scored = document(folder, "efe", f"{page}.json", "--steps", *verb)
        efe = scored["policies"]
        policies(browser, folder, page, "&o-horizon=4" if verb else "")
        dx, dy = place_of(browser, mapped, 3)
        ActionChains(browser.driver).move_to_element_with_offset(
            browser.one(".cloud.wide"), round(dx), round(dy)).click().perform()
        browser.until("return document.querySelector('#nearest')")
        index = int(browser.one("#policy h3").text.removeprefix("Policy "))
        terms = ["risk", "ambiguity", "cost", "efe"]
        steps = [[str(t + 1), *(brief(step[name]) for name in terms)]
                 for t, step in enumerate(efe[index]["steps"])]
        assert browser.run(ROWS, "#steps") == [*steps,
                                               ["all", *(brief(efe[index][n]) for n in terms)]]
        own = mapped["row_of"][index]
        far = sorted(math.dist(row, mapped["rows"][own])
                     for r, row in enumerate(mapped["rows"]) if r != own)[:8]
        near = browser.run(ROWS, "#nearest")
        assert [number(row[1]) for row in near] == pytest.approx(far, rel=5e-3)
        assert all(row[2] == brief(efe[int(row[0])]["efe"]) for row in near)
        if page == "grid5":
            names = scored["names"]["factors"][0]["actions"]
            wanted = [names[a[0]] for a in efe[index]["actions"]]
            assert [li.text for li in browser.all("#policy li")] == wanted
        browser.one("#nearest button").click()
        browser.until("return document.querySelector('#policy h3').textContent === arguments[0]",
                      f"Policy {near[0][0]}")
    browser.assert_quiet()


def test_what_is_brushed_is_listed_and_saved(browser, folder):
    mapped = document(folder, "cluster", "six.json")
    efe = [policy["efe"] for policy in document(folder, "efe", "six.json")["policies"]]
    policies(browser, folder, "six")
    browser.run("document.querySelector('.cloud').scrollIntoView({block: 'center'})")
    ActionChains(browser.driver).move_to_element_with_offset(browser.one(".cloud.wide"), -100, -50)\
        .click_and_hold().move_by_offset(150, 120).release().perform()
    browser.until("return document.querySelector('#listed')")
    a, b, c, d = map(float, re.search(r"brush=([^&]*)", browser.run("return location.hash"))[1]
                     .split("_"))
    inside = [i for i, row in enumerate(mapped["row_of"])
              if a <= mapped["xy"][row][0] <= b and c <= mapped["xy"][row][1] <= d]
    assert len(inside) > 50
    assert browser.one("#brushed p").text.startswith(f"{len(inside):,} policies")
    (browser.downloads / "policies.csv").unlink(missing_ok=True)
    browser.run("""[...document.querySelectorAll('#brushed button')]
        .find((one) => one.textContent === 'CSV').click()""")
    with browser.saved("policies.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert sorted(int(row["policy"]) for row in rows) == inside
    whole = sum(math.exp(min(efe) - g) for g in efe)
    for row in rows:
        i = int(row["policy"])
        assert float(row["G"]) == efe[i]
        assert int(row["cluster"]) == mapped["clusters"]["labels"][i]
        assert float(row["posterior"]) == pytest.approx(math.exp(min(efe) - efe[i]) / whole)
        assert [float(row["component 1"]), float(row["component 2"])] == mapped["xy"][
            mapped["row_of"][i]]
        assert row["first action"] == f"to {mapped['nodes'][i][2]}"
    assert [float(row["G"]) for row in rows] == sorted(float(row["G"]) for row in rows)
    browser.assert_quiet()


COLOURS = """const canvas = document.querySelector('.cloud.wide canvas');
const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
const found = new Set();
for (let i = 0; i < data.length; i += 4) {
    if (data[i + 3] > 0) {
        found.add('#' + [0, 1, 2].map((c) => data[i + c].toString(16).padStart(2, '0')).join(''));
    }
}
return [...found].sort()"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_twelve_clusters_have_twelve_colours_and_the_legend_counts_points(browser, folder, scheme):
    browser.open(folder / "six.html", scheme=scheme, hash="#screen=policies&colour=cluster&o-k=12")
    browser.until(MAPPED)
    assert len(browser.run(COLOURS)) == 12
    said = [one.text for one in browser.all("[aria-label='The policy space'] .legend .choice")]
    counts = [int(re.search(r"\(([0-9,]+) points?\)$", one)[1].replace(",", "")) for one in said]
    rows = re.search(r"([0-9,]+) distinct", browser.one("#mapped").text)[1].replace(",", "")
    assert len(counts) == 12 and sum(counts) == int(rows)
    browser.assert_quiet()


def test_another_space_is_seen_as_a_whole(browser, folder):
    policies(browser, folder, "six", "&view=-0.1_0.1_-0.1_0.1&brush=-9_9_-9_9")
    assert "view=" in browser.run("return location.hash")  # that of the address is looked at
    browser.run("delete document.querySelector('main').dataset.chosen")
    Select(browser.one("main .controls select")).select_by_visible_text("walk2vec")
    browser.until(MAPPED)
    address = browser.run("return location.hash")
    assert "view=" not in address and "brush=" not in address
    assert len(browser.run(COLOURS)) > 2
    assert browser.one("#brushed").text.startswith("Drag over")
    browser.assert_quiet()


def test_marks_are_as_large_on_fine_screens(browser, folder):
    green = []
    for ratio in (1, 2):
        browser.open(folder / "six.html", hash="#screen=policies", ratio=ratio)
        browser.until(MAPPED)
        green.append(browser.run(
            COLOURS.replace("'.cloud.wide canvas'", "'.cloud.wide canvas + canvas'")
            .replace("data[i + 3] > 0", "data[i] === 0 && data[i + 1] === 158")
            .replace("found.add(", "found.add(i + ")))
    assert 3 < len(green[1]) / len(green[0]) < 6
    browser.assert_quiet()


def test_policies_are_looked_at_by_keyboard_alone_and_the_address_has_all_of_it(browser, folder):
    efe = document(folder, "efe", "six.json")["policies"]
    policies(browser, folder, "six", "&o-k=5")
    for key, colours in (("c", PALETTE["series"][1:6]), ("a", PALETTE["series"][1:4])):
        browser.press(key)
        assert browser.run(COLOURS) == sorted(colours)
    for _ in range(60):
        browser.press(Keys.TAB)
        if browser.run("return document.activeElement.classList.contains('wide')"):
            break
    seen = set()
    browser.press("b")
    for key in (Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_UP, Keys.ARROW_UP, Keys.ARROW_UP):
        before = hovered(browser)
        browser.press(key)
        browser.until("return document.querySelector('#hovered p').textContent !== arguments[0]",
                      before and "")
        seen.add(hovered(browser))
    assert len(seen) >= 4 and all(g == brief(efe[i]["efe"]) for i, g, _ in seen)
    browser.press("b")
    browser.press("+")
    browser.press(Keys.ENTER)
    browser.until("return document.querySelector('#nearest')")
    shown = """return ['#policy h3', '#brushed p']
        .map((one) => document.querySelector(one).textContent)"""
    before = browser.run(shown)
    picture = browser.run(COLOURS)
    address = browser.run("return location.hash")
    browser.open(folder / "six.html", hash=address)
    browser.until(MAPPED)
    browser.until("return document.querySelector('#nearest')")
    assert browser.run(shown) == before and browser.run(COLOURS) == picture
    assert browser.run("return location.hash") == address
    browser.press("?")
    assert "colour by G" in browser.one("dialog").text
    browser.assert_quiet()


def test_names_with_markup_are_text_among_policies(browser, folder):
    policies(browser, folder, "named", "&policy=3&brush=-9_9_-9_9&colour=action")
    browser.until("return document.querySelector('#nearest')")
    assert browser.all("main img") == []
    assert MARKUP in browser.run("return document.querySelector('main').textContent")
    browser.assert_quiet()


def test_a_posterior_without_the_model_s_habits_says_so(browser, folder):
    model = json.loads((folder / "tmaze.json").read_text())
    model |= {"policies": [[[0, 0], [1, 0]], [[3, 0], [2, 0]], [[3, 0], [1, 0]]],
              "E": [0.2, 0.5, 0.3]}
    (folder / "habits.json").write_text(json.dumps(model))
    sonde("view", "habits.json", "--no-open", "-o", "habits.html", cwd=folder)
    for page, said in (("habits", True), ("tmaze", False)):
        policies(browser, folder, page)
        assert ("without the model’s E" in browser.one("#mapped").text) == said
    browser.assert_quiet()


def test_a_space_too_large_is_said_with_the_command_and_the_page_lives_on(browser, folder):
    browser.open(folder / "six.html", hash="#screen=policies&o-horizon=14")
    said = browser.until("const p = document.querySelector('[role=alert]');"
                         "return p && !p.hidden && p.textContent")
    assert "sonde cluster six.json --horizon 14" in said
    horizon = next(one for one in browser.all("main .controls label")
                   if one.text.startswith("horizon")).find_element("css selector", "input")
    horizon.clear()
    horizon.send_keys("4", Keys.TAB)
    browser.until(MAPPED)
    count = document(folder, "cluster", "six.json", "--horizon", 4)["count"]
    assert browser.one("#mapped").text.startswith(f"{count:,} policies")
    browser.assert_quiet()


# ----------------------------------------------------------------------------------------- race

EMBEDS = ("cluster", "surrogate", "tree")


def race(browser, folder, page, address=""):
    browser.open(folder / f"{page}.html", hash=f"#screen=race{address}")
    browser.until(RACED, seconds=60)


def check_figures(browser, folder, page, more=()):
    """Each row of the table is what the command says with that budget."""
    def decide(search, *words):
        given = zip(more[::2], more[1::2])
        others = [w for name, v in given if name != "--k" or search in EMBEDS for w in (name, v)]
        return document(folder, "plan", f"{page}.json", "--search", search, *words, *others)

    full = decide("full")
    rows = [row for row in browser.run(ROWS, "#figures") if row[1] != "nothing yet"]
    for name, budget, steps, whole, setup, best, regret, distance, within, does in rows:
        search, _, embedding = name.partition(", ")
        words = [] if budget == "–" else [f"--{budget.split()[0]}", budget.split()[1]]
        words += ["--embedding", embedding] if embedding else []
        plan = decide(search, *words)
        assert number(steps) == plan["evaluations"]["steps"]
        assert number(whole) == pytest.approx(plan["evaluations"]["equivalent"], rel=5e-3)
        assert number(setup) == plan["evaluations"]["setup_steps"]
        assert best == brief(plan["best"]["efe"])
        assert number(regret) == pytest.approx(max(0, plan["best"]["efe"] - full["best"]["efe"]),
                                               rel=5e-3, abs=1e-4)
        away = max(0, -math.expm1(plan["log_evidence"] - full["log_evidence"]))
        assert number(distance) == pytest.approx(away, rel=5e-3, abs=1e-9)
        # the posterior of actions is no farther away than that of policies
        exact = {json.dumps(one["action"]): one["posterior"] for one in full["first_actions"]}
        own = {json.dumps(one["action"]): one["posterior"] for one in plan["first_actions"]}
        apart = sum(abs(exact.get(a, 0) - own.get(a, 0)) for a in exact | own) / 2
        assert apart <= away + 1e-9
        if plan["certificate"] is None:
            assert within == "–"
        else:
            assert number(within) == pytest.approx(plan["certificate"]["tv"], rel=5e-3)
            assert ("✓" in within) == plan["certificate"]["best_is_optimal"]
            assert away <= plan["certificate"]["tv"] + 1e-9
    return rows


@pytest.mark.parametrize("page, lanes, more", [
    ("six", "bounded.full.cluster.beam.surrogate", []),
    ("six", "random.tree.cluster:aboe.full", ["--seed", 3, "--k", 6]),
    ("tmaze", "bounded.full.cluster.beam.random.tree", []),
    ("grid5", "bounded.full.cluster:timed.beam", ["--horizon", 4])])
def test_figures_of_a_race_are_those_of_the_command(browser, folder, page, lanes, more):
    options = "".join(f"&o-{more[i][2:]}={more[i + 1]}" for i in range(0, len(more), 2))
    race(browser, folder, page, f"&race={lanes}{options}")
    rows = check_figures(browser, folder, page, more)
    assert [row[0] for row in rows] == [lane.replace(":", ", ") for lane in lanes.split(".")]
    assert browser.run("return [...new Set([...document.querySelectorAll('#race [data-end]')]"
                       ".map((one) => one.dataset.end))].length") == len(rows)
    slider = browser.one("[aria-label='cost so far']")
    slider.send_keys(Keys.HOME)
    for _ in range(3):
        slider.send_keys(Keys.ARROW_RIGHT)
    now = number(re.search(r"at ([0-9,]+) step", browser.one("#reached").text)[1])
    rows = check_figures(browser, folder, page, more)
    assert rows and all(number(row[2]) <= now for row in rows)
    address = browser.run("return location.hash")
    browser.open(folder / f"{page}.html", hash=address)
    browser.until(RACED, seconds=60)
    assert [r for r in browser.run(ROWS, "#figures") if r[1] != "nothing yet"] == rows
    browser.assert_quiet()


def test_bounded_search_is_raced_until_it_is_certain(browser, folder):
    race(browser, folder, "grid5", "&race=bounded.beam")
    last = browser.run(ROWS, "#figures")[0]
    assert number(last[8]) <= 1e-3
    browser.run("""[...document.querySelectorAll('button')]
        .find((one) => one.textContent === 'CSV').click()""")
    with browser.saved("race.csv").open() as file:
        rows = [row for row in csv.DictReader(file)
                if row["panel"] == "certificate" and row["series"] == "bounded"]
    closing = [float(row["y"]) for row in rows]
    assert len(closing) >= 4 and closing == sorted(closing, reverse=True)
    assert [float(row["x"]) for row in rows] == sorted(float(row["x"]) for row in rows)
    browser.assert_quiet()


def test_searches_are_added_and_taken_away_two_to_six(browser, folder):
    race(browser, folder, "four", "&race=bounded.full")
    assert all(not one.is_enabled() for one in browser.all("[aria-label^='without']"))
    group = "[aria-label=Searches] "
    for search, embedding in (("cluster", "edm"), ("beam", ""), ("random", ""), ("tree", "")):
        Select(browser.all(group + "select")[0]).select_by_value(search)
        Select(browser.all(group + "select")[1]).select_by_value(embedding)
        done = browser.run(RACED)
        browser.all(group + "button")[-1].click()
        browser.until(RACED + " !== arguments[0]", done)
    assert browser.all(group + "select") == []
    names = [row[0] for row in browser.run(ROWS, "#figures")]
    assert names == ["bounded", "full", "cluster, edm", "beam", "random", "tree"]
    browser.one("[aria-label='without beam']").click()
    browser.until("return document.querySelectorAll('#figures tbody tr').length === 5")
    address = browser.run("return location.hash")
    browser.open(folder / "four.html", hash=address)
    browser.until(RACED)
    assert [row[0] for row in browser.run(ROWS, "#figures")] == [n for n in names if n != "beam"]
    browser.assert_quiet()


@pytest.mark.parametrize("page", ["six", "tmaze"])
def test_an_episode_of_each_is_the_command_s(browser, folder, page):
    race(browser, folder, page, "&race=bounded.full.cluster")
    budgets = {row[0]: row[1] for row in browser.run(ROWS, "#figures")}
    browser.run("""[...document.querySelectorAll('button')]
        .find((one) => one.textContent === 'walk an episode each').click()""")
    browser.until("return document.querySelector('#walked')")
    for row in browser.run(ROWS, "#walked"):
        budget = budgets[row[0]]
        words = [] if budget == "–" else [f"--{budget.split()[0]}", budget.split()[1]]
        walk = document(folder, "simulate", f"{page}.json", "--search", row[0], *words)
        assert number(row[1]) == sum(step["evaluations"]["steps"] for step in walk["steps"])
        if page == "six":
            assert row[2] == " → ".join(map(str, walk["path"]))
            assert row[5] == ("✓" if walk["optimal"] else walk["failure"])
        else:
            assert number(row[3]) == pytest.approx(walk["log_evidence"], rel=5e-3)
    browser.assert_quiet()


def test_where_full_search_is_too_dear_bounded_search_is_the_measure(browser, folder):
    race(browser, folder, "six", "&o-horizon=30&race=bounded.full.beam")
    assert "too many for full search" in browser.one("#reference").text
    bounded, full, beam = browser.run(ROWS, "#figures")
    assert number(bounded[6]) == 0 and "sonde plan six.json --search full" in full[1]
    # the sentence has the room of all the numbers that are not there
    heads, spans = browser.run("""return [document.querySelectorAll('#figures thead th').length,
        [...document.querySelectorAll('#figures tbody tr')].map((row) =>
            [...row.children].reduce((sum, cell) => sum + cell.colSpan, 0))]""")
    assert spans == [heads] * 3 and len(full) == 2
    best = document(folder, "plan", "six.json", "--horizon", 30)["best"]["efe"]
    assert number(beam[5]) - number(beam[6]) == pytest.approx(best, rel=1e-3)
    browser.one("body").send_keys(Keys.SPACE)
    browser.until("return document.querySelector('#play').textContent.includes('pause')")
    browser.until("return document.querySelector('#play').textContent.includes('play')", seconds=30)
    browser.assert_quiet()


def test_no_name_of_a_search_lies_on_another(browser, folder):
    race(browser, folder, "six", "&race=full.cluster.beam.random.surrogate.tree&cost=policies")
    over = browser.run("""
        const boxes = [...document.querySelectorAll('#race [data-end]')]
            .map((one) => one.getBoundingClientRect());
        const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.x, b.x) > 1
            && Math.min(a.bottom, b.bottom) - Math.max(a.y, b.y) > 5;
        return [boxes.length, boxes.filter((a, i) => boxes.some((b, j) =>
            j < i && meet(a, b))).length]""")
    assert over[0] > 12 and over[1] == 0
    browser.assert_quiet()


def test_plans_that_wait_for_outcomes_leave_policies_and_race_to_sequences(browser, folder):
    """What was chosen on the screen of decisions does not stop the others."""
    chosen = "&o-loop=closed&o-backup=min"
    policies(browser, folder, "tmaze", chosen)
    assert browser.one("#mapped").text.startswith("16 policies")
    race(browser, folder, "tmaze", f"&race=bounded.full{chosen}")
    check_figures(browser, folder, "tmaze", [])
    browser.assert_quiet()
