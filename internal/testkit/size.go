package testkit

import (
	"os"
	"testing"
)

// Whole says whether OGIVE_SWEEP=all asks for sweeps of every case they have, which takes
// minutes of CPU: otherwise a share of them is tried, within one minute for a package.
func Whole() bool { return os.Getenv("OGIVE_SWEEP") == "all" }

// Share is how many of n cases of a sweep are tried: all where the whole is asked for,
// else a quarter, and a twentieth in short mode.
func Share(n int) int {
	switch {
	case Whole():
		return n
	case testing.Short():
		return max(n/20, 1)
	}
	return max(n/4, 1)
}
