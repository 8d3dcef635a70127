/* model_view.js: a general model: what is believed of each factor, and A, B and C as heat maps. */
import palette from "./palette.json";
import { bars } from "./decision_view.js";
import { h, s } from "./dom.js";
import * as engine from "./engine.js";
import { short } from "./words.js";

/* rows and columns of a heat map that can be told apart, and maps that one looks at */
const [MOST, MAPS] = [64, 24];

/**
 * @param {any} about
 * @param {number[][]} belief of each factor
 */
export function beliefBars(about, belief) {
    return h("div", { class: "facets" }, ...belief.map((states, f) => {
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

/**
 * @param {string} title
 * @param {number} rows
 * @param {number} columns
 * @param {(row: number, column: number) => number} at
 */
function heatMap(title, rows, columns, at) {
    const size = Math.max(6, Math.min(20, 240 / Math.max(rows, columns)));
    let [low, high] = [0, 1];
    for (let i = 0; i < rows * columns; i++) {
        const value = at(Math.floor(i / columns), i % columns);
        [low, high] = [Math.min(low, value), Math.max(high, value)];
    }
    const cells = Array.from({ length: rows * columns }, (_, i) => {
        const [r, c] = [Math.floor(i / columns), i % columns];
        return s("rect", { x: c * size, y: r * size, width: size, height: size, fill: palette.series[0], "fill-opacity": (at(r, c) - low) / (high - low || 1) },
            s("title", {}, `${title}: row ${r}, column ${c}: ${short(at(r, c))}`));
    });
    return h("figure", { class: "half" }, s("svg", { viewBox: `0 0 ${columns * size} ${rows * size}`, width: columns * size, height: rows * size, role: "img", class: "heat-map",
        "aria-label": `${title}, ${rows} by ${columns}` }, s("rect", { width: columns * size, height: rows * size, fill: "var(--tint)" }), ...cells), h("figcaption", {}, title));
}

/** @param {any} model a document */
function mapsOf(model) {
    const name = (/** @type {any} */ list, /** @type {number} */ i, /** @type {string} */ noun) => list[i]?.name ?? `${noun} ${i}`;
    const A = model.A.map((/** @type {any} */ array, /** @type {number} */ m) => {
        const { shape, value } = dense(array);
        return { title: `A, ${name(model.modalities, m, "modality")}: outcomes by states`, rows: shape[0], columns: value.length / shape[0],
            at: (/** @type {number} */ r, /** @type {number} */ c) => value[r * (value.length / shape[0]) + c] };
    });
    const B = model.B.flatMap((/** @type {any} */ array, /** @type {number} */ f) => {
        const { shape, value } = dense(array);
        const actions = shape[shape.length - 1];
        const columns = value.length / shape[0] / actions;
        return Array.from({ length: Math.min(actions, 8) }, (_, u) => ({ title: `B, ${name(model.factors, f, "factor")}, ${model.factors[f]?.actions?.[u] ?? `action ${u}`}: next by previous`,
            rows: shape[0], columns, at: (/** @type {number} */ r, /** @type {number} */ c) => value[(r * columns + c) * actions + u] }));
    });
    const C = model.C.map((/** @type {any} */ array, /** @type {number} */ m) => {
        const { shape, value } = dense(array);
        const columns = shape[shape.length - 1];
        return { title: `C, ${name(model.modalities, m, "modality")}: by outcome`, rows: value.length / columns, columns, at: (/** @type {number} */ r, /** @type {number} */ c) => value[r * columns + c] };
    });
    return [...A, ...C, ...B];
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
    return h("details", { open: true }, h("summary", {}, "A, B and C"), h("div", { class: "maps" }, ...small.map((map) => heatMap(map.title, map.rows, map.columns, map.at))),
        small.length < maps.length ? h("p", { class: "small" }, `${maps.length - small.length} more, or too large to be drawn: sonde model ${file} -o - has all numbers.`) : null);
}
