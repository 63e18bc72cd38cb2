// Package ogive computes order statistics and element tests of N-dimensional
// arrays: quantiles, percentiles and medians along any axes, with or without
// NaNs, weighted, with their positions, of groups and of rolling windows;
// isposinf, isneginf, isreal, isin.
//
//	x, err := ogive.FromSlice(samples, days, hours)
//	spread, err := x.NaNQuantiles([]float64{0.05, 0.95}, ogive.Axis(0))
//
// A plain slice needs no tensor:
//
//	median, err := ogive.MedianOf(samples)
//
// Every operation is a function and a method of [Tensor]; small [Option] values
// say along which axes, by which method, into which output. [Prepare] resolves a
// call once, for services that repeat it on inputs of one shape, or on batches of
// any length.
//
// The conventions hold everywhere:
//   - A result is exact, rounded once, and depends on the values and options
//     alone: not on the layout of memory, the number of workers or the machine.
//   - -Inf < … < -0 < +0 < … < +Inf. A NaN makes a quantile of its slice NaN; the
//     functions named NaN… drop NaNs instead. Every NaN result is the canonical one.
//   - Interpolating methods keep float dtypes and give float64 for integers and
//     bool; discrete ones keep the dtype. Complex numbers have no order.
//   - A slice without elements is [ErrEmpty], or NaN for medians and NaN… functions
//     where the result is floating.
//   - Errors are raised before any work and wrap one of the Err… sentinels; the
//     functions do not panic, but for [Must] and [All].
//   - Tensors may be read by many goroutines at once. Those given to [Out],
//     [OutIndices] and [Overwrite] belong to one call.
//
// The methods are those of package rank, the element types those of package
// dtype; package tensorio reads and writes files.
package ogive
