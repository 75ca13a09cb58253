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

for kind in family graph; do
    run 0 generate facts --kind $kind --triples 2000 --out facts --json
    json 'x["triples"] == 2000 and x["options"]["noise"] == 0'
    [ "$(sort -u facts | wc -l)" -eq 2000 ] || fail "not 2000 different facts"
    run 0 generate facts --kind $kind --triples 2000 --out facts2
    cmp -s facts facts2 || fail "the same seed made other facts"
done
bad 1 'none' generate facts --out none/facts
bad 2 'triples' generate facts --triples 3 --out facts3

echo "$n_checks checks"
