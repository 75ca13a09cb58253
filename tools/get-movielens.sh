#!/bin/sh
# Fetches MovieLens-100k from GroupLens and checks it: tools/get-movielens.sh [FOLDER].
#
# MovieLens may be used for research but not passed on: read FOLDER/README.  The checksums
# are GroupLens's own of the archive, and those of the two files that nln reads.
# MOVIELENS_URL names another place to fetch the archive from, such as file:///tmp/ml-100k.zip;
# MOVIELENS_MD5= (empty) takes an archive that was packed anew, if its files are right.
set -eu
folder=${1:-ml-100k}
url=${MOVIELENS_URL:-https://files.grouplens.org/datasets/movielens/ml-100k.zip}
md5=${MOVIELENS_MD5-0e33842e24a9c977be4e0107933c0723}
sums='06416e597f82b7342361e41163890c81036900f418ad91315590814211dca490  u.data
553841ebc7de3a0fd0d6b62a204ea30c1e651aacfb2814c7a6584ac52f2c5701  u.item'

fail() {
    echo "get-movielens: $1" >&2
    exit 1
}

right() { (cd "$1" && printf '%s\n' "$sums" | sha256sum --check --status) 2>/dev/null; }

if right "$folder"; then
    echo "$folder is there already, and its checksums are right"
    exit 0
fi
[ ! -e "$folder" ] || fail "$folder exists but is not MovieLens-100k: remove it or give another FOLDER"
for tool in curl unzip sha256sum md5sum; do
    command -v "$tool" >/dev/null || fail "$tool is missing: apt-get install curl unzip coreutils"
done

# Everything happens beside the folder, which appears only when it is whole and right.
parent=$(dirname "$folder")
mkdir -p "$parent"
work=$(mktemp -d "$parent/.movielens-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

curl --fail --location --silent --show-error --retry 3 --output "$work/ml-100k.zip" "$url" ||
    fail "could not fetch $url: check the network"
if [ -n "$md5" ] && [ "$(md5sum <"$work/ml-100k.zip" | cut -c1-32)" != "$md5" ]; then
    fail "the archive from $url is not the one that GroupLens published: fetch it again"
fi
unzip -q -o "$work/ml-100k.zip" 'ml-100k/*' -d "$work" || fail "the archive from $url is damaged"
right "$work/ml-100k" || fail "the files in the archive from $url have wrong checksums"
mv "$work/ml-100k" "$folder"
echo "$folder: u.data, u.item and README are there, and their checksums are right"
