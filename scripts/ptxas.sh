#!/usr/bin/env bash
# scripts/ptxas.sh: NVIDIA's assembler as a witness of the kernels. It assembles every module
# for every device of compute capability 6.0 and later that the newest assembler knows, or the
# last one that knows older devices, and folds the constants of some 500 instructions, which
# package ptxemu holds its own results to. It needs bash, zcat and python3 with pip, which
# gets the assemblers into a folder that is removed at the end.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
get() { # FOLDER PACKAGE
	python3 -m pip install --quiet --disable-pip-version-check --no-deps --target "$work/$1" "$2" ||
		{ echo "$2 cannot be installed: is the package index there?" >&2; exit 1; }
}
get new nvidia-cuda-nvcc
get disassembler nvidia-cuda-nvdisasm
get old 'nvidia-cuda-nvcc-cu12<13'
find_tool() { find "$work/$1" -type f -name "$2" -exec chmod +x {} + -print -quit; }
new=$(find_tool new ptxas) old=$(find_tool old ptxas)
nvdisasm=$(find_tool disassembler nvdisasm)
for tool in "$new" "$old" "$nvdisasm"; do
	[ -x "$tool" ] || { echo "a package lacks its tool: ptxas '$new' and '$old', nvdisasm '$nvdisasm'" >&2; exit 1; }
done
for module in internal/cukern/ptx/*.ptx.gz; do
	zcat "$module" >"$work/$(basename "$module" .gz)"
done
targets() { "$1" --help | grep -o "'sm_[0-9]*'" | tr -d "'" | sort -u; }
known=$(targets "$new")
for target in $(printf '%s\n' "$known" "$(targets "$old")" | sort -uV); do
	[ "${target#sm_}" -ge 60 ] || continue
	ptxas=$new
	grep -qx "$target" <<<"$known" || ptxas=$old
	for module in "$work"/*.ptx; do
		"$ptxas" -arch "$target" -o /dev/null "$module" || { echo "$(basename "$module") for $target is refused" >&2; exit 1; }
	done
	echo "$target: all modules are assembled"
done
OGIVE_PTXAS=$new OGIVE_NVDISASM=$nvdisasm go test -count=1 -v -run TestFoldedConstants ./internal/ptxemu
