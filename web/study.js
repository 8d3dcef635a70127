/* study.js: the study, live: its tables and figures, and from each cell down to its worlds and runs.
 *
 * What is counted was counted by the library; the page chooses, sorts and draws. */
import palette from "./palette.json";
import { Cells, value } from "./cells.js";
import { button, h, prose } from "./dom.js";
import * as figures from "./figures.js";
import { count, fact, figure as live, fitting, goTo, gridTable, imprint, sections, takeAway, tile as tileOf } from "./report.js";
import { drawSpaces } from "./scatter.js";
import { CITATION, csv, saveText, taken } from "./share.js";
import * as state from "./state.js";
import { explore } from "./study_explore.js";
import { comparison } from "./study_compare.js";
import { openCell, openNamed, replayOf, runOf } from "./study_runs.js";
import { table1 } from "./study_table.js";
import { duration, fixed, grouped, plural, range, short, titled } from "./words.js";
import { drawWorld } from "./world.js";

/* ------------------------------------------------------------------------------------- words -- */

const MEANINGS = /** @type {[string, string][]} */ ([
    ["boe", "The paper counts how often a policy uses each edge; the notebook records whether it does. Walking to and fro between two nodes then looks like passing once."],
    ["aboe", "The paper appends the last node to the bag of edges. The notebook appends the numbers of the first and the second edge; they are far larger than the zeros and ones beside them, so that k-means sorts by these numbers and little else."],
    ["lookup", "In local scope a representative is known by its number among the local policies, but the notebook looks that number up in the global list. What it scores is some other policy, mostly one that cannot be carried out from here, and the probe says nothing about its cluster."],
    ["lag", "Clusters are made before the new k is stored, so that a run uses the k of the run before it: the rows with n = 1 use the other k, those with n = 3 their own."],
    ["nearest", "The representative of a cluster is the policy nearest its centre among all policies of the scope, and need not be one of its members."],
    ["empty", "With fewer distinct rows than k some clusters stay empty, and the notebook fails when it chooses one. Sonde draws such worlds anew, for all conditions alike, and counts them."],
    ["order", "Clusters are numbered as their seeds were drawn, and of several clusters with the same smallest score the first is taken: a random one."],
    ["directed", "The paper says that graphs are directed and made strongly connected; its code gives both directions of an edge one weight. Under both readings the table has the latter."],
    ["softmax", "The paper says that actions are drawn from a softmax of their summed probabilities, which makes them nearly random; its code draws from the probabilities themselves. Under both readings the table has the latter."],
    ["notebook", "The first seven together."],
]);

/* Notes; of a study of one's own, those that do not speak of the paper. */
const OWN_NOTES = [
    "**G** is the expected free energy of a policy in nats: risk, ambiguity and λ times cost. Smaller is better (pymdp and SPM report −G).",
    "**Preference** is ln C of the outcomes that were seen at a step, summed over modalities, with C as the model reads it (a softmax, unless it says otherwise; C itself where preferences are utilities): in the place of a reward.",
    "**Surprise** is −ln P of what was seen at a step under the agent’s model, all modalities jointly; the log evidence of a run is its sum, negated. Free energy bounds it from above.",
    "**Certified within**: the total variation between the posterior over policies that a decision used and the exact one is at most this. Searches that prove nothing have none.",
    "**Steps**: one belief propagated and scored is a step; a prefix that several policies share counts once. Policies scored are steps divided by the length of a policy.",
    "**Intervals** are 95 %: Student’s of means (of costs about the logarithm), of medians from the order of the runs, Wilson’s of shares of runs. All conditions of a model live through the same episodes.",
    "**Time** is of the machine that ran the study; clusterings that several conditions share were made once and are counted where they were made.",
];

const NOTES = [
    "**G** is the expected free energy of a policy in nats: risk, ambiguity and λ times the weight of the edges walked. Smaller is better (pymdp and SPM report −G).",
    "**Optimal**: the first visit to the destination came along a path as short as Dijkstra’s, and the agent was on the destination at every later step. A run that starts there is optimal if it never leaves.",
    "**Certified** rows are bounded search: it scores as few steps as it takes to be certain, and says how far its posterior can be from the exact one.",
    "**Scope**: global search knows every walk of T + 1 edges, wherever it begins; local search those that begin where the agent is. T is the number of nodes.",
    "**EDM, BOE, aBOE** are embeddings of policies: edit distances between walks, bags of edges, and bags of edges with the last node.",
    "**k, n**: the number of clusters; n = 1 scores the policy nearest the centre, n = 3 the mean of three members drawn without replacement.",
    "**Steps**: one belief propagated and scored is a step; a prefix that several policies share counts once; probes count.",
    "**Intervals** of shares are Wilson’s, 95 %. All conditions of a size run on the same worlds, so that two of them differ more clearly than their intervals suggest, and cells of the table are not independent.",
    "**Inside**: with N the paper’s graphs (40, or 39 where its percentage is one of 39) and p Sonde’s share under `notebook`, the paper’s count has at least 2.5 % of Binomial(N, p) on either side of it, itself included. p is taken as exact.",
    "**Redrawn worlds**: where the notebook would have failed on an empty cluster the world was drawn again, for all conditions.",
    "**Time** is of the machine that ran the study; clusterings that several conditions share were made once and are counted where they were made.",
];

const CAPTIONS = /** @type {Record<string, string>} */ ({
    comparison: "Means over runs with 95 % intervals behind them; of time, medians. Preference, G and surprise in nats, per step or decision; policies scored and time per decision. tables/comparison.csv has every measure with mean, median and both intervals, a row each.",
    decision_cost: "Median microseconds and mean steps scored for one decision, over all clustered conditions of the table, and how many times faster, and with how many times fewer steps, clustered search decides. A step is one belief propagated and scored; probes count. Embedding and clustering are not included.",
    quality: "Policies scored per decision, at the cheapest setting of a search whose posterior is within a total variation of 0.01 of the exact one in the mean; – where none is. Bold: the fewest of its column. tables/quality.csv has every setting: errors with intervals, certificates, regret of G, set-up and time.",
    scaling: "Means over worlds: policies from the start, time for the set-up (bounds, or embedding and clusters) and for a decision, and what either scores.",
    failures: "Runs by what became of them, all sizes, k and n of the table together. Stayed: never left the start. Never arrived: moved, but did not reach the destination. Detour: arrived, not by a shortest path. Left: arrived, and went away again.",
    differences: "Change in percent optimal against `text` when one difference is switched on, over the embeddings’ cells of the table. Clear: the sign test over the worlds on which the two disagree has p < 0.05 (one cell in twenty has by chance); directed worlds are other worlds and cannot be paired.",
    correlation: "Pearson’s correlation r between G of a cluster’s representative and mean G of the cluster, from the start of the world. With fewer distinct rows than k there are as many clusters as rows. k-means has ten starts for k = 12 and three for k = 100. No r where all representatives have the same G.",
    conditions: "Every condition with its settings; γ = 1, λ = 5, one best cluster and actions sampled from their summed probabilities unless they say otherwise.",
});

/* ----------------------------------------------------------------------------------- figures -- */

/**
 * A figure whose marks open their worlds.
 * @param {string} id
 * @param {() => Figure | null} make
 * @param {Cells} cells
 * @param {HTMLElement[]} [controls]
 */
function figure(id, make, cells, controls = []) {
    const name = id.replace(/_\d+$/, "").replace(/^comparison_.*/, "comparison");
    return live(id, make, controls, (made) => `${name}(summary${made.python ? `, ${made.python}` : ""})`, (mark) => mark.cell && openCell(cells, mark.cell));
}

/* ------------------------------------------------------------------------------------ screen -- */

/**
 * What was run, above everything else.
 * @param {Cells} cells
 */
function head(cells) {
    const { study, worlds, table1: table } = cells.summary;
    const paper = cells.has("table");
    const graphs = worlds.some((world) => world.size > 0);
    const redrawn = worlds.filter((world) => world.redraws > 0);
    const kinds = new Map();
    for (const world of worlds.slice().sort((a, b) => (a.size < 0 && b.size < 0 ? b.size - a.size : 0))) {
        const key = world.size < 0 ? study.models[-1 - world.size] : `${world.connect}, ${plural(world.size, "node")}`;
        kinds.set(key, (kinds.get(key) ?? 0) + 1);
    }
    const name = study.builtin ? study.plan : `${study.plan}.json`;
    return h("header", {},
        h("h1", {}, paper ? "Searching policy spaces with k-means, run again" : `Study: ${study.plan}`),
        h("p", { class: "lead" }, ...prose(paper ? "Kiefer and Albarracin, “Efficient search of active inference policy spaces using k-means”, let an agent score one representative of each cluster of policies and then search only the best cluster. Here is their experiment in Sonde, under two readings: `notebook`, what their published code does, and `text`, what their paper says; and beside it bounded search, which is certain of its answer."
            : cells.own().length > 0 ? ownLead(cells) : "What searches of active inference policies find, and what they cost, in a study by Sonde.")),
        study.tasks_done < study.tasks ? h("p", { class: "note" }, `Not complete: ${study.tasks_done} of ${plural(study.tasks, "task")} are done. Every number below is of those.`) : null,
        tiles(cells, table),
        h("dl", { class: "facts" }, fact("plan", study.plan), fact("runs", `${plural(study.runs, "run")} of ${stepsOf(cells)} steps`),
            fact("conditions", grouped(cells.conditions.length)), fact("seed", study.seed),
            graphs ? fact("worlds drawn again", `${grouped(redrawn.reduce((n, world) => n + world.redraws, 0))}, before ${grouped(redrawn.length)} of ${grouped(worlds.length)} worlds`) : null,
            fact("made by", `Sonde ${study.made_by}`),
            h("div", { class: "wide" }, h("dt", {}, graphs ? "worlds" : "episodes"), h("dd", {}, [...kinds].map(([key, n]) => (graphs ? `${n} ${key}` : `${n} of ${key}`)).join("; ") || "none yet"))),
        h("details", {}, h("summary", {}, "Run it again, cite it, share it"),
            h("p", {}, study.builtin ? "The commands that make this page:" : "With the plan at the end of this page saved as a file:"),
            taken(`sonde study ${name} --db ${study.file}\nsonde report ${study.file} -o report`, "commands"),
            h("p", {}, "The same from Python:"),
            taken(`import sonde\nimport sonde.figures as figures\n\nsonde.study("${name}", "${study.file}")\nsonde.report("${study.file}", "report")\nsummary = figures.read("report/summary.json")`, "Python"),
            h("p", {}, paper ? "To cite it, with the paper (arXiv:2209.02550):" : "To cite it:"), taken(CITATION, "citation"),
            h("p", {}, "The address of this page holds everything that was chosen: ", button("copy the link", () => {
                void navigator.clipboard?.writeText(location.href);
            })), h("p", {}, "Keys: ", h("kbd", {}, "?"), " lists them.")));
}

/**
 * Steps of a run: "10", or "3 to 10" where models have their own.
 * @param {Cells} cells
 */
function stepsOf(cells) {
    return range(cells.summary.cells.map((cell) => (cell.size < 0 ? cells.summary.models?.[-1 - cell.size]?.steps : undefined) ?? cells.summary.study.steps));
}

/**
 * What a study of one's own compares, in a sentence.
 * @param {Cells} cells
 */
function ownLead(cells) {
    const own = cells.own();
    const searches = [...new Set(own.map((cell) => cells.conditionOf(cell).search))];
    const places = cells.ownPlaces().map((size) => own.find((cell) => cell.size === size)?.place ?? "");
    return `${plural(new Set(own.map((cell) => cell.condition)).size, "condition")} (${searches.join(", ")}) on ${places.length > 6 ? `${places.slice(0, 6).join(", ")} and ${places.length - 6} more` : places.join(", ")}: what agents did, how well outcomes suited them, what decisions cost and how sure they were. Every number opens its runs${cells.summary.steps ? ", and runs their steps" : ""}.`;
}

/**
 * The findings in a few numbers.
 * @param {Cells} cells
 * @param {Summary["table1"]} table
 */
function tiles(cells, table) {
    /** @type {HTMLElement[]} */
    const made = [];
    const mean = (/** @type {string} */ source) => {
        const known = table.cells.filter((cell) => cell.scope === "local" && cell.embedding !== "none" && cell[source]);
        return known.length > 0 ? known.reduce((sum, cell) => sum + cell[source].percent[0], 0) / known.length : NaN;
    };
    const tile = (/** @type {string} */ number, /** @type {string} */ words) => made.push(tileOf(number, words));
    if (table.compared > 0) {
        tile(`${table.inside} of ${table.compared}`, "values of the paper’s Table 1 are what chance allows around Sonde’s under `notebook`");
    }
    if (Number.isFinite(mean("notebook")) && Number.isFinite(mean("text"))) {
        tile(`${fixed(mean("notebook"), 0)} % → ${fixed(mean("text"), 0)} %`, "optimal runs with clusters in local scope, `notebook` → `text`, mean over the table");
    }
    const speed = headline(cells);
    if (speed) {
        tile(`${fixed(speed.full.seconds / speed.clustered.seconds)}× faster`, `a decision with clusters on ${speed.size} nodes, ${speed.scope} scope (paper: 7.1×), with ${fixed(speed.full.steps / speed.clustered.steps)}× fewer steps scored`);
        const bounded = cells.find({ group: "certified", scope: speed.scope }, speed.size);
        if (bounded) {
            tile(`${fixed(speed.full.steps / value(bounded, "steps"))}× fewer steps`, `than full search for a decision by bounded search in the same worlds, and ${fixed(bounded.optimal?.[0], 1)} % of its runs are optimal: it is certain of each decision`);
        }
    }
    return h("div", { class: "tiles" }, ...made);
}

/**
 * The largest worlds for which there are full and clustered search.
 * @param {Cells} cells
 */
function headline(cells) {
    const sizes = [...new Set(cells.summary.speed.map((row) => row.size))].sort((a, b) => b - a);
    for (const size of sizes) {
        for (const scope of ["global", "local"]) {
            const row = cells.summary.speed.find((one) => one.size === size && one.scope === scope);
            for (const side of ["notebook", "text"]) {
                if (row && row.full.n > 0 && row[side].n > 0) {
                    return { size, scope, side, full: row.full, clustered: row[side] };
                }
            }
        }
    }
    return null;
}

/**
 * @param {Cells} cells
 */
function speedWords(cells) {
    const found = headline(cells);
    if (!found) {
        return null;
    }
    const { full, clustered } = found;
    return h("p", {}, ...prose(`The paper reports about 1.2 s for a decision by full search and 0.17 s with clusters: **7.1 times** faster. Sonde, in ${found.scope} scope on graphs of ${found.size} nodes under \`${found.side}\`, takes ${duration(full.seconds)} and ${duration(clustered.seconds)} (medians): **${fixed(full.seconds / clustered.seconds)} times**. Counted in steps scored, which no machine changes, it is ${short(full.steps)} against ${short(clustered.steps)}: **${fixed(full.steps / clustered.steps)} times** fewer. Full search scores a prefix that many policies share only once, and members of one cluster share fewer, so that the count saves less than the share of policies that are left out would suggest. Building the embedding and the clusters comes on top and is shown apart below.`));
}

/**
 * @param {Cells} cells
 */
function qualityWords(cells) {
    const judged = cells.summary.cells.filter((cell) => cell.exact);
    const all = judged.reduce((n, cell) => n + cell.runs, 0);
    const bounded = judged.filter((cell) => cell.exact === "bounded").reduce((n, cell) => n + cell.runs, 0);
    return h("p", {}, `Every search on the same decisions: how far its posterior over policies is from the exact one, against how many policies it scored to get there. ${bounded === 0 ? "All exact decisions are full search’s." : `Exact decisions are full search’s, except in cells of ${grouped(bounded)} of ${grouped(all)} runs, where it had too many policies to score: there they are bounded search’s, exact in graph worlds and within 10⁻⁹ in models.`} Where the posterior is broad, as at a small γ, its mass is spread over so many policies that no bound can leave any out: the error of every search falls only as it scores them, and bounded search saves no more than what equal beliefs let it merge.`);
}

/**
 * A heat table of what each difference does, at one size.
 * @param {Cells} cells
 */
function differencesFigure(cells) {
    const { differences } = cells.summary;
    const sizes = [...new Set(differences.map((one) => one.size))].sort((a, b) => a - b);
    state.usual("diff-size", String(sizes[sizes.length - 1]));
    const place = h("div", {});
    const draw = () => {
        const size = Number(state.get("diff-size"));
        const here = differences.filter((one) => one.size === size);
        const columns = MEANINGS.map(([name]) => name).filter((name) => here.some((one) => one.difference === name));
        const most = 10 * Math.ceil(Math.max(20, ...here.map((one) => Math.abs(one.change))) / 10 - 1e-9);
        const rows = cells.summary.table1.cells.filter((cell) => cell.size === size && cell.text);
        const line = (/** @type {TableCell} */ row) => h("tr", {}, h("th", { scope: "row", class: "w" },
            `${row.scope} ${titled(row.embedding)}${row.k > 0 ? ` k ${row.k} n ${row.n}` : ""}`), h("td", {}, fixed(row.text?.percent[0])),
        ...columns.map((name) => {
            const one = here.find((cell) => cell.difference === name && cell.scope === row.scope && cell.embedding === row.embedding
                && cell.k === row.k && cell.n === row.n);
            if (one === undefined) {
                return h("td", { class: "none" }, "·");
            }
            const share = Math.min(1, Math.abs(one.change) / most);
            const cell = /** @type {Cell} */ (cells.cell(one.after, size));
            const words = `${one.change > 0 ? "+" : ""}${fixed(one.change)}`;
            const made = h("td", { class: "heat", "data-clear": String(one.clear), title: one.p === null
                ? `Newcombe’s interval: ${fixed(one.low)} to ${fixed(one.high)}` : `sign test: p = ${short(one.p)}` },
            button(words, () => openCell(cells, cell), { "aria-label": `${name}, ${row.scope} ${titled(row.embedding)} k ${row.k} n ${row.n}: ${words} points${one.clear ? ", clear" : ""}` }));
            made.style.setProperty("--heat", one.change >= 0 ? palette.better : palette.worse);
            made.style.setProperty("--share", `${Math.round(55 * share)}%`);
            return made;
        }));
        place.replaceChildren(h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "One difference at a time" }, h("table", { class: "heats" },
            h("thead", {}, h("tr", {}, h("th", { class: "w", scope: "col" }, "cell"), h("th", { scope: "col" }, "text, %"), ...columns.map((name) => h("th", { scope: "col" }, name)))),
            h("tbody", {}, ...rows.map(line)))));
    };
    state.follow(draw);
    count.figure++;
    const rows = () => [Object.keys(differences[0]), ...differences.map((one) => Object.values(one))];
    return h("figure", { id: "figure-differences" },
        h("div", { class: "controls" }, state.choose("nodes", "diff-size", sizes.map(String))), place,
        h("figcaption", {}, h("b", {}, `Figure ${count.figure}. One difference at a time.`), " Change in the percentage of optimal runs against the paper’s text when one thing is different; blue is better, orange worse. Bold: p < 0.05 (two-sided sign test on the same worlds; directed, other worlds: Newcombe’s 95 % interval without 0), not corrected for the number of cells."),
        h("div", { class: "tools" }, button("CSV", () => saveText("differences.csv", csv(rows()), "text/csv"), { "aria-label": "Save differences as CSV" })));
}

/**
 * @param {Cells} cells
 */
function differencesWords(cells) {
    const known = new Set(MEANINGS.slice(0, 7).map(([name]) => name));
    const sentences = ["local", "global"].map((scope) => {
        const sums = new Map();
        for (const one of cells.summary.differences.filter((cell) => cell.scope === scope && cell.embedding !== "none" && known.has(cell.difference))) {
            const sum = sums.get(one.difference) ?? { n: 0, change: 0, clear: 0 };
            sums.set(one.difference, { n: sum.n + 1, change: sum.change + one.change, clear: sum.clear + (one.clear ? 1 : 0) });
        }
        const [name, sum] = [...sums].sort((a, b) => Math.abs(b[1].change / b[1].n) - Math.abs(a[1].change / a[1].n))[0] ?? [];
        return name ? `In ${scope} scope \`${name}\` moves the table most: ${sum.change > 0 ? "+" : ""}${fixed(sum.change / sum.n)} points on average, clearly in ${sum.clear} of ${sum.n} cells.` : "";
    });
    return [h("p", {}, ...prose(`Each difference between the authors’ notebook and their text was switched on alone, everything else being as the text has it. ${sentences.join(" ")}`)),
        h("ul", { class: "text" }, ...MEANINGS.map(([name, words]) => h("li", {}, h("code", {}, name), ` – ${words}`)))];
}

/**
 * A picture with a caption of its own.
 * @param {string} name
 * @param {(width: number) => SVGElement} draw
 * @param {string} title
 * @param {string} caption
 * @param {HTMLElement[]} controls
 * @param {() => any[][]} rows
 * @param {string} python
 */
function pictureFigure(name, draw, title, caption, controls, rows, python) {
    const { place, redraw } = fitting(draw);
    state.changed(redraw, ["colour"]);
    count.figure++;
    return h("figure", { id: `figure-${name}` }, controls.length > 0 ? h("div", { class: "controls" }, ...controls) : null, place,
        h("figcaption", {}, h("b", {}, `Figure ${count.figure}. ${title}.`), ` ${caption}`),
        takeAway(name, () => place.querySelector("svg"), rows, python));
}

/**
 * @param {Space} space
 */
const spaceRows = (space) => [["x", "y", "efe", "cluster"], ...space.x.map((x, i) => [x, space.y[i], space.efe[i], space.cluster[i]])];

const colourChoice = () => state.choose("colour", "colour", [["G", "G, dark is better"], ["cluster", "cluster"]]);

/**
 * Why these worlds.
 * @param {Cells} cells
 */
function chosenWords({ summary: { chosen, worlds, runs } }) {
    const ran = chosen.filter((one) => one.full !== null && one.clustered !== null);
    const alike = ran.filter((one) => runs.path[/** @type {number} */ (one.full)] === runs.path[/** @type {number} */ (one.clustered)]);
    const sizes = (/** @type {typeof chosen} */ some) => some.map((one) => worlds[one.world].size).join(" and of ");
    if (ran.length === 0) {
        return "The first worlds of their sizes that can be shown whole.";
    }
    return alike.length === 0 ? "The first worlds of their sizes in which full and clustered search go different ways, with two steps or more to go if there is one."
        : `${alike.length < ran.length ? `The first world of ${sizes(ran.filter((one) => !alike.includes(one)))} nodes in which full and clustered search go different ways; of` : "Of"} ${sizes(alike)} nodes the first in which there is a way to go: in none of these do the two go different ways, with two steps or more to go.`;
}

/**
 * Chosen worlds, whole.
 * @param {Cells} cells
 */
function worldsSection(cells) {
    const { chosen, worlds } = cells.summary;
    state.usual("colour", "G");
    return chosen.flatMap((one, which) => {
        const world = worlds[one.world];
        const ways = /** @type {[string, number | null][]} */ ([["full search, local", one.full], ["clustered search, local, BOE, k = 12, n = 1, text", one.clustered]])
            .filter(([, run]) => run !== null);
        const pictures = ways.map(([label, run]) => {
            const found = runOf(cells, /** @type {number} */ (run));
            count.figure++;
            const picture = drawWorld(world, found.path, found.path.length, `World ${world.graph} of ${plural(world.size, "node")}, ${label}: ${found.words}`);
            return h("figure", { class: "half", id: `figure-world_${world.size}_${label.startsWith("full") ? "full" : "clustered"}` }, picture,
                h("figcaption", {}, h("b", {}, `Figure ${count.figure}.`), ` World ${world.graph} of ${plural(world.size, "node")}, ${label}: ${found.words}. `,
                    button("this run", () => openCell(cells, found.cell, world.graph))),
                takeAway(`world_${world.size}_${label.startsWith("full") ? "full" : "clustered"}`, () => picture, () => [["step", "node"], ...found.path.map((v, t) => [t, v])],
                    `world_paths(summary, world=${which})`));
        });
        return [h("h3", {}, `A world of ${plural(world.size, "node")}`), h("div", { class: "pair" }, ...pictures),
            figure(`world_clusters_${world.size}`, () => figures.clusterBars(cells, which), cells),
            pictureFigure(`world_${world.size}_spaces`, (width) => drawSpaces(one.spaces.map((space) => ({ space,
                title: `${titled(space.embedding ?? "")}, ${space.scope}` })), width, { by: state.get("colour"), chosen: -1,
                label: `Policy spaces of a world of ${plural(world.size, "node")}, coloured by ${state.get("colour")}` }),
            `Policy spaces of a world of ${plural(world.size, "node")}`, "Policies in the plane of the first two principal components of their embeddings, one point for each distinct row with G of its first policy, and the centres of 12 clusters (orange). Local spaces are those of the start. Each axis has a scale of its own. Where points of one place share a colour, structure predicts value.",
            [colourChoice()], () => one.spaces.flatMap((space) => spaceRows(space).map((row) => [space.scope, space.embedding, ...row])),
            `world_spaces(summary, world=${which})`)];
    });
}

/**
 * One run that failed.
 * @param {Cells} cells
 */
function failedSection(cells) {
    const { failed, worlds } = cells.summary;
    const world = worlds[failed.world];
    const found = runOf(cells, failed.run);
    const condition = cells.conditionOf(found.cell);
    const sampled = condition.settings.probe !== "center";
    const probe = sampled ? "whose sampled policies had a mean G of" : "whose representative had G";
    const known = failed.probe !== undefined;
    const why = !known ? failed.same && failed.step >= 0 ? "It was not decided from clusters of all policies, so that only its path can be shown."
        : "This version of Sonde does not decide as the one that made the results did, so that only its path can be shown."
        : `At step ${failed.step + 1}, on node ${found.path[failed.step]}, the search chose cluster ${failed.chosen}, ${probe} ${fixed(failed.probe[failed.chosen])}`
        + (failed.home === failed.chosen ? `, and the best policy of all, with G ${fixed(failed.best_efe)}, was in it: the step was drawn from the actions’ probabilities against the odds.`
            : `; the best policy of all, with G ${fixed(failed.best_efe)}, was in cluster ${failed.home}, ${probe} ${fixed(failed.probe[failed.home])}, and the best that the search could still find had G ${fixed(failed.best[failed.chosen])}.`);
    const picture = drawWorld(world, found.path, found.path.length, `World ${world.graph} of ${plural(world.size, "node")}: ${found.words}`);
    count.figure++;
    return [h("h3", {}, "One run that failed"),
        h("p", { id: "why-failed" }, `World ${world.graph} of ${plural(world.size, "node")} under `, h("code", {}, condition.label), `: the agent ended as “${found.failure}”. ${why}`),
        taken(replayOf(cells, found.cell, world), "command that runs it again"),
        h("figure", { id: "figure-failed_path" }, picture, h("figcaption", {}, h("b", {}, `Figure ${count.figure}.`), " The failed run: its world and its path. ",
            button("this run, step by step", () => openCell(cells, found.cell, world.graph))),
        takeAway("failed_path", () => picture, () => [["step", "node"], ...found.path.map((v, t) => [t, v])], "failed_path(summary)")),
        ...(known ? [figure("failed_clusters", () => figures.failedClusters(cells), cells),
            pictureFigure("failed_space", (width) => drawSpaces([{ space: failed.space, title: `${titled(condition.embedding)}, ${condition.scope}, k = ${condition.k}` }], Math.min(width, 620), { by: "cluster",
                chosen: failed.chosen, label: "Policies, cluster centres, the chosen cluster and the best policy of all" }), "Where the search looked",
            "Policies of the decision that went wrong in the plane of the first two principal components: orange-red those of the chosen cluster, blue the others; orange the centres; the green diamond is the best policy of all.",
            [], () => spaceRows(failed.space), "failed_space(summary)")] : [])];
}

/**
 * @param {Cells} cells
 */
function failureWords(cells) {
    const what = ["", "the agent never leaves its start", "it moves but never arrives", "it takes a detour", "it arrives and goes away again"];
    return ["global", "local"].map((scope) => {
        const all = cells.summary.cells.filter((cell) => cell.failures && cells.conditionOf(cell).group === "table"
            && cells.conditionOf(cell).scope === scope && cells.conditionOf(cell).search === "cluster");
        const sums = [0, 1, 2, 3, 4].map((i) => all.reduce((n, cell) => n + (cell.failures?.[i] ?? 0), 0));
        const runs = sums.reduce((a, b) => a + b, 0);
        const failed = runs - sums[0];
        const most = sums.slice(1).indexOf(Math.max(...sums.slice(1))) + 1;
        return failed > 0 ? h("p", {}, `With clusters in ${scope} scope, ${grouped(failed)} of ${plural(runs, "run")} were not optimal; mostly ${what[most]} (${fixed(100 * sums[most] / failed, 0)} % of them).`) : null;
    });
}

/**
 * @param {Cells} cells
 * @param {HTMLElement} main
 */
function open(cells, main) {
    const { summary } = cells;
    document.title = `Sonde: study ${summary.study.plan}`;
    const ks = figures.ksOf(cells);
    const ns = figures.nsOf(cells);
    state.usual("k", String(ks[ks.length - 1] ?? 0));
    state.usual("n", String(ns[0] ?? 1));
    state.usual("semantics", cells.semantics("table"));
    const sizes = cells.sizes("table");
    state.usual("size", String(sizes[sizes.length - 1] ?? 0));
    const chosen = () => ({ k: Number(state.get("k")), n: Number(state.get("n")), semantics: state.get("semantics") });
    const kn = () => [state.choose("k", "k", ks.map(String)), state.choose("n", "n", ns.map(String))];
    const whose = () => state.choose("semantics", "semantics", ["text", "notebook"]);
    const grid = (/** @type {string} */ name) => summary.tables.filter((one) => one.name === name).map((one) => gridTable(one, CAPTIONS));
    main.append(head(cells));
    const section = sections(main);
    const paper = sizes.length > 0;
    const own = cells.own();
    count.table = paper ? 1 : 0; // the paper's is the first
    section("compare", "What was compared", own.length > 0 ? [...comparison(cells), ...grid("comparison"),
        ...figures.MEASURES.filter((measure) => own.some((cell) => Number.isFinite(figures.measureOf(measure, cell).y)))
            .map((measure) => figure(`comparison_${measure.key}`, () => figures.comparison(cells, measure.key), cells))] : []);
    section("table1", "The paper’s Table 1, and Sonde’s", paper ? table1(cells) : []);
    section("speed", "What a decision costs", paper ? [speedWords(cells), ...grid("decision_cost")] : []);
    section("figures", "Figures", [
        ...(paper ? [figure("optimality", () => figures.optimality(cells, chosen()), cells, kn()),
            figure("decision_time", () => figures.decisionTime(cells, chosen()), cells, [...kn(), whose()]),
            figure("decision_steps", () => figures.decisionSteps(cells, chosen()), cells, [...kn(), whose()]),
            figure("construction_time", () => figures.constructionTime(cells, chosen()), cells, [whose()]),
            figure("valid", () => figures.valid(cells), cells)] : []),
        cells.has("sweep-k") ? figure("sweep_k", () => figures.sweep(cells, "k"), cells) : null,
        cells.has("sweep-n") ? figure("sweep_n", () => figures.sweep(cells, "n"), cells) : null,
        paper ? figure("tradeoff", () => figures.tradeoff(cells, Number(state.get("size"))), cells,
            [state.choose("nodes", "size", sizes.map(String))]) : null,
    ]);
    section("quality", "What an answer costs", cells.has("quality") ? [qualityWords(cells), figure("quality", () => figures.quality(cells, true), cells),
        figure("quality_optimal", () => figures.quality(cells, false), cells), figures.looks(cells) ? figure("closed", () => figures.closed(cells), cells) : null,
        ...grid("quality")] : []);
    section("scaling", "Large worlds and long plans", cells.has("scaling-nodes") || cells.has("scaling-horizon")
        ? [figure("scaling", () => figures.scaling(cells), cells), h("details", {}, h("summary", {}, "The table"), ...grid("scaling"))] : []);
    section("worlds", "Chosen worlds", summary.chosen.length > 0 ? [h("p", { id: "which-worlds" }, `${chosenWords(cells)} The idea behind clustered search is that policies of similar structure have similar G, so that one of them can speak for its cluster.`),
        ...worldsSection(cells), h("h3", {}, "Do representatives speak for their clusters?"), ...grid("correlation")] : []);
    section("failures", "When it fails", paper ? [...failureWords(cells), ...grid("failures"), figure("failures", () => figures.failures(cells), cells),
        ...(summary.failed ? failedSection(cells) : [])] : []);
    section("differences", "What the paper’s numbers mean", summary.tables.some((one) => one.name === "differences")
        ? [...differencesWords(cells), ...grid("differences"), differencesFigure(cells)] : []);
    section("explore", "Every condition", explore(cells));
    section("notes", "Notes", [h("ul", { class: "text" }, ...(own.length > 0 && !paper ? OWN_NOTES : NOTES).map((note) => h("li", {}, ...prose(note)))),
        h("details", {}, h("summary", {}, "The list of conditions"), ...grid("conditions")),
        h("details", {}, h("summary", {}, "The plan"), h("pre", {}, h("code", {}, summary.study.text)),
            button("save it", () => saveText(`${summary.study.plan}.json`, summary.study.text, "application/json"))),
        imprint()]);
    openNamed(cells);
    addEventListener("hashchange", () => openNamed(cells)); // a link that somebody follows
}

const SECTIONS = /** @type {Record<string, string>} */ ({ c: "compare", t: "table1", f: "figures", w: "worlds", d: "differences", e: "explore", n: "notes" });

/**
 * @param {Summary | null} summary
 * @returns {import("./main.js").Screen}
 */
export function studyScreen(summary) {
    return { name: "study", title: "Study", shows: () => summary !== null,
        get keys() {
            const all = /** @type {[string, string][]} */ ([["c", "to what was compared"], ["t", "to Table 1"], ["f", "to the figures"], ["w", "to the chosen worlds"],
                ["d", "to the differences"], ["e", "to every condition"], ["n", "to the notes"], ["← →", "in a run: a step back, a step forward"]]);
            return all.filter(([key]) => !(key in SECTIONS) || document.getElementById(SECTIONS[key]) !== null);
        },
        open: (main) => { if (summary) { open(new Cells(summary), main); } },
        key: (key) => goTo(SECTIONS[key]) };
}
