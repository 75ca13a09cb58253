"""What the library tells, as plain values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from . import _structs as s
from ._library import decode

if TYPE_CHECKING:
    from .model import Model


@dataclass(frozen=True)
class Ranking:
    """How high the items that users liked were ranked, among those they did not.

    `hit`, `ndcg` and `recall` are dictionaries by the cut: `ranking.ndcg[10]`.
    """

    n: int
    n_users: int
    hit: dict[int, float]
    ndcg: dict[int, float]
    recall: dict[int, float]
    mrr: float
    mean_rank: float

    @classmethod
    def _of(cls, r: s.Ranking) -> Ranking | None:
        if not r.n:
            return None
        cuts = r.cut[: r.n_cuts]
        hit, ndcg, recall = (dict(zip(cuts, x)) for x in (r.hit, r.ndcg, r.recall))
        return cls(r.n, r.n_users, hit, ndcg, recall, r.mrr, r.mean_rank)


@dataclass(frozen=True)
class LinkRanking:
    """The filtered ranking of links among all entities: `n` rankings, two for each triple.

    `heads` and `tails` are the mean reciprocal ranks of r(?, t) and of r(h, ?), and `unseen` counts
    the entities that training does not have.
    """

    n: int
    mrr: float
    heads: float
    tails: float
    hits: dict[int, float]
    mean_rank: float
    unseen: int

    @classmethod
    def _of(cls, r: s.LinkRanking) -> LinkRanking | None:
        if not r.n:
            return None
        return cls(r.n, r.mrr, r.heads, r.tails, dict(zip((1, 3, 10), r.hits)), r.mean_rank,
                   r.unseen)


@dataclass(frozen=True)
class Metrics:
    """Measures of a model on a split.

    `n` expressions or interactions were measured; `auc` is NaN without both labels.  For
    task topk `sampled` and `full` are the rankings among sampled items and among all, for task link
    `links` is the ranking of links, and the other measures mean nothing.
    """

    n: int
    accuracy: float
    rmse: float
    cross_entropy: float
    auc: float
    sampled: Ranking | None = None
    full: Ranking | None = None
    links: LinkRanking | None = None

    @classmethod
    def _of(cls, m: s.Metrics) -> Metrics | None:
        """None if nothing was measured."""
        sampled, full = Ranking._of(m.sampled), Ranking._of(m.full)
        links = LinkRanking._of(m.links)
        if not (m.n or sampled or full or links):
            return None
        return cls(m.n, m.accuracy, m.rmse, m.cross_entropy, m.auc, sampled, full, links)


@dataclass(frozen=True)
class Progress:
    """Where a training is: after every batch, and with `valid` at the end of every epoch.

    `model` is there at the end of an epoch, as it is then; it may be used only inside the
    callback.  Of `tsne`, epochs are steps and the loss is the divergence.
    """

    epoch: int
    n_epochs: int
    done: int
    total: int
    loss: float
    seconds: float
    best_epoch: int
    valid: Metrics | None = None
    best: Metrics | None = None
    train: Metrics | None = None
    test: Metrics | None = None
    model: Model | None = None

    @classmethod
    def _of(cls, p: s.Progress, model: Model | None) -> Progress:
        train = Metrics._of(p.train) if p.curves else None
        test = Metrics._of(p.test) if p.curves else None
        return cls(p.epoch, p.n_epochs, p.done, p.total, p.loss, p.seconds, p.best_epoch,
                   Metrics._of(p.valid), Metrics._of(p.best), train, test, model)


@dataclass(frozen=True)
class Report:
    """What a training came to; the metrics are those of the best epoch's weights."""

    epochs: int
    best_epoch: int
    seconds: float
    seconds_per_epoch: float
    peak_rss_bytes: int
    train: Metrics | None
    valid: Metrics | None
    test: Metrics | None

    @classmethod
    def _of(cls, r: s.Report) -> Report:
        return cls(r.epochs, r.best_epoch, r.seconds, r.seconds_per_epoch, r.peak_rss_bytes,
                   Metrics._of(r.train), Metrics._of(r.valid), Metrics._of(r.test))


@dataclass(frozen=True)
class ReadingReport:
    """What reading ratings found.  `first` is the place of the first line left out, and why."""

    format: str
    lines: int
    bad: int
    out_of_range: int
    duplicates: int
    without_time: int
    first: str | None
    has_rating: bool
    has_time: bool

    @classmethod
    def _of(cls, r: s.RatingsReport) -> ReadingReport:
        place = ":".join(map(str, filter(None, (decode(r.first.file), r.first.line))))
        first = f"{place}: {decode(r.first.message)}" if r.first.message else None
        return cls(decode(r.format), r.lines, r.bad, r.out_of_range, r.duplicates,
                   r.without_time, first, bool(r.has_rating), bool(r.has_time))


@dataclass(frozen=True)
class ExactReport:
    """Exact reasoning on a data set: one satisfying assignment, and the posterior.

    `sat` is None if no assignment satisfies every training label; unknown shares are NaN.
    """

    consistent: bool
    sat: Metrics | None
    sat_recovered: float
    sat_seconds: float
    posterior: Metrics | None
    posterior_recovered: float
    noise: float
    posterior_seconds: float

    @classmethod
    def _of(cls, r: s.ExactReport) -> ExactReport:
        def share(x: float) -> float:
            return x if x >= 0 else math.nan

        return cls(bool(r.consistent), Metrics._of(r.sat), share(r.sat_recovered), r.sat_seconds,
                   Metrics._of(r.posterior), share(r.posterior_recovered), r.noise,
                   r.posterior_seconds)


class Literal(NamedTuple):
    """An item of a history, whether it was liked and, for a model with grades, its grade: 1 or
    more, or 0 if it is unknown."""

    item: str
    liked: bool = True
    grade: int = 0


class Abilities(NamedTuple):
    """What a model can do; the fields are those of nln_abilities in nln.h."""

    task: str
    method: str
    recommends: bool
    knows_users: bool
    needs_user: bool
    keeps_histories: bool
    reads_histories: bool
    reads_grades: bool
    reads_expressions: bool
    ranks_variables: bool
    has_vectors: bool
    split: str


class Recommendation(NamedTuple):
    """An item, its score, and its probability: for task preference the sigmoid of the score, which
    is in log-odds; for topk, whose scores only put items in order, None."""

    item: str
    score: float
    probability: float | None


class Reason(NamedTuple):
    """The effect of a literal of the history on the score of an item: its share of the effect of
    the whole history (`contribution`, a Shapley value), what the score loses without the literal
    (`removed`), and with its opposite (`negated`)."""

    item: str
    liked: bool
    contribution: float
    removed: float
    negated: float


class Explanation(NamedTuple):
    """The score of an item, and the effect of each literal of the history, oldest first.  The
    contributions add up to `with_history - without_history`: for task topk the item's lead over
    the mean score of 64 items spread over the catalogue, otherwise its score."""

    item: str
    score: float
    with_history: float
    without_history: float
    reasons: list[Reason]


class LinkReason(NamedTuple):
    """Why a model of links gives an answer: an instance of a rule with its confidence, a premise, or
    a fact that the known entity has learned from; the fields are those of nln_link_reason in
    nln.h, with None for the confidence of what is no rule."""

    text: str
    kind: str
    contribution: float
    confidence: float | None
    support: int
    bodies: int


class Filling(NamedTuple):
    """An entity for the hole of a question, and the reasons for it."""

    entity: str
    score: float
    by_rules: float
    known: bool
    reasons: list[LinkReason]


class Record(NamedTuple):
    """How a model came about: the name of its data, the rows of train, valid and test, the epochs,
    the measures of valid and test by name, and when training ended, in seconds since 1970; NaN where
    one is not known."""

    data: str
    rows: tuple[int, int, int]
    newest: float
    epochs: int
    best_epoch: int
    measures: dict[str, tuple[float, float]]
    trained: float


class GraphNode(NamedTuple):
    """A part of an expression: `operation` is variable, true, false, not, and, or, implies, iff or
    xor, `operands` are numbers of nodes, and `truth` is Sim of its vector and T."""

    operation: str
    name: str | None
    operands: tuple[int, ...]
    truth: float


class Graph(NamedTuple):
    """An expression as the network that computes it: every operand before its operator, the whole
    last."""

    text: str
    nodes: list[GraphNode]


class Tensor(NamedTuple):
    """A tensor of a model; a vector has one row."""

    name: str
    rows: int
    columns: int
    norm: float
    least: float
    most: float


class Query(NamedTuple):
    """An expression that is worth a label: its place among those given, the predicted probability
    with its spread, and the value by which it was chosen."""

    index: int
    p: float
    spread: float
    value: float


class ListReport(NamedTuple):
    """What the lists of all users are like: see `nln evaluate --lists`."""

    k: int
    n_lists: int
    coverage: float
    novelty: float
    diversity: float


class LawScore(NamedTuple):
    """How well a law holds: `kept` is the share of cases on the right side of 1/2."""

    name: str
    formula: str
    far_apart: bool
    n: int
    mean_similarity: float
    mean_cosine: float
    kept: float


class Summary(NamedTuple):
    """Mean, standard deviation of the sample, and standard error of the mean."""

    n: int
    mean: float
    deviation: float
    error: float


class Paired(NamedTuple):
    """The paired t-test, two-sided."""

    difference: Summary
    t: float
    degrees: float
    p: float


class SatRun(NamedTuple):
    """A run of CaDiCaL: whether there is an assignment (None if it gave up), and its conflicts,
    counted as clauses learned."""

    satisfiable: bool | None
    conflicts: int
    seconds: float


class SatReport(NamedTuple):
    """What `solve_cnf` came to: the clauses that the network satisfies, and CaDiCaL without and with
    the learned values as its first phases."""

    satisfiable: bool | None
    satisfied: int
    rounded: int
    trainings: int
    seconds: float
    plain: SatRun
    phased: SatRun


class TsneReport(NamedTuple):
    """The result of t-SNE; `exact` is False for Barnes-Hut."""

    iterations: int
    exact: bool
    perplexity: float
    kl: float
    trustworthiness: float
    seconds: float
