"""Answers against NumPy where it is right, and against exact arithmetic where it is not."""

import json
import os
from decimal import Decimal
from fractions import Fraction as F
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT, same

import ogive
from ogive import _frame
from ogive._call import run

DTYPES = "? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8".split()
NUMPYS = [m for m in _frame.METHODS if not m.startswith("type") and m != "nearest_down"]
DISCRETE = ["lower", "higher", "nearest", "inverted_cdf", "closest_observation"]


def sample(rng, dtype, shape):
    return (rng.standard_normal(shape) * 50).astype(dtype) if dtype != "?" else rng.random(shape) < 0.3


@pytest.mark.parametrize("dtype", DTYPES)
def test_methods_that_choose(way, rng, dtype):
    """Elements are elements: NumPy's answers, for every axis."""
    x = sample(rng, dtype, (5, 4, 7))
    for method in DISCRETE:
        for axis in None, 0, -1, (0, 2), (2, 1, 0):
            for keepdims in False, True:
                want = np.quantile(
                    x.astype("f8") if dtype == "?" else x, [0.0, 0.3, 0.99], axis=axis, method=method, keepdims=keepdims
                )
                got = ogive.quantile(x, [0.0, 0.3, 0.99], axis, method=method, keepdims=keepdims)
                same(got, want.astype(dtype))


def exact(x, q, method="linear"):
    """A linear quantile by exact arithmetic, rounded once."""
    s = np.sort(x)
    v = (len(s) - 1) * (q if isinstance(q, F) else F(float(len(s) - 1) * float(q)) / max(len(s) - 1, 1))
    lo = int(v)
    a, b = F(float(s[lo])), F(float(s[min(lo + 1, len(s) - 1)]))
    return float(a + (v - lo) * (b - a))


def test_rounded_once(way, rng):
    """The exact value, rounded once, for floats and for exact fractions and decimals."""
    for n in 1, 2, 3, 10, 101:
        x = rng.standard_normal(n) * 10.0 ** rng.integers(-9, 9, n)
        for q in 0.1, 0.5, 1 / 3, 1.0, F(29, 100), F(1, 3), Decimal("0.7"):
            assert ogive.quantile(x, q) == exact(x, F(q) if not isinstance(q, float) else q), (n, q)
    same(ogive.quantile([-3, 2], F(3, 5)), 0.0)
    same(ogive.quantile([0, 10], [F(1, 3), 0.5, Decimal("0.25")]), [10 / 3, 5, 2.5])
    same(ogive.percentile(np.arange(1, 101), [Decimal("99.9"), F(29), 50]), [99.901, 29.71, 50.5])
    same(ogive.quantile(np.arange(101), F(29, 100), method="lower"), 29)
    same(ogive.quantile(np.arange(101), 0.29, method="lower"), 28)
    same(ogive.quantile(np.array([-128, 127], "i1"), 0.5), -0.5)
    same(ogive.quantile([np.inf, np.inf], 0.5), np.inf)
    assert ogive.quantile(np.arange(3), F(1, 2**70)) == float(F(2, 2**70))


@pytest.mark.parametrize("name", ["quantile", "nanquantile", "percentile", "nanpercentile", "median", "nanmedian"])
def test_numpy_agrees(way, rng, name):
    """Of small whole numbers and halves every method has NumPy's answer, NaNs and all."""
    x = rng.integers(0, 9, (6, 5)).astype("f8")
    x[0, 0] = x[3, 2] = np.nan
    q = [] if "median" in name else [[0, 25, 50, 100] if "percentile" in name else [0, 0.25, 0.5, 1]]
    for axis in None, 0, 1, (0, 1):
        same(getattr(ogive, name)(x, *q, axis=axis), getattr(np, name)(x, *q, axis=axis))
        same(getattr(ogive, name)(x, *q, axis=axis, keepdims=True), getattr(np, name)(x, *q, axis=axis, keepdims=True))
    y = np.arange(9.0)
    for method in NUMPYS if q else ():
        same(
            getattr(ogive, name)(y, 50 if "percentile" in name else 0.5, method=method),
            np.quantile(y, 0.5, method=method),
        )


def test_medians_with_positions(way, rng):
    x = rng.integers(0, 5, (6, 10)).astype("f4")
    x[2, 3] = np.nan
    for f in ogive.median_with_index, ogive.nanmedian_with_index:
        for mode in "lower", "upper":
            y, i = f(x, axis=1, mode=mode)
            assert i.dtype == np.int64
            same(np.take_along_axis(x, i[:, None], 1)[:, 0], y)
    assert ogive.median_with_index(x, 1)[1][2] == 3
    y, i = ogive.median_with_index(x, axis=(0, 1), keepdims=True)
    assert i.shape == (1, 1) and i[0, 0] == 23
    same(ogive.nanmedian_with_index([np.nan, np.nan]), (np.nan, -1))
    q = [0.0, 0.4, 1.0]
    positions = ogive.nanargquantile(x, q, axis=1)
    for p, want in zip(positions, ogive.nanquantile(x, q, axis=1, method="lower")):
        same(np.take_along_axis(x, p[:, None], 1)[:, 0], want)
    same(ogive.argquantile([30, 10, 20], 0.5, method="higher"), 2)


def test_weights(way, rng):
    x, w = rng.standard_normal((4, 9)), rng.integers(0, 4, (4, 9))
    w[:, 0] = 1
    for axis in None, 1:
        want = np.quantile(x, [0.2, 0.5], axis=axis, weights=w, method="inverted_cdf")
        same(ogive.quantile(x, [0.2, 0.5], axis, weights=w, method="inverted_cdf"), want)
        same(ogive.quantile(x, [0.2, 0.5], axis, weights=w.astype("f4"), method="inverted_cdf"), want)
    same(ogive.median(x[0], weights=w[0]), np.median(np.repeat(x[0], w[0])))
    same(ogive.quantile(x, 0.3, axis=1, weights=w[0]), [np.quantile(np.repeat(r, w[0]), 0.3) for r in x])


@pytest.mark.parametrize("dtype", DTYPES + ["c8", "c16"])
def test_elements(way, rng, dtype):
    x = sample(rng, dtype, (3, 50))
    if x.dtype.kind in "fc":
        x[0, :4] = np.inf, -np.inf, np.nan, -0.0
    for name in "isposinf", "isneginf", "isinf", "isnan", "isfinite", "signbit", "isreal":
        if x.dtype.kind == "c" and name in ("isposinf", "isneginf", "signbit"):
            with pytest.raises(TypeError):
                getattr(ogive, name)(x)
        elif name == "signbit" and x.dtype.kind not in "f":
            same(ogive.signbit(x), x < 0)
        elif x.dtype == bool and name in ("isposinf", "isneginf"):
            assert not getattr(ogive, name)(x).any()
        else:
            same(getattr(ogive, name)(x), getattr(np, name)(x))
            same(getattr(ogive, name)(x[0, 0]), getattr(np, name)(x[0, 0]))


def test_isin(way, rng):
    a, b = rng.integers(0, 50, (10, 20)), rng.integers(0, 20, 15)
    for kind in None, "sort", "table", "hash":
        for invert in False, True:
            same(ogive.isin(a, b, invert=invert, kind=kind), np.isin(a, b, invert=invert))
    same(ogive.isin([2**53 + 1, 2**53], [2.0**53]), [False, True])
    same(ogive.isin(np.nan, [np.nan], equal_nan=True), True)
    same(ogive.isin(a.astype("u1"), b.astype("f4"), assume_unique=True), np.isin(a, b))
    same(ogive.isin([], [1]), np.zeros(0, bool))
    same(ogive.isin(3, []), False)


def test_axes(way, rng):
    x = rng.standard_normal((2, 3, 4))
    want = np.median(x, axis=(0, 2))
    for axis in (0, 2), [2, 0], np.array([0, -1]), (np.int64(-3), 2):
        same(ogive.median(x, axis=axis), want)
    same(ogive.median(x, axis=np.int8(1)), np.median(x, axis=1))


def test_gradients(way):
    """The fixtures of the specification, which package grad is held to."""

    def gradient(op, x, q, dy, method="linear", flags=0, verb=_frame.GRADIENT):
        key = (verb, _frame.OPS[op], flags, _frame.METHODS[method] if q is not None else -1, -1, 0, 0, None, 0, 0)
        return run(key, np.array(x), q, others=(None, None, None, np.array(dy)) if dy is not None else ())[0][0]

    nan = np.nan
    for method, want in (
        ("linear", [0.4, 0.6, 0]),
        ("lower", [1, 0, 0]),
        ("higher", [0, 1, 0]),
        ("midpoint", [0.5, 0.5, 0]),
    ):
        np.testing.assert_allclose(gradient("quantile", [1.0, 2, 3], 0.3, 1.0, method), want, rtol=1e-15)
    same(gradient("quantile", [2.0] * 4, 0.5, 1.0), [0, 0.5, 0.5, 0])
    same(gradient("quantile", [1, nan, 3], 0.5, 1.0), [0.0, 1, 0])
    same(gradient("nanquantile", [1, nan, 3], 0.5, 1.0), [0.5, 0, 0.5])
    same(gradient("median", [1.0, 2, 2, 2, 3], None, 3.0), [0.0, 1, 1, 1, 0])
    same(gradient("median", [1.0, 2, 2, 2, 3], None, 3.0, flags=_frame.BY_INDEX), [0.0, 0, 3, 0, 0])
    same(gradient("quantile", [1.0, 5, 7], 0.25, None, verb=_frame.SLOPE), 8.0)
    with pytest.raises(ogive.DTypeError, match="float"):
        gradient("quantile", [1, 2], 0.5, 1.0)


def test_windows_and_groups(way, rng):
    x = rng.integers(0, 99, (3, 40)).astype("f8")
    view = np.lib.stride_tricks.sliding_window_view(x, 7, axis=1)
    same(ogive.rolling_median(x, 7), np.median(view, -1))
    same(ogive.rolling_quantile(x, [0.25, 0.5], 7, axis=1), np.quantile(view, [0.25, 0.5], axis=-1))
    same(ogive.rolling_quantile(x, 0.5, 3, axis=0, method="higher"), np.quantile(x, 0.5, axis=0, method="higher")[None])
    x[0, 5] = np.nan
    same(ogive.nanrolling_median(x, 7), np.nanmedian(np.lib.stride_tricks.sliding_window_view(x, 7, axis=1), -1))
    assert ogive.nanrolling_quantile(x, 0.5, 7, min_count=1).shape == x.shape
    keys = rng.integers(-3, 3, 40).astype("i2")
    groups, values = ogive.nanmedian_by(x, keys, axis=1)
    same(groups, np.unique(keys))
    same(values, np.stack([np.nanmedian(x[:, keys == g], 1) for g in groups]))
    groups, values = ogive.quantiles_by(x[1], keys, [0.25, 1], method="lower")
    same(values, np.stack([np.quantile(x[1, keys == g], [0.25, 1], method="lower") for g in groups], 1))
    many = rng.integers(0, 10**6, 5000)
    groups, values = ogive.median_by(many.astype("f8"), many)
    same(groups, np.unique(many))
    same(values, groups.astype("f8"))


@pytest.mark.parametrize("kind", ["cases", "typed"])
def test_conformance(way, kind, tmp_path_factory):
    """The cases of the folder OGIVE_CONFORMANCE, or ../shared/conformance, bit for bit."""
    folder = Path(os.environ.get("OGIVE_CONFORMANCE", ROOT.parent / "shared" / "conformance"))
    generator = folder / ("gen.py" if kind == "cases" else "gen_typed.py")
    if not generator.exists():
        pytest.skip("no conformance cases here")
    import subprocess
    import sys

    at = tmp_path_factory.getbasetemp() / kind
    if not at.exists():
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        subprocess.run([sys.executable, generator.name, str(at), "7", "400"], cwd=folder, check=True, env=environment)
    for case in json.loads((at / "cases.json").read_text()):
        d, args, given = at / case["dir"], iter(case["args"]), {}
        q: list = []
        for name in args:
            name, _, value = name.partition("=")
            if name in ("--q", "--p"):
                value = next(args)
                loaded = np.load(d / "q.npy") if value[0] == "@" else [F(t) for t in value.split(",")]
                q = [float(loaded) if np.ndim(loaded) == 0 else loaded]
            elif name == "--axis":
                given["axis"] = tuple(map(int, (value or next(args)).split(",")))
            else:
                given[name[2:]] = True if name == "--keepdims" else next(args)
        same(getattr(ogive, case["op"])(np.load(d / "x.npy"), *q, **given), np.load(d / "want.npy"))


def test_speed(way):
    """A call on five elements takes less than NumPy's in process, and nine times that by the worker."""
    import time

    x, best = np.array([3.0, 1, 2, 5, 4]), {}
    for _ in range(300):
        for name, f in ("numpy", np.median), ("ogive", ogive.median):
            start = time.perf_counter()
            for _ in range(20):
                f(x)
            best[name] = min(best.get(name, 1e9), time.perf_counter() - start)
    assert best["ogive"] < best["numpy"] * (1 if way.direct else 9), best
