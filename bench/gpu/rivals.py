#!/usr/bin/env python3
"""Measures one library on the cases of cuda/testdata/speed.tsv.

    python3 rivals.py --library torch [--device gpu|cpu] [--elements N] [--seconds S]

Each line of the output has five columns with tabs between them: the library, the case,
the call, the milliseconds of a call, and a note. A call is timed by the clock from its
beginning until the device is done; the time is the median of 25 calls after two others,
or of as many as fit into a second's half, at least three. A call that is refused or
fails has no time, and what it said for a note.
"""

import argparse
import os
import statistics
import time

import cases

RUNS = 25
CALL_SECONDS = 0.5
# Kernels that give a whole lane to one block take seconds for longer ones.
LANE_OF_A_BLOCK = 1 << 26


class Torch:
    def __init__(self, gpu):
        import torch as t

        self.t, self.gpu, self.device = t, gpu, "cuda" if gpu else "cpu"
        self.version = t.__version__
        if gpu:
            t.zeros(1, device=self.device)

    def sync(self):
        if self.gpu:
            self.t.cuda.synchronize()

    def free(self):
        if self.gpu:
            self.t.cuda.empty_cache()

    def data(self, c):
        t, n = self.t, cases.size(c["shape"])
        dt = getattr(t, c["dtype"])
        if c["op"] == "upload":
            return t.ones(n, dtype=dt)
        if c["data"] == "integers":
            x = t.randint(0, 256 if c["dtype"] == "uint8" else 10_000, (n,), dtype=t.uint8 if c["dtype"] == "uint8" else t.int32, device=self.device).to(dt)
        else:
            x = t.randn(n, dtype=dt, device=self.device)
        if c["data"] == "nan":
            x[t.rand(n, device=self.device) < 0.1] = float("nan")
        if c["data"] == "inf":
            x[t.rand(n, device=self.device) < 0.01] = float("inf")
        return x.reshape(c["shape"])

    def calls(self, c, x):
        t, op, axis, q = self.t, c["op"], c["axis"], c["q"]
        at = [] if axis is None else [axis]
        n = x.shape[axis or 0]
        if op == "read":
            return {"torch.sum(x)": lambda: t.sum(x), "x.clone(), which writes as much": x.clone}
        if op == "upload":
            calls = {"x.to(device)": lambda: x.to(self.device)}
            if self.gpu:
                pinned = x.pin_memory()
                calls["pinned.to(device)"] = lambda: pinned.to(self.device)
            return calls
        if op == "isposinf":
            return {"torch.isposinf(x)": lambda: t.isposinf(x)}
        if op == "isin":
            test = t.arange(0, 10_000, 10, device=self.device).to(x.dtype)
            return {"torch.isin(x, test)": lambda: t.isin(x, test)}
        qs = t.tensor(q, dtype=x.dtype, device=self.device)
        nan = "nan" if op == "nanmedian" else ""
        calls = {}
        if op != "quantile":
            calls[f"torch.{nan}median"] = lambda: getattr(t, nan + "median")(x, *at)
        if op == "median":
            if axis is not None or n <= LANE_OF_A_BLOCK:
                calls["torch.kthvalue"] = lambda: t.kthvalue(x, (n + 1) // 2, axis or 0)
            else:
                calls["torch.kthvalue"] = "not tried: one block would read the lane many times"
        calls[f"torch.{nan}quantile"] = lambda: getattr(t, nan + "quantile")(x, qs, *at)
        calls["torch.sort, picked"] = lambda: self.by_sorting(x, q, axis or 0, bool(nan))
        return calls

    def by_sorting(self, x, q, axis, nan):
        t = self.t
        s = t.sort(x, axis)[0]
        n = s.shape[axis] - (int(t.isnan(x).sum()) if nan else 0)
        place = t.tensor([(n - 1) * p for p in q], dtype=t.float64, device=self.device)
        lo = place.floor()
        a = s.index_select(axis, lo.long()).double()
        b = s.index_select(axis, place.ceil().long()).double()
        w = (place - lo).reshape([-1 if i == axis else 1 for i in range(s.dim())])
        return a + (b - a) * w


class NumPyLike:
    """What CuPy and JAX have in common."""

    def calls(self, c, x):
        xp, op, axis, q = self.xp, c["op"], c["axis"], c["q"]
        name = self.name
        if op == "upload":
            return {}
        if op == "read":
            return self.timed({f"{name}.sum": lambda x: xp.sum(x)}, x)
        if op == "isposinf":
            return self.timed({f"{name}.isposinf": lambda x: xp.isposinf(x)}, x)
        if op == "isin":
            test = xp.arange(0, 10_000, 10).astype(x.dtype)
            return self.timed({f"{name}.isin": lambda x: xp.isin(x, test)}, x)
        nan = "nan" if op == "nanmedian" else ""
        percents = xp.asarray([100 * p for p in q])
        calls = {}
        if op != "quantile":
            calls[f"{name}.{nan}median"] = lambda x: getattr(xp, nan + "median")(x, axis=axis)
        calls[f"{name}.{nan}percentile"] = lambda x: getattr(xp, nan + "percentile")(x, percents, axis=axis)
        return self.timed(calls, x)


class CuPy(NumPyLike):
    name = "cupy"

    def __init__(self, gpu):
        import cupy as xp

        self.xp, self.version = xp, xp.__version__
        xp.zeros(1)

    def sync(self):
        self.xp.cuda.Device().synchronize()

    def free(self):
        self.xp.get_default_memory_pool().free_all_blocks()

    def data(self, c):
        xp, n, dt = self.xp, cases.size(c["shape"]), c["dtype"]
        if dt == "bfloat16":
            raise TypeError("CuPy has no bfloat16")
        if c["data"] == "integers":
            x = xp.random.randint(0, 256 if dt == "uint8" else 10_000, n, dtype="uint8" if dt == "uint8" else "int32").astype(dt)
        else:
            x = xp.random.standard_normal(n, dtype=dt)
        for kind, share, value in (("nan", 0.1, xp.nan), ("inf", 0.01, xp.inf)):
            if c["data"] == kind:
                x[xp.random.random(n, dtype="float32") < share] = value
        return x.reshape(c["shape"])

    def timed(self, calls, x):
        return {text: (lambda f=f: f(x)) for text, f in calls.items()}


class JAX(NumPyLike):
    name = "jnp"

    def __init__(self, gpu):
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        if not gpu:
            os.environ["JAX_PLATFORMS"] = "cpu"
        import jax
        import jax.numpy as xp

        jax.config.update("jax_enable_x64", True)
        self.jax, self.xp, self.version = jax, xp, jax.__version__
        if gpu and jax.default_backend() != "gpu":
            raise RuntimeError(f"JAX finds no GPU, but {jax.default_backend()}")

    def sync(self):
        pass  # a call is waited for

    def free(self):
        pass  # it frees what nobody holds

    def data(self, c):
        jax, xp, n = self.jax, self.xp, cases.size(c["shape"])
        dt, key = xp.dtype(c["dtype"]), jax.random.key(1)
        if c["data"] != "integers":
            x = jax.random.normal(key, (n,), dt)
        elif c["dtype"] == "uint8":
            x = jax.random.bits(key, (n,), "uint8")
        else:
            x = jax.random.randint(key, (n,), 0, 10_000, "int32").astype(dt)
        for kind, share, value in (("nan", 0.1, xp.nan), ("inf", 0.01, xp.inf)):
            if c["data"] == kind:
                x = xp.where(jax.random.uniform(jax.random.key(2), (n,), "float32") < share, value, x).astype(dt)
        return x.reshape(c["shape"])

    def timed(self, calls, x):
        jitted = {text: self.jax.jit(f) for text, f in calls.items()}
        return {text: (lambda f=f: self.jax.block_until_ready(f(x))) for text, f in jitted.items()}


class Paddle:
    def __init__(self, gpu):
        import paddle as p

        p.set_device("gpu" if gpu else "cpu")
        self.p, self.gpu, self.version = p, gpu, p.__version__

    def sync(self):
        if self.gpu:
            self.p.device.synchronize()

    def free(self):
        if self.gpu:
            self.p.device.cuda.empty_cache()

    def data(self, c):
        p, n, dt = self.p, cases.size(c["shape"]), c["dtype"]
        if c["data"] == "integers":
            x = p.randint(0, 256 if dt == "uint8" else 10_000, [n], dtype="int32").astype(dt)
        else:
            x = p.randn([n], dtype=dt)
        for kind, share, value in (("nan", 0.1, float("nan")), ("inf", 0.01, float("inf"))):
            if c["data"] == kind:
                x = p.where(p.rand([n], dtype="float32") < share, p.full([1], value, dtype=dt), x)
        return x.reshape(c["shape"])

    def calls(self, c, x):
        p, op, axis, q = self.p, c["op"], c["axis"], c["q"]
        n = x.shape[axis or 0]
        if op == "upload":
            return {}
        if op == "read":
            return {"paddle.sum": lambda: p.sum(x)}
        if op == "isposinf":
            return {"paddle.isposinf": lambda: p.isposinf(x)}
        if op == "isin":
            test = p.arange(0, 10_000, 10, dtype="int32").astype(x.dtype)
            return {"paddle.isin": lambda: p.isin(x, test)}
        nan = "nan" if op == "nanmedian" else ""
        calls = {}
        if op != "quantile":
            calls[f"paddle.{nan}median"] = lambda: getattr(p, nan + "median")(x, axis=axis)
        if op == "median" and (axis is not None or n <= LANE_OF_A_BLOCK):
            calls["paddle.kthvalue"] = lambda: p.kthvalue(x, (n + 1) // 2, axis or 0)
        calls[f"paddle.{nan}quantile"] = lambda: getattr(p, nan + "quantile")(x, q, axis=axis)
        return calls


LIBRARIES = {"torch": Torch, "cupy": CuPy, "jax": JAX, "paddle": Paddle}


def measure(f, sync):
    """The median of f's milliseconds, and a note if it is that of few calls."""

    def once():
        sync()
        start = time.perf_counter()
        kept = f()
        sync()
        ms = (time.perf_counter() - start) * 1000
        del kept
        return ms

    once()
    second = once()
    if second > 1000 * CALL_SECONDS:
        return second, "one call"
    runs = max(3, min(RUNS, int(1000 * CALL_SECONDS / max(second, 1e-3))))
    return statistics.median(once() for _ in range(runs)), "" if runs == RUNS else f"{runs} calls"


def line(*columns):
    print("\t".join(" ".join(str(c).split())[:200] for c in columns), flush=True)


def failure(e):
    return f"{type(e).__name__}: {e}"


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--library", required=True, choices=LIBRARIES)
    a.add_argument("--device", default="gpu", choices=["gpu", "cpu"])
    a.add_argument("--elements", type=int, default=0, help="limit the elements of a case")
    a.add_argument("--seconds", type=float, default=1e9, help="begin no case later")
    o = a.parse_args()
    try:
        library = LIBRARIES[o.library](o.device == "gpu")
    except Exception as e:
        line(o.library, "-", "import", "-", failure(e))
        return
    line(o.library, "-", "version", "-", library.version)
    end = time.monotonic() + o.seconds
    for c in cases.read():
        if c["group"] != "main":
            continue
        if time.monotonic() > end:
            line(o.library, c["case"], "-", "-", "no time was left")
            continue
        cases.shrink(c, o.elements)
        x = calls = None
        try:
            x = library.data(c)
            calls = library.calls(c, x)
        except Exception as e:
            line(o.library, c["case"], "data", "-", failure(e))
        for text, f in (calls or {}).items():
            try:
                ms, note = (None, f) if isinstance(f, str) else measure(f, library.sync)
            except Exception as e:
                ms, note = None, failure(e)
            line(o.library, c["case"], text, "-" if ms is None else f"{ms:.5g}", note)
            f = None
        x = calls = None
        try:
            library.free()
        except Exception as e:
            line(o.library, c["case"], "free", "-", failure(e))


if __name__ == "__main__":
    main()
