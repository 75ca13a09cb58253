"""Training, with callbacks that may stop it."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from . import _structs as s
from ._errors import Cancelled
from ._library import call, decode, library, path, whole
from ._options import opened
from .data import Data, Path, Ratings, Triples
from .model import Model
from .results import Progress, Report

OnProgress = Callable[[Progress], object]
OnLog = Callable[[str], object]


class Watch:
    """The callbacks as the library takes them.

    ctypes can only print an exception that leaves a callback.  So the first one is kept here, the
    library is told to stop, and `run` raises it when the library has returned.  The same goes for
    what handlers of signals raise, such as KeyboardInterrupt: Python runs them when it next
    enters a callback, before the first line of it.
    """

    def __init__(self, progress: OnProgress | None, log: OnLog | None = None,
                 checkpoint: Path | None = None, every: int = 0, resume: bool = False) -> None:
        self.progress, self.log = progress, log
        self.error: BaseException | None = None
        self.struct = s.Watch(None, s.ProgressFunction(self._on_progress),
                              s.LogFunction(self._on_log),
                              None if checkpoint is None else path(checkpoint),
                              every, bool(resume))

    def _keep(self, error: BaseException) -> None:
        if self.error is None:
            self.error = error

    def _on_progress(self, context: object, now: Any) -> int:
        try:
            if self.error is None and self.progress is not None:
                self._tell(now.contents)
        except BaseException as error:
            self._keep(error)
        return int(self.error is not None)

    def _tell(self, now: s.Progress) -> None:
        assert self.progress is not None
        model = Model._borrow(now.model) if now.model else None
        try:
            self.progress(Progress._of(now, model))
        finally:
            if model is not None:
                model._pointer = None

    def _on_log(self, context: object, message: bytes) -> None:
        try:
            if self.error is None and self.log is not None:
                self.log(decode(message))
        except BaseException as error:
            self._keep(error)

    def _on_signal(self, handler: Callable, number: int, frame: Any) -> None:
        try:
            handler(number, frame)
        except BaseException as error:
            self._keep(error)

    @contextlib.contextmanager
    def _guarded(self) -> Iterator[None]:
        """Keeps what signal handlers raise; Python runs them in the main thread only."""
        saved: dict[Any, tuple[Any, Any]] = {}
        if threading.current_thread() is threading.main_thread():
            for number in signal.valid_signals():
                handler = signal.getsignal(number)
                if callable(handler):
                    ours = functools.partial(self._on_signal, handler)
                    saved[number] = (handler, ours)
                    signal.signal(number, ours)
        try:
            yield
        finally:
            for number, (handler, ours) in saved.items():
                if signal.getsignal(number) is ours:
                    signal.signal(number, handler)

    def run(self, name: str, *arguments: Any) -> None:
        """Calls a function of the library that takes a watch as its last argument but one.

        `settle` raises the exception of a callback; another error of the library, such as a
        checkpoint that could not be written, becomes a note of it.
        """
        try:
            with self._guarded():
                call(name, *arguments, ctypes.byref(self.struct))
        except Exception as problem:
            if self.error is None:
                raise
            if not isinstance(problem, Cancelled):
                self.error.add_note(f"After this, nln.{type(problem).__name__}: {problem}")

    def settle(self) -> None:
        """Raises what the callbacks raised, if anything."""
        error, self.error = self.error, None
        if error is not None:
            try:
                raise error
            finally:
                del error  # its traceback holds this frame


@functools.cache
def _warn_of_kernel() -> None:
    """Says once that NumPy, or another package, loaded OpenBLAS with a kernel that nln would not
    have chosen."""
    in_use = ctypes.c_char_p()
    missed = decode(library().nln_blas_missed(ctypes.byref(in_use)))
    if missed:
        warnings.warn(f"NumPy, or another package, loaded {decode(in_use.value)} before nln could "
                      f"choose {missed}, so training may be several times slower and gives other "
                      f"bits than the program: set OPENBLAS_CORETYPE={missed} before Python starts, "
                      "or train or predict with nln before NumPy is imported", RuntimeWarning,
                      stacklevel=3)


def train(data: Data | Ratings | Triples, *, progress: OnProgress | None = None,
          log: OnLog | None = None,
          checkpoint: Path | None = None, every: int = 0, resume: bool = False,
          config: Path | None = None, **options: Any) -> tuple[Model, Report]:
    """Trains a model from expressions, with `task="topk"` or "preference" from ratings, or with
    `task="link"` from triples.

    `options` are those of "train", with `_` for `-`, and override those of the file `config`;
    `nln.options("train")` lists them.  `progress` is called after every batch with a `Progress`,
    and `log` with a sentence for each decision of the library, both in the calling thread.  An
    exception in them ends the training and is raised here, as is Ctrl-C.

    `checkpoint` names a file that is written when the training is ended in this way, and every
    `every` epochs.  With `resume` training continues from it, with the same result as if it had
    never stopped, or starts from the beginning if there is no such file.

    >>> data = nln.Data.generate(variables=100, expressions=1000)
    >>> model, report = nln.train(data, epochs=5, seed=7)
    >>> report.test.accuracy
    0.9...
    """
    if not isinstance(data, (Data, Ratings, Triples)):
        raise TypeError(f"data is nln.Data, nln.Ratings or nln.Triples, not {type(data).__name__}")
    function = {Data: "nln_train", Ratings: "nln_train_ratings", Triples: "nln_train_links"}[
        next(kind for kind in (Data, Ratings, Triples) if isinstance(data, kind))]
    if checkpoint is None and (every or resume):
        raise ValueError("every and resume need checkpoint, the file to write and to go on from")
    watch = Watch(progress, log, checkpoint, whole(every, 2**31 - 1, "every"), resume)
    out, report = ctypes.c_void_p(), s.Report()
    _warn_of_kernel()
    with opened("train", options, config) as handle:
        watch.run(function, ctypes.byref(out), ctypes.byref(report), data._at, handle)
    model = Model._own(out) if out.value else None
    watch.settle()
    assert model is not None
    return model, Report._of(report)
