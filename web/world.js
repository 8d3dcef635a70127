/* world.js: a world and a path through it, as the library draws them: nodes where it places them,
 * the start green, the destination pink, the path orange. */
import palette from "./palette.json";
import { s } from "./dom.js";

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
 * @param {World} world
 * @param {number[]} path nodes
 * @param {number} step how many steps of the path are drawn
 * @param {string} label for those who cannot see it
 */
export function drawWorld(world, path, step, label) {
    const graph = graphOf(world);
    const svg = s("svg", { viewBox: "0 0 420 320", role: "img", "aria-label": label, color: "currentColor",
        class: "world" });
    if (graph === null) {
        svg.append(s("text", { x: 210, y: 160, "text-anchor": "middle", fill: "currentColor" },
            "too large to be drawn here"));
        return svg;
    }
    const place = /** @type {number[]} */ (world.place);
    const n = place.length / 2;
    const xs = Array.from({ length: n }, (_, v) => place[2 * v]);
    const ys = Array.from({ length: n }, (_, v) => place[2 * v + 1]);
    const span = Math.max(Math.max(...xs) - Math.min(...xs), 1.3 * (Math.max(...ys) - Math.min(...ys)), 1e-9);
    const at = (/** @type {number} */ v) => [210 + 300 * (xs[v] - (Math.max(...xs) + Math.min(...xs)) / 2) / span,
        160 + 300 * (ys[v] - (Math.max(...ys) + Math.min(...ys)) / 2) / span];
    const weights = new Map(graph.edges.map((/** @type {number[]} */ e) => [`${e[0]}-${e[1]}`, e[2]]));
    const radius = n <= 12 ? 16 : 9;
    for (const [a, b, w] of graph.edges) {
        const both = weights.get(`${b}-${a}`);
        if (a === b || (both === w && a > b)) {
            continue;
        }
        const made = arc(at(a), at(b), both === undefined || both === w ? 0 : 14, radius);
        svg.append(s("path", { d: made.d, fill: "none", stroke: palette.grey, "stroke-width": 1.3 }));
        svg.append(s("text", { x: made.middle[0], y: made.middle[1] - 4, "font-size": 11, "text-anchor": "middle",
            fill: "currentColor", stroke: "var(--page, #ffffff)", "stroke-width": 3, "paint-order": "stroke" }, w));
    }
    for (let t = 0; t < Math.min(step, path.length - 1); t++) {
        if (path[t] !== path[t + 1]) {
            const made = arc(at(path[t]), at(path[t + 1]), 10 + 5 * t, radius);
            const now = t === Math.min(step, path.length - 1) - 1;
            svg.append(s("path", { d: made.d, fill: "none", stroke: palette.path, "stroke-width": now ? 5 : 3,
                "stroke-opacity": now ? 1 : 0.6 }));
            svg.append(s("circle", { cx: made.middle[0], cy: made.middle[1], r: 8, fill: palette.path }));
            svg.append(s("text", { x: made.middle[0], y: made.middle[1] + 4, "font-size": 11, "text-anchor": "middle",
                fill: "#000000" }, t + 1));
        }
    }
    const here = path[Math.min(step, path.length - 1)];
    for (let v = 0; v < n; v++) {
        const start = Array.isArray(graph.start) ? graph.start[graph.start.length - 1] : graph.start;
        const role = v === graph.destination ? palette.destination : v === start ? palette.start : "var(--tint, #f3f4f6)";
        const [x, y] = at(v);
        svg.append(s("circle", { cx: x, cy: y, r: radius, fill: role, stroke: v === here ? palette.path : palette.grey,
            "stroke-width": v === here ? 4 : 1, "data-node": v,
            "data-role": v === graph.destination ? "destination" : v === start ? "start" : "node" }));
        svg.append(s("text", { x, y: y + 4, "text-anchor": "middle", "font-size": 12, "font-weight": "bold",
            fill: role.startsWith("var") ? "currentColor" : "#000000" },
            Array.isArray(graph.names) ? String(graph.names[v]).slice(0, 6) : v));
    }
    return svg;
}
