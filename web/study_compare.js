/* study_compare.js: a study of one's own: what was compared, and how it went, measure by measure.
 *
 * Rows are conditions, columns the models and worlds they ran on; each number opens its runs. */
import { button, h } from "./dom.js";
import { MEASURES, measureOf } from "./figures.js";
import * as state from "./state.js";
import { csv, saveText } from "./share.js";
import { openCell } from "./study_runs.js";
import { counted, duration, fixed, grouped, plural, short } from "./words.js";

/** @typedef {import("./cells.js").Cells} Cells */

/**
 * A number of a measure as people read it.
 * @param {Measure} measure
 * @param {number} v
 */
const worded = (measure, v) => (measure.key === "seconds" ? duration(v) : measure.key === "optimal" || measure.key === "best" ? fixed(v) : short(v));

/**
 * The models, one line each.
 * @param {Cells} cells
 */
export function modelsTable(cells) {
    const models = (cells.summary.models ?? []).filter((model) => model.factors);
    const sizes = (/** @type {{name: string | null}[]} */ list, /** @type {(one: any) => number} */ of) =>
        list.map((one) => (one.name ? `${one.name} (${of(one)})` : String(of(one)))).join(", ");
    return models.length === 0 ? null : h("figure", { class: "table", id: "table-models" },
        h("figcaption", {}, h("b", {}, "The models."), " Factors with the numbers of their states, actions of those that are controlled, modalities with the numbers of their outcomes; T is the length of a policy."),
        h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Models" }, h("table", {},
            h("thead", {}, h("tr", {}, ...["model", "factors", "actions", "modalities"].map((words) => h("th", { class: "w", scope: "col" }, words)),
                ...["T", "policies", "steps", "episodes"].map((words) => h("th", { scope: "col" }, words)))),
            h("tbody", {}, ...models.map((model) => h("tr", {}, h("th", { class: "w", scope: "row" }, model.name),
                h("td", { class: "w" }, sizes(model.factors ?? [], (one) => one.states)),
                h("td", { class: "w" }, sizes((model.factors ?? []).filter((one) => one.actions > 1), (one) => one.actions)),
                h("td", { class: "w" }, sizes(model.modalities ?? [], (one) => one.outcomes)),
                h("td", {}, model.horizon ?? ""), h("td", {}, counted(model.policies)), h("td", {}, grouped(model.steps)),
                h("td", {}, grouped(cells.summary.worlds.filter((world) => world.size < 0 && cells.summary.study.models[-1 - world.size] === model.name).length))))))));
}

/**
 * The table of one measure, which the reader chooses.
 * @param {Cells} cells
 */
export function comparison(cells) {
    const own = cells.own();
    const places = cells.ownPlaces();
    const numbers = [...new Set(own.map((cell) => cell.condition))].sort((a, b) => a - b);
    const known = MEASURES.filter((measure) => own.some((cell) => Number.isFinite(measureOf(measure, cell).y)));
    state.usual("measure", known[0].key);
    const place = h("div", {});
    const draw = () => {
        const held = place.contains(document.activeElement) ? document.activeElement?.getAttribute("data-sort") : null;
        const measure = known.find((one) => one.key === state.get("measure")) ?? known[0];
        const by = state.get("c-sort");
        const at = (/** @type {number} */ c, /** @type {number} */ size) => measureOf(measure, cells.cell(c, size));
        const rows = numbers.slice();
        if (by !== "") {
            const key = (/** @type {number} */ c) => measure.better * at(c, Number(by)).y;
            rows.sort((a, b) => (Number.isFinite(key(b)) ? key(b) : -Infinity) - (Number.isFinite(key(a)) ? key(a) : -Infinity));
        }
        const one = (/** @type {number} */ c, /** @type {number} */ size) => {
            const cell = cells.cell(c, size);
            const found = at(c, size);
            if (!cell || !Number.isFinite(found.y)) {
                return h("td", {}, "–");
            }
            const words = worded(measure, found.y);
            const interval = Number.isFinite(found.low) && worded(measure, found.low) !== worded(measure, found.high)
                ? `${worded(measure, found.low)} to ${worded(measure, found.high)}` : "";
            const made = button("", () => openCell(cells, cell), { class: "cell", "aria-label": `${cells.conditions[c].short}, ${cell.place}: ${words}${interval ? `, ${interval}` : ""}; its runs` });
            made.append(words, h("small", {}, ` ${interval}`));
            return h("td", {}, made);
        };
        place.replaceChildren(h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Comparison" }, h("table", { id: "compared" },
            h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "no."), h("th", { class: "w", scope: "col" }, "condition"), ...places.map((size) => {
                const name = own.find((cell) => cell.size === size)?.place ?? "";
                return h("th", { scope: "col", "aria-sort": by === String(size) ? "descending" : null },
                    button(by === String(size) ? `${name} ▾` : name, () => state.set({ "c-sort": by === String(size) ? null : String(size) }), { "data-sort": String(size), "aria-label": `sort by ${name}, the best first` }));
            }))),
            h("tbody", {}, ...rows.map((c) => h("tr", {}, h("td", {}, numbers.indexOf(c) + 1), h("th", { class: "w", scope: "row", title: cells.conditions[c].label }, cells.conditions[c].short),
                ...places.map((size) => one(c, size))))))), h("p", { class: "small", id: "compared-measure" }, `${measure.title}: ${measure.about}`));
        if (held) {
            /** @type {HTMLElement | null} */ (place.querySelector(`[data-sort="${held}"]`))?.focus();
        }
    };
    state.follow(draw);
    const rows = () => [["measure", "condition", "settings", "where", "runs", "value", "low", "high"], ...known.flatMap((measure) => own.map((cell) => {
        const found = measureOf(measure, cell);
        return [measure.key, cells.conditionOf(cell).short, cells.conditionOf(cell).label, cell.place, cell.runs, found.y, found.low, found.high];
    }))];
    const runs = own.reduce((n, cell) => n + cell.runs, 0);
    return [h("p", {}, `${plural(numbers.length, "condition")} on ${plural(places.length, places.every((size) => size < 0) ? "model" : "kind")}${places.every((size) => size < 0) ? "" : " of world"}: ${plural(runs, "run")} in ${plural(own.length, "cell")}. A condition is called by its search and by what sets it apart from others with the same search. All conditions of a model live through the same episodes, with the same seeds, so that two of them differ more clearly than their intervals suggest.`),
        modelsTable(cells),
        h("figure", { class: "table", id: "table-compared" }, h("div", { class: "controls" }, state.choose("measure", "measure", known.map((measure) => /** @type {[string, string]} */ ([measure.key, measure.title])))), place,
            h("figcaption", {}, "Small numbers are 95 % intervals: Student’s of a mean, from the order of the runs of a median, Wilson’s of a share of runs. Choose a number for its runs, a column’s head to sort by it, the best first."),
            h("div", { class: "tools" }, button("CSV", () => saveText("compared.csv", csv(rows()), "text/csv"), { "aria-label": "Save the comparison as CSV" })))];
}
