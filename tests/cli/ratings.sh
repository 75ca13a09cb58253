#!/bin/sh
# The verbs for ratings, end to end: ratings.sh PROGRAM
. "$(dirname "$0")/common.sh"

# ---- generate and split --------------------------------------------------------
prepare_ratings
run 0 generate ratings --users 60 --items 40 --ratings 1500 --out again --titles titles2 --json
json 'x["ratings"] == 1500 and x["users"] == 60 and x["items"] == 40 and x["titles"] == "titles2"'
cmp -s ratings again && cmp -s titles titles2 || fail "the same seed made other ratings"
[ "$(wc -l <titles)" -eq 40 ] || fail "not one title for each item"

run 0 split ratings --split nlr --out parts
says '^train +[0-9]+ +[0-9]+ '
run 0 split ratings --split nlr --out parts2 --json
json 'sum(x[s]["n"] for s in ("train", "valid", "test")) == 1500 == x["reading"]["lines"]' \
    '0 < x["test"]["likes"] <= x["test"]["n"] and x["reading"]["bad"] == 0' \
    'x["reading"]["first"] is None and x["users"] == 60 and x["options"]["split"] == "nlr"'
diff -r parts parts2 >/dev/null || fail "the same split made other files"
[ "$(cat parts/*.tsv | wc -l)" -eq 1503 ] || fail "rows were lost"
gzip -c ratings >ratings.gz
run 0 split ratings.gz --split nlr --out parts3 --quiet
diff -r parts parts3 >/dev/null || fail "compressed ratings are read otherwise"

# ---- lines of no use -------------------------------------------------------------
(cat ratings && printf 'u1\nu1,i1,99,5\nu2,i2,x,5\n') >dirty
run 0 split dirty --rating-range 1:5 --out parts4 --json
json 'x["reading"]["lines"] == 1503 and x["reading"]["bad"] == 2 and x["reading"]["first"]["line"] == 1502' \
    'x["reading"]["out_of_range"] == 1'
[ "$(wc -l <err)" -eq 1 ] && grep -Eq '3 of 1503 lines are left out.*dirty:1502: ' err ||
    fail "what was left out is not told"
run 0 split dirty --out parts4 --quiet
[ ! -s err ] || fail "--quiet is not quiet"

printf 'user,item,rating,text\n"a, b","x\ny",5,\na,x,4,"nice\n\nb,z,1"\nc,"y,2,\n' >spans
run 0 split spans --split none --out parts4
grep -Eq '2 of 3 lines are left out: 2 cannot be read; .*spans:2: .*goes on in the next line' err ||
    fail "a field that spans lines is not told"
[ "$(sed -n '2,$p' parts4/train.tsv)" = "a	x	4" ] || fail "a quoted line is read as a rating"

says 'read as plain \(user, item, rating; no times, so the order of the lines is taken\)'
sed '1s/.*/user,item,rating,date/' ratings >dated
run 0 split dated --split nlr --out parts4
says 'read as plain \(user, item, rating, time\), written to parts4$'
cmp -s parts4/test.tsv parts/test.tsv || fail "the times under another name are not read"
cut -d, -f1,2 ratings >untimed
run 0 split untimed --out parts4 --json
json 'x["reading"]["has_rating"] is False and x["reading"]["has_time"] is False'
run 0 train untimed --task topk --epochs 1 --dimension 8 --threads 1 --out other
grep -q 'untimed: read as plain: user, item; no ratings, so every line is a like; no times' err ||
    fail "missing columns are not told"

(sed '1d; 21q' ratings | cut -d, -f1,2 && sed 1,21d ratings) >late
run 0 split late --out parts4
grep -q '20 of 1500 lines are left out.*late:1: the line has no rating' err ||
    fail "lines without ratings are likes"

printf 'a,x,4,1\na,x,5,2\n' >single
run 0 split single --split none --out parts4
says '^1 user and 1 item, read as '
grep -q '1 of 2 lines is left out' err || fail "one line is told as many"
printf 'a,x,4,1\na,y,5,\n' >single
run 0 split single --split none --out parts4
says '^1 user and 2 items, read as '
grep -q '1 line without a time keeps its place' err || fail "one time is told as many"

# ---- train and evaluate ------------------------------------------------------------
run 0 train ratings --task topk --split nlr --epochs 2 --dimension 8 --batch 128 --threads 2 \
    --out topk2 --json
json '{"epochs", "best_epoch", "seconds", "seconds_per_epoch", "peak_rss_bytes", "reading"} <= set(x)' \
    'all({"ndcg@10", "hit@10", "recall@10", "mrr", "mean_rank", "n", "n_users"} <= set(m) for s in ("valid", "test") for m in (x[s], x[s]["full"]))' \
    '0 <= x["test"]["ndcg@10"] <= x["test"]["hit@10"] <= 1 and x["test"]["n"] > 0' \
    'x["users"] == 60 and x["items"] == 40 == x["variables"] and x["options"]["task"] == "topk"'
[ "$(grep -c 'valid nDCG@10 [01]\.[0-9]' err)" -eq 2 ] || fail "no nDCG for each epoch"
mv out trained
run 0 train ratings --task preference --epochs 1 --dimension 8 --threads 1 --out preference2
says '^split +interactions +accuracy +RMSE +cross-entropy +AUC$'
says '^test +[0-9]+ '
[ "$(grep -c 'valid AUC [01]\.[0-9]' err)" -eq 1 ] || fail "no AUC for each epoch"
for model in popularity biasedmf svdpp ncf ease gru; do
    run 0 train parts --task topk --model $model --epochs 1 --dimension 8 --threads 1 --quiet \
        --per-user users --out other --json
    mv out other.json
    run 0 evaluate other parts --per-user users2 --json
    python3 - other.json out <<'PYTHON' || fail "evaluate does not repeat what train said of $model"
import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
sys.exit(abs(a["test"]["ndcg@10"] - b["network"]["ndcg@10"]) > 1e-9)
PYTHON
    cmp -s users users2 || fail "train and evaluate rank otherwise: $model"
    name=$(sed -n 2p parts/test.tsv | cut -f1)
    run 0 recommend other --user "$name" -k 3 --with-seen
    [ "$(wc -l <out)" -eq 4 ] || fail "not three recommendations of $model"
done
bad 1 'does nothing for --model biasedmf' train parts --task topk --model biasedmf --l2 1 --out x
bad 1 'does nothing for --model ease' train parts --task topk --model ease --batch 7 --out x
bad 1 'does nothing for --model ncf' train parts --task topk --model ncf --history 5 --out x
bad 1 'it can do --task topk' train ratings --task preference --model ease --out x
for model in popularity biasedmf svdpp ncf; do
    run 0 train ratings --task preference --split none --model $model --epochs 1 --dimension 8 \
        --threads 1 --quiet --out other
    run 0 train ratings --task preference --model $model --epochs 1 --dimension 8 --threads 1 \
        --quiet --out other
done
sed '2,$s/^u/w/' ratings >strangers
bad 1 'knows none of the [0-9]+ users' evaluate other strangers
sed 's/^u1,/w1,/; s/^u2,/w2,/' ratings >strangers
run 0 evaluate other strangers
grep -Eq 'strangers: the model does not know 2 of the 60 users; for them' err ||
    fail "users that the model does not know are not counted"
run 0 evaluate other strangers --quiet
[ ! -s err ] || fail "--quiet is not quiet"
run 0 evaluate preference strangers
! grep -q ' users; for them' err || fail "the network knows no users"
run 0 train parts --task topk --epochs 1 --dimension 8 --threads 1 --quiet --out topk3
says '^split +likes ranked +nDCG@10 '

for data in "ratings --split nlr" parts; do
    run 0 evaluate topk2 $data --json
    python3 - trained out <<'PYTHON' || fail "evaluate $data does not repeat what train said"
import json, sys
a, b = (json.load(open(name)) for name in sys.argv[1:])
a, b = a["test"], b["network"]
del b["seconds"]
sys.exit(a != b)
PYTHON
done
run 0 evaluate topk parts --part valid --cuts 3,7 --ranking sampled --json
json 'x["split"] == "valid" and "ndcg@3" in x["network"] and "hit@7" in x["network"]' \
    '"full" not in x["network"] and "ndcg@10" not in x["network"]'
run 0 evaluate topk parts --ranking full --json
json 'x["network"]["full"]["n"] > 0 and "mrr" not in x["network"]'
run 0 evaluate topk parts --cuts 2,10
says '^ k +nDCG@k +HR@k +recall@k +full nDCG@k +full HR@k +full recall@k$'
says '^among all items: MRR '
run 0 evaluate preference ratings --split valid --json
json 'x["split"] == "valid" and {"accuracy", "rmse", "cross_entropy", "auc"} <= set(x["network"])'
run 0 evaluate preference ratings
says '^test +[0-9]+ '

run 0 evaluate topk parts --per-user users.tsv --json
python3 - users.tsv out <<'PYTHON' || fail "the ranks of the users do not add up"
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1]), delimiter="\t"))
x = json.load(open(sys.argv[2]))["network"]
def mean(column): return sum(float(row[column]) for row in rows) / len(rows)
near = lambda a, b: abs(a - b) < 1e-5
assert len(rows) == x["n"] == x["full"]["n"]
assert near(mean("ndcg@10_sampled"), x["ndcg@10"]) and near(mean("hit@10_sampled"), x["hit@10"])
assert near(mean("ndcg@10_full"), x["full"]["ndcg@10"]) and near(mean("hit@10_full"), x["full"]["hit@10"])
assert near(mean("rank_full"), x["full"]["mean_rank"])
PYTHON

# ---- recommend -------------------------------------------------------------------
run 0 recommend topk --user "$user" --titles titles
says '^rank +item +title +score +probability$'
[ "$(wc -l <out)" -eq 11 ] || fail "not ten recommendations"
run 0 recommend topk --user "$user" --data ratings -k 3 --json
json 'len(x["recommendations"]) == 3 and x["name"] and len(x["history"]) > 1' \
    'not {r["item"] for r in x["recommendations"]} & {h["item"] for h in x["history"]}' \
    'x["recommendations"][0]["score"] >= x["recommendations"][2]["score"]'
run 0 recommend topk --like "$item" --dislike "$other" --like "$third" --top=40 --json --titles titles
json "[(h['item'], h['liked']) for h in x['history']] == [('$item', True), ('$other', False), ('$third', True)]" \
    'len(x["recommendations"]) == 37 and all(r["title"] for r in x["recommendations"])' \
    'all(0 <= r["probability"] <= 1 for r in x["recommendations"])'
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
json '[[h["liked"] for h in a["history"]] for a in x["histories"]] == [[False], [True]]'
grep -q '^nln: 1 likes or dislikes' err || fail "nothing is said of repeated items"
run 0 recommend preference --like "$item" -k 2
[ "$(wc -l <out)" -eq 3 ] || fail "a model of likes does not recommend"
printf '# two\nann\t%s !%s\n\nbob\t%s\t!%s\ncleo\t\n' "$item" "$other" "$third" "$item" >histories
run 0 recommend topk --histories histories -k 2 --json
json '[h["name"] for h in x["histories"]] == ["ann", "bob", "cleo"]' \
    '[[l["liked"] for l in h["history"]] for h in x["histories"]] == [[True, False], [True, False], []]' \
    'all(len(h["recommendations"]) == 2 for h in x["histories"])'
mv out first
"$nln" recommend topk --histories - -k 2 --json <histories >out || fail "histories from standard input"
cmp -s out first || fail "standard input gives other recommendations"
run 0 recommend topk --histories histories -k 2
[ "$(grep -Ec '^(ann|bob|cleo) ' out)" -eq 6 ] || fail "not two lines for each history"
printf 'like = %s\ntop = 4\n' "$item" >config
run 0 recommend topk --config config --json
json 'len(x["history"]) == 1 and len(x["recommendations"]) == 4'

# ---- a model remembers how its ratings were read -----------------------------------
run 0 train ratings --task topk --model ease --split random --split-seed 5 --like-from 3 \
    --out dealt --json
mv out first
run 0 evaluate dealt ratings --json
python3 - first out <<'PYTHON' || fail "evaluate deals the rows otherwise than training did"
import json, sys
a, b = (json.load(open(name)) for name in sys.argv[1:])
read = {"split": "random", "split-seed": 5, "like-from": "3"}
sys.exit(a["test"]["ndcg@10"] != b["network"]["ndcg@10"] or a["test"]["n"] != b["network"]["n"]
         or any(x["reading"]["options"][k] != v for x in (a, b) for k, v in read.items()))
PYTHON
[ ! -s err ] || fail "a note without a difference"
run 0 evaluate dealt ratings --split paper --json
grep -q 'trained with --split random, not paper: what is held out here may have been learned' err ||
    fail "another split is not told"
run 0 inspect dealt
says 'were read with --split random --split-seed 5 --like-from 3$'
run 0 train ratings --task topk --model ease --split none --out all --quiet
run 0 evaluate all ratings --json
json 'x["network"]["n"] == 0'
grep -q 'nothing to measure in test' err || fail "an empty part is not told"
printf 'new,%s,1,1\nnew,%s,1,2\n' "$item" "$other" >ones
run 0 recommend topk --user new --data ones --json
json 'all(not h["liked"] for h in x["history"]) and len(x["history"]) == 2'
seq 20 | sed 's/.*/i&,5,&/; s/^/ann,/' >line
sed 's/ann/bob/' line >line2
cat line line2 >lines
run 0 train lines --task topk --model ease --split random --out dealt --quiet
run 0 recommend dealt --user ann --json
json '[h["item"] for h in x["history"]] == ["i%d" % i for i in range(1, 21)]'
run 0 recommend dealt --user ann --data lines --split random --json
json '[h["item"] for h in x["history"]] == ["i%d" % i for i in range(1, 21)]'

# ---- explain ---------------------------------------------------------------------
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

[ -z "$(find . -name '.nln*' -o -name '*.tmp*')" ] || fail "temporary files are left"
echo "$n_checks checks"
