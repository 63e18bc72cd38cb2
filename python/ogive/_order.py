"""Arguments of the functions become calls, and their answers what the caller has."""

from __future__ import annotations

import difflib
import operator
import os
import sys
from typing import Any

import numpy as np

from ._arrays import Operand, operand
from ._call import run
from ._errors import EmptyError, MethodError, OptionError, OutError, WeightsError
from ._frame import ENDS, INDEX, KEEPDIMS, METHODS, MODES, OVERWRITE, VALUE
from ._quantiles import quantiles

WORKERS = int(os.environ.get("OGIVE_NUM_THREADS") or 0)
_FAST = frozenset("?bhilqBHILQefd")  # dtypes of which nothing can be missing


def numbers(method: str | None, mode: str | None) -> tuple[int, int]:
    """The numbers of a method and of a median's mode, -1 for none."""
    if method is not None and method not in METHODS:
        near = difflib.get_close_matches(str(method), METHODS, 1)
        hint = f'; did you mean "{near[0]}"?' if near else ";"
        raise MethodError(f'unknown method "{method}"{hint} known: {", ".join(METHODS)}')
    if mode is not None and mode not in MODES:
        raise OptionError(f'unknown mode "{mode}"; known: avg, lower (min), upper')
    return -1 if method is None else METHODS[method], -1 if mode is None else MODES[mode]


def order(
    op: int, a: Any, q: Any = None, axis: Any = None, out: Any = None, overwrite: bool = False,
    method: str | None = None, mode: str | None = None, keepdims: bool = False, weights: Any = None,
    where: Any = None, workers: int | None = None, verb: int = VALUE,
) -> Any:  # fmt: skip
    """Calls an operation of the quantile and median families."""
    if where is not None:
        raise OptionError("where is not taken: this build of libogive has no masks")
    if q is not None and type(q) is not float:
        q, percent = quantiles(q, op in (3, 4))
        op -= 2 * (op in (3, 4) and not percent)
    if axis is not None and type(axis) is not int:
        axis = tuple(axis) if np.iterable(axis) else operator.index(axis)
    flags = KEEPDIMS * bool(keepdims) | OVERWRITE * bool(overwrite)
    key = (verb, op, flags, *numbers(method, mode), 0, workers or WORKERS, axis, 0, 0)
    others = () if weights is None else (weights,)
    if type(a) is np.ndarray and a.dtype.char in _FAST:
        made = tuple([y for y, _ in run(key, a, q, 2 if verb == INDEX else 1, others=others)])
    else:
        o = operand(a)
        partly = o.missing is not None or o.time is not None
        answers = _partly(key, a, o, q, weights) if partly else run(key, o, q, 2 if verb == INDEX else 1, others=others)
        made = tuple([o.back(y, code) for y, code in answers])
    return put(out, made[0]) if out is not None else made if verb == INDEX else made[0]


def put(out: Any, y: Any) -> Any:
    """Writes an answer to the caller's array, and returns that."""
    torch = sys.modules["torch"] if hasattr(out, "copy_") else None
    to: Any = out if torch or isinstance(out, np.ndarray) else np.from_dlpack(out)
    y = torch.as_tensor(y) if torch else np.from_dlpack(y) if hasattr(y, "__dlpack__") else np.asarray(y)
    names = [getattr(d.dtype, "name", str(d.dtype)) for d in (to, y)]
    if tuple(to.shape) != tuple(y.shape) or (names[0] != names[1] and not all("float" in n for n in names)):
        raise OutError(f"out is {to.dtype} of shape {tuple(to.shape)}, want {y.dtype} of shape {tuple(y.shape)}")
    if torch:
        to.copy_(y)
    elif to.flags.writeable:
        np.copyto(to, y, casting="unsafe")
    else:
        raise OutError("out is read-only")
    return out


def test(op: int, a: Any, out: Any, flags: int = 0, kind: int = 0, among: Any = None) -> Any:
    """Calls a test of elements."""
    o = operand(a)
    if among is None and o.time is not None:
        raise TypeError(f"ogive tests numbers, not {o.time}; use numpy.isnat")
    key = (VALUE, op, flags, -1, -1, kind, WORKERS, None, 0, 0)
    y = run(key, o, others=() if among is None else (None, None, among))[0][0]
    y = o.back(np.ma.array(y, mask=np.ma.getmask(a)) if isinstance(a, np.ma.MaskedArray) else y)
    return y if out is None else put(out, y)


def rolling(op: int, a: Any, q: Any, window: int, axis: int, least: int | None, method: Any, mode: Any) -> Any:
    """Calls an operation on windows."""
    o = operand(a).whole("windows")
    if window < 1 or (least is not None and least < 1):
        raise OptionError(f"a window of {window} elements, of which {least} must be there; the least is 1 of 1")
    key = (VALUE, op, 0, *numbers(method, mode), 0, WORKERS, axis, int(window), int(least or 0))
    return o.back(*run(key, o, None if q is None else quantiles(q)[0])[0])


def by(op: int, a: Any, keys: Any, q: Any, axis: int, method: Any, mode: Any, weights: Any) -> tuple[Any, Any]:
    """Calls an operation on groups."""
    o, k = operand(a).whole("groups"), operand(keys).whole("groups")
    key = (VALUE, op, 0, *numbers(method, mode), 0, WORKERS, axis, 0, 0)
    groups, values = run(key, o, None if q is None else quantiles(q)[0], 2, others=(weights, k))
    return k.back(*groups), o.back(*values)


def _partly(key: tuple[Any, ...], a: Any, o: Operand, q: Any, weights: Any) -> list[tuple[Any, int]]:
    """A call for an array of which elements are missing, or of dates.

    What is missing counts 0 times. A slice in which nothing is left is masked where the array was, else
    NaT, NaN or -1.
    """
    verb, op, flags, method, mode, _, _, axis, _, _ = key
    x, missing, time, keep = o.x, o.missing, o.time, bool(flags & KEEPDIMS)
    lost: Any = False
    if missing is not None and time is not None and op % 2:  # a NaT is the answer
        lost = missing.any(axis=axis, keepdims=keep)
    elif missing is not None:
        lost = missing.all(axis=axis, keepdims=keep)
        there = ~missing | missing.all(axis=axis, keepdims=True)
        if weights is not None and np.shape(weights) != x.shape:
            raise WeightsError(f"the weights of an array with missing elements must have its shape, {x.shape}")
        weights = there if weights is None else np.where(there, weights, 0)
        x = np.where(missing, x.dtype.type(0), x)
    o = Operand(x, o.code)
    if time is None or op > 6 or mode > 0 or method in (1, 2, 3, 4, 6, 8):
        answers = run(key, o, q, 2 if verb == INDEX else 1, others=(weights,))
    else:
        (lo, _), (hi, _), (g, _) = run((ENDS, *key[1:]), o, q, 3, others=(weights,))
        answers = [(_between(lo, hi, g, time, op > 4), 0)]
    masked = isinstance(a, np.ma.MaskedArray)
    return [(_lose(y, lost, masked, None if op > 6 or i else time), code) for i, (y, code) in enumerate(answers)]


def _between(lo: Any, hi: Any, g: Any, time: np.dtype, median: bool) -> Any:
    """The date between two, rounded as NumPy does it."""
    lo, hi, g = np.asarray(lo).view(time), np.asarray(hi).view(time), np.asarray(g)
    if median:
        return (lo + hi) / 2 if time.kind == "m" else lo + (hi - lo) / 2
    return np.where(g < 0.5, lo + (hi - lo) * g, hi - (hi - lo) * (1 - g))


def _lose(y: Any, lost: Any, masked: bool, time: np.dtype | None) -> Any:
    """Returns an answer without the slices that have none."""
    y = np.array(y) if time is None else np.array(y).view(time)
    if masked:
        return np.ma.array(y, mask=np.broadcast_to(lost, y.shape))[()]
    if np.any(lost):
        if time is None and y.dtype.kind not in "fi":
            raise EmptyError("a slice has no elements that are not missing")
        y[..., lost] = np.array("NaT", time) if time is not None else np.nan if y.dtype.kind == "f" else -1
    return y[()]
