package gomlx_test

import (
	"math/rand/v2"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/gomlx"
	"github.com/ogive-go/ogive/grad"
	"github.com/ogive-go/ogive/rank"
)

// hard are quantiles whose weights are hard: of few and many bits, next to 0
// and 1, subnormal.
var hard = []float64{0, 5e-324, 1e-300, 0x1p-100, 0x1p-70, 3 * 0x1p-54, 0.1, 0.25, 1. / 3, 0.5, 0.7, 1 - 0x1p-53, 1}

// call is an operation with its arguments, eager and as a graph.
type call struct {
	name  string
	eager func(x *ogive.Tensor, opts ...ogive.Option) (*ogive.Tensor, error)
	build func(x *graph.Node, opts ...ogive.Option) *graph.Node
	op    ogive.Op
	param []ogive.Option
}

// draw returns a call of an order statistic.
func draw(r *rand.Rand) call {
	q := r.Float64()
	if r.IntN(2) == 0 {
		q = hard[r.IntN(len(hard))]
	}
	qs := []float64{q, r.Float64(), hard[r.IntN(len(hard))], q}[:1+r.IntN(4)]
	switch r.IntN(6) {
	case 0:
		return call{"quantile",
			func(x *ogive.Tensor, o ...ogive.Option) (*ogive.Tensor, error) { return ogive.Quantile(x, q, o...) },
			func(x *graph.Node, o ...ogive.Option) *graph.Node { return gomlx.Quantile(x, q, o...) },
			ogive.OpQuantile, []ogive.Option{ogive.Q(q)}}
	case 1:
		return call{"nanquantile",
			func(x *ogive.Tensor, o ...ogive.Option) (*ogive.Tensor, error) { return ogive.NaNQuantile(x, q, o...) },
			func(x *graph.Node, o ...ogive.Option) *graph.Node { return gomlx.NaNQuantile(x, q, o...) },
			ogive.OpNaNQuantile, []ogive.Option{ogive.Q(q)}}
	case 2:
		return call{"quantiles",
			func(x *ogive.Tensor, o ...ogive.Option) (*ogive.Tensor, error) { return ogive.Quantiles(x, qs, o...) },
			func(x *graph.Node, o ...ogive.Option) *graph.Node { return gomlx.Quantiles(x, qs, o...) },
			ogive.OpQuantile, []ogive.Option{ogive.Qs(qs)}}
	case 3:
		return call{"nanquantiles",
			func(x *ogive.Tensor, o ...ogive.Option) (*ogive.Tensor, error) {
				return ogive.NaNQuantiles(x, qs, o...)
			},
			func(x *graph.Node, o ...ogive.Option) *graph.Node { return gomlx.NaNQuantiles(x, qs, o...) },
			ogive.OpNaNQuantile, []ogive.Option{ogive.Qs(qs)}}
	case 4:
		return call{"median", ogive.Median, gomlx.Median, ogive.OpMedian, nil}
	}
	return call{"nanmedian", ogive.NaNMedian, gomlx.NaNMedian, ogive.OpNaNMedian, nil}
}

// options returns options for a call on a tensor of ndim axes.
func (c call) options(r *rand.Rand, ndim int) (opts []ogive.Option) {
	if n := r.IntN(ndim + 1); n > 0 {
		axes := r.Perm(ndim)[:n]
		for i := range axes {
			axes[i] -= ndim * r.IntN(2)
		}
		opts = append(opts, ogive.Axis(axes...))
	}
	if r.IntN(2) == 0 {
		opts = append(opts, ogive.KeepDims())
	}
	if c.op == ogive.OpMedian || c.op == ogive.OpNaNMedian {
		return append(opts, ogive.Mode([]ogive.MedianMode{ogive.ModeAvg, ogive.ModeAvg, ogive.ModeLower, ogive.ModeUpper}[r.IntN(4)]))
	}
	if r.IntN(3) > 0 {
		opts = append(opts, ogive.Method(rank.Methods()[r.IntN(len(rank.Methods()))]))
	}
	return opts
}

// The graph, a prepared plan and the eager function give the same bits, for
// operations × dtypes × axes × keepdims × methods × patterns of values; where
// the eager function fails, so does the graph, with the same message.
func TestSweep(t *testing.T) {
	for _, dt := range allDTypes {
		t.Run(dt.String(), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(7, uint64(dt)))
			calls := 120
			if fields[dt][0] > 0 {
				calls = 400
			}
			if testing.Short() {
				calls /= 8
			}
			for range calls {
				one(t, r, dt)
			}
		})
	}
}

func one(t *testing.T, r *rand.Rand, dt dtype.DType) {
	t.Helper()
	shape := make([]int, r.IntN(4))
	for i := range shape {
		shape[i] = 1 + r.IntN(6)
	}
	if len(shape) > 0 && r.IntN(20) == 0 {
		shape[r.IntN(len(shape))] = 0
	}
	p := pattern(r.IntN(int(patterns)))
	x := random(r, dt, p, shape...)
	c := draw(r)
	opts := c.options(r, len(shape))
	want, wantErr := c.eager(x, opts...)
	got, err := run(t, func(in []*graph.Node) *graph.Node { return c.build(in[0], opts...) }, x)
	if wantErr != nil {
		checkError(t, err, wantErr)
		return
	}
	if err != nil {
		t.Fatalf("%s %v %v: %v", c.name, shape, opts, err)
	}
	same(t, got, want, "%s %v %v %v", c.name, x, opts, c.param)
	plan := ogive.Must(ogive.Prepare(c.op, dt, shape, append(opts, c.param...)...))
	out := ogive.Must(ogive.Zeros(plan.DType(), plan.Shape()...))
	if err := plan.Run(x, out); err != nil {
		t.Fatal(err)
	}
	same(t, out, want, "prepared %s", c.name)
}

// Rows of every way of counting: compared with each other, counted one by one,
// eight at a time, lengthened or not; values, ranks of NaNs and gradients.
func TestLengths(t *testing.T) {
	lengths := []int{1, 4, 5, 8, 9, 16, 17, 32, 33, 127, 128, 129, 192, 4095, 4096, 4097, 65536, 65537}
	if testing.Short() {
		lengths = lengths[:14]
	}
	for _, dt := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.Int8, dtype.Uint64} {
		t.Run(dt.String(), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(9, uint64(dt)))
			for _, n := range lengths {
				rows := 1 + r.IntN(3)
				x := random(r, dt, []pattern{plain, ties, someNaN}[r.IntN(3)], rows, n)
				qs := hard[6:9]
				for _, c := range []call{
					{name: "quantiles",
						eager: func(x *ogive.Tensor, o ...ogive.Option) (*ogive.Tensor, error) { return ogive.Quantiles(x, qs, o...) },
						build: func(x *graph.Node, o ...ogive.Option) *graph.Node { return gomlx.Quantiles(x, qs, o...) }},
					{name: "nanmedian", eager: ogive.NaNMedian, build: gomlx.NaNMedian},
				} {
					got, err := run(t, func(in []*graph.Node) *graph.Node { return c.build(in[0], ogive.Axis(1)) }, x)
					if err != nil {
						t.Fatal(err)
					}
					want := ogive.Must(c.eager(x, ogive.Axis(1)))
					same(t, got, want, "%s of %d × %d", c.name, rows, n)
				}
				if fields[dt][0] == 0 {
					continue
				}
				_, pull, err := grad.NaNQuantiles(x, qs, ogive.Axis(1))
				if err != nil {
					t.Fatal(err)
				}
				dy := random(r, dt, plain, 3, rows)
				got, err := gradient(t, func(x *graph.Node) *graph.Node { return gomlx.NaNQuantiles(x, qs, ogive.Axis(1)) }, x, dy)
				if err != nil {
					t.Fatal(err)
				}
				same(t, got, ogive.Must(pull(dy)), "gradient of %d × %d", rows, n)
			}
		})
	}
}
