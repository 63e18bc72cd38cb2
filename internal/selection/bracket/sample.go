package bracket

import (
	"math/bits"
	"math/rand/v2"
	"unsafe"
)

// seed decides where samples are taken: another one in every process, so that no data
// can be made for it. No answer depends on it.
var seed = rand.Uint64()

// Seed makes samples be taken at known places, for tests that attack them, until the
// function that it returns is called. No sample may be under way.
func Seed(s uint64) (restore func()) {
	before := seed
	seed = s
	return func() { seed = before }
}

// watch is set by Watch.
var watch func(p Positions, m, n int)

// Watch makes f be told of the m places of n elements at which a sample is about to be
// taken, but for those after a miss, until the function that it returns is called. It is
// for attacks with knowledge of the seed. f may be called by several goroutines at once.
func Watch(f func(p Positions, m, n int)) (restore func()) {
	watch = f
	return func() { watch = nil }
}

// Positions draws m positions of n elements at random, the same ones for every
// worker, in ascending order: one from each mth part, so that sorted data are
// sampled evenly, at a place in it that follows no pattern.
type Positions struct {
	m, n      int
	seed      uint64
	part      int // length of a part, but for
	over      int // so many of m that are one longer
	i, at, of int // the next part, where it begins, and how much of a longer one is due
}

// NewPositions returns m <= n positions of n elements.
func NewPositions(m, n int) Positions {
	p := Positions{m: m, n: n, seed: seed + uint64(n), part: n / m, over: n % m}
	if watch != nil {
		watch(p, m, n)
	}
	return p
}

// Again returns other positions of the same elements: others again for each number, which
// should be made of what has been found out about the elements.
func (p Positions) Again(number uint64) Positions {
	p.seed += number * 0xD1342543DE82EF95
	return p
}

// Skip passes over the first i positions.
func (p *Positions) Skip(i int) {
	longer := MulDiv(i, p.over, p.m)
	p.i, p.at, p.of = i, i*p.part+longer, i*p.over-longer*p.m
}

// Next returns the next position.
func (p *Positions) Next() int {
	length := p.part
	if p.of += p.over; p.of >= p.m {
		p.of -= p.m
		length++
	}
	x := uint64(p.i)*0x9E3779B97F4A7C15 + p.seed
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9 // splitmix64
	x = (x ^ x>>27) * 0x94D049BB133111EB
	hi, _ := bits.Mul64(x^x>>31, uint64(length))
	at := p.at + int(hi)
	p.i++
	p.at += length
	return at
}

const (
	// DrawnAhead is how many addresses Draw finds ahead: a wait for the last of so many
	// loads is nothing against all of them. Of a lane of 40 MB an element takes 9 ns,
	// and 12 with an eighth of it.
	DrawnAhead = 512

	// aheadFew is DrawnAhead of a smaller sample, for which a large array would have to be
	// cleared: more loads than a core has under way at once.
	aheadFew = 64
)

// Draw sets dst to the elements at the next positions of at; address returns
// where the element of a position lies. Addresses are found before anything is
// loaded, so that many cache lines and pages are waited for at once.
func Draw[K any](dst []K, at *Positions, address func(position int) unsafe.Pointer) {
	if len(dst) <= DrawnAhead/2 {
		var ahead [aheadFew]unsafe.Pointer
		draw(dst, at, ahead[:], address)
		return
	}
	var ahead [DrawnAhead]unsafe.Pointer
	draw(dst, at, ahead[:], address)
}

// draw is Draw with room for addresses.
func draw[K any](dst []K, at *Positions, ahead []unsafe.Pointer, address func(position int) unsafe.Pointer) {
	for len(dst) > 0 {
		n := min(len(dst), len(ahead))
		for i := range ahead[:n] {
			ahead[i] = address(at.Next())
		}
		for i, p := range ahead[:n] {
			dst[i] = *(*K)(p)
		}
		dst = dst[n:]
	}
}

// SampleRun is how many adjacent keys, which share a cache line, are drawn together where
// that is quick: a sample of 10M bytes takes 25 us so and not 95, and if adjacent ones are
// alike it tells as much as one of a quarter as many. Of wider elements in long lanes more
// would be collected then: the median of autocorrelated float32 takes 1.1 times as long, of
// random ones 0.95.
const SampleRun = 4

// DrawRuns is Draw for positions of runs: element SampleRun*i is the first of
// run i. The length of dst is a multiple of SampleRun.
func DrawRuns[K any](dst []K, at *Positions, address func(position int) unsafe.Pointer) {
	runs := unsafe.Slice((*[SampleRun]K)(unsafe.Pointer(unsafe.SliceData(dst))), len(dst)/SampleRun)
	Draw(runs, at, func(i int) unsafe.Pointer { return address(SampleRun * i) })
}

// MulDiv returns a*b/c for 0 <= a <= c; another a, which elements that change under a
// selection may lead to, is the nearer end.
func MulDiv(a, b, c int) int {
	hi, lo := bits.Mul64(uint64(min(max(a, 0), c)), uint64(b))
	q, _ := bits.Div64(hi, lo, uint64(c))
	return int(q)
}
