// Package nd holds the N-dimensional array under a tensor: a dtype, a shape,
// strides in elements, and memory. It knows views and copies, no statistics.
package nd

import (
	"math/bits"
	"slices"
	"strings"
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/errs"
)

// MaxDims is the largest number of dimensions of an array.
const MaxDims = 16

// Array is a view of memory: element (i0, i1, …) lies at
// Offset + i0*stride0 + i1*stride1 + … elements from the buffer's start. The
// zero value is not an array; use New, FromBytes or a view.
type Array struct {
	DType   dtype.DType
	ndim    int
	shape   [MaxDims]int
	strides [MaxDims]int
	Offset  int // of the first element, in elements
	Buf     Buffer
}

// Buffer is the memory of an array, on the host or on a device.
type Buffer struct {
	Mem    unsafe.Pointer // host memory; nil on a device and where there are no elements
	Owner  any            // keeps foreign memory mapped while an array refers to it
	Device any            // the device that holds the memory; nil means the host
	Handle uint64         // the memory's address on the device
}

// New returns a zeroed C-order array.
func New(dt dtype.DType, shape ...int) (Array, error) {
	return allocate(dt, shape, func(words int) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(make([]uint64, words))) })
}

// NewDirty is New with any elements, for a caller that writes all.
func NewDirty(dt dtype.DType, shape ...int) (Array, error) {
	return allocate(dt, shape, dirty)
}

// dirty returns memory that holds anything. Only a string is made without being
// zeroed.
func dirty(words int) unsafe.Pointer {
	var b strings.Builder
	b.Grow(8 * words)
	b.WriteByte(0) // an empty string may be anywhere
	return unsafe.Pointer(unsafe.StringData(b.String()))
}

// allocate returns a C-order array in memory of so many words.
func allocate(dt dtype.DType, shape []int, memory func(words int) unsafe.Pointer) (Array, error) {
	var a Array
	n, err := a.describe(dt, shape)
	if err != nil {
		return Array{}, err
	}
	if n > 0 {
		if uint64(n*dt.Size()) > maxBytes {
			return Array{}, errs.New(errs.ErrShape, "shape %v of %v needs more memory than any machine has", shape, dt)
		}
		a.Buf.Mem = memory((n*dt.Size() + 7) / 8) // words rather than bytes, for alignment
	}
	return a, nil
}

// FromBytes returns a C-order array over b, which it shares. The length must
// be exactly that of the shape and the memory aligned to the dtype's unit
// (half of the size for complex dtypes). owner may be nil.
func FromBytes(dt dtype.DType, b []byte, owner any, shape ...int) (a Array, err error) {
	err = a.Over(dt, b, owner, shape...)
	return a, err
}

// Over sets a to FromBytes of the same, without the cost of a copy.
func (a *Array) Over(dt dtype.DType, b []byte, owner any, shape ...int) error {
	n, err := a.describe(dt, shape)
	if err != nil {
		return err
	}
	if want := n * dt.Size(); want != len(b) {
		return errs.New(errs.ErrShape, "shape %v of %v needs %d bytes, got %d", shape, dt, want, len(b))
	}
	a.Offset, a.Buf = 0, Buffer{Owner: owner}
	if n > 0 {
		p := unsafe.Pointer(unsafe.SliceData(b))
		if uintptr(p)%uintptr(unit(dt)) != 0 {
			return errs.New(errs.ErrShape, "memory at %#x is not aligned for %v", uintptr(p), dt)
		}
		a.Buf.Mem = p
	}
	return nil
}

// Strided returns a view of memory: element (i0, i1, …) lies at offset + i0·strides[0]
// + i1·strides[1] + … elements from the buffer's start, which the caller vouches for.
func Strided(dt dtype.DType, buf Buffer, offset int, shape, strides []int) (a Array, err error) {
	if len(strides) != len(shape) {
		return a, errs.New(errs.ErrShape, "shape %v has %d strides", shape, len(strides))
	}
	if _, err = a.describe(dt, shape); err != nil {
		return Array{}, err
	}
	copy(a.strides[:], strides)
	a.Offset, a.Buf = offset, buf
	return a, nil
}

// maxBytes is the most memory that is asked for: what the address space of
// today's processors allows, beyond which asking is fatal.
const maxBytes = min(uint64(maxInt), 1<<46)

// unit is the alignment of a dtype, that of the Go type of its largest scalar
// part.
func unit(dt dtype.DType) int {
	size := dt.Size()
	if dt.IsComplex() {
		size /= 2
	}
	return min(size, int(unsafe.Alignof(float64(0))))
}

// describe sets all of a but its memory, in C order, and returns its number of
// elements.
func (a *Array) describe(dt dtype.DType, shape []int) (n int, err error) {
	if !dt.Valid() {
		return 0, errs.New(errs.ErrDType, "%v is not a dtype", dt)
	}
	if n, err = Count(shape, dt.Size()); err != nil {
		return 0, err
	}
	a.DType = dt
	a.setShape(shape)
	a.setCStrides()
	return n, nil
}

// Count returns the number of elements of the shape. It is an error if there
// are too many dimensions, a negative one, or more bytes than an int counts;
// a zero elsewhere in the shape does not excuse the overflow.
func Count(shape []int, size int) (int, error) {
	if len(shape) > MaxDims {
		return 0, errs.New(errs.ErrShape, "%d dimensions, at most %d", len(shape), MaxDims)
	}
	bytes, n := uint(size), 1
	for i, d := range shape {
		if d < 0 {
			return 0, errs.New(errs.ErrShape, "dimension %d of shape %v is negative", i, shape)
		}
		n *= d
		if d > 0 {
			hi, lo := bits.Mul(bytes, uint(d))
			if hi != 0 || lo > maxInt {
				return 0, errs.New(errs.ErrShape, "shape %v has more elements than memory can hold", shape)
			}
			bytes = lo
		}
	}
	return n, nil
}

const maxInt = uint(^uint(0) >> 1)

func (a *Array) setShape(shape []int) {
	a.ndim = len(shape)
	copy(a.shape[:], shape)
}

// setCStrides sets the strides of a C-order array of a's shape.
func (a *Array) setCStrides() {
	step := 1
	for i := a.ndim - 1; i >= 0; i-- {
		a.strides[i] = step
		step *= max(a.shape[i], 1)
	}
}

// NDim returns the number of dimensions.
func (a *Array) NDim() int { return a.ndim }

// Shape returns the dimensions; the slice is a's own and must not be changed.
func (a *Array) Shape() []int { return a.shape[:a.ndim:a.ndim] }

// Strides returns the strides in elements; the slice must not be changed.
func (a *Array) Strides() []int { return a.strides[:a.ndim:a.ndim] }

// Len returns the number of elements, 1 without dimensions.
func (a *Array) Len() int {
	n := 1
	for _, d := range a.Shape() {
		n *= d
	}
	return n
}

// IsContiguous reports whether the elements lie in C order without gaps.
func (a *Array) IsContiguous() bool {
	step := 1
	for i := a.ndim - 1; i >= 0; i-- {
		if a.shape[i] == 0 {
			return true
		}
		if a.shape[i] != 1 && a.strides[i] != step {
			return false
		}
		step *= a.shape[i]
	}
	return true
}

// Pointer returns the address of the element at the given distance, in
// elements, from the view's first one.
func (a *Array) Pointer(distance int) unsafe.Pointer {
	return unsafe.Add(a.Buf.Mem, (a.Offset+distance)*a.DType.Size())
}

// Bytes returns the memory of a contiguous host array, nil where it has no
// elements. It panics if a is not contiguous.
func (a *Array) Bytes() []byte {
	if !a.IsContiguous() {
		panic("nd: Bytes of an array that is not contiguous")
	}
	n := a.Len()
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(a.Pointer(0)), n*a.DType.Size())
}

// Slice returns the elements of a contiguous host array as a slice of T, whose
// size must be the dtype's.
func Slice[T any](a *Array) []T {
	n := a.Len()
	if n == 0 {
		return nil
	}
	if int(unsafe.Sizeof(*new(T))) != a.DType.Size() || !a.IsContiguous() {
		panic("nd: Slice of another element size, or of an array that is not contiguous")
	}
	return unsafe.Slice((*T)(a.Pointer(0)), n)
}

// Pin keeps the memory of a mapped file mapped for good, for slices of it that
// outlive the array.
func (a *Array) Pin() {
	if m, ok := a.Buf.Owner.(interface{ Pin() }); ok {
		m.Pin()
	}
}

// extent returns the smallest and largest distance of an element from the
// first one; a must have elements.
func (a *Array) extent() (lo, hi int) {
	for i, d := range a.Shape() {
		if s := a.strides[i] * (d - 1); s < 0 {
			lo += s
		} else {
			hi += s
		}
	}
	return lo, hi
}

// Settle moves the first element of a as far into its buffer as others lie below it, along
// negative strides, and reports whether all are among the first n of the buffer then.
func (a *Array) Settle(n int) bool {
	if slices.Contains(a.Shape(), 0) {
		return true
	}
	below, above := uint(0), uint(0) // how far elements lie from the first one
	for i, d := range a.Shape() {
		stride, reach := a.strides[i], &above
		if stride < 0 {
			stride, reach = -stride, &below
		}
		over, s := bits.Mul(uint(d-1), uint(stride))
		if over != 0 || s > maxInt || *reach > maxInt {
			return false
		}
		*reach += s
	}
	if below >= uint(n) || above >= uint(n)-below {
		return false
	}
	a.Offset = int(below)
	return true
}

// Overlaps reports whether the memory spanned by a and b has a byte in
// common. Interleaved views that share no element count as overlapping.
func Overlaps(a, b *Array) bool {
	if a.Len() == 0 || b.Len() == 0 || a.Buf.Device != b.Buf.Device {
		return false
	}
	al, ah := a.span()
	bl, bh := b.span()
	return al < bh && bl < ah
}

// span returns the addresses of the first byte and of the byte after the last.
func (a *Array) span() (from, to uintptr) {
	base := uintptr(a.Buf.Mem)
	if a.Buf.Device != nil {
		base = uintptr(a.Buf.Handle)
	}
	lo, hi := a.extent()
	size := a.DType.Size()
	return base + uintptr((a.Offset+lo)*size), base + uintptr((a.Offset+hi+1)*size)
}

// RepeatsElements reports whether two indices of a share an element because a
// dimension longer than 1 has stride 0.
func (a *Array) RepeatsElements() bool {
	for i, d := range a.Shape() {
		if d > 1 && a.strides[i] == 0 {
			return true
		}
	}
	return false
}

// Axes is a set of dimensions, a bit each.
type Axes uint32

// Has reports whether dimension i is in the set.
func (a Axes) Has(i int) bool { return a>>i&1 == 1 }
