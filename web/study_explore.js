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
 * Whether a cell passes what was chosen, but for one facet.
 * @param {Cells} cells
 * @param {Cell} cell
 * @param {string} [but]
 */
const passes = (cells, cell, but) => FACETS.every((facet) => facet === but || state.get(`x-${facet}`) === ""
    || state.get(`x-${facet}`).split("|").includes(facetOf(cells, cell, facet)));

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
    const facet = (/** @type {string} */ name) => {
        const counts = new Map();
        for (const cell of all.filter((one) => passes(cells, one, name))) {
            counts.set(facetOf(cells, cell, name), (counts.get(facetOf(cells, cell, name)) ?? 0) + cell.runs);
        }
        const names = [...new Set(all.map((cell) => facetOf(cells, cell, name)))];
        const chosen = state.get(`x-${name}`).split("|").filter(Boolean);
        return names.length < 2 ? null : h("fieldset", {}, h("legend", {}, name), ...names.map((one) => {
            const box = /** @type {HTMLInputElement} */ (h("input", { type: "checkbox", "data-facet": `${name} ${one}`, onchange: () => {
                const next = box.checked ? [...chosen, one] : chosen.filter((other) => other !== one);
                state.set({ [`x-${name}`]: next.join("|") });
            } }));
            box.checked = chosen.includes(one);
            return h("label", {}, box, ` ${one} `, h("small", {}, grouped(counts.get(one) ?? 0)));
        }));
    };
    const draw = () => {
        const held = facets.contains(document.activeElement) ? document.activeElement?.getAttribute("data-facet") : null;
        const by = state.get("x-sort");
        const found = all.filter((cell) => passes(cells, cell));
        const column = columns.find(([name]) => name === by);
        if (column) {
            found.sort((a, b) => (Number.isFinite(column[1](b)) ? column[1](b) : -Infinity) - (Number.isFinite(column[1](a)) ? column[1](a) : -Infinity));
        }
        facets.replaceChildren(.../** @type {Node[]} */ (FACETS.map(facet).filter(Boolean)));
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
    state.changed(draw);
    draw();
    return [h("p", {}, "Choose what to see; counts are runs. Every row opens its worlds."), facets, place];
}
