package ogive

// Quantile returns the quantile q, 0 ≤ q ≤ 1, of the slices of x along the
// reduced axes ([Axis]; all of them by default). The shape of the result is
// that of x without the reduced axes, or with 1 in their place ([KeepDims]).
//
// Where q falls between two order statistics, [Method] says what happens; the
// default is rank.Linear (Hyndman & Fan type 7). The interpolated value is the
// exact one, rounded once to the result's dtype. Interpolating methods keep
// float dtypes and give float64 for integers and bool; discrete ones (Lower,
// Higher, Nearest, NearestDown, InvertedCDF, ClosestObservation) keep x's dtype.
//
// Special cases are:
//   - a slice that holds a NaN gives the canonical NaN (see [NaNQuantile])
//   - -0 is smaller than +0; between infinities of one sign lies that infinity,
//     between -Inf and +Inf lies NaN
//   - a single value is its own quantile for every q
//   - a slice without elements is ErrEmpty, unless the result has none either
//
// Errors are ErrShape (nil x), ErrDType (complex), ErrOption, ErrMethod, ErrQ,
// ErrAxis, ErrEmpty, ErrWeights, ErrOut and ErrDevice, in this order. x is not
// changed, unless [Overwrite] allows it.
//
// It takes O(n) time whatever the data, and scratch memory of at most 64 MB or
// an eighth of x, with many quantiles 32 bytes more for each. NumPy: quantile.
func Quantile(x *Tensor, q float64, opts ...Option) (*Tensor, error) {
	return eager(OpQuantile, x, &Option{set: optQ, num: q}, opts)
}

// Quantile is the function [Quantile] of t.
func (t *Tensor) Quantile(q float64, opts ...Option) (*Tensor, error) {
	return Quantile(t, q, opts...)
}

// Quantiles is [Quantile] for several quantiles at once: the result has a
// leading dimension of length len(qs), also where that is 1. They may be in any
// order and repeat; an empty list is ErrQ. With qs nil an option says which quantiles are
// meant, as in [Prepare]: [Q], [Qs], [Ratio], [Ratios] or [Fractions], and [P] or [Ps] for
// percentiles. So do all functions that take a list. One selection serves all of them.
func Quantiles(x *Tensor, qs []float64, opts ...Option) (*Tensor, error) {
	o := Qs(qs)
	return eager(OpQuantile, x, &o, opts)
}

// Quantiles is the function [Quantiles] of t.
func (t *Tensor) Quantiles(qs []float64, opts ...Option) (*Tensor, error) {
	return Quantiles(t, qs, opts...)
}

// NaNQuantile is [Quantile] with NaNs dropped, of either sign and any payload.
// A slice of nothing but NaN, or of nothing, gives the canonical NaN; where the
// result is not floating, a slice of nothing is ErrEmpty. For dtypes without NaN
// it is Quantile. NumPy: nanquantile.
func NaNQuantile(x *Tensor, q float64, opts ...Option) (*Tensor, error) {
	return eager(OpNaNQuantile, x, &Option{set: optQ, num: q}, opts)
}

// NaNQuantile is the function [NaNQuantile] of t.
func (t *Tensor) NaNQuantile(q float64, opts ...Option) (*Tensor, error) {
	return NaNQuantile(t, q, opts...)
}

// NaNQuantiles is [NaNQuantile] for several quantiles at once; see [Quantiles].
func NaNQuantiles(x *Tensor, qs []float64, opts ...Option) (*Tensor, error) {
	o := Qs(qs)
	return eager(OpNaNQuantile, x, &o, opts)
}

// NaNQuantiles is the function [NaNQuantiles] of t.
func (t *Tensor) NaNQuantiles(qs []float64, opts ...Option) (*Tensor, error) {
	return NaNQuantiles(t, qs, opts...)
}

// Percentile is [Quantile] of p/100, divided in float64, for 0 ≤ p ≤ 100.
// NumPy: percentile.
func Percentile(x *Tensor, p float64, opts ...Option) (*Tensor, error) {
	return eager(OpPercentile, x, &Option{set: optP, num: p}, opts)
}

// Percentile is the function [Percentile] of t.
func (t *Tensor) Percentile(p float64, opts ...Option) (*Tensor, error) {
	return Percentile(t, p, opts...)
}

// Percentiles is [Quantiles] of ps[i]/100.
func Percentiles(x *Tensor, ps []float64, opts ...Option) (*Tensor, error) {
	o := Ps(ps)
	return eager(OpPercentile, x, &o, opts)
}

// Percentiles is the function [Percentiles] of t.
func (t *Tensor) Percentiles(ps []float64, opts ...Option) (*Tensor, error) {
	return Percentiles(t, ps, opts...)
}

// NaNPercentile is [NaNQuantile] of p/100. NumPy: nanpercentile.
func NaNPercentile(x *Tensor, p float64, opts ...Option) (*Tensor, error) {
	return eager(OpNaNPercentile, x, &Option{set: optP, num: p}, opts)
}

// NaNPercentile is the function [NaNPercentile] of t.
func (t *Tensor) NaNPercentile(p float64, opts ...Option) (*Tensor, error) {
	return NaNPercentile(t, p, opts...)
}

// NaNPercentiles is [NaNQuantiles] of ps[i]/100.
func NaNPercentiles(x *Tensor, ps []float64, opts ...Option) (*Tensor, error) {
	o := Ps(ps)
	return eager(OpNaNPercentile, x, &o, opts)
}

// NaNPercentiles is the function [NaNPercentiles] of t.
func (t *Tensor) NaNPercentiles(ps []float64, opts ...Option) (*Tensor, error) {
	return NaNPercentiles(t, ps, opts...)
}

// QuantileRatio is [Quantile] of the exact fraction num/den, 0 ≤ num ≤ den and
// den > 0, else ErrQ. Which order statistics it names, and whether it falls on
// one, is decided in exact rationals: 29/100 of 101 values is the one with
// index 29, while the float64 0.29 is smaller than 29/100 and names, by the
// method Lower, the one before. The weight between two is exact as well, so that the
// value is rounded once: 3/5 of -3 and 2 is 0, and 1/3 of 0 and 10 the float64 nearest
// to 10/3.
func QuantileRatio(x *Tensor, num, den int64, opts ...Option) (*Tensor, error) {
	o := Ratio(num, den)
	return eager(OpQuantile, x, &o, opts)
}

// QuantileRatio is the function [QuantileRatio] of t.
func (t *Tensor) QuantileRatio(num, den int64, opts ...Option) (*Tensor, error) {
	return QuantileRatio(t, num, den, opts...)
}

// QuantileRatios is [QuantileRatio] for the fractions nums[i]/den; the result
// has a leading dimension.
func QuantileRatios(x *Tensor, nums []int64, den int64, opts ...Option) (*Tensor, error) {
	o := Ratios(nums, den)
	return eager(OpQuantile, x, &o, opts)
}

// QuantileRatios is the function [QuantileRatios] of t.
func (t *Tensor) QuantileRatios(nums []int64, den int64, opts ...Option) (*Tensor, error) {
	return QuantileRatios(t, nums, den, opts...)
}

// NaNQuantileRatio is [QuantileRatio] with NaNs dropped; see [NaNQuantile].
func NaNQuantileRatio(x *Tensor, num, den int64, opts ...Option) (*Tensor, error) {
	o := Ratio(num, den)
	return eager(OpNaNQuantile, x, &o, opts)
}

// NaNQuantileRatio is the function [NaNQuantileRatio] of t.
func (t *Tensor) NaNQuantileRatio(num, den int64, opts ...Option) (*Tensor, error) {
	return NaNQuantileRatio(t, num, den, opts...)
}

// NaNQuantileRatios is [QuantileRatios] with NaNs dropped; see [NaNQuantile].
func NaNQuantileRatios(x *Tensor, nums []int64, den int64, opts ...Option) (*Tensor, error) {
	o := Ratios(nums, den)
	return eager(OpNaNQuantile, x, &o, opts)
}

// NaNQuantileRatios is the function [NaNQuantileRatios] of t.
func (t *Tensor) NaNQuantileRatios(nums []int64, den int64, opts ...Option) (*Tensor, error) {
	return NaNQuantileRatios(t, nums, den, opts...)
}
