// Package errs holds the sentinels that every error of ogive wraps, and the
// error value itself. The root package re-exports both.
package errs

import (
	"errors"
	"fmt"
)

// The sentinels, one for each way in which a call can be wrong. Compare with
// errors.Is.
var (
	ErrAxis    = errors.New("axis out of range or repeated")
	ErrQ       = errors.New("quantile outside its range")
	ErrMethod  = errors.New("unknown or unsuitable method")
	ErrOption  = errors.New("option not taken by the operation")
	ErrDType   = errors.New("dtype not supported by the operation")
	ErrShape   = errors.New("wrong shape")
	ErrEmpty   = errors.New("no elements to reduce")
	ErrOut     = errors.New("unsuitable output")
	ErrWeights = errors.New("bad weights")
	ErrDevice  = errors.New("device failure or mismatch")
	ErrFormat  = errors.New("malformed or unsupported file")
)

// Error is a failed operation: which, why, and the sentinel it belongs to.
type Error struct {
	Op     string // the operation, such as "quantile"; may be empty
	Kind   error  // one of the sentinels
	Detail string // the offending value and what is allowed; may be empty beside a cause
	Cause  error  // what failed below, or nil
}

// New returns an *Error without an operation; see [Error.In].
func New(kind error, format string, args ...any) *Error {
	return &Error{Kind: kind, Detail: fmt.Sprintf(format, args...)}
}

// In returns e with the operation's name set.
func (e *Error) In(op string) *Error {
	named := *e
	named.Op = op
	return &named
}

// Named returns err, or, if it is an *Error that no operation has been given, that of op.
func Named(op string, err error) error {
	if e, ok := err.(*Error); ok && e.Op == "" {
		return e.In(op)
	}
	return err
}

// Error returns "op: detail", the detail alone where there is no operation.
func (e *Error) Error() string {
	s := e.Detail
	switch {
	case e.Cause == nil:
	case s == "":
		s = e.Cause.Error()
	default:
		s += ": " + e.Cause.Error()
	}
	if e.Op == "" {
		return s
	}
	return e.Op + ": " + s
}

// Unwrap returns the sentinel and the cause.
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Cause}
}
