package call

import (
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/bridge"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/nd"
)

// tensors goes where package ogive lets no users.
var tensors = bridge.TensorsOf[ogive.Tensor]()

// code is how DLPack names a dtype of one lane.
type code struct{ code, bits uint8 }

var codes = map[dtype.DType]code{
	dtype.Bool: {6, 8},
	dtype.Int8: {0, 8}, dtype.Int16: {0, 16}, dtype.Int32: {0, 32}, dtype.Int64: {0, 64},
	dtype.Uint8: {1, 8}, dtype.Uint16: {1, 16}, dtype.Uint32: {1, 32}, dtype.Uint64: {1, 64},
	dtype.Float16: {2, 16}, dtype.BFloat16: {4, 16}, dtype.Float32: {2, 32}, dtype.Float64: {2, 64},
	dtype.Complex64: {5, 64}, dtype.Complex128: {5, 128},
}

var dtypes = func() map[code]dtype.DType {
	m := map[code]dtype.DType{}
	for dt, c := range codes {
		m[c] = dt
	}
	return m
}()

// The devices of DLPack whose memory the processor reads.
const (
	deviceCPU      = 1
	deviceCUDAHost = 3
)

// header returns the dtype and shape of the tensor at an address.
func (r *request) header(t *Tensor, name string) (dt dtype.DType, shape []int) {
	dt, ok := dtypes[code{t.Code, t.Bits}]
	switch {
	case r.err != nil:
	case !ok || t.Lanes != 1:
		r.err = errs.New(errs.ErrDType, "%s has the DLPack dtype (%d, %d, %d), which is none of ogive's", name, t.Code, t.Bits, t.Lanes)
	case t.NDim < 0 || t.NDim > nd.MaxDims:
		r.err = errs.New(errs.ErrShape, "%s has %d dimensions; 0 to %d are possible", name, t.NDim, nd.MaxDims)
	default:
		shape = ints(r, t.Shape, int64(t.NDim), name)
	}
	return dt, shape
}

// tensor returns the tensor at an address, which shares its memory. An error is the
// request's, and the tensor has no elements.
func (r *request) tensor(address uintptr, name string) *ogive.Tensor {
	if address == 0 {
		fail[any](r, errs.New(errs.ErrShape, "%s is NULL", name))
	}
	a, err := r.array(value[Tensor](r, address, name), name)
	if err != nil {
		fail[any](r, err)
	}
	return r.wrap(a)
}

// wrap returns a tensor over an array, for the time of the request.
func (r *request) wrap(a nd.Array) *ogive.Tensor {
	if r.used == len(r.slots) {
		return tensors.Wrap(a)
	}
	t := &r.slots[r.used]
	*tensors.Array(t) = a
	r.used++
	return t
}

// array returns a tensor's array.
func (r *request) array(t *Tensor, name string) (a nd.Array, err error) {
	dt, shape := r.header(t, name)
	strides := make([]int, len(shape))
	if t.Strides != 0 {
		strides = ints(r, t.Strides, int64(len(shape)), name)
	} else {
		step := 1
		for i, d := range slices.Backward(shape) {
			strides[i] = step
			step *= max(d, 1)
		}
	}
	switch {
	case r.err != nil:
		return a, r.err
	case t.DeviceType != deviceCPU && t.DeviceType != deviceCUDAHost:
		return a, errs.New(errs.ErrDevice, "%s lies on a device of DLPack's type %d; copy it to the host", name, t.DeviceType)
	}
	if a, err = nd.Strided(dt, nd.Buffer{}, 0, shape, strides); err == nil && a.Len() > 0 {
		a.Buf.Mem, a.Offset, err = r.elements(t, &a, name)
	}
	return a, err
}

// elements returns where the lowest element of an array lies, and how many elements above
// that the first one does.
func (r *request) elements(t *Tensor, a *nd.Array, name string) (unsafe.Pointer, int, error) {
	below, above, size := uint64(0), uint64(0), uint64(a.DType.Size())
	for i, d := range a.Shape() {
		stride, reach := a.Strides()[i], &above
		if stride < 0 {
			stride, reach = -stride, &below
		}
		over, s := bits.Mul64(uint64(d-1)*size, uint64(stride))
		if *reach += s; over != 0 || s > 1<<62 || *reach > 1<<62 {
			return nil, 0, errs.New(errs.ErrShape, "%s with shape %v and strides %v reaches beyond any memory", name, a.Shape(), a.Strides())
		}
	}
	first, unit := uint64(t.Data)+t.ByteOffset, size
	if a.DType.IsComplex() {
		unit /= 2
	}
	p := r.memory.at(uintptr(first-below), below+above+size)
	switch {
	case t.Data == 0 || p == nil || first < below:
		return nil, 0, argument("%s has %d elements, which are not at %#x", name, a.Len(), first)
	case uint64(uintptr(p))%min(unit, uint64(unsafe.Alignof(float64(0)))) != 0:
		return nil, 0, argument("%s at %#x is not aligned for %v", name, first, a.DType)
	}
	return p, int(below / size), nil
}

// target returns the tensor that result number takes, of the dtype and shape that the
// caller gave, or is told now. It is errRoom if the memory there does not suffice.
func (r *request) target(number int, dt dtype.DType, shape []int) (*ogive.Tensor, error) {
	results := slice[Result](r, r.Results, int64(number)+1, "results")
	if r.err != nil {
		return nil, r.err
	}
	res := &results[number]
	if res.Given == 0 {
		size, err := r.describe(res, dt, shape)
		if err != nil {
			return nil, err
		}
		if int64(size) > res.Room || size > 0 && res.Data == 0 {
			return nil, errRoom
		}
	}
	a, err := r.array(&res.Tensor, "a result")
	return r.wrap(a), err
}

// room checks that result number has room for a dtype and shape, and tells what it is.
func (r *request) room(number int, dt dtype.DType, shape []int) error {
	_, err := r.target(number, dt, shape)
	return err
}

// describe tells the caller what a result is, and returns its size in bytes.
func (r *request) describe(res *Result, dt dtype.DType, shape []int) (size int, err error) {
	if len(shape) > nd.MaxDims {
		return 0, errs.New(errs.ErrShape, "the result has %d dimensions, at most %d are possible", len(shape), nd.MaxDims)
	}
	if len(shape) > 0 {
		dims := slice[int64](r, res.Shape, nd.MaxDims, "the shape of a result")
		if r.err != nil {
			return 0, r.err
		}
		for i, d := range shape {
			dims[i] = int64(d)
		}
	}
	c := codes[dt]
	res.DeviceType, res.DeviceID, res.Code, res.Bits, res.Lanes = deviceCPU, 0, c.code, c.bits, 1
	res.NDim, res.Strides, res.ByteOffset = int32(len(shape)), 0, 0
	if slices.Contains(shape, -1) { // of a plan
		return math.MaxInt, nil
	}
	n, err := nd.Count(shape, dt.Size())
	return n * dt.Size(), err
}

// deliver copies an answer to result number.
func (r *request) deliver(number int, answer *ogive.Tensor) error {
	from := tensors.Array(answer)
	t, err := r.target(number, from.DType, from.Shape())
	if err != nil {
		return err
	}
	to := tensors.Array(t)
	same := to.DType == from.DType || to.DType.IsFloat() && from.DType.IsFloat()
	if !same || !slices.Equal(to.Shape(), from.Shape()) || to.RepeatsElements() {
		return errs.New(errs.ErrOut, "result %d is a %v %v, want %v %v", number, to.DType, to.Shape(), from.DType, from.Shape())
	}
	nd.Cast(to, from)
	return nil
}
