package dtype

import "reflect"

// Element is the set of Go types that a tensor's elements can have. int and
// uint are the 64-bit dtypes, the 32-bit ones on 32-bit platforms.
type Element interface {
	~bool | ~int | ~int8 | ~int16 | ~int32 | ~int64 |
		~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 |
		F16 | BF16 | ~float32 | ~float64 | ~complex64 | ~complex128
}

// Of returns the dtype of the Go type T.
func Of[T Element]() DType {
	var zero T
	switch any(zero).(type) {
	case F16:
		return Float16
	case BF16:
		return BFloat16
	}
	t := reflect.TypeFor[T]()
	switch t.Kind() {
	case reflect.Bool:
		return Bool
	case reflect.Float32:
		return Float32
	case reflect.Float64:
		return Float64
	case reflect.Complex64:
		return Complex64
	case reflect.Complex128:
		return Complex128
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return bySize(int(t.Size()), Int8, Int16, Int32, Int64)
	default:
		return bySize(int(t.Size()), Uint8, Uint16, Uint32, Uint64)
	}
}

// bySize picks the dtype of an integer of the given number of bytes.
func bySize(size int, d1, d2, d4, d8 DType) DType {
	switch size {
	case 1:
		return d1
	case 2:
		return d2
	case 4:
		return d4
	default:
		return d8
	}
}
