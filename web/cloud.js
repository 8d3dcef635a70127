/* cloud.js: many points on a canvas, which are hovered, picked and brushed, by pointer or by keys.
 *
 * Points are written into an image pixel by pixel, the last of their order on top; marks that follow the
 * pointer are on a second canvas, so that moving draws no point anew. What is near the pointer is found in a
 * grid of cells, which is made when it is first asked for. */
import { scaleLinear } from "d3-scale";
import { button, h } from "./dom.js";
import { saveLayers } from "./share.js";
import { brief } from "./words.js";

/* how far from a point one may be to mean it, and the side of a cell */
const [NEAR, CELL] = [14, 8];

/** Points: where they are, their colours (pixels of an image), and the order in which they are drawn.
 * @typedef {{x: Float64Array, y: Float64Array, colour: Uint32Array, order: Int32Array}} Points */
/** What is seen: the least and the most of x and y.
 * @typedef {[number, number, number, number]} View */
/** @typedef {(pen: CanvasRenderingContext2D, at: (x: number, y: number) => [number, number]) => void} Marks */
/** @typedef {{label: string, axes: [string, string], ratio: string, hover: (i: number) => void, pick: (i: number) => void,
 *     brush: (view: View) => void, seen?: (view: View | null) => void, marks: Marks}} Asked */

/** @param {Points} points @returns {View} */
function wholeOf({ x, y }) {
    const view = /** @type {View} */ ([Infinity, -Infinity, Infinity, -Infinity]);
    for (let i = 0; i < x.length; i++) {
        view[0] = Math.min(view[0], x[i]);
        view[1] = Math.max(view[1], x[i]);
        view[2] = Math.min(view[2], y[i]);
        view[3] = Math.max(view[3], y[i]);
    }
    const air = [0.05 * (view[1] - view[0]) || 1, 0.07 * (view[3] - view[2]) || 1];
    return [view[0] - air[0], view[1] + air[0], view[2] - air[1], view[3] + air[1]];
}

/** @param {View} view @param {number} by @param {number} cx @param {number} cy @returns {View} */
const scaled = ([a, b, c, d], by, cx, cy) => [cx + (a - cx) * by, cx + (b - cx) * by, cy + (c - cy) * by, cy + (d - cy) * by];

/**
 * Writes the points into an image.
 * @param {Points} points
 * @param {View} view
 * @param {{pixels: Uint32Array, wide: number, high: number}} image
 * @param {number} radius
 */
function paint({ x, y, colour, order }, view, { pixels, wide, high }, radius) {
    const [sx, sy] = [wide / (view[1] - view[0]), high / (view[3] - view[2])];
    const halves = Array.from({ length: 2 * radius + 1 }, (_, i) => Math.round(Math.sqrt((radius + 0.36) ** 2 - (i - radius) ** 2))); // nearly round
    pixels.fill(0);
    for (let k = 0; k < order.length; k++) {
        const i = order[k];
        const px = Math.floor((x[i] - view[0]) * sx);
        const py = Math.floor((view[3] - y[i]) * sy);
        if (px < radius || py < radius || px >= wide - radius || py >= high - radius) {
            continue;
        }
        for (let dy = -radius; dy <= radius; dy++) {
            const half = halves[dy + radius];
            const from = (py + dy) * wide + px;
            for (let dx = -half; dx <= half; dx++) {
                pixels[from + dx] = colour[i];
            }
        }
    }
}

/**
 * The points of each cell of the picture, one cell after the other.
 * @param {Points} points
 * @param {View} view
 * @param {number} wide
 * @param {number} high
 */
function gridOf({ x, y, order }, view, wide, high) {
    const columns = Math.ceil(wide / CELL);
    const rows = Math.ceil(high / CELL);
    const [sx, sy] = [wide / (view[1] - view[0]), high / (view[3] - view[2])];
    const cell = (/** @type {number} */ i) => {
        const [c, r] = [Math.floor((x[i] - view[0]) * sx / CELL), Math.floor((view[3] - y[i]) * sy / CELL)];
        return c >= 0 && r >= 0 && c < columns && r < rows ? r * columns + c : -1;
    };
    const start = new Int32Array(columns * rows + 1);
    const cells = new Int32Array(order.length);
    for (let k = 0; k < order.length; k++) {
        cells[k] = cell(order[k]);
        start[cells[k] + 1] += cells[k] < 0 ? 0 : 1;
    }
    for (let c = 0; c < columns * rows; c++) {
        start[c + 1] += start[c];
    }
    const filled = start.slice();
    const inside = new Int32Array(start[columns * rows]);
    for (let k = 0; k < order.length; k++) {
        if (cells[k] >= 0) {
            inside[filled[cells[k]]++] = order[k];
        }
    }
    return { columns, rows, start, inside };
}

/**
 * @param {Asked} asked
 */
export function cloud(asked) {
    const [base, over] = ["canvas", "canvas"].map((name) => /** @type {HTMLCanvasElement} */ (h(name, { "aria-hidden": "true" })));
    const box = h("div", { class: `cloud ${asked.ratio}`, tabindex: "0", role: "group", "aria-label": asked.label }, base, over);
    const pen = /** @type {CanvasRenderingContext2D} */ (base.getContext("2d"));
    const ink = /** @type {CanvasRenderingContext2D} */ (over.getContext("2d"));
    /** @type {Points | null} */
    let points = null;
    /** @type {View} */
    let whole = [0, 1, 0, 1];
    /** @type {View} */
    let view = whole;
    /** @type {ReturnType<typeof gridOf> | null} */
    let grid = null;
    /** @type {ImageData | null} */
    let image = null;
    let here = -1;
    /** @type {number[] | null} */
    let corner = null;
    /** @type {number[] | null} */
    let drawn = null;
    const at = (/** @type {number} */ x, /** @type {number} */ y) => /** @type {[number, number]} */ (
        [(x - view[0]) / (view[1] - view[0]) * over.width, (view[3] - y) / (view[3] - view[2]) * over.height]);
    const back = (/** @type {number} */ px, /** @type {number} */ py) => [view[0] + px / over.width * (view[1] - view[0]), view[3] - py / over.height * (view[3] - view[2])];

    /** Words that are read over points, too.
     * @param {string} words @param {number} x @param {number} y @param {CanvasTextAlign} align */
    function write(words, x, y, align) {
        ink.textAlign = align;
        ink.strokeText(words, x, y);
        ink.fillText(words, x, y);
        ink.textAlign = "start";
    }

    /** Numbers at the edges, and what they are of. */
    function ticks() {
        const [size, style] = [11 * devicePixelRatio, getComputedStyle(box)];
        ink.fillStyle = style.color;
        ink.strokeStyle = style.getPropertyValue("--page");
        ink.lineWidth = 3 * devicePixelRatio;
        ink.font = `${size}px system-ui, sans-serif`;
        const inside = (/** @type {number} */ x, /** @type {number} */ most) => x > 3 * size && x < most - 3 * size;
        for (const x of scaleLinear().domain(view.slice(0, 2)).ticks(5)) {
            const [px] = at(x, 0);
            if (inside(px, over.width)) {
                write(brief(x), px, over.height - 3, "center");
            }
        }
        for (const y of scaleLinear().domain(view.slice(2)).ticks(5)) {
            const [, py] = at(0, y);
            if (inside(py, over.height)) {
                write(brief(y), 3, py + 0.35 * size, "left");
            }
        }
        ink.font = `bold ${size}px system-ui, sans-serif`;
        write(asked.axes[0], over.width - 4, over.height - 3 - 1.3 * size, "right");
        write(asked.axes[1], 3, 1.2 * size, "left");
    }

    function drawOver() {
        if (points === null) {
            return;
        }
        ink.clearRect(0, 0, over.width, over.height);
        ticks();
        asked.marks(ink, at);
        if (here >= 0 && here < points.x.length) {
            const [x, y] = at(points.x[here], points.y[here]);
            ink.lineWidth = 3 * devicePixelRatio;
            ink.strokeStyle = getComputedStyle(box).color;
            ink.beginPath();
            ink.arc(x, y, 8 * devicePixelRatio, 0, 7);
            ink.stroke();
        }
        if (drawn) {
            ink.lineWidth = 1.5 * devicePixelRatio;
            ink.strokeStyle = getComputedStyle(box).color;
            ink.strokeRect(drawn[0], drawn[1], drawn[2] - drawn[0], drawn[3] - drawn[1]);
        }
    }

    function draw() {
        if (points === null || base.width === 0 || base.height === 0) {
            return;
        }
        const from = performance.now();
        if (image === null || image.width !== base.width || image.height !== base.height) {
            image = pen.createImageData(base.width, base.height);
        }
        const n = points.order.length;
        paint(points, view, { pixels: new Uint32Array(image.data.buffer), wide: base.width, high: base.height }, Math.round((n > 20000 ? 1 : n > 1500 ? 2 : 3) * devicePixelRatio));
        pen.putImageData(image, 0, 0);
        drawOver();
        box.dataset.frame = (performance.now() - from).toFixed(2);
    }

    /** @param {View} next */
    function look(next) {
        view = next;
        grid = null;
        draw();
        asked.seen?.(next === whole ? null : next);
    }

    /** The point nearest to a place of the picture.
     * @param {number} px @param {number} py */
    function nearest(px, py) {
        if (points === null) {
            return -1;
        }
        grid ??= gridOf(points, view, over.width, over.height);
        const near = NEAR * devicePixelRatio;
        const reach = Math.ceil(near / CELL);
        const [column, row] = [Math.floor(px / CELL), Math.floor(py / CELL)];
        let [best, least] = [-1, near * near];
        for (let r = Math.max(0, row - reach); r <= Math.min(grid.rows - 1, row + reach); r++) {
            for (let c = Math.max(0, column - reach); c <= Math.min(grid.columns - 1, column + reach); c++) {
                for (let k = grid.start[r * grid.columns + c]; k < grid.start[r * grid.columns + c + 1]; k++) {
                    const i = grid.inside[k];
                    const [x, y] = at(points.x[i], points.y[i]);
                    const far = (x - px) ** 2 + (y - py) ** 2;
                    [best, least] = far <= least ? [i, far] : [best, least];
                }
            }
        }
        return best;
    }

    /** @param {number} i */
    function hover(i) {
        if (i !== here) {
            here = i;
            drawOver();
            asked.hover(i);
        }
    }

    /** The nearest point that lies in a direction.
     * @param {number} dx @param {number} dy */
    function step(dx, dy) {
        if (points === null) {
            return;
        }
        const [px, py] = here >= 0 ? at(points.x[here], points.y[here]) : [over.width / 2, over.height / 2];
        let [best, least] = [-1, Infinity];
        for (let i = 0; i < points.x.length; i++) {
            const [x, y] = at(points.x[i], points.y[i]);
            const along = (x - px) * dx + (y - py) * dy;
            const aside = Math.abs((x - px) * dy - (y - py) * dx);
            if (along > 0.5 && aside <= 2 * along && x >= 0 && y >= 0 && x < over.width && y < over.height && along + 2 * aside < least) {
                [best, least] = [i, along + 2 * aside];
            }
        }
        if (best >= 0) {
            hover(best);
        }
    }

    const zoom = (/** @type {number} */ by, cx = (view[0] + view[1]) / 2, cy = (view[2] + view[3]) / 2) => look(scaled(view, by, cx, cy));

    /** One corner of a brush, or, if there is one, the other. */
    function corners() {
        if (points && here >= 0) {
            const now = [points.x[here], points.y[here]];
            if (corner) {
                asked.brush([Math.min(corner[0], now[0]), Math.max(corner[0], now[0]), Math.min(corner[1], now[1]), Math.max(corner[1], now[1])]);
            }
            corner = corner ? null : now;
        }
    }

    const keys = /** @type {Record<string, () => void>} */ ({ ArrowLeft: () => step(-1, 0), ArrowRight: () => step(1, 0), ArrowUp: () => step(0, -1), ArrowDown: () => step(0, 1),
        Enter: () => here >= 0 && asked.pick(here), "+": () => zoom(0.5), "-": () => zoom(2), "0": () => look(whole), b: corners });
    box.addEventListener("keydown", (event) => {
        const does = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
        if (does) {
            does();
            event.preventDefault();
            event.stopPropagation();
        }
    });
    const place = (/** @type {PointerEvent | WheelEvent} */ event) => {
        const where = over.getBoundingClientRect();
        return [(event.clientX - where.left) * over.width / where.width, (event.clientY - where.top) * over.height / where.height];
    };
    over.addEventListener("pointerdown", (event) => {
        drawn = [...place(event), ...place(event)];
        over.setPointerCapture(event.pointerId);
    });
    over.addEventListener("pointermove", (event) => {
        const [px, py] = place(event);
        if (drawn) {
            drawn = [drawn[0], drawn[1], px, py];
            drawOver();
        } else {
            hover(nearest(px, py));
        }
    });
    over.addEventListener("pointerup", () => {
        const [x0, y0, x1, y1] = drawn ?? [0, 0, 0, 0];
        drawn = null;
        if (Math.hypot(x1 - x0, y1 - y0) < 4 * devicePixelRatio) {
            const i = nearest(x1, y1);
            if (i >= 0) {
                hover(i);
                asked.pick(i);
            }
        } else {
            const [a, b] = [back(x0, y0), back(x1, y1)];
            asked.brush([Math.min(a[0], b[0]), Math.max(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[1], b[1])]);
        }
        drawOver();
    });
    over.addEventListener("pointercancel", () => { drawn = null; });
    over.addEventListener("wheel", (event) => {
        if (event.ctrlKey) { // else the page scrolls
            event.preventDefault();
            const [x, y] = back(...(/** @type {[number, number]} */ (place(event))));
            zoom(event.deltaY > 0 ? 1.25 : 0.8, x, y);
        }
    }, { passive: false });
    new ResizeObserver(() => {
        for (const one of [base, over]) {
            one.width = Math.round(box.clientWidth * devicePixelRatio);
            one.height = Math.round(box.clientHeight * devicePixelRatio);
        }
        grid = null;
        draw();
    }).observe(box);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);

    return {
        box,
        tools: h("div", { class: "tools" }, button("+", () => zoom(0.5), { "aria-label": `closer: ${asked.label}` }), button("−", () => zoom(2), { "aria-label": `farther: ${asked.label}` }),
            button("whole", () => look(whole)), button("PNG", () => saveLayers("policies", [base, over]), { "aria-label": `save as PNG: ${asked.label}` })),
        /** @param {Points} next @param {View | null} [seen] */
        show(next, seen = null) {
            points = next;
            whole = wholeOf(next);
            view = seen ?? whole;
            [grid, here, corner] = [null, -1, null];
            draw();
        },
        /** @param {Uint32Array} colour @param {Int32Array} order */
        recolour(colour, order) {
            points = points && { ...points, colour, order };
            grid = null;
            draw();
        },
        look,
        drawOver,
        /** Marks a point that another picture hovers.
         * @param {number} i */
        follow(i) {
            here = i;
            drawOver();
        },
    };
}
