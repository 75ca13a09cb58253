#!/usr/bin/env python3
"""Golden values of the objective: loss, vectors and all gradients of a small batch.

usage: make_golden.py          writes objective.safetensors beside this file
       make_golden.py --check  compares that file with a fresh computation

The values come from the textbook formulation below: one expression after the other, one
vector at a time, in double, differentiated by PyTorch.  Both ways of nln.torch to the
gradient must give the same.  tests/gradient_golden.c compares the library with
the file.  Without PyTorch the check prints SKIP and exits with 77.
"""

import json
import math
import random
import struct
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
FILE = HERE / "objective.safetensors"
sys.path.insert(0, str(HERE.parents[1] / "bindings/python"))

try:
    import numpy as np
    import torch
except ImportError as error:
    print(f"SKIP: {error}")
    sys.exit(77)

from nln.torch import laws as twin_laws  # noqa: E402
from nln.torch import objective as twin  # noqa: E402
from nln.torch.network import Network  # noqa: E402
from nln.torch.plan import AND, NOT, OR, TRUE, VARIABLE, Forest, make_plan, parse  # noqa: E402

twin_laws.TILE = 16  # rows, so that the batch has several tiles
DIM, HIDDEN, ALPHA = 8, 6, 10.0
SEED = 3  # under which no hidden layer is all 0
NAMES = [f"v{i}" for i in range(1, 8)]  # the last is in no expression
FREQUENCY = [5, 7, 4, 3, 2, 9, 1]
SETTINGS = dict(
    law_weight=0.3,
    law_sample=1.0,
    length_weight=0.05,
    l2=0.01,
    l2_variables=0.02,
    l2_logit=0.1,
    noise=0.07,
)
EXPRESSIONS = [
    ("(v1 & !v2 & v3) | !v4 | (v5 & v1)", "T"),
    ("!v2", "F"),
    ("!!v6", "T"),
    ("!(v1 & !v3) | v6", "F"),
    ("v6 | F | T", "T"),
    ("!v2", "T"),
    ("v1 & v2 & v3 & v4 & v5 & v6 & v1", "F"),
    ("v3", "T"),
    ("(v5 | v4) & !T & (v1 & !v2 & !F)", "F"),
    ("F", "T"),
]
LABELS = [label == "T" for _, label in EXPRESSIONS]
PARTS = ("data", "laws", "length", "l2")


# ---- weights -------------------------------------------------------------------------


def draw_weights(embedding):
    """Numbers that a float holds exactly, by name."""
    source = random.Random(f"{embedding} {SEED}")

    def normal(scale, *shape):
        numbers = [round(1024 * scale * source.gauss(0, 1)) / 1024 for _ in range(math.prod(shape))]
        return torch.tensor(numbers, dtype=torch.float64).view(shape)

    weights = {}
    for name, inputs in (("not", 1), ("and", 2), ("or", 2)):
        weights[f"{name}.in"] = normal(0.35, inputs * DIM, HIDDEN)
        weights[f"{name}.bias"] = normal(0.3, HIDDEN).abs() + 0.25
        weights[f"{name}.out"] = normal(0.5, HIDDEN, DIM)
    weights["true"] = normal(1, DIM)
    if embedding == "free":
        weights["variables.vector"] = normal(0.8, len(NAMES), DIM)
    else:
        weights["axis"] = normal(1, DIM)
        weights["variables.logit"] = normal(2, len(NAMES))
    for name, tensor in weights.items():
        tensor.requires_grad_(name not in ("true", "axis"))
    return weights


# ---- the textbook --------------------------------------------------------------------


class Textbook:
    def __init__(self, weights):
        self.weights = weights
        self.T = weights["true"]
        self.F = self.NOT(self.T)
        self.seen = []  # every vector of the batch, with repetitions

    def layers(self, name, x):
        w = self.weights
        return torch.relu(x @ w[f"{name}.in"] + w[f"{name}.bias"]) @ w[f"{name}.out"]

    def NOT(self, a):
        return self.layers("not", a)

    def AND(self, a, b):
        return self.layers("and", torch.cat((a, b)))

    def OR(self, a, b):
        return self.layers("or", torch.cat((a, b)))

    def variable(self, i):
        if "variables.vector" in self.weights:
            return self.weights["variables.vector"][i]
        c = torch.tanh(self.weights["variables.logit"][i] / 3)
        return c * self.T + torch.sqrt(1 - c * c) * self.weights["axis"]

    def note(self, w):
        self.seen.append(w)
        return w

    def join(self, function, operands):
        """Neighbours in pairs, level by level; an odd last one waits."""
        while len(operands) > 1:
            pairs = zip(operands[0::2], operands[1::2])
            rest = operands[len(operands) // 2 * 2 :]
            operands = [self.note(function(a, b)) for a, b in pairs] + rest
        return operands[0]

    def vector(self, nodes):
        stack = []
        for op, n in nodes:
            if op == VARIABLE:
                stack.append(self.note(self.variable(n)))
            elif op in (AND, OR):
                stack[-n:] = [self.join(self.AND if op == AND else self.OR, stack[-n:])]
            elif op == NOT:
                a = stack.pop()
                stack.append(self.F if a is self.T else self.note(self.NOT(a)))
            else:
                stack.append(self.T if op == TRUE else self.F)
        return stack.pop()


def cos(a, b):
    return a @ b / (a.norm() * b.norm())


def Sim(a, b):
    return torch.sigmoid(ALPHA * cos(a, b))


def law_terms(book, w):
    """Table 1 of the paper for the vector w."""
    T, F, NOT, AND, OR = book.T, book.F, book.NOT, book.AND, book.OR
    equal = [
        (NOT(NOT(w)), w),
        (AND(w, T), w), (AND(w, F), F), (AND(w, w), w), (AND(w, NOT(w)), F),
        (OR(w, T), T), (OR(w, F), w), (OR(w, w), w), (OR(w, NOT(w)), T),
    ]  # fmt: skip
    return Sim(NOT(w), w) + sum(1 - Sim(left, right) for left, right in equal)


def l2_term(weights, expressions):
    s = SETTINGS
    modules = [x for name, x in weights.items() if name.split(".")[0] in ("not", "and", "or")]
    variables = [n for nodes in expressions for op, n in nodes if op == VARIABLE]
    total = s["l2"] * sum(x.square().sum() for x in modules)
    if "variables.vector" in weights:
        for i in set(variables):
            total = total + s["l2_variables"] * weights["variables.vector"][i].square().sum()
    else:
        for i in variables:
            total = total + s["l2_logit"] * weights["variables.logit"][i] ** 2 / FREQUENCY[i]
    return total


def textbook(weights, expressions):
    """The vectors, scores and parts of the loss; and the gradients by name."""
    s, book = SETTINGS, Textbook(weights)
    vectors = [book.vector(nodes) for nodes in expressions]
    score = [ALPHA * cos(e, book.T) for e in vectors]
    p = [torch.sigmoid(x if label else -x) for x, label in zip(score, LABELS)]
    laws = sum(law_terms(book, w) for w in book.seen) + Sim(book.F, book.T)
    loss = [
        -sum(torch.log((1 - s["noise"]) * x + s["noise"] * (1 - x)) for x in p),
        s["law_weight"] * laws,
        s["length_weight"] * sum(w @ w for w in book.seen),
        l2_term(weights, expressions),
    ]
    trained = {name: x for name, x in weights.items() if x.requires_grad}
    gradients = torch.autograd.grad(sum(loss), list(trained.values()))
    results = {"vector": vectors, "score": score, "loss": loss}
    results = {name: torch.stack(list(x)).detach() for name, x in results.items()}
    return results | {f"gradient/{name}": x for name, x in zip(trained, gradients)}


# ---- the twin ------------------------------------------------------------------------


def twin_results(weights, expressions, embedding, gradients):
    """The same from nln.torch."""
    net = Network(DIM, HIDDEN, len(NAMES), embedding, ALPHA, torch.float64)
    table = "variables.vector" if embedding == "free" else "variables.logit"
    with torch.no_grad():
        for name, part in net.module_tensors(net.theta).items():
            part.copy_(weights[name])
        net.table.copy_(weights[table])
        net.truth.copy_(weights["true"])
        if embedding == "arc":
            net.axis.copy_(weights["axis"])
    plan = make_plan(Forest(expressions), np.arange(len(expressions)))
    o = twin.Objective(**SETTINGS, gradients=gradients, frequency=torch.tensor(FREQUENCY))
    H = twin.forward(net, plan, o)
    parts = twin.objective(net, plan, H, torch.tensor(LABELS, dtype=H.dtype), o)
    sum(parts.values()).backward()
    results = {
        "vector": H[plan.root],
        "score": twin.scores(net, plan, H),
        "loss": torch.stack([parts[name] for name in PARTS]),
        f"gradient/{table}": net.table.grad,
    }
    for name, part in net.module_tensors(net.theta.grad).items():
        results[f"gradient/{name}"] = part
    return {name: x.detach() for name, x in results.items()}


# ---- files ---------------------------------------------------------------------------


def write_file(path, tensors, metadata):
    header, data = {"__metadata__": metadata}, b""
    for name, x in tensors.items():
        content = struct.pack(f"<{x.numel()}f", *x.reshape(-1).tolist())
        offsets = [len(data), len(data) + len(content)]
        header[name] = {"dtype": "F32", "shape": list(x.shape), "data_offsets": offsets}
        data += content
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % 64)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def read_file(path):
    content = path.read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header, data = json.loads(content[8 : 8 + length]), content[8 + length :]
    metadata, tensors = header.pop("__metadata__"), {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        values = struct.unpack(f"<{(end - begin) // 4}f", data[begin:end])
        tensors[name] = torch.tensor(values, dtype=torch.float64).view(entry["shape"])
    return tensors, metadata


def compare(what, expected, found, tolerance):
    """Every tensor, relative to max(1, |x|)."""
    if expected.keys() != found.keys():
        sys.exit(f"{what}: the tensors differ: {sorted(expected.keys() ^ found.keys())}")
    for name, x in expected.items():
        if x.shape != found[name].shape:
            sys.exit(f"{what}: {name} has the shape {list(found[name].shape)}")
        worst = ((found[name] - x).abs() / x.abs().clamp_min(1)).max().item()
        if not worst <= tolerance:
            sys.exit(f"{what}: {name} is off by {worst:g}")


def golden_values():
    tensors = {"frequency": torch.tensor(FREQUENCY, dtype=torch.float64)}
    expressions = [parse(text, NAMES.index) for text, _ in EXPRESSIONS]
    for embedding in ("free", "arc"):
        weights = draw_weights(embedding)
        results = textbook(weights, expressions)
        for gradients in ("manual", "autograd"):
            found = twin_results(weights, expressions, embedding, gradients)
            compare(f"twin, {embedding}, {gradients}", results, found, 1e-9)
        for name, x in (weights | results).items():
            tensors[f"{embedding}/{name}"] = x.detach()
    metadata = {
        "about": "golden values of the objective, written by make_golden.py",
        "names": "\n".join(NAMES),
        "expressions": "\n".join(text for text, _ in EXPRESSIONS),
        "labels": "".join(label for _, label in EXPRESSIONS),
        "dimension": str(DIM),
        "hidden": str(HIDDEN),
        "alpha": str(ALPHA),
        **{name: str(value) for name, value in SETTINGS.items()},
    }
    return tensors, metadata


def run_script(file, golden_values, who):
    """What every make_*.py with tensors does: writes the file, or compares it with --check."""
    script = Path(sys.argv[0]).name
    torch.set_num_threads(1)
    tensors, metadata = golden_values()
    if sys.argv[1:] == ["--check"]:
        committed, committed_metadata = read_file(file)
        if metadata != committed_metadata:
            sys.exit(f"{file.name}: the metadata differ; run {script}")
        compare(file.name, tensors, committed, 1e-6)
        print(f"{len(tensors)} tensors agree: {who} and {file.name}")
    elif sys.argv[1:]:
        sys.exit(f"usage: {script} [--check]")
    else:
        write_file(file, tensors, metadata)


if __name__ == "__main__":
    run_script(FILE, golden_values, "textbook, twin")
