#!/bin/sh
# The program on several ranks: the same bits, one voice, no deadlock.  mpi.sh PROGRAM [few]
# Trainings are tried on 1, 2, 3, 4 and 8 ranks with 1 and 2 threads; with `few`, as under a sanitizer,
# on 2 ranks with 1 thread and on 3 with 2.
. "$(dirname "$0")/common.sh"
few="2x1 3x2" all="1x1 1x2 2x1 2x2 3x1 3x2 4x1 4x2 8x1 8x2" ranks="2 3"
[ "${2:-}" != few ] || all=$few
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

# Facts about people, and a rule: expressions with predicates; and triples.
mkdir people family
awk 'BEGIN {
    srand(1)
    print "forall x y: knows(x, y) -> knows(y, x)\tT"
    for (i = 0; i < 300; i++)
        printf "%s(p%d, p%d)\t%s\n", i % 2 ? "knows" : "likes", 20 * rand(), 20 * rand(), rand() < 0.7 ? "T" : "F"
}' >people/train.tsv
head -60 people/train.tsv | tail -40 >people/valid.tsv
tail -40 people/train.tsv >people/test.tsv
for part in train valid test; do
    awk -v part=$part 'BEGIN {
        srand(length(part))
        for (i = 0; i < (part == "train" ? 700 : 40); i++) {
            a = int(30 * rand())
            printf "p%d\t%s\tp%d\n", a, i % 3 ? "parent" : "friend", (7 * a + i % 3) % 30
        }
    }' | sort -u >family/$part.txt
done

# ---- the same bits -------------------------------------------------------------------
# same NAME WHERE ARGUMENTS...: a training on one process and on several ranks and threads.
same() {
    name=$1 where=$2
    shift 2
    run 0 train "$@" --threads 1 --quiet --log "$name.tsv" --out "$name.nln"
    cut -f 1,3- "$name.tsv" >wanted
    for at in $where; do
        mpi 0 "${at%x*}" train "$@" --threads "${at#*x}" --quiet --log mpi.tsv --out mpi
        cmp -s "$name.nln" mpi || fail "$name: other bits on $at ranks x threads"
        cut -f 1,3- mpi.tsv | cmp -s wanted - || fail "$name: another log on $at ranks x threads"
    done
}
small="--epochs 2 --dimension 8 --hidden 8"
same every_law "$few" logic --recipe paper $small --batch 160
same logic "$all" logic $small
same logic_networks "$few" logic $small --networks 2 --dropout 0.1
same preference "$all" ratings --task preference $small
same topk "$all" ratings --task topk $small
same gru "$all" ratings --task topk --model gru $small --batch 1024
same svdpp "$all" ratings --task preference --model svdpp --epochs 2 --dimension 8 --batch 1024
same biasedmf "$few" ratings --task preference --model biasedmf --epochs 2 --dimension 8 --batch 1024
same ncf "$few" ratings --task topk --model ncf --epochs 2 --dimension 8 --batch 1024
same sasrec "$few" ratings --task topk --model sasrec --epochs 2 --dimension 8 --batch 1024
same birnn "$few" logic --model birnn $small --batch 960
same bilstm "$few" logic --model bilstm $small --batch 960
same marginals "$few" logic --model marginals --epochs 2 --batch 960
same predicates "$few" people --epochs 2 --dimension 8 --hidden 8 --batch 64
same link "$few" family --task link --epochs 2 --dimension 8 --batch 64
for model in complex distmult transe; do
    same $model "$few" family --task link --model $model --epochs 2 --dimension 8 --batch 512
done

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

# ---- trials and runs ---------------------------------------------------------------------
# Each is done by one of the ranks; what rank 0 makes of them is the same but for the seconds.
tune="tune logic $small --epochs 1 --grid l2=0,0.1 --grid learning-rate=0.001,0.01 --jobs 1 --threads 1"
run 0 $tune --out tuned --best best.conf
mpi 0 3 $tune --out tuned3 --best best3.conf
cmp -s best.conf best3.conf || fail "another best trial on 3 ranks"
cut -f 1-6 tuned/trials.tsv >wanted
cut -f 1-6 tuned3/trials.tsv | cmp -s wanted - || fail "other trials on 3 ranks"
[ "$(find tuned3 -name result.json | wc -l)" -eq 4 ] || fail "not every trial has its result"
[ -z "$(find tuned3 -name '.claims*')" ] || fail "claims are left"
mpi 0 2 $tune --out tuned3 --resume
mpi 1 2 tune logic $small --grid 'laws=all;nonsense' --jobs 1 --threads 1 --out failing
[ "$(grep -c 'failed: ' err)" -eq 1 ] || fail "the trial that failed is not named once"
run 0 reproduce table2 --tiny --seeds 1 --out made --quiet --jobs 1
mpi 0 2 reproduce table2 --tiny --seeds 1 --out made2 --quiet --jobs 1
diff -r made/tables made2/tables >/dev/null || fail "other tables on 2 ranks"
mpi 1 2 tune logic $small --grid l2=0 --out tuned
[ "$(grep -c 'nln: ' err)" -eq 1 ] || fail "one sentence is enough"

# ---- one voice -----------------------------------------------------------------------
mpi 0 2 train logic $small --out model
[ "$(grep -c 'best epoch' out)" -eq 1 ] || fail "the table is not printed once"
[ "$(grep -c 'epoch 1/2' err)" -le 1 ] || fail "the progress is not that of one rank"
mpi 0 2 train logic $small --quiet --json --out model
json 'x["epochs"] == 2'
mpi 0 2 inspect model --json
json 'x'

# ---- errors --------------------------------------------------------------------------
# one_word WHAT: the job ended with exit code 1 and one sentence, which names this host and what it was.
one_word() {
    [ "$code" -eq 1 ] || fail "exit code $code, not 1: $(cat err)"
    [ "$(grep -c 'nln: ' err)" -eq 1 ] || fail "one sentence is enough: $(cat err)"
    grep -q "nln: $(uname -n)[^:]*: .*$1" err || fail "the sentence does not name the host and '$1': $(cat err)"
    n_checks=$((n_checks + 1))
}
mpi 1 2 train nowhere --out model
one_word nowhere
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
one_word 'train.tsv:'
sed -i '$d' elsewhere/logic/train.tsv
sed -i '1d' elsewhere/logic/train.tsv
code=0
timeout 60 mpirun --quiet --oversubscribe -n 2 ./one "$nln" train logic $small --quiet --out model \
    >out 2>err || code=$?
one_word 'data differ from those of rank 0'

# no memory on one rank alone: it wants 900 MB of addresses, and may have 400
cat >poor <<'END'
#!/bin/sh
[ "$OMPI_COMM_WORLD_RANK" = 1 ] && ulimit -v 400000
exec "$@"
END
chmod +x poor
if [ "${2:-}" = few ]; then
    echo "SKIPPED: a rank without memory, since sanitizers want terabytes of addresses"
else
    code=0
    timeout 60 mpirun --quiet --oversubscribe -n 2 ./poor "$nln" train logic --epochs 1 --threads 1 \
        --dimension 512 --hidden 1024 --quiet --out model >out 2>err || code=$?
    one_word memory
fi
# a full disk, where rank 0 writes a checkpoint and a model
mkdir full
for where in "--checkpoint full/file --out model" "--out full/file"; do
    if [ "$(id -u)" != 0 ] || ! mount -t tmpfs -o size=4k none full 2>/dev/null; then
        echo "SKIPPED: a full disk, since tmpfs cannot be mounted here"
        break
    fi
    code=0
    timeout 60 mpirun --quiet --oversubscribe -n 3 "$nln" train logic $small --quiet $where \
        >out 2>err || code=$?
    umount full
    one_word full/file
done

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
    grep -q 'rank 1 on .* has ended without a word\|signal 9' err || fail "no word of the dead rank"
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
grep -q "rank 1 on $(uname -n).* has not answered for 2 s" err || fail "the silent rank is not named"
# The heartbeat shows it too, whatever the ranks wait for.
rm -f victim
NLN_CLUSTER_SILENCE=3 timeout 60 mpirun --quiet --oversubscribe -x NLN_CLUSTER_SILENCE -n 3 ./sleeps \
    "$nln" train logic $long --epochs 100000 --quiet --out part >out 2>err &
job=$!
sleep 1.5
kill -STOP "$(cat victim)"
begin=$(date +%s) code=0
wait $job || code=$?
kill -9 "$(cat victim)" 2>/dev/null || true
[ "$code" -eq 1 ] || fail "exit code $code where a rank is silent"
[ $(($(date +%s) - begin)) -le 15 ] || fail "a silent rank is noticed too late"
grep -q "rank 1 on $(uname -n).* has not been heard of for" err || fail "the silent rank is not named"

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
