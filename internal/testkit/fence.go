package testkit

import (
	"bytes"
	"slices"
	"testing"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/crew"
)

// Side says where a fenced buffer lies in its memory.
type Side uint8

// The two sides of a fenced buffer that can touch an inaccessible page.
const (
	AtStart Side = iota // reading before the first byte faults
	AtEnd               // reading after the last byte faults
)

// Sides lists both.
var Sides = []Side{AtStart, AtEnd}

func (s Side) String() string {
	if s == AtStart {
		return "fence-before"
	}
	return "fence-after"
}

// Fenced returns n elements of T that touch an inaccessible page on the given
// side, so that an access beyond them crashes; a write beyond the other side
// fails the test when it ends. Where the platform cannot protect pages it is
// ordinary memory. It holds poison, as scratch memory does. The test's cleanup frees it.
func Fenced[T dtype.Element](tb testing.TB, n int, side Side) []T {
	tb.Helper()
	return crew.Resize(View[T](fenced(tb, n*dtype.Of[T]().Size(), side)), n)
}

// Roomy is [Fenced] with more elements than the n that are asked for, mostly: memory as it is
// given to code that needs less of it. A write to the others fails the test when it ends;
// that they hold poison shows when they are read.
func Roomy[T dtype.Element](tb testing.TB, n int, side Side) []T {
	tb.Helper()
	more := int(uint32(n+1)*0x9E3779B1>>16) % 90 // any number, the same for the same n
	if more > 67 {
		more = 0
	}
	all := Fenced[T](tb, n+more, side)
	rest := all[n:]
	before := slices.Clone(Raw(rest))
	tb.Cleanup(func() {
		if !bytes.Equal(Raw(rest), before) {
			tb.Errorf("what follows the %d elements of a buffer was overwritten", n)
		}
	})
	return all
}

// FencedCopy is [Fenced] with the elements of src.
func FencedCopy[T dtype.Element](tb testing.TB, src []T, side Side) []T {
	tb.Helper()
	dst := Fenced[T](tb, len(src), side)
	copy(dst, src)
	return dst
}

// guard fills the bytes that nobody may write.
const guard = 0xA5

// Guarded is a buffer of elements with a stride, guard bytes between them and
// at both ends.
type Guarded[T dtype.Element] struct {
	all    []T
	n      int
	stride int
}

// margin is the number of guard elements at each end.
const margin = 16

// NewGuarded returns room for n elements that lie stride >= 1 elements apart.
func NewGuarded[T dtype.Element](n, stride int) *Guarded[T] {
	g := &Guarded[T]{View[T](Aligned((n*stride + 2*margin) * dtype.Of[T]().Size())), n, stride}
	b := Raw(g.all)
	for i := range b {
		b[i] = guard
	}
	return g
}

// Data returns the elements with their stride, first to last; what lies
// between them are guards.
func (g *Guarded[T]) Data() []T {
	if g.n == 0 {
		return g.all[margin:margin]
	}
	return g.all[margin : margin+(g.n-1)*g.stride+1]
}

// Set writes element i.
func (g *Guarded[T]) Set(i int, v T) { g.all[margin+i*g.stride] = v }

// Get reads element i.
func (g *Guarded[T]) Get(i int) T { return g.all[margin+i*g.stride] }

// Check fails the test when a guard was overwritten.
func (g *Guarded[T]) Check(tb testing.TB) {
	tb.Helper()
	for i := range g.all {
		if at := i - margin; at >= 0 && at < g.n*g.stride && at%g.stride == 0 {
			continue
		}
		for _, b := range Raw(g.all[i : i+1]) {
			if b != guard {
				tb.Fatalf("guard element %d was overwritten (stride %d, %d elements)", i-margin, g.stride, g.n)
			}
		}
	}
}
