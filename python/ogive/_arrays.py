"""What callers have as arrays of NumPy, and answers as what callers have."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ._errors import DeviceError
from ._frame import BFLOAT16, CODES


class Operand(NamedTuple):
    """An array as libogive takes it: native, aligned, of a dtype that it has."""

    x: np.ndarray
    code: int  # DLPack's number of its dtype
    wrap: Callable[[Any, int], Any] | None = None  # makes an answer what the caller has
    missing: np.ndarray | None = None  # which elements are not there
    time: np.dtype | None = None  # of dates, which x has as integers

    def back(self, y: Any, code: int = 0) -> Any:
        """Returns an answer, whose dtype has that number, as what the caller has."""
        return self.wrap(y, code) if self.wrap else y

    def whole(self, what: str) -> Operand:
        """Returns the operand, of which nothing may be missing."""
        if self.missing is not None or self.time is not None:
            raise TypeError(f"{what} take no masked arrays and no dates; fill them, or view dates as int64")
        return self


def operand(a: Any) -> Operand:
    """Returns what the caller gave as an array."""
    if type(a) is Operand:
        return a
    x: Any = np.asarray(a) if type(a) in (np.ndarray, list, float, int) else None
    if x is not None and x.dtype in CODES and x.flags.c_contiguous and x.flags.aligned:
        return Operand(x, CODES[x.dtype])
    wrap, missing, bf16, time = None, None, False, None
    if isinstance(a, np.ma.MaskedArray):
        a, missing = a.data, np.ma.getmaskarray(a)
    elif hasattr(a, "__dlpack__") and not isinstance(a, (np.ndarray, np.generic)):
        a, wrap, bf16 = _foreign(a)
    elif hasattr(a, "to_numpy") and hasattr(a, "isna"):  # of pandas
        dt = getattr(getattr(a, "dtype", None), "numpy_dtype", None)
        missing = None if dt is None else np.asarray(a.isna())
        a = a.to_numpy() if dt is None else a.to_numpy(dt, na_value=dt.type())
    x = np.asarray(a)
    if x.dtype.name == "bfloat16":
        wrap, x, bf16 = wrap or _bfloat16(x.dtype), x.view("u2"), True
    elif x.dtype.kind in "mM":
        time = x.dtype.newbyteorder("=")
        missing = np.isnat(x)
        x = x.astype(time, copy=False).view("i8")
    x = x.astype(x.dtype.newbyteorder("="), copy=False)
    if x.dtype not in CODES:
        raise TypeError(_advice(x.dtype))
    if not x.flags.aligned or any(s % x.itemsize for s in x.strides):
        x = x.copy()
    if missing is not None and not missing.any():
        missing = None
    return Operand(x, BFLOAT16 if bf16 else CODES[x.dtype], wrap, missing, time)


def _bfloat16(dt: np.dtype) -> Callable[[Any, int], Any]:
    """What makes an answer an array of ml_dtypes' dtype."""
    return lambda y, code: y.view(dt) if code == BFLOAT16 else y


def _advice(dt: np.dtype) -> str:
    """What one can do with an array that ogive does not take."""
    if dt.names:
        return f"ogive takes no structured arrays; take one field, such as a[{dt.names[0]!r}]"
    if dt.kind == "O":
        return "ogive takes no arrays of objects; if they are numbers, convert them with a.astype(float)"
    if dt.kind in "SUT":
        return f"ogive takes no strings ({dt}); convert them with a.astype(float), or use numpy.isin"
    return f"ogive takes no {dt}; convert it, for example with a.astype(float)"


def _foreign(a: Any) -> tuple[np.ndarray, Callable[[Any, int], Any], bool]:
    """An array of another library by DLPack, what makes an answer such a one, and whether it is bfloat16."""
    if a.__dlpack_device__()[0] not in (1, 3):
        raise DeviceError(f"the array lies on a device, {a.__dlpack_device__()}; copy it to the host")
    library, bf16 = type(a).__module__.partition(".")[0], "bfloat16" in str(a.dtype)
    at: Any = sys.modules.get("jax" if library == "jaxlib" else library)

    def back(y: Any, code: int) -> Any:
        y, bf16 = np.asarray(y), code == BFLOAT16
        if library == "torch":
            return at.from_numpy(y.view("i2")).view(at.bfloat16) if bf16 else at.from_numpy(y)
        if library == "paddle":
            t = at.to_tensor(y.view("i2") if bf16 else y, place=a.place)
            return t.view("bfloat16") if bf16 else t
        if library in ("jax", "jaxlib"):
            return at.numpy.asarray(y.view(a.dtype) if bf16 else y)
        return a.__array_namespace__().from_dlpack(y) if hasattr(a, "__array_namespace__") else y

    if bf16 and library == "torch":
        return np.from_dlpack(a.view(at.int16)).view("u2"), back, True
    if bf16 or library in ("jax", "jaxlib"):
        x = np.asarray(a)  # without a copy
        return x.view("u2") if bf16 else x, back, bf16
    return np.from_dlpack(a), back, False
