#!/bin/sh
# One file of expressions: its split, folds, soft labels and weights: folds.sh PROGRAM
. "$(dirname "$0")/common.sh"

run 0 generate logic --variables 20 --expressions 300 --out folder
cat folder/train.tsv folder/valid.tsv folder/test.tsv >one.tsv
set -- --epochs 3 --dimension 16 --quiet

# ---- one file ----------------------------------------------------------------------
run 0 train one.tsv "$@" --out model --json
json 'x["train"]["n"] == 240 and x["valid"]["n"] == 30 and x["test"]["n"] == 30' 'not "folds" in x'
cp out trained
run 0 evaluate model one.tsv --json
json 'x["network"]["n"] == 30' \
    'x["network"]["accuracy"] == json.load(open("trained"))["test"]["accuracy"]'
run 0 evaluate model one.tsv --part train --json
json 'x["network"]["n"] == 240'
run 0 evaluate model one.tsv --exact
says '^an assignment'
head -n 50 one.tsv >other.tsv
run 0 evaluate model other.tsv --json
json 'x["network"]["n"] == 50'
bad 2 'not the file that the model learned from' evaluate model other.tsv --part train
run 0 inspect model one.tsv
run 0 train one.tsv "$@" --holdout 0.2 --holdout-seed 5 --out model --json
json 'x["test"]["n"] == 60'
run 0 evaluate model one.tsv --json
json 'x["network"]["n"] == 60'
bad 2 '--holdout and --folds split one file' train one.tsv --split random --out model
gzip -k one.tsv
run 0 train one.tsv.gz "$@" --out model
says '^test +30 '

# ---- folds -------------------------------------------------------------------------
run 0 train one.tsv "$@" --folds 3 --out model --json
json 'len(x["folds"]["test"]) == 3 and sum(t["n"] for t in x["folds"]["test"]) == 300' \
    'x["test"]["n"] == 30' \
    'abs(sum(t["rmse"] for t in x["folds"]["test"]) / 3 - x["folds"]["mean"]["rmse"]) < 1e-9' \
    '0 < x["folds"]["standard_error"]["rmse"] < 0.2'
cp out all
run 0 train one.tsv "$@" --folds 3 --fold 2 --out model --json
json 'x["test"]["rmse"] == json.load(open("all"))["folds"]["test"][1]["rmse"]' 'not "folds" in x'
run 0 evaluate model one.tsv --json
json 'x["network"]["n"] == 100'
run 0 train one.tsv "$@" --folds 3 --out model
says '^standard error +0\.'
bad 1 'at least 3' train one.tsv "$@" --folds 2 --out model
bad 1 'is split already' train folder "$@" --folds 3 --out model
bad 2 'is for expressions' train one.tsv --task topk --folds 3 --out model

# ---- labels between 0 and 1, weights ------------------------------------------------
awk -F '\t' '{ print $1 "\t" ($2 == "T" ? 0.9 : 0.1) "\t" NR % 3 }' one.tsv >soft.tsv
run 0 train soft.tsv "$@" --out model --json
json '0.1 <= x["test"]["accuracy"] <= 0.9 and x["test"]["cross_entropy"] > 0.3'
bad 1 'exact reasoning needs labels that are 0 or 1' evaluate model soft.tsv --exact
sed '57s/.*/v1 \& \t0.5\t2/' soft.tsv >broken.tsv
bad 1 'broken.tsv:57:6: expected a variable' train broken.tsv --out model
printf 'v1\tT\t0\nv2\tF\t0\nv1\tF\t0\n' >weightless.tsv
bad 1 'every weight is 0' train weightless.tsv "$@" --holdout 0 --out model
for model in birnn marginals; do
    run 0 train soft.tsv --model $model --epochs 3 --quiet --out model
done

# A line of weight 0 teaches nothing: its label may be anything.
awk -F '\t' '{ print $1 "\t" (NR % 3 ? $2 : 1 - $2) "\t" NR % 3 }' soft.tsv >turned.tsv
for file in soft turned; do
    run 0 train $file.tsv "$@" --holdout 0 --no-fit-noise --select last --no-calibrate --out $file.model
done
run 0 predict soft.model one.tsv
cp out wanted
run 0 predict turned.model one.tsv
cmp -s out wanted || fail "a line without weight was learned"

echo "$n_checks checks"
