package testkit

import (
	"testing"

	"github.com/ogive-go/ogive/internal/cpu"
)

// EachImpl runs f as a subtest for every implementation of the kernel that
// this machine has, the portable one included, and restores the dispatch
// afterwards. Such tests do not run in parallel.
func EachImpl(t *testing.T, kernel string, f func(t *testing.T)) {
	t.Helper()
	for _, name := range cpu.Implementations(kernel) {
		t.Run(name, func(t *testing.T) {
			defer cpu.Select(kernel, name)()
			f(t)
		})
	}
}

// EachLevel runs f once with every kernel at its best and once with all of
// them portable.
func EachLevel(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	t.Run("best", f)
	t.Run(cpu.Generic, func(t *testing.T) {
		for _, kernel := range cpu.Kernels() {
			defer cpu.Select(kernel, cpu.Generic)()
		}
		f(t)
	})
}
