#!/usr/bin/env python3
"""Golden values of BiasedMF, SVD++, NCF and SASRec: scores, losses and all gradients of small lots.

usage: make_factors.py          writes factors.safetensors beside this file
       make_factors.py --check  compares that file with a fresh computation

The values come from the formulas of the papers below, one user and one item at a time, in
double, differentiated by PyTorch, whose own attention and norms SASRec has.  tests/gradient_factors_golden.c compares the library with
the file.  Without PyTorch the check prints SKIP and exits with 77.
"""

import math
import random

from make_golden import HERE, run_script, torch
from torch.nn import functional as F

FILE = HERE / "factors.safetensors"
DIM, N_USERS, N_ITEMS = 8, 4, 7
L2, L2_VARIABLES, NOISE = 0.01, 0.02, 0.07
LAYERS, HISTORY = 2, 5  # of SASRec
SEED = 2  # under which the last layer of NCF is not all 0
# user, history, target, label
CASES = [
    (0, [1, 4, 5], 2, 1),
    (2, [], 6, 0),
    (0, [1, 4, 5, 2], 3, 1),
    (3, [6], 1, 0),
    (2, [6, 0, 3, 4, 1], 5, 1),
]
PAIRS = [[0, 6], [1, 2], [6, 6], [0, 2], [2, 1]]  # negatives of each case
CHOICE = [0, 3, 5, 1]  # negatives of all cases ...
REFUSED = [[0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 1], [0, 0, 0, 1], [0, 0, 1, 0]]  # ... but these
LESSONS = ("labels", "pairs", "chances", "binary", "choice")


# ---- models --------------------------------------------------------------------------


def factors(items_met):
    shapes = {
        "mean": (1,),
        "users.bias": (N_USERS, 1),
        "users.vector": (N_USERS, DIM),
        "items.bias": (N_ITEMS, 1),
        "items.vector": (N_ITEMS, DIM),
    }
    return shapes | ({"items.met": (N_ITEMS, DIM)} if items_met else {})


NCF = {
    "users.product": (N_USERS, DIM),
    "items.product": (N_ITEMS, DIM),
    "users.tower": (N_USERS, DIM),
    "items.tower": (N_ITEMS, DIM),
    "in.weight": (2 * DIM, DIM),
    "in.bias": (DIM,),
    "middle.weight": (DIM, DIM // 2),
    "middle.bias": (DIM // 2,),
    "last.weight": (DIM // 2, DIM // 4),
    "last.bias": (DIM // 4,),
    "out.weight": (DIM + DIM // 4, 1),
    "out.bias": (1,),
}


SASREC = {
    "items.vector": (N_ITEMS, DIM),
    "disliked": (1, DIM),
    "positions": (HISTORY, DIM),
    "norms.gain": (2 * LAYERS + 1, DIM),
    "norms.offset": (2 * LAYERS + 1, DIM),
    "blocks.attention": (DIM, 3 * LAYERS * DIM),
    "blocks.attention_bias": (3 * LAYERS * DIM,),
    "blocks.inner": (DIM, LAYERS * DIM),
    "blocks.inner_bias": (LAYERS * DIM,),
    "blocks.outer": (DIM, LAYERS * DIM),
    "blocks.outer_bias": (LAYERS * DIM,),
}


def biasedmf(w, user, history, item):
    inner = w["users.vector"][user] @ w["items.vector"][item]
    return w["mean"][0] + w["users.bias"][user, 0] + w["items.bias"][item, 0] + inner


def svdpp(w, user, history, item):
    """Koren (2008), equation 15, without the neighbours."""
    met = sum((w["items.met"][j] for j in history), torch.zeros(DIM, dtype=torch.float64))
    met = met / math.sqrt(len(history)) if history else met
    inner = w["items.vector"][item] @ (w["users.vector"][user] + met)
    return w["mean"][0] + w["users.bias"][user, 0] + w["items.bias"][item, 0] + inner


def ncf(w, user, history, item):
    """He et al. (2017), equation 12."""
    product = w["users.product"][user] * w["items.product"][item]
    z = torch.cat((w["users.tower"][user], w["items.tower"][item]))
    for layer in ("in", "middle", "last"):
        z = torch.relu(z @ w[f"{layer}.weight"] + w[f"{layer}.bias"])
    return torch.cat((product, z)) @ w["out.weight"][:, 0] + w["out.bias"][0]


def block(w, index, x):
    """Kang and McAuley (2018), section III, with the sums of their code."""

    def part(name, width):
        return w[f"blocks.{name}"][..., index * width : (index + 1) * width]

    def norm(which, rows):
        at = 2 * index + which
        return F.layer_norm(rows, (DIM,), w["norms.gain"][at], w["norms.offset"][at], 1e-8)

    a = norm(0, x)
    later = torch.ones(len(x), len(x)).triu(1).bool()
    found, _ = F.multi_head_attention_forward(
        a[:, None], x[:, None], x[:, None], DIM, 1, part("attention", 3 * DIM).T,
        part("attention_bias", 3 * DIM), None, None, False, 0.0, torch.eye(DIM).double(), None,
        attn_mask=later, need_weights=False)
    b = norm(1, a + found[:, 0])
    hidden = torch.relu(b @ part("inner", DIM) + part("inner_bias", DIM))
    return b + hidden @ part("outer", DIM) + part("outer_bias", DIM)


def sasrec(w, user, history, item):
    """Every second item of a history is disliked."""
    x = torch.zeros(1, DIM, dtype=torch.float64)
    if history:
        disliked = torch.tensor([[float(j % 2)] for j in range(len(history))]).double()
        x = math.sqrt(DIM) * w["items.vector"][history] + w["positions"][: len(history)]
        x = x + disliked * w["disliked"]
        for index in range(LAYERS):
            x = block(w, index, x)
    state = F.layer_norm(x[-1], (DIM,), w["norms.gain"][-1], w["norms.offset"][-1], 1e-8)
    return state @ w["items.vector"][item]


MODELS = {
    "biasedmf": (biasedmf, factors(False)),
    "svdpp": (svdpp, factors(True)),
    "ncf": (ncf, NCF),
    "sasrec": (sasrec, SASREC),
}
TABLES = ("users.", "items.")  # whose rows l2-variables holds; l2 holds the other weights ...
FREE = ("mean", "in.bias", "middle.bias", "last.bias", "out.bias", "disliked", "norms.gain",
        "norms.offset", "blocks.attention_bias", "blocks.inner_bias",
        "blocks.outer_bias")  # ... but for these


def draw_weights(name, shapes):
    """Numbers that a float holds exactly."""
    source, weights = random.Random(f"{name} {SEED}"), {}
    for tensor, shape in shapes.items():
        numbers = [round(512 * source.gauss(0, 1)) / 1024 for _ in range(math.prod(shape))]
        weights[tensor] = torch.tensor(numbers, dtype=torch.float64).view(shape).requires_grad_()
    return weights


# ---- losses --------------------------------------------------------------------------


def data_loss(lesson, score):
    """The loss of a lot; score(i, item) is that of an item for case i."""
    total = torch.zeros((), dtype=torch.float64)
    for i, (_, _, target, label) in enumerate(CASES):
        s = score(i, target)
        if lesson == "labels":
            p = torch.sigmoid(s if label else -s)
            total = total - torch.log((1 - NOISE) * p + NOISE * (1 - p))
        elif lesson == "choice":
            kept = [item for item, no in zip(CHOICE, REFUSED[i]) if not no]
            total = total + torch.stack([s] + [score(i, j) for j in kept]).logsumexp(0) - s
        elif lesson == "binary":
            for j in PAIRS[i]:
                total = total + F.softplus(-s) + F.softplus(score(i, j))
        else:
            squash = torch.sigmoid if lesson == "chances" else lambda x: x
            for j in PAIRS[i]:
                total = total - torch.log(torch.sigmoid(squash(s) - squash(score(i, j))))
    return total


def touched(lesson, tensor, user_rows, reads_vectors):
    """The rows of a table that a lot touches."""
    if reads_vectors:
        read = {j for _, history, _, _ in CASES for j in history}
        return read | touched(lesson, tensor, False, False)
    if user_rows:
        return {user for user, _, _, _ in CASES}
    if tensor == "items.met":
        return {j for _, history, _, _ in CASES for j in history}
    others = {"labels": [], "choice": CHOICE}.get(lesson, sum(PAIRS, []))
    return {target for _, _, target, _ in CASES} | set(others)


def l2_loss(lesson, weights):
    total = torch.zeros((), dtype=torch.float64)
    for name, x in weights.items():
        if name.startswith(TABLES):
            rows = touched(lesson, name, name.startswith("users."), "positions" in weights)
            rows = sorted(rows)
            total = total + L2_VARIABLES * x[rows].square().sum()
        elif name not in FREE:
            total = total + L2 * x.square().sum()
    return total


def run(name):
    """All tensors of a model by name."""
    model, shapes = MODELS[name]
    weights = draw_weights(name, shapes)

    def score(i, item):
        return model(weights, CASES[i][0], CASES[i][1], item)

    scores = [torch.stack([score(i, j) for j in range(N_ITEMS)]) for i in range(len(CASES))]
    results = weights | {"score": torch.stack(scores)}
    for lesson in LESSONS:
        loss = torch.stack((data_loss(lesson, score), l2_loss(lesson, weights)))
        found = torch.autograd.grad(loss.sum(), list(weights.values()), allow_unused=True)
        results[f"{lesson}/loss"] = loss
        for (tensor, x), gradient in zip(weights.items(), found):
            results[f"{lesson}/{tensor}"] = torch.zeros_like(x) if gradient is None else gradient
    return {f"{name}/{key}": x.detach() for key, x in results.items()}


# ---- files ---------------------------------------------------------------------------


def golden_values():
    longest = max(len(history) for _, history, _, _ in CASES)
    lots = {
        "user": [user for user, _, _, _ in CASES],
        "history": [history + [-1] * (longest - len(history)) for _, history, _, _ in CASES],
        "target": [target for _, _, target, _ in CASES],
        "label": [label for _, _, _, label in CASES],
        "pairs": PAIRS,
        "choice": CHOICE,
        "refused": REFUSED,
    }
    tensors = {key: torch.tensor(x, dtype=torch.float64) for key, x in lots.items()}
    for name in MODELS:
        tensors |= run(name)
    metadata = {
        "about": "golden values of models of users and items, written by make_factors.py",
        "dimension": str(DIM),
        "users": str(N_USERS),
        "items": str(N_ITEMS),
        "l2": str(L2),
        "l2-variables": str(L2_VARIABLES),
        "noise": str(NOISE),
        "layers": str(LAYERS),
        "history": str(HISTORY),
    }
    return tensors, metadata


if __name__ == "__main__":
    run_script(FILE, golden_values, "the formulas")
