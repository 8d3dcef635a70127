/* world.js: a world and a path through it, as the library draws them: nodes where it places them,
 * the start green, the destination pink, the path orange. */
import palette from "./palette.json";
import { s } from "./dom.js";

/* the picture's own units, and how many nodes have a name and edges a weight */
const [WIDTH, HEIGHT, NAMED] = [420, 320, 60];

/**
 * The world's document, which nobody has to believe: null if it is none.
 * @param {World} world
 */
export function graphOf(world) {
    try {
        const graph = JSON.parse(world.document ?? "");
        return Array.isArray(graph.edges) && world.place ? graph : null;
    } catch {
        return null;
    }
}

/**
 * What a node is called.
 * @param {Graph} graph
 * @param {number} v
 */
export const nodeName = (graph, v) => (Array.isArray(graph.names) ? String(graph.names[v]) : String(v));

/**
 * @param {number[]} a
 * @param {number[]} b
 * @param {number} bend
 * @param {number} short
 */
function arc(a, b, bend, short) {
    const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
    const far = Math.hypot(dx, dy) || 1;
    const [ux, uy] = [dx / far, dy / far];
    const middle = [(a[0] + b[0]) / 2 - uy * bend, (a[1] + b[1]) / 2 + ux * bend];
    const from = [a[0] + ux * short, a[1] + uy * short];
    const to = [b[0] - ux * short, b[1] - uy * short];
    return { d: `M${from[0]} ${from[1]}Q${middle[0]} ${middle[1]} ${to[0]} ${to[1]}`, middle };
}

/**
 * From places of nodes to the picture, and back.
 * @param {ArrayLike<number>} place
 */
export function frameOf(place) {
    const [low, high] = [[Infinity, Infinity], [-Infinity, -Infinity]];
    for (let i = 0; i < place.length; i++) {
        low[i % 2] = Math.min(low[i % 2], place[i]);
        high[i % 2] = Math.max(high[i % 2], place[i]);
    }
    const span = Math.max(high[0] - low[0], 1.3 * (high[1] - low[1]), 1e-9) / 300;
    const middle = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2];
    return {
        at: (/** @type {number} */ v) => [WIDTH / 2 + (place[2 * v] - middle[0]) / span, HEIGHT / 2 + (place[2 * v + 1] - middle[1]) / span],
        back: (/** @type {number} */ x, /** @type {number} */ y) => [middle[0] + (x - WIDTH / 2) * span, middle[1] + (y - HEIGHT / 2) * span],
    };
}

/**
 * Edges, each with its weight.
 * @param {Graph} graph
 * @param {(v: number) => number[]} at
 * @param {number} radius
 */
function drawEdges(graph, at, radius) {
    const weights = new Map(graph.edges.map((e) => [`${e[0]}-${e[1]}`, e[2]]));
    return graph.edges.flatMap(([a, b, w]) => {
        const both = weights.get(`${b}-${a}`);
        if (a === b || (both === w && a > b)) {
            return [];
        }
        const made = arc(at(a), at(b), both === undefined || both === w ? 0 : 14, radius);
        return [s("path", { d: made.d, fill: "none", stroke: palette.grey, "stroke-width": 1.3 }),
            s("text", { x: made.middle[0], y: made.middle[1] - 4, "font-size": 11, "text-anchor": "middle", "data-edge": `${a}-${b}`,
                fill: "currentColor", stroke: "var(--page, #ffffff)", "stroke-width": 3, "paint-order": "stroke" }, w)];
    });
}

/**
 * The first steps of a path, numbered.
 * @param {number[]} path
 * @param {number} step
 * @param {(v: number) => number[]} at
 * @param {number} radius
 */
function drawPath(path, step, at, radius) {
    const n = Math.min(step, path.length - 1);
    return path.slice(0, Math.max(n, 0)).flatMap((node, t) => {
        if (node === path[t + 1]) {
            return [];
        }
        const made = arc(at(node), at(path[t + 1]), 10 + 5 * t, radius);
        const now = t === n - 1;
        return [s("path", { d: made.d, fill: "none", stroke: palette.path, "stroke-width": now ? 5 : 3, "stroke-opacity": now ? 1 : 0.6 }),
            s("circle", { cx: made.middle[0], cy: made.middle[1], r: 8, fill: palette.path }),
            s("text", { x: made.middle[0], y: made.middle[1] + 4, "font-size": 11, "text-anchor": "middle", fill: "#000000" }, t + 1)];
    });
}

/**
 * @param {Graph} graph
 * @param {(v: number) => number[]} at
 * @param {number} radius
 * @param {number} here
 */
function drawNodes(graph, at, radius, here) {
    const start = Array.isArray(graph.start) ? graph.start[graph.start.length - 1] : graph.start;
    const all = graph.nodes > NAMED ? [...new Set([start, graph.destination, here])].filter((v) => v !== undefined) : Array.from({ length: graph.nodes }, (_, v) => v);
    return all.flatMap((v) => {
        const named = v === graph.destination ? "destination" : v === start ? "start" : "node";
        const role = named === "destination" ? palette.destination : named === "start" ? palette.start : "var(--tint, #f3f4f6)";
        const [x, y] = at(v);
        const circle = s("circle", { cx: x, cy: y, r: radius, fill: role, stroke: v === here ? palette.path : palette.grey,
            "stroke-width": v === here ? 4 : radius > 4 ? 1 : 0.5, "data-node": v, "data-role": named });
        return graph.nodes > NAMED ? [circle] : [circle, s("text", { x, y: y + 4, "text-anchor": "middle", "font-size": 12,
            "font-weight": "bold", fill: named === "node" ? "currentColor" : "#000000", "pointer-events": "none" }, nodeName(graph, v).slice(0, 6))];
    });
}

/** @param {Graph} graph */
const radiusOf = (graph) => (graph.nodes <= 12 ? 16 : graph.nodes <= NAMED ? 9 : Math.max(1.5, 40 / Math.sqrt(graph.nodes)));

/**
 * Many nodes and their edges, without names and weights: all edges are one line, and all nodes another.
 * @param {Graph} graph
 * @param {(v: number) => number[]} at
 */
function drawMany(graph, at) {
    const points = Array.from({ length: graph.nodes }, (_, v) => at(v).map((x) => x.toFixed(1)).join(" "));
    const dots = points.map((point) => `M${point}h0`).join("");
    const edges = graph.edges.map(([a, b]) => `M${points[a]}L${points[b]}`).join("");
    return [s("path", { d: edges, fill: "none", stroke: palette.grey, "stroke-width": 0.6, "stroke-opacity": 0.6 }),
        ...[[palette.grey, 2 * radiusOf(graph)], ["var(--tint, #f3f4f6)", 2 * radiusOf(graph) - 1]].map(([stroke, width]) =>
            s("path", { d: dots, fill: "none", stroke, "stroke-width": width, "stroke-linecap": "round" }))];
}

/** What is shown of a world besides the world: the path, how many of its steps are drawn, where the agent is if not at their
 * end, words for those who cannot see it, and the frame, where it shall not follow the places.
 * @typedef {{path?: number[], step?: number, here?: number, label: string, frame?: ReturnType<typeof frameOf>}} Showing */

/** @param {string} label @param {...SVGElement} parts */
const pictureOf = (label, ...parts) => s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label, color: "currentColor", class: "world" }, ...parts);

/**
 * What moves: the path, the start, the goal and the agent; where nodes are few, all of them.
 * @param {Graph} graph
 * @param {(v: number) => number[]} at
 * @param {Showing} showing
 */
const moving = (graph, at, { path = [], step = path.length, here }) => [...drawPath(path, step, at, radiusOf(graph)),
    ...drawNodes(graph, at, radiusOf(graph), here ?? path[Math.min(step, path.length - 1)])];

/**
 * A world as a picture.
 * @param {Graph} graph
 * @param {ArrayLike<number>} place x and y of each node
 * @param {Showing} showing
 */
export function drawGraph(graph, place, showing) {
    const { at } = showing.frame ?? frameOf(place);
    return pictureOf(showing.label, ...(graph.nodes > NAMED ? drawMany(graph, at) : drawEdges(graph, at, radiusOf(graph))), ...moving(graph, at, showing));
}

/** Whether a world is drawn in two layers, of which the lower stays while something is dragged.
 * @param {Graph} graph */
export const isLarge = (graph) => graph.nodes > NAMED;

/** The lower layer of a picture, and what it was made of.
 * @typedef {{svg: SVGElement | null, edges: any, sum: number}} Ground */

/**
 * The two layers: what moves lies over the rest, which is drawn anew only if it has changed.
 * @param {Graph} graph
 * @param {ArrayLike<number>} place
 * @param {Showing} showing
 * @param {Ground} ground
 */
export function drawLayers(graph, place, showing, ground) {
    const { at } = showing.frame ?? frameOf(place);
    let sum = 0;
    for (let i = 0; i < place.length; i++) {
        sum += (i % 7 + 1) * place[i];
    }
    if (ground.svg === null || ground.edges !== graph.edges || ground.sum !== sum) {
        [ground.edges, ground.sum] = [graph.edges, sum];
        ground.svg = pictureOf(`World of ${graph.nodes} nodes`, ...drawMany(graph, at));
        ground.svg.setAttribute("aria-hidden", "true");
    }
    return { ground: ground.svg, over: pictureOf(showing.label, ...moving(graph, at, showing)) };
}

/**
 * A world of a study.
 * @param {World} world
 * @param {number[]} path nodes
 * @param {number} step how many steps of the path are drawn
 * @param {string} label for those who cannot see it
 */
export function drawWorld(world, path, step, label) {
    const graph = graphOf(world);
    return graph === null
        ? s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label, color: "currentColor", class: "world" },
            s("text", { x: WIDTH / 2, y: HEIGHT / 2, "text-anchor": "middle", fill: "currentColor" }, "too large to be drawn here"))
        : drawGraph({ ...graph, nodes: Number(world.place?.length) / 2 }, /** @type {number[]} */ (world.place), { path, step, label });
}
