package ogivebeam

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/rank"
	"github.com/ogive-go/ogive/tensorio"
)

// TestKeys reads keys of any names back.
func TestKeys(t *testing.T) {
	for _, k := range []key{
		{}, {what: away, column: "a b", position: 7}, {column: "\"\\\xff\n", group: []string{"", "é", " x\" "}}, {group: []string{"a", "b"}},
	} {
		got, err := parseKey(k.String())
		if err != nil || got.what != k.what || got.column != k.column || got.position != k.position || !slices.Equal(got.group, k.group) {
			t.Errorf("%q: %v %v, want %v", k, got, err, k)
		}
		if gathered(spread(k.String(), 12)) != k.String() {
			t.Errorf("%q does not come back from its spread", k)
		}
	}
	for _, bad := range []string{"", "x", "0", "0 x", "0 1", "0 1 a", `0 1 "a`} {
		if k, err := parseKey(bad); err == nil {
			t.Errorf("%q: %v", bad, k)
		}
	}
}

// TestTallyCoder sends tallies through bytes, and damaged ones to an error.
func TestTallyCoder(t *testing.T) {
	o, err := Options{Op: ogive.OpMedian, Budget: 4 << 20}.checked()
	if err != nil {
		t.Fatal(err)
	}
	s, err := o.state(dtype.Float64)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Add(ogive.Must(ogive.FromSlice([]float64{1, math.NaN(), 3})), nil); err != nil {
		t.Fatal(err)
	}
	for _, want := range []tally{{}, {Counts: Counts{1, 2, 3, 4, 5, 6, 7, 8}, unit: 3}, {Counts: Counts{Missing: 9}, state: s}} {
		b, err := encodeTally(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeTally(b)
		if err != nil || got.Counts != want.Counts || got.unit != want.unit || (got.state == nil) != (want.state == nil) {
			t.Errorf("%v: %v %v", want, got, err)
		}
		for n := range b {
			if half, err := decodeTally(b[:n]); err == nil && half.state != nil {
				t.Errorf("%d of %d bytes: %v", n, len(b), half)
			}
		}
	}
}

// TestDescriptionCoder sends numbers that JSON has not.
func TestDescriptionCoder(t *testing.T) {
	want := Description{Column: "a", Count: 3, Percentiles: []float64{1, math.Inf(1)}, IQR: math.Inf(-1), MAD: 2.5, Ends: []byte{1}}
	b, err := encodeDescription(want)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := decodeDescription(b); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v %v, want %+v", got, err, want)
	}
}

// TestWidths has the dtypes of columns whose runs differ.
func TestWidths(t *testing.T) {
	i, negative, u, f := width{Int: true}, width{Int: true, Negative: true}, width{Uint: true}, width{Float: true}
	for _, c := range []struct {
		of   []width
		want dtype.DType
	}{
		{nil, dtype.Float64}, {[]width{i}, dtype.Int64}, {[]width{i, negative}, dtype.Int64}, {[]width{i, u}, dtype.Uint64},
		{[]width{negative, u}, dtype.Float64}, {[]width{i, f}, dtype.Float64}, {[]width{{}, {Other: "bool"}, {}}, dtype.Bool},
	} {
		for range 3 {
			rand.Shuffle(len(c.of), func(a, b int) { c.of[a], c.of[b] = c.of[b], c.of[a] })
			var w width
			for _, o := range c.of {
				w = w.merge(o)
			}
			if w.Clash != "" || w.dtype() != c.want {
				t.Errorf("%+v: %v, want %v", c.of, w, c.want)
			}
		}
	}
	if w := (width{Other: "bool"}).merge(i); w.Clash == "" || i.merge(w).Clash == "" {
		t.Error("bools and integers: no clash")
	}
	days, seconds := width{Other: "int64", Unit: int64(tensorio.UnitDay)}, width{Other: "int64", Unit: int64(tensorio.UnitSecond)}
	if a, b := days.merge(i).Clash, days.merge(seconds).Clash; a != "dates and numbers" || b != "dates of different units" {
		t.Errorf("dates: %q, %q", a, b)
	}
}

// TestWeights repeats each row as often as its weight says; and refuses weights that are
// none.
func TestWeights(t *testing.T) {
	folder := t.TempDir()
	var repeated []float64
	for file := range 2 {
		text := "v,w\n"
		for i := range 300 {
			v, w := float64((i*7919+file)%1000)/4, i%5
			text += tensorText(v) + "," + tensorText(float64(w)) + "\n"
			repeated = append(repeated, slices.Repeat([]float64{v}, w)...)
		}
		write(t, folder, string(rune('a'+file))+".csv", text)
	}
	o := Options{Q: someQ, Columns: []string{"v"}, Weights: "w", Method: rank.Hazen, PartBytes: 500}
	got, err := answersOf(t, func(s beam.Scope) beam.PCollection {
		return Quantiles(s, []string{filepath.Join(folder, "*.csv")}, o)
	})
	if err != nil {
		t.Fatal(err)
	}
	x := ogive.Must(ogive.FromSlice(repeated))
	plan := ogive.Must(ogive.Prepare(ogive.OpQuantile, x.DType(), x.Shape(), o.taken()...))
	want := ogive.Must(ogive.Zeros(plan.DType(), plan.Shape()...))
	if err := plan.Run(x, want); err != nil {
		t.Fatal(err)
	}
	same(t, "v", got["v"], want)
	write(t, folder, "c.csv", "v,w\n1,\n2,3\n")
	_, err = answersOf(t, func(s beam.Scope) beam.PCollection {
		return Quantiles(s, []string{filepath.Join(folder, "c.csv")}, o)
	})
	if err == nil || !strings.Contains(err.Error(), "missing cells among the weights") {
		t.Errorf("a missing weight: %v", err)
	}
}

func tensorText(v float64) string {
	cells, _ := Answer{NPY: ogive.Must(npyOf([]float64{v}))}.Cells()
	return cells[0]
}

// TestCounts counts values by their weights.
func TestCounts(t *testing.T) {
	x := ogive.Must(ogive.FromSlice([]float64{1, math.NaN(), math.Inf(-1), math.Inf(1), math.Inf(1)}))
	w := ogive.Must(ogive.FromSlice([]uint8{1, 2, 3, 4, 5}))
	for _, c := range []struct {
		weights *ogive.Tensor
		want    Counts
	}{{nil, Counts{Values: 5, NaN: 1, NegInf: 1, PosInf: 2}}, {w, Counts{Values: 15, NaN: 2, NegInf: 3, PosInf: 9}}} {
		var got Counts
		if got.describe(x, c.weights); got != c.want {
			t.Errorf("%v: %+v, want %+v", c.weights, got, c.want)
		}
	}
}
