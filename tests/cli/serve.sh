#!/bin/sh
# nln serve over its network, with curl: serve.sh PROGRAM.
. "$(dirname "$0")/common.sh"
prepare_ratings
prepare
pid=
trap '[ -z "$pid" ] || kill -9 "$pid" 2>/dev/null; rm -rf "$work" "$lists"' EXIT

# start OPTIONS...: a server of the model `served`; its address is in $url.
start() {
    : >address
    "$nln" serve served --listen 127.0.0.1:0 "$@" >address 2>log &
    pid=$!
    for i in $(seq 200); do
        [ -s address ] && break
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.05
    done
    [ -s address ] || { cp log err; fail "the server did not start: $*"; }
    url=$(cat address)
}

# stop: SIGTERM ends it with exit code 0.
stop() {
    kill -TERM "$pid" 2>/dev/null || true # it may have been told already
    code=0
    wait "$pid" || code=$?
    pid=
    [ "$code" -eq 0 ] || fail "the server ended with $code"
    n_checks=$((n_checks + 1))
}

# ask STATUS METHOD PATH [BODY [CURL OPTIONS...]]: the reply is in out, its headers in headers.
ask() {
    status=$1 method=$2 path=$3
    shift 3
    body=
    if [ $# -gt 0 ]; then
        body=$1
        shift
    fi
    if [ -n "$body" ]; then
        got=$(curl -s -o out -D headers -w '%{http_code}' -X "$method" --data-binary "$body" "$@" \
            "${url%/}$path") || true
    else
        got=$(curl -s -o out -D headers -w '%{http_code}' -X "$method" "$@" "${url%/}$path") || true
    fi
    [ "$got" = "$status" ] || fail "$method $path $body: status $got, not $status"
    n_checks=$((n_checks + 1))
}

# refused STATUS FIELD METHOD PATH BODY: an error with one sentence and the name of the field.
refused() {
    wanted=$1 field=$2
    shift 2
    ask "$wanted" "$@"
    json "x['error']['status'] == $wanted" "len(x['error']['message']) > 5" \
        "x['error'].get('field', '') == '$field'"
}

# ---- refusals before it starts ------------------------------------------------
bad 2 'keys, or' serve topk --listen 0.0.0.0:0
bad 2 'ADDRESS:PORT' serve topk --listen nowhere
bad 1 'cannot be opened' serve none
bad 2 'lisen' serve topk --lisen x
bad 2 'unexpected argument' serve topk other
printf 'reed me\n' >keys
bad 1 'ROLE KEY' serve topk --keys keys

# ---- answers --------------------------------------------------------------------
cp topk served
start --titles titles
address=${url#http://}
bad 1 'in use; --listen takes another' serve topk --listen "${address%/}"
ask 200 GET /health/live
ask 200 GET /health/ready
json "x['status'] == 'ready'" "len(x['model']) == 16"
ask 200 POST /api/v1/recommend "{\"user\": \"$user\", \"k\": 3}"
json "len(x['items']) == 3" "all(set(r) >= {'item', 'title', 'score'} for r in x['items'])"
"$nln" recommend topk --user "$user" --top 3 --json >told
python3 - out told <<'PYTHON' || fail "the server and the program recommend other items"
import json, sys
a, b = (json.load(open(p)) for p in sys.argv[1:])
assert [r["item"] for r in a["items"]] == [r["item"] for r in b["recommendations"]]
assert all(abs(x["score"] - y["score"]) < 1e-4
           for x, y in zip(a["items"], b["recommendations"]))
PYTHON
ask 200 POST /api/v1/recommend "{\"history\": [{\"item\": \"$item\", \"liked\": true},
    {\"item\": \"$other\", \"rating\": 2}], \"k\": 2, \"exclude\": [\"$third\"], \"reasons\": true}"
json "[r['item'] for r in x['items'][0]['reasons']] == ['$item', '$other']" \
    "[r['liked'] for r in x['items'][0]['reasons']] == [True, False]" \
    "all(isinstance(r['contribution'], float) for r in x['items'][0]['reasons'])" \
    "'$third' not in [r['item'] for r in x['items']]"
ask 200 POST /api/v1/recommend "{\"requests\": [{\"user\": \"$user\"}, {\"history\": []}]}"
json "len(x['answers']) == 2" "len(x['answers'][1]['items']) == 10"
ask 200 POST /api/v1/explain "{\"user\": \"$user\", \"item\": \"$item\"}"
json "x['item'] == '$item'" "x['reasons']" "'|' in x['formula']"
ask 200 POST /api/v1/predict "{\"expressions\": [\"$item & !$other\", \"T\"]}"
json "len(x['probabilities']) == 2" "x['probabilities'][1] > 0.9"
ask 200 POST /api/v1/graph "{\"expression\": \"$item -> $other\"}"
json "x['nodes'][2]['operation'] == 'implies'" "x['nodes'][2]['operands'] == [0, 1]" \
    "all(0 <= n['truth'] <= 1 for n in x['nodes'])" "x['normal_form']['nodes']"
ask 200 GET /api/v1/model
json "x['task'] == 'topk'" "x['items'] == 40" "x['users'] == 60" "x['abilities']['recommends']"
word=$(echo "$title" | cut -d' ' -f2)
ask 200 GET "/api/v1/items?query=$word&k=5"
json "any(r['item'] == '$item' for r in x['items'])"
ask 200 GET /openapi.json
json "len(x['paths']) > 5"
ask 200 GET / '' --compressed
grep -q 'Content-Security-Policy' headers || fail "the page has no Content-Security-Policy"
etag=$(sed -n 's/^ETag: \(.*\)\r$/\1/p' headers)
ask 304 GET / '' -H "If-None-Match: $etag"

# ---- bad input --------------------------------------------------------------------
refused 400 '' POST /api/v1/recommend '{"user":'
refused 400 '' POST /api/v1/recommend '{"user": NaN}'
refused 422 user POST /api/v1/recommend '{"user": 7}'
refused 404 user POST /api/v1/recommend '{"user": "nobody"}'
refused 422 'history[0].item' POST /api/v1/recommend '{"history": [{"item": "?", "liked": true}]}'
refused 422 k POST /api/v1/recommend "{\"user\": \"$user\", \"k\": -1}"
refused 422 'expressions[0]' POST /api/v1/predict '{"expressions": ["a &"]}'
json "x['error']['line'] == 1" "x['error']['column'] >= 1"
refused 422 expression POST /api/v1/graph '{"expression": 5}'
refused 404 '' GET /api/v1/nothing
refused 405 '' GET /api/v1/recommend
grep -q '^Allow: POST' headers || fail "405 does not say what is allowed"
refused 405 '' DELETE /health/live
python3 -c 'print("[" * 100000 + "]" * 100000)' >deep
refused 400 '' POST /api/v1/recommend @deep
python3 -c 'print("{\"only\": [" + "\"x\"," * 3000000 + "\"x\"]}")' >huge
refused 413 '' POST /api/v1/recommend @huge
refused 413 '' POST /api/v1/recommend @huge -H 'Expect:'
refused 403 '' GET /api/v1/model '' -H 'Origin: http://evil.example'
refused 403 '' GET /api/v1/model '' -H 'Host: evil.example'

# ---- a new model ------------------------------------------------------------------
ask 200 GET /health/ready
before=$(sed 's/.*"model":"\([^"]*\)".*/\1/' out)
cp preference replaced && mv replaced served
kill -HUP "$pid"
for i in $(seq 100); do
    ask 200 GET /health/ready
    after=$(sed 's/.*"model":"\([^"]*\)".*/\1/' out)
    [ "$after" != "$before" ] && break
    sleep 0.05
done
[ "$after" != "$before" ] || fail "SIGHUP did not load the new model"
echo broken >served
refused 409 '' POST /api/v1/model/reload
ask 200 GET /health/ready
json "x['model'] == '$after'"
cp model replaced && mv replaced served
ask 200 POST /api/v1/model/reload
json "x['before'] == '$after'"
refused 409 '' POST /api/v1/recommend '{"history": []}'
ask 200 POST /api/v1/predict '{"expressions": ["v1 & !v2"]}'
stop
python3 - log <<'PYTHON' || fail "the log is not one JSON object per line"
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
assert any(r["event"] == "reload" for r in rows)
assert any(r["event"] == "reload failed" for r in rows)
requests = [r for r in rows if r["event"] == "request"]
assert len(requests) > 30 and all({"method", "path", "status", "ms"} <= set(r) for r in requests)
PYTHON

# ---- events -----------------------------------------------------------------------
cp topk served
start --store events --titles titles
event="{\"id\": \"c1\", \"user\": \"new\", \"item\": \"$item\", \"rating\": 5, \"time\": 1700000000}"
ask 200 POST /api/v1/events "{\"events\": [$event, {\"user\": \"new\", \"item\": \"rum\", \"liked\": true}]}"
json "[r['status'] for r in x['results']] == ['stored', 'stored']" "x['results'][0]['id'] == 'c1'" \
    "x['unknown_items'] == 1"
ask 200 POST /api/v1/recommend '{"user": "new", "k": 40}'
json "x['history'] == 1" "'$item' not in [r['item'] for r in x['items']]"
ask 200 POST /api/v1/events "{\"events\": [$event]}"
json "x['results'][0]['status'] == 'duplicate'"
ask 200 GET '/api/v1/events?user=new'
json "len(x['events']) == 2" "x['next'] is None" "x['events'][0]['rating'] == 5"
refused 422 'events[0].item' POST /api/v1/events '{"events": [{"user": "new", "liked": true}]}'
ask 200 GET /api/v1/export
grep -q "^new	$item	5	1700000000$" out || fail "the export lacks an event"
ask 200 GET "/api/v1/similar?item=$item&k=3"
json "len(x['items']) == 3" "x['items'][0]['similarity'] >= x['items'][2]['similarity']"
ask 200 GET /api/v1/laws
json "len(x['laws']) >= 10" "x['laws'][0]['worst']"
curl -s "${url}api/v1/map" >out
for i in $(seq 100); do
    grep -q '"status":"ready"' out && break
    sleep 0.1
    curl -s "${url}api/v1/map" >out
done
json "len(x['points']) == 40"
ask 200 GET /api/v1/server
json "x['store']['events'] == 2" "x['requests'] > 5"
ask 200 GET /metrics
grep -q '^nln_events_stored_total 2$' out || fail "the metrics do not count events"
grep -q '^nln_request_seconds_bucket{method="POST",route="/api/v1/events",status="200",le="+Inf"} 2' \
    out || fail "the metrics have no histogram of events"
ask 200 DELETE /api/v1/users/new
json "x['removed'] == 2"
refused 404 user POST /api/v1/recommend '{"user": "new"}'
stop
start --store events
ask 200 GET '/api/v1/events?user=new'
json "x['events'] == []"
stop

# ---- training ---------------------------------------------------------------------
"$nln" train ratings --task topk --split nlr --epochs 1 --dimension 4 --negatives 1 --threads 1 \
    --quiet --out served
start --store events --ping 0.3
python3 - <<'PYTHON' >body
import csv, json
rows = list(csv.reader(open("ratings")))[1:]
print(json.dumps({"events": [{"id": str(i), "user": r[0], "item": r[1], "rating": float(r[2]),
                              "time": float(r[3])} for i, r in enumerate(rows)]}))
PYTHON
ask 202 POST /api/v1/train '{"epochs": 2}'
curl -sN "${url}api/v1/train/stream" >stream
grep -q 'no likes, dislikes or ratings yet' stream || fail "an empty store is trained on"
ask 200 POST /api/v1/events @body
ask 202 POST /api/v1/train '{"epochs": 2}'
curl -sN "${url}api/v1/train/stream" >stream
grep -q 'newer than what the model in service learned' stream || fail "old events are compared on"
# The same a year later.
python3 - <<'PYTHON' >body2
import json
events = json.load(open("body"))["events"]
for e in events:
    e["id"], e["user"], e["time"] = e["id"] + "-2", "later" + e["user"], e["time"] + 3e7
print(json.dumps({"events": events}))
PYTHON
ask 200 POST /api/v1/events @body2
json "all(r['status'] == 'stored' for r in x['results'])"
ask 202 POST /api/v1/train '{"epochs": 2}'
curl -sN "${url}api/v1/train/stream" >stream
grep -q '^event: epoch$' stream && grep -q '^event: end$' stream || fail "the stream lacks events"
grep -q '^id: [0-9]*$' stream || fail "the events of the stream have no numbers"
ask 200 GET /api/v1/train
json "x['state'] in ('done', 'kept')" "'newest events' in x['message']" "len(x['epochs']) == 2"
refused 409 '' DELETE /api/v1/train
ask 202 POST /api/v1/train '{"epochs": 100000}'
refused 409 '' POST /api/v1/train '{"epochs": 1}'
ask 200 GET /health/ready
# A stream that has nothing to tell says that it is alive.
curl -sN -m 1.5 -H 'Last-Event-ID: 1000000000' "${url}api/v1/train/stream" >stream || true
[ "$(grep -c '^: ping$' stream)" -ge 2 ] || fail "a quiet stream has no pings"
ask 202 DELETE /api/v1/train
stop
bad 2 'train-data is learned together with a store' serve served --train-data ratings
bad 1 'which cannot be read' serve served --store events --train-data nowhere
start --store events --train-data ratings
ask 202 POST /api/v1/train '{"epochs": 1}'
curl -sN "${url}api/v1/train/stream" >stream
grep -q 'interactions of ratings and the store' stream || fail "the file is not learned from"
stop
bad 2 'retrain needs a store' serve served --retrain 'every 2s'
bad 2 'retrain is "never"' serve served --store events --retrain never
start --store events --retrain 'every 1s'
for i in $(seq 100); do
    curl -s "${url}api/v1/train" >out
    grep -q '"state":"\(done\|kept\)"' out && break
    sleep 0.1
done
json "x['state'] in ('done', 'kept')" "'newest events' in x['message']"
stop

# ---- keys -------------------------------------------------------------------------
cp topk served
printf '# keys\nread reader-key\nadmin admin-key\n' >keys
start --keys keys
refused 401 '' GET /api/v1/model
grep -q '^WWW-Authenticate: Bearer' headers || fail "401 does not say how"
refused 401 '' GET /api/v1/model '' -H 'Authorization: Bearer wrong'
ask 200 GET /api/v1/model '' -H 'Authorization: Bearer reader-key'
ask 200 GET /api/v1/model '' -H 'X-API-Key: reader-key'
refused 403 '' POST /api/v1/model/reload '' -H 'X-API-Key: reader-key'
ask 200 POST /api/v1/model/reload '' -H 'X-API-Key: admin-key'
ask 200 GET /health/live
stop
grep -q -e reader-key -e admin-key -e wrong log && fail "a key is in the log"

# ---- stopping ------------------------------------------------------------------------
# What is under way is answered: a body of which the server knows the length is still coming.
start --log none
python3 - "$url" "$pid" <<'PYTHON' || fail "a request under way was not answered"
import os, signal, socket, sys, time
host, port = sys.argv[1].split("/")[2].split(":")
body = b'{"history": [], "k": 2}'
s = socket.create_connection((host, int(port)))
s.sendall(b"POST /api/v1/recommend HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
          % len(body) + body[:5])
time.sleep(0.3)
os.kill(int(sys.argv[2]), signal.SIGTERM)
for i in range(200):
    try:
        socket.create_connection((host, int(port))).close()
    except ConnectionRefusedError:
        break
    time.sleep(0.02)
else:
    sys.exit("the server still accepts connections")
s.sendall(body[5:])
reply = b""
while chunk := s.recv(65536):
    reply += chunk
assert reply.startswith(b"HTTP/1.1 200 "), reply
assert reply.count(b'"item"') == 2, reply
PYTHON
stop
[ ! -s log ] || fail "--log none is not quiet"

echo "$n_checks checks"
