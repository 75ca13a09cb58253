"""The loss of a batch: the data, the laws, the length of vectors and l2; see src/net/objective.h."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from .laws import COMPOUND_LAWS, LAWS, Laws, compound_laws, cosine, laws
from .network import Tree, tree
from .plan import ROW_FALSE, ROW_LEAF

ENOUGH = 24  # occurrences after which the prior of a variable's number fades


@dataclass
class Objective:
    """By the names of `nln train`; every term is a sum over the batch or, with reduce = mean, a
    mean over its expressions or vectors."""

    law_weight: float = 0.0
    law_sample: float = 1.0
    laws: tuple = tuple(LAWS)
    length_weight: float = 0.0
    l2: float = 0.0
    l2_variables: float = 0.0
    l2_logit: float = 0.0
    noise: float = 0.0
    dropout: float = 0.0
    dropout_variables: float = 0.0
    logit_noise: float = 0.0
    reduce: str = "sum"  # or "mean"
    gradients: str = "autograd"  # or "manual": by hand, for relu and all ten laws of one vector
    frequency: torch.Tensor | None = field(default=None, repr=False)
    # [variables] occurrences in the training set, for one member


def draw_kept(random, share, shape, like):
    """0 for what is dropped, else 1 / (1 - share).  Sixteen random bits each: numpy draws
    these several times faster than torch."""
    bits = random.integers(0, 1 << 16, shape, dtype=np.uint16)
    kept = np.multiply(bits >= int(share * (1 << 16)), 1 / (1 - share), dtype=np.float32)
    return torch.from_numpy(kept).to(like)


def forward(net, plan, o=Objective(), random=None, atom_vectors=None, settle=(0, 0)):
    """[n_rows, dim] the vectors of a plan; with `random`, those of training.  `atom_vectors` are
    those of the plan's atoms."""
    kept, noise, dropout = None, None, o.dropout if random else 0
    if dropout:
        n = plan.n_rows - ROW_LEAF - plan.n_leaves
        kept = draw_kept(random, dropout, (n, net.hidden), net.theta)
    if random and o.logit_noise:
        noise = torch.from_numpy(random.normal(0, o.logit_noise, plan.n_variables)).to(net.theta)
    leaves = net.vectors(plan.variables, noise, settle)
    if random and o.dropout_variables:
        leaves = leaves * draw_kept(random, o.dropout_variables, leaves.shape, leaves)
    if atom_vectors is not None:
        leaves = torch.cat((leaves, atom_vectors))
    if o.gradients == "autograd":
        return tree(net, plan, leaves, kept, settle[0] > 0)
    return Tree.apply(net.theta, leaves, net, plan, kept, 1 / (1 - dropout))


def scores(net, plan, H):
    """alpha cos(e, T) of the expressions."""
    return net.alpha * cosine(H.index_select(0, plan.root), net.truth)


def data_terms(score, labels, noise, weight=None):
    """The cross-entropy; `weight` is that of each expression, or None."""
    if noise == 0:
        return binary_cross_entropy_with_logits(score, labels, weight, reduction="sum")
    p = torch.sigmoid(score)
    true, false = (1 - noise) * p + noise * (1 - p), (1 - noise) * (1 - p) + noise * p
    terms = -labels * torch.log(true) - (1 - labels) * torch.log(false)
    return (terms if weight is None else weight * terms).sum()


def law_terms(net, H, count, o, random, factor):
    rows, F = np.arange(ROW_LEAF, len(H)), H[ROW_FALSE]
    sample = o.law_sample if random else 1
    if sample < 1:
        rows = rows[random.random(len(rows)) < sample]
    chosen = torch.from_numpy(rows).to(H.device)
    w, weight = H.index_select(0, chosen), count.index_select(0, chosen)
    weight = weight * (factor * o.law_weight / sample)
    single = tuple(name for name in o.laws if name in LAWS)
    compound = tuple(name for name in o.laws if name in COMPOUND_LAWS)
    terms = H.new_zeros(())
    if single and o.gradients == "autograd":
        terms = laws(net, w, F, weight, single)
    elif len(single) == len(LAWS):
        terms = Laws.apply(net.theta, w, F, net, weight)
    elif single:
        raise ValueError("gradients by hand are those of all ten laws: use gradients='autograd'")
    if compound:
        key = int(random.integers(1 << 63)) if random else 0
        terms = terms + compound_laws(net, H, rows, weight, compound, key)
    if "negation" in single:
        terms = terms + factor * o.law_weight * net.similarity(F, net.truth)
    return terms


def prior(o, rows, like):
    """The weight of each variable's squared number t at one occurrence."""
    if o.frequency is None:
        return torch.full_like(like, o.l2_logit)
    n = o.frequency.to(like)[rows % len(o.frequency)].clamp_min(1)
    told = n * (1 - 2 * o.noise) ** 2
    return o.l2_logit / n * torch.where(told > ENOUGH, (ENOUGH / told) ** 8, torch.ones_like(n))


def l2_terms(net, plan, count, o, factor):
    terms = o.l2 * net.theta.square().sum()
    if net.vector is not None:
        rows = net.entries(plan.variables) if net.logit is None else net.vector[plan.variables]
        terms = terms + o.l2_variables * rows.square().sum()
    if net.logit is not None:
        t = net.entries(plan.variables)
        share = count[ROW_LEAF : ROW_LEAF + plan.n_variables]
        terms = terms + factor * (prior(o, plan.variables, t) * share * t.square()).sum()
    return terms


def objective(net, plan, H, labels, o, random=None, per_expression=1.0, weight=None):
    """The parts of the loss that have a weight, by name."""
    count = plan.count.to(H.dtype)
    per_vector = 1 / float(count.sum()) if o.reduce == "mean" else 1.0
    data = data_terms(scores(net, plan, H), labels, o.noise, weight)
    parts = {"data": data * per_expression if per_expression != 1 else data}
    if o.law_weight and o.laws:
        parts["laws"] = law_terms(net, H, count, o, random, per_vector)
    if o.length_weight:
        weight = o.length_weight * per_vector
        parts["length"] = weight * (count[ROW_LEAF:] @ H[ROW_LEAF:].square().sum(-1))
    if o.l2 or o.l2_variables or o.l2_logit:
        parts["l2"] = l2_terms(net, plan, count, o, per_expression)
    return parts
