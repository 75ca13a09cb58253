#!/bin/sh
# tools/get-movielens.sh without a network: archives that are missing, damaged, wrong, and,
# where the real files lie in $NLN_DATA, right.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
get="$root/tools/get-movielens.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

refuses() { # refuses WHAT WORDS: the script fails with these words and leaves nothing
    if "$get" out >log 2>&1; then
        echo "$1: accepted" && exit 1
    fi
    grep -q "$2" log || { echo "$1: wrong message" && cat log && exit 1; }
    if [ -e out ]; then
        echo "$1: left a folder" && exit 1
    fi
}

pack() { # pack FOLDER: FOLDER/ml-100k becomes archive.zip
    rm -f archive.zip
    (cd "$1" && python3 -m zipfile -c "$work/archive.zip" ml-100k)
}

MOVIELENS_URL="file://$work/missing.zip" refuses "missing archive" "could not fetch"
mkdir -p fake/ml-100k
echo "1	1	5	1" >fake/ml-100k/u.data
echo "1|A film" >fake/ml-100k/u.item
pack fake
MOVIELENS_URL="file://$work/archive.zip" refuses "another archive" "is not the one"
MOVIELENS_URL="file://$work/archive.zip" MOVIELENS_MD5='' refuses "other files" "wrong checksums"
echo "not a zip file" >archive.zip
MOVIELENS_URL="file://$work/archive.zip" MOVIELENS_MD5='' refuses "damaged archive" "is damaged"
mkdir out.other
"$get" out.other >log 2>&1 && exit 1
grep -q "exists but is not" log

if [ -z "${NLN_DATA:-}" ] || [ ! -e "$NLN_DATA/ml-100k/u.data.gz" ]; then
    echo "SKIPPED: the real files (set NLN_DATA to the folder that holds ml-100k)"
    exit 0
fi
mkdir -p real/ml-100k
for file in u.data u.item README; do
    gzip -dc "$NLN_DATA/ml-100k/$file.gz" >"real/ml-100k/$file"
done
pack real
MOVIELENS_URL="file://$work/archive.zip" MOVIELENS_MD5='' "$get" out | grep -q "checksums are right"
MOVIELENS_URL="file://$work/missing.zip" "$get" out | grep -q "there already"
echo "x" >>out/u.data
if "$get" out >log 2>&1; then
    echo "a changed file was accepted" && exit 1
fi
