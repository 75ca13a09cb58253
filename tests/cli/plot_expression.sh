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
run 0 plot expression model "$a" --out drawn.svg
says '1 part drawn in drawn.svg$'
# Boxes are as wide as the longest name.
for i in $(seq 30); do printf 'b%d & a_name_of_thirty_letters_or_so\tT\n' "$i"; done >long.tsv
run 0 train long.tsv --epochs 1 --message-sweeps 0 --quiet --out long.model
run 0 plot expression long.model 'b1 & a_name_of_thirty_letters_or_so' --out drawn.svg
grep -q '>a_name_of_thirty_letters_or_so<' drawn.svg || fail "a long name is cut off"
grep -q 'width="286"' drawn.svg || fail "the boxes do not grow with the names"
run 0 plot expression model "$a -> $b" --normal-form --out drawn.svg --json
json 'x["nodes"] == 4 and 0 <= x["truth"] <= 1'
# For Graphviz, which makes the pictures that are not drawn here.
run 0 plot expression model "!($a & $b) | $b" --out drawn.gv
says '6 parts drawn in drawn.gv$'
[ "$(grep -c -- '->' drawn.gv)" -eq 5 ] || fail "not five edges for Graphviz"
[ "$(grep -Ec 'n[0-9]+ \[xlabel="[01]\.[0-9]{3}", fillcolor="#[0-9a-f]{6}"' drawn.gv)" -eq 6 ] ||
    fail "not six nodes for Graphviz"
if command -v dot >/dev/null; then
    dot -Tpdf drawn.gv >drawn.pdf || fail "Graphviz does not read its file"
fi
bad 2 'dot -Tpdf -O FILE.gv' plot expression model "$a" --out x.pdf
bad 1 'stranger' plot expression model "$a & stranger" --out x.svg
bad 1 'nowhere' plot expression model "$a" --out nowhere/x.svg

echo "$n_checks checks"
