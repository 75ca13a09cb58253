#!/bin/sh
# nln rank: rank.sh PROGRAM
. "$(dirname "$0")/common.sh"

mkdir kg
awk 'BEGIN {
    for (i = 0; i < 30; i++) {
        print "c" i "\tparent of child\tp" i > "kg/train.tsv"
        print "p" i "\tbrother\tu" i > "kg/train.tsv"
        part = i < 26 ? "train" : i < 28 ? "valid" : "test"
        print "c" i "\tuncle\tu" i > ("kg/" part ".tsv")
    }
}'
run 0 train kg --task link --epochs 40 --dimension 16 --threads 1 --quiet --out model
run 0 train kg --task link --model rules --threads 1 --quiet --out rules

# The answer that only a rule knows, with its instance; names need no quotes.
run 0 rank rules 'uncle(c29, ?)' -k 2
[ "$(head -n 1 out | cut -f1,2)" = "1	u29" ] || fail "the uncle is not found"
says '^    rule +\+.*parent of child\(c29, p29\) & brother\(p29, u29\) -> uncle\(c29, u29\)  \(26 of 30, 0.867\)$'
run 0 rank rules 'parent of child(?, p3)' --with-known -k 1
says '^1	c3	.*	known$'
run 0 rank model '"parent of child"(c3, ?)' --with-known -k 1 --json
json 'x["answers"][0]["entity"] == "p3" and x["answers"][0]["known"]' \
    'all(r["kind"] in ("rule", "fact") and r["contribution"] > 0 for r in x["answers"][0]["reasons"])'
run 0 rank model 'uncle(c3, ?)' --json -k 1000
json '"u3" not in [a["entity"] for a in x["answers"]] and len(x["answers"]) == 89' \
    'all(a["score"] >= b["score"] for a, b in zip(x["answers"], x["answers"][1:]))'
run 0 rank model 'uncle(c3, ?)' -k 1 --reasons 0
[ "$(wc -l <out)" -eq 1 ] || fail "--reasons 0 has reasons"
grep -q '^nln: u3, which training had, is left out; --with-known lists it$' err ||
    fail "a known answer is left out without a word"
run 0 rank model 'uncle(c3, ?)' -k 1 --with-known
[ ! -s err ] || fail "--with-known says that something is left out"

bad 1 "no relation 'uncel'; did you mean 'uncle'" rank model 'uncel(c3, ?)'
bad 1 "no entity 'c33'; did you mean 'c" rank model 'uncle(c33, ?)'
bad 1 "one hole" rank model 'uncle(c3, u3)'
bad 1 "found the end" rank model 'uncle(c3, ?'
bad 2 "" rank model

# Atoms of a model of expressions.
mkdir atoms
printf 'parent(ann, bob)\tT\nparent(bob, ann)\tF\nparent(bob, cem)\tT\nparent(cem, ann)\tF\n' >atoms/facts.tsv
run 0 train atoms --task logic --epochs 30 --threads 1 --quiet --out atoms.model
run 0 rank atoms.model 'parent(ann, ?)' --json
json 'len(x["answers"]) == 3 and all(0 < a["probability"] < 1 for a in x["answers"])' \
    'x["answers"][0]["reasons"] == []'
run 0 inspect atoms.model --json # the laws hold of atoms more or less
json 'x["laws"][0]["n"] > 0 and 0 <= x["laws"][0]["mean_similarity"] <= 1'
bad 1 "no hole" rank atoms.model 'parent(ann, bob)'
prepare
bad 1 "no entities" rank model 'p(?)'

echo "$n_checks checks"
