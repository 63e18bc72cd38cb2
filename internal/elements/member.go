package elements

import (
	"math/bits"
	"runtime"
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/errs"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/member"
	"github.com/ogive-go/ogive/internal/nd"
)

// Kind is a way of looking values up.
type Kind = member.Kind

// Member describes a call of isin.
type Member struct {
	Test         *nd.Array // on the host
	Invert       bool
	AssumeUnique bool // neither side repeats a value; a hint
	EqualNaN     bool // NaNs are equal to each other
	Kind         Kind
	Patterns     bool // keep the test values, for a device
}

// Check checks the kind, for elements of dtype dt. The kind table takes integers and bool
// on both sides, else ErrDType, and a range of test values of at most 1 GiB, else ErrOption.
func (m *Member) Check(dt dtype.DType) error {
	switch {
	case m.Kind > member.Hash:
		return errs.New(errs.ErrOption, "unknown kind %d; known: auto, sort, table, hash", m.Kind)
	case m.Kind != member.Table:
		return nil
	}
	defer runtime.KeepAlive(m.Test) // its memory may be a mapped file, and is read through addresses
	array := distinct(m.Test)
	return checkTable(dt, valuesOf(&array))
}

// Members are the values that isin looks elements up among.
type Members struct {
	// Patterns are, for a device, the bits of the members, which may repeat: []uint8,
	// []uint16, []uint32, []uint64, []kernel.Pair32 or []kernel.Pair64; nil without any.
	Patterns any
	NaN      bool // NaNs are members
	Invert   bool
	set      member.Set
}

// init reads the test values of a checked call, for so many elements of dtype dt.
func (c *Members) init(m *Member, dt dtype.DType, elements int, config crew.Config) {
	c.Invert = m.Invert
	defer runtime.KeepAlive(m.Test)
	array := distinct(m.Test)
	test := valuesOf(&array)
	if elements == 0 || test.Len == 0 {
		return
	}
	c.set = member.New(dt, test, &member.Options{Config: config, Kind: m.Kind, Unique: m.AssumeUnique, Elements: elements})
	c.NaN = c.set.NaN && m.EqualNaN && (dt.IsFloat() || dt.IsComplex())
	if m.Patterns {
		c.Patterns = member.Patterns(dt, test)
	}
}

// test writes to dst which of the contiguous elements of dtype dt at src are members.
func (c *Members) test(dst []uint8, src unsafe.Pointer, dt dtype.DType, s *crew.Scratch) {
	c.set.Contains(dst, src)
	if c.NaN {
		mark := s.Mark()
		nans := crew.Alloc[uint8](s, len(dst))
		NaN.test(nans, src, dt, false)
		kernel.Or(dst, nans)
		s.Release(mark)
	}
	if c.Invert {
		kernel.Invert(dst)
	}
}

// valuesOf returns the elements of a contiguous array.
func valuesOf(a *nd.Array) member.Values {
	return member.Values{DType: a.DType, At: a.Pointer(0), Len: a.Len()}
}

// distinct returns the elements of a in C order, without the repetitions of
// dimensions with stride 0.
func distinct(a *nd.Array) nd.Array {
	v := *a
	for i, d := range a.Shape() {
		if d > 1 && a.Strides()[i] == 0 {
			v, _ = v.Slice(i, 0, 1, 1) // an axis of v, and positions within it
		}
	}
	if v.IsContiguous() {
		return v
	}
	strided := v // which a copy leads to the heap, and v not
	return strided.Clone()
}

// checkTable checks that a table can be made for elements of dtype dt.
func checkTable(dt dtype.DType, test member.Values) error {
	for _, d := range [...]dtype.DType{dt, test.DType} {
		if !d.IsInteger() && !d.IsBool() {
			return errs.New(errs.ErrDType, "kind table takes integers and bool, got %v", d)
		}
	}
	if test.Len == 0 {
		return nil
	}
	span := test.Span() // the size less 1, which may be 2^64
	switch size, carry := bits.Add64(span, 1, 0); {
	case span < member.TableMax:
		return nil
	case carry == 0 && size < 10<<30:
		return errs.New(errs.ErrOption, "kind table needs %d bytes, limit 1 GiB", size)
	default:
		return errs.New(errs.ErrOption, "kind table needs %d GiB, limit 1 GiB", size>>30|carry<<34)
	}
}
