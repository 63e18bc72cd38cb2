package weighted

import (
	"math"
	"math/bits"

	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/rank"
)

// sum is a sum of weights: an integer of one or more words, least significant
// first, in units of a Weighting.
type sum []uint64

// newSum returns a sum of so many words that is 0, with memory from s.
func newSum(words int, s *crew.Scratch) sum {
	a := crew.Alloc[uint64](s, words)
	clear(a)
	return a
}

// add adds b.
func (a sum) add(b sum) {
	var carry uint64
	for i, w := range b {
		a[i], carry = bits.Add64(a[i], w, carry)
	}
}

// sub takes b away, which is not larger.
func (a sum) sub(b sum) {
	var borrow uint64
	for i, w := range b {
		a[i], borrow = bits.Sub64(a[i], w, borrow)
	}
}

// less reports whether a is less than b.
func (a sum) less(b sum) bool {
	for i := len(a) - 1; i > 0; i-- {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return a[0] < b[0]
}

func (a sum) isZero() bool {
	for _, w := range a {
		if w != 0 {
			return false
		}
	}
	return true
}

// increment adds one.
func (a sum) increment() {
	for i := range a {
		if a[i]++; a[i] != 0 {
			return
		}
	}
}

// sums are sums of so many words each.
type sums struct {
	words int
	all   []uint64
}

// newSums returns n sums, with memory from s.
func newSums(n, words int, s *crew.Scratch) sums {
	return sums{words: words, all: crew.Alloc[uint64](s, n*words)}
}

// resize gives l room for n sums, whose values are unspecified.
func (l *sums) resize(n, words int) {
	l.words, l.all = words, crew.Resize(l.all, n*words)
}

// at returns sum i.
func (l *sums) at(i int) sum { return l.all[i*l.words:][:l.words] }

// setTarget sets dst to the smallest sum C, not 0, that reaches q of the total W.
//
// For a fraction q that is the smallest C with C/W >= q. For a float64 q > 0 the
// rule is RN64(C/W) >= q, the quotient rounded once: C >= m W for the midpoint m of
// q and the float64 before it, or C > m W where the tie goes to the latter.
func setTarget(dst, total sum, q rank.Q) {
	more := false // C is greater than the quotient, rounded down
	switch {
	case q.Den > 0:
		top := setProduct(dst, total, uint64(q.Num))
		more = dst.divide(top, uint64(q.Den))
	case q.Value > 0:
		// The float64 before q is mant 2^e and q is (mant+1) 2^e; quotients at the
		// midpoint round to the even one.
		mant, e := splitWeight(math.Float64bits(q.Value) - 1)
		top := setProduct(dst, total, 2*mant+1)
		more = dst.shiftRight(top, uint(1-e)) || mant&1 == 0
	default:
		clear(dst)
	}
	if more || dst.isZero() {
		dst.increment()
	}
}

// setProduct sets dst to the low words of a product, and returns the one above.
func setProduct(dst, a sum, by uint64) (top uint64) {
	for i, w := range a {
		hi, lo := bits.Mul64(w, by)
		var carry uint64
		dst[i], carry = bits.Add64(lo, top, 0)
		top = hi + carry
	}
	return top
}

// divide divides a, with the word top above, and reports whether there is a
// remainder. The quotient must fit a.
func (a sum) divide(top, by uint64) (inexact bool) {
	for i := len(a) - 1; i >= 0; i-- {
		a[i], top = bits.Div64(top, a[i], by)
	}
	return top != 0
}

// shiftRight shifts a, with the word top above, and reports whether bits that are
// set are lost. The rest must fit a.
func (a sum) shiftRight(top uint64, by uint) (inexact bool) {
	word := func(i int) uint64 {
		switch {
		case i < len(a):
			return a[i]
		case i == len(a):
			return top
		}
		return 0
	}
	skip, by := int(by/64), by%64
	for i := range min(skip, len(a)+1) {
		inexact = inexact || word(i) != 0
	}
	inexact = inexact || word(skip)<<(64-by) != 0
	for i := range a {
		a[i] = word(i+skip)>>by | word(i+skip+1)<<(64-by)
	}
	return inexact
}
