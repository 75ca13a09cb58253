#!/bin/sh
# A training that is killed goes on, to the same bits: checkpoint.sh PROGRAM [KILLS].
. "$(dirname "$0")/common.sh"
kills=${2:-5}

run 0 generate logic --variables 200 --expressions 2000 --seed 1 --out data

# ---- Ctrl-C and SIGTERM --------------------------------------------------------
# stop SIGNAL OUT OPTIONS...: begins a training, sends it the signal after its first epoch; again
# if it was over by then, as it may be on a machine that has much else to do.
stop() {
    signal=$1 model=$2
    shift 2
    for _ in $(seq 20); do
        : >progress
        "$nln" train data --epochs 12 --out "$model" "$@" >out 2>progress &
        pid=$!
        for _ in $(seq 200); do
            grep -q '^epoch 1/' progress && break
            sleep 0.05
        done
        kill -"$signal" $pid 2>/dev/null || true
        code=0
        wait $pid || code=$?
        [ "$code" -eq 0 ] || break
        [ ! -f "$model" ] || rm "$model"
    done
    mv progress err
    [ "$code" -eq 1 ] || fail "exit code $code after SIG$signal"
    [ ! -s out ] && [ ! -f "$model" ] || fail "an interrupted training wrote a model"
}

run 0 train data --epochs 12 --out whole --log whole.tsv
for signal in INT TERM; do
    stop $signal model
    tail -n 1 err | grep -q 'interrupted in epoch .*; --resume goes on from model.checkpoint$' ||
        fail "SIG$signal leaves without a sentence"
    run 0 inspect model.checkpoint
    "$nln" train data --epochs 12 --out model --resume >out 2>err || fail "resume after SIG$signal"
    grep -q "going on from 'model.checkpoint', in epoch" err || fail "it is not told where it goes on"
    cmp -s whole model || fail "another model after SIG$signal"
    [ ! -e model.checkpoint ] || fail "model.checkpoint is left"
    rm model
done

# ---- a file of one's own, and the log --------------------------------------------
stop TERM model --checkpoint here --every 2 --log log.tsv
printf '99\tcut off' >>log.tsv # what a kill may leave
run 0 train data --epochs 12 --out model --checkpoint here --every 2 --resume --log log.tsv
cmp -s whole model || fail "another model with --checkpoint"
[ -e here ] || fail "the file of --checkpoint is gone"
for log in whole log; do
    cut -f 1,3- $log.tsv >$log.cut # all but the seconds
done
cmp -s whole.cut log.cut || fail "the log of a resumed training is another one"
run 0 train data --epochs 12 --out again --checkpoint here --resume
cmp -s whole again || fail "going on from the end is not the end"
"$nln" train data --epochs 12 --out anew --checkpoint nowhere --resume 2>err >out ||
    fail "resuming from nothing must begin anew"
grep -q "there is no 'nowhere' to go on from: beginning anew" err || fail "beginning anew is not told"
cmp -s whole anew || fail "another model when beginning anew"

# ---- logs that are no files, or other logs ------------------------------------------
timeout 60 "$nln" train data --epochs 2 --quiet --log /dev/stdout --out model 2>err | cat >out
[ "$(grep -c '^epoch' out)" -eq 1 ] && grep -q '^2' out || fail "a log into a pipe"
run 0 train data --epochs 2 --curves --quiet --log other.tsv --out model
run 0 train data --epochs 2 --quiet --log other.tsv --resume --out model
[ "$(awk -F'\t' '{ print NF }' other.tsv | sort -u | wc -l)" -eq 1 ] ||
    fail "lines of a log do not fit its head"

# ---- what is not a checkpoint of this training is left alone --------------------------
run 0 train data --epochs 1 --quiet --out x.checkpoint
run 0 train data --epochs 1 --quiet --out x
[ -s x.checkpoint ] || fail "a model of the name of a checkpoint is gone"
stop INT /dev/null
tail -n 1 err | grep -q 'interrupted in epoch .*; nothing was written$' ||
    fail "a checkpoint beside a device"
mkdir model-epoch-1
run 1 train data --epochs 3 --quiet --snapshots 1 --out model
tail -n 1 err | grep -q 'the training stops here, and --resume goes on' ||
    fail "it is not told how to go on"
rm -r model-epoch-1 model.checkpoint

# ---- what is refused --------------------------------------------------------------
bad 2 'every is for --checkpoint' train data --out model --every 3
bad 1 "here: this training was begun with --epochs 12, and this is with 13" \
    train data --epochs 13 --out other --checkpoint here --resume
bad 1 'cannot write here' train data --out other --checkpoint nowhere/at/all --quiet
run 0 generate logic --variables 200 --expressions 2000 --seed 2 --out other-data
bad 1 'here: this training was begun with other data' \
    train other-data --epochs 12 --out other --checkpoint here --resume
bad 1 'has no training under way' train data --epochs 12 --out other --checkpoint whole --resume

# ---- SIGKILL -----------------------------------------------------------------------
# Killed at a random moment of its life, once or more often, then left to finish.
killed=0 seed=1
while [ "$killed" -lt "$kills" ]; do
    rm -f model kept
    seed=$((seed + 1))
    delay=$(awk -v seed=$seed 'BEGIN { srand(seed); printf "%.3f", rand() * 1.5 }')
    "$nln" train data --epochs 12 --out model --checkpoint kept --quiet --resume >/dev/null 2>err &
    pid=$!
    sleep "$delay"
    kill -KILL $pid 2>/dev/null || true
    code=0
    wait $pid 2>/dev/null || code=$?
    [ "$code" -ge 128 ] || continue # it was quicker
    killed=$((killed + 1))
    run 0 train data --epochs 12 --out model --checkpoint kept --quiet --resume
    cmp -s whole model || fail "another model after SIGKILL at $delay s (kill $killed)"
done
[ -z "$(find . -name '.nln*' -o -name '*.tmp*')" ] || fail "temporary files are left"

echo "$n_checks checks, $killed kills"
