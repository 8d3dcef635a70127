/* words.js: numbers as people read them. */

export const TITLES = /** @type {Record<string, string>} */ ({
    none: "None", boe: "BOE", edm: "EDM", aboe: "aBOE", bounded: "bounded, certified",
});

/**
 * An embedding, or a search without one, as the paper writes it.
 * @param {string} name
 */
export const titled = (name) => TITLES[name] ?? name;

/**
 * @param {number | null | undefined} value
 * @param {number} [decimals]
 */
export function fixed(value, decimals = 1) {
    if (value === null || value === undefined || !Number.isFinite(value)) {
        return "–";
    }
    return value.toLocaleString("en-US", {
        minimumFractionDigits: decimals, maximumFractionDigits: decimals,
    }).replace("-", "−");
}

/**
 * About three digits.
 * @param {number | null | undefined} value
 */
export function short(value) {
    if (value === null || value === undefined || !Number.isFinite(value)) {
        return "–";
    }
    const size = Math.abs(value);
    if (size !== 0 && (size < 1e-3 || size >= 1e7)) {
        return value.toExponential(2).replace("-", "−").replace("e+", "e");
    }
    const decimals = size >= 100 || size === 0 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 4;
    return fixed(value, decimals);
}

/**
 * A whole number as an exponent.
 * @param {number} e
 */
export const raised = (e) => String(e).replace(/./g, (c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)]);

/**
 * Seconds in the unit that suits them.
 * @param {number | null | undefined} seconds
 */
export function duration(seconds) {
    if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) {
        return "–";
    }
    const units = /** @type {[number, string][]} */ ([[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [0, "ns"]]);
    const found = units.find(([least]) => seconds >= least) ?? units[3];
    return `${short(seconds / (found[0] || 1e-9))} ${found[1]}`;
}

/**
 * @param {number} n
 */
export const grouped = (n) => n.toLocaleString("en-US");

/**
 * "228.08", "30", "703702": five digits, or all before the point, and no more than there are.
 * @param {number} value
 */
export const brief = (value) => String(Number(value.toPrecision(Math.min(15, Math.max(5, 1 + Math.floor(Math.log10(Math.abs(value) || 1))))))).replace(/-/g, "−");

/**
 * A name, so that one from right to left moves nothing that stands beside it.
 * @param {string} name
 */
export const isolated = (name) => (/[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(name) ? `\u2068${name}\u2069` : name);

/**
 * Words in so much room, with a sign where some are missing: at their end, or before the last of them.
 * @param {string} words
 * @param {number} most letters
 * @param {number} [last] of them from the end
 */
export function cut(words, most, last = 0) {
    const letters = Array.from(words);
    return letters.length > most ? `${letters.slice(0, most - 1 - last).join("")}…${letters.slice(letters.length - last).join("")}` : words;
}

/**
 * A count, whole where it is not too long.
 * @param {number | null | undefined} n
 */
export const counted = (n) => (Number.isInteger(n) && Math.abs(/** @type {number} */ (n)) < 1e7 ? grouped(/** @type {number} */ (n)) : short(n));

/**
 * "1 run", "2 runs".
 * @param {number} n
 * @param {string} noun
 */
export const plural = (n, noun, nouns = `${noun}s`) => `${Number.isFinite(n) ? counted(n) : "more than 10³⁰⁸"} ${n === 1 ? noun : nouns}`;

/**
 * "40", "39 to 40".
 * @param {number[]} counts
 */
export function range(counts) {
    const known = counts.filter((n) => n > 0);
    if (known.length === 0) {
        return "0";
    }
    const least = Math.min(...known);
    const most = Math.max(...known);
    return least === most ? String(least) : `${least} to ${most}`;
}

/**
 * A path as studies record it: nodes, or states of the factors of a model, "0/1-0/2".
 * @param {(number | number[])[]} path
 */
export const pathWords = (path) => path.map((at) => (Array.isArray(at) ? at.join("/") : at)).join("-");
