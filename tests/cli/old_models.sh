#!/bin/sh
# Model files of version 0.1.0 are still read, and give the answers that they gave then:
# old_models.sh PROGRAM
golden=$(cd "$(dirname "$0")/../golden/models" && pwd)
. "$(dirname "$0")/common.sh"

answers="json.load(open('$golden/answers.json'))"

for model in logic networks rest; do
    run 0 predict "$golden/$model.safetensors" "$golden/expressions.txt" --json --quiet
    json "len(x['predictions']) == 5" \
        "all(abs(p['p'] - $answers['$model'][p['expression']]) < 1e-5 for p in x['predictions'])"
done
for model in topk preference svdpp gru ease; do
    run 0 recommend "$golden/$model.safetensors" --user u7 --top 5 --json --quiet
    json "[r['item'] for r in x['recommendations']] == list($answers['$model'])" \
        "all(abs(r['score'] - $answers['$model'][r['item']]) < 1e-5 for r in x['recommendations'])"
done
echo "$n_checks calls: old models answer as they did"
