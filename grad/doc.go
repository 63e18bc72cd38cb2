// Package grad has the operations of ogive as vector-Jacobian products: each
// function returns the value and its [Pullback], which takes the derivative of
// some scalar by the value and gives that by the input. It is no autodiff
// engine, but what one needs to have these operations as nodes.
//
//	y, pull, err := grad.Quantile(x, 0.3, ogive.Axis(1))
//	…
//	dx, err := pull(dy)
//
// A quantile is a weighted mean of two of its elements, and that is its
// gradient: 1-g for the position of the lower order statistic, g for that of
// the upper one, where position decides between equal elements as it does for
// indices (the order rule). A median without index shares its gradient evenly
// among the elements that are equal to it (the even rule); one with an index
// gives all of it to that element (the index rule).
//
//	function                                   rule    NaN in the slice          nothing but NaN
//	Quantile, Percentile, QuantileRatio, …     order   1 to the last NaN         1 to the last NaN
//	NaNQuantile, NaNPercentile, …              order   dropped                   1 to the first
//	Median                                     even    evenly over the NaNs      1/n each
//	NaNMedian                                  even    dropped                   1/n each
//	MedianWithIndex                            index   1 to the first NaN        1 to the first NaN
//	NaNMedianWithIndex                         index   dropped                   zeros
//
// The input is of a float dtype; integers and bool, which have no gradient, are
// ErrDType. The options are those of the operation, without Out and OutIndices,
// and Overwrite has no effect. With integer weights all is as if each value were
// repeated so many times, and the gradient of an element is the sum over its
// copies.
//
// Gradients are computed in float64, each operation rounded once: weight times
// upstream gradient, added to zero in the order of the quantiles, and rounded
// once to the input's dtype; the result is the canonical NaN where it is NaN.
// Elements that were not selected get exactly +0, also where the upstream
// gradient is infinite or NaN. A result does not depend on the number of workers.
//
// A pullback holds the input, and at most 24 bytes for each value; the first gradient that
// is taken of quantiles adds 16 bytes for each. Beside that and its result it needs at most
// 4 MB of scratch memory for each worker.
//
// The work is done on the host: an input that lies on a device is copied from
// there, and the results are copied back.
package grad
