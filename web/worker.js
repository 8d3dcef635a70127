/* worker.js: the engine beside the page. It takes one request at a time and answers each once; see
 * engine.js for what they are. The first message brings the engine itself, packed. */
import makeEngine from "engine";
import { openEngine } from "./engine_run.js";
import { unpack } from "./packed.js";

/** @param {any} answer */
function buffersOf(answer) {
    const lists = answer?.map ? Object.values(answer.map) : [answer];
    return lists.filter((list) => ArrayBuffer.isView(list)).map((list) => /** @type {any} */ (list).buffer);
}

/** @type {Promise<any> | undefined} */
let engine;
addEventListener("message", async ({ data }) => {
    if (engine === undefined) {
        engine = unpack(data.engine).arrayBuffer().then((wasm) => openEngine(makeEngine, wasm));
        return;
    }
    const post = /** @type {any} */ (globalThis).postMessage;
    try {
        const answer = (await engine)[data.call](data);
        post({ id: data.id, answer }, buffersOf(answer));
    } catch (error) {
        post({ id: data.id, broken: String(error) });
    }
});
