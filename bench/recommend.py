#!/usr/bin/env python3
"""The quality figures of recommendation in docs/results.md: mean +- standard error over seeds.

    bench/recommend.py --nln build/nln --data DIR --out build/recommend [--seeds 5] [--only NAME ...]

DIR holds ml-100k/u.data.gz, nlr-ml100k and amazon-grocery-5core.  Every run is kept as a JSON
file and never repeated, so a killed run goes on where it stopped."""
import argparse, json, math, pathlib, subprocess, sys

FIGURES = [  # name, data, training options
    ("ml100k preference default", "ml-100k/u.data.gz", ["--task", "preference", "--split", "paper"]),
    ("ml100k preference paper", "ml-100k/u.data.gz",
     ["--task", "preference", "--split", "paper", "--recipe", "paper"]),
    ("ml100k topk default", "nlr-ml100k", ["--task", "topk"]),
    ("ml100k topk default without laws", "nlr-ml100k", ["--task", "topk", "--law-weight", "0"]),
    ("ml100k topk paper", "nlr-ml100k", ["--task", "topk", "--recipe", "paper"]),
    ("grocery topk default", "amazon-grocery-5core", ["--task", "topk"]),
]


def one(nln, folder, data, options, seed, threads):
    """Trains once, or reads what is kept."""
    folder.mkdir(parents=True, exist_ok=True)
    result = folder / "result.json"
    if not result.exists():
        done = subprocess.run(
            [nln, "train", str(data), "--out", str(folder / "model.safetensors"), "--seed", str(seed),
             "--threads", str(threads), "--quiet", "--json", *options],
            check=True, stdout=subprocess.PIPE)
        json.loads(done.stdout)
        result.write_bytes(done.stdout)
    return json.loads(result.read_text())


def cell(values):
    n, mean = len(values), sum(values) / len(values)
    error = math.sqrt(sum((v - mean) ** 2 for v in values) / (n - 1) / n) if n > 1 else 0.0
    return "%.4f ± %.4f" % (mean, error)


def show(name, runs):
    columns = []
    for split in ("valid", "test"):
        found = [r[split] for r in runs]
        if "auc" in found[0]:
            columns += ["%s AUC %s" % (split, cell([f["auc"] for f in found]))]
        else:
            columns += ["%s nDCG@10 %s, HR@10 %s, full nDCG@10 %s, HR@10 %s" % (
                split, *[cell([f[k] for f in part]) for part, k in (
                    (found, "ndcg@10"), (found, "hit@10"),
                    ([f["full"] for f in found], "ndcg@10"), ([f["full"] for f in found], "hit@10"))])]
    seconds = sum(r["seconds_per_epoch"] for r in runs) / len(runs)
    epochs = sum(r["best_epoch"] for r in runs) / len(runs)
    print("| %s | %s | %.0f | %.2f |" % (name, " | ".join(columns), epochs, seconds), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--nln", default="build/nln")
    parser.add_argument("--data", required=True)
    parser.add_argument("--out", default="build/recommend")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=[])
    a = parser.parse_args()
    print("| run | validation | test | best epoch | seconds per epoch |\n|---|---|---|---|---|")
    for name, data, options in FIGURES:
        if a.only and name not in a.only:
            continue
        folder = pathlib.Path(a.out) / name.replace(" ", "-")
        show(name, [one(a.nln, folder / str(s), pathlib.Path(a.data) / data, options, s, a.threads)
                    for s in range(a.first, a.first + a.seeds)])


if __name__ == "__main__":
    sys.exit(main())
