/* model_view.js: a general model: what is believed of each factor, and A, B and C as heat maps. */
import palette from "./palette.json";
import { bars } from "./decision_view.js";
import { h, s } from "./dom.js";
import * as engine from "./engine.js";
import { cut, isolated, short } from "./words.js";

/* rows and columns of a heat map that can be told apart, and maps that one looks at */
const [MOST, MAPS] = [64, 24];
/* actions of an array that have a map each */
const EACH = 8;

/**
 * @param {any} about
 * @param {number[][]} belief of each factor
 */
export function beliefBars(about, belief) {
    return h("div", { class: "facets beliefs" }, ...belief.map((states, f) => {
        const factor = about.names?.factors?.[f];
        const rows = states.map((value, i) => ({ words: String(factor?.states?.[i] ?? i), value, chosen: value === Math.max(...states) }));
        const most = rows.slice().sort((a, b) => b.value - a.value).slice(0, 12);
        return h("fieldset", {}, h("legend", {}, String(factor?.name ?? `factor ${f}`)), bars(rows.length > 12 ? most : rows, `Belief of ${factor?.name ?? `factor ${f}`}`));
    }));
}

/** An array of a document as nested lists or entries: one list of all numbers, and its shape.
 * @param {any} array */
function dense(array) {
    if (!Array.isArray(array)) {
        const { shape, entries } = array;
        const value = new Float64Array(shape.reduce((/** @type {number} */ a, /** @type {number} */ b) => a * b, 1));
        for (const entry of entries) {
            value[shape.reduce((/** @type {number} */ at, /** @type {number} */ n, /** @type {number} */ i) => at * n + entry[i], 0)] = entry[shape.length];
        }
        return { shape, value };
    }
    const shape = [];
    for (let part = array; Array.isArray(part); part = part[0]) {
        shape.push(part.length);
    }
    return { shape, value: Float64Array.from(/** @type {number[]} */ (array.flat(shape.length))) };
}

/** A table of numbers: `row` and `column` say what is there.
 * @typedef {{title: string, rows: number, columns: number, at: (r: number, c: number) => number, row: (r: number) => string, column: (c: number) => string}} Heat */

/** @param {Heat} heat */
function heatMap({ title, rows, columns, at, row, column }) {
    const size = Math.max(6, Math.min(20, 240 / Math.max(rows, columns)));
    const named = (/** @type {number} */ n, /** @type {(i: number) => string} */ name, /** @type {number} */ most) => (n <= 16 && size >= 12 ? Array.from({ length: n }, (_, i) => cut(name(i), most)) : []);
    const [left, below] = [rows > 1 ? named(rows, row, 12) : [], named(columns, column, 24)].map((list) => ({ list, room: Math.max(0, ...list.map((one) => 6.4 * one.length + 8)) }));
    let [low, high] = [0, 0];
    for (let i = 0; i < rows * columns; i++) {
        const value = at(Math.floor(i / columns), i % columns);
        [low, high] = [Math.min(low, value), Math.max(high, value)];
    }
    const cells = Array.from({ length: rows * columns }, (_, i) => {
        const [r, c] = [Math.floor(i / columns), i % columns];
        return s("rect", { x: left.room + c * size, y: r * size, width: size, height: size, fill: palette.series[1], "fill-opacity": (at(r, c) - low) / (high - low || 1) },
            s("title", {}, `${title}: ${row(r)}, ${column(c)}: ${short(at(r, c))}`));
    });
    const words = { "text-anchor": "end", "font-size": 11, fill: "currentColor" };
    const names = [...left.list.map((one, r) => s("text", { ...words, x: left.room - 6, y: r * size + size / 2 + 4 }, one)),
        ...below.list.map((one, c) => s("text", { ...words, transform: `translate(${left.room + c * size + size / 2 + 4} ${rows * size + 6}) rotate(-90)` }, one))];
    const [width, height] = [left.room + columns * size, rows * size + below.room];
    return h("figure", { class: "half" }, s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", class: "heat-map", color: "currentColor",
        "aria-label": `${title}, ${rows} by ${columns}, from ${short(low)} to ${short(high)}` }, s("rect", { x: left.room, width: columns * size, height: rows * size, fill: "var(--tint)", stroke: "var(--line)" }), ...names, ...cells),
    h("figcaption", {}, title, h("br", {}), low === high ? `${short(low)} everywhere` : `${short(low)} (pale) to ${short(high)} (blue)`));
}

/** @param {any} model a document @returns {Heat[]} */
function mapsOf(model) {
    const name = (/** @type {any} */ list, /** @type {number} */ i, /** @type {string} */ noun) => list[i]?.name ?? `${noun} ${i}`;
    const one = (/** @type {any} */ names, /** @type {number} */ i) => isolated(String(Array.isArray(names) ? names[i] : i));
    const outcome = (/** @type {number} */ m) => (/** @type {number} */ o) => one(model.modalities[m]?.outcomes, o);
    // a column is a state of each factor that it depends on, the last of them first to change
    const joint = (/** @type {(number | string)[]} */ factors, /** @type {number[]} */ sizes) => (/** @type {number} */ c) => {
        const words = [];
        for (let i = sizes.length - 1; i >= 0; i--) {
            const factor = model.factors.find((/** @type {any} */ f, /** @type {number} */ number) => number === factors[i] || f.name === factors[i]);
            words.unshift(one(factor?.states, c % sizes[i]));
            c = Math.floor(c / sizes[i]);
        }
        return words.join(", ");
    };
    // a tuple of actions has one of each factor, those that have a choice are named
    const controlled = model.factors.map((/** @type {any} */ f, /** @type {number} */ i) => ({ names: f.actions, n: Array.isArray(f.actions) ? f.actions.length : f.actions ?? 1, i }));
    const tuple = (/** @type {number} */ u) => {
        const words = [];
        for (const { names, n } of controlled.slice().reverse()) {
            words.unshift(n > 1 ? String(Array.isArray(names) ? names[u % n] : `action ${u % n}`) : "");
            u = Math.floor(u / n);
        }
        return words.filter((one) => one !== "").join(" / ") || "action 0";
    };
    const every = model.factors.map((/** @type {any} */ _, /** @type {number} */ f) => f);
    const A = model.A.flatMap((/** @type {any} */ array, /** @type {number} */ m) => {
        const { shape, value } = dense(array);
        const factors = model.modalities[m]?.factors ?? every;
        const actions = shape.length > 1 + factors.length ? shape[shape.length - 1] : 1; // that led to the state
        const columns = value.length / shape[0] / actions;
        return Array.from({ length: Math.min(actions, EACH) }, (_, u) => ({ title: `A, ${name(model.modalities, m, "modality")}${actions > 1 ? `, after ${tuple(u)}` : ""}: outcomes by states`, rows: shape[0], columns,
            row: outcome(m), column: joint(factors, shape.slice(1, 1 + factors.length)), at: (/** @type {number} */ r, /** @type {number} */ c) => value[(r * columns + c) * actions + u] }));
    });
    const B = model.B.flatMap((/** @type {any} */ array, /** @type {number} */ f) => {
        const { shape, value } = dense(array);
        const actions = shape[shape.length - 1];
        const columns = value.length / shape[0] / actions;
        return Array.from({ length: Math.min(actions, EACH) }, (_, u) => ({ title: `B, ${name(model.factors, f, "factor")}, ${model.factors[f]?.actions?.[u] ?? `action ${u}`}: next by previous`,
            rows: shape[0], columns, row: (/** @type {number} */ r) => one(model.factors[f]?.states, r), column: joint(model.factors[f]?.depends ?? [f], shape.slice(1, -1)),
            at: (/** @type {number} */ r, /** @type {number} */ c) => value[(r * columns + c) * actions + u] }));
    });
    const C = model.C.map((/** @type {any} */ array, /** @type {number} */ m) => {
        const { shape, value } = dense(array);
        const columns = shape[shape.length - 1];
        return { title: `C, ${name(model.modalities, m, "modality")}: by outcome`, rows: value.length / columns, columns, row: (/** @type {number} */ r) => `step ${r + 1}`, column: outcome(m),
            at: (/** @type {number} */ r, /** @type {number} */ c) => value[r * columns + c] };
    });
    const costs = (model.action_cost ? [model.action_cost] : []).map((array) => {
        const { shape, value } = dense(array);
        const columns = shape[shape.length - 1];
        return { title: "Cost of actions: states by actions", rows: value.length / columns, columns, row: joint(every, shape.slice(0, -1)), column: tuple, at: (/** @type {number} */ r, /** @type {number} */ c) => value[r * columns + c] };
    });
    return [...A, ...C, ...costs, ...B];
}

/** A, B and C of the model in a file.
 * @param {string} file */
export async function modelTables(file) {
    const { status, out, err } = await engine.run(["model", file, "-o", "-"]);
    if (status !== 0) {
        return h("p", { class: "note" }, err);
    }
    const maps = mapsOf(JSON.parse(out));
    const small = maps.filter((map) => map.rows <= MOST && map.columns <= MOST).slice(0, MAPS);
    return h("details", { open: true }, h("summary", {}, "A, B and C"), h("div", { class: "maps" }, ...small.map(heatMap)),
        small.length < maps.length ? h("p", { class: "small" }, `${maps.length - small.length} more, or too large to be drawn: sonde model ${file} -o - has all numbers.`) : null);
}
