package grad

import (
	"errors"
	"strings"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/internal/testkit"
)

// gone returns a tensor over memory of a mapped file that was cut.
func gone(t *testing.T, shape ...int) *ogive.Tensor {
	t.Helper()
	n := 4
	for _, d := range shape {
		n *= d
	}
	b := testkit.Gone(t, n)
	a, err := nd.FromBytes(dtype.Float32, b, nd.NewMapping("gone.npy", b, func([]byte) {}), shape...)
	if err != nil {
		t.Fatal(err)
	}
	return tensors.Wrap(a)
}

// lost checks the error of memory that is gone.
func lost(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, ogive.ErrFormat) || !strings.Contains(err.Error(), "gone.npy: byte ") {
		t.Errorf("%s: %v", what, err)
	}
}

// TestGone: gradients of memory that is gone are errors, and so are those of memory that
// goes between the forward pass and its pullback.
func TestGone(t *testing.T) {
	for _, shape := range [][]int{{3000}, {64, 2000}, {2000, 1000}} {
		x := gone(t, shape...)
		_, _, err := Quantile(x, 0.3)
		lost(t, "Quantile", err)
		_, _, err = Quantile(x, 0.3, ogive.Axis(0))
		lost(t, "Quantile along an axis", err)
		_, _, err = Median(x)
		lost(t, "Median", err)
		_, _, _, err = MedianWithIndex(x, ogive.Axis(-1))
		lost(t, "MedianWithIndex", err)
		_, err = QuantileQ(x, 0.3)
		lost(t, "QuantileQ", err)

		for name, axis := range map[string]int{"first": 0, "last": -1} {
			whole := ogive.Must(ogive.Zeros(dtype.Float32, shape...))
			y, pull, err := Quantile(whole, 0.3, ogive.Axis(axis))
			if err != nil {
				t.Fatal(err)
			}
			*tensors.Array(whole) = *tensors.Array(x)
			_, err = pull(ogive.Must(ogive.Zeros(dtype.Float32, y.Shape()...)))
			lost(t, "the pullback, "+name+" axis", err)
		}
	}
}
