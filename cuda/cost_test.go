package cuda

import (
	"math"
	"strings"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/cudrv"
	"github.com/ogive-go/ogive/internal/ptxemu"
)

// TestCost holds the kernels to what they may execute and read for each element: a
// ceiling that needs no GPU. What each takes is logged.
func TestCost(t *testing.T) {
	for _, c := range []struct {
		name         string
		shape        []int
		dt           dtype.DType
		q            []float64
		nan          bool
		kernel       string  // the beginning of the names of those that count
		instructions float64 // of PTX for each element
		passes       float64 // over the input
		limits       func(*limits)
	}{
		{name: "median of 31 side by side", shape: []int{31, 4096}, dt: dtype.Float32, q: []float64{0.5}, kernel: "middle31_", instructions: 20, passes: 1},
		{name: "median of 31 int16 side by side", shape: []int{31, 4096}, dt: dtype.Int16, q: []float64{0.5}, kernel: "middle31_", instructions: 20, passes: 1},
		{name: "three quantiles of 31 without NaN, side by side", shape: []int{31, 4096}, dt: dtype.Float32, q: []float64{0.1, 0.5, 0.9}, nan: true, kernel: "quantiles32_", instructions: 40, passes: 1},
		{name: "counted digits", shape: []int{1 << 20}, dt: dtype.Float32, q: []float64{0.3}, kernel: "digits_", instructions: 3 * 20, passes: 3, limits: func(l *limits) { l.bracketFrom = math.MaxInt }},
		{name: "counted digits of uint8", shape: []int{1 << 20}, dt: dtype.Uint8, q: []float64{0.1, 0.5}, kernel: "digits_", instructions: 20, passes: 1},
		{name: "counted digits of bfloat16", shape: []int{1 << 20}, dt: dtype.BFloat16, q: []float64{0.3}, kernel: "digits_", instructions: 2 * 20, passes: 2},
		{name: "bracket", shape: []int{1 << 21}, dt: dtype.Float32, q: []float64{0.5}, kernel: "bracket_", instructions: 24, passes: 1.05},
		{name: "rows of 100", shape: []int{2000, 100}, dt: dtype.Float32, q: []float64{0.5}, kernel: "warps_", instructions: 240, passes: 1},
		{name: "rows of 1000", shape: []int{200, 1000}, dt: dtype.Float32, q: []float64{0.5}, kernel: "warps_", instructions: 95, passes: 1},
		{name: "rows of 10000", shape: []int{20, 10000}, dt: dtype.Float32, q: []float64{0.5}, kernel: "rows_", instructions: 125, passes: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := emulated(t, ptxemu.Options{Processors: 2})
			if c.limits != nil {
				c.limits(&d.limits)
			}
			x := filled(t, "normal", c.dt, 1, c.shape...)
			far := ogive.Must(x.To(d))
			axis := ogive.Axis(-1)
			if strings.HasSuffix(c.name, "side by side") {
				axis = ogive.Axis(0)
			}
			at, err := Pointer(far)
			if err != nil {
				t.Fatal(err)
			}
			dev := d.dev.(*ptxemu.Device)
			dev.ResetStats()
			quantiles := ogive.Quantiles
			if c.nan {
				quantiles = ogive.NaNQuantiles
			}
			got, err := quantiles(far, c.q, axis)
			same(t, c.name, got, err, ogive.Must(quantiles(x, c.q, axis)))
			var executed int64
			for name, k := range dev.Stats().Kernels {
				if strings.HasPrefix(name, c.kernel) {
					executed += k.Instructions
				}
			}
			n := float64(x.Len())
			instructions, passes := float64(executed)/n, float64(dev.Traffic(cudrv.Ptr(at)).Read)/(n*float64(c.dt.Size()))
			t.Logf("%.1f instructions for each element, %.3f passes", instructions, passes)
			if executed == 0 || instructions > c.instructions || passes > c.passes+0.02 {
				t.Errorf("at most %v instructions and %v passes", c.instructions, c.passes)
			}
		})
	}
}
