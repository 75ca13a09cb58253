#!/bin/sh
# nln reproduce, end to end on sizes that take seconds: reproduce.sh PROGRAM
. "$(dirname "$0")/common.sh"
unset NLN_DATA

# ---- asking for what is not there -------------------------------------------------
bad 2 "there is no table or figure 'table9'; choose one of all, table2" reproduce table9
bad 1 'ML-100k, preference is not measured: --data or NLN_DATA' reproduce table3 --quick
bad 1 'ML-100k, preference is not measured: the folder of data does not have it' \
    reproduce figure-lambda-rec --quick --data .
bad 1 'none.json: cannot be read; --electronics' reproduce table3 --electronics none.json

# ---- everything ---------------------------------------------------------------------
run 0 reproduce all --tiny --out results --quiet --json
[ ! -s err ] || fail "--quiet is not quiet"
mv out all.json
for name in table2 table3 table-links table-knowledge; do
    for ending in txt md tex csv; do
        [ -s results/tables/$name.$ending ] || fail "there is no $name.$ending"
    done
done
grep -q '^.caption{.label{tab:table2}Simulated data\. ' results/tables/table2.tex ||
    fail "LaTeX, which numbers tables, gets another number in the caption"
pictures=
if command -v gnuplot >/dev/null; then
    pictures="svg png pdf"
else
    echo "SKIPPED: the pictures of the figures (gnuplot is not installed)"
fi
for name in lambda-logic lambda-rec tsne curves tsne-epochs lengths; do
    for ending in tsv gp $pictures; do
        [ -s results/figures/figure-$name.$ending ] || fail "there is no figure-$name.$ending"
    done
done

# Means, errors, p over two seeds (where Student's distribution is Cauchy's), marks and
# sentences, worked out again; tables, figures and runs agree.
cat >check.py <<'PYTHON'
import csv, json, math, pathlib, sys

x = json.load(open("all.json"))
root = pathlib.Path("results")
near = lambda a, b: abs(a - b) < 1e-5
is_baseline = lambda m: not m.startswith("nln") and m != "posterior"
lower = {"rmse"}
n = 0
for table, parts in x["tables"].items():
    rows = {(r["source"], r["method"], r["measure"]): r
            for r in csv.DictReader(open(root / "tables" / (table + ".csv")))}
    for source, part in parts.items():
        assert len(part["verdicts"]) >= 3
        keys = next(iter(part["rows"].values()))
        for key in keys:
            cells = {m: c[key] for m, c in part["rows"].items() if c[key]["mean"] is not None}
            sign = -1 if key in lower else 1
            rivals = {m: sign * c["mean"] for m, c in cells.items() if m != "posterior"}
            theirs = {m: v for m, v in rivals.items() if is_baseline(m)}
            for all_of, mark in ((rivals, "best"), (theirs, "best_baseline")):
                top = max(all_of.values())
                for m, v in all_of.items():  # every number that is the same in print
                    level = "%.4f" % abs(v) == "%.4f" % abs(top)
                    assert cells[m][mark] == level or abs(abs(v - top) - 5e-5) < 5e-5, (source, key, m)
                assert all(cells[m][mark] for m, v in all_of.items() if v == top), (source, key)
            base = cells[max(theirs, key=lambda m: theirs[m])]
            for m, c in cells.items():
                a, b = c["values"]
                row = rows[source, m, key]
                assert near(c["mean"], (a + b) / 2) and near(c["error"], abs(a - b) / 2)
                assert near(float(row["mean"]), c["mean"]) and row["n"] == "2"
                if m.startswith("nln"):
                    d = [a - base["values"][0], b - base["values"][1]]
                    mean, error = sum(d) / 2, abs(d[0] - d[1]) / 2
                    p = 1 - 2 / math.pi * math.atan2(abs(mean), error) if any(d) else 1
                    assert near(c["p_seeds"], p), (source, m, key, c["p_seeds"], p)
                assert ("p_users" in c) == (m.startswith("nln") and source.endswith(("topk", "links")))
                for seed, value in enumerate(c["values"], 1):
                    if key == "recovered" or m == "posterior":
                        continue
                    run = json.load(open(root / "runs" / source / m / ("seed-%d" % seed) / "result.json"))
                    found = run["test"]
                    for step in key.split("."):
                        found = found[step]
                    assert near(found, value)
                    n += 1
        lawless = any("laws switched off" in v for v in part["verdicts"])
        assert lawless == source.endswith("topk"), part["verdicts"]
        lead = part["rows"]["nln"][next(iter(keys))]
        words = part["verdicts"][0]
        key = next(iter(keys))
        theirs = max((c[key] for c in part["rows"].values() if c[key]["best_baseline"]),
                     key=lambda c: -c["mean"] if key in lower else c["mean"])
        difference = lead["mean"] - theirs["mean"]
        expected = "level with" if abs(difference) < 5e-5 else "ahead of" if difference > 0 else "behind"
        assert expected in words and "%.4f" % lead["mean"] in words and "seeds" in words, words
assert n > 50, n

sweep = list(csv.DictReader(open(root / "figures/figure-lambda-logic.tsv"), delimiter="\t"))
assert [r["weight"] for r in sweep] == ["0", "1e-5", "1e-4", "1e-3", "1e-2", "1e-1"]
same = x["tables"]["table2"]["1k-5k"]["rows"]["nln-paper"]["accuracy"]
assert near(float(sweep[4]["accuracy"]), same["mean"]) and near(float(sweep[4]["accuracy_error"]), same["error"])
curves = list(csv.DictReader(open(root / "figures/figure-curves.tsv"), delimiter="\t"))
assert len(curves) == 4 and all(0 < float(r[s + "_rmse"]) < 1 for r in curves for s in ("train", "valid", "test"))
maps = list(csv.DictReader(open(root / "figures/figure-tsne-epochs.tsv"), delimiter="\t"))
assert {r["group"] for r in maps} == {"1 T", "1 F", "2 T", "2 F"} and len(maps) == 60
assert len(open(root / "figures/figure-tsne.tsv").readlines()) == 31
PYTHON
python3 check.py 2>err || fail "the numbers do not agree"
n_checks=$((n_checks + 1))

# ---- the report ------------------------------------------------------------------------
cat >page.py <<'PYTHON'
import html.parser, sys

class Page(html.parser.HTMLParser):
    open_tags, ids, links, pictures = [], set(), [], 0
    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if "id" in attributes:
            self.ids.add(attributes["id"])
        if tag == "a":
            self.links.append(attributes["href"])
        if tag in ("script", "link", "iframe"):
            sys.exit("the page needs more than itself: " + tag)
        if tag == "img":
            self.pictures += 1
            assert attributes["src"].startswith("data:image/svg+xml;base64,") and attributes["alt"]
        if tag not in ("meta", "img", "li"):
            self.open_tags.append(tag)
    def handle_endtag(self, tag):
        if tag != "li":
            assert self.open_tags.pop() == tag, tag

page = Page()
text = open("results/report.html").read()
page.feed(text)
assert not page.open_tags, page.open_tags
assert all(l[1:] in page.ids for l in page.links if l.startswith("#"))
import os
assert all(os.path.exists("results/" + l) for l in page.links if not l.startswith("#"))
assert page.pictures == int(sys.argv[1]), page.pictures
for word in ("table2", "table3", "runs", "machine"):
    assert word in page.ids, word
assert "sizes are so small" in text and "viewport" in text and "missing" not in text
PYTHON
python3 page.py "$([ -n "$pictures" ] && echo 6 || echo 0)" 2>err || fail "the report is not as it should be"
n_checks=$((n_checks + 1))

# ---- text and LaTeX ------------------------------------------------------------------------
if grep -qF '**' results/tables/*.txt; then fail "the text has marks of Markdown"; fi
grep -q '★' results/tables/table2.txt || fail "the text does not mark the best"
if command -v pdflatex >/dev/null; then
    {
        printf '%s\n' '\documentclass[twocolumn]{article}\usepackage{array}\begin{document}'
        cat results/tables/*.tex
        printf '%s\n' 'Tables \ref{tab:table2} and \ref{tab:table3}.\end{document}'
    } >paper.tex
    for pass in 1 2; do
        pdflatex -interaction=nonstopmode -halt-on-error paper.tex >paper.out || fail "LaTeX: $(grep -A3 '^!' paper.out)"
    done
    if grep -Eq 'Overfull .hbox|undefined' paper.log; then fail "LaTeX: $(grep -E 'Overfull|undefined' paper.log | head -n 3)"; fi
    grep -Eq '^Output written on paper.pdf' paper.out || fail "LaTeX wrote nothing"
    if grep -q 'resizebox\|scalebox' results/tables/*.tex; then fail "tables are scaled to several sizes of font"; fi
else
    echo "SKIPPED: there is no pdflatex (texlive-latex-base), so the tables were not set in LaTeX"
fi
n_checks=$((n_checks + 1))

# ---- what was asked for ---------------------------------------------------------------------
run 0 reproduce figure-curves --tiny --seeds 1 --out asked --quiet
[ "$(cd asked && echo figures/*.gp tables/*)" = "figures/figure-curves.gp tables/*" ] ||
    fail "not only the figure that was asked for: $(ls asked/figures asked/tables)"

# ---- going on -----------------------------------------------------------------------------
bad 1 'resume' reproduce all --tiny --out results
find results/runs -name result.json -newer check.py >"$lists/newer"
[ ! -s "$lists/newer" ] || fail "the check is not older than the runs"
run 0 reproduce table2 --tiny --out results --resume --quiet
says '^30 variables, 300 expressions$'
says '^exact posterior .* 1\.0000 ± 0\.0000'
grep -q 'Recommendation' out && fail "a table is printed that was not asked for"
find results/runs -name result.json -newer check.py >"$lists/newer"
[ ! -s "$lists/newer" ] || fail "finished runs were computed again"
[ -s results/tables/table3.txt ] || fail "the other tables are gone"

# A store with gaps is no failure of the tables.
rm -r results/runs/1k-5k/birnn/seed-2 results/runs/20k-50k/nln
run 0 reproduce figure-curves --tiny --out results --resume --quiet --json
json 'x["tables"]["table2"]["1k-5k"]["rows"]["birnn"]["accuracy"]["values"][1] is None' \
    'x["tables"]["table2"]["20k-50k"]["rows"]["nln"]["accuracy"]["mean"] is None' \
    '"NLN has not been measured" in x["tables"]["table2"]["20k-50k"]["verdicts"][0]'
grep -q '(1 of 2)' results/tables/table2.txt || fail "a lacking seed is not told"
grep -q 'missing' results/tables/table2.md || fail "a lacking row is not told"

run 0 reproduce table2 --tiny --out results --no-compute
[ ! -e results/runs/20k-50k/nln/seed-1 ] || fail "--no-compute computes"

# Killed at any moment, it goes on and comes to the same.
"$nln" reproduce table2 --tiny --out killed --quiet >out 2>err &
child=$!
sleep 0.3
kill -9 "$child" 2>/dev/null || fail "there was nothing to interrupt"
wait "$child" 2>/dev/null || true
run 0 reproduce table2 --tiny --out killed --resume --quiet --json
python3 - <<'PYTHON' 2>err || fail "an interrupted study comes to something else"
import json
a, b = (json.load(open(name))["tables"]["table2"] for name in ("all.json", "out"))
assert a == b
PYTHON

[ -z "$(find . -name '.nln-*.tmp')" ] || fail "temporary files are left"
echo "$n_checks checks"
