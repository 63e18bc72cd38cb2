"""Plans and states."""

import pickle
import threading

import numpy as np
import pytest
from conftest import same

import ogive


def test_plans(way, rng):
    x = rng.standard_normal((7, 5)).astype("f4")
    x[0, 0] = np.nan
    for op, parameters in (
        ("nanquantile", {"q": [0.1, 0.5], "axis": 1, "method": "hazen", "keepdims": True}),
        ("quantile", {"q": ogive_fraction(29, 100), "axis": 0}),
        ("percentile", {"q": 30, "weights": np.arange(35).reshape(7, 5), "workers": 1}),
        ("median", {"mode": "upper"}),
        ("argquantile", {"q": 0.5, "axis": (0, 1)}),
        ("isfinite", {}),
        ("isin", {"test_elements": x[3], "invert": True, "equal_nan": True}),
    ):
        given = {k: v for k, v in parameters.items() if k != "test_elements"}
        extra = [parameters["test_elements"]] if op == "isin" else []
        plan = ogive.Plan(op, "f4", x.shape, **parameters)
        for p in plan, pickle.loads(pickle.dumps(plan)):
            for a in x, np.asfortranarray(x * 2):
                same(p(a), getattr(ogive, op)(a, *extra, **given))
    plan = ogive.Plan("median", "f8", (-1, 3), axis=1, mode="lower", index=True)
    for n in 4, 1, 9, 0:
        y = rng.standard_normal((n, 3))
        values, indices = plan(y)
        same(values, np.median(y, axis=1))
        same(indices, np.argsort(y, axis=1)[:, 1])
    out = np.zeros(7, "f8")
    assert ogive.Plan("median", "f4", (7, 5), axis=1)(x, out) is out
    same(out[1:], np.median(x[1:], axis=1).astype("f8"))


def ogive_fraction(num, den):
    from fractions import Fraction

    return Fraction(num, den)


def test_errors_of_plans(way):
    with pytest.raises(ogive.AxisError):
        ogive.Plan("median", "f4", (3, 4), axis=2)
    with pytest.raises(ogive.OptionError, match="known: quantile"):
        ogive.Plan("mode", "f4", 3)
    with pytest.raises(ogive.OptionError, match="takes no windows"):
        ogive.Plan("median", "f4", 3, windows=3)
    with pytest.raises(ogive.OptionError, match="unknown kind"):
        ogive.Plan("isin", "f4", 3, test_elements=[1], kind="fast")
    with pytest.raises(TypeError, match="objects"):
        ogive.Plan("median", object, 3)
    with pytest.raises(ogive.ShapeError):
        ogive.Plan("median", "f4", (3, 4))(np.zeros((4, 3), "f4"))
    with pytest.raises(ogive.DTypeError):
        ogive.Plan("median", "f4", 3)(np.zeros(3, "f8"))


def test_states(way, rng):
    """Chunks in any order, forks that travel, passes as they are needed: the answer in memory."""
    x = np.exp(rng.standard_normal(400_000) * 20)
    q = [0.001, 0.5, 0.999]
    state = ogive.State("quantile", x.dtype, (), 1 << 20, q=q, method="weibull")
    passes = 0
    while True:
        passes += 1
        assert passes <= state.max_passes
        fork = pickle.loads(pickle.dumps(state.fork()))
        for i, chunk in enumerate(np.array_split(x.reshape(1000, -1), 8)):
            (state if i % 2 else fork).add(chunk)
        state.merge(pickle.loads(pickle.dumps(fork)))
        assert state.count == x.size
        if not state.next():
            break
    assert passes > 1
    same(state.result(), ogive.quantile(x, q, method="weibull"))
    same(pickle.loads(pickle.dumps(state)).result(), state.result())
    with pytest.raises(ogive.OptionError, match="no pass is open"):
        state.add(x)


def test_states_with_a_shape(way, rng):
    x, w = rng.integers(0, 99, (30, 2, 3)).astype("i2"), rng.integers(0, 3, (30, 2, 3))
    state = ogive.State("median", "i2", (2, 3), 8 << 20)
    for part in 0, 15:
        again = ogive.State.from_bytes(state.fork().to_bytes())
        again.add(x[part : part + 15], w[part : part + 15])
        state.merge(again)
    assert not state.next()
    same(state.result(), ogive.median(x, axis=0, weights=w))
    quartiles = ogive.State("quantile", "f8", 4, 4 << 20, q=[0.25, 0.75])
    quartiles.add(np.arange(20.0).reshape(5, 4))
    quartiles.next()
    same(quartiles.result(), np.quantile(np.arange(20.0).reshape(5, 4), [0.25, 0.75], axis=0))


def test_errors_of_states(way):
    state = ogive.State("median", "f8")
    for error, call in (
        (ogive.OptionError, lambda: ogive.State("isnan", "f8")),
        (ogive.OptionError, lambda: ogive.State("median", "f8", (), 1000)),
        (ogive.ShapeError, lambda: ogive.State("median", "f8", (0,))),
        (ogive.QError, lambda: ogive.State("quantile", "f8", q=2)),
        (ogive.FormatError, lambda: ogive.State.from_bytes(b"nothing")),
        (ogive.FormatError, lambda: ogive.State.from_bytes(b"ogive states 1\n{}\n")),
        (ogive.FormatError, lambda: ogive.State.from_bytes(state.to_bytes()[:-1])),
        (ogive.DTypeError, lambda: state.add(np.zeros(3, "f4"))),
        (ogive.WeightsError, lambda: state.add(np.zeros(3), [1, -1, 1])),
        (ogive.WeightsError, lambda: state.add(np.zeros(3), [1, 1])),
        (ogive.OptionError, lambda: state.result()),
        (ogive.OptionError, lambda: state.merge(state)),
        (ogive.OptionError, lambda: state.merge(ogive.State("nanmedian", "f8"))),
        (ogive.ShapeError, lambda: ogive.State("median", "f8", (3,)).add(np.zeros((3, 2)))),
        (TypeError, lambda: state.add(np.zeros(3, "M8[s]"))),
    ):
        with pytest.raises(error):
            call()


def test_states_of_many_threads(way):
    state = ogive.State("median", "i8")
    threads = [threading.Thread(target=state.add, args=(np.full(10, i),)) for i in range(16)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not state.next()
    same(state.result(), 7.5)


def test_what_is_kept_is_released(way):
    """Handles of plans and states that are gone are ended by the next one."""
    for _ in range(50):
        ogive.State("median", "u1")
        ogive.Plan("median", "f8", 3)
    ogive.Plan("median", "f8", 3)
    assert len(way.released) <= 1
