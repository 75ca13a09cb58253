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
says '^one satisfying assignment \(CaDiCaL\) +30 '
says '^posterior \(belief propagation\) +30 '
run 0 evaluate model data --exact --json
json 'all(0 <= x[m][k] <= 1 for m in ("network", "sat", "posterior") for k in ("accuracy", "rmse", "recovered"))'

echo "$n_checks checks"
