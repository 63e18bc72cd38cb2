package cudrv

import (
	"errors"
	"fmt"
)

// The failures that have no details.
var (
	ErrNoDriver   = errors.New("no CUDA driver")
	ErrNoDevice   = errors.New("no such CUDA device")
	ErrDeviceLost = errors.New("the CUDA device is lost: a kernel failed in a way that ends all work of the process on it")
	ErrClosed     = errors.New("the CUDA device is closed")
	ErrPTXVersion = errors.New("the CUDA driver is too old for these kernels")
)

// OutOfMemoryError is a failure to allocate.
type OutOfMemoryError struct {
	Want, Free, Total uint64 // bytes
}

func (e *OutOfMemoryError) Error() string {
	return fmt.Sprintf("%d bytes are not there: %d of %d bytes of the device's memory are free", e.Want, e.Free, e.Total)
}

// DriverTooOldError is a driver that lacks what the binding calls.
type DriverTooOldError struct {
	Have, Need int // CUDA versions, such as 12040 for 12.4
}

func (e *DriverTooOldError) Error() string {
	return fmt.Sprintf("the driver is of CUDA %d.%d, at least %d.%d is needed", e.Have/1000, e.Have%1000/10, e.Need/1000, e.Need%1000/10)
}

// ArchError is a device that is too old.
type ArchError struct {
	Have, Need int // compute capabilities, such as 75 for 7.5
}

func (e *ArchError) Error() string {
	return fmt.Sprintf("the device has compute capability %d.%d, at least %d.%d is needed", e.Have/10, e.Have%10, e.Need/10, e.Need%10)
}

// CallError is a call of the driver that failed.
type CallError struct {
	Call string // the driver's function
	Code int    // CUresult
	Name string // of the code, such as CUDA_ERROR_INVALID_VALUE
	Text string // what it means
}

func (e *CallError) Error() string {
	return fmt.Sprintf("%s: %s (%d): %s", e.Call, e.Name, e.Code, e.Text)
}

// LaunchError is a kernel that could not be compiled or started.
type LaunchError struct {
	Kernel string // "" for a module, whose kernels are compiled together
	Log    string // of the compiler, if it failed
	Cause  error
}

func (e *LaunchError) Error() string {
	s := fmt.Sprintf("kernel %s: %v", e.Kernel, e.Cause)
	if e.Kernel == "" {
		s = fmt.Sprintf("compiling kernels: %v", e.Cause)
	}
	if e.Log != "" {
		s += ": " + e.Log
	}
	return s
}

func (e *LaunchError) Unwrap() error { return e.Cause }
