#!/usr/bin/env python3
"""What the page's policies cost, in Chromium: a world of 6 nodes with 127,842 policies.

    bench/bench_page.py COMMAND [REPEATS]

COMMAND has the page with the library in it (make page). Prints `name value unit`, the median of the
repeats, each in a page that was opened anew: from the wish to the picture (policies embedded,
clustered, scored, drawn), with what the engine needs to start and without; a picture drawn
again; and from a point to the path under it. It takes Debian's chromium, chromium-driver and
python3-selenium.
"""
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests/page"))
from browsing import Browser  # noqa: E402
from selenium.webdriver.common.action_chains import ActionChains  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

READY = "return document.querySelector('main').dataset.chosen !== undefined"
TOOK = "return Number(document.querySelector('#mapped').dataset.took)"


def once(browser, page, embedding, rows):
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


def main():
    command = pathlib.Path(sys.argv[1]).resolve()
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    with tempfile.TemporaryDirectory() as folder:
        for words in (["graph", "--nodes", "6", "--seed", "30", "-o", "six.json"],
                      ["view", "six.json", "--no-open", "-o", "six.html"]):
            subprocess.run([command, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        browser = Browser(pathlib.Path(folder))
        for embedding in ("boe", "timed"):
            rows = {}
            for _ in range(repeats):
                once(browser, pathlib.Path(folder) / "six.html", embedding, rows)
            for name, values in rows.items():
                print(f"page.policies.{embedding}.{name} {statistics.median(values):.1f} ms "
                      f"(least {min(values):.1f}, most {max(values):.1f})")
        browser.driver.quit()


main()
