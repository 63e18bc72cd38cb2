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
	"pgregory.net/rapid"
)

// Properties that hold without knowing an answer. Each is a test and a fuzz
// target.

func TestPropMonotone(t *testing.T)        { rapid.Check(t, propMonotone) }
func FuzzPropMonotone(f *testing.F)        { f.Fuzz(rapid.MakeFuzz(propMonotone)) }
func TestPropPermutation(t *testing.T)     { rapid.Check(t, propPermutation) }
func FuzzPropPermutation(f *testing.F)     { f.Fuzz(rapid.MakeFuzz(propPermutation)) }
func TestPropAxisOrder(t *testing.T)       { rapid.Check(t, propAxisOrder) }
func FuzzPropAxisOrder(f *testing.F)       { f.Fuzz(rapid.MakeFuzz(propAxisOrder)) }
func TestPropMedianIsHalf(t *testing.T)    { rapid.Check(t, propMedianIsHalf) }
func FuzzPropMedianIsHalf(f *testing.F)    { f.Fuzz(rapid.MakeFuzz(propMedianIsHalf)) }
func TestPropFrequencies(t *testing.T)     { rapid.Check(t, propFrequencies) }
func FuzzPropFrequencies(f *testing.F)     { f.Fuzz(rapid.MakeFuzz(propFrequencies)) }
func TestPropEagerIsPrepared(t *testing.T) { rapid.Check(t, propEagerIsPrepared) }
func FuzzPropEagerIsPrepared(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propEagerIsPrepared)) }
func TestPropOutOverlap(t *testing.T)      { rapid.Check(t, propOutOverlap) }
func FuzzPropOutOverlap(f *testing.F)      { f.Fuzz(rapid.MakeFuzz(propOutOverlap)) }
func TestPropIndexHoldsValue(t *testing.T) { rapid.Check(t, propIndexHoldsValue) }
func FuzzPropIndexHoldsValue(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propIndexHoldsValue)) }
func TestPropRatioIsQuantile(t *testing.T) { rapid.Check(t, propRatioIsQuantile) }
func FuzzPropRatioIsQuantile(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propRatioIsQuantile)) }
func TestPropDroppedNaNs(t *testing.T)     { rapid.Check(t, propDroppedNaNs) }
func FuzzPropDroppedNaNs(f *testing.F)     { f.Fuzz(rapid.MakeFuzz(propDroppedNaNs)) }
func TestPropIsInInvert(t *testing.T)      { rapid.Check(t, propIsInInvert) }
func FuzzPropIsInInvert(f *testing.F)      { f.Fuzz(rapid.MakeFuzz(propIsInInvert)) }
func TestPropIsInKindsAgree(t *testing.T)  { rapid.Check(t, propIsInKindsAgree) }
func FuzzPropIsInKindsAgree(f *testing.F)  { f.Fuzz(rapid.MakeFuzz(propIsInKindsAgree)) }
func TestPropLayoutsAgree(t *testing.T)    { rapid.Check(t, propLayoutsAgree) }
func FuzzPropLayoutsAgree(f *testing.F)    { f.Fuzz(rapid.MakeFuzz(propLayoutsAgree)) }

// drawArray draws an array of one of the dtypes, of any kind of data.
func drawArray(t *rapid.T, types []dtype.DType, shape ...int) *oracle.Array {
	dt := rapid.SampledFrom(types).Draw(t, "dtype")
	kind := rapid.SampledFrom(testkit.Kinds(dt)).Draw(t, "kind")
	return fill(kind, dt, rapid.Uint64Range(0, 1<<20).Draw(t, "seed"), shape...)
}

// drawVector draws a vector of 1 to 300 elements.
func drawVector(t *rapid.T, types []dtype.DType) *oracle.Array {
	return drawArray(t, types, rapid.IntRange(1, 300).Draw(t, "n"))
}

func drawMethod(t *rapid.T) string { return rapid.SampledFrom(methods).Draw(t, "method") }

func drawQ(t *rapid.T, name string) float64 {
	return rapid.OneOf(rapid.Float64Range(0, 1), rapid.SampledFrom(specialQs)).Draw(t, name)
}

// plain puts an array into memory in C order.
func plain(t failer, a *oracle.Array) *input { return layouts[0].lay(t, a) }

// quantileOf is a scalar quantile over all axes.
func quantileOf(t failer, a *oracle.Array, q float64, method string) answer {
	return call{op: ogive.OpQuantile, qs: []float64{q}, scalar: true, method: method}.eager(t, plain(t, a).tensor)
}

// number is an answer's first value as a float64, rounded where it must be.
func number(t failer, a answer) float64 {
	t.Helper()
	if a.err != nil {
		t.Fatalf("unexpected error: %v", a.err)
	}
	x, err := tensorOf(t, a.dt, a.values, a.shape).Cast(dtype.Float64)
	if err != nil {
		t.Fatal(err)
	}
	v, err := ogive.Item[float64](x)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// propMonotone: a greater q gives no smaller value, and none leaves the range
// of the data.
func propMonotone(t *rapid.T) {
	a, m := drawVector(t, ordered), drawMethod(t)
	q1, q2 := drawQ(t, "q1"), drawQ(t, "q2")
	q1, q2 = min(q1, q2), max(q1, q2)
	lo, v1 := number(t, quantileOf(t, a, 0, "lower")), number(t, quantileOf(t, a, q1, m))
	v2, hi := number(t, quantileOf(t, a, q2, m)), number(t, quantileOf(t, a, 1, "lower"))
	if math.IsNaN(lo) || math.IsNaN(v1) || math.IsNaN(v2) {
		return
	}
	if !(lo <= v1 && v1 <= v2 && v2 <= hi) {
		t.Fatalf("min %x, q=%x: %x, q=%x: %x, max %x", lo, q1, v1, q2, v2, hi)
	}
}

// propPermutation: the order of the values changes nothing.
func propPermutation(t *rapid.T) {
	a, m, q := drawVector(t, ordered), drawMethod(t), drawQ(t, "q")
	b := oracle.New(a.DType, a.Shape...)
	b.Bits = rapid.Permutation(a.Bits).Draw(t, "permuted")
	compare(t, "permuted", quantileOf(t, b, q, m), quantileOf(t, a, q, m))
}

// propAxisOrder: the order of the axes changes nothing.
func propAxisOrder(t *rapid.T) {
	shape := []int{rapid.IntRange(1, 6).Draw(t, "d0"), rapid.IntRange(1, 6).Draw(t, "d1"), rapid.IntRange(1, 6).Draw(t, "d2")}
	x := plain(t, drawArray(t, ordered, shape...)).tensor
	axes := rapid.Permutation([]int{0, 1, 2}).Draw(t, "axes")[:rapid.IntRange(1, 3).Draw(t, "count")]
	c := call{op: ogive.OpQuantile, qs: []float64{drawQ(t, "q")}, scalar: true, method: drawMethod(t)}
	c.axes = slices.Sorted(slices.Values(axes))
	want := c.eager(t, x)
	c.axes = axes
	compare(t, fmt.Sprint("axes ", axes), c.eager(t, x), want)
}

// propMedianIsHalf: median, quantile at 1/2 and midpoint are one.
func propMedianIsHalf(t *rapid.T) {
	a := drawVector(t, ordered)
	want := quantileOf(t, a, 0.5, "linear")
	compare(t, "median", call{op: ogive.OpMedian}.eager(t, plain(t, a).tensor), want)
	compare(t, "midpoint", quantileOf(t, a, 0.5, "midpoint"), want)
	compare(t, "percentile", call{op: ogive.OpPercentile, qs: []float64{50}, scalar: true}.eager(t, plain(t, a).tensor), want)
	compare(t, "ratio", call{op: ogive.OpQuantile, nums: []int64{1}, den: 2, scalar: true}.eager(t, plain(t, a).tensor), want)
}

// propFrequencies: integer weights are repetition.
func propFrequencies(t *rapid.T) {
	n := rapid.IntRange(1, 60).Draw(t, "n")
	a := drawArray(t, ordered, n)
	w := rapid.SliceOfN(rapid.Int64Range(0, 5), n, n).Draw(t, "weights")
	w[rapid.IntRange(0, n-1).Draw(t, "positive")]++
	var repeated []oracle.Bits
	for i, times := range w {
		repeated = append(repeated, slices.Repeat(a.Bits[i:i+1], int(times))...)
		if oracle.Decode(a.DType, a.Bits[i].Re).IsNaN() && times == 0 {
			return // a NaN without weight still spreads
		}
	}
	b := oracle.New(a.DType, len(repeated))
	b.Bits = repeated
	wdt := rapid.SampledFrom([]dtype.DType{dtype.Int8, dtype.Uint8, dtype.Int32, dtype.Uint64}).Draw(t, "weights' dtype")
	c := call{op: ogive.OpQuantile, qs: []float64{drawQ(t, "q")}, scalar: true, method: drawMethod(t)}
	want := c.eager(t, plain(t, b).tensor)
	c.weights = plain(t, oracle.Ints(wdt, w))
	compare(t, "weighted", c.eager(t, plain(t, a).tensor), want)
}

// drawCall draws a call like the sweep's.
func drawCall(t *rapid.T) (call, *input) {
	s := newSampler(fmt.Sprint(rapid.Uint64().Draw(t, "sampler")))
	op := rapid.SampledFrom(orderStatistics).Draw(t, "op")
	return s.call(t, op, rapid.SampledFrom(ordered).Draw(t, "dtype"))
}

// propEagerIsPrepared: the function and the plan give the same bits or the
// same error.
func propEagerIsPrepared(t *rapid.T) {
	c, in := drawCall(t)
	a, ok := c.prepared(t, in.tensor)
	if !ok {
		return
	}
	b := c.eager(t, in.tensor)
	if a.err != nil || b.err != nil {
		if a.err == nil || b.err == nil || a.err.Error() != b.err.Error() {
			t.Fatalf("%s: prepared says %v, eager %v", c, a.err, b.err)
		}
		return
	}
	compare(t, c.String(), a, b)
}

// propOutOverlap: an output within x receives what a fresh one would.
func propOutOverlap(t *rapid.T) {
	rows, cols := rapid.IntRange(1, 30).Draw(t, "rows"), rapid.IntRange(1, 30).Draw(t, "columns")
	in := plain(t, drawArray(t, ordered, rows, cols))
	c := call{op: ogive.OpNaNQuantile, qs: []float64{drawQ(t, "q")}, scalar: true, method: "nearest", keep: true}
	axis := rapid.IntRange(0, 1).Draw(t, "axis")
	c.axes = []int{axis}
	want := c.eager(t, in.tensor)
	at := rapid.IntRange(0, in.ref.Shape[axis]-1).Draw(t, "at")
	out, err := in.tensor.Slice(axis, at, at+1, 1)
	if err != nil {
		t.Fatal(err)
	}
	if rapid.Bool().Draw(t, "reversed") {
		last := in.ref.Shape[1-axis] - 1
		if out, err = out.Slice(1-axis, last, -1, -1); err != nil {
			t.Fatal(err)
		}
	}
	compare(t, c.String(), c.eager(t, in.tensor, ogive.Out(out)), want)
}

// propIndexHoldsValue: where the value is a number, x at the index has its
// bits, and no element before it among the identical ones is passed over
// wrongly: the index is the stable one of the sorted order.
func propIndexHoldsValue(t *rapid.T) {
	a, q := drawVector(t, ordered), drawQ(t, "q")
	m := rapid.SampledFrom(oracle.Discrete).Draw(t, "method")
	op := rapid.SampledFrom([]ogive.Op{ogive.OpArgQuantile, ogive.OpNaNArgQuantile}).Draw(t, "op")
	index := number(t, call{op: op, qs: []float64{q}, scalar: true, method: m}.eager(t, plain(t, a).tensor))
	values := ogive.OpQuantile
	if op == ogive.OpNaNArgQuantile {
		values = ogive.OpNaNQuantile
	}
	v := call{op: values, qs: []float64{q}, scalar: true, method: m}.eager(t, plain(t, a).tensor)
	nan := func(b oracle.Bits) bool { return oracle.Decode(a.DType, b.Re).IsNaN() }
	if math.IsNaN(number(t, v)) {
		want := slices.IndexFunc(a.Bits, nan)
		if op == ogive.OpNaNArgQuantile {
			want = -1
		}
		if int(index) != want {
			t.Fatalf("NaN slice: index %v, want %d", index, want)
		}
		return
	}
	at := oracle.New(a.DType)
	at.Bits[0] = a.Bits[int(index)]
	compare(t, "x[index]", v, answer{dt: a.DType, shape: []int{}, values: at.Bytes()})
}

// propRatioIsQuantile: where no step of the float64 formula rounds, the exact
// fraction gives the same.
func propRatioIsQuantile(t *rapid.T) {
	a, m := drawVector(t, ordered), drawMethod(t)
	if m == "median_unbiased" { // 1/3 is not a float64
		return
	}
	num := rapid.Int64Range(0, 1024).Draw(t, "num")
	c := call{op: ogive.OpQuantile, nums: []int64{num}, den: 1024, scalar: true, method: m}
	compare(t, "ratio", c.eager(t, plain(t, a).tensor), quantileOf(t, a, float64(num)/1024, m))
}

// propDroppedNaNs: nanquantile is quantile of what is left.
func propDroppedNaNs(t *rapid.T) {
	a := drawVector(t, []dtype.DType{dtype.Float16, dtype.BFloat16, dtype.Float32, dtype.Float64})
	left := slices.DeleteFunc(slices.Clone(a.Bits), func(b oracle.Bits) bool { return oracle.Decode(a.DType, b.Re).IsNaN() })
	if len(left) == 0 {
		return
	}
	b := oracle.New(a.DType, len(left))
	b.Bits = left
	m, q := drawMethod(t), drawQ(t, "q")
	c := call{op: ogive.OpNaNQuantile, qs: []float64{q}, scalar: true, method: m}
	compare(t, "nanquantile", c.eager(t, plain(t, a).tensor), quantileOf(t, b, q, m))
}

// propIsInInvert: invert negates every element.
func propIsInInvert(t *rapid.T) {
	e, test := plain(t, drawVector(t, dtype.All())).tensor, plain(t, drawVector(t, dtype.All())).tensor
	var opts []ogive.Option
	if rapid.Bool().Draw(t, "equal NaN") {
		opts = append(opts, ogive.EqualNaN())
	}
	found, err := ogive.IsIn(e, test, opts...)
	a := read(t, found, nil, err)
	missing, err := ogive.IsIn(e, test, append(opts, ogive.Invert())...)
	b := read(t, missing, nil, err)
	for i := range b.values {
		b.values[i] ^= 1
	}
	compare(t, "inverted twice", b, a)
}

// propIsInKindsAgree: kind and assume-unique change nothing.
func propIsInKindsAgree(t *rapid.T) {
	e, test := plain(t, drawVector(t, dtype.All())).tensor, plain(t, drawVector(t, dtype.All())).tensor
	found, err := ogive.IsIn(e, test)
	want := read(t, found, nil, err)
	for _, k := range []ogive.IsInKind{ogive.KindSort, ogive.KindHash} {
		found, err := ogive.IsIn(e, test, ogive.Kind(k), ogive.AssumeUnique())
		compare(t, fmt.Sprint("kind ", k), read(t, found, nil, err), want)
	}
}

// propLayoutsAgree: every layout of the same array gives the same bits.
func propLayoutsAgree(t *rapid.T) {
	shape := []int{rapid.IntRange(1, 40).Draw(t, "rows"), rapid.IntRange(1, 40).Draw(t, "columns")}
	a := drawArray(t, ordered, shape...)
	c := call{op: ogive.OpQuantile, qs: []float64{drawQ(t, "q"), 0.5}, method: drawMethod(t)}
	c.axes = []int{rapid.IntRange(0, 1).Draw(t, "axis")}
	want := c.eager(t, plain(t, a).tensor)
	for _, l := range layouts {
		if l.repeated < 0 {
			compare(t, l.name, c.eager(t, l.lay(t, a).tensor), want)
		}
	}
}
