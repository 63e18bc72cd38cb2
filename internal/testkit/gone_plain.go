//go:build !(linux || darwin || freebsd)

package testkit

import "testing"

// Gone skips the test: no memory goes on this platform.
func Gone(tb testing.TB, _ int) []byte {
	tb.Skip("no file is mapped on this platform")
	return nil
}
