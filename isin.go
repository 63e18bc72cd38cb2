package ogive

// IsIn tells for each of the elements whether its value is among those of
// test, which may have any shape and any dtype. The result is bool, of the
// shape of elements; either side may be a scalar.
//
// Values are compared exactly, never through a dtype that both convert to: the
// int64 2^53+1 is not in the float64 [2^53], the uint8 255 not in the int8
// [-1], and the float32 0.1 not in the float64 [0.1]. true is 1, and a real
// number v is the complex (v, 0).
//
// Special cases are:
//   - -0 equals +0, in each part of a complex number
//   - complex numbers are equal if both parts are, infinities included
//   - NaN, in either part, is in nothing; with [EqualNaN] all NaNs are equal,
//     real or complex, of either sign and any payload
//   - an empty test gives false everywhere
//
// [Invert] negates the answer. [AssumeUnique] is a hint and changes no answer.
// [Kind] says how values are looked up, with the same answer: KindSort takes
// time O((n + m) log m) for n elements and m test values, KindHash O(n + m)
// whatever the data, KindTable O(n + m + range) for integers and bool on both
// sides (else ErrDType) and a byte for each value from the smallest to the
// largest of test (over 1 GiB is ErrOption); KindAuto chooses, and takes
// O(n + m). Beside the result a hash table takes at most seven times the size of test,
// sorting twice; 24 and 10 times where test is complex128.
//
// [Out] takes a bool tensor, which may overlap both inputs. Errors are ErrShape
// (nil elements or test), ErrDType, ErrOption, ErrOut and ErrDevice. NumPy,
// torch: isin.
func IsIn(elements, test *Tensor, opts ...Option) (*Tensor, error) {
	is, _, err := run(OpIsIn, elements, test, nil, opts, false)
	return is, err
}

// IsIn is the function [IsIn] of t as the elements.
func (t *Tensor) IsIn(test *Tensor, opts ...Option) (*Tensor, error) {
	return IsIn(t, test, opts...)
}
