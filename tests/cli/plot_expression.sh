#!/bin/sh
# nln plot expression: plot_expression.sh PROGRAM
. "$(dirname "$0")/common.sh"

prepare
a=$(sed -n 2p data/variables.tsv | cut -f1)
b=$(sed -n 3p data/variables.tsv | cut -f1)
run 0 plot expression model "!($a & $b) | $b" --out drawn.svg
says '6 parts drawn in drawn.svg$'
python3 - drawn.svg <<'PYTHON' || fail "the drawing is not what it should be"
import sys
import xml.etree.ElementTree as tree

root = tree.parse(sys.argv[1]).getroot()
space = "{http://www.w3.org/2000/svg}"
texts = [t.text for t in root.iter(space + "text")]
assert texts.count("AND") == 1 and texts.count("OR") == 1 and texts.count("NOT") == 1, texts
truths = [float(t) for t in texts if t[0].isdigit()]
assert len(truths) == 6 and all(0 <= t <= 1 for t in truths), texts
assert len(list(root.iter(space + "path"))) == 5
PYTHON
run 0 plot expression model "$a -> $b" --normal-form --out drawn.svg --json
json 'x["nodes"] == 4 and 0 <= x["truth"] <= 1'
bad 1 'stranger' plot expression model "$a & stranger" --out x.svg
bad 1 'nowhere' plot expression model "$a" --out nowhere/x.svg

echo "$n_checks checks"
