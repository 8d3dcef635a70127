#!/usr/bin/env bash
# Builds the Python package: a source distribution, which carries the C sources, and a wheel that
# carries every library it needs (manylinux, tools/bundle.py), and the page, where it was built: that of
# SONDE_PAGE, or build/page.html.
#
#   tools/wheel.sh FOLDER
#
# It needs Debian's python3-dev, python3-pip, python3-setuptools, python3-wheel and patchelf, and
# nothing from elsewhere. PYTHON is the interpreter; the wheel is for every one from 3.11 on.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(realpath -m "${1:?usage: tools/wheel.sh FOLDER}")
python=${PYTHON:-/usr/bin/python3}

page=()
[ ! -f "${SONDE_PAGE:-build/page.html}" ] || page=("${SONDE_PAGE:-build/page.html}")

mkdir -p "$folder"
plain=$(mktemp -d)
trap 'rm -rf "$plain"' EXIT
"$python" -m pip wheel -q --no-deps --no-build-isolation --disable-pip-version-check \
    -w "$plain" ./python
"$python" tools/bundle.py "$plain"/sonde-*.whl "$folder" "${page[@]}"
(cd python && "$python" setup.py -q sdist -d "$folder" 2>/dev/null)
ls "$folder"
