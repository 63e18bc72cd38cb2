package ogive_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/rank"
)

// TestInfinities are the interpolations where NumPy and torch give NaN or -inf.
func TestInfinities(t *testing.T) {
	cases := []struct {
		x    []float64
		q    float64
		want float64
	}{
		{[]float64{inf, inf}, 0.5, inf}, {[]float64{-inf, -inf}, 0.5, -inf}, {[]float64{0, inf}, 0.5, inf},
		{[]float64{-inf, 0}, 0.5, -inf}, {[]float64{0, inf}, 5e-324, inf}, {[]float64{-inf, 0}, 1 - 0x1p-53, -inf},
		{[]float64{0, inf}, 0, 0}, {[]float64{-inf, 0}, 1, 0}, {[]float64{inf, 0}, 1, inf}, {[]float64{0, -inf}, 0, -inf},
		{[]float64{-inf, inf}, 0.5, nan}, {[]float64{-inf, inf}, 0, -inf}, {[]float64{-inf, inf}, 1, inf}, {[]float64{-inf, inf}, 0.1, nan},
		{[]float64{-inf, 5, inf}, 0.5, 5}, {[]float64{inf}, 0.5, inf}, {[]float64{-inf, -inf, inf, inf}, 0.5, nan}, {[]float64{1, inf, inf, inf}, 0.5, inf},
		{[]float64{-1.7e308, 1.7e308}, 0.5, 0}, {[]float64{-math.MaxFloat64, math.MaxFloat64}, 0.75, math.MaxFloat64 / 2},
		{[]float64{math.MaxFloat64, math.MaxFloat64}, 0.5, math.MaxFloat64}, {[]float64{math.MaxFloat64, math.Nextafter(math.MaxFloat64, 0)}, 0.5, math.Nextafter(math.MaxFloat64, 0)},
	}
	for _, c := range cases {
		what := fmt.Sprintf("quantile(%v, %v)", c.x, c.q)
		got, err := of(c.x).Quantile(c.q)
		wantFloats(t, what, got, err, scalar, c.want)
		if c.q == 0.5 {
			got, err = of(c.x).Median()
			wantFloats(t, "median of "+what, got, err, scalar, c.want)
			got, err = of(c.x).Quantile(0.5, ogive.Method(rank.Midpoint))
			wantFloats(t, "midpoint of "+what, got, err, scalar, c.want)
			got, err = of(append(c.x, nan)).NaNMedian()
			wantFloats(t, "nanmedian of "+what, got, err, scalar, c.want)
		}
	}
	for _, f := range floatTypes {
		x := fromBits(t, f.dt, []uint64{f.inf, 0, f.inf | f.signBit, 0, f.inf, f.inf}, 3, 2)
		got, err := x.Median(ogive.Axis(1))
		wantBits(t, f.dt.String(), got, err, f.dt, []int{3}, f.inf, f.inf|f.signBit, f.inf)
		x = fromBits(t, f.dt, []uint64{f.inf, f.inf | f.signBit})
		got, err = x.Median()
		wantBits(t, f.dt.String()+" of both infinities", got, err, f.dt, scalar, f.nan)
		largest := f.inf - 1
		x = fromBits(t, f.dt, []uint64{largest, largest | f.signBit})
		got, err = x.Median()
		wantBits(t, f.dt.String()+" of the widest range", got, err, f.dt, scalar, 0)
	}
}

// TestRoundedOnce are exact values next to a tie of the result, where an
// intermediate rounding decides wrongly.
func TestRoundedOnce(t *testing.T) {
	cases := []struct {
		a, b, q, want float64
	}{
		{-1, -0x1p-60, 0x3p-54, -0x1.fffffffffffffp-1},
		{5e-324, 1.5e-323, 0.75, 1e-323},
		{5e-324, 1e-323, 0.5, 1e-323}, {0, 5e-324, 0.5, 0}, {-5e-324, 0, 0.5, negZero}, {-5e-324, 5e-324, 0.5, 0},
		// Exact ties go to even, and a last bit far below decides.
		{1, 0x1p53, 0.5, 0x1p52}, {1 + 0x1p-52, 0x1p53, 0.5, 0x1p52 + 1}, {1 - 0x1p-53, 0x1p53, 0.5, 0x1p52},
		{1, 0x1p53 + 2, 0.5, 0x1p52 + 2}, {1 + 0x1p-52, 0x1p53 + 2, 0.5, 0x1p52 + 2}, {1 - 0x1p-53, 0x1p53 + 2, 0.5, 0x1p52 + 1},
		{0.1, 0.2, 0.5, 0.15000000000000002}, {1, 2, 0.25, 1.25}, {-2, -1, 0.75, -1.25},
	}
	for _, c := range cases {
		got, err := vec(c.b, c.a).Quantile(c.q)
		wantFloats(t, fmt.Sprintf("[%x, %x] at %x", c.a, c.b, c.q), got, err, scalar, c.want)
	}
	// b is 2^h(1 + 2^-52) and 3/4·b is a tie between 0x1.8000000000001p(h-1)
	// and the next; a, however small, decides.
	for _, h := range []int{30, 50, 250, 500} {
		b, small := math.Ldexp(1+0x1p-52, h), math.Ldexp(1, -h)
		down, up := math.Ldexp(0x1.8000000000001p0, h-1), math.Ldexp(0x1.8000000000002p0, h-1)
		for _, c := range []struct{ a, want float64 }{{0, up}, {small, up}, {-small, down}, {5e-324, up}, {-5e-324, down}} {
			got, err := vec(c.a, b).Quantile(0.75)
			wantFloats(t, fmt.Sprintf("[%x, %x] at 3/4", c.a, b), got, err, scalar, c.want)
			got, err = vec(-c.a, -b).Quantile(0.25)
			wantFloats(t, fmt.Sprintf("[%x, %x] at 1/4", -b, -c.a), got, err, scalar, -c.want)
		}
		b = math.Ldexp(1+0x3p-52, h) // a tie the other way: to 0x1.8000000000004
		down, up = math.Ldexp(0x1.8000000000004p0, h-1), math.Ldexp(0x1.8000000000005p0, h-1)
		for _, c := range []struct{ a, want float64 }{{0, down}, {small, up}, {-small, down}} {
			got, err := vec(c.a, b).Quantile(0.75)
			wantFloats(t, fmt.Sprintf("[%x, %x] at 3/4", c.a, b), got, err, scalar, c.want)
		}
	}
	// Ends 2^2000 apart.
	got, err := vec(0x1p-1000, 0x1p1000).Quantiles([]float64{0.5, 0.25, 0x1p-1074})
	wantFloats(t, "2^±1000", got, err, []int{3}, 0x1p999, 0x1p998, 0x1p-74)
}

// TestNarrowFloatsAreNotRoundedTwice has exact values that lie just beside a
// tie of the narrow dtype, by less than a float64 near 1 can tell.
func TestNarrowFloatsAreNotRoundedTwice(t *testing.T) {
	above, below := 0.5+0x1p-53, 0.5-0x1p-53
	for _, f := range floatTypes[:3] {
		for _, c := range []struct {
			from uint64 // pattern of a less that of 1; b is the next one
			q    float64
			want uint64
		}{{0, 0.5, 0}, {0, above, 1}, {0, below, 0}, {1, 0.5, 2}, {1, below, 1}, {1, above, 2}} {
			x := fromBits(t, f.dt, []uint64{f.one + c.from + 1, f.one + c.from})
			got, err := x.Quantile(c.q)
			wantBits(t, fmt.Sprintf("%v from %d at %x", f.dt, c.from, c.q), got, err, f.dt, scalar, f.one+c.want)
			y := fromBits(t, f.dt, []uint64{f.signBit | (f.one + c.from + 1), f.signBit | (f.one + c.from)})
			got, err = y.Quantile(1 - c.q)
			wantBits(t, fmt.Sprintf("%v from -%d at 1-%x", f.dt, c.from, c.q), got, err, f.dt, scalar, f.signBit|(f.one+c.want))
		}
		// Subnormals: between the patterns 1 and 2, 2 and 3.
		x := fromBits(t, f.dt, []uint64{1, 2, 2, 3}, 2, 2)
		got, err := x.Quantiles([]float64{0.5, above, below}, ogive.Axis(1))
		wantBits(t, f.dt.String()+" subnormals", got, err, f.dt, []int{3, 2}, 2, 2, 2, 3, 1, 2)
		x = fromBits(t, f.dt, []uint64{0, 1, f.signBit | 1, 0}, 2, 2)
		got, err = x.Median(ogive.Axis(1))
		wantBits(t, f.dt.String()+" underflow keeps the sign", got, err, f.dt, []int{2}, 0, f.signBit)
	}
}

// TestSignedZeros: -0 sorts before +0, a zero result keeps the sign of what it
// comes from, and a zero made by cancelling is +0.
func TestSignedZeros(t *testing.T) {
	for _, f := range floatTypes {
		minus := f.signBit
		for _, x := range []*ogive.Tensor{fromBits(t, f.dt, []uint64{minus, 0}), fromBits(t, f.dt, []uint64{0, minus})} {
			got, err := x.Quantiles([]float64{0, 0.25, 0.5, 1 - 0x1p-53, 1})
			wantBits(t, f.dt.String()+" [-0 +0]", got, err, f.dt, []int{5}, minus, minus, minus, minus, 0)
		}
		got, err := fromBits(t, f.dt, []uint64{minus, minus}).Median()
		wantBits(t, f.dt.String()+" [-0 -0]", got, err, f.dt, scalar, minus)
		got, err = fromBits(t, f.dt, []uint64{f.one, f.one | minus}).Median()
		wantBits(t, f.dt.String()+" [-1 1]", got, err, f.dt, scalar, 0)
		for _, n := range []int{3, 17, 33, 300, 5000} {
			bits, places := make([]uint64, n), make([]int64, n)
			at, negatives := shuffled(n), n/3+1
			for r := range negatives {
				bits[at(r)] = minus
			}
			count := [2]int{0, negatives}
			for i, b := range bits {
				k := 1 - int(b/minus)
				places[count[k]] = int64(i)
				count[k]++
			}
			x := fromBits(t, f.dt, bits)
			for _, c := range []struct {
				r    int
				want uint64
			}{{0, minus}, {negatives - 1, minus}, {negatives, 0}, {n - 1, 0}} {
				what := fmt.Sprintf("%v, %d zeros, rank %d", f.dt, n, c.r)
				got, err := x.QuantileRatio(int64(c.r), int64(n-1), ogive.Method(rank.Lower))
				wantBits(t, what, got, err, f.dt, scalar, c.want)
				p, err := ogive.Prepare(ogive.OpQuantile, f.dt, []int{n}, ogive.Ratio(int64(c.r), int64(n-1)), ogive.Method(rank.Lower))
				if err != nil {
					t.Fatal(err)
				}
				value, index := ogive.Must(ogive.Zeros(f.dt)), ogive.Must(ogive.Zeros(dtype.Int64))
				err = p.RunIndex(x, value, index)
				wantInts(t, what, index, err, scalar, places[c.r])
			}
		}
	}
}

// intType is an integer dtype with its extremes and what lies between.
type intType struct {
	dt       dtype.DType
	min, max uint64  // patterns
	mean     float64 // of both, exact, rounded once
	quarter  float64
}

var intTypes = []intType{
	{dtype.Bool, 0, 1, 0.5, 0.25},
	{dtype.Int8, 0x80, 0x7F, -0.5, -64.25}, {dtype.Uint8, 0, 0xFF, 127.5, 63.75},
	{dtype.Int16, 0x8000, 0x7FFF, -0.5, -16384.25}, {dtype.Uint16, 0, 0xFFFF, 32767.5, 16383.75},
	{dtype.Int32, 0x80000000, 0x7FFFFFFF, -0.5, -1073741824.25}, {dtype.Uint32, 0, 0xFFFFFFFF, 2147483647.5, 1073741823.75},
	{dtype.Int64, 1 << 63, 1<<63 - 1, -0.5, -0x1p62}, {dtype.Uint64, 0, 1<<64 - 1, 0x1p63, 0x1p62},
}

// TestIntegerExtremes is [min, max] of every integer dtype under every method.
// (NumPy: the median of the int8 extremes is 127.5.)
func TestIntegerExtremes(t *testing.T) {
	const low, high, mean = 0, 1, 2
	half := map[rank.Method]int{
		rank.Linear: mean, rank.Lower: low, rank.Higher: high, rank.Nearest: low, rank.NearestDown: low, rank.Midpoint: mean,
		rank.InvertedCDF: low, rank.AveragedInvertedCDF: mean, rank.ClosestObservation: low, rank.InterpolatedInvertedCDF: low,
		rank.Hazen: mean, rank.Weibull: mean, rank.MedianUnbiased: mean, rank.NormalUnbiased: mean,
	}
	for _, it := range intTypes {
		x := fromBits(t, it.dt, []uint64{it.max, it.min})
		for _, m := range rank.Methods() {
			what := fmt.Sprintf("%v %v", it.dt, m)
			got, err := x.Quantiles([]float64{0, 0.5, 1}, ogive.Method(m))
			choice, ok := half[m]
			if !ok {
				t.Fatalf("no row for %v", m)
			}
			if m.Discrete() {
				wantBits(t, what, got, err, it.dt, []int{3}, it.min, []uint64{it.min, it.max}[choice], it.max)
				continue
			}
			ends := ends64(it)
			wantFloats(t, what, got, err, []int{3}, ends[0], []float64{ends[0], ends[1], it.mean}[choice], ends[1])
		}
		got, err := x.Quantile(0.25)
		wantFloats(t, it.dt.String()+" at 1/4", got, err, scalar, it.quarter)
		got, err = x.Median(ogive.Mode(ogive.ModeLower))
		wantBits(t, it.dt.String()+" lower median", got, err, it.dt, scalar, it.min)
		got, err = x.Median(ogive.Mode(ogive.ModeUpper))
		wantBits(t, it.dt.String()+" upper median", got, err, it.dt, scalar, it.max)
		got, err = x.Median()
		wantFloats(t, it.dt.String()+" median", got, err, scalar, it.mean)
		// The same at each end of many.
		many := make([]uint64, 1000)
		for i := range many {
			many[i] = []uint64{it.min, it.max}[i&1]
		}
		got, err = fromBits(t, it.dt, many).Quantiles([]float64{0, 0.5, 1})
		ends := ends64(it)
		wantFloats(t, it.dt.String()+" many", got, err, []int{3}, ends[0], it.mean, ends[1])
	}
}

// ends64 are the extremes as float64.
func ends64(it intType) [2]float64 {
	top := math.Ldexp(1, 8*it.dt.Size())
	switch {
	case it.dt == dtype.Bool:
		return [2]float64{0, 1}
	case it.dt.IsSigned():
		return [2]float64{-top / 2, top/2 - 1}
	default:
		return [2]float64{0, top - 1}
	}
}

// TestIntegersAreExactBeforeRounding: int64 differences beyond float64's
// precision.
func TestIntegersAreExactBeforeRounding(t *testing.T) {
	const big = 1<<53 + 1
	got, err := vec[int64](big, big+2).Median()
	wantFloats(t, "2^53+2", got, err, scalar, 0x1p53+2)
	got, err = vec[int64](big, big).Median()
	wantFloats(t, "2^53+1 is a tie", got, err, scalar, 0x1p53)
	got, err = vec[int64](big, big+1).Quantile(0.5 + 0x1p-53)
	wantFloats(t, "2^53+1.5+…", got, err, scalar, 0x1p53+2)
	got, err = vec[int64](1<<53, big).Quantile(1 - 0x1p-53)
	wantFloats(t, "just below 2^53+1", got, err, scalar, 0x1p53)
	got, err = vec[int64](big, big+1).Quantile(5e-324)
	wantFloats(t, "just above 2^53+1", got, err, scalar, 0x1p53+2)
	got, err = vec[uint64](1<<64-1, 1<<64-1).Quantile(0.3, ogive.Method(rank.Nearest))
	wantBits(t, "uint64 stays exact", got, err, dtype.Uint64, scalar, 1<<64-1)
}
