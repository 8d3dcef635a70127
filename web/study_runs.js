/* study_runs.js: the worlds of a cell, and one run step by step.
 *
 * A run's row is all that is needed to run it again: the world's document, the seed of its agent and
 * the settings of its condition. The command that does so stands beside it. */
import { button, h } from "./dom.js";
import * as state from "./state.js";
import { csv, saveText, taken } from "./share.js";
import { duration, fixed, grouped, plural, short } from "./words.js";
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
 * A run, from the columns.
 * @param {Cells} cells
 * @param {number} run
 */
export function runOf(cells, run) {
    const { runs, failures } = cells.summary;
    const failure = runs.failure[run];
    const words = String(runs.path[run]);
    return { run, cell: cellOfRun(cells, run), graph: /** @type {number} */ (runs.graph[run]), path: words.split("-").map(Number),
        failure: failure < 0 ? "an episode of a model" : failures[failure], words: failure < 0 ? "an episode of a model" : ENDINGS[failure],
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
 * The command that runs it again.
 * @param {Cells} cells
 * @param {Cell} cell
 * @param {World} world
 */
export function replayOf(cells, cell, world) {
    const condition = cells.conditionOf(cell);
    const name = cell.size < 0 ? cells.summary.study.models[-1 - cell.size] : fileOf(world);
    const options = Object.entries(condition.settings).map(([key, value]) => (value === "true" ? `--${key.replace(/_/g, "-")}`
        : `--${key.replace(/_/g, "-")} ${value}`)).filter((_, i) => Object.values(condition.settings)[i] !== "false");
    if (condition.differences.length > 0) {
        options.push(condition.semantics === "notebook" ? "--semantics notebook" : `--differences ${condition.differences.join(",")}`);
        if (condition.differences.includes("lag")) {
            options.push(`--k-before ${condition.k_before}`);
        }
    }
    return `sonde simulate ${name} ${options.join(" ")} --steps ${cells.summary.study.steps} --seed ${world.seed}`;
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
    if (found.path.some(Number.isFinite) && cell.size > 0) {
        draw();
    }
    return h("div", { class: "run", "data-run": run }, h("h3", {}, `World ${found.graph}: ${found.words}`),
        cell.size > 0 ? h("div", { class: "controls" }, button("◀", () => { slider.stepDown(); draw(); }, { "aria-label": "a step back" }), slider,
            button("▶", () => { slider.stepUp(); draw(); }, { "aria-label": "a step forward" }), said) : null, place,
        h("dl", { class: "facts" }, fact("path", found.path.join("-")), fact("arrived", found.reached < 0 ? "never" : `step ${found.reached}`),
            fact("walked", `${short(found.walked)}${world?.shortest === null || world === undefined ? "" : `, shortest ${short(world.shortest)}`}`),
            fact("decisions", String(found.decisions)), fact("steps scored", grouped(found.steps)), fact("time of all decisions", duration(found.seconds)),
            found.tv === null ? null : fact("total variation", short(found.tv)),
            world ? fact("policies", `${short(world.policies)}, ${short(world.local)} from the start`) : null, world ? fact("seed", world.seed) : null),
        world ? h("p", {}, "To run it again", world.document ? [" with ", ""][0] : "", world.document ? button(fileOf(world), () => saveText(fileOf(world), world.document ?? "", "application/json"), { "aria-label": `save ${fileOf(world)}` }) : "", ":") : null,
        world ? taken(replayOf(cells, cell, world), "command that runs it again") : null);
}

/**
 * Shows the worlds of a cell, and perhaps the run in one of them.
 * @param {Cells} cells
 * @param {Cell} cell
 * @param {number} [graph]
 */
export function openCell(cells, cell, graph) {
    document.querySelector("dialog")?.remove();
    const condition = cells.conditionOf(cell);
    const all = Array.from({ length: cell.runs }, (_, i) => runOf(cells, cell.first + i));
    const view = h("div", { "aria-live": "polite" });
    const dots = h("div", { class: "dots", role: "group", "aria-label": "Worlds" });
    const show = (/** @type {number} */ wanted) => {
        const found = all.find((one) => one.graph === wanted);
        if (!found) {
            return;
        }
        dots.querySelectorAll("button").forEach((dot) => dot.setAttribute("aria-pressed", String(dot.dataset.graph === String(wanted))));
        view.replaceChildren(runView(cells, cell, found.run));
        state.set({ cell: `${cell.condition}.${cell.size}.${wanted}` });
    };
    for (const one of all) {
        dots.append(button(String(one.graph), () => show(one.graph), { "data-graph": one.graph, "aria-pressed": "false", class: `dot f${cells.summary.runs.failure[one.run]}`,
            "aria-label": `world ${one.graph}: ${one.words}`, title: one.words }));
    }
    const rows = () => [["world", "ended", "reached", "walked", "decisions", "steps", "seconds", "path"],
        ...all.map((one) => [one.graph, one.failure, one.reached, one.walked, one.decisions, one.steps, one.seconds, one.path.join("-")])];
    const title = `${condition.label}, ${cell.place}`;
    const dialog = /** @type {HTMLDialogElement} */ (h("dialog", { class: "cell-dialog", "aria-label": `Worlds of ${title}` },
        h("div", { class: "bar" }, h("h2", {}, title), button("Close", () => dialog.close())),
        h("p", {}, cell.optimal ? `${all.filter((one) => one.optimal).length} of ${plural(cell.runs, "run")} were optimal: ${fixed(cell.optimal[0])} % (${fixed(cell.optimal[1], 0)}–${fixed(cell.optimal[2], 0)}).`
            : `${plural(cell.runs, "episode")}.`, " Choose a world for its run."), dots,
        cell.failures ? h("p", { class: "small", "aria-hidden": "true" }, ...ENDINGS.flatMap((words, i) => [h("span", { class: `dot sign f${i}` }, " "), ` ${words} `])) : null,
        h("div", { class: "tools" }, button("CSV", () => saveText(`cell-${cell.condition}-${cell.size}.csv`, csv(rows()), "text/csv"), { "aria-label": "Save the runs as CSV" })), view));
    dialog.addEventListener("close", () => {
        dialog.remove();
        state.set({ cell: null });
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
    state.set({ cell: `${cell.condition}.${cell.size}` });
    if (graph !== undefined) {
        show(graph);
    }
}
