#!/bin/sh
# The page in a real browser: page.sh PROGRAM BUILD.  Trains small models, serves them, and runs
# tests/page/page.test.js with Debian's chromium.  playwright-core, which drives it, goes into the
# build folder.  With a third argument, makes the pictures of the documentation in that folder
# instead.
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tests/cli/common.sh"
build=$2 pictures_to=${3:-}

cannot() {
    echo "SKIPPED: the page is not tested in a browser: $*"
    exit 77
}
for program in node npm; do
    command -v $program >/dev/null || cannot "there is no $program (tools/setup.sh test)"
done
[ -x "${CHROMIUM:-/usr/bin/chromium}" ] || cannot "there is no chromium (tools/setup.sh test)"

# ---- the driver of the browser ------------------------------------------------
driver=$build/page-tests
mkdir -p "$driver"
cp "$root"/tests/page/*.js "$root"/tests/page/*.json "$driver"
if ! cmp -s "$driver/package-lock.json" "$driver/installed.json"; then
    (cd "$driver" && npm ci --no-audit --no-fund --loglevel error) >out 2>err ||
        cannot "npm cannot install playwright-core: $(tail -n 1 err)"
    cp "$driver/package-lock.json" "$driver/installed.json"
fi

# ---- models and servers -------------------------------------------------------
servers=
trap 'kill $servers 2>/dev/null; wait; rm -rf "$work" "$lists"' EXIT

serve() { # serve NAME MODEL OPTION...: its address is then in ./NAME.url
    name=$1
    shift
    "$nln" serve "$@" --listen 127.0.0.1:0 --log problems >"$name.url" 2>"$name.log" &
    servers="$servers $!"
    for wait in $(seq 100); do
        [ ! -s "$name.url" ] || return 0
        sleep 0.1
    done
    cp "$name.log" err
    fail "nln serve $* does not start"
}

quick="--threads 1 --seed 1 --quiet"
run 0 generate ratings --users 300 --items 48 --ratings 6000 --rules 0.8 --noise 0.02 --seed 1 \
    --out ratings.csv --titles titles.tsv
run 0 train ratings.csv --task topk --epochs 8 --learning-rate 0.003 $quick --out shop
run 0 train ratings.csv --task topk --model popularity $quick --out plain
run 0 generate logic --variables 60 --expressions 1500 --seed 1 --out logic
run 0 train logic --epochs 15 $quick --out logic.model
echo 'admin dc1f5f7d2a4c4e1f9a66d2b7' >keys
chmod 600 keys
serve shop shop --titles titles.tsv --store events.sqlite --train-data ratings.csv
serve logic logic.model --data logic
serve plain plain --titles titles.tsv
serve locked shop --titles titles.tsv --keys keys

# ---- what a person does and sees ----------------------------------------------
SHOP_URL=$(cat shop.url) LOGIC_URL=$(cat logic.url) PLAIN_URL=$(cat plain.url)
LOCKED_URL=$(cat locked.url) KEY=dc1f5f7d2a4c4e1f9a66d2b7 PICTURES=$pictures_to
export SHOP_URL LOGIC_URL PLAIN_URL LOCKED_URL KEY PICTURES
cd "$driver"
if [ "$pictures_to" ]; then
    node pictures.js
else
    node --test --test-reporter spec page.test.js
fi
