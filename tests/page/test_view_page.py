"""sonde view in a real browser: the world and the decision, by mouse and by keyboard, at three
widths, light and dark; what is shown is what the command says."""
# page
import html
import json
import math
import os
import pathlib
import re
import subprocess
import time

import numpy
import pytest

pytest.importorskip("selenium.webdriver")
from selenium.webdriver.common.action_chains import ActionChains  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import Select  # noqa: E402

from browsing import CONTRAST, Browser  # noqa: E402

SONDE = str(pathlib.Path(os.environ["SONDE_COMMAND"]).resolve())
ROOT = pathlib.Path(__file__).resolve().parents[2]
MARKUP = "<img src=x onerror=alert(1)>\"'&</script>"
SEARCHES = ["full", "cluster", "bounded", "random", "beam", "surrogate", "tree"]
SENTENCE = "return document.querySelector('#sentence')?.textContent"


def sonde(*words, cwd, status=0, env=None):
    done = subprocess.run([SONDE, *map(str, words)], cwd=cwd, capture_output=True, text=True,
                          timeout=200, env={**os.environ, **(env or {})})
    assert done.returncode == status, done.stderr
    return done.stderr if status else done.stdout


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """Worlds, and pages of them."""
    made = tmp_path_factory.mktemp("view")
    sonde("graph", "--nodes", 6, "--seed", 30, "-o", "six.json", cwd=made)
    world = json.loads((made / "six.json").read_text())
    world["names"] = [MARKUP, "b", "c", "d", "e", "f"]
    (made / "named.json").write_text(json.dumps(world))
    sonde("view", "--no-open", "-o", "nothing.html", cwd=made)
    for name in ("six", "named"):
        sonde("view", f"{name}.json", "--no-open", "-o", f"{name}.html", cwd=made)
    for name in ("tmaze", "grid5"):
        (made / f"{name}.json").write_bytes((ROOT / f"examples/models/{name}.json").read_bytes())
        sonde("view", f"{name}.json", "--no-open", "-o", f"{name}.html", cwd=made)
    return made


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    made = Browser(tmp_path_factory.mktemp("downloads"))
    yield made
    made.driver.quit()


def plan(folder, file, *more):
    return json.loads(sonde("plan", file, "--json", *more, cwd=folder))


def brief(number):
    """As web/words.js writes it."""
    return repr(float(f"{number:.5g}")).removesuffix(".0").replace("-", "−")


def number(words):
    return float(words.replace("−", "-").replace(",", ""))


def wait_for(browser, document):
    """Until the page shows a decision, by the G of its best policy."""
    best = brief(document["best"]["efe"])
    browser.until("""return document.querySelector('.decision .small')?.textContent
        .includes(arguments[0])""", f"G {best} =")
    # and, on the world's screen, the run: nothing is drawn anew behind our back then
    browser.until("return document.querySelector('[data-run=\"to be walked\"]') === null")
    browser.settle()
    return browser.run(SENTENCE)


def click(browser, words):
    """A button by what it says, once it is there."""
    browser.until("""const found = [...document.querySelectorAll('button')]
        .find((one) => one.textContent === arguments[0]); found?.click();
        return found !== undefined""", words)


# --------------------------------------------------------------------------------- the whole page

@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 900, 400])
@pytest.mark.parametrize("page", ["nothing", "tmaze"])
@pytest.mark.parametrize("screen", ["world", "decision"])
def test_screens_open_from_disk_without_a_message_a_request_or_a_void(
        browser, folder, screen, page, width, scheme):
    browser.open(folder / f"{page}.html", width, scheme, f"#screen={screen}")
    browser.until(SENTENCE)
    browser.settle()
    assert browser.run("return document.documentElement.scrollWidth") <= width
    assert browser.run(CONTRAST) == []
    nameless = browser.run("""
        return [...document.querySelectorAll("button, select, input, a, summary, [tabindex='0']")]
            .filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim()
                || e.closest("label")?.textContent.trim()))
            .map((e) => e.outerHTML.slice(0, 80))""")
    assert nameless == []
    browser.assert_quiet()


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("name", ["six", "tmaze"])
def test_decisions_are_those_of_the_command(browser, folder, name, search):
    document = plan(folder, f"{name}.json", "--search", search, "--seed", 3)
    browser.open(folder / f"{name}.html", hash=f"#o-search={search}&o-seed=3")
    wait_for(browser, document)
    shown = browser.run("""return [...document.querySelectorAll('.decision .bars [role=listitem]')]
        .map((row) => row.classList.contains('chosen'))""")
    wanted = [one["action"] == document["action"] for one in document["first_actions"]]
    assert shown == wanted
    assert browser.one(".taken code").text == document["command"]


def test_w7_a_decision_without_whole_policies_says_what_it_scored_in_steps(browser, folder):
    document = plan(folder, "six.json", "--search", "bounded")
    assert document["evaluations"]["policies"] == 0
    browser.open(folder / "six.html")
    wait_for(browser, document)
    said = browser.one(".decision .small").text
    assert said.endswith("; 3 steps scored of 3,655 policies.")


# ------------------------------------------------------------------------------------- the world

def test_the_goal_is_dragged_and_the_decision_follows(browser, folder):
    browser.open(folder / "six.html")
    wait_for(browser, plan(folder, "six.json"))
    handle = browser.one("[data-handle=destination]")
    ActionChains(browser.driver).drag_and_drop(handle, browser.one("[data-node='5']")).perform()
    assert "o-destination=5" in browser.run("return location.hash")
    wait_for(browser, plan(folder, "six.json", "--destination", 5))
    ActionChains(browser.driver).drag_and_drop(browser.one("[data-handle=start]"),
                                               browser.one("[data-node='1']")).perform()
    wait_for(browser, plan(folder, "six.json", "--destination", 5, "--start", "1,1"))
    walked = json.loads(sonde("simulate", "six.json", "--destination", 5, "--start", "1,1",
                              "--json", cwd=folder))
    says = {"none": "It takes a shortest path, and stays.", "detour": "It arrives, by a detour.",
            "left the goal": "It arrives, and leaves again.",
            "stayed": "It never leaves its start."}
    assert says[walked["failure"]] in browser.one("main").text
    browser.assert_quiet()


def test_a_long_horizon_waits_until_the_goal_rests(browser, folder):
    sonde("graph", "--nodes", 400, "--seed", 3, "-o", "long.json", cwd=folder)
    sonde("view", "long.json", "--no-open", "-o", "long.html", cwd=folder)
    edges = len(json.loads((folder / "long.json").read_text())["edges"])
    browser.open(folder / "long.html")
    wait_for(browser, plan(folder, "long.json"))
    handle = browser.one("[data-handle=destination]")
    ActionChains(browser.driver).click_and_hold(handle).move_by_offset(40, 25).perform()
    near = browser.until("return document.querySelector('#nearer')?.textContent")
    steps = int(re.search("looks ([0-9]+) steps ahead", near)[1])
    assert 20 < steps < 400 and steps * edges <= 150_000
    goal = browser.run("return location.hash.match(/o-destination=([0-9]+)/)[1]")
    document = plan(folder, "long.json", "--destination", goal, "--horizon", steps)
    browser.until("return document.querySelector('.taken code').textContent === arguments[0]",
                  document["command"])
    ActionChains(browser.driver).release().perform()
    document = plan(folder, "long.json", "--destination", goal)
    wait_for(browser, document)
    browser.until("return document.querySelector('.taken code').textContent === arguments[0]",
                  document["command"])
    assert browser.all("#nearer") == []
    browser.assert_quiet()


def test_a_weight_is_dragged_and_the_address_has_the_world(browser, folder, tmp_path):
    browser.open(folder / "six.html")
    wait_for(browser, plan(folder, "six.json"))
    weight = browser.one("[data-edge='3-4']")
    ActionChains(browser.driver).drag_and_drop_by_offset(weight, 0, -40).perform()
    browser.until("""return document.querySelector('[data-edge="3-4"]').textContent === '30'""")
    world = json.loads((folder / "six.json").read_text())
    world["edges"] = [[a, b, 30 if {a, b} == {3, 4} else w] for a, b, w in world["edges"]]
    (tmp_path / "six.json").write_text(json.dumps(world))
    document = plan(tmp_path, "six.json")
    wait_for(browser, document)
    address = browser.run("return location.hash")
    browser.open(folder / "nothing.html", hash=address)
    wait_for(browser, document)
    browser.assert_quiet()


def test_a_node_is_dragged_and_stays_where_it_was_put(browser, folder):
    browser.open(folder / "six.html")
    wait_for(browser, plan(folder, "six.json"))
    place = """const at = document.querySelector('[data-node="2"]');
        return [at.cx.baseVal.value, at.cy.baseVal.value]"""
    before = browser.run(place)
    node = browser.one("[data-node='2']")
    ActionChains(browser.driver).drag_and_drop_by_offset(node, 0, 60).perform()
    after = browser.run(place)
    assert after[1] > before[1] + 20
    address = browser.run("return location.hash")
    assert "at=2" in address


def test_the_agent_is_stepped_and_played_by_keyboard_alone(browser, folder):
    browser.open(folder / "six.html")
    episode = json.loads(sonde("simulate", "six.json", "--json", cwd=folder))
    browser.until("return document.querySelector('output')?.textContent.startsWith('step 0 of 10')")
    for step in (1, 2):
        browser.one("body").send_keys(Keys.ARROW_RIGHT)
        said = browser.until("const t = document.querySelector('output').textContent;"
                             "return t.startsWith(arguments[0]) && t", f"step {step} of 10")
        assert said == f"step {step} of 10, on node {episode['path'][step]}"
    state = episode["steps"][2]["state"]
    wait_for(browser, plan(folder, "six.json", "--start", f"{state[0]},{state[1]}"))
    browser.one("body").send_keys(Keys.ARROW_LEFT)
    browser.until("return document.querySelector('output').textContent.startsWith('step 1 of 10')")
    browser.one("body").send_keys(Keys.SPACE)
    browser.until("return /^step [3-8] of 10/.test(document.querySelector('output').textContent)")
    browser.one("body").send_keys(Keys.SPACE)
    now = browser.one("output").text
    time.sleep(1)
    assert browser.one("output").text == now
    browser.one("body").send_keys(Keys.HOME)
    browser.until("return document.querySelector('output').textContent.startsWith('step 0 of 10')")
    # a node, by Tab alone; then the goal is there
    for _ in range(60):
        browser.press(Keys.TAB)
        if browser.run("return document.activeElement.dataset.node === '5'"):
            break
    browser.press("g")
    wait_for(browser, plan(folder, "six.json", "--destination", 5))
    assert browser.run("return document.activeElement.dataset.node") == "5"
    browser.one("body").send_keys("?")
    assert "a step forward" in browser.one("dialog").text
    browser.assert_quiet()


def test_nodes_are_added_joined_and_removed(browser, folder, tmp_path):
    browser.open(folder / "six.html")
    wait_for(browser, plan(folder, "six.json"))
    browser.one("[data-node='0']").click()
    click(browser, "join or part…")
    browser.one("[data-node='3']").click()
    world = json.loads((folder / "six.json").read_text())
    world["edges"] += [[0, 3, 5], [3, 0, 5]]
    (tmp_path / "six.json").write_text(json.dumps(world))
    wait_for(browser, plan(tmp_path, "six.json"))
    click(browser, "add a node")
    browser.until("return document.querySelectorAll('circle[data-node]').length === 7")
    browser.assert_quiet()


def test_what_an_agent_believes_is_drawn(browser, folder):
    browser.open(folder / "tmaze.html")
    episode = json.loads(sonde("simulate", "tmaze.json", "--json", cwd=folder))
    browser.until("return document.querySelectorAll('fieldset .bars').length === 2")
    browser.one("body").send_keys(Keys.ARROW_RIGHT)
    browser.until("return document.querySelector('output').textContent.startsWith('step 1 of 9')")
    shown = browser.run("""return [...document.querySelectorAll('fieldset .bars')].map((bars) =>
        [...bars.querySelectorAll('rect:last-child')].map((r) => r.width.baseVal.value / 100))""")
    for bars, belief in zip(shown, episode["steps"][1]["belief"]):
        assert bars == pytest.approx(belief, abs=1e-6)
    browser.until("return document.querySelectorAll('.heat-map').length === 11")
    heat = browser.run("return document.querySelectorAll('.heat-map')[4].textContent")
    assert all(outcome in heat for outcome in ("nothing", "cheese", "shock"))  # C of reward
    # the decision beside it is that of this step, and there is no picture to save
    sonde("simulate", "tmaze.json", "--steps", 1, "--save", "tmaze.agent.json", cwd=folder)
    seen = json.loads((folder / "tmaze.agent.json").read_text())["world"]["outcome"]
    later = ["--resume", "tmaze.agent.json", "--observe", ",".join(map(str, seen))]
    wait_for(browser, plan(folder, "tmaze.json", *later))
    command = browser.one("[aria-label='command that makes this decision']").text
    assert command.startswith("sonde simulate tmaze.json --steps 1 --save tmaze.agent.json && "
                              "sonde plan")
    assert [one.is_displayed() for one in browser.all("main .tools button")] == [False, False, True]
    browser.assert_quiet()


def test_where_an_agent_is_counts_more_than_where_it_was_put(browser, folder):
    """A start that was chosen, and some steps from it: on every screen, and in what is shared."""
    start = {"o-start": "1,1", "o-destination": "5", "step": "1"}
    chosen = "&".join(f"{key}={value}" for key, value in start.items())
    walk = json.loads(sonde("simulate", "six.json", "--start", "1,1", "--destination", 5, "--json",
                            cwd=folder))
    here = ["--start", ",".join(map(str, walk["steps"][1]["state"])), "--destination", 5]
    document = plan(folder, "six.json", *here)
    browser.open(folder / "six.html", hash=f"#{chosen}")
    wait_for(browser, document)
    assert browser.one(".taken code").text == document["command"]
    browser.press("l")
    browser.until("return document.querySelector('dialog .taken code')")
    command = browser.all("dialog .taken code")[1].text
    assert json.loads(sonde(*command.split()[1:], "--json", cwd=folder))["best"] == document["best"]
    browser.open(folder / "six.html", hash=f"#screen=decision&{chosen}")
    browser.until("return document.querySelector('#tree li')")
    shown = lines_of(browser, "#tree > ul > li")
    assert sum(one[0] for one in shown) == document["policy_space"]
    browser.assert_quiet()


@pytest.mark.parametrize("nodes", [6, 12, 40])
def test_no_weight_is_written_over_another_or_over_a_node(browser, folder, nodes):
    browser.open(folder / "nothing.html", hash=f"#drawn={nodes}.30&o-horizon=4")
    browser.until("return document.querySelectorAll('circle[data-node]').length === arguments[0]",
                  nodes)
    over = browser.run("""
        const boxes = [...document.querySelectorAll('[data-edge]')].map((one) => one.getBBox());
        const nodes = [...document.querySelectorAll('circle[data-node]')]
            .map((one) => one.getBBox());
        const meet = (a, b) => Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x) > 2
            && Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y) > 5;
        return [boxes.length, boxes.filter((a, i) => nodes.some((b) => meet(a, b))
            || boxes.some((b, j) => j < i && meet(a, b))).length]""")
    assert over[0] > 5 and over[1] == 0


def test_a_of_a_model_is_drawn_by_action_where_outcomes_depend_on_it(browser, folder):
    sonde("model", "--make", "tiger", "-o", "tiger.json", cwd=folder)
    sonde("view", "tiger.json", "--no-open", "-o", "tiger.html", cwd=folder)
    model = json.loads((folder / "tiger.json").read_text())
    browser.open(folder / "tiger.html", hash="#o-loop=closed")
    browser.until("return document.querySelector('.maps')")
    tips = browser.run("return [...document.querySelectorAll('.maps title')]"
                       ".map((one) => one.textContent)")
    factor, modality = model["factors"][0], model["modalities"][0]
    for u, action in enumerate(factor["actions"]):
        for s, state in enumerate(factor["states"]):
            for o, outcome in enumerate(modality["outcomes"]):
                [tip] = [one for one in tips if one.startswith(f"A, sound, after {action}:")
                         and one.split(": ")[2] == f"{outcome}, {state}"]
                assert number(tip.split(": ")[-1]) == pytest.approx(model["A"][0][o][s][u])
            [tip] = [one for one in tips if one.startswith("Cost of actions:")
                     and one.split(": ")[2] == f"{state}, {action}"]
            assert number(tip.split(": ")[-1]) == model["action_cost"][s][u]
    browser.assert_quiet()


def test_a_plan_in_closed_loop_says_what_tells_outcomes_apart(browser, folder):
    document = plan(folder, "tmaze.json", "--loop", "closed")
    assert document["settings"]["search"] == "auto"
    browser.open(folder / "tmaze.html", 400, hash="#screen=decision&o-loop=closed")
    browser.until("return document.querySelector('#contingency')")
    words = browser.run("""return [...document.querySelectorAll('#contingency > text')]
        .map((one) => one.textContent).filter((one) => one.startsWith('says'))""")
    assert sorted(words) == ["says left 0.50", "says right 0.50"]
    search, loop = (Select(one).first_selected_option.text
                    for one in browser.all("main .controls select")[:2])
    assert (search, loop) == ("auto", "closed")
    # it is not shrunk to the width of the screen: one scrolls
    assert browser.run("""const one = document.querySelector('#contingency');
        return one.getBoundingClientRect().width === Number(one.getAttribute('width'))""")
    assert browser.run("return document.documentElement.scrollWidth") <= 400
    browser.assert_quiet()


# --------------------------------------------------------------------------------------- the file

def test_names_with_markup_are_text(browser, folder):
    browser.open(folder / "named.html", hash="#screen=decision")
    browser.until("return document.querySelector('#tree summary')")
    assert browser.all("img") == []
    browser.open(folder / "named.html")
    browser.until(SENTENCE)
    goal = browser.one("[data-node='0']")
    assert goal.get_attribute("aria-label") == f"node {MARKUP}, the goal"
    assert f"→ {MARKUP}" in browser.run("return document.querySelector('details').textContent")
    assert browser.all("img") == []
    browser.assert_quiet()


def drop(browser, path):
    browser.one("input[type=file]").send_keys(str(path))


def test_a_file_that_is_no_world_gets_the_sentence_of_the_command(browser, folder):
    browser.open(folder / "nothing.html")
    browser.until(SENTENCE)
    bad = sorted((ROOT / "tests/data/worlds/bad").glob("*.json"))[:6]
    for path in [*bad, ROOT / "README.md"]:
        said = subprocess.run([SONDE, "model", path.name], cwd=path.parent, capture_output=True,
                              text=True).stderr.strip()
        drop(browser, path)
        browser.until("return document.querySelector('#subject').textContent == arguments[0]", said)
    drop(browser, folder / "six.json")
    browser.until("""return document.querySelector('#subject').textContent
        .startsWith('six.json: 6 nodes')""")
    browser.assert_quiet()


def test_an_npz_file_is_looked_at(browser, folder):
    browser.open(folder / "nothing.html", hash="#o-horizon=2")
    browser.until(SENTENCE)
    path = ROOT / "tests/data/models/small.npz"
    drop(browser, path)
    wait_for(browser, plan(path.parent, "small.npz", "--horizon", 2))
    browser.assert_quiet()


@pytest.mark.parametrize("alone", [False, True], ids=["lists", "one array each"])
def test_arrays_of_pymdp_are_pasted_and_the_address_has_them(browser, folder, tmp_path, alone):
    arrays = {"A": [[[0.9, 0.1], [0.1, 0.9]]], "B": [[[[1, 0], [0, 1]], [[0, 1], [1, 0]]]],
              "C": [[0, 2]], "D": [[0.5, 0.5]]}
    made = {"format": "sonde-model", "version": 1, "horizon": 2, **arrays,
            "factors": [{"states": 2, "actions": 2}], "modalities": [{"outcomes": 2}]}
    (tmp_path / "pasted.json").write_text(json.dumps(made))
    browser.open(folder / "nothing.html")
    browser.until(SENTENCE)
    click(browser, "paste…")
    pasted = {name: array[0] for name, array in arrays.items()} if alone else arrays
    browser.one("textarea").send_keys(json.dumps(pasted))
    click(browser, "Look at it")
    wait_for(browser, plan(tmp_path, "pasted.json"))
    address = browser.run("return location.hash")
    assert "document=pasted.json" in address and len(address) < 1000
    browser.open(folder / "tmaze.html", hash=address)
    wait_for(browser, plan(tmp_path, "pasted.json"))
    assert browser.one("#subject").text.startswith("pasted.json: 1 factor")
    browser.assert_quiet()


def test_an_address_whose_document_is_damaged_gets_a_sentence(browser, folder):
    for document in ("a.json*H4sI", "a.json*%25%25", "nothing"):
        browser.open(folder / "six.html", hash=f"#document={document}")
        browser.until("return document.querySelector('#subject.note')")
        assert "expected a JSON document, found nothing" in browser.one("#subject").text
        browser.assert_quiet()


# where the third node is drawn, beside the first: the picture may be another part of the plane
PLACE = """const [a, b] = [0, 2].map((v) => document.querySelector(`circle[data-node="${v}"]`));
    return ['cx', 'cy'].map((key) => b.getAttribute(key) - a.getAttribute(key))"""


def apart(one, other):
    return math.dist(one, other)


def test_a_world_with_names_and_moved_nodes_is_in_the_address(browser, folder):
    browser.open(folder / "nothing.html")
    browser.until(SENTENCE)
    drop(browser, folder / "named.json")
    browser.until("return document.querySelector('#subject').textContent.startsWith('named.json')")
    wait_for(browser, plan(folder, "named.json"))
    browser.one("circle[data-node='2']").send_keys(Keys.ARROW_LEFT, Keys.ARROW_LEFT, Keys.ARROW_UP)
    browser.settle()
    moved, address = browser.run(PLACE), browser.run("return location.hash")
    for page in ("nothing", "six"):
        browser.open(folder / f"{page}.html", hash=address)
        wait_for(browser, plan(folder, "named.json"))
        assert browser.one("#subject").text.startswith("named.json: 6 nodes")
        assert apart(browser.run(PLACE), moved) < 1  # the address has two digits
        assert browser.all("circle[data-node='1'][aria-label^='node b']")
    browser.assert_quiet()


def test_places_of_nodes_that_were_moved_stay_when_the_page_is_loaded_again(browser, folder):
    for page, address in (("six", ""), ("nothing", "#drawn=5.7")):
        browser.open(folder / f"{page}.html", hash=address)
        browser.until(SENTENCE)
        browser.until("return document.querySelector('[data-run=walked]')")
        before = browser.run(PLACE)
        browser.one("circle[data-node='2']").send_keys(Keys.ARROW_LEFT, Keys.ARROW_UP)
        browser.settle()
        moved, address = browser.run(PLACE), browser.run("return location.hash")
        assert "at=2" in address
        browser.open(folder / f"{page}.html", hash=address)
        browser.until(SENTENCE)
        browser.until("return document.querySelector('[data-run=walked]')")
        assert apart(browser.run(PLACE), moved) < 1 < apart(before, moved)


def test_another_world_begins_where_it_says_and_not_where_the_last_one_did(browser, folder):
    browser.open(folder / "six.html", hash="#o-destination=5&o-start=4,4&step=1")
    browser.until(SENTENCE)
    drop(browser, ROOT / "tests/data/worlds/three.json")
    wait_for(browser, plan(ROOT / "tests/data/worlds", "three.json"))
    assert "destination=5" not in browser.run("return location.hash")
    browser.assert_quiet()


def test_what_is_too_large_is_said_with_the_command_and_the_page_lives_on(browser, folder):
    browser.open(folder / "six.html", hash="#o-search=full&o-horizon=40")
    said = browser.until("const p = document.querySelector('[role=alert]');"
                         "return p && !p.hidden && p.textContent")
    assert re.search(r"[0-9.]+ [kMGTPE]?B|policies", said)
    assert "run: sonde plan six.json" in said
    Select(browser.one("main .controls select")).select_by_visible_text("bounded")
    wait_for(browser, plan(folder, "six.json", "--horizon", 40))
    browser.assert_quiet()


def shares(browser):
    browser.press("l")
    browser.until("return document.querySelector('dialog .taken code')")


def test_a_view_is_taken_away_as_address_command_python_and_citation(browser, folder):
    browser.open(folder / "six.html", hash="#o-search=cluster&o-k=5&o-destination=5&o-start=1,1")
    browser.until(SENTENCE)
    shares(browser)
    shown = [one.text for one in browser.all("dialog .taken code")]
    assert shown[0].startswith(browser.run("return location.href.replace(/#.*/, '')"))
    assert shown[1] == "sonde plan six.json --search cluster --k 5 --start 1,1 --destination 5"
    assert sonde(*shown[1].split()[1:], cwd=folder)
    assert shown[2] == ("import sonde\nworld = sonde.Graph.from_file(\"six.json\", start=(1, 1), "
                        "destination=5)\nplan = sonde.plan(world, search=\"cluster\", k=5)")
    assert shown[3].startswith("@software{sonde,")
    browser.press(Keys.ESCAPE)
    browser.press("2")
    browser.until("return document.querySelector('main').dataset.screen === 'policies'")
    shares(browser)
    assert browser.all("dialog .taken code")[2].text.endswith(
        "clusters = sonde.cluster(world, k=5)")
    # what stands after # has the world itself, and fits another page
    browser.open(folder / "nothing.html", hash=shown[0][shown[0].index("#"):])
    wait_for(browser, plan(folder, "six.json", "--search", "cluster", "--k", 5, "--start", "1,1",
                           "--destination", 5))
    browser.assert_quiet()


def test_commands_say_what_is_on_no_disk_and_it_is_saved_as_it_is(browser, folder):
    browser.open(folder / "six.html")
    wait_for(browser, plan(folder, "six.json"))
    browser.until("return document.querySelector('main .taken code')")
    assert browser.all(".unsaved") == []
    browser.run("""const one = [...document.querySelectorAll('details label')]
            .find((each) => each.textContent.startsWith('4 → 1')).querySelector('input');
        one.value = 703701.5; one.dispatchEvent(new Event('change'));""")
    browser.until("return document.querySelector('main .unsaved')")
    (browser.downloads / "six.json").unlink(missing_ok=True)
    click(browser, "save six.json")
    world = json.loads(browser.saved("six.json").read_text())
    assert 703701.5 in [edge[2] for edge in world["edges"]]
    command = browser.one("main .taken code").text
    document = json.loads(sonde(*command.split()[1:], cwd=browser.downloads))
    assert document["best"] != plan(folder, "six.json")["best"]
    wait_for(browser, document)
    shares(browser)
    assert browser.all("dialog .unsaved")
    browser.open(folder / "nothing.html", hash="#screen=decision&example=tmaze")
    browser.until("return document.querySelector('main .unsaved')")
    browser.assert_quiet()


def test_what_is_shared_says_whether_the_world_is_in_its_address(browser, folder):
    sonde("graph", "--nodes", 400, "--seed", 4, "--horizon", 3, "-o", "large.json", cwd=folder)
    sonde("view", "large.json", "--no-open", "-o", "large.html", cwd=folder)

    def said():
        browser.until(SENTENCE)
        shares(browser)
        return browser.one("dialog .small").text
    browser.open(folder / "six.html")
    assert "the world or model itself" in said()
    browser.open(folder / "large.html")
    assert "is in this page alone" in said()
    browser.open(folder / "nothing.html", hash="#screen=decision")
    browser.until(SENTENCE)
    drop(browser, folder / "large.json")
    browser.until("return document.querySelector('#subject').textContent.startsWith('large.json')")
    assert "but not large.json" in said()
    browser.assert_quiet()


def test_numbers_of_more_than_five_digits_are_written_to_the_last_before_the_point(browser, folder):
    world = json.loads((folder / "six.json").read_text())
    world["edges"] = [[a, b, 100003.25 * w] for a, b, w in world["edges"]]
    world.update({"lambda": world["lambda"] / 1e5, "idle": 1e5 * world["idle"]})
    (folder / "far.json").write_text(json.dumps(world))
    sonde("view", "far.json", "--no-open", "-o", "far.html", cwd=folder)
    browser.open(folder / "far.html")
    browser.until("return document.querySelector('[data-run=walked]')")
    walked = json.loads(sonde("simulate", "far.json", "--json", cwd=folder))["walked"]
    assert walked > 1e5 and f"It walks {math.floor(walked + 0.5)};" in browser.one("main").text


def show_named(browser, folder, names, hash=""):
    world = json.loads((folder / "six.json").read_text())
    (folder / "called.json").write_text(json.dumps({**world, "names": names}))
    sonde("view", "called.json", "--no-open", "-o", "called.html", cwd=folder)
    browser.open(folder / "called.html", hash=hash)


def test_names_on_nodes_are_told_apart_and_cut_between_letters(browser, folder):
    names = [*(f"location {i}" for i in range(1, 5)), "place\U0001f600\U0001f601here", "short"]
    show_named(browser, folder, names)
    browser.until("return document.querySelector('[data-run=walked]')")
    shown = browser.run("""return [...document.querySelectorAll('circle[data-node]')].map((one) =>
        [one.nextElementSibling.textContent, one.querySelector('title').textContent])""")
    assert [full for _, full in shown] == names
    assert len({words for words, _ in shown}) == 6
    assert all("…" in words for words, _ in shown[:5]) and shown[5][0] == "short"
    assert shown[4][0] == "place…"
    (browser.downloads / "world.png").unlink(missing_ok=True)
    click(browser, "PNG")
    assert browser.saved("world.png").stat().st_size > 1000
    browser.assert_quiet()


def test_names_from_right_to_left_move_no_number(browser, folder):
    names = [f"\u05d0\u05d1\u05d2 {i}" for i in range(6)]
    show_named(browser, folder, names, "#screen=decision")
    browser.until("return document.querySelector('#tree li')")
    lines = browser.run("""return [...document.querySelectorAll('#tree li span')].map((line) => {
        const after = line.lastChild, range = document.createRange();
        range.setStart(after, 1);
        range.setEnd(after, 2);
        return [line.querySelector('b').getBoundingClientRect().right,
                range.getBoundingClientRect().left]; })""")
    assert lines and all(name <= count for name, count in lines)
    (browser.downloads / "terms.csv").unlink(missing_ok=True)
    click(browser, "CSV")
    saved = browser.saved("terms.csv").read_text()
    assert f"to {names[3]}," in saved and "\u2068" not in saved
    browser.assert_quiet()


def test_long_names_widen_no_screen(browser, folder):
    model = json.loads((folder / "tmaze.json").read_text())
    long = "x" * 300
    model["name"] = long
    for part in [*model["factors"], *model["modalities"]]:
        for key in ("states", "actions", "outcomes"):
            if key in part:
                part[key] = [f"{long}{i}" for i in range(len(part[key]))]
    for modality in model["modalities"]:
        modality["name"] = long + modality["name"]
    (folder / "wide.json").write_text(json.dumps(model))
    sonde("view", "wide.json", "--no-open", "-o", "wide.html", cwd=folder)
    for screen, ready in (("world", ".maps svg"), ("policies", "#nearest, #hovered ol"),
                          ("decision", "#tree li"), ("race", "#figures td")):
        browser.open(folder / "wide.html", 400, hash=f"#screen={screen}&o-loop=open")
        browser.until("return document.querySelector(arguments[0])", ready)
        browser.settle()
        assert browser.run("return document.documentElement.scrollWidth") <= 400, screen
    browser.assert_quiet()


def test_actions_without_a_name_have_a_number(browser, folder):
    nameless = {"format": "sonde-model", "version": 1, "factors": [{"states": 2, "actions": 2}],
                "modalities": [{"outcomes": 2}], "A": [[[0.9, 0.1], [0.1, 0.9]]],
                "B": [[[[1, 0], [0, 1]], [[0, 1], [1, 0]]]], "C": [[0, 2]], "D": [[0.5, 0.5]],
                "horizon": 2}
    (folder / "nameless.json").write_text(json.dumps(nameless))
    sonde("view", "nameless.json", "--no-open", "-o", "nameless.html", cwd=folder)
    browser.open(folder / "nameless.html")
    document = plan(folder, "nameless.json")
    said = wait_for(browser, document)
    assert said.startswith(f"action {document['action']['actions'][0]}, p ")
    browser.assert_quiet()


def test_paper_has_no_links_and_no_buttons(browser, folder):
    browser.open(folder / "six.html", hash="#screen=decision")
    browser.until("return document.querySelector('#tree li')")
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    seen = browser.run("""return [...document.querySelectorAll('a, button, select, input')]
        .filter((one) => one.checkVisibility()).map((one) => one.outerHTML.slice(0, 80))""")
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert [one for one in seen if "type=\"range\"" not in one] == []


def test_what_a_search_did_not_look_at_is_said(browser, folder):
    document = plan(folder, "tmaze.json", "--search", "random", "--budget", 4, "--explain")
    without = [one for one in document["explain"]["alternatives"] if one["policy"] is None]
    browser.open(folder / "tmaze.html", hash="#screen=decision&o-search=random&o-budget=4")
    browser.until("return document.querySelector('#terms')")
    said = browser.run("return document.querySelector('#terms').textContent")
    assert without and said.count("not looked at") == len(without)
    browser.assert_quiet()


def test_novelty_is_a_fourth_part_where_it_counts(browser, folder):
    model = json.loads((folder / "tmaze.json").read_text())
    # something is known of where cues are seen, and little of what they mean
    model["counts"] = {"A": [(0.25 + 4 * numpy.array(one)).tolist() for one in model["A"]]}
    (folder / "learns.json").write_text(json.dumps(model))
    sonde("view", "learns.json", "--no-open", "-o", "learns.html", cwd=folder)
    document = plan(folder, "learns.json", "--novelty", "joint", "--explain")
    assert document["best"]["novelty"] > 0
    browser.open(folder / "learns.html", hash="#screen=decision&o-novelty=joint")
    wait_for(browser, document)
    assert f"− novelty {brief(document['best']['novelty'])}" in browser.one(".decision").text
    assert "less novelty" in browser.run("return document.querySelector('#terms').textContent")
    browser.assert_quiet()


# ----------------------------------------------------------------------------------- the decision

def lines_of(browser, selector):
    """What stands in branches of the tree: policies, G so far, best G and bound."""
    found = []
    for line in browser.run(f"return [...document.querySelectorAll('{selector}')]"
                            ".map((li) => li.querySelector('span').textContent)"):
        counted = int(re.search(r"([0-9,]+) polic", line)[1].replace(",", ""))
        found.append([counted, *(number(re.search(f"{words} (−?[0-9.]+)", line)[1])
                                 for words in ("so far", "best G", "bound"))])
    return found


def test_the_tree_of_beginnings_has_counts_and_masses_of_all_policies(browser, folder):
    listed = json.loads((folder / "tmaze.json").read_text())
    listed.update(horizon=2, policies=[[[a, 0], [b, 0]] for a in range(3) for b in range(2)])
    (folder / "listed.json").write_text(json.dumps(listed))
    sonde("view", "listed.json", "--no-open", "-o", "listed.html", cwd=folder)
    for name in ("six", "tmaze", "listed"):
        asked = ["--search", "bounded", "--prefix"]
        document = plan(folder, f"{name}.json", *asked, "all")
        browser.open(folder / f"{name}.html", hash="#screen=decision")
        browser.until("return document.querySelector('#tree li')")
        top = document["prefix"]["next"]
        shown = lines_of(browser, "#tree > ul > li")
        wanted = [[one["policies"], one["efe"], one["best"], one["least"]] for one in top]
        assert sum(one[0] for one in shown) == document["policy_space"]
        for one, other in zip(shown, wanted, strict=True):
            assert one == pytest.approx(other, rel=1e-4)
        browser.one("#tree summary").click()
        browser.until("return document.querySelectorAll('#tree ul ul li').length > 0")
        action = top[0]["action"]
        step = str(action["to"]) if "to" in action else "/".join(map(str, action["actions"]))
        inner = plan(folder, f"{name}.json", *asked, step)["prefix"]["next"]
        wanted = [[one["policies"], one["efe"], one["best"], one["least"]] for one in inner]
        for one, other in zip(lines_of(browser, "#tree ul ul li"), wanted, strict=True):
            assert one == pytest.approx(other, rel=1e-4)
        assert sum(one[0] for one in wanted) == shown[0][0]
        browser.assert_quiet()


def test_the_certificate_closes_under_a_scrubber(browser, folder):
    trace = plan(folder, "grid5.json", "--horizon", 6, "--explain")["explain"]["trace"]
    browser.open(folder / "grid5.html", hash="#screen=decision&o-horizon=6")
    browser.until("return document.querySelector('#trace')")
    scrubber = browser.one("[aria-label='moment of the search']")
    assert int(scrubber.get_attribute("max")) == len(trace) - 1
    scrubber.send_keys(Keys.HOME)
    said = browser.one("#scrubbed").text
    assert f"after {trace[0]['steps']} steps" in said
    assert browser.run("return document.querySelectorAll('#trace circle').length") == len(trace) + 1
    browser.assert_quiet()


def test_the_picture_of_a_world_stands_on_its_own(browser, folder):
    browser.open(folder / "six.html", hash="#step=2", scheme="dark")
    browser.until("return document.querySelector('[data-run=walked]')")
    (browser.downloads / "world.svg").unlink(missing_ok=True)
    click(browser, "SVG")
    picture = browser.saved("world.svg").read_text()
    assert "var(" not in picture  # there are no names of colours outside
    browser.open(browser.downloads / "world.svg")
    fills = browser.run("""return [...document.querySelectorAll('[data-handle] circle')]
        .map((one) => getComputedStyle(one).fill)""")
    assert fills == ["rgb(255, 255, 255)"] * 2


def show_terms(browser, page, more):
    browser.open(page, hash=f"#screen=decision&{more}")
    browser.until("return document.querySelector('#terms')")


@pytest.mark.parametrize("name, more", [("six", {}), ("tmaze", {"preferences": "utility"})])
def test_terms_are_saved_as_numbers_with_all_their_digits(browser, folder, name, more):
    options = [word for key, value in more.items() for word in (f"--{key}", value)]
    document = plan(folder, f"{name}.json", "--explain", *options)
    show_terms(browser, folder / f"{name}.html",
               "&".join(f"o-{key}={value}" for key, value in more.items()))
    (browser.downloads / "terms.csv").unlink(missing_ok=True)
    click(browser, "CSV")
    rows = browser.saved("terms.csv").read_text().splitlines()
    steps = [step for one in document["explain"]["alternatives"] for step in one["steps"]]
    shown = [[float(one) for one in row.split(",")[2:6]] for row in rows[1:]]
    assert shown == [[step[key] for key in ("risk", "ambiguity", "cost", "efe")] for step in steps]


def test_terms_below_zero_are_drawn_to_the_left_of_it(browser, folder):
    document = plan(folder, "tmaze.json", "--preferences", "utility", "--explain")
    show_terms(browser, folder / "tmaze.html", "o-preferences=utility")
    found = browser.run("""
        const zero = document.querySelector('#zero').x1.baseVal.value;
        return [...document.querySelectorAll('#terms rect')]
            .filter((one) => one.querySelector('title')).map((one) => {
                const [x, wide] = [one.x.baseVal.value, one.width.baseVal.value];
                return [one.textContent, x - zero, x + wide - zero, one.y.baseVal.value]; })""")
    ends = {}
    for words, left, right, y in found:
        below = number(words.split()[-1]) < 0
        assert right < 0.01 if below else left > -0.01
        ends.setdefault(y, []).append((right - left) * (-1 if below else 1))
    # what is left of each bar is its G
    sums = [sum(ends[y]) for y in sorted(ends)]
    efe = [one["efe"] for one in document["explain"]["alternatives"]]
    assert min(efe) < 0 and len(sums) == len(efe)
    assert sums == pytest.approx([g * sums[0] / efe[0] for g in efe], rel=1e-3)
    # one sign for what is below zero, and no hyphens
    said = browser.run("return document.querySelector('main').textContent.split('sonde plan')[0]")
    assert f"G {brief(efe[0])} = risk {brief(efe[0])}" in said and not re.search(r"-\d", said)


def test_bars_of_what_no_policy_was_found_for_reach_to_their_bounds(browser, folder):
    options = ["--horizon", 8, "--budget", 200]
    rows = plan(folder, "grid5.json", "--explain", *options)["explain"]["alternatives"]
    show_terms(browser, folder / "grid5.html", "o-horizon=8&o-budget=200")
    ends = browser.run("""
        const rows = new Map();
        for (const one of document.querySelectorAll('#terms rect')) {
            if (one.querySelector('title')) {
                const [x, wide] = [one.x.baseVal.value, one.width.baseVal.value];
                rows.set(one.y.baseVal.value, x + wide); } }
        const zero = document.querySelector('#zero').x1.baseVal.value;
        return [...rows.values()].map((end) => end - zero)""")
    wanted = [one["bound"] if one["policy"] is None else one["efe"] for one in rows]
    assert any(one["policy"] is None for one in rows) and len(ends) == len(wanted)
    assert ends == pytest.approx([ends[0] * g / wanted[0] for g in wanted], rel=1e-3)


# -------------------------------------------------------------------------------------- the verb

def test_view_opens_the_browser_on_what_it_wrote(folder, tmp_path):
    opener = tmp_path / "xdg-open"
    opener.write_text(f"#!/bin/sh\necho \"$1\" > {tmp_path}/opened\n")
    opener.chmod(0o755)
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "TMPDIR": str(tmp_path)}
    said = sonde("view", "six.json", cwd=folder, env=env)
    opened = (tmp_path / "opened").read_text().strip()
    assert said == f"opened {opened}\n" and opened.startswith(str(tmp_path))
    assert pathlib.Path(opened).read_bytes() == (folder / "six.html").read_bytes()
    said = sonde("view", "six.json", "--no-open", "-o", "x.html", cwd=folder, env=env)
    assert said == "open x.html\n"


def test_a_study_is_viewed_without_the_library_and_a_world_is_not(browser, folder, tmp_path):
    (tmp_path / "plan.json").write_text(json.dumps({
        "format": "sonde-plan", "version": 1, "name": "small", "seed": 2,
        "worlds": {"sizes": [3], "graphs": 3}, "conditions": [{"search": ["full", "bounded"]}]}))
    sonde("study", "plan.json", "--db", "runs.sqlite", "--quiet", cwd=tmp_path)
    subprocess.run([ROOT / "web/build.sh", tmp_path / "bare.html"], check=True)
    bare = {"SONDE_PAGE": str(tmp_path / "bare.html")}
    for name, env in (("with", {}), ("without", bare)):
        sonde("view", "runs.sqlite", "--no-open", "-o", f"{name}.html", cwd=tmp_path, env=env)
        browser.open(tmp_path / f"{name}.html")
        assert "small" in browser.one("h1").text
        browser.assert_quiet()
    said = sonde("view", folder / "six.json", cwd=tmp_path, env=bare, status=2)
    assert "make page" in said and said.count("\n") == 1
    said = sonde("view", "plan.json", cwd=tmp_path, status=3)
    assert said.removeprefix("sonde view") == sonde(
        "model", "plan.json", cwd=tmp_path, status=3).removeprefix("sonde model")


def test_inside_another_page_it_works_as_well(browser, folder, tmp_path):
    page = html.escape((folder / "six.html").read_text())
    (tmp_path / "cell.html").write_text(
        '<!DOCTYPE html><meta charset="utf-8"><link rel="icon" href="data:,"><iframe width="900" '
        f'height="700" sandbox="allow-scripts allow-downloads" srcdoc="{page}"></iframe>')
    browser.open(tmp_path / "cell.html")
    browser.driver.switch_to.frame(browser.one("iframe"))
    wait_for(browser, plan(folder, "six.json"))
    browser.one("nav.screens a[href='#screen=decision']").click()
    browser.until("return document.querySelector('main').dataset.screen === 'decision'")
    browser.until("return document.querySelector('#terms')")
    browser.driver.switch_to.default_content()
    browser.assert_quiet()
