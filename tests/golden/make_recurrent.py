#!/usr/bin/env python3
"""Golden values of the recurrent cells: last states and all gradients of a small batch.

usage: make_recurrent.py          writes recurrent.safetensors beside this file
       make_recurrent.py --check  compares that file with a fresh computation

The values come from PyTorch's own nn.RNN, nn.LSTM and nn.GRU in both directions, over packed
sequences of different lengths, in double.  The loss is the sum of the last states, each times
a given number.  tests/gradient_recurrent.c compares the library with the file.  Without
PyTorch the check prints SKIP and exits with 77.
"""

import math
import random

from make_golden import HERE, run_script, torch

FILE = HERE / "recurrent.safetensors"
DIM, HIDDEN, N_TOKENS = 5, 11, 7
SEQUENCES = [[3, 1, 3], [6], [0, 1, 2, 3, 4, 5], [5, 5, 5, 0, 6, 2], [4, 0], [2, 1, 6, 6]]
CELLS = {"rnn": torch.nn.RNN, "lstm": torch.nn.LSTM, "gru": torch.nn.GRU}
GATES = {"rnn": 1, "lstm": 4, "gru": 3}


def draw(source, scale, *shape):
    """Numbers that a float holds exactly."""
    numbers = [round(1024 * scale * source.gauss(0, 1)) / 1024 for _ in range(math.prod(shape))]
    return torch.tensor(numbers, dtype=torch.float64).view(shape)


def draw_weights(source, cell):
    outputs = GATES[cell] * HIDDEN
    weights = {
        "in": draw(source, 0.5, DIM, outputs),
        "state": draw(source, 0.4, HIDDEN, outputs),
        "bias": draw(source, 0.3, outputs),
    }
    if cell == "gru":
        weights["inner"] = draw(source, 0.5, HIDDEN)
    return weights


def set_weights(module, suffix, weights):
    """PyTorch stores [outputs, inputs] and has two biases; ours is the first."""
    with torch.no_grad():
        getattr(module, "weight_ih_l0" + suffix).copy_(weights["in"].T)
        getattr(module, "weight_hh_l0" + suffix).copy_(weights["state"].T)
        getattr(module, "bias_ih_l0" + suffix).copy_(weights["bias"])
        second = getattr(module, "bias_hh_l0" + suffix).zero_()
        if "inner" in weights:
            second[2 * HIDDEN :] = weights["inner"]


def get_gradients(module, suffix, weights):
    second = getattr(module, "bias_hh_l0" + suffix).grad
    found = {
        "in": getattr(module, "weight_ih_l0" + suffix).grad.T,
        "state": getattr(module, "weight_hh_l0" + suffix).grad.T,
        "bias": getattr(module, "bias_ih_l0" + suffix).grad,
        "inner": second[2 * HIDDEN :],
    }
    return {name: found[name] for name in weights}


def run(cell):
    """All tensors of one cell by name."""
    source = random.Random(cell)
    x = draw(source, 1, N_TOKENS, DIM).requires_grad_()
    dlast = draw(source, 1, len(SEQUENCES), 2 * HIDDEN)
    module = CELLS[cell](DIM, HIDDEN, bidirectional=True).double()
    directions = {"forward": "", "reverse": "_reverse"}
    weights = {name: draw_weights(source, cell) for name in directions}
    for name, suffix in directions.items():
        set_weights(module, suffix, weights[name])
    packed = torch.nn.utils.rnn.pack_sequence([x[s] for s in SEQUENCES], enforce_sorted=False)
    _, last = module(packed)
    last = last[0] if cell == "lstm" else last
    last = torch.cat((last[0], last[1]), dim=1)
    (last * dlast).sum().backward()
    tensors = {"x": x, "dlast": dlast, "last": last, "gradient/x": x.grad}
    for name, suffix in directions.items():
        gradients = get_gradients(module, suffix, weights[name])
        tensors |= {f"{name}/{key}": value for key, value in weights[name].items()}
        tensors |= {f"{name}/gradient/{key}": value for key, value in gradients.items()}
    return {f"{cell}/{key}": value.detach() for key, value in tensors.items()}


def golden_values():
    tensors = {}
    for cell in CELLS:
        tensors |= run(cell)
    metadata = {
        "about": "golden values of the recurrent cells, written by make_recurrent.py",
        "dimension": str(DIM),
        "hidden": str(HIDDEN),
        "tokens": str(N_TOKENS),
        "sequences": "\n".join(" ".join(map(str, s)) for s in SEQUENCES),
    }
    return tensors, metadata


if __name__ == "__main__":
    run_script(FILE, golden_values, "PyTorch")
