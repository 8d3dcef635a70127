/* report.js: what every screen of results is made of: figures that follow what the reader chooses,
 * tables as the library laid them out, and sections with a list of contents. */
import { bar, colourOf, dashOf, drawChart, marker, numbersOf } from "./chart.js";
import { button, h, prose, s } from "./dom.js";
import { CITATION, csv, savePng, saveSvg, saveText, taken } from "./share.js";
import * as state from "./state.js";
import { short } from "./words.js";

/* figures and tables so far */
export const count = { figure: 0, table: 0 };

/* whether the files of a report lie beside the page */
const beside = () => !document.getElementById("study")?.hasAttribute("data-alone");

/** A legend whose entries switch their series on and off. */
function legend(/** @type {Figure} */ figure, /** @type {Set<string>} */ hidden, /** @type {() => void} */ redraw) {
    const entries = new Map(figure.panels.flatMap((panel) => panel.series.filter((one) => one.shape !== "guide" && one.marks.length > 0)
        .map((one) => /** @type {[string, Series]} */ ([one.label, one]))));
    const keys = [...entries.values()].map((one) => {
        const sign = one.shape === "bar" || one.shape === "stack" ? bar(one.colour, one.hollow, 1, 2, 16, 11)
            : one.plain ? s("path", { d: "M0 8H18", stroke: colourOf(one.colour), "stroke-width": 2, "stroke-dasharray": dashOf(one) })
                : s("g", { transform: "translate(9 8)" }, marker(one.colour, one.hollow, one.size));
        const key = button("", () => {
            if (!hidden.delete(one.label)) {
                hidden.add(one.label);
            }
            redraw();
        }, { "aria-pressed": String(!hidden.has(one.label)), "data-series": one.label });
        key.append(s("svg", { viewBox: "0 0 18 16", width: 18, height: 16, "aria-hidden": "true" }, sign), one.label);
        return key;
    });
    if (entries.size > 6) {
        keys.push(button("all", () => { hidden.clear(); redraw(); }),
            button("none", () => { entries.forEach((_, label) => hidden.add(label)); redraw(); }));
    }
    return entries.size > 1 ? h("div", { class: "legend", role: "group", "aria-label": "Series shown" }, ...keys) : null;
}

/**
 * A place for a picture that is drawn as wide as there is room.
 * @param {(width: number) => SVGElement} draw
 */
export function fitting(draw) {
    const place = h("div", { class: "picture" });
    let width = 0;
    const redraw = () => { if (width > 0) { place.replaceChildren(draw(width)); } };
    new ResizeObserver(([entry]) => {
        const now = Math.round(entry.contentRect.width);
        if (now !== width && now > 0) {
            width = now;
            redraw();
        }
    }).observe(place);
    return { place, redraw };
}

/**
 * Buttons that take a picture away.
 * @param {string} name
 * @param {() => SVGElement | null} svg
 * @param {() => any[][]} rows
 * @param {string} python
 */
export function takeAway(name, svg, rows, python) {
    const shown = h("div", {});
    const call = `import sonde.figures as figures\n\nsummary = figures.read("summary.json")\nfigures.${python}.savefig("${name}.pdf")`;
    return h("div", { class: "tools" },
        button("SVG", () => { const picture = svg(); if (picture) { saveSvg(name, picture); } }, { "aria-label": `Save ${name} as SVG` }),
        button("PNG", () => { const picture = svg(); if (picture) { savePng(name, picture); } }, { "aria-label": `Save ${name} as PNG` }),
        button("CSV", () => saveText(`${name}.csv`, csv(rows()), "text/csv"), { "aria-label": `Save ${name} as CSV` }),
        python && beside() && button("Python", () => shown.replaceChildren(shown.childNodes.length > 0 ? "" : taken(call, `Python for ${name}`)),
            { "aria-label": `Python for ${name}` }), shown);
}

/**
 * @param {any[][]} rows
 */
export function plainTable(rows) {
    const words = (/** @type {any} */ v) => (typeof v === "number" ? short(v) : v ?? "");
    return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Numbers" }, h("table", {},
        h("thead", {}, h("tr", {}, ...rows[0].map((v) => h("th", { scope: "col" }, v)))),
        h("tbody", {}, ...rows.slice(1).map((row) => h("tr", {}, ...row.map((v) => h("td", { class: typeof v === "number" ? "" : "w" }, words(v))))))));
}

/**
 * Numbers that are only laid out when somebody asks.
 * @param {() => any[][]} rows
 */
function numbers(rows) {
    const place = h("div", {});
    const details = /** @type {HTMLDetailsElement} */ (h("details", { ontoggle: () => {
        place.replaceChildren(details.open ? plainTable(rows()) : "");
    } }, h("summary", {}, "Numbers"), place));
    return details;
}

/**
 * A figure that follows what the reader chooses.
 * @param {string} id
 * @param {() => Figure | null} make
 * @param {HTMLElement[]} controls
 * @param {(made: Figure) => string} python what draws it there
 * @param {(mark: Mark) => void} [open]
 */
export function figure(id, make, controls, python, open) {
    /** @type {Set<string>} */
    const hidden = new Set();
    const number = ++count.figure;
    let made = /** @type {Figure | null} */ (null);
    const legendPlace = h("div", {});
    const caption = h("figcaption", {});
    const tools = h("div", {});
    const { place, redraw } = fitting((width) => drawChart(/** @type {Figure} */ (made), width, hidden, open));
    const root = h("figure", { id: `figure-${id}` });
    const again = () => {
        made = make();
        root.hidden = made === null || !made.panels.some((panel) => panel.series.some((one) => one.marks.length > 0));
        if (root.hidden || made === null) {
            return;
        }
        const now = made;
        caption.replaceChildren(h("b", {}, `Figure ${number}. ${now.title}.`), " ", now.caption);
        const held = legendPlace.contains(document.activeElement) ? document.activeElement?.textContent : null;
        legendPlace.replaceChildren(legend(now, hidden, () => {
            state.set({ [`off-${id}`]: [...hidden].join("|") });
        }) ?? "");
        if (held !== null) { // who switches series by keyboard stays where they were
            [...legendPlace.querySelectorAll("button")].find((key) => key.textContent === held)?.focus();
        }
        tools.replaceChildren(takeAway(now.name, () => place.querySelector("svg"), () => numbersOf(now), python(now)), numbers(() => numbersOf(now)));
        redraw();
    };
    root.append(...(controls.length > 0 ? [h("div", { class: "controls" }, ...controls)] : []), place, legendPlace, caption, tools);
    state.follow(() => {
        hidden.clear();
        state.get(`off-${id}`).split("|").filter(Boolean).forEach((label) => hidden.add(label));
        again();
    });
    return root;
}

/* ------------------------------------------------------------------------------------ tables -- */

/**
 * What a caption says, without its last sentence if that is of a file that is not there.
 * @param {string} words
 */
const told = (words) => (beside() ? words : words.replace(/ tables\/\w+[.]csv has [^.]*[.]$/, ""));

/**
 * Where the numbers of a table are taken away: the files of the report, or, where there are none, what is on the page.
 * @param {string} name
 * @param {(() => any[][]) | null} rows null: there is another button for them
 */
export const files = (name, rows) => h("span", { class: "files" }, ...(beside()
    ? [h("a", { href: `tables/${name}.csv` }, "CSV"), " ", h("a", { href: `tables/${name}.tex` }, "LaTeX")]
    : rows ? [button("CSV", () => saveText(`${name}.csv`, csv(rows()), "text/csv"), { "aria-label": `Save table ${name} as CSV` })] : []));

/** Words that are a number, as one.
 * @param {string} words */
const numberOf = (words) => (/^[-−]?[0-9][0-9,]*([.][0-9]+)?(e[-−]?[0-9]+)?$/.test(words) ? Number(words.replace(/,/g, "").replace(/−/g, "-")) : words);

/** What a table says, each cell in its columns.
 * @param {Grid} grid */
const wordsOf = (grid) => grid.rows.map((cells) => cells.flatMap((one) => (typeof one === "string" ? [numberOf(one)]
    : [one.small ? `${one.words} ${one.small}` : numberOf(one.words), ...Array(Math.max(1, one.span ?? 1) - 1).fill("")])));

/**
 * A table as the library laid it out.
 * @param {Grid} grid
 * @param {Record<string, string>} captions
 */
export function gridTable(grid, captions) {
    const cell = (/** @type {GridCell} */ given, /** @type {boolean} */ head) => {
        const one = typeof given === "string" ? { words: given } : given;
        return h(head ? "th" : "td", { class: [one.left ? "w" : "", one.apart ? "a" : ""].join(" ").trim() || null,
            colspan: one.span && one.span > 1 ? one.span : null, scope: head ? (one.span ? "colgroup" : "col") : null },
        one.bold ? h("b", {}, one.words) : one.words, one.mark ? h("sup", {}, "†") : null,
        one.small ? h("small", {}, ` ${one.small}`) : null);
    };
    const row = (/** @type {GridCell[]} */ cells, /** @type {boolean} */ head) =>
        h("tr", { class: typeof cells[0] !== "string" && cells[0].rule ? "rule" : null }, ...cells.map((one) => cell(one, head)));
    count.table++;
    return h("figure", { class: "table", id: `table-${grid.name}` },
        h("figcaption", {}, h("b", {}, `Table ${count.table}.`), " ", ...prose(told(captions[grid.name] ?? grid.name)), " ", files(grid.name, () => wordsOf(grid))),
        h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": grid.name.replace(/_/g, " ") }, h("table", {},
            h("thead", {}, ...grid.rows.slice(0, grid.heads).map((cells) => row(cells, true))),
            h("tbody", {}, ...grid.rows.slice(grid.heads).map((cells) => row(cells, false))))));
}

/* ---------------------------------------------------------------------------------- sections -- */

/**
 * Puts sections into a screen, below what stands there, and a list of them above.
 * @param {HTMLElement} main
 * @returns {(id: string, title: string, parts: (Node | null)[]) => void} adds one that has parts
 */
export function sections(main) {
    const contents = h("ol", {});
    main.append(h("nav", { "aria-label": "Contents", class: "contents" }, contents));
    return (id, title, parts) => {
        const there = parts.filter((part) => part !== null);
        if (there.length > 0) {
            contents.append(h("li", {}, h("a", { href: `#${id}`, onclick: (/** @type {Event} */ event) => {
                event.preventDefault(); // the address holds the state
                goTo(id);
            } }, title)));
            main.append(h("section", { id }, h("h2", { tabindex: "-1" }, title), .../** @type {Node[]} */ (there)));
        }
    };
}

/**
 * Shows a section; false if there is none, or something is in front of it.
 * @param {string | undefined} id
 */
export function goTo(id) {
    const target = id && document.getElementById(id);
    if (!target || document.querySelector("dialog[open]")) {
        return false;
    }
    target.scrollIntoView();
    target.querySelector("h2")?.focus();
    return true;
}

/**
 * One of the facts above everything else.
 * @param {string} name
 * @param {string} words
 */
export const fact = (name, words) => h("div", {}, h("dt", {}, name), h("dd", {}, words));

/**
 * A finding in a number.
 * @param {string} number
 * @param {string} words
 */
export const tile = (number, words) => h("div", {}, h("strong", {}, number), ...prose(words));

/**
 * How to do it again, and to cite it.
 * @param {string | undefined} command
 */
export const ending = (command) => h("details", {}, h("summary", {}, command ? "Run it again, cite it" : "Cite it"), command ? taken(command, "command") : null, h("p", {}, "To cite it:"), taken(CITATION, "citation"));

/** What stands at the end of every screen of results. */
export const imprint = () => h("p", { class: "small" }, "This page needs no network and asks none. It was tried in Chromium alone. Drawn with d3, © 2010–2017 Mike Bostock (BSD licence; the notice is in the source of this page).");

/**
 * Means over a window about each place, fewer at the ends.
 * @param {number[]} values
 * @param {number} window
 */
export function running(values, window) {
    const half = Math.floor(window / 2);
    return values.map((_, i) => {
        const part = values.slice(Math.max(0, i - half), i + half + 1).filter(Number.isFinite);
        return part.reduce((a, b) => a + b, 0) / part.length;
    });
}
