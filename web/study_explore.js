/* study_explore.js: facets over all conditions: what there is, how many runs, and what they gave.
 *
 * Free choices show counts and means over runs; intervals are those of single cells, which the
 * library worked out. */
import { value } from "./cells.js";
import { button, h } from "./dom.js";
import * as state from "./state.js";
import { csv, saveText } from "./share.js";
import { openCell } from "./study_runs.js";
import { duration, fixed, grouped, plural, short } from "./words.js";

/** @typedef {import("./cells.js").Cells} Cells */

const FACETS = ["group", "search", "scope", "embedding", "k", "n", "semantics", "connect", "action", "place"];
const ROWS = 60;

/**
 * The value of a facet.
 * @param {Cells} cells
 * @param {Cell} cell
 * @param {string} facet
 */
const facetOf = (cells, cell, facet) => String(facet === "place" ? cell.place : /** @type {any} */ (cells.conditionOf(cell))[facet]);

/**
 * What each facet has: its values, and the number of the value of each cell.
 * @param {Cells} cells
 */
function facetsOf(cells) {
    return FACETS.map((name) => {
        /** @type {Map<string, number>} */
        const numbers = new Map();
        const of = Int32Array.from(cells.summary.cells, (cell) => {
            const value = facetOf(cells, cell, name);
            numbers.set(value, numbers.get(value) ?? numbers.size);
            return /** @type {number} */ (numbers.get(value));
        });
        return { name, values: Array.from(numbers.keys()), of };
    });
}

/**
 * Numbers by size; words as they come.
 * @param {string[]} values
 */
const inOrder = (values) => Array.from(values.keys()).sort((a, b) => (values.every((one) => Number.isFinite(Number(one))) ? Number(values[a]) - Number(values[b]) : a - b));

/**
 * The cells that pass what was chosen, and for each value of each facet the runs that would be there with
 * the choices of the others alone.
 * @param {Cell[]} all
 * @param {ReturnType<typeof facetsOf>} facets
 */
function filtered(all, facets) {
    const allowed = facets.map(({ name, values }) => {
        const chosen = state.get(`x-${name}`).split("|").filter(Boolean);
        return chosen.length === 0 ? null : Uint8Array.from(values, (value) => (chosen.includes(value) ? 1 : 0));
    });
    const counts = facets.map(({ values }) => new Float64Array(values.length));
    const found = all.filter((cell, i) => {
        let [misses, missed] = [0, -1];
        for (let f = 0; f < facets.length; f++) {
            if (allowed[f] && !(/** @type {Uint8Array} */ (allowed[f]))[facets[f].of[i]]) {
                [misses, missed] = [misses + 1, f];
            }
        }
        for (let f = 0; f < facets.length && misses < 2; f++) {
            counts[f][facets[f].of[i]] += misses === 0 || missed === f ? cell.runs : 0;
        }
        return misses === 0;
    });
    return { found, counts };
}

/**
 * Columns of the list.
 * @type {[string, (cell: Cell) => number, (v: number) => string][]}
 */
const COLUMNS = [["runs", (cell) => cell.runs, (v) => grouped(v)], ["optimal, %", (cell) => cell.optimal?.[0] ?? NaN, (v) => fixed(v)],
    ["steps", (cell) => value(cell, "steps"), short], ["policies", (cell) => value(cell, "equivalent"), short],
    ["time", (cell) => value(cell, "seconds", "median"), duration], ["total variation", (cell) => value(cell, "tv"), short]];

/**
 * @param {Cells} cells
 */
export function explore(cells) {
    const place = h("div", {});
    const facets = h("div", { class: "facets" });
    const all = cells.summary.cells;
    const columns = COLUMNS.filter(([, of]) => all.some((cell) => Number.isFinite(of(cell))));
    const kinds = facetsOf(cells);
    const box = (/** @type {string} */ name, /** @type {string} */ one, /** @type {string[]} */ chosen, /** @type {number} */ runs) => {
        const made = /** @type {HTMLInputElement} */ (h("input", { type: "checkbox", "data-facet": `${name} ${one}`, onchange: () => {
            state.set({ [`x-${name}`]: (made.checked ? [...chosen, one] : chosen.filter((other) => other !== one)).join("|") });
        } }));
        made.checked = chosen.includes(one);
        return h("label", {}, made, ` ${one === "0" ? "none" : one} `, h("small", {}, grouped(runs)));
    };
    const facet = (/** @type {typeof kinds[0]} */ { name, values }, /** @type {Float64Array} */ counts) => {
        const chosen = state.get(`x-${name}`).split("|").filter(Boolean);
        return values.length < 2 ? null : h("fieldset", {}, h("legend", {}, name), ...inOrder(values).map((v) => box(name, values[v], chosen, counts[v])));
    };
    const draw = () => {
        const held = facets.contains(document.activeElement) ? document.activeElement?.getAttribute("data-facet") : null;
        const by = state.get("x-sort");
        const { found, counts } = filtered(all, kinds);
        const column = columns.find(([name]) => name === by);
        if (column) {
            found.sort((a, b) => (Number.isFinite(column[1](b)) ? column[1](b) : -Infinity) - (Number.isFinite(column[1](a)) ? column[1](a) : -Infinity));
        }
        facets.replaceChildren(.../** @type {Node[]} */ (kinds.map((one, f) => facet(one, counts[f])).filter(Boolean)));
        const runs = found.reduce((n, cell) => n + cell.runs, 0);
        const graph = found.filter((cell) => cell.failures);
        const optimal = graph.reduce((n, cell) => n + (cell.failures?.[0] ?? 0), 0);
        const of = graph.reduce((n, cell) => n + cell.runs, 0);
        const steps = found.reduce((n, cell) => n + cell.runs * value(cell, "steps"), 0) / runs;
        const rows = () => [["label", "place", ...columns.map(([name]) => name)], ...found.map((cell) => [cells.conditionOf(cell).label, cell.place, ...columns.map(([, v]) => v(cell))])];
        place.replaceChildren(h("p", { id: "explored", role: "status" }, `${plural(found.length, "cell")}, ${plural(runs, "run")}${of > 0 ? `, ${grouped(optimal)} optimal: ${fixed(100 * optimal / of)} %` : ""}${Number.isFinite(steps) ? `; ${short(steps)} steps per decision in the mean` : ""}.`),
            h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Cells" }, h("table", {}, h("thead", {}, h("tr", {}, h("th", { class: "w", scope: "col" }, "condition"), h("th", { class: "w", scope: "col" }, "place"),
                ...columns.map(([name]) => h("th", { scope: "col", "aria-sort": by === name ? "descending" : null }, button(by === name ? `${name} ▾` : name, () => state.set({ "x-sort": by === name ? null : name }), { "aria-label": `sort by ${name}` }))))),
            h("tbody", {}, ...found.slice(0, ROWS).map((cell) => h("tr", {}, h("td", { class: "w" }, button(cells.conditionOf(cell).label, () => openCell(cells, cell), { class: "cell" })), h("td", { class: "w" }, cell.place),
                ...columns.map(([, v, words]) => h("td", {}, words(v(cell))))))))),
            found.length > ROWS ? h("p", { class: "small" }, `The first ${ROWS} of ${grouped(found.length)} are listed; the CSV has all.`) : "",
            h("div", { class: "tools" }, button("CSV", () => saveText("cells.csv", csv(rows()), "text/csv"), { "aria-label": "Save the cells as CSV" }),
                button("choose all again", () => state.set(Object.fromEntries(FACETS.map((name) => [`x-${name}`, null]))))));
        if (held) {
            /** @type {HTMLElement | null} */ (facets.querySelector(`[data-facet="${CSS.escape(held)}"]`))?.focus();
        }
    };
    state.follow(draw);
    return [h("p", {}, "Choose what to see; counts are runs. Every row opens its worlds."), facets, place];
}
