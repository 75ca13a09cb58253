#!/bin/sh
# nln train from expressions: train.sh PROGRAM
. "$(dirname "$0")/common.sh"

prepare
run 0 train data --epochs 2 --seed 3 --threads 2 --out model2 --json
json '{"epochs", "best_epoch", "seconds", "seconds_per_epoch", "peak_rss_bytes", "seed", "options", "model", "version"} <= set(x)' \
    'x["epochs"] == 2 and 1 <= x["best_epoch"] <= 2 and x["seed"] == 3 and x["model"] == "model2"' \
    'all({"n", "accuracy", "rmse", "cross_entropy"} <= set(x[s]) for s in ("train", "valid", "test"))' \
    'x["test"]["n"] == 30 and 0 <= x["test"]["accuracy"] <= 1 and x["options"]["epochs"] == 2'
[ "$(grep -c "^epoch" err)" -eq 2 ] || fail "not one line of progress per epoch"
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
for model in "birnn --dimension 8" "bilstm --dimension 8" marginals; do
    run 0 train data --model $model --epochs 3 --seed 3 --quiet --out other --json
    mv out trained
    run 0 evaluate other data --json
    python3 - trained out <<'PYTHON' || fail "evaluate does not repeat what train said of $model"
import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
sys.exit(abs(a["test"]["accuracy"] - b["network"]["accuracy"]) > 1e-9)
PYTHON
    run 0 inspect other
done
bad 1 '--recipe does nothing for --model birnn' train data --model birnn --recipe paper --out model6
for option in grades=2 history=5 least-history=1 together=2 drop-history=0.1 context=all \
    loss=pairwise negatives=3 keep-users=false; do
    bad 1 "option --${option%%=*} does nothing for --task logic: leave it out" \
        train data "--$option" --out model6
done
bad 1 'does nothing for --model birnn' train data --model birnn --law-weight 1 --out model6
bad 1 'cannot do task logic' train data --model gru --out model6

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
