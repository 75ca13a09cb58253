#!/bin/sh
# What nln serve does under load, from outside: bench/serve.sh [PROGRAM [SECONDS [MODELS]]].  Prints a
# table of figures and goals.  Needs wrk and python3; with NLN_DATA it uses MovieLens 100k, else
# generated ratings of the same size.  Models are trained first, which takes minutes, unless the folder
# MODELS has them from an earlier run.  To be run on a quiet machine.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
nln=$(realpath "${1:-$root/build/nln}") seconds=${2:-10} models=${3:+$(realpath "$3")}
command -v wrk >/dev/null || { echo "bench/serve.sh: wrk is not installed" >&2; exit 1; }
work=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work"

start() { # start MODEL OPTIONS...
    : >address
    begun=$(date +%s%N)
    "$nln" serve "$@" --listen 127.0.0.1:0 --threads 2 --log problems >address 2>log &
    pid=$!
    while [ ! -s address ]; do sleep 0.002; done
    ready=$((($(date +%s%N) - begun) / 1000000))
    url=$(cat address)
}
stop() {
    kill "$pid"
    wait "$pid" || true
    pid=
}
row() { printf '%-52s %-34s %s\n' "$1" "$2" "$3"; }

# cpu: seconds of processor time that the server has used.
cpu() { awk -v hz="$(getconf CLK_TCK)" '{ print ($14 + $15) / hz }' "/proc/$pid/stat"; }

# load NAME GOAL PATH CONNECTIONS SCRIPT: requests a second and p99 by wrk.
load() {
    cpu_before=$(cpu)
    wrk -t1 -c"$4" -d"${seconds}s" --latency -s "$5" "$url$3" >wrk.out
    used=$(awk -v a="$cpu_before" -v b="$(cpu)" '/requests in/ { print 1e6 * (b - a) / $1 }' wrk.out)
    row "$1" "$(awk '/Requests\/sec/ { r = $2 } /99%/ { p = $2 } /Non-2xx/ { e = ", " $NF " failed" }
        END { printf "%.0f/s, p99 %s%s", r, p, e }' wrk.out)" "$2"
}

# alone NAME: the scorer in a process of its own, with the same model, histories and threads, after a
# load of the server.  wrk takes its share of the processors, so the ratio is one of processor time.
alone() {
    set -- "$1" $(./scorer_alone "$1" "$1.tsv" 2 "$seconds")
    row "  the scorer alone, in process" "$2/s" ""
    row "  its processor time over the server's" "$(awk -v a="$3" -v b="$used" \
        'BEGIN { printf "%.2f of %.2f us: %.2f", a, b, a / b }')" ">= 0.7"
}
${CC:-cc} -O2 -I "$root/include" -o scorer_alone "$root/bench/scorer_alone.c" \
    -L "$(dirname "$nln")" -Wl,-rpath,"$(dirname "$nln")" -lnln -lpthread

ratings=
for file in "${NLN_DATA:-}"/ml-100k/u.data "${NLN_DATA:-}"/ml-100k/u.data.gz; do
    [ ! -e "$file" ] || ratings=$file
done
if [ -z "$ratings" ]; then
    "$nln" generate ratings --users 943 --items 1682 --ratings 100000 --out ratings >/dev/null
    ratings=ratings
fi
# model NAME DATA OPTION...: trains one for an epoch, or takes it from MODELS.
model() {
    name=$1
    shift
    if [ -z "$models" ] || [ ! -e "$models/$name" ]; then
        "$nln" train "$@" --epochs 1 --quiet --out "$name" >/dev/null
        [ -z "$models" ] || cp "$name" "$models"
    else
        cp "$models/$name" "$name"
    fi
}
model films "$ratings" --task topk
"$nln" generate ratings --users 3000 --items 60000 --ratings 300000 --out many >/dev/null
model large many --task topk
"$nln" generate logic --out data >/dev/null
model logic data --recipe paper

# Histories of 20 interactions, another one in every request.
python3 - films large <<'PYTHON'
import json, random, subprocess, sys
for name in sys.argv[1:]:
    header = open(name, "rb")
    n = int.from_bytes(header.read(8), "little")
    names = json.loads(header.read(n))["__metadata__"].get("variables")
    items = json.loads(names) if names else ["i%d" % (i + 1) for i in range(60000)]
    random.seed(1)
    with open(name + ".lua", "w") as out, open(name + ".tsv", "w") as histories:
        out.write("local bodies = {\n")
        for _ in range(500):
            history = [{"item": i, "liked": random.random() < .7} for i in random.sample(items, 20)]
            histories.write("\t".join(("" if h["liked"] else "!") + h["item"] for h in history) + "\n")
            out.write("  %s,\n" % json.dumps(json.dumps({"history": history, "k": 10})))
        out.write("}\nlocal i = 0\nrequest = function()\n  i = i % #bodies + 1\n"
                  "  return wrk.format('POST', nil, nil, bodies[i])\nend\n")
PYTHON
cat >predict.lua <<'LUA'
local i = 0
request = function()
    i = i % 900 + 1
    return wrk.format('POST', nil, nil, string.format('{"expressions":["(v%d & !v%d & v%d) | (v7 & v%d)"]}', i, i + 1, i + 2, i + 3))
end
LUA
cat >events.lua <<'LUA'
local i = 0
request = function()
    i = i + 1
    return wrk.format('POST', nil, nil, string.format('{"events":[{"id":"b-%d-%d","user":"u%d","item":"i%d","rating":%d}]}', os.time(), i, i % 997, i % 1601, i % 5 + 1))
end
LUA

row figure measured goal
start films --store events
row "start to ready" "$ready ms" "<= 100 ms"
load "recommend, 10 of 1,682 after 20" ">= 5,000/s, p99 <= 10 ms" api/v1/recommend 16 films.lua
alone films
load "health" "" health/live 16 /dev/null
load "events, 64 clients, committed" ">= 5,000/s" api/v1/events 64 events.lua

# A new model a hundred times under load.
wrk -t1 -c16 -d"${seconds}s" --latency -s films.lua "${url}api/v1/recommend" >wrk.out &
asking=$!
for i in $(seq 100); do
    curl -s -X POST "${url}api/v1/model/reload" >/dev/null
    sleep "$(awk "BEGIN { print $seconds / 150 }")"
done
wait "$asking"
row "100 swaps under load" "$(awk '/Non-2xx/ { e = $NF } /Socket errors/ { s = $0 } END { print e + 0 " failed " s }' wrk.out)" "0 failed"

# Clients that send a byte a second.
before=$(awk '/VmRSS/ { print $2 }' "/proc/$pid/status")
python3 - "$url" "$seconds" <<'PYTHON' &
import socket, sys, time, urllib.parse
to = urllib.parse.urlparse(sys.argv[1])
sockets = []
for _ in range(1000):
    s = socket.create_connection((to.hostname, to.port))
    s.sendall(b"POST /api/v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n")
    sockets.append(s)
end = time.time() + float(sys.argv[2]) + 3
while time.time() < end:
    for s in sockets:
        try:
            s.send(b" ")
        except OSError:
            pass
    time.sleep(1)
PYTHON
slow=$!
sleep 2
load "recommend beside 1,000 slow clients" "p99 at most doubled" api/v1/recommend 16 films.lua
row "memory for them" "$(($(awk '/VmRSS/ { print $2 }' "/proc/$pid/status") - before)) kB more" bounded
wait "$slow"
stop
start large
load "recommend, 10 of 60,000 after 20" ">= 1,000/s" api/v1/recommend 16 large.lua
alone large
stop
start logic
load "predict one expression, paper's recipe" ">= 20,000/s" api/v1/predict 16 predict.lua
stop
