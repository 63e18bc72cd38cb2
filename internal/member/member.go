// Package member makes sets of values and looks elements up in them. The values
// are converted exactly to the dtype of the elements, so that members are found
// by comparing bit patterns; how these are looked up is chosen here, and the
// loops that do it are those of package kernel.
package member

import (
	"slices"
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
)

// Kind is a way of looking values up.
type Kind uint8

// The kinds.
const (
	Auto  Kind = iota // chosen from the dtype, the range and the sizes
	Sort              // binary search
	Table             // a byte for each value of the range of the values, of integers and bool
	Hash              // a hash table
)

// Values are the contiguous values of a set.
type Values struct {
	DType dtype.DType
	At    unsafe.Pointer
	Len   int // at least 1
}

// Span returns the distance between the smallest and the largest of values that
// are integers or bools.
func (v Values) Span() uint64 {
	switch v.DType.Size() {
	case 1:
		return span[uint8](v)
	case 2:
		return span[uint16](v)
	case 4:
		return span[uint32](v)
	default:
		return span[uint64](v)
	}
}

// span is Span of values read as B.
func span[B kernel.Bits](v Values) uint64 {
	low, high := kernel.Range(unsafe.Slice((*B)(v.At), v.Len), v.DType.IsSigned())
	return uint64(high - low)
}

// Options say how a set is made.
type Options struct {
	crew.Config
	Kind     Kind
	Unique   bool // few values repeat: a hint
	Elements int  // that will be looked up
}

// Set is a set of values of one dtype. The zero value is empty.
type Set struct {
	NaN bool // whether a NaN was among the values, which is in no set

	find lookup
	room *crew.Scratch // memory that another set may use after this one
}

// New returns the set of those of the values that dtype dt has.
func New(dt dtype.DType, values Values, o *Options) Set {
	switch {
	case dt == dtype.Complex64:
		return newPairs[kernel.Pair32](dt, values, o)
	case dt == dtype.Complex128:
		return newPairs[kernel.Pair64](dt, values, o)
	case dt.Size() == 1:
		return newBits[uint8](dt, values, o)
	case dt.Size() == 2:
		return newBits[uint16](dt, values, o)
	case dt.Size() == 4:
		return newBits[uint32](dt, values, o)
	default:
		return newBits[uint64](dt, values, o)
	}
}

// Patterns returns the bits of those of the values that dtype dt has, as New finds them,
// in memory of their own: a []uint8, []uint16, []uint32, []uint64, []kernel.Pair32 or
// []kernel.Pair64.
func Patterns(dt dtype.DType, values Values) any {
	switch {
	case dt == dtype.Complex64:
		return ownPairs[kernel.Pair32](dt, values)
	case dt == dtype.Complex128:
		return ownPairs[kernel.Pair64](dt, values)
	case dt.Size() == 1:
		return ownBits[uint8](dt, values)
	case dt.Size() == 2:
		return ownBits[uint16](dt, values)
	case dt.Size() == 4:
		return ownBits[uint32](dt, values)
	default:
		return ownBits[uint64](dt, values)
	}
}

func ownPairs[P kernel.Pair](dt dtype.DType, values Values) []P {
	patterns, _ := patternsOf[P](dt, values)
	return patterns
}

func ownBits[B kernel.Bits](dt dtype.DType, values Values) []B {
	patterns, _ := bitsOf[B](dt, values)
	return slices.Clone(patterns) // they may be the values' own
}

// Contains writes 1 to dst[i] if the ith of the contiguous elements at src is in
// the set, else 0.
func (s *Set) Contains(dst []uint8, src unsafe.Pointer) {
	if s.find == nil {
		clear(dst)
	} else {
		s.find(dst, src)
	}
}

// Release empties the set and gives memory back that can be used for another.
func (s *Set) Release() {
	if s.room != nil {
		rooms.Put(s.room)
	}
	*s = Set{}
}

// newBits is New for real elements read as B.
func newBits[B kernel.Bits](dt dtype.DType, values Values, o *Options) (s Set) {
	var patterns []B
	if patterns, s.NaN = bitsOf[B](dt, values); len(patterns) == 0 {
		return s
	}
	switch signed := dt.IsSigned(); {
	case o.Kind == Sort:
		s.find = inSorted(patterns)
	case o.Kind == Table:
		s.find = inTable(patterns, signed, TableMax)
	case o.Kind == Auto && dt.Size() == 1:
		s.find = inBytes(kernel.As[uint8](patterns))
	case o.Kind == Auto:
		s.find = inFew(patterns)
		if s.find == nil && (dt.Size() == 2 || !dt.IsFloat()) {
			// A bitmap is cleared and then read at random: that pays if there is
			// an element for each word or so, or if it is small anyway.
			most := 1<<10 + len(patterns) + o.Elements
			s.find = inBitmap(patterns, signed, uint64(min(o.Thresholds().BitmapWords, most)))
		}
	}
	if s.find == nil {
		s.find, s.room = inHash(patterns, o)
	}
	return s
}

// newPairs is New for complex elements.
func newPairs[P kernel.Pair](dt dtype.DType, values Values, o *Options) (s Set) {
	var patterns []P
	if patterns, s.NaN = patternsOf[P](dt, values); len(patterns) == 0 {
		return s
	}
	switch o.Kind {
	case Sort:
		s.find = inSortedPairs(patterns)
	case Auto:
		s.find = inFew(patterns)
	}
	if s.find == nil {
		s.find, s.room = inHash(patterns, o)
	}
	return s
}
