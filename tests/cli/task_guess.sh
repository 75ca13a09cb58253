#!/bin/sh
# The task of a training whose command line names none: task_guess.sh PROGRAM
. "$(dirname "$0")/common.sh"

prepare
small="--epochs 1 --dimension 4 --threads 1"
run 0 generate ratings --users 30 --items 30 --ratings 600 --out ratings.csv

# Labelled expressions are task logic, without a word.
run 0 train data $small --out model --json
json 'x["options"]["task"] == "logic"'
grep -q 'task' err && fail "there is something to say about task logic"

# Ratings are task topk, in one line; a file or a folder of them.
run 0 train ratings.csv $small --out model --json
json 'x["options"]["task"] == "topk" and x["items"] == 30'
grep -q '^nln: task topk, since ratings.csv holds ratings; --task preference ' err ||
    fail "the task is not told"
run 0 split ratings.csv --out parts
run 0 train parts $small --out model --json --quiet
json 'x["options"]["task"] == "topk"'
[ ! -s err ] || fail "--quiet says something"

# The command line and a config file know better.
run 0 train ratings.csv --task preference $small --out model --json --quiet
json 'x["options"]["task"] == "preference"'
echo 'task = preference' >config
run 0 train ratings.csv --config config $small --out model --json --quiet
json 'x["options"]["task"] == "preference"'

# All trials of a tuning have the task.
run 0 tune ratings.csv --grid dimension=3,4 --epochs 1 --quiet --out trials --json
says '"task": *"topk"|ndcg'

# Neither the one nor the other.
printf 'ann\ttea\nbob\tmilk\n' >likes.tsv
bad 1 'users and items without ratings; give --task' train likes.tsv --out model
head -5 data/train.tsv >expressions.tsv
run 0 train expressions.tsv $small --out model --json --quiet
json 'x["options"]["task"] == "logic" and x["train"]["n"] == 3 and x["test"]["n"] == 1'
(cat expressions.tsv && printf 'a & (b\tT\n') >broken.tsv
bad 1 '^nln: broken.tsv:6:[0-9]+: [^;]*$' train broken.tsv --out model
tr '\t' , <expressions.tsv >expressions.csv
run 0 train expressions.csv $small --out model --json --quiet
json 'x["options"]["task"] == "logic" and x["train"]["n"] == 3 and x["test"]["n"] == 1'
printf 'c a puzzle\np cnf 2 2\n1 -2 0\n2 0\n' >puzzle.cnf
bad 1 'puzzle.cnf: these are clauses .*nln solve puzzle.cnf' train puzzle.cnf --out model
printf 'Kunde;Artikel;Note\na;b;7\nc;b;9\n' >foreign.csv
bad 1 'say --columns user=NAME,item=NAME.*give --task' train foreign.csv --out model
bad 1 'nowhere' train nowhere --out model

echo "$n_checks checks"
