#!/bin/sh
# Ranks on the published sets, and ranks that are killed: mpi.sh [PROGRAM [PARTS]], PARTS are one
# or more of these, all unless given:
#   small      the tests of tests/cli/mpi.sh;
#   published  one epoch on the published sets of $NLN_DATA, with the same bits on 1, 2, 3, 4 and 8 ranks
#              with 1 and 2 threads; its parts are logic, preference, topk and others;
#   kills      kill -9 of a random rank at 20 random moments, resumed on another number of ranks.
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
cd "$work"
"$nln" generate logic --out logic >/dev/null

ranks() {
    n=$1
    shift
    timeout 3000 mpirun --quiet --oversubscribe --bind-to none -n "$n" "$nln" "$@"
}

# same DATA OPTIONS...
same() {
    "$nln" train "$@" --threads 2 --quiet --out one >/dev/null
    for n in 1 2 3 4 8; do
        for threads in 1 2; do
            ranks $n train "$@" --threads $threads --quiet --out many >/dev/null
            cmp one many || {
                echo "FAILED: other bits on $n ranks with $threads threads: $*"
                exit 1
            }
        done
    done
    echo "the same bits on 1, 2, 3, 4 and 8 ranks with 1 and 2 threads: $*"
}
small() {
    sh "$root/tests/cli/mpi.sh" "$nln"
}

# is_there SET: whether NLN_DATA has it.
is_there() {
    [ -e "${NLN_DATA:-}/$1" ] || {
        echo "SKIPPED: NLN_DATA has no $1, so nothing was tried on it"
        return 1
    }
}

logic() {
    same logic --epochs 1
    same logic --recipe paper --epochs 1
    ! is_there nlr-logic || same "$NLN_DATA/nlr-logic" --epochs 2
}

preference() {
    ! is_there nlr-ml100k || same "$NLN_DATA/nlr-ml100k" --task preference --epochs 1
}

topk() {
    ! is_there nlr-ml100k || same "$NLN_DATA/nlr-ml100k" --task topk --epochs 1
}

others() {
    is_there nlr-ml100k || return 0
    for model in gru svdpp biasedmf ncf sasrec; do
        same "$NLN_DATA/nlr-ml100k" --task topk --model $model --epochs 1
    done
    same "$NLN_DATA/nlr-ml100k" --task preference --model svdpp --epochs 2
}

published() {
    logic
    preference
    topk
    others
}

kills() {
    cat >dies <<'END'
#!/bin/sh
echo $$ >"pid.$OMPI_COMM_WORLD_RANK"
exec "$@"
END
    chmod +x dies
    options="--epochs 60 --dimension 8 --hidden 8 --threads 1 --quiet"
    "$nln" generate logic --variables 100 --expressions 1200 --out small >/dev/null
    "$nln" train small $options --out whole >/dev/null
    n_kills=0
    for seed in $(seq 40); do
        [ $n_kills -lt 20 ] || break
        before=$((2 + seed % 3)) after=$((1 + seed * 7 % 5))
        [ $after -ne $before ] || after=$((before + 1))
        rm -f pid.* c part
        timeout 600 mpirun --oversubscribe --bind-to none -n $before ./dies "$nln" train small \
            $options --checkpoint c --out part >/dev/null 2>err &
        job=$!
        while [ ! -s pid.$((seed % before)) ]; do
            sleep 0.1
        done
        sleep "$(awk -v seed="$seed" 'BEGIN { srand(seed); print 4 * rand() }')"
        begin=$(date +%s)
        kill -9 "$(cat pid.$((seed % before)))" 2>/dev/null || true
        if wait $job; then
            continue # it was over
        fi
        [ $(($(date +%s) - begin)) -le 20 ] || {
            echo "FAILED: the job went on for long after a rank was killed"
            exit 1
        }
        grep -q 'rank .* on .* has ended without a word\|signal 9' err || {
            echo "FAILED: no sentence says which rank has died"
            cat err
            exit 1
        }
        n_kills=$((n_kills + 1))
        ranks $after train small $options --checkpoint c --resume --out part >/dev/null
        cmp whole part || {
            echo "FAILED: killed on $before ranks, resumed on $after: other bits"
            exit 1
        }
    done
    [ $n_kills -eq 20 ] || {
        echo "FAILED: only $n_kills trainings could be killed before their end"
        exit 1
    }
    echo "$n_kills kills, all resumed on another number of ranks to the same bits"
}

[ $# -eq 0 ] || shift
for part in ${*:-small published kills}; do
    $part
done
