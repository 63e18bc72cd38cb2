package ptxemu

import (
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/ogive-go/ogive/internal/cudrv"
)

// Options describe the devices of a [Driver]. A zero means the default.
type Options struct {
	Devices      int    // 1
	Capability   int    // 80
	Processors   int    // blocks that are on a device at once; 4
	Memory       uint64 // bytes of a device; 1 GiB
	SharedMemory int    // bytes that a block may ask for; 99 KiB
	Version      int    // of CUDA that the driver supports; 12040
	Seed         uint64 // of the order of blocks and warps

	// Quantum is how many instructions on average a warp executes before another has
	// its turn; 1024. A small one finds more of what depends on the order, and is slower.
	Quantum int
	// Budget is how many instructions the warps of one launch may execute before it
	// counts as endless; 2²⁸.
	Budget int64
	// Rewrite, if it is set, returns what is loaded in place of a module's text, or that
	// text itself. What it changed is not kept for others.
	Rewrite func(ptx string) string
	// Intercept, if it is set, is called before each call of a method of a device or
	// what belongs to it, with the method's name, such as "Alloc". The call fails with
	// the error that it returns.
	Intercept func(call string) error
}

// Driver is a CUDA driver whose devices are interpreted.
type Driver struct {
	options  Options
	contexts []*context
}

var (
	_ cudrv.Driver   = (*Driver)(nil)
	_ cudrv.Device   = (*Device)(nil)
	_ cudrv.Module   = (*module)(nil)
	_ cudrv.Function = (*kernel)(nil)
	_ cudrv.Stream   = (*stream)(nil)
)

// New returns a driver.
func New(o Options) *Driver {
	o.Devices = or(o.Devices, 1)
	o.Capability = or(o.Capability, 80)
	o.Processors = or(o.Processors, 4)
	o.Memory = or(o.Memory, 1<<30)
	o.SharedMemory = or(o.SharedMemory, 99<<10)
	o.Version = or(o.Version, 12040)
	o.Quantum = or(o.Quantum, 1024)
	o.Budget = or(o.Budget, 1<<28)
	d := &Driver{options: o}
	for i := range o.Devices {
		c := &context{options: o, number: i}
		// The devices of a driver do not mix up their addresses.
		c.heap = heap{total: o.Memory, next: globalBase + uint64(i)<<40, fresh: o.Seed << 20}
		c.stats.Kernels = map[string]KernelStats{}
		d.contexts = append(d.contexts, c)
	}
	return d
}

func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

// Version returns Options.Version.
func (d *Driver) Version() int { return d.options.Version }

// Devices returns Options.Devices.
func (d *Driver) Devices() int { return len(d.contexts) }

// Open returns a *[Device]. All that are opened with the same number share its memory
// and its fate.
func (d *Driver) Open(i int) (cudrv.Device, error) {
	if i < 0 || i >= len(d.contexts) {
		return nil, cudrv.ErrNoDevice
	}
	return &Device{context: d.contexts[i]}, nil
}

// context is the state of a device.
type context struct {
	mu       sync.Mutex
	options  Options
	number   int
	heap     heap
	stats    Stats
	launches uint64
	lost     error // what every call returns, once it is set
	fault    *Fault
}

// Device is a device of a [Driver].
type Device struct {
	context *context
	closed  bool
}

// enter locks the device for a call; leave ends that. An error says that the call fails.
func (d *Device) enter(call string) error {
	c := d.context
	c.mu.Lock()
	var err error
	switch {
	case d.closed:
		err = cudrv.ErrClosed
	case c.lost != nil:
		err = c.lost
	case c.options.Intercept != nil:
		err = c.options.Intercept(call)
	}
	if err != nil {
		c.mu.Unlock()
	}
	return err
}

func (d *Device) leave() { d.context.mu.Unlock() }

// Info describes the device.
func (d *Device) Info() cudrv.Info {
	o := d.context.options
	info := cudrv.Info{
		Name:         fmt.Sprintf("ptxemu sm_%d", o.Capability),
		Capability:   o.Capability,
		Processors:   o.Processors,
		SharedMemory: o.SharedMemory,
		Memory:       o.Memory,
	}
	binary.BigEndian.PutUint64(info.UUID[8:], uint64(d.context.number)+1)
	return info
}

// MemInfo counts allocations in steps of 256 bytes.
func (d *Device) MemInfo() (free, total uint64, err error) {
	if err := d.enter("MemInfo"); err != nil {
		return 0, 0, err
	}
	defer d.leave()
	h := &d.context.heap
	return h.total - h.used, h.total, nil
}

// Alloc returns memory with gaps around it and rubbish in it.
func (d *Device) Alloc(bytes int) (cudrv.Ptr, error) {
	if err := d.enter("Alloc"); err != nil {
		return 0, err
	}
	defer d.leave()
	if bytes <= 0 {
		return 0, invalid("cuMemAlloc", "%d bytes", bytes)
	}
	r, err := d.context.heap.alloc(uint64(bytes))
	if err != nil {
		return 0, err
	}
	return cudrv.Ptr(r.base), nil
}

// Free gives back an allocation. Its addresses are never used again.
func (d *Device) Free(p cudrv.Ptr) error {
	if err := d.enter("Free"); err != nil {
		return err
	}
	defer d.leave()
	if !d.context.heap.free(uint64(p)) {
		return invalid("cuMemFree", "%#x is no allocation", uint64(p))
	}
	return nil
}

// Owns reports whether p lies in an allocation.
func (d *Device) Owns(p cudrv.Ptr) bool {
	d.context.mu.Lock()
	defer d.leave()
	return d.context.heap.index(uint64(p)) >= 0
}

// Close ends the use of the device through d.
func (d *Device) Close() error {
	d.context.mu.Lock()
	defer d.leave()
	if d.closed {
		return cudrv.ErrClosed
	}
	d.closed = true
	return nil
}

// NewStream returns a queue that never holds anything: all is done at once.
func (d *Device) NewStream() (cudrv.Stream, error) {
	if err := d.enter("NewStream"); err != nil {
		return nil, err
	}
	defer d.leave()
	return &stream{device: d}, nil
}

// Stats returns what the device has done.
func (d *Device) Stats() Stats {
	d.context.mu.Lock()
	defer d.leave()
	return d.context.stats.clone()
}

// ResetStats starts counting anew, for regions too.
func (d *Device) ResetStats() {
	d.context.mu.Lock()
	defer d.leave()
	d.context.stats = Stats{Kernels: map[string]KernelStats{}}
	for _, r := range d.context.heap.regions {
		r.traffic = Traffic{}
	}
}

// Traffic returns what kernels have read and written of the allocation that p lies in.
func (d *Device) Traffic(p cudrv.Ptr) Traffic {
	d.context.mu.Lock()
	defer d.leave()
	if i := d.context.heap.index(uint64(p)); i >= 0 {
		return d.context.heap.regions[i].traffic
	}
	return Traffic{}
}

// Allocations returns how many allocations there are, and their bytes.
func (d *Device) Allocations() (count int, bytes uint64) {
	d.context.mu.Lock()
	defer d.leave()
	for _, r := range d.context.heap.regions {
		if !r.module {
			count++
			bytes += r.size
		}
	}
	return count, bytes
}

// Lose makes the device fail with cudrv.ErrDeviceLost from here on.
func (d *Device) Lose() {
	d.context.mu.Lock()
	defer d.leave()
	d.context.lost = cudrv.ErrDeviceLost
}

// Fault returns how a kernel lost the device, nil if none did.
func (d *Device) Fault() *Fault {
	d.context.mu.Lock()
	defer d.leave()
	return d.context.fault
}

// invalid is the driver's answer to an argument that is wrong.
func invalid(call, format string, args ...any) error {
	return &cudrv.CallError{Call: call, Code: 1, Name: "CUDA_ERROR_INVALID_VALUE", Text: fmt.Sprintf(format, args...)}
}
