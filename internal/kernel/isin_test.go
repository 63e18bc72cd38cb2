package kernel

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
	"github.com/ogive-go/ogive/internal/testkit"
)

// structure is a way of looking patterns up, as the engine would build it.
type structure[P Pattern] struct {
	name     string
	suits    func(patterns []P) bool
	contains func(t *testing.T, patterns []P) func(dst []uint8, src []P)
}

func structures[P Pattern]() []structure[P] {
	always := func([]P) bool { return true }
	size := int(unsafe.Sizeof(*new(P)))
	return []structure[P]{
		{"few", func(p []P) bool { n := FewMost(size); return (size == 4 || size == 8) && len(p) <= n }, func(t *testing.T, patterns []P) func([]uint8, []P) {
			f, r := new(Few[P]), rand.New(rand.NewPCG(uint64(len(patterns)), 11))
			for attempt := 0; !f.Make(patterns, r.Uint64()); attempt++ {
				if attempt == 200 {
					t.Fatalf("%x find no room", patterns)
				}
			}
			return f.Contains
		}},
		{"buckets", always, func(t *testing.T, patterns []P) func([]uint8, []P) {
			return built(t, patterns).Contains
		}},
		{"screened buckets", always, func(t *testing.T, patterns []P) func([]uint8, []P) {
			b := built(t, patterns)
			for first := 0; first < len(patterns); first += screenBlock {
				if some := patterns[first:min(first+screenBlock, len(patterns))]; b.Passes(some) != len(some) {
					t.Error("the filter stops members")
				}
			}
			return b.ContainsScreened
		}},
		{"buckets in parts", always, func(t *testing.T, patterns []P) func([]uint8, []P) {
			return inParts(t, patterns).Contains
		}},
		{"screened buckets in parts", always, func(t *testing.T, patterns []P) func([]uint8, []P) {
			return inParts(t, patterns).ContainsScreened
		}},
	}
}

// bitStructures are those for real elements.
func bitStructures[B Bits]() []structure[B] {
	narrow := func(signed bool) func([]B) bool {
		return func(p []B) bool { low, high := Range(p, signed); return uint64(high-low) < 1<<20 }
	}
	list := structures[B]()
	for _, signed := range []bool{false, true} {
		list = append(list,
			structure[B]{fmt.Sprintf("bitmap, signed=%v", signed), narrow(signed), func(_ *testing.T, patterns []B) func([]uint8, []B) {
				low, high := Range(patterns, signed)
				words := make([]uint64, BitmapWords(uint64(high-low)))
				MarkBitmap(words, patterns, low)
				return func(dst []uint8, src []B) { InBitmap(dst, src, words, low, high-low) }
			}},
			structure[B]{fmt.Sprintf("table, signed=%v", signed), narrow(signed), func(_ *testing.T, patterns []B) func([]uint8, []B) {
				low, high := Range(patterns, signed)
				table := make([]uint8, uint64(high-low)+2)
				MarkTable(table, patterns, low)
				return func(dst []uint8, src []B) { InTable(dst, src, table, low, high-low) }
			}})
	}
	return append(list, structure[B]{"sorted", func([]B) bool { return true }, func(_ *testing.T, patterns []B) func([]uint8, []B) {
		sorted := SortPatterns(slices.Clone(patterns))
		return func(dst []uint8, src []B) { InSorted(dst, src, sorted) }
	}})
}

func pairStructures[P Pair]() []structure[P] {
	return append(structures[P](), structure[P]{"sorted", func([]P) bool { return true }, func(_ *testing.T, patterns []P) func([]uint8, []P) {
		sorted := SortPatterns(slices.Clone(patterns))
		return func(dst []uint8, src []P) { InSortedPairs(dst, src, sorted) }
	}})
}

// built returns a table of the patterns, with a filter. It starts too small, so
// that it must be rebuilt.
func built[P Pattern](t *testing.T, patterns []P) *Buckets[P] {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(len(patterns)), 9))
	empty := func(n int) *Buckets[P] {
		b := NewBuckets(patterns[0], n, [2]uint64{r.Uint64(), r.Uint64()}, true)
		return &b
	}
	b := empty(2)
	for rest, rebuilds := patterns, 0; ; rebuilds++ {
		rest = rest[b.Insert(rest):]
		if len(rest) == 0 && !b.Lost() {
			return b
		}
		if rebuilds > 100 {
			t.Fatalf("%d patterns are not in after %d rebuilds to %d buckets", len(rest), rebuilds, b.Buckets())
		}
		next := empty(2 * b.Buckets())
		for !next.Rebuild(b) {
			next = empty(next.Buckets())
		}
		b = next
	}
}

// inParts returns a table of the patterns that is filled in parts, in memory
// that was used before.
func inParts[P Pattern](t *testing.T, patterns []P) *Buckets[P] {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(len(patterns)), 17))
	n := Parts
	for n*BucketSlots < 2*len(patterns) {
		n *= 2
	}
	slots, filter, sorted := make([]P, n*BucketSlots), make([]uint64, n), make([]P, len(patterns))
	for attempt := 0; ; attempt++ {
		for i := range slots {
			slots[i] = patterns[r.IntN(len(patterns))]
		}
		for i := range filter {
			filter[i] = r.Uint64()
		}
		b := NewParts(patterns[0], slots, filter, [2]uint64{r.Uint64(), r.Uint64()})
		var at [Parts]int
		b.CountParts(&at, patterns)
		sum := 0
		for i := range at {
			at[i], sum = sum, sum+at[i]
		}
		b.Scatter(sorted, &at, patterns)
		first := 0
		var left []P
		for i, end := range at {
			used, n := b.FillPart(i, sorted[first:end])
			b.Used += used
			left = append(left, sorted[first:first+n]...)
			first = end
		}
		b.Insert(left)
		if b.Lost() {
			if attempt == 20 {
				t.Fatal("no seeds have room")
			}
			continue
		}
		different := map[P]bool{}
		for _, p := range patterns {
			different[p] = true
		}
		if b.Used != len(different) {
			t.Fatalf("%d members, want %d", b.Used, len(different))
		}
		return &b
	}
}

// patternSets are the sets that every structure is tried with.
func patternSets[P Pattern](of func(a, b uint64) P) map[string][]P {
	r := rand.New(rand.NewPCG(5, 6))
	list := func(n int, at func(i uint64) (a, b uint64)) []P {
		var s []P
		for i := range uint64(n) {
			s = append(s, of(at(i)))
		}
		return s
	}
	sets := map[string][]P{
		"zero":            list(1, func(uint64) (uint64, uint64) { return 0, 0 }),
		"one":             list(1, func(uint64) (uint64, uint64) { return 1, 0 }),
		"all ones":        list(1, func(uint64) (uint64, uint64) { return ^uint64(0), ^uint64(0) }),
		"ends":            list(2, func(i uint64) (uint64, uint64) { return -i, -i }),
		"repeated":        list(500, func(i uint64) (uint64, uint64) { return i % 3, 0 }),
		"second part":     list(3000, func(i uint64) (uint64, uint64) { return 1, i << 40 }),
		"both parts":      list(3000, func(i uint64) (uint64, uint64) { return i % 64, i / 64 }),
		"around zero":     list(101, func(i uint64) (uint64, uint64) { return i - 50, 0 }),
		"around the sign": list(101, func(i uint64) (uint64, uint64) { return 1<<63 + i - 50, 0 }),
		"small":           list(200, func(uint64) (uint64, uint64) { return r.Uint64N(100), 0 }),
		"random":          list(5000, func(uint64) (uint64, uint64) { return r.Uint64(), r.Uint64() }),
		"with zero":       list(5000, func(i uint64) (uint64, uint64) { return r.Uint64() * min(i%5, 1), 0 }),
	}
	for _, step := range []uint{1, 8, 16, 24, 31, 32, 33, 48, 52, 56} {
		sets[fmt.Sprintf("multiples of 2^%d", step)] = list(4000, func(i uint64) (uint64, uint64) { return i << step, 0 })
	}
	for n := 2; n <= 40; n++ {
		sets[fmt.Sprintf("%d of them", n)] = list(n, func(uint64) (uint64, uint64) { return r.Uint64(), r.Uint64() })
	}
	return sets
}

// testLookup is the test of every structure: members, near misses and random
// patterns, against a map.
func testLookup[P Pattern](t *testing.T, all []structure[P], among func(name string) bool, of func(a, b uint64) P, parts func(P) (a, b uint64)) {
	all = slices.DeleteFunc(all, func(s structure[P]) bool { return !among(s.name) })
	for name, patterns := range patternSets(of) {
		members := make(map[P]bool)
		for _, p := range patterns {
			members[p] = true
		}
		r := rand.New(rand.NewPCG(7, 8))
		var src []P
		for range 3000 {
			p := patterns[r.IntN(len(patterns))]
			a, b := parts(p)
			near := of(a+r.Uint64N(3)-1, b)
			flipped := of(a^1<<r.Uint64N(64), b)
			other := of(a, b^1<<r.Uint64N(64))
			src = append(src, p, near, flipped, other, of(r.Uint64(), r.Uint64()), of(0, 0))
		}
		for _, s := range all {
			if len(patterns) == 0 || !s.suits(patterns) {
				continue
			}
			contains := s.contains(t, patterns)
			for _, n := range []int{0, 1, 7, 8, 9, len(src)} {
				dst := make([]uint8, n+1)
				dst[n] = 7
				contains(dst[:n], src[:n])
				for i, p := range src[:n] {
					if dst[i] != bit(members[p]) {
						t.Fatalf("%s, %s: %#x gives %d, want %v", s.name, name, p, dst[i], members[p])
					}
				}
				if dst[n] != 7 {
					t.Fatalf("%s, %s: wrote beyond %d answers", s.name, name, n)
				}
			}
		}
	}
}

// TestLookup tries every structure, with each implementation it has.
func TestLookup(t *testing.T) {
	for kernel, named := range map[string]string{"Buckets": "buckets", "Few": "few", "InBitmap": "bitmap"} {
		t.Run(kernel, func(t *testing.T) {
			eachImpl(t, kernel, func(t *testing.T) {
				testLookups(t, func(name string) bool { return strings.Contains(name, named) })
			})
		})
	}
	t.Run("portable", func(t *testing.T) {
		testLookups(t, func(name string) bool { return strings.HasPrefix(name, "table") || name == "sorted" })
	})
}

func testLookups(t *testing.T, among func(name string) bool) {
	t.Run("uint8", func(t *testing.T) { testBitLookup[uint8](t, among) })
	t.Run("uint16", func(t *testing.T) { testBitLookup[uint16](t, among) })
	t.Run("uint32", func(t *testing.T) { testBitLookup[uint32](t, among) })
	t.Run("uint64", func(t *testing.T) { testBitLookup[uint64](t, among) })
	t.Run("pair32", func(t *testing.T) {
		testLookup(t, pairStructures[Pair32](), among, func(a, b uint64) Pair32 { return Pair32{uint32(a ^ a>>32), uint32(b ^ b>>32)} },
			func(p Pair32) (a, b uint64) { return uint64(p[0]), uint64(p[1]) })
	})
	t.Run("pair64", func(t *testing.T) {
		testLookup(t, pairStructures[Pair64](), among, func(a, b uint64) Pair64 { return Pair64{a, b} },
			func(p Pair64) (a, b uint64) { return p[0], p[1] })
	})
}

func testBitLookup[B Bits](t *testing.T, among func(name string) bool) {
	// Collect widths keep the upper bits, in which some sets differ.
	width := 8 * int(unsafe.Sizeof(B(0)))
	testLookup(t, bitStructures[B](), among, func(a, _ uint64) B { return B(a) | B(a>>(64-width)) },
		func(b B) (uint64, uint64) { return uint64(b), 0 })
}

// TestBucketsKnownSeeds inserts patterns that were made to collide under the
// table's seeds: it gives up soon, and other seeds take them all.
func TestBucketsKnownSeeds(t *testing.T) {
	seeds := [2]uint64{3, 0x9E3779B97F4A7C15}
	empty := func(first uint64, seeds [2]uint64) *Buckets[uint64] {
		b := NewBuckets(first, 1<<7, seeds, true)
		return &b
	}
	b := empty(0, seeds)
	var patterns []uint64
	for p := uint64(1); len(patterns) < 400; p++ {
		if b.hash(&p)>>57 == 125 {
			patterns = append(patterns, p)
		}
	}
	done := b.Insert(patterns)
	if !b.Lost() {
		t.Fatal("400 patterns of one home found a place")
	}
	if done != BucketSlots*maxRun+1 {
		t.Errorf("%d patterns were taken before the table gave up", done)
	}
	next := empty(0, [2]uint64{0x243F6A8885A308D3, 0x13198A2E03707345})
	if !next.Rebuild(b) {
		t.Fatal("other seeds fail too")
	}
	if rest := patterns[done:]; next.Insert(rest) != len(rest) || next.Lost() {
		t.Fatal("the rest finds no place")
	}
	// A run of full buckets that goes on from the last to the first is searched
	// to its end, by every implementation.
	b = empty(patterns[0], seeds)
	many := patterns[:BucketSlots*5]
	if b.Insert(many) != len(many) || b.Lost() {
		t.Fatal("five buckets are lost")
	}
	eachImpl(t, "Buckets", func(t *testing.T) {
		dst := make([]uint8, len(patterns))
		b.Contains(dst, patterns)
		for i, got := range dst {
			if got != bit(i < len(many)) {
				t.Errorf("pattern %d gives %d", i, got)
			}
		}
	})
}

// TestBucketsRuns bounds the work of insertion for regular patterns: tables
// half full have no long runs of full buckets.
func TestBucketsRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, step := range []uint64{1, 3, 1 << 16, 1 << 32, 1<<32 + 1, 1 << 44, 0x9E3779B97F4A7C15, bits.Reverse64(0x9E3779B97F4A7C15)} {
		patterns := make([]uint64, 1<<14)
		for i := range patterns {
			patterns[i] = uint64(i+1) * step
		}
		failed := 0
		for range 20 {
			b := NewBuckets(patterns[0], 1<<12, [2]uint64{r.Uint64(), r.Uint64()}, false)
			if b.Insert(patterns); b.Lost() {
				failed++
			}
		}
		if failed > 1 {
			t.Errorf("multiples of %#x: %d of 20 tables failed", step, failed)
		}
	}
}

func TestRangeOfExtremes(t *testing.T) {
	low, high := Range([]uint64{1 << 63, 1<<63 - 1, 0}, true)
	if int64(low) != -1<<63 || int64(high) != 1<<63-1 || high-low != ^uint64(0) {
		t.Errorf("signed: %d … %d", int64(low), int64(high))
	}
	low, high = Range([]uint64{1 << 63, 1<<63 - 1, 0}, false)
	if low != 0 || high != 1<<63 {
		t.Errorf("unsigned: %d … %d", low, high)
	}
}

// TestLookupFences looks random patterns up in random sets, from memory between
// inaccessible pages, in every small length: vector code answers as the
// portable code does, and nothing is touched beyond.
func TestLookupFences(t *testing.T) {
	t.Run("uint16", testLookupFences[uint16])
	t.Run("uint32", testLookupFences[uint32])
	t.Run("uint64", testLookupFences[uint64])
}

func testLookupFences[B Bits](t *testing.T) {
	size := int(unsafe.Sizeof(B(0)))
	r := rand.New(rand.NewPCG(uint64(size), 3))
	for i, n := range lengths() {
		side := testkit.Sides[i%2]
		src, dst := testkit.Fenced[B](t, n, side), testkit.Fenced[uint8](t, n, side)
		m, spread := 1+r.IntN(40), B(1)<<(3+r.IntN(8*size-4))
		base := B(r.Uint64())
		draw := func() B { return base + B(r.Uint64())%spread }
		patterns, members := make([]B, m), make(map[B]bool)
		for i := range patterns {
			patterns[i] = draw()
			members[patterns[i]] = true
		}
		for i := range src {
			if src[i] = draw(); r.IntN(3) == 0 {
				src[i] = patterns[r.IntN(m)]
			}
		}
		for _, s := range bitStructures[B]() {
			low, high := Range(patterns, false)
			if strings.HasPrefix(s.name, "bitmap") && uint64(high-low) > 1<<16 || strings.HasPrefix(s.name, "table") || !s.suits(patterns) {
				continue
			}
			contains := s.contains(t, patterns)
			for _, level := range []string{"best", cpu.Generic} {
				var restore []func()
				if level == cpu.Generic {
					for _, kernel := range []string{"Buckets", "Few", "InBitmap"} {
						restore = append(restore, cpu.Select(kernel, level))
					}
				}
				contains(dst, src)
				for _, f := range restore {
					f()
				}
				for i, p := range src {
					if dst[i] != bit(members[p]) {
						t.Fatalf("%s, %s, n=%d, %d of %d patterns: %#x gives %d", s.name, level, n, i, m, p, dst[i])
					}
				}
			}
		}
	}
}

// TestByteSet looks every byte up in random sets, in every small length.
func TestByteSet(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	eachImpl(t, "ByteSet", func(t *testing.T) {
		for i, n := range lengths() {
			side := testkit.Sides[i%2]
			src, dst := testkit.Fenced[uint8](t, n, side), testkit.Fenced[uint8](t, n, side)
			var set ByteSet
			var members [256]bool
			for range r.IntN(1 << r.IntN(10)) {
				b := uint8(r.Uint32())
				set.Add([]uint8{b})
				members[b] = true
			}
			first := r.IntN(256)
			for i := range src {
				src[i] = uint8(first + i)
			}
			set.Contains(dst, src)
			for i, b := range src {
				if dst[i] != bit(members[b]) {
					t.Fatalf("n=%d: %d gives %d", n, b, dst[i])
				}
			}
		}
	})
}
