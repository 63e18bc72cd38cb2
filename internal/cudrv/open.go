package cudrv

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
)

// initialized loads the library and starts the driver. That happens once in a process,
// and its outcome stays: cuInit cannot be undone, and what it saw of the environment
// cannot be changed.
var initialized = sync.OnceValues(initialize)

// Open returns the CUDA driver of this computer. The first call loads libcuda and
// starts the driver, which may take a second; a program that never calls it does not
// touch CUDA.
//
// Special cases are:
//   - the environment variable OGIVE_CUDA=off gives an error that wraps ErrNoDriver
//   - OGIVE_LIBCUDA names the library to load; without it, libcuda.so.1 is looked for
//     where loaders, containers and distributions have it
//   - no library, or one that does not start: an error that wraps ErrNoDriver and says
//     what was tried
//   - a driver older than CUDA 11.0 gives *DriverTooOldError
//   - a driver without a device is no error: Devices returns 0
//   - on platforms other than Linux on amd64 and arm64, always ErrNoDriver
func Open() (Driver, error) {
	if d := substitute.Load(); d != nil {
		return *d, nil
	}
	if off := os.Getenv("OGIVE_CUDA"); strings.EqualFold(off, "off") {
		return nil, fmt.Errorf("%w: OGIVE_CUDA=%s", ErrNoDriver, off)
	}
	return initialized()
}

var substitute atomic.Pointer[Driver]

// Use makes Open return another driver until the returned function is called: package
// ptxemu's, in tests of what lies above.
func Use(d Driver) (restore func()) {
	before := substitute.Swap(&d)
	return func() { substitute.Store(before) }
}
