package engine

import (
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/nd"
)

// Predicate is a test of one element.
type Predicate uint8

// The predicates.
const (
	PosInf Predicate = iota
	NegInf
	Inf
	NaN
	Finite
	SignBit
	Real
)

// InitPredicate makes p a plan that tests each element of inputs of the dtype
// and the shape. PosInf, NegInf and SignBit of a complex dtype are ErrDType.
func (p *Plan) InitPredicate(name string, dt dtype.DType, shape []int, pred Predicate) error {
	if dt.IsComplex() && (pred == PosInf || pred == NegInf || pred == SignBit) {
		return errs.New(errs.ErrDType, "%v is ambiguous; test its real or imaginary part", dt)
	}
	if err := p.begin(name, kindPredicate, dt, shape); err != nil {
		return err
	}
	p.result = dtype.Bool
	p.test = pred
	return nil
}

// test writes to dst whether the contiguous elements of dtype dt at src pass,
// past the caches if stream is set.
func (t Predicate) test(dst []uint8, src unsafe.Pointer, dt dtype.DType, stream bool) {
	switch {
	case dt == dtype.Complex64:
		testComplex(t, dst, unsafe.Slice((*uint32)(src), 2*len(dst)), dtype.Float32)
	case dt == dtype.Complex128:
		testComplex(t, dst, unsafe.Slice((*uint64)(src), 2*len(dst)), dtype.Float64)
	case dt.Size() == 1:
		testReal(t, dst, unsafe.Slice((*uint8)(src), len(dst)), dt, stream)
	case dt.Size() == 2:
		testReal(t, dst, unsafe.Slice((*uint16)(src), len(dst)), dt, stream)
	case dt.Size() == 4:
		testReal(t, dst, unsafe.Slice((*uint32)(src), len(dst)), dt, stream)
	default:
		testReal(t, dst, unsafe.Slice((*uint64)(src), len(dst)), dt, stream)
	}
}

// windowOf returns the window of the elements of a real dtype that pass, or, where the
// dtype alone decides, ok = false and whether all pass or none.
func windowOf[B kernel.Bits](t Predicate, dt dtype.DType) (w kernel.Window[B], ok, all bool) {
	if !dt.IsFloat() {
		if t == SignBit && dt.IsSigned() {
			return kernel.Negative[B](), true, false
		}
		return w, false, t == Finite || t == Real
	}
	f := kernel.WindowsOf[B](dt)
	switch t {
	case PosInf:
		return f.PosInf, true, false
	case NegInf:
		return f.NegInf, true, false
	case Inf:
		return f.Inf, true, false
	case NaN:
		return f.NaN, true, false
	case Finite:
		return f.Finite, true, false
	case SignBit:
		return f.Negative, true, false
	default:
		return w, false, true
	}
}

// testReal is test for real elements.
func testReal[B kernel.Bits](t Predicate, dst []uint8, src []B, dt dtype.DType, stream bool) {
	w, ok, all := windowOf[B](t, dt)
	switch {
	case ok:
		inWindow(dst, src, w, stream)
	case all:
		kernel.Fill(dst, 1)
	default:
		kernel.Fill(dst, 0)
	}
}

// inWindow tests whether elements are in a window.
func inWindow[B kernel.Bits](dst []uint8, src []B, w kernel.Window[B], stream bool) {
	if stream {
		kernel.StreamInWindow(dst, src, w)
	} else {
		kernel.InWindow(dst, src, w)
	}
}

// windowsOf returns the windows of the parts of a complex element that passes: either
// of them or both. The parts are of the float dtype dt.
func windowsOf[B kernel.Bits](t Predicate, dt dtype.DType) (re, im kernel.Window[B], either bool) {
	f := kernel.WindowsOf[B](dt)
	switch t {
	case Inf:
		return f.Inf, f.Inf, true
	case NaN:
		return f.NaN, f.NaN, true
	case Finite:
		return f.Finite, f.Finite, false
	case Real:
		return kernel.Everything[B](), f.Zero, false
	}
	panic("engine: a complex element has no sign")
}

// testComplex is test for complex elements with parts of dtype dt.
func testComplex[B kernel.Bits](t Predicate, dst []uint8, src []B, dt dtype.DType) {
	re, im, either := windowsOf[B](t, dt)
	if either {
		kernel.EitherInWindow(dst, src, re)
	} else {
		kernel.BothInWindow(dst, src, re, im)
	}
}

// elementTask is the number of elements of a task, and elementBlock that of
// the part of it that is worked on at a time, which stays in the second-level
// cache together with what is packed or noted for it.
const (
	elementTask  = 1 << 17
	elementBlock = 1 << 13
)

// predicateRun runs a predicate as a phase.
type predicateRun execution

// runPredicate tests all elements.
func (e *execution) runPredicate(out *nd.Array) error {
	return e.runElements((*predicateRun)(e), out)
}

// runElements runs a phase with a task for each elementTask elements.
func (e *execution) runElements(p crew.Phase, out *nd.Array) error {
	e.value.set(e.plan, dtype.Bool, out, e.direct(out, dtype.Bool))
	n := e.plan.outputs()
	return e.Run(p, (n+elementTask-1)/elementTask, n)
}

func (r *predicateRun) Task(number int, s *crew.Scratch) {
	eachBlock((*execution)(r), number, s, r, elementTask)
}

func (r *predicateRun) block(dst []uint8, src unsafe.Pointer, _ *crew.Scratch) {
	r.plan.test.test(dst, src, r.plan.dt, r.plan.outputs() >= r.Config.Thresholds().StreamAnswers)
}

// blockWorker answers for a block of contiguous elements.
type blockWorker interface {
	block(dst []uint8, src unsafe.Pointer, s *crew.Scratch)
}

// eachBlock hands the blocks of a task to w, of so many elements at most where
// these are contiguous.
func eachBlock(e *execution, number int, s *crew.Scratch, w blockWorker, most int) {
	first := number * elementTask
	end := min(first+elementTask, e.plan.outputs())
	var x reader
	x.init(e.x)
	var packed []byte
	if !x.contiguous() {
		most = elementBlock
		packed = crew.Alloc[byte](s, min(most, end-first)*x.size)
	}
	for first < end {
		n := min(most, end-first)
		dst := unsafe.Slice((*uint8)(e.value.array.Pointer(first)), n)
		w.block(dst, x.read(packed, first, n), s)
		first += n
	}
}

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
