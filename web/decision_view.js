/* decision_view.js: a decision in one look: what is done, how probable each action is, how certain that is. */
import palette from "./palette.json";
import { h, s } from "./dom.js";
import { nodeName } from "./world.js";
import { brief, isolated, plural, short } from "./words.js";

/**
 * What an action of a document is called: {to} in a graph world, {actions} in a model.
 * @param {any} about the model's description
 * @param {any} action
 * @param {Graph | null} graph
 */
export function actionName(about, action, graph) {
    if (graph) {
        return `to ${nodeName(graph, action.to ?? action.edges?.[1]?.[1])}`;
    }
    const factors = about?.names?.factors ?? [];
    const moved = action.actions.map((/** @type {number} */ a, /** @type {number} */ f) => ({ words: isolated(String(factors[f]?.actions?.[a] ?? `action ${a}`)), counts: (about?.factors?.[f]?.actions ?? 2) > 1 }));
    return moved.filter((/** @type {any} */ one) => one.counts).map((/** @type {any} */ one) => one.words).join(" / ") || moved.map((/** @type {any} */ one) => one.words).join(" / ");
}

/** @param {any} certificate */
export function certaintyOf(certificate) {
    if (!certificate) {
        return "This search gives no certificate.";
    }
    if (certificate.best_is_optimal === undefined) {
        return `Within ${short(certificate.tv)} of the exact posterior (${certificate.stopped}).`;
    }
    const sure = certificate.best_is_optimal ? "Certain: no policy is better." : `A policy may be better by ${short(certificate.gap)} nats at most.`;
    const stopped = certificate.stopped ? ` It stopped at its ${certificate.stopped}.` : "";
    return `${sure} Within ${short(certificate.tv)} of the exact posterior.${stopped}`;
}

/**
 * Bars, each with its words and its share.
 * @param {{words: string, value: number, chosen?: boolean}[]} rows
 * @param {string} label
 */
export function bars(rows, label) {
    return h("div", { class: "bars", role: "list", "aria-label": label }, ...rows.map(({ words, value, chosen }) => h("div", { role: "listitem", class: chosen ? "chosen" : null },
        h("span", {}, words), s("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
            s("rect", { width: 100, height: 10, fill: "var(--tint)" }), s("rect", { width: 100 * Math.min(1, Math.max(0, value)), height: 10, fill: chosen ? palette.path : palette.grey })),
        h("span", {}, short(value)))));
}

/**
 * @param {any} document of sonde plan --json
 * @param {any} about
 * @param {Graph | null} graph
 */
export function decisionView(document, about, graph) {
    const action = actionName(about, document.action, graph);
    const rows = document.first_actions.map((/** @type {any} */ one) => ({ words: actionName(about, one.action, graph), value: one.posterior ?? one.p,
        chosen: JSON.stringify(one.action) === JSON.stringify(document.action) }));
    return h("div", { class: "decision" }, h("p", { class: "lead", role: "status", id: "sentence" }, `${action}, p ${short(rows.find((/** @type {any} */ row) => row.chosen)?.value ?? 0)}. ${certaintyOf(document.certificate)}`),
        bars(rows, "How probable each action is"),
        document.best === null ? h("p", { class: "small" }, `Value ${brief(document.value[0])} to ${brief(document.value[1])} in closed loop.`) : h("p", { class: "small" }, `Best policy: G ${brief(document.best.efe)} = risk ${brief(document.best.risk)} + ambiguity ${brief(document.best.ambiguity)} + cost ${brief(document.best.cost)}${document.best.novelty === undefined ? "" : ` − novelty ${brief(document.best.novelty)}`}; ${plural(document.evaluations.steps, "step")} scored of ${plural(document.policy_space, "policy", "policies")}.`));
}
