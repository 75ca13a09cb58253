#!/usr/bin/env python3
"""The network beside its rivals, as docs/results.md reports it.

    bench/rivals.py --nln build/nln --data DIR --out build/rivals [--seeds 5] [--only NAME ...]

DIR holds ml-100k/u.data.gz, nlr-ml100k and amazon-grocery-5core.  Each row is a call of `nln
compare`, whose folder is kept and gone on with, so a killed run loses nothing.

    topk        ML-100k, the published split
    preference  ML-100k, the paper's split
    shuffled    the ratings of ML-100k without times, in three random orders: order means nothing
    grocery     Amazon Grocery, each liked item among 99 others, cut 5
    few         ML-100k with 5 % and 20 % of the training rows, with and without the laws"""
import argparse, gzip, json, pathlib, random, subprocess

SHUFFLES = 3
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


def shuffled(args):
    rows = ["\t".join(line.split("\t")[:3]) for line in lines_of(args.data / "ml-100k/u.data.gz")]
    for seed in range(1, SHUFFLES + 1):
        mixed = rows[:]
        random.Random(seed).shuffle(mixed)
        path = args.out / f"shuffled-{seed}.tsv"
        path.write_text("\n".join(mixed) + "\n")
        compare(args, f"shuffled-{seed}", path, "--task", "topk", "--split", "nlr",
                rivals="popularity,itemknn,ease,svdpp-last")


def grocery(args):
    data = args.data / "amazon-grocery-5core"
    for seed in range(1, args.seeds + 1):
        model = args.out / f"grocery-{seed}.model"
        if not model.exists():
            call(args.nln, "train", data, "--task", "topk", "--seed", seed, "--threads", args.threads,
                 "--out", model, "--json", "--quiet")
        found = call(args.nln, "evaluate", model, data, *GROCERY)["network"]
        print(f"== grocery, seed {seed}: HR@5 {found['hit@5']:.4f}, NDCG@5 {found['ndcg@5']:.4f}; "
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
