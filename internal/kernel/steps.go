package kernel

import "unsafe"

// StepsMax is the most steps that Steps holds.
const StepsMax = 16

// Step is where an interval of keys begins: those from From to To are
// collected, none if To is less than From.
type Step[K Key] struct{ From, To K }

// Steps narrow blocks of elements to several intervals at a time. They count, over
// all blocks, the keys below each step. There are no pointers in Steps.
type Steps[K Key] struct {
	records [StepsMax + 1]stepRecord // first, to lie where cache lines begin
	enc     Encoding[K]
	count   int
	encode  bool // floats are encoded before they are compared
	n       int  // elements
	looked  int  // floats that were not encoded
	nan     int  // NaNs of those that were
}

// stepRecord is a step. The one after the last counts the floats that are not
// NaN, or has, as low, the bits by which integers and their keys differ.
type stepRecord struct {
	low, high int64 // the ends as they are compared: keys, or bits of floats
	from, to  int64 // the ends
	atLeast   int64
	_         [3]int64
	lanes     [8]int64 // so many more, a lane of a vector each
}

// StepsOnVectors reports whether Steps run on vectors, where they beat Narrow for
// each interval.
func StepsOnVectors[K Key]() bool { return unsafe.Sizeof(K(0)) >= 4 && stepsOnVectors() }

// Set sets the steps, one to StepsMax, ascending, each interval ending before the
// next step begins, and the counts to none.
func (s *Steps[K]) Set(e Encoding[K], steps []Step[K]) {
	*s = Steps[K]{enc: e, count: len(steps)}
	if e.Code == Unsigned {
		s.records[s.count].low = int64(MinKey[K]())
	}
	for i, step := range steps {
		if e.Code == Float {
			// Beyond the infinities are the bits of NaN, to which nothing compares.
			step.From = min(max(step.From, ^e.Inf), e.Inf+1)
			step.To = max(min(step.To, e.Inf), ^e.Inf-1)
			// Floats compare equal at zero.
			s.encode = s.encode || step.From == 0 || step.To == -1
		}
		s.records[i].from, s.records[i].to = int64(step.From), int64(step.To)
	}
	for i := range s.records[:len(steps)] {
		r := &s.records[i]
		ends := [2]K{K(r.from), K(r.to)}
		if e.Code == Float && !s.encode {
			Decode(ends[:], ends[:], e, 0)
		}
		r.low, r.high = int64(ends[0]), int64(ends[1])
	}
}

// Narrow counts the keys of src and writes the keys that are in one of the
// intervals to dst, in order; it returns how many. dst must hold len(src) keys:
// what follows the last one written is overwritten too. They must not overlap. The
// key of NaN is counted nowhere and never inside.
func (s *Steps[K]) Narrow(dst, src []K) (inside int) {
	dst = dst[:len(src):len(src)]
	s.n += len(src)
	inside, done := s.narrowVector(dst, src)
	return inside + s.narrowGeneric(dst[inside:][:len(src)-done], src[done:])
}

// Below returns how many keys are less than the one at which step i begins, or how
// many there are if there is no such step.
func (s *Steps[K]) Below(i int) int {
	valid := s.n - s.NaN()
	if i == s.count {
		return valid
	}
	return valid + s.nan - int(s.records[i].atLeast) - s.inLanes(i)
}

// NaN returns how many elements are NaN.
func (s *Steps[K]) NaN() int { return s.looked - s.inLanes(s.count) + s.nan }

// inLanes adds the lanes of a record.
func (s *Steps[K]) inLanes(i int) (n int) {
	for _, v := range s.records[i].lanes {
		if unsafe.Sizeof(K(0)) == 4 {
			n += int(uint32(v)) + int(uint64(v)>>32)
		} else {
			n += int(v)
		}
	}
	return n
}
