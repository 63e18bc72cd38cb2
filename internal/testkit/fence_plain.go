//go:build !(linux || darwin || freebsd)

package testkit

import "testing"

// fencesProtect tells whether an access beyond a fence crashes.
const fencesProtect = false

// fenced returns ordinary memory.
func fenced(_ testing.TB, n int, _ Side) []byte { return Aligned(n) }
