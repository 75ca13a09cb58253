#!/bin/sh
# Four hosts on one machine: mpi_links.sh PROGRAM [RATE].  Each host is a network namespace; its link
# has the rate of 1gbit or another that tc understands.  Prints the epoch of `nln bench train` on 1
# host and on 2 and 4, with the bytes that a batch sends, beside what bench/mpi.py's model says of the
# links.  The hosts share the processors: compute time does not fall below that of the machine.
set -eu
nln=$(readlink -f "$1")
rate=${2:-1gbit}
. "$(dirname "$0")/mpi_hosts.sh"
hosts_up 4 "$rate"
for hosts in 1 2 4; do
    hosts_run $hosts "$nln" bench train --passes 3 --recipe paper --threads 1 >"$work/out"
    echo "$hosts host(s) at $rate:"
    grep -E 'seconds_per_epoch|per_batch' "$work/out"
done
