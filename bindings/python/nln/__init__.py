"""Neural Logic Networks: learn from labelled logic and from ratings, answer and explain.

    >>> import nln
    >>> data = nln.Data.generate(variables=100, expressions=1000)
    >>> model, report = nln.train(data, epochs=5)
    >>> model.predict("(v1 & !v2) | v3")
    0.99...
    >>> model.save("model.safetensors")

The package calls the shared library `libnln`, which must be installed; the environment variable
NLN_LIBRARY may give its path.  An error of the library is raised as `nln.Error` or one of its
subclasses.  Results are NumPy arrays that the library fills in place; `out=` takes an existing one.
The library runs without Python's lock, and many threads may use one model at once.
"""

from . import plot, safetensors
from ._errors import (Cancelled, Error, FileError, FormatError, InvalidError, LibraryError,
                      LimitError, MalformedError, MissingFileError, NumericError,
                      OutOfMemoryError, Status, UnknownError)
from ._options import Option, options
from .client import Client, ClientError, dislike, like, rated
from .data import Data, Ratings, Titles, Triples
from .estimators import LogicClassifier, Recommender
from .model import Model, Scorer, Solution
from .results import (Abilities, ExactReport, Explanation, Filling, Graph, GraphNode, LawScore,
                      LinkRanking, LinkReason, ListReport, Literal, Metrics, Paired, Progress, Query,
                      Ranking, ReadingReport, Reason, Recommendation, Record, Report, SatReport, SatRun, Summary,
                      Tensor, TsneReport)
from .study import (exact, memory_limit, memory_used, paired, solve_cnf, summary, tsne,
                    two_clusters, version)
from .training import train

__version__ = "0.1.0"

__all__ = [
    "Abilities", "Cancelled", "Client", "ClientError", "Data", "Error", "ExactReport", "Explanation",
    "FileError", "Filling", "FormatError",
    "InvalidError", "LawScore", "LibraryError", "LimitError", "LinkRanking", "LinkReason", "ListReport", "Literal",
    "LogicClassifier", "MalformedError",
    "Metrics", "MissingFileError", "Model", "NumericError", "Option", "OutOfMemoryError",
    "Paired", "Progress", "Query", "Ranking", "Ratings", "ReadingReport", "Reason", "Recommendation",
    "Recommender", "Record",
    "Report", "SatReport", "SatRun", "Scorer", "Solution", "Status", "Summary", "Tensor", "Titles", "Triples",
    "TsneReport", "UnknownError",
    "dislike", "exact", "like", "memory_limit", "memory_used", "options", "paired", "plot", "rated",
    "safetensors", "solve_cnf", "summary",
    "train", "tsne", "two_clusters", "version",
]
