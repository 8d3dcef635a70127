#!/usr/bin/env python3
"""What the page costs, in Chromium, and its engine beside the command.

    bench/bench_page.py COMMAND [REPEATS [PART...]]

COMMAND has the page with the library in it (make page). Prints `name value unit`, the median of the
repeats, the least and the most:

    size      bytes of the page
    open      from disk to the first decision
    policies  127,842 policies of 6 nodes: from the wish to the picture (embedded, clustered,
              scored, drawn), in an engine that has just started and in one that is warm; a
              picture drawn again; and from a point to the path under it
    drag      a goal dragged in a world of 2,000 nodes, horizon 10, and the horizon of the world,
              of which the page shortens what it looks at while something is dragged: from the
              pointer to the decision that is shown
    facets    200,000 runs filtered: from the click to the counts
    engine    decisions in the engine, warm, over those of the command

It takes Debian's chromium, chromium-driver, python3-selenium, esbuild and node.
"""
import base64
import json
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/page"))
from browsing import Browser  # noqa: E402
from engine import Engine  # noqa: E402
from selenium.webdriver.common.action_chains import ActionChains  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

READY = "return document.querySelector('main').dataset.chosen !== undefined"
TOOK = "return Number(document.querySelector('#mapped').dataset.took)"
# when the decision was first shown, in milliseconds since the page was asked for
FIRST = """new MutationObserver((changes, me) => {
    if (document.getElementById('sentence')) {
        window.decided = performance.now(); me.disconnect(); }
}).observe(document, {subtree: true, childList: true});"""
# how long after the pointer has moved the decision for where it is now is shown
FOLLOW = """window.took = []; let known = '', since = null;
const asked = () => (location.hash.match(/o-destination=(\\d+)/) ?? [])[1];
addEventListener('pointermove', () => { const began = performance.now(); setTimeout(() => {
    if (asked() !== known) { known = asked(); since = began; } }, 1); }, true);
new MutationObserver(() => { const shown = document.querySelector('.taken code')?.textContent ?? '';
    if (since !== null && shown.includes(`--destination ${known} `)) {
        window.took.push(performance.now() - since); since = null; } })
    .observe(document.querySelector('main'), {subtree: true, childList: true});"""
# a search, and what it is given; every search decides many times, so that both are warm
LIVES = {
    "bounded, 6 nodes": "simulate six.json --search bounded --steps 4000",
    "bounded, 2,000 nodes": "simulate large.json --search bounded --horizon 10 --steps 8",
    "bounded, grid of 25": "simulate grid5.json --search bounded --steps 100",
    "bounded, T-maze": "simulate tmaze.json --search bounded --steps 400",
    "full, 6 nodes": "simulate six.json --search full --steps 200",
    "full, 8 nodes": "simulate eight.json --search full --steps 10",
    "full, T-maze": "simulate tmaze.json --search full --steps 400",
    "full, grid of 25": "simulate grid5.json --search full --horizon 6 --steps 10",
    "cluster, 6 nodes": "simulate six.json --search cluster --steps 10",
    "cluster, edm, 5 nodes": "simulate five.json --search cluster --embedding edm --steps 5",
    "cluster, grid of 25": "simulate grid5.json --search cluster --horizon 4 --steps 10",
    "clusters made, 6 nodes": "plan six.json --search cluster",
    "clusters made, edm, 5 nodes": "plan five.json --search cluster --embedding edm",
    "clusters made, grid of 25": "plan grid5.json --search cluster --horizon 4",
    "beam, 6 nodes": "simulate six.json --search beam --steps 100",
    "surrogate, 6 nodes": "simulate six.json --search surrogate --steps 10",
    "tree, 6 nodes": "simulate six.json --search tree --steps 10",
    "random, 6 nodes": "simulate six.json --search random --budget 1000 --steps 100",
}


def say(name, values, unit):
    print(f"page.{name} {statistics.median(values):.4g} {unit} (least {min(values):.4g}, "
          f"most {max(values):.4g})", flush=True)


def size(browser, folder, command, repeats):
    say("size", [(command.parent / "page.html").stat().st_size / 1000], "kB")


def opened(browser, folder, command, repeats):
    told = browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument",
                                          {"source": FIRST})
    values = []
    for _ in range(2 * repeats):
        browser.open(folder / "six.html")
        values.append(browser.until("return window.decided"))
    browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", told)
    say("open", values, "ms")


def policies_once(browser, page, embedding, rows):
    browser.open(page, hash=f"#screen=policies&o-scope=global&o-embedding={embedding}")
    browser.until(READY, seconds=60)
    rows.setdefault("first", []).append(browser.run(TOOK))
    # the same again, with another seed, in an engine that is warm
    seed = next(one for one in browser.all("main .controls label") if one.text.startswith("seed"))
    before = browser.one("#mapped").text
    seed.find_element("css selector", "input").send_keys("2", Keys.TAB)
    browser.until("return document.querySelector('#mapped').textContent !== arguments[0]", before,
                  seconds=60)
    rows.setdefault("again", []).append(browser.run(TOOK))
    browser.until(READY)
    cloud = browser.one(".cloud.wide")
    for _ in range(10):
        for key in "+-":
            cloud.send_keys(key)
            rows.setdefault("frame", []).append(float(cloud.get_attribute("data-frame")))
    browser.run("document.querySelector('.cloud').scrollIntoView({block: 'center'})")
    for step in range(20):
        ActionChains(browser.driver, duration=0).move_to_element_with_offset(
            cloud, -150 + 15 * step, 5 * (step % 5)).perform()
        browser.settle()
        rows.setdefault("hover", []).append(
            float(browser.run("return document.querySelector('#hovered').dataset.took")))


def policies(browser, folder, command, repeats):
    for embedding in ("boe", "timed"):
        rows = {}
        for _ in range(repeats):
            policies_once(browser, folder / "six.html", embedding, rows)
        for name, values in rows.items():
            say(f"policies.{embedding}.{name}", values, "ms")


def drag_with(browser, folder, repeats, name, hash):
    browser.open(folder / "large.html", hash=hash)
    browser.until("return document.querySelector('#sentence')?.textContent", seconds=60)
    browser.until("return document.querySelector('[data-run=walked]')", seconds=60)
    browser.run(FOLLOW)
    handle = browser.one("[data-handle=destination]")
    mouse = ActionChains(browser.driver, duration=0).click_and_hold(handle)
    mouse.perform()
    for step in range(60 * repeats):
        ActionChains(browser.driver, duration=0).move_by_offset(
            (1, -1)[step // 15 % 2] * 7, (1, -1)[step // 10 % 2] * 5).perform()
    ActionChains(browser.driver).release().perform()
    say(name, browser.run("return window.took"), "ms")


def drag(browser, folder, command, repeats):
    drag_with(browser, folder, repeats, "drag", "#o-horizon=10")
    drag_with(browser, folder, repeats, "drag.usual", "")


def facets(browser, folder, command, repeats):
    """A study whose cells are there so often that they are 200,000 runs."""
    plan = {"format": "sonde-plan", "version": 1, "name": "many", "seed": 2,
            "worlds": {"sizes": [3, 4], "graphs": 40},
            "conditions": [{"group": "a", "search": ["full", "bounded"],
                            "scope": ["local", "global"]},
                           {"group": "b", "search": "cluster", "scope": ["local", "global"],
                            "embedding": ["edm", "boe", "aboe"], "k": [2, 6, 12]}]}
    (folder / "plan.json").write_text(json.dumps(plan))
    for words in (["study", "plan.json", "--db", "many.sqlite", "--quiet"],
                  ["report", "many.sqlite", "-o", "many"]):
        subprocess.run([command, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    text = (folder / "many/index.html").read_text()
    found = re.search(r'(<script type="application/json" id="study"[^>]*>)(.*?)(</script>)', text,
                      re.S)
    study = json.loads(found[2])
    times = -(-200_000 // sum(cell["runs"] for cell in study["cells"]))
    n, conditions, cells = len(study["conditions"]), study["conditions"], study["cells"]
    study["conditions"] = conditions * times
    runs = len(study["runs"]["graph"])
    study["cells"] = [{**cell, "condition": cell["condition"] + n * t,
                       "first": cell["first"] + runs * t}
                      for t in range(times) for cell in cells]
    study["runs"] = {name: column and column * times for name, column in study["runs"].items()}
    packed = json.dumps(study).replace("<", "\\u003c")
    (folder / "many.html").write_text(text[:found.start(2)] + packed + text[found.end(2):])
    browser.open(folder / "many.html")
    values = []
    for _ in range(2 * repeats):
        for box in ("scope local", "search cluster", "embedding boe", "scope local",
                    "search cluster", "embedding boe"):
            values.append(browser.run("""
                const box = document.querySelector(`[data-facet="${arguments[0]}"]`);
                const began = performance.now(); box.click(); return performance.now() - began""",
                                      box))
    print(browser.one("#explored").text)
    say("facets", values, "ms")


def seconds_of(out):
    return json.loads(out)["seconds"]


def engine(browser, folder, command, repeats):
    ours = Engine(folder, command.parent)
    files = {name.name: base64.b64encode(name.read_bytes()).decode()
             for name in folder.glob("*.json")}
    ours.ask("run", words=["--version"], packed=files)
    ratios = []
    for name, life in LIVES.items():
        both = ([], [])
        for _ in range(6):  # until it is compiled for good
            ours.run(f"{life} --json --threads 1")
        for _ in range(2 * repeats + 3):  # turn by turn, so that what else runs here disturbs both
            done = subprocess.run([command, *shlex.split(life), "--json", "--threads", "1"],
                                  cwd=folder, capture_output=True, text=True, check=True)
            both[0].append(seconds_of(done.stdout))
            both[1].append(seconds_of(ours.run(f"{life} --json --threads 1")[1]))
        ratios.append(min(both[1]) / min(both[0]))
        print(f"page.engine {name}: {ratios[-1]:.2f} times the command's "
              f"{1000 * min(both[0]):.3g} ms", flush=True)
    say("engine.times", ratios, "times the command")
    ours.close()


PARTS = {"size": size, "open": opened, "policies": policies, "drag": drag, "facets": facets,
         "engine": engine}


def main():
    command = pathlib.Path(sys.argv[1]).resolve()
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for nodes, file in ((5, "five"), (6, "six"), (8, "eight"), (2000, "large")):
            subprocess.run([command, "graph", "--nodes", str(nodes), "--seed", "30", "-o",
                            f"{file}.json"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        for file in ("tmaze", "grid5"):
            (folder / f"{file}.json").write_bytes(
                (ROOT / f"examples/models/{file}.json").read_bytes())
        for file in ("six", "large"):
            subprocess.run([command, "view", f"{file}.json", "--no-open", "-o", f"{file}.html"],
                           cwd=folder, check=True, stdout=subprocess.DEVNULL)
        browser = Browser(folder)
        for part in sys.argv[3:] or PARTS:
            PARTS[part](browser, folder, command, repeats)
        browser.driver.quit()


main()
