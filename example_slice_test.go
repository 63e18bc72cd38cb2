package ogive_test

import (
	"fmt"
	"math"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/rank"
)

func ExampleMedianOf() {
	type Celsius float32
	fmt.Println(ogive.MedianOf([]Celsius{21.5, 19, 24}))
	fmt.Println(ogive.MedianOf([]int{4, 1, 3, 2}))
	fmt.Println(ogive.MedianOf([]int{4, 1, 3, 2}, ogive.Mode(ogive.ModeLower)))
	fmt.Println(ogive.MedianOf([]float64{1, math.NaN(), 3}))
	// Output:
	// 21.5 <nil>
	// 2.5 <nil>
	// 2 <nil>
	// NaN <nil>
}

func ExampleNaNMedianOf() {
	fmt.Println(ogive.NaNMedianOf([]float64{1, math.NaN(), 3}))
	// Output: 2 <nil>
}

func ExampleQuantileOf() {
	latencies := []int64{12, 15, 11, 300, 14} // in ms, in any order
	fmt.Println(ogive.QuantileOf(latencies, 0.875))
	fmt.Println(ogive.QuantileOf(latencies, 0.875, ogive.Method(rank.InvertedCDF)))
	fmt.Println(ogive.QuantileOf(latencies, 95))
	// Output:
	// 157.5 <nil>
	// 300 <nil>
	// 0 quantile: q[0] = 95 is outside [0, 1]
}

func ExampleNaNQuantileOf() {
	fmt.Println(ogive.NaNQuantileOf([]float64{4, math.NaN(), 1, 3}, 0.25))
	// Output: 2 <nil>
}

func ExampleQuantilesOf() {
	fmt.Println(ogive.QuantilesOf([]float32{1, 2, 3, 4, 5}, []float64{0.25, 0.5, 0.75}))
	// Output: [2 3 4] <nil>
}

func ExampleNaNQuantilesOf() {
	fmt.Println(ogive.NaNQuantilesOf([]float64{5, 1, math.NaN(), 3}, []float64{0, 1}))
	// Output: [1 5] <nil>
}
