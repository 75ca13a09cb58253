"""Trained models: predicting, solving, recommending, evaluating."""

from __future__ import annotations

import ctypes
import math
import os
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from . import _arrays
from . import _structs as s
from ._handle import Handle, Names
from ._library import call, decode, library, path, text
from ._options import opened, values_of
from .data import Data, Path, Ratings, Triples, split_number
from .results import (Abilities, Explanation, Filling, Graph, GraphNode, LawScore, LinkReason,
                      ListReport, Literal, Metrics, Query, Reason, Recommendation, Record, Tensor)

if TYPE_CHECKING:
    import numpy as np

History = Mapping[str, bool] | Iterable[str | tuple[str, bool] | tuple[str, bool, int]]


class Solution(Mapping[str, float]):
    """The confidence that each variable is true: `names` and, in the same order, `confidence`.

    A mapping from names to confidences; above 1/2 a variable is solved as true.
    """

    def __init__(self, names: Variables, confidence: np.ndarray) -> None:
        self.names, self.confidence = names, confidence

    @property
    def truth(self) -> np.ndarray:
        """The solved values, as an array of bool."""
        return self.confidence > 0.5

    def __getitem__(self, name: str) -> float:
        if name not in self.names:
            raise KeyError(name)
        return float(self.confidence[self.names.index(name)])

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


class Variables(Names):
    """The names of a model's variables; `index` and `in` ask the model."""

    def index(self, name: str, *bounds: int) -> int:
        """The number of a variable; an unknown name raises `nln.UnknownError`."""
        found = ctypes.c_size_t()
        call("nln_model_find", ctypes.byref(found), self._owner._at, text(name))
        return found.value

    def __contains__(self, name: object) -> bool:
        found = ctypes.c_size_t()
        return isinstance(name, str) and "\0" not in name and not library().nln_model_find(
            ctypes.byref(found), self._owner._at, text(name), None)


def _recommendation(names: Sequence[str], row: s.Recommendation) -> Recommendation:
    return Recommendation(names[row.item], row.score,
                          None if math.isnan(row.probability) else row.probability)


def _from_bytes(content: bytes) -> Model:
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "model")
        with open(file, "wb") as stream:
            stream.write(content)
        return Model.load(file)


class Model(Handle):
    """A trained model.  Many threads may use one at once.

    >>> model = nln.Model.load("model.safetensors")
    >>> model.predict("(v1 & !v2) | v3")
    0.9987...
    """

    _free = "nln_model_free"

    # ---- files -----------------------------------------------------------------

    @classmethod
    def load(cls, file: Path) -> Model:
        """Reads a model file."""
        out = ctypes.c_void_p()
        call("nln_model_load", ctypes.byref(out), path(file))
        return cls._own(out)

    @classmethod
    def _borrow(cls, pointer: int) -> Model:
        """A model that belongs to the library, to be ended by `_pointer = None`."""
        self = object.__new__(cls)
        self._pointer = pointer
        return self

    def save(self, file: Path) -> None:
        """Writes the model atomically: after a failure the old file is still there."""
        call("nln_model_save", self._at, path(file))

    def __reduce__(self) -> Any:
        """A model is pickled as the bytes of its file."""
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "model")
            self.save(file)
            with open(file, "rb") as stream:
                return _from_bytes, (stream.read(),)

    # ---- what it is -------------------------------------------------------------

    @property
    def variables(self) -> Variables:
        """The names of the variables, or of the items for a model of ratings."""
        lib = library()
        return Variables(self, lib.nln_model_variables(self._at), lib.nln_model_variable)

    @property
    def entities(self) -> Variables:
        """The names of the entities of a model that learned from atoms."""
        lib = library()
        return Variables(self, lib.nln_model_entities(self._at), lib.nln_model_entity)

    @property
    def predicates(self) -> dict[str, int]:
        """The names of the predicates of such a model, with the number of their arguments."""
        lib = library()
        names = Variables(self, lib.nln_model_predicates(self._at), lib.nln_model_predicate)
        return {name: lib.nln_model_arity(self._at, i) for i, name in enumerate(names)}

    @property
    def options(self) -> dict[str, bool | int | float | str]:
        """The options that the model was trained with, by name."""
        return values_of(library().nln_model_options(self._at))

    @property
    def record(self) -> Record | None:
        """How the model came about; None if that is not known, as of a file of an earlier version."""
        found = library().nln_model_record(self._at)
        if not found:
            return None
        r = found.contents
        measures = {decode(x.name): (x.valid, x.test) for x in r.measures[: r.n_measures]}
        return Record(decode(r.data), tuple(r.rows), r.newest, r.epochs, r.best_epoch, measures,
                      r.trained)

    @property
    def reading(self) -> dict[str, bool | int | float | str]:
        """Options that read other ratings in the same way: `Ratings.read(file, **model.reading)`."""
        out = ctypes.c_void_p()
        call("nln_model_reading", ctypes.byref(out), self._at)
        try:
            return {name.replace("-", "_"): value for name, value in values_of(out).items()}
        finally:
            library().nln_options_free(out)

    @property
    def n_users(self) -> int:
        """The number of users whose histories the model has kept."""
        return library().nln_model_users(self._at)

    @property
    def vector_length(self) -> int:
        """The length of a variable's vector; 0 if the model has no vectors."""
        return library().nln_model_vector_length(self._at)

    @property
    def tensors(self) -> list[Tensor]:
        """The tensors: name, shape, norm, least and most of each."""
        info = s.TensorInfo()
        found: list[Tensor] = []
        while library().nln_model_tensor(ctypes.byref(info), self._at, len(found)) > len(found):
            found.append(Tensor(decode(info.name), info.rows, info.columns, info.norm, info.least,
                                info.most))
        return found

    def embeddings(self, out: np.ndarray | None = None) -> np.ndarray:
        """The vectors of all variables, float32 [variables, vector_length], written by
        the library into the array."""
        out = _arrays.output(out, (len(self.variables), self.vector_length), "float32")
        call("nln_model_embedding", out.ctypes.data, self._at)
        return out

    def rated(self, item: str, rating: float) -> Literal:
        """A rating as a literal of a history: liked or not, and its grade where the model has
        grades."""
        found = library().nln_model_rated(self._at, self.variables.index(item), float(rating))
        return Literal(item, bool(found.liked), found.grade)

    def similar(self, item: str, k: int = 10) -> list[tuple[str, float]]:
        """The k items, or variables, with the most similar vectors, each with the cosine."""
        k, n = min(k, len(self.variables)), ctypes.c_size_t()
        rows = (s.Neighbour * k)()
        call("nln_model_similar", rows, ctypes.byref(n), k, self._at, self.variables.index(item))
        return [(self.variables[row.item], row.cosine) for row in rows[: n.value]]

    def facts_between(self, liked: str, item: str) -> list[tuple[str, str, str]]:
        """The facts (relation, head, tail) by which liking one item speaks for another: one that
        links them, or two that meet; none where the model was trained without facts."""
        found = (s.ItemFact * 2)()
        n = library().nln_model_facts_between(found, self._at, self.variables.index(liked),
                                              self.variables.index(item))
        return [(decode(f.relation), decode(f.head), decode(f.tail)) for f in found[:n]]

    def inspect(self, data: Data | None = None) -> list[LawScore]:
        """How well the laws of logic hold over the variables and, with data, over every
        sub-expression of its test set."""
        n = ctypes.c_size_t()
        other = None if data is None else Data._of(data, "data")
        scores = (s.LawScore * 64)()
        call("nln_inspect", scores, len(scores), ctypes.byref(n), self._at, other)
        return [LawScore(decode(x.name), decode(x.formula), bool(x.far_apart), x.n,
                         x.mean_similarity, x.mean_cosine, x.kept)
                for x in scores[: n.value]]

    def worst_cases(self, k: int = 5) -> list[list[tuple[tuple[str, ...], float]]]:
        """For each law of `inspect`, the variables for which it is kept worst, with the similarity
        of its two sides, worst first."""
        n_laws = len(self.inspect())
        cases, n = (s.LawCase * (n_laws * k))(), (ctypes.c_size_t * n_laws)()
        call("nln_inspect_worst", cases, n, k, n_laws, self._at)
        names = self.variables
        return [[(tuple(names[i] for i in case.operand if i < len(names)), case.similarity)
                 for case in cases[law * k: law * k + n[law]]] for law in range(n_laws)]

    def lengths(self, truth: Path, count: int = 200) -> list[tuple[str, int, float]]:
        """How often the model is right about expressions of a kind and size, which may be longer
        than any of its training: see `nln evaluate --lengths`.  `truth` is a data folder or a file
        of true values; a share is nan where the model solves too few variables."""
        n, scores = ctypes.c_size_t(), (s.LengthScore * 64)()
        call("nln_measure_lengths", scores, len(scores), ctypes.byref(n), self._at, path(truth),
             count, None)
        return [(decode(x.kind), x.size, x.right) for x in scores[: n.value]]

    # ---- expressions --------------------------------------------------------------

    @overload  # A text is a sequence of texts too, but has its own meaning here.
    def predict(self, expressions: str, *,  # type: ignore[misc]
                threads: int | None = ..., orders: int | None = ...) -> float: ...
    @overload
    def predict(self, expressions: Sequence[str], *, out: np.ndarray | None = ...,
                threads: int | None = ..., orders: int | None = ...) -> np.ndarray: ...

    def predict(self, expressions: str | Sequence[str], *, out: np.ndarray | None = None,
                threads: int | None = None, orders: int | None = None) -> float | np.ndarray:
        """The probability that an expression is true, or of each of several.

        One text gives a float.  A sequence gives a float64 array, or fills `out`; many at a time
        are much faster than one by one.  `threads` and `orders` are those of "predict".

        >>> model.predict(["v1 & v2", "v1 | !v1"])
        array([...])
        """
        if isinstance(expressions, str) and out is not None:
            raise TypeError("out is for a sequence of expressions; one text gives a float")
        if isinstance(expressions, str) and threads is None and orders is None:
            p = ctypes.c_double()
            call("nln_predict", ctypes.byref(p), self._at, text(expressions))
            return p.value
        if isinstance(expressions, str):
            one = (ctypes.c_double * 1)()
            self._predict_many(ctypes.addressof(one), [expressions], threads, orders)
            return one[0]
        out = _arrays.output(out, (len(expressions),), "float64")
        self._predict_many(out.ctypes.data, expressions, threads, orders)
        return out

    def _predict_many(self, out: int, expressions: Sequence[str], threads: int | None,
                      orders: int | None) -> None:
        n = len(expressions)
        if n == 0:
            return
        texts = (ctypes.c_char_p * n)(*map(text, expressions))
        with opened("predict", {"threads": threads, "orders": orders}) as options:
            call("nln_predict_many", out, self._at, texts, n, options)

    def predict_each(self, expressions: Sequence[str], *, threads: int | None = None,
                     orders: int | None = None,
                     refused: Callable[[int, str], object] | None = None) -> np.ndarray:
        """As `predict`, but an expression that cannot be read costs only itself: its probability
        is NaN, and `refused` is called with its index and the reason.

        >>> model.predict_each(["v1", "v1 &"])
        array([0.9..., nan])
        """
        out = _arrays.output(None, (len(expressions),), "float64")
        self._predict_each(out.ctypes.data, expressions, threads, orders, refused)
        return out

    def _predict_each(self, out: int, expressions: Sequence[str], threads: int | None = None,
                      orders: int | None = None,
                      refused: Callable[[int, str], object] | None = None) -> None:
        n, reasons = len(expressions), []
        texts = (ctypes.c_char_p * n)(*map(text, expressions))
        keep = s.RefusedFunction(lambda _, i, reason: reasons.append(
            (i, decode(reason.contents.message))))
        with opened("predict", {"threads": threads, "orders": orders}) as options:
            call("nln_predict_each", out, self._at, texts, n, options, keep, None)
        for index, reason in reasons:
            if refused is not None:
                refused(index, reason)

    def predict_spread(self, expressions: Sequence[str], *, threads: int | None = None,
                       orders: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """The probabilities of `predict_each`, and the standard deviation of each over the
        networks, members and random orders that it is the mean of."""
        n = len(expressions)
        p, spread = (_arrays.output(None, (n,), "float64") for _ in range(2))
        texts = (ctypes.c_char_p * n)(*map(text, expressions))
        with opened("predict", {"threads": threads, "orders": orders}) as options:
            call("nln_predict_spread", p.ctypes.data, spread.ctypes.data, self._at, texts, n,
                 options, s.RefusedFunction(), None)
        return p, spread

    def query(self, expressions: Sequence[str], k: int = 10, **options: Any) -> list[Query]:
        """Which unlabelled expressions to label next, best first, at most k; options of "query".
        Expressions that cannot be read are left out.

        >>> [found] = model.query(["v1 | !v1", "v1 & v2"], k=1)
        >>> found.index
        1
        """
        n, found = len(expressions), ctypes.c_size_t()
        rows, texts = (s.QueryRow * n)(), (ctypes.c_char_p * n)(*map(text, expressions))
        with opened("query", {"top": k, **options}) as handle:
            call("nln_query_choose", rows, ctypes.byref(found), self._at, texts, n, handle,
                 s.RefusedFunction(), None)
        return [Query(row.index, row.p, row.spread, row.value) for row in rows[: found.value]]

    def graph(self, expression: str, *, normal_form: bool = False) -> Graph:
        """An expression as the network that computes it, with the truth of every part: as it is
        written, or in the model's normal form.  `nln.plot.expression` draws it."""
        out = ctypes.POINTER(s.Graph)()
        call("nln_graph_create", ctypes.cast(ctypes.byref(out), ctypes.POINTER(ctypes.c_void_p)),
             self._at, text(expression), int(normal_form))
        try:
            nodes = out.contents.nodes[: out.contents.n_nodes]
            return Graph(decode(out.contents.text), [
                GraphNode(decode(node.operation), None if node.name is None else decode(node.name),
                          tuple(node.operands[: node.n_operands]), node.truth) for node in nodes])
        finally:
            library().nln_graph_free(out)

    def normal_form(self, expression: str, *, dual: bool = False) -> str:
        """The expression that the network computes for another: in the model's normal form, with
        quantifiers as ANDs and ORs over the entities.  With `dual` its negation by the laws of De
        Morgan.

        >>> model.normal_form("v1 -> v2")
        '!v1 | v2'
        """
        out = ctypes.c_void_p()
        call("nln_normal_form", ctypes.byref(out), self._at, text(expression), int(dual))
        try:
            return decode(ctypes.string_at(out.value))
        finally:
            library().nln_free(out)

    def rank(self, expression: str, out: np.ndarray | None = None) -> np.ndarray:
        """The probability of `expression | v` for every variable v: float64 [variables]."""
        out = _arrays.output(out, (len(self.variables),), "float64")
        call("nln_rank", out.ctypes.data, self._at, text(expression))
        return out

    def fill(self, question: str, k: int = 10, *, reasons: bool = False,
             with_known: bool = False) -> list[Filling]:
        """The k best entities for the hole of a question, best first; with `reasons` those that a
        model of links has for each.

        >>> [answer.entity for answer in links.fill("uncle(kim, ?)", 3)]
        ['lee', 'pat', 'ann']
        """
        lib = library()
        k = min(k, lib.nln_model_entities(self._at))
        found, n = (s.Filling * k)(), ctypes.c_size_t()
        call("nln_fill", found, ctypes.byref(n), k, self._at, text(question), int(with_known))
        return [Filling(decode(lib.nln_model_entity(self._at, one.entity)), one.score, one.by_rules,
                        bool(one.known), self._link_reasons(question, one.entity) if reasons else [])
                for one in found[:n.value]]

    def _link_reasons(self, question: str, entity: int) -> list[LinkReason]:
        block, n = ctypes.c_void_p(), ctypes.c_size_t()
        call("nln_fill_reasons", ctypes.byref(block), ctypes.byref(n), self._at, text(question),
             entity)
        try:
            rows = ctypes.cast(block, ctypes.POINTER(s.LinkReason))[:n.value] if n.value else []
            return [LinkReason(decode(r.text), decode(r.kind), r.contribution,
                               None if math.isnan(r.confidence) else r.confidence, r.support,
                               r.bodies) for r in rows]
        finally:
            library().nln_free(block)

    def solve(self, out: np.ndarray | None = None) -> Solution:
        """The value of every variable, and its confidence.

        >>> solution = model.solve()
        >>> solution["v1"], solution.truth.mean()
        (0.99..., 0.5...)
        """
        out = _arrays.output(out, (len(self.variables),), "float64")
        call("nln_solve", out.ctypes.data, self._at)
        return Solution(self.variables, out)

    def solve_score(self, truth: Path) -> tuple[float, int]:
        """The share of variables that get the value of a file or data folder, and the number of
        variables that it has."""
        share, n = ctypes.c_double(), ctypes.c_size_t()
        call("nln_solve_score", ctypes.byref(share), ctypes.byref(n), self._at, path(truth))
        return share.value, n.value

    def truth(self, file: Path) -> np.ndarray:
        """The values that a file or data folder has for the variables: int8, 1 for T, 0 for F
        and -1 if it has none."""
        out, n = _arrays.output(None, (len(self.variables),), "int8"), ctypes.c_size_t()
        call("nln_model_truth", out.ctypes.data, ctypes.byref(n), self._at, path(file))
        return out

    # ---- measuring ------------------------------------------------------------------

    def evaluate(self, data: Data | Ratings | Triples, split: str = "test",
                 **options: Any) -> Metrics:
        """Measures the model on a split; options of "predict" for expressions, and of "ranking"
        for ratings.

        >>> model.evaluate(data).accuracy
        0.99...
        """
        metrics = s.Metrics()
        if isinstance(data, Ratings):
            with opened("ranking", options) as handle:
                call("nln_evaluate_ratings", ctypes.byref(metrics), None, self._at, data._at,
                     split_number(split), handle)
        elif isinstance(data, Data):
            with opened("predict", options) as handle:
                call("nln_evaluate", ctypes.byref(metrics), self._at, data._at,
                     split_number(split), handle)
        elif isinstance(data, Triples):
            with opened("predict", options) as handle:
                call("nln_evaluate_links", ctypes.byref(metrics), self._at, data._at,
                     split_number(split), handle)
        else:
            raise TypeError(
                f"data is nln.Data, nln.Ratings or nln.Triples, not {type(data).__name__}")
        nan = float("nan")
        return Metrics._of(metrics) or Metrics(0, nan, nan, nan, nan)

    def placings(self, ratings: Ratings, split: str = "test", **options: Any) -> np.ndarray:
        """The ranks that a topk model gives the liked items: a structured array with the fields `user`
        and `item` (numbers of the ratings), `score`, and the ranks `sampled` and `full`."""
        np, at = _arrays.numpy(), Ratings._of(ratings, "ratings")
        metrics, out = s.Metrics(), ctypes.c_void_p()
        with opened("ranking", options) as handle:
            call("nln_evaluate_ratings", ctypes.byref(metrics), ctypes.byref(out), self._at,
                 at, split_number(split), handle)
        dtype = np.dtype([(name, np.uintp if kind is ctypes.c_size_t else np.float64)
                          for name, kind in s.Placing._fields_])
        if not out.value:
            return np.empty(0, dtype)
        rows = (s.Placing * metrics.full.n).from_address(out.value)
        weakref.finalize(rows, library().nln_free, out.value).atexit = False
        return np.frombuffer(rows, dtype)

    def evaluate_lists(self, ratings: Ratings, k: int = 10, *, split: str = "test",
                       diversity: float = 0, threads: int = 0) -> ListReport:
        """Coverage, novelty and diversity of the lists of k items for every user with a like in the
        split; `diversity` is that of `Scorer.recommend_many`."""
        out = s.ListReport()
        call("nln_evaluate_lists", ctypes.byref(out), self._at, Ratings._of(ratings, "ratings"),
             split_number(split), k, diversity, threads)
        return ListReport(out.k, out.n_lists, out.coverage, out.novelty, out.diversity)

    def learned(self, ratings: Ratings, *, split: str = "test") -> int:
        """How many interactions of the split the model was trained on, so that they say little about
        new ones; 0 where it cannot be known."""
        out = ctypes.c_size_t()
        call("nln_ratings_learned", ctypes.byref(out), self._at, Ratings._of(ratings, "ratings"),
             split_number(split))
        return out.value

    # ---- abilities ------------------------------------------------------------------

    @property
    def abilities(self) -> Abilities:
        """What the model can do."""
        row = library().nln_model_abilities(self._at)
        values = (getattr(row, name) for name, _ in s.Abilities._fields_)
        return Abilities(*(decode(x) if isinstance(x, bytes) else bool(x) for x in values))

    def scorer(self) -> Scorer:
        """Prepares the model for many questions.

        >>> scorer = model.scorer()
        >>> scorer.recommend_many([["i1"], ["i2", "i3"]], k=2)
        [[Recommendation(...), ...], [Recommendation(...), ...]]
        """
        out = ctypes.c_void_p()
        call("nln_scorer_create", ctypes.byref(out), self._at)
        scorer = Scorer._own(out)
        scorer.model = self  # the library's scorer borrows the model
        return scorer

    # ---- recommending ---------------------------------------------------------------

    def history(self, user: str, ratings: Ratings | None = None) -> list[Literal]:
        """The history of a user, oldest first: the one that the model has kept, or that of some
        ratings."""
        out, n = ctypes.c_void_p(), ctypes.c_size_t()
        if ratings is None:
            call("nln_model_history", ctypes.byref(out), ctypes.byref(n), self._at, text(user))
        else:
            call("nln_ratings_history", ctypes.byref(out), ctypes.byref(n), self._at,
                 Ratings._of(ratings, "ratings"), text(user))
        try:
            rows = ctypes.cast(out, ctypes.POINTER(s.Literal))
            names = self.variables
            return [Literal(names[row.item], bool(row.liked), row.grade)
                    for row in rows[: n.value]]
        finally:
            library().nln_free(out)

    def _literals(self, history: History | None, user: str | None,
                  ratings: Ratings | None) -> ctypes.Array[s.Literal]:
        if isinstance(history, str):
            raise TypeError("a history is a list of items, not one text")
        if ratings is not None:
            Ratings._of(ratings, "ratings")
            if user is None:
                raise TypeError("user is missing: whose history the ratings are to give")
        if history is None:
            history = [] if user is None else self.history(user, ratings)
        pairs = history.items() if isinstance(history, Mapping) else history
        found = []
        for element in pairs:
            item, liked, grade = Literal(*((element,) if isinstance(element, str) else element))
            found.append(s.Literal(self.variables.index(item), int(bool(liked)), grade))
        return (s.Literal * len(found))(*found)

    def recommend(self, history: History | None = None, *, user: str | None = None,
                  ratings: Ratings | None = None, k: int = 10,
                  with_seen: bool = False) -> list[Recommendation]:
        """The k best items after a history, best first; the history is oldest first.

        An element of the history is an item that was liked, a pair (item, liked), or a triple
        (item, liked, grade); a mapping from items to bool will do.  Without one it is that of
        `user`: as the model has kept it, or as `ratings` have it.  Items of the history are left
        out unless `with_seen`.

        >>> model.recommend(["i1", ("i2", False)], k=2)
        [Recommendation(item='i7', score=..., probability=...), ...]
        """
        if k < 0:
            raise ValueError(f"k must not be negative, as {k} is")
        literals = self._literals(history, user, ratings)
        k, n = min(k, len(self.variables)), ctypes.c_size_t()
        rows = (s.Recommendation * k)()
        call("nln_recommend", rows, ctypes.byref(n), k, self._at,
             None if user is None else text(user), literals, len(literals), bool(with_seen))
        names = self.variables
        return [_recommendation(names, r) for r in rows[: n.value]]

    def scores(self, history: History | None = None, *, user: str | None = None,
               ratings: Ratings | None = None, out: np.ndarray | None = None) -> np.ndarray:
        """The scores of all items after a history: float64 [variables]."""
        literals = self._literals(history, user, ratings)
        out = _arrays.output(out, (len(self.variables),), "float64")
        call("nln_recommend_scores", out.ctypes.data, self._at,
             None if user is None else text(user), literals, len(literals))
        return out

    def explain(self, history: History | None = None, *, item: str | None = None,
                user: str | None = None, ratings: Ratings | None = None) -> Explanation:
        """The effect of each literal of the history on the score of an item, or of the top
        recommendation: see `Explanation`.

        >>> model.explain(["i1", ("i2", False)]).reasons[0]
        Reason(item='i1', liked=True, contribution=..., removed=..., negated=...)
        """
        literals = self._literals(history, user, ratings)
        if item is None:
            best = self.recommend([(self.variables[x.item], bool(x.liked), x.grade)
                                   for x in literals],
                                  user=user, k=1)
            if not best:
                raise ValueError("the history has every item of the model; name the one to explain")
            item = best[0].item
        told = (s.Explanation * 1)(s.Explanation((s.Reason * len(literals))()))
        call("nln_explain", told, self._at, None if user is None else text(user), literals,
             len(literals), self.variables.index(item))
        return self._explanation(item, told[0])

    def _explanation(self, item: str, told: s.Explanation) -> Explanation:
        names = self.variables
        reasons = [Reason(names[r.literal.item], bool(r.literal.liked), r.contribution, r.removed,
                          r.negated) for r in told.reasons[: told.n]]
        return Explanation(item, told.score, told.with_history, told.without_history, reasons)

    def __repr__(self) -> str:
        if self._pointer is None:
            return "<nln.Model that is gone>"
        return f"<nln.Model of {len(self.variables)} variables, {self.options['model']}>"


class Scorer(Handle):
    """A model that is prepared for many questions, by `Model.scorer`; many threads may ask it."""

    _free = "nln_scorer_free"
    model: Model

    def _question(self, history: History | None, user: str | None = None,
                  **rest: Any) -> s.Question:
        literals = self.model._literals(history, user, None)
        for name in ("exclude", "only"):
            items = rest.pop(name, None)
            if items is not None:
                numbers = [self.model.variables.index(item) for item in items]
                rest[name] = (ctypes.c_size_t * max(len(numbers), 1))(*numbers)
                rest[f"n_{name}"] = len(numbers)
        return s.Question(user=None if user is None else text(user), history=literals,
                          n_history=len(literals), **rest)

    def recommend_many(self, histories: Iterable[History | None], *,
                       users: Sequence[str | None] | None = None, k: int = 10, offset: int = 0,
                       exclude: Iterable[str] | None = None, only: Iterable[str] | None = None,
                       with_seen: bool = False, diversity: float = 0,
                       threads: int = 0) -> list[list[Recommendation]]:
        """The lists of `recommend` after each of some histories, on `threads` threads; 0 means
        all cores.  `diversity`, from 0 to 1, is how much an item loses for being like those before
        it in the list."""
        for name, value in (("k", k), ("offset", offset), ("threads", threads)):
            if value < 0:
                raise ValueError(f"{name} must not be negative, as {value} is")
        asked = list(histories)
        whose = [None] * len(asked) if users is None else list(users)
        if len(whose) != len(asked):
            raise ValueError(f"there are {len(asked)} histories, but {len(whose)} users")
        names, k = self.model.variables, min(k, len(self.model.variables))
        rest = {"k": k, "offset": offset, "with_seen": int(with_seen), "diversity": diversity}
        lists = {"exclude": None if exclude is None else list(exclude),
                 "only": None if only is None else list(only)}
        questions = (s.Question * len(asked))(
            *(self._question(h, u, **rest, **lists) for h, u in zip(asked, whose)))
        rows = [(s.Recommendation * k)() for _ in asked]
        answers = (s.Answer * len(asked))(
            *(s.Answer(ctypes.cast(r, ctypes.POINTER(s.Recommendation)), 0) for r in rows))
        call("nln_scorer_recommend", answers, self._at, questions, len(asked), threads)
        return [[_recommendation(names, r) for r in row[: a.n]]
                for row, a in zip(rows, answers)]

    def recommend(self, history: History | None = None, *, user: str | None = None,
                  **rest: Any) -> list[Recommendation]:
        """As `Model.recommend`; also with `offset`, items to `exclude`, and `only` some items to
        choose from."""
        return self.recommend_many([history], users=[user], threads=1, **rest)[0]

    def scores(self, history: History | None = None, *, user: str | None = None,
               out: np.ndarray | None = None) -> np.ndarray:
        """As `Model.scores`."""
        out = _arrays.output(out, (len(self.model.variables),), "float64")
        question = self._question(history, user)
        call("nln_scorer_scores", out.ctypes.data, self._at, ctypes.byref(question), 1, 1)
        return out

    def rank(self, expression: str, out: np.ndarray | None = None) -> np.ndarray:
        """As `Model.rank`."""
        out = _arrays.output(out, (len(self.model.variables),), "float64")
        call("nln_scorer_rank", out.ctypes.data, self._at, text(expression))
        return out

    def explain(self, item: str, history: History | None = None, *,
                user: str | None = None) -> Explanation:
        """As `Model.explain`, of an item that is named."""
        return self.explain_many([item], history, user=user)[0]

    def explain_many(self, items: Iterable[str], history: History | None = None, *,
                     user: str | None = None) -> list[Explanation]:
        """`explain` of several items after the same history, in one pass."""
        asked, question = list(items), self._question(history, user)
        numbers = (ctypes.c_size_t * len(asked))(
            *(self.model.variables.index(item) for item in asked))
        told = (s.Explanation * len(asked))(
            *(s.Explanation((s.Reason * question.n_history)()) for _ in asked))
        call("nln_scorer_explain", told, self._at, ctypes.byref(question), numbers, len(asked))
        return [self.model._explanation(item, one) for item, one in zip(asked, told)]
