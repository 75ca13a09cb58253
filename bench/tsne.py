#!/usr/bin/env python3
"""t-SNE of `nln plot tsne` beside that of scikit-learn: time and quality on the same vectors.

    bench/tsne.py --nln build/nln --out build/tsne [--points 2000 20000] [--threads 2]

The vectors are those of a briefly trained model with so many variables, read from its file.
scikit-learn takes some minutes for 20,000 points; without it our own rows are shown alone.
Trustworthiness of scikit-learn's plane needs a square matrix and is left out above 5,000 points."""
import argparse, json, pathlib, struct, subprocess, sys, time


def run(nln, *words):
    done = subprocess.run([nln, *map(str, words)], check=True, stdout=subprocess.PIPE)
    return done.stdout


def make_model(nln, folder, n):
    """A model of n variables with one free vector of 64 numbers for each."""
    folder.mkdir(parents=True, exist_ok=True)
    model = folder / f"{n}.safetensors"
    if not model.exists():
        run(nln, "generate", "logic", "--variables", n, "--expressions", 5 * n, "--out",
            folder / f"{n}")
        run(nln, "train", folder / f"{n}", "--out", model, "--embedding", "free", "--members", 1,
            "--dimension", 64, "--epochs", 3, "--quiet")
    return model


def read_vectors(path):
    import numpy as np

    content = path.read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    about = json.loads(content[8 : 8 + length])["variables.vector"]
    first, last = about["data_offsets"]
    block = content[8 + length + first : 8 + length + last]
    return np.frombuffer(block, dtype="<f4").reshape(about["shape"])


def ours(nln, model, folder, threads, exact_up_to):
    out = run(nln, "plot", "tsne", model, "--out", folder / model.stem, "--threads", threads,
              "--exact-up-to", exact_up_to, "--quiet", "--json")
    found = json.loads(out)
    return found["seconds"], found["kl"], found["trustworthiness"], found["iterations"]


def theirs(points, threads, method):
    from sklearn.manifold import TSNE, trustworthiness

    begin = time.time()
    tsne = TSNE(init="pca", learning_rate="auto", method=method, random_state=1, n_jobs=threads)
    plane = tsne.fit_transform(points)
    seconds = time.time() - begin
    trust = trustworthiness(points, plane) if len(points) <= 5000 else None
    return seconds, tsne.kl_divergence_, trust, tsne.n_iter_ + 1


def show(n, name, row):
    seconds, kl, trust, steps = row
    trust = "-" if trust is None else "%.4f" % trust
    print("| %d | %s | %.1f | %.4f | %s | %d |" % (n, name, seconds, kl, trust, steps), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--nln", default="build/nln")
    parser.add_argument("--out", default="build/tsne")
    parser.add_argument("--points", type=int, nargs="*", default=[2000, 20000])
    parser.add_argument("--threads", type=int, default=2)
    a = parser.parse_args()
    folder = pathlib.Path(a.out)
    print("| points | program | seconds | KL | trustworthiness | steps |\n|---|---|---|---|---|---|")
    for n in a.points:
        model = make_model(a.nln, folder, n)
        methods = [("all pairs", "exact", n)] if n <= 2000 else []
        methods += [("Barnes-Hut", "barnes_hut", 0)]
        for name, method, exact_up_to in methods:
            show(n, "nln, " + name, ours(a.nln, model, folder, a.threads, exact_up_to))
            try:
                row = theirs(read_vectors(model), a.threads, method)
            except ImportError as error:
                print(f"without scikit-learn: {error}", file=sys.stderr)
                continue
            show(n, "scikit-learn, " + name, row)


if __name__ == "__main__":
    sys.exit(main())
