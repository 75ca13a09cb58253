#!/bin/sh
# The program where the system fails: closed pipes, full disks, folders that cannot be written,
# files that are cut, and some of what tests/long/faults.sh does with every verb: faults.sh PROGRAM
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"

prepare
prepare_ratings
sed 1d data/test.tsv | cut -f1 >expressions
cp model old-model
mkdir folder

# ends CODE COMMAND: what a shell makes of the command, with $nln for the program, ends with this
# code, one line on standard error, and the model and the folder as they were, but for a checkpoint
# of what was trained until then.
ends() {
    code=0
    sh -c "nln='$nln'; $2" >out 2>err || code=$?
    [ "$code" -eq "$1" ] || fail "exit code $code, not $1: $2"
    [ "$1" -eq 0 ] || [ "$(wc -l <err)" -eq 1 ] || fail "not one line on standard error: $2"
    cmp -s model old-model || fail "the old model was touched: $2"
    [ -z "$(find . -name '.nln-*.tmp')" ] || fail "a file is left: $2"
    for file in folder/*.checkpoint; do
        [ ! -e "$file" ] || "$nln" inspect "$file" >out || fail "a part of a checkpoint: $2"
        rm -f "$file"
    done
    [ -z "$(ls -A folder)" ] || fail "something was written: $2"
    n_checks=$((n_checks + 1))
}

quick="--epochs 1 --dimension 4 --threads 1 --quiet"

# ---- standard output --------------------------------------------------------------------------
for verb in 'predict model expressions' 'solve model' 'inspect model --json' 'evaluate model data' \
    "recommend topk --user $user" '--help' '--version'; do
    ends 1 "\$nln $verb >/dev/full"
    ends 1 "\$nln $verb >&-"
    grep -q 'cannot write the result' err || fail "no word of the result: $verb"
done
# A reader that is gone has what it wanted: no message, and the exit code of a closed pipe.
mkfifo pipe
code=0
sh -c "exec 3<>pipe; exec 4>pipe 3<&-; \"\$0\" solve model >&4" "$nln" 2>err || code=$?
[ "$code" -eq 141 ] && [ ! -s err ] || fail "a closed pipe ends with $code"
ends 0 "\$nln predict model expressions | head -n 1"
ends 0 "cat expressions | \$nln predict model -"

# ---- disks and folders ------------------------------------------------------------------------
ends 1 "\$nln train data $quick --out /dev/full"
ends 1 "\$nln train data $quick --log /dev/full --out folder/model"
ends 1 "\$nln generate ratings --users 20 --items 20 --ratings 200 --out /dev/full"
ends 1 "\$nln evaluate topk ratings --split nlr --per-user /dev/full"
ends 1 "\$nln train data $quick --out folder"
ends 1 "\$nln predict folder expressions"
ends 1 "\$nln predict model folder"
# A limit on the size of files is a disk that fills up; blocks are 512 bytes.
ends 1 "trap '' XFSZ; ulimit -f 1; \$nln train data $quick --out model"
ends 1 "trap '' XFSZ; ulimit -f 1; \$nln plot tsne model --iterations 5 --quiet --out folder/x"
ends 1 "trap '' XFSZ; ulimit -f 1; \$nln generate ratings --out folder/x"
if [ "$(id -u)" -ne 0 ]; then
    as=
elif setpriv --reuid=65534 --regid=65534 --clear-groups true 2>err; then
    as="setpriv --reuid=65534 --regid=65534 --clear-groups"
    chmod 755 .
else
    as=none
    echo "SKIPPED: a folder that cannot be written, since root can write everywhere"
fi
if [ "$as" != none ] && $as test -r model && $as test -x "$nln"; then
    chmod 555 folder
    for verb in "train data $quick --out folder/x" 'generate logic --out folder/x' \
        'generate ratings --out folder/x' 'split ratings --out folder/x' \
        'plot tsne model --out folder/x' 'tune data --grid dimension=4 --out folder/x'; do
        ends 1 "$as \$nln $verb"
        grep -q 'ermission denied' err || fail "no word of the permission: $verb"
    done
fi

# ---- files that are cut -----------------------------------------------------------------------
gzip -c ratings >whole.gz
for length in 5 100 1000 $(($(wc -c <whole.gz) - 1)); do
    head -c "$length" whole.gz >cut.gz
    ends 1 "\$nln split cut.gz --out folder/x"
    grep -q 'damaged' err || fail "no word of the damage"
done
echo "$n_checks checks"

# ---- in turn ----------------------------------------------------------------------------------
[ -e "$(dirname "$nln")/nln_faults.so" ] || exit 0
. "$here/../faults/sweep.sh"
every=3
mkdir old
cp expressions input
sweep "write open" generate logic --variables 8 --expressions 30 --out data
sweep "read truncate thread" predict ../model
sweep write train ../data $quick --out model --log log --snapshots 1
