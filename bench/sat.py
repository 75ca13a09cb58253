#!/usr/bin/env python3
"""Random 3-SAT: what the network solves alone, and what its values are worth as CaDiCaL's first phases.

bench/sat.py PROGRAM [--variables 200] [--ratios 3.5,4.0,4.2] [--instances 50] [--first-seed 1] [-- OPTIONS]

Instance s of a ratio has clauses of three different variables, each negated by a coin, from
random.Random(s).  OPTIONS go to `nln solve`.  Prints a line for each ratio: the share of instances that
the network satisfies whole, alone and of those that have an assignment; the mean share of clauses; the
conflicts of CaDiCaL without and with phases, their totals and the median of the ratios; CPU seconds.
"""

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile


def write(path, n, ratio, seed):
    random_source = random.Random(seed)
    clauses = round(n * ratio)
    with open(path, "w", encoding="ascii") as out:
        out.write(f"c random 3-SAT, seed {seed}\np cnf {n} {clauses}\n")
        for _ in range(clauses):
            chosen = random_source.sample(range(1, n + 1), 3)
            out.write(" ".join(str(v if random_source.random() < .5 else -v) for v in chosen) + " 0\n")


def solve(program, path, options):
    done = subprocess.run([program, "solve", path, "--json", *options], check=True,
                          stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def measure(program, n, ratio, seeds, options):
    with tempfile.TemporaryDirectory() as folder:
        found = []
        for seed in seeds:
            path = os.path.join(folder, f"{seed}.cnf")
            write(path, n, ratio, seed)
            found.append(solve(program, path, options))
    return found


def line(ratio, found, seconds):
    whole = [x["network"]["share"] == 1 for x in found]
    possible = sum(x["cadical"]["status"] == "SATISFIABLE" for x in found)
    plain = [x["cadical"]["conflicts"] for x in found]
    phased = [x["cadical_with_phases"]["conflicts"] for x in found]
    sat = [i for i, x in enumerate(found) if x["cadical"]["status"] == "SATISFIABLE"]
    of_sat = sum(phased[i] for i in sat) / max(1, sum(plain[i] for i in sat))
    median = statistics.median((phased[i] + 1) / (plain[i] + 1) for i in range(len(found)))
    return [f"{ratio:g}", len(found), possible, sum(whole), f"{sum(whole) / len(found):.2f}",
            f"{statistics.mean(x['network']['share'] for x in found):.4f}", sum(plain), sum(phased),
            f"{sum(phased) / max(1, sum(plain)):.2f}", f"{of_sat:.2f}", f"{median:.2f}",
            f"{seconds:.0f}"]


def main():
    own, rest = sys.argv[1:], []
    if "--" in own:
        at = own.index("--")
        own, rest = own[:at], own[at + 1:]
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--variables", type=int, default=200)
    parser.add_argument("--ratios", default="3.5,4.0,4.2")
    parser.add_argument("--instances", type=int, default=50)
    parser.add_argument("--first-seed", type=int, default=1)
    asked = parser.parse_args(own)
    seeds = range(asked.first_seed, asked.first_seed + asked.instances)
    print("ratio", "instances", "satisfiable", "solved", "share", "clauses", "conflicts", "with phases",
          "ratio of totals", "of satisfiable", "median ratio", "CPU s", sep="\t")
    for ratio in map(float, asked.ratios.split(",")):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        found = measure(asked.program, asked.variables, ratio, seeds, rest)
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        print(*line(ratio, found, seconds), sep="\t", flush=True)


if __name__ == "__main__":
    main()
