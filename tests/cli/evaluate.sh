#!/bin/sh
# nln evaluate of models of expressions: evaluate.sh PROGRAM
. "$(dirname "$0")/common.sh"

prepare
run 0 evaluate model data
says '^network +30 '
run 0 evaluate model data --split train --json
json 'x["split"] == "train" and x["network"]["n"] == 240 and "sat" not in x'
run 0 evaluate model data --part train --json
json 'x["split"] == "train" and x["network"]["n"] == 240'
run 0 evaluate model data --exact
says '^an assignment \(CaDiCaL\) +30 '
says '^posterior \(belief propagation\) +30 '
run 0 evaluate model data --exact --json
json 'all(0 <= x[m][k] <= 1 for m in ("network", "sat", "posterior") for k in ("accuracy", "rmse", "recovered"))'

# ---- beyond the length of training ------------------------------------------------
run 0 evaluate model data --lengths
says '^kind +size +share right'
says '^and +10 +[01]\.[0-9]+'
says '^clauses +2 '
run 0 evaluate model data --lengths --json
json 'len(x["lengths"]) == 32 and {r["kind"] for r in x["lengths"]} >= {"and", "or", "nested", "clauses"}'
json 'all(r["right"] is None or 0 <= r["right"] <= 1 for r in x["lengths"])'
json 'any(r["right"] is None for r in x["lengths"] if r["size"] == 200)' # there are fewer variables
mv data/variables.tsv away.tsv
run 0 evaluate model data
bad 1 'has no variables file' evaluate model data --lengths
mv away.tsv data/variables.tsv

echo "$n_checks checks"
