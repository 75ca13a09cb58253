#!/usr/bin/env python3
"""Ratings from NumPy arrays beside the same rows from a file: seconds of a processor, and bytes for
each rating.

    bench/from_memory.py [LIBRARY [ROWS]]

Each way runs in a process of its own, whose peak of memory is that of the library and the arrays.
The names of users and items are counted apart: their bytes are those of ratings in which each is
once, less 17 for each of these.
"""

import ctypes
import os
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "bindings", "python"))
LIBRARY = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build", "libnln.so")
os.environ["NLN_LIBRARY"] = os.path.abspath(LIBRARY)
ROWS = int(sys.argv[2]) if len(sys.argv) > 2 else 1_700_000


def columns():
    import numpy as np
    rng = np.random.default_rng(1)
    return (rng.integers(0, 192_403, ROWS), rng.integers(0, 63_001, ROWS),
            rng.integers(1, 6, ROWS).astype("float64"),
            rng.integers(10**9, 15 * 10**8, ROWS).astype("float64"))


def write(path):
    with open(path, "w") as file:
        file.write("user\titem\trating\ttime\n")
        file.writelines("%d\t%d\t%d\t%d\n" % row for row in zip(*columns()))


def memory(what):
    """Bytes that the process has, or has had at most."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(what)) * 1024


def names():
    """The bytes that the names take, and the users' places."""
    import nln
    import numpy as np
    users, items = columns()[:2]
    users, items = np.unique(users), np.unique(items)
    n = max(len(users), len(items))
    times = np.zeros(n)
    before = nln.memory_used()
    ratings = nln.Ratings.from_arrays(np.resize(users, n), np.resize(items, n), times, times,
                                      split="none")
    return nln.memory_used() - before - 17 * len(ratings)


def measure(way, path):
    import nln
    arrays = columns() if way == "arrays" else None
    nln.Ratings.from_arrays([1], [1])  # the library is loaded
    ctypes.CDLL(None).malloc_trim(0)  # what the columns left behind is not to be used again
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # the peak is that of now
    before = memory("VmRSS")
    start = time.process_time()
    ratings = nln.Ratings.from_arrays(*arrays) if arrays else nln.Ratings.read(path)
    seconds = time.process_time() - start
    peak = memory("VmHWM") - before
    held, apart = nln.memory_used(), names()
    print(f"{way:7} {seconds:6.2f} s, {len(ratings)} ratings, {len(ratings.users)} users; "
          f"{(held - apart) / len(ratings):.2f} bytes a rating and {apart / 1e6:.1f} MB of names, "
          f"at most {peak / len(ratings):.1f} bytes a rating while they were made, names included")


if len(sys.argv) > 4:
    if sys.argv[3] == "write":
        write(sys.argv[4])
    else:
        measure(sys.argv[3], sys.argv[4])
else:
    with tempfile.TemporaryDirectory() as folder:
        for step in ("write", *("file", "arrays") * 3):
            subprocess.run([sys.executable, __file__, LIBRARY, str(ROWS), step,
                            os.path.join(folder, "ratings.tsv")], check=True)
