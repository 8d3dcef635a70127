/* main.js: the page. Screens are a list; each has a name, says whether there is anything for it to
 * show, and fills a root that is its own. The address says which is open. */
import { decisionScreen } from "./decision_screen.js";
import { button, h } from "./dom.js";
import * as engine from "./engine.js";
import { fitScreen } from "./fit_screen.js";
import { learnScreen } from "./learn_screen.js";
import { policiesScreen } from "./policies_screen.js";
import { raceScreen } from "./race_screen.js";
import { recoverScreen } from "./recover_screen.js";
import { replayScreen } from "./replay_screen.js";
import { shareDialog } from "./share_dialog.js";
import * as state from "./state.js";
import { studyScreen } from "./study.js";
import * as subject from "./subject.js";
import { subjectBar } from "./subject_bar.js";
import { worldScreen } from "./world_screen.js";

/** What a report has put into the page: a study's summary, or a document of another verb.
 * @returns {any} */
function readResults() {
    const text = document.getElementById("study")?.textContent?.trim();
    return text ? JSON.parse(text) : null;
}

/** A screen; `subject` ones look at a world or a model (subject.js), and need the engine.
 * @typedef {{name: string, title: string, keys: [string, string][], subject?: boolean,
 *     shows: () => boolean, open: (root: HTMLElement) => void, key: (key: string) => boolean}} Screen */

const results = readResults();
/** @type {Screen[]} */
const all = [studyScreen(results?.format === "sonde-summary" ? results : null), learnScreen(results?.verb === "simulate" ? results : null),
    replayScreen(results?.verb === "replay" ? results : null), fitScreen(results?.format === "sonde-fit" ? results : null), recoverScreen(results), worldScreen, policiesScreen, decisionScreen, raceScreen];
const screens = all.filter((screen) => screen.shows() && (!screen.subject || engine.here()));
/** @type {Screen | undefined} */
let screen;
/** What was opened, of the screens that need not be opened anew.
 * @type {Map<Screen, HTMLElement>} */
const opened = new Map();

/** The list of keys. */
function keysDialog() {
    const keys = [["?", "this list"], ["Esc", "close what is open"], ...(screens.length > 1 ? [["1 – 9", "the screens"]] : []),
        ...(screen?.subject ? [["l", "the address, the command, Python and the citation, to take away"]] : []), ...(screen?.keys ?? [])];
    const dialog = /** @type {HTMLDialogElement} */ (h("dialog", { "aria-label": "Keys", class: "keys" },
        h("h2", {}, "Keys"), h("dl", {}, ...keys.flatMap(([key, does]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, does)])),
        button("Close", () => dialog.close())));
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
}

const share = () => shareDialog(screen?.name === "policies" ? "cluster" : "plan", screen?.name === "world" || screen?.name === "decision");

/** Opens the screen that the address names, unless it is open. */
function show() {
    const wanted = screens.find((one) => one.name === state.get("screen")) ?? screens[0];
    if (wanted === screen) {
        return;
    }
    screen = wanted;
    const root = /** @type {HTMLElement} */ (document.getElementById("app"));
    const main = opened.get(wanted) ?? h("main", { "data-screen": wanted.name });
    subject.forget();
    const chosen = document.activeElement?.closest("nav.screens");
    root.replaceChildren(...(screens.length > 1 ? [h("nav", { "aria-label": "Screens", class: "screens" }, ...screens.map((one) =>
        h("a", { href: `#screen=${one.name}`, "aria-current": one === wanted ? "page" : null, onclick: (/** @type {Event} */ event) => {
            event.preventDefault(); // the rest of the address stays
            state.set({ screen: one.name });
        } }, one.title)), ...(wanted.subject ? [button("share…", share)] : []))] : []), ...(wanted.subject ? [subjectBar()] : []), main);
    if (chosen) {
        /** @type {HTMLElement | null} */ (root.querySelector("nav.screens a[aria-current]"))?.focus();
    }
    if (!opened.has(wanted)) {
        wanted.open(main);
    }
    if (!wanted.subject) {
        opened.set(wanted, main);
    } else if (subject.current().file === "") {
        subject.begin();
    }
}

function start() {
    if (screens.length === 0) {
        document.getElementById("app")?.append(h("main", {}, h("h1", {}, "Sonde"), h("p", {},
            "There is nothing in this page yet: sonde report STUDY.sqlite -o FOLDER puts a study into it, and make page the library itself.")));
        return;
    }
    state.usual("screen", screens[0].name);
    state.changed(show);
    show();
    addEventListener("keydown", (event) => {
        const at = /** @type {HTMLElement} */ (event.target);
        if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(at.tagName)
            || (event.key === " " && at.closest("button, summary, a, [role=button]"))) {
            return; // it is theirs
        }
        if (event.key === "?" && document.querySelector("dialog[open]") === null) {
            keysDialog();
            event.preventDefault();
        } else if (document.querySelector("dialog[open]") === null && screens.length > 1 && screens[Number(event.key) - 1]) {
            state.set({ screen: screens[Number(event.key) - 1].name });
            event.preventDefault();
        } else if (event.key === "l" && screen?.subject && document.querySelector("dialog[open]") === null) {
            share();
            event.preventDefault();
        } else if (screen?.key(event.key)) {
            event.preventDefault();
        }
    });
}

start();
