"""ogive in the place of NumPy's functions of the same names."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from . import _functions
from ._errors import Error

_NAMES = ["quantile", "nanquantile", "percentile", "nanpercentile", "median", "nanmedian", "isin"]
_originals: dict[str, Any] = {}


def _in_place_of(original: Any, ours: Any) -> Any:
    """Returns a function that answers by ogive what that takes, and else as NumPy does."""

    @functools.wraps(original)
    def function(a: Any, *args: Any, **kwargs: Any) -> Any:
        if type(a) is np.ndarray or isinstance(a, (list, tuple, float, int)):
            given = {k: v for k, v in kwargs.items() if v is not np._NoValue}
            try:
                return ours(a, *args, **given)
            except (Error, TypeError):  # NumPy knows better, or has its own error
                pass
        return original(a, *args, **kwargs)

    return function


def patch_numpy() -> None:
    """Let ogive answer for NumPy: quantile, percentile, median, their versions with nan, and isin.

    What uses NumPy's functions, such as pandas, SciPy and scikit-learn, has its answers then. Arguments that ogive
    does not take go to NumPy's own functions.

    See Also
    --------
    unpatch_numpy, patched_numpy

    Examples
    --------
    >>> ogive.patch_numpy()
    >>> np.quantile([np.inf, np.inf], 0.5)
    np.float64(inf)
    >>> ogive.unpatch_numpy()
    """
    for name in _NAMES:
        if name not in _originals:
            _originals[name] = getattr(np, name)
            setattr(np, name, _in_place_of(_originals[name], getattr(_functions, name)))


def unpatch_numpy() -> None:
    """Give NumPy its own functions back."""
    for name in list(_originals):
        setattr(np, name, _originals.pop(name))


@contextmanager
def patched_numpy() -> Iterator[None]:
    """Let ogive answer for NumPy within a with statement; see `patch_numpy`."""
    before = bool(_originals)
    patch_numpy()
    try:
        yield
    finally:
        if not before:
            unpatch_numpy()
