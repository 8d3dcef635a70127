#!/usr/bin/env bash
# Installs the Debian packages that are missing, and does nothing when none is.
#
#   tools/packages.sh run     what it takes to build and run Sonde
#   tools/packages.sh page    that, and what the library inside the page needs (805 MB)
#   tools/packages.sh wheel   what it takes to build and run Sonde, and what building the Python package needs
#   tools/packages.sh deb     that, and what building Debian's packages needs
#   tools/packages.sh docs    that of the Python package, and what building the site needs
#   tools/packages.sh test    all that, and what the checks need
#   tools/packages.sh campaign    that, and what builds for aarch64
set -euo pipefail

run=(gcc libc6-dev make cmake pkg-config libjansson-dev zlib1g-dev libsqlite3-dev
    esbuild node-d3)
page=(emscripten dpkg-dev)
wheel=(python3 python3-dev python3-pip python3-setuptools python3-wheel python3-numpy
    patchelf)
deb=(debhelper dh-python dpkg-dev lintian)
docs=(python3-venv python3-sphinx python3-myst-parser python3-matplotlib)
test=(abigail-tools clang clang-format clang-tidy libclang-rt-14-dev llvm libcmocka-dev gcovr shellcheck
    python3 python3-pytest python3-flake8 python3-mypy python3-numpy python3-networkx python3-sklearn
    python3-venv python3-hypothesis python3-mpmath python3-scipy python3-matplotlib
    librandom123-dev chromium chromium-driver python3-selenium node-typescript libopenmpi-dev openmpi-bin
    libnlopt0 procps man-db mandoc zsh fish qemu-user)
campaign=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross)

case "${1-}" in
run) wanted=("${run[@]}") ;;
page) wanted=("${run[@]}" "${page[@]}") ;;
wheel) wanted=("${run[@]}" "${wheel[@]}") ;;
deb) wanted=("${run[@]}" "${wheel[@]}" "${deb[@]}") ;;
docs) wanted=("${run[@]}" "${wheel[@]}" "${docs[@]}") ;;
test) wanted=("${run[@]}" "${page[@]}" "${wheel[@]}" "${deb[@]}" "${docs[@]}" "${test[@]}") ;;
campaign) wanted=("${run[@]}" "${page[@]}" "${wheel[@]}" "${deb[@]}" "${docs[@]}" "${test[@]}"
    "${campaign[@]}") ;;
*) echo "usage: tools/packages.sh run|page|wheel|deb|docs|test|campaign" >&2 && exit 2 ;;
esac

# elsewhere than on Debian, the build itself says what it lacks
command -v dpkg-query >/dev/null || exit 0

missing=()
for package in "${wanted[@]}"; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

give_up() {
    echo "Please install these packages, then try again: ${missing[*]}" >&2
    exit 1
}

if [ "$(id -u)" -eq 0 ]; then
    as_root=()
elif command -v sudo >/dev/null; then
    as_root=(sudo)
else
    give_up
fi
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=600)

echo "installing: ${missing[*]}"
"${apt[@]}" update || give_up
"${apt[@]}" install -y --no-install-recommends "${missing[@]}" || give_up
