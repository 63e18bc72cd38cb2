package ogive_test

import (
	"fmt"
	"math"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/rank"
)

// Latencies of two hosts, one a row.
func Example() {
	x, err := ogive.FromSlice([]float64{12, 15, 11, 300, 14, 20, 22, 19, 25, 21}, 2, 5)
	if err != nil {
		fmt.Println(err)
		return
	}
	median, err := x.Median(ogive.Axis(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	tails, err := x.Percentiles([]float64{50, 95}, ogive.Axis(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(median)
	fmt.Println(tails)
	// Output:
	// [14. 21.]
	// [[ 14.   21. ]
	//  [243.   24.4]]
}

func ExampleQuantile() {
	x := ogive.Must(ogive.FromSlice([]float64{4, 1, 3, 2}))
	fmt.Println(ogive.Must(ogive.Quantile(x, 0.5)))
	fmt.Println(ogive.Must(ogive.Quantile(x, 0.5, ogive.Method(rank.Lower))))
	_, err := ogive.Quantile(x, 1.5)
	fmt.Println(err)
	// Output:
	// 2.5
	// 2.0
	// quantile: q[0] = 1.5 is outside [0, 1]
}

func ExampleQuantiles() {
	x := ogive.Must(ogive.FromSlice([]int32{1, 2, 3, 4, 50, 60, 70, 80}, 2, 4))
	// One leading dimension for the quantiles, then what is left of x.
	fmt.Println(ogive.Must(ogive.Quantiles(x, []float64{0.25, 0.75}, ogive.Axis(1))))
	// Output:
	// [[ 1.75 57.5 ]
	//  [ 3.25 72.5 ]]
}

func ExampleNaNQuantile() {
	x := ogive.Must(ogive.FromSlice([]float64{4, math.NaN(), 1, 3}))
	fmt.Println(ogive.Must(ogive.Quantile(x, 0.5)), ogive.Must(ogive.NaNQuantile(x, 0.5)))
	// Output: nan 3.0
}

func ExampleNaNQuantiles() {
	nan := math.NaN()
	x := ogive.Must(ogive.FromSlice([]float64{4, nan, 1, nan, nan, nan}, 2, 3))
	fmt.Println(ogive.Must(ogive.NaNQuantiles(x, []float64{0, 1}, ogive.Axis(1))))
	// Output:
	// [[ 1. nan]
	//  [ 4. nan]]
}

func ExamplePercentile() {
	x := ogive.Must(ogive.FromSlice([]float32{10, 20, 30, 40, 50}))
	fmt.Println(ogive.Must(ogive.Percentile(x, 90)))
	// Output: 46.0
}

func ExamplePercentiles() {
	x := ogive.Must(ogive.FromSlice([]float32{10, 20, 30, 40, 50}))
	fmt.Println(ogive.Must(ogive.Percentiles(x, []float64{0, 50, 100})))
	// Output: [10. 30. 50.]
}

func ExampleNaNPercentile() {
	x := ogive.Must(ogive.FromSlice([]float64{10, math.NaN(), 30}))
	fmt.Println(ogive.Must(ogive.NaNPercentile(x, 25)))
	// Output: 15.0
}

func ExampleNaNPercentiles() {
	x := ogive.Must(ogive.FromSlice([]float64{10, math.NaN(), 30}))
	fmt.Println(ogive.Must(ogive.NaNPercentiles(x, []float64{25, 75})))
	// Output: [15. 25.]
}

// Of 101 values the one with index 29 is the quantile 29/100, but the float64
// 0.29 is a little less than 29/100.
func ExampleQuantileRatio() {
	values := make([]int64, 101)
	for i := range values {
		values[i] = int64(i)
	}
	x := ogive.Must(ogive.FromSlice(values))
	lower := ogive.Method(rank.Lower)
	fmt.Println(ogive.Must(ogive.QuantileRatio(x, 29, 100, lower)), ogive.Must(ogive.Quantile(x, 0.29, lower)))
	// Output: 29 28
}

func ExampleQuantileRatios() {
	x := ogive.Must(ogive.FromSlice([]float64{0, 1, 2, 3}))
	fmt.Println(ogive.Must(ogive.QuantileRatios(x, []int64{1, 2}, 3)))
	// Output: [1. 2.]
}

func ExampleNaNQuantileRatio() {
	x := ogive.Must(ogive.FromSlice([]float64{0, math.NaN(), 1, 2, 3}))
	fmt.Println(ogive.Must(ogive.NaNQuantileRatio(x, 1, 3)))
	// Output: 1.0
}

func ExampleNaNQuantileRatios() {
	x := ogive.Must(ogive.FromSlice([]float64{0, math.NaN(), 1, 2, 3}))
	fmt.Println(ogive.Must(ogive.NaNQuantileRatios(x, []int64{0, 1, 3}, 3)))
	// Output: [0. 1. 3.]
}

func ExampleMedian() {
	x := ogive.Must(ogive.FromSlice([]int16{40, 10, 30, 20}))
	fmt.Println(ogive.Must(ogive.Median(x)))
	fmt.Println(ogive.Must(ogive.Median(x, ogive.Mode(ogive.ModeUpper))))
	// Output:
	// 25.0
	// 30
}

// The median of a stack of images, pixel by pixel, without the missing ones.
func ExampleNaNMedian() {
	nan := float32(math.NaN())
	stack := ogive.Must(ogive.FromSlice([]float32{
		1, 2, 3, 4,
		1, nan, 300, 5,
		2, 4, 3, nan,
	}, 3, 2, 2))
	fmt.Println(ogive.Must(ogive.NaNMedian(stack, ogive.Axis(0))))
	// Output:
	// [[1.  3. ]
	//  [3.  4.5]]
}

func ExampleMedianWithIndex() {
	x := ogive.Must(ogive.FromSlice([]float64{8, 3, 5, 1, 9, 2}, 2, 3))
	values, indices, err := ogive.MedianWithIndex(x, ogive.Axis(1))
	fmt.Println(values, indices, err)
	// Output: [5. 2.] [2 2] <nil>
}

func ExampleNaNMedianWithIndex() {
	nan := math.NaN()
	x := ogive.Must(ogive.FromSlice([]float64{8, nan, 5, nan, nan, nan}, 2, 3))
	values, indices, err := ogive.NaNMedianWithIndex(x, ogive.Axis(1))
	fmt.Println(values, indices, err)
	// Output: [ 5. nan] [ 2 -1] <nil>
}

func ExampleArgQuantile() {
	x := ogive.Must(ogive.FromSlice([]float64{40, 10, 30, 20}))
	fmt.Println(ogive.Must(ogive.ArgQuantile(x, 1, ogive.Method(rank.Lower))))
	fmt.Println(ogive.Must(x.ArgQuantile(0.5))) // rank.Lower unless another method is given
	_, err := x.ArgQuantile(0.5, ogive.Method(rank.Linear))
	fmt.Println(err)
	// Output:
	// 0
	// 3
	// argquantile: method linear does not choose an element; use one of lower, higher, nearest, nearest_down, inverted_cdf, closest_observation
}

func ExampleArgQuantiles() {
	x := ogive.Must(ogive.FromSlice([]float64{40, 10, 30, 20}))
	fmt.Println(ogive.Must(ogive.ArgQuantiles(x, []float64{0, 0.5, 1}, ogive.Method(rank.Higher))))
	// Output: [1 2 0]
}

func ExampleNaNArgQuantile() {
	x := ogive.Must(ogive.FromSlice([]float64{math.NaN(), 10, 30}))
	fmt.Println(ogive.Must(ogive.NaNArgQuantile(x, 0, ogive.Method(rank.Lower))))
	// Output: 1
}

func ExampleNaNArgQuantiles() {
	x := ogive.Must(ogive.FromSlice([]float64{math.NaN(), 10, 30}))
	fmt.Println(ogive.Must(ogive.NaNArgQuantiles(x, []float64{1, 0}, ogive.Method(rank.Lower))))
	// Output: [2 1]
}

// A plan is made once and run often; a run allocates nothing.
func ExamplePrepare() {
	plan, err := ogive.Prepare(ogive.OpNaNQuantile, dtype.Float64, []int{2, 3}, ogive.Q(0.25, 0.75), ogive.Axis(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(plan.Op(), plan.Shape(), plan.DType(), plan.Axes(), plan.KeepDims(), plan.Method(), plan.SkipNaN())
	out := ogive.Must(ogive.Zeros(plan.DType(), plan.Shape()...))
	for _, day := range [][]float64{{1, 2, 3, 4, math.NaN(), 6}, {6, 5, 4, 3, 2, 1}} {
		if err := plan.Run(ogive.Must(ogive.FromSlice(day, 2, 3)), out); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(out)
	}
	// Output:
	// nanquantile [2 2] float64 [1] false linear true
	// [[1.5 4.5]
	//  [2.5 5.5]]
	// [[4.5 1.5]
	//  [5.5 2.5]]
}

func ExamplePlan_RunIndex() {
	plan := ogive.Must(ogive.Prepare(ogive.OpMedian, dtype.Float64, []int{5}, ogive.Mode(ogive.ModeLower)))
	x := ogive.Must(ogive.FromSlice([]float64{8, 3, 5, 1, 9}))
	value, index := ogive.Must(ogive.Zeros(dtype.Float64)), ogive.Must(ogive.Zeros(dtype.Int64))
	fmt.Println(plan.RunIndex(x, value, index), value, index)
	// Output: <nil> 5.0 2
}

func ExampleParseOp() {
	op, err := ogive.ParseOp("nanmedian")
	fmt.Println(op, op == ogive.OpNaNMedian, err)
	// Output: nanmedian true <nil>
}

func ExampleOps() {
	for _, op := range ogive.Ops() {
		if f := op.Facts(); f.Windows && f.SkipNaN {
			fmt.Println(op, f.Param)
		}
	}
	// Output:
	// nanquantile q
	// nanmedian
}
