"""What is kept between calls: prepared operations, and the states of data that come in chunks."""

from __future__ import annotations

import json
import math
import weakref
from itertools import pairwise
from typing import Any

import numpy as np

from . import _frame, _ways
from ._arrays import Operand, operand
from ._call import run
from ._errors import Error, FormatError, OptionError, ShapeError, WeightsError, WorkerError
from ._frame import BFLOAT16, CODES, HANDLE, NUMBER, OPS, OTHER
from ._order import WORKERS, numbers, put
from ._quantiles import quantiles

_STATES = b"ogive states 1\n"
_FLAGS = {"keepdims": _frame.KEEPDIMS, "invert": _frame.INVERT, "assume_unique": _frame.ASSUME_UNIQUE}
_FLAGS |= {"equal_nan": _frame.EQUAL_NAN, "overwrite_input": _frame.OVERWRITE}


def _parameters(verb: int, op: str, p: dict[str, Any]) -> tuple[tuple[Any, ...], Any, tuple[Any, ...]]:
    """The key, quantiles and tensors of an operation and its parameters."""
    if op not in OPS:
        raise OptionError(f'unknown operation "{op}"; known: {", ".join(OPS)}')
    number, q, p = OPS[op], None, dict(p)
    if p.get("q") is not None:
        q, percent = quantiles(p["q"], number in (3, 4))
        number -= 2 * (number in (3, 4) and not percent)
    p.pop("q", None)
    flags = sum(bit for name, bit in _FLAGS.items() if p.pop(name, False))
    method, mode = numbers(p.pop("method", None), p.pop("mode", None))
    kind, axis = _frame.KINDS.get(p.pop("kind", None), 255), p.pop("axis", None)
    tensors = (p.pop("weights", None), None, p.pop("test_elements", None))
    key = (verb, number, flags, method, mode, kind, p.pop("workers", None) or WORKERS, axis, 0, 0)
    if p:
        raise OptionError(f"{op} takes no {', '.join(p)}")
    return key, q, tensors


def _like(dtype: Any, shape: tuple[int, ...]) -> Operand:
    """An operand of a dtype and shape, without memory for its elements."""
    bf16 = str(dtype) == "bfloat16"
    dt = np.dtype("u2") if bf16 else np.dtype(dtype)
    if dt not in CODES:
        return operand(np.empty(0, dt))  # which tells why
    return Operand(np.broadcast_to(np.empty((), dt), shape), BFLOAT16 if bf16 else CODES[dt])


class _Kept:
    """What libogive keeps, by numbers that are its own."""

    def _keep(self, *handles: int) -> None:
        self._way, self._ended, self._handles = _ways.now, _ways.now.ended, list(handles)
        weakref.finalize(self, self._way.released.extend, handles)  # not at once: a call may be under way

    def _there(self) -> bool:
        return self._way is _ways.now and self._ended == self._way.ended


def _release() -> None:
    """Ends what nobody has any more."""
    way = _ways.now or _ways.choose()
    while way.released:
        run(_RELEASE, None, results=0, words=((HANDLE, way.released.pop()),))


_RELEASE = (_frame.RELEASE, 0, 0, -1, -1, 0, 0, None, 0, 0)


class Plan(_Kept):
    """An operation whose parameters are checked once, for inputs of a dtype and shape.

    Parameters
    ----------
    op
        The name of a function: of the quantile and median families, a test of elements, or isin.
    dtype, shape
        Of the inputs. The first dimension may be -1: any length.
    **parameters
        Those of the function, among them q, test_elements, and weights; and index=True for positions beside
        the values of a median of mode "lower" or "upper".

    Examples
    --------
    >>> plan = ogive.Plan("nanquantile", "float32", (-1, 3), q=0.5, axis=1)
    >>> plan(np.array([[1, np.nan, 2]], "float32"))
    array([1.5], dtype=float32)
    """

    def __init__(self, op: str, dtype: Any, shape: Any, **parameters: Any) -> None:
        self._index = bool(parameters.pop("index", False))
        self._of = op, dtype, tuple(shape) if np.iterable(shape) else (shape,), parameters
        self._prepare()

    def _prepare(self) -> None:
        _release()
        op, dtype, shape, parameters = self._of
        key, q, tensors = _parameters(_frame.PREPARE, op, parameters)
        like = _like(dtype, tuple(max(d, 1) if i == 0 else d for i, d in enumerate(shape)))
        free = ((_frame.X_SHAPE, -1),) if shape[:1] == (-1,) else ()
        (handle,) = run(key, like, q, 0, free, HANDLE, tensors)
        self._keep(handle)
        self._key = (_frame.RUN, key[1], _frame.WITH_INDEX * self._index, -1, -1, 0, 0, None, 0, 0)

    def __call__(self, a: Any, out: Any = None) -> Any:
        """Answers for a, into out if that is given."""
        if not self._there():
            self._prepare()
        o = operand(a)
        answers = run(self._key, o, None, 1 + self._index, ((HANDLE, self._handles[0]),))
        made = tuple([o.back(y, code) for y, code in answers])
        return put(out, made[0]) if out is not None else made if self._index else made[0]

    def __reduce__(self) -> Any:
        op, dtype, shape, parameters = self._of
        return _plan, (op, dtype, shape, {**parameters, "index": self._index})


def _plan(op: str, dtype: Any, shape: Any, parameters: dict[str, Any]) -> Plan:
    return Plan(op, dtype, shape, **parameters)


class State(_Kept):
    """An order statistic of data that come in chunks, or on many machines, within a budget of memory.

    A pass is: add all chunks, in any order, to a state or to forks of it that are then merged; then call
    next. If it returns True, all data must be added once more. The answer has the bits of the answer in memory.

    Parameters
    ----------
    op
        "quantile", "percentile", "median", or one of these with nan.
    dtype
        Of the chunks.
    shape
        Of the answers: () for one of all that is added; otherwise the last dimensions of each chunk, each
        element of which has an answer of its own.
    budget
        The memory, in bytes, for all answers together; at least 1 MiB for each.
    **parameters
        q, method, mode.

    Examples
    --------
    >>> s = ogive.State("median", "float64", (), 1 << 20)
    >>> again = True
    >>> while again:
    ...     for chunk in np.array([3.0, 1.0]), np.array([2.0]):
    ...         s.add(chunk)
    ...     again = s.next()
    >>> s.result()
    np.float64(2.0)
    """

    def __init__(self, op: str, dtype: Any, shape: Any = (), budget: int = 1 << 26, **parameters: Any) -> None:
        _release()
        self.shape = tuple(shape) if np.iterable(shape) else (shape,)
        n = math.prod(self.shape)
        if n < 1:
            raise ShapeError(f"a state has no answers of shape {self.shape}")
        key, q, _ = _parameters(_frame.STATE, op, parameters)
        words = ((_frame.BUDGET, budget // n),)
        self._keep(*(run(key, _like(dtype, ()), q, 0, words, HANDLE)[0] for _ in range(n)))
        self._open = [True] * n  # whether a pass is

    def _do(
        self, verb: int, i: int, x: Any = None, results: int = 0, get: int = 0, other: int = 0, weights: Any = None
    ) -> Any:
        """Does a verb for answer i, and returns its result or field."""
        if not self._there():
            raise WorkerError("the process or worker that had the state is not there; go on from its bytes")
        words = ((HANDLE, self._handles[i]), (OTHER, other))
        return (run((verb, *_RELEASE[1:]), x, None, results, words, get, (weights,)) or [None])[0]

    def add(self, chunk: Any, weights: Any = None) -> None:
        """Adds a chunk, each of whose elements counts weights times: integers or bools of its shape."""
        o, w = operand(chunk), None if weights is None else operand(weights)
        if o.missing is not None or o.time is not None:
            raise TypeError("states take no masked arrays and no dates; give weights, or view dates as int64")
        if not any(self._open):
            raise OptionError("no pass is open: the result is known")
        if o.x.shape[max(o.x.ndim - len(self.shape), 0) :] != self.shape:
            raise ShapeError(f"the chunk has shape {o.x.shape}, want (..., {str(self.shape)[1:]}")
        if w is not None and w.x.shape != o.x.shape:
            raise WeightsError(f"weights have shape {w.x.shape}, want the chunk's {o.x.shape}")
        for i, index in enumerate(np.ndindex(self.shape)):
            at: Any = (..., *index)
            if self._open[i]:
                part = None if w is None else Operand(w.x[at], w.code)
                self._do(_frame.ADD, i, Operand(o.x[at], o.code), weights=part)

    def merge(self, other: State) -> None:
        """Adds what a fork, or one that is as equal, has seen."""
        if self.shape != other.shape or not other._there():
            raise OptionError(f"a state of shape {other.shape} cannot be merged with one of {self.shape} here")
        for i, opened in enumerate(self._open):
            if opened:
                self._do(_frame.MERGE, i, other=other._handles[i])

    def next(self) -> bool:
        """Ends the pass, and tells whether all data must be added once more, to this and to new forks."""
        self._open = [bool(self._do(_frame.NEXT, i, get=NUMBER)) for i in range(len(self._open))]
        return any(self._open)

    def result(self) -> Any:
        """Returns the answer, or answers, once next has returned False."""
        answers = [np.asarray(self._do(_frame.ANSWER, i, results=1)[0]) for i in range(len(self._open))]
        return np.stack(answers, -1).reshape(answers[0].shape + self.shape)[()]

    def fork(self) -> State:
        """Returns a state of the same pass that has seen nothing, for another thread."""
        return self._made(self.shape, [self._do(_frame.FORK, i, get=OTHER) for i in range(len(self._open))], self._open)

    def _look(self) -> list[Any]:
        return [[self._do(_frame.LOOK, i, get=NUMBER + k) for i in range(len(self._open))] for k in range(4)]

    @property
    def max_passes(self) -> int:
        """How many passes the answer takes at most."""
        return max(self._look()[1])

    @property
    def count(self) -> int:
        """How many values, or how much weight, the pass has seen."""
        return sum(self._look()[2])

    def to_bytes(self) -> bytes:
        """Returns the state as bytes that mean the same on every machine."""
        states = [np.asarray(self._do(_frame.SAVE, i, results=1)[0]).tobytes() for i in range(len(self._open))]
        head = json.dumps({"shape": self.shape, "bytes": [len(s) for s in states]}).encode()
        return b"".join([_STATES, head, b"\n", *states]) if self.shape else states[0]

    @classmethod
    def from_bytes(cls, b: bytes) -> State:
        """Returns the state whose bytes these are, those of Go's package stream too."""
        _release()
        shape, parts = (), [b]
        if b.startswith(_STATES):
            try:
                head, _, rest = b[len(_STATES) :].partition(b"\n")
                shape, ends = tuple(json.loads(head)["shape"]), np.cumsum([0, *json.loads(head)["bytes"]])
                parts = [rest[i:j] for i, j in pairwise(ends)]
            except (ValueError, KeyError, TypeError) as e:
                raise FormatError(f"not the bytes of states: {e}") from None
        if len(parts) != math.prod(shape):
            raise FormatError(f"{len(parts)} states of shape {shape}")
        key = (_frame.LOAD, *_RELEASE[1:])
        made = cls._made(shape, [run(key, np.frombuffer(p, "u1"), None, 0, (), HANDLE)[0] for p in parts], [])
        for i in range(len(parts)):
            try:
                made._do(_frame.ANSWER, i, results=1)
                made._open.append(False)
            except Error as e:
                made._open.append(isinstance(e, OptionError))
        return made

    @classmethod
    def _made(cls, shape: tuple[int, ...], handles: list[int], opened: list[bool]) -> State:
        self = cls.__new__(cls)
        self.shape, self._open = shape, list(opened)
        self._keep(*handles)
        return self

    def __reduce__(self) -> Any:
        return State.from_bytes, (self.to_bytes(),)
