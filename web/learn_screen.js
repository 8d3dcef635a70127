/* learn_screen.js: a run of an agent that learns: counts over time, how far arrays came from where
 * they began, what was chosen and how it went. */
import { ascending } from "./cells.js";
import { h, prose } from "./dom.js";
import { ending, fact, figure, goTo, gridTable, imprint, running, sections, tile } from "./report.js";
import * as state from "./state.js";
import { plural, short } from "./words.js";

/* columns of an array that are drawn, and lines in one panel */
const PANELS = 9;
const LINES = 8;

const CAPTIONS = {
    learned: "Every array with counts: how often it was updated, how many counts were added (less those that were forgotten), what structural zeros did not take in, and the divergence of its Dirichlet distributions from those it began with, in nats, summed over columns.",
    curve: "What was lived, in ten parts, in nats: preference is ln C of the outcomes of a step (C itself where that is a utility; less what actions cost), surprise −ln P of them; of episodes, summed over their steps. tables/curve.csv has every step.",
    counts: "Counts that changed, a hundred at most: at first and at last, and their share of the column, which is the number the agent plans with. tables/counts.csv has every moment.",
    kl: "Divergence of every array from where it began, in nats. tables/kl.csv has every moment.",
};

const NOTES = [
    "**Counts** are the parameters of Dirichlet distributions: A of an outcome given states, B of a state given states and an action, D of the first state, C of what is liked, E of habits. The mean of a column is the probability that the agent plans with.",
    "**Nats from where it began**: the Kullback–Leibler divergence of the Dirichlet distributions now from those at first. It falls again where something is forgotten.",
    "**Preference** is ln C of what was seen, in the place of a reward; **surprise** is −ln P of it under the agent’s model at that time, and falls as the model comes to fit the world.",
];

/** @param {number[]} values */
const sum = (values) => values.reduce((a, b) => a + b, 0);

/**
 * Counts of an array, a panel for each of the columns that changed most.
 * @param {LearnRun} run
 * @returns {Figure | null}
 */
function countsFigure(run) {
    const { by, arrays } = run.history;
    const a = arrays.find((one) => one.array === state.get("array"));
    if (!a?.counts || !a.rows || !a.columns) {
        return null;
    }
    const { rows, columns, first, entries } = a;
    const counts = a.counts.map((now) => { // of a large array, those that changed
        const all = first?.slice() ?? now;
        entries?.forEach((k, i) => { all[k] = now[i]; });
        return all;
    });
    const n = columns.length;
    const shares = state.get("unit") === "share";
    const last = counts[counts.length - 1];
    const total = (/** @type {number[]} */ now, /** @type {number} */ c) => sum(rows.map((_, r) => now[r * n + c]));
    const added = columns.map((_, c) => Math.abs(total(last, c) - total(counts[0], c)));
    const moved = columns.map((_, c) => Math.max(...rows.map((_, r) => Math.abs(last[r * n + c] / total(last, c) - counts[0][r * n + c] / total(counts[0], c)))));
    const all = columns.map((_, c) => c).filter((c) => n === 1 || moved[c] + added[c] > 0).sort((x, y) => moved[y] - moved[x] || added[y] - added[x]);
    const shown = ascending(all.slice(0, PANELS));
    const change = rows.map((_, r) => Math.max(...shown.map((c) => Math.abs(last[r * n + c] - counts[0][r * n + c]))));
    const lines = ascending(rows.map((_, r) => r).sort((x, y) => change[y] - change[x]).slice(0, LINES));
    const panels = shown.map((c) => ({ title: columns[c], x: { title: by, whole: true, low: 0, high: counts.length - 1 }, y: { title: shares ? "share of its column" : "counts", low: 0, high: shares ? 1 : undefined },
        series: lines.map((r, i) => /** @type {Series} */ ({ label: rows[r], colour: i + 1, shape: "line", plain: true,
            marks: counts.map((now, t) => ({ x: t, y: shares ? now[r * n + c] / total(now, c) : now[r * n + c] })) })) }));
    const few = [all.length > PANELS ? `the ${PANELS} columns of ${all.length} whose shares changed most` : "every column that changed", lines.length < rows.length ? `${LINES} of ${rows.length} rows` : ""].filter(Boolean).join(", ");
    return { name: `counts_${a.array.replace(/\W+/g, "")}`, title: `Counts of ${a.array}`, panels, height: 150, free: true, python: `array="${a.array}"`,
        caption: `${shares ? "Counts divided by the sum of their column, the probabilities that the agent plans with" : "Counts"} after every ${by}${n > 1 ? `; a panel for ${few} (${a.array[0] === "B" ? "the state before, and the action" : "the state"}), a line for each ${a.array[0] === "B" ? "state after" : "outcome"}. Each panel has a scale of its own.` : ", a line for each row."}` };
}

/**
 * @param {LearnRun} run
 * @returns {Figure}
 */
function klFigure(run) {
    const { by, arrays } = run.history;
    return { name: "kl", title: "How far every array came", height: 200, python: 'array="kl"',
        panels: [{ title: "", x: { title: by, whole: true, low: 0, high: arrays[0]?.kl.length - 1 }, y: { title: "nats", low: 0 }, ends: arrays.length <= 12, series: arrays.map((a, i) => ({ label: a.array,
            colour: i + 1, shape: /** @type {"line"} */ ("line"), plain: true, marks: a.kl.map((kl, t) => ({ x: t, y: kl ?? NaN })) })) }],
        caption: `Divergence of the Dirichlet distributions of an array from those it began with, summed over columns, after every ${by}.` };
}

/** What was lived: episodes, or the steps of the only one.
 * @param {LearnRun} run */
function lived(run) {
    const episodes = run.history.episodes ?? [];
    const one = episodes.length === 1;
    const units = one ? episodes[0].action.map((action, t) => ({ action: [action], preference: [episodes[0].preference[t]], surprise: [episodes[0].surprise[t]] })) : episodes;
    const window = Math.max(1, 2 * Math.floor(units.length / 24) + 1);
    return { units, by: one ? "step" : "episode", window, over: window > 1 ? `means over ${window} ${one ? "steps" : "episodes"} about each` : `every ${one ? "step" : "episode"}` };
}

/**
 * @param {LearnRun} run
 * @returns {Figure}
 */
function choicesFigure(run) {
    const { units, by, window, over } = lived(run);
    const step = state.get("step");
    const chosen = units.map((unit) => (step === "" ? unit.action : unit.action.slice(Number(step), Number(step) + 1)));
    const often = new Map();
    chosen.flat().forEach((action) => often.set(action, (often.get(action) ?? 0) + 1));
    const shown = ascending([...often.keys()].sort((a, b) => often.get(b) - often.get(a)).slice(0, LINES));
    return { name: "choices", title: "What was chosen", height: 200, python: 'array="course"',
        panels: [{ title: "", x: { title: by, whole: true, low: 1, high: units.length }, y: { title: "share of choices", low: 0, high: 1 }, ends: true, series: shown.map((action, i) => {
            const share = running(chosen.map((list) => list.filter((one) => one === action).length / list.length), window);
            return { label: run.history.actions?.[action] ?? `action ${action}`, colour: i + 1, shape: /** @type {"line"} */ ("line"), plain: true, marks: share.map((y, x) => ({ x: x + 1, y })) };
        }) }],
        caption: `How often each action was taken${step === "" ? (by === "step" ? "" : " in an episode") : ` in step ${Number(step) + 1} of an episode`}, ${over}${often.size > LINES ? `; the ${LINES} most frequent of ${often.size}` : ""}.` };
}

/**
 * @param {LearnRun} run
 * @returns {Figure}
 */
function returnsFigure(run) {
    const { units, by, window, over } = lived(run);
    const every = Math.ceil(units.length / 400);
    const panels = /** @type {["preference" | "surprise", string][]} */ ([["preference", by === "step" ? "preference, nats" : "return, nats"], ["surprise", "surprise, nats"]]).map(([key, title]) => {
        const values = units.map((unit) => sum(unit[key].map((v) => v ?? NaN)));
        return { title: key === "preference" ? "How well it went" : "How surprising it was", x: { title: by, whole: true, low: 1, high: units.length }, y: { title },
            series: /** @type {Series[]} */ ([{ label: by, colour: 0, shape: "dot", hollow: true, size: 0.5, marks: values.map((y, x) => ({ x: x + 1, y })).filter((_, i) => i % every === 0) },
                { label: over, colour: 1, shape: "line", plain: true, marks: running(values, window).map((y, x) => ({ x: x + 1, y })) }]) };
    });
    return { name: "returns", title: "How it went", height: 180, panels, python: 'array="course"',
        caption: `Left ln C of what was seen${by === "step" ? "" : ", summed over the steps of an episode"}: what a reward would be. Right −ln P of it under the agent’s model at that time. The line: ${over}.` };
}

/**
 * @param {LearnRun} run
 */
function head(run) {
    const { history, settings, names } = run;
    const all = Object.values(run.learned).flat().flatMap((one) => one ?? []);
    const episodes = history.episodes ?? [];
    const { units, by } = lived(run);
    const steps = ascending(episodes.map((one) => one.action.length));
    const tenth = Math.max(1, Math.floor(units.length / 10));
    const mean = (/** @type {typeof units} */ part) => sum(part.map((unit) => sum(unit.preference.map((v) => v ?? NaN)))) / part.length;
    const learn = settings.learn ?? {};
    const rates = ["A", "B", "C", "D", "E"].filter((letter) => history.arrays.some((a) => a.array[0] === letter)).map((letter) => `${letter} ${learn[`eta_${letter}`]}`);
    return h("header", {}, h("h1", {}, `What was learned: ${names?.model ?? "a model"}`),
        h("p", { class: "lead" }, `${episodes.length > 0 ? `${plural(episodes.length, "episode")} of ${steps.join(" or ")} steps. ` : ""}Counts of ${history.arrays.map((a) => a.array).join(", ")} after every ${history.by}, how far they came from where they began, and what the agent did meanwhile.`),
        h("div", { class: "tiles" }, tile(short(sum(all.map((one) => one.added))), `counts more than at first, after ${plural(sum(all.map((one) => one.updates)), "update")} of ${plural(all.length, "array")}`),
            tile(`${short(sum(all.map((one) => one.kl ?? 0)))} nats`, "from where they began, all arrays together"),
            units.length > 1 ? tile(`${short(mean(units.slice(0, tenth)))} → ${short(mean(units.slice(-tenth)))}`, `nats of preference for what was seen in ${by === "step" ? "a step" : "an episode"}, the first and the last ${tenth > 1 ? plural(tenth, by) : by}`) : ""),
        h("dl", { class: "facts" }, fact("learns", `${learn.when ?? ""}, from ${learn.beliefs ?? ""} beliefs`), fact("rates", rates.join(", ") || "–"), fact("forgetting", learn.omega ? `${learn.omega} towards ${learn.toward}` : learn.omega_outcome ? "by outcome" : "none"),
            fact("novelty", settings.novelty ?? "none"), fact("search", settings.search ?? "–"), fact("seed", String(settings.seed ?? "–")), fact("made by", `Sonde ${run.sonde}`)),
        ending(run.command));
}

/**
 * @param {LearnRun} run
 * @param {HTMLElement} main
 */
function open(run, main) {
    document.title = `Sonde: what was learned, ${run.names?.model ?? ""}`;
    const { arrays, episodes } = run.history;
    const counted = arrays.filter((a) => a.counts);
    const most = Math.max(0, ...(episodes ?? []).map((one) => one.action.length));
    state.usual("array", counted[0]?.array ?? "");
    state.usual("unit", "counts");
    const grid = (/** @type {string} */ name) => run.tables.filter((one) => one.name === name).map((one) => gridTable(one, CAPTIONS));
    const draw = (/** @type {string} */ id, /** @type {(run: LearnRun) => Figure | null} */ make, /** @type {HTMLElement[]} */ controls = []) =>
        figure(id, () => make(run), controls, (made) => `learning(summary, ${made.python})`);
    main.append(head(run));
    const section = sections(main);
    section("counts", "Counts over time", [counted.length < arrays.length ? h("p", { class: "note" }, `${counted.length === 0 ? "The document has no counts: they are" : `Of ${arrays.filter((a) => !a.counts).map((a) => a.array).join(", ")} the document has no counts: these are`} many numbers. `, ...prose("`sonde simulate --history` writes them.")) : null,
        counted.length > 0 ? draw("counts", countsFigure, [state.choose("array", "array", counted.map((a) => a.array)), state.choose("shown as", "unit", [["counts", "counts"], ["share", "share of the column"]])]) : null,
        ...grid("counts").map((table) => h("details", {}, h("summary", {}, "The table: first and last"), table))]);
    section("learned", "How far it came", [...grid("learned"), draw("kl", klFigure), ...grid("kl").map((table) => h("details", {}, h("summary", {}, "The table"), table))]);
    section("course", "What it did", episodes ? [draw("choices", choicesFigure, episodes.length > 1 && most > 1 ? [state.choose("step", "step", [["", "all"], ...Array.from({ length: Math.min(most, 50) }, (_, t) => /** @type {[string, string]} */ ([String(t), String(t + 1)]))])] : []),
        draw("returns", returnsFigure), ...grid("curve")] : []);
    section("notes", "Notes", [h("ul", { class: "text" }, ...NOTES.map((note) => h("li", {}, ...prose(note)))),
        imprint()]);
}

const SECTIONS = /** @type {Record<string, string>} */ ({ c: "counts", k: "learned", d: "course", n: "notes" });

/**
 * @param {LearnRun | null} run
 * @returns {import("./main.js").Screen}
 */
export function learnScreen(run) {
    return { name: "learning", title: "Learning", shows: () => run !== null, keys: [["c", "to the counts"], ["k", "to how far they came"], ["d", "to what it did"], ["n", "to the notes"]],
        open: (main) => { if (run) { open(run, main); } }, key: (key) => goTo(SECTIONS[key]) };
}
