"""Builds what the package has of Go into ogive/native: the library and the worker of this machine.

    python build.py

Needs Go; without a C compiler there is the worker alone, by which all functions work too.
"""

import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
NATIVE = HERE / "ogive" / "native"
CAPI = HERE.parent / "capi"


def go(output: str, package: str, cgo: bool, *flags: str) -> None:
    """Builds a package of capi."""
    environment = {**os.environ, "CGO_ENABLED": "1" if cgo else "0"}
    command = ["go", "build", "-trimpath", "-ldflags=-s -w", *flags, "-o", str(NATIVE / output), package]
    subprocess.run(command, cwd=CAPI, env=environment, check=True)


def main() -> None:
    """Builds both."""
    NATIVE.mkdir(exist_ok=True)
    go("ogive-worker.exe" if sys.platform == "win32" else "ogive-worker", "./worker", False)
    compiler = subprocess.run(["go", "env", "CC"], capture_output=True, text=True, check=True).stdout.split()
    if sys.platform == "linux" and shutil.which(compiler[0]):
        go("libogive.so", ".", True, "-buildmode=c-shared")
        (NATIVE / "libogive.h").unlink()


if __name__ == "__main__":
    main()
