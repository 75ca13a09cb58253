#!/usr/bin/env python3
"""What many hosts make of a batch, and how far that is true: mpi_model.py PROGRAM [RATE [PASSES]]

Four hosts are network namespaces on this machine, as in mpi_hosts.sh, with links of RATE Gbit/s (1).
The model of the time of a batch on P hosts, each with one rank and one thread, is

    T(P) = fixed * max(1, P / cores) + shared / min(P, cores) + levels(P) * latency
           + bytes(P) * (1 / rate + handling * max(1, P / cores))

fixed is what every rank does (updates), shared what is divided, both of one rank alone; bytes(P)
is what a rank sends: on each level of the tree the modules, and the rows that the shards below it touch,
V (1 - exp(-k s)) for a share s of the batch.  On hosts of their own there are as many cores as hosts.
latency and handling are fitted to two hosts with networks of three sizes; four hosts are then predicted
and measured.  At the end the prediction for 2 to 64 hosts of their own at 1, 10 and 100 Gbit/s.
"""
import json
import math
import os
import subprocess
import sys

SIZES = (32, 64, 96)  # dimensions of the networks


def run(program, hosts, size, folder, passes):
    """A batch of `nln bench train` on so many hosts, with the bytes of a rank."""
    words = [program, "bench", "train", "--recipe", "paper", "--dimension", str(size), "--hidden", str(size),
             "--threads", "1", "--passes", str(passes), "--json"]
    if hosts:
        words = ["sh", "-c", f'. "{folder}/mpi_hosts.sh"; hosts_attach "$WORK"; n=$1; shift; hosts_run "$n" "$@"', "-",
                 str(hosts), *words]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"mpi_model: {' '.join(words)}: {done.stderr}")
    report = json.loads(done.stdout)
    batches = math.ceil(report["expressions"] / report["options"]["batch"])
    return {"seconds": report["seconds_per_epoch"] / batches,
            "fixed": report["share_adam"],
            "bytes": report["sent_bytes_per_batch"] or 0}


def levels(hosts):
    return math.ceil(math.log2(hosts))


def modules_bytes(size):
    return 4 * 7 * size * size


def row_bytes(size, at_two, variables=1000):
    """Of the rows of a level: a function of the share of the batch that is below it."""
    rows = (at_two - modules_bytes(size)) / (4 * size)
    k = -2 * math.log(1 - min(rows / variables, 0.999))
    return lambda share: 4 * size * variables * (1 - math.exp(-k * share))


def sent(size, at_two, hosts):
    rows = row_bytes(size, at_two)
    return sum(modules_bytes(size) + rows(2.0 ** -(level + 1)) for level in range(levels(hosts)))


def compute(one, hosts, cores):
    fixed = one["seconds"] * one["fixed"]
    return fixed * max(1, hosts / cores) + (one["seconds"] - fixed) / min(hosts, cores)


def fit(points):
    """latency and handling of (levels, bytes, seconds beyond compute and the link), by least squares."""
    a = sum(x * x for x, _, _ in points)
    b = sum(x * y for x, y, _ in points)
    c = sum(y * y for _, y, _ in points)
    u = sum(x * z for x, _, z in points)
    v = sum(y * z for _, y, z in points)
    determinant = a * c - b * b
    latency, handling = (c * u - b * v) / determinant, (a * v - b * u) / determinant
    return (latency, handling) if latency > 0 and handling > 0 else \
        (max(u / a, 0), 0) if handling <= 0 else (0, max(v / c, 0))


def table(one, at_two, size, latency, handling):
    print(f"{'hosts':>8}" + "".join(f"{rate:>9} Gbit/s" for rate in (1, 10, 100)))
    for hosts in (2, 4, 8, 16, 32, 64):
        row = [one["seconds"] / (compute(one, hosts, hosts) + levels(hosts) * latency
                                 + sent(size, at_two, hosts) * (8e-9 / rate + handling))
               for rate in (1, 10, 100)]
        print(f"{hosts:8}" + "".join(f"{speed:16.2f}" for speed in row))


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: mpi_model.py PROGRAM [RATE [PASSES]]")
    program, rate = os.path.abspath(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 1
    passes = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    folder, cores = os.path.dirname(os.path.abspath(__file__)), len(os.sched_getaffinity(0))
    keeper = subprocess.Popen(["sh", "-c", f'. "{folder}/mpi_hosts.sh"; hosts_up 4 "$1"; echo "$work"; read -r _', "-",
                               f"{rate * 1000:.0f}mbit"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    os.environ["WORK"] = keeper.stdout.readline().strip()
    if os.environ["WORK"].startswith("SKIPPED"):
        print(os.environ["WORK"])
        sys.exit(77)
    try:
        measured = {(size, hosts): run(program, hosts, size, folder, passes) for size in SIZES for hosts in (0, 2, 4)}
    finally:
        keeper.communicate("\n")
    link = 8e-9 / rate
    points = []
    for size in SIZES:
        two = measured[size, 2]
        rest = two["seconds"] - compute(measured[size, 0], 2, cores) - two["bytes"] * link
        points.append((1, two["bytes"] * max(1, 2 / cores), rest))
    latency, handling = fit(points)
    print(f"fitted to two hosts at {rate:g} Gbit/s, {cores} cores: latency {1e6 * latency:.0f} us an exchange, "
          f"handling {1e9 * handling:.2f} ns a byte")
    print(f"{'dimension':>10}{'hosts':>7}{'KB sent':>9}{'predicted':>11}{'ms a batch':>12}{'predicted':>11}"
          f"{'measured / predicted':>22}")
    for size in SIZES:
        for hosts in (2, 4):
            one, now, at_two = measured[size, 0], measured[size, hosts], measured[size, 2]["bytes"]
            size_sent = sent(size, at_two, hosts)
            seconds = compute(one, hosts, cores) + levels(hosts) * latency + size_sent * (
                link + handling * max(1, hosts / cores))
            print(f"{size:10}{hosts:7}{now['bytes'] / 1e3:9.0f}{size_sent / 1e3:11.0f}{1e3 * now['seconds']:12.2f}"
                  f"{1e3 * seconds:11.2f}{now['seconds'] / seconds:22.2f}")
    one = measured[64, 0]
    print(f"\nspeed over one host, each with a core of its own; 1,000 / 5,000 with every law, d = 64, "
          f"{1e3 * one['seconds']:.2f} ms a batch")
    table(one, measured[64, 2]["bytes"], 64, latency, handling)


if __name__ == "__main__":
    main()
