/* share.js: taking things away: pictures, tables, commands and the citation. */
import palette from "./palette.json";
import { button, h } from "./dom.js";

/**
 * @param {string} name
 * @param {Blob} blob
 */
function save(name, blob) {
    const link = /** @type {HTMLAnchorElement} */ (h("a", { download: name }));
    link.href = URL.createObjectURL(blob);
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/**
 * A text as a file.
 * @param {string} name
 * @param {string} text
 * @param {string} [type]
 */
export function saveText(name, text, type = "text/plain") {
    save(name, new Blob([text], { type: `${type};charset=utf-8` }));
}

/**
 * A picture that stands on its own: on white, whatever the page's colours are.
 * @param {SVGElement} svg
 */
export function standalone(svg) {
    const copy = /** @type {SVGElement} */ (svg.cloneNode(true));
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("color", palette.ink);
    copy.setAttribute("font-family", "Helvetica, Arial, 'DejaVu Sans', sans-serif");
    for (const part of copy.querySelectorAll("[fill^='var('], [stroke^='var(']")) { // the page's colours have no names elsewhere
        for (const key of ["fill", "stroke"]) {
            const [, fallback] = part.getAttribute(key)?.match(/^var\([^,]*,\s*(.*)\)$/) ?? [];
            if (fallback) {
                part.setAttribute(key, fallback);
            }
        }
    }
    copy.querySelectorAll("[class]").forEach((part) => part.removeAttribute("class"));
    copy.removeAttribute("class");
    return new XMLSerializer().serializeToString(copy);
}

/**
 * @param {string} name
 * @param {SVGElement} svg
 */
export function saveSvg(name, svg) {
    saveText(`${name}.svg`, standalone(svg), "image/svg+xml");
}

/**
 * @param {string} name
 * @param {SVGElement} svg
 */
export function savePng(name, svg) {
    const box = (svg.getAttribute("viewBox") ?? "0 0 300 150").split(" ").map(Number);
    const canvas = /** @type {HTMLCanvasElement} */ (h("canvas", { width: 2 * box[2], height: 2 * box[3] }));
    const image = new Image();
    image.onload = () => {
        const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
        pen.fillStyle = "#ffffff";
        pen.fillRect(0, 0, canvas.width, canvas.height);
        pen.drawImage(image, 0, 0, canvas.width, canvas.height);
        canvas.toBlob((blob) => blob && save(`${name}.png`, blob));
    };
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standalone(svg))}`;
}

/**
 * Canvases that lie on each other, as one picture.
 * @param {string} name
 * @param {HTMLCanvasElement[]} layers
 */
export function saveLayers(name, layers) {
    const canvas = /** @type {HTMLCanvasElement} */ (h("canvas", { width: layers[0].width, height: layers[0].height }));
    const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    pen.fillStyle = getComputedStyle(document.body).backgroundColor;
    pen.fillRect(0, 0, canvas.width, canvas.height);
    layers.forEach((layer) => pen.drawImage(layer, 0, 0));
    canvas.toBlob((blob) => blob && save(`${name}.png`, blob));
}

/**
 * What a spreadsheet would take for a formula is led in by an apostrophe; marks of words from right to left stay here.
 * @param {any} value
 */
function field(value) {
    if (value === null || value === undefined) {
        return "";
    }
    const words = typeof value === "number" ? String(value) : String(value).replace(/[\u2068\u2069]/g, "").replace(/^(?=[=+\-@\t\r])/, "'");
    return /[",\n]/.test(words) ? `"${words.replace(/"/g, '""')}"` : words;
}

/**
 * @param {any[][]} rows
 */
export const csv = (rows) => rows.map((row) => row.map(field).join(",")).join("\n") + "\n";

/**
 * Puts a text where it can be pasted, and says so.
 * @param {string} text
 * @param {HTMLElement} said
 */
async function copy(text, said) {
    try {
        await navigator.clipboard.writeText(text);
        said.textContent = "copied";
    } catch {
        said.textContent = "select and copy it";
    }
}

/**
 * A word as a shell takes it.
 * @param {string} word
 */
export const quoted = (word) => (/^[A-Za-z0-9_./+,:-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`);

/**
 * A command as it is typed.
 * @param {string[]} words
 */
export const typed = (words) => ["sonde", ...words].map(quoted).join(" ");

/**
 * A text to take away, with a button that copies it.
 * @param {string} text
 * @param {string} label
 */
export function taken(text, label) {
    const said = h("span", { role: "status", class: "said" });
    return h("div", { class: "taken" },
        h("pre", { tabindex: "0", "aria-label": label }, h("code", {}, ...text.split(/(--[^\s]+)/).map((part, i) => (i % 2 === 1 ? h("span", {}, part) : part)))),
        button("Copy", () => copy(text, said), { "aria-label": `Copy: ${label}` }), said);
}

export const CITATION = `@software{sonde,
  title = {Sonde: policy search for discrete active inference},
  author = {{The Sonde authors}},
  license = {MIT}
}`;
