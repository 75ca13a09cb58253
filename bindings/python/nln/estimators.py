"""Estimators with the interface that scikit-learn's users know; scikit-learn itself is not needed.

    >>> classifier = nln.LogicClassifier(epochs=20).fit(["a & b", "a & !b", "!a"], [1, 0, 0])
    >>> classifier.predict(["a", "!b"])
    array([1, 0])
    >>> recommender = nln.Recommender().fit(users, items, ratings, times)
    >>> recommender.recommend([["tea", "jam"], ["ham"]], k=2)
    [[...], [...]]
"""

from __future__ import annotations

import array
import ctypes
import difflib
import inspect
import math
import random
import statistics
import warnings
from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ._arrays import installed
from ._errors import Error, UnknownError
from .data import Data, Ratings
from .model import Model, Scorer
from .results import Explanation, Recommendation, Report
from .training import train

if TYPE_CHECKING:
    import numpy as np

Ids = Sequence[Hashable] | Iterable[Hashable]


class _Estimator:
    """Parameters by the names of the constructor, as scikit-learn's clone and searches need them."""

    model_: Model
    report_: Report

    @classmethod
    def _names(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters of the constructor."""
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **params: Any) -> Any:
        """Sets parameters of the constructor; returns the estimator."""
        for name, value in params.items():
            if name not in self._names():
                raise ValueError(f"{type(self).__name__} has no parameter {name!r}; it has "
                                 f"{', '.join(self._names())}")
            setattr(self, name, value)
        return self

    def _options(self, own: Iterable[str]) -> dict[str, Any]:
        """The options of training: the named ones that are set, then those of `options`."""
        chosen = {name: getattr(self, name) for name in own if getattr(self, name) is not None}
        return {**chosen, **(self.options or {})}

    def _fitted(self) -> Model:
        if not hasattr(self, "model_"):
            raise _not_fitted(f"this {type(self).__name__} is not fitted yet; call fit first")
        return self.model_

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        shown = [f"{name}={value!r}" for name, value in self.get_params().items()
                 if value != defaults[name].default]
        return f"{type(self).__name__}({', '.join(shown)})"


def _not_fitted(message: str) -> Exception:
    """scikit-learn's own exception where it is installed, which its tools catch."""
    try:
        from sklearn.exceptions import NotFittedError
    except ImportError:
        return ValueError(message)
    return NotFittedError(message)


def _same_length(**columns: Any) -> int:
    lengths = {name: len(column) for name, column in columns.items() if column is not None}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name} has {n}" for name, n in lengths.items())
        raise ValueError(f"the arguments must have the same number of rows: {told}")
    return next(iter(lengths.values()))


def _as_list(values: Any, name: str) -> list:
    if values is None or isinstance(values, (str, bytes)):
        raise TypeError(f"{name} must be a sequence, not {type(values).__name__}")
    if hasattr(values, "__array__") and not hasattr(values, "tolist"):
        values = values.__array__()
    tolist = getattr(values, "tolist", None)  # NumPy, pandas: plain Python values
    return tolist() if tolist is not None else list(values)


def _expressions(X: Any) -> list[str]:
    """The expressions of a sequence of texts, or of a table with one column."""
    rows = _as_list(getattr(X, "values", X), "expressions")
    if rows and all(isinstance(row, (list, tuple)) and len(row) == 1 for row in rows):
        rows = [row[0] for row in rows]
    for i, row in enumerate(rows):
        if not isinstance(row, str):
            raise TypeError(f"expressions[{i}] must be a text, not {type(row).__name__}")
    return rows


def _labels(y: Any) -> list:
    """The labels; a table with one column is taken with a warning, as scikit-learn does, and
    numbers that are no classes are refused."""
    labels = _as_list(y, "labels")
    if labels and all(isinstance(row, (list, tuple)) and len(row) == 1 for row in labels):
        warnings.warn("labels is a column-vector: a sequence was expected", _conversion_warning(),
                      stacklevel=3)
        labels = [row[0] for row in labels]
    if any(isinstance(row, (list, tuple)) for row in labels):
        raise ValueError("labels must have one dimension, not 2")
    if any(isinstance(x, complex) or isinstance(x, float) and not x.is_integer() for x in labels):
        raise ValueError("Unknown label type: labels must be of two kinds, not continuous numbers")
    return labels


def _weights(sample_weight: Any) -> list[float] | None:
    if sample_weight is None:
        return None
    weights = _as_list(sample_weight, "sample_weight")
    if any(isinstance(row, (list, tuple)) for row in weights):
        raise ValueError("sample_weight must have one dimension, not 2")
    weights = list(map(float, weights))
    if not all(math.isfinite(w) and w >= 0 for w in weights) or not any(weights):
        raise ValueError("sample_weight must be of finite numbers of at least 0, not all of them 0")
    return weights


MOST_COMPARED = 20000  # names among which a similar one is looked for, in less than a second


def _unknown(what: str, name: Any, known: Iterable[Hashable], where: str) -> UnknownError:
    """The error for an id that was not in the training, with the one that was perhaps meant."""
    meant, texts = "", [x for x in known if isinstance(x, str)]
    if isinstance(name, str) and len(texts) <= MOST_COMPARED:
        for close in difflib.get_close_matches(name, texts, 1):
            meant = f"; did you mean {close!r}?"
    return UnknownError(f"{where}: the {what} {name!r} was not in the training{meant}")


def _conversion_warning() -> type[Warning]:
    """scikit-learn's own warning where it is installed."""
    try:
        from sklearn.exceptions import DataConversionWarning
    except ImportError:
        return UserWarning
    return DataConversionWarning


class LogicClassifier(_Estimator):
    """Learns from labelled expressions and says which others are true.

    `validation` is the share of the training set that chooses the epoch; `options` are further
    options of "train".  An expression with a variable that training never met gets the share of
    true labels in training, or is an error with `unknown="error"`.
    """

    _estimator_type = "classifier"
    classes_: np.ndarray | list

    def __init__(self, *, model: str | None = None, recipe: str | None = None,
                 epochs: int | None = None, dimension: int | None = None,
                 law_weight: float | None = None, seed: int = 1, threads: int | None = None,
                 validation: float = 0.1, unknown: str = "prior",
                 options: dict[str, Any] | None = None) -> None:
        self.model, self.recipe, self.epochs, self.dimension = model, recipe, epochs, dimension
        self.law_weight, self.seed, self.threads = law_weight, seed, threads
        self.validation, self.unknown, self.options = validation, unknown, options

    def _more_tags(self) -> dict[str, Any]:
        """For scikit-learn up to 1.5; later ones ask __sklearn_tags__."""
        return {"X_types": ["string"], "binary_only": True, "requires_y": True}

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags
        return Tags(estimator_type="classifier", target_tags=TargetTags(required=True),
                    classifier_tags=ClassifierTags(multi_class=False),
                    input_tags=InputTags(string=True, two_d_array=False, one_d_array=True))

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LogicClassifier:
        """Trains on expressions and their labels, of two kinds; the larger is true.  An expression
        of weight 2 counts as if it were there twice."""
        if self.unknown not in ("prior", "error"):
            raise ValueError(f"unknown must be 'prior' or 'error', not {self.unknown!r}")
        if not 0 <= self.validation < 1:
            raise ValueError(f"validation must be a share in [0, 1), not {self.validation!r}")
        expressions = _expressions(X)
        weights = _weights(sample_weight)
        _same_length(expressions=expressions, labels=y, sample_weight=weights)
        labels = _labels(y)
        classes = sorted(set(labels))
        if len(classes) != 2:
            raise ValueError("labels must be of two kinds; there "
                             + ("is only one class" if len(classes) == 1 else
                                f"are {len(classes)} classes"))
        values = [classes.index(label) for label in labels]
        order = list(range(len(expressions)))
        random.Random(None if self.seed is None else int(self.seed)).shuffle(order)
        n_valid = int(round(self.validation * len(expressions)))
        parts = [([expressions[i] for i in part], [values[i] for i in part],
                  None if weights is None else [weights[i] for i in part])
                 for part in (order[n_valid:], order[:n_valid])]
        data = Data.from_lists(*parts)
        own = ("model", "recipe", "epochs", "dimension", "law_weight", "seed", "threads")
        self.prior_ = statistics.fmean(values, weights)
        self.n_features_in_ = 1
        self.model_, self.report_ = train(data, **self._options(own))
        np = installed()  # after the training, as OpenBLAS then has the kernel that nln chooses
        self.classes_ = classes if np is None else np.array(classes, np.asarray(y).dtype)
        return self

    def _probability(self, X: Any) -> list[float]:
        model, expressions = self._fitted(), _expressions(X)
        p = (ctypes.c_double * len(expressions))()
        if self.unknown == "error":
            model._predict_many(ctypes.addressof(p), expressions, None, None)
            return list(p)
        model._predict_each(ctypes.addressof(p), expressions)
        unmet = {i for i, x in enumerate(p) if math.isnan(x) and self._is_unmet(expressions, i)}
        if unmet:
            warnings.warn(f"{len(unmet)} of {len(expressions)} expressions have a variable that "
                          f"training never met, such as expressions[{min(unmet)}]; they get the "
                          "share of true labels in training", UserWarning, stacklevel=3)
        return [self.prior_ if i in unmet else x for i, x in enumerate(p)]

    def _is_unmet(self, expressions: list[str], i: int) -> bool:
        """Whether an expression without an answer has an unknown variable; what is no expression is
        an error."""
        try:
            self.model_.predict([expressions[i]])
        except UnknownError:
            return True
        except Error as error:
            raise ValueError(f"expressions[{i}]: {error}") from None
        return False

    def predict_proba(self, X: Any) -> np.ndarray | list[tuple[float, float]]:
        """The probability of each class: float64 [expressions, 2], or a list of pairs where there
        is no NumPy."""
        pairs, np = [(1 - p, p) for p in self._probability(X)], installed()
        return pairs if np is None else np.array(pairs, np.float64).reshape(-1, 2)

    def predict(self, X: Any) -> np.ndarray | list:
        """The more probable class of each expression: an array, or a list where there is no
        NumPy."""
        which, np = [int(p > 0.5) for p in self._probability(X)], installed()
        if np is None:
            return [self.classes_[i] for i in which]
        return np.asarray(self.classes_)[np.array(which, int)]

    def score(self, X: Any, y: Any) -> float:
        """The share of expressions that get their label."""
        found, labels = self.predict(X), _labels(y)
        _same_length(expressions=found, labels=labels)
        return statistics.fmean(bool(a == b) for a, b in zip(found, labels))


class Recommender(_Estimator):
    """Learns from who liked what, and recommends after any history.

    Users and items are any hashable ids.  `split` holds interactions out to choose the epoch, as
    the option `split` of "ratings" does; auto means likes for topk, else paper.  `options` are
    further options of "train".
    """

    items_: list[Hashable]

    def __init__(self, *, task: str = "topk", model: str | None = None, recipe: str | None = None,
                 epochs: int | None = None, dimension: int | None = None,
                 history: int | None = None, seed: int = 1, threads: int | None = None,
                 split: str = "auto", like_from: float | str = "auto",
                 options: dict[str, Any] | None = None) -> None:
        self.task, self.model, self.recipe, self.epochs = task, model, recipe, epochs
        self.dimension, self.history, self.seed, self.threads = dimension, history, seed, threads
        self.split, self.like_from, self.options = split, like_from, options

    def fit(self, users: Any, items: Any, ratings: Any = None, times: Any = None) -> Recommender:
        """Trains on interactions; without ratings each is a like, without times their order
        counts.  Times are numbers, or dates of Python, NumPy or pandas."""
        columns = {"users": _as_list(users, "users"), "items": _as_list(items, "items"),
                   "ratings": ratings, "times": times}
        _same_length(**columns)
        codes = []
        for name in ("users", "items"):
            numbers: dict[Hashable, int] = {}
            column = array.array("q", (numbers.setdefault(x, len(numbers)) for x in columns[name]))
            codes.append((list(numbers), column))
        by_task = "likes" if self.task == "topk" else "paper"
        interactions = Ratings.from_arrays(
            codes[0][1], codes[1][1], ratings, times,
            split=by_task if self.split == "auto" else self.split, like_from=self.like_from)
        own = ("task", "model", "recipe", "epochs", "dimension", "history", "seed", "threads")
        self.users_, self.items_ = codes[0][0], codes[1][0]
        self._item_names = {item: str(i) for i, item in enumerate(self.items_)}
        self._user_names = {user: str(i) for i, user in enumerate(self.users_)}
        self.model_, self.report_ = train(interactions, **self._options(own))
        self._item_types = {type(item) for item in self.items_}
        self._scorer_: Scorer | None = None
        return self

    def _scorer(self) -> Scorer:
        self._fitted()
        if self._scorer_ is None:
            self._scorer_ = self.model_.scorer()
        return self._scorer_

    def _name(self, item: Any, where: str) -> str:
        try:
            return self._item_names[item]
        except KeyError:
            raise _unknown("item", item, self._item_names, where) from None

    def _literal(self, element: Any, where: str) -> tuple[str, bool]:
        if isinstance(element, tuple) and len(element) == 2 and isinstance(element[1], bool):
            return self._name(element[0], where), element[1]
        return self._name(element, where), True

    def _literals(self, history: Iterable[Any], where: str) -> list[tuple[str, bool]]:
        return [self._literal(x, f"{where}[{i}]") for i, x in enumerate(history)]

    def _is_element(self, x: Any) -> bool:
        """Whether x is an item, or a pair of an item and whether it was liked."""
        if isinstance(x, tuple) and len(x) == 2 and isinstance(x[1], bool):
            x = x[0]
        return isinstance(x, Hashable) and x in self._item_names

    def _is_history(self, x: Any) -> bool:
        """Whether x can be a history: a list, or a tuple of another kind than the ids are."""
        return isinstance(x, list) or isinstance(x, tuple) and (
            type(x) is tuple or type(x) not in self._item_types)

    def _are_many(self, rows: list) -> bool:
        """Whether `rows` are histories, and not one; what could be either, or neither, is refused."""
        if not rows:
            raise TypeError("histories is empty: give [[]] for one history without items")
        is_one = [self._is_element(x) for x in rows]
        is_list = [self._is_history(x) for x in rows]
        both = [a and b and len(x) > 0 and all(map(self._is_element, x))
                for a, b, x in zip(is_one, is_list, rows)]
        if any(both):
            i = both.index(True)
            raise TypeError(f"histories[{i}]: {rows[i]!r} is an item of the training, and could be a "
                            "history of two: give histories as lists, and one as a list of one")
        if not all(is_one) and not all(b and not a for a, b in zip(is_one, is_list)):
            neither = [i for i, (a, b) in enumerate(zip(is_one, is_list)) if not a and not b]
            i = neither[0] if neither else is_one.index(False)
            if neither and isinstance(rows[i], Hashable):
                raise _unknown("item", rows[i], self._item_names, f"histories[{i}]")
            raise TypeError(f"histories[{i}]: {rows[i]!r} is neither an item of the training nor a "
                            "list of them; give one history or a list of histories")
        return not all(is_one)

    def _back(self, row: Recommendation) -> Recommendation:
        return row._replace(item=self.items_[int(row.item)])

    def recommend(self, histories: Sequence[Any], k: int = 10, *, exclude: Ids | None = None,
                  only: Ids | None = None, with_seen: bool = False, diversity: float = 0
                  ) -> list[Recommendation] | list[list[Recommendation]]:
        """The k best items after each history, best first.

        A history is a list whose elements are items that were liked, or pairs (item, liked).  A
        list of histories gives a list of lists, and one history one list; what could be either,
        or neither, is refused, and so is an empty list: `[[]]` is one history without items.
        `diversity`, from 0 to 1, is how much an item loses for being like those before it.
        """
        scorer = self._scorer()
        rows = _as_list(histories, "histories")
        many = self._are_many(rows)
        asked = rows if many else [rows]
        lists = self._lists(scorer, [self._literals(h, f"histories[{i}]" if many else "histories")
                                     for i, h in enumerate(asked)], exclude, only, k=k,
                            with_seen=with_seen, diversity=diversity)
        return lists if many else lists[0]

    def _lists(self, scorer: Scorer, histories: list, exclude: Ids | None, only: Ids | None,
               **rest: Any) -> list[list[Recommendation]]:
        answers = scorer.recommend_many(
            histories, threads=self.threads or 0,
            exclude=None if exclude is None else [self._name(x, "exclude") for x in exclude],
            only=None if only is None else [self._name(x, "only") for x in only], **rest)
        return [[self._back(r) for r in answer] for answer in answers]

    def recommend_users(self, users: Ids, k: int = 10, with_seen: bool = False, *,
                        exclude: Ids | None = None, only: Ids | None = None, diversity: float = 0
                        ) -> list[list[Recommendation]]:
        """The k best items for each of some users of the training, after the histories that the
        model has kept; the rest is that of `recommend`."""
        scorer = self._scorer()
        names = []
        for i, user in enumerate(_as_list(users, "users")):
            if user not in self._user_names:
                raise _unknown("user", user, self._user_names, f"users[{i}]")
            names.append(self._user_names[user])
        return self._lists(scorer, [None] * len(names), exclude, only, users=names, k=k,
                           with_seen=with_seen, diversity=diversity)

    def explain(self, history: Sequence[Any], item: Hashable = None) -> Explanation:
        """What each element of a history adds to the score of an item, or of the best one."""
        scorer, literals = self._scorer(), self._literals(history, "history")
        if item is None and None not in self._item_names:
            best = scorer.recommend(literals, k=1)
            if not best:
                raise ValueError("the history has every item of the training; name the one to explain")
            item = self._back(best[0]).item
        told = scorer.explain(self._name(item, "item"), literals)
        return told._replace(item=item, reasons=[
            r._replace(item=self.items_[int(r.item)]) for r in told.reasons])

    def score(self, users: Any = None, items: Any = None, ratings: Any = None,
              times: Any = None) -> float:
        """nDCG@10 among all items (task topk), or AUC, on what `split` held out in training as
        the test set."""
        if users is not None or items is not None:
            raise TypeError("score measures what fit held out; for other data use nln.Ratings and "
                            "model_.evaluate")
        self._fitted()
        test = self.report_.test
        if test is None:
            raise ValueError("nothing was held out as a test set: fit with another split")
        return test.full.ndcg[10] if self.task == "topk" else test.auc

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_scorer_": None}
