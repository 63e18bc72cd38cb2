package ogive_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/oracle"
	"github.com/ogive-go/ogive/internal/testkit"
)

// TestSweepOut writes into given outputs of every layout and, for floats, of
// every float dtype; what surrounds the output stays as it was.
func TestSweepOut(t *testing.T) {
	floats := []dtype.DType{dtype.Float16, dtype.BFloat16, dtype.Float32, dtype.Float64}
	for _, op := range orderStatistics {
		for _, dt := range ordered {
			name := fmt.Sprintf("%s/%s", op, dt)
			t.Run(name, func(t *testing.T) {
				s := newSampler("out" + name)
				for range testkit.Share(60) {
					c, in := s.call(t, op, dt)
					want := c.want(in.ref)
					if want.err != nil {
						continue
					}
					outType := want.dt
					if outType.IsFloat() {
						outType = pick(s, floats)
						a, err := oracle.Cast(shaped(want), outType)
						if err != nil {
							t.Fatal(err)
						}
						want.dt, want.values = outType, a.Bytes()
					}
					l := pick(s, layouts[:7])
					what := fmt.Sprintf("%s out=%s layout=%s", c, outType, l.name)
					out := l.lay(t, fill("random", outType, 3, want.shape...))
					opts := []ogive.Option{ogive.Out(out.tensor)}
					var indices *input
					if c.indices {
						indices = l.lay(t, fill("random", dtype.Int64, 3, want.shape...))
						opts = append(opts, ogive.OutIndices(indices.tensor))
					}
					compare(t, what, c.eager(t, in.tensor, opts...), want)
					out.outsideUnchanged(t, what)
					if indices != nil {
						indices.outsideUnchanged(t, what+" (indices)")
					}
					in.unchanged(t, what)
				}
			})
		}
	}
}

// shaped returns an answer's values as an array.
func shaped(a answer) *oracle.Array {
	x := oracle.New(a.dt, a.shape...)
	x.Bits = oracle.FromBytes(a.dt, a.values, a.shape...).Bits
	return x
}

// TestSweepOverwrite lets x be reordered: the answer is the same.
func TestSweepOverwrite(t *testing.T) {
	for _, op := range orderStatistics {
		for _, dt := range ordered {
			name := fmt.Sprintf("%s/%s", op, dt)
			t.Run(name, func(t *testing.T) {
				s := newSampler("overwrite" + name)
				for range testkit.Share(60) {
					c, in := s.call(t, op, dt)
					want := c.want(in.ref)
					compare(t, "overwrite "+c.String(), c.eager(t, in.tensor, ogive.Overwrite()), want)
					if want.err != nil {
						in.unchanged(t, c.String())
					}
				}
			})
		}
	}
}

// TestSweepOutOverlapsInput writes the answer somewhere into x's own memory.
func TestSweepOutOverlapsInput(t *testing.T) {
	for _, dt := range ordered {
		t.Run(dt.String(), func(t *testing.T) {
			s := newSampler("overlap" + dt.String())
			for range testkit.Share(80) {
				c, in := s.call(t, pick(s, orderStatistics[:6]), dt)
				c.indices = false
				in = layouts[0].lay(t, in.ref)
				want := c.want(in.ref)
				if want.err != nil || want.dt != dt || len(want.values) > len(in.memory) || len(want.values) == 0 {
					continue
				}
				n := len(want.values) / dt.Size()
				start := s.rng.IntN(in.tensor.Len() - n + 1)
				out, err := in.tensor.Reshape(-1)
				if err == nil {
					out, err = out.Slice(0, start, start+n, 1)
				}
				if err == nil {
					out, err = out.Reshape(want.shape...)
				}
				if err != nil {
					t.Fatal(err)
				}
				what := fmt.Sprintf("%s, out at %d of x", c, start)
				compare(t, what, c.eager(t, in.tensor, ogive.Out(out)), want)
			}
		})
	}
}

// TestSweepPredicateOut writes element tests over their own bool input, and
// isin over elements and over test.
func TestSweepPredicateOut(t *testing.T) { sweepPredicateOut(t) }

func sweepPredicateOut(t *testing.T, opts ...ogive.Option) {
	for _, n := range []int{1, 7, 64, 1000} {
		in := layouts[0].lay(t, fill("random", dtype.Bool, 1, n))
		want := fromOracle(oracle.Predicate("isfinite", in.ref))
		got, err := ogive.IsFinite(in.tensor, append(opts, ogive.Out(in.tensor))...)
		compare(t, fmt.Sprintf("isfinite over x, n=%d", n), read(t, got, nil, err), want)

		e, test := layouts[0].lay(t, fill("random", dtype.Bool, 2, n)), layouts[0].lay(t, fill("constant", dtype.Bool, 3, n))
		want = fromOracle(oracle.IsIn(e.ref, test.ref, oracle.IsInOptions{}))
		got, err = ogive.IsIn(e.tensor, test.tensor, append(opts, ogive.Out(test.tensor))...)
		compare(t, fmt.Sprintf("isin over test, n=%d", n), read(t, got, nil, err), want)

		test = layouts[0].lay(t, fill("constant", dtype.Bool, 3, n))
		reversed, err := e.tensor.Slice(0, n-1, -1, -1)
		if err != nil {
			t.Fatal(err)
		}
		got, err = ogive.IsIn(e.tensor, test.tensor, append(opts, ogive.Out(reversed))...)
		compare(t, fmt.Sprintf("isin over reversed elements, n=%d", n), read(t, got, nil, err), want)
	}
}

// TestSweepWorkers gives large inputs to different numbers of goroutines: the
// bits are the same.
func TestSweepWorkers(t *testing.T) {
	size := 1 << 20
	if testing.Short() {
		size = 1 << 16
	}
	shapes := []regime{
		{shape: []int{size}}, {shape: []int{size / 4096, 4096}, axes: []int{1}}, {shape: []int{64, size / 64}, axes: []int{0}},
		{shape: []int{8, size / 64, 8}, axes: []int{2, 0}}, {shape: []int{2, size / 2}, axes: []int{1}},
	}
	types := []dtype.DType{dtype.Bool, dtype.Int8, dtype.Uint16, dtype.Float16, dtype.Int32, dtype.Float32, dtype.Float64, dtype.Uint64}
	if testing.Short() {
		types = []dtype.DType{dtype.Int8, dtype.Float16, dtype.Float32, dtype.Int32}
	}
	for i, dt := range types {
		t.Run(dt.String(), func(t *testing.T) {
			s := newSampler("workers" + dt.String())
			for j, r := range shapes {
				kinds := []string{"normal", "few10", "zipf"}
				if dt.IsFloat() {
					kinds = append(kinds, "nanfew", "infmix")
				}
				kind := kinds[(i+j)%len(kinds)]
				in := layouts[0].lay(t, fill(kind, dt, uint64(j), r.shape...))
				for _, op := range []ogive.Op{ogive.OpQuantile, ogive.OpNaNQuantile, ogive.OpNaNArgQuantile, ogive.OpMedian} {
					c := call{op: op, axes: r.axes, indices: op == ogive.OpMedian}
					c.note = fmt.Sprintf("of %s%v %s", dt, r.shape, kind)
					if !c.isMedian() {
						c.qs, c.method = []float64{0.01, 0.5, s.rng.Float64()}, pick(s, methods)
					}
					if c.isArg() {
						c.method = pick(s, oracle.Discrete)
					}
					one := c.eager(t, in.tensor, ogive.Workers(1))
					if one.err != nil {
						t.Fatalf("%s: %v", c, one.err)
					}
					for _, workers := range []int{2, 7} {
						var meter ogive.Meter
						got := c.eager(t, in.tensor, ogive.Workers(workers), ogive.Context(context.Background()), ogive.Progress(&meter))
						compare(t, fmt.Sprintf("%s with %d workers", c, workers), got, one)
					}
					in.unchanged(t, c.String())
				}
			}
		})
	}
}

// TestSweepWorkersElements is the same for the element tests and isin.
func TestSweepWorkersElements(t *testing.T) {
	size := testkit.Share(1 << 20)
	for _, dt := range []dtype.DType{dtype.Int16, dtype.Float16, dtype.Float64, dtype.Complex64} {
		kind := "few1000"
		in, test := layouts[0].lay(t, fill(kind, dt, 1, size)), layouts[0].lay(t, fill(kind, dt, 1, 500))
		var first [2]answer
		for i, workers := range []int{1, 2, 7} {
			finite, err := ogive.IsFinite(in.tensor, ogive.Workers(workers))
			a := read(t, finite, nil, err)
			found, err := ogive.IsIn(in.tensor, test.tensor, ogive.Workers(workers))
			b := read(t, found, nil, err)
			if i == 0 {
				first = [2]answer{a, b}
				if a.err != nil || b.err != nil || !slices.Contains(b.values, 1) || !slices.Contains(b.values, 0) {
					t.Fatalf("%s: %v %v, or isin finds all or nothing", dt, a.err, b.err)
				}
				continue
			}
			compare(t, fmt.Sprintf("isfinite of %s, %d workers", dt, workers), a, first[0])
			compare(t, fmt.Sprintf("isin of %s, %d workers", dt, workers), b, first[1])
		}
	}
}
