"""What tests share: both ways to an answer, and arrays that lie in every way."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ogive
from ogive import _ways
from ogive._worker import Worker

ROOT = Path(__file__).resolve().parents[2]
# A shell has what it runs in the background ignore interrupts, and so does Python then.
signal.signal(signal.SIGINT, signal.default_int_handler)
_library = _ways.choose()
_worker = Worker()
assert _library.direct, "the library is not there: run build.py"


@pytest.fixture(params=["library", "worker"])
def way(request):
    """Every test that has it runs in process and by the worker."""
    before, _ways.now = _ways.now, _library if request.param == "library" else _worker
    yield _ways.now
    _ways.now = before


@pytest.fixture
def rng():
    return np.random.default_rng(20)


@pytest.fixture
def script():
    """Runs a program of its own and returns what it prints; it must end well."""

    def run(text, timeout=60, status=0, **environment):
        env = {**os.environ, "PYTHONPATH": str(Path(ogive.__file__).parents[1]), **environment}
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=timeout, env=env)
        assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
        return done.stdout

    return run


def same(got, want):
    """Demands the same dtype, shape and values, signs of zero and NaN included."""
    got, want = np.asarray(got), np.asarray(want)
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    np.testing.assert_array_equal(got, want)
    if want.dtype.kind == "f":
        np.testing.assert_array_equal(np.signbit(got), np.signbit(want) & ~np.isnan(want))
