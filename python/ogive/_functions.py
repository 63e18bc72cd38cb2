"""The functions, with NumPy's parameters in NumPy's order."""

# fmt: off
from __future__ import annotations

from typing import Any

import numpy as np

from ._arrays import operand
from ._errors import OptionError
from ._frame import ASSUME_UNIQUE, EQUAL_NAN, INDEX, INVERT, KINDS, OPS
from ._order import by, order, rolling, test

__all__ = [
    "argquantile", "isfinite", "isin", "isinf", "isnan", "isneginf", "isposinf", "isreal", "median", "median_by",
    "median_with_index", "nanargquantile", "nanmedian", "nanmedian_by", "nanmedian_with_index", "nanpercentile",
    "nanquantile", "nanquantiles_by", "nanrolling_median", "nanrolling_quantile", "percentile", "quantile",
    "quantiles_by", "rolling_median", "rolling_quantile", "signbit",
]


def quantile(
    a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, method: str = "linear",
    keepdims: bool = False, *, weights: Any = None, where: Any = None, workers: int | None = None,
) -> Any:
    """Return the quantiles q of a along axes, exact and rounded once.

    Parameters
    ----------
    a
        An array of NumPy, torch, Paddle or JAX, a list, a pandas Series, a masked array: of integers, bool,
        floats (float16 and bfloat16 too), or dates.
    q
        One quantile or a list, between 0 and 1: floats, or exact as fractions.Fraction or decimal.Decimal.
        A list makes a leading dimension.
    axis
        The axis, or several, to reduce; all by default.
    out
        An array for the result, of its shape and dtype, or of another float dtype if it is of one.
    overwrite_input
        Whether a may be reordered. The result is the same.
    method
        One of NumPy's thirteen, "nearest_down", or R's "type1" to "type9".
    keepdims
        Whether reduced dimensions stay, with length 1.
    weights
        Of a's shape, or of a's shape along the axes. Integers and bools are frequencies, for every method;
        floats take the method "inverted_cdf".
    where
        Which elements there are: for builds of libogive that have masks.
    workers
        The most threads; by default OGIVE_NUM_THREADS, else as many as there are processors.

    Returns
    -------
    array or scalar
        Of a's kind; of a's dtype where that is floating or the method chooses an element, else float64.
        A slice that holds a NaN is NaN.

    Raises
    ------
    ogive.Error
        A class for each reason, which is also a ValueError, a TypeError or NumPy's AxisError.

    See Also
    --------
    nanquantile, percentile, median, argquantile, rolling_quantile, quantiles_by

    Examples
    --------
    >>> x = np.array([[3, 1, 2], [9, 7, 8]])
    >>> ogive.quantile(x, 0.25, axis=0)
    array([4.5, 2.5, 3.5])
    >>> ogive.quantile(np.arange(101), [Fraction(29, 100), Decimal("0.5")], method="lower")
    array([29, 50])
    """
    return order(1, a, q, axis, out, overwrite_input, method, None, keepdims, weights, where, workers)


def nanquantile(
    a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, method: str = "linear",
    keepdims: bool = False, *, weights: Any = None, where: Any = None, workers: int | None = None,
) -> Any:
    """Return the quantiles q of a without its NaNs; of a slice of nothing else NaN. See `quantile`."""
    return order(2, a, q, axis, out, overwrite_input, method, None, keepdims, weights, where, workers)


def percentile(
    a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, method: str = "linear",
    keepdims: bool = False, *, weights: Any = None, where: Any = None, workers: int | None = None,
) -> Any:
    """Return the percentiles q of a, between 0 and 100. See `quantile`."""
    return order(3, a, q, axis, out, overwrite_input, method, None, keepdims, weights, where, workers)


def nanpercentile(
    a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, method: str = "linear",
    keepdims: bool = False, *, weights: Any = None, where: Any = None, workers: int | None = None,
) -> Any:
    """Return the percentiles q of a without its NaNs. See `quantile`."""
    return order(4, a, q, axis, out, overwrite_input, method, None, keepdims, weights, where, workers)


def median(
    a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False,
    *, mode: str = "avg", weights: Any = None, where: Any = None, workers: int | None = None,
) -> Any:
    """Return the median of a along axes, exact and rounded once; of no elements NaN.

    Parameters
    ----------
    mode
        "avg", the mean of the two middle values of an even number, or one of them: "lower" ("min"), as torch
        has it, or "upper".
    a, axis, out, overwrite_input, keepdims, weights, where, workers
        As in `quantile`.

    Examples
    --------
    >>> ogive.median([[3, 1], [2, 9]], axis=1)
    array([2. , 5.5])
    >>> ogive.median([3, 1, 2, 9], mode="lower")
    np.int64(2)
    """
    return order(5, a, None, axis, out, overwrite_input, None, mode, keepdims, weights, where, workers)


def nanmedian(
    a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False,
    *, mode: str = "avg", weights: Any = None, where: Any = None, workers: int | None = None,
) -> Any:
    """Return the median of a without its NaNs. See `median`."""
    return order(6, a, None, axis, out, overwrite_input, None, mode, keepdims, weights, where, workers)


def median_with_index(a: Any, axis: Any = None, keepdims: bool = False, *, mode: str = "lower") -> tuple[Any, Any]:
    """Return the medians of a, and the positions of the elements that they are.

    Parameters
    ----------
    mode
        "lower" or "upper".
    a, axis, keepdims
        As in `quantile`. Over several axes a position is one in these, in C order.

    Returns
    -------
    values, indices
        The position in a slice that holds a NaN is that of the first one.

    Examples
    --------
    >>> ogive.median_with_index([[3, 1, 2], [7, 9, 8]], axis=1)
    (array([2, 8]), array([2, 2]))
    """
    return order(5, a, axis=axis, mode=mode, keepdims=keepdims, verb=INDEX)


def nanmedian_with_index(a: Any, axis: Any = None, keepdims: bool = False, *, mode: str = "lower") -> tuple[Any, Any]:
    """Return the medians of a without its NaNs, and their positions, -1 for none. See `median_with_index`."""
    return order(6, a, axis=axis, mode=mode, keepdims=keepdims, verb=INDEX)


def argquantile(
    a: Any, q: Any, axis: Any = None, keepdims: bool = False, *, method: str = "lower", weights: Any = None,
    where: Any = None, workers: int | None = None,
) -> Any:
    """Return the positions of the elements that are the quantiles q of a, as int64.

    Parameters
    ----------
    method
        One that chooses an element: "lower", "higher", "nearest", "nearest_down", "inverted_cdf" or
        "closest_observation".
    a, q, axis, keepdims, weights, where, workers
        As in `quantile`; which position is meant is told at `median_with_index`.

    Examples
    --------
    >>> ogive.argquantile([30, 10, 20], [0, 1])
    array([1, 0])
    """
    return order(7, a, q, axis, None, False, method, None, keepdims, weights, where, workers)


def nanargquantile(
    a: Any, q: Any, axis: Any = None, keepdims: bool = False, *, method: str = "lower", weights: Any = None,
    where: Any = None, workers: int | None = None,
) -> Any:
    """Return the positions of the quantiles q of a without its NaNs. See `argquantile`."""
    return order(8, a, q, axis, None, False, method, None, keepdims, weights, where, workers)


def isposinf(x: Any, out: Any = None) -> Any:
    """Tell of each element whether it is +inf."""
    return test(9, x, out)


def isneginf(x: Any, out: Any = None) -> Any:
    """Tell of each element whether it is -inf."""
    return test(10, x, out)


def isinf(x: Any, out: Any = None) -> Any:
    """Tell of each element whether it is infinite, of a complex number in either part."""
    return test(11, x, out)


def isnan(x: Any, out: Any = None) -> Any:
    """Tell of each element whether it is NaN, of a complex number in either part."""
    return test(12, x, out)


def isfinite(x: Any, out: Any = None) -> Any:
    """Tell of each element whether it is neither infinite nor NaN."""
    return test(13, x, out)


def signbit(x: Any, out: Any = None) -> Any:
    """Tell of each element whether its sign bit is set, that of -0.0 and of NaNs too."""
    return test(14, x, out)


def isreal(x: Any, out: Any = None) -> Any:
    """Tell of each element whether its imaginary part is 0."""
    return test(15, x, out)


def isin(
    element: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False,
    *, kind: str | None = None, equal_nan: bool = False,
) -> Any:
    """Tell of each element whether it is among the test elements, compared exactly across dtypes.

    Parameters
    ----------
    element, test_elements
        As in `quantile`, complex numbers too; dates are compared with dates.
    assume_unique
        That neither side repeats a value: a hint.
    invert
        Whether the answer is negated.
    kind
        None, "sort", "table" or "hash": how to look, which changes no answer.
    equal_nan
        Whether NaNs are equal to each other, and NaTs.

    Examples
    --------
    >>> ogive.isin([2**53 + 1, 3], [2.0**53, 3.0])
    array([False,  True])
    """
    if kind not in KINDS:
        raise OptionError(f'unknown kind "{kind}"; known: auto, sort, table, hash')
    among = operand(test_elements)
    if among.time is not None or operand(element).time is not None:
        a, t = np.asarray(element), np.asarray(test_elements)
        if a.dtype.kind != t.dtype.kind:
            raise TypeError(f"dates are compared with dates, not {a.dtype} with {t.dtype}")
        unit, there = np.promote_types(a.dtype, t.dtype), t if equal_nan else t[~np.isnat(t)]
        element, among = a.astype(unit).view("i8"), operand(there.astype(unit).view("i8"))
    flags = INVERT * bool(invert) | ASSUME_UNIQUE * bool(assume_unique) | EQUAL_NAN * bool(equal_nan)
    return test(OPS["isin"], element, None, flags, KINDS[kind], among)


def rolling_quantile(
    a: Any, q: Any, window: int, axis: int = -1, *, min_count: int | None = None, method: str = "linear",
) -> Any:
    """Return the quantiles q of every window: of so many elements that follow each other along an axis.

    Parameters
    ----------
    window
        The number of elements.
    min_count
        If it is given, each element of a has an answer, that of the window that ends there, which is NaN where
        the window has fewer values; otherwise only full windows have.
    a, q, axis, method
        As in `quantile`.

    Examples
    --------
    >>> ogive.rolling_quantile([1, 5, 2, 4], 0.5, 3)
    array([2., 4.])
    """
    return rolling(1, a, q, window, axis, min_count, method, None)


def nanrolling_quantile(
    a: Any, q: Any, window: int, axis: int = -1, *, min_count: int | None = None, method: str = "linear",
) -> Any:
    """Return the quantiles q of every window without its NaNs. See `rolling_quantile`."""
    return rolling(2, a, q, window, axis, min_count, method, None)


def rolling_median(a: Any, window: int, axis: int = -1, *, min_count: int | None = None, mode: str = "avg") -> Any:
    """Return the median of every window. See `rolling_quantile`."""
    return rolling(5, a, None, window, axis, min_count, None, mode)


def nanrolling_median(a: Any, window: int, axis: int = -1, *, min_count: int | None = None, mode: str = "avg") -> Any:
    """Return the median of every window without its NaNs. See `rolling_quantile`."""
    return rolling(6, a, None, window, axis, min_count, None, mode)


def quantiles_by(
    a: Any, keys: Any, q: Any, axis: int = 0, *, method: str = "linear", weights: Any = None,
) -> tuple[Any, Any]:
    """Return the quantiles q of the groups of a: of the elements with equal keys.

    Parameters
    ----------
    keys
        Integers or bools, as many as a has elements along the axis.
    a, q, axis, method, weights
        As in `quantile`.

    Returns
    -------
    groups, values
        The different keys, ascending, and their quantiles: a dimension for a list of q, one for the groups,
        and a's other dimensions.

    Examples
    --------
    >>> ogive.quantiles_by([1.0, 2.0, 3.0, 9.0], [7, 7, 7, 5], 0.5)
    (array([5, 7]), array([9., 2.]))
    """
    return by(1, a, keys, q, axis, method, None, weights)


def nanquantiles_by(
    a: Any, keys: Any, q: Any, axis: int = 0, *, method: str = "linear", weights: Any = None,
) -> tuple[Any, Any]:
    """Return the quantiles q of the groups of a without NaNs. See `quantiles_by`."""
    return by(2, a, keys, q, axis, method, None, weights)


def median_by(a: Any, keys: Any, axis: int = 0, *, mode: str = "avg", weights: Any = None) -> tuple[Any, Any]:
    """Return the medians of the groups of a. See `quantiles_by`."""
    return by(5, a, keys, None, axis, None, mode, weights)


def nanmedian_by(a: Any, keys: Any, axis: int = 0, *, mode: str = "avg", weights: Any = None) -> tuple[Any, Any]:
    """Return the medians of the groups of a without NaNs, as pandas' groupby does. See `quantiles_by`."""
    return by(6, a, keys, None, axis, None, mode, weights)
