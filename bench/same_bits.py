#!/usr/bin/env python3
"""Compares what two builds of nln learn, bit by bit: same_bits.py BEFORE AFTER

Trains every method on small generated data, for each task and recipe, and the published sets too
where NLN_DATA names their folder.  Prints one line for each training and fails if a tensor differs
in a single bit, or a metric of the report in a single digit.
"""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

LOGIC = [
    ("nln", ["--epochs", "3"]),
    ("nln paper", ["--recipe", "paper", "--epochs", "2"]),
    ("nln fast", ["--recipe", "fast", "--epochs", "2"]),
    ("nln two networks, cnf", ["--networks", "2", "--normal-form", "cnf", "--epochs", "1"]),
    ("nln free vectors, fold", ["--embedding", "free", "--association", "fold", "--epochs", "1"]),
    ("birnn", ["--model", "birnn", "--epochs", "1"]),
    ("bilstm", ["--model", "bilstm", "--epochs", "1"]),
    ("marginals", ["--model", "marginals", "--epochs", "3"]),
]
RATINGS = [
    ("nln", ["--epochs", "2"]),
    ("nln paper", ["--recipe", "paper", "--epochs", "1"]),
    ("biasedmf", ["--model", "biasedmf", "--epochs", "2"]),
    ("svdpp", ["--model", "svdpp", "--epochs", "2"]),
    ("ncf", ["--model", "ncf", "--epochs", "1"]),
]
TOPK = [
    ("pairs of probabilities", ["--loss", "pairwise-probability", "--negatives", "2",
                                "--epochs", "1"]),
    ("gru", ["--model", "gru", "--epochs", "1"]),
    ("ease", ["--model", "ease"]),
    ("popularity", ["--model", "popularity"]),
]
PUBLISHED = [
    ("1k/3k", "nlr-logic", ["--epochs", "2"]),
    ("1k/3k paper", "nlr-logic", ["--recipe", "paper", "--epochs", "1"]),
    ("ML-100k topk", "nlr-ml100k", ["--task", "topk", "--epochs", "1"]),
    ("ML-100k preference", "nlr-ml100k", ["--task", "preference", "--epochs", "1"]),
    ("ML-100k GRU", "nlr-ml100k", ["--task", "topk", "--model", "gru", "--epochs", "1"]),
    ("ML-100k SVD++", "nlr-ml100k", ["--task", "topk", "--model", "svdpp", "--epochs", "1"]),
]


def tensors(path):
    """The bytes of each tensor of a safetensors file."""
    content = pathlib.Path(path).read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header, body = json.loads(content[8:8 + length]), content[8 + length:]
    header.pop("__metadata__", None)
    return {name: body[slice(*info["data_offsets"])] for name, info in header.items()}


def train(program, folder, data, options):
    model = os.path.join(folder, "model.safetensors")
    done = subprocess.run([program, "train", data, *options, "--out", model, "--json"],
                          capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"same_bits: {program} train {data} {' '.join(options)}: {done.stderr}")
    report = json.loads(done.stdout)
    metrics = {split: report[split] for split in ("train", "valid", "test") if split in report}
    return tensors(model), metrics


def generate(program, folder):
    logic, ratings = os.path.join(folder, "logic"), os.path.join(folder, "ratings.tsv")
    for command in (["generate", "logic", "--variables", "200", "--expressions", "1500", "--out", logic],
                    ["generate", "ratings", "--users", "200", "--items", "150", "--ratings", "8000",
                     "--out", ratings]):
        subprocess.run([program, *command], check=True, capture_output=True)
    runs = [("logic " + name, logic, options) for name, options in LOGIC]
    for task in ("topk", "preference"):
        rows = RATINGS + (TOPK if task == "topk" else [])
        runs += [(f"{task} {name}", ratings, ["--task", task, *options]) for name, options in rows]
    published = os.environ.get("NLN_DATA")
    if published:
        runs += [(name, os.path.join(published, data), options) for name, data, options in PUBLISHED]
    else:
        print("SKIPPED: the published sets, since NLN_DATA is not set")
    return runs


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: same_bits.py BEFORE AFTER")
    n_different = 0
    with tempfile.TemporaryDirectory() as folder:
        runs = generate(sys.argv[1], folder)
        for name, data, options in runs:
            before, after = (train(program, folder, data, options) for program in sys.argv[1:])
            changed = [key for key in {**before[0], **after[0]}
                       if before[0].get(key) != after[0].get(key)]
            if before[1] != after[1]:
                changed.append("the metrics of the report")
            n_different += bool(changed)
            print(f"{name}: {'DIFFERENT in ' + ', '.join(sorted(changed)) if changed else 'same'}",
                  flush=True)
    print(f"{len(runs) - n_different} of {len(runs)} trainings have the same bits")
    sys.exit(n_different > 0)


if __name__ == "__main__":
    main()
