#!/usr/bin/env bash
# scripts/weekly.sh: what takes too long for every change: a million executions of every
# fuzz target, the whole sweep, and the times of crafted data beside random data.
set -euo pipefail
cd "$(dirname "$0")/.."
OGIVE_SWEEP=all go test -count=1 -timeout 4h .
(cd bench && go run . -python none -group crafted)
scripts/fuzz.sh 1000000x
