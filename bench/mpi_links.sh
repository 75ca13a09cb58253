#!/bin/sh
# Four hosts on one machine: mpi_links.sh PROGRAM [RATE].  Each host is a network namespace; its link
# has the rate of 1gbit or another that tc understands.  Prints the epoch of `nln bench train` on 1
# host and on 2 and 4, with the bytes that a batch sends, beside what bench/mpi.py's model says of the
# links.  The hosts share the processors: compute time does not fall below that of the machine.
set -eu
nln=$(readlink -f "$1")
rate=${2:-1gbit}
if [ "$(id -u)" != 0 ] || ! ip netns add nln-probe 2>/dev/null; then
    echo "SKIPPED: network namespaces are not allowed here, so no links were emulated"
    exit 77
fi
ip netns del nln-probe
work=$(mktemp -d)
tear_down() {
    for i in 1 2 3 4; do
        ip netns del "nln$i" 2>/dev/null || true
    done
    ip link del nln-bridge 2>/dev/null || true
    rm -rf "$work"
}
trap tear_down EXIT
ip link add nln-bridge type bridge
ip addr add 10.77.0.254/24 dev nln-bridge
ip link set nln-bridge up
for i in 1 2 3 4; do
    ip netns add "nln$i"
    ip link add "nln-veth$i" type veth peer name eth0 netns "nln$i"
    ip link set "nln-veth$i" master nln-bridge up
    ip netns exec "nln$i" ip addr add "10.77.0.$i/24" dev eth0
    ip netns exec "nln$i" ip link set eth0 up
    ip netns exec "nln$i" ip link set lo up
    for end in "tc qdisc add dev nln-veth$i" "ip netns exec nln$i tc qdisc add dev eth0"; do
        $end root tbf rate "$rate" burst 256kb latency 50ms || {
            echo "SKIPPED: tc tbf is not allowed here"
            exit 77
        }
    done
done
# In place of ssh: the command in the namespace of the host, whose address ends in its number.
cat >"$work/agent" <<'END'
#!/bin/sh
while case $1 in -*) true ;; *) false ;; esac do shift; done
host=$1
shift
exec ip netns exec "nln${host##*.}" sh -c "$*"
END
chmod +x "$work/agent"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
for hosts in 1 2 4; do
    list=10.77.0.1:1
    for i in $(seq 2 $hosts); do
        list=$list,10.77.0.$i:1
    done
    # shellcheck disable=SC2086
    timeout 300 mpirun --quiet --mca plm_rsh_agent "$work/agent" --mca plm_rsh_no_tree_spawn 1 \
        --mca btl self,tcp --mca btl_tcp_if_include 10.77.0.0/24 --mca oob_tcp_if_include \
        10.77.0.0/24 --bind-to none --host "$list" -n $hosts "$nln" bench train --passes 3 \
        --recipe paper --threads 1 >"$work/out"
    echo "$hosts host(s) at $rate:"
    grep -E 'seconds_per_epoch|per_batch' "$work/out"
done
