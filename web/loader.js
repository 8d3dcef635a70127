/* loader.js: the one script that stands in the page as it is. It unpacks the others, main.js with all
 * that it imports, and runs them; the page's policy allows that text and no other. */
import { unpack } from "./packed.js";

async function load() {
    const script = document.createElement("script");
    script.textContent = await unpack(document.getElementById("script")?.textContent ?? "").text();
    document.body.append(script);
}

if (typeof DecompressionStream === "undefined") {
    document.body.append("This page needs a browser of 2023 or later.");
} else {
    load();
}
