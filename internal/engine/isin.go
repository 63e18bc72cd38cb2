package engine

import (
	"math/bits"
	"runtime"
	"slices"
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/nd"
	"github.com/ogive-go/ogive/internal/tuning"
)

// Kind is a way of looking values up.
type Kind uint8

// The kinds.
const (
	KindAuto  Kind = iota // chosen from the dtype, the range and the sizes
	KindSort              // binary search
	KindTable             // a byte for each value of the range of the test values
	KindHash              // a hash table
)

// Member describes a call of isin.
type Member struct {
	Test         *nd.Array // on the host
	Invert       bool
	AssumeUnique bool // neither side repeats a value; a hint
	EqualNaN     bool // NaNs are equal to each other
	Kind         Kind
}

// Membership is what a Plan keeps of the test values: the set of the patterns
// of those that the elements' dtype has. Others equal no element.
type Membership struct {
	set    lookup // nil if there are none
	nan    bool   // NaNs are members
	invert bool
}

// lookup finds patterns in a set. It writes 1 or 0 for each of the contiguous
// elements at src.
type lookup interface {
	contains(dst []uint8, src unsafe.Pointer, s *crew.Scratch)
}

// release gives the memory of a set back that can be used for another.
func (c *Membership) release() {
	if h, ok := c.set.(interface{ release() }); ok {
		h.release()
	}
}

// InitMembership makes p a plan that looks the elements of inputs of the dtype
// and the shape up among the test values. These are read once, here. KindTable
// takes integers and bool on both sides, else ErrDType, and a range of test
// values of at most 1 GiB, else ErrOption.
func (p *Plan) InitMembership(name string, dt dtype.DType, shape []int, m *Member) error {
	if m.Kind > KindHash {
		return errs.New(errs.ErrOption, "unknown kind %d; known: auto, sort, table, hash", m.Kind)
	}
	defer runtime.KeepAlive(m.Test) // its memory may be a mapped file, and is read through addresses
	test := distinct(m.Test)
	if m.Kind == KindTable {
		if err := checkTable(dt, &test); err != nil {
			return err
		}
	}
	if err := p.begin(name, kindMembership, dt, shape); err != nil {
		return err
	}
	p.result = dtype.Bool
	p.member = &Membership{invert: m.Invert}
	if p.outputs() == 0 || test.Len() == 0 {
		return nil
	}
	p.member.compile(dt, &test, m, p)
	return nil
}

// distinct returns a without the repetitions of dimensions with stride 0.
func distinct(a *nd.Array) nd.Array {
	v := *a
	for i, d := range a.Shape() {
		if d > 1 && a.Strides()[i] == 0 {
			v, _ = v.Slice(i, 0, 1, 1) // an axis of v, and positions within it
		}
	}
	return v
}

// tableLimit is the size of the largest table of KindTable.
const tableLimit = 1 << 30

// checkTable checks that a table can be made for elements of dtype dt.
func checkTable(dt dtype.DType, test *nd.Array) error {
	for _, d := range [...]dtype.DType{dt, test.DType} {
		if !d.IsInteger() && !d.IsBool() {
			return errs.New(errs.ErrDType, "kind table takes integers and bool, got %v", d)
		}
	}
	if test.Len() == 0 {
		return nil
	}
	var span uint64 // the size less 1, which may be 2^64
	switch test.DType.Size() {
	case 1:
		span = spanOf[uint8](test)
	case 2:
		span = spanOf[uint16](test)
	case 4:
		span = spanOf[uint32](test)
	default:
		span = spanOf[uint64](test)
	}
	switch size, carry := bits.Add64(span, 1, 0); {
	case span < tableLimit:
		return nil
	case carry == 0 && size < 10<<30:
		return errs.New(errs.ErrOption, "kind table needs %d bytes, limit 1 GiB", size)
	default:
		return errs.New(errs.ErrOption, "kind table needs %d GiB, limit 1 GiB", size>>30|carry<<34)
	}
}

// spanOf returns the distance between the smallest and the largest of the
// values, which are integers or bools of B's width.
func spanOf[B kernel.Bits](test *nd.Array) uint64 {
	var ends []B
	eachTestBlock(test, func(at unsafe.Pointer, n int) {
		low, high := kernel.Range(unsafe.Slice((*B)(at), n), test.DType.IsSigned())
		ends = append(ends, low, high)
		low, high = kernel.Range(ends, test.DType.IsSigned())
		ends = append(ends[:0], low, high)
	})
	return uint64(ends[1] - ends[0])
}

// eachTestBlock calls fn for the elements of a, which has some, a contiguous
// block at a time.
func eachTestBlock(a *nd.Array, fn func(at unsafe.Pointer, n int)) {
	var r reader
	r.init(a)
	var packed []byte
	total := a.Len()
	if !r.contiguous() {
		words := make([]uint64, min(elementBlock, total)*r.size/8+1)
		packed = unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words))
	}
	for first := 0; first < total; first += elementBlock {
		n := min(elementBlock, total-first)
		fn(r.read(packed, first, n), n)
	}
}

// compile makes the set for the elements of p, of dtype dt.
func (c *Membership) compile(dt dtype.DType, test *nd.Array, m *Member, p *Plan) {
	switch {
	case dt == dtype.Complex64:
		compilePairs[kernel.Pair32](c, dt, test, m, p)
	case dt == dtype.Complex128:
		compilePairs[kernel.Pair64](c, dt, test, m, p)
	case dt.Size() == 1:
		compileBits[uint8](c, dt, test, m, p)
	case dt.Size() == 2:
		compileBits[uint16](c, dt, test, m, p)
	case dt.Size() == 4:
		compileBits[uint32](c, dt, test, m, p)
	default:
		compileBits[uint64](c, dt, test, m, p)
	}
}

// patternsOf returns the patterns of the test values, which may repeat, and
// whether a NaN is among them. The patterns may be the test's own memory.
func patternsOf[P kernel.Pattern](dt dtype.DType, test *nd.Array) (patterns []P, nan bool) {
	if dt == test.DType && test.IsContiguous() {
		own := unsafe.Slice((*P)(test.Pointer(0)), test.Len())
		if dt.IsInteger() || dt.IsBool() || dt.IsFloat() && kernel.AsIs(own, dt) {
			return own, false
		}
	}
	patterns = make([]P, 0, test.Len()+kernel.MaxPatterns*min(elementBlock, test.Len()))
	eachTestBlock(test, func(at unsafe.Pointer, n int) {
		var found bool
		patterns = slices.Grow(patterns, kernel.MaxPatterns*n)
		patterns, found = kernel.Exact(patterns, dt, at, test.DType, n)
		nan = nan || found
	})
	return patterns, nan
}

// compileBits compiles for real elements read as B.
func compileBits[B kernel.Bits](c *Membership, dt dtype.DType, test *nd.Array, m *Member, p *Plan) {
	patterns, nan := patternsOf[B](dt, test)
	c.nan = nan && m.EqualNaN
	if len(patterns) == 0 {
		return
	}
	switch {
	case m.Kind == KindSort:
		c.set = sortedBits[B](kernel.SortPatterns(slices.Clone(patterns)))
		return
	case m.Kind == KindTable:
		c.set = newByteTable(patterns, dt.IsSigned())
		return
	case m.Kind == KindAuto && dt.Size() == 1:
		c.set = newByteSet(any(patterns).([]uint8))
		return
	case m.Kind == KindAuto && dt.Size() > 2:
		if c.set = newFew(patterns); c.set != nil {
			return
		}
	}
	if m.Kind == KindAuto && (!dt.IsFloat() || dt.Size() == 2) {
		// A bitmap is cleared and then read at random: that pays if there is
		// an element for each word or so, or if it is small anyway.
		most := min(uint64(tuning.Default.BitmapWords), 1<<10+uint64(len(patterns))+uint64(p.outputs()))
		if low, high, words := bitmapRange(patterns, dt.IsSigned(), most); words <= most {
			c.set = newBitmap(patterns, low, high, int(words))
			return
		}
	}
	c.set = newHashSet(patterns, m.AssumeUnique, p.Config.Workers)
}

// bitmapRange returns the range of the patterns and the words that a bitmap over
// it takes, or more than most if it takes more.
func bitmapRange[B kernel.Bits](patterns []B, signed bool, most uint64) (low, high B, words uint64) {
	low, high = patterns[0], patterns[0]
	for first := 0; first < len(patterns) && words <= most; first += elementBlock {
		l, h := kernel.Range(patterns[first:min(first+elementBlock, len(patterns))], signed)
		low, high = kernel.Range([]B{low, high, l, h}, signed)
		words = kernel.BitmapWords(uint64(high - low))
	}
	return low, high, words
}

// compilePairs compiles for complex elements.
func compilePairs[P kernel.Pair](c *Membership, dt dtype.DType, test *nd.Array, m *Member, p *Plan) {
	patterns, nan := patternsOf[P](dt, test)
	c.nan = nan && m.EqualNaN
	switch {
	case len(patterns) == 0:
	case m.Kind == KindSort:
		c.set = sortedPairs[P](kernel.SortPatterns(patterns))
	default:
		if m.Kind == KindAuto {
			c.set = newFew(patterns)
		}
		if c.set == nil {
			c.set = newHashSet(patterns, m.AssumeUnique, p.Config.Workers)
		}
	}
}

// membershipRun runs isin as a phase.
type membershipRun execution

// runMembership looks all elements up.
func (e *execution) runMembership(out *nd.Array) error {
	return e.runElements((*membershipRun)(e), out)
}

func (r *membershipRun) Task(number int, s *crew.Scratch) {
	eachBlock((*execution)(r), number, s, r, elementBlock)
}

func (r *membershipRun) block(dst []uint8, src unsafe.Pointer, s *crew.Scratch) {
	c := r.plan.member
	if c.set == nil {
		clear(dst)
	} else {
		c.set.contains(dst, src, s)
	}
	if c.nan && (r.plan.dt.IsFloat() || r.plan.dt.IsComplex()) {
		mark := s.Mark()
		nans := crew.Alloc[uint8](s, len(dst))
		NaN.test(nans, src, r.plan.dt, false)
		kernel.Or(dst, nans)
		s.Release(mark)
	}
	if c.invert {
		kernel.Invert(dst)
	}
}
