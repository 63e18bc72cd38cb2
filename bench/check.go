package main

import (
	"fmt"
	"math"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
)

// tolerance is the relative difference that rounding explains between two
// systems' answers: a few units in the last place of the dtype, and for
// float32 the rank that NumPy and torch compute in float32, which names a
// neighbouring order statistic of 10M values.
func tolerance(dt dtype.DType) float64 {
	switch dt {
	case dtype.BFloat16:
		return 1.0 / 128
	case dtype.Float16:
		return 1.0 / 1024
	case dtype.Float32:
		return 2e-6
	}
	return 1e-12
}

// differ compares two answers as numpy.allclose does, with NaN equal to NaN
// and an absolute tolerance of rtol times the largest finite value wanted. It
// returns "" or what differs.
func differ(want, got []float64, rtol float64) string {
	if len(want) != len(got) {
		return fmt.Sprintf("%d values, ogive has %d", len(got), len(want))
	}
	largest := 0.0
	for _, v := range want {
		if v = math.Abs(v); v > largest && !math.IsInf(v, 0) {
			largest = v
		}
	}
	n, first := 0, 0
	for i, w := range want {
		g := got[i]
		if w == g || math.IsNaN(w) && math.IsNaN(g) || math.Abs(w-g) <= rtol*(largest+math.Abs(w)) && !math.IsInf(w, 0) && !math.IsInf(g, 0) {
			continue
		}
		if n == 0 {
			first = i
		}
		n++
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d values differ; value %d is %v, ogive has %v", n, len(want), first, got[first], want[first])
}

// float64s returns the elements of t as float64.
func float64s(t *ogive.Tensor) ([]float64, error) {
	t, err := t.Cast(dtype.Float64)
	if err != nil {
		return nil, err
	}
	return ogive.Values[float64](t)
}
