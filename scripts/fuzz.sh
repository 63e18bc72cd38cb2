#!/usr/bin/env bash
# scripts/fuzz.sh COUNT: runs every fuzz target of the workspace, a parser, a kernel or a
# property each, COUNT times, 20000x for example. It ends at the first failure, whose input
# is under testdata/fuzz then.
set -euo pipefail
cd "$(dirname "$0")/.."
[[ ${1-} =~ ^[0-9]+x$ ]] || { echo "usage: ${0##*/} COUNT, for example 20000x" >&2; exit 2; }

git grep -l '^func Fuzz' -- '*_test.go' | xargs -n 1 dirname | sort -u | while read -r dir; do
	for target in $(git grep -hoP '^func \KFuzz\w+' -- "$dir/*_test.go" ":!$dir/*/*"); do
		SECONDS=0
		told=$(go test -run '^$' -fuzz "^$target\$" -fuzztime "$1" -fuzzminimizetime 10x "./$dir" </dev/null 2>&1) || { echo "$told"; exit 1; }
		echo "$target: $1 in ${SECONDS} s"
	done
done
