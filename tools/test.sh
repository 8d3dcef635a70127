#!/usr/bin/env bash
# Runs the checks of the project in order and stops at the first that fails.
#
#   tools/test.sh            all of them
#   tools/test.sh STEP...    the named ones; `check`, `slow` and `pyaddress` only run when named
#
# Each step says in one line what it does, how it went and how long it took; the rest goes to
# build/logs/STEP.log, of which the end is shown upon failure. The last line counts the tests
# passed in all builds and the checks passed.
set -euo pipefail
cd "$(dirname "$0")/.."

jobs=$(nproc)
logs=build/logs
python=/usr/bin/python3
all=(gcc clang address thread coverage layers exports abi format tidy lint install python wheel deb docs page fuzz)

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
    cmake --build "build/check/$1" -j "$jobs"
}

# run NAME WITHOUT OPTION...: runs the tests of build/check/NAME but for the slow ones, those of the page,
# and those with a label that WITHOUT matches; the labels are comments in the files, see cmake/tests.cmake
run() {
    "${layout[@]}" ctest --test-dir "build/check/$1" -j "$jobs" --timeout 600 --output-on-failure \
        --no-tests=error -LE "slow|page${2:+|$2}" "${@:3}"
}

# files PATTERN: the files of the project with such names, each ending in NUL
files() {
    find . \( -name build -o -name .git \) -prune -o -type f -name "$1" -print0
}

# fuzz_one NAME SECONDS: what it finds on its way is kept for the next time; what it finds fault with
# is in $logs
fuzz_one() {
    mkdir -p "build/check/fuzz/found/$1"
    # what commands print is nobody's to read; they run in a folder of their own
    local quiet=()
    [[ "$1" != fuzz_@(command|bridge) ]] || quiet=(-close_fd_mask=3)
    ASAN_OPTIONS=$ASAN_OPTIONS:malloc_context_size=2:quarantine_size_mb=16 \
        "${layout[@]}" "build/check/fuzz/fuzz/$1" -max_total_time="$2" -timeout=120 -reload=0 "${quiet[@]}" \
        -rss_limit_mb=2048 -max_len=4096 -print_final_stats=1 -artifact_prefix="$PWD/$logs/$1-" \
        -dict="fuzz/${1#fuzz_}.dict" "$PWD/build/check/fuzz/found/$1" "$PWD/fuzz/corpus/${1#fuzz_}"
}

# fuzz SECONDS: lets chance write documents, archives and databases for so long each, from the seeds in fuzz/
fuzz() {
    cmake -S . -B build/check/fuzz -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Debug \
        -DSONDE_SANITIZE=fuzzer
    cmake --build build/check/fuzz -j "$jobs" --target fuzz
    local source pids=()
    for source in fuzz/fuzz_*.c; do
        fuzz_one "$(basename "$source" .c)" "$1" &
        pids+=($!)
    done
    local pid
    for pid in "${pids[@]}"; do
        wait "$pid"
    done
}

# ------------------------------------------------------------------------------------- steps --
declare -A about

about[gcc]="build with gcc, all tests"
step_gcc() {
    build gcc gcc
    cmake --build build/check/gcc -j "$jobs" --target bench
    run gcc ""
}

about[check]="build with gcc, the tests that take no time"
step_check() {
    build gcc gcc
    run gcc "long|once"
}

# numbers were compared with other programs' in the first build; here, with that build's
about[clang]="build with clang, tests; the same answers as gcc"
step_clang() {
    build clang clang
    cmake --build build/check/clang -j "$jobs" --target bench
    run clang "long|once"
    "$python" tools/golden.py check build/check/clang/sonde tests/golden/golden.txt
}

# what watches is slow enough: -O1, as its manuals advise
watched=(-DCMAKE_BUILD_TYPE=Debug "-DCMAKE_C_FLAGS_DEBUG=-g -O1")

about[address]="tests, watching memory and undefined behaviour"
step_address() {
    build address clang "${watched[@]}" -DSONDE_SANITIZE=address
    # what is written down of half a gigabyte, whenever closed loop gives it back, takes large pages
    export ASAN_OPTIONS=$ASAN_OPTIONS:no_huge_pages_for_shadow=0
    SONDE_TEST_MODELS=100 SONDE_CAMPAIGN=100 run address once
}

about[thread]="tests that use threads, watching for races"
step_thread() {
    configure thread clang "${watched[@]}" -DSONDE_SANITIZE=thread
    local programs
    mapfile -t programs < <(ctest --test-dir build/check/thread -N -L threads -LE "slow|page|once" |
        sed -nE '/\.py$/d; s/^ *Test +#[0-9]+: //p')
    cmake --build build/check/thread -j "$jobs" --target sonde "${programs[@]}"
    run thread once -L threads
}

# the quick tests reach nearly every line; the long ones look at numbers, memory and threads
about[coverage]="tests, counting lines: 90 % of src/ and lab/ at least"
step_coverage() {
    build coverage gcc "${watched[@]}" -DSONDE_COVERAGE=ON
    find build/check/coverage -name '*.gcda' -delete
    run coverage "long|once"
    # threads miscount a branch now and then
    gcovr --root . --object-directory build/check/coverage --filter src/ --filter lab/ -j "$jobs" \
        --gcov-ignore-parse-errors \
        --txt "$logs/coverage.txt" --print-summary --fail-under-line 90
}

about[layers]="stages include earlier stages only; memory and threads in one place; pages name what exists"
step_layers() {
    "$python" tools/check_layers.py
    "$python" tools/check_names.py
}

about[exports]="the libraries' names are those of the headers, and what they call is harmless"
step_exports() {
    build gcc gcc
    tools/check_exports.sh build/check/gcc
    "$python" tools/check_manners.py build/check/gcc
    "$python" tools/check_hardening.py build/check/gcc/sonde build/check/gcc/libsonde.so
}

about[abi]="programs that were compiled against this version keep working"
step_abi() {
    # the library alone, with debug information
    configure abi gcc -DCMAKE_BUILD_TYPE=Debug -DSONDE_TESTS=OFF
    cmake --build build/check/abi -j "$jobs" --target sonde_shared
    tools/check_abi.sh build/check/abi
}

about[format]="clang-format over all C"
step_format() {
    files '*.[ch]' | xargs -0 -r clang-format --dry-run -Werror
}

about[tidy]="clang-tidy over src/, lab/ and cli/"
step_tidy() {
    configure clang clang
    # one at a time: over several files clang-tidy 14 mistakes va_list for uninitialized
    files '*.c' | grep -zE '^\./(src|lab|cli)/' |
        xargs -0 -r -n 1 -P "$jobs" clang-tidy --quiet -p build/check/clang
}

about[lint]="flake8 and mypy over Python, one palette, shellcheck over shell, Markdown at 120 columns"
step_lint() {
    files '*.py' | xargs -0 -r "$python" -m flake8
    "$python" tools/palette.py --check
    (cd python && "$python" -m mypy --cache-dir ../build/check/mypy)
    files '*.sh' | xargs -0 -r shellcheck .ci/run
    files '*.md' | xargs -0 -r "$python" tools/wrap.py --check
}

about[install]="install it, then build on it with pkg-config and with CMake"
step_install() {
    build gcc gcc
    tools/check_install.sh build/check/gcc
}

# python_in NAME PACKAGE: installs the Python package into an environment of its own that sees
# Debian's packages, and runs its tests there
python_in() {
    local root=$PWD home=$PWD/build/check/$1
    mkdir -p "$home"
    [ -x "$home/venv/bin/pip" ] || "$python" -m venv --system-site-packages "$home/venv"
    "$home/venv/bin/pip" install -q --no-index --no-deps --no-build-isolation --force-reinstall \
        --disable-pip-version-check "$2"
    (cd "$home" && SONDE_ROOT=$root PYTHONDONTWRITEBYTECODE=1 LD_PRELOAD=${preload-} \
        "${layout[@]}" venv/bin/python -m pytest -q -p no:cacheprovider "$root/python/tests")
}

about[python]="the Python package: build, install, all its tests"
step_python() {
    # the library is the one that gcc has built; `slow` compiles it with setuptools alone
    configure gcc gcc
    cmake --build build/check/gcc -j "$jobs" --target sonde_static sonde_lab sonde
    SONDE_LIBRARY=build/check/gcc python_in python ./python
    find build/check/python/venv -name '_sonde*.so' -print0 | xargs -0 "$python" tools/check_hardening.py
}

about[wheel]="the wheel carries its libraries, and works where nothing else is"
step_wheel() {
    # the libraries that gcc has built; the command is compiled without MPI, which nobody carries about
    configure gcc gcc
    cmake --build build/check/gcc -j "$jobs" --target sonde_static sonde_lab
    mkdir -p build/check/wheel-library
    ln -sf ../gcc/libsonde.a ../gcc/libsonde_lab.a build/check/wheel-library/
    rm -rf build/check/wheel
    SONDE_PAGE=build/check/gcc/page.html SONDE_LIBRARY=build/check/wheel-library tools/wheel.sh build/check/wheel
    tools/check_wheel.sh build/check/wheel/sonde-*-manylinux_*.whl
}

about[deb]="Debian packages: lintian finds no error, and each of them works"
step_deb() {
    tools/deb.sh build/check/deb
    tools/check_deb.sh build/check/deb
}

about[docs]="the site: Sphinx has nothing to complain about, notebooks run"
step_docs() {
    configure gcc gcc
    cmake --build build/check/gcc -j "$jobs" --target sonde_static sonde_lab sonde
    SONDE_LIBRARY=build/check/gcc tools/docs.sh build/check/docs
}

about[pyaddress]="the Python package, watching memory and undefined behaviour"
step_pyaddress() {
    # leaks are the package's own test to find: Python itself never frees all it has
    export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:exitcode=99
    export CC=gcc SONDE_SANITIZE=address
    preload="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)" \
        python_in pyaddress ./python
}

about[page]="the page: its types, its engine beside the command, and all of it in a real browser"
step_page() {
    build gcc gcc -DSONDE_ENGINE=ON
    tsc -p web
    ctest --test-dir build/check/gcc -j "$jobs" --timeout 600 --output-on-failure --no-tests=error -L page
}

about[fuzz]="documents, tables, databases and command lines that chance wrote, half a minute each"
step_fuzz() {
    fuzz 30
}

about[slow]="the tests that take long"
step_slow() {
    build gcc gcc
    ctest --test-dir build/check/gcc -j "$jobs" --timeout 7200 --output-on-failure -L slow
    fuzz 900
    rm -rf build/check/wheel build/check/wheel-venv
    tools/wheel.sh build/check/wheel
    python_in wheel-venv build/check/wheel/sonde-*.tar.gz
}

# --------------------------------------------------------------------------------- the loop --

mkdir -p "$logs"
passed=0
steps=("${@:-${all[@]}}")
for step in "${steps[@]}"; do
    declare -F "step_$step" >/dev/null || { echo "no step $step among ${all[*]} check slow pyaddress" && exit 2; }
    printf '%-9s %s ... ' "$step" "${about[$step]}"
    log=$logs/$step.log
    SECONDS=0

    # in a shell of its own, so that its first failing command ends it
    set +e
    (set -e && "step_$step") >"$log" 2>&1
    status=$?
    set -e

    # a step that ran tests counts them, another counts as one
    read -r failed ran <<<"$(sed -nE 's/.*, ([0-9]+) tests? failed out of ([0-9]+)$/\1 \2/p;
        s/^([0-9]+) passed.* in [0-9.]+s.*$/0 \1/p' "$log")"
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
