package rank

import (
	"math"
	"slices"
	"testing"

	"github.com/ogive-go/ogive/dtype"
	"pgregory.net/rapid"
)

// Each property is a test and a fuzz target.

func TestMonotone(t *testing.T)     { rapid.Check(t, propMonotone) }
func TestFastIsExact(t *testing.T)  { rapid.Check(t, propFastIsExact) }
func TestWantedIsASet(t *testing.T) { rapid.Check(t, propWanted) }

func FuzzMonotone(f *testing.F)     { f.Fuzz(rapid.MakeFuzz(propMonotone)) }
func FuzzFastIsExact(f *testing.F)  { f.Fuzz(rapid.MakeFuzz(propFastIsExact)) }
func FuzzWantedIsASet(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propWanted)) }

func drawEnd(t *rapid.T, label string) float64 {
	return rapid.OneOf(
		rapid.Float64(),
		rapid.SampledFrom([]float64{0, 5e-324, -5e-324, 0x1p-1022, 1, -1, math.MaxFloat64, -math.MaxFloat64}),
		rapid.Map(rapid.Uint64(), func(u uint64) float64 {
			if x := math.Float64frombits(u); x-x == 0 {
				return x
			}
			return 0.1
		}),
	).Draw(t, label)
}

// drawQ draws a quantile, a float64 or a fraction.
func drawQ(t *rapid.T, label string, ratio bool) Q {
	if ratio {
		den := rapid.Int64Range(1, math.MaxInt64).Draw(t, label+" den")
		return Ratio(rapid.Int64Range(0, den).Draw(t, label+" num"), den)
	}
	return At(rapid.OneOf(
		rapid.Float64Range(0, 1),
		rapid.Map(rapid.IntRange(0, 1000), func(k int) float64 { return float64(k) / 1000 }),
	).Draw(t, label))
}

// less orders quantiles of the same kind, exactly.
func less(p, q Q) bool {
	if p.Den > 0 {
		return ratioOf(p).Cmp(ratioOf(q)) < 0
	}
	return p.Value < q.Value
}

// propMonotone: for every method the quantile of sorted values does not fall
// as q rises, lies between the least and the greatest, and its position within
// the slice.
func propMonotone(t *rapid.T) {
	s := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) float64 { return drawEnd(t, "value") }), 1, 12).Draw(t, "values")
	slices.Sort(s)
	m := Method(rapid.IntRange(0, int(methodCount)-1).Draw(t, "method"))
	ratio := rapid.Bool().Draw(t, "ratio")
	p, q := drawQ(t, "p", ratio), drawQ(t, "q", ratio)
	if less(q, p) {
		p, q = q, p
	}
	n := int64(len(s))
	var v [2]float64
	for i, at := range []Q{p, q} {
		pos := m.Position(n, at)
		if pos.Lo < 0 || pos.Hi >= n || pos.Lo > pos.Hi || !(pos.G >= 0 && pos.G <= 1) {
			t.Fatalf("%v: %+v is not a position among %d", m, pos, n)
		}
		if m.Discrete() && pos.Lo != pos.Hi {
			t.Fatalf("%v: %+v needs two values", m, pos)
		}
		w := Weights{[]float64{pos.G}, []float64{pos.Low}, NewSet(m, []Q{at}).Unit(0)}
		w.Interpolate64(v[i:i+1], s[pos.Lo:], s[pos.Hi:])
		if !(v[i] >= s[0] && v[i] <= s[n-1]) {
			t.Fatalf("%v at %+v: %x leaves [%x, %x]", m, at, v[i], s[0], s[n-1])
		}
	}
	if v[0] > v[1] {
		t.Fatalf("%v falls from %x at %+v to %x at %+v", m, v[0], p, v[1], q)
	}
}

// propFastIsExact: with and without the fast path, the same bits.
func propFastIsExact(t *rapid.T) {
	a, b := drawEnd(t, "a"), drawEnd(t, "b")
	g := rapid.OneOf(
		rapid.Float64Range(0, 1),
		rapid.Map(rapid.Uint64Range(0, 64), func(k uint64) float64 { return float64(k) / 64 }),
	).Draw(t, "g")
	if fast, exact := blend64(a, b, g), blendSlow64(a, b, g); math.Float64bits(fast) != math.Float64bits(exact) {
		t.Fatalf("[%x, %x] at %x: fast %x, exact %x", a, b, g, fast, exact)
	}
	a32, b32 := float32(a), float32(b)
	fast, exact := blend32(a32, b32, g), blendSlow32(float64(a32), float64(b32), g)
	if math.Float32bits(fast) != math.Float32bits(exact) {
		t.Fatalf("float32 [%x, %x] at %x: fast %x, exact %x", a32, b32, g, fast, exact)
	}
	aF, bF := dtype.ToF16(a), dtype.ToF16(b)
	if fast, exact := blendF16(aF, bF, g).Bits(), blendSlowF16(aF.Float64(), bF.Float64(), g); fast != exact {
		t.Fatalf("float16 [%v, %v] at %x: fast %#x, exact %#x", aF, bF, g, fast, exact)
	}
	aB, bB := dtype.ToBF16(a), dtype.ToBF16(b)
	if fast, exact := blendBF16(aB, bB, g).Bits(), blendSlowBF16(aB.Float64(), bB.Float64(), g); fast != exact {
		t.Fatalf("bfloat16 [%v, %v] at %x: fast %#x, exact %#x", aB, bB, g, fast, exact)
	}
	i, j := int64(math.Float64bits(a)), int64(math.Float64bits(b))
	if fast, exact := blendInt(i, j, g), blendSlowInt(i, j, g); math.Float64bits(fast) != math.Float64bits(exact) {
		t.Fatalf("[%d, %d] at %x: fast %x, exact %x", i, j, g, fast, exact)
	}
	if fast, exact := blendUint(uint64(i), uint64(j), g), blendSlowUint(uint64(i), uint64(j), g); math.Float64bits(fast) != math.Float64bits(exact) {
		t.Fatalf("[%d, %d] at %x: fast %x, exact %x", uint64(i), uint64(j), g, fast, exact)
	}
}

// propWanted: Wanted is ascending, without repetition, and holds Lo and Hi of
// every position and nothing else.
func propWanted(t *rapid.T) {
	qs := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Q { return drawQ(t, "q", rapid.Bool().Draw(t, "ratio")) }), 0, 9).Draw(t, "qs")
	pos := NewSet(Linear, qs).Positions(nil, rapid.Int64Range(1, 1<<53).Draw(t, "n"))
	named := map[int64]bool{}
	for _, p := range pos {
		named[p.Lo], named[p.Hi] = true, true
	}
	got := Wanted(nil, pos)
	if len(got) != len(named) {
		t.Fatalf("%v for %v", got, pos)
	}
	for i, k := range got {
		if !named[k] || i > 0 && got[i-1] >= k {
			t.Fatalf("%v for %v", got, pos)
		}
	}
}
