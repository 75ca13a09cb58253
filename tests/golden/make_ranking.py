#!/usr/bin/env python3
"""Golden values of the metrics, from scikit-learn and SciPy.

usage: make_ranking.py          writes ranking.h beside this file
       make_ranking.py --check  compares that file with a fresh computation

tests/test_metrics.c and tests/test_ranking.c compare the library with the file.  Without
scikit-learn the check prints SKIP and exits with 77.

scikit-learn's ndcg_score averages the gains of tied places instead of taking the gain of the
average place, so the scores of the rankings are distinct; ranks under ties are SciPy's.
"""

import random
import sys
import textwrap
from pathlib import Path

FILE = Path(__file__).resolve().parent / "ranking.h"

try:
    import numpy as np
    from scipy.stats import rankdata
    from sklearn import metrics
except ImportError as error:
    print(f"SKIP: {error}")
    sys.exit(77)

N_ANSWERS, N_USERS, N_ITEMS = 24, 8, 30
CUTS = [1, 3, 5, 10]

HEAD = f"""\
/* Golden values of the metrics, written by make_ranking.py: do not edit. */
#ifndef NLN_TESTS_GOLDEN_RANKING_H
#define NLN_TESTS_GOLDEN_RANKING_H

#include <stdint.h>

/* clang-format off */
enum {{ GOLDEN_ANSWERS = {N_ANSWERS}, GOLDEN_USERS = {N_USERS}, GOLDEN_ITEMS = {N_ITEMS} }};
#define GOLDEN_CUTS "{",".join(map(str, CUTS))}"

"""


def numbers(values):
    text = "{" + ", ".join(f"{x:.12g}" for x in np.ravel(values)) + "}"
    return "\n      ".join(textwrap.wrap(text, 92))


# ---- probabilities against labels ------------------------------------------------------


def binary_case(name, p, labels):
    """p in sixty-fourths, strictly between 0 and 1."""
    p = np.array(p) / 64
    values = [
        metrics.accuracy_score(labels, p > 0.5),
        metrics.mean_squared_error(labels, p) ** 0.5,
        metrics.log_loss(labels, p),
        metrics.roc_auc_score(labels, p),
    ]
    body = ",\n     ".join([numbers(p), numbers(labels), ", ".join(f"{x:.12g}" for x in values)])
    return f'    {{"{name}",\n     {body}}},\n'


def binary_cases():
    source = random.Random(1)
    labels = [int(source.random() < 0.4) for _ in range(N_ANSWERS)]
    informed = [min(63, max(1, round(source.gauss(26 + 12 * x, 12)))) for x in labels]
    return [
        binary_case("distinct", source.sample(range(1, 64), N_ANSWERS), labels),
        binary_case("informed", informed, labels),
        binary_case("five values", [8 * source.randint(2, 6) for _ in labels], labels),
        binary_case("constant", [20] * N_ANSWERS, labels),
        binary_case("one is true", informed, [0] * (N_ANSWERS - 1) + [1]),
    ]


# ---- rankings --------------------------------------------------------------------------


def ranks_of(score, relevant):
    return [rankdata(-row, method="average")[item] for row, item in zip(score, relevant)]


def ranking_case(name, score, relevant):
    """One relevant item for each user; scores in sixty-fourths, all different in a row."""
    truth = np.zeros_like(score)
    truth[np.arange(N_USERS), relevant] = 1
    kinds = np.arange(N_ITEMS)
    ndcg = [metrics.ndcg_score(truth, score, k=k) for k in CUTS]
    hit = [metrics.top_k_accuracy_score(relevant, score, k=k, labels=kinds) for k in CUTS]
    mrr = metrics.label_ranking_average_precision_score(truth, score)
    mean_rank = metrics.coverage_error(truth, score)
    lines = [numbers(score), numbers(relevant), numbers(ranks_of(score, relevant))]
    lines += [numbers(ndcg), numbers(hit), f"{mrr:.12g}, {mean_rank:.12g}"]
    body = ",\n     ".join(lines)
    return f'    {{"{name}",\n     {body}}},\n'


def ranking_cases():
    source = random.Random(2)
    relevant = [source.randrange(N_ITEMS) for _ in range(N_USERS)]
    score = np.array([source.sample(range(-128, 128), N_ITEMS) for _ in relevant]) / 64
    raised = score.copy()  # not by whole steps, so that the scores stay different
    raised[np.arange(N_USERS), relevant] += 1.5 + 1 / 128
    return [ranking_case("chance", score, relevant), ranking_case("informed", raised, relevant)]


def tied_case():
    """Ranks alone, among few different scores."""
    source = random.Random(3)
    relevant = [source.randrange(N_ITEMS) for _ in range(N_USERS)]
    score = np.array([[source.randint(0, 4) for _ in range(N_ITEMS)] for _ in relevant])
    lines = [numbers(score), numbers(relevant), numbers(ranks_of(score, relevant))]
    body = ",\n    ".join(lines)
    return f"    {body}\n"


# ---- the file --------------------------------------------------------------------------


def golden_text():
    n_cuts = len(CUTS)
    return (
        HEAD
        + "static const struct {\n"
        + "    const char *name;\n"
        + "    double p[GOLDEN_ANSWERS];\n"
        + "    uint8_t labels[GOLDEN_ANSWERS];\n"
        + "    double accuracy, rmse, cross_entropy, auc;\n"
        + "} golden_binary[] = {\n"
        + "".join(binary_cases())
        + "};\n\n"
        + "static const struct {\n"
        + "    const char *name;\n"
        + "    double score[GOLDEN_USERS * GOLDEN_ITEMS];\n"
        + "    int relevant[GOLDEN_USERS];\n"
        + "    double rank[GOLDEN_USERS];\n"
        + f"    double ndcg[{n_cuts}], hit[{n_cuts}];\n"
        + "    double mrr, mean_rank;\n"
        + "} golden_ranking[] = {\n"
        + "".join(ranking_cases())
        + "};\n\n"
        + "static const struct {\n"
        + "    double score[GOLDEN_USERS * GOLDEN_ITEMS];\n"
        + "    int relevant[GOLDEN_USERS];\n"
        + "    double rank[GOLDEN_USERS];\n"
        + "} golden_tied = {\n"
        + tied_case()
        + "};\n"
        + "/* clang-format on */\n\n"
        + "#endif\n"
    )


def main():
    text = golden_text()
    if sys.argv[1:] == ["--check"]:
        if text != FILE.read_text():
            sys.exit(f"{FILE.name}: the values differ; run make_ranking.py")
        print(f"{FILE.name} agrees with scikit-learn and SciPy")
    elif sys.argv[1:]:
        sys.exit("usage: make_ranking.py [--check]")
    else:
        FILE.write_text(text)


if __name__ == "__main__":
    main()
