#!/usr/bin/env python3
"""Writes cases.jsonl: what NumPy and PyTorch answer to small calls.

Made with NumPy 2.2.4 and torch 2.6.0. A line is a case; arrays are given as
[dtype, shape, elements in C order in hexadecimal, big-endian]. The test that
reads the file lists where ogive differs and why.

Run in this directory: python3 make.py > cases.jsonl
"""
import itertools
import json
import sys
import warnings

import numpy as np
import torch

warnings.simplefilter("ignore")
np.seterr(all="ignore")
rng = np.random.default_rng(20)

INTERPOLATING = ["linear", "midpoint", "averaged_inverted_cdf", "interpolated_inverted_cdf",
                 "hazen", "weibull", "median_unbiased", "normal_unbiased"]
DISCRETE = ["lower", "higher", "nearest", "inverted_cdf", "closest_observation"]
FLOATS = ["float16", "float32", "float64"]
INTS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]


def array(a):
    """The array as [dtype, shape, hexadecimal]."""
    if isinstance(a, torch.Tensor):
        name = str(a.dtype).removeprefix("torch.")
        n = a.contiguous()
        n = n.view(torch.int16).numpy() if name == "bfloat16" else n.numpy()
    else:
        n = np.asarray(a)
        name = n.dtype.name
    return [name, list(n.shape), n.astype(n.dtype.newbyteorder(">")).tobytes().hex()]


def emit(peer, op, x, result, **call):
    case = {"peer": peer, "op": op, "x": array(x)}
    case.update({k: v for k, v in call.items() if v is not None and v is not False})
    if isinstance(result, Exception):
        case["error"] = type(result).__name__
    else:
        case["want"] = [array(r) for r in (result if isinstance(result, tuple) else (result,))]
    print(json.dumps(case, separators=(",", ":")))


def attempt(f):
    try:
        return f()
    except Exception as e:  # the peer's refusal is its answer
        return e


def data(dtype, kind, shape):
    """An array of the named kind."""
    size = int(np.prod(shape, dtype=int))
    dt = np.dtype(dtype)
    if dt.kind == "b":
        v = rng.integers(0, 2, size)
    elif dt.kind in "iu":
        info = np.iinfo(dt)
        if kind == "extremes":
            v = rng.choice(np.array([info.min, info.max, info.max - 1, 0, 1], dtype=object), size)
        elif kind == "few":
            v = rng.integers(0, 4, size)
        else:
            v = rng.integers(info.min, info.max, size, dtype=dt, endpoint=True)
    else:
        v = rng.standard_normal(size)
        info = np.finfo(dt)
        if kind == "few":
            v = rng.choice([1.5, -2.0, 0.25], size)
        elif kind == "nan":
            v[rng.random(size) < 0.3] = np.nan
        elif kind == "inf":
            v = np.where(rng.random(size) < 0.5, rng.choice([np.inf, -np.inf], size), v)
        elif kind == "zeros":
            v = rng.choice([0.0, -0.0, 1.0, -1.0], size, p=[0.4, 0.4, 0.1, 0.1])
        elif kind == "extremes":
            v = rng.choice([float(info.max), -float(info.max), float(info.smallest_subnormal), float(info.tiny), 1.0], size)
        elif kind == "allnan":
            v = np.full(size, np.nan)
    return np.array(v).astype(dt).reshape(shape)


def quantiles_numpy():
    qs = [0.0, 0.1, 0.25, 0.3, 0.5, 0.75, 0.9, 1.0]
    for method in INTERPOLATING + DISCRETE:
        for dtype in FLOATS + INTS:
            kinds = ["random", "few", "extremes"]
            if dtype in FLOATS:
                kinds += ["nan", "inf", "zeros"]
            for kind in kinds:
                n = int(rng.choice([1, 2, 3, 5, 8, 11]))
                x = data(dtype, kind, (n,))
                for op in ("quantile", "nanquantile") if kind == "nan" else ("quantile",):
                    f = getattr(np, op)
                    q = float(rng.choice(qs))
                    emit("numpy", op, x, attempt(lambda: f(x, q, method=method)), q=[q.hex()], scalar=True, method=method)
                if kind in ("random", "nan"):
                    list_q = [float(v) for v in rng.choice(qs, 3)]
                    emit("numpy", "quantile", x, attempt(lambda: np.quantile(x, list_q, method=method)),
                         q=[v.hex() for v in list_q], method=method)


def shapes_numpy():
    axes = [None, 0, 1, -1, [0, 2], [2, 0], [-1, 1]]
    for op, (dtype, kind) in itertools.product(
            ["quantile", "nanquantile", "percentile", "nanpercentile", "median", "nanmedian"],
            [("float64", "few"), ("float64", "nan"), ("int16", "few"), ("float32", "random"), ("bool", "")]):
        x = data(dtype, kind, (2, 3, 4))
        for axis in axes:
            keep = bool(rng.integers(2))
            tup = tuple(axis) if isinstance(axis, list) else axis
            f = getattr(np, op)
            call = dict(axis=[axis] if isinstance(axis, int) else axis, keep=keep)
            if "median" in op:
                emit("numpy", op, x, attempt(lambda: f(x, axis=tup, keepdims=keep)), **call)
                continue
            scale = 100 if "percent" in op else 1
            q = [0.25 * scale, 0.6 * scale]
            emit("numpy", op, x, attempt(lambda: f(x, q, axis=tup, keepdims=keep)), q=[v.hex() for v in q], **call)
    for op in ["quantile", "nanquantile", "median", "nanmedian"]:
        for dtype in ["float64", "float32", "int64"]:
            for shape in [(0,), (2, 0), (0, 3)]:
                x = np.zeros(shape, dtype)
                f = getattr(np, op)
                if "median" in op:
                    emit("numpy", op, x, attempt(lambda: f(x, axis=0)), axis=[0])
                else:
                    emit("numpy", op, x, attempt(lambda: f(x, 0.5, axis=0)), q=[(0.5).hex()], scalar=True, axis=[0])


def medians_numpy():
    for dtype in FLOATS + INTS:
        for kind in ["random", "few", "extremes"] + (["nan", "inf", "zeros", "allnan"] if dtype in FLOATS else []):
            for n in (1, 2, 5, 8):
                x = data(dtype, kind, (n,))
                emit("numpy", "median", x, attempt(lambda: np.median(x)))
                if dtype in FLOATS:
                    emit("numpy", "nanmedian", x, attempt(lambda: np.nanmedian(x)))


def known():
    """Cases that are known to go wrong somewhere."""
    big, inf = 1.7e308, np.inf
    for v, q in [([inf, inf], 0.5), ([0.0, inf], 0.5), ([0.0, inf], 0.0), ([-inf, inf], 0.5), ([-big, big], 0.5), ([big, big], 0.5),
                 ([-1.0, -2.0**-60], 3 * 2.0**-54), ([5e-324, 1.5e-323], 0.75), ([0.1, 0.2], 0.5)]:
        x = np.array(v)
        emit("numpy", "quantile", x, attempt(lambda: np.quantile(x, q)), q=[q.hex()], scalar=True)
        emit("numpy", "median", x, attempt(lambda: np.median(x)))
        t = torch.from_numpy(x)
        emit("torch", "quantile", t, attempt(lambda: torch.quantile(t, q)), q=[q.hex()], scalar=True)
    for dtype in INTS:
        info = np.iinfo(dtype)
        x = np.array([info.min, info.max], dtype=dtype)
        emit("numpy", "quantile", x, attempt(lambda: np.quantile(x, 0.5)), q=[(0.5).hex()], scalar=True)
        emit("numpy", "median", x, attempt(lambda: np.median(x)))


def bad_numpy():
    x = data("float64", "random", (5,))
    for q in [-0.1, 1.1, float("nan")]:
        emit("numpy", "quantile", x, attempt(lambda: np.quantile(x, q)), q=[q.hex()], scalar=True)
    emit("numpy", "percentile", x, attempt(lambda: np.percentile(x, 101.0)), q=[(101.0).hex()], scalar=True)
    for axis in ([1], [-2], [0, 0]):
        emit("numpy", "median", x, attempt(lambda: np.median(x, axis=tuple(axis))), axis=axis)
    z = x.astype("complex64")
    emit("numpy", "quantile", z, attempt(lambda: np.quantile(z, 0.5)), q=[(0.5).hex()], scalar=True)


def order_torch():
    for dtype in ["float32", "float64"]:
        for kind in ["random", "few", "nan", "inf", "zeros", "extremes", "allnan"]:
            for op, method in itertools.product(["quantile", "nanquantile"], ["linear", "lower", "higher", "nearest", "midpoint"]):
                x = torch.from_numpy(data(dtype, kind, (3, int(rng.choice([1, 2, 5, 8])))))
                q = torch.tensor([0.0, 0.3, 0.5, 1.0], dtype=x.dtype)
                f = getattr(torch, op)
                emit("torch", op, x, attempt(lambda: f(x, q, dim=1, interpolation=method)),
                     q=[float(v).hex() for v in q], axis=[1], method=method)
    for dtype in ["float16", "bfloat16", "float32", "float64", "int8", "uint8", "int16", "int32", "int64"]:
        source = "float32" if dtype == "bfloat16" else dtype
        kinds = ["random", "few"] + (["nan", "inf", "zeros", "allnan"] if source in FLOATS else ["extremes"])
        for kind in kinds:
            for n in (1, 2, 5, 8, 40):
                x = torch.from_numpy(data(source, kind, (3, n))).to(getattr(torch, dtype))
                for op in ("median", "nanmedian"):
                    r = attempt(lambda: getattr(torch, op)(x, dim=1))
                    emit("torch", op, x, r if isinstance(r, Exception) else (r.values, r.indices), axis=[1], mode="lower", index=True)
                    emit("torch", op, x, attempt(lambda: getattr(torch, op)(x)), mode="lower")


def elements():
    tests = {"isposinf": (np.isposinf, torch.isposinf), "isneginf": (np.isneginf, torch.isneginf), "isreal": (np.isreal, torch.isreal),
             "signbit": (np.signbit, torch.signbit), "isinf": (np.isinf, torch.isinf), "isnan": (np.isnan, torch.isnan),
             "isfinite": (np.isfinite, torch.isfinite)}
    values = [np.inf, -np.inf, np.nan, -np.nan, 0.0, -0.0, 1.0, -1.0]
    parts = [complex(a, b) for a in (np.inf, np.nan, 1, -0.0) for b in (0.0, -0.0, -np.inf, np.nan, 2)]
    for op, (f, g) in tests.items():
        for dtype in FLOATS + INTS + ["bool", "complex64", "complex128"]:
            v = parts if dtype.startswith("complex") else values if dtype in FLOATS else [0, 1, 1, 0]
            x = np.array(v).astype(dtype)
            if dtype in ("int8", "int16", "int32", "int64"):
                x[2] = -5
            emit("numpy", op, x, attempt(lambda: f(x)))
            if dtype not in ("uint16", "uint32", "uint64"):
                t = torch.from_numpy(x)
                emit("torch", op, t, attempt(lambda: g(t)))


def isin():
    def values(dtype):
        v = [0, 1, 1, 3, 7]
        if dtype == "bool":
            v = [0, 1]
        x = np.array(v).astype(dtype)
        dt = np.dtype(dtype)
        if dt.kind in "iu":
            info = np.iinfo(dt)
            x = np.append(x, np.array([info.max, info.min], dtype=dt))
            if dt.itemsize == 8:
                x = np.append(x, np.array([2**53, 2**53 + 1, 2**63 - 1], dtype=dt))
        elif dt.kind in "fc":
            x = np.append(x, np.array([-0.0, 0.1, np.nan, np.inf, -np.inf, 255.0, -1.0], dtype=dt))
            if dt.itemsize >= 8:
                x = np.append(x, np.array([2.0**53, 2.0**63], dtype=dt))
            if dt.kind == "c":
                x = np.append(x, np.array([complex(1, 1), complex(np.nan, 1)], dtype=dt))
        return x

    types = ["bool"] + INTS + FLOATS + ["complex64", "complex128"]
    for a, b in itertools.product(types, types):
        x, y = values(a), values(b)[::2].copy()
        emit("numpy", "isin", x, attempt(lambda: np.isin(x, y)), test=array(y))
        if a in ("bool", "uint16", "uint32", "uint64") or b in ("bool", "uint16", "uint32", "uint64"):
            continue
        if "complex" in a + b:
            continue
        s, t = torch.from_numpy(x), torch.from_numpy(y)
        emit("torch", "isin", s, attempt(lambda: torch.isin(s, t)), test=array(y))
    for peer, f in (("numpy", np.isin), ("torch", lambda x, y, **k: torch.isin(torch.from_numpy(x), torch.from_numpy(y), **k))):
        x, y = np.array([[1, 2], [3, 4]]), np.array([[4, 1]])
        emit(peer, "isin", x, attempt(lambda: f(x, y)), test=array(y))
        emit(peer, "isin", x, attempt(lambda: f(x, y, invert=True)), test=array(y), invert=True)
        emit(peer, "isin", x, attempt(lambda: f(x, y, assume_unique=True)), test=array(y), unique=True)
        x, y = np.array([1, 1, 2, 3, 3, 9, 9]), np.array([2, 2, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4])
        emit(peer, "isin", x, attempt(lambda: f(x, y, assume_unique=True)), test=array(y), unique=True)
        e = np.array([], dtype="int64")
        emit(peer, "isin", x, attempt(lambda: f(x, e)), test=array(e))
        emit(peer, "isin", x, attempt(lambda: f(x, e, invert=True)), test=array(e), invert=True)
        emit(peer, "isin", e, attempt(lambda: f(e, x)), test=array(x))


def main():
    if not np.__version__.startswith("2.2") or not torch.__version__.startswith("2.6"):
        sys.exit("needs NumPy 2.2 and torch 2.6")
    for part in (quantiles_numpy, shapes_numpy, medians_numpy, known, bad_numpy, order_torch, elements, isin):
        part()


main()
