"""The baselines of `nln train --model X` in PyTorch, for bench/baselines.py.

Each module gives the loss of a batch, summed over it.  `sparse` is whether tables have sparse
gradients.  The losses and the dropout are those of the recipes in src/models/training_options.c."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence

DIMENSION, INIT = 64, 0.01


def table(n, width, sparse, init=INIT):
    made = nn.Embedding(n, width, sparse=sparse)
    nn.init.normal_(made.weight, std=init)
    return made


def pair_loss(scores):
    """Of [n, 2]: the liked one comes first."""
    return F.softplus(scores[:, 1] - scores[:, 0]).sum()


class Layer(nn.Module):
    """PyTorch's own recurrent layer over packed words."""

    def __init__(self, kind, directions):
        super().__init__()
        self.layer = kind(DIMENSION, DIMENSION, bidirectional=directions == 2)

    def forward(self, tokens, lengths, words, dropout):
        packed = pack_padded_sequence(tokens[0], lengths, batch_first=True, enforce_sorted=True)
        x = dropout(words(packed.data))
        state = self.layer(PackedSequence(x, packed.batch_sizes))[1]
        state = state[0] if isinstance(state, tuple) else state
        return torch.cat(state.unbind(), 1)


class Steps(nn.Module):
    """The same step by step.  PyTorch's layer takes a slice of the packed words at each step,
    whose gradient is as large as all of them; here they are split once.  Both directions are one
    product, a word is projected once for a batch, and who has come to the end leaves."""

    def __init__(self, kind, directions):
        super().__init__()
        self.step = {nn.RNN: self.rnn, nn.LSTM: self.lstm, nn.GRU: self.gru}[kind]
        width = {nn.RNN: 1, nn.LSTM: 4, nn.GRU: 3}[kind] * DIMENSION
        bound = DIMENSION**-0.5
        for name, rows in (("input", DIMENSION), ("recurrent", DIMENSION), ("bias", 1)):
            start = torch.empty(directions, rows, width).uniform_(-bound, bound)
            self.register_parameter(name, nn.Parameter(start))
        if kind is nn.GRU:
            self.inner = nn.Parameter(torch.zeros(directions, 1, width))

    def rnn(self, x, h, cell):
        return torch.baddbmm(x, h, self.recurrent).tanh(), cell

    def lstm(self, x, h, cell):
        sums = torch.baddbmm(x, h, self.recurrent)
        take, keep, give = sums[:, :, : 3 * DIMENSION].sigmoid().split(DIMENSION, 2)
        cell = torch.addcmul(keep * cell, take, sums[:, :, 3 * DIMENSION :].tanh())
        return give * cell.tanh(), cell

    def gru(self, x, h, cell):
        sums = torch.baddbmm(self.inner, h, self.recurrent)
        x_gates, x_new = x.split([2 * DIMENSION, DIMENSION], 2)
        gates, new = sums.split([2 * DIMENSION, DIMENSION], 2)
        reset, keep = (x_gates + gates).sigmoid().split(DIMENSION, 2)
        return torch.lerp(torch.addcmul(x_new, reset, new).tanh(), h, keep), cell

    def project(self, tokens, words, dropout):
        """What the tokens [n, directions] add to the gates, [directions, n, width]."""
        distinct, place = torch.unique(tokens, return_inverse=True)
        x = dropout(words(distinct)).expand(tokens.shape[1], -1, -1)
        sums = torch.baddbmm(self.bias, x, self.input)
        place = place.t() + len(distinct) * torch.arange(tokens.shape[1])[:, None]
        return F.embedding(place, sums.flatten(0, 1))

    def forward(self, tokens, lengths, words, dropout):
        packed = pack_padded_sequence(tokens.permute(1, 2, 0), lengths, batch_first=True)
        sizes, ended = packed.batch_sizes.tolist(), []
        h = cell = torch.zeros(len(tokens), sizes[0], DIMENSION)
        for x in self.project(packed.data, words, dropout).split(sizes, 1):
            n = x.shape[1]
            if n < h.shape[1]:
                ended.append(h[:, n:])
                h, cell = h[:, :n], cell[:, :n]
            h, cell = self.step(x, h, cell)
        return torch.cat(torch.cat([h, *reversed(ended)], 1).unbind(), 1)


class Reader(nn.Module):
    """The state after each sequence, [n, directions * hidden]; the longest is the first."""

    def __init__(self, layer, n_words, dropout, sparse):
        super().__init__()
        self.words = table(n_words, DIMENSION, sparse)
        self.layer, self.dropout = layer, nn.Dropout(dropout)

    def forward(self, tokens, lengths):
        return self.dropout(self.layer(tokens, lengths, self.words, self.dropout))


class Text(nn.Module):
    def __init__(self, data, sparse, layer):
        super().__init__()
        self.reader = Reader(layer, data.n_words, 0.2, sparse)
        self.out = nn.Linear(2 * DIMENSION, 1)

    def forward(self, tokens, lengths, labels):
        scores = self.out(self.reader(tokens, lengths))[:, 0]
        return F.binary_cross_entropy_with_logits(scores, labels, reduction="sum")


class Gru(nn.Module):
    def __init__(self, data, sparse, layer):
        super().__init__()
        self.reader = Reader(layer, 2 * data.n_items, 0.5, sparse)
        self.items = nn.Parameter(INIT * torch.randn(data.n_items, DIMENSION))
        self.bias = nn.Parameter(torch.zeros(data.n_items))
        self.mean = nn.Parameter(torch.zeros(1))

    def forward(self, tokens, lengths, targets, refused):
        n = int((lengths > 0).sum())
        state = self.reader(tokens[:, :n], lengths[:n])
        if n < len(lengths):
            state = F.pad(state, (0, 0, 0, len(lengths) - n))
        scores = torch.addmm(refused + (self.bias + self.mean), state, self.items.t())
        return F.cross_entropy(scores, targets, reduction="sum")


class BiasedMf(nn.Module):
    def __init__(self, data, sparse):
        super().__init__()
        self.mean = nn.Parameter(torch.zeros(1))
        self.users = table(data.n_users, DIMENSION, sparse)
        self.items = table(data.n_items, DIMENSION, sparse)
        self.user_bias = table(data.n_users, 1, sparse, 0.0)
        self.item_bias = table(data.n_items, 1, sparse, 0.0)
        self.dropout = nn.Dropout(0.2)

    def query(self, users, candidates):
        return self.users(users)

    def forward(self, users, candidates):
        query = self.dropout(self.query(users, candidates))
        scores = torch.bmm(self.items(candidates), query[:, :, None])[:, :, 0]
        offset = self.user_bias(users) + self.mean
        return pair_loss(scores + self.item_bias(candidates)[:, :, 0] + offset)


class Svdpp(BiasedMf):
    """The items met, all but the target: their sum is that of all, less the target's."""

    def __init__(self, data, sparse, by):
        super().__init__(data, sparse)
        self.met, self.by = data.met, by
        self.sizes = torch.tensor([len(row) for row in data.met])
        self.scale = (self.sizes - 1).clamp(min=1).rsqrt()[:, None]
        if by == "EmbeddingBag":
            self.history = nn.EmbeddingBag(data.n_items, DIMENSION, mode="sum", sparse=sparse)
        else:
            self.history = nn.Embedding(data.n_items, DIMENSION)
            self.hot = torch.zeros(data.n_users, data.n_items)
            for row, items in zip(self.hot, data.met):
                row[items] = 1.0
        nn.init.normal_(self.history.weight, std=INIT)

    def sum_of_bags(self, users, targets):
        sizes = self.sizes[users]
        items = torch.cat([self.met[user] for user in users.tolist()])
        own = F.embedding(targets, self.history.weight, sparse=self.history.sparse)
        return self.history(items, sizes.cumsum(0) - sizes) - own

    def sum_by_product(self, users, targets):
        return self.hot[users].scatter_(1, targets[:, None], 0.0) @ self.history.weight

    def query(self, users, candidates):
        add = self.sum_of_bags if self.by == "EmbeddingBag" else self.sum_by_product
        return self.users(users) + self.scale[users] * add(users, candidates[:, 0])


class Ncf(nn.Module):
    """The first layer is one for users and one for items: it is linear in each."""

    def __init__(self, data, sparse):
        super().__init__()
        self.user_product, self.user_tower = (
            table(data.n_users, DIMENSION, sparse) for _ in range(2)
        )
        self.item_product, self.item_tower = (
            table(data.n_items, DIMENSION, sparse) for _ in range(2)
        )
        self.user_in = nn.Linear(DIMENSION, DIMENSION)
        self.item_in = nn.Linear(DIMENSION, DIMENSION, bias=False)
        self.layers = nn.Sequential(
            nn.ReLU(), nn.Dropout(0.2),
            nn.Linear(DIMENSION, DIMENSION // 2), nn.ReLU(), nn.Dropout(0.2),
            nn.Linear(DIMENSION // 2, DIMENSION // 4), nn.ReLU(), nn.Dropout(0.2),
            nn.Linear(DIMENSION // 4, 1),
        )  # fmt: skip
        self.out = nn.Parameter(torch.randn(DIMENSION) / DIMENSION**0.5)

    def forward(self, users, candidates):
        query = (self.out * self.user_product(users))[:, :, None]
        product = torch.bmm(self.item_product(candidates), query)
        user = self.user_in(self.user_tower(users))[:, None]
        tower = self.layers(user + self.item_in(self.item_tower(candidates)))
        return pair_loss((product + tower)[:, :, 0])
