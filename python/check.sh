#!/usr/bin/env bash
# Builds and tests the package for Python, in a virtual environment with the newest NumPy:
#
#	python/check.sh [ARGUMENT OF PYTEST...]
#
# Where PyPI cannot be reached, and no environment was made before, nothing is tested.
set -euo pipefail
cd "$(dirname "$0")"
venv=${OGIVE_VENV:-$PWD/.venv}
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/python" -m pip install -q --upgrade numpy pytest ruff mypy pandas ml_dtypes ||
	"$venv/bin/python" -c 'import numpy, pytest, ruff, mypy' || { echo "PyPI cannot be reached: left out"; exit 0; }
"$venv/bin/python" build.py
"$venv/bin/ruff" check .
"$venv/bin/mypy" ogive
"$venv/bin/python" -m pytest -q "$@"
