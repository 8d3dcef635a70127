#!/usr/bin/env bash
# Installs a build below a temporary folder and uses it as a stranger would: a small program is
# compiled and run through pkg-config and through CMake, with the shared and the static library, and
# another with the laboratory. Who links the library alone needs no SQLite.
#
#   tools/check_install.sh BUILD
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:?usage: tools/check_install.sh BUILD}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make --no-print-directory install BUILD="$build" PREFIX=/usr/local DESTDIR="$work/root"
prefix=$work/root/usr/local
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
version=$(pkg-config --modversion sonde)

mkdir "$work/user"
cat >"$work/user/main.c" <<'END'
#include <sonde.h>
#include <stdio.h>

int main(void) {
    puts(sonde_version());
    return 0;
}
END
cat >"$work/user/lab.c" <<'END'
#include <sonde_lab.h>
#include <stdio.h>

int main(void) {
    sonde_study_plan *plan = NULL;
    const sonde_status status = sonde_study_plan_read(sonde_study_plan_name(0), &plan, NULL);
    puts(status == SONDE_OK && plan->n_task > 0 ? sonde_version() : "no plan");
    sonde_study_plan_free(plan);
    return (int)status;
}
END
cat >"$work/user/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.21)
project(user LANGUAGES C)
find_package(sonde ${WANTED} EXACT REQUIRED)
add_executable(with_shared main.c)
add_executable(with_static main.c)
target_link_libraries(with_shared sonde::sonde)
target_link_libraries(with_static sonde::static)
add_executable(with_lab lab.c)
target_link_libraries(with_lab sonde::lab)
END

# expect PROGRAM: it runs, and speaks of the version that was installed
expect() {
    local said
    said=$("$@")
    echo "${1#"$work"/} says $said"
    [ "$said" = "$version" ] || { echo "expected $version" && exit 1; }
}

cd "$work/user"
read -ra shared <<<"$(pkg-config --cflags --libs sonde)"
read -ra static <<<"$(pkg-config --cflags --libs --static sonde)"
read -ra lab <<<"$(pkg-config --cflags --libs sonde_lab)"
gcc main.c -o pkgconfig_shared "${shared[@]}" -Wl,-rpath,"$prefix/lib"
gcc main.c -o pkgconfig_static -static "${static[@]}"
expect "$work/user/pkgconfig_shared"
expect "$work/user/pkgconfig_static"
gcc lab.c -o pkgconfig_lab "${lab[@]}"
expect "$work/user/pkgconfig_lab"

# refuse SENTENCE WORD...: SQLite is not among these words
refuse() {
    ! grep -qi sqlite <<<"${*:2}" || { echo "$1 asks for SQLite: ${*:2}" && exit 1; }
}
refuse "pkg-config --libs --static sonde" "${static[@]}"
refuse "libsonde.so" "$(ldd "$prefix/lib/libsonde.so")"
refuse "libsonde.a" "$(nm -u "$prefix/lib/libsonde.a" | grep -i sqlite || true)"
# the examples build as they stand where there is no SQLite
for source in "$OLDPWD"/examples/*.c; do
    gcc "$source" -o example -static "${static[@]}" -Wl,--trace >trace.txt 2>&1 ||
        { cat trace.txt && exit 1; }
    refuse "$(basename "$source")" "$(grep -i sqlite trace.txt || true)"
done

cmake -S . -B build -DCMAKE_PREFIX_PATH="$prefix" -DWANTED="$version" >/dev/null
cmake --build build
expect "$work/user/build/with_shared"
expect "$work/user/build/with_static"
expect "$work/user/build/with_lab"

# the headers serve C++ too, and the command came along
for header in "$prefix"/include/sonde*.h; do
    clang -x c++ -fsyntax-only -Wall -Werror "$header" \
        -Wno-pragma-once-outside-header
done
[ -x "$prefix/bin/sonde" ] || { echo "the sonde command was not installed" && exit 1; }

# with its manual pages and completions
for file in man/man1/sonde.1 man/man1/sonde-plan.1 bash-completion/completions/sonde \
    zsh/site-functions/_sonde fish/vendor_completions.d/sonde.fish; do
    [ -s "$prefix/share/$file" ] || { echo "share/$file was not installed" && exit 1; }
done
