/* replay_screen.js: what an agent made of what people did: how probable it found each action, and
 * what it believed meanwhile, one subject at a time. */
import { h } from "./dom.js";
import { ending, fact, figure, goTo, gridTable, imprint, running, sections, tile } from "./report.js";
import * as state from "./state.js";
import { fixed, plural, short } from "./words.js";

const CAPTIONS = {
    subjects: "Every subject: rows that count, log-likelihood of their actions, the geometric mean of their probabilities, and the share of rows whose most probable action was taken.",
    rows: "How probable each action was, and how surprising what was seen before it, in nats: the first rows. tables/rows.csv has all.",
};

/** @param {Replay} replay */
const chosen = (replay) => replay.subjects.find((one) => one.subject === state.get("subject")) ?? replay.subjects[0];

/**
 * @param {Replay} replay
 * @param {number[]} action
 */
const actionWords = (replay, action) => action.map((u, f) => ({ u, names: replay.names?.factors[f]?.actions })).filter(({ names }) => names?.length !== 1)
    .map(({ u, names }) => names?.[u] ?? (u < 0 ? "none" : `action ${u}`)).join("/");

/**
 * @param {Replay} replay
 * @returns {Figure}
 */
function trajectory(replay) {
    const one = chosen(replay);
    const f = Number(state.get("factor"));
    const factor = replay.names?.factors[f];
    const x = { title: "row of the subject", whole: true, low: 1, high: Math.max(2, one.steps.length) };
    const window = 2 * Math.floor(one.steps.length / 24) + 1;
    const taken = one.steps.map((step) => actionWords(replay, step.action ?? []));
    const acts = [...new Set(taken)].sort().slice(0, 7);
    const states = one.steps[0]?.belief?.[f]?.length ?? 0;
    const curve = (/** @type {string} */ label, /** @type {number} */ colour, /** @type {(number | null)[]} */ values) => /** @type {Series} */ ({ label, colour, shape: "line", plain: true, marks: values.map((y, i) => ({ x: i + 1, y: y ?? NaN })) });
    return { name: "trajectory", title: `What the agent made of ${one.subject}`, height: 170, python: "", panels: [
        { title: "The action that was taken", x, y: { title: "its probability", low: 0, high: 1 }, series: [...acts.map((words, k) => /** @type {Series} */ ({ label: words, colour: k + 1, shape: "dot", size: 0.7,
            marks: one.steps.map((step, i) => ({ x: i + 1, y: step.p ?? NaN })).filter((_, i) => taken[i] === words) })), curve(`mean over ${window} rows`, 0, running(one.steps.map((step) => step.p ?? NaN), window))] },
        { title: `Belief: ${factor?.name || `factor ${f}`}`, x, y: { title: "probability", low: 0, high: 1 }, series: Array.from({ length: Math.min(states, 8) }, (_, s) => curve(factor?.states?.[s] ?? `state ${s}`, s + 1, one.steps.map((step) => step.belief?.[f]?.[s] ?? NaN))) },
        { title: "What was seen", x, y: { title: "surprise, nats", low: 0 }, series: [curve("surprise", 0, one.steps.map((step) => step.surprise))] }],
    caption: `Row by row: how probable the agent found the action that was taken, what it believed after the outcomes of the row, and how surprising these were (−ln P).${states > 8 ? ` The first 8 of ${states} states.` : ""}` };
}

/**
 * @param {Replay} replay
 * @returns {Figure}
 */
const everybody = (replay) => ({ name: "everybody", title: "Subjects", height: 170, python: "", panels: /** @type {["mean_p" | "hits", string][]} */ ([["mean_p", "mean probability of actions"], ["hits", "share of hits"]]).map(([key, title]) => ({ title: "",
    x: { title: "subject", whole: true, low: 0, high: replay.subjects.length + 1 }, y: { title, low: 0, high: 1 }, series: [{ label: title, colour: 1, shape: /** @type {"dot"} */ ("dot"), marks: replay.subjects.map((one, i) => ({ x: i + 1, y: one[key] ?? NaN, tip: one.subject, key: one.subject })) }] })),
    caption: "How well the agent foresees each subject, in the order of the table. Choose a point for the subject." });

/**
 * @param {Replay} replay
 * @param {HTMLElement} main
 */
function open(replay, main) {
    const name = replay.names?.model || "a model";
    const factors = replay.names?.factors ?? [];
    const grid = (/** @type {string} */ wanted) => replay.tables.filter((one) => one.name === wanted).map((one) => gridTable(one, CAPTIONS));
    const choose = (/** @type {string} */ subject) => { state.set({ subject }); goTo("trajectory"); };
    document.title = `Sonde: replay of ${name}`;
    state.usual("subject", replay.subjects[0].subject);
    state.usual("factor", "0");
    main.append(h("header", {}, h("h1", {}, `Replay: ${name}`), h("p", { class: "lead" }, `${plural(replay.n, "action")} of ${plural(replay.subjects.length, "subject")}, followed by an agent that sees what they saw: how probable it finds what they did.`),
        h("div", { class: "tiles" }, tile(short(replay.mean_p), "is the mean probability of an action that was taken"), tile(`${fixed(100 * replay.hits, 0)} %`, "of actions were the most probable ones")),
        h("dl", { class: "facts" }, fact("log-likelihood", fixed(replay.log_likelihood, 2)), fact("outcomes seen", `${replay.timing} the action`), fact("made by", `Sonde ${replay.sonde}`)), ending(replay.command)));
    const section = sections(main);
    section("trajectory", "One subject", [figure("trajectory", () => trajectory(replay), [state.choose("subject", "subject", replay.subjects.map((one) => one.subject)),
        ...(factors.length > 1 ? [state.choose("belief of", "factor", factors.map((one, f) => [String(f), one.name || `factor ${f}`]))] : [])], () => "")]);
    section("subjects", "Every subject", [figure("everybody", () => everybody(replay), [], () => "", (mark) => mark.key && choose(mark.key)), ...grid("subjects")]);
    section("rows", "Rows", [...grid("rows").map((table) => h("details", {}, h("summary", {}, "The table"), table)), imprint()]);
}

const SECTIONS = /** @type {Record<string, string>} */ ({ o: "trajectory", s: "subjects", r: "rows" });

/**
 * @param {Replay | null} replay
 * @returns {import("./main.js").Screen}
 */
export function replayScreen(replay) {
    return { name: "replay", title: "Replay", shows: () => replay !== null, keys: [["o", "to one subject"], ["s", "to every subject"], ["r", "to the rows"]],
        open: (main) => { if (replay) { open(replay, main); } }, key: (key) => goTo(SECTIONS[key]) };
}
