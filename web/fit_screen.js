/* fit_screen.js: parameters fitted to what people did: estimates with intervals, posteriors, the
 * group, what the data say nothing about, and one subject at a time. */
import { button, h, prose } from "./dom.js";
import { ending, fact, figure, files, goTo, gridTable, imprint, plainTable, sections, tile } from "./report.js";
import * as state from "./state.js";
import { fixed, grouped, plural, short } from "./words.js";

const CAPTIONS = {
    parameters: "What was free: the prior’s mean and standard deviation on the transformed scale, and the value of what all subjects share.",
    group: "Subjects as draws from a group: what each column of the design adds to a parameter, on the transformed scale, with standard error, z and 95 % interval.",
    weak: "Directions about which the data of a subject say nothing, in units of the prior’s standard deviations: along them the estimate is the prior’s. Curvature 1 is the prior’s own.",
    subjects: "Every subject: values with 90 % intervals. tables/subjects.csv has estimates and standard deviations on the transformed scale, too.",
};

const NOTES = [
    "**Estimates** are maxima of likelihood times prior (MAP), with Laplace’s approximation about them: posteriors are normal on the transformed scale (log, logit or none), and intervals of 90 % go through the inverse transform.",
    "**Log evidence** is ln P of what a subject did, parameters integrated out; it is what models are compared by. **Mean p** is the geometric mean of the probabilities of the actions taken.",
    "**Weak**: where the curvature of the posterior is the prior’s own, the data say nothing; a small interval is the prior’s, then.",
];

/** @param {Fit} fit */
const namesOf = (fit) => [...new Set(fit.subjects.flatMap((one) => Object.keys(one.value)))];

/**
 * @param {Fit} fit
 * @param {string} name
 */
const parameterOf = (fit, name) => fit.parameters.find((one) => name === one.name || name.startsWith(`${one.name}[`));

/** @param {string} subject */
const choose = (subject) => {
    state.set({ subject });
    goTo("subject");
};

/**
 * Every subject's value with its interval, in order.
 * @param {Fit} fit
 * @returns {Figure}
 */
function estimates(fit) {
    const panels = namesOf(fit).map((name) => {
        const known = fit.subjects.filter((one) => Number.isFinite(one.value[name] ?? NaN)).sort((a, b) => a.value[name] - b.value[name]);
        const log = parameterOf(fit, name)?.transform === "log" && known.length > 0 && known[known.length - 1].value[name] > 5 * known[0].value[name];
        const mark = (/** @type {FitSubject} */ one, /** @type {number} */ i) => ({ x: i + 1, y: one.value[name], low: one.interval_90?.[name]?.[0], high: one.interval_90?.[name]?.[1], tip: one.subject, key: one.subject });
        const marks = known.map(mark);
        return { title: name, x: { title: "subject, the smallest first", whole: true, low: 0, high: known.length + 1 }, y: { title: log ? "value (logarithmic)" : "value", log },
            series: /** @type {Series[]} */ ([{ label: "estimate", colour: 1, shape: "dot", size: 0.8, marks: marks.filter((one) => one.key !== state.get("subject")) },
                { label: state.get("subject"), colour: 4, shape: "dot", marks: marks.filter((one) => one.key === state.get("subject")) }]) };
    });
    return { name: "estimates", title: "Estimates", panels, height: 190, free: true, python: "",
        caption: "The value of each parameter for every subject, with its 90 % interval, subjects in the order of their values. Choose a point for the subject." };
}

const N_CURVE = 61;

/**
 * A normal density as a line.
 * @param {number} mean
 * @param {number} sd
 * @param {[number, number]} ends
 */
const normal = (mean, sd, [low, high]) => Array.from({ length: N_CURVE }, (_, i) => {
    const x = low + ((high - low) * i) / (N_CURVE - 1);
    return { x, y: Math.exp(-0.5 * ((x - mean) / sd) ** 2) / (sd * Math.sqrt(2 * Math.PI)) };
});

/**
 * @param {Fit} fit
 * @returns {Figure}
 */
function posteriors(fit) {
    const panels = namesOf(fit).map((name) => {
        const prior = parameterOf(fit, name)?.prior ?? [NaN, NaN];
        const at = fit.group?.parameters.indexOf(name) ?? -1;
        const known = fit.subjects.filter((one) => Number.isFinite(one.map[name] ?? NaN) && one.sd[name] > 0);
        const ends = /** @type {[number, number]} */ ([Math.min(...known.map((one) => one.map[name] - 3 * one.sd[name]), prior[0] - prior[1]), Math.max(...known.map((one) => one.map[name] + 3 * one.sd[name]), prior[0] + prior[1])]);
        const curve = (/** @type {string} */ label, /** @type {number} */ colour, /** @type {number} */ mean, /** @type {number} */ sd) => /** @type {Series} */ ({ label, colour, shape: "line", plain: true, marks: normal(mean, sd, label === "prior" ? ends : [mean - 4 * sd, mean + 4 * sd]) });
        const chosen = known.filter((one) => one.subject === state.get("subject"));
        return { title: name, x: { title: `${name}, ${parameterOf(fit, name)?.transform ?? "transformed"}` }, y: { title: "density", low: 0 }, series: [
            ...known.filter((one) => !chosen.includes(one)).map((one) => ({ ...curve("subjects", 7, one.map[name], one.sd[name]), thin: true })),
            curve("prior", 2, prior[0], prior[1]), ...(at >= 0 && fit.group ? [curve("group", 3, fit.group.mu[0][at], fit.group.sd[0][at])] : []),
            ...chosen.map((one) => curve(one.subject, 4, one.map[name], one.sd[name]))] };
    });
    return { name: "posteriors", title: "Posteriors", panels, height: 170, free: true, python: "posteriors(summary)",
        caption: "What is believed of each parameter after the data, subject by subject, on the transformed scale, beside the prior: narrow curves are what the data say, curves like the prior’s that they say nothing." };
}

/**
 * @param {Fit} fit
 * @returns {Figure | null}
 */
function groupFigure(fit) {
    const { group } = fit;
    return group && { name: "group", title: "The group", height: 170, python: "",
        panels: group.parameters.map((name, p) => ({ title: name, x: { title: "column", whole: true, low: 0.5, high: group.columns.length + 0.5 }, y: { title: "beta" },
            series: group.columns.map((column, c) => /** @type {Series} */ ({ label: `${c + 1} ${column}`, colour: c + 1, shape: "dot", marks: [{ x: c + 1, y: group.beta[p][c] ?? NaN, low: group.low[p][c], high: group.high[p][c] }] })) })), free: true,
        caption: "What each column of the design adds to a parameter, on the transformed scale, with 95 % intervals. The intercept is the mean of the group where covariates are at their mean or first level." };
}

/**
 * Subjects as a table that is sorted by its heads.
 * @param {Fit} fit
 */
function subjectTable(fit) {
    const names = namesOf(fit);
    const columns = /** @type {[string, string, (one: FitSubject) => any][]} */ ([["subject", "subject", (one) => one.subject], ["n", "choices", (one) => one.n], ["evidence", "log evidence", (one) => one.evidence], ["p", "mean p", (one) => one.mean_p],
        ...(fit.subjects.some((one) => one.held_out !== undefined) ? [["held", "held out", (/** @type {FitSubject} */ one) => one.held_out]] : []), ...names.map((name) => [`=${name}`, name, (/** @type {FitSubject} */ one) => one.value[name]])]);
    const place = h("div", {});
    state.follow(() => {
        const held = place.contains(document.activeElement) ? document.activeElement?.getAttribute("data-sort") : null;
        const sort = state.get("sort");
        const down = sort.startsWith("-");
        const by = columns.find(([key]) => key === sort.replace("-", ""));
        const value = (/** @type {FitSubject} */ one) => by?.[2](one) ?? -Infinity;
        const rows = by ? fit.subjects.slice().sort((a, b) => (down ? -1 : 1) * (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0)) : fit.subjects;
        const cell = (/** @type {FitSubject} */ one, /** @type {string} */ key, /** @type {string} */ words, /** @type {any} */ found) => {
            if (key === "subject") {
                return h("th", { scope: "row", class: "w" }, button(one.subject, () => choose(one.subject), { class: "cell", "aria-label": `subject ${one.subject}` }), one.weak?.length ? h("sup", { title: "the data say nothing in some direction" }, "†") : null, one.converged === false ? h("sup", { title: "not converged" }, "*") : null);
            }
            const [low, high] = key[0] === "=" ? one.interval_90?.[words] ?? [] : [];
            return h("td", key[0] === "=" ? { title: `${words} of ${one.subject}: ${short(one.map[words])}, sd ${short(one.sd[words])} on the transformed scale` } : {}, key === "n" ? grouped(found) : key === "evidence" || key === "held" ? fixed(found, 2) : short(found), low !== undefined ? h("small", {}, ` ${short(low)} to ${short(high)}`) : null);
        };
        place.replaceChildren(h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Subjects" }, h("table", { id: "subjects-table" },
            h("thead", {}, h("tr", {}, ...columns.map(([key, words]) => h("th", { scope: "col", class: key === "subject" ? "w" : null, "aria-sort": by?.[0] === key ? (down ? "descending" : "ascending") : null },
                button(by?.[0] === key ? `${words} ${down ? "▾" : "▴"}` : words, () => state.set({ sort: sort === key ? `-${key}` : sort === `-${key}` ? null : key }), { "data-sort": key, "aria-label": `sort by ${words}` }))))),
            h("tbody", {}, ...rows.map((one) => h("tr", { class: one.subject === state.get("subject") ? "certified" : null }, ...columns.map(([key, words, of]) => cell(one, key, words, of(one)))))))));
        if (held) {
            /** @type {HTMLElement | null} */ (place.querySelector(`[data-sort="${CSS.escape(held)}"]`))?.focus();
        }
    });
    return h("figure", { class: "table" }, place, h("figcaption", {}, "Values with 90 % intervals. †: the data say nothing in some direction (", h("i", {}, "weak"), "). *: no maximum was found. Choose a head to sort, a subject for its posterior. ",
        files("subjects", () => [columns.map(([, words]) => words), ...fit.subjects.map((one) => columns.map(([, , of]) => of(one)))])));
}

/**
 * The subject that was chosen.
 * @param {Fit} fit
 */
function subjectView(fit) {
    const place = h("div", { "aria-live": "polite" });
    state.follow(() => {
        const one = fit.subjects.find((each) => each.subject === state.get("subject")) ?? fit.subjects[0];
        const names = Object.keys(one.value);
        const r = (/** @type {number} */ i, /** @type {number} */ j) => one.covariance[i][j] / Math.sqrt(one.covariance[i][i] * one.covariance[j][j]);
        const weak = (one.weak ?? []).map((each) => Object.entries(each.weights).map(([name, w]) => `${fixed(w, 2)} ${name}`).join(" + ").replace(/\+ −/g, "− "));
        place.replaceChildren(h("p", {}, `${plural(one.n, "choice")}; log-likelihood ${fixed(one.log_likelihood, 2)}, log evidence ${fixed(one.evidence, 2)}, mean p ${short(one.mean_p)}, AIC ${fixed(one.AIC, 2)}, BIC ${fixed(one.BIC, 2)}${one.held_out === undefined ? "" : `; held out ${fixed(one.held_out, 2)}`}. ${one.converged === false ? "No maximum was found. " : ""}${weak.length > 0 ? `The data say nothing about ${weak.join("; nor about ")}.` : "The data say something in every direction."}`),
            plainTable([["parameter", "value", "from", "to", "transformed", "sd", ...(names.length > 1 && one.covariance ? names.map((name) => `r with ${name}`) : [])],
                ...names.map((name, i) => [name, one.value[name], ...(one.interval_90?.[name] ?? [NaN, NaN]), one.map[name], one.sd[name], ...(names.length > 1 && one.covariance ? names.map((_, j) => (i === j ? "" : r(i, j))) : [])])]));
    });
    return [state.choose("subject", "subject", fit.subjects.map((one) => one.subject)), place];
}

/** @param {Fit} fit */
function head(fit) {
    const weak = fit.subjects.filter((one) => one.weak?.length).length;
    const lost = fit.subjects.filter((one) => one.converged === false).length;
    return h("header", {}, h("h1", {}, `Fit of ${fit.name ?? "a model"}`),
        h("p", { class: "lead" }, `${namesOf(fit).join(", ")} of ${plural(fit.subjects.length, "subject")}, from ${plural(fit.n, "choice")}: which values make what people did most probable, and how sure that is.`),
        h("div", { class: "tiles" }, tile(fixed(fit.evidence, 2), "nats of log evidence, all subjects together"), tile(short(Math.exp(fit.log_likelihood / fit.n)), "is the mean probability of an action that was taken"),
            tile(`${weak} of ${fit.subjects.length}`, "subjects have directions about which their data say nothing"), lost > 0 ? tile(String(lost), "subjects without a maximum that could be found") : ""),
        h("dl", { class: "facts" }, fact("log-likelihood", fixed(fit.log_likelihood, 2)), fact("AIC", fixed(fit.AIC, 2)), fact("BIC", fixed(fit.BIC, 2)), ...(fit.held_out === undefined ? [] : [fact("held out", fixed(fit.held_out, 2))]),
            fact("optimiser", fit.optimiser ?? "–"), ...(fit.group ? [fact("evidence of the group", fixed(fit.group.evidence, 2)), fact("rounds", `${fit.group.rounds}${fit.group.converged ? "" : ", and it still moves"}`)] : []), fact("made by", `Sonde ${fit.sonde}`)),
        ending(fit.command));
}

/**
 * @param {Fit} fit
 * @param {HTMLElement} main
 */
function open(fit, main) {
    document.title = `Sonde: fit of ${fit.name ?? "a model"}`;
    state.usual("subject", fit.subjects[0].subject);
    const grid = (/** @type {string} */ name) => fit.tables.filter((one) => one.name === name).map((one) => gridTable(one, CAPTIONS));
    const draw = (/** @type {string} */ id, /** @type {(fit: Fit) => Figure | null} */ make) => figure(id, () => make(fit), [], (made) => made.python, (mark) => mark.key && choose(mark.key));
    const effects = Object.entries(fit.group?.effects ?? {});
    main.append(head(fit));
    const section = sections(main);
    section("subjects", "Subjects", [subjectTable(fit), draw("estimates", estimates)]);
    section("posteriors", "Posteriors", [...grid("parameters"), draw("posteriors", posteriors)]);
    section("group", "The group", fit.group ? [effects.length > 0 ? h("p", {}, `Log evidence that would be lost without a covariate: ${effects.map(([name, gain]) => `${name} ${short(gain)}`).join(", ")}. Below 0 the group is better described without it.`) : null, ...grid("group"), draw("group", groupFigure)] : []);
    section("subject", "One subject", subjectView(fit));
    section("weak", "What the data do not say", grid("weak").map((table) => (table.querySelectorAll("tr").length > 20 ? h("details", {}, h("summary", {}, "The table"), table) : table)));
    section("notes", "Notes", [h("ul", { class: "text" }, ...NOTES.map((note) => h("li", {}, ...prose(note)))), imprint()]);
}

const SECTIONS = /** @type {Record<string, string>} */ ({ s: "subjects", p: "posteriors", g: "group", o: "subject", w: "weak", n: "notes" });

/**
 * @param {Fit | null} fit
 * @returns {import("./main.js").Screen}
 */
export function fitScreen(fit) {
    return { name: "fit", title: "Fit", shows: () => fit !== null, keys: [["s", "to the subjects"], ["p", "to the posteriors"], ["g", "to the group"], ["o", "to one subject"], ["w", "to what the data do not say"], ["n", "to the notes"]],
        open: (main) => { if (fit) { open(fit, main); } }, key: (key) => goTo(SECTIONS[key]) };
}
