#!/bin/sh
# nln explain: explain.sh PROGRAM
. "$(dirname "$0")/common.sh"

prepare_ratings
printf '# two\nann\t%s !%s\n\nbob\t%s\t!%s\ncleo\t\n' "$item" "$other" "$third" "$item" >histories
run 0 explain topk --like "$item" --dislike "$other" --titles titles
says "^'.*' is recommended first, with score "
says "^!\\($item & !$other\\) \\| "
says 'The history moves its lead over other items from [+-][0-9.]+ to [+-][0-9.]+: '
says '^item +title +history +contribution +lost if removed +lost if negated$'
grep -q probability out && fail 'a topk model has no probability'
run 0 explain topk --like "$item" --dislike "$other" --item "$third" --json
json "x['item'] == '$third' and x['expression'] == '!($item & !$other) | $third'" \
    'len(x["literals"]) == 2 and {"item", "liked", "contribution", "removed", "negated"} <= set(x["literals"][0])' \
    'abs(x["literals"][0]["contribution"]) >= abs(x["literals"][1]["contribution"])' \
    'abs(sum(l["contribution"] for l in x["literals"]) - x["with_history"] + x["without_history"]) < 1e-4' \
    'x["probability"] is None' \
    '{l["item"]: l["liked"] for l in x["literals"]} == {'"'$item': True, '$other': False}"
mv out first
run 0 recommend topk --like "$item" --dislike "$other" -k 40 --json
python3 - first out <<'PYTHON' || fail "explain and recommend give different scores"
import json, sys
a, b = (json.load(open(name)) for name in sys.argv[1:])
scores = {r["item"]: r["score"] for r in b["recommendations"]}
sys.exit(abs(scores[a["item"]] - a["score"]) > 1e-4)
PYTHON
run 0 train ratings --task topk --split nlr --history 10 --rules 0 $quick --out short
run 0 explain short --user "$user"
says 'The model takes the last [0-9]+ of the [0-9]+ interactions'
run 0 explain topk
says '^F \| '
run 0 explain topk --histories histories --json
json 'len(x["histories"]) == 3 and len(x["histories"][0]["literals"]) == 2'
run 0 explain preference --like "$item"
says "^!\\($item\\) \\| "
says '\(probability 0\.[0-9]+\)\. The history moves it from '

echo "$n_checks checks"
