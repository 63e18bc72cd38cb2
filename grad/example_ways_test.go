package grad_test

import (
	"fmt"
	"math"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/grad"
	"github.com/ogive-go/ogive/rank"
)

// The bodies of these examples are the Go blocks of docs/four-ways.md, in its
// order.

func Example_eager() {
	nan := float32(math.NaN())
	x := ogive.Must(ogive.FromSlice([]float32{4, 1, 3, 2, 8, nan, 5, 6}, 2, 4))
	y, err := ogive.NaNQuantiles(x, []float64{0.25, 0.5}, ogive.Axis(1))
	if err != nil {
		panic(err)
	}
	fmt.Println(y)
	// Output:
	// [[1.75 5.5 ]
	//  [2.5  6.  ]]
}

func Example_prepared() {
	plan, err := ogive.Prepare(ogive.OpNaNQuantile, dtype.Float32, []int{2, 4},
		ogive.Q(0.25, 0.5), ogive.Axis(1), ogive.Workers(1))
	if err != nil {
		panic(err)
	}
	y := ogive.Must(ogive.Zeros(plan.DType(), plan.Shape()...))

	nan := float32(math.NaN())
	for _, batch := range [][]float32{{4, 1, 3, 2, 8, nan, 5, 6}, {0, 0, 1, 1, nan, nan, nan, 7}} {
		x := ogive.Must(ogive.FromSlice(batch, 2, 4))
		if err := plan.Run(x, y); err != nil {
			panic(err)
		}
		fmt.Println(y)
	}
	// Output:
	// [[1.75 5.5 ]
	//  [2.5  6.  ]]
	// [[0.  7. ]
	//  [0.5 7. ]]
}

func Example_preparedIndex() {
	plan, err := ogive.Prepare(ogive.OpNaNQuantile, dtype.Float32, []int{2, 4},
		ogive.Q(0.25, 0.5), ogive.Axis(1), ogive.Method(rank.Lower))
	if err != nil {
		panic(err)
	}
	y := ogive.Must(ogive.Zeros(plan.DType(), plan.Shape()...))
	at := ogive.Must(ogive.Zeros(dtype.Int64, plan.Shape()...))

	nan := float32(math.NaN())
	x := ogive.Must(ogive.FromSlice([]float32{4, 1, 3, 2, 8, nan, 5, 6}, 2, 4))
	if err := plan.RunIndex(x, y, at); err != nil {
		panic(err)
	}
	fmt.Println(y)
	fmt.Println(at)
	// Output:
	// [[1. 5.]
	//  [2. 6.]]
	// [[1 2]
	//  [3 3]]
}

func Example_pullback() {
	nan := float32(math.NaN())
	x := ogive.Must(ogive.FromSlice([]float32{4, 1, 3, 2, 8, nan, 5, 6}, 2, 4))
	y, pull, err := grad.NaNQuantiles(x, []float64{0.25, 0.5}, ogive.Axis(1))
	if err != nil {
		panic(err)
	}
	dy := ogive.Must(ogive.FromSlice([]float32{1, 1, 1, 1}, y.Shape()...)) // of the sum of y
	dx, err := pull(dy)
	if err != nil {
		panic(err)
	}
	fmt.Println(dx)
	// Output:
	// [[0.   0.25 0.5  1.25]
	//  [0.   0.   0.5  1.5 ]]
}
