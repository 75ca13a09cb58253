#!/usr/bin/env python3
"""Ranks against threads and against one process: mpi.py PROGRAM [ROUNDS]

Prints the speed of 2 ranks over 1 and of 2 ranks x 1 thread over 1 rank x 2 threads, by the seconds of an
epoch, and with rows of `bench train` the bytes that a batch sends and how long it waits for the others.
mpi_model.py predicts many hosts.  Ratings are those
of NLN_DATA/nlr-ml100k where NLN_DATA is set, and generated ones otherwise.  With --large also the
epoch and the memory of a set of the size of Amazon Electronics, which is generated.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile

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


def report_bytes(program, data):
    for name, words in (("logic 1k/5k, every law", [data["logic"], "--recipe", "paper"]),
                        ("logic 20k/50k, default", [data["large"]])):
        pair = run(program, 2, 1, ["bench", "train", *words, "--passes", "1"])
        print(f"{name}: {pair['sent_bytes_per_batch'] / 1e3:.0f} KB a batch from each of 2 ranks, "
              f"{1e3 * pair['waited_seconds_per_batch']:.2f} ms waited", flush=True)


def measure_large(program, folder):
    path = os.path.join(folder, "electronics.tsv")
    subprocess.run([program, "generate", "ratings", "--users", "192403", "--items", "63001",
                    "--ratings", "1689188", "--out", path], check=True, capture_output=True)
    wrapper = os.path.join(folder, "wrapper")
    with open(wrapper, "w", encoding="utf-8") as file: # each rank leaves the most memory that it had
        file.write(f"""#!{sys.executable}
import os, resource, subprocess, sys
code = subprocess.call([{program!r}, *sys.argv[1:]])
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
open({folder!r} + "/peak." + os.environ.get("OMPI_COMM_WORLD_RANK", "0"), "w").write(str(peak))
sys.exit(code)
""")
    os.chmod(wrapper, 0o755)
    for ranks in (1, 2):
        report = run(wrapper, ranks, 1, ["train", path, "--task", "topk", "--rules", "0", "--epochs", "1",
                                         "--quiet", "--out", "/dev/null"])
        peaks = [int(open(os.path.join(folder, f"peak.{r}"), encoding="utf-8").read()) / 1e3
                 for r in range(ranks)]
        print(f"Electronics' size, no rules, {ranks} rank{'s' if ranks > 1 else ''}: "
              f"{report['seconds_per_epoch']:.1f} s an epoch, memory "
              + " and ".join(f"{peak:.0f} MB" for peak in peaks), flush=True)


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
        report_bytes(program, data)
        if "--large" in sys.argv:
            measure_large(program, folder)


if __name__ == "__main__":
    main()
