#!/bin/sh
# nln compare: compare.sh PROGRAM
. "$(dirname "$0")/common.sh"

run 0 generate ratings --users 120 --items 40 --ratings 4000 --seed 3 --out ratings
run 0 compare ratings --task topk --split nlr --rivals popularity,itemknn,ease --epochs 2 --dimension 8 \
    --threads 1 --out topk --json --quiet
json '[m["model"] for m in x["models"]] == ["nln", "popularity", "itemknn", "ease"]' \
    'all(0 < m["full.ndcg@10"]["mean"] < 1 for m in x["models"])' \
    'all(0 <= m["full.ndcg@10"]["p"] <= 1 and m["full.ndcg@10"]["pairs"] > 50 for m in x["models"][1:])' \
    'all(m["seconds"] > 0 and m["peak_rss_bytes"] > 1e6 for m in x["models"])' \
    'x["task"] == "topk" and len(x["conclusion"]) > 20'
mv out first
# The same numbers from what is there, as a table; a mean is that of train.
run 0 compare ratings --task topk --split nlr --rivals popularity,itemknn,ease --epochs 2 --dimension 8 \
    --threads 1 --out topk --resume --quiet
says '^model +HR@10 +nDCG@10 +full HR@10 +full nDCG@10 +p sampled +p +seconds +MB'
says '^(The network|.* does better than the network|.* is ahead on the test set, but)'
run 0 train ratings --task topk --split nlr --model ease --config /dev/null --l2 500 --threads 1 \
    --out ease --json --quiet
python3 - first out <<'PYTHON' || fail 'compare and train disagree about ease'
import json, sys
a, b = (json.load(open(name)) for name in sys.argv[1:])
ease = next(m for m in a["models"] if m["model"] == "ease")
sys.exit(abs(ease["full.ndcg@10"]["mean"] - b["test"]["full"]["ndcg@10"]) > 1e-9)
PYTHON
# A first look; and SASRec, as published and with the softmax.
run 0 compare ratings --task topk --split nlr --quick --epochs 1 --threads 1 --out quick --json --quiet
json '[m["model"] for m in x["models"]] == ["nln", "popularity", "itemknn", "ease"]'
grep -q -- '--recipe=fast' quick/nln/seed-1/* || fail 'the network is not trained by --recipe fast'
run 0 generate ratings --users 30 --items 30 --ratings 600 --seed 3 --out few
run 0 compare few --task topk --split nlr --rivals sasrec,sasrec-softmax --epochs 1 --threads 1 --out sasrec \
    --json --quiet
json '[m["model"] for m in x["models"]] == ["nln", "sasrec", "sasrec-softmax"]' \
    'all(0 < m["full.ndcg@10"]["mean"] < 1 for m in x["models"])'
run 0 generate logic --variables 30 --expressions 400 --out logic
run 0 compare logic --rivals marginals,exact --epochs 2 --seeds 2 --threads 1 --out by-logic \
    --json --quiet
json '[m["model"] for m in x["models"]] == ["nln", "marginals", "exact"]' \
    'all(0.4 < m["accuracy"]["mean"] <= 1 and 0 <= m["rmse"]["mean"] < 1 for m in x["models"])' \
    'x["models"][2]["accuracy"]["pairs"] == 2 and x["seeds"] == 2'
bad 2 "--rivals has no 'eas' for --task topk, only: popularity" \
    compare ratings --rivals eas --out none --quiet
bad 2 "--out" compare ratings --quiet
# Where nothing could be trained, the reason is all that is said.
sed '1s/.*/customer,sku,quality,bought/' ratings >orders.csv
run 1 compare orders.csv --task topk --rivals popularity --out nothing --quiet
[ ! -s out ] || fail "an empty table is printed"
grep -q 'say --columns user=NAME,item=NAME' err || fail "the way out is not said"

echo "$n_checks checks"
