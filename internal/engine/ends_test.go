package engine

import (
	"slices"
	"testing"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/rank"
)

// TestRunEnds: the order statistics and weights of each quantile and lane.
func TestRunEnds(t *testing.T) {
	x, err := nd.New(dtype.Float32, 2, 4)
	if err != nil {
		t.Fatal(err)
	}
	zero := float32(0)
	nan := zero / zero
	copy(nd.Slice[float32](&x), []float32{4, 1, 3, 2, 8, nan, 5, 7})
	for _, skip := range []bool{false, true} {
		var p Plan
		set := rank.NewSet(rank.Linear, []rank.Q{rank.At(0.5), rank.At(1)})
		if err := p.InitOrder(dtype.Float32, x.Shape(), &Order{Set: set, Vector: true, SkipNaN: skip, Axes: []int{1}}); err != nil {
			t.Fatal(err)
		}
		out, err := nd.New(dtype.Float32, p.Shape()...)
		if err != nil {
			t.Fatal(err)
		}
		e, err := p.RunEnds(&x, &out)
		if err != nil {
			t.Fatal(err)
		}
		lo, hi, g := []float32{2, nan, 4, nan}, []float32{3, nan, 4, nan}, []float64{0.5, 0.5, 0, 0}
		if skip {
			lo, hi, g = []float32{2, 7, 4, 8}, []float32{3, 7, 4, 8}, []float64{0.5, 0, 0, 0}
		}
		equal := func(a, b float32) bool { return a == b || a != a && b != b }
		if got := nd.Slice[float32](&e.Lo); !slices.EqualFunc(got, lo, equal) {
			t.Errorf("skip %v: lower ends %v, want %v", skip, got, lo)
		}
		if got := nd.Slice[float32](&e.Hi); !slices.EqualFunc(got, hi, equal) {
			t.Errorf("skip %v: upper ends %v, want %v", skip, got, hi)
		}
		for i, w := range g {
			if e.Factor(i) != w {
				t.Errorf("skip %v: factor %d is %v, want %v", skip, i, e.Factor(i), w)
			}
		}
		derivative, err := p.QDerivative().RunEnds(&x, nil)
		if err != nil {
			t.Fatal(err)
		}
		// At 1 it is the last piece.
		if got := nd.Slice[float32](&derivative.Lo)[2]; got != 3 || derivative.Factor(2) != 3 {
			t.Errorf("skip %v: the last piece starts at %v with slope %v", skip, got, derivative.Factor(2))
		}
	}
}
