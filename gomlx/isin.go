package gomlx

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
)

// fewTests is the largest number of test values that are compared with every
// element instead of being searched. On the pure Go backend a comparison takes
// 4.5 ns an element and a step of the search 40, so that 64 values cost what
// seven steps do.
const fewTests = 64

// IsIn tells for each element of x whether it is among the values of test, a
// node of any shape: Bool, of x's shape. Values of different dtypes are compared
// exactly: Int64 2^53+1 is not in Float64 [2^53]. -0 equals 0; a NaN is in
// nothing, but in a test that holds a NaN under ogive.EqualNaN. ogive.Invert
// negates the answer.
//
// Many test values are sorted and searched: log2 m steps over x after a sort of
// m (for which GoMLX's pure Go backend takes a second where m is 10 000, so see
// [IsInSet]). Complex dtypes are ogive.ErrDType; ogive.Kind and
// ogive.AssumeUnique change nothing. It has no gradient.
func IsIn(x, test *Node, opts ...ogive.Option) *Node {
	if test == nil {
		fail(ogive.OpIsIn, ogive.ErrShape, "test is nil")
	}
	sample := ogive.Must(ogive.Zeros(ogiveDType(ogive.OpIsIn, test), 0))
	prepareIsIn(x, sample, opts)
	m := test.Shape().Size()
	f, from := formatOf(x.DType()), formatOf(test.DType())
	if m == 0 {
		return every(x, slices.ContainsFunc(opts, ogive.Invert().Is))
	}
	test = Reshape(StopGradient(test), m)
	keys, valid := f.exactly(from, test)
	nan := Const(x.Graph(), false)
	switch {
	case !f.float():
		nan = LogicalAny(LogicalAnd(valid, Equal(keys, like(keys, f.top()))))
	case from.float() && slices.ContainsFunc(opts, ogive.EqualNaN().Is):
		nan = LogicalAny(from.isNaN(from.bits(test)))
	}
	keys = Where(valid, keys, like(keys, f.top()))
	t := tests{top: nan}
	if m <= fewTests {
		for i := range m {
			t.few = append(t.few, Reshape(Slice(keys, AxisElem(i))))
		}
	} else {
		pad := BroadcastToDims(like(keys, f.top()), 1<<bits.Len(uint(m))-m)
		t.sorted = Concatenate([]*Node{Sort(keys, 0, true), pad}, 0)
	}
	return f.member(x, t, opts)
}

// IsInSet is [IsIn] with test values that are known when the graph is built.
// They are converted and sorted then, so that each execution costs the search
// alone, and of test's dtype there are all of ogive's real ones.
func IsInSet(x *Node, test *ogive.Tensor, opts ...ogive.Option) *Node {
	prepareIsIn(x, test, opts)
	f := formatOf(x.DType())
	keys, top := f.constants(dtypeOf[x.DType()], test, slices.ContainsFunc(opts, ogive.EqualNaN().Is))
	g := x.Graph()
	t := tests{top: Const(g, top)}
	if len(keys) <= fewTests {
		for _, k := range keys {
			t.few = append(t.few, number(g, f.key, k))
		}
	} else {
		for range 1<<bits.Len(uint(len(keys))) - len(keys) {
			keys = append(keys, f.top())
		}
		t.sorted = ConvertDType(Const(g, keys), f.key)
	}
	return f.member(x, t, opts)
}

// prepareIsIn checks a call.
func prepareIsIn(x *Node, test *ogive.Tensor, opts []ogive.Option) {
	prepare(ogive.OpIsIn, x, opts, ogive.Test(test))
	for _, dt := range []dtype.DType{dtypeOf[x.DType()], test.DType()} {
		if !dt.IsOrdered() {
			fail(ogive.OpIsIn, ogive.ErrDType, "%v is not searched in a graph", dt)
		}
	}
}

// tests are values to look for, as keys with one zero: few of them, or sorted
// ones, 2^k in number, of which the last is the largest key. That one is looked
// for by itself: it stands for NaN, and for what is not to be found.
type tests struct {
	few    []*Node // scalars
	sorted *Node
	top    *Node // Bool, whether the largest key is to be found
}

// member tells which elements of x are among the tests.
func (f format) member(x *Node, t tests, opts []ogive.Option) *Node {
	key := f.oneZero(f.keys(StopGradient(x)))
	top := like(key, f.top())
	found := NotEqual(key, key)
	for _, k := range t.few {
		found = LogicalOr(found, Equal(key, k))
	}
	if t.sorted != nil {
		flat := Reshape(key, key.Shape().Size(), 1)
		size := t.sorted.Shape().Size()
		at := Sub(ConvertDType(flat, dtypes.Int32), ConvertDType(flat, dtypes.Int32))
		look := func(at *Node) *Node { return Reshape(Gather(t.sorted, at), at.Shape().Dimensions...) }
		for step := size / 2; step > 0; step /= 2 {
			less := LessThan(look(Add(at, like(at, uint64(step-1)))), flat)
			at = Where(less, Add(at, like(at, uint64(step))), at)
		}
		found = Reshape(Equal(look(at), flat), key.Shape().Dimensions...)
	}
	isTop := Equal(key, top)
	found = LogicalOr(LogicalAnd(found, LogicalNot(isTop)), LogicalAnd(isTop, t.top))
	if slices.ContainsFunc(opts, ogive.Invert().Is) {
		return LogicalNot(found)
	}
	return found
}

// exactly returns the keys, with one zero, of the values of x, which are of
// format from, as values of f, and which of them are such values. NaN is none.
func (f format) exactly(from format, x *Node) (keys, valid *Node) {
	u := from.bits(x)
	finite := func(f format, u *Node) *Node {
		if !f.float() {
			return Equal(u, u)
		}
		return LessThan(BitwiseAnd(u, like(u, f.signBit()-1)), like(u, f.infinity()))
	}
	if f.dtype == from.dtype {
		if !f.float() {
			return f.keys(x), finite(f, u)
		}
		return f.oneZero(f.keys(x)), LogicalNot(f.isNaN(u))
	}
	// Whatever the conversion does, its result is the value if it has the
	// value's sign, bits and exponent.
	to := ConvertDType(x, f.dtype)
	v := f.bits(to)
	p, q := from.split(u), f.split(v)
	valid = LogicalAnd(Equal(p.m, q.m), Equal(p.top, q.top))
	valid = LogicalAnd(valid, LogicalOr(isZero(p.m), LogicalNot(LogicalXor(p.neg, q.neg))))
	valid = LogicalAnd(valid, LogicalAnd(finite(from, u), finite(f, v)))
	keys = f.oneZero(f.keys(to))
	if from.float() && f.float() {
		for _, sign := range []uint64{0, 1} {
			is := Equal(u, like(u, from.infinity()|sign*from.signBit()))
			keys = Where(is, f.keys(f.fromBits(like(v, f.infinity()|sign*f.signBit()))), keys)
			valid = LogicalOr(valid, is)
		}
	}
	return keys, valid
}

// constants returns the keys of the values of test that are values of f too,
// with one zero, sorted, each once, without the largest key, and whether that is
// among them; for a float whether a NaN is, if NaNs are equal.
func (f format) constants(dt dtype.DType, test *ogive.Tensor, equalNaN bool) (keys []uint64, top bool) {
	// What casting does to values that dt has not is not in test, or harmless.
	cast := ogive.Must(ogive.Must(test.ToHost()).Cast(dt))
	is := ogive.Must(ogive.Values[bool](ogive.Must(ogive.IsIn(cast, test))))
	b := ogive.Must(ogive.Must(cast.Contiguous()).Bytes())
	for i, yes := range is {
		u := load(b[i*dt.Size() : (i+1)*dt.Size()])
		switch {
		case !yes:
			continue
		case f.signed:
			u ^= f.signBit()
		case f.float() && u&(f.signBit()-1) == 0:
			u = f.signBit()
		case f.float() && u >= f.signBit():
			u = f.top() &^ u
		case f.float():
			u |= f.signBit()
		}
		if u == f.top() {
			top = true
			continue
		}
		keys = append(keys, u)
	}
	if f.float() && equalNaN && test.DType().IsFloat() {
		nans := ogive.Must(ogive.Values[bool](ogive.Must(ogive.IsNaN(test))))
		top = slices.Contains(nans, true)
	}
	slices.Sort(keys)
	return slices.Compact(keys), top
}

// load returns an unsigned integer of 1, 2, 4 or 8 bytes.
func load(b []byte) uint64 {
	switch len(b) {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.NativeEndian.Uint16(b))
	case 4:
		return uint64(binary.NativeEndian.Uint32(b))
	}
	return binary.NativeEndian.Uint64(b)
}
