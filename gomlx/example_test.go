package gomlx_test

import (
	"fmt"
	"log"

	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/gomlx"
)

func ExampleQuantiles() {
	exec := graph.MustNewExec(gobackend.GetBackend(), func(x *graph.Node) *graph.Node {
		return gomlx.Quantiles(x, []float64{0.25, 0.5}, ogive.Axis(1))
	})
	y, err := exec.Exec1([][]float32{{1, 2, 3, 4, 5}, {10, 30, 20, 50, 40}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(y.Value())
	// Output: [[2 20] [3 30]]
}

// The gradient of a median goes to the elements that it is made of.
func ExampleMedian() {
	exec := graph.MustNewExec(gobackend.GetBackend(), func(x *graph.Node) *graph.Node {
		return graph.Gradient(gomlx.Median(x), x)[0]
	})
	y, err := exec.Exec1([]float64{7, 1, 3, 5})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(y.Value())
	// Output: [0 0 0.5 0.5]
}

func ExampleIsInSet() {
	primes := ogive.Must(ogive.FromSlice([]int64{2, 3, 5, 7, 11}))
	exec := graph.MustNewExec(gobackend.GetBackend(), func(x *graph.Node) *graph.Node {
		return gomlx.IsInSet(x, primes)
	})
	y, err := exec.Exec1([]float32{1, 2, 2.5, 3})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(y.Value())
	// Output: [false true false true]
}
