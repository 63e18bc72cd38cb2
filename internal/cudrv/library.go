//go:build linux && !android && (amd64 || arm64)

package cudrv

import (
	"sync"

	"github.com/ebitengine/purego"
)

// The part of the driver's API that the binding calls. cuda.h hides that the current
// forms of some functions have a suffix. There is one set for the process, as there is
// one driver.
var (
	cuInit             = required("cuInit")
	cuDriverGetVersion = required("cuDriverGetVersion")
	cuGetErrorName     = required("cuGetErrorName")
	cuGetErrorString   = required("cuGetErrorString")

	cuDeviceGetCount     = required("cuDeviceGetCount")
	cuDeviceGet          = required("cuDeviceGet")
	cuDeviceGetName      = required("cuDeviceGetName")
	cuDeviceGetUUID      = required("cuDeviceGetUuid")
	cuDeviceGetUUIDv2    = optional("cuDeviceGetUuid_v2") // 11.4, for parts of a device
	cuDeviceGetAttribute = required("cuDeviceGetAttribute")
	cuDeviceTotalMem     = required("cuDeviceTotalMem_v2")

	cuDevicePrimaryCtxRetain  = required("cuDevicePrimaryCtxRetain")
	cuDevicePrimaryCtxRelease = required("cuDevicePrimaryCtxRelease_v2")
	cuCtxPushCurrent          = required("cuCtxPushCurrent_v2")
	cuCtxPopCurrent           = required("cuCtxPopCurrent_v2")
	cuCtxSynchronize          = required("cuCtxSynchronize")

	cuModuleLoadDataEx  = required("cuModuleLoadDataEx")
	cuModuleUnload      = required("cuModuleUnload")
	cuModuleGetFunction = required("cuModuleGetFunction")
	cuFuncSetAttribute  = required("cuFuncSetAttribute")
	cuLaunchKernel      = required("cuLaunchKernel")

	cuMemAlloc            = required("cuMemAlloc_v2")
	cuMemFree             = required("cuMemFree_v2")
	cuMemGetInfo          = required("cuMemGetInfo_v2")
	cuMemHostAlloc        = required("cuMemHostAlloc")
	cuMemFreeHost         = required("cuMemFreeHost")
	cuPointerGetAttribute = required("cuPointerGetAttribute")
	cuMemcpyHtoDAsync     = required("cuMemcpyHtoDAsync_v2")
	cuMemcpyDtoHAsync     = required("cuMemcpyDtoHAsync_v2")
	cuMemcpyDtoDAsync     = required("cuMemcpyDtoDAsync_v2")
	cuMemsetD8Async       = required("cuMemsetD8Async")

	cuStreamCreate      = required("cuStreamCreate")
	cuStreamDestroy     = required("cuStreamDestroy_v2")
	cuStreamSynchronize = required("cuStreamSynchronize")
	cuEventCreate       = required("cuEventCreate")
	cuEventDestroy      = required("cuEventDestroy_v2")
	cuEventRecord       = required("cuEventRecord")
	cuEventSynchronize  = required("cuEventSynchronize")
)

// proc is a function of the library.
type proc struct {
	name     string
	optional bool
	addr     uintptr // 0 until bound, and where the library lacks it
}

// procs are all functions, for bind.
var procs []*proc

func required(name string) *proc {
	p := &proc{name: name}
	procs = append(procs, p)
	return p
}

func optional(name string) *proc {
	p := required(name)
	p.optional = true
	return p
}

// bind looks all functions up. It returns the first that is missing, or nil.
func bind(library uintptr) (missing *proc) {
	for _, p := range procs {
		addr, err := purego.Dlsym(library, p.name)
		if err != nil {
			addr = 0
			if !p.optional && missing == nil {
				missing = p
			}
		}
		p.addr = addr
	}
	return missing
}

// argLists holds the memory in which arguments travel: SyscallN lets its list escape,
// which would be an allocation for each call.
var argLists = sync.Pool{New: func() any { return new([11]uintptr) }}

// call calls the function. Go memory that an argument points to is kept by someone else
// until call returns.
func (p *proc) call(args ...uintptr) result {
	list := argLists.Get().(*[11]uintptr)
	n := copy(list[:], args)
	r, _, _ := purego.SyscallN(p.addr, list[:n]...)
	argLists.Put(list)
	return result(uint32(r)) // the upper half of the register may hold anything
}

// callOut is call with results in variables: an argument uintptr(unsafe.Pointer(&v))
// puts v on the heap and keeps it there until callOut returns. It allocates.
//
//go:uintptrescapes
func (p *proc) callOut(args ...uintptr) result {
	r, _, _ := purego.SyscallN(p.addr, args...)
	return result(uint32(r))
}
