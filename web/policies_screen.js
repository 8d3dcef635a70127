/* policies_screen.js: the policies of a scope as points: the plane in which their embedding varies most, and
 * its first component against G. A point is a distinct row of the embedding, and stands for the policies that
 * share it; what is shown of it is the one with the smallest G. */
import palette from "./palette.json";
import { cloud } from "./cloud.js";
import { actionName } from "./decision_view.js";
import { placeAt, unsavedNote } from "./decision_screen.js";
import { button, choice, h } from "./dom.js";
import * as engine from "./engine.js";
import { shade } from "./scatter.js";
import { csv, saveText, taken, typed } from "./share.js";
import * as state from "./state.js";
import * as subject from "./subject.js";
import { drawGraph, nodeName } from "./world.js";
import { brief, fixed, grouped, isolated, plural, raised, short } from "./words.js";

const OPTIONS = ["embedding", "scope", "k", "method", "restarts", "ngram", "horizon", "lambda", "gamma", "seed"];
const COLOURS = /** @type {[string, string][]} */ ([["G", "G"], ["cluster", "cluster"], ["action", "first action"], ["posterior", "posterior"]]);
/* shades of G and of the posterior; rows that are listed; policies that are nearest */
const [SHADES, LISTED, NEIGHBOURS] = [9, 100, 8];
/* classes that have an entry in the legend */
const ENTRIES = 24;

/** What is made of a map: for each row its best policy and the mass of all of its policies, where it lies; and what
 * the search of these clusters chose. `top` is the row of the best policy of all.
 * @typedef {{map: PolicyMap, best: Int32Array, mass: Float64Array, posterior: Float64Array, x: Float64Array, y: Float64Array,
 *     efe: Float64Array, top: number, chosen: number[], r: number}} Space */

/* --------------------------------------------------------------------------------- numbers -- */

/**
 * @param {PolicyMap} map
 * @param {number} gamma
 * @returns {Space}
 */
function spaceOf(map, gamma) {
    const n = map.weight.length;
    const best = new Int32Array(n).fill(-1);
    const [mass, x, y, efe] = [0, 0, 0, 0].map(() => new Float64Array(n));
    const posterior = posteriorOf(map.efe, gamma);
    for (let i = 0; i < map.efe.length; i++) {
        const row = map.rowOf[i];
        mass[row] += posterior[i];
        if (best[row] < 0 || map.efe[i] < map.efe[best[row]]) {
            best[row] = i;
        }
    }
    for (let row = 0; row < n; row++) {
        [x[row], y[row], efe[row]] = [map.xy[2 * row], map.xy[2 * row + 1], map.efe[best[row]]];
    }
    const top = efe.reduce((least, g, row) => (g < efe[least] ? row : least), 0);
    return { map, best, mass, posterior, x, y, efe, top, chosen: [], r: correlation(map) };
}

/** exp(-gamma G), divided by its sum.
 * @param {Float64Array} efe @param {number} gamma */
function posteriorOf(efe, gamma) {
    const least = efe.reduce((a, b) => Math.min(a, b), Infinity);
    const made = efe.map((g) => Math.exp(-gamma * (g - least)));
    const sum = made.reduce((a, b) => a + b, 0);
    return made.map((p) => p / sum);
}

/** Whether the model says how probable policies are beforehand, which a map does not tell.
 * @param {string | Uint8Array} data */
function hasHabits(data) {
    const text = typeof data === "string" ? data : new TextDecoder("latin1").decode(data);
    try {
        return text.startsWith("PK") ? text.includes("E.npy") : JSON.parse(text).E !== undefined;
    } catch {
        return false; // it is no JSON
    }
}

/** Pearson's, of component 1 and G, over all policies; NaN where one of them does not vary.
 * @param {PolicyMap} map */
function correlation({ xy, rowOf, efe }) {
    const n = efe.length;
    let [a, b, aa, bb, ab] = [0, 0, 0, 0, 0];
    for (let i = 0; i < n; i++) {
        a += xy[2 * rowOf[i]] / n;
        b += efe[i] / n;
    }
    for (let i = 0; i < n; i++) {
        const [da, db] = [xy[2 * rowOf[i]] - a, efe[i] - b];
        [aa, bb, ab] = [aa + da * da, bb + db * db, ab + da * db];
    }
    return ab / Math.sqrt(aa * bb);
}

/** @param {Float64Array} efe G where it begins to be in the next shade */
function cutsOf(efe) {
    const sorted = efe.slice().sort();
    return Array.from({ length: SHADES - 1 }, (_, i) => sorted[Math.floor((i + 1) * sorted.length / SHADES)]);
}

/** A colour of a class: those of the palette, then such as are farther from the page, then such as are nearer.
 * @param {number} c */
function classColour(c) {
    const series = palette.series.slice(1);
    const away = matchMedia("(prefers-color-scheme: dark)").matches ? 255 : 0; // from the page's own
    const [to, share] = [[0, 0], [away, 0.5], [255 - away, 0.5]][Math.floor(c / series.length) % 3];
    const channels = [1, 3, 5].map((i) => parseInt(series[c % series.length].slice(i, i + 2), 16));
    return `#${channels.map((one) => Math.round(one + (to - one) * share).toString(16).padStart(2, "0")).join("")}`;
}

/** A class of each row, how each class is coloured, and what it is called; the last class is drawn on top.
 * @typedef {{of: Int32Array, rank: number[], words: string[], colours: string[]}} Classes */

/** @param {Space} space @param {string} by @returns {Classes} */
function classesOf(space, by) {
    const { map, efe, mass, best } = space;
    if (by === "cluster") {
        const k = map.representative.length;
        return { of: Int32Array.from(best, (i) => map.cluster[i]), rank: [], words: Array.from({ length: k }, (_, c) => String(c)),
            colours: Array.from({ length: k }, (_, c) => classColour(c)) };
    }
    if (by === "action") {
        const numbers = Object.keys(map.actions).map(Number);
        const place = new Map(numbers.map((action, c) => [action, c]));
        return { of: Int32Array.from(best, (i) => place.get(map.action[i]) ?? 0), rank: [], words: numbers.map((action) => isolated(map.actions[action])),
            colours: numbers.map((_, c) => classColour(c)) };
    }
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const colours = Array.from({ length: SHADES }, (_, c) => shade(c / (SHADES - 1), dark));
    const rank = colours.map((_, c) => SHADES - 1 - c);
    if (by === "posterior") {
        const words = colours.map((_, c) => (c === 0 ? "more than 0.1" : c === SHADES - 1 ? `10${raised(-c)} and less` : `10${raised(-c - 1)} to 10${raised(-c)}`));
        return { of: Int32Array.from(mass, (p) => Math.min(SHADES - 1, Math.max(0, Math.floor(-Math.log10(p))))), rank, words, colours };
    }
    const cuts = cutsOf(efe);
    const words = colours.map((_, c) => `${c === 0 ? "G" : `${brief(cuts[c - 1])}`}${c === 0 ? ` below ${brief(cuts[0])}` : c === SHADES - 1 ? " and more" : ` to ${brief(cuts[c])}`}`);
    return { of: Int32Array.from(efe, (g) => cuts.findIndex((cut) => g < cut)).map((c) => (c < 0 ? SHADES - 1 : c)), rank, words, colours };
}

/** A colour as a pixel of an image.
 * @param {string} colour #rrggbb or rgb(r,g,b) */
function pixelOf(colour) {
    const [r, g, b] = colour.startsWith("#") ? [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16)) : (colour.match(/\d+/g) ?? []).map(Number);
    return (255 << 24 | b << 16 | g << 8 | r) >>> 0;
}

/** Colours of rows, and their order: class by class.
 * @param {Classes} classes */
function paintOf({ of, rank, colours }) {
    const pixels = colours.map(pixelOf);
    const place = colours.map((_, c) => rank[c] ?? c);
    const start = new Int32Array(colours.length + 1);
    of.forEach((c) => { start[place[c] + 1]++; });
    for (let c = 0; c < colours.length; c++) {
        start[c + 1] += start[c];
    }
    const order = new Int32Array(of.length);
    of.forEach((c, row) => { order[start[place[c]]++] = row; });
    return { colour: Uint32Array.from(of, (c) => pixels[c]), order };
}

/** The corners of what encloses points, in turn.
 * @param {number[][]} points */
function hull(points) {
    const sorted = points.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const half = (/** @type {number[][]} */ list) => {
        const made = /** @type {number[][]} */ ([]);
        for (const p of list) {
            for (let n = made.length; n > 1; n = made.length) {
                const [a, b] = [made[n - 2], made[n - 1]];
                if ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0) {
                    break;
                }
                made.pop();
            }
            made.push(p);
        }
        return made.slice(0, -1);
    };
    return [...half(sorted), ...half(sorted.reverse())];
}

/* ---------------------------------------------------------------------------------- one policy -- */

/** The nodes or the named actions of a policy.
 * @param {any} policy @param {any} about @param {Graph | null} graph */
const wayOf = (policy, about, graph) => (graph ? policy.nodes.slice(1).map((/** @type {number} */ v) => nodeName(graph, v)).join(" → ")
    : policy.actions.map((/** @type {number[]} */ actions) => actionName(about, { actions }, null)).join(", then "));

/** @param {any} policy */
function stepsTable(policy) {
    const terms = ["risk", "ambiguity", "cost", ...(policy.novelty === undefined ? [] : ["novelty"]), "efe"];
    const rows = policy.steps.map((/** @type {any} */ step, /** @type {number} */ t) => [t + 1, ...terms.map((name) => brief(step[name]))]);
    return table(["step", ...terms.slice(0, -1), "G"], [...rows, ["all", ...terms.map((name) => brief(policy[name]))]], "steps");
}

/** @param {string[]} heads @param {any[][]} rows @param {string} id */
const table = (heads, rows, id) => h("div", { class: "scroll" }, h("table", { id }, h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", { scope: "col" }, head)))),
    h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map((cell) => h("td", {}, cell)))))));

/** A policy on the world, or its actions.
 * @param {any} policy */
function drawWay(policy) {
    const { document: about, place } = subject.current();
    const graph = subject.world();
    const way = wayOf(policy, about, graph);
    return graph && place ? drawGraph(graph, place, { path: policy.nodes.slice(1), label: `Policy ${policy.index}: ${way}` })
        : h("ol", {}, ...policy.actions.map((/** @type {number[]} */ actions) => h("li", {}, actionName(about, { actions }, null))));
}

/* --------------------------------------------------------------------------------------- all -- */

/** What the screen shows, until it is opened anew: the space, how it is coloured, what encloses the chosen clusters, the
 * command and the file that made it, its pictures and the places of the rest.
 * @typedef {{space: Space | null, classes: Classes | null, hulls: number[][][], key: string, data: string | Uint8Array, plane: ReturnType<typeof cloud>,
 *     against: ReturnType<typeof cloud>, at: Record<Place, HTMLElement>}} Shown */
/** @typedef {"mapped" | "legend" | "hovered" | "policy" | "brushed" | "clusters" | "premise" | "problem" | "command"} Place */

/** Marks of the plane: representatives, what encloses the chosen clusters, the best policy.
 * @param {Shown} shown @returns {import("./cloud.js").Marks} */
const planeMarks = (shown) => (pen, at) => {
    const { space } = shown;
    if (!space) {
        return;
    }
    const style = getComputedStyle(shown.plane.box);
    const inks = /** @type {[string, string]} */ ([style.color, style.getPropertyValue("--page")]);
    pen.strokeStyle = inks[0];
    pen.lineWidth = 2.5 * devicePixelRatio;
    for (const corners of shown.hulls) {
        pen.beginPath();
        corners.forEach(([x, y], i) => (i ? pen.lineTo(...at(x, y)) : pen.moveTo(...at(x, y))));
        pen.closePath();
        pen.stroke();
    }
    space.map.representative.forEach((policy, c) => {
        const row = space.map.rowOf[policy];
        spot(pen, at(space.x[row], space.y[row]), String(c), space.chosen.includes(c) ? inks : [inks[1], inks[0]]);
    });
    bestMark(pen, at, space, space.y);
};

/** Draws about a place, in pixels as large as those of the page.
 * @param {CanvasRenderingContext2D} pen @param {[number, number]} at @param {() => void} draw */
function about(pen, [x, y], draw) {
    pen.save();
    pen.translate(x, y);
    pen.scale(devicePixelRatio, devicePixelRatio);
    pen.lineWidth = 1;
    pen.beginPath();
    draw();
    pen.restore();
}

/** A number in a disc that has no cluster's colour.
 * @param {CanvasRenderingContext2D} pen @param {[number, number]} at @param {string} words @param {[string, string]} inks of the disc, and on it */
function spot(pen, at, words, [disc, ink]) {
    about(pen, at, () => {
        pen.fillStyle = disc;
        pen.strokeStyle = ink;
        pen.arc(0, 0, 8, 0, 7);
        pen.fill();
        pen.stroke();
        pen.fillStyle = ink;
        pen.textAlign = "center";
        pen.font = "bold 10px system-ui, sans-serif";
        pen.fillText(words, 0, 3.5);
    });
}

/** @param {CanvasRenderingContext2D} pen @param {(x: number, y: number) => [number, number]} at @param {Space} space @param {Float64Array} upwards */
function bestMark(pen, at, space, upwards) {
    about(pen, at(space.x[space.top], upwards[space.top]), () => {
        pen.fillStyle = palette.start;
        pen.strokeStyle = "#000000";
        [[0, -8], [7, 0], [0, 8], [-7, 0]].forEach(([x, y]) => pen.lineTo(x, y));
        pen.closePath();
        pen.fill();
        pen.stroke();
    });
}

/** @param {Shown} shown */
function legend({ space, classes }) {
    if (!space || !classes) {
        return [];
    }
    const n = new Int32Array(classes.colours.length);
    classes.of.forEach((c) => { n[c]++; });
    const sign = (/** @type {number} */ c) => {
        const box = h("span", { class: "swatch", "aria-hidden": "true" });
        box.style.background = classes.colours[c];
        return box;
    };
    const entries = classes.words.flatMap((words, c) => (n[c] > 0 ? [h("span", { class: "choice" }, sign(c), ` ${words} `, h("small", {}, `(${plural(n[c], "point")})`))] : []));
    return entries.length <= ENTRIES ? entries : [...entries.slice(0, ENTRIES), h("span", { class: "choice" }, `and ${entries.length - ENTRIES} more`)];
}

/** The clusters: a button for each representative.
 * @param {Space} space @param {(policy: number) => void} pick */
function clusterTable(space, pick) {
    const { map } = space;
    const size = new Int32Array(map.representative.length);
    map.cluster.forEach((c) => { size[c]++; });
    return table(["cluster", "policies", "representative", "its G", "chosen"], Array.from(map.representative, (policy, c) =>
        [c, grouped(size[c]), button(String(policy), () => pick(policy), { class: "cell", "aria-label": `representative of cluster ${c}: policy ${policy}` }), brief(map.efe[policy]), space.chosen.includes(c) ? "✓" : ""]), "clusters");
}

/** Policies in a rectangle of the plane, those with small G first.
 * @param {Space} space @param {number[]} view */
function insideOf({ map, x, y }, [a, b, c, d]) {
    const within = (/** @type {number} */ row) => x[row] >= a && x[row] <= b && y[row] >= c && y[row] <= d;
    const found = /** @type {number[]} */ ([]);
    map.rowOf.forEach((row, i) => within(row) && found.push(i));
    return found.sort((i, j) => map.efe[i] - map.efe[j] || i - j);
}

const HEADS = ["policy", "first action", "cluster", "G", "posterior", "component 1", "component 2"];

/** @param {Space} space @param {number} i */
const numbersOf = ({ map, posterior, x, y }, i) => [i, map.actions[map.action[i]], map.cluster[i], map.efe[i], posterior[i], x[map.rowOf[i]], y[map.rowOf[i]]];

/** What the search of these clusters chose; nothing, if it makes others.
 * @param {string[]} at @param {PolicyMap} map */
async function chosenIn(at, map) {
    const words = subject.words("plan", at, { search: "cluster" });
    const document = await engine.json(words).catch(() => null);
    const alike = document?.clusters?.length === map.representative.length
        && document.clusters.every((/** @type {any} */ one, /** @type {number} */ c) => one.representative === map.representative[c]);
    return alike ? document.clusters.flatMap((/** @type {any} */ one, /** @type {number} */ c) => (one.chosen ? [c] : [])) : [];
}

/** The precision of the posterior.
 * @param {string[]} at */
const gammaOf = async (at) => (await engine.json(subject.words("plan", at, { search: "beam", beam: "1" }))).settings.gamma;

/** @param {string} key @returns {import("./cloud.js").View | null} */
const viewIn = (key) => /** @type {any} */ (state.get(key) === "" ? null : state.get(key).split("_").map(Number));
/** @param {number[] | null} view */
const packed = (view) => view && view.map((x) => String(Number(x.toPrecision(6)))).join("_");

/** The policy under the pointer, on the world.
 * @param {Shown} shown @param {number} row */
async function hover({ space, plane, against, at }, row) {
    const from = performance.now();
    [plane, against].forEach((one) => one.follow(row));
    const i = space && row >= 0 ? space.best[row] : -1;
    const document = i < 0 ? null : await engine.latest("hover", () => engine.policy(i));
    if (document && space) {
        const policy = document.policies[0];
        at.hovered.replaceChildren(h("p", { role: "status" }, `policy ${policy.index}: G ${brief(policy.efe)}, cluster ${space.map.cluster[i]}, posterior ${short(space.posterior[i])}; ${plural(space.map.weight[row], "policy", "policies")} here`), drawWay(policy));
        at.hovered.dataset.took = (performance.now() - from).toFixed(2);
    }
}

/** @param {Shown} shown @param {number} i */
function pick(shown, i) {
    state.set({ policy: String(i) });
    showPolicy(shown);
}

/** @param {Shown} shown @param {number} i */
const pickButton = (shown, i) => button(String(i), () => pick(shown, i), { class: "cell", "aria-label": `policy ${i}` });

/** The terms of the chosen policy, step by step, and its nearest.
 * @param {Shown} shown */
async function showPolicy(shown) {
    const { space, at } = shown;
    const i = state.get("policy") === "" ? -1 : Number(state.get("policy"));
    if (!space || !(i >= 0 && i < space.map.efe.length)) {
        at.policy.replaceChildren(h("p", { class: "small" }, "Choose a point for its terms, step by step, and the policies that are nearest to it."));
        return;
    }
    const [document, near] = [await engine.policy(i), await engine.nearest(i, NEIGHBOURS)];
    const policy = document.policies[0];
    at.policy.replaceChildren(h("h3", {}, `Policy ${policy.index}`), h("p", {}, wayOf(policy, subject.current().document, subject.world())), drawWay(policy), stepsTable(policy), h("h3", {}, "Nearest"),
        table(["policy", "distance", "G", "cluster"], near.map(([row, far]) => [pickButton(shown, space.best[row]), short(far), brief(space.efe[row]), space.map.cluster[space.best[row]]]), "nearest"));
}

/** @param {Shown} shown @param {import("./cloud.js").View | null} view */
function brush(shown, view) {
    state.set({ brush: packed(view) });
    remember();
    showBrush(shown);
}

/** The policies in the rectangle of the address.
 * @param {Shown} shown */
function showBrush(shown) {
    const { space, plane, at } = shown;
    const view = viewIn("brush");
    if (!space || !view) {
        at.brushed.replaceChildren(h("p", { class: "small" }, "Drag over points for a list of them."));
        return;
    }
    const inside = insideOf(space, view);
    const rows = inside.slice(0, LISTED).map((i) => [pickButton(shown, i), ...numbersOf(space, i).slice(1).map((one) => (typeof one !== "number" || Number.isInteger(one) ? one : brief(one)))]);
    at.brushed.replaceChildren(h("p", {}, `${plural(inside.length, "policy", "policies")}${inside.length > LISTED ? `, the best ${LISTED} of them here` : ""}`),
        h("div", { class: "tools" }, button("CSV", () => saveText("policies.csv", csv([HEADS, ...inside.map((i) => numbersOf(space, i))]), "text/csv")),
            ...(view.every(Number.isFinite) ? [button("look closer", () => plane.look(view))] : []), button("clear", () => brush(shown, null))), table(HEADS, rows, "listed"));
}

/** Colours points as the address says.
 * @param {Shown} shown */
function colour(shown) {
    if (shown.space) {
        shown.classes = classesOf(shown.space, state.get("colour") || "G");
        const made = paintOf(shown.classes);
        [shown.plane, shown.against].forEach((one) => one.recolour(made.colour, made.order));
        shown.at.legend.replaceChildren(...legend(shown));
    }
}

/** @param {Shown} shown @param {Space} space */
function showChosen(shown, space) {
    shown.hulls = space.chosen.map((c) => hull(Array.from(space.best.keys()).filter((row) => space.map.cluster[space.best[row]] === c).map((row) => [space.x[row], space.y[row]])));
    shown.at.clusters.replaceChildren(h("details", { open: true }, h("summary", {}, "Clusters"), clusterTable(space, (i) => pick(shown, i))));
    shown.plane.drawOver();
}

/* the space that was shown last, on this screen or before it was left, and what of it was looked at */
let last = { key: "", data: /** @type {string | Uint8Array} */ (""), view: "", brush: "" };
const remember = (of = {}) => { last = { ...last, ...of, view: state.get("view"), brush: state.get("brush") }; };

/** Another space is seen as a whole, unless the address says otherwise.
 * @param {string} key @param {string | Uint8Array} data */
function lookAnew(key, data) {
    if (last.key !== "" && (last.key !== key || last.data !== data)) {
        state.set(Object.fromEntries(/** @type {("view" | "brush")[]} */ (["view", "brush"]).filter((name) => state.get(name) === last[name]).map((name) => [name, null])));
    }
    remember({ key, data });
}

/** @param {Shown} shown @param {Space} space @param {number} since when it was asked for */
function showSpace(shown, space, since) {
    const { plane, against, at } = shown;
    shown.space = space;
    shown.hulls = [];
    shown.classes = classesOf(space, state.get("colour") || "G");
    const made = paintOf(shown.classes);
    plane.show({ x: space.x, y: space.y, ...made }, viewIn("view"));
    against.show({ x: space.x, y: space.efe, ...made });
    const took = performance.now() - since;
    at.mapped.dataset.took = took.toFixed(1);
    at.mapped.textContent = `${plural(space.map.efe.length, "policy", "policies")}, ${grouped(space.x.length)} distinct in this embedding; component 1 holds ${short(100 * space.map.share[0])} % of its variance, component 2 ${short(100 * space.map.share[1])} %. Embedded, clustered, scored and drawn in ${short(took / 1000)} s.${hasHabits(subject.current().data) ? " The posterior here is exp(−γ G) alone, without the model’s E." : ""}`;
    at.premise.textContent = Number.isFinite(space.r) ? `Component 1 and G go together with r = ${fixed(space.r, 3)}: clusters made from the embedding tell policies apart by G only as far as its directions do.` : "One of them does not vary here.";
    at.legend.replaceChildren(...legend(shown));
    showChosen(shown, space);
    showPolicy(shown);
    showBrush(shown);
    hover(shown, space.top);
}

/** What the address asks for, unless it is there.
 * @param {Shown} shown @param {HTMLElement} root */
async function mapAnew(shown, root) {
    const { document: about, error, kind, data } = subject.current();
    if (about === null || error !== null) {
        return;
    }
    subject.needPolicies();
    const since = performance.now();
    const here = Number(state.get("step")) > 0 && kind === "graph" ? await placeAt(Number(state.get("step"))) : [];
    const words = subject.words("cluster", here);
    const key = JSON.stringify([words, subject.option("gamma")]);
    if (key === shown.key && data === shown.data) {
        return;
    }
    Object.assign(shown, { key, data });
    delete root.dataset.chosen;
    const answer = await engine.latest("map", async () => ({ ran: await engine.map(words.slice(1)), gamma: await gammaOf(here) }));
    if (answer === null) {
        return;
    }
    if (!answer.ran.map) {
        throw new Error(`${answer.ran.err.trim()}. Run on a computer of your own: ${typed(words)}`);
    }
    const space = spaceOf(answer.ran.map, answer.gamma);
    lookAnew(words.join(" "), data);
    showSpace(shown, space, since);
    shown.at.command.replaceChildren(taken(typed([...words, "--json"]), "command that makes these clusters"), unsavedNote() ?? "");
    const chosen = await engine.latest("chosen", () => chosenIn(here, space.map));
    if (chosen !== null && shown.space === space) {
        space.chosen = chosen;
        showChosen(shown, space);
        root.dataset.chosen = chosen.join(",");
    }
}

/** The empty places of the screen.
 * @returns {Record<Place, HTMLElement>} */
const places = () => ({ mapped: h("p", { class: "small", role: "status", id: "mapped" }), legend: h("div", { class: "legend" }), hovered: h("div", { id: "hovered", class: "hovered" }),
    policy: h("div", { id: "policy" }), brushed: h("div", { id: "brushed" }), clusters: h("div", {}), premise: h("p", { class: "small", id: "premise" }), problem: h("p", { class: "note", role: "alert", hidden: true }), command: h("div", {}) });

/** @returns {Shown} */
function begin() {
    const over = (/** @type {number} */ row) => { hover(shown, row); };
    const pickRow = (/** @type {number} */ row) => shown.space && pick(shown, shown.space.best[row]);
    const plane = cloud({ label: "Policies in the plane of two components; arrows go from point to point, Enter chooses, b begins and ends a list, + − 0 zoom", axes: ["component 1 →", "↑ component 2"], ratio: "wide", hover: over, pick: pickRow,
        brush: (view) => brush(shown, view), seen: (view) => { state.set({ view: packed(view) }); remember(); }, marks: (pen, at) => planeMarks(shown)(pen, at) });
    const against = cloud({ label: "Component 1 against G; arrows go from point to point, Enter chooses", axes: ["component 1 →", "↑ G, nats"], ratio: "flat", hover: over, pick: pickRow,
        brush: ([a, b]) => brush(shown, [a, b, -Infinity, Infinity]), marks: (pen, at) => shown.space && bestMark(pen, at, shown.space, shown.space.efe) });
    const shown = /** @type {Shown} */ ({ space: null, classes: null, hulls: [], key: "", data: "", plane, against, at: places() });
    return shown;
}

/** @param {HTMLElement} root */
function open(root) {
    const shown = begin();
    const { at, plane, against } = shown;
    const follow = () => mapAnew(shown, root).then(() => { at.problem.hidden = true; }, (failed) => {
        shown.key = "";
        at.problem.hidden = false;
        at.problem.textContent = failed.message;
    });
    const colours = choice("colour", state.get("colour") || "G", COLOURS, (value) => recolour(value));
    recolour = (value) => {
        /** @type {HTMLSelectElement} */ (colours.querySelector("select")).value = value;
        state.set({ colour: value === "G" ? null : value });
        colour(shown);
    };
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => colour(shown));
    root.append(h("h1", {}, "Policies"), subject.controls(OPTIONS, "cluster"), h("div", { class: "controls" }, colours), at.problem, at.mapped,
        h("div", { class: "columns" }, h("section", { "aria-label": "The policy space" }, plane.box, plane.tools, at.legend,
            h("p", { class: "small" }, "◆ the best policy; numbered: representatives, that of the chosen cluster filled, which is enclosed by a line. A point is all policies that share a row of the embedding.")),
        h("div", {}, h("section", { "aria-label": "One policy" }, at.hovered), h("section", { "aria-label": "Component 1 against G" }, h("h2", {}, "Component 1 against G"), against.box, at.premise))),
        h("div", { class: "columns" }, h("section", { "aria-label": "The chosen policy" }, h("h2", {}, "Chosen"), at.policy), h("section", { "aria-label": "Clusters and lists" }, at.clusters, h("h2", {}, "Brushed"), at.brushed)), at.command);
    subject.changed(follow);
    follow();
}

/** @type {(value: string) => void} */
let recolour = () => undefined;

/** @type {import("./main.js").Screen} */
export const policiesScreen = { name: "policies", title: "Policies", subject: true, shows: engine.here, open,
    keys: [["g c a p", "colour by G, cluster, first action, posterior"], ["Tab", "to the points; there: arrows go from one to the next, Enter chooses it, b begins and ends a rectangle to list, + − 0 zoom"]],
    key: (key) => {
        const by = /** @type {Record<string, string>} */ ({ g: "G", c: "cluster", a: "action", p: "posterior" })[key];
        if (by) {
            recolour(by);
        }
        return by !== undefined;
    } };
