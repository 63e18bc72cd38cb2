package cuda

import (
	"errors"
	"runtime"
	"time"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/bridge"
	"github.com/ogive-go/ogive/internal/cudrv"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/nd"
)

var tensors = bridge.TensorsOf[ogive.Tensor]()

// memory is a piece of a device's memory, which arrays own together. What nobody owns
// any more is put on a list, and freed by a later allocation: the driver may not be
// called from a cleanup.
type memory struct {
	d    *Device
	at   cudrv.Ptr
	stop runtime.Cleanup
}

// alloc returns memory for an array.
func (d *Device) alloc(bytes int) (*memory, error) {
	m := &memory{d: d}
	if bytes == 0 {
		return m, nil
	}
	var err error
	if m.at, err = d.reserve(bytes); err != nil {
		return nil, err
	}
	m.stop = runtime.AddCleanup(m, d.drop, m.at)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.held[m.at] = struct{}{}
	return m, nil
}

// reserve allocates memory of the device. Where there is not enough it has the garbage
// collector look for arrays that nobody holds any more, whose memory may do. That takes
// milliseconds, as cleanups run when they like.
func (d *Device) reserve(bytes int) (cudrv.Ptr, error) {
	if err := d.drain(); err != nil {
		return 0, err
	}
	at, err := d.dev.Alloc(bytes)
	for wait := time.Millisecond; wait < 50*time.Millisecond; wait *= 2 {
		if _, full := errors.AsType[*OutOfMemoryError](err); !full {
			break
		}
		runtime.GC()
		time.Sleep(wait)
		if err := d.drain(); err != nil {
			return 0, err
		}
		at, err = d.dev.Alloc(bytes)
	}
	return at, err
}

// drop notes that memory is no longer used.
func (d *Device) drop(at cudrv.Ptr) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dropped = append(d.dropped, at)
}

// drain frees what has been dropped.
func (d *Device) drain() error {
	d.mu.Lock()
	list, closed := d.dropped, d.closed
	d.dropped = nil
	d.mu.Unlock()
	if closed {
		return ErrClosed
	}
	for _, at := range list {
		if err := d.release(at); err != nil {
			return err
		}
	}
	return nil
}

// release frees the memory of a tensor.
func (d *Device) release(at cudrv.Ptr) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.held[at]; !ok {
		return nil // freed with the device
	}
	delete(d.held, at)
	return d.dev.Free(at)
}

// array returns a C-order array on the device, of anything.
func (d *Device) array(dt dtype.DType, shape ...int) (nd.Array, error) {
	n, err := nd.Count(shape, dt.Size())
	if err != nil {
		return nd.Array{}, err
	}
	m, err := d.alloc(n * dt.Size())
	if err != nil {
		return nd.Array{}, err
	}
	return nd.Strided(dt, nd.Buffer{Device: d, Handle: uint64(m.at), Owner: m}, 0, shape, cStrides(shape))
}

// cStrides returns the strides of a C-order array.
func cStrides(shape []int) []int {
	strides := make([]int, len(shape))
	step := 1
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i] = step
		step *= max(shape[i], 1)
	}
	return strides
}

// address returns the address of an array's first element.
func address(a *nd.Array) cudrv.Ptr {
	return cudrv.Ptr(a.Buf.Handle) + cudrv.Ptr(a.Offset*a.DType.Size())
}

// FromPointer returns a tensor over memory of the device that others own, such as that
// of another library: at is the address of its first element, strides are in elements
// and nil for C order. owner is kept alive as long as the tensor is; the memory must
// stay, and what others compute there must be done before an operation is called. Its
// errors are ErrShape, ErrDType, and ErrDevice if the memory is not this device's or not
// aligned for the dtype. It copies nothing.
func FromPointer(d *Device, at uint64, dt dtype.DType, shape, strides []int, owner any) (*ogive.Tensor, error) {
	if strides == nil {
		strides = cStrides(shape)
	}
	a, err := nd.Strided(dt, nd.Buffer{Device: d, Handle: at, Owner: owner}, 0, shape, strides)
	switch {
	case err != nil:
		return nil, &errs.Error{Op: "cuda.FromPointer", Kind: kindOf(err), Detail: err.Error()}
	case a.Len() == 0:
	case at%uint64(dt.Size()) != 0:
		return nil, failed("FromPointer", errs.New(errs.ErrDevice, "memory at %#x is not aligned for %v", at, dt))
	case !d.dev.Owns(cudrv.Ptr(at)):
		return nil, failed("FromPointer", errs.New(errs.ErrDevice, "memory at %#x is not that of device %s", at, d.Name()))
	}
	return tensors.Wrap(a), nil
}

// kindOf returns the sentinel of an error of package nd.
func kindOf(err error) error {
	if e, ok := err.(*errs.Error); ok {
		return e.Kind
	}
	return errs.ErrShape
}

// Pointer returns the address of the first element of a tensor that lies on a CUDA
// device, for other libraries; the memory is the tensor's. Others must be ErrDevice.
func Pointer(t *ogive.Tensor) (uint64, error) {
	a := tensors.Array(t)
	if _, ok := a.Buf.Device.(*Device); !ok {
		return 0, failed("Pointer", errs.New(errs.ErrDevice, "the tensor lies on no CUDA device"))
	}
	return uint64(address(a)), nil
}

// Free gives the memory of a tensor and of all its views back at once, which otherwise
// happens after the garbage collector has found that none is used; none may be used
// afterwards. Memory that others own, or on the host, is left alone.
func Free(t *ogive.Tensor) error {
	m, ok := tensors.Array(t).Buf.Owner.(*memory)
	if !ok || m.at == 0 {
		return nil
	}
	m.stop.Stop()
	at := m.at
	m.at = 0
	if err := m.d.release(at); err != nil {
		return failed("Free", err)
	}
	return nil
}
