package cuda

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/cudrv"
	"github.com/ogive-go/ogive/internal/cukern"
	"github.com/ogive-go/ogive/internal/engine"
	"github.com/ogive-go/ogive/internal/errs"
)

// What can be wrong with a device, for errors.Is.
var (
	ErrNoDriver    = cudrv.ErrNoDriver   // there is no CUDA driver, or it cannot be loaded
	ErrNoDevice    = cudrv.ErrNoDevice   // no device has the number
	ErrDeviceLost  = cudrv.ErrDeviceLost // a kernel of this process broke the device; only a new process can use it
	ErrClosed      = cudrv.ErrClosed     // the device has been closed
	ErrUnsupported = errors.New("not supported on CUDA devices")
)

// What can be wrong with a device, with details, for errors.As.
type (
	DriverTooOldError = cudrv.DriverTooOldError // the driver lacks what is called
	ArchError         = cudrv.ArchError         // the device is too old for the kernels
	OutOfMemoryError  = cudrv.OutOfMemoryError  // the device's memory does not suffice
	LaunchError       = cudrv.LaunchError       // a kernel could not be compiled or started
)

// Device is a GPU. It may be used by many goroutines at once: each operation has a
// stream of its own, and is done when the call returns.
type Device struct {
	number int
	dev    cudrv.Device
	info   cudrv.Info
	limits limits

	mu        sync.Mutex
	modules   map[string]cudrv.Module
	functions map[function]cudrv.Function
	streams   []cudrv.Stream         // idle
	held      map[cudrv.Ptr]struct{} // memory of tensors
	dropped   []cudrv.Ptr            // that of tensors that nobody holds any more
	closed    bool
}

// function is a kernel with the dynamic shared memory that it may have.
type function struct {
	module, kernel string
	shared         int
}

// Devices returns the number of CUDA devices. Its errors are ErrNoDriver and
// DriverTooOldError.
func Devices() (int, error) {
	driver, err := cudrv.Open()
	if err != nil {
		return 0, failed("Devices", err)
	}
	return driver.Devices(), nil
}

// Open returns device number i, counted from 0, as the driver numbers them (the
// environment variable CUDA_VISIBLE_DEVICES says which it shows). It keeps the device's
// primary context until Close, the one that other users of the device in this process
// have. Its errors are ErrNoDriver, at once where there is no driver, ErrNoDevice,
// DriverTooOldError and ArchError. The first Open takes the driver up to a second.
func Open(i int) (*Device, error) {
	driver, err := cudrv.Open()
	if err != nil {
		return nil, failed("Open", err)
	}
	return open(driver, i)
}

// open is Open with a driver.
func open(driver cudrv.Driver, i int) (*Device, error) {
	dev, err := driver.Open(i)
	if err != nil {
		return nil, failed("Open", err)
	}
	info := dev.Info()
	if info.Capability < cukern.Target {
		return nil, failed("Open", errors.Join(&ArchError{Have: info.Capability, Need: cukern.Target}, dev.Close()))
	}
	return &Device{number: i, dev: dev, info: info, limits: defaults, modules: map[string]cudrv.Module{}, functions: map[function]cudrv.Function{}, held: map[cudrv.Ptr]struct{}{}}, nil
}

// failed is an error of this package's functions.
func failed(op string, err error) error {
	return &errs.Error{Op: "cuda." + op, Kind: errs.ErrDevice, Cause: err}
}

// Name returns "cuda:" and the device's number.
func (d *Device) Name() string { return fmt.Sprintf("cuda:%d", d.number) }

// Model returns the name of the product, such as "NVIDIA H200".
func (d *Device) Model() string { return d.info.Name }

// Backend is for package ogive.
func (d *Device) Backend() engine.Backend { return (*backend)(d) }

// MemInfo returns how many bytes of the device's memory are free, and how many there
// are. Memory that the package keeps for later tensors counts as used.
func (d *Device) MemInfo() (free, total uint64, err error) {
	if free, total, err = d.dev.MemInfo(); err != nil {
		return 0, 0, failed("MemInfo", err)
	}
	return free, total, nil
}

// Close gives the device back. Tensors on it can no longer be used, which is ErrClosed,
// and their memory is freed. A second Close does nothing. No operation may be running.
func (d *Device) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil
	}
	d.closed = true
	var all error
	for _, s := range d.streams {
		all = errors.Join(all, s.Close())
	}
	for at := range d.held {
		all = errors.Join(all, d.dev.Free(at))
	}
	d.streams, d.held, d.dropped = nil, nil, nil
	if all = errors.Join(all, d.dev.Close()); all != nil {
		return failed("Close", all)
	}
	return nil
}

// Warm compiles the kernels for elements of the dtypes, for all dtypes if none is
// given, which otherwise happens when they are first used and takes the driver some
// tenths of a second each; it keeps them in a cache of its own on disk.
func (d *Device) Warm(dtypes ...dtype.DType) error {
	if len(dtypes) == 0 {
		dtypes = dtype.All()
	}
	families := []string{"choose", "blend", "elements"}
	for _, dt := range dtypes {
		if !dt.IsOrdered() {
			continue
		}
		for _, family := range []string{"stack", "tall", "rows", "radix", "bracket", "locate"} {
			if m := family + "_" + codeOf(dt).suffix; !slices.Contains(families, m) {
				families = append(families, m)
			}
		}
	}
	for _, m := range families {
		if _, err := d.module(m); err != nil {
			return failed("Warm", err)
		}
	}
	return nil
}

// module returns a module, compiled. A lock is held meanwhile: others would compile it
// once more.
func (d *Device) module(name string) (cudrv.Module, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, ErrClosed
	}
	m := d.modules[name]
	if m == nil {
		var err error
		if m, err = d.dev.Load(cukern.PTX(name)); err != nil {
			return nil, err
		}
		d.modules[name] = m
	}
	return m, nil
}

// function returns a kernel.
func (d *Device) function(f function) (cudrv.Function, error) {
	d.mu.Lock()
	known := d.functions[f]
	d.mu.Unlock()
	if known != nil {
		return known, nil
	}
	m, err := d.module(f.module)
	if err != nil {
		return nil, err
	}
	if known, err = m.Function(f.kernel, f.shared); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.functions[f] = known
	return known, nil
}

var _ ogive.Device = (*Device)(nil)
