//go:build linux && !android && (amd64 || arm64)

package cudrv

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
)

// oldest is the first CUDA version with all that the binding must have: 11.0, which
// brought cuDevicePrimaryCtxRelease_v2.
const oldest = 11000

// oldestCapability is the compute capability that the kernels are compiled for: 6.0,
// Pascal.
const oldestCapability = 60

// libraryPaths lists where the driver's library is: where the loader looks, where some
// container hosts mount it, and where WSL and NixOS have it. The name without a version
// is not among them: that is the toolkit's stub, for linkers.
var libraryPaths = []string{
	"libcuda.so.1",
	"/usr/local/nvidia/lib64/libcuda.so.1",
	"/usr/lib/wsl/lib/libcuda.so.1",
	"/run/opengl-driver/lib/libcuda.so.1",
}

// noDriverError says what was tried in vain.
type noDriverError struct{ tried []error }

func (e *noDriverError) Error() string {
	texts := make([]string, len(e.tried))
	for i, err := range e.tried {
		texts[i] = err.Error()
	}
	return ErrNoDriver.Error() + ": " + strings.Join(texts, "; ")
}

func (e *noDriverError) Unwrap() []error { return append([]error{ErrNoDriver}, e.tried...) }

// initialize loads the first library that is there, and starts it.
func initialize() (Driver, error) {
	paths := libraryPaths
	if path := os.Getenv("OGIVE_LIBCUDA"); path != "" {
		paths = []string{path} // a choice that fails is not made up for silently
	}
	var tried []error
	for _, path := range paths {
		d, err := start(path)
		if err == nil {
			return d, nil
		}
		if errors.As(err, new(*DriverTooOldError)) {
			return nil, err
		}
		tried = append(tried, err)
		if call := (*CallError)(nil); errors.As(err, &call) && result(call.Code) != stubLibrary {
			break // it is the driver, and does not start
		}
	}
	return nil, &noDriverError{tried}
}

// start loads one library and starts the driver in it.
func start(path string) (*driver, error) {
	library, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		if strings.HasPrefix(err.Error(), path) {
			return nil, err
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	missing := bind(library)
	if cuDriverGetVersion.addr == 0 {
		return nil, fmt.Errorf("%s: %s is not there", path, cuDriverGetVersion.name)
	}
	d := new(driver)
	var version, count int32
	if code := cuDriverGetVersion.callOut(uintptr(unsafe.Pointer(&version))); code != success {
		return nil, fmt.Errorf("%s: %w", path, cuDriverGetVersion.error(code))
	}
	if d.version = int(version); d.version < oldest {
		return nil, &DriverTooOldError{Have: d.version, Need: oldest}
	}
	if missing != nil {
		return nil, fmt.Errorf("%s: %s is not there", path, missing.name)
	}
	switch code := cuInit.call(0); code {
	case success:
	case noDevice:
		d.none = cuInit.error(code)
		return d, nil
	default:
		return nil, fmt.Errorf("%s: %w", path, cuInit.error(code))
	}
	if code := cuDeviceGetCount.callOut(uintptr(unsafe.Pointer(&count))); code != success {
		return nil, fmt.Errorf("%s: %w", path, cuDeviceGetCount.error(code))
	}
	d.devices = int(count)
	return d, nil
}
