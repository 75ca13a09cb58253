"""Options: keyword arguments become rows of the library's tables."""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ._library import call, decode, library, path, text

_FLAG, _INT, _REAL, _CHOICE, _TEXT = range(5)
_types = {_FLAG: "flag", _INT: "int", _REAL: "real", _CHOICE: "choice", _TEXT: "text"}


class Option(NamedTuple):
    """A row of an option table: what `nln VERB --help` shows."""

    name: str
    type: str
    """flag, int, real, choice or text"""
    default: str
    least: float
    most: float
    choices: tuple[str, ...]
    help: str


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, os.PathLike)):
        return os.fsdecode(value)
    if isinstance(value, (list, tuple)):
        return ",".join(map(_as_text, value))
    return repr(value.item() if hasattr(value, "item") else value)


@contextlib.contextmanager
def opened(command: str, values: Mapping[str, Any],
           config: str | os.PathLike | None = None) -> Iterator[ctypes.c_void_p]:
    """Options of a command, as a handle; a value of None keeps the default."""
    out = ctypes.c_void_p()
    call("nln_options_create", ctypes.byref(out), command.encode())
    try:
        for name, value in values.items():
            if value is not None:
                call("nln_options_set", out, text(name), text(_as_text(value)))
        if config is not None:
            call("nln_options_read", out, path(config))
        yield out
    finally:
        library().nln_options_free(out)


def _rows(handle: Any) -> Iterator[Any]:
    n = ctypes.c_int()
    table = library().nln_options_table(ctypes.byref(n), handle)
    return (table[i] for i in range(n.value))


def values_of(handle: Any) -> dict[str, bool | int | float | str]:
    """The current values, with the types of their rows."""
    found: dict[str, bool | int | float | str] = {}
    for row in _rows(handle):
        number = library().nln_options_number(handle, row.name)
        if row.type == _FLAG:
            found[decode(row.name)] = bool(number)
        elif row.type == _INT:
            found[decode(row.name)] = int(number)
        elif row.type == _REAL:
            found[decode(row.name)] = number
        else:
            found[decode(row.name)] = decode(library().nln_options_text(handle, row.name))
    return found


def options(command: str = "train") -> dict[str, Option]:
    """The options of a command of the library, by their names.

    The commands are "train", "generate logic", "generate ratings", "ratings", "predict",
    "ranking", "exact" and "tsne".  In keyword arguments `-` is written `_`.

    >>> nln.options("predict")["orders"].help
    'average over this many random orders; 0 means what the model was trained with'
    """
    with opened(command, {}) as handle:
        return {
            decode(row.name): Option(decode(row.name), _types[row.type], decode(row.initial),
                                     row.least, row.most,
                                     tuple(decode(row.choices).split("|")) if row.choices else (),
                                     decode(row.help))
            for row in _rows(handle)
        }
