package ogive_test

import (
	"fmt"
	"math"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/rank"
)

// trips are minutes of trips, and the lines they were made on.
func trips() (minutes, lines *ogive.Tensor) {
	minutes = ogive.Must(ogive.FromSlice([]float64{31, 12, 18, 30, 45, 14}))
	lines = ogive.Must(ogive.FromSlice([]int{7, 2, 2, 7, 7, 2}))
	return minutes, lines
}

func ExampleQuantilesBy() {
	minutes, lines := trips()
	groups, values, err := ogive.QuantilesBy(minutes, lines, []float64{0.5, 1})
	fmt.Println(groups, err)
	fmt.Println(values)
	// Output:
	// [2 7] <nil>
	// [[14. 31.]
	//  [18. 45.]]
}

func ExampleQuantileBy() {
	minutes, lines := trips()
	groups, values, err := ogive.QuantileBy(minutes, lines, 1)
	fmt.Println(groups, values, err)
	// Output: [2 7] [18. 45.] <nil>
}

// Exact fractions are an option in place of the list.
func ExampleQuantilesBy_fractions() {
	minutes, lines := trips()
	_, values, err := ogive.QuantilesBy(minutes, lines, nil, ogive.Fractions(rank.Ratio(1, 3), rank.Ratio(9, 10)))
	fmt.Println(values, err)
	_, _, err = ogive.QuantilesBy(minutes, lines, nil)
	fmt.Println(err)
	// Output:
	// [[13.33333333 30.66666667]
	//  [17.2        42.2       ]] <nil>
	// quantilesby: q is empty
}

func ExampleNaNQuantilesBy() {
	x := ogive.Must(ogive.FromSlice([]float64{1, math.NaN(), 3, math.NaN()}))
	even := ogive.Must(ogive.FromSlice([]bool{false, true, false, false}))
	groups, values, err := ogive.NaNQuantilesBy(x, even, []float64{0.25})
	fmt.Println(groups, values, err)
	// Output: [False  True] [[1.5 nan]] <nil>
}

func ExampleNaNQuantileBy() {
	x := ogive.Must(ogive.FromSlice([]float64{5, math.NaN(), 7}))
	_, values, err := x.NaNQuantileBy(ogive.Must(ogive.FromSlice([]bool{true, true, true})), 0)
	fmt.Println(values, err) // QuantileBy gives NaN
	// Output: [5.] <nil>
}

func ExampleMedianBy() {
	minutes, lines := trips()
	groups, values, err := minutes.MedianBy(lines)
	fmt.Println(groups, values, err)

	// Columns 0 and 2 of a table make one group, column 1 another.
	groups, values, err = ogive.MedianBy(table(), ogive.Must(ogive.FromSlice([]int8{-1, 4, -1})), ogive.Axis(1))
	fmt.Println(groups, err)
	fmt.Println(values)
	// Output:
	// [2 7] [14. 31.] <nil>
	// [-1  4] <nil>
	// [[2. 5.]
	//  [2. 5.]]
}

func ExampleNaNMedianBy() {
	x := ogive.Must(ogive.FromSlice([]float64{1, math.NaN(), 3, 8}))
	keys := ogive.Must(ogive.FromSlice([]uint8{0, 0, 0, 9}))
	groups, values, err := ogive.NaNMedianBy(x, keys)
	fmt.Println(groups, values, err)
	// Output: [0 9] [2. 8.] <nil>
}
