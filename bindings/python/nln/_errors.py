"""Statuses of the library as exceptions."""

from __future__ import annotations

import enum
import errno
import os
import re


class Status(enum.IntEnum):
    """What went wrong, as `nln.h` numbers it."""

    OK = 0
    INVALID = 1
    SYNTAX = 2
    UNKNOWN = 3
    IO = 4
    FORMAT = 5
    LIMIT = 6
    NUMERIC = 7
    MEMORY = 8
    CANCELLED = 9


class LibraryError(ImportError):
    """The shared library is missing, or does not fit this package."""


class Error(Exception):
    """An error of the library; each subclass is one kind of error.

    `message` is one sentence: what is wrong and what to do.  `line` and `column` count from 1;
    `file` is "", and `line` and `column` are 0, if the error has none.  In a list of expressions
    `line` is the number of the invalid one.

    >>> model.predict("v1 & (v2 |")
    Traceback (most recent call last):
        ...
    nln.MalformedError: column 11: expected a variable, T, F, '!' or '(' but found the end
    """

    status = Status.INVALID

    def __init__(self, message: str, file: str = "", line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.message, self.file, self.line, self.column = message, file, line, column

    def __str__(self) -> str:
        quoted = f"'{self.file}'" if len(self.file) <= 64 else f"'{self.file[:64]}"
        if self.file and (self.line or quoted not in self.message):
            numbers = [str(n) for n in (self.line, self.column) if n]
            return ":".join([self.file, *numbers, f" {self.message}"])
        places = [f"{what} {n}" for what, n in (("line", self.line), ("column", self.column)) if n]
        return f"{', '.join(places)}: {self.message}" if places else self.message

    def __reduce__(self):
        return type(self), (self.message, self.file, self.line, self.column)


class InvalidError(Error, ValueError):
    """An option or argument has an invalid value."""

    status = Status.INVALID


class MalformedError(Error, ValueError):
    """The input is malformed: an expression, a line of a file."""

    status = Status.SYNTAX


class UnknownError(Error, LookupError):
    """A name is not known: a variable, a user, an option."""

    status = Status.UNKNOWN


_reasons = {os.strerror(number): number for number in errno.errorcode}


def _of_system(message: str) -> tuple[int, str] | None:
    """errno and the file of `cannot open 'FILE': REASON; ADVICE`, if the reason is one of the
    system's."""
    found = re.search(r"^cannot [^']*'(.*)': ([^;]*)", message, re.S)
    number = _reasons.get(found[2]) if found else None
    return (number, found[1]) if found and number else None


class FileError(Error, OSError):
    """A file could not be read or written; `errno`, `strerror` and `filename` are those of
    OSError, and None if the error did not come from the system."""

    status = Status.IO

    def __init__(self, message: str, file: str = "", line: int = 0, column: int = 0) -> None:
        super().__init__(message, file, line, column)
        found = _of_system(message)
        if found:
            self.errno, self.filename = found
            self.strerror = os.strerror(self.errno)


class MissingFileError(FileError, FileNotFoundError):
    """There is no such file or folder."""


class FormatError(Error, ValueError):
    """The file is not of the expected kind."""

    status = Status.FORMAT


class LimitError(Error, ValueError):
    """A limit was exceeded, such as the number of clauses of a normal form."""

    status = Status.LIMIT


class NumericError(Error, ArithmeticError):
    """The numbers left the finite range, for example because the learning rate is too large."""

    status = Status.NUMERIC


class OutOfMemoryError(Error, MemoryError):
    """Out of memory, or above the limit of `memory_limit`."""

    status = Status.MEMORY


class Cancelled(Error):
    """The work was cancelled."""

    status = Status.CANCELLED


_kinds = (InvalidError, MalformedError, UnknownError, FileError, FormatError, LimitError,
          NumericError, OutOfMemoryError, Cancelled)
_classes: dict[Status, type[Error]] = {kind.status: kind for kind in _kinds}
for _kind in (Error, LibraryError, MissingFileError, *_kinds):
    _kind.__module__ = "nln"  # as users import them, and as tracebacks show them


def make_error(status: int, message: str, file: str, line: int, column: int) -> Error:
    """The exception for a status."""
    error = _classes.get(Status(status), Error)(message, file, line, column)
    if isinstance(error, FileError) and error.errno == errno.ENOENT:
        return MissingFileError(message, file, line, column)
    return error
