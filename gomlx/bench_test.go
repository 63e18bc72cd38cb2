package gomlx_test

import (
	"math/rand/v2"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/gomlx"
	"github.com/ogive-go/ogive/grad"
)

// BenchmarkGraph compares the graph on the pure Go backend with the eager
// functions, on the same values.
//
//	go test -run '^$' -bench Graph .
func BenchmarkGraph(b *testing.B) {
	qs := []float64{0.1, 0.25, 0.5, 0.75, 0.9}
	r := rand.New(rand.NewPCG(1, 1))
	few, many := random(r, dtype.Float32, plain, 10), random(r, dtype.Float32, plain, 10000)
	for _, c := range []struct {
		name  string
		dt    dtype.DType
		shape []int
		build func(x *graph.Node) *graph.Node
		eager func(x *ogive.Tensor) (*ogive.Tensor, error)
	}{
		{"median/1M", dtype.Float32, []int{1e6},
			func(x *graph.Node) *graph.Node { return gomlx.Median(x) },
			func(x *ogive.Tensor) (*ogive.Tensor, error) { return ogive.Median(x) }},
		{"median/1M-float64", dtype.Float64, []int{1e6},
			func(x *graph.Node) *graph.Node { return gomlx.Median(x) },
			func(x *ogive.Tensor) (*ogive.Tensor, error) { return ogive.Median(x) }},
		{"median/1M-uint8", dtype.Uint8, []int{1e6},
			func(x *graph.Node) *graph.Node { return gomlx.Median(x) },
			func(x *ogive.Tensor) (*ogive.Tensor, error) { return ogive.Median(x) }},
		{"5-quantiles/1M", dtype.Float32, []int{1e6},
			func(x *graph.Node) *graph.Node { return gomlx.Quantiles(x, qs) },
			func(x *ogive.Tensor) (*ogive.Tensor, error) { return ogive.Quantiles(x, qs) }},
		{"nanmedian/1000x1000/axis1", dtype.Float32, []int{1000, 1000},
			func(x *graph.Node) *graph.Node { return gomlx.NaNMedian(x, ogive.Axis(1)) },
			func(x *ogive.Tensor) (*ogive.Tensor, error) { return ogive.NaNMedian(x, ogive.Axis(1)) }},
		{"median/1000x1000/axis0", dtype.Float32, []int{1000, 1000},
			func(x *graph.Node) *graph.Node { return gomlx.Median(x, ogive.Axis(0)) },
			func(x *ogive.Tensor) (*ogive.Tensor, error) { return ogive.Median(x, ogive.Axis(0)) }},
		{"median/100kx10/axis1", dtype.Float32, []int{100000, 10},
			func(x *graph.Node) *graph.Node { return gomlx.Median(x, ogive.Axis(1)) },
			func(x *ogive.Tensor) (*ogive.Tensor, error) { return ogive.Median(x, ogive.Axis(1)) }},
		{"median/32", dtype.Float32, []int{32},
			func(x *graph.Node) *graph.Node { return gomlx.Median(x) },
			func(x *ogive.Tensor) (*ogive.Tensor, error) { return ogive.Median(x) }},
		{"gradient-of-median/1M", dtype.Float32, []int{1e6},
			func(x *graph.Node) *graph.Node { return graph.Gradient(gomlx.Median(x), x)[0] },
			func(x *ogive.Tensor) (*ogive.Tensor, error) {
				_, pull, err := grad.Median(x)
				if err != nil {
					return nil, err
				}
				return pull(ogive.Scalar(float32(1)))
			}},
		{"isin/1M/in-10", dtype.Float32, []int{1e6},
			func(x *graph.Node) *graph.Node { return gomlx.IsInSet(x, few) },
			func(x *ogive.Tensor) (*ogive.Tensor, error) { return ogive.IsIn(x, few) }},
		{"isin/1M/in-10k", dtype.Float32, []int{1e6},
			func(x *graph.Node) *graph.Node { return gomlx.IsInSet(x, many) },
			func(x *ogive.Tensor) (*ogive.Tensor, error) { return ogive.IsIn(x, many) }},
	} {
		x := random(rand.New(rand.NewPCG(2, 2)), c.dt, plain, c.shape...)
		b.Run(c.name+"/eager", func(b *testing.B) {
			b.SetBytes(int64(x.Len() * c.dt.Size()))
			for b.Loop() {
				if _, err := c.eager(x); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(c.name+"/graph", func(b *testing.B) {
			b.SetBytes(int64(x.Len() * c.dt.Size()))
			exec := graph.MustNewExec(backend(), c.build)
			defer exec.Finalize()
			in := toGraph(b, x)
			exec.MustExec1(in).MustFinalizeAll()
			for b.Loop() {
				exec.MustExec1(in).MustFinalizeAll()
			}
		})
	}
}
