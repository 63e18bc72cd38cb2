package ogive_test

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/rank"
)

// allocated is what a cold call allocates beside its result, in bytes: nothing comes from
// pools, and nothing is collected within, so that it is no less than what is held at once.
func allocated(t *testing.T, run func() (*ogive.Tensor, error)) int {
	t.Helper()
	runtime.GC()
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := run()
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	return int(after.TotalAlloc-before.TotalAlloc) - got.Len()*got.DType().Size()
}

// scattered are n different integers, which are neither in order nor close to each other.
func scattered(n int) *ogive.Tensor {
	v := make([]int64, n)
	for i := range v {
		v[i] = int64(uint64(i) * 0x9E3779B97F4A7C15)
	}
	return of(v)
}

// scratchCase is a call and what it may allocate beside its result: so many bytes, as the
// documentation of its function bounds them.
type scratchCase struct {
	name  string
	bound int
	run   func(workers ogive.Option) (*ogive.Tensor, error)
}

// TestScratchAsDocumented holds each operation to the bound on scratch memory that its
// documentation gives, for one worker and for eight.
func TestScratchAsDocumented(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("takes some 100 MB")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for _, workers := range []int{1, 8} {
		for _, c := range scratchCases(workers) {
			if have := allocated(t, func() (*ogive.Tensor, error) { return c.run(ogive.Workers(workers)) }); have > c.bound {
				t.Errorf("%s, %d workers: %d kB beside the result, at most %d kB", c.name, workers, have>>10, c.bound>>10)
			}
		}
	}
}

func scratchCases(workers int) []scratchCase {
	const n, m = 1_000_000, 200_000
	x, few := of(noise(n, 0)), of(noise(1000, 0))
	rows := ogive.Must(x.Reshape(1000, 1000))
	bytes := ogive.Must(ogive.Must(rows.Slice(0, 0, 500, 1)).Cast(dtype.Int8))
	weights, ids := ogive.Must(ones(n).Cast(dtype.Float64)), scattered(n)
	qs := make([]float64, m)
	for i := range qs {
		qs[i] = float64(i) / m
	}
	cases := []scratchCase{
		{"many quantiles of few", 64<<20 + 32*m, func(w ogive.Option) (*ogive.Tensor, error) { return few.Quantiles(qs, w) }},
		{"many quantiles of many", 64<<20 + 32*m, func(w ogive.Option) (*ogive.Tensor, error) { return x.Quantiles(qs, w) }},
		{"many positions", 64<<20 + 32*m, func(w ogive.Option) (*ogive.Tensor, error) {
			return few.ArgQuantiles(qs, w, ogive.Method(rank.Lower))
		}},
		{"many quantiles of rows", 64 << 20, func(w ogive.Option) (*ogive.Tensor, error) {
			return rows.Quantiles(qs[:1000], w, ogive.Axis(1))
		}},
		{"many quantiles of ten rows", 64<<20 + 32*m, func(w ogive.Option) (*ogive.Tensor, error) {
			return ogive.Must(rows.Slice(0, 0, 10, 1)).Quantiles(qs[:m/5], w, ogive.Axis(1))
		}},
		{"many quantiles of bytes", 64<<20 + 32*m, func(w ogive.Option) (*ogive.Tensor, error) {
			return bytes.Quantiles(qs[:m/40], w, ogive.Axis(1))
		}},
		{"positions in short rows", 64<<20 + 4*n/10*40, func(w ogive.Option) (*ogive.Tensor, error) {
			return ogive.Must(x.Reshape(n/10, 10)).ArgQuantiles(qs[:40], w, ogive.Axis(1), ogive.Method(rank.Lower))
		}},
		{"windows of many quantiles", workers * (1<<20 + 500*101 + 16_000*1000), func(w ogive.Option) (*ogive.Tensor, error) {
			return few.RollingQuantiles(qs[:1000], 101, w)
		}},
		{"windows of very many quantiles", workers * (1<<20 + 500*101 + 16_000*2000), func(w ogive.Option) (*ogive.Tensor, error) {
			return few.RollingQuantiles(qs[:5000], 101, w)
		}},
		{"onto another dtype", 64<<20 + 4*1000*1000, func(w ogive.Option) (*ogive.Tensor, error) {
			out := ogive.Must(ogive.Zeros(dtype.Float64, 1000, 1000))
			return rows.Quantiles(qs[:1000], w, ogive.Axis(1), ogive.Out(out))
		}},
		{"weighted", 64 << 20, func(w ogive.Option) (*ogive.Tensor, error) {
			return x.Quantile(0.3, w, ogive.Weights(weights), ogive.Method(rank.InvertedCDF))
		}},
		{"isnan", workers * 16 << 10, func(w ogive.Option) (*ogive.Tensor, error) { return x.IsNaN(w) }},
		{"table of int16", 1 << 18, func(w ogive.Option) (*ogive.Tensor, error) {
			return ogive.IsIn(ids, vec[int16](-30000, 5, 30000), w, ogive.Kind(ogive.KindTable))
		}},
	}
	for _, k := range []int{1, 10, 1000} {
		keys := make([]int64, n)
		for i := range keys {
			keys[i] = int64(i % k)
		}
		weighted := ogive.Weights(ones(n))
		doubles := ogive.Must(x.Cast(dtype.Float64))
		cases = append(cases,
			scratchCase{"groups with frequencies", 80*n + workers<<20, func(w ogive.Option) (*ogive.Tensor, error) {
				_, medians, err := doubles.MedianBy(of(keys), w, weighted)
				return medians, err
			}},
			scratchCase{"many quantiles of groups", 2*4*n + 2*8*n + workers*(1<<20+300*m/10), func(w ogive.Option) (*ogive.Tensor, error) {
				_, values, err := x.QuantilesBy(of(keys[:n]), qs[:m/10/k], w)
				return values, err
			}})
	}
	for name, scale := range map[string]uint64{"close": 1, "spread": 1 << 40} {
		for _, k := range []uint64{10, 10_000, n} {
			keys := make([]int64, n)
			for i := range keys {
				keys[i] = int64(uint64(i) % k * scale)
			}
			bound := 2*4*n + 2*8*n + workers<<20
			if scale > 1 {
				bound += 200 * min(workers*int(k), n)
			}
			cases = append(cases, scratchCase{name + " keys", bound, func(w ogive.Option) (*ogive.Tensor, error) {
				_, medians, err := x.MedianBy(of(keys), w)
				return medians, err
			}})
		}
	}
	for _, window := range []int{5, 101, 10_000, n / 2} {
		cases = append(cases, scratchCase{"windows", workers * (1<<20 + 500*window), func(w ogive.Option) (*ogive.Tensor, error) {
			return x.RollingMedian(window, w)
		}})
	}
	for dt, times := range map[dtype.DType][2]int{dtype.Int32: {7, 2}, dtype.Int64: {7, 2}, dtype.Float32: {7, 2}, dtype.Complex128: {24, 10}} {
		list := ogive.Must(ids.Cast(dt))
		for i, kind := range []ogive.IsInKind{ogive.KindHash, ogive.KindSort} {
			cases = append(cases, scratchCase{"isin of " + dt.String(), 64<<10 + times[i]*n*dt.Size(), func(w ogive.Option) (*ogive.Tensor, error) {
				return list.IsIn(list, w, ogive.Kind(kind))
			}})
		}
	}
	return cases
}
