#!/bin/sh
# nln solve: solve.sh PROGRAM
. "$(dirname "$0")/common.sh"

prepare
run 0 train data --epochs 2 --seed 3 --threads 2 --quiet --out model2
run 0 solve model
[ "$(grep -Ec '^[^	]+	[TF]	[01]\.[0-9]+$' out)" -eq 20 ] || fail "not one line per variable"
mv out first
run 0 solve model2
cmp -s out first || fail "one thread and two solve differently"
run 0 solve model --truth data/variables.tsv --json
json 'len(x["variables"]) == 20 and 0 <= x["recovered"] <= 1' \
    'all((v["confidence"] > .5) == (v["value"] == "T") for v in x["variables"])'
sed '1!s/^\([^\t]*\)/"\1"/' data/variables.tsv >quoted.tsv
mv out unquoted
run 0 solve model --truth quoted.tsv --json
cmp -s out unquoted || fail "quoted names of --truth are not found"
run 0 solve model --truth data
says '^# recovered [01]\.[0-9]+ of 20 '
run 0 train data --model marginals --epochs 1 --seed 3 --quiet --out other
run 0 solve other

echo "$n_checks checks"
