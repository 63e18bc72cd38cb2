package ogive

import "github.com/ogive-go/ogive/internal/errs"

// The sentinels that ogive's errors wrap; test with errors.Is. Every error is
// raised before any work: outputs are untouched. The exception is ErrFormat of a tensor
// over a mapped file that was cut short while it was read: outputs hold anything then.
var (
	// ErrAxis: an axis is out of range, given twice, or the list is empty.
	ErrAxis = errs.ErrAxis
	// ErrQ: a quantile is outside [0, 1] (a percentile outside [0, 100], a
	// fraction outside 0 ≤ num ≤ den), NaN, or there is none.
	ErrQ = errs.ErrQ
	// ErrMethod: the method is unknown, or the operation needs another kind.
	ErrMethod = errs.ErrMethod
	// ErrOption: the operation does not take the option, or its value is not
	// one of those allowed.
	ErrOption = errs.ErrOption
	// ErrDType: the operation is not defined for the dtype.
	ErrDType = errs.ErrDType
	// ErrShape: a shape is impossible, does not fit, or a tensor is nil.
	ErrShape = errs.ErrShape
	// ErrEmpty: a slice without elements has no quantile.
	ErrEmpty = errs.ErrEmpty
	// ErrOut: the tensor given to Out or OutIndices does not fit.
	ErrOut = errs.ErrOut
	// ErrWeights: a weight is negative or not finite, their sum is not
	// positive or too large, or their shape does not fit.
	ErrWeights = errs.ErrWeights
	// ErrDevice: tensors lie on different devices, or the device failed.
	ErrDevice = errs.ErrDevice
	// ErrFormat: a file is malformed or of an unsupported kind, or was cut short
	// while it was read.
	ErrFormat = errs.ErrFormat
)

// Error is the type of ogive's errors: the operation, the sentinel, and what
// was wrong. Use errors.As to reach it.
type Error = errs.Error
