#!/usr/bin/env bash
# Makes the pictures of this folder and the outputs in README.md and docs anew. The test that
# finds them stale is the program that makes them: cmd/ogive/readme_test.go.
set -euo pipefail
cd "$(dirname "$0")/../.."
exec go test ./cmd/ogive -count=1 -run '^TestReadme' -update
