#!/bin/sh
# nln query: query.sh PROGRAM
. "$(dirname "$0")/common.sh"

prepare
cut -f 1 data/test.tsv >pool
run 0 query model pool -k 5
[ "$(wc -l <out)" -eq 5 ] && [ "$(cut -f 4 out | sort -u | wc -l)" -eq 5 ] || fail "not five expressions"
cut -f 4 out | grep -vxFf pool && fail "an expression is not of the pool"
run 0 query model pool --variety 0 -k 1000 --json
json "len(x['queries']) == $(wc -l <pool) and x['refused'] == 0" \
    'all(a["value"] >= b["value"] for a, b in zip(x["queries"], x["queries"][1:]))' \
    'all(0 <= q["p"] <= 1 and 0 <= q["spread"] <= 0.5 for q in x["queries"])' \
    'sorted(q["line"] for q in x["queries"]) == list(range(1, len(x["queries"]) + 1))'
run 0 query model pool --by disagreement
printf 'v1\nv1 &\nnobody\n' >mixed
run 1 query model mixed
[ "$(wc -l <out)" -eq 1 ] && [ "$(wc -l <err)" -eq 2 ] || fail "lines that cannot be read"
: >empty
bad 1 'no expression' query model empty
run 0 train data --model marginals --epochs 1 --quiet --out marginals
bad 1 'spread' query marginals pool

echo "$n_checks checks"
