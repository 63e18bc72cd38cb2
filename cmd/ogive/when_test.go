package main

import (
	"math"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/tensorio"
)

// TestFarApart is that answers between dates and durations at the ends of int64 stay between
// them, though float64 rounds beyond.
func TestFarApart(t *testing.T) {
	for _, c := range []struct {
		values []int64
		q      string
		want   int64
	}{
		{[]int64{math.MinInt64, math.MaxInt64}, "1", math.MaxInt64},
		{[]int64{math.MinInt64, math.MaxInt64}, "0", math.MinInt64},
		{[]int64{math.MinInt64, math.MaxInt64}, "0.99999999999999999", math.MaxInt64},
		{[]int64{math.MaxInt64 - 3, math.MaxInt64}, "0.99", math.MaxInt64},
		{[]int64{1, math.MaxInt64}, "0.99999999999999999", math.MaxInt64},
		{[]int64{math.MinInt64, -2}, "0.99999999999999999", -2},
	} {
		x := ogive.Must(ogive.FromSlice(c.values))
		qs, err := parseQuantiles("--q", c.q)
		if err != nil {
			t.Fatal(err)
		}
		j := job{x: x}
		r := &request{op: ogive.OpQuantile}
		if err := j.fromBase(r, &operand{x: x, Column: tensorio.Column{Values: x, Unit: tensorio.UnitSecond | tensorio.UnitDuration}}); err != nil {
			t.Fatal(err)
		}
		y, err := ogive.Quantiles(j.x, nil, ogive.Fractions(qs.list...))
		if err != nil {
			t.Fatal(err)
		}
		p := part{values: y}
		for _, finish := range j.finish {
			if err := finish(&p); err != nil {
				t.Fatal(err)
			}
		}
		if got := ogive.Must(ogive.Values[int64](p.values))[0]; got != c.want {
			t.Errorf("%s of %d: %d, want %d", c.q, c.values, got, c.want)
		}
	}
}
