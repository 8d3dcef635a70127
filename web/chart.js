/* chart.js: a figure as a picture: panels of bars, stacks, lines and dots, as wide as there is room.
 *
 * Colours are those of palette.json; what is black on paper is the page's ink. Hollow means hatched
 * bars and open markers. Every mark has its numbers as a title; the table under each figure has them
 * for keyboards and screen readers. */
import { scaleBand, scaleLinear, scaleLog } from "d3-scale";
import { area, line } from "d3-shape";
import palette from "./palette.json";
import { s } from "./dom.js";
import { cut, raised, short } from "./words.js";

const GUTTER = 58;
const HEAD = 26;
const FOOT = 46;
const RIGHT = 12;
const PANEL_MIN = 250;
/* of panels whose lines have their names at their ends: room for those, and the least width */
const [ENDS, ENDS_MIN] = [96, 400];

/**
 * @param {number} i
 */
export const colourOf = (i) => {
    const n = palette.series.length;
    const place = ((i % n) + n) % n;
    return place === 0 ? "currentColor" : palette.series[place];
};

/** Outlines of markers, by colour, so that they differ on paper, too. */
const MARKERS = ["M-4 0A4 4 0 1 1 4 0A4 4 0 1 1-4 0Z", "M-3.6-3.6H3.6V3.6H-3.6Z", "M0-4.8L4.4 3.2H-4.4Z",
    "M0-5.2L4.4 0L0 5.2L-4.4 0Z", "M0 4.8L4.4-3.2H-4.4Z", "M0-4.6L4.4-1.4L2.7 3.8H-2.7L-4.4-1.4Z",
    "M-1.6-4.6H1.6V-1.6H4.6V1.6H1.6V4.6H-1.6V1.6H-4.6V-1.6H-1.6Z", "M-2.2-5H2.2V5H-2.2Z"];
const DASHES = ["", "8 3", "3 2.5", "9 3 2 3", "5 2", "1.5 2", "12 3", "2 4"];

/**
 * The dashes of a line; those without markers begin with a solid one.
 * @param {Series} series
 */
export const dashOf = (series) => DASHES[(series.colour + (series.plain ? 7 : 0)) % 8] || null;

/**
 * @param {number} colour
 * @param {boolean} [hollow]
 */
export function marker(colour, hollow, size = 1) {
    return s("path", { d: MARKERS[(colour + Math.floor(colour / 8)) % 8], transform: `scale(${size})`,
        fill: hollow ? "var(--page, #ffffff)" : colourOf(colour),
        stroke: colourOf(colour), "stroke-width": hollow ? 1.6 : 0 });
}

/** Lines from lower left to upper right, cut off at the edges of a bar. */
function hatch(/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ w, /** @type {number} */ h) {
    let d = "";
    for (let c = Math.ceil((x + y) / 6) * 6; c < x + y + w + h; c += 6) {
        const from = Math.max(x, c - y - h);
        const to = Math.min(x + w, c - y);
        d += `M${from.toFixed(1)} ${(c - from).toFixed(1)}L${to.toFixed(1)} ${(c - to).toFixed(1)}`;
    }
    return d;
}

/**
 * @param {number} colour
 * @param {boolean | undefined} hollow
 */
export function bar(colour, hollow, x = 0, y = 0, w = 14, h = 11) {
    const box = s("rect", { x, y, width: w, height: h, stroke: colourOf(colour), "stroke-width": 0.8,
        fill: hollow ? "none" : colourOf(colour) });
    const lines = hollow && w > 0 && h > 0
        && s("path", { d: hatch(x, y, w, h), stroke: colourOf(colour), "stroke-width": 1.4, fill: "none" });
    return s("g", {}, box, lines);
}

/**
 * @param {Axis} axis
 * @param {[number, number]} room
 * @param {number[]} values
 */
function scaleOf(axis, room, values) {
    if (axis.categories) {
        return scaleBand().domain(axis.categories).range(room).paddingInner(0.16).paddingOuter(0.08);
    }
    const known = values.filter((v) => Number.isFinite(v) && (!axis.log || v > 0));
    let low = axis.low ?? Math.min(...known);
    let high = axis.high ?? Math.max(...known);
    if (!(low <= high)) {
        [low, high] = axis.log ? [1, 10] : [0, 1];
    }
    if (axis.log) {
        const air = Math.max(1.12, (high / low) ** 0.05);
        return scaleLog().domain([axis.low ?? low / air, axis.high ?? high * air]).range(room).clamp(true);
    }
    const air = 0.05 * (high - low || 1);
    return scaleLinear().domain([axis.low ?? low - air, axis.high ?? high + air]).range(room).clamp(true);
}

/** Labels of a logarithmic axis: powers of ten, and 2 and 5 times them where there are few. */
function logTicks(/** @type {any} */ scale) {
    const [low, high] = scale.domain();
    const powers = [];
    for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++) {
        powers.push(e);
    }
    const every = Math.ceil(powers.length / 7);
    const times = powers.length <= 4 ? [1, 2, 5] : [1];
    const inside = powers.filter((e) => e % every === 0).flatMap((e) => times.map((t) => t * 10 ** e))
        .filter((v) => v >= low * (1 - 1e-9) && v <= high * (1 + 1e-9));
    return inside.length > 1 ? inside : scaleLinear().domain([low, high]).ticks(4);
}

const tickWords = (/** @type {number} */ v, /** @type {Axis} */ axis) => {
    const size = Math.abs(v);
    if (axis.log && (size < 1e-3 || size >= 1e5)) {
        const e = Math.floor(Math.log10(size) + 1e-9);
        const times = Math.round(size / 10 ** e);
        return `${times === 1 ? "" : `${times}·`}10${raised(e)}`;
    }
    return String(+v.toPrecision(4)).replace("-", "−");
};

/**
 * @param {Panel} panel
 * @param {any} scale
 * @param {{x: number, y: number, w: number, h: number}} box
 */
function axisX(panel, scale, box) {
    const group = s("g", { "font-size": 11, "text-anchor": "middle", fill: "currentColor" });
    const foot = box.y + box.h;
    const ticks = panel.x.categories ?? (panel.x.log ? logTicks(scale) : scale.ticks(Math.max(2, box.w / 50)).filter((/** @type {number} */ v) => !panel.x.whole || Number.isInteger(v)));
    let free = -Infinity;
    group.append(s("path", { d: `M${box.x} ${foot}H${box.x + box.w}`, stroke: palette.grey }));
    for (const tick of ticks) {
        const at = scale(tick) + (panel.x.categories ? scale.bandwidth() / 2 : 0);
        const words = panel.x.categories ? cut(String(tick), 32) : tickWords(tick, panel.x);
        const half = 3.4 * words.length;
        if (at - half < free) {
            continue;
        }
        free = at + half + 3;
        group.append(s("text", { x: at, y: foot + 16 }, words));
    }
    group.append(s("text", { x: box.x + box.w / 2, y: foot + 34, "font-size": 12 }, panel.x.title));
    return group;
}

/**
 * @param {Panel} panel
 * @param {any} scale
 * @param {{x: number, y: number, w: number, h: number}} box
 */
function axisY(panel, scale, box) {
    const group = s("g", { "font-size": 11, "text-anchor": "end", fill: "currentColor" });
    for (const tick of panel.y.log ? logTicks(scale) : scale.ticks(5)) {
        group.append(s("path", { d: `M${box.x} ${scale(tick)}H${box.x + box.w}`, stroke: palette.grey,
            "stroke-opacity": 0.25 }));
        group.append(s("text", { x: box.x - 6, y: scale(tick) + 4 }, tickWords(tick, panel.y)));
    }
    group.append(s("text", { transform: `translate(${box.x - GUTTER + 12} ${box.y + box.h / 2}) rotate(-90)`,
        "text-anchor": "middle", "font-size": 12 }, panel.y.title));
    return group;
}

/**
 * @param {Series} series
 * @param {Mark} mark
 * @param {Panel} panel
 */
function tipOf(series, mark, panel) {
    const interval = Number.isFinite(mark.low ?? NaN) ? ` (${short(mark.low)} to ${short(mark.high)})` : "";
    const paper = Number.isFinite(mark.reference ?? NaN) ? `; the paper: ${short(mark.reference)}` : "";
    const x = typeof mark.x === "number" ? short(mark.x) : mark.x;
    return `${series.label}; ${panel.x.title} ${x}: ${short(mark.y - (mark.base ?? 0))}${interval}${paper}`
        + `${mark.tip ? `; ${mark.tip}` : ""}`;
}

const whisker = (/** @type {number} */ x, /** @type {number} */ low, /** @type {number} */ high,
    /** @type {string} */ colour, /** @type {number} */ width) => s("path", {
    d: `M${x} ${low}V${high}M${x - 2.6} ${low}h5.2M${x - 2.6} ${high}h5.2`, stroke: colour,
    "stroke-width": width, fill: "none" });

/**
 * Bars beside each other, or on top of each other.
 * @param {Panel} panel
 * @param {any} x
 * @param {any} y
 * @param {Set<string>} hidden
 * @param {(mark: Mark) => void} [open]
 */
function bars(panel, x, y, hidden, open) {
    const group = s("g");
    const shown = panel.series.filter((one) => one.shape === "bar" && !hidden.has(one.label));
    const stacks = panel.series.filter((one) => one.shape === "stack" && !hidden.has(one.label));
    for (const series of [...shown, ...stacks]) {
        const n = series.shape === "stack" ? 1 : shown.length;
        const width = Math.min(34, x.bandwidth() / n);
        const shift = series.shape === "stack" ? 0 : (shown.indexOf(series) - (n - 1) / 2) * width;
        for (const mark of series.marks.filter((m) => Number.isFinite(m.y))) {
            const middle = x(mark.x) + x.bandwidth() / 2 + shift;
            const top = y(mark.y);
            const foot = y(mark.base ?? 0);
            const one = s("g", { class: open && mark.cell ? "opens" : "" },
                s("title", {}, tipOf(series, mark, panel)),
                bar(series.colour, series.hollow, middle - 0.46 * width, Math.min(top, foot), 0.92 * width,
                    Math.abs(foot - top)));
            if (Number.isFinite(mark.low ?? NaN)) {
                one.append(whisker(middle, y(mark.low), y(mark.high), "var(--page, #ffffff)", 3));
                one.append(whisker(middle, y(mark.low), y(mark.high), "currentColor", 1.2));
            }
            if (Number.isFinite(mark.reference ?? NaN)) {
                one.append(s("g", { transform: `translate(${middle} ${y(mark.reference)})` },
                    s("path", { d: MARKERS[3], fill: "#ffffff", stroke: "#000000", "stroke-width": 1.2 })));
            }
            if (open && mark.cell) {
                one.addEventListener("click", () => open(mark));
            }
            group.append(one);
        }
    }
    return group;
}

/**
 * @param {Panel} panel
 * @param {any} x
 * @param {any} y
 * @param {Set<string>} hidden
 * @param {(mark: Mark) => void} [open]
 */
function lines(panel, x, y, hidden, open) {
    const group = s("g");
    for (const series of panel.series) {
        if (series.shape === "bar" || series.shape === "stack" || hidden.has(series.label)) {
            continue;
        }
        const all = series.marks.filter((m) => Number.isFinite(m.y) && (!panel.y.log || m.y > 0));
        const firm = all.filter((m) => !m.faint);
        const path = line().x((/** @type {Mark} */ m) => x(m.x)).y((/** @type {Mark} */ m) => y(m.y));
        if (series.band && firm.length > 1) {
            const band = area().x((/** @type {Mark} */ m) => x(m.x))
                .y0((/** @type {Mark} */ m) => y(m.low ?? m.y)).y1((/** @type {Mark} */ m) => y(m.high ?? m.y));
            group.append(s("path", { d: band(firm), fill: colourOf(series.colour), "fill-opacity": 0.13,
                "data-band": series.label }));
        }
        if (series.shape !== "dot" && firm.length > 1) {
            group.append(s("path", { d: path(firm), fill: "none", stroke: colourOf(series.colour),
                "stroke-width": series.thin ? 0.7 : series.shape === "guide" ? 1.2 : 1.6, "data-line": series.label,
                "stroke-dasharray": series.shape === "guide" ? "1.2 2.6" : dashOf(series) }));
        }
        const every = series.thin ? Infinity : series.plain ? Math.ceil(all.length / 40) : 1;
        for (const mark of series.shape === "guide" ? [] : all.filter((_, i) => i % every === 0)) {
            const one = s("g", { class: open && (mark.cell || mark.key) ? "opens" : "" }, s("title", {}, tipOf(series, mark, panel)));
            if (!series.band && !mark.faint && Number.isFinite(mark.low ?? NaN)) {
                one.append(whisker(x(mark.x), y(mark.low), y(mark.high), colourOf(series.colour), 1.1));
            }
            one.append(s("g", { transform: `translate(${x(mark.x)} ${y(mark.y)})` },
                series.plain ? s("circle", { r: 6, fill: "transparent" }) : marker(series.colour, series.hollow || mark.faint, series.size)));
            if (open && (mark.cell || mark.key)) {
                one.addEventListener("click", () => open(mark));
            }
            group.append(one);
        }
    }
    return group;
}

/**
 * What each line is called, where it ends, none on top of another.
 * @param {Panel} panel
 * @param {any} x
 * @param {any} y
 * @param {{x: number, y: number, w: number, h: number}} box
 */
function endLabels(panel, x, y, box) {
    const group = s("g", { "font-size": 11, fill: "currentColor" });
    const ends = panel.series.filter((one) => one.marks.length > 0).map((series) => {
        const last = series.marks[series.marks.length - 1];
        return { series, x: x(last.x), y: y(last.y), at: y(last.y) };
    }).sort((a, b) => a.y - b.y);
    // a line that ends early has its name there, and none that leads across the others
    const early = ends.filter((end) => end.x < box.x + 0.7 * box.w);
    early.forEach((end, i) => {
        end.at = Math.max(end.y - 8, box.y + 8);
        for (const other of early.slice(0, i)) { // those above, from the uppermost on
            end.at = Math.abs(other.x - end.x) < ENDS && Math.abs(other.at - end.at) < 12 ? other.at + 12 : end.at;
        }
        group.append(s("text", { x: end.x + 8, y: end.at, "data-end": end.series.label, stroke: "var(--page, #ffffff)", "stroke-width": 3, "paint-order": "stroke" }, cut(end.series.label, 16)));
    });
    ends.splice(0, ends.length, ...ends.filter((end) => !early.includes(end)));
    ends.forEach((end, i) => { end.at = Math.max(end.at, i > 0 ? ends[i - 1].at + 13 : box.y); });
    for (let i = ends.length - 1, most = box.y + box.h; i >= 0; i--, most -= 13) {
        ends[i].at = Math.min(ends[i].at, most);
    }
    for (const end of ends) {
        group.append(s("path", { d: `M${end.x + 5} ${end.y}L${box.x + box.w + 6} ${end.at}`, stroke: colourOf(end.series.colour), "stroke-opacity": 0.5, fill: "none" }),
            s("text", { x: box.x + box.w + 9, y: end.at + 4, "data-end": end.series.label }, cut(end.series.label, 16)));
    }
    return group;
}

/**
 * What the marks of a panel cover.
 * @param {Panel} panel
 */
const valuesOf = (panel) => /** @type {{x: number[], y: number[]}} */ ({
    x: panel.series.flatMap((one) => one.marks.map((m) => m.x)),
    y: panel.series.flatMap((one) => one.marks.flatMap((m) => [m.y, ...(m.faint ? [] : [m.low, m.high]),
        m.reference, one.shape === "bar" || one.shape === "stack" ? m.base ?? 0 : NaN]))
        .filter((v) => v !== null && v !== undefined),
});

/**
 * The whole picture. Axes with the same title have the same range, unless a figure says otherwise.
 * @param {Figure} figure
 * @param {number} width
 * @param {Set<string>} hidden labels of series that are switched off
 * @param {(mark: Mark) => void} [open] called when a mark with a cell is clicked
 */
export function drawChart(figure, width, hidden, open) {
    const panels = figure.panels.filter((panel) => panel.series.some((one) => one.marks.length > 0));
    const named = panels.some((panel) => panel.ends);
    const columns = Math.max(1, Math.min(panels.length, Math.floor(width / (named ? ENDS_MIN : PANEL_MIN)), 5));
    const height = figure.height ?? 220;
    const rows = Math.ceil(panels.length / columns);
    const whole = width / columns;
    const svg = s("svg", { viewBox: `0 0 ${width} ${rows * (HEAD + height + FOOT)}`, role: "img",
        "aria-label": `${figure.title}. ${figure.caption}`, color: "currentColor" });
    const values = panels.map(valuesOf);
    panels.forEach((panel, i) => {
        const box = { x: (i % columns) * whole + GUTTER, y: Math.floor(i / columns) * (HEAD + height + FOOT) + HEAD,
            w: whole - GUTTER - (panel.ends ? ENDS : RIGHT), h: height };
        const alike = panels.flatMap((other, j) => (i === j || (!figure.free && other.y.title === panel.y.title) ? values[j].y : []));
        const x = scaleOf(panel.x, [box.x, box.x + box.w], values[i].x);
        const y = scaleOf(panel.y, [box.y + box.h, box.y], alike);
        svg.append(s("text", { x: box.x + box.w / 2, y: box.y - 9, "text-anchor": "middle", "font-size": 13,
            "font-weight": "bold", fill: "currentColor" }, panel.title), axisY(panel, y, box));
        if (panel.x.categories) {
            svg.append(bars(panel, x, y, hidden, open));
        }
        svg.append(lines(panel, x, y, hidden, open), axisX(panel, x, box));
        if (panel.ends) {
            svg.append(endLabels(panel, x, y, box));
        }
    });
    return svg;
}

/**
 * The numbers of a figure, row by row.
 * @param {Figure} figure
 */
export function numbersOf(figure) {
    // whose mark it is, where marks are of somebody
    const told = figure.panels.some((panel) => panel.series.some((series) => series.marks.some((mark) => mark.tip)));
    const rows = [["panel", "series", "x", "y", "low", "high", "reference", ...(told ? ["of"] : [])]];
    for (const panel of figure.panels) {
        for (const series of panel.series) {
            for (const mark of series.marks) {
                rows.push(/** @type {any} */ ([panel.title, series.label, mark.x, mark.y - (mark.base ?? 0),
                    mark.low ?? null, mark.high ?? null, mark.reference ?? null, ...(told ? [mark.tip ?? null] : [])]));
            }
        }
    }
    return rows;
}
