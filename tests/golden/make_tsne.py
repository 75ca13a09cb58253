#!/usr/bin/env python3
"""Golden values of t-SNE, from scikit-learn.

usage: make_tsne.py          writes tsne.h beside this file
       make_tsne.py --check  compares that file with a fresh computation

tests/unit/plane/test_tsne.c, test_tsne_gradient.c and test_trustworthiness.c compare the library with the
file.  Without scikit-learn the check prints SKIP and exits with 77.

What a descent ends with depends on the last bits of the machine, so the check lets these values
differ by what the test lets them differ.  The others must agree.
"""

import os
import random
import re
import sys
import textwrap
import warnings
from pathlib import Path

FILE = Path(__file__).resolve().parent / "tsne.h"
os.environ["OMP_NUM_THREADS"] = "1"  # more would only wait for each other on so little

try:
    import numpy as np
    from scipy.spatial.distance import squareform
    from sklearn.manifold import TSNE, trustworthiness
    from sklearn.manifold._t_sne import _joint_probabilities
    from sklearn.metrics import pairwise_distances
except ImportError as error:
    print(f"SKIP: {error}")
    sys.exit(77)

N_POINTS, DIMENSION, N_CLUSTERS, PERPLEXITY = 240, 6, 4, 20
DESCENDED = {"exact_kl": 0.03, "exact_trust": 0.01, "cells_kl": 0.03, "cells_trust": 0.01}

HEAD = f"""\
/* Golden values of t-SNE, written by make_tsne.py: do not edit. */
#ifndef NLN_TESTS_GOLDEN_TSNE_H
#define NLN_TESTS_GOLDEN_TSNE_H

#include <stdint.h>

/* clang-format off */
enum {{ GOLDEN_POINTS = {N_POINTS}, GOLDEN_DIMENSION = {DIMENSION}, GOLDEN_PERPLEXITY = {PERPLEXITY} }};

"""


def clusters():
    """Whole numbers, so that every language reads the same points."""
    source = random.Random(1)
    centre = [[source.gauss(0, 400) for _ in range(DIMENSION)] for _ in range(N_CLUSTERS)]
    rows = [[source.gauss(x, 200) for x in centre[i % N_CLUSTERS]] for i in range(N_POINTS)]
    return np.array(rows).round().astype(int)


def divergence(points, plane):
    """KL(p, q) of a plane, by the definition, with scikit-learn's p."""
    p = squareform(_joint_probabilities(pairwise_distances(points, squared=True), PERPLEXITY, 0))
    q = 1 / (1 + pairwise_distances(plane, squared=True))
    np.fill_diagonal(q, 0)
    q /= q.sum()
    off = ~np.eye(len(points), dtype=bool)
    return float((p[off] * np.log(p[off] / q[off])).sum())


def descend(points, method):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tsne = TSNE(perplexity=PERPLEXITY, init="pca", learning_rate="auto", method=method,
                    random_state=1)
        plane = tsne.fit_transform(points)
    return float(tsne.kl_divergence_), float(trustworthiness(points, plane))


def golden_values():
    points = clusters().astype(np.float64)
    plane = points[:, :2] / 64  # any plane will do
    values = {"plane_kl": divergence(points, plane), "plane_trust": trustworthiness(points, plane)}
    values["exact_kl"], values["exact_trust"] = descend(points, "exact")
    values["cells_kl"], values["cells_trust"] = descend(points, "barnes_hut")
    return values


def golden_text(values):
    numbers = "\n    ".join(textwrap.wrap(", ".join(map(str, np.ravel(clusters()))), 92))
    lines = [f"static const double golden_{name} = {x:.9g};" for name, x in values.items()]
    return (
        HEAD
        + "static const int16_t golden_point[GOLDEN_POINTS * GOLDEN_DIMENSION] = {\n    "
        + f"{numbers}\n}};\n\n"
        + "/* Of the first two coordinates / 64 as a plane. */\n"
        + "\n".join(lines[:2])
        + "\n\n/* Of a plane by descent, over all pairs and over cells. */\n"
        + "\n".join(lines[2:])
        + "\n/* clang-format on */\n\n#endif\n"
    )


def check(values):
    text = FILE.read_text()
    numbers = re.search(r"golden_point\[.*?= \{(.*?)\}", text, re.S).group(1)
    if [int(x) for x in numbers.split(",")] != list(map(int, np.ravel(clusters()))):
        sys.exit(f"{FILE.name}: the points differ; run make_tsne.py")
    for name, value in values.items():
        old = float(re.search(rf"golden_{name} = (.*);", text).group(1))
        if abs(old - value) > DESCENDED.get(name, 1e-6) * abs(value):
            sys.exit(f"{FILE.name}: {name} is {old}, not {value}; run make_tsne.py")
    print(f"{FILE.name} agrees with scikit-learn")


def main():
    if sys.argv[1:] == ["--check"]:
        check(golden_values())
    elif sys.argv[1:]:
        sys.exit("usage: make_tsne.py [--check]")
    else:
        FILE.write_text(golden_text(golden_values()))


if __name__ == "__main__":
    main()
