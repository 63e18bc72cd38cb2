package grad

import "github.com/ogive-go/ogive"

// Pullback returns the gradient by the input of the call that made it, dx, for
// the gradient by its value, dy: a tensor of the value's shape and dtype, else
// ErrShape or ErrDType. dx is a new tensor of the input's shape and dtype in C
// order, on the input's device.
//
// It may be called more than once and by several goroutines at a time. It
// reads the input (and integer weights) again, which must not have changed
// since the call; where it notices that they have, it returns [ErrChanged].
// The call's options Workers, Context and Progress hold for it too.
//
// The first call reads the input, that of a median twice where many elements are
// equal; later ones, by the order and index rules, look at what it found.
type Pullback func(dy *ogive.Tensor) (dx *ogive.Tensor, err error)

// Quantile is [ogive.Quantile] with its pullback, by the order rule: 1-g to the
// position of the lower order statistic, g to that of the upper one, or 1 where
// one decides. Methods that choose an element give it 1.
//
// Special cases are:
//   - a slice that holds a NaN: 1 to its last NaN
//   - equal elements: the one whose turn it is in the stable order, so
//     [2,2,2,2] at 0.5 gives [0,0.5,0.5,0]
//
// Errors are those of the operation, and ErrDType for an input that is not a
// float. The forward pass costs no more than ogive.Quantile; see [Pullback] for
// the rest.
func Quantile(x *ogive.Tensor, q float64, opts ...ogive.Option) (y *ogive.Tensor, pull Pullback, err error) {
	return forward(ogive.OpQuantile, x, ogive.Q(q), opts)
}

// Quantiles is [Quantile] for several quantiles at once. Where several of them
// select one element, their gradients add up. With qs nil an option gives them, as in
// [ogive.Quantiles], ogive.Fractions among them.
func Quantiles(x *ogive.Tensor, qs []float64, opts ...ogive.Option) (y *ogive.Tensor, pull Pullback, err error) {
	return forward(ogive.OpQuantile, x, ogive.Qs(qs), opts)
}

// NaNQuantile is [Quantile] with NaNs dropped. A slice of nothing but NaN gives
// 1 to its first element.
func NaNQuantile(x *ogive.Tensor, q float64, opts ...ogive.Option) (y *ogive.Tensor, pull Pullback, err error) {
	return forward(ogive.OpNaNQuantile, x, ogive.Q(q), opts)
}

// NaNQuantiles is [Quantiles] with NaNs dropped; see [NaNQuantile].
func NaNQuantiles(x *ogive.Tensor, qs []float64, opts ...ogive.Option) (y *ogive.Tensor, pull Pullback, err error) {
	return forward(ogive.OpNaNQuantile, x, ogive.Qs(qs), opts)
}

// Percentile is [Quantile] of p/100, divided in float64, for 0 ≤ p ≤ 100.
func Percentile(x *ogive.Tensor, p float64, opts ...ogive.Option) (y *ogive.Tensor, pull Pullback, err error) {
	return forward(ogive.OpPercentile, x, ogive.P(p), opts)
}

// Percentiles is [Quantiles] of ps[i]/100.
func Percentiles(x *ogive.Tensor, ps []float64, opts ...ogive.Option) (y *ogive.Tensor, pull Pullback, err error) {
	return forward(ogive.OpPercentile, x, ogive.Ps(ps), opts)
}

// NaNPercentile is [NaNQuantile] of p/100.
func NaNPercentile(x *ogive.Tensor, p float64, opts ...ogive.Option) (y *ogive.Tensor, pull Pullback, err error) {
	return forward(ogive.OpNaNPercentile, x, ogive.P(p), opts)
}

// NaNPercentiles is [NaNQuantiles] of ps[i]/100.
func NaNPercentiles(x *ogive.Tensor, ps []float64, opts ...ogive.Option) (y *ogive.Tensor, pull Pullback, err error) {
	return forward(ogive.OpNaNPercentile, x, ogive.Ps(ps), opts)
}

// QuantileRatio is [Quantile] of the exact fraction num/den; see
// [ogive.QuantileRatio].
func QuantileRatio(x *ogive.Tensor, num, den int64, opts ...ogive.Option) (y *ogive.Tensor, pull Pullback, err error) {
	return forward(ogive.OpQuantile, x, ogive.Ratio(num, den), opts)
}

// QuantileRatios is [Quantiles] of the exact fractions nums[i]/den.
func QuantileRatios(x *ogive.Tensor, nums []int64, den int64, opts ...ogive.Option) (y *ogive.Tensor, pull Pullback, err error) {
	return forward(ogive.OpQuantile, x, ogive.Ratios(nums, den), opts)
}

// NaNQuantileRatio is [NaNQuantile] of the exact fraction num/den.
func NaNQuantileRatio(x *ogive.Tensor, num, den int64, opts ...ogive.Option) (y *ogive.Tensor, pull Pullback, err error) {
	return forward(ogive.OpNaNQuantile, x, ogive.Ratio(num, den), opts)
}

// NaNQuantileRatios is [NaNQuantiles] of the exact fractions nums[i]/den.
func NaNQuantileRatios(x *ogive.Tensor, nums []int64, den int64, opts ...ogive.Option) (y *ogive.Tensor, pull Pullback, err error) {
	return forward(ogive.OpNaNQuantile, x, ogive.Ratios(nums, den), opts)
}
