//go:build linux && !android && (amd64 || arm64)

package cudrv

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// driver is the driver that was started.
type driver struct {
	version int
	devices int
	none    error // why there are no devices, if the driver said so
}

func (d *driver) Version() int { return d.version }
func (d *driver) Devices() int { return d.devices }

func (d *driver) Open(i int) (Device, error) {
	if i < 0 || i >= d.devices {
		if d.none != nil {
			return nil, fmt.Errorf("%w: device %d of %d: %w", ErrNoDevice, i, d.devices, d.none)
		}
		return nil, fmt.Errorf("%w: device %d of %d", ErrNoDevice, i, d.devices)
	}
	var ordinal int32
	if code := cuDeviceGet.callOut(uintptr(unsafe.Pointer(&ordinal)), uintptr(i)); code != success {
		return nil, cuDeviceGet.error(code)
	}
	info, err := inquire(ordinal)
	if err != nil {
		return nil, err
	}
	if info.Capability < oldestCapability {
		return nil, &ArchError{Have: info.Capability, Need: oldestCapability}
	}
	dev := &device{ordinal: ordinal, info: info, cache: newCache(), streams: map[*stream]struct{}{}}
	if code := cuDevicePrimaryCtxRetain.callOut(uintptr(unsafe.Pointer(&dev.context)), uintptr(ordinal)); code != success {
		return nil, cuDevicePrimaryCtxRetain.error(code)
	}
	return dev, nil
}

// Attributes of a device, CUdevice_attribute.
const (
	attributeProcessors      = 16
	attributeCapabilityMajor = 75
	attributeCapabilityMinor = 76
	attributeSharedMemory    = 97 // with the opt-in of cuFuncSetAttribute
)

// inquire asks for a device's properties.
func inquire(ordinal int32) (Info, error) {
	out := new(struct {
		major, minor, processors, shared int32
		memory                           uint64
		uuid                             [16]byte
		name                             [256]byte
	})
	var pinner runtime.Pinner
	defer pinner.Unpin()
	pinner.Pin(out)
	uuid := cuDeviceGetUUID
	if cuDeviceGetUUIDv2.addr != 0 {
		uuid = cuDeviceGetUUIDv2
	}
	device := uintptr(ordinal)
	for _, q := range []struct {
		proc *proc
		args [3]uintptr // some functions take two
	}{
		{cuDeviceGetAttribute, [3]uintptr{uintptr(unsafe.Pointer(&out.major)), attributeCapabilityMajor, device}},
		{cuDeviceGetAttribute, [3]uintptr{uintptr(unsafe.Pointer(&out.minor)), attributeCapabilityMinor, device}},
		{cuDeviceGetAttribute, [3]uintptr{uintptr(unsafe.Pointer(&out.processors)), attributeProcessors, device}},
		{cuDeviceGetAttribute, [3]uintptr{uintptr(unsafe.Pointer(&out.shared)), attributeSharedMemory, device}},
		{cuDeviceTotalMem, [3]uintptr{uintptr(unsafe.Pointer(&out.memory)), device}},
		{uuid, [3]uintptr{uintptr(unsafe.Pointer(&out.uuid)), device}},
		{cuDeviceGetName, [3]uintptr{uintptr(unsafe.Pointer(&out.name)), uintptr(len(out.name) - 1), device}},
	} {
		if code := q.proc.call(q.args[:]...); code != success {
			return Info{}, q.proc.error(code)
		}
	}
	return Info{
		Name:         goString(&out.name[0]),
		UUID:         out.uuid,
		Capability:   int(10*out.major + out.minor),
		Processors:   int(out.processors),
		SharedMemory: int(out.shared),
		Memory:       out.memory,
	}, nil
}

// device is a device with its primary context, which it shares with whoever else in
// the process uses the device. That is why a context is never created, reset, or left
// current on a thread.
type device struct {
	ordinal int32
	context uintptr
	info    Info
	cache   *cache

	// use is held for reading by every method while it works, for writing by Close.
	use    sync.RWMutex
	closed bool
	lost   atomic.Pointer[error] // why nothing works any more, or nil

	mu      sync.Mutex // of what follows
	streams map[*stream]struct{}
	modules []uintptr
	staging []*staging // those that no transfer uses

	popped uintptr // where cuCtxPopCurrent writes; nobody reads it
}

func (d *device) Info() Info { return d.info }

// begin starts a method: until end, the device is not closed. It calls nothing.
func (d *device) begin() error {
	d.use.RLock()
	if d.closed {
		d.use.RUnlock()
		return ErrClosed
	}
	if lost := d.lost.Load(); lost != nil {
		d.use.RUnlock()
		return *lost
	}
	return nil
}

func (d *device) end() { d.use.RUnlock() }

// enter is begin for a method that calls the driver: until leave, the goroutine stays
// on its thread, and the context is current there. Calls of enter do not nest.
func (d *device) enter() error {
	if err := d.begin(); err != nil {
		return err
	}
	if err := d.push(); err != nil {
		d.end()
		return err
	}
	return nil
}

func (d *device) leave() {
	d.pop()
	d.end()
}

// push makes the context current. A context belongs to a thread, and goroutines move
// between threads; push and pop rather than a context that stays, as the thread may
// have another one for its other users.
func (d *device) push() error {
	runtime.LockOSThread()
	if code := cuCtxPushCurrent.call(d.context); code != success {
		runtime.UnlockOSThread()
		return d.failed(cuCtxPushCurrent, code)
	}
	return nil
}

func (d *device) pop() {
	cuCtxPopCurrent.call(uintptr(unsafe.Pointer(&d.popped)))
	runtime.KeepAlive(d)
	runtime.UnlockOSThread()
}

// Close waits for the streams' work and gives everything back but the memory that is
// still lent: others may have been given its address. A device that is lost has nothing
// to give back but the context.
func (d *device) Close() error {
	d.use.Lock()
	defer d.use.Unlock()
	if d.closed {
		return nil
	}
	d.closed = true
	var failure error
	note := func(p *proc, code result) {
		if err := d.failed(p, code); failure == nil {
			failure = err
		}
	}
	if err := d.push(); err == nil {
		for s := range d.streams {
			note(cuStreamSynchronize, cuStreamSynchronize.call(s.handle))
			note(cuStreamDestroy, cuStreamDestroy.call(s.handle))
			s.args.release()
		}
		for _, s := range d.staging {
			s.free(note)
		}
		for _, p := range d.cache.trim() {
			note(cuMemFree, cuMemFree.call(uintptr(p)))
		}
		for _, m := range d.modules {
			note(cuModuleUnload, cuModuleUnload.call(m))
		}
		d.pop()
	} else {
		failure = err
	}
	d.streams, d.staging, d.modules = nil, nil, nil
	note(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease.call(uintptr(d.ordinal)))
	if d.lost.Load() != nil {
		return nil
	}
	return failure
}
