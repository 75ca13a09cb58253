#!/usr/bin/env python3
"""The network beside its rivals, as docs/results.md reports it.

    bench/rivals.py --nln build/nln --data DIR --out build/rivals [--seeds 5] [--only NAME ...]

DIR holds ml-100k/u.data.gz, nlr-ml100k and amazon-grocery-5core.  Each row is a call of `nln
compare`, whose folder is kept and gone on with, so a killed run loses nothing.

    topk        ML-100k, the published split
    preference  ML-100k, the paper's split
    shuffled    the ratings of ML-100k without times, in three random orders: order means nothing;
                also EASE with the best prior of its grid on the validation set of each
    grocery     Amazon Grocery, each liked item among 99 others, cut 5, without and with facts
    few         ML-100k with 5 % and 20 % of the training rows, with and without the laws"""
import argparse, gzip, json, math, pathlib, random, statistics, subprocess

SHUFFLES = (11, 12, 13)
EASE_GRID = (50, 100, 200, 500, 1000, 2000)
SHARES = (0.05, 0.2)
GROCERY = ["--negatives", "99", "--cuts", "5", "--json"]


def call(nln, *words):
    done = subprocess.run([nln, *map(str, words)], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def compare(args, name, data, *options, rivals="auto", seeds=1):
    out = args.out / name
    found = call(args.nln, "compare", data, "--out", out, "--resume", "--json", "--quiet", "--threads",
                 args.threads, "--seeds", seeds, "--rivals", rivals, *options)
    print(f"== {name}: {data}")
    keys = [k for k, v in found["models"][0].items() if isinstance(v, dict)]
    print("model\t" + "\t".join(f"{k}\tp" for k in keys) + "\tseconds\tMB")
    for row in found["models"]:
        cells = [c for k in keys for c in (f"{row[k]['mean']:.4f}",
                                           f"{row[k]['p']:.2g}" if row[k].get("p") is not None else "-")]
        print("\t".join([row["model"], *cells, f"{row['seconds']:.1f}",
                         f"{row['peak_rss_bytes'] / 1e6:.0f}"]))
    print(found["conclusion"], flush=True)
    return found


def lines_of(path):
    opener = gzip.open if str(path).endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        return file.read().splitlines()


def topk(args):
    compare(args, "topk", args.data / "nlr-ml100k", "--task", "topk", seeds=args.seeds)


def preference(args):
    compare(args, "preference", args.data / "ml-100k/u.data.gz", "--task", "preference", "--split",
            "paper", seeds=args.seeds)


def ranks(path, column):
    head, *rows = [line.split("\t") for line in lines_of(path)]
    return {row[0]: float(row[head.index(column)]) for row in rows}


def tell_paired(title, pairs):
    """Means and the paired t-test of many pairs, whose distribution is normal for so many."""
    gaps = [x - y for x, y in pairs]
    t = statistics.mean(gaps) / (statistics.stdev(gaps) / math.sqrt(len(gaps)))
    print(f"{title}: {statistics.mean(x for x, _ in pairs):.4f} against "
          f"{statistics.mean(y for _, y in pairs):.4f}, {len(gaps)} users, "
          f"p = {math.erfc(abs(t) / math.sqrt(2)):.2g}", flush=True)


def tuned_ease(args, data, name):
    """The ranks of EASE with the prior that has the best full nDCG@10 on validation."""
    found = []
    for l2 in EASE_GRID:
        out = args.out / f"{name}-ease-{l2}.tsv"
        run = call(args.nln, "train", data, "--task", "topk", "--split", "nlr", "--model", "ease",
                   "--l2", l2, "--threads", args.threads, "--per-user", out, "--out", "/dev/null",
                   "--json", "--quiet")
        found.append((run["valid"]["full"]["ndcg@10"], l2, out))
    best = max(found)
    print(f"== {name}: EASE is best on validation with --l2 {best[1]}")
    return best[2]


def shuffled(args):
    rows = ["\t".join(line.split("\t")[:3]) for line in lines_of(args.data / "ml-100k/u.data.gz")]
    columns = ("ndcg@10_full", "hit@10_full")
    pairs = {column: [] for column in columns}
    for seed in SHUFFLES:
        mixed, name = rows[:], f"shuffled-{seed}"
        random.Random(seed).shuffle(mixed)
        path = args.out / f"{name}.tsv"
        path.write_text("\n".join(mixed) + "\n")
        compare(args, name, path, "--task", "topk", "--split", "nlr",
                rivals="popularity,itemknn,ease,svdpp-last")
        ease = tuned_ease(args, path, name)
        for column in columns:
            own = ranks(args.out / name / "nln/seed-1/ranks.tsv", column)
            other = ranks(ease, column)
            pairs[column] += [(own[user], other[user]) for user in own]
    for column in columns:
        tell_paired(f"== all shuffles, {column}, nln against EASE tuned on each", pairs[column])


def grocery(args):
    data = args.data / "amazon-grocery-5core"
    for facts in ((), ("--facts", data / "item_meta.csv.gz")):
        for seed in range(1, args.seeds + 1):
            model = args.out / f"grocery-{'facts-' if facts else ''}{seed}.model"
            if not model.exists():
                call(args.nln, "train", data, "--task", "topk", "--seed", seed, "--threads",
                     args.threads, "--out", model, "--json", "--quiet", *facts)
            found = call(args.nln, "evaluate", model, data, *GROCERY)["network"]
            print(f"== {model.stem}: HR@5 {found['hit@5']:.4f}, NDCG@5 {found['ndcg@5']:.4f}; "
                  f"full nDCG@5 {found['full']['ndcg@5']:.4f}", flush=True)


def thin(source, out, share):
    """The published split with a share of its training rows, the same for every model."""
    out.mkdir(parents=True, exist_ok=True)
    for name in ("train", "validation", "test"):
        head, *rows = lines_of(source / f"{name}.csv.gz")
        if name == "train":
            rows = random.Random(1).sample(rows, round(share * len(rows)))
        (out / f"{name}.csv").write_text("\n".join([head, *rows]) + "\n")


def few(args):
    for share in SHARES:
        data = args.out / f"few-{share:g}"
        thin(args.data / "nlr-ml100k", data, share)
        for laws in ("0", "0.01"):
            compare(args, f"few-{share:g}-laws-{laws}", data, "--task", "topk", "--law-weight", laws,
                    rivals="popularity,itemknn,ease,svdpp-last", seeds=args.seeds)


ROWS = {f.__name__: f for f in (topk, preference, shuffled, grocery, few)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--nln", default="build/nln")
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", nargs="*", choices=ROWS, default=list(ROWS))
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    for name in args.only:
        ROWS[name](args)


if __name__ == "__main__":
    main()
