#!/usr/bin/env bash
# Installs a build below a temporary folder and uses it as a stranger would: a small program is
# compiled and run through pkg-config and through CMake, with the shared and the static library.
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
cat >"$work/user/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.21)
project(user LANGUAGES C)
find_package(sonde ${WANTED} EXACT REQUIRED)
add_executable(with_shared main.c)
add_executable(with_static main.c)
target_link_libraries(with_shared sonde::sonde)
target_link_libraries(with_static sonde::static)
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
gcc main.c -o pkgconfig_shared "${shared[@]}" -Wl,-rpath,"$prefix/lib"
gcc main.c -o pkgconfig_static -static "${static[@]}"
expect "$work/user/pkgconfig_shared"
expect "$work/user/pkgconfig_static"

cmake -S . -B build -DCMAKE_PREFIX_PATH="$prefix" -DWANTED="$version" >/dev/null
cmake --build build
expect "$work/user/build/with_shared"
expect "$work/user/build/with_static"

# the header serves C++ too, and the command came along
clang -x c++ -fsyntax-only -Wall -Werror "$prefix/include/sonde.h" -Wno-pragma-once-outside-header
[ -x "$prefix/bin/sonde" ] || { echo "the sonde command was not installed" && exit 1; }
