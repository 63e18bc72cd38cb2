"""Exact order statistics and element tests of arrays: NumPy's functions, rounded once, and fast."""

from . import _errors, _functions
from ._errors import *  # noqa: F403
from ._functions import *  # noqa: F403
from ._kept import Plan, State
from ._numpy import patch_numpy, patched_numpy, unpatch_numpy
from ._ways import progress
from ._worker import empty

__version__ = "0.1.0"
__all__ = ["Plan", "State", "empty", "patch_numpy", "patched_numpy", "progress", "unpatch_numpy"]
__all__ += _errors.__all__ + _functions.__all__
for _name in _errors.__all__:
    getattr(_errors, _name).__module__ = "ogive"
