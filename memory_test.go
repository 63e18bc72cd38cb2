package ogive_test

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/rank"
)

// noise is n float32 values that look random, with NaN at every so many
// places if that is positive.
func noise(n, every int) []float32 {
	v := make([]float32, n)
	s := uint32(1)
	for i := range v {
		s ^= s << 13
		s ^= s >> 17
		s ^= s << 5
		v[i] = float32(int32(s)) / (1 << 20)
		if every > 0 && i%every == 0 {
			v[i] = float32(math.NaN())
		}
	}
	return v
}

// allocations is the average number of allocations of a call once warm, with
// as many workers as there are by default: testing.AllocsPerRun would allow
// one. A processor has to work on the call once before it is warm, so calls are
// counted again until they allocate nothing, for a while, and the fewest count; pools are
// not emptied meanwhile.
func allocations(run func()) (average float64) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	const runs, attempts = 20, 10
	average = math.Inf(1)
	for range attempts {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range runs {
			run()
		}
		runtime.ReadMemStats(&after)
		average = min(average, math.Floor(float64(after.Mallocs-before.Mallocs)/runs))
		if average == 0 {
			break
		}
	}
	return average
}

// check panics on an error: a test's T would escape into the counted calls.
func check(err error) {
	if err != nil {
		panic(err)
	}
}

// TestNoAllocations: a call with Out, and a run of a plan, allocate nothing
// once warm.
func TestNoAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector empties pools at random")
	}
	five := vec(3.0, 1, 4, 1, 5)
	hundred := ogive.Must(of(noise(100, 0)).Cast(dtype.Float64))
	whole, fiveHalves := ogive.Must(five.Cast(dtype.Int16)), ogive.Must(five.Cast(dtype.Float16))
	threeOut, halfOut := ogive.Must(ogive.Zeros(dtype.Float64, 3)), ogive.Must(ogive.Zeros(dtype.Float16))
	shortPlan := ogive.Must(ogive.Prepare(ogive.OpMedian, dtype.Float64, []int{5}))
	longerPlan := ogive.Must(ogive.Prepare(ogive.OpMedian, dtype.Float64, []int{100}))
	small := of(noise(40*30, 0), 40, 30)
	holes := of(noise(40*30, 7), 40, 30)
	large := of(noise(1<<20, 0), 1<<10, 1<<10)
	largeHoles := of(noise(1<<20, 7), 1<<10, 1<<10)
	ints := ogive.Must(small.Cast(dtype.Int16))
	cube := ogive.Must(of(noise(1<<18, 0), 64, 64, 64).Transpose(1, 0, 2))
	qs := []float64{0.1, 0.5, 0.9}

	scalarOut := ogive.Must(ogive.Zeros(dtype.Float64))
	narrowOut := ogive.Must(ogive.Zeros(dtype.Float32))
	rows, columns := ogive.Must(ogive.Zeros(dtype.Float32, 3, 40)), ogive.Must(ogive.Zeros(dtype.Float32, 3, 30))
	line, flat := ogive.Must(ogive.Zeros(dtype.Float32, 1<<10)), ogive.Must(ogive.Zeros(dtype.Float64, 40))
	halves := ogive.Must(ogive.Zeros(dtype.Float16, 40))
	places := ogive.Must(ogive.Zeros(dtype.Int64, 40))
	smallBools, largeBools := ogive.Must(ogive.Zeros(dtype.Bool, 40, 30)), ogive.Must(ogive.Zeros(dtype.Bool, 1<<10, 1<<10))
	inner := ogive.Must(ogive.Zeros(dtype.Float32, 64))
	fewWindows, manyWindows := ogive.Must(ogive.Zeros(dtype.Float32, 1<<10-4)), ogive.Must(ogive.Zeros(dtype.Float32, 1<<10-100))

	median := ogive.Must(ogive.Prepare(ogive.OpMedian, dtype.Float32, []int{40, 30}, ogive.Axis(1), ogive.Mode(ogive.ModeLower)))
	free := ogive.Must(ogive.Prepare(ogive.OpMedian, dtype.Float32, []int{-1, 30}, ogive.Axis(1)))
	smaller, fewValues := ogive.Must(small.Slice(0, 0, 7, 1)), ogive.Must(ogive.Zeros(dtype.Float32, 7))
	arg := ogive.Must(ogive.Prepare(ogive.OpNaNArgQuantile, dtype.Float32, []int{40, 30}, ogive.Axis(1), ogive.Q(0.5), ogive.Method(rank.Lower)))
	global := ogive.Must(ogive.Prepare(ogive.OpQuantile, dtype.Float32, []int{1 << 10, 1 << 10}, ogive.Q(0.5)))
	globalLower := ogive.Must(ogive.Prepare(ogive.OpMedian, dtype.Float32, []int{1 << 10, 1 << 10}, ogive.Mode(ogive.ModeLower)))
	place := ogive.Must(ogive.Zeros(dtype.Int64))
	frequencies := ogive.Must(ogive.Scalar(uint8(2)).BroadcastTo(64, 64, 64))
	weighted := ogive.Must(ogive.Prepare(ogive.OpQuantile, dtype.Float32, []int{64, 64, 64}, ogive.Q(0.5), ogive.Axis(0, 2), ogive.Weights(frequencies)))
	member := ogive.Must(ogive.Prepare(ogive.OpIsIn, dtype.Int16, []int{40, 30}, ogive.Test(vec[int16](1, 2, 3, 500, 20000))))
	value := ogive.Must(ogive.Zeros(dtype.Float32, 40))

	for name, run := range map[string]func(){
		"median of a hundred": func() { _, err := hundred.Median(ogive.Out(scalarOut)); check(err) },
		"a plan of five":      func() { check(shortPlan.Run(five, scalarOut)) },
		"a plan of a hundred": func() { check(longerPlan.Run(hundred, scalarOut)) },
		"quantiles of a hundred": func() {
			_, err := hundred.Quantiles(qs, ogive.Out(threeOut))
			check(err)
		},
		"a list in the call": func() {
			_, err := hundred.Quantiles([]float64{0.1, 0.5, 0.9}, ogive.Out(threeOut), ogive.Axis([]int{0}...))
			check(err)
		},
		"median of five integers": func() { _, err := whole.Median(ogive.Out(scalarOut)); check(err) },
		"median of five halves":   func() { _, err := fiveHalves.Median(ogive.Out(halfOut)); check(err) },
		"median of five":          func() { _, err := five.Median(ogive.Out(scalarOut)); check(err) },
		"quantile of five": func() {
			_, err := ogive.Quantile(five, 0.3, ogive.Out(scalarOut), ogive.Method(rank.Hazen))
			check(err)
		},
		"ratio of five":              func() { _, err := five.QuantileRatio(1, 3, ogive.Out(scalarOut)); check(err) },
		"quantiles of small rows":    func() { _, err := small.Quantiles(qs, ogive.Axis(1), ogive.Out(rows)); check(err) },
		"quantiles of small columns": func() { _, err := small.Quantiles(qs, ogive.Axis(0), ogive.Out(columns)); check(err) },
		"median of large rows":       func() { _, err := large.Median(ogive.Axis(1), ogive.Out(line)); check(err) },
		"median of large columns":    func() { _, err := large.Median(ogive.Axis(0), ogive.Out(line)); check(err) },
		"median of a million":        func() { _, err := large.Median(ogive.Out(narrowOut)); check(err) },
		"two workers":                func() { _, err := large.Median(ogive.Out(narrowOut), ogive.Workers(2)); check(err) },
		"percentile of a million":    func() { _, err := large.Percentile(99, ogive.Out(narrowOut)); check(err) },
		"two axes of a view":         func() { _, err := cube.Median(ogive.Axis(0, 2), ogive.Out(inner)); check(err) },
		"nanmedian of small rows":    func() { _, err := holes.NaNMedian(ogive.Axis(1), ogive.Out(value)); check(err) },
		"nanmedian of a million":     func() { _, err := largeHoles.NaNMedian(ogive.Out(narrowOut)); check(err) },
		"nanmedian of large columns": func() { _, err := largeHoles.NaNMedian(ogive.Axis(0), ogive.Out(line)); check(err) },
		"median of integers":         func() { _, err := ints.Median(ogive.Axis(1), ogive.Out(flat)); check(err) },
		"another dtype of out":       func() { _, err := small.Median(ogive.Axis(1), ogive.Out(halves)); check(err) },
		"median with index": func() {
			_, _, err := small.MedianWithIndex(ogive.Axis(1), ogive.Out(value), ogive.OutIndices(places))
			check(err)
		},
		"a free dimension":      func() { check(free.Run(small, value)); check(free.Run(smaller, fewValues)) },
		"rolling, few":          func() { _, err := line.RollingMedian(5, ogive.Out(fewWindows)); check(err) },
		"rolling, many":         func() { _, err := line.RollingMedian(101, ogive.Out(manyWindows)); check(err) },
		"a plan":                func() { check(median.Run(small, value)) },
		"a plan with indices":   func() { check(median.RunIndex(small, value, places)) },
		"indices of a million":  func() { check(globalLower.RunIndex(large, narrowOut, place)) },
		"weights of a view":     func() { check(weighted.Run(cube, inner)) },
		"a plan of indices":     func() { check(arg.Run(holes, places)) },
		"a plan over a million": func() { check(global.Run(large, narrowOut)) },
		"isposinf":              func() { _, err := small.IsPosInf(ogive.Out(smallBools)); check(err) },
		"isnan of a million":    func() { _, err := largeHoles.IsNaN(ogive.Out(largeBools)); check(err) },
		"signbit":               func() { _, err := ints.SignBit(ogive.Out(smallBools)); check(err) },
		"isreal":                func() { _, err := ogive.IsReal(small, ogive.Out(smallBools)); check(err) },
		"a plan of isin":        func() { check(member.Run(ints, smallBools)) },
	} {
		if n := allocations(run); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// TestScratchIsBounded: beside its result an operation on 160 MB allocates at
// most 64 MB, or an eighth of x where that is more, however it reduces.
func TestScratchIsBounded(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("160 MB")
	}
	const n = 40_000_000
	data := noise(n, 0)
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	bound := func(x *ogive.Tensor) uint64 { return uint64(max(64<<20, x.Len()*x.DType().Size()/8)) }
	wide, tall := of(data, 4000, 10_000), of(data, 10, 4_000_000)
	cube := of(data, 200, 1000, 200)
	doubles := ogive.Must(of(data[:n/2]).Cast(dtype.Float64))
	for _, c := range []struct {
		name string
		x    *ogive.Tensor
		opts []ogive.Option
	}{
		{"all", wide, nil}, {"rows", wide, []ogive.Option{ogive.Axis(1)}}, {"columns", wide, []ogive.Option{ogive.Axis(0)}},
		{"ten long rows", tall, []ogive.Option{ogive.Axis(1)}}, {"short columns", tall, []ogive.Option{ogive.Axis(0)}},
		{"two axes", cube, []ogive.Option{ogive.Axis(0, 2)}}, {"the middle axis", cube, []ogive.Option{ogive.Axis(1)}},
		{"all, reversed", ogive.Must(wide.Slice(1, 9999, -1, -1)), nil}, {"all of float64", doubles, nil},
		{"all, transposed", ogive.Must(wide.Transpose()), nil},
		{"columns by many", ogive.Must(wide.Slice(1, 0, 1000, 1)), []ogive.Option{ogive.Axis(0), ogive.Workers(64)}},
		{"long columns by many", of(data[:27_000_000], 27_000, 1000), []ogive.Option{ogive.Axis(0), ogive.Workers(64)}},
		{"two axes by many", of(data[:27_000_000], 900, 60, 500), []ogive.Option{ogive.Axis(0, 2), ogive.Workers(64)}},
		{"weighted rows by many", of(data[:64*130_000], 64, 130_000), []ogive.Option{ogive.Axis(1), ogive.Workers(32), ogive.Weights(ones(130_000))}},
		{"weighted columns by many", of(data[:16_250*512], 16_250, 512), []ogive.Option{ogive.Axis(0), ogive.Workers(32), ogive.Weights(ones(16_250))}},
	} {
		for name, run := range map[string]func() (*ogive.Tensor, error){
			"median":    func() (*ogive.Tensor, error) { return c.x.Median(c.opts...) },
			"quantiles": func() (*ogive.Tensor, error) { return c.x.Quantiles([]float64{0.01, 0.5, 0.99}, c.opts...) },
			"nanmedian": func() (*ogive.Tensor, error) { return c.x.NaNMedian(c.opts...) },
			"index": func() (*ogive.Tensor, error) {
				_, i, err := c.x.MedianWithIndex(c.opts...)
				return i, err
			},
		} {
			// Two collections empty the pools, so that nothing comes from
			// before; nothing is collected within, so that what is allocated
			// is no less than what is held at once.
			runtime.GC()
			runtime.GC()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got, err := run()
			runtime.ReadMemStats(&after)
			if err != nil {
				t.Fatal(err)
			}
			results := uint64(got.Len() * got.DType().Size())
			if name == "index" {
				results += uint64(got.Len() * c.x.DType().Size())
			}
			if have := after.TotalAlloc - before.TotalAlloc; have > bound(c.x)+results {
				t.Errorf("%s of %s: %d MB beside a result of %d MB, at most %d MB", name, c.name, have>>20, results>>20, bound(c.x)>>20)
			}
		}
	}
}

// ones are n weights of 1.
func ones(n int) *ogive.Tensor {
	w := ogive.Must(ogive.Zeros(dtype.Int64, n))
	for i := range n {
		ogive.Must(ogive.Values[int64](w))[i] = 1
	}
	return w
}
