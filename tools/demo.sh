#!/bin/sh
# Two short demonstrations.  The first generates expressions over 1,000 hidden variables, trains,
# compares the network with exact reasoning from the same training set, and draws the vectors of
# the variables and an expression.  The second learns from the ratings of a generated shop,
# recommends, and says why.  Both models are left in build/demo, for the page.
set -eu
cd "$(dirname "$0")/.."

mkdir -p build/demo
folder=$(mktemp -d build/demo/XXXXXX)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM

# Shows a command so that it could be typed, and runs it.
run() {
    printf '$ nln'
    for word in "$@"; do
        case $word in
        *[!A-Za-z0-9_./=-]*) printf " '%s'" "$word" ;;
        *) printf ' %s' "$word" ;;
        esac
    done
    echo
    build/nln "$@"
    echo
}
run generate logic --variables 1000 --expressions 5000 --seed 1 --out "$folder/data"
run train "$folder/data" --seed 1 --out "$folder/model"
run evaluate "$folder/model" "$folder/data" --exact
run plot tsne "$folder/model" --truth "$folder/data" --iterations 500 --quiet --out build/demo/variables
run plot expression "$folder/model" '(v1 & !v2) | (v3 & !v4)' --out build/demo/expression.svg

run generate ratings --users 1500 --items 64 --ratings 24000 --rules 0.8 --noise 0.02 --seed 1 \
    --out "$folder/ratings.csv" --titles "$folder/titles.tsv"
run train "$folder/ratings.csv" --task topk --epochs 20 --learning-rate 0.002 --seed 1 \
    --out "$folder/shop"
set -- --titles "$folder/titles.tsv" --like 'The Grey Orbit (space)' \
    --dislike 'The Humble Violin (music)' --like 'The Silent Harbour (sea)'
run recommend "$folder/shop" "$@" -k 5
run explain "$folder/shop" "$@"

rm -rf build/demo/logic build/demo/logic.model build/demo/shop.model build/demo/titles.tsv
mv "$folder/data" build/demo/logic
mv "$folder/model" build/demo/logic.model
mv "$folder/shop" build/demo/shop.model
mv "$folder/titles.tsv" build/demo/titles.tsv
echo "The figures are:"
for figure in variables.svg expression.svg; do
    [ ! -s "build/demo/$figure" ] || echo "    build/demo/$figure"
done
cat <<'END'

To see both on a page, and to change what they are asked:

    build/nln serve build/demo/shop.model --titles build/demo/titles.tsv --store build/demo/events.sqlite
    build/nln serve build/demo/logic.model --data build/demo/logic --listen 127.0.0.1:8081

then open http://127.0.0.1:8080/ (the shop) or http://127.0.0.1:8081/ (the equations).  docs/serve.md says more.
END
