"""What somebody does by mistake to the page of sonde view, and what takes long, in a real browser:
it is said, can be taken back, and what was there stays; the keyboard stays where it is."""
# page
import json
import os
import pathlib
import subprocess

import pytest

pytest.importorskip("selenium.webdriver")
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import Select  # noqa: E402

from browsing import Browser  # noqa: E402

SONDE = str(pathlib.Path(os.environ["SONDE_COMMAND"]).resolve())
ROOT = pathlib.Path(__file__).resolve().parents[2]
SENTENCE = "return document.querySelector('#sentence')?.textContent"
FOCUSED = "return document.activeElement.closest('label')?.textContent.startsWith(arguments[0])"
LONG = "#o-search=full&o-horizon=17"
ALERT = "const p = document.querySelector('[role=alert]'); return !p.hidden && p.textContent"


def sonde(*words, cwd):
    done = subprocess.run([SONDE, *map(str, words)], cwd=cwd, capture_output=True, text=True,
                          timeout=200)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("mistakes")
    sonde("graph", "--nodes", 6, "--seed", 30, "-o", "six.json", cwd=made)
    sonde("graph", "--nodes", 80, "--seed", 2, "--horizon", 5, "-o", "many.json", cwd=made)
    sonde("model", "--make", "tiger", "-o", "tiger.json", cwd=made)
    habit = [ROOT / f"examples/learning/habit{part}.json" for part in ("", "-world")]
    sonde("simulate", habit[0], "--learn", "--process", habit[1], "--steps", 20, "-o", "run.json",
          cwd=made)
    for name in ("six", "many", "tiger", "run"):
        sonde("view", f"{name}.json", "--no-open", "-o", f"{name}.html", cwd=made)
    (made / "no.json").write_text("no world")
    return made


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    made = Browser(tmp_path_factory.mktemp("downloads"))
    yield made
    made.driver.quit()


def plan(folder, file, *more):
    return json.loads(sonde("plan", file, "--json", *more, cwd=folder))


def wait_for(browser, document):
    """Until the page shows this decision, and has walked."""
    best = repr(float(f"{document['best']['efe']:.5g}")).removesuffix(".0")
    browser.until("""return document.querySelector('.decision .small')?.textContent
        .includes(arguments[0])""", f"G {best} =")
    browser.until("return document.querySelector('[data-run=walked]')")
    browser.settle()


def opened(browser, folder, name="six", hash="", width=1280):
    browser.open(folder / f"{name}.html", width, hash=hash)
    browser.until(SENTENCE)
    browser.until("return document.querySelector('[data-run=walked]')")
    browser.settle()
    return browser


def click(browser, words):
    browser.until("""const found = [...document.querySelectorAll('button')]
        .find((one) => one.textContent === arguments[0] && one.checkVisibility()); found?.click();
        return found !== undefined""", words)


def drop(browser, path):
    browser.one("header.subject input[type=file]").send_keys(str(path))


def said(browser, words):
    return browser.until("""const one = document.querySelector('#subject');
        return one.classList.contains('note') && one.textContent.includes(arguments[0])
            && one.textContent""", words)


def join_or_part(browser, a, b):
    browser.one(f"circle[data-node='{a}']").click()
    click(browser, "join or part…")
    browser.one(f"circle[data-node='{b}']").click()


def changed(folder, tmp_path, change):
    """A world that is six.json but for this."""
    world = json.loads((folder / "six.json").read_text())
    change(world)
    (tmp_path / "six.json").write_text(json.dumps(world))
    return plan(tmp_path, "six.json")


def part(world, *pairs):
    world["edges"] = [one for one in world["edges"] if set(one[:2]) not in [set(p) for p in pairs]]


# --------------------------------------------------------------------------------------- the world

def test_an_edit_that_leaves_no_world_is_refused_and_the_world_stays(browser, folder, tmp_path):
    opened(browser, folder)
    join_or_part(browser, 0, 1)
    wait_for(browser, changed(folder, tmp_path, lambda world: part(world, (0, 1))))
    address = browser.run("return location.hash")
    assert "edges=" in address
    join_or_part(browser, 0, 2)  # the goal has no other way to it
    said(browser, "It stays as it was")
    assert browser.run("return location.hash") == address
    assert browser.all("[data-edge='0-2']")
    browser.one("details summary").click()
    weight = browser.one(".facets input")
    weight.send_keys(Keys.CONTROL, "a")
    weight.send_keys("-3", Keys.ENTER)
    said(browser, "edges[0]")
    assert weight.get_attribute("value") != "-3" and browser.run("return location.hash") == address
    # it is still there to be worked with
    part_and = changed(folder, tmp_path, lambda world: (
        part(world, (0, 1)), world["edges"].extend([[0, 3, 5], [3, 0, 5]])))
    join_or_part(browser, 0, 3)
    wait_for(browser, part_and)
    assert browser.all("#subject.note") == []
    browser.assert_quiet()


def test_an_agent_whose_way_here_is_removed_has_always_been_here(browser, folder, tmp_path):
    def without(world):
        number = dict(zip([0, 1, 2, 3, 5], range(5)))
        world.update(nodes=5, start=[3, 3], edges=[
            [number[a], number[b], w] for a, b, w in world["edges"] if 4 not in (a, b)])

    opened(browser, folder)
    browser.one("circle[data-node='5']").send_keys(Keys.ARROW_LEFT)
    browser.one("circle[data-node='2']").send_keys(Keys.ARROW_LEFT)
    browser.one("circle[data-node='4']").send_keys(Keys.ARROW_LEFT)
    browser.one("circle[data-node='4']").click()
    click(browser, "remove")
    wait_for(browser, changed(folder, tmp_path, without))
    places = browser.run("return new URLSearchParams(location.hash.slice(1)).get('at')")
    assert [one.split(",")[0] for one in places.split("_")] == ["4", "2"]
    opened(browser, folder)
    join_or_part(browser, 3, 4)
    wait_for(browser, changed(folder, tmp_path, lambda world: (part(world, (3, 4)),
                                                               world.update(start=[3, 3]))))
    browser.assert_quiet()


def test_weights_are_typed_one_after_the_other(browser, folder, tmp_path):
    opened(browser, folder)
    browser.one("details summary").click()
    for place, weight in ((0, "30"), (1, "1e-7")):
        field = browser.all(".facets input")[place]
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(weight, Keys.ENTER)
        browser.until("return decodeURIComponent(location.hash).includes(`:${arguments[0]}`)",
                      weight)
    document = changed(folder, tmp_path, lambda world: (world["edges"][0].__setitem__(2, 30),
                                                        world["edges"][1].__setitem__(2, 1e-7)))
    wait_for(browser, document)
    # and the address has both
    opened(browser, folder, hash=browser.run("return location.hash"))
    wait_for(browser, document)
    browser.assert_quiet()


def test_nodes_that_are_not_to_be_joined_after_all_are_not(browser, folder):
    opened(browser, folder)
    browser.one("circle[data-node='0']").click()
    for end in (lambda: click(browser, "join or part…"), lambda: browser.press(Keys.ESCAPE)):
        click(browser, "join or part…")
        browser.until("return document.querySelector('[aria-pressed=true]:is(button)')")
        end()
        browser.until("return document.querySelector('button[aria-pressed=false]')")
    browser.assert_quiet()


def test_a_world_of_many_nodes_is_worked_with_by_keyboard(browser, folder):
    opened(browser, folder, "many")
    goal = next(v for v in range(80) if v not in (
        json.loads((folder / "many.json").read_text())["start"]))
    number = browser.one("[aria-label='number of a node']")
    number.send_keys(str(goal), Keys.ENTER)
    click(browser, "goal here")
    wait_for(browser, plan(folder, "many.json", "--destination", goal))
    browser.one("details summary").click()
    edges = [one for one in json.loads((folder / "many.json").read_text())["edges"]
             if goal in one[:2] and one[0] != one[1]]
    assert len(browser.all(".facets input")) == len(edges) > 0
    browser.assert_quiet()


# ---------------------------------------------------------------------------------------- the file

def test_a_file_that_is_no_world_leaves_the_one_that_is_there(browser, folder, tmp_path):
    opened(browser, folder)
    join_or_part(browser, 0, 3)
    with_edge = changed(folder, tmp_path, lambda w: w["edges"].extend([[0, 3, 5], [3, 0, 5]]))
    wait_for(browser, with_edge)
    address = browser.run("return location.hash")
    (tmp_path / "bad").mkdir()
    for name in ("other.json", "six.json"):
        (tmp_path / "bad" / name).write_text("no world")
        drop(browser, tmp_path / "bad" / name)
        said(browser, name)
        assert browser.run("return location.hash") == address
    # it is still what is decided about, also where the file had its name
    Select(browser.one("main .controls select")).select_by_visible_text("full")
    wait_for(browser, plan(tmp_path, "six.json", "--search", "full"))
    assert browser.all("#subject.note") == []
    browser.assert_quiet()


def test_files_are_called_whatever_they_are_called(browser, folder, tmp_path):
    opened(browser, folder)
    for seed, name in enumerate(("tmp", "home", "dev", "-x.json"), 1):
        sonde("graph", "--nodes", 5, "--seed", seed, "-o", f"./{name}", cwd=tmp_path)
        drop(browser, tmp_path / name)
        browser.until("return document.querySelector('#subject').textContent"
                      ".startsWith(arguments[0])", f"{name}: 5 nodes")
        document = plan(tmp_path, f"./{name}")
        wait_for(browser, document)
    assert browser.one(".taken code").text == document["command"]
    browser.assert_quiet()


def test_a_paste_with_a_mistake_can_be_mended(browser, folder):
    opened(browser, folder)
    click(browser, "paste…")
    text = (folder / "six.json").read_text()
    browser.run("document.querySelector('textarea').value = arguments[0]", text[:-3])
    click(browser, "Look at it")
    browser.until("""return document.querySelector('dialog .note:not([hidden])')?.textContent
        .includes('pasted.json')""")
    assert browser.run("return document.querySelector('textarea').value") == text[:-3]
    browser.run("document.querySelector('textarea').value = arguments[0]", text)
    click(browser, "Look at it")
    browser.until("return document.querySelector('dialog') === null")
    wait_for(browser, plan(folder, "six.json"))
    accepts = browser.one("input[type=file]").get_attribute("accept").split(",")
    assert {".json", ".pomdp", ".pomdpx", ".npz"} <= set(accepts)
    browser.assert_quiet()


def test_a_file_that_is_dropped_on_results_opens_the_world(browser, folder):
    for name in ("six.json", "no.json"):
        browser.open(folder / "run.html")
        assert browser.one("main").get_attribute("data-screen") == "learning"
        browser.run("""const held = new DataTransfer();
            held.items.add(new File([arguments[1]], arguments[0]));
            dispatchEvent(new DragEvent("drop", { dataTransfer: held, cancelable: true }))""",
                    name, (folder / name).read_text())
        browser.until("return document.querySelector('main').dataset.screen === 'world'")
        if name == "six.json":
            wait_for(browser, plan(folder, name))
        else:
            said(browser, name)
        browser.assert_quiet()


def test_an_address_with_a_mistake_gets_a_sentence(browser, folder):
    browser.open(folder / "six.html", hash="#edges=abc")
    said(browser, "world.json")
    browser.open(folder / "six.html", hash="#o-start=3")
    assert "--start" in browser.until(ALERT)
    browser.press("l")
    browser.until("return document.querySelector('dialog .taken code')")
    opened(browser, folder, hash="#step=-3")
    assert browser.one("output").text.startswith("step 0 of")
    browser.assert_quiet()


def test_an_address_that_is_followed_in_an_open_tab_is_read_as_a_whole(browser, folder):
    opened(browser, folder)
    browser.run("location.hash = '#step=4'")
    browser.until("return document.querySelector('output').textContent.startsWith('step 4 of')")
    browser.run("location.hash = '#example=tmaze&o-horizon=3'")
    browser.until("return document.querySelector('#subject').textContent.includes('horizon 2')")
    (folder / "tmaze.json").write_bytes((ROOT / "examples/models/tmaze.json").read_bytes())
    wait_for(browser, plan(folder, "tmaze.json", "--horizon", 3))
    assert "o-horizon=3" in browser.run("return location.hash")
    browser.assert_quiet()


def test_a_model_with_a_discount_begins_in_closed_loop(browser, folder):
    opened(browser, folder, "tiger")
    document = json.loads(sonde("plan", "tiger.json", "--loop", "closed", "--json", cwd=folder))
    assert browser.one(".taken code").text == document["command"]
    assert browser.run("return document.querySelector('main [role=alert]').hidden")
    lists = browser.run("""return [...document.querySelectorAll('main .controls select')]
        .map((one) => one.value)""")
    assert lists[:2] == ["auto", "closed"]
    for screen in ("policies", "race"):
        browser.open(folder / "tiger.html", hash=f"#screen={screen}")
        assert "no policies to look at" in browser.until(ALERT)
    browser.assert_quiet()


# -------------------------------------------------------------------------------- what takes long

def test_what_takes_long_is_said_and_stopped(browser, folder):
    browser.open(folder / "six.html", hash=LONG)
    browser.until("return document.querySelector('#working')?.hidden === false")
    click(browser, "stop")
    assert "stopped" in browser.until(ALERT)
    assert browser.run("return document.querySelector('#working').hidden")
    Select(browser.one("main .controls select")).select_by_visible_text("bounded")
    wait_for(browser, plan(folder, "six.json", "--horizon", 17))
    browser.assert_quiet()


def test_what_is_chosen_does_not_wait_for_what_is_out_of_date(browser, folder):
    browser.open(folder / "six.html", hash=LONG)
    browser.until("return document.querySelector('#working')?.hidden === false")
    Select(browser.one("main .controls select")).select_by_visible_text("bounded")
    browser.until(SENTENCE, seconds=8)
    wait_for(browser, plan(folder, "six.json", "--horizon", 17))
    assert browser.run("return document.querySelector('main [role=alert]').hidden")
    browser.assert_quiet()


# ---------------------------------------------------------------------------------------- keyboard

def test_a_list_that_is_typed_into_keeps_the_focus(browser, folder):
    opened(browser, folder)
    browser.run("document.querySelector('main .controls select').focus()")
    browser.press("cl")
    wait_for(browser, plan(folder, "six.json", "--search", "cluster"))
    assert browser.run(FOCUSED, "search") and browser.all("dialog") == []
    browser.one("circle[data-node='5']").click()
    goal = next(one for one in browser.all("main button") if one.text == "goal here")
    goal.send_keys(Keys.ENTER)
    wait_for(browser, plan(folder, "six.json", "--search", "cluster", "--destination", 5))
    assert browser.run("return document.activeElement.textContent") == "goal here"
    browser.one("nav.screens a[href='#screen=race']").send_keys(Keys.ENTER)
    assert browser.run("return document.activeElement.textContent") == "Race"
    browser.until("return document.querySelector('[aria-label^=without]')")
    browser.one("[aria-label='without cluster']").send_keys(Keys.ENTER)
    assert browser.run("return document.activeElement.ariaLabel") == "without beam"
    browser.assert_quiet()


def test_the_space_bar_does_what_it_does_to_what_has_the_focus(browser, folder):
    opened(browser, folder)
    browser.run("document.querySelector('details summary').focus()")
    browser.press(Keys.SPACE)
    assert browser.run("return document.querySelector('details').open")
    browser.run("document.querySelector(\"circle[data-node='2']\").focus()")
    browser.press(Keys.SPACE)
    browser.until("return document.querySelector(\"circle[data-node='2'][aria-pressed=true]\")")
    assert browser.one("#play").text == "▶ play"
    browser.assert_quiet()


def test_back_leads_to_the_screen_before(browser, folder):
    opened(browser, folder)
    for screen in ("decision", "race"):
        browser.one(f"nav.screens a[href='#screen={screen}']").click()
        browser.until("return location.hash.includes(`screen=${arguments[0]}`)", screen)
    for screen in ("decision", "world"):
        browser.driver.back()
        browser.until("return document.querySelector('main')?.dataset.screen === arguments[0]",
                      screen)
    browser.until(SENTENCE)
    browser.assert_quiet()


@pytest.mark.parametrize("screen", ["world", "policies", "decision", "race"])
def test_a_narrow_screen_is_not_scrolled_sideways(browser, folder, screen):
    browser.open(folder / "six.html", 320, hash=f"#screen={screen}")
    browser.until("return document.querySelector('main .controls select')")
    browser.settle()
    assert browser.run("return document.documentElement.scrollWidth") <= 320
