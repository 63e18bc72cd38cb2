package elements

import (
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/kernel"
)

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
