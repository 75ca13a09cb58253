#!/usr/bin/env python3
"""Golden values of the laws of two or three vectors, as nln.torch computes and PyTorch
differentiates them.

usage: make_compound_laws.py          writes golden_compound_laws.h beside this file
       make_compound_laws.py --check  compares that file with a fresh computation

Every number of the input is a multiple of sin(i) for a running i, so that the test in C makes the
same input: the vectors of all rows, then the weights of the modules.  Row r has the weight
1 + r % 3, but for T and F, which are under no law.
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
FILE = HERE / "golden_compound_laws.h"
sys.path.insert(0, str(HERE.parents[1] / "bindings/python"))

try:
    import numpy as np
    import torch
except ImportError as error:
    print(f"SKIP: {error}")
    sys.exit(77)

from nln.torch.laws import COMPOUND_LAWS, compound_laws  # noqa: E402
from nln.torch.network import Network  # noqa: E402
from nln.torch.plan import ROW_LEAF  # noqa: E402

DIM, HIDDEN, ROWS, ALPHA, KEY, SCALE = 4, 5, 40, 3.0, 12345, 0.7


def results(names):
    """The loss, and the gradients of all rows and of the modules."""
    net = Network(DIM, HIDDEN, 1, "free", ALPHA, torch.float64)
    size = ROWS * DIM
    numbers = SCALE * torch.sin(torch.arange(1, 1 + size + net.theta.numel(), dtype=torch.float64))
    H = numbers[:size].view(ROWS, DIM).clone().requires_grad_()
    with torch.no_grad():
        net.theta.copy_(numbers[size:])
    rows = np.arange(ROW_LEAF, ROWS)
    loss = compound_laws(net, H, rows, torch.from_numpy(1.0 + rows % 3), names, KEY)
    loss.backward()
    return loss.item(), H.grad, net.theta.grad


def array(name, values):
    lines, line = [], "   "
    for x in values:
        text = f" {x:.15g},"
        if len(line) + len(text) > 99:
            lines, line = [*lines, line], "   "
        line += text
    return f"static const double {name}[] = {{\n" + "\n".join([*lines, line]) + "\n};\n"


def golden_text():
    loss, dH, dtheta = results(tuple(COMPOUND_LAWS))
    return (
        "/* Golden values of the compound laws, written by make_compound_laws.py: do not edit. */\n"
        "#ifndef NLN_TESTS_GOLDEN_COMPOUND_LAWS_H\n#define NLN_TESTS_GOLDEN_COMPOUND_LAWS_H\n\n"
        "/* clang-format off */\n"
        f"enum {{ GOLDEN_DIM = {DIM}, GOLDEN_HIDDEN = {HIDDEN}, GOLDEN_ROWS = {ROWS} }};\n"
        f"enum {{ GOLDEN_ALPHA = {ALPHA:g}, GOLDEN_KEY = {KEY} }};\n"
        f"static const double golden_scale = {SCALE}; /* of sin(i) */\n"
        + array("golden_loss_of_law", [results((name,))[0] for name in COMPOUND_LAWS])
        + f"static const double golden_loss = {loss:.15g};\n"
        + array("golden_dH", dH.reshape(-1).tolist())
        + array("golden_dmodules", dtheta.tolist())
        + "/* clang-format on */\n\n#endif\n"
    )


def main():
    text = golden_text()
    if sys.argv[1:] == ["--check"]:
        number = re.compile(r"-?\d+\.\d+(?:e-?\d+)?|-?\d+")
        old, new = (list(map(float, number.findall(x))) for x in (FILE.read_text(), text))
        if len(old) != len(new) or not max(abs(a - b) for a, b in zip(old, new)) <= 1e-9:
            sys.exit(f"{FILE.name}: the values differ; run make_compound_laws.py")
        print(f"{FILE.name} agrees with nln.torch")
    elif sys.argv[1:]:
        sys.exit("usage: make_compound_laws.py [--check]")
    else:
        FILE.write_text(text)


if __name__ == "__main__":
    main()
