package tensorio

import (
	"encoding/binary"
	"math/bits"
	"runtime"
	"unsafe"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/bridge"
	"github.com/ogive-go/ogive/internal/nd"
)

// tensors goes between tensors and their arrays, which package ogive hides.
var tensors = bridge.TensorsOf[ogive.Tensor]()

// layout says how a file holds one array.
type layout struct {
	dt      dtype.DType
	shape   []int
	start   int64 // offset of the first element, in bytes
	swap    bool  // elements have the other byte order
	fortran bool  // the first dimension varies fastest
}

// size returns the bytes of all elements. The shape has been checked.
func (l *layout) size() int {
	n := l.dt.Size()
	for _, d := range l.shape {
		n *= d
	}
	return n
}

// tensor returns the array over b, exactly its bytes. b is shared if it is
// aligned and in the machine's byte order, and copied otherwise; scratch says
// that b may be changed in place. owner keeps b mapped.
func (l *layout) tensor(b []byte, owner any, scratch bool) (*ogive.Tensor, error) {
	if l.swap && !scratch || !l.aligned(b) {
		c := alignedBytes(len(b))
		copy(c, b)
		b, owner = c, nil
	}
	if l.swap {
		swapBytes(b, l.unit())
	}
	if l.dt == dtype.Bool {
		if i := notBool(b); i >= 0 {
			return nil, notABool(l.start+int64(i), b[i])
		}
	}
	shape := l.shape
	if l.fortran {
		shape = make([]int, len(l.shape))
		for i, d := range l.shape {
			shape[len(shape)-1-i] = d
		}
	}
	a, err := nd.FromBytes(l.dt, b, owner, shape...)
	if err == nil && l.fortran {
		a, err = a.Transpose()
	}
	if err != nil {
		return nil, err
	}
	return tensors.Wrap(a), nil
}

// unit returns the bytes of a number: half of an element for complex dtypes.
func (l *layout) unit() int {
	if l.dt.IsComplex() {
		return l.dt.Size() / 2
	}
	return l.dt.Size()
}

// aligned reports whether b begins where an element can lie.
func (l *layout) aligned(b []byte) bool {
	return uintptr(unsafe.Pointer(unsafe.SliceData(b)))%uintptr(l.unit()) == 0
}

// flat returns the tensor of a file that is held in memory and is exactly the
// header and the elements.
func (l *layout) flat(s *source) (*ogive.Tensor, error) {
	if err := l.fits(int64(len(s.data))); err != nil {
		return nil, err
	}
	t, err := l.tensor(s.data[l.start:], s.owner, s.owner == nil)
	runtime.KeepAlive(s)
	return t, err
}

// fits checks that a file of the given size is exactly the header and the
// elements.
func (l *layout) fits(size int64) error {
	switch have, want := size-l.start, int64(l.size()); {
	case have < want:
		return l.truncated(have)
	case have > want:
		return l.trailing()
	}
	return nil
}

// truncated is the error of a file with only have bytes of elements.
func (l *layout) truncated(have int64) error {
	return malformed("byte %d: the file ends; %v of %v needs %d bytes from byte %d, %d are there",
		l.start+have, l.shape, l.dt, l.size(), l.start, have)
}

// trailing is the error of a file with more after the elements.
func (l *layout) trailing() error {
	return malformed("byte %d: the file goes on after the %d bytes of %v of %v",
		l.start+int64(l.size()), l.size(), l.shape, l.dt)
}

// foreign reports whether the byte order is not the machine's.
func foreign(bigEndian bool) bool { return bigEndian == littleEndian }

// littleEndian says that the machine stores the lowest byte first.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// swapBytes reverses the bytes of each unit of b, which is aligned for it.
func swapBytes(b []byte, unit int) {
	n := len(b) / unit
	p := unsafe.Pointer(unsafe.SliceData(b))
	switch unit {
	case 2:
		for i, v := range unsafe.Slice((*uint16)(p), n) {
			*(*uint16)(unsafe.Add(p, 2*i)) = bits.ReverseBytes16(v)
		}
	case 4:
		for i, v := range unsafe.Slice((*uint32)(p), n) {
			*(*uint32)(unsafe.Add(p, 4*i)) = bits.ReverseBytes32(v)
		}
	case 8:
		for i, v := range unsafe.Slice((*uint64)(p), n) {
			*(*uint64)(unsafe.Add(p, 8*i)) = bits.ReverseBytes64(v)
		}
	}
}

// notABool is the error of a bool of another value than 0 and 1.
func notABool(at int64, value byte) error {
	return malformed("byte %d: %#02x is not a bool (0 or 1)", at, value)
}

// notBool returns the position of the first byte other than 0 and 1, or -1.
func notBool(b []byte) int {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		if binary.NativeEndian.Uint64(b[i:])&0xFEFE_FEFE_FEFE_FEFE != 0 {
			break
		}
	}
	for ; i < len(b); i++ {
		if b[i] > 1 {
			return i
		}
	}
	return -1
}
