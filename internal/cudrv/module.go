//go:build linux && !android && (amd64 || arm64)

package cudrv

import (
	"bytes"
	"fmt"
	"runtime"
	"sync"
	"unsafe"
)

// Options of the compiler, CUjit_option.
const (
	jitErrorLogBuffer     = 5
	jitErrorLogBufferSize = 6
)

// jitLogSize is enough for the first errors, which are those that matter.
const jitLogSize = 8 << 10

// attributeMaxDynamicShared is the attribute of a kernel, CUfunction_attribute, that
// permits more dynamic shared memory than the 48 KiB that every device has.
const attributeMaxDynamicShared = 8

// module is PTX that the driver compiled.
type module struct {
	device *device
	handle uintptr

	mu        sync.Mutex
	functions map[string]*function
}

// function is a kernel of a module.
type function struct {
	device *device
	handle uintptr
	name   string
	shared int // bytes of dynamic shared memory that it was allowed, under module.mu
}

func (f *function) Name() string { return f.name }

// jitOptions are the arrays that cuModuleLoadDataEx takes.
type jitOptions struct {
	names  [2]int32
	values [2]uintptr // pointers, or numbers in their place
	log    [jitLogSize]byte
}

func (d *device) Load(ptx []byte) (Module, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	image := append(bytes.Clone(ptx), 0) // the driver reads up to a zero
	o := new(jitOptions)
	var pinner runtime.Pinner
	defer pinner.Unpin()
	pinner.Pin(o)
	o.names = [...]int32{jitErrorLogBuffer, jitErrorLogBufferSize}
	o.values = [...]uintptr{uintptr(unsafe.Pointer(&o.log)), jitLogSize - 1}

	m := &module{device: d, functions: map[string]*function{}}
	code := cuModuleLoadDataEx.callOut(uintptr(unsafe.Pointer(&m.handle)), uintptr(unsafe.Pointer(&image[0])),
		uintptr(len(o.names)), uintptr(unsafe.Pointer(&o.names)), uintptr(unsafe.Pointer(&o.values)))
	switch {
	case code == success:
		d.mu.Lock()
		d.modules = append(d.modules, m.handle)
		d.mu.Unlock()
		return m, nil
	case code == unsupportedPTXVersion:
		return nil, fmt.Errorf("%w: %w", ErrPTXVersion, cuModuleLoadDataEx.error(code))
	case code.lost():
		return nil, d.failed(cuModuleLoadDataEx, code)
	}
	log, _, _ := bytes.Cut(o.log[:], []byte{0})
	return nil, &LaunchError{Log: string(bytes.TrimSpace(log)), Cause: cuModuleLoadDataEx.error(code)}
}

// Function looks a kernel up once: the driver has one handle for it, whose permission
// only grows.
func (m *module) Function(name string, sharedMemory int) (Function, error) {
	d := m.device
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.functions[name]
	if f == nil {
		f = &function{device: d, name: name}
		symbol := append([]byte(name), 0)
		if code := cuModuleGetFunction.callOut(uintptr(unsafe.Pointer(&f.handle)), m.handle, uintptr(unsafe.Pointer(&symbol[0]))); code != success {
			return nil, d.launchFailed(name, cuModuleGetFunction, code)
		}
		m.functions[name] = f
	}
	if sharedMemory > f.shared {
		if code := cuFuncSetAttribute.call(f.handle, attributeMaxDynamicShared, uintptr(sharedMemory)); code != success {
			return nil, d.launchFailed(name, cuFuncSetAttribute, code)
		}
		f.shared = sharedMemory
	}
	return f, nil
}

// launchFailed is failed for what concerns one kernel.
func (d *device) launchFailed(kernel string, p *proc, code result) error {
	err := d.failed(p, code)
	if code.lost() {
		return err
	}
	return &LaunchError{Kernel: kernel, Cause: err}
}
