package cudrv

import (
	"errors"
	"strings"
	"testing"
)

// Without a driver, Open says so, and what it tried, at once and every time.
func TestOpenWithoutDriver(t *testing.T) {
	t.Setenv("OGIVE_CUDA", "Off")
	if _, err := Open(); !errors.Is(err, ErrNoDriver) || !strings.Contains(err.Error(), "OGIVE_CUDA=Off") {
		t.Errorf("OGIVE_CUDA=Off: %v", err)
	}
	t.Setenv("OGIVE_CUDA", "")
	for range 2 {
		if _, err := Open(); err == nil {
			t.Skip("there is a driver")
		} else if !errors.Is(err, ErrNoDriver) || len(err.Error()) < len(ErrNoDriver.Error())+10 {
			t.Errorf("%v", err)
		}
	}
}

func TestErrorTexts(t *testing.T) {
	call := &CallError{"cuLaunchKernel", 1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"}
	for _, c := range []struct {
		err  error
		want string
	}{
		{call, "cuLaunchKernel: CUDA_ERROR_INVALID_VALUE (1): invalid argument"},
		{&OutOfMemoryError{Want: 3, Free: 1, Total: 2}, "3 bytes are not there: 1 of 2 bytes of the device's memory are free"},
		{&DriverTooOldError{Have: 10020, Need: 11000}, "the driver is of CUDA 10.2, at least 11.0 is needed"},
		{&ArchError{Have: 52, Need: 60}, "the device has compute capability 5.2, at least 6.0 is needed"},
		{&LaunchError{Kernel: "k", Cause: call}, "kernel k: " + call.Error()},
		{&LaunchError{Cause: call, Log: "line 1"}, "compiling kernels: " + call.Error() + ": line 1"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if !errors.Is(&LaunchError{Cause: call}, error(call)) {
		t.Error("LaunchError hides its cause")
	}
}
