#!/bin/sh
# nln plot reliability: plot_reliability.sh PROGRAM
. "$(dirname "$0")/common.sh"

prepare
mkdir figures
run 0 plot reliability model data --out figures/test --json
json 'x["split"] == "test" and x["n"] == sum(b["n"] for b in x["bins"]) > 0 and len(x["bins"]) == 10' \
    '0 <= x["calibration_error"] <= 1' \
    'all(i / 10 <= b["mean"] <= (i + 1) / 10 for i, b in enumerate(x["bins"]) if b["n"])'
drawn figures/test
run 0 plot reliability model data --part train --bins 4 --out figures/train
says '^calibration error [0-9.]+ over [0-9]+ predictions of train; '
[ "$(wc -l <figures/train.tsv)" -eq 5 ] || fail "--bins are not the rows of the table"

# Ratings are read as the training read them.
prepare_ratings
run 0 plot reliability preference ratings --out figures/likes --json
[ ! -s err ] || fail "the ratings of the training are read otherwise"
json 'x["n"] > 0'
run 0 evaluate preference ratings --json
json 'x["network"]["n"] == '"$(awk -F '\t' 'NR > 1 { n += $3 } END { print n }' figures/likes.tsv)"

bad 1 'only a model of --task preference predicts probabilities' plot reliability topk ratings --out x
bad 2 '--like-from is for ratings' plot reliability model data --like-from 3 --out x
bad 2 '--out and DATA are the same file' plot reliability model figures/test.tsv --out figures/test
bad 2 'bins' plot reliability model data --bins 0 --out x

echo "$n_checks checks"
