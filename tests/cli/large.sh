#!/bin/sh
# Long and large input: memory in proportion to it, time too, and limits that are said:
# large.sh PROGRAM [full]
. "$(dirname "$0")/common.sh"

if [ "${2:-}" = full ]; then
    literals=1000000 expressions=1000000 variables=10000000 ratings=20000000 taught=4000000
    long=1000000
else
    literals=60000 expressions=20000 variables=800000 ratings=40000 taught=20000 long=100000
fi
# The smallest network, since it is the rest that is measured.
small="--epochs 1 --dimension 4 --members 1 --orders 1 --law-weight 0 --quiet"
# Rules take memory for each item, not for each rating.
history="--history 2 --negatives 4 --rules 0"

# ---- measuring ---------------------------------------------------------------
# take COMMAND...: runs it, with the seconds of the processor and the most bytes it held in
# $lists/taken.
cat >"$lists/take.py" <<'PYTHON'
import os, subprocess, sys

child = subprocess.Popen(sys.argv[2:])
_, status, usage = os.wait4(child.pid, 0)
with open(sys.argv[1], "w") as file:
    print(usage.ru_utime, usage.ru_maxrss * 1024, file=file)
sys.exit(os.waitstatus_to_exitcode(status))
PYTHON

# measure CODE WHAT UNITS MOST ARGUMENTS...: the exit code, and above 20 MB, which are Python's
# and the program's own, at most MOST bytes for each unit.  The peak of one command varies by a tenth
# from run to run, so it has three tries.
measure() {
    wanted=$1 what=$2 units=$3 most=$4
    shift 4
    for again in yes yes no; do
        code=0
        python3 "$lists/take.py" "$lists/taken" "$nln" "$@" >out 2>err </dev/null || code=$?
        [ "$code" -eq "$wanted" ] || fail "exit code $code, not $wanted: $what"
        read -r seconds bytes <"$lists/taken"
        awk -v n="$units" -v most="$most" -v b="$bytes" -v s="$seconds" -v what="$what" 'BEGIN {
            printf "%-44s %9d %8.2f s %7.0f MB %7.0f bytes each\n", what, n, s, b / 1e6, b / n
            exit b > 20e6 + most * n }' && break
        [ "$again" = yes ] || fail "$what takes more than $most bytes for each"
    done
    n_checks=$((n_checks + 2))
}

# linear WHAT: the last measure took at most eight times the seconds in $quarter, those of a
# quarter of its input; 0.4 s of noise are allowed.
linear() {
    awk -v q="$quarter" -v s="$seconds" 'BEGIN { exit s > 8 * q + 0.4 }' ||
        fail "$1 takes $seconds s, and a quarter of it $quarter s: not linear"
    n_checks=$((n_checks + 1))
}

# ---- expressions -------------------------------------------------------------
cat >"$lists/formula.py" <<'PYTHON'
import sys

kind, n = sys.argv[1], int(sys.argv[2])
x = [("!" if i % 3 == 0 else "") + "v%d" % (1 + i * 7919 % 1000) for i in range(n)]
pairs = zip(x[::2], x[1::2])

def nested(words):
    return "(" * (n - 1) + x[0] + "".join(words[i % 2] + x[i] + ")" for i in range(1, n))

print({
    "and": lambda: " & ".join(x),
    "or in pairs": lambda: nested([" | ", " | "]),
    "and in pairs": lambda: nested([" & ", " & "]),
    "implications": lambda: " -> ".join(x),
    "negations": lambda: "!" * n + "v1",
    "parentheses": lambda: "(" * n + "v1" + ")" * n,
    "disjunction": lambda: " | ".join("(%s & %s)" % pair for pair in pairs),
    "conjunction": lambda: " & ".join("(%s | %s)" % pair for pair in pairs),
    "alternating": lambda: nested([" | ", " & "]),
    "xor": lambda: " xor ".join(x),
}[kind]())
PYTHON

formula() {
    python3 "$lists/formula.py" "$1" "$2" >formula
}

run 0 generate logic --variables 1000 --expressions 300 --seed 3 --out data
run 0 train data $small --members 4 --orders 4 --dimension 8 --seed 3 --out model
# kind:most bytes for each literal; the network takes most of the larger numbers.
for row in and:1600 'or in pairs:1600' 'and in pairs:300' implications:1600 negations:120 \
    parentheses:100 disjunction:1200; do
    kind=${row%:*}
    formula "$kind" $((literals / 4))
    measure 0 "predict, $kind" $((literals / 4)) "${row#*:}" predict model formula
    quarter=$seconds
    formula "$kind" "$literals"
    measure 0 "predict, $kind" "$literals" "${row#*:}" predict model formula
    linear "$kind"
    grep -Eq '^[01]\.[0-9]+	' out || fail "$kind has no probability"
done
# Over the limit of clauses they are taken in negation normal form, which only xor makes long.
for kind in conjunction alternating; do
    formula "$kind" "$literals"
    measure 0 "predict, $kind: in another form" "$literals" 1600 predict model formula
    grep -Eq '^[01]\.[0-9]+	' out || fail "$kind has no probability"
done
formula xor "$literals"
measure 1 "predict, xor: refused" "$literals" 300 predict model formula
grep -Eq '^nln: formula:1: .* over the limit of [0-9]+: .*clause-limit' err ||
    fail "the message about xor lacks the limit or what to do"
formula and "$literals"
{ cat data/train.tsv && tr '\n' '\t' <formula && echo T; } >train.tsv
mv train.tsv data/train.tsv
measure 0 'train, one of the expressions' "$literals" 1200 train data $small --out huge
formula xor "$literals"
{ tr '\n' '\t' <formula && echo T; } >>data/test.tsv
measure 1 'evaluate, one of them: refused' "$literals" 400 evaluate model data
grep -Eq '^nln: expression 31 of test: .*clause-limit' err || fail "no place of the expression"
rm -r data formula huge

# ---- a line that is too long -------------------------------------------------
if [ "${2:-}" = full ]; then
    run 0 generate logic --variables 20 --expressions 300 --seed 3 --out data
    { head -c 68000000 /dev/zero | tr '\0' '!' && printf 'v1\tT\n'; } >>data/test.tsv
    bad 1 'test.tsv:31: the line is longer than 64 MiB.*split' train data --out x
    rm -r data
fi

# ---- many expressions --------------------------------------------------------
for n in $((expressions / 4)) "$expressions"; do
    quarter=${seconds:-0}
    measure 0 'generate logic, expressions' "$n" 500 \
        generate logic --variables 1000 --expressions "$n" --out data
    # Every expression is kept with its dual.
    measure 0 'train, expressions' "$n" 1300 train data $small --out many
    [ "$n" -eq "$expressions" ] && linear 'train, expressions'
done
measure 0 'evaluate, expressions' "$expressions" 600 evaluate many data --part train
rm -r data many

# ---- many variables ----------------------------------------------------------
n=$((variables / 4))
measure 0 'generate logic, variables' "$n" 80 \
    generate logic --variables "$n" --expressions 4000 --out data
measure 0 'train, variables' "$n" 160 train data $small --out model
quarter=$seconds
measure 0 'generate logic, variables' "$variables" 80 \
    generate logic --variables "$variables" --expressions 4000 --out data
measure 0 'train, variables' "$variables" 160 train data $small --out model
linear 'train, variables'
run 0 train data $small --out again --checkpoint kept
measure 0 'train --resume, variables' "$variables" 250 \
    train data $small --out again --checkpoint kept --resume
cmp -s model again || fail 'another model after --resume'
rm again kept
echo "v1 & !v$variables" >formula
measure 0 'predict, variables' "$variables" 130 predict model formula
grep -Eq '^0\.[0-9]+	v1 & ' out || fail 'no probability'
# Each variable is asked with its dual.
measure 0 'solve, variables' "$variables" 280 solve model --truth data
[ "$(wc -l <out)" -eq $((variables + 1)) ] || fail 'solve leaves out variables'
tail -n 2 out | head -n 1 | grep -q "^v$variables	" || fail 'the last variable has another name'
measure 0 'evaluate, variables' "$variables" 300 evaluate model data
rm -r data model formula out

# ---- long names --------------------------------------------------------------
cat >"$lists/names.py" <<'PYTHON'
import os, random, sys

length = int(sys.argv[1])
random.seed(1)
def name(prefix, i):
    return (prefix + "%d_" % i).ljust(length, "x")
def write(path, lines):
    with open(path, "w") as file:
        file.writelines(line + "\n" for line in lines)
os.makedirs("data", exist_ok=True)
for part, n in ("train", 40), ("valid", 10), ("test", 10):
    write("data/" + part + ".tsv", (" & !".join(name("v", i) for i in random.sample(range(20), 2))
                                    + "\t" + "TF"[k % 2] for k in range(n)))
write("known", [name("v", 0) + " | " + name("v", 1)])
write("unknown", [name("v", 0) + " | " + name("w", 1)])
pairs = random.sample([(u, i) for u in range(30) for i in range(20)], 300)
write("ratings", ["user,item,rating,time"] +
      ["%s,%s,%d,%d" % (name("u", u), name("i", i), 1 + t % 5, t) for t, (u, i) in enumerate(pairs)])
write("titles", (name("i", i) + "\t" + name("title ", i) for i in range(20)))
write("user", [name("u", 0)])
write("stranger", [name("s", 0)])
PYTHON

# advises PATTERN: the message still says what to do, and the name does not fill the screen.
advises() {
    [ "$(wc -c <err)" -lt 400 ] || fail 'the message repeats the whole name'
    grep -Eq -- "$1" err || fail "the message lacks '$1'"
    n_checks=$((n_checks + 2))
}

for length in 10000 "$long"; do
    python3 "$lists/names.py" "$length"
    total=$((20 * length))
    measure 0 "train, names of $length, bytes" "$total" 12 train data $small --out named
    measure 0 "predict, names of $length, bytes" "$total" 12 predict named known
    measure 0 "solve, names of $length, bytes" "$total" 12 solve named
    run 1 predict named unknown
    advises "^nln: unknown:1:$((length + 4)): .*check its spelling"
done
python3 "$lists/names.py" 10000
run 0 train ratings --task topk $small $history --out shop
run 0 recommend shop --user "$(cat user)" --titles titles -k 3
run 1 recommend shop --user "$(cat stranger)"
advises 'check the name'
run 1 recommend shop --like "$(cat stranger)" --titles titles
advises 'give an id of the ratings|did you mean'
run 0 generate logic --variables 20 --expressions 300 --seed 3 --out few
run 0 train few $small --out model
run 1 evaluate model data
advises 'expression 1 of test: .*evaluate it on data'
run 1 train few --out x --laws "$(cat stranger)"
advises 'such as'
run 2 train few --out x --seed "$(cat stranger)"
advises 'whole number'
rm -r data few named shop model ratings titles

# ---- ratings -----------------------------------------------------------------
n=$((ratings / 4))
measure 0 'generate ratings' "$n" 10 \
    generate ratings --users $((n / 50)) --items 2000 --ratings "$n" --out ratings
measure 0 'split ratings' "$n" 60 split ratings --out parts
quarter=$seconds
rm -r parts
measure 0 'generate ratings' "$ratings" 10 \
    generate ratings --users $((ratings / 50)) --items 2000 --ratings "$ratings" --out ratings
measure 0 'split ratings' "$ratings" 60 split ratings --out parts
linear 'split ratings'
rm -r parts
for n in $((taught / 4)) "$taught"; do
    quarter=${seconds:-0}
    run 0 generate ratings --users $((n / 50)) --items 2000 --ratings "$n" --out ratings
    measure 0 'train topk, ratings' "$n" 100 train ratings --task topk $small $history --out shop
    [ "$n" -eq "$taught" ] && linear 'train topk, ratings'
done

# lopsided N PROGRAM: N lines, in which awk's PROGRAM has one user or one item of all.
lopsided() {
    awk -v n="$1" "BEGIN { print \"user,item,rating,time\"
        for (i = 0; i < n; i++) print $2 \",\" 1 + i % 5 \",\" i * 7919 % n
        for (i = 0; i < 500; i++) print \"w\" i % 50 \",i\" i % 49 \",5,\" i }" >ratings
}
for rater in '"u1,i" i' '"u" i ",i1"'; do
    for n in $((literals / 4)) "$literals"; do
        quarter=${seconds:-0}
        lopsided "$n" "$rater"
        measure 0 "train topk, $rater" "$n" 300 train ratings --task topk $small $history --out shop
        [ "$n" -eq "$literals" ] && linear "train topk, $rater"
    done
    measure 0 "recommend, $rater" "$literals" 250 recommend shop --user u1 -k 3
done

echo "$n_checks checks"
