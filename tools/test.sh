#!/usr/bin/env bash
# Runs the checks of the project in order and stops at the first that fails.
#
#   tools/test.sh            all of them
#   tools/test.sh STEP...    the named ones; `slow` is one that only runs when named
#
# Each step says in one line what it does, how it went and how long it took; the rest goes to
# build/logs/STEP.log, of which the end is shown upon failure. The last line counts the tests
# passed in all builds and the checks passed.
set -euo pipefail
cd "$(dirname "$0")/.."

jobs=$(nproc)
logs=build/logs
python=/usr/bin/python3
all=(gcc clang address thread coverage layers exports format tidy lint install)

# a make around us has nothing to say to the builds in here
unset MAKEFLAGS MFLAGS MAKELEVEL

# sanitizers want a plain memory layout; their exit status is one no test expects; a request
# that is too large is refused as it would be without them
layout=()
if setarch "$(uname -m)" -R true 2>/dev/null; then
    layout=(setarch "$(uname -m)" -R)
fi
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1:exitcode=99
export UBSAN_OPTIONS=print_stacktrace=1:exitcode=99
export TSAN_OPTIONS=allocator_may_return_null=1:exitcode=99

# ----------------------------------------------------------------------------------- helpers --

# configure NAME COMPILER OPTION...: makes build/check/NAME ready
configure() {
    cmake -S . -B "build/check/$1" -DCMAKE_C_COMPILER="$2" -DSONDE_TESTS=ON "${@:3}"
}

# build NAME COMPILER OPTION...: builds everything in build/check/NAME
build() {
    configure "$@"
    cmake --build "build/check/$1" -j "$jobs" --target all bench
}

# run NAME OPTION...: runs the tests of build/check/NAME, without the slow ones
run() {
    "${layout[@]}" ctest --test-dir "build/check/$1" -j "$jobs" --timeout 300 --output-on-failure \
        --no-tests=error -LE slow "${@:2}"
}

# files PATTERN: the files of the project with such names, each ending in NUL
files() {
    find . \( -name build -o -name .git \) -prune -o -type f -name "$1" -print0
}

# ------------------------------------------------------------------------------------- steps --
declare -A about

about[gcc]="build with gcc, all tests"
step_gcc() {
    build gcc gcc
    run gcc
}

about[clang]="build with clang, all tests"
step_clang() {
    build clang clang
    run clang
}

about[address]="all tests, watching memory and undefined behaviour"
step_address() {
    build address clang -DCMAKE_BUILD_TYPE=Debug -DSONDE_SANITIZE=address
    run address
}

about[thread]="tests that use threads, watching for races"
step_thread() {
    build thread clang -DCMAKE_BUILD_TYPE=Debug -DSONDE_SANITIZE=thread
    run thread -L threads
}

about[coverage]="all tests, counting lines: 90 % of src/ at least"
step_coverage() {
    build coverage gcc -DCMAKE_BUILD_TYPE=Debug -DSONDE_COVERAGE=ON
    find build/check/coverage -name '*.gcda' -delete
    run coverage
    gcovr --root . --object-directory build/check/coverage --filter src/ -j "$jobs" \
        --txt "$logs/coverage.txt" --print-summary --fail-under-line 90
}

about[layers]="stages include earlier stages only; memory and threads in one place"
step_layers() {
    "$python" tools/check_layers.py
}

about[exports]="the library's names are those of sonde.h"
step_exports() {
    build gcc gcc
    tools/check_exports.sh build/check/gcc
}

about[format]="clang-format over all C"
step_format() {
    files '*.[ch]' | xargs -0 -r clang-format --dry-run -Werror
}

about[tidy]="clang-tidy over src/ and cli/"
step_tidy() {
    configure clang clang
    # one at a time: over several files clang-tidy 14 mistakes va_list for uninitialized
    files '*.c' | grep -zE '^\./(src|cli)/' |
        xargs -0 -r -n 1 -P "$jobs" clang-tidy --quiet -p build/check/clang
}

about[lint]="flake8 over Python, shellcheck over shell"
step_lint() {
    files '*.py' | xargs -0 -r "$python" -m flake8
    files '*.sh' | xargs -0 -r shellcheck .ci/run
}

about[install]="install it, then build on it with pkg-config and with CMake"
step_install() {
    build gcc gcc
    tools/check_install.sh build/check/gcc
}

about[slow]="the tests that take long"
step_slow() {
    build gcc gcc
    ctest --test-dir build/check/gcc -j "$jobs" --timeout 7200 --output-on-failure -L slow
}

# --------------------------------------------------------------------------------- the loop --

mkdir -p "$logs"
passed=0
steps=("${@:-${all[@]}}")
for step in "${steps[@]}"; do
    declare -F "step_$step" >/dev/null || { echo "no step $step among ${all[*]} slow" && exit 2; }
    printf '%-9s %s ... ' "$step" "${about[$step]}"
    log=$logs/$step.log
    SECONDS=0

    # in a shell of its own, so that its first failing command ends it
    set +e
    (set -e && "step_$step") >"$log" 2>&1
    status=$?
    set -e

    # a step that ran tests counts them, another counts as one
    read -r failed ran <<<"$(sed -nE 's/.*, ([0-9]+) tests? failed out of ([0-9]+)$/\1 \2/p' "$log")"
    note=$(grep -h '^lines: ' "$log" || true)
    if [ $status -ne 0 ]; then
        printf 'FAILED after %s s\n\n' $SECONDS
        tail -n 60 "$log"
        printf '\n%s failed (%s); the whole log is %s\n' "$step" "${about[$step]}" "$log"
        passed=$((passed + ${ran:-0} - ${failed:-0}))
        [ "${failed:-0}" -gt 0 ] || failed=1
        echo "$passed passed, $failed failed"
        exit 1
    fi
    printf 'ok, %s%s s\n' "${ran:+tests: $ran, }${note:+$note, }" $SECONDS
    passed=$((passed + ${ran:-1}))
done
echo "$passed passed, 0 failed"
