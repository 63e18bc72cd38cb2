package ogivebeam

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/rank"
	"github.com/ogive-go/ogive/tensorio"
)

func init() {
	beam.RegisterType(reflect.TypeFor[keepFn]())
	beam.RegisterFunction(withKey)
	beam.RegisterFunction(describedBy)
}

func TestMain(m *testing.M) { ptest.Main(m) }

// keepFn keeps the Answers of a pipeline that runs in this process.
type keepFn struct{ Run string }

var kept sync.Map // of *answers, by keepFn.Run

type answers struct {
	sync.Mutex
	list []Answer
}

func (fn *keepFn) ProcessElement(a Answer) {
	v, _ := kept.LoadOrStore(fn.Run, &answers{})
	all := v.(*answers)
	all.Lock()
	defer all.Unlock()
	all.list = append(all.list, a)
}

// answersOf runs a pipeline and returns its Answers, by group, column and position.
func answersOf(t testing.TB, build func(beam.Scope) beam.PCollection) (map[string]Answer, error) {
	t.Helper()
	p, s := beam.NewPipelineWithRoot()
	run := fmt.Sprint(t.Name(), rand.Uint64())
	beam.ParDo0(s, &keepFn{run}, build(s))
	if _, err := ptest.RunWithMetrics(p); err != nil {
		return nil, err
	}
	list := map[string]Answer{}
	v, ok := kept.LoadAndDelete(run)
	if !ok {
		return list, nil
	}
	for _, a := range v.(*answers).list {
		name := strings.Join(append([]string{a.File, a.Column}, a.Group...), " ")
		for _, i := range a.Position {
			name += fmt.Sprint(" ", i)
		}
		if _, twice := list[strings.TrimSpace(name)]; twice {
			t.Errorf("two answers for %q", name)
		}
		list[strings.TrimSpace(name)] = a
	}
	return list, nil
}

// same reports whether an Answer is a tensor, to the bit.
func same(t testing.TB, name string, a Answer, want *ogive.Tensor) {
	t.Helper()
	got, err := a.Tensor()
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if got.DType() != want.DType() || !slices.Equal(got.Shape(), want.Shape()) || !slices.Equal(ogive.Must(got.Bytes()), ogive.Must(ogive.Must(want.Contiguous()).Bytes())) {
		t.Errorf("%s: %v of %v, want %v of %v", name, got, got.DType(), want, want.DType())
	}
}

// save writes a tensor to a file of a folder.
func save(t testing.TB, folder, name string, x *ogive.Tensor) {
	t.Helper()
	if err := tensorio.Save(filepath.Join(folder, name), x); err != nil {
		t.Fatal(err)
	}
}

func write(t testing.TB, folder, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// shardsOf divides the rows of x among files.
func shardsOf(t testing.TB, folder string, x *ogive.Tensor, axis, count int) {
	t.Helper()
	n := x.Shape()[axis]
	for i := range count {
		part := ogive.Must(x.Slice(axis, n*i/count, n*(i+1)/count, 1))
		save(t, folder, fmt.Sprintf("shard-%03d.npy", i), ogive.Must(part.Contiguous()))
	}
}

// hard are data that a sample would know little of.
func hard(n int) map[string]*ogive.Tensor {
	rng := rand.New(rand.NewPCG(1, 2))
	list := map[string][]float64{}
	for i := range n {
		list["normal"] = append(list["normal"], rng.NormFloat64())
		list["equal"] = append(list["equal"], 3.5)
		list["two"] = append(list["two"], float64(rng.IntN(2)))
		list["sorted"] = append(list["sorted"], float64(i)/3)
		list["far"] = append(list["far"], math.Ldexp(rng.NormFloat64(), rng.IntN(2000)-1000))
		v := rng.NormFloat64()
		if i%97 == 0 {
			v = math.NaN()
		} else if i%101 == 0 {
			v = math.Inf(i%2*2 - 1)
		}
		list["nan"] = append(list["nan"], v)
	}
	out := map[string]*ogive.Tensor{}
	for name, values := range list {
		out[name] = ogive.Must(ogive.FromSlice(values))
	}
	return out
}

var someQ = []rank.Q{rank.Ratio(0, 1), rank.Ratio(1, 100), rank.Ratio(1, 2), rank.Ratio(999, 1000), rank.Ratio(1, 1)}

// TestShards compares the answers for shards with those in memory: distributions that are
// bad for samples, several sizes of shards and parts, budgets that take passes.
func TestShards(t *testing.T) {
	for name, x := range hard(600_000) {
		for _, o := range []Options{
			{Op: ogive.OpNaNQuantile, Q: someQ, Budget: 4 << 20, PartBytes: 100_000},
			{Op: ogive.OpQuantile, Q: someQ[2:3], Method: rank.Lower},
			{Op: ogive.OpNaNMedian, Budget: 4 << 20},
		} {
			folder := t.TempDir()
			shardsOf(t, folder, x, 0, 7)
			got, err := answersOf(t, func(s beam.Scope) beam.PCollection { return Quantiles(s, []string{folder + "/*.npy"}, o) })
			if err != nil {
				t.Fatal(err)
			}
			plan := ogive.Must(ogive.Prepare(o.Op, x.DType(), x.Shape(), o.taken()...))
			want := ogive.Must(ogive.Zeros(plan.DType(), plan.Shape()...))
			if err := plan.Run(x, want); err != nil {
				t.Fatal(err)
			}
			if len(got) != 1 {
				t.Fatalf("%s: %d answers", name, len(got))
			}
			same(t, fmt.Sprint(name, " ", o.Op), got[""], want)
		}
	}
}

// TestAxes compares answers along axes: shards along kept axes and along reduced ones.
func TestAxes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, dt := range dtype.All() {
		if !dt.IsOrdered() {
			continue
		}
		values := make([]float64, 12*5*7)
		for i := range values {
			values[i] = float64(rng.IntN(100))
		}
		x := ogive.Must(ogive.Must(ogive.FromSlice(values, 12, 5, 7)).Cast(dt))
		for _, c := range []struct{ along, axis []int }{{[]int{0}, []int{0}}, {[]int{1}, []int{0, 1}}, {[]int{-1}, []int{-1}}, {[]int{0}, []int{2}}} {
			folder := t.TempDir()
			along := (c.along[0] + 3) % 3
			shardsOf(t, folder, x, along, 3)
			o := Options{Q: someQ[1:3], Along: c.along[0], Axis: c.axis, PartBytes: 100}
			got, err := answersOf(t, func(s beam.Scope) beam.PCollection { return Quantiles(s, []string{folder + "/*.npy"}, o) })
			if err != nil {
				t.Fatal(err)
			}
			options := append(o.taken(), ogive.Axis(c.axis...))
			plan := ogive.Must(ogive.Prepare(ogive.OpQuantile, dt, x.Shape(), options...))
			want := ogive.Must(ogive.Zeros(plan.DType(), plan.Shape()...))
			if err := plan.Run(x, want); err != nil {
				t.Fatal(err)
			}
			if slices.Contains(c.axis, c.along[0]) {
				for name, a := range got {
					at := want
					for _, i := range a.Position {
						at = ogive.Must(at.Slice(1, int(i), int(i)+1, 1))
						at = ogive.Must(ogive.Must(at.Contiguous()).Reshape(append([]int{2}, at.Shape()[2:]...)...))
					}
					same(t, fmt.Sprint(dt, c, name), a, at)
				}
				if n := want.Len() / 2; len(got) != n {
					t.Errorf("%v: %d answers, want %d", c, len(got), n)
				}
				continue
			}
			if len(got) != 3 {
				t.Errorf("%v: %d answers, want one for each file", c, len(got))
			}
			for file, a := range got {
				x := ogive.Must(ogive.Must(tensorio.Open(file, tensorio.Options{})).Tensor(""))
				want := ogive.Must(ogive.Zeros(plan.DType(), ogive.Must(ogive.Prepare(ogive.OpQuantile, dt, x.Shape(), options...)).Shape()...))
				if err := ogive.Must(ogive.Prepare(ogive.OpQuantile, dt, x.Shape(), options...)).Run(x, want); err != nil {
					t.Fatal(err)
				}
				same(t, fmt.Sprint(dt, c, file), a, want)
			}
		}
	}
}

// TestTables reads texts: integers that fractions follow, in another file; missing cells;
// weights; groups; parts of a few rows.
func TestTables(t *testing.T) {
	folder := t.TempDir()
	rng := rand.New(rand.NewPCG(5, 6))
	var a, b []float64
	groups := map[string][]float64{}
	for file := range 3 {
		text := "a,b,place,w\n"
		for range 1000 {
			v, place := rng.IntN(1_000_000)-500_000, []string{"Yakima", "Port, \"Angeles\"", "é"}[rng.IntN(3)]
			a = append(a, float64(v))
			cell := ""
			if rng.IntN(10) > 0 {
				f := rng.NormFloat64()
				cell = fmt.Sprint(f)
				b = append(b, f)
				groups[place] = append(groups[place], f)
			}
			text += fmt.Sprintf("%d,%s,\"%s\",%d\n", v, cell, strings.ReplaceAll(place, `"`, `""`), rng.IntN(4))
		}
		if file == 2 {
			text += "0.5,,x,1\n"
			a = append(a, 0.5)
		}
		write(t, folder, fmt.Sprintf("%d.csv", file), text)
	}
	for _, bytes := range []int64{1, 5000, 1 << 30} {
		o := Options{Op: ogive.OpNaNQuantile, Q: someQ, Columns: []string{"a", "b"}, PartBytes: bytes, Budget: 4 << 20}
		got, err := answersOf(t, func(s beam.Scope) beam.PCollection { return Quantiles(s, []string{folder + "/*.csv"}, o) })
		if err != nil {
			t.Fatal(err)
		}
		for name, values := range map[string][]float64{"a": a, "b": b} {
			same(t, name, got[name], fractions(values))
		}
		if got["b"].Missing != int64(len(a)-len(b)) {
			t.Errorf("%d missing, want %d", got["b"].Missing, len(a)-len(b))
		}
		o.Columns, o.By = []string{"b"}, []string{"place"}
		got, err = answersOf(t, func(s beam.Scope) beam.PCollection { return QuantilesPerKey(s, []string{folder + "/*.csv"}, o) })
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != 4 { // x has no values
			t.Errorf("%d groups", len(got))
		}
		for place, values := range groups {
			same(t, place, got["b "+place], fractions(values))
		}
	}
}

func fractions(values []float64) *ogive.Tensor {
	x := ogive.Must(ogive.FromSlice(values))
	plan := ogive.Must(ogive.Prepare(ogive.OpNaNQuantile, x.DType(), x.Shape(), ogive.Fractions(someQ...)))
	out := ogive.Must(ogive.Zeros(plan.DType(), plan.Shape()...))
	if err := plan.Run(x, out); err != nil {
		panic(err)
	}
	return out
}

// TestRefused shows the errors that come before the work.
func TestRefused(t *testing.T) {
	folder := t.TempDir()
	x := ogive.Must(ogive.FromSlice([]float64{1, 2, 3, 4}, 2, 2))
	save(t, folder, "a.npy", x)
	save(t, folder, "b.npy", ogive.Must(x.Cast(dtype.Float32)))
	save(t, folder, "c.npy", ogive.Must(ogive.FromSlice([]float64{1, 2, 3}, 1, 3)))
	write(t, folder, "a.csv", "v,w\n1,2\n")
	write(t, folder, "b.csv", "v,x\n1,2\n")
	median := Options{Op: ogive.OpMedian}
	for _, c := range []struct {
		files string
		o     Options
		want  string
	}{
		{"d*.npy", median, "d*.npy: file does not exist"},
		{"[ab].npy", median, "b.npy differ: float"},
		{"[ac].npy", median, "c.npy differ: shapes"},
		{"a.*", median, "differ: one is a table"},
		{"*.csv", median, "b.csv differ: columns"},
		{"a.csv", Options{Op: ogive.OpMedian, Columns: []string{"z"}}, `no column "z"`},
		{"a.npy", Options{Op: ogive.OpMedian, Axis: []int{2}}, "axis 2 of 2"},
	} {
		_, err := answersOf(t, func(s beam.Scope) beam.PCollection {
			return Quantiles(s, []string{filepath.Join(folder, c.files)}, c.o)
		})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.files, err, c.want)
		}
	}
	_, root := beam.NewPipelineWithRoot()
	if _, err := TryQuantiles(root, []string{"a"}, Options{}); err == nil {
		t.Error("no quantiles: no error")
	}
}

// TestFromPCollection computes the statistics of values in a pipeline, with and without
// keys; one key is hot.
func TestFromPCollection(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	values := make([]float64, 200_000)
	for i := range values {
		values[i] = rng.NormFloat64()
	}
	o := Options{Q: someQ, Budget: 4 << 20}
	got, err := answersOf(t, func(s beam.Scope) beam.PCollection { return FromPCollection(s, beam.CreateList(s, values), o) })
	if err != nil {
		t.Fatal(err)
	}
	same(t, "plain", got[""], fractions(values))
	got, err = answersOf(t, func(s beam.Scope) beam.PCollection {
		return FromPCollection(s, beam.ParDo(s, withKey, beam.CreateList(s, values)), o)
	})
	if err != nil {
		t.Fatal(err)
	}
	groups := map[string][]float64{}
	for _, v := range values {
		k, v := withKey(v)
		groups[k] = append(groups[k], v)
	}
	if len(got) != len(groups) {
		t.Errorf("%d groups, want %d", len(got), len(groups))
	}
	for k, list := range groups {
		same(t, k, got[strings.TrimSpace(" "+k)], fractions(list))
	}
}

// withKey has a hot key, and many others.
func withKey(v float64) (string, float64) {
	if n := int(math.Abs(v) * 1e5); n%10 == 0 {
		return fmt.Sprint(n % 5000), v
	}
	return "hot", v
}

// TestDescribe compares descriptions with what the library computes.
func TestDescribe(t *testing.T) {
	const rows = 40_000 // more than a state lists
	folder := t.TempDir()
	var v, w []float64
	for file := range 3 {
		text := "v,w,g\n"
		for i := range rows {
			a, b := float64(i*i%701-100), math.Sqrt(float64(i))+float64(file)
			cell := fmt.Sprint(b)
			if i%50 == 0 {
				cell, b = "", math.NaN()
			} else if i%77 == 0 {
				cell, b = "inf", math.Inf(1)
			}
			v, w = append(v, a), append(w, b)
			text += fmt.Sprintf("%d,%s,%d\n", int(a), cell, i%2)
		}
		write(t, folder, fmt.Sprintf("%d.csv", file), text)
	}
	p, s := beam.NewPipelineWithRoot()
	described.Clear()
	beam.ParDo0(s, describedBy, Describe(s, []string{folder + "/*.csv"}, Options{Columns: []string{"v", "w"}, Budget: 4 << 20}))
	beam.ParDo0(s, describedBy, Describe(s, []string{folder + "/*.csv"}, Options{Columns: []string{"w"}, By: []string{"g"}}))
	if err := ptest.Run(p); err != nil {
		t.Fatal(err)
	}
	var odd []float64
	for i, b := range w {
		if i%rows%2 == 1 {
			odd = append(odd, b)
		}
	}
	for name, values := range map[string][]float64{"v": v, "w": w, "w 1": odd} {
		of, ok := described.Load(name)
		if !ok {
			t.Errorf("%s is not described", name)
			continue
		}
		d := of.(Description)
		x := ogive.Must(ogive.FromSlice(values))
		var missing, infinite int64
		var clean, away []float64
		median := ogive.Must(ogive.Item[float64](ogive.Must(ogive.NaNMedian(x))))
		for _, v := range values {
			switch {
			case math.IsNaN(v):
				missing++
				continue
			case math.IsInf(v, 1):
				infinite++
			}
			clean, away = append(clean, v), append(away, math.Abs(v-median))
		}
		if d.Count != int64(len(clean)) || d.Missing != missing || d.PosInf != infinite || d.NegInf != 0 {
			t.Errorf("%s: %+v, want %d values, %d missing, %d infinite", name, d, len(clean), missing, infinite)
		}
		for i, p := range DescribedPercentiles {
			if want := ogive.Must(ogive.Item[float64](ogive.Must(ogive.NaNQuantileRatio(x, p, 100)))); d.Percentiles[i] != want {
				t.Errorf("%s: percentile %d is %v, want %v", name, p, d.Percentiles[i], want)
			}
		}
		if want := ogive.Must(ogive.Item[float64](ogive.Must(ogive.Median(ogive.Must(ogive.FromSlice(away)))))); d.MAD != want {
			t.Errorf("%s: mad %v, want %v", name, d.MAD, want)
		}
		cells, err := d.Cells()
		if err != nil || len(cells) != len(DescribeNames()) || cells[4] != tensorio.FormatFloat(slices.Min(clean), 64) {
			t.Errorf("%s: %v %v", name, cells, err)
		}
	}
}

var described sync.Map // of Descriptions

func describedBy(d Description) {
	described.Store(strings.Join(append([]string{d.Column}, d.Group...), " "), d)
}

// TestOtherFileSystems reads files that lie nowhere on this machine's disks.
func TestOtherFileSystems(t *testing.T) {
	x := ogive.Must(ogive.FromSlice([]int32{5, 1, 4, 2}))
	var b bytes.Buffer
	if err := tensorio.WriteNPY(&b, x); err != nil {
		t.Fatal(err)
	}
	memfs.Write("memfs://a/1.npy", b.Bytes())
	memfs.Write("memfs://a/2.npy", b.Bytes())
	memfs.Write("memfs://b/1.csv", []byte("v\n3\n1\n2\n"))
	for pattern, want := range map[string]float64{"memfs://a/*.npy": 3, "memfs://b/1.csv": 2} {
		got, err := answersOf(t, func(s beam.Scope) beam.PCollection {
			return Quantiles(s, []string{pattern}, Options{Op: ogive.OpMedian})
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range got {
			same(t, pattern, a, ogive.Scalar(want))
		}
		if len(got) != 1 {
			t.Errorf("%s: %d answers", pattern, len(got))
		}
	}
}
