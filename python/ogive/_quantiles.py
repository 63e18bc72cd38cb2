"""Quantiles as callers give them: floats, exact fractions and decimals, lists of these."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ._errors import QError


class Quantiles(NamedTuple):
    """A list of quantiles, or one exact fraction: num / den where den is not 0."""

    scalar: bool
    q: np.ndarray
    num: np.ndarray | None = None
    den: np.ndarray | None = None


def quantiles(q: Any, percent: bool = False) -> tuple[float | Quantiles, bool]:
    """Returns q as libogive takes it, and whether it still is percent: fractions become quantiles."""
    if isinstance(q, (float, int)):
        return float(q), percent
    letter = "p" if percent else "q"
    a = np.asarray(q)
    if a.ndim > 1:
        raise QError(f"{letter} must be a scalar or 1-D, got shape {a.shape}")
    if a.dtype.kind in "biuf":
        return (float(a) if a.ndim == 0 else Quantiles(False, np.ascontiguousarray(a, np.float64))), percent
    if a.dtype.kind != "O":
        raise QError(f"{letter} must be real numbers, got {a.dtype}")
    values = [_exact(v) for v in np.atleast_1d(a)]
    if percent:
        for i, v in enumerate(values):
            if not 0 <= v <= 100:
                raise QError(f"p[{i}] = {v} is outside [0, 100]")
        values = [_exact(v / 100) for v in values]
    if a.ndim == 0 and isinstance(values[0], float):
        return values[0], False
    pairs = [(v.numerator, v.denominator) if isinstance(v, Fraction) else (0, 0) for v in values]
    return Quantiles(a.ndim == 0, np.array(values, "f8"), *np.array(pairs, "i8").T.copy()), False


def _exact(v: Any) -> float | Fraction:
    """A fraction or decimal as a fraction of 64 bits, all else as a float."""
    if not isinstance(v, (Fraction, Decimal)) or (isinstance(v, Decimal) and not v.is_finite()):
        return float(v)
    r = Fraction(v)
    return r if max(r.denominator, abs(r.numerator)) < 2**63 else float(r)
