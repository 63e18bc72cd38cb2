"""The worker process, and the memory that is shared with it."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import math
import mmap
import os
import select
import struct
import subprocess
import tempfile
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from . import _ways
from ._errors import NoMemoryError, WorkerError
from ._frame import DTYPES, FLAG, HANDLE, SIZE, Frame

_MAP, _DROP, _RUN = 1, 2, 3
_MESSAGE, _STATUS = struct.Struct("=IIQ"), struct.Struct("=q")
_DISTANCE = 48  # bits of an address in a segment
_LEAST, _KEPT, _WAITING = 1 << 16, 256 << 20, 16  # bytes of a segment, and bytes and number of those that wait
_FRAMES = 32  # in a segment
_LONG = 1 << 18  # elements, from which on a call may be worth to be cancelled

_segments: weakref.WeakValueDictionary[int, Segment] = weakref.WeakValueDictionary()
_waiting: list[Segment] = []
_last = 0


class Segment(mmap.mmap):
    """Memory that is a file, which the worker maps too. Arrays over it keep it."""

    number: int
    length: int
    start: int
    file: int
    named: str

    def __new__(cls, size: int) -> Segment:
        """Makes a segment, all of whose memory is there."""
        global _last
        folder, path = os.environ.get("OGIVE_SHM"), ""
        try:
            if folder is None and hasattr(os, "memfd_create"):
                file = os.memfd_create("ogive")
            else:
                file, path = tempfile.mkstemp(prefix="ogive-", dir=folder)
            try:
                if hasattr(os, "posix_fallocate"):
                    os.posix_fallocate(file, 0, size)  # an error now, and not a signal later
                else:
                    os.truncate(file, size)
                self = super().__new__(cls, file, size)
            except BaseException:
                _close(file, path, os.getpid())
                raise
        except OSError as e:
            raise NoMemoryError(f"no shared memory of {size} bytes: {e}") from None
        weakref.finalize(self, _close, file, path, os.getpid())
        _last += 1
        self.number, self.length, self.file, self.named = _last, size, file, path
        self.start = np.frombuffer(self, "u1").__array_interface__["data"][0]
        _segments[self.number] = self
        return self

    def path(self) -> bytes:
        """Where the worker finds the file."""
        return os.fsencode(self.named or f"/proc/{os.getpid()}/fd/{self.file}")

    def at(self, address: int) -> int:
        """What an address of this process is for the worker."""
        return self.number << _DISTANCE | address - self.start


def _close(file: int, path: str, process: int) -> None:
    os.close(file)
    if path and os.getpid() == process:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)


class Piece:
    """A segment for the time of a call."""

    def __init__(self, size: int) -> None:
        for s in list(_waiting):
            if size <= s.length <= 4 * size + _LEAST:
                try:
                    _waiting.remove(s)
                except ValueError:  # another thread has it
                    continue
                self.segment = s
                return
        unit = max(_LEAST, 1 << max(size.bit_length() - 3, 0))
        self.segment = Segment(-(-size // unit) * unit)

    def free(self) -> None:
        """Lets others use the segment."""
        _waiting.append(self.segment)
        while len(_waiting) > _WAITING or sum(s.length for s in list(_waiting)) > _KEPT:
            del _waiting[:1]  # the one that has waited longest


class _Ended(Exception):
    """The worker is no more."""


class Worker:
    """A worker, which is started when it is needed, and again when it has ended."""

    direct = False

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.released: list[int] = []  # handles that nobody has any more
        self.lock = threading.Lock()
        self.process: Any = None
        self.owes = False  # an answer
        self.ended = 0  # how many did
        self.known: set[int] = set()  # segments that it has
        atexit.register(self.end)

    def leave(self) -> None:
        """Forgets, in a child, what its parent goes on with."""
        atexit.unregister(self.end)
        _waiting.clear()
        if self.process:
            self.process.stdin.close()
            self.process.stdout.close()
            self.process.returncode = 0  # it is no child of this process

    def end(self) -> str:
        """Ends the worker, if it has not ended, and returns how it did."""
        process, self.process = self.process, None
        if not process:
            return ""
        self.ended, self.owes = self.ended + 1, False
        process.stdin.close()
        process.stdout.close()
        try:
            code = process.wait(1)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        return f"signal {-code}" if code < 0 else f"status {code}"

    def frame(self) -> Frame:
        """Makes a frame, and others for later."""
        s = Segment(_FRAMES * SIZE)
        words = range(0, s.length, SIZE)
        made = [Frame(memoryview(s)[at : at + SIZE], s.at(s.start + at), shared=True) for at in words]
        self.frames += made[1:]
        return made[0]

    def place(self, a: np.ndarray, held: list[Any]) -> tuple[np.ndarray, int]:
        """Returns a, or a copy, and the address of its first element, for as long as held lives."""
        first = a.__array_interface__["data"][0]
        steps = [s * (d - 1) for s, d in zip(a.strides, a.shape)]
        low, span = first + sum(s for s in steps if s < 0), sum(map(abs, steps)) + a.itemsize
        if a.size == 0:
            return a, 0
        for s in list(_segments.values()):
            if s.start <= low and low + span <= s.start + s.length:
                held.append((s, a))
                return a, s.at(first)
        piece = Piece(min(span, a.nbytes))
        held.append(piece)
        if span <= a.nbytes:  # as it lies, whatever its strides
            ctypes.memmove(piece.segment.start, low, span)
            return a, piece.segment.at(piece.segment.start + first - low)
        copy: np.ndarray = np.ndarray(a.shape, a.dtype, piece.segment)
        np.copyto(copy, a)
        return copy, piece.segment.at(piece.segment.start)

    def free(self, held: list[Any]) -> None:
        """Ends the life of held."""
        for piece in held:
            if isinstance(piece, Piece):
                piece.free()

    def room(self, f: Frame, i: int, held: list[Any]) -> Callable[[], np.ndarray]:
        """Gives result i memory, and returns the function that returns it as an array."""
        shape, code, size = f.described(i)
        piece = Piece(size)
        held.append(piece)
        f.room(i, piece.segment.at(piece.segment.start), size)
        return lambda: np.ndarray(shape, DTYPES[code], piece.segment).copy()

    def run(self, f: Frame, work: int, held: list[Any]) -> int:
        """Answers a frame and returns the status. A worker that ends meanwhile is replaced, once,
        unless it had what the call needs."""
        with self.lock:
            try:
                for last in (False, True):
                    try:
                        return self._run(f, work)
                    except _Ended as e:
                        how = self.end()
                        if last or f.q[HANDLE]:
                            lost = ", and the plan or state that it had is lost" if f.q[HANDLE] else ", twice in a call"
                            raise WorkerError(f"the worker ended with {how}{lost} ({e})") from None
                raise AssertionError
            finally:
                if self.owes:  # an answer, which would be taken for another call's
                    self.process.kill()
                    self.end()

    def _run(self, f: Frame, work: int) -> int:
        if self.process is None:
            self._start()
        live = set(_segments.keys())
        for number in self.known ^ live:
            s = _segments.get(number)
            path = s.path() if s else b""
            self._send(_MAP if s else _DROP, number, len(path), path)
            self._status()
        self.known = live
        callback = _ways.watcher.get()
        f.watch(bool(callback) or work >= _LONG)
        try:
            self._send(_RUN, 0, f.base)
            while callback and not self._answers(0.1):
                callback(f.q[FLAG + 2], f.q[FLAG + 1])
            return self._status()
        except _Ended:
            raise
        except BaseException:  # an interrupt: the answer comes soon, if the call was sent
            f.q[FLAG] = -1
            if self.owes and self._answers(0.1):
                self._status()
            raise

    def _answers(self, seconds: float) -> bool:
        """Waits for an answer; on Windows, whose pipes tell nothing, there is always one soon."""
        return os.name == "nt" or bool(select.select([self.process.stdout], [], [], seconds)[0])

    def _start(self) -> None:
        path = os.environ.get("OGIVE_WORKER_PATH") or _ways.NATIVE / f"ogive-worker{'.exe' * (os.name == 'nt')}"
        pipe = subprocess.PIPE
        try:  # in a session of its own: interrupts are its parent's to see to
            self.process = subprocess.Popen([str(path)], bufsize=0, stdin=pipe, stdout=pipe, start_new_session=True)
        except OSError as e:
            raise WorkerError(f"the worker could not be started: {e}") from None
        self.known = set()

    def _send(self, verb: int, segment: int, value: int, more: bytes = b"") -> None:
        self.owes = True
        try:
            self.process.stdin.write(_MESSAGE.pack(verb, segment, value) + more)
        except OSError as e:
            raise _Ended(e) from None

    def _status(self) -> int:
        status = self.process.stdout.read(8)
        if len(status) < 8:
            raise _Ended("it answers no more")
        self.owes = False
        return _STATUS.unpack(status)[0]


def empty(shape: Any, dtype: Any = float) -> np.ndarray:
    """Return an array of any contents that a worker takes without a copy.

    It lies in memory that is shared with the worker, and with processes that are forked later: what one of
    them writes the others see. Small arrays are those of `numpy.empty`.

    Examples
    --------
    >>> x = ogive.empty((1000, 100), "float32")
    >>> x[:] = 1
    >>> ogive.median(x)
    np.float32(1.0)
    """
    dt, dims = np.dtype(dtype), tuple(shape) if np.iterable(shape) else (shape,)
    size = math.prod(dims) * dt.itemsize
    return np.empty(dims, dt) if size < _LEAST or dt.hasobject else np.ndarray(dims, dt, Segment(size))
