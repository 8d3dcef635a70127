#!/usr/bin/env bash
# Builds Debian's packages of Sonde, of a copy of the sources, and lets lintian judge them.
#
#   tools/deb.sh FOLDER
#
# The version is CMakeLists.txt's and the changelog of the packages says where the real one is. It
# needs what tools/packages.sh lists for `deb`. SOURCE_DATE_EPOCH is the date, today's unless given.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(realpath -m "${1:?usage: tools/deb.sh FOLDER}")
version=$(sed -nE 's/^project\(sonde VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
maintainer=$(sed -n 's/^Maintainer: //p' debian/control)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/sonde" "$folder"
tar -c --exclude='./build*' --exclude=./.git --exclude=./python/build --exclude=__pycache__ . |
    tar -x -C "$work/sonde"
cat >"$work/sonde/debian/changelog" <<END
sonde ($version) unstable; urgency=medium

  * The changes are in /usr/share/doc/sonde/changelog.gz.

 -- $maintainer  $(date -u -R -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}")
END
(cd "$work/sonde" && dpkg-buildpackage -b -us -uc -j"$(nproc)")
lintian --fail-on error --no-tag-display-limit "$work"/*.changes
rm -f "$folder"/*.deb
mv "$work"/*.deb "$folder"
ls "$folder"
