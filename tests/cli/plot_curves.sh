#!/bin/sh
# nln plot curves: plot_curves.sh PROGRAM
. "$(dirname "$0")/common.sh"

prepare
mkdir figures
run 0 train data --epochs 3 --quiet --log log.tsv --curves --out other
run 0 plot curves log.tsv --out figures/curves --metric rmse --json
json 'x["epochs"] == 3 and x["curves"] == 3 and x["metric"] == "rmse"'
drawn figures/curves
run 0 plot curves log.tsv --out figures/curves
says '^accuracy over 3 epochs; '
run 0 plot curves log.tsv --out figures/curves --metric loss --json
json 'x["curves"] == 1'
run 0 train data --epochs 2 --quiet --log log.tsv --out other
run 0 plot curves log.tsv --out figures/curves --json
json 'x["curves"] == 1 and x["metric"] == "accuracy"'

printf 'name\tvalue\n' >half.tsv
bad 1 'not the log of a training' plot curves half.tsv --out x
bad 1 'not the log of a training' plot curves nowhere --out x
bad 1 'has no auc' plot curves log.tsv --out x --metric auc
bad 2 '--out and LOG are the same file, log.tsv' plot curves log.tsv --out log

echo "$n_checks checks"
