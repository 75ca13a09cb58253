"""Arrays that the library reads and fills in place: NumPy's, and plain ones where it is not needed."""

from __future__ import annotations

import array
import ctypes
import datetime
import sys
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


def loaded() -> Any:
    """NumPy if the process has it already, else None: without it no argument is an array.  It is
    not imported here, since OpenBLAS would then choose its kernel before a training does."""
    return sys.modules.get("numpy")


def installed() -> Any:
    """NumPy, or None where it is not installed."""
    try:
        return numpy()
    except ImportError:
        return None


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


def column(values: Any, dtype: str, what: str) -> Any:
    """Numbers of one dimension to read from, int64 or float64: an array of NumPy or of ctypes."""
    if loaded() is not None:
        return given(values, 1, dtype, what)
    code, kind = {"int64": ("q", ctypes.c_int64), "float64": ("d", ctypes.c_double)}[dtype]
    plain = array.array(code, values if code == "q" else map(float, values))
    return (kind * len(plain)).from_buffer(plain)


def numbers(values: Any, what: str, first: int = 0) -> Any:
    """A column of float64, whose first row is `first`; what is no number is named with its row."""
    try:
        return column(values, "float64", what)
    except (TypeError, ValueError):
        for i, value in enumerate(values, first):
            try:
                float(value)
            except (TypeError, ValueError):
                raise ValueError(f"{what} must be numbers: {what}[{i}] is {value!r}") from None
        raise


def given(value: Any, dims: int, dtype: str, what: str) -> np.ndarray:
    """An array to read from: `value` itself if it has the right type and order, otherwise a copy."""
    np = numpy()
    array = np.require(value, dtype, ["C_CONTIGUOUS", "ALIGNED"])
    if array.ndim != dims:
        raise ValueError(f"{what} must have {dims} dimensions, not {array.ndim}")
    return array


def _second(time: Any) -> float:
    if isinstance(time, str) and "-" in time[1:]:
        time = datetime.datetime.fromisoformat(time)
    if isinstance(time, datetime.date) and not isinstance(time, datetime.datetime):
        time = datetime.datetime.combine(time, datetime.time())
    if isinstance(time, datetime.datetime):
        return (time if time.tzinfo else time.replace(tzinfo=datetime.timezone.utc)).timestamp()
    return float(time)


def _plain_seconds(times: Any, first: int) -> list[float]:
    found = []
    for i, time in enumerate(times, first):
        try:
            found.append(_second(time))
        except (TypeError, ValueError):
            raise TypeError("times must be numbers or dates such as 2024-01-29: "
                            f"times[{i}] is {time!r}") from None
    return found


def seconds(times: Any, first: int = 0) -> Any:
    """Times as seconds: numbers as they are, dates of Python, NumPy and pandas, and texts such as
    2024-01-29T12:00, since 1970, those without a zone in UTC.  What is missing is NaN.  What is no
    time is named with its row; that of the first is `first`."""
    np = loaded()
    if np is None:
        return _plain_seconds(times, first)
    read = np.asarray(times)
    if read.dtype.kind == "O" and any(isinstance(x, datetime.date) for x in read):
        zones = [x.astimezone(datetime.timezone.utc).replace(tzinfo=None)
                 if getattr(x, "tzinfo", None) else x for x in read]
        read = np.array(zones, "datetime64[us]")
    if read.dtype.kind == "U" and read.size and "-" in str(read.flat[0])[1:]:
        try:
            read = np.array([text.removesuffix("Z") for text in read.tolist()], "datetime64[us]")
        except ValueError as error:
            _plain_seconds(times, first)  # raises, and names the row
            raise TypeError(f"times must be numbers or dates such as 2024-01-29: {error}") from None
    if read.dtype.kind == "M":
        ticks = read.astype("datetime64[us]").astype("int64") / 1e6
        return np.where(np.isnat(read), np.nan, ticks)
    try:
        return read.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        _plain_seconds(times, first)
        raise TypeError(f"times must be numbers or dates: {error}") from None
