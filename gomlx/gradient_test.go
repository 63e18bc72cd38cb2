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

// gradient returns the gradient by x where that by build(x) is dy.
func gradient(t testing.TB, build func(x *graph.Node) *graph.Node, x, dy *ogive.Tensor) (*ogive.Tensor, error) {
	t.Helper()
	return run(t, func(in []*graph.Node) *graph.Node {
		y := graph.IdentityWithCustomGradient(build(in[0]), func(_, _ *graph.Node) *graph.Node { return in[1] })
		return graph.Gradient(graph.ReduceAllSum(y), in[0])[0]
	}, x, dy)
}

// pullback is a function of package grad.
type pullback = func(x *ogive.Tensor, opts ...ogive.Option) (*ogive.Tensor, grad.Pullback, error)

// drawGradient returns an operation as a graph and in package grad.
func drawGradient(r *rand.Rand) (call, pullback) {
	q := r.Float64()
	if r.IntN(2) == 0 {
		q = hard[r.IntN(len(hard))]
	}
	qs := []float64{q, r.Float64(), hard[r.IntN(len(hard))], q}[:1+r.IntN(4)]
	switch r.IntN(6) {
	case 0:
		return call{name: "quantile", build: func(x *graph.Node, o ...ogive.Option) *graph.Node { return gomlx.Quantile(x, q, o...) }},
			func(x *ogive.Tensor, o ...ogive.Option) (*ogive.Tensor, grad.Pullback, error) {
				return grad.Quantile(x, q, o...)
			}
	case 1:
		return call{name: "nanquantile", build: func(x *graph.Node, o ...ogive.Option) *graph.Node { return gomlx.NaNQuantile(x, q, o...) }},
			func(x *ogive.Tensor, o ...ogive.Option) (*ogive.Tensor, grad.Pullback, error) {
				return grad.NaNQuantile(x, q, o...)
			}
	case 2:
		return call{name: "quantiles", build: func(x *graph.Node, o ...ogive.Option) *graph.Node { return gomlx.Quantiles(x, qs, o...) }},
			func(x *ogive.Tensor, o ...ogive.Option) (*ogive.Tensor, grad.Pullback, error) {
				return grad.Quantiles(x, qs, o...)
			}
	case 3:
		return call{name: "nanquantiles", build: func(x *graph.Node, o ...ogive.Option) *graph.Node { return gomlx.NaNQuantiles(x, qs, o...) }},
			func(x *ogive.Tensor, o ...ogive.Option) (*ogive.Tensor, grad.Pullback, error) {
				return grad.NaNQuantiles(x, qs, o...)
			}
	case 4:
		return call{name: "median", build: gomlx.Median, op: ogive.OpMedian}, grad.Median
	}
	return call{name: "nanmedian", build: gomlx.NaNMedian, op: ogive.OpNaNMedian}, grad.NaNMedian
}

// Gradients have the bits of package grad's, upstream gradients with infinities
// and subnormals included.
func TestGradientSweep(t *testing.T) {
	for _, dt := range allDTypes[:4] {
		t.Run(dt.String(), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(11, uint64(dt)))
			calls := 200
			if testing.Short() {
				calls = 25
			}
			for range calls {
				shape := make([]int, 1+r.IntN(3))
				for i := range shape {
					shape[i] = 1 + r.IntN(6)
				}
				x := random(r, dt, pattern(r.IntN(int(patterns))), shape...)
				c, eager := drawGradient(r)
				opts := c.options(r, len(shape))
				y, pull, err := eager(x, opts...)
				if err != nil {
					t.Fatal(err)
				}
				dy := random(r, dt, []pattern{plain, extremes}[r.IntN(2)], y.Shape()...)
				want := ogive.Must(pull(dy))
				got, err := gradient(t, func(x *graph.Node) *graph.Node { return c.build(x, opts...) }, x, dy)
				if err != nil {
					t.Fatal(err)
				}
				same(t, got, want, "%s %v %v, upstream %v", c.name, x, opts, dy)
			}
		})
	}
}

// The specification's examples of gradients.
func TestGradientFixtures(t *testing.T) {
	method := func(m rank.Method) func(x *graph.Node) *graph.Node {
		return func(x *graph.Node) *graph.Node { return gomlx.Quantile(x, 0.3, ogive.Method(m)) }
	}
	median := func(x *graph.Node) *graph.Node { return gomlx.Median(x) }
	at := func(q float64) func(x *graph.Node) *graph.Node {
		return func(x *graph.Node) *graph.Node { return gomlx.Quantile(x, q) }
	}
	for _, c := range []struct {
		name    string
		build   func(x *graph.Node) *graph.Node
		x, want []float64
	}{
		{"linear", method(rank.Linear), []float64{1, 2, 3}, []float64{.4, .6, 0}},
		{"lower", method(rank.Lower), []float64{1, 2, 3}, []float64{1, 0, 0}},
		{"higher", method(rank.Higher), []float64{1, 2, 3}, []float64{0, 1, 0}},
		{"nearest", method(rank.Nearest), []float64{1, 2, 3}, []float64{0, 1, 0}},
		{"midpoint", method(rank.Midpoint), []float64{1, 2, 3}, []float64{.5, .5, 0}},
		{"ties", at(0.5), []float64{2, 2, 2, 2}, []float64{0, .5, .5, 0}},
		{"NaN", at(0.5), []float64{1, nan, 3}, []float64{0, 1, 0}},
		{"nanquantile", func(x *graph.Node) *graph.Node { return gomlx.NaNQuantile(x, 0.5) }, []float64{1, nan, 3}, []float64{.5, 0, .5}},
		{"only NaN", func(x *graph.Node) *graph.Node { return gomlx.NaNQuantile(x, 0.5) }, []float64{nan, nan}, []float64{1, 0}},
		{"median", median, []float64{2, 2, 2, 2}, []float64{.25, .25, .25, .25}},
		{"median of two pairs", median, []float64{1, 1, 2, 2}, []float64{.25, .25, .25, .25}},
		{"median of three equal", median, []float64{1, 2, 2, 2, 3}, []float64{0, 1. / 3, 1. / 3, 1. / 3, 0}},
		{"median of NaNs", median, []float64{nan, 2, nan, 2}, []float64{.5, 0, .5, 0}},
		{"median of infinities", median, []float64{inf, -inf, 0, inf}, []float64{.25, 0, .5, .25}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := gradient(t, c.build, floats(dtype.Float64, c.x...), ogive.Scalar(1.0))
			if err != nil {
				t.Fatal(err)
			}
			// 0.4 and 0.6 are 1-g and g for g = 2·0.3 in float64.
			for i, v := range ogive.Must(ogive.Values[float64](got)) {
				if d := v - c.want[i]; d > 1e-15 || d < -1e-15 {
					t.Errorf("got %v, want %v", got, c.want)
				}
			}
		})
	}
	x, dy := floats(dtype.Float64, 1, 2, 3, 4), floats(dtype.Float64, 2, 2)
	got, err := gradient(t, func(x *graph.Node) *graph.Node { return gomlx.Quantiles(x, []float64{.55, .7}) }, x, dy)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range ogive.Must(ogive.Values[float64](got)) {
		if d := v - []float64{0, .7, 3.1, .2}[i]; d > 1e-15 || d < -1e-15 {
			t.Errorf("two quantiles: %v", got)
		}
	}
}

// A gradient goes on through the operation: to what x was made of, to other
// uses of x, and to a gradient of the gradient by the upstream.
func TestGradientFlows(t *testing.T) {
	x := floats(dtype.Float32, 3, 1, 2)
	got, err := run(t, func(in []*graph.Node) *graph.Node {
		loss := graph.Add(gomlx.Median(graph.MulScalar(in[0], 5)), graph.ReduceAllSum(in[0]))
		return graph.Gradient(loss, in[0])[0]
	}, x)
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, floats(dtype.Float32, 1, 1, 6), "median of 5x, plus the sum of x")

	// d/dw of the sum of squares of d/dx median(w·x) = w·mask is 2w.
	got, err = run(t, func(in []*graph.Node) *graph.Node {
		dx := graph.Gradient(graph.Mul(in[1], gomlx.Median(in[0])), in[0])[0]
		return graph.Gradient(graph.ReduceAllSum(graph.Square(dx)), in[1])[0]
	}, x, ogive.Scalar(float32(7)))
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, ogive.Scalar(float32(14)), "second gradient")
}
