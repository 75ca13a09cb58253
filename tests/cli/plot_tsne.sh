#!/bin/sh
# nln plot tsne: plot_tsne.sh PROGRAM
. "$(dirname "$0")/common.sh"

prepare
mkdir figures

quick="--iterations 100"
run 0 plot tsne model --out figures/a --truth data $quick
says '^KL divergence +[0-9.]+$'
says '^trustworthiness +[01]\.[0-9]+$'
says '^accuracy of two clusters +[01]\.[0-9]+$'
says '^20 vectors of [0-9]+ numbers, all pairs, perplexity 6\.3'
drawn figures/a
awk -F '\t' 'NR == 1 { bad = $0 != "name\tx\ty\tvalue\tcluster"; next }
    NF != 5 || $4 !~ /^[TF]$/ || $5 !~ /^[12]$/ { bad = 1 }
    END { exit bad || NR != 21 }' figures/a.tsv || fail "figures/a.tsv is not as it should be"

run 0 plot tsne model --out figures/b --truth data/variables.tsv $quick --json --threads 1
json '{"kl", "trustworthiness", "cluster_accuracy", "seconds", "options"} <= set(x)' \
    'x["variables"] == 20 and x["exact"] is True and x["iterations"] == 100' \
    'x["kl"] > 0 and 0.5 <= x["cluster_accuracy"] <= 1 and x["cluster_accuracy_n"] == 20' \
    "x['drawn'] is bool($pictures)"
cmp -s figures/a.tsv figures/b.tsv || fail "one thread and all of them draw differently"

# The accuracy is that of the file: most of each cluster, by its value.
python3 - out figures/b.tsv <<'PYTHON' || fail "the accuracy of the clusters is another"
import collections, csv, json, sys
count = collections.Counter(
    (r["cluster"], r["value"]) for r in csv.DictReader(open(sys.argv[2]), delimiter="\t"))
right = sum(max(count[c, "T"], count[c, "F"]) for c in "12")
sys.exit(abs(right / 20 - json.load(open(sys.argv[1]))["cluster_accuracy"]) > 1e-9)
PYTHON

run 0 plot tsne model --out c $quick --exact-up-to 0 --theta 0.8 --init random --seed 4 --json
json 'x["cluster_accuracy"] is None and x["exact"] is False and x["options"]["seed"] == 4'
drawn c
[ "$(cut -f4 c.tsv | sort -u | tr '\n' ' ')" = '? value ' ] || fail "values out of nowhere"
sed 10q data/variables.tsv >half.tsv
run 0 plot tsne model --out c $quick --truth half.tsv --json
json '0 < x["cluster_accuracy_n"] < 20'
grep -q unknown c.gp || fail "the unknown ones are not drawn"

# ---- without gnuplot ---------------------------------------------------------
mkdir empty
code=0
PATH=$work/empty "$nln" plot tsne model --out d $quick >out 2>err || code=$?
[ "$code" -eq 0 ] || fail "exit code $code without gnuplot"
grep -q 'gnuplot is not installed' err || fail "it is not told that there is no gnuplot"
[ -s d.tsv ] && [ -s d.gp ] && [ ! -e d.svg ] || fail "not the files of a figure without pictures"

# ---- what cannot be ----------------------------------------------------------
bad 2 '--out is missing' plot tsne model
bad 2 'plot' plot tsnee model --out x
bad 2 'perplexity 25 is too large for 20 points' plot tsne model --out x --perplexity 25
bad 2 '--theta' plot tsne model --out x --theta 2
bad 1 'nowhere/x.tsv: cannot write here' plot tsne model --out nowhere/x
bad 1 'nowhere' plot tsne nowhere --out x
bad 1 'nowhere' plot tsne model --out x --truth nowhere
printf 'no_such_name\tT\n' >strange.tsv
bad 1 'no value for any variable' plot tsne model --out x --truth strange.tsv
run 0 train data --model marginals --epochs 1 --quiet --out plain
bad 2 'marginals has no vectors' plot tsne plain --out x

echo "$n_checks checks"
