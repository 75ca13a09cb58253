#!/usr/bin/env python3
"""What many hosts make of a batch, and how far that is true: mpi_model.py PROGRAM [RATE [PASSES]]

Four hosts are network namespaces on this machine, as in mpi_hosts.sh, with links of RATE Gbit/s (1).
The model of the time of a batch on P hosts, each with one rank and one thread, is

    T(P) = fixed * crowd + shared * share(P) + exchanges(P) * latency + bytes(P) * (1 / rate + handling)

fixed is what every rank does (updates), shared what is divided, both of one rank alone; share(P) is the part
of the shards that the busiest rank has.  Ranks meet for the sizes of their plans' outlines, for the outlines,
and on each level of the tree: exchanges(P) = 2 + levels(P).  bytes(P) is what a rank sends: its outlines to
each of the others, and on each level the modules, and the rows that the shards below it touch,
V (1 - exp(-k s)) for a share s of the batch.  On hosts of their own crowd is 1; where P hosts are played on
fewer cores it is P / cores, and no share is less than 1 / cores.

The bytes are those of two hosts with networks of three sizes; latency and handling are fitted to the times of
the same runs, for each of two loads.  Ranks that share a core wait for it as well as for each other, so the
prediction for four hosts on this machine's cores takes both from two hosts that share cores as much as those
four do.  Four hosts are then measured.  At the end the prediction for 2 to 64 hosts of their own at 1, 10 and
100 Gbit/s.  To be run on a quiet machine with two cores.
"""
import json
import math
import os
import subprocess
import sys
import tempfile
import time

from mpi import used_by_others

SIZES = (32, 64, 96)  # dimensions of the networks
RATES = (1, 10, 100)


def run(program, hosts, cores, size, folder, words, passes):
    """A batch of `nln bench train` on so many hosts, 0: no mpirun, and cores, with the bytes of a rank."""
    words = [program, "bench", "train", *words, "--dimension", str(size), "--hidden", str(size),
             "--threads", "1", "--passes", str(passes), "--json"]
    if hosts:
        words = ["sh", "-c", f'. "{folder}/mpi_hosts.sh"; hosts_attach "$WORK"; n=$1; shift; hosts_run "$n" "$@"', "-",
                 str(hosts), *words]
    all_cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(all_cores)[:cores])  # those that it starts have the same
    done = subprocess.run(words, capture_output=True, text=True)
    os.sched_setaffinity(0, all_cores)
    if done.returncode:
        sys.exit(f"mpi_model: {' '.join(words)}: {done.stderr}")
    report = json.loads(done.stdout)
    size_of_batch = report["options"]["batch"]
    return {"seconds": report["seconds_per_epoch"] / math.ceil(report["expressions"] / size_of_batch),
            "batch": size_of_batch,
            "fixed": report["share_adam"],
            "bytes": report["sent_bytes_per_batch"] or 0}


def levels(hosts):
    return math.ceil(math.log2(hosts))


def exchanges(hosts):
    return 2 + levels(hosts)


def shards_of(batch):
    """As net/batch_shards.c divides it."""
    return max(batch // 32 if batch <= 512 else 16, batch // 64)


class Traffic:
    """The bytes that a rank sends for a batch, from those of two hosts with networks of three sizes,
    modules * size^2 + 4 rows size + outlines."""

    def __init__(self, at_two, variables, shards):
        (a, y), (b, z), (c, w) = sorted(at_two.items())
        first, second = (z - y) / (b - a), (w - z) / (c - b)
        self.modules = (second - first) / (c - a)
        slope = first - self.modules * (a + b)
        self.outlines = y - self.modules * a * a - slope * a
        self.variables, self.shards = variables, shards
        self.k = -2 * math.log(1 - min(slope / 4 / variables, 0.999))

    def sent(self, size, hosts):
        having = min(hosts, self.shards)
        rows = [self.variables * (1 - math.exp(-self.k * 2.0 ** -(level + 1))) for level in range(levels(having))]
        tree = sum(self.modules * size * size + 4 * size * n for n in rows)
        return tree + self.outlines * 2 / having * (hosts - 1)


def compute(one, hosts, cores):
    shards, fixed = shards_of(one["batch"]), one["seconds"] * one["fixed"]
    share = max(math.ceil(shards / hosts) / shards, 1 / min(hosts, cores))
    return fixed * max(1, hosts / cores) + (one["seconds"] - fixed) * share


def fit(points):
    """latency and handling of (exchanges, bytes, seconds beyond compute and the link), by least squares."""
    a = sum(x * x for x, _, _ in points)
    b = sum(x * y for x, y, _ in points)
    c = sum(y * y for _, y, _ in points)
    u = sum(x * z for x, _, z in points)
    v = sum(y * z for _, y, z in points)
    determinant = a * c - b * b
    latency, handling = (c * u - b * v) / determinant, (a * v - b * u) / determinant
    return (latency, handling) if latency > 0 and handling > 0 else \
        (max(u / a, 0), 0) if handling <= 0 else (0, max(v / c, 0))


def predict(one, traffic, size, hosts, cores, rate, fitted):
    latency, handling = fitted
    sending = traffic.sent(size, hosts) * (8e-9 / rate + handling)
    return compute(one, hosts, cores) + exchanges(hosts) * latency + sending


def fit_two(measured, cores, rate):
    """latency and handling of two hosts on so many cores."""
    points = []
    for size in SIZES:
        two = measured[size, 2, cores]
        rest = two["seconds"] - compute(measured[size, 0, 1], 2, cores) - two["bytes"] * 8e-9 / rate
        points.append((exchanges(2), two["bytes"], rest))
    return fit(points)


def hold_against(name, measured, traffic, rate):
    own, crowded = (fit_two(measured, cores, rate) for cores in (2, 1))
    print(f"\n{name}, links of {rate:g} Gbit/s\n"
          f"two hosts with a core each: latency {1e6 * own[0]:.0f} us an exchange, handling {1e9 * own[1]:.2f} ns a "
          f"byte; on one core {1e6 * crowded[0]:.0f} us, {1e9 * crowded[1]:.2f} ns")
    print(f"{'dimension':>10}{'hosts':>7}{'cores':>7}{'KB sent':>9}{'predicted':>11}{'ms a batch':>12}{'predicted':>11}"
          f"{'measured / predicted':>22}")
    for size in SIZES:
        for hosts, cores, fitted in ((2, 2, own), (2, 1, crowded), (4, 2, crowded)):
            now = measured[size, hosts, cores]
            seconds = predict(measured[size, 0, 1], traffic, size, hosts, cores, rate, fitted)
            print(f"{size:10}{hosts:7}{cores:7}{now['bytes'] / 1e3:9.0f}{traffic.sent(size, hosts) / 1e3:11.0f}"
                  f"{1e3 * now['seconds']:12.2f}{1e3 * seconds:11.2f}{now['seconds'] / seconds:22.2f}")
    return own


def table(name, one, traffic, size, fitted):
    print(f"\nspeed over one host, each with a core of its own: {name}, d = {size}, batch {one['batch']} in "
          f"{shards_of(one['batch'])} shards, {1e3 * one['seconds']:.1f} ms on one host")
    print(f"{'hosts':>8}{'KB sent':>10}" + "".join(f"{rate:>9} Gbit/s" for rate in RATES))
    for hosts in (2, 4, 8, 16, 32, 64):
        row = [one["seconds"] / predict(one, traffic, size, hosts, hosts, rate, fitted) for rate in RATES]
        print(f"{hosts:8}{traffic.sent(size, hosts) / 1e3:10.0f}" + "".join(f"{speed:16.2f}" for speed in row))


def measure(program, folder, rate, passes):
    """By load, (size, hosts): the two loads of the tables, on the hosts of a process that keeps them."""
    keeper = subprocess.Popen(["sh", "-c", f'. "{folder}/mpi_hosts.sh"; hosts_up 4 "$1"; echo "$work"; read -r _', "-",
                               f"{rate * 1000:.0f}mbit"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    os.environ["WORK"] = keeper.stdout.readline().strip()
    if os.environ["WORK"].startswith("SKIPPED"):
        print(os.environ["WORK"])
        sys.exit(77)
    with tempfile.TemporaryDirectory() as scratch:
        large = os.path.join(scratch, "large")
        subprocess.run([program, "generate", "logic", "--variables", "20000", "--expressions", "50000", "--out", large],
                       check=True, capture_output=True)
        loads = ((["--recipe", "paper"], passes), ([large, "--batch", "4096"], 1))
        try:
            small, large = ({(size, hosts, cores): run(program, hosts, cores, size, folder, words, n)
                             for size in SIZES for hosts, cores in ((0, 1), (2, 2), (2, 1), (4, 2))}
                            for words, n in loads)
        finally:
            keeper.communicate("\n")
    return small, large


def traffic_of(measured, variables):
    at_two = {size: now["bytes"] for (size, hosts, cores), now in measured.items() if (hosts, cores) == (2, 2)}
    return Traffic(at_two, variables, shards_of(measured[64, 2, 2]["batch"]))


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: mpi_model.py PROGRAM [RATE [PASSES]]")
    program, rate = os.path.abspath(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 1
    passes = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    if len(os.sched_getaffinity(0)) < 2:
        sys.exit("mpi_model: two cores are needed")
    others = used_by_others()
    time.sleep(3)
    print(f"before the start other programs took {(used_by_others() - others) / 3:.2f} cores "
          "(with more than a few hundredths the times mean nothing)")
    small, large = measure(program, os.path.dirname(os.path.abspath(__file__)), rate, passes)
    for name, measured, variables in (("1,000 / 5,000 with every law", small, 1000), ("20,000 / 50,000", large, 20000)):
        traffic = traffic_of(measured, variables)
        own = hold_against(name, measured, traffic, rate)
        table(name, measured[64, 0, 1], traffic, 64, own)


if __name__ == "__main__":
    main()
