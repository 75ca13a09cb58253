#!/bin/sh
# nln rules: rules.sh PROGRAM
. "$(dirname "$0")/common.sh"

awk 'BEGIN {
    for (i = 0; i < 30; i++) {
        print "c" i "\tparent\tp" i > "kg.tsv"
        print "p" i "\tbrother\tu" i > "kg.tsv"
        print "c" i "\tuncle\tu" i > "kg.tsv"
    }
}'
run 0 rules kg.tsv --holdout 0
says '^1\.0000	30	30	parent\(x, z\) & brother\(z, y\) -> uncle\(x, y\)$'
run 0 rules kg.tsv --holdout 0 --relation uncle --top 3 --json
json 'len(x["rules"]) <= 3 and x["found"] >= 1' \
    'all("-> uncle(" in r["rule"] and 0 < r["confidence"] <= 1 for r in x["rules"])'
run 1 rules kg.tsv --relation aunt
run 1 rules none
run 0 train kg.tsv --task link --model rules --quiet --json --out model
json 'x["test"]["mrr"] > 0'

echo "$n_checks checks"
