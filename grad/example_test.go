package grad_test

import (
	"fmt"
	"math"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/grad"
	"github.com/ogive-go/ogive/rank"
)

func ExampleQuantile() {
	x := ogive.Must(ogive.FromSlice([]float64{1, 2, 3, 10}))
	y, pull, err := grad.Quantile(x, 0.25)
	if err != nil {
		panic(err)
	}
	dx, err := pull(ogive.Scalar(1.0)) // of the value itself
	fmt.Println(y, dx, err)
	// Output:
	// 1.75 [0.25 0.75 0.   0.  ] <nil>
}

func ExampleQuantiles() {
	x := ogive.Must(ogive.FromSlice([]float64{1, 2, 3}))
	_, pull, err := grad.Quantiles(x, []float64{0, 0.5, 0.5})
	if err != nil {
		panic(err)
	}
	dy := ogive.Must(ogive.FromSlice([]float64{10, 1, 2}))
	fmt.Println(pull(dy)) // the middle one adds up
	// Output:
	// [10.  3.  0.] <nil>
}

func ExampleNaNQuantile() {
	x := ogive.Must(ogive.FromSlice([]float64{1, math.NaN(), 3}))
	_, pull, err := grad.NaNQuantile(x, 0.5)
	if err != nil {
		panic(err)
	}
	fmt.Println(pull(ogive.Scalar(1.0)))
	// Output:
	// [0.5 0.  0.5] <nil>
}

func ExampleNaNQuantiles() {
	x := ogive.Must(ogive.FromSlice([]float64{1, math.NaN(), 3}))
	_, pull, err := grad.NaNQuantiles(x, []float64{0, 1})
	if err != nil {
		panic(err)
	}
	fmt.Println(pull(ogive.Must(ogive.FromSlice([]float64{5, 7}))))
	// Output:
	// [5. 0. 7.] <nil>
}

func ExamplePercentile() {
	x := ogive.Must(ogive.FromSlice([]float64{1, 2, 3}))
	_, pull, err := grad.Percentile(x, 75)
	if err != nil {
		panic(err)
	}
	fmt.Println(pull(ogive.Scalar(1.0)))
	// Output:
	// [0.  0.5 0.5] <nil>
}

func ExamplePercentiles() {
	x := ogive.Must(ogive.FromSlice([]float64{1, 2, 3}))
	_, pull, err := grad.Percentiles(x, []float64{0, 75})
	if err != nil {
		panic(err)
	}
	fmt.Println(pull(ogive.Must(ogive.FromSlice([]float64{4, 1}))))
	// Output:
	// [4.  0.5 0.5] <nil>
}

func ExampleNaNPercentile() {
	x := ogive.Must(ogive.FromSlice([]float64{1, math.NaN(), 3}))
	_, pull, err := grad.NaNPercentile(x, 100)
	if err != nil {
		panic(err)
	}
	fmt.Println(pull(ogive.Scalar(1.0)))
	// Output:
	// [0. 0. 1.] <nil>
}

func ExampleNaNPercentiles() {
	x := ogive.Must(ogive.FromSlice([]float64{math.NaN(), math.NaN()}))
	_, pull, err := grad.NaNPercentiles(x, []float64{10, 90})
	if err != nil {
		panic(err)
	}
	fmt.Println(pull(ogive.Must(ogive.FromSlice([]float64{1, 1})))) // nothing but NaN: to the first
	// Output:
	// [2. 0.] <nil>
}

func ExampleQuantileRatio() {
	x := ogive.Must(ogive.FromSlice([]float64{1, 2, 3, 4}))
	_, pull, err := grad.QuantileRatio(x, 1, 3) // exactly the second, which 1.0/3 is not
	if err != nil {
		panic(err)
	}
	fmt.Println(pull(ogive.Scalar(1.0)))
	// Output:
	// [0. 1. 0. 0.] <nil>
}

func ExampleQuantileRatios() {
	x := ogive.Must(ogive.FromSlice([]float64{1, 2, 3, 4}))
	_, pull, err := grad.QuantileRatios(x, []int64{1, 2}, 3)
	if err != nil {
		panic(err)
	}
	fmt.Println(pull(ogive.Must(ogive.FromSlice([]float64{5, 7}))))
	// Output:
	// [0. 5. 7. 0.] <nil>
}

func ExampleNaNQuantileRatio() {
	x := ogive.Must(ogive.FromSlice([]float64{1, 2, math.NaN(), 4}))
	_, pull, err := grad.NaNQuantileRatio(x, 1, 2)
	if err != nil {
		panic(err)
	}
	fmt.Println(pull(ogive.Scalar(1.0)))
	// Output:
	// [0. 1. 0. 0.] <nil>
}

func ExampleNaNQuantileRatios() {
	x := ogive.Must(ogive.FromSlice([]float64{1, 2, math.NaN(), 4}))
	_, pull, err := grad.NaNQuantileRatios(x, []int64{0, 1}, 2)
	if err != nil {
		panic(err)
	}
	fmt.Println(pull(ogive.Must(ogive.FromSlice([]float64{5, 7}))))
	// Output:
	// [5. 7. 0. 0.] <nil>
}

func ExampleMedian() {
	x := ogive.Must(ogive.FromSlice([]float64{1, 1, 2, 2, 0, 5, 1, 9}, 2, 4))
	y, pull, err := grad.Median(x, ogive.Axis(1))
	if err != nil {
		panic(err)
	}
	dx, err := pull(ogive.Must(ogive.FromSlice([]float64{1, 1})))
	fmt.Println(y, err)
	fmt.Println(dx)
	// Output:
	// [1.5 3. ] <nil>
	// [[0.25 0.25 0.25 0.25]
	//  [0.   0.5  0.5  0.  ]]
}

func ExampleNaNMedian() {
	x := ogive.Must(ogive.FromSlice([]float64{1, math.NaN(), 3, 3}))
	_, pull, err := grad.NaNMedian(x)
	if err != nil {
		panic(err)
	}
	fmt.Println(pull(ogive.Scalar(1.0)))
	// Output:
	// [0.  0.  0.5 0.5] <nil>
}

func ExampleMedianWithIndex() {
	x := ogive.Must(ogive.FromSlice([]float64{4, 1, 3, 2}))
	y, index, pull, err := grad.MedianWithIndex(x)
	if err != nil {
		panic(err)
	}
	fmt.Println(y, index)
	fmt.Println(pull(ogive.Scalar(1.0)))
	// Output:
	// 2.0 3
	// [0. 0. 0. 1.] <nil>
}

func ExampleNaNMedianWithIndex() {
	x := ogive.Must(ogive.FromSlice([]float64{math.NaN(), 1, 3, 2}))
	y, index, pull, err := grad.NaNMedianWithIndex(x)
	if err != nil {
		panic(err)
	}
	fmt.Println(y, index)
	fmt.Println(pull(ogive.Scalar(1.0)))
	// Output:
	// 2.0 3
	// [0. 0. 0. 1.] <nil>
}

func ExampleQuantileQ() {
	x := ogive.Must(ogive.FromSlice([]float64{0, 1, 3}))
	fmt.Println(grad.QuantileQ(x, 0.25)) // 2·(1-0)
	fmt.Println(grad.QuantileQ(x, 0.5))  // to the right: 2·(3-1)
	// Output:
	// 2.0 <nil>
	// 4.0 <nil>
}

func ExampleQuantilesQ() {
	x := ogive.Must(ogive.FromSlice([]float64{0, 1, 3}))
	fmt.Println(grad.QuantilesQ(x, []float64{0, 0.5, 1}, ogive.Method(rank.Hazen)))
	// Output:
	// [0. 6. 0.] <nil>
}

func ExampleNaNQuantileQ() {
	x := ogive.Must(ogive.FromSlice([]float64{0, math.NaN(), 3}))
	fmt.Println(grad.NaNQuantileQ(x, 0.5))
	// Output:
	// 3.0 <nil>
}

func ExampleNaNQuantilesQ() {
	x := ogive.Must(ogive.FromSlice([]float64{0, math.NaN(), 3}))
	fmt.Println(grad.NaNQuantilesQ(x, []float64{0.5, 1}))
	// Output:
	// [3. 3.] <nil>
}

func ExamplePullback() {
	// Each row's upper quartile, with a gradient from further on.
	x := ogive.Must(ogive.FromSlice([]float32{1, 2, 4, 8, 3, 9}, 2, 3))
	_, pull, err := grad.Quantile(x, 0.75, ogive.Axis(1), ogive.KeepDims())
	if err != nil {
		panic(err)
	}
	dx, err := pull(ogive.Must(ogive.FromSlice([]float32{0.5, -0.25}, 2, 1)))
	fmt.Println(dx, err)
	// Output:
	// [[ 0.     0.25   0.25 ]
	//  [-0.125  0.    -0.125]] <nil>
}
