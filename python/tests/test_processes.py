"""Forks, threads, interrupts, workers that end, and memory that does."""

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT, same

import ogive
from ogive import _ways, _worker

CHECK = """
import os, sys, threading, numpy as np, ogive
from ogive import _ways
x = np.arange(200_001.0)
def answer(): return float(ogive.median(x)) == 100_000 and ogive.quantile(x, [0.25, 1]).tolist() == [50_000, 200_000]
def child(do):
    pid = os.fork()
    if pid == 0:
        os._exit(0 if do() else 1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
"""


def test_fork_before(script):
    """A child of a process that has loaded nothing loads the library itself."""
    script(CHECK + "assert child(lambda: answer() and _ways.now.direct) == 0 and answer() and _ways.now.direct")


def test_fork_after(script):
    """A child of a process with the library, or with a worker, has a worker of its own, and its child too."""
    twice = "lambda: answer() and not _ways.now.direct and child(answer) == 0"
    for worker in "0", "1":
        script(
            CHECK + f"assert answer() and child({twice}) == 0 and child(answer) == 0 and answer()", OGIVE_WORKER=worker
        )


def test_fork_during(script):
    """Other threads are in calls when the process forks."""
    text = """
stop, ok = threading.Event(), []
def work():
    while not stop.is_set(): ok.append(answer())
threads = [threading.Thread(target=work) for _ in range(4)]
for t in threads: t.start()
codes = [child(answer) for _ in range(8)]
stop.set()
for t in threads: t.join()
assert codes == [0] * 8 and all(ok) and answer(), codes
"""
    for worker in "0", "1":
        script(CHECK + text, OGIVE_WORKER=worker)


def test_multiprocessing(script):
    text = """
import multiprocessing as mp
def f(i): return float(ogive.median(np.arange(i + 1.0)))
if __name__ == "__main__":
    answer()
    with mp.get_context("fork").Pool(3) as pool:
        assert pool.map(f, range(20)) == [i / 2 for i in range(20)]
    shared = ogive.empty(100_000)
    shared[:] = 1
    def write(): shared[:] = 2
    p = mp.get_context("fork").Process(target=lambda: shared.__setitem__(slice(None), ogive.median(shared) + 1))
    p.start(); p.join()
    assert ogive.median(shared) == 2
"""
    script(CHECK + text)


def test_threads(way):
    """64 threads at a time."""
    bad = []

    def work(i):
        x = np.random.default_rng(i).standard_normal(1000 + i)
        want = np.sort(x)
        for k in 0, 500, 999:
            if ogive.quantile(x, k / (len(x) - 1), method="nearest") != want[k]:
                bad.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(64)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not bad


def test_interrupt(way):
    """A long call of the main thread ends soon after an interrupt, and the next one answers."""
    x = ogive.empty(30_000_000)
    x[:] = np.random.default_rng(1).standard_normal(len(x))
    q = np.linspace(0, 1, 1_000_000)
    for call in lambda: ogive.rolling_median(x, 10_001), lambda: ogive.quantile(x, q), lambda: ogive.isin(x, x):
        sent = []

        def interrupt(sent=sent):
            time.sleep(0.4)
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=interrupt).start()
        with pytest.raises(KeyboardInterrupt):
            for _ in range(100):
                call()
        assert time.monotonic() - sent[0] < 0.2 * patience()
        same(ogive.median([1.0, 2.0]), 1.5)


def test_interrupts_at_any_time(way):
    """Whenever a call is interrupted, no other call gets its answer, and none hangs."""

    armed = [False]

    def interrupt(*_):
        if armed[0]:
            raise KeyboardInterrupt

    before, rng, interrupted = signal.signal(signal.SIGALRM, interrupt), np.random.default_rng(5), 0
    large = rng.standard_normal(20_000_000)

    def calls(x, i):  # apart, as Python 3.13.0 has jumps that no handler covers
        try:
            armed[0] = True
            signal.setitimer(signal.ITIMER_REAL, 10 ** rng.uniform(-5, -2.5))
            for _ in range(1000):
                ogive.quantile(x, [0.0, 0.5], weights=np.ones(1001, "u1"))
                if i % 10 == 0:
                    ogive.median(large)
        finally:
            armed[0] = False

    for i in range(300):
        x = np.full(1001, float(i))
        try:
            calls(x, i)
        except KeyboardInterrupt:
            interrupted += 1
        armed[0] = False
        assert ogive.median(x - 0.5) == i - 0.5
    signal.signal(signal.SIGALRM, before)
    assert interrupted > 250


def patience():
    """How much longer a busy machine may take."""
    return 1 + 4 * os.getloadavg()[0] / (os.cpu_count() or 1)


def test_progress(way):
    told = []
    x = np.random.default_rng(1).standard_normal(10_000_000)
    with ogive.progress(lambda done, total: told.append((done, total))):
        ogive.rolling_median(x, 1001)
    assert told and all(0 <= done <= total for done, total in told)
    assert told == sorted(told) and told[-1][1] > 0
    n = len(told)
    ogive.median(x)
    assert len(told) == n

    def stop(done, total):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"), ogive.progress(stop):
        ogive.rolling_median(x, 1001)
    same(ogive.median([1.0, 2.0]), 1.5)


def test_releases_the_interpreter(way):
    """Other threads run while a call does."""
    counted, x = [0], np.random.default_rng(1).standard_normal(2_000_000)
    done = threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    t = threading.Thread(target=count)
    t.start()
    start = time.monotonic()
    ogive.rolling_median(x, 1001)
    took, n = time.monotonic() - start, counted[0]
    done.set()
    t.join()
    assert n > took * 1000 / 20 / patience(), (n, took)


@pytest.fixture
def worker():
    before, _ways.now = _ways.now, _worker.Worker()
    _worker._waiting.clear()
    yield _ways.now
    _ways.now.end()
    _ways.now = before


def test_killed_worker(worker):
    """A call whose worker is killed, before it or in it, is made again, once."""
    x = np.random.default_rng(1).standard_normal(1_000_000)
    want = np.median(x)
    same(ogive.median(x), want)
    worker.process.kill()
    worker.process.wait()
    same(ogive.median(x), want)
    assert worker.ended == 1

    x = np.concatenate([x, x, x, x])

    done, killed = threading.Event(), []

    def kill():
        while not done.is_set() and len(killed) < 1:
            time.sleep(0.1)
            killed.append(worker.process.pid)
            worker.process.kill()

    t = threading.Thread(target=kill)
    t.start()
    got = ogive.rolling_median(x, 5001)
    done.set()
    t.join()
    assert worker.ended == 2 and killed
    same(got[::99_999], [np.median(x[i : i + 5001]) for i in range(0, len(got), 99_999)])


def test_worker_that_is_always_killed(worker):
    """The second time is an error, and what the worker kept is lost with a clear one."""
    state = ogive.State("median", "f8")
    state.add(np.zeros(3))
    worker.process.kill()
    worker.process.wait()
    with pytest.raises(ogive.WorkerError, match="lost|not there"):
        state.add(np.zeros(3))
    with pytest.raises(ogive.WorkerError, match="not there"):
        state.next()
    plan = ogive.Plan("median", "f8", 3)
    worker.process.kill()
    worker.process.wait()
    ogive.median([1.0])
    same(plan(np.arange(3.0)), 1.0)

    stop = threading.Event()

    def kill():
        while not stop.is_set():
            process = worker.process
            if process:
                process.kill()
            time.sleep(0.05)

    t = threading.Thread(target=kill)
    t.start()
    try:
        with pytest.raises(ogive.WorkerError, match="twice in a call"):
            ogive.rolling_median(np.zeros(3_000_000), 100_001)
    finally:
        stop.set()
        t.join()
    same(ogive.median([1.0, 2.0]), 1.5)


@pytest.mark.parametrize("path", ["/nowhere", "/bin/true", "/bin/cat"])
def test_no_worker(worker, monkeypatch, path):
    monkeypatch.setenv("OGIVE_WORKER_PATH", path)
    if path == "/bin/cat":
        pytest.skip("a program that echoes is none that can be told from a worker")
    with pytest.raises(ogive.WorkerError, match="could not be started|ended"):
        ogive.median([1.0])


def test_no_library(script):
    """Where the library cannot be loaded the worker answers."""
    script(CHECK + "assert answer() and not _ways.now.direct", OGIVE_LIBRARY="/nowhere/libogive.so")


def workers_of(pid):
    """The processes whose parent is pid, and that are workers."""
    found = []
    for p in Path("/proc").iterdir():
        try:
            if p.name.isdigit() and "ogive-worker" in (p / "cmdline").read_text():
                found += [int(p.name)] if f"PPid:\t{pid}\n" in (p / "status").read_text() else []
        except OSError:
            continue
    return found


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="looks into /proc")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, None])
def test_worker_ends_with_its_parent(how):
    """However that ends, and though a child of it holds the pipes."""
    text = (
        CHECK
        + "assert answer(); child_pid = os.fork()\n"
        + "if child_pid == 0: os.close(1); os.close(2); import time; time.sleep(20); os._exit(0)\n"
    )
    text += "print(child_pid, flush=True)\n" + ("sys.stdin.read()" if how else "")
    environment = {**os.environ, "OGIVE_WORKER": "1", "PYTHONPATH": str(Path(ogive.__file__).parents[1])}
    p = subprocess.Popen([sys.executable, "-c", text], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
    child = int(p.stdout.readline())
    workers = workers_of(p.pid)
    if how:
        assert len(workers) == 1
        os.kill(p.pid, how)
    p.wait()
    deadline = time.monotonic() + 10 * patience()
    while any(Path(f"/proc/{w}").exists() for w in workers):
        assert time.monotonic() < deadline, "the worker lives on"
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    p.stdin.close()
    p.stdout.close()


def test_no_shared_memory(worker, monkeypatch):
    """What has no room in shared memory is an error, and no signal."""
    ogive.median([1.0])
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, hard))
    try:
        with pytest.raises(MemoryError, match="no shared memory"):
            ogive.empty(1 << 20)
        _worker._waiting.clear()
        with pytest.raises(ogive.NoMemoryError):
            ogive.median(np.zeros(1 << 20))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    same(ogive.median(np.zeros(1 << 20)), 0.0)


def test_full_file_system(worker, tmp_path):
    """The same where segments are files, and their file system is full."""
    if (
        os.geteuid()
        or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "ogive", tmp_path], capture_output=True).returncode
    ):
        pytest.skip("may not mount")
    try:
        os.environ["OGIVE_SHM"] = str(tmp_path)
        same(ogive.median(np.arange(1001.0)), 500.0)
        assert any(tmp_path.iterdir())
        with pytest.raises(ogive.NoMemoryError, match="No space left"):
            ogive.median(np.zeros(1 << 20))
        same(ogive.median(np.arange(1001.0)), 500.0)
    finally:
        del os.environ["OGIVE_SHM"]
        worker.frames.clear()
        subprocess.run(["umount", "-l", tmp_path], check=True)


def test_memory_is_given_back(worker):
    """Segments are used again, and end with the arrays over them."""
    x = np.zeros(1 << 20)
    ogive.median(x)
    before = len(_worker._segments)
    for n in range(40):
        ogive.median(x[: n * 20_000], weights=np.ones(n * 20_000, int))
        y = ogive.empty(1 << 20)
        y[:] = 3
        same(ogive.median(y), 3.0)
    del y
    assert len(_worker._segments) <= before + _worker._WAITING
    assert sum(s.length for s in _worker._waiting) <= _worker._KEPT
    ogive.median([1.0])
    assert len(worker.known - set(_worker._segments.keys())) <= 1


def test_shared_arrays_are_not_copied(worker, monkeypatch):
    x = ogive.empty((1000, 1000), "f4")
    x[:] = np.random.default_rng(3).standard_normal(x.shape)
    ogive.median([1.0])  # which has frames made

    def copied(self, size):
        raise AssertionError("copied")

    monkeypatch.setattr(_worker.Piece, "__init__", copied)
    for view in x, x.T, x[::2, 5:], x[:, ::-1]:
        same(ogive.median(view), np.median(view))


@pytest.mark.skipif(subprocess.run(["go", "version"], capture_output=True).returncode != 0, reason="no Go")
def test_second_go_library(script, tmp_path):
    """Another library of Go in the same process, loaded before and after."""
    (tmp_path / "go.mod").write_text("module other\ngo 1.26\n")
    (tmp_path / "other.go").write_text(
        'package main\n\nimport "C"\n\n//export Sum\nfunc Sum(n int64) (s int64) {\n\tc := make(chan int64)\n'
        "\tgo func() { for i := range n { c <- i }; close(c) }()\n\tfor v := range c { s += v }\n\treturn s\n}\n\n"
        "func main() {}\n"
    )
    other = str(tmp_path / "other.so")
    environment = {**os.environ, "GOWORK": "off", "GOFLAGS": ""}
    if subprocess.run(
        ["go", "build", "-buildmode=c-shared", "-o", other, "."], cwd=tmp_path, env=environment
    ).returncode:
        pytest.skip("no C compiler")
    text = """
import ctypes, gc
def load():
    lib = ctypes.CDLL(OTHER); lib.Sum.argtypes, lib.Sum.restype = [ctypes.c_int64], ctypes.c_int64
    return lib
"""
    for first, second in ("lib = load()", "assert answer()"), ("assert answer()", "lib = load()"):
        both = "\nassert all([answer() and lib.Sum(1000) == 499500 for _ in range(200)])\nassert _ways.now.direct"
        script(CHECK + text.replace("OTHER", repr(other)) + first + "\n" + second + both)


def test_faulthandler_and_signals(script):
    """Handlers that were there before the library stay, and see faults that are not Go's."""
    script(
        CHECK
        + "import faulthandler, signal; faulthandler.enable(); assert answer(); hits = []\n"
        + "signal.signal(signal.SIGINT, lambda *a: hits.append(1)); os.kill(os.getpid(), signal.SIGINT)\n"
        + "assert answer() and hits == [1]"
    )
    text = "import faulthandler; faulthandler.enable(); assert answer(); faulthandler._sigsegv()"
    script(CHECK + text, status=-signal.SIGSEGV)


def test_mapped_file_that_is_cut(script, tmp_path):
    """An error, and not the end of the process."""
    text = """
np.save(PATH, np.zeros(1 << 21))
y = np.load(PATH, mmap_mode="r")
os.truncate(PATH, 4096)
try: ogive.median(y)
except ogive.Error as e: assert "cut short" in str(e)
else: raise SystemExit("no error")
assert answer() and _ways.now.direct
"""
    script(CHECK + text.replace("PATH", repr(str(tmp_path / "x.npy"))))


def test_number_of_threads(script):
    text = "from ogive import _order; assert _order.WORKERS == 3 and answer() and ogive.median(x, workers=1) == 100_000"
    script(CHECK + text, OGIVE_NUM_THREADS="3")


def test_public_names():
    assert ogive.__all__ and all(getattr(ogive, name).__doc__ for name in ogive.__all__ if not name.endswith("Error"))
    assert (Path(ogive.__file__).parent / "py.typed").exists()
    assert (ROOT / "capi" / "ogive.h").exists()
