#!/usr/bin/env bash
# Fetches the sources of the libraries that the engine is linked with, as Debian has them.
#
#   web/sources.sh FOLDER
#
# FOLDER/jansson and FOLDER/zlib are there afterwards; nothing is done where they are. Debian's list
# of sources is kept in FOLDER, too, so that nothing of the system changes.
set -euo pipefail
mkdir -p "${1:?usage: web/sources.sh FOLDER}"
cd "$1"
[ ! -f complete ] || exit 0

# what packages are taken from here, sources are, too
rm -rf parts lists jansson zlib && mkdir -p parts lists/partial
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ ! -f "$list" ] || sed -n 's/^deb /deb-src /p' "$list" >>parts/old.list
done
for list in /etc/apt/sources.list.d/*.sources; do
    [ ! -f "$list" ] || sed 's/^Types:.*/Types: deb-src/' "$list" >"parts/${list##*/}"
done
apt=(apt-get -q -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$PWD/parts"
    -o "Dir::State::Lists=$PWD/lists" -o APT::Sandbox::User=root)
"${apt[@]}" update
"${apt[@]}" --download-only source jansson zlib
dpkg-source --no-check -x jansson_*.dsc jansson
dpkg-source --no-check -x zlib_*.dsc zlib
rm -rf lists
touch complete
