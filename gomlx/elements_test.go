package gomlx_test

import (
	"math/rand/v2"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/gomlx"
)

// The element tests answer as the eager functions, on values of every kind.
func TestPredicates(t *testing.T) {
	for _, dt := range allDTypes {
		r := rand.New(rand.NewPCG(5, uint64(dt)))
		for _, shape := range [][]int{{}, {200}, {7, 11}, {3, 0}} {
			x := random(r, dt, someNaN, shape...)
			for name, c := range map[string]struct {
				build func(x *graph.Node) *graph.Node
				eager func(x *ogive.Tensor, opts ...ogive.Option) (*ogive.Tensor, error)
			}{
				"isposinf": {gomlx.IsPosInf, ogive.IsPosInf},
				"isneginf": {gomlx.IsNegInf, ogive.IsNegInf},
				"isreal":   {gomlx.IsReal, ogive.IsReal},
			} {
				got, err := run(t, func(in []*graph.Node) *graph.Node { return c.build(in[0]) }, x)
				if err != nil {
					t.Fatal(err)
				}
				same(t, got, ogive.Must(c.eager(x)), "%s of %v %v", name, dt, shape)
			}
		}
	}
}

// IsIn and IsInSet answer as the eager function for every pair of dtypes, for
// few and many test values, NaNs, infinities and both zeros among them.
func TestIsIn(t *testing.T) {
	for _, dt := range allDTypes {
		t.Run(dt.String(), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(6, uint64(dt)))
			for _, from := range allDTypes {
				for _, m := range []int{0, 1, 64, 65, 100} {
					if testing.Short() && m == 100 {
						continue
					}
					test := values(r, from, m)
					x := ogive.Must(values(r, dt, 60).Reshape(6, 10))
					// Some of the test values, where x can hold them.
					b, c := ogive.Must(x.Bytes()), ogive.Must(ogive.Must(test.Cast(dt)).Bytes())
					copy(b[:len(b)/2], c)
					var opts []ogive.Option
					if r.IntN(2) == 0 {
						opts = append(opts, ogive.Invert())
					}
					if r.IntN(2) == 0 {
						opts = append(opts, ogive.EqualNaN())
					}
					if r.IntN(2) == 0 {
						opts = append(opts, ogive.AssumeUnique(), ogive.Kind(ogive.KindHash))
					}
					want := ogive.Must(ogive.IsIn(x, test, opts...))
					got, err := run(t, func(in []*graph.Node) *graph.Node { return gomlx.IsInSet(in[0], test, opts...) }, x)
					if err != nil {
						t.Fatal(err)
					}
					same(t, got, want, "set: %v in %v, %v", x, test, opts)
					got, err = run(t, func(in []*graph.Node) *graph.Node { return gomlx.IsIn(in[0], in[1], opts...) }, x, test)
					if err != nil {
						t.Fatal(err)
					}
					same(t, got, want, "%v %v in %v %v, %v", dt, x, from, test, opts)
				}
			}
		})
	}
}

// values returns a vector of values of every kind, small ones among them.
func values(r *rand.Rand, dt dtype.DType, n int) *ogive.Tensor {
	x := random(r, dt, someNaN, n)
	y := random(r, dt, plain, n)
	z := random(r, dt, ties, n)
	for i, size := 0, dt.Size(); i < n; i++ {
		if from := []*ogive.Tensor{x, y, z}[r.IntN(3)]; from != x {
			copy(ogive.Must(x.Bytes())[i*size:(i+1)*size], ogive.Must(from.Bytes())[i*size:])
		}
	}
	return x
}

// Values are compared exactly, not after a promotion that loses bits.
func TestIsInIsExact(t *testing.T) {
	for _, c := range []struct {
		x, test *ogive.Tensor
		want    bool
	}{
		{ogive.Scalar(int64(1<<53 + 1)), ogive.Scalar(0x1p53), false},
		{ogive.Scalar(int64(1 << 53)), ogive.Scalar(0x1p53), true},
		{ogive.Scalar(uint64(1<<63 + 1)), ogive.Scalar(int64(1<<63 - 1)), false},
		{ogive.Scalar(uint8(255)), ogive.Scalar(int8(-1)), false},
		{ogive.Scalar(float32(0.1)), ogive.Scalar(0.1), false},
		{ogive.Scalar(float32(0.5)), ogive.Scalar(0.5), true},
		{ogive.Scalar(inf), ogive.Scalar(float32(inf)), true},
		{ogive.Scalar(float32(inf)), ogive.Scalar(1e300), false},
		{ogive.Scalar(true), ogive.Scalar(1.0), true},
		{ogive.Scalar(true), ogive.Scalar(2.0), false},
	} {
		for name, build := range map[string]func(in []*graph.Node) *graph.Node{
			"node": func(in []*graph.Node) *graph.Node { return gomlx.IsIn(in[0], in[1]) },
			"set":  func(in []*graph.Node) *graph.Node { return gomlx.IsInSet(in[0], c.test) },
		} {
			in := []*ogive.Tensor{c.x, c.test}
			if name == "set" {
				in = in[:1]
			}
			got, err := run(t, build, in...)
			if err != nil {
				t.Fatal(err)
			}
			if yes := ogive.Must(ogive.Item[bool](got)); yes != c.want {
				t.Errorf("%s: %v %v in %v %v is %v", name, c.x.DType(), c.x, c.test.DType(), c.test, yes)
			}
		}
	}
}
