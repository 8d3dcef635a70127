/* packed.js: what the page has inside it in few bytes: gzip, as base64. */

/**
 * @param {string} text
 * @returns {Response} what was packed, as bytes or as text
 */
export function unpack(text) {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
}
