package weights

import (
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/lane"
	"github.com/ogive-go/ogive/internal/selection/weighted"
)

// Reader reads the weights of lanes; see [Weights.Reader].
type Reader struct {
	DType  dtype.DType
	Lanes  lane.Lanes
	Shared bool // all lanes have the same weights
	Sums   *weighted.Weighting
}

// Read writes the loaded weights of the elements from … to-1 of count lanes to
// dst, lane after lane.
func (r *Reader) Read(dst []uint64, first, count, from, to int, s *crew.Scratch) {
	r.Widen(dst, first, count, from, to, s)
	r.Sums.Load(dst)
}

// Widen is Read of weights as they are given, but as wide as an int64 or, of a float
// dtype, a float64. A uint64 that no int64 holds becomes negative.
func (r *Reader) Widen(dst []uint64, first, count, from, to int, s *crew.Scratch) {
	r.widened(dst, s, func(at unsafe.Pointer) {
		switch r.DType.Size() {
		case 1:
			copyLanes[int8](at, &r.Lanes, first, count, from, to)
		case 2:
			copyLanes[int16](at, &r.Lanes, first, count, from, to)
		case 4:
			copyLanes[int32](at, &r.Lanes, first, count, from, to)
		default:
			copyLanes[int64](at, &r.Lanes, first, count, from, to)
		}
	})
}

// Pick is Widen of the weights of a lane at the positions. Lanes are even.
func (r *Reader) Pick(dst []uint64, number int, positions []uint32, s *crew.Scratch) {
	r.widened(dst, s, func(at unsafe.Pointer) {
		n := len(positions)
		switch r.DType.Size() {
		case 1:
			lane.Pick(unsafe.Slice((*uint8)(at), n), &r.Lanes, number, positions)
		case 2:
			lane.Pick(unsafe.Slice((*uint16)(at), n), &r.Lanes, number, positions)
		case 4:
			lane.Pick(unsafe.Slice((*uint32)(at), n), &r.Lanes, number, positions)
		default:
			lane.Pick(unsafe.Slice((*uint64)(at), n), &r.Lanes, number, positions)
		}
	})
}

// widened has copy write as many weights as dst holds, and widens them into dst.
func (r *Reader) widened(dst []uint64, s *crew.Scratch, copy func(at unsafe.Pointer)) {
	if len(dst) == 0 {
		return
	}
	size := r.DType.Size()
	if size == 8 {
		copy(unsafe.Pointer(&dst[0]))
		return
	}
	mark := s.Mark()
	raw := crew.Alloc[uint64](s, (len(dst)*size+7)/8)
	at := unsafe.Pointer(&raw[0])
	copy(at)
	wide := dtype.Int64
	if r.DType.IsFloat() {
		wide = dtype.Float64
	}
	dtype.Convert(wide, unsafe.Slice((*byte)(unsafe.Pointer(&dst[0])), 8*len(dst)), r.DType, unsafe.Slice((*byte)(at), size*len(dst)))
	s.Release(mark)
}

// copyLanes copies the elements from … to-1 of count lanes to dst, lane after
// lane, and walks evenly spaced lanes in the order of their memory.
func copyLanes[K kernel.Key](dst unsafe.Pointer, l *lane.Lanes, first, count, from, to int) {
	lane.Encode(unsafe.Slice((*K)(dst), count*(to-from)), l, first, from, to, kernel.Encoding[K]{})
}
