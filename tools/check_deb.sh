#!/usr/bin/env bash
# Unpacks Debian's packages of Sonde into an empty folder and uses each of them there.
#
#   tools/check_deb.sh FOLDER
set -euo pipefail
folder=$(realpath "${1:?usage: tools/check_deb.sh FOLDER}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# has PACKAGE PATTERN...: the package has a file for each
has() {
    local pattern
    dpkg-deb -c "$folder/$1"_*.deb | awk '{print $6}' >contents
    dpkg-deb -x "$folder/$1"_*.deb root
    for pattern in "${@:2}"; do
        grep -qE "^\./$pattern\$" contents || { echo "$1 has no $pattern" && exit 1; }
    done
}
has libsonde0.6 'usr/lib/[^/]+/libsonde\.so\.0\.6'
has libsonde-dev usr/include/sonde{,_document,_embed,_fit,_lab,_learn,_make,_settings,_spm,_world}.h \
    'usr/lib/[^/]+/libsonde(_lab)?\.a' \
    'usr/lib/[^/]+/pkgconfig/sonde\.pc' 'usr/lib/[^/]+/cmake/sonde/sondeConfig\.cmake'
has sonde usr/bin/sonde usr/share/sonde/page.html usr/share/sonde/NOTICE usr/share/man/man1/sonde-plan.1.gz usr/share/zsh/vendor-completions/_sonde \
    usr/share/bash-completion/completions/sonde usr/share/fish/vendor_completions.d/sonde.fish
has python3-sonde usr/lib/python3/dist-packages/sonde/pymdp.py

# the command
root/usr/bin/sonde graph --nodes 3 --seed 1 -o world.json >/dev/null
root/usr/bin/sonde plan world.json | grep '^action: '

# the library, from the development package
libraries=$(dirname root/usr/lib/*/libsonde.so)
printf '#include <sonde.h>\n#include <stdio.h>\nint main(void) { puts(sonde_version()); }\n' >main.c
gcc -Iroot/usr/include main.c -L"$libraries" -lsonde -o main
LD_LIBRARY_PATH=$libraries ./main

# the Python package
PYTHONPATH=root/usr/lib/python3/dist-packages /usr/bin/python3 - <<'END'
import sonde

print(sonde.plan(sonde.Model.from_file("world.json")))
END
