package engine

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

// membership is what a Plan keeps of the test values.
type membership struct {
	set    member.Set
	nan    bool // NaNs are members
	invert bool

	patterns any // for a device, see Members; nil if there are none
}

// InitMembership makes p a plan that looks the elements of inputs of the dtype
// and the shape up among the test values. These are read once, here. The kind
// table takes integers and bool on both sides, else ErrDType, and a range of test
// values of at most 1 GiB, else ErrOption.
func (p *Plan) InitMembership(name string, dt dtype.DType, shape []int, m *Member) error {
	if m.Kind > member.Hash {
		return errs.New(errs.ErrOption, "unknown kind %d; known: auto, sort, table, hash", m.Kind)
	}
	defer runtime.KeepAlive(m.Test) // its memory may be a mapped file, and is read through addresses
	array := distinct(m.Test)
	test := member.Values{DType: array.DType, At: array.Pointer(0), Len: array.Len()}
	if m.Kind == member.Table {
		if err := checkTable(dt, test); err != nil {
			return err
		}
	}
	if err := p.begin(name, kindMembership, dt, shape); err != nil {
		return err
	}
	p.result = dtype.Bool
	c := &p.member
	c.invert = m.Invert
	if p.outputs() > 0 && test.Len > 0 {
		c.set = member.New(dt, test, &member.Options{
			Config:   crew.Config{Workers: p.Config.Workers, Tuned: p.Config.Tuned},
			Kind:     m.Kind,
			Unique:   m.AssumeUnique,
			Elements: p.outputs(),
		})
		c.nan = c.set.NaN && m.EqualNaN && (dt.IsFloat() || dt.IsComplex())
		if m.Patterns {
			c.patterns = member.Patterns(dt, test)
		}
	}
	return nil
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
	c := &r.plan.member
	c.set.Contains(dst, src)
	if c.nan {
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
