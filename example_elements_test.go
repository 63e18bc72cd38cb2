package ogive_test

import (
	"fmt"

	"github.com/ogive-go/ogive"
)

func ExampleFromRows() {
	x := ogive.Must(ogive.FromRows([][]float64{
		{3, 1, 2},
		{9, 7, 8},
	}))
	fmt.Println(x.Shape(), ogive.Must(x.Median(ogive.Axis(1))))
	_, err := ogive.FromRows([][]int{{1, 2}, {3}})
	fmt.Println(err)
	// Output:
	// [2 3] [2. 8.]
	// FromRows: row 1 has 1 elements, row 0 has 2
}

// The memory of a gonum matrix is rows that lie Stride elements apart: this is what
// RawMatrix returns of a slice of columns 1 to 2 of a matrix with four columns.
func ExampleFromStrided() {
	raw := struct { // as blas64.General
		Rows, Cols int
		Data       []float64
		Stride     int
	}{3, 2, []float64{
		11, 12, 13, 20,
		21, 22, 23, 30,
		31, 32,
	}, 4}
	x := ogive.Must(ogive.FromStrided(raw.Data, []int{raw.Rows, raw.Cols}, []int{raw.Stride, 1}))
	fmt.Println(x)
	fmt.Println(ogive.Must(x.Median(ogive.Axis(0))))

	byColumns := []float64{1, 2, 3, 4, 5, 6} // as LAPACK and R keep a matrix of two rows
	fmt.Println(ogive.Must(ogive.FromStrided(byColumns, []int{2, 3}, []int{1, 2})))
	// Output:
	// [[11. 12.]
	//  [21. 22.]
	//  [31. 32.]]
	// [21. 22.]
	// [[1. 3. 5.]
	//  [2. 4. 6.]]
}

func ExampleTensor_At() {
	x := ogive.Must(ogive.FromRows([][]float64{{3, 1, 2}, {9, 7, 8}}))
	fmt.Println(ogive.Must(x.At(1, 2)), ogive.Must(ogive.Item[float64](ogive.Must(x.At(0, 1)))))
	fmt.Println(ogive.Must(x.At(1)))
	// Output:
	// 8.0 1
	// [9. 7. 8.]
}

func ExampleAll() {
	x := ogive.Must(ogive.FromRows([][]int32{{3, 1}, {9, 7}}))
	for i, v := range ogive.All[int32](ogive.Must(x.Transpose())) {
		fmt.Print(i, ":", v, " ")
	}
	// Output: 0:3 1:9 2:1 3:7
}

func ExampleTensor_Float64s() {
	counts := ogive.Must(ogive.FromSlice([]uint8{7, 200, 13}))
	fmt.Println(counts.Float64s())
	// Output: [7 200 13] <nil>
}

func ExampleCountTrue() {
	x := ogive.Must(ogive.FromRows([][]int{{1, 2}, {3, 2}}))
	fmt.Println(ogive.CountTrue(ogive.Must(x.IsIn(ogive.Scalar(2)))))
	// Output: 2 <nil>
}

func ExampleSelect() {
	x := ogive.Must(ogive.FromRows([][]float64{{1, inf}, {nan, 2}}))
	fmt.Println(ogive.Must(ogive.Select(x, ogive.Must(x.IsFinite()))))
	// Output: [1. 2.]
}
