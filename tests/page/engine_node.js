/* engine_node.js: the engine in node: a request a line on standard input, as engine_run.js takes
 * them, an answer a line on standard output.
 *
 *   node engine_node.mjs FOLDER     FOLDER has engine.wasm */
import { readFileSync } from "fs";
import { createInterface } from "readline";
import makeEngine from "engine";
import { openEngine } from "../../web/engine_run.js";

const engine = /** @type {any} */ (await openEngine(makeEngine, readFileSync(`${process.argv[2]}/engine.wasm`)));
for await (const line of createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    for (const [name, data] of Object.entries(request.packed ?? {})) {
        request.files = { ...request.files, [name]: new Uint8Array(Buffer.from(data, "base64")) };
    }
    process.stdout.write(`${JSON.stringify(engine[request.call](request))}\n`);
}
