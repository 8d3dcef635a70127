/* state.js: what the address holds. Everything that a reader chose is in it, so that a link shows
 * the same; a choice that is the default is left out. */

import { choice } from "./dom.js";

/** @type {Record<string, string>} */
const defaults = {};
/** @type {Set<() => void>} */
const listeners = new Set();

/* what stands after # in the address; inside another page there is none to write to */
let hash = location.hash.replace(/^#/, "") || (document.getElementById("file")?.dataset.state ?? "");

function read() {
    const found = /** @type {Record<string, string>} */ ({});
    for (const [key, value] of new URLSearchParams(hash)) {
        found[key] = value;
    }
    return found;
}

let current = read();

/**
 * @param {string} key
 */
export const get = (key) => current[key] ?? defaults[key] ?? "";

/**
 * Says what a key means where nobody chose.
 * @param {string} key
 * @param {string} value
 */
export function usual(key, value) {
    defaults[key] = value;
}

/**
 * Sets keys; null takes one away.
 * @param {Record<string, string | null>} changes
 */
export function set(changes) {
    const next = new URLSearchParams();
    for (const [key, value] of Object.entries({ ...current, ...changes })) {
        if (value !== null && value !== "" && value !== defaults[key]) {
            next.set(key, value);
        }
    }
    if (hash !== next.toString()) {
        hash = next.toString();
        if (location.protocol !== "about:") {
            history.replaceState(null, "", `#${hash}`);
        }
    }
    current = read();
    listeners.forEach((listen) => listen());
}

/**
 * Calls a function whenever the state has changed.
 * @param {() => void} listen
 */
export function changed(listen) {
    listeners.add(listen);
}

addEventListener("hashchange", () => {
    hash = location.hash.replace(/^#/, "");
    current = read();
    listeners.forEach((listen) => listen());
});

/**
 * A choice that is kept in the address under a key, and follows it.
 * @param {string} label
 * @param {string} key
 * @param {(string | [string, string])[]} options
 */
export function choose(label, key, options) {
    const made = choice(label, get(key), options, (value) => set({ [key]: value }));
    const select = /** @type {HTMLSelectElement} */ (made.querySelector("select"));
    changed(() => { select.value = get(key); });
    return made;
}
