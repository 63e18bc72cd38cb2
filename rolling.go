package ogive

import "github.com/ogive-go/ogive/internal/errs"

// RollingQuantile returns the quantile q of every window of x: of so many elements that
// follow each other along the axis ([Axis]; a single one, 0 by default). Windows are full
// ones: the result has x's shape, but for n-window+1 elements instead of n along the
// axis, and the dtype that [Quantile] gives it. Element i is, bit for bit, the answer of
// Quantile for the elements i to i+window-1. With [MinCount] the result has an element for
// each of x's, whose window ends there and need not be full.
//
// Special cases are:
//   - a window that holds a NaN gives the canonical NaN (see [NaNRollingQuantile])
//   - a window of one element has it as its every quantile
//   - of other dimensions of length 0, the result has none either
//
// The options are those of Quantile without [KeepDims], [Weights] and [Overwrite], which
// are ErrOption, and MinCount. Errors are ErrShape (nil x), ErrDType (complex), ErrOption
// (a window of less than one element, too), ErrMethod, ErrQ, ErrAxis (several axes, too),
// ErrShape (a window that is longer than the axis, or of 2^31 elements or more), ErrOut
// and ErrDevice: x must be on the host.
//
// It takes O(n log n) time whatever the window: a sort of all elements, and then a few
// steps for each. Full windows of up to 32 elements take O(n), by vectors. The scratch
// memory for each worker is at most 1 MB, 500 bytes for each element of a window, and 16 kB
// for each quantile up to 2000 of them. pandas: rolling(window).quantile; bottleneck:
// move_median.
func RollingQuantile(x *Tensor, q float64, window int, opts ...Option) (*Tensor, error) {
	return roll("rollingquantile", OpQuantile, x, window, &Option{set: optQ, num: q}, opts)
}

// RollingQuantile is the function [RollingQuantile] of t.
func (t *Tensor) RollingQuantile(q float64, window int, opts ...Option) (*Tensor, error) {
	return RollingQuantile(t, q, window, opts...)
}

// RollingQuantiles is [RollingQuantile] for several quantiles at once: the result has a
// leading dimension of length len(qs). With qs nil an option says which quantiles are
// meant: see [Quantiles]. The elements are sorted once for all.
func RollingQuantiles(x *Tensor, qs []float64, window int, opts ...Option) (*Tensor, error) {
	o := Qs(qs)
	return roll("rollingquantile", OpQuantile, x, window, &o, opts)
}

// RollingQuantiles is the function [RollingQuantiles] of t.
func (t *Tensor) RollingQuantiles(qs []float64, window int, opts ...Option) (*Tensor, error) {
	return RollingQuantiles(t, qs, window, opts...)
}

// NaNRollingQuantile is [RollingQuantile] with NaNs dropped: each value is that of
// [NaNQuantile] for its window. One of nothing but NaN gives the canonical NaN, as does one
// of fewer values than [MinCount] asks for. pandas: rolling(window, min_periods=1).quantile
// with MinCount(1).
func NaNRollingQuantile(x *Tensor, q float64, window int, opts ...Option) (*Tensor, error) {
	return roll("nanrollingquantile", OpNaNQuantile, x, window, &Option{set: optQ, num: q}, opts)
}

// NaNRollingQuantile is the function [NaNRollingQuantile] of t.
func (t *Tensor) NaNRollingQuantile(q float64, window int, opts ...Option) (*Tensor, error) {
	return NaNRollingQuantile(t, q, window, opts...)
}

// NaNRollingQuantiles is [RollingQuantiles] with NaNs dropped; see [NaNRollingQuantile].
func NaNRollingQuantiles(x *Tensor, qs []float64, window int, opts ...Option) (*Tensor, error) {
	o := Qs(qs)
	return roll("nanrollingquantile", OpNaNQuantile, x, window, &o, opts)
}

// NaNRollingQuantiles is the function [NaNRollingQuantiles] of t.
func (t *Tensor) NaNRollingQuantiles(qs []float64, window int, opts ...Option) (*Tensor, error) {
	return NaNRollingQuantiles(t, qs, window, opts...)
}

// RollingMedian returns the median of every window of x. Windows, special cases, errors
// and cost are those of [RollingQuantile]; the values are those of [Median], whose options
// it takes without [KeepDims], [Weights], [OutIndices] and [Overwrite]. bottleneck:
// move_median.
func RollingMedian(x *Tensor, window int, opts ...Option) (*Tensor, error) {
	return roll("rollingmedian", OpMedian, x, window, nil, opts)
}

// RollingMedian is the function [RollingMedian] of t.
func (t *Tensor) RollingMedian(window int, opts ...Option) (*Tensor, error) {
	return RollingMedian(t, window, opts...)
}

// NaNRollingMedian is [RollingMedian] with NaNs dropped: each value is that of
// [NaNMedian] for its window. bottleneck's move_median with min_count, but for the length
// of the result: with [MinCount] that is x's.
func NaNRollingMedian(x *Tensor, window int, opts ...Option) (*Tensor, error) {
	return roll("nanrollingmedian", OpNaNMedian, x, window, nil, opts)
}

// NaNRollingMedian is the function [NaNRollingMedian] of t.
func (t *Tensor) NaNRollingMedian(window int, opts ...Option) (*Tensor, error) {
	return NaNRollingMedian(t, window, opts...)
}

// MinCount makes the rolling operations answer for each element of x: for the window
// that ends there, at the beginning of an axis for the fewer elements that there are. One
// of fewer than n values gives NaN; NaNs are values unless they are dropped. n is at least 1 and
// at most the window, else ErrOption; and 1 where the result is not floating.
//
// bottleneck calls it min_count, pandas min_periods. Both answer for windows that are not
// full by NaN unless they are told otherwise, which is MinCount(window).
func MinCount(n int) Option { return Option{set: optMinCount, n: int64(n)} }

// notOfWindows are the options that the operations on windows do not take.
var notOfWindows = settingsOf(optKeepDims, optWeights, optOutIndices, optOverwrite)

// roll runs op on the windows of x, under the name that errors tell. param gives the
// function's own quantiles, or is nil if it has none.
func roll(name string, op Op, x *Tensor, window int, param *Option, opts []Option) (values *Tensor, err error) {
	err = lend(name, x, func(p *Plan) (err error) {
		p.request.rolling, p.request.window = true, window
		values, _, err = p.eager(op, x, param, opts, notOfWindows)
		return err
	})
	return values, err
}

// checkWindow checks the window and the fewest values of one.
func (r *request) checkWindow() error {
	switch {
	case !r.rolling:
		return nil
	case r.window < 1:
		return errs.New(errs.ErrOption, "a window of %d elements; the least is 1", r.window)
	case r.given.has(optMinCount) && (r.minCount < 1 || r.minCount > r.window):
		return errs.New(errs.ErrOption, "a least count of %d is outside 1..%d, the window's elements", r.minCount, r.window)
	}
	return nil
}
