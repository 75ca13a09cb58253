#!/bin/sh
# nln plot laws: plot_laws.sh PROGRAM
. "$(dirname "$0")/common.sh"

prepare
mkdir figures
run 0 plot laws model data --out figures/laws --json
json 'x["laws"] >= 10 and 0 <= x["least_kept"] <= 1'
worst=$(python3 -c 'import json; print(json.load(open("out"))["worst"])')
drawn figures/laws
# The table is what inspect measures.
run 0 inspect model data --json
json '[[l["name"], round(l["kept"], 4)] for l in x["laws"]] == [[c[1], round(float(c[6]), 4)] for c in (line.rstrip("\n").split("\t") for line in list(open("figures/laws.tsv"))[1:])]' \
    "min(x['laws'], key=lambda l: l['kept'])['name'] == '$worst'"
run 0 plot laws model --out figures/laws
says '^[0-9]+ laws, the least kept is [a-z_]+ in [0-9.]+ % of its cases; '
# The name of one of the files stands for all of them.
run 0 plot laws model --out figures/named.svg
[ -s figures/named.tsv ] && [ ! -e figures/named.svg.tsv ] || fail "an ending is part of the prefix"
run 0 plot laws model --out figures/v1.2
[ -s figures/v1.2.tsv ] || fail "what is no ending is cut"
run 0 train data --model marginals --quiet --out counted
bad 1 '.' plot laws counted --out x
bad 1 'nowhere' plot laws nowhere --out x

echo "$n_checks checks"
