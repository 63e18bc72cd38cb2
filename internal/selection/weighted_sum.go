package selection

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/rank"
)

// Weighting says how the weights of a call are added up: as integers of one or
// more words, least significant first, which count multiples of 2^unit. The
// sums are exact, so their order does not matter. It is read by all workers.
//
// A quantile asks for the first value, in order, whose cumulative weight
// reaches a target. For frequencies targets follow from order statistics, the
// kth being the one that k+1 reaches. For float weights the rule
//
//	RN64(C/W) >= q
//
// is C >= m W for the midpoint m of q and the float64 before it, or C > m W
// where the tie goes to the latter: an integer target, as C is an integer. A
// fraction q asks for C/W >= q exactly.
type Weighting struct {
	float bool
	unit  int
	top   uint64 // the bits of the largest float weight
	words int
	qs    []rank.Q // of float weights, each quantile: all float64s, or all fractions
	order []int    // of float weights, the quantiles by size
}

// Frequencies is the weighting by integers.
func Frequencies() Weighting { return Weighting{words: 1} }

// FloatWeights returns the weighting by float weights within the span, for
// lanes of n elements. The method of w must be rank.InvertedCDF.
func FloatWeights(w *Want, span *WeightSpan, n int) Weighting {
	g := Weighting{float: true, unit: span.low, top: span.top, words: 1}
	for i := range w.Len() {
		g.qs = append(g.qs, w.set.Q(i))
		g.order = append(g.order, i)
	}
	slices.SortStableFunc(g.order, func(i, j int) int { return compareQ(g.qs[i], g.qs[j]) })
	if span.top > 0 {
		m, e := splitWeight(span.top)
		width := e + bits.Len64(m) - span.low + bits.Len(uint(n))
		g.words = (width + 63) / 64
	}
	return g
}

// compareQ compares two float64 quantiles, or two fractions.
func compareQ(a, b rank.Q) int {
	if a.Den == 0 {
		return cmp.Compare(a.Value, b.Value)
	}
	ah, al := bits.Mul64(uint64(a.Num), uint64(b.Den))
	bh, bl := bits.Mul64(uint64(b.Num), uint64(a.Den))
	return cmp.Or(cmp.Compare(ah, bh), cmp.Compare(al, bl))
}

// WeightSpan is the range of the bits of float weights: all are multiples of
// 2^low, and the largest has the bits top. The zero value is not ready; see
// NewWeightSpan.
type WeightSpan struct {
	low int
	top uint64
}

// NewWeightSpan returns the span of no weights.
func NewWeightSpan() WeightSpan { return WeightSpan{low: 1024} }

// signBit is that of a float64; infBits are the bits of +Inf.
const (
	signBit = 1 << 63
	infBits = 0x7FF << 52
)

// Add widens the span by float64 weights, given as bits. It reports whether
// one of them is positive, and the number of the first that is negative, NaN
// or infinite, -1 without one.
func (span *WeightSpan) Add(weights []uint64) (positive bool, bad int) {
	for i, b := range weights {
		if b >= infBits {
			if b == signBit { // -0
				continue
			}
			return positive, i
		}
		if b == 0 {
			continue
		}
		positive = true
		m, e := splitWeight(b)
		span.low = min(span.low, e+bits.TrailingZeros64(m))
		span.top = max(span.top, b)
	}
	return positive, -1
}

// MaxFrequencies is the number that the frequencies of a lane must stay below
// in all: ranks are float64 arithmetic.
const MaxFrequencies = 1 << 53

// AddFrequencies returns sum plus the int64 weights, MaxFrequencies if it is
// that or more, and the number of the first that is negative, -1 without one.
func AddFrequencies(sum int64, weights []uint64) (total int64, bad int) {
	for i, b := range weights {
		w := int64(b)
		if w < 0 {
			return sum, i
		}
		sum = min(sum+min(w, MaxFrequencies), MaxFrequencies)
	}
	return sum, -1
}

// WidenWeights turns weights of dtype dt into the bits of an int64, or of a
// float64 if dt is a float. Those of 8 bytes must be in dst already, others in
// raw, which holds their memory. A uint64 that no int64 holds becomes negative.
func WidenWeights(dst []uint64, dt dtype.DType, raw []byte) {
	if dt.Size() == 8 || len(dst) == 0 {
		return
	}
	wide := dtype.Int64
	if dt.IsFloat() {
		wide = dtype.Float64
	}
	dtype.Convert(wide, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(dst))), 8*len(dst)), dt, raw)
}

// Load turns widened weights into those that the sums take: units where a sum
// is one word, and otherwise the bits of float64. Weights that are not of the
// kind that the weighting was made for, because they have been changed since,
// become 0.
func (g *Weighting) Load(weights []uint64) {
	switch {
	case !g.float:
		for i, w := range weights {
			if w > MaxFrequencies {
				weights[i] = 0
			}
		}
	case g.words == 1:
		for i, b := range weights {
			weights[i] = 0
			if b <= g.top && b > 0 {
				weights[i], _ = g.units(b)
			}
		}
	default:
		for i, b := range weights {
			if b > g.top {
				weights[i] = 0
			}
		}
	}
}

// splitWeight returns m and e with the value m 2^e of a finite float64 that is
// not negative.
func splitWeight(b uint64) (m uint64, e int) {
	m, e = b&(1<<52-1), int(b>>52)
	if e > 0 {
		m |= 1 << 52
		e--
	}
	return m, e - 1074
}

// units returns m and shift with the weight m 2^shift units, shift >= 0. If
// sums have one word, the shift has been done.
func (g *Weighting) units(b uint64) (m uint64, shift uint) {
	m, e := splitWeight(b)
	if e < g.unit {
		return m >> uint(g.unit-e), 0
	}
	if g.words == 1 {
		return m << uint(e-g.unit), 0
	}
	return m, uint(e - g.unit)
}

// addOne adds a weight to the sum.
func (g *Weighting) addOne(sum []uint64, weight uint64) {
	if g.words == 1 {
		sum[0] += weight
		return
	}
	if weight == 0 {
		return
	}
	m, shift := g.units(weight)
	at, s := shift/64, shift%64
	var carry uint64
	sum[at], carry = bits.Add64(sum[at], m<<s, 0)
	if at++; at < uint(len(sum)) {
		sum[at], carry = bits.Add64(sum[at], m>>(64-s), carry)
		// A carry clears the words it runs through, so that runs are short
		// on average.
		for at++; carry > 0 && at < uint(len(sum)); at++ {
			sum[at], carry = bits.Add64(sum[at], 0, carry)
		}
	}
}

// add adds weights to the sum.
func (g *Weighting) add(sum []uint64, weights []uint64) {
	switch g.words {
	case 1:
		total := sum[0]
		for _, w := range weights {
			total += w
		}
		sum[0] = total
	case 2:
		lo, hi := sum[0], sum[1]
		for _, w := range weights {
			if w == 0 {
				continue
			}
			m, s := g.units(w)
			var carry uint64
			lo, carry = bits.Add64(lo, m<<s, 0)
			hi += (m<<(s-64) | m>>(64-s)) + carry // of the shifts one is out of range, or both are 0
		}
		sum[0], sum[1] = lo, hi
	default:
		for _, w := range weights {
			g.addOne(sum, w)
		}
	}
}

// Words returns how many words a sum takes.
func (g *Weighting) Words() int { return g.words }

// AddCopies adds the weights of the keys equal to k to the sum.
func AddCopies[K kernel.Key](g *Weighting, sum []uint64, keys []K, weights []uint64, k K) {
	weights = weights[:len(keys)]
	for i, key := range keys {
		if key == k {
			g.addOne(sum, weights[i])
		}
	}
}

// ReachCopies adds the weights of the keys equal to k to the sum until it
// reaches the target, and returns the position of the last one, or -1 if it
// does not.
func ReachCopies[K kernel.Key](g *Weighting, sum, target []uint64, keys []K, weights []uint64, k K) int {
	weights = weights[:len(keys)]
	for i, key := range keys {
		if key != k || weights[i] == 0 {
			continue
		}
		if g.addOne(sum, weights[i]); Reaches(sum, target) {
			return i
		}
	}
	return -1
}

// Reaches reports whether the sum is as large as the target.
func Reaches(sum, target []uint64) bool { return !exceeds(target, sum) }

// AddSum adds a sum to another.
func AddSum(sum, more []uint64) {
	var carry uint64
	for i, w := range more {
		sum[i], carry = bits.Add64(sum[i], w, carry)
	}
}

// subSum takes a sum from a larger one.
func subSum(sum, less []uint64) {
	var borrow uint64
	for i, w := range less {
		sum[i], borrow = bits.Sub64(sum[i], w, borrow)
	}
}

// exceeds reports whether a is more than b.
func exceeds(a, b []uint64) bool {
	for i := len(a) - 1; i >= 0; i-- {
		if a[i] != b[i] {
			return a[i] > b[i]
		}
	}
	return false
}

func isZero(sum []uint64) bool {
	for _, w := range sum {
		if w != 0 {
			return false
		}
	}
	return true
}

// setTarget sets dst to the smallest sum C, not 0, that reaches q of the total.
func setTarget(dst, total []uint64, q rank.Q) {
	clear(dst)
	switch {
	case q.Den > 0:
		setFractionTarget(dst, total, uint64(q.Num), uint64(q.Den))
	case q.Value > 0:
		setFloatTarget(dst, total, q.Value)
	}
	if isZero(dst) {
		dst[0] = 1
	}
}

// setFractionTarget sets dst to the smallest C with C/total >= num/den.
func setFractionTarget(dst, total []uint64, num, den uint64) {
	// The product with num, then its quotient by den, which is at most total.
	top := uint64(0)
	for i, w := range total {
		hi, lo := bits.Mul64(w, num)
		var c uint64
		dst[i], c = bits.Add64(lo, top, 0)
		top = hi + c
	}
	rest := top
	for i := len(dst) - 1; i >= 0; i-- {
		dst[i], rest = bits.Div64(rest, dst[i], den)
	}
	if rest != 0 {
		increment(dst)
	}
}

// increment adds one.
func increment(sum []uint64) {
	for i := range sum {
		if sum[i]++; sum[i] != 0 {
			return
		}
	}
}

// setFloatTarget sets dst, which is zero, to the smallest C with
// RN64(C/total) >= q, for q > 0.
func setFloatTarget(dst, total []uint64, q float64) {
	// The float64 before q is mant 2^e and q is (mant+1) 2^e; the midpoint is
	// (2 mant+1) 2^(e-1), and quotients there round to the even one.
	last := math.Float64bits(q) - 1
	mant, e := splitWeight(last)
	down := uint(1 - e)
	m := 2*mant + 1

	// dst is the product m·total shifted down, and sticky what is shifted out.
	// The words of the product are made one at a time.
	word, shift := int(down/64), down%64
	var carry, sticky uint64
	for i := 0; i <= len(total); i++ {
		p := carry
		if i < len(total) {
			hi, lo := bits.Mul64(total[i], m)
			var c uint64
			p, c = bits.Add64(lo, carry, 0)
			carry = hi + c
		}
		switch at := i - word; {
		case at < 0:
			sticky |= p
		case at == 0:
			sticky |= p & (1<<shift - 1)
		}
		if at := i - word; at >= 0 && at < len(dst) {
			dst[at] |= p >> shift
		}
		if at := i - word - 1; at >= 0 && at < len(dst) {
			dst[at] |= p << (64 - shift)
		}
	}
	if tieReaches := last&1 == 1; sticky != 0 || !tieReaches {
		increment(dst)
	}
}
