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
for verb in "" generate "train --task topk" "train --task preference" "train --task link" \
    $("$nln" help --tables | awk -F '\t' '$1 == "verb" { gsub(" ", "_", $2); print $2 }'); do
    words=$(echo "$verb" | tr _ ' ')
    run 0 $words --help
    [ "$(wc -l <out)" -le 40 ] || fail "nln $words --help does not fit a screen"
    [ "$(awk '{ print length($0) }' out | sort -n | tail -n 1)" -le 100 ] ||
        fail "nln $words --help is wider than 100 columns"
done
run 0 train --task topk --help
run 0 train --task topk --help all
says '^--normal-form '
run 2 generate
says '^nln generate logic '
says '^nln generate ratings '

# A terminal has colour, unless NO_COLOR or TERM says otherwise; a pipe has none.
cat >terminal.py <<'PYTHON'
import os, pty, sys
def told(words, **more):
    out, pid_fd = b"", pty.fork()
    if pid_fd[0] == 0:
        os.environ.pop("NO_COLOR", None)
        os.environ.update(more)
        os.execv(words[0], words)
    while True:
        try:
            part = os.read(pid_fd[1], 65536)
        except OSError:
            break
        if not part:
            break
        out += part
    os.waitpid(pid_fd[0], 0)
    return out
nln = sys.argv[1]
for words, ink in ((["train", "--help"], b"\33[1m--epochs"), (["tarin"], b"\33[1;31mnln:"), ([], b"\33[1mtrain")):
    assert ink in told([nln] + words, TERM="xterm"), words
    assert b"\33" not in told([nln] + words, TERM="xterm", NO_COLOR="1"), words
    assert b"\33" not in told([nln] + words, TERM="dumb"), words
PYTHON
python3 terminal.py "$nln" || fail "colour is not as it should be"
TERM=xterm
export TERM
run 2 tarin
if grep -q "$(printf '\033')" out err; then fail "a pipe has colour"; fi

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
