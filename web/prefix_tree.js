/* prefix_tree.js: the tree of the policies' beginnings, unfolded on click: how many policies begin so, the least
 * G among them, what the search knew of that, and how much of the exact posterior they hold. In a graph world the policies after a beginning are those
 * of a decision from where it ends, with the steps that are left; so each is one small command, however many policies there
 * are. Those of a model are listed, as long as they are few. */
import { actionName } from "./decision_view.js";
import { h } from "./dom.js";
import * as engine from "./engine.js";
import * as subject from "./subject.js";
import { nodeName } from "./world.js";
import { brief, plural, short } from "./words.js";

/* policies of a model that are listed at most */
const LISTED = 20000;

/** `sofar` is G of the steps so far, `bound` what no policy that begins so can be below, as the search knew it, or null.
 * @typedef {{words: string, count: number, sofar: number, least: number, bound: number | null, mass: number, more: () => Promise<Beginning[]>, last: boolean}} Beginning */

/**
 * @param {any} document of the whole decision
 * @param {Graph} graph
 * @param {number[]} edge where the beginning ends
 * @param {number} left steps
 * @param {{sofar: number, mass: number}} before
 * @returns {Promise<Beginning[]>}
 */
async function ofGraph(document, graph, edge, left, before) {
    const { gamma } = document.settings;
    const options = ["--destination", String(graph.destination), "--lambda", String(graph.lambda), "--gamma", String(gamma)];
    const from = (/** @type {number[]} */ at, /** @type {number} */ steps) =>
        engine.json(["plan", subject.current().file, "--search", "bounded", "--explain", "--start", at.join(","), "--horizon", String(steps), ...options]);
    const here = await from(edge, left);
    return Promise.all(here.explain.alternatives.map(async (/** @type {any} */ row) => {
        const [next, sofar] = [row.steps[0].edge, before.sofar + row.steps[0].efe];
        const count = left > 1 ? (await from(next, left - 1)).policy_space : 1;
        const mass = before.mass * row.posterior;
        return { words: `→ ${nodeName(graph, next[1])}`, count, sofar, least: before.sofar + row.efe, bound: row.bound === null ? null : before.sofar + row.bound, mass, last: left === 1,
            more: () => ofGraph(document, graph, next, left - 1, { sofar, mass }) };
    }));
}

/** A policy of a list: G of its first steps, of each number of them, and of all.
 * @typedef {{actions: number[][], sums: number[], efe: number, mass: number}} Listed */

/**
 * @param {any} about
 * @param {Listed[]} policies that begin alike
 * @param {number} t
 * @param {(actions: number[]) => number | null} [bound] what the search knew of a first action
 * @returns {Beginning[]}
 */
function ofList(about, policies, t, bound = () => null) {
    /** @type {Map<string, typeof policies>} */
    const groups = new Map();
    for (const policy of policies) {
        const key = policy.actions[t].join(",");
        groups.set(key, [...(groups.get(key) ?? []), policy]);
    }
    return Array.from(groups.values(), (group) => ({ words: actionName(about, { actions: group[0].actions[t] }, null), count: group.length, sofar: group[0].sums[t], bound: bound(group[0].actions[t]),
        least: group.reduce((least, policy) => Math.min(least, policy.efe), Infinity), mass: group.reduce((sum, policy) => sum + policy.mass, 0),
        last: t + 1 === group[0].actions.length, more: async () => ofList(about, group, t + 1) })).sort((a, b) => a.least - b.least);
}

/** @param {any} document @param {any} about */
async function ofModel(document, about) {
    const { policies } = await engine.json(subject.words("efe", ["--steps"]));
    const { gamma } = document.settings;
    const best = policies.reduce((/** @type {number} */ least, /** @type {any} */ policy) => Math.min(least, policy.efe), Infinity);
    const weights = policies.map((/** @type {any} */ policy) => Math.exp(-gamma * (policy.efe - best)));
    const sumOfAll = weights.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b, 0);
    const bounds = new Map(document.explain.alternatives.map((/** @type {any} */ row) => [row.action.actions.join(","), row.bound]));
    return ofList(about, policies.map((/** @type {any} */ policy, /** @type {number} */ i) => {
        let sum = 0;
        return { actions: policy.actions, sums: policy.steps.map((/** @type {any} */ step) => (sum += step.efe)), efe: policy.efe, mass: weights[i] / sumOfAll };
    }), 0, (actions) => bounds.get(actions.join(",")) ?? null);
}

/**
 * @param {Beginning[]} beginnings
 * @returns {HTMLElement}
 */
function list(beginnings) {
    return h("ul", { class: "tree" }, ...beginnings.map((one) => {
        const line = h("span", {}, h("b", {}, one.words), ` ${plural(one.count, "policy", "policies")}, G so far ${brief(one.sofar)}, least G ${brief(one.least)}${one.bound === null ? "" : `, bound ${brief(one.bound)}`}, mass ${short(one.mass)}`);
        if (one.last) {
            return h("li", {}, line);
        }
        const details = h("details", {}, h("summary", {}, line));
        details.addEventListener("toggle", async () => {
            if (/** @type {HTMLDetailsElement} */ (details).open && details.childElementCount === 1) {
                details.append(list(await one.more()));
            }
        });
        return h("li", {}, details);
    }));
}

/**
 * @param {any} document of sonde plan --explain --json
 * @param {any} about
 * @param {Graph | null} graph
 */
export function prefixTree(document, about, graph) {
    if (!graph && (document.policy_space > LISTED || about.policies?.kind === "listed")) {
        return h("p", {}, `${plural(document.policy_space, "policy", "policies")} are more than can be listed here; a shorter horizon has fewer.`);
    }
    const place = h("div", { id: "tree" }, "…");
    const first = graph ? ofGraph(document, graph, document.state, document.horizon, { sofar: 0, mass: 1 }) : ofModel(document, about);
    first.then((beginnings) => place.replaceChildren(list(beginnings)),
        (error) => place.replaceChildren(h("p", { class: "note" }, error.message)));
    return place;
}
