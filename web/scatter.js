/* scatter.js: a policy space in the plane of its first two principal components.
 *
 * Points of one colour are one path of strokes without length, which round caps make into dots, so
 * that thousands of policies are a dozen elements. Pointing finds the nearest by a quadtree. */
import { scaleLinear } from "d3-scale";
import { quadtree } from "d3-quadtree";
import palette from "./palette.json";
import { s } from "./dom.js";
import { colourOf } from "./chart.js";
import { fixed, grouped } from "./words.js";

const SHADES = 9;

/**
 * From dark blue (small G, good) to light yellow; on a dark page, from a blue that is seen there.
 * @param {number} share
 * @param {boolean} [dark]
 */
export function shade(share, dark = false) {
    const stops = [dark ? [64, 110, 220] : [0, 32, 76], [0, 114, 178], [86, 180, 233], [230, 159, 0], [240, 228, 120]];
    const at = Math.min(0.9999, Math.max(0, share)) * (stops.length - 1);
    const [a, b] = [stops[Math.floor(at)], stops[Math.floor(at) + 1]];
    return `rgb(${a.map((c, i) => Math.round(c + (b[i] - c) * (at % 1))).join(",")})`;
}

/**
 * Classes of points that share a colour.
 * @param {Space} space
 * @param {string} by
 * @param {number} chosen
 */
function classify(space, by, chosen) {
    if (by === "cluster") {
        return space.cluster.map((c) => (chosen >= 0 ? (c === chosen ? palette.worse : palette.better)
            : c % 8 === 0 ? palette.grey : colourOf(c % 8)));
    }
    const sorted = [...space.efe].sort((a, b) => a - b);
    const cuts = Array.from({ length: SHADES - 1 }, (_, i) => sorted[Math.floor((i + 1) * sorted.length / SHADES)]);
    return space.efe.map((g) => shade(cuts.filter((cut) => g >= cut).length / (SHADES - 1)));
}

/**
 * One panel, in its own group.
 * @param {Space} space
 * @param {string} title
 * @param {{x: number, y: number, w: number, h: number}} box
 * @param {string} by "G" or "cluster"
 * @param {number} chosen cluster that was chosen, or -1
 */
function panel(space, title, box, by, chosen) {
    const ends = (/** @type {number[]} */ list) => [Math.min(...list), Math.max(...list)];
    const x = scaleLinear().domain(ends(space.x)).range([box.x + 8, box.x + box.w - 8]);
    const y = scaleLinear().domain(ends(space.y)).range([box.y + box.h - 8, box.y + 8]);
    const group = s("g", { fill: "currentColor" });
    const drawn = space.x.length < space.rows ? `, ${grouped(space.x.length)} drawn` : "";
    group.append(s("text", { x: box.x, y: box.y - 20, "font-size": 13, "font-weight": "bold" }, title),
        s("text", { x: box.x, y: box.y - 6, "font-size": 11 }, `${grouped(space.policies)} policies, ${grouped(space.rows)} distinct${drawn}`),
        s("rect", { x: box.x, y: box.y, width: box.w, height: box.h, fill: "none", stroke: palette.grey, "stroke-opacity": 0.5 }),
        s("text", { x: box.x + box.w / 2, y: box.y + box.h + 15, "font-size": 11, "text-anchor": "middle" },
            `component 1 (${fixed(100 * space.share[0], 0)} % of the variance), 2 upwards (${fixed(100 * space.share[1], 0)} %)`));
    /** @type {Map<string, string>} */
    const paths = new Map();
    classify(space, by, chosen).forEach((colour, i) => {
        paths.set(colour, `${paths.get(colour) ?? ""}M${x(space.x[i]).toFixed(1)} ${y(space.y[i]).toFixed(1)}h0`);
    });
    paths.forEach((d, colour) => group.append(s("path", { d, fill: "none", stroke: colour, "stroke-linecap": "round",
        "stroke-width": space.x.length > 400 ? 3.4 : 5, "stroke-opacity": 0.75, "data-points": "" })));
    for (const center of space.centers) {
        group.append(s("circle", { cx: x(center[0]), cy: y(center[1]), r: 4, fill: palette.path, stroke: "#1f2328", "stroke-width": 0.8 }));
    }
    if (space.best_place) {
        const [px, py] = [x(space.best_place[0]), y(space.best_place[1])];
        group.append(s("path", { d: `M${px} ${py - 7}l6 7l-6 7l-6-7Z`, fill: palette.start, stroke: "#1f2328" }));
    }
    const tree = quadtree().x((/** @type {number} */ i) => x(space.x[i])).y((/** @type {number} */ i) => y(space.y[i]))
        .addAll(space.x.map((_, i) => i));
    const tip = s("text", { x: box.x + 6, y: box.y + 14, "font-size": 11, "font-weight": "bold", stroke: "var(--page, #ffffff)",
        "stroke-width": 3, "paint-order": "stroke" });
    group.append(tip);
    group.addEventListener("pointermove", (event) => {
        const svg = /** @type {SVGSVGElement} */ (group.ownerSVGElement);
        const matrix = svg.getScreenCTM();
        if (matrix) {
            const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
            const found = tree.find(at.x, at.y, 14);
            tip.textContent = found === undefined ? "" : `G ${fixed(space.efe[found], 2)}, cluster ${space.cluster[found]}`;
        }
    });
    return group;
}

/**
 * Panels of policy spaces.
 * @param {{space: Space, title: string}[]} spaces
 * @param {number} width
 * @param {{by: string, chosen: number, label: string}} how
 */
export function drawSpaces(spaces, width, how) {
    const columns = Math.max(1, Math.min(spaces.length, 3, Math.floor(width / 250)));
    const whole = width / columns;
    const rows = Math.ceil(spaces.length / columns);
    const high = spaces.length === 1 ? 300 : 190;
    const svg = s("svg", { viewBox: `0 0 ${width} ${rows * (high + 64)}`, role: "img", "aria-label": how.label, color: "currentColor" });
    svg.style.maxWidth = `${width}px`;
    spaces.forEach(({ space, title }, i) => svg.append(panel(space, title, { x: (i % columns) * whole + 6,
        y: Math.floor(i / columns) * (high + 64) + 38, w: whole - 18, h: high }, how.by, how.chosen)));
    return svg;
}
