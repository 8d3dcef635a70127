/* engine_run.js: runs commands in the engine, where that is: in a worker of the page, or in node. */

/* the lists of numbers that bridge_numbers hands out, in its order */
const LISTS = /** @type {[string, "HEAPF64" | "HEAP32"][]} */ ([
    ["xy", "HEAPF64"], ["weight", "HEAP32"], ["first", "HEAP32"], ["rowOf", "HEAP32"], ["efe", "HEAPF64"],
    ["action", "HEAP32"], ["cluster", "HEAP32"], ["representative", "HEAP32"], ["share", "HEAPF64"]]);

/* where files are put */
const FILES = "/files";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * @param {(options: object) => Promise<any>} make what emscripten wrote
 * @param {ArrayBuffer | Uint8Array} wasm
 */
export async function openEngine(make, wasm) {
    const engine = await make({ wasmBinary: wasm });
    // apart from the folders that the system has of its own
    engine.FS.mkdir(FILES);
    engine.FS.chdir(FILES);

    /**
     * Words as a C program takes them; whoever asks frees them.
     * @param {string[]} words
     */
    function copyWords(words) {
        const list = engine._malloc(4 * (words.length + 1));
        words.forEach((word, i) => {
            const bytes = encoder.encode(word);
            const at = engine._malloc(bytes.length + 1);
            engine.HEAPU8.set(bytes, at);
            engine.HEAPU8[at + bytes.length] = 0;
            engine.HEAPU32[list / 4 + i] = at;
        });
        engine.HEAPU32[list / 4 + words.length] = 0;
        return list;
    }

    /**
     * @param {number} list
     * @param {number} n
     */
    function freeWords(list, n) {
        for (let i = 0; i < n; i++) {
            engine._free(engine.HEAPU32[list / 4 + i]);
        }
        engine._free(list);
    }

    /** @param {number} at */
    function textAt(at) {
        const end = engine.HEAPU8.indexOf(0, at);
        return decoder.decode(engine.HEAPU8.subarray(at, end));
    }

    /** Standard output and standard error become new files. */
    function catchOutput() {
        for (const [number, path] of /** @type {[number, string][]} */ ([[1, "/.out"], [2, "/.err"]])) {
            engine.FS.close(engine.FS.getStream(number));
            engine.FS.open(path, "w+");
        }
    }

    /** @param {Record<string, string | Uint8Array> | undefined} files */
    function put(files) {
        if (Object.keys(files ?? {}).length > 0) {
            engine._bridge_changed();
        }
        for (const [name, data] of Object.entries(files ?? {})) {
            const folder = name.replace(/[^/]*$/, "");
            if (folder !== "") {
                engine.FS.mkdirTree(`${FILES}/${folder}`);
            }
            engine.FS.writeFile(name, data);
        }
    }

    /**
     * @param {(argc: number, argv: number) => number} call
     * @param {string[]} words
     * @returns {Ran}
     */
    function call(call, words) {
        catchOutput();
        const list = copyWords(words);
        const status = call(words.length, list);
        freeWords(list, words.length);
        return { status, out: engine.FS.readFile("/.out", { encoding: "utf8" }),
            err: engine.FS.readFile("/.err", { encoding: "utf8" }) };
    }

    return {
        /** @param {{words: string[], files?: Record<string, string | Uint8Array>, read?: string[]}} request */
        run(request) {
            put(request.files);
            const ran = call(engine._bridge_run, ["sonde", ...request.words]);
            const there = (request.read ?? []).filter((name) => engine.FS.analyzePath(name).exists);
            ran.files = Object.fromEntries(there.map((name) => [name, engine.FS.readFile(name, { encoding: "utf8" })]));
            return ran;
        },

        /** @param {{words: string[], files?: Record<string, string | Uint8Array>}} request */
        map(request) {
            put(request.files);
            const ran = call(engine._bridge_map, request.words);
            return ran.status === 0 ? { ...ran, map: numbers() } : ran;
        },

        /** @param {{policy: number}} request */
        policy: ({ policy }) => JSON.parse(textAt(engine._bridge_policy(policy))),

        /** @param {{policy: number, n: number}} request */
        nearest: ({ policy, n }) => JSON.parse(textAt(engine._bridge_nearest(policy, n))),

        /** @param {{file: string, files?: Record<string, string | Uint8Array>}} request */
        layout(request) {
            put(request.files);
            const [path, at] = [copyWords([request.file]), engine._malloc(4)];
            const n = engine._bridge_layout(engine.HEAPU32[path / 4], at);
            const place = engine.HEAPU32[at / 4];
            const found = n > 0 ? engine.HEAPF64.slice(place / 8, place / 8 + 2 * n) : null;
            engine._free(place);
            engine._free(at);
            freeWords(path, 1);
            return found;
        },
    };

    /** Copies of the map's numbers, and what its first actions are called. */
    function numbers() {
        const size = engine._malloc(4);
        const map = /** @type {any} */ ({});
        LISTS.forEach(([name, heap], list) => {
            const at = engine._bridge_numbers(list, size);
            const n = engine.HEAP32[size / 4];
            const from = at / engine[heap].BYTES_PER_ELEMENT;
            map[name] = engine[heap].slice(from, from + n);
        });
        engine._free(size);
        map.actions = Object.fromEntries(Array.from(new Set(map.action), (action) =>
            [action, textAt(engine._bridge_action(action))]));
        return map;
    }
}
