#!/bin/sh
# No file takes the place of another that the command line names: files.sh PROGRAM
. "$(cd "$(dirname "$0")" && pwd)/common.sh"

prepare
prepare_ratings
quick="$quick --task topk --split nlr --history 10"
ln model twin
ln -s model link
ln -s new dangling
mkdir folder
ln -s . here
echo 'quiet = true' >conf

# ---- what is read stays ----------------------------------------------------------
bad 2 '--out and MODEL are the same file, model; choose another --out' \
    export model --out model --format npy
bad 2 '--names and MODEL are the same file, ./model' export model --out x.npy --names ./model
bad 2 '--out and MODEL' export model --out twin --format tsv
bad 2 '--out and MODEL' export link --out here/model --format tsv
bad 2 '--names and MODEL' export model --out - --format npy --names model
bad 2 '--out and --config' export model --config conf --out conf --format npy
bad 2 '--log and DATA' train ratings $quick --log ratings --out x
bad 2 '--out and DATA' train ratings $quick --out "$work/ratings"
bad 2 '--out and --config' train ratings $quick --config conf --out conf
bad 2 '--per-user and MODEL' evaluate topk ratings --per-user topk
bad 2 '--per-user and DATA' evaluate topk ratings --per-user folder/../ratings
bad 2 '--best and the first argument' tune ratings $quick --grid l2=0,1 --out x --best ratings
run 0 split ratings --out parts
bad 2 '--out and DATA are the same file, parts/train.tsv' split parts/train.tsv --out parts
cp model model.tsv
bad 2 '--out and MODEL are the same file, model.tsv' plot tsne model.tsv --out model
printf 'v1\tT\n' >x.gp
bad 2 '--out and --truth are the same file, x.gp' plot tsne model --truth x.gp --out x
bad 2 '--out is one of the files of DATA, data/train.tsv; choose another --out' \
    train data --out data/train.tsv
bad 2 '--log is one of the files of DATA' train data --log here/data/variables.tsv --out x
ln data/valid.tsv valid-twin
bad 2 '--checkpoint is one of the files of DATA' train data --checkpoint valid-twin --out x
bad 2 '--out is one of the files of DATA' train parts $quick --out parts/test.tsv
bad 2 '--per-user is one of the files of DATA' evaluate topk parts --per-user parts/valid.tsv
bad 2 '--out is one of the files of DATA' split parts --out parts
bad 2 '--out is one of the files of --truth' plot tsne model --truth data --out data/train
run 0 train data --epochs 1 --threads 1 --quiet --out data/model
run 0 train data --epochs 1 --threads 1 --quiet --out data/model --log data/train.log

# ---- what is written is written once ------------------------------------------------
bad 2 '--out and --names' export model --out x.tsv --names ./x.tsv
bad 2 '--out and --names' export model --out new --names dangling --format tsv
bad 2 '--out and --per-user' train ratings $quick --per-user f --out f
bad 2 '--log and --checkpoint' train ratings $quick --log e --checkpoint here/e --out x
bad 2 '--out and --log' train ratings $quick --log folder/../d --out d
bad 2 '--out and --checkpoint' train ratings $quick --checkpoint c --out c
bad 2 '--out and --titles' generate ratings --out x --titles ./x

# ---- standard output, where it is not meant ------------------------------------------
bad 2 '--names - does not mean standard output' export model --out x.npy --names -
bad 2 '--out - does not mean standard output' train data --out -
bad 2 '--log - does not' train data --log - --out x
bad 2 '--per-user - does not' evaluate topk ratings --per-user -
bad 2 '--out - does not' generate ratings --out -
[ ! -e - ] || fail "there is a file called -"

# ---- what may be the same --------------------------------------------------------------
run 0 train data --epochs 1 --threads 1 --quiet --out /dev/null --log /dev/null
run 0 export model --out /dev/null --names /dev/null --format npy
run 0 export model --out - --format tsv
run 0 train ratings $quick --per-user folder/x --log x --out folder/y
run 0 train data --epochs 1 --threads 1 --quiet --out model

echo "$n_checks checks"
