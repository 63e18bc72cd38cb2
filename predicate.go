package ogive

// IsPosInf tells for each element of x whether it is +Inf. The result is bool,
// of x's shape; integers and bool give false everywhere. Complex numbers are
// ErrDType: which part is meant is ambiguous.
//
// [Out] takes a bool tensor, which may overlap x; other errors are ErrShape
// (nil x), ErrOption, ErrOut and ErrDevice. It takes one pass over x, and at most 16 kB
// of scratch memory for each worker. NumPy, torch: isposinf.
func IsPosInf(x *Tensor, opts ...Option) (*Tensor, error) {
	return eager(OpIsPosInf, x, nil, opts)
}

// IsNegInf tells for each element of x whether it is -Inf. In everything else
// it is as [IsPosInf]. NumPy, torch: isneginf.
func IsNegInf(x *Tensor, opts ...Option) (*Tensor, error) {
	return eager(OpIsNegInf, x, nil, opts)
}

// IsInf tells for each element of x whether it is infinite. The result is
// bool, of x's shape. A complex number is infinite if either part is, also
// beside a NaN; integers and bool never are. Options, errors and cost are those
// of [IsPosInf], but that it takes complex numbers. NumPy, torch: isinf.
func IsInf(x *Tensor, opts ...Option) (*Tensor, error) {
	return eager(OpIsInf, x, nil, opts)
}

// IsNaN tells for each element of x whether it is NaN, of either sign and any
// payload. The result is bool, of x's shape. A complex number is NaN if either
// part is; integers and bool never are. Options, errors and cost are those of
// [IsInf]. NumPy, torch: isnan.
func IsNaN(x *Tensor, opts ...Option) (*Tensor, error) {
	return eager(OpIsNaN, x, nil, opts)
}

// IsFinite tells for each element of x whether it is neither infinite nor NaN.
// The result is bool, of x's shape. A complex number is finite if both parts
// are; integers and bool always are. Options, errors and cost are those of
// [IsInf]. NumPy, torch: isfinite.
func IsFinite(x *Tensor, opts ...Option) (*Tensor, error) {
	return eager(OpIsFinite, x, nil, opts)
}

// SignBit tells for each element of x whether its sign bit is set: that of -0
// and of NaNs as it is stored, for integers whether they are negative. Bool
// and unsigned integers give false everywhere, complex numbers are ErrDType.
// The result is bool, of x's shape. Options, errors and cost are those of
// [IsPosInf]. NumPy, torch: signbit.
func SignBit(x *Tensor, opts ...Option) (*Tensor, error) {
	return eager(OpSignBit, x, nil, opts)
}

// IsReal tells for each element of x whether its imaginary part is ±0. The
// result is bool, of x's shape. Real dtypes give true everywhere, NaN included;
// a complex number with the real part NaN may be real, one with the imaginary
// part NaN is not. Options, errors and cost are those of [IsInf]. NumPy, torch:
// isreal.
func IsReal(x *Tensor, opts ...Option) (*Tensor, error) {
	return eager(OpIsReal, x, nil, opts)
}

// IsPosInf is the function [IsPosInf] of t.
func (t *Tensor) IsPosInf(opts ...Option) (*Tensor, error) { return IsPosInf(t, opts...) }

// IsNegInf is the function [IsNegInf] of t.
func (t *Tensor) IsNegInf(opts ...Option) (*Tensor, error) { return IsNegInf(t, opts...) }

// IsInf is the function [IsInf] of t.
func (t *Tensor) IsInf(opts ...Option) (*Tensor, error) { return IsInf(t, opts...) }

// IsNaN is the function [IsNaN] of t.
func (t *Tensor) IsNaN(opts ...Option) (*Tensor, error) { return IsNaN(t, opts...) }

// IsFinite is the function [IsFinite] of t.
func (t *Tensor) IsFinite(opts ...Option) (*Tensor, error) { return IsFinite(t, opts...) }

// SignBit is the function [SignBit] of t.
func (t *Tensor) SignBit(opts ...Option) (*Tensor, error) { return SignBit(t, opts...) }

// IsReal is the function [IsReal] of t.
func (t *Tensor) IsReal(opts ...Option) (*Tensor, error) { return IsReal(t, opts...) }
