package ogive_test

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/rank"
)

// table is 1 … 6 in two rows.
func table() *ogive.Tensor {
	return ogive.Must(ogive.FromSlice([]float64{1, 2, 3, 4, 5, 6}, 2, 3))
}

func ExampleAxis() {
	x := table()
	fmt.Println(ogive.Must(x.Median(ogive.Axis(0))), ogive.Must(x.Median(ogive.Axis(-1))), ogive.Must(x.Median(ogive.Axis(1, 0))))
	// Output: [2.5 3.5 4.5] [2. 5.] 3.5
}

func ExampleKeepDims() {
	fmt.Println(ogive.Must(table().Median(ogive.Axis(1), ogive.KeepDims())))
	// Output:
	// [[2.]
	//  [5.]]
}

func ExampleMethod() {
	x := ogive.Must(ogive.FromSlice([]int{1, 2, 3, 4}))
	for _, m := range []rank.Method{rank.Linear, rank.Lower, rank.Nearest, rank.Hazen, ogive.Must(rank.Parse("type6"))} {
		fmt.Println(m, ogive.Must(x.Quantile(0.4, ogive.Method(m))))
	}
	// Output:
	// linear 2.2
	// lower 2
	// nearest 2
	// hazen 2.1
	// weibull 2.0
}

func ExampleMode() {
	x := ogive.Must(ogive.FromSlice([]int{10, 20}))
	for _, m := range []ogive.MedianMode{ogive.ModeAvg, ogive.ModeLower, ogive.ModeUpper} {
		fmt.Println(ogive.Must(x.Median(ogive.Mode(m))))
	}
	// Output:
	// 15.0
	// 10
	// 20
}

func ExampleParseMode() {
	mode, err := ogive.ParseMode("min")
	fmt.Println(mode == ogive.ModeLower, err)
	_, err = ogive.ParseMode("max")
	fmt.Println(err)
	// Output:
	// true <nil>
	// unknown mode "max"; known: avg, lower (min), upper
}

// Integer weights repeat values; float weights are for inverted_cdf.
func ExampleWeights() {
	x := ogive.Must(ogive.FromSlice([]float64{10, 20, 30}))
	repeats := ogive.Must(ogive.FromSlice([]int{1, 1, 4}))
	fmt.Println(ogive.Must(x.Median(ogive.Weights(repeats))))
	shares := ogive.Must(ogive.FromSlice([]float64{0.5, 0.2, 0.3}))
	fmt.Println(ogive.Must(x.Quantile(0.6, ogive.Weights(shares), ogive.Method(rank.InvertedCDF))))
	// Output:
	// 30.0
	// 20.0
}

func ExampleOut() {
	out := ogive.Must(ogive.Zeros(dtype.Float32, 3))
	_, err := table().Median(ogive.Axis(0), ogive.Out(out))
	fmt.Println(out, err)
	_, err = table().Median(ogive.Axis(1), ogive.Out(out))
	fmt.Println(err)
	// Output:
	// [2.5 3.5 4.5] <nil>
	// median: out has shape [3], want [2]
}

func ExampleOutIndices() {
	indices := ogive.Must(ogive.Zeros(dtype.Int64, 2))
	_, _, err := table().MedianWithIndex(ogive.Axis(1), ogive.OutIndices(indices))
	fmt.Println(indices, err)
	// Output: [1 1] <nil>
}

// The result is the same; the order of x's elements is lost.
func ExampleOverwrite() {
	fmt.Println(ogive.Must(table().Median(ogive.Overwrite())))
	// Output: 3.5
}

func ExampleInvert() {
	test := ogive.Must(ogive.FromSlice([]float64{2, 3, 5}))
	fmt.Println(ogive.Must(table().IsIn(test, ogive.Invert())))
	// Output:
	// [[ True False False]
	//  [ True False  True]]
}

func ExampleAssumeUnique() {
	ids := ogive.Must(ogive.FromSlice([]int64{7, 8, 9}))
	known := ogive.Must(ogive.FromSlice([]int64{9, 1, 7}))
	fmt.Println(ogive.Must(ids.IsIn(known, ogive.AssumeUnique())))
	// Output: [ True False  True]
}

func ExampleKind() {
	x := ogive.Must(ogive.FromSlice([]uint16{1, 500, 65535}))
	test := ogive.Must(ogive.FromSlice([]int8{1, -1}))
	fmt.Println(ogive.Must(x.IsIn(test, ogive.Kind(ogive.KindTable))))
	// Output: [ True False False]
}

func ExampleParseKind() {
	kind, err := ogive.ParseKind("hash")
	fmt.Println(kind == ogive.KindHash, err)
	// Output: true <nil>
}

func ExampleEqualNaN() {
	x := ogive.Must(ogive.FromSlice([]float64{1, math.NaN()}))
	test := ogive.Must(ogive.FromSlice([]float32{float32(math.NaN())}))
	fmt.Println(ogive.Must(x.IsIn(test)), ogive.Must(x.IsIn(test, ogive.EqualNaN())))
	// Output: [False False] [False  True]
}

func ExampleWorkers() {
	fmt.Println(ogive.Must(table().Median(ogive.Workers(1))))
	// Output: 3.5
}

func ExampleContext() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := table().Median(ogive.Context(ctx))
	fmt.Println(errors.Is(err, context.Canceled))
	// Output: true
}

func ExampleProgress() {
	var meter ogive.Meter
	_, err := table().Median(ogive.Progress(&meter))
	fmt.Println(meter.Done.Load() == meter.Total.Load(), err)
	// Output: true <nil>
}

func ExampleQ() {
	one := ogive.Must(ogive.Prepare(ogive.OpQuantile, dtype.Float64, []int{9}, ogive.Q(0.5)))
	three := ogive.Must(ogive.Prepare(ogive.OpQuantile, dtype.Float64, []int{9}, ogive.Q(0.25, 0.5, 0.75)))
	fmt.Println(one.Shape(), three.Shape())
	// Output: [] [3]
}

func ExampleQs() {
	plan := ogive.Must(ogive.Prepare(ogive.OpQuantile, dtype.Float64, []int{9}, ogive.Qs([]float64{0.5})))
	fmt.Println(plan.Shape())
	// Output: [1]
}

func ExampleP() {
	plan := ogive.Must(ogive.Prepare(ogive.OpPercentile, dtype.Float64, []int{2, 3}, ogive.P(99), ogive.Axis(1)))
	fmt.Println(plan.Shape())
	// Output: [2]
}

func ExamplePs() {
	plan := ogive.Must(ogive.Prepare(ogive.OpPercentile, dtype.Float64, []int{2, 3}, ogive.Ps([]float64{99}), ogive.Axis(1)))
	fmt.Println(plan.Shape())
	// Output: [1 2]
}

func ExampleRatio() {
	plan := ogive.Must(ogive.Prepare(ogive.OpQuantile, dtype.Float64, []int{2, 3}, ogive.Ratio(1, 3)))
	out := ogive.Scalar(0.0)
	fmt.Println(plan.Run(table(), out), out)
	_, err := ogive.Prepare(ogive.OpQuantile, dtype.Float64, []int{2, 3}, ogive.Ratio(4, 3))
	fmt.Println(err)
	// Output:
	// <nil> 2.6666666666666665
	// quantile: q[0] = 4/3 is outside [0, 1]
}

func ExampleRatios() {
	plan := ogive.Must(ogive.Prepare(ogive.OpQuantile, dtype.Float64, []int{2, 3}, ogive.Ratios([]int64{1, 4}, 5)))
	out := ogive.Must(ogive.Zeros(plan.DType(), plan.Shape()...))
	fmt.Println(plan.Run(table(), out), out)
	// Output: <nil> [2. 5.]
}

func ExampleFractions() {
	plan := ogive.Must(ogive.Prepare(ogive.OpQuantile, dtype.Float64, []int{2, 3}, ogive.Fractions(rank.Ratio(1, 5), rank.Ratio(2, 3))))
	out := ogive.Must(ogive.Zeros(plan.DType(), plan.Shape()...))
	fmt.Println(plan.Run(table(), out), out)
	_, err := ogive.Prepare(ogive.OpQuantile, dtype.Float64, []int{2, 3}, ogive.Fractions(rank.Ratio(1, 5), rank.Ratio(4, 3)))
	fmt.Println(err)
	// Output:
	// <nil> [2.         4.33333333]
	// quantile: q[1] = 4/3 is outside [0, 1]
}

func ExampleTest() {
	plan := ogive.Must(ogive.Prepare(ogive.OpIsIn, dtype.Float64, []int{2, 3}, ogive.Test(ogive.Scalar(4))))
	out := ogive.Must(ogive.Zeros(plan.DType(), plan.Shape()...))
	fmt.Println(plan.Run(table(), out))
	fmt.Println(out)
	// Output:
	// <nil>
	// [[False False False]
	//  [ True False False]]
}

func ExampleOption_Is() {
	for _, o := range []ogive.Option{ogive.KeepDims(), ogive.Axis(0, -1)} {
		fmt.Println(o, o.Is(ogive.Axis()))
	}
	// Output:
	// KeepDims false
	// Axis true
}
