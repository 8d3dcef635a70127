#!/usr/bin/env bash
# Fetches what the command needs for aarch64, as Debian has it, for the cross compiler to build with.
#
#   campaign/aarch64.sh FOLDER
#
# FOLDER/root has the libraries afterwards, and FOLDER/toolchain.cmake says how to build with them;
# nothing is done where they are. Debian's lists are kept in FOLDER, so that nothing of the system
# changes. The compiler itself and the emulator are Debian's gcc-aarch64-linux-gnu and qemu-user.
set -euo pipefail
mkdir -p "${1:?usage: campaign/aarch64.sh FOLDER}"
cd "$1"
[ ! -f complete ] || exit 0

rm -rf parts lists cache root && mkdir -p parts lists/partial cache root
# of the sources that packages are taken from here, Debian's own
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ ! -f "$list" ] || grep -h 'deb\.debian\.org' "$list" >>parts/old.list || true
done
for list in /etc/apt/sources.list.d/*.sources; do
    [ ! -f "$list" ] || ! grep -q 'deb\.debian\.org' "$list" || cp "$list" parts/
done
: >status
apt=(apt-get -q -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$PWD/parts"
    -o "Dir::State::Lists=$PWD/lists" -o "Dir::State::status=$PWD/status"
    -o "Dir::Cache=$PWD/cache" -o APT::Architecture=arm64 -o APT::Architectures::=arm64
    -o APT::Sandbox::User=root)
"${apt[@]}" update
"${apt[@]}" download libjansson4 libjansson-dev zlib1g zlib1g-dev libsqlite3-0 libsqlite3-dev
for package in *_arm64.deb; do
    dpkg-deb -x "$package" root
done
cat >toolchain.cmake <<END
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_FIND_ROOT_PATH $PWD/root)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
# -isystem comes before the headers of the compiler's own C library, and has none of them
set(CMAKE_C_FLAGS_INIT "-isystem $PWD/root/usr/include -isystem $PWD/root/usr/include/aarch64-linux-gnu")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-L$PWD/root/usr/lib/aarch64-linux-gnu -L$PWD/root/lib/aarch64-linux-gnu -Wl,-rpath-link,$PWD/root/usr/lib/aarch64-linux-gnu:$PWD/root/lib/aarch64-linux-gnu")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "\${CMAKE_EXE_LINKER_FLAGS_INIT}")
set(ENV{PKG_CONFIG_DIR} "")
set(ENV{PKG_CONFIG_LIBDIR} "$PWD/root/usr/lib/aarch64-linux-gnu/pkgconfig")
set(ENV{PKG_CONFIG_SYSROOT_DIR} "$PWD/root")
set(CMAKE_DISABLE_FIND_PACKAGE_MPI ON)
END
rm -rf lists cache
touch complete
