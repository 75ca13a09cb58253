#!/usr/bin/env python3
"""Ranks against threads and against one process: mpi.py PROGRAM [ROUNDS]

Prints the speed of 2 ranks over 1 and of 2 ranks x 1 thread over 1 rank x 2 threads, the bytes that
a batch sends, and what that predicts for 2 to 64 hosts at 1, 10 and 100 Gbit/s.  Ratings are those
of NLN_DATA/nlr-ml100k where NLN_DATA is set, and generated ones otherwise.  With --large also the
epoch and the memory of a set of the size of Amazon Electronics, which is generated.
"""
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

LATENCY = 30e-6  # of an exchange between hosts, in seconds
ROWS = [
    ("logic 1k/5k, every law", "logic", ["--recipe", "paper", "--epochs", "3"]),
    ("logic 20k/50k, default", "large", ["--epochs", "1"]),
    ("topk", "ratings", ["--task", "topk", "--epochs", "2"]),
]


def run(program, ranks, threads, words):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    launcher = ["mpirun", "--quiet", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)]
    done = subprocess.run((launcher if ranks > 1 else []) +
                          [program, *words, "--threads", str(threads), "--json"],
                          capture_output=True, text=True, env=environment)
    if done.returncode:
        sys.exit(f"mpi: {' '.join(words)}: {done.stderr}")
    return json.loads(done.stdout)


def compare(program, data, rounds):
    print(f"{'':28}{'1 x 1':>9}{'2 x 1':>9}{'1 x 2':>9}{'2 ranks / 1':>13}{'ranks / threads':>17}")
    for name, kind, options in ROWS:
        words = ["train", data[kind], *options, "--quiet", "--out", "/dev/null"]
        times = [[run(program, ranks, threads, words)["seconds_per_epoch"]
                  for ranks, threads in ((1, 1), (2, 1), (1, 2))] for _ in range(rounds)]
        one, ranks, threads = (statistics.median(column) for column in zip(*times))
        print(f"{name:28}{one:7.3f} s{ranks:7.3f} s{threads:7.3f} s"
              f"{statistics.median(a / b for a, b, _ in times):13.2f}"
              f"{statistics.median(c / b for _, b, c in times):17.2f}", flush=True)


def predict(program):
    """The parts of a batch on one rank, and what many hosts make of them."""
    for name, words in (("logic 1k/5k, every law", ["bench", "train", "--recipe", "paper"]),
                        ("logic 20k/50k, default", ["bench", "train", "--variables", "20000",
                                                    "--expressions", "50000"])):
        alone = run(program, 1, 1, [*words, "--passes", "3"])
        pair = run(program, 2, 1, [*words, "--passes", "3"])
        batch = alone["options"].get("batch", 0) or min(1024, max(128, alone["expressions"] // 64))
        seconds = alone["seconds_per_epoch"] / math.ceil(alone["expressions"] / batch)
        fixed = seconds * (alone["share_plan"] + alone["share_adam"])
        size = pair["sent_bytes_per_batch"]
        print(f"\n{name}: {1e3 * seconds:.2f} ms a batch, {1e3 * fixed:.2f} ms of it on every rank, "
              f"{size / 1e3:.0f} KB an exchange; waited {1e3 * pair['waited_seconds_per_batch']:.2f} ms")
        print(f"{'hosts':>8}" + "".join(f"{rate:>9} Gbit/s" for rate in (1, 10, 100)))
        for hosts in (2, 4, 8, 16, 32, 64):
            row = []
            for rate in (1, 10, 100):
                exchange = LATENCY + 8 * size / (rate * 1e9)
                row.append(seconds / (fixed + (seconds - fixed) / hosts
                                      + math.ceil(math.log2(hosts)) * exchange))
            print(f"{hosts:8}" + "".join(f"{speed:16.2f}" for speed in row))


def measure_large(program, folder):
    path = os.path.join(folder, "electronics.tsv")
    subprocess.run([program, "generate", "ratings", "--users", "192403", "--items", "63001",
                    "--ratings", "1689188", "--out", path], check=True, capture_output=True)
    for ranks in (1, 2):
        report = run(program, ranks, 1, ["train", path, "--task", "topk", "--epochs", "1", "--quiet",
                                         "--out", "/dev/null"])
        print(f"Electronics' size, {ranks} rank{'s' if ranks > 1 else ''}: "
              f"{report['seconds_per_epoch']:.1f} s an epoch, "
              f"{report['peak_rss_bytes'] / 1e6:.0f} MB a rank", flush=True)


def main():
    words = [word for word in sys.argv[1:] if word != "--large"]
    if not words:
        sys.exit("usage: mpi.py PROGRAM [ROUNDS] [--large]")
    program, rounds = words[0], int(words[1]) if len(words) > 1 else 5
    with tempfile.TemporaryDirectory() as folder:
        data = {kind: os.path.join(folder, kind) for kind in ("logic", "large", "ratings")}
        subprocess.run([program, "generate", "logic", "--out", data["logic"]], check=True,
                       capture_output=True)
        subprocess.run([program, "generate", "logic", "--variables", "20000", "--expressions",
                        "50000", "--out", data["large"]], check=True, capture_output=True)
        if os.environ.get("NLN_DATA"):
            data["ratings"] = os.path.join(os.environ["NLN_DATA"], "nlr-ml100k")
        else:
            subprocess.run([program, "generate", "ratings", "--out", data["ratings"]], check=True,
                           capture_output=True)
        compare(program, data, rounds)
        predict(program)
        if "--large" in sys.argv:
            measure_large(program, folder)


if __name__ == "__main__":
    main()
