package main

import (
	"math"
	"slices"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
)

var nanValue = math.NaN()

// fromBase answers for dates, times, durations and times of day, counted from the earliest, so that the
// interpolation between two of them is not rounded twice; it is rounded to what they
// count, halves to even.
func (j *job) fromBase(r *request, o *operand) error {
	if r.op.Facts().Index {
		return nil
	}
	base, most := int64(0), int64(math.MaxInt64) // most is the latest, counted from base
	if j.x.DType() == dtype.Int64 && j.x.Len() > 0 {
		list := slices.Clone(ogive.Must(ogive.Values[int64](j.x)))
		base = slices.Min(list)
		if most = slices.Max(list) - base; most < 0 { // over 292 years of nanoseconds
			base, most = 0, math.MaxInt64
		}
		for i := range list {
			list[i] -= base
		}
		var err error
		if j.x, err = ogive.FromSlice(list); err != nil {
			return err
		}
	}
	j.finish = append(j.finish, func(p *part) error {
		p.unit = o.Unit
		floats, err := p.values.Cast(dtype.Float64)
		if err != nil {
			return err
		}
		list := ogive.Must(ogive.Values[float64](floats))
		if slices.ContainsFunc(list, math.IsNaN) {
			p.values = floats // of all, as it is the same for each quantile
			return nil
		}
		whole := make([]int64, len(list))
		if p.values.DType() == dtype.Int64 {
			whole = slices.Clone(ogive.Must(ogive.Values[int64](p.values)))
		} else {
			for i, v := range list {
				whole[i] = min(nearest(v), most)
			}
		}
		for i := range whole {
			whole[i] += base
		}
		flat, err := ogive.FromSlice(whole)
		if err == nil {
			p.values, err = flat.Reshape(p.values.Shape()...)
		}
		return err
	})
	return nil
}

// nearest rounds to an integer, halves to even, and to the last one of int64 what is beyond it.
func nearest(v float64) int64 {
	v = math.RoundToEven(v)
	switch {
	case v >= 1<<63:
		return math.MaxInt64
	case v < -1<<63:
		return math.MinInt64
	}
	return int64(v)
}
