#!/usr/bin/env python3
"""Ranks against threads and against one process: mpi.py PROGRAM [ROUNDS]

Prints the speed of 2 ranks over 1 and of 2 ranks x 1 thread over 1 rank x 2 threads, by the seconds of an
epoch.  Beside them stands what the machine allows: the speed of two processes that know nothing of each other, both
at the same time, over one alone.  Cores that are threads of one core, or share its caches and power, allow less than
2.  The last column is how many cores all other programs took in the worst of the rounds: a rank that shares its core
keeps the other one waiting, so that with one core taken two ranks are slower than one.  Then, by `bench train`, the
bytes that a batch sends and how long it waits for the others.  mpi_model.py predicts many hosts.  Ratings are those
of NLN_DATA/nlr-ml100k where NLN_DATA is set, and generated ones otherwise.  With --large also, or with
--only-large alone, the epoch and the memory of a set of the size of Amazon Electronics, which is generated.
"""
import concurrent.futures
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROWS = [
    ("logic 1k/5k, every law", "logic", ["--recipe", "paper", "--epochs", "3"]),
    ("logic 20k/50k, default", "large", ["--epochs", "1"]),
    ("topk", "ratings", ["--task", "topk", "--epochs", "2"]),
]


def run(program, ranks, threads, words):
    """The report of a command, as JSON; its ranks are started by mpirun."""
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    launcher = ["mpirun", "--quiet", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)]
    done = subprocess.run((launcher if ranks > 1 else []) +
                          [program, *words, "--threads", str(threads), "--json"],
                          capture_output=True, text=True, env=environment)
    if done.returncode:
        sys.exit(f"mpi: {' '.join(words)}: {done.stderr}")
    return json.loads(done.stdout)


def run_twice(program, words):
    """The seconds of an epoch, the mean of two processes with one thread that run at the same time."""
    with concurrent.futures.ThreadPoolExecutor() as pool:
        pair = [pool.submit(run, program, 1, 1, words) for _ in range(2)]
        return statistics.mean(one.result()["seconds_per_epoch"] for one in pair)


def used_by_others():
    """The processor time of all programs but this one and those that it has started and that have ended."""
    with open("/proc/stat", encoding="utf-8") as file:
        ticks = [int(word) for word in file.readline().split()[1:4]]  # user, nice, system
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(ticks) / os.sysconf("SC_CLK_TCK") - sum(u.ru_utime + u.ru_stime for u in usage)


def compare(program, data, rounds):
    print(f"{'':28}{'1 x 1':>9}{'2 x 1':>9}{'1 x 2':>9}{'2 ranks / 1':>13}{'machine allows':>16}"
          f"{'ranks / threads':>17}{'cores of others':>17}")
    for name, kind, options in ROWS:
        words = ["train", data[kind], *options, "--quiet", "--out", "/dev/null"]
        times, taken = [], 0
        for _ in range(rounds):
            begin, others = time.monotonic(), used_by_others()
            times.append([run(program, ranks, threads, words)["seconds_per_epoch"]
                          for ranks, threads in ((1, 1), (2, 1), (1, 2))] + [run_twice(program, words)])
            taken = max(taken, (used_by_others() - others) / (time.monotonic() - begin))
        one, ranks, threads, _ = (statistics.median(column) for column in zip(*times))
        print(f"{name:28}{one:7.3f} s{ranks:7.3f} s{threads:7.3f} s"
              f"{statistics.median(row[0] / row[1] for row in times):13.2f}"
              f"{statistics.median(2 * row[0] / row[3] for row in times):16.2f}"
              f"{statistics.median(row[2] / row[1] for row in times):17.2f}{taken:17.2f}", flush=True)


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
        begin, others = time.monotonic(), used_by_others()
        report = run(wrapper, ranks, 1, ["train", path, "--task", "topk", "--rules", "0", "--epochs", "1",
                                         "--quiet", "--out", "/dev/null"])
        peaks = [int(open(os.path.join(folder, f"peak.{r}"), encoding="utf-8").read()) / 1e3
                 for r in range(ranks)]
        print(f"Electronics' size, no rules, {ranks} rank{'s' if ranks > 1 else ''}: "
              f"{report['seconds_per_epoch']:.1f} s an epoch, memory "
              + " and ".join(f"{peak:.0f} MB" for peak in peaks)
              + f"; other programs took {(used_by_others() - others) / (time.monotonic() - begin):.2f} cores",
              flush=True)


def main():
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    if not words:
        sys.exit("usage: mpi.py PROGRAM [ROUNDS] [--large|--only-large]")
    program, rounds = words[0], int(words[1]) if len(words) > 1 else 5
    with tempfile.TemporaryDirectory() as folder:
        if "--only-large" in sys.argv:
            measure_large(program, folder)
            return
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
