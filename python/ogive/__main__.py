"""Runs a script, or with -m a module, with ogive in the place of NumPy's functions."""

import runpy
import sys

from . import patch_numpy

if len(sys.argv) < 2 or sys.argv[1:] == ["-m"]:
    sys.exit("usage: python -m ogive SCRIPT [ARGUMENT...]\n       python -m ogive -m MODULE [ARGUMENT...]")
del sys.argv[0]
patch_numpy()
if sys.argv[0] == "-m":
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
else:
    sys.path[0] = sys.argv[0].rpartition("/")[0] or "."
    runpy.run_path(sys.argv[0], run_name="__main__")
