"""Training data: labelled expressions, or ratings."""

from __future__ import annotations

import array
import ctypes
import itertools
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from . import _arrays
from . import _structs as s
from ._handle import Handle, Names
from ._library import call, decode, library, path, text
from ._options import opened
from .results import ReadingReport

SPLITS = ("train", "valid", "test")
Path = str | os.PathLike
Labelled = tuple[Iterable[str], Iterable[float]] | tuple[Iterable[str], Iterable[float], Iterable[float] | None]


def split_number(split: str) -> int:
    if split not in SPLITS:
        raise ValueError(f"a split is train, valid or test, not {split!r}")
    return SPLITS.index(split)


CHUNK = 65536  # rows that are handed to the library at a time: all that is ever copied of a column


def _column(values: Any, name: str) -> Any:
    """A column as something that has a length and slices: an array where there is one, of NumPy or
    of pandas, and otherwise a list."""
    if values is None or isinstance(values, (str, bytes)):
        raise TypeError(f"{name} must be a sequence, not {type(values).__name__}")
    convert = getattr(values, "to_numpy", None)
    if convert is not None:
        values = convert()
    if getattr(values, "ndim", 1) != 1:
        raise ValueError(f"{name} must have one dimension, not {values.ndim}")
    has_slices = hasattr(values, "__len__") and hasattr(values, "__getitem__")
    return values if has_slices and not isinstance(values, dict) else list(values)


def _is_whole(column: Any) -> bool:
    """Whether ids are whole numbers, which need not become texts."""
    kind = getattr(getattr(column, "dtype", None), "kind", None)
    if kind is not None:
        return kind in "iu"
    if isinstance(column, array.array):
        return column.typecode not in "ufd"
    return all(isinstance(value, int) and not isinstance(value, bool) for value in column)


def _is_read_in_place(column: Any, dtype: str) -> bool:
    """Whether the library can read a column where it is."""
    flags = getattr(column, "flags", None)
    return column is None or flags is not None and bool(
        column.dtype == _arrays.numpy().dtype(dtype) and flags.c_contiguous and flags.aligned)


def _ids(column: Any, by_number: bool, name: str) -> Any:
    """A chunk of ids as the library reads it."""
    if by_number:
        try:
            return _arrays.column(column, "int64", name)
        except OverflowError:
            raise ValueError(f"{name} has a number beyond 64 bits") from None
    texts = [text(value if isinstance(value, str) else str(value)) for value in column]
    return (ctypes.c_char_p * len(texts))(*texts)


def _address(array: Any) -> Any:
    return array if isinstance(array, (ctypes.Array, type(None))) else array.ctypes.data


class _Builder:
    """Ratings that the library puts together: create, append, finish."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.at, self.n_rows = ctypes.c_void_p(), 0
        with opened("ratings", options) as handle:
            call("nln_ratings_builder_create", ctypes.byref(self.at), handle)

    def add(self, columns: list, by_number: bool) -> None:
        """Rows of users, items, ratings and times, the last two perhaps None."""
        names = ("users", "items", "ratings", "times")
        ids = [_ids(c, by_number, name) for c, name in zip(columns[:2], names)]
        times = None if columns[3] is None else _arrays.seconds(columns[3], self.n_rows)
        rest = [None if c is None else _arrays.numbers(c, name, self.n_rows)
                for c, name in zip((columns[2], times), names[2:])]
        call("nln_ratings_builder_add_numbers" if by_number else "nln_ratings_builder_add",
             self.at, *map(_address, [*ids, *rest]), len(columns[0]))
        self.n_rows += len(columns[0])

    def finish(self) -> Ratings:
        out, report, at = ctypes.c_void_p(), s.RatingsReport(), self.at
        self.at = None
        call("nln_ratings_builder_finish", ctypes.byref(out), ctypes.byref(report), at)
        ratings = Ratings._own(out)
        ratings.report = ReadingReport._of(report)
        return ratings

    def __enter__(self) -> _Builder:
        return self

    def __exit__(self, *_: Any) -> None:
        if self.at is not None:
            library().nln_ratings_builder_free(self.at)


class Data(Handle):
    """Labelled expressions in three splits.

    >>> data = nln.Data.generate(variables=100, expressions=1000)
    >>> len(data), data.variables
    (1000, 100)
    """

    _free = "nln_data_free"

    @classmethod
    def read(cls, folder: Path, **options: Any) -> Data:
        """Reads a folder of expressions, or one file that is split; plain, .gz or .zst.  Options of
        "expressions" (`holdout`, `folds`, `fold`, ...) say how one file is split."""
        out = ctypes.c_void_p()
        with opened("expressions", options) as handle:
            call("nln_data_read_with", ctypes.byref(out), path(folder), handle)
        return cls._own(out)

    @classmethod
    def from_lists(cls, train: Labelled, valid: Labelled = ((), ()),
                   test: Labelled = ((), ())) -> Data:
        """Data from memory; each split is a pair of lists, expressions and labels, or a triple with
        a weight for each expression.  A label is 0, 1 or a probability between them.

        >>> len(nln.Data.from_lists((["a & b", "!a"], [True, False])))
        2
        """
        out = ctypes.c_void_p()
        call("nln_data_create", ctypes.byref(out))
        self = cls._own(out)
        for split, (expressions, labels, *rest) in enumerate((train, valid, test)):
            texts, values = list(map(text, expressions)), list(map(float, labels))
            weights = None if not rest or rest[0] is None else list(map(float, rest[0]))
            for name, column in (("labels", values), ("weights", weights)):
                if column is not None and len(texts) != len(column):
                    raise ValueError(f"{SPLITS[split]} has {len(texts)} expressions, but "
                                     f"{len(column)} {name}")
            numbers = ctypes.c_double * len(texts)
            call("nln_data_add_weighted", self._at, split, (ctypes.c_char_p * len(texts))(*texts),
                 numbers(*values), None if weights is None else numbers(*weights), len(texts))
        return self

    @classmethod
    def generate(cls, **options: Any) -> Data:
        """Generates the simulated data of the paper; options of "generate logic"."""
        out = ctypes.c_void_p()
        with opened("generate logic", options) as handle:
            call("nln_data_generate", ctypes.byref(out), handle)
        return cls._own(out)

    def write(self, folder: Path) -> None:
        """Writes train.tsv, valid.tsv, test.tsv and, if values are known, variables.tsv."""
        call("nln_data_write", self._at, path(folder))

    def size(self, split: str) -> int:
        """The number of expressions in a split: "train", "valid" or "test"."""
        return library().nln_data_size(self._at, split_number(split))

    def true(self, split: str) -> int:
        """The number of expressions in a split with the label T."""
        return library().nln_data_true(self._at, split_number(split))

    @property
    def variables(self) -> int:
        """The number of variables."""
        return library().nln_data_variables(self._at)

    def __len__(self) -> int:
        return sum(map(self.size, SPLITS))

    def __repr__(self) -> str:
        return f"<nln.Data of {len(self)} expressions over {self.variables} variables>"


class Triples(Handle):
    """The facts of a knowledge graph, in three splits.

    >>> triples = nln.Triples.read("umls", order="head,relation,tail")
    >>> triples.size("train")
    5216
    """

    _free = "nln_triples_free"

    @staticmethod
    def generate(file: Path, **options: Any) -> None:
        """Writes triples in which planted rules hold to a file; options of "generate facts"."""
        with opened("generate facts", options) as handle:
            call("nln_triples_generate", path(file), handle)

    @classmethod
    def read(cls, source: Path, **options: Any) -> Triples:
        """Reads a folder of train, valid and test files, or one file; options of "triples"."""
        out = ctypes.c_void_p()
        with opened("triples", options) as handle:
            call("nln_triples_read", ctypes.byref(out), path(source), handle)
        return cls._own(out)

    def size(self, split: str) -> int:
        """The number of triples in a split: "train", "valid" or "test"."""
        return library().nln_triples_size(self._at, split_number(split))

    @property
    def entities(self) -> Names:
        """The names of the entities."""
        lib = library()
        return Names(self, lib.nln_triples_entities(self._at), lib.nln_triples_entity)

    @property
    def relations(self) -> Names:
        """The names of the relations."""
        lib = library()
        return Names(self, lib.nln_triples_relations(self._at), lib.nln_triples_relation)


class Ratings(Handle):
    """Interactions of users with items, in three splits.

    `report` says what reading found.

    >>> ratings = nln.Ratings.read("ratings.csv", split="nlr")
    >>> ratings.report.bad
    0
    """

    _free = "nln_ratings_free"
    report: ReadingReport

    @classmethod
    def read(cls, source: Path, **options: Any) -> Ratings:
        """Reads a file of any of the formats of docs/formats.md, or a folder of three; options
        of "ratings"."""
        out, report = ctypes.c_void_p(), s.RatingsReport()
        with opened("ratings", options) as handle:
            call("nln_ratings_read", ctypes.byref(out), ctypes.byref(report), path(source), handle)
        self = cls._own(out)
        self.report = ReadingReport._of(report)
        return self

    @classmethod
    def from_arrays(cls, users: Any, items: Any, ratings: Any = None, times: Any = None,
                    **options: Any) -> Ratings:
        """Ratings from memory: users and items are names or whole numbers; without ratings every
        row is a like, without times the order of the rows counts; times are numbers or dates;
        options of "ratings".  Columns may
        be lists, arrays of NumPy, or columns of pandas.  Arrays of int64 and float64 are read where
        they are, and of others 65,536 rows are copied at a time.

        >>> nln.Ratings.from_arrays([1, 1, 2], [7, 8, 7], [5, 2, 4], split="none").likes("train")
        2
        """
        names = ("users", "items", "ratings", "times")
        columns = [None if values is None and i > 1 else _column(values, names[i])
                   for i, values in enumerate((users, items, ratings, times))]
        n = len(columns[0])
        for name, column in zip(names[1:], columns[1:]):
            if column is not None and len(column) != n:
                raise ValueError(f"{name} has {len(column)} rows, but users has {n}")
        by_number = all(map(_is_whole, columns[:2]))
        in_place = all(map(_is_read_in_place, columns, ("int64", "int64", "float64", "float64")))
        step = max(n, 1) if in_place else CHUNK
        with _Builder(options) as builder:
            for at in range(0, n, step):
                builder.add([None if c is None else c[at : at + step] for c in columns], by_number)
            return builder.finish()

    @classmethod
    def from_rows(cls, rows: Iterable[tuple], **options: Any) -> Ratings:
        """Ratings from rows (user, item), (user, item, rating) or (user, item, rating, time), all of
        the same length: a list, a generator, a cursor of a database.  They are never all in memory
        as Python has them; options of "ratings".

        >>> len(nln.Ratings.from_rows((f"u{i}", i % 9) for i in range(100)))
        100
        """
        waiting, width = iter(rows), 0
        with _Builder(options) as builder:
            while chunk := list(itertools.islice(waiting, CHUNK)):
                width = width or len(chunk[0])
                if not 2 <= width <= 4 or any(len(row) != width for row in chunk):
                    raise ValueError("rows must be (user, item), (user, item, rating) or (user, "
                                     "item, rating, time), all of the same length")
                columns = [list(column) for column in zip(*chunk)]
                builder.add([*columns, *[None] * (4 - width)], False)
            return builder.finish()

    @classmethod
    def from_sparse(cls, matrix: Any, users: Sequence | None = None, items: Sequence | None = None,
                    **options: Any) -> Ratings:
        """Ratings from a matrix of SciPy, users by items, whose stored entries are the ratings.
        `users` and `items` name its rows and columns, which are their numbers otherwise; options of
        "ratings".

        >>> nln.Ratings.from_sparse(scipy.sparse.csr_matrix([[5, 0], [2, 4]]), split="none")
        <nln.Ratings: 3 of 2 users and 2 items>
        """
        if not hasattr(matrix, "tocsr"):
            raise TypeError(f"matrix must be a sparse matrix of SciPy, not {type(matrix).__name__}")
        np, table = _arrays.numpy(), matrix.tocsr()
        for name, names, n in zip(("users", "items"), (users, items), table.shape):
            if names is not None and len(names) != n:
                raise ValueError(f"{name} has {len(names)} names, but the matrix has {n} of them")
        by_number = users is None and items is None
        with _Builder(options) as builder:
            for at in range(0, table.nnz, CHUNK):
                places = np.arange(at, min(at + CHUNK, table.nnz))
                row = np.searchsorted(table.indptr, places, "right") - 1
                column = table.indices[at : at + CHUNK]
                builder.add([row if users is None else [users[i] for i in row],
                             column if items is None else [items[i] for i in column],
                             table.data[at : at + CHUNK], None], by_number)
            return builder.finish()

    @staticmethod
    def generate(file: Path, titles: Path | None = None, **options: Any) -> None:
        """Writes ratings that follow hidden rules, and the titles of the items; options of
        "generate ratings"."""
        with opened("generate ratings", options) as handle:
            call("nln_ratings_generate", path(file), None if titles is None else path(titles),
                 handle)

    def read_facts(self, file: Path) -> int:
        """Reads facts about items, which a topk model learns to weigh: see docs/recommend.md.
        Returns how many there are; items that only facts know are among `items` afterwards."""
        call("nln_ratings_read_facts", self._at, path(file))
        return library().nln_ratings_facts(self._at)

    def write(self, folder: Path) -> None:
        """Writes train.tsv, valid.tsv and test.tsv."""
        call("nln_ratings_write", self._at, path(folder))

    def size(self, split: str) -> int:
        """The number of interactions in a split: "train", "valid" or "test"."""
        return library().nln_ratings_size(self._at, split_number(split))

    def likes(self, split: str) -> int:
        """The number of interactions in a split that are likes."""
        return library().nln_ratings_likes(self._at, split_number(split))

    @property
    def users(self) -> Names:
        """The names of the users."""
        lib = library()
        return Names(self, lib.nln_ratings_users(self._at), lib.nln_ratings_user)

    @property
    def items(self) -> Names:
        """The names of the items."""
        lib = library()
        return Names(self, lib.nln_ratings_items(self._at), lib.nln_ratings_item)

    def __len__(self) -> int:
        return sum(map(self.size, SPLITS))

    def __repr__(self) -> str:
        return (f"<nln.Ratings: {len(self)} of {len(self.users)} users and "
                f"{len(self.items)} items>")


class Titles(Handle):
    """Titles of items, by their names.

    >>> titles = nln.Titles.read("titles.tsv")
    >>> titles["i1"]
    'The Grey Orbit (space)'
    """

    _free = "nln_titles_free"

    @classmethod
    def read(cls, file: Path) -> Titles:
        """Reads u.item, movies.dat, movies.csv, a RecBole .item, or two columns."""
        out = ctypes.c_void_p()
        call("nln_titles_read", ctypes.byref(out), path(file))
        return cls._own(out)

    def get(self, item: str, default: str | None = None) -> str | None:
        found = library().nln_titles_find(self._at, text(item))
        return default if found is None else decode(found)

    def __getitem__(self, item: str) -> str:
        found = self.get(item)
        if found is None:
            raise KeyError(item)
        return found

    def __contains__(self, item: object) -> bool:
        return isinstance(item, str) and self.get(item) is not None

    def __iter__(self) -> Iterator[str]:
        raise TypeError("titles are looked up by item; they cannot be listed")

    def __len__(self) -> int:
        return library().nln_titles_count(self._at)
