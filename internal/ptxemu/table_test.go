package ptxemu

import (
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

// numbers are lanes of edge values and random ones.
func numbers(r *rand.Rand) (l lanes) {
	edges := []uint64{0, 1, 31, 32, 33, 63, 64, 0x7FFF, 0x8000, 0x7FFFFFFF, 1 << 31, 0xFFFFFFFF, 1 << 63, 1<<64 - 1, 0x7F800000, 0x7FC00001, 0x7FF0 << 48, 0x7FF8 << 48}
	for i := range l {
		switch r.IntN(3) {
		case 0:
			l[i] = edges[r.IntN(len(edges))]
		case 1:
			l[i] = r.Uint64() >> r.IntN(64)
		default:
			l[i] = r.Uint64()
		}
	}
	return l
}

// TestLoopsAreTheirOperations compares the loop of each operation with what it does to
// one lane, in place too, and looks for bits above the result's type.
func TestLoopsAreTheirOperations(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for name, op := range operations {
		parts := strings.Split(name, ".")
		ty, ok := scalarOf(parts[len(parts)-1])
		if parts[0] == "slct" {
			ty, ok = scalarOf(parts[1])
		}
		if !ok {
			if ty, ok = scalarOf(parts[1]); !ok { // a mode comes last
				t.Fatalf("%s has no type", name)
			}
		}
		bits := ty.bits
		switch {
		case strings.Contains(name, ".wide"):
			bits *= 2
		case parts[0] == "popc" || parts[0] == "clz" || parts[0] == "bfind":
			bits = 32
		}
		for range 50 {
			a, b, c := numbers(r), numbers(r), numbers(r)
			// Registers hold no bits above their types.
			for i := range a {
				a[i] &= maskOf(ty.bits)
			}
			var d lanes
			op.v(&d, &a, &b, &c)
			inPlace := b
			op.v(&inPlace, &a, &inPlace, &c)
			for i := range d {
				if want := op.f(a[i], b[i], c[i]); d[i] != want || inPlace[i] != want || want&^maskOf(bits) != 0 {
					t.Fatalf("%s of %#x, %#x, %#x: %#x in a loop, %#x in place, %#x alone", name, a[i], b[i], c[i], d[i], inPlace[i], want)
				}
			}
		}
	}
}

func TestAllComparisonsOfIntegers(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	holds := map[string]func(sign int) bool{
		"eq": func(s int) bool { return s == 0 }, "ne": func(s int) bool { return s != 0 },
		"lt": func(s int) bool { return s < 0 }, "le": func(s int) bool { return s <= 0 },
		"gt": func(s int) bool { return s > 0 }, "ge": func(s int) bool { return s >= 0 },
		"lo": func(s int) bool { return s < 0 }, "ls": func(s int) bool { return s <= 0 },
		"hi": func(s int) bool { return s > 0 }, "hs": func(s int) bool { return s >= 0 },
	}
	for _, ty := range []scalar{{'s', 16}, {'s', 32}, {'s', 64}, {'u', 16}, {'u', 32}, {'u', 64}} {
		value := func(a uint64) *big.Int { return conversion{from: ty}.exact(a) }
		for cmp, f := range holds {
			for range 50 {
				a, b := numbers(r), numbers(r)
				b[3], b[4] = a[3], a[4]^1<<40
				got := testOf(cmp, ty)(&a, &b)
				for i := range a {
					if want := f(value(a[i]).Cmp(value(b[i]))); want != (got>>i&1 != 0) {
						t.Fatalf("%s.%v of %#x and %#x is %v", cmp, ty, a[i], b[i], !want)
					}
				}
			}
		}
	}
	if testOf("lt", scalar{'b', 32}) != nil || testOf("xx", scalar{'u', 32}) != nil || testOf("xx", scalar{'f', 32}) != nil || testOf("eq", scalar{'u', 8}) != nil {
		t.Fatal("a comparison that there is not")
	}
}

// TestComparisonsOfFloats has every comparison of a pair that is below, equal, above
// and not ordered.
func TestComparisonsOfFloats(t *testing.T) {
	holds := map[string][4]bool{
		"eq": {1: true}, "ne": {0: true, 2: true}, "lt": {0: true}, "le": {0: true, 1: true},
		"gt": {2: true}, "ge": {1: true, 2: true}, "num": {true, true, true}, "nan": {3: true},
		"equ": {1: true, 3: true}, "neu": {0: true, 2: true, 3: true}, "ltu": {0: true, 3: true},
		"leu": {0: true, 1: true, 3: true}, "gtu": {2: true, 3: true}, "geu": {1: true, 2: true, 3: true},
	}
	for cmp, want := range holds {
		var a32, b32, a64, b64 lanes
		for i, pair := range [4][2]float32{{-1, 2}, {0, 0}, {3, 2}, {1, f32(canonicalNaN)}} {
			a32[i], b32[i] = bits32(pair[0]), bits32(pair[1])
			a64[i], b64[i] = bits64(float64(pair[0])), bits64(float64(pair[1]))
		}
		a32[1], a64[1] = sign32, sign64 // -0 is equal to 0
		g32 := testOf(cmp, scalar{'f', 32})(&a32, &b32)
		g64 := testOf(cmp, scalar{'f', 64})(&a64, &b64)
		for i, w := range want {
			if (g32>>i&1 != 0) != w || (g64>>i&1 != 0) != w {
				t.Errorf("%s of pair %d is not %v", cmp, i, w)
			}
		}
	}
}
