#!/bin/sh
# A network that is cut, and a machine that dies: mpi_cut.sh [PROGRAM].  Four hosts are network
# namespaces on this machine.  In the middle of a training the link of one of them is cut; the job
# ends within seconds with a sentence that names the host, and goes on on the three others, to the
# bits of an undisturbed run.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
nln=$(readlink -f "${1:-$root/build/nln}")
. "$root/bench/mpi_hosts.sh"
hosts_up 4
cd "$work"
"$nln" generate logic --out logic >/dev/null
options="--recipe paper --epochs 40 --dimension 32 --hidden 32 --threads 1 --quiet --checkpoint c"
"$nln" train logic --recipe paper --epochs 40 --dimension 32 --hidden 32 --quiet --out whole >/dev/null
for cut in 2 4; do
    rm -f c part
    # shellcheck disable=SC2086
    hosts_run 4 "$nln" train logic $options --out part >out 2>err &
    job=$!
    for _ in $(seq 1200); do
        [ -f c ] && break
        sleep 0.1
    done
    [ -f c ] || { echo "FAILED: no checkpoint was written"; cat err; exit 1; }
    begin=$(date +%s)
    ip link set "nln-veth$cut" down
    code=0
    wait $job || code=$?
    seconds=$(($(date +%s) - begin))
    ip link set "nln-veth$cut" up
    [ $code -ne 0 ] || { echo "FAILED: the training was over before the link was cut"; exit 1; }
    [ $seconds -le 30 ] || { echo "FAILED: $seconds s until the job ended"; cat err; exit 1; }
    grep 'nln: .*: rank .* on .* has not been heard of' err ||
        { echo "FAILED: no sentence names the host"; cat err; exit 1; }
    # shellcheck disable=SC2086
    hosts_run 3 "$nln" train logic $options --resume --out part >out 2>err || { cat err; exit 1; }
    cmp whole part || { echo "FAILED: other bits after the cut"; exit 1; }
    echo "link of host $cut cut: the job ended after $seconds s, exit code $code; resumed on 3 hosts: the same bits"
done
