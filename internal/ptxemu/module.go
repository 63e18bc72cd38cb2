package ptxemu

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/ogive-go/ogive/internal/cudrv"
)

// library is a PTX text with all its kernels decoded. It belongs to no device.
type library struct {
	unit     *unit
	programs map[string]*program
}

// libraries are those that were loaded, by their text. A process has few, and loads
// them on many devices.
var libraries sync.Map

// libraryOf returns a PTX text decoded, now or before.
func libraryOf(ptx string) (*library, error) {
	if l, ok := libraries.Load(ptx); ok {
		return l.(*library), nil
	}
	l, err := newLibrary(ptx)
	if err == nil {
		libraries.Store(ptx, l)
	}
	return l, err
}

// newLibrary decodes a PTX text.
func newLibrary(ptx string) (*library, error) {
	u, err := parse(ptx)
	if err != nil {
		return nil, err
	}
	l := &library{unit: u, programs: map[string]*program{}}
	kernels := slices.SortedFunc(maps.Values(u.funcs), func(f, g *function) int { return f.line - g.line })
	for _, f := range kernels {
		if !f.entry || !f.defined {
			continue
		}
		if l.programs[f.name], err = assemble(u, f); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// module is a library on a device.
type module struct {
	device  *Device
	library *library
	globals map[*symbol]*region
	kernels map[kernelKey]*kernel
}

// kernelKey is what Function was asked for.
type kernelKey struct {
	name   string
	shared int
}

// kernel is a function of a module, with the shared memory that was asked for it.
type kernel struct {
	module  *module
	prog    *program
	dynamic int // bytes of dynamic shared memory that are allowed
	places  []*block
	threads int // of the blocks in places
	hints   []*region
}

// The most shared memory that a block has without asking, and the most threads.
const (
	defaultShared = 48 << 10
	maxThreads    = 1024
)

// cudaOf returns the first version of CUDA, as drivers number them, that knows a
// version of PTX.
func cudaOf(ptx int) int {
	switch {
	case ptx >= 90:
		return 13000 + 10*(ptx-90)
	case ptx >= 80:
		return 12000 + 10*(ptx-80)
	case ptx >= 70:
		return 11000 + 10*(ptx-70)
	}
	return map[int]int{60: 9000, 61: 9010, 62: 9020, 63: 10000, 64: 10010, 65: 10020}[ptx]
}

// Load decodes all kernels of a text, so that one that cannot be run is known here.
func (d *Device) Load(ptx []byte) (cudrv.Module, error) {
	if err := d.enter("Load"); err != nil {
		return nil, err
	}
	defer d.leave()
	text, read := string(ptx), libraryOf
	if rewrite := d.context.options.Rewrite; rewrite != nil {
		if changed := rewrite(text); changed != text {
			text, read = changed, newLibrary
		}
	}
	l, err := read(text)
	if err != nil {
		return nil, &cudrv.LaunchError{Log: err.Error(), Cause: errors.New("invalid PTX")}
	}
	o := d.context.options
	if cudaOf(l.unit.version) > o.Version {
		return nil, cudrv.ErrPTXVersion
	}
	if l.unit.target > o.Capability {
		return nil, &cudrv.LaunchError{
			Log:   fmt.Sprintf("target sm_%d on a device of sm_%d", l.unit.target, o.Capability),
			Cause: errors.New("no kernel for the device"),
		}
	}
	m := &module{device: d, library: l, globals: map[*symbol]*region{}, kernels: map[kernelKey]*kernel{}}
	return m, m.placeGlobals()
}

// placeGlobals makes the module's variables.
func (m *module) placeGlobals() error {
	u := m.library.unit
	for _, s := range u.order {
		if s.space != globalSpace {
			continue
		}
		r := m.device.context.heap.add(uint64(s.size))
		r.module, r.constant = true, s.fixed
		copy(r.data, s.init)
		m.globals[s] = r
	}
	for s, r := range m.globals {
		for _, rel := range s.relocs {
			target := m.globals[u.globals.symbols[rel.symbol]]
			if target == nil {
				return &cudrv.LaunchError{Log: "no variable " + rel.symbol, Cause: errors.New("invalid PTX")}
			}
			binary.LittleEndian.PutUint64(r.data[rel.at:], target.base+uint64(rel.add))
		}
	}
	return nil
}

// Function returns a kernel.
func (m *module) Function(name string, sharedMemory int) (cudrv.Function, error) {
	if err := m.device.enter("Function"); err != nil {
		return nil, err
	}
	defer m.device.leave()
	key := kernelKey{name, sharedMemory}
	if k := m.kernels[key]; k != nil {
		return k, nil
	}
	p := m.library.programs[name]
	if p == nil {
		return nil, &cudrv.CallError{Call: "cuModuleGetFunction", Code: 500, Name: "CUDA_ERROR_NOT_FOUND", Text: "no kernel " + name}
	}
	k := &kernel{module: m, prog: p, dynamic: defaultShared - p.static}
	if p.static > defaultShared {
		return nil, &cudrv.LaunchError{Kernel: name, Cause: fmt.Errorf("%w: %d bytes of static shared memory", ErrInvalidLaunch, p.static)}
	}
	if sharedMemory > k.dynamic {
		if limit := m.device.context.options.SharedMemory; p.static+sharedMemory > limit {
			return nil, invalid("cuFuncSetAttribute", "%d bytes of shared memory, %d of them static: the device has %d", p.static+sharedMemory, p.static, limit)
		}
		k.dynamic = sharedMemory
	}
	m.kernels[key] = k
	return k, nil
}

// Name returns the kernel's name.
func (k *kernel) Name() string { return k.prog.name }
