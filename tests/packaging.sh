#!/bin/sh
# What is packaged for operators works: packaging.sh PROGRAM.  The unit of systemd is sound and its
# command starts the server; nginx accepts its example and passes on requests over TLS.
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tests/cli/common.sh"

servers=
trap 'kill $servers 2>/dev/null; wait; rm -rf "$work" "$lists"' EXIT

prepare_ratings
mkdir state
cp topk state/model.safetensors

# ---- the unit of systemd ------------------------------------------------------
# The command of the unit, with the folders of this test, must start the server.
sed -n 's/^ExecStart=//p' "$root/packaging/nln.service" |
    sed "s|/usr/bin/nln|\"$nln\"|; s|\${STATE_DIRECTORY}|$work/state|g; s|/etc/nln|$root/packaging|" >command
# Behind a proxy it answers to another name than localhost, which needs keys.
echo 'admin 4f1d9c1d7a5b4c0f8d21' >keys
chmod 600 keys
echo 'exec '"$(cat command) --listen 127.0.0.1:0 --keys keys" >start
sh start >address 2>log &
servers=$!
for wait in $(seq 100); do
    [ ! -s address ] || break
    sleep 0.1
done
cp log err
server=$(sed 's:/$::' address)
curl -sf "$server/health/ready" >out 2>err || fail "the command of nln.service does not serve"
[ -s state/events.sqlite ] || fail "there is no store where nln.service wants it"
n_checks=$((n_checks + 2))

if command -v systemd-analyze >/dev/null; then
    sed "s:/usr/bin/nln:$nln:" "$root/packaging/nln.service" >nln.service
    systemd-analyze verify --man=no ./nln.service >out 2>err || fail "systemd-analyze verify"
    ! grep -q nln.service err || fail "systemd-analyze verify"
    systemd-analyze security --offline=true --threshold=30 ./nln.service >out 2>err ||
        fail "systemd-analyze security"
    n_checks=$((n_checks + 2))
else
    echo "SKIPPED: there is no systemd-analyze, so the unit is not verified"
fi

# ---- nginx --------------------------------------------------------------------
PATH=$PATH:/usr/sbin
if ! command -v nginx >/dev/null || ! command -v openssl >/dev/null; then
    echo "SKIPPED: there is no nginx or openssl, so the example is not tried"
    echo "$n_checks checks"
    exit 0
fi
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=nln.example.org \
    -addext subjectAltName=DNS:nln.example.org -keyout key.pem -out cert.pem >out 2>err ||
    fail "openssl"
# Two ports that are free now.
set -- $(python3 -c 'import socket
s = [socket.socket() for _ in range(2)]
[x.bind(("127.0.0.1", 0)) for x in s]
print(*(x.getsockname()[1] for x in s))')
http=$1 https=$2
sed "s|127.0.0.1:8080|${server#http://}|; s|listen 80;|listen 127.0.0.1:$http;|
     s|listen 443 |listen 127.0.0.1:$https |; /listen \[::\]/d
     s|/etc/ssl/certs/nln.pem|$work/cert.pem|; s|/etc/ssl/private/nln.key|$work/key.pem|" \
    "$root/packaging/nginx-nln.conf" >site.conf
mkdir -p nginx
cat >nginx.conf <<END
pid $work/nginx/pid;
error_log $work/nginx/error.log;
daemon off;
worker_processes 1;
events {}
http {
    access_log off;
    client_body_temp_path nginx/body;
    proxy_temp_path nginx/proxy;
    fastcgi_temp_path nginx/fastcgi;
    uwsgi_temp_path nginx/uwsgi;
    scgi_temp_path nginx/scgi;
    include $work/site.conf;
}
END
nginx -t -p "$work" -c nginx.conf -e "$work/nginx/error.log" >out 2>err || fail "nginx -t"
nginx -p "$work" -c nginx.conf -e "$work/nginx/error.log" >out 2>err &
servers="$servers $!"
ask() { # ask PATH OPTION...
    path=$1
    shift
    curl -sf -H 'Authorization: Bearer 4f1d9c1d7a5b4c0f8d21' --cacert cert.pem --resolve "nln.example.org:$https:127.0.0.1" --retry 20 \
        --retry-connrefused --retry-delay 1 "$@" "https://nln.example.org:$https$path" >out 2>err ||
        fail "$path by nginx"
    n_checks=$((n_checks + 1))
}
ask /health/ready
json 'x["status"] == "ready"'
ask /
says '<script type="module" src="page.js">'
ask /api/v1/recommend --json "{\"history\": [{\"item\": \"$item\", \"liked\": true}], \"k\": 3}"
json 'len(x["items"]) == 3'
ask /api/v1/events --json "{\"events\": [{\"id\": \"a\", \"user\": \"u\", \"item\": \"$item\", \"liked\": true}]}"
json 'x["results"][0]["status"] == "stored"'
ask /metrics
code=$(curl -s -o out -w '%{http_code} %{redirect_url}' --resolve "nln.example.org:$http:127.0.0.1" \
    "http://nln.example.org:$http/x")
[ "$code" = "301 https://nln.example.org/x" ] || fail "port 80 answers $code"
echo "$((n_checks + 1)) checks"
