#!/bin/sh
# nln recommend: recommend.sh PROGRAM
. "$(dirname "$0")/common.sh"

prepare_ratings

run 0 recommend topk --user "$user" --titles titles
says '^rank +item +title +score$'
[ "$(wc -l <out)" -eq 11 ] || fail "not ten recommendations"
run 0 recommend topk --user "$user" --data ratings -k 3 --json
json 'len(x["recommendations"]) == 3 and x["name"] and len(x["history"]) > 1' \
    'not {r["item"] for r in x["recommendations"]} & {h["item"] for h in x["history"]}' \
    'x["recommendations"][0]["score"] >= x["recommendations"][2]["score"]'
run 0 recommend topk --like "$item" --dislike "$other" --like "$third" --top=40 --json --titles titles
json "[(h['item'], h['liked']) for h in x['history']] == [('$item', True), ('$other', False), ('$third', True)]" \
    'len(x["recommendations"]) == 37 and all(r["title"] for r in x["recommendations"])' \
    'all(r["probability"] is None for r in x["recommendations"])'
mv out first
run 0 recommend topk --like "$item" --dislike="$other" --like "$third" -k 40 --json --titles titles
cmp -s out first || fail "other spellings give another answer"
run 0 recommend topk --like "$title" --dislike "$other" --like "$third" -k 40 --json --titles titles
cmp -s out first || fail "an item goes not by its title"
run 0 recommend topk --like "$item,$other" --like "$third" --json --with-seen -k 40
json 'len(x["recommendations"]) == 40 and [h["liked"] for h in x["history"]] == [True] * 3'
run 0 recommend topk
says 'history is empty'
run 0 recommend topk --like "$(cut -f1 titles | paste -s -d,)"
says 'every item'
# The latest word counts, as in a ratings file.
run 0 recommend topk --like "$other" --dislike "$item" --json
cp out latest
run 0 recommend topk --dislike "$other" --like "$item,$other" --dislike "$item" --json
cmp -s out latest || fail "the latest word on an item is not the one that counts"
grep -q '^nln: 2 likes or dislikes are of an item that comes again' err || fail "nothing is said of it"
run 0 recommend topk --like "$item" --dislike "$item" --json --quiet
[ ! -s err ] || fail "--quiet is not quiet"
json 'len(x["history"]) == 1 and not x["history"][0]["liked"]'
printf 'ann\t%s !%s\nbob\t%s\n' "$item" "$item" "$item" >histories
run 0 recommend topk --histories histories --json
json 'all("history" not in a for a in x["histories"])'
grep -q '^nln: 1 likes or dislikes' err || fail "nothing is said of repeated items"
run 0 recommend preference --like "$item" -k 2
[ "$(wc -l <out)" -eq 3 ] || fail "a model of likes does not recommend"
says '^rank +item +score +probability$'
grep -q '^nln: a preference model' err || fail "no word of warning about preference"
run 0 recommend preference --like "$item" -k 2 --quiet
[ ! -s err ] || fail "--quiet is not quiet about preference"
run 0 recommend topk --like "$item" --dislike "$other" --reasons 2 -k 3
says '^rank +item +score +because of$'
run 0 recommend topk --like "$item" --dislike "$other" --reasons 1 -k 3 --json
json 'all(len(r["reasons"]) <= 1 for r in x["recommendations"])' \
    'any(r["reasons"] for r in x["recommendations"])'
printf '# two\nann\t%s !%s\n\nbob\t%s\t!%s\ncleo\t\n' "$item" "$other" "$third" "$item" >histories
run 0 recommend topk --histories histories -k 2 --json
json '[h["name"] for h in x["histories"]] == ["ann", "bob", "cleo"]' \
    'all(len(h["recommendations"]) == 2 for h in x["histories"])'
mv out first
"$nln" recommend topk --histories - -k 2 --json <histories >out || fail "histories from standard input"
cmp -s out first || fail "standard input gives other recommendations"
run 0 recommend topk --histories histories -k 2
[ "$(grep -Ec '^(ann|bob|cleo) ' out)" -eq 6 ] || fail "not two lines for each history"
# Lines that cannot be read cost only themselves, and unknown items are left out, unless --strict.
printf 'ann\t%s !nothing\nbob %s\ncleo\t%s\n' "$item" "$item" "$third" >mixed
run 1 recommend topk --histories mixed -k 2
[ "$(grep -Ec '^(ann|cleo) ' out)" -eq 4 ] || fail "the good lines are not answered"
grep -q "^nln: mixed:1: the model does not know 'nothing'" err || fail "an unknown item is not told"
grep -q '^nln: mixed:2: there is no TAB' err || fail "a bad line is not told"
run 1 recommend topk --histories mixed --strict
[ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] || fail "--strict goes on"
run 2 recommend topk --histories histories --core 3
printf 'like = %s\ntop = 4\n' "$item" >config
run 0 recommend topk --config config --json
json 'len(x["history"]) == 1 and len(x["recommendations"]) == 4'

# Filters: ids, titles and files.
run 0 recommend topk --like "$item" --only "$other,$third" --json
json "sorted(r['item'] for r in x['recommendations']) == sorted(['$other', '$third'])"
printf '%s\n%s\nnobody\n' "$other" "$third" >few
run 0 recommend topk --like "$item" --only few --json
json "sorted(r['item'] for r in x['recommendations']) == sorted(['$other', '$third'])"
grep -q 'does not know 1 of the 3 items' err || fail "an unknown item of a file is not told"
run 0 recommend topk --like "$item" --exclude few -k 40 --json
json "len(x['recommendations']) == 37 and not {'$other', '$third'} & {r['item'] for r in x['recommendations']}"
run 1 recommend topk --like "$item" --exclude nobody
# A like or dislike beside a user adds to what is stored.
run 0 recommend topk --user "$user" --dislike "$third" --json
json "x['history'][-1]['item'] == '$third' and len(x['history']) > 1 and x['name']"
# Every user, as a stream.
run 0 recommend topk --all -k 2 --with-seen --titles titles
users=$(sed 1d ratings | cut -d, -f1 | sort -u | wc -l)
[ "$(wc -l <out)" -eq $((2 * users + 1)) ] || fail "not two lines for each user"
says '^user	rank	item	score	title$'
run 0 recommend topk --all -k 2 --as jsonl --out lists --threads 2
[ "$(wc -l <lists)" -eq "$users" ] && [ ! -s out ] || fail "not one object for each user"
run 0 recommend topk --user "$user" -k 2 --json
json "[r['item'] for r in x['recommendations']] == \
    [[i['item'] for i in r['items']] for r in map(__import__('json').loads, open('lists')) if r['user'] == '$user'][0]"
run 2 recommend topk --as csv
run 2 recommend topk --all --user "$user"

# Lists that are not all alike: other items, as many, each once.
run 0 recommend topk --like "$item" -k 5 --json
cp out plain
run 0 recommend topk --like "$item" -k 5 --diversity 0.9 --json
json 'len({i["item"] for i in x["recommendations"]}) == 5' \
    'x["recommendations"][0] == json.load(open("plain"))["recommendations"][0]' \
    'x["recommendations"] != json.load(open("plain"))["recommendations"]'
run 0 recommend topk --like "$item" -k 5 --diversity 0 --json
cmp -s out plain || fail "no diversity changes the list"
run 0 recommend topk --all --diversity 0.9 -k 3
bad 2 'diversity' recommend topk --like "$item" --diversity 2

echo "$n_checks checks"
