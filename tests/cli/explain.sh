#!/bin/sh
# nln explain: explain.sh PROGRAM
. "$(dirname "$0")/common.sh"

prepare_ratings
printf '# two\nann\t%s !%s\n\nbob\t%s\t!%s\ncleo\t\n' "$item" "$other" "$third" "$item" >histories
run 0 explain topk --like "$item" --dislike "$other" --titles titles
says "^'.*' is recommended first, with score "
says "^!\\($item & !$other\\) \\| "
says '^item +title +history +lost if removed +lost if negated$'
run 0 explain topk --like "$item" --dislike "$other" --item "$third" --json
json "x['item'] == '$third' and x['expression'] == '!($item & !$other) | $third'" \
    'len(x["literals"]) == 2 and {"item", "liked", "removed", "negated"} <= set(x["literals"][0])' \
    'abs(x["literals"][0]["removed"]) >= abs(x["literals"][1]["removed"])' \
    '{l["item"]: l["liked"] for l in x["literals"]} == {'"'$item': True, '$other': False}"
mv out first
run 0 recommend topk --like "$item" --dislike "$other" -k 40 --json
python3 - first out <<'PYTHON' || fail "explain and recommend give different scores"
import json, sys
a, b = (json.load(open(name)) for name in sys.argv[1:])
scores = {r["item"]: r["score"] for r in b["recommendations"]}
sys.exit(abs(scores[a["item"]] - a["score"]) > 1e-4)
PYTHON
run 0 explain topk --user "$user"
says 'The model takes the last [0-9]+ of the [0-9]+ interactions'
run 0 explain topk
says '^F \| '
run 0 explain topk --histories histories --json
json 'len(x["histories"]) == 3 and len(x["histories"][0]["literals"]) == 2'
run 0 explain preference --like "$item"
says "^!\\($item\\) \\| "

echo "$n_checks checks"
