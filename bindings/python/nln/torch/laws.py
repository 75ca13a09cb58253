"""The laws of logic: the ten of one vector, as PyTorch differentiates them and by hand, and those
of two or three.

The first layer of AND(a, b) is a sum of two projections.  Each row w is projected once,
as first and as second operand, and the laws add what they need; see src/net/laws.h.
"""

import math

import numpy as np
import torch

from .plan import AND, NOT, OR, ROW_LEAF

TINY = 1e-9  # a shorter vector has no direction
TILE = 512  # rows whose vectors under the laws fit the cache


def cosine(x, y):
    """cos of the rows of x with those of y, or with the vector y."""
    norms = torch.linalg.vector_norm(x, dim=-1) * torch.linalg.vector_norm(y, dim=-1)
    return (x @ y if y.dim() == 1 else (x * y).sum(-1)) / norms.clamp_min(TINY)


# ---- as PyTorch differentiates them ------------------------------------------------


# name: (module, second operand, right side); by the names of `nln inspect`.
LAWS = {
    "negation": (NOT, "", "w"),
    "double_negation": (NOT, "not", "w"),
    "and_identity": (AND, "T", "w"),
    "and_annihilator": (AND, "F", "F"),
    "and_idempotence": (AND, "w", "w"),
    "and_complementation": (AND, "not", "F"),
    "or_annihilator": (OR, "T", "T"),
    "or_identity": (OR, "F", "w"),
    "or_idempotence": (OR, "w", "w"),
    "or_complementation": (OR, "not", "T"),
}


def laws(net, w, F, weight, names=tuple(LAWS)):
    """The sum over the rows of w of weight * Sim for the first law, whose sides should be
    unlike, and of weight * (1 - Sim) for the others."""
    layers, d, active = net.layers(net.theta), net.dim, net.activation
    sides = {"T": net.truth, "F": F, "w": w, "not": net.NOT(w)}
    left = {kind: torch.addmm(layers[kind].bias, w, layers[kind].into[:d]) for kind in (AND, OR)}

    def left_side(kind, second):
        if kind == NOT:
            return net.NOT(sides["not"]) if second else sides["not"]
        m = layers[kind]
        return active(left[kind] + sides[second] @ m.into[d:]) @ m.out

    terms = w.new_zeros(len(w))
    for name in names:
        kind, second, right = LAWS[name]
        sim = net.similarity(left_side(kind, second), sides[right])
        terms = terms + (sim if name == "negation" else 1 - sim)
    return terms @ weight


# ---- of two or three vectors -------------------------------------------------------


# name: both sides in postfix; see src/net/law_table.h.
COMPOUND_LAWS = {
    "and_associativity": ("ab&c&", "abc&&"),
    "or_associativity": ("ab|c|", "abc||"),
    "and_commutativity": ("ab&", "ba&"),
    "or_commutativity": ("ab|", "ba|"),
    "and_distributivity": ("abc|&", "ab&ac&|"),
    "or_distributivity": ("abc&|", "ab|ac|&"),
    "de_morgan_and": ("ab&!", "a!b!|"),
    "de_morgan_or": ("ab|!", "a!b!&"),
}


def names_of(text):
    """The laws that the option --laws names."""
    groups, found = {"all": tuple(LAWS), "compound": tuple(COMPOUND_LAWS)}, ()
    for word in text.split(","):
        found += groups.get(word, (word,))
    return tuple(dict.fromkeys(found))


def mix(x):
    """nln_random_mix of 64-bit numbers."""
    x = np.asarray(x, np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def partners(key, rows, which, n_rows):
    """The rows that join `rows` as b (which 0) or c (which 1), as src/net/compound_laws.c draws
    them: of ROW_LEAF .. n_rows - 1."""
    bits = mix(np.uint64(key) ^ mix(2 * np.asarray(rows, np.uint64) + np.uint64(which)))
    return ROW_LEAF + ((bits >> np.uint64(32)) * np.uint64(n_rows - ROW_LEAF)
                       >> np.uint64(32)).astype(np.int64)


def compound_laws(net, H, rows, weight, names=tuple(COMPOUND_LAWS), key=0):
    """The sum over rows of H of weight * (1 - Sim) for each law, every row as a with two others
    as b and c."""
    vectors = {"a": H.index_select(0, torch.from_numpy(rows).to(H.device))}
    for which, name in enumerate("bc"):
        drawn = torch.from_numpy(partners(key, rows, which, len(H))).to(H.device)
        vectors[name] = H.index_select(0, drawn)

    def side(text):
        stack = []
        for sign in text:
            if sign in vectors:
                stack.append(vectors[sign])
            elif sign == "!":
                stack.append(net.NOT(stack.pop()))
            else:
                b, a = stack.pop(), stack.pop()
                stack.append(net.AND(a, b) if sign == "&" else net.OR(a, b))
        return stack.pop()

    terms = H.new_zeros(len(rows))
    for name in names:
        left, right = COMPOUND_LAWS[name]
        terms = terms + 1 - net.similarity(side(left), side(right))
    return terms @ weight


# ---- by hand -----------------------------------------------------------------------

# The ten left sides lie in Y so that those compared with T, with w and with F are
# neighbours: OR with T, NOT w, F, w; then NOT w, NOT NOT w; then AND with T, w, F, NOT w.
LIKE_T, LIKE_W, LIKE_F = slice(0, 2), slice(2, 8), slice(8, 10)
IN_OR, IN_NOT, IN_TWICE, IN_AND = slice(0, 4), 4, 5, slice(6, 10)
BINARY = (  # kind, blocks of Y; among these the block with T, F, w, NOT w
    (AND, IN_AND, 0, 2, 1, 3),
    (OR, IN_OR, 0, 2, 3, 1),
)


def inverse_norm(x):
    norm = torch.linalg.vector_norm(x, dim=-1)
    return norm.reciprocal().masked_fill_(norm <= TINY, 0)


def relu_back(dz, z):
    """dz = 0 where z is."""
    torch.ops.aten.threshold_backward(dz, z, 0, grad_input=dz)


class Shared:
    """What all tiles of a batch share: the five first layers side by side (AND's and OR's
    for their first operand, NOT's, AND's and OR's for their second) and, added up by the
    tiles, the gradients."""

    def __init__(self, net, theta, F):
        d, h = net.dim, net.hidden
        self.net, self.T, self.F = net, net.truth, F
        n, a, o = net.layers(theta)
        self.into = torch.cat((a.into[:d], o.into[:d], n.into, a.into[d:], o.into[d:]), 1)
        self.of_not = self.into[:, 2 * h :]  # the last three
        self.second = self.into[:, 3 * h :]  # the last two
        self.bias = torch.cat((a.bias, o.bias, n.bias, a.bias.new_zeros(2 * h)))
        self.bias_of_not = self.bias[2 * h :]
        self.out = [n.out, a.out, o.out]
        self.out_back = [x.t() for x in self.out]
        self.into_back, self.of_not_back = self.into.t(), self.of_not.t()
        self.projected = [(x @ self.second).split(h) for x in (net.truth, F)]

        self.of_constant = F.new_ones(10, 1)  # 1 / |target|, where that is T or F
        self.of_constant[LIKE_T], self.of_constant[LIKE_F] = inverse_norm(self.T), inverse_norm(F)
        self.slope = F.new_full((10, 1), -net.alpha)
        self.slope[IN_NOT] = net.alpha  # should be unlike

        self.sims = F.new_zeros(10)  # the weighted sum of Sim, law by law
        self.dinto, self.dbias = torch.zeros_like(self.into), torch.zeros_like(self.bias)
        self.dof_not, self.dbias_not = self.dinto[:, 2 * h :], self.dbias[2 * h : 3 * h]
        self.dout = [torch.zeros_like(x) for x in self.out]
        self.dprojected = F.new_zeros(2, 2, h)  # of T, F; for AND, OR
        self.dF = torch.zeros_like(F)

    def loss(self, weight):
        return 9 * weight.sum() + self.sims[IN_NOT] * 2 - self.sims.sum()

    def gradients(self):
        """Of theta and F."""
        h, dprojected = self.net.hidden, self.dprojected.view(2, -1)
        self.dinto[:, 3 * h :].addmm_(torch.stack((self.T, self.F), 1), dprojected)
        self.dF.addmv_(self.second, dprojected[1])
        a, o, n, a2, o2 = self.dinto.split(h, 1)
        da, do, dn = self.dbias[: 3 * h].split(h)
        dnot, dand, dor = self.dout
        parts = (n, dn, dnot, a, a2, da, dand, o, o2, do, dor)
        return torch.cat([part.reshape(-1) for part in parts]), self.dF


class Tile:
    """n rows on their way through the laws.  Nothing uses the result of a law but its own
    term, so a tile goes forward, through its terms and backward at once, in memory that
    stays in the cache.  It is made once for each n, as views take PyTorch some time."""

    def __init__(self, memory, n, d, h):
        def take(*shape):
            nonlocal memory
            block, memory = memory.split((math.prod(shape), len(memory) - math.prod(shape)))
            return block.view(shape)

        self.ones = memory.new_ones(n)
        self.P, self.dP = take(n, 5 * h), take(n, 5 * h)  # the projections of w
        self.left, self.right = self.P[:, : 2 * h].split(h, 1), self.P[:, 3 * h :].split(h, 1)
        self.dleft, self.dright = self.dP[:, : 2 * h].split(h, 1), self.dP[:, 3 * h :].split(h, 1)
        self.z_not, self.dz_not = self.P[:, 2 * h : 3 * h], self.dP[:, 2 * h : 3 * h]
        self.Q, self.dQ = take(n, 3 * h), take(n, 3 * h)  # and of NOT w
        self.negated, self.dnegated = self.Q[:, h:].split(h, 1), self.dQ[:, h:].split(h, 1)
        self.z_twice, self.dz_twice = self.Q[:, :h], self.dQ[:, :h]
        self.not_w = take(n, d)

        self.Y = take(10, n, d)  # the left sides, then their gradients
        self.like_T, self.like_W, self.like_F = self.Y[LIKE_T], self.Y[LIKE_W], self.Y[LIKE_F]
        self.y_not, self.y_twice = self.Y[IN_NOT], self.Y[IN_TWICE]
        self.y = [self.Y[blocks].view(4 * n, d) for _, blocks, *_ in BINARY]
        self.Z = [take(4, n, h) for _ in BINARY]  # hidden layers
        self.z = [Z.view(4 * n, h) for Z in self.Z]
        self.dZ = take(4, n, h)
        self.dz = self.dZ.view(4 * n, h)
        self.product = take(6, n, d)
        self.cos = take(10, n)

    @staticmethod
    def size(n, d, h):
        return n * (10 + 17 * d + 28 * h)

    def forward(self, s, w):
        torch.addmm(s.bias, w, s.into, out=self.P)
        self.z_not.relu_()
        torch.mm(self.z_not, s.out[NOT], out=self.not_w)
        self.y_not.copy_(self.not_w)
        torch.addmm(s.bias_of_not, self.not_w, s.of_not, out=self.Q)
        self.z_twice.relu_()
        torch.mm(self.z_twice, s.out[NOT], out=self.y_twice)
        T, F = s.projected
        for i, (kind, _, with_T, with_F, with_w, with_not) in enumerate(BINARY):
            Z, left = self.Z[i], self.left[i]
            torch.add(left, T[i], out=Z[with_T])
            torch.add(left, F[i], out=Z[with_F])
            torch.add(left, self.right[i], out=Z[with_w])
            torch.add(left, self.negated[i], out=Z[with_not])
            Z.relu_()
            torch.mm(self.z[i], s.out[kind], out=self.y[i])

    def terms(self, s, w, weight, dw):
        """Replaces Y by its gradient; writes dw, and adds to dF, as those of right sides."""
        Y, cos, product, d = self.Y, self.cos, self.product, w.shape[1]
        of_y, of_w = inverse_norm(Y), inverse_norm(w)
        cross = of_y * s.of_constant
        cross[LIKE_W] *= of_w
        torch.mul(self.like_W, w, out=product)
        torch.sum(product, -1, out=cos[LIKE_W])
        torch.mv(self.like_T.view(-1, d), s.T, out=cos[LIKE_T].view(-1))
        torch.mv(self.like_F.view(-1, d), s.F, out=cos[LIKE_F].view(-1))
        cos *= cross
        sim = torch.sigmoid(cos * s.net.alpha)
        s.sims.addmv_(sim, weight)
        slope = torch.ops.aten.sigmoid_backward(s.slope * weight, sim)

        # dcos/dy = t / (|y||t|) - cos y / |y|^2, and the same for t.
        cross *= slope
        slope *= cos
        torch.mul(self.like_W, cross[LIKE_W, :, None], out=product)
        torch.sum(product, 0, out=dw)
        dw.addcmul_(w, (slope[LIKE_W].sum(0) * of_w.square_())[:, None], value=-1)
        s.dF.addmv_(self.like_F.view(-1, d).t(), cross[LIKE_F].reshape(-1))
        s.dF.addcmul_(s.F, slope[LIKE_F].sum() * s.of_constant[-1].square(), value=-1)
        Y *= slope.mul_(of_y.square_()).neg_()[..., None]
        self.like_T.addcmul_(cross[LIKE_T, :, None], s.T)
        self.like_W.addcmul_(cross[LIKE_W, :, None], w)
        self.like_F.addcmul_(cross[LIKE_F, :, None], s.F)

    def backward(self, s, w, dw):
        dZ, ones = self.dZ, self.ones
        for i, (kind, _, with_T, with_F, with_w, with_not) in enumerate(BINARY):
            torch.mm(self.y[i], s.out_back[kind], out=self.dz)
            relu_back(dZ, self.Z[i])
            s.dout[kind].addmm_(self.z[i].t(), self.y[i])
            torch.sum(dZ, 0, out=self.dleft[i])
            self.dright[i].copy_(dZ[with_w])
            self.dnegated[i].copy_(dZ[with_not])
            s.dprojected[0, i].addmv_(dZ[with_T].t(), ones)
            s.dprojected[1, i].addmv_(dZ[with_F].t(), ones)
        self.not_backward(s, self.dz_twice, self.z_twice, self.y_twice)
        self.y_not.addmm_(self.dQ, s.of_not_back)
        self.not_backward(s, self.dz_not, self.z_not, self.y_not)
        dw.addmm_(self.dP, s.into_back)
        s.dinto.addmm_(w.t(), self.dP)
        s.dof_not.addmm_(self.not_w.t(), self.dQ)
        s.dbias.addmv_(self.dP.t(), ones)
        s.dbias_not.addmv_(self.dz_twice.t(), ones)

    def not_backward(self, s, dz, z, dy):
        """From the result of NOT to its hidden layer."""
        torch.mm(dy, s.out_back[NOT], out=dz)
        relu_back(dz, z)
        s.dout[NOT].addmm_(z.t(), dy)


class Laws(torch.autograd.Function):
    """The same as laws(), tile by tile; the gradients are ready when the loss is."""

    @staticmethod
    def forward(ctx, theta, w, F, net, weight):
        d, h, shared, dw = net.dim, net.hidden, Shared(net, theta, F), torch.empty_like(w)
        if not net.tiles:
            net.tiles[0] = w.new_empty(Tile.size(TILE, d, h))
        for at in range(0, len(w), TILE):
            rows = slice(at, at + TILE)
            part, n = w[rows], min(TILE, len(w) - at)
            if n not in net.tiles:
                net.tiles[n] = Tile(net.tiles[0], n, d, h)
            tile = net.tiles[n]
            tile.forward(shared, part)
            tile.terms(shared, part, weight[rows], dw[rows])
            tile.backward(shared, part, dw[rows])
        ctx.gradients = (*shared.gradients(), dw)
        return shared.loss(weight)

    @staticmethod
    def backward(ctx, gradient):
        dtheta, dF, dw = (x * gradient for x in ctx.gradients)
        return dtheta, dw, dF, None, None
