# Several hosts on one machine, to be read by a script that runs mpirun on them: each is a network
# namespace with a name and an address of its own, 10.77.0.1 and so on, behind one bridge.
#   hosts_up N [RATE]      N hosts whose links have a rate, such as 1gbit, or that of the machine
#   hosts_attach WORK      uses the hosts of another process, whose $work is WORK
#   hosts_run N COMMAND... mpirun with one rank on each of the first N
# $work is then a folder for scratch, which goes with the hosts when the script ends.  Where namespaces are
# not allowed the script ends with exit code 77.
work=
n_hosts=0

hosts_down() {
    for i in $(seq "$n_hosts"); do
        ip netns pids "nln$i" 2>/dev/null | xargs -r kill -9 2>/dev/null || true
        ip link del "nln-veth$i" 2>/dev/null || true
        ip netns del "nln$i" 2>/dev/null || true
    done
    ip link del nln-bridge 2>/dev/null || true
    rm -rf "$work"
}

hosts_up() {
    if [ "$(id -u)" != 0 ] || ! ip netns add nln-probe 2>/dev/null; then
        echo "SKIPPED: network namespaces are not allowed here, so no hosts were played"
        exit 77
    fi
    ip netns del nln-probe
    work=$(mktemp -d)
    trap hosts_down EXIT
    trap 'exit 1' INT TERM
    ip link add nln-bridge type bridge
    ip link set nln-bridge up
    for i in $(seq "$1"); do
        n_hosts=$i
        ip netns add "nln$i"
        ip link add "nln-veth$i" type veth peer name eth0 netns "nln$i"
        ip link set "nln-veth$i" master nln-bridge up
        ip netns exec "nln$i" ip addr add "10.77.0.$i/24" dev eth0
        ip netns exec "nln$i" ip link set eth0 up
        ip netns exec "nln$i" ip link set lo up
        [ -n "${2:-}" ] || continue
        for end in "tc qdisc add dev nln-veth$i" "ip netns exec nln$i tc qdisc add dev eth0"; do
            $end root tbf rate "$2" burst 32kb latency 50ms || {
                echo "SKIPPED: tc tbf is not allowed here, so no links were played"
                exit 77
            }
        done
    done
    # In place of ssh: the command on the host whose address ends in its number, under a name of its
    # own.
    cat >"$work/agent" <<'END'
#!/bin/sh
while case $1 in -*) true ;; *) false ;; esac do shift; done
number=${1##*.}
shift
exec ip netns exec "nln$number" unshare --uts sh -c "hostname host$number; $*"
END
    chmod +x "$work/agent"
}

hosts_attach() {
    work=$1
}

# mpirun itself is on the first host; the first rank has its name.
hosts_run() {
    hosts_n=$1
    shift
    hosts_list=10.77.0.1:1
    for i in $(seq 2 "$hosts_n"); do
        hosts_list=$hosts_list,10.77.0.$i:1
    done
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
        ip netns exec nln1 unshare --uts sh -c 'hostname host1; exec "$@"' - \
        timeout 600 mpirun --quiet --mca plm_rsh_agent "$work/agent" --mca plm_rsh_no_tree_spawn 1 \
        --mca btl self,tcp --mca btl_tcp_if_include 10.77.0.0/24 \
        --mca oob_tcp_if_include 10.77.0.0/24 --bind-to none --host "$hosts_list" -n "$hosts_n" "$@"
}
