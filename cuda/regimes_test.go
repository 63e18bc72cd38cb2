package cuda

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/cukern"
	"github.com/ogive-go/ogive/internal/ptxemu"
	"github.com/ogive-go/ogive/internal/testkit"
	"github.com/ogive-go/ogive/rank"
)

// regimes are limits that lead small inputs into the regimes of large ones.
var regimes = map[string]func(*limits){
	"as it is":                    func(*limits) {},
	"warps":                       func(l *limits) { l.network, l.columns, l.warpBytes = 0, 0, 1<<20 },
	"blocks":                      func(l *limits) { l.network, l.columns, l.warpBytes = 0, 0, 0 },
	"digits":                      func(l *limits) { l.network, l.columns, l.rowBytes, l.bracketFrom = 0, 0, 0, math.MaxInt },
	"digits, group by group":      func(l *limits) { l.network, l.columns, l.rowBytes, l.bracketFrom, l.scratch = 0, 0, 0, math.MaxInt, 0 },
	"digits, two lanes at a time": func(l *limits) { l.network, l.columns, l.rowBytes, l.bracketFrom, l.gridRows = 0, 0, 0, math.MaxInt, 2 },
	"digits, no table":            func(l *limits) { l.positions, l.bracketFrom = 0, math.MaxInt },
	"brackets":                    func(l *limits) { l.network, l.columns, l.rowBytes, l.bracketFrom = 0, 0, 0, 1<<13 },
	"many quantiles of one block": func(l *limits) { l.network, l.columns, l.warpBytes, l.positions = 0, 0, 0, 1<<30 },
	"elements located by blocks":  func(l *limits) { l.locateShort = 0 },
}

// TestRegimes: every regime gives the bits of the host, for all kinds of data.
func TestRegimes(t *testing.T) {
	dtypes := []dtype.DType{dtype.Bool, dtype.Int8, dtype.Uint16, dtype.Float16, dtype.BFloat16, dtype.Int32, dtype.Float32, dtype.Uint64, dtype.Float64}
	for r, name := range slices.Sorted(maps.Keys(regimes)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := opened(t, ptxemu.Options{Seed: 7, Capability: cukern.Target})
			regimes[name](&d.limits)
			for i, dt := range dtypes {
				if !onGPU() && (i+r)%3 != 0 {
					continue // other regimes have it: interpreting takes its time
				}
				kinds := testkit.Kinds(dt)
				for k := range testkit.Share(8) {
					testRegime(t, d, dt, kinds[(5*i+7*k)%len(kinds)], uint64(i+k))
				}
			}
		})
	}
}

func testRegime(t *testing.T, d *Device, dt dtype.DType, kind string, seed uint64) {
	for _, shape := range [][]int{{1}, {2}, {33}, {3, 100}, {2, 4097}, {20000}} {
		x := filled(t, kind, dt, seed, shape...)
		far := ogive.Must(x.To(d))
		for _, q := range [][]float64{{0.5}, {0.3}, {0, 0.25, 1}, {0.01, 0.1, 0.2, 0.4, 0.5, 0.8, 0.9, 0.99}} {
			for _, m := range []rank.Method{rank.Linear, rank.Lower, rank.Hazen} {
				what := fmt.Sprintf("%v of %v%v %s seed=%d by %v", q, dt, shape, kind, seed, m)
				opts := []ogive.Option{ogive.Axis(-1), ogive.Method(m)}
				got, err := far.Quantiles(q, opts...)
				same(t, what, got, err, ogive.Must(x.Quantiles(q, opts...)))
				got, err = far.NaNQuantiles(q, opts...)
				same(t, "skipping NaN, "+what, got, err, ogive.Must(x.NaNQuantiles(q, opts...)))
				if m.Discrete() {
					got, err = far.NaNArgQuantiles(q, opts...)
					same(t, "index, "+what, got, err, ogive.Must(x.NaNArgQuantiles(q, opts...)))
				}
			}
			if slices.Max(shape) > 1000 {
				break
			}
		}
	}
}

// TestBracketFallsBack: where a sample misleads, digits find the answer.
func TestBracketFallsBack(t *testing.T) {
	d := emulated(t, ptxemu.Options{})
	d.limits.bracketFrom = 1 << 13
	d.limits.rowBytes = 0
	n := 1 << 14
	x := filled(t, "random", dtype.Float32, 1, n)
	values := ogive.Must(ogive.Values[float32](x))
	// All that a sample sees is small, and all the rest is spread out above.
	for i := range values {
		values[i] = float32(i)
	}
	step := n / (1 << 12)
	for i := range 1 << 12 {
		values[i*step+sampledPlace(i, step)] = -1
	}
	far := ogive.Must(x.To(d))
	for _, q := range []float64{0.2, 0.5, 0.9} {
		got, err := far.Quantile(q)
		same(t, fmt.Sprint(q), got, err, ogive.Must(x.Quantile(q)))
	}
	// Three passes over each sample, and over the lane where it misled: for the upper two.
	if launches := d.dev.(*ptxemu.Device).Stats().Kernels["digits_f32"].Launches; launches != 3*3+2*3 {
		t.Errorf("%d passes by digits: the sample did not mislead", launches)
	}
}

// sampledPlace is where kernel sample looks in stretch i.
func sampledPlace(i, step int) int {
	h := (uint64(i) + seed) * 0x9E3779B97F4A7C15
	h = (h ^ h>>32) * 0xD6E8FEB86659FD93
	return int((h >> 32) * uint64(step) >> 32)
}
