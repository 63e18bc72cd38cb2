package kernel

import (
	"math"
	"unsafe"
)

// ScaleCells is the number of cells of a Scale: their counts, twice, leave room
// in a first-level cache, and a CellSet fits into vector registers.
const ScaleCells = 2048

// Scale maps keys to cells 0 … ScaleCells-1, in ascending order and evenly:
// no key of a cell is below one of the cell before. It maps keys, of which those
// outside Lo … Hi go with these, or the values of floats; then NaN has the last
// cell for itself.
type Scale[K Key] struct {
	Lo, Hi K
	Shift  int // of the distance from Lo

	ByValue bool
	From    float64 // the value at which cell 0 begins, but for smaller ones
	Factor  float64 // cells for a distance of 1: positive and finite
}

// Between sets the scale to spread the keys lo <= hi, of elements with the
// given encoding, and reports whether it can: by value, where that is asked.
// lo and hi are not NaN.
func (s *Scale[K]) Between(lo, hi K, e Encoding[K], byValue bool) bool {
	*s = Scale[K]{Lo: lo, Hi: hi, ByValue: byValue}
	if !byValue {
		for width := uint64(int64(hi)) - uint64(int64(lo)); width>>s.Shift >= ScaleCells; {
			s.Shift++
		}
		return true
	}
	ends := [2]K{lo, hi}
	Decode(ends[:], ends[:], e, 0)
	from, to := valueOf(ends[0]), valueOf(ends[1])
	// lo is in the middle of its cell, so that if values lie evenly about as far apart
	// as cells, as integers do, the first ones have cells of their own.
	s.Factor = (ScaleCells - 2) / (to - from)
	s.From = from - 0.5/s.Factor
	limit := math.MaxFloat64
	if unsafe.Sizeof(lo) == 4 {
		s.From, s.Factor, limit = float64(float32(s.From)), float64(float32(s.Factor)), math.MaxFloat32
	}
	return s.Factor > 0 && s.Factor <= limit && s.From-s.From == 0
}

// valueOf returns the value of an element of a 32- or 64-bit float dtype.
func valueOf[K Key](element K) float64 {
	switch unsafe.Sizeof(element) {
	case 4:
		return float64(math.Float32frombits(uint32(element)))
	case 8:
		return math.Float64frombits(uint64(element))
	}
	panic("kernel: a scale by value of narrow floats")
}

// CellOf returns the cell of an element, or of a key if the scale is not by
// value.
func (s *Scale[K]) CellOf(v K) int {
	if !s.ByValue {
		return int((uint64(int64(min(max(v, s.Lo), s.Hi))) - uint64(int64(s.Lo))) >> s.Shift)
	}
	x := valueOf(v)
	if x != x {
		return ScaleCells - 1
	}
	t := (x - s.From) * s.Factor
	if unsafe.Sizeof(v) == 4 {
		t = float64(float32(float32(x)-float32(s.From)) * float32(s.Factor))
	}
	return int(max(min(t, ScaleCells-2), 0))
}

// Element returns what CellOf and Locate look at for a key: the element if the scale is
// by value.
func (s *Scale[K]) Element(key K, e Encoding[K]) K {
	v := [1]K{key}
	if s.ByValue {
		Decode(v[:], v[:], e, 0)
	}
	return v[0]
}

// FirstIn returns the first key from lo to hi whose cell is at least c, or hi
// if there is none. It looks near where the cell should begin first.
func (s *Scale[K]) FirstIn(c int, lo, hi K, e Encoding[K]) K {
	reaches := func(key K) bool { return s.CellOf(s.Element(key, e)) >= c }
	if at := s.KeyAt(float64(c), e); at > lo && at < hi {
		down := reaches(at)
		if down {
			hi = at
		} else {
			lo = at + 1
		}
		for step := uint64(1); uint64(int64(hi))-uint64(int64(lo)) > step; step *= 2 {
			if down {
				if at = hi - K(step); !reaches(at) {
					lo = at + 1
					break
				}
				hi = at
			} else {
				if at = lo + K(step); reaches(at) {
					hi = at
					break
				}
				lo = at + 1
			}
		}
	}
	for lo < hi {
		if mid := lo&hi + (lo^hi)>>1; reaches(mid) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// KeyAt returns a key near a position among the cells, which is that of a cell
// and a part of it: keys at a position are as far into their cell as its
// fraction. The cell must be below that of Hi.
func (s *Scale[K]) KeyAt(position float64, e Encoding[K]) K {
	if !s.ByValue {
		return K(int64(uint64(int64(s.Lo)) + uint64(position*float64(uint64(1)<<s.Shift))))
	}
	value := s.From + position/s.Factor
	key := [1]K{}
	if unsafe.Sizeof(key[0]) == 4 {
		key[0] = K(int32(math.Float32bits(float32(value))))
	} else {
		key[0] = K(int64(math.Float64bits(value)))
	}
	Encode(key[:], key[:], e)
	return key[0]
}

// Locate sets the cells of the elements of src, which are keys unless the scale
// is by value.
func Locate[K Key](cells []uint16, src []K, s *Scale[K]) {
	cells = cells[:len(src)]
	done := locateVector(cells, src, s)
	cells = cells[done:]
	for i, v := range src[done:] {
		cells[i] = uint16(s.CellOf(v))
	}
}

// CountCells counts cells, which are below ScaleCells, in either of two tables,
// whose sums are the counts. src are the elements whose cells they are: those
// that follow it in memory are asked for.
func CountCells[K Key](tables *[2 * ScaleCells]uint32, cells []uint16, src []K) {
	cells = cells[countCellsVector(tables, cells, src):]
	for len(cells) >= 4 {
		four := (*[4]uint16)(cells)
		tables[four[0]%ScaleCells]++
		tables[ScaleCells+four[1]%ScaleCells]++
		tables[four[2]%ScaleCells]++
		tables[ScaleCells+four[3]%ScaleCells]++
		cells = cells[4:]
	}
	for _, c := range cells {
		tables[c%ScaleCells]++
	}
}

// CellSet is a set of cells of a Scale, a bit each.
type CellSet [ScaleCells / 32]uint32

// Add adds a cell.
func (s *CellSet) Add(c int) { s[c/32] |= 1 << (c % 32) }

// Has reports whether a cell is in the set.
func (s *CellSet) Has(c int) bool { return s[c/32]>>(c%32)&1 == 1 }

// Keep writes the keys whose cells are in the set to dst, and the cells to
// dstCells, in order, and returns how many there are. It leaves out those that
// are like that of their cell in unlike, unless that is empty. What follows the last one
// written is overwritten too: both must hold len(src), as cells does; they may be src
// and cells. of are the elements that src comes from: those that follow them in
// memory are asked for.
func Keep[K Key](dst []K, dstCells []uint16, src []K, cells []uint16, set *CellSet, unlike, of []K) int {
	dst, dstCells, cells = dst[:len(src)], dstCells[:len(src)], cells[:len(src)]
	kept, done := keepVector(dst, dstCells, src, cells, set, unlike, of)
	if len(unlike) == 0 {
		for i := done; i < len(src); i++ {
			c := cells[i] % ScaleCells
			dst[kept], dstCells[kept] = src[i], c
			kept += int(set[c/32] >> (c % 32) & 1)
		}
		return kept
	}
	without := (*[ScaleCells]K)(unlike)
	for i := done; i < len(src); i++ {
		c := cells[i] % ScaleCells
		dst[kept], dstCells[kept] = src[i], c
		in := set[c/32] >> (c % 32) & 1
		if src[i] == without[c] {
			in = 0
		}
		kept += int(in)
	}
	return kept
}
