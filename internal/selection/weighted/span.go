package weighted

import "math/bits"

// Span is the range of the bits of float weights: all are multiples of 2^low, and
// the largest has the bits top. The zero value is not ready; see NewSpan.
type Span struct {
	low int
	top uint64
}

// NewSpan returns the span of no weights.
func NewSpan() Span { return Span{low: 1024} }

// signBit is that of a float64; infBits are the bits of +Inf.
const (
	signBit = 1 << 63
	infBits = 0x7FF << 52
)

// Add widens the span by float64 weights, given as bits. It reports whether
// one of them is positive, and the number of the first that is negative, NaN
// or infinite, -1 without one.
func (span *Span) Add(weights []uint64) (positive bool, bad int) {
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
