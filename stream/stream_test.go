package stream

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/testkit"
	"github.com/ogive-go/ogive/rank"
	"pgregory.net/rapid"
)

func isKind(err, kind error) bool { return errors.Is(err, kind) }

// TestSweep: every operation, dtype and kind of data has the bits of the answer in
// memory, with budgets that take from one pass to many.
func TestSweep(t *testing.T) {
	passes := make(map[int]int)
	number := 0
	for _, op := range ops {
		for _, dt := range ordered() {
			for _, kind := range testkit.Kinds(dt) {
				number++
				for i, f := range []feeding{
					{budget: 1 << 20, chunk: 1000},
					{budget: 1 << 14, chunk: 100, forks: 2},
					{budget: 1 << 12, chunk: 5000, forks: 1, travel: true},
					{budget: 1 << 9, chunk: 700, forks: 3, travel: number%3 == 0},
				} {
					n := []int{0, 1, 2, 33, 1500, 4001}[(number+i)%6]
					f.seed = uint64(number)
					c := callOf(op, dt, number+i)
					x := tensor(kind, dt, n, uint64(number))
					got, took, err := c.run(t, x, nil, f, nil)
					want, wantErr := c.memory(x, nil)
					t.Run("", func(t *testing.T) {
						same(fatalf{t, fmt.Sprintf("%v %v %v %s n=%d %+v", op, c.opts, dt, kind, n, f)}, got, err, want, wantErr)
					})
					passes[took]++
					if dt.Size() <= 2 && took > 1 && f.budget >= MinBudget {
						t.Fatalf("%v takes %d passes", dt, took)
					}
				}
			}
		}
	}
	t.Log("calls by passes:", passes)
	for _, n := range []int{1, 2, 3, 4} {
		if passes[n] == 0 {
			t.Errorf("no call took %d passes", n)
		}
	}
}

// fatalf fails with the case's name.
type fatalf struct {
	*testing.T
	name string
}

func (f fatalf) Fatalf(format string, args ...any) {
	f.T.Helper()
	f.T.Fatalf("%s: %s", f.name, fmt.Sprintf(format, args...))
}

// TestWeights: weights are frequencies, of every integer dtype.
func TestWeights(t *testing.T) {
	kinds := []dtype.DType{dtype.Bool, dtype.Int8, dtype.Uint8, dtype.Int16, dtype.Uint16, dtype.Int32, dtype.Uint32, dtype.Int64, dtype.Uint64}
	number := 0
	for _, op := range ops {
		for _, dt := range ordered() {
			for _, kind := range testkit.Kinds(dt) {
				number++
				n := []int{1, 3, 50, 900, 2500}[number%5]
				x, w := tensor(kind, dt, n, uint64(number)), weightsOf(kinds[number%len(kinds)], n, uint64(number))
				f := feeding{budget: []int{512, 1 << 12, 1 << 20}[number%3], chunk: 300, forks: number % 3, travel: number%2 == 0, seed: uint64(number)}
				c := callOf(op, dt, number)
				want, wantErr := c.memory(x, w)
				got, _, err := c.run(t, x, w, f, nil)
				same(fatalf{t, fmt.Sprintf("%v %v %v %s n=%d weights %v %+v", op, c.opts, dt, kind, n, w.DType(), f)}, got, err, want, wantErr)
			}
		}
	}
}

// TestWeightedAndNot: chunks without weights count once beside others with them, and a
// large weight is as good as many elements.
func TestWeightedAndNot(t *testing.T) {
	x := tensor("normal", dtype.Float64, 1000, 7)
	one := ogive.Must(ogive.FromSlice(slices.Repeat([]int64{1}, 500)))
	three := ogive.Must(ogive.FromSlice(slices.Repeat([]int64{1 << 40}, 500)))
	for _, budget := range []int{512, 8192, 12000, 1 << 20} {
		c := call{ogive.OpQuantile, dtype.Float64, []ogive.Option{ogive.Q(0.1, 0.5, 0.995)}}
		for _, second := range []*ogive.Tensor{one, three} {
			s := ogive.Must(New(c.op, c.dt, budget, c.opts...))
			for again := true; again; {
				f := s.Fork()
				for i, at := range []int{0, 250, 500} {
					to, state, w := at+250, s, (*ogive.Tensor)(nil)
					if i == 2 {
						to, state, w = 1000, f, second
					}
					if err := state.Add(ogive.Must(x.Slice(0, at, to, 1)), w); err != nil {
						t.Fatal(err)
					}
				}
				if err := s.Merge(f); err != nil {
					t.Fatal(err)
				}
				var err error
				if again, err = s.Next(); err != nil {
					t.Fatal(err)
				}
			}
			all := append(slices.Clone(ogive.Must(ogive.Values[int64](one))), ogive.Must(ogive.Values[int64](second))...)
			want, wantErr := c.memory(x, ogive.Must(ogive.FromSlice(all)))
			got, err := s.Result()
			same(fatalf{t, fmt.Sprint("budget ", budget)}, got, err, want, wantErr)
		}
	}
}

// TestMany: more quantiles than a small budget has room for wait for later passes.
func TestMany(t *testing.T) {
	qs := make([]float64, 400)
	for i := range qs {
		qs[i] = float64(i) / 399
	}
	for _, dt := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.Int64, dtype.Uint64} {
		for _, kind := range []string{"normal", "bits", "sorted", "few1000", "ulps", "extremes"} {
			c := call{ogive.OpNaNQuantile, dt, []ogive.Option{ogive.Qs(qs)}}
			x := tensor(kind, dt, 20000, 3)
			want, wantErr := c.memory(x, nil)
			for _, budget := range []int{1 << 15, 1 << 17} {
				got, took, err := c.run(t, x, nil, feeding{budget: budget, chunk: 9000, forks: 1, travel: budget < 1<<17}, nil)
				same(fatalf{t, fmt.Sprintf("%v %s budget %d, %d passes", dt, kind, budget, took)}, got, err, want, wantErr)
			}
		}
	}
}

// TestLayouts: the strides of a chunk and of its weights do not matter.
func TestLayouts(t *testing.T) {
	x := ogive.Must(tensor("normal", dtype.Float32, 3*40*50, 5).Reshape(3, 40, 50))
	w := ogive.Must(weightsOf(dtype.Int32, 3*40*50, 5).Reshape(3, 40, 50))
	views := map[string]func(*ogive.Tensor) *ogive.Tensor{
		"transposed": func(x *ogive.Tensor) *ogive.Tensor { return ogive.Must(x.Transpose()) },
		"reversed":   func(x *ogive.Tensor) *ogive.Tensor { return ogive.Must(x.Slice(2, 49, -1, -1)) },
		"steps":      func(x *ogive.Tensor) *ogive.Tensor { return ogive.Must(x.Slice(1, 0, 40, 3)) },
		"repeated":   func(x *ogive.Tensor) *ogive.Tensor { return ogive.Must(x.BroadcastTo(2, 3, 40, 50)) },
	}
	for name, view := range views {
		for _, weights := range []*ogive.Tensor{nil, view(w)} {
			v := view(x)
			c := call{ogive.OpMedian, dtype.Float32, nil}
			want, wantErr := c.memory(v, weights)
			s := ogive.Must(New(c.op, c.dt, 1<<12))
			for again := true; again; {
				if err := s.Add(v, weights); err != nil {
					t.Fatal(err)
				}
				var err error
				if again, err = s.Next(); err != nil {
					t.Fatal(err)
				}
			}
			got, err := s.Result()
			same(fatalf{t, name}, got, err, want, wantErr)
		}
	}
}

// TestProperty: any data, call and feeding have the bits of the answer in memory.
func TestProperty(t *testing.T) { rapid.Check(t, propMemory) }

// FuzzProperty is TestProperty.
func FuzzProperty(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propMemory)) }

func propMemory(t *rapid.T) {
	dt := rapid.SampledFrom(ordered()).Draw(t, "dtype")
	kind := rapid.SampledFrom(testkit.Kinds(dt)).Draw(t, "kind")
	n := rapid.OneOf(rapid.IntRange(0, 40), rapid.IntRange(0, 3000)).Draw(t, "n")
	seed := rapid.Uint64Range(0, 1<<20).Draw(t, "seed")
	c := callOf(rapid.SampledFrom(ops).Draw(t, "op"), dt, rapid.IntRange(0, 1000).Draw(t, "options"))
	f := feeding{
		budget: 1 << rapid.IntRange(8, 15).Draw(t, "budget"),
		chunk:  rapid.IntRange(1, 3000).Draw(t, "chunk"),
		forks:  rapid.IntRange(0, 4).Draw(t, "forks"),
		travel: rapid.Bool().Draw(t, "travel"),
		seed:   seed,
	}
	x := tensor(kind, dt, n, seed)
	var w *ogive.Tensor
	if rapid.Bool().Draw(t, "weighted") {
		w = weightsOf(dtype.Uint8, n, seed)
	}
	want, wantErr := c.memory(x, w)
	got, _, err := c.run(t, x, w, f, nil)
	same(t, got, err, want, wantErr)
}

// TestBudget: what a state has seen never takes more memory than its budget, beside
// blocks of fixed size.
func TestBudget(t *testing.T) {
	const blocks = 64 << 10
	for _, dt := range []dtype.DType{dtype.Int8, dtype.Float16, dtype.Float32, dtype.Float64} {
		for _, kind := range []string{"normal", "bits", "sorted"} {
			for _, weighted := range []bool{false, true} {
				budget := 1 << 18
				most := 0
				x := tensor(kind, dt, 200_000, 1)
				var w *ogive.Tensor
				if weighted {
					w = weightsOf(dtype.Int32, 200_000, 1)
				}
				c := call{ogive.OpNaNQuantile, dt, []ogive.Option{ogive.Q(0.1, 0.5, 0.51, 0.9)}}
				_, _, err := c.run(t, x, w, feeding{budget: budget, chunk: 20000, forks: 1}, func(s *State) { most = max(most, s.bytes()) })
				if err != nil {
					t.Fatal(err)
				}
				if dt.Size() == 2 {
					budget = 1 << 16 * 8 // the counters of 16-bit keys, that the least budget of users has room for
				}
				if most > budget+blocks {
					t.Errorf("%v %s weighted %v: %d bytes with a budget of %d", dt, kind, weighted, most, budget)
				}
			}
		}
	}
}

// TestChanged: a pass over other data than the first is an error, and not a wrong answer.
func TestChanged(t *testing.T) {
	x := tensor("normal", dtype.Float64, 5000, 1)
	change := func(f func(values []float64) []float64) *ogive.Tensor {
		return ogive.Must(ogive.FromSlice(f(slices.Clone(ogive.Must(ogive.Values[float64](x))))))
	}
	for name, other := range map[string]*ogive.Tensor{
		"shorter":   change(func(v []float64) []float64 { return v[1:] }),
		"longer":    change(func(v []float64) []float64 { return append(v, 0) }),
		"a NaN":     change(func(v []float64) []float64 { v[7] = math.NaN(); return v }),
		"all moved": change(func(v []float64) []float64 { slices.Sort(v); copy(v[2000:], v[:3000]); return v }),
	} {
		s := ogive.Must(New(ogive.OpNaNMedian, dtype.Float64, 1<<12))
		if err := s.Add(x, nil); err != nil {
			t.Fatal(err)
		}
		if again, err := s.Next(); !again || err != nil {
			t.Fatal(again, err)
		}
		if err := s.Add(other, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Next(); !errors.Is(err, ogive.ErrFormat) {
			t.Errorf("%s: error %v, want ErrFormat", name, err)
		}
		if _, err := s.Result(); !errors.Is(err, ogive.ErrOption) {
			t.Errorf("%s: a result of data that changed, error %v", name, err)
		}
	}
}

// TestErrors: what is asked wrongly.
func TestErrors(t *testing.T) {
	x := tensor("normal", dtype.Float32, 8, 1)
	w := func(v ...int64) *ogive.Tensor { return ogive.Must(ogive.FromSlice(v)) }
	news := []struct {
		op   ogive.Op
		dt   dtype.DType
		opts []ogive.Option
		kind error
	}{
		{ogive.OpArgQuantile, dtype.Float32, []ogive.Option{ogive.Q(0.5)}, ogive.ErrOption},
		{ogive.OpIsNaN, dtype.Float32, nil, ogive.ErrOption},
		{ogive.OpQuantile, dtype.Complex64, []ogive.Option{ogive.Q(0.5), ogive.KeepDims()}, ogive.ErrDType},
		{ogive.OpQuantile, dtype.Invalid, []ogive.Option{ogive.Q(0.5)}, ogive.ErrDType},
		{ogive.OpQuantile, dtype.Float32, nil, ogive.ErrQ},
		{ogive.OpQuantile, dtype.Float32, []ogive.Option{ogive.Q(1.5)}, ogive.ErrQ},
		{ogive.OpQuantile, dtype.Float32, []ogive.Option{ogive.P(50)}, ogive.ErrOption},
		{ogive.OpQuantile, dtype.Float32, []ogive.Option{ogive.Q(0.5), ogive.Axis(0)}, ogive.ErrOption},
		{ogive.OpQuantile, dtype.Float32, []ogive.Option{ogive.Q(0.5), ogive.KeepDims()}, ogive.ErrOption},
		{ogive.OpQuantile, dtype.Float32, []ogive.Option{ogive.Q(0.5), ogive.Out(x)}, ogive.ErrOption},
		{ogive.OpQuantile, dtype.Float32, []ogive.Option{ogive.Q(0.5), ogive.Weights(x)}, ogive.ErrOption},
		{ogive.OpQuantile, dtype.Float32, []ogive.Option{ogive.Q(0.5), ogive.Method(200)}, ogive.ErrMethod},
		{ogive.OpMedian, dtype.Float32, []ogive.Option{ogive.Mode(9)}, ogive.ErrOption},
		{ogive.OpMedian, dtype.Float32, []ogive.Option{ogive.Method(rank.Linear)}, ogive.ErrOption},
	}
	for i, n := range news {
		if _, err := New(n.op, n.dt, 1<<20, n.opts...); !errors.Is(err, n.kind) {
			t.Errorf("New %d: error %v, want %v", i, err, n.kind)
		}
	}
	if _, err := New(ogive.OpMedian, dtype.Float32, 255); !errors.Is(err, ogive.ErrOption) {
		t.Errorf("a small budget: error %v", err)
	}

	s := ogive.Must(New(ogive.OpMedian, dtype.Float32, 1<<20))
	before := ogive.Must(s.MarshalBinary())
	for i, c := range []struct {
		chunk, weights *ogive.Tensor
		kind           error
	}{
		{nil, nil, ogive.ErrShape},
		{tensor("normal", dtype.Float64, 8, 1), nil, ogive.ErrDType},
		{x, x, ogive.ErrDType},
		{x, w(1, 2), ogive.ErrWeights},
		{x, w(1, 1, 1, 1, 1, 1, 1, -1), ogive.ErrWeights},
		{x, w(1<<52, 1<<52, 0, 0, 0, 0, 0, 0), ogive.ErrWeights},
		{x, ogive.Must(ogive.FromSlice([]uint64{1, 0, 0, 0, 0, 0, 0, 1 << 63})), ogive.ErrWeights},
	} {
		if err := s.Add(c.chunk, c.weights); !errors.Is(err, c.kind) {
			t.Errorf("Add %d: error %v, want %v", i, err, c.kind)
		}
	}
	if after := ogive.Must(s.MarshalBinary()); !slices.Equal(before, after) {
		t.Error("an Add that failed changed the state")
	}
	if _, err := s.Result(); !errors.Is(err, ogive.ErrOption) {
		t.Errorf("a result of an open pass: error %v", err)
	}

	others := map[string]*State{
		"nil": nil, "itself": s, "zero": new(State),
		"mode":   ogive.Must(New(ogive.OpMedian, dtype.Float32, 1<<20, ogive.Mode(ogive.ModeLower))),
		"op":     ogive.Must(New(ogive.OpNaNMedian, dtype.Float32, 1<<20)),
		"dtype":  ogive.Must(New(ogive.OpMedian, dtype.Int32, 1<<20)),
		"budget": ogive.Must(New(ogive.OpMedian, dtype.Float32, 1<<21)),
		"done":   ogive.Must(New(ogive.OpMedian, dtype.Float32, 1<<20)),
	}
	if _, err := others["done"].Next(); err != nil {
		t.Fatal(err)
	}
	for name, o := range others {
		if err := s.Merge(o); !errors.Is(err, ogive.ErrOption) {
			t.Errorf("merging %s: error %v", name, err)
		}
	}
	heavy := s.Fork()
	if err := heavy.Add(x, w(1<<52, 0, 0, 0, 0, 0, 0, 0)); err != nil {
		t.Fatal(err)
	}
	second := heavy.Fork()
	if err := second.Add(x, w(1<<52, 0, 0, 0, 0, 0, 0, 0)); err != nil {
		t.Fatal(err)
	}
	if err := heavy.Merge(second); !errors.Is(err, ogive.ErrWeights) {
		t.Errorf("merging 2^53: error %v", err)
	}

	if _, err := s.Next(); err != nil {
		t.Fatal(err)
	}
	if err := s.Add(x, nil); !errors.Is(err, ogive.ErrOption) {
		t.Errorf("adding to a state that is done: error %v", err)
	}
	if again, err := s.Next(); again || err != nil {
		t.Errorf("Next of a state that is done: %v, %v", again, err)
	}
	var zero State
	if err := zero.Add(x, nil); !errors.Is(err, ogive.ErrOption) {
		t.Errorf("adding to a zero State: %v", err)
	}
	if _, err := zero.Next(); !errors.Is(err, ogive.ErrOption) {
		t.Errorf("Next of a zero State: %v", err)
	}
	if _, err := zero.Result(); !errors.Is(err, ogive.ErrOption) {
		t.Errorf("Result of a zero State: %v", err)
	}
	if _, err := zero.MarshalBinary(); !errors.Is(err, ogive.ErrOption) {
		t.Errorf("MarshalBinary of a zero State: %v", err)
	}
}

// TestOfEndsAtErrors: those of the sequence and those of Add, and no result.
func TestOfEndsAtErrors(t *testing.T) {
	good, bad := ogive.Must(ogive.FromSlice([]float64{1, 2})), ogive.Must(ogive.FromSlice([]int8{1}))
	broken := errors.New("broken")
	for _, c := range []struct {
		chunk *ogive.Tensor
		err   error
		want  error
	}{{bad, nil, ogive.ErrDType}, {nil, broken, broken}, {nil, nil, ogive.ErrShape}} {
		s := ogive.Must(New(ogive.OpMedian, dtype.Float64, MinBudget))
		after := false
		got, err := s.Of(func(yield func(*ogive.Tensor, error) bool) {
			after = yield(good, nil) && yield(c.chunk, c.err)
		})
		if got != nil || !errors.Is(err, c.want) || after || s.Count() != 2 {
			t.Errorf("%v %v: got %v, %v after %d values", c.chunk, c.err, got, err, s.Count())
		}
	}
}
