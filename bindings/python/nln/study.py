"""Experiments around a model: exact reasoning, t-SNE, statistics; and the memory in use."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _arrays
from . import _structs as s
from ._library import call, decode, library, path, whole
from ._options import opened
from .data import Data, Path
from .results import ExactReport, Paired, SatReport, SatRun, Summary, TsneReport
from .training import OnProgress, Watch

if TYPE_CHECKING:
    import numpy as np


def version() -> str:
    """The version of the library."""
    return decode(library().nln_version())


def memory_used() -> int:
    """The bytes that the library has allocated in this process."""
    return library().nln_memory_used()


def memory_limit(n_bytes: int) -> None:
    """Limits the memory of the library: more raises OutOfMemoryError; 0 means no limit."""
    most = ctypes.c_size_t(-1).value
    library().nln_memory_limit(whole(n_bytes, most, "a limit"))


def exact(data: Data, **options: Any) -> ExactReport:
    """A SAT solver and belief propagation on a data set; options of "exact".

    >>> nln.exact(data).posterior.accuracy
    0.9...
    """
    at, report = Data._of(data, "data"), s.ExactReport()
    with opened("exact", options) as handle:
        call("nln_exact", ctypes.byref(report), at, handle)
    return ExactReport._of(report)


def solve_cnf(file: Path, **options: Any) -> tuple[np.ndarray, SatReport]:
    """Values for the variables of a DIMACS file, by training: bool, [variables]; options of "sat".

    >>> values, report = nln.solve_cnf("problem.cnf")
    >>> report.satisfiable, report.satisfied
    (True, 840)
    """
    cnf, report = ctypes.c_void_p(), s.SatReport()
    call("nln_cnf_read", ctypes.byref(cnf), path(file))
    try:
        values = _arrays.output(None, (library().nln_cnf_variables(cnf),), "uint8")
        with opened("sat", options) as handle:
            call("nln_cnf_solve", values.ctypes.data, ctypes.byref(report), cnf, handle, None)
    finally:
        library().nln_cnf_free(cnf)
    known = {1: True, 0: False, -1: None}
    runs = [SatRun(known[r.answer], r.conflicts, r.seconds) for r in (report.plain, report.phased)]
    return values.astype(bool), SatReport(known[report.answer], report.satisfied, report.rounded,
                                          report.trainings, report.seconds, *runs)


def tsne(points: np.ndarray, *, out: np.ndarray | None = None,
         progress: OnProgress | None = None, **options: Any) -> tuple[np.ndarray, TsneReport]:
    """Maps points to a plane by t-SNE: float64 [n, 2]; options of "tsne".

    `points` is [n, dimension]; a contiguous float32 array, as from `Model.embeddings`, is read
    without a copy.  An exception in `progress` ends the descent and is raised here, as is Ctrl-C.

    >>> plane, report = nln.tsne(model.embeddings())
    """
    points = _arrays.given(points, 2, "float32", "points")
    out = _arrays.output(out, (len(points), 2), "float64")
    report, watch = s.TsneReport(), Watch(progress)
    with opened("tsne", options) as handle:
        watch.run("nln_tsne", out.ctypes.data, ctypes.byref(report), points.ctypes.data,
                  len(points), points.shape[1], handle)
    watch.settle()
    return out, TsneReport(report.iterations, bool(report.exact), report.perplexity, report.kl,
                           report.trustworthiness, report.seconds)


def two_clusters(plane: np.ndarray, values: np.ndarray | None = None,
                 seed: int = 1) -> tuple[np.ndarray, float]:
    """Two clusters of points on a plane, [n, 2]: 0 or 1 for each point, 0 for the larger cluster;
    and, with values as from `Model.truth`, the share that agrees with the majority of its
    cluster."""
    plane = _arrays.given(plane, 2, "float64", "plane")
    if plane.shape[1] != 2:
        raise ValueError(f"plane must have 2 columns, not {plane.shape[1]}")
    known = None if values is None else _arrays.given(values, 1, "int8", "values")
    if known is not None and len(known) != len(plane):
        raise ValueError(f"there are {len(known)} values for {len(plane)} points")
    cluster, accuracy = _arrays.output(None, (len(plane),), "intc"), ctypes.c_double()
    call("nln_two_clusters", cluster.ctypes.data, ctypes.byref(accuracy), plane.ctypes.data,
         len(plane), None if known is None else known.ctypes.data,
         whole(seed, 2**64 - 1, "seed"))
    return cluster, accuracy.value


def _doubles(x: Sequence[float]) -> ctypes.Array[ctypes.c_double]:
    return (ctypes.c_double * len(x))(*x)


def _summary(r: s.Summary) -> Summary:
    return Summary(r.n, r.mean, r.deviation, r.error)


def summary(x: Sequence[float]) -> Summary:
    """Mean, standard deviation and standard error of numbers."""
    return _summary(library().nln_statistics_summary(_doubles(x), len(x)))


def paired(a: Sequence[float], b: Sequence[float]) -> Paired:
    """The paired t-test of a[i] against b[i], which belong to the same seed or user."""
    if len(a) != len(b):
        raise ValueError(f"pairs are needed, not {len(a)} numbers and {len(b)}")
    r = library().nln_statistics_paired(_doubles(a), _doubles(b), len(a))
    return Paired(_summary(r.difference), r.t, r.degrees, r.p)
