#!/bin/sh
# The figures of docs/links.md: bench/links.sh PROGRAM DATA, where DATA holds umls, kinship, fb15k-237
# and wn18rr.  Prints a line for each training: set, options, seed, valid and test MRR, Hits@10, seconds.
set -eu
nln=$1 data=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

one() { # one SET SEEDS OPTIONS...
    set=$1 seeds=$2
    shift 2
    for seed in $seeds; do
        "$nln" train "$data/$set" --task link --seed "$seed" --quiet --json --out "$work/m" "$@" |
            python3 -c 'import json, sys
x = json.load(sys.stdin)
print(*sys.argv[1:], "valid %.4f test %.4f hits@10 %.4f seconds %.0f" % (
    x["valid"]["mrr"], x["test"]["mrr"], x["test"]["hits@10"], x["seconds"]))' "$set" "$seed" "$@"
    done
}

for model in complex distmult transe rules nln; do
    one umls "1 2 3 4 5" --model $model
    one kinship "1 2 3 4 5" --model $model
done
for set in umls kinship; do
    one $set "1 2 3 4 5" --networks 1
    one $set "1 2 3 4 5" --premises 16
done
one fb15k-237 "1 2 3"
one wn18rr "1 2 3"
time "$nln" rules "$data/fb15k-237" --top 1
