#!/bin/sh
# Compiles the kernels to PTX and writes MANIFEST. Needs clang 19 and gzip, no CUDA:
#   apt-get install --no-install-recommends clang-19
# With -check, says whether what is here is what the sources give.
set -eu
cd "$(dirname "$0")"
clang=${CLANG:-clang-19}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
flags="-x cuda -std=c++17 -O3 -ffp-contract=off -fbracket-depth=1024 -nocudainc -nocudalib --cuda-device-only
	-Wall -Wextra -Werror -Wno-unused-function -Wno-unknown-cuda-version
	-S --cuda-gpu-arch=sm_60 -Xclang -target-feature -Xclang +ptx60"
compile() { # source, module, further flags
	source=$1 module=$2
	shift 2
	"$clang" $flags "$@" -o "$out/raw" "$source"
	grep -v '^//' "$out/raw" >"$out/$module.ptx"
	rm "$out/raw"
}
for family in stack tall rows radix bracket locate; do
	for type in i8 i16 f16 i32 f32 i64 f64; do
		compile $family.cu ${family}_$type -DTYPE=$type
	done
done
for family in choose blend elements; do compile $family.cu $family; done
manifest() {
	echo "# $("$clang" --version | head -n 1 | sed 's/.*\(clang version [0-9]*\).*/\1/'), $(echo $flags)"
	sha256sum *.h *.cu
	(cd "$out" && sha256sum *.ptx)
}
if [ "${1:-}" = -check ]; then
	manifest | diff MANIFEST - || { echo "the PTX is not that of the sources: run internal/cukern/build.sh" >&2; exit 1; }
else
	manifest >MANIFEST
	gzip -9n "$out"/*.ptx
	rm -f ptx/*
	mv "$out"/*.ptx.gz ptx
fi
