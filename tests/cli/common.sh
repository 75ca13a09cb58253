# What the tests of the program share; to be sourced with $1 the program.
set -eu
LC_ALL=C
export LC_ALL
nln=$1
work=$(mktemp -d) lists=$(mktemp -d)
trap 'rm -rf "$work" "$lists"' EXIT
cd "$work"
n_checks=0

fail() {
    echo "FAILED: $*"
    [ -s "$work/out" ] && sed 's/^/  out: /' "$work/out" | head -20
    [ -s "$work/err" ] && sed 's/^/  err: /' "$work/err" | head -20
    exit 1
}

# run CODE ARGUMENTS...: the program must end with this exit code; what it says
# is left in out and err.
run() {
    wanted=$1
    shift
    code=0
    "$nln" "$@" >"$work/out" 2>"$work/err" </dev/null || code=$?
    [ "$code" -eq "$wanted" ] || fail "exit code $code, not $wanted: nln $*"
    n_checks=$((n_checks + 1))
}

# json EXPRESSION...: out is one JSON object, x, of which these Python expressions
# hold; NaN and Infinity, which Python would accept, are not JSON.
json() {
    python3 - "$work/out" "$@" <<'PYTHON' || fail "the JSON object is not as it should be"
import json, sys

def refuse(word):
    raise ValueError(word + " is not JSON")

x = json.load(open(sys.argv[1]), parse_constant=refuse)
for expression in sys.argv[2:]:
    if not (isinstance(x, dict) and eval(expression)):
        sys.exit("does not hold: " + expression)
PYTHON
    n_checks=$((n_checks + $#))
}

# says PATTERN: out matches.
says() {
    grep -Eq -- "$1" "$work/out" || fail "the output lacks '$1'"
    n_checks=$((n_checks + 1))
}

# bad CODE PATTERN ARGUMENTS...: the exit code, one line on standard error that says
# PATTERN, nothing on standard output and nothing written.
bad() {
    wanted_code=$1 pattern=$2
    shift 2
    find . -type f ! -name out ! -name err -exec cksum {} + | sort >"$lists/before"
    run "$wanted_code" "$@"
    [ "$(wc -l <err)" -eq 1 ] || fail "not one line on standard error: nln $*"
    grep -Eq -- "$pattern" err || fail "the message lacks '$pattern': nln $*"
    grep -q '^nln: ' err || fail "the message does not start with nln: nln $*"
    [ ! -s out ] || fail "something on standard output: nln $*"
    find . -type f ! -name out ! -name err -exec cksum {} + | sort >"$lists/after"
    cmp -s "$lists/before" "$lists/after" || fail "something was written: nln $*"
}

# A data set of 20 variables and a model of it, quick to make.
prepare() {
    run 0 generate logic --variables 20 --expressions 300 --seed 3 --out "$work/data"
    run 0 train "$work/data" --epochs 2 --seed 3 --threads 1 --quiet --out "$work/model"
    [ -s "$work/err" ] && fail "--quiet is not quiet"
    [ -s "$work/model" ] || fail "there is no model"
}

# Ratings of 60 users and models of both tasks, quick to make.
prepare_ratings() {
    run 0 generate ratings --users 60 --items 40 --ratings 1500 --out ratings --titles titles
    quick="--epochs 2 --dimension 8 --batch 128 --threads 1 --quiet"
    run 0 train ratings --task topk --split nlr --history 10 $quick --out topk
    run 0 train ratings --task preference $quick --out preference
    user=$(awk -F, 'NR > 1 { n[$1]++ } END { for (u in n) if (n[u] > 12 && n[u] < 28) print u }' \
        ratings | sort | head -n 1)
    item=$(sed -n 1p titles | cut -f1)
    other=$(sed -n 2p titles | cut -f1)
    third=$(sed -n 3p titles | cut -f1)
    title=$(sed -n 1p titles | cut -f2)
}

# Whether figures have pictures here.
pictures=$(command -v gnuplot >/dev/null && echo 1 || echo 0)

# drawn PREFIX: the data and the script are there, and the pictures where gnuplot is.
drawn() {
    for ending in tsv gp; do
        [ -s "$1.$ending" ] || fail "there is no $1.$ending"
    done
    for ending in svg png pdf; do
        [ "$pictures" -eq 0 ] || [ -s "$1.$ending" ] || fail "there is no $1.$ending"
    done
    [ -z "$(find . -name '.nln*')" ] || fail "temporary files are left"
    n_checks=$((n_checks + 1))
}
