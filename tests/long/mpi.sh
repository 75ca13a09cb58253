#!/bin/sh
# Ranks on the published sets, and ranks that are killed: mpi.sh [PROGRAM].
#   1. the tests of tests/cli/mpi.sh on 2, 3, 4 and 8 ranks;
#   2. one epoch on the published sets of $NLN_DATA, with the same bits on 1, 2, 3, 4 and 8 ranks;
#   3. kill -9 of a random rank at 20 random moments, resumed on another number of ranks.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
nln=$(readlink -f "${1:-$root/build/nln}")
if ! command -v mpirun >/dev/null || "$nln" --version | grep -q 'there is no plug-in'; then
    echo "SKIPPED: there is no MPI"
    exit 77
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sh "$root/tests/cli/mpi.sh" "$nln" 2 3 4 8
cd "$work"

ranks() {
    n=$1
    shift
    timeout 3000 mpirun --quiet --oversubscribe --bind-to none -n "$n" "$nln" "$@"
}

# same DATA OPTIONS...
same() {
    "$nln" train "$@" --threads 2 --quiet --out one >/dev/null
    for n in 1 2 3 4 8; do
        ranks $n train "$@" --threads $((n % 2 + 1)) --quiet --out many >/dev/null
        cmp one many || {
            echo "FAILED: other bits on $n ranks: $*"
            exit 1
        }
    done
    echo "the same bits on 1, 2, 3, 4 and 8 ranks: $*"
}
if [ -n "${NLN_DATA:-}" ] && [ -e "$NLN_DATA/nlr-ml100k" ]; then
    for task in preference topk; do
        same "$NLN_DATA/nlr-ml100k" --task $task --epochs 1
    done
    for model in gru svdpp biasedmf ncf; do
        same "$NLN_DATA/nlr-ml100k" --task topk --model $model --epochs 1
    done
else
    echo "SKIPPED: NLN_DATA has no nlr-ml100k, so nothing was tried on published ratings"
fi
"$nln" generate logic --out logic >/dev/null
same logic --epochs 1
same logic --recipe paper --epochs 1

# ---- kills ---------------------------------------------------------------------------
cat >dies <<'END'
#!/bin/sh
echo $$ >"pid.$OMPI_COMM_WORLD_RANK"
exec "$@"
END
chmod +x dies
options="--epochs 30 --dimension 16 --hidden 16 --threads 1 --quiet"
"$nln" train logic $options --out whole >/dev/null
kills=0
for seed in $(seq 40); do
    [ $kills -lt 20 ] || break
    before=$((2 + seed % 3)) after=$((1 + seed * 7 % 5))
    rm -f pid.* c part
    timeout 600 mpirun --quiet --oversubscribe --bind-to none -n $before ./dies "$nln" train logic \
        $options --checkpoint c --out part >/dev/null 2>err &
    job=$!
    sleep "$(awk -v seed="$seed" 'BEGIN { srand(seed); print 1 + 6 * rand() }')"
    begin=$(date +%s)
    kill -9 "$(cat pid.$((seed % before)))" 2>/dev/null || true
    if wait $job; then
        continue # it was over
    fi
    [ $(($(date +%s) - begin)) -le 20 ] || {
        echo "FAILED: the job went on for long after a rank was killed"
        exit 1
    }
    kills=$((kills + 1))
    ranks $after train logic $options --checkpoint c --resume --out part >/dev/null
    cmp whole part || {
        echo "FAILED: killed on $before ranks, resumed on $after: other bits"
        exit 1
    }
done
echo "$kills kills, all resumed on another number of ranks to the same bits"
