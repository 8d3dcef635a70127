/* main.js: the page. Screens are a list; each has a name, says whether there is anything for it to
 * show, and fills a root that is its own. The address says which is open. */
import { button, h } from "./dom.js";
import * as state from "./state.js";
import { studyScreen } from "./study.js";

/** @returns {Summary | null} */
function readStudy() {
    const text = document.getElementById("study")?.textContent?.trim();
    return text ? JSON.parse(text) : null;
}

/** @typedef {{name: string, title: string, keys: [string, string][],
 *     shows: () => boolean, open: (root: HTMLElement) => void, key: (key: string) => boolean}} Screen */

const study = readStudy();
/** @type {Screen[]} */
const screens = [studyScreen(study)].filter((screen) => screen.shows());

/**
 * The list of keys.
 * @param {Screen} screen
 */
function keysDialog(screen) {
    const keys = [["?", "this list"], ["Esc", "close what is open"], ...screen.keys];
    const dialog = /** @type {HTMLDialogElement} */ (h("dialog", { "aria-label": "Keys", class: "keys" },
        h("h2", {}, "Keys"), h("dl", {}, ...keys.flatMap(([key, does]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, does)])),
        button("Close", () => dialog.close())));
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
}

function start() {
    const root = /** @type {HTMLElement} */ (document.getElementById("app"));
    const screen = screens.find((one) => one.name === state.get("screen")) ?? screens[0];
    if (screen === undefined) {
        root.append(h("main", {}, h("h1", {}, "Sonde"), h("p", {},
            "There is nothing in this page yet: sonde report STUDY.sqlite -o FOLDER puts a study into it.")));
        return;
    }
    state.usual("screen", screens[0].name);
    const main = h("main", {});
    if (screens.length > 1) {
        root.append(h("nav", { "aria-label": "Screens", class: "screens" }, ...screens.map((one) =>
            h("a", { href: `#screen=${one.name}`, "aria-current": one === screen ? "page" : null }, one.title))));
    }
    root.append(main);
    screen.open(main);
    addEventListener("keydown", (event) => {
        const at = /** @type {HTMLElement} */ (event.target);
        if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(at.tagName)) {
            return;
        }
        if (event.key === "?" && document.querySelector("dialog[open]") === null) {
            keysDialog(screen);
            event.preventDefault();
        } else if (screen.key(event.key)) {
            event.preventDefault();
        }
    });
}

start();
