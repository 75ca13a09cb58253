#!/usr/bin/env python3
"""The quality figures of docs/results.md: data sizes x recipes x seeds, mean +- standard error.

    bench/figures.py --nln build/nln --out build/figures [--seeds 5] [--only NAME ...]

Every run is kept as a JSON file and never repeated, so a killed run goes on where it
stopped.  Data are fresh for each seed: the seed generates the data and trains the network."""
import argparse, json, math, pathlib, subprocess, sys

SMALL = ["--variables", "1000", "--expressions", "5000"]
LARGE = ["--variables", "20000", "--expressions", "50000"]
FIGURES = [  # name, data, training options
    ("1k/5k default", SMALL, []),
    ("1k/5k default, 5 % noise", SMALL + ["--noise", "0.05"], []),
    ("1k/5k default without laws", SMALL, ["--law-weight", "0"]),
    ("1k/5k paper", SMALL, ["--recipe", "paper"]),
    ("1k/5k paper without laws", SMALL, ["--recipe", "paper", "--law-weight", "0"]),
    ("20k/50k default", LARGE, []),
    ("20k/50k default without laws", LARGE, ["--law-weight", "0"]),
    ("20k/50k paper", LARGE, ["--recipe", "paper"]),
    ("20k/50k paper without laws", LARGE, ["--recipe", "paper", "--law-weight", "0"]),
]


def run(*command):
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def one(nln, folder, data_options, train_options, seed, threads):
    """Generates, trains, solves and compares with exact reasoning once; or reads what is kept."""
    folder.mkdir(parents=True, exist_ok=True)
    result = folder / "result.json"
    if result.exists():
        return json.loads(result.read_text())
    data, model, s = str(folder / "data"), str(folder / "model.safetensors"), str(seed)
    run(nln, "generate", "logic", *data_options, "--seed", s, "--out", data, "--json")
    out = {"train": run(nln, "train", data, "--out", model, "--seed", s, "--threads", str(threads),
                        "--quiet", "--json", *train_options),
           "solve": run(nln, "solve", model, "--truth", data, "--json")["recovered"],
           "exact": run(nln, "evaluate", model, data, "--exact", "--json")["posterior"]}
    result.write_text(json.dumps(out))
    return out


def mean_error(values):
    n = len(values)
    mean = sum(values) / n
    if n < 2:
        return mean, 0.0
    return mean, math.sqrt(sum((v - mean) ** 2 for v in values) / (n - 1) / n)


def cell(values, digits=4):
    return "%.*f ± %.*f" % (digits, mean_error(values)[0], digits, mean_error(values)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--nln", default="build/nln")
    parser.add_argument("--out", default="build/figures")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=[])
    a = parser.parse_args()
    print("| run | accuracy | RMSE | recovered | posterior: accuracy, RMSE | epochs | seconds |")
    print("|---|---|---|---|---|---|---|")
    for name, data, options in FIGURES:
        if a.only and name not in a.only:
            continue
        folder = pathlib.Path(a.out) / "".join(c if c.isalnum() else "-" for c in name)
        rows = [one(a.nln, folder / str(s), data, options, s, a.threads)
                for s in range(1, a.seeds + 1)]
        test = [r["train"]["test"] for r in rows]
        print("| %s | %s | %s | %s | %.4f, %.4f | %.0f | %.1f |" % (
            name, cell([t["accuracy"] for t in test]), cell([t["rmse"] for t in test]),
            cell([r["solve"] for r in rows]),
            mean_error([r["exact"]["accuracy"] for r in rows])[0],
            mean_error([r["exact"]["rmse"] for r in rows])[0],
            mean_error([r["train"]["best_epoch"] for r in rows])[0],
            mean_error([r["train"]["seconds"] for r in rows])[0]), flush=True)


if __name__ == "__main__":
    sys.exit(main())
