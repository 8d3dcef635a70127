#!/usr/bin/env python3
"""Makes the animated picture of the page that the README opens with.

    tools/picture.py COMMAND FILE.gif

COMMAND has the page with the library in it (make page). It takes Debian's chromium,
chromium-driver, python3-selenium and python3-pil. The picture has 2 MB at most.
"""
import io
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/page"))
from browsing import Browser  # noqa: E402
from PIL import Image  # noqa: E402
from selenium.webdriver.common.action_chains import ActionChains  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

WIDTH, HEIGHT = 1120, 700
MOST = 2_000_000
SENTENCE = "return document.querySelector('#sentence')?.textContent"
MAPPED = "return document.querySelector('main').dataset.chosen !== undefined"
RACED = "return document.querySelector('main').dataset.done"


class Film:
    """Frames, and how long each is shown, in milliseconds."""

    def __init__(self, browser):
        self.browser, self.frames, self.times = browser, [], []

    def take(self, milliseconds, top=None):
        if top is not None:
            self.browser.run("""const at = document.querySelector(arguments[0]);
                scrollTo(0, at.getBoundingClientRect().top + scrollY - 12)""", top)
        self.browser.settle()
        drawn = Image.open(io.BytesIO(self.browser.driver.get_screenshot_as_png())).convert("RGB")
        self.frames.append(drawn.resize((WIDTH * 3 // 4, HEIGHT * 3 // 4), Image.LANCZOS))
        self.times.append(milliseconds)

    def save(self, path):
        # one palette for all, made of every frame
        sheet = Image.new("RGB", (self.frames[0].width, self.frames[0].height * len(self.frames)))
        for number, frame in enumerate(self.frames):
            sheet.paste(frame, (0, number * frame.height))
        palette = sheet.quantize(96, dither=Image.Dither.NONE)
        flat = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in self.frames]
        flat[0].save(path, save_all=True, append_images=flat[1:], duration=self.times, loop=0,
                     optimize=True, disposal=1)


def show(browser, page, screen, ready):
    browser.open(page, WIDTH, hash=f"#screen={screen}")
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False})
    browser.until(ready, seconds=60)
    time.sleep(0.5)


def world(film, page):
    """The agent walks; then the goal is dragged away, and the decision follows."""
    browser = film.browser
    show(browser, page, "world&o-search=cluster", SENTENCE)
    film.take(1600, "h1")
    for _ in range(4):
        browser.one("body").send_keys(Keys.ARROW_RIGHT)
        time.sleep(0.5)
        film.take(500)
    show(browser, page, "world", SENTENCE)
    film.take(1200, "h1")
    for _ in range(3):
        browser.one("body").send_keys(Keys.ARROW_RIGHT)
        time.sleep(0.5)
        film.take(500)
    browser.one("body").send_keys(Keys.HOME)
    time.sleep(0.5)
    place = "const c = document.querySelector(`circle[data-node='${arguments[0]}']`)" \
        ".getBoundingClientRect(); return [c.x + c.width / 2, c.y + c.height / 2]"
    (x, y), (tx, ty) = browser.run(place, "0"), browser.run(place, "5")
    mouse = ActionChains(browser.driver, duration=30).click_and_hold(
        browser.one("[data-handle=destination]"))
    mouse.perform()
    for _ in range(4):
        ActionChains(browser.driver, duration=30).move_by_offset(
            round((tx - x) / 4), round((ty - y) / 4)).perform()
        time.sleep(0.4)
        film.take(350)
    ActionChains(browser.driver).release().perform()
    time.sleep(0.5)
    film.take(1400)


def policies(film, page):
    browser = film.browser
    show(browser, page, "policies", MAPPED)
    film.take(1800, ".cloud.wide")
    cloud = browser.one(".cloud.wide")
    for dx, dy in ((-150, -60), (-60, 60), (60, 20), (130, 90)):
        ActionChains(browser.driver, duration=0).move_to_element_with_offset(
            cloud, dx, dy).perform()
        time.sleep(0.2)
        film.take(600)
    for key, wait in (("c", 1100), ("a", 1100)):
        browser.press(key)
        time.sleep(0.3)
        film.take(wait)


def decision(film, page):
    browser = film.browser
    show(browser, page, "decision&o-horizon=6", "return document.querySelector('#trace')")
    scrubber = browser.one("[aria-label='moment of the search']")
    scrubber.send_keys(Keys.HOME)
    last = int(scrubber.get_attribute("max"))
    for step in range(0, last, max(1, last // 5)):
        film.take(450, "h1")
        scrubber.send_keys(*[Keys.ARROW_RIGHT] * max(1, last // 5))
    film.take(1500)


def race(film, page):
    browser = film.browser
    show(browser, page, "race&race=bounded.full.cluster.beam", RACED)
    slider = browser.one("[aria-label='cost so far']")
    slider.send_keys(Keys.HOME)
    last = int(slider.get_attribute("max"))
    for step in range(0, last, max(1, last // 5)):
        film.take(400, "#figures")
        slider.send_keys(*[Keys.ARROW_RIGHT] * max(1, last // 5))
    film.take(2200)


def main():
    command, target = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "grid5.json").write_bytes((ROOT / "examples/models/grid5.json").read_bytes())
        for words in (["view", "-o", "world.html"], ["view", "grid5.json", "-o", "grid.html"]):
            subprocess.run([command, *words, "--no-open"], cwd=folder, check=True,
                           stdout=subprocess.DEVNULL)
        browser = Browser(folder)
        film = Film(browser)
        world(film, folder / "world.html")
        policies(film, folder / "world.html")
        decision(film, folder / "grid.html")
        race(film, folder / "world.html")
        browser.driver.quit()
        film.save(target)
    size = target.stat().st_size
    print(f"{target.name}: {len(film.frames)} frames, {size / 1e6:.2f} MB")
    sys.exit(size > MOST)


if __name__ == "__main__":
    main()
