package call

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/ogive-go/ogive"
)

// Status is ogive_status.
type Status int32

// errArgument is the sentinel of pointers, handles and structs; errRoom is no error.
var (
	errArgument = errors.New("bad argument")
	errRoom     = errors.New("a result needs more room")
)

// statuses are the sentinels, each at its status.
var statuses = []error{
	1: ogive.ErrAxis, ogive.ErrQ, ogive.ErrMethod, ogive.ErrOption, ogive.ErrDType, ogive.ErrShape,
	ogive.ErrEmpty, ogive.ErrOut, ogive.ErrWeights, ogive.ErrDevice, ogive.ErrFormat,
	errArgument, context.Canceled, errFault, errPanic, errRoom,
}

var (
	errFault = errors.New("memory that cannot be used")
	errPanic = errors.New("a fault of ogive's own, please report it")
)

// argument returns an error of a pointer, handle or struct.
func argument(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errArgument, fmt.Sprintf(format, args...))
}

// fail makes the request fail with its first error, and returns a zero.
func fail[T any](r *request, err error) (zero T) {
	if r.err == nil {
		r.err = err
	}
	return zero
}

// statusOf returns the status of an error.
func statusOf(err error) Status {
	if err == nil {
		return 0
	}
	for i, s := range statuses {
		if s != nil && errors.Is(err, s) {
			return Status(i)
		}
	}
	return statusOf(errFault) // grad.ErrChanged: x was written to
}

// guarded runs do, whose panics become errors: faults in memory that it reads, and others.
func guarded(do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch p := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }:
			err = fmt.Errorf("%w: address %#x; was a mapped file cut short?", errFault, p.Addr())
		default:
			err = fmt.Errorf("%w: %v", errPanic, p)
		}
	}()
	return do()
}

// tell writes the text of an error to the caller's memory.
func (r *request) tell(text string) {
	room := slice[byte](r, r.Message, r.MessageRoom, "message")
	if len(room) > 0 {
		text = strings.ToValidUTF8(text[:min(len(text), len(room)-1)], "")
		room[copy(room, text)] = 0
	}
}
