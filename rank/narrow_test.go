package rank

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ogive-go/ogive/dtype"
)

// TestWidenAll compares every bit pattern with package dtype.
func TestWidenAll(t *testing.T) {
	same := func(x, y float64) bool { return x == y && math.Signbit(x) == math.Signbit(y) || x != x && y != y }
	for i := range 1 << 16 {
		h := uint16(i)
		if got, want := widenF16(h), dtype.F16FromBits(h).Float64(); finiteF16(h, 0) && !same(got, want) {
			t.Fatalf("float16 %#x = %v, want %v", h, got, want)
		}
		if got, want := widenBF16(h), dtype.BF16FromBits(h).Float64(); !same(got, want) {
			t.Fatalf("bfloat16 %#x = %v, want %v", h, got, want)
		}
	}
}

// TestNarrowAll narrows every finite number, every middle between two, and
// their float64 neighbours.
func TestNarrowAll(t *testing.T) {
	for i := range 1 << 16 {
		h := uint16(i)
		if f := dtype.F16FromBits(h); h&0x7FFF < 0x7BFF {
			for _, x := range around(f.Float64(), dtype.F16FromBits(h+1).Float64()) {
				if got, want := narrowF16(x), dtype.ToF16(x).Bits(); got != want {
					t.Fatalf("float16 of %x = %#x, want %#x", x, got, want)
				}
			}
		}
		if f := dtype.BF16FromBits(h); h&0x7FFF < 0x7F7F {
			for _, x := range around(f.Float64(), dtype.BF16FromBits(h+1).Float64()) {
				if got, want := narrowBF16(x), dtype.ToBF16(x).Bits(); got != want {
					t.Fatalf("bfloat16 of %x = %#x, want %#x", x, got, want)
				}
			}
		}
	}
}

// around returns x, the middle of x and y, and the neighbours of both.
func around(x, y float64) []float64 {
	m := x/2 + y/2
	return []float64{
		x, math.Nextafter(x, y), math.Nextafter(x, -y),
		m, math.Nextafter(m, x), math.Nextafter(m, y),
	}
}

// weights16 has few bits, so that ties occur, and the extremes.
var weights16 = []float64{0.5, 0.25, 0.75, 0.125, 0.3, 1.0 / 3, 0x1p-11, 1 - 0x1p-12, 0x1p-53, 1 - 0x1p-53, 5e-324, 0, 1}

// TestInterpolate16AllEnds runs every bit pattern against chosen others, all
// through the public functions, and a random part of them by the slow path.
func TestInterpolate16AllEnds(t *testing.T) {
	f16 := []uint16{0, 0x8000, 1, 0x8001, 0x3FF, 0x400, 0x3C00, 0xBC00, 0x3C01, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00, 0x5555}
	bf16 := []uint16{0, 0x8000, 1, 0x8001, 0x7F, 0x80, 0x3F80, 0xBF80, 0x3F81, 0x7F7F, 0xFF7F, 0x7F80, 0xFF80, 0x7FC0, 0x5555}
	rng := rand.New(rand.NewPCG(17, 18))
	const all = 1 << 16
	// The reference is checked on one in every stride of the cases, in turn.
	stride, at := 29, 0
	if testing.Short() {
		stride = 601
	}
	fa, fb, fd := make([]dtype.F16, all), make([]dtype.F16, all), make([]dtype.F16, all)
	ba, bb, bd := make([]dtype.BF16, all), make([]dtype.BF16, all), make([]dtype.BF16, all)
	for i := range all {
		fa[i], ba[i] = dtype.F16FromBits(uint16(i)), dtype.BF16FromBits(uint16(i))
	}
	for k := range f16 {
		for i := range all {
			fb[i], bb[i] = dtype.F16FromBits(f16[k]), dtype.BF16FromBits(bf16[k])
		}
		for _, g := range append([]float64{rng.Float64()}, weights16...) {
			InterpolateF16(fd, fa, fb, []float64{g})
			InterpolateBF16(bd, ba, bb, []float64{g})
			for i := range all {
				x, y := fa[i].Float64(), fb[i].Float64()
				if got, want := fd[i].Bits(), blendSlowF16(x, y, g); got != want {
					t.Fatalf("float16 [%v, %v] at %x: fast %#x, slow %#x", x, y, g, got, want)
				}
				u, v := ba[i].Float64(), bb[i].Float64()
				if got, want := bd[i].Bits(), blendSlowBF16(u, v, g); got != want {
					t.Fatalf("bfloat16 [%v, %v] at %x: fast %#x, slow %#x", u, v, g, got, want)
				}
				if at++; at%stride != 0 {
					continue
				}
				if got, want := fd[i].Bits(), refF16(fa[i], fb[i], g); got != want {
					t.Fatalf("float16 [%v, %v] at %x = %#x, want %#x", x, y, g, got, want)
				}
				if got, want := bd[i].Bits(), refBF16(ba[i], bb[i], g); got != want {
					t.Fatalf("bfloat16 [%v, %v] at %x = %#x, want %#x", u, v, g, got, want)
				}
			}
		}
	}
}

func TestInterpolate16Random(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 20))
	for range cases(200_000) {
		u := hardBits32(rng)
		v := near32(rng, u)
		g := hardWeight(rng)
		a, b := dtype.BF16FromBits(uint16(u>>16)), dtype.BF16FromBits(uint16(v>>16))
		if got, want := blendBF16(a, b, g).Bits(), refBF16(a, b, g); got != want {
			t.Fatalf("bfloat16 [%v, %v] at %x = %#x, want %#x", a, b, g, got, want)
		}
		x, y := dtype.F16FromBits(uint16(u)), dtype.F16FromBits(uint16(v))
		if got, want := blendF16(x, y, g).Bits(), refF16(x, y, g); got != want {
			t.Fatalf("float16 [%v, %v] at %x = %#x, want %#x", x, y, g, got, want)
		}
	}
}
