#!/usr/bin/env bash
# The names the library gives away are those its header promises.
#
#   tools/check_exports.sh BUILD
#
# The functions that libsonde.so exports are the functions of sonde.h, no more and no fewer, and
# whatever is global in libsonde.a starts with sonde_ (sonde__ between our own files), so that no
# program that links it finds one of its names taken.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:?usage: tools/check_exports.sh BUILD}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# the header without comments and macros, one declaration on a line, without types of functions
gcc -E -P include/sonde.h | tr '\n' ' ' | tr ';' '\n' | grep -vE '^ *typedef' >"$work/header"

# the name in a declaration is the first sonde_ word with a parenthesis on its heels
names() {
    awk 'match($0, /sonde_[a-z0-9_]+\(/) { print substr($0, RSTART, RLENGTH - 1) }' | sort
}
marked='visibility("default")'
grep -F "$marked" "$work/header" | names >"$work/promised"
grep -vF "$marked" "$work/header" | names >"$work/unmarked"
nm -D --defined-only "$build/libsonde.so" | awk '{ print $3 }' | sort >"$work/exported"
nm -g --defined-only "$build/libsonde.a" | awk 'NF == 3 { print $3 }' | sort >"$work/global"

failed=0
# complain SENTENCE: fails with it if there are names on standard input
complain() {
    sed "s/^/$1: /" >"$work/complaint"
    if [ -s "$work/complaint" ]; then
        cat "$work/complaint"
        failed=1
    fi
}
complain "in sonde.h without SONDE_API" <"$work/unmarked"
complain "in sonde.h but not in libsonde.so" < <(comm -23 "$work/promised" "$work/exported")
complain "in libsonde.so but not in sonde.h" < <(comm -13 "$work/promised" "$work/exported")
complain "in libsonde.so, does not start with sonde_" < <(grep -vE '^sonde_' "$work/exported")
complain "in libsonde.a, does not start with sonde_" < <(grep -vE '^sonde_' "$work/global")
[ -s "$work/promised" ] || { echo "no SONDE_API function found in sonde.h" && failed=1; }
[ $failed -ne 0 ] || echo "$(wc -l <"$work/promised") functions promised and exported"
exit $failed
