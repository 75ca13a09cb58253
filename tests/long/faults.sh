#!/bin/sh
# The calls of the program fail, one after the other, for every verb: allocations, writes, opens,
# reads, threads, and files that end early: faults.sh PROGRAM
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cli/common.sh"
. "$here/../faults/sweep.sh"

# Allocations are many: every so many-th of them fails.
memory_step=${NLN_MEMORY_STEP:-7}

# faulty ARGUMENTS...: all kinds of faults under one command.
faulty() {
    every=1
    sweep "write pipe open read truncate thread" "$@"
    every=$memory_step
    sweep memory "$@"
}

prepare
prepare_ratings
mkdir old
printf '(%s)\n' "$(sed -n 2p data/variables.tsv | cut -f1)" >input
run 0 train data --dimension 4 --epochs 2 --threads 1 --quiet --log log --out other
gzip -c ratings >ratings.gz
tiny="--epochs 1 --dimension 4 --batch 64 --quiet"

faulty generate logic --variables 8 --expressions 30 --out data
faulty generate ratings --users 12 --items 12 --ratings 60 --out ratings --titles titles
faulty split ../ratings --split random --out split
faulty split ../ratings.gz --out split
faulty predict ../model
faulty predict ../model - --json
faulty evaluate ../model ../data --json
faulty evaluate ../topk ../ratings --split nlr --per-user ranks
faulty solve ../model --truth ../data
faulty inspect ../model
faulty inspect ../model ../data --json
faulty recommend ../topk --user "$user" --titles ../titles
faulty recommend ../topk --like "$item" --json
faulty explain ../topk --user "$user" --item "$other" --titles ../titles
faulty plot curves ../log --out curves
faulty plot tsne ../model --iterations 5 --truth ../data --out plane --quiet
faulty train ../data $tiny --threads 2 --out model --log log --snapshots 1
faulty train ../ratings --task topk $tiny --threads 2 --out model --per-user ranks --json
faulty tune ../data --epochs 1 --batch 64 --quiet --threads 1 --grid dimension=4,5 --out trials --best best

echo "$n_faults faults, of which $n_harmless harmless"
