package cuda

import (
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/internal/ptxemu"
)

// emulated opens a device that interprets the kernels.
func emulated(t testing.TB) *Device {
	t.Helper()
	d, err := open(ptxemu.New(ptxemu.Options{}), 0)
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

func TestWarm(t *testing.T) {
	if err := emulated(t).Warm(); err != nil {
		t.Fatal(err)
	}
}

func TestFirst(t *testing.T) {
	d := emulated(t)
	x := ogive.Must(ogive.FromSlice([]float32{3, 1, 2, 9, 7, 8}, 2, 3))
	far := ogive.Must(x.To(d))
	for _, axis := range []int{0, 1} {
		got, err := far.Median(ogive.Axis(axis))
		if err != nil {
			t.Fatal(err)
		}
		t.Log(ogive.Must(got.ToHost()), ogive.Must(x.Median(ogive.Axis(axis))))
	}
}
