package ogive_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/testkit"
	"github.com/ogive-go/ogive/internal/tuning"
	"github.com/ogive-go/ogive/rank"
)

// meteredContext ends as soon as the meter has counted so many elements.
type meteredContext struct {
	context.Context
	meter *ogive.Meter
	limit int64
}

func (c meteredContext) Err() error {
	if c.meter.Done.Load() >= c.limit {
		return context.Canceled
	}
	return nil
}

// work is a call that falls into tasks.
type work struct {
	name string
	run  func(opts ...ogive.Option) error
}

// works returns calls of every kind of selection over a million values.
func works() []work {
	x := of(noise(1<<20, 0), 1<<10, 1<<10)
	holes := of(noise(1<<20, 5), 1<<10, 1<<10)
	ones := ogive.Must(ogive.Scalar(int8(1)).BroadcastTo(1<<10, 1<<10))
	first := func(_ *ogive.Tensor, err error) error { return err }
	return []work{
		{"all", func(o ...ogive.Option) error { return first(x.Median(o...)) }},
		{"many quantiles", func(o ...ogive.Option) error { return first(x.Quantiles([]float64{0, 0.1, 0.5, 0.9, 1}, o...)) }},
		{"rows", func(o ...ogive.Option) error { return first(x.Median(append(o, ogive.Axis(1))...)) }},
		{"columns", func(o ...ogive.Option) error { return first(x.Quantile(0.3, append(o, ogive.Axis(0))...)) }},
		{"nan rows", func(o ...ogive.Option) error { return first(holes.NaNMedian(append(o, ogive.Axis(1))...)) }},
		{"nan all", func(o ...ogive.Option) error { return first(holes.NaNMedian(o...)) }},
		{"indices", func(o ...ogive.Option) error { _, _, err := x.MedianWithIndex(o...); return err }},
		{"indices of rows", func(o ...ogive.Option) error {
			return first(x.ArgQuantile(0.5, append(o, ogive.Axis(1), ogive.Method(rank.Lower))...))
		}},
		{"weighted", func(o ...ogive.Option) error { return first(x.Median(append(o, ogive.Weights(ones))...)) }},
		{"weighted rows", func(o ...ogive.Option) error {
			return first(x.Median(append(o, ogive.Axis(1), ogive.Weights(ones))...))
		}},
		{"isnan", func(o ...ogive.Option) error { return first(holes.IsNaN(o...)) }},
		{"isin", func(o ...ogive.Option) error { return first(x.IsIn(vec[float32](1, 2, 3), o...)) }},
	}
}

// TestEndedContext: an operation under a context that has ended does nothing
// and returns the context's error, however small.
func TestEndedContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	late, stop := context.WithTimeout(t.Context(), -1)
	defer stop()
	for _, w := range works() {
		if err := w.run(ogive.Context(ctx)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", w.name, err)
		}
		if err := w.run(ogive.Context(late)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", w.name, err)
		}
	}
	if _, err := vec(3.0, 1, 2).Median(ogive.Context(ctx)); !errors.Is(err, context.Canceled) {
		t.Errorf("three values: %v", err)
	}
	if _, err := vec(3.0, 1, 2).IsNaN(ogive.Context(ctx)); !errors.Is(err, context.Canceled) {
		t.Errorf("three values: %v", err)
	}
	// Errors of the call come first.
	if _, err := vec(3.0).Quantile(2, ogive.Context(ctx)); !errors.Is(err, ogive.ErrQ) {
		t.Errorf("q = 2: %v", err)
	}
}

// TestContextEndsMidway: a context that ends when a part of the work is done
// stops the rest, for every number of workers, and the next call is sound.
func TestContextEndsMidway(t *testing.T) {
	for _, w := range works() {
		var whole ogive.Meter
		if err := w.run(ogive.Progress(&whole)); err != nil {
			t.Fatalf("%s: %v", w.name, err)
		}
		for _, workers := range []int{1, 2, 7} {
			var meter ogive.Meter
			ctx := meteredContext{t.Context(), &meter, 1}
			err := w.run(ogive.Context(ctx), ogive.Progress(&meter), ogive.Workers(workers))
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s, %d workers: %v after %d of %d", w.name, workers, err, meter.Done.Load(), whole.Total.Load())
			}
			if meter.Done.Load() == 0 || meter.Done.Load() >= whole.Total.Load() {
				t.Errorf("%s, %d workers: stopped after %d of %d", w.name, workers, meter.Done.Load(), whole.Total.Load())
			}
		}
		var again ogive.Meter
		if err := w.run(ogive.Progress(&again), ogive.Context(t.Context())); err != nil {
			t.Errorf("%s after a stop: %v", w.name, err)
		}
	}
}

// TestProgress: all of the work is counted, at least each element once, and
// Done never passes Total.
func TestProgress(t *testing.T) {
	for _, w := range works() {
		for _, workers := range []int{1, 3} {
			var meter ogive.Meter
			if err := w.run(ogive.Progress(&meter), ogive.Workers(workers)); err != nil {
				t.Fatal(err)
			}
			if done, total := meter.Done.Load(), meter.Total.Load(); done != total || done < 1<<20*15/16 {
				t.Errorf("%s, %d workers: %d of %d elements", w.name, workers, done, total)
			}
		}
	}
}

// TestProgressOfFew: a lane that takes no task is counted too.
func TestProgressOfFew(t *testing.T) {
	var meter ogive.Meter
	ogive.Must(vec(3.0, 1, 2).Median(ogive.Progress(&meter)))
	if done, total := meter.Done.Load(), meter.Total.Load(); done != 3 || total != 3 {
		t.Errorf("%d of %d elements, want 3 of 3", done, total)
	}
}

// TestConcurrentRuns runs one plan from eight goroutines on inputs of their
// own, and on a shared one.
func TestConcurrentRuns(t *testing.T) {
	const shared, goroutines, rounds = 100, 8, 20
	shape := []int{30, 201}
	lane := func(g, r int) []float64 {
		v := make([]float64, 30*201)
		at := shuffled(201)
		for row := range 30 {
			for i := range 201 {
				v[row*201+at(i)] = float64(i + 1000*g + row + r)
			}
		}
		return v
	}
	median := ogive.Must(ogive.Prepare(ogive.OpMedian, dtype.Float64, shape, ogive.Axis(1), ogive.Mode(ogive.ModeLower)))
	weighted := ogive.Must(ogive.Prepare(ogive.OpQuantile, dtype.Float64, shape, ogive.Axis(1), ogive.Q(1), ogive.Weights(ogive.Must(ogive.Scalar(uint8(2)).BroadcastTo(201)))))
	member := ogive.Must(ogive.Prepare(ogive.OpIsIn, dtype.Float64, shape, ogive.Test(vec(1100.0, 2100, 3100))))
	common := of(lane(shared, 0), shape...)
	var wg sync.WaitGroup
	failed := make(chan string, goroutines)
	for g := range goroutines {
		wg.Go(func() {
			out, index := ogive.Must(ogive.Zeros(dtype.Float64, 30)), ogive.Must(ogive.Zeros(dtype.Int64, 30))
			found := ogive.Must(ogive.Zeros(dtype.Bool, shape...))
			for r := range rounds {
				own := of(lane(g, r), shape...)
				err := median.RunIndex(own, out, index)
				values, places := ogive.Must(ogive.Values[float64](out)), ogive.Must(ogive.Values[int64](index))
				for row, v := range values {
					if err != nil || v != float64(100+1000*g+row+r) || places[row] != int64(shuffled(201)(100)) {
						failed <- fmt.Sprintf("goroutine %d, row %d: %v at %d, %v", g, row, v, places[row], err)
						return
					}
				}
				if err := weighted.Run(common, out); err != nil || values[3] != 200+1000*shared+3 {
					failed <- fmt.Sprintf("goroutine %d, weighted: %v, %v", g, values[3], err)
					return
				}
				err = member.Run(own, found)
				for i, have := range ogive.Must(ogive.Values[bool](found)) {
					v := ogive.Must(ogive.Values[float64](own))[i]
					if err != nil || have != (v == 1100 || v == 2100 || v == 3100) {
						failed <- fmt.Sprintf("goroutine %d: %v is found: %v, %v", g, v, have, err)
						return
					}
				}
				if got := ogive.Must(common.Median(ogive.Workers(3))); ogive.Must(ogive.Item[float64](got)) != 1000*shared+100+14.5 {
					failed <- fmt.Sprintf("goroutine %d: %v", g, got)
					return
				}
			}
		})
	}
	wg.Wait()
	close(failed)
	for message := range failed {
		t.Error(message)
	}
}

// TestConcurrentRegimes runs one plan of each regime of selection on several
// goroutines, each with data and a result of its own.
func TestConcurrentRegimes(t *testing.T) {
	tuned := tuning.Default
	tuned.SoloWork = 0
	many := make([]float64, 30)
	for i := range many {
		many[i] = float64(i) / 29
	}
	for _, c := range []struct {
		name  string
		shape []int
		axis  int
		qs    []float64
	}{
		{"a short lane", []int{5}, 0, []float64{0.5}},
		{"networks", []int{400, 10}, 1, []float64{0.3}},
		{"columns", []int{10, 400}, 0, []float64{0.3}},
		{"lanes side by side", []int{100, 200}, 0, []float64{0.2, 0.8}},
		{"squeezed rows", []int{20, 3000}, 1, []float64{0.7}},
		{"a long lane", []int{600_000}, 0, []float64{0.1}},
		{"a long lane, many quantiles", []int{600_000}, 0, many},
	} {
		plan := ogive.Must(ogive.Prepare(ogive.OpQuantile, dtype.Float32, c.shape, ogive.Axis(c.axis), ogive.Qs(c.qs), ogive.Workers(3), ogive.Tuned(&tuned)))
		var wg sync.WaitGroup
		for g := range 3 {
			n := 1
			for _, d := range c.shape {
				n *= d
			}
			x := of(noise(n+g, 0)[g:], c.shape...)
			want := ogive.Must(ogive.Values[float32](ogive.Must(x.Quantiles(c.qs, ogive.Axis(c.axis), ogive.Workers(1)))))
			got := ogive.Must(ogive.Zeros(plan.DType(), plan.Shape()...))
			wg.Go(func() {
				for range 3 {
					err := plan.Run(x, got)
					if values := ogive.Must(ogive.Values[float32](got)); err != nil || !slices.Equal(values, want) {
						t.Errorf("%s, goroutine %d: %v, %v, want %v", c.name, g, err, values, want)
					}
				}
			})
		}
		wg.Wait()
	}
}

// TestManyQuantilesInParts: more quantiles than there is scratch memory for have the values
// and indices of calls for some of them, also where x lies in the memory of the result.
func TestManyQuantilesInParts(t *testing.T) {
	const count, rows, columns = 40_001, 5, 70
	qs := make([]float64, count)
	for i := range qs {
		qs[i] = float64(i*7919%count) / count
	}
	memory := make([]float32, count*columns)
	fresh := func() *ogive.Tensor {
		copy(memory[columns:], noise(rows*columns, 6))
		return of(memory[columns:(rows+1)*columns], rows, columns)
	}
	for _, method := range []rank.Method{rank.Linear, rank.Lower} {
		opts := []ogive.Option{ogive.Axis(0), ogive.Method(method)}
		x := fresh()
		var want []float32
		for from := 0; from < count; from += 1000 {
			part := ogive.Must(x.NaNQuantiles(qs[from:min(from+1000, count)], opts...))
			want = append(want, ogive.Must(ogive.Values[float32](part))...)
		}
		got := ogive.Must(x.NaNQuantiles(qs, opts...))
		testkit.Same(t, ogive.Must(ogive.Values[float32](got)), want, "%v: values", method)
		out := of(memory, count, columns)
		if _, err := fresh().NaNQuantiles(qs, append(opts, ogive.Out(out))...); err != nil {
			t.Fatal(err)
		}
		testkit.Same(t, memory, want, "%v: onto x", method)
	}
	x := fresh()
	opts := []ogive.Option{ogive.Axis(0), ogive.Method(rank.Lower)}
	indices := ogive.Must(ogive.Values[int64](ogive.Must(x.NaNArgQuantiles(qs, opts...))))
	last := ogive.Must(ogive.Values[int64](ogive.Must(x.NaNArgQuantiles(qs[count-1000:], opts...))))
	testkit.Same(t, indices[(count-1000)*columns:], last, "indices")
}

// TestPlanOfElements: a test of elements reduces no axis.
func TestPlanOfElements(t *testing.T) {
	for _, op := range []ogive.Op{ogive.OpIsNaN, ogive.OpIsIn} {
		opts := []ogive.Option{}
		if op == ogive.OpIsIn {
			opts = append(opts, ogive.Test(ogive.Scalar(1.0)))
		}
		p, err := ogive.Prepare(op, dtype.Float64, []int{3, 2}, opts...)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Axes()) != 0 || p.KeepDims() || !slices.Equal(p.Shape(), []int{3, 2}) {
			t.Errorf("%v: axes %v, kept %v, shape %v", op, p.Axes(), p.KeepDims(), p.Shape())
		}
	}
}
