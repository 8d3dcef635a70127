/* share_dialog.js: what is looked at, to take away: its address, the command line, Python, the citation. */
import { button, h } from "./dom.js";
import { commandAt, placeAt, unsavedNote } from "./decision_screen.js";
import { CITATION, taken, typed } from "./share.js";
import * as state from "./state.js";
import * as subject from "./subject.js";

/**
 * A value as Python writes it.
 * @param {string} value
 */
const written = (value) => (value.trim() !== "" && Number.isFinite(Number(value)) ? value : JSON.stringify(value));

/**
 * The same in Python.
 * @param {string[]} words verb, file and options, as subject.words has them
 * @param {boolean} graph whether the file is a graph world
 */
export function pythonOf([verb, file, ...options], graph) {
    /** @type {[string, string][]} */
    const given = [];
    options.forEach((word, i) => {
        if (word.startsWith("--")) {
            const value = options[i + 1]?.startsWith("--") === false ? written(options[i + 1]) : "True";
            given.push([word.slice(2).replace(/-/g, "_").replace(/^lambda$/, "lambda_"), value]);
        }
    });
    const replaced = given.filter(([name]) => (graph && /^(start|destination)$/.test(name)) || (verb === "cluster" && /^(horizon|lambda_)$/.test(name)));
    const others = given.filter((one) => !replaced.includes(one)).map(([name, value]) => `, ${name}=${value}`).join("");
    const changes = replaced.map(([name, value]) => `${name}=${name === "start" ? `(${String(JSON.parse(value)).split(",").join(", ")})` : value}`).join(", ");
    const [agent, seen] = ["resume", "observe"].map((name) => given.find(([one]) => one === name)?.[1]);
    if (agent !== undefined) {
        return `import sonde
agent = sonde.Agent(sonde.Model.from_file(${JSON.stringify(file)})${given.filter(([name]) => name !== "resume" && name !== "observe").map(([name, value]) => `, ${name}=${value}`).join("")})
agent.load(${agent})
agent.observe([${(seen ?? "").replace(/"/g, "").replace(/(^|,)-(?=,|$)/g, "$1None")}])
plan = agent.decide()`;
    }
    return `import sonde
world = sonde.${graph ? "Graph" : "Model"}.from_file(${JSON.stringify(file)}${changes ? `, ${changes}` : ""})
${verb === "cluster" ? "clusters" : "plan"} = sonde.${verb}(world${others})`;
}

/** What an address has, and what it has not.
 * @param {string} after the part after # */
function held(after) {
    const { file } = subject.current();
    if (/(^|&)(drawn|example|edges|document)=[^&]/.test(after)) {
        return "The address holds all that was chosen, and the world or model itself. What stands after # fits any page of Sonde.";
    }
    return document.getElementById("file")?.dataset.name === file && !subject.unsaved()
        ? `The address holds all that was chosen. ${file} is too large for it, and is in this page alone.`
        : `The address holds all that was chosen, but not ${file}, which is too large for it: whoever follows it needs that file, too.`;
}

/**
 * @param {string} verb that makes what the screen shows
 * @param {boolean} follows whether it shows later steps of models, too
 */
export async function shareDialog(verb, follows) {
    const at = Number(state.get("step")) > 0 && (follows || subject.current().kind === "graph") ? await placeAt(Number(state.get("step"))) : [];
    const words = subject.words(verb, at);
    const after = await subject.address();
    const address = `${location.protocol === "about:" ? "" : location.href.replace(/#.*/, "")}#${after}`;
    const dialog = /** @type {HTMLDialogElement} */ (h("dialog", { "aria-label": "Share", class: "share" },
        h("div", { class: "bar" }, h("h2", {}, "Share"), button("Close", () => dialog.close())),
        h("h3", {}, "This view"), taken(address, "address"),
        h("p", { class: "small" }, held(after)),
        h("h3", {}, "Command line"), taken(commandAt(typed(words), at), "command line"), unsavedNote(),
        h("h3", {}, "Python"), taken(pythonOf(words, subject.current().kind === "graph"), "Python"),
        h("h3", {}, "Citation"), taken(CITATION, "citation")));
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
}
