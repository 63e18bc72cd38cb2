"""Writes the netCDF classic files of tensorio with SciPy, and netcdf.json, which says
what is in each variable of numbers: dtype, shape, and the elements in C order as
little-endian bytes, worked out by NumPy.

    python makenetcdf.py      (in this folder; SciPy 1.15, NumPy 2.2)
"""
import json

import numpy as np
from scipy.io import netcdf_file

manifest = {}


def expect(name, variable, a):
    a = np.asarray(a)
    little = a.astype(a.dtype.newbyteorder("<"))
    manifest.setdefault(name, {})[variable] = {
        "dtype": a.dtype.newbyteorder("=").name, "shape": list(a.shape), "hex": little.tobytes(order="C").hex()}


def put(f, name, kind, dims, data, **attributes):
    v = f.createVariable(name, kind, dims)
    for key, value in attributes.items():
        setattr(v, key, value)
    v[:] = data
    return v


def everything(name, version):
    f = netcdf_file(name, "w", version=version)
    f.title = "every type"
    f.numbers = np.array([1, 2, 3], "i2")
    f.createDimension("time", None)
    f.createDimension("x", 3)
    f.createDimension("n", 5)
    for kind in ["b", "h", "i", "f", "d"]:
        dt = {"b": "i1", "h": "i2", "i": "i4", "f": "f4", "d": "f8"}[kind]
        a = np.array([-128, 127, 0, 1, -1], dt)
        if kind in "fd":
            a = np.array([np.nan, np.inf, -0.0, np.finfo(dt).max, np.finfo(dt).smallest_subnormal], dt)
        put(f, "fixed_" + kind, kind, ("n",), a)
        expect(name, "fixed_" + kind, a)
        r = np.arange(12).reshape(4, 3).astype(dt)
        put(f, "record_" + kind, kind, ("time", "x"), r, units="m")
        expect(name, "record_" + kind, r)
    c = f.createVariable("text", "c", ("n",))
    c[:] = np.array(list("hello"), "c")
    f.close()


everything("version1.nc", 1)
everything("version2.nc", 2)

f = netcdf_file("lone.nc", "w")  # records of one variable are not padded
f.createDimension("time", None)
f.createDimension("x", 3)
a = np.arange(9, dtype="i1").reshape(3, 3)
put(f, "a", "b", ("time", "x"), a)
expect("lone.nc", "a", a)
f.close()

f = netcdf_file("scalar.nc", "w")
f.createVariable("a", "d", ()).data[...] = 2.5
expect("scalar.nc", "a", np.float64(2.5))
f.close()

f = netcdf_file("norecords.nc", "w")
f.createDimension("time", None)
f.createDimension("x", 2)
f.createVariable("a", "f", ("time", "x"))
expect("norecords.nc", "a", np.zeros((0, 2), "f4"))
f.close()

f = netcdf_file("missing.nc", "w")
f.createDimension("x", 4)
a = np.array([1.5, -1e34, 2.5, 9999], "f4")
put(f, "float", "f", ("x",), a, _FillValue=np.float32(-1e34), missing_value=np.float32(9999))
expect("missing.nc", "float", np.array([1.5, np.nan, 2.5, np.nan], "f4"))
put(f, "float_by_double", "f", ("x",), a, missing_value=np.float64(-1e34))
expect("missing.nc", "float_by_double", np.array([1.5, np.nan, 2.5, 9999], "f4"))
b = np.array([1, -999, 32767, 4], "i2")
put(f, "short", "h", ("x",), b, _FillValue=np.int16(-999))
expect("missing.nc", "short", np.array([1, np.nan, 32767, 4], "f8"))
put(f, "short_whole", "h", ("x",), b, _FillValue=np.int16(-1))
expect("missing.nc", "short_whole", b)
put(f, "packed", "h", ("x",), b, _FillValue=np.int16(-999), scale_factor=np.float64(0.01), add_offset=np.float64(273.15))
expect("missing.nc", "packed", np.where(b == -999, np.nan, b.astype("f8") * 0.01 + 273.15))
put(f, "packed_float", "f", ("x",), a, scale_factor=np.float32(2))
expect("missing.nc", "packed_float", a.astype("f8") * 2)
u = np.array([-1, 0, 1, -128], "i1")
put(f, "unsigned", "b", ("x",), u, _Unsigned=b"true")
expect("missing.nc", "unsigned", u.view("u1"))
put(f, "unsigned_missing", "b", ("x",), u, _Unsigned=b"true", _FillValue=np.int8(-1))
expect("missing.nc", "unsigned_missing", np.array([np.nan, 0, 1, 128], "f8"))
f.close()

with open("netcdf.json", "w") as out:
    json.dump(manifest, out, indent=1)
