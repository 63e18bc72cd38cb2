package ogive_test

import (
	"fmt"

	"github.com/ogive-go/ogive"
)

var latencies = []float64{12, 15, 11, 300, 14, 13, 16}

func ExampleRollingQuantile() {
	x := ogive.Must(ogive.FromSlice(latencies))
	fmt.Println(ogive.Must(ogive.RollingQuantile(x, 0.75, 3)))
	// Output: [ 13.5 157.5 157.  157.   15. ]
}

// Each column of a table has windows of its own.
func ExampleRollingQuantiles() {
	x := ogive.Must(ogive.FromRows([][]int{{1, 40}, {2, 30}, {3, 20}, {4, 10}}))
	fmt.Println(ogive.Must(ogive.RollingQuantiles(x, []float64{0, 1}, 3, ogive.Axis(0))))
	// Output:
	// [[[ 1. 20.]
	//   [ 2. 10.]]
	//
	//  [[ 3. 40.]
	//   [ 4. 30.]]]
}

func ExampleNaNRollingQuantile() {
	x := ogive.Must(ogive.FromSlice([]float64{1, nan, 3, nan, nan, 6}))
	fmt.Println(ogive.Must(ogive.NaNRollingQuantile(x, 0.5, 2)))
	// Output: [ 1.  3.  3. nan  6.]
}

func ExampleNaNRollingQuantiles() {
	x := ogive.Must(ogive.FromSlice([]float64{1, nan, 3, 5}))
	fmt.Println(ogive.Must(ogive.NaNRollingQuantiles(x, []float64{0, 1}, 3)))
	// Output:
	// [[1. 3.]
	//  [3. 5.]]
}

func ExampleRollingMedian() {
	x := ogive.Must(ogive.FromSlice(latencies))
	fmt.Println(ogive.Must(ogive.RollingMedian(x, 3)))
	// Output: [12. 15. 14. 14. 14.]
}

func ExampleNaNRollingMedian() {
	x := ogive.Must(ogive.FromSlice([]float64{1, nan, 3, 5}))
	fmt.Println(ogive.Must(ogive.NaNRollingMedian(x, 3)))
	// Output: [2. 4.]
}

// An answer for each element: NaN until the window has seen two values.
func ExampleMinCount() {
	x := ogive.Must(ogive.FromSlice(latencies))
	fmt.Println(ogive.Must(x.RollingMedian(3, ogive.MinCount(2))))
	// Output: [ nan 13.5 12.  15.  14.  14.  14. ]
}
