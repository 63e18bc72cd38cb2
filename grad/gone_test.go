package grad

import (
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/testkit"
)

// TestGone: gradients of memory that is gone are errors, and so are those of memory that
// goes between the forward pass and its pullback.
func TestGone(t *testing.T) {
	for _, shape := range [][]int{{3000}, {64, 2000}, {2000, 1000}} {
		x := tensors.Wrap(testkit.GoneArray(t, shape...))
		_, _, err := Quantile(x, 0.3)
		testkit.Lost(t, "Quantile", err)
		_, _, err = Quantile(x, 0.3, ogive.Axis(0))
		testkit.Lost(t, "Quantile along an axis", err)
		_, _, err = Median(x)
		testkit.Lost(t, "Median", err)
		_, _, _, err = MedianWithIndex(x, ogive.Axis(-1))
		testkit.Lost(t, "MedianWithIndex", err)
		_, err = QuantileQ(x, 0.3)
		testkit.Lost(t, "QuantileQ", err)

		for name, axis := range map[string]int{"first": 0, "last": -1} {
			whole := ogive.Must(ogive.Zeros(dtype.Float32, shape...))
			y, pull, err := Quantile(whole, 0.3, ogive.Axis(axis))
			if err != nil {
				t.Fatal(err)
			}
			*tensors.Array(whole) = *tensors.Array(x)
			_, err = pull(ogive.Must(ogive.Zeros(dtype.Float32, y.Shape()...)))
			testkit.Lost(t, "the pullback, "+name+" axis", err)
		}
	}
}
