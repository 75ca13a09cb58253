#!/usr/bin/env python3
"""Compares the speed of two builds of nln in turns: same_speed.py BEFORE AFTER [ROUNDS]

Runs whole processes on one thread and takes the processor time of each, so that other programs on
the machine disturb little.  Ratings are those of NLN_DATA/nlr-ml100k where NLN_DATA is set, and
generated ones otherwise.  Prints the median of the ratios AFTER / BEFORE of each row.
"""
import os
import resource
import statistics
import subprocess
import sys
import tempfile

ROWS = [
    ("train logic 1k/5k, paper", "logic", ["--recipe", "paper", "--epochs", "3"]),
    ("train logic 1k/5k, default", "logic", ["--epochs", "4"]),
    ("train topk, default", "ratings", ["--task", "topk", "--epochs", "1"]),
    ("train topk, paper", "ratings", ["--task", "topk", "--recipe", "paper", "--epochs", "1"]),
    ("train preference, default", "ratings", ["--task", "preference", "--epochs", "1"]),
    ("train topk, GRU", "ratings", ["--task", "topk", "--model", "gru", "--epochs", "1"]),
    ("train topk, SVD++", "ratings", ["--task", "topk", "--model", "svdpp", "--epochs", "2"]),
]
MEASURES = [
    ("evaluate logic", "logic", "train logic 1k/5k, default", ["--part", "train"]),
    ("evaluate topk", "ratings", "train topk, default", []),
    ("evaluate preference", "ratings", "train preference, default", []),
]


def seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"same_speed: {' '.join(command)}: {done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: same_speed.py BEFORE AFTER [ROUNDS]")
    programs, rounds = sys.argv[1:3], int(sys.argv[3]) if len(sys.argv) > 3 else 5
    with tempfile.TemporaryDirectory() as folder:
        logic, ratings = os.path.join(folder, "logic"), os.path.join(folder, "ratings.tsv")
        subprocess.run([programs[0], "generate", "logic", "--out", logic], check=True,
                       capture_output=True)
        if os.environ.get("NLN_DATA"):
            ratings = os.path.join(os.environ["NLN_DATA"], "nlr-ml100k")
        else:
            subprocess.run([programs[0], "generate", "ratings", "--out", ratings], check=True,
                           capture_output=True)
        data = {"logic": logic, "ratings": ratings}

        def model(name, which):
            return os.path.join(folder, f"{which} {name}".replace("/", "_"))

        commands = [(name, [[program, "train", data[kind], *options, "--threads", "1", "--quiet",
                             "--out", model(name, which)]
                            for which, program in enumerate(programs)])
                    for name, kind, options in ROWS]
        commands += [(name, [[program, "evaluate", model(trained, which), data[kind], *options,
                              "--threads", "1", "--quiet"]
                             for which, program in enumerate(programs)])
                     for name, kind, trained, options in MEASURES]
        print(f"{'':30} {'before':>9} {'after':>9} {'after / before':>15}")
        for name, pair in commands:
            times = [[seconds(command) for command in pair] for _ in range(rounds)]
            ratio = statistics.median(after / before for before, after in times)
            before, after = (statistics.median(column) for column in zip(*times))
            print(f"{name:30} {before:7.2f} s {after:7.2f} s {ratio:15.3f}", flush=True)


if __name__ == "__main__":
    main()
