/* packed.js: what the page has inside it in few bytes: gzip, and five letters for four bytes. */

/**
 * A letter is a digit from 0 to 84, counted from "(" on; "}" stands for the 20 that would be "<", so that
 * no tag can begin in it.
 * @param {string} text
 * @returns {Response} what was packed, as bytes or as text
 */
export function unpack(text) {
    const bytes = new Uint8Array(Math.floor((text.length * 4) / 5));
    for (let i = 0, at = 0; i < text.length; i += 5) {
        let word = 0;
        for (let k = i; k < i + 5; k++) { // where letters are missing at the end, so are bytes
            const code = k < text.length ? text.charCodeAt(k) : 124;
            word = word * 85 + (code === 125 ? 20 : code - 40);
        }
        for (let shift = 24; shift >= 0; shift -= 8) {
            bytes[at++] = word >>> shift;
        }
    }
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
}
