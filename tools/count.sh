#!/usr/bin/env bash
# What the house order is held to, as numbers. Run in the project's root; prints "value  what".
# Built libraries are looked for in ${1:-build}.
set -u
b=${1:-build}
core='^src/(graph|model|policy|efe|score)/'
p() { printf '%8s  %s\n' "$1" "$2"; }
code() { cat "$@" 2>/dev/null | python3 -c '
import re,sys
t=re.sub(r"/\*.*?\*/",lambda m:"\n"*m.group().count("\n"),sys.stdin.read(),flags=re.S)
print(sum(1 for l in t.split("\n") if l.strip()))'; }
decl() { python3 - "$1" <<'P'
import re,sys
t=re.sub(r'/\*.*?\*/','',open(sys.argv[1]).read(),flags=re.S)
d=set(re.findall(r'\b(sonde__\w+)\s*\(',t))|set(re.findall(r'^\}\s*(sonde__\w+);',t,flags=re.M))|set(re.findall(r'\(\*(sonde__\w+)\)',t))|set(re.findall(r'#define (SONDE__\w+)',t))|set(re.findall(r'struct (sonde__\w+)',t))
print(len(d))
P
}
mapfile -t all < <(find src lab cli -name '*.[ch]' 2>/dev/null)
p "$(code "${all[@]}")" "lines of code in src, lab, cli (no comments, no blanks)"
p "$(code include/sonde.h)" "of include/sonde.h;  $(wc -l <include/sonde.h) lines in all"
p "$(grep -c '^SONDE_API' include/sonde.h)" "functions in sonde.h"
p "$(wc -l <src/search/search.h)" "lines, and $(decl src/search/search.h) names, in search.h"
p "$(wc -l <src/cluster/cluster.h)" "lines, and $(decl src/cluster/cluster.h) names, in cluster.h"
p "$(grep -rnE 'graph (==|!=) NULL' src lab cli python/src 2>/dev/null | wc -l)" "lines 'graph == NULL' or '!= NULL'"
p "$(grep -rnE 'graph (==|!=) NULL' src lab cli python/src 2>/dev/null | grep -vcE "$core")" "of them outside graph, model, policy, efe"
p "$(grep -rnE '(->|\.)graph\b' src cli python/src | grep -vcE "$core|^src/(report|study)/")" "uses of a field called graph outside those and the laboratory"
p "$(grep -rlw sonde_graph src lab cli python/src 2>/dev/null | grep -vcE "$core|cmd_graph|bind_graph")" "files that know sonde_graph outside those"
p "$(grep -rnE 'model\.graph|\.graph\b' python/sonde/*.py | wc -l)" "the same in python/sonde"
p "$(grep -rnE 'sonde__(fan|outlook|spread|channel|tree_(carve|start|fill)|scorer)' src/search src/agent src/embed src/cluster | wc -l)" "lines of later stages that name an evaluator"
p "$(grep -rnE 'SONDE_SEARCH_[A-Z]+' src lab cli python/src 2>/dev/null | grep -vc '^src/search/search.c:')" "lines outside search.c that name one search"
p "$(grep -rlE '\bn_depth\b|"depth"' include src lab cli python/src python/sonde 2>/dev/null | wc -l)" "files in which the setting depth is typed"
p "$(grep -rliE 'notebook|DIFFERENCE_' src include/sonde.h | wc -l)" "files of src and sonde.h that know the notebook"
p "$(grep -rlE 'sqlite3' src lab cli 2>/dev/null | wc -l)" "C files that know sqlite3"
p "$(grep -rnE '1e-12 \* \(1\.0 \+ fabs' src lab 2>/dev/null | wc -l)" "places where the tie rule is written out"
p "$(grep -rnE '(sqlite3_column_[a-z0-9]+|sonde__query_datum)\(\w+, [0-9A-Z]' src lab --include='*.c' | wc -l)" "columns read by number"
p "$(awk 'length($0)>100' include/*.h "${all[@]}" python/src/*.[ch] | wc -l)" "lines of C over 100 bytes"
p "$(grep -ohE ': Any\b|-> Any\b' python/sonde/*.py | wc -l)" "annotations Any in python/sonde"
n=0; for f in src/*/*.c lab/*/*.c; do [ -f "$f" ] || continue; d=$(basename "$(dirname "$f")"); [ -f "tests/$d/test_$(basename "$f" .c).c" ] || n=$((n+1)); done
p "$n" "source files without a test of their name"
[ -f "$b/libsonde.so" ] && { p "$(nm -D --defined-only "$b/libsonde.so" | wc -l)" "names exported"; p "$(size "$b/libsonde.so" | awk 'NR==2{print $1}')" "bytes of text in libsonde.so"; p "$(ldd "$b/libsonde.so" | grep -c sqlite)" "sqlite in ldd libsonde.so"; }
