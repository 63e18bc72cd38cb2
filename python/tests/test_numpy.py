"""ogive in NumPy's place, and the examples of the documentation."""

import doctest
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT, same

import ogive
from ogive import _numpy


def test_patched():
    originals = {name: getattr(np, name) for name in _numpy._NAMES}
    with ogive.patched_numpy():
        assert all(getattr(np, name) is not f for name, f in originals.items())
        same(np.quantile([np.inf, np.inf], 0.5), np.inf)
        same(np.median(np.arange(6).reshape(2, 3), axis=1, keepdims=True), [[1.0], [4.0]])
        same(np.isin(np.array([2**53 + 1]), [2.0**53]), [False])
        with ogive.patched_numpy():
            pass
        same(np.quantile([np.inf, np.inf], 0.5), np.inf)
        # What ogive does not take is NumPy's.
        same(np.quantile(np.arange(4.0), [[0, 1], [0.5, 0.25]]), [[0, 3], [1.5, 0.75]])
        assert np.median(np.array([Fraction(1), Fraction(2)], object)) == Fraction(3, 2)
        same(np.isin(np.array(["a", "b"]), ["b"]), [False, True])
        with pytest.raises(np.exceptions.AxisError, match="axis 3 is out of bounds"):
            np.median(np.zeros(3), axis=3)
        with pytest.raises(ValueError, match="Quantiles must be in the range"):
            np.quantile(np.zeros(3), 2)
        assert np.median.__wrapped__ is originals["median"] and np.median.__name__ == "median"
        same(np.nanmedian([1, np.nan, 3], overwrite_input=True), 2.0)
    assert all(getattr(np, name) is f for name, f in originals.items())
    ogive.patch_numpy()
    ogive.patch_numpy()
    ogive.unpatch_numpy()
    ogive.unpatch_numpy()
    assert all(getattr(np, name) is f for name, f in originals.items())


def test_scripts(tmp_path):
    import subprocess
    import sys

    path = tmp_path / "script.py"
    path.write_text(
        "import sys, numpy as np, beside\nprint(np.quantile([np.inf] * 2, 0.5), sys.argv[1:], __name__, beside.x)"
    )
    (tmp_path / "beside.py").write_text("x = 7")
    python = [sys.executable, "-m", "ogive"]
    environment = {"PYTHONPATH": f"{Path(ogive.__file__).parents[1]}:{tmp_path}"}
    for command in [str(path), "a", "-b"], ["-m", "script", "a", "-b"]:
        done = subprocess.run(python + command, capture_output=True, text=True, env=environment)
        assert done.stdout == "inf ['a', '-b'] __main__ 7\n", done
    done = subprocess.run(python, capture_output=True, text=True, env=environment)
    assert done.returncode and "usage" in done.stderr


NAMES = {"ogive": ogive, "np": np, "Fraction": Fraction, "Decimal": Decimal}


def test_docstrings():
    tested = 0
    for name in ogive.__all__:
        for test in doctest.DocTestFinder(recurse=False).find(
            getattr(ogive, name), name, module=False, globs=dict(NAMES)
        ):
            runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
            runner.run(test)
            assert not runner.failures, name
            tested += runner.tries
    assert tested > 20
    # Sections in numpydoc's order.
    order = ["Parameters", "Returns", "Raises", "See Also", "Notes", "Examples"]
    for name in ogive.__all__:
        lines = (getattr(ogive, name).__doc__ or "").splitlines()
        sections = [a.strip() for a, b in zip(lines, lines[1:]) if b.strip() and set(b.strip()) == {"-"}]
        assert sections == [s for s in order if s in sections], name


def test_documentation():
    """The Python of docs/python.md and README.md gives what is written there."""
    for path in ROOT / "docs" / "python.md", ROOT / "README.md":
        text = "".join(part for part in path.read_text().split("```") if ">>>" in part)
        test = doctest.DocTestParser().get_doctest(text, dict(NAMES), path.name, str(path), 0)
        runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
        runner.run(test)
        assert not runner.failures and test.examples
    ogive.unpatch_numpy()
