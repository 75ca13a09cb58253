#!/bin/sh
# Facts about items in top-k: facts.sh PROGRAM
. "$(dirname "$0")/common.sh"

# Who likes a tea likes the biscuits that go with it, which nobody in training shows; biscuits29 is
# new, and biscuits30 nobody has rated at all.
awk 'BEGIN { for (u = 0; u < 240; u++) { i = (u * 7) % 30; printf "u%d\ttea%d\n", u, i } }' >train.tsv
awk 'BEGIN { for (i = 0; i < 29; i++) printf "w%d\tbiscuits%d\n", i, i }' >>train.tsv
awk 'BEGIN { for (u = 0; u < 120; u++) { i = (u * 7) % 30; printf "u%d\tbiscuits%d\n", u, i } }' >valid.tsv
awk 'BEGIN { for (u = 120; u < 240; u++) { i = (u * 7) % 30; printf "u%d\tbiscuits%d\n", u, i } }' >test.tsv
mkdir shop && mv train.tsv valid.tsv test.tsv shop
awk 'BEGIN { for (i = 0; i < 31; i++) { printf "tea%d\tgoes_with\tbiscuits%d\n", i == 30 ? 4 : i, i
    printf "tea%d\tkind\tkind%d\nbiscuits%d\tkind\tkind%d\n", i, i % 3, i, i % 3 } }' >facts.tsv
quick='--epochs 2 --dimension 8 --rules 0 --threads 1 --seed 1'

run 0 train shop --task topk $quick --facts facts.tsv --out with --json
json 'x["test"]["mrr"] > 0.9' \
    'x["items"] == 62'
grep -q '93 facts about items; 2 items that nobody rated' err || fail 'the facts are not told'
run 0 compare shop --task topk $quick --facts facts.tsv --rivals popularity --out versus --json --quiet
json 'x["models"][0]["full.ndcg@10"]["mean"] > 0.9 > 0.5 > x["models"][1]["full.ndcg@10"]["mean"]'
run 2 compare shop --task preference --facts facts.tsv --out never
grep -q -- '--facts is for --task topk' err || fail 'facts for another task'
run 0 train shop --task topk $quick --out without --json
json 'x["test"]["mrr"] < 0.5' 'x["items"] == 60'

# An item that nobody rated is recommended, with the fact that speaks for it.
run 0 recommend with --like tea29 -k 1 --reasons 1
says "biscuits29 .*liking 'tea29' \\(\\+[0-9.]+; goes_with\\('tea29', 'biscuits29'\\)\\)"
run 0 recommend with --like tea4 -k 2 --json
json '{r["item"] for r in x["recommendations"]} == {"biscuits4", "biscuits30"}'
run 0 explain with --like tea3 --item biscuits3 --json
json 'x["literals"][0]["facts"] == [{"relation": "goes_with", "head": "tea3", "tail": "biscuits3"}]' \
    'abs(x["literals"][0]["contribution"] - x["with_history"] + x["without_history"]) < 1e-4'
run 0 explain with --like biscuits4 --item biscuits30
says "goes_with\\('tea4', 'biscuits4'\\) & goes_with\\('tea4', 'biscuits30'\\)"
run 0 explain without --like tea3 --item biscuits3 --json
json '"facts" not in x["literals"][0]'
run 0 evaluate with shop --json
json 'x["network"]["hit@1"] > 0.9'
run 0 inspect with

# A table says the same.
awk 'BEGIN { printf "item_id\ti_kind\tr_goes_with\n"; for (i = 0; i < 31; i++) {
    printf "tea%d\t%d\t[%s]\n", i, i % 3, i == 30 ? "" : i == 4 ? "biscuits4, biscuits30" : "biscuits" i
    printf "biscuits%d\t%d\t[]\n", i, i % 3 } }' | gzip >facts.csv.gz
run 0 train shop --task topk $quick --facts facts.csv.gz --out table --json
json 'x["test"]["mrr"] > 0.9' 'x["items"] == 62'

printf 'tea1 goes_with\n' >broken
bad 1 'broken:1: no fact: expected an item, a relation' train shop --task topk $quick --facts broken --out new
bad 1 'nothere' train shop --task topk $quick --facts nothere --out new
bad 2 '\-\-facts is for --task topk' train shop --task preference --facts facts.tsv --out new
bad 1 'facts about items are for --task topk and --model nln' \
    train shop --task topk --model ease --facts facts.tsv --quiet --out new

echo "$n_checks checks"
