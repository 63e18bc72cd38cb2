package elements

import (
	"unsafe"

	"github.com/ogive-go/ogive/internal/nd"
)

// reader reads the elements of an array in C order.
type reader struct {
	base        unsafe.Pointer
	size        int
	n           int // dimensions, after merging those that are walked evenly
	dims, steps [nd.MaxDims]int
}

// init prepares r for a, which has elements.
func (r *reader) init(a *nd.Array) {
	r.base, r.size, r.n = a.Pointer(0), a.DType.Size(), 0
	strides := a.Strides()
	for i, d := range a.Shape() {
		if d == 1 {
			continue
		}
		step := strides[i]
		if k := r.n - 1; k >= 0 && r.steps[k] == step*d {
			r.dims[k], r.steps[k] = r.dims[k]*d, step
			continue
		}
		r.dims[r.n], r.steps[r.n] = d, step
		r.n++
	}
}

// contiguous reports whether the elements lie in C order without gaps.
func (r *reader) contiguous() bool { return r.n == 0 || r.n == 1 && r.steps[0] == 1 }

// read returns the place of n elements from the given one on in C order,
// contiguous: their own or, copied, that of packed.
func (r *reader) read(packed []byte, first, n int) unsafe.Pointer {
	if r.contiguous() {
		return unsafe.Add(r.base, first*r.size)
	}
	var index [nd.MaxDims]int
	at, rest := 0, first
	for k := r.n - 1; k >= 0; k-- {
		index[k] = rest % r.dims[k]
		rest /= r.dims[k]
		at += index[k] * r.steps[k]
	}
	start := unsafe.Pointer(unsafe.SliceData(packed[:n*r.size]))
	dst, last := start, r.n-1
	for {
		run := min(n, r.dims[last]-index[last])
		nd.CopyRun(dst, 1, unsafe.Add(r.base, at*r.size), r.steps[last], run, r.size)
		if n -= run; n == 0 {
			return start
		}
		dst = unsafe.Add(dst, run*r.size)
		at -= index[last] * r.steps[last]
		index[last] = 0
		for k := last - 1; ; k-- {
			index[k]++
			at += r.steps[k]
			if index[k] < r.dims[k] {
				break
			}
			index[k] = 0
			at -= r.dims[k] * r.steps[k]
		}
	}
}
