"""One call of libogive: a frame is filled, answered, and read."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from . import _frame, _ways
from ._arrays import Operand, operand
from ._errors import ShapeError
from ._quantiles import Quantiles

_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.argtypes, _pointer.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_size_t

_SLOW = 64  # how many times the work an element may be where there are windows, groups or weights


def run(
    key: tuple[Any, ...],
    x: Any,
    q: float | Quantiles | None = None,
    results: int = 1,
    words: tuple[tuple[int, int], ...] = (),
    get: int = 0,
    others: tuple[Any, ...] = (),
) -> list[Any]:
    """Does what the arguments ask for and returns the results.

    key is what `Frame.fill` takes, x an array or None, words are fields of the frame and what they are, others
    the tensors weights, keys, test and upstream, as many as there are, or None.
    Results are pairs of an array, or a scalar of NumPy, and the number of its dtype; behind them comes
    the field get.
    """
    way = _ways.now or _ways.choose()
    held: list[Any] = []  # what must live until the call is over
    try:
        f = way.frames.pop()
    except IndexError:
        f = way.frame()
    try:
        if f.key != key:
            f.fill(key)
        work = x.size if type(x) is np.ndarray else 0
        if work and way.direct and x.flags.aligned:
            try:
                held.append(x.__dlpack__())
                f.q[_frame.X] = _pointer(held[0], b"dltensor")
            except BufferError:  # read-only, or not native
                _set_tensor(way, f, _frame.X, operand(x), held)
        elif x is not None:
            o = operand(x)
            work = o.x.size
            _set_tensor(way, f, _frame.X, o, held)
        if isinstance(q, float):
            f.scalar(q)
        elif q is not None:
            _set_quantiles(way, f, q, held)
        for field, a in zip(_frame.FIELDS, others):
            if a is not None:
                o = operand(a)
                work = _SLOW * max(work, o.x.size)
                _set_tensor(way, f, field, o, held)
        for field, value in words:
            f.q[field] = value
        if key[8]:
            work *= _SLOW
        status, large = way.run(f, work, held), {}
        if status == _frame.ROOM:
            large = {i: way.room(f, i, held) for i in range(results) if f.described(i)[2] > _frame.SMALL}
            status = way.run(f, work, held)
        if status:
            raise f.error(status)
        answers: list[Any] = [(large[i](), f.described(i)[1]) if i in large else f.answer(i) for i in range(results)]
        for i in large:
            f.small(i)
        for field in _frame.FIELDS if others else ():
            f.q[field] = 0
        return answers + [f.q[get]] if get else answers
    except BaseException:
        f.key = None
        raise
    finally:
        if not f.busy:
            way.frames.append(f)
        way.free(held)


def _set_tensor(way: Any, f: _frame.Frame, field: int, o: Operand, held: list[Any]) -> None:
    if o.x.ndim > 16:
        raise ShapeError(f"an array has {o.x.ndim} dimensions, at most 16 are possible")
    a, address = way.place(o.x, held)
    f.tensor(field, a, o.code, address)


def _set_quantiles(way: Any, f: _frame.Frame, q: Quantiles, held: list[Any]) -> None:
    if q.scalar:
        f.ratio(int(q.num[0]), int(q.den[0]))  # type: ignore[index]
        return
    f.q[_frame.N_Q], f.q[_frame.Q] = len(q.q), way.place(q.q, held)[1] or f.base
    if q.den is not None:
        f.key = None
        f.q[_frame.NUM], f.q[_frame.DEN] = way.place(q.num, held)[1], way.place(q.den, held)[1]
