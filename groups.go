package ogive

import "github.com/ogive-go/ogive/internal/errs"

// QuantilesBy returns the quantiles qs of the groups of x: of the elements whose keys
// are equal. keys has one dimension, x's length along the axis ([Axis], a single one;
// 0 by default), and is of an integer dtype or bool. groups are the different keys,
// ascending, of keys' dtype and one dimension. values has shape
// (len(qs), len(groups), rest…), where rest are x's other dimensions in order, and the
// dtype that [Quantiles] gives it.
//
// The values of a group are, bit for bit, those of Quantiles for x with the positions
// along the axis whose key is the group's, and no others. [Weights] are taken along:
// one for each key, or for each element of x.
//
// Special cases are:
//   - a group that holds a NaN gives the canonical NaN (see [NaNQuantilesBy]), along
//     each of the other dimensions for itself
//   - a group of one element has it as its every quantile
//   - x of length 0 along the axis has no groups, and is no error
//   - of other dimensions of length 0, groups are given all the same
//
// The options are those of Quantiles without [KeepDims], [Out] and [Overwrite], which
// are ErrOption. With qs nil one of them says which quantiles are meant: see [Quantiles].
// Errors are ErrShape (nil x or keys), ErrDType (complex), ErrOption,
// ErrMethod, ErrQ, ErrAxis, then ErrShape and ErrDType of keys, ErrWeights and
// ErrDevice: x and keys must be on the host. Weights of a group that sum to zero, and
// frequencies of a group that sum to 2^53 or more, are ErrWeights, found once the
// groups are known. At most 2^32 - 1 keys, else ErrShape.
//
// It takes O(n) time for n elements, and O(n + k log k) for k groups whose keys spread
// over more than twice the number of keys. It needs scratch memory of about
// x's size and 8 bytes a key, twice that where few groups hold most elements, up to 80
// bytes a key with weights; where keys spread so up to 200 bytes a group for each worker, at
// most 200 bytes a key; and 300 bytes for each quantile and worker. pandas: groupby.quantile.
func QuantilesBy(x, keys *Tensor, qs []float64, opts ...Option) (groups, values *Tensor, err error) {
	o := Qs(qs)
	return by("quantilesby", OpQuantile, x, keys, &o, opts)
}

// QuantilesBy is the function [QuantilesBy] of t.
func (t *Tensor) QuantilesBy(keys *Tensor, qs []float64, opts ...Option) (groups, values *Tensor, err error) {
	return QuantilesBy(t, keys, qs, opts...)
}

// NaNQuantilesBy is [QuantilesBy] with NaNs dropped: the values of a group are those of
// [NaNQuantiles]. A group of nothing but NaN is a group, and its values are the
// canonical NaN. For dtypes without NaN it is QuantilesBy.
func NaNQuantilesBy(x, keys *Tensor, qs []float64, opts ...Option) (groups, values *Tensor, err error) {
	o := Qs(qs)
	return by("nanquantilesby", OpNaNQuantile, x, keys, &o, opts)
}

// NaNQuantilesBy is the function [NaNQuantilesBy] of t.
func (t *Tensor) NaNQuantilesBy(keys *Tensor, qs []float64, opts ...Option) (groups, values *Tensor, err error) {
	return NaNQuantilesBy(t, keys, qs, opts...)
}

// QuantileBy is [QuantilesBy] for one quantile: values has shape (len(groups), rest…), and
// the dtype that [Quantile] gives it. pandas: groupby.quantile, but that drops NaNs, as
// [NaNQuantileBy] does.
func QuantileBy(x, keys *Tensor, q float64, opts ...Option) (groups, values *Tensor, err error) {
	return by("quantileby", OpQuantile, x, keys, &Option{set: optQ, num: q}, opts)
}

// QuantileBy is the function [QuantileBy] of t.
func (t *Tensor) QuantileBy(keys *Tensor, q float64, opts ...Option) (groups, values *Tensor, err error) {
	return QuantileBy(t, keys, q, opts...)
}

// NaNQuantileBy is [QuantileBy] with NaNs dropped, as [NaNQuantilesBy] drops them.
func NaNQuantileBy(x, keys *Tensor, q float64, opts ...Option) (groups, values *Tensor, err error) {
	return by("nanquantileby", OpNaNQuantile, x, keys, &Option{set: optQ, num: q}, opts)
}

// NaNQuantileBy is the function [NaNQuantileBy] of t.
func (t *Tensor) NaNQuantileBy(keys *Tensor, q float64, opts ...Option) (groups, values *Tensor, err error) {
	return NaNQuantileBy(t, keys, q, opts...)
}

// MedianBy returns the medians of the groups of x: of the elements whose keys are
// equal. keys, groups, special cases, errors and cost are those of [QuantilesBy];
// values has shape (len(groups), rest…) and the dtype that [Median] gives it. The
// value of a group is, bit for bit, that of Median for its elements; [Mode] says which
// is meant of an even number of them.
//
// The options are those of Median without [KeepDims], [Out], [OutIndices] and
// [Overwrite], which are ErrOption. pandas: groupby.median, but that drops NaNs, as
// [NaNMedianBy] does.
func MedianBy(x, keys *Tensor, opts ...Option) (groups, values *Tensor, err error) {
	return by("medianby", OpMedian, x, keys, nil, opts)
}

// MedianBy is the function [MedianBy] of t.
func (t *Tensor) MedianBy(keys *Tensor, opts ...Option) (groups, values *Tensor, err error) {
	return MedianBy(t, keys, opts...)
}

// NaNMedianBy is [MedianBy] with NaNs dropped: the value of a group is that of
// [NaNMedian]. A group of nothing but NaN is a group, and its value is the canonical
// NaN. pandas: groupby.median.
func NaNMedianBy(x, keys *Tensor, opts ...Option) (groups, values *Tensor, err error) {
	return by("nanmedianby", OpNaNMedian, x, keys, nil, opts)
}

// NaNMedianBy is the function [NaNMedianBy] of t.
func (t *Tensor) NaNMedianBy(keys *Tensor, opts ...Option) (groups, values *Tensor, err error) {
	return NaNMedianBy(t, keys, opts...)
}

// notOfGroups are the options that the operations on groups do not take.
var notOfGroups = results | settingsOf(optKeepDims, optOverwrite)

// by runs op on the groups of x, under the name that errors tell. param gives the
// function's own quantiles, or is nil if it has none.
func by(name string, op Op, x, keys *Tensor, param *Option, opts []Option) (groups, values *Tensor, err error) {
	err = lend(name, x, func(p *Plan) (err error) {
		groups, values, err = p.by(op, x, keys, param, opts)
		return err
	})
	return groups, values, err
}

func (p *Plan) by(op Op, x, keys *Tensor, param *Option, opts []Option) (groups, values *Tensor, err error) {
	if keys == nil {
		return nil, nil, errs.New(errs.ErrShape, "keys are nil")
	}
	p.request.keys = keys
	if err := p.prepare(op, x.arr.DType, x.arr.Shape(), param, opts, notOfGroups); err != nil {
		return nil, nil, err
	}
	if err := allOnHost("x, keys or weights", x, keys, p.request.weights); err != nil {
		return nil, nil, err
	}
	g, v, err := p.eng.RunGroups(&x.arr, &keys.arr)
	if err != nil {
		return nil, nil, err
	}
	return &Tensor{g}, &Tensor{v}, nil
}
