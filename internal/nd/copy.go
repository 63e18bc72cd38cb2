package nd

import (
	"runtime"
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
)

// Run is an evenly spaced piece of one or two arrays walked together:
// distances from the first element and strides, in elements.
type Run struct {
	N            int
	A, StepA     int
	B, StepB     int
	First, Total int // index of the run's first element, and of all elements, in C order
}

// Runs walks a and b, of the same shape, in C order and calls fn for each
// evenly spaced piece, as long as it can make them. b may be nil.
func Runs(a, b *Array, fn func(Run)) {
	runs(a, b, func(r Run) bool {
		fn(r)
		return true
	})
}

// runs is Runs that ends when fn returns false.
func runs(a, b *Array, fn func(Run) bool) {
	n := a.Len()
	if n == 0 {
		return
	}
	if b == nil {
		b = a
	}
	var w walk
	w.merge(a, b)
	last := w.ndim - 1
	var index [MaxDims + 1]int
	r := Run{N: w.n[last], StepA: w.a[last], StepB: w.b[last], Total: n}
	for {
		if !fn(r) {
			return
		}
		r.First += r.N
		k := last - 1
		for ; k >= 0; k-- {
			index[k]++
			r.A += w.a[k]
			r.B += w.b[k]
			if index[k] < w.n[k] {
				break
			}
			index[k] = 0
			r.A -= w.a[k] * w.n[k]
			r.B -= w.b[k] * w.n[k]
		}
		if k < 0 {
			return
		}
	}
}

// walk are the dimensions over which two arrays are walked together, slowest
// first: their lengths, and the strides of both arrays.
type walk struct {
	ndim    int
	n, a, b [MaxDims + 1]int
}

// merge sets w to the dimensions of a and b, with those merged that both walk
// evenly, and at least one.
func (w *walk) merge(a, b *Array) {
	for i, d := range a.Shape() {
		if d == 1 {
			continue
		}
		s, t := a.strides[i], b.strides[i]
		if k := w.ndim - 1; k >= 0 && w.a[k] == s*d && w.b[k] == t*d {
			w.n[k], w.a[k], w.b[k] = w.n[k]*d, s, t
			continue
		}
		w.n[w.ndim], w.a[w.ndim], w.b[w.ndim] = d, s, t
		w.ndim++
	}
	if w.ndim == 0 {
		w.ndim, w.n[0], w.a[0], w.b[0] = 1, 1, 1, 1
	}
}

// Copy copies the elements of src to dst, which has the same shape and dtype
// and does not overlap src.
func Copy(dst, src *Array) {
	size := dst.DType.Size()
	Runs(dst, src, func(r Run) {
		d, s := dst.Pointer(r.A), src.Pointer(r.B)
		CopyRun(d, r.StepA, s, r.StepB, r.N, size)
	})
	keepMapped(dst, src)
}

// CopyRun copies n elements of the given size between evenly spaced places;
// steps are in elements.
func CopyRun(dst unsafe.Pointer, dstep int, src unsafe.Pointer, sstep, n, size int) {
	if dstep == 1 && sstep == 1 {
		copy(unsafe.Slice((*byte)(dst), n*size), unsafe.Slice((*byte)(src), n*size))
		return
	}
	switch size {
	case 1:
		copyRun[uint8](dst, dstep, src, sstep, n)
	case 2:
		copyRun[uint16](dst, dstep, src, sstep, n)
	case 4:
		copyRun[uint32](dst, dstep, src, sstep, n)
	case 8:
		copyRun[[2]uint32](dst, dstep, src, sstep, n)
	default:
		copyRun[[4]uint32](dst, dstep, src, sstep, n)
	}
}

// copyRun is CopyRun for elements of T's size. T is no wider aligned than the
// dtype's unit: complex64 is aligned to 4 bytes.
func copyRun[T any](dst unsafe.Pointer, dstep int, src unsafe.Pointer, sstep, n int) {
	size := int(unsafe.Sizeof(*new(T)))
	dstep, sstep = dstep*size, sstep*size
	for i := range n {
		*(*T)(unsafe.Add(dst, i*dstep)) = *(*T)(unsafe.Add(src, i*sstep))
	}
}

// Contiguous returns a itself if it is contiguous, and a C-order copy
// otherwise.
func (a *Array) Contiguous() Array {
	if a.IsContiguous() {
		return *a
	}
	return a.Clone()
}

// Clone returns a C-order copy with memory of its own.
func (a *Array) Clone() Array {
	c, err := New(a.DType, a.Shape()...)
	if err != nil {
		panic("nd: the shape of an array is not valid: " + err.Error())
	}
	Copy(&c, a)
	return c
}

// keepMapped keeps mapped memory under the arrays mapped until it is called:
// addresses of elements alone do not.
func keepMapped(arrays ...*Array) {
	for _, a := range arrays {
		runtime.KeepAlive(a.Buf.Owner)
	}
}

// castChunk is the number of elements converted at a time: small enough that
// the copy of a strided run stays in the first-level cache.
const castChunk = 256

// Cast converts the elements of src into dst, of the same shape and not
// overlapping, by the rules of dtype.Convert.
func Cast(dst, src *Array) {
	if dst.DType == src.DType {
		Copy(dst, src)
		return
	}
	ds, ss := dst.DType.Size(), src.DType.Size()
	var in, out [castChunk][2]uint64 // of the widest elements
	pin, pout := unsafe.Pointer(&in), unsafe.Pointer(&out)
	Runs(dst, src, func(r Run) {
		for i := 0; i < r.N; i += castChunk {
			n := min(castChunk, r.N-i)
			from, to := pin, pout
			if r.StepB == 1 {
				from = src.Pointer(r.B + i)
			} else {
				CopyRun(pin, 1, src.Pointer(r.B+i*r.StepB), r.StepB, n, ss)
			}
			if r.StepA == 1 {
				to = dst.Pointer(r.A + i)
			}
			dtype.Convert(dst.DType, unsafe.Slice((*byte)(to), n*ds), src.DType, unsafe.Slice((*byte)(from), n*ss))
			if r.StepA != 1 {
				CopyRun(dst.Pointer(r.A+i*r.StepA), r.StepA, pout, 1, n, ds)
			}
		}
	})
	keepMapped(dst, src)
}
