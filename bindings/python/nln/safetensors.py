"""Model files read and written without the library: the safetensors format, mapped into memory.

>>> file = nln.safetensors.read("model.safetensors")
>>> file["true"].shape
(64,)
>>> file.variables[:2]
['v1', 'v2']
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from . import _arrays
from ._errors import FormatError

if TYPE_CHECKING:
    import numpy as np

# All little-endian; bfloat16 and the types of 8 bits have no counterpart in NumPy.
DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2",
          "I8": "|i1", "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "|u1", "BOOL": "|b1"}


class File(Mapping[str, "np.ndarray"]):
    """The tensors of a file by their names: read-only views of the mapped file, no copies."""

    def __init__(self, tensors: dict[str, np.ndarray], metadata: dict[str, str],
                 path: str = "") -> None:
        self._tensors, self.metadata, self._path = tensors, metadata, path

    def __getitem__(self, name: str) -> np.ndarray:
        return self._tensors[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tensors)

    def __len__(self) -> int:
        return len(self._tensors)

    def _not_a_model(self, what: str) -> FormatError:
        return FormatError(f"this is not a model of nln: {what}", self._path)

    def _metadata(self, name: str, kind: type) -> Any:
        """An entry of the metadata, which is JSON in a text; FormatError if it is not of a kind."""
        try:
            value = json.loads(self.metadata[name])
        except (KeyError, TypeError, ValueError, RecursionError):
            value = None
        if not isinstance(value, kind):
            raise self._not_a_model(f"its metadata do not have its {name}")
        return value

    @property
    def variables(self) -> list[str]:
        """The names of the variables of a model; where they are very many, from a tensor."""
        if "variables" in self.metadata or "variables.names" not in self:
            return self._metadata("variables", list)
        try:
            return self["variables.names"].tobytes().rstrip(b"\0").decode("utf-8").split("\0")
        except UnicodeDecodeError:
            raise self._not_a_model("the names of its variables are not UTF-8") from None

    @property
    def options(self) -> dict[str, str]:
        """The options of a model's training, as text."""
        return self._metadata("options", dict)

    @property
    def user_variables(self) -> int:
        """How many users have variables of their own, which come last: --user-vectors."""
        return len(self["users.length"]) if float(self.options.get("user-vectors", 0)) else 0

    def embeddings(self) -> np.ndarray:
        """The vectors of a model's variables, float32 [variables, networks * members * dimension],
        as `Model.embeddings` has them.  With `embedding=free`, one network and one member this is
        a view of the tensor; otherwise it is computed, as docs/formats.md describes."""
        options, n = self.options, len(self.variables)
        if options.get("model") != "nln":
            raise FormatError(f"a model of kind {options.get('model')} has no vectors of "
                              "variables: only --model nln has", self._path)
        try:
            of_network = [_side_by_side(_vectors(self, options["embedding"], prefix), n,
                                        int(options.get("members", 1)),
                                        int(options.get("grades", 0)), self.user_variables)
                          for prefix in _prefixes(int(options.get("networks", 1)))]
            return of_network[0] if len(of_network) == 1 else _arrays.numpy().hstack(of_network)
        except (KeyError, IndexError, OverflowError, TypeError, ValueError) as problem:
            raise self._not_a_model(f"it has no vectors for its {n} variables "
                                    f"({problem!r})") from None


def _prefixes(networks: int) -> list[str]:
    """What the names of each network's tensors begin with."""
    if not 1 <= networks <= 8:
        raise ValueError(f"{networks} networks")
    return [f"network{i}." if i else "" for i in range(networks)]


def _side_by_side(rows: np.ndarray, n: int, members: int, grades: int, users: int) -> np.ndarray:
    """[members * (n + grades + users), dimension] as [n, members * dimension], without the grades,
    which a model of logic does not have, and without the users."""
    np = _arrays.numpy()
    if len(rows) not in (members * n, members * (n + grades + users)):
        raise ValueError(f"{len(rows)} vectors")
    each = rows.reshape(members, -1, rows.shape[1])[:, :n]
    return each[0] if members == 1 else np.moveaxis(each, 0, 1).reshape(n, -1)


def _vectors(file: File, kind: str, prefix: str) -> np.ndarray:
    """The vectors of each member of a network, one below the other:
    [members * (variables + grades + users), dimension]."""
    of_network = {name[len(prefix):]: file[name] for name in file if name.startswith(prefix)}
    return of_network["variables.vector"] if kind == "free" else _on_curve(of_network, kind)


def _on_curve(file: Mapping[str, np.ndarray], kind: str) -> np.ndarray:
    """Vectors given by one number t each: [members * (variables + grades + users), dimension]."""
    np = _arrays.numpy()
    t, true = file["variables.logit"].reshape(-1, 1), file["true"]
    if kind.startswith("line"):
        false = np.maximum(true @ file["not.in"] + file["not.bias"], 0) @ file["not.out"]
        share = 1 / (1 + np.exp(-t))
        rows = share * true + (1 - share) * false
    else:
        cosine = np.tanh(t / 3)
        rows = cosine * true + np.sqrt(1 - cosine * cosine) * file["axis"]
    return rows + file["variables.vector"] if kind.endswith("+rest") else rows


def _bad(path: str, what: str) -> FormatError:
    return FormatError(f"this is not a safetensors file: {what}", path)


def _header(path: str, content: Any) -> tuple[dict[str, Any], int]:
    """The header, and where the tensors start."""
    if len(content) < 8:
        raise _bad(path, "it is shorter than 8 bytes")
    length = int.from_bytes(bytes(content[:8]), "little")
    if length > len(content) - 8:
        raise _bad(path, "its header is longer than the file")
    try:
        header = json.loads(bytes(content[8 : 8 + length]).decode("utf-8"))
    except (ValueError, RecursionError) as problem:
        raise _bad(path, f"its header is not JSON ({problem})") from None
    if not isinstance(header, dict):
        raise _bad(path, "its header is not an object")
    return header, 8 + length


def _is_size(x: Any) -> bool:
    return isinstance(x, int) and not isinstance(x, bool) and 0 <= x < 2**63


def _tensor(path: str, name: str, entry: Any, data: np.ndarray) -> np.ndarray:
    np = _arrays.numpy()
    try:
        dtype, shape, (begin, end) = DTYPES[entry["dtype"]], entry["shape"], entry["data_offsets"]
    except (KeyError, TypeError, ValueError):
        raise _bad(path, f"the tensor {name!r} has no known type, shape or place") from None
    if not isinstance(shape, list) or not all(map(_is_size, [*shape, begin, end])):
        raise _bad(path, f"the tensor {name!r} has numbers that are not sizes")
    n_bytes = np.dtype(dtype).itemsize
    for size in shape:
        n_bytes *= size
    if not begin <= end <= len(data) or end - begin != n_bytes:
        raise _bad(path, f"the tensor {name!r} does not lie in the file")
    try:
        return data[begin:end].view(dtype).reshape(shape)
    except ValueError as problem:  # of 100 dimensions, or of large ones beside a 0
        raise _bad(path, f"the tensor {name!r} has an impossible shape ({problem})") from None


def read(path: str | os.PathLike) -> File:
    """Maps a file into memory and gives its tensors as views of it.

    Any safetensors file will do, of a model or not; `variables`, `options` and `embeddings` are
    for models.  A file of another kind raises `nln.FormatError`; one that cannot be opened,
    OSError.
    """
    np = _arrays.numpy()
    name = os.fspath(path)
    if os.path.getsize(name) == 0:
        raise _bad(str(name), "it is empty")
    content = np.memmap(name, np.uint8, "r")
    header, start = _header(str(name), content)
    metadata = header.pop("__metadata__", {})
    if not isinstance(metadata, dict):
        raise _bad(str(name), "its metadata is not an object")
    data = np.asarray(content)[start:]
    return File({key: _tensor(str(name), key, entry, data) for key, entry in header.items()},
                metadata, str(name))


def write(path: str | os.PathLike, tensors: Mapping[str, np.ndarray],
          metadata: Mapping[str, str]) -> None:
    """Writes a file atomically: it is flushed to the disk and takes the place of the old one, which
    is still there after a failure."""
    np = _arrays.numpy()
    codes = {np.dtype(code): name for name, code in DTYPES.items()}
    header: dict[str, Any] = {"__metadata__": dict(metadata)}
    contents, at = [], 0
    for name, tensor in tensors.items():
        array = np.ascontiguousarray(tensor)
        array = array.astype(array.dtype.newbyteorder("<"), copy=False)
        if array.dtype not in codes:
            raise TypeError(f"the tensor {name!r} has the type {array.dtype}, which the format lacks")
        header[name] = {"dtype": codes[array.dtype], "shape": list(np.shape(tensor)),
                        "data_offsets": [at, at + array.nbytes]}
        contents.append(array)
        at += array.nbytes
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode("utf-8")
    text += b" " * (-(8 + len(text)) % 64)
    target = os.path.realpath(os.fspath(path))
    folder, name = os.path.split(target)
    with tempfile.NamedTemporaryFile(dir=folder, prefix=f".{name}.", delete=False) as file:
        try:
            file.write(len(text).to_bytes(8, "little") + text)
            for array in contents:
                file.write(array.tobytes())
            file.flush()
            os.fsync(file.fileno())
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(file.name, 0o666 & ~mask)
            os.replace(file.name, target)
        except BaseException:
            os.unlink(file.name)
            raise
