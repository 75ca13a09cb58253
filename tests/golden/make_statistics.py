#!/usr/bin/env python3
"""Golden values of the statistics, from SciPy.

usage: make_statistics.py          writes golden_statistics.h beside this file
       make_statistics.py --check  compares that file with a fresh computation

tests/test_statistics.c compares the library with the file.  Without SciPy the check prints SKIP
and exits with 77.
"""

import random
import sys
import textwrap
from pathlib import Path

FILE = Path(__file__).resolve().parent / "golden_statistics.h"

try:
    from scipy import stats
except ImportError as error:
    print(f"SKIP: {error}")
    sys.exit(77)

MOST = 60
DEGREES = [1, 2, 3, 4, 7, 9, 19, 38, 39, 40, 41, 99, 942, 9999, 100000, 1000000]
TS = [0.001, 0.1, 0.5, 1, 1.5, 2, 3, 5, 10, 30]

HEAD = f"""\
/* Golden values of the statistics, written by make_statistics.py: do not edit. */
#ifndef NLN_TESTS_GOLDEN_STATISTICS_H
#define NLN_TESTS_GOLDEN_STATISTICS_H

#include <stddef.h>

/* clang-format off */
enum {{ GOLDEN_MOST = {MOST} }};

"""


def numbers(values):
    text = "{" + ", ".join(f"{x:.13g}" for x in values) + "}"
    return "\n      ".join(textwrap.wrap(text, 92))


def paired_case(name, a, b):
    difference = [x - y for x, y in zip(a, b)]
    test = stats.ttest_rel(a, b)
    values = [stats.tmean(difference), stats.tstd(difference), stats.sem(difference)]
    values += [test.statistic, test.pvalue]
    body = ",\n     ".join([str(len(a)), numbers(a), numbers(b)])
    return f'    {{"{name}", {body},\n     {", ".join(f"{x:.13g}" for x in values)}}},\n'


def paired_cases():
    """Numbers in 1024ths, which 13 digits hold exactly."""
    source = random.Random(1)
    draw = lambda mean, n: [round(1024 * source.gauss(mean, 0.05)) / 1024 for _ in range(n)]
    base = draw(0.8, 10)
    return [
        paired_case("two", [0.875, 0.75], [0.75, 0.8125]),
        paired_case("five seeds", draw(0.9, 5), draw(0.8, 5)),
        paired_case("ten seeds, no difference", base, draw(0.8, 10)),
        paired_case("ten seeds, close pairs", [x + round(5 * i % 7 + 1) / 1024
                                               for i, x in enumerate(base)], base),
        paired_case("many", draw(0.50, MOST), draw(0.52, MOST)),
    ]


def student_cases():
    rows = [(t, d, 2 * stats.t.sf(t, d)) for d in DEGREES for t in TS]
    return "".join(f"    {{{t:.13g}, {d}, {p:.13g}}},\n" for t, d, p in rows)


def golden_text():
    return (
        HEAD
        + "static const struct {\n"
        + "    const char *name;\n"
        + "    size_t n;\n"
        + "    double a[GOLDEN_MOST], b[GOLDEN_MOST];\n"
        + "    double mean, deviation, error, t, p;\n"
        + "} golden_paired[] = {\n"
        + "".join(paired_cases())
        + "};\n\n"
        + "static const struct {\n"
        + "    double t, degrees, p;\n"
        + "} golden_student[] = {\n"
        + student_cases()
        + "};\n"
        + "/* clang-format on */\n\n"
        + "#endif\n"
    )


def main():
    text = golden_text()
    if sys.argv[1:] == ["--check"]:
        if text != FILE.read_text():
            sys.exit(f"{FILE.name}: the values differ; run make_statistics.py")
        print(f"{FILE.name} agrees with SciPy")
    elif sys.argv[1:]:
        sys.exit("usage: make_statistics.py [--check]")
    else:
        FILE.write_text(text)


if __name__ == "__main__":
    main()
