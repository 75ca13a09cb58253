#!/bin/sh
# Stores of events as input: store.sh PROGRAM.  The store is made by store_load beside the program.
. "$(dirname "$0")/common.sh"
load=$(dirname "$nln")/store_load

"$load" write events.db 8 0.5 >out 2>err || fail "no store was made"
run 0 split events.db --split nlr --out parts --json
json 'x["reading"]["format"] == "store" and x["users"] == 8 and x["reading"]["bad"] == 0' \
    'x["reading"]["has_time"] and x["reading"]["has_rating"] and x["train"]["n"] > 0'
run 0 train events.db --split nlr --task topk --model popularity --out a.model --quiet
run 0 train parts --task topk --model popularity --out b.model --quiet
run 0 recommend a.model --user 'user 3' --top 5
cp out a.txt
run 0 recommend b.model --user 'user 3' --top 5
cmp -s out a.txt || fail "a store and its split train different models"
run 0 train events.db --model popularity --out c.model
grep -q 'task topk, since events.db holds ratings' err || fail "the task is not guessed"
run 0 evaluate a.model events.db
says 'test'

# ---- what is no store ----------------------------------------------------------
{ head -c 16 events.db && head -c 4000 /dev/zero; } >broken
bad 1 'broken' train broken --task topk --out d.model
bad 1 'PostgreSQL' train 'postgresql:///none?host=/no/such/folder' --task topk --out d.model
echo "$n_checks checks"
