//go:build linux && !android && (amd64 || arm64)

package cudrv

import (
	"fmt"
	"unsafe"
)

// result is a CUresult.
type result uint32

// The results that the binding tells apart, as in cuda.h.
const (
	success               result = 0
	outOfMemory           result = 2
	stubLibrary           result = 34
	noDevice              result = 100
	unsupportedPTXVersion result = 222
)

// lost reports whether nothing works any more in the process on this device. cuda.h
// says of most of these that "any further CUDA work will return the same error", of 709
// and 710 that the context cannot be used; after 214 and 220, memory is not to be
// trusted.
func (r result) lost() bool {
	switch r {
	case 214, // ECC_UNCORRECTABLE
		220,                          // NVLINK_UNCORRECTABLE
		226,                          // CONTAINED
		700,                          // ILLEGAL_ADDRESS
		702,                          // LAUNCH_TIMEOUT
		709,                          // CONTEXT_IS_DESTROYED
		710,                          // ASSERT
		714, 715, 716, 717, 718, 719, // HARDWARE_STACK_ERROR to LAUNCH_FAILED
		721, // TENSOR_MEMORY_LEAK
		810, // MPS_CLIENT_TERMINATED
		912: // EXTERNAL_DEVICE
		return true
	}
	return false
}

// error returns the failure of a call.
func (p *proc) error(code result) *CallError {
	return &CallError{
		Call: p.name,
		Code: int(code),
		Name: describe(cuGetErrorName, code, "unknown code"),
		Text: describe(cuGetErrorString, code, "the driver has no text for it"),
	}
}

// describe asks the driver for the name or the text of a code.
func describe(p *proc, code result, otherwise string) string {
	if p.addr == 0 {
		return otherwise
	}
	var text *byte
	if r := p.callOut(uintptr(code), uintptr(unsafe.Pointer(&text))); r != success || text == nil {
		return otherwise
	}
	return goString(text)
}

// goString copies a C string.
func goString(p *byte) string {
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}

// failed turns a result of a call on the device into an error. A result after which
// nothing works marks the device.
func (d *device) failed(p *proc, code result) error {
	if code == success {
		return nil
	}
	err := error(p.error(code))
	if code.lost() {
		err = fmt.Errorf("%w: %w", ErrDeviceLost, err)
		d.lost.CompareAndSwap(nil, &err)
	}
	return err
}
