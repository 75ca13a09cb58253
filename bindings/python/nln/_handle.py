"""Handles of the library as objects that free themselves."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar, overload

from ._library import decode, library

_Self = TypeVar("_Self", bound="Handle")


class Handle:
    """Owns a handle, and frees it when the last reference to the object is gone.

    A method keeps its object alive while the library works, so that several threads may use one
    object and any of them may drop it.
    """

    _free = ""  # the function that releases the handle
    _pointer: int | None
    _finalizer: weakref.finalize

    def __init__(self) -> None:
        raise TypeError(f"a {type(self).__name__} is made by the class methods, not by a call")

    @classmethod
    def _own(cls: type[_Self], out: ctypes.c_void_p) -> _Self:
        self = object.__new__(cls)
        self._pointer = out.value
        self._finalizer = weakref.finalize(self, getattr(library(), cls._free), out.value)
        self._finalizer.atexit = False  # the end of the process frees it anyway
        return self

    def close(self) -> None:
        """Frees the handle now; `with` does so at its end.  No thread may use it any more."""
        self._pointer = None
        self._finalizer()

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    def _at(self) -> int:
        if self._pointer is None:
            raise ValueError(f"this {type(self).__name__} is closed; the model of a Progress lives "
                             "only as long as the callback: save it there")
        return self._pointer

    @classmethod
    def _of(cls, value: object, what: str) -> int:
        """The handle of an argument, which must be of this class: C does not check it."""
        if not isinstance(value, cls):
            raise TypeError(f"{what} is nln.{cls.__name__}, not {type(value).__name__}")
        return value._at

    def __reduce__(self) -> Any:
        raise TypeError(f"a {type(self).__name__} is neither copied nor pickled; write it to a "
                        "file and read it there")


class Names(Sequence[str]):
    """The names in a handle, looked up one by one without making a list."""

    def __init__(self, owner: Handle, n: int, get: Callable[[int, int], bytes | None]) -> None:
        self._owner, self._n, self._get = owner, n, get

    def __len__(self) -> int:
        return self._n

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...

    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self._n))]
        i = range(self._n)[index]  # raises the usual IndexError
        return decode(self._get(self._owner._at, i))

    def __iter__(self) -> Iterator[str]:
        return (self[i] for i in range(self._n))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other))

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self[:5]))
        return f"<{self._n} names: {shown}{', ...' if self._n > 5 else ''}>"
