#!/bin/sh
# build.sh compiles the sample kernels. It needs clang 19 and no CUDA.
set -eu
cd "$(dirname "$0")"
flags='-x cuda -std=c++17 -O3 -ffp-contract=off -nocudainc -nocudalib --cuda-device-only -Wno-unknown-cuda-version -S'
clang-19 $flags --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx63 sample.cu -o sample.ptx
