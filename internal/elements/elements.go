// Package elements tests the elements of arrays, each for itself: by its bits, as isnan and
// its kin do, or by the values that isin looks it up among. A test is told to devices as
// ranges of bits, and as lists of them.
package elements

import (
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/nd"
)

// Test is what is asked of each element of an array of one dtype.
type Test struct {
	dt        dtype.DType
	predicate Predicate
	isIn      bool // it is members that are asked for, not the predicate
	members   Members
}

// InitPredicate makes t a test by a predicate. PosInf, NegInf and SignBit of a complex
// dtype are ErrDType.
func (t *Test) InitPredicate(dt dtype.DType, p Predicate) error {
	if dt.IsComplex() && (p == PosInf || p == NegInf || p == SignBit) {
		return errs.New(errs.ErrDType, "%v is ambiguous; test its real or imaginary part", dt)
	}
	*t = Test{dt: dt, predicate: p}
	return nil
}

// InitMembers makes t a test for the test values of m, which passed Check; they are read
// once, here. There are so many elements.
func (t *Test) InitMembers(dt dtype.DType, elements int, m *Member, config crew.Config) {
	*t = Test{dt: dt, isIn: true}
	t.members.init(m, dt, elements, config)
}

// Forget drops what t has of test values, whose memory others may then use.
func (t *Test) Forget() {
	t.members.set.Release()
	t.members.Patterns = nil
}

// Members returns the members that are asked for, or nil.
func (t *Test) Members() *Members {
	if !t.isIn {
		return nil
	}
	return &t.members
}

// Windows returns the test by a predicate as ranges of bits.
func (t *Test) Windows() Windows { return t.predicate.Windows(t.dt) }

const (
	// taskElements is the number of elements of a task.
	taskElements = 1 << 17

	// blockElements is how many are worked on at a time, so that they stay in the
	// second-level cache, where more is packed or noted for them.
	blockElements = 1 << 13
)

// Run is a test of all elements of an array by a crew. The zero value is ready; it runs one
// test at a time.
type Run struct {
	test   *Test
	x, dst *nd.Array
	block  int  // elements
	stream bool // answers are written past the caches
}

// All writes whether the elements of x pass to dst, contiguous bools of x's shape. It fails
// only if the crew's context ends.
func (r *Run) All(c *crew.Crew, t *Test, x, dst *nd.Array) error {
	n := dst.Len()
	*r = Run{t, x, dst, taskElements, n >= c.Config.Thresholds().StreamAnswers}
	if t.isIn {
		r.block = blockElements
	}
	err := c.Run(r, (n+taskElements-1)/taskElements, n)
	*r = Run{}
	return err
}

// Task tests the elements of a task, block by block.
func (r *Run) Task(number int, s *crew.Scratch) {
	first := number * taskElements
	end := min(first+taskElements, r.dst.Len())
	block := r.block
	var x reader
	x.init(r.x)
	var packed []byte
	if !x.contiguous() {
		block = blockElements
		packed = crew.Alloc[byte](s, min(block, end-first)*x.size)
	}
	for first < end {
		n := min(block, end-first)
		dst, src := unsafe.Slice((*uint8)(r.dst.Pointer(first)), n), x.read(packed, first, n)
		if r.test.isIn {
			r.test.members.test(dst, src, r.test.dt, s)
		} else {
			r.test.predicate.test(dst, src, r.test.dt, r.stream)
		}
		first += n
	}
}
