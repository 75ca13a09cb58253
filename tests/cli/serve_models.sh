#!/bin/sh
# nln serve with models of every task: serve_models.sh PROGRAM.  What a model cannot do is a clear
# refusal, and never a fault of the server.
. "$(dirname "$0")/common.sh"

run 0 generate ratings --users 40 --items 30 --ratings 700 --out ratings.csv
run 0 generate logic --variables 20 --expressions 200 --out logic
python3 -c '
import random
random.seed(1)
for _ in range(150):
    print("e%d\tr%d\te%d" % (random.randrange(20), random.randrange(3), random.randrange(20)))' >triples.tsv
quick="--threads 1 --quiet"
run 0 train ratings.csv --task topk --epochs 1 $quick --out topk
run 0 train ratings.csv --task preference --epochs 1 $quick --out preference
run 0 train ratings.csv --task topk --model ease $quick --out ease
run 0 train ratings.csv --task topk --model popularity $quick --out popularity
run 0 train ratings.csv --task preference --model biasedmf --epochs 1 $quick --out biasedmf
run 0 train logic --epochs 1 $quick --out network
run 0 train logic --model bilstm --epochs 1 $quick --out bilstm
run 0 train triples.tsv --task link --epochs 1 $quick --out link

python3 - "$nln" topk preference ease popularity biasedmf network bilstm link <<'PYTHON' || fail "a model is answered wrongly"
import json, subprocess, sys, urllib.error, urllib.request

GETS = ["model", "laws", "items?query=i1", "similar?item=i1", "similar?item=e1", "map", "train", "events?user=u1", "export"]
POSTS = [("recommend", {"user": "u1"}), ("recommend", {"history": [{"item": "i1", "liked": True}], "reasons": True}),
         ("explain", {"item": "i2", "user": "u1"}), ("predict", {"expressions": ["i1 & !i2"]}),
         ("predict", {"expressions": ["v1 & !v2"]}), ("predict", {"expressions": ["r1(e1, e2)"]}),
         ("graph", {"expression": "v1 -> v2"}), ("graph", {"expression": "e1 ->"}),
         ("events", {"events": [{"user": "u1", "item": "i1", "rating": 5}]}), ("recommend", {"": 1}), ("predict", {"": 1})]


def ask(url, path, body):
    data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(url + path, data), timeout=60) as reply:
            return reply.status, reply.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


wrong = 0
for model in sys.argv[2:]:
    server = subprocess.Popen([sys.argv[1], "serve", model, "--listen", "127.0.0.1:0", "--store", model + ".events",
                               "--log", "none"], stdout=subprocess.PIPE, text=True)
    url = server.stdout.readline().strip() + "api/v1/"
    able = json.loads(ask(url, "model", None)[1])
    for path, body in [(path, None) for path in GETS] + POSTS:
        status, reply = ask(url, path, body)
        told = json.loads(reply).get("error") if status >= 400 else None
        if status >= 500 or (status >= 400 and (told["status"] != status or len(told["message"]) < 10)):
            print(model, path, status, reply[:200])
            wrong += 1
    if not (able["data"]["fingerprint"] and able["data"]["rows"]["train"] > 0 and able["metrics"]["valid"]):
        print(model, "has no record", able)
        wrong += 1
    if (ask(url, "recommend", {"user": "u1"})[0] == 200) != able["abilities"]["recommends"]:
        print(model, "does not do what it says")
        wrong += 1
    server.terminate()
    wrong += server.wait(60) != 0
sys.exit(wrong > 0)
PYTHON
n_checks=$((n_checks + 1))

echo "$n_checks checks"
