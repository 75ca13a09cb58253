"""The shared library: where to find it, and the types of its functions.

It is opened at the first call, so that `nln.safetensors` works without it.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import operator
import os
import site
import sys
from ctypes import POINTER, c_char_p, c_double, c_int, c_size_t, c_uint64, c_void_p
from typing import Any

from . import _structs as s
from ._errors import LibraryError, make_error

# How the library's version must begin: while the major version is 0, a minor one may change
# structs and functions.
INTERFACE = "0.1"
MAJOR = INTERFACE.split(".")[0]  # of the SONAME
SONAME = f"libnln.{MAJOR}.dylib" if sys.platform == "darwin" else f"libnln.so.{MAJOR}"
PREFIXES = (sys.prefix, site.getuserbase(), os.path.expanduser("~/.local"), "/usr/local", "/usr",
            "/opt/nln", "/opt/local", "/opt/homebrew")

_P = c_void_p  # a handle, or an array whose type Python has checked
_T = c_char_p
_E = POINTER(s.Error)
_N = POINTER(c_size_t)
_O = POINTER(c_void_p)  # an output handle or block

# name: (result, arguments); nln_status is an int.
FUNCTIONS: dict[str, tuple[Any, tuple]] = {
    "nln_version": (_T, ()),
    "nln_status_text": (_T, (c_int,)),
    "nln_free": (None, (_P,)),
    "nln_memory_used": (c_size_t, ()),
    "nln_memory_limit": (None, (c_size_t,)),
    "nln_blas_missed": (_T, (POINTER(_T),)),
    "nln_options_create": (c_int, (_O, _T, _E)),
    "nln_options_free": (None, (_P,)),
    "nln_options_table": (POINTER(s.Option), (POINTER(c_int), _P)),
    "nln_options_set": (c_int, (_P, _T, _T, _E)),
    "nln_options_read": (c_int, (_P, _T, _E)),
    "nln_options_text": (_T, (_P, _T)),
    "nln_options_number": (c_double, (_P, _T)),
    "nln_data_read": (c_int, (_O, _T, _E)),
    "nln_data_create": (c_int, (_O, _E)),
    "nln_data_read_with": (c_int, (_O, _T, _P, _E)),
    "nln_data_read_for": (c_int, (_O, POINTER(c_int), _P, _T, _E)),
    "nln_data_add_weighted": (c_int, (_P, c_int, POINTER(_T), POINTER(c_double),
                                      POINTER(c_double), c_size_t, _E)),
    "nln_data_add": (c_int, (_P, c_int, POINTER(_T), POINTER(c_int), c_size_t, _E)),
    "nln_data_generate": (c_int, (_O, _P, _E)),
    "nln_data_write": (c_int, (_P, _T, _E)),
    "nln_data_free": (None, (_P,)),
    "nln_data_size": (c_size_t, (_P, c_int)),
    "nln_data_true": (c_size_t, (_P, c_int)),
    "nln_data_variables": (c_size_t, (_P,)),
    "nln_ratings_read": (c_int, (_O, POINTER(s.RatingsReport), _T, _P, _E)),
    "nln_ratings_free": (None, (_P,)),
    "nln_ratings_builder_create": (c_int, (_O, _P, _E)),
    "nln_ratings_builder_free": (None, (_P,)),
    "nln_ratings_builder_add": (c_int, (_P, POINTER(_T), POINTER(_T), _P, _P, c_size_t, _E)),
    "nln_ratings_builder_add_numbers": (c_int, (_P, _P, _P, _P, _P, c_size_t, _E)),
    "nln_ratings_builder_finish": (c_int, (_O, POINTER(s.RatingsReport), _P, _E)),
    "nln_ratings_write": (c_int, (_P, _T, _E)),
    "nln_ratings_users": (c_size_t, (_P,)),
    "nln_ratings_items": (c_size_t, (_P,)),
    "nln_ratings_size": (c_size_t, (_P, c_int)),
    "nln_ratings_likes": (c_size_t, (_P, c_int)),
    "nln_ratings_user": (_T, (_P, c_size_t)),
    "nln_ratings_item": (_T, (_P, c_size_t)),
    "nln_ratings_read_facts": (c_int, (_P, _T, _E)),
    "nln_ratings_facts": (c_size_t, (_P,)),
    "nln_ratings_generate": (c_int, (_T, _T, _P, _E)),
    "nln_titles_read": (c_int, (_O, _T, _E)),
    "nln_titles_free": (None, (_P,)),
    "nln_titles_count": (c_size_t, (_P,)),
    "nln_titles_find": (_T, (_P, _T)),
    "nln_train": (c_int, (_O, POINTER(s.Report), _P, _P, POINTER(s.Watch), _E)),
    "nln_train_ratings": (c_int, (_O, POINTER(s.Report), _P, _P, POINTER(s.Watch), _E)),
    "nln_train_links": (c_int, (_O, POINTER(s.Report), _P, _P, POINTER(s.Watch), _E)),
    "nln_triples_read": (c_int, (_O, _T, _P, _E)),
    "nln_triples_generate": (c_int, (_T, _P, _E)),
    "nln_triples_free": (None, (_P,)),
    "nln_triples_entities": (c_size_t, (_P,)),
    "nln_triples_relations": (c_size_t, (_P,)),
    "nln_triples_size": (c_size_t, (_P, c_int)),
    "nln_triples_entity": (_T, (_P, c_size_t)),
    "nln_triples_relation": (_T, (_P, c_size_t)),
    "nln_triples_rules": (c_int, (_O, _N, _P, _P, _E)),
    "nln_rating_rules_find": (c_int, (_O, _N, _P, _P, _E)),
    "nln_rules_held": (c_int, (_P, POINTER(s.FoundRule), c_size_t, _P, _P, _E)),
    "nln_evaluate_links": (c_int, (POINTER(s.Metrics), _P, _P, c_int, _P, _E)),
    "nln_place_links": (c_int, (_O, _P, _P, c_int, _P, _E)),
    "nln_model_load": (c_int, (_O, _T, _E)),
    "nln_model_save": (c_int, (_P, _T, _E)),
    "nln_model_free": (None, (_P,)),
    "nln_model_reading": (c_int, (_O, _P, _E)),
    "nln_model_options": (_P, (_P,)),
    "nln_model_record": (POINTER(s.Record), (_P,)),
    "nln_model_stamp": (None, (_P, c_double)),
    "nln_model_variables": (c_size_t, (_P,)),
    "nln_model_variable": (_T, (_P, c_size_t)),
    "nln_model_entities": (c_size_t, (_P,)),
    "nln_model_entity": (_T, (_P, c_size_t)),
    "nln_model_predicates": (c_size_t, (_P,)),
    "nln_model_predicate": (_T, (_P, c_size_t)),
    "nln_model_arity": (c_size_t, (_P, c_size_t)),
    "nln_model_facts_between": (c_size_t, (POINTER(s.ItemFact), _P, c_size_t, c_size_t)),
    "nln_model_tensor": (c_size_t, (POINTER(s.TensorInfo), _P, c_size_t)),
    "nln_predict": (c_int, (POINTER(c_double), _P, _T, _E)),
    "nln_predict_many": (c_int, (_P, _P, POINTER(_T), c_size_t, _P, _E)),
    "nln_predict_each": (c_int, (_P, _P, POINTER(_T), c_size_t, _P, _P, _P, _E)),
    "nln_evaluate": (c_int, (POINTER(s.Metrics), _P, _P, c_int, _P, _E)),
    "nln_normal_form": (c_int, (_O, _P, _T, c_int, _E)),
    "nln_rank": (c_int, (_P, _P, _T, _E)),
    "nln_cnf_read": (c_int, (_O, _T, _E)),
    "nln_cnf_free": (None, (_P,)),
    "nln_cnf_variables": (c_size_t, (_P,)),
    "nln_cnf_clauses": (c_size_t, (_P,)),
    "nln_cnf_data": (c_int, (_O, _P, _E)),
    "nln_cnf_solve": (c_int, (_P, POINTER(s.SatReport), _P, _P, POINTER(s.Watch), _E)),
    "nln_fill": (c_int, (POINTER(s.Filling), _N, c_size_t, _P, _T, c_int, _E)),
    "nln_fill_reasons": (c_int, (_O, _N, _P, _T, c_size_t, _E)),
    "nln_solve": (c_int, (_P, _P, _E)),
    "nln_graph_create": (c_int, (_O, _P, _T, c_int, _E)),
    "nln_graph_free": (None, (_P,)),
    "nln_model_rated": (s.Literal, (_P, c_size_t, c_double)),
    "nln_solve_score": (c_int, (POINTER(c_double), _N, _P, _T, _E)),
    "nln_inspect": (c_int, (POINTER(s.LawScore), c_size_t, _N, _P, _P, _E)),
    "nln_reliability": (c_int, (POINTER(s.ReliabilityBin), c_size_t, POINTER(c_double), _P, _P, c_int, _P, _E)),
    "nln_reliability_ratings": (c_int, (POINTER(s.ReliabilityBin), c_size_t, POINTER(c_double), _P, _P, c_int, _E)),
    "nln_measure_lengths": (c_int, (POINTER(s.LengthScore), c_size_t, _N, _P, _T, c_size_t, _P, _E)),
    "nln_inspect_worst": (c_int, (POINTER(s.LawCase), _N, c_size_t, c_size_t, _P, _E)),
    "nln_evaluate_ratings": (c_int, (POINTER(s.Metrics), _O, _P, _P, c_int, _P, _E)),
    "nln_model_find": (c_int, (_N, _P, _T, _E)),
    "nln_model_similar": (c_int, (POINTER(s.Neighbour), _N, c_size_t, _P, c_size_t, _E)),
    "nln_model_users": (c_size_t, (_P,)),
    "nln_model_user": (_T, (_P, c_size_t)),
    "nln_model_history": (c_int, (_O, _N, _P, _T, _E)),
    "nln_ratings_history": (c_int, (_O, _N, _P, _P, _T, _E)),
    "nln_recommend_scores": (c_int, (_P, _P, _T, POINTER(s.Literal), c_size_t, _E)),
    "nln_recommend": (c_int, (POINTER(s.Recommendation), _N, c_size_t, _P, _T,
                              POINTER(s.Literal), c_size_t, c_int, _E)),
    "nln_explain": (c_int, (POINTER(s.Explanation), _P, _T, POINTER(s.Literal), c_size_t,
                            c_size_t, _E)),
    "nln_cluster_join": (c_int, (_E,)),
    "nln_cluster_leave": (None, ()),
    "nln_cluster_rank": (c_int, ()),
    "nln_cluster_size": (c_int, ()),
    "nln_cluster_host": (_T, ()),
    "nln_cluster_plugin": (_T, ()),
    "nln_cluster_is_watched": (c_int, ()),
    "nln_cluster_alone": (None, (c_int,)),
    "nln_cluster_abort": (None, (_T,)),
    "nln_cluster_gather": (c_int, (_O, _N, _T, c_size_t, _E)),
    "nln_model_abilities": (s.Abilities, (_P,)),
    "nln_scorer_create": (c_int, (_O, _P, _E)),
    "nln_scorer_free": (None, (_P,)),
    "nln_scorer_recommend": (c_int, (POINTER(s.Answer), _P, POINTER(s.Question), c_size_t, c_int,
                                     _E)),
    "nln_scorer_scores": (c_int, (_P, _P, POINTER(s.Question), c_size_t, c_int, _E)),
    "nln_scorer_explain": (c_int, (POINTER(s.Explanation), _P, POINTER(s.Question), _N, c_size_t,
                                   _E)),
    "nln_scorer_rank": (c_int, (_P, _P, _T, _E)),
    "nln_ratings_learned": (c_int, (POINTER(c_size_t), _P, _P, c_int, _E)),
    "nln_evaluate_lists": (c_int, (POINTER(s.ListReport), _P, _P, c_int, c_size_t, c_double, c_int,
                                   _E)),
    "nln_predict_spread": (c_int, (_P, _P, _P, POINTER(_T), c_size_t, _P, _P, _P, _E)),
    "nln_query_choose": (c_int, (POINTER(s.QueryRow), POINTER(c_size_t), _P, POINTER(_T), c_size_t, _P, _P,
                          _P, _E)),
    "nln_exact_variables": (c_int, (_P, _P, _P, _P, _P, _E)),
    "nln_exact": (c_int, (POINTER(s.ExactReport), _P, _P, _E)),
    "nln_statistics_summary": (s.Summary, (_P, c_size_t)),
    "nln_statistics_paired": (s.Paired, (_P, _P, c_size_t)),
    "nln_model_vector_length": (c_size_t, (_P,)),
    "nln_model_embedding": (c_int, (_P, _P, _E)),
    "nln_model_truth": (c_int, (_P, _N, _P, _T, _E)),
    "nln_tsne": (c_int, (_P, POINTER(s.TsneReport), _P, c_size_t, c_size_t, _P,
                         POINTER(s.Watch), _E)),
    "nln_two_clusters": (c_int, (_P, POINTER(c_double), _P, c_size_t, _P, c_uint64, _E)),
}


def _given() -> str:
    """NLN_LIBRARY; a relative path starts in the folder of the import."""
    named = os.environ.get("NLN_LIBRARY", "")
    is_path = os.path.dirname(named) or os.path.exists(named)
    return os.path.abspath(named) if is_path else named


GIVEN = _given()  # now, since the program may change the folder before the first call


def _candidates() -> list[str]:
    """The names to try, in order; the loader searches for a name without a folder."""
    if GIVEN:
        return [GIVEN]
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), SONAME)
    if os.path.exists(own):  # of a wheel
        return [own]
    found = ctypes.util.find_library("nln")
    multiarch = getattr(sys.implementation, "_multiarch", "")
    folders = [f"{prefix}/{lib}" for prefix in filter(None, PREFIXES)
               for lib in (f"lib/{multiarch}", "lib", "lib64")]
    paths = [f"{folder}/{SONAME}" for folder in folders]
    return [SONAME, *([found] if found else []), *filter(os.path.exists, paths)]


def _open() -> ctypes.CDLL:
    tried = []
    for name in _candidates():
        try:
            return ctypes.CDLL(name)
        except OSError as problem:
            tried.append(str(problem))
    raise LibraryError(
        f"the nln library is not found ({'; '.join(dict.fromkeys(tried))}); install it with "
        f"`make install`, or set NLN_LIBRARY to the path of {SONAME}")


def _check_version(lib: ctypes.CDLL) -> None:
    try:
        lib.nln_version.restype = c_char_p
        version = lib.nln_version().decode()
    except AttributeError:
        raise LibraryError(f"{lib._name} is not the nln library; check NLN_LIBRARY") from None
    if not f"{version}.".startswith(f"{INTERFACE}."):
        raise LibraryError(f"{lib._name} is nln {version}, but this package is for version "
                           f"{INTERFACE}; install the package that came with the library")


@functools.cache
def library() -> ctypes.CDLL:
    """The library, loaded and with its functions declared."""
    lib = _open()
    _check_version(lib)
    for name, (result, arguments) in FUNCTIONS.items():
        try:
            function = getattr(lib, name)
        except AttributeError:
            raise LibraryError(f"{lib._name} has no {name}: it is older than this package; "
                               "install the two from the same source") from None
        function.restype, function.argtypes = result, arguments
    return lib


def call(name: str, *arguments: Any) -> None:
    """Calls a function that returns a status and takes an nln_error last; raises its error."""
    err = s.Error()
    status = getattr(library(), name)(*arguments, ctypes.byref(err))
    if status:
        raise make_error(status, decode(err.message), decode(err.file), err.line, err.column)


def text(value: str) -> bytes:
    """A text as a C string."""
    if not isinstance(value, str):
        raise TypeError(f"a text is needed, not {type(value).__name__}")
    if "\0" in value:
        raise ValueError("embedded null character")
    return value.encode("utf-8", "surrogateescape")


def path(value: str | os.PathLike) -> bytes:
    """A file name as a C string."""
    encoded = os.fsencode(value)
    if b"\0" in encoded:
        raise ValueError("embedded null character")
    return encoded


def whole(value: int, most: int, what: str) -> int:
    """A number from 0 to `most`; ctypes would wrap any other number around."""
    number = operator.index(value)
    if not 0 <= number <= most:
        raise ValueError(f"{what} must be from 0 to {most}, not {number}")
    return number


def decode(value: bytes | None) -> str:
    return (value or b"").decode("utf-8", "surrogateescape")
