#!/bin/sh
# The program under valgrind: no invalid access, no use of uninitialised memory, no leak.
#     valgrind.sh PROGRAM
set -eu
nln=$1
if ! command -v valgrind >/dev/null; then
    echo "SKIPPED: valgrind is not installed"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

check() {
    valgrind --quiet --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite,indirect \
        "$nln" "$@" >/dev/null
}
check generate logic --variables 20 --expressions 60 --out "$work/data"
check train "$work/data" --epochs 1 --dimension 6 --threads 2 --quiet --out "$work/model"
check evaluate "$work/model" "$work/data" --exact
check predict "$work/model" "$work/data/test.tsv"
check solve "$work/model" --truth "$work/data"
check inspect "$work/model" "$work/data"

check generate ratings --users 20 --items 24 --ratings 300 --out "$work/ratings" \
    --titles "$work/titles"
check split "$work/ratings" --split nlr --out "$work/parts"
for task in topk preference; do
    check train "$work/parts" --task $task --epochs 1 --dimension 6 --batch 64 --threads 2 \
        --quiet --out "$work/$task"
    check evaluate "$work/$task" "$work/parts"
    check recommend "$work/$task" --user u3 --titles "$work/titles" -k 3
    check explain "$work/$task" --like i1,i2 --dislike i3 --titles "$work/titles"
done
check train "$work/ratings" --task topk --loss pairwise --negatives 1 --epochs 1 --dimension 6 \
    --threads 2 --quiet --out "$work/pairs"
check evaluate "$work/pairs" "$work/ratings" --per-user "$work/ranks"
for model in 'birnn --dimension 6' 'bilstm --dimension 6' marginals; do
    check train "$work/data" --model $model --epochs 1 --threads 2 --quiet \
        --log "$work/log" --snapshots 1 --out "$work/other"
    check predict "$work/other" "$work/data/test.tsv"
done
learned="--epochs 1 --dimension 6"
for model in popularity "biasedmf $learned" "svdpp $learned" "ncf $learned" ease itemknn "gru $learned"; do
    check train "$work/parts" --task topk --model $model --threads 2 \
        --quiet --per-user "$work/ranks" --out "$work/other"
    check recommend "$work/other" --user u3 -k 3
done
check plot tsne "$work/model" --truth "$work/data" --iterations 20 --perplexity 5 --out "$work/map"
check plot curves "$work/log" --metric rmse --out "$work/curves"
printf '%s\t%s\n' ann 'i1 !i2' bob '!i4' >"$work/histories"
check recommend "$work/topk" --histories "$work/histories" -k 3
check train "$work/data" --epochs 2 --dimension 6 --threads 2 --quiet --checkpoint "$work/point" \
    --out "$work/other"
check train "$work/data" --epochs 2 --dimension 6 --threads 2 --quiet --checkpoint "$work/point" \
    --resume --out "$work/other"
check tune "$work/data" --epochs 1 --dimension 6 --members 1 --grid l2=0,0.5 --out "$work/grid" \
    --quiet
if check predict "$work/model" "$work/nowhere" 2>/dev/null; then
    echo "a missing file was read" >&2
    exit 1
fi
