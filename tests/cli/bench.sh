#!/bin/sh
# nln bench: bench.sh PROGRAM
. "$(dirname "$0")/common.sh"

run 0 generate logic --variables 20 --expressions 300 --seed 3 --out data
for bench in train predict rank; do
    run 0 bench $bench --variables 30 --expressions 200 --passes 2 --dimension 8 --json
    json '{"textbook_flop", "executed_flop", "seconds_per_epoch", "sgemm_flops", "ratio", "rows", "rows_after_sharing", "peak_rss_bytes"} <= set(x)' \
        'x["textbook_flop"] > 0 and x["seconds_per_epoch"] > 0 and x["sgemm_flops"] > 0'
done
run 0 bench train data --passes 1 --dimension 8 --law-sample 1 --json
json 'x["executed_flop"] < x["textbook_flop"] and x["rows_after_sharing"] <= x["rows"]' \
    '0 < x["share_gemm"] < 1'
bad 1 'reads ratings' bench train data --task topk --model gru

echo "$n_checks checks"
