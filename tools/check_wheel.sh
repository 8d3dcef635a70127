#!/usr/bin/env bash
# Installs a wheel into an environment that has nothing else but Debian's NumPy, looks at what its
# files load, and uses each of the libraries that it carries.
#
#   tools/check_wheel.sh WHEEL
set -euo pipefail
wheel=$(realpath "${1:?usage: tools/check_wheel.sh WHEEL}")
python=${PYTHON:-/usr/bin/python3}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$python" -m venv --system-site-packages venv
venv/bin/pip install -q --no-index --no-deps --disable-pip-version-check "$wheel"
site=$(venv/bin/python -c 'import sonde, pathlib; print(pathlib.Path(sonde.__file__).parents[1])')

# what is loaded is part of every Linux, or inside
for file in "$site"/sonde/_sonde*.so "$site"/sonde/bin/sonde "$site"/sonde.libs/*.so*; do
    outside=$(ldd "$file" | grep -vE "$site/|lib(c|m|dl|pthread)\.so|ld-linux|linux-vdso" || true)
    [ -z "$outside" ] || { echo "$file loads $outside" && exit 1; }
done
for name in jansson sqlite3 z; do
    compgen -G "$site/sonde.libs/lib$name-*.so*" >/dev/null || { echo "no lib$name inside" && exit 1; }
done
[ "$(find "$site/sonde.libs" -name 'LICENSE.*' -size +0 | wc -l)" -ge 3 ] ||
    { echo "the libraries' licences are not inside" && exit 1; }

# so is the page, if it was built, with its notices
page=$site/sonde/share/sonde
if [ -f "$page/page.html" ]; then
    for name in "Mike Bostock" "Petri Lehtinen" "Jean-loup Gailly" "Rich Felker" "The Emscripten Authors"; do
        grep -q "$name" "$page/NOTICE" "$page/page.html" || { echo "no notice of $name" && exit 1; }
    done
fi

# jansson reads a world, zlib an archive, SQLite keeps a study; Python's own SQLite beside ours
venv/bin/sonde graph --nodes 3 --seed 1 -o world.json
venv/bin/sonde plan world.json
venv/bin/python - <<'END'
import pathlib
import sqlite3

import numpy as np

import sonde

np.savez_compressed("model.npz", A_0=np.eye(2), B_0=np.eye(2)[:, :, None], C_0=np.array([0., 1.]),
                    D_0=np.array([.5, .5]))
assert sonde.Model.from_file("model.npz").n_action == 1
with open("plan.json", "w") as plan:
    plan.write("""{"format": "sonde-plan", "version": 1, "name": "small", "seed": 1, "steps": 2,
                   "worlds": {"sizes": [3], "graphs": 2}, "conditions": [{"search": "full"}]}""")
sonde.study("plan.json", "study.sqlite")
if (pathlib.Path(sonde.__file__).parent / "share/sonde/page.html").exists():
    sonde.report("study.sqlite", "report")
    assert 'id="engine"' in pathlib.Path("report/index.html").read_text()
assert sqlite3.connect("study.sqlite").execute("select count(*) from run").fetchone() == (2,)
END
venv/bin/sonde --version

# the same with Debian's own copies out of sight, where a namespace may be made
if unshare -rm true 2>/dev/null; then
    # shellcheck disable=SC2016 # the inner shell is to expand it
    unshare -rm sh -euc 'for library in $(ldconfig -p | sed -nE "s/.*=> (.*lib(jansson|sqlite3)\.so.*)/\1/p"); do
            mount --bind /dev/null "$(readlink -f "$library")"
        done
        if "$1" -c "import sqlite3" 2>/dev/null; then echo "SQLite is still in sight" && exit 1; fi
        venv/bin/python -c "import sonde; sonde.study(\"plan.json\", \"hidden.sqlite\")"
        venv/bin/sonde plan world.json >/dev/null' sh "$python"
    echo "and where the system has no such libraries"
fi
