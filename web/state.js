/* state.js: what the address holds. Everything that a reader chose is in it, so that a link shows
 * the same; a choice that is the default is left out. */

import { choice } from "./dom.js";

/** @type {Record<string, string>} */
const defaults = {};
/* who is called when something has changed, and the keys that concern them; null: all */
/** @type {Map<() => void, Set<string> | null>} */
const listeners = new Map();
/* the keys that are being read, where somebody wants to know */
/** @type {Set<string> | null} */
let reading = null;

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
export function get(key) {
    reading?.add(key);
    return current[key] ?? defaults[key] ?? "";
}

/** All keys that somebody chose. */
export const keys = () => Object.keys(current);

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
        elsewhere ||= (next.get("screen") ?? defaults.screen) !== get("screen");
        if (location.protocol !== "about:" && !writing) {
            writing = true;
            setTimeout(write); // the address comes after what follows from it
        }
    }
    renew();
}

let writing = false;
/* whether that is another screen, from which one comes back */
let elsewhere = false;

function write() {
    if (elsewhere) {
        history.pushState(null, "", `#${hash}`);
    } else {
        history.replaceState(null, "", `#${hash}`);
    }
    writing = elsewhere = false;
}

/** Reads the address, and calls those whom it concerns. */
function renew() {
    const before = current;
    current = read();
    const other = Object.keys({ ...before, ...current }).filter((key) => before[key] !== current[key]);
    Array.from(listeners).forEach(([listen, keys]) => (keys === null || other.some((key) => keys.has(key)) ? listen() : undefined));
}

/**
 * Calls a function whenever the state has changed, or, where there are keys, one of these.
 * @param {() => void} listen
 * @param {string[]} [keys]
 */
export function changed(listen, keys) {
    listeners.set(listen, keys ? new Set(keys) : null);
}

/**
 * Calls a function now, and whenever something has changed that it read when it was last called.
 * @param {() => void} draw
 */
export function follow(draw) {
    const again = () => {
        const outer = reading;
        const keys = reading = new Set();
        draw();
        reading = outer;
        keys.forEach((key) => outer?.add(key));
        listeners.set(again, keys);
    };
    again();
}

addEventListener("hashchange", () => {
    hash = location.hash.replace(/^#/, "");
    renew();
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
    changed(() => { select.value = get(key); }, [key]);
    return made;
}
