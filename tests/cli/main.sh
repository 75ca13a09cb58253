#!/bin/sh
# Help, options and standard output of the program: main.sh PROGRAM
. "$(dirname "$0")/common.sh"

# ---- help --------------------------------------------------------------------
run 2
says '^generate logic '
run 0 --help
says '^train '
run 0 --version
says '^nln [0-9]+\.[0-9]+\.[0-9]+$'
for verb in "generate logic" "generate ratings" split train tune evaluate predict solve recommend \
    explain inspect "plot tsne" "plot curves" reproduce; do
    run 2 $verb
    says "^usage: nln $verb "
    mv out bare
    for words in "$verb --help" "help $verb"; do
        run 0 $words
        cmp -s out bare || fail "nln $words differs from nln $verb"
        for option in json quiet config; do
            says "^--(\[no-\])?$option "
        done
    done
    run 0 $verb --help all
    says '^--seed '
    says '^--threads '
done
# Training shows what applies to the task and the method, with their values, on one screen.
run 0 train --task topk --help
says '^--history +20 '
says '^--negatives +200 '
[ "$(wc -l <out)" -le 45 ] || fail "the help of training does not fit a screen"
run 0 train --task topk --help all
says '^--normal-form '
run 2 generate
says '^generate logic '
says '^generate ratings '

prepare

# ---- options -----------------------------------------------------------------
printf '# short\nepochs = 3\nseed = 3\njson = true\n' >config
run 0 train data --config config --quiet --out model4
json 'x["epochs"] == 3'
run 0 train data --config config --quiet --epochs 1 --out model4
json 'x["epochs"] == 1'
run 0 train data --config config --quiet --epochs 1 --no_json --out model4
if [ "$(head -c 1 out)" = "{" ]; then fail "--no_json is not --no-json"; fi
run 0 train data --config config --quiet --epochs 1 --no-json --out model4
says '^split '
run 0 solve --json=false -- model
says '	[TF]	'

# ---- a result that cannot be written -----------------------------------------
if [ -w /dev/full ]; then
    code=0
    "$nln" solve model >/dev/full 2>err || code=$?
    [ "$code" -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] || fail "a full disk goes unseen"
fi

echo "$n_checks checks"
