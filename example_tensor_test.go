package ogive_test

import (
	"errors"
	"fmt"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
)

func ExampleFromSlice() {
	data := []float32{1, 2, 3, 4, 5, 6}
	x := ogive.Must(ogive.FromSlice(data, 2, 3))
	data[0] = 10 // the tensor shares the slice
	fmt.Println(x)
	_, err := ogive.FromSlice(data, 4)
	fmt.Println(err, errors.Is(err, ogive.ErrShape))
	// Output:
	// [[10.  2.  3.]
	//  [ 4.  5.  6.]]
	// FromSlice: shape [4] holds 4 elements, data has 6 true
}

func ExampleFromBytes() {
	x := ogive.Must(ogive.FromBytes(dtype.Uint8, []byte{1, 2, 3, 4}, 2, 2))
	fmt.Println(x)
	// Output:
	// [[1 2]
	//  [3 4]]
}

func ExampleScalar() {
	x := ogive.Scalar(2.5)
	fmt.Println(x, x.NDim(), x.Len())
	// Output: 2.5 0 1
}

func ExampleZeros() {
	fmt.Println(ogive.Must(ogive.Zeros(dtype.Int16, 2, 3)))
	// Output:
	// [[0 0 0]
	//  [0 0 0]]
}

func ExampleValues() {
	x := ogive.Must(ogive.FromSlice([]int{1, 2, 3, 4}, 2, 2))
	turned := ogive.Must(x.Transpose())
	values, err := ogive.Values[int](turned)
	fmt.Println(values, err)
	_, err = ogive.Values[float64](x)
	fmt.Println(errors.Is(err, ogive.ErrDType))
	// Output:
	// [1 3 2 4] <nil>
	// true
}

func ExampleItem() {
	x := ogive.Must(ogive.FromSlice([]float64{3, 1, 2}))
	v, err := ogive.Item[float64](ogive.Must(x.Median()))
	fmt.Println(v, err)
	// Output: 2 <nil>
}

// Must is for examples and tests, where an error is a mistake of their own.
func ExampleMust() {
	fmt.Println(ogive.Must(ogive.Must(ogive.FromSlice([]float64{3, 1, 2})).Median()))
	// Output: 2.0
}

func ExampleTensor() {
	x := ogive.Must(ogive.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3))
	fmt.Println(x.DType(), x.Shape(), x.Strides(), x.NDim(), x.Len())
	// Output: float32 [2 3] [3 1] 2 6
}

func ExampleTensor_Bytes() {
	x := ogive.Must(ogive.FromSlice([]int8{1, -1, 3}))
	fmt.Println(x.Bytes())
	// Output: [1 255 3] <nil>
}

func ExampleTensor_Reshape() {
	x := ogive.Must(ogive.FromSlice([]int{1, 2, 3, 4, 5, 6}))
	fmt.Println(ogive.Must(x.Reshape(2, -1)))
	// Output:
	// [[1 2 3]
	//  [4 5 6]]
}

func ExampleTensor_Transpose() {
	x := ogive.Must(ogive.FromSlice([]int{1, 2, 3, 4, 5, 6}, 2, 3))
	fmt.Println(ogive.Must(x.Transpose()))
	// Output:
	// [[1 4]
	//  [2 5]
	//  [3 6]]
}

// Positions do not wrap around: going down, -1 is the position before 0.
func ExampleTensor_Slice() {
	x := ogive.Must(ogive.FromSlice([]int{0, 1, 2, 3, 4, 5}))
	fmt.Println(ogive.Must(x.Slice(0, 1, 5, 2)), ogive.Must(x.Slice(0, 5, -1, -1)))
	// Output: [1 3] [5 4 3 2 1 0]
}

func ExampleTensor_BroadcastTo() {
	row := ogive.Must(ogive.FromSlice([]int{1, 2, 3}))
	x := ogive.Must(row.BroadcastTo(2, 3))
	fmt.Println(x)
	fmt.Println(x.Strides())
	// Output:
	// [[1 2 3]
	//  [1 2 3]]
	// [0 1]
}

func ExampleTensor_Contiguous() {
	x := ogive.Must(ogive.FromSlice([]int{0, 1, 2, 3}))
	back := ogive.Must(x.Slice(0, 3, -1, -1))
	_, err := back.Bytes()
	fmt.Println(errors.Is(err, ogive.ErrShape))
	b, err := ogive.Must(back.Contiguous()).Bytes()
	fmt.Println(len(b)/x.DType().Size(), err)
	// Output:
	// true
	// 4 <nil>
}

func ExampleTensor_Cast() {
	x := ogive.Must(ogive.FromSlice([]float64{1.25, -2, 1e9}))
	fmt.Println(ogive.Must(x.Cast(dtype.Float16)))
	// Output: [ 1.25 -2.     inf]
}

func ExampleTensor_String() {
	x := ogive.Must(ogive.FromSlice([]float64{1, 0.5, -3}))
	fmt.Println(x.String())
	// Output: [ 1.   0.5 -3. ]
}

// A nil device is the host, where tensors are made.
func ExampleTensor_To() {
	x := ogive.Scalar(1.5)
	here := ogive.Must(x.To(nil))
	fmt.Println(here == x, here.Device() == nil, ogive.Must(x.ToHost()) == x)
	// Output: true true true
}
