"""The two ways to an answer: libogive in this process, or a worker beside it."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import numpy as np

from ._frame import DTYPES, FLAG, SIZE, Frame

ABI = 1
LONG = 1 << 24  # elements, from which on a call may take so long that it must be interruptible
NATIVE = Path(__file__).parent / "native"

now: Any = None  # the way that calls take; None before the first one, and in a child after a fork
watcher: ContextVar[Callable[[int, int], Any] | None] = ContextVar("ogive_progress", default=None)
_loaded = False  # the library is in this process, or was in the one that it was forked from
_choosing = threading.Lock()


@contextmanager
def progress(callback: Callable[[int, int], Any]) -> Iterator[None]:
    """Call back about ten times a second while calls within the with statement run.

    Parameters
    ----------
    callback
        Takes the elements that were read, and those that will be, which may become more. It runs in
        the thread that calls; an exception that it raises ends the call.

    Examples
    --------
    >>> with ogive.progress(lambda done, total: print(f"{done} of {total}")):
    ...     y = ogive.median(np.arange(5.0))
    """
    token = watcher.set(callback)
    try:
        yield
    finally:
        watcher.reset(token)


def choose() -> Any:
    """Takes the library if it can be had here, else a worker, for all further calls."""
    global now, _loaded
    with _choosing:
        if now is None and not _loaded and os.environ.get("OGIVE_WORKER", "0") in ("", "0"):
            try:
                _loaded = True  # from now on, for a child
                now = Library(os.environ.get("OGIVE_LIBRARY") or str(NATIVE / "libogive.so"))
            except OSError:
                _loaded = False
        if now is None:
            from ._worker import Worker

            now = Worker()
        return now


def _forked() -> None:
    """Go's runtime does not live in a child, and the parent's worker is not its own."""
    global now, _choosing
    if now is not None:
        now.leave()
    now, _choosing = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


class Library:
    """libogive in this process: its addresses are the process' own."""

    direct, ended = True, 0

    def __init__(self, path: str) -> None:
        library = ctypes.CDLL(path)
        if library.ogive_abi() != ABI:
            raise OSError(f"{path} has version {library.ogive_abi()} of the interface, not {ABI}")
        self._run = library.ogive_run
        self._run.argtypes = [ctypes.c_size_t]
        self.frames: list[Frame] = []
        self.released: list[int] = []  # handles that nobody has any more

    def leave(self) -> None:
        """Forgets, in a child, what its parent goes on with."""

    def frame(self) -> Frame:
        """Makes a frame."""
        memory = (ctypes.c_char * SIZE)()
        return Frame(memory, ctypes.addressof(memory))

    def place(self, a: np.ndarray, held: list[Any]) -> tuple[np.ndarray, int]:
        """Returns a and the address of its first element, for as long as held lives."""
        held.append(a)
        return a, a.__array_interface__["data"][0]

    def free(self, held: list[Any]) -> None:
        """Ends the life of held."""

    def room(self, f: Frame, i: int, held: list[Any]) -> Callable[[], np.ndarray]:
        """Gives result i memory, and returns the function that returns it as an array."""
        shape, code, size = f.described(i)
        y = np.empty(shape, DTYPES[code])
        f.room(i, self.place(y, held)[1], size)
        return lambda: y

    def run(self, f: Frame, work: int, held: list[Any]) -> int:
        """Answers a frame, of about so much work in elements, and returns the status.

        If the call is interrupted and does not end soon, it goes on in its thread, and keeps its frame.
        """
        callback = watcher.get()
        if callback is None and (work < LONG or threading.current_thread() is not threading.main_thread()):
            return self._run(f.base)
        f.watch(True)
        f.busy, status, done = True, [0], threading.Event()

        def answer(kept: list[Any] = held) -> None:
            status[0] = self._run(f.base)
            done.set()

        try:
            threading.Thread(target=answer, daemon=True).start()  # so that this one sees signals
            while not done.wait(0.1 if callback else None):
                callback(f.q[FLAG + 2], f.q[FLAG + 1])  # type: ignore[misc]
            f.busy = False
        finally:
            if f.busy:
                f.q[FLAG] = -1
                f.busy = not done.wait(0.1)
        f.watch(False)
        return status[0]
