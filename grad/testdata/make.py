#!/usr/bin/env python3
"""Writes torch.jsonl: the gradients that PyTorch's autograd gives.

Made with torch 2.6.0. A line is a case: the operation, its input, the upstream
gradient and the gradient, each array as [dtype, shape, elements in C order in
hexadecimal, big-endian]. The test that reads the file lists where ogive differs
and why.

Run in this directory: python3 make.py > torch.jsonl
"""
import json
import random

import torch

random.seed(8)
torch.manual_seed(8)
METHODS = ["linear", "lower", "higher", "nearest", "midpoint"]
SHAPES = [(1,), (2,), (5,), (8,), (31,), (3, 4), (6, 5), (2, 3, 4), (4, 1, 3)]


def array(a):
    a = a.detach().contiguous()
    n = a.numpy()
    return [n.dtype.name, list(n.shape), n.astype(n.dtype.newbyteorder(">")).tobytes().hex()]


def data(kind, dtype, shape):
    x = torch.randn(shape, dtype=dtype)
    if "ties" in kind:
        x = torch.randint(-2, 3, shape).to(dtype) / 2
    if "zeros" in kind:
        x = torch.where(torch.rand(shape) < 0.5, torch.tensor(0.0, dtype=dtype), torch.tensor(-0.0, dtype=dtype))
    if "inf" in kind:
        x = torch.where(torch.rand(shape) < 0.3, torch.tensor(float("inf"), dtype=dtype) * torch.sign(x), x)
    if "nan" in kind:
        x = torch.where(torch.rand(shape) < 0.25, torch.tensor(float("nan"), dtype=dtype), x)
    if "void" in kind:
        x = torch.full(shape, float("nan"), dtype=dtype)
    return x


def emit(op, x, forward, **call):
    x.requires_grad_(True)
    y = forward(x)
    dy = torch.randn(y.shape, dtype=y.dtype)
    (dx,) = torch.autograd.grad(y, x, dy)
    case = {"op": op, "x": array(x), "dy": array(dy), "dx": array(dx)}
    case.update({k: v for k, v in call.items() if v is not None and v is not False})
    print(json.dumps(case, separators=(",", ":")))


for dtype in (torch.float32, torch.float64):
    for kind in ("plain", "ties", "zeros", "inf", "nan", "ties nan", "void"):
        for shape in SHAPES:
            axes = [None, *range(len(shape))]
            for op in ("quantile", "nanquantile"):
                for method in METHODS:
                    axis, keep = random.choice(axes), random.random() < 0.3
                    n = random.choice([0, 1, 3])
                    qs = [random.choice([0.0, 0.25, 0.3, 0.5, 1.0, random.random()]) for _ in range(max(n, 1))]
                    q = torch.tensor(qs[0] if n == 0 else qs, dtype=dtype)
                    f = getattr(torch, op)
                    emit(op, data(kind, dtype, shape), lambda x: f(x, q, dim=axis, keepdim=keep, interpolation=method),
                         q=[float(v) for v in q.reshape(-1).double()], scalar=n == 0, axis=axis, keep=keep, method=method)
            for op in ("median", "nanmedian"):
                axis, keep = random.choice(axes[1:]), random.random() < 0.3
                f = getattr(torch, op)
                emit(op, data(kind, dtype, shape), lambda x: f(x, dim=axis, keepdim=keep).values,
                     axis=axis, keep=keep, index=True)
                emit(op, data(kind, dtype, shape), lambda x: f(x))
