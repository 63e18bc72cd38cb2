package ogive

// Quantile is the function [Quantile] of t.
func (t *Tensor) Quantile(q float64, opts ...Option) (*Tensor, error) {
	return Quantile(t, q, opts...)
}

// Quantiles is the function [Quantiles] of t.
func (t *Tensor) Quantiles(qs []float64, opts ...Option) (*Tensor, error) {
	return Quantiles(t, qs, opts...)
}

// NaNQuantile is the function [NaNQuantile] of t.
func (t *Tensor) NaNQuantile(q float64, opts ...Option) (*Tensor, error) {
	return NaNQuantile(t, q, opts...)
}

// NaNQuantiles is the function [NaNQuantiles] of t.
func (t *Tensor) NaNQuantiles(qs []float64, opts ...Option) (*Tensor, error) {
	return NaNQuantiles(t, qs, opts...)
}

// Percentile is the function [Percentile] of t.
func (t *Tensor) Percentile(p float64, opts ...Option) (*Tensor, error) {
	return Percentile(t, p, opts...)
}

// Percentiles is the function [Percentiles] of t.
func (t *Tensor) Percentiles(ps []float64, opts ...Option) (*Tensor, error) {
	return Percentiles(t, ps, opts...)
}

// NaNPercentile is the function [NaNPercentile] of t.
func (t *Tensor) NaNPercentile(p float64, opts ...Option) (*Tensor, error) {
	return NaNPercentile(t, p, opts...)
}

// NaNPercentiles is the function [NaNPercentiles] of t.
func (t *Tensor) NaNPercentiles(ps []float64, opts ...Option) (*Tensor, error) {
	return NaNPercentiles(t, ps, opts...)
}

// QuantileRatio is the function [QuantileRatio] of t.
func (t *Tensor) QuantileRatio(num, den int64, opts ...Option) (*Tensor, error) {
	return QuantileRatio(t, num, den, opts...)
}

// QuantileRatios is the function [QuantileRatios] of t.
func (t *Tensor) QuantileRatios(nums []int64, den int64, opts ...Option) (*Tensor, error) {
	return QuantileRatios(t, nums, den, opts...)
}

// NaNQuantileRatio is the function [NaNQuantileRatio] of t.
func (t *Tensor) NaNQuantileRatio(num, den int64, opts ...Option) (*Tensor, error) {
	return NaNQuantileRatio(t, num, den, opts...)
}

// NaNQuantileRatios is the function [NaNQuantileRatios] of t.
func (t *Tensor) NaNQuantileRatios(nums []int64, den int64, opts ...Option) (*Tensor, error) {
	return NaNQuantileRatios(t, nums, den, opts...)
}

// Median is the function [Median] of t.
func (t *Tensor) Median(opts ...Option) (*Tensor, error) {
	return Median(t, opts...)
}

// NaNMedian is the function [NaNMedian] of t.
func (t *Tensor) NaNMedian(opts ...Option) (*Tensor, error) {
	return NaNMedian(t, opts...)
}

// MedianWithIndex is the function [MedianWithIndex] of t.
func (t *Tensor) MedianWithIndex(opts ...Option) (values, indices *Tensor, err error) {
	return MedianWithIndex(t, opts...)
}

// NaNMedianWithIndex is the function [NaNMedianWithIndex] of t.
func (t *Tensor) NaNMedianWithIndex(opts ...Option) (values, indices *Tensor, err error) {
	return NaNMedianWithIndex(t, opts...)
}

// ArgQuantile is the function [ArgQuantile] of t.
func (t *Tensor) ArgQuantile(q float64, opts ...Option) (*Tensor, error) {
	return ArgQuantile(t, q, opts...)
}

// ArgQuantiles is the function [ArgQuantiles] of t.
func (t *Tensor) ArgQuantiles(qs []float64, opts ...Option) (*Tensor, error) {
	return ArgQuantiles(t, qs, opts...)
}

// NaNArgQuantile is the function [NaNArgQuantile] of t.
func (t *Tensor) NaNArgQuantile(q float64, opts ...Option) (*Tensor, error) {
	return NaNArgQuantile(t, q, opts...)
}

// NaNArgQuantiles is the function [NaNArgQuantiles] of t.
func (t *Tensor) NaNArgQuantiles(qs []float64, opts ...Option) (*Tensor, error) {
	return NaNArgQuantiles(t, qs, opts...)
}
