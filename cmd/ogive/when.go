package main

import (
	"math"
	"slices"
	"time"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/tensorio"
)

var nanValue = math.NaN()

// fromBase answers for dates and times, counted from the earliest, so that the
// interpolation between two of them is not rounded twice; it is rounded to what they
// count, halves to even.
func (j *job) fromBase(r *request, o *operand) error {
	if r.op == ogive.OpArgQuantile || r.op == ogive.OpNaNArgQuantile {
		return nil
	}
	var base int64
	if j.x.DType() == dtype.Int64 && j.x.Len() > 0 {
		list := slices.Clone(ogive.Must(ogive.Values[int64](j.x)))
		base = slices.Min(list)
		if far := slices.Max(list) - base; far < 0 { // over 292 years of nanoseconds
			base = 0
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
				whole[i] = int64(math.RoundToEven(v))
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

// whenCell writes a date or time: 2012-01-31, 2012-01-31T09:30:00.25Z.
func whenCell(v int64, unit tensorio.Unit) string {
	switch unit {
	case tensorio.UnitDay:
		return time.Unix(v*86400, 0).UTC().Format(time.DateOnly)
	case tensorio.UnitSecond:
		return time.Unix(v, 0).UTC().Format(time.RFC3339)
	case tensorio.UnitMillisecond:
		return time.UnixMilli(v).UTC().Format(time.RFC3339Nano)
	case tensorio.UnitMicrosecond:
		return time.UnixMicro(v).UTC().Format(time.RFC3339Nano)
	}
	return time.Unix(0, v).UTC().Format(time.RFC3339Nano)
}
