#!/usr/bin/env python3
"""How many labels `nln query` needs for an accuracy, beside random ones.

    bench/query.py build/nln [--seeds 5] [--from 1] [--variables 1000] [--goal 0.95]

For each seed: a pool of unlabelled expressions and a test set.  Both ways begin with the same
random labels.  In each round a network is trained on what is labelled (a tenth of it is
validation and counts as labelled), measured on the test set, and then gets the next labels: at
random, or as `nln query` chooses.  The number of labels at which the accuracy reaches the goal is
interpolated between rounds.  One line of TSV for each round, and the ratios at the end.
"""
import argparse
import json
import pathlib
import random
import subprocess
import tempfile


def run(*words):
    return subprocess.run([str(w) for w in words], check=True, capture_output=True, text=True).stdout


def lines_of(folder, part):
    return [line.split("\t") for line in (folder / f"{part}.tsv").read_text().splitlines()]


def measure(nln, work, labelled, test, seed, options):
    """The accuracy on the test set of a model that learned from what is labelled."""
    (work / "labelled.tsv").write_text("".join(f"{e}\t{t}\n" for e, t in labelled))
    run(nln, "train", work / "labelled.tsv", "--seed", seed, "--quiet", "--out", work / "model",
        "--threads", 1, *options)
    (work / "test.tsv").write_text("".join(f"{e}\t{t}\n" for e, t in test))
    out = json.loads(run(nln, "evaluate", work / "model", work / "test.tsv", "--json", "--threads", 1))
    return out["network"]["accuracy"]


def choose(nln, work, pool, n, by):
    """Indices of the next n of the pool."""
    (work / "pool.txt").write_text("".join(e + "\n" for e, _ in pool))
    out = json.loads(run(nln, "query", work / "model", work / "pool.txt", "-k", n, "--by", by,
                         "--json"))
    return [row["line"] - 1 for row in out["queries"]]


def known(pool, labelled):
    """Variables that no label is about yet are unknown to the model: the pool without them."""
    import re
    names = {v for e, _ in labelled for v in re.findall(r"v\d+", e)}
    return [i for i, (e, _) in enumerate(pool) if set(re.findall(r"v\d+", e)) <= names]


def curve(args, seed, way, folder, work):
    dice = random.Random(seed)
    pool, test = lines_of(folder, "train"), lines_of(folder, "test")
    dice.shuffle(pool)
    labelled, pool = pool[:args.first], pool[args.first:]
    points = []
    while True:
        accuracy = measure(args.nln, work, labelled, test, seed, args.option)
        points.append((len(labelled), accuracy))
        print(f"{seed}\t{way}\t{len(labelled)}\t{accuracy:.4f}", flush=True)
        if accuracy >= args.goal or len(labelled) + args.step > args.most:
            return points
        if way == "random":
            chosen = list(range(args.step))
        else:
            usable = known(pool, labelled)
            chosen = [usable[i] for i in choose(args.nln, work, [pool[i] for i in usable],
                                                args.step, way)]
        taken = set(chosen)
        labelled += [pool[i] for i in chosen]
        pool = [row for i, row in enumerate(pool) if i not in taken]


def labels_at(points, goal):
    for (a, x), (b, y) in zip(points, points[1:]):
        if x < goal <= y:
            return a + (b - a) * (goal - x) / (y - x)
    return points[0][0] if points[0][1] >= goal else float("nan")


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("nln")
    p.add_argument("--seeds", type=int, default=5)
    p.add_argument("--from", type=int, default=1, dest="first_seed")
    p.add_argument("--variables", type=int, default=1000)
    p.add_argument("--pool", type=int, default=10000)
    p.add_argument("--first", type=int, default=1000)
    p.add_argument("--step", type=int, default=250)
    p.add_argument("--most", type=int, default=5000)
    p.add_argument("--goal", type=float, default=0.95)
    p.add_argument("--by", default="variables")
    p.add_argument("--option", action="append", default=[], help="an option of train, as --option=--epochs=50")
    args = p.parse_args()
    ratios = []
    print("seed\tway\tlabels\taccuracy")
    for seed in range(args.first_seed, args.first_seed + args.seeds):
        with tempfile.TemporaryDirectory() as work:
            work = pathlib.Path(work)
            run(args.nln, "generate", "logic", "--variables", args.variables, "--expressions",
                args.pool * 10 // 8, "--seed", seed, "--out", work / "data")
            need = {way: labels_at(curve(args, seed, way, work / "data", work), args.goal)
                    for way in ("random", args.by)}
        ratios.append(need[args.by] / need["random"])
        print(f"# seed {seed}: random {need['random']:.0f}, {args.by} {need[args.by]:.0f}, "
              f"ratio {ratios[-1]:.3f}", flush=True)
    print(f"# mean ratio {sum(ratios) / len(ratios):.3f}")


if __name__ == "__main__":
    main()
