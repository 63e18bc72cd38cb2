package member

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/ogive-go/ogive/internal/cpu"
	"github.com/ogive-go/ogive/internal/crew"
	"github.com/ogive-go/ogive/internal/kernel"
	"github.com/ogive-go/ogive/internal/testkit"
)

// structure is a way of looking patterns up.
type structure[P kernel.Pattern] struct {
	name     string
	suits    func(patterns []P) bool
	contains func(t *testing.T, patterns []P) func(dst []uint8, src []P)
}

func structures[P kernel.Pattern]() []structure[P] {
	always := func([]P) bool { return true }
	size := int(unsafe.Sizeof(*new(P)))
	return []structure[P]{
		{"few", func(p []P) bool { return (size == 4 || size == 8) && len(p) <= kernel.FewMost(size) }, func(t *testing.T, patterns []P) func([]uint8, []P) {
			find := inFew(patterns)
			if find == nil {
				t.Fatalf("%x find no room", patterns)
			}
			return of[P](find)
		}},
		{"buckets", always, func(t *testing.T, patterns []P) func([]uint8, []P) { return grownFrom(patterns).Contains }},
		{"screened buckets", always, func(t *testing.T, patterns []P) func([]uint8, []P) {
			b := grownFrom(patterns)
			for some := range slices.Chunk(patterns, sampleElements) {
				if b.Passes(some) != len(some) {
					t.Error("the filter stops members")
				}
			}
			return b.ContainsScreened
		}},
		{"buckets in parts", always, func(t *testing.T, patterns []P) func([]uint8, []P) { return inParts(t, patterns).Contains }},
		{"screened buckets in parts", always, func(t *testing.T, patterns []P) func([]uint8, []P) { return inParts(t, patterns).ContainsScreened }},
	}
}

// of returns a lookup of patterns.
func of[P kernel.Pattern](find lookup) func(dst []uint8, src []P) {
	return func(dst []uint8, src []P) { find(dst, unsafe.Pointer(unsafe.SliceData(src))) }
}

// grownFrom returns a table of the patterns that starts too small.
func grownFrom[P kernel.Pattern](patterns []P) *table[P] {
	th := options(false, small).Tuned
	b := emptyTable(patterns[0], 2, th)
	for rest := patterns; ; b = b.grown(2*b.Count(), th) {
		if rest = rest[b.insert(rest):]; len(rest) == 0 {
			return b
		}
	}
}

// inParts returns a table of the patterns that is filled in parts, in memory
// that was used before.
func inParts[P kernel.Pattern](t *testing.T, patterns []P) *table[P] {
	t.Helper()
	used := new(crew.Scratch)
	memory := crew.Alloc[uint64](used, 1<<15)
	for i := range memory {
		memory[i] = uint64(i) * 0x9E3779B97F4A7C15
	}
	rooms.Put(used)
	b, _ := newParted(patterns, options(true, small).Config)
	different := map[P]bool{}
	for _, p := range patterns {
		different[p] = true
	}
	if b.taken != len(different)-1 {
		t.Fatalf("%d slots are taken by %d members", b.taken, len(different))
	}
	return b
}

// bitStructures are those for real elements.
func bitStructures[B kernel.Bits]() []structure[B] {
	narrow := func(signed bool) func([]B) bool {
		return func(p []B) bool { low, high := kernel.Range(p, signed); return uint64(high-low) < 1<<20 }
	}
	list := structures[B]()
	for _, signed := range []bool{false, true} {
		list = append(list,
			structure[B]{fmt.Sprintf("bitmap, signed=%v", signed), narrow(signed), func(_ *testing.T, patterns []B) func([]uint8, []B) {
				return of[B](inBitmap(patterns, signed, math.MaxUint64))
			}},
			structure[B]{fmt.Sprintf("table, signed=%v", signed), narrow(signed), func(_ *testing.T, patterns []B) func([]uint8, []B) {
				return of[B](inTable(patterns, signed, TableMax))
			}})
	}
	return append(list, structure[B]{"sorted", func([]B) bool { return true }, func(_ *testing.T, patterns []B) func([]uint8, []B) { return of[B](inSorted(patterns)) }})
}

func pairStructures[P kernel.Pair]() []structure[P] {
	return append(structures[P](), structure[P]{"sorted", func([]P) bool { return true }, func(_ *testing.T, patterns []P) func([]uint8, []P) { return of[P](inSortedPairs(patterns)) }})
}

// bit returns 1 for true.
func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// patternSets are the sets that every structure is tried with.
func patternSets[P kernel.Pattern](of func(a, b uint64) P) map[string][]P {
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
func testLookup[P kernel.Pattern](t *testing.T, all []structure[P], among func(name string) bool, of func(a, b uint64) P, parts func(P) (a, b uint64)) {
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
	for name, named := range map[string]string{"Buckets": "buckets", "Few": "few", "InBitmap": "bitmap"} {
		t.Run(name, func(t *testing.T) {
			testkit.EachImpl(t, name, func(t *testing.T) {
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
		testLookup(t, pairStructures[kernel.Pair32](), among, func(a, b uint64) kernel.Pair32 { return kernel.Pair32{uint32(a ^ a>>32), uint32(b ^ b>>32)} },
			func(p kernel.Pair32) (a, b uint64) { return uint64(p[0]), uint64(p[1]) })
	})
	t.Run("pair64", func(t *testing.T) {
		testLookup(t, pairStructures[kernel.Pair64](), among, func(a, b uint64) kernel.Pair64 { return kernel.Pair64{a, b} },
			func(p kernel.Pair64) (a, b uint64) { return p[0], p[1] })
	})
}

func testBitLookup[B kernel.Bits](t *testing.T, among func(name string) bool) {
	// All widths keep the upper bits, in which some sets differ.
	width := 8 * int(unsafe.Sizeof(B(0)))
	testLookup(t, bitStructures[B](), among, func(a, _ uint64) B { return B(a) | B(a>>(64-width)) },
		func(b B) (uint64, uint64) { return uint64(b), 0 })
}

// TestLookupFences looks random patterns up in random sets, from memory between
// inaccessible pages, in every small length: vector code answers as the
// portable code does, and nothing is touched beyond.
func TestLookupFences(t *testing.T) {
	t.Run("uint16", testLookupFences[uint16])
	t.Run("uint32", testLookupFences[uint32])
	t.Run("uint64", testLookupFences[uint64])
}

func testLookupFences[B kernel.Bits](t *testing.T) {
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
			low, high := kernel.Range(patterns, false)
			if strings.HasPrefix(s.name, "bitmap") && uint64(high-low) > 1<<16 || strings.HasPrefix(s.name, "table") || !s.suits(patterns) {
				continue
			}
			contains := s.contains(t, patterns)
			for _, level := range []string{"best", cpu.Generic} {
				var restore []func()
				if level == cpu.Generic {
					for _, name := range []string{"Buckets", "Few", "InBitmap"} {
						restore = append(restore, cpu.Select(name, level))
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

// lengths are all small ones, and those around powers of two.
func lengths() []int {
	all, least := []int(nil), 1025
	if testing.Short() {
		least = 130
	}
	for n := range least {
		all = append(all, n)
	}
	for p := 256; p <= 4096; p *= 2 {
		all = append(all, p-1, p, p+1)
	}
	return all
}

// TestChangedRange: values whose range has grown since it was checked make no larger table,
// and those beyond it are not found.
func TestChangedRange(t *testing.T) {
	elements := []int32{-3, -2, 96, 97, 1 << 30}
	found := make([]uint8, len(elements))
	inTable([]uint32{^uint32(2), 97, 1 << 30}, true, 100)(found, unsafe.Pointer(&elements[0]))
	testkit.Same(t, found, []uint8{1, 0, 0, 0, 0}, "a table of 100")
	inTable([]uint32{^uint32(2), 96}, true, 100)(found, unsafe.Pointer(&elements[0]))
	testkit.Same(t, found, []uint8{1, 0, 1, 0, 0}, "a table of as many as there may be")
}
