#!/bin/sh
# nln train and evaluate with ratings: evaluate_ratings.sh PROGRAM
. "$(dirname "$0")/common.sh"

prepare_ratings
run 0 split ratings --split nlr --out parts --quiet

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
# What makes a model quick, where it applies.
quick() {
    case $1 in popularity | ease | itemknn) ;; *) echo "--epochs 1 --dimension 8" ;; esac
}
for model in popularity biasedmf svdpp ncf ease gru itemknn sasrec; do
    run 0 train parts --task topk --model $model $(quick $model) --threads 1 --quiet \
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
    run 0 train ratings --task preference --split none --model $model $(quick $model) \
        --threads 1 --quiet --out other
    run 0 train ratings --task preference --model $model $(quick $model) --threads 1 \
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

# ---- foreign columns are remembered, and another file of the same interactions is noticed ----
awk 'BEGIN { srand(3); print "Kunde;Artikel;Note;Zeit"
    for (u = 0; u < 40; u++) for (i = 0; i < 12; i++)
        printf "k%d;a%d;%d;%d\n", u, (u * 5 + i * 7) % 30, 2 + int(9 * rand()), 1e9 + u + 97 * i % 12 }' >foreign
run 0 train foreign --columns 'user=Kunde,item=Artikel,rating=Note,time=Zeit' --task topk \
    --model ease --out foreign.model --json
mv out first
run 0 evaluate foreign.model foreign --json
json 'x["learned"] == 0 and x["reading"]["options"]["columns"].startswith("user=Kunde")' \
    'x["network"]["ndcg@10"] == __import__("json").load(open("first"))["test"]["ndcg@10"]'
[ ! -s err ] || fail "the same file has something to say"
sed '1s/.*/user;item;rating;time/' foreign >known # other names: read by itself
run 0 evaluate foreign.model known --json
json 'x["learned"] == 0 and x["reading"]["options"]["columns"] == ""'
(head -n 1 foreign && tail -n +2 foreign | sort -t ';' -k 3n) >sorted # another order of the lines
run 0 evaluate foreign.model sorted --json
json 'x["learned"] == 0'
run 0 evaluate foreign.model sorted --columns 'user=Kunde,item=Artikel,rating=Note,time=none'
grep -Eq 'sorted: the model was trained on [0-9]+ of the [0-9]+ interactions of test; it does better' err ||
    fail "what was learned is measured without a word"
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

[ -z "$(find . -name '.nln*' -o -name '*.tmp*')" ] || fail "temporary files are left"
# What the lists are like.
run 0 evaluate topk ratings --lists 5
says '^lists of 5 for [0-9]+ users: coverage [01]\.[0-9]+, novelty [0-9.]+ bits, diversity [01]\.[0-9]+$'
run 0 evaluate topk ratings --lists 5 --json --quiet
json 'x["lists"]["k"] == 5 and 0 < x["lists"]["coverage"] <= 1 and x["lists"]["novelty"] > 0'

echo "$n_checks checks"
