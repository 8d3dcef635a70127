/* world_screen.js: the world, and an agent in it. Nodes, start, goal and weights are dragged, and the decision
 * follows; the agent is stepped forward and back; what it believes is drawn. */
import { commandAt, decided, placeAt } from "./decision_screen.js";
import { actionName, decisionView } from "./decision_view.js";
import { button, h, renew, s } from "./dom.js";
import * as engine from "./engine.js";
import { modelTables, beliefBars } from "./model_view.js";
import { savePng, saveSvg, saveText } from "./share.js";
import * as state from "./state.js";
import * as subject from "./subject.js";
import { drawGraph, drawLayers, frameOf, isLarge, nodeName } from "./world.js";
import { brief, pathWords, short } from "./words.js";

const OPTIONS = ["search", "loop", "backup", "k", "embedding", "scope", "epsilon", "budget", "beam", "horizon", "lambda", "gamma", "action", "seed", "steps"];
/* milliseconds from step to step while it plays */
const PACE = 700;
/* and without a change before the whole run is walked anew */
const REST = 120;
/* of more nodes none has an element of its own, and edges are listed for one node at a time */
const MANY = 60;
/* edges, times steps ahead, that bounded search sums up within a frame of the screen */
const FRAME = 150000;


/** What the screen shows, until it is opened anew.
 * @typedef {{loaded: number, episode: any, step: number, timer: number, changes: number, selected: number, linking: boolean, view: HTMLElement,
 *     frame: ReturnType<typeof frameOf> | null, ground: import("./world.js").Ground}} Shown */

/** The step of the address. */
const stepOf = () => Math.max(0, Math.trunc(Number(state.get("step"))) || 0);

/** @param {Graph} graph @param {number} v */
const called = (graph, v) => nodeName(graph, v);

/* -------------------------------------------------------------------------------- a picture -- */

/** Places that somebody gave nodes, from the address. */
function applyPlaces() {
    const { place } = subject.current();
    for (const one of state.get("at").split("_").filter(Boolean)) {
        const [v, x, y] = one.split(",").map(Number);
        if (place && 2 * v + 1 < place.length) {
            [place[2 * v], place[2 * v + 1]] = [x, y];
        }
    }
}

/** @param {number} v @param {number} x @param {number} y */
function movePlace(v, x, y) {
    const { place } = subject.current();
    if (place) {
        [place[2 * v], place[2 * v + 1]] = [x, y];
        const others = state.get("at").split("_").filter((one) => one !== "" && one.split(",")[0] !== String(v));
        state.set({ at: [...others, `${v},${x.toFixed(2)},${y.toFixed(2)}`].join("_") });
    }
}

/** Beside a node, where few others are covered.
 * @param {Graph} graph @param {(v: number) => number[]} at @param {number} v */
function handlePlace(graph, at, v) {
    const [x, y] = at(v);
    if (isLarge(graph)) {
        return [x + 17, y - 17];
    }
    const places = [[17, -17], [-17, -17], [17, 17], [-17, 17]].map(([dx, dy]) => {
        let covered = 0;
        for (let u = 0; u < graph.nodes; u++) {
            covered += u !== v && Math.hypot(at(u)[0] - x - dx, at(u)[1] - y - dy) < 18 ? 1 : 0;
        }
        return { place: [x + dx, y + dy], covered };
    });
    return places.reduce((best, one) => (one.covered < best.covered ? one : best)).place;
}

/** Marks beside start and goal, by which they are dragged.
 * @param {SVGElement} svg @param {Graph} graph @param {(v: number) => number[]} at */
function addHandles(svg, graph, at) {
    for (const [name, v, letter] of /** @type {[string, number, string][]} */ ([["start", graph.start[1], "S"], ["destination", graph.destination, "G"]])) {
        const [x, y] = handlePlace(graph, at, v);
        svg.append(s("g", { "data-handle": name, class: "handle" }, s("circle", { cx: x, cy: y, r: 9, fill: "var(--page, #ffffff)", stroke: "currentColor" }),
            s("text", { x, y: y + 4, "text-anchor": "middle", "font-size": 11, fill: "currentColor" }, letter)));
    }
}

/** @param {Shown} shown */
function drawPicture(shown) {
    const graph = subject.world();
    const { place } = subject.current();
    if (!graph || !place) {
        return;
    }
    const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset?.node;
    const path = shown.episode?.path ?? [graph.start[1]];
    const label = `World of ${graph.nodes} nodes; the agent is on ${called(graph, path[shown.step] ?? graph.start[1])}, and wants to be on ${called(graph, graph.destination)}`;
    const frame = shown.frame ?? frameOf(place);
    const showing = { path, step: shown.step, here: path[shown.step], label, frame };
    const layers = isLarge(graph) ? drawLayers(graph, place, showing, shown.ground) : null;
    const svg = layers ? layers.over : drawGraph(graph, place, showing);
    addHandles(svg, graph, frame.at);
    if (graph.nodes <= MANY) {
        svg.setAttribute("role", "group");
        svg.querySelectorAll("circle[data-node]").forEach((circle) => {
            const v = Number(/** @type {SVGElement} */ (circle).dataset.node);
            circle.setAttribute("tabindex", "0");
            circle.setAttribute("role", "button");
            circle.setAttribute("aria-pressed", String(v === shown.selected));
            circle.setAttribute("aria-label", `node ${called(graph, v)}${v === graph.destination ? ", the goal" : v === graph.start[1] ? ", the start" : ""}`);
        });
    }
    shown.view.classList.toggle("layers", layers !== null);
    if (layers && layers.ground.parentElement === shown.view) {
        shown.view.lastElementChild?.replaceWith(svg);
    } else {
        shown.view.replaceChildren(...(layers ? [layers.ground] : []), svg);
    }
    if (focused !== undefined) {
        /** @type {HTMLElement | null} */ (svg.querySelector(`[data-node="${focused}"]`))?.focus();
    }
}

/** The node nearest to a point of the picture.
 * @param {Graph} graph @param {(v: number) => number[]} at @param {number[]} point */
function nearestNode(graph, at, [x, y]) {
    let best = 0;
    let least = Infinity;
    for (let v = 0; v < graph.nodes; v++) {
        const far = Math.hypot(at(v)[0] - x, at(v)[1] - y);
        [best, least] = far < least ? [v, far] : [best, least];
    }
    return best;
}

/** The node that is drawn there, where nodes are too many to have an element each.
 * @param {Graph} graph @param {(v: number) => number[]} at @param {number[]} point */
function nodeAt(graph, at, point) {
    const v = nearestNode(graph, at, point);
    return isLarge(graph) && Math.hypot(at(v)[0] - point[0], at(v)[1] - point[1]) < 4 ? String(v) : undefined;
}

/** @param {number} v */
const setStart = (v) => subject.setOptions({ start: `${v},${v}` });
/** @param {number} v */
const setGoal = (v) => subject.setOptions({ destination: String(v) });

/** @param {Graph} graph @param {string} edge a-b @param {number} weight */
function setWeight(graph, edge, weight) {
    const [a, b] = edge.split("-").map(Number);
    const old = graph.edges.find((one) => one[0] === a && one[1] === b)?.[2];
    subject.setGraph({ ...graph, edges: graph.edges.map((one) => ((one[0] === a && one[1] === b) || (one[0] === b && one[1] === a && one[2] === old)
        ? [one[0], one[1], weight] : one)) });
}

/** What follows the pointer: a node, the start, the goal, or a weight.
 * @param {Shown} shown @param {PointerEvent} event */
function drag(shown, event) {
    const graph = subject.world();
    const { place } = subject.current();
    const at = /** @type {Element} */ (event.target);
    const what = /** @type {SVGElement | null} */ (at.closest("[data-handle], [data-node], [data-edge]"));
    const svg = /** @type {SVGSVGElement | null} */ (at.closest("svg"));
    if (!graph || !place || !svg) {
        return;
    }
    const matrix = svg.getScreenCTM()?.inverse();
    const frame = frameOf(place);
    const under = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
    const { handle, node, edge } = what?.dataset ?? { node: nodeAt(graph, frame.at, [under.x, under.y]) };
    if (handle === undefined && node === undefined && edge === undefined) {
        return;
    }
    event.preventDefault();
    const weight = Number(what?.textContent);
    const from = event.clientY;
    shown.frame = frame;
    const move = (/** @type {PointerEvent} */ now) => {
        const point = new DOMPoint(now.clientX, now.clientY).matrixTransform(matrix);
        const near = nearestNode(graph, frame.at, [point.x, point.y]);
        if (handle === "start" && subject.world()?.start[1] !== near) {
            setStart(near);
        } else if (handle === "destination" && subject.world()?.destination !== near) {
            setGoal(near);
        } else if (node !== undefined) {
            const [x, y] = frame.back(point.x, point.y);
            movePlace(Number(node), x, y);
            drawPicture(shown);
        } else if (edge !== undefined) {
            setWeight(graph, edge, Math.max(0, weight + Math.round((from - now.clientY) / 4)));
        }
    };
    const end = (/** @type {PointerEvent} */ now) => {
        removeEventListener("pointermove", move);
        shown.frame = null;
        if (node !== undefined && Math.hypot(now.clientX - event.clientX, now.clientY - event.clientY) < 4) {
            select(shown, Number(node));
        } else {
            subject.tell();
        }
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", end, { once: true });
}

/* ------------------------------------------------------------------------------------ edits -- */

/** @param {Shown} shown @param {number} v */
function select(shown, v) {
    const graph = subject.world();
    if (shown.linking && graph && shown.selected >= 0 && v !== shown.selected) {
        const joined = (/** @type {number[]} */ one) => (one[0] === shown.selected && one[1] === v) || (one[1] === shown.selected && one[0] === v);
        const others = graph.edges.filter((one) => !joined(one));
        subject.setGraph(arrived({ ...graph, edges: others.length < graph.edges.length ? others : [...others, [shown.selected, v, 5], [v, shown.selected, 5]] }), UNPLACED);
    }
    shown.linking = false;
    shown.selected = v;
    subject.tell();
}

/* start and goal are those of the world from now on */
const UNPLACED = { "o-start": null, "o-destination": null };

/** An agent that came over an edge which is gone has always been there.
 * @param {Graph} graph @returns {Graph} */
const arrived = (graph) => (graph.edges.some(([a, b]) => a === graph.start[0] && b === graph.start[1]) ? graph : { ...graph, start: [graph.start[1], graph.start[1]] });

/** @param {Graph} graph @param {number} gone */
function withoutNode(graph, gone) {
    const number = (/** @type {number} */ v) => (v > gone ? v - 1 : v === gone ? 0 : v);
    return arrived({ ...graph, nodes: graph.nodes - 1, names: graph.names?.filter((_, v) => v !== gone), start: graph.start[0] === gone ? [number(graph.start[1]), number(graph.start[1])] : graph.start.map(number),
        destination: number(graph.destination), edges: graph.edges.filter(([a, b]) => a !== gone && b !== gone).map(([a, b, w]) => [number(a), number(b), w]) });
}

/** The same for the places that somebody gave nodes.
 * @param {number} gone */
const placesWithout = (gone) => state.get("at").split("_").filter(Boolean).map((one) => one.split(",")).filter(([v]) => Number(v) !== gone)
    .map(([v, ...place]) => [Number(v) > gone ? Number(v) - 1 : v, ...place].join(",")).join("_");

/** @param {Shown} shown @param {Graph} graph @param {number} gone */
async function remove(shown, graph, gone) {
    if (await subject.setGraph(withoutNode(graph, gone), { ...UNPLACED, at: placesWithout(gone) })) {
        shown.selected = -1;
        subject.tell();
    }
}

/** @param {Shown} shown */
function nodeTools(shown) {
    const graph = subject.world();
    if (!graph) {
        return h("div", {});
    }
    const v = shown.selected < graph.nodes ? shown.selected : -1;
    const add = () => subject.setGraph({ ...graph, nodes: graph.nodes + 1, names: graph.names && [...graph.names, `new ${graph.nodes}`],
        edges: [...graph.edges, [Math.max(v, 0), graph.nodes, 5], [graph.nodes, Math.max(v, 0), 5]] });
    const number = /** @type {HTMLInputElement} */ (h("input", { type: "number", min: 0, max: graph.nodes - 1, value: v < 0 ? null : v, "aria-label": "number of a node",
        onchange: () => (number.value !== "" && number.validity.valid ? select(shown, Number(number.value)) : undefined) }));
    return h("div", { class: "controls" }, v < 0 ? "Choose a node, or " : h("span", {}, `node ${called(graph, v)}: `), graph.nodes > MANY ? number : null,
        ...(v < 0 ? [] : [button("start here", () => setStart(v)), button("goal here", () => setGoal(v)),
            button("join or part…", () => { shown.linking = !shown.linking; subject.tell(); }, { "aria-pressed": String(shown.linking) }),
            graph.nodes > 2 ? button("remove", () => remove(shown, graph, v)) : null]),
        button("add a node", add), shown.linking ? h("span", { role: "status" }, "choose the other node") : null);
}

/** The weights; of many, those of the node that is chosen.
 * @param {Graph} graph @param {number} selected */
function edgeTable(graph, selected) {
    const many = graph.nodes > MANY;
    const rows = graph.edges.filter(([a, b]) => a !== b && (!many || a === selected || b === selected));
    const whose = !many ? ` (${graph.edges.length})` : selected < 0 ? ": choose a node for its own" : ` of node ${called(graph, selected)} (${rows.length})`;
    return h("details", {}, h("summary", {}, `Edges and weights${whose}`), h("div", { class: "facets" }, ...rows.map(([a, b, w]) => {
        const input = /** @type {HTMLInputElement} */ (h("input", { type: "number", min: 0, step: "any", value: w, size: 5, onchange: async () => {
            const now = subject.world() ?? graph; // another weight may have changed meanwhile
            if (!await subject.setGraph({ ...now, edges: now.edges.map((one) => (one[0] === a && one[1] === b ? [a, b, Number(input.value)] : one)) })) {
                input.value = String(now.edges.find((one) => one[0] === a && one[1] === b)?.[2]);
            }
        } }));
        return h("label", { class: "choice" }, `${called(graph, a)} → ${called(graph, b)} `, input);
    })));
}

/* ---------------------------------------------------------------------------------- the run -- */

/** The options that put the agent where it is after some steps of the episode.
 * @param {Shown} shown */
async function present(shown) {
    const { episode, step } = shown;
    if (step > 0 && subject.current().kind === "general") {
        return placeAt(step);
    }
    const state = episode?.steps?.[step]?.state ?? (step > 0 && episode?.path ? [episode.path[step - 1], episode.path[step]] : null);
    return step > 0 && state ? ["--start", state.join(",")] : [];
}

/** How far an agent looks while something is dragged, where all of its horizon would take longer than a frame; null: all of it. */
function shorter() {
    const graph = subject.world();
    const horizon = Number(subject.option("horizon")) || graph?.horizon || 0;
    const most = graph ? Math.max(1, Math.floor(FRAME / graph.edges.length)) : horizon;
    return graph && (subject.option("search") || "bounded") === "bounded" && horizon > most ? most : null;
}

/** @param {Shown} shown @param {() => void} follow */
function player(shown, follow) {
    const slider = /** @type {HTMLInputElement} */ (h("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": "step of the run", oninput: () => go(Number(slider.value)) }));
    const said = h("output", {});
    // a world is also seen after its last step; a belief is that of a step
    const last = () => Math.max(0, (shown.episode?.steps?.length ?? 0) - (subject.current().kind === "general" ? 1 : 0));
    const go = (/** @type {number} */ step) => {
        shown.step = Math.max(0, Math.min(step, last()));
        state.set({ step: shown.step > 0 ? String(shown.step) : null });
        follow();
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
        go(shown.step >= last() ? 0 : shown.step);
        play.textContent = "❚❚ pause";
        shown.timer = window.setInterval(() => (shown.step < last() && slider.isConnected ? go(shown.step + 1) : pause()), PACE);
    };
    const play = button("▶ play", toggle, { id: "play" });
    const draw = () => {
        slider.max = String(last());
        slider.value = String(shown.step);
        const graph = subject.world();
        const path = shown.episode?.path ?? [];
        said.textContent = `step ${shown.step} of ${last()}${graph && path[shown.step] !== undefined ? `, on node ${called(graph, path[shown.step])}` : ""}`;
    };
    return { go, toggle, draw, root: h("div", { class: "controls" }, button("|◀", () => go(0), { "aria-label": "to the beginning" }),
        button("◀", () => go(shown.step - 1), { "aria-label": "a step back" }), play,
        button("▶", () => go(shown.step + 1), { "aria-label": "a step forward" }), slider, said) };
}

/** How the run went, in a sentence.
 * @param {any} episode @param {Graph | null} graph */
function runSentence(episode, graph) {
    if (!graph) {
        return `${episode.steps.length} steps; ln P of what was seen: ${short(episode.log_evidence)}.`;
    }
    const words = { none: "It takes a shortest path, and stays.", stayed: "It never leaves its start.", "never arrived": "It moves, and never arrives.", detour: "It arrives, by a detour.", "left the goal": "It arrives, and leaves again." };
    return `${/** @type {any} */ (words)[episode.failure] ?? episode.failure} It walks ${brief(episode.walked)}; the shortest way is ${brief(episode.shortest)}.`;
}

/** Whether the run of a study that this is took the same path.
 * @param {any} episode */
function recordedSentence(episode) {
    const recorded = state.get("recorded");
    return recorded === "" ? "" : pathWords(episode.path ?? []) === recorded ? " Same path as recorded ✓" : ` Another path than the recorded ${recorded}.`;
}

/* ------------------------------------------------------------------------------------- all -- */

/** @param {HTMLElement} root */
function open(root) {
    const shown = /** @type {Shown} */ ({ loaded: 0, episode: null, step: stepOf(), timer: 0, changes: 0, selected: -1, linking: false, view: h("div", { class: "picture" }), frame: null, ground: { svg: null, edges: null, sum: 0 } });
    const [tools, edges, decision, ran, beliefs, tables, problem] = [h("div", {}), h("div", {}), h("div", {}), h("p", {}), h("div", {}), h("div", {}), h("p", { class: "note", role: "alert", hidden: true })];
    const command = h("div", {});
    /** @type {any} */
    let seen = null;
    /** @type {any} */
    let [listed, chosen] = [undefined, -1];
    const drawStep = () => {
        play.draw();
        drawPicture(shown);
        const { kind, document: about } = subject.current();
        const at = shown.episode?.steps?.[Math.min(shown.step, shown.episode.steps.length - 1)];
        beliefs.replaceChildren(...(kind === "general" && at ? [h("h3", {}, "What it believes"), beliefBars(about, at.belief),
            h("p", {}, `It does ${actionName(about, at.action, null)} (p ${short(at.p)}); surprise ${short(at.surprise)} nats.`)] : []));
    };
    const decide = async () => {
        try {
            const near = shown.frame === null ? null : shorter();
            const [{ step }, loaded] = [shown, subject.loaded()];
            const at = await present(shown);
            const document = step === shown.step ? await subject.ask("plan", [...at, "--brief"], near ? { horizon: String(near) } : {}) : null;
            if (document && loaded === subject.loaded()) {
                problem.hidden = true;
                decision.replaceChildren(decisionView(document, subject.current().document, subject.world()),
                    ...(near ? [h("p", { class: "small", id: "nearer" }, `While it is dragged the agent looks ${near} steps ahead, and all of them when it rests.`)] : []));
                command.replaceChildren(decided(commandAt(document.command, at)));
            }
        } catch (error) {
            problem.hidden = false;
            problem.textContent = /** @type {Error} */ (error).message;
        }
    };
    const play = player(shown, () => { drawStep(); decide(); });
    const follow = async () => {
        const now = subject.current();
        if (now.document === null || now.error !== null) {
            return;
        }
        if (shown.loaded !== subject.loaded()) { // nobody has walked in this one yet
            [shown.loaded, shown.episode] = [subject.loaded(), null];
        }
        shown.step = Math.min(stepOf(), shown.episode?.steps.length ?? Infinity);
        decide();
        if (now.document !== seen) {
            seen = now.document;
            tables.replaceChildren(...(now.kind === "general" ? [await modelTables(subject.path()).catch(() => "")] : []));
        }
        drawn.hidden = now.kind === "general";
        applyPlaces();
        renew(tools, nodeTools(shown));
        const graph = subject.world();
        const one = graph && graph.nodes > MANY && shown.selected < graph.nodes ? shown.selected : -1;
        if (!edges.contains(document.activeElement) && (graph?.edges !== listed || chosen !== one)) {
            [listed, chosen] = [graph?.edges, one];
            const unfolded = edges.querySelector("details")?.open ?? false;
            edges.replaceChildren(...(graph ? [edgeTable(graph, one)] : []));
            edges.querySelector("details")?.toggleAttribute("open", unfolded);
        }
        drawPicture(shown);
        const mine = ++shown.changes;
        shown.view.dataset.run = "to be walked";
        await new Promise((resolve) => { setTimeout(resolve, REST); });
        if (mine !== shown.changes || shown.frame !== null) {
            return; // something is still being dragged: the decision alone follows
        }
        const episode = await subject.ask("simulate").catch(() => undefined);
        if (episode !== null && shown.loaded === subject.loaded()) { // and not of another world
            shown.episode = episode ?? null;
            shown.step = Math.min(shown.step, episode?.steps.length ?? 0);
            ran.textContent = episode ? `${runSentence(episode, subject.world())}${recordedSentence(episode)}` : "";
            drawStep();
            shown.view.dataset.run = "walked";
            if (shown.step > 0) {
                decide(); // now that it is known where the agent is
            }
        }
    };
    const picture = () => {
        const [first, second] = Array.from(shown.view.querySelectorAll("svg"), (svg) => /** @type {SVGElement} */ (svg.cloneNode(true)));
        first?.append(...(second?.children ?? []));
        return first ?? null;
    };
    const drawn = h("span", {}, button("SVG", () => { const svg = picture(); if (svg) { saveSvg("world", svg); } }), " ", button("PNG", () => { const svg = picture(); if (svg) { savePng("world", svg); } }));
    shown.view.addEventListener("pointerdown", (event) => drag(shown, event));
    shown.view.addEventListener("keydown", (event) => nodeKey(shown, event));
    root.append(h("h1", {}, "World"), subject.controls(OPTIONS), problem,
        h("div", { class: "columns" }, h("section", { "aria-label": "The world" }, play.root, shown.view, tools, beliefs, ran,
            h("div", { class: "tools" }, drawn, button("save it", () => saveText(subject.current().file, String(subject.current().data), "application/json")))),
        h("section", { "aria-label": "The decision" }, decision, command)), edges, tables);
    subject.changed(follow);
    worldKeys = (key) => ({ " ": play.toggle, ArrowLeft: () => play.go(shown.step - 1), ArrowRight: () => play.go(shown.step + 1), Home: () => play.go(0), Escape: shown.linking ? () => { shown.linking = false; subject.tell(); } : undefined })[key];
    follow();
}

/** Keys on a node: arrows move it.
 * @param {Shown} shown @param {KeyboardEvent} event */
function nodeKey(shown, event) {
    const { place } = subject.current();
    const node = /** @type {SVGElement} */ (event.target).dataset.node;
    const by = /** @type {Record<string, number[]>} */ ({ ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] })[event.key];
    if (node === undefined || !place) {
        return;
    }
    const v = Number(node);
    const does = /** @type {Record<string, () => void>} */ ({ s: () => setStart(v), g: () => setGoal(v), Enter: () => select(shown, v), " ": () => select(shown, v) })[event.key];
    if (by) {
        movePlace(v, place[2 * v] + by[0], place[2 * v + 1] + by[1]);
        drawPicture(shown);
    } else if (does) {
        does();
    } else {
        return;
    }
    event.preventDefault();
    event.stopPropagation();
}

/** @type {(key: string) => (() => void) | undefined} */
let worldKeys = () => undefined;

/** @type {import("./main.js").Screen} */
export const worldScreen = { name: "world", title: "World", subject: true, shows: engine.here, open,
    keys: [["space", "play, pause"], ["← →", "a step back, a step forward"], ["Home", "to the beginning"], ["Tab", "to the nodes; there: arrows move one, s starts there, g has the goal there, Enter chooses it"], ["Esc", "to join or part no nodes after all"]],
    key: (key) => {
        const does = worldKeys(key);
        does?.();
        return does !== undefined;
    } };
