#!/usr/bin/env bash
# scripts/weekly.sh: what takes too long for every change: a million executions of every
# fuzz target, the whole sweep, twenty million answers around thresholds, twenty thousand
# hostile files of each kind, commands at several budgets, every mutant of the kernels,
# NVIDIA's assembler, and the times of crafted data beside random data.
set -euo pipefail
cd "$(dirname "$0")/.."
OGIVE_SWEEP=all go test -count=1 -timeout 4h .
for level in generic avx2 avx512; do
	OGIVE_CPU=$level OGIVE_ANSWERS=20000000 go test -count=1 -timeout 1h -run TestSweepAroundThresholds .
done
OGIVE_HOSTILE=20000 go test -count=1 -timeout 1h -run TestHostile ./formats
OGIVE_MEMORY=1 go test -count=1 -timeout 1h -run TestMemoryOfWays ./cmd/ogive
OGIVE_MUTATE=all go test -count=1 -timeout 1h -run TestMutants ./cuda
scripts/ptxas.sh
(cd bench && go run . -python none -group crafted)
scripts/fuzz.sh 1000000x
