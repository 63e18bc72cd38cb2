// Package cudrv is the CUDA driver as package cuda uses it: an interface, and
// [Open], which implements it by calling libcuda without cgo. Package ptxemu
// implements it by interpreting the kernels, for tests.
//
// The interface hides what the driver asks of its callers: contexts that belong to
// threads, pinned memory, parameters behind pointers. All methods may be called by
// many goroutines at once, but those of one Stream only by one at a time.
package cudrv

// Ptr is an address in the memory of a device. It is no pointer: the host cannot
// read what is there.
type Ptr uint64

// Driver is the CUDA driver.
type Driver interface {
	// Version returns the newest CUDA version that the driver supports, such as 12040
	// for 12.4.
	Version() int
	// Devices returns the number of devices.
	Devices() int
	// Open returns device number i, counted from 0, whose primary context it holds
	// until the device is closed. ErrNoDevice if there is none.
	Open(i int) (Device, error)
}

// Info describes a device.
type Info struct {
	Name         string
	UUID         [16]byte
	Capability   int    // compute capability, 10·major + minor: 75, 80, 90
	Processors   int    // multiprocessors
	SharedMemory int    // bytes that a block may have, if its kernel asks for them
	Memory       uint64 // bytes in all
}

// Device is a device with its primary context.
type Device interface {
	Info() Info
	// MemInfo returns how many bytes are free, and how many there are.
	MemInfo() (free, total uint64, err error)
	// Load compiles a module of PTX. A failure is a *LaunchError with the compiler's
	// log, or ErrPTXVersion where the PTX is newer than the driver.
	Load(ptx []byte) (Module, error)
	// NewStream returns a queue of work, which is done in its order.
	NewStream() (Stream, error)
	// Alloc returns memory, aligned to 256 bytes, with unspecified contents;
	// *OutOfMemoryError if there is not as much.
	Alloc(bytes int) (Ptr, error)
	// Free gives memory back, which no queued work may still use.
	Free(p Ptr) error
	// Owns reports whether p is an address of this device's memory.
	Owns(p Ptr) bool
	// Close gives back the context. The streams and modules are gone with it, memory
	// is not: it is freed before.
	Close() error
}

// Module holds compiled kernels.
type Module interface {
	// Function returns the kernel of that name. With sharedMemory > 0 it is allowed
	// to be launched with up to so many bytes of dynamic shared memory.
	Function(name string, sharedMemory int) (Function, error)
}

// Function is a kernel.
type Function interface{ Name() string }

// Launch is one launch of a kernel.
type Launch struct {
	Function Function
	Grid     [3]int // blocks; a zero counts as 1
	Block    int    // threads of a block
	Shared   int    // bytes of dynamic shared memory
	Args     []uint64
	// Args are the parameters, each in the low bytes of a word: integers and
	// pointers as they are, floats as their bits. There are at most MaxArgs.
}

// MaxArgs is the most parameters of a kernel.
const MaxArgs = 24

// Stream is a queue of work on a device.
type Stream interface {
	// Launch enqueues a kernel. Args may be changed when it returns.
	Launch(l *Launch) error
	// Upload enqueues a copy to the device; src may be changed when it returns.
	Upload(dst Ptr, src []byte) error
	// Download copies from the device after what was enqueued, and waits for it.
	Download(dst []byte, src Ptr) error
	// Copy enqueues a copy within the device.
	Copy(dst, src Ptr, bytes int) error
	// Fill enqueues the setting of bytes.
	Fill(dst Ptr, value byte, bytes int) error
	// Synchronize waits for all that was enqueued.
	Synchronize() error
	// Close waits and gives the stream back.
	Close() error
}
