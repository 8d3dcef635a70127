/* study_table.js: the paper's Table 1 beside Sonde's, with what the reader chose to see of it.
 *
 * A cell is a button that opens its worlds. The dagger stands in the text after its number, so that
 * it goes where the number goes. Certified rows are bounded search on the same worlds: the paper has
 * none, and they never count as the best embedding. */
import { button, h, prose } from "./dom.js";
import { files } from "./report.js";
import * as state from "./state.js";
import { openCell } from "./study_runs.js";
import { csv, saveText } from "./share.js";
import { fixed, titled } from "./words.js";

/** @typedef {import("./cells.js").Cells} Cells */
/** @typedef {{scope: string, embedding: string, k: number, n: number, bySize: Map<number, TableCell>}} Row */

const SOURCES = ["paper", "notebook", "text"];

/**
 * Rows of the table, then the certified ones, in its order.
 * @param {Cells} cells
 * @returns {Row[]}
 */
function rowsOf(cells) {
    /** @type {Map<string, Row>} */
    const rows = new Map();
    for (const cell of cells.summary.table1.cells) {
        const key = [cell.scope, cell.embedding, cell.k, cell.n].join(" ");
        const row = rows.get(key) ?? { scope: cell.scope, embedding: cell.embedding, k: cell.k, n: cell.n, bySize: new Map() };
        rows.set(key, row);
        row.bySize.set(cell.size, cell);
    }
    const made = [...rows.values()];
    for (const scope of ["global", "local"]) {
        const found = cells.where({ group: "certified", scope });
        if (found.length > 0) {
            const condition = cells.conditions[found[0]];
            /** @type {Row} */
            const row = { scope, embedding: condition.embedding, k: 0, n: 0, bySize: new Map() };
            for (const size of cells.sizes("certified")) {
                const cell = found.map((c) => cells.cell(c, size)).find((one) => one?.optimal);
                if (cell?.optimal && cell.failures) {
                    const source = { optimal: cell.failures[0], graphs: cell.runs, percent: cell.optimal, best: false };
                    row.bySize.set(size, { scope, embedding: condition.embedding, k: 0, n: 0, size, paper: null, notebook: null,
                        text: source, outside: null, own: cell });
                }
            }
            const last = made.map((one) => one.scope).lastIndexOf(scope);
            made.splice(last + 1, 0, row);
        }
    }
    return made;
}

/**
 * The value that a row is sorted by; rows without one come last.
 * @param {Row} row
 * @param {string} by
 */
function sortValue(row, by) {
    const [size, source] = by.split(".");
    return row.bySize.get(Number(size))?.[source]?.percent[0] ?? -1;
}

/**
 * @param {Cells} cells
 * @param {TableCell} cell
 * @param {string} source
 */
function cellOf(cells, cell, source) {
    return cell.own ?? cells.find({ group: "table", scope: cell.scope, embedding: cell.embedding, k: cell.k, n: cell.n, semantics: source }, cell.size);
}

/**
 * @param {Cells} cells
 * @param {TableCell | undefined} cell
 * @param {string} source
 */
function valueCell(cells, cell, source) {
    const found = /** @type {Source | null | undefined} */ (cell?.[source]);
    const paper = source === "paper";
    if (!cell || !found) {
        return h("td", { class: paper ? "a" : null }, "–");
    }
    const words = fixed(found.percent[0]);
    const interval = `${fixed(found.percent[1], 0)}–${fixed(found.percent[2], 0)}`;
    const number = found.best ? h("b", {}, words) : words;
    if (paper) {
        return h("td", { class: "a" }, number, cell.outside ? h("sup", { title: "outside what chance allows around Sonde’s notebook value" }, "†") : null);
    }
    const own = cellOf(cells, cell, source);
    const made = own ? button("", () => openCell(cells, own), { class: "cell", "aria-label": `${cell.scope} ${titled(cell.embedding)}${cell.k > 0 ? ` k ${cell.k} n ${cell.n}` : ""}, ${cell.size} nodes, ${cell.own ? "certified" : source}: ${words} %, ${interval}; its worlds` }) : h("span");
    made.append(number, h("small", {}, ` ${interval}`));
    return h("td", {}, made);
}

/**
 * @param {Cells} cells
 */
export function table1(cells) {
    const { table1: table } = cells.summary;
    const all = rowsOf(cells);
    const sizes = [...new Set(table.cells.map((cell) => cell.size))].sort((a, b) => a - b);
    const distinct = (/** @type {(row: Row) => string} */ of) => [...new Set(all.map(of))];
    const any = (/** @type {string[]} */ list) => /** @type {[string, string][]} */ ([["", "all"], ...list.map((one) => [one, one])]);
    const place = h("div", {});
    const shown = () => all.filter((row) => (state.get("t-scope") === "" || row.scope === state.get("t-scope"))
        && (state.get("t-embedding") === "" || titled(row.embedding) === state.get("t-embedding"))
        && (state.get("t-k") === "" || row.k === 0 || String(row.k) === state.get("t-k"))
        && (state.get("t-n") === "" || row.n === 0 || String(row.n) === state.get("t-n")));
    const sources = () => SOURCES.filter((source) => source === "paper" || state.get("t-semantics") === "" || source === state.get("t-semantics"));
    const draw = () => {
        const held = place.contains(document.activeElement) ? document.activeElement?.getAttribute("data-sort") : null;
        const by = state.get("sort");
        const rows = shown();
        if (by !== "") {
            rows.sort((a, b) => sortValue(b, by) - sortValue(a, by));
        }
        const head = (/** @type {number} */ size, /** @type {string} */ source) => {
            const key = `${size}.${source}`;
            return h("th", { scope: "col", class: source === "paper" ? "a" : null, "aria-sort": by === key ? "descending" : null },
                button(by === key ? `${source} ▾` : source, () => state.set({ sort: by === key ? null : key }),
                    { "data-sort": key, "aria-label": `sort by ${source}, ${size} nodes` }));
        };
        place.replaceChildren(h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table 1" }, h("table", { id: "main-table" },
            h("thead", {}, h("tr", {}, h("th", { colspan: 4, class: "w" }), ...sizes.map((size) => h("th", { colspan: sources().length, scope: "colgroup" }, `${size} nodes`))),
                h("tr", {}, h("th", { class: "w", scope: "col" }, "Scope"), h("th", { class: "w", scope: "col" }, "Embedding"), h("th", { scope: "col" }, "k"), h("th", { scope: "col" }, "n"),
                    ...sizes.flatMap((size) => sources().map((source) => head(size, source))))),
            h("tbody", {}, ...rows.map((row, i) => h("tr", { class: [by === "" && i > 0 && (row.embedding !== rows[i - 1].embedding || row.scope !== rows[i - 1].scope) ? "rule" : "", row.bySize.values().next().value?.own ? "certified" : ""].join(" ").trim() || null },
                h("td", { class: "w" }, row.scope), h("th", { class: "w", scope: "row" }, titled(row.embedding)), h("td", {}, row.k || ""), h("td", {}, row.n || ""),
                ...sizes.flatMap((size) => sources().map((source) => valueCell(cells, row.bySize.get(size), source)))))))));
        if (held) {
            /** @type {HTMLElement | null} */ (place.querySelector(`[data-sort="${held}"]`))?.focus();
        }
    };
    state.follow(draw);
    const rows = () => [["scope", "embedding", "k", "n", "size", ...SOURCES.flatMap((name) => [`${name}_percent`, `${name}_low`, `${name}_high`])],
        ...shown().flatMap((row) => [...row.bySize.values()].map((cell) => [row.scope, row.embedding, row.k, row.n, cell.size,
            ...SOURCES.flatMap((name) => cell[name]?.percent ?? [null, null, null])]))];
    const outside = table.compared - table.inside;
    const words = table.compared === 0 ? null : h("p", { id: "comparison" }, ...prose(`Of the paper’s ${table.compared} values, **${table.inside} lie inside** the range that holds 95 % of what 40 graphs (39 in most rows of 5 nodes) would give if each run were optimal with the probability that Sonde finds under \`notebook\`; ${outside} lie outside (†). If both were the same method, about ${fixed(table.chance, 0)} would lie outside by chance, Sonde’s own graphs being finite, too. On average Sonde is ${fixed(table.apart[0])} points from the paper under \`notebook\`${table.apart[1] === null ? "" : ` and ${fixed(table.apart[1])} points under \`text\``}.`));
    return [words, h("figure", { class: "table", id: "table-table1" },
        h("div", { class: "controls" }, state.choose("scope", "t-scope", any(distinct((row) => row.scope))),
            state.choose("embedding", "t-embedding", any(distinct((row) => titled(row.embedding)))),
            state.choose("k", "t-k", any(distinct((row) => String(row.k)).filter((k) => k !== "0"))),
            state.choose("n", "t-n", any(distinct((row) => String(row.n)).filter((n) => n !== "0"))),
            state.choose("semantics", "t-semantics", any(["notebook", "text"]))), place,
        h("figcaption", {}, h("b", {}, "Table 1."), " Percent of runs that were optimal: a shortest path to the destination, and staying there. Small numbers are 95 % intervals (Wilson). ", h("b", {}, "Bold"), ": the best embedding of its column. †: the paper’s value lies outside what chance allows around Sonde’s ", h("code", {}, "notebook"), " value. k clusters; n = 1 scores the representative of a cluster, n = 3 the mean of three of its members. Certified: bounded search in the same worlds. Choose a number for its worlds, a column’s head to sort. ",
            files("table1", null)),
        h("div", { class: "tools" }, button("CSV of what is shown", () => saveText("table1.csv", csv(rows()), "text/csv")))),
    ];
}
