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
grep -q 'the columns are confidence, support, bodies, rule$' err || fail "columns are not named"
says '^1\.0000	30	30	parent\(x, z\) & brother\(z, y\) -> uncle\(x, y\)$'
run 0 rules kg.tsv --holdout 0 --relation uncle --top 3 --json
json 'len(x["rules"]) <= 3 and x["found"] >= 1' \
    'all("-> uncle(" in r["rule"] and 0 < r["confidence"] <= 1 for r in x["rules"])'
run 0 rules kg.tsv --top 1
grep -q 'counted in the [0-9]* triples of train; the [0-9]* of valid and test are left out' err ||
    fail "what is left out is not said"
run 0 rules kg.tsv --holdout 0 --support 1000
grep -q "no rule has a support of 1000" err || fail "that no rule was found is not said"
run 1 rules kg.tsv --relation aunt
run 1 rules none
run 0 train kg.tsv --task link --model rules --quiet --json --out model
json 'x["test"]["mrr"] > 0'

# How true a model holds them: the rules' own answers come first.
run 0 rules kg.tsv --holdout 0 --relation uncle --model-file model --json
json 'all(0 <= r["held"] <= 1 for r in x["rules"] if r["held"] is not None)' \
    'max(r["held"] for r in x["rules"] if r["held"] is not None) > .9'
bad 2 'for ratings' rules kg.tsv --titles kg.tsv
bad 2 'for ratings' rules kg.tsv --core 3

# Ratings: who likes a and dislikes b likes c.
awk 'BEGIN {
    print "user,item,rating" > "ratings.csv"
    for (u = 0; u < 40; u++) {
        print u ",a,5" > "ratings.csv"
        print u ",b," (u % 2 ? 1 : 5) > "ratings.csv"
        if (u % 2) print u ",c,5" > "ratings.csv"
        else print u ",d,5" > "ratings.csv"
    }
    print "a\tThe Apple" > "titles.tsv"
    print "b\tThe Bear" > "titles.tsv"
    print "c\tThe Cat" > "titles.tsv"
}'
run 0 rules ratings.csv --split none --titles titles.tsv
says '^1\.0000	20	20	2\.00	liked\(The Apple\) & disliked\(The Bear\) -> likes\(The Cat\)$'
says '^0\.5000	20	40	1\.00	liked\(The Apple\) -> likes\(The Cat\)$'
run 0 train ratings.csv --task topk --split none --epochs 2 --dimension 8 --threads 1 --quiet --out shop
run 0 rules ratings.csv --split none --model-file shop --json -k 5
json 'len(x["rules"]) == 5 and all(r["lift"] > 0 and 0 <= r["held"] <= 1 for r in x["rules"])'
bad 2 'for triples' rules ratings.csv --relation likes
bad 2 'for triples' rules ratings.csv --order head,relation,tail

echo "$n_checks checks"
