// Package cuda lets tensors lie in the memory of an NVIDIA GPU and runs the operations
// of package ogive there, with the same answers bit for bit:
//
//	gpu, err := cuda.Open(0)
//	x, err := host.To(gpu)              // a copy in the GPU's memory
//	m, err := x.NaNMedian(ogive.Axis(0)) // computed there, and stays there
//	answer, err := m.ToHost()
//
// An operation runs where its tensors lie, and its result stays there. Nothing is moved
// silently: tensors of two places in one call are ErrDevice, and what a device cannot
// do, weights, groups and windows, is [ErrUnsupported].
//
// The package calls the CUDA driver, libcuda.so.1, when a device is opened. It needs no
// cgo and no CUDA toolkit, neither to build nor to run. A program that imports it is
// linked dynamically against the C library; one that does not is not touched. It runs
// on Linux, amd64 and arm64, with drivers for CUDA 11.0 and later, on devices of
// compute capability 6.0 (Pascal) and later. Elsewhere Open returns [ErrNoDriver]. The
// environment variable OGIVE_LIBCUDA names another library, OGIVE_CUDA=off forbids to
// look for one.
//
// All errors wrap ogive.ErrDevice, and one of those here.
package cuda
