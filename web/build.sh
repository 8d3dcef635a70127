#!/usr/bin/env bash
# Builds the page: one HTML file with its script, its style sheet and the parts of d3 that it uses.
#
#   web/build.sh FILE [FOLDER]
#
# It takes Debian's esbuild and node-d3. FOLDER has engine.js and engine.wasm, which web/CMakeLists.txt
# makes: the library goes into the page, then, which takes Python. The same sources give the same bytes.
set -euo pipefail
target=$(realpath -m "${1:?usage: web/build.sh FILE [FOLDER]}")
engine=${2:+$(realpath "$2")}
cd "$(dirname "$0")"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

export NODE_PATH=/usr/share/nodejs
bundle=(esbuild --bundle --minify --charset=utf8 --legal-comments=none --log-level=warning)
script=(--format=iife --target=es2020)
"${bundle[@]}" "${script[@]}" main.js >"$work/script"
"${bundle[@]}" "${script[@]}" loader.js >"$work/loader"
"${bundle[@]}" style.css >"$work/style"
: >"$work/worker"
: >"$work/engine"

# packed FILE: in few letters, as packed.js takes it
packed() {
    gzip -9n <"$1" | od -An -v -tu1 -w4 | LC_ALL=C awk '
        BEGIN { for (d = 0; d < 85; d++) letter[d] = sprintf("%c", 40 + d); letter[20] = "}" }
        {
            word = 0; for (i = 1; i <= 4; i++) word = 256 * word + (i <= NF ? $i : 0)
            five = ""; for (i = 0; i < 5; i++) { five = letter[word % 85] five; word = int(word / 85) }
            printf "%s", substr(five, 1, NF + 1)
        }'
}

if [ -n "$engine" ]; then
    NODE_PATH=$NODE_PATH:$engine "${bundle[@]}" "${script[@]}" --external:fs --external:path worker.js >"$work/plain"
    packed "$work/plain" >"$work/worker"
    packed "$engine/engine.wasm" >"$work/engine"
fi

# trimmed FILE: what esbuild wrote, without the end of its last line; no tag can end in it
trimmed() {
    printf '%s' "$(sed 's#</script#<\\/script#g' "$1")"
}

# hash: the word by which a Content-Security-Policy allows the text on standard input and no other
hash() {
    local bytes
    bytes=$(sha256sum | cut -c 1-64 | sed 's/../\\x&/g')
    printf 'sha256-%s' "$(printf '%b' "$bytes" | base64)"
}

mkdir -p "$(dirname "$target")"
while IFS= read -r line || [ -n "$line" ]; do
    case "$line" in
    '<style>@STYLE@</style>') printf '<style>%s</style>\n' "$(trimmed "$work/style")" ;;
    '<script>@LOADER@</script>') printf '<script>%s</script>\n' "$(trimmed "$work/loader")" ;;
    *@SCRIPT@*) printf '%s%s%s\n' "${line%@SCRIPT@*}" "$(packed "$work/script")" "${line#*@SCRIPT@}" ;;
    *@WORKER@*) printf '%s%s%s\n' "${line%@WORKER@*}" "$(cat "$work/worker")" "${line#*@WORKER@}" ;;
    *@ENGINE@*) printf '%s%s%s\n' "${line%@ENGINE@*}" "$(cat "$work/engine")" "${line#*@ENGINE@}" ;;
    '@NOTICE@') cat NOTICE ;;
    *SCRIPT_HASH*)
        line=${line/@LOADER_HASH@/$(trimmed "$work/loader" | hash)}
        line=${line/@SCRIPT_HASH@/$(hash <"$work/script")}
        printf '%s\n' "${line/@STYLE_HASH@/$(trimmed "$work/style" | hash)}"
        ;;
    *) printf '%s\n' "$line" ;;
    esac
done <page.html >"$target.draft"
mv "$target.draft" "$target"
