#!/usr/bin/env bash
# Builds the site: the pages, the reference of C and of Python, the notebooks with what they show.
#
#   tools/docs.sh FOLDER
#
# FOLDER/site/index.html is its first page, which opens from disk. PYTHON has the package sonde; where
# it is not given, the package is installed below FOLDER. It needs what tools/packages.sh lists for
# `docs`. What Sphinx has to complain about ends it.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(realpath -m "${1:?usage: tools/docs.sh FOLDER}")
mkdir -p "$folder"

python=${PYTHON:-}
if [ -z "$python" ]; then
    [ -x "$folder/venv/bin/pip" ] || /usr/bin/python3 -m venv --system-site-packages "$folder/venv"
    python=$folder/venv/bin/python
    "$python" -m pip install -q --no-index --no-deps --no-build-isolation --force-reinstall \
        --disable-pip-version-check ./python
fi
"$python" tools/docs.py "$folder/source" "$python"
"$python" -m sphinx -q -W --keep-going -j auto -d "$folder/cache" "$folder/source" "$folder/site"
echo "open $folder/site/index.html"
