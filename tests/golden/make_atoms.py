#!/usr/bin/env python3
"""Writes atoms.h: vectors of atoms and their gradients as PyTorch computes them.

Every number of the input is sin(i) for a running i, so that the test in C makes the same input:
entities, then predicates, then the shared matrices, then the weights of the sum of all outputs,
whose gradient is taken.  The atoms are p(e0), q(e1, e2), q(e2, e2), r(e0, e1, e2)."""
import torch

DIM, HIDDEN, ENTITIES, PREDICATES, POSITIONS = 5, 4, 3, 3, 3
ATOMS = [(0, [0]), (1, [1, 2]), (1, [2, 2]), (2, [0, 1, 2])]


def numbers(start, *shape):
    n = 1
    for size in shape:
        n *= size
    return torch.sin(torch.arange(start, start + n, dtype=torch.float64)).reshape(shape), start + n


def mlp(entity, predicate, block, a):
    U = block[: POSITIONS * DIM * HIDDEN].reshape(POSITIONS, DIM, HIDDEN)
    W = block[POSITIONS * DIM * HIDDEN :].reshape(HIDDEN, DIM)
    z = predicate[a[0]] + sum(entity[e] @ U[k] for k, e in enumerate(a[1]))
    return torch.relu(z) @ W


def product(entity, predicate, block, a):
    even = DIM // 2 * 2
    re, im = predicate[a[0]][0:even:2], predicate[a[0]][1:even:2]
    last = predicate[a[0]][even:]
    for k, e in enumerate(a[1]):
        x, y = entity[e][0:even:2], entity[e][1:even:2] * (-1 if k % 2 else 1)
        re, im = re * x - im * y, re * y + im * x
        last = last * entity[e][even:]
    return torch.cat([torch.stack([re, im], 1).reshape(-1), last])


def print_array(name, values):
    text = ", ".join(f"{x:.15g}" for x in values.reshape(-1).tolist())
    print(f"static const double {name}[] = {{{text}}};")


print("/* Written by make_atoms.py. */")
for name, module, width, block_size in (
    ("mlp", mlp, HIDDEN, POSITIONS * DIM * HIDDEN + HIDDEN * DIM),
    ("product", product, DIM, 0),
):
    entity, at = numbers(1, ENTITIES, DIM)
    predicate, at = numbers(at, PREDICATES, width)
    block, at = numbers(at, block_size)
    weight, at = numbers(at, len(ATOMS), DIM)
    for x in (entity, predicate, block):
        x.requires_grad_()
    out = torch.stack([module(entity, predicate, block, a) for a in ATOMS])
    (out * weight).sum().backward()
    print_array(f"{name}_out", out.detach())
    print_array(f"{name}_dentity", entity.grad)
    print_array(f"{name}_dpredicate", predicate.grad)
    if block_size:
        print_array(f"{name}_dblock", block.grad)
