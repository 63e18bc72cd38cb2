"""Writes the golden files of tensorio with NumPy, and manifest.json, which
says what is in each: dtype, shape, and the elements in C order as
little-endian bytes; or for files that are refused, a part of the message.

    python make.py      (in this folder; NumPy 2.2)
"""
import json
import warnings

import numpy as np
from numpy.lib import format as fmt

warnings.simplefilter("ignore")
manifest = {"arrays": {}, "archives": {}, "refused": {}}


def describe(a, dtype=None):
    little = a.astype(a.dtype.newbyteorder("<"))
    return {"dtype": dtype or a.dtype.newbyteorder("=").name, "shape": list(a.shape),
            "fortran": bool(a.ndim > 1 and a.flags.f_contiguous and not a.flags.c_contiguous),
            "order": {">": "big", "<": "little", "=": "little", "|": "none"}[a.dtype.byteorder],
            "hex": little.tobytes(order="C").hex()}


def save(name, a, version=None, dtype=None):
    with open(name, "wb") as f:
        fmt.write_array(f, a, version=version)
    manifest["arrays"][name] = describe(a, dtype)
    manifest["arrays"][name]["version"] = (version or (1, 0))[0]


def header(name, text, data, description):
    """A file with a hand-made header, for what NumPy reads but does not write."""
    b = text.encode("latin1")
    b += b" " * (-(10 + len(b) + 1) % 64) + b"\n"
    with open(name, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + len(b).to_bytes(2, "little") + b + data)
    manifest["arrays"][name] = dict(description, handmade=True, version=1)


def sample(dt):
    dt = np.dtype(dt)
    if dt.kind == "b":
        return np.array([[True, False, True], [False, False, True]])
    if dt.kind in "iu":
        i = np.iinfo(dt)
        return np.array([[i.min, i.max, 0], [1, 2, 100]], dtype=dt)
    if dt.kind == "f":
        i = np.finfo(dt)
        return np.array([[np.nan, np.inf, -np.inf], [-0.0, i.smallest_subnormal, i.max]], dtype=dt)
    return np.array([[1 + 2j, complex(np.nan, np.inf), 0], [complex(-0.0, -1), 1e30j, -5]], dtype=dt)


for dt in ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]:
    a = sample(dt)
    save(f"{a.dtype.name}.npy", a)
    if a.dtype.itemsize > 1:
        save(f"{a.dtype.name}-big.npy", a.astype(a.dtype.newbyteorder(">")))

x = np.arange(24, dtype="f8").reshape(2, 3, 4)
save("version2.npy", x, version=(2, 0))
save("version3.npy", x, version=(3, 0))
save("fortran.npy", np.asfortranarray(x))
save("fortran-big.npy", np.asfortranarray(x.astype(">i2")))
save("scalar.npy", np.array(2.5))
save("scalar-big.npy", np.array(-7, dtype=">i4"))
save("vector.npy", np.arange(5, dtype="<u2"))
save("empty.npy", np.zeros((0,), dtype="f4"))
save("empty-rows.npy", np.zeros((0, 3), dtype="f8"))
save("empty-middle.npy", np.zeros((3, 0, 2), dtype="i8"))
save("long.npy", np.zeros((1,) * 15 + (2,), dtype="i1"))

# bfloat16: a void of two bytes; NumPy writes "|V2" for its own, ml_dtypes has "<V2".
bits = np.array([0x3F80, 0xC000, 0x7FC0, 0x0001], dtype="<u2")
save("bfloat16-void.npy", bits.view("V2"), dtype="bfloat16")
bf = {"dtype": "bfloat16", "shape": [4], "fortran": False, "order": "little", "hex": bits.tobytes().hex()}
with open("bfloat16.npy", "wb") as f:
    fmt.write_array_header_1_0(f, {"descr": "<V2", "fortran_order": False, "shape": (4,)})
    f.write(bits.tobytes())
manifest["arrays"]["bfloat16.npy"] = dict(bf, version=1)
header("bfloat16-big.npy", "{'descr': '>V2', 'fortran_order': False, 'shape': (4,), }", bits.byteswap().tobytes(), bf)
header("bfloat16-name.npy", "{'descr': 'bfloat16', 'fortran_order': False, 'shape': (4,), }", bits.tobytes(), bf)

two = dict(describe(np.array([[1, 2], [3, 4]], dtype="<i4")))
data = np.array([[1, 2], [3, 4]], dtype="<i4").tobytes()
header("python2.npy", "{'descr': '<i4', 'fortran_order': False, 'shape': (2L, 2L), }", data, two)
header("spaces.npy", "  {\n\t\"shape\" :( 2 ,2 , ) , 'fortran_order':False,\"descr\": '<i4'}  ", data, two)
header("misaligned.npy", "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 2)}", data, two)
with open("misaligned.npy", "rb") as f:  # the header one byte shorter
    b = f.read()
with open("misaligned.npy", "wb") as f:
    f.write(b[:8] + (int.from_bytes(b[8:10], "little") - 1).to_bytes(2, "little") + b[10:126] + b[127:])
for name in ["python2.npy", "spaces.npy", "misaligned.npy"]:
    assert (np.load(name) == [[1, 2], [3, 4]]).all(), name

members = {"x": x, "mask": sample("b1"), "big": sample("f8").astype(">f8"), "nothing": np.zeros((0, 2))}
np.savez("stored.npz", **members)
np.savez_compressed("deflated.npz", **members)
for name in ["stored.npz", "deflated.npz"]:
    manifest["archives"][name] = {k: describe(v) for k, v in members.items()}

refused = {
    "object.npy": (np.array([{}, None], dtype=object), "object arrays"),
    "record.npy": (np.zeros(2, dtype=[("a", "i4"), ("b", "f8")]), "structured"),
    "date.npy": (np.array(["2012-01-01"], dtype="M8[D]"), "dates and times"),
    "span.npy": (np.array([1], dtype="m8[s]"), "dates and times"),
    "unicode.npy": (np.array(["text"]), "text"),
    "bytes.npy": (np.array([b"text"]), "text"),
    "longdouble.npy": (np.array([1], dtype=np.longdouble), "no such float"),
    "void3.npy": (np.zeros(2, dtype="V3"), "void"),
}
for name, (a, why) in refused.items():
    np.save(name, a)
    manifest["refused"][name] = why

with open("manifest.json", "w") as f:
    json.dump(manifest, f, indent=1)
    f.write("\n")
