#!/bin/sh
# nln similar: similar.sh PROGRAM
. "$(dirname "$0")/common.sh"

prepare_ratings
run 0 similar topk "$item" -k 3
[ "$(wc -l <out)" -eq 4 ] || fail "not three items"
run 0 similar topk "$title" --titles titles --json
json "x['item'] == '$item' and len(x['similar']) == 10 and '$item' not in {r['item'] for r in x['similar']}" \
    'all(a["cosine"] >= b["cosine"] for a, b in zip(x["similar"], x["similar"][1:]))' \
    'all(r["title"] for r in x["similar"])'
bad 1 "does not know the item 'nobody'" similar topk nobody
run 0 train ratings --task topk --model popularity --quiet --out popular
bad 1 'vectors' similar popular "$item"

echo "$n_checks checks"
