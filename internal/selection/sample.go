package selection

import "math/bits"

// Positions draws m positions of n elements at random, the same ones in every
// run, in ascending order: one from each mth part, so that sorted data are
// sampled evenly, at a place in it that follows no pattern.
type Positions struct {
	m, n      int
	part      int // length of a part, but for
	over      int // so many of m that are one longer
	i, at, of int // the next part, where it begins, and how much of a longer one is due
}

// NewPositions returns m <= n positions of n elements.
func NewPositions(m, n int) Positions { return Positions{m: m, n: n, part: n / m, over: n % m} }

// Skip passes over the first i positions.
func (p *Positions) Skip(i int) {
	longer := mulDiv(i, p.over, p.m)
	p.i, p.at, p.of = i, i*p.part+longer, i*p.over-longer*p.m
}

// Next returns the next position.
func (p *Positions) Next() int {
	length := p.part
	if p.of += p.over; p.of >= p.m {
		p.of -= p.m
		length++
	}
	x := uint64(p.i)*0x9E3779B97F4A7C15 + uint64(p.n)
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9 // splitmix64
	x = (x ^ x>>27) * 0x94D049BB133111EB
	hi, _ := bits.Mul64(x^x>>31, uint64(length))
	at := p.at + int(hi)
	p.i++
	p.at += length
	return at
}
