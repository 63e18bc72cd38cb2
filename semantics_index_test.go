package ogive_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/rank"
)

// stable returns the position of the value of rank r in the stable order of
// small non-negative values.
func stable(values []uint64, r int) int64 {
	for v := uint64(0); ; v++ {
		for i, have := range values {
			if have == v {
				if r == 0 {
					return int64(i)
				}
				r--
			}
		}
	}
}

// tieCase is a stack of lanes full of ties: element i of lane j is
// (i·7 + j) mod distinct.
type tieCase struct {
	n, lanes, distinct int
}

func (c tieCase) lane(j int) []uint64 {
	v := make([]uint64, c.n)
	for i := range v {
		v[i] = uint64((i*7 + j) % c.distinct)
	}
	return v
}

// TestTieIndices asks for the place of the middle and of the quarters of lanes
// full of ties on every path: as rows and as columns, evenly spaced and not,
// reversed, of every width of key, long lanes and short, one worker or more.
func TestTieIndices(t *testing.T) {
	cases := []tieCase{{3, 5, 2}, {5, 40, 2}, {16, 33, 3}, {17, 4, 1}, {33, 70, 2}, {100, 9, 3}, {300, 5, 5}, {1000, 3, 2}, {5000, 2, 3}, {9, 20_000, 2}, {200, 1000, 2}}
	types := []dtype.DType{dtype.Bool, dtype.Int8, dtype.Uint16, dtype.Float16, dtype.BFloat16, dtype.Int32, dtype.Float32, dtype.Int64, dtype.Float64, dtype.Uint64}
	if testing.Short() {
		cases, types = cases[:7], []dtype.DType{dtype.Uint8, dtype.Float16, dtype.Float32, dtype.Int64}
	}
	for _, c := range cases {
		for _, dt := range types {
			if dt == dtype.Bool && c.distinct > 2 {
				continue
			}
			checkTies(t, dt, c)
		}
	}
}

// TestTieIndicesOfLongLanes has lanes of more than 2 MB.
func TestTieIndicesOfLongLanes(t *testing.T) {
	if testing.Short() {
		t.Skip("lanes of megabytes")
	}
	checkTies(t, dtype.Int8, tieCase{3 << 20, 1, 3})
	checkTies(t, dtype.Float16, tieCase{3 << 20, 1, 2})
	checkTies(t, dtype.Float32, tieCase{1 << 20, 2, 3})
	checkTies(t, dtype.Float64, tieCase{1<<19 + 1, 2, 1})
	checkTies(t, dtype.Uint64, tieCase{1 << 20, 1, 100})
}

// checkTies checks a case for one dtype.
func checkTies(t *testing.T, dt dtype.DType, c tieCase) {
	t.Helper()
	bits := make([]uint64, 0, c.n*c.lanes)
	ranks := []int{(c.n - 1) / 4, (c.n - 1) / 2, (c.n - 1) * 3 / 4}
	nums, middle := []int64{}, make([]int64, c.lanes)
	for _, r := range ranks {
		nums = append(nums, int64(r))
	}
	want := make([]int64, len(ranks)*c.lanes)
	// Lanes repeat after so many as there are distinct values.
	var known [][]int64
	for j := range c.lanes {
		lane := c.lane(j)
		bits = append(bits, lane...)
		if j < c.distinct {
			places := make([]int64, len(ranks))
			for k, r := range ranks {
				places[k] = stable(lane, r)
			}
			known = append(known, places)
		}
		for k, at := range known[j%c.distinct] {
			want[k*c.lanes+j] = at
		}
		middle[j] = want[c.lanes+j]
	}
	x := ogive.Must(fromBits(t, dtype.Uint64, bits, c.lanes, c.n).Cast(dt))
	columns := ogive.Must(ogive.Must(x.Transpose()).Contiguous())
	wide := ogive.Must(ogive.Zeros(dt, 2*c.lanes+1, 3*c.n))
	strided := ogive.Must(ogive.Must(wide.Slice(0, 1, 2*c.lanes+1, 2)).Slice(1, 3*c.n-2, -1, -3))
	copyInto(t, strided, x)
	deep := ogive.Must(ogive.Must(x.Reshape(c.lanes, 1, c.n)).Transpose(2, 0, 1))
	for _, v := range []struct {
		name string
		x    *ogive.Tensor
		axis int
	}{{"rows", x, 1}, {"columns", columns, 0}, {"strided", strided, -1}, {"transposed", deep, 0}} {
		for _, workers := range []int{1, 2, 7} {
			what := fmt.Sprintf("%v %+v, %s, %d workers", dt, c, v.name, workers)
			p, err := ogive.Prepare(ogive.OpArgQuantile, dt, v.x.Shape(), ogive.Axis(v.axis), ogive.Ratios(nums, max(int64(c.n-1), 1)),
				ogive.Method(rank.Lower), ogive.Workers(workers))
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			out := ogive.Must(ogive.Zeros(dtype.Int64, p.Shape()...))
			err = p.Run(v.x, out)
			wantInts(t, what, out, err, p.Shape(), want...)
			_, index, err := v.x.MedianWithIndex(ogive.Axis(v.axis), ogive.Workers(workers))
			wantInts(t, what+", median", index, err, p.Shape()[1:], middle...)
			_, index, err = v.x.NaNMedianWithIndex(ogive.Axis(v.axis), ogive.Workers(workers))
			wantInts(t, what+", nanmedian", index, err, p.Shape()[1:], middle...)
			if t.Failed() {
				t.FailNow()
			}
		}
	}
}

// copyInto writes x's elements to the view dst of the same shape.
func copyInto(t *testing.T, dst, x *ogive.Tensor) {
	t.Helper()
	if _, err := ogive.Quantile(ogive.Must(x.Reshape(append([]int{1}, x.Shape()...)...)), 0, ogive.Axis(0), ogive.Method(rank.Lower), ogive.Out(dst)); err != nil {
		t.Fatal(err)
	}
}

// TestIndexOverSeveralAxes is the flat index within the reduced axes, in
// increasing axis order whatever the order given.
func TestIndexOverSeveralAxes(t *testing.T) {
	v := make([]float64, 24)
	for i := range v {
		v[i] = float64((i*5 + 3) % 24)
	}
	x := of(v, 2, 3, 4)
	// Rank 0 of x[:, j, :]: the least of (5i + 3) mod 24 over i = 12a + 4j + b.
	for _, axes := range [][]int{{0, 2}, {2, 0}, {-1, 0}} {
		got, err := x.ArgQuantile(0, ogive.Axis(axes...), ogive.Method(rank.Lower))
		// j = 0: 3 8 13 18 | 15 20 1 6; 1: 23 4 9 14 | 11 16 21 2; 2: 19 0 5 10 | 7 12 17 22.
		wantInts(t, fmt.Sprint(axes), got, err, []int{3}, 6, 7, 1)
	}
	got, err := x.ArgQuantiles([]float64{0, 1}, ogive.Method(rank.Higher), ogive.KeepDims())
	wantInts(t, "all axes", got, err, []int{2, 1, 1, 1}, 9, 4)
	value, index, err := x.MedianWithIndex(ogive.Axis(1, 0))
	// Columns k of 6: k = 0: 3 23 19 15 11 7, 1: 8 4 0 20 16 12, 2: 13 9 5 1 21 17, 3: 18 14 10 6 2 22.
	wantFloats(t, "lower medians", value, err, []int{4}, 11, 8, 9, 10)
	wantInts(t, "their places", index, err, []int{4}, 4, 0, 1, 2)
	value, index, err = x.MedianWithIndex(ogive.Axis(1, 0), ogive.Mode(ogive.ModeUpper))
	wantFloats(t, "upper medians", value, err, []int{4}, 15, 12, 13, 14)
	wantInts(t, "their places", index, err, []int{4}, 3, 5, 0, 1)
}

// TestMedianModes are the three of them; indices make the mode lower unless it
// is set.
func TestMedianModes(t *testing.T) {
	x := vec[int16](40, 10, 30, 20)
	got, err := x.Median()
	wantFloats(t, "avg", got, err, scalar, 25)
	got, err = x.Median(ogive.Mode(ogive.ModeLower))
	wantBits(t, "lower", got, err, dtype.Int16, scalar, 20)
	got, err = x.Median(ogive.Mode(ogive.ModeUpper))
	wantBits(t, "upper", got, err, dtype.Int16, scalar, 30)
	for mode, want := range map[ogive.MedianMode][2]int64{ogive.ModeLower: {20, 3}, ogive.ModeUpper: {30, 2}} {
		value, index, err := x.MedianWithIndex(ogive.Mode(mode))
		wantBits(t, "value", value, err, dtype.Int16, scalar, uint64(want[0]))
		wantInts(t, "index", index, err, scalar, want[1])
	}
	value, index, err := x.MedianWithIndex()
	wantBits(t, "value", value, err, dtype.Int16, scalar, 20)
	wantInts(t, "index", index, err, scalar, 3)
	value, index, err = of([]float32{3, 1, float32(math.NaN()), 2}).NaNMedianWithIndex()
	wantBits(t, "value", value, err, dtype.Float32, scalar, 0x40000000)
	wantInts(t, "index", index, err, scalar, 3)
	// OutIndices asks for indices too.
	place := ogive.Must(ogive.Zeros(dtype.Int64))
	value, index, err = x.MedianWithIndex(ogive.OutIndices(place))
	if index != place {
		t.Error("the indices are not the tensor given")
	}
	wantBits(t, "value", value, err, dtype.Int16, scalar, 20)
	wantInts(t, "index", place, err, scalar, 3)
}

// TestArgQuantileByLower: unless another method is given, eagerly and prepared.
func TestArgQuantileByLower(t *testing.T) {
	x := vec(nan, 8, 6, 7, 5)
	got, err := x.NaNArgQuantile(0.9)
	wantInts(t, "nanargquantile", got, err, nil, 3)
	got, err = vec(8.0, 6, 7, 5).ArgQuantiles([]float64{0, 0.5, 1})
	wantInts(t, "argquantiles", got, err, []int{3}, 3, 1, 0)
	for _, op := range []ogive.Op{ogive.OpArgQuantile, ogive.OpNaNArgQuantile} {
		p := ogive.Must(ogive.Prepare(op, dtype.Float64, []int{4}, ogive.Q(0.5)))
		if p.Method() != rank.Lower {
			t.Errorf("%v is prepared by %v", op, p.Method())
		}
		out := vec[int64](0)
		if err := p.Run(vec(8.0, 6, 7, 5), ogive.Must(out.Reshape())); err != nil || ogive.Must(ogive.Item[int64](out)) != 1 {
			t.Errorf("%v: %v (%v)", op, out, err)
		}
	}
}

// TestArgQuantileOfEveryDiscreteMethod is the place of the value.
func TestArgQuantileOfEveryDiscreteMethod(t *testing.T) {
	x := vec(8.0, 6, 7, 5, 3, 0, 9, 1, 4, 2) // 0 … 9
	want := map[rank.Method]float64{rank.Lower: 2, rank.Higher: 3, rank.Nearest: 2, rank.NearestDown: 2, rank.InvertedCDF: 2, rank.ClosestObservation: 1}
	for _, m := range discrete {
		place := int64(slices.Index(ogive.Must(ogive.Values[float64](x)), want[m]))
		got, err := x.ArgQuantile(0.25, ogive.Method(m))
		wantInts(t, m.String(), got, err, scalar, place)
		got, err = x.Quantile(0.25, ogive.Method(m))
		wantFloats(t, m.String(), got, err, scalar, want[m])
		got, err = vec(nan, 8, 6, 7, 5, 3, 0, 9, 1, 4, 2).NaNArgQuantiles([]float64{0.25, 0.25}, ogive.Method(m))
		wantInts(t, m.String()+", nan", got, err, []int{2}, place+1, place+1)
		got, err = vec(5.0, nan, 1).NaNArgQuantile(1, ogive.Method(m))
		wantInts(t, m.String()+", the largest", got, err, scalar, 0)
	}
}

// TestPermutationChangesNoValue: the answer is a function of the multiset of
// values, signed zeros included, on every path.
func TestPermutationChangesNoValue(t *testing.T) {
	for _, n := range []int{2, 7, 31, 64, 257, 5000, 300_000} {
		if testing.Short() && n > 5000 {
			continue
		}
		v := make([]float32, n)
		for r := range v {
			v[r] = float32(r%1000-n/3) / 8
			if r%5 == 0 {
				v[r] = float32(math.Copysign(0, float64(r%2)-0.5))
			}
		}
		qs := []float64{0, 0.1, 0.25, 0.5, 0.9, 1}
		for _, m := range rank.Methods() {
			want := bitsOf(t, ogive.Must(of(v).Quantiles(qs, ogive.Method(m))))
			turned := make([]float32, n)
			for i, at := range []func(int) int{shuffled(n), func(r int) int { return n - 1 - r }, func(r int) int { return (r + n/2) % n }} {
				for r, e := range v {
					turned[at(r)] = e
				}
				got, err := of(turned).Quantiles(qs, ogive.Method(m))
				wantBits(t, fmt.Sprintf("%v of %d, order %d", m, n, i), got, err, dtype.Float32, []int{6}, want...)
			}
		}
	}
}

// TestOrderAndBounds: every method is monotone in q and stays between the
// smallest and the largest value, for every dtype.
func TestOrderAndBounds(t *testing.T) {
	qs := make([]float64, 203)
	for i := range qs {
		qs[i] = min(float64(i)/201, 1)
	}
	qs[1] = 5e-324
	for _, dt := range ordered {
		bits := make([]uint64, 37)
		for i := range bits {
			bits[i] = uint64(i*i) % 61
			if dt == dtype.Bool {
				bits[i] %= 2
			}
			if dt.IsFloat() || dt.IsSigned() {
				bits[i] |= uint64(i%3%2) << (8*dt.Size() - 1)
			}
		}
		x := fromBits(t, dt, bits)
		low, high := ogive.Must(x.Quantile(0, ogive.Method(rank.Lower))), ogive.Must(x.Quantile(1, ogive.Method(rank.Lower)))
		for _, m := range rank.Methods() {
			got := ogive.Must(x.Quantiles(qs, ogive.Method(m)))
			values := ogive.Must(ogive.Values[float64](ogive.Must(got.Cast(dtype.Float64))))
			if !slices.IsSorted(values) {
				t.Errorf("%v %v is not monotone: %v", dt, m, values)
			}
			least, most := ogive.Must(ogive.Item[float64](ogive.Must(low.Cast(dtype.Float64)))), ogive.Must(ogive.Item[float64](ogive.Must(high.Cast(dtype.Float64))))
			if values[0] != least || values[len(values)-1] != most {
				t.Errorf("%v %v leaves [%v, %v]: %v … %v", dt, m, least, most, values[0], values[len(values)-1])
			}
		}
		half := bitsOf(t, ogive.Must(x.Quantile(0.5)))
		if m := bitsOf(t, ogive.Must(x.Median())); !slices.Equal(m, half) {
			t.Errorf("%v: median %x, quantile %x", dt, m, half)
		}
		if m := bitsOf(t, ogive.Must(x.Quantile(0.5, ogive.Method(rank.Midpoint)))); !slices.Equal(m, half) {
			t.Errorf("%v: midpoint %x, quantile %x", dt, m, half)
		}
	}
}
