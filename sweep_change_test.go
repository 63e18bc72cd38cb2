package ogive_test

import (
	"context"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/testkit"
	"github.com/ogive-go/ogive/internal/tuning"
	"github.com/ogive-go/ogive/rank"
)

// Somebody else may write to x while a call runs: another goroutine, or a process to whose
// file it is mapped. Any answer is right then, but the call ends, and reads nothing that is
// not its own.

// changeTimes is about how many times of a call are tried with each of changeKinds kinds of
// changes, but with OGIVE_SWEEP=all.
const changeTimes, changeKinds = 3, 1

// changed calls f once for every time at which it asks its context, or some of them, with x
// changed then.
func changed(t *testing.T, what string, in *input, f func(opts ...ogive.Option) error) {
	t.Helper()
	restore := func() { copy(in.memory, in.before) }
	plain := &testkit.Changer{Context: context.Background()}
	if err := f(ogive.Context(plain), ogive.Workers(1)); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	s := newSampler(what + in.ref.DType.String())
	names, step := slices.Sorted(maps.Keys(testkit.Changes)), 1
	if !testkit.Whole() {
		s.rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		names, step = names[:changeKinds], 1+plain.Asked/changeTimes
	}
	for _, name := range names {
		for at := 1 + s.rng.IntN(step); at <= plain.Asked; at += step {
			c := &testkit.Changer{Context: context.Background(), At: at, Most: 20*plain.Asked + 1000}
			c.Change = func() { testkit.Changes[name](in.memory, in.tensor.DType()) }
			what := fmt.Sprintf("%s, %s at %d of %d", what, name, at, plain.Asked)
			func() {
				defer func() {
					if p := recover(); p != nil {
						t.Errorf("%s: %v\n%s", what, p, debug.Stack())
					}
				}()
				_ = f(ogive.Context(c), ogive.Workers(1))
			}()
			if c.Endless() {
				t.Errorf("%s: the call has not ended", what)
			}
			restore()
			if t.Failed() {
				return
			}
		}
	}
}

// changeRegimes have many tasks in all ways of selection.
func changeRegimes() []forced {
	small := func(set func(*tuning.Thresholds)) func(*tuning.Thresholds) {
		return func(h *tuning.Thresholds) {
			h.SoloWork, h.TaskElements = 0, 64
			set(h)
		}
	}
	return []forced{
		force("tiles", small(func(h *tuning.Thresholds) {})),
		force("long lanes", small(func(h *tuning.Thresholds) { h.BigBytes, h.ChunkBytes = 0, 512 })),
		force("long lanes and little memory", small(func(h *tuning.Thresholds) {
			h.BigBytes, h.ChunkBytes, h.CollectBytes, h.LocateCounts, h.CollectWhole = 0, 512, 0, 1, 64
		})),
		force("bins", small(func(h *tuning.Thresholds) {
			h.BigBytes, h.ChunkBytes, h.BinsMin, h.GuessMin, h.HeavyShare = 0, 512, 2, 0, 4
		})),
	}
}

// TestChangedInput: calls end whatever is written to x meanwhile.
func TestChangedInput(t *testing.T) {
	dtypes := []dtype.DType{dtype.Int8, dtype.Uint8, dtype.Int16, dtype.Float16, dtype.Float32, dtype.Int64, dtype.Float64}
	for _, dt := range dtypes {
		for _, r := range changeRegimes() {
			t.Run(fmt.Sprintf("%s%s", r.name, dt), func(t *testing.T) {
				t.Parallel()
				changedCalls(t, dt, ogive.Tuned(&r.tuned))
			})
		}
	}
}

// changedCalls changes x in calls of every kind.
func changedCalls(t *testing.T, dt dtype.DType, tuned ogive.Option) {
	lane, columns := plain(t, fill("normal", dt, 7, 4000)), plain(t, fill("normal", dt, 7, 500, 9))
	with := func(opts []ogive.Option, more ...ogive.Option) []ogive.Option {
		return slices.Concat(opts, more, []ogive.Option{tuned})
	}
	few, many := []float64{0.3}, make([]float64, 101)
	for i := range many {
		many[i] = (float64(i) + 0.5) / float64(len(many))
	}
	first := func(_ *ogive.Tensor, err error) error { return err }
	both := func(_, _ *ogive.Tensor, err error) error { return err }
	for _, qs := range [][]float64{few, {0.1, 0.5, 0.9}, many[:20], many} {
		name := fmt.Sprint(len(qs), " quantiles of ")
		changed(t, name+"a lane", lane, func(opts ...ogive.Option) error { return first(lane.tensor.Quantiles(qs, with(opts)...)) })
		changed(t, name+"what is no NaN", lane, func(opts ...ogive.Option) error { return first(lane.tensor.NaNQuantiles(qs, with(opts)...)) })
		changed(t, name+"columns", columns, func(opts ...ogive.Option) error {
			return first(columns.tensor.NaNQuantiles(qs, with(opts, ogive.Axis(0))...))
		})
	}
	lower := ogive.Method(rank.Lower)
	changed(t, "indices", lane, func(opts ...ogive.Option) error {
		return first(lane.tensor.NaNArgQuantiles(many[:5], with(opts, lower)...))
	})
	changed(t, "indices in columns", columns, func(opts ...ogive.Option) error {
		return first(columns.tensor.ArgQuantiles(many[:5], with(opts, lower, ogive.Axis(0))...))
	})
	counts, shares := plain(t, fill("smallrange", dtype.Uint8, 8, 4000)).tensor, plain(t, fill("random", dtype.Float32, 8, 4000))
	for i := range shares.ref.Bits {
		shares.ref.Bits[i].Re &^= 1 << 31
	}
	weights := plain(t, shares.ref).tensor
	changed(t, "frequencies", lane, func(opts ...ogive.Option) error {
		return first(lane.tensor.NaNQuantiles(many[:5], with(opts, ogive.Weights(counts))...))
	})
	changed(t, "weights", lane, func(opts ...ogive.Option) error {
		return first(lane.tensor.NaNArgQuantiles(many[:5], with(opts, ogive.Weights(weights), ogive.Method(rank.InvertedCDF))...))
	})
	keys := make([]int64, 4000)
	for i := range keys {
		keys[i] = int64(i*i) % 37
	}
	changed(t, "groups", lane, func(opts ...ogive.Option) error {
		return both(lane.tensor.NaNQuantilesBy(of(keys), many[:3], with(opts)...))
	})
	for _, window := range []int{7, 300} {
		changed(t, fmt.Sprint("windows of ", window), lane, func(opts ...ogive.Option) error {
			return first(lane.tensor.NaNRollingQuantiles(few, window, with(opts)...))
		})
	}
	changed(t, "isin", lane, func(opts ...ogive.Option) error { return first(lane.tensor.IsIn(columns.tensor, with(opts)...)) })
}

// TestChangedWeights: calls end whatever is written to weights or keys meanwhile.
func TestChangedWeights(t *testing.T) {
	x := plain(t, fill("normal", dtype.Float32, 7, 4000)).tensor
	for _, r := range changeRegimes() {
		for _, dt := range []dtype.DType{dtype.Uint8, dtype.Int64, dtype.Float32, dtype.Float64} {
			a := fill("smallrange", dt, 3, 4000)
			if dt.IsFloat() {
				a = fill("random", dt, 3, 4000)
			}
			sign := uint64(1) << (8*dt.Size() - 1)
			for i := range a.Bits {
				if dt != dtype.Uint8 {
					a.Bits[i].Re &^= sign
				}
			}
			w := plain(t, a)
			t.Run(r.name+dt.String(), func(t *testing.T) {
				t.Parallel()
				changed(t, "weights", w, func(opts ...ogive.Option) error {
					opts = append(opts, ogive.Tuned(&r.tuned), ogive.Weights(w.tensor), ogive.Method(rank.InvertedCDF))
					_, err := x.NaNArgQuantiles([]float64{0.1, 0.5, 0.9}, opts...)
					return err
				})
				if dt.IsFloat() {
					return
				}
				changed(t, "keys", w, func(opts ...ogive.Option) error {
					_, _, err := x.NaNQuantilesBy(w.tensor, []float64{0.1, 0.5, 0.9}, append(opts, ogive.Tuned(&r.tuned))...)
					return err
				})
			})
		}
	}
}

// written writes to the elements of x again and again while f runs, which is not started where
// the race detector looks on: a race is what is tried.
func written(t *testing.T, in *input, f func()) {
	if raceEnabled {
		t.Skip("a race is what is tried")
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		names := slices.Sorted(maps.Keys(testkit.Changes))
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				testkit.Changes[names[i%len(names)]](in.memory, in.ref.DType)
			}
		}
	}()
	f()
	close(stop)
	<-stopped
}

// TestChangedMeanwhile: nor does it matter if x is written to all the time, also in the
// middle of a task.
func TestChangedMeanwhile(t *testing.T) {
	calls := 5
	if testkit.Whole() {
		calls = 600
	}
	for _, dt := range []dtype.DType{dtype.Uint8, dtype.Float16, dtype.Float32, dtype.Int64} {
		for _, shape := range [][]int{{100_000}, {60, 3000}, {3000, 60}, {2000, 10}} {
			in := plain(t, fill("normal", dt, 7, shape...))
			s := newSampler(fmt.Sprint("meanwhile", dt, shape))
			written(t, in, func() {
				for range calls {
					c := call{op: pick(s, orderStatistics), axes: []int{s.rng.IntN(len(shape))}}
					s.ask(&c, shape[c.axes[0]], dt)
					r := pick(s, changeRegimes())
					if s.chance(2) {
						r.tuned = tuning.Default
					}
					c.eager(t, in.tensor, ogive.Tuned(&r.tuned), ogive.Workers(1+s.rng.IntN(3)))
				}
			})
		}
	}
}

// TestChangedTestMeanwhile: nor if that is done to the test values of isin, in whatever way
// these are looked up.
func TestChangedTestMeanwhile(t *testing.T) {
	calls := 30
	if testkit.Whole() {
		calls = 3000
	}
	tuned := tuning.Default
	tuned.PartedMembers, tuned.SoloWork, tuned.FilterBytes, tuned.SlowFilterBytes = 1, 0, 0, 0
	for _, dt := range []dtype.DType{dtype.Uint8, dtype.Int16, dtype.Float32, dtype.Int64} {
		x, in := plain(t, fill("smallrange", dt, 8, 300)).tensor, plain(t, fill("smallrange", dt, 7, 40_000))
		written(t, in, func() {
			for range calls {
				for _, kind := range []ogive.IsInKind{ogive.KindAuto, ogive.KindSort, ogive.KindTable, ogive.KindHash} {
					_, _ = x.IsIn(in.tensor, ogive.Kind(kind), ogive.Tuned(&tuned), ogive.Workers(2))
				}
			}
		})
	}
}
