// Package bridge lets packages of this module reach what package ogive keeps
// from its users: the array under a tensor, the engine's plan of a call, the
// backend of a device.
//
// It lies below package ogive, whose types it therefore cannot name. Package
// ogive hands its functions over when it starts, and a package above it takes
// them with its types, once:
//
//	var tensors = bridge.TensorsOf[ogive.Tensor]()
//
// All further use, such as tensors.Array(x), is checked by the compiler; other
// types in that line are a panic when the program starts.
package bridge

import (
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/engine"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/internal/tuning"
)

// Tensors are the functions for tensors; Tensor is ogive.Tensor.
type Tensors[Tensor any] struct {
	// Wrap returns a tensor over an array.
	Wrap func(a nd.Array) *Tensor
	// Array returns the array of a tensor, which it shares.
	Array func(t *Tensor) *nd.Array
}

// Plans are the functions for plans; Op and Option are ogive's.
type Plans[Op, Option any] struct {
	// Prepare returns the plan of a call as the function of the operation makes
	// it, with the same errors: quantiles are a parameter, and not taken among the
	// options, or, if it is nil, they are among these. Out and OutIndices are not
	// taken. withIndex is set for a median with indices.
	Prepare func(op Op, dt dtype.DType, shape []int, quantiles *Option, opts []Option, withIndex bool) (*engine.Plan, error)
	// Tuned returns the option that gives a call other thresholds.
	Tuned func(t *tuning.Thresholds) Option
}

// Device is what a device has beside its name: an ogive.Device without it holds
// no tensors.
type Device interface{ Backend() engine.Backend }

var tensors, plans any // Tensors and Plans of package ogive's types

// Open sets the functions. Package ogive calls it.
func Open[Tensor, Op, Option any](t Tensors[Tensor], p Plans[Op, Option]) { tensors, plans = t, p }

// TensorsOf returns the functions for tensors, for importers of package ogive.
func TensorsOf[Tensor any]() Tensors[Tensor] { return tensors.(Tensors[Tensor]) }

// PlansOf returns the functions for plans, for importers of package ogive.
func PlansOf[Op, Option any]() Plans[Op, Option] { return plans.(Plans[Op, Option]) }
