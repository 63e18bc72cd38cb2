"""The memory of a call: struct ogive_call of ogive.h, and what its pointers point to.

A frame is made once and serves many calls, one at a time. It lies in this process' memory, for the
library, or in a segment that is shared with the worker; the addresses in it are those of whoever answers.
"""

from __future__ import annotations

import math
import operator
import struct
import sys
from typing import Any

import numpy as np

from ._errors import STATUSES, Error

SIZE = 4096
SMALL = 224  # bytes of the room that each result has in a frame

# Fields of ogive_call, in words of 8 bytes.
AXES, N_AXES, Q, N_Q, NUM, DEN, WINDOW, MIN_COUNT, BUDGET = range(4, 13)
X, WEIGHTS, KEYS, TEST, UPSTREAM, RESULTS, HANDLE, OTHER, NUMBER = range(13, 22)
CANCEL, PROGRESS, MESSAGE, MESSAGE_ROOM, CALL = range(25, 30)
# Behind it, in words: three results (a tensor of 6, room, given) and their shapes, five tensors with shapes
# and strides, axes, a quantile as float and as fraction, what cancels, progress, message, room for results.
_RESULT, _SHAPE, _TENSOR, _AXES, _Q, FLAG, _MESSAGE, _ROOM = 32, 56, 104, 294, 310, 313, 316, 380

FIELDS = WEIGHTS, KEYS, TEST, UPSTREAM
X_SHAPE = _TENSOR + 6  # the first dimension of x

VALUE, INDEX, GRADIENT, SLOPE, ENDS, PREPARE, RUN, STATE, ADD = range(9)
MERGE, NEXT, ANSWER, FORK, SAVE, LOAD, LOOK, RELEASE = range(9, 17)
KEEPDIMS, OVERWRITE, INVERT, ASSUME_UNIQUE, EQUAL_NAN, BY_INDEX, WITH_INDEX = (1 << i for i in range(7))
ROOM = 16  # the status

OPS = {f"{nan}{op}": i for i, (op, nan) in enumerate(
    [(op, nan) for op in ("quantile", "percentile", "median", "argquantile") for nan in ("", "nan")], 1)}  # fmt: skip
OPS |= {op: i for i, op in enumerate("isposinf isneginf isinf isnan isfinite signbit isreal isin".split(), 9)}
METHODS = {method: i for i, method in enumerate(
    "linear lower higher nearest nearest_down midpoint inverted_cdf averaged_inverted_cdf closest_observation "
    "interpolated_inverted_cdf hazen weibull median_unbiased normal_unbiased".split())}  # fmt: skip
METHODS |= {f"type{i}": m for i, m in enumerate([6, 7, 8, 9, 10, 11, 0, 12, 13], 1)}
MODES = {"avg": 0, "lower": 1, "min": 1, "upper": 2}
KINDS = {None: 0, "auto": 0, "sort": 1, "table": 2, "hash": 3}

_HEAD = struct.Struct("=4I4i")
_NDIM, _CODE = (0, 32) if sys.byteorder == "little" else (32, 0)  # of a tensor's word of both
_CPU = 1 << _NDIM  # the word of a device


def _code(kind: int, bits: int) -> int:
    return int.from_bytes(struct.pack("=BBH", kind, bits, 1), sys.byteorder)


BFLOAT16 = _code(4, 16)
DTYPES = {BFLOAT16: np.dtype("u2")}  # of DLPack's number of a dtype
for _d in map(np.dtype, "? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16".split()):
    DTYPES[_code({"b": 6, "i": 0, "u": 1, "f": 2, "c": 5}[_d.kind], 8 * _d.itemsize)] = _d
CODES = {d: code for code, d in DTYPES.items() if code != BFLOAT16}


class Frame:
    """The memory of a call: `buffer`, of which `base` is the address, `q` the words and `d` these as floats."""

    __slots__ = ("base", "buffer", "busy", "d", "key", "q", "scalars", "shared")

    def __init__(self, buffer: Any, base: int, shared: bool = False) -> None:
        words = memoryview(buffer).cast("B")
        self.buffer, self.base, self.q, self.d = buffer, base, words.cast("q"), words.cast("d")
        self.key: Any = None  # what `fill` was given, as long as all of it holds
        self.shared = shared  # with the worker
        self.busy = False  # a call that was interrupted has it still
        self.scalars = {c: np.ndarray((), d, buffer, 8 * _ROOM) for c, d in DTYPES.items()}  # result 0, by dtype

    def at(self, word: int) -> int:
        """The address of a word."""
        return self.base + 8 * word

    def fill(self, key: tuple[Any, ...]) -> None:
        """Sets all that calls of the same key have in common, and nothing else."""
        verb, op, flags, method, mode, kind, workers, axis, window, min_count = key
        q = self.q
        q[:CALL] = memoryview(bytes(8 * CALL)).cast("q")
        if self.shared:
            flags &= ~OVERWRITE  # a worker that is killed may have begun to
        _HEAD.pack_into(q.cast("B"), 0, 8 * CALL, verb, op, flags, method, mode, kind, workers)
        if axis is not None:
            axes = axis if isinstance(axis, tuple) else (axis,)
            q[AXES], q[N_AXES] = self.at(_AXES), len(axes)
            for i, a in enumerate(axes[:16]):
                q[_AXES + i] = operator.index(a)
        q[N_Q], q[WINDOW], q[MIN_COUNT] = -1, window, min_count
        q[RESULTS], q[MESSAGE], q[MESSAGE_ROOM] = self.at(_RESULT), self.at(_MESSAGE), 512
        for i in range(3):
            self.small(i)
        self.key = key

    def small(self, i: int) -> None:
        """Gives result i its own room."""
        self.room(i, self.at(_ROOM) + SMALL * i, SMALL)

    def scalar(self, q: float) -> None:
        """Sets the quantile of a call that has one."""
        self.d[_Q], self.q[Q], self.q[N_Q] = q, self.at(_Q), -1

    def ratio(self, num: int, den: int) -> None:
        """Sets the quantile to a fraction."""
        self.q[_Q + 1], self.q[_Q + 2], self.key = num, den, None
        self.q[NUM], self.q[DEN] = self.at(_Q + 1), self.at(_Q + 2)

    def room(self, i: int, address: int, size: int) -> None:
        """Gives result i memory."""
        at = _RESULT + 8 * i
        self.q[at], self.q[at + 1], self.q[at + 3] = address, _CPU, self.at(_SHAPE + 16 * i)
        self.q[at + 4], self.q[at + 5], self.q[at + 6], self.q[at + 7] = 0, 0, size, 0

    def described(self, i: int) -> tuple[tuple[int, ...], int, int]:
        """The shape of result i, the number of its dtype, and its bytes."""
        meta, at = self.q[_RESULT + 8 * i + 2], _SHAPE + 16 * i
        shape, code = tuple(self.q[at : at + (meta >> _NDIM & 0xFFFFFFFF)]), meta >> _CODE & 0xFFFFFFFF
        return shape, code, math.prod(shape) * DTYPES[code].itemsize

    def answer(self, i: int) -> tuple[Any, int]:
        """Result i, which has its room in the frame, and the number of its dtype."""
        meta = self.q[_RESULT + 8 * i + 2]
        code = meta >> _CODE & 0xFFFFFFFF
        if i == 0 and not meta >> _NDIM & 0xFFFFFFFF:
            return self.scalars[code][()], code
        return np.ndarray(self.described(i)[0], DTYPES[code], self.buffer, 8 * _ROOM + SMALL * i).copy()[()], code

    def tensor(self, field: int, a: np.ndarray, code: int, address: int) -> None:
        """Makes the field a tensor of a's shape and strides, whose first element is at the address."""
        q, at = self.q, _TENSOR + 38 * (field - X)
        q[at], q[at + 1], q[at + 2], q[at + 3] = address, _CPU, a.ndim << _NDIM | code << _CODE, self.at(at + 6)
        q[at + 4], q[at + 5], q[field] = self.at(at + 22), 0, self.at(at)
        for i, d in enumerate(a.shape[:16]):
            q[at + 6 + i], q[at + 22 + i] = d, a.strides[i] // a.itemsize

    def watch(self, on: bool) -> None:
        """Lets the call be cancelled by FLAG, and tell its progress behind that, or neither."""
        self.q[FLAG] = self.q[FLAG + 1] = self.q[FLAG + 2] = 0
        self.q[CANCEL], self.q[PROGRESS] = (self.at(FLAG), self.at(FLAG + 1)) if on else (0, 0)

    def error(self, status: int) -> Error:
        """The exception of a status."""
        text = bytes(self.q[_MESSAGE : _MESSAGE + 64]).split(b"\0")[0].decode(errors="replace")
        return STATUSES[min(status, len(STATUSES)) - 1](text)
