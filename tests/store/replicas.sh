#!/bin/sh
# Two servers on one PostgreSQL store behind nginx: replicas.sh PROGRAM.  An event that is sent to one
# is known to the other at once, and the same event sent to both is stored once.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
nln=$(realpath "$1")
. "$here/postgres.sh"
work=$(mktemp -d)
pids=
stop() {
    [ -z "$pids" ] || kill $pids 2>/dev/null || true
    [ ! -s "$work/nginx.pid" ] || kill "$(cat "$work/nginx.pid")" 2>/dev/null || true
    wait $pids 2>/dev/null || true
    postgres_stop
    rm -rf "$work"
}
trap stop EXIT
fail() {
    echo "FAILED: $*"
    cat "$work"/*.log "$work/out" 2>/dev/null | tail -20
    exit 1
}
cd "$work"

if ! command -v nginx >/dev/null || ! postgres_start; then
    echo "SKIPPED: nginx or PostgreSQL is not installed (apt-get install nginx-light postgresql)"
    exit 0
fi
"$nln" generate ratings --users 60 --items 40 --ratings 1500 --out ratings --quiet
"$nln" train ratings --task topk --model ease --out model --quiet >/dev/null

ports=$(python3 - <<'PYTHON'
import socket
sockets = [socket.socket() for _ in range(3)]
for s in sockets:
    s.bind(("127.0.0.1", 0))
print(*(s.getsockname()[1] for s in sockets))
PYTHON
)
set -- $ports
for port in "$1" "$2"; do
    "$nln" serve model --store "$postgres_url" --listen "127.0.0.1:$port" >"$port.log" 2>&1 &
    pids="$pids $!"
done
cat >nginx.conf <<END
daemon on;
pid $work/nginx.pid;
error_log $work/nginx.log;
events { worker_connections 1024; }
http {
    access_log off;
    client_body_temp_path $work/body; proxy_temp_path $work/proxy; fastcgi_temp_path $work/f;
    uwsgi_temp_path $work/u; scgi_temp_path $work/s;
    upstream replicas { server 127.0.0.1:$1; server 127.0.0.1:$2; }
    server {
        listen 127.0.0.1:$3;
        location / { proxy_pass http://replicas; proxy_set_header Host localhost; }
    }
}
END
nginx -c "$work/nginx.conf" 2>/dev/null || fail "nginx does not start"
for port in "$1" "$2"; do
    for _ in $(seq 100); do
        curl -sf "http://127.0.0.1:$port/health/ready" >/dev/null && break
        sleep 0.1
    done
done

# send PORT BODY, list PORT USER: the answer is in out.
send() {
    curl -sf -o out -H 'Content-Type: application/json' -d "$2" "http://127.0.0.1:$1/api/v1/events" ||
        fail "events are not taken"
}
list() {
    curl -sf -o out "http://127.0.0.1:$1/api/v1/events?user=$2&k=1000" || fail "no list of events"
}

for i in 1 2 3 4 5 6 7 8 9 10; do
    send "$1" "{\"events\": [{\"id\": \"a$i\", \"user\": \"eve\", \"item\": \"i$i\", \"liked\": true}]}"
    list "$2" eve
    grep -q "\"i$i\"" out || fail "the other server does not know event $i"
    send "$2" "{\"events\": [{\"id\": \"a$i\", \"user\": \"eve\", \"item\": \"i$i\", \"liked\": true}]}"
    grep -q duplicate out || fail "the other server stores event $i again"
done
curl -sf -o out -d '{"user": "eve", "k": 40}' "http://127.0.0.1:$2/api/v1/recommend" ||
    fail "the other server has no answer for eve"
! grep -q '"item":"i3"' out || fail "the other server recommends what eve has said"

# Through the proxy, which takes the servers in turn: 40 clients at once, each event twice.
for i in $(seq 40); do
    body="{\"events\": [{\"id\": \"n$i\", \"user\": \"zoe\", \"item\": \"i$i\", \"rating\": $((i % 5 + 1))}]}"
    for _ in 1 2; do
        curl -sf -o /dev/null -d "$body" "http://127.0.0.1:$3/api/v1/events" &
        curls="${curls:-} $!"
    done
done
for pid in $curls; do
    wait "$pid" || fail "an event through the proxy failed"
done
for port in "$1" "$2" "$3"; do
    list "$port" zoe
    [ "$(grep -o '"number"' out | wc -l)" -eq 40 ] || fail "not every event is stored once"
done
echo "two servers behind nginx: every event known to both, and stored once"
