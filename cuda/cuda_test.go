package cuda

import (
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/ptxemu"
	"github.com/ogive-go/ogive/internal/testkit"
)

// emulated opens a device that interprets the kernels.
func emulated(t testing.TB, o ptxemu.Options) *Device {
	t.Helper()
	d, err := open(ptxemu.New(o), 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// filled returns a tensor of the named kind of content.
func filled(t testing.TB, kind string, dt dtype.DType, seed uint64, shape ...int) *ogive.Tensor {
	t.Helper()
	n := 1
	for _, d := range shape {
		n *= d
	}
	x, err := ogive.FromBytes(dt, testkit.Fill(kind, dt, n, seed), shape...)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// same fails the test unless a result on a device is that of the host.
func same(t testing.TB, what string, far *ogive.Tensor, err error, want *ogive.Tensor) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	got, err := far.ToHost()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if got.DType() != want.DType() {
		t.Fatalf("%s: %v, want %v", what, got.DType(), want.DType())
	}
	if d := testkit.Diff(want.DType(), ogive.Must(got.Bytes()), ogive.Must(want.Bytes())); d != "" {
		t.Fatalf("%s: %s", what, d)
	}
}
