"""One network: T, the modules NOT, AND and OR, and the vectors of variables; see src/net/."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch.nn.functional import embedding

from .laws import cosine, relu_back
from .plan import AND, NOT, OR, ROW_FALSE, ROW_LEAF, ROW_TRUE, Group

INPUTS = {"not": 1, "and": 2, "or": 2}  # by name, in the order of NOT, AND, OR
EMBEDDINGS = ("free", "line", "arc", "line+rest", "arc+rest")
SOLVED, SUREST = 6.0, 0.99999  # the number of a solved variable, the largest margin of a result
PULLED = 4  # the first level whose results are pulled to the arc: see src/net/propagation.h


@dataclass
class Layers:
    """A module: relu(x into + bias) out."""

    into: torch.Tensor  # [inputs * dim, hidden]
    bias: torch.Tensor  # [hidden]
    out: torch.Tensor  # [hidden, dim]


@dataclass
class Relations:
    """The sizes of what atoms are made of; see src/net/atom_modules.h."""

    entities: int  # rows for all members
    predicates: int
    positions: int  # the largest arity
    kind: str = "mlp"  # or "product"


class Network(torch.nn.Module):
    """T, the modules and the variables.  The weights of the modules are one parameter, theta,
    so that the optimizer takes one step for all; `layers` and `tensors` show its parts.

    `activation` may be any function, but the program `nln` computes with relu alone.
    """

    def __init__(self, dim, hidden, n_variables, kind, alpha=10.0, dtype=torch.float32,
                 relations: Relations | None = None):
        super().__init__()
        self.dim, self.hidden, self.alpha = dim, hidden, alpha
        self.embedding = kind  # one of EMBEDDINGS
        self.activation = torch.relu
        self.shapes = []
        for inputs in INPUTS.values():
            self.shapes += [(inputs * dim, hidden), (hidden,), (hidden, dim)]
        self.sizes = [math.prod(shape) for shape in self.shapes]
        self.tiles = {}  # the memory of the laws, by rows
        self.sparse = False  # the gradient of the table
        self.relations = relations

        def parameter(*shape):
            return torch.nn.Parameter(torch.zeros(shape, dtype=dtype))

        self.register_buffer("truth", torch.zeros(dim, dtype=dtype))  # T
        self.register_buffer("axis", torch.zeros(dim, dtype=dtype))  # U of the arc
        self.theta = parameter(sum(self.sizes))
        # The numbers t on a curve, and the free vectors or rests.
        self.logit = None if kind == "free" else parameter(n_variables)
        has_vector = kind == "free" or kind.endswith("+rest")
        self.vector = parameter(n_variables, dim) if has_vector else None
        if relations:
            width = hidden if relations.kind == "mlp" else dim
            self.entity = parameter(relations.entities, dim)
            self.predicate = parameter(relations.predicates, width)
            if relations.kind == "mlp":
                self.atom_in = parameter(relations.positions * dim, hidden)
                self.atom_out = parameter(hidden, dim)

    # ---- its parts ---------------------------------------------------------------------

    @property
    def table(self):
        """The vectors of the variables or, on a curve, their numbers t."""
        return self.vector if self.logit is None else self.logit

    def parts(self, theta):
        return [x.view(shape) for x, shape in zip(theta.split(self.sizes), self.shapes)]

    def layers(self, theta):
        """Views of a tensor of theta's shape, by kind."""
        parts = self.parts(theta)
        return [Layers(*parts[i : i + 3]) for i in range(0, 9, 3)]

    def module_tensors(self, theta):
        """The same by the names of nln's model file."""
        names = [f"{module}.{part}" for module in INPUTS for part in ("in", "bias", "out")]
        return dict(zip(names, self.parts(theta)))

    def tensors(self):
        """Every tensor of the network by the name that nln's model file gives it."""
        found = self.module_tensors(self.theta) | {"true": self.truth}
        if self.embedding.startswith("arc"):
            found["axis"] = self.axis
        for name, tensor in (("variables.logit", self.logit), ("variables.vector", self.vector)):
            if tensor is not None:
                found[name] = tensor
        if self.relations:
            found |= {"entities.vector": self.entity, "predicates.vector": self.predicate}
            if self.relations.kind == "mlp":
                found |= {"atoms.in": self.atom_in, "atoms.out": self.atom_out}
        return found

    @torch.no_grad()
    def draw(self, scale, variables, generator):
        """As nln_net_draw: N(0, scale), or fan-in scaling for a scale of 0."""

        def normal(x, deviation):
            x.copy_(deviation * torch.randn(x.shape, generator=generator))

        for m in self.layers(self.theta):
            normal(m.into, scale or math.sqrt(2 / len(m.into)))
            normal(m.bias, scale)
            normal(m.out, scale or math.sqrt(1 / self.hidden))
        self.truth.uniform_(generator=generator)
        normal(self.axis, 1)
        self.axis -= self.axis @ self.truth / self.truth.square().sum() * self.truth
        self.axis *= self.truth.norm() / self.axis.norm()
        for table in (self.logit, self.vector):
            if table is not None:
                normal(table, variables)

    # ---- logic on vectors: rows, or one vector ---------------------------------------------

    def _apply_layers(self, kind, x):
        m = self.layers(self.theta)[kind]
        return self.activation(x @ m.into + m.bias) @ m.out

    def NOT(self, a):
        return self._apply_layers(NOT, a)

    def AND(self, a, b):
        return self._apply_layers(AND, torch.cat(torch.broadcast_tensors(a, b), -1))

    def OR(self, a, b):
        return self._apply_layers(OR, torch.cat(torch.broadcast_tensors(a, b), -1))

    @property
    def T(self):
        return self.truth

    @property
    def F(self):
        return self.NOT(self.truth)

    def similarity(self, a, b):
        """Sim(a, b) = sigmoid(alpha cos(a, b)), row by row."""
        return torch.sigmoid(self.alpha * cosine(a, b))

    # ---- variables and atoms -----------------------------------------------------------------

    def entries(self, rows):
        """Rows of the table."""
        if self.sparse:
            return embedding(rows, self.table, sparse=True)
        return self.table.index_select(0, rows)

    def vectors(self, rows=None, noise=None, settle=(0, 0)):
        """[n, dim] the vectors of variables, all or some.  With settle = (members, stride) the
        members of each vote for its solved value: see src/net/propagation.c."""
        if rows is None:
            rows = torch.arange(len(self.table), device=self.table.device)
        if self.embedding == "free":
            return self.entries(rows)
        t = self._settled(rows, *settle) if settle[0] else self.entries(rows)
        t = t if noise is None else t + noise
        if self.embedding.startswith("arc"):
            x = t / 3
            found = torch.outer(torch.tanh(x), self.T) + torch.outer(1 / torch.cosh(x), self.axis)
        else:
            share = torch.sigmoid(t)
            found = torch.outer(share, self.T) + torch.outer(1 - share, self.F)
        return found if self.vector is None else found + self.vector.index_select(0, rows)

    def _settled(self, rows, members, stride):
        each = self.logit.index_select(0, (rows + stride * torch.arange(members)[:, None].to(rows))
                                       .flatten()).view(members, -1)
        vote = torch.sigmoid(self.alpha * torch.tanh(each / 3)).mean(0)
        return torch.where(vote > 0.5, SOLVED, -SOLVED)

    def atoms(self, predicate, arguments):
        """[n, dim] the vectors of atoms that all have the same number of arguments: `predicate`
        is [n] and `arguments` [n, arity], rows of the tables."""
        v, E = self.predicate.index_select(0, predicate), self.entity
        if self.relations.kind == "mlp":
            for place in range(arguments.shape[1]):
                U = self.atom_in[place * self.dim : (place + 1) * self.dim]
                v = v + E.index_select(0, arguments[:, place]) @ U
            return self.activation(v) @ self.atom_out
        for place in range(arguments.shape[1]):
            v = multiply(v, E.index_select(0, arguments[:, place]), place % 2)
        return v


def multiply(x, y, conjugate):
    """x * y or x * conj(y), in complex pairs; the last of an odd number is real."""
    n, sign = x.shape[1] // 2 * 2, -1 if conjugate else 1
    a, b, c, d = x[:, 0:n:2], x[:, 1:n:2], y[:, 0:n:2], y[:, 1:n:2]
    pairs = torch.stack((a * c - sign * b * d, sign * a * d + b * c), -1).flatten(1)
    return torch.cat((pairs, x[:, n:] * y[:, n:]), 1)


# ---- the tree ----------------------------------------------------------------------


def pulled_to_arc(net, y):
    """The points of the arc with the same truth, but twice as sure: with cos(y, T) = tanh(x), the
    points of 2 x."""
    x = 2 * torch.atanh(cosine(y, net.truth).clamp(-SUREST, SUREST))
    return torch.outer(torch.tanh(x), net.T) + torch.outer(1 / torch.cosh(x), net.axis)


def tree(net, plan, leaves, kept, settled=False):
    """[n_rows, dim] the vector of every row, as PyTorch differentiates it.  `kept` scales
    the hidden layers of the operations, or is None; `settled` is for expressions longer than those
    of training."""
    layers, first = net.layers(net.theta), ROW_LEAF + plan.n_leaves
    level = plan.levels() if settled else None
    H = torch.cat((net.T[None], net.F[None], leaves))
    for g in plan.groups:
        m = layers[g.kind]
        X = H.index_select(0, g.inputs).view(g.last - g.first, -1)
        Z = net.activation(torch.addmm(m.bias, X, m.into))
        if kept is not None:
            Z = Z * kept[g.first - first : g.last - first]
        Y = Z @ m.out
        if settled:
            is_deep = torch.from_numpy(level[g.first : g.last] >= PULLED).to(Y.device)
            Y = torch.where(is_deep[:, None], pulled_to_arc(net, Y), Y)
        H = torch.cat((H, Y))
    return H


class Tree(torch.autograd.Function):
    """The same by hand, for relu: every group is written into one H, and backward adds up one dH
    and one tensor for all weights."""

    @staticmethod
    def forward(ctx, theta, leaves, net, plan, kept, scale):
        """`scale` is that of the units which `kept` keeps."""
        layers, first = net.layers(theta), ROW_LEAF + plan.n_leaves
        H = leaves.new_empty(plan.n_rows, net.dim)
        H[ROW_TRUE] = net.truth
        H[ROW_LEAF:first] = leaves
        falsehood = Group(NOT, ROW_FALSE, ROW_LEAF, torch.tensor([ROW_TRUE]))
        ctx.steps = []
        for g in [falsehood, *plan.groups]:
            m = layers[g.kind]
            X = H.index_select(0, g.inputs).view(g.last - g.first, -1)
            Z = torch.addmm(m.bias, X, m.into).relu_()
            if kept is not None and g.first >= first:
                Z *= kept[g.first - first : g.last - first]
            torch.mm(Z, m.out, out=H[g.first : g.last])
            ctx.steps.append((g, X, Z))
        ctx.net, ctx.theta, ctx.plan, ctx.scale = net, theta, plan, scale
        return H

    @staticmethod
    def backward(ctx, gradient):
        net, dH, dtheta = ctx.net, gradient.clone(), torch.zeros_like(ctx.theta)
        layers, gradients = net.layers(ctx.theta), net.layers(dtheta)
        for g, X, Z in reversed(ctx.steps):
            m, dm = layers[g.kind], gradients[g.kind]
            dY = dH[g.first : g.last]
            dZ = torch.mm(dY, m.out.t())
            relu_back(dZ, Z)
            if ctx.scale != 1 and g.first >= ROW_LEAF:
                dZ *= ctx.scale
            dm.out.addmm_(Z.t(), dY)
            dm.into.addmm_(X.t(), dZ)
            dm.bias += dZ.sum(0)
            if g.first >= ROW_LEAF:  # T has no gradient
                dH.index_add_(0, g.inputs, torch.mm(dZ, m.into.t()).view(-1, net.dim))
        return dtheta, dH[ROW_LEAF : ROW_LEAF + ctx.plan.n_leaves], None, None, None, None
