#!/usr/bin/env python3
"""What an epoch of --task link costs a triple, in CPU microseconds, on generated graphs.

bench/link_scale.py PROGRAM [--triples 10000,100000,1000000] [-- OPTIONS]

Trains for one epoch and for three on the same graph (`nln generate facts --kind graph`), without validation
and rules; half the difference of the user times is an epoch.  Entities grow with the triples (1,135 at
10,000), so as many compete in each batch at every size (--negatives); with all entities the cost of a triple
would grow with them.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile

OPTIONS = ["--task", "link", "--negatives", "1000", "--no-link-rules", "--holdout", "0", "--threads", "1",
           "--dimension", "64", "--batch", "250", "--quiet"]


def cpu(*command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def main():
    own, rest = sys.argv[1:], []
    if "--" in own:
        at = own.index("--")
        own, rest = own[:at], own[at + 1:]
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--triples", default="10000,100000,1000000")
    asked = parser.parse_args(own)
    print("triples", "CPU s an epoch", "microseconds a triple", "over the first", sep="\t")
    first = None
    with tempfile.TemporaryDirectory() as folder:
        file, model = os.path.join(folder, "facts.tsv"), os.path.join(folder, "model")
        for n in map(int, asked.triples.split(",")):
            cpu(asked.program, "generate", "facts", "--kind", "graph", "--triples", str(n), "--out", file)
            repeats = max(1, 100000 // n)  # short runs are repeated
            one, three = (sum(cpu(asked.program, "train", file, *OPTIONS, *rest, "--epochs", str(epochs),
                                  "--out", model) for _ in range(repeats)) / repeats
                          for epochs in (1, 3))
            epoch = (three - one) / 2
            first = first or epoch / n
            print(n, f"{epoch:.2f}", f"{epoch / n * 1e6:.1f}", f"{epoch / n / first:.2f}", sep="\t",
                  flush=True)


if __name__ == "__main__":
    main()
