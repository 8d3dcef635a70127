/* study_runs.js: the worlds of a cell, and one run step by step.
 *
 * A run's row is all that is needed to run it again: the world's document, the seed of its agent and
 * the settings of its condition. The command that does so stands beside it. */
import { button, h } from "./dom.js";
import * as engine from "./engine.js";
import * as state from "./state.js";
import * as subject from "./subject.js";
import { csv, quoted, saveText, taken } from "./share.js";
import { counted, duration, fixed, grouped, pathWords, plural, short } from "./words.js";
import { drawWorld } from "./world.js";

/** @typedef {import("./cells.js").Cells} Cells */

const ENDINGS = ["a shortest path", "never left its start", "moved, never arrived", "arrived by a detour", "arrived, left again"];

/**
 * The cell that a run is in.
 * @param {Cells} cells
 * @param {number} run
 */
function cellOfRun(cells, run) {
    return /** @type {Cell} */ (cells.summary.cells.find((cell) => run >= cell.first && run < cell.first + cell.runs));
}

/**
 * A run, from the columns. Its path is of nodes; that of an episode of a model, in `said`, of states.
 * @param {Cells} cells
 * @param {number} run
 */
export function runOf(cells, run) {
    const { runs, failures } = cells.summary;
    const failure = runs.failure[run];
    const said = String(runs.path[run]);
    return { run, cell: cellOfRun(cells, run), graph: /** @type {number} */ (runs.graph[run]), path: said.split("-").map(Number), said,
        failure: failure < 0 ? "episode" : failures[failure], words: failure < 0 ? "an episode" : ENDINGS[failure],
        optimal: failure === 0, reached: runs.reached[run], decisions: runs.decisions[run], steps: runs.steps[run],
        seconds: runs.seconds[run], walked: runs.walked[run], tv: runs.tv?.[run] ?? null };
}

/**
 * The world of a run.
 * @param {Cells} cells
 * @param {Cell} cell
 * @param {number} graph
 */
export function worldOf(cells, cell, graph) {
    const condition = cells.conditionOf(cell);
    const horizon = condition.horizon || cell.size;
    return cells.summary.worlds.find((world) => world.size === cell.size && world.graph === graph && (cell.size < 0
        || (world.connect === condition.connect && world.horizon === horizon)));
}

/**
 * What the file of a world is called.
 * @param {World} world
 */
const fileOf = (world) => `world-${world.connect}-${world.size}-${world.graph}.json`;

/**
 * What a run is repeated with: a document to save under a name, or the file that the plan names.
 * @param {Cells} cells
 * @param {Cell} cell
 * @param {World} world
 */
function sourceOf(cells, cell, world) {
    const model = cells.summary.models?.[-1 - cell.size];
    if (!model) {
        return { name: fileOf(world), document: world.document };
    }
    return { name: model.document ? `${model.name.replace(/[^A-Za-z0-9_-]+/g, "-")}.json` : model.file, document: model.document };
}

/**
 * The options of a run; a flag has no value.
 * @param {Cells} cells
 * @param {Cell} cell
 * @param {World} world
 * @returns {[string, string | null][]}
 */
function optionsOf(cells, cell, world) {
    const condition = cells.conditionOf(cell);
    const model = cells.summary.models?.[-1 - cell.size];
    const settings = Object.entries(condition.settings).filter(([key, value]) => (cell.size > 0 || key !== "scope") && value !== "false");
    const options = /** @type {[string, string | null][]} */ (settings.map(([key, value]) => [key.replace(/_/g, "-"), value === "true" ? null : String(value)]));
    if (condition.differences.length > 0) {
        options.push(condition.semantics === "notebook" ? ["semantics", "notebook"] : ["differences", condition.differences.join(",")]);
        if (condition.differences.includes("lag")) {
            options.push(["k-before", String(condition.k_before)]);
        }
    }
    if (model && !model.document) {
        options.push(["horizon", String(world.horizon)]);
    }
    return [...options, ["steps", String(model?.steps ?? cells.summary.study.steps)], ["seed", world.seed]];
}

/**
 * The command that runs it again.
 * @param {Cells} cells
 * @param {Cell} cell
 * @param {World} world
 */
export function replayOf(cells, cell, world) {
    const options = optionsOf(cells, cell, world).map(([name, value]) => (value === null ? `--${name}` : `--${name} ${value}`));
    return `sonde simulate ${quoted(sourceOf(cells, cell, world).name)} ${options.join(" ")}`;
}

/**
 * Opens a run in the screen of the world, from which the others have it, too.
 * @param {Cells} cells
 * @param {Cell} cell
 * @param {World} world
 * @param {string} path as recorded
 */
async function openRun(cells, cell, world, path) {
    const { name, document: data } = sourceOf(cells, cell, world);
    const options = Object.fromEntries(optionsOf(cells, cell, world).map(([key, value]) => [key, value ?? "yes"]));
    await subject.loadRun(name, data ?? "", options, path);
    /** @type {HTMLDialogElement | null} */ (document.querySelector("dialog.cell-dialog"))?.close();
    state.set({ screen: "world" });
}

/**
 * Lets the agent walk again, in the page, and says whether it goes the same way.
 * @param {Cells} cells
 * @param {Cell} cell
 * @param {World} world
 * @param {string} path as recorded
 */
function replayHere(cells, cell, world, path) {
    const said = h("span", { role: "status", class: "said" });
    const { name, document: data } = sourceOf(cells, cell, world);
    const replay = async () => {
        const words = optionsOf(cells, cell, world).flatMap(([key, value]) => (value === null ? [`--${key}`] : [`--${key}`, value]));
        try {
            const document = await engine.json(["simulate", name, ...words], { [name]: data ?? "" });
            said.textContent = pathWords(document.path) === path ? "same path as recorded ✓" : `another path: ${pathWords(document.path)}`;
        } catch (error) {
            said.textContent = /** @type {Error} */ (error).message;
        }
    };
    return h("p", { class: "again" }, button("walk again here", replay), " ", button("open in World", () => openRun(cells, cell, world, path)), " ", said);
}

/**
 * "3/1" in a model's own words: "cue, cheese right".
 * @param {string} numbers
 * @param {(string[] | null)[]} names
 */
const inWords = (numbers, names) => numbers.split("/").map((n, i) => names[i]?.[Number(n)] ?? n).join(", ");

/**
 * A belief as small bars, one for each state that has some of it.
 * @param {number[][]} belief
 * @param {(string[] | null)[]} names
 */
function beliefView(belief, names) {
    return h("div", { class: "belief" }, ...belief.map((factor, f) => h("div", {}, ...factor.map((p, i) => ({ p, i })).filter(({ p }) => p >= 0.005)
        .sort((a, b) => b.p - a.p).slice(0, 4).map(({ p, i }) => {
            const one = h("span", {}, `${names[f]?.[i] ?? i} ${fixed(p, 2)}`);
            one.style.setProperty("--share", `${Math.round(100 * p)}%`);
            return one;
        }))));
}

/**
 * The steps of an episode of a model: those that were recorded, or else its states.
 * @param {Cells} cells
 * @param {Cell} cell
 * @param {number} run
 */
function stepsView(cells, cell, run) {
    const model = cells.summary.models?.[-1 - cell.size];
    const states = (model?.factors ?? []).map((factor) => factor.state_names);
    const actions = (model?.factors ?? []).map((factor) => factor.action_names);
    const outcomes = (model?.modalities ?? []).map((modality) => modality.outcome_names);
    const { steps } = cells.summary;
    const own = steps ? steps.run.map((/** @type {number} */ r, /** @type {number} */ i) => (r === run ? i : -1)).filter((/** @type {number} */ i) => i >= 0) : [];
    const path = String(cells.summary.runs.path[run]).split("-");
    const table = (/** @type {string[]} */ head, /** @type {(string | Node)[][]} */ rows) => h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Steps" },
        h("table", { class: "steps" }, h("thead", {}, h("tr", {}, ...head.map((words) => h("th", { class: "w", scope: "col" }, words)))),
            h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map((part) => h("td", { class: "w" }, part)))))));
    if (!steps || own.length === 0) {
        return [table(["step", "state of the world"], path.map((state, t) => [String(t), inWords(state, states)])),
            h("p", { class: "small" }, steps ? "Steps of the first four episodes are here; the SQLite file has those of all of them."
                : "Outcomes, actions and beliefs were not recorded: sonde study --record-steps does.")];
    }
    // an action of a factor that nobody controls says nothing
    const controlled = (model?.factors ?? []).map((factor) => factor.actions > 1);
    const acted = (/** @type {string} */ numbers) => numbers.split("/").map((n, f) => (controlled[f] === false ? "" : actions[f]?.[Number(n)] ?? n)).filter(Boolean).join(", ") || "–";
    const rows = own.map((/** @type {number} */ i, /** @type {number} */ t) => [String(t), inWords(steps.state[i], states), inWords(steps.outcome[i], outcomes),
        beliefView(steps.belief[i] ?? [], states), acted(steps.action[i]), fixed(steps.p[i], 3), short(steps.efe[i]), short(steps.surprise[i]), short(steps.free_energy[i]), steps.tv[i] === null ? "–" : short(steps.tv[i])]);
    return [table(["step", "state", "seen", "believed", "done", "p", "G", "surprise", "free energy", "certified within"], rows),
        h("p", { class: "small" }, `At the end: ${inWords(path[path.length - 1], states)}. p is the posterior probability of what was done, G that of the best policy; – where a plan was followed, or no certificate given. Beliefs above 0.005 are shown, at most four of a factor.`),
        h("div", { class: "tools" }, button("CSV", () => saveText(`steps-${cell.condition}-${cell.size}-${cells.summary.runs.graph[run]}.csv`,
            csv([Object.keys(steps).filter((name) => name !== "run"), ...own.map((/** @type {number} */ i) => Object.entries(steps).filter(([name]) => name !== "run").map(([name, column]) => (name === "belief" ? JSON.stringify(column[i]) : column[i])))]), "text/csv"), { "aria-label": "Save the steps as CSV" }))];
}

/**
 * One run: its row, its picture with a step to choose, its command.
 * @param {Cells} cells
 * @param {Cell} cell
 * @param {number} run
 */
function runView(cells, cell, run) {
    const found = runOf(cells, run);
    const world = worldOf(cells, cell, found.graph);
    const place = h("div", {});
    const last = found.path.length - 1;
    const slider = /** @type {HTMLInputElement} */ (h("input", { type: "range", min: 0, max: last, value: last, "aria-label": "step", oninput: () => draw() }));
    const said = h("output", {});
    const draw = () => {
        const step = Number(slider.value);
        said.textContent = `step ${step} of ${last}, on node ${found.path[step]}`;
        if (world) {
            place.replaceChildren(drawWorld(world, found.path, step, `World ${found.graph}: ${found.words}; step ${step} of ${last}, on node ${found.path[step]}`));
        }
    };
    const fact = (/** @type {string} */ name, /** @type {string} */ words) => h("div", {}, h("dt", {}, name), h("dd", {}, words));
    const source = world && sourceOf(cells, cell, world);
    const graph = cell.size > 0;
    if (found.path.some(Number.isFinite) && graph) {
        draw();
    }
    return h("div", { class: "run", "data-run": run }, h("h3", {}, graph ? `World ${found.graph}: ${found.words}` : `Episode ${found.graph} of ${cell.place}`),
        graph ? h("div", { class: "controls" }, button("◀", () => { slider.stepDown(); draw(); }, { "aria-label": "a step back" }), slider,
            button("▶", () => { slider.stepUp(); draw(); }, { "aria-label": "a step forward" }), said) : null, place,
        ...(graph ? [] : stepsView(cells, cell, run)),
        h("dl", { class: "facts" }, graph ? fact("path", found.said) : null, graph ? fact("arrived", found.reached < 0 ? "never" : `step ${found.reached}`) : null,
            graph ? fact("walked", `${short(found.walked)}${world?.shortest === null || world === undefined ? "" : `, shortest ${short(world.shortest)}`}`) : null,
            fact("decisions", String(found.decisions)), fact("steps scored", grouped(found.steps)), fact("time of all decisions", duration(found.seconds)),
            found.tv === null ? null : fact("total variation", short(found.tv)),
            world ? fact("policies", graph ? `${short(world.policies)}, ${short(world.local)} from the start` : counted(world.local)) : null, world ? fact("seed", world.seed) : null),
        source ? h("p", {}, "To run it again", source.document ? " with " : "", source.document ? button(source.name, () => saveText(source.name, source.document ?? "", "application/json"), { "aria-label": `save ${source.name}` }) : "", ":") : null,
        world ? taken(replayOf(cells, cell, world), "command that runs it again") : null,
        world && source?.document && engine.here() ? replayHere(cells, cell, world, found.said) : null);
}

/**
 * Shows the worlds of a cell, and perhaps the run in one of them.
 * @param {Cells} cells
 * @param {Cell} cell
 * @param {number} [graph]
 */
export function openCell(cells, cell, graph) {
    document.querySelector("dialog.cell-dialog")?.remove();
    const condition = cells.conditionOf(cell);
    const all = Array.from({ length: cell.runs }, (_, i) => runOf(cells, cell.first + i));
    const view = h("div", { "aria-live": "polite" });
    const dots = h("div", { class: "dots", role: "group", "aria-label": cell.size > 0 ? "Worlds" : "Episodes" });
    const show = (/** @type {number} */ wanted) => {
        const found = all.find((one) => one.graph === wanted);
        if (!found) {
            return;
        }
        dots.querySelectorAll("button").forEach((dot) => dot.setAttribute("aria-pressed", String(dot.dataset.graph === String(wanted))));
        view.replaceChildren(runView(cells, cell, found.run));
        dialog.dataset.cell = `${cell.condition}.${cell.size}.${wanted}`;
        state.set({ cell: dialog.dataset.cell });
    };
    for (const one of all) {
        dots.append(button(String(one.graph), () => show(one.graph), { "data-graph": one.graph, "aria-pressed": "false", class: `dot f${cells.summary.runs.failure[one.run]}`,
            "aria-label": cell.size > 0 ? `world ${one.graph}: ${one.words}` : `episode ${one.graph}`, title: cell.size > 0 ? one.words : `episode ${one.graph}` }));
    }
    const rows = () => [[cell.size > 0 ? "world" : "episode", "ended", "reached", "walked", "decisions", "steps", "seconds", "path"],
        ...all.map((one) => [one.graph, one.failure, one.reached, one.walked, one.decisions, one.steps, one.seconds, one.said])];
    const title = `${cell.own ? condition.short : condition.label}, ${cell.place}`;
    const dialog = /** @type {HTMLDialogElement} */ (h("dialog", { class: "cell-dialog", "aria-label": `${cell.size > 0 ? "Worlds" : "Episodes"} of ${title}` },
        h("div", { class: "bar" }, h("h2", {}, title), button("Close", () => dialog.close())),
        h("p", {}, cell.optimal ? `${all.filter((one) => one.optimal).length} of ${plural(cell.runs, "run")} were optimal: ${fixed(cell.optimal[0])} % (${fixed(cell.optimal[1], 0)}–${fixed(cell.optimal[2], 0)}).`
            : `${plural(cell.runs, "episode")} of ${condition.label}.`, ` Choose ${cell.size > 0 ? "a world" : "an episode"} for its run.`), dots,
        cell.failures ? h("p", { class: "small", "aria-hidden": "true" }, ...ENDINGS.flatMap((words, i) => [h("span", { class: `dot sign f${i}` }, " "), ` ${words} `])) : null,
        h("div", { class: "tools" }, button("CSV", () => saveText(`cell-${cell.condition}-${cell.size}.csv`, csv(rows()), "text/csv"), { "aria-label": "Save the runs as CSV" })), view));
    dialog.addEventListener("close", () => {
        dialog.remove();
        if (state.get("cell") === dialog.dataset.cell) {
            state.set({ cell: null });
        }
    });
    dialog.addEventListener("keydown", (event) => {
        const step = event.key === "ArrowLeft" ? "a step back" : event.key === "ArrowRight" ? "a step forward" : "";
        if (step !== "" && /** @type {HTMLElement} */ (event.target).tagName !== "INPUT") {
            /** @type {HTMLElement | null} */ (dialog.querySelector(`[aria-label="${step}"]`))?.click();
            event.preventDefault();
        }
    });
    document.body.append(dialog);
    dialog.showModal();
    dialog.dataset.cell = `${cell.condition}.${cell.size}`;
    state.set({ cell: dialog.dataset.cell });
    if (graph !== undefined) {
        show(graph);
    }
}

/**
 * Opens the cell that the address names, unless it is open.
 * @param {Cells} cells
 */
export function openNamed(cells) {
    const named = state.get("cell");
    const shown = /** @type {HTMLDialogElement | null} */ (document.querySelector("dialog.cell-dialog"));
    if (named === "" || shown?.dataset.cell === named) {
        return;
    }
    const [c, size, graph] = named.split(".").map(Number);
    const cell = cells.cell(c, size);
    if (cell) {
        openCell(cells, cell, Number.isInteger(graph) ? graph : undefined);
    }
}
