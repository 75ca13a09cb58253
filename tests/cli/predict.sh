#!/bin/sh
# nln predict: predict.sh PROGRAM
. "$(dirname "$0")/common.sh"

prepare
name=$(sed -n 2p data/variables.tsv | cut -f1)
other=$(sed -n 3p data/variables.tsv | cut -f1)
printf '# a comment\n\n%s & !%s\n  %s | %s\tT\r\n' "$name" "$other" "$name" "$other" >expressions
run 0 predict model expressions
[ "$(wc -l <out)" -eq 2 ] || fail "not one line per expression"
says "^[01]\.[0-9]+	$name & !$other\$"
run 0 predict model expressions --json
json 'len(x["predictions"]) == 2 and all(0 <= r["p"] <= 1 for r in x["predictions"])'
mv out first
"$nln" predict model - --json --threads 2 <expressions >out || fail "predict from standard input"
cmp -s out first || fail "standard input gives other predictions"
printf '\357\273\277' | cat - expressions >marked
run 0 predict model marked --json --threads 2
sed 's/"marked"/"expressions"/' out | cmp -s - first || fail "a byte order mark is not skipped"
printf '\357\273\277expression\tlabel\n%s\tT\n' "$name" >marked
run 0 predict model marked
[ "$(wc -l <out)" -eq 1 ] || fail "a header after a byte order mark is not skipped"
run 0 predict model data/test.tsv
[ "$(wc -l <out)" -eq 30 ] || fail "a data file is not read as expressions"
mkdir published
printf 'sent\tlabel\n~1^2v3\t1\n1^~3\t0\n2v3\t1\n' | tee published/train.csv |
    tee published/valid.csv >published/test.csv
run 0 train published --epochs 1 --quiet --out model5
run 0 predict model5 published/test.csv
says '^[01]\.[0-9]+	~1&2\|3$'

# The spread, and what the model sees.
run 0 predict model "$name & $name | !$name & $name" --spread --normal-form
says "^[01]\.[0-9]+	0\.[0-9]+	.*	$name\$"
run 0 predict model expressions --spread --normal-form --json
json 'all(0 <= r["spread"] <= 0.5 and r["normal_form"] for r in x["predictions"])'

# A line that cannot be read costs only itself, unless --strict.
printf '%s\n%s &\n%s | nobody\n!%s\n' "$name" "$name" "$name" "$name" >mixed
run 1 predict model mixed
[ "$(wc -l <out)" -eq 2 ] || fail "the good lines are not answered"
[ "$(wc -l <err)" -eq 2 ] || fail "the bad lines are not told"
grep -q '^nln: mixed:2:' err && grep -q '^nln: mixed:3:.*nobody' err || fail "bad lines have no place"
run 1 predict model mixed --json
json 'len(x["predictions"]) == 2 and [r["line"] for r in x["refused"]] == [2, 3]'
run 1 predict model mixed --strict
[ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] || fail "--strict goes on"

# One variable is an expression, too, unless there is a file of its name; what equals it has its value.
run 0 predict model v1
says '^[01]\.[0-9]+	v1$'
cut -f1 out >alone
run 0 predict model 'v1 & v1 | v1 & v2 | F'
cut -f1 out | cmp -s - alone || fail "what is absorbed changes the answer"
bad 1 "did you mean" predict model "x$name & $other"
bad 1 'v99: there is no such file, and no such expression: ' predict model v99

# Several expressions in one call; a file that is there is one only by itself.
run 0 predict model v1 '!v1' 'v1 & v2'
[ "$(cut -f2 out | tr '\n' ,)" = 'v1,!v1,v1 & v2,' ] || fail "not one line for each argument"
run 1 predict model v1 v1000 'v1 &'
[ "$(wc -l <out)" -eq 1 ] || fail "the good argument is not answered"
grep -q '^nln: <argument>:2:' err && grep -q '^nln: <argument>:3:' err ||
    fail "bad arguments have no number"

echo "$n_checks checks"
