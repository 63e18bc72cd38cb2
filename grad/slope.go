package grad

import (
	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/nd"
)

// QuantileQ returns the derivative of [ogive.Quantile] by q, float64 and of the
// result's shape: the right derivative of the exact piecewise-linear function
// of q, at q = 1 the left one. It is the slope of the virtual index (n-1 for
// rank.Linear) times the difference of the order statistics on either side.
//
// Special cases are:
//   - 0 where the method is a step function (the discrete ones, Midpoint,
//     AveragedInvertedCDF), for a slice of one value, where the virtual index
//     is clipped to the first or last value, and between equal values
//   - +Inf between values of which one is infinite, and where their difference
//     overflows
//   - NaN for a slice whose quantile is NaN because it holds one
//
// Whether q falls on an order statistic is decided exactly, from the value of
// the float64 q: 0.3 is less than 3/10, so of 11 values its derivative is that
// of the piece between the third and the fourth.
//
// Errors are those of [Quantile]. It costs one selection.
func QuantileQ(x *ogive.Tensor, q float64, opts ...ogive.Option) (dydq *ogive.Tensor, err error) {
	return slopes(ogive.OpQuantile, x, ogive.Q(q), opts)
}

// QuantilesQ is [QuantileQ] for several quantiles at once: element i of the
// result's leading dimension is the derivative of value i by qs[i].
func QuantilesQ(x *ogive.Tensor, qs []float64, opts ...ogive.Option) (dydq *ogive.Tensor, err error) {
	return slopes(ogive.OpQuantile, x, ogive.Qs(qs), opts)
}

// NaNQuantileQ is [QuantileQ] with NaNs dropped; of nothing but NaN it is NaN.
func NaNQuantileQ(x *ogive.Tensor, q float64, opts ...ogive.Option) (dydq *ogive.Tensor, err error) {
	return slopes(ogive.OpNaNQuantile, x, ogive.Q(q), opts)
}

// NaNQuantilesQ is [QuantilesQ] with NaNs dropped.
func NaNQuantilesQ(x *ogive.Tensor, qs []float64, opts ...ogive.Option) (dydq *ogive.Tensor, err error) {
	return slopes(ogive.OpNaNQuantile, x, ogive.Qs(qs), opts)
}

// slopes returns the derivatives of op by its quantiles.
func slopes(op ogive.Op, x *ogive.Tensor, quantiles ogive.Option, opts []ogive.Option) (*ogive.Tensor, error) {
	return nd.Guarded(op.String(), func() (*ogive.Tensor, error) {
		c, err := prepare(op, x, &quantiles, opts, false)
		if err != nil {
			return nil, err
		}
		ends, err := c.plan.QDerivative().RunEnds(tensors.Array(c.x), nil)
		if err != nil {
			return nil, err
		}
		result, err := c.zeros(dtype.Float64)
		if err != nil {
			return nil, err
		}
		lo, hi := wide(&ends.Lo), wide(&ends.Hi)
		out := nd.Slice[float64](tensors.Array(result))
		for i, a := range lo {
			switch b := hi[i]; {
			case a != a:
				out[i] = a // the canonical one
			case a != b:
				out[i] = float64(ends.Factor(i) * (b - a))
			}
		}
		return result.To(c.device)
	})
}

// wide returns the elements of a contiguous float array as float64.
func wide(a *nd.Array) []float64 {
	w, err := nd.New(dtype.Float64, a.Len())
	if err != nil {
		panic("grad: an array too long to be widened: " + err.Error())
	}
	dtype.Convert(dtype.Float64, w.Bytes(), a.DType, a.Bytes())
	return nd.Slice[float64](&w)
}
