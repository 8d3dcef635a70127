/* engine.js: the library inside the page, asked from the page.
 *
 * The command `sonde` runs in a worker, over files in memory that stay until they are replaced. What
 * one asks for is a promise; requests are answered one after the other.
 *
 *     engine.here()                    whether this page was built with the engine (make page)
 *     engine.run(words, files, read)   runs a command, as `engine.run(["plan", "world.json", "--json"],
 *                                      {"world.json": text})`. Its answer is
 *                                      {status, out, err, files}: the exit status (0 done, 2 wrong usage,
 *                                      3 bad input, 4 too large), what went to standard output and standard
 *                                      error, and the text of those files in `read` that it wrote, as
 *                                      ["path.svg"]. graph, model, efe, embed, cluster, plan and simulate are
 *                                      there, with every option; `help` is, too.
 *     engine.json(words, files)        the same with --json added: the document, parsed, as docs/formats.md
 *                                      has it; an Error with the command's own sentence if it failed
 *     engine.map(words, files)         `sonde cluster` on these words, FILE first, as numbers (no JSON: there
 *                                      may be 10^5 of them). The answer is {status, out, err, map}; map has
 *                                      typed arrays. For each distinct row of the embedding: xy (two numbers:
 *                                      the plane in which rows vary most), weight (how many policies it
 *                                      stands for), first (the lowest of them). For each policy: rowOf, efe (G),
 *                                      action (the first), cluster. Of clusters: representative (a policy).
 *                                      share: of the variance, in two directions. actions: what the first
 *                                      actions are called, by number.
 *     engine.policy(i)                 policy i of the last map, as `sonde efe --steps --json` lists it
 *     engine.nearest(i, n)             the n distinct rows nearest to that of policy i: [[row, distance], ...]
 *     engine.layout(file, files)       where the library draws the nodes of a world: x and y of each, about 1
 *                                      between joined ones, y down; null if it is no graph world
 *     engine.latest(key, make)         make() is called when its turn comes, unless something newer of the
 *                                      same key has been asked for meanwhile: then the answer is null. For
 *                                      whatever follows the pointer. What has taken long by then is given up.
 *     engine.stop()                    gives up what is under way and what waits: every open promise is
 *                                      rejected, and a new worker starts with the same files
 *     engine.stopped(error)            whether a promise was rejected by that
 *     engine.working(listen)           calls back with true when one waits for an answer longer than a moment,
 *                                      and with false when nobody does any more
 *
 * A request that breaks the engine (no memory) is rejected with a sentence, and a new worker starts, without
 * the files that came with it.
 */

import { unpack } from "./packed.js";
import { typed } from "./share.js";

/* the most that one command may hold: WebAssembly has 2 GB at most, and a phone less */
const MEMORY = "1G";
/* the exit status of what needs more */
const TOO_LARGE = 4;
/* milliseconds: a moment, and what is long for something that is out of date */
const [MOMENT, LONG] = [400, 2000];
const STOPPED = "stopped before it was done";

/** @type {Promise<Worker> | null} */
let worker = null;
/* the same, once it runs */
/** @type {Worker | null} */
let running = null;
/** @type {Record<string, string | Uint8Array>} */
let kept = {};
let number = 0;
/** @type {Map<number, {request: any, resolve: (answer: any) => void, reject: (error: Error) => void}>} */
const open = new Map();
/** @type {Map<string, number>} */
const newest = new Map();
/** @type {Promise<any>} */
let last = Promise.resolve();
/* how many of these are open */
let waiting = 0;
/* how often somebody has stopped it */
let stops = 0;
/** @type {(busy: boolean) => void} */
let told = () => undefined;
let moment = 0;

/** @param {(busy: boolean) => void} listen */
export const working = (listen) => { told = listen; };

/** Says that one waits, or no longer. */
function tell() {
    if (open.size === 0) {
        clearTimeout(moment);
        moment = 0;
        told(false);
    } else {
        moment ||= window.setTimeout(() => told(true), MOMENT);
    }
}

/** @param {string} id */
const part = (id) => document.getElementById(id)?.textContent?.trim() ?? "";

export const here = () => part("engine") !== "";

/** Rejects what is open, or the first of it alone, which is under way.
 * @param {string} sentence @param {boolean} [all] */
function giveUp(sentence, all = true) {
    worker?.then((one) => one.terminate());
    worker = running = null;
    for (const [id, { reject }] of Array.from(open).slice(0, all ? undefined : 1)) {
        open.delete(id);
        reject(new Error(sentence));
    }
    tell();
    open.forEach((_, id) => post(id));
}

export function stop() {
    stops++;
    giveUp(STOPPED);
}

/** @param {any} error */
export const stopped = (error) => error.message === STOPPED;

async function start() {
    const script = await unpack(part("worker")).blob();
    const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    const made = new Worker(address);
    URL.revokeObjectURL(address);
    made.onmessage = ({ data }) => {
        if (data.broken !== undefined) {
            giveUp(`the engine gave up (${data.broken}): this is too large for the page`);
        }
        open.get(data.id)?.resolve(data.answer);
        open.delete(data.id);
        tell();
    };
    made.onerror = (event) => {
        event.preventDefault();
        giveUp(`the engine did not start: ${event.message}`);
    };
    made.postMessage({ engine: part("engine") });
    return made;
}

/** Sends an open request to the worker; to a new one, with all files.
 * @param {number} id */
function post(id) {
    const { request, reject } = /** @type {any} */ (open.get(id));
    const fresh = worker === null;
    const asked = (worker ??= start());
    const message = { ...request, files: fresh ? { ...kept, ...request.files } : request.files, id };
    if (running) {
        running.postMessage(message); // at once: it works while the page draws
    } else {
        asked.then((to) => { running = worker === asked ? to : null; to.postMessage(message); }, reject);
    }
}

/**
 * @param {any} request
 * @returns {Promise<any>}
 */
function ask(request) {
    const id = ++number;
    return new Promise((resolve, reject) => {
        const done = (/** @type {any} */ answer) => {
            kept = { ...kept, ...request.files }; // it did not break on them
            resolve(answer);
        };
        open.set(id, { request, resolve: done, reject });
        tell();
        post(id);
    });
}

/** @param {string[]} words */
const limited = (words) => (words.includes("--memory") ? words : [...words, "--memory", MEMORY]);

/** @typedef {Record<string, string | Uint8Array>} Files */

/**
 * @param {string[]} words
 * @param {Files} [files]
 * @param {string[]} [read]
 * @returns {Promise<Ran>}
 */
export const run = (words, files, read) =>
    ask({ call: "run", words: words[0] === "help" ? words : limited(words), files, read });

/**
 * @param {string[]} words
 * @param {Files} [files]
 * @returns {Promise<any>}
 */
export async function json(words, files) {
    const ran = await run([...words, "--json"], files);
    if (ran.status !== 0) {
        throw new Error(ran.status === TOO_LARGE ? `${ran.err.trim()}. It is too large for the page; run: ${typed(words)}` : ran.err.trim());
    }
    const document = JSON.parse(ran.out);
    return document.command ? { ...document, command: document.command.replace(` --memory ${MEMORY}`, "").replace(" --brief", "") } : document;
}

/**
 * @param {string[]} words
 * @param {Files} [files]
 * @returns {Promise<Ran & {map?: PolicyMap}>}
 */
export const map = (words, files) => ask({ call: "map", words: limited(words), files });

/** @param {number} policy */
export const policy = (policy) => ask({ call: "policy", policy });

/**
 * @param {number} policy
 * @param {number} n
 * @returns {Promise<[number, number][]>}
 */
export const nearest = (policy, n) => ask({ call: "nearest", policy, n });

/**
 * @param {string} file
 * @param {Files} [files]
 * @returns {Promise<Float64Array | null>}
 */
export const layout = (file, files) => ask({ call: "layout", file, files });

/**
 * @template T
 * @param {string} key
 * @param {() => Promise<T>} make
 * @returns {Promise<T | null>}
 */
export function latest(key, make) {
    const mine = (newest.get(key) ?? 0) + 1;
    const before = stops;
    newest.set(key, mine);
    const old = () => newest.get(key) !== mine;
    const begin = async () => {
        let gone = false;
        const watch = setInterval(() => {
            if (old()) {
                gone = true;
                giveUp(STOPPED, false);
            }
        }, LONG);
        try {
            const answer = await make();
            return gone ? null : answer;
        } catch (error) {
            if (old()) {
                return null;
            }
            throw error;
        } finally {
            clearInterval(watch);
        }
    };
    const made = waiting === 0 ? begin() : last.then(() => (old() || before !== stops ? null : begin()));
    waiting++;
    last = made.catch(() => null).then(() => { waiting--; });
    return made;
}
