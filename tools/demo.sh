#!/usr/bin/env bash
# Shows what Sonde does, on one world, in a few seconds. Run it through `make run`.
#
# A world is drawn; an agent decides there by scoring every policy, then by probing clusters of
# policies; it walks to its destination both ways. Everything is left in build/demo/.
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

say "4. Ten steps of each. 'policies' is how many the agent scored before each step. Scoring one" \
    "is a few additions in a world like this, so clustering takes longer than it saves; where" \
    "scoring is dear, the number of policies is what counts."
show simulate "$demo/world.json" --search full -o "$demo/full.json" --svg "$demo/full.svg"
show simulate "$demo/world.json" --search cluster -o "$demo/cluster.json" --svg "$demo/cluster.svg"

say "Open these in a browser:" \
    "  $demo/world.svg      the world" \
    "  $demo/full.svg       the path found by full search" \
    "  $demo/cluster.svg    the path found by clusters" \
    "" \
    "The same runs as data: $demo/world.json, $demo/full.json, $demo/cluster.json." \
    "What else there is: $sonde help, and README.md."
