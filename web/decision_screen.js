/* decision_screen.js: one decision, and why: how probable each action is, G term by term and step by step, how
 * the certificate closed, and the tree of the policies' beginnings; in closed loop the plan. */
import palette from "./palette.json";
import { contingencyView } from "./contingency_view.js";
import { actionName, bars, decisionView } from "./decision_view.js";
import { button, h, s } from "./dom.js";
import * as engine from "./engine.js";
import { prefixTree } from "./prefix_tree.js";
import { fitting } from "./report.js";
import { csv, savePng, saveSvg, saveText, taken, typed } from "./share.js";
import * as state from "./state.js";
import * as subject from "./subject.js";
import { brief, cut, plural, raised, short } from "./words.js";

const OPTIONS = ["search", "loop", "backup", "k", "embedding", "scope", "epsilon", "budget", "beam", "top", "horizon", "lambda", "gamma", "action", "seed"];
/* the parts of G, their colours and their signs: novelty, where it counts, is subtracted */
const TERMS = /** @type {[string, number, number][]} */ ([["risk", 1, 1], ["ambiguity", 6, 1], ["cost", 2, 1], ["novelty", 3, -1]]);
/* actions whose terms one looks at, and how high each stands */
const [MOST, BAND] = [12, 26];

/** How wide a picture is, in its own units: no wider than the window, so that its words keep their size. */
const widthOf = () => Math.max(340, Math.min(560, document.documentElement.clientWidth - 32));

/** @typedef {{document: any, about: any, graph: Graph | null, at: string[]}} Why */

/** G of an action's best policy; where the search has not completed one, what it has at least.
 * @param {any} row */
const efeOf = (row) => (row.policy !== null ? brief(row.efe) : row.bound === null ? "not looked at" : `≥ ${brief(row.bound)}`);

/** Whether novelty is a part of these policies' G.
 * @param {any} document */
const novel = (document) => document.explain.alternatives.some((/** @type {any} */ row) => row.steps.some((/** @type {any} */ step) => step.novelty !== undefined));

/**
 * The bar of an action: what is above zero goes to the right, step after step, and what is below it to the left; what is
 * not decided yet, up to the bound, is an empty box.
 * @param {any} row
 * @param {[string, number, number][]} terms
 */
function barOf(row, terms) {
    const ends = [0, 0]; // to the left, to the right
    const boxes = /** @type {{from: number, to: number, colour: number | null, said: string}[]} */ ([]);
    const add = (/** @type {number} */ value, /** @type {number | null} */ colour, /** @type {string} */ said) => {
        const side = value < 0 ? 0 : 1;
        boxes.push({ from: Math.min(ends[side], ends[side] + value), to: Math.max(ends[side], ends[side] + value), colour, said });
        ends[side] += value;
    };
    const steps = row.steps.map((/** @type {any} */ step, /** @type {number} */ t) => {
        terms.filter(([name]) => step[name]).forEach(([name, colour, sign]) => add(sign * step[name], colour, `step ${t + 1}: ${name} ${brief(step[name])}`));
        return ends.slice();
    });
    const known = row.steps.reduce((/** @type {number} */ sum, /** @type {any} */ step) => sum + step.efe, 0);
    if (row.policy === null && row.bound !== null) {
        add(row.bound - known, null, `not decided yet: ${brief(row.bound - known)} at least`);
    }
    return { boxes, steps, ends };
}

/**
 * G of the best policy of each first action, step by step, its terms in colours.
 * @param {Why} why
 */
function termsPicture({ document, about, graph }) {
    const rows = document.explain.alternatives.slice(0, MOST);
    const terms = TERMS.filter(([name]) => name !== "novelty" || novel(document));
    const drawn = rows.map((/** @type {any} */ row) => barOf(row, terms));
    const [least, most] = [0, 1].map((side) => Math.max(...drawn.map((/** @type {any} */ one) => Math.abs(one.ends[side])), 0));
    const width = widthOf();
    const scale = (width - 200) / Math.max(least + most, 1e-9);
    const x = (/** @type {number} */ value) => 130 + (least + value) * scale;
    const marks = rows.flatMap((/** @type {any} */ row, /** @type {number} */ i) => {
        const { boxes, steps, ends } = drawn[i];
        const y = 24 + i * BAND;
        const words = actionName(about, row.action, graph);
        return [s("text", { x: 124, y: y + 13, "text-anchor": "end", "font-size": 12, fill: "currentColor" }, cut(words, 18)),
            ...boxes.map((/** @type {any} */ box) => s("rect", { x: x(box.from), y, width: x(box.to) - x(box.from), height: BAND - 8,
                ...(box.colour === null ? { fill: "none", stroke: palette.grey, "stroke-dasharray": "4 3" } : { fill: palette.series[box.colour] }) }, s("title", {}, `${words}, ${box.said}`))),
            ...steps.flatMap((/** @type {number[]} */ end, /** @type {number} */ t) => end.flatMap((value, side) => (value === (steps[t - 1]?.[side] ?? 0) ? []
                : [s("line", { x1: x(value), x2: x(value), y1: y - 2, y2: y + BAND - 6, stroke: "currentColor", "stroke-width": 1 })]))),
            s("text", { x: x(ends[1]) + 6, y: y + 13, "font-size": 12, fill: "currentColor" }, efeOf(row))];
    });
    const [from, apart] = width < 560 ? [4, (width - 4) / terms.length] : [130, 100];
    const legend = terms.flatMap(([name, colour], i) => [s("rect", { x: from + apart * i, y: 4, width: 10, height: 10, fill: palette.series[colour] }),
        s("text", { x: from + 14 + apart * i, y: 13, "font-size": 12, fill: "currentColor" }, name === "novelty" ? "less novelty" : name)]);
    const zero = s("line", { x1: x(0), x2: x(0), y1: 18, y2: 24 + rows.length * BAND, stroke: "currentColor", "stroke-width": 1, id: "zero" });
    const label = rows.map((/** @type {any} */ row) => `${actionName(about, row.action, graph)}: G ${efeOf(row)}`).join("; ");
    return s("svg", { viewBox: `0 0 ${width} ${32 + rows.length * BAND}`, role: "img", "aria-label": `G of the best policy of each first action. ${label}`, color: "currentColor", class: "chart", id: "terms" }, ...legend, ...marks, zero);
}

/** The same as a table.
 * @param {Why} why */
function termsTable({ document, about, graph }) {
    const terms = TERMS.map(([name]) => name).filter((name) => name !== "novelty" || novel(document));
    const rows = /** @type {any[][]} */ ([["action", "step", ...terms, "G", "G so far"]]);
    for (const row of document.explain.alternatives) {
        let sum = 0;
        row.steps.forEach((/** @type {any} */ step, /** @type {number} */ t) => {
            sum += step.efe;
            rows.push([actionName(about, row.action, graph), t + 1, ...terms.map((name) => step[name]), step.efe, sum]);
        });
    }
    return rows;
}

/**
 * How the certificate closed: total variation, and the gap between the best found and what may be left.
 * @param {any[]} trace
 * @param {number} at the point that is looked at
 * @param {number} width
 */
function tracePicture(trace, at, width) {
    const [left, right, top, bottom] = [60, width - 20, 12, 150];
    const most = Math.max(...trace.map((point) => point.steps), 1);
    const floor = 1e-12;
    const log = (/** @type {number} */ tv) => Math.log10(Math.max(tv, floor));
    const low = Math.floor(Math.min(...trace.map((point) => log(point.tv)), -1));
    const x = (/** @type {any} */ point) => left + (right - left) * point.steps / most;
    const y = (/** @type {any} */ point) => top + (bottom - top) * log(point.tv) / low;
    const ticks = Array.from(new Set([0, 1, 2, 3].map((i) => Math.round(low * i / 3))));
    const here = trace[at];
    return s("svg", { viewBox: `0 0 ${width} 190`, role: "img", color: "currentColor", class: "chart", id: "trace",
        "aria-label": `The certificate over steps scored: within ${short(here.tv)} after ${plural(here.steps, "step")}, ${short(trace[trace.length - 1].tv)} at the end` },
    ...ticks.map((tick) => s("text", { x: left - 6, y: top + (bottom - top) * tick / low + 4, "text-anchor": "end", "font-size": 11, fill: "currentColor" }, tick === 0 ? "1" : `10${raised(tick)}`)),
    s("text", { transform: `translate(14 ${(top + bottom) / 2}) rotate(-90)`, "text-anchor": "middle", "font-size": 12, fill: "currentColor" }, "distance at most"),
    s("line", { x1: left, x2: right, y1: bottom, y2: bottom, stroke: "currentColor" }),
    s("text", { x: right, y: bottom + 30, "text-anchor": "end", "font-size": 12, fill: "currentColor" }, `steps scored, to ${most.toLocaleString("en-US")}`),
    s("path", { d: trace.map((point, i) => `${i ? "L" : "M"}${x(point)} ${y(point)}`).join(""), fill: "none", stroke: palette.better, "stroke-width": 2 }),
    ...trace.map((point) => s("circle", { cx: x(point), cy: y(point), r: 2, fill: palette.better })),
    s("circle", { cx: x(here), cy: y(here), r: 6, fill: "none", stroke: palette.path, "stroke-width": 3 }));
}

/** @param {any} document */
function certificateView(document) {
    const trace = document.explain?.trace ?? [];
    if (trace.length === 0) {
        return h("p", {}, document.explain?.meaning ? `It rests on this: ${document.explain.meaning}.` : "This search leaves no trace.");
    }
    const said = h("output", { id: "scrubbed" });
    const slider = /** @type {HTMLInputElement} */ (h("input", { type: "range", min: 0, max: trace.length - 1, value: trace.length - 1, "aria-label": "moment of the search", oninput: () => draw() }));
    const { place, redraw } = fitting((width) => tracePicture(trace, Number(slider.value), Math.min(width, 560)));
    const draw = () => {
        const point = trace[Number(slider.value)];
        redraw();
        said.textContent = `after ${plural(point.steps, "step")}: ${point.best === null ? "no policy yet" : `best G ${brief(point.best)}`}${point.least === null ? ", nothing left open" : `, what is left open has at least ${brief(point.least)}`}; within ${short(point.tv)}`;
    };
    draw();
    const alone = trace.length === 1; // there is nothing to see of how it closed
    return h("div", {}, h("p", {}, `It rests on this: ${document.explain.meaning}.`), ...(alone ? [] : [place]), h("div", { class: "controls" }, ...(alone ? [] : [slider]), said),
        ...(document.explain.bounds?.some((/** @type {any} */ bound) => bound.open > 0) ? [h("p", { class: "small" }, "Which bounds hold what is left open:"),
            bars(document.explain.bounds.map((/** @type {any} */ bound) => ({ words: bound.name, value: bound.share })), "Share of each bound")] : []));
}

/** @param {HTMLElement} root */
function open(root) {
    const view = h("div", {});
    const problem = h("p", { class: "note", role: "alert", hidden: true });
    const follow = async () => {
        const { document: about, error, kind } = subject.current();
        if (about === null || error !== null) {
            return;
        }
        const graph = subject.world();
        try {
            const at = Number(state.get("step")) > 0 ? await placeAt(Number(state.get("step"))) : [];
            const document = await subject.ask("plan", ["--explain", ...at]);
            if (document === null) {
                return;
            }
            document.command = commandAt(document.command, at);
            problem.hidden = true;
            view.replaceChildren(...parts({ document, about, graph, at }));
        } catch (failed) {
            problem.hidden = false;
            problem.textContent = /** @type {Error} */ (failed).message;
        }
    };
    root.append(h("h1", {}, "Decision"), subject.controls(OPTIONS), problem, view);
    subject.changed(follow);
    follow();
}

/** The command that walks to a step, and where it leaves the agent.
 * @param {number} step */
const walk = (step) => ({ file: `${subject.current().file.replace(/[.][^.]*$/, "")}.agent.json`,
    words: (/** @type {string} */ file) => subject.words("simulate", ["--steps", String(step), "--save", file]) });

/** A command that decides where those options put the agent, with the one that it needs before it.
 * @param {string} command @param {string[]} at */
export const commandAt = (command, at) => (at[0] === "--resume" ? `${typed(walk(Number(state.get("step"))).words(at[1]))} && ${command}` : command);

/** A word on a command whose file is on no disk as it is here; nothing, if it is. */
export function unsavedNote() {
    const { file, data } = subject.current();
    return subject.unsaved() ? h("p", { class: "small unsaved" }, `It reads ${file} as it is here, which is on no disk yet: `, button(`save ${file}`, () => saveText(file, String(data), "application/json"))) : null;
}

/** A command that decides, to take away.
 * @param {string} command */
export const decided = (command) => h("div", {}, taken(command, "command that makes this decision"), unsavedNote());

/** The options of plan that put the agent where the world's screen has it: at a node, or with what it has come to believe and what it sees.
 * @param {number} step */
export async function placeAt(step) {
    if (subject.current().kind === "general") {
        const { file, words } = walk(step);
        const saved = (await engine.run(words(file), undefined, [file])).files?.[file];
        const seen = saved ? JSON.parse(saved).world.outcome : null;
        return seen ? ["--resume", file, "--observe", seen.map((/** @type {number} */ o) => (o < 0 ? "-" : o)).join(",")] : [];
    }
    const episode = await subject.ask("simulate");
    const at = episode?.steps[Math.min(step, episode.steps.length - 1)]?.state;
    return at ? ["--start", at.join(",")] : [];
}

/** @param {Why} why */
function parts(why) {
    const { document, about, graph } = why;
    if (document.loop === "closed") {
        return [...contingencyView(why), decided(document.command)];
    }
    const terms = termsPicture(why);
    return [h("div", { class: "columns" }, h("section", { "aria-label": "The decision" }, h("h2", {}, "What it does"), decisionView(document, about, graph)),
        h("section", { "aria-label": "The certificate" }, h("h2", {}, "How certain that is"), certificateView(document))),
    h("section", { "aria-label": "Terms" }, h("h2", {}, "Why: G of each action’s best policy, step by step"), h("div", { class: "picture" }, terms),
        document.explain.alternatives.length > MOST ? h("p", { class: "small" }, `${plural(document.explain.alternatives.length - MOST, "action")} more in the CSV.`) : null,
        document.explain.alternatives.some((/** @type {any} */ row) => row.policy === null && row.bound !== null) ? h("p", { class: "small" }, "An empty box is what is not decided yet, and reaches to the least that G can be.") : null,
        h("div", { class: "tools" }, button("SVG", () => saveSvg("terms", terms)), button("PNG", () => savePng("terms", terms)), button("CSV", () => saveText("terms.csv", csv(termsTable(why)), "text/csv")))),
    h("section", { "aria-label": "Prefixes" }, h("h2", {}, "The tree of beginnings"), prefixTree(why)),
    decided(document.command)];
}

/** @type {import("./main.js").Screen} */
export const decisionScreen = { name: "decision", title: "Decision", subject: true, shows: engine.here, open, keys: [["Tab", "to the scrubber and the tree; arrows move and unfold"]], key: () => false };
