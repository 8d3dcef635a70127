#!/usr/bin/env bash
# Shows what Sonde does; run it through `make run`. First one world: an agent decides by bounded search, with
# a certificate, beside full search and clusters, and walks. Then the paper's whole experiment, and the page.
# Everything is left in build/demo/. Interrupted, it goes on where it was.
set -euo pipefail
cd "$(dirname "$0")/.."

sonde=build/sonde
demo=build/demo
[ -x "$sonde" ] || { echo "there is no $sonde yet: make build" >&2 && exit 1; }
mkdir -p "$demo"

# say LINE...: what comes next, for people
say() {
    printf '%s\n' "$@" ""
}

# show ARGUMENT...: the command and what it prints, without the lines on how to repeat it
show() {
    printf '$ sonde %s\n' "$*"
    "$sonde" "$@" | sed '/^G is expected free energy/,$d'
}

# beside SEARCH...: what each of these does, a line each
beside() {
    printf '%-9s %-14s %9s %12s   %s\n' search action "best G" "steps scored" certificate
    for search in "$@"; do
        "$sonde" plan "$demo/world.json" --search "$search" | awk -v search="$search" '
            /^action: / { sub(/^action: */, ""); sub(/ \(.*/, ""); sub(/,.*/, ""); action = $0 }
            /^ +G [0-9]/ && !best { best = $2 }
            /^scored: / { steps = $0; sub(/ steps.*/, "", steps); sub(/.* /, "", steps) }
            /^sure:/ { sure = $0; sub(/^sure: */, "", sure); sub(/;[^;]*$/, "", sure) }
            END { printf "%-9s %-14s %9s %12s   %s\n", search, action, best, steps, sure ? sure : search == "full" ? "all were scored" : "none" }'
    done
}

say "1. A world: some nodes, edges with weights, a start and a destination." \
    "Staying anywhere but on the destination weighs 100. A policy is a walk of as many" \
    "steps as there are nodes; 'from A→B' means that the agent came from A and is on B."
show graph --nodes 6 --seed 30 -o "$demo/world.json" --svg "$demo/world.svg"

say "2. One decision by bounded search: as few steps as it takes to be certain." \
    "The line 'sure' is its certificate."
show plan "$demo/world.json" --search bounded

say "3. The same decision, beside it, by full search, which scores every policy by its expected" \
    "free energy G, and by clusters (Kiefer and Albarracin), which score one representative of" \
    "each group of similar policies, and then the best group alone."
beside bounded full cluster

say "" "4. The walk to the goal, ten steps, by bounded search and by clusters."
show simulate "$demo/world.json" --search bounded --svg "$demo/path.svg" | sed -n '1p;/^path/,$p'
show simulate "$demo/world.json" --search cluster --svg "$demo/detour.svg" | sed -n '1p;/^path/,$p'

say "5. The paper's experiment: 40 worlds of each size, every condition on the same worlds," \
    "as the paper's text says and as the authors' notebook does it; then each difference" \
    "between the two on its own, and k and n swept. About a minute on two cores."
"$sonde" study paper --db "$demo/paper.sqlite" >"$demo/study.txt"
sed -n 1p "$demo/study.txt"

say "" "6. The paper's Table 1 beside this run of it."
"$sonde" report "$demo/paper.sqlite" -o "$demo/report" | sed '/^open /d'

world="  $demo/view.html           the world of part 1, to drag; its policies, its decision, a race"
"$sonde" view "$demo/world.json" --no-open -o "$demo/view.html" >/dev/null 2>&1 ||
    world="  make page                   builds the page with the library inside it: sonde view opens a world to drag"
say "7. The page. Open these in a browser:" \
    "  $demo/report/index.html   the experiment: the table, every figure, every run, and what they mean" \
    "$world" \
    "  $demo/path.svg, detour.svg   the paths of part 4" \
    "" \
    "The results are rows of $demo/paper.sqlite. What else there is: $sonde help, and README.md."
