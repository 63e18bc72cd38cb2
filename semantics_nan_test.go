package ogive_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/rank"
)

// TestNaNOfAnySignAndPayload puts one NaN, of every kind, at the ends and
// inside of slices around the lengths of networks and vectors.
func TestNaNOfAnySignAndPayload(t *testing.T) {
	lengths := []int{1, 2, 5, 32, 33, 128, 129, 1_000_000}
	if testing.Short() {
		lengths = lengths[:7]
	}
	for _, f := range floatTypes {
		for _, n := range lengths {
			kinds := f.nans()
			if n > 129 {
				kinds = kinds[1:3]
			}
			places := []int{0, n / 2, n - 1}
			bits := slices.Repeat([]uint64{f.one}, n)
			x := fromBits(t, f.dt, bits)
			memory := ogive.Must(x.Bytes())
			clean := slices.Clone(memory)
			for _, at := range slices.Compact(places) {
				for _, kind := range kinds {
					what := fmt.Sprintf("%v, n = %d, NaN %x at %d", f.dt, n, kind, at)
					copy(memory, clean)
					copy(memory[at*f.dt.Size():], ogive.Must(fromBits(t, f.dt, []uint64{kind}).Bytes()))
					checkOneNaN(t, what, f, x, at, n)
				}
			}
		}
	}
}

// checkOneNaN holds x, all ones but for a NaN at the place, to what every
// operation says of it.
func checkOneNaN(t *testing.T, what string, f floatBits, x *ogive.Tensor, at, n int) {
	t.Helper()
	dropped, index := f.one, uint64(0) // of nan*
	if at == 0 {
		index = 1
	}
	if n == 1 {
		dropped, index = f.nan, 1<<64-1
	}
	methods := rank.Methods()
	if n > 129 {
		methods = []rank.Method{rank.Linear, rank.Lower}
	}
	for _, m := range methods {
		got, err := x.Quantiles([]float64{0, 0.5, 1}, ogive.Method(m))
		wantBits(t, what+", "+m.String(), got, err, f.dt, []int{3}, f.nan, f.nan, f.nan)
		got, err = x.NaNQuantiles([]float64{0, 0.5, 1}, ogive.Method(m))
		wantBits(t, what+", nan "+m.String(), got, err, f.dt, []int{3}, dropped, dropped, dropped)
	}
	got, err := x.Median()
	wantBits(t, what+", median", got, err, f.dt, scalar, f.nan)
	got, err = x.NaNMedian()
	wantBits(t, what+", nanmedian", got, err, f.dt, scalar, dropped)
	value, place, err := x.MedianWithIndex()
	wantBits(t, what+", value", value, err, f.dt, scalar, f.nan)
	wantInts(t, what+", index", place, err, scalar, int64(at))
	value, _, err = x.NaNMedianWithIndex(ogive.Mode(ogive.ModeUpper))
	wantBits(t, what+", nan value", value, err, f.dt, scalar, dropped)
	got, err = x.NaNArgQuantile(0, ogive.Method(rank.Higher))
	wantInts(t, what+", nan index", got, err, scalar, int64(index))
	got, err = x.ArgQuantile(1, ogive.Method(rank.InvertedCDF))
	wantInts(t, what+", argquantile", got, err, scalar, int64(at))
}

// TestNaNIndexIsTheFirst: of several NaNs the first is named, whatever its
// sign.
func TestNaNIndexIsTheFirst(t *testing.T) {
	for _, f := range floatTypes {
		kinds := f.nans()
		for _, n := range []int{12, 33, 200, 3000} {
			bits := slices.Repeat([]uint64{f.two}, n)
			bits[n-1], bits[n/2], bits[5] = kinds[0], kinds[1], kinds[3]
			_, index, err := fromBits(t, f.dt, bits).MedianWithIndex()
			wantInts(t, fmt.Sprintf("%v, n = %d", f.dt, n), index, err, scalar, 5)
			bits[0] = kinds[2]
			_, index, err = fromBits(t, f.dt, bits).MedianWithIndex(ogive.Mode(ogive.ModeUpper))
			wantInts(t, fmt.Sprintf("%v, n = %d", f.dt, n), index, err, scalar, 0)
		}
	}
}

// TestNothingButNaN: nan* of it is the canonical NaN, index -1, silently.
func TestNothingButNaN(t *testing.T) {
	for _, f := range floatTypes {
		for _, n := range []int{1, 2, 7, 32, 33, 300, 100_000} {
			bits := make([]uint64, 2*n)
			for i := range bits {
				bits[i] = f.nans()[i%6]
			}
			bits[n] = f.one
			for _, shape := range []struct {
				name string
				x    *ogive.Tensor
				axis int
			}{
				{"rows", fromBits(t, f.dt, bits, 2, n), 1},
				{"columns", ogive.Must(ogive.Must(fromBits(t, f.dt, bits, 2, n).Transpose()).Contiguous()), 0},
			} {
				what := fmt.Sprintf("%v, n = %d, %s", f.dt, n, shape.name)
				got, err := shape.x.NaNQuantile(0.3, ogive.Axis(shape.axis))
				wantBits(t, what, got, err, f.dt, []int{2}, f.nan, f.one)
				value, index, err := shape.x.NaNMedianWithIndex(ogive.Axis(shape.axis))
				wantBits(t, what, value, err, f.dt, []int{2}, f.nan, f.one)
				wantInts(t, what, index, err, []int{2}, -1, 0)
			}
		}
	}
}

// TestCanonicalNaN: a NaN made by interpolating, and one that Cast or Out
// converts, is the canonical one too.
func TestCanonicalNaN(t *testing.T) {
	for _, f := range floatTypes {
		x := fromBits(t, f.dt, []uint64{f.inf, f.inf | f.signBit, f.nans()[3], f.one, f.nans()[5], f.nans()[1]}, 3, 2)
		got, err := x.Median(ogive.Axis(1))
		wantBits(t, f.dt.String(), got, err, f.dt, []int{3}, f.nan, f.nan, f.nan)
		for _, g := range floatTypes {
			out := ogive.Must(ogive.Zeros(g.dt, 3))
			got, err = x.NaNMedian(ogive.Axis(1), ogive.Out(out))
			wantBits(t, fmt.Sprintf("%v to %v", f.dt, g.dt), got, err, g.dt, []int{3}, g.nan, g.one, g.nan)
		}
	}
}

// TestNoReadBeyondTheRow surrounds every row by rows of what would win: each
// answer is of its own row, at q = 0 and 1, and no NaN leaks.
func TestNoReadBeyondTheRow(t *testing.T) {
	lengths := []int{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 63, 64, 65, 100, 127, 128, 129, 255, 256, 257, 1000, 1025, 4097}
	if testing.Short() {
		lengths = []int{1, 3, 8, 17, 33, 129, 257}
	}
	const rows = 7
	for _, f := range floatTypes {
		for _, hostile := range []uint64{f.inf, f.inf | f.signBit, f.nan, f.nan | f.signBit} {
			for _, n := range lengths {
				bits := slices.Repeat([]uint64{hostile}, rows*n)
				wantLow, wantHigh := make([]uint64, rows), make([]uint64, rows)
				for r := range rows {
					wantLow[r], wantHigh[r] = hostile, hostile
					if hostile&^f.signBit == f.nan {
						wantLow[r], wantHigh[r] = f.nan, f.nan
					}
					if r%2 == 0 {
						continue
					}
					// Rising, or falling in every other of them.
					for i := range n {
						bits[r*n+i] = f.one + uint64(i%100)
					}
					if r%4 == 3 {
						slices.Reverse(bits[r*n : (r+1)*n])
					}
					wantLow[r], wantHigh[r] = f.one, f.one+uint64(min(n, 100)-1)
				}
				x := fromBits(t, f.dt, bits, rows, n)
				columns := ogive.Must(ogive.Must(x.Transpose()).Contiguous())
				for _, m := range []rank.Method{rank.Linear, rank.Lower} {
					what := fmt.Sprintf("%v, rows of %d between %x, %v", f.dt, n, hostile, m)
					want := slices.Concat(wantLow, wantHigh)
					got, err := x.Quantiles([]float64{0, 1}, ogive.Axis(1), ogive.Method(m))
					wantBits(t, what, got, err, f.dt, []int{2, rows}, want...)
					got, err = columns.Quantiles([]float64{0, 1}, ogive.Axis(0), ogive.Method(m))
					wantBits(t, what+", columns", got, err, f.dt, []int{2, rows}, want...)
				}
				if hostile&^f.signBit == f.nan {
					wantIsNaN(t, x, rows, n)
				}
			}
		}
	}
}

// wantIsNaN checks that exactly the even rows are NaN.
func wantIsNaN(t *testing.T, x *ogive.Tensor, rows, n int) {
	t.Helper()
	got, err := x.IsNaN()
	want := make([]uint64, rows*n)
	for i := range want {
		want[i] = uint64(1 - i/n%2)
	}
	wantBits(t, fmt.Sprintf("isnan of %v, rows of %d", x.DType(), n), got, err, dtype.Bool, []int{rows, n}, want...)
}
