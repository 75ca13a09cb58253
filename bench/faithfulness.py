#!/usr/bin/env python3
"""Do the reasons hold?  How far an item falls when its top three reasons are taken out of the history,
against three others.

    PYTHONPATH=bindings/python NLN_LIBRARY=build/libnln.so bench/faithfulness.py MODEL... [--users 943]

A MODEL of --task topk that keeps its users.  Of each user the last 20 interactions are the history; the
item is the one in the given place of the list.  Needs numpy."""
import argparse, random, statistics, time

import nln
import numpy as np


def rank(scores, item, seen):
    """The place of an item among all that are not in the history."""
    scores = scores.copy()
    scores[seen] = -np.inf
    return 1 + int((scores > scores[item]).sum())


def falls(model, names, place, length, seed):
    """For each user how far the item falls, without its top reasons and without three others."""
    scorer, at, chance = model.scorer(), {n: i for i, n in enumerate(model.variables)}, random.Random(seed)
    top, others, seconds = [], [], 0
    for name in names:
        history = [(x.item, bool(x.liked)) for x in model.history(name)][-length:]
        if len(history) < 6:
            continue
        item = scorer.recommend(history, k=place)[-1].item
        start = time.perf_counter()
        reasons = scorer.explain(item, history).reasons
        seconds += time.perf_counter() - start
        order = sorted(range(len(history)), key=lambda i: -reasons[i].contribution)
        seen = [at[x[0]] for x in history]
        for out, fall in ((order[:3], top), (chance.sample(order[3:], 3), others)):
            rest = [x for i, x in enumerate(history) if i not in out]
            fall.append(rank(scorer.scores(rest), at[item], seen) - place)
    return top, others, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", nargs="+", metavar="MODEL")
    parser.add_argument("--users", type=int, default=943, help="users named 1 to N")
    parser.add_argument("--length", type=int, default=20, help="interactions of a history")
    args = parser.parse_args()
    print("| model | place | users | median fall, top three | three others | mean fall, top three "
          "| three others | ms for one item |")
    print("|---|---|---|---|---|---|---|---|")
    for path in args.models:
        model = nln.Model.load(path)
        for place in (1, 10):
            top, others, seconds = falls(model, [str(u + 1) for u in range(args.users)], place,
                                         args.length, 1)
            print("| %s | %d | %d | %g | %g | %.1f | %.1f | %.1f |" % (
                path, place, len(top), statistics.median(top), statistics.median(others),
                statistics.mean(top), statistics.mean(others), 1000 * seconds / len(top)))


if __name__ == "__main__":
    main()
