// Package gomlx has ogive's order statistics and element tests as functions on
// the nodes of a GoMLX graph: static, differentiable, for any backend.
//
//	exec := graph.MustNewExec(backend, func(x *graph.Node) *graph.Node {
//		return gomlx.Quantiles(x, []float64{0.1, 0.5, 0.9}, ogive.Axis(0))
//	})
//
// The answers are those of package ogive, bit for bit: selection, ranks and
// interpolation are done in integers, which no backend rounds, fuses or
// flushes. (Held by tests on GoMLX's pure Go backend, "go"; a backend needs
// 64-bit integers and bit casts.) Ranks come from package rank when the graph is
// built.
//
// Dtypes are Bool, Int8 to Int64, Uint8 to Uint64, Float16, BFloat16, Float32
// and Float64; IsReal takes complex ones too. Dimensions must be known when the
// graph is built.
//
// Options are ogive's own: Axis, KeepDims, Method, Mode for order statistics;
// Invert, Kind, AssumeUnique and EqualNaN for IsIn, of which Kind and
// AssumeUnique change nothing. Others have no meaning in a graph and are
// ogive.ErrOption.
//
// Errors are found when the graph is built and thrown as GoMLX does it: a
// panic with an error that has a stack trace, which graph.Exec returns. They
// wrap ogive's sentinels, so errors.Is(err, ogive.ErrAxis) holds.
//
// Gradients by the float input are those of package grad: the order rule for
// quantiles, the even rule for medians. Gradients by an integer input are
// ogive.ErrDType.
//
// An order statistic costs a pass over the input for each bit of the dtype (one
// for Bool), and one more where it is interpolated; a pass is a comparison and a
// sum. Rows shorter than half that number of bits are ranked by comparing each
// element with each other. Interpolation costs some 200 to 400 operations on
// tensors of the result's size, 1 ms in all on the pure Go backend. The
// NaN-skipping functions hold a table of n+1 ranks and weights, 12 bytes each,
// for rows of n floats and each q: 12 MB for a million. The passes are written
// out, so a graph has some 300 nodes for each distinct rank of Float32.
package gomlx
