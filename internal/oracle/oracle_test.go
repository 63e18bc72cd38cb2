package oracle

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ogive-go/ogive/dtype"
)

var (
	inf  = math.Inf(1)
	nan  = math.NaN()
	half = []dtype.DType{dtype.Float16, dtype.BFloat16}
)

// floats reads a float64 array back.
func floats(a *Array) []float64 {
	out := make([]float64, len(a.Bits))
	for i, b := range a.Bits {
		out[i] = math.Float64frombits(b.Re)
	}
	return out
}

func ints(a *Array) []int64 {
	out := make([]int64, len(a.Bits))
	for i, b := range a.Bits {
		out[i] = int64(b.Re)
	}
	return out
}

func sameBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

func TestDecodeHalf(t *testing.T) {
	widen := map[dtype.DType]func(uint16) float64{
		dtype.Float16:  func(b uint16) float64 { return dtype.F16FromBits(b).Float64() },
		dtype.BFloat16: func(b uint16) float64 { return float64(math.Float32frombits(uint32(b) << 16)) },
	}
	for _, dt := range half {
		for b := range 1 << 16 {
			want := widen[dt](uint16(b))
			got := math.Float64frombits(roundTo(dtype.Float64, Decode(dt, uint64(b))))
			if !sameBits(got, want) && !math.IsNaN(want) || math.IsNaN(got) != math.IsNaN(want) {
				t.Fatalf("%s %#04x = %v, want %v", dt, b, got, want)
			}
			if back := roundTo(dt, Decode(dt, uint64(b))); back != uint64(b) && !math.IsNaN(want) {
				t.Fatalf("%s %#04x comes back as %#04x", dt, b, back)
			}
		}
	}
}

func TestRoundMatchesRat(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		m := new(big.Int).SetUint64(rng.Uint64())
		m.Lsh(m, uint(rng.IntN(40))).Add(m, big.NewInt(int64(rng.IntN(3)-1)))
		if rng.IntN(2) == 0 {
			m.Neg(m)
		}
		d := dyadic{m, rng.IntN(2300) - 1250}
		r := new(big.Rat).SetInt(m)
		if p := new(big.Int).Lsh(big.NewInt(1), uint(max(d.e, -d.e))); d.e >= 0 {
			r.Mul(r, new(big.Rat).SetInt(p))
		} else {
			r.Quo(r, new(big.Rat).SetInt(p))
		}
		w64, _ := r.Float64()
		if got := math.Float64frombits(d.round(dtype.Float64)); !sameBits(got, w64) {
			t.Fatalf("%v·2^%d as float64: %x, want %x", m, d.e, got, w64)
		}
		w32, _ := r.Float32()
		if got := math.Float32frombits(uint32(d.round(dtype.Float32))); got != w32 {
			t.Fatalf("%v·2^%d as float32: %x, want %x", m, d.e, got, w32)
		}
	}
}

func TestRoundHalfFormatsToNearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, dt := range half {
		f := formats[dt]
		for range 20000 {
			b := uint64(rng.IntN(int(f.inf())))
			lo, hi := f.decode(b), f.decode(b+1)
			if hi.class != finite {
				continue
			}
			mid := lo.dyadic().add(hi.dyadic())
			mid.e--
			even := b + b&1
			tiny := dyadic{big.NewInt(1), mid.e - 60}
			if got := mid.round(dt); got != even {
				t.Fatalf("%s: tie above %#x gives %#x, want %#x", dt, b, got, even)
			}
			if got := mid.add(tiny).round(dt); got != b+1 {
				t.Fatalf("%s: just above the tie over %#x gives %#x", dt, b, got)
			}
			if got := mid.add(tiny.neg()).round(dt); got != b {
				t.Fatalf("%s: just below the tie over %#x gives %#x", dt, b, got)
			}
		}
	}
}

// The values are NumPy 2.2's: np.quantile of 1, 2, 4, … at 0, .1, .25, .3, .5,
// .875, 1 for 5 and for 8 values.
func TestMethodsAgainstNumPy(t *testing.T) {
	table := map[string][14]float64{
		"linear":                    {1.0, 1.4, 2.0, 2.4, 4.0, 12.0, 16.0, 1.0, 1.7000000000000002, 3.5, 4.4, 12.0, 72.0, 128.0},
		"lower":                     {1.0, 1.0, 2.0, 2.0, 4.0, 8.0, 16.0, 1.0, 1.0, 2.0, 4.0, 8.0, 64.0, 128.0},
		"higher":                    {1.0, 2.0, 2.0, 4.0, 4.0, 16.0, 16.0, 1.0, 2.0, 4.0, 8.0, 16.0, 128.0, 128.0},
		"nearest":                   {1.0, 1.0, 2.0, 2.0, 4.0, 16.0, 16.0, 1.0, 2.0, 4.0, 4.0, 16.0, 64.0, 128.0},
		"midpoint":                  {1.0, 1.5, 2.0, 3.0, 4.0, 12.0, 16.0, 1.0, 1.5, 3.0, 6.0, 12.0, 96.0, 128.0},
		"inverted_cdf":              {1.0, 1.0, 2.0, 2.0, 4.0, 16.0, 16.0, 1.0, 1.0, 2.0, 4.0, 8.0, 64.0, 128.0},
		"averaged_inverted_cdf":     {1.0, 1.0, 2.0, 2.0, 4.0, 16.0, 16.0, 1.0, 1.0, 3.0, 4.0, 12.0, 96.0, 128.0},
		"closest_observation":       {1.0, 1.0, 1.0, 2.0, 2.0, 8.0, 16.0, 1.0, 1.0, 2.0, 2.0, 8.0, 64.0, 128.0},
		"interpolated_inverted_cdf": {1.0, 1.0, 1.25, 1.5, 3.0, 11.0, 16.0, 1.0, 1.0, 2.0, 2.8, 8.0, 64.0, 128.0},
		"hazen":                     {1.0, 1.0, 1.75, 2.0, 4.0, 15.0, 16.0, 1.0, 1.3, 3.0, 3.8, 12.0, 96.0, 128.0},
		"weibull":                   {1.0, 1.0, 1.5, 1.8, 4.0, 16.0, 16.0, 1.0, 1.0, 2.5, 3.3999999999999995, 12.0, 120.0, 128.0},
		"median_unbiased":           {1.0, 1.0, 1.6666666666666667, 1.9333333333333333, 4.0, 16.0, 16.0, 1.0, 1.1666666666666667, 2.833333333333333, 3.666666666666666, 12.0, 104.0, 128.0},
		"normal_unbiased":           {1.0, 1.0, 1.6875, 1.95, 4.0, 15.75, 16.0, 1.0, 1.2000000000000002, 2.875, 3.7, 12.0, 102.0, 128.0},
	}
	qs := []float64{0, .1, .25, .3, .5, .875, 1}
	x := []float64{1, 2, 4, 8, 16, 32, 64, 128}
	for m, want := range table {
		var got []float64
		for _, n := range []int{5, 8} {
			a, err := Quantile(Floats(dtype.Float64, x[:n]), Ats(qs...), false, Options{Method: m})
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, floats(a)...)
		}
		for i := range want {
			if math.Abs(got[i]-want[i]) > 4e-15*want[i] {
				t.Errorf("%s #%d: %v, want %v", m, i, got[i], want[i])
			}
		}
	}
}

func TestInterpolateFixtures(t *testing.T) {
	negZero := math.Copysign(0, -1)
	for _, c := range []struct {
		x    []float64
		q    float64
		want float64
	}{
		{[]float64{-1, -0x1p-60}, 0x3p-54, -0x1.fffffffffffffp-1},
		{[]float64{5e-324, 1.5e-323}, .75, 1e-323},
		{[]float64{inf, inf}, .5, inf},
		{[]float64{0, inf}, .5, inf},
		{[]float64{-inf, 0}, .5, -inf},
		{[]float64{-inf, inf}, .5, nan},
		{[]float64{-inf, inf}, 0, -inf},
		{[]float64{-inf, inf}, 1, inf},
		{[]float64{-1.7e308, 1.7e308}, .5, 0},
		{[]float64{-math.MaxFloat64, math.MaxFloat64}, .75, math.MaxFloat64 / 2},
		{[]float64{0, negZero}, .5, negZero},
		{[]float64{0, negZero}, 1, 0},
		{[]float64{0, negZero}, 0, negZero},
		{[]float64{negZero, negZero}, 1, negZero},
		{[]float64{-5e-324, 0}, .75, negZero},
		{[]float64{1, nan, 2}, .5, nan},
	} {
		a, err := Quantile(Floats(dtype.Float64, c.x), Ats(c.q), true, Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := math.Float64bits(c.want)
		if math.IsNaN(c.want) {
			want = 0x7FF8000000000000
		}
		if a.Bits[0].Re != want {
			t.Errorf("%v at %v = %#x, want %#x", c.x, c.q, a.Bits[0].Re, want)
		}
	}
}

func TestIntegerFixtures(t *testing.T) {
	q := func(dt dtype.DType, v []int64, q Q, m string) *Array {
		t.Helper()
		a, err := Quantile(Ints(dt, v), []Q{q}, true, Options{Method: m})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if a := q(dtype.Int8, []int64{-128, 127}, At(.5), ""); floats(a)[0] != -0.5 || a.DType != dtype.Float64 {
		t.Errorf("int8 extremes: %v %v", a.DType, floats(a))
	}
	if a := q(dtype.Int64, []int64{math.MinInt64, math.MaxInt64}, At(.5), ""); floats(a)[0] != -0.5 {
		t.Errorf("int64 extremes: %v", floats(a))
	}
	if a := q(dtype.Bool, []int64{0, 1}, At(.25), ""); floats(a)[0] != .25 {
		t.Errorf("bool: %v", floats(a))
	}
	if a := q(dtype.Int64, []int64{5, 1<<53 + 1}, At(1), "higher"); a.DType != dtype.Int64 || ints(a)[0] != 1<<53+1 {
		t.Errorf("higher of int64: %v %v", a.DType, ints(a))
	}
	seq := make([]int64, 101)
	for i := range seq {
		seq[i] = int64(i)
	}
	if a := q(dtype.Int64, seq, At(.29), "lower"); ints(a)[0] != 28 {
		t.Errorf("lower .29 of 101: %v, want 28", ints(a))
	}
	if a := q(dtype.Int64, seq, Ratio(29, 100), "lower"); ints(a)[0] != 29 {
		t.Errorf("lower 29/100 of 101: %v, want 29", ints(a))
	}
	if a := q(dtype.Int64, seq, Percent(29), "lower"); ints(a)[0] != 28 {
		t.Errorf("lower 29%% of 101: %v, want 28", ints(a))
	}
}

// Where q is a dyadic fraction and n small, float64 ranks are exact.
func TestExactRanksMatchFloatRanks(t *testing.T) {
	exact := append(slices.Clone(Discrete), "linear", "midpoint", "averaged_inverted_cdf", "interpolated_inverted_cdf",
		"hazen", "weibull", "normal_unbiased")
	for _, m := range exact {
		for n := int64(1); n < 40; n++ {
			for num := int64(0); num <= 64; num++ {
				a, b := Ranks(n, Ratio(num, 64), m), Ranks(n, At(float64(num)/64), m)
				if a.Exact != nil && a.Exact.Cmp(new(big.Rat).SetFloat64(b.G)) != 0 || a.Lo != b.Lo || a.Hi != b.Hi || a.G != b.G {
					t.Fatalf("%s n=%d q=%d/64: exact %v, float %v", m, n, num, a, b)
				}
			}
		}
	}
	if p := Ranks(10, Ratio(1, 3), "median_unbiased"); p.Lo != 2 || p.G != 7.0/9 {
		t.Errorf("median_unbiased 1/3 of 10: %+v, want lo 2, g 7/9", p) // 10/3 + 4/9 - 1 = 25/9
	}
	if p := Ranks(1<<53-1, At(1), "linear"); p.Lo != 1<<53-2 || p.Hi != 1<<53-2 {
		t.Errorf("last of 2^53-1: %+v", p)
	}
}

// A fraction's weight is not rounded before the value is.
func TestFractionsRoundOnce(t *testing.T) {
	for _, c := range []struct {
		a, b, want float64
		num, den   int64
	}{{-3, 2, 0, 3, 5}, {0, 10, 3.3333333333333335, 1, 3}, {-1, 0, -0x1p-63, math.MaxInt64 - 1, math.MaxInt64}} {
		v, err := Quantile(Floats(dtype.Float64, []float64{c.a, c.b}), []Q{Ratio(c.num, c.den)}, true, Options{})
		if got := math.Float64frombits(v.Bits[0].Re); err != nil || got != c.want {
			t.Errorf("%v, %v at %d/%d: %v, want %v (%v)", c.a, c.b, c.num, c.den, got, c.want, err)
		}
	}
}

func TestMedianAndIndices(t *testing.T) {
	x := Floats(dtype.Float64, []float64{3, 1, 3, 1})
	v, i, err := MedianWithIndex(x, "lower", Options{})
	if err != nil || floats(v)[0] != 1 || ints(i)[0] != 3 {
		t.Errorf("lower: %v %v %v", floats(v), ints(i), err)
	}
	v, i, err = MedianWithIndex(x, "upper", Options{})
	if err != nil || floats(v)[0] != 3 || ints(i)[0] != 0 {
		t.Errorf("upper: %v %v %v", floats(v), ints(i), err)
	}
	if _, _, err = MedianWithIndex(x, "avg", Options{}); err != ErrOption {
		t.Errorf("avg with index: %v", err)
	}
	x = Floats(dtype.Float64, []float64{0, math.Copysign(0, -1), 0, 5, nan, nan}, 2, 3)
	_, i, err = MedianWithIndex(x, "lower", Options{Axes: []int{1}})
	if err != nil || !slices.Equal(ints(i), []int64{0, 1}) {
		t.Errorf("signed zeros and NaN: %v %v", ints(i), err)
	}
	x = Floats(dtype.Float64, []float64{nan, nan, 1, nan}, 2, 2)
	v, i, err = MedianWithIndex(x, "lower", Options{Axes: []int{-1}, SkipNaN: true})
	if err != nil || !slices.Equal(ints(i), []int64{-1, 0}) || v.Bits[0].Re != 0x7FF8000000000000 {
		t.Errorf("nanmedian: %v %v %v", floats(v), ints(i), err)
	}
}

func TestWeights(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	methods := append(slices.Clone(Discrete), Interpolating...)
	for range 300 {
		n := 1 + rng.IntN(9)
		v, w := make([]float64, n), make([]int64, n)
		var repeated []float64
		var from []int64
		w[rng.IntN(n)] = 1
		for i := range v {
			v[i] = float64(rng.IntN(5))
			w[i] += int64(rng.IntN(4))
			for range w[i] {
				repeated, from = append(repeated, v[i]), append(from, int64(i))
			}
		}
		q := At(float64(rng.IntN(21)) / 20)
		for _, m := range methods {
			o := Options{Method: m, Weights: Ints(dtype.Uint16, w)}
			got, err := Quantile(Floats(dtype.Float64, v), []Q{q}, true, o)
			want, err2 := Quantile(Floats(dtype.Float64, repeated), []Q{q}, true, Options{Method: m})
			if err != nil || err2 != nil || got.Bits[0] != want.Bits[0] {
				t.Fatalf("%s %v of %v × %v: %v %v, want %v %v", m, q, v, w, got, err, want, err2)
			}
			if !isDiscrete(m) {
				continue
			}
			gi, err := ArgQuantile(Floats(dtype.Float64, v), []Q{q}, true, o)
			wi, err2 := ArgQuantile(Floats(dtype.Float64, repeated), []Q{q}, true, Options{Method: m})
			if err != nil || err2 != nil || ints(gi)[0] != from[ints(wi)[0]] {
				t.Fatalf("%s %v of %v × %v: index %v", m, q, v, w, gi)
			}
		}
	}
	x := Floats(dtype.Float64, []float64{3, 1, 2})
	o := Options{Method: "inverted_cdf", Weights: Floats(dtype.Float64, []float64{.25, 0, .75})}
	for q, want := range map[float64]float64{0: 2, .75: 2, .7500001: 3, 1: 3} {
		if a, err := Quantile(x, Ats(q), true, o); err != nil || floats(a)[0] != want {
			t.Errorf("weighted at %v: %v %v, want %v", q, a, err, want)
		}
	}
	for _, bad := range []*Array{
		Floats(dtype.Float64, []float64{1, -1, 1}), Floats(dtype.Float64, []float64{1, nan, 1}),
		Floats(dtype.Float64, []float64{1, inf, 1}), Floats(dtype.Float64, []float64{0, 0, 0}),
		Floats(dtype.Float64, []float64{1, 1}), Ints(dtype.Int8, []int64{1, -1, 1}),
		Ints(dtype.Int64, []int64{1 << 53, 0, 0}),
	} {
		o.Weights = bad
		if _, err := Quantile(x, Ats(.5), true, o); err != ErrWeights {
			t.Errorf("weights %v: %v", bad, err)
		}
	}
	o = Options{Weights: Floats(dtype.Float64, []float64{1, 1, 1})}
	if _, err := Quantile(x, Ats(.5), true, o); err != ErrMethod {
		t.Errorf("float weights with linear: %v", err)
	}
	withNaN := Floats(dtype.Float64, []float64{1, nan, 2})
	o = Options{Method: "lower", Weights: Ints(dtype.Int64, []int64{0, 3, 0})}
	a, err := Quantile(withNaN, Ats(.5), true, o)
	if err != nil || !math.IsNaN(floats(a)[0]) {
		t.Errorf("NaN with weight: %v %v", a, err)
	}
	o.SkipNaN = true
	a, err = Quantile(withNaN, Ats(.5), true, o)
	if err != nil || !math.IsNaN(floats(a)[0]) {
		t.Errorf("no weight left: %v %v", a, err)
	}
}

func TestWeightShapes(t *testing.T) {
	x := Ints(dtype.Int32, []int64{1, 2, 3, 4, 5, 6}, 1, 2, 3)
	// Along the axes (2, 1), in that order: weight of x[0, i, j] is w[j, i].
	w := Ints(dtype.Int32, []int64{0, 0, 0, 0, 1, 0}, 3, 2)
	a, err := Quantile(x, Ats(.5), true, Options{Axes: []int{2, 1}, Method: "lower", Weights: w})
	if err != nil || ints(a)[0] != 3 {
		t.Errorf("weights along (2, 1): %v %v, want 3", a, err)
	}
}

func TestShapesAndErrors(t *testing.T) {
	x := New(dtype.Float32, 2, 3, 4)
	two := Ats(.1, .9)
	for _, c := range []struct {
		axes       []int
		drop, keep []int
	}{
		{nil, []int{2}, []int{2, 1, 1, 1}},
		{[]int{0}, []int{2, 3, 4}, []int{2, 1, 3, 4}},
		{[]int{-1}, []int{2, 2, 3}, []int{2, 2, 3, 1}},
		{[]int{2, 0}, []int{2, 3}, []int{2, 1, 3, 1}},
	} {
		for _, keep := range []bool{false, true} {
			a, err := Quantile(x, two, false, Options{Axes: c.axes, KeepDims: keep})
			want := c.drop
			if keep {
				want = c.keep
			}
			if err != nil || !slices.Equal(a.Shape, want) {
				t.Errorf("axes %v keep %v: %v %v", c.axes, keep, a, err)
			}
		}
	}
	for _, c := range []struct {
		x    *Array
		qs   []Q
		o    Options
		want error
	}{
		{nil, two, Options{}, ErrShape},
		{New(dtype.Complex64, 2), two, Options{}, ErrDType},
		{x, two, Options{Method: "liner"}, ErrMethod},
		{x, nil, Options{}, ErrQ},
		{x, Ats(nan), Options{}, ErrQ},
		{x, Ats(1.5), Options{}, ErrQ},
		{x, []Q{Percent(101)}, Options{}, ErrQ},
		{x, []Q{Ratio(1, 0)}, Options{}, ErrQ},
		{x, []Q{Ratio(3, 2)}, Options{}, ErrQ},
		{x, two, Options{Axes: []int{}}, ErrAxis},
		{x, two, Options{Axes: []int{3}}, ErrAxis},
		{x, two, Options{Axes: []int{0, -3}}, ErrAxis},
		{New(dtype.Float32), two, Options{Axes: []int{0, -1}}, ErrAxis},
		{New(dtype.Float32, 0, 3), two, Options{Axes: []int{0}}, ErrEmpty},
		{New(dtype.Float32, 0, 3), two, Options{Axes: []int{1}}, nil},
		{New(dtype.Float32, 0, 3), two, Options{Axes: []int{0}, SkipNaN: true}, nil},
		{New(dtype.Int8, 0, 3), two, Options{Axes: []int{0}, SkipNaN: true}, nil},
		{New(dtype.Int8, 0, 3), two, Options{Axes: []int{0}, SkipNaN: true, Method: "lower"}, ErrEmpty},
	} {
		if _, err := Quantile(c.x, c.qs, false, c.o); err != c.want {
			t.Errorf("%+v: %v, want %v", c.o, err, c.want)
		}
	}
	if a, err := Median(New(dtype.Int8, 0), "avg", Options{}); err != nil || !math.IsNaN(floats(a)[0]) {
		t.Errorf("median of no int8: %v %v", a, err)
	}
	if _, err := Median(New(dtype.Int8, 0), "lower", Options{}); err != ErrEmpty {
		t.Errorf("lower median of no int8: %v", err)
	}
}

func TestIsIn(t *testing.T) {
	f32 := Floats(dtype.Float32, []float64{.1})
	for _, c := range []struct {
		name string
		e, t *Array
		o    IsInOptions
		want uint64
	}{
		{"2^53+1 in float 2^53", Ints(dtype.Int64, []int64{1<<53 + 1}), Floats(dtype.Float64, []float64{1 << 53}), IsInOptions{}, 0},
		{"2^53 in float 2^53", Ints(dtype.Int64, []int64{1 << 53}), Floats(dtype.Float64, []float64{1 << 53}), IsInOptions{}, 1},
		{"uint64 2^63+1 in int64", Ints(dtype.Uint64, []int64{math.MinInt64 + 1}), Ints(dtype.Int64, []int64{math.MaxInt64}), IsInOptions{}, 0},
		{"255 in -1", Ints(dtype.Uint8, []int64{255}), Ints(dtype.Int8, []int64{-1}), IsInOptions{}, 0},
		{"float32 .1 in .1", f32, Floats(dtype.Float64, []float64{.1}), IsInOptions{}, 0},
		{"-0 in 0", Floats(dtype.Float16, []float64{math.Copysign(0, -1)}), Ints(dtype.Bool, []int64{0}), IsInOptions{}, 1},
		{"nan", Floats(dtype.Float16, []float64{nan}), Floats(dtype.Float64, []float64{nan}), IsInOptions{}, 0},
		{"equal nan", Floats(dtype.Float16, []float64{nan}), Floats(dtype.Float64, []float64{nan}), IsInOptions{EqualNaN: true}, 1},
		{"inf", Floats(dtype.Float16, []float64{inf}), Floats(dtype.Float64, []float64{inf}), IsInOptions{Invert: true}, 0},
		{"empty test", f32, New(dtype.Int8, 0), IsInOptions{Invert: true}, 1},
		{"true in 1+0i", Ints(dtype.Bool, []int64{1}), &Array{dtype.Complex64, []int{1}, []Bits{{0x3F800000, 0x80000000}}}, IsInOptions{}, 1},
		{"1 in 1+1i", Ints(dtype.Bool, []int64{1}), &Array{dtype.Complex64, []int{1}, []Bits{{0x3F800000, 0x3F800000}}}, IsInOptions{}, 0},
	} {
		a, err := IsIn(c.e, c.t, c.o)
		if err != nil || a.Bits[0].Re != c.want {
			t.Errorf("%s: %v %v", c.name, a, err)
		}
	}
	table := IsInOptions{Kind: "table"}
	if _, err := IsIn(f32, f32, table); err != ErrDType {
		t.Errorf("table of floats: %v", err)
	}
	if _, err := IsIn(New(dtype.Int8, 1), Ints(dtype.Int64, []int64{1, 1e14}), table); err != ErrOption {
		t.Errorf("huge table: %v", err)
	}
	if _, err := IsIn(New(dtype.Int8, 1), Ints(dtype.Int64, []int64{-1, tableLimit - 2}), table); err != nil {
		t.Errorf("table of exactly 1 GiB: %v", err)
	}
	if _, err := IsIn(f32, f32, IsInOptions{Kind: "foo"}); err != ErrOption {
		t.Errorf("unknown kind: %v", err)
	}
}

func TestPredicates(t *testing.T) {
	// NaN with sign, -Inf, -0, 1.
	x := &Array{dtype.Float32, []int{4}, []Bits{{Re: 0xFFC00001}, {Re: 0xFF800000}, {Re: 0x80000000}, {Re: 0x3F800000}}}
	// (nan, inf), (1, nan), (nan, -0), (inf, 0)
	z := &Array{dtype.Complex64, []int{4}, []Bits{{0x7FC00000, 0x7F800000}, {0x3F800000, 0x7FC00000},
		{0x7FC00000, 0x80000000}, {0x7F800000, 0}}}
	for name, want := range map[string][2]string{
		"isposinf": {"0000", "ErrDType"}, "isneginf": {"0100", "ErrDType"}, "isinf": {"0100", "1001"},
		"isnan": {"1000", "1110"}, "isfinite": {"0011", "0000"}, "signbit": {"1110", "ErrDType"}, "isreal": {"1111", "0011"},
	} {
		for i, a := range []*Array{x, z} {
			out, err := Predicate(name, a)
			got := ""
			if err != nil {
				got = err.Error()
			} else {
				for _, b := range out.Bits {
					got += string('0' + rune(b.Re))
				}
			}
			if got != want[i] {
				t.Errorf("%s of %s: %s, want %s", name, a.DType, got, want[i])
			}
		}
	}
}

func TestBytesRoundTrip(t *testing.T) {
	b := make([]byte, 48)
	for i := range b {
		b[i] = byte(i * 7)
	}
	for _, dt := range dtype.All() {
		if got := FromBytes(dt, b).Bytes(); !slices.Equal(got, b) {
			t.Errorf("%s: % x", dt, got)
		}
	}
}
