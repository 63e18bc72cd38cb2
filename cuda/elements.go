package cuda

import (
	"math/bits"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/cudrv"
	"github.com/ogive-go/ogive/internal/elements"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/nd"
)

// eachElement is a grid for tests of n elements, of which threads do several.
func (c *call) eachElement(n int) grid {
	g := each((n+3)/4, 256)
	g.blocks = min(g.blocks, 32*c.d.info.Processors)
	return g
}

// test writes whether the elements of x lie in windows.
func (c *call) test(w elements.Windows, x, out *nd.Array) {
	n := x.Len()
	if n == 0 {
		return
	}
	r := c.resultIn(out, x, dtype.Bool)
	switch w.Parts {
	case 0:
		c.fill(r.at, answer(w.All), n)
	case 1:
		c.run("elements", "window_"+widthOf(x.DType), c.eachElement(n), uint64(n), uint64(c.contiguous(x)), uint64(r.at), w.Re.Mask, w.Re.Low, w.Re.Span)
	default:
		suffix := map[int]string{4: "32", 8: "64"}[w.PartSize]
		c.run("elements", "windows_"+suffix, c.eachElement(n), uint64(n), uint64(c.contiguous(x)), uint64(r.at),
			w.Re.Mask, w.Re.Low, w.Re.Span, w.Im.Mask, w.Im.Low, w.Im.Span, uint64(answer(w.Either)))
	}
	c.finish(r)
}

func answer(yes bool) byte {
	if yes {
		return 1
	}
	return 0
}

// member writes whether the elements of x are among test values.
func (c *call) member(m *elements.Members, x, out *nd.Array) {
	n := x.Len()
	if n == 0 {
		return
	}
	r := c.resultIn(out, x, dtype.Bool)
	invert := uint64(answer(m.Invert))
	nan, nans := elements.NaN.Windows(x.DType).Re, uint64(answer(m.NaN))
	at := func() []uint64 { return []uint64{uint64(n), uint64(c.contiguous(x)), uint64(r.at)} }
	run := func(suffix string, table cudrv.Ptr, log int, none ...uint64) {
		args := append(append(at(), uint64(table), uint64(log)), none...)
		c.run("elements", "isin_"+suffix, c.eachElement(n), append(args, invert, nan.Mask, nan.Low, nan.Span, nans)...)
	}
	switch patterns := m.Patterns.(type) {
	case []kernel.Pair64:
		table, log, none := hashTable(patterns, pairHash, nextPair)
		run("pairs64", upload(c, table), log, none[0], none[1])
	case []kernel.Pair32:
		words := kernel.As[uint64](patterns)
		table, log, none := hashTable(words[:len(patterns)], wordHash[uint64], nextWord[uint64])
		run("pairs32", upload(c, table), log, none)
	case []uint8:
		memberWords(c, run, r, n, invert, patterns, "8")
	case []uint16:
		memberWords(c, run, r, n, invert, patterns, "16")
	case []uint32:
		memberWords(c, run, r, n, invert, patterns, "32")
	case []uint64:
		memberWords(c, run, r, n, invert, patterns, "64")
	default:
		c.fill(r.at, byte(invert), n) // there are no test values
	}
	c.finish(r)
}

// memberWords is member of patterns that are words. Where all patterns are members
// there is none to mark an empty place.
func memberWords[U kernel.Bits](c *call, run func(string, cudrv.Ptr, int, ...uint64), r result, n int, invert uint64, patterns []U, suffix string) {
	if full[U](patterns) {
		c.fill(r.at, 1^byte(invert), n)
		return
	}
	table, log, none := hashTable(patterns, wordHash[U], nextWord[U])
	run(suffix, upload(c, table), log, uint64(none))
}

// full reports whether all patterns of a narrow type are among those.
func full[U kernel.Bits](patterns []U) bool {
	all := uint64(^U(0))
	if all > 1<<16 || uint64(len(patterns)) <= all {
		return false
	}
	seen := make(map[U]bool, all+1)
	for _, p := range patterns {
		seen[p] = true
	}
	return uint64(len(seen)) == all+1
}

// The kernels look words up by the upper bits of this product.
func wordHash[U kernel.Bits](x U) uint64 { return uint64(x) * 0x9E3779B97F4A7C15 }

func pairHash(p kernel.Pair64) uint64 {
	return (p[0] ^ bits.RotateLeft64(p[1], 32)*0xD6E8FEB86659FD93) * 0x9E3779B97F4A7C15
}

func nextWord[U kernel.Bits](x U) U { return x + 1 }
func nextPair(p kernel.Pair64) kernel.Pair64 {
	return kernel.Pair64{p[0] + 1, p[1]}
}

// hashTable returns a table with 2^log places, at most half of them taken, for probing
// one place after the other from the one that the upper bits of the hash say. An empty
// place holds none, which is no pattern.
func hashTable[U comparable](patterns []U, hash func(U) uint64, next func(U) U) (table []U, log int, none U) {
	log = max(1, bits.Len(uint(2*len(patterns))))
	seen := make(map[U]struct{}, len(patterns))
	for _, p := range patterns {
		seen[p] = struct{}{}
	}
	for {
		if _, ok := seen[none]; !ok {
			break
		}
		none = next(none)
	}
	table = make([]U, 1<<log)
	for i := range table {
		table[i] = none
	}
	for p := range seen {
		at := hash(p) >> (64 - log)
		for table[at] != none {
			at = (at + 1) & (1<<log - 1)
		}
		table[at] = p
	}
	return table, log, none
}
