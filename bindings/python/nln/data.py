"""Training data: labelled expressions, or ratings."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable, Iterator
from typing import Any

from . import _structs as s
from ._arrays import given, numpy
from ._handle import Handle, Names
from ._library import call, decode, library, path, text
from ._options import opened
from .results import ReadingReport

SPLITS = ("train", "valid", "test")
Path = str | os.PathLike
Labelled = tuple[Iterable[str], Iterable[int]]


def split_number(split: str) -> int:
    if split not in SPLITS:
        raise ValueError(f"a split is train, valid or test, not {split!r}")
    return SPLITS.index(split)


def _column(values: Any) -> Any:
    """Users or items: an array of int64, or a list of texts."""
    np = numpy()
    kept = values if isinstance(values, np.ndarray) else list(values)
    array = np.asarray(kept) if len(kept) else np.empty(0, "int64")
    if array.ndim == 1 and array.dtype.kind in "iu":
        return given(array, 1, "int64", "a column")
    return [value if isinstance(value, str) else str(value) for value in kept]


def _names(column: Any) -> ctypes.Array:
    texts = [text(str(value)) for value in column]
    return (ctypes.c_char_p * len(texts))(*texts)


def _numbers(values: Any) -> Any:
    """Ratings or times: an array of float64, or None."""
    if values is None:
        return None
    np = numpy()
    return given(values if isinstance(values, np.ndarray) else list(values), 1, "float64",
                 "a column")


def _address(array: Any) -> int | None:
    return None if array is None else array.ctypes.data


class Data(Handle):
    """Labelled expressions in three splits.

    >>> data = nln.Data.generate(variables=100, expressions=1000)
    >>> len(data), data.variables
    (1000, 100)
    """

    _free = "nln_data_free"

    @classmethod
    def read(cls, folder: Path) -> Data:
        """Reads a folder of expressions, plain, .gz or .zst; see docs/formats.md."""
        out = ctypes.c_void_p()
        call("nln_data_read", ctypes.byref(out), path(folder))
        return cls._own(out)

    @classmethod
    def from_lists(cls, train: Labelled, valid: Labelled = ((), ()),
                   test: Labelled = ((), ())) -> Data:
        """Data from memory; each split is a pair of lists, expressions and labels.

        >>> len(nln.Data.from_lists((["a & b", "!a"], [True, False])))
        2
        """
        out = ctypes.c_void_p()
        call("nln_data_create", ctypes.byref(out))
        self = cls._own(out)
        for split, (expressions, labels) in enumerate((train, valid, test)):
            texts, values = list(map(text, expressions)), list(map(int, labels))
            if len(texts) != len(values):
                raise ValueError(f"{SPLITS[split]} has {len(texts)} expressions, but "
                                 f"{len(values)} labels")
            call("nln_data_add", self._at, split, (ctypes.c_char_p * len(texts))(*texts),
                 (ctypes.c_int * len(values))(*values), len(texts))
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
        row is a like, without times the order of the rows counts; options of "ratings".  NumPy
        arrays of int64 and float64 are read where they are.

        >>> nln.Ratings.from_arrays([1, 1, 2], [7, 8, 7], [5, 2, 4], split="none").likes("train")
        2
        """
        columns = [_column(users), _column(items), *map(_numbers, (ratings, times))]
        n = len(columns[0])
        for name, column in zip(("items", "ratings", "times"), columns[1:]):
            if column is not None and len(column) != n:
                raise ValueError(f"{name} has {len(column)} rows, but users has {n}")
        by_number = not any(isinstance(column, list) for column in columns[:2])
        if not by_number:
            columns[:2] = [_names(column) for column in columns[:2]]
        builder, out, report = ctypes.c_void_p(), ctypes.c_void_p(), s.RatingsReport()
        with opened("ratings", options) as handle:
            call("nln_ratings_builder_create", ctypes.byref(builder), handle)
        try:
            call("nln_ratings_builder_add_numbers" if by_number else "nln_ratings_builder_add",
                 builder, *(map(_address, columns[:2]) if by_number else columns[:2]),
                 *map(_address, columns[2:]), n)
        except BaseException:
            library().nln_ratings_builder_free(builder)
            raise
        call("nln_ratings_builder_finish", ctypes.byref(out), ctypes.byref(report), builder)
        self = cls._own(out)
        self.report = ReadingReport._of(report)
        return self

    @staticmethod
    def generate(file: Path, titles: Path | None = None, **options: Any) -> None:
        """Writes ratings that follow hidden rules, and the titles of the items; options of
        "generate ratings"."""
        with opened("generate ratings", options) as handle:
            call("nln_ratings_generate", path(file), None if titles is None else path(titles),
                 handle)

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
