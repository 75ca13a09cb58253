#!/bin/sh
# Bad input: the exit code, one line on standard error that says what and where,
# nothing on standard output and nothing written: bad-input.sh PROGRAM
. "$(dirname "$0")/common.sh"

# data_with FILE LINE: bad-data is the data with one more line at the end of FILE.
data_with() {
    rm -rf bad-data
    cp -R data bad-data
    printf "$2\n" >>"bad-data/$1"
    line=$(wc -l <"bad-data/$1" | tr -d ' ')
}

prepare
name=$(sed -n 2p data/variables.tsv | cut -f1)

# ---- usage -------------------------------------------------------------------
bad 2 "no verb 'trian'.*nln train" trian
bad 2 "no verb 'xyzzy'" xyzzy
bad 2 "no verb 'plot map'; .*nln plot. lists all of them" plot map model --out x
bad 2 "nln generate logic" generate logik
bad 2 'epoch' train data --out x --epoch 2
bad 2 'no option --xyzzy' train data --out x --xyzzy 2
bad 2 'no option --xyzzy' solve model --xyzzy
bad 2 'unknown option -k' solve model -k
bad 2 '--epochs.*-1' train data --out x --epochs=-1
bad 2 '--epochs.*many' train data --out x --epochs many
bad 2 '--seed' train data --out x --seed -1
bad 2 '--noise' generate logic --out x --noise 2
bad 2 '--json' solve model --json=maybe
bad 2 '--no-json takes no value' solve model --no-json=true
bad 2 '--split' evaluate model data --split all
bad 2 '--exact' evaluate model data --split train --exact
bad 2 '--exact' evaluate model data --part train --exact
bad 2 '--part valid and --split train' evaluate model data --part valid --split train
bad 2 '--per-user' evaluate model data --per-user x
bad 2 '--cuts is for models of ratings' evaluate model data --cuts 5
bad 2 '--split is for models of ratings' evaluate model data --split nlr
bad 2 '--like-from is for ratings' train data --out x --like-from 4
bad 2 '--out needs a value' train data --out
bad 2 '--out is missing' train data
bad 2 '--out is missing' generate logic --seed 1
bad 2 'argument is missing' evaluate model
bad 2 "unexpected argument 'c'" evaluate a b c
printf 'seed = 1\nepocks = 2\n' >config
bad 2 'config:2:1: .*epochs' train data --out x --config config
printf 'epochs = two\n' >config
bad 2 'config:1:10: ' train data --out x --config config
printf 'epochs = 1\nseed = 1\nepochs = 2\n' >config
bad 2 'config:3:1: epochs has a value on line 1 already' train data --out x --config config
printf 'config = other\n' >config
bad 2 'config:1:1: a file of options cannot name another' train data --out x --config config
bad 2 'no_epochs' train data --out x --no_epochs
bad 2 'takes no value' train data --out x --no_calibrate=1
printf 'epochs\n' >config
bad 2 'config:1:' train data --out x --config config
bad 1 'nowhere' train data --out x --config nowhere

# ---- files -------------------------------------------------------------------
bad 1 'nowhere' train nowhere --out x
bad 1 'nowhere' evaluate nowhere data
bad 1 'nowhere' evaluate model nowhere
bad 1 "^nln: cannot open 'nowhere': " predict nowhere
bad 1 'nowhere' predict model nowhere
: >nothing
bad 1 'nothing: there is no expression' predict model nothing
bad 1 'nowhere' solve model --truth nowhere
bad 1 'nowhere' inspect nowhere
bad 1 'nowhere' inspect model nowhere
bad 1 'nowhere/x: cannot write here' train data --out nowhere/x
bad 1 'data: this is a folder' train data --out data
bad 1 'model' train data --out model/x
bad 1 'model' generate logic --out model/x
bad 1 'model' generate logic --out model

long=$(printf '%0900d' 0)
bad 1 "^nln: cannot open '0+\.\.\.0+': File name too long" predict "$long" x
bad 1 "^nln: cannot open '0+\.\.\.0+': File name too long" train "$long" --task topk --out x
bad 1 '0/x: cannot write here .File name too long' train data --out "$long$long/x"

# ---- data --------------------------------------------------------------------
data_with train.tsv "($name & \tT"
bad 1 "bad-data/train.tsv:$line:[0-9]+: " train bad-data --out x
if grep -q 'as ratings' err; then fail "one bad line of many is taken for ratings"; fi
sed '1s/^/(/' data/train.tsv >bad-data/train.tsv
bad 1 "bad-data/train.tsv:1:[0-9]+: .*; as ratings: .* give --task" train bad-data --out x
data_with test.tsv "$name\tmaybe"
bad 1 "bad-data/test.tsv:$line:[0-9]+: " train bad-data --out x
data_with valid.tsv "$name"
bad 1 "bad-data/valid.tsv:$line:[0-9]+: " evaluate model bad-data
data_with variables.tsv "$name\tT"
bad 1 "bad-data/variables.tsv:$line:" train bad-data --out x
data_with test.tsv "stranger & $name\tT"
bad 1 "stranger" evaluate model bad-data
rm bad-data/valid.tsv
bad 1 'valid' train bad-data --out x
data_with train.tsv ''
: >bad-data/train.tsv
bad 1 'train' train bad-data --out x

# ---- expressions -------------------------------------------------------------
printf '# one\n\n%s\n%s & (%s\n' "$name" "$name" "$name" >expressions
bad 1 '^nln: expressions:4:[0-9]+: ' predict model expressions --strict
printf '%s & \303\244\303\266 stranger\n' "$name" >expressions
bad 1 '^nln: expressions:1:[0-9]+: ' predict model expressions --strict
printf '%s | stranger\n' "$name" >expressions
bad 1 '^nln: expressions:1:[0-9]+: .*stranger' predict model expressions --strict --json
printf '%s\tT\n\tT\n' "$name" >expressions
bad 1 '^nln: expressions:2:1: ' predict model expressions --strict
printf '%s\tT\n  \t%s\n' "$name" "$name" >expressions
bad 1 '^nln: expressions:2:1: ' predict model expressions --strict
gzip -c data/test.tsv >test.tsv.gz
bad 1 '^nln: test.tsv.gz: this is compressed with gzip.* zcat ' predict model test.tsv.gz
printf '\050\265\057\375rest' >test.tsv.zst
bad 1 '^nln: test.tsv.zst: this is compressed with zstd.* zstdcat ' predict model test.tsv.zst
printf '%s\0%s\n' "$name" "$name" >expressions
bad 1 '^nln: expressions:1: .*NUL' predict model expressions --strict
bad 1 '^nln: data: ' predict model data

# ---- models ------------------------------------------------------------------
size=$(wc -c <model)
for length in 0 4 8 100 $((size / 2)) $((size - 1)); do
    head -c "$length" model >cut
    bad 1 '^nln: .*cut' inspect cut
done
printf 'x' | cat model - >long
bad 1 '^nln: .*long' solve long
bad 1 '^nln: .*train.tsv' predict data/train.tsv
bad 1 '^nln: ' inspect data
python3 - <<'PYTHON'
import json, struct
header = json.dumps({"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}).encode()
open("foreign", "wb").write(struct.pack("<Q", len(header)) + header + bytes(4))
PYTHON
bad 1 '^nln: .*foreign' evaluate foreign data

echo "$n_checks checks"
