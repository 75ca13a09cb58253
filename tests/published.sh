#!/bin/sh
# Recommendation on published data, briefly: published.sh PROGRAM.  Needs NLN_DATA.
nln=$1
if [ -z "${NLN_DATA:-}" ] || [ ! -d "$NLN_DATA/nlr-ml100k" ]; then
    echo "SKIPPED: set NLN_DATA to the folder that holds nlr-ml100k and ml-100k"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# at_least LEAST KEY FILE: the number under test.KEY is no less.
at_least() {
    python3 - "$@" <<'PYTHON' || exit 1
import json, sys
least, keys, name = float(sys.argv[1]), sys.argv[2].split("/"), sys.argv[3]
value = json.load(open(name))["test"]
for key in keys:
    value = value[key]
print(f"{name} {sys.argv[2]} {value:.4f}")
sys.exit(0 if value >= least else f"{name}: {sys.argv[2]} is {value}, below {least}")
PYTHON
}

# Popularity has .244 and .044, and five epochs of the fast recipe some .40 and .09.
"$nln" train "$NLN_DATA/nlr-ml100k" --task topk --recipe fast --epochs 5 --quiet --json \
    --out topk.model >topk || exit 1
at_least 0.36 ndcg@10 topk
at_least 0.07 full/ndcg@10 topk
"$nln" train "$NLN_DATA/ml-100k/u.data.gz" --task preference --split paper --epochs 3 --quiet \
    --json --out preference.model >preference || exit 1
at_least 0.80 auc preference

# What needs no training gives known numbers, and a factorization some .37 when it has converged.
for model in popularity ease 'biasedmf --epochs 25'; do
    set -- $model
    "$nln" train "$NLN_DATA/nlr-ml100k" --task topk --model "$@" --quiet --json \
        --out "$1.model" >"$1" || exit 1
done
at_least 0.2435 ndcg@10 popularity
at_least 0.375 ndcg@10 ease
at_least 0.33 ndcg@10 biasedmf
