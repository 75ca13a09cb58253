#!/usr/bin/env python3
"""The network of `nln train` in PyTorch: the same model, objective and data.

usage: torch_twin.py --data DIR [--law-sample 1] [--embedding free|arc] ...

A peer for speed and for numbers, written to be as fast as PyTorch on a CPU can be
made: one plan for a whole batch, one gather and two products for each group of equal
operations, and all ten laws from shared projections, a tile of rows at a time.  Where
it is faster the gradients are written out by hand (--gradients manual); the plain
formulation, differentiated by PyTorch, stands beside it (--gradients autograd).
tests/golden/make_golden.py compares both with a textbook formulation, and the tests of
the library compare nln with the same numbers.

Prints one JSON object.  seconds_per_epoch is the time of training with its planning and
without validation, as `nln train --json` has it.  The network is nln.torch, of
bindings/python; its plan, gradients and laws are there.
"""

import argparse
import ctypes
import json
import os
import sys
import time
from dataclasses import dataclass, fields
from pathlib import Path


def choose_blas_kernel():
    """Names the kernel to OpenBLAS before it is loaded, as nln does: version 0.3.21 knows
    no recent processor and falls back to a kernel that is four times as slow."""
    try:
        flags = set(Path("/proc/cpuinfo").read_text().split())
    except OSError:
        return
    if {"avx512f", "avx512bw", "avx512dq", "avx512vl"} <= flags:
        os.environ.setdefault("OPENBLAS_CORETYPE", "SkylakeX")
    elif {"avx2", "fma"} <= flags:
        os.environ.setdefault("OPENBLAS_CORETYPE", "Haswell")


def keep_memory():
    """Has the C library keep what PyTorch frees.  It would give large blocks back to the system
    after every operation, and clearing new pages for the next took a third of the time."""
    most = 2**31 - 1
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):  # not glibc
        return
    for parameter, value in ((-3, 2**30), (-1, most), (-2, 2**28)):  # as malloc.h numbers them:
        mallopt(parameter, value)  # M_MMAP_THRESHOLD, M_TRIM_THRESHOLD, M_TOP_PAD


choose_blas_kernel()
keep_memory()

import numpy as np  # noqa: E402
import torch  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bindings/python"))

from nln.torch.network import Network  # noqa: E402
from nln.torch.objective import Objective, forward, objective, scores  # noqa: E402
from nln.torch.plan import Forest, make_plan, parse  # noqa: E402

# The options by the names of `nln train`, with the values of its recipe `paper`.
OPTIONS = dict(
    dimension=64, hidden=0, batch=128, epochs=3, threads=1, seed=1,
    init_scale=0.01, init_variables=0.01, learning_rate=0.001, learning_rate_logit=0.3, clip=0.0,
    law_weight=0.01, law_sample=1.0, length_weight=1e-4, l2=1e-6, l2_variables=1e-6,
    l2_logit=0.0, noise=0.0, dropout=0.2, logit_noise=0.0,
)  # fmt: skip


def read_options():
    parser = argparse.ArgumentParser(
        description="The network of `nln train` in PyTorch.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    add = parser.add_argument
    add("--data", required=True, metavar="DIR", help="a folder that `nln generate logic` wrote")
    add("--gradients", choices=["manual", "autograd"], default="manual", help="how they are made")
    add("--embedding", choices=["free", "arc"], default="free", help="what a variable is")
    add("--adam", choices=["dense", "sparse"], default="dense", help="for the variables")
    for name, initial in OPTIONS.items():
        add("--" + name.replace("_", "-"), type=type(initial), default=initial, help="as in nln")
    options = parser.parse_args()
    if options.adam == "sparse" and (options.embedding != "free" or options.clip):
        parser.error("--adam sparse needs --embedding free and no --clip")
    options.hidden = options.hidden or options.dimension
    return options


def set_threads(n):
    """Of PyTorch's own loops, and of OpenBLAS, which does not listen to PyTorch."""
    torch.set_num_threads(n)
    try:
        ctypes.CDLL("libopenblas.so.0").openblas_set_num_threads(n)
    except (OSError, AttributeError):
        pass


@dataclass
class Split:
    forest: Forest
    labels: torch.Tensor


def read_folder(folder):
    """The splits by name and the number of variables."""
    numbers, splits = {}, {}
    for name in ("train", "valid", "test"):
        expressions, labels = [], []
        with open(Path(folder) / f"{name}.tsv", encoding="utf-8") as file:
            for line in file:
                text, label = line.rstrip("\n").split("\t")
                expressions.append(parse(text, lambda x: numbers.setdefault(x, len(numbers))))
                labels.append(label == "T")
        splits[name] = Split(Forest(expressions), torch.tensor(labels, dtype=torch.float32))
    return splits, len(numbers)


class Trainer:
    def __init__(self, options, splits, n_variables):
        self.options, self.splits = options, splits
        self.random = np.random.default_rng(options.seed)
        self.net = Network(options.dimension, options.hidden, n_variables, options.embedding)
        generator = torch.Generator().manual_seed(options.seed)
        self.net.draw(options.init_scale, options.init_variables, generator)
        names = [field.name for field in fields(Objective) if hasattr(options, field.name)]
        self.objective = Objective(**{name: getattr(options, name) for name in names})
        frequency = splits["train"].forest.frequency(n_variables)
        self.objective.frequency = torch.from_numpy(frequency)
        self.make_optimizer()
        self.seconds = self.plan_seconds = 0.0

    def make_optimizer(self):
        """Dense Adam moves every variable in every step, as nln does.  The sparse one leaves
        alone those that the batch does not hold: another algorithm, and faster only when
        there are many variables (0.8 against 3.5 ms a step for 20,000, 0.4 against 0.3 for
        1,000)."""
        rate, net = self.options.learning_rate, self.net
        net.sparse = self.options.adam == "sparse"
        table = (torch.optim.SparseAdam if net.sparse else torch.optim.Adam)([net.table], lr=rate)
        if net.embedding != "free":
            table.param_groups[0].update(lr=self.options.learning_rate_logit, betas=(0.9, 0.99))
        self.optimizers = (torch.optim.Adam([net.theta], lr=rate), table)

    def train_batch(self, chosen):
        """Returns the loss."""
        train, net, before = self.splits["train"], self.net, time.perf_counter()
        plan = make_plan(train.forest, chosen, self.random)
        self.plan_seconds += time.perf_counter() - before
        H = forward(net, plan, self.objective, self.random)
        labels = train.labels[torch.from_numpy(chosen)]
        loss = sum(objective(net, plan, H, labels, self.objective, self.random).values())
        net.theta.grad = net.table.grad = None
        loss.backward()
        if self.options.clip:
            torch.nn.utils.clip_grad_value_([net.theta, net.table], self.options.clip)
        for optimizer in self.optimizers:
            optimizer.step()
        return loss.item()

    def train_epoch(self):
        """Returns the loss per expression."""
        before, n, batch = time.perf_counter(), len(self.splits["train"].forest), self.options.batch
        order = self.random.permutation(n)
        loss = sum(self.train_batch(order[at : at + batch]) for at in range(0, n, batch))
        self.seconds += time.perf_counter() - before
        return loss / n

    @torch.inference_mode()
    def accuracy(self, split, batch=1024):
        """With the operands in the given order."""
        forest, labels = self.splits[split].forest, self.splits[split].labels
        right = 0
        for chosen in np.split(np.arange(len(forest)), range(batch, len(forest), batch)):
            plan = make_plan(forest, chosen)
            score = scores(self.net, plan, forward(self.net, plan))
            right += int(((score > 0) == (labels[torch.from_numpy(chosen)] > 0)).sum())
        return right / len(forest)


def main():
    options = read_options()
    set_threads(options.threads)
    splits, n_variables = read_folder(options.data)
    trainer = Trainer(options, splits, n_variables)
    losses, accuracies = [], []
    for epoch in range(1, options.epochs + 1):
        losses.append(trainer.train_epoch())
        accuracies.append(trainer.accuracy("valid"))
        print(f"epoch {epoch}: {losses[-1]:.4f}, valid {accuracies[-1]:.4f}", file=sys.stderr)
    report = {
        "torch": torch.__version__,
        "variables": n_variables,
        "epochs": options.epochs,
        "seconds_per_epoch": trainer.seconds / options.epochs,
        "plan_seconds_per_epoch": trainer.plan_seconds / options.epochs,
        "loss": losses,
        "valid_accuracy": accuracies,
        "test_accuracy": trainer.accuracy("test"),
        "options": vars(options),
    }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
