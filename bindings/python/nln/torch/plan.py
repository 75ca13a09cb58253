"""Expressions and the plan of a batch: every sub-expression is one row; see src/net/plan.h."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Callable

import numpy as np
import torch

NOT, AND, OR, VARIABLE, TRUE, FALSE, ATOM = range(7)
ROW_TRUE, ROW_FALSE, ROW_LEAF = range(3)

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s!&|(),"]+|\S')
ESCAPES = {"t": "\t", "n": "\n", "r": "\r"}


def name_of(token):
    """The name that a token stands for, or None for an operator."""
    if token[:1] != '"':
        return token if token and token not in "!&|()," else None
    return re.sub(r"\\(.)", lambda found: ESCAPES.get(found[1], found[1]), token[1:-1])


def parse(text, number_of, atom_of=None):
    """The nodes (op, argument) of `text` in postfix order.  `|` binds looser than `&`,
    `&` looser than `!`; a group in parentheses stays an operand of its own.  The argument
    is the number of a variable or of an atom, or how many operands there are."""
    tokens = TOKEN.findall(text)
    tokens.append("")
    nodes, at = [], 0

    def chain(symbol, op, operand):
        nonlocal at
        operand()
        n = 1
        while tokens[at] == symbol:
            at += 1
            operand()
            n += 1
        if n > 1:
            nodes.append((op, n))

    def arguments():
        nonlocal at
        found = []
        while tokens[at] in ("(", ","):
            found.append(name_of(tokens[at + 1]))
            at += 2
        if tokens[at] != ")" or None in found:
            raise ValueError(f"the arguments of an atom are not names in {text!r}")
        at += 1
        return tuple(found)

    def literal():
        nonlocal at
        token = tokens[at]
        at += 1
        name = name_of(token)
        if token == "!":
            literal()
            nodes.append((NOT, 1))
        elif token == "(":
            disjunction()
            if tokens[at] != ")":
                raise ValueError(f"a ) is missing in {text!r}")
            at += 1
        elif token in ("T", "F"):
            nodes.append((TRUE if token == "T" else FALSE, 0))
        elif name is None:
            raise ValueError(f"unexpected {token!r} in {text!r}")
        elif atom_of and tokens[at] == "(":
            nodes.append((ATOM, atom_of(name, arguments())))
        else:
            nodes.append((VARIABLE, number_of(name)))

    def conjunction():
        chain("&", AND, literal)

    def disjunction():
        chain("|", OR, conjunction)

    disjunction()
    if tokens[at]:
        raise ValueError(f"unexpected {tokens[at]!r} in {text!r}")
    return nodes


class Forest:
    """Expressions end to end, node by node, as arrays: op, argument, parent (-1 for a
    root) and height.  The height of an operation is above those of its operands and tells
    its kind, (height - 1) % 3 == kind, so that all operations of a height run together:
    in a DNF, NOT has height 1, AND 2 and OR 3, whatever the clause."""

    def __init__(self, expressions):
        op, argument, parent, height, start = [], [], [], [], [0]
        for nodes in expressions:
            stack = []
            for kind, n in nodes:
                n_operands = n if kind <= OR else 0
                operands = stack[len(stack) - n_operands :]
                del stack[len(stack) - n_operands :]
                stack.append(len(op))
                for i in operands:
                    parent[i] = len(op)
                least = max((height[i] for i in operands), default=0) + 1
                op.append(kind)
                argument.append(n)
                parent.append(-1)
                height.append(least + (kind + 1 - least) % 3 if operands else 0)
            start.append(len(op))
        self.op, self.argument, self.parent, self.height, self.start = (
            np.array(x, np.int64) for x in (op, argument, parent, height, start)
        )
        self.parent_height = np.where(self.parent < 0, 0, self.height[self.parent])

    def __len__(self):
        return len(self.start) - 1

    def literals(self, chosen):
        """The variables of each of the chosen expressions, with repetitions."""
        before = np.concatenate(([0], (self.op == VARIABLE).cumsum()))
        return before[self.start[chosen + 1]] - before[self.start[chosen]]

    def widest(self, chosen):
        """The operands of the AND or OR that has most in each of the chosen expressions; 1
        without any."""
        joins = (self.op == AND) | (self.op == OR)
        return np.maximum.reduceat(np.where(joins, self.argument, 1), self.start[:-1])[chosen]

    def frequency(self, n_variables):
        """Occurrences of each variable."""
        return np.bincount(self.argument[self.op == VARIABLE], minlength=n_variables)

    def take(self, chosen):
        """The nodes of the chosen expressions: their places in the arrays, their parents
        counted from the first of them, and the roots counted in the same way."""
        first, end = self.start[chosen], self.start[chosen + 1]
        n = end - first
        last = n.cumsum()
        shift = np.repeat(end - last, n)
        at = np.arange(last[-1]) + shift
        return at, self.parent[at] - shift, last - 1


@dataclass
class Group:
    kind: int
    first: int  # rows first .. last - 1
    last: int
    inputs: torch.Tensor  # [n] rows, or [2 n] rows: left, right, left, right, ...


def distinct(key):
    """np.unique(key, return_inverse=True, return_counts=True), with less ado."""
    order = key.argsort()
    key = key[order]
    new = np.empty(len(key) + 1, bool)
    new[0] = new[-1] = True
    np.not_equal(key[1:], key[:-1], out=new[1:-1])
    start = new.nonzero()[0]
    place = np.empty(len(key), np.int64)
    place[order] = new[:-1].cumsum() - 1
    return key[start[:-1]], place, start[1:] - start[:-1]


class Plan:
    """The rows of a batch: T, F, the variables, the atoms, then the operations in groups, which
    run one after the other.  Equal sub-expressions share a row, which counts them.  (In
    expressions that are no normal form, equal operations of two heights may have two rows;
    no sum depends on it.)"""

    def __init__(self, variables, atoms=np.empty(0, np.int64)):
        variables, self.place, count = distinct(variables)
        self.place += ROW_LEAF  # of each occurrence
        self.variables = torch.from_numpy(variables)
        self.atoms, self.atom_place, atom_count = distinct(atoms)
        self.n_variables, self.n_leaves = len(variables), len(variables) + len(self.atoms)
        self.atom_place += ROW_LEAF + self.n_variables
        self.n_rows = ROW_LEAF + self.n_leaves
        self.groups = []
        self.counts = [np.zeros(ROW_LEAF, np.int64), count, atom_count]

    def add(self, kind, left, right=None):
        """A group; returns the row of each (left[i], right[i])."""
        key = left if right is None else left << 32 | right
        key, place, count = distinct(key)
        if right is not None:
            inputs = np.empty(2 * len(key), np.int64)
            inputs[0::2], inputs[1::2] = key >> 32, key & 0xFFFFFFFF
            key = inputs
        first, self.n_rows = self.n_rows, self.n_rows + len(count)
        self.groups.append(Group(kind, first, self.n_rows, torch.from_numpy(key)))
        self.counts.append(count)
        return first + place

    def finish(self, roots):
        self.root = torch.from_numpy(roots)
        self.count = torch.from_numpy(np.concatenate(self.counts))
        return self

    def levels(self):
        """[n_rows] the operations on the longest way to a variable."""
        level = np.zeros(self.n_rows, np.int64)
        for group in self.groups:
            inputs = group.inputs.cpu().numpy().reshape(group.last - group.first, -1)
            level[group.first : group.last] = 1 + level[inputs].max(1)
        return level

    def to(self, device):
        """The same with its indices on a device."""
        if torch.device(device).type != "cpu":
            self.variables, self.root = self.variables.to(device), self.root.to(device)
            self.count = self.count.to(device)
            for group in self.groups:
                group.inputs = group.inputs.to(device)
        return self


def shuffle(size, row, random):
    """The operands of each operation in a random order."""
    return row[(np.arange(len(size)).repeat(size) + random.random(len(row))).argsort()]


def fold(plan, kind, size, row, random):
    """Joins operands one after the other, ((a b) c) d; see join."""
    if random:
        row = shuffle(size, row, random)
    start = size.cumsum() - size
    joined = row[start]
    for place in range(1, size.max(initial=0)):
        some = np.flatnonzero(size > place)
        left, right = joined[some], row[start[some] + place]
        if random:
            swapped = random.random(len(some)) < 0.5
            left, right = np.where(swapped, right, left), np.where(swapped, left, right)
        joined[some] = plan.add(kind, left, right)
    return joined


def join(plan, kind, size, row, random):
    """Joins operands pair by pair, level by level.  `row` holds the operands of each
    operation after those of the one before, `size` how many these are; with `random` they
    are shuffled at every level.  Returns the row of each operation."""
    while len(row) > len(size):
        if random:
            row = shuffle(size, row, random)
        start = size.cumsum() - size
        size = (size + 1) >> 1
        end = size.cumsum()
        # The first of each pair, or an odd last operand, which waits.
        at = 2 * np.arange(end[-1]) + np.repeat(start - 2 * (end - size), size)
        paired = np.append(at[1:], len(row)) - at == 2
        left, row_of_pair = at[paired], row[at]
        row_of_pair[paired] = plan.add(kind, row[left], row[left + 1])
        row = row_of_pair
    return row


ASSOCIATIONS: dict[str, Callable] = {"pairs": join, "fold": fold}  # by the names of `nln train`


def make_plan(forest, chosen, random=None, association="pairs", members=1, stride=0, n_atoms=0):
    """The plan of the chosen expressions; in the given order without `random`.  With several
    members each expression is planned for one after the other: root m * len(chosen) + i is
    expression i with its variables moved up by m * stride, and its atoms by m * n_atoms."""
    associate = ASSOCIATIONS[association]
    at, parent, root = forest.take(np.tile(chosen, members))
    op, parent_height = forest.op[at], forest.parent_height[at]
    member = np.arange(len(at)) // max(len(at) // members, 1)  # each has the same nodes
    leaf, atom = np.flatnonzero(op == VARIABLE), np.flatnonzero(op == ATOM)
    plan = Plan(forest.argument[at[leaf]] + member[leaf] * stride,
                forest.argument[at[atom]] + member[atom] * n_atoms)
    row = np.where(op == FALSE, ROW_FALSE, ROW_TRUE)
    row[leaf], row[atom] = plan.place, plan.atom_place
    for height in range(1, parent_height.max(initial=0) + 1):
        operand = np.flatnonzero(parent_height == height)
        kind = (height - 1) % 3
        if kind == NOT:
            row[parent[operand]] = ROW_FALSE  # of T
            operand = operand[row[operand] != ROW_TRUE]
            if len(operand):
                row[parent[operand]] = plan.add(NOT, row[operand])
        elif len(operand):
            operand = operand[parent[operand].argsort(kind="stable")]
            owner, _, size = distinct(parent[operand])
            row[owner] = associate(plan, kind, size, row[operand], random)
    return plan.finish(row[root])
