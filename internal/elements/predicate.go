package elements

import (
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/kernel"
)

// Predicate is a test of one element by its bits.
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
	panic("elements: a complex element has no sign")
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

// Windows are an element test as ranges of bits. Without parts all elements pass, or
// none. Of complex elements either part or both lie in their windows.
type Windows struct {
	Parts    int // of an element: 1, 2, or 0 where the dtype alone decides
	All      bool
	Re, Im   kernel.Window[uint64]
	Either   bool
	PartSize int // bytes
}

// Windows returns the test of elements of a dtype as ranges of bits.
func (t Predicate) Windows(dt dtype.DType) Windows {
	switch {
	case dt == dtype.Complex64:
		return complexWindows[uint32](t, dtype.Float32)
	case dt == dtype.Complex128:
		return complexWindows[uint64](t, dtype.Float64)
	case dt.Size() == 1:
		return realWindows[uint8](t, dt)
	case dt.Size() == 2:
		return realWindows[uint16](t, dt)
	case dt.Size() == 4:
		return realWindows[uint32](t, dt)
	default:
		return realWindows[uint64](t, dt)
	}
}

func realWindows[B kernel.Bits](t Predicate, dt dtype.DType) Windows {
	w, ok, all := windowOf[B](t, dt)
	if !ok {
		return Windows{All: all}
	}
	return Windows{Parts: 1, Re: widen(w), PartSize: dt.Size()}
}

func complexWindows[B kernel.Bits](t Predicate, dt dtype.DType) Windows {
	re, im, either := windowsOf[B](t, dt)
	return Windows{Parts: 2, Re: widen(re), Im: widen(im), Either: either, PartSize: dt.Size()}
}

func widen[B kernel.Bits](w kernel.Window[B]) kernel.Window[uint64] {
	return kernel.Window[uint64]{Mask: uint64(w.Mask), Low: uint64(w.Low), Span: uint64(w.Span)}
}
