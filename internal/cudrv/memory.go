//go:build linux && !android && (amd64 || arm64)

package cudrv

import (
	"fmt"
	"unsafe"
)

// MemInfo counts what the cache keeps as free: Alloc has it.
func (d *device) MemInfo() (free, total uint64, err error) {
	if err := d.enter(); err != nil {
		return 0, 0, err
	}
	defer d.leave()
	free, total, err = d.memInfo()
	return free + d.cache.idleBytes(), total, err
}

// memInfo asks the driver. The context is current.
func (d *device) memInfo() (free, total uint64, err error) {
	code := cuMemGetInfo.callOut(uintptr(unsafe.Pointer(&free)), uintptr(unsafe.Pointer(&total)))
	return free, total, d.failed(cuMemGetInfo, code)
}

// Alloc takes a block from the cache, or a new one from the driver. Where that has none,
// all that the cache keeps is given back, and the driver asked once more, for no more
// than was wanted.
func (d *device) Alloc(bytes int) (Ptr, error) {
	if bytes < 0 {
		return 0, fmt.Errorf("%d bytes cannot be allocated", bytes)
	}
	if err := d.begin(); err != nil {
		return 0, err
	}
	defer d.end()
	possible := uint64(bytes) <= d.info.Memory // else the cache is not emptied for it
	if possible {
		if p, ok := d.cache.take(classSize(bytes)); ok {
			return p, nil
		}
	}
	if err := d.push(); err != nil {
		return 0, err
	}
	defer d.pop()
	if possible {
		p, code := d.memAlloc(classSize(bytes))
		if code == outOfMemory {
			if err := d.trim(); err != nil {
				return 0, err
			}
			p, code = d.memAlloc(roundUp(max(bytes, 1), alignment))
		}
		if code != outOfMemory {
			return p, d.failed(cuMemAlloc, code)
		}
	}
	free, total, err := d.memInfo()
	if err != nil {
		return 0, err
	}
	return 0, &OutOfMemoryError{Want: uint64(bytes), Free: free, Total: total}
}

// memAlloc asks the driver for a block and notes it. The context is current.
func (d *device) memAlloc(size int) (Ptr, result) {
	var p Ptr
	code := cuMemAlloc.callOut(uintptr(unsafe.Pointer(&p)), uintptr(size))
	if code == success {
		d.cache.lend(p, size)
	}
	return p, code
}

// trim gives back what the cache keeps, and waits for what others in the process have
// freed in the order of a stream. The context is current.
func (d *device) trim() error {
	if code := cuCtxSynchronize.call(); code != success {
		return d.failed(cuCtxSynchronize, code)
	}
	for _, p := range d.cache.trim() {
		if code := cuMemFree.call(uintptr(p)); code != success {
			return d.failed(cuMemFree, code)
		}
	}
	return nil
}

func (d *device) Free(p Ptr) error {
	if err := d.begin(); err != nil {
		return err
	}
	defer d.end()
	if p == 0 {
		return nil
	}
	keep, err := d.cache.put(p)
	if err != nil || keep {
		return err
	}
	if err := d.push(); err != nil {
		return err
	}
	defer d.pop()
	return d.failed(cuMemFree, cuMemFree.call(uintptr(p)))
}

// Attributes of a pointer, CUpointer_attribute, and the value for device memory.
const (
	attributeMemoryType    = 2
	attributeDeviceOrdinal = 9
	memoryTypeDevice       = 2
)

// Owns asks the driver, which knows memory that others in the process allocated too.
func (d *device) Owns(p Ptr) bool {
	if p == 0 || d.enter() != nil {
		return false
	}
	defer d.leave()
	var kind uint32
	if code := cuPointerGetAttribute.callOut(uintptr(unsafe.Pointer(&kind)), attributeMemoryType, uintptr(p)); code != success || kind != memoryTypeDevice {
		return false
	}
	ordinal := int32(-1)
	code := cuPointerGetAttribute.callOut(uintptr(unsafe.Pointer(&ordinal)), attributeDeviceOrdinal, uintptr(p))
	return code == success && ordinal == d.ordinal
}
