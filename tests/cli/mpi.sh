#!/bin/sh
# The program on several ranks: the same bits, one voice, no deadlock.  mpi.sh PROGRAM [RANKS...]
. "$(dirname "$0")/common.sh"
shift
ranks=${*:-2 3}
if ! command -v mpirun >/dev/null || "$nln" --version | grep -q 'there is no plug-in'; then
    echo "SKIPPED: there is no MPI, so nothing was tried on several ranks"
    exit 0
fi
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
export OMPI_MCA_rmaps_base_oversubscribe OMPI_MCA_hwloc_base_binding_policy
unset NLN_CLUSTER || true

# mpi CODE RANKS ARGUMENTS...: as run, on so many ranks.
mpi() {
    wanted=$1 n=$2
    shift 2
    code=0
    timeout 120 mpirun --quiet --oversubscribe -n "$n" "$nln" "$@" >out 2>err </dev/null || code=$?
    [ "$code" -eq "$wanted" ] || fail "exit code $code, not $wanted: mpirun -n $n nln $*"
    n_checks=$((n_checks + 1))
}

run 0 generate logic --variables 100 --expressions 1200 --seed 1 --out logic
run 0 generate ratings --users 120 --items 90 --ratings 3000 --out ratings

# ---- the same bits -------------------------------------------------------------------
# same NAME ARGUMENTS...: a training on one process and on several ranks with 1 and 2 threads.
same() {
    name=$1
    shift
    run 0 train "$@" --threads 1 --quiet --log "$name.tsv" --out "$name.nln"
    threads=1
    for n in $ranks; do
        mpi 0 "$n" train "$@" --threads $threads --quiet --log mpi.tsv --out mpi
        cmp -s "$name.nln" mpi || fail "$name: other bits on $n ranks with $threads threads"
        cut -f 1,3- "$name.tsv" >wanted
        cut -f 1,3- mpi.tsv | cmp -s wanted - || fail "$name: another log on $n ranks"
        threads=$((3 - threads))
    done
}
small="--epochs 2 --dimension 8 --hidden 8"
same every_law logic --recipe paper $small --batch 160
same logic logic $small
same logic_networks logic $small --networks 2 --dropout 0.1
same preference ratings --task preference $small
same topk ratings --task topk $small
same gru ratings --task topk --model gru $small --batch 1024
same svdpp ratings --task preference --model svdpp --epochs 2 --dimension 8 --batch 1024
same birnn logic --model birnn $small --batch 960
same marginals logic --model marginals --epochs 2 --batch 960

# ---- evaluation, predictions and lists -------------------------------------------------
cut -f 1 logic/test.tsv >questions
awk -F, 'NR > 1 && NR < 60 { print $1 "-" NR "\t" $2 }' ratings >histories
for n in $ranks; do
    for model in logic.nln every_law.nln; do
        run 0 evaluate $model logic --json
        grep -v seconds out >wanted
        mpi 0 "$n" evaluate $model logic --json
        grep -v seconds out | cmp -s - wanted || fail "evaluate $model is another on $n ranks"
        run 0 predict $model questions
        mv out wanted
        mpi 0 "$n" predict $model questions
        cmp -s out wanted || fail "predict $model is another on $n ranks"
    done
    for model in topk.nln preference.nln gru.nln svdpp.nln; do
        run 0 evaluate $model ratings --json
        grep -v seconds out >wanted
        mpi 0 "$n" evaluate $model ratings --json
        grep -v seconds out | cmp -s - wanted || fail "evaluate $model is another on $n ranks"
    done
    run 0 recommend topk.nln --histories histories
    mv out wanted
    mpi 0 "$n" recommend topk.nln --histories histories
    cmp -s out wanted || fail "the lists are others on $n ranks"
done
"$nln" predict logic.nln - <questions >wanted
timeout 60 mpirun --quiet --oversubscribe -n 2 "$nln" predict logic.nln - <questions >out 2>err ||
    fail "predict from standard input"
cmp -s out wanted || fail "predict from standard input is another on 2 ranks"
mpi 0 2 bench train logic --passes 1 --json
json 'x["sent_bytes_per_batch"] > 0' 'x["waited_seconds_per_batch"] > 0'

# ---- one voice -----------------------------------------------------------------------
mpi 0 2 train logic $small --out model
[ "$(grep -c 'best epoch' out)" -eq 1 ] || fail "the table is not printed once"
[ "$(grep -c 'epoch 1/2' err)" -le 1 ] || fail "the progress is not that of one rank"
mpi 0 2 train logic $small --quiet --json --out model
json 'x["epochs"] == 2'
mpi 0 2 inspect model --json
json 'x'

# ---- errors --------------------------------------------------------------------------
mpi 1 2 train nowhere --out model
[ "$(grep -c 'nln: ' err)" -eq 1 ] || fail "one sentence is enough"
grep -q "nln: .*: .*nowhere" err || fail "the sentence does not name the host"
# bad data on one rank alone
cat >one <<'END'
#!/bin/sh
[ "$OMPI_COMM_WORLD_RANK" = 1 ] && cd elsewhere
exec "$@"
END
chmod +x one
mkdir -p elsewhere
cp -r logic elsewhere/logic
printf '(v1 & \tT\n' >>elsewhere/logic/train.tsv
code=0
timeout 60 mpirun --quiet --oversubscribe -n 3 ./one "$nln" train logic $small --quiet --out model \
    >out 2>err || code=$?
[ "$code" -eq 1 ] || fail "exit code $code with bad data on one rank"
grep -q 'nln: .*: .*train.tsv:' err || fail "bad data on one rank are not named"
sed -i '$d' elsewhere/logic/train.tsv
sed -i '1d' elsewhere/logic/train.tsv
code=0
timeout 60 mpirun --quiet --oversubscribe -n 2 ./one "$nln" train logic $small --quiet --out model \
    >out 2>err || code=$?
[ "$code" -eq 1 ] || fail "exit code $code with other data on one rank"
grep -q 'data differ from those of rank 0' err || fail "other data on one rank are not noticed"

# ---- a rank that dies, and going on on another number of ranks --------------------------
long="--epochs 40 --dimension 8 --hidden 8 --threads 1"
run 0 train logic $long --quiet --out whole
cat >dies <<'END'
#!/bin/sh
[ "$OMPI_COMM_WORLD_RANK" = 1 ] && echo $$ >victim
exec "$@"
END
chmod +x dies
rm -f victim part
timeout 60 mpirun --quiet --oversubscribe -n 2 ./dies "$nln" train logic $long --quiet \
    --checkpoint c --out part >out 2>err &
job=$!
for _ in $(seq 600); do
    [ -f c ] && break
    sleep 0.05
done
kill -9 "$(cat victim)" 2>/dev/null || true
code=0
wait $job || code=$?
if [ "$code" -eq 0 ]; then
    echo "SKIPPED: the training was over before a rank could be killed"
else
    [ ! -f part ] || fail "a job whose rank was killed wrote a model"
    mpi 0 3 train logic $long --quiet --checkpoint c --resume --out part
    cmp -s whole part || fail "resumed on 3 ranks: other bits"
fi

# ---- a rank that is silent --------------------------------------------------------------
cat >sleeps <<'END'
#!/bin/sh
[ "$OMPI_COMM_WORLD_RANK" = 1 ] && echo $$ >victim
exec "$@"
END
chmod +x sleeps
rm -f victim
NLN_CLUSTER_TIMEOUT=2 timeout 60 mpirun --quiet --oversubscribe -x NLN_CLUSTER_TIMEOUT -n 2 ./sleeps \
    "$nln" train logic $long --epochs 100000 --quiet --out part >out 2>err &
job=$!
sleep 1.5
kill -STOP "$(cat victim)"
code=0
wait $job || code=$?
kill -9 "$(cat victim)" 2>/dev/null || true
[ "$code" -ne 0 ] && [ "$code" -ne 124 ] || fail "a silent rank keeps the job waiting"
grep -q 'rank 1 has not answered for 2 s' err || fail "the silent rank is not named"

# ---- without the plug-in -----------------------------------------------------------------
mkdir empty
NLN_PLUGINS=$work/empty
export NLN_PLUGINS
run 0 --version
says '^MPI: there is no plug-in$'
mpi 1 2 train logic $small --out model
grep -q 'there is no nln-mpi.so' err || fail "the missing plug-in is not named"
NLN_CLUSTER=off
export NLN_CLUSTER
run 0 train logic $small --quiet --out model
echo "$n_checks checks"
