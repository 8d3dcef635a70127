"""Chromium, as the tests of the page use it."""
import json
import re
import shutil
import time

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement


class Steady(WebElement):
    """An element that is looked for again where the page has been drawn anew meanwhile."""

    def __init__(self, driver, number, selector):
        super().__init__(driver, number)
        self.selector = selector

    def again(self, ask):
        for _ in range(20):
            try:
                return ask()
            except StaleElementReferenceException:
                time.sleep(0.05)
                self._id = self.parent.find_element(By.CSS_SELECTOR, self.selector).id
        return ask()

    def _execute(self, command, params=None):
        # the command puts the number of the element into what it is given
        return self.again(lambda: super(Steady, self)._execute(command, dict(params or {})))

    def get_attribute(self, name):
        return self.again(lambda: super(Steady, self).get_attribute(name))

    def is_displayed(self):
        return self.again(super().is_displayed)


class Browser:
    """Chromium without a way out, and what it says."""

    def __init__(self, downloads):
        options = Options()
        for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                     "--disable-background-networking", "--proxy-server=127.0.0.1:9"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")),
                                       options=options)
        self.downloads = downloads
        self.driver.execute_cdp_cmd("Browser.setDownloadBehavior",
                                    {"behavior": "allow", "downloadPath": str(downloads)})

    def open(self, page, width=1280, scheme="light", hash="", ratio=1):
        self.driver.get("about:blank")
        self.driver.get_log("browser")
        self.driver.get_log("performance")
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": 900, "deviceScaleFactor": ratio, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.driver.get((page / "index.html" if page.is_dir() else page).as_uri() + hash)
        # the page's script is unpacked first; a page without one is there at once
        self.until("""return !document.getElementById('app')
            || document.getElementById('app').childElementCount > 0""")
        self.settle()
        return self

    def settle(self):
        """Until two frames have gone by: observers of sizes have been called, charts drawn."""
        self.driver.execute_async_script(
            "requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")

    def until(self, script, *arguments, seconds=20):
        """Waits until a script gives something that is true, and returns that."""
        for _ in range(int(seconds / 0.02)):
            found = self.driver.execute_script(script, *arguments)
            if found:
                return found
            time.sleep(0.02)
        raise AssertionError(f"it never happened: {script}")

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return Steady(self.driver, self.driver.find_element(By.CSS_SELECTOR, selector).id, selector)

    def press(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()
        self.settle()

    def saved(self, name):
        path = self.downloads / name
        for _ in range(100):
            if path.exists() and path.stat().st_size > 0:
                return path
            time.sleep(0.05)
        raise AssertionError(f"{name} was not saved")

    def assert_quiet(self):
        said = self.driver.get_log("browser")
        assert said == [], said
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                assert re.match(r"file:|data:|blob:|about:", url), url


# text that is too faint: what it says, and how it contrasts
CONTRAST = """
const channel = (c) => { c /= 255;
    return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
const rgba = (colour, under) => { canvas.fillStyle = under; canvas.fillRect(0, 0, 1, 1);
    canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3); };
const page = getComputedStyle(document.body).backgroundColor;
const bad = [];
for (const element of document.querySelectorAll("#app *")) {
    const held = element.placeholder && !element.value;
    const words = held ? element.placeholder : [...element.childNodes]
        .filter((n) => n.nodeType === 3 && n.data.trim()).map((n) => n.data).join("");
    if (!words || element.checkVisibility && !element.checkVisibility()) { continue; }
    const style = getComputedStyle(element);
    let under = page, at = element;
    while (at && getComputedStyle(at).backgroundColor.match(/, 0\\)$/)) { at = at.parentElement; }
    if (at) { under = getComputedStyle(at).backgroundColor; }
    let ink = element instanceof SVGElement ? style.fill
        : getComputedStyle(element, held ? "::placeholder" : null).color;
    if (element instanceof SVGElement) {
        const circle = element.previousElementSibling;
        if (circle && circle.tagName === "circle") { under = getComputedStyle(circle).fill; }
    }
    const [a, b] = [light(rgba(ink, "#fff")), light(rgba(under, page))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) { bad.push(`${words.slice(0, 30)} ${ink} on ${under}: ${ratio.toFixed(2)}`); }
}
return bad.slice(0, 10);
"""
