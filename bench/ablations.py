#!/usr/bin/env python3
"""What each part of the default recipe gains: one option at a time is set to the paper's value.

    bench/ablations.py --nln build/nln --out build/ablations [--seeds 3]

Data: 2,000 variables and 5,000 expressions, as thin as the paper's larger set, fresh for each seed.
The rows are sorted by nothing: the first is the default itself.  Results are kept as in figures.py."""
import argparse, json, pathlib, sys

from figures import cell, mean_error, run

CHANGES = [
    "", "--embedding free --init-scale 0.01", "--embedding line",
    "--l2-logit 0", "--members 1", "--learning-rate-logit 0.03",
    "--beta2-logit 0.999", "--epochs 12", "--schedule constant", "--select accuracy",
    "--init-scale 0.01", "--law-sample 1", "--law-weight 0", "--law-weight 0.1",
    "--length-weight 0.0001", "--l2 1e-6", "--logit-noise 0 --predict-noise 0", "--dropout 0.2",
    "--dropout-variables 0.2", "--orders 1 --predict-noise 0", "--noise 0 --no-fit-noise",
    "--no-calibrate",
]


def one(nln, folder, change, seed):
    result = folder / ("".join(c if c.isalnum() else "-" for c in change) + "_%d.json" % seed)
    data = folder / ("data_%d" % seed)
    if result.exists():
        return json.loads(result.read_text())
    if not data.exists():
        run(nln, "generate", "logic", "--variables", "2000", "--expressions", "5000", "--seed",
            str(seed), "--out", str(data), "--json")
    out = run(nln, "train", str(data), "--out", str(folder / "model"), "--seed", str(seed),
              "--threads", "1", "--quiet", "--json", *change.split())
    result.write_text(json.dumps(out))
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--nln", default="build/nln")
    parser.add_argument("--out", default="build/ablations")
    parser.add_argument("--seeds", type=int, default=3)
    a = parser.parse_args()
    folder = pathlib.Path(a.out)
    folder.mkdir(parents=True, exist_ok=True)
    print("| change | validation accuracy | validation RMSE | test accuracy | test RMSE | seconds |")
    print("|---|---|---|---|---|---|")
    for change in CHANGES:
        rows = [one(a.nln, folder, change, s) for s in range(1, a.seeds + 1)]
        numbers = [cell([r[split][metric] for r in rows], 3)
                   for split in ("valid", "test") for metric in ("accuracy", "rmse")]
        print("| `%s` | %s | %.0f |" % (change or "default", " | ".join(numbers),
                                       mean_error([r["seconds"] for r in rows])[0]), flush=True)


if __name__ == "__main__":
    sys.exit(main())
