package testkit

import (
	"errors"
	"strings"
	"testing"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/nd"
)

// GoneArray returns a float32 array over memory of Gone, the mapping of a file gone.npy.
// It has at least a page.
func GoneArray(tb testing.TB, shape ...int) nd.Array {
	tb.Helper()
	n := dtype.Float32.Size()
	for _, d := range shape {
		n *= d
	}
	b := Gone(tb, n)
	a, err := nd.FromBytes(dtype.Float32, b, nd.NewMapping("gone.npy", b, func([]byte) {}), shape...)
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

// Lost checks that err is the error of a read of a GoneArray.
func Lost(tb testing.TB, what string, err error) {
	tb.Helper()
	if !errors.Is(err, errs.ErrFormat) || !strings.Contains(err.Error(), "gone.npy: byte ") {
		tb.Errorf("%s: %v", what, err)
	}
}
