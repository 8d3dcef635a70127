/* subject.js: what the screens look at: one world or model, and the options of the commands that are run
 * on it. It comes from the page (sonde view FILE), from a file that somebody dropped, from an example, or is
 * drawn. The address has it, where it is small: `drawn` (nodes.seed), `example`, `edges` (a graph world without
 * names) or `document` (any other file); and each option as `o-NAME`.
 *
 *     loaded()             a number, another one whenever what is looked at is another world, and not this one with changes
 *     current()            {file, data, kind, closed, graph, place, document, error}: its name in the engine and what it
 *                          says; "graph" or "general"; whether it is planned for in closed loop alone; the world as
 *                          `sonde graph --json` has it, and where its nodes are; `sonde graph --json` or
 *                          `sonde model --json`; or the sentence why there is none
 *     refused()            the sentence why what was last asked for by hand was not done; what was there stays
 *     world()              the graph with the start and destination of the options; null in a model
 *     changed(listen)      calls back whenever it, or an option, has changed
 *     needPolicies()       throws a sentence where the model has none that could be looked at
 *     words(verb, more, over)  the command line for it: verb, file, those options that the verb has and that count
 *                          beside the search (all of them, if the verb knows no search), and more, which
 *                          stands in the place of the same option; `over` has options that are others than the address's
 *     ask(verb, more, over)  engine.json of that, the newest of each verb alone: null if it is out of date
 *     load(name, data)     looks at a file, if it is a world or a model; whether it is
 *     unsaved()            whether no disk has it as it is here: it was drawn, pasted, changed, or is an example
 *     setGraph(graph)      looks at another version of the world, if it is one; whether it is
 *     option(name), setOptions({name: value})
 *     controls(names, verb)  an element with a control for each of these options, made from `sonde help --json`; those
 *                          that count in this verb, or, without one, beside the search
 */
import bandit from "../examples/models/bandit.json";
import grid5 from "../examples/models/grid5.json";
import tmaze from "../examples/models/tmaze.json";
import * as engine from "./engine.js";
import { choice, h } from "./dom.js";
import * as state from "./state.js";

export const EXAMPLES = /** @type {Record<string, any>} */ ({ tmaze, bandit, grid5 });
/* a world in which clusters take a detour, and bounded search does not */
const FIRST = "6.30";
/* the searches over policies; others are of plans that wait for what they will see */
export const SEARCHES = ["bounded", "full", "cluster", "beam", "random", "surrogate", "tree"];
/* a decision of least effort */
const LEAST = ["--search", "beam", "--beam", "1", "--horizon", "1"];
/* the most characters of a world that an address takes, and of a file that is packed to see whether it takes it */
const [ADDRESS, PACKED] = [1800, 1e6];
/* the keys of the address that name what is looked at */
const NAMES = ["drawn", "example", "edges", "document"];
const NOTHING = /** @type {Record<string, null>} */ (Object.fromEntries(NAMES.map((key) => [key, null])));

/** @typedef {{file: string, data: string | Uint8Array, kind: "graph" | "general" | null, closed: boolean, graph: Graph | null,
 *     place: Float64Array | null, document: any, error: string | null}} Subject */
/** @type {Subject} */
let subject = { file: "", data: "", kind: null, closed: false, graph: null, place: null, document: null, error: null };
let refusal = "";
/** @type {Set<() => void>} */
const listeners = new Set();
/** @type {Map<string, any[]>} */
const options = new Map();

export const current = () => subject;
export const refused = () => refusal;
/** Whether there is something that a mistake must not take away. */
const holds = () => subject.document !== null && subject.error === null;
/** @param {string} sentence */
function refuse(sentence) {
    refusal = sentence;
    tell();
}
/* what was read from a disk last */
let disk = /** @type {string | Uint8Array | null} */ (null);
export const unsaved = () => subject.data !== disk;
let loads = 0;
export const loaded = () => loads;

/** The world as the options have it: start and destination may be others than the document's.
 * @returns {Graph | null} */
export function world() {
    const { graph } = subject;
    const [start, destination] = ["start", "destination"].map((name) => option(name).split(",").map((word) => (word === "" ? -1 : Number(word))));
    const there = (/** @type {number} */ v) => graph !== null && Number.isInteger(v) && v >= 0 && v < graph.nodes; // the command says what is wrong with others
    return graph && { ...graph, ...(start.length === 2 && start.every(there) ? { start } : {}), ...(there(destination[0]) ? { destination: destination[0] } : {}) };
}

/** @param {() => void} listen */
export const changed = (listen) => { listeners.add(listen); };
export const forget = () => listeners.clear();
/** Calls back everybody who follows. */
export const tell = () => {
    known = named();
    listeners.forEach((listen) => listen());
};

/* a link that somebody follows may name another world */
let known = "";
const named = () => NAMES.map(state.get).join("&");
addEventListener("hashchange", () => {
    if (subject.file !== "") {
        (named() === known ? tell : begin)();
    }
});

/* ---------------------------------------------------------------------------------- options -- */

/** Throws where there are none to look at. */
export function needPolicies() {
    if (subject.closed) {
        throw new Error("This model has a discount and is planned for in closed loop, where there are no policies to look at: World and Decision show its plan.");
    }
}

/** Asks which options there are; before that, commands have none. */
export async function learnOptions() {
    if (options.size === 0) {
        const { out } = await engine.run(["help", "--json"]);
        for (const verb of JSON.parse(out).verbs) {
            options.set(verb.name, verb.groups.flatMap((/** @type {any} */ group) => group.options));
        }
    }
}

/** An option as it was chosen; where open loop is none, closed loop need not be.
 * @param {string} name */
export const option = (name) => state.get(`o-${name}`) || (name === "loop" && subject.closed ? "closed" : "");

/** @param {Record<string, string | null>} values */
export const setOptions = (values) => {
    refusal = "";
    state.set(Object.fromEntries(Object.entries(values).map(([name, value]) => [`o-${name}`, value])));
    tell();
};

const search = () => option("search") || "bounded";

/**
 * @param {any} row
 * @param {string | null} beside the search; null: there is none
 */
const counts = (row, beside) => (row.name !== "backup" || option("loop") === "closed") && (beside === null || row.searches.length === 0 || row.searches.includes(beside))
    && (row.kind === null || row.kind === subject.kind);

/** @param {string} verb */
const knowsSearch = (verb) => (options.get(verb) ?? []).some((row) => row.name === "search");

/** The file as a command takes it: not for an option. */
export const path = (file = subject.file) => (file.startsWith("-") ? `./${file}` : file);

/**
 * @param {string} verb
 * @param {string[]} [more]
 * @param {Record<string, string>} [over]
 */
export function words(verb, more = [], over = {}) {
    // who asks for a search of policies means sequences of actions, whatever the address says
    const open = SEARCHES.includes(over.search ?? "") ? ["loop", "backup"] : [];
    const value = (/** @type {any} */ row) => over[row.name] ?? (open.includes(row.name) ? "" : option(row.name));
    const beside = knowsSearch(verb) ? over.search ?? search() : null;
    const given = (options.get(verb) ?? []).filter((row) => value(row) !== "" && counts(row, beside) && !more.includes(`--${row.name}`))
        .flatMap((row) => (row.value === null ? [`--${row.name}`] : [`--${row.name}`, value(row)]));
    return [verb, path(), ...given, ...more];
}

/**
 * @param {string} verb
 * @param {string[]} [more]
 * @param {Record<string, string>} [over]
 * @returns {Promise<any>}
 */
export const ask = (verb, more = [], over = {}) => engine.latest(`${verb} ${more}`, () => engine.json(words(verb, more, over)));

/**
 * @param {string[]} names
 * @param {string} [verb]
 */
export function controls(names, verb = "plan") {
    const root = h("div", { class: "controls" });
    /** @type {Map<string, HTMLElement>} */
    const made = new Map();
    const draw = () => {
        const beside = knowsSearch(verb) ? search() : null;
        const rows = names.map((name) => Array.from(options.values()).flat().find((row) => row.name === name)).filter((row) => row && counts(row, beside));
        const wanted = rows.map((row) => {
            const closed = row.name === "search" && option("loop") === "closed";
            const key = `${row.name} ${closed}`;
            const one = made.get(key) ?? control(row, closed);
            made.set(key, one);
            const field = /** @type {HTMLInputElement | HTMLSelectElement} */ (one.querySelector("input, select"));
            if (field !== document.activeElement || field.tagName !== "INPUT") {
                field.value = option(row.name) || (closed ? "auto" : field.tagName === "INPUT" ? "" : row.default ?? "");
            }
            return one;
        });
        // what stays is not touched: somebody may be in it
        Array.from(root.children).filter((one) => !wanted.includes(/** @type {HTMLElement} */ (one))).forEach((one) => one.remove());
        wanted.forEach((one, i) => (root.children[i] === one ? undefined : root.insertBefore(one, root.children[i] ?? null)));
    };
    learnOptions().then(draw);
    changed(draw);
    return root;
}

/** A control for an option; for the search in closed loop, which knows others.
 * @param {any} row @param {boolean} closed */
function control(row, closed) {
    const change = (/** @type {string} */ value) => setOptions({ [row.name]: value === (closed ? "auto" : row.default) ? null : value, ...(row.name === "loop" ? { search: null } : {}) });
    if (row.choices.length > 0) {
        const choices = row.choices.map((/** @type {any} */ one) => one.name).filter((/** @type {string} */ one) => row.name !== "search" || (closed ? ["full", "bounded"].includes(one) || !SEARCHES.includes(one) : SEARCHES.includes(one)));
        return choice(row.name, "", row.default === null ? [["", "usual"], ...choices] : choices, change);
    }
    const input = /** @type {HTMLInputElement} */ (h("input", { placeholder: row.default ?? "usual", size: 6, onchange: () => change(input.value.trim()) }));
    return h("label", { class: "choice", title: row.help }, row.name, " ", input);
}

/* ---------------------------------------------------------------------------------- address -- */

/** @param {Graph} graph */
function pack(graph) {
    const edges = graph.edges.map(([a, b, w]) => `${a}-${b}:${w}`).join(",");
    const text = [graph.nodes, graph.start.join("-"), graph.destination, graph.horizon, graph.lambda, graph.idle, edges].join("_");
    return graph.names === undefined && text.length <= ADDRESS ? text : "";
}

/** Any other file, in few letters, with its name before the last star; "" if they are too many.
 * @param {Subject} file */
async function packFile({ file, data }) {
    if (data.length > PACKED) {
        return "";
    }
    const packed = await new Response(new Blob([data]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer();
    const letters = packed.byteLength > ADDRESS ? "" : btoa(String.fromCharCode(...new Uint8Array(packed)));
    return letters.length > ADDRESS ? "" : letters && `${file}*${letters.replace(/[+/=]/g, (one) => ({ "+": "-", "/": "_" })[one] ?? "")}`;
}

/** @param {string} text */
async function unpackFile(text) {
    const [name, letters] = [text.replace(/[*][^*]*$/, ""), text.replace(/^.*[*]/, "")];
    try {
        const packed = new Blob([bytesOf(letters.replace(/[-_]/g, (one) => (one === "-" ? "+" : "/")))]).stream();
        return { name, bytes: new Uint8Array(await new Response(packed.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer()) };
    } catch {
        return { name, bytes: new Uint8Array() }; // the engine says that it is nothing
    }
}

/** The keys by which an address has what is looked at itself.
 * @param {Subject} found
 * @returns {Promise<Record<string, string | null>>} */
async function keysOf(found) {
    const edges = found.graph ? pack(found.graph) : "";
    return { edges: edges || null, document: edges || found.error !== null ? null : await packFile(found) || null };
}

/** What stands after # for all that is looked at, the world or model included, if it is a small one that is not named there. */
export async function address() {
    const more = NAMES.some((key) => state.get(key) !== "") ? {} : await keysOf(subject);
    return new URLSearchParams([...state.keys().map((key) => [key, state.get(key)]), ...Object.entries(more).flatMap(([key, value]) => (value ? [[key, value]] : []))]).toString();
}

/** @param {string} text */
function unpack(text) {
    const [nodes, start, destination, horizon, lambda, idle, edges] = text.split("_");
    if (edges === undefined) {
        return ""; // the engine says that it is nothing
    }
    return documentOf({ nodes: Number(nodes), start: start.split("-").map(Number), destination: Number(destination), horizon: Number(horizon),
        lambda: Number(lambda), idle: Number(idle), edges: edges.split(",").map((edge) => edge.split(/-(.*?):/).map(Number)) }); // a weight may be 1e-7
}

/** @param {any} graph */
const documentOf = (graph) => JSON.stringify({ ...graph, format: "sonde-graph", version: 1 });

/* ------------------------------------------------------------------------------------ files -- */

/**
 * Arrays as pymdp has them, A and B and perhaps C and D, become a model's document; what is one stays.
 * @param {string} text
 */
function fromArrays(text) {
    let given;
    try {
        given = JSON.parse(text);
    } catch {
        return text; // the engine says where
    }
    if (given === null || typeof given !== "object" || given.format !== undefined || !Array.isArray(given.A) || !Array.isArray(given.B)) {
        return text;
    }
    const listed = (/** @type {any} */ one) => (typeof one?.[0] === "number" ? [one] : one); // of one modality, or one factor
    const A = Array.isArray(given.A[0]?.[0]) ? given.A : [given.A];
    const B = Array.isArray(given.B[0]?.[0]?.[0]) ? given.B : [given.B];
    return JSON.stringify({ format: "sonde-model", version: 1, horizon: 2,
        factors: B.map((/** @type {any} */ b) => ({ states: b.length, actions: b[0]?.[0]?.length })),
        modalities: A.map((/** @type {any} */ a) => ({ outcomes: a.length })),
        ...given, A, B, C: listed(given.C) ?? A.map((/** @type {any} */ a) => a.map(() => 0)), D: listed(given.D) ?? B.map((/** @type {any} */ b) => b.map(() => 1 / b.length)) });
}

/**
 * @param {string} file
 * @param {string | Uint8Array} data
 * @returns {Promise<Subject | null>} null if something newer was asked for
 */
const look = (file, data) => engine.latest("subject", async () => {
    const found = /** @type {Subject} */ ({ file, data, kind: null, closed: false, graph: null, place: null, document: null, error: null });
    try {
        const model = await engine.json(["model", path(file)], { [file]: data });
        found.kind = model.kind === "graph" ? "graph" : "general";
        found.document = found.kind === "graph" ? await engine.json(["graph", path(file)]) : model;
        found.closed = found.kind === "general" && (await engine.run(["plan", path(file), ...LEAST])).err.includes("--loop: the model has a discount");
        found.graph = found.document.world ?? null;
        found.place = found.graph ? await engine.layout(file) : null;
    } catch (error) {
        found.error = /** @type {Error} */ (error).message;
        if (holds() && file === subject.file) { // the name is still that of what was there
            await engine.run(["help"], { [file]: subject.data });
        }
    }
    return found;
});

/**
 * @param {string} name
 * @param {string | Uint8Array} data
 * @param {Record<string, string | null>} [address] the keys that stand for it there; without any, the address has it itself
 */
export async function load(name, data, address) {
    const file = name.replace(/^.*[/\\]|^[.]+$/, "") || "world.json";
    const found = await look(file, typeof data === "string" ? fromArrays(data) : data);
    if (found === null) {
        return false;
    }
    if (found.error !== null && address?.at === undefined && holds()) {
        refuse(found.error);
        return false;
    }
    refusal = "";
    const other = found.kind !== subject.kind && subject.kind !== null;
    const chosen = address?.at === undefined; // by hand: what was said of another world is of no use here
    const keys = address ?? await keysOf(found);
    subject = found;
    loads++;
    state.set({ ...NOTHING, at: null, recorded: null, ...(chosen && other ? { "o-embedding": null, "o-scope": null, "o-horizon": null } : {}),
        ...(chosen ? { "o-start": null, "o-destination": null, step: null } : {}), ...keys });
    tell();
    return found.error === null;
}

/** Looks at a file as it lies on a disk.
 * @param {string} name @param {Uint8Array} bytes @param {Record<string, string | null>} [address] */
export async function loadFile(name, bytes, address) {
    const data = /\.npz$|\.gz$/.test(name) ? bytes : new TextDecoder().decode(bytes);
    const before = disk;
    disk = address?.document ? disk : data;
    const good = await load(name, data, address);
    disk = disk === data && subject.data !== data ? before : disk; // it is not what is looked at
    return good;
}

/**
 * Looks at a world of a study, with the options of a run in it, and those alone.
 * @param {string} name
 * @param {string} data
 * @param {Record<string, string>} options
 * @param {string} recorded the path that the run took
 */
export async function loadRun(name, data, options, recorded) {
    await learnOptions();
    if (!await load(name, data)) {
        return;
    }
    const old = Object.fromEntries(state.keys().filter((key) => key.startsWith("o-")).map((key) => [key, null]));
    const given = Object.fromEntries(Object.entries(options).map(([key, value]) => [`o-${key}`, value]));
    state.set({ ...old, ...given, step: null, recorded });
    tell();
}

/**
 * @param {Graph} graph
 * @param {Record<string, string | null>} [more] keys of the address that change with it
 */
export async function setGraph(graph, more = {}) {
    const place = subject.place;
    const found = await look(subject.file, documentOf(graph));
    if (found === null) {
        return false;
    }
    if (found.error !== null) {
        refuse(`It stays as it was; what you asked for is no world: ${found.error}`);
        return false;
    }
    const keys = await keysOf(found);
    const same = place !== null && graph.nodes * 2 === place.length;
    refusal = "";
    subject = { ...found, place: same ? place : found.place };
    loads += same ? 0 : 1;
    state.set({ ...NOTHING, ...more, ...keys });
    tell();
    return true;
}

/**
 * Draws a world.
 * @param {string} drawn nodes.seed
 * @param {Record<string, string>} [more] keys of the address that stay, where the address asks for it
 */
export async function draw(drawn, more) {
    const [nodes, seed] = drawn.split(".");
    const { status, out, err } = await engine.run(["graph", "--nodes", nodes, "--seed", seed || "1", "-o", "-"]);
    if (status === 0) {
        await load("world.json", out, { drawn, ...more });
    } else if (more === undefined && holds()) {
        refuse(err.trim());
    } else {
        subject = { ...subject, error: err.trim() };
        tell();
    }
}

/** @param {string} text base64 */
const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

/** What the address names; else the file inside the page; else a world to play with. */
export async function begin() {
    const inside = document.getElementById("file");
    const example = state.get("example");
    await learnOptions();
    const more = { at: state.get("at"), recorded: state.get("recorded") };
    if (state.get("document") !== "") {
        const { name, bytes } = await unpackFile(state.get("document"));
        await loadFile(name, bytes, { document: state.get("document"), ...more });
    } else if (state.get("edges") !== "") {
        await load("world.json", unpack(state.get("edges")), { edges: state.get("edges"), ...more });
    } else if (EXAMPLES[example]) {
        await load(`${example}.json`, JSON.stringify(EXAMPLES[example]), { example, ...more });
    } else if (state.get("drawn") === "" && inside?.dataset.name) {
        disk = bytesOf(inside.textContent ?? "");
        await load(inside.dataset.name, disk, more);
    } else {
        await draw(state.get("drawn") || FIRST, more);
    }
}
