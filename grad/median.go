package grad

import "github.com/ogive-go/ogive"

// Median is [ogive.Median] with its pullback, by the even rule. Let a and b be
// the two middle values. Where they are equal, the gradient is shared evenly by
// all elements equal to them; where they differ, half of it by those equal to a
// and half by those equal to b, so [1,1,2,2] gives 1/4 each. Modes lower and
// upper, where one element decides, share it among those equal to that.
//
// Special cases are:
//   - -0 equals +0
//   - a slice that holds a NaN: evenly over its NaNs
//   - integer weights: an element has as many shares as its weight
//
// The share 1/k (or 1/2k) of one of k is rounded to float64 before it is
// multiplied; with weights w/k is. Errors are those of [Quantile]. The forward
// pass costs no more than ogive.Median; every pullback looks at the input.
func Median(x *ogive.Tensor, opts ...ogive.Option) (y *ogive.Tensor, pull Pullback, err error) {
	return forwardEven(ogive.OpMedian, x, opts)
}

// NaNMedian is [Median] with NaNs dropped. A slice of nothing but NaN gives
// 1/n to each element.
func NaNMedian(x *ogive.Tensor, opts ...ogive.Option) (y *ogive.Tensor, pull Pullback, err error) {
	return forwardEven(ogive.OpNaNMedian, x, opts)
}

// MedianWithIndex is [ogive.MedianWithIndex] with the pullback of its values, by
// the index rule: 1 to the element at the index, which is that of the first NaN
// where there is one. The mode is ModeLower unless ModeUpper is asked for;
// ModeAvg is ErrOption.
//
// The pullback does not look at the input. Otherwise it is as [Median].
func MedianWithIndex(x *ogive.Tensor, opts ...ogive.Option) (y, index *ogive.Tensor, pull Pullback, err error) {
	return forwardIndex(ogive.OpMedian, x, opts)
}

// NaNMedianWithIndex is [MedianWithIndex] with NaNs dropped. A slice of nothing
// but NaN, whose index is -1, gives zeros.
func NaNMedianWithIndex(x *ogive.Tensor, opts ...ogive.Option) (y, index *ogive.Tensor, pull Pullback, err error) {
	return forwardIndex(ogive.OpNaNMedian, x, opts)
}
