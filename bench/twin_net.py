"""The network, the tree and the objective, for torch_twin.py; see src/net/."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits, embedding

from twin_laws import Laws, cosine, laws, relu_back
from twin_plan import NOT, ROW_FALSE, ROW_LEAF, ROW_TRUE, Group

# ---- the network -------------------------------------------------------------------

INPUTS = {"not": 1, "and": 2, "or": 2}  # by name, in the order of NOT, AND, OR


@dataclass
class Module:
    into: torch.Tensor  # [inputs * dim, hidden]
    bias: torch.Tensor  # [hidden]
    out: torch.Tensor  # [hidden, dim]


class Net:
    """T, the modules and the variables.  The weights of the modules are one tensor, theta,
    so that the optimizer takes one step for all."""

    def __init__(self, dim, hidden, n_variables, kind, alpha=10.0, dtype=torch.float32):
        self.dim, self.hidden, self.alpha = dim, hidden, alpha
        self.embedding = kind  # "free" or "arc"
        self.shapes = []
        for inputs in INPUTS.values():
            self.shapes += [(inputs * dim, hidden), (hidden,), (hidden, dim)]
        self.sizes = [math.prod(shape) for shape in self.shapes]
        self.truth = torch.zeros(dim, dtype=dtype)
        self.axis = torch.zeros(dim, dtype=dtype)  # U of the arc
        self.theta = torch.zeros(sum(self.sizes), dtype=dtype, requires_grad=True)
        shape = (n_variables, dim) if kind == "free" else (n_variables,)
        self.tiles = {}  # the memory of the laws, by rows
        self.sparse = False  # the gradient of the table
        # The vectors of the variables, or their numbers t on the arc.
        self.table = torch.zeros(shape, dtype=dtype, requires_grad=True)

    def parts(self, theta):
        return [x.view(shape) for x, shape in zip(theta.split(self.sizes), self.shapes)]

    def modules(self, theta):
        """Views of a tensor of theta's shape, by kind."""
        parts = self.parts(theta)
        return [Module(*parts[i : i + 3]) for i in range(0, 9, 3)]

    def named(self, theta):
        """The same as nln's model file names them."""
        names = [f"{module}.{part}" for module in INPUTS for part in ("in", "bias", "out")]
        return dict(zip(names, self.parts(theta)))

    @torch.no_grad()
    def draw(self, scale, variables, generator):
        """As nln_net_draw: N(0, scale), or fan-in scaling for a scale of 0."""

        def normal(x, deviation):
            x.copy_(deviation * torch.randn(x.shape, generator=generator))

        for m in self.modules(self.theta):
            normal(m.into, scale or math.sqrt(2 / len(m.into)))
            normal(m.bias, scale)
            normal(m.out, scale or math.sqrt(1 / self.hidden))
        self.truth.uniform_(generator=generator)
        normal(self.axis, 1)
        self.axis -= self.axis @ self.truth / self.truth.square().sum() * self.truth
        self.axis *= self.truth.norm() / self.axis.norm()
        normal(self.table, variables)

    def entries(self, plan):
        """The rows of the table that belong to the plan's variables."""
        if self.sparse:
            return embedding(plan.variables, self.table, sparse=True)
        return self.table.index_select(0, plan.variables)

    def leaves(self, plan, noise=None):
        """[n_leaves, dim] the vectors of the plan's variables."""
        entries = self.entries(plan)
        if self.embedding == "free":
            return entries
        x = (entries if noise is None else entries + noise) / 3
        return torch.outer(torch.tanh(x), self.truth) + torch.outer(1 / torch.cosh(x), self.axis)


# ---- the tree ----------------------------------------------------------------------


def tree(net, plan, leaves, kept):
    """[n_rows, dim] the vector of every row, as PyTorch differentiates it.  `kept` scales
    the hidden layers of the operations, or is None."""
    modules, first = net.modules(net.theta), ROW_LEAF + plan.n_leaves
    m = modules[NOT]
    falsehood = torch.relu(net.truth @ m.into + m.bias) @ m.out
    H = torch.cat((net.truth[None], falsehood[None], leaves))
    for g in plan.groups:
        m = modules[g.kind]
        X = H.index_select(0, g.inputs).view(g.last - g.first, -1)
        Z = torch.relu(torch.addmm(m.bias, X, m.into))
        if kept is not None:
            Z = Z * kept[g.first - first : g.last - first]
        H = torch.cat((H, Z @ m.out))
    return H


class Tree(torch.autograd.Function):
    """The same by hand: every group is written into one H, and backward adds up one dH and
    one tensor for all weights."""

    @staticmethod
    def forward(ctx, theta, leaves, net, plan, kept, scale):
        """`scale` is that of the units which `kept` keeps."""
        modules, first = net.modules(theta), ROW_LEAF + plan.n_leaves
        H = leaves.new_empty(plan.n_rows, net.dim)
        H[ROW_TRUE] = net.truth
        H[ROW_LEAF:first] = leaves
        falsehood = Group(NOT, ROW_FALSE, ROW_LEAF, torch.tensor([ROW_TRUE]))
        ctx.steps = []
        for g in [falsehood, *plan.groups]:
            m = modules[g.kind]
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
        modules, gradients = net.modules(ctx.theta), net.modules(dtheta)
        for g, X, Z in reversed(ctx.steps):
            m, dm = modules[g.kind], gradients[g.kind]
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


# ---- the objective -----------------------------------------------------------------


@dataclass
class Objective:
    """By the names of `nln train`; every term is a sum over the batch."""

    law_weight: float = 0.0
    law_sample: float = 1.0
    length_weight: float = 0.0
    l2: float = 0.0
    l2_variables: float = 0.0
    l2_logit: float = 0.0
    noise: float = 0.0
    dropout: float = 0.0
    logit_noise: float = 0.0
    gradients: str = "manual"  # or "autograd"
    frequency: torch.Tensor = None  # [n_variables] occurrences in the training set


def draw_kept(random, share, shape):
    """0 for what is dropped, else 1 / (1 - share).  Sixteen random bits each: numpy draws
    these several times faster than torch."""
    bits = random.integers(0, 1 << 16, shape, dtype=np.uint16)
    return torch.from_numpy(
        np.multiply(bits >= int(share * (1 << 16)), 1 / (1 - share), dtype=np.float32)
    )


def forward(net, plan, o=Objective(), random=None):
    """[n_rows, dim] the vectors of a plan; with `random`, those of training."""
    kept, noise, dropout = None, None, o.dropout if random else 0
    if dropout:
        n = plan.n_rows - ROW_LEAF - plan.n_leaves
        kept = draw_kept(random, dropout, (n, net.hidden))
    if random and o.logit_noise:
        noise = torch.from_numpy(random.normal(0, o.logit_noise, plan.n_leaves)).to(net.theta)
    leaves = net.leaves(plan, noise)
    if o.gradients == "autograd":
        return tree(net, plan, leaves, kept)
    return Tree.apply(net.theta, leaves, net, plan, kept, 1 / (1 - dropout))


def scores(net, plan, H):
    """alpha cos(e, T) of the expressions."""
    return net.alpha * cosine(H.index_select(0, plan.root), net.truth)


def data_terms(score, labels, noise):
    if noise == 0:
        return binary_cross_entropy_with_logits(score, labels, reduction="sum")
    p = torch.sigmoid(torch.where(labels > 0, score, -score))
    return -torch.log((1 - noise) * p + noise * (1 - p)).sum()


def law_terms(net, H, count, o, random):
    rows, weight, F = H[ROW_LEAF:], count[ROW_LEAF:], H[ROW_FALSE]
    if o.law_sample < 1:
        chosen = torch.from_numpy(np.flatnonzero(random.random(len(rows)) < o.law_sample))
        rows, weight = rows.index_select(0, chosen), weight.index_select(0, chosen)
    weight = weight * (o.law_weight / o.law_sample)
    if o.gradients == "autograd":
        terms = laws(net, rows, F, weight)
    else:
        terms = Laws.apply(net.theta, rows, F, net, weight)
    return terms + o.law_weight * torch.sigmoid(net.alpha * cosine(F, net.truth))


def l2_terms(net, plan, count, o):
    terms = o.l2 * net.theta.square().sum()
    entries = net.entries(plan)
    if net.embedding == "free":
        return terms + o.l2_variables * entries.square().sum()
    share = count[ROW_LEAF : ROW_LEAF + plan.n_leaves]
    if o.frequency is not None:
        share = share / o.frequency[plan.variables]
    return terms + o.l2_logit * (share * entries.square()).sum()


def objective(net, plan, H, labels, o, random=None):
    """The parts of the loss that have a weight, by name."""
    count = plan.count.to(H.dtype)
    parts = {"data": data_terms(scores(net, plan, H), labels, o.noise)}
    if o.law_weight:
        parts["laws"] = law_terms(net, H, count, o, random)
    if o.length_weight:
        parts["length"] = o.length_weight * (count[ROW_LEAF:] @ H[ROW_LEAF:].square().sum(-1))
    if o.l2 or o.l2_variables or o.l2_logit:
        parts["l2"] = l2_terms(net, plan, count, o)
    return parts
