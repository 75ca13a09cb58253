#!/bin/sh
# Links of a knowledge graph, from the file to the ranking: links.sh PROGRAM
. "$(dirname "$0")/common.sh"

# Uncles follow from parents and brothers.
mkdir kg
awk 'BEGIN {
    for (i = 0; i < 40; i++)
        for (k = 0; k < 2; k++) {
            c = (k ? "d " : "c ") i; p = (k ? "b " : "a ") i; u = (k ? "a " : "b ") i
            print c "\tparent\t" p > "kg/train.txt"
            print p "\tbrother\t" u > "kg/train.txt"
            print c "\tuncle\t" u > (i % 4 == 3 ? "kg/test.txt" : i % 4 == 2 && k ? "kg/valid.txt" : "kg/train.txt")
        }
    print "stranger\tparent\ta 0" > "kg/test.txt"
}'
run 0 train kg --task link --epochs 40 --threads 2 --quiet --json --out model
json 'x["test"]["n"] == 42 and x["test"]["unseen"] == 1 and x["entities"] == 161' \
    'x["test"]["mrr"] > .2 and x["relations"] == 3 and x["train"]["n"] == 0' \
    '0 <= x["test"]["hits@1"] <= x["test"]["hits@3"] <= x["test"]["hits@10"] <= 1' \
    'abs(x["test"]["heads"]["mrr"] + x["test"]["tails"]["mrr"] - 2 * x["test"]["mrr"]) < 1e-9'
mv out trained
run 0 evaluate model kg --json
json 'x["links"] == __import__("json").load(open("trained"))["test"]'
run 0 evaluate model kg --per-triple ranks
[ "$(wc -l <ranks)" = 22 ] || fail "not every triple of the test part has its ranks"
grep -q '^parent(stranger, a 0)	' ranks || fail "a triple is not named as an atom"
awk -F'\t' 'NR > 1 { sum += $4 } END { printf "{\"mrr\": %.6f}", sum / (NR - 1) }' ranks >out
json 'abs(x["mrr"] - __import__("json").load(open("trained"))["test"]["mrr"]) < 1e-5'
run 0 evaluate model kg --part valid
says 'valid +20 '
run 0 train kg --task link --epochs 40 --threads 1 --quiet --out model1
cmp -s model model1 || fail "one thread and two train different models"
run 0 train kg --task link --epochs 1 --quiet --per-triple trained-ranks --out model1
run 0 evaluate model1 kg --per-triple ranks
cmp -s ranks trained-ranks || fail "train and evaluate write different ranks"
run 0 train kg --task link --epochs 1 --quiet --no-link-inverses --no-link-rules --out model1
run 1 train kg --task link --model complex --no-link-inverses --out model1
run 2 train kg --task topk --per-triple ranks --out model1
run 2 evaluate model kg --per-user ranks

# The same in another order of columns, compressed, with the task guessed.
mkdir turned
for part in train valid test; do
    awk -F'\t' '{ print $2 "\t" $3 "\t" $1 }' "kg/$part.txt" | gzip >"turned/$part.tsv.gz"
done
run 0 train turned --order relation,tail,head --epochs 40 --quiet --json --out other
json 'x["test"] == __import__("json").load(open("trained"))["test"]'
run 0 train kg --epochs 1 --out guessed
grep -q 'task link, since kg holds triples' err || fail "the task was not guessed"
cat kg/*.txt >one.tsv
run 0 train one.tsv --task link --epochs 2 --quiet --json --out model1
json 'x["test"]["n"] == 48 and x["test"]["unseen"] == 0'

# The rivals, and what does not belong together.
for rival in complex distmult transe; do
    run 0 train kg --task link --model $rival --epochs 3 --quiet --out rival
    run 0 evaluate rival kg
done
run 1 train kg --task link --model complex --premises 3 --out rival
run 2 train kg --task link --split random --out rival
run 1 train kg --task topk --model complex --quiet --out rival
run 1 evaluate model one.tsv --order head,tail

echo "$n_checks checks"
