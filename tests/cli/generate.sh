#!/bin/sh
# nln generate: generate.sh PROGRAM
. "$(dirname "$0")/common.sh"

prepare
for file in train.tsv valid.tsv test.tsv variables.tsv; do
    [ -s "data/$file" ] || fail "there is no data/$file"
done
run 0 generate logic --variables 20 --expressions 300 --seed 3 --out again --json
json 'x["train"]["n"] == 240 and x["valid"]["n"] == 30 and x["test"]["n"] == 30' \
    'x["variables"] == 20 and 0 < x["train"]["share_true"] < 1 and x["seconds"] >= 0'
diff -r data again >/dev/null || fail "the same seed made other data"

run 0 generate ratings --users 60 --items 40 --ratings 1500 --out ratings --titles titles
run 0 generate ratings --users 60 --items 40 --ratings 1500 --out ratings2 --titles titles2 --json
json 'x["ratings"] == 1500 and x["users"] == 60 and x["items"] == 40 and x["titles"] == "titles2"'
cmp -s ratings ratings2 && cmp -s titles titles2 || fail "the same seed made other ratings"
[ "$(wc -l <titles)" -eq 40 ] || fail "not one title for each item"

echo "$n_checks checks"
