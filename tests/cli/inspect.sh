#!/bin/sh
# nln inspect: inspect.sh PROGRAM
. "$(dirname "$0")/common.sh"

prepare
run 0 inspect model
says '^law +formula'
says '^epochs +2 '
says '^trained on data \('
run 0 inspect model data --changed --json
json 'x["variables"] == 20 and len(x["laws"]) >= 10 and len(x["tensors"]) >= 1' \
    'all(l["wanted"] in ("near", "far") and l["n"] > 0 for l in x["laws"])'
json_of() { "$nln" inspect "$1" --json >out; }
json_of model
json 'x["record"]["data"] == "data" and x["record"]["trained"] is None' \
    'x["record"]["rows"]["train"] > 0 and 0 <= x["record"]["test"]["accuracy"] <= 1'
SOURCE_DATE_EPOCH=1700000000 "$nln" train data --epochs 1 --dimension 8 --quiet --out dated >out
json_of dated
json 'x["record"]["trained"] == "2023-11-14T22:13:20Z"'
run 0 train data --model bilstm --epochs 1 --dimension 8 --quiet --out other
run 0 inspect other

echo "$n_checks checks"
