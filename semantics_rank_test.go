package ogive_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/rank"
)

// TestMethodsOnTenValues is a quartile of 1 … 10 under every method, by the
// formulas of Hyndman and Fan; R's quantile(1:10, .25, type = 1 … 9) agrees.
func TestMethodsOnTenValues(t *testing.T) {
	x := vec(1.0, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	want := map[string]float64{
		"linear": 3.25, "lower": 3, "higher": 4, "nearest": 3, "nearest_down": 3, "midpoint": 3.5,
		"inverted_cdf": 3, "averaged_inverted_cdf": 3, "closest_observation": 2,
		"interpolated_inverted_cdf": 2.5, "hazen": 3, "weibull": 2.75,
		"median_unbiased": 0x1.7555555555555p+1, "normal_unbiased": 2.9375,
		"type1": 3, "type2": 3, "type3": 2, "type4": 2.5, "type5": 3, "type6": 2.75, "type7": 3.25,
		"type8": 0x1.7555555555555p+1, "type9": 2.9375,
	}
	for name, v := range want {
		m, err := rank.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := x.Quantile(0.25, ogive.Method(m))
		wantFloats(t, name, got, err, scalar, v)
		delete(want, m.String())
	}
	for name := range want {
		if name[:4] != "type" {
			t.Errorf("%s was not reached", name)
		}
	}
	for _, m := range rank.Methods() {
		if _, err := x.Quantile(0.25, ogive.Method(m)); err != nil {
			t.Errorf("%v: %v", m, err)
		}
	}
}

// TestMethodsOnTies is (n-1)q and nq at exact halves and integers, where the
// discrete methods differ.
func TestMethodsOnTies(t *testing.T) {
	cases := []struct {
		n    int
		q    float64
		want map[rank.Method]float64
	}{
		{2, 0.5, map[rank.Method]float64{rank.Nearest: 1, rank.NearestDown: 1, rank.InvertedCDF: 1, rank.AveragedInvertedCDF: 1.5, rank.ClosestObservation: 1}},
		{4, 0.5, map[rank.Method]float64{rank.Nearest: 3, rank.NearestDown: 2, rank.InvertedCDF: 2, rank.AveragedInvertedCDF: 2.5, rank.ClosestObservation: 2, rank.Midpoint: 2.5}},
		{6, 0.5, map[rank.Method]float64{rank.Nearest: 3, rank.NearestDown: 3, rank.InvertedCDF: 3, rank.AveragedInvertedCDF: 3.5, rank.ClosestObservation: 3}},
		{6, 0.25, map[rank.Method]float64{rank.ClosestObservation: 2, rank.InvertedCDF: 2, rank.AveragedInvertedCDF: 2}},
		{10, 0.25, map[rank.Method]float64{rank.ClosestObservation: 2, rank.InvertedCDF: 3}},
		{10, 0.45, map[rank.Method]float64{rank.ClosestObservation: 4, rank.InvertedCDF: 5}},
		{5, 0.5, map[rank.Method]float64{rank.Midpoint: 3, rank.Nearest: 3, rank.AveragedInvertedCDF: 3, rank.ClosestObservation: 2}},
	}
	for _, c := range cases {
		v := make([]float64, c.n)
		for i := range v {
			v[i] = float64(i + 1)
		}
		for m, want := range c.want {
			got, err := of(v).Quantile(c.q, ogive.Method(m))
			wantFloats(t, fmt.Sprintf("%v of 1…%d at %v", m, c.n, c.q), got, err, scalar, want)
		}
	}
}

// TestClippedRanks are the ends, where v leaves [0, n-1].
func TestClippedRanks(t *testing.T) {
	x := vec(1.0, 2, 4)
	for _, m := range rank.Methods() {
		got, err := x.Quantiles([]float64{0, negZero, 5e-324, 1}, ogive.Method(m))
		first := 1.0
		if m == rank.Higher {
			// ceil((n-1)·5e-324) is 1.
			wantFloats(t, m.String(), got, err, []int{4}, 1, 1, 2, 4)
			continue
		}
		second := first
		if m == rank.Midpoint {
			second = 1.5
		}
		wantFloats(t, m.String(), got, err, []int{4}, first, first, second, 4)
	}
	single, err := vec(7.0).Quantiles([]float64{0, 0.3, 1}, ogive.Method(rank.Weibull))
	wantFloats(t, "one value", single, err, []int{3}, 7, 7, 7)
}

// TestRankUsesFloat64OfQ is n = 101 at q = .29: (n-1)·.29 is 28.999…96 in
// float64, while 29/100 names index 29 exactly.
func TestRankUsesFloat64OfQ(t *testing.T) {
	v := make([]float64, 101)
	for i := range v {
		v[i] = float64(i)
	}
	x := of(v)
	got, err := x.Quantile(0.29, ogive.Method(rank.Lower))
	wantFloats(t, "lower at .29", got, err, scalar, 28)
	got, err = x.Percentile(29, ogive.Method(rank.Lower))
	wantFloats(t, "lower at 29 percent", got, err, scalar, 28)
	got, err = x.QuantileRatio(29, 100, ogive.Method(rank.Lower))
	wantFloats(t, "lower at 29/100", got, err, scalar, 29)
	got, err = x.QuantileRatio(29, 100)
	wantFloats(t, "linear at 29/100", got, err, scalar, 29)
	got, err = x.Quantile(0.29)
	wantFloats(t, "linear at .29", got, err, scalar, 0x1.cffffffffffffp+4)
}

// TestRatioDecidesTiesExactly are fractions that float64 cannot hold.
func TestRatioDecidesTiesExactly(t *testing.T) {
	x := vec(0.0, 1, 2, 3) // (n-1)/3 = 1, (n-1)·2/3 = 2
	for _, m := range []rank.Method{rank.Linear, rank.Lower, rank.Higher, rank.Nearest, rank.NearestDown, rank.Midpoint} {
		got, err := x.QuantileRatios([]int64{0, 1, 2, 3}, 3, ogive.Method(m))
		wantFloats(t, "thirds, "+m.String(), got, err, []int{4}, 0, 1, 2, 3)
	}
	// v = nq + (1/3 + q/3) - 1 = 2 at q = 8/13, for n = 4.
	got, err := x.QuantileRatio(8, 13, ogive.Method(rank.MedianUnbiased))
	wantFloats(t, "median_unbiased at 8/13", got, err, scalar, 2)
	got, err = x.QuantileRatio(math.MaxInt64, math.MaxInt64)
	wantFloats(t, "the largest fraction", got, err, scalar, 3)
	got, err = x.QuantileRatio(1, math.MaxInt64, ogive.Method(rank.Higher))
	wantFloats(t, "the smallest fraction, higher", got, err, scalar, 1)
	got, err = vec(nan, 0, 1, 2, 3).NaNQuantileRatio(1, 3)
	wantFloats(t, "nanquantile at 1/3", got, err, scalar, 1)
	got, err = vec(nan, 0, 1, 2, 3).NaNQuantileRatios([]int64{2, 1}, 3)
	wantFloats(t, "nanquantile at 2/3, 1/3", got, err, []int{2}, 2, 1)
}

// TestSmallestAndLargestQ are q that vanish or turn into 1 in careless
// arithmetic.
func TestSmallestAndLargestQ(t *testing.T) {
	cases := []struct {
		lo, hi, q, want float64
	}{
		{0, 1, 5e-324, 5e-324}, {1, 2, 5e-324, 1}, {0, 4, 5e-324, 2e-323},
		{0, 1, 0x3p-54, 0x3p-54}, {1, 2, 0x3p-54, 1 + 0x1p-52}, {-1, 0, 0x3p-54, -1 + 0x3p-54},
		{0, 1, 1 - 0x1p-53, 1 - 0x1p-53}, {1, 2, 1 - 0x1p-53, 2}, {-1, 0, 1 - 0x1p-53, -0x1p-53},
	}
	for _, c := range cases {
		got, err := vec(c.hi, c.lo).Quantile(c.q)
		wantFloats(t, fmt.Sprintf("[%v, %v] at %x", c.lo, c.hi, c.q), got, err, scalar, c.want)
	}
	x := vec(1.0, 2, 3)
	got, err := x.Quantiles([]float64{5e-324, 0x3p-54, 1 - 0x1p-53}, ogive.Method(rank.Higher))
	wantFloats(t, "higher", got, err, []int{3}, 2, 2, 3)
	got, err = x.Quantiles([]float64{5e-324, 0x3p-54, 1 - 0x1p-53}, ogive.Method(rank.Lower))
	wantFloats(t, "lower", got, err, []int{3}, 1, 1, 2)
	got, err = x.Quantiles([]float64{5e-324, 0x3p-54, 1 - 0x1p-53}, ogive.Method(rank.InvertedCDF))
	wantFloats(t, "inverted_cdf", got, err, []int{3}, 1, 1, 3)
}

// TestHalfRanksBeyondHalfRange has more values than a float16 or a bfloat16
// can count: 65 521 and 2^17. Rank r has the pattern r/32.
func TestHalfRanksBeyondHalfRange(t *testing.T) {
	for _, dt := range []dtype.DType{dtype.Float16, dtype.BFloat16} {
		for _, n := range []int{65521, 1 << 17} {
			bits := make([]uint64, n)
			at := shuffled(n)
			for r := range n {
				bits[at(r)] = uint64(r / 32)
			}
			x := fromBits(t, dt, bits)
			qs := []float64{0, 0.1, 0.5, 0.9, 1}
			// n-1 = 65 520: ranks 0, 6552, 32760, 58968, 65520. n-1 = 131 071:
			// 13107.1, 65535.5 between the patterns 2047 and 2048 (a tie),
			// 117963.9.
			low, high, mean := []uint64{0, 204, 1023, 1842, 2047}, []uint64{0, 204, 1023, 1842, 2047}, []uint64{0, 204, 1023, 1842, 2047}
			if n == 1<<17 {
				low, high, mean = []uint64{0, 409, 2047, 3686, 4095}, []uint64{0, 409, 2048, 3686, 4095}, []uint64{0, 409, 2048, 3686, 4095}
			}
			for i, want := range [][]uint64{low, high, mean} {
				m := []rank.Method{rank.Lower, rank.Higher, rank.Linear}[i]
				got, err := x.Quantiles(qs, ogive.Method(m))
				wantBits(t, fmt.Sprintf("%v, n = %d, %v", dt, n, m), got, err, dt, []int{5}, want...)
			}
			got, err := x.Median()
			wantBits(t, fmt.Sprintf("%v, n = %d, median", dt, n), got, err, dt, scalar, mean[2])
		}
	}
}

// TestFloat32RanksBeyondItsPrecision has around 2^24 distinct values: the
// pattern of rank r is that of 1 plus r.
func TestFloat32RanksBeyondItsPrecision(t *testing.T) {
	if testing.Short() {
		t.Skip("three times 64 MB")
	}
	const one = 0x3F800000
	qs := []float64{0, 0x1p-24, 0.25, 0.5, 1 - 0x1p-24, 1}
	cases := []struct {
		n         int
		low, high []uint64 // ranks
		linear    []uint64 // bits less those of 1
	}{
		// (n-1)q: 0, 1-2^-23, 2^22-.5, 2^23-1, 2^24-3+2^-23, 2^24-2; nearer to
		// 1, to a tie, exact, nearer to 2^24-3.
		{1<<24 - 1, []uint64{0, 0, 1<<22 - 1, 1<<23 - 1, 1<<24 - 3, 1<<24 - 2}, []uint64{0, 1, 1 << 22, 1<<23 - 1, 1<<24 - 2, 1<<24 - 2},
			[]uint64{0, 1, 1 << 22, 1<<23 - 1, 1<<24 - 3, 1<<24 - 2}},
		{1<<24 + 1, []uint64{0, 1, 1 << 22, 1 << 23, 1<<24 - 1, 1 << 24}, []uint64{0, 1, 1 << 22, 1 << 23, 1<<24 - 1, 1 << 24},
			[]uint64{0, 1, 1 << 22, 1 << 23, 1<<24 - 1, 1 << 24}},
		// n-1 = 17·2^20-1: 1.0625-2^-24, 17·2^18-.25, 17·2^19-.5, 17·2^20-2-…
		{1<<24 + 1<<20, []uint64{0, 1, 17<<18 - 1, 17<<19 - 1, 17<<20 - 3, 17<<20 - 1}, []uint64{0, 2, 17 << 18, 17 << 19, 17<<20 - 2, 17<<20 - 1},
			[]uint64{0, 1, 17 << 18, 17 << 19, 17<<20 - 2, 17<<20 - 1}},
	}
	for _, c := range cases {
		v := make([]float32, c.n)
		at := shuffled(c.n)
		for r := range c.n {
			v[at(r)] = math.Float32frombits(one + uint32(r))
		}
		x := of(v)
		check := func(m rank.Method, ranks []uint64) {
			want := make([]uint64, len(ranks))
			for i, r := range ranks {
				want[i] = one + r
			}
			got, err := x.Quantiles(qs, ogive.Method(m))
			wantBits(t, fmt.Sprintf("n = %d, %v", c.n, m), got, err, dtype.Float32, []int{len(qs)}, want...)
		}
		check(rank.Lower, c.low)
		check(rank.Higher, c.high)
		check(rank.Linear, c.linear)
		places := make([]int64, len(qs))
		for i, r := range c.low {
			places[i] = int64(at(int(r)))
		}
		got, err := x.ArgQuantiles(qs, ogive.Method(rank.Lower))
		wantInts(t, fmt.Sprintf("n = %d, places", c.n), got, err, []int{len(qs)}, places...)
	}
}
