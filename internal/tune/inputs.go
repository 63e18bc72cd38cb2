package main

import (
	"math"
	"math/rand/v2"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/rank"
)

// tensor returns a tensor of such values, drawn one after the other from the
// same numbers every time.
func tensor[T dtype.Element](draw func(*rand.Rand) float64, shape ...int) *ogive.Tensor {
	rng := rand.New(rand.NewPCG(1, 2))
	n := 1
	for _, d := range shape {
		n *= d
	}
	v := make([]float64, n)
	for i := range v {
		v[i] = draw(rng)
	}
	return ogive.Must(ogive.Must(ogive.FromSlice(v, shape...)).Cast(dtype.Of[T]()))
}

// normal returns how to draw from a normal distribution that uses the range of
// T, and no more than an int64's.
func normal[T dtype.Element]() func(*rand.Rand) float64 {
	width := 1e9
	switch dtype.Of[T]().Size() {
	case 1:
		width = 30
	case 2:
		width = 8000
	case 4:
		width = 4e8
	}
	return func(rng *rand.Rand) float64 {
		return width * min(max(rng.NormFloat64(), -4), 4)
	}
}

// into returns a call of an operation that writes to the same tensor each time.
func into(op func(opts ...ogive.Option) (*ogive.Tensor, error)) func() {
	out := ogive.Must(op())
	return func() { ogive.Must(op(ogive.Out(out))) }
}

// median returns a call of the median of random elements along an axis.
func median[T dtype.Element](axis int, shape ...int) func() {
	return medianOf(tensor[T](normal[T](), shape...), axis)
}

// medianOf returns a call of the median of a tensor along an axis.
func medianOf(x *ogive.Tensor, axis int) func() {
	return into(func(opts ...ogive.Option) (*ogive.Tensor, error) {
		return x.Median(append(opts, ogive.Axis(axis))...)
	})
}

// distinct returns a call of the median of rows of so many different values.
func distinct(count int, shape ...int) func() {
	return medianOf(tensor[float32](func(rng *rand.Rand) float64 { return float64(rng.IntN(count)) }, shape...), 1)
}

// evenly returns so many quantiles, evenly spaced.
func evenly(count int) []float64 {
	qs := make([]float64, count)
	for i := range qs {
		qs[i] = (float64(i) + 0.5) / float64(count)
	}
	return qs
}

// quantiles returns a call for so many quantiles.
func quantiles[T dtype.Element](count, axis int, shape ...int) func() {
	x, qs := tensor[T](normal[T](), shape...), evenly(count)
	return into(func(opts ...ogive.Option) (*ogive.Tensor, error) {
		return ogive.Quantiles(x, qs, append(opts, ogive.Axis(axis))...)
	})
}

// indices returns a call for the indices of so many quantiles.
func indices[T dtype.Element](count, axis int, shape ...int) func() {
	x, qs := tensor[T](normal[T](), shape...), evenly(count)
	return into(func(opts ...ogive.Option) (*ogive.Tensor, error) {
		return ogive.ArgQuantiles(x, qs, append(opts, ogive.Axis(axis), ogive.Method(rank.InvertedCDF))...)
	})
}

// heavy returns a call of the median of a lane of which one value in so many is
// the median itself, and no other repeats.
func heavy(share int) func() {
	return medianOf(tensor[float32](func(rng *rand.Rand) float64 {
		if rng.IntN(share) == 0 {
			return 0.5
		}
		return rng.Float64()
	}, elements), 0)
}

// isIn returns a call that looks up which of multiples of a number, a tenth of
// which they are, are among so many test values of a range.
func isIn(members, within int) func() {
	step := max(int(min(int64(within), 1<<53))/(10*members), 1)
	next := 0
	test := tensor[int64](func(rng *rand.Rand) float64 {
		next++
		return float64(step * (10*next - rng.IntN(10)))
	}, members)
	x := tensor[int64](func(rng *rand.Rand) float64 { return float64(step * rng.IntN(10*members)) }, elements)
	return into(func(opts ...ogive.Option) (*ogive.Tensor, error) { return x.IsIn(test, opts...) })
}

// isPosInf returns a call that tests so many elements.
func isPosInf(n int) func() {
	x := tensor[float32](func(rng *rand.Rand) float64 {
		if rng.IntN(100) == 0 {
			return math.Inf(1)
		}
		return rng.Float64()
	}, n)
	return into(func(opts ...ogive.Option) (*ogive.Tensor, error) { return x.IsPosInf(opts...) })
}
