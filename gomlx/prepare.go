package gomlx

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/rank"
	"github.com/pkg/errors"
)

// dtypeOf maps GoMLX's dtypes to ogive's.
var dtypeOf = map[dtypes.DType]dtype.DType{
	dtypes.Bool:       dtype.Bool,
	dtypes.Int8:       dtype.Int8,
	dtypes.Int16:      dtype.Int16,
	dtypes.Int32:      dtype.Int32,
	dtypes.Int64:      dtype.Int64,
	dtypes.Uint8:      dtype.Uint8,
	dtypes.Uint16:     dtype.Uint16,
	dtypes.Uint32:     dtype.Uint32,
	dtypes.Uint64:     dtype.Uint64,
	dtypes.Float16:    dtype.Float16,
	dtypes.BFloat16:   dtype.BFloat16,
	dtypes.Float32:    dtype.Float32,
	dtypes.Float64:    dtype.Float64,
	dtypes.Complex64:  dtype.Complex64,
	dtypes.Complex128: dtype.Complex128,
}

// graphOptions are the options that mean something in a graph.
var graphOptions = []ogive.Option{
	ogive.Axis(), ogive.KeepDims(), ogive.Method(rank.Linear), ogive.Mode(ogive.ModeAvg),
	ogive.Invert(), ogive.AssumeUnique(), ogive.Kind(ogive.KindAuto), ogive.EqualNaN(),
}

// throw throws an error of ogive's with a stack trace.
func throw(err error) { panic(errors.WithStack(err)) }

// fail throws an *ogive.Error.
func fail(op ogive.Op, kind error, format string, args ...any) {
	throw(&ogive.Error{Op: op.String(), Kind: kind, Detail: fmt.Sprintf(format, args...)})
}

// ogiveDType returns ogive's dtype for a node's.
func ogiveDType(op ogive.Op, x *Node) dtype.DType {
	dt, ok := dtypeOf[x.DType()]
	if !ok {
		fail(op, ogive.ErrDType, "GoMLX's %v is not a dtype of ogive's", x.DType())
	}
	return dt
}

// prepare checks a call and returns its plan: all of ogive's errors. The param
// options stand for the function's own parameters.
func prepare(op ogive.Op, x *Node, opts []ogive.Option, param ...ogive.Option) *ogive.Plan {
	if x == nil {
		fail(op, ogive.ErrShape, "x is nil")
	}
	dt := ogiveDType(op, x)
	for _, o := range opts {
		if !slices.ContainsFunc(graphOptions, o.Is) {
			fail(op, ogive.ErrOption, "option %v has no meaning in a graph", o)
		}
	}
	plan, err := ogive.Prepare(op, dt, x.Shape().Dimensions, slices.Concat(opts, param)...)
	if err != nil {
		throw(err)
	}
	return plan
}
