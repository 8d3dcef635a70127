/* cells.js: choosing cells of a summary. A cell is one condition on the worlds of one size. */

/** @type {Record<string, number>} */
const PLACE = { n: 0, mean: 1, low: 2, high: 3, median: 4, median_low: 5, median_high: 6, least: 7, most: 8 };

/**
 * A number of a cell's measure, or NaN.
 * @param {Cell | undefined} cell
 * @param {string} measure
 * @param {string} what
 */
export function value(cell, measure, what = "mean") {
    const found = cell?.[measure]?.[PLACE[what]];
    return typeof found === "number" ? found : NaN;
}

/**
 * @template T
 * @param {T[]} list
 * @returns {T[]}
 */
export const distinct = (list) => [...new Set(list)];

/**
 * @param {number[]} list
 */
export const ascending = (list) => distinct(list).sort((a, b) => a - b);

export class Cells {
    /**
     * @param {Summary} summary
     */
    constructor(summary) {
        this.summary = summary;
        this.conditions = summary.conditions;
        /** @type {Map<string, Cell>} */
        this.at = new Map(summary.cells.map((cell) => [`${cell.condition} ${cell.size}`, cell]));
    }

    /**
     * @param {Cell} cell
     */
    conditionOf(cell) {
        return this.conditions[cell.condition];
    }

    /**
     * @param {number} condition
     * @param {number} size
     */
    cell(condition, size) {
        return this.at.get(`${condition} ${size}`);
    }

    /**
     * Numbers of the conditions that have these values.
     * @param {Record<string, any>} wanted
     */
    where(wanted) {
        const found = [];
        for (let c = 0; c < this.conditions.length; c++) {
            const condition = /** @type {any} */ (this.conditions[c]);
            if (Object.entries(wanted).every(([key, is]) => condition[key] === is)) {
                found.push(c);
            }
        }
        return found;
    }

    /**
     * The first cell of this size among the conditions with these values, in symmetric worlds with sampled actions. Semantics do not touch full search, so that any will do if there is no other.
     * @param {Record<string, any>} wanted
     * @param {number} size
     */
    find(wanted, size) {
        const plain = /** @type {Record<string, any>} */ ({ connect: "symmetric", action: "marginal", horizon: 0, ...wanted });
        const first = (/** @type {Record<string, any>} */ all) =>
            this.where(all).map((c) => this.cell(c, size)).find((cell) => cell !== undefined);
        const found = first(plain);
        if (found !== undefined || wanted.embedding !== "none") {
            return found;
        }
        const { semantics, ...any } = plain;
        void semantics;
        return first(any);
    }

    /**
     * Sizes of a group that have runs, ascending.
     * @param {string} group
     */
    sizes(group) {
        return ascending(this.summary.cells.filter((cell) => cell.size > 0 && this.conditionOf(cell).group === group)
            .map((cell) => cell.size));
    }

    /**
     * The embeddings of a group, the paper's first.
     * @param {string} group
     */
    embeddings(group) {
        const all = distinct(this.conditions.filter((c) => c.group === group && c.search === "cluster")
            .map((c) => c.embedding));
        const paper = ["edm", "boe", "aboe"].filter((name) => all.includes(name));
        return [...paper, ...all.filter((name) => !paper.includes(name))];
    }

    /**
     * The text's semantics where a group has it, else that of its first.
     * @param {string} group
     */
    semantics(group) {
        const all = this.conditions.filter((c) => c.group === group && c.search === "cluster").map((c) => c.semantics);
        return all.includes("text") || all.length === 0 ? "text" : all[0];
    }

    /** Cells of a study of one's own: those that no section of the paper's claims. */
    own() {
        return this.summary.cells.filter((cell) => cell.own);
    }

    /** Where these are: graph worlds by size, then models as in the plan. */
    ownPlaces() {
        const sizes = ascending(this.own().map((cell) => cell.size));
        return [...sizes.filter((size) => size > 0), ...sizes.filter((size) => size < 0).reverse()];
    }

    /**
     * @param {string} group
     */
    has(group) {
        return this.summary.cells.some((cell) => this.conditionOf(cell).group === group);
    }
}
