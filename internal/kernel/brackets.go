package kernel

import "unsafe"

// BracketsMax is the most brackets that Brackets holds.
const BracketsMax = 16

// Bracket is where an interval of keys begins: those from From to To are
// collected, none if To is less than From.
type Bracket[K Key] struct{ From, To K }

// Brackets narrow blocks of elements to several intervals at a time. They count, over
// all blocks, the keys below each bracket. There are no pointers in Brackets.
type Brackets[K Key] struct {
	records [BracketsMax + 1]bracketRecord // first, to lie where cache lines begin
	enc     Encoding[K]
	count   int
	encode  bool // floats are encoded before they are compared
	n       int  // elements
	looked  int  // floats that were not encoded
	nan     int  // NaNs of those that were
}

// bracketRecord is a bracket. The one after the last counts the floats that are not
// NaN, or has, as low, the bits by which integers and their keys differ.
type bracketRecord struct {
	low, high int64 // the ends as they are compared: keys, or bits of floats
	from, to  int64 // the ends
	atLeast   int64
	_         [3]int64
	lanes     [8]int64 // so many more, a lane of a vector each
}

// BracketsOnVectors reports whether Brackets run on vectors, where they beat Collect for
// each interval.
func BracketsOnVectors[K Key]() bool { return unsafe.Sizeof(K(0)) >= 4 && bracketsOnVectors() }

// Set sets the brackets, one to BracketsMax, ascending, each interval ending before the
// next bracket begins, and the counts to none.
func (s *Brackets[K]) Set(e Encoding[K], brackets []Bracket[K]) {
	*s = Brackets[K]{enc: e, count: len(brackets)}
	if e.Code == Unsigned {
		s.records[s.count].low = int64(MinKey[K]())
	}
	for i, bracket := range brackets {
		if e.Code == Float {
			// Beyond the infinities are the bits of NaN, to which nothing compares.
			bracket.From = min(max(bracket.From, ^e.Inf), e.Inf+1)
			bracket.To = max(min(bracket.To, e.Inf), ^e.Inf-1)
			// Floats compare equal at zero.
			s.encode = s.encode || bracket.From == 0 || bracket.To == -1
		}
		s.records[i].from, s.records[i].to = int64(bracket.From), int64(bracket.To)
	}
	for i := range s.records[:len(brackets)] {
		r := &s.records[i]
		ends := [2]K{K(r.from), K(r.to)}
		if e.Code == Float && !s.encode {
			Decode(ends[:], ends[:], e, 0)
		}
		r.low, r.high = int64(ends[0]), int64(ends[1])
	}
}

// Collect counts the keys of src and writes the keys that are in one of the
// intervals to dst, in order; it returns how many. dst must hold len(src) keys:
// what follows the last one written is overwritten too. They must not overlap. The
// key of NaN is counted nowhere and never inside.
func (s *Brackets[K]) Collect(dst, src []K) (inside int) {
	dst = dst[:len(src):len(src)]
	s.n += len(src)
	inside, done := s.collectVector(dst, src)
	return inside + s.collectGeneric(dst[inside:][:len(src)-done], src[done:])
}

// Below returns how many keys are less than the one at which bracket i begins, or how
// many there are if there is no such bracket.
func (s *Brackets[K]) Below(i int) int {
	valid := s.n - s.NaN()
	if i == s.count {
		return valid
	}
	return valid + s.nan - int(s.records[i].atLeast) - s.inLanes(i)
}

// NaN returns how many elements are NaN.
func (s *Brackets[K]) NaN() int { return s.looked - s.inLanes(s.count) + s.nan }

// inLanes adds the lanes of a record.
func (s *Brackets[K]) inLanes(i int) (n int) {
	for _, v := range s.records[i].lanes {
		if unsafe.Sizeof(K(0)) == 4 {
			n += int(uint32(v)) + int(uint64(v)>>32)
		} else {
			n += int(v)
		}
	}
	return n
}
