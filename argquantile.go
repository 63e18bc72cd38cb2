package ogive

// ArgQuantile returns the position of the quantile q instead of its value: that
// of the element which the [Method] chooses, by default rank.Lower, the one at
// or below q. An interpolating method is ErrMethod. The result is int64 with the
// shape of [Quantile]'s. Which position is meant is told at [MedianWithIndex]:
// the first NaN's where the slice holds one, among equal values the one whose
// turn it is in the stable order.
//
// Errors and cost are those of [Quantile], with two more looks at the data, and memory
// for the values.
func ArgQuantile(x *Tensor, q float64, opts ...Option) (*Tensor, error) {
	return eager(OpArgQuantile, x, &Option{set: optQ, num: q}, opts)
}

// ArgQuantile is the function [ArgQuantile] of t.
func (t *Tensor) ArgQuantile(q float64, opts ...Option) (*Tensor, error) {
	return ArgQuantile(t, q, opts...)
}

// ArgQuantiles is [ArgQuantile] for several quantiles at once; the result has a
// leading dimension.
func ArgQuantiles(x *Tensor, qs []float64, opts ...Option) (*Tensor, error) {
	o := Qs(qs)
	return eager(OpArgQuantile, x, &o, opts)
}

// ArgQuantiles is the function [ArgQuantiles] of t.
func (t *Tensor) ArgQuantiles(qs []float64, opts ...Option) (*Tensor, error) {
	return ArgQuantiles(t, qs, opts...)
}

// NaNArgQuantile is [ArgQuantile] with NaNs dropped; a slice of nothing but NaN
// gives -1.
func NaNArgQuantile(x *Tensor, q float64, opts ...Option) (*Tensor, error) {
	return eager(OpNaNArgQuantile, x, &Option{set: optQ, num: q}, opts)
}

// NaNArgQuantile is the function [NaNArgQuantile] of t.
func (t *Tensor) NaNArgQuantile(q float64, opts ...Option) (*Tensor, error) {
	return NaNArgQuantile(t, q, opts...)
}

// NaNArgQuantiles is [NaNArgQuantile] for several quantiles at once.
func NaNArgQuantiles(x *Tensor, qs []float64, opts ...Option) (*Tensor, error) {
	o := Qs(qs)
	return eager(OpNaNArgQuantile, x, &o, opts)
}

// NaNArgQuantiles is the function [NaNArgQuantiles] of t.
func (t *Tensor) NaNArgQuantiles(qs []float64, opts ...Option) (*Tensor, error) {
	return NaNArgQuantiles(t, qs, opts...)
}
