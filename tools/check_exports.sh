#!/usr/bin/env bash
# The names the libraries give away are those their headers promise.
#
#   tools/check_exports.sh BUILD
#
# The functions that libsonde.so exports are the functions of sonde.h and of the headers beside it
# (sonde_make.h, ...), no more and no fewer, and each is declared in one header alone; those of
# libsonde_lab.a that are for everybody are the functions of sonde_lab.h and sonde_fit.h. Whatever is global in
# libsonde.a or libsonde_lab.a starts with sonde_ (sonde__ between our own files), so that no program
# that links it finds one of its names taken.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:?usage: tools/check_exports.sh BUILD}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# declarations HEADER: without comments and macros, one on a line, without types of functions
declarations() {
    gcc -E -P "include/$1" | tr '\n' ' ' | tr ';' '\n' | grep -vE '^ *typedef'
}
for header in include/*.h; do # each includes sonde.h
    case $header in
        include/sonde_lab.h | include/sonde_fit.h) ;;
        *) declarations "${header#include/}" ;;
    esac
done >"$work/header"

# the name in a declaration is the first sonde_ word with a parenthesis on its heels
names() {
    awk 'match($0, /sonde_[a-z0-9_]+\(/) { print substr($0, RSTART, RLENGTH - 1) }' | sort
}
marked='visibility("default")'
grep -F "$marked" "$work/header" | names | uniq >"$work/promised"
grep -vF "$marked" "$work/header" | names | uniq >"$work/unmarked"
nm -D --defined-only "$build/libsonde.so" | awk '{ print $3 }' | sort >"$work/exported"
for name in sonde sonde_lab; do
    nm -g --defined-only "$build/lib$name.a" | awk 'NF == 3 { print $3 }' | sort >"$work/$name.a"
done
for header in sonde_lab.h sonde_fit.h; do
    declarations "$header"
done | names | uniq | comm -23 - "$work/promised" >"$work/lab_promised"
grep -vE '^sonde__' "$work/sonde_lab.a" >"$work/lab_given"

# as they are written, without what a header includes
grep -hoE '^SONDE_API .*' include/*.h | names | uniq -d >"$work/twice"

failed=0
# complain SENTENCE: fails with it if there are names on standard input
complain() {
    sed "s/^/$1: /" >"$work/complaint"
    if [ -s "$work/complaint" ]; then
        cat "$work/complaint"
        failed=1
    fi
}
complain "in two headers" <"$work/twice"
complain "in sonde.h without SONDE_API" <"$work/unmarked"
complain "in sonde.h but not in libsonde.so" < <(comm -23 "$work/promised" "$work/exported")
complain "in libsonde.so but not in sonde.h" < <(comm -13 "$work/promised" "$work/exported")
complain "in libsonde.so, does not start with sonde_" < <(grep -vE '^sonde_' "$work/exported")
for name in sonde sonde_lab; do
    complain "in lib$name.a, does not start with sonde_" < <(grep -vE '^sonde_' "$work/$name.a")
done
# one object of the laboratory knows SQLite; everything else builds where there is none
nm -A -u "$build/libsonde_lab.a" | awk -F: '/sqlite3_/ { print $2 }' | sort -u >"$work/sqlite"
complain "in libsonde_lab.a, uses SQLite" < <(grep -vx 'study_sqlite.c.o' "$work/sqlite")
[ -s "$work/sqlite" ] || { echo "nothing in libsonde_lab.a uses SQLite: is this still checked?" && failed=1; }
complain "in libsonde.a, uses SQLite" < <(nm -u "$build/libsonde.a" | grep -o 'sqlite3_.*' | sort -u)
complain "in sonde_lab.h but not in libsonde_lab.a" < <(comm -23 "$work/lab_promised" "$work/lab_given")
complain "in libsonde_lab.a but not in sonde_lab.h" < <(comm -13 "$work/lab_promised" "$work/lab_given")
[ -s "$work/promised" ] || { echo "no SONDE_API function found in sonde.h" && failed=1; }
[ -s "$work/lab_promised" ] || { echo "no function found in sonde_lab.h" && failed=1; }
[ $failed -ne 0 ] || echo "$(wc -l <"$work/promised") functions promised and exported," \
    "$(wc -l <"$work/lab_promised") of the laboratory"
exit $failed
