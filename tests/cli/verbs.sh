#!/bin/sh
# Every verb of the program, end to end: verbs.sh PROGRAM
. "$(dirname "$0")/common.sh"

# ---- help --------------------------------------------------------------------
run 2
says '^generate logic '
run 0 --help
says '^train '
run 0 --version
says '^nln [0-9]+\.[0-9]+\.[0-9]+$'
for verb in "generate logic" "generate ratings" split train tune evaluate predict solve recommend \
    explain inspect "plot tsne" "plot curves" reproduce; do
    run 2 $verb
    says "^usage: nln $verb "
    mv out bare
    for words in "$verb --help" "help $verb"; do
        run 0 $words
        cmp -s out bare || fail "nln $words differs from nln $verb"
        for option in json quiet config seed threads; do
            says "^--(\[no-\])?$option "
        done
    done
done
run 2 generate
says '^generate logic '
says '^generate ratings '

# ---- the road ----------------------------------------------------------------
prepare
for file in train.tsv valid.tsv test.tsv variables.tsv; do
    [ -s "data/$file" ] || fail "there is no data/$file"
done
run 0 generate logic --variables 20 --expressions 300 --seed 3 --out again --json
json 'x["train"]["n"] == 240 and x["valid"]["n"] == 30 and x["test"]["n"] == 30' \
    'x["variables"] == 20 and 0 < x["train"]["share_true"] < 1 and x["seconds"] >= 0'
diff -r data again >/dev/null || fail "the same seed made other data"

run 0 train data --epochs 2 --seed 3 --threads 2 --out model2 --json
json '{"epochs", "best_epoch", "seconds", "seconds_per_epoch", "peak_rss_bytes", "seed", "options", "model", "version"} <= set(x)' \
    'x["epochs"] == 2 and 1 <= x["best_epoch"] <= 2 and x["seed"] == 3 and x["model"] == "model2"' \
    'all({"n", "accuracy", "rmse", "cross_entropy"} <= set(x[s]) for s in ("train", "valid", "test"))' \
    'x["test"]["n"] == 30 and 0 <= x["test"]["accuracy"] <= 1 and x["options"]["epochs"] == 2'
[ "$(wc -l <err)" -eq 2 ] || fail "not one line of progress per epoch"
run 0 train data --epochs=2 --seed=3 --quiet --out model3
says '^test +30 '

# What a training leaves behind: a log, copies after some epochs.
run 0 train data --epochs 3 --seed 3 --curves --log log --snapshots 1,3 --quiet --out model4
[ "$(cut -f1 log | tr '\n' ' ')" = "epoch 1 2 3 " ] || fail "the log lacks an epoch"
head -1 log | grep -q 'train_rmse.*valid_rmse.*test_rmse' || fail "the log lacks a column"
[ -s model4-epoch-1 ] && [ ! -e model4-epoch-2 ] && [ -s model4-epoch-3 ] ||
    fail "the copies are not those of epochs 1 and 3"
run 0 predict model4-epoch-1 data/test.tsv
run 0 train data --epochs 3 --seed 3 --quiet --out model5
cmp -s model4-epoch-3 model5 && fail "an epoch's copy cannot know the calibration"
bad 2 'snapshots' train data --snapshots 1,x --out model6
bad 1 'cannot be written' train data --log nowhere/log --out model6
bad 2 'per-user' train data --per-user users --out model6

# Every other model learns, is saved and loaded, and is measured the same.
for model in birnn bilstm marginals; do
    run 0 train data --model $model --epochs 3 --dimension 8 --seed 3 --quiet --out other --json
    mv out trained
    run 0 evaluate other data --json
    python3 - trained out <<'PYTHON' || fail "evaluate does not repeat what train said of $model"
import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
sys.exit(abs(a["test"]["accuracy"] - b["network"]["accuracy"]) > 1e-9)
PYTHON
    run 0 inspect other
done
run 0 solve other
bad 1 '--recipe does nothing for --model birnn' train data --model birnn --recipe paper --out model6
for option in grades=2 history=5 least-history=1 together=2 drop-history=0.1 context=all \
    loss=pairwise negatives=3 keep-users=false; do
    bad 1 "option --${option%%=*} does nothing for --task logic: leave it out" \
        train data "--$option" --out model6
done
bad 1 'does nothing for --model birnn' train data --model birnn --law-weight 1 --out model6
bad 1 'reads ratings' bench train data --task topk --model gru
bad 1 'cannot do task logic' train data --model gru --out model6

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

name=$(sed -n 2p data/variables.tsv | cut -f1)
other=$(sed -n 3p data/variables.tsv | cut -f1)
printf '# a comment\n\n%s & !%s\n  %s | %s\tT\r\n' "$name" "$other" "$name" "$other" >expressions
run 0 predict model expressions
[ "$(wc -l <out)" -eq 2 ] || fail "not one line per expression"
says "^[01]\.[0-9]+	$name & !$other\$"
run 0 predict model expressions --json
json 'len(x["predictions"]) == 2 and all(0 <= r["p"] <= 1 for r in x["predictions"])'
mv out first
"$nln" predict model - --json --threads 2 <expressions >out || fail "predict from standard input"
cmp -s out first || fail "standard input gives other predictions"
printf '\357\273\277' | cat - expressions >marked
run 0 predict model marked --json --threads 2
sed 's/"marked"/"expressions"/' out | cmp -s - first || fail "a byte order mark is not skipped"
printf '\357\273\277expression\tlabel\n%s\tT\n' "$name" >marked
run 0 predict model marked
[ "$(wc -l <out)" -eq 1 ] || fail "a header after a byte order mark is not skipped"
run 0 predict model data/test.tsv
[ "$(wc -l <out)" -eq 30 ] || fail "a data file is not read as expressions"
mkdir published
printf 'sent\tlabel\n~1^2v3\t1\n1^~3\t0\n2v3\t1\n' | tee published/train.csv |
    tee published/valid.csv >published/test.csv
run 0 train published --epochs 1 --quiet --out model5
run 0 predict model5 published/test.csv
says '^[01]\.[0-9]+	~1&2\|3$'
for bench in train predict rank; do
    run 0 bench $bench --variables 30 --expressions 200 --passes 2 --dimension 8 --json
    json '{"textbook_flop", "executed_flop", "seconds_per_epoch", "sgemm_flops", "ratio", "rows", "rows_after_sharing", "peak_rss_bytes"} <= set(x)' \
        'x["textbook_flop"] > 0 and x["seconds_per_epoch"] > 0 and x["sgemm_flops"] > 0'
done
run 0 bench train data --passes 1 --dimension 8 --law-sample 1 --json
json 'x["executed_flop"] < x["textbook_flop"] and x["rows_after_sharing"] <= x["rows"]' \
    '0 < x["share_gemm"] < 1'

run 0 solve model
[ "$(grep -Ec '^[^	]+	[TF]	[01]\.[0-9]+$' out)" -eq 20 ] || fail "not one line per variable"
mv out first
run 0 solve model2
cmp -s out first || fail "one thread and two solve differently"
run 0 solve model --truth data/variables.tsv --json
json 'len(x["variables"]) == 20 and 0 <= x["recovered"] <= 1' \
    'all((v["confidence"] > .5) == (v["value"] == "T") for v in x["variables"])'
run 0 solve model --truth data
says '^# recovered [01]\.[0-9]+ of 20 '

run 0 inspect model
says '^law +formula'
says '^epochs +2 '
run 0 inspect model data --changed --json
json 'x["variables"] == 20 and len(x["laws"]) >= 10 and len(x["tensors"]) >= 1' \
    'all(l["wanted"] in ("near", "far") and l["n"] > 0 for l in x["laws"])'

# ---- options -----------------------------------------------------------------
printf '# short\nepochs = 3\nseed = 3\njson = true\n' >config
run 0 train data --config config --quiet --out model4
json 'x["epochs"] == 3'
run 0 train data --config config --quiet --epochs 1 --out model4
json 'x["epochs"] == 1'
run 0 train data --config config --quiet --epochs 1 --no_json --out model4
if [ "$(head -c 1 out)" = "{" ]; then fail "--no_json is not --no-json"; fi
run 0 train data --config config --quiet --epochs 1 --no-json --out model4
says '^split '
run 0 solve --json=false -- model
says '	[TF]	'

# ---- a result that cannot be written -----------------------------------------
if [ -w /dev/full ]; then
    code=0
    "$nln" solve model >/dev/full 2>err || code=$?
    [ "$code" -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] || fail "a full disk goes unseen"
fi

# ---- Ctrl-C ------------------------------------------------------------------
: >out
"$nln" train data --epochs 100000 --out never >out 2>progress &
pid=$!
for _ in $(seq 100); do
    [ -s progress ] && break
    sleep 0.1
done
kill -INT $pid
code=0
wait $pid || code=$?
mv progress err
[ "$code" -eq 1 ] || fail "exit code $code after an interruption"
tail -n 1 err | grep -q 'interrupted.*--resume goes on from never.checkpoint' ||
    fail "the interruption is not told"
[ ! -s out ] && [ ! -e never ] || fail "an interrupted training wrote something"
[ -z "$(find . -name '.nln*' -o -name '*.tmp*')" ] || fail "temporary files are left"

echo "$n_checks checks"
