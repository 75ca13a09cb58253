#!/bin/sh
# nln inspect: inspect.sh PROGRAM
. "$(dirname "$0")/common.sh"

prepare
run 0 inspect model
says '^law +formula'
says '^epochs +2 '
run 0 inspect model data --changed --json
json 'x["variables"] == 20 and len(x["laws"]) >= 10 and len(x["tensors"]) >= 1' \
    'all(l["wanted"] in ("near", "far") and l["n"] > 0 for l in x["laws"])'
run 0 train data --model bilstm --epochs 1 --dimension 8 --quiet --out other
run 0 inspect other

echo "$n_checks checks"
