#!/usr/bin/env bash
# Programs that were compiled against one version of sonde.h keep working: abidiff (Debian's
# abigail-tools) compares the library with the record of that version.
#
#   tools/check_abi.sh BUILD           BUILD has a libsonde.so with debug information
#   tools/check_abi.sh BUILD --record  takes BUILD's as the record of its version; for a new version
#
# Functions may be added, and nothing else may change. A setting that takes a place of `reserved` is a
# change to look at: where it is the only one, --record takes it in.
set -euo pipefail
cd "$(dirname "$0")/.."

build=$1
series=$(sed -nE 's/^project\(sonde VERSION ([0-9]+\.[0-9]+).*/\1/p' CMakeLists.txt)
record=tests/data/abi/sonde-$series.abi.gz
found=$(mktemp)
before=$(mktemp)
trap 'rm -f "$found" "$before"' EXIT

abidw --headers-dir include --drop-private-types --exported-interfaces-only --no-show-locs \
    --no-corpus-path --no-comp-dir-path "$build/libsonde.so" >"$found"
if [ "${2-}" = --record ]; then
    gzip -9 -n -c "$found" >"$record"
    exit
fi
[ -f "$record" ] || { echo "there is no record of version $series: tools/check_abi.sh BUILD --record" && exit 1; }
gzip -dc "$record" >"$before"
if ! abidiff --no-added-syms "$before" "$found"; then
    echo "programs that were compiled against $series may break: take it back, or raise the version"
    exit 1
fi
echo "nothing that was compiled against $series breaks"
