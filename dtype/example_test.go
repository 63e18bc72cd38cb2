package dtype_test

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
)

func ExampleOf() {
	type celsius float32
	fmt.Println(dtype.Of[celsius](), dtype.Of[dtype.BF16](), dtype.Of[complex128]())
	// Output: float32 bfloat16 complex128
}

func ExampleParse() {
	d, err := dtype.Parse("uint16")
	fmt.Println(d, d.Size(), err)
	// Output: uint16 2 <nil>
}

func ExampleToF16() {
	h := dtype.ToF16(0.1)
	fmt.Printf("%v %#04x %v\n", h, h.Bits(), h.Float64())
	fmt.Println(dtype.ToF16(65519).Float64(), dtype.ToF16(65520).Float64())
	// Output:
	// 0.1 0x2e66 0.0999755859375
	// 65504 +Inf
}

func ExampleToBF16() {
	h := dtype.ToBF16(math.Pi)
	fmt.Printf("%v %#04x %v\n", h, h.Bits(), h.Float64())
	// Output: 3.14 0x4049 3.140625
}

func ExampleDType_Quantile() {
	for _, d := range []dtype.DType{dtype.Int16, dtype.Float16, dtype.Complex64} {
		fmt.Println(d, "discrete:", d.Quantile(true), "interpolating:", d.Quantile(false))
	}
	// Output:
	// int16 discrete: int16 interpolating: float64
	// float16 discrete: float16 interpolating: float16
	// complex64 discrete: invalid interpolating: invalid
}

func ExampleCanonicalNaN() {
	fmt.Printf("%#x\n", dtype.CanonicalNaN(dtype.Float32))
	// Output: 0x7fc00000
}

func ExampleConvert() {
	x := []float64{-1.5, 2.9, 300, math.Inf(1), math.NaN()}
	y := make([]int8, len(x))
	Convert(y, x)
	fmt.Println(y)
	// Output: [-1 2 127 127 0]
}

// Convert is dtype.Convert for slices.
func Convert[D, S dtype.Element](d []D, s []S) {
	dtype.Convert(dtype.Of[D](), memory(d), dtype.Of[S](), memory(s))
}

func memory[T any](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(*new(T))))
}
