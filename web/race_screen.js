/* race_screen.js: two to six searches on the same decision, as their budgets grow: what each has scored, the
 * best G it has found, how far that and its posterior are from those of all policies, and what it is certain of;
 * and an episode of each. */
import palette from "./palette.json";
import { drawChart, numbersOf } from "./chart.js";
import { actionName } from "./decision_view.js";
import { placeAt } from "./decision_screen.js";
import { button, choice, h, renew } from "./dom.js";
import * as engine from "./engine.js";
import { csv, savePng, saveSvg, saveText, typed } from "./share.js";
import * as state from "./state.js";
import * as subject from "./subject.js";
import { brief, grouped, plural, short } from "./words.js";

const OPTIONS = ["scope", "k", "embedding", "epsilon", "probe", "horizon", "lambda", "gamma", "seed", "steps"];
const EMBEDDINGS = { graph: ["boe", "boe-set", "aboe", "edm", "walk2vec"], general: ["boa", "timed", "occupancy", "value"] };
/* what grows in each search; the rest has one cost alone */
const GROWS = /** @type {Record<string, string>} */ ({ bounded: "budget", random: "budget", surrogate: "budget", tree: "budget", cluster: "top", beam: "beam" });
const { SEARCHES } = subject;
const EMBEDS = ["cluster", "surrogate", "tree"];
const COLOURS = /** @type {Record<string, number>} */ ({ full: 0, bounded: 4, cluster: 2, beam: 1, random: 7, surrogate: 3, tree: 5 });
/* the most searches, times that a budget is doubled, and policies that full search scores as a reference */
const [MOST, RUNGS, AFFORDABLE] = [6, 14, 200000];
/* distances below are drawn here; the milliseconds from cost to cost while it plays */
const [LEAST, PACE] = [1e-9, 500];
state.usual("race", "bounded.full.cluster.beam.surrogate");

/** A search in the race.
 * @typedef {{key: string, search: string, embedding: string, colour: number}} Lane */
/** What a search has at one budget.
 * @typedef {{over: Record<string, string>, steps: number, equivalent: number, setup: number, best: number, evidence: number,
 *     certificate: any, action: string, whole: boolean, command: string}} Point */
/** @typedef {{lane: Lane, points: Point[], error: string | null, done: boolean}} Run */
/** What all policies together say; null where nobody can afford to know.
 * @typedef {{best: number, evidence: number} | null} Exact */

/* ------------------------------------------------------------------------------------ lanes -- */

/** @returns {Lane[]} */
function lanesOf() {
    const free = new Set(palette.series.keys());
    const keys = state.get("race").split(".").filter((key, i, all) => SEARCHES.includes(key.split(":")[0]) && all.indexOf(key) === i);
    return keys.slice(0, MOST).map((key) => {
        const [search, embedding = ""] = key.split(":");
        const wanted = embedding === "" ? COLOURS[search] : /** @type {Record<string, number>} */ (palette.names)[embedding] ?? 6;
        const colour = free.has(wanted) ? wanted : Math.min(...free);
        free.delete(colour);
        return { key, search, embedding, colour };
    });
}

/** @param {Lane} lane */
const nameOf = ({ search, embedding }) => (embedding === "" ? search : `${search}, ${embedding}`);

/**
 * The options of a lane on one rung: its budget is so many times the least.
 * @param {Lane} lane
 * @param {number} rung
 * @param {number} horizon
 */
function rungOf(lane, rung, horizon) {
    const grows = GROWS[lane.search];
    const over = /** @type {Record<string, string>} */ ({ search: lane.search, ...(lane.embedding === "" ? {} : { embedding: lane.embedding }) });
    return grows === undefined ? over : { ...over, [grows]: String(2 ** rung * (grows === "budget" ? horizon : 1)) };
}

/** @param {any} document @param {Record<string, string>} over @returns {Point} */
function pointOf(document, over) {
    const { evaluations, certificate } = document;
    return { over, steps: evaluations.steps, equivalent: evaluations.equivalent, setup: evaluations.setup_steps, best: document.best.efe, evidence: document.log_evidence, certificate,
        action: actionName(subject.current().document, document.action, subject.world()), command: document.command,
        whole: certificate ? certificate.stopped === null : evaluations.policies >= document.policy_space };
}

/**
 * The next point of a run, if there is one: it ends when it leaves some of its budget, and more changes nothing.
 * @param {Run} run
 * @param {number} rung
 * @param {{at: string[], horizon: number}} decision
 */
async function advance(run, rung, { at, horizon }) {
    const over = rungOf(run.lane, rung, horizon);
    try {
        const point = pointOf(await engine.json(subject.words("plan", at, over)), over);
        const last = run.points[run.points.length - 1];
        run.error = null;
        run.done = point.whole || GROWS[run.lane.search] === undefined || rung + 1 === RUNGS || (last?.steps === point.steps && point.steps < Number(over.budget ?? Infinity));
        if (last?.steps !== point.steps) {
            run.points.push(point);
        }
    } catch (failed) { // some take no budget so small; none more clusters than there are
        if (engine.stopped(failed)) {
            throw failed;
        }
        run.error = run.points.length > 0 ? null : /** @type {Error} */ (failed).message;
        run.done = run.points.length > 0 || rung > 5 || GROWS[run.lane.search] === undefined;
    }
}

/**
 * What all policies say: from full search; where there are too many, from bounded search, if it can be certain.
 * @param {string[]} at
 * @returns {Promise<{exact: Exact, horizon: number, policies: number, said: string}>}
 */
async function referenceOf(at) {
    const { policy_space: policies, horizon } = await engine.json(subject.words("plan", at, { search: "beam", beam: "1" }));
    const full = policies <= AFFORDABLE;
    const over = /** @type {Record<string, string>} */ (full ? { search: "full" } : { search: "bounded", epsilon: "1e-9", budget: String(1000 * horizon) });
    const document = await engine.json(subject.words("plan", at, over)).catch(() => null);
    const certain = document !== null && (full || (document.certificate.best_is_optimal && document.certificate.tv <= LEAST));
    const said = full ? `Regret and distance are against full search of ${plural(policies, "policy", "policies")}.` : certain
        ? `There are ${plural(policies, "policy", "policies")}, too many for full search here; regret and distance are against bounded search, certain to 10⁻⁹.`
        : `There are ${plural(policies, "policy", "policies")}, too many for full search here, and bounded search is not certain soon; regret and distance are not known.`;
    return { exact: certain ? { best: document.best.efe, evidence: document.log_evidence } : null, horizon, policies, said };
}

/** @param {Point} point @param {Exact} exact */
const regretOf = (point, exact) => (exact ? Math.max(0, point.best - exact.best) : null);

/**
 * Total variation between the posterior over what was scored, and that of all policies: the mass of the rest.
 * @param {Point} point
 * @param {Exact} exact
 */
const distanceOf = (point, exact) => (exact ? Math.max(0, -Math.expm1(point.evidence - exact.evidence)) : null);

/* --------------------------------------------------------------------------------- pictures -- */

/**
 * @param {Run[]} runs
 * @param {Exact} exact
 * @param {string} cost
 * @returns {Figure}
 */
function raceFigure(runs, exact, cost) {
    const x = { title: cost === "steps" ? "steps scored" : "policies scored, as whole ones", log: true };
    const shown = (/** @type {number | null} */ v) => (v === null ? null : Math.max(v, LEAST));
    const panels = /** @type {[string, Axis, (point: Point) => number | null][]} */ ([
        ["best G", { title: "G, nats" }, (point) => point.best],
        ["regret", { title: "nats above the best" }, (point) => regretOf(point, exact)],
        ["distance of the posterior", { title: "total variation", log: true, low: LEAST, high: 1.5 }, (point) => shown(distanceOf(point, exact))],
        ["certificate", { title: "distance at most", log: true, low: LEAST, high: 1.5 }, (point) => shown(point.certificate?.tv ?? null)]]);
    return { name: "race", title: "Searches as their budgets grow", python: "", height: 200,
        caption: runs.filter((run) => run.points.length > 0).map((run) => `${nameOf(run.lane)}: best G ${brief(run.points[run.points.length - 1].best)} after ${plural(run.points[run.points.length - 1].steps, "step")}`).join("; "),
        panels: panels.map(([title, y, of]) => ({ title, x, y, ends: true, series: runs.map(({ lane, points }) => ({ label: nameOf(lane), colour: lane.colour, shape: "line",
            marks: points.flatMap((point) => (of(point) === null ? [] : [{ x: cost === "steps" ? point.steps : point.equivalent, y: /** @type {number} */ (of(point)) }])) })) })) };
}

/** What episodes have scored, step by step.
 * @param {{lane: Lane, episode: any}[]} episodes @param {string} cost
 * @returns {Figure} */
function episodeFigure(episodes, cost) {
    const key = cost === "steps" ? "steps" : "equivalent";
    return { name: "episode", title: "What an episode costs", python: "", caption: "what each search has scored so far", height: 200, panels: [{ title: "cost of the episode", ends: true,
        x: { title: "step", whole: true }, y: { title: cost === "steps" ? "steps scored" : "policies scored", log: true },
        series: episodes.map(({ lane, episode }) => {
            let sum = 0;
            return { label: nameOf(lane), colour: lane.colour, shape: "line", marks: episode.steps.map((/** @type {any} */ step) => ({ x: step.step, y: sum += step.evaluations[key] })) };
        }) }] };
}

/** @param {string[]} heads @param {any[][]} rows @param {string} id */
const table = (heads, rows, id) => h("div", { class: "scroll" }, h("table", { id }, h("thead", {}, h("tr", {}, ...heads.map((head, i) => h("th", { scope: "col", class: i === 0 ? "w" : null }, head)))),
    h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map((cell, i) => {
        const rest = i + 1 === row.length ? heads.length - i : 1; // a sentence in the place of numbers
        return h(i === 0 ? "th" : "td", { scope: i === 0 ? "row" : null, class: i === 0 || rest > 1 ? "w" : null, colspan: rest > 1 ? rest : null }, cell);
    }))))));

const HEADS = ["search", "budget", "steps", "policies", "set-up steps", "best G", "regret", "distance", "within", "does"];

/** The last that a search had at a cost.
 * @param {Run} run @param {number} cost */
const pointAt = (run, cost) => run.points.filter((point) => point.steps <= cost).pop();

/** @param {Run} run @param {number} cost @param {Exact} exact */
function rowOf(run, cost, exact) {
    const point = pointAt(run, cost);
    if (!point) {
        return [nameOf(run.lane), ...(run.error ? [h("span", { class: "note" }, run.error)] : ["nothing yet"])];
    }
    const grows = GROWS[run.lane.search];
    return [nameOf(run.lane), grows ? `${grows} ${point.over[grows]}` : "–", grouped(point.steps), short(point.equivalent), grouped(point.setup), brief(point.best), short(regretOf(point, exact)), short(distanceOf(point, exact)),
        point.certificate ? `${short(point.certificate.tv)}${point.certificate.best_is_optimal ? " ✓" : ""}` : "–", point.action];
}

/** @param {{lane: Lane, episode: any}[]} episodes */
function episodeRows(episodes) {
    const graph = subject.world();
    return episodes.map(({ lane, episode }) => [nameOf(lane), grouped(episode.steps.reduce((/** @type {number} */ sum, /** @type {any} */ step) => sum + step.evaluations.steps, 0)),
        ...(graph ? [episode.path.join(" → "), brief(episode.walked), brief(episode.shortest), episode.optimal ? "✓" : episode.failure] : [episode.steps.map((/** @type {any} */ step) => actionName(subject.current().document, step.action, null)).join(", "), short(episode.log_evidence)])]);
}

/* -------------------------------------------------------------------------------------- all -- */

/** Which searches run: buttons that take one away, and a way to add one.
 * @param {() => void} follow */
function laneTools(follow) {
    const lanes = lanesOf();
    const embeddings = EMBEDDINGS[subject.current().kind ?? "graph"];
    let [search, embedding] = [SEARCHES.find((one) => !lanes.some((lane) => lane.search === one)) ?? "cluster", ""];
    const set = (/** @type {string[]} */ keys) => {
        state.set({ race: keys.join(".") });
        follow();
    };
    const keys = lanes.map((lane) => lane.key);
    const add = () => {
        const key = embedding !== "" && EMBEDS.includes(search) ? `${search}:${embedding}` : search;
        if (!keys.includes(key)) {
            set([...keys, key]);
        }
    };
    return [...lanes.map((lane) => button(`${nameOf(lane)} ✕`, () => set(keys.filter((key) => key !== lane.key)), { disabled: lanes.length <= 2, "aria-label": `without ${nameOf(lane)}` })),
        ...(lanes.length >= MOST ? [] : [choice("add", search, SEARCHES, (value) => { search = value; }), choice("its embedding", embedding, [["", "usual"], ...embeddings], (value) => { embedding = value; }), button("add", add)])];
}

/** What the screen shows, until it is opened anew.
 * @typedef {{runs: Run[], exact: Exact, at: string[], key: string, data: string | Uint8Array, number: number, timer: number}} Shown */

/** @param {Shown} shown */
const costsOf = ({ runs }) => Array.from(new Set(runs.flatMap((run) => run.points.map((point) => point.steps)))).sort((a, b) => a - b);

/**
 * A picture that is as wide as there is room, with its numbers to take away.
 * @param {string} name
 * @param {() => Figure | null} make
 */
function pictured(name, make) {
    const place = h("div", { class: "picture", id: name });
    const draw = () => {
        const figure = make();
        place.replaceChildren(...(figure && place.clientWidth > 0 ? [drawChart(figure, Math.max(300, place.clientWidth), new Set())] : []));
    };
    const svg = () => /** @type {SVGElement} */ (place.querySelector("svg"));
    let wide = 0;
    new ResizeObserver(() => {
        if (place.clientWidth !== wide) {
            wide = place.clientWidth;
            draw();
        }
    }).observe(place);
    return { draw, root: h("figure", {}, place, h("div", { class: "tools" }, button("SVG", () => saveSvg(name, svg())), button("PNG", () => savePng(name, svg())),
        button("CSV", () => { const figure = make(); if (figure) { saveText(`${name}.csv`, csv(numbersOf(figure)), "text/csv"); } }))) };
}

/** @param {HTMLElement} root */
function open(root) {
    const shown = /** @type {Shown} */ ({ runs: [], exact: null, at: [], key: "", data: "", number: 0, timer: 0 });
    const [lanes, said, figures, episodes, problem] = [h("div", { class: "controls", role: "group", "aria-label": "Searches" }), h("p", { class: "small", role: "status", id: "reference" }), h("div", {}), h("div", { id: "episodes" }), h("p", { class: "note", role: "alert", hidden: true })];
    const cost = () => state.get("cost") || "steps";
    const picture = pictured("race", () => (shown.runs.length > 0 ? raceFigure(shown.runs, shown.exact, cost()) : null));
    const slider = /** @type {HTMLInputElement} */ (h("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": "cost so far", oninput: () => move() }));
    const reached = h("output", { id: "reached" });
    const showTable = () => {
        const costs = costsOf(shown);
        const now = costs[Math.min(Number(slider.value), costs.length - 1)] ?? 0;
        reached.textContent = `at ${plural(now, "step")} scored at most`;
        figures.replaceChildren(table(HEADS, shown.runs.map((run) => rowOf(run, now, shown.exact)), "figures"));
    };
    const show = () => {
        const costs = costsOf(shown);
        const wanted = Number(state.get("upto")) || Infinity;
        slider.max = String(Math.max(0, costs.length - 1));
        slider.value = String(Math.max(0, costs.filter((one) => one <= wanted).length - 1));
        picture.draw();
        showTable();
    };
    const move = () => {
        state.set({ upto: slider.value === slider.max ? null : String(costsOf(shown)[Number(slider.value)]) });
        showTable();
    };
    const pause = () => {
        clearInterval(shown.timer);
        shown.timer = 0;
        play.textContent = "▶ play";
    };
    const toggle = () => {
        if (shown.timer !== 0) {
            pause();
            return;
        }
        slider.value = slider.value === slider.max ? "0" : slider.value;
        play.textContent = "❚❚ pause";
        move();
        shown.timer = window.setInterval(() => {
            slider.stepUp();
            move();
            if (slider.value === slider.max || !slider.isConnected) {
                pause();
            }
        }, PACE);
    };
    const play = button("▶ play", toggle, { id: "play" });
    const episode = () => walk(shown, Number(slider.value), cost(), episodes);
    const follow = async () => {
        renew(lanes, ...laneTools(follow));
        try {
            if (await race(shown, said, show)) {
                root.dataset.done = String(shown.number);
            }
            problem.hidden = true;
        } catch (failed) {
            shown.key = "";
            problem.hidden = false;
            problem.textContent = /** @type {Error} */ (failed).message;
        }
    };
    root.append(h("h1", {}, "Race"), subject.controls(OPTIONS, "cluster"), lanes, problem, said,
        h("div", { class: "controls" }, choice("cost", cost(), [["steps", "steps scored"], ["policies", "policies scored"]], (value) => { state.set({ cost: value }); show(); }), play, slider, reached),
        h("section", { "aria-label": "Figures" }, figures), h("section", { "aria-label": "Race" }, picture.root,
            h("p", { class: "small" }, "A line for each search, from its least budget on: bounded, random, surrogate and tree search by steps, beam search by its width, clusters by how many of them are searched. What bounded search scores to set its bounds up is in the table. Distances below 10⁻⁹ are drawn there.")),
        h("section", { "aria-label": "Episodes" }, h("h2", {}, "Over an episode"), button("walk an episode each", episode), episodes));
    raceKeys = toggle;
    subject.changed(follow);
    follow();
}

/**
 * Runs all searches, rung by rung, until none has anything to add. It is given up when something newer is asked for.
 * @param {Shown} shown
 * @param {HTMLElement} said
 * @param {() => void} show
 * @returns {Promise<boolean>} whether it came to its end
 */
async function race(shown, said, show) {
    const { document: about, error, kind, data } = subject.current();
    if (about === null || error !== null) {
        return false;
    }
    subject.needPolicies();
    const at = Number(state.get("step")) > 0 && kind === "graph" ? await placeAt(Number(state.get("step"))) : [];
    const key = JSON.stringify([subject.words("plan", at, { search: "cluster" }), subject.option("epsilon"), state.get("race")]);
    if (key === shown.key && data === shown.data) {
        return false;
    }
    const mine = ++shown.number;
    Object.assign(shown, { key, data });
    const reference = await referenceOf(at);
    if (mine !== shown.number) {
        return false;
    }
    said.textContent = reference.said;
    Object.assign(shown, { exact: reference.exact, at, runs: lanesOf().map((lane) => ({ lane, points: [], error: null, done: false })) });
    const { runs } = shown;
    for (let rung = 0; runs.some((run) => !run.done); rung++) {
        for (const run of runs.filter((one) => !one.done && (one.lane.search !== "full" || reference.policies <= AFFORDABLE || skip(one)))) {
            await advance(run, rung, { at, horizon: reference.horizon });
            if (mine !== shown.number) {
                return false;
            }
        }
        show();
    }
    return true;
}

/** Full search of too many policies is not begun.
 * @param {Run} run */
function skip(run) {
    run.done = true;
    run.error = `too many policies; run: ${typed(subject.words("plan", [], { search: "full" }))}`;
    return false;
}

/**
 * An episode of each search, with the budget it has now.
 * @param {Shown} shown
 * @param {number} place of the slider
 * @param {string} cost
 * @param {HTMLElement} into
 */
async function walk(shown, place, cost, into) {
    const now = costsOf(shown)[place] ?? 0;
    const made = /** @type {{lane: Lane, episode: any}[]} */ ([]);
    into.replaceChildren(h("p", { role: "status" }, "walking…"));
    for (const run of shown.runs) {
        const point = pointAt(run, now);
        const episode = point && await engine.json(subject.words("simulate", [], point.over)).catch(() => null);
        if (episode) {
            made.push({ lane: run.lane, episode });
        }
    }
    const heads = ["search", "steps scored", ...(subject.world() ? ["path", "walked", "shortest", "optimal"] : ["actions", "ln P of what was seen"])];
    const picture = pictured("episode", () => episodeFigure(made, cost));
    into.replaceChildren(table(heads, episodeRows(made), "walked"), picture.root);
}

/** @type {() => void} */
let raceKeys = () => undefined;

/** @type {import("./main.js").Screen} */
export const raceScreen = { name: "race", title: "Race", subject: true, shows: engine.here, open, keys: [["space", "play, pause"]],
    key: (key) => {
        if (key === " ") {
            raceKeys();
        }
        return key === " ";
    } };
