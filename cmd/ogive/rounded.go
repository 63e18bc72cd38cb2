package main

import (
	"math"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
)

// beyondExact returns the answers from which on float64 does not hold every integer,
// where answers about integers are float64.
func beyondExact(of dtype.DType, values *ogive.Tensor) (large []float64) {
	if of != dtype.Int64 && of != dtype.Uint64 || values.DType() != dtype.Float64 {
		return nil
	}
	for _, v := range ogive.Must(ogive.Values[float64](values)) {
		if math.Abs(v) >= 1<<53 {
			large = append(large, v)
		}
	}
	return large
}

// limits are above all integers of a dtype.
var limits = map[dtype.DType]float64{dtype.Int64: 1 << 63, dtype.Uint64: 1 << 64}

// mostRounded is how many answers are asked for again at most.
const mostRounded = 8

// roundedAnswers reports whether answers about integers, which run computes, are rounded to
// float64 where that does not hold every integer: counted from such an answer, what is
// exact is 0.
func roundedAnswers(x, values *ogive.Tensor, run func(x *ogive.Tensor) (*ogive.Tensor, error)) (bool, error) {
	large := beyondExact(x.DType(), values)
	all := ogive.Must(ogive.Values[float64](ogive.Must(values.Cast(dtype.Float64))))
	for n, v := range large {
		if n == mostRounded || v >= limits[x.DType()] {
			return true, nil // of so many answers some are, and so is one above all integers
		}
		from, err := countedFrom(x, v)
		if err != nil {
			return false, err
		}
		again, err := run(from)
		if err != nil {
			return false, err
		}
		for i, rest := range ogive.Must(ogive.Values[float64](again)) {
			if all[i] == v && rest != 0 {
				return true, nil
			}
		}
	}
	return false, nil
}

// countedFrom returns integers minus v, one of magnitude 2^53 or more; what is too far away
// for int64 is as far as that reaches.
func countedFrom(x *ogive.Tensor, v float64) (*ogive.Tensor, error) {
	shape := x.Shape()
	flat, err := flatten(x, nil)
	if err != nil {
		return nil, err
	}
	list, err := moved(flat)
	if err != nil {
		return nil, err
	}
	base := uint64(v)
	if x.DType() == dtype.Int64 {
		base = uint64(int64(v)) + offset // as they are moved
	}
	far := make([]int64, len(list))
	for i, u := range list {
		if u >= base {
			far[i] = int64(min(u-base, math.MaxInt64))
		} else {
			far[i] = -int64(min(base-u, math.MaxInt64))
		}
	}
	return ogive.FromSlice(far, shape...)
}

// noteRoundedAnswers takes note of a column whose answers are rounded.
func (in *operands) noteRoundedAnswers(name string) {
	in.note("%s: answers between integers beyond 2^53 rounded to float64", noteName(name))
}
