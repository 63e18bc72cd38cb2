#!/usr/bin/env bash
# Builds what bench/gpu/run.sh runs on a machine that has a GPU and no Go: static but for
# the C library, for linux/amd64, or for GOARCH=arm64. It fills bench/gpu/bin, which
# travels to that machine beside the sources.
set -euo pipefail
cd "$(dirname "$0")/../.."
bin=bench/gpu/bin
export CGO_ENABLED=0 GOOS=linux GOARCH=${GOARCH:-amd64}
rm -rf "$bin"
mkdir -p "$bin"

tests() { # NAME PACKAGE
	go test -c -trimpath -ldflags='-s -w' -o "$bin/$1.test" "$2"
}
tests ogive .
tests cuda ./cuda
tests cudrv ./internal/cudrv

dirty=$(git status --porcelain --untracked-files=no)
echo "$(go env GOVERSION) $GOARCH, commit $(git rev-parse --short HEAD)${dirty:+ with changes}" >"$bin/BUILD"
cat "$bin/BUILD"
du -ch "$bin"/*.test
