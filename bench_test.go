package ogive_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
)

// benchCase is a reduction of random data.
type benchCase struct {
	dt    dtype.DType
	shape []int
	axis  int // -1 for all
	qs    int // 0 for the median
	nan   float64
}

var benchCases = []benchCase{
	{dtype.Float32, []int{10_000_000}, -1, 0, 0},
	{dtype.Float64, []int{10_000_000}, -1, 0, 0},
	{dtype.Float32, []int{10_000_000}, -1, 3, 0},
	{dtype.Float32, []int{10_000_000}, -1, 101, 0},
	{dtype.Float32, []int{10_000_000}, -1, 0, 0.5},
	{dtype.Float32, []int{1_000_000, 10}, 1, 0, 0},
	{dtype.Float32, []int{100_000, 100}, 1, 0, 0},
	{dtype.Float32, []int{10_000, 1000}, 1, 0, 0},
	{dtype.Float32, []int{1000, 10_000}, 1, 0, 0},
	{dtype.Float32, []int{7, 1_400_000}, 0, 0, 0},
	{dtype.Float32, []int{20, 500_000}, 0, 0, 0},
	{dtype.Float32, []int{20, 500_000}, 0, 0, 0.1},
	{dtype.Float32, []int{200, 50_000}, 0, 0, 0},
	{dtype.Float32, []int{1000, 10_000}, 0, 0, 0},
	{dtype.Float32, []int{1_000_000, 10}, 0, 0, 0},
	{dtype.Uint8, []int{10_000_000}, -1, 0, 0},
	{dtype.Int16, []int{10_000_000}, -1, 0, 0},
	{dtype.Uint8, []int{20, 500_000}, 0, 0, 0},
	{dtype.Int16, []int{20, 500_000}, 0, 0, 0},
	{dtype.Float16, []int{10_000_000}, -1, 0, 0},
	{dtype.Int32, []int{10_000_000}, -1, 0, 0},
	{dtype.Float64, []int{5}, -1, 0, 0},
	{dtype.Float64, []int{100}, -1, 0, 0},
}

func (c benchCase) name() string {
	op := "median"
	if c.nan > 0 {
		op = "nanmedian"
	}
	if c.qs > 0 {
		op = fmt.Sprintf("quantiles%d", c.qs)
	}
	return fmt.Sprintf("op=%s/dtype=%v/shape=%v/axis=%d/nan=%v", op, c.dt, c.shape, c.axis, c.nan)
}

// data returns the input: normal floats, or integers over their whole range.
func (c benchCase) data() *ogive.Tensor {
	rng := rand.New(rand.NewPCG(1, 2))
	n := 1
	for _, d := range c.shape {
		n *= d
	}
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
		if rng.Float64() < c.nan {
			v[i] = v[i] / 0 * 0
		}
	}
	x := ogive.Must(ogive.FromSlice(v, c.shape...))
	if c.dt.IsFloat() {
		return ogive.Must(x.Cast(c.dt))
	}
	ints := make([]int64, n)
	for i := range ints {
		ints[i] = int64(rng.Uint64())
	}
	return ogive.Must(ogive.Must(ogive.FromSlice(ints, c.shape...)).Cast(c.dt))
}

// BenchmarkOrderStatistics runs the reductions by which ogive is compared with
// its peers, through Out.
func BenchmarkOrderStatistics(b *testing.B) {
	for _, c := range benchCases {
		b.Run(c.name(), func(b *testing.B) {
			x := c.data()
			opts := []ogive.Option{}
			if c.axis >= 0 {
				opts = append(opts, ogive.Axis(c.axis))
			}
			qs := []float64{0.25, 0.5, 0.75}
			if c.qs > 3 {
				qs = nil
				for i := range c.qs {
					qs = append(qs, float64(i)/float64(c.qs-1))
				}
			}
			run := func() (*ogive.Tensor, error) {
				switch {
				case c.qs > 0:
					return ogive.Quantiles(x, qs, opts...)
				case c.nan > 0:
					return ogive.NaNMedian(x, opts...)
				default:
					return ogive.Median(x, opts...)
				}
			}
			out := ogive.Must(run())
			opts = append(opts, ogive.Out(out))
			b.SetBytes(int64(x.Len() * x.DType().Size()))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSmall is the cost of a call through Out, eager and prepared.
func BenchmarkSmall(b *testing.B) {
	for _, n := range []int{5, 100, 10_000} {
		rng := rand.New(rand.NewPCG(1, 3))
		v := make([]float64, n)
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		x, out := ogive.Must(ogive.FromSlice(v)), ogive.Must(ogive.Zeros(dtype.Float64))
		b.Run(fmt.Sprintf("n=%d/call=eager", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ogive.Median(x, ogive.Out(out)); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("n=%d/call=prepared", n), func(b *testing.B) {
			p, err := ogive.Prepare(ogive.OpMedian, dtype.Float64, []int{n})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := p.Run(x, out); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
