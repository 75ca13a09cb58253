#!/bin/sh
# nln beside its PyTorch twin on the same data, one thread each: seconds per epoch and
# their ratio, with every law on every vector and without laws.  Needs python3-torch.
#     bench/run.sh [path to nln]
set -eu
cd "$(dirname "$0")/.."
nln=${1:-build/nln}
data=$(mktemp -d)
trap 'rm -rf "$data"' EXIT

field() { # field NAME: that number of the JSON object on standard input
    python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"
}

"$nln" generate logic --variables 1000 --expressions 5000 --seed 1 --out "$data" --quiet >/dev/null
python=/usr/bin/python3
if ! "$python" -c 'import torch' 2>/dev/null; then
    echo "bench/run.sh: the twin needs PyTorch: apt-get install python3-torch" >&2
    exit 1
fi
printf '%-28s %10s %10s %8s\n' "1k/5k, d = h = 64, batch 128" "nln" "PyTorch" "ratio"
for weight in 0.01 0; do
    ours=$("$nln" bench train "$data" --recipe paper --dropout 0 --law-weight $weight --threads 1 \
        --json | field seconds_per_epoch)
    theirs=$("$python" -B bench/torch_twin.py --data "$data" --law-weight $weight --law-sample 1 \
        --epochs 4 --threads 1 | field seconds_per_epoch)
    python3 - "$weight" "$ours" "$theirs" <<'EOF'
import sys
weight, ours, theirs = map(float, sys.argv[1:])
name = "every law on every vector" if weight else "no laws"
print("%-28s %8.3f s %8.3f s %7.1fx" % (name, ours, theirs, theirs / ours))
EOF
done
