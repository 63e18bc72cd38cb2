package gomlx_test

import (
	"fmt"
	"math"

	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/gomlx"
)

// The body of this example is the Go block of docs/four-ways.md that builds a
// graph.

func Example_graph() {
	exec := graph.MustNewExec(gobackend.GetBackend(), func(x *graph.Node) (y, dx *graph.Node) {
		y = gomlx.NaNQuantiles(x, []float64{0.25, 0.5}, ogive.Axis(1))
		return y, graph.Gradient(graph.ReduceAllSum(y), x)[0]
	})
	nan := float32(math.NaN())
	out, err := exec.Exec([][]float32{{4, 1, 3, 2}, {8, nan, 5, 6}})
	if err != nil {
		panic(err)
	}
	fmt.Println(out[0].Value(), out[1].Value())
	// Output:
	// [[1.75 5.5] [2.5 6]] [[0 0.25 0.5 1.25] [0 0 0.5 1.5]]
}
