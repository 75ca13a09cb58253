#!/usr/bin/env python3
"""Seconds an epoch of the baselines of `nln train --model X` beside PyTorch's same models.

    bench/baselines.py [--nln build/nln] [--data DIR] [--only NAME ...] [--passes 5]

One thread each, the same data, sizes, batches, losses, dropout and Adam; no clipping and no L2
on either side.  DIR holds nlr-ml100k; without it only the models of logic are measured.  The
two sides take turns, and the table has the median of the passes.  Validation is not in the
seconds, drawing batches and negatives is.

PyTorch's side (baseline_models.py) is meant to be as fast as PyTorch can be made with its own
gradients.  Texts and histories are numbers before the clock starts; batches are sorted by length
and packed before words become vectors, so that no padding is computed; what does not depend on
the candidate is computed once for a liked item and the one it is paired with; nothing is masked
that can be added; denormal numbers are flushed to zero, as in nln.  Where there are several ways
(see ADAMS, Steps and Svdpp) all are tried on some batches first, and the fastest is measured.
"""

import argparse
import csv
import gzip
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from torch_twin import set_threads  # before torch: it names the kernel to OpenBLAS

import torch  # noqa: E402
from torch import nn  # noqa: E402

from baseline_models import DIMENSION, BiasedMf, Gru, Layer, Ncf, Steps, Svdpp, Text  # noqa: E402

BATCH, RATE, EPOCHS = 128, 0.001, 4
TRIAL_BATCHES, TRIALS = 30, 3

# ---- data ------------------------------------------------------------------------------------


class Logic:
    """Expressions as tokens, which are the signs and the variables."""

    SIGNS = "!&|()"

    def __init__(self, folder):
        lines = (Path(folder) / "train.tsv").read_text(encoding="utf-8").splitlines()
        texts, labels = zip(*(line.split("\t") for line in lines))
        numbers = {sign: k for k, sign in enumerate(self.SIGNS)}
        words = [re.findall(r"\w+|[!&|()]", text) for text in texts]
        rows = [[numbers.setdefault(word, len(numbers)) for word in row] for row in words]
        self.n_words, self.n = len(numbers), len(rows)
        self.tokens, self.lengths = pad(rows, directions=2)
        self.labels = torch.tensor([float(label == "T") for label in labels])

    def batches(self):
        for chosen in torch.randperm(self.n).split(BATCH):
            lengths, order = self.lengths[chosen].sort(descending=True)
            chosen = chosen[order]
            yield self.tokens[:, chosen], lengths, self.labels[chosen]


class Ratings:
    """The likes of training, each with its user and what its user met before it."""

    def __init__(self, folder, history):
        parts = {name: read_ratings(folder, name) for name in ("train", "validation", "test")}
        users, items = {}, {}
        for user, item, _, _ in (row for part in parts.values() for row in part):
            users.setdefault(user, len(users))
            items.setdefault(item, len(items))
        self.n_users, self.n_items = len(users), len(items)
        met = [[] for _ in users]
        for user, item, like, _ in sorted(parts["train"], key=lambda row: row[3]):
            met[users[user]].append((items[item], like))
        units = [(u, k) for u, rows in enumerate(met) for k, (_, like) in enumerate(rows) if like]
        self.n = len(units)
        self.users = torch.tensor([u for u, _ in units])
        self.targets = torch.tensor([met[u][k][0] for u, k in units])
        self.met = [torch.tensor([item for item, _ in rows]) for rows in met]
        self.liked = torch.zeros(self.n_users, self.n_items, dtype=torch.bool)
        self.liked[self.users, self.targets] = True
        # A disliked item is another word than a liked one.
        word = [[item if like else self.n_items + item for item, like in rows] for rows in met]
        histories = [word[u][max(0, k - history) : k] for u, k in units]
        self.tokens, self.lengths = pad(histories, directions=1)

    def draw_negatives(self):
        """One for each unit, of what its user has not liked."""
        negatives = torch.randint(self.n_items, (self.n,))
        while (again := self.liked[self.users, negatives].nonzero()[:, 0]).numel():
            negatives[again] = torch.randint(self.n_items, (again.numel(),))
        return negatives


class Pairs(Ratings):
    """Users [n] and candidates [n, 2]: what they liked, and what it is paired with."""

    def __init__(self, folder):
        super().__init__(folder, history=1)

    def batches(self):
        candidates = torch.stack([self.targets, self.draw_negatives()], 1)
        for chosen in torch.randperm(self.n).split(BATCH):
            yield self.users[chosen], candidates[chosen]


class Sequences(Ratings):
    """Histories from the longest to the shortest, targets, and what is added to the scores so
    that what else the user liked does not count: -inf."""

    def __init__(self, folder):
        super().__init__(folder, history=20)
        zero, never = torch.tensor(0.0), torch.tensor(-torch.inf)
        self.refused = torch.where(self.liked, never, zero)

    def batches(self):
        for chosen in torch.randperm(self.n).split(BATCH):
            lengths, order = self.lengths[chosen].sort(descending=True)
            chosen = chosen[order]
            targets, refused = self.targets[chosen], self.refused[self.users[chosen]]
            refused.scatter_(1, targets[:, None], 0.0)
            yield self.tokens[:, chosen], lengths, targets, refused


def pad(rows, directions):
    """Tokens [directions, n, longest], the second direction from the last to the first."""
    lengths = torch.tensor([len(row) for row in rows])
    tokens = torch.zeros(directions, len(rows), int(lengths.max()), dtype=torch.long)
    for i, row in enumerate(rows):
        for k in range(directions):
            tokens[k, i, : len(row)] = torch.tensor(row[::-1] if k else row, dtype=torch.long)
    return tokens, lengths


def read_ratings(folder, name):
    """User, item, whether liked, time."""
    with gzip.open(Path(folder) / f"{name}.csv.gz", "rt", encoding="utf-8") as file:
        rows = csv.DictReader(file, delimiter="\t")
        return [(r["uid"], r["iid"], r["label"] == "1", float(r["time"])) for r in rows]


# ---- training --------------------------------------------------------------------------------


def make_optimizers(model, foreach):
    sparse = {
        id(module.weight)
        for module in model.modules()
        if isinstance(module, (nn.Embedding, nn.EmbeddingBag)) and module.sparse
    }
    tables = [x for x in model.parameters() if id(x) in sparse]
    others = [x for x in model.parameters() if id(x) not in sparse]
    made = [torch.optim.Adam(others, lr=RATE, foreach=foreach)]
    return made + ([torch.optim.SparseAdam(tables, lr=RATE)] if tables else [])


# How Adam may go: dense in all rows, tensor by tensor or all at once, or sparse in the tables.
# The sparse one is less than nln's: it leaves alone the rows that a batch does not touch, where
# nln makes up for their momentum.
ADAMS = {
    "Adam": {"sparse": False, "foreach": False},
    "Adam foreach": {"sparse": False, "foreach": True},
    "SparseAdam": {"sparse": True, "foreach": True},
}


def train_batches(model, optimizers, data, most=None):
    """An epoch, or its first batches; returns the loss of each unit of a whole epoch."""
    total = 0.0
    for k, batch in enumerate(data.batches()):
        if k == most:
            break
        for optimizer in optimizers:
            optimizer.zero_grad(set_to_none=True)
        loss = model(*batch)
        loss.backward()
        for optimizer in optimizers:
            optimizer.step()
        total += loss.item()
    return total / data.n


class Peer:
    """One model in PyTorch, in the fastest of its ways: how it is made, and which Adam."""

    def __init__(self, data, makers):
        self.data, self.makers = data, makers
        tried = self.try_all([(kind, adam) for kind in makers for adam in ADAMS])
        self.chosen = min(tried, key=tried.get)
        best = {kind: min(tried[kind, adam] for adam in ADAMS) for kind in makers}
        others = [
            f"{kind} takes {seconds / tried[self.chosen]:.1f} times as long"
            for kind, seconds in best.items()
            if kind != self.chosen[0]
        ]
        self.note = ", ".join([*filter(None, self.chosen), *others])

    def start(self, kind, adam):
        torch.manual_seed(1)
        model = self.makers[kind](self.data, ADAMS[adam]["sparse"])
        return model, make_optimizers(model, ADAMS[adam]["foreach"])

    def try_all(self, ways):
        """The least seconds of some trials of each way, by turns; the first trial warms up."""
        started = {way: self.start(*way) for way in ways}
        seconds = {way: [] for way in ways}
        for trial in range(1 + TRIALS):
            for way, (model, optimizers) in started.items():
                before = time.perf_counter()
                train_batches(model, optimizers, self.data, TRIAL_BATCHES)
                if trial:
                    seconds[way].append(time.perf_counter() - before)
        for way, found in seconds.items():
            name = ", ".join(filter(None, way))
            print(f"  {name}: {min(found):.3f} s for {TRIAL_BATCHES} batches", file=sys.stderr)
        return {way: min(found) for way, found in seconds.items()}

    def seconds_per_epoch(self):
        model, optimizers = self.start(*self.chosen)
        before = time.perf_counter()
        losses = [train_batches(model, optimizers, self.data) for _ in range(EPOCHS)]
        seconds = (time.perf_counter() - before) / EPOCHS
        found = " ".join(f"{loss:.4f}" for loss in losses)
        print(f"  PyTorch {seconds:.3f} s, loss {found}", file=sys.stderr)
        return seconds


# The options that both sides have in common; the rest are the recipes of src/models/training_options.c.
COMMON = ["--epochs", str(EPOCHS), "--patience", "0", "--batch", str(BATCH), "--dimension",
          str(DIMENSION), "--learning-rate", str(RATE), "--clip", "0", "--l2-variables", "0",
          "--threads", "1"]  # fmt: skip


def recurrent(model, kind, directions):
    """Both ways to make a model of recurrent layers."""
    return {
        f"nn.{kind.__name__}": lambda data, sparse: model(data, sparse, Layer(kind, directions)),
        "step by step": lambda data, sparse: model(data, sparse, Steps(kind, directions)),
    }


# Name, data, and how it may be made in PyTorch.
MODELS = [
    ("birnn", Logic, recurrent(Text, nn.RNN, 2)),
    ("bilstm", Logic, recurrent(Text, nn.LSTM, 2)),
    ("biasedmf", Pairs, {"": BiasedMf}),
    ("svdpp", Pairs, {by: partial(Svdpp, by=by) for by in ("EmbeddingBag", "dense product")}),
    ("ncf", Pairs, {"": Ncf}),
    ("gru", Sequences, recurrent(Gru, nn.GRU, 1)),
]


def our_options(name, kind):
    """BiasedMF and SVD++ are all in tables: nln refuses an --l2 that has nothing else to work on."""
    task = [] if kind is Logic else ["--task", "topk"]
    l2 = [] if name in ("biasedmf", "svdpp") else ["--l2", "0"]
    return [*task, "--model", name, *COMMON, *l2]


def our_seconds(nln, name, folder, kind):
    command = [nln, "train", str(folder), *our_options(name, kind), "--json", "--quiet", "--out",
               "/dev/null"]  # fmt: skip
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    seconds = json.loads(done.stdout)["seconds_per_epoch"]
    print(f"  nln     {seconds:.3f} s", file=sys.stderr)
    return seconds


def measure(name, kind, makers, folder, options):
    """A row of the table, and how PyTorch did it."""
    print(f"{name}:", file=sys.stderr)
    peer = Peer(kind(folder), makers)
    ours, theirs = [], []
    for _ in range(options.passes):
        ours.append(our_seconds(options.nln, name, folder, kind))
        theirs.append(peer.seconds_per_epoch())
    a, b = statistics.median(ours), statistics.median(theirs)
    data = "logic 1k/5k" if kind is Logic else "ML-100k topk"
    return f"| `{name}` | {data} | {a:.3f} | {b:.3f} | {b / a:.1f} |", peer.note


def read_options():
    names = [name for name, _, _ in MODELS]
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add = parser.add_argument
    add("--nln", default="build/nln", metavar="PROGRAM", help="default: build/nln")
    add("--data", type=Path, metavar="DIR", help="the folder that holds nlr-ml100k")
    add("--only", nargs="+", choices=names, default=names, metavar="NAME", help=" ".join(names))
    add("--passes", type=int, default=5, metavar="N", help="default: 5")
    options = parser.parse_args()
    if options.passes < 1:
        parser.error("--passes must be 1 or more")
    if options.data and not (options.data / "nlr-ml100k").is_dir():
        parser.error(f"there is no folder nlr-ml100k in {options.data}")
    return options


def generate_logic(nln, folder):
    sizes = ["--variables", "1000", "--expressions", "5000", "--seed", "1"]
    command = [nln, "generate", "logic", *sizes, "--out", str(folder), "--quiet"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def main():
    options = read_options()
    set_threads(1)
    torch.set_flush_denormal(True)
    ways = {}
    print("| model | data | nln, seconds | PyTorch, seconds | ratio |")
    print("|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as logic:
        generate_logic(options.nln, logic)
        for name, kind, makers in MODELS:
            if name not in options.only:
                continue
            if kind is not Logic and not options.data:
                print(f"| `{name}` | ML-100k topk | SKIPPED: give --data | | |", flush=True)
                print(f"{name}: SKIPPED, it needs nlr-ml100k: give --data DIR", file=sys.stderr)
                continue
            folder = logic if kind is Logic else options.data / "nlr-ml100k"
            row, ways[name] = measure(name, kind, makers, folder, options)
            print(row, flush=True)
    if not ways:
        sys.exit("baselines.py: nothing was measured")
    print("\nPyTorch's way:", "; ".join(f"`{name}` {way}" for name, way in ways.items()))


if __name__ == "__main__":
    main()
