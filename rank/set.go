package rank

import "slices"

// Q is a quantile: the exact fraction Num/Den if Den > 0, with 0 <= Num <= Den,
// and otherwise Value, in [0, 1]. Neither is checked here.
type Q struct {
	Value    float64
	Num, Den int64
}

// At returns the quantile q, 0 <= q <= 1. Signed zeros and subnormals are
// quantiles like any other.
func At(q float64) Q { return Q{Value: q} }

// Ratio returns the quantile num/den, exactly; 0 <= num <= den and den > 0.
func Ratio(num, den int64) Q { return Q{Num: num, Den: den} }

// Position names two order statistics of n values, 0-based with 0 <= Lo <= Hi < n,
// and the factor g of their difference: a quantile is s[Lo] + g·(s[Hi]-s[Lo]), 0
// <= g < 1, and its derivative by q is g·(s[Hi]-s[Lo]). Where the difference has
// no part in it, Lo == Hi and g is +0.
//
// G is g rounded to float64, which may be 1. Low is 0 if G is g, as it always is for a
// float64 q; otherwise it is what G lacks, with an error below 2^-104·g, and a multiple
// of the quantile's [Unit] nearest to G + Low is g.
type Position struct {
	Lo, Hi int64
	G, Low float64
}

// Position returns where q lies among n values, 1 <= n <= 2^53; G is the weight
// of s[Hi] against s[Lo].
//
// A float64 q follows the method's rule in float64, each operation rounded
// once, as NumPy's float64 arithmetic does. A fraction follows it in exact
// rationals: whether v is integral and where halves go is decided exactly, and
// the weight is exact.
//
// It panics if m is not valid. Cost: a few nanoseconds, some tens for a
// fraction; no allocation.
func (m Method) Position(n int64, q Q) Position {
	method := &methods[m]
	var v virtual
	if q.Den > 0 {
		v = method.exact.at(n, q.Num, q.Den)
	} else {
		v = splitFloat(method.float(n, q.Value))
	}
	p := method.rule.place(v)
	p.Lo = min(max(p.Lo, 0), n-1)
	p.Hi = min(max(p.Hi, 0), n-1)
	switch {
	case p.Lo == p.Hi:
		p.G, p.Low = 0, 0
	case p.G == 0:
		p.Hi, p.G = p.Lo, 0 // drops the sign of -0
	case p.G == 1 && p.Low == 0:
		p.Lo, p.G = p.Hi, 0
	}
	return p
}

// Set is a method with the quantiles that are asked of it: all that selection
// needs to know before the number of values is known.
type Set struct {
	qs         []Q
	method     Method
	derivative bool // see QDerivative
	fractional bool // see Fractional
}

// NewSet returns the set of the quantiles qs by the method m. It keeps qs.
func NewSet(m Method, qs []Q) Set {
	s := Set{method: m, qs: qs}
	for i := range qs {
		if qs[i].Den > 0 && m.Valid() && m.unit(qs[i]).fractional() {
			s.fractional = true
		}
	}
	return s
}

// Fractional reports whether a weight may be no float64, so that Low of a [Position] may
// not be 0.
func (s Set) Fractional() bool { return s.fractional }

// Unit returns the unit of the weights of quantile i.
func (s Set) Unit(i int) Unit {
	if !s.fractional {
		return Unit{}
	}
	return s.method.unit(s.qs[i])
}

// Part returns the set of quantiles from … to-1.
func (s Set) Part(from, to int) Set {
	s.qs = s.qs[from:to]
	return s
}

// Len returns the number of quantiles.
func (s Set) Len() int { return len(s.qs) }

// Q returns quantile i of the set.
func (s Set) Q(i int) Q { return s.qs[i] }

// Method returns the method.
func (s Set) Method() Method { return s.method }

// Position returns where quantile i of the set lies among n values.
func (s Set) Position(i int, n int64) Position {
	if s.derivative {
		return s.method.QDerivative(n, s.qs[i])
	}
	return s.method.Position(n, s.qs[i])
}

// Positions appends to dst the position of each quantile among n values, in
// the order of the quantiles; see [Method.Position].
func (s Set) Positions(dst []Position, n int64) []Position {
	dst = slices.Grow(dst, len(s.qs))
	for i := range s.qs {
		dst = append(dst, s.Position(i, n))
	}
	return dst
}

// Wanted appends to dst the order statistics that the positions name, each
// once and in ascending order. It does not allocate where dst's capacity
// suffices: two for each position always do.
func Wanted(dst []int64, pos []Position) []int64 {
	first := len(dst)
	dst = slices.Grow(dst, len(pos))
	for _, p := range pos {
		for _, i := range [2]int64{p.Lo, p.Hi} {
			if len(dst) == first || dst[len(dst)-1] != i {
				dst = append(dst, i)
			}
		}
	}
	slices.Sort(dst[first:])
	return dst[:first+len(slices.Compact(dst[first:]))]
}

// Wants are the order statistics that a Set names for some count of values.
// The zero value is ready for Resolve.
type Wants struct {
	Positions []Position // of each quantile
	Ranks     []int64    // the order statistics, ascending and distinct
	Lo, Hi    []int      // for each quantile, where the two of its position stand in Ranks
}

// Resolve sets w to the order statistics of n values, 1 <= n <= 2^53. Once w
// has room for so many quantiles it does not allocate.
func (w *Wants) Resolve(s Set, n int64) {
	w.Positions = s.Positions(w.Positions[:0], n)
	w.Ranks = Wanted(w.Ranks[:0], w.Positions)
	w.Lo, w.Hi = slices.Grow(w.Lo[:0], len(s.qs)), slices.Grow(w.Hi[:0], len(s.qs))
	for _, p := range w.Positions {
		lo, _ := slices.BinarySearch(w.Ranks, p.Lo)
		hi, _ := slices.BinarySearch(w.Ranks, p.Hi)
		w.Lo, w.Hi = append(w.Lo, lo), append(w.Hi, hi)
	}
}
