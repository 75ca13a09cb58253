"""NumPy arrays that the library reads and fills in place."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np


def numpy() -> Any:
    """NumPy, imported when the first array is needed."""
    try:
        import numpy as module
    except ImportError:
        raise ImportError("this returns an array, which needs NumPy: install python3-numpy "
                          "or `pip install numpy`") from None
    return module


def output(out: np.ndarray | None, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """`out`, if the library can write into it; a new array if it is None."""
    np = numpy()
    if out is None:
        return np.empty(shape, dtype)
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out is a {type(out).__name__}, not an array of NumPy")
    if out.dtype != np.dtype(dtype):
        raise TypeError(f"out has the type {out.dtype}, not {dtype}")
    if out.shape != shape:
        raise ValueError(f"out has the shape {out.shape}, not {shape}")
    if not (out.flags.c_contiguous and out.flags.writeable and out.flags.aligned):
        raise ValueError("out must be C-contiguous, aligned and writeable")
    return out


def given(value: Any, dims: int, dtype: str, what: str) -> np.ndarray:
    """An array to read from: `value` itself if it has the right type and order, otherwise a copy."""
    np = numpy()
    array = np.require(value, dtype, ["C_CONTIGUOUS", "ALIGNED"])
    if array.ndim != dims:
        raise ValueError(f"{what} must have {dims} dimensions, not {array.ndim}")
    return array


def seconds(times: Any) -> np.ndarray:
    """Times as seconds: numbers as they are, dates of Python, NumPy and pandas, and texts such as
    2024-01-29T12:00, since 1970, those without a zone in UTC.  What is missing is NaN."""
    np = numpy()
    read = np.asarray(times)
    if read.dtype.kind == "O" and any(isinstance(x, datetime.date) for x in read):
        zones = [x.astimezone(datetime.timezone.utc).replace(tzinfo=None)
                 if getattr(x, "tzinfo", None) else x for x in read]
        read = np.array(zones, "datetime64[us]")
    if read.dtype.kind == "U" and read.size and "-" in str(read.flat[0])[1:]:
        try:
            read = np.array([text.removesuffix("Z") for text in read.tolist()], "datetime64[us]")
        except ValueError as error:
            raise TypeError(f"times must be numbers or dates such as 2024-01-29: {error}") from None
    if read.dtype.kind == "M":
        ticks = read.astype("datetime64[us]").astype("int64") / 1e6
        return np.where(np.isnat(read), np.nan, ticks)
    try:
        return read.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise TypeError(f"times must be numbers or dates: {error}") from None
