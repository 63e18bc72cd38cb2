package ogive

// Median returns the middle value of the slices of x along the reduced axes
// ([Axis]; all of them by default). Of an even number of values [Mode] says
// which is meant: by default the mean of the two middle ones, exact and rounded
// once, which keeps float dtypes and gives float64 for integers and bool;
// ModeLower and ModeUpper give one of the two and keep the dtype. It equals
// Quantile(x, 0.5) bit for bit.
//
// Special cases are:
//   - a slice that holds a NaN gives the canonical NaN (see [NaNMedian])
//   - the mean of -Inf and +Inf is NaN
//   - a slice without elements gives NaN where the result is floating, and is
//     ErrEmpty otherwise
//
// Shapes, errors and cost are those of [Quantile]. NumPy: median; torch.median
// is ModeLower, Paddle's "min" too.
func Median(x *Tensor, opts ...Option) (*Tensor, error) {
	return eager(OpMedian, x, nil, opts)
}

// Median is the function [Median] of t.
func (t *Tensor) Median(opts ...Option) (*Tensor, error) {
	return Median(t, opts...)
}

// NaNMedian is [Median] with NaNs dropped. A slice of nothing but NaN gives the
// canonical NaN. NumPy: nanmedian.
func NaNMedian(x *Tensor, opts ...Option) (*Tensor, error) {
	return eager(OpNaNMedian, x, nil, opts)
}

// NaNMedian is the function [NaNMedian] of t.
func (t *Tensor) NaNMedian(opts ...Option) (*Tensor, error) {
	return NaNMedian(t, opts...)
}

// MedianWithIndex is [Median] with the position of each median: int64, of the
// result's shape. Over one axis it is the index along that axis, over several
// the flat index within the reduced axes, taken in increasing order whatever
// the order given. Among equal values (-0 and +0 are not equal here) the order
// of position decides, so the index is the same on every path. The element at
// the index has the value's bits, unless that is NaN: then it is the index of
// the first NaN of the slice, and -1 for a slice without elements.
//
// The mode is ModeLower unless ModeUpper is asked for; ModeAvg is ErrOption.
// It looks at the data twice more than Median. torch: median(dim).
func MedianWithIndex(x *Tensor, opts ...Option) (values, indices *Tensor, err error) {
	return run(OpMedian, x, nil, nil, opts, true)
}

// MedianWithIndex is the function [MedianWithIndex] of t.
func (t *Tensor) MedianWithIndex(opts ...Option) (values, indices *Tensor, err error) {
	return MedianWithIndex(t, opts...)
}

// NaNMedianWithIndex is [MedianWithIndex] with NaNs dropped; the index of a
// slice of nothing but NaN is -1.
func NaNMedianWithIndex(x *Tensor, opts ...Option) (values, indices *Tensor, err error) {
	return run(OpNaNMedian, x, nil, nil, opts, true)
}

// NaNMedianWithIndex is the function [NaNMedianWithIndex] of t.
func (t *Tensor) NaNMedianWithIndex(opts ...Option) (values, indices *Tensor, err error) {
	return NaNMedianWithIndex(t, opts...)
}
