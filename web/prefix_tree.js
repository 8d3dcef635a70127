/* prefix_tree.js: the tree of the policies' beginnings, unfolded on click: how many policies begin so, G so far, the
 * best G that was found among them, the bound that none is below, and how much of the posterior they hold. Each
 * unfolding is one command, `sonde plan --prefix`, however many policies there are. */
import { actionName } from "./decision_view.js";
import { h } from "./dom.js";
import * as engine from "./engine.js";
import * as subject from "./subject.js";
import { nodeName } from "./world.js";
import { brief, plural, short } from "./words.js";

/** @typedef {{document: any, about: any, graph: Graph | null, at: string[]}} Why */

/** How an action of a document is called on the command line.
 * @param {Why} why
 * @param {any} action */
const wordOf = ({ about, graph }, action) => (graph ? String(graph.names?.[action.to] ?? action.to)
    : action.actions.map((/** @type {number} */ a, /** @type {number} */ f) => about?.names?.factors?.[f]?.actions?.[a] ?? a).join("/"));

/** @param {any} one */
function numbersOf(one) {
    const mass = short(one.mass[0]) === short(one.mass[1]) ? short(one.mass[1]) : `${short(one.mass[0])} to ${short(one.mass[1])}`;
    return ` ${plural(Number(one.policies), "policy", "policies")}, G so far ${brief(one.efe)}, ${one.best === null ? "" : `best G ${brief(one.best)}, `}bound ${brief(one.least)}, mass ${mass}`;
}

/**
 * @param {Why} why
 * @param {string[]} steps
 * @returns {Promise<HTMLElement>}
 */
async function branches(why, steps) {
    const { document, about, graph, at } = why;
    const from = graph ? ["--start", document.state.map((/** @type {number} */ node) => graph.names?.[node] ?? node).join(",")] : at;
    const { prefix } = await engine.json(subject.words("plan", ["--prefix", steps.join(",") || "all", ...from], { search: "bounded" }));
    return h("ul", { class: "tree" }, ...prefix.next.map((/** @type {any} */ one) => {
        const line = h("span", {}, h("b", {}, graph ? `→ ${nodeName(graph, one.action.to)}` : actionName(about, one.action, null)), numbersOf(one));
        if (steps.length + 1 === document.horizon) {
            return h("li", {}, line);
        }
        const details = h("details", {}, h("summary", {}, line));
        details.addEventListener("toggle", () => {
            if (/** @type {HTMLDetailsElement} */ (details).open && details.childElementCount === 1) {
                fill(details, why, [...steps, wordOf(why, one.action)]);
            }
        });
        return h("li", {}, details);
    }));
}

/**
 * @param {HTMLElement} place
 * @param {Why} why
 * @param {string[]} steps
 */
function fill(place, why, steps) {
    const waiting = h("p", { class: "small" }, "…");
    place.append(waiting);
    branches(why, steps).then((list) => waiting.replaceWith(list), (error) => waiting.replaceWith(h("p", { class: "note" }, error.message)));
}

/** @param {Why} why */
export function prefixTree(why) {
    const place = h("div", { id: "tree" });
    fill(place, why, []);
    return place;
}
