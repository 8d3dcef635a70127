/* recover_screen.js: would a task identify its parameters (recoveries), how many subjects does it
 * take (power), and which model do people use (comparisons). */
import palette from "./palette.json";
import { h } from "./dom.js";
import { ending, fact, figure, goTo, gridTable, imprint, sections, tile } from "./report.js";
import * as state from "./state.js";
import { fixed, plural, short } from "./words.js";

const CAPTIONS = {
    recovery: "Truth against estimate on the scale of the fit: correlation with its 95 % interval, mean and root mean square of estimate − truth, share of 90 % intervals that hold the truth, and shrinkage: 0 where the data say nothing, 1 where they say all.",
    recovered: "What was true and what was found, on the scale of the fit.",
    confusion: "Of subjects simulated with one model, the share whose best evidence is each model’s, its protected exceedance probability, and how probable each model is to be true where one is found.",
    power: "Of repeats with a difference between the groups, the share whose 95 % interval of it has 0 outside; the same without a difference, which should be about 5 %; mean and spread of what is found, and how often intervals hold the truth.",
    models: "How frequent each model is among subjects: alpha of the Dirichlet and its mean r, exceedance (xp) and protected exceedance (pxp) probabilities; and, where all subjects use one model, summed log evidence and its softmax (fixed).",
    families: "The same of families of models, members’ alpha together.",
    members: "How probable each model is for each subject.",
};

/**
 * A matrix as a table of shades.
 * @param {string} label
 * @param {string} corner
 * @param {string[]} rows
 * @param {string[]} columns
 * @param {(number | null)[][]} matrix from −1 to 1
 */
function heat(label, corner, rows, columns, matrix) {
    return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, h("table", { class: "heats" },
        h("thead", {}, h("tr", {}, h("th", { class: "w", scope: "col" }, corner), ...columns.map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", {}, ...rows.map((name, i) => h("tr", {}, h("th", { scope: "row", class: "w" }, name), ...columns.map((_, j) => {
            const found = matrix[i]?.[j] ?? NaN;
            const cell = h("td", { class: "shade" }, fixed(found, 2));
            cell.style.setProperty("--heat", found >= 0 ? palette.better : palette.worse);
            cell.style.setProperty("--share", `${Math.round(55 * Math.min(1, Math.abs(found) || 0))}%`);
            return cell;
        }))))));
}

/**
 * @param {Recovery} found
 * @returns {RecoveredModel}
 */
const modelOf = (found) => found.models[Number(state.get("model"))] ?? found.models[0];

/**
 * @param {Recovery} found
 * @returns {Figure}
 */
function scatter(found) {
    const model = modelOf(found);
    const panels = model.parameters.map((parameter, p) => {
        const marks = model.subjects.map((one) => {
            const half = 1.6448536269514722 * Math.sqrt(one.covariance[p][p]);
            return { x: one.true[p], y: one.map[p], low: one.map[p] - half, high: one.map[p] + half, tip: one.subject };
        });
        const all = marks.flatMap((one) => [one.x, one.low, one.high]).filter(Number.isFinite);
        const [low, high] = [Math.min(...all), Math.max(...all)];
        const held = (/** @type {typeof marks[0]} */ one) => one.low <= one.x && one.x <= one.high;
        return { title: `${parameter.name}: r = ${fixed(parameter.r, 2)}`, x: { title: "true", low, high }, y: { title: "estimated", low, high }, series: /** @type {Series[]} */ ([
            { label: "the same", colour: 0, shape: "guide", marks: [{ x: low, y: low }, { x: high, y: high }] },
            { label: "its interval holds the truth", colour: 1, shape: "dot", size: 0.8, marks: marks.filter(held) },
            { label: "its interval misses it", colour: 4, shape: "dot", hollow: true, size: 0.9, marks: marks.filter((one) => !held(one)) }]) };
    });
    return { name: "recovery", title: "True and estimated parameters", panels, height: 230, free: true, python: `recovery(summary${found.models.length > 1 ? `.model(${state.get("model") || 0})` : ""})`,
        caption: `${model.subjects.length} simulated subjects on the scale of the fit, with 90 % intervals; the dotted line is where both are the same. Points along it are recovered; a flat cloud is the prior.` };
}

/**
 * @param {Recovery} found
 * @param {HTMLElement} main
 */
function openRecovery(found, main) {
    const { models, confusion } = found;
    const names = models.map((one) => one.model);
    const n = models[0].subjects.length;
    const worst = models.flatMap((one) => one.parameters).filter((one) => one.r !== null).sort((a, b) => (a.r ?? -2) - (b.r ?? -2))[0];
    const covered = models.flatMap((one) => one.parameters.map((parameter) => parameter.coverage));
    document.title = "Sonde: recovery";
    state.usual("model", "0");
    state.usual("measure", "share");
    main.append(h("header", {}, h("h1", {}, "Would the task identify this?"),
        h("p", { class: "lead" }, `Parameters were drawn, ${plural(n, "agent")} simulated with them${models.length > 1 ? ` for each of ${models.length} models` : ""} and fitted as if they were people: what came back.`),
        h("div", { class: "tiles" }, worst ? tile(`r = ${fixed(worst.r, 2)}`, `of truth and estimate for ${worst.name}, the parameter that is recovered worst`) : "",
            tile(`${fixed((100 * covered.reduce((a, b) => a + b, 0)) / covered.length, 0)} %`, "of 90 % intervals hold the truth, all parameters together"),
            tile(`${models.reduce((sum, one) => sum + one.weak, 0)} of ${n * models.length}`, "subjects have directions about which their data say nothing")),
        h("dl", { class: "facts" }, fact("models", names.join("; ")), fact("subjects", String(found.subjects)), fact("converged", models.map((one) => one.converged).join(", ")), fact("made by", `Sonde ${found.sonde}`)), ending(found.command)));
    const section = sections(main);
    const grid = gridsOf(found.tables);
    const which = () => (models.length > 1 ? [state.choose("model", "model", names.map((name, i) => [String(i), name]))] : []);
    const among = h("div", { class: "columns" });
    state.follow(() => {
        const own = modelOf(found);
        const list = own.parameters.map((one) => one.name);
        among.replaceChildren(...(list.length < 2 ? [] : /** @type {[string, (number | null)[][]][]} */ ([["in posteriors: what one subject’s data cannot tell apart", own.posterior_correlation], ["of estimates over subjects", own.estimate_correlation]])
            .map(([words, matrix]) => h("div", {}, h("p", {}, `Correlations ${words}`), heat(words, "", list, list, matrix)))));
    });
    const table = h("div", {});
    state.follow(() => {
        const measure = state.get("measure");
        table.replaceChildren(confusion ? heat("Which model is found", "true ↓ found →", names, names, confusion[measure] ?? []) : "");
    });
    section("recovery", "True and estimated", [...grid("recovery"), figure("recovery", () => scatter(found), which(), (made) => made.python), among]);
    section("confusion", "Which model is found", confusion ? [state.choose("shown", "measure", [["share", "share of subjects"], ["pxp", "protected exceedance"], ["true_given_found", "true where it is found"]]), h("figure", { id: "figure-confusion" }, table), ...grid("confusion")] : []);
    section("subjects", "Every subject", grid("recovered").map((one) => h("details", {}, h("summary", {}, "The table"), one)));
}

/**
 * @param {Grid[]} tables
 */
const gridsOf = (tables) => (/** @type {string} */ name) => tables.filter((one) => one.name === name).map((one) => gridTable(one, CAPTIONS));

/**
 * @param {Power} found
 * @returns {Figure}
 */
function powerFigure(found) {
    const line = (/** @type {string} */ label, /** @type {number} */ colour, /** @type {"found" | "found_without"} */ key) => /** @type {Series} */ ({ label, colour, shape: "line",
        marks: found.sizes.map((one) => ({ x: one.subjects, y: one[key], low: one[`${key}_interval`][0], high: one[`${key}_interval`][1] })) });
    const sizes = found.sizes.map((one) => one.subjects);
    const level = (/** @type {number} */ y, /** @type {string} */ label) => /** @type {Series} */ ({ label, colour: 0, shape: "guide", marks: [{ x: Math.min(...sizes), y }, { x: Math.max(...sizes), y }] });
    return { name: "power", title: "How many subjects it takes", height: 240, python: "power(summary)",
        panels: [{ title: "", x: { title: "subjects, both groups together", whole: true }, y: { title: "share of repeats that see it", low: 0, high: 1 },
            series: [line("with the difference", 1, "found"), line("without one", 2, "found_without"), level(0.8, "0.8"), level(0.05, "0.05")] }],
        caption: `Two groups whose means of ${found.parameter} differ by ${short(found.difference)} on the scale of the fit: the share of ${plural(found.repeats, "repeat")} whose 95 % interval of the difference has 0 outside, with 95 % intervals, and the same without a difference. Dotted: 0.8 and 0.05.` };
}

/**
 * @param {Power} found
 * @param {HTMLElement} main
 */
function openPower(found, main) {
    const enough = found.sizes.find((one) => one.found >= 0.8);
    document.title = "Sonde: power";
    main.append(h("header", {}, h("h1", {}, "How many subjects does it take?"), h("p", { class: "lead" }, `To see that two groups differ by ${short(found.difference)} in ${found.parameter}, on the scale of the fit.`),
        h("div", { class: "tiles" }, enough ? tile(plural(enough.subjects, "subject"), "is the smallest of these studies that sees it in 80 % of repeats") : tile("more", "subjects than were tried are needed to see it in 80 % of repeats")),
        h("dl", { class: "facts" }, fact("repeats", String(found.repeats)), fact("made by", `Sonde ${found.sonde}`)), ending(found.command)));
    sections(main)("power", "Power", [figure("power", () => powerFigure(found), [], (made) => made.python), ...gridsOf(found.tables)("power")]);
}

/**
 * @param {Comparison} found
 * @returns {Figure}
 */
function frequencies(found) {
    const names = found.models.map((one) => one.model);
    const bar = (/** @type {string} */ label, /** @type {number} */ colour, /** @type {"r" | "xp" | "pxp"} */ key) => /** @type {Series} */ ({ label, colour, shape: "bar", hollow: key === "xp", marks: found.models.map((one) => ({ x: one.model, y: one[key] ?? NaN })) });
    return { name: "frequencies", title: "How frequent each model is", height: 220, python: "", panels: [{ title: "", x: { title: "model", categories: names }, y: { title: "probability", low: 0, high: 1 },
        series: [bar("frequency", 1, "r"), bar("exceedance", 2, "xp"), bar("protected exceedance", 3, "pxp")] }],
        caption: "The mean frequency of each model among subjects, how probable it is that it is the most frequent one, and the same protected against all being as frequent." };
}

/**
 * @param {Comparison} found
 * @returns {Figure}
 */
function members(found) {
    const subjects = found.subjects.map((one) => one.subject);
    return { name: "members", title: "Which model each subject uses", height: 200, python: "", panels: [{ title: "", x: { title: "subject", categories: subjects }, y: { title: "probability", low: 0, high: 1 },
        series: found.models.map((model, k) => /** @type {Series} */ ({ label: model.model, colour: k + 1, hollow: k % 2 === 1, shape: "stack", marks: found.subjects.map((one) => {
            const base = one.g.slice(0, k).reduce((a, b) => a + b, 0);
            return { x: one.subject, y: base + one.g[k], base };
        }) })) }], caption: "How probable each model is for each subject, given how frequent models are." };
}

/**
 * @param {Comparison} found
 * @param {HTMLElement} main
 */
function openComparison(found, main) {
    const best = found.models.slice().sort((a, b) => b.r - a.r)[0];
    document.title = "Sonde: comparison of models";
    main.append(h("header", {}, h("h1", {}, "Which model do people use?"), h("p", { class: "lead" }, `${plural(found.models.length, "model")}, ${plural(found.subjects.length, "subject")}: every subject uses one of them, perhaps each another.`),
        h("div", { class: "tiles" }, tile(best.model, `is the most frequent: ${fixed(100 * best.r, 0)} % of subjects, exceedance ${fixed(best.xp, 2)}, protected ${fixed(best.pxp, 2)}`),
            tile(short(found.bor), "is the probability that all models are as frequent (bor)")), h("dl", { class: "facts" }, fact("made by", `Sonde ${found.sonde}`)), ending(found.command)));
    const section = sections(main);
    const grid = gridsOf(found.tables);
    const draw = (/** @type {string} */ id, /** @type {(found: Comparison) => Figure} */ make) => figure(id, () => make(found), [], () => "");
    section("models", "Models", [draw("frequencies", frequencies), ...grid("models"), ...grid("families")]);
    section("members", "Subjects", [draw("members", members), ...grid("members")]);
}

/** What there is to open, by the document's format.
 * @type {Record<string, [string, (found: any, main: HTMLElement) => void]>} */
const KINDS = { "sonde-recovery": ["Recovery", openRecovery], "sonde-power": ["Power", openPower], "sonde-comparison": ["Comparison", openComparison] };
const SECTIONS = /** @type {Record<string, string[]>} */ ({ r: ["recovery"], m: ["models", "confusion"], p: ["power"], s: ["subjects", "members"] });

/**
 * @param {any} found
 * @returns {import("./main.js").Screen}
 */
export function recoverScreen(found) {
    const [title, open] = KINDS[found?.format] ?? [];
    return { name: "recovery", title: title ?? "", shows: () => open !== undefined, keys: [["r", "to truth and estimates"], ["m", "to the models"], ["p", "to the power"], ["s", "to the subjects"]],
        open: (main) => { open?.(found, main); main.append(imprint()); }, key: (key) => (SECTIONS[key] ?? []).some(goTo) };
}
