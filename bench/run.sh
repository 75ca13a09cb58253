#!/bin/sh
# nln beside its PyTorch twin on the same data, one thread each: seconds per epoch and their
# ratio, with every law on every vector and without laws; the twin with PyTorch's own gradients, and
# with gradients that are written out by hand.  Needs python3-torch.
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
printf '%-28s %9s %18s %18s\n' "1k/5k, d = h = 64, batch 128" nln "PyTorch, autograd" "PyTorch, by hand"
twin() { # twin WEIGHT GRADIENTS: its seconds an epoch
    "$python" -B bench/torch_twin.py --data "$data" --law-weight "$1" --law-sample 1 --dropout 0 \
        --epochs 4 --threads 1 --gradients "$2" | field seconds_per_epoch
}
for weight in 0.01 0; do
    ours=$("$nln" bench train "$data" --recipe paper --dropout 0 --law-weight $weight --threads 1 \
        --json | field seconds_per_epoch)
    python3 - "$weight" "$ours" "$(twin $weight autograd)" "$(twin $weight manual)" <<'EOF'
import sys
weight, ours, autograd, manual = map(float, sys.argv[1:])
name = "every law on every vector" if weight else "no laws"
print("%-28s %7.3f s %8.3f s = %4.1fx %8.3f s = %4.1fx" %
      (name, ours, autograd, autograd / ours, manual, manual / ours))
EOF
done
