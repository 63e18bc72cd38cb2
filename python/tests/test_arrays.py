"""What arrays may be, and how they may lie in memory."""

import sys
import types

import numpy as np
import pytest
from conftest import same

import ogive
from ogive import _frame


def layouts(x):
    """The values of x, lying in every way."""
    yield "C", np.ascontiguousarray(x)
    yield "Fortran", np.asfortranarray(x)
    read_only = x.copy()
    read_only.flags.writeable = False
    yield "read-only", read_only
    yield "negative", np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1]
    wide = np.zeros((2 * x.shape[0], 3 * x.shape[1]), x.dtype)
    wide[1::2, ::3] = x
    yield "gaps", wide[1::2, ::3]
    yield "big-endian", x.astype(x.dtype.newbyteorder(">"))
    odd = np.zeros(x.nbytes + 1, "u1")[1:].view(x.dtype).reshape(x.shape)
    odd[:] = x
    yield "misaligned", odd
    records = np.zeros(x.shape, [("a", "u1"), ("x", x.dtype)])
    records["x"] = x
    yield "a field", records["x"]
    yield "shared", (s := ogive.empty((400, 100), x.dtype))[: x.shape[0], : x.shape[1]]
    s[: x.shape[0], : x.shape[1]] = x


def test_layouts(way, rng):
    for dtype in "f8", "i4", "f2":
        x = (rng.standard_normal((12, 17)) * 9).astype(dtype)
        want, among = np.median(x.astype("f8"), axis=0).astype("f8"), np.isin(x, x[:3])
        for name, a in layouts(x):
            if name == "shared":
                a[...] = x
            assert a.shape == x.shape and (np.asarray(a, dtype) == x).all(), name
            before = a.copy()
            for axis in 0, 1, None:
                want = ogive.nanquantile(x, [0.1, 0.5], axis)
                same(ogive.nanquantile(a, [0.1, 0.5], axis), want)
                same(ogive.quantile(a, [0.1, 0.5], axis, weights=np.ones(x.shape, int)), want)
            same(ogive.isin(a, a[:3]), among)
            same(np.asarray(a), before)


def test_repeated_and_overlapping(way, rng):
    row = rng.standard_normal(9)
    same(ogive.median(np.broadcast_to(row, (5, 9)), axis=0), row)
    same(ogive.median(np.broadcast_to(row[:, None], (9, 2**20)), axis=1), row)
    view = np.lib.stride_tricks.sliding_window_view(row, 4)
    same(ogive.median(view, axis=1), np.median(view, axis=1))
    same(ogive.isfinite(np.broadcast_to(np.float32(1), (3, 0, 2))), np.ones((3, 0, 2), bool))


def test_more_than_2_to_the_31_elements(way):
    x = np.broadcast_to(np.arange(4, dtype="u1"), (2**29 + 3, 4))
    same(ogive.median(x[:, 3]), 3.0)
    same(ogive.quantile(x.T, 0.5, axis=(1,), method="lower"), np.arange(4, dtype="u1"))


def test_no_and_few_elements(way):
    same(ogive.median(np.float32(3)), np.float32(3))
    same(ogive.quantile(7, [0.5], method="lower"), [7])
    same(ogive.median(np.zeros((3, 0)), axis=1), [np.nan] * 3)
    same(ogive.median(np.zeros((0, 3)), axis=1), np.zeros(0))
    same(ogive.nanquantile([], 0.5), np.nan)
    same(ogive.isnan([]), np.zeros(0, bool))
    for call in lambda: ogive.quantile([], 0.5), lambda: ogive.median(np.zeros(0, int), mode="lower"):
        with pytest.raises(ogive.EmptyError):
            call()
    assert type(ogive.median([1, 2])) is np.float64 and type(ogive.median([1, 2], keepdims=True)) is np.ndarray
    with pytest.raises(ogive.ShapeError, match="17"):
        ogive.median(np.zeros((1,) * 17))


def test_what_is_refused_says_what_to_do(way):
    for a, advice in (
        (np.array([1, "a"], object), r"astype\(float\)"),
        (["a", "b"], "strings"),
        (np.zeros(3, [("f", "f8")]), r"a\['f'\]"),
        (np.zeros(3, np.longdouble), r"astype\(float\)"),
    ):
        for call in lambda a: ogive.median(a), lambda a: ogive.isin(a, [1]), lambda a: ogive.isin([1], a):
            with pytest.raises(TypeError, match=advice):
                call(a)


def test_errors_are_numpys(way):
    x = np.zeros((2, 3))
    for error, call in (
        (np.exceptions.AxisError, lambda: ogive.median(x, axis=2)),
        (ValueError, lambda: ogive.median(x, axis=(0, 0))),
        (ValueError, lambda: ogive.median(x, axis=())),
        (ValueError, lambda: ogive.quantile(x, 1.5)),
        (ValueError, lambda: ogive.quantile(x, [])),
        (ogive.QError, lambda: ogive.quantile(x, [[0.5]])),
        (ogive.QError, lambda: ogive.quantile(x, "0.5")),
        (ValueError, lambda: ogive.quantile(x, 0.5, method="liner")),
        (ogive.OptionError, lambda: ogive.median(x, mode="max")),
        (ogive.OptionError, lambda: ogive.isin(x, x, kind="fast")),
        (ogive.OptionError, lambda: ogive.median(x, where=x > 0)),
        (TypeError, lambda: ogive.median(x + 1j)),
        (ogive.WeightsError, lambda: ogive.median(x, weights=[-1])),
        (ogive.MethodError, lambda: ogive.argquantile(x, 0.5, method="linear")),
        (ogive.OutError, lambda: ogive.median(x, axis=0, out=np.zeros(2))),
        (ogive.OutError, lambda: ogive.median(x, axis=0, out=np.zeros(3, int))),
        (ogive.OutError, lambda: ogive.median(x, axis=0, out=np.broadcast_to(0.0, 3))),
        (TypeError, lambda: ogive.median(x, axis=0.5)),
        (ogive.OptionError, lambda: ogive.rolling_median(x, 0)),
        (ogive.OptionError, lambda: ogive.rolling_median(x, 2, min_count=0)),
        (ogive.ShapeError, lambda: ogive.rolling_median(x, 4)),
    ):
        with pytest.raises(error):
            call()
    with pytest.raises(ogive.Error, match="median: axis 2 is out of range for a 2-d tensor"):
        ogive.median(x, axis=2)
    with pytest.raises(ValueError, match='did you mean "linear"'):
        ogive.quantile(x, 0.5, method="liner")


def test_out(way, rng):
    x = rng.standard_normal((4, 6)).astype("f4")
    for out in np.zeros(6, "f4"), np.zeros(6, "f8"), np.zeros(12, "f4")[::-2], np.zeros(6, ">f4"), x[0]:
        want = ogive.median(x, axis=0)
        assert ogive.median(x, axis=0, out=out) is out
        np.testing.assert_array_equal(out, want)
    flags = np.zeros(x.shape, bool)
    assert ogive.isfinite(x, flags) is flags and flags.all()
    y = x.copy()
    assert ogive.median(y, overwrite_input=True) == np.median(x)


def test_masked(way, rng):
    a = np.ma.array(rng.integers(0, 9, (5, 8)).astype("f8"), mask=rng.random((5, 8)) < 0.3)
    a[2] = np.ma.masked
    a.data[a.mask] = np.nan
    for axis in None, 0, 1:
        got, want = ogive.median(a, axis=axis), np.ma.median(a, axis=axis)
        np.testing.assert_array_equal(np.ma.getmaskarray(got), np.ma.getmaskarray(want))
        np.testing.assert_array_equal(np.ma.filled(got, 0), np.ma.filled(want, 0))
    assert ogive.median(a[2]) is np.ma.masked
    same(ogive.quantile(np.ma.array([3, 1, 9], mask=[0, 0, 1]), [0, 1], method="lower").data, [1, 3])
    weights = rng.integers(1, 3, a.shape)
    kept = ~a.mask[0]
    same(float(ogive.median(a[0], weights=weights[0])), np.median(np.repeat(a.data[0][kept], weights[0][kept])))
    same(ogive.isfinite(a).filled(True), np.ones(a.shape, bool))
    same(ogive.quantile(np.ma.array([1.0, np.nan, 5.0], mask=[0, 0, 1]), 0.5).data, np.nan)
    with pytest.raises(ogive.WeightsError):
        ogive.median(a, axis=0, weights=np.ones(5, int))
    with pytest.raises(TypeError, match="fill"):
        ogive.rolling_median(a, 3)


@pytest.mark.filterwarnings("ignore:All-NaN slice")
@pytest.mark.parametrize("unit", ["m8[s]", "m8[ns]"])
def test_times(way, rng, unit):
    """As NumPy rounds them, with 64 bits, and NaT where something is missing."""
    x = rng.integers(-99, 99, (6, 9)).astype(unit)
    big = x + np.array(2**60 + 1, unit)
    for a in x, big, x.astype(np.dtype(unit).newbyteorder(">")):
        for axis in None, 0, 1:
            if a is not big:
                same(ogive.median(a, axis=axis).astype(unit), np.median(a, axis=axis).astype(unit))
            for method in "linear", "hazen", "lower", "median_unbiased":
                same(
                    ogive.quantile(a, [0.1, 0.7], axis, method=method),
                    np.quantile(a, [0.1, 0.7], axis, method=method).astype(unit),
                )
    x[1, 2] = x[3] = "NaT"
    for axis in None, 0, 1:
        same(ogive.median(x, axis=axis), np.median(x, axis=axis))
        same(ogive.nanmedian(x, axis=axis), np.nanmedian(x, axis=axis))
        same(ogive.nanquantile(x, 0.3, axis), np.nanquantile(x, 0.3, axis))


def test_dates(way):
    d = np.array(["2024-02-28", "2024-03-01", "NaT", "2023-01-01"], "M8[D]")
    same(ogive.nanmedian(d), np.datetime64("2024-02-28", "D"))
    same(ogive.quantile(d[:2], 0.5), np.datetime64("2024-02-29", "D"))
    same(ogive.median(d), np.datetime64("NaT", "D"))
    same(ogive.nanquantile(d, [0, 1], method="lower"), np.array(["2023-01-01", "2024-03-01"], "M8[D]"))
    same(ogive.nanargquantile(d, 1), 1)
    same(ogive.isin(d, d), [True, True, False, True])
    same(ogive.isin(d, d.astype("M8[s]"), equal_nan=True), np.ones(4, bool))
    with pytest.raises(TypeError, match="dates"):
        ogive.isin(d, [1, 2])
    with pytest.raises(TypeError, match="isnat"):
        ogive.isnan(d)


class Foreign:
    """An array of another library, which speaks DLPack alone."""

    def __init__(self, x):
        self.x, self.dtype = x, x.dtype

    def __dlpack__(self, **arguments):
        return self.x.__dlpack__(**arguments)

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()

    def __array_namespace__(self):
        return types.SimpleNamespace(from_dlpack=lambda y: Foreign(np.from_dlpack(y)))


def test_dlpack(way, rng):
    x = rng.standard_normal((5, 4)).astype("f4")
    y = ogive.median(Foreign(x), axis=0)
    assert type(y) is Foreign
    same(y.x, np.median(x, axis=0))
    values, indices = ogive.median_with_index(Foreign(x))
    assert type(values) is type(indices) is Foreign
    same(ogive.isin(Foreign(x), x[0]).x, np.isin(x, x[0]))
    out = Foreign(np.zeros(4, "f4"))
    assert ogive.median(Foreign(x), 0, out) is out
    same(out.x, np.median(x, axis=0))
    far = Foreign(x)
    far.__class__ = type("Far", (Foreign,), {"__dlpack_device__": lambda self: (2, 0)})
    with pytest.raises(ogive.DeviceError, match="copy it to the host"):
        ogive.median(far)


def test_pandas(way):
    pd = pytest.importorskip("pandas")
    same(ogive.median(pd.Series([3.0, 1.0, 2.0])), 2.0)
    same(ogive.nanmedian(pd.Series([3, None, 1, 2], dtype="Int64")), 2.0)
    same(ogive.quantile(pd.Series([2**53 + 1, None], dtype="Int64"), 0.5, method="lower"), 2**53 + 1)
    groups, values = ogive.median_by(pd.Series([1.0, 2.0, 9.0]), pd.Series([1, 1, 0]))
    same(values, [9.0, 1.5])
    same(ogive.isin(pd.Series([1, 2]), pd.Index([2])), [False, True])
    same(ogive.median(pd.DataFrame({"a": [1.0, 3.0], "b": [2.0, 5.0]}), axis=0), [2.0, 3.5])
    same(ogive.quantile(pd.Series([1, 2, 3], index=[5, 6, 7]), pd.Series([0.5, 1.0])), [2.0, 3.0])


def test_bfloat16(way):
    """ml_dtypes' arrays, and torch's where it is there."""
    ml = pytest.importorskip("ml_dtypes")
    x = np.array([1, 2, 300], ml.bfloat16)
    y = ogive.quantile(x, [0.25, 1], keepdims=True)
    assert y.dtype == x.dtype and y.astype("f4").ravel().tolist() == [1.5, 300]
    assert ogive.median(x) == 2 and ogive.median(x).dtype == x.dtype
    same(ogive.isfinite(x), [True] * 3)


def test_torch(way):
    torch = pytest.importorskip("torch")
    for dtype in torch.float32, torch.bfloat16, torch.int16:
        x = torch.tensor([[3, 1, 2], [9, 7, 8]]).to(dtype)
        y = ogive.median(x, axis=1)
        assert isinstance(y, torch.Tensor) and y.tolist() == [2, 8]
        assert ogive.median(x.T, axis=0, mode="lower").dtype == dtype
        out = torch.zeros(2, dtype=torch.float64 if dtype == torch.int16 else dtype)
        assert ogive.median(x, 1, out) is out and out.tolist() == [2, 8]
    assert ogive.isnan(torch.tensor(float("nan"))).item() is True
    groups, values = ogive.median_by(torch.tensor([1.0, 2, 9]), torch.tensor([1, 1, 0]))
    assert groups.tolist() == [0, 1] and values.tolist() == [9, 1.5]
    with pytest.raises((BufferError, RuntimeError), match="grad"):
        ogive.median(torch.ones(3, requires_grad=True))


def test_numbers_are_the_headers(rng):
    """The frame's numbers are those of ogive.h."""
    import re

    from conftest import ROOT

    text = (ROOT / "capi" / "ogive.h").read_text()
    number = {name: int(n) for name, n in re.findall(r"OGIVE_(\w+) = (\d+)", text)}
    for names in _frame.OPS, {m: i for m, i in _frame.METHODS.items() if "type" not in m}:
        assert {k.upper(): v for k, v in names.items()}.items() <= number.items()
    for (
        name
    ) in "VALUE INDEX GRADIENT SLOPE ENDS PREPARE RUN STATE ADD MERGE NEXT ANSWER FORK SAVE LOAD LOOK RELEASE".split():
        assert number[name] == getattr(_frame, name), name
    for name in "KEEPDIMS OVERWRITE INVERT ASSUME_UNIQUE EQUAL_NAN BY_INDEX WITH_INDEX ROOM".split():
        assert number[name] == getattr(_frame, name), name
    assert sys.byteorder in ("little", "big")
