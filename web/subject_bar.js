/* subject_bar.js: where one chooses what the screens look at: a file, an example, a world that is drawn,
 * arrays that are pasted. */
import { button, choice, h } from "./dom.js";
import * as engine from "./engine.js";
import * as state from "./state.js";
import * as subject from "./subject.js";
import { plural } from "./words.js";

/** @param {File | undefined} file */
async function take(file) {
    if (file && engine.here()) {
        await subject.learnOptions();
        await subject.loadFile(file.name, new Uint8Array(await file.arrayBuffer()));
        if (document.querySelector("header.subject") === null) {
            state.set({ screen: "world" }); // results have no place for it
        }
    }
}

/** A text to paste a document or pymdp's arrays into. */
function pasteDialog() {
    const text = /** @type {HTMLTextAreaElement} */ (h("textarea", { rows: 14, "aria-label": "A document, or pymdp’s arrays as JSON", spellcheck: "false",
        placeholder: "{\"A\": […], \"B\": […], \"C\": […], \"D\": […]}" }));
    const problem = h("p", { class: "note", role: "alert", hidden: true });
    const dialog = /** @type {HTMLDialogElement} */ (h("dialog", { "aria-label": "Paste a world or a model" },
        h("h2", {}, "Paste a world, a model, or pymdp’s arrays as JSON"), text, problem,
        h("div", { class: "tools" }, button("Look at it", async () => {
            if (await subject.load("pasted.json", text.value)) {
                dialog.close();
            } else {
                problem.hidden = false;
                problem.textContent = lineOf();
            }
        }), button("Close", () => dialog.close()))));
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
}

/** One line on what is looked at. */
function lineOf() {
    const { file, graph, document: about, error } = subject.current();
    if (error !== null || subject.refused() !== "") {
        return subject.refused() || error;
    }
    if (about === null) {
        return "starting…";
    }
    return graph ? `${file}: ${plural(graph.nodes, "node")}, horizon ${graph.horizon}, ${plural(about.policies?.local ?? 0, "policy", "policies")} from the start`
        : `${about.names?.model ?? file}: ${plural(about.factors.length, "factor")}, ${plural(about.modalities.length, "modality", "modalities")}, horizon ${about.horizon}`;
}

export function subjectBar() {
    const input = /** @type {HTMLInputElement} */ (h("input", { type: "file", "aria-label": "A world, a model or an .npz file", accept: ".json,.gz,.npz,.pomdp,.pomdpx",
        onchange: () => take(input.files?.[0]) }));
    const size = /** @type {HTMLInputElement} */ (h("input", { type: "number", min: 2, max: 2000, value: 6, "aria-label": "nodes to draw" }));
    const seed = /** @type {HTMLInputElement} */ (h("input", { type: "number", min: 1, value: 30, "aria-label": "seed of the drawing" }));
    const draw = () => subject.draw(`${size.value}.${seed.value}`);
    const said = h("p", { class: "small", role: "status", id: "subject" });
    const working = h("p", { class: "note", role: "status", id: "working", hidden: true }, "working… ", button("stop", engine.stop));
    engine.working((busy) => { working.hidden = !busy || subject.current().file === ""; }); // what starts is not stopped
    const follow = () => {
        said.textContent = lineOf();
        said.classList.toggle("note", subject.current().error !== null || subject.refused() !== "");
        [size.value, seed.value] = (state.get("drawn") || `${size.value}.${seed.value}`).split(".");
    };
    follow();
    subject.changed(follow);
    return h("header", { class: "subject" }, h("div", { class: "controls" },
        h("label", { class: "choice" }, "file ", input), button("paste…", pasteDialog),
        choice("example", state.get("example"), [["", "…"], ...Object.keys(subject.EXAMPLES)], (name) => {
            if (name !== "") {
                subject.load(`${name}.json`, JSON.stringify(subject.EXAMPLES[name]), { example: name });
            }
        }),
        h("span", { class: "choice" }, "draw ", size, " nodes, seed ", seed, " ", button("draw", draw),
            button("⟳", () => { seed.stepUp(); draw(); }, { "aria-label": "draw another world" }))), said, working);
}

addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
    event.preventDefault();
    take(event.dataTransfer?.files[0]);
});
