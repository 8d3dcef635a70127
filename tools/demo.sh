#!/usr/bin/env bash
# Shows what Sonde does; run it through `make run`. First one world: an agent decides by scoring every
# policy, by probing clusters and by bounded search, and walks. Then the paper's whole experiment with its report.
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

say "1. A world: some nodes, edges with weights, a start and a destination." \
    "Staying anywhere but on the destination weighs 100. A policy is a walk of as many" \
    "steps as there are nodes; 'from A→B' means that the agent came from A and is on B."
show graph --nodes 6 --seed 30 -o "$demo/world.json" --svg "$demo/world.svg"

say "2. One decision by full search: every policy from the start is scored by its" \
    "expected free energy G, and the first actions share the posterior exp(-G)."
show plan "$demo/world.json" --search full

say "3. The same decision by clusters: policies with similar bags of edges are grouped," \
    "one representative of each group is scored, and then the best group alone."
show plan "$demo/world.json" --search cluster

say "4. The same decision by bounded search: as few steps as it takes to be certain." \
    "The line 'sure' is its certificate."
show plan "$demo/world.json" --search bounded

say "5. The walk to the goal, ten steps."
show simulate "$demo/world.json" --search cluster -o "$demo/cluster.json" --svg "$demo/path.svg"

say "6. The paper's experiment: 40 worlds of each size, every condition on the same worlds," \
    "as the paper's text says and as the authors' notebook does it; then each difference" \
    "between the two on its own, and k and n swept. About a minute on two cores."
"$sonde" study paper --db "$demo/paper.sqlite" >"$demo/study.txt"
sed -n 1p "$demo/study.txt"

say "" "7. The paper's Table 1 beside this run of it."
"$sonde" report "$demo/paper.sqlite" -o "$demo/report" | sed '/^open /d'

say "Open these in a browser:" \
    "  $demo/report/index.html   the page: the table, every figure, every run, and what they mean" \
    "  $demo/path.svg            the path of part 5" \
    "" \
    "The results are rows of $demo/paper.sqlite. What else there is: $sonde help, and README.md."
