package ogive_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/oracle"
	"github.com/ogive-go/ogive/internal/testkit"
)

// isInKinds are the kinds by the oracle's names.
var isInKinds = map[string]ogive.IsInKind{"auto": ogive.KindAuto, "sort": ogive.KindSort, "table": ogive.KindTable, "hash": ogive.KindHash}

// checkIsIn holds every kind, inverted and not, with equal NaNs and without,
// to the oracle.
func checkIsIn(t failer, e, test *input, note string, extra ...ogive.Option) {
	t.Helper()
	for _, kind := range []string{"auto", "sort", "table", "hash"} {
		for bits := range 4 {
			o := oracle.IsInOptions{Kind: kind, Invert: bits&1 != 0, EqualNaN: bits&2 != 0}
			opts := append([]ogive.Option{ogive.Kind(isInKinds[kind])}, extra...)
			if o.Invert {
				opts = append(opts, ogive.Invert())
			}
			if o.EqualNaN {
				opts = append(opts, ogive.EqualNaN())
			}
			want := fromOracle(oracle.IsIn(e.ref, test.ref, o))
			if kind == "table" && want.err == nil && tableBytes(test.ref) > 1<<24 {
				continue // allowed, and slow
			}
			what := fmt.Sprintf("isin %+v %s", o, note)
			got, err := ogive.IsIn(e.tensor, test.tensor, opts...)
			compare(t, what, read(t, got, nil, err), want)
			got, err = ogive.IsIn(e.tensor, test.tensor, append(opts, ogive.AssumeUnique())...)
			compare(t, "assume unique, "+what, read(t, got, nil, err), want)
			compare(t, "prepared "+what, runPlan(t, ogive.OpIsIn, e.tensor, append(opts, ogive.Test(test.tensor))...), want)
		}
	}
	e.unchanged(t, note)
	test.unchanged(t, note)
}

// tableBytes is about how large a table over the values is.
func tableBytes(a *oracle.Array) float64 {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, b := range a.Bits {
		v := float64(b.Re)
		if a.DType.IsSigned() {
			unused := 64 - 8*a.DType.Size()
			v = float64(int64(b.Re<<unused) >> unused)
		}
		lo, hi = min(lo, v), max(hi, v)
	}
	return hi - lo
}

// TestSweepIsIn is every pair of dtypes over ordinary and extreme values.
func TestSweepIsIn(t *testing.T) { sweepIsIn(t, dtype.All()) }

func sweepIsIn(t *testing.T, dtypes []dtype.DType, extra ...ogive.Option) {
	shapes := [][]int{{}, {0}, {1}, {5}, {3, 7}, {2, 2, 5}, {40}}
	for _, edt := range dtypes {
		for _, tdt := range dtypes {
			name := fmt.Sprintf("%s/%s", edt, tdt)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := newSampler("isin" + name)
				for range testkit.Share(20) {
					es, ts := pick(s, shapes), pick(s, shapes)
					ek, tk := pick(s, testkit.Kinds(edt)), pick(s, testkit.Kinds(tdt))
					if s.chance(2) { // values that meet
						ek, tk = "smallrange", "smallrange"
					}
					el, tl := pick(s, layouts), pick(s, layouts)
					seed := s.rng.Uint64N(1000)
					note := fmt.Sprintf("%s%v %s %s in %s%v %s %s seed=%d", edt, es, ek, el.name, tdt, ts, tk, tl.name, seed)
					checkIsIn(t, el.lay(t, fill(ek, edt, seed, es...)), tl.lay(t, fill(tk, tdt, seed, ts...)), note, extra...)
				}
				note := fmt.Sprintf("borders of %s in %s", edt, tdt)
				checkIsIn(t, layouts[0].lay(t, borders(edt)), layouts[0].lay(t, borders(tdt)), note, extra...)
			})
		}
	}
}

// borders returns the values around which conversions between dtypes go
// wrong, as far as dt has them or rounds to them.
func borders(dt dtype.DType) *oracle.Array {
	if !dt.IsFloat() && !dt.IsComplex() {
		var v []int64
		for _, p := range []uint{7, 8, 11, 15, 16, 24, 31, 32, 53, 63, 64} {
			for d := range int64(5) {
				b := int64(1)<<(p%64) + d - 2
				v = append(v, b, -b)
			}
		}
		if dt.IsBool() {
			v = []int64{0, 1}
		}
		return oracle.Ints(dt, v)
	}
	part := map[dtype.DType]dtype.DType{dtype.Complex64: dtype.Float32, dtype.Complex128: dtype.Float64}[dt]
	if part == dtype.Invalid {
		part = dt
	}
	v := []float64{0, math.Copysign(0, -1), 0.1, 1.0 / 3, 0.5, 1e-8, 5e-324, 65504, 1e30, math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN()}
	for _, p := range []int{0, 7, 8, 11, 15, 16, 24, 31, 32, 53, 63, 64, -149, -1074} {
		b := math.Ldexp(1, p)
		v = append(v, b, -b, math.Nextafter(b, 0), math.Nextafter(b, 2*b), b+1, b-1)
	}
	a := oracle.Floats(part, v)
	if part == dt {
		return a
	}
	// Each value alone, with itself, and with a signed zero or NaN beside it.
	c := oracle.New(dt, 4*len(v))
	minus := oracle.Floats(part, []float64{math.Copysign(0, -1), math.NaN()})
	for i, b := range a.Bits {
		c.Bits[4*i].Re = b.Re
		c.Bits[4*i+1] = oracle.Bits{Re: b.Re, Im: b.Re}
		c.Bits[4*i+2] = oracle.Bits{Re: b.Re, Im: minus.Bits[0].Re}
		c.Bits[4*i+3] = oracle.Bits{Re: b.Re, Im: minus.Bits[1].Re}
	}
	return c
}

// TestSweepIsInLarge reaches the sizes at which auto changes its mind.
func TestSweepIsInLarge(t *testing.T) {
	sizes := [][2]int{{1, 3000}, {3000, 1}, {3000, 3000}, {20000, 100}, {100, 20000}}
	for _, dt := range dtype.All() {
		t.Run(dt.String(), func(t *testing.T) {
			for i, size := range sizes {
				if testing.Short() && i != 2 {
					continue
				}
				kinds := slices.DeleteFunc(testkit.Kinds(dt), func(k string) bool {
					return k != "bits" && k != "few1000" && k != "nanhalf" && k != "zipf"
				})
				kind := kinds[i%len(kinds)]
				note := fmt.Sprintf("%d in %d of %s %s", size[0], size[1], dt, kind)
				checkIsIn(t, layouts[0].lay(t, fill(kind, dt, 1, size[0])), layouts[2].lay(t, fill(kind, dt, 2, size[1])), note)
			}
		})
	}
}
