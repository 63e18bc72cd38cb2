"""Writes print.json: arrays as NumPy's str prints them.

Run with NumPy 2.2: python3 print.py > print.json
Each case has a dtype, a shape, the elements' bytes (little-endian, base64)
and the text.
"""

import base64
import json

import numpy as np

rng = np.random.default_rng(20240501)
FLOATS = ["float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
inf, nan = np.inf, np.nan
cases = []


def add(values, dtype, shape=None):
    with np.errstate(all="ignore"):
        a = np.array(values).astype(dtype)
    if shape is not None:
        a = a.reshape(shape)
    little = a.astype(a.dtype.newbyteorder("<"))
    cases.append({
        "dtype": dtype,
        "shape": list(a.shape),
        "data": base64.b64encode(little.tobytes()).decode(),
        "text": str(a),
    })


def add_bits(a):
    add(a, a.dtype.name)


# Scalars: a 0-d array prints as the scalar does.
SCALARS = [0.0, -0.0, 1.0, -1.5, 0.1, 1 / 3, 1e-4, 0.99e-4, 1e-5, 5e-8, 1234567.0, 65504.0, 3e7, 83886088.0, 1e8,
           123456789.125, 1e15, 9.9e15, 1e16, 1e17, 1.5e20, 1e38, 1e300, 5e-324, nan, inf, -inf, 2.0**-24, 2.0**-149]
for dtype in FLOATS:
    for v in SCALARS:
        add(v, dtype)
for dtype in COMPLEX:
    for v in [0j, 1 + 2j, -1 - 2j, 2j, -2j, complex(-0.0, 1), complex(0, -0.0), 0.1 + 1e20j, complex(nan, 1),
              complex(1, nan), complex(inf, -inf), complex(0, nan), complex(0, inf), complex(-inf, -nan), 1e16 - 1e-5j]:
        add(v, dtype)
for dtype in INTS:
    for v in [0, np.iinfo(dtype).min, np.iinfo(dtype).max]:
        add(np.array(v, dtype), dtype)
for v in [True, False]:
    add(v, "bool")

# Empty arrays.
for shape in [(0,), (0, 3), (2, 0, 4)]:
    add(np.zeros(shape), "float32")

# Booleans and integers.
add([True], "bool")
add([True, False, True], "bool")
add(rng.random((3, 4)) < 0.5, "bool")
add(rng.random((2, 3, 31)) < 0.5, "bool")
add(rng.random((11, 100)) < 0.5, "bool")
for dtype in INTS:
    i = np.iinfo(dtype)
    add(np.array([i.min, 0, 1, i.max], dtype), dtype)
    add(rng.integers(i.min, i.max, (3, 5), dtype, endpoint=True), dtype)
    add(rng.integers(0, 10, (2, 3, 4)), dtype)
    add(rng.integers(0, 100, 40), dtype)
    add(np.arange(9) - (4 if i.min < 0 else 0), dtype)

# Floats of every kind in rows.
ROWS = [
    [0.0], [-0.0], [1.0], [0.1], [nan], [inf], [-inf], [nan, inf], [nan, -inf], [1, nan], [1, inf], [-1, inf],
    [1, -inf], [-1, -inf], [0.5, nan, -inf, 100.25], [1e10, nan], [1e10, -inf], [-1e-10, inf, nan],
    [0, 1, 2, 3], [0, -0.0, 1], [-0.0, -0.0], [1.5, 2.25, 3.125], [1, 10, 100, 999], [1, 10, 100, 1000],
    [1, 10, 100, 1000, 1001], [0.001, 1], [0.001, 1.001], [0.0001, 0.01], [0.00009, 0.01], [1e-4], [9.9e-5],
    [1e-4, 1e-3], [99999999.0], [1e8], [1e8, 1e8 + 8], [65504], [65504, 65472], [2048, 2050, 2052],
    [16777216, 16777218], [33554432, 33554436], [83886080, 83886088], [99999992.0, 1], [99999992.0, 99999.0],
    [99999999.5, 1e5], [0.99999999, 0.5], [0.999999999, 0.5], [0.9999999949, 0.9999999951], [9.99999999, 1],
    [9.999999999e9, 1], [9.9999999999e-10], [1 / 3, 2 / 3, 1], [1e-300, 1e300], [5e-324], [5e-324, 1], [2.2250738585072014e-308],
    [1.7976931348623157e308], [3.4028235e38], [1.17549435e-38], [1e-45], [6e-8], [6.1e-5, 6.2e-5],
    [1.123456789, 2.1, 3], [1.00000001, 1.000000001], [123456.789, 1234.5678901], [-1.5, 22.25, -333.125],
    [1e5, 1e-3], [1e23], [9007199254740993.0], [1e100, -1e-100], [1e99, 1e-99], [0.3, 0.1 + 0.2], [2.5, 3.5, 4.5],
    [0.000123456789], [0.015625, 0.0625], [1e-10, 0], [0, 0, 0], [0.000030517578125], [1.000000005, 1.000000015, 1.000000025],
    [0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625, 0.001953125],
    [1.5, 1.25, 1.0000000001, 1.00000000049, 1.0000000051],
    [12345678.12345678, 99999], [100.1, 100000.2], [1000.5, 1.0005], [1000.4, 1.0004],
    # Ratios that are 1000 in float16 and float32 and more in float64.
    [1 + 2.0**-10, 1001], [1 + 2.0**-23, 1000 + 2.0**-13],
]
for dtype in FLOATS:
    for row in ROWS:
        add(row, dtype)
    # Powers of two, whose neighbours are unevenly far.
    p = 2.0 ** np.arange(-160, 161, 7)
    add(p, dtype)
    for e in range(-14, 16):
        add([2.0**e, 3 * 2.0**e], dtype)
    for e in range(-149, 128, 19):
        add([2.0**e], dtype)
    for scale in [1e-8, 1e-3, 1, 30, 1e4, 1e7, 1e12]:
        add(rng.normal(size=(4, 3)) * scale, dtype)
    add(rng.normal(size=33), dtype)
    add(rng.normal(size=(2, 17)) * 1e9, dtype)
    add(np.exp(rng.normal(size=(3, 2, 9)) * 8), dtype)
    add(np.where(rng.random((6, 7)) < 0.2, nan, rng.normal(size=(6, 7))), dtype)
    add(np.where(rng.random((3, 8)) < 0.3, -inf, rng.integers(-5, 5, (3, 8))), dtype)
    add(np.round(rng.normal(size=(5, 5)), 2), dtype)

# Random bits: every exponent, NaNs included.
for dtype in FLOATS:
    size = np.dtype(dtype).itemsize
    for n in [1, 1, 1, 2, 5, 60]:
        add_bits(np.frombuffer(rng.bytes(n * size), dtype))
    one_binade = np.frombuffer(rng.bytes(24 * size), dtype)
    mantissa, _ = np.frexp(np.where(np.isfinite(one_binade), one_binade, 1))
    add(mantissa, dtype)
bits = np.arange(0, 1 << 16, 97, np.uint16).view(np.float16)
for part in np.array_split(bits, 12):
    add_bits(part)
for start in range(0, 0x7C00, 0x400):
    add_bits(np.arange(start, start + 0x400, 61, np.uint16).view(np.float16))

# Complex.
for dtype in COMPLEX:
    for row in [[1 + 2j], [0j], [-0.0 - 0j], [1 + 2j, -3.5 - 4.25j], [complex(nan, inf), 1j], [complex(-inf, nan), 1.5 + 2j],
                [1e10 + 1j, 1 - 1e-10j], [0.1 + 0.2j, 100 - 3j], [complex(1, inf), complex(2, -inf)], [complex(nan, nan)],
                [1e-5j, 1], [complex(1, -0.0), complex(-0.0, 1)]]:
        add(row, dtype)
    z = rng.normal(size=(3, 4)) + 1j * rng.normal(size=(3, 4))
    add(z, dtype)
    add(z * 1e6, dtype)
    add(np.round(z, 1), dtype)
    add(rng.normal(size=20) + 1j * np.exp(9 * rng.normal(size=20)), dtype)
add(np.arange(1100) * (1 - 0.5j), "complex64")

# Dimensions, and shortened arrays.
for shape in [(1,), (1, 1), (1, 1, 1), (2, 2, 2, 2), (1, 3, 1, 2), (5, 1), (1, 2, 3, 1, 2), (2, 1, 30), (1,) * 16, (3, 1, 1, 1, 1, 40)]:
    add(np.arange(np.prod(shape)), "int16", shape)
    add(np.arange(np.prod(shape)) / 4, "float32", shape)
for shape in [(1000,), (1001,), (1200,), (20, 51), (7, 144), (6, 167), (168, 6), (5, 201), (2, 3, 170), (11, 10, 10), (1, 1001),
              (1001, 1), (7, 7, 7, 3), (2, 2, 2, 2, 2, 2, 2, 2, 2, 2), (3, 3, 3, 3, 3, 7)]:
    add(np.arange(np.prod(shape)) % 251 - 100, "int16", shape)
add(np.arange(1003.0), "float16")
add(np.arange(2000) / 7, "float32")
add(np.where(np.arange(1500) == 700, 1e10, 1.5), "float32")  # what is left out does not count
add(np.where(np.arange(1500) == 1498, 1e10, 1.5), "float32")
add(rng.normal(size=(40, 30)), "float64")
add(rng.normal(size=(12, 10, 9)) * 1e5, "float16")
add(rng.integers(0, 2**40, (35, 35)), "int64")

# Lines that just fit and just do not.
for n in range(1, 5):
    for width in range(14, 40):
        if width * n in range(69, 78):
            add([[-int("9" * min(width - 1, 18))] * (n + 1)] * 2, "int64")
for n in range(34, 41):
    add(np.arange(n) % 10, "int8")
    add((np.arange(n) % 10).reshape(1, 1, n), "int8")
for n in range(23, 27):
    add(np.arange(n) % 10, "float64")
    add(np.arange(2 * n).reshape(2, n) % 10 / 2, "float64")

print("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]")
