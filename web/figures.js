/* figures.js: every figure of a study, as a choice of cells. Each function gives the panels and
 * series that chart.js draws, with every interval as the summary has it; sonde.figures in Python
 * makes the same choices. */
import palette from "./palette.json";
import { ascending, distinct, value } from "./cells.js";
import { plural, range, titled } from "./words.js";

/** @typedef {import("./cells.js").Cells} Cells */

export const FEW = 10; // worlds below which there is no line and no band: they say too little
const SCOPES = ["local", "global"];

/**
 * @param {string} name
 */
const styled = (name) => /** @type {Record<string, number>} */ (palette.names)[name] ?? 7;

/**
 * @param {Cell | undefined} cell
 * @param {any} x
 * @returns {Mark[]}
 */
const optimalMark = (cell, x) => (cell?.optimal
    ? [{ x, y: cell.optimal[0], low: cell.optimal[1], high: cell.optimal[2], cell, faint: cell.runs < FEW,
        tip: `${plural(cell.runs, "world")}` }] : []);

/**
 * @param {Cell | undefined} cell
 * @param {any} x
 * @param {string} measure
 * @param {"mean" | "median"} of
 * @returns {Mark[]}
 */
function measureMark(cell, x, measure, of) {
    if (cell === undefined || !(value(cell, measure, "n") > 0)) {
        return [];
    }
    const ends = of === "mean" ? ["low", "high"] : ["median_low", "median_high"];
    return [{ x, y: value(cell, measure, of), low: value(cell, measure, ends[0]), high: value(cell, measure, ends[1]),
        cell, faint: value(cell, measure, "n") < FEW, tip: plural(value(cell, measure, "n"), "world") }];
}

/**
 * How many worlds the marks of a figure have.
 * @param {Panel[]} panels
 */
const worldsOf = (panels) => range(panels.flatMap((panel) => panel.series.flatMap((one) => one.marks))
    .map((mark) => mark.cell?.runs ?? 0));

/**
 * @param {Cells} cells
 */
export const ksOf = (cells) => ascending(cells.conditions.filter((c) => c.group === "table" && c.k > 0).map((c) => c.k));
/**
 * @param {Cells} cells
 */
export const nsOf = (cells) => ascending(cells.conditions.filter((c) => c.group === "table" && c.k > 0).map((c) => c.n));

/**
 * @param {Cells} cells
 * @param {{k: number, n: number}} choice
 * @returns {Figure}
 */
export function optimality(cells, choice) {
    const sizes = cells.sizes("table");
    const names = sizes.map(String);
    const panels = SCOPES.map((scope) => {
        /** @type {Series[]} */
        const series = [{ label: "full search", colour: styled("full"), shape: "bar",
            marks: sizes.flatMap((size) => optimalMark(cells.find({ group: "table", scope, embedding: "none",
                semantics: "text" }, size), String(size)).map((mark) => ({ ...mark,
                reference: paperOf(cells, scope, "none", 0, 0, size) }))) }];
        series.push({ label: "bounded search, certified", colour: styled("bounded"), shape: "bar",
            marks: sizes.flatMap((size) => optimalMark(cells.find({ group: "certified", scope }, size), String(size))) });
        for (const embedding of cells.embeddings("table")) {
            for (const semantics of ["text", "notebook"]) {
                series.push({ label: `${titled(embedding)}, ${semantics}`, colour: styled(embedding), shape: "bar",
                    hollow: semantics === "notebook",
                    marks: sizes.flatMap((size) => optimalMark(cells.find({ group: "table", scope, embedding,
                        k: choice.k, n: choice.n, semantics }, size), String(size)).map((mark) => ({ ...mark,
                        reference: paperOf(cells, scope, embedding, choice.k, choice.n, size) }))) });
            }
        }
        return { title: scope, x: { title: "nodes", categories: names },
            y: { title: "optimal runs, %", low: 0, high: 100 }, series: series.filter((one) => one.marks.length > 0) };
    });
    return { name: "optimality", title: "Optimal runs by size of the world", panels, height: 250,
        python: `k=${choice.k}, n=${choice.n}`,
        caption: `Every embedding with k = ${choice.k} clusters and n = ${choice.n} (n = 1 scores the representative of `
            + "a cluster, more the mean of so many of its members). Optimal: a shortest path to the destination, where "
            + "the agent then stays. Whiskers: Wilson’s 95 % interval; "
            + `${worldsOf(panels)} worlds per bar. Plain: as the paper’s text has it; hatched: as the authors’ notebook `
            + "has it; diamonds: the paper’s Table 1 at the same k and n." };
}

/**
 * The paper's value, or null.
 * @param {Cells} cells
 * @param {string} scope
 * @param {string} embedding
 * @param {number} k
 * @param {number} n
 * @param {number} size
 */
function paperOf(cells, scope, embedding, k, n, size) {
    const found = cells.summary.table1.cells.find((cell) => cell.scope === scope && cell.embedding === embedding
        && cell.size === size && (embedding === "none" || (cell.k === k && cell.n === n)));
    return found?.paper?.percent[0] ?? null;
}

/**
 * @param {Cells} cells
 * @param {{k: number, n: number, semantics: string}} choice
 * @param {{name: string, title: string, y: string, measure: string, of: "mean" | "median", caption: string}} what
 * @returns {Figure}
 */
function decisions(cells, choice, what) {
    const sizes = cells.sizes("table");
    const panels = SCOPES.map((scope) => {
        /** @type {Series[]} */
        const series = [
            { label: "full search", colour: styled("full"), shape: "line", marks: sizes.flatMap((size) =>
                measureMark(cells.find({ group: "table", scope, embedding: "none", semantics: choice.semantics }, size),
                    size, what.measure, what.of)) },
            { label: "bounded search, certified", colour: styled("bounded"), shape: "line", marks: sizes.flatMap((size) =>
                measureMark(cells.find({ group: "certified", scope }, size), size, what.measure, what.of)) }];
        for (const embedding of cells.embeddings("table")) {
            series.push({ label: titled(embedding), colour: styled(embedding), shape: "line",
                marks: sizes.flatMap((size) => measureMark(cells.find({ group: "table", scope, embedding, k: choice.k,
                    n: choice.n, semantics: choice.semantics }, size), size, what.measure, what.of)) });
        }
        return { title: scope, x: { title: "nodes", whole: true }, y: { title: what.y, log: true },
            series: series.filter((one) => one.marks.length > 0) };
    });
    return { name: what.name, title: what.title, panels, python: `k=${choice.k}, n=${choice.n}, semantics="${choice.semantics}"`,
        caption: `${what.caption} Clusters: k = ${choice.k}, n = ${choice.n}, as the ${choice.semantics} has it. `
            + `${worldsOf(panels)} worlds per point.` };
}

/**
 * @param {Cells} cells
 * @param {{k: number, n: number, semantics: string}} choice
 */
export const decisionTime = (cells, choice) => decisions(cells, choice, { name: "decision_time",
    title: "Time of a decision by size of the world", y: "seconds per decision", measure: "seconds", of: "median",
    caption: "Median over worlds of the time of a decision on one thread, embedding and clustering not counted; one "
        + "world that had to wait for the processor does not move it. Whiskers: 95 % interval of the median, from the "
        + "order of the worlds." });

/**
 * @param {Cells} cells
 * @param {{k: number, n: number, semantics: string}} choice
 */
export const decisionSteps = (cells, choice) => decisions(cells, choice, { name: "decision_steps",
    title: "Work of a decision by size of the world", y: "steps scored per decision", measure: "steps", of: "mean",
    caption: "Mean number of beliefs propagated and scored for a decision; a prefix that policies share counts once. "
        + "Whiskers: 95 % interval of the mean (Student’s, about its logarithm)." });

/**
 * @param {Cells} cells
 * @param {{semantics: string}} choice
 * @returns {Figure}
 */
export function constructionTime(cells, choice) {
    const sizes = cells.sizes("table");
    const largest = Math.max(0, ...ksOf(cells));
    const made = (/** @type {string} */ scope, /** @type {string} */ embedding, /** @type {number} */ size) =>
        cells.where({ group: "table", scope, embedding, semantics: choice.semantics, connect: "symmetric", k_used: largest })
            .map((c) => cells.cell(c, size)).find((cell) => value(cell, "construction", "n") > 0);
    const panels = SCOPES.map((scope) => ({ title: scope, x: { title: "nodes", whole: true },
        y: { title: "seconds per run", log: true },
        series: cells.embeddings("table").map((embedding) => /** @type {Series} */ ({ label: titled(embedding),
            colour: styled(embedding), shape: "line", marks: sizes.flatMap((size) =>
                measureMark(made(scope, embedding, size), size, "construction", "median")) }))
            .filter((one) => one.marks.length > 0) }));
    return { name: "construction_time", title: "Time to embed and cluster by size of the world", panels,
        python: `semantics="${choice.semantics}"`,
        caption: `Median over worlds of embedding and k-means (ten starts) with k = ${largest}, all states that a run `
            + "visited together in local scope; runs that made all their clusterings themselves. Whiskers: 95 % "
            + `interval of the median; ${worldsOf(panels)} worlds per point. Sonde needs no matrix of edit distances, so `
            + "that EDM costs little more than the others." };
}

/**
 * @param {Cells} cells
 * @returns {Figure}
 */
export function valid(cells) {
    const sizes = cells.sizes("table");
    const ks = ascending(cells.conditions.filter((c) => c.group === "table" && c.k_used > 0).map((c) => c.k_used));
    const panels = cells.embeddings("table").map((embedding) => ({ title: titled(embedding),
        x: { title: "nodes", categories: sizes.map(String) },
        y: { title: "valid representatives, %", low: 0, high: 100 },
        series: ks.flatMap((k) => ["text", "notebook"].map((semantics) => /** @type {Series} */ ({
            label: `k ${k}, ${semantics}`, colour: k <= 6 ? 6 : k <= 12 ? 1 : 5, hollow: semantics === "notebook",
            shape: "bar", marks: sizes.flatMap((size) => {
                const cell = cells.where({ group: "table", scope: "global", embedding, semantics, connect: "symmetric",
                    k_used: k }).map((c) => cells.cell(c, size)).find((one) => value(one, "valid", "n") > 0);
                return measureMark(cell, String(size), "valid", "mean");
            }) }))).filter((one) => one.marks.length > 0) }));
    return { name: "valid", title: "Representatives that are valid where the agent starts, global scope", panels,
        python: "", caption: "Mean over worlds of the share of clusters whose representative begins on the agent’s edge, "
            + `at the first decision: why the paper turned to local embeddings. Whiskers: Student’s 95 % interval; ${
                worldsOf(panels)} worlds per bar. k is the number of clusters that was used, with the notebook’s lag `
            + "where it has one." };
}

const SIZE_COLOURS = [6, 3, 4, 0, 5, 1, 2, 7];

/**
 * @param {Cells} cells
 * @param {"k" | "n"} by
 * @returns {Figure}
 */
export function sweep(cells, by) {
    const group = `sweep-${by}`;
    const sizes = cells.sizes(group);
    const semantics = cells.semantics(group);
    const families = SCOPES.flatMap((scope) => cells.embeddings(group).map((embedding) => ({ scope, embedding })))
        .filter((family) => cells.where({ group, ...family, semantics }).length > 0);
    /** @returns {Panel} */
    const panel = (/** @type {{scope: string, embedding: string}} */ family, /** @type {boolean} */ cost) => {
        const all = cells.where({ group, ...family, semantics });
        const first = cells.conditions[all[0]];
        const alike = all.filter((c) => cells.conditions[c].settings.probe === first.settings.probe
            && (by === "n" ? cells.conditions[c].k === first.k
                : cells.conditions[c].n === first.n || first.settings.probe === "center"));
        const lines = sizes.map((size, i) => /** @type {Series} */ ({ label: plural(size, "node"),
            colour: SIZE_COLOURS[i % 8], shape: "line", band: true,
            marks: alike.flatMap((c) => (cost ? measureMark(cells.cell(c, size), cells.conditions[c][by], "equivalent", "mean")
                : optimalMark(cells.cell(c, size), cells.conditions[c][by]))).sort((a, b) => a.x - b.x) }))
            .filter((one) => one.marks.length > 0);
        const xs = lines.flatMap((one) => one.marks.map((mark) => mark.x));
        const guides = !cost ? [] : sizes.map((size, i) => {
            const y = value(cells.find({ group: "table", scope: family.scope, embedding: "none", semantics }, size), "equivalent");
            return /** @type {Series} */ ({ label: `full search, ${plural(size, "node")}`, colour: SIZE_COLOURS[i % 8],
                shape: "guide", marks: Number.isFinite(y) && xs.length > 0
                    ? [{ x: Math.min(...xs), y }, { x: Math.max(...xs), y }] : [] });
        }).filter((one) => one.marks.length > 0);
        return { title: `${family.scope}, ${titled(family.embedding)}`,
            x: { title: by === "k" ? "k, clusters" : "n, samples from a cluster", log: by === "k", whole: by === "n" },
            y: cost ? { title: "policies scored per decision", log: true } : { title: "optimal runs, %", low: -2, high: 102 },
            series: [...lines, ...guides] };
    };
    const panels = families.flatMap((family) => [panel(family, false), panel(family, true)]);
    return { name: `sweep_${by}`, panels, python: "",
        title: by === "k" ? "Optimal runs and cost against the number of clusters"
            : "Optimal runs and cost against the number of samples",
        caption: `${by === "k" ? "Clustered search with k clusters; the paper settled on 12."
            : "Clustered search that scores n members of every cluster."} Semantics: ${semantics}. Bands: 95 % intervals `
            + `(Wilson’s; of mean costs: Student’s, about the logarithm); ${worldsOf(panels)} worlds per point. Sizes with `
            + `fewer than ${FEW} worlds are shown as open points, without line or band. Dotted: full search, in the `
            + "worlds of the table." };
}

/**
 * @param {Cells} cells
 * @param {number} size
 * @returns {Figure}
 */
export function tradeoff(cells, size) {
    const panels = SCOPES.map((scope) => {
        const series = [...cells.embeddings("table"), "none", "bounded"].flatMap((embedding) =>
            (embedding === "none" || embedding === "bounded" ? ["text"] : ["text", "notebook"]).map((semantics) => {
                const group = embedding === "bounded" ? "certified" : "table";
                const wanted = { group, scope, embedding, connect: "symmetric", action: "marginal",
                    ...(group === "table" && embedding !== "none" ? { semantics } : {}) };
                const marks = cells.where(wanted).flatMap((c) => {
                    const cell = cells.cell(c, size);
                    const { k, n } = cells.conditions[c];
                    return optimalMark(cell, value(cell, "equivalent")).map((mark) => ({ ...mark, low: null, high: null,
                        faint: false, tip: k > 0 ? `k ${k}, n ${n}` : "" }));
                }).filter((mark) => Number.isFinite(mark.x));
                return /** @type {Series} */ ({ label: embedding === "none" ? "full search" : embedding === "bounded"
                    ? "bounded search, certified" : `${titled(embedding)}, ${semantics}`, colour: styled(embedding),
                    hollow: semantics === "notebook", shape: "dot", marks });
            })).filter((one) => one.marks.length > 0);
        return { title: scope, x: { title: "policies scored per decision", log: true },
            y: { title: "optimal runs, %", low: -4, high: 104 }, series };
    });
    return { name: `tradeoff_${size}`, title: `Optimal runs against policies scored, ${plural(size, "node")}`, panels,
        height: 300, python: `size=${size}`,
        caption: "Every condition of the table; point at a mark for its k and n. Full markers: the paper’s text; open: "
            + "the authors’ notebook. Policies scored: mean over worlds of steps divided by the length of a policy; "
            + `${worldsOf(panels)} worlds per point. Upper left is better.` };
}

const FAILURES = ["never left its start", "moved, never arrived", "arrived by a detour", "arrived, left again"];
const FAILURE_COLOURS = [4, 2, 1, 5];

/**
 * @param {Cells} cells
 * @returns {Figure}
 */
export function failures(cells) {
    /** @type {number[]} */
    const counts = [];
    const panels = SCOPES.flatMap((scope) => ["text", "notebook"].flatMap((semantics) => {
        const names = ["none", ...cells.embeddings("table")].filter((embedding) =>
            cells.where({ group: "table", scope, embedding, ...(embedding === "none" ? {} : { semantics }) }).length > 0);
        if (names.length < 2 && semantics === "notebook") {
            return [];
        }
        const bars = names.map((embedding) => {
            const own = cells.where({ group: "table", scope, embedding, semantics });
            const all = own.length > 0 ? own : cells.where({ group: "table", scope, embedding });
            const found = cells.summary.cells.filter((cell) => all.includes(cell.condition) && cell.failures);
            const sum = (/** @type {number} */ i) => found.reduce((n, cell) => n + (cell.failures?.[i] ?? 0), 0);
            const runs = found.reduce((n, cell) => n + cell.runs, 0);
            counts.push(runs);
            return { name: embedding === "none" ? "full" : titled(embedding), runs, shares: [1, 2, 3, 4].map((i) => 100 * sum(i) / runs) };
        });
        return [{ title: `${scope}, ${semantics}`, x: { title: "search or embedding", categories: bars.map((one) => one.name) },
            y: { title: "runs that were not optimal, %", low: 0 },
            series: FAILURES.map((label, i) => /** @type {Series} */ ({ label, colour: FAILURE_COLOURS[i], shape: "stack",
                hollow: i >= 2, marks: bars.map((one) => {
                    const base = one.shares.slice(0, i).reduce((a, b) => a + b, 0);
                    return { x: one.name, base, y: base + one.shares[i], tip: plural(one.runs, "run") };
                }) })) }];
    }));
    return { name: "failures", title: "What happened in runs that were not optimal", panels, python: "",
        caption: `All sizes, k and n together: the height of a bar is the share of runs that were not optimal; ${
            range(counts)} runs per bar.` };
}

const FLOOR = 1e-6;

/**
 * The colour of a line of quality or scaling.
 * @param {Condition} condition
 * @param {string[]} lines
 */
function lineColour(condition, lines) {
    if (condition.search === "full" || condition.search === "bounded") {
        return styled(condition.search);
    }
    const left = [6, 3, 1, 5, 2, 7];
    const others = distinct(lines.filter((name) => name !== "full" && name !== "bounded"));
    const i = others.indexOf(condition.line);
    return left[i % 6] + 8 * Math.floor(i / 6);
}

/**
 * @param {Cells} cells
 * @param {boolean} error
 * @returns {Figure}
 */
export function quality(cells, error) {
    const judged = cells.summary.cells.filter((cell) => cells.conditionOf(cell).group === "quality" && value(cell, "tv", "n") > 0);
    const places = [...ascending(judged.filter((cell) => cell.size > 0).map((cell) => cell.size)),
        ...distinct(judged.filter((cell) => cell.size < 0).map((cell) => cell.size)).sort((a, b) => b - a)];
    const lines = distinct(cells.conditions.filter((c) => c.group === "quality").map((c) => c.line));
    const panels = places.map((place) => {
        const here = judged.filter((cell) => cell.size === place);
        const series = lines.flatMap((name) => [false, true].map((setup) => {
            const own = here.filter((cell) => cells.conditionOf(cell).line === name)
                .map((cell) => ({ cell, cost: value(cell, setup ? "judged_with_setup" : "judged_equivalent"),
                    good: error ? Math.max(value(cell, "tv"), FLOOR) : cell.optimal ? cell.optimal[0] : value(cell, "best") }))
                .sort((a, b) => a.cost - b.cost);
            if (own.length === 0 || (setup && !(own.some(({ cell }) => value(cell, "setup_steps") > 0)))) {
                return null;
            }
            let best = error ? Infinity : -Infinity;
            const marks = own.filter(({ good }) => {
                const better = error ? good < best : good > best;
                best = better ? good : best;
                return better;
            }).map(({ cell, cost, good }) => ({ x: cost, y: good, cell, tip: cells.conditionOf(cell).label }));
            return /** @type {Series} */ ({ label: setup ? `${name}, with set-up` : name, shape: "line", hollow: setup,
                colour: lineColour(cells.conditionOf(own[0].cell), lines), marks });
        }).filter((one) => one !== null));
        return { title: here[0].place, x: { title: "policies scored", log: true },
            y: error ? { title: "total variation", log: true, low: 0.6 * FLOOR, high: 1.6 }
                : { title: place > 0 ? "optimal runs, %" : "best policy found, %", low: -4, high: 104 },
            series: /** @type {Series[]} */ (series) };
    });
    return { name: error ? "quality" : "quality_optimal", panels, height: 190, python: "",
        title: error ? "Error of the posterior against policies scored" : "Optimality against policies scored",
        caption: `${error ? "Total variation of the posterior over policies from the exact one; below a millionth it is "
            + "drawn at the foot. Lower left is better." : "Graph worlds: runs that took a shortest path and stayed. "
            + "Models: decisions whose best policy has the smallest G of all. Upper left is better."} Policies scored: `
            + "steps divided by the length of a policy; what a search works out once for a world is counted where the "
            + `legend says so. Means over the first ${cells.summary.study.judged} decisions of an exact agent, and over `
            + `worlds or episodes (${worldsOf(panels)}). A line joins the settings of a search that no cheaper one beats.` };
}

/**
 * Whether some plans of a study wait for what they see.
 * @param {Cells} cells
 */
export const looks = (cells) => cells.conditions.some((c) => c.group === "quality" && c.line.startsWith("closed: "));

/**
 * What actions cost that are named, what outcomes agents came to, and time, against what was scored.
 * @param {Cells} cells
 * @returns {Figure}
 */
export function closed(cells) {
    const rows = /** @type {[string, string, boolean, "mean" | "median"][]} */ ([["regret of the action, nats", "regret", true, "mean"],
        ["preference of outcomes", "preference", false, "mean"], ["seconds", "seconds", true, "median"]]);
    const judged = cells.summary.cells.filter((cell) => cells.conditionOf(cell).group === "quality" && value(cell, "tv", "n") > 0);
    const places = distinct(judged.filter((cell) => cell.size < 0).map((cell) => cell.size)).sort((a, b) => b - a);
    const lines = distinct(cells.conditions.filter((c) => c.group === "quality").map((c) => c.line));
    const panels = rows.flatMap(([y, measure, log, of]) => places.map((place) => {
        const here = judged.filter((cell) => cell.size === place);
        const series = lines.map((name) => {
            const own = here.filter((cell) => cells.conditionOf(cell).line === name);
            const marks = own.map((cell) => ({ x: Math.max(value(cell, "judged_equivalent"), 0.1), cell, tip: cells.conditionOf(cell).label,
                y: log ? Math.max(value(cell, measure, of), FLOOR) : value(cell, measure, of) })).sort((a, b) => a.x - b.x);
            return /** @type {Series} */ ({ label: name, shape: "line", colour: own.length > 0 ? lineColour(cells.conditionOf(own[0]), lines) : 0, marks });
        }).filter(({ marks }) => marks.length > 0);
        return { title: here[0].place, x: { title: "policies scored", log: true }, y: { title: y, log }, series };
    }));
    return { name: "closed", panels, height: 190, python: "", title: "What plans that wait for what they see achieve, and cost",
        caption: "Regret: how much more G the action has that a search names, where everything after it is done best, than the best "
            + "action (a millionth at least); preference: ln C of outcomes, or utility, in the mean over an episode. Policies scored: "
            + `steps divided by the horizon, a tenth at least. Regret over the first ${cells.summary.study.judged} decisions of an `
            + `exact agent; means, and medians of seconds, over episodes (${worldsOf(panels)}).` };
}

/**
 * @param {Cells} cells
 * @returns {Figure}
 */
export function scaling(cells) {
    const rows = [["first decision", "seconds", "first_seconds"], ["later decisions", "seconds", "seconds"],
        ["first decision", "policies scored", "first_equivalent"]];
    const columns = [["scaling-nodes", "by nodes", "nodes"], ["scaling-horizon", "by horizon", "steps in a policy"]];
    const panels = rows.flatMap(([title, y, measure]) => columns.map(([group, by, x]) => {
        const lines = distinct(cells.conditions.filter((c) => c.group === group).map((c) => c.line));
        /** @type {Map<string, Series>} */
        const series = new Map();
        for (const cell of cells.summary.cells.filter((one) => one.size > 0 && cells.conditionOf(one).group === group)) {
            const condition = cells.conditionOf(cell);
            const horizon = condition.horizon || cell.size;
            const label = group === "scaling-nodes" ? `${condition.line}, T = ${horizon}` : `${condition.line}, ${plural(cell.size, "node")}`;
            const colour = lineColour(condition, lines);
            const same = [...series.values()].filter((one) => one.colour === colour && one.label !== label).length;
            const own = series.get(label) ?? { label, colour, shape: /** @type {"line"} */ ("line"), hollow: same % 2 === 1, marks: [] };
            series.set(label, own);
            own.marks.push({ x: group === "scaling-nodes" ? cell.size : horizon, y: value(cell, measure, "median"),
                low: value(cell, measure, "least"), high: value(cell, measure, "most"), cell });
        }
        series.forEach((one) => one.marks.sort((a, b) => a.x - b.x));
        return { title: `${title}, ${by}`, x: { title: x, log: true }, y: { title: y, log: true }, series: [...series.values()] };
    }));
    return { name: "scaling", title: "What a decision costs as worlds and plans grow", panels, height: 190, python: "",
        caption: "The first decision has the set-up in it: bounds, or embedding and clusters. Policies scored: steps "
            + "divided by the length of a policy, those of the set-up included. Edges grow with nodes, about five for "
            + `each. Medians over worlds, ${worldsOf(panels)}; whiskers: from the smallest to the largest. Searches end `
            + "where policies are too many for them." };
}

/**
 * What conditions of one's own are compared by; `better` is 1 where more is better.
 * @type {Measure[]}
 */
export const MEASURES = [
    { key: "optimal", title: "Optimal runs", y: "optimal runs, %", of: "mean", better: 1,
        about: "percent of runs that took a shortest path to the destination and stayed there." },
    { key: "preference", title: "Preference", y: "ln C of outcomes, nats", of: "mean", better: 1,
        about: "how much what was seen was preferred, ln C of the outcomes of a step summed over modalities (C itself where preferences are utilities), mean over steps; what a reward would be. More is better." },
    { key: "efe", title: "G of the best policy", y: "G, nats", of: "mean", better: -1,
        about: "expected free energy of the best policy that a decision scored, mean over decisions. Less is better; agents that went other ways decided from other beliefs." },
    { key: "surprise", title: "Surprise", y: "−ln P(outcomes), nats", of: "mean", better: -1,
        about: "−ln P of what was seen at a step, all modalities jointly, mean over steps." },
    { key: "equivalent", title: "Policies scored", y: "policies scored", of: "mean", better: -1, log: true,
        about: "steps scored for a decision divided by the length of a policy; what is worked out once is not counted." },
    { key: "seconds", title: "Time of a decision", y: "seconds", of: "median", better: -1, log: true,
        about: "median over runs of the time of a decision on one thread; what is worked out once, and clustering, are not counted." },
    { key: "certificate", title: "Certified distance", y: "total variation", of: "mean", better: -1, log: true,
        about: "total variation from the exact posterior over policies that the certificates of decisions allow, mean over decisions; searches without one have none." },
    { key: "tv", title: "Distance from the exact posterior", y: "total variation", of: "mean", better: -1, log: true,
        about: "total variation of the posterior over policies from the exact one, mean over the decisions that were judged." },
    { key: "regret", title: "Regret", y: "G, nats", of: "mean", better: -1,
        about: "G of the best policy that was found above the smallest of all, mean over the decisions that were judged." },
    { key: "best", title: "Best policy found", y: "decisions, %", of: "mean", better: 1,
        about: "percent of the judged decisions whose best policy has the smallest G of all." },
];

/**
 * A cell's number, with its interval; NaN where it has none.
 * @param {Measure} measure
 * @param {Cell | undefined} cell
 */
export function measureOf(measure, cell) {
    if (measure.key === "optimal") {
        const [y, low, high] = cell?.optimal ?? [NaN, NaN, NaN];
        return { y, low, high };
    }
    const ends = measure.of === "mean" ? ["low", "high"] : ["median_low", "median_high"];
    return { y: value(cell, measure.key, measure.of), low: value(cell, measure.key, ends[0]), high: value(cell, measure.key, ends[1]) };
}

/**
 * Conditions of one's own by one measure, a panel for each model or size.
 * @param {Cells} cells
 * @param {string} key
 * @returns {Figure}
 */
export function comparison(cells, key) {
    const measure = /** @type {Measure} */ (MEASURES.find((one) => one.key === key));
    const own = cells.own();
    const numbers = ascending(own.map((cell) => cell.condition));
    const panels = cells.ownPlaces().map((size) => ({ title: own.find((cell) => cell.size === size)?.place ?? "",
        x: { title: "condition", whole: true, low: 0.5, high: numbers.length + 0.5 },
        y: { title: measure.y, log: measure.log },
        series: numbers.map((c, i) => {
            const cell = cells.cell(c, size);
            const found = measureOf(measure, cell?.own ? cell : undefined);
            return /** @type {Series} */ ({ label: `${i + 1} ${cells.conditions[c].short}`, colour: i + 1, shape: "dot", hollow: i % 14 >= 7,
                marks: Number.isFinite(found.y) && (!measure.log || found.y > 0) ? [{ x: i + 1, ...found, cell, tip: plural(cell?.runs ?? 0, "run") }] : [] });
        }).filter((one) => one.marks.length > 0) })).filter((panel) => panel.series.length > 0);
    return { name: `comparison_${key}`, title: measure.title, panels, height: 170, free: true, python: `measure="${key}"`,
        caption: `${measure.about[0].toUpperCase()}${measure.about.slice(1)} Whiskers: 95 % intervals; ${
            worldsOf(panels)} runs per point. Each panel has a scale of its own.` };
}

/**
 * G of representatives beside the mean of their clusters, by rising mean.
 * @param {Cells} cells
 * @param {number} which
 * @returns {Figure}
 */
export function clusterBars(cells, which) {
    const chosen = cells.summary.chosen[which];
    const size = cells.summary.worlds[chosen.world].size;
    const space = chosen.spaces.find((one) => one.scope === "local" && one.embedding === "boe");
    const panels = /** @type {[string, Contrast | undefined][]} */ ([["k = 12", space?.k12], ["k = 100", space?.k100]])
        .filter(([, contrast]) => contrast).map(([title, contrast]) => {
            const { representative, mean, r } = /** @type {Contrast} */ (contrast);
            const order = mean.map((g, c) => ({ g, c })).filter(({ g }) => g !== null)
                .sort((a, b) => /** @type {number} */ (a.g) - /** @type {number} */ (b.g));
            return { title: `${title}${mean.length < Number(title.slice(4)) ? ` (${mean.length} distinct)` : ""}, r = ${
                r === null ? "–" : r.toFixed(2)}`, x: { title: "cluster, the best mean first", categories: order.map(({ c }) => String(c)) },
            y: { title: "G, nats", low: 0 }, series: /** @type {Series[]} */ ([
                { label: "its representative", colour: 1, shape: "bar", marks: order.map(({ c }) => ({ x: String(c), y: representative[c] ?? NaN })) },
                { label: "mean of its policies", colour: 2, hollow: true, shape: "bar", marks: order.map(({ c, g }) => ({ x: String(c), y: g ?? NaN })) }]) };
        });
    return { name: `world_${size}_clusters`, title: `G of representatives and of their clusters, ${plural(size, "node")}`, panels,
        python: `world=${which}`, caption: "Expected free energy from the start of the world (smaller is better): the policy "
            + "nearest each cluster’s centre, and the mean over the cluster. Local scope, BOE (counts). r is Pearson’s "
            + "correlation over all clusters of the panel’s k-means." };
}

/**
 * The clusters of the decision that went wrong, by rising probe.
 * @param {Cells} cells
 * @returns {Figure}
 */
export function failedClusters(cells) {
    const { probe, mean, best, chosen, home, step } = cells.summary.failed;
    const order = probe.map((/** @type {number | null} */ g, /** @type {number} */ c) => ({ g, c }))
        .sort((/** @type {any} */ a, /** @type {any} */ b) => (a.g ?? Infinity) - (b.g ?? Infinity))
        .map((/** @type {any} */ one) => one.c);
    const name = (/** @type {number} */ c) => `${c}${c === chosen ? " chosen" : c === home ? " best" : ""}`;
    const series = /** @type {Series[]} */ ([["what the search scored", 1, false, probe], ["mean of its policies", 2, true, mean],
        ["best of its policies", 3, false, best]].map(([label, colour, hollow, list]) => ({ label, colour, hollow, shape: "bar",
        marks: order.map((/** @type {number} */ c) => ({ x: name(c), y: list[c] ?? NaN })) })));
    return { name: "failed_clusters", title: "What the search saw, and what there was", python: "",
        panels: [{ title: "", x: { title: "cluster, the best score first", categories: order.map(name) }, y: { title: "G, nats", low: 0 }, series }],
        caption: `The ${probe.length} clusters of the decision at step ${step + 1}. The search took the one whose score was `
            + "smallest; the best policy of all is in the cluster called best." };
}
