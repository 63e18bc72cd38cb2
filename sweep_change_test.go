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
	if testkit.Whole() {
		dtypes = ordered
	}
	for _, dt := range dtypes {
		for _, r := range changeRegimes() {
			t.Run(fmt.Sprintf("%s%s", r.name, dt), func(t *testing.T) {
				t.Parallel()
				changedCalls(t, dt, ogive.Tuned(&r.tuned))
			})
		}
	}
}

// manyQs are quantiles between order statistics.
var manyQs = func() []float64 {
	qs := make([]float64, 101)
	for i := range qs {
		qs[i] = (float64(i) + 0.5) / float64(len(qs))
	}
	return qs
}()

// changedCalls changes x in calls of every kind.
func changedCalls(t *testing.T, dt dtype.DType, tuned ogive.Option) {
	lane, columns := plain(t, fill("normal", dt, 7, 4000)), plain(t, fill("normal", dt, 7, 500, 9))
	stacks := map[string]*input{"columns": columns, "short columns": plain(t, fill("normal", dt, 7, 20, 100)), "many columns": plain(t, fill("normal", dt, 7, 70, 70))}
	first := func(_ *ogive.Tensor, err error) error { return err }
	for _, qs := range [][]float64{{0.3}, {0.1, 0.5, 0.9}, manyQs[:20], manyQs} {
		name := fmt.Sprint(len(qs), " quantiles of ")
		changed(t, name+"a lane", lane, func(opts ...ogive.Option) error { return first(lane.tensor.Quantiles(qs, append(opts, tuned)...)) })
		changed(t, name+"what is no NaN", lane, func(opts ...ogive.Option) error { return first(lane.tensor.NaNQuantiles(qs, append(opts, tuned)...)) })
		for stack, in := range stacks {
			changed(t, name+stack, in, func(opts ...ogive.Option) error {
				return first(in.tensor.NaNQuantiles(qs, append(opts, tuned, ogive.Axis(0))...))
			})
		}
	}
	lower := ogive.Method(rank.Lower)
	for axis, in := range []*input{columns, plain(t, fill("normal", dt, 7, 9, 500))} {
		changed(t, fmt.Sprint("indices along ", axis), in, func(opts ...ogive.Option) error {
			return first(in.tensor.ArgQuantiles(manyQs[:5], append(opts, tuned, lower, ogive.Axis(axis))...))
		})
	}
	changed(t, "indices", lane, func(opts ...ogive.Option) error {
		return first(lane.tensor.NaNArgQuantiles(manyQs[:5], append(opts, tuned, lower)...))
	})
	for _, window := range []int{7, 300} {
		changed(t, fmt.Sprint("windows of ", window), lane, func(opts ...ogive.Option) error {
			return first(lane.tensor.NaNRollingQuantiles(manyQs[:1], window, append(opts, tuned)...))
		})
	}
	changed(t, "isin", lane, func(opts ...ogive.Option) error { return first(lane.tensor.IsIn(lane.tensor, append(opts, tuned)...)) })
	changedWithOthers(t, lane, tuned)
	changedWithOthers(t, columns, tuned)
}

// changedWithOthers changes x in calls that take weights or keys too.
func changedWithOthers(t *testing.T, in *input, tuned ogive.Option) {
	n, axis := in.tensor.Shape()[0], ogive.Axis(0)
	what := fmt.Sprintf(" of %v", in.tensor.Shape())
	counts, shares := plain(t, fill("smallrange", dtype.Uint8, 8, n)).tensor, fill("random", dtype.Float32, 8, n)
	keys := make([]int64, n)
	for i := range keys {
		shares.Bits[i].Re &^= 1 << 31
		keys[i] = int64(i*i) % 37
	}
	weights, groups := ogive.Weights(plain(t, shares).tensor), of(keys)
	first := func(_ *ogive.Tensor, err error) error { return err }
	second := func(_, _ *ogive.Tensor, err error) error { return err }
	changed(t, "frequencies"+what, in, func(opts ...ogive.Option) error {
		return first(in.tensor.NaNQuantiles(manyQs[:5], append(opts, tuned, axis, ogive.Weights(counts))...))
	})
	changed(t, "weights"+what, in, func(opts ...ogive.Option) error {
		return first(in.tensor.NaNArgQuantiles(manyQs[:5], append(opts, tuned, axis, weights, ogive.Method(rank.InvertedCDF))...))
	})
	changed(t, "groups"+what, in, func(opts ...ogive.Option) error {
		return second(in.tensor.NaNQuantilesBy(groups, manyQs[:3], append(opts, tuned, axis)...))
	})
	changed(t, "weights of groups"+what, in, func(opts ...ogive.Option) error {
		return second(in.tensor.NaNQuantilesBy(groups, manyQs[:3], append(opts, tuned, axis, weights, ogive.Method(rank.InvertedCDF))...))
	})
}

// TestChangedWeights: calls end whatever is written to weights or keys meanwhile.
func TestChangedWeights(t *testing.T) {
	x, columns := plain(t, fill("normal", dtype.Float32, 7, 4000)).tensor, plain(t, fill("normal", dtype.Float32, 7, 4000, 3)).tensor
	keys := ogive.Must(plain(t, fill("smallrange", dtype.Int16, 7, 4000)).tensor.Cast(dtype.Int32))
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
				inverted := []ogive.Option{ogive.Tuned(&r.tuned), ogive.Weights(w.tensor), ogive.Method(rank.InvertedCDF)}
				changed(t, "weights", w, func(opts ...ogive.Option) error {
					_, err := x.NaNArgQuantiles(manyQs[:3], append(opts, inverted...)...)
					return err
				})
				changed(t, "weights of columns", w, func(opts ...ogive.Option) error {
					_, err := columns.NaNQuantiles(manyQs[:3], append(opts, append(inverted, ogive.Axis(0))...)...)
					return err
				})
				changed(t, "weights of groups", w, func(opts ...ogive.Option) error {
					_, _, err := x.NaNQuantilesBy(keys, manyQs[:3], append(opts, inverted...)...)
					return err
				})
				if dt.IsFloat() {
					return
				}
				for name, in := range map[string]*ogive.Tensor{"": x, " of columns": columns} {
					changed(t, "frequencies for fractions"+name, w, func(opts ...ogive.Option) error {
						thirds := ogive.Ratios([]int64{0, 1, 2, 3}, 3)
						_, err := in.Quantiles(nil, append(opts, ogive.Tuned(&r.tuned), ogive.Weights(w.tensor), ogive.Axis(0), thirds)...)
						return err
					})
				}
				changed(t, "keys", w, func(opts ...ogive.Option) error {
					_, _, err := x.NaNQuantilesBy(w.tensor, manyQs[:3], append(opts, ogive.Tuned(&r.tuned))...)
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
	testkit.ChangeMeanwhile(in.memory, in.ref.DType, func(int) {}, f)
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
