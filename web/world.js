/* world.js: a world and a path through it, as the library draws them: nodes where it places them,
 * the start green, the destination pink, the path orange. */
import palette from "./palette.json";
import { s } from "./dom.js";
import { cut, isolated } from "./words.js";

/* the picture's own units, how much stays free above and below, and how many nodes have a name and edges a weight */
const [WIDTH, HEIGHT, AIR, NAMED] = [420, 320, 45, 60];
/* letters that a node has room for */
const ROOM = 6;

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
export const nodeName = (graph, v) => (Array.isArray(graph.names) ? isolated(String(graph.names[v])) : String(v));

/**
 * Names in the room that a node has, with a sign where letters are missing; in their midst, where names begin alike.
 * @param {string[]} names
 */
function inside(names) {
    const short = names.map((name) => cut(name, ROOM));
    return names.map((name, v) => (short.indexOf(short[v]) === short.lastIndexOf(short[v]) ? short[v] : cut(name, ROOM, 2)));
}

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
    const pull = [(a[0] + b[0]) / 2 - uy * bend, (a[1] + b[1]) / 2 + ux * bend];
    const from = [a[0] + ux * short, a[1] + uy * short];
    const to = [b[0] - ux * short, b[1] - uy * short];
    const on = (/** @type {number} */ t) => [0, 1].map((i) => (1 - t) ** 2 * from[i] + 2 * t * (1 - t) * pull[i] + t ** 2 * to[i]);
    return { d: `M${from[0]} ${from[1]}Q${pull[0]} ${pull[1]} ${to[0]} ${to[1]}`, on };
}

/* where on an edge its weight may stand, and on an arc the number of its step: in the middle, if that is free; and so far
 * beside it, if nothing is */
const [PLACES, ASIDE] = [[0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78], 13];

/** A rectangle that is taken: its middle, and half of its width and height.
 * @typedef {[number, number, number, number]} Box */
/** A line that is better left free: from, to, and its own edge.
 * @typedef {{a: number[], b: number[], edge: string}} Stretch */

/** @param {number[]} p @param {Stretch} stretch */
function distance([x, y], { a, b }) {
    const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
    const t = Math.max(0, Math.min(1, ((x - a[0]) * dx + (y - a[1]) * dy) / (dx * dx + dy * dy || 1)));
    return Math.hypot(x - a[0] - t * dx, y - a[1] - t * dy);
}

/**
 * The place on an arc that covers least of what is there; it is taken from then on.
 * @param {(t: number) => number[]} on
 * @param {[number, number]} half of its width and height
 * @param {{boxes: Box[], lines: Stretch[]}} taken
 * @param {string} [edge] its own
 */
function freePlace(on, [wide, high], { boxes, lines }, edge) {
    let [best, least] = [on(0.5), Infinity];
    const [a, b] = [on(0), on(1)];
    const [ux, uy] = [b[0] - a[0], b[1] - a[1]].map((d) => ASIDE * d / (Math.hypot(b[0] - a[0], b[1] - a[1]) || 1));
    const places = [...PLACES.map(on), ...PLACES.slice(0, 3).map(on).flatMap(([x, y]) => [[x - uy, y + ux], [x + uy, y - ux]])];
    for (const [x, y] of places) {
        const over = boxes.filter((box) => Math.abs(box[0] - x) < box[2] + wide && Math.abs(box[1] - y) < box[3] + high).length;
        const cost = 2 * over + lines.filter((line) => line.edge !== edge && distance([x, y], line) < high).length;
        [best, least] = cost < least ? [[x, y], cost] : [best, least];
    }
    boxes.push([best[0], best[1], wide, high]);
    return { x: best[0], y: best[1], free: least < 2 };
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
    const tall = Math.max(150, Math.min(HEIGHT, (high[1] - low[1]) / span + 2 * AIR));
    return {
        tall,
        at: (/** @type {number} */ v) => [WIDTH / 2 + (place[2 * v] - middle[0]) / span, tall / 2 + (place[2 * v + 1] - middle[1]) / span],
        back: (/** @type {number} */ x, /** @type {number} */ y) => [middle[0] + (x - WIDTH / 2) * span, middle[1] + (y - tall / 2) * span],
    };
}

/* edges that weights keep off, at most: the others would take too long while something is dragged */
const CROSSED = 80;

/**
 * Edges, each with its weight.
 * @param {Graph} graph
 * @param {(v: number) => number[]} at
 * @param {number} radius
 * @param {Box[]} boxes what is taken
 */
function drawEdges(graph, at, radius, boxes) {
    const name = (/** @type {number} */ a, /** @type {number} */ b) => `${Math.min(a, b)}-${Math.max(a, b)}`;
    const lines = graph.edges.length > CROSSED ? [] : graph.edges.filter(([a, b]) => a !== b).map(([a, b]) => ({ a: at(a), b: at(b), edge: name(a, b) }));
    const weights = new Map(graph.edges.map((e) => [`${e[0]}-${e[1]}`, e[2]]));
    return graph.edges.flatMap(([a, b, w]) => {
        const both = weights.get(`${b}-${a}`);
        if (a === b || (both === w && a > b)) {
            return [];
        }
        const made = arc(at(a), at(b), both === undefined || both === w ? 0 : 20, radius);
        const { x, y, free } = freePlace(made.on, [2 + 3.4 * String(w).length, 7], { boxes, lines }, name(a, b));
        const line = s("path", { d: made.d, fill: "none", stroke: palette.grey, "stroke-width": 1.3 }, s("title", {}, `${nodeName(graph, a)} to ${nodeName(graph, b)}: ${w}`));
        if (!free && graph.edges.length > CROSSED) {
            boxes.pop();
            return [line]; // of many weights those are written that can be read
        }
        return [line,
            s("text", { x, y: y + 4, "font-size": 11, "text-anchor": "middle", "data-edge": `${a}-${b}`,
                fill: "currentColor", stroke: "var(--page, #ffffff)", "stroke-width": 3, "paint-order": "stroke" }, w)];
    });
}

/**
 * The first steps of a path, numbered.
 * @param {number[]} path
 * @param {number} step
 * @param {(v: number) => number[]} at
 * @param {number} radius
 * @param {Box[]} boxes what is taken
 */
function drawPath(path, step, at, radius, boxes) {
    const n = Math.min(step, path.length - 1);
    return path.slice(0, Math.max(n, 0)).flatMap((node, t) => {
        if (node === path[t + 1]) {
            return [];
        }
        const made = arc(at(node), at(path[t + 1]), 12 + 7 * t, radius);
        const now = t === n - 1;
        const { x, y } = freePlace(made.on, [8, 8], { boxes, lines: [] });
        return [s("path", { d: made.d, fill: "none", stroke: palette.path, "stroke-width": now ? 5 : 3, "stroke-opacity": now ? 1 : 0.6 }),
            s("circle", { cx: x, cy: y, r: 8, fill: palette.path }),
            s("text", { x, y: y + 4, "font-size": 11, "text-anchor": "middle", fill: "#000000" }, t + 1)];
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
    const names = graph.nodes > NAMED ? [] : inside(all.map((v) => String(graph.names?.[v] ?? v)));
    return all.flatMap((v) => {
        const named = v === graph.destination ? "destination" : v === start ? "start" : "node";
        const role = named === "destination" ? palette.destination : named === "start" ? palette.start : "var(--tint, #f3f4f6)";
        const [x, y] = at(v);
        const circle = s("circle", { cx: x, cy: y, r: radius, fill: role, stroke: v === here ? palette.path : palette.grey,
            "stroke-width": v === here ? 4 : radius > 4 ? 1 : 0.5, "data-node": v, "data-role": named }, s("title", {}, nodeName(graph, v)));
        return graph.nodes > NAMED ? [circle] : [circle, s("text", { x, y: y + 4, "text-anchor": "middle", "font-size": radius < 12 ? 9 : 12,
            "font-weight": "bold", fill: named === "node" ? "currentColor" : "#000000", "pointer-events": "none" }, names[v])];
    });
}

/** How large nodes are: a quarter of what is between the two that are nearest to each other, if that is not too small.
 * @param {Graph} graph
 * @param {(v: number) => number[]} at */
function radiusOf(graph, at) {
    if (graph.nodes > NAMED) {
        return Math.max(1.5, 40 / Math.sqrt(graph.nodes));
    }
    let near = Infinity;
    for (let u = 0; u < graph.nodes; u++) {
        for (let v = 0; v < u; v++) {
            near = Math.min(near, Math.hypot(at(u)[0] - at(v)[0], at(u)[1] - at(v)[1]));
        }
    }
    return Math.min(16, Math.max(graph.nodes <= 12 ? 11 : 9, near / 4));
}

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
        ...[[palette.grey, 2 * radiusOf(graph, at)], ["var(--tint, #f3f4f6)", 2 * radiusOf(graph, at) - 1]].map(([stroke, width]) =>
            s("path", { d: dots, fill: "none", stroke, "stroke-width": width, "stroke-linecap": "round" }))];
}

/** What is shown of a world besides the world: the path, how many of its steps are drawn, where the agent is if not at their
 * end, words for those who cannot see it, and the frame, where it shall not follow the places.
 * @typedef {{path?: number[], step?: number, here?: number, label: string, frame?: ReturnType<typeof frameOf>}} Showing */

/** @param {string} label @param {number} tall @param {...SVGElement} parts */
const pictureOf = (label, tall, ...parts) => s("svg", { viewBox: `0 0 ${WIDTH} ${tall}`, role: "img", "aria-label": label, color: "currentColor", class: "world" }, ...parts);

/** Where nodes are, none of which shall be covered.
 * @param {Graph} graph @param {(v: number) => number[]} at @returns {Box[]} */
function takenBy(graph, at) {
    const radius = radiusOf(graph, at);
    return graph.nodes > NAMED ? [] : Array.from({ length: graph.nodes }, (_, v) => [at(v)[0], at(v)[1], radius, radius]);
}

/**
 * What moves: the path, the start, the goal and the agent; where nodes are few, all of them.
 * @param {Graph} graph
 * @param {(v: number) => number[]} at
 * @param {Showing} showing
 */
const moving = (graph, at, { path = [], step = path.length, here }, boxes = takenBy(graph, at)) => [...drawPath(path, step, at, radiusOf(graph, at), boxes),
    ...drawNodes(graph, at, radiusOf(graph, at), here ?? path[Math.min(step, path.length - 1)])];

/**
 * A world as a picture.
 * @param {Graph} graph
 * @param {ArrayLike<number>} place x and y of each node
 * @param {Showing} showing
 */
export function drawGraph(graph, place, showing) {
    const { at, tall } = showing.frame ?? frameOf(place);
    const boxes = takenBy(graph, at);
    const still = graph.nodes > NAMED ? drawMany(graph, at) : drawEdges(graph, at, radiusOf(graph, at), boxes);
    return pictureOf(showing.label, tall, ...still, ...moving(graph, at, showing, boxes));
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
    const { at, tall } = showing.frame ?? frameOf(place);
    let sum = 0;
    for (let i = 0; i < place.length; i++) {
        sum += (i % 7 + 1) * place[i];
    }
    if (ground.svg === null || ground.edges !== graph.edges || ground.sum !== sum) {
        [ground.edges, ground.sum] = [graph.edges, sum];
        ground.svg = pictureOf(`World of ${graph.nodes} nodes`, tall, ...drawMany(graph, at));
        ground.svg.setAttribute("aria-hidden", "true");
    }
    return { ground: ground.svg, over: pictureOf(showing.label, tall, ...moving(graph, at, showing)) };
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
