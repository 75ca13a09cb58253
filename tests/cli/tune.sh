#!/bin/sh
# nln tune, and the store of runs below it: tune.sh PROGRAM
. "$(dirname "$0")/common.sh"
pid=
trap '[ -z "$pid" ] || kill -KILL $pid 2>/dev/null; rm -rf "$work" "$lists"' EXIT
prepare
quick="--epochs 2 --members 1 --dimension 8"

# stamps: when each result was written.
stamps() {
    find "$1" -name result.json -exec stat -c '%n %y' {} + | sort
}

# children PID: the processes that this one has started.
children() {
    cat /proc/[0-9]*/stat 2>/dev/null | awk -v parent="$1" '$4 == parent { print $1 }'
}

# gone PIDS: waits until these processes have ended.
gone() {
    for _ in $(seq 100); do
        alive=0
        for child in $1; do
            case $(cut -d' ' -f3 "/proc/$child/stat" 2>/dev/null) in '' | Z) ;; *) alive=1 ;; esac
        done
        [ $alive -eq 0 ] && return 0
        sleep 0.1
    done
    fail "these processes outlive their parent:" $1
}

# ---- a grid ------------------------------------------------------------------
run 2 tune
says '^usage: nln tune '
says '^--grid '
run 0 tune data $quick --grid l2=0,0.5 --grid learning_rate=0.0001,0.03 --seeds 2 --jobs 2 \
    --out grid --best best.conf --quiet
[ ! -s err ] || fail "--quiet is not quiet"
says '^ *l2 +learning-rate +valid RMSE +s\.e\. +seeds +best epoch +seconds$'
[ "$(wc -l <out)" -eq 5 ] || fail "not one line for each of four trials"
! grep -qi test out grid/trials.tsv || fail "the test set is shown"
[ "$(wc -l <grid/trials.tsv)" -eq 5 ] || fail "trials.tsv lacks trials"
grep -q '^l2	learning-rate	valid.rmse	standard_error	seeds	best_epoch	seconds$' grid/trials.tsv ||
    fail "trials.tsv has other columns"
sed 1d grid/trials.tsv | cut -f3 | sort -c -g || fail "the best trial is not the first"
for file in command.json result.json log.txt timing.json; do
    [ "$(find grid -name $file | wc -l)" -eq 8 ] || fail "not every run has a $file"
done
says ' 2 +[0-9.]+ +[0-9.]+$'
cp grid/trials.tsv first.tsv
stamps grid >first

run 1 tune data $quick --grid l2=0,0.5 --out grid
run 0 tune data $quick --grid l2=0,0.5 --grid learning-rate=0.0001,0.03 --seeds 2 --resume \
    --out grid --json
json 'x["metric"] == "valid.rmse" and x["better"] == "lower" and x["seeds"] == 2' \
    'len(x["trials"]) == 4 and x["best"] == x["trials"][0]["options"]' \
    '{(t["options"]["l2"], t["options"]["learning-rate"]) for t in x["trials"]} == {(a, b) for a in (0, .5) for b in (.0001, .03)}' \
    'all(abs(t["valid"]["mean"] - sum(t["valid"]["values"]) / 2) < 1e-12 for t in x["trials"])' \
    'all(abs(t["valid"]["standard_error"] - abs(t["valid"]["values"][0] - t["valid"]["values"][1]) / 2) < 1e-12 for t in x["trials"])' \
    'all(t["seeds"] == 2 and len(t["runs"]) == 2 and t["seconds"] > 0 for t in x["trials"])' \
    '"test" not in str(x)'
cp out resumed
cmp -s grid/trials.tsv first.tsv || fail "the second table differs"
stamps grid | cmp -s - first || fail "a finished run was done again"
grep -q '8 of 8 runs are there already' err || fail "what is there is not told"

# One at a time and without quarrel over threads: the same numbers.
run 0 tune data $quick --grid l2=0,0.5 --grid learning-rate=0.0001,0.03 --seeds 2 --jobs 1 \
    --out single --quiet --json
python3 - out resumed <<'PYTHON' || fail "the number of jobs changes the result"
import json, sys
a, b = ([(t["options"], t["valid"]) for t in json.load(open(f))["trials"]] for f in sys.argv[1:])
sys.exit(a != b)
PYTHON

# The file of the best trial is a config file, and gives the same model.
run 0 train data --config best.conf --json --quiet --out model
cp out trained
run 0 tune data $quick --grid l2=0,0.5 --grid learning-rate=0.0001,0.03 --seeds 2 --resume \
    --out grid --json
json 'x["trials"][0]["valid"]["values"][0] == __import__("json").load(open("trained"))["valid"]["rmse"]'
grep -q '^# chosen by nln .* 4 trials with 2 seeds each' best.conf || fail "best.conf says nothing"

# Other seeds are added, other options are done again.
run 0 tune data $quick --grid l2=0,0.5 --grid learning-rate=0.0001,0.03 --seeds 3 --resume \
    --out grid --quiet
stamps grid | grep -v seed-3 | cmp -s - first || fail "a new seed did the old ones again"
[ "$(find grid -name result.json | wc -l)" -eq 12 ] || fail "the new seed is missing"
run 0 tune data $quick --hidden 9 --grid l2=0,0.5 --grid learning-rate=0.0001,0.03 --seeds 1 \
    --resume --out grid --quiet
[ "$(stamps grid | grep seed-1 | comm -12 - first | wc -l)" -eq 0 ] ||
    fail "a run with other words was not done again"
[ "$(stamps grid | grep seed-2 | comm -12 - first | wc -l)" -eq 4 ] ||
    fail "a run that was not asked for was done again"

# ---- draws -------------------------------------------------------------------
run 0 tune data --epochs 1 --members 1 --random 6 --grid l2=1e-6..1e-1 --grid dimension=4..16 \
    --grid dropout=0..0.1 --grid schedule=constant,cosine --metric accuracy --seed 5 --out drawn \
    --quiet --json
json 'len(x["trials"]) == 6 and x["metric"] == "valid.accuracy" and x["better"] == "higher"' \
    'all(1e-6 <= t["options"]["l2"] <= 1e-1 and t["options"]["dimension"] in range(4, 17) for t in x["trials"])' \
    'all(0 <= t["options"]["dropout"] <= .1 and t["options"]["schedule"] in ("constant", "cosine") for t in x["trials"])' \
    'min(t["options"]["l2"] for t in x["trials"]) < 1e-3 and len({str(t["options"]) for t in x["trials"]}) == 6' \
    'x["trials"] == sorted(x["trials"], key=lambda t: -t["valid"]["mean"])'
stamps drawn >first
run 0 tune data --epochs 1 --members 1 --random 8 --grid l2=1e-6..1e-1 --grid dimension=4..16 \
    --grid dropout=0..0.1 --grid schedule=constant,cosine --seed 5 --out drawn --resume --quiet
[ "$(stamps drawn | comm -12 - first | wc -l)" -eq 6 ] && [ "$(stamps drawn | wc -l)" -eq 8 ] ||
    fail "more draws do not begin with the same"
run 0 tune data $quick --random 9 --grid shuffle=true,false --out both --quiet --json
json 'sorted(t["options"]["shuffle"] for t in x["trials"]) == [False, True]'

# ---- ratings -----------------------------------------------------------------
run 0 generate ratings --users 60 --items 40 --ratings 1500 --out ratings
for task in preference topk; do
    run 0 tune ratings --task $task --epochs 1 --dimension 4 --grid history=3,5 --out $task --quiet \
        --json
    json "x['metric'] == {'preference': 'valid.auc', 'topk': 'valid.ndcg@10'}['$task']" \
        'all(0 < t["valid"]["mean"] <= 1 for t in x["trials"]) and x["better"] == "higher"'
done

# ---- failures ----------------------------------------------------------------
run 1 tune data $quick --grid 'laws=all;nonsense;negation,double_negation' --out failing \
    --best some.conf
says '^all +0'
says '^nonsense +- +- +0 '
grep -q "^nln: laws=nonsense/seed-1 failed: .*'nonsense'.*log.txt" err || fail "no reason is given"
tail -n 1 err | grep -q '1 of 3 runs failed; --resume' || fail "the failure is not counted"
grep -Eq '^laws = (all|negation,double_negation)$' some.conf || fail "the best of the others is lost"
bad 1 'other files' tune data --grid l2=0,1 --out data --resume
bad 2 "no option --l3; did you mean --l2" tune data --grid l3=0,1 --out never
bad 2 'l2 must be a number' tune data --grid l2=0,few --out never
bad 2 'dimension must be a whole number from 1' tune data --grid dimension=0..4 --random 2 --out never
bad 2 'upwards' tune data --grid dimension=8..4 --random 2 --out never
bad 2 'needs --random' tune data --grid l2=0..1 --out never
bad 2 'twice' tune data --grid l2=0,1,0 --out never
bad 2 'twice' tune data --grid l2=0 --grid l2=1 --out never
bad 2 '--seeds' tune data --grid seed=1,2 --out never
bad 2 'tasks' tune data --grid task=logic,topk --out never
bad 2 'NAME=VALUE' tune data --grid l2 --out never
for axis in split=paper,nlr split-seed=1,2 like_from=3,4 rating-range=1:5; do
    bad 2 'could not be compared' tune data --task topk --grid $axis --out never
done
bad 2 'say what to try' tune data --out never
bad 2 'not measured for the task logic' tune data --grid l2=0,1 --metric auc --out never
bad 2 'more than' tune data --grid "hidden=$(seq -s, 400)" --grid "history=$(seq -s, 400)" --out never
[ ! -e never ] || fail "a folder was made for nothing"

# ---- interruptions -----------------------------------------------------------
# Killed at several moments, and resumed; what was finished stays.
slow="tune data --epochs 40 --grid l2=0,0.1,0.2,0.3 --jobs 2 --out killed --resume"
: >before
for moment in 0.05 0.4 0.8 0.3; do
    "$nln" $slow >/dev/null 2>progress &
    pid=$!
    sleep $moment
    started=$(children $pid)
    kill -KILL $pid 2>/dev/null || true
    wait $pid 2>/dev/null || true
    gone "$started"
    [ ! -e killed ] || stamps killed >after
    [ "$(comm -12 before after | wc -l)" -eq "$(wc -l <before)" ] || fail "a finished run was lost"
    cp after before
    pid=
done
run 0 $slow --json
json 'len(x["trials"]) == 4 and all(t["seeds"] == 1 for t in x["trials"])'
[ "$(stamps killed | comm -12 - before | wc -l)" -eq "$(wc -l <before)" ] ||
    fail "a finished run was done again"

# Asked to stop: the children stop too, and the way on is told.
for signal in INT TERM; do
    "$nln" tune data --epochs 100000 --grid l2=0,0.1,0.2 --jobs 2 --out stopped --resume \
        >out 2>progress &
    pid=$!
    for _ in $(seq 100); do
        started=$(children $pid)
        [ "$(echo $started | wc -w)" -eq 2 ] && break
        sleep 0.05
    done
    [ "$(echo $started | wc -w)" -eq 2 ] || fail "there are not two jobs"
    ! "$nln" tune data --grid l2=0,0.1 --out stopped --resume 2>err || fail "two work in one store"
    grep -q 'another nln is at work' err || fail "it is not told that another is at work"
    kill -$signal $pid
    code=0
    wait $pid || code=$?
    [ "$code" -eq 1 ] || fail "exit code $code after SIG$signal"
    tail -n 1 progress | grep -q 'interrupted: 0 of 3 runs are done, and --resume goes on' ||
        fail "the interruption is not told"
    gone "$started"
    pid=
done
[ ! -s out ] || fail "an interrupted tune printed something"
[ -z "$(find stopped -name result.json)" ] || fail "an interrupted run looks finished"

# ---- other verbs -------------------------------------------------------------
run 0 tune model data --verb evaluate --grid orders=1,4 --metric network.rmse --least --json \
    --out orders --best orders.conf --quiet
json 'x["verb"] == "evaluate"' 'x["better"] == "lower"' 'len(x["trials"]) == 2' \
    'x["trials"][0]["valid"]["mean"] <= x["trials"][1]["valid"]["mean"]'
grep -q '^orders = [14]$' orders.conf || fail "the best is not written"
run 0 evaluate model data --part valid --config orders.conf
run 0 tune --verb "bench train" --grid expressions=500 --grid passes=1 --grid batch=64,128 \
    --metric seconds_per_epoch --least --out benches --quiet
[ "$(wc -l <out)" -eq 3 ] || fail "not one line for each of two benches"
bad 2 'arguments are those of: nln evaluate MODEL DATA' tune model --verb evaluate --grid orders=1 \
    --metric network.rmse --out none
bad 2 'which number' tune model data --verb evaluate --grid orders=1 --out none
bad 2 'validation alone' tune model data --verb evaluate --grid part=test --metric network.rmse \
    --out none
for axis in negatives=10,20 negatives-seed=1,2 most=5,6 split=paper,nlr; do
    bad 2 'could not be compared' tune model data --verb evaluate --grid $axis --metric network.rmse \
        --out none
done
bad 2 'no such verb' tune data --verb learn --grid l2=1 --out none
bad 2 'cannot be tuned' tune data --verb tune --grid seeds=1 --metric x --out none
bad 2 'least is for' tune data --grid l2=1 --least --out none
bad 2 'metric may be' tune data --grid l2=1 --metric speed --out none

echo "$n_checks checks"
