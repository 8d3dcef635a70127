/* contingency_view.js: a plan in closed loop: what to do in each belief, and which belief follows which outcomes.
 * Columns are steps; the most probable beliefs are shown, the widest lines are the most probable outcomes. */
import palette from "./palette.json";
import { actionName, bars } from "./decision_view.js";
import { button, h, s } from "./dom.js";
import { savePng, saveSvg } from "./share.js";
import { brief, cut, fixed, isolated, plural, short } from "./words.js";

/* beliefs that are shown, and the picture's own units */
const [MOST, BOX, TALL, GAP, LEVEL, ROW, SPACE] = [32, 132, 34, 176, 116, 18, 14];

/** What was seen, in words; with others, only what tells it from what else may be seen in the same belief.
 * @param {any} about
 * @param {(number | null)[]} outcome
 * @param {(number | null)[][]} [others] */
function outcomeName(about, outcome, others = []) {
    const modalities = about?.names?.modalities ?? [];
    const tells = outcome.map((o, m) => others.some((other) => other[m] !== o));
    return outcome.map((o, m) => (o === null || (tells.includes(true) && !tells[m]) ? null : isolated(String(modalities[m]?.outcomes?.[o] ?? `outcome ${o}`)))).filter((words) => words !== null).join(", ") || "anything";
}

/** @param {[number, number]} range */
const efeOf = ([low, high]) => (high - low > 2e-6 * (1 + Math.abs(low)) ? `G ${short(low)} to ${short(high)}` : `G ${short((low + high) / 2)}`);

/** Beliefs that are likely enough, and the lines between them.
 * @param {any[]} plan */
function likely(plan) {
    const reach = plan.map((_, i) => (i === 0 ? 1 : 0));
    for (const node of plan) {
        for (const child of node.children.filter((/** @type {any} */ one) => one.id !== null)) {
            reach[child.id] += reach[node.id] * child.p;
        }
    }
    const least = plan.length > MOST ? reach.slice().sort((a, b) => b - a)[MOST - 1] : 0;
    const shown = plan.filter((node) => reach[node.id] >= least);
    const seen = new Set(shown.map((node) => node.id));
    /** @type {{from: any, to: number | null, p: number, outcomes: any[], y: number}[]} */
    const lines = [];
    for (const node of shown) {
        for (const child of node.children) {
            const old = lines.find((line) => line.from === node && child.id !== null && line.to === child.id);
            if (old) {
                old.p += child.p;
                old.outcomes.push(child.outcome);
            } else if (child.id === null ? reach[node.id] * child.p >= least : seen.has(child.id)) {
                lines.push({ from: node, to: child.id, p: child.p, outcomes: [child.outcome], y: 0 });
            }
        }
    }
    return { shown, lines };
}

/** @param {{document: any, about: any}} why */
function picture({ document, about }) {
    const { shown, lines } = likely(document.plan);
    /** @type {Map<number, {y: number, tall: number}>} */
    const place = new Map();
    const depths = 1 + Math.max(0, ...shown.map((node) => node.depth));
    const heights = Array.from({ length: depths + 1 }, (_, depth) => {
        let y = 0;
        for (const node of shown.filter((one) => one.depth === depth)) {
            const into = lines.filter((line) => line.to === node.id);
            const tall = Math.max(TALL, ROW * into.length);
            into.forEach((line, i) => { line.y = y + (tall - ROW * into.length) / 2 + ROW * (i + 0.5); });
            place.set(node.id, { y: y + tall / 2, tall });
            y += tall + SPACE;
        }
        for (const line of lines.filter((one) => one.to === null && one.from.depth + 1 === depth)) {
            line.y = y + ROW / 2;
            y += ROW;
        }
        return y;
    });
    const height = Math.max(...heights);
    const column = (/** @type {number} */ depth) => 2 + depth * (BOX + GAP);
    const middle = (/** @type {number} */ depth) => (height - heights[depth]) / 2;
    const at = (/** @type {any} */ node) => (place.get(node.id)?.y ?? 0) + middle(node.depth);
    const words = { "font-size": 11, fill: "currentColor" };
    const drawn = lines.flatMap((line) => {
        const [x, y] = [column(line.from.depth) + BOX, at(line.from)];
        const [end, to] = [column(line.from.depth + 1), line.y + middle(line.from.depth + 1)];
        const half = (x + end - LEVEL) / 2;
        const said = `${outcomeName(about, line.outcomes[0], line.from.children.map((/** @type {any} */ child) => child.outcome))}${line.outcomes.length > 1 ? ` or ${line.outcomes.length - 1} more` : ""}`;
        return [s("path", { d: `M${x} ${y} C${half} ${y} ${half} ${to} ${end - LEVEL} ${to} L${end} ${to}`, fill: "none", stroke: palette.grey, "stroke-width": 0.8 + 2.2 * line.p },
            s("title", {}, `${line.outcomes.map((one) => outcomeName(about, one)).join("; or ")}: ${short(line.p)}`)),
        s("text", { ...words, x: end - 7, y: to - 3, "text-anchor": "end" }, `${isolated(cut(said, 15))} ${fixed(line.p, 2)}`),
        ...(line.to === null ? [s("circle", { cx: end, cy: to, r: 3, fill: "none", stroke: palette.grey }, s("title", {}, "nobody looked at this belief"))] : [])];
    });
    const boxes = shown.flatMap((node) => {
        const [x, y, name, tall] = [column(node.depth), at(node), actionName(about, node.action, null), place.get(node.id)?.tall ?? TALL];
        return [s("rect", { x, y: y - tall / 2, width: BOX, height: tall, rx: 4, fill: "var(--page, none)", stroke: node.id === 0 ? palette.path : palette.better, "stroke-width": 1.4 },
            s("title", {}, `after ${plural(node.depth, "step")}: ${name}, G ${brief(node.efe[0])} to ${brief(node.efe[1])}`)),
        s("text", { ...words, x: x + 7, y: y - 4, "font-weight": "bold" }, cut(name, 18)), s("text", { ...words, x: x + 7, y: y + 12 }, efeOf(node.efe))];
    });
    const ends = lines.some((line) => line.to === null && line.from.depth + 1 === depths);
    const said = document.plan.slice(0, 6).map((/** @type {any} */ node) => `${node.depth === 0 ? "first" : `after ${plural(node.depth, "step")}`} ${actionName(about, node.action, null)}`).join("; ");
    const width = column(depths - 1) + BOX + 2 + (ends ? GAP : 0);
    return s("svg", { viewBox: `0 -2 ${width} ${height + 6}`, width, height: height + 6, role: "img", color: "currentColor", class: "chart", id: "contingency",
        "aria-label": `A plan of ${plural(document.plan.length, "belief")}: ${said}` }, ...drawn, ...boxes);
}

/**
 * A decision in closed loop, and its plan.
 * @param {{document: any, about: any}} why
 * @returns {HTMLElement[]}
 */
export function contingencyView(why) {
    const { document, about } = why;
    const rows = document.first_actions.map((/** @type {any} */ one) => ({ words: `${actionName(about, one.action, null)}, ${efeOf(one.efe)}`, value: one.p,
        chosen: JSON.stringify(one.action) === JSON.stringify(document.action) }));
    const sure = document.certificate ? `Within ${short(document.certificate.tv)} of the exact posterior (${document.certificate.stopped}).` : "This search gives no certificate.";
    const drawn = document.plan.length > 0 ? picture(why) : null;
    return [h("section", { "aria-label": "The decision" }, h("h2", {}, "What it does"), h("div", { class: "decision" },
        h("p", { class: "lead", role: "status", id: "sentence" }, `${actionName(about, document.action, null)}, p ${short(rows.find((/** @type {any} */ row) => row.chosen)?.value ?? 0)}. ${sure}`),
        bars(rows, "How probable each action is"),
        h("p", { class: "small" }, `Value ${brief(document.value[0])} to ${brief(document.value[1])}, backup ${document.backup}; ${plural(document.evaluations.beliefs, "belief")} looked at by search ${document.search}. G counts what is learned once, and is not comparable with G of sequences.`))),
    h("section", { "aria-label": "The plan" }, h("h2", {}, "What next, after what is seen"),
        ...(drawn ? [h("div", { class: "scroll plan", tabindex: "0", role: "region", "aria-label": "The plan, from left to right" }, drawn), h("div", { class: "tools" }, button("SVG", () => saveSvg("plan", drawn)), button("PNG", () => savePng("plan", drawn)))]
            : [h("p", {}, "This search does not follow outcomes, so there is no plan.")]))];
}
